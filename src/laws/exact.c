/* exact.c: one contact with any cone and either law, solved exactly.
 *
 *     (W + diag(0, a, a, b, b, c)) p = -q,  0 <= a _|_ mu r_N - |r_T| >= 0, and the same for rolling (b) and spinning (c)
 *
 * In the order in which most contacts are done:
 *   1. take-off: q_N >= 0 (Coulomb), q in K* (convex)
 *   2. two spheres, or sphere and plane: closed forms (sphere.h)
 *   3. stick: -W^-1 q in K
 *   4. Newton on the multipliers of the whole contact: quadratic, no safeguard; its answer is taken only if it satisfies every
 *      condition above to rounding
 *   5. what is left: the root of psi in a bracket (reduction.h), which cannot fail
 * When the uniqueness bound does not hold, 3 to 5 are replaced by the isolation of all roots of psi, with proved slopes. */
#include "laws/contact.h"
#include "laws/reduction.h"
#include "laws/sphere.h"

#include <string.h>

/* ---- stick and Newton on the multipliers ------------------------------------------------------------------------ */

static int in_friction_set(const contact_form *f, const form_solution *p)
{
    for (int k = 0; k < f->m; ++k)
        if (group_norm(f->size[k], p->x + f->at[k]) > f->mu[k] * p->r) return 0;
    return p->r > 0.0;
}

/// p = -W^-1 q from the factor of P and the Schur complement S.
int form_solve_stick(const contact_form *f, form_solution *p)
{
    double t[FORM_N];
    cholesky_forward(f->n, FORM_N, f->L, f->b, t);
    p->r = -(f->q_N - dot(f->n, f->z, t)) / f->S;
    for (int i = 0; i < f->n; ++i) p->x[i] = -(t[i] + f->z[i] * p->r);
    cholesky_backward(f->n, FORM_N, f->L, p->x, p->x);
    for (int k = 0; k < f->m; ++k) p->a[k] = 0.0;
    return in_friction_set(f, p);
}

/// One system (P + D, w; w', W_NN - kappa) with D = diag(a); kappa = sum mu_k^2 a_k for the convex law, else 0.
typedef struct bordered {
    int n;
    double L[FORM_N * FORM_N], z[FORM_N], S;
} bordered;

static inline __attribute__((always_inline)) int bordered_factor(int n, const contact_form *f, const double *a,
                                                                 double kappa, bordered *B)
{
    double A[FORM_N * FORM_N];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) A[i * FORM_N + j] = f->P[i * FORM_N + j];
    for (int k = 0; k < f->m; ++k)
        for (int i = f->at[k]; i < f->at[k] + f->size[k]; ++i) A[i * FORM_N + i] += a[k];
    if (!cholesky_factor(n, FORM_N, A, 0.0, B->L)) return 0;
    cholesky_forward(n, FORM_N, B->L, f->w, B->z);
    B->S = f->W_NN - kappa - dot(n, B->z, B->z);
    return fabs(B->S) > 1e-15 * f->W_NN;
}

static inline __attribute__((always_inline)) void bordered_solve(int n, const bordered *B, const double *v, double v_N,
                                                                 double *x, double *r)
{
    double t[FORM_N];
    cholesky_forward(n, FORM_N, B->L, v, t);
    *r = (v_N - dot(n, B->z, t)) / B->S;
    for (int i = 0; i < n; ++i) t[i] -= B->z[i] * *r;
    cholesky_backward(n, FORM_N, B->L, t, x);
}

/// Newton on h_k = mu_k r / |x_k| - 1 over the loads on their rims. Returns steps taken, 0 if it did not arrive.
static inline __attribute__((always_inline)) int newton_kernel(int n, const contact_form *f, scree_law law,
                                                               form_solution *p)
{
    const double tol = 4e-15;
    double rhs[FORM_N], best = SCREE_INFINITY;
    for (int i = 0; i < n; ++i) rhs[i] = -f->b[i];

    for (int step = 1; step <= 25; ++step) {
        bordered B;
        double kappa = 0.0, h[3], J[9], length[3], dx[3][FORM_N], dr[3], worst = 0.0;
        int id[3], active = 0;
        if (law == SCREE_CONVEX)
            for (int k = 0; k < f->m; ++k) kappa += f->mu[k] * f->mu[k] * p->a[k];
        if (!bordered_factor(n, f, p->a, kappa, &B)) return 0;
        bordered_solve(n, &B, rhs, -f->q_N, p->x, &p->r);
        if (!(p->r > 0.0)) return 0;

        for (int k = 0; k < f->m; ++k) {
            length[k] = group_norm(f->size[k], p->x + f->at[k]);
            double excess = length[k] / (f->mu[k] * p->r) - 1.0;
            if (!(p->a[k] > 0.0) && !(excess > 0.0)) continue;
            worst = fmax(worst, fabs(excess));
            id[active++] = k;
        }
        /* at rounding, or as near as rounding lets it: the last step did not improve on a good one */
        if (worst <= tol || (worst <= 1e-12 && worst >= 0.5 * best)) return step;
        best = worst;

        for (int j = 0; j < active; ++j) { /* dp/da_j = -(W + D)^-1 E_j p */
            int k = id[j];
            double v[FORM_N] = {0};
            for (int i = f->at[k]; i < f->at[k] + f->size[k]; ++i) v[i] = -p->x[i];
            bordered_solve(n, &B, v, law == SCREE_CONVEX ? f->mu[k] * f->mu[k] * p->r : 0.0, dx[j], &dr[j]);
        }
        for (int again = 1; again;) { /* Newton; a multiplier that would become negative leaves at 0 */
            again = 0;
            for (int i = 0; i < active; ++i) {
                int k = id[i];
                double l = length[k], mu = f->mu[k];
                h[i] = 1.0 - mu * p->r / l;
                for (int j = 0; j < active; ++j)
                    J[i * active + j] =
                        mu / l * (dr[j] - p->r * dot(f->size[k], p->x + f->at[k], dx[j] + f->at[k]) / (l * l));
            }
            if (!gauss_solve(active, J, h)) return 0;
            for (int i = 0; i < active; ++i)
                if (!(p->a[id[i]] + h[i] >= 0.0)) {
                    p->a[id[i]] = 0.0;
                    active -= 1, again = 1;
                    for (int j = i; j < active; ++j) {
                        id[j] = id[j + 1], dr[j] = dr[j + 1];
                        memcpy(dx[j], dx[j + 1], sizeof dx[j]);
                    }
                    break;
                }
        }
        for (int i = 0; i < active; ++i) p->a[id[i]] += h[i];
    }
    return 0;
}

static int newton_any(const contact_form *f, scree_law law, form_solution *p)
{
    switch (f->n) { /* constants unroll the kernel */
    case 5: return newton_kernel(5, f, law, p);
    case 4: return newton_kernel(4, f, law, p);
    case 3: return newton_kernel(3, f, law, p);
    case 2: return newton_kernel(2, f, law, p);
    default: return newton_kernel(1, f, law, p);
    }
}

/// Start: each load as if W_kk were a multiple of the identity and r what it is without friction.
static int solve_newton(const contact_form *f, scree_law law, form_solution *p)
{
    double r = -f->q_N / f->W_NN;
    for (int k = 0; k < f->m; ++k) {
        double g[2] = {0}, d = 0.0;
        for (int i = 0; i < f->size[k]; ++i) {
            int at = f->at[k] + i;
            g[i] = f->b[at] + f->w[at] * r;
            d = fmax(d, f->P[at * (FORM_N + 1)]);
        }
        p->a[k] = r > 0.0 ? fmax(group_norm(f->size[k], g) / (f->mu[k] * r) - d, 0.0) : 0.0;
    }
    return newton_any(f, law, p);
}

/// The same from given multipliers, to take the last digits: kept only if it arrives at the same root.
void form_polish(const contact_form *f, scree_law law, form_solution *p)
{
    form_solution q = *p;
    if (!f->singular && newton_any(f, law, &q) && fabs(q.r - p->r) <= 1e-5 * p->r) *p = q;
}

/* ---- spheres ------------------------------------------------------------------------------------------------------ */

static int solve_sphere(const contact_form *f, const sphere_form *s, form_solution *p)
{
    int steps = 0;
    p->r = -f->q_N / f->W_NN;
    if (s->spin >= 0) {
        int i = f->at[s->spin];
        double R = f->mu[s->spin] * p->r, m = -f->b[i] / s->W_SS;
        p->x[i] = fmin(fmax(m, -R), R);
        p->a[s->spin] = fabs(m) > R ? fabs(f->b[i]) / R - s->W_SS : 0.0;
    }
    double R1 = s->slide >= 0 ? f->mu[s->slide] * p->r : 0.0, R2 = s->roll >= 0 ? f->mu[s->roll] * p->r : 0.0;
    if (s->slide >= 0 && s->roll >= 0 && s->c != 0.0) {
        int t = f->at[s->slide], k = f->at[s->roll];
        double bZ[2] = {f->b[k + 1], -f->b[k]}, zeta[2];
        steps = sphere_slide_roll(s, R1, R2, f->b + t, bZ, p->x + t, zeta, &p->a[s->slide], &p->a[s->roll]);
        p->x[k] = -zeta[1], p->x[k + 1] = zeta[0];
        return steps;
    }
    if (s->slide >= 0) p->a[s->slide] = disk_clamp(s->A, R1, f->b + f->at[s->slide], p->x + f->at[s->slide]);
    if (s->roll >= 0) p->a[s->roll] = disk_clamp(s->B, R2, f->b + f->at[s->roll], p->x + f->at[s->roll]);
    return steps;
}

/* ---- roots of psi -------------------------------------------------------------------------------------------------- */

static void solution_from_psi(const contact_form *f, double s, const friction_part *part, form_solution *p)
{
    p->r = 1.0 / s;
    for (int i = 0; i < f->n; ++i) p->x[i] = part->xi[i] * p->r;
    for (int k = 0; k < f->m; ++k) p->a[k] = part->a[k];
}

/// Proved slopes of psi (Coulomb law): psi' = q_N - <w, B b> in the metric of P^-1 with 0 <= B <= I.
static void psi_slopes(const contact_form *f, double *slope_min, double *slope_max)
{
    double t[FORM_N];
    cholesky_forward(f->n, FORM_N, f->L, f->b, t);
    double product = dot(f->n, f->z, t), lengths = norm(f->n, f->z) * norm(f->n, t);
    *slope_min = f->q_N - 0.5 * (product + lengths);
    *slope_max = f->q_N - 0.5 * (product - lengths);
}

/// The single root of psi by bracketing. Returns evaluations; 0: there is none, psi stays positive (wedged, W singular).
static int solve_bracket(const contact_form *f, scree_law law, form_solution *p)
{
    friction_part part = {0};
    int evaluations = 0;
    double hi = f->q_N < 0.0 ? -f->W_NN / f->q_N : 1.0, start = hi;
    while (psi_evaluate(f, law, hi, &part, NULL) > 0.0) {
        evaluations += 1, start = hi, hi *= 4.0;
        if (evaluations > 400) return 0;
    }
    double s = psi_root(f, law, 0.0, hi, start, 0, &part, &evaluations);
    if (!(s > 1e-14 * f->W_NN)) return 0;
    solution_from_psi(f, s, &part, p);
    form_polish(f, law, p);
    return evaluations + 1;
}

/* ---- all roots ----------------------------------------------------------------------------------------------------- */

/* Roots are isolated by bisection with proved slopes. One variable does not serve: friction turns over a range of r_N of size
 * |b|/|w|, however large or small the root is. So s = 1/r_N is used on [0, s1], where psi = u_N/r_N has the slopes of
 * psi_slopes, and r_N on [0, 1/s1], where phi(r_N) = u_N = r_N psi(1/r_N) has slope
 *     phi' = W_NN - <w, A w> + <w, (I - A) xi>  in the metric of P^-1, 0 <= A <= I, |xi| <= M,  so
 *     S - M^2/4 <= phi' <= W_NN + |w| M. */

enum { ROOTS_MAX = 32, STACK_MAX = 256, EVALUATIONS_MAX = 4000 };
#define RESOLUTION 0x1p-12 /* relative width below which a change of sign is taken for one root */

typedef struct interval {
    double a, f_a, b, f_b;
} interval;

/// One of the two functions, with its proved slopes.
typedef struct root_search {
    const contact_form *form;
    int in_r; /* 1: phi(r_N), 0: psi(s) */
    double slope_min, slope_max;
    friction_part part;
    int evaluations;
} root_search;

static double search_evaluate(root_search *g, double v, double *slope)
{
    double d, psi;
    g->evaluations += 1;
    if (!g->in_r) return psi_evaluate(g->form, SCREE_COULOMB, v, &g->part, slope);
    psi = psi_evaluate(g->form, SCREE_COULOMB, 1.0 / v, &g->part, slope ? &d : NULL);
    if (slope) *slope = psi - d / v; /* phi = r psi(1/r) */
    return v * psi;
}

/// Can the function vanish in the interval, given its slopes? (both ends of one sign)
static int may_vanish(const root_search *g, const interval *i)
{
    double T = i->b - i->a, spread = g->slope_max - g->slope_min;
    if (!(spread > 0.0)) return 0;
    if (i->f_a > 0.0) /* the two lines that bound it from below meet at or above 0? */
        return i->f_a + g->slope_min * ((i->f_a - i->f_b + g->slope_max * T) / spread) <= 0.0;
    return i->f_a + g->slope_max * ((i->f_b - i->f_a - g->slope_min * T) / spread) >= 0.0;
}

static void append_root(const root_search *g, double v, double *roots, int *count)
{
    double s = g->in_r ? 1.0 / v : v;
    for (int k = 0; k < *count; ++k)
        if (fabs(roots[k] - s) <= 1e-9 * s) return; /* a double root may show in neighbouring pieces */
    if (*count < ROOTS_MAX) roots[(*count)++] = s;
}

/// The root in a piece whose ends differ in sign.
static void append_crossing(root_search *g, const interval *i, double *roots, int *count)
{
    double a = g->in_r ? 1.0 / i->b : i->a, b = g->in_r ? 1.0 / i->a : i->b;
    int rising = g->in_r ? i->f_a > 0.0 : i->f_b > 0.0; /* psi has the sign of phi */
    double s = psi_root(g->form, SCREE_COULOMB, a, b, 0.5 * (a + b), rising, &g->part, &g->evaluations);
    append_root(g, g->in_r ? 1.0 / s : s, roots, count);
}

/// A small piece whose ends agree in sign but which dips towards 0 inside: its bottom by golden section; a pair of roots if the
/// bottom lies beyond 0, a double root if it touches 0 to rounding.
static void append_dip(root_search *g, const interval *in, double *roots, int *count)
{
    const double golden = 0.6180339887498949, sign = in->f_a > 0.0 ? 1.0 : -1.0;
    double a = in->a, b = in->b, x1 = b - golden * (b - a), x2 = a + golden * (b - a);
    double f1 = sign * search_evaluate(g, x1, NULL), f2 = sign * search_evaluate(g, x2, NULL);
    double rounding = 4e-15 * g->form->W_NN * (g->in_r ? in->b : 1.0);
    for (int i = 0; i < 60 && b - a > 1e-10 * b && f1 > -rounding && f2 > -rounding; ++i) {
        if (f1 < f2) b = x2, x2 = x1, f2 = f1, x1 = b - golden * (b - a), f1 = sign * search_evaluate(g, x1, NULL);
        else a = x1, x1 = x2, f1 = f2, x2 = a + golden * (b - a), f2 = sign * search_evaluate(g, x2, NULL);
    }
    double bottom = f1 < f2 ? x1 : x2, value = fmin(f1, f2);
    if (value < -rounding) {
        append_crossing(g, &(interval){in->a, in->f_a, bottom, sign * value}, roots, count);
        append_crossing(g, &(interval){bottom, sign * value, in->b, in->f_b}, roots, count);
    } else if (value <= rounding) {
        append_root(g, bottom, roots, count);
    }
}

/// Appends the roots in [lo, hi] as values of s. Returns 0 if it ran out of evaluations.
static int search_roots(root_search *g, double lo, double hi, double *roots, int *count)
{
    interval stack[STACK_MAX];
    int depth = 1;
    stack[0] = (interval){lo, search_evaluate(g, lo, NULL), hi, search_evaluate(g, hi, NULL)};
    while (depth > 0 && *count < ROOTS_MAX) {
        if (g->evaluations > EVALUATIONS_MAX) return 0;
        interval i = stack[--depth];
        int crosses = (i.f_a > 0.0) != (i.f_b > 0.0);
        if (!crosses && !may_vanish(g, &i)) continue;
        double slope_a = 0.0, slope_b = 0.0, up = i.f_b > 0.0 ? 1.0 : -1.0;
        if (i.b - i.a <= RESOLUTION * i.b) { /* small: the slopes at its ends tell what is inside */
            search_evaluate(g, i.a, &slope_a), search_evaluate(g, i.b, &slope_b);
            int plain = crosses ? up * slope_a > 0.0 && up * slope_b > 0.0 : up * slope_a >= 0.0 || up * slope_b <= 0.0;
            int last = plain || !crosses || i.b - i.a <= 0x1p-30 * i.b;
            if (last && crosses) append_crossing(g, &i, roots, count);
            if (last && !crosses && !plain) append_dip(g, &i, roots, count);
            if (last) continue;
        }
        if (depth + 2 > STACK_MAX) return 0;
        double m = 0.5 * (i.a + i.b), f_m = search_evaluate(g, m, NULL);
        stack[depth++] = (interval){i.a, i.f_a, m, f_m};
        stack[depth++] = (interval){m, f_m, i.b, i.f_b};
    }
    return 1;
}

/// All roots s of psi (Coulomb law), descending, so that r_N ascends. `complete` is 0 if it ran out of evaluations.
static int isolate_roots(const contact_form *f, double *roots, int *evaluations, int *complete)
{
    double t[FORM_N], M = form_friction_size(f), Z = norm(f->n, f->z);
    int count = 0;
    cholesky_forward(f->n, FORM_N, f->L, f->b, t);
    double E = norm(f->n, t), s1 = E > 0.0 && Z > 0.0 ? Z / E : 1.0;
    *complete = 1;
    if (f->q_N >= 0.0) {
        if (!(Z * M > f->W_NN)) return 0; /* psi > 0 everywhere: |w'xi| <= Z M */
        if (f->q_N > 0.0) s1 = fmin(s1, (Z * M - f->W_NN) / f->q_N);
    }
    root_search in_s = {.form = f, .in_r = 0}, in_r = {.form = f, .in_r = 1};
    psi_slopes(f, &in_s.slope_min, &in_s.slope_max);
    in_r.slope_min = f->S - 0.25 * M * M, in_r.slope_max = f->W_NN + Z * M;
    /* r_N = 0 is take-off, not a root: with q_N = 0 start a little above it */
    double lowest_r = f->q_N != 0.0 ? fmax(fabs(f->q_N) / (f->W_NN + Z * M), 1e-300) : 1e-9 / s1;
    *complete &= search_roots(&in_r, fmin(0.999 * lowest_r, 1.0 / s1), 1.0 / s1, roots, &count);
    *complete &= search_roots(&in_s, 1e-14 * s1, s1, roots, &count);
    *evaluations = in_s.evaluations + in_r.evaluations;
    for (int i = 1; i < count; ++i) /* insertion sort, descending */
        for (int j = i; j > 0 && roots[j] > roots[j - 1]; --j) {
            double swap = roots[j];
            roots[j] = roots[j - 1], roots[j - 1] = swap;
        }
    return count;
}

/* ---- the doors -------------------------------------------------------------------------------------------------------- */

/// Writes the scaled solution into the result, loads that slip put exactly on their rims.
void form_deliver(const scree_contact *contact, const contact_form *f, const form_solution *p,
                  scree_contact_result *result)
{
    double x[FORM_N];
    unsigned moving = 0;
    for (int k = 0; k < f->m; ++k) {
        double s = 1.0, length = group_norm(f->size[k], p->x + f->at[k]);
        if (p->a[k] > 0.0) moving |= 1u << f->mechanism[k];
        if (p->a[k] > 0.0 || length > f->mu[k] * p->r) s = length > 0.0 ? f->mu[k] * p->r / length : 0.0;
        for (int i = f->at[k]; i < f->at[k] + f->size[k]; ++i) x[i] = s * p->x[i];
    }
    form_unscale(f, cone_dim(&contact->cone), p->r, x, result->p);
    result->outcome = SCREE_CONVERGED;
    contact_finish(contact, &moving, result);
}

void deliver_take_off(const scree_contact *contact, scree_contact_result *result)
{
    unsigned moving = 0;
    memset(result->p, 0, sizeof result->p);
    result->outcome = SCREE_CONVERGED;
    contact_finish(contact, &moving, result);
}

static int takes_off(const scree_contact *contact)
{
    double needed = contact->law == SCREE_CONVEX ? slip_speed(&contact->cone, contact->q) : 0.0;
    return contact->q[0] >= needed;
}

static void start_result(scree_contact_result *result)
{
    memset(result, 0, sizeof *result);
    result->method = SCREE_EXACT;
    result->outcome = SCREE_INFEASIBLE;
}

/// The one solution: the caller knows that there is at most one, or that any will do. 0 if there is none.
static int solve_single(const scree_contact *contact, const contact_form *f, scree_contact_result *result)
{
    form_solution p;
    sphere_form sphere;
    int steps;
    if (takes_off(contact)) {
        deliver_take_off(contact, result);
        return 1;
    }
    if (!(f->W_NN > 0.0)) return 0;
    if (f->m == 0) {
        p.r = -f->q_N / f->W_NN, steps = 0;
    } else if (contact->law == SCREE_COULOMB && sphere_detect(f, SPHERE_TOLERANCE, &sphere) &&
               (steps = solve_sphere(f, &sphere, &p)) >= 0) {
        /* closed form */
    } else if (!f->singular && form_solve_stick(f, &p)) {
        steps = 1;
    } else if (!f->singular && (steps = solve_newton(f, contact->law, &p)) > 0) {
        /* every condition holds to rounding */
    } else if ((steps = solve_bracket(f, contact->law, &p)) == 0) {
        return 0;
    }
    result->iterations = steps;
    form_deliver(contact, f, &p, result);
    return 1;
}

/// Solutions by isolation, take-off first if it is one. Coulomb law.
static int solve_isolated(const scree_contact *contact, const contact_form *f, int capacity,
                          scree_contact_result *results)
{
    double roots[ROOTS_MAX];
    int count = 0, evaluations = 0, complete = 1;
    if (takes_off(contact)) {
        if (count < capacity) start_result(&results[count]), deliver_take_off(contact, &results[count]);
        count += 1;
    }
    int found = f->W_NN > 0.0 ? isolate_roots(f, roots, &evaluations, &complete) : 0;
    for (int i = 0; i < found; ++i) {
        friction_part part = {0};
        form_solution p;
        psi_evaluate(f, SCREE_COULOMB, roots[i], &part, NULL);
        solution_from_psi(f, roots[i], &part, &p);
        form_polish(f, SCREE_COULOMB, &p);
        if (count < capacity) {
            start_result(&results[count]);
            form_deliver(contact, f, &p, &results[count]);
            results[count].iterations = evaluations;
        }
        count += 1;
    }
    if (count == 0 && capacity > 0) { /* out of evaluations, or no solution: the bracket decides */
        start_result(&results[0]);
        count = solve_single(contact, f, &results[0]);
    }
    for (int i = 0; i < count && i < capacity; ++i)
        results[i].unique = count > 1                  ? SCREE_UNIQUE_NO
                            : complete && !f->singular ? SCREE_UNIQUE_PROVED
                                                       : SCREE_UNIQUE_UNKNOWN;
    return count;
}

/// One solution, proved: the bound of form_is_unique, two spheres, or psi falls for this q.
int contact_is_unique(const scree_contact *contact, const contact_form *f)
{
    double slope_min, slope_max;
    sphere_form sphere;
    if (form_is_unique(f, contact->law)) return 1;
    if (contact->law == SCREE_COULOMB && sphere_detect(f, SPHERE_TOLERANCE, &sphere)) return 1;
    if (f->singular || contact->law == SCREE_CONVEX || !(contact->q[0] < 0.0)) return 0;
    psi_slopes(f, &slope_min, &slope_max);
    return slope_max < 0.0;
}

void contact_solve_exact(const scree_contact *contact, const double *guess, int isolate, scree_contact_result *result)
{
    contact_form f;
    form_build(contact, &f);
    start_result(result);

    int one = contact_is_unique(contact, &f) || f.m == 0 || contact->law == SCREE_CONVEX;
    if (one || !isolate || (takes_off(contact) && !guess)) {
        if (solve_single(contact, &f, result))
            result->unique =
                one && !(f.singular && contact->law == SCREE_CONVEX) ? SCREE_UNIQUE_PROVED : SCREE_UNIQUE_UNKNOWN;
        return;
    }
    scree_contact_result all[ROOTS_MAX];
    int dim = cone_dim(&contact->cone), count = solve_isolated(contact, &f, ROOTS_MAX, all), nearest = 0;
    if (count == 0) return;
    for (int i = 0; guess && i < count; ++i) {
        double d[2] = {0.0, 0.0};
        for (int j = 0; j < dim; ++j) {
            d[0] += (all[i].p[j] - guess[j]) * (all[i].p[j] - guess[j]);
            d[1] += (all[nearest].p[j] - guess[j]) * (all[nearest].p[j] - guess[j]);
        }
        if (d[0] < d[1]) nearest = i;
    }
    *result = all[nearest];
}

int contact_solve_exact_all(const scree_contact *contact, int capacity, scree_contact_result *results)
{
    contact_form f;
    form_build(contact, &f);
    if (contact->law == SCREE_COULOMB && f.m > 0 && !contact_is_unique(contact, &f))
        return solve_isolated(contact, &f, capacity, results);
    scree_contact_result result;
    contact_solve_exact(contact, NULL, 1, &result);
    if (result.outcome != SCREE_CONVERGED) return 0;
    if (capacity > 0) results[0] = result;
    return 1;
}
