/* spheres_kernel_avx512.c: the kernel for x86-64-v4 (CMakeLists.txt sets the instruction set). */
#define SPHERE_KERNEL sphere_kernel_avx512
#define LANES_WIDTH   8
#include "solvers/spheres/spheres_kernel_body.h"
