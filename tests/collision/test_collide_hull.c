/* test_collide_hull.c: convex hulls: their making, their mass, and their contacts, judged from geometry (posed.h) and from boxes. */
#include "collision/faces.h"
#include "failing_allocator.h"
#include "posed.h"
#include "twins.h"
#include <scree/world.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- making ----------------------------------------------------------------------------------------------------------- */

/// Every point is inside all faces, every vertex is a point, faces close up (Euler), and normals look outward.
static void a_hull_holds_its_points(void **state)
{
    (void)state;
    rng r = rng_make(40, 0);
    for (int k = 0; k < 300; ++k) {
        enum { POINTS = 60 };
        double p[3 * POINTS];
        int kind = k % 3;
        for (int i = 0; i < 3 * POINTS; ++i) {
            p[i] = rng_between(&r, -1.0, 1.0);
            if (kind == 1) p[i] = floor(3.0 * p[i]); /* a lattice: many in one plane, on one line, in one place */
        }
        for (int i = 0; i < POINTS && kind == 2; ++i) { /* on a sphere */
            double u[3];
            rng_direction(&r, u);
            memcpy(p + 3 * i, u, sizeof u);
        }
        scree_geometry *g = NULL;
        scree_error error = {.text = ""};
        g = scree_geometry_hull(p, POINTS, NULL, &error);
        assert_non_null(g);
        const hull_data *h = &g->hull;
        assert_int_equal(h->vertex_count - h->edge_count + h->face_count, 2);
        if (kind == 2) assert_int_equal(h->vertex_count, POINTS);
        double furthest = -1.0, R[9];
        quat_matrix(h->mass.axes, R);
        for (int i = 0; i < POINTS; ++i) {
            double d[3], local[3];
            vec_sub(p + 3 * i, h->mass.centre, d);
            mat_apply_transpose(R, d, local);
            for (int f = 0; f < h->face_count; ++f) {
                double e[3];
                vec_sub(local, h->vertex[h->loop[h->first[f]]], e);
                furthest = fmax(furthest, vec_dot(e, h->normal[f]));
                assert_true(vec_dot(h->vertex[h->loop[h->first[f]]], h->normal[f]) > 0.0);
            }
        }
        assert_true(furthest < 1e-8);
        scree_geometry_release(g);
    }
}

/// A box of points, turned and moved, has six faces, twelve edges, and the mass properties of the box to rounding; scaling goes by s^3, s^2.
static void a_box_of_points_is_a_box(void **state)
{
    (void)state;
    rng r = rng_make(41, 0);
    for (int k = 0; k < 50; ++k) {
        double size[3] = {rng_between(&r, 0.1, 1.0), rng_between(&r, 1.1, 2.0), rng_between(&r, 2.1, 3.0)}, R[9], p[27],
               x[3];
        rng_rotation(&r, R);
        for (int i = 0; i < 3; ++i) x[i] = rng_between(&r, -5.0, 5.0);
        for (int v = 0; v < 9; ++v) { /* and one inside */
            double local[3] = {0.1, 0.0, 0.0}, turned[3];
            for (int i = 0; i < 3 && v < 8; ++i) local[i] = v >> i & 1 ? size[i] : -size[i];
            mat_apply(R, local, turned);
            for (int i = 0; i < 3; ++i) p[3 * v + i] = x[i] + turned[i];
        }
        scree_geometry *g = NULL;
        scree_geometry_mass mass;
        g = scree_geometry_hull(p, 9, NULL, NULL);
        assert_non_null(g);
        assert_true(g->hull.face_count == 6 && g->hull.edge_count == 12 && g->hull.vertex_count == 8);
        assert_int_equal(scree_geometry_triangle_count(g), 12);
        scree_geometry_mass_properties(g, &mass);
        scree_shape box = scree_shape_box(2.0 * size[0], 2.0 * size[1], 2.0 * size[2], scree_material_at(0)),
                    hull = scree_shape_hull(g, 2.0, scree_material_at(0));
        double expected[3], found[3], d[3];
        shape_unit_inertia(&box, expected), shape_unit_inertia(&hull, found);
        assert_true(fabs(shape_volume(&hull) / shape_volume(&box) - 1.0) < 1e-13);
        vec_sub(mass.centre, x, d);
        assert_true(vec_norm(d) < 1e-13 * 10.0);
        for (int i = 0; i < 3; ++i) { /* in any order */
            int match = 0;
            for (int j = 0; j < 3; ++j) match += fabs(found[j] / expected[i] - 1.0) < 1e-12;
            assert_int_equal(match, 1);
        }
        scree_geometry_release(g);
    }
}

static void points_that_make_no_body_are_refused(void **state)
{
    (void)state;
    static const double flat[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 2, 3, 0},
                        line[] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};
    static const double one[] = {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}, nan_[] = {0, 0, 0, 1, 0, 0, 0, NAN, 0, 0, 0, 1};
    static const double vast[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1e12};
    const struct {
        const double *point;
        int count;
        const char *words;
    } bad[] = {{flat, 5, "all points lie in a plane"},
               {line, 4, "all points lie on a line"},
               {one, 4, "the points lie within 0 m of each other"},
               {nan_, 4, "point 2: y is nan"},
               {vast, 4, "point 3: z is 1e+12, expected a number within 1e+09 m of 0"},
               {flat, 3, "a hull of 3 points"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        scree_geometry *g = NULL;
        scree_error error = {.text = ""};
        g = scree_geometry_hull(bad[k].point, bad[k].count, NULL, &error);
        assert_int_equal(error.status, SCREE_ERR_INPUT);
        assert_null(g);
        if (!strstr(error.text, bad[k].words)) fail_msg("'%s' has not '%s'", error.text, bad[k].words);
    }
    enum { MANY = 4000 };
    static double p[3 * MANY];
    rng r = rng_make(42, 0);
    for (int k = 0; k < MANY; ++k) rng_direction(&r, p + 3 * k);
    for (int count = 700; count <= MANY; count += MANY - 700) { /* so many that the work itself ends early */
        scree_error error = {.text = ""};
        assert_null(scree_geometry_hull(p, count, NULL, &error));
        assert_int_equal(error.status, SCREE_ERR_INPUT);
        assert_string_equal(error.text, "the hull has more than 256 vertices, expected a coarser one");
    }
}

/* ---- contacts ----------------------------------------------------------------------------------------------------------- */

static double least_gap(const manifold *m)
{
    double least = SCREE_INFINITY;
    for (int k = 0; k < m->count; ++k) least = fmin(least, m->point[k].gap);
    return least;
}

static solid hull_solid(rng *r, scree_geometry *g, double low, double high)
{
    solid s = solid_make(SCREE_SHAPE_HULL, low * pow(high / low, rng_uniform(r)), 0, 0);
    s.shape.geometry = g;
    rng_rotation(r, s.shape.R);
    return s;
}

/// Hulls with everything: the gap is the separation along the normal, and no other direction is better by more than the preference for
/// faces; moved by the gap, they touch.
static void gaps_of_hulls_are_separations(void **state)
{
    (void)state;
    for (int kind = 0; kind < CONVEX_KINDS; ++kind) {
        rng r = rng_make(43, (uint64_t)kind);
        double worst = 0.0, worst_depth = 0.0, worst_touch = 0.0;
        for (long k = 0; k < samples(200, 10000); ++k) {
            scree_geometry *ga = random_hull(&r, 8 + (int)(k % 20)), *gb = random_hull(&r, 6 + (int)(k % 30));
            solid a = kind == SCREE_SHAPE_HULL ? hull_solid(&r, ga, 0.3, 1.0)
                                               : solid_random(&r, (scree_shape_kind)kind, 0.3, 1.0);
            solid b = hull_solid(&r, gb, 0.3, 1.0);
            double u[3], minus[3], n[3] = {0, 0, 1};
            rng_direction(&r, u);
            if (kind == SCREE_SHAPE_PLANE)
                for (int i = 0; i < 3; ++i) u[i] = a.shape.R[3 * i + 2];
            for (int i = 0; i < 3; ++i) minus[i] = -u[i];
            double distance =
                solid_width(&a, u) + solid_width(&b, minus) + (k % 4 == 3 ? 1e-8 : 0.2) * rng_between(&r, -1.0, 1.0);
            vec_add_scaled(a.shape.x, distance, u, b.shape.x);
            manifold m;
            collide(posed(&a), posed(&b), SCREE_INFINITY, &m);
            assert_true(m.count > 0 && m.count <= MANIFOLD_MAX);
            for (int p = 1; p < m.count; ++p) assert_true(m.point[p].feature > m.point[p - 1].feature);
            double gap = least_gap(&m);
            worst = fmax(worst, fabs(gap - separation(&a, &b, m.normal)));
            if (kind != SCREE_SHAPE_PLANE && k % 4 == 0)
                worst_depth = fmax(worst_depth, dense_separation(&a, &b, &r, n) - gap);
            vec_add_scaled(b.shape.x, -gap, m.normal, b.shape.x);
            collide(posed(&a), posed(&b), SCREE_INFINITY, &m);
            worst_touch = fmax(worst_touch, fabs(least_gap(&m)));
            scree_geometry_release(ga), scree_geometry_release(gb);
        }
        print_message("%s/hull: gap %.1e, better direction by %.1e, moved to touch %.1e\n",
                      scree_shape_kind_name((scree_shape_kind)kind), worst, worst_depth, worst_touch);
        int curved = kind == SCREE_SHAPE_ELLIPSOID || kind == SCREE_SHAPE_CYLINDER || kind == SCREE_SHAPE_CONE;
        assert_true(worst < 1e-9 && worst_depth < 3e-6 && worst_touch < (curved ? 1e-3 : 3e-6));
    }
}

/// Two boxes, and the same two as hulls of their corners: the same normal, gaps and number of points where they lie on each other.
static void hulls_of_boxes_touch_like_boxes(void **state)
{
    (void)state;
    rng r = rng_make(44, 0);
    for (int k = 0; k < 500; ++k) {
        solid box[2], hull[2];
        scree_geometry *g[2] = {NULL, NULL};
        manifold m, w;
        for (int s = 0; s < 2; ++s) {
            double p[24];
            box[s] = solid_make(SCREE_SHAPE_BOX, rng_between(&r, 0.3, 0.5), rng_between(&r, 0.55, 0.7),
                                rng_between(&r, 0.8, 1.0));
            for (int v = 0; v < 8; ++v)
                for (int i = 0; i < 3; ++i) p[3 * v + i] = v >> i & 1 ? box[s].size[i] : -box[s].size[i];
            g[s] = scree_geometry_hull(p, 8, NULL, NULL);
            assert_non_null(g[s]);
        }
        double turn[3] = {0, 0, rng_between(&r, 0.0, 3.0)}, Q[9];
        solid_turn(&box[1], turn);
        box[1].shape.x[0] = rng_between(&r, -0.3, 0.3), box[1].shape.x[1] = rng_between(&r, -0.3, 0.3);
        box[1].shape.x[2] = box[0].size[2] + box[1].size[2] + rng_between(&r, -1e-4, 1e-4);
        rng_rotation(&r, Q);
        for (int s = 0; s < 2; ++s) {
            double R[9], x[3], axes[9];
            mat_mul(Q, box[s].shape.R, R), mat_apply(Q, box[s].shape.x, x);
            memcpy(box[s].shape.R, R, sizeof R), memcpy(box[s].shape.x, x, sizeof x);
            hull[s] = solid_make(SCREE_SHAPE_HULL, 1.0, 0, 0);
            hull[s].shape.geometry = g[s];
            quat_matrix(g[s]->hull.mass.axes, axes);
            mat_mul(R, axes, hull[s].shape.R), memcpy(hull[s].shape.x, x, sizeof x);
        }
        collide(posed(&box[0]), posed(&box[1]), 0.01, &m);
        collide(posed(&hull[0]), posed(&hull[1]), 0.01, &w);
        assert_int_equal(m.count, w.count);
        assert_true(m.count >= 3 && vec_dot(m.normal, w.normal) > 1.0 - 1e-12);
        for (int p = 0; p < m.count; ++p) {
            double nearest = SCREE_INFINITY, d[3];
            for (int q = 0; q < w.count; ++q) {
                vec_sub(m.point[p].position, w.point[q].position, d);
                if (vec_norm(d) < nearest)
                    nearest = vec_norm(d), assert_true(nearest > 1e-9 || fabs(m.point[p].gap - w.point[q].gap) < 1e-12);
            }
            assert_true(nearest < 1e-9);
        }
        scree_geometry_release(g[0]), scree_geometry_release(g[1]);
    }
}

/// A stone that settles keeps the features of its points while it rocks by less than they tell apart.
static void resting_hulls_keep_their_features(void **state)
{
    (void)state;
    rng r = rng_make(45, 0);
    for (int k = 0; k < 200; ++k) {
        scree_geometry *g = random_hull(&r, 20);
        const hull_data *h = &g->hull;
        solid floor = solid_make(k % 2 ? SCREE_SHAPE_BOX : SCREE_SHAPE_PLANE, 5, 5, 5),
              stone = solid_make(SCREE_SHAPE_HULL, 1.0, 0, 0);
        if (!(k % 2)) floor.size[0] = floor.size[1] = floor.size[2] = 0.0;
        floor.shape.x[2] = k % 2 ? -5.0 : 0.0;
        stone.shape.geometry = g;
        double down[3] = {0, 0, -1}, *n = h->normal[k % h->face_count], axis[3];
        vec_cross(n, down, axis);
        double s = vec_norm(axis), angle = atan2(s, vec_dot(n, down));
        for (int i = 0; i < 3; ++i) axis[i] *= s > 0.0 ? angle / s : 0.0;
        solid_turn(&stone, axis);
        double lift = vec_dot(h->vertex[h->loop[h->first[k % h->face_count]]], n);
        stone.shape.x[2] = lift;
        manifold m, w;
        collide(posed(&floor), posed(&stone), 1e-4, &m);
        assert_true(m.count >= 3);
        for (int t = 0; t < 10; ++t) {
            solid moved = stone;
            double tilt[3] = {rng_between(&r, -1e-7, 1e-7), rng_between(&r, -1e-7, 1e-7), rng_between(&r, -1e-3, 1e-3)};
            solid_turn(&moved, tilt);
            moved.shape.x[0] += 1e-3, moved.shape.x[2] += rng_between(&r, -1e-7, 1e-7);
            collide(posed(&floor), posed(&moved), 1e-4, &w);
            assert_int_equal(m.count, w.count);
            for (int p = 0; p < m.count; ++p) assert_true(m.point[p].feature == w.point[p].feature);
        }
        scree_geometry_release(g);
    }
}

/* ---- worlds ---------------------------------------------------------------------------------------------------------------- */

/// The world keeps the hull where its points were put, with its mass; every failed allocation is reported and leaves nothing behind.
static void a_world_holds_hulls(void **state)
{
    (void)state;
    static const double corner[] = {0, 0, 0, 3, 0, 0,
                                    0, 1, 0, 0, 0, 2}; /* a tetrahedron: centre (3, 1, 2)/4, volume 1 */
    for (int n = 0;; ++n) {
        failing f = {.left = n};
        scree_allocator a = failing_allocator(&f);
        scree_world_options options = scree_world_options_default();
        scree_error error = {0};
        options.allocator = &a;
        scree_geometry *g = scree_geometry_hull(corner, 4, &a, &error);
        scree_world *world = scree_world_create(&options, &error);
        scree_material stone = scree_material_default("stone");
        stone.density = 6.0;
        scree_material_id material = scree_world_add_material(world, &stone, &error);
        scree_body_def def = scree_body_def_of(scree_shape_hull(g, 2.0, material));
        def.position[0] = 10.0;
        scree_world_add_body(world, &def, &error);
        scree_status status = error.status;
        scree_geometry_release(g);
        if (status == SCREE_OK) {
            const double *x = scree_world_positions(world);
            assert_true(fabs(scree_world_mass(world, scree_body_at(0)) - 48.0) < 1e-12);
            assert_true(fabs(x[0] - 11.5) < 1e-14 && fabs(x[1] - 0.5) < 1e-14 && fabs(x[2] - 1.0) < 1e-14);
            double at[3], q[4];
            scree_world_frame(world, scree_body_at(0), at, q);
            assert_true(fabs(at[0] - 10.0) < 1e-13 && fabs(at[1]) < 1e-13 && fabs(q[0] - 1.0) < 1e-13);
        }
        scree_world_destroy(world);
        assert_int_equal(f.live, 0);
        if (status == SCREE_OK) break;
        assert_int_equal(status, SCREE_ERR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hull_holds_its_points),
        cmocka_unit_test(a_box_of_points_is_a_box),
        cmocka_unit_test(points_that_make_no_body_are_refused),
        cmocka_unit_test(gaps_of_hulls_are_separations),
        cmocka_unit_test(hulls_of_boxes_touch_like_boxes),
        cmocka_unit_test(resting_hulls_keep_their_features),
        cmocka_unit_test(a_world_holds_hulls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
