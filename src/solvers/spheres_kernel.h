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

/// Solves the contacts of a batch, given the velocities of the bodies and loads extrapolated by beta (`old` receives the loads of
/// before); moves loads and velocities. `special` may be NULL. Bodies from body_count on do not move. Returns the sum of
/// dp' W_cc dp, dp from the extrapolated loads.
double spheres_solve_batch(const sphere_batch *batch, const sphere_special *special, scree_law law, double beta,
                           sphere_body *body, int body_count, sphere_loads *loads, sphere_loads *old);

/// Velocities of the bodies += M^-1 H p.
void spheres_push_batch(const sphere_batch *batch, const sphere_loads *loads, sphere_body *body, int body_count);

/// sums = |p - proj(p - yhat)|^2, |p|^2, |y|^2 of the batch.
void spheres_check_batch(const sphere_batch *batch, const sphere_special *special, scree_law law,
                         const sphere_body *body, const sphere_loads *loads, double sums[3]);

#endif
