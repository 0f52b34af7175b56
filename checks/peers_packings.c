/* peers_packings.c: cases of other groups with packings of many grains (papers.h, docs/peers.md).
 *
 * [AR] Agnolin, Roux, Internal states of model isotropic granular packings, Phys. Rev. E 76 (2007) 061302: equal spheres in a periodic cell at 10 kPa.
 *      Without friction volume fraction 0.639 and 6.0 contacts each, rattlers left out. Their loose state with friction 0.3 has 0.593 and
 *      4.5. With friction a body with two forces can be held by them, so rattlers are those with less; and the gas, which jams while it is loose,
 *      is compressed at 0.05 per second from a fraction of 0.58: at 0.2 single impacts have 10 kPa before it jams.
 * [O]  O'Hern, Silbert, Liu, Nagel, Phys. Rev. E 68 (2003) 011306: N spheres jam at fractions that scatter by 0.16 N^-0.55; above it
 *      z - 6 = 7.7 (fraction - that one)^(1/2).
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
