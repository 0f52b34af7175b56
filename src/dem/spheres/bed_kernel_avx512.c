/* bed_kernel_avx512.c: the kernel for x86-64-v4 (CMakeLists.txt sets the instruction set). */
#define BED_KERNEL bed_kernel_avx512
#define BED_NAME   "avx512"
#define BED_WIDTH  8
#include "dem/spheres/bed_kernel_body.h"
