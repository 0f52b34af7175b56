/* papers_flow.c: grains that flow, against what is published: in a rotating drum, out of a hopper (papers.h).
 * Set-ups and bounds were fixed before the first run. With sources, and what was changed later, they stand in examples/papers/drum and
 * hopper.
 *
 * Drum. The surface is a line through eight places across it; the height at a place is the mean of the highest beads there, from the
 * first second on. Beside it, over time: a flat surface across a round drum cuts off a piece whose centre of mass lies on the normal
 * of the surface through the axis, whatever the filling, so the line from the axis to the centre of mass gives the angle of all beads.
 * In a second drum, with soft contacts: velocities on the normal of the surface through the axis.
 *
 * Hopper. Beverloo's law for a round outlet in a flat bottom, W = C rho_b sqrt(g) (D - k d)^2.5. The bulk density rho_b is measured
 * before the gate opens. C follows from each flow with Beverloo's k; both, to be seen, from the line (W/(rho_b sqrt g))^0.4 =
 * C^0.4 (D - k d). */
#include "checks/papers.h"

#include <math.h>
#include <string.h>

enum { CASES_MAX = 5, SEEDS_MAX = 4, SAMPLES_MAX = 1000, PLACES = 8, DEPTHS = 36 };
enum { AT_END, AT_MIDDLE, ZONES }; /* along the axis of the drum */

/// What was measured over time, and over the whole run.
typedef struct record {
    int count;
    double time[SAMPLES_MAX], value[SAMPLES_MAX];
    double bulk_density;
    double height[ZONES][PLACES]; /* drum: of the surface, summed over samples [m] */
    int heights;                  /* samples in these sums                       */
    double velocity[DEPTHS];      /* drum: along the surface, summed over beads [m/s] */
    int64_t beads[DEPTHS];        /* in these sums */
    int64_t unconverged;
} record;

/// Cases, each with several beds that differ in nothing but their random numbers: one run tells little.
typedef struct flow_study {
    int cases, seeds, first_seed;
    int beds[CASES_MAX];     /* of a case, at most `seeds`                        */
    double input[CASES_MAX]; /* length of the drum, or diameter of the grains [m] */
    record each[CASES_MAX][SEEDS_MAX];
} flow_study;

/// `beds` of each case in the long form; quick: one. Returns the jobs, of which those of beds that a case does not have do nothing.
static int begin(const paper_run *run, int cases, const int *beds, int first_seed, flow_study *all)
{
    all->cases = cases, all->seeds = run->is_long ? SEEDS_MAX : 1, all->first_seed = first_seed;
    for (int i = 0; i < cases; ++i) all->beds[i] = run->is_long ? beds[i] : 1;
    memset(all->each, 0, sizeof all->each);
    return cases * all->seeds;
}

/// Mean over the beds of a case; `scatter`, where asked for, is their standard deviation.
static double mean_of(const flow_study *all, int which, double (*value)(const flow_study *, int which, int seed),
                      double *scatter)
{
    double sum = 0.0, squares = 0.0;
    for (int k = 0; k < all->beds[which]; ++k) sum += value(all, which, k);
    double mean = sum / all->beds[which];
    for (int k = 0; k < all->beds[which]; ++k) squares += pow(value(all, which, k) - mean, 2.0);
    if (scatter) *scatter = all->beds[which] > 1 ? sqrt(squares / (all->beds[which] - 1)) : 0.0;
    return mean;
}

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

/// The samples as blocks of a CSV file, a bed each.
static void put_records(paper_run *run, const flow_study *all, const char *name, const char *head)
{
    FILE *csv = paper_open(run, name, head);
    for (int job = 0; csv && job < all->cases * all->seeds; ++job) {
        int which = job / all->seeds, seed = job % all->seeds;
        const record *r = &all->each[which][seed];
        if (seed >= all->beds[which]) continue;
        if (job > 0) fputs("\n\n", csv);
        for (int k = 0; k < r->count; ++k)
            fprintf(csv, "%g,%d,%.6g,%.8g\n", all->input[which], all->first_seed + seed, r->time[k], r->value[k]);
    }
    paper_close(run, csv, name);
}

/// Slope of the line through count points, by least squares.
static double slope(int count, const double *x, const double *y)
{
    double x_mean = 0.0, y_mean = 0.0, xx = 0.0, xy = 0.0;
    for (int k = 0; k < count; ++k) x_mean += x[k] / count, y_mean += y[k] / count;
    for (int k = 0; k < count; ++k) {
        xx += (x[k] - x_mean) * (x[k] - x_mean);
        xy += (x[k] - x_mean) * (y[k] - y_mean);
    }
    return xy / xx;
}

static void put_unconverged(paper_run *run, const flow_study *all)
{
    int64_t sum = 0;
    for (int c = 0; c < all->cases; ++c)
        for (int k = 0; k < all->seeds; ++k) sum += all->each[c][k].unconverged;
    paper_claim(run, "unconverged-steps", "every step reaches the tolerance of the scene", (int)sum);
}

/* ---- the drum ------------------------------------------------------------------------------------------------------------------ */

/* Published [deg]: bounds of dense flows of glass beads; what the coefficients were chosen to give, by a program in which the ends
 * stood still, with the scatter of such measurements. Where the ends turn: what LIGGGHTS gave for the same set-up. */
static const double slowest = 20.9, fastest = 32.76, published = 26.0, published_scatter = 3.0, other_program = 34.7;
static const double drum_radius = 0.069, end_wall = -0.0925; /* as the scene says [m]                         */
static const double window = 0.0225, reach = 0.003;          /* beads this near to a wall and to a place [m]  */
static const double measured_from = 1.0;                     /* when the flow is steady [s]                   */
enum { DRUM_EVERY = 10, HIGHEST = 5 };                       /* steps between two samples; beads at a place   */
static const double degree = 0.017453292519943295;

static double angle_of_mass(const scree_world *world)
{
    const double *x = scree_world_positions(world);
    double sum[3] = {0.0, 0.0, 0.0};
    for (int b = 0; b < scree_world_body_count(world); ++b) {
        if (scree_world_body_kind(world, scree_body_at(b)) != SCREE_BODY_DYNAMIC) continue;
        double mass = scree_world_mass(world, scree_body_at(b));
        for (int i = 0; i < 3; ++i) sum[i] += mass * x[3 * b + i];
    }
    return atan2(sum[0], -sum[2]) / degree;
}

static double place(double radius, int k)
{
    return radius * ((double)k / (PLACES - 1) - 0.5);
}

/// Mean height of the highest beads about place k of a drum, between two positions along the axis.
static double surface_height(const scree_world *world, double radius, int k, double from, double to)
{
    const double *x = scree_world_positions(world);
    double highest[HIGHEST];
    int count = 0;
    for (int b = 0; b < scree_world_body_count(world); ++b) {
        const double *at = x + 3 * b;
        if (scree_world_body_kind(world, scree_body_at(b)) != SCREE_BODY_DYNAMIC || at[1] < from || at[1] > to)
            continue;
        if (fabs(at[0] - place(radius, k)) >= reach || (count == HIGHEST && at[2] <= highest[count - 1])) continue;
        int i = count < HIGHEST ? count++ : HIGHEST - 1;
        for (; i > 0 && highest[i - 1] < at[2]; --i) highest[i] = highest[i - 1];
        highest[i] = at[2];
    }
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += highest[i];
    return count ? sum / count : 0.0;
}

static void note_surface(record *r, const scree_world *world, double middle)
{
    for (int k = 0; k < PLACES; ++k) {
        r->height[AT_END][k] += surface_height(world, drum_radius, k, end_wall, end_wall + window);
        r->height[AT_MIDDLE][k] += surface_height(world, drum_radius, k, middle - window, middle);
    }
    r->heights += 1;
}

/* A slice of the middle, of beads of several sizes; half of the drum, its end turning or not. */
enum { SLICE, HALF, HALF_STANDING, DRUMS };
static const int drum_beds[DRUMS] = {4, 2, 2};

static void turn(paper_run *run, int job, void *context)
{
    flow_study *all = context;
    int index = job / all->seeds, seed = job % all->seeds;
    record *r = &all->each[index][seed];
    int is_half = index != SLICE;
    if (seed >= all->beds[index]) return;
    double until, middle = is_half ? end_wall + all->input[index] : all->input[SLICE] / 2;
    paper_sets sets = {0};
    scree_step_report report;
    paper_set(&sets, "generators[0].seed=%d", all->first_seed + seed);
    paper_set(&sets, "container.y=[%.17g, %.17g]", is_half ? -0.2 : -middle, middle);
    paper_set(&sets, "generators[0].lattice.count=[15, %d, 16]", is_half ? 12 : 3);
    paper_set(&sets, "generators[0].lattice.origin=[-0.0441, %g, -0.04725]", is_half ? -0.0815 : -0.0063);
    if (!is_half) paper_set(&sets, "generators[0].radius={uniform: {min: 2.6 mm, max: 3.1 mm}}");
    if (index == HALF_STANDING) paper_set(&sets, "bodies[1].motion.spin=[0, 0, 0]");
    if (!run->is_long) paper_set(&sets, "run.until=2");
    scree_simulation *simulation = paper_build(run, &sets, &until);
    while (simulation && scree_world_time(scree_simulation_world(simulation)) < until - 1e-9) {
        if (!paper_step(run, simulation, &report)) break;
        if (report.step % DRUM_EVERY != 0) continue;
        const scree_world *world = scree_simulation_world(simulation);
        note(r, report.time, angle_of_mass(world));
        if (report.time > measured_from) note_surface(r, world, middle);
    }
    finish(run, simulation, r);
}

static double surface_angle(const record *r, double radius, int zone)
{
    double x[PLACES];
    for (int k = 0; k < PLACES; ++k) x[k] = place(radius, k);
    return r->heights ? atan(slope(PLACES, x, r->height[zone]) / r->heights) / degree : 0.0;
}

static double angle_at_end(const flow_study *all, int which, int seed)
{
    return surface_angle(&all->each[which][seed], drum_radius, AT_END);
}

static double angle_at_middle(const flow_study *all, int which, int seed)
{
    return surface_angle(&all->each[which][seed], drum_radius, AT_MIDDLE);
}

/* ---- velocities in a drum (flow.yaml) ------------------------------------------------------------------------------------------- */

/* E. Alizadeh and others (examples/papers/drum): the surface [deg]; depths on its normal through the axis [m] and how fast beads go down
 * along the surface there [m/s], as published and as LIGGGHTS has it for this scene. The published points scatter about a smooth curve
 * by 0.015 m/s and pass 0 at `measured_rest`; they carry up more than they carry down, so that no steady flow can have them. */
enum { DEPTH, MEASURED, OTHER_PROGRAM, SOURCES };
static const double measured_angle = 27.0, measured_rest = -0.0594, velocity_scatter = 0.015;
static const double profile[DEPTHS][SOURCES] = {
    {-0.0303, 0.348, 0.565},   {-0.0349, 0.331, 0.489},   {-0.0326, 0.317, 0.530},   {-0.0371, 0.297, 0.439},
    {-0.0282, 0.279, 0.625},   {-0.0413, 0.254, 0.340},   {-0.0390, 0.223, 0.396},   {-0.0435, 0.209, 0.291},
    {-0.0450, 0.195, 0.258},   {-0.0495, 0.155, 0.167},   {-0.0480, 0.143, 0.198},   {-0.0517, 0.123, 0.124},
    {-0.0539, 0.091, 0.082},   {-0.0557, 0.041, 0.050},   {-0.0587, 0.013, 0.003},   {-0.0601, -0.014, -0.013},
    {-0.0622, -0.016, -0.034}, {-0.0651, -0.040, -0.054}, {-0.0671, -0.055, -0.064}, {-0.0695, -0.071, -0.073},
    {-0.0710, -0.083, -0.077}, {-0.0741, -0.092, -0.083}, {-0.0755, -0.097, -0.086}, {-0.0775, -0.105, -0.089},
    {-0.0797, -0.108, -0.092}, {-0.0819, -0.118, -0.095}, {-0.0843, -0.120, -0.098}, {-0.0857, -0.130, -0.100},
    {-0.0888, -0.122, -0.104}, {-0.0908, -0.128, -0.107}, {-0.0954, -0.131, -0.112}, {-0.0986, -0.136, -0.116},
    {-0.1012, -0.136, -0.120}, {-0.1040, -0.137, -0.123}, {-0.1068, -0.137, -0.126}, {-0.1130, -0.141, -0.134},
};
static const double flow_radius = 0.120, flow_bead = 0.003, flow_steady = 2.0; /* as the scene says [m]; [s] */
static const int flow_beds[1] = {2};
enum { FLOW_EVERY = 200 }; /* steps between two samples  */

/// Adds the beads within `reach` of each of the depths, in the published frame: 27 degrees, whatever the angle is here.
static void note_velocities(record *r, const scree_world *world)
{
    const double *x = scree_world_positions(world), *v = scree_world_velocities(world);
    double c = cos(measured_angle * degree), s = sin(measured_angle * degree);
    for (int b = 0; b < scree_world_body_count(world); ++b) {
        const double *at = x + 3 * b, *speed = v + 3 * b;
        double along = -c * at[0] - s * at[2], depth = -s * at[0] + c * at[2];
        if (scree_world_body_kind(world, scree_body_at(b)) != SCREE_BODY_DYNAMIC || fabs(along) >= reach) continue;
        for (int k = 0; k < DEPTHS; ++k) {
            if (hypot(along, depth - profile[k][DEPTH]) >= reach) continue;
            r->velocity[k] += -c * speed[0] - s * speed[2];
            r->beads[k] += 1;
        }
    }
}

static void turn_flow(paper_run *run, int job, void *context)
{
    flow_study *all = context;
    record *r = &all->each[0][job];
    double until;
    paper_sets sets = {0};
    scree_step_report report;
    if (job >= all->beds[0]) return;
    run->file = "flow.yaml";
    paper_set(&sets, "generators[0].seed=%d", all->first_seed + job);
    scree_simulation *simulation = paper_build(run, &sets, &until);
    while (simulation && scree_world_time(scree_simulation_world(simulation)) < until - 1e-9) {
        if (!paper_advance(run, simulation, FLOW_EVERY, &report)) break;
        if (report.time <= flow_steady) continue;
        const scree_world *world = scree_simulation_world(simulation);
        note_velocities(r, world);
        for (int k = 0; k < PLACES; ++k)
            r->height[AT_MIDDLE][k] += surface_height(world, flow_radius, k, -INFINITY, INFINITY);
        r->heights += 1;
    }
    finish(run, simulation, r);
}

static double flow_angle(const flow_study *all, int which, int seed)
{
    return surface_angle(&all->each[which][seed], flow_radius, AT_MIDDLE);
}

/// Where no bead was, nothing moves.
static double velocity_at(const record *r, int k)
{
    return r->beads[k] ? r->velocity[k] / (double)r->beads[k] : 0.0;
}

/// Root mean square of the difference to a column of `profile` [m/s].
static double velocity_off(const record *r, int source)
{
    double squares = 0.0;
    for (int k = 0; k < DEPTHS; ++k) squares += pow(velocity_at(r, k) - profile[k][source], 2.0);
    return sqrt(squares / DEPTHS);
}

static double off_measured(const flow_study *all, int which, int seed)
{
    return velocity_off(&all->each[which][seed], MEASURED);
}

static double off_other_program(const flow_study *all, int which, int seed)
{
    return velocity_off(&all->each[which][seed], OTHER_PROGRAM);
}

/// Where the beads neither go down with the surface nor up with the drum: between two of the published depths [m].
static double rest_depth(const flow_study *all, int which, int seed)
{
    const record *r = &all->each[which][seed];
    for (int k = 1; k < DEPTHS; ++k) {
        double above = velocity_at(r, k - 1), below = velocity_at(r, k);
        if (above > 0.0 && below <= 0.0)
            return profile[k - 1][DEPTH] + (profile[k][DEPTH] - profile[k - 1][DEPTH]) * above / (above - below);
    }
    return 0.0;
}

static void put_velocities(paper_run *run, const flow_study *all)
{
    FILE *csv = paper_open(run, "flow.csv", "depth,measured,liggghts,seed,velocity\n");
    for (int seed = 0; csv && seed < all->beds[0]; ++seed)
        for (int k = 0; k < DEPTHS; ++k)
            fprintf(csv, "%g,%g,%g,%d,%.6g\n", profile[k][DEPTH], profile[k][MEASURED], profile[k][OTHER_PROGRAM],
                    all->first_seed + seed, velocity_at(&all->each[0][seed], k));
    paper_close(run, csv, "flow.csv");
}

static void check_flow(paper_run *run, flow_study *all)
{
    double scatter;
    paper_jobs(run, begin(run, 1, flow_beds, 2, all), turn_flow, all);
    put_velocities(run, all);
    double angle = mean_of(all, 0, flow_angle, &scatter);
    paper_say(run, "velocities: %.1f deg, beds differ by %.1f deg; %.3f m/s off the measured ones", angle, scatter,
              mean_of(all, 0, off_measured, NULL));
    paper_row(run, "flow-angle", "deg", printed(measured_angle, "measured: examples/papers/drum"), angle,
              within(published_scatter / measured_angle, "scatter that is published with it"));
    paper_row(run, "flow-depth-at-rest", "m", printed(-measured_rest, "measured: examples/papers/drum"),
              -mean_of(all, 0, rest_depth, NULL), within(flow_bead / -measured_rest, "one bead"));
    paper_row(run, "flow-velocities-off-liggghts", "m/s", printed(0.0, "LIGGGHTS, 36 depths: examples/papers/drum"),
              mean_of(all, 0, off_other_program, NULL),
              within(2.0 * velocity_scatter, "twice the scatter between beds"));
    paper_row(run, "flow-velocities-off-measured", "m/s", printed(0.0, "measured, 36 depths: examples/papers/drum"),
              mean_of(all, 0, off_measured, NULL), within(2.0 * velocity_scatter, "twice the scatter between beds"));
}

void paper_drum(paper_run *run)
{
    static flow_study all; /* too large for a stack */
    double centre = (slowest + fastest) / 2, scatter;
    all.input[SLICE] = 0.021, all.input[HALF] = all.input[HALF_STANDING] = 0.0888;
    paper_campaign(run, begin(run, run->is_long ? DRUMS : 1, drum_beds, 2, &all), turn, &all, all.each,
                   sizeof all.each[0][0]);
    put_records(run, &all, "drum.csv", "length,seed,time,angle\n");
    double slice = mean_of(&all, SLICE, angle_at_middle, &scatter);
    paper_say(run, "slice: %.1f deg, beds differ by %.1f deg (standard deviation)", slice, scatter);
    paper_row(run, "angle-of-a-slice", "deg", printed(centre, "measured, slow and fast: examples/papers/drum"), slice,
              within((fastest - slowest) / 2 / centre, "between the two speeds that were measured"));
    if (run->is_long) {
        double angle[DRUMS];
        for (int i = HALF; i < DRUMS; ++i) {
            angle[i] = mean_of(&all, i, angle_at_end, &scatter);
            paper_say(run, "half drum, its end %s: %.1f deg there, beds differ by %.1f deg; %.1f deg in the middle",
                      i == HALF ? "turning" : "standing", angle[i], scatter, mean_of(&all, i, angle_at_middle, NULL));
        }
        const paper_bound scattered = within(published_scatter / other_program, "scatter that is published with it");
        paper_claim(run, "end-not-steeper", "steeper at the end wall than in the middle: examples/papers/drum",
                    !(angle[HALF] > mean_of(&all, HALF, angle_at_middle, NULL)));
        paper_row(run, "angle-at-a-turning-end", "deg", printed(other_program, "LIGGGHTS: examples/papers/drum"),
                  angle[HALF], scattered);
        paper_row(run, "angle-at-a-standing-end", "deg", printed(published, "measured: examples/papers/drum"),
                  angle[HALF_STANDING], within(published_scatter / published, scattered.why));
    }
    put_unconverged(run, &all);
    if (run->is_long) check_flow(run, &all);
}

/* ---- the hopper ---------------------------------------------------------------------------------------------------------------- */

static const double gravity = 9.81, outlet = 0.030, bin = 0.075, bottom = -0.006; /* as the scene says [m/s^2, m] */
static const double gate_opens = 0.3, flow_from = 0.4; /* [s]: a tenth of a second after the gate the flow is steady */
static const double slab_low = 0.01, slab_high = 0.06; /* of the bulk density: off the bottom, below the surface [m] */
/* Diameter of the outlet over that of the grains: what takes longest first. The quick form has the last alone. */
static const double holes[CASES_MAX] = {10, 8, 7, 6, 5};
static const int hopper_beds[CASES_MAX] = {2, 4, 4, 4, 4};
/* Beverloo's constants, and how well such a law is met: by the mean of several beds. Bounds of C for a single bed: 0.55 and 0.65. */
static const double beverloo_k = 1.4, beverloo_c = 0.58, law_scatter = 0.05, one_bed_c = 0.60, one_bed_scatter = 0.05;

/// Mass of the grains whose centres lie between two heights.
static double mass_between(const scree_world *world, double low, double high)
{
    const double *x = scree_world_positions(world);
    double mass = 0.0;
    for (int b = 0; b < scree_world_body_count(world); ++b)
        if (scree_world_body_kind(world, scree_body_at(b)) == SCREE_BODY_DYNAMIC && x[3 * b + 2] >= low &&
            x[3 * b + 2] < high)
            mass += scree_world_mass(world, scree_body_at(b));
    return mass;
}

static void discharge(paper_run *run, int job, void *context)
{
    flow_study *all = context;
    int index = job / all->seeds, seed = job % all->seeds;
    record *r = &all->each[index][seed];
    double until, diameter = all->input[index];
    paper_sets sets = {0};
    scree_step_report report;
    if (seed >= all->beds[index]) return;
    paper_set(&sets, "generators[0].seed=%d", all->first_seed + seed);
    paper_set(&sets, "generators[0].radius=%.17g", diameter / 2);
    paper_set(&sets, "generators[0].packing.count=%.0f", 2984 * pow(0.006 / diameter, 3)); /* the same bed */
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

/// (W/(rho_b sqrt g))^0.4, of which the law says that it is C^0.4 (D - k d) [m].
static double scaled_flow(const flow_study *all, int which, int seed)
{
    const record *r = &all->each[which][seed];
    return pow(slope(r->count, r->time, r->value) / (r->bulk_density * sqrt(gravity)), 0.4);
}

/// C with Beverloo's k.
static double constant_of(const flow_study *all, int which, int seed)
{
    return pow(scaled_flow(all, which, seed) / (outlet - beverloo_k * all->input[which]), 2.5);
}

/// The flow in the second half of the time over that in the first.
static double late_over_early(const flow_study *all, int which, int seed)
{
    const record *r = &all->each[which][seed];
    int half = r->count / 2;
    return slope(r->count - half, r->time + half, r->value + half) / slope(half, r->time, r->value);
}

/// C and k from the line through the flows of all sizes, each with its bulk density. C is the flow of grains without size, beyond the
/// smallest that are run: its standard error, from the scatter of the beds through the weights of the line's value at d = 0.
static void judge_fit(paper_run *run, const flow_study *all)
{
    double scaled[CASES_MAX], scatter[CASES_MAX], mean = 0.0, spread = 0.0, at_0 = 0.0, variance = 0.0;
    int n = all->cases;
    for (int i = 0; i < n; ++i) scaled[i] = mean_of(all, i, scaled_flow, &scatter[i]), mean += all->input[i] / n;
    for (int i = 0; i < n; ++i) spread += pow(all->input[i] - mean, 2.0);
    for (int i = 0; i < n; ++i) {
        double weight = 1.0 / n - mean * (all->input[i] - mean) / spread;
        at_0 += weight * scaled[i];
        variance += pow(weight * scatter[i], 2.0) / all->beds[i];
    }
    double c = pow(at_0 / outlet, 2.5), k = -slope(n, all->input, scaled) * outlet / at_0;
    paper_say(run, "fit of both constants: C %.3f, standard error %.3f; k %.2f", c, 2.5 * c * sqrt(variance) / at_0, k);
    /* the rows of the first campaign, which missed the first by one standard error (README.md of the example) */
    paper_row(run, "fitted-C", "", printed(one_bed_c, "Beverloo's law: 0.55 to 0.65"), c,
              within(one_bed_scatter / one_bed_c, "the range that is given for C"));
    paper_row(run, "fitted-k", "", printed(1.5, "Beverloo's law: k between 1 and 2"), k,
              within(0.5 / 1.5, "the range that is given for k"));
}

static void put_flows(paper_run *run, const flow_study *all)
{
    FILE *csv = paper_open(run, "flows.csv", "diameter,seed,bulk_density,flow,C\n");
    for (int i = 0; csv && i < all->cases; ++i)
        for (int k = 0; k < all->beds[i]; ++k) {
            const record *r = &all->each[i][k];
            fprintf(csv, "%g,%d,%.6g,%.6g,%.6g\n", all->input[i], all->first_seed + k, r->bulk_density,
                    slope(r->count, r->time, r->value), constant_of(all, i, k));
        }
    paper_close(run, csv, "flows.csv");
}

void paper_hopper(paper_run *run)
{
    static flow_study all;
    char name[48];
    for (int i = 0; i < CASES_MAX; ++i) all.input[i] = outlet / holes[run->is_long ? i : CASES_MAX - 1];
    paper_campaign(run, begin(run, run->is_long ? CASES_MAX : 1, hopper_beds, run->is_long ? 12 : 2, &all), discharge,
                   &all, all.each, sizeof all.each[0][0]);
    if (run->status != SCREE_OK) return;
    put_records(run, &all, "hopper.csv", "diameter,seed,time,mass\n");
    put_flows(run, &all);
    for (int i = 0; i < all.cases; ++i) {
        double d = 1e3 * all.input[i], scatter, c = mean_of(&all, i, constant_of, &scatter);
        paper_say(run, "%.3g mm: C %.3f, beds differ by %.3f (standard deviation)", d, c, scatter);
        snprintf(name, sizeof name, "C-at-%.3gmm", d);
        if (run->is_long)
            paper_row(run, name, "", printed(beverloo_c, "Beverloo's law, his two constants"), c,
                      within(law_scatter, "5 % of a flow, fixed before the second campaign"));
        else
            paper_row(run, name, "", printed(one_bed_c, "Beverloo's law: 0.55 to 0.65"), c,
                      within(one_bed_scatter / one_bed_c, "the range that is given for C"));
        if (!run->is_long) continue; /* one bed lets some 120 beads through in each half: too few to tell */
        snprintf(name, sizeof name, "late-over-early-flow-at-%.3gmm", d); /* does not depend on the filling */
        paper_row(run, name, "", printed(1.0, "Beverloo's law: the filling does not matter"),
                  mean_of(&all, i, late_over_early, NULL), within(0.15, "120 beads in each half, and their scatter"));
    }
    if (run->is_long) judge_fit(run, &all);
    put_unconverged(run, &all);
}
