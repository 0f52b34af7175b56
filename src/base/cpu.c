/* cpu.c: features of the processor, once for all kernels. */
#include "base/cpu.h"

cpu_level cpu_level_of(unsigned features)
{
    if ((features & CPU_V4_FEATURES) == CPU_V4_FEATURES) return CPU_V4;
    return (features & CPU_V3_FEATURES) == CPU_V3_FEATURES ? CPU_V3 : CPU_BASE;
}

unsigned cpu_features(void)
{
    unsigned features = 0;
#if defined(SCREE_X86_KERNELS)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) features |= CPU_AVX2;
    if (__builtin_cpu_supports("fma")) features |= CPU_FMA;
    if (__builtin_cpu_supports("bmi")) features |= CPU_BMI;
    if (__builtin_cpu_supports("bmi2")) features |= CPU_BMI2;
    if (__builtin_cpu_supports("avx512f")) features |= CPU_AVX512F;
    if (__builtin_cpu_supports("avx512dq")) features |= CPU_AVX512DQ;
    if (__builtin_cpu_supports("avx512vl")) features |= CPU_AVX512VL;
    if (__builtin_cpu_supports("avx512bw")) features |= CPU_AVX512BW;
    if (__builtin_cpu_supports("avx512cd")) features |= CPU_AVX512CD;
#endif
    return features;
}

cpu_level cpu_best(void)
{
    return cpu_level_of(cpu_features());
}

int cpu_level_at(int index)
{
    const int level = (int)cpu_best() - index;
    return level >= CPU_BASE ? level : -1;
}
