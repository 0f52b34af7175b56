/* spheres_kernel.h: eight sphere contacts at once. */
#ifndef SCREE_SOLVERS_SPHERES_SPHERES_KERNEL_H
#define SCREE_SOLVERS_SPHERES_SPHERES_KERNEL_H

#include "solvers/spheres/spheres.h"

/// The functions of one instruction set. All sets give the same bits.
struct sphere_kernel {
    /// Solves the contacts of a batch, given the velocities of the bodies and loads extrapolated by beta: now plus beta times their
    /// change from those of before, which `next` has. Moves the velocities and leaves the solution in `next`. `special` may be NULL.
    /// Bodies from body_count on do not move. Returns the sum of dp' W_cc dp, dp from the extrapolated loads.
    double (*solve)(const sphere_batch *batch, const sphere_special *special, scree_law law, double beta,
                    sphere_body *body, int body_count, const sphere_loads *now, sphere_loads *next);

    /// Velocities of the bodies += M^-1 H p.
    void (*push)(const sphere_batch *batch, const sphere_loads *loads, sphere_body *body, int body_count);

    /// sums = |p - proj(p - yhat)|^2, |p|^2, |y|^2 of the batch.
    void (*check)(const sphere_batch *batch, const sphere_special *special, scree_law law, const sphere_body *body,
                  const sphere_loads *loads, double sums[3]);
};

extern const sphere_kernel sphere_kernel_base;
#if defined(SCREE_X86_KERNELS)
extern const sphere_kernel sphere_kernel_avx2, sphere_kernel_avx512;
#endif

/// The kernels that this machine can run, best first: index 0, 1, ... until NULL.
const sphere_kernel *spheres_kernel_at(int index);

#endif
