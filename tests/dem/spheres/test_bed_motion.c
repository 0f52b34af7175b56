/* test_bed_motion.c: how spheres of the fast DEM engine move: the same in any box and with any skin, what is conserved, closed forms, loads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bed_checks.h"

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
    assert_int_equal(bed_prepare(b), SCREE_OK);
    const double brought = bed_new_overlaps(b, 0, 0);
    advance(b, (int)(0.1 / step + 0.5));
    e = bed_energies(b);
    const bed_totals t = bed_get_totals(b);
    double before = e0.kinetic + e0.potential, after = e.kinetic + e.potential, lost = 0.0;
    lost += t.dropped;
    for (int k = 0; k < 4; ++k) {
        before += e0.elastic[k], after += e.elastic[k];
        lost += t.dashpot[k] + t.slider[k];
        assert_true(t.dashpot[k] > 0.0 && (k == 0 || t.slider[k] > 0.0));
    }
    assert_true(lost > 5.0 && fabs(t.driven) > 0.1); /* of 60 J kinetic */
    bed_destroy(b), free(g);
    return fabs(after + lost + t.model - t.driven - t.made - brought - before) / lost;
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
            assert_int_equal(bed_prepare(b), SCREE_OK);
            for (int i = 0; i < 2; ++i) assert_int_equal(bed_push(b, i, press + 3 * i, none), SCREE_OK);
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
    scree_error error = {0};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_change_no_bit),          cmocka_unit_test(a_periodic_box_has_no_place),
        cmocka_unit_test(momentum_is_kept_to_rounding), cmocka_unit_test(energy_closes_with_the_step),
        cmocka_unit_test(a_grain_rests_on_the_floor),   cmocka_unit_test(the_critical_step_is_where_a_contact_grows),
        cmocka_unit_test(loads_of_contacts_add_up),     cmocka_unit_test(given_loads_and_gravity_act),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
