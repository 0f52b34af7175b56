/* test_contact_many.c: `exact` on random contacts of every kind (src/laws/exact.c, reduction.h, sphere.h)
 *
 * Contacts are made from bodies: two rigid bodies, one on the ground, two spheres, sphere on plane; mass ratios to 1e8,
 * mu to 3, rho and sigma to the size of the bodies, some coefficients 0 and some 1e12. q is either random or such that a
 * solution in a chosen mode is known. The judge recomputes y = W p + q and the natural map from the data (twins.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <stdio.h>

#include "laws/reduction.h"
#include "random_contacts.h"
#include "try.h"
#include "twins.h"

typedef struct sample {
    scree_contact c;
    contact_kind kind;
    double size;     /* of the bodies [m]                              */
    int wild;        /* has a coefficient of 1e12                       */
    scree_mode mode; /* of the manufactured solution p, or -1: random q */
    double p[6];
} sample;

static void draw(rng *g, long trial, int wild, sample *s)
{
    double W6[36];
    memset(s, 0, sizeof *s);
    s->kind = (contact_kind)(trial % CONTACT_KINDS);
    random_delassus(g, s->kind, rng_below(g, 2) ? 1.0001 : rng_log(g, 2.0, 1e8), W6, &s->size);
    s->c.cone = cone_shape((int)(trial / CONTACT_KINDS % CONE_SHAPES));
    s->c.law = rng_below(g, 4) == 0 ? SCREE_LAW_CONVEX : SCREE_LAW_COULOMB;
    for (int k = 0; k < 3; ++k) {
        int choice = rng_below(g, 20);
        double unit = k ? s->size : 1.0, coef = (k ? rng_uniform(g, 0.0, 1.0) : rng_log(g, 1e-3, 3.0)) * unit;
        if (choice == 0) coef = 0.0;
        /* with the convex law the coefficient enters squared: 1e12 leaves no digits, and is not promised */
        if (choice == 1 && wild && s->c.law == SCREE_LAW_COULOMB) coef = 1e12, s->wild |= s->c.cone.size[k] != 0;
        if (choice > 12) coef = rng_log(g, 1e-4, 0.1) * unit;
        s->c.cone.coef[k] = s->c.cone.size[k] ? coef : 0.0;
    }
    restrict_to_cone(&s->c.cone, W6, s->c.W);
    int dim = scree_cone_dim(&s->c.cone);
    double speed = rng_log(g, 1e-6, 1e3);
    s->mode = rng_below(g, SCREE_MODE_COUNT + 5);
    if (s->mode < SCREE_MODE_COUNT && mode_exists(&s->c.cone, s->mode)) {
        manufacture(g, &s->c, s->mode, speed, s->p);
        return;
    }
    s->mode = -1;
    for (int i = 0; i < dim; ++i) s->c.q[i] = speed * rng_normal(g) * sqrt(s->c.W[i * dim + i] / s->c.W[0]);
    if (rng_below(g, 4)) s->c.q[0] = -fabs(s->c.q[0]) * rng_log(g, 1e-3, 10.0);
}

static void print_sample(const sample *s)
{
    int dim = scree_cone_dim(&s->c.cone);
    print_error("kind %d mode %d law %d size %d %d %d coef %a %a %a\n", s->kind, s->mode, s->c.law, s->c.cone.size[0],
                s->c.cone.size[1], s->c.cone.size[2], s->c.cone.coef[0], s->c.cone.coef[1], s->c.cone.coef[2]);
    for (int i = 0; i < dim; ++i) {
        for (int j = 0; j < dim; ++j) print_error(" %a,", s->c.W[i * dim + j]);
        print_error("   q %a\n", s->c.q[i]);
    }
}

/* A mechanism whose coefficient is 0 has neither load nor margin: whether it moves is then a matter of rounding. */
static int positive(const scree_cone *c)
{
    for (int k = 0; k < 3; ++k)
        if (c->size[k] && !(c->coef[k] > 0.0)) return 0;
    return 1;
}

/* How far p is from the known solution: forces relative to the force, moments relative to force x size. */
static double distance_to_known(const sample *s, const double *p)
{
    double force = 0.0, off = 0.0;
    int dim = scree_cone_dim(&s->c.cone), slide = s->c.cone.size[0];
    for (int i = 0; i <= slide; ++i) force = fmax(force, fabs(s->p[i]));
    for (int i = 0; i < dim; ++i) off = fmax(off, fabs(p[i] - s->p[i]) / (i > slide ? s->size : 1.0));
    return force > 0.0 ? off / force : off > 0.0;
}

static void every_contact_is_solved_to_rounding(void **state)
{
    (void)state;
    const scree_contact_options options = scree_contact_options_default();
    rng g = {31};
    double worst_tame = 0.0, worst_sphere = 0.0, worst_wild = 0.0, worst_known = 0.0;
    long proved = 0, known = 0, several = 0, other_mode = 0, modes[SCREE_MODE_COUNT] = {0}, over = 0;
    for (long trial = 0, n = costly_samples(60000, 1000000); trial < n; ++trial) {
        sample s;
        scree_contact_result r;
        double noise;
        draw(&g, trial, 1, &s);
        assert_int_equal(scree_contact_check(&s.c, NULL, NULL, NULL), SCREE_OK);
        assert_int_equal(try_contact_solve(&s.c, &options, NULL, &r), SCREE_OK);
        double residual = natural_map(&s.c, r.p, &noise);
        int sphere = s.kind == SPHERE_PAIR || s.kind == SPHERE_ON_PLANE;
        /* 1e12 times the rounding of a velocity is what the law asks of the normal: no p does better than the noise, which
         * is half a rounding of one term; y has up to 7 terms in 6 rows, and p its own roundings */
        double allowed = s.wild ? fmax(1e-12, 128.0 * noise) : 1e-12;
        if (!(r.outcome == SCREE_OUTCOME_CONVERGED && residual <= allowed)) {
            print_sample(&s);
            print_error("outcome %d residual %g noise %g iterations %d\n", r.outcome, residual, noise, r.iterations);
            ++over;
            continue;
        }
        if (!s.wild && sphere && s.c.law == SCREE_LAW_COULOMB) worst_sphere = fmax(worst_sphere, residual);
        if (!s.wild) worst_tame = fmax(worst_tame, residual);
        if (s.wild) worst_wild = fmax(worst_wild, residual / allowed);
        assert_true(r.residual == scree_contact_residual(&s.c, r.p));
        assert_true(r.mode >= 0 && r.mode < SCREE_MODE_COUNT);
        modes[r.mode] += 1, proved += r.unique == SCREE_UNIQUE_PROVED, several += r.unique == SCREE_UNIQUE_NO;
        if (scree_contact_unique(&s.c)) assert_int_equal(r.unique, SCREE_UNIQUE_PROVED);
        if (s.mode < 0 || r.unique != SCREE_UNIQUE_PROVED || s.wild) continue;
        double off = distance_to_known(&s, r.p);
        ++known, worst_known = fmax(worst_known, off), other_mode += r.mode != s.mode && positive(&s.c.cone);
        if (!(off <= 1e-6)) print_sample(&s), print_error("off %g residual %g\n", off, residual), ++over;
    }
    print_message("residual: worst %.2g, spheres %.2g; coefficient 1e12: %.2g of its noise\n", worst_tame, worst_sphere,
                  worst_wild);
    print_message("%ld proved unique, %ld have several; of %ld known ones worst error %.2g, %ld in another mode\n",
                  proved, several, known, worst_known, other_mode);
    assert_int_equal(over, 0);
    assert_int_equal(other_mode, 0);
    assert_true(worst_sphere <= 1e-14); /* closed forms; the convex law has none */
    for (int mode = 0; mode < SCREE_MODE_COUNT; ++mode) assert_true(modes[mode] > 0);
}

/* ------------------------------------------------------------------ all solutions */

static void all_solutions_are_solutions_in_order_and_counted(void **state)
{
    (void)state;
    enum { CAPACITY = 32 };
    const scree_contact_options options = scree_contact_options_default();
    rng g = {32};
    long several = 0, most = 0;
    double worst = 0.0;
    for (long trial = 0, n = costly_samples(30000, 1000000); trial < n; ++trial) {
        sample s;
        scree_contact_result all[CAPACITY], r;
        int count, count_one;
        draw(&g, trial, 0, &s);
        if (trial % 2 == 0 && s.mode < 0) s.c.cone.coef[0] *= 3.0; /* where several are not so rare */
        assert_int_equal(try_contact_solve_all(&s.c, &options, CAPACITY, all, &count), SCREE_OK);
        assert_true(count >= 1 && count <= CAPACITY);
        several += count > 1, most = count > most ? count : most;
        for (int i = 0; i < count; ++i) {
            double residual = natural_map(&s.c, all[i].p, NULL);
            worst = fmax(worst, residual);
            if (!(residual <= 1e-12)) print_sample(&s), print_error("solution %d of %d: %g\n", i, count, residual);
            assert_true(residual <= 1e-12);
            assert_true(i == 0 || all[i].p[0] >= all[i - 1].p[0]);
            if (count > 1) assert_int_equal(all[i].unique, SCREE_UNIQUE_NO);
            else assert_int_not_equal(all[i].unique, SCREE_UNIQUE_NO);
        }
        try_contact_solve(&s.c, &options, NULL, &r);
        if (count > 1) assert_true(r.p[0] == all[0].p[0] || r.p[0] == 0.0); /* the smallest normal load */
        if (r.unique == SCREE_UNIQUE_PROVED && s.c.q[0] < 0.0) assert_int_equal(count, 1);
        if (count < 2) continue;
        assert_int_equal(try_contact_solve_all(&s.c, &options, 1, all, &count_one),
                         SCREE_OK); /* all are counted still */
        assert_int_equal(count_one, count);
        assert_int_equal(try_contact_solve_all(&s.c, &options, CAPACITY, all, &count), SCREE_OK);
        for (int i = 0; i < count; ++i) { /* a warm start finds the solution it is */
            try_contact_solve(&s.c, &options, all[i].p, &r);
            assert_memory_equal(r.p, all[i].p, sizeof r.p);
        }
    }
    print_message("%ld contacts with several solutions, at most %ld; worst residual %.2g\n", several, most, worst);
    assert_true(several > (SCREE_SAMPLE_SHARE > 1 ? 4 : 10));
}

/// Between two places psi stays near the straight line: what the search for all roots excludes pieces by (isolate.c, search_bound).
static void psi_bends_no_more_than_the_ends_allow(void **state)
{
    (void)state;
    rng g = {34};
    double closest = 0.0;
    for (long trial = 0, n = costly_samples(20000, 400000); trial < n; ++trial) {
        sample s;
        contact_form f;
        friction_part part[3] = {{{0}, {0}, {0}, {0}, 0}};
        double at[3], psi[3], D[FORM_N], E = 0.0;
        draw(&g, trial, 0, &s);
        form_build(&s.c, &f);
        if (f.singular || f.n == 0 || !(f.W_NN > 0.0)) continue;
        at[0] = rng_log(&g, 1e-4, 10.0), at[1] = at[0] * rng_log(&g, 1.0, 100.0);
        double t = rng_uniform(&g, 0.0, 1.0);
        at[2] = at[0] + t * (at[1] - at[0]);
        for (int k = 0; k < 3; ++k) psi[k] = psi_evaluate(&f, SCREE_LAW_COULOMB, at[k], &part[k], NULL);
        for (int i = 0; i < f.n; ++i) D[i] = part[1].xi[i] - part[0].xi[i];
        for (int i = 0; i < f.n; ++i) E -= D[i] * (dot(f.n, f.P + i * FORM_N, D) + (at[1] - at[0]) * f.b[i]);
        double line = psi[0] + t * (psi[1] - psi[0]), off = fabs(psi[2] - line);
        double allowed = norm(f.n, f.z) * sqrt(t * (1.0 - t) * fmax(E, 0.0));
        /* rounding: of xi, by 1/sqrt of it in E */
        if (!(off <= allowed + 1e-7 * (1.0 + at[1]))) print_sample(&s), print_error("off %g of %g\n", off, allowed);
        assert_true(off <= allowed + 1e-7 * (1.0 + at[1]));
        if (allowed > 1e-3) closest = fmax(closest, off / allowed);
    }
    print_message("at most %.3f of what is allowed\n", closest);
    assert_true(closest > 0.5); /* the bound says something */
}

static void the_first_root_found_is_a_solution_too(void **state)
{
    (void)state;
    scree_contact_options options = scree_contact_options_default();
    options.isolate = 0;
    rng g = {33};
    double worst = 0.0;
    for (long trial = 0, n = costly_samples(30000, 1000000); trial < n; ++trial) {
        sample s;
        scree_contact_result r;
        draw(&g, trial, 0, &s);
        assert_int_equal(try_contact_solve(&s.c, &options, NULL, &r), SCREE_OK);
        worst = fmax(worst, natural_map(&s.c, r.p, NULL));
        assert_int_equal(r.outcome, SCREE_OUTCOME_CONVERGED);
        assert_true(natural_map(&s.c, r.p, NULL) <= 1e-12);
    }
    print_message("worst residual %.2g\n", worst);
}

/* ------------------------------------------------------------------ what must not matter */

/* The contact in other units: kilograms, seconds and metres multiplied; the answer must follow. */
static void rescale(const scree_contact *c, double mass, double speed, double length, scree_contact *out)
{
    int dim = scree_cone_dim(&c->cone), slide = c->cone.size[0];
    *out = *c;
    out->cone.coef[1] *= length, out->cone.coef[2] *= length;
    for (int i = 0; i < dim; ++i) {
        double l_i = i > slide ? length : 1.0;
        out->q[i] = c->q[i] * speed / l_i;
        for (int j = 0; j < dim; ++j)
            out->W[i * dim + j] = c->W[i * dim + j] / mass / (l_i * (j > slide ? length : 1.0));
    }
}

static void units_of_mass_time_and_length_do_not_matter(void **state)
{
    (void)state;
    const scree_contact_options options = scree_contact_options_default();
    rng g = {34};
    double worst = 0.0;
    for (long trial = 0, n = costly_samples(20000, 300000); trial < n; ++trial) {
        sample s, scaled;
        scree_contact_result r, t;
        draw(&g, trial, 0, &s);
        int dim = scree_cone_dim(&s.c.cone), slide = s.c.cone.size[0], exact = (int)(trial % 2);
        double by[3];
        for (int k = 0; k < 3; ++k) by[k] = exact ? ldexp(1.0, rng_below(&g, 61) - 30) : rng_log(&g, 1e-3, 1e3);
        scaled = s;
        rescale(&s.c, by[0], by[1], by[2], &scaled.c);
        try_contact_solve(&s.c, &options, NULL, &r);
        try_contact_solve(&scaled.c, &options, NULL, &t);
        if (!exact && (r.unique != SCREE_UNIQUE_PROVED || t.unique != SCREE_UNIQUE_PROVED)) continue;
        double force = 0.0, off = 0.0;
        for (int i = 0; i <= slide; ++i) force = fmax(force, fabs(r.p[i]));
        for (int i = 0; i < dim; ++i) {
            double back = t.p[i] / (by[0] * by[1] * (i > slide ? by[2] : 1.0));
            if (exact && back != r.p[i])
                print_sample(&s), print_error("%d: %a %a by %g %g %g\n", i, r.p[i], back, by[0], by[1], by[2]);
            if (exact) assert_true(back == r.p[i]); /* powers of two: bit for bit */
            off = fmax(off, fabs(back - r.p[i]) / (i > slide ? s.size : 1.0));
        }
        if (exact) assert_int_equal(r.mode, t.mode);
        if (force > 0.0) worst = fmax(worst, off / force);
    }
    print_message("other factors: %.2g\n", worst);
    /* rounding of W and q, times the conditioning of the contact: mass ratio 1e8 leaves the bound of the first test */
    assert_true(worst <= 1e-6);
}

static void turning_the_tangents_turns_the_answer(void **state)
{
    (void)state;
    const scree_contact_options options = scree_contact_options_default();
    rng g = {35};
    double worst = 0.0;
    for (long trial = 0, n = costly_samples(20000, 300000); trial < n; ++trial) {
        sample s;
        scree_contact_result r, t;
        double R[36] = {0}, WR[36], angle = rng_uniform(&g, 0.0, 6.283185307179586);
        draw(&g, trial, 0, &s);
        int dim = scree_cone_dim(&s.c.cone), slide = s.c.cone.size[0];
        if (slide != 2) continue;
        for (int i = 0; i < dim; ++i) R[i * dim + i] = 1.0;
        for (int at = 1; at + 1 < dim && at < 4; at += 2) { /* spin, and what is alone, stays */
            if (at == 3 && s.c.cone.size[1] != 2) continue;
            R[at * dim + at] = R[(at + 1) * dim + at + 1] = cos(angle);
            R[at * dim + at + 1] = -sin(angle), R[(at + 1) * dim + at] = sin(angle);
        }
        scree_contact turned = s.c;
        for (int i = 0; i < dim; ++i)
            for (int j = 0; j < dim; ++j) {
                WR[i * dim + j] = 0.0;
                for (int k = 0; k < dim; ++k) WR[i * dim + j] += s.c.W[i * dim + k] * R[j * dim + k];
            }
        for (int i = 0; i < dim; ++i) {
            turned.q[i] = 0.0;
            for (int j = 0; j < dim; ++j) {
                turned.q[i] += R[i * dim + j] * s.c.q[j], turned.W[i * dim + j] = 0.0;
                for (int k = 0; k < dim; ++k) turned.W[i * dim + j] += R[i * dim + k] * WR[k * dim + j];
            }
        }
        symmetrise(dim, turned.W);
        try_contact_solve(&s.c, &options, NULL, &r);
        try_contact_solve(&turned, &options, NULL, &t);
        if (r.unique != SCREE_UNIQUE_PROVED || t.unique != SCREE_UNIQUE_PROVED) continue;
        double force = 0.0, off = 0.0;
        for (int i = 0; i <= slide; ++i) force = fmax(force, fabs(r.p[i]));
        for (int i = 0; i < dim; ++i) {
            double want = 0.0;
            for (int j = 0; j < dim; ++j) want += R[i * dim + j] * r.p[j];
            off = fmax(off, fabs(t.p[i] - want) / (i > slide ? s.size : 1.0));
        }
        if (force > 0.0) worst = fmax(worst, off / force);
    }
    print_message("worst %.2g\n", worst);
    assert_true(worst <= 1e-6); /* as above */
}

static void without_rolling_and_spinning_it_is_the_plain_contact(void **state)
{
    (void)state;
    scree_contact_options exact = scree_contact_options_default(), quartic = exact;
    rng g = {36};
    double worst = 0.0;
    long compared = 0;
    for (long trial = 0, n = costly_samples(30000, 300000); trial < n; ++trial) {
        sample s;
        scree_contact_result r, t;
        draw(&g, CONTACT_KINDS * (CONE_SHAPES - 1) + trial % CONTACT_KINDS, 0, &s); /* six components */
        s.c.law = SCREE_LAW_COULOMB, s.c.cone.coef[1] = s.c.cone.coef[2] = 0.0;
        scree_contact plain = {.cone = scree_cone_slide(s.c.cone.coef[0]), .law = SCREE_LAW_COULOMB};
        for (int i = 0; i < 3; ++i) {
            plain.q[i] = s.c.q[i];
            for (int j = 0; j < 3; ++j) plain.W[i * 3 + j] = s.c.W[i * 6 + j];
        }
        quartic.method = trial % 2 ? SCREE_CONTACT_QUARTIC_T : SCREE_CONTACT_QUARTIC_ALPHA;
        try_contact_solve(&s.c, &exact, NULL, &r);
        try_contact_solve(&plain, &quartic, NULL, &t);
        assert_true(natural_map(&plain, t.p, NULL) <= 1e-12);
        for (int i = 3; i < 6; ++i) assert_true(r.p[i] == 0.0);
        if (r.unique != SCREE_UNIQUE_PROVED) continue;
        double force = fmax(fabs(r.p[0]), hypot(r.p[1], r.p[2]));
        if (!(force > 0.0)) assert_true(t.p[0] == 0.0);
        if (force > 0.0) worst = fmax(worst, hypot(r.p[0] - t.p[0], hypot(r.p[1] - t.p[1], r.p[2] - t.p[2])) / force);
        ++compared;
    }
    print_message("%ld compared, worst %.2g\n", compared, worst);
    assert_true(worst <= 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_contact_is_solved_to_rounding),
        cmocka_unit_test(all_solutions_are_solutions_in_order_and_counted),
        cmocka_unit_test(psi_bends_no_more_than_the_ends_allow),
        cmocka_unit_test(the_first_root_found_is_a_solution_too),
        cmocka_unit_test(units_of_mass_time_and_length_do_not_matter),
        cmocka_unit_test(turning_the_tangents_turns_the_answer),
        cmocka_unit_test(without_rolling_and_spinning_it_is_the_plain_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
