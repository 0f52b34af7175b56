/* iterative.c: one contact by projection methods and by semismooth Newton.
 *
 *   fixed_point    p <- proj_K(p - s F(p)),  F(p) = yhat(W p + q)                                        [AB] eq. 64
 *   extragradient  z <- proj_K(p - s F(p)),  p <- proj_K(p - s F(z))                                     [AB] eq. 65
 *     Self-adaptive step (Khobotov; Acary, Bremond & Huber 2018): with r = s |F(p) - F(z)| / |p - z|, shorten s by 2/3 until
 *     r <= 0.9; lengthen it by 3/2 for the next step if r < 0.3.
 *   newton         on the natural map or the Alart-Curnier map: (A + B W) d = -F, Armijo line search on |F|^2. Where it does not
 *     arrive (its merit function has other minima), the answer is that of `exact`, and the result says so.
 *
 * All work on the contact scaled to size 1 by powers of two (form.h), so that one step fits translations and rotations. */
#include "laws/contact.h"

#include <string.h>

/// The contact scaled by powers of two; p = scale_p[i] x scaled p.
typedef struct scaled_contact {
    scree_contact c;
    int dim;
    double scale_p[SCREE_DIM_MAX];
    double step; /* 1/|W|, infinity norm: a first guess of 1/Lipschitz */
} scaled_contact;

static void scale_contact(const scree_contact *contact, scaled_contact *s)
{
    contact_scales scale = contact_find_scales(contact, &contact->cone);
    double l[SCREE_DIM_MAX], largest = 0.0;
    int dim = s->dim = cone_dim(&contact->cone);
    s->c.cone = contact->cone, s->c.law = contact->law;
    s->c.cone.coef[SCREE_FRICTION_ROLL] /= scale.length, s->c.cone.coef[SCREE_FRICTION_SPIN] /= scale.length;
    for (int i = 0; i < dim; ++i) {
        l[i] = i > contact->cone.size[SCREE_FRICTION_SLIDE] ? scale.length : 1.0;
        s->scale_p[i] = l[i] * scale.s_p;
        s->c.q[i] = contact->q[i] * (l[i] * scale.s_q);
    }
    for (int i = 0; i < dim; ++i) {
        double row = 0.0;
        for (int j = 0; j < dim; ++j) {
            s->c.W[i * dim + j] = contact->W[i * dim + j] * (scale.s_W * l[i] * l[j]);
            row += fabs(s->c.W[i * dim + j]);
        }
        largest = max2(largest, row);
    }
    s->step = largest > 0.0 ? 1.0 / largest : 1.0;
}

/// F(p) = yhat (Coulomb) or y (convex) at y = W p + q.
static void law_velocity(const scaled_contact *s, const double *p, double *F)
{
    matvec_add(s->dim, s->c.W, p, s->c.q, F);
    if (s->c.law == SCREE_LAW_COULOMB) F[0] += slip_speed(&s->c.cone, F);
}

static void project_step(const scaled_contact *s, const double *p, double step, const double *F, double *z)
{
    for (int i = 0; i < s->dim; ++i) z[i] = p[i] - step * F[i];
    cone_project(&s->c.cone, z, z);
}

static double distance(int n, const double *a, const double *b)
{
    double d = 0.0;
    for (int i = 0; i < n; ++i) d += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(d);
}

static void start(const scaled_contact *s, const double *guess, double *p)
{
    memset(p, 0, SCREE_DIM_MAX * sizeof *p);
    for (int i = 0; guess && i < s->dim; ++i) p[i] = guess[i] / s->scale_p[i];
    if (!guess && s->c.q[0] < 0.0 && s->c.W[0] > 0.0) p[0] = -s->c.q[0] / s->c.W[0];
}

/// The residual proper: of the contact as given, not as scaled.
static double residual(const scree_contact *contact, const scaled_contact *s, const double *p)
{
    double q[SCREE_DIM_MAX];
    for (int i = 0; i < s->dim; ++i) q[i] = p[i] * s->scale_p[i];
    return scree_contact_residual(contact, q);
}

static void finish(const scree_contact *contact, const scaled_contact *s, const double *p, scree_contact_result *result)
{
    memset(result->p, 0, sizeof result->p);
    for (int i = 0; i < s->dim; ++i) result->p[i] = p[i] * s->scale_p[i];
    contact_finish(contact, NULL, result);
    result->unique = scree_contact_unique(contact) ? SCREE_UNIQUE_PROVED : SCREE_UNIQUE_UNKNOWN;
}

void contact_solve_projection(const scree_contact *contact, const scree_contact_options *options, const double *guess,
                              scree_contact_result *result)
{
    const double shorten = 2.0 / 3.0, too_long = 0.9, too_short = 0.3;
    scaled_contact s;
    double p[SCREE_DIM_MAX], z[SCREE_DIM_MAX], F[SCREE_DIM_MAX], F_z[SCREE_DIM_MAX];
    scale_contact(contact, &s);
    start(&s, guess, p);
    double step = s.step;

    result->outcome = SCREE_OUTCOME_MAX_ITERATIONS;
    while (result->outcome == SCREE_OUTCOME_MAX_ITERATIONS && result->iterations < options->max_iterations) {
        result->iterations += 1;
        law_velocity(&s, p, F);
        double moved, ratio;
        for (;;) { /* z = proj_K(p - s F(p)) with s |F(p) - F(z)| <= 0.9 |p - z| */
            project_step(&s, p, step, F, z);
            law_velocity(&s, z, F_z);
            moved = distance(s.dim, p, z);
            ratio = moved > 0.0 ? step * distance(s.dim, F, F_z) / moved : 0.0;
            if (!(ratio > too_long)) break;
            step *= shorten;
        }
        if (options->method == SCREE_CONTACT_EXTRAGRADIENT) project_step(&s, p, step, F_z, p);
        else memcpy(p, z, sizeof p);
        if (ratio < too_short) step /= shorten;
        /* moved is |natural map| with this step; the residual proper is asked only when that is small */
        if (moved <= options->tolerance * max2(norm(s.dim, p), s.step * norm(s.dim, s.c.q)) || moved == 0.0)
            if (residual(contact, &s, p) <= options->tolerance) result->outcome = SCREE_OUTCOME_CONVERGED;
        if (moved == 0.0) break;
    }
    finish(contact, &s, p, result);
    result->outcome = result->residual <= options->tolerance ? SCREE_OUTCOME_CONVERGED : SCREE_OUTCOME_MAX_ITERATIONS;
}

typedef void map_fn(const scree_cone *c, scree_law law, double s, const double *p, const double *y, double *F,
                    double *A, double *B);

static double map_at(map_fn *map, const scaled_contact *s, const double *p, double *F, double *A, double *B)
{
    double y[SCREE_DIM_MAX];
    matvec_add(s->dim, s->c.W, p, s->c.q, y);
    map(&s->c.cone, s->c.law, s->step, p, y, F, A, B);
    return dot(s->dim, F, F);
}

void contact_solve_newton(const scree_contact *contact, const scree_contact_options *options, const double *guess,
                          scree_contact_result *result)
{
    map_fn *map = options->method == SCREE_CONTACT_NEWTON_NATURAL ? map_natural : map_alart_curnier;
    scaled_contact s;
    double p[SCREE_DIM_MAX], trial[SCREE_DIM_MAX], F[SCREE_DIM_MAX], A[36], B[36], J[36];
    scale_contact(contact, &s);
    start(&s, guess, p);
    int dim = s.dim, steps_max = options->max_iterations < 50 ? options->max_iterations : 50;

    double merit = map_at(map, &s, p, F, A, B);
    while (result->iterations < steps_max) {
        double size = max2(norm(dim, p), s.step * norm(dim, s.c.q));
        if (sqrt(merit) <= 0.25 * options->tolerance * size) break;
        result->iterations += 1;
        for (int i = 0; i < dim; ++i) {
            F[i] = -F[i];
            for (int j = 0; j < dim; ++j) {
                J[i * dim + j] = A[i * dim + j];
                for (int k = 0; k < dim; ++k) J[i * dim + j] += B[i * dim + k] * s.c.W[k * dim + j];
            }
        }
        if (!gauss_solve(dim, J, F)) break;
        double t = 1.0;
        int falls = 0;
        for (int halvings = 0; halvings < 14 && !falls; ++halvings, t *= 0.5) { /* along d, d(merit)/dt = -2 merit */
            double F_t[SCREE_DIM_MAX];
            for (int i = 0; i < dim; ++i) trial[i] = p[i] + t * F[i];
            falls = map_at(map, &s, trial, F_t, NULL, NULL) <= (1.0 - 2e-4 * t) * merit;
        }
        if (!falls) break;
        memcpy(p, trial, sizeof p);
        merit = map_at(map, &s, p, F, A, B);
    }
    cone_project(&s.c.cone, p, p); /* what Newton leaves outside K is rounding when it arrived */
    finish(contact, &s, p, result);
    result->outcome = SCREE_OUTCOME_CONVERGED;
    if (result->residual <= options->tolerance) return;
    int steps = result->iterations;
    contact_solve_exact(contact, guess, options->isolate, result);
    result->iterations += steps;
}
