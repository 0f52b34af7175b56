/* spheres_kernel_avx2.c: the kernel for x86-64-v3 (CMakeLists.txt sets the instruction set). */
#define SPHERE_KERNEL sphere_kernel_avx2
#define LANES_WIDTH   4
#include "solvers/spheres/spheres_kernel_body.h"
