/* bed_kernel.c: the kernel for any machine, and the choice among those there are. */
#include "base/cpu.h"

#define BED_KERNEL bed_kernel_base
#define BED_NAME   "base"
/* aarch64 has fused sums of two lanes, and wasm makes them of two lanes as fast as of one (math/lanes_wasm.h); x86-64 without AVX2 has none,
 * and calls a function for each lane. */
#if defined(__aarch64__) || defined(__wasm_simd128__)
#define BED_WIDTH 2
#else
#define BED_WIDTH 1
#endif
#include "dem/spheres/bed_kernel_body.h"

const bed_kernel *bed_kernel_at(int index)
{
    static const bed_kernel *const of_level[] = {
        [CPU_BASE] = &bed_kernel_base,
#if defined(SCREE_X86_KERNELS)
        [CPU_V3] = &bed_kernel_avx2,
        [CPU_V4] = &bed_kernel_avx512,
#endif
    };
    const int level = cpu_level_at(index);
    return level >= 0 ? of_level[level] : NULL;
}
