/* papers_flow.c: grains that flow, against published measurements: the angle in a rotating drum, the flow out of a hopper (papers.h).
 *
 * Drum. A flat surface across a round drum cuts off a piece whose centre of mass lies on the normal of the surface through the axis,
 * whatever the filling. So the angle of the surface is that of the line from the axis to the centre of mass against the vertical.
 * Published: dense flows of glass beads have an effective friction between tan 20.9 deg (about to stop) and tan 32.76 deg (fast);
 * P. Jop, Y. Forterre, O. Pouliquen, Nature 441 (2006) 727. A steady surface flow stands at an angle between the two.
 *
 * Hopper. Beverloo's law for a round outlet in a flat bottom, W = C rho_b sqrt(g) (D - k d)^2.5; W. A. Beverloo, H. A. Leniger,
 * J. van de Velde, Chem. Eng. Sci. 15 (1961) 260, who found C = 0.58, k = 1.4; later measurements scatter in C from 0.55 to 0.65.
 * The bulk density rho_b is measured in the run, before the gate opens; C follows from the flow. */
#include "cli/papers.h"

#include <math.h>

enum { CASES_MAX = 2, SAMPLES_MAX = 1000 };

/// What was measured over time, and over the whole run.
typedef struct record {
    int count;
    double time[SAMPLES_MAX], value[SAMPLES_MAX];
    double bulk_density;
    int64_t unconverged;
} record;

typedef struct flow_study {
    int count;
    double input[CASES_MAX]; /* speed of the drum [rad/s], or diameter of the grains [m] */
    record each[CASES_MAX];
} flow_study;

static void note(record *r, double time, double value)
{
    if (r->count == SAMPLES_MAX) return;
    r->time[r->count] = time, r->value[r->count++] = value;
}

static void finish(paper_run *run, scree_simulation *simulation, record *r)
{
    if (simulation) r->unconverged = scree_stepper_totals(scree_simulation_stepper(simulation))->unconverged;
    paper_end(run, simulation);
}

/// The samples as blocks of a CSV file, a case each.
static void put_records(paper_run *run, const flow_study *all, const char *name, const char *head)
{
    FILE *csv = paper_open(run, name, head);
    for (int c = 0; csv && c < all->count; ++c) {
        const record *r = &all->each[c];
        if (c > 0) fputs("\n\n", csv);
        for (int k = 0; k < r->count; ++k) fprintf(csv, "%g,%.6g,%.8g\n", all->input[c], r->time[k], r->value[k]);
    }
    paper_close(run, csv, name);
}

static void put_unconverged(paper_run *run, const flow_study *all)
{
    int64_t sum = 0;
    for (int c = 0; c < all->count; ++c) sum += all->each[c].unconverged;
    paper_row(run, "unconverged-steps", "", 0.0, (double)sum, 0.0);
}

/* ---- the drum ------------------------------------------------------------------------------------------------------------------ */

static const double slowest = 20.9, fastest = 32.76; /* published, of glass beads [deg] */
enum { DRUM_EVERY = 10 };                            /* steps between two samples       */

static double surface_angle(const scree_world *world)
{
    const double *x = scree_world_positions(world);
    double sum[3] = {0.0, 0.0, 0.0};
    for (int b = 0; b < scree_world_body_count(world); ++b) {
        if (scree_world_body_kind(world, b) != SCREE_DYNAMIC) continue;
        double mass = scree_world_mass(world, b);
        for (int i = 0; i < 3; ++i) sum[i] += mass * x[3 * b + i];
    }
    return atan2(sum[0], -sum[2]) / 0.017453292519943295;
}

static void turn(paper_run *run, int index, void *context)
{
    flow_study *all = context;
    record *r = &all->each[index];
    double until;
    paper_sets sets = {0};
    scree_step_report report;
    paper_set(&sets, "bodies.drum.motion.spin=[0, %.17g, 0]", -all->input[index]);
    if (run->is_long) { /* twice as wide */
        paper_set(&sets, "container.y=[-0.06, 0.06]");
        paper_set(&sets, "generators[0].packing.count=960");
        paper_set(&sets, "generators[0].packing.region.box.min=[-0.098, -0.06, -0.098]");
        paper_set(&sets, "generators[0].packing.region.box.max=[0.098, 0.06, 0.098]");
    }
    scree_simulation *simulation = paper_build(run, &sets, &until);
    while (simulation && scree_world_time(scree_simulation_world(simulation)) < until - 1e-9) {
        if (!paper_step(run, simulation, &report)) break;
        if (report.step % DRUM_EVERY == 0) note(r, report.time, surface_angle(scree_simulation_world(simulation)));
    }
    finish(run, simulation, r);
}

/// Mean over the second half of the run: in the first the beads fall, and are lifted to the angle.
static double late_mean(const record *r)
{
    int first = r->count / 2;
    double sum = 0.0;
    for (int k = first; k < r->count; ++k) sum += r->value[k];
    return r->count ? sum / (r->count - first) : 0.0;
}

void paper_drum(paper_run *run)
{
    static flow_study all; /* too large for a stack */
    char name[48];
    all = (flow_study){.count = run->is_long ? 2 : 1, .input = {0.5, 1.0}};
    paper_jobs(run, all.count, turn, &all);
    put_records(run, &all, "drum.csv", "speed,time,angle\n");
    for (int c = 0; c < all.count; ++c) {
        double middle = (slowest + fastest) / 2;
        snprintf(name, sizeof name, "angle-at-%g", all.input[c]);
        paper_row(run, name, "deg", middle, late_mean(&all.each[c]), (fastest - slowest) / 2 / middle);
    }
    if (all.count > 1)
        paper_row(run, "faster-not-steeper", "", 0.0, !(late_mean(&all.each[1]) > late_mean(&all.each[0])), 0.0);
    put_unconverged(run, &all);
}

/* ---- the hopper ---------------------------------------------------------------------------------------------------------------- */

static const double gravity = 9.81, outlet = 0.030, bin = 0.064, bottom = -0.006; /* as the scene says [m/s^2, m] */
static const double gate_opens = 0.25,
                    flow_from = 0.35;                  /* [s]: a tenth of a second after the gate the flow is steady */
static const double slab_low = 0.01, slab_high = 0.04; /* of the bulk density: off the bottom, below the surface [m] */
static const double beverloo_k = 1.4, beverloo_c = 0.60, beverloo_scatter = 0.05;

/// Mass of the grains whose centres lie between two heights.
static double mass_between(const scree_world *world, double low, double high)
{
    const double *x = scree_world_positions(world);
    double mass = 0.0;
    for (int b = 0; b < scree_world_body_count(world); ++b)
        if (scree_world_body_kind(world, b) == SCREE_DYNAMIC && x[3 * b + 2] >= low && x[3 * b + 2] < high)
            mass += scree_world_mass(world, b);
    return mass;
}

static void discharge(paper_run *run, int index, void *context)
{
    flow_study *all = context;
    record *r = &all->each[index];
    double until, diameter = all->input[index];
    paper_sets sets = {0};
    scree_step_report report;
    paper_set(&sets, "generators[0].radius=%.17g", diameter / 2);
    paper_set(&sets, "generators[0].packing.count=%.0f", 1300 * pow(0.006 / diameter, 3)); /* the same bed */
    scree_simulation *simulation = paper_build(run, &sets, &until);
    while (simulation && scree_world_time(scree_simulation_world(simulation)) < until - 1e-9) {
        const scree_world *world = scree_simulation_world(simulation);
        if (!paper_step(run, simulation, &report)) break;
        if (report.time < gate_opens)
            r->bulk_density = mass_between(world, slab_low, slab_high) / (bin * bin * (slab_high - slab_low));
        else if (report.time >= flow_from) note(r, report.time, mass_between(world, -INFINITY, bottom));
    }
    finish(run, simulation, r);
}

/// Slope of the line through samples first .. end - 1, by least squares.
static double slope(const record *r, int first, int end)
{
    double t = 0.0, v = 0.0, tt = 0.0, tv = 0.0;
    for (int k = first; k < end; ++k) t += r->time[k], v += r->value[k];
    t /= end - first, v /= end - first;
    for (int k = first; k < end; ++k) {
        tt += (r->time[k] - t) * (r->time[k] - t);
        tv += (r->time[k] - t) * (r->value[k] - v);
    }
    return tv / tt;
}

void paper_hopper(paper_run *run)
{
    static flow_study all;
    char name[48];
    all = (flow_study){.count = run->is_long ? 2 : 1, .input = {0.006, 0.005}};
    paper_jobs(run, all.count, discharge, &all);
    put_records(run, &all, "hopper.csv", "diameter,time,mass\n");
    FILE *csv = paper_open(run, "flows.csv", "diameter,bulk_density,flow,C\n");
    for (int c = 0; c < all.count && run->status == SCREE_OK; ++c) {
        const record *r = &all.each[c];
        double d = all.input[c], flow = slope(r, 0, r->count);
        int half = r->count / 2;
        double found = flow / (r->bulk_density * sqrt(gravity) * pow(outlet - beverloo_k * d, 2.5));
        if (csv) fprintf(csv, "%g,%.6g,%.6g,%.6g\n", d, r->bulk_density, flow, found);
        snprintf(name, sizeof name, "C-at-%gmm", 1e3 * d);
        paper_row(run, name, "", beverloo_c, found, beverloo_scatter / beverloo_c);
        snprintf(name, sizeof name, "late-over-early-flow-at-%gmm", 1e3 * d); /* does not depend on the filling */
        paper_row(run, name, "", 1.0, slope(r, half, r->count) / slope(r, 0, half), 0.15);
    }
    paper_close(run, csv, "flows.csv");
    put_unconverged(run, &all);
}
