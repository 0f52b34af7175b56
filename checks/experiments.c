/* experiments.c: small scenes that are run with several settings (experiments.h). */
#include "checks/experiments.h"
#include "cli/open_box.h"
#include "cli/vector.h"

static const double degree = 0.017453292519943295;

static trial begin(const setting *s, double g, double slope, double mu, double rolling, double spinning)
{
    set_up set = {{g * sin(slope), 0.0, -g * cos(slope)}, mu, rolling, spinning, 0.0, s->h, s->scheme};
    return trial_begin(&set, s->tolerance);
}

static double end(trial *t, double found)
{
    if (t->failed) found = (double)NAN;
    trial_end(t);
    return found;
}

static double roll(trial *t, double angle, double mass)
{
    const double c = cos(angle), d = sin(angle), x[3] = {0.0, 0.0, 1.0}, v[3] = {c, d, 0.0}, w[3] = {-d, c, 0.0};
    trial_floor(t);
    int ball = trial_add(t, SCREE_BODY_DYNAMIC, scree_shape_sphere(1.0, t->material), mass, x, v, w);
    trial_until(t, 8.0);
    if (t->failed) return end(t, 0.0);
    const double *p = trial_position(t, ball);
    return end(t, sqrt(p[0] * p[0] + p[1] * p[1]));
}

double experiment_rolling(const setting *s, double angle, double mass)
{
    trial t = begin(s, 9.8, 0.0, 0.9, 0.02, 0.0);
    return roll(&t, angle, mass);
}

double experiment_rolling_not_centred(const setting *s)
{
    const set_up set = {{0.0, 0.0, -9.8}, 0.9, 0.02, 0.0, 0.0, s->h, s->scheme};
    trial t = trial_begin(&set, s->tolerance);
    trial_not_centred(&t, &set, s->tolerance);
    return roll(&t, 0.0, 10.0);
}

double experiment_slope_theory(double degrees)
{
    const double a = degrees * degree, g = 9.81, rolls = 5.0 / 7.0 * g * (sin(a) - 0.1 * cos(a));
    return g * sin(a) - rolls <= 0.2 * g * cos(a) ? rolls : g * (sin(a) - 0.2 * cos(a));
}

static trial slope(const setting *s, double degrees, int *ball)
{
    trial t = begin(s, 9.81, degrees * degree, 0.2, 0.02, 0.02);
    trial_floor(&t);
    *ball = trial_ball(&t, 0.2, 5.0, 0.0, 0.0, 0.2);
    return t;
}

double experiment_slope_speed(const setting *s, double degrees)
{
    int ball;
    trial t = slope(s, degrees, &ball);
    trial_until(&t, 1.0);
    return end(&t, t.failed ? 0.0 : trial_speed(&t, ball));
}

double experiment_slope_creep(const setting *s, double degrees)
{
    int ball;
    trial t = slope(s, degrees, &ball);
    trial_until(&t, 0.5);
    return end(&t, t.failed ? 0.0 : trial_creep(&t, 5.0));
}

double experiment_spin_theory(void)
{
    return 20.0 * 0.4 * 0.04 / (0.02 * 9.8);
}

double experiment_spin_end(const setting *s, int rolling)
{
    trial t = begin(s, 9.8, 0.0, 0.5, rolling ? 0.02 : 0.0, 0.02);
    const double x[3] = {0.0, 0.0, 0.2}, w[3] = {0.0, 0.0, 20.0};
    trial_floor(&t);
    int ball = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.2, t.material), 5.0, x, NULL, w);
    while (!t.failed && trial_spin(&t, ball) > 1e-9 && scree_world_time(t.world) < 3.0) trial_step(&t);
    return end(&t, t.failed ? 0.0 : scree_world_time(t.world));
}

trial experiment_stack(const setting *s, double rho, double *height)
{
    const double R = 0.15, half = 1.1 * R;
    trial t = begin(s, 9.81, 0.0, 0.25, rho * R, rho * R);
    *height = R + sqrt(4.0 * R * R - half * half);
    trial_floor(&t);
    trial_ball(&t, R, 1.0, -half, 0.0, R);
    trial_ball(&t, R, 1.0, half, 0.0, R);
    trial_ball(&t, R, 1.0, 0.0, 0.0, *height);
    return t;
}

double experiment_stack_stands(const setting *s, double rho)
{
    double height;
    trial t = experiment_stack(s, rho, &height);
    trial_until(&t, 5.0);
    return end(&t, !t.failed && trial_position(&t, 3)[2] > height - 1e-3 * 0.15);
}

enum { PILE = 1000, PILE_SIDE = 8, PILE_WALLS = 5 };

static trial settled_pile(const setting *s)
{
    const double R = 0.1, pitch = 2.0 / PILE_SIDE;
    trial t = begin(s, 9.81, 0.0, 0.5, 0.1 * R, 0.1 * R);
    random_numbers random = random_start(1);
    add_open_box(t.world, t.material, 1.0, &t.error);
    t.failed = t.error.status != SCREE_OK;
    for (int i = 0; i < PILE; ++i) {
        int column = i % PILE_SIDE, row = i / PILE_SIDE % PILE_SIDE, layer = i / (PILE_SIDE * PILE_SIDE);
        double x[3] = {(column + 0.5) * pitch - 1.0, (row + 0.5) * pitch - 1.0, (layer + 0.5) * pitch};
        for (int k = 0; k < 3; ++k) x[k] += 0.2 * R * (2.0 * random_fraction(&random) - 1.0);
        trial_ball(&t, R, 0.0, x[0], x[1], x[2]);
    }
    trial_step(&t);
    while (!t.failed && scree_world_energy(t.world).kinetic > 0.0 && scree_world_time(t.world) < 10.0) trial_step(&t);
    return t;
}

void experiment_pile(const setting *s, double *drift, double *deepest)
{
    static double before[3 * (PILE + PILE_WALLS)];
    const double R = 0.1, until = 5.0;
    double sum = 0.0, most = 0.0;
    trial t = settled_pile(s);
    if (!t.failed) memcpy(before, scree_world_positions(t.world), sizeof before);
    for (int k = 0; k < (int)(until / s->h + 0.5) && trial_step(&t); ++k) most = fmax(most, t.report.penetration / R);
    for (int b = PILE_WALLS; b < PILE + PILE_WALLS && !t.failed; ++b) {
        const double *x = trial_position(&t, b), *x0 = before + 3 * (size_t)b;
        double d[3] = {x[0] - x0[0], x[1] - x0[1], x[2] - x0[2]};
        sum += sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / R;
    }
    *drift = t.failed ? (double)NAN : sum / PILE;
    *deepest = end(&t, most);
}
