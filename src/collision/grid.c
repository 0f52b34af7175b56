/* grid.c: levels and cells of grid.h.
 *
 * Levels. Sizes are counted in bins of a quarter octave. A level that spans the bins i..j has cells as wide as the largest ball in
 * it; with balls packed side by side the half neighbourhood of a ball (13.5 cells) holds about 13.5 width^3 / mean(diameter^3) others
 * to be tested, and every smaller ball pays a lookup (about LOOKUP tests). The cheapest cut of the bins into levels follows by
 * dynamic programming: balls of nearly one size get one level, a few large ones do not widen the cells of all the rest. */
#include "collision/grid.h"

#include "base/memory.h"
#include "math/scalar.h"

#include <limits.h>
#include <string.h>

enum { BINS = GRID_LEVELS_MAX, BINS_PER_OCTAVE = 4, LOOKUP = 30, CELLS_PER_BALL = 4, CELLS_MIN = 64 };

/* Cells are wider than the balls by this much, so that rounding of x / width moves no ball out of its neighbour's reach: enough up
 * to 1e9 cells from the origin. */
static const double WIDER = 1.0 + 1e-6;

/// Quarter octave of a size: steps by one as the size grows by about 2^(1/4).
static int quarter_octave(double size)
{
    int e = exponent_of(size), quarter;
    double m = size * power_of_two(-e); /* [1/2, 1) */
    quarter = (m >= 0.59460355750136054) + (m >= 0.70710678118654752) + (m >= 0.84089641525371454);
    return BINS_PER_OCTAVE * e + quarter;
}

typedef struct size_bins {
    int top;              /* quarter octave of the last bin                  */
    int count[BINS];      /* balls; what is smaller than all bins is in bin 0 */
    double largest[BINS]; /* radius                                          */
    double volume[BINS];  /* sum of diameter^3                               */
} size_bins;

static int bin_of(const size_bins *bins, double r)
{
    int b = BINS - 1 - (bins->top - quarter_octave(r));
    return b < 0 ? 0 : b >= BINS ? BINS - 1 : b;
}

static void count_sizes(const fat_ball *ball, const int *member, int count, size_bins *bins)
{
    double largest = 0.0;
    memset(bins, 0, sizeof *bins);
    for (int i = 0; i < count; ++i) largest = max2(largest, ball[member[i]].r);
    bins->top = quarter_octave(largest);
    for (int i = 0; i < count; ++i) {
        double r = ball[member[i]].r;
        int b = bin_of(bins, r);
        ++bins->count[b];
        bins->largest[b] = max2(bins->largest[b], r);
        bins->volume[b] += 8.0 * r * r * r;
    }
}

double grid_threshold(const fat_ball *ball, const int *member, int count)
{
    size_bins bins;
    count_sizes(ball, member, count, &bins);
    int allowed = 16 + (int)sqrt((double)count), above = 0, b = BINS - 1;
    while (b >= 0 && above + bins.count[b] <= allowed) above += bins.count[b--];
    while (b >= 0 && bins.count[b] == 0) --b;
    return b < 0 ? 0.0 : bins.largest[b];
}

/// Which level each bin belongs to (0: the finest), by the least total of tests. Returns the number of levels.
static int choose_levels(const size_bins *bins, int level_of_bin[BINS])
{
    double best[BINS + 1] = {0.0};
    int first[BINS + 1] = {0}, smaller[BINS + 1] = {0};
    for (int b = 0; b < BINS; ++b) smaller[b + 1] = smaller[b] + bins->count[b];
    for (int j = 1; j <= BINS; ++j) { /* levels for the bins below j, the last of them first[j] .. j - 1 */
        double count = 0.0, volume = 0.0, width = 0.0;
        best[j] = SCREE_INFINITY, first[j] = j - 1;
        for (int i = j - 1; i >= 0; --i) {
            count += bins->count[i], volume += bins->volume[i], width = max2(width, 2.0 * bins->largest[i]);
            double own = count > 0.0 ? 13.5 * count * count * width * width * width / volume : 0.0;
            double cost = best[i] + own + (count > 0.0 ? LOOKUP * (double)smaller[i] : 0.0);
            if (cost <= best[j]) best[j] = cost, first[j] = i;
        }
    }
    int cut[BINS + 1], cuts = 0, levels = 0;
    for (int j = BINS; j > 0; j = first[j]) cut[cuts++] = first[j];
    for (int c = cuts - 1; c >= 0; --c) {
        int end = c > 0 ? cut[c - 1] : BINS;
        for (int b = cut[c]; b < end; ++b) level_of_bin[b] = levels;
        levels += smaller[end] > smaller[cut[c]];
    }
    return levels;
}

/// Cell number along one axis, folded. Coordinates beyond any cell (or NaN) are in cell 0.
static int fold(double x, double inverse, int mask)
{
    double c = floor(x * inverse);
    return fabs(c) < 0x1p62 ? (int)((int64_t)c & mask) : 0;
}

static int cell_index(const grid_level *l, int i, int j, int k)
{
    return l->table + ((k * (l->mask[1] + 1)) + j) * (l->mask[0] + 1) + i;
}

/// Powers of two that cover the box of the level's balls with O(count) cells: the widest side is folded first.
static int choose_dimensions(grid_level *l, const double low[3], const double high[3])
{
    double limit = max2(CELLS_MIN, CELLS_PER_BALL * (double)(l->end - l->first)), total = 1.0, size[3];
    for (int k = 0; k < 3; ++k) {
        size[k] = 4.0;
        while (size[k] < (high[k] - low[k]) * l->inverse + 1.0 && size[k] < 0x1p40) size[k] *= 2.0;
        total *= size[k];
    }
    while (total > limit && total > CELLS_MIN) {
        int widest = size[1] > size[0] ? 1 : 0;
        if (size[2] > size[widest]) widest = 2;
        size[widest] *= 0.5, total *= 0.5;
    }
    for (int k = 0; k < 3; ++k) l->mask[k] = (int)size[k] - 1;
    return (int)total;
}

static scree_status reserve(grid *g, const scree_allocator *a, int count)
{
    if (count <= g->capacity) return SCREE_OK;
    int capacity = count + count / 4;
    memory_free(a, g->ball), memory_free(a, g->id), memory_free(a, g->cell), memory_free(a, g->scratch);
    g->ball = memory_array(a, (size_t)capacity, sizeof *g->ball);
    g->id = memory_array(a, (size_t)capacity, sizeof *g->id);
    g->cell = memory_array(a, (size_t)capacity, sizeof *g->cell);
    g->scratch = memory_array(a, (size_t)capacity, sizeof *g->scratch);
    g->capacity = g->ball && g->id && g->cell && g->scratch ? capacity : 0;
    return g->capacity > 0 ? SCREE_OK : SCREE_ERR_MEMORY;
}

/// The balls in the order of their levels: ids in g->scratch, each level's range; in a level by id.
static void sort_by_level(grid *g, const fat_ball *ball, const int *member, int count)
{
    size_bins bins;
    int level_of_bin[BINS], next[GRID_LEVELS_MAX] = {0};
    count_sizes(ball, member, count, &bins);
    g->level_count = choose_levels(&bins, level_of_bin);
    memset(g->level, 0, sizeof g->level);
    for (int b = 0; b < BINS; ++b) {
        if (bins.count[b] == 0) continue;
        grid_level *l = &g->level[level_of_bin[b]];
        l->largest = max2(l->largest, bins.largest[b]);
        l->end += bins.count[b];
    }
    for (int i = 0, at = 0; i < g->level_count; ++i) {
        grid_level *l = &g->level[i];
        int size = l->end;
        l->first = next[i] = at, l->end = at += size;
        l->inverse = 1.0 / (2.0 * l->largest * WIDER);
    }
    if (g->level_count == 1) {
        memcpy(g->scratch, member, (size_t)count * sizeof *member);
        return;
    }
    for (int i = 0; i < count; ++i) g->scratch[next[level_of_bin[bin_of(&bins, ball[member[i]].r)]]++] = member[i];
}

scree_status grid_build(grid *g, const scree_allocator *a, const fat_ball *ball, const int *member, int count)
{
    g->count = 0, g->level_count = 0;
    if (count == 0) return SCREE_OK;
    if (reserve(g, a, count) != SCREE_OK) return SCREE_ERR_MEMORY;
    sort_by_level(g, ball, member, count);
    int cells = 0;
    for (int i = 0; i < g->level_count; ++i) {
        grid_level *l = &g->level[i];
        double low[3], high[3];
        memcpy(low, ball[g->scratch[l->first]].x, sizeof low), memcpy(high, low, sizeof high);
        for (int p = l->first; p < l->end; ++p)
            for (int k = 0; k < 3; ++k) {
                double x = ball[g->scratch[p]].x[k];
                low[k] = min2(low[k], x), high[k] = max2(high[k], x);
            }
        l->table = cells;
        cells += choose_dimensions(l, low, high);
    }
    if (cells + 1 > g->start_capacity) {
        int capacity = cells + cells / 4 + 1;
        memory_free(a, g->start);
        g->start = memory_array(a, (size_t)capacity, sizeof *g->start);
        g->start_capacity = g->start ? capacity : 0;
        if (!g->start) return SCREE_ERR_MEMORY;
    }
    /* counting sort: sizes of the cells, their starts, then each ball into the next place of its cell */
    memset(g->start, 0, ((size_t)cells + 1) * sizeof *g->start);
    for (int i = 0; i < g->level_count; ++i) {
        const grid_level *l = &g->level[i];
        for (int p = l->first; p < l->end; ++p) {
            const double *x = ball[g->scratch[p]].x;
            g->cell[p] = cell_index(l, fold(x[0], l->inverse, l->mask[0]), fold(x[1], l->inverse, l->mask[1]),
                                    fold(x[2], l->inverse, l->mask[2]));
            ++g->start[g->cell[p]];
        }
    }
    for (int c = 0, at = 0; c <= cells; ++c) {
        int size = g->start[c];
        g->start[c] = at, at += size;
    }
    for (int p = 0; p < count; ++p) {
        int to = g->start[g->cell[p]]++;
        g->id[to] = g->scratch[p];
        g->ball[to] = ball[g->scratch[p]];
    }
    for (int c = cells; c > 0; --c) g->start[c] = g->start[c - 1];
    g->start[0] = 0;
    g->count = count;
    return SCREE_OK;
}

void grid_free(grid *g, const scree_allocator *a)
{
    memory_free(a, g->ball), memory_free(a, g->id), memory_free(a, g->cell), memory_free(a, g->scratch);
    memory_free(a, g->start);
    memset(g, 0, sizeof *g);
}

int grid_level_of(const grid *g, int position)
{
    int i = 0;
    while (position >= g->level[i].end) ++i;
    return i;
}

/// The balls of the cells (i .. i + span - 1, j, k), folded: cells along x lie side by side but where the fold cuts them.
static void visit_row(const grid *g, const grid_level *l, int i, int span, int j, int k, grid_visit *visit,
                      void *context)
{
    int row = cell_index(l, 0, j & l->mask[1], k & l->mask[2]), size = l->mask[0] + 1, at = i & l->mask[0];
    int straight = at + span <= size ? span : size - at;
    int from = g->start[row + at], to = g->start[row + at + straight];
    if (from < to) visit(context, from, to);
    if (straight == span) return;
    from = g->start[row], to = g->start[row + span - straight];
    if (from < to) visit(context, from, to);
}

/// All balls of a level whose cells a cube of half width `half` about x meets.
static void visit_cube(const grid *g, const grid_level *l, const double x[3], double half, grid_visit *visit,
                       void *context)
{
    int low[3], span[3];
    for (int k = 0; k < 3; ++k) {
        double a = floor((x[k] - half) * l->inverse), b = floor((x[k] + half) * l->inverse), cells = b - a + 1.0;
        low[k] = fabs(a) < 0x1p62 ? (int)((int64_t)a & l->mask[k]) : 0;
        span[k] = cells <= l->mask[k] ? (int)cells
                                      : l->mask[k] + 1; /* NaN and what is wider than the fold: every cell once */
    }
    for (int k = 0; k < span[2]; ++k)
        for (int j = 0; j < span[1]; ++j) visit_row(g, l, low[0], span[0], low[1] + j, low[2] + k, visit, context);
}

void grid_neighbours(const grid *g, int position, int level, grid_visit *visit, void *context)
{
    const grid_level *l = &g->level[level];
    const fat_ball *ball = &g->ball[position];
    int i = fold(ball->x[0], l->inverse, l->mask[0]), j = fold(ball->x[1], l->inverse, l->mask[1]),
        k = fold(ball->x[2], l->inverse, l->mask[2]);
    /* half of the 27 cells: the rest of its own and (1, 0, 0), then rows (., 1, 0), (., -1 .. 1, 1) */
    int own_end = g->start[cell_index(l, i, j, k) + 1];
    if (position + 1 < own_end) visit(context, position + 1, own_end);
    visit_row(g, l, i + 1, 1, j, k, visit, context);
    visit_row(g, l, i - 1, 3, j + 1, k, visit, context);
    for (int dj = -1; dj <= 1; ++dj) visit_row(g, l, i - 1, 3, j + dj, k + 1, visit, context);
    for (int m = level + 1; m < g->level_count; ++m)
        visit_cube(g, &g->level[m], ball->x, ball->r + g->level[m].largest, visit, context);
}

void grid_around(const grid *g, const fat_ball *ball, grid_visit *visit, void *context)
{
    for (int m = 0; m < g->level_count; ++m)
        visit_cube(g, &g->level[m], ball->x, ball->r + g->level[m].largest, visit, context);
}
