/* bed_kernel_avx2.c: the kernel for x86-64-v3 (CMakeLists.txt sets the instruction set). */
#define BED_KERNEL bed_kernel_avx2
#define BED_NAME   "avx2"
#define BED_WIDTH  4
#include "dem/spheres/bed_kernel_body.h"
