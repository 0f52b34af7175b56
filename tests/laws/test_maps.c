/* test_maps.c: the maps whose zeros are the law, bipotential, dissipation, modes (src/laws/maps.h, src/laws/laws.c)
 *
 * Solutions are manufactured: a pair (p, y) written down from the words of the law, mode by mode (random_contacts.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <stdio.h>

#include "random_contacts.h"
#include "twins.h"

/* Twelve roundings, as for the others; their root until the root in the map is taken of a sum without cancellation. */
#define FISCHER_BURMEISTER_TOLERANCE (12 * DBL_EPSILON)

/* A contact of any kind, shape, law and mode, and a pair that satisfies its law; returns the natural step dim/trace(W).
 * Zero coefficients leave no load and no margin, so modes are told apart only without them. */
static double random_pair(rng *g, long trial, int zeros, scree_contact *c, scree_mode *mode, double *p, double *y)
{
    double W6[36], size, trace = 0.0;
    random_delassus(g, (contact_kind)rng_below(g, CONTACT_KINDS), 1e4, W6, &size);
    c->cone = cone_shape((int)(trial % CONE_SHAPES));
    c->law = rng_below(g, 2) ? SCREE_LAW_CONVEX : SCREE_LAW_COULOMB;
    for (int k = 0; k < 3; ++k)
        if (c->cone.size[k]) c->cone.coef[k] = rng_log(g, 1e-3, 3.0) * (k ? size : 1.0);
    if (zeros && rng_below(g, 4) == 0) c->cone.coef[rng_below(g, 3)] = 0.0;
    restrict_to_cone(&c->cone, W6, c->W);
    do *mode = rng_below(g, SCREE_MODE_COUNT);
    while (!mode_exists(&c->cone, *mode));
    manufacture_pair(g, c, *mode, rng_log(g, 1e-6, 1e3), p, y);
    int dim = scree_cone_dim(&c->cone);
    for (int i = 0; i < dim; ++i) trace += c->W[i * dim + i];
    return dim / trace;
}

static double norm_of(int n, const double *v)
{
    double s = 0.0;
    for (int i = 0; i < n; ++i) s += v[i] * v[i];
    return sqrt(s);
}

static double largest_coefficient(const scree_cone *c)
{
    double m = 0.0;
    for (int k = 0; k < 3; ++k)
        if (c->size[k]) m = fmax(m, c->coef[k]);
    return m;
}

/* Slacks of the split form: |v_k|. */
static int slacks(const scree_cone *c, const double *y, double *lam)
{
    int m = 0;
    for (int k = 0, at = 1; k < 3; at += c->size[k++])
        if (c->size[k]) lam[m++] = twin_norm(c->size[k], y + at);
    return m;
}

static void the_maps_vanish_at_solutions_of_every_mode(void **state)
{
    (void)state;
    rng g = {21};
    double worst[3] = {0, 0, 0};
    unsigned modes = 0;
    for (long trial = 0, n = samples(200000, 3000000); trial < n; ++trial) {
        scree_contact c;
        scree_mode mode;
        double p[6], y[6], F[9], lam[3], step = random_pair(&g, trial, 1, &c, &mode, p, y);
        int dim = scree_cone_dim(&c.cone), m = slacks(&c.cone, y, lam);
        modes |= 1u << mode;
        step *= rng_log(&g, 1e-3, 1e3);
        /* a dozen roundings of the largest term of each map: coefficients multiply loads and speeds */
        double more = 1.0 + largest_coefficient(&c.cone), size = more * (norm_of(dim, p) + step * norm_of(dim, y));
        scree_map_natural(&c.cone, c.law, step, p, y, F, NULL, NULL);
        worst[0] = fmax(worst[0], norm_of(dim, F) / size);
        scree_map_alart_curnier(&c.cone, c.law, step, p, y, F, NULL, NULL);
        worst[1] = fmax(worst[1], norm_of(dim, F) / size);
        assert_int_equal(scree_map_fischer_burmeister(&c.cone, c.law, p, y, lam, F, NULL, NULL, NULL), m);
        worst[2] = fmax(worst[2], norm_of(dim + m, F) / (more * (norm_of(dim, p) + norm_of(dim, y))));
    }
    print_message("natural %.2g, Alart-Curnier %.2g, Fischer-Burmeister %.2g\n", worst[0], worst[1], worst[2]);
    assert_int_equal(modes, (1u << SCREE_MODE_COUNT) - 1);
    assert_true(worst[0] <= 12 * DBL_EPSILON);
    assert_true(worst[1] <= 12 * DBL_EPSILON);
    assert_true(worst[2] <= FISCHER_BURMEISTER_TOLERANCE);
}

/* Any p and y: of size 1, anywhere, or a solution with one of its two sides moved a little. */
static double random_state_near_or_far(rng *g, long trial, scree_contact *c, double *p, double *y)
{
    scree_mode mode;
    double step = random_pair(g, trial, 0, c, &mode, p, y);
    int dim = scree_cone_dim(&c->cone), kind = rng_below(g, 3);
    for (int k = 0; k < 3; ++k) c->cone.coef[k] = rng_log(g, 1e-2, 3.0);
    if (kind == 0) { /* lengths drop out: p and y of size 1 */
        for (int i = 0; i < dim; ++i) p[i] = rng_normal(g), y[i] = rng_normal(g);
        return rng_log(g, 0.1, 10.0);
    }
    for (int i = 0; i < dim * dim; ++i) c->W[i] = i % (dim + 1) == 0;
    manufacture_pair(g, c, mode, 1.0, p, y);
    (kind == 1 ? p : y)[rng_below(g, dim)] += rng_log(g, 1e-6, 1.0) * (rng_below(g, 2) ? 1.0 : -1.0);
    return fmin(fmax(step, 0.1), 10.0);
}

static void where_the_law_does_not_hold_the_maps_do_not_vanish(void **state)
{
    (void)state;
    rng g = {22};
    double worst[3] = {0, 0, 0};
    long violated = 0;
    for (long trial = 0, n = samples(200000, 3000000); trial < n; ++trial) {
        scree_contact c;
        double p[6], y[6], F[9], lam[3], step = random_state_near_or_far(&g, trial, &c, p, y);
        int dim = scree_cone_dim(&c.cone), m = slacks(&c.cone, y, lam);
        wide Y[6], yhat[6];
        for (int i = 0; i < dim; ++i) Y[i] = y[i];
        double yh[6];
        memcpy(yh, y, sizeof yh);
        if (c.law == SCREE_LAW_COULOMB) scree_de_saxce(&c.cone, y, yh);
        for (int i = 0; i < dim; ++i) yhat[i] = step * yh[i];
        double size = fmax(norm_of(dim, p), step * norm_of(dim, yh));
        double violation = (double)law_violation(&c.cone, c.law, step, p, Y);
        if (!(violation > 1e-9)) continue;
        ++violated;
        /* p - F is in K, s yhat - F in K*, and they are orthogonal: so the violation is at most |F| (|p| + s |yhat| + |F|)/size */
        scree_map_natural(&c.cone, c.law, step, p, y, F, NULL, NULL);
        double f = norm_of(dim, F);
        worst[0] = fmax(worst[0], violation * size / f);
        assert_true(violation * size <= 3.0 * f + 8 * DBL_EPSILON * size);
        assert_true((double)outside_dual(&c.cone, yhat) <= f + 8 * DBL_EPSILON * size);
        /* the other two are Lipschitz too, and so are their inverses where the coefficients are at most 3: no bound as neat */
        scree_map_alart_curnier(&c.cone, c.law, step, p, y, F, NULL, NULL);
        worst[1] = fmax(worst[1], violation * size / norm_of(dim, F));
        assert_true(violation * size <= 100.0 * norm_of(dim, F));
        scree_map_fischer_burmeister(&c.cone, c.law, p, y, lam, F, NULL, NULL, NULL);
        worst[2] = fmax(worst[2], violation * size / norm_of(dim + m, F));
        assert_true(violation * size <= 1000.0 * norm_of(dim + m, F));
    }
    print_message("violation over |map|: natural %.2g, Alart-Curnier %.2g, Fischer-Burmeister %.2g\n", worst[0],
                  worst[1], worst[2]);
    assert_true(violated > 50000);
}

/* ------------------------------------------------------------------ derivatives */

typedef enum which_map { NATURAL, ALART_CURNIER, FISCHER_BURMEISTER, MAPS } which_map;

/* F of 6 + 6 + 3 variables (p, y, lam), and its derivatives side by side: rows x 15. */
static int evaluate(which_map map, const scree_contact *c, double step, const double *v, double *F, double *J)
{
    const scree_cone *cone = &c->cone;
    int dim = scree_cone_dim(cone), rows = dim, m = 0;
    double A[54] = {0}, B[54] = {0}, C[27] = {0};
    double *a = J ? A : NULL, *b = J ? B : NULL;
    if (map == NATURAL) scree_map_natural(cone, c->law, step, v, v + 6, F, a, b);
    if (map == ALART_CURNIER) scree_map_alart_curnier(cone, c->law, step, v, v + 6, F, a, b);
    if (map == FISCHER_BURMEISTER)
        m = scree_map_fischer_burmeister(cone, c->law, v, v + 6, v + 12, F, a, b, J ? C : NULL), rows += m;
    for (int i = 0; J && i < rows; ++i)
        for (int j = 0; j < 15; ++j)
            J[i * 15 + j] = j < dim                 ? A[i * dim + j]
                            : j >= 6 && j < 6 + dim ? B[i * dim + j - 6]
                            : j >= 12 && j < 12 + m ? C[i * m + j - 12]
                                                    : 0.0;
    return rows;
}

static void the_derivatives_are_those_of_central_differences_away_from_kinks(void **state)
{
    (void)state;
    rng g = {23};
    const double h = 1e-5;
    long compared = 0, kinks = 0;
    double worst = 0.0;
    for (long trial = 0; trial < 60000; ++trial) {
        which_map map = (which_map)(trial % MAPS);
        scree_contact c = {.cone = cone_shape(rng_below(&g, CONE_SHAPES)), .law = (scree_law)rng_below(&g, 2)};
        int dim = scree_cone_dim(&c.cone);
        double v[15] = {0}, F[9], J[9 * 15], plus[9], minus[9], step = rng_log(&g, 0.3, 3.0);
        for (int k = 0; k < 3; ++k) c.cone.coef[k] = rng_log(&g, 0.1, 2.0);
        for (int i = 0; i < dim; ++i) v[i] = rng_normal(&g), v[6 + i] = rng_normal(&g);
        for (int k = 0; k < 3; ++k) v[12 + k] = rng_normal(&g);
        int rows = evaluate(map, &c, step, v, F, J);
        for (int j = 0; j < 15; ++j) {
            double keep = v[j], bend = 0.0, off = 0.0;
            v[j] = keep + h, evaluate(map, &c, step, v, plus, NULL);
            v[j] = keep - h, evaluate(map, &c, step, v, minus, NULL);
            v[j] = keep;
            for (int i = 0; i < rows; ++i) {
                bend = fmax(bend, fabs(plus[i] - 2.0 * F[i] + minus[i]) / h);
                off = fmax(off, fabs((plus[i] - minus[i]) / (2.0 * h) - J[i * 15 + j]));
            }
            /* slopes on the two sides differ: a kink, or nearly (a second derivative above 100) */
            if (bend > 1e-3) ++kinks;
            if (bend > 1e-3) continue;
            ++compared, worst = fmax(worst, off);
            if (!(off <= 2e-6)) print_error("map %d law %d entry %d off %g bend %g\n", map, c.law, j, off, bend);
            assert_true(off <= 2e-6); /* h^2/6 x third derivative, about 100^2 x a few where the bend is at its limit */
        }
    }
    print_message("derivatives: %ld columns, worst %.2g, kinks %ld\n", compared, worst, kinks);
    assert_true(kinks < compared / 50);
}

/* ------------------------------------------------------------------ bipotential, dissipation */

static void the_bipotential_bounds_the_power_and_touches_it_at_solutions(void **state)
{
    (void)state;
    rng g = {24};
    double worst = 0.0;
    for (long trial = 0, n = samples(200000, 3000000); trial < n; ++trial) {
        scree_contact c;
        scree_mode mode;
        double p[6], y[6];
        random_pair(&g, trial, 1, &c, &mode, p, y);
        int dim = scree_cone_dim(&c.cone);
        if (c.law == SCREE_LAW_CONVEX) continue; /* it is the Coulomb law's */
        /* a load put on its rim may be one rounding outside */
        double b = scree_bipotential(&c.cone, y, p, 4 * DBL_EPSILON), power = (double)wide_dot(dim, y, p),
               size = fabs(b);
        for (int i = 0; i < dim; ++i) size += fabs(y[i] * p[i]);
        assert_true(fabs(b + power) <= 8 * DBL_EPSILON * size);
        if (size > 0.0) worst = fmax(worst, fabs(b + power) / size);

        for (int i = 0; i < dim; ++i) p[i] = rng_normal(&g), y[i] = rng_normal(&g); /* any admissible pair */
        y[0] = fabs(y[0]);
        scree_cone_project(&c.cone, p, p);
        b = scree_bipotential(&c.cone, y, p, 4 * DBL_EPSILON), power = (double)wide_dot(dim, y, p);
        assert_true(isfinite(b) && b + power >= -8 * DBL_EPSILON * (fabs(b) + norm_of(dim, y) * norm_of(dim, p)));

        y[0] = -1e-3; /* and outside */
        assert_true(isinf(scree_bipotential(&c.cone, y, p, 0.0)));
        y[0] = 1.0, p[0] = -1e-3;
        assert_true(isinf(scree_bipotential(&c.cone, y, p, 0.0)));
        p[0] = 1.0, p[1] = 1.001 * c.cone.coef[0] + 1e-9;
        assert_true(isinf(scree_bipotential(&c.cone, y, p, 0.0)));
    }
    print_message("bipotential at solutions: %.2g\n", worst);
}

static void dissipation_by_mechanism_is_the_whole_power(void **state)
{
    (void)state;
    rng g = {25};
    for (long trial = 0; trial < 100000; ++trial) {
        scree_contact c;
        scree_mode mode;
        double p[6], y[6], power[3], sum = 0.0, size = 0.0;
        random_pair(&g, trial, 1, &c, &mode, p, y);
        int dim = scree_cone_dim(&c.cone);
        scree_dissipation(&c.cone, y, p, power);
        for (int k = 0, at = 1; k < 3; at += c.cone.size[k++]) {
            sum += power[k], size += fabs(power[k]);
            if (!c.cone.size[k]) assert_true(power[k] == 0.0);
            /* friction opposes motion: mu_k r_N |v_k|, never negative */
            double want = c.cone.coef[k] * p[0] * twin_norm(c.cone.size[k], y + at);
            if (c.cone.size[k]) assert_true(fabs(power[k] - want) <= 8 * DBL_EPSILON * want);
        }
        double whole = (double)((wide)y[0] * p[0] - wide_dot(dim, y, p));
        assert_true(fabs(sum - whole) <= 8 * DBL_EPSILON * size + 8 * DBL_EPSILON * fabs(y[0] * p[0]));
    }
}

/* ------------------------------------------------------------------ modes */

static void all_modes_are_recovered_whatever_the_step(void **state)
{
    (void)state;
    rng g = {26};
    long seen[SCREE_MODE_COUNT] = {0};
    for (long trial = 0, n = samples(300000, 3000000); trial < n; ++trial) {
        scree_contact c;
        scree_mode mode;
        double p[6], y[6], step = random_pair(&g, trial, 0, &c, &mode, p, y) * rng_log(&g, 1e-3, 1e3);
        assert_int_equal(scree_mode_classify(&c.cone, step, p, y), mode);
        seen[mode] += 1;
    }
    for (int mode = 0; mode < SCREE_MODE_COUNT; ++mode) assert_true(seen[mode] > 1000);
}

static void modes_have_thirteen_names_and_thirteen_numbers(void **state)
{
    (void)state;
    unsigned seen = 1u << SCREE_MODE_TAKE_OFF;
    for (int sliding = 0; sliding < 2; ++sliding)
        for (int rolling = 0; rolling < 2; ++rolling)
            for (int spin = -1; spin <= 1; ++spin) {
                scree_mode mode = scree_mode_make(sliding, rolling, spin);
                const char *name = scree_mode_name(mode);
                assert_true(mode > 0 && mode < SCREE_MODE_COUNT && !(seen >> mode & 1u));
                seen |= 1u << mode;
                assert_int_equal(strstr(name, "slide") != NULL, sliding);
                assert_int_equal(strstr(name, "roll") != NULL, rolling);
                assert_int_equal(strstr(name, "spin_plus") != NULL, spin > 0);
                assert_int_equal(strstr(name, "spin_minus") != NULL, spin < 0);
            }
    assert_int_equal(seen, (1u << SCREE_MODE_COUNT) - 1);
    assert_int_equal(scree_mode_make(0, 0, 0), SCREE_MODE_STICK);
    assert_string_equal(scree_mode_name(SCREE_MODE_TAKE_OFF), "take_off");
    assert_string_equal(scree_mode_name(SCREE_MODE_STICK), "stick");
    for (int a = 0; a < SCREE_MODE_COUNT; ++a)
        for (int b = 0; b < a; ++b) assert_string_not_equal(scree_mode_name(a), scree_mode_name(b));
    assert_string_equal(scree_mode_name(-1), scree_mode_name(SCREE_MODE_COUNT)); /* "unknown", and no crash */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_maps_vanish_at_solutions_of_every_mode),
        cmocka_unit_test(where_the_law_does_not_hold_the_maps_do_not_vanish),
        cmocka_unit_test(the_derivatives_are_those_of_central_differences_away_from_kinks),
        cmocka_unit_test(the_bipotential_bounds_the_power_and_touches_it_at_solutions),
        cmocka_unit_test(dissipation_by_mechanism_is_the_whole_power),
        cmocka_unit_test(all_modes_are_recovered_whatever_the_step),
        cmocka_unit_test(modes_have_thirteen_names_and_thirteen_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
