/* test_collide_ccd.c: random pairs against Debian's libccd (GJK and EPA by others). It knows overlap and depth, no distances.
 *
 * libccd's depth is the distance of a face of a polytope inside the difference of the two: never more than the true one, and short of
 * it where it ends early, on round surfaces more often than on boxes. */
#include "posed.h"
#include "twins.h"

#include <ccd/ccd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { HULLS = 10 };

static void support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *point)
{
    const solid *s = object;
    double n[3] = {direction->v[0], direction->v[1], direction->v[2]}, m[3], p[3] = {0, 0, 0}, world[3];
    mat_apply_transpose(s->shape.R, n, m);
    double length = vec_norm(m), w = 0.0;
    for (int i = 0; i < 3; ++i) w += s->size[i] * m[i] * (s->size[i] * m[i]);
    for (int i = 0; i < 3; ++i) {
        if (s->shape.kind == SCREE_SHAPE_BOX) p[i] = m[i] < 0.0 ? -s->size[i] : s->size[i];
        if (s->shape.kind == SCREE_SHAPE_ELLIPSOID) p[i] = s->size[i] * s->size[i] * m[i] / sqrt(w);
        if (s->shape.kind == SCREE_SHAPE_SPHERE || s->shape.kind == SCREE_SHAPE_CAPSULE)
            p[i] = s->size[0] * m[i] / length;
    }
    double around = hypot(m[0], m[1]), r = around > 0.0 ? s->size[0] / around : 0.0;
    if (s->shape.kind == SCREE_SHAPE_CYLINDER)
        p[0] = r * m[0], p[1] = r * m[1], p[2] = m[2] < 0.0 ? -s->size[1] : s->size[1];
    if (s->shape.kind == SCREE_SHAPE_CONE) {
        int tip = m[2] * s->size[1] > around * s->size[0];
        p[0] = tip ? 0.0 : r * m[0], p[1] = tip ? 0.0 : r * m[1], p[2] = s->size[1] * (tip ? 0.75 : -0.25);
    }
    if (s->shape.kind == SCREE_SHAPE_CAPSULE) p[2] += m[2] < 0.0 ? -s->size[1] : s->size[1];
    double most = -SCREE_INFINITY;
    for (int k = 0; s->shape.kind == SCREE_SHAPE_HULL && k < s->shape.geometry->hull.vertex_count; ++k) {
        const double *v = s->shape.geometry->hull.vertex[k];
        if (!(vec_dot(v, m) > most)) continue;
        most = vec_dot(v, m);
        for (int i = 0; i < 3; ++i) p[i] = s->size[0] * v[i];
    }
    mat_apply(s->shape.R, p, world);
    ccdVec3Set(point, s->shape.x[0] + world[0], s->shape.x[1] + world[1], s->shape.x[2] + world[2]);
}

static void libccd_finds_the_same_overlaps_and_depths(void **state)
{
    (void)state;
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = support;
    ccd.max_iterations = 500, ccd.epa_tolerance = 1e-6;
    scree_geometry *hull[HULLS];
    rng stones = rng_make(21, 0);
    for (int k = 0; k < HULLS; ++k) assert_non_null(hull[k] = random_hull(&stones, 6 + 4 * k));
    for (int ka = 0; ka < CONVEX_KINDS; ++ka)
        for (int kb = ka; kb < CONVEX_KINDS; ++kb) {
            if (ka == SCREE_SHAPE_PLANE || kb == SCREE_SHAPE_PLANE) continue;
            rng r = rng_make(20, (uint64_t)ka * CONVEX_KINDS + (uint64_t)kb);
            int polyhedra =
                (ka == SCREE_SHAPE_BOX || ka == SCREE_SHAPE_HULL) && (kb == SCREE_SHAPE_BOX || kb == SCREE_SHAPE_HULL);
            long compared = 0, shallower = 0, deeper = 0;
            double lowest = 0.0, highest = 0.0, tolerance = polyhedra ? 1e-12 : 5e-3;
            for (long k = 0; k < samples(400, 10000); ++k) {
                solid a = solid_random(&r, (scree_shape_kind)ka, 0.2, 1.0);
                solid b = solid_random(&r, (scree_shape_kind)kb, 0.2, 1.0);
                if (ka == SCREE_SHAPE_HULL) a.shape.geometry = hull[k % HULLS];
                if (kb == SCREE_SHAPE_HULL) b.shape.geometry = hull[k / 3 % HULLS];
                double u[3], minus[3], gap = SCREE_INFINITY;
                manifold m;
                rng_direction(&r, u);
                for (int i = 0; i < 3; ++i) minus[i] = -u[i];
                double distance = solid_width(&a, u) + solid_width(&b, minus) + rng_between(&r, -0.3, 0.1);
                vec_add_scaled(a.shape.x, distance, u, b.shape.x);
                collide(posed(&a), posed(&b), SCREE_INFINITY, &m);
                for (int p = 0; p < m.count; ++p) gap = fmin(gap, m.point[p].gap);
                if (fabs(gap) < 1e-3) continue; /* either may be right */
                ccd_real_t depth = 0.0;
                ccd_vec3_t direction, position;
                assert_int_equal(ccdGJKIntersect(&a, &b, &ccd), gap < 0.0);
                if (gap > 0.0) continue;
                if (ccdGJKPenetration(&a, &b, &ccd, &depth, &direction, &position) != 0) continue;
                ++compared;
                double off = depth + gap;
                lowest = fmin(lowest, off), highest = fmax(highest, off);
                shallower += off<-tolerance, deeper += off> tolerance;
            }
            print_message("%s/%s: %ld compared, off by %.1e to %.1e, %ld shallower\n",
                          scree_shape_kind_name((scree_shape_kind)ka), scree_shape_kind_name((scree_shape_kind)kb),
                          compared, lowest, highest, shallower);
            assert_true(compared > 50);
            assert_int_equal(deeper, 0);
            assert_true(shallower <= compared / 20);
        }
    for (int k = 0; k < HULLS; ++k) scree_geometry_release(hull[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libccd_finds_the_same_overlaps_and_depths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
