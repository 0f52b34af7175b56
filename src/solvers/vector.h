/* vector.h: the whole problem in scaled loads, for the methods that step and project: fixed_point, extragradient, apgd, bb.
 *
 *     p = E x,   E diagonal and positive, one value e_k for the normal and for each mechanism of a contact
 *     y = W p + q,   F = E yhat   (convex law: E y)
 *     |l_k| <= mu_k r_N   becomes   |x_k| <= (mu_k e_N/e_k) x_N;      |gamma| <= S   becomes   |x| <= S/e
 *
 * So the scaled problem is a contact problem of the same kind, for both laws, and the projection stays exact. With
 * e_k = 1/(largest diagonal entry of the block of mechanism k in W_cc)^1/2 it has no units: one step fits light and heavy bodies,
 * forces and moments, where plain steps must fit the lightest. E = 1 gives the methods as the papers have them. */
#ifndef SCREE_SOLVERS_VECTOR_H
#define SCREE_SOLVERS_VECTOR_H

#include "laws/maps.h"
#include "math/dense.h"
#include "solvers/solver_private.h"

#include <string.h>

typedef struct metric {
    double *e;        /* (row_count) p = e x                          */
    scree_cone *cone; /* (contact_count) the cones of x               */
    double *bound;    /* (bound_count) the bounds of x                */
    double *product;  /* scratch of products by W                     */
} metric;

/// A point and what W and the law say there.
typedef struct iterate {
    double *x; /* (row_count) scaled loads                            */
    double *p; /* (row_count) E x                                     */
    double *y; /* (row_count) W p + q                                 */
    double *F; /* (row_count) E yhat; convex law: E y                 */
} iterate;

static inline scree_status metric_create(const scree_problem *problem, const scree_allocator *allocator, metric *m)
{
    m->e = memory_array(allocator, (size_t)problem->row_count + 1, sizeof *m->e);
    m->cone = memory_array(allocator, (size_t)problem->contact_count + 1, sizeof *m->cone);
    m->bound = memory_array(allocator, (size_t)problem->bound_count + 1, sizeof *m->bound);
    m->product = memory_raw_array(allocator, problem_work_size(problem), sizeof *m->product);
    return m->e && m->cone && m->bound && m->product ? SCREE_OK : SCREE_ERR_MEMORY;
}

static inline void metric_destroy(metric *m, const scree_allocator *allocator)
{
    memory_free(allocator, m->e);
    memory_free(allocator, m->cone);
    memory_free(allocator, m->bound);
    memory_free(allocator, m->product);
}

/// e of one contact from W_cc. A mechanism without mobility takes the scale of the normal, a contact without any takes 1.
static inline void metric_contact(const scree_cone *cone, const double *W_cc, double *e, scree_cone *scaled)
{
    int dim = cone_dim(cone);
    e[0] = W_cc[0] > 0.0 ? 1.0 / sqrt(W_cc[0]) : 1.0;
    *scaled = *cone;
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += cone->size[k++]) {
        double w = 0.0;
        for (int i = at; i < at + cone->size[k]; ++i) w = number_max(w, W_cc[i * dim + i]);
        for (int i = at; i < at + cone->size[k]; ++i) e[i] = w > 0.0 ? 1.0 / sqrt(w) : e[0];
        if (cone->size[k]) scaled->coef[k] = cone->coef[k] * (e[0] / e[at]);
    }
}

/// E from the diagonal blocks of W; with `plain`, E = 1.
static inline void metric_set(metric *m, const scree_problem *problem, int plain)
{
    for (int i = 0; i < problem->row_count; ++i) m->e[i] = 1.0;
    for (int c = 0; c < problem->contact_count; ++c) {
        m->cone[c] = problem->cone[c];
        if (plain) continue;
        metric_contact(&problem->cone[c], problem->diagonal + problem->diagonal_at[c], m->e + problem->offset[c],
                       &m->cone[c]);
    }
    for (int b = 0; b < problem->bound_count; ++b) {
        int block = problem->contact_count + b, row = problem->offset[block];
        double w = problem->diagonal[problem->diagonal_at[block]];
        if (!plain && w > 0.0) m->e[row] = 1.0 / sqrt(w);
        m->bound[b] = problem->bound[b] / m->e[row];
    }
}

/// x_out = proj(x - step F), block by block.
static inline void metric_project_step(const metric *m, const scree_problem *problem, const double *x, double step,
                                       const double *F, double *x_out)
{
    for (int i = 0; i < problem->row_count; ++i) x_out[i] = x[i] - step * F[i];
    for (int c = 0; c < problem->contact_count; ++c)
        cone_project(&m->cone[c], x_out + problem->offset[c], x_out + problem->offset[c]);
    for (int b = 0; b < problem->bound_count; ++b) {
        double *x_b = x_out + problem->offset[problem->contact_count + b], S = m->bound[b];
        *x_b = number_min(number_max(*x_b, -S), S); /* bilateral: S is infinite, nothing moves */
    }
}

/// F from y.
static inline void iterate_law(const metric *m, const scree_problem *problem, iterate *z)
{
    for (int i = 0; i < problem->row_count; ++i) z->F[i] = m->e[i] * z->y[i];
    if (problem->law == SCREE_LAW_CONVEX) return;
    for (int c = 0; c < problem->contact_count; ++c) {
        int at = problem->offset[c];
        z->F[at] += m->e[at] * slip_speed(&problem->cone[c], z->y + at);
    }
}

/// p and y from x; one product by W.
static inline void iterate_velocity(const metric *m, const scree_problem *problem, iterate *z)
{
    for (int i = 0; i < problem->row_count; ++i) z->p[i] = m->e[i] * z->x[i];
    problem_velocity(problem, z->p, z->y, m->product);
}

/// p, y and F from x; one product by W.
static inline void iterate_evaluate(const metric *m, const scree_problem *problem, iterate *z)
{
    iterate_velocity(m, problem, z);
    iterate_law(m, problem, z);
}

/// The first point: x = E^-1 p, brought into the cones.
static inline void iterate_start(const metric *m, const scree_problem *problem, const double *p, iterate *z)
{
    for (int i = 0; i < problem->row_count; ++i) z->x[i] = p[i] / m->e[i], z->F[i] = 0.0;
    metric_project_step(m, problem, z->x, 0.0, z->F, z->x);
    iterate_evaluate(m, problem, z);
}

static inline void iterate_swap(iterate *a, iterate *b)
{
    iterate t = *a;
    *a = *b, *b = t;
}

enum { ITERATES_MAX = 3 };

/// What all of these methods work on; each says what its points are.
typedef struct iterates {
    metric metric;
    iterate point[ITERATES_MAX];
} iterates;

static inline void iterates_destroy(scree_solver *s)
{
    iterates *w = s->work;
    if (!w) return;
    metric_destroy(&w->metric, &s->allocator);
    for (iterate *z = w->point; z < w->point + ITERATES_MAX; ++z)
        MEMORY_FREE_ALL(&s->allocator, z->x, z->p, z->y, z->F);
    memory_free(&s->allocator, w);
}

static inline scree_status iterates_create(scree_solver *s, const scree_problem *problem, int points)
{
    size_t rows = (size_t)problem->row_count + 1;
    iterates *w = s->work = memory_array(&s->allocator, 1, sizeof *w);
    if (!w) return SCREE_ERR_MEMORY;
    scree_status status = metric_create(problem, &s->allocator, &w->metric);
    for (iterate *z = w->point; z < w->point + points && status == SCREE_OK; ++z)
        if (!MEMORY_VECTORS(&s->allocator, rows, &z->x, &z->p, &z->y, &z->F)) status = SCREE_ERR_MEMORY;
    return status;
}

static inline double distance(int n, const double *a, const double *b)
{
    double d = 0.0;
    for (int i = 0; i < n; ++i) d += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(d);
}

#endif
