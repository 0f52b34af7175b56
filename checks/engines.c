/* engines.c: `scree verify --table`: scree beside other engines, like for like (docs/evidence.md).
 *
 * The others were measured with their default settings at a step of 5 ms (one machine, 2026; a dash: not measured); their figures are
 * literals here. scree stands in two columns, both computed by this command: with its default settings at the same 5 ms, and with
 * settings that are meant for accuracy: `moreau_jean`, theta 1/2, tolerance 1e-12, steps of 1 ms. */
#include "checks/trial.h"
#include "cli/cli.h"
#include "cli/open_box.h"
#include "math/rng.h"

#include <stdio.h>

static const double degree = 0.017453292519943295;

typedef struct setting {
    scree_scheme scheme;
    double tolerance, h;
} setting;

static set_up make(const setting *s, double mu, double rolling, double spinning, double slope)
{
    return (set_up){{9.81 * sin(slope), 0.0, -9.81 * cos(slope)}, mu, rolling, spinning, 0.0, s->h, s->scheme};
}

/// How far a ball rolls, over theory, less 1 [%]: R 1, v 1, rho 0.02, mu 0.9, g 9.8.
static double rolling_error(const setting *s, double angle, double mass, double h)
{
    set_up set = make(s, 0.9, 0.02, 0.0, 0.0);
    set.gravity[2] = -9.8;
    if (h > 0.0) set.h = h;
    trial t = trial_begin(&set, s->tolerance);
    const double c = cos(angle), d = sin(angle), x[3] = {0.0, 0.0, 1.0}, v[3] = {c, d, 0.0}, w[3] = {-d, c, 0.0};
    trial_floor(&t);
    int ball = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_sphere(1.0, t.material), mass, x, v, w);
    trial_until(&t, 8.0);
    const double *end = trial_position(&t, ball);
    double way = t.failed ? (double)NAN : hypot(end[0], end[1]);
    trial_end(&t);
    return 100.0 * (way * (2.0 * 9.8 * 0.02) / 1.4 - 1.0);
}

/// A ball on a slope, R 0.2, mu 0.2, rho/R 0.1: the change of its position in 5 s where it must rest, else its speed after 1 s over theory [%].
static double slope_error(const setting *s, double degrees, int rests)
{
    const double a = degrees * degree, g = 9.81, rolls = 5.0 / 7.0 * g * (sin(a) - 0.1 * cos(a)),
                 slips = g * (sin(a) - 0.2 * cos(a)), theory = g * sin(a) - rolls <= 0.2 * g * cos(a) ? rolls : slips;
    set_up set = make(s, 0.2, 0.02, 0.02, a);
    trial t = trial_begin(&set, s->tolerance);
    trial_floor(&t);
    int ball = trial_ball(&t, 0.2, 5.0, 0.0, 0.0, 0.2);
    trial_until(&t, rests ? 0.5 : 1.0);
    double found = rests ? trial_creep(&t, 5.0) : 100.0 * (trial_speed(&t, ball) / theory - 1.0);
    trial_end(&t);
    return found;
}

/// When a ball that spins at 20 1/s rests, over theory [%]: R 0.2, sigma 0.02; rest is seen at the end of a step.
static double spin_error(const setting *s)
{
    set_up set = make(s, 0.5, 0.02, 0.02, 0.0);
    trial t = trial_begin(&set, s->tolerance);
    const double x[3] = {0.0, 0.0, 0.2}, w[3] = {0.0, 0.0, 20.0};
    trial_floor(&t);
    int ball = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.2, t.material), 5.0, x, NULL, w);
    while (!t.failed && trial_spin(&t, ball) > 1e-9 && scree_world_time(t.world) < 3.0) trial_step(&t);
    double time = scree_world_time(t.world);
    trial_end(&t);
    return 100.0 * (time / (20.0 * 0.4 * 0.04 / (0.02 * 9.81)) - 1.0);
}

/// Two balls with a gap of 0.2 R and one on top, rho/R given: whether it stands after 5 s.
static int stack_stands(const setting *s, double rho)
{
    const double R = 0.15, half = 1.1 * R, height = R + sqrt(4.0 * R * R - half * half);
    set_up set = make(s, 0.25, rho * R, rho * R, 0.0);
    trial t = trial_begin(&set, s->tolerance);
    trial_floor(&t);
    trial_ball(&t, R, 1.0, -half, 0.0, R);
    trial_ball(&t, R, 1.0, half, 0.0, R);
    int top = trial_ball(&t, R, 1.0, 0.0, 0.0, height);
    trial_until(&t, 5.0);
    int stands = !t.failed && trial_position(&t, top)[2] > height - 1e-3 * R;
    trial_end(&t);
    return stands;
}

/// Mean drift in 5 s of 1,000 spheres that have settled for at most 10 s, in radii.
static double pile_drift(const setting *s)
{
    enum { COUNT = 1000, SIDE = 8, WALLS = 5 };
    static double before[3 * (COUNT + WALLS)];
    const double R = 0.1, pitch = 2.0 / SIDE;
    set_up set = make(s, 0.5, 0.1 * R, 0.1 * R, 0.0);
    trial t = trial_begin(&set, s->tolerance);
    rng random = rng_make(1, 0);
    t.failed |= !t.failed && add_open_box(t.world, t.material, 1.0, NULL) != SCREE_OK;
    for (int i = 0; i < COUNT; ++i) {
        const int cell[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
        double x[3];
        for (int k = 0; k < 3; ++k)
            x[k] = (cell[k] + 0.5) * pitch - (k < 2 ? 1.0 : 0.0) + 0.2 * R * (2.0 * rng_uniform(&random) - 1.0);
        trial_ball(&t, R, 0.0, x[0], x[1], x[2]);
    }
    trial_step(&t);
    while (!t.failed && scree_world_energy(t.world).kinetic > 0.0 && scree_world_time(t.world) < 10.0) trial_step(&t);
    if (t.failed) return (double)NAN;
    memcpy(before, scree_world_positions(t.world), sizeof before);
    trial_until(&t, scree_world_time(t.world) + 5.0);
    double sum = 0.0;
    for (int b = WALLS; b < COUNT + WALLS && !t.failed; ++b) {
        const double *x = trial_position(&t, b), *x0 = before + 3 * (size_t)b;
        sum +=
            sqrt((x[0] - x0[0]) * (x[0] - x0[0]) + (x[1] - x0[1]) * (x[1] - x0[1]) + (x[2] - x0[2]) * (x[2] - x0[2]));
    }
    if (t.failed) sum = (double)NAN;
    trial_end(&t);
    return sum / COUNT / R;
}

/* ---- the table -------------------------------------------------------------------------------------------------------------- */

static void percent(double value, char text[16])
{
    if (fabs(value) < 5e-10) snprintf(text, 16, "0 %%");
    else snprintf(text, 16, fabs(value) < 0.005 ? "%+.1e %%" : "%+.2f %%", value);
}

static void put_row(const char *what, const char *theory, const char *plain, const char *fine, const char *others)
{
    printf("| %s | %s | %s | %s | %s |\n", what, theory, plain, fine, others);
    fflush(stdout);
}

static void put_percent(const char *what, const char *theory, double plain, double fine, const char *others)
{
    char a[16], b[16];
    percent(plain, a), percent(fine, b);
    put_row(what, theory, a, b, others);
}

int verify_engines(void)
{
    const scree_stepper_options d = scree_stepper_options_default();
    const setting plain = {d.scheme, d.solver.tolerance, 5e-3}, fine = {SCREE_SCHEME_MOREAU_JEAN, 1e-12, 1e-3};
    char a[64], b[64], p[3][2][16];
    printf("| | theory | scree, defaults, 5 ms | scree, exact: moreau_jean, 1e-12, 1 ms | Bullet | ODE | MuJoCo | "
           "Chrono NSC |\n"
           "|---|---|---|---|---|---|---|---|\n");
    put_percent("ball rolls to rest, distance", "3.571 m", rolling_error(&plain, 0.0, 10.0, 0.0),
                rolling_error(&fine, 0.0, 10.0, 0.0),
                "0.00 % | -0.07 % | +12.8 % | depends on the number of iterations");
    put_percent("the same along the diagonal", "3.571 m", rolling_error(&plain, 45.0 * degree, 10.0, 0.0),
                rolling_error(&fine, 45.0 * degree, 10.0, 0.0), "-29 % | -29 % | +12.8 % | -");
    put_percent("the same, 1000 kg", "3.571 m", rolling_error(&plain, 0.0, 1000.0, 0.0),
                rolling_error(&fine, 0.0, 1000.0, 0.0), "never stops | -0.07 % | +12.8 % | -");
    put_percent("the same, step of 1/60 s", "3.571 m", rolling_error(&plain, 0.0, 10.0, 1.0 / 60.0),
                rolling_error(&fine, 0.0, 10.0, 1.0 / 60.0), "+63 % | - | - | -");
    double rest[2] = {slope_error(&plain, 5.5, 1), slope_error(&fine, 5.5, 1)};
    snprintf(a, sizeof a, rest[0] == 0.0 ? "rests, not one bit moves" : "moves by %.1e m in 5 s", rest[0]);
    snprintf(b, sizeof b, rest[1] == 0.0 ? "rests, not one bit moves" : "moves by %.1e m in 5 s", rest[1]);
    put_row("ball on a slope of 5.5 degrees", "rests", a, b, "rests | rests | rolls away | -");
    for (int k = 0; k < 3; ++k) {
        const double angle[3] = {10.0, 20.0, 28.0};
        percent(slope_error(&plain, angle[k], 0), p[k][0]), percent(slope_error(&fine, angle[k], 0), p[k][1]);
    }
    snprintf(a, sizeof a, "%s, %s, %s", p[0][0], p[1][0], p[2][0]),
        snprintf(b, sizeof b, "%s, %s, %s", p[0][1], p[1][1], p[2][1]);
    put_row("speed on slopes of 10, 20, 28 degrees", "", a, b, "0.00 % | 0.00 % | +30, +22, +13 % | -");
    put_percent("ball spinning on the spot comes to rest", "1.631 s", spin_error(&plain), spin_error(&fine),
                "never, if rolling is 0 | +0.14 % | +2.3 % | -6 or -72 % of the speed, with 50 or 1,000 iterations");
    const char *const word[2] = {"falls", "stands"};
    snprintf(a, sizeof a, "%s, %s, %s", word[stack_stands(&plain, 0.015)], word[stack_stands(&plain, 0.03)],
             word[stack_stands(&plain, 0.1)]);
    snprintf(b, sizeof b, "%s, %s, %s", word[stack_stands(&fine, 0.015)], word[stack_stands(&fine, 0.03)],
             word[stack_stands(&fine, 0.1)]);
    put_row("two balls and one on top, rolling 0.015, 0.03, 0.1 R", "falls, stands, stands", a, b,
            "falls, falls, stands | right, creeps | falls, falls, falls | -");
    snprintf(a, sizeof a, "%.3g R", pile_drift(&plain));
    put_row("1,000 spheres at rest: mean drift in 5 s", "0", a, "-", "0.149 R | 0.148 R | 0.205 R (600) | -");
    return CLI_DONE;
}
