/* spheres_kernel.c: the kernel for any machine, and the choice among those there are. */
#include "base/cpu.h"

#define SPHERE_KERNEL sphere_kernel_base
#define SPHERE_WIDTH  2
#include "solvers/spheres_kernel_body.h"

const sphere_kernel *spheres_kernel_at(int index)
{
    const sphere_kernel *list[3];
    int count = 0;
#if defined(SCREE_X86_KERNELS)
    const cpu_level best = cpu_best();
    if (best >= CPU_V4) list[count++] = &sphere_kernel_avx512;
    if (best >= CPU_V3) list[count++] = &sphere_kernel_avx2;
#endif
    list[count++] = &sphere_kernel_base;
    return index < count ? list[index] : NULL;
}
