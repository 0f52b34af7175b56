/* test_shapes.c: shapes by themselves: volume, inertia, bounds and radius, judged from geometry (posed.h); constructors and names. */
#include "posed.h"
#include "twins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void volume_and_inertia_are_those_of_a_sum_over_cells(void **state)
{
    (void)state;
    enum { CELLS = 80 };
    rng r = rng_make(12, 0);
    for (int k = 0; k < 2 * SMOOTH_KINDS; ++k) {
        scree_shape_kind kind = (scree_shape_kind)(k % SMOOTH_KINDS);
        if (kind == SCREE_SHAPE_PLANE) continue;
        solid s = solid_random(&r, kind, 0.3, 1.0);
        scree_shape shape = {.kind = kind, .size = {s.size[0], s.size[1], s.size[2]}};
        const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        double volume = 0.0, moment[3] = {0, 0, 0}, low[3], high[3], inertia[3];
        memcpy(s.shape.R, one, sizeof one);
        shape_bounds(posed(&s), low, high);
        double cell = (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]) / CELLS / CELLS / CELLS;
        for (int i = 0; i < CELLS * CELLS * CELLS; ++i) {
            int index[3] = {i % CELLS, i / CELLS % CELLS, i / CELLS / CELLS};
            double p[3];
            for (int j = 0; j < 3; ++j) p[j] = low[j] + (high[j] - low[j]) * (index[j] + 0.5) / CELLS;
            if (solid_outside(&s, p) > 0.0) continue;
            volume += cell;
            for (int j = 0; j < 3; ++j)
                moment[j] += cell * (p[(j + 1) % 3] * p[(j + 1) % 3] + p[(j + 2) % 3] * p[(j + 2) % 3]);
        }
        shape_unit_inertia(&shape, inertia);
        /* cells on the surface, of either sign: their number^-3/2 and the share of the surface, below 1e-3 */
        assert_true(fabs(shape_volume(&shape) / volume - 1.0) < 2e-3);
        for (int j = 0; j < 3; ++j) assert_true(fabs(inertia[j] / (moment[j] / volume) - 1.0) < 2e-3);
    }
    scree_shape plane = scree_shape_plane(scree_material_at(0));
    double inertia[3];
    shape_unit_inertia(&plane, inertia);
    assert_true(shape_volume(&plane) == 0.0 && inertia[0] == 0.0 && inertia[1] == 0.0 && inertia[2] == 0.0);
}

static void bounds_and_radius_are_the_widths(void **state)
{
    (void)state;
    rng r = rng_make(13, 0);
    for (int k = 0; k < 2000; ++k) {
        scree_shape_kind kind = (scree_shape_kind)(k % SMOOTH_KINDS);
        solid s = solid_random(&r, kind, 0.01, 1.0);
        scree_shape shape = {.kind = kind, .size = {s.size[0], s.size[1], s.size[2]}};
        double low[3], high[3], radius = shape_radius(&shape), most = 0.0;
        for (int i = 0; i < 3; ++i) s.shape.x[i] = rng_between(&r, -5.0, 5.0);
        shape_bounds(posed(&s), low, high);
        if (kind == SCREE_SHAPE_PLANE) {
            assert_true(isinf(radius) && isinf(low[0]) && isinf(high[2]) && low[1] < high[1]);
            continue;
        }
        for (int i = 0; i < 3; ++i) {
            double n[3] = {i == 0, i == 1, i == 2}, minus[3] = {-n[0], -n[1], -n[2]};
            assert_true(fabs(high[i] - s.shape.x[i] - solid_width(&s, n)) <= 1e-14 * 5.0);
            assert_true(fabs(s.shape.x[i] - low[i] - solid_width(&s, minus)) <= 1e-14 * 5.0);
        }
        for (int d = 0; d < 300; ++d) {
            double n[3];
            rng_direction(&r, n);
            most = fmax(most, solid_width(&s, n));
        }
        assert_true(most <= radius * (1.0 + 1e-14) && most > 0.7 * radius);
    }
}

static void constructors_and_names_agree(void **state)
{
    (void)state;
    const scree_shape made[] = {
        scree_shape_sphere(1, scree_material_at(7)),     scree_shape_plane(scree_material_at(7)),
        scree_shape_box(1, 2, 3, scree_material_at(7)),  scree_shape_ellipsoid(1, 2, 3, scree_material_at(7)),
        scree_shape_capsule(1, 2, scree_material_at(7)), scree_shape_cylinder(1, 2, scree_material_at(7)),
        scree_shape_cone(1, 2, scree_material_at(7))};
    const char *const names[] = {"sphere", "plane", "box", "ellipsoid", "capsule", "cylinder", "cone"};
    for (int k = 0; k < (int)(sizeof made / sizeof *made); ++k) {
        assert_int_equal(made[k].kind, k);
        assert_int_equal(scree_material_index(made[k].material), 7);
        assert_true(made[k].rotation[0] == 1.0 && made[k].position[0] == 0.0);
        assert_string_equal(scree_shape_kind_name((scree_shape_kind)k), names[k]);
    }
    assert_true(made[2].size[0] == 1 && made[2].size[1] == 2 && made[2].size[2] == 3 && made[4].size[1] == 2);
    assert_null(scree_shape_kind_name(SCREE_SHAPE_KIND_COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volume_and_inertia_are_those_of_a_sum_over_cells),
        cmocka_unit_test(bounds_and_radius_are_the_widths),
        cmocka_unit_test(constructors_and_names_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
