/* spheres_kernel.h: eight sphere contacts at once. */
#ifndef SCREE_SOLVERS_SPHERES_KERNEL_H
#define SCREE_SOLVERS_SPHERES_KERNEL_H

#include "solvers/spheres.h"

/* Run-time choice of the instruction set where the tool chain has it; not under sanitizers, which start after the choice. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&               \
    !defined(__SANITIZE_THREAD__)
#define SPHERES_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SPHERES_CLONES
#endif

/// Solves the contacts of a batch exactly, given the velocities of the bodies; moves loads and velocities.
/// Bodies from body_count on do not move. Returns the sum of dp' W_cc dp.
double spheres_solve_batch(const sphere_batch *batch, sphere_body *body, int body_count, sphere_loads *loads);

#endif
