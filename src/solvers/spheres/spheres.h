/* spheres.h: sweeps over contacts of spheres, eight at a time. Both laws.
 *
 * Two spheres a, b (or one and something that the problem does not move), n from a to b. With tangent loads as space vectors x = r_T
 * and Z = n x m_R the contact needs no frame, and slide and roll are coupled by a scalar (laws/sphere.h):
 *
 *     u_N = n.(v_b - v_a) + s_N                               W_NN = 1/m_a + 1/m_b
 *     u_T = P(v_b - v_a) + n x (r_b w_b + r_a w_a) + s_T      A = W_NN + r_a^2/I_a + r_b^2/I_b
 *     w_Z = n x (w_b - w_a) + s_Z,  w_S = n.(w_b - w_a) + s_S B = 1/I_a + 1/I_b,   c = r_b/I_b - r_a/I_a
 *     u_T = A x + c Z + ...,  w_Z = B Z + c x + ...           P projects on the tangent plane
 *
 * Discs in a plane are spheres that do not leave it: x and Z are along t1, t2 is the normal of the plane, and with the mass and the
 * inertia 1/I_nn for all directions no number out of the plane ever differs from 0.
 *
 * s is what q has beyond the velocities of the bodies: gap/h, restitution, walls and conveyors that move. Compliance adds to W_NN, A, B
 * and W_SS, and must be the same in both directions of a tangent plane.
 *
 * Layout: a body is one cache line (v, w, 1/m, 1/I); contacts stand in batches of eight that share no body, as structure of arrays;
 * batches with c = 0 (equal spheres) apart from the others. Batches of one colour share no body either. Memory: 216 bytes per contact
 * (batch 88, loads and their predecessors 128) and 128 per body; with s_T, s_Z, s_S or compliance 88 more per contact. The kernel is
 * C over the lanes, compiled for several instruction sets and chosen at run time; without contraction of products and sums all of them
 * give the same bits.
 *
 * A pile may be on a device (cuda/pile_device.h): then contacts are coloured there, and bodies, batches and loads here are what was handed
 * over, until spheres_loads_to brings the loads back. */
#ifndef SCREE_SOLVERS_SPHERES_SPHERES_H
#define SCREE_SOLVERS_SPHERES_SPHERES_H

#include "base/memory.h"
#include "problem/problem_private.h"
#include "solvers/cuda/pile_device.h"
#include "solvers/elastic.h"
#include "solvers/spheres/spheres_batch.h"

enum { SUMS = 4 };

typedef struct sphere_kernel sphere_kernel; /* spheres_kernel.h */

/// The device on which a pile is; `at` NULL: on the processor.
typedef struct sphere_device {
    const pile_device_table *table;
    pile_device *at;
    scree_status status; /* of the first call that failed: nothing more is done */
} sphere_device;

typedef struct sphere_pile {
    const sphere_kernel *kernel; /* of this machine */
    sphere_device device;
    int body_count, batch_count, contact_count;
    scree_law law;
    int plane; /* of a planar problem: the axis across which nothing moves; -1: none */
    int colour_count;
    int *colour_start;         /* batches of one colour share no body (colour_count + 1)                */
    sphere_body *body;         /* (body_count + 2): then the fixed one and that of empty lanes          */
    sphere_body *body_old;     /* (body_count + 2) before the last sweep                                */
    int *slot;                 /* LANES x batch + lane of each contact (contact_count)                  */
    sphere_batch *batch;       /* (batch_count)                                                         */
    sphere_loads *loads;       /* (batch_count)                                                         */
    sphere_loads *loads_old;   /* (batch_count) before the last sweep                                   */
    double *sums;              /* (SUMS x batch_count) of a sweep or a check                            */
    sphere_special *special;   /* (batch_count), or NULL: no contact needs it                           */
    scree_rigid_contact *read; /* (contact_count) of a problem from blocks, or NULL                     */
    double q_norm;
} sphere_pile;

/// 1 if every contact of the problem is one of spheres.
int spheres_recognise(const scree_problem *problem);
/// What of the problem is not of spheres, in words that follow "does not take"; "" where all is.
void spheres_misfit(const scree_problem *problem, char text[DEVICE_TEXT]);

/// Colours and batches, from who touches whom; values come with spheres_begin. The problem must have been recognised.
scree_status spheres_create(const scree_problem *problem, const scree_allocator *allocator, sphere_pile *s);
/// The same on a device, which belongs to the pile from then on. SCREE_ERR_DEVICE, or SCREE_ERR_MEMORY of the device: `text` says more.
scree_status spheres_create_on(const pile_device_table *table, const scree_problem *problem,
                               const scree_allocator *allocator, sphere_pile *s, char text[DEVICE_TEXT]);
void spheres_destroy(sphere_pile *s, const scree_allocator *allocator);

/// Geometry, velocities, masses and coefficients from the problem; loads from p, and the velocities that go with them. 0: these values
/// are not those of spheres, or there was no memory for contacts that move on their own.
int spheres_begin(sphere_pile *s, const scree_problem *problem, const scree_allocator *allocator, scree_pool *pool,
                  const double *p);
void spheres_loads_to(sphere_pile *s, const scree_problem *problem, scree_pool *pool, double *p);

/// Residual of the loads (Siconos' measure) from the velocities of the bodies: no product by W.
double spheres_residual(sphere_pile *s, scree_pool *pool);
/// What it is made of: |p - proj(p - yhat)|^2, |p|^2, |y|^2, for those who have a part of a problem.
void spheres_sums(sphere_pile *s, scree_pool *pool, double total[3]);

/// One Gauss-Seidel sweep from loads and velocities extrapolated by `beta` (those of now plus beta times their last change). Coulomb
/// law: each contact is solved exactly; convex law: exactly where c = 0, else a projected step that descends.
/// Returns the sum over contacts of dp' W_cc dp.
double spheres_sweep(sphere_pile *s, double beta, scree_pool *pool);

/* For a pile on a device, spheres_device.c. */

/// Hands over what spheres_begin has filled in.
void spheres_upload(sphere_pile *s);
/// Velocities recomputed from the current reactions.
void spheres_renew(sphere_pile *s);
/// So many sweeps, without a look in between.
void spheres_sweeps(sphere_pile *s, int count, sweep_momentum *momentum);
/// Keeps the loads of now on the device. spheres_loads_kept_to writes them to p.
void spheres_keep(sphere_pile *s);
void spheres_loads_kept_to(sphere_pile *s, const scree_problem *problem, scree_pool *pool, double *p);
/// Loads of the device into s->loads.
void spheres_fetch(sphere_pile *s, int kept);
void spheres_device_sums(sphere_pile *s, double total[3]);

/// For the elastic correction: stiffness of the springs from the loads; velocities; and what lambda changes, in loads and velocities of
/// now and before alike.
void spheres_springs(const sphere_pile *s, elastic *e, scree_pool *pool);
void spheres_velocity_to(const sphere_pile *s, elastic *e, scree_pool *pool);
void spheres_yield(sphere_pile *s, const elastic *e, scree_pool *pool);

#endif
