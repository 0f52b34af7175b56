/* test_heap.c: the shape of heaps whose shape is known: spheres laid under a cone, in a flat bed, on a ring. */
#include "failing_allocator.h"

#include <math.h>
#include <scree/output.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const double degree = 0.017453292519943295;

enum { GRAINS_MAX = 80000 };
static double position[3 * GRAINS_MAX], radius[GRAINS_MAX];

/// Columns of touching spheres on a square lattice, hanging from the cone of this apex and slope down to the floor, about (x, y).
/// The lattice is so narrow (0.7 diameters) that no hole reaches the floor; that columns overlap is nothing to the measures.
/// Returns the number of spheres.
static int lay(double size, double extent, double slope, double apex, double x, double y)
{
    double apart = 0.7 * size;
    int n = 0, half = (int)(extent / apart);
    for (int i = -half; i <= half; ++i)
        for (int j = -half; j <= half; ++j) {
            double a = i * apart, b = j * apart, top = fmin(apex, apex - slope * hypot(a, b));
            if (hypot(a, b) > extent) continue;
            for (int k = 0; top > (k + 0.5) * size && n < GRAINS_MAX; ++k) {
                position[3 * n] = a + x, position[3 * n + 1] = b + y, position[3 * n + 2] = top - (k + 0.5) * size;
                radius[n++] = size / 2.0;
            }
        }
    return n;
}

static scree_heap measure(const scree_heap_options *options, int count)
{
    scree_error error = {0};
    assert_true(count > 0 && count < GRAINS_MAX);
    scree_heap heap = scree_heap_measure(options, count, position, radius, NULL, &error);
    assert_int_equal(error.status, SCREE_OK);
    return heap;
}

static void the_flank_of_a_cone_has_the_angle_of_the_cone(void **state)
{
    (void)state;
    for (int angle = 5; angle <= 45; angle += 10) {
        double slope = tan(angle * degree), apex = 0.6 * slope;
        scree_heap_options options = scree_heap_options_default();
        scree_heap heap = measure(&options, lay(0.02, 0.6, slope, apex, 0.0, 0.0));
        /* tops lie on the cone exactly; what is left is the width of the rings and the round tops */
        assert_true(fabs(heap.flank_angle / degree - angle) < 0.03);
        assert_true(heap.flank_misfit < 2e-4);
        assert_true(heap.flank_rings >= 30);
        assert_true(fabs(heap.height - apex) < 1e-12);
        assert_true(fabs(heap.cone_angle / degree - angle) < 0.06); /* columns need not end on the floor */
    }
}

static void a_flat_bed_has_no_slope(void **state)
{
    (void)state;
    scree_heap_options options = scree_heap_options_default();
    options.reach = 0.45; /* as with walls: the rim of the bed stays out */
    scree_heap heap = measure(&options, lay(0.02, 0.6, 0.0, 0.1, 0.0, 0.0));
    assert_true(fabs(heap.flank_angle) < 0.5 * degree);
    assert_true(fabs(heap.height - 0.1) < 1e-12 && fabs(heap.mean_height - 0.05) < 1e-12);
}

static void where_the_heap_stands_does_not_matter(void **state)
{
    (void)state;
    scree_heap_options options = scree_heap_options_default();
    scree_heap here = measure(&options, lay(0.02, 0.4, 0.5, 0.2, 0.0, 0.0));
    scree_heap there = measure(&options, lay(0.02, 0.4, 0.5, 0.2, 3.0, -7.0));
    assert_true(fabs(there.axis[0] - 3.0) < 1e-9 && fabs(there.axis[1] + 7.0) < 1e-9);
    assert_true(fabs(here.base_radius - there.base_radius) < 1e-9);
    assert_true(fabs(here.cone_angle - there.cone_angle) < 1e-9);
    /* a cell that lies on the border of two rings may change sides */
    assert_true(fabs(here.flank_angle - there.flank_angle) < 0.2 * degree);
    int n = lay(0.02, 0.4, 0.5, 0.2, 0.0, 0.0);
    for (int i = 0; i < n; ++i) position[3 * i + 2] += 11.0;
    options.floor = 11.0;
    scree_heap high = measure(&options, n);
    assert_true(fabs(high.height - here.height) < 1e-9 && high.base_count == here.base_count);
    assert_true(fabs(high.flank_angle - here.flank_angle) < 1e-6);
}

static void the_base_is_the_grains_on_the_floor(void **state)
{
    (void)state;
    enum { RING = 12 };
    for (int i = 0; i < RING; ++i) {
        double turn = 2.0 * acos(-1.0) * i / RING;
        position[3 * i] = 2.0 + 0.3 * cos(turn), position[3 * i + 1] = 1.0 + 0.3 * sin(turn);
        position[3 * i + 2] = 0.01, radius[i] = 0.01;
    }
    position[3 * RING] = 5.0, position[3 * RING + 1] = 5.0, position[3 * RING + 2] = 0.0103, radius[RING] = 0.01;
    scree_heap_options options = scree_heap_options_default();
    scree_heap heap = measure(&options, RING + 1);
    assert_int_equal(heap.base_count, RING); /* the last one is 3 % of its radius above the floor */
    assert_true(fabs(heap.base_radius - 0.3) < 1e-12);
    options.touch = 0.04;
    assert_int_equal(measure(&options, RING + 1).base_count, RING + 1);
}

static void few_grains_are_no_heap_but_no_fault(void **state)
{
    (void)state;
    scree_heap_options options = scree_heap_options_default();
    scree_error error = {0};
    scree_heap heap = scree_heap_measure(NULL, 0, NULL, NULL, NULL, &error);
    assert_int_equal(error.status, SCREE_OK);
    assert_true(heap.grains == 0 && heap.height == 0.0 && heap.flank_rings == 0);
    position[0] = position[1] = 0.0, position[2] = radius[0] = 0.5;
    heap = measure(&options, 1);
    assert_true(heap.base_count == 1 && heap.base_radius == 0.0 && heap.height == 1.0);
    assert_true(heap.cone_angle == 0.0 && heap.flank_rings < 2 && heap.flank_angle == 0.0);
}

static void options_that_nobody_filled_are_refused(void **state)
{
    (void)state;
    scree_error error = {0};
    scree_heap_options empty = {0};
    scree_heap heap = scree_heap_measure(&empty, 0, NULL, NULL, NULL, &error);
    assert_true(error.status == SCREE_ERR_INPUT && heap.grains == 0);
    heap = scree_heap_measure(NULL, 0, NULL, NULL, NULL, &error); /* sticky: it stays */
    assert_int_equal(error.status, SCREE_ERR_INPUT);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    scree_heap_options options = scree_heap_options_default();
    int n = lay(0.05, 0.3, 0.5, 0.15, 0.0, 0.0);
    for (int k = 0;; ++k) {
        failing f = {.left = k};
        scree_allocator allocator = failing_allocator(&f);
        scree_error error = {0};
        scree_heap heap = scree_heap_measure(&options, n, position, radius, &allocator, &error);
        assert_int_equal(f.live, 0);
        if (error.status == SCREE_OK) {
            assert_true(k >= 1 && heap.grains == n);
            break;
        }
        assert_true(error.status == SCREE_ERR_MEMORY && heap.grains == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_flank_of_a_cone_has_the_angle_of_the_cone),
        cmocka_unit_test(a_flat_bed_has_no_slope),
        cmocka_unit_test(where_the_heap_stands_does_not_matter),
        cmocka_unit_test(the_base_is_the_grains_on_the_floor),
        cmocka_unit_test(few_grains_are_no_heap_but_no_fault),
        cmocka_unit_test(options_that_nobody_filled_are_refused),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
