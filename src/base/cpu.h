/* cpu.h: which of the kernels that are compiled for several instruction sets this processor can run. One answer for all of them. */
#ifndef SCREE_BASE_CPU_H
#define SCREE_BASE_CPU_H

/// What the compiler may use in a file built for x86-64-v3 or -v4 and a processor may lack.
enum cpu_feature {
    CPU_AVX2 = 1,
    CPU_FMA = 2,
    CPU_BMI = 4,
    CPU_BMI2 = 8,
    CPU_AVX512F = 16,
    CPU_AVX512DQ = 32,
    CPU_AVX512VL = 64,
    CPU_AVX512BW = 128,
    CPU_AVX512CD = 256,
    CPU_V3_FEATURES = CPU_AVX2 | CPU_FMA | CPU_BMI | CPU_BMI2,
    CPU_V4_FEATURES = CPU_V3_FEATURES | CPU_AVX512F | CPU_AVX512DQ | CPU_AVX512VL | CPU_AVX512BW | CPU_AVX512CD
};

typedef enum cpu_level { CPU_BASE, CPU_V3, CPU_V4 } cpu_level;

/// A level needs all its features: one that lacks a single one is not it.
cpu_level cpu_level_of(unsigned features);
unsigned cpu_features(void); /* of this processor */
cpu_level cpu_best(void);    /* cpu_level_of(cpu_features()) */

/// The levels whose kernels this processor can run, best first: index 0, 1, ... until -1.
int cpu_level_at(int index);

#endif
