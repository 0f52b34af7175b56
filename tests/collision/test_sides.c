/* test_sides.c: from where surfaces are touched, what is behind them, and bodies that nothing holds. */
#include "collision/surface.h"
#include "posed.h"

#include <scree/world.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 8, POINTS = (SIDE + 1) * (SIDE + 1), TRIANGLES = 2 * SIDE * SIDE };

/// A wavy sheet over [-1, 1]^2; `reversed`: its triangles look down.
static scree_geometry *sheet(double wave, int reversed, scree_sides sides)
{
    double p[3 * POINTS];
    int t[3 * TRIANGLES], count = 0;
    for (int k = 0; k < POINTS; ++k) {
        int i = k % (SIDE + 1), j = k / (SIDE + 1);
        p[3 * k] = -1.0 + 2.0 / SIDE * i, p[3 * k + 1] = -1.0 + 2.0 / SIDE * j;
        p[3 * k + 2] = wave * sin(3.0 * p[3 * k]) * cos(2.0 * p[3 * k + 1]);
    }
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < SIDE; ++i) {
            int a = j * (SIDE + 1) + i, b = a + 1, c = a + SIDE + 1, d = c + 1;
            const int up[6] = {a, b, d, a, d, c}, down[6] = {a, d, b, a, c, d};
            memcpy(t + 3 * count, reversed ? down : up, sizeof up);
            count += 2;
        }
    scree_geometry *g = scree_geometry_mesh(p, POINTS, t, count, sides, NULL, NULL);
    assert_non_null(g);
    return g;
}

static scree_geometry *cube(int reversed, scree_sides sides)
{
    static const int corner[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                      {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    double p[24];
    int t[12][3];
    for (int v = 0; v < 8; ++v)
        for (int i = 0; i < 3; ++i) p[3 * v + i] = v >> i & 1 ? 1.0 : -1.0;
    for (int k = 0; k < 12; ++k)
        for (int i = 0; i < 3; ++i) t[k][i] = corner[k][reversed ? 2 - i : i];
    scree_geometry *g = scree_geometry_mesh(p, 8, t[0], 12, sides, NULL, NULL);
    assert_non_null(g);
    return g;
}

static posed_shape posed_mesh(scree_geometry *g)
{
    static const double one[3] = {1.0, 0.0, 0.0};
    return (posed_shape){.kind = SCREE_SHAPE_MESH, .size = one, .geometry = g, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

/// Every point of one list has its like in the other.
static void assert_same_points(int n, const contact_point *p, int m, const contact_point *q)
{
    assert_int_equal(n, m);
    for (int k = 0; k < n; ++k) {
        int found = 0;
        for (int l = 0; l < m && !found; ++l) {
            double away = 0.0;
            for (int i = 0; i < 3; ++i)
                away =
                    max2(away, max2(fabs(p[k].position[i] - q[l].position[i]), fabs(p[k].normal[i] - q[l].normal[i])));
            /* depths are good to EPA's 1e-12, where they are least: directions and places to its root */
            found = fabs(p[k].gap - q[l].gap) < 1e-11 && away < 4e-6;
        }
        assert_true(found);
    }
}

/// Ball, box, capsule, ... over a sheet: one that looks up, one that looks down and is touched from its back, and one that looks down and is
/// touched from both sides are the same ground.
static void a_sheet_holds_whichever_way_its_triangles_run(void **state)
{
    (void)state;
    rng r = rng_make(71, 0);
    for (int wavy = 0; wavy < 2; ++wavy) {
        scree_geometry *g[4] = {sheet(0.1 * wavy, 0, SCREE_SIDES_FRONT), sheet(0.1 * wavy, 1, SCREE_SIDES_BACK),
                                sheet(0.1 * wavy, 1, SCREE_SIDES_AUTO), sheet(0.1 * wavy, 1, SCREE_SIDES_FRONT)};
        int touched = 0;
        assert_int_equal(scree_geometry_sides(g[2]), SCREE_SIDES_BOTH);
        for (int k = 0; k < 400; ++k) {
            int kind = k % (SCREE_SHAPE_CYLINDER + 1);
            if (kind == SCREE_SHAPE_PLANE) continue;
            solid s = solid_make(kind, 0.2, 0.15, 0.1);
            for (int i = 0; i < 2; ++i) s.shape.x[i] = rng_between(&r, -0.6, 0.6);
            s.shape.x[2] = rng_between(&r, 0.12, 0.3);
            rng_rotation(&r, s.shape.R);
            contact_point p[4][SURFACE_POINTS];
            int n[4];
            for (int m = 0; m < 4; ++m) {
                posed_shape mesh = posed_mesh(g[m]);
                n[m] = surface_collide(&mesh, posed(&s), 0.01, p[m]);
            }
            assert_same_points(n[0], p[0], n[1], p[1]);
            assert_same_points(n[0], p[0], n[2], p[2]);
            touched += n[0] > 0;
            assert_true(n[3] == 0 || wavy); /* over a wave the middle may be before one triangle and behind the next */
        }
        assert_true(touched > 100);
        for (int m = 0; m < 4; ++m) scree_geometry_release(g[m]);
    }
}

/// From below a sheet of two sides pushes down, and the rim is one line for both: a ball that goes round it keeps its contact.
static void a_ball_goes_round_the_rim_of_a_sheet(void **state)
{
    (void)state;
    scree_geometry *g = sheet(0.0, 0, SCREE_SIDES_BOTH);
    posed_shape mesh = posed_mesh(g);
    solid ball = solid_make(SCREE_SHAPE_SPHERE, 0.1, 0, 0);
    contact_point p[SURFACE_POINTS];
    uint64_t rim = 0;
    for (int k = -80; k <= 80; ++k) { /* angle about the rim at x = 1, from above to below */
        double angle = 0.0193 * k;
        ball.shape.x[0] = 1.0 + 0.1 * cos(angle), ball.shape.x[1] = 0.11, ball.shape.x[2] = -0.1 * sin(angle);
        assert_int_equal(surface_collide(&mesh, posed(&ball), 1e-3, p), 1);
        assert_true(fabs(p[0].gap) < 1e-12);
        assert_true(fabs(p[0].normal[0] - cos(angle)) < 1e-12 && fabs(p[0].normal[2] + sin(angle)) < 1e-12);
        assert_true(rim == 0 || p[0].feature == rim);
        rim = p[0].feature;
    }
    for (int side = -1; side <= 1; side += 2) {
        ball.shape.x[0] = 0.07, ball.shape.x[2] = 0.09 * side;
        assert_int_equal(surface_collide(&mesh, posed(&ball), 0.0, p), 1);
        assert_true(p[0].normal[2] == side && fabs(p[0].gap + 0.01) < 1e-15);
    }
    scree_geometry_release(g);
}

static void what_is_behind_a_surface_is_known(void **state)
{
    (void)state;
    rng r = rng_make(72, 0);
    double depth, z[25];
    scree_geometry *out = cube(0, SCREE_SIDES_AUTO), *in = cube(1, SCREE_SIDES_AUTO), *back = cube(0, SCREE_SIDES_BACK);
    assert_int_equal(scree_geometry_sides(out), SCREE_SIDES_FRONT);
    for (int k = 0; k < 25; ++k) z[k] = 0.2 * (k % 5); /* a slope: z = 0.4 x over cells of 0.5 */
    scree_geometry *ground = scree_geometry_heights(z, 5, 5, 0.5, NULL, NULL);
    scree_geometry *floor = sheet(0.0, 0, SCREE_SIDES_FRONT), *both = sheet(0.0, 0, SCREE_SIDES_BOTH);
    for (int k = 0; k < 4000; ++k) {
        double p[3] = {rng_between(&r, -3, 3), rng_between(&r, -3, 3), rng_between(&r, -3, 3)};
        double most = max2(fabs(p[0]), max2(fabs(p[1]), fabs(p[2])));
        int inside = most < 1.0, over = p[0] >= 0.0 && p[0] <= 2.0 && p[1] >= 0.0 && p[1] <= 2.0;
        assert_int_equal(mesh_is_behind(&out->mesh, p, &depth), inside);
        if (inside) assert_true(fabs(depth - (1.0 - most)) < 1e-12);
        assert_int_equal(mesh_is_behind(&in->mesh, p, &depth), !inside);
        assert_int_equal(mesh_is_behind(&back->mesh, p, &depth), !inside);
        assert_int_equal(mesh_is_behind(&ground->mesh, p, &depth), over && p[2] < 0.4 * p[0]);
        if (over && p[2] < 0.4 * p[0]) assert_true(fabs(depth - (0.4 * p[0] - p[2])) < 1e-12);
        int under = fabs(p[0]) < 1.0 && fabs(p[1]) < 1.0 && p[2] < 0.0;
        assert_int_equal(mesh_is_behind(&floor->mesh, p, &depth), under);
        assert_int_equal(mesh_is_behind(&both->mesh, p, &depth), 0);
    }
    scree_geometry *all[] = {out, in, back, ground, floor, both};
    for (int k = 0; k < 6; ++k) scree_geometry_release(all[k]);
}

static scree_body_id add(scree_world *w, scree_body_kind kind, scree_shape shape, double x, double z)
{
    scree_body_def def = scree_body_def_default();
    def.kind = kind, def.shapes = &shape, def.shape_count = 1;
    def.position[0] = x, def.position[2] = z;
    scree_error error = {0};
    scree_body_id id = scree_world_add_body(w, &def, &error);
    if (error.status != SCREE_OK) fail_msg("%s", error.text);
    return id;
}

static scree_world *world_with(scree_geometry *g, scree_material_id *stone)
{
    scree_error error = {0};
    scree_world *w = scree_world_create(NULL, &error);
    scree_material material = scree_material_default("stone");
    material.density = 1000.0;
    *stone = scree_world_add_material(w, &material, &error);
    add(w, SCREE_BODY_FIXED, scree_shape_mesh(g, *stone), 0.0, 0.0);
    return w;
}

static void bodies_that_nothing_holds_are_counted_and_named(void **state)
{
    (void)state;
    scree_material_id stone;
    scree_lost lost[4];
    scree_geometry *both = sheet(0.0, 0, SCREE_SIDES_AUTO), *front = sheet(0.0, 0, SCREE_SIDES_FRONT);
    scree_geometry *solid_cube = cube(0, SCREE_SIDES_AUTO);
    scree_world *w = world_with(both, &stone);
    add(w, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.1, stone), 0.0, 0.2);
    add(w, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.1, stone), 0.0, -0.9); /* falls, but not yet far */
    scree_body_id gone = add(w, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.1, stone), 3.0, -1.1);
    assert_int_equal(scree_world_lost(w, 1, 4, lost), 1);
    assert_int_equal(scree_body_index(lost[0].body), scree_body_index(gone));
    assert_true(lost[0].where == SCREE_LOST_BELOW && fabs(lost[0].depth - 1.1) < 1e-12);
    add(w, SCREE_BODY_FIXED, scree_shape_plane(stone), 0.0, -5.0); /* a floor without end: it will be caught */
    assert_int_equal(scree_world_lost(w, 1, 4, lost), 0);
    add(w, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.1, stone), 0.0, -5.2);
    assert_int_equal(scree_world_lost(w, 1, 4, lost), 1);
    assert_true(lost[0].where == SCREE_LOST_BEHIND && fabs(lost[0].depth - 0.2) < 1e-12);
    scree_world_destroy(w);

    w = world_with(front, &stone);
    scree_body_id behind = add(w, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.1, stone), 0.3, -0.5);
    assert_int_equal(scree_world_lost(w, 0, 4, lost), 0); /* it may have gone round */
    assert_int_equal(scree_world_lost(w, 1, 4, lost), 1);
    assert_int_equal(scree_body_index(lost[0].body), scree_body_index(behind));
    assert_true(lost[0].where == SCREE_LOST_AT_BACK && fabs(lost[0].depth - 0.5) < 1e-12);
    scree_world_destroy(w);

    w = world_with(solid_cube, &stone);
    for (int k = 0; k < 3; ++k) add(w, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.1, stone), 0.2 * k, 0.0);
    add(w, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.1, stone), 0.0, 1.05);
    assert_int_equal(scree_world_lost(w, 0, 2, lost), 3);
    assert_true(lost[1].where == SCREE_LOST_BEHIND && scree_body_index(lost[1].surface) == 0);
    scree_world_destroy(w);
    scree_geometry_release(both), scree_geometry_release(front), scree_geometry_release(solid_cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_holds_whichever_way_its_triangles_run),
        cmocka_unit_test(a_ball_goes_round_the_rim_of_a_sheet),
        cmocka_unit_test(what_is_behind_a_surface_is_known),
        cmocka_unit_test(bodies_that_nothing_holds_are_counted_and_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
