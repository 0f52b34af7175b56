/* spheres.h: sweeps over contacts of spheres, eight at a time. Coulomb law.
 *
 * Two spheres a, b (or one and something fixed), n from a to b. With tangent loads as space vectors x = r_T and Z = n x m_R the
 * contact needs no frame, and slide and roll are coupled by a scalar (laws/sphere.h):
 *
 *     u_N = n.(v_b - v_a)                                W_NN = 1/m_a + 1/m_b
 *     u_T = P(v_b - v_a) + n x (r_b w_b + r_a w_a)       A = W_NN + r_a^2/I_a + r_b^2/I_b
 *     w_Z = n x (w_b - w_a),  w_S = n.(w_b - w_a)        B = 1/I_a + 1/I_b,   c = r_b/I_b - r_a/I_a
 *     u_T = A x + c Z + ...,  w_Z = B Z + c x + ...      P projects on the tangent plane
 *
 * Layout: a body is one cache line (v, w, 1/m, 1/I); contacts stand in batches of eight that share no body, as structure of arrays;
 * batches with c = 0 (equal spheres) apart from the others. Memory: 197 bytes per contact (batch 85,
 * loads 64, tangents 48) and 128 per body; momentum keeps the previous iterate, 64 more of each. The kernel is plain C over the lanes, compiled for several instruction sets and chosen at run time;
 * without contraction of products and sums all of them give the same bits. */
#ifndef SCREE_SOLVERS_SPHERES_H
#define SCREE_SOLVERS_SPHERES_H

#include "base/memory.h"

#include <scree/problem.h>

enum { LANES = 8, LOAD_SIZE = 8 };

typedef struct sphere_body {
    double v[3], w[3]; /* velocity v_free + M^-1 H p */
    double inv_mass, inv_inertia;
} sphere_body;

/// Loads of eight contacts: r_N, x (3), Z (3), m_S.
typedef struct sphere_loads {
    double p[LOAD_SIZE][LANES];
} sphere_loads;

typedef struct sphere_batch {
    int a[LANES], b[LANES]; /* bodies; body_count: what does not move; body_count + 1: see clear_lanes */
    int contact[LANES];     /* of the problem, -1: empty lane                                  */
    int coupled;            /* some c != 0                                                     */
    double n[3][LANES], r_a[LANES], r_b[LANES];
    double mu[SCREE_MECHANISMS][LANES];
    double extra[LANES]; /* q_N - n.(free velocity): gap/h and the like [m/s]                  */
} sphere_batch;

typedef struct sphere_pile {
    int body_count, batch_count;
    int colour_count;
    int *colour_start;      /* batches of one colour share no body (colour_count + 1)           */
    sphere_body *body;      /* (body_count + 2): then the fixed one and that of empty lanes     */
    sphere_body *body_free; /* (body_count + 2) velocities without reaction                     */
    sphere_batch *batch;
    sphere_loads *loads; /* (batch_count)                                                    */
    double *change;      /* dp' W_cc dp of each batch in the last sweep (batch_count)        */
    double *tangent;     /* t1, t2 of each contact of the problem (6 contact_count)          */
} sphere_pile;

/// 1 if every contact of the problem is one of spheres and its velocities come from v_free (apart from the normal row).
int spheres_recognise(const scree_problem *problem);

/// Builds the batches. The problem must have been recognised.
scree_status spheres_create(const scree_problem *problem, const scree_allocator *allocator, sphere_pile *s);
void spheres_destroy(sphere_pile *s, const scree_allocator *allocator);

/// Velocities, masses and coefficients from the problem; loads from p, and the velocities that go with them.
void spheres_begin(sphere_pile *s, const scree_problem *problem, const double *p);
void spheres_loads_to(const sphere_pile *s, const sphere_loads *loads, const scree_problem *problem, double *p);

/// y = W p + q from the velocities of the bodies, without a product by W: y = q + H' (v - v_free). `dv` (dof_count) is scratch.
void spheres_velocity_to(const sphere_pile *s, const scree_problem *problem, scree_pool *pool, double *dv, double *y);

/// One Gauss-Seidel sweep, each contact solved exactly. Returns the sum over contacts of dp' W_cc dp.
double spheres_sweep(sphere_pile *s, scree_pool *pool);

#endif
