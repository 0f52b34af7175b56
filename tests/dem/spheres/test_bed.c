/* test_bed.c: the fast DEM engine (src/dem/spheres/bed.h) against its slow twin, and against itself to the bit: instruction sets, restarts,
 * spheres that come and leave. What lists and failures do: test_bed_lists.c; physics: test_bed_motion.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bed_checks.h"

#include <stdio.h>

/* ---- twins ------------------------------------------------------------------------------------------------------------------- */

/// Both from the same grains over `steps`; velocities are of the order 1 to 10, so differences are relative ones too.
static void compare_with_twin(grains *g, int steps, double tolerance, int contacts)
{
    twin *t = twin_make(g);
    grains *slow = t->g;
    bed *b = make(g, NULL);
    bed_motion now = grains_motion(g);
    int most = 0;
    for (int s = 0; s < steps; ++s) {
        twin_step(t);
        advance(b, 1);
        most = bed_count(b).touching > most ? bed_count(b).touching : most;
    }
    bed_read(b, &now);
    int n = g->def.count;
    for (int i = 0; i < n && g->def.periodic[1]; ++i) /* the engine wraps, the twin does not */
        slow->x[3 * i + 1] -= g->def.high[1] * round((slow->x[3 * i + 1] - g->x[3 * i + 1]) / g->def.high[1]);
    double dx = largest_difference(g->x, slow->x, 3 * n), dv = largest_difference(g->v, slow->v, 3 * n),
           dw = largest_difference(g->omega, slow->omega, 3 * n);
    if (!(dx < tolerance && dv < 100.0 * tolerance && dw < 100.0 * tolerance))
        fail_msg("x %g, v %g, omega %g beyond %g", dx, dv, dw, tolerance);
    double F[3], T[3];
    for (int p = 0; p < g->def.planes; ++p) {
        bed_plane_load(b, p, F, T);
        assert_true(largest_difference(F, t->plane_force[p], 3) < 1e5 * tolerance);
    }
    if (most < contacts) fail_msg("only %d contacts at once: nothing was tested", most);
    bed_destroy(b), twin_free(t), free(g);
}

/* Roundings of 1e-16 grow by the contacts' own instability; 1e-11 after 400 steps leaves a factor 100 to what is seen. */
static void agrees_with_the_laws_one_by_one(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law)
        for (int kind = DEM_HOOKE; kind <= DEM_HERTZ; ++kind) {
            compare_with_twin(grains_make(50, (bed_law)law, (dem_normal_kind)kind, 0.05, -0.005), 400, 1e-11, 60);
            compare_with_twin(grains_make(50, (bed_law)law, (dem_normal_kind)kind, 0.0, -0.005), 400, 1e-11, 60);
        }
}

/// One sphere of 10 radii, one of 50, above and below in number; the first over a periodic border.
static void agrees_with_the_laws_in_mixed_sizes(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law)
        for (int large = 0; large < 2; ++large)
            for (int at = 0; at < 50; at += 49) {
                grains *g = grains_make(50, (bed_law)law, large ? DEM_HOOKE : DEM_HERTZ, 0.0, -0.005);
                enlarge(g, at, large ? 25.0 : 5.0, 3.98, 0);
                g->def.periodic[1] = !large, g->def.high[1] = 40.0;
                for (int i = 0; i < 50; ++i) g->x[3 * i + 1] -= 2.0;
                g->x[3 * 7 + 1] -= 0.1, g->radius[7] = 0.2; /* and a smaller one */
                compare_with_twin(g, 400, 1e-11, 50);
            }
}

/// A limit of 0 in every step: no load, and no number that is none. (Limits of 0 now and then, where N is 0, are in the test before.)
static void slides_without_friction(void **state)
{
    (void)state;
    for (int mixed = 0; mixed < 2; ++mixed) {
        grains *g = grains_make(50, BED_SDS, DEM_HOOKE, 0.05 * mixed, -0.005);
        for (int k = 0; k < 4; ++k) g->pair[k].slide.mu = 0.0;
        compare_with_twin(g, 400, 1e-11, 60);
    }
}

/// Two that meet head on, so fast that one is behind the other after a step: the normal turns round, and no formula of [FN] says how. The
/// contact is new, so nobody need ask.
static void spheres_may_pass_each_other_in_a_step(void **state)
{
    (void)state;
    for (int kernel = 0; bed_kernel_at(kernel); ++kernel) {
        grains *g = grains_make(2, BED_TRACKED, DEM_HOOKE, 0.0, 0.0);
        bed_motion now = grains_motion(g);
        memset(g->x, 0, 6 * sizeof(double)), memset(g->v, 0, 6 * sizeof(double));
        memset(g->omega, 0, 6 * sizeof(double));
        g->def.planes = 0, g->def.periodic[1] = 0, g->def.kernel = kernel;
        g->x[0] = 1.1, g->v[0] = -2.0 / g->def.step; /* to -0.9 */
        bed *b = make(g, NULL);
        advance(b, 2);
        assert_int_equal(bed_count(b).touching, 1);
        advance(b, 2);
        bed_read(b, &now);
        for (int k = 0; k < 6; ++k) assert_true(isfinite(g->v[k]) && isfinite(g->omega[k]));
        bed_destroy(b), free(g);
    }
}

static void takes_every_override_of_a_friction_definition(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; ++variant) {
        grains *g =
            grains_make(50, BED_TRACKED, variant == 1 ? DEM_HERTZ : DEM_HOOKE, variant % 2 ? 0.05 : 0.0, -0.005);
        for (int k = 0; k < 4; ++k) {
            dem_friction_def *f = &g->pair[k].friction;
            if (variant == 0) f->roll_stiffness = 300.0, f->roll_damping = 0.5, f->slide_damping = 20.0;
            if (variant == 1) f->spin_hertz = 1;
            if (variant == 2)
                f->roll_curvature = 3.0, f->spin_curvature = 5.0, f->spin_damping = 0.2, f->spin_stiffness = 90.0;
            if (variant == 3) f->roll_static = 0.1, f->roll_kinetic = 0.05, f->spin_static = 0.2, f->spin_kinetic = 0.1;
            if (variant == 3 && k == 0) f->roll_curvature = 0.0;
            if (variant == 0) g->pair[k].normal.pulls = 1;
        }
        compare_with_twin(g, 300, 1e-11, 60);
    }
}

/// Turns of more than 0.01 rad in a step leave the series: spins to 1,000 rad/s at a step of 2e-4 s.
static void follows_fast_spins(void **state)
{
    (void)state;
    grains *g = grains_make(40, BED_TRACKED, DEM_HOOKE, 0.05, -0.005);
    for (int k = 0; k < 3 * 40; ++k) g->omega[k] *= 500.0;
    compare_with_twin(g, 150, 1e-9, 30);
}

/// A ball, and a fixed one on which it rolls and slides all the way round about an axis, pressed on by a gravity that points to its middle.
static grains *round_a_ball(int mobile, const double axis[3])
{
    grains *g = grains_make(2, BED_TRACKED, DEM_HOOKE, 0.0, -0.005);
    double n[3] = {0.0, 0.6, 0.8}, v[3];
    vec_cross(axis, n, v);
    for (int k = 0; k < 3; ++k) {
        g->x[3 * mobile + k] = 0.95 * n[k], g->v[3 * mobile + k] = 30.0 * v[k];
        g->omega[3 * mobile + k] = 55.0 * axis[k] + 80.0 * n[k];
        g->x[3 * !mobile + k] = g->v[3 * !mobile + k] = g->omega[3 * !mobile + k] = 0.0;
    }
    g->inverse_mass[!mobile] = g->inverse_inertia[!mobile] = 0.0;
    g->def.planes = 0, g->def.periodic[1] = 0;
    g->pair[0].friction.eta_r = 0.01; /* or it stops half way */
    return g;
}

static void gravity_to_the_middle(const grains *g, int mobile, double gravity[3])
{
    double r = vec_norm(&g->x[3 * mobile]);
    for (int k = 0; k < 3; ++k) gravity[k] = -2000.0 / r * g->x[3 * mobile + k];
}

/// Memories are kept along a basis that has a pole where it cannot be: a normal that goes round passes from one basis to the other and back.
static void memories_follow_a_normal_all_the_way_round(void **state)
{
    (void)state;
    const double axis[2][3] = {{1.0, 0.0, 0.0}, {0.8, 0.48, -0.36}}; /* the second circle lies askew */
    for (int run = 0; run < 4; ++run)
        for (int kernel = 0; bed_kernel_at(kernel); ++kernel) {
            int mobile = run % 2;
            grains *g = round_a_ball(mobile, axis[run / 2]);
            twin *t = twin_make(g);
            grains *slow = t->g;
            g->def.kernel = kernel;
            bed *b = make(g, NULL);
            bed_motion now = grains_motion(g);
            double low = 1.0, high = -1.0, dx = 0.0, dw = 0.0, gravity[3];
            for (int s = 0; s < 1500; ++s) {
                gravity_to_the_middle(slow, mobile, slow->def.gravity), gravity_to_the_middle(g, mobile, gravity);
                bed_set_gravity(b, gravity);
                twin_step(t);
                advance(b, 1);
                bed_read(b, &now);
                assert_int_equal(bed_count(b).touching, 1);
                low = min2(low, g->x[3 * mobile + 2]), high = s > 750 ? max2(high, g->x[3 * mobile + 2]) : high;
                dx = max2(dx, largest_difference(g->x, slow->x, 6));
                dw = max2(dw, largest_difference(g->omega, slow->omega, 6));
            }
            /* seen: 8e-15 and 4e-13; a wrong turn where the basis changes makes 1e-6 and more */
            if (!(dx < 1e-11 && dw < 1e-9)) fail_msg("run %d, kernel %d: x %g, omega %g", run, kernel, dx, dw);
            if (!(low < -0.6 && high > 0.6)) fail_msg("run %d: it went from %g to %g", run, low, high);
            bed_destroy(b), twin_free(t), free(g);
        }
}

/* ---- the same bits ----------------------------------------------------------------------------------------------------------------- */

/// `best`: of the same grains, after 50 steps of the best kernel.
static void expect_bits_of_every_kernel(grains *g, bed *best)
{
    for (g->def.kernel = 1; bed_kernel_at(g->def.kernel); ++g->def.kernel) {
        bed *other = make(g, NULL);
        assert_string_not_equal(bed_count(best).instructions, bed_count(other).instructions);
        advance(other, 50);
        assert_same_state(best, other);
        bed_destroy(other);
    }
}

static void every_instruction_set_gives_the_same_bits(void **state)
{
    (void)state;
    assert_non_null(bed_kernel_at(1));
    for (int law = 0; law < 2; ++law)
        for (int kind = DEM_HOOKE; kind <= DEM_HERTZ + 1; ++kind) { /* the last: Mindlin */
            grains *g = many(law, kind > DEM_HERTZ ? DEM_HERTZ : kind, kind == DEM_HERTZ ? 0.05 : 0.0);
            g->pair[0].friction.spin_hertz = kind == DEM_HERTZ, g->pair[0].shear = kind > DEM_HERTZ ? 4e4 : 0.0;
            bed *best = make(g, NULL);
            advance(best, 50);
            assert_true(bed_count(best).touching > MANY / 2);
            expect_bits_of_every_kernel(g, best);
            bed_destroy(best), free(g);
        }
}

/// Blocks in which some lanes are of common spheres, and others not.
static void every_instruction_set_gives_the_same_bits_of_sizes(void **state)
{
    (void)state;
    assert_non_null(bed_kernel_at(1));
    for (int law = 0; law < 2; ++law)
        for (int materials = 1; materials <= 2; ++materials) {
            grains *g = crowd_of_sizes(MANY, law, DEM_HOOKE);
            g->def.materials = materials, g->plane[1].material = materials - 1;
            for (int i = 0; i < MANY; ++i) g->material[i] = i / 40 % materials;
            bed *best = make(g, NULL);
            assert_true(best->levels > 1 && best->level_radius[best->main_level] <= 0.5);
            advance(best, 50);
            assert_true(bed_count(best).touching > MANY / 2);
            expect_bits_of_every_kernel(g, best);
            bed_destroy(best), free(g);
        }
}

/// Made from what another tells between any two steps, a bed has the same future to the bit, whatever its lists.
static void goes_on_with_the_same_bits_after_a_restart(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law)
        for (int sizes = 0; sizes < 2; ++sizes) {
            grains *g = sizes ? crowd_of_sizes(MANY, law, DEM_HOOKE) : many(law, DEM_HOOKE, 0.05);
            bed *whole = make(g, NULL);
            for (int part = 0; part < 4; ++part) {
                advance(whole, 37);
                bed *again = made_again(g, whole, NULL);
                assert_same_state(whole, again);
                int64_t rebuilds = bed_count(whole).rebuilds;
                advance(whole, 60), advance(again, 60);
                assert_true(bed_count(whole).rebuilds > rebuilds);
                assert_same_state(whole, again);
                bed_destroy(again);
            }
            bed_destroy(whole), free(g);
        }
}

/// Spheres that come one by one into a living bed, and some that leave it, against beds made from the state after each event.
static void spheres_come_and_leave(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law)
        for (int mixed = 0; mixed < 2; ++mixed) {
            grains *g = crowd(MANY, law, DEM_HOOKE, 0.05 * mixed);
            const int first = 900;
            g->def.count = first;
            bed *living = make(g, NULL);
            for (int i = first; i < MANY; ++i) {
                bed_grain c = {i,
                               g->material[i],
                               g->radius[i],
                               g->inverse_mass[i],
                               g->inverse_inertia[i],
                               {g->x[3 * i], g->x[3 * i + 1], g->x[3 * i + 2] + 1.0},
                               {0.0, 0.0, -1.0},
                               {0.0, 1.0, 0.0},
                               {1.0, 0.0, 0.0, 0.0}};
                assert_int_equal(bed_add(living, &c), SCREE_OK);
                if (i % 16 == 0) advance(living, 3);
                if (i % 50 == 3) assert_int_equal(bed_remove(living, 1, (const int[]){i - 40}, NULL), 1);
                if (i % 100 != 5) continue;
                bed_motion now = grains_motion(g);
                bed_read(living, &now);
                g->def.count = i + 1;
                bed *again = made_again(g, living, NULL);
                for (int k = first; k <= i; ++k) /* those that left are in the definition */
                    if (k - 40 >= 0 && k % 50 == 3)
                        assert_int_equal(bed_remove(again, 1, (const int[]){k - 40}, NULL), 1);
                bed_set_scale(again, bed_get_scale(living));
                advance(living, 20), advance(again, 20);
                bed_motion then = {calloc(3 * MANY, 8), calloc(3 * MANY, 8), NULL, NULL};
                bed_read(living, &now), bed_read(again, &then);
                for (int k = 0; k <= i; ++k)
                    if (!(k + 40 >= first && k + 40 <= i && (k + 40) % 50 == 3))
                        assert_memory_equal(g->x + 3 * k, then.x + 3 * k, 3 * sizeof(double));
                free(then.x), free(then.v), bed_destroy(again);
            }
            assert_true(bed_count(living).rebuilds > 2 && bed_count(living).touching > first);
            bed_destroy(living), free(g);
        }
}

/// With the argument "kernels": what compares instruction sets, a test of its own (bed_kernels), skipped where there is but one.
int main(int count, char **argument)
{
    const struct CMUnitTest of_kernels[] = {
        cmocka_unit_test(every_instruction_set_gives_the_same_bits),
        cmocka_unit_test(every_instruction_set_gives_the_same_bits_of_sizes),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_laws_one_by_one),
        cmocka_unit_test(agrees_with_the_laws_in_mixed_sizes),
        cmocka_unit_test(slides_without_friction),
        cmocka_unit_test(spheres_may_pass_each_other_in_a_step),
        cmocka_unit_test(takes_every_override_of_a_friction_definition),
        cmocka_unit_test(follows_fast_spins),
        cmocka_unit_test(memories_follow_a_normal_all_the_way_round),
        cmocka_unit_test(goes_on_with_the_same_bits_after_a_restart),
        cmocka_unit_test(spheres_come_and_leave),
    };
    if (count < 2 || strcmp(argument[1], "kernels") != 0) return cmocka_run_group_tests(tests, NULL, NULL);
    if (bed_kernel_at(1)) return cmocka_run_group_tests(of_kernels, NULL, NULL);
    printf("test_bed: skipped, this processor has one instruction set that kernels are built for\n");
    return 77;
}
