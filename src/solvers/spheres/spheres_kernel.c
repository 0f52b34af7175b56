/* spheres_kernel.c: the kernel for any machine, and the choice among those there are. */
#include "base/cpu.h"

#define SPHERE_KERNEL sphere_kernel_base
#define LANES_WIDTH   2
#include "solvers/spheres/spheres_kernel_body.h"

const sphere_kernel *spheres_kernel_at(int index)
{
    static const sphere_kernel *const of_level[] = {
        [CPU_BASE] = &sphere_kernel_base,
#if defined(SCREE_X86_KERNELS)
        [CPU_V3] = &sphere_kernel_avx2,
        [CPU_V4] = &sphere_kernel_avx512,
#endif
    };
    const int level = cpu_level_at(index);
    return level >= 0 ? of_level[level] : NULL;
}
