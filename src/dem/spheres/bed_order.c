/* bed_order.c: the order of the spheres of a bed, by cells (bed_order.h).
 *
 * Spheres have levels by their radius (bed_sizes.c), and each level a grid of its own (Ogarko & Luding 2012), whose cells are as
 * long as the largest list distance in it: one large sphere does not coarsen the cells of many small ones. All spheres are sorted by their
 * cell in the grid of the main level, that of the most. Every chunk gets the cells of a box, by recursive bisection (Berger & Bokhari 1987),
 * in the order of their Morton codes. */
#include "dem/spheres/bed_order.h"

#include "math/scalar.h"

#include <math.h>
#include <string.h>

/// Where the centres of some spheres lie.
typedef struct bounds {
    double low[3], high[3];
} bounds;

/// A grid of cells of this length, a little longer where they do not fill the bounds. Returns how many there are.
static double grid_cut(const bed *b, const bounds *in, double cell, bed_cells *g)
{
    double total = 1.0;
    for (int a = 0; a < 3; ++a) {
        double length = in->high[a] - in->low[a], n = max2(1.0, min2(floor(length / cell), 2e6));
        if (b->periodic[a]) n = max2(n, 3.0);
        g->low[a] = in->low[a], g->cells[a] = (int)n, total *= n;
        g->inverse[a] = length > 0.0 ? n / length : 0.0;
    }
    return total;
}

/// Cells as long as the list distance, or longer where there would be more than two per sphere.
static void grid_make(const bed *b, const bounds *in, int level, bed_cells *g)
{
    double cell = 2.0 * b->level_radius[level] + b->skin;
    while (grid_cut(b, in, cell, g) > 2.0 * g->count + 64.0) cell *= 1.25;
}

static void bounds_add(bounds *in, const double *x)
{
    for (int a = 0; a < 3; ++a) in->low[a] = min2(in->low[a], x[a]), in->high[a] = max2(in->high[a], x[a]);
}

void bed_grids_cut(bed *b, bed_cells *level)
{
    bounds in[BED_LEVELS], all;
    for (int a = 0; a < 3; ++a) all.low[a] = SCREE_INFINITY, all.high[a] = -SCREE_INFINITY;
    for (int k = 0; k < b->levels; ++k) in[k] = all, level[k].count = 0, level[k].least = INT32_MAX;
    for (int i = 0; i < b->count; ++i) {
        int k = bed_level_of(b, b->record[i].x[3]);
        bounds_add(&in[k], b->record[i].x);
        level[k].count += 1, level[k].least = b->id[i] < level[k].least ? b->id[i] : level[k].least;
    }
    if (b->count == 0) memset(&in[0], 0, sizeof in[0]);
    for (int k = 0; k < b->levels; ++k) {
        for (int a = 0; a < 3; ++a)
            if (b->periodic[a]) in[k].low[a] = b->low[a], in[k].high[a] = b->low[a] + b->box[a];
        bounds_add(&all, in[k].low), bounds_add(&all, in[k].high);
    }
    memcpy(b->bounds[0], all.low, sizeof all.low), memcpy(b->bounds[1], all.high, sizeof all.high);
    const int main_level = b->main_level;
    const double cell = 2.0 * b->level_radius[main_level] + b->skin;
    if (grid_cut(b, &all, cell, &level[main_level]) <= 2.0 * b->count + 64.0) in[main_level] = all;
    size_t first = 0;
    for (int k = 0; k < b->levels; ++k) {
        if (k == main_level) level[k].count = b->count; /* it orders all: so many cells are worth their while */
        grid_make(b, &in[k], k, &level[k]);
        level[k].first = first, first += bed_cells_of(&level[k]);
    }
}

/// The bits of x (21 at most) with two zeros after each.
static uint64_t spread(uint64_t x)
{
    x = (x | x << 32) & UINT64_C(0x1f00000000ffff);
    x = (x | x << 16) & UINT64_C(0x1f0000ff0000ff);
    x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
    x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (x | x << 2) & UINT64_C(0x1249249249249249);
}

typedef struct sort_key {
    uint64_t code;
    int64_t sphere;
} sort_key;

_Static_assert(BED_ORDER_KEYS == 2 * sizeof(sort_key), "two of every sphere");

/// Sphere by sphere in the order of the codes of their cells, equal codes in the order they had: radix sort, 11 bits at a time. The last bit
/// of a code says that the sphere is not of the main level: those that are lie side by side. `from` and `to` have room for all; the result
/// is in the one that is returned.
static const sort_key *sort_by_code(const bed *b, const bed_cells *g, sort_key *from, sort_key *to)
{
    enum { DIGIT = 11, BINS = 1 << DIGIT };
    uint64_t top = 0;
    int32_t bin[BINS];
    for (int i = 0; i < b->count; ++i) {
        uint64_t code = 0;
        for (int a = 0; a < 3; ++a) code |= spread((uint64_t)bed_cell_along(g, a, b->record[i].x[a])) << a;
        code = code << 1 | (bed_level_of(b, b->record[i].x[3]) != b->main_level);
        from[i] = (sort_key){code, i}, top |= code;
    }
    for (int shift = 0; shift < 63 && top >> shift; shift += DIGIT) {
        memset(bin, 0, sizeof bin);
        for (int i = 0; i < b->count; ++i) bin[from[i].code >> shift & (BINS - 1)] += 1;
        for (int k = 0, sum = 0; k < BINS; ++k) {
            int n = bin[k];
            bin[k] = sum, sum += n;
        }
        for (int i = 0; i < b->count; ++i) to[bin[from[i].code >> shift & (BINS - 1)]++] = from[i];
        sort_key *t = from;
        from = to, to = t;
    }
    return from;
}

/// A cell, and its spheres in the order of the codes.
typedef struct cell_run {
    int32_t at[3], first, count;
} cell_run;

/// A box that is to be cut: its cells, its chunks, and the number of its first sphere.
typedef struct box_cut {
    cell_run *cell;
    int cells, first_chunk, chunks, first_sphere;
} box_cut;

/// The longest side of a box, and its first and last layer of cells. Of sides that are about as long the first: else a cube would be cut now
/// this way, now that, and all its contacts would have to change their chunks.
static int longest_side(const bed_cells *g, const box_cut *box, int32_t *first, int32_t *last)
{
    int longest = 0;
    double most = 0.0;
    for (int a = 0; a < 3; ++a) {
        int32_t low = box->cell[0].at[a], high = low;
        for (int k = 1; k < box->cells; ++k) {
            int32_t at = box->cell[k].at[a];
            low = at < low ? at : low, high = at > high ? at : high;
        }
        double length = g->inverse[a] > 0.0 ? (high - low + 1) / g->inverse[a] : 0.0;
        if (length > 1.15 * most) longest = a, most = length, *first = low, *last = high;
    }
    return longest;
}

/// Cuts a box across its longest side into two with half its chunks each, and these again. Fewer contacts leave a box than a stretch of a
/// curve of as many spheres: 13 % instead of 18 % of a bed of 10,000, 10 % instead of 14 % of one of 100,000. Chunks are equal in spheres, so
/// the cells of one layer may go to both sides; a box has fewer spheres than its chunks by less than a cell, and they take them from the next.
static void cut_boxes(const bed *b, const bed_cells *g, box_cut box, cell_run *scratch)
{
    enum { BINS = 1024 };
    int32_t first = 0, last = 0, bin[BINS] = {0};
    int shift = 0, cut = 0, left_spheres = 0;
    if (box.chunks < 2 || box.cells < 2) return;
    box_cut left = box, right = box;
    left.chunks = box.chunks / 2, left.cells = right.cells = 0;
    right.chunks = box.chunks - left.chunks, right.first_chunk = box.first_chunk + left.chunks;
    const int most = right.first_chunk * b->each - box.first_sphere, axis = longest_side(g, &box, &first, &last);

    while ((last - first) >> shift >= BINS) ++shift;
    const int layers = ((last - first) >> shift) + 1;
    for (int k = 0; k < box.cells; ++k) bin[(box.cell[k].at[axis] - first) >> shift] += box.cell[k].count;
    while (cut < layers && left_spheres + bin[cut] <= most) left_spheres += bin[cut++];
    for (int k = 0; k < box.cells; ++k) {
        const cell_run cell = box.cell[k];
        const int layer = (cell.at[axis] - first) >> shift, fits = layer == cut && left_spheres + cell.count <= most;
        if (fits) left_spheres += cell.count;
        if (fits || layer < cut) left.cell[left.cells++] = cell;
        else scratch[right.cells++] = cell;
    }
    right.cell = left.cell + left.cells, right.first_sphere = box.first_sphere + left_spheres;
    memcpy(right.cell, scratch, (size_t)right.cells * sizeof *scratch);
    cut_boxes(b, g, left, scratch);
    cut_boxes(b, g, right, scratch);
}

/// How many cells have a sphere, at most.
static size_t cells_taken(const bed *b, const bed_cells *g)
{
    return bed_cells_of(g) < (size_t)b->count ? bed_cells_of(g) : (size_t)b->count;
}

size_t bed_order_scratch(const bed *b, const bed_cells *g)
{
    return 2 * cells_taken(b, g) * sizeof(cell_run);
}

void bed_order_find(const bed *b, const bed_cells *g, int32_t *order)
{
    sort_key *keys = (sort_key *)(void *)b->near;
    const sort_key *key = sort_by_code(b, g, keys, keys + b->count);
    cell_run *cell = (cell_run *)(void *)(order + b->count), *scratch = cell + cells_taken(b, g);
    box_cut all = {.cell = cell, .chunks = b->chunks};
    for (int i = 0; i < b->count; ++i) {
        if (i == 0 || key[i].code >> 1 != key[i - 1].code >> 1) {
            cell_run *now = &cell[all.cells++];
            for (int a = 0; a < 3; ++a) now->at[a] = bed_cell_along(g, a, b->record[key[i].sphere].x[a]);
            now->first = i, now->count = 0;
        }
        cell[all.cells - 1].count += 1;
    }
    cut_boxes(b, g, all, scratch);
    for (int k = 0; k < all.cells; ++k)
        for (int l = 0; l < cell[k].count; ++l) *order++ = (int32_t)key[cell[k].first + l].sphere;
}

/// All that moves with a sphere.
typedef struct sphere {
    bed_record record;
    bed_load given;
    double q[4];
    int32_t id;
    uint16_t material;
} sphere;

static inline void sphere_get(const bed *b, int i, sphere *to)
{
    to->record = b->record[i], to->id = b->id[i], to->material = b->material[i];
    if (b->q) memcpy(to->q, b->q[i], sizeof to->q);
    if (b->pushed) to->given = b->given[i];
}

static inline void sphere_put(const bed *b, int i, const sphere *from)
{
    b->record[i] = from->record, b->id[i] = from->id, b->material[i] = from->material;
    if (b->q) memcpy(b->q[i], from->q, sizeof from->q);
    if (b->pushed) b->given[i] = from->given;
}

/* cycle by cycle in place, those that are done as complements */
void bed_reorder(const bed *b, int32_t *order, int back)
{
    sphere first, next;
    for (int i = 0; i < b->count; ++i) {
        int to = i, from = order[i];
        if (from < 0 || from == i) continue;
        sphere_get(b, i, &first);
        for (; from != i; to = from, from = order[to]) {
            sphere_get(b, from, &next);
            sphere_put(b, back ? from : to, back ? &first : &next);
            if (back) first = next;
            order[to] = ~from;
        }
        sphere_put(b, back ? i : to, &first);
        order[to] = ~i;
    }
    for (int i = 0; i < b->count; ++i) order[i] = order[i] < 0 ? ~order[i] : order[i];
}

static int32_t *cell_of(const bed *b, const bed_cells *g, const double *x)
{
    int c[3];
    for (int a = 0; a < 3; ++a) c[a] = bed_cell_along(g, a, x[a]);
    return b->cell + 2 * bed_cell_index(g, c);
}

/* members by counting */
void bed_cells_fill(const bed *b, const bed_cells *level, int32_t *member)
{
    const bed_cells *last = &level[b->levels - 1];
    int32_t sum = 0;
    memset(b->cell, 0, 2 * (last->first + bed_cells_of(last)) * sizeof *b->cell);
    for (int i = 0; i < b->count; ++i) {
        int k = bed_level_of(b, b->record[i].x[3]);
        int32_t *at = cell_of(b, &level[k], b->record[i].x);
        if (k != b->main_level) at[1] += 1;
        else if (at[1] == 0) at[0] = i, at[1] = i + 1;
        else at[1] = i + 1;
    }
    for (int k = 0; k < b->levels; ++k) {
        int32_t *at = b->cell + 2 * level[k].first, *end = at + 2 * bed_cells_of(&level[k]);
        for (; at < end && k != b->main_level; at += 2) at[0] = sum, sum += at[1], at[1] = at[0];
    }
    for (int i = 0; i < b->count && sum > 0; ++i) {
        int k = bed_level_of(b, b->record[i].x[3]);
        if (k != b->main_level) member[cell_of(b, &level[k], b->record[i].x)[1]++] = i;
    }
}
