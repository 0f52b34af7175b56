/* papers_ta63.c: [TA] 6.3: a heap of gravel over rolling friction, with both laws (papers.h).
 *
 * Two set-ups: the container of 2 m x 2 m as the text has it, and an open floor. With walls 10,000 grains cannot lie flat: they fill the
 * container and heap up against each other; the paper's "almost flat" is held against the open floor, the walled angle is shown.
 * The long form has three seeds on the open floor, whose means are judged, and one in the container.
 * Angle of repose: the flank between 20 and 80 percent of the height of the surface averaged over rings (src/run/heap.c), out
 * to 0.95 m: the walls stand at 1 m. Beside it the angle of the cone with the same moments.
 * The convex law lets contacts open at mu |u_T| + rho |w_R| + sigma |w_S|. Its price is measured three ways, against the Coulomb law
 * on the same scene: the mean gap of the contacts that carry a load (while grains move, and at the end), the mean height of the
 * grains, and the energy in the column `lift` of the ledger. */
#include "checks/papers.h"

#include <math.h>
#include <string.h>

enum { RHO_MAX = 5, LAWS = 2, SETUPS = 2, SEED_MAX = 3, QUICK_GRAINS = 1500, QUICK_SECONDS = 4 };
enum { OPEN, WALLED };
static const char *const setup_name[SETUPS] = {"open", "walled"};
static const char *const law_name[LAWS] = {"coulomb", "convex"};
static const double degree = 0.017453292519943295;

typedef struct gravel {
    scree_heap heap;
    double gap_moving, gap_end; /* mean gap of contacts with a load: over the pouring, and in the last step [m] */
    double lift, kinetic;       /* of the ledger, whole run; at the end [J]                                     */
    double residual, penetration;
    double short_of; /* share of the steps that did not reach the tolerance */
    int contacts;
    double seconds;
} gravel;

typedef struct campaign {
    int count, seeds[SETUPS];
    double rho[RHO_MAX];
    gravel each[2 * SEED_MAX * LAWS * RHO_MAX]; /* rolling friction fastest, then the law, then block_of */
} campaign;

/// Both set-ups with the first seed come first, then the open floor with the others.
static int block_of(int setup, int seed)
{
    return seed == 0 ? setup : seed + SETUPS - 1;
}

/// The heaps of a set-up, a seed and a law, over rolling friction.
static gravel *heaps(campaign *all, int setup, int seed, int law)
{
    return all->each + (block_of(setup, seed) * LAWS + law) * all->count;
}

/// Mean gap of the contacts that carry a load.
static double mean_gap(const scree_world *world)
{
    const scree_contact_point *c = scree_world_contacts(world);
    int count = scree_world_contact_count(world), loaded = 0;
    double sum = 0.0;
    for (int k = 0; k < count; ++k)
        if (c[k].impulse[0] > 0.0) sum += c[k].gap, loaded += 1;
    return loaded ? sum / loaded : 0.0;
}

static void pour(paper_run *run, int index, void *context)
{
    campaign *all = context;
    int rank = index % all->count, law = index / all->count % LAWS, block = index / all->count / LAWS, samples = 0,
        setup = block < SETUPS ? block : OPEN, seed = block < SETUPS ? 0 : block - SETUPS + 1;
    double until, start = scree_clock_seconds(), rho = all->rho[rank];
    gravel g = {0};
    paper_sets sets = {0};
    scree_step_report report = {0};
    scree_heap_options options = scree_heap_options_default();
    if (setup == WALLED) options.reach = 0.95;
    paper_set(&sets, "materials.gravel.rolling=%.17g m", rho);
    paper_set(&sets, "materials.gravel.spinning=%.17g m", rho);
    paper_set(&sets, "stepper.law=%s", law_name[law]);
    paper_set(&sets, "seed=%d", seed + 1);
    if (setup == OPEN) paper_set(&sets, "container.x=[-50, 50]"), paper_set(&sets, "container.y=[-50, 50]");
    if (!run->is_long) {
        paper_set(&sets, "generators[0].pour.count=%d", QUICK_GRAINS);
        paper_set(&sets, "run.until=%d s", QUICK_SECONDS);
    }
    scree_simulation *simulation = paper_build(run, &sets, &until);
    while (simulation && scree_world_time(scree_simulation_world(simulation)) < until - 1e-9) {
        if (!paper_step(run, simulation, &report)) break;
        if (report.time < 0.8 * until && report.step % 10 == 0)
            g.gap_moving += mean_gap(scree_simulation_world(simulation)), samples += 1;
    }
    if (simulation) {
        const scree_world *world = scree_simulation_world(simulation);
        const scree_run_totals *totals = scree_stepper_totals(scree_simulation_stepper(simulation));
        g.heap = scree_heap_of_world(&options, world, NULL, &run->error);
        run->status = run->error.status;
        g.gap_moving /= samples ? samples : 1, g.gap_end = mean_gap(world);
        g.lift = totals->energy.lift, g.kinetic = report.energy.kinetic;
        g.residual = totals->residual_max, g.penetration = totals->penetration_max;
        g.contacts = report.active, g.short_of = (double)totals->unconverged / (double)totals->steps;
    }
    paper_end(run, simulation);
    g.seconds = scree_clock_seconds() - start;
    all->each[index] = g;
    paper_say(run, "%s, %s, rho %g m, seed %d: flank %.2f deg, cone %.2f deg, mean height %.4f m, gap %.2g m, %.0f s",
              setup_name[setup], law_name[law], rho, seed + 1, g.heap.flank_angle / degree, g.heap.cone_angle / degree,
              g.heap.mean_height, g.gap_moving, g.seconds);
}

static void put_gravel(FILE *csv, FILE *profiles, double rho, int setup, int seed, int law, const gravel *g)
{
    const scree_heap *h = &g->heap;
    if (csv)
        fprintf(csv, "%s-%s,%g,%.4f,%.4f,%.6g,%.6g,%.6g,%.4g,%.4g,%.6g,%.3g,%d,%.3g,%.3g,%.3g,%.1f,%d\n",
                setup_name[setup], law_name[law], rho, h->flank_angle / degree, h->cone_angle / degree, h->flank_misfit,
                h->height, h->mean_height, g->gap_moving, g->gap_end, g->lift, g->kinetic, g->contacts, g->residual,
                g->penetration, g->short_of, g->seconds, seed + 1);
    if (!profiles || seed > 0) return;
    for (int k = 0; k < h->ring_count; ++k)
        fprintf(profiles, "%s-%s,%g,%.5g,%.6g\n", setup_name[setup], law_name[law], rho, (k + 0.5) * h->ring_width,
                h->ring_height[k]);
    fputs("\n\n", profiles);
}

/// Over the seeds, in degrees: means of flank and cone, and the standard deviation of the flank.
typedef struct angles {
    double flank, cone, spread;
} angles;

static angles mean_angles(campaign *all, int setup, int law, int rank)
{
    int count = all->seeds[setup];
    angles a = {0};
    for (int seed = 0; seed < count; ++seed) {
        const scree_heap *h = &heaps(all, setup, seed, law)[rank].heap;
        a.flank += h->flank_angle / degree / count, a.cone += h->cone_angle / degree / count;
    }
    for (int seed = 0; seed < count && count > 1; ++seed) {
        double off = heaps(all, setup, seed, law)[rank].heap.flank_angle / degree - a.flank;
        a.spread += off * off / (count - 1);
    }
    a.spread = sqrt(a.spread);
    return a;
}

/// The paper's claims: almost flat without rolling friction, steeper with more of it, a steep cone with the most; "flat" is read as 5
/// degrees at most and "steep" as 30 at least, both fixed before the first run. And of the convex law: its loaded contacts stand open wider
/// than those of the Coulomb law, whose ledger has no lift at all.
static void judge(paper_run *run, campaign *all)
{
    char name[64];
    int last = all->count - 1, not_wider = 0;
    for (int i = 0; i < SETUPS * LAWS; ++i) {
        int setup = i / LAWS, law = i % LAWS, not_steeper = 0;
        const char *open = setup_name[setup], *by = law_name[law];
        angles flat = mean_angles(all, setup, law, 0), before = flat;
        double at_0 = flat.flank, scatter = flat.spread;
        for (int k = 1; k < all->count; ++k) {
            angles next = mean_angles(all, setup, law, k);
            not_steeper += !(next.flank > before.flank), scatter = fmax(scatter, next.spread);
            before = next;
        }
        double most = mean_angles(all, setup, law, last).flank;
        snprintf(name, sizeof name, "%s-%s-degrees-at-0", open, by);
        if (setup == OPEN)
            paper_row(run, name, "deg", printed(0.0, "[TA] 6.3, fig. 10: almost flat"), fabs(at_0),
                      within(5.0, "almost flat, read as 5 degrees at most"));
        else paper_note(run, name, "deg", at_0, "in the container, which the grains fill");
        snprintf(name, sizeof name, "%s-%s-cone-at-0", open,
                 by); /* of the cone with the same moments: no rings, no fit */
        if (setup == OPEN)
            paper_row(run, name, "deg", printed(0.0, "[TA] 6.3, fig. 10: almost flat"), flat.cone,
                      within(5.0, "almost flat, read as 5 degrees at most"));
        snprintf(name, sizeof name, "%s-%s-short-of-30", open, by);
        paper_row(run, name, "deg", printed(0.0, "[TA] 6.3, fig. 11: a steep cone with 0.01 m"), fmax(0.0, 30.0 - most),
                  within(0.0, "steep, read as 30 degrees at least"));
        snprintf(name, sizeof name, "%s-%s-not-steeper", open, by);
        paper_claim(run, name, "[TA] 6.3, fig. 12: the angle grows with rho", not_steeper);
        snprintf(name, sizeof name, "%s-%s-scatter", open, by);
        if (all->seeds[setup] > 1)
            paper_note(run, name, "deg", scatter, "largest standard deviation of a flank over the seeds");
    }
    for (int setup = 0; setup < SETUPS; ++setup)
        for (int seed = 0; seed < all->seeds[setup]; ++seed)
            for (int k = 0; k < all->count; ++k)
                not_wider += !(heaps(all, setup, seed, 1)[k].gap_moving > heaps(all, setup, seed, 0)[k].gap_moving);
    paper_claim(run, "convex-gaps-not-wider", "[TA] eq. 28: the convex law opens contacts that move", not_wider);
    paper_row(run, "coulomb-lift", "J", closed_form(0.0), heaps(all, WALLED, 0, 0)[last].lift,
              within(0.0, "the Coulomb law opens nothing"));
}

void paper_ta63(paper_run *run)
{
    static const campaign whole = {.count = 5, .seeds = {3, 1}, .rho = {0.0, 0.0025, 0.005, 0.0075, 0.01}},
                          quick = {.count = 2, .seeds = {1, 1}, .rho = {0.0, 0.01}};
    static campaign all; /* too large for a stack */
    all = run->is_long ? whole : quick;
    paper_campaign(run, (all.seeds[OPEN] + all.seeds[WALLED]) * LAWS * all.count, pour, &all, all.each,
                   sizeof all.each[0]);
    FILE *csv = paper_open(run, "ta63.csv",
                           "set,rho,flank_deg,cone_deg,misfit,height,mean_height,gap_moving,gap_end,lift,kinetic,"
                           "contacts,residual_max,penetration_max,short_of,seconds,seed\n");
    FILE *profiles = paper_open(run, "profiles.csv", "set,rho,r,height\n");
    for (int setup = 0; setup < SETUPS; ++setup)
        for (int seed = 0; seed < all.seeds[setup]; ++seed)
            for (int law = 0; law < LAWS; ++law) {
                for (int k = 0; k < all.count; ++k)
                    put_gravel(csv, profiles, all.rho[k], setup, seed, law, &heaps(&all, setup, seed, law)[k]);
                if (csv) fputs("\n\n", csv);
            }
    paper_close(run, csv, "ta63.csv");
    paper_close(run, profiles, "profiles.csv");
    judge(run, &all);
}
