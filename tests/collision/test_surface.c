/* test_surface.c: surfaces of triangles: their making, and contacts with them, judged from planes and boxes of the same form. */
#include "collision/surface.h"
#include "failing_allocator.h"
#include "posed.h"
#include "twins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- surfaces --------------------------------------------------------------------------------------------------------- */

enum { SIDE = 12, POINTS = (SIDE + 1) * (SIDE + 1), TRIANGLES = 2 * SIDE * SIDE };

/// The plane z = 0 from -1 to 1, in triangles of random points, split at random.
static scree_geometry *flat_floor(rng *r)
{
    double p[3 * POINTS];
    int t[3 * TRIANGLES], count = 0;
    for (int k = 0; k < POINTS; ++k) {
        int i = k % (SIDE + 1), j = k / (SIDE + 1), inner = i > 0 && j > 0 && i < SIDE && j < SIDE;
        p[3 * k] = -1.0 + 2.0 / SIDE * (i + (inner ? rng_between(r, -0.3, 0.3) : 0.0));
        p[3 * k + 1] = -1.0 + 2.0 / SIDE * (j + (inner ? rng_between(r, -0.3, 0.3) : 0.0));
        p[3 * k + 2] = 0.0;
    }
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < SIDE; ++i) {
            int a = j * (SIDE + 1) + i, b = a + 1, c = a + SIDE + 1, d = c + 1;
            const int split[2][6] = {{a, b, c, b, d, c}, {a, b, d, a, d, c}};
            memcpy(t + 3 * count, split[rng_uniform(r) < 0.5], sizeof split[0]);
            count += 2;
        }
    scree_error error = {.text = ""};
    scree_geometry *g = scree_geometry_mesh(p, POINTS, t, count, SCREE_SIDES_FRONT, NULL, &error);
    if (!g) fail_msg("%s", error.text);
    return g;
}

static const int BOX[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                               {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

static scree_geometry *box_surface(const double half[3])
{
    double p[24];
    scree_geometry *g = NULL;
    for (int v = 0; v < 8; ++v)
        for (int i = 0; i < 3; ++i) p[3 * v + i] = v >> i & 1 ? half[i] : -half[i];
    g = scree_geometry_mesh(p, 8, &BOX[0][0], 12, SCREE_SIDES_FRONT, NULL, NULL);
    assert_non_null(g);
    return g;
}

static posed_shape posed_mesh(scree_geometry *g)
{
    static const double one[3] = {1.0, 0.0, 0.0};
    return (posed_shape){.kind = SCREE_SHAPE_MESH, .size = one, .geometry = g, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

/// The mesh and the shape, moved together.
static void carry(rng *r, posed_shape *mesh, posed_shape *shape)
{
    double Q[9], t[3], x[3], R[9];
    rng_rotation(r, Q);
    for (int i = 0; i < 3; ++i) t[i] = rng_between(r, -2.0, 2.0);
    posed_shape *both[2] = {mesh, shape};
    for (int k = 0; k < 2; ++k) {
        mat_apply(Q, both[k]->x, x), mat_mul(Q, both[k]->R, R);
        for (int i = 0; i < 3; ++i) both[k]->x[i] = x[i] + t[i];
        memcpy(both[k]->R, R, sizeof R);
    }
}

/* ---- a plane of triangles is a plane ------------------------------------------------------------------------------------- */

/// One point, upright, with the gap of the plane and one number wherever it is: so it rolls as on the plane.
static void a_ball_on_a_flat_mesh_does_not_know_of_triangles(void **state)
{
    (void)state;
    rng r = rng_make(60, 0);
    for (int k = 0; k < 40; ++k) {
        scree_geometry *g = flat_floor(&r);
        uint64_t feature = 0;
        for (int s = 0; s < 200; ++s) {
            solid ball = solid_make(SCREE_SHAPE_SPHERE, rng_between(&r, 0.01, 0.5), 0, 0);
            int v = s % 3 ? -1 : (int)(POINTS * rng_uniform(&r)); /* above a vertex, above an edge, anywhere */
            for (int i = 0; i < 2; ++i) ball.shape.x[i] = v >= 0 ? g->mesh.vertex[v][i] : rng_between(&r, -0.9, 0.9);
            if (s % 3 == 1) {
                const int *c = g->mesh.triangle[s % TRIANGLES];
                for (int i = 0; i < 2; ++i)
                    ball.shape.x[i] = 0.3 * g->mesh.vertex[c[0]][i] + 0.7 * g->mesh.vertex[c[1]][i];
            }
            if (fabs(ball.shape.x[0]) > 0.95 || fabs(ball.shape.x[1]) > 0.95) continue;
            double gap = rng_between(&r, -0.2, 0.2) * ball.size[0];
            ball.shape.x[2] = ball.size[0] + gap;
            posed_shape mesh = posed_mesh(g);
            contact_point p[SURFACE_POINTS];
            assert_int_equal(surface_collide(&mesh, posed(&ball), 0.1, p), 1);
            assert_true(p[0].normal[0] == 0.0 && p[0].normal[1] == 0.0 && p[0].normal[2] == 1.0);
            assert_true(fabs(p[0].gap - gap) <= 2e-16);
            assert_true(feature == 0 || p[0].feature == feature);
            feature = p[0].feature;
        }
        scree_geometry_release(g);
    }
}

/// Every convex shape, anywhere over the floor, turned anyhow: the points of the plane within reach, with their gaps. Curved shapes that
/// lie nearly flat have points between their own, so there the least gap counts.
/// A floor of strips that do not match: on the left of x = 0 one long edge, on the right `strips` short ones, and the same at x = 2 the other
/// way round, so that triangles have such edges on two sides. `noise`: turned,
/// with coordinates of 24 bits as files have them.
static scree_geometry *patched_floor(int strips, int noise, int *triangles)
{
    double point[200][3];
    int triangle[200][3], points = 0, count = 0;
    for (int column = 0; column < 3; ++column) {
        int n = column == 1 ? strips : 1;
        for (int k = 0; k < n; ++k) {
            double x = -2.0 + 2.0 * column, low = -1.0 + 2.0 * k / n, high = -1.0 + 2.0 * (k + 1) / n;
            const double corner[4][2] = {{x, low}, {x + 2.0, low}, {x + 2.0, high}, {x, high}};
            for (int i = 0; i < 4; ++i, ++points) {
                double u = corner[i][0], v = corner[i][1];
                if (noise) u = 0.8 * corner[i][0] - 0.6 * corner[i][1], v = 0.6 * corner[i][0] + 0.8 * corner[i][1];
                point[points][0] = noise ? rint(u * 0x1p24) * 0x1p-24 : u;
                point[points][1] = noise ? rint(v * 0x1p24) * 0x1p-24 : v;
                point[points][2] = 0.0;
            }
            const int split[2][3] = {{points - 4, points - 3, points - 2}, {points - 4, points - 2, points - 1}};
            memcpy(triangle[count], split, sizeof split), count += 2;
        }
    }
    scree_geometry *g = scree_geometry_mesh(point[0], points, triangle[0], count, SCREE_SIDES_FRONT, NULL, NULL);
    assert_non_null(g);
    *triangles = count;
    return g;
}

static void a_ball_glides_over_edges_that_do_not_match(void **state)
{
    (void)state;
    for (int noise = 0; noise < 2; ++noise)
        for (int strips = 1; strips <= 7; strips += 3) {
            int triangles;
            const double radius = 0.3;
            scree_geometry *g = patched_floor(strips, noise, &triangles);
            posed_shape mesh = posed_mesh(g);
            assert_int_equal(scree_geometry_open_edges(g), 8); /* its border alone */
            assert_int_equal(scree_geometry_triangle_count(g), triangles + 2 * (strips - 1));
            for (int t = 0; t < scree_geometry_triangle_count(g); ++t) assert_int_equal(g->mesh.patch[t], 0);
            for (int k = 0; k <= 400; ++k) {
                const double size[3] = {radius, 0.0, 0.0};
                contact_point c[SURFACE_POINTS];
                posed_shape ball = {.kind = SCREE_SHAPE_SPHERE, .size = size, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
                const double x = -1.5 + 0.0125 * k, y = strips > 1 ? -1.0 + 2.0 / strips : 0.1;
                ball.x[0] = noise ? 0.8 * x - 0.6 * y : x, ball.x[1] = noise ? 0.6 * x + 0.8 * y : y;
                ball.x[2] = radius * 0.99;
                assert_int_equal(surface_collide(&mesh, &ball, 0.1, c), 1);
                assert_true(c[0].normal[2] == 1.0 && fabs(c[0].gap + 0.01 * radius) < 1e-15);
            }
            scree_geometry_release(g);
        }
}

static void every_shape_touches_a_flat_mesh_as_a_plane(void **state)
{
    (void)state;
    for (int kind = 0; kind < SCREE_SHAPE_MESH; ++kind) {
        if (kind == SCREE_SHAPE_PLANE) continue;
        rng r = rng_make(61, (uint64_t)kind);
        double worst = 0.0;
        long points = 0, other = 0;
        for (long k = 0; k < samples(150, 5000); ++k) {
            scree_geometry *g = flat_floor(&r), *stone = random_hull(&r, 20);
            solid s = solid_random(&r, (scree_shape_kind)kind, 0.1, 0.35),
                  plane = solid_make(SCREE_SHAPE_PLANE, 0, 0, 0);
            if (kind == SCREE_SHAPE_HULL) s.shape.geometry = stone;
            const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
            if (k % 3 == 0) memcpy(s.shape.R, one, sizeof one);
            double down[3] = {0, 0, -1};
            for (int i = 0; i < 2; ++i) s.shape.x[i] = rng_between(&r, -0.3, 0.3);
            s.shape.x[2] = solid_width(&s, down) + rng_between(&r, -0.02, 0.02);
            posed_shape mesh = posed_mesh(g);
            manifold m;
            contact_point p[SURFACE_POINTS];
            collide(posed(&plane), posed(&s), 0.03, &m);
            if (k % 2) carry(&r, &mesh, &s.shape), s.shape.size = s.size;
            int count = surface_collide(&mesh, posed(&s), 0.03, p);
            double least = SCREE_INFINITY, least_mesh = SCREE_INFINITY;
            for (int i = 0; i < m.count; ++i) least = fmin(least, m.point[i].gap);
            for (int i = 0; i < count; ++i) {
                double up[3] = {mesh.R[2], mesh.R[5], mesh.R[8]};
                least_mesh = fmin(least_mesh, p[i].gap);
                assert_true(vec_dot(up, p[i].normal) > 1.0 - 1e-12);
            }
            worst = fmax(worst, fabs(least - least_mesh));
            points += m.count, other += m.count != count;
            scree_geometry_release(g), scree_geometry_release(stone);
        }
        print_message("%s: least gap off by %.1e; %ld of the plane's points, %ld pairs with another number\n",
                      scree_shape_kind_name((scree_shape_kind)kind), worst, points, other);
        assert_true(worst < 1e-12);
        if (kind == SCREE_SHAPE_SPHERE || kind == SCREE_SHAPE_BOX) assert_int_equal(other, 0);
    }
}

/* ---- a box of triangles is a box ------------------------------------------------------------------------------------------- */

static void a_ball_touches_a_box_of_triangles_as_a_box(void **state)
{
    (void)state;
    rng r = rng_make(62, 0);
    for (int k = 0; k < 3000; ++k) {
        double half[3] = {rng_between(&r, 0.3, 1.0), rng_between(&r, 0.3, 1.0), rng_between(&r, 0.3, 1.0)}, u[3];
        scree_geometry *g = box_surface(half);
        solid box = solid_make(SCREE_SHAPE_BOX, half[0], half[1], half[2]),
              ball = solid_make(SCREE_SHAPE_SPHERE, 0.3, 0, 0);
        posed_shape mesh = posed_mesh(g);
        manifold m;
        contact_point p[SURFACE_POINTS];
        rng_direction(&r, u);
        for (int i = 0; i < 3; ++i) ball.shape.x[i] = fmax(-half[i], fmin(half[i], 2.0 * u[i]));
        double out = rng_between(&r, 0.01, 0.5);
        vec_add_scaled(ball.shape.x, out, u, ball.shape.x);
        collide(posed(&box), posed(&ball), 1.0, &m);
        int count = surface_collide(&mesh, posed(&ball), 1.0, p), deepest = 0;
        assert_true(count >= 1);
        for (int i = 1; i < count; ++i)
            if (p[i].gap < p[deepest].gap) deepest = i;
        double e[3];
        vec_sub(p[deepest].position, m.point[0].position, e);
        assert_true(fabs(p[deepest].gap - m.point[0].gap) < 1e-14 && vec_norm(e) < 1e-14);
        assert_true(vec_dot(p[deepest].normal, m.normal) > 1.0 - 1e-14);
        assert_int_equal(count, 1); /* one edge, one vertex, one side: whichever triangles meet there */
        scree_geometry_release(g);
    }
}

/// A box that lies across the border of another, of triangles: the same points.
static void a_box_rests_on_a_box_of_triangles_as_on_a_box(void **state)
{
    (void)state;
    rng r = rng_make(63, 0);
    for (int k = 0; k < 1000; ++k) {
        double half[3] = {rng_between(&r, 0.5, 1.0), rng_between(&r, 0.5, 1.0), rng_between(&r, 0.3, 0.5)};
        double turn[3] = {0, 0, rng_between(&r, 0.0, 3.0)};
        scree_geometry *g = box_surface(half);
        solid box = solid_make(SCREE_SHAPE_BOX, half[0], half[1], half[2]),
              top = solid_make(SCREE_SHAPE_BOX, rng_between(&r, 0.2, 0.6), rng_between(&r, 0.2, 0.6), 0.2);
        posed_shape mesh = posed_mesh(g);
        manifold m;
        contact_point p[SURFACE_POINTS];
        solid_turn(&top, turn);
        top.shape.x[0] = rng_between(&r, -1.0, 1.0) * half[0], top.shape.x[1] = rng_between(&r, -1.0, 1.0) * half[1];
        top.shape.x[2] = half[2] + 0.2 + rng_between(&r, -1e-4, 1e-4);
        collide(posed(&box), posed(&top), 1e-3, &m);
        int count = surface_collide(&mesh, posed(&top), 1e-3, p);
        assert_int_equal(count, m.count);
        for (int i = 0; i < m.count; ++i) {
            double nearest = SCREE_INFINITY;
            for (int j = 0; j < count; ++j) {
                double e[3];
                vec_sub(m.point[i].position, p[j].position, e);
                nearest = fmin(nearest, vec_norm(e) + fabs(m.point[i].gap - p[j].gap));
            }
            assert_true(nearest < 1e-12);
        }
        scree_geometry_release(g);
    }
}

/// From behind a surface is not there; a valley holds a ball on both sides, a ridge on one edge.
static void ridges_and_valleys_have_their_own_contacts(void **state)
{
    (void)state;
    static const double sign[2] = {1.0, -1.0};
    for (int k = 0; k < 2; ++k) { /* a ridge, a valley: two squares that meet at x = 0 with 45 degrees */
        const double p[18] = {-1, -1, -sign[k], 0, -1, 0, 1, -1, -sign[k], -1, 1, -sign[k], 0, 1, 0, 1, 1, -sign[k]};
        const int t[12] = {0, 1, 3, 1, 4, 3, 1, 2, 4, 2, 5, 4};
        scree_geometry *g = scree_geometry_mesh(p, 6, t, 4, SCREE_SIDES_FRONT, NULL, NULL);
        assert_non_null(g);
        posed_shape mesh = posed_mesh(g);
        contact_point c[SURFACE_POINTS];
        solid ball = solid_make(SCREE_SHAPE_SPHERE, 0.2, 0, 0);
        ball.shape.x[1] = 0.1, ball.shape.x[2] = k ? 0.2 * sqrt(2.0) : 0.2;
        int count = surface_collide(&mesh, posed(&ball), 0.01, c);
        assert_int_equal(count, k ? 2 : 1);
        for (int i = 0; i < count; ++i) assert_true(fabs(c[i].gap) < 1e-15 && c[i].normal[2] > (k ? 0.7 : 1.0 - 1e-15));
        ball.shape.x[2] = -0.1;
        ball.shape.x[0] = 0.3;
        if (!k) assert_int_equal(surface_collide(&mesh, posed(&ball), 0.01, c), 1); /* still in front of one side */
        ball.shape.x[0] = 0.0, ball.shape.x[2] = -1.5;
        assert_int_equal(surface_collide(&mesh, posed(&ball), 0.01, c), 0);
        scree_geometry_release(g);
    }
}

/* ---- making ------------------------------------------------------------------------------------------------------------------ */

static void a_surface_knows_its_neighbours_volume_and_borders(void **state)
{
    (void)state;
    const double half[3] = {1.0, 0.5, 0.25};
    scree_geometry *g = box_surface(half);
    scree_geometry_mass mass;
    assert_int_equal(scree_geometry_open_edges(g), 0);
    assert_int_equal(scree_geometry_mass_properties(g, &mass), SCREE_OK);
    assert_true(fabs(mass.volume - 1.0) < 1e-14 && fabs(mass.moments[2] - (1.0 + 0.25) / 3.0) < 1e-14);
    for (int t = 0; t < 12; ++t) {
        assert_int_equal(g->mesh.patch[t], t - t % 2); /* two triangles a side */
        for (int k = 0; k < 3; ++k) assert_true(g->mesh.beside[t][k] >= 0);
    }
    assert_true(fabs(g->radius - sqrt(1.3125)) < 1e-15);
    scree_geometry_release(g);

    const double z[6] = {0, 0, 0, 0, NAN, 1}; /* a grid of 3 x 2 heights: each cell has the corner without data */
    scree_error error = {.text = ""};
    g = scree_geometry_heights(z, 3, 2, 1.0, NULL, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    assert_string_equal(error.text, "a mesh without triangles, expected at least one");
    const double up[9] = {0, 0, 0, 0, 0, 0, NAN, 0, 0};
    error = (scree_error){0};
    g = scree_geometry_heights(up, 3, 3, 1.0, NULL, &error);
    assert_non_null(g);
    assert_true(g->mesh.triangle_count == 6 && g->mesh.open_edges == 8);
    scree_geometry_release(g);
}

static void damaged_surfaces_are_refused_in_words(void **state)
{
    (void)state;
    static const double p[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 2, 0, 0};
    static const int thin[] = {0, 1, 2, 0, 1, 4}, twice[] = {0, 0, 1}, inverted[] = {0, 1, 2, 1, 2, 3},
                     many[] = {0, 1, 2, 1, 0, 3, 0, 1, 3}, outside[] = {0, 1, 5};
    static const double far[] = {0, 0, 0, 1, 0, 0, 0, INFINITY, 0}, tiny[] = {0, 0, 0, 1e-12, 0, 0, 0, 1e-12, 0};
    static const int one[] = {0, 1, 2};
    const struct {
        const double *point;
        int points;
        const int *triangle;
        int triangles;
        const char *words;
    } bad[] = {{p, 5, thin, 2, "triangle 1, at (0, 0, 0), has no area"},
               {p, 5, twice, 1, "triangle 0, at (0, 0, 0), has no area"},
               {p, 5, inverted, 2, "triangles 0 and 1 share the edge (1, 0, 0) to (0, 1, 0) in the same direction"},
               {p, 5, many, 3, "with a third, expected at most two"},
               {p, 5, outside, 1, "triangle 0 has the point 5, expected 0 to 4"},
               {far, 3, one, 1, "point 2: y is inf"},
               {tiny, 3, one, 1, "the points lie within 1e-12 m of each other"},
               {p, 5, one, 0, "a mesh without triangles"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        scree_error error = {.text = ""};
        assert_null(scree_geometry_mesh(bad[k].point, bad[k].points, bad[k].triangle, bad[k].triangles,
                                        SCREE_SIDES_AUTO, NULL, &error));
        assert_int_equal(error.status, SCREE_ERR_INPUT);
        if (!strstr(error.text, bad[k].words)) fail_msg("'%s' has not '%s'", error.text, bad[k].words);
    }
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    static const double z[9] = {0, 0, 0, 0, 1, 0, 0, 0, 0};
    for (int n = 0;; ++n) {
        failing f = {.left = n};
        scree_allocator a = failing_allocator(&f);
        scree_error error = {0};
        scree_geometry *g = scree_geometry_heights(z, 3, 3, 1.0, &a, &error);
        scree_status status = error.status;
        assert_int_equal(status == SCREE_OK, g != NULL);
        scree_geometry_release(g);
        assert_int_equal(f.live, 0);
        if (status == SCREE_OK) break;
        assert_int_equal(status, SCREE_ERR_MEMORY);
    }
    /* a surface that is split: one long edge beside two short ones */
    static const double point[] = {0, 0, 0, 2, 0, 0, 1, 1, 0, 1, 0, 0, 1, -1, 0};
    static const int triangle[] = {0, 1, 2, 0, 4, 3, 3, 4, 1};
    for (int n = 0;; ++n) {
        failing f = {.left = n};
        scree_allocator a = failing_allocator(&f);
        scree_error error = {0};
        scree_geometry *g = scree_geometry_mesh(point, 5, triangle, 3, SCREE_SIDES_AUTO, &a, &error);
        if (g) assert_true(scree_geometry_triangle_count(g) == 4 && scree_geometry_open_edges(g) == 4);
        scree_geometry_release(g);
        assert_int_equal(f.live, 0);
        if (error.status == SCREE_OK) break;
        assert_int_equal(error.status, SCREE_ERR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_on_a_flat_mesh_does_not_know_of_triangles),
        cmocka_unit_test(a_ball_glides_over_edges_that_do_not_match),
        cmocka_unit_test(every_shape_touches_a_flat_mesh_as_a_plane),
        cmocka_unit_test(a_ball_touches_a_box_of_triangles_as_a_box),
        cmocka_unit_test(a_box_rests_on_a_box_of_triangles_as_on_a_box),
        cmocka_unit_test(ridges_and_valleys_have_their_own_contacts),
        cmocka_unit_test(a_surface_knows_its_neighbours_volume_and_borders),
        cmocka_unit_test(damaged_surfaces_are_refused_in_words),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
