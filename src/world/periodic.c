/* periodic.c: which shapes can touch in a world that repeats itself, and its nearest images (world.h).
 *
 * Shapes of like size lie in cells at least as wide as two of them reach; along a periodic axis the cells go round, and centres count by
 * where they lie in the period, so a body may be any number of periods away. What is more than LARGE times the mean, and planes, are
 * held against everything. A pair is one pair, through whichever image is nearest: so a moving body must be smaller than a quarter
 * of a period (periodic_possible), and of a larger one that does not move freely the part within half a period of its centre counts.
 *
 * Where the periods are sheared (cell.c) the next image along z lies aside by the tilt: every difference of places goes by whole periods
 * along z first, then y, then x, and the cells lean as the images do. Bodies stay in the upright box, in which each has one image.
 *
 * The candidates are made in every step: a few hundred nanoseconds a shape, beside microseconds for a contact of any shape. */
#include "base/arena.h"
#include "collision/broadphase.h"
#include "collision/narrow.h"
#include "math/quat.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "world/world_private.h"

#include <string.h>

static const double LARGE = 3.0;

typedef struct cells {
    const scree_world_options *options;
    const broadphase_input *in;
    int count[3];
    double low[3], length[3]; /* of the cells together */
    double lean[3];           /* of their sides, where the periods are sheared: x with y, x with z, y with z */
    int *first, *member;      /* members of cell c: member[first[c]] .. member[first[c + 1] - 1], ascending */
    int *cell;                /* of each shape; -1: not in the cells */
    int *large, large_count;
} cells;

/// One direction of the search: all pairs (a, b) with b > a, each once.
typedef struct pair_list {
    int *row;     /* counts, or where the next partner of each goes */
    int *partner; /* NULL: only count                               */
} pair_list;

int world_is_periodic(const scree_world *w)
{
    const int *p = w->options.periodic;
    return p[0] || p[1] || p[2];
}

void world_wrap(scree_world *w)
{
    const scree_world_options *o = &w->options;
    for (int k = 2; k >= 0; --k) {
        if (!o->periodic[k]) continue;
        const double period = o->high[k] - o->low[k];
        for (int b = 0; b < w->body_count; ++b) {
            double *x = w->x[b], moved[3];
            if (w->kind[b] != SCREE_BODY_DYNAMIC || w->jointed[b] || !isfinite(x[k])) continue;
            const vec3 before = {x[0], x[1], x[2]};
            x[k] = wrap_into(before[k], o->low[k], o->high[k]);
            image_aside(o, k, nearbyint((before[k] - x[k]) / period), x);
            vec_sub(x, before, moved);
            /* potential energy that nobody gave, of bodies whose sums are kept: it is no part of their balance */
            if (b < w->soft.bodies) w->soft.mechanical -= w->mass[b] * vec_dot(o->gravity, moved);
        }
    }
}

static double fat_radius(const shape_proxy *p)
{
    return p->radius + p->reach;
}

/// Mean of what moves; what is far beyond it, and planes, go to the list.
static double choose_large(cells *c)
{
    double sum = 0.0, widest = 0.0;
    int moving = 0;
    for (int i = 0; i < c->in->count; ++i) {
        const shape_proxy *p = &c->in->proxy[i];
        if (p->body >= 0 && p->moves && p->kind != SCREE_SHAPE_PLANE) sum += fat_radius(p), ++moving;
    }
    double most = moving ? LARGE * sum / moving : 0.0;
    for (int i = 0; i < c->in->count; ++i) {
        const shape_proxy *p = &c->in->proxy[i];
        int small = p->kind != SCREE_SHAPE_PLANE && fat_radius(p) <= most;
        c->cell[i] = p->body >= 0 && small ? 0 : -1;
        if (p->body >= 0 && !small) c->large[c->large_count++] = i;
        if (c->cell[i] == 0) widest = max2(widest, fat_radius(p));
    }
    return 2.0 * widest;
}

/// Of a sheared world: how the cells lean, and by how much wider they are for it than they are thick.
static void choose_lean(cells *c, double wider[3])
{
    const scree_world_options *o = c->options;
    wider[0] = wider[1] = wider[2] = 1.0;
    for (int k = 0; k < 3; ++k) {
        const int by = k == 0 ? 1 : 2;
        c->lean[k] = o->periodic[by] ? o->tilt[k] / (o->high[by] - o->low[by]) : 0.0;
    }
    c->lean[1] -= c->lean[0] * c->lean[2]; /* a period of z also changes y, which is not to change x again */
    wider[0] = sqrt(1.0 + c->lean[0] * c->lean[0] + c->lean[1] * c->lean[1]);
    wider[1] = sqrt(1.0 + c->lean[2] * c->lean[2]);
}

/// As many cells as fit, but no more than a few for each shape.
static void choose_cells(cells *c, double width)
{
    const scree_world_options *o = c->options;
    double high[3], wider[3];
    choose_lean(c, wider);
    for (int k = 0; k < 3; ++k) c->low[k] = SCREE_INFINITY, high[k] = -SCREE_INFINITY;
    for (int i = 0; i < c->in->count; ++i) {
        const double *x = c->in->proxy[i].centre;
        for (int k = 0; k < 3 && c->cell[i] == 0; ++k) c->low[k] = min2(c->low[k], x[k]), high[k] = max2(high[k], x[k]);
    }
    double total = 1.0, most = 2.0 * c->in->count + 1.0;
    for (int k = 0; k < 3; ++k) {
        if (o->periodic[k]) c->low[k] = o->low[k], high[k] = o->high[k];
        c->length[k] = high[k] > c->low[k] ? high[k] - c->low[k] : 0.0;
        c->count[k] = width > 0.0 ? (int)clamp(floor(c->length[k] / (width * wider[k])), 1.0, 1e4) : 1;
        total *= c->count[k];
    }
    while (total > most) { /* along the axis with most of them */
        int k = c->count[0] >= c->count[1] && c->count[0] >= c->count[2] ? 0 : c->count[1] >= c->count[2] ? 1 : 2;
        total /= c->count[k], c->count[k] = (c->count[k] + 1) / 2, total *= c->count[k];
    }
}

/// Where a centre is along an axis, in cells that lean as the images do.
static double upright(const cells *c, int axis, const double x[3])
{
    const double y = x[1] - c->low[1], z = x[2] - c->low[2];
    return axis == 0 ? x[0] - c->lean[0] * y - c->lean[1] * z : axis == 1 ? x[1] - c->lean[2] * z : x[2];
}

static int cell_along(const cells *c, int axis, double x)
{
    if (!(c->length[axis] > 0.0)) return 0;
    double share = (x - c->low[axis]) / c->length[axis];
    if (c->options->periodic[axis]) share -= floor(share);
    return (int)clamp(floor(share * c->count[axis]), 0.0, c->count[axis] - 1.0);
}

static void fill_cells(cells *c)
{
    int total = c->count[0] * c->count[1] * c->count[2];
    memset(c->first, 0, ((size_t)total + 2) * sizeof *c->first);
    for (int i = 0; i < c->in->count; ++i) {
        const double *x = c->in->proxy[i].centre;
        if (c->cell[i] < 0) continue;
        c->cell[i] = cell_along(c, 0, upright(c, 0, x)) +
                     c->count[0] * (cell_along(c, 1, upright(c, 1, x)) + c->count[1] * cell_along(c, 2, x[2]));
        c->first[c->cell[i] + 2] += 1;
    }
    for (int k = 1; k <= total; ++k) c->first[k + 1] += c->first[k];
    for (int i = 0; i < c->in->count; ++i)
        if (c->cell[i] >= 0) c->member[c->first[c->cell[i] + 1]++] = i;
}

/// The cells beside one along an axis and itself, each once. Returns how many.
static int beside(const cells *c, int axis, int at, int out[3])
{
    int count = c->count[axis], found = 0;
    for (int step = -1; step <= 1; ++step) {
        int k = at + step, seen = 0;
        if (c->options->periodic[axis]) k = (k + count) % count;
        if (k < 0 || k >= count) continue;
        for (int i = 0; i < found; ++i) seen |= out[i] == k;
        if (!seen) out[found++] = k;
    }
    return found;
}

static void consider(const cells *c, int i, int j, pair_list *list)
{
    const shape_proxy *a = &c->in->proxy[i], *b = &c->in->proxy[j];
    double r[3], reach = fat_radius(a) + fat_radius(b);
    if (a->body == b->body || !(a->moves | b->moves)) return;
    if (a->kind != SCREE_SHAPE_PLANE && b->kind != SCREE_SHAPE_PLANE) {
        vec_sub(b->centre, a->centre, r);
        nearest_image(c->options, r);
        if (!(vec_dot(r, r) <= reach * reach)) return;
    }
    int low = i < j ? i : j, at = list->row[low]++;
    if (list->partner) list->partner[at] = i < j ? j : i;
}

static void visit_pairs(const cells *c, pair_list *list)
{
    for (int i = 0; i < c->in->count; ++i) {
        if (c->cell[i] < 0) continue;
        int at[3] = {c->cell[i] % c->count[0], c->cell[i] / c->count[0] % c->count[1],
                     c->cell[i] / (c->count[0] * c->count[1])};
        int near[3][3], found[3];
        for (int k = 0; k < 3; ++k) found[k] = beside(c, k, at[k], near[k]);
        for (int n = 0; n < found[0] * found[1] * found[2]; ++n) {
            int x = near[0][n % found[0]], y = near[1][n / found[0] % found[1]], z = near[2][n / (found[0] * found[1])];
            int cell = x + c->count[0] * (y + c->count[1] * z);
            for (int m = c->first[cell]; m < c->first[cell + 1]; ++m)
                if (c->member[m] > i) consider(c, i, c->member[m], list);
        }
    }
    for (int l = 0; l < c->large_count; ++l)
        for (int j = 0; j < c->in->count; ++j) {
            int both = c->cell[j] < 0 && c->in->proxy[j].body >= 0;
            if (c->in->proxy[j].body >= 0 && (!both || j > c->large[l])) consider(c, c->large[l], j, list);
        }
}

static void sort_row(int *value, int count)
{
    for (int k = 1; k < count; ++k) {
        int v = value[k], at = k;
        for (; at > 0 && value[at - 1] > v; --at) value[at] = value[at - 1];
        value[at] = v;
    }
}

#define SCRATCH(count, type) arena_alloc(w->scratch, (size_t)(count) * sizeof(type), _Alignof(type))

scree_status periodic_pairs(scree_world *w, const broadphase_input *in, shape_pairs *pairs)
{
    int n = in->count;
    cells c = {.options = &w->options, .in = in};
    c.cell = SCRATCH(n, int), c.member = SCRATCH(n, int), c.large = SCRATCH(n, int);
    int *row = SCRATCH(n + 2, int);
    if (!c.cell || !c.member || !c.large || !row) return SCREE_ERR_MEMORY;
    choose_cells(&c, choose_large(&c));
    c.first = SCRATCH(c.count[0] * c.count[1] * c.count[2] + 2, int);
    if (!c.first) return SCREE_ERR_MEMORY;
    fill_cells(&c);
    memset(row, 0, ((size_t)n + 2) * sizeof *row);
    visit_pairs(&c, &(pair_list){row + 2, NULL}); /* then row[i + 1] is made where the partners of i begin */
    for (int i = 2; i < n + 2; ++i) row[i] += row[i - 1];
    int count = row[n + 1], *partner = SCRATCH(count, int);
    if (!partner) return SCREE_ERR_MEMORY;
    visit_pairs(&c, &(pair_list){row + 1, partner}); /* and ends where they end */
    for (int i = 0; i < n; ++i) sort_row(partner + row[i], row[i + 1] - row[i]);
    *pairs = (shape_pairs){count, row, partner};
    return SCREE_OK;
}

/* ---- what such a world cannot have -------------------------------------------------------------------------------------------- */

scree_status periodic_possible(const scree_world *w, scree_error *error)
{
    return periodic_shapes_possible(w, 0, error);
}

scree_status periodic_shapes_possible(const scree_world *w, int first, scree_error *error)
{
    const scree_world_options *o = &w->options;
    char name[128];
    if (!world_is_periodic(w)) return SCREE_OK;
    for (int k = first; k < w->shape_count; ++k) {
        int b = w->shape_body[k];
        const scree_shape *s = &w->shape[k];
        double q[4], R[9];
        if (w->kind[b] == SCREE_BODY_REMOVED) continue;
        quat_mul(w->q[b], s->rotation, q);
        quat_axes(q, R);
        for (int i = 0; i < 3; ++i) {
            double extent = vec_norm(s->position) + w->shape_extent[k], period = o->high[i] - o->low[i];
            int across = s->kind == SCREE_SHAPE_PLANE && fabs(R[3 * i + 2]) > 1e-9,
                large = w->kind[b] == SCREE_BODY_DYNAMIC && !(4.0 * extent <= period);
            if (!o->periodic[i] || (!across && !large)) continue;
            scree_world_body_name(w, scree_body_at(b), name, sizeof name);
            if (across)
                scree_error_set(error, NULL, 0, 0,
                                "the plane of %s lies across the periodic axis %c; expected one along it", name,
                                "xyz"[i]);
            else
                scree_error_set(
                    error, NULL, 0, 0,
                    "the periodic axis %c is %g m long and %s reaches %g m from its centre; expected at most a "
                    "quarter of the length",
                    "xyz"[i], period, name, extent);
            return SCREE_ERR_UNSUPPORTED;
        }
    }
    return SCREE_OK;
}
