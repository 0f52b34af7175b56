/* test_contact_methods.c: the other methods for one contact against `exact`, warm starts, options
 * (src/laws/quartic.c, iterative.c, contact.c)
 *
 * `exact` is judged from the data in test_contact_many.c; here it is the reference, and every answer is judged too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <stdio.h>

#include "random_contacts.h"
#include "try.h"
#include "twins.h"

enum { CAPACITY = 16 };

/* Two rigid bodies of like mass and a moderate coefficient: well conditioned. q random or of a known mode. */
static void moderate_contact(rng *g, int shape, scree_contact *c, double *size)
{
    double W6[36], p[6];
    memset(c, 0, sizeof *c);
    random_delassus(g, (contact_kind)rng_below(g, CONTACT_KINDS), 10.0, W6, size);
    c->cone = cone_shape(shape);
    c->law = (scree_law)rng_below(g, 2);
    for (int k = 0; k < 3; ++k) c->cone.coef[k] = rng_log(g, 0.01, 0.7) * (k ? 0.1 * *size : 1.0);
    restrict_to_cone(&c->cone, W6, c->W);
    scree_mode mode;
    do mode = rng_below(g, SCREE_MODE_COUNT);
    while (!mode_exists(&c->cone, mode));
    manufacture(g, c, mode, 1.0, p);
}

static scree_contact_options with(scree_contact_method method)
{
    scree_contact_options options = scree_contact_options_default();
    options.method = method;
    return options;
}

/* Forces relative to the force, moments relative to force x size. */
static double difference(const scree_contact *c, double size, const double *a, const double *b)
{
    double force = 0.0, off = 0.0;
    for (int i = 0, dim = scree_cone_dim(&c->cone); i < dim; ++i) {
        double unit = i > c->cone.size[0] ? size : 1.0;
        force = fmax(force, fmax(fabs(a[i]), fabs(b[i])) / unit), off = fmax(off, fabs(a[i] - b[i]) / unit);
    }
    return force > 0.0 ? off / force : 0.0;
}

/* ------------------------------------------------------------------ several solutions */

/* Three components, W definite, coefficients where several solutions are common. */
static void contact_with_large_friction(rng *g, scree_contact *c)
{
    double J[12];
    *c = (scree_contact){.cone = scree_cone_slide(rng_log(g, 0.3, 10.0)), .law = SCREE_LAW_COULOMB};
    for (int i = 0; i < 12; ++i) J[i] = rng_normal(g);
    for (int i = 0; i < 9; ++i)
        for (int k = 0; k < 4; ++k) c->W[i] += J[i / 3 * 4 + k] * J[i % 3 * 4 + k];
    for (int i = 0; i < 3; ++i) c->q[i] = rng_normal(g);
    if (rng_below(g, 4)) c->q[0] = -fabs(c->q[0]);
}

/* Solutions far enough apart, and far enough from being a double root, that rounding cannot merge or split them: the
 * derivative of the natural map is regular at each, and they differ by 1e-4. */
static int well_separated(const scree_contact *c, const scree_contact_result *all, int count)
{
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < i; ++j)
            if (wide_distance(3, all[i].p, all[j].p) < 1e-4 * wide_norm(3, all[i].p)) return 0;
        double F[3], A[9], B[9], J[9];
        scree_map_natural(&c->cone, c->law, 1.0, all[i].p, all[i].y, F, A, B);
        for (int k = 0; k < 9; ++k) {
            J[k] = A[k];
            for (int l = 0; l < 3; ++l) J[k] += B[k / 3 * 3 + l] * c->W[l * 3 + k % 3];
        }
        double det = J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) +
                     J[2] * (J[3] * J[7] - J[4] * J[6]);
        if (fabs(det) < 1e-3 || (all[i].p[0] > 0.0 && all[i].p[0] < 1e-6)) return 0;
    }
    return 1;
}

static void exact_and_both_quartics_count_and_find_the_same_solutions(void **state)
{
    (void)state;
    rng g = {51};
    long compared = 0, histogram[CAPACITY] = {0}, wrong = 0, incomplete = 0;
    for (long trial = 0, n = samples(40000, 1000000); trial < n; ++trial) {
        scree_contact c;
        scree_contact_result all[3][CAPACITY];
        int count[3];
        contact_with_large_friction(&g, &c);
        for (int m = 0; m < 3; ++m) {
            scree_contact_options options = with((scree_contact_method)m);
            assert_int_equal(try_contact_solve_all(&c, &options, CAPACITY, all[m], &count[m]), SCREE_OK);
            for (int i = 0; i < count[m]; ++i) assert_true(natural_map(&c, all[m][i].p, NULL) <= 1e-12);
        }
        if (!well_separated(&c, all[0], count[0]) || !well_separated(&c, all[1], count[1])) continue;
        int gave_up = count[0] == 1 && all[0][0].unique == SCREE_UNIQUE_UNKNOWN; /* exact: out of evaluations */
        for (int i = 0; i < count[0]; ++i) gave_up |= all[0][i].iterations > 20000;
        incomplete += gave_up;
        if (gave_up) continue;
        ++compared;
        histogram[count[0]] += 1;
        int same = count[0] == count[1] && count[0] == count[2];
        for (int i = 0; same && i < count[0]; ++i)
            for (int m = 1; m < 3; ++m)
                same = same && wide_distance(3, all[0][i].p, all[m][i].p) <= 1e-8 * wide_norm(3, all[0][i].p);
        if (same) continue;
        if (wrong++ < 5)
            print_error("counts %d %d %d: mu %a W %a %a %a %a %a %a q %a %a %a\n", count[0], count[1], count[2],
                        c.cone.coef[0], c.W[0], c.W[1], c.W[2], c.W[4], c.W[5], c.W[8], c.q[0], c.q[1], c.q[2]);
    }
    print_message("%ld compared, %ld gave up; solutions 1: %ld, 2: %ld, 3: %ld, 5: %ld\n", compared, incomplete,
                  histogram[1], histogram[2], histogram[3], histogram[5]);
    assert_int_equal(wrong, 0);
    assert_true(incomplete <= compared / 1000);
    assert_true(histogram[1] > 1000 && histogram[3] > 100); /* the number is odd, but where roots meet */
}

static void a_guess_picks_the_nearest_solution(void **state)
{
    (void)state;
    rng g = {52};
    long tried = 0;
    for (long trial = 0; trial < 20000; ++trial) {
        scree_contact c;
        scree_contact_result all[CAPACITY], r;
        int count;
        contact_with_large_friction(&g, &c);
        for (int m = 0; m < 3; ++m) {
            scree_contact_options options = with((scree_contact_method)m);
            try_contact_solve_all(&c, &options, CAPACITY, all, &count);
            if (count < 2) continue;
            double guess[6] = {0};
            wide best = HUGE_VALL;
            int which = rng_below(&g, count);
            for (int i = 0; i < 3; ++i)
                guess[i] = all[which].p[i] + 0.1 * rng_normal(&g) * (double)wide_norm(3, all[which].p);
            for (int i = 0; i < count; ++i) best = fminl(best, wide_distance(3, all[i].p, guess));
            assert_int_equal(try_contact_solve(&c, &options, guess, &r), SCREE_OK);
            assert_true(wide_distance(3, r.p, guess) <= best * (1 + 8 * (wide)DBL_EPSILON));
            assert_int_equal(r.unique, SCREE_UNIQUE_NO);
            ++tried;
        }
    }
    assert_true(tried > 300);
}

/* ------------------------------------------------------------------ projection and Newton */

static void projection_methods_arrive_on_well_conditioned_contacts(void **state)
{
    (void)state;
    rng g = {53};
    for (int m = SCREE_CONTACT_FIXED_POINT; m <= SCREE_CONTACT_EXTRAGRADIENT; ++m) {
        double worst = 0.0, worst_off = 0.0;
        long arrived = 0, total = 3000, steps = 0;
        for (long trial = 0; trial < total; ++trial) {
            scree_contact c;
            scree_contact_result r, e;
            double size;
            moderate_contact(&g, (int)(trial % CONE_SHAPES), &c, &size);
            scree_contact_options options = with((scree_contact_method)m), exact = with(SCREE_CONTACT_EXACT);
            options.tolerance = 1e-12;
            assert_int_equal(try_contact_solve(&c, &options, NULL, &r), SCREE_OK);
            try_contact_solve(&c, &exact, NULL, &e);
            assert_true(r.method == (scree_contact_method)m && r.iterations <= options.max_iterations);
            double residual = natural_map(&c, r.p, NULL);
            if (r.outcome != SCREE_OUTCOME_CONVERGED) { /* says so, and is no solution */
                assert_int_equal(r.outcome, SCREE_OUTCOME_MAX_ITERATIONS);
                assert_true(residual > 0.5 * options.tolerance);
                continue;
            }
            /* it stops by the residual of the contact scaled to size 1, in which moments weigh otherwise */
            assert_true(residual <= 1.01 * options.tolerance);
            ++arrived, steps += r.iterations, worst = fmax(worst, residual);
            if (e.unique == SCREE_UNIQUE_PROVED) worst_off = fmax(worst_off, difference(&c, size, r.p, e.p));
        }
        print_message("%s: %ld of %ld arrive, %ld steps each, residual %.2g, off %.2g\n",
                      scree_contact_method_name((scree_contact_method)m), arrived, total, arrived ? steps / arrived : 0,
                      worst, worst_off);
        assert_true(arrived >=
                    total * 99 /
                        100); /* linear convergence: 10^4 steps reach 1e-12 if W's conditioning is below 300 or so */
        assert_true(
            worst_off <=
            1e-5); /* residual 1e-12 x conditioning of W, in which rotations and translations differ by size^2 */
    }
}

static void newton_always_ends_at_a_solution(void **state)
{
    (void)state;
    rng g = {54};
    for (int m = SCREE_CONTACT_NEWTON_NATURAL; m <= SCREE_CONTACT_NEWTON_ALART_CURNIER; ++m) {
        double worst = 0.0, worst_off = 0.0;
        long fallen_back = 0, total = samples(20000, 300000);
        for (long trial = 0; trial < total; ++trial) {
            scree_contact c;
            scree_contact_result r, e;
            double size;
            moderate_contact(&g, (int)(trial % CONE_SHAPES), &c, &size);
            if (trial % 4 == 0) /* and harder ones */
                for (int k = 0; k < 3; ++k) c.cone.coef[k] *= 10.0;
            scree_contact_options options = with((scree_contact_method)m), exact = with(SCREE_CONTACT_EXACT);
            assert_int_equal(try_contact_solve(&c, &options, NULL, &r), SCREE_OK);
            try_contact_solve(&c, &exact, NULL, &e);
            assert_int_equal(r.outcome, SCREE_OUTCOME_CONVERGED);
            assert_true(r.method == (scree_contact_method)m || r.method == SCREE_CONTACT_EXACT);
            double residual = natural_map(&c, r.p, NULL);
            worst = fmax(worst, residual), fallen_back += r.method == SCREE_CONTACT_EXACT;
            if (e.unique == SCREE_UNIQUE_PROVED) worst_off = fmax(worst_off, difference(&c, size, r.p, e.p));
        }
        print_message("%s: fell back %ld of %ld, residual %.2g, off %.2g\n",
                      scree_contact_method_name((scree_contact_method)m), fallen_back, total, worst, worst_off);
        assert_true(worst <= 1e-12);
        assert_true(worst_off <= 1e-6); /* residual 1e-14 x conditioning */
        assert_true(fallen_back < total / 4);
    }
}

/* ------------------------------------------------------------------ options and doors */

static void options_are_never_written_to(void **state)
{
    (void)state;
    rng g = {55};
    for (int trial = 0; trial < 700; ++trial) {
        scree_contact c, before;
        scree_contact_result r, all[CAPACITY];
        double size, guess[6] = {1, 0, 0, 0, 0, 0};
        const double kept_guess[6] = {1, 0, 0, 0, 0, 0};
        int count;
        moderate_contact(&g, 2, &c, &size);
        c.law = SCREE_LAW_COULOMB, before = c;
        scree_contact_options options, kept;
        memset(&options, 0xA5, sizeof options); /* padding included */
        scree_contact_options wanted = with((scree_contact_method)(trial % SCREE_CONTACT_METHOD_COUNT));
        options.cookie = wanted.cookie, options.method = wanted.method, options.tolerance = wanted.tolerance;
        options.max_iterations = wanted.max_iterations, options.isolate = wanted.isolate;
        memcpy(&kept, &options, sizeof kept);
        try_contact_solve(&c, &options, guess, &r);
        try_contact_solve_all(&c, &options, CAPACITY, all, &count);
        assert_memory_equal(&kept, &options, sizeof kept);
        assert_memory_equal(&before, &c, sizeof c);
        assert_memory_equal(guess, kept_guess, sizeof guess);
    }
}

static void what_a_method_does_not_take_it_refuses(void **state)
{
    (void)state;
    rng g = {56};
    for (int shape = 0; shape < CONE_SHAPES; ++shape)
        for (int law = 0; law < 2; ++law)
            for (int m = 0; m <= SCREE_CONTACT_METHOD_COUNT; ++m) {
                scree_contact c;
                scree_contact_result r, all[CAPACITY];
                double size;
                int count = 7;
                moderate_contact(&g, shape, &c, &size);
                c.law = (scree_law)law;
                scree_contact_options options = with((scree_contact_method)m);
                int quartic = m == SCREE_CONTACT_QUARTIC_T || m == SCREE_CONTACT_QUARTIC_ALPHA;
                int takes = m < SCREE_CONTACT_METHOD_COUNT && (!quartic || (shape == 2 && law == SCREE_LAW_COULOMB));
                assert_int_equal(try_contact_solve(&c, &options, NULL, &r), takes ? SCREE_OK : SCREE_ERR_UNSUPPORTED);
                int enumerates = takes && (quartic || m == SCREE_CONTACT_EXACT);
                assert_int_equal(try_contact_solve_all(&c, &options, CAPACITY, all, &count),
                                 enumerates ? SCREE_OK : SCREE_ERR_UNSUPPORTED);
                if (!enumerates) assert_int_equal(count, 0);
            }
    for (int a = 0; a < SCREE_CONTACT_METHOD_COUNT; ++a) {
        assert_non_null(scree_contact_method_name((scree_contact_method)a));
        for (int b = 0; b < a; ++b)
            assert_string_not_equal(scree_contact_method_name((scree_contact_method)a),
                                    scree_contact_method_name((scree_contact_method)b));
    }
    assert_null(scree_contact_method_name(SCREE_CONTACT_METHOD_COUNT));
}

static void options_that_were_not_made_by_the_default_function_are_refused(void **state)
{
    (void)state;
    rng g = {57};
    scree_contact c;
    scree_error error = {0};
    double size;
    moderate_contact(&g, 2, &c, &size);
    scree_contact_options zero = {0};
    scree_contact_result r = scree_contact_solve(&c, &zero, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "scree_contact_options_default()"));
    assert_true(isnan(r.residual) && r.outcome != SCREE_OUTCOME_CONVERGED);
    error = (scree_error){0};
    assert_int_equal(scree_contact_solve_all(&c, &zero, 1, &r, &error), 0);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
}

/* [BD] section 5: the paper's own example, and its printed answer. */
static void the_example_of_the_paper_has_the_answer_of_the_paper(void **state)
{
    (void)state;
    scree_contact c = {
        .cone = scree_cone_slide(0.6),
        .law = SCREE_LAW_COULOMB,
        .W = {0.01344, -9.421e-07, 0.001486, -9.421e-07, 0.1061, 0.0001733, 0.001486, 0.0001733, 0.001442},
        .q = {-0.1458, -0.2484, -0.1515}};
    const double printed[3] = {10.2059, 1.93189, 5.8108};
    for (int m = 0; m < 3; ++m) {
        scree_contact_options options = with((scree_contact_method)m);
        scree_contact_result r;
        try_contact_solve(&c, &options, NULL, &r);
        for (int i = 0; i < 3; ++i)
            assert_true(fabs(r.p[i] - printed[i]) <= 1e-5 * printed[i]); /* six digits are printed */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_and_both_quartics_count_and_find_the_same_solutions),
        cmocka_unit_test(a_guess_picks_the_nearest_solution),
        cmocka_unit_test(projection_methods_arrive_on_well_conditioned_contacts),
        cmocka_unit_test(newton_always_ends_at_a_solution),
        cmocka_unit_test(options_are_never_written_to),
        cmocka_unit_test(what_a_method_does_not_take_it_refuses),
        cmocka_unit_test(options_that_were_not_made_by_the_default_function_are_refused),
        cmocka_unit_test(the_example_of_the_paper_has_the_answer_of_the_paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
