/* papers_fn.c: [FN] with one body on a plane: brick, disk, sphere up an incline, the phase map, spinning (papers.h).
 *
 * N = m g cos(alpha). While both slide and roll, the tangential force is mu N and the rolling torque T = 2 eta_r mu N/K, K the sum of the
 * curvatures: accelerations are constants, and the springs' own times are milliseconds. References are these closed forms, and the
 * digits that [FN] prints; docs/papers.md lists which of them hold together. */
#include "checks/papers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static const double g = 9.8, mu_static = 0.25, mu = 0.2;

/// The body is the last one. Force along x and torque about `axis` of all contacts; of a single contact also its mode.
typedef struct sight {
    double time, x, v, spin, force, couple;
    int slides, rolls;
} sight;

static sight look(scree_simulation *simulation, int axis, double h)
{
    const scree_world *world = scree_simulation_world(simulation);
    int body = scree_world_body_count(world) - 1;
    double force[3], moment[3];
    scree_world_contact_force(world, scree_body_at(body), force, moment);
    sight s = {.time = scree_world_time(world),
               .x = scree_world_positions(world)[3 * body],
               .v = scree_world_velocities(world)[3 * body],
               .spin = scree_world_angular_velocities(world)[3 * body + axis],
               .force = force[0]};
    if (scree_world_contact_count(world) == 0) return s;
    const scree_contact_point *c = scree_world_contacts(world);
    const double *n = c->normal, *t = c->tangent;
    double across[3] = {n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]};
    s.couple = (c->impulse[3] * t[axis] + c->impulse[4] * across[axis] + c->impulse[5] * n[axis]) / h;
    for (int sliding = 0; sliding < 2; ++sliding)
        for (int rolling = 0; rolling < 2; ++rolling)
            if (c->mode == scree_mode_make(sliding, rolling, 0)) s.slides = sliding, s.rolls = rolling;
    return s;
}

static void set_incline(paper_sets *sets, double angle, double sign)
{
    paper_set(sets, "gravity=[%.17g, 0, %.17g]", sign * g * sin(angle), -g * cos(angle));
}

/* ---- brick, 4.1 ------------------------------------------------------------------------------------------------------------------ */

typedef struct brick_case {
    const char *name;
    double angle;
    int damped;
} brick_case;

static void brick_run(paper_run *run, const brick_case *c, FILE *csv)
{
    const double h = 1e-4, N = g * cos(c->angle), weight = g * sin(c->angle);
    char name[48];
    paper_sets sets = {0};
    scree_step_report report;
    set_incline(&sets, c->angle, 1.0);
    paper_set(&sets, "bodies.brick.position=[0, 0, %.17g]", 1e-4 - 0.25e-5 * N);
    if (!c->damped) paper_set(&sets, "materials.rubber.soft.slide_damping=0");
    scree_simulation *simulation = paper_build(run, &sets, NULL);
    double v1 = 0.0, sum = 0.0, low = 1e9, high = 0.0;
    sight s = {0};
    int step = 1;
    for (; step <= 20000 && paper_step(run, simulation, &report); ++step) {
        s = look(simulation, 1, h);
        if (csv && step % 20 == 0) fprintf(csv, "%s,%.6g,%.9g,%.9g,%.9g\n", c->name, s.time, s.x, s.v, -s.force);
        if (step == 5000) v1 = s.v;
        if (step <= 5000) continue;
        sum += -s.force, low = fmin(low, -s.force), high = fmax(high, -s.force);
    }
    if (csv) fputs("\n\n", csv);
    paper_end(run, simulation);
    const int slides = c->angle > atan(mu_static);
    snprintf(name, sizeof name, "%s-friction", c->name);
    if (c->damped) paper_row(run, name, "N", slides ? mu * N : weight, -s.force, slides ? 1e-3 : 1e-6);
    else paper_row(run, "undamped-mean-friction", "N", weight, sum / (step - 5001), 2e-3);
    snprintf(name, sizeof name, "%s-%s", c->name, slides ? "acceleration" : "speed-at-rest");
    if (slides) paper_row(run, name, "m/s2", weight - mu * N, (s.v - v1) / 1.5, 1e-3);
    else if (c->damped) paper_row(run, name, "m/s", 0.0, fabs(s.v), 1e-12);
    if (slides) paper_row(run, "printed-friction", "N", 1.899, -s.force, 0.0005 / 1.899);
    if (slides) paper_row(run, "printed-acceleration", "m/s2", 0.525, (s.v - v1) / 1.5, 0.0005 / 0.525);
    if (!c->damped) paper_row(run, "undamped-still-swings", "", 1.0, high - low > 0.1, 0.0);
}

void paper_fn_brick(paper_run *run)
{
    const brick_case cases[] = {{"low", 0.18, 1},
                                {"kinetic-limit", atan(mu), 1},
                                {"near-static-limit", 0.99 * atan(mu_static), 1},
                                {"steep", 0.25, 1},
                                {"undamped", 0.18, 0}};
    FILE *csv = paper_open(run, "fn-brick.csv", "case,t,x,v,friction\n");
    for (int k = 0; k < 5; ++k) brick_run(run, &cases[k], csv);
    paper_row(run, "threshold-static", "m", 2.41e-5, mu_static * g * cos(0.18) / 1e5, 0.005 / 2.41);
    paper_row(run, "threshold-kinetic", "m", 1.92e-5, mu * g * cos(0.18) / 1e5, 0.01 / 1.92);
    paper_close(run, csv, "fn-brick.csv");
}

/* ---- disk, 4.2 ------------------------------------------------------------------------------------------------------------------- */

typedef struct disk_end {
    double rolls_from; /* the slip is over [s] */
    double force, v, spin, couple;
    int changes; /* of the sign of the torque, in the last 1000 steps */
} disk_end;

static disk_end disk_run(paper_run *run, const char *model, double K_E, double share, double h, double until, FILE *csv)
{
    paper_sets sets = {0};
    scree_step_report report;
    paper_set(&sets, "materials.rubber.soft.model=%s", model);
    paper_set(&sets, "materials.rubber.soft.slide_stiffness=%.17g", K_E);
    paper_set(&sets, "materials.rubber.soft.damping_share=%.17g", share);
    paper_set(&sets, "stepper.step=%.17g", h);
    scree_simulation *simulation = paper_build(run, &sets, NULL);
    disk_end e = {0};
    sight s = {0}, old = {0};
    int slid = 0, steps = (int)(until / h + 0.5);
    for (int step = 1; step <= steps && paper_step(run, simulation, &report); ++step, old = s) {
        s = look(simulation, 1, h);
        slid |= s.slides && step * h > 0.01;
        if (e.rolls_from == 0.0 && slid && !s.slides) e.rolls_from = s.time;
        if (step > steps - 1000) e.changes += s.couple * old.couple < 0.0;
        if (csv && step % 20 == 0)
            fprintf(csv, "%s,%.6g,%.9g,%.9g,%.9g,%.9g\n", model, s.time, s.v, s.spin, s.force, s.couple);
    }
    e.force = s.force, e.v = s.v, e.spin = s.spin, e.couple = s.couple;
    if (csv) fputs("\n\n", csv);
    paper_end(run, simulation);
    return e;
}

void paper_fn_disk(paper_run *run)
{
    const double N = 49.0, T = 0.4 * 0.2 * mu * N;
    const double closing = mu * g + 0.2 * (mu * N * 0.2 - T) / 0.1; /* of the slip, both kinetic */
    FILE *csv = paper_open(run, "fn-disk.csv", "model,t,v,spin,force,torque\n");
    disk_end ours = disk_run(run, "published", 1e5, 1.0, 1e-4, 3.0, csv);
    disk_end legacy = disk_run(run, "constant_torque", 1e5, 1.0, 1e-4, 3.0, csv);
    paper_close(run, csv, "fn-disk.csv");
    disk_end stiff = disk_run(run, "published", 1e9, 0.0, 5e-6, 0.15, NULL);
    paper_row(run, "rolls-from-rigid", "s", 0.5 / closing, stiff.rolls_from, 1e-3);
    paper_row(run, "rolls-from-printed", "s", 0.11, ours.rolls_from, 0.06);
    paper_row(run, "speed-at-rest", "m/s", 0.0, fabs(ours.v) + 0.2 * fabs(ours.spin), 1e-11);
    paper_row(run, "torque-at-rest/largest", "", 0.0, fabs(ours.couple) / T, 1e-6);
    paper_row(run, "torque-changes-at-rest", "", 0.0, ours.changes, 0.0);
    paper_row(run, "legacy-torque/largest", "", 1.0, fabs(legacy.couple) / T, 1e-3);
    paper_row(run, "legacy-chatters", "", 1.0, legacy.changes > 900, 0.0);
}

/* ---- sphere up an incline, 4.3 ------------------------------------------------------------------------------------------------------- */

void paper_fn_incline(paper_run *run)
{
    enum { STEPS = 3000 };
    const double h = 1e-4, angle = 35.0 * PI / 180.0, m = 5.0, R = 0.2, N = m * g * cos(angle), I = 0.4 * m * R * R;
    const double T = 2.0 * 0.3 * R * mu * N, down = g * sin(angle);
    static const double snapshot[] = {0.004, 0.05, 0.09, 0.2};
    sight *s = calloc(STEPS + 1, sizeof *s);
    scree_step_report report;
    paper_sets sets = {0};
    set_incline(&sets, angle, -1.0);
    scree_simulation *simulation = paper_build(run, &sets, NULL);
    FILE *csv = paper_open(run, "fn-incline.csv", "t,v,spin,force,torque,phase\n");
    int begin[6] = {0}, phase = 0, seen = 0;
    for (int step = 1; s && step <= STEPS && paper_step(run, simulation, &report); ++step) {
        s[step] = look(simulation, 1, h);
        int next = phase;
        if (phase == 0 && s[step].slides && s[step].rolls) next = 1;
        if (phase == 1 && !s[step].slides) next = 2;
        if (phase == 2 && s[step].v < 0.0) next = 3;
        if (phase == 3 && s[step].slides) next = 4;
        if (next != phase) phase = next, begin[phase] = step;
        for (int k = 0; k < 4; ++k) seen += fabs(s[step].time - snapshot[k]) < 0.5 * h && phase == k + 1;
        if (csv && step % 5 == 0)
            fprintf(csv, "%.6g,%.9g,%.9g,%.9g,%.9g,%d\n", s[step].time, s[step].v, s[step].spin, s[step].force,
                    s[step].couple, phase);
    }
    paper_close(run, csv, "fn-incline.csv");
    paper_end(run, simulation);
    if (s && run->status == SCREE_OK && phase == 4) {
        const int one = begin[1] + 3, two = begin[2], four = begin[4] + 3;
        const double t1 = (two - 2 - one) * h, t4 = (STEPS - four) * h;
        paper_row(run, "snapshots-in-their-phase", "", 4.0, seen, 0.0);
        paper_row(run, "I-acceleration", "m/s2", -down - mu * N / m, (s[two - 2].v - s[one].v) / t1, 1e-3);
        paper_row(run, "I-angular", "1/s2", (R * mu * N - T) / I, (s[two - 2].spin - s[one].spin) / t1, 1e-3);
        paper_row(run, "IV-acceleration", "m/s2", -down + mu * N / m, (s[STEPS].v - s[four].v) / t4, 1e-3);
        paper_row(run, "IV-angular", "1/s2", -(R * mu * N - T) / I, (s[STEPS].spin - s[four].spin) / t4, 1e-3);
        paper_row(run, "kinetic-force-printed", "N", 8.027, fabs(s[STEPS].force), 0.001 / 8.027);
        paper_row(run, "kinetic-torque-printed", "N m", 0.963, fabs(s[STEPS].couple), 0.0005 / 0.963);
    } else paper_row(run, "phases", "", 4.0, phase, 0.0);
    free(s);
}

/* ---- phase map, fig. 10 -------------------------------------------------------------------------------------------------------------- */

enum { STATIC, PURE_ROLLING, PURE_SLIP, BOTH };

static int predicted(double degrees, double eta)
{
    double slope = tan(degrees * PI / 180.0);
    if (slope <= 2.0 * eta * mu_static) return STATIC;
    if (slope <= 3.5 * mu_static - 5.0 * eta * mu) return PURE_ROLLING;
    return eta >= 0.5 ? PURE_SLIP : BOTH;
}

typedef struct map_job {
    int columns, rows;
    int *state; /* (columns x rows) */
} map_job;

static double map_angle(const map_job *m, int column)
{
    return 1.0 + 29.0 * column / (m->columns - 1);
}

static double map_eta(const map_job *m, int row)
{
    return row == m->rows - 1 ? 0.5 : 0.2 + 0.3 * row / (m->rows - 1);
}

/// What the sphere does in the end.
static int map_state(paper_run *own, double degrees, double eta)
{
    const double h = 2e-4;
    paper_sets sets = {0};
    scree_step_report report;
    double until;
    sight s = {0};
    paper_set(&sets, "slope=%.17g deg", degrees);
    paper_set(&sets, "materials.rubber.soft.eta_r=%.17g", eta);
    scree_simulation *simulation = paper_build(own, &sets, &until);
    if (own->status == SCREE_OK)
        own->status = scree_simulation_advance(simulation, (int64_t)(until / h + 0.5), &report, &own->error);
    if (own->status == SCREE_OK) s = look(simulation, 1, h);
    paper_end(own, simulation);
    return s.slides ? (s.rolls ? BOTH : PURE_SLIP) : (s.rolls ? PURE_ROLLING : STATIC);
}

/// One column of the map: all eta at one angle.
static void map_column(paper_run *own, int column, void *context)
{
    const map_job *m = context;
    for (int row = 0; row < m->rows; ++row)
        m->state[column * m->rows + row] = map_state(own, map_angle(m, column), map_eta(m, row));
}

/// Whether the state is predicted within one step of the grid.
static int by_a_border(const map_job *m, int column, int row)
{
    const double da = 29.0 / (m->columns - 1), de = 0.3 / (m->rows - 1);
    for (int k = -8; k <= 8; ++k)
        for (int l = -8; l <= 8; ++l)
            if (m->state[column * m->rows + row] ==
                predicted(map_angle(m, column) + k * da / 8, map_eta(m, row) + l * de / 8))
                return 1;
    return 0;
}

void paper_fn_map(paper_run *run)
{
    map_job m = {.columns = run->is_long ? 291 : 30, .rows = run->is_long ? 31 : 7};
    m.state = calloc((size_t)m.columns * (size_t)m.rows, sizeof *m.state);
    if (!m.state) return;
    double begin = scree_clock_seconds();
    paper_jobs(run, m.columns, map_column, &m);
    paper_say(run, "%d runs in %.1f s", m.columns * m.rows, scree_clock_seconds() - begin);
    FILE *csv = paper_open(run, "fn-map.csv", "alpha,eta_r,state,predicted\n");
    int far = 0, across = 0, seen[4] = {0};
    for (int c = 0; c < m.columns; ++c) {
        for (int r = 0; r < m.rows; ++r) {
            int found = m.state[c * m.rows + r], expected = predicted(map_angle(&m, c), map_eta(&m, r));
            seen[found] += 1, across += found != expected;
            far += found != expected && !by_a_border(&m, c, r);
            if (csv) fprintf(csv, "%.6g,%.6g,%d,%d\n", map_angle(&m, c), map_eta(&m, r), found, expected);
        }
        if (csv) fputc('\n', csv);
    }
    paper_close(run, csv, "fn-map.csv");
    free(m.state);
    paper_row(run, "wrong-beyond-one-grid-step", "", 0.0, far, 0.0);
    paper_row(run, "share-as-predicted", "", 1.0, 1.0 - (double)across / (m.columns * m.rows), 0.05);
    paper_row(run, "states-seen", "", 3.0, (seen[STATIC] > 0) + (seen[PURE_ROLLING] > 0) + (seen[BOTH] > 0), 0.0);
    /* the map ends at the border of pure slip, eta_r = 0.5 */
    for (int k = 51; k <= 100; k += 49) {
        char name[32];
        snprintf(name, sizeof name, "pure-slip-at-eta_r-%.2f", 0.01 * k);
        paper_row(run, name, "", PURE_SLIP, run->status == SCREE_OK ? map_state(run, 25.0, 0.01 * k) : -1, 0.0);
    }
}

/* ---- spinning sphere, 4.4 -------------------------------------------------------------------------------------------------------------- */

static void spin_eta(paper_run *run, double eta, FILE *csv)
{
    const double h = 2e-4, N = 49.0, I = 0.08, T = eta * mu * N * 0.2;
    char name[48];
    paper_sets sets = {0};
    scree_step_report report;
    paper_set(&sets, "materials.rubber.soft.eta_psi=%.17g", eta);
    scree_simulation *simulation = paper_build(run, &sets, NULL);
    double w1 = 0.0, w2 = 0.0, kinetic = 0.0, w_kinetic = 0.0, stop = 0.0, lowest = 0.0, torque = 0.0;
    sight s = {0};
    for (int step = 1; step <= 50000 && paper_step(run, simulation, &report); ++step) {
        s = look(simulation, 2, h);
        if (kinetic == 0.0 && report.modes[scree_mode_make(0, 0, -1)] == 1) kinetic = s.time, w_kinetic = s.spin;
        if (step == 2000) w1 = s.spin, torque = -s.couple;
        if (step == 12000) w2 = s.spin;
        if (stop == 0.0 && s.spin <= 0.0) stop = s.time;
        lowest = fmin(lowest, s.spin);
        if (csv && step % 100 == 0) fprintf(csv, "%.6g,%.6g,%.9g,%.9g\n", eta, s.time, s.spin, s.couple);
    }
    if (csv) fputs("\n\n", csv);
    paper_end(run, simulation);
    snprintf(name, sizeof name, "torque-%g", eta);
    paper_row(run, name, "N m", T, torque, 1e-6);
    snprintf(name, sizeof name, "slope-%g", eta);
    paper_row(run, name, "1/s2", T / I, (w1 - w2) / 2.0, 1e-3);
    snprintf(name, sizeof name, "stop-%g", eta);
    paper_row(run, name, "s", kinetic + I * w_kinetic / T, stop, 1e-3);
    snprintf(name, sizeof name, "rest-%g", eta);
    paper_row(run, name, "1/s", 0.0, fabs(s.spin), 1e-12);
    if (eta == 0.006) paper_row(run, "torque-printed", "N m", 0.0118, torque, 0.00005 / 0.0118);
    if (eta == 0.006) paper_row(run, "small-overshoot", "", 1.0, lowest < 0.0 && lowest > -0.01, 0.0);
}

/// Table 5: with Hertz' contact radius a the torque is a mu N/2, whatever K_E.
static void spin_hertz(paper_run *run, const char *what, double density, double E, double nu)
{
    static const double K_E[] = {5e5, 1e6, 5e6, 1e7};
    const double R = 0.02, m = density * 4.0 / 3.0 * PI * R * R * R, E_pair = 0.5 * E / (1.0 - nu * nu);
    const double a = cbrt(0.75 * m * g * R / E_pair), slope = 0.5 * a * mu * m * g / (0.4 * m * R * R), h = 2e-6;
    double worst = 0.0;
    char name[48];
    for (int k = 0; k < 4; ++k) {
        paper_sets sets = {0};
        scree_step_report report;
        double delta = pow(m * g / (4.0 / 3.0 * E_pair * sqrt(R)), 2.0 / 3.0);
        paper_set(&sets, "materials.rubber.soft={young: %.17g, poisson: %.17g}", E, nu);
        paper_set(&sets, "materials.rubber.soft.spin=hertz");
        paper_set(&sets, "materials.rubber.soft.damping=1");
        paper_set(&sets, "materials.rubber.soft.slide_stiffness=%.17g", K_E[k]);
        paper_set(&sets, "bodies.ball.shape.sphere.radius=%.17g", R);
        paper_set(&sets, "bodies.ball.mass=%.17g", m);
        paper_set(&sets, "bodies.ball.position=[0, 0, %.17g]", R - delta);
        paper_set(&sets, "stepper.step=%.17g", h);
        scree_simulation *simulation = paper_build(run, &sets, NULL);
        double w1 = 0.0, w2 = 0.0;
        for (int step = 1; step <= 30000 && paper_step(run, simulation, &report); ++step) {
            w2 = look(simulation, 2, h).spin;
            if (step == 20000) w1 = w2;
        }
        worst = fmax(worst, fabs((w1 - w2) / 0.02 / slope - 1.0));
        paper_end(run, simulation);
    }
    snprintf(name, sizeof name, "table-5-%s-slope-worst", what);
    paper_row(run, name, "", 0.0, worst, 2e-3);
}

void paper_fn_spin(paper_run *run)
{
    static const double etas[] = {0.012, 0.01, 0.008, 0.006};
    FILE *csv = paper_open(run, "fn-spin.csv", "eta_psi,t,spin,torque\n");
    for (int k = 0; k < 4; ++k) spin_eta(run, etas[k], csv);
    paper_close(run, csv, "fn-spin.csv");
    spin_hertz(run, "steel", 8000.0, 2e11, 0.3);
    spin_hertz(run, "glass", 2500.0, 5e10, 0.3);
}
