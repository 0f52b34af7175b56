/* verify_contact.c: rows of `scree verify` that need one contact only: what it must do, from theory, beside what scree computes.
 *
 * The theory of a row is a closed form worked out in the row's own function, from the data and not from a solver. Where the
 * claim is a property (Moreau's conditions, no power), theory is 0 and scree is the worst violation found.
 * To add a row: a function that returns a finding, and one line in the table at the end. */
#include "checks/verify.h"
#include "cli/random.h"

#include <float.h>
#include <math.h>
#include <scree/laws.h>
#include <stdint.h>
#include <string.h>

static const double degree = 0.017453292519943295;

/// The larger one, or NaN if one is: fmax would forget it, and the check would pass.
static double larger(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}

static scree_contact_result solve(const scree_contact *c, scree_contact_method method)
{
    scree_contact_options options = scree_contact_options_default();
    options.method = method;
    scree_contact_result r = scree_contact_solve(c, &options, NULL);
    if (r.outcome != SCREE_OUTCOME_CONVERGED)
        for (int i = 0; i < SCREE_DIM_MAX; ++i) r.p[i] = r.y[i] = NAN; /* no check can pass */
    return r;
}

/* ---- the example of Bonnefon & Daviet --------------------------------------------------------------------------- */

static const scree_contact printed_contact = {
    .cone = {{2, 0, 0}, {0.6, 0.0, 0.0}},
    .law = SCREE_LAW_COULOMB,
    .W = {0.01344, -9.421e-07, 0.001486, -9.421e-07, 0.1061, 0.0001733, 0.001486, 0.0001733, 0.001442},
    .q = {-0.1458, -0.2484, -0.1515}};

/// As printed: 10.2059, 1.93189, 5.8108. The error is that of the worst component, in halves of its last digit.
static finding printed_reaction(int method)
{
    static const double R[3] = {10.2059, 1.93189, 5.8108}, half[3] = {5e-5, 5e-6, 5e-5};
    scree_contact_result r = solve(&printed_contact, (scree_contact_method)method);
    double worst = 0.0;
    for (int i = 0; i < 3; ++i) worst = larger(worst, fabs(r.p[i] - R[i]) / half[i]);
    return (finding){R[0],
                     r.p[0],
                     worst,
                     1.0,
                     "the digits printed: error in halves of the last one, worst of three",
                     "[BD] section 5: R"};
}

static finding printed_residual(int method)
{
    scree_contact_result r = solve(&printed_contact, (scree_contact_method)method);
    finding f = finding_of(0.0, scree_contact_residual(&printed_contact, r.p), 1e-12,
                           "rounding; the paper reached it with t, and 1e-8 with alpha");
    return finding_from("[BD] section 5, last paragraph: precision", f);
}

/// The polynomials as printed, at scree's solution: their value over the sum of their terms is what the printed digits leave.
static finding printed_polynomial(int in_alpha)
{
    static const double alphas[5] = {3.70595e-5, 7.43684e-4, -7.13689e-2, -1.62238, -7.65275};
    static const double ts[5] = {1.349783e-1, 8.851747e-1, -6.600166e-2, -1.879711, -1.349578e-1};
    scree_contact_result r = solve(&printed_contact, SCREE_CONTACT_EXACT);
    const double *W = printed_contact.W, *a = in_alpha ? alphas : ts;
    double rr = r.p[1] * r.p[1] + r.p[2] * r.p[2], ur = r.y[1] * r.p[1] + r.y[2] * r.p[2];
    double turned = 0.5 * atan2(2.0 * W[5], W[4] - W[8]); /* section 3 diagonalises the tangential block first */
    double x = in_alpha ? -ur / rr : tan(0.5 * (atan2(r.p[2], r.p[1]) - turned));
    double sum = 0.0, terms = 0.0, power = 1.0;
    for (int k = 0; k < 5; ++k, power *= x) sum += a[k] * power, terms += fabs(a[k] * power);
    finding f = finding_of(0.0, fabs(sum) / terms, in_alpha ? 5e-6 : 5e-7,
                           in_alpha ? "six digits printed" : "seven digits printed");
    return finding_from(in_alpha ? "[BD] section 5: P(alpha) at its root" : "[BD] section 5: P(t) at its root", f);
}

/// What one rounding (half an epsilon) of every coefficient of the printed P(alpha) does to the residual: relative condition of its root,
/// sum |a_k x^k| / |x P'(x)|, times what a change of alpha does to the solution of (W + diag(0, alpha, alpha)) R = -q. [BD] put 1e-8
/// down to the polynomial in alpha being worse conditioned.
static finding conditioned_in_alpha(int unused)
{
    static const double a[5] = {3.70595e-5, 7.43684e-4, -7.13689e-2, -1.62238, -7.65275}, change = 1e-6;
    scree_contact c = printed_contact;
    scree_contact_result r = solve(&c, SCREE_CONTACT_EXACT);
    double rr = r.p[1] * r.p[1] + r.p[2] * r.p[2], x = -(r.y[1] * r.p[1] + r.y[2] * r.p[2]) / rr;
    double terms = 0.0, slope = 0.0, power = 1.0;
    (void)unused;
    for (int k = 0; k < 5; ++k, power *= x) terms += fabs(a[k] * power), slope += k * a[k] * power;
    double changed = x * (1.0 + change), A = c.W[4] + changed, B = c.W[5], C = c.W[8] + changed, det = A * C - B * B;
    /* R_T = s + t R_N from the tangential rows, then R_N from the normal one */
    double s[2] = {(B * c.q[2] - C * c.q[1]) / det, (B * c.q[1] - A * c.q[2]) / det};
    double t[2] = {(B * c.W[2] - C * c.W[1]) / det, (B * c.W[1] - A * c.W[2]) / det}, p[3];
    p[0] = -(c.q[0] + c.W[1] * s[0] + c.W[2] * s[1]) / (c.W[0] + c.W[1] * t[0] + c.W[2] * t[1]);
    p[1] = s[0] + t[0] * p[0], p[2] = s[1] + t[1] * p[0];
    double found = scree_contact_residual(&c, p) / change * (terms / fabs(slope)) * 0.5 * DBL_EPSILON;
    return (finding){1e-8,
                     found,
                     fabs(log10(found / 1e-8)),
                     1.0,
                     "decades; 1e-8 is printed as a power of ten",
                     "[BD] section 5, last paragraph: error with alpha"};
}

/* ---- projection ------------------------------------------------------------------------------------------------- */

/// Moreau: p = proj_K(x) exactly if p in K, p - x in K*, p . (p - x) = 0. Relative to |x|, in units of DBL_EPSILON.
static finding projection_moreau(int points)
{
    uint64_t g = 1;
    double worst = 0.0;
    for (int i = 0; i < points; ++i) {
        scree_cone c = scree_cone_slide_roll_spin(random_log_uniform(&g, 1e-3, 3), random_log_uniform(&g, 1e-3, 3),
                                                  random_log_uniform(&g, 1e-3, 3));
        double x[6], p[6], d[6], xx = 0.0, pd = 0.0, dual = 0.0, coefs = 1.0;
        for (int k = 0; k < 6; ++k) x[k] = random_uniform(&g, -1.0, 1.0), xx += x[k] * x[k];
        scree_cone_project(&c, x, p);
        for (int k = 0; k < 6; ++k) d[k] = p[k] - x[k], pd += p[k] * d[k];
        for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += c.size[k++]) {
            int two = c.size[k] == 2;
            double load = two ? hypot(p[at], p[at + 1]) : fabs(p[at]), v = two ? hypot(d[at], d[at + 1]) : fabs(d[at]);
            worst = larger(worst, (load - c.coef[k] * p[0]) / sqrt(xx));
            dual += c.coef[k] * v, coefs += c.coef[k];
        }
        worst = larger(worst, larger((dual - d[0]) / (coefs * sqrt(xx)), larger(-p[0] / sqrt(xx), fabs(pd) / xx)));
    }
    return finding_of(0.0, worst / DBL_EPSILON, 8.0, "some ten roundings of half an epsilon, not all the same way");
}

/* ---- one sphere on a plane -------------------------------------------------------------------------------------- */

/// A ball on the plane x_n = 0. Vectors are (n, t1, t2), t1 down the slope. The contact point is -R n from the centre, so
///     u = v + omega x (-R n) = (v_n, v_1 - R w_2, v_2 + R w_1).
typedef struct ball {
    double R, m, I;
    scree_cone cone;
    double g[3];          /* gravity [m/s^2]                        */
    double x, v[3], w[3]; /* way along t1 [m], velocity, rotation  */
    double h;
    scree_contact_result last;
} ball;

static ball ball_make(double R, double m, double mu, double rho, double sigma, double gravity, double slope, double h)
{
    return (ball){.R = R,
                  .m = m,
                  .I = 0.4 * m * R * R,
                  .cone = scree_cone_slide_roll_spin(mu, rho, sigma),
                  .g = {-gravity * cos(slope), gravity * sin(slope), 0.0},
                  .h = h};
}

/// One step of Moreau-Jean, theta = 1/2: gravity, contact impulse, then the way with the mean velocity. The ball's six velocities follow
/// from the six that the contact's solver returns, as they are: what sticks keeps the rounding that the solver leaves.
static void ball_step(ball *b)
{
    double R = b->R, before = b->v[1], v[3];
    for (int i = 0; i < 3; ++i) v[i] = b->v[i] + b->h * b->g[i];
    scree_contact c = {.cone = b->cone, .q = {v[0], v[1] - R * b->w[2], v[2] + R * b->w[1], b->w[1], b->w[2], b->w[0]}};
    double a = 1.0 / b->m, t = a + R * R / b->I, i = 1.0 / b->I;
    c.W[0] = a, c.W[7] = c.W[14] = t, c.W[21] = c.W[28] = c.W[35] = i;
    c.W[10] = c.W[25] = -R * i, c.W[15] = c.W[20] = R * i;
    b->last = solve(&c, SCREE_CONTACT_EXACT);

    const double *y = b->last.y;
    b->w[0] = y[5], b->w[1] = y[3], b->w[2] = y[4];
    b->v[0] = y[0], b->v[1] = y[1] + R * y[4], b->v[2] = y[2] - R * y[3];
    b->x += 0.5 * b->h * (before + b->v[1]);
}

/// Below this a velocity is rounding [m/s, 1/s]: six orders above what a step leaves, six below what one step of friction takes away.
#define STILL 1e-11

static int slides(const ball *b)
{
    return b->last.mode > 0 && ((b->last.mode - 1) & 1);
}
static int rolls(const ball *b)
{
    return b->last.mode > 0 && ((b->last.mode - 1) & 2);
}
static int moves(const ball *b)
{
    return fabs(b->v[1]) > STILL || fabs(b->w[2]) > STILL || fabs(b->w[0]) > STILL;
}

/// [AB] 6.1: R 0.5 m, density 2500, thrown at 2.5 m/s.
static const double ab_U = 2.5, ab_R = 0.5, ab_rho = 0.04, ab_g = 9.81, ab_h = 1e-4;

static ball ab_ball(double mu, double Omega)
{
    ball b =
        ball_make(ab_R, 2500.0 * 4.0 / 3.0 * 3.141592653589793 * ab_R * ab_R * ab_R, mu, ab_rho, 0.0, ab_g, 0.0, ab_h);
    b.v[1] = ab_U, b.w[2] = Omega;
    return b;
}

static ball run_until(ball b, double time)
{
    for (int n = (int)(time / b.h + 0.5); n > 0; --n) ball_step(&b);
    return b;
}

/// Runs to rest, at most `limit` seconds; returns the time of rest, or the limit.
static double run_to_rest(ball *b, double limit)
{
    double n = 0.0;
    while (moves(b) && n * b->h < limit) ball_step(b), n += 1.0;
    return n * b->h;
}

/* A constant force gives the exact parabola at theta = 1/2; what is left is rounding, about a hundred thousand steps of it. */
#define PARABOLA 1e-10
/* The last step, in which the ball stops, is cut at its end, not at rest: h^2 |U'|/8 of way, below 1e-8 m. */
#define LAST_STEP 1e-8

/// Pure rolling against rho: m U' = -f, I w' = f R - rho N, U = R w, so U' = -(5/7)(rho/R) g.
static double rolling_deceleration(void)
{
    return 5.0 / 7.0 * ab_rho / ab_R * ab_g;
}

static finding ab_a_deceleration(int unused)
{
    (void)unused;
    ball b = run_until(ab_ball(0.2, 5.0), 1.0);
    return finding_of(rolling_deceleration(), (ab_U - b.v[1]) / 1.0, PARABOLA,
                      "a constant force gives the exact parabola: rounding in 100,000 steps");
}

static finding ab_a_distance(int unused)
{
    (void)unused;
    ball b = ab_ball(0.2, 5.0);
    run_to_rest(&b, 10.0);
    return finding_of(ab_U * ab_U / (2.0 * rolling_deceleration()), b.x, LAST_STEP,
                      "the distance of the last step, |a| h^2/8");
}

static finding ab_a_slip(int unused)
{
    (void)unused;
    ball b = ab_ball(0.2, 5.0);
    double steps = 0.0;
    for (int n = 0; n < 100000 && moves(&b); ++n) ball_step(&b), steps += slides(&b);
    return finding_of(0.0, steps, 0.0, "a count");
}

/// Sliding: U' = -mu g, I w' = (mu R - rho) N, until U = R w.
static double ab_b_slip_time(double mu)
{
    return (ab_U - ab_R * 2.5) / (mu * ab_g + ab_g * (mu * ab_R - ab_rho) / (0.4 * ab_R));
}

static ball ab_b_first_grip(double *time)
{
    ball b = ab_ball(0.2, 2.5);
    double n = 0.0;
    do ball_step(&b), n += 1.0;
    while (slides(&b) && n < 1e5);
    *time = n * b.h;
    return b;
}

static finding ab_b_slip_ends(int unused)
{
    (void)unused;
    double t, theory = ab_b_slip_time(0.2);
    ab_b_first_grip(&t);
    return finding_of(theory, t, ab_h / theory, "an event is seen at the end of its step");
}

static finding ab_b_force(int gripped)
{
    double t;
    ball b = gripped ? ab_b_first_grip(&t) : run_until(ab_ball(0.2, 2.5), 0.01);
    if (gripped) ball_step(&b); /* the step in which slip ends has something of both */
    return finding_of(gripped ? 5.0 / 7.0 * ab_rho / ab_R : 0.2, -b.last.p[1] / b.last.p[0], PARABOLA,
                      "a constant force gives the exact parabola: rounding in 100,000 steps");
}

static finding ab_b_distance(int unused)
{
    (void)unused;
    ball b = ab_ball(0.2, 2.5);
    run_to_rest(&b, 10.0);
    double t = ab_b_slip_time(0.2), U = ab_U - 0.2 * ab_g * t;
    double theory = ab_U * t - 0.5 * 0.2 * ab_g * t * t + U * U / (2.0 * rolling_deceleration());
    return finding_of(theory, b.x, ab_h * 0.2 * ab_g / U,
                      "the end of slip is rounded to a step, in which U changes by mu g h");
}

static finding ab_c_deceleration(int unused)
{
    (void)unused;
    ball b = run_until(ab_ball(0.05, 5.0), 1.0);
    return finding_of(0.05 * ab_g, (ab_U - b.v[1]) / 1.0, PARABOLA,
                      "a constant force gives the exact parabola: rounding in 100,000 steps");
}

static finding ab_c_rotation_ends(int unused)
{
    (void)unused;
    ball b = ab_ball(0.05, 5.0);
    double n = 0.0, theory = 5.0 * 0.4 * ab_R * ab_R / (ab_g * (ab_rho - 0.05 * ab_R)); /* I w' = (mu R - rho) N */
    while (fabs(b.w[2]) > STILL && n < 1e5) ball_step(&b), n += 1.0;
    return finding_of(theory, n * b.h, ab_h / theory, "an event is seen at the end of its step");
}

static finding ab_c_moment(int stopped)
{
    ball b = run_until(ab_ball(0.05, 5.0), stopped ? 4.0 : 1.0);
    return finding_of(stopped ? 0.05 * ab_R : ab_rho, fabs(b.last.p[4]) / b.last.p[0], PARABOLA,
                      "a constant force gives the exact parabola: rounding in 100,000 steps");
}

static finding ab_c_distance(int unused)
{
    (void)unused;
    ball b = ab_ball(0.05, 5.0);
    run_to_rest(&b, 10.0);
    return finding_of(ab_U * ab_U / (2.0 * 0.05 * ab_g), b.x, LAST_STEP, "the distance of the last step, |a| h^2/8");
}

/// [TA] 6.1, in the plane: u_T = v + R w, so v 1, w -1 rolls. (J + M R^2) w' = rho M g.
static finding disk(int distance)
{
    const double R = 1.0, M = 10.0, J = 4.0, rho = 0.02, g = 9.8, h = 1e-3;
    double v = 1.0, w = -1.0, x = 0.0, n = 0.0, decay = M * g * rho / (J + M * R * R);
    for (; fabs(w) > STILL && n < 1e5; n += 1.0) {
        scree_contact c = {.cone = scree_cone_planar_roll(0.9, rho),
                           .W = {1.0 / M, 0.0, 0.0, 0.0, 1.0 / M + R * R / J, R / J, 0.0, R / J, 1.0 / J},
                           .q = {-h * g, v + R * w, w}};
        scree_contact_result r = solve(&c, SCREE_CONTACT_EXACT);
        if (r.mode < SCREE_MODE_STICK) break;
        double before = v;
        w = r.y[2], v = r.y[1] - R * w;
        x += 0.5 * h * (before + v);
    }
    if (distance)
        return finding_of(1.0 / (2.0 * R * decay), x, h * h * decay * decay / 4.0,
                          "the distance of the last step, |a| h^2/8");
    return finding_of(1.0 / decay, n * h, h * decay, "an event is seen at the end of its step");
}

/// I w' = -sigma N.
static finding spin_down(int to_rest)
{
    const double h = 1e-4, rate = 0.02 * 9.8 / (0.4 * 0.2 * 0.2);
    ball b = ball_make(0.2, 5.0, 0.3, 0.01, 0.02, 9.8, 0.0, h);
    b.w[0] = 20.0;
    if (to_rest)
        return finding_of(20.0 / rate, run_to_rest(&b, 5.0), h * rate / 20.0,
                          "an event is seen at the end of its step");
    return finding_of(rate, 20.0 - run_until(b, 1.0).w[0], PARABOLA,
                      "a constant force gives the exact parabola: rounding in 100,000 steps");
}

/* ---- inclines --------------------------------------------------------------------------------------------------- */

/// The largest angle in degrees for which `holds`, by bisection down to neighbouring numbers.
static double largest_angle(int (*holds)(double angle))
{
    double lo = 0.0, hi = 1.5;
    for (int i = 0; i < 200; ++i) {
        double mid = 0.5 * (lo + hi);
        if (holds(mid)) lo = mid;
        else hi = mid;
    }
    return lo / degree;
}

/* Angles come from one comparison of two products: a few roundings. */
#define ANGLE 1e-14

static int block_sticks(double angle)
{
    scree_contact c = {.cone = scree_cone_slide(0.3), .W = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5}};
    c.q[0] = -0.0981 * cos(angle), c.q[1] = 0.0981 * sin(angle);
    return solve(&c, SCREE_CONTACT_EXACT).mode == SCREE_MODE_STICK;
}

static finding block_angle(int unused)
{
    (void)unused;
    return finding_of(atan(0.3) / degree, largest_angle(block_sticks), ANGLE,
                      "one comparison of two products: a few roundings");
}

/// Sphere of R 0.2 m, 5 kg, mu 0.2, rho/R 0.1. Let s = sin, c = cos of the slope, k = rho/R.
///     at rest       f = m g s <= mu N and f R <= rho N:                  tan <= min(mu, k)
///     pure rolling  m a = m g s - f, I a/R = f R - rho N:                a = (5/7) g (s - k c), f = m g (2 s + 5 k c)/7
///                   f <= mu N:                                           tan <= (7 mu - 5 k)/2
///     slipping      f = mu N:                                            a = g (s - mu c)
static ball incline_ball(double angle)
{
    return ball_make(0.2, 5.0, 0.2, 0.1 * 0.2, 0.0, 9.81, angle, 1e-3);
}

static int ball_rests(double angle)
{
    ball b = incline_ball(angle);
    ball_step(&b);
    return !slides(&b) && !rolls(&b);
}

static int ball_grips(double angle)
{
    ball b = incline_ball(angle);
    ball_step(&b);
    return !slides(&b);
}

static finding incline_rest(int unused)
{
    (void)unused;
    return finding_of(atan(0.1) / degree, largest_angle(ball_rests), ANGLE,
                      "one comparison of two products: a few roundings");
}

static finding incline_grip(int unused)
{
    (void)unused;
    return finding_of(atan((7.0 * 0.2 - 5.0 * 0.1) / 2.0) / degree, largest_angle(ball_grips), 10.0 * ANGLE,
                      "one comparison of two products: a few roundings");
}

static finding incline_acceleration(int angle)
{
    double s = sin(angle * degree), c = cos(angle * degree);
    double theory = s <= (7.0 * 0.2 - 5.0 * 0.1) / 2.0 * c ? 5.0 / 7.0 * 9.81 * (s - 0.1 * c) : 9.81 * (s - 0.2 * c);
    return finding_of(theory, run_until(incline_ball(angle * degree), 1.0).v[1], PARABOLA,
                      "a constant force gives the exact parabola: rounding in 100,000 steps");
}

static finding exact_stick(int unused)
{
    (void)unused;
    ball b = run_until(ball_make(0.1, 1.0, 0.5, 0.02, 0.0, 9.81, 5.0 * degree, 1e-3), 10.0);
    const double left = 4.0 * DBL_EPSILON * 9.81 * b.h; /* of a step's velocity [m/s] */
    return finding_of(0.0, fabs(b.x), 10000 * b.h * left,
                      "10,000 steps that leave a rounding of g h each: no creep beyond that");
}

/* ---- both laws -------------------------------------------------------------------------------------------------- */

/// mu |u_T| + rho |w_R| + sigma |w_S|
static double slip(const scree_cone *c, const double y[6])
{
    return c->coef[0] * hypot(y[1], y[2]) + c->coef[1] * hypot(y[3], y[4]) + c->coef[2] * fabs(y[5]);
}

/// A contact made for a mode: W random, coupled and definite, in lengths near 1 m, so that it has one solution only (the bound
/// of uniqueness holds); p and y by the definition of the mode; q = y - W p.
static scree_contact known_contact(uint64_t *g, scree_law law, scree_mode mode, double p[6])
{
    scree_contact c = {.cone = scree_cone_slide_roll_spin(0.3, 0.2, 0.1), .law = law};
    double y[6] = {0}, G[36];
    do {
        for (int i = 0; i < 36; ++i) G[i] = random_uniform(g, -1.0, 1.0);
        for (int i = 0; i < 36; ++i) {
            c.W[i] = i % 7 == 0;
            for (int k = 0; k < 6; ++k) c.W[i] += G[i / 6 * 6 + k] * G[i % 6 * 6 + k];
        }
    } while (!scree_contact_unique(&c));

    static const int at[SCREE_FRICTION_KINDS] = {1, 3, 5};
    int index = mode - 1, takes_off = mode == SCREE_MODE_TAKE_OFF;
    int moving[SCREE_FRICTION_KINDS] = {takes_off || (index & 1), takes_off || (index & 2),
                                        takes_off || index >> 2 != 0};
    memset(p, 0, 6 * sizeof *p);
    p[0] = takes_off ? 0.0 : random_log_uniform(g, 0.1, 10.0), y[0] = takes_off ? random_uniform(g, 0.1, 1.0) : 0.0;
    for (int k = 0; k < SCREE_FRICTION_KINDS; ++k) {
        double angle = random_uniform(g, 0.0, 360.0) * degree, e[2] = {cos(angle), sin(angle)};
        if (k == SCREE_FRICTION_SPIN)
            e[0] = index >> 2 == 2 ? -1.0 : 1.0; /* the sign in the mode is that of the load */
        double load = c.cone.coef[k] * p[0] * (moving[k] ? 1.0 : random_uniform(g, 0.0, 0.99));
        double v = moving[k] ? random_log_uniform(g, 0.01, 10.0) : 0.0;
        for (int i = 0; i < c.cone.size[k]; ++i) p[at[k] + i] = load * e[i], y[at[k] + i] = -v * e[i];
    }
    if (law == SCREE_LAW_CONVEX) y[0] += slip(&c.cone, y);
    for (int i = 0; i < 6; ++i) {
        c.q[i] = y[i];
        for (int j = 0; j < 6; ++j) c.q[i] -= c.W[i * 6 + j] * p[j];
    }
    return c;
}

/// |p_i (W p)_i| + |p_i q_i|: the size of the terms that must cancel in y . p.
static double power_terms(const scree_contact *c, const double p[6])
{
    double s = 0.0;
    for (int i = 0; i < 6; ++i) {
        s += fabs(p[i] * c->q[i]);
        for (int j = 0; j < 6; ++j) s += fabs(p[i] * c->W[i * 6 + j] * p[j]);
    }
    return s;
}

enum { OPENING, POWER, BIPOTENTIAL };

/* Loads and velocities are exact to about 1e-14 of the terms they are summed from. */
#define LAW 1e-13

/// Worst relative violation over a thousand contacts, all moving modes.
static finding law_property(int which)
{
    uint64_t g = 2;
    double worst = 0.0;
    for (int n = 0; n < 1000; ++n) {
        double p[6], dot = 0.0;
        scree_law law = which == BIPOTENTIAL ? SCREE_LAW_COULOMB : SCREE_LAW_CONVEX;
        scree_contact c = known_contact(&g, law, 2 + n % (SCREE_MODE_COUNT - 2), p);
        scree_contact_result r = solve(&c, SCREE_CONTACT_EXACT);
        for (int i = 0; i < 6; ++i) dot += r.y[i] * r.p[i];
        double opening = slip(&c.cone, r.y), terms = power_terms(&c, r.p), error = NAN;
        if (which == OPENING) error = fabs(r.y[0] - opening) / (terms / r.p[0]);
        if (which == POWER) error = fabs(dot) / terms;
        if (which == BIPOTENTIAL) error = fabs(dot + opening * r.p[0]) / terms;
        worst = larger(worst, error);
    }
    return finding_of(0.0, worst, LAW, "reactions and velocities are exact to 1e-14 of the terms they are summed from");
}

/// The ball of examples/contact/convex-slide.yaml: r_T = -mu r_N, u_N = mu u_T, so
///     W_N r + q_N = mu (q_T - mu W_T r),  r = (mu q_T - q_N)/(W_N + mu^2 W_T).
static finding convex_load(int unused)
{
    (void)unused;
    const double mu = 0.3, W_N = 0.5, W_T = 1.75, q_N = -0.0981, q_T = 1.0;
    scree_contact c = {.cone = scree_cone_slide(mu),
                       .law = SCREE_LAW_CONVEX,
                       .W = {W_N, 0, 0, 0, W_T, 0, 0, 0, W_T},
                       .q = {q_N, q_T, 0}};
    double theory = (mu * q_T - q_N) / (W_N + mu * mu * W_T);
    return finding_of(theory, solve(&c, SCREE_CONTACT_EXACT).p[0], LAW,
                      "reactions and velocities are exact to 1e-14 of the terms they are summed from");
}

/* ---- several solutions, all modes ------------------------------------------------------------------------------- */

/// examples/contact/several-solutions.yaml: take off, slide with r_N = 1/2, stick with r_N = 50/19.
static int several(int method, scree_contact_result results[8])
{
    const scree_contact c = {.cone = scree_cone_slide(1.0), .W = {1, 1.8, 0, 1.8, 4, 0, 0, 0, 4}, .q = {0.4, 2, 0}};
    scree_contact_options options = scree_contact_options_default();
    scree_error error = {0};
    options.method = (scree_contact_method)method;
    int count = scree_contact_solve_all(&c, &options, 8, results, &error);
    return error.status == SCREE_OK ? count : -1;
}

static finding several_count(int method)
{
    scree_contact_result results[8];
    return finding_of(3.0, several(method, results), 0.0, "a count");
}

static finding several_loads(int method)
{
    scree_contact_result r[8];
    if (several(method, r) != 3) return finding_of(50.0 / 19.0, NAN, 0.0, "three solutions");
    double worst = larger(fabs(r[0].p[0]), larger(fabs(r[1].p[0] - 0.5), fabs(r[2].p[0] - 50.0 / 19.0)));
    return (finding){50.0 / 19.0,
                     r[2].p[0],
                     worst,
                     LAW,
                     "reactions and velocities are exact to 1e-14 of the terms they are summed from",
                     NULL};
}

static finding mode_recovered(int mode)
{
    uint64_t g = 3 + (uint64_t)mode;
    double p[6], d = 0.0, size = 0.0;
    scree_contact c = known_contact(&g, SCREE_LAW_COULOMB, mode, p);
    scree_contact_result r = solve(&c, SCREE_CONTACT_EXACT);
    for (int i = 0; i < 6; ++i) { d = larger(d, fabs(r.p[i] - p[i])), size = larger(size, fabs(p[i])); }
    if (r.mode != mode) d = NAN;
    return (finding){p[0],
                     r.p[0],
                     size > 0.0 ? d / size : d,
                     1e-11,
                     "q comes from p in double precision: 1e-16 times the condition of W, some thousands",
                     "made for this mode"};
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

const check verify_contact_checks[] = {
    {"bonnefon-daviet/exact", "N", "printed example, solver exact: r_N, and error of the whole reaction",
     printed_reaction, SCREE_CONTACT_EXACT},
    {"bonnefon-daviet/quartic_t", "N", "the same by the quartic in tan(theta/2)", printed_reaction,
     SCREE_CONTACT_QUARTIC_T},
    {"bonnefon-daviet/quartic_alpha", "N", "the same by the quartic in alpha", printed_reaction,
     SCREE_CONTACT_QUARTIC_ALPHA},
    {"bonnefon-daviet/residual-exact", "", "relative natural map of that reaction", printed_residual,
     SCREE_CONTACT_EXACT},
    {"bonnefon-daviet/residual-t", "", "the same by the quartic in tan(theta/2)", printed_residual,
     SCREE_CONTACT_QUARTIC_T},
    {"bonnefon-daviet/residual-alpha", "", "the same by the quartic in alpha", printed_residual,
     SCREE_CONTACT_QUARTIC_ALPHA},
    {"bonnefon-daviet/P(alpha)", "",
     "the printed polynomial in alpha at scree's multiplier, u_T = -alpha r_T: over its terms", printed_polynomial, 1},
    {"bonnefon-daviet/rounding-in-alpha", "", "what rounding the printed polynomial in alpha does to the solution",
     conditioned_in_alpha, 0},
    {"bonnefon-daviet/P(t)", "", "the printed polynomial in t at scree's direction of sliding: over its terms",
     printed_polynomial, 0},
    {"projection/moreau", "eps", "worst violation of Moreau's conditions, 100,000 points, 6 components",
     projection_moreau, 100000},
    {"several-solutions/exact", "", "solutions of a contact that has three", several_count, SCREE_CONTACT_EXACT},
    {"several-solutions/quartic_t", "", "the same by the quartic in tan(theta/2)", several_count,
     SCREE_CONTACT_QUARTIC_T},
    {"several-solutions/quartic_alpha", "", "the same by the quartic in alpha", several_count,
     SCREE_CONTACT_QUARTIC_ALPHA},
    {"several-solutions/loads", "N", "largest r_N, and error of all three", several_loads, SCREE_CONTACT_EXACT},
    {"convex/load", "N s", "convex law, ball sliding on a plane: r_N", convex_load, 0},
    {"convex/opening", "", "convex law: u_N = mu|u_T| + rho|w_R| + sigma|w_S| where it moves, 1000 contacts",
     law_property, OPENING},
    {"convex/power", "", "convex law: y.p = 0, 1000 contacts", law_property, POWER},
    {"coulomb/power", "", "Coulomb law: -y.p is the bipotential, 1000 contacts", law_property, BIPOTENTIAL},
    {"modes/take_off", "N s", "a contact made for this mode: r_N, and error of the whole reaction", mode_recovered, 0},
    {"modes/stick", "N s", "the same", mode_recovered, 1},
    {"modes/slide", "N s", "the same", mode_recovered, 2},
    {"modes/roll", "N s", "the same", mode_recovered, 3},
    {"modes/slide+roll", "N s", "the same", mode_recovered, 4},
    {"modes/spin_plus", "N s", "the same", mode_recovered, 5},
    {"modes/slide+spin_plus", "N s", "the same", mode_recovered, 6},
    {"modes/roll+spin_plus", "N s", "the same", mode_recovered, 7},
    {"modes/slide+roll+spin_plus", "N s", "the same", mode_recovered, 8},
    {"modes/spin_minus", "N s", "the same", mode_recovered, 9},
    {"modes/slide+spin_minus", "N s", "the same", mode_recovered, 10},
    {"modes/roll+spin_minus", "N s", "the same", mode_recovered, 11},
    {"modes/slide+roll+spin_minus", "N s", "the same", mode_recovered, 12},
    {"block/angle", "deg", "largest slope on which a block of mu 0.3 sticks", block_angle, 0},
    {"sphere-rolls/deceleration", "m/s2", "[AB] 6.1 a: ball that rolls from the start", ab_a_deceleration, 0},
    {"sphere-rolls/distance", "m", "[AB] 6.1 a: distance to rest", ab_a_distance, 0},
    {"sphere-rolls/slips", "", "[AB] 6.1 a: steps in which it slips", ab_a_slip, 0},
    {"sphere-grips/time", "s", "[AB] 6.1 b: slips first; end of slip", ab_b_slip_ends, 0},
    {"sphere-grips/force-before", "", "[AB] 6.1 b: r_T/r_N while it slips", ab_b_force, 0},
    {"sphere-grips/force-after", "", "[AB] 6.1 b: r_T/r_N once it rolls", ab_b_force, 1},
    {"sphere-grips/distance", "m", "[AB] 6.1 b: distance to rest", ab_b_distance, 0},
    {"sphere-slides/deceleration", "m/s2", "[AB] 6.1 c: mu 0.05, slips to the end", ab_c_deceleration, 0},
    {"sphere-slides/rotation-ends", "s", "[AB] 6.1 c: its rotation ends before it stops", ab_c_rotation_ends, 0},
    {"sphere-slides/moment-before", "m", "[AB] 6.1 c: m_R/r_N while it rotates", ab_c_moment, 0},
    {"sphere-slides/moment-after", "m", "[AB] 6.1 c: m_R/r_N once it does not", ab_c_moment, 1},
    {"sphere-slides/distance", "m", "[AB] 6.1 c: distance to rest", ab_c_distance, 0},
    {"disk/time", "s", "[TA] 6.1: disk with rolling friction, time to rest", disk, 0},
    {"disk/distance", "m", "[TA] 6.1: distance to rest", disk, 1},
    {"spin-down/rate", "1/s2", "ball spinning about the vertical: loss of rotation", spin_down, 0},
    {"spin-down/time", "s", "the same from 20 rad/s: time to rest", spin_down, 1},
    {"incline/rest-angle", "deg", "sphere on a slope, mu 0.2, rho/R 0.1: rests up to", incline_rest, 0},
    {"incline/rolling-angle", "deg", "the same: rolls without slip up to", incline_grip, 0},
    {"incline/10-deg", "m/s2", "acceleration at 10 degrees: rolls", incline_acceleration, 10},
    {"incline/20-deg", "m/s2", "acceleration at 20 degrees: rolls", incline_acceleration, 20},
    {"incline/28-deg", "m/s2", "acceleration at 28 degrees: slips", incline_acceleration, 28},
    {"stick/drift", "m", "ball at rest on a slope of 5 degrees, rolling friction 20 mm: distance in 10 s", exact_stick,
     0},
    {NULL, NULL, NULL, NULL, 0},
};
