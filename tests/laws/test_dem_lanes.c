/* test_dem_lanes.c: the laws of soft friction as they are written over lanes (laws/dem_springs.h, dem_frame_spheres.h), with one lane,
 * against the same laws written with branches and angles (dem_reference.h), on random steps of all sizes.
 *
 * What comes out is compared in the world, since the one keeps a frame and the other does not. Tolerances are some roundings of the numbers
 * that go in, and what the series of a turn leaves out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dem_reference.h"
#include "laws/dem_frame_spheres.h"
#include "math/rng.h"

#define SAMPLES 20000

static double around(rng *g, double size)
{
    return size * (2.0 * rng_uniform(g) - 1.0);
}

static void random_unit(rng *g, double *n)
{
    double length;
    do {
        for (int k = 0; k < 3; ++k) n[k] = around(g, 1.0);
        length = vec_norm(n);
    } while (length < 0.1 || length > 1.0);
    for (int k = 0; k < 3; ++k) n[k] /= length;
}

static double difference(const double *a, const double *b, int count)
{
    double worst = 0.0;
    for (int k = 0; k < count; ++k) worst = max2(worst, fabs(a[k] - b[k]));
    return worst;
}

/// a u + b (n x u).
static void in_world(const double *n, const double *u, const double *p, double *out)
{
    double w[3];
    vec_cross(n, u, w);
    for (int k = 0; k < 3; ++k) out[k] = p[0] * u[k] + p[1] * w[k];
}

/// One random step of spheres (or of a ball on a plane) that turn by about `size` rad. Returns the largest difference of growth and histories.
static double frames_differ(rng *g, double size, int plane)
{
    double n0[3], n1[3], w_i[3], w_j[3], over[3], from[3], turn_i[3], turn_j[3],
        kept[2] = {around(g, 1.0), around(g, 1.0)};
    const double h = 0.25, R_i = 0.5 + 0.5 * rng_uniform(g), R_j = 0.5 + 0.5 * rng_uniform(g);
    random_unit(g, n0);
    for (int k = 0; k < 3; ++k) {
        w_i[k] = around(g, size / h), w_j[k] = around(g, size / h), over[k] = around(g, size / h);
        n1[k] = n0[k] + around(g, size), from[k] = around(g, 1.0);
    }
    double length = vec_norm(n1), size_i = vec_norm(w_i), size_j = vec_norm(w_j), way[3], worst = 0.0;
    for (int k = 0; k < 3; ++k) {
        n1[k] /= length;
        turn_i[k] = tan(0.5 * h * size_i) / size_i * w_i[k], turn_j[k] = tan(0.5 * h * size_j) / size_j * w_j[k];
    }
    /* over a plane: where the centre is now, less where the plane has carried the place that it had */
    double angle_j[3] = {h * w_j[0], h * w_j[1], h * w_j[2]}, turned_j[4], carried[3];
    quat_exp(angle_j, turned_j);
    quat_rotate(turned_j, from, carried);
    for (int k = 0; k < 3; ++k) way[k] = h * over[k] - (carried[k] - from[k]);
    vec_add_scaled(way, -vec_dot(way, n1), n1, way);
    /* the frame starts as the basis at n0 */
    dem_frame frame;
    dem_track track;
    unsigned south = n0[2] < 0.0;
    for (int k = 0; k < 3; ++k) frame.n[k] = n0[k];
    vec_tangent_half(n0, south ? -1.0 : 1.0, frame.u);
    reference_frame_advance_spheres(&frame, n1, turn_i, turn_j, R_i, R_j, plane ? way : NULL, &frame, &track);

    const sphere_step step = {n0, n1, w_i, w_j, R_i, R_j, plane ? over : NULL, plane ? from : NULL};
    tangent_lanes at;
    double growth[DEM_SPRINGS][2], angle[2], found[3], expected[3], p[2], turned[2] = {kept[0], kept[1]};
    sphere_growth(&step, h, &south, 1, &at, growth, angle);
    for (int k = 0; k < 2; ++k) p[k] = track.p_i[k] - track.p_j[k];
    in_world(n1, frame.u, p, expected), of_tangents(n1, &at, growth[DEM_SLIDE][0], growth[DEM_SLIDE][1], found);
    worst = max2(worst, difference(found, expected, 3));
    for (int k = 0; k < 2; ++k) p[k] = track.p_i[k] / R_i;
    in_world(n1, frame.u, p, expected), of_tangents(n1, &at, growth[DEM_ROLL_I][0], growth[DEM_ROLL_I][1], found);
    worst = max2(worst, difference(found, expected, 3));
    for (int k = 0; k < 2; ++k) p[k] = plane ? 0.0 : track.p_j[k] / R_j;
    in_world(n1, frame.u, p, expected), of_tangents(n1, &at, growth[DEM_ROLL_J][0], growth[DEM_ROLL_J][1], found);
    worst = max2(worst, difference(found, expected, 3));
    worst = max2(worst, fabs(growth[DEM_SPIN][0] - track.psi));
    turn_pair(angle[0], angle[1], turned);
    in_world(n1, frame.u, kept, expected), of_tangents(n1, &at, turned[0], turned[1], found);
    return max2(worst, difference(found, expected, 3));
}

static void spheres_move_as_the_reference_says(void **state)
{
    (void)state;
    rng g = rng_make(11, 1);
    const double sizes[] = {1e-8, 1e-5, 1e-3, 5e-3, 0.02, 0.1, 0.3};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        /* of a turn by A the first term that the series leaves out, 62/2835 (A/2)^8 A; two bodies turn */
        const double A = sqrt(3.0) * sizes[s], bound = 4e-15 + 2.0 * 62.0 / 2835.0 * pow(0.5 * A, 8.0) * A;
        double worst = 0.0;
        for (int k = 0; k < SAMPLES; ++k) worst = max2(worst, frames_differ(&g, sizes[s], k % 2));
        print_message("spheres, steps of %g rad: %.2g (at most %.2g)\n", sizes[s], worst, bound);
        assert_true(worst <= bound);
    }
}

/// A spring about its bound, of one or two components.
static void springs_step_as_the_reference_says(void **state)
{
    (void)state;
    rng g = rng_make(12, 1);
    int modes[3] = {0, 0, 0};
    for (int k = 0; k < SAMPLES; ++k) {
        const int size = 1 + k % 2;
        dem_spring s = {.stiffness = k % 50 ? 1e4 : 0.0, .damping = 30.0 * rng_uniform(&g)};
        s.bound[0] = k % 7 ? 20.0 * rng_uniform(&g) : 0.0, s.bound[1] = 0.8 * s.bound[0], s.published = k % 3 == 0;
        double x[2] = {around(&g, 1e-3), around(&g, 1e-3)}, dx[2] = {around(&g, 1e-3), around(&g, 1e-3)}, y[2], a[2],
               b[2];
        if (k % 11 == 0) x[0] = x[1] = dx[0] = dx[1] = 0.0; /* nothing moves */
        unsigned char mode = k % 5 == 0, other = mode;
        for (int i = 0; i < 2; ++i) y[i] = x[i];
        const dem_losses lost = dem_spring_step(&s, size, dx, 1e-3, x, &mode, a),
                         same = reference_spring_step(&s, size, dx, 1e-3, y, &other, b);
        assert_int_equal(mode, other);
        assert_true(difference(x, y, size) <= 1e-18 && difference(a, b, size) <= 1e-14);
        assert_true(fabs(lost.slider - same.slider) <= 1e-16 && fabs(lost.dashpot - same.dashpot) <= 1e-16);
        modes[mode ? 0 : same.slider > 0.0 ? 1 : 2] += 1;
    }
    print_message("springs: %d slide, %d loads cut, %d within their bound\n", modes[0], modes[1], modes[2]);
    for (int k = 0; k < 3; ++k) assert_true(modes[k] > SAMPLES / 50);
}

static void sds_steps_as_the_reference_says(void **state)
{
    (void)state;
    rng g = rng_make(13, 1);
    int beyond = 0;
    for (int k = 0; k < SAMPLES; ++k) {
        const dem_sds s = {1e4, 5.0 * rng_uniform(&g), k % 9 ? 10.0 * rng_uniform(&g) : 0.0};
        double n[3], v[3], x[3], y[3], a[3], b[3], phi = around(&g, 1e-3), same = phi, rate = around(&g, 1.0);
        random_unit(&g, n);
        for (int i = 0; i < 3; ++i) v[i] = k % 13 ? around(&g, 1.0) : 0.0, x[i] = k % 4 ? around(&g, 1e-3) : 0.0;
        vec_add_scaled(v, -vec_dot(v, n), n, v);
        vec_add_scaled(x, -0.99 * vec_dot(x, n), n, x); /* the plane across n turns little in a step */
        for (int i = 0; i < 3; ++i) y[i] = x[i];
        dem_sds_vector(&s, n, v, k % 17 ? 1e-3 : 0.0, x, a);
        reference_sds_vector(&s, n, v, k % 17 ? 1e-3 : 0.0, y, b);
        assert_true(difference(x, y, 3) <= 2e-18 && difference(a, b, 3) <= 2e-14);
        beyond += vec_norm(b) >= s.limit * (1.0 - 1e-12);
        dem_losses lost;
        const double M = dem_sds_twist(&s, rate, 1e-3, &phi, &lost);
        assert_true(fabs(M - reference_sds_twist(&s, rate, 1e-3, &same)) <= 1e-14);
        assert_true(fabs(phi - same) <= 1e-18);
    }
    print_message("sds: %d of %d beyond their limit\n", beyond, SAMPLES);
    assert_true(beyond > SAMPLES / 20 && beyond < SAMPLES - SAMPLES / 20);
}

/// Below the limit a dashpot takes g v^2 h and a slider nothing; beyond it the slider takes the cut load over the way, and what the spring then
/// holds more, set against its dashpot, the law has made. Of twisting, and of sliding.
static void sds_losses_are_those_of_dashpot_and_slider(void **state)
{
    (void)state;
    const double k = 400.0, g = 3.0, h = 1e-2,
                 rate[3] = {0.5, 8.0, 30.0}; /* 400 (0.01 + 0.005) + 1.5 = 7.5; 60, 214 > 20 */
    for (int n = 0; n < 3; ++n) {
        const sds_lanes law = {k, g, 20.0, 1.0 / k};
        double phi = 0.01, from = phi, full = phi + h * rate[n], viscous = g * rate[n] * rate[n] * h;
        sds_losses lost, of;
        mask beyond;
        double M = sds_twist(&law, rate[n], h, 1, &phi, &beyond, &lost);
        assert_true(fabs(M + (n ? 20.0 : 7.5)) < 1e-13 && fabs(phi - (n ? (20.0 - g * rate[n]) / k : full)) < 1e-15);
        const double gained = n ? 0.5 * k * (phi * phi - from * from) : 0.0;
        assert_true(fabs(lost.dashpot - (n ? 0.0 : viscous)) < 1e-15);
        assert_true(fabs(lost.slider - (n ? 20.0 * h * rate[n] : 0.0)) < 1e-13 && fabs(lost.made - gained) < 1e-13);

        const double v[3] = {0.0, rate[n], 0.0}, xi[3] = {0.0, phi, 0.0}, F[3] = {0.0, M, 0.0};
        of = sds_lost(&law, v, h, beyond, from * from, xi, F);
        assert_true(fabs(of.dashpot - lost.dashpot) < 1e-15 && fabs(of.slider - lost.slider) < 1e-13);
        assert_true(fabs(of.made - lost.made) < 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_move_as_the_reference_says),
        cmocka_unit_test(springs_step_as_the_reference_says),
        cmocka_unit_test(sds_steps_as_the_reference_says),
        cmocka_unit_test(sds_losses_are_those_of_dashpot_and_slider),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
