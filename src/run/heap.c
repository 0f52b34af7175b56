/* heap.c: the shape of a heap of spheres, as numbers (output.h).
 *
 * Surface. Looked at from above, the heap has at each point (x, y) the height of the highest sphere over it, z + sqrt(R^2 - d^2), or
 * that of the floor. It is sampled at the middles of square cells and averaged over rings about the axis, weighted by the cells.
 * Flank. With h_max and h_min the highest and the lowest ring, the rings between h_min + low (h_max - h_min) and
 * h_min + high (h_max - h_min) are joined by a straight line, least squares weighted by area; its slope is the angle of repose. The
 * foot and the rounded top stay out. A flat bed between walls has a surface too, and gets the slope of what unevenness it has.
 * Cone. A homogeneous cone of height H and radius A has mean height H/4 and mean squared radius 3 A^2/10. The angle of the cone that
 * has both as the grains have is a second figure that uses every grain and no fit; walls that hold the foot back spoil it.
 * Base, as [AB] 6.2 has it: of the grains that touch the floor, the mean distance from their own centroid.
 *
 * Cost: each grain once, and the cells below it. One allocation, of the cells. */
#include "base/fail.h"
#include "base/memory.h"
#include "math/elementary.h"

#include <math.h>
#include <scree/output.h>
#include <string.h>

enum { CELLS_MAX = 1024 };

scree_heap_options scree_heap_options_default(void)
{
    return (scree_heap_options){
        .cookie = SCREE_COOKIE, .floor = 0.0, .touch = 0.02, .reach = 0.0, .low = 0.2, .high = 0.8};
}

/* ---- what needs no surface --------------------------------------------------------------------------------------------- */

/// Moments over all grains, weighted by volume: axis, mean height, cone, top.
static void measure_moments(const scree_heap_options *o, int count, const double *x, const double *radius,
                            scree_heap *heap)
{
    double volume = 0.0, sum[3] = {0.0, 0.0, 0.0}, square = 0.0;
    for (int i = 0; i < count; ++i) {
        double w = radius[i] * radius[i] * radius[i];
        volume += w;
        for (int k = 0; k < 3; ++k) sum[k] += w * x[3 * i + k];
        heap->height = number_max(heap->height, x[3 * i + 2] + radius[i] - o->floor);
        heap->mean_radius += radius[i] / count;
    }
    heap->axis[0] = sum[0] / volume, heap->axis[1] = sum[1] / volume;
    heap->mean_height = sum[2] / volume - o->floor;
    for (int i = 0; i < count; ++i) {
        double a = x[3 * i] - heap->axis[0], b = x[3 * i + 1] - heap->axis[1];
        square += radius[i] * radius[i] * radius[i] / volume * (a * a + b * b);
    }
    heap->cone_angle = square > 0.0 ? real_atan(4.0 * heap->mean_height / sqrt(10.0 / 3.0 * square)) : 0.0;
}

static void measure_base(const scree_heap_options *o, int count, const double *x, const double *radius,
                         scree_heap *heap)
{
    double sum[2] = {0.0, 0.0};
    for (int pass = 0; pass < 2; ++pass)
        for (int i = 0; i < count; ++i) {
            if (x[3 * i + 2] - o->floor > (1.0 + o->touch) * radius[i]) continue;
            if (pass == 0) heap->base_count += 1, sum[0] += x[3 * i], sum[1] += x[3 * i + 1];
            else
                heap->base_radius +=
                    real_hypot(x[3 * i] - sum[0] / heap->base_count, x[3 * i + 1] - sum[1] / heap->base_count) /
                    heap->base_count;
        }
}

/* ---- the surface ------------------------------------------------------------------------------------------------------- */

typedef struct surface {
    int side;      /* cells along x and along y                              */
    double cell;   /* [m]                                                    */
    double from;   /* lower corner, from the axis, along both                */
    double *above; /* (side x side) height above the floor                   */
} surface;

static double middle(const surface *s, int i)
{
    return s->from + (i + 0.5) * s->cell;
}

/// First cell whose middle is not below `at`, kept within the grid.
static int cell_from(const surface *s, double at)
{
    double i = ceil((at - s->from) / s->cell - 0.5);
    return !(i > 0.0) ? 0 : i >= s->side ? s->side : (int)i;
}

static void surface_add(surface *s, double x, double y, double z, double radius)
{
    int i_end = cell_from(s, x + radius), j_end = cell_from(s, y + radius);
    for (int j = cell_from(s, y - radius); j < j_end; ++j)
        for (int i = cell_from(s, x - radius); i < i_end; ++i) {
            double a = middle(s, i) - x, b = middle(s, j) - y, square = radius * radius - a * a - b * b;
            if (square <= 0.0) continue;
            double *above = s->above + (size_t)j * (size_t)s->side + i;
            *above = number_max(*above, z + sqrt(square));
        }
}

/// Mean height of each ring; `area` counts its cells.
static void average_rings(const surface *s, scree_heap *heap, double *area)
{
    memset(area, 0, SCREE_HEAP_RINGS * sizeof *area);
    for (int j = 0; j < s->side; ++j)
        for (int i = 0; i < s->side; ++i) {
            int ring = (int)(real_hypot(middle(s, i), middle(s, j)) / heap->ring_width);
            if (ring >= heap->ring_count) continue;
            heap->ring_height[ring] += s->above[(size_t)j * (size_t)s->side + i];
            area[ring] += 1.0;
        }
    for (int k = 0; k < heap->ring_count; ++k)
        if (area[k] > 0.0) heap->ring_height[k] /= area[k];
}

/// Height over radius as a straight line through the rings between the two levels; slope down is a positive angle.
static void fit_flank(const scree_heap_options *o, scree_heap *heap, const double *area)
{
    double most = -(double)INFINITY, least = (double)INFINITY, n = 0.0, r = 0.0, h = 0.0, rr = 0.0, rh = 0.0;
    for (int k = 0; k < heap->ring_count; ++k)
        most = number_max(most, heap->ring_height[k]), least = number_min(least, heap->ring_height[k]);
    double low = least + o->low * (most - least), high = least + o->high * (most - least);
    for (int pass = 0; pass < 2; ++pass)
        for (int k = 0; k < heap->ring_count; ++k) {
            double at = (k + 0.5) * heap->ring_width, height = heap->ring_height[k];
            if (height < low || height > high) continue;
            if (pass == 0) n += area[k], r += area[k] * at, h += area[k] * height, heap->flank_rings += 1;
            else rr += area[k] * (at - r / n) * (at - r / n), rh += area[k] * (at - r / n) * (height - h / n);
        }
    if (heap->flank_rings < 2 || rr <= 0.0) return;
    heap->flank_angle = real_atan(-rh / rr);
    for (int k = 0; k < heap->ring_count; ++k) {
        double at = (k + 0.5) * heap->ring_width, height = heap->ring_height[k];
        if (height < low || height > high) continue;
        double off = height - h / n - rh / rr * (at - r / n);
        heap->flank_misfit += area[k] / n * off * off;
    }
    heap->flank_misfit = sqrt(heap->flank_misfit);
}

static scree_status measure_flank(const scree_heap_options *o, int count, const double *x, const double *radius,
                                  const scree_allocator *allocator, scree_heap *heap)
{
    double reach = o->reach, area[SCREE_HEAP_RINGS];
    if (reach <= 0.0)
        for (int i = 0; i < count; ++i)
            reach = number_max(reach, real_hypot(x[3 * i] - heap->axis[0], x[3 * i + 1] - heap->axis[1]) + radius[i]);
    heap->ring_width = number_max(heap->mean_radius, reach / SCREE_HEAP_RINGS);
    heap->ring_count = (int)(reach / heap->ring_width);
    surface s = {.cell = number_max(heap->mean_radius / 4.0, 2.0 * reach / CELLS_MAX), .from = -reach};
    s.side = (int)ceil(2.0 * reach / s.cell);
    s.above = memory_array(allocator, (size_t)s.side * (size_t)s.side, sizeof *s.above);
    if (!s.above) return SCREE_ERR_MEMORY;
    for (int i = 0; i < count; ++i)
        surface_add(&s, x[3 * i] - heap->axis[0], x[3 * i + 1] - heap->axis[1], x[3 * i + 2] - o->floor, radius[i]);
    average_rings(&s, heap, area);
    fit_flank(o, heap, area);
    memory_free(allocator, s.above);
    return SCREE_OK;
}

/* ---- the doors --------------------------------------------------------------------------------------------------------- */

scree_heap scree_heap_measure(const scree_heap_options *options, int count, const double *position,
                              const double *radius, const scree_allocator *allocator, scree_error *error)
{
    scree_heap_options usual = scree_heap_options_default();
    const scree_heap_options *o = options ? options : &usual;
    scree_heap heap = {.grains = count};
    if (error_stopped(error) || !error_cookie(o->cookie, "scree_heap_options_default", error)) return (scree_heap){0};
    SCREE_ASSERT(count >= 0);
    if (count == 0) return heap;
    scree_allocator a = memory_allocator(allocator);
    measure_moments(o, count, position, radius, &heap);
    measure_base(o, count, position, radius, &heap);
    if (error_keep(error, measure_flank(o, count, position, radius, &a, &heap)) != SCREE_OK) return (scree_heap){0};
    return heap;
}

scree_heap scree_heap_of_world(const scree_heap_options *options, const scree_world *world,
                               const scree_allocator *allocator, scree_error *error)
{
    scree_heap_options usual = scree_heap_options_default();
    const scree_heap_options *o = options ? options : &usual;
    if (error_stopped(error) || !error_cookie(o->cookie, "scree_heap_options_default", error)) return (scree_heap){0};
    scree_allocator a = memory_allocator(allocator);
    int shapes = scree_world_shape_count(world), count = 0;
    double *grain = memory_array(&a, (size_t)shapes + 1, 4 * sizeof *grain);
    if (!grain) {
        error_keep(error, SCREE_ERR_MEMORY);
        return (scree_heap){0};
    }
    double *radius = grain + 3 * (size_t)shapes;
    for (int k = 0; k < shapes; ++k) {
        const scree_shape *shape = scree_world_shape(world, scree_shape_at(k));
        int body = scree_body_index(scree_world_shape_body(world, scree_shape_at(k)));
        if (shape->kind != SCREE_SHAPE_SPHERE ||
            scree_world_body_kind(world, scree_body_at(body)) != SCREE_BODY_DYNAMIC)
            continue;
        const double *x = scree_world_positions(world) + 3 * (size_t)body;
        if (x[2] < o->floor) continue; /* fell off the edge */
        memcpy(grain + 3 * (size_t)count, x, 3 * sizeof *x);
        radius[count++] = shape->size[0];
    }
    scree_heap heap = scree_heap_measure(o, count, grain, radius, &a, error);
    memory_free(&a, grain);
    return heap;
}
