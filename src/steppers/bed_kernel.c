/* bed_kernel.c: the kernel for any machine, and the choice among those there are. */
#define BED_KERNEL bed_kernel_base
#define BED_NAME   "base"
#define BED_WIDTH  1
#include "steppers/bed_kernel_body.h"

const bed_kernel *bed_kernel_at(int index)
{
    const bed_kernel *list[3];
    int count = 0;
#if defined(SCREE_X86_KERNELS)
    __builtin_cpu_init();
    int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    int avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512cd");
    if (avx512) list[count++] = &bed_kernel_avx512;
    if (avx2) list[count++] = &bed_kernel_avx2;
#endif
    list[count++] = &bed_kernel_base;
    return index < count ? list[index] : NULL;
}
