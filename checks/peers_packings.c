/* peers_packings.c: cases of other groups with packings of many grains (papers.h, docs/peers.md).
 *
 * [AR] Agnolin, Roux, Internal states of model isotropic granular packings, Phys. Rev. E 76 (2007) 061302: equal spheres in a periodic cell at 10 kPa.
 *      Without friction volume fraction 0.639 and 6.0 contacts each, rattlers left out. Their loose state with friction 0.3 has 0.593 and
 *      4.5. With friction a body with two forces can be held by them, so rattlers are those with less; and the gas, which jams while it is loose,
 *      is compressed at 0.05 per second from a fraction of 0.58: at 0.2 single impacts have 10 kPa before it jams.
 * [O]  O'Hern, Silbert, Liu, Nagel, Phys. Rev. E 68 (2003) 011306: N spheres jam at fractions that scatter by 0.16 N^-0.55; above it
 *      z - 6 = 7.7 (fraction - that one)^(1/2).
 *
 * [Z]  Zhou, Xu, Yu, Zulli, Powder Technology 125 (2002) 45: the angle on a plate from which grains have slid off both ends. Their formula for
 *      spheres of d mm, sliding friction m and rolling lengths of r mm, all the same for the plate: 68.61 m^0.49 r^0.18 d^-0.2 degrees. Lethe's
 *      example plate-discharge compares with it, its four runs within 1.5 degrees of each other. Its angle is that of the line through the
 *      highest grains between 0.15 and 0.35 m from the middle, here the mean of eleven times of the last second.
 *
 * A loose gas is compressed fast, then at 0.2 per second, until its pressure is 10 kPa. Theirs are glass, of 70 GPa; these have springs that
 * 10 kPa compresses by 1/500 of a diameter, so that the fraction is 0.6 % beyond jamming, and z with it. */
#include "checks/peers.h"

#include <string.h>

enum { GRAINS = 200, BLOCK = 50 };
static const double jammed = 1e4; /* [Pa] */

typedef struct packing {
    double fraction, coordination;
} packing;

static double value_of(const scree_measures *m, const char *name)
{
    for (int i = 0; i < scree_measures_count(m); ++i)
        if (strcmp(scree_measures_name(m, i), name) == 0) return scree_measures_value(m, i);
    return (double)NAN;
}

/// `slow`: when the slow compression begins [s]; its scene. NaN where the pressure is not reached by the end of the scene.
static packing compress(paper_run *run, const char *scene, double slow, int seed)
{
    packing found = {(double)NAN, (double)NAN};
    double end = 0.0, time = 0.0, pressure = 0.0;
    paper_sets sets = {0};
    scree_step_report report = {0};
    paper_set(&sets, "generators[0].seed=%d", seed);
    run->file = scene;
    scree_simulation *simulation = paper_build(run, &sets, &end);
    while (time < end && pressure < jammed && paper_advance(run, simulation, BLOCK, &report)) {
        scree_measures *m = scree_simulation_measures(simulation);
        time = report.time;
        if (time < slow + 0.03) continue; /* the fast compression has a pressure of its own */
        if (scree_measures_take(m, scree_simulation_world(simulation), report.h, &run->error) != SCREE_OK) break;
        pressure = value_of(m, "sample.pressure");
        found = (packing){value_of(m, "sample.volume_fraction"), value_of(m, "sample.coordination")};
    }
    paper_end(run, simulation);
    return pressure >= jammed ? found : (packing){(double)NAN, (double)NAN};
}

static void rows(paper_run *run, const char *prefix, const char *scene, double slow, double fraction,
                 double coordination)
{
    char name[48];
    int seeds = run->is_long ? 3 : 1;
    packing mean = {0.0, 0.0};
    for (int seed = 1; seed <= seeds; ++seed) {
        packing p = compress(run, scene, slow, seed);
        mean.fraction += p.fraction / seeds, mean.coordination += p.coordination / seeds;
    }
    snprintf(name, sizeof name, "%s-fraction", prefix);
    paper_row(run, name, "", printed(fraction, "[AR] abstract"), mean.fraction,
              within(0.16 * pow(GRAINS, -0.55) / fraction + 0.006, "scatter of 200 grains [O], and 0.6 % of overlap"));
    snprintf(name, sizeof name, "%s-coordination", prefix);
    paper_row(
        run, name, "", printed(coordination, "[AR] abstract"), mean.coordination,
        within(7.7 * sqrt(0.006 * fraction) / coordination, "[O]: 7.7 times the root of what it is beyond jamming"));
}

void peer_packings(paper_run *run)
{
    rows(run, "frictionless", "packing.yaml", 0.1376, 0.639, 6.0);
    if (run->is_long) rows(run, "loose", "packing-loose.yaml", 0.27, 0.593, 4.5); /* a minute each */
}

/* ---- a plate that is left -------------------------------------------------------------------------------------------------------- */

static const double plate_top = 0.4, from = 0.15,
                    bin = 0.01; /* as the scene has it; of the line; places along it [m] */
enum { BINS = 20 };

/// Of the line through the highest grains at both sides [deg].
static double angle_on_plate(const scree_world *world)
{
    const double *x = scree_world_positions(world);
    double highest[2][BINS], n = 0.0, r_mean = 0.0, z_mean = 0.0, rr = 0.0, rz = 0.0;
    for (int k = 0; k < 2 * BINS; ++k) highest[k / BINS][k % BINS] = -1.0;
    for (int b = 0; b < scree_world_body_count(world); ++b) {
        const double *at = x + 3 * (size_t)b, r = fabs(at[0]) - from;
        if (scree_world_body_kind(world, scree_body_at(b)) != SCREE_BODY_DYNAMIC || r < 0.0 || at[2] < plate_top)
            continue;
        if (r < bin * BINS) highest[at[0] > 0.0][(int)(r / bin)] = fmax(highest[at[0] > 0.0][(int)(r / bin)], at[2]);
    }
    for (int pass = 0; pass < 2; ++pass)
        for (int k = 0; k < 2 * BINS; ++k) {
            const double z = highest[k / BINS][k % BINS], r = from + (k % BINS + 0.5) * bin;
            if (z < 0.0) continue;
            if (pass == 0) n += 1.0, r_mean += r, z_mean += z;
            else rr += (r - r_mean / n) * (r - r_mean / n), rz += (r - r_mean / n) * (z - z_mean / n);
        }
    return n > BINS ? -atan(rz / rr) * 57.29577951308232 : (double)NAN;
}

void peer_plate_discharge(paper_run *run)
{
    double end = 0.0, angle = 0.0;
    int samples = 0;
    scree_step_report report = {0};
    if (!run->is_long) return; /* three minutes */
    run->file = "plate-discharge.yaml";
    scree_simulation *simulation = paper_build(run, NULL, &end);
    while (report.time < end - 1e-9 && paper_advance(run, simulation, 2000, &report))
        if (report.time > end - 1.0 - 1e-9) angle += angle_on_plate(scree_simulation_world(simulation)), samples += 1;
    paper_end(run, simulation);
    paper_row(run, "angle", "deg", printed(68.61 * pow(0.2, 0.49) * pow(10.0, -0.2), "[Z] their formula, rolling 1 mm"),
              angle / samples, within(1.5 / 19.7, "Lethe's four runs, within 1.5 degrees"));
}
