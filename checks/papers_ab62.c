/* papers_ab62.c: [AB] 6.2: piles of 250 spheres over sliding and rolling friction (papers.h).
 *
 * Measured as the paper does (src/run/heap.c): height is the top of the highest sphere above the plane, and the mean radius is
 * the mean distance of the spheres that touch the plane from their centroid, both divided by the diameter. The paper
 * ran each pair of coefficients once, and says that its curves are not monotone because of chance; here each pair has several seeds,
 * and claims are about means. The plane is a plate of 60 diameters, as printed: with little rolling friction most spheres, or all, roll
 * over its edge, and only those above it count. */
#include "checks/papers.h"

#include <math.h>

enum { MU_MAX = 5, RHO_MAX = 8, SEED_MAX = 3, QUICK_GRAINS = 100, QUICK_SECONDS = 8, LEFT_LEAST = 5 };
static const double diameter = 0.02;

typedef struct pile {
    double height, radius;     /* in diameters                                   */
    int base, grains;          /* that touch the plane; above it               */
    double kinetic;            /* at the end [J]                                 */
    double residual, short_of; /* largest; share of the steps that did not reach the tolerance */
    double seconds;            /* that it took                                                 */
} pile;

/// Mean and standard deviation over the seeds; `most` is the highest, `left` the mean number of spheres that did not roll over the edge.
typedef struct summary {
    double height, height_spread, radius, radius_spread, most, left;
} summary;

/// With the rolling frictions beyond the first `repeated`, all of them on the plateau, a pile takes half an hour: one seed each.
typedef struct campaign {
    int mu_count, rho_count, repeated, seed_count;
    double mu[MU_MAX], rho[RHO_MAX];
    pile each[MU_MAX * RHO_MAX * SEED_MAX]; /* in the order in which they are poured: job_of */
    summary at[MU_MAX][RHO_MAX];
} campaign;

static int seeds_at(const campaign *c, int j)
{
    return j < c->repeated ? c->seed_count : 1;
}

static int pile_count(const campaign *c)
{
    return c->mu_count * (c->rho_count + c->repeated * (c->seed_count - 1));
}

/// First the rolling frictions that have several seeds, one seed after the other, then the others: what takes long comes last, so that most
/// piles are there where the whole does not come to its end.
static int job_of(const campaign *c, int i, int j, int seed)
{
    int line = j < c->repeated ? seed * c->repeated + j : c->seed_count * c->repeated + j - c->repeated;
    return line * c->mu_count + i;
}

static void pour(paper_run *run, int index, void *context)
{
    campaign *c = context;
    int i = index % c->mu_count, line = index / c->mu_count, alone = line - c->seed_count * c->repeated,
        seed = alone < 0 ? 1 + line / c->repeated : 1, j = alone < 0 ? line % c->repeated : c->repeated + alone;
    pile *p = &c->each[index];
    paper_sets sets = {0};
    scree_heap_options options = scree_heap_options_default();
    paper_set(&sets, "materials.grain.friction=%.17g", c->mu[i]);
    paper_set(&sets, "materials.grain.rolling=%.17g m", c->rho[j]);
    paper_set(&sets, "seed=%d", seed);
    if (!run->is_long) {
        paper_set(&sets, "generators[0].pour.count=%d", QUICK_GRAINS);
        paper_set(&sets, "run.until=%d s", QUICK_SECONDS);
    }
    scree_run *r = paper_run_begin(run, &sets, index);
    if (run->status == SCREE_OK) {
        const scree_run_report report = scree_run_look(r);
        const scree_world *world = scree_simulation_world(scree_run_simulation(r));
        const scree_heap heap = scree_heap_of_world(&options, world, NULL, &run->error);
        run->status = run->error.status;
        p->residual = report.totals.residual_max;
        p->short_of = (double)report.totals.unconverged / (double)report.totals.steps;
        p->height = heap.height / diameter, p->radius = heap.base_radius / diameter;
        p->base = heap.base_count, p->grains = heap.grains, p->kinetic = report.last.energy.kinetic;
        p->seconds = report.seconds;
    }
    paper_run_end(run, r);
    paper_say(run, "mu %g, rho %g m, seed %d: height %.2f, radius %.2f diameters, %.2f %% of the steps short, %.0f s",
              c->mu[i], c->rho[j], seed, p->height, p->radius, 100.0 * p->short_of, p->seconds);
}

static summary summarise(const campaign *c, int i, int j)
{
    summary s = {0};
    int count = seeds_at(c, j);
    for (int k = 0; k < count; ++k) {
        const pile *p = &c->each[job_of(c, i, j, k)];
        s.height += p->height / count, s.radius += p->radius / count;
        s.left += (double)p->grains / count, s.most = fmax(s.most, p->height);
    }
    for (int k = 0; k < count && count > 1; ++k) {
        const pile *p = &c->each[job_of(c, i, j, k)];
        s.height_spread += (p->height - s.height) * (p->height - s.height) / (count - 1);
        s.radius_spread += (p->radius - s.radius) * (p->radius - s.radius) / (count - 1);
    }
    s.height_spread = sqrt(s.height_spread), s.radius_spread = sqrt(s.radius_spread);
    return s;
}

static void write_all(paper_run *run, campaign *c)
{
    FILE *each =
        paper_open(run, "piles.csv", "mu,rho,seed,height,radius,base,grains,kinetic,residual_max,short_of,seconds\n");
    FILE *means = paper_open(run, "means.csv", "mu,rho,height,height_spread,radius,radius_spread,left\n");
    for (int i = 0; i < c->mu_count; ++i) {
        for (int j = 0; j < c->rho_count; ++j) {
            for (int k = 0; each && k < seeds_at(c, j); ++k) {
                const pile *p = &c->each[job_of(c, i, j, k)];
                fprintf(each, "%g,%g,%d,%.6g,%.6g,%d,%d,%.3g,%.2g,%.3g,%.0f\n", c->mu[i], c->rho[j], k + 1, p->height,
                        p->radius, p->base, p->grains, p->kinetic, p->residual, p->short_of, p->seconds);
            }
            summary *s = &c->at[i][j];
            *s = summarise(c, i, j);
            if (means)
                fprintf(means, "%g,%g,%.6g,%.6g,%.6g,%.6g,%.6g\n", c->mu[i], c->rho[j], s->height, s->height_spread,
                        s->radius, s->radius_spread, s->left);
        }
        if (means) fputs("\n\n", means);
    }
    paper_close(run, each, "piles.csv");
    paper_close(run, means, "means.csv");
}

/// The mean height of all piles on the plateau: those with rolling friction of a radius, 10 mm, or more.
static double plateau_height(const campaign *c, int i)
{
    double sum = 0.0;
    int count = 0;
    for (int j = 0; j < c->rho_count; ++j)
        for (int k = 0; c->rho[j] > 0.0099 && k < seeds_at(c, j); ++k)
            sum += c->each[job_of(c, i, j, k)].height, count += 1;
    return sum / count;
}

/// How often the plateau is not higher for one sliding friction of the set than for the one before.
static int not_higher(const campaign *c, int count, const double *mu, int *present)
{
    int exceptions = 0;
    double before = 0.0;
    *present = 0;
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < c->mu_count; ++i) {
            if (c->mu[i] != mu[k]) continue;
            const double height = plateau_height(c, i);
            exceptions += !(height > before);
            before = height, *present += 1;
        }
    return exceptions;
}

/// The paper's claims, about the smallest and the two largest rolling frictions of the grid. Each published set of sliding frictions by
/// itself: the text and figure 4 have 0.1, 0.3, 1, figure 5 has 0.3, 0.5, 0.7; the paper nowhere compares 0.7 with 1.
static void judge(paper_run *run, const campaign *c)
{
    static const double text[3] = {0.1, 0.3, 1.0}, figure[3] = {0.3, 0.5, 0.7};
    int last = c->rho_count - 1, not_twice = 0, not_narrower = 0, present;
    double least = 0.0, plateau = 0.0, scatter = 0.0;
    for (int i = 0; i < c->mu_count; ++i) {
        const summary *s = c->at[i], *wide = s; /* the least rolling friction with which a pile is left to measure */
        while (wide->left < LEFT_LEAST && wide < s + last) ++wide;
        least = fmax(least, s[0].most);
        plateau = fmax(plateau, fabs(s[last].height - s[last - 1].height) / s[last].height);
        if (c->seed_count > 1) scatter = fmax(scatter, s[c->repeated - 1].height_spread / s[c->repeated - 1].height);
        not_twice += !(s[last].height > 2.0 * fmax(1.0, s[0].height));
        not_narrower += !(s[last].radius < 0.5 * wide->radius);
    }
    paper_row(run, "height-lowest-rho", "D", printed(1.0, "[AB] 6.2, fig. 5: first regime, no sphere on another"),
              least, within(0.02, "overlaps, and a step of falling: 2 % of a diameter"));
    paper_claim(run, "not-twice-as-high", "[AB] 6.2, fig. 5: second regime, a quick rise; read as twice", not_twice);
    paper_row(run, "plateau-change", "", printed(0.0, "[AB] 6.2, fig. 5: third regime, a plateau"), plateau,
              within(0.15, "one sphere on top is 0.8 of 5 diameters; fixed before the first run"));
    int exceptions = not_higher(c, 3, text, &present);
    paper_claim(run, "not-higher-with-mu-of-the-text", "[AB] 6.2, fig. 4: mu 0.1, 0.3, 1", exceptions);
    exceptions = not_higher(c, 3, figure, &present);
    if (present > 1) paper_claim(run, "not-higher-with-mu-of-fig-5", "[AB] fig. 5: mu 0.3, 0.5, 0.7", exceptions);
    paper_claim(run, "not-half-as-wide", "[AB] 6.2, fig. 5: the radius falls in the second regime; read as half",
                not_narrower);
    if (c->seed_count > 1)
        paper_note(run, "scatter-over-seeds", "", scatter,
                   "largest standard deviation of a height on the plateau, over it");
}

void paper_ab62(paper_run *run)
{
    static const campaign whole = {.mu_count = 5,
                                   .rho_count = 8,
                                   .repeated = 6,
                                   .seed_count = 3,
                                   .mu = {0.1, 0.3, 0.5, 0.7, 1.0},
                                   .rho = {1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 1e-1, 1.0}};
    static const campaign quick = {
        .mu_count = 2, .rho_count = 3, .seed_count = 1, .mu = {0.3, 1.0}, .rho = {1e-5, 1e-2, 1e-1}};
    campaign c = run->is_long ? whole : quick;
    paper_campaign(run, pile_count(&c), pour, &c, c.each, sizeof c.each[0]);
    write_all(run, &c);
    judge(run, &c);
}
