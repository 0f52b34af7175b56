/* test_contact.c: one contact where it is degenerate: wrong input, singular W, special directions, extreme scales
 * (src/laws/contact.c, exact.c, quartic.c)
 *
 * Each case is constructed so that the degenerate thing is there exactly, not by chance. */
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

static scree_contact plain_contact(double mu, const double W[9], const double q[3])
{
    scree_contact c = {.cone = scree_cone_slide(mu), .law = SCREE_LAW_COULOMB};
    memcpy(c.W, W, 9 * sizeof *W);
    memcpy(c.q, q, 3 * sizeof *q);
    return c;
}

static scree_contact_result solve_with(scree_contact_method method, const scree_contact *c)
{
    scree_contact_options options = scree_contact_options_default();
    scree_contact_result r;
    options.method = method;
    assert_int_equal(try_contact_solve(c, &options, NULL, &r), SCREE_OK);
    return r;
}

/* ------------------------------------------------------------------ wrong input */

static scree_contact good_contact(void)
{
    scree_contact c = {.cone = scree_cone_slide_roll_spin(0.5, 0.1, 0.1), .law = SCREE_LAW_COULOMB};
    rng g = {41};
    double size;
    random_delassus(&g, RIGID_PAIR, 10.0, c.W, &size);
    c.q[0] = -1.0;
    return c;
}

static void assert_refused(const scree_contact *c, int row, int column, const char *word)
{
    scree_error error = {0};
    int i = 7, j = 7;
    assert_int_equal(scree_contact_check(c, &i, &j, &error), SCREE_ERR_INPUT);
    if (strstr(error.text, word) == NULL) print_error("'%s' does not say '%s'\n", error.text, word);
    assert_non_null(strstr(error.text, word));
    assert_int_equal(i, row);
    assert_int_equal(j, column);
    assert_int_equal(scree_contact_check(c, NULL, NULL, NULL), SCREE_ERR_INPUT);
}

static void a_bad_contact_is_refused_with_the_place_of_the_mistake(void **state)
{
    (void)state;
    const double bad[] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
    int row = 7, column = 7;
    scree_contact c = good_contact();
    assert_int_equal(scree_contact_check(&c, &row, &column, NULL), SCREE_OK);
    assert_true(row == -1 && column == -1);
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 36; ++i) {
            c = good_contact(), c.W[i] = bad[k];
            assert_refused(&c, i / 6, i % 6, "not finite");
        }
        for (int i = 0; i < 6; ++i) {
            c = good_contact(), c.q[i] = bad[k];
            assert_refused(&c, -1, -1, "q has");
        }
        c = good_contact(), c.cone.coef[k] = bad[k];
        assert_refused(&c, -1, -1, "cone");
        c = good_contact(), c.cone.coef[k] = -1e-9;
        assert_refused(&c, -1, -1, "cone");
        c = good_contact(), c.cone.size[k] = 3;
        assert_refused(&c, -1, -1, "cone");
        c = good_contact(), c.cone.size[k] = -1;
        assert_refused(&c, -1, -1, "cone");
    }
    c = good_contact(), c.cone.size[SCREE_FRICTION_SPIN] = 2;
    assert_refused(&c, -1, -1, "cone");
    c = good_contact(), c.law = (scree_law)2;
    assert_refused(&c, -1, -1, "law");
    for (int i = 1; i < 6; ++i)
        for (int j = 0; j < i; ++j) {
            double largest = 0.0;
            c = good_contact();
            for (int k = 0; k < 36; ++k) largest = fmax(largest, fabs(c.W[k]));
            c.W[i * 6 + j] += 1e-10 * largest;
            assert_refused(&c, i, j, "symmetric");
        }
    for (int i = 0; i < 6; ++i) {
        c = good_contact(), c.W[i * 6 + i] *= -1.0;
        assert_refused(&c, i, i, "semidefinite");
        c = good_contact();
        if (i > 0) c.W[i * 6] = c.W[i] = 2.0 * sqrt(c.W[0] * c.W[i * 6 + i]);
        if (i > 0) assert_refused(&c, i, i, "semidefinite");
        c = good_contact(), c.W[i * 6 + i] = 0.0; /* a zero on the diagonal of a row that is not 0 */
        assert_int_equal(scree_contact_check(&c, NULL, NULL, NULL), SCREE_ERR_INPUT);
    }
}

/* W = J J' with fewer columns than rows, entries of any scale by row. */
static void random_singular(rng *g, int dim, int rank, double *W, double *J)
{
    for (int i = 0; i < dim; ++i) {
        double scale = i > 2 ? rng_log(g, 1e-2, 1e2) : 1.0;
        for (int k = 0; k < rank; ++k) J[i * rank + k] = scale * rng_normal(g);
    }
    for (int i = 0; i < dim; ++i)
        for (int j = 0; j < dim; ++j) {
            W[i * dim + j] = 0.0;
            for (int k = 0; k < rank; ++k) W[i * dim + j] += J[i * rank + k] * J[j * rank + k];
        }
}

static void a_semidefinite_matrix_is_accepted_in_spite_of_rounding(void **state)
{
    (void)state;
    rng g = {42};
    for (long trial = 0, n = costly_samples(20000, 20000); trial < n; ++trial) {
        scree_contact c = {.cone = cone_shape(trial % CONE_SHAPES)};
        int dim = scree_cone_dim(&c.cone);
        double J[36];
        for (int k = 0; k < 3; ++k) c.cone.coef[k] = 0.5;
        random_singular(&g, dim, rng_below(&g, dim + 1), c.W, J);
        assert_int_equal(scree_contact_check(&c, NULL, NULL, NULL), SCREE_OK);
        for (int i = 0; i < dim; ++i) c.W[i * dim + i] *= 1.0 - 1e-12;
        assert_int_equal(scree_contact_check(&c, NULL, NULL, NULL), SCREE_OK);
    }
}

/* ------------------------------------------------------------------ singular W */

static void a_singular_contact_with_a_velocity_of_its_bodies_is_solved(void **state)
{
    (void)state;
    rng g = {43};
    double worst = 0.0;
    long failed = 0;
    for (long trial = 0, n = costly_samples(5000, 300000); trial < n; ++trial) {
        scree_contact c = {.cone = cone_shape((int)(trial % CONE_SHAPES)), .law = (scree_law)(rng_below(&g, 4) == 0)};
        int dim = scree_cone_dim(&c.cone), rank = 1 + rng_below(&g, dim - 1);
        double J[36], v[6];
        for (int k = 0; k < 3; ++k) c.cone.coef[k] = rng_log(&g, 1e-2, 1.0);
        random_singular(&g, dim, rank, c.W, J);
        for (int k = 0; k < rank; ++k) v[k] = rng_normal(&g);
        for (int i = 0; i < dim;
             ++i) /* q in the range of J: the bodies could stop, so a solution exists ([AB] section 4) */
            for (int k = 0; k < rank; ++k) c.q[i] += J[i * rank + k] * v[k];
        scree_contact_result r = solve_with(SCREE_CONTACT_EXACT, &c);
        double residual = natural_map(&c, r.p, NULL);
        worst = fmax(worst, residual);
        if (r.outcome == SCREE_OUTCOME_CONVERGED && residual <= 1e-9) continue;
        if (failed++ < 5)
            print_error("trial %ld law %d rank %d of %d: outcome %d residual %g\n", trial, c.law, rank, dim, r.outcome,
                        residual);
    }
    print_message("singular: worst residual %.2g, %ld failed\n", worst, failed);
    assert_int_equal(failed, 0);
}

static void planar_bodies_in_a_spatial_contact_are_solved(void **state)
{
    (void)state;
    rng g = {44};
    double worst = 0.0;
    for (long trial = 0, n = costly_samples(20000, 20000); trial < n; ++trial) {
        /* turns about one axis only: rows of W are 0 or multiples of one another */
        const double turn = rng_log(&g, 0.1, 10.0), inv_inertia[9] = {0, 0, 0, 0, 0, 0, 0, 0, turn};
        double r_arm[3] = {rng_normal(&g), rng_normal(&g), 0.0}, W6[36] = {0};
        scree_contact c = {.cone = cone_shape(trial % CONE_SHAPES)};
        for (int k = 0; k < 3; ++k) c.cone.coef[k] = rng_log(&g, 1e-2, 1.0);
        add_body(1.0, inv_inertia, r_arm, W6);
        symmetrise(6, W6);
        restrict_to_cone(&c.cone, W6, c.W);
        int dim = scree_cone_dim(&c.cone);
        for (int i = 0; i < dim; ++i) c.q[i] = c.W[i * dim + i] > 0.0 ? rng_normal(&g) : 0.0;
        c.q[0] = -fabs(c.q[0]);
        assert_int_equal(scree_contact_check(&c, NULL, NULL, NULL), SCREE_OK);
        scree_contact_result r = solve_with(SCREE_CONTACT_EXACT, &c);
        worst = fmax(worst, natural_map(&c, r.p, NULL));
        assert_int_equal(r.outcome, SCREE_OUTCOME_CONVERGED);
    }
    print_message("planar bodies: worst residual %.2g\n", worst);
    assert_true(worst <= 1e-9);
}

static void infeasible_is_said_where_nothing_can_stop_the_approach(void **state)
{
    (void)state;
    for (int index = 0; index < CONE_SHAPES; ++index)
        for (int law = 0; law < 2; ++law) {
            scree_contact c = {.cone = cone_shape(index), .law = (scree_law)law};
            int dim = scree_cone_dim(&c.cone);
            for (int k = 0; k < 3; ++k) c.cone.coef[k] = 0.5;
            for (int i = 1; i < dim; ++i) c.W[i * dim + i] = 1.0; /* W_NN = 0: so is its row */
            c.q[0] = -1.0;
            assert_int_equal(solve_with(SCREE_CONTACT_EXACT, &c).outcome, SCREE_OUTCOME_INFEASIBLE);
            c.q[0] = 1.0;
            assert_int_equal(solve_with(SCREE_CONTACT_EXACT, &c).outcome, SCREE_OUTCOME_CONVERGED);
            memset(c.W, 0, sizeof c.W); /* W = 0 */
            assert_int_equal(solve_with(SCREE_CONTACT_EXACT, &c).mode, SCREE_MODE_TAKE_OFF);
            c.q[0] = -1.0;
            assert_int_equal(solve_with(SCREE_CONTACT_EXACT, &c).outcome, SCREE_OUTCOME_INFEASIBLE);
        }
    /* A wedge, W_NN > 0: the load (2, 1, 0) moves nothing, q presses against it, and it lies in the cone from mu = 1/2 on. */
    const double wedge[9] = {1, -2, 0, -2, 4, 0, 0, 0, 0}, down[3] = {-1, 0, 0};
    for (int law = 0; law < 2; ++law)
        for (int k = 0; k < 2; ++k) {
            scree_contact jammed = plain_contact(k ? 0.5 : 0.4, wedge, down);
            jammed.law = (scree_law)law;
            assert_int_equal(solve_with(SCREE_CONTACT_EXACT, &jammed).outcome,
                             k ? SCREE_OUTCOME_INFEASIBLE : SCREE_OUTCOME_CONVERGED);
        }
    const double W[9] = {0, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 0.5, 0};
    scree_contact c = plain_contact(0.5, W, q);
    assert_int_equal(solve_with(SCREE_CONTACT_QUARTIC_T, &c).outcome, SCREE_OUTCOME_INFEASIBLE);
    assert_int_equal(solve_with(SCREE_CONTACT_QUARTIC_ALPHA, &c).outcome, SCREE_OUTCOME_INFEASIBLE);
}

/* ------------------------------------------------------------------ special directions and equal roots */

static void random_definite_3(rng *g, double *W)
{
    double J[12] = {0};
    for (int i = 0; i < 12; ++i) J[i] = rng_normal(g);
    for (int i = 0; i < 9; ++i) {
        W[i] = i % 4 == 0 ? 0.1 : 0.0;
        for (int k = 0; k < 4; ++k) W[i] += J[i / 3 * 4 + k] * J[i % 3 * 4 + k];
    }
}

/* The known slide is among all solutions of the method, and all of them are solutions. */
static void assert_finds(scree_contact_method method, const scree_contact *c, const double *p)
{
    scree_contact_options options = scree_contact_options_default();
    scree_contact_result all[8];
    int count, found = 0;
    options.method = method;
    assert_int_equal(try_contact_solve_all(c, &options, 8, all, &count), SCREE_OK);
    for (int i = 0; i < count; ++i) {
        assert_true(natural_map(c, all[i].p, NULL) <= 1e-12);
        found |= wide_distance(3, all[i].p, p) <= 1e-9 * wide_norm(3, p);
    }
    if (!found) print_error("%s finds %d, but not the known one\n", scree_contact_method_name(method), count);
    assert_true(found);
}

/// Painleve's rod at tan q = 2 slides on both sides of the border of his paradox, mu = 4/3, in the plane and in space: the reaction that slides
/// is among all solutions, and where q_N > 0 taking off is another.
static void a_rod_slides_next_to_the_border_of_the_paradox(void **state)
{
    (void)state;
    for (int spatial = 0; spatial < 2; ++spatial)
        for (int digits = 1; digits <= 11; ++digits)
            for (int side = -1; side <= 1; side += 2) {
                const double mu = 4.0 / 3.0 * (1.0 + side * pow(10.0, -digits)), slip = -1.0;
                const int dim = spatial ? 3 : 2;
                scree_contact c = {.cone = spatial ? scree_cone_slide(mu) : scree_cone_planar(mu)};
                scree_contact_options options = scree_contact_options_default();
                scree_contact_result all[8];
                double p[3] = {1.0, mu, 0.0};
                int count, slides = 0, takes_off = 0;
                c.W[0] = 8.0 / 5.0, c.W[1] = c.W[dim] = -6.0 / 5.0, c.W[dim + 1] = 17.0 / 5.0;
                if (spatial) c.W[8] = 1.0;
                for (int i = 0; i < 2; ++i) c.q[i] = (i ? slip : 0.0) - c.W[dim * i] * p[0] - c.W[dim * i + 1] * p[1];
                assert_int_equal(try_contact_solve_all(&c, &options, 8, all, &count), SCREE_OK);
                for (int i = 0; i < count; ++i) {
                    assert_true(natural_map(&c, all[i].p, NULL) <= 1e-12);
                    slides |= fabs(all[i].p[0] - 1.0) <= 1e-15 * pow(10.0, digits) &&
                              fabs(all[i].p[1] - mu) <= 1e-15 * pow(10.0, digits);
                    takes_off |= all[i].p[0] == 0.0;
                }
                if (!slides || takes_off != (c.q[0] >= 0.0))
                    fail_msg("%d components, mu 4/3 (1 %+d 1e-%d): %d solutions, slides %d, takes off %d", dim, side,
                             digits, count, slides, takes_off);
            }
}

static void slides_along_the_axes_of_the_tangent_matrix_are_found(void **state)
{
    (void)state;
    static const double direction[4][2] = {{-1, 0}, {1, 0}, {0, 1}, {0, -1}};
    rng g = {45};
    for (long trial = 0, n = costly_samples(40000, 40000); trial < n; ++trial) {
        double W[9], p[3], y[3], mu = rng_log(&g, 0.01, 2.0), r = rng_log(&g, 0.1, 10.0), v = rng_log(&g, 0.01, 10.0);
        const double *e =
            direction[trial % 4]; /* (-1, 0) is theta = pi: leading coefficient 0. Others: [BD] section 3.3 */
        random_definite_3(&g, W);
        W[4] += 3 * fabs(W[5]), W[8] += 3 * fabs(W[5]); /* stays definite without its entry (1, 2) */
        W[5] = W[7] = 0.0;
        if (trial % 3 == 0) W[8] = W[4] = fmax(W[4], W[8]);  /* isotropic */
        if (trial % 5 == 0) W[1] = W[2] = W[3] = W[6] = 0.0; /* normal apart, as for spheres */
        p[0] = r, y[0] = 0.0;
        for (int i = 0; i < 2; ++i) p[1 + i] = mu * r * e[i], y[1 + i] = -v * e[i];
        double q[3];
        for (int i = 0; i < 3; ++i) q[i] = y[i] - (W[i * 3] * p[0] + W[i * 3 + 1] * p[1] + W[i * 3 + 2] * p[2]);
        scree_contact c = plain_contact(mu, W, q);
        for (int m = SCREE_CONTACT_EXACT; m <= SCREE_CONTACT_QUARTIC_ALPHA; ++m)
            assert_finds((scree_contact_method)m, &c, p);
    }
}

static void without_friction_only_the_normal_acts(void **state)
{
    (void)state;
    rng g = {46};
    for (long trial = 0, n = costly_samples(20000, 20000); trial < n; ++trial) {
        double W[9], q[3] = {rng_normal(&g), rng_normal(&g), rng_normal(&g)};
        random_definite_3(&g, W);
        scree_contact c = plain_contact(0.0, W, q);
        double want = fmax(-q[0] / W[0], 0.0);
        for (int m = SCREE_CONTACT_EXACT; m <= SCREE_CONTACT_QUARTIC_ALPHA; ++m) {
            scree_contact_result r = solve_with((scree_contact_method)m, &c);
            assert_true(r.outcome == SCREE_OUTCOME_CONVERGED && fabs(r.p[0] - want) <= 4 * DBL_EPSILON * want);
            assert_true(r.p[1] == 0.0 && r.p[2] == 0.0);
        }
        scree_contact half_line = {.cone = {{0, 0, 0}, {0, 0, 0}}, .W = {W[0]}, .q = {q[0]}};
        assert_true(fabs(solve_with(SCREE_CONTACT_EXACT, &half_line).p[0] - want) <= 4 * DBL_EPSILON * want);
    }
}

/* Between a q with one solution and a q with more there is one with a double root: found by bisection to the last bit. */
static void where_two_solutions_meet_all_methods_still_solve(void **state)
{
    (void)state;
    rng g = {47};
    int folds = 0;
    double worst = 0.0;
    scree_contact_options options = scree_contact_options_default();
    for (int trial = 0; trial < 200000 && folds < 30; ++trial) {
        double W[9], q[2][3], mu = rng_log(&g, 1.0, 10.0);
        scree_contact_result all[8];
        int count[2];
        random_definite_3(&g, W);
        for (int side = 0; side < 2; ++side) {
            for (int i = 0; i < 3; ++i) q[side][i] = rng_normal(&g);
            q[side][0] = -fabs(q[side][0]);
            scree_contact c = plain_contact(mu, W, q[side]);
            options.method = SCREE_CONTACT_EXACT;
            try_contact_solve_all(&c, &options, 8, all, &count[side]);
        }
        if (count[0] == count[1]) continue;
        double lo = 0.0, hi = 1.0;
        for (int step = 0; step < 60; ++step) {
            double t = 0.5 * (lo + hi), z[3];
            int n;
            for (int i = 0; i < 3; ++i) z[i] = q[0][i] + t * (q[1][i] - q[0][i]);
            scree_contact c = plain_contact(mu, W, z);
            for (int m = SCREE_CONTACT_EXACT; m <= SCREE_CONTACT_QUARTIC_ALPHA; ++m) {
                scree_contact_result r = solve_with((scree_contact_method)m, &c);
                assert_int_equal(r.outcome, SCREE_OUTCOME_CONVERGED);
                worst = fmax(worst, natural_map(&c, r.p, NULL));
            }
            options.method = SCREE_CONTACT_QUARTIC_T;
            try_contact_solve_all(&c, &options, 8, all, &n);
            for (int i = 0; i < n && i < 8; ++i) worst = fmax(worst, natural_map(&c, all[i].p, NULL));
            if (n == count[0]) lo = t;
            else hi = t;
        }
        ++folds;
    }
    print_message("%d folds, worst residual %.2g\n", folds, worst);
    assert_true(folds == 30);
    assert_true(worst <= 1e-12);
}

/* ------------------------------------------------------------------ extreme scales */

static void contacts_found_by_fuzzing_are_solved(void **state)
{
    (void)state;
    const double W[9] = {0.01143, -9.421e-07, 0.001486, -9.421e-07, 0.1061, 0.0001733, 0.001486, 0.0001733, 0.001442};
    const struct {
        double q[3], mu;
    } cases[] = {{{-0.1458, -21484, -0.1515}, 2.6},
                 {{-0.1458, 21.2484, -1e29}, 2.6},
                 {{-1.1e-29, -2.484, -8.1515}, 2.6},
                 {{-1.458, -0.2484, -0.1515}, 1e30}};
    for (int i = 0; i < 4; ++i)
        for (int m = SCREE_CONTACT_EXACT; m <= SCREE_CONTACT_QUARTIC_ALPHA; ++m) {
            scree_contact c = plain_contact(cases[i].mu, W, cases[i].q);
            double noise;
            scree_contact_result r = solve_with((scree_contact_method)m, &c);
            double residual = natural_map(&c, r.p, &noise);
            if (!(r.outcome == SCREE_OUTCOME_CONVERGED && residual <= fmax(1e-12, 128.0 * noise)))
                print_error("case %d, %s: outcome %d, residual %g, noise %g, p %g %g %g\n", i,
                            scree_contact_method_name((scree_contact_method)m), r.outcome, residual, noise, r.p[0],
                            r.p[1], r.p[2]);
            if (m != SCREE_CONTACT_EXACT) continue;
            assert_int_equal(r.outcome, SCREE_OUTCOME_CONVERGED);
            assert_true(residual <= fmax(1e-12, 128.0 * noise)); /* mu = 1e30 times a rounding of u_T */
        }
}

static void velocities_of_any_scale_are_solved(void **state)
{
    (void)state;
    rng g = {48};
    double worst = 0.0;
    long failed = 0, total = costly_samples(10000, 1000000);
    for (long trial = 0; trial < total; ++trial) {
        scree_contact c = {.cone = cone_shape((int)(trial % CONE_SHAPES)), .law = SCREE_LAW_COULOMB};
        double W6[36], size, noise;
        random_delassus(&g, (contact_kind)rng_below(&g, CONTACT_KINDS), 10.0, W6, &size);
        restrict_to_cone(&c.cone, W6, c.W);
        int dim = scree_cone_dim(&c.cone);
        for (int k = 0; k < 3; ++k)
            c.cone.coef[k] = (rng_below(&g, 3) ? rng_log(&g, 0.01, 3.0) : rng_log(&g, 1e-10, 1e30)) * (k ? size : 1.0);
        for (int i = 0; i < dim; ++i) c.q[i] = rng_normal(&g) * rng_log(&g, 1e-29, 1e29);
        c.q[0] = -fabs(c.q[0]);
        scree_contact_result r = solve_with(SCREE_CONTACT_EXACT, &c);
        double residual = natural_map(&c, r.p, &noise), over = residual / fmax(1e-12, 128.0 * noise);
        worst = fmax(worst, over);
        if (r.outcome == SCREE_OUTCOME_CONVERGED && over <= 1.0) continue;
        if (failed++ < 8)
            print_error("trial %ld shape %ld: outcome %d residual %g noise %g coef %g %g %g q %g %g %g %g %g %g\n",
                        trial, trial % 6, r.outcome, residual, noise, c.cone.coef[0], c.cone.coef[1], c.cone.coef[2],
                        c.q[0], c.q[1], c.q[2], c.q[3], c.q[4], c.q[5]);
    }
    print_message("any scale: %ld of %ld failed, worst %.2g of what is allowed\n", failed, total, worst);
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_contact_is_refused_with_the_place_of_the_mistake),
        cmocka_unit_test(a_semidefinite_matrix_is_accepted_in_spite_of_rounding),
        cmocka_unit_test(a_singular_contact_with_a_velocity_of_its_bodies_is_solved),
        cmocka_unit_test(planar_bodies_in_a_spatial_contact_are_solved),
        cmocka_unit_test(infeasible_is_said_where_nothing_can_stop_the_approach),
        cmocka_unit_test(a_rod_slides_next_to_the_border_of_the_paradox),
        cmocka_unit_test(slides_along_the_axes_of_the_tangent_matrix_are_found),
        cmocka_unit_test(without_friction_only_the_normal_acts),
        cmocka_unit_test(where_two_solutions_meet_all_methods_still_solve),
        cmocka_unit_test(contacts_found_by_fuzzing_are_solved),
        cmocka_unit_test(velocities_of_any_scale_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
