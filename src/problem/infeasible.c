/* infeasible.c: problems without a solution, and the loads that prove it.                                docs/math/infeasible.md
 *
 *     z'W = 0,   q.z < 0,   z in C        C: convex law    K at contacts;  Coulomb law    normal loads >= 0 alone;
 *                                            both laws     0 in bounded rows, anything in bilateral rows
 *
 * Every velocity y = W p + q has y.z = q.z < 0, every velocity that the law takes has y.z >= 0. In floating point z'W is small, not
 * 0, and what is proved is a bound: a solution has |E^-1 p| >= margin |E q|, E^-2 the diagonal of W. (E takes out masses and
 * lengths: |E^-1 p| = |E q| is what stops every contact by itself.)
 *
 * A guess is made sharp in x = E^-1 z: contacts that carry next to nothing are let go, loads on a rim move in its tangent plane, and
 * on this face 1/2 x'(E W E)x is brought to 0 by conjugate gradients: from x they find the nearest null vector, and need products by
 * W only. Loads that turn negative are let go, and so on; C is met by a last projection. Cost: some hundred products by W. */
#include "problem/infeasible.h"

#include "base/fail.h"
#include "base/memory.h"
#include "laws/cone.h"
#include "math/dense.h"

#include <float.h>
#include <string.h>

enum { ROUNDS = 8, RESTARTS = 3, ITERATIONS = 2000 };

static const double let_go = 1e-4; /* of the largest load: less is no part of the direction           */
static const double noise =
    1e-13; /* eigenvalues of E W E (trace: the number of rows) that are rounding                */
static const double rounding =
    16.0 * DBL_EPSILON; /* of E W'z, relative to |E^-1 z|: rows of W have some tens of entries */

typedef struct prover {
    const scree_problem *problem;
    double *e;                 /* (row_count) E                                                               */
    scree_cone *cone;          /* (contact_count) C in x: K scaled, or normals alone                          */
    double *x;                 /* (row_count) E^-1 z                                                          */
    double *rim;               /* (3 x row_count) orthonormal normals of the face at loads on rims; else 0    */
    char *held;                /* (row_count) 1: x is kept 0                                                  */
    double *r, *d, *Wd, *work; /* (row_count) of conjugate gradients                                          */
    double *dof;               /* (2 dof_count)                                                               */
} prover;

/* ---- the metric --------------------------------------------------------------------------------------------------------- */

/// E of one contact, one number for the normal and for each mechanism, from the diagonal of W_cc; 0 where nothing moves.
static void contact_metric(const scree_cone *cone, const double *W_cc, double *e)
{
    int dim = cone_dim(cone);
    e[0] = W_cc[0] > 0.0 ? 1.0 / sqrt(W_cc[0]) : 0.0;
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += cone->size[k++]) {
        double w = 0.0;
        for (int i = at; i < at + cone->size[k]; ++i) w = number_max(w, W_cc[i * dim + i]);
        for (int i = at; i < at + cone->size[k]; ++i) e[i] = w > 0.0 ? 1.0 / sqrt(w) : e[0];
    }
}

void infeasible_metric(const scree_problem *problem, double *e)
{
    double sum = 0.0;
    int moving = 0;
    for (int b = 0; b < problem->block_count; ++b) {
        const double *W = problem->diagonal + problem->diagonal_at[b];
        double *e_b = e + problem->offset[b];
        if (b < problem->contact_count) contact_metric(&problem->cone[b], W, e_b);
        else e_b[0] = W[0] > 0.0 ? 1.0 / sqrt(W[0]) : 0.0;
        if (e_b[0] > 0.0) sum += e_b[0], moving += 1;
    }
    for (int i = 0; i < problem->row_count; ++i) /* between bodies that cannot move: the scale of the others */
        if (!(e[i] > 0.0)) e[i] = moving > 0 ? sum / moving : 1.0;
}

void infeasible_cone(const scree_problem *problem, int contact, const double *e, scree_cone *scaled)
{
    const scree_cone *cone = &problem->cone[contact];
    const double *e_c = e + problem->offset[contact];
    *scaled = *cone;
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += cone->size[k++])
        if (problem->law == SCREE_LAW_COULOMB) scaled->coef[k] = 0.0;
        else if (cone->size[k]) scaled->coef[k] = cone->coef[k] * (e_c[0] / e_c[at]);
}

/* ---- products ------------------------------------------------------------------------------------------------------------ */

/// y = W'x (compliance included).
static void apply_transposed(const prover *w, const double *x, double *y)
{
    const scree_problem *p = w->problem;
    if (p->mass) { /* symmetric */
        problem_apply(p, x, y, w->dof);
        return;
    }
    if (p->W) {
        memset(y, 0, (size_t)p->row_count * sizeof *y);
        block_matrix_apply_transpose(p->W, x, y);
    } else {
        double *impulse = w->dof, *velocity = w->dof + p->dof_count;
        memset(w->dof, 0, 2 * (size_t)p->dof_count * sizeof *w->dof);
        block_matrix_apply_transpose(p->Ht, x, impulse);
        block_matrix_apply_transpose(p->inv_mass, impulse, velocity);
        block_matrix_apply(p->Ht, 0, velocity, y);
    }
    for (int i = 0; p->compliance && i < p->row_count; ++i) y[i] += p->compliance[i] * x[i];
}

/// Takes out what leaves the face: held rows, and the normals of rims.
static void to_face(const prover *w, double *x)
{
    const scree_problem *p = w->problem;
    for (int i = 0; i < p->row_count; ++i)
        if (w->held[i]) x[i] = 0.0;
    for (int k = 0; k < SCREE_FRICTION_KINDS; ++k)
        for (int c = 0; c < p->contact_count; ++c) {
            int at = p->offset[c], n = p->offset[c + 1] - at;
            const double *normal = w->rim + (size_t)k * (size_t)p->row_count + at;
            double s = dot(n, normal, x + at);
            for (int i = 0; i < n && s != 0.0; ++i) x[at + i] -= s * normal[i];
        }
}

/// y = face of E (W + W')/2 E x. For the symmetric W of mechanics that is E W E; a file may hold another.
static void apply_face(const prover *w, const double *x, double *y)
{
    const scree_problem *p = w->problem;
    for (int i = 0; i < p->row_count; ++i) w->work[i] = w->e[i] * x[i];
    apply_transposed(w, w->work, y);
    if (p->W) {
        double *other = w->work + p->row_count;
        problem_apply(p, w->work, other, w->dof);
        for (int i = 0; i < p->row_count; ++i) y[i] = 0.5 * (y[i] + other[i]);
    }
    for (int i = 0; i < p->row_count; ++i) y[i] *= w->e[i];
    to_face(w, y);
}

/* ---- the face ------------------------------------------------------------------------------------------------------------- */

static void to_cone(const prover *w)
{
    const scree_problem *p = w->problem;
    for (int c = 0; c < p->contact_count; ++c) cone_project(&w->cone[c], w->x + p->offset[c], w->x + p->offset[c]);
    for (int b = 0; b < p->bound_count; ++b)
        if (p->bound[b] <= DBL_MAX) w->x[p->offset[p->contact_count + b]] = 0.0;
}

/// The normal of the rim of mechanism k, whose load begins at l, made orthogonal to those of the mechanisms before it.
static void add_rim(const prover *w, int c, int k, int l)
{
    const scree_problem *p = w->problem;
    const scree_cone *cone = &w->cone[c];
    int at = p->offset[c], dim = p->offset[c + 1] - at;
    size_t n = (size_t)p->row_count;
    double load = group_norm(cone->size[k], w->x + l), *normal = w->rim + (size_t)k * n + at;
    normal[0] = -cone->coef[k];
    for (int j = 0; j < cone->size[k]; ++j) normal[l - at + j] = w->x[l + j] / load;
    for (int m = 0; m < k; ++m) {
        const double *other = w->rim + (size_t)m * n + at;
        double s = dot(dim, normal, other);
        for (int i = 0; i < dim; ++i) normal[i] -= s * other[i];
    }
    double length = norm(dim, normal);
    for (int i = 0; i < dim; ++i) normal[i] /= length; /* not 0: it alone has a part along its load */
}

/// The face of C on which x lies: held rows, normals of rims. Returns the number of held rows.
static int find_face(const prover *w)
{
    const scree_problem *p = w->problem;
    int count = 0;
    double largest = 0.0;
    memset(w->rim, 0, SCREE_FRICTION_KINDS * (size_t)p->row_count * sizeof *w->rim);
    for (int i = 0; i < p->row_count; ++i) largest = number_max(largest, fabs(w->x[i])), w->held[i] = 0;
    for (int c = 0; c < p->contact_count; ++c) {
        const scree_cone *cone = &w->cone[c];
        int at = p->offset[c], gone = !(w->x[at] > let_go * largest);
        for (int i = at; i < p->offset[c + 1]; ++i) w->held[i] = (char)gone;
        for (int k = 0, l = at + 1; k < SCREE_FRICTION_KINDS; l += cone->size[k++]) {
            double rim = cone->coef[k] * w->x[at];
            if (cone->coef[k] == 0.0) memset(w->held + l, 1, (size_t)cone->size[k]);
            else if (!gone && cone->size[k] && group_norm(cone->size[k], w->x + l) > (1.0 - let_go) * rim)
                add_rim(w, c, k, l);
        }
    }
    for (int b = 0; b < p->bound_count; ++b) {
        int i = p->offset[p->contact_count + b];
        w->held[i] = p->bound[b] <= DBL_MAX || !(fabs(w->x[i]) > let_go * largest);
    }
    for (int i = 0; i < p->row_count; ++i) {
        count += w->held[i];
        if (w->held[i]) w->x[i] = 0.0;
    }
    return count;
}

/// x <- the nearest null vector of W on the face.
static void find_null(const prover *w)
{
    int n = w->problem->row_count, limit = 10 * n < ITERATIONS ? 10 * n : ITERATIONS;
    for (int restart = 0; restart < RESTARTS; ++restart) {
        apply_face(w, w->x, w->r);
        for (int i = 0; i < n; ++i) w->d[i] = w->r[i] = -w->r[i];
        double rr = dot(n, w->r, w->r), end = rounding * rounding * dot(n, w->x, w->x);
        for (int k = 0; k < limit && rr > end; ++k) {
            apply_face(w, w->d, w->Wd);
            double curvature = dot(n, w->d, w->Wd);
            if (!(curvature > noise * dot(n, w->d, w->d))) break;
            double step = rr / curvature, before = rr;
            for (int i = 0; i < n; ++i) w->x[i] += step * w->d[i], w->r[i] -= step * w->Wd[i];
            rr = dot(n, w->r, w->r);
            for (int i = 0; i < n; ++i) w->d[i] = w->r[i] + rr / before * w->d[i];
        }
    }
}

/* ---- the proof ------------------------------------------------------------------------------------------------------------ */

/// x over its largest entry, where it has one.
static void normalise(int n, double *x)
{
    double largest = 0.0;
    for (int i = 0; i < n; ++i) largest = number_max(largest, fabs(x[i]));
    for (int i = 0; i < n && largest > 0.0; ++i) x[i] /= largest;
}

static void judge(const prover *w, double *z, scree_infeasibility *proof)
{
    int n = w->problem->row_count;
    double pressed = 0.0, speed = 0.0, seen = 0.0;
    memset(proof, 0, sizeof *proof);
    proof->motion = (double)INFINITY;
    normalise(n, w->x); /* without a null vector, conjugate gradients leave so little of x that squares of W'z vanish */
    double size = norm(n, w->x);
    for (int i = 0; i < n; ++i) z[i] = w->e[i] * w->x[i];
    apply_transposed(w, z, w->work);
    for (int i = 0; i < n; ++i) {
        double y = w->e[i] * w->work[i], q = w->e[i] * w->problem->q[i];
        seen += y * y, speed += q * q, pressed -= q * w->x[i];
    }
    if (!(size > 0.0 && speed > 0.0)) return;
    proof->press = pressed / (size * sqrt(speed));
    proof->motion = sqrt(seen) / size + rounding;
    proof->margin = number_max(proof->press, 0.0) / proof->motion;
    proof->proved = proof->margin >= SCREE_INFEASIBLE_MARGIN;
    normalise(n, z);
}

static int get_memory(const scree_problem *problem, const scree_allocator *a, prover *w)
{
    size_t n = (size_t)problem->row_count + 1;
    w->problem = problem;
    w->e = memory_array(a, n, sizeof *w->e);
    w->cone = memory_array(a, (size_t)problem->contact_count + 1, sizeof *w->cone);
    w->x = memory_array(a, n, sizeof *w->x);
    w->rim = memory_array(a, SCREE_FRICTION_KINDS * n, sizeof *w->rim);
    w->held = memory_array(a, n, sizeof *w->held);
    w->r = memory_array(a, n, sizeof *w->r);
    w->d = memory_array(a, n, sizeof *w->d);
    w->Wd = memory_array(a, n, sizeof *w->Wd);
    w->work = memory_array(a, 2 * n, sizeof *w->work);
    w->dof = memory_array(a, 2 * (size_t)problem->dof_count + 1, sizeof *w->dof);
    return w->e && w->cone && w->x && w->rim && w->held && w->r && w->d && w->Wd && w->work && w->dof;
}

static void free_memory(prover *w, const scree_allocator *a)
{
    void *const memory[] = {w->e, w->cone, w->x, w->rim, w->held, w->r, w->d, w->Wd, w->work, w->dof};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) memory_free(a, memory[i]);
}

scree_infeasibility scree_problem_infeasible(const scree_problem *problem, double *z, scree_error *error)
{
    scree_infeasibility proof = {.proved = 0};
    if (error_stopped(error)) return proof;
    scree_problem alias = problem_alias(problem, &problem->allocator);
    scree_status status = problem_form(&alias, PARTS_ALL);
    if (status == SCREE_OK) status = problem_infeasible(&alias, &alias.allocator, z, &proof);
    problem_alias_release(&alias);
    if (status != SCREE_OK) scree_error_set(error, NULL, 0, 0, "out of memory for %d rows", problem->row_count);
    error_keep(error, status);
    return proof;
}

scree_status problem_infeasible(const scree_problem *problem, const scree_allocator *a, double *z,
                                scree_infeasibility *proof)
{
    prover w = {.problem = NULL};
    memset(proof, 0, sizeof *proof);
    if (!get_memory(problem, a, &w)) {
        free_memory(&w, a);
        return SCREE_ERR_MEMORY;
    }
    int n = problem->row_count;
    double largest = 0.0;
    infeasible_metric(problem, w.e);
    for (int c = 0; c < problem->contact_count; ++c) infeasible_cone(problem, c, w.e, &w.cone[c]);
    for (int i = 0; i < n; ++i) {
        w.x[i] = z[i] / w.e[i];
        largest = number_max(largest, fabs(w.x[i]));
    }
    if (largest > 0.0 && largest <= DBL_MAX) {
        for (int i = 0; i < n; ++i) w.x[i] /= largest;
        to_cone(&w);
        for (int round = 0, held = -1; round < ROUNDS; ++round) {
            int before = held;
            held = find_face(&w);
            if (held == before && round > 1) break; /* the second round is for rims, which are curved */
            find_null(&w);
            to_cone(&w);
        }
        judge(&w, z, proof);
    }
    free_memory(&w, a);
    return SCREE_OK;
}
