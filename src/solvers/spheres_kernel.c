/* spheres_kernel.c: the kernel for any machine, and the choice among those there are. */
#define SPHERE_KERNEL sphere_kernel_base
#define SPHERE_WIDTH  2
#include "solvers/spheres_kernel_body.h"

const sphere_kernel *spheres_kernel_at(int index)
{
    const sphere_kernel *list[3];
    int count = 0;
#if defined(SCREE_X86_KERNELS)
    __builtin_cpu_init();
    int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    int avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512cd");
    if (avx512) list[count++] = &sphere_kernel_avx512;
    if (avx2) list[count++] = &sphere_kernel_avx2;
#endif
    list[count++] = &sphere_kernel_base;
    return index < count ? list[index] : NULL;
}
