/* rigid.h: velocities and impulses of rigid contacts from their vectors, without blocks of H'. About 40 flops and 104 bytes a contact,
 * where two blocks of six rows are 144 flops and 576 bytes. */
#ifndef SCREE_PROBLEM_RIGID_H
#define SCREE_PROBLEM_RIGID_H

#include "math/vec.h"

#include "problem/problem_private.h"

enum { RIGID_DOF = 6 };

/// u += sign (v + omega x arm), w += sign omega, of one body.
SCREE_HD void rigid_add_velocity(double sign, const double *v, const double *omega, const double *arm, double *u,
                                 double *w)
{
    double turn[3];
    vec_cross(omega, arm, turn);
    for (int i = 0; i < 3; ++i) u[i] += sign * (v[i] + turn[i]), w[i] += sign * omega[i];
}

/// Velocity and rate of turning of B relative to A at the contact, both in the world frame. `v` (6 per body).
SCREE_HD void rigid_relative_velocity(const scree_rigid_contact *c, const double *v, double *u, double *w)
{
    for (int i = 0; i < 3; ++i) u[i] = w[i] = 0.0;
    if (c->body_a >= 0) {
        const double *a = v + (size_t)RIGID_DOF * (size_t)c->body_a;
        rigid_add_velocity(-1.0, a, a + 3, c->arm_a, u, w);
    }
    if (c->body_b >= 0) {
        const double *b = v + (size_t)RIGID_DOF * (size_t)c->body_b;
        rigid_add_velocity(1.0, b, b + 3, c->arm_b, u, w);
    }
}

/// y (rows of the contact) += (n.u, t1.u, t2.u, t1.w, t2.w, n.w), as many as the cone has.
SCREE_HD void rigid_add_rows(const scree_rigid_contact *c, const scree_cone *cone, const double *u, const double *w,
                             double *y)
{
    double t2[3];
    vec_cross(c->normal, c->tangent, t2);
    *y++ += vec_dot(c->normal, u);
    if (cone->size[SCREE_FRICTION_SLIDE] > 0) *y++ += vec_dot(c->tangent, u);
    if (cone->size[SCREE_FRICTION_SLIDE] > 1) *y++ += vec_dot(t2, u);
    if (cone->size[SCREE_FRICTION_ROLL] > 1) *y++ += vec_dot(c->tangent, w);
    if (cone->size[SCREE_FRICTION_ROLL] > 0) *y++ += vec_dot(t2, w); /* planar: about the normal of the plane */
    if (cone->size[SCREE_FRICTION_SPIN] > 0) *y += vec_dot(c->normal, w);
}

/// Impulse and moment on B of the load p, in the world frame: the transpose of rigid_add_rows.
SCREE_HD void rigid_impulse(const scree_rigid_contact *c, const scree_cone *cone, const double *p, double *r, double *m)
{
    double t2[3];
    vec_cross(c->normal, c->tangent, t2);
    for (int i = 0; i < 3; ++i) r[i] = *p * c->normal[i], m[i] = 0.0;
    ++p;
    if (cone->size[SCREE_FRICTION_SLIDE] > 0) vec_add_scaled(r, *p++, c->tangent, r);
    if (cone->size[SCREE_FRICTION_SLIDE] > 1) vec_add_scaled(r, *p++, t2, r);
    if (cone->size[SCREE_FRICTION_ROLL] > 1) vec_add_scaled(m, *p++, c->tangent, m);
    if (cone->size[SCREE_FRICTION_ROLL] > 0) vec_add_scaled(m, *p++, t2, m);
    if (cone->size[SCREE_FRICTION_SPIN] > 0) vec_add_scaled(m, *p, c->normal, m);
}

/// y += H' v.
void rigid_apply(const scree_problem *problem, const double *v, double *y);
/// impulse (dof_count) += H p.
void rigid_apply_transpose(const scree_problem *problem, const double *p, double *impulse);
/// v = M^-1 impulse (v += with `add`); without, the two may be the same.
void rigid_apply_inv_mass(const scree_problem *problem, int add, const double *impulse, double *v);

/// Velocity of a bounded row; and its impulses, the transpose.
SCREE_HD double rigid_row_velocity(const scree_rigid_row *r, const double *v)
{
    double y = 0.0;
    const double *v_a = v + (size_t)RIGID_DOF * (size_t)(r->body_a < 0 ? 0 : r->body_a);
    const double *v_b = v + (size_t)RIGID_DOF * (size_t)(r->body_b < 0 ? 0 : r->body_b);
    for (int i = 0; r->body_a >= 0 && i < RIGID_DOF; ++i) y += r->a[i] * v_a[i];
    for (int i = 0; r->body_b >= 0 && i < RIGID_DOF; ++i) y += r->b[i] * v_b[i];
    return y;
}

/// The bodies of block `block` of the problem: A (is_b 0) or B; -1: one that the problem does not move.
static inline int rigid_body_of(const scree_problem *p, int block, int is_b)
{
    if (block >= p->contact_count) {
        const scree_rigid_row *r = &p->rigid_row[block - p->contact_count];
        return is_b ? r->body_b : r->body_a;
    }
    return is_b ? p->rigid[block].body_b : p->rigid[block].body_a;
}

/// The block of H' of body A or B of block `index` of the problem (its rows x 6).
void rigid_block(const scree_problem *problem, int index, int is_b, double *block);
/// M^-1 of one body (6 x 6).
void rigid_inv_mass_block(const scree_rigid_mass *mass, double *N);

#endif
