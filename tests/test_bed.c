/* test_bed.c: the fast DEM engine (src/steppers/bed.h) against its slow twin, against itself, and against closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "bed_checks.h"
#include "failing_allocator.h"
#include "steppers/bed_parts.h"

static double largest_difference(const double *a, const double *b, int count)
{
    double most = 0.0;
    for (int k = 0; k < count; ++k) most = fabs(a[k] - b[k]) > most ? fabs(a[k] - b[k]) : most;
    return most;
}

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

static void every_instruction_set_gives_the_same_bits(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law)
        for (int kind = DEM_HOOKE; kind <= DEM_HERTZ; ++kind) {
            grains *g = many(law, kind, kind == DEM_HERTZ ? 0.05 : 0.0);
            g->pair[0].friction.spin_hertz = kind == DEM_HERTZ;
            bed *best = make(g, NULL);
            advance(best, 50);
            assert_true(bed_count(best).touching > MANY / 2);
            for (g->def.kernel = 1; bed_kernel_at(g->def.kernel); ++g->def.kernel) {
                bed *other = make(g, NULL);
                assert_string_not_equal(bed_count(best).instructions, bed_count(other).instructions);
                advance(other, 50);
                assert_same_state(best, other);
                bed_destroy(other);
            }
            bed_destroy(best), free(g);
        }
}

/// Blocks in which some lanes are of common spheres, and others not.
static void every_instruction_set_gives_the_same_bits_of_sizes(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law)
        for (int materials = 1; materials <= 2; ++materials) {
            grains *g = crowd_of_sizes(MANY, law, DEM_HOOKE);
            g->def.materials = materials, g->plane[1].material = materials - 1;
            for (int i = 0; i < MANY; ++i) g->material[i] = i / 40 % materials;
            bed *best = make(g, NULL);
            assert_true(best->levels > 1 && best->level_radius[best->main_level] <= 0.5);
            advance(best, 50);
            assert_true(bed_count(best).touching > MANY / 2);
            for (g->def.kernel = 1; bed_kernel_at(g->def.kernel); ++g->def.kernel) {
                bed *other = make(g, NULL);
                advance(other, 50);
                assert_same_state(best, other);
                bed_destroy(other);
            }
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
            int *place = malloc(MANY * sizeof *place);
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
                if (i % 50 == 3) bed_places(living, place), bed_remove(living, place[i - 40]);
                if (i % 100 != 5) continue;
                bed_motion now = grains_motion(g);
                bed_read(living, &now);
                g->def.count = i + 1;
                bed *again = made_again(g, living, NULL);
                for (int k = first; k <= i; ++k) /* those that left are in the definition */
                    if (k - 40 >= 0 && k % 50 == 3) bed_places(again, place), bed_remove(again, place[k - 40]);
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
            free(place), bed_destroy(living), free(g);
        }
}

/* ---- the skin, the box ----------------------------------------------------------------------------------------------------------------- */

/// Sums are exact: another skin, with other lists at other moments in another order, changes no bit.
static void lists_change_no_bit(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law)
        for (int kind = DEM_HOOKE; kind <= DEM_HERTZ; ++kind) {
            grains *g = grains_make(100, (bed_law)law, (dem_normal_kind)kind, 0.05, -0.005), *h = malloc(sizeof *h);
            g->def.skin = 0.3, g->def.ledger = 1;
            bed *wide = make(g, NULL);
            *h = *g, h->def.skin = 0.01;
            bed *narrow = make(h, NULL);
            advance(wide, 400), advance(narrow, 400);
            assert_true(bed_count(narrow).rebuilds > 10 * (bed_count(wide).rebuilds + 1));
            assert_same_state(wide, narrow);
            bed_destroy(wide), bed_destroy(narrow), free(g), free(h);
        }
}

/// Nothing depends on where a periodic box begins.
static void a_periodic_box_has_no_place(void **state)
{
    (void)state;
    grains *g = grains_make(50, BED_TRACKED, DEM_HOOKE, 0.0, -0.005), *h = malloc(sizeof *h);
    for (int k = 0; k < 3; ++k) g->def.periodic[k] = 1, g->def.high[k] = g->def.high[1], g->def.gravity[k] = 0.0;
    g->def.planes = 0;
    *h = *g;
    for (int k = 0; k < 150; ++k) h->x[k] += 0.37 * g->def.high[1];
    bed *a = make(g, NULL), *b = make(h, NULL);
    advance(a, 400), advance(b, 400);
    assert_true(bed_count(a).touching > 20);
    bed_motion ma = grains_motion(g), mb = grains_motion(h);
    bed_read(a, &ma), bed_read(b, &mb);
    print_message("shifted by 0.37 of the box: velocities differ by %.3g\n", largest_difference(g->v, h->v, 150));
    assert_true(largest_difference(g->v, h->v, 150) < 1e-10);
    for (int k = 0; k < 150; ++k) assert_true(h->x[k] > -0.1 && h->x[k] < g->def.high[1] + 0.1);
    bed_destroy(a), bed_destroy(b), free(g), free(h);
}

/* ---- what must be conserved ----------------------------------------------------------------------------------------------------------- */

static void momenta(const grains *g, double p[3], double L[3])
{
    for (int k = 0; k < 3; ++k) p[k] = L[k] = 0.0;
    for (int i = 0; i < g->def.count; ++i) {
        double c[3], m = 1.0 / g->inverse_mass[i], I = 1.0 / g->inverse_inertia[i];
        vec_cross(&g->x[3 * i], &g->v[3 * i], c);
        for (int k = 0; k < 3; ++k) p[k] += m * g->v[3 * i + k], L[k] += m * c[k] + I * g->omega[3 * i + k];
    }
}

/// sds conserves both momenta; [FN] does where rolling is off (its torques on the two bodies need not be opposite).
static void momentum_is_kept_to_rounding(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law) {
        grains *g = grains_make(200, (bed_law)law, DEM_HERTZ, 0.0, -0.005);
        double p[3], L[3], p1[3], L1[3];
        g->def.planes = 0, g->def.periodic[1] = 0, g->def.gravity[2] = 0.0;
        g->pair[0].friction.eta_r = 0.0;
        momenta(g, p, L);
        bed *b = make(g, NULL);
        advance(b, 40);
        assert_true(bed_count(b).touching > 50);
        advance(b, 460);
        bed_motion now = grains_motion(g);
        bed_read(b, &now);
        momenta(g, p1, L1);
        assert_true(largest_difference(p, p1, 3) < 1e-11); /* 200 grains of mass 1 at speed 1 */
        assert_true(largest_difference(L, L1, 3) < 1e-10);
        bed_destroy(b), free(g);
    }
}

/// Energy lost = work of friction and damping, up to an error of the first order in h.
static double energy_gap(int law, double step)
{
    grains *g = grains_make(60, (bed_law)law, DEM_HOOKE, 0.05, -0.005);
    g->def.step = step, g->def.ledger = 1;
    bed *b = make(g, NULL);
    bed_energy e0 = bed_energies(b), e;
    advance(b, (int)(0.1 / step + 0.5));
    e = bed_energies(b);
    const bed_totals t = bed_get_totals(b);
    double before = e0.kinetic + e0.potential, after = e.kinetic + e.potential, lost = 0.0;
    for (int k = 0; k < 4; ++k) {
        before += e0.elastic[k], after += e.elastic[k];
        lost += t.dashpot[k] + t.slider[k];
        assert_true(t.dashpot[k] > 0.0 && (k == 0 || t.slider[k] > 0.0));
    }
    assert_true(lost > 5.0 && fabs(t.driven) > 0.1); /* of 60 J kinetic */
    bed_destroy(b), free(g);
    return fabs(after + lost + t.model - t.driven - before) / lost;
}

static void energy_closes_with_the_step(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law) {
        double coarse = energy_gap(law, 1e-4), fine = energy_gap(law, 2.5e-5);
        if (!(coarse < 0.05 && fine < 0.4 * coarse)) fail_msg("law %d: gap %g at h, %g at h/4", law, coarse, fine);
    }
}

/* ---- closed forms ------------------------------------------------------------------------------------------------------------------------- */

/// One grain on the floor.
static grains *one_grain(bed_law law)
{
    grains *g = grains_make(1, law, DEM_HOOKE, 0.0, 0.0);
    g->def.planes = 1, g->def.periodic[1] = 0;
    for (int k = 0; k < 3; ++k) g->x[k] = g->v[k] = g->omega[k] = 0.0;
    g->x[2] = 0.5;
    return g;
}

static void a_grain_rests_on_the_floor(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law) {
        grains *g = one_grain((bed_law)law);
        bed *b = make(g, NULL);
        bed_motion now = grains_motion(g);
        double F[3], T[3];
        advance(b, 20000);
        bed_plane_load(b, 0, F, T);
        bed_read(b, &now);
        assert_true(fabs(F[2] + 9.8) < 1e-12 && fabs(F[0]) < 1e-12);
        assert_true(fabs(g->x[2] - (0.5 - 9.8 / 2e4)) < 3e-16 && fabs(g->v[2]) < 6e-13); /* ulp, ulp/h */
        bed_destroy(b), free(g);
    }
}

/// The step matrix of a Hooke contact has its root at -1 exactly at the critical step. Two grains pressed together, a little off balance.
static void the_critical_step_is_where_a_contact_grows(void **state)
{
    (void)state;
    grains *g = grains_make(2, BED_SDS, DEM_HOOKE, 0.0, 0.0);
    const double press[6] = {500.0, 0, 0, -500.0, 0, 0};
    g->def.planes = 0, g->def.periodic[1] = 0, g->def.gravity[2] = 0.0, g->pair[0].slide.stiffness = 0.0;
    g->pair[0].normal.pulls = 1, g->pair[0].roll.stiffness = g->pair[0].twist.stiffness = 0.0;
    memset(g->x, 0, 6 * sizeof(double)), memset(g->v, 0, 6 * sizeof(double)), memset(g->omega, 0, 6 * sizeof(double));
    g->x[3] = 1.0 - 500.0 / 2e4 + 1e-6;
    g->def.step = 1e-6;
    bed *still = make(g, NULL);
    dem_rate sum[2] = {{0.0, 0.0}, {0.0, 0.0}};
    int pair[2];
    assert_true(bed_limit(still, 1.0, sum, pair) > 0.0 && pair[0] == 1 && pair[1] == 0);
    double critical = dem_rate_limit(dem_rate_sum(sum[0], sum[1]));
    bed_destroy(still);
    for (int beyond = 0; beyond < 2; ++beyond) {
        g->def.step = critical * (beyond ? 1.01 : 0.99);
        bed *b = make(g, NULL);
        const double none[3] = {0.0, 0.0, 0.0};
        for (int s = 0; s < 300; ++s) {
            int place[2];
            assert_int_equal(bed_prepare(b), SCREE_OK);
            bed_places(b, place);
            for (int i = 0; i < 2; ++i) assert_int_equal(bed_push(b, place[i], press + 3 * i, none), SCREE_OK);
            advance(b, 1);
        }
        double amplitude = sqrt(bed_energies(b).kinetic) * g->def.step;
        if (!(beyond ? amplitude > 1e-5 : amplitude < 1e-7)) fail_msg("beyond %d: amplitude %g", beyond, amplitude);
        bed_destroy(b);
    }
    free(g);
}

/// The load of every sphere is the sum over its contacts, which come in their order.
static void assert_loads_add_up(bed *b, int count)
{
    int n;
    assert_int_equal(bed_contacts(b, 0, NULL, &n), SCREE_OK);
    const size_t numbers = 3 * (size_t)count;
    bed_contact *c = calloc((size_t)n, sizeof *c);
    double *F = calloc(4 * numbers, sizeof *F), *T = F + numbers, *sum = T + numbers, *turn = sum + numbers;
    assert_int_equal(bed_contacts(b, n, c, &n), SCREE_OK);
    assert_int_equal(bed_loads(b, b->h, F, T), SCREE_OK);
    for (int k = 0; k < n; ++k) {
        if (k > 0)
            assert_true(c[k - 1].i < c[k].i || (c[k - 1].i == c[k].i && (c[k - 1].j < 0 || c[k - 1].j < c[k].j)));
        assert_true(c[k].i > c[k].j && c[k].touches == (c[k].delta > 0.0));
        for (int a = 0; a < 3; ++a) {
            sum[3 * c[k].i + a] += c[k].force[a], turn[3 * c[k].i + a] += c[k].torque_i[a];
            if (c[k].j < 0) continue;
            sum[3 * c[k].j + a] -= c[k].force[a], turn[3 * c[k].j + a] += c[k].torque_j[a];
        }
    }
    assert_true(n > count / 2);
    assert_true(largest_difference(sum, F, 3 * count) < 1e-10 && largest_difference(turn, T, 3 * count) < 1e-10);
    free(c), free(F);
}

/// In one chunk, and in four, whose contacts change places while they come and go.
static void loads_of_contacts_add_up(void **state)
{
    (void)state;
    for (int chunks = 1; chunks <= 4; chunks += 3) {
        grains *g = chunks == 1 ? grains_make(60, BED_TRACKED, DEM_HOOKE, 0.05, -0.005)
                                : crowd(FOUR_CHUNKS, BED_TRACKED, DEM_HOOKE, 0.05);
        bed *b = make(g, NULL);
        for (int k = 0; k < 20; ++k) {
            advance(b, 10);
            if (k >= 10) assert_loads_add_up(b, g->def.count);
        }
        bed_destroy(b), free(g);
    }
}

static void given_loads_and_gravity_act(void **state)
{
    (void)state;
    grains *g = one_grain(BED_SDS);
    bed *b = make(g, NULL);
    const double up[3] = {0, 0, 0}, force[3] = {2, 0, 3}, torque[3] = {0, 1, 0};
    bed_motion now = grains_motion(g), lift = {.v = g->v};
    scree_error error;
    g->v[2] = 1.0;
    g->x[2] = 2.0;
    lift.x = g->x;
    bed_set_gravity(b, up);
    assert_int_equal(bed_write(b, &lift, &error), SCREE_OK);
    for (int s = 0; s < 1000; ++s) {
        assert_int_equal(bed_push(b, 0, force, torque), SCREE_OK);
        advance(b, 1);
    } /* 0.2 s; symplectic Euler: x = h^2 a k (k + 1)/2 */
    bed_read(b, &now);
    double m = 1.0 / g->inverse_mass[0], I = 1.0 / g->inverse_inertia[0];
    assert_true(fabs(g->v[0] - 0.2 * 2.0 / m) < 1e-12 && fabs(g->omega[1] - 0.2 / I) < 1e-12);
    assert_true(fabs(g->x[2] - (2.0 + 0.2 + 4e-8 * 3.0 / m * 500500.0)) < 1e-12);
    assert_true(fabs(g->q[0] * g->q[0] + g->q[2] * g->q[2] - 1.0) < 1e-14 && g->q[2] > 0.0);
    bed_destroy(b), free(g);
}

/* ---- failures --------------------------------------------------------------------------------------------------------------------------------- */

/// And leaves the bed as after the last step it took: tried again, it goes on to the same bits.
static void every_refused_allocation_is_reported(void **state)
{
    (void)state;
    grains *g = many(BED_SDS, DEM_HOOKE, 0.05);
    bed *whole = make(g, NULL);
    int done = 0;
    advance(whole, 60);
    for (int n = 0; !done; ++n) {
        failing f = {.left = n};
        scree_allocator a = failing_allocator(&f);
        bed *b = NULL;
        scree_error error;
        bed_motion start = grains_motion(g);
        int contacts;
        scree_status status = bed_create(&g->def, &start, &a, NULL, &b, &error);
        assert_true((status == SCREE_OK) == (b != NULL));
        if (b) status = bed_advance(b, 60, &error);
        if (b && status == SCREE_OK) status = bed_contacts(b, 0, NULL, &contacts);
        assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
        done = status == SCREE_OK;
        f.left = -1;
        if (b) advance(b, 60 - (int)bed_count_steps(b)), assert_same_state(whole, b);
        bed_destroy(b);
        assert_int_equal(f.live, 0);
    }
    bed_destroy(whole), free(g);
}

/// Grains at rest in a box, shaken a little: lists are made again, memory is not asked for.
static void warm_bed(grains *g)
{
    failing f = {.left = -1};
    scree_allocator a = failing_allocator(&f);
    bed *b = NULL;
    scree_error error;
    g->def.periodic[0] = g->def.periodic[1] = 1, g->def.high[0] = g->def.high[1], g->def.planes = 1;
    bed_motion start = grains_motion(g);
    assert_int_equal(bed_create(&g->def, &start, &a, NULL, &b, &error), SCREE_OK);
    advance(b, 1500);
    int made = f.made;
    int64_t rebuilds = bed_count(b).rebuilds;
    advance(b, 500);
    assert_true(bed_count(b).rebuilds > rebuilds);
    assert_int_equal(f.made, made);
    bed_destroy(b), free(g);
}

static void a_warm_bed_asks_for_no_memory(void **state)
{
    (void)state;
    warm_bed(many(BED_TRACKED, DEM_HOOKE, 0.0));
    grains *g = crowd_of_sizes(MANY, BED_SDS, DEM_HOOKE);
    g->radius[3] = 1.0, g->radius[MANY - 2] = 1.5; /* the box has no room for larger ones */
    warm_bed(g);
}

/* ---- order ------------------------------------------------------------------------------------------------------------------- */

enum { CUBE = 20, CUBE_CONTACTS = 3 * CUBE * CUBE * (CUBE - 1) };

/// A cube at rest, of which about half the neighbours touch.
static grains *resting_cube(void)
{
    grains *g = grains_make(CUBE * CUBE * CUBE, BED_SDS, DEM_HOOKE, 0.0, 0.0);
    memset(g->v, 0, sizeof g->v), memset(g->omega, 0, sizeof g->omega);
    g->def.periodic[1] = 0, g->def.planes = 0, g->def.gravity[2] = 0.0, g->def.step = 1e-9, g->def.skin = 0.05;
    return g;
}

/// Eight chunks can have a cube each; then the contacts over three planes through the middle leave them, 5.3 %.
static void a_chunk_is_a_box(void **state)
{
    (void)state;
    grains *g = resting_cube();
    for (int i = 0; i < g->def.count; ++i) g->radius[i] = 0.51; /* all neighbours overlap, so all are in blocks */
    bed *b = make(g, NULL);
    int within = 0, across = 0;
    assert_int_equal(b->chunks, 8);
    for (int c = 0; c < b->chunks; ++c)
        within += b->chunk[c].group[BED_WITHIN].count, across += b->chunk[c].group[BED_ACROSS].count;
    assert_int_equal(within + across, CUBE_CONTACTS);
    /* a cell goes to one side as a whole, so cuts are not quite even: 7 % leave room for that. In the order of Morton codes: 10.7 % */
    if (!(across < 0.07 * CUBE_CONTACTS)) fail_msg("%d of %d contacts leave their chunks", across, CUBE_CONTACTS);
    bed_destroy(b), free(g);
}

/// There are at most two cells per sphere: with one sphere very far away all others are in three cells, most in the last, more than a chunk
/// has.
static void a_cell_may_have_more_spheres_than_a_chunk(void **state)
{
    (void)state;
    grains *g = crowd(FOUR_CHUNKS, BED_SDS, DEM_HOOKE, 0.0), *h = crowd(FOUR_CHUNKS + 1, BED_SDS, DEM_HOOKE, 0.0);
    const int far = FOUR_CHUNKS;
    g->def.periodic[1] = h->def.periodic[1] = 0, g->def.planes = h->def.planes = 0;
    for (int i = 0; i < 100; ++i) g->x[3 * i] -= i < 50 ? 300.0 : 600.0;
    memcpy(h->x, g->x, sizeof g->x), memcpy(h->v, g->v, sizeof g->v), memcpy(h->omega, g->omega, sizeof g->omega);
    for (int k = 0; k < 3; ++k) h->x[3 * far + k] = 5000.0;
    bed *few = make(g, NULL), *more = make(h, NULL);
    bed_motion a = grains_motion(g), b = grains_motion(h);
    assert_true(few->chunks == 4 && more->chunks > 4);
    advance(few, 20), advance(more, 20);
    bed_read(few, &a), bed_read(more, &b);
    assert_int_equal(bed_count(few).touching, bed_count(more).touching);
    assert_true(bed_count(few).touching > FOUR_CHUNKS);
    assert_true(largest_difference(g->x, h->x, 3 * FOUR_CHUNKS) <= 0.0);
    bed_destroy(few), bed_destroy(more), free(g), free(h);
}

typedef struct two {
    int i, j;
} two;

static int by_both(const void *left, const void *right)
{
    const two *a = left, *b = right;
    return a->i != b->i ? (a->i > b->i) - (a->i < b->i) : (a->j > b->j) - (a->j < b->j);
}

/// All pairs of a bed's lists, by their numbers.
static int listed_pairs(const bed *b, two *out)
{
    int n = 0;
    for (int c = 0; c < b->chunks; ++c) {
        const bed_chunk *own = &b->chunk[c];
        for (int g = BED_WITHIN; g < BED_GROUPS; ++g)
            for (int k = 0; k < own->group[g].count; ++k) {
                const bed_block *block = &b->block[own->group[g].first + k / BED_LANES];
                assert_int_equal(block->i[k % BED_LANES] / b->each, c);
                out[n++] = (two){b->id[block->i[k % BED_LANES]], b->id[block->j[k % BED_LANES]]};
            }
        for (int k = 0; k < own->near.count; ++k) {
            const bed_near *p = &b->near[own->near.first + k];
            assert_int_equal(p->i / b->each, c);
            out[n++] = (two){b->id[p->i], b->id[p->j]};
        }
    }
    qsort(out, (size_t)n, sizeof *out, by_both);
    return n;
}

/// What is in the lists, and what two plain loops find.
static void assert_all_pairs(const bed *b, const grains *g)
{
    enum { ROOM = 400000 };
    two *listed = malloc(ROOM * sizeof *listed), *found = malloc(ROOM * sizeof *found);
    assert_true(bed_count(b).listed < ROOM);
    int n = listed_pairs(b, listed), m = 0;
    for (int i = 0; i < g->def.count; ++i)
        for (int j = 0; j < i; ++j) {
            double r2 = 0.0, far = g->radius[i] + g->radius[j] + b->skin;
            for (int k = 0; k < 3; ++k) {
                double d = g->x[3 * i + k] - g->x[3 * j + k], L = g->def.high[k] - g->def.low[k];
                if (g->def.periodic[k]) d -= L * round(d / L);
                r2 += d * d;
            }
            if (r2 >= far * far || !(g->inverse_mass[i] + g->inverse_mass[j] > 0.0)) continue;
            assert_true(m < ROOM);
            found[m++] = (two){i, j};
        }
    if (n != m) fail_msg("%d pairs are listed, there are %d", n, m);
    assert_memory_equal(listed, found, (size_t)n * sizeof *found);
    free(listed), free(found);
}

/// Sizes of many kinds, anywhere: every pair that is near is in the lists, once, and nothing else is.
static void lists_have_every_pair_once(void **state)
{
    (void)state;
    for (int kind = 0; kind < 6; ++kind)
        for (int periodic = 0; periodic < 4; ++periodic) {
            grains *g = crowd(2 * MANY, BED_SDS, DEM_HOOKE, 0.0);
            rng random = rng_make(5, (uint64_t)kind);
            const double box = 120.0;
            g->def.planes = 0;
            for (int i = 0; i < 2 * MANY; ++i) {
                double u = rng_uniform(&random), R = 1.0;
                if (kind == 0) R = i % 650 == 40 ? 15.0 : 0.3; /* a few are 50 times larger                      */
                if (kind == 1) R = 0.3 + 2.7 * u;              /* 1 to 10, as many of each size                  */
                if (kind == 2)
                    R = 0.3 / cbrt(1.0 - u * (1.0 - 1e-3));   /* 1 to 10, as much volume of each                */
                if (kind == 3) R = i < 2500 ? 3.0 : 0.03;     /* a few are smaller: they have no level          */
                if (kind == 4) R = pow(2.0, -(i % 20)) * 8.0; /* more levels than there are                     */
                if (kind == 5) R = i % 2 ? 2.0 : 0.2;         /* two sizes; those far away do not widen cells   */
                g->radius[i] = R;
                for (int k = 0; k < 3; ++k) g->x[3 * i + k] = box * rng_uniform(&random);
                if (kind == 5 && i % 100 == 1) g->x[3 * i + 2] += 1e4;
                if (i % 5 == 0) g->inverse_mass[i] = g->inverse_inertia[i] = 0.0;
            }
            for (int k = 0; k < 3; ++k)
                g->def.periodic[k] = k < 2 ? periodic >> k & 1 : periodic == 3 && kind < 5, g->def.high[k] = box;
            g->def.skin = 0.6;
            bed *b = make(g, NULL);
            assert_int_equal(b->levels > 1, kind != 3);
            assert_all_pairs(b, g);
            bed_destroy(b), free(g);
        }
}

/// One size is the common one where more than half have it, whatever their order; then its contacts need no constants of their own.
static void common_spheres_share_their_constants(void **state)
{
    (void)state;
    grains *g = crowd_of_sizes(MANY, BED_SDS, DEM_HOOKE);
    bed *b = make(g, NULL);
    int shared = 0, own = 0;
    assert_true(b->common[0] >= 0.5 && b->common[0] <= 0.5 && !b->equal);
    for (int c = 0; c < b->chunks; ++c)
        for (int k = 0; k < b->chunk[c].group[BED_WITHIN].count; ++k) {
            const bed_block *block = &b->block[b->chunk[c].group[BED_WITHIN].first + k / BED_LANES];
            int l = k % BED_LANES, i = b->id[block->i[l]], j = b->id[block->j[l]];
            int common = !(fabs(g->radius[i] - 0.5) > 0.0) && !(fabs(g->radius[j] - 0.5) > 0.0);
            assert_int_equal(block->pair[l], common ? 0 : BED_ODD);
            shared += common, own += !common;
        }
    assert_true(shared > own && own > 20);
    bed_destroy(b), free(g);
}

/// Contacts that touch after one that does not, in all lists.
static int out_of_place(const bed *b)
{
    int sum = 0;
    for (int c = 0; c < b->chunks; ++c)
        for (int g = 0; g < BED_GROUPS; ++g) {
            const bed_span *span = &b->chunk[c].group[g];
            for (int n = 0, apart = 0; n < span->count; ++n) {
                int live = b->block[span->first + n / BED_LANES].live >> n % BED_LANES & 1;
                sum += apart && live, apart |= !live;
            }
        }
    return sum;
}

static void touching_contacts_come_first(void **state)
{
    (void)state;
    grains *g = resting_cube();
    bed *b = make(g, NULL);
    advance(b, 1);
    int touching = bed_count(b).touching;
    assert_true(touching > CUBE_CONTACTS / 4 && touching < 3 * CUBE_CONTACTS / 4);
    assert_true(out_of_place(b) > CUBE_CONTACTS / 8);
    advance(b, 1);
    assert_int_equal(bed_count(b).touching, touching);
    assert_int_equal(out_of_place(b), 0);
    bed_destroy(b), free(g);
}

static void an_empty_bed_steps(void **state)
{
    (void)state;
    grains *g = one_grain(BED_TRACKED);
    g->def.count = 0;
    bed *b = make(g, NULL);
    advance(b, 10);
    assert_int_equal(bed_count(b).steps, 10);
    bed_destroy(b), free(g);
}

static void refuses_what_has_no_meaning(void **state)
{
    (void)state;
    static const char *const words[12] = {"a radius must be > 0",
                                          "mass and inertia must be > 0",
                                          "a sphere has a material that does not exist",
                                          "a plane's normal must be a unit vector",
                                          "periodic",
                                          "the normal law must be Hooke for all pairs",
                                          "the tangential stiffness K_E must be > 0",
                                          "a position is not a number",
                                          "the normal stiffness must be > 0 and its damping >= 0",
                                          "a bed has 0 or more spheres and planes and 1 to 90 materials",
                                          "the step must be > 0",
                                          "a plane has a material that does not exist"};
    for (int fault = 0; fault < 12; ++fault) {
        grains *g = grains_make(30, BED_TRACKED, DEM_HOOKE, 0.05, -0.005);
        bed *b = NULL;
        scree_error error = {.text = ""};
        bed_motion start = grains_motion(g);
        if (fault == 0) g->radius[3] = -1.0;
        if (fault == 1) g->inverse_mass[4] = 0.0; /* with an inertia */
        if (fault == 2) g->material[2] = 2;
        if (fault == 3) g->plane[0].normal[2] = 2.0;
        if (fault == 4) g->def.high[1] = 1.0;
        if (fault == 5) g->pair[2].normal.kind = DEM_HERTZ;
        if (fault == 6) g->pair[3].friction.stiffness = 0.0;
        if (fault == 7) g->x[5] = SCREE_INFINITY;
        if (fault == 8) g->pair[0].normal.stiffness = 0.0;
        if (fault == 9) g->def.materials = 0;
        if (fault == 10) g->def.step = 0.0;
        if (fault == 11) g->plane[0].material = 2;
        assert_int_equal(bed_create(&g->def, &start, NULL, NULL, &b, &error), SCREE_ERR_INPUT);
        assert_null(b);
        if (!strstr(error.text, words[fault])) fail_msg("'%s' has not '%s'", error.text, words[fault]);
        free(g);
    }
    grains *g = one_grain(BED_SDS);
    g->v[2] = 1e16;
    bed *b = make(g, NULL);
    scree_error error = {.text = ""};
    assert_int_equal(bed_advance(b, 1, &error), SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "sphere 0"));
    bed_motion back = grains_motion(g);
    g->x[1] = (double)NAN;
    assert_int_equal(bed_write(b, &back, &error), SCREE_ERR_INPUT);
    assert_string_equal(error.text, "the position of sphere 0 is not a number");
    bed_destroy(b), free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_laws_one_by_one),
        cmocka_unit_test(agrees_with_the_laws_in_mixed_sizes),
        cmocka_unit_test(slides_without_friction),
        cmocka_unit_test(spheres_may_pass_each_other_in_a_step),
        cmocka_unit_test(takes_every_override_of_a_friction_definition),
        cmocka_unit_test(follows_fast_spins),
        cmocka_unit_test(memories_follow_a_normal_all_the_way_round),
        cmocka_unit_test(every_instruction_set_gives_the_same_bits),
        cmocka_unit_test(every_instruction_set_gives_the_same_bits_of_sizes),
        cmocka_unit_test(goes_on_with_the_same_bits_after_a_restart),
        cmocka_unit_test(spheres_come_and_leave),
        cmocka_unit_test(lists_change_no_bit),
        cmocka_unit_test(a_periodic_box_has_no_place),
        cmocka_unit_test(momentum_is_kept_to_rounding),
        cmocka_unit_test(energy_closes_with_the_step),
        cmocka_unit_test(a_grain_rests_on_the_floor),
        cmocka_unit_test(the_critical_step_is_where_a_contact_grows),
        cmocka_unit_test(loads_of_contacts_add_up),
        cmocka_unit_test(given_loads_and_gravity_act),
        cmocka_unit_test(every_refused_allocation_is_reported),
        cmocka_unit_test(a_warm_bed_asks_for_no_memory),
        cmocka_unit_test(a_chunk_is_a_box),
        cmocka_unit_test(a_cell_may_have_more_spheres_than_a_chunk),
        cmocka_unit_test(lists_have_every_pair_once),
        cmocka_unit_test(common_spheres_share_their_constants),
        cmocka_unit_test(touching_contacts_come_first),
        cmocka_unit_test(an_empty_bed_steps),
        cmocka_unit_test(refuses_what_has_no_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
