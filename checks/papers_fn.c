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

static scree_simulation *brick_build(paper_run *run, double angle, int damped, double h)
{
    paper_sets sets = {0};
    set_incline(&sets, angle, 1.0);
    paper_set(&sets, "bodies.brick.position=[0, 0, %.17g]", 1e-4 - 0.25e-5 * g * cos(angle));
    paper_set(&sets, "stepper.step=%.17g", h);
    if (!damped) paper_set(&sets, "materials.rubber.dem.slide_damping=0");
    return paper_build(run, &sets, NULL);
}

typedef struct brick_end {
    double force, speed, acceleration; /* at the end [N], [m/s]; over the last 1.5 s [m/s^2] */
    double mean, swing;                /* of the friction over the last 1.5 s; half its range [N] */
} brick_end;

static brick_end brick_run(paper_run *run, const brick_case *c, FILE *csv)
{
    const double h = 1e-4;
    scree_step_report report;
    scree_simulation *simulation = brick_build(run, c->angle, c->damped, h);
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
    return (brick_end){-s.force, fabs(s.v), (s.v - v1) / 1.5, sum / (step - 5001), 0.5 * (high - low)};
}

/// Displacement at which the friction of rest gives way, and the friction after it over K_E, without damping at 0.18: steps of 1 us,
/// in which the brick moves by 2e-4 of the threshold.
static void brick_thresholds(paper_run *run)
{
    const double h = 1e-6;
    scree_step_report report;
    scree_simulation *simulation = brick_build(run, 0.18, 0, h);
    sight s = {0}, old = {0};
    for (int step = 1; step <= 20000 && !s.slides && paper_step(run, simulation, &report); ++step)
        old = s, s = look(simulation, 1, h);
    if (paper_advance(run, simulation, 10, &report))
        s = look(simulation, 1, h); /* the step of the change is cut to S_s */
    paper_end(run, simulation);
    paper_row(run, "threshold-static", "m", printed(2.41e-5, "[FN] 4.1: S_s"), old.x, digits(0.005e-5, 2.41e-5));
    paper_row(run, "threshold-kinetic", "m", printed(1.92e-5, "[FN] 4.1: S_k"), -s.force / 1e5,
              digits(0.005e-5, 1.92e-5));
}

/// The largest angle at which the brick rests after 0.3 s, by bisection.
static double brick_limit(paper_run *run)
{
    double rests = 0.99 * atan(mu_static), slides = 1.001 * atan(mu_static);
    for (int k = 0; k < 16 && run->status == SCREE_OK; ++k) {
        double middle = 0.5 * (rests + slides);
        scree_step_report report;
        scree_simulation *simulation = brick_build(run, middle, 1, 1e-4);
        double speed = paper_advance(run, simulation, 3000, &report) ? fabs(look(simulation, 1, 1e-4).v) : (double)NAN;
        paper_end(run, simulation);
        if (speed < 1e-6) rests = middle;
        else slides = middle;
    }
    return rests;
}

void paper_fn_brick(paper_run *run)
{
    static const char rounding[] = "settled: rounding of 20,000 steps";
    const brick_case low = {"low", 0.18, 1}, kinetic = {"kinetic-limit", atan(mu), 1},
                     limit = {"static-limit", atan(mu_static), 1}, steep = {"steep", 0.25, 1},
                     undamped = {"undamped", 0.18, 0};
    const double N = g * cos(0.18), weight = g * sin(0.18);
    FILE *csv = paper_open(run, "fn-brick.csv", "case,t,x,v,friction\n");
    brick_end e = brick_run(run, &low, csv);
    paper_row(run, "low-friction", "N", closed_form(weight), e.force, within(1e-9, rounding));
    paper_row(run, "low-speed-at-rest", "m/s", printed(0.0, "[FN] 4.1: 0.18 sticks"), e.speed, within(1e-12, rounding));
    e = brick_run(run, &kinetic, csv);
    paper_row(run, "kinetic-limit-friction", "N", closed_form(g * sin(kinetic.angle)), e.force, within(1e-9, rounding));
    paper_row(run, "kinetic-limit-speed", "m/s", printed(0.0, "[FN] 4.1: atan mu_k sticks"), e.speed,
              within(1e-12, rounding));
    /* at this angle load and bound are one number: the corners' unequal loads decide, or rounding (README.md of the example) */
    e = brick_run(run, &limit, csv);
    paper_row(run, "static-limit-speed", "m/s", printed(0.0, "[FN] 4.1: atan mu_s sticks"), e.speed,
              within(1e-12, rounding));
    const double lever = 1e-4 - 0.5 * 0.25e-5 * g * cos(limit.angle), half_length = 0.1;
    paper_row(run, "static-limit-angle", "rad", printed(limit.angle, "[FN] 4.1: sticks up to atan mu_s"),
              brick_limit(run),
              within(mu_static * lever / half_length, "friction below the centre takes mu_s l/b off the rear corners"));
    e = brick_run(run, &steep, csv);
    paper_row(run, "steep-friction", "N", printed(1.899, "[FN] 4.1: E_f at 0.25"), e.force, digits(0.0005, 1.899));
    paper_row(run, "steep-acceleration", "m/s2", printed(0.525, "[FN] 4.1: at 0.25"), e.acceleration,
              digits(0.0005, 0.525));
    e = brick_run(run, &undamped, csv);
    paper_close(run, csv, "fn-brick.csv");
    paper_row(run, "undamped-mean-friction", "N", printed(1.75, "[FN] 4.1: oscillates around mg sin(alpha)"), e.mean,
              digits(0.005, 1.75));
    /* it is caught at mu_k N, where it stands still, and swings from there about its weight */
    paper_row(run, "undamped-swing", "N", closed_form(mu * N - weight), e.swing,
              within(2 * 1e-4 * sqrt(1e5), "caught and sampled at steps: 2 h w of a swing"));
    brick_thresholds(run);
}

/* ---- disk, 4.2 ------------------------------------------------------------------------------------------------------------------- */

typedef struct disk_end {
    double rolls_from; /* the slip is over [s] */
    double force, v, spin, couple;
    double stops, back;   /* when the spin first changes its sign [s]; the largest spin against it afterwards [1/s] */
    int changes, counted; /* of the sign of the torque, in the last 1000 steps, and those steps */
} disk_end;

typedef struct disk_case {
    const char *name, *model;
    double K_E, share, eta_r, h, until; /* share: of critical damping, sliding and rolling */
} disk_case;

static disk_end disk_run(paper_run *run, const disk_case *c, FILE *csv)
{
    paper_sets sets = {0};
    scree_step_report report;
    paper_set(&sets, "materials.rubber.dem.model=%s", c->model);
    paper_set(&sets, "materials.rubber.dem.slide_stiffness=%.17g", c->K_E);
    paper_set(&sets, "materials.rubber.dem.damping_share=%.17g", c->share);
    paper_set(&sets, "materials.rubber.dem.slide_damping=%.17g", 2.0 * c->share * sqrt(5.0 * c->K_E));
    paper_set(&sets, "materials.rubber.dem.eta_r=%.17g", c->eta_r);
    paper_set(&sets, "stepper.step=%.17g", c->h);
    scree_simulation *simulation = paper_build(run, &sets, NULL);
    disk_end e = {0};
    sight s = {0}, old = {0};
    int slid = 0, steps = (int)(c->until / c->h + 0.5);
    for (int step = 1; step <= steps && paper_step(run, simulation, &report); ++step, old = s) {
        s = look(simulation, 1, c->h);
        slid |= s.slides && step * c->h > 0.01;
        if (e.rolls_from == 0.0 && slid && !s.slides) e.rolls_from = s.time;
        if (e.stops == 0.0 && e.rolls_from > 0.0 && s.spin <= 0.0) e.stops = s.time;
        if (e.stops > 0.0) e.back = fmax(e.back, -s.spin);
        if (step > steps - 1000) e.changes += s.couple * old.couple < 0.0, e.counted += 1;
        if (csv && step % 20 == 0)
            fprintf(csv, "%s,%.6g,%.9g,%.9g,%.9g,%.9g\n", c->name, s.time, s.v, s.spin, s.force, s.couple);
    }
    e.force = s.force, e.v = s.v, e.spin = s.spin, e.couple = s.couple;
    if (csv) fputs("\n\n", csv);
    paper_end(run, simulation);
    return e;
}

/// Figure 7: "The overshoot decreases and the disk stops sooner for larger damping coefficients."
static void disk_damping(paper_run *run, FILE *csv)
{
    static const disk_case cases[] = {{"quarter", "published", 1e5, 0.25, 0.4, 1e-4, 3.0},
                                      {"half", "published", 1e5, 0.5, 0.4, 1e-4, 3.0},
                                      {"critical", "published", 1e5, 1.0, 0.4, 1e-4, 3.0}};
    disk_end e[3];
    int not_less = 0, not_sooner = 0;
    for (int k = 0; k < 3; ++k) e[k] = disk_run(run, &cases[k], csv);
    for (int k = 1; k < 3; ++k) not_less += !(e[k].back < e[k - 1].back), not_sooner += !(e[k].stops < e[k - 1].stops);
    paper_claim(run, "overshoot-not-less", "[FN] 4.2, fig. 7: less overshoot with more damping", not_less);
    paper_claim(run, "stops-not-sooner", "[FN] 4.2, fig. 7: stops sooner with more damping", not_sooner);
}

void paper_fn_disk(paper_run *run)
{
    static const disk_case critical = {"published", "published", 1e5, 1.0, 0.4, 1e-4, 3.0},
                           rigid = {"rigid", "published", 1e9, 0.0, 0.4, 5e-6, 0.15},
                           /* eq. 8 with mu_r = 0.1: 0.1 R N; here 2 eta_r mu N/K with K = 2/R */
        constant = {"constant_torque", "constant_torque", 1e5, 1.0, 0.5, 1e-4, 3.0};
    const double N = 49.0, R = 0.2, T = 0.4 * R * mu * N;
    const double closing = mu * g + R * (mu * N * R - T) / 0.1; /* of the slip, both kinetic */
    FILE *csv = paper_open(run, "fn-disk.csv", "model,t,v,spin,force,torque\n");
    disk_end ours = disk_run(run, &critical, csv), legacy = disk_run(run, &constant, csv),
             stiff = disk_run(run, &rigid, NULL);
    disk_damping(run, csv);
    paper_close(run, csv, "fn-disk.csv");
    paper_row(run, "rolls-from-rigid", "s", closed_form(0.5 / closing), stiff.rolls_from,
              within(sqrt(5.0 / 1e9) * closing / 0.5, "the springs' own time, (m/K_E)^1/2, with K_E = 1e9"));
    paper_row(run, "rolls-from-printed", "s", printed(0.11, "[FN] 4.2"), ours.rolls_from, digits(0.005, 0.11));
    paper_row(run, "speed-at-rest", "m/s", printed(0.0, "[FN] 4.2, fig. 8b: stops moving"),
              fabs(ours.v) + R * fabs(ours.spin), within(1e-11, "machine precision, of 0.5 m/s in 30,000 steps"));
    paper_row(run, "torque-at-rest", "N m", printed(0.0, "[FN] 4.2, fig. 8b: zero to machine precision"),
              fabs(ours.couple), within(1e-11, "machine precision, of 0.8 N m in 30,000 steps"));
    paper_row(run, "torque-changes-at-rest", "", printed(0.0, "[FN] 4.2: no rocking"), ours.changes,
              within(0.0, "a count"));
    paper_row(run, "legacy-torque", "N m", printed(0.1 * R * N, "[FN] eq. 8 with mu_r 0.1: mu_r R N"),
              fabs(legacy.couple), within(1e-6, "the normal force has settled: rounding"));
    paper_row(run, "legacy-changes", "", printed(legacy.counted, "[FN] 4.2, fig. 8a: oscillates between two values"),
              legacy.changes, within(0.0, "every step of the last 1,000"));
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
        const paper_bound arm = within(1e-4, "the lever arm of friction is shorter by half the overlap, 2.5e-5 of R"),
                          settled = within(1e-6, "constant forces, once the normal force has settled");
        paper_row(run, "snapshots-in-their-phase", "", printed(4.0, "[FN] 4.3, fig. 9 b to e"), seen,
                  within(0.0, "a count"));
        paper_row(run, "I-acceleration", "m/s2", closed_form(-down - mu * N / m), (s[two - 2].v - s[one].v) / t1,
                  settled);
        paper_row(run, "I-angular", "1/s2", closed_form((R * mu * N - T) / I), (s[two - 2].spin - s[one].spin) / t1,
                  arm);
        paper_row(run, "IV-acceleration", "m/s2", closed_form(-down + mu * N / m), (s[STEPS].v - s[four].v) / t4,
                  settled);
        paper_row(run, "IV-angular", "1/s2", closed_form(-(R * mu * N - T) / I), (s[STEPS].spin - s[four].spin) / t4,
                  arm);
        paper_row(run, "kinetic-force-printed", "N", printed(8.027, "[FN] 4.3: F_E"), fabs(s[STEPS].force),
                  digits(0.0005, 8.027));
        paper_row(run, "kinetic-torque-printed", "N m", printed(0.963, "[FN] 4.3: T_E"), fabs(s[STEPS].couple),
                  digits(0.0005, 0.963));
    } else paper_row(run, "phases", "", printed(4.0, "[FN] 4.3"), phase, within(0.0, "a count"));
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
    int as_printed; /* damping (m K_E)^1/2 and (I K_r)^1/2; else twice critical: docs/papers.md, slips */
    int *state;     /* (columns x rows) */
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
static int map_state(paper_run *own, double degrees, double eta, int as_printed)
{
    const double h = 2e-4;
    paper_sets sets = {0};
    scree_step_report report;
    double until;
    sight s = {0};
    paper_set(&sets, "slope=%.17g deg", degrees);
    paper_set(&sets, "materials.rubber.dem.eta_r=%.17g", eta);
    if (as_printed) {
        paper_set(&sets, "materials.rubber.dem.slide_damping=%.17g", sqrt(5.0 * 1e5));
        paper_set(&sets, "materials.rubber.dem.damping_share=0.5");
    }
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
        m->state[column * m->rows + row] = map_state(own, map_angle(m, column), map_eta(m, row), m->as_printed);
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

/// Runs the map and counts what is not as predicted: in rows below eta_r = 0.5; in that row, which is a border itself; and, of the first,
/// those that are wrong beyond one step of the grid. Returns the states seen, a bit each.
static int map_run(paper_run *run, map_job *m, const char *file, int *below, int *border, int *far)
{
    int seen = 0;
    *below = *border = *far = 0;
    m->state = calloc((size_t)m->columns * (size_t)m->rows, sizeof *m->state);
    if (!m->state) return 0;
    paper_jobs(run, m->columns, map_column, m);
    FILE *csv = paper_open(run, file, "alpha,eta_r,state,predicted\n");
    for (int c = 0; c < m->columns; ++c) {
        for (int r = 0; r < m->rows; ++r) {
            int found = m->state[c * m->rows + r], expected = predicted(map_angle(m, c), map_eta(m, r));
            int *count = r == m->rows - 1 ? border : below;
            seen |= 1 << found, *count += found != expected;
            *far += r < m->rows - 1 && found != expected && !by_a_border(m, c, r);
            if (csv) fprintf(csv, "%.6g,%.6g,%d,%d\n", map_angle(m, c), map_eta(m, r), found, expected);
        }
        if (csv) fputc('\n', csv);
    }
    paper_close(run, csv, file);
    free(m->state);
    return seen;
}

void paper_fn_map(paper_run *run)
{
    map_job m = {.columns = run->is_long ? 291 : 30, .rows = run->is_long ? 31 : 7},
            as_printed = {.columns = 30, .rows = 7, .as_printed = 1};
    double begin = scree_clock_seconds();
    int below, border, far, printed_below, printed_border, printed_far, states = 0;
    int seen = map_run(run, &m, "fn-map.csv", &below, &border, &far);
    paper_say(run, "%d runs in %.1f s", m.columns * m.rows, scree_clock_seconds() - begin);
    map_run(run, &as_printed, "fn-map-printed.csv", &printed_below, &printed_border, &printed_far);
    for (int k = 0; k < 4; ++k) states += seen >> k & 1;
    const char *const where = "[FN] fig. 10, borders of App. D";
    paper_claim(run, "off-prediction", where, below);
    paper_claim(run, "off-beyond-one-grid-step", where, far);
    paper_claim(run, "off-at-eta_r-0.5", "[FN] fig. 10: pure slip for eta_r >= 0.5", border);
    paper_row(run, "states-seen", "", printed(4.0, "[FN] table 4, fig. 10"), states, within(0.0, "a count"));
    paper_claim(run, "off-with-printed-damping", "[FN] 4.3: damping (m K_E)^1/2, (I K_r)^1/2", printed_below);
    /* the map ends at the border of pure slip, eta_r = 0.5 */
    for (int k = 51; k <= 100; k += 49) {
        char name[32];
        snprintf(name, sizeof name, "not-pure-slip-at-eta_r-%.2f", 0.01 * k);
        paper_claim(run, name, "[FN] fig. 10: pure slip for eta_r >= 0.5",
                    run->status == SCREE_OK && map_state(run, 25.0, 0.01 * k, 0) != PURE_SLIP);
    }
}

/* ---- spinning sphere, 4.4 -------------------------------------------------------------------------------------------------------------- */

/// One step of Runge and Kutta of I psi'' = -K psi - D psi'.
static void swing_on(double K, double D, double I, double h, double *psi, double *w)
{
    double k[4][2], at[2];
    for (int stage = 0; stage < 4; ++stage) {
        double part = stage == 0 ? 0.0 : stage == 3 ? h : 0.5 * h;
        at[0] = *psi + (stage ? part * k[stage - 1][0] : 0.0), at[1] = *w + (stage ? part * k[stage - 1][1] : 0.0);
        k[stage][0] = at[1], k[stage][1] = -(K * at[0] + D * at[1]) / I;
    }
    *psi += h / 6.0 * (k[0][0] + 2.0 * k[1][0] + 2.0 * k[2][0] + k[3][0]);
    *w += h / 6.0 * (k[0][1] + 2.0 * k[1][1] + 2.0 * k[2][1] + k[3][1]);
}

paper_spin paper_spin_life(double K, double D, double I, double w, double rest_torque, double torque)
{
    paper_spin life = {.p = sqrt(K / I)};
    const double h = 1e-4 / life.p;
    double psi = 0.0, time = 0.0, old = 0.0;
    while (K * psi < rest_torque && w > 0.0) old = psi, swing_on(K, D, I, h, &psi, &w), time += h;
    time -= h * (psi - rest_torque / K) / (psi - old); /* back to where it gave way */
    life.stop = time + I * w / torque;
    life.angle = rest_torque / K + 0.5 * I * w * w / torque - torque / K;
    psi = torque / K, w = 0.0;
    do swing_on(K, D, I, h, &psi, &w), life.back = fmax(life.back, -w);
    while (-w >= life.back);
    return life;
}

/// Angle about the vertical, below a whole turn.
static double turned(scree_simulation *simulation)
{
    const scree_world *world = scree_simulation_world(simulation);
    const double *q = scree_world_rotations(world) + 4 * (size_t)(scree_world_body_count(world) - 1);
    double a = 2.0 * atan2(q[3], q[0]);
    return a < 0.0 ? a + 2.0 * PI : a;
}

static void spin_eta(paper_run *run, double eta, FILE *csv)
{
    const double h = 1e-4, N = 49.0, R = 0.2, I = 0.08, K_E = 1e5, bend = 5.0, T = eta * mu * N * R;
    const double K = eta * K_E / (bend * bend);
    const paper_spin theory = paper_spin_life(K, 2.0 * sqrt(I * K), I, 1.0, eta * mu_static * N * R, T);
    const paper_bound late = within(2.0 * theory.p * h, "first order: friction begins a step late, 2 p h of the spin");
    char name[48];
    paper_sets sets = {0};
    scree_step_report report;
    paper_set(&sets, "materials.rubber.dem.eta_psi=%.17g", eta);
    paper_set(&sets, "stepper.step=%.17g", h);
    scree_simulation *simulation = paper_build(run, &sets, NULL);
    double w1 = 0.0, w2 = 0.0, stop = 0.0, lowest = 0.0, torque = 0.0, angle = 0.0;
    sight s = {0};
    for (int step = 1; step <= 80000 && paper_step(run, simulation, &report); ++step) {
        s = look(simulation, 2, h);
        if (step == 4000) w1 = s.spin, torque = -s.couple;
        if (step == 24000) w2 = s.spin;
        if (stop == 0.0 && s.spin <= 0.0) stop = s.time;
        lowest = fmin(lowest, s.spin);
        if (csv && step % 200 == 0) fprintf(csv, "%.6g,%.6g,%.9g,%.9g\n", eta, s.time, s.spin, s.couple);
    }
    if (simulation) angle = turned(simulation);
    if (csv) fputs("\n\n", csv);
    paper_end(run, simulation);
    snprintf(name, sizeof name, "slope-%g", eta);
    paper_row(run, name, "1/s2", closed_form(T / I), (w1 - w2) / 2.0, within(1e-9, "constant torque: rounding"));
    snprintf(name, sizeof name, "stop-%g", eta);
    paper_row(run, name, "s", closed_form(theory.stop), stop, late);
    snprintf(name, sizeof name, "overshoot-%g", eta);
    paper_row(run, name, "1/s", closed_form(theory.back), -lowest, late);
    snprintf(name, sizeof name, "frame-angle-%g", eta); /* figure 12, right: where the frame has come to at 8 s */
    paper_row(run, name, "rad", closed_form(theory.angle), angle, within(2.0 * late.value, "twice that of the spin"));
    snprintf(name, sizeof name, "rest-%g", eta);
    paper_row(run, name, "1/s", printed(0.0, "[FN] 4.4: 8 s is long enough to stop"), fabs(s.spin),
              within(1e-10, "exp(-p t) of the overshoot at 8 s, p = 17 1/s and more"));
    if (eta == 0.006)
        paper_row(run, "torque", "N m", printed(0.0118, "[FN] 4.4: T_psi"), torque, digits(0.00005, 0.0118));
}

typedef struct table5_row {
    const char *name;
    double R, density, E, nu;
} table5_row;

/// Table 5: with Hertz' contact radius a the torque is a mu N/2, whatever K_E; the overshoot mu N/(e (2 I K_E)^1/2) falls with it.
static void spin_hertz(paper_run *run, const table5_row *row)
{
    static const double K_E[] = {5e5, 1e6, 5e6, 1e7};
    const double h = 1e-5, R = row->R, m = row->density * 4.0 / 3.0 * PI * R * R * R, N = m * g, I = 0.4 * m * R * R;
    const double E_pair = 0.5 * row->E / (1.0 - row->nu * row->nu), a = cbrt(0.75 * N * R / E_pair),
                 T = 0.5 * a * mu * N;
    const double delta = a * a / R;
    double slope_off = 0.0, back_off = 0.0, last = 1.0, p_most = sqrt(0.5 * a * a * K_E[3] / I);
    int not_less = 0;
    char name[48];
    for (int k = 0; k < 4; ++k) {
        paper_sets sets = {0};
        scree_step_report report;
        paper_set(&sets,
                  "materials.rubber.dem={model: published, spin: hertz, damping: 1, young: %.17g, poisson: %.17g}",
                  row->E, row->nu);
        paper_set(&sets, "materials.rubber.dem.slide_stiffness=%.17g", K_E[k]);
        paper_set(&sets, "bodies.ball.shape.sphere.radius=%.17g", R);
        paper_set(&sets, "bodies.ball.mass=%.17g", m);
        paper_set(&sets, "bodies.ball.position=[0, 0, %.17g]", R - delta);
        paper_set(&sets, "stepper.step=%.17g", h);
        scree_simulation *simulation = paper_build(run, &sets, NULL);
        double w1 = 0.0, w = 1.0, t1 = 0.0, t2 = 0.0, w2 = 0.0, lowest = 0.0;
        for (int step = 1; step <= 1000000 && paper_step(run, simulation, &report); ++step) {
            double old = w;
            w = look(simulation, 2, h).spin;
            if (w1 == 0.0 && w < 0.7) w1 = w, t1 = step * h;
            if (w2 == 0.0 && w < 0.1) w2 = w, t2 = step * h;
            lowest = fmin(lowest, w);
            if (w < 0.0 && w > old) break; /* past the largest overshoot */
        }
        paper_end(run, simulation);
        slope_off = fmax(slope_off, fabs((w1 - w2) / (t2 - t1) * I / T - 1.0));
        const double back = mu * N / (exp(1.0) * sqrt(2.0 * I * K_E[k]));
        back_off = fmax(back_off, fabs(-lowest / back - 1.0));
        not_less += !(-lowest < last), last = -lowest;
    }
    snprintf(name, sizeof name, "table-5-%s-slope-worst", row->name);
    paper_row(run, name, "", closed_form(0.0), slope_off,
              within(1e-6, "constant torque, once the normal force has settled"));
    snprintf(name, sizeof name, "table-5-%s-overshoot-worst", row->name);
    paper_row(run, name, "", closed_form(0.0), back_off, within(2.0 * p_most * h, "first order: 2 p h"));
    snprintf(name, sizeof name, "table-5-%s-overshoot-not-less", row->name);
    paper_claim(run, name, "[FN] 4.4, fig. 12: larger overshoot for smaller K_E", not_less);
}

void paper_fn_spin(paper_run *run)
{
    static const double etas[] = {0.012, 0.01, 0.008, 0.006};
    static const table5_row tests[] = {{"1-steel", 0.02, 8000.0, 2e11, 0.3},
                                       {"2-steel", 0.04, 8000.0, 2e11, 0.3},
                                       {"3-glass", 0.02, 2500.0, 5e10, 0.2}};
    FILE *csv = paper_open(run, "fn-spin.csv", "eta_psi,t,spin,torque\n");
    for (int k = 0; k < 4; ++k) spin_eta(run, etas[k], csv);
    paper_close(run, csv, "fn-spin.csv");
    for (int k = 0; k < 3; ++k) spin_hertz(run, &tests[k]);
}
