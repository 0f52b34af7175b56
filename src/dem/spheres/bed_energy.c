/* bed_energy.c: what a bed holds: kinetic and potential energy of its spheres, and what is stored in its contacts.
 *
 * Losses are counted where loads are found, at x, before a step moves to x + h v; so what springs hold is taken there too, at the overlaps
 * of the last loads. Those positions are not kept: they are x - h v, to rounding. The general stages do the same (dem.c), so both engines have
 * one ledger.
 *
 * Sums are exact: they do not depend on the order of lists. */
#include "dem/spheres/bed_blocks.h"
#include "dem/spheres/bed_rates.h"

#include <math.h>

/// A sum that does not depend on the order of its terms: their largest first, then the terms as a coarse and a fine part (bed_grid).
typedef struct exact_sum {
    double most, magic[2], part[2];
} exact_sum;

static void sum_term(exact_sum *s, int adds, double x)
{
    if (!adds) s->most = max2(s->most, fabs(x));
    else {
        const double first = (x + s->magic[0]) - s->magic[0], second = x - first;
        s->part[0] += first, s->part[1] += (second + s->magic[1]) - s->magic[1];
    }
}

/// Up to 2^26 terms; the fine part has a spacing of 2^-52 of the largest one.
static void sum_ready(exact_sum *s)
{
    int e;
    (void)frexp(max2(s->most, 1e-250), &e);
    s->magic[0] = ldexp(1.5, e + 26), s->magic[1] = ldexp(1.5, e);
}

static double sum_value(const exact_sum *s)
{
    return s->part[0] + s->part[1];
}

/* ---- contacts ---------------------------------------------------------------------------------------------------------------- */

static double square_sum(const double *x, int count)
{
    double sum = 0.0;
    for (int k = 0; k < count; ++k) sum += x[k] * x[k];
    return sum;
}

/// The overlap at the loads of the last step, from which velocities have moved the partners here.
static double overlap_before(const bed *b, const bed_block *block, int lane, int planes)
{
    const bed_record *i = &b->record[block->i[lane]], *j = &b->record[planes ? 0 : block->j[lane]];
    double d[3];
    if (planes) {
        const bed_plane_now *p = &b->plane[block->j[lane]];
        for (int k = 0; k < 3; ++k) d[k] = (i->x[k] - p->point[k]) - b->h * (i->v[k] - p->v_before[k]);
        return i->x[3] - vec_dot(p->n_before, d);
    }
    for (int k = 0; k < 3; ++k) d[k] = bed_nearest_image(b, k, i->x[k] - j->x[k]) - b->h * (i->v[k] - j->v[k]);
    return i->x[3] + j->x[3] - vec_norm(d);
}

/// Constants of a contact, where there is no table made in `own`.
static const double (*lane_constants(const bed *b, const bed_block *block, int l, int planes,
                                     double own[BED_CONSTANTS][BED_LANES]))[BED_LANES]
{
    const bed_record *ri = &b->record[block->i[l]], *rj = &b->record[planes ? 0 : block->j[l]];
    double i[3] = {ri->x[3], ri->omega[3], ri->v[3]}, j[3] = {0.0, 0.0, 0.0};
    if (!planes) j[0] = rj->x[3], j[1] = rj->omega[3], j[2] = rj->v[3];
    const int pair = block->pair[l] & ~BED_ODD;
    if (pair == block->pair[l]) return (const double(*)[BED_LANES])(planes ? b->wall_constant : b->constant)[pair];
    b->kernel->constants(b->law, &b->prepared[pair], i, j, own);
    return (const double(*)[BED_LANES])own;
}

static double normal_energy(const bed *b, double stiffness, double delta)
{
    if (!(delta > 0.0)) return 0.0;
    return b->hertz ? 0.4 * stiffness * delta * delta * sqrt(delta) : 0.5 * stiffness * delta * delta;
}

/// What a contact held at the loads of the last step, as its block has the springs since.
void bed_contact_energy(const bed *b, const bed_block *block, int l, int planes, double held[4])
{
    double memory[BED_MEMORY], own[BED_CONSTANTS][BED_LANES];
    for (int k = 0; k < 4; ++k) held[k] = 0.0;
    if (!(block->live >> l & 1)) return;
    const double delta = max2(overlap_before(b, block, l, planes), 0.0);
    const double(*c)[BED_LANES] = lane_constants(b, block, l, planes, own);
    held[0] = normal_energy(b, c[C_STIFFNESS][0], delta);
    for (int m = 0; m < BED_MEMORY; ++m) memory[m] = block->memory[m][l];
    const int slide = b->law == BED_SDS ? 3 : 2; /* components */
    dem_rate spring[3];
    const bed_rate_law law = {b->law, b->hertz, b->h};
    bed_springs_at(&law, c, delta, spring);
    held[1] = 0.5 * spring[0].stiffness * square_sum(memory, slide);
    held[2] = 0.5 * spring[1].stiffness * square_sum(memory + slide, 6 - slide);
    held[3] = 0.5 * spring[2].stiffness * square_sum(memory + 6, 1);
}

/// A sum over lanes, in two passes.
typedef struct lane_sum {
    exact_sum sum;
    int adds, id, plane;
} lane_sum;

static double sum_lanes(const bed *b, bed_lane_visit *visit, int id, int plane)
{
    lane_sum s = {.id = id, .plane = plane};
    for (s.adds = 0; s.adds < 2; ++s.adds) bed_each_lane(b, visit, &s), sum_ready(&s.sum);
    return sum_value(&s.sum);
}

/// What contacts hold of which a sphere leaves.
static void held_by_leaving(const bed *b, bed_block *block, int l, int planes, void *context)
{
    lane_sum *s = context;
    double held[4];
    if (b->place[b->id[block->i[l]]] > BED_LEAVES && (planes || b->place[b->id[block->j[l]]] > BED_LEAVES)) return;
    bed_contact_energy(b, block, l, planes, held);
    sum_term(&s->sum, s->adds, held[0] + held[1] + held[2] + held[3]);
}

double bed_held_by_leaving(const bed *b)
{
    return sum_lanes(b, held_by_leaving, 0, 0);
}

static void new_overlap(const bed *b, bed_block *block, int l, int planes, void *context)
{
    lane_sum *s = context;
    const int new_j = planes ? block->j[l] >= s->plane : b->id[block->j[l]] >= s->id;
    double n[3], own[BED_CONSTANTS][BED_LANES];
    if (block->live >> l & 1 || !(new_j || b->id[block->i[l]] >= s->id)) return;
    const double delta = bed_geometry(b, block, l, planes, n);
    if (!(delta > 0.0)) return;
    sum_term(&s->sum, s->adds, normal_energy(b, lane_constants(b, block, l, planes, own)[C_STIFFNESS][0], delta));
}

double bed_new_overlaps(const bed *b, int id, int plane)
{
    return sum_lanes(b, new_overlap, id, plane);
}

/* ---- all ------------------------------------------------------------------------------------------------------------------------ */

typedef struct energy_sums {
    exact_sum kinetic, potential, fall, elastic[4];
    int adds;
} energy_sums;

static void add_elastic(const bed *b, bed_block *block, int l, int planes, void *context)
{
    energy_sums *e = context;
    double held[4];
    bed_contact_energy(b, block, l, planes, held);
    for (int k = 0; k < 4; ++k) sum_term(&e->elastic[k], e->adds, held[k]);
}

bed_energy bed_energies(const bed *b)
{
    energy_sums s = {.adds = 0};
    for (s.adds = 0; s.adds < 2; ++s.adds) {
        for (int i = 0; i < b->count; ++i) {
            const bed_record *r = &b->record[i];
            if (!(r->omega[3] > 0.0)) continue;
            sum_term(&s.kinetic, s.adds,
                     0.5 * vec_dot(r->v, r->v) / r->omega[3] + 0.5 * vec_dot(r->omega, r->omega) / r->v[3]);
            sum_term(&s.potential, s.adds, -vec_dot(r->x, b->gravity) / r->omega[3]);
            sum_term(&s.fall, s.adds, vec_dot(r->v, b->gravity) / r->omega[3]);
        }
        bed_each_lane(b, add_elastic, &s);
        sum_ready(&s.kinetic), sum_ready(&s.potential), sum_ready(&s.fall);
        for (int k = 0; k < 4; ++k) sum_ready(&s.elastic[k]);
    }
    bed_energy e = {.kinetic = sum_value(&s.kinetic), .potential = sum_value(&s.potential), .fall = sum_value(&s.fall)};
    for (int k = 0; k < 4; ++k) e.elastic[k] = sum_value(&s.elastic[k]);
    for (int k = 0; k < 3; ++k) e.came_round += b->totals.wrapped[k] * b->box[k] * b->gravity[k];
    return e;
}
