/* bed_kernel.c: the kernel for any machine, and the choice among those there are. */
#include "base/cpu.h"

#define BED_KERNEL bed_kernel_base
#define BED_NAME   "base"
#define BED_WIDTH  1
#include "steppers/bed_kernel_body.h"

const bed_kernel *bed_kernel_at(int index)
{
    const bed_kernel *list[3];
    int count = 0;
#if defined(SCREE_X86_KERNELS)
    const cpu_level best = cpu_best();
    if (best >= CPU_V4) list[count++] = &bed_kernel_avx512;
    if (best >= CPU_V3) list[count++] = &bed_kernel_avx2;
#endif
    list[count++] = &bed_kernel_base;
    return index < count ? list[index] : NULL;
}
