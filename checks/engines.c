/* engines.c: `scree verify --table`: scree beside other engines, like for like (docs/evidence.md).
 *
 * The others were measured with their default settings at a step of 5 ms (one machine, 2026; a dash: not measured); their figures are
 * literals here. scree stands in two columns, both computed by this command: with its default settings at the same 5 ms, and with
 * settings that are meant for accuracy: `moreau_jean`, theta 1/2, tolerance 1e-12, steps of 1 ms. */
#include "checks/experiments.h"
#include "cli/cli.h"

#include <stdio.h>

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

/// Of the distance that a ball rolls, from theory [%].
static double rolling_error(setting s, double angle, double mass, double h)
{
    s.h = h > 0.0 ? h : s.h;
    return 100.0 * (experiment_rolling(&s, angle, mass) * (2.0 * 9.8 * 0.02) / 1.4 - 1.0);
}

static void describe_rest(const setting *s, char text[64])
{
    double creep = experiment_slope_creep(s, 5.5);
    if (creep == 0.0) snprintf(text, 64, "rests, not one bit moves");
    else snprintf(text, 64, "moves by %.1e m in 5 s", creep);
}

static void describe_speeds(const setting *s, char text[64])
{
    static const double angle[3] = {10.0, 20.0, 28.0};
    char each[3][16];
    for (int k = 0; k < 3; ++k)
        percent(100.0 * (experiment_slope_speed(s, angle[k]) / experiment_slope_theory(angle[k]) - 1.0), each[k]);
    snprintf(text, 64, "%s, %s, %s", each[0], each[1], each[2]);
}

static void describe_stacks(const setting *s, char text[64])
{
    static const double rho[3] = {0.015, 0.03, 0.1};
    const char *word[3];
    for (int k = 0; k < 3; ++k) word[k] = experiment_stack_stands(s, rho[k]) > 0.5 ? "stands" : "falls";
    snprintf(text, 64, "%s, %s, %s", word[0], word[1], word[2]);
}

int verify_engines(void)
{
    static const struct {
        const char *what;
        double angle, mass, h;
        const char *others;
    } rolls[] = {
        {"ball rolls to rest, distance", 0.0, 10.0, 0.0,
         "0.00 % | -0.07 % | +12.8 % | depends on the number of iterations"},
        {"the same along the diagonal", 0.78539816339744831, 10.0, 0.0, "-29 % | -29 % | +12.8 % | -"},
        {"the same, 1000 kg", 0.0, 1000.0, 0.0, "never stops | -0.07 % | +12.8 % | -"},
        {"the same, step of 1/60 s", 0.0, 10.0, 1.0 / 60.0, "+63 % | - | - | -"},
    };
    const scree_stepper_options d = scree_stepper_options_default();
    const setting plain = {d.scheme, d.solver.tolerance, 5e-3}, fine = {SCREE_SCHEME_MOREAU_JEAN, 1e-12, 1e-3};
    char a[64], b[64];
    double drift, deepest;
    printf("| | theory | scree, defaults, 5 ms | scree, exact: moreau_jean, 1e-12, 1 ms | Bullet | ODE | MuJoCo | "
           "Chrono NSC |\n"
           "|---|---|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof rolls / sizeof *rolls; ++k)
        put_percent(rolls[k].what, "3.571 m", rolling_error(plain, rolls[k].angle, rolls[k].mass, rolls[k].h),
                    rolling_error(fine, rolls[k].angle, rolls[k].mass, rolls[k].h), rolls[k].others);
    percent(100.0 * (experiment_rolling_not_centred(&plain) * (2.0 * 9.8 * 0.02) / 1.4 - 1.0), a);
    put_row("the first with `stepper: {centred: false}`", "3.571 m", a, "-", "- | - | - | -");
    describe_rest(&plain, a), describe_rest(&fine, b);
    put_row("ball on a slope of 5.5 degrees", "rests", a, b, "rests | rests | rolls away | -");
    describe_speeds(&plain, a), describe_speeds(&fine, b);
    put_row("speed on slopes of 10, 20, 28 degrees", "", a, b, "0.00 % | 0.00 % | +30, +22, +13 % | -");
    put_percent("ball spinning on the spot comes to rest", "1.633 s",
                100.0 * (experiment_spin_end(&plain, 1) / experiment_spin_theory() - 1.0),
                100.0 * (experiment_spin_end(&fine, 1) / experiment_spin_theory() - 1.0),
                "never, if rolling is 0 | +0.14 % | +2.3 % | -6 or -72 % of the speed, with 50 or 1,000 iterations");
    describe_stacks(&plain, a), describe_stacks(&fine, b);
    put_row("two balls and one on top, rolling 0.015, 0.03, 0.1 R", "falls, stands, stands", a, b,
            "falls, falls, stands | right, creeps | falls, falls, falls | -");
    experiment_pile(&plain, &drift, &deepest);
    snprintf(a, sizeof a, "%.3g R", drift);
    put_row("1,000 spheres at rest: mean drift in 5 s", "0", a, "-", "0.149 R | 0.148 R | 0.205 R (600) | -");
    return CLI_DONE;
}
