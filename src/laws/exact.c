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
 * When the uniqueness bound does not hold, 3 to 5 are replaced by the isolation of all roots of psi, with proved slopes. A singular W
 * is solved through definite ones (solve_singular). */
#include "laws/contact.h"
#include "laws/isolate.h"
#include "laws/sphere.h"

#include <string.h>

/* ---- stick and Newton on the multipliers ------------------------------------------------------------------------ */

static int in_friction_set(const contact_form *f, const form_solution *p)
{
    for (int k = 0; k < f->m; ++k)
        if (group_norm(f->size[k], p->x + f->at[k]) > f->mu[k] * p->r) return 0;
    return p->r > 0.0 && p->r <= DBL_MAX;
}

/// p = -W^-1 q from the factor of P and the Schur complement S. n is f->n, a constant at the call.
SCREE_HD_INLINE int stick_kernel(int n, const contact_form *f, form_solution *p)
{
    double t[FORM_N];
    cholesky_forward(n, FORM_N, f->L, f->b, t);
    p->r = -(f->q_N - dot(n, f->z, t)) / f->S;
    for (int i = 0; i < n; ++i) p->x[i] = -(t[i] + f->z[i] * p->r);
    cholesky_backward(n, FORM_N, f->L, p->x, p->x);
    for (int k = 0; k < f->m; ++k) p->a[k] = 0.0;
    return in_friction_set(f, p);
}

int form_solve_stick(const contact_form *f, form_solution *p)
{
    switch (f->n) {
    case 5: return stick_kernel(5, f, p);
    case 2: return stick_kernel(2, f, p);
    default: return stick_kernel(f->n, f, p);
    }
}

/// One system (P + D, w; w', W_NN - kappa) with D = diag(a); kappa = sum mu_k^2 a_k for the convex law, else 0.
typedef struct bordered {
    double L[FORM_N * FORM_N], z[FORM_N], S;
} bordered;

SCREE_HD_INLINE int bordered_factor(int n, const contact_form *f, const double *a, double kappa, bordered *B)
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

SCREE_HD_INLINE void bordered_solve(int n, const bordered *B, const double *v, double v_N, double *x, double *r)
{
    double t[FORM_N];
    cholesky_forward(n, FORM_N, B->L, v, t);
    *r = (v_N - dot(n, B->z, t)) / B->S;
    for (int i = 0; i < n; ++i) t[i] -= B->z[i] * *r;
    cholesky_backward(n, FORM_N, B->L, t, x);
}

/// Newton on h_k = mu_k r / |x_k| - 1 over the loads on their rims. Returns steps taken, 0 if it did not arrive.
SCREE_HD_INLINE int newton_kernel(int n, const contact_form *f, scree_law law, form_solution *p)
{
    const double tol = 4e-15;
    double rhs[FORM_N], best = SCREE_INFINITY;
    for (int i = 0; i < n; ++i) rhs[i] = -f->b[i];

    for (int step = 1; step <= 25; ++step) {
        bordered B;
        double kappa = 0.0, h[3], J[9], length[3], dx[3][FORM_N], dr[3], worst = 0.0, off = 0.0;
        int id[3], active = 0;
        if (law == SCREE_LAW_CONVEX)
            for (int k = 0; k < f->m; ++k) kappa += f->mu[k] * f->mu[k] * p->a[k];
        if (!bordered_factor(n, f, p->a, kappa, &B)) return 0;
        bordered_solve(n, &B, rhs, -f->q_N, p->x, &p->r);
        if (!(p->r > 0.0)) return 0;

        for (int k = 0; k < f->m; ++k) {
            length[k] = group_norm(f->size[k], p->x + f->at[k]);
            double excess = length[k] / (f->mu[k] * p->r) - 1.0;
            if (!(p->a[k] > 0.0) && !(excess > 0.0)) continue;
            worst = max2(worst, fabs(excess)), off = max2(off, fabs(excess) * f->mu[k]);
            id[active++] = k;
        }
        /* at rounding, or as near as rounding lets it: the last step did not improve on a good one. (A small mu_k lets |x_k|/mu_k
         * be known to fewer digits; what counts then is the load itself, over r.) */
        if (worst <= tol || (off <= 1e-12 && worst >= 0.5 * best)) return step;
        best = worst;

        for (int j = 0; j < active; ++j) { /* dp/da_j = -(W + D)^-1 E_j p */
            int k = id[j];
            double v[FORM_N] = {0};
            for (int i = f->at[k]; i < f->at[k] + f->size[k]; ++i) v[i] = -p->x[i];
            bordered_solve(n, &B, v, law == SCREE_LAW_CONVEX ? f->mu[k] * f->mu[k] * p->r : 0.0, dx[j], &dr[j]);
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

/// The same for sliding alone, in scalars: P + a I = L D L' with one multiplier a. Most contacts of most problems.
static int newton_slide(const contact_form *f, scree_law law, form_solution *p)
{
    const double tol = 4e-15, mu = f->mu[0], convex = law == SCREE_LAW_CONVEX ? mu * mu : 0.0;
    const double P_1 = f->P[0], P_12 = f->P[FORM_N], P_2 = f->P[FORM_N + 1], *w = f->w, *b = f->b;
    double a = p->a[0], best = SCREE_INFINITY;
    for (int step = 1; step <= 25; ++step) {
        double d_1 = P_1 + a, over_1 = 1.0 / d_1, l = P_12 * over_1, d_2 = P_2 + a - l * P_12, over_2 = 1.0 / d_2;
        if (!(d_1 > 0.0 && d_2 > 0.0)) return 0;
        double t_2 = (w[1] - l * w[0]) * over_2, t_1 = w[0] * over_1 - l * t_2; /* t = (P + a I)^-1 w */
        double s_2 = (b[1] - l * b[0]) * over_2, s_1 = b[0] * over_1 - l * s_2; /* s = (P + a I)^-1 b */
        double S = f->W_NN - convex * a - (w[0] * t_1 + w[1] * t_2);
        if (!(fabs(S) > 1e-15 * f->W_NN)) return 0;
        double over_S = 1.0 / S, r = (w[0] * s_1 + w[1] * s_2 - f->q_N) * over_S;
        double x_1 = -(s_1 + t_1 * r), x_2 = -(s_2 + t_2 * r);
        p->r = r, p->x[0] = x_1, p->x[1] = x_2, p->a[0] = a;
        if (!(r > 0.0)) return 0;

        double length = sqrt(x_1 * x_1 + x_2 * x_2), excess = length / (mu * r) - 1.0, worst = fabs(excess);
        if (!(a > 0.0) && !(excess > 0.0)) return step;                                /* sticks */
        if (worst <= tol || (worst * mu <= 1e-12 && worst >= 0.5 * best)) return step; /* as in newton_kernel */
        best = worst;

        double u_2 = (l * x_1 - x_2) * over_2, u_1 = -x_1 * over_1 - l * u_2; /* u = -(P + a I)^-1 x */
        double dr = (convex * r - (w[0] * u_1 + w[1] * u_2)) * over_S;
        double x_dx = x_1 * (u_1 - t_1 * dr) + x_2 * (u_2 - t_2 * dr);
        double slope = mu / length * (dr - r * x_dx / (length * length)); /* of mu r / |x| */
        a += (1.0 - mu * r / length) / slope;
        if (!(a >= 0.0)) a = 0.0; /* NaN too */
    }
    return 0;
}

static int newton_any(const contact_form *f, scree_law law, form_solution *p)
{
    if (f->n == 2 && f->m == 1) return newton_slide(f, law, p);
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
            d = max2(d, f->P[at * (FORM_N + 1)]);
        }
        p->a[k] = r > 0.0 ? max2(group_norm(f->size[k], g) / (f->mu[k] * r) - d, 0.0) : 0.0;
    }
    return newton_any(f, law, p);
}

/// The same from given multipliers, to take the last digits: kept only if it arrives at the same root.
void form_polish(const contact_form *f, scree_law law, form_solution *p)
{
    form_solution q = *p;
    if (!f->singular && newton_any(f, law, &q) && fabs(q.r - p->r) <= 1e-3 * p->r) *p = q;
}

/* ---- spheres ------------------------------------------------------------------------------------------------------ */

static int solve_sphere(const contact_form *f, const sphere_form *s, form_solution *p)
{
    int steps = 0;
    p->r = -f->q_N / f->W_NN;
    if (s->spin >= 0) {
        int i = f->at[s->spin];
        double R = f->mu[s->spin] * p->r, m = -f->b[i] / s->W_SS;
        p->x[i] = min2(max2(m, -R), R);
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

/* ---- one load of one component: planar sliding ------------------------------------------------------------------- */

/// Slides towards + or -: x = +-mu r, and the velocity must oppose it. 0 if neither does.
static int solve_planar_slide(const contact_form *f, scree_law law, form_solution *p)
{
    for (int side = 0; side < 2; ++side) {
        double m = side ? -f->mu[0] : f->mu[0]; /* x = m r */
        /* Coulomb: W_NN r + w x = -q_N.  Convex: = -q_N + mu |v|, with mu |v| = -m v */
        double den = f->W_NN + m * f->w[0], num = -f->q_N;
        if (law == SCREE_LAW_CONVEX) den += m * f->w[0] + m * m * f->P[0], num -= m * f->b[0];
        double r = num / den, v = f->P[0] * m * r + f->w[0] * r + f->b[0];
        if (!(den > 0.0 && r > 0.0 && v * m <= 0.0)) continue;
        p->r = r, p->x[0] = m * r, p->a[0] = -v / p->x[0];
        return 1;
    }
    return 0;
}

/* ---- roots of psi -------------------------------------------------------------------------------------------------- */

static void solution_from_psi(const contact_form *f, double s, const friction_part *part, form_solution *p)
{
    p->r = 1.0 / s;
    for (int i = 0; i < f->n; ++i) p->x[i] = part->xi[i] * p->r;
    for (int k = 0; k < f->m; ++k) p->a[k] = part->a[k];
}

/// The single root of psi by bracketing. Returns evaluations; -1: there is none, psi stays positive (wedged, W singular).
static int solve_bracket(const contact_form *f, scree_law law, form_solution *p)
{
    friction_part part = {0};
    int evaluations = 0;
    double hi = f->q_N < 0.0 ? -f->W_NN / f->q_N : 1.0, start = hi;
    while (psi_evaluate(f, law, hi, &part, NULL) > 0.0) {
        evaluations += 1, start = hi, hi *= 4.0;
        if (evaluations > 400) return -1;
    }
    double s = psi_root(f, law, 0.0, hi, start, 0, &part, &evaluations);
    if (!(s > 1e-14 * f->W_NN)) return -1;
    solution_from_psi(f, s, &part, p);
    form_polish(f, law, p);
    return evaluations + 1;
}

/* ---- the doors -------------------------------------------------------------------------------------------------------- */

/// Loads that slip exactly on their rims, none beyond.
static void put_on_rims(const contact_form *f, form_solution *p)
{
    SCREE_UNROLL
    for (int k = 0; k < f->m; ++k) {
        double length = group_norm(f->size[k], p->x + f->at[k]), rim = f->mu[k] * p->r;
        if (!(p->a[k] > 0.0) && !(length > rim)) continue;
        double s = length > 0.0 ? rim / length : 0.0;
        SCREE_UNROLL
        for (int i = f->at[k]; i < f->at[k] + f->size[k]; ++i) p->x[i] *= s;
    }
}

void form_deliver(const scree_contact *contact, const contact_form *f, const form_solution *p,
                  scree_contact_result *result)
{
    form_solution x = *p;
    unsigned moving = 0;
    SCREE_UNROLL
    for (int k = 0; k < f->m; ++k)
        if (p->a[k] > 0.0) moving |= 1u << f->mechanism[k];
    put_on_rims(f, &x);
    form_unscale(f, cone_dim(&contact->cone), x.r, x.x, result->p);
    result->outcome = SCREE_OUTCOME_CONVERGED;
    contact_finish(contact, &moving, result);
}

void deliver_take_off(const scree_contact *contact, scree_contact_result *result)
{
    unsigned moving = 0;
    memset(result->p, 0, sizeof result->p);
    result->outcome = SCREE_OUTCOME_CONVERGED;
    contact_finish(contact, &moving, result);
}

static void start_result(scree_contact_result *result)
{
    memset(result, 0, sizeof *result);
    result->method = SCREE_CONTACT_EXACT;
    result->outcome = SCREE_OUTCOME_INFEASIBLE;
}

/// One solution with r_N > 0: the caller knows that q does not say take-off, and that there is one solution or that any will do.
/// Steps 2 to 5 of the list above. `warm` says that p->a holds multipliers to start from. Returns steps, or -1: there is none.
static int form_solve(const contact_form *f, scree_law law, const sphere_form *sphere, int warm, form_solution *p)
{
    int steps;
    if (!(f->W_NN > 0.0)) return -1;
    if (f->m == 0) {
        p->r = -f->q_N / f->W_NN;
        return 0;
    }
    if (sphere && (steps = solve_sphere(f, sphere, p)) >= 0) return steps;
    if (f->singular) return solve_bracket(f, law, p);
    form_solution guess = *p;
    if (form_solve_stick(f, p)) return 1;
    if (f->n == 1 && solve_planar_slide(f, law, p)) return 1;
    if (warm && (steps = newton_any(f, law, &guess)) > 0) {
        *p = guess;
        return steps;
    }
    if ((steps = solve_newton(f, law, p)) > 0) return steps;
    return solve_bracket(f, law, p);
}

/// The same as a result. 0 if there is none.
static int solve_single(const scree_contact *contact, const contact_form *f, int take_off, scree_contact_result *result)
{
    form_solution p;
    if (take_off) {
        deliver_take_off(contact, result);
        return 1;
    }
    result->iterations = form_solve(f, contact->law, NULL, 0, &p);
    if (result->iterations < 0) return 0;
    form_deliver(contact, f, &p, result);
    return 1;
}

void contact_prepare(const scree_contact *contact, prepared_contact *c)
{
    c->cone = contact->cone, c->law = contact->law;
    memcpy(c->W, contact->W, sizeof c->W);
    form_set_matrix(contact, &c->form);
    form_factor(&c->form);
    c->spheres = contact->law == SCREE_LAW_COULOMB && sphere_detect(&c->form, SPHERE_TOLERANCE, &c->sphere);
    c->warm = 0;
}

int contact_solve_prepared(prepared_contact *c, const double *q, double *p)
{
    int dim = cone_dim(&c->cone);
    form_solution x;
    if (form_set_velocity(&c->cone, c->law, q, &c->form)) {
        memset(p, 0, (size_t)dim * sizeof *p);
        return 1;
    }
    memcpy(x.a, c->a, sizeof x.a);
    if (form_solve(&c->form, c->law, c->spheres ? &c->sphere : NULL, c->warm, &x) < 0) return 0;
    c->warm = 0;
    for (int k = 0; k < c->form.m; ++k) c->warm |= x.a[k] > 0.0;
    memcpy(c->a, x.a, sizeof c->a);
    put_on_rims(&c->form, &x);
    form_unscale(&c->form, dim, x.r, x.x, p);
    return 1;
}

/// Solutions by isolation, take-off first if it is one. Coulomb law.
static int solve_isolated(const scree_contact *contact, const contact_form *f, int take_off, int capacity,
                          scree_contact_result *results)
{
    isolated_root roots[ROOTS_MAX];
    int count = 0, evaluations = 0, complete = 1;
    if (take_off) {
        if (count < capacity) start_result(&results[count]), deliver_take_off(contact, &results[count]);
        count += 1;
    }
    int found = f->W_NN > 0.0 ? isolate_roots(f, roots, &evaluations, &complete) : 0;
    for (int i = 0; i < found; ++i) {
        friction_part part = {0};
        form_solution p;
        memcpy(part.a, roots[i].a, sizeof part.a);
        psi_evaluate(f, SCREE_LAW_COULOMB, roots[i].s, &part, NULL);
        solution_from_psi(f, roots[i].s, &part, &p);
        form_polish(f, SCREE_LAW_COULOMB, &p);
        if (count < capacity) {
            start_result(&results[count]);
            form_deliver(contact, f, &p, &results[count]);
            results[count].iterations = evaluations;
        }
        count += 1;
    }
    if (count == 0 && capacity > 0) { /* out of evaluations, or no solution: the bracket decides */
        start_result(&results[0]);
        count = solve_single(contact, f, take_off, &results[0]);
    }
    for (int i = 0; i < count && i < capacity; ++i)
        results[i].unique = count > 1                  ? SCREE_UNIQUE_NO
                            : complete && !f->singular ? SCREE_UNIQUE_PROVED
                                                       : SCREE_UNIQUE_UNKNOWN;
    return count;
}

/// One solution, proved: the bound of form_is_unique, or psi falls for this q.
int contact_is_unique(const scree_contact *contact, const contact_form *f)
{
    double slope_min, slope_max;
    if (form_is_unique(f, contact->law)) return 1;
    if (f->singular || contact->law == SCREE_LAW_CONVEX || !(contact->q[0] < 0.0)) return 0;
    psi_slopes(f, &slope_min, &slope_max);
    return slope_max < 0.0;
}

/// Contacts of spheres, closed form: always one solution, and no factor. 0 if it is none, or gave up.
static int solve_spheres(const scree_contact *contact, const contact_form *f, int take_off,
                         scree_contact_result *result)
{
    form_solution p;
    sphere_form sphere;
    if (contact->law != SCREE_LAW_COULOMB || !(f->W_NN > 0.0) || !sphere_detect(f, SPHERE_TOLERANCE, &sphere)) return 0;
    if (take_off) deliver_take_off(contact, result);
    else if ((result->iterations = solve_sphere(f, &sphere, &p)) >= 0) form_deliver(contact, f, &p, result);
    else return 0;
    result->unique = SCREE_UNIQUE_PROVED;
    return 1;
}

/// Singular W: proximal point iteration, p <- solution for W + E, q - E p with E a small multiple of the diagonal. Each step is a
/// definite contact, solved as any other; what W does not see of p stays as it was, so the iteration converges at the rate of E
/// against the rest of W; a smaller E is tried where that is slow. Where there is no solution (a wedge: some load moves nothing and
/// q pushes it) p grows at every step by as much, and E times that is the part of the velocity that is never stopped; beside so large
/// a p the residual no longer shows it.
static void solve_singular(const scree_contact *contact, const double *guess, scree_contact_result *result)
{
    static const double sizes[] = {1e-7, 1e-10, 1e-4};
    scree_contact regular = *contact;
    int dim = cone_dim(&contact->cone);
    double p[SCREE_DIM_MAX] = {0}, best = SCREE_INFINITY, largest[2] = {0.0, 0.0}, fastest = 0.0, unstopped = 0.0;
    for (int i = 0; i < dim; ++i) { /* translations and rotations have units of their own */
        int rotation = i > contact->cone.size[SCREE_FRICTION_SLIDE];
        largest[rotation] = max2(largest[rotation], contact->W[i * dim + i]);
        fastest = max2(fastest, fabs(contact->q[i]));
        if (guess) p[i] = guess[i];
    }
    for (int k = 0; k < 3 && best > 1e-14; ++k) {
        double E[SCREE_DIM_MAX];
        int stagnant = 0;
        for (int i = 0; i < dim; ++i) {
            double size = largest[i > contact->cone.size[SCREE_FRICTION_SLIDE]];
            E[i] = sizes[k] * (size > 0.0 ? size : 1.0);
            regular.W[i * dim + i] = contact->W[i * dim + i] + E[i];
            if (best < SCREE_INFINITY) p[i] = result->p[i];
        }
        for (int step = 0; step < 60 && stagnant < 4 && best > 1e-16; ++step) {
            scree_contact_result trial;
            for (int i = 0; i < dim; ++i) regular.q[i] = contact->q[i] - E[i] * p[i];
            contact_solve_exact(&regular, p, 0, &trial);
            if (trial.outcome != SCREE_OUTCOME_CONVERGED) break;
            double grows = 0.0;
            for (int i = 0; i < dim; ++i) grows = max2(grows, E[i] * fabs(trial.p[i] - p[i]));
            memcpy(p, trial.p, sizeof p);
            double residual = scree_contact_residual(contact, p);
            stagnant = residual < 0.9 * best ? 0 : stagnant + 1;
            if (residual < best) {
                int steps = result->iterations;
                best = residual, unstopped = grows, *result = trial, result->iterations = steps;
            }
            result->iterations += 1;
        }
    }
    contact_finish(contact, NULL, result);
    result->unique = SCREE_UNIQUE_UNKNOWN;
    if (!(best <= 1e-10) || unstopped > 1e-3 * fastest) result->outcome = SCREE_OUTCOME_INFEASIBLE;
}

/// The same for sliding, rolling and spinning, every size a constant.
SCREE_FLAT int solve_full_spheres(const scree_contact *contact, scree_contact_result *result)
{
    const scree_cone c = cone_sized(&contact->cone, 2, 2, 1);
    contact_form f;
    if (!(c.coef[0] > 0.0 && c.coef[1] > 0.0 && c.coef[2] > 0.0)) return 0;
    form_set_matrix_of(contact, &c, &f);
    int take_off = form_set_velocity(&c, contact->law, contact->q, &f);
    return solve_spheres(contact, &f, take_off, result);
}

void contact_solve_exact(const scree_contact *contact, const double *guess, int isolate, scree_contact_result *result)
{
    contact_form f;
    start_result(result);
    /* of two spheres, most likely: the normal does not see the first direction of sliding */
    if (cone_is_full(&contact->cone) && fabs(contact->W[1]) <= 1e-10 * contact->W[0] &&
        solve_full_spheres(contact, result))
        return;
    form_set_matrix(contact, &f);
    int take_off = form_set_velocity(&contact->cone, contact->law, contact->q, &f);
    if (solve_spheres(contact, &f, take_off, result)) return;
    form_factor(&f);
    if (f.singular && f.W_NN > 0.0 && f.m > 0 && !(take_off && !guess)) {
        solve_singular(contact, guess, result);
        return;
    }

    int one = contact_is_unique(contact, &f) || f.m == 0 || contact->law == SCREE_LAW_CONVEX;
    if (one || !isolate || (take_off && !guess)) {
        if (solve_single(contact, &f, take_off, result))
            result->unique =
                one && !(f.singular && contact->law == SCREE_LAW_CONVEX) ? SCREE_UNIQUE_PROVED : SCREE_UNIQUE_UNKNOWN;
        return;
    }
    scree_contact_result all[ROOTS_MAX];
    int dim = cone_dim(&contact->cone), count = solve_isolated(contact, &f, take_off, ROOTS_MAX, all), nearest = 0;
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
    scree_contact_result result;
    int take_off = form_build(contact, &f);
    start_result(&result);
    if (contact->law == SCREE_LAW_COULOMB && f.m > 0 && !f.singular && !solve_spheres(contact, &f, take_off, &result) &&
        !contact_is_unique(contact, &f))
        return solve_isolated(contact, &f, take_off, capacity, results);
    if (result.outcome != SCREE_OUTCOME_CONVERGED) contact_solve_exact(contact, NULL, 1, &result);
    if (result.outcome != SCREE_OUTCOME_CONVERGED) return 0;
    if (capacity > 0) results[0] = result;
    return 1;
}
