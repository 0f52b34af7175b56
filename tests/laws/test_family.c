/* test_family.c: solutions of one contact that are not isolated (src/laws/family.c), judged from the data alone: every point that is said to
 * be a solution satisfies the natural map in long double, and beyond an end there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "random_contacts.h"
#include "twins.h"

static double residual_at(const scree_contact *c, const scree_contact_family *f, const double *s)
{
    double p[SCREE_DIM_MAX];
    for (int i = 0; i < scree_cone_dim(&c->cone); ++i) {
        p[i] = f->centre[i];
        for (int k = 0; k < f->dimension; ++k) p[i] += s[k] * f->direction[k][i];
    }
    return natural_map(c, p, NULL);
}

/// Ends, and points between the lines, are solutions; a tenth of the way beyond an end is none. 1e-12: rounding of the ends.
static void assert_describes(const scree_contact *c, const scree_contact_family *f)
{
    for (int k = 0; k < f->dimension; ++k)
        for (int end = 0; end < 2; ++end) {
            double s[SCREE_DIM_MAX] = {0}, at = end ? f->high[k] : f->low[k], length = f->high[k] - f->low[k];
            int open = isinf(at);
            s[k] = open ? copysign(100.0, at) : at;
            assert_true(residual_at(c, f, s) <= 1e-12);
            if (open) continue;
            s[k] = at + (end ? 0.1 : -0.1) * (isinf(length) ? 1.0 : length);
            if (!(residual_at(c, f, s) > 1e-6)) print_error("direction %d goes on beyond %g\n", k, at);
            assert_true(residual_at(c, f, s) > 1e-6);
        }
    for (int k = 1; k < f->dimension; ++k) { /* convex: halfway between the ends of two lines */
        double s[SCREE_DIM_MAX] = {0};
        for (int j = k - 1; j <= k; ++j) s[j] = 0.5 * (isinf(f->high[j]) ? 1.0 : f->high[j]);
        assert_true(residual_at(c, f, s) <= 1e-12);
    }
}

static scree_contact_family family_of(const scree_contact *c)
{
    scree_contact_result r = scree_contact_solve(c, NULL, NULL);
    assert_int_equal(r.outcome, SCREE_OUTCOME_CONVERGED);
    return scree_contact_family_of(c, r.p);
}

/// W = A'A of small integers, of rank `rank`, exactly: friction that W does not see is free within its bound.
static void what_w_does_not_see_is_free(void **state)
{
    (void)state;
    rng g = {71};
    int seen[SCREE_DIM_MAX + 1] = {0};
    for (int trial = 0; trial < 2000; ++trial) {
        scree_contact c = {.cone = scree_cone_slide_roll_spin(0.5, 0.25, 0.125), .law = (scree_law)(trial % 2)};
        int rank = 2 + trial % 5;
        double A[6][6];
        for (int r = 0; r < rank; ++r)
            for (int i = 0; i < 6; ++i)
                A[r][i] = floor(rng_log(&g, 1.0, 4.0)) * (rng_normal(&g) > 0.0 ? 1.0 : -1.0) * (rng_normal(&g) > 0.0);
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j)
                for (int r = 0; r < rank; ++r) c.W[i * 6 + j] += A[r][i] * A[r][j];
        double v[6];
        for (int r = 0; r < rank; ++r) v[r] = rng_normal(&g);
        for (int i = 0; i < 6; ++i)
            for (int r = 0; r < rank; ++r) c.q[i] += A[r][i] * v[r]; /* in the range of W: no wedge */
        c.q[0] -= 0.1 * c.W[0];
        scree_contact_result r = scree_contact_solve(&c, NULL, NULL);
        if (r.outcome != SCREE_OUTCOME_CONVERGED) continue;
        if (natural_map(&c, r.p, NULL) > 1e-13) continue; /* solved through definite ones: not always to rounding */
        scree_contact_family f = scree_contact_family_of(&c, r.p);
        assert_describes(&c, &f);
        assert_false(f.velocity_changes);
        seen[f.dimension] += 1;
    }
    assert_true(seen[0] > 50 && seen[1] > 50 && seen[2] > 20);
}

static void a_definite_contact_is_isolated(void **state)
{
    (void)state;
    rng g = {72};
    for (int trial = 0; trial < 2000; ++trial) {
        scree_contact c = {.cone = scree_cone_slide_roll_spin(0.5, 0.1, 0.1), .law = (scree_law)(trial % 2)};
        double size;
        random_delassus(&g, RIGID_PAIR, 10.0, c.W, &size);
        for (int i = 0; i < 6; ++i) c.q[i] = rng_normal(&g);
        assert_int_equal(family_of(&c).dimension, 0);
    }
}

/// Painleve's rod exactly on the border, mu W_NT = W_NN, with q_N = 0: any normal force up to where friction has stopped it.
static void on_the_border_of_the_paradox_the_velocity_changes(void **state)
{
    (void)state;
    scree_contact c = {.cone = scree_cone_planar(1.25), .W = {1.5, -1.2, -1.2, 3.5}, .q = {0.0, -1.0}};
    scree_contact_family f = family_of(&c);
    assert_int_equal(f.dimension, 1);
    assert_true(f.velocity_changes);
    assert_describes(&c, &f);
    double least = f.centre[0] + f.low[0] * f.direction[0][0], most = f.centre[0] + f.high[0] * f.direction[0][0];
    /* u_T = -1 + (1.25 * 3.5 - 1.2) r_N = 0 at the end */
    assert_true(fabs(fmin(least, most)) <= 1e-15 && fabs(fmax(least, most) - 1.0 / 3.175) <= 1e-15);
}

/// Nothing moves along the normal, nothing approaches: every normal force holds, from the one on that friction needs.
static void without_normal_mobility_the_force_has_no_end(void **state)
{
    (void)state;
    scree_contact c = {.cone = scree_cone_slide(0.5), .W = {0, 0, 0, 0, 2, 0, 0, 0, 1}, .q = {0.0, 0.3, 0.1}};
    scree_contact_family f = family_of(&c);
    assert_int_equal(f.dimension, 1);
    assert_describes(&c, &f);
    double least = f.centre[0] + f.low[0] * f.direction[0][0];
    assert_true(isinf(f.high[0]) && fabs(least - hypot(0.15, 0.1) / 0.5) <= 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_w_does_not_see_is_free),
        cmocka_unit_test(a_definite_contact_is_isolated),
        cmocka_unit_test(on_the_border_of_the_paradox_the_velocity_changes),
        cmocka_unit_test(without_normal_mobility_the_force_has_no_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
