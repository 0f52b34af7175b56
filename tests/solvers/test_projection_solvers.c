/* test_projection_solvers.c: fixed_point, extragradient, psor, apgd, bb, anderson and nsgs on piles of spheres and boxes.
 *
 * Piles have all six shapes of cone in one problem, motors (bounded rows) and joints (bilateral rows), and come through the bodies
 * and assembled. Every answer is judged by scree_problem_residual, from p alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "random_contacts.h"
#include "try.h"

#include <scree/solver.h>
#include <stdlib.h>

/* ---- piles ------------------------------------------------------------------------------------------------------- */

enum { BODIES_MAX = 32, CONTACTS_MAX = 64, BOUNDS_MAX = 8, ROWS_MAX = 6 * CONTACTS_MAX + BOUNDS_MAX };

typedef struct pile {
    scree_cone cone[CONTACTS_MAX];
    double bound[BOUNDS_MAX], compliance[ROWS_MAX];
    int body_dof[BODIES_MAX];
    double inv_mass[36 * BODIES_MAX], v_free[6 * BODIES_MAX];
    int row[2 * (CONTACTS_MAX + BOUNDS_MAX)], column[2 * (CONTACTS_MAX + BOUNDS_MAX)];
    double value[2 * 36 * (CONTACTS_MAX + BOUNDS_MAX)];
    size_t values; /* filled so far */
    scree_problem_def def;
} pile;

static void add_entry(pile *s, int row, int body, int count, const double *rows)
{
    size_t e = s->def.entry_count++;
    s->row[e] = row, s->column[e] = body;
    memcpy(s->value + s->values, rows, (size_t)count * 6 * sizeof *rows);
    s->values += (size_t)count * 6;
}

/// Velocity at the contact of a body with lever arm r: rows n, t1, t2 (rows of Q), then the spins about t1, t2, n.
static void contact_rows(const scree_cone *cone, double sign, const double *Q, const double *r, double *rows)
{
    static const int axis_of_spin[3] = {1, 2, 0};
    double J[36] = {0};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            const double *a = Q + i * 3;
            J[i * 6 + k] = sign * a[k];
            J[i * 6 + 3 + k] = sign * (r[(k + 1) % 3] * a[(k + 2) % 3] - r[(k + 2) % 3] * a[(k + 1) % 3]); /* r x a */
            J[(3 + i) * 6 + 3 + k] = sign * Q[axis_of_spin[i] * 3 + k];
        }
    int n = 0;
    memcpy(rows + 6 * n++, J, 6 * sizeof *J);
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < cone->size[k]; ++i)
            memcpy(rows + 6 * n++, J + 6 * ((k == 0 ? 1 : k == 1 ? 3 : 5) + i), 6 * sizeof *J);
}

static void add_body_to_pile(pile *s, rng *g, double mass, int sphere)
{
    int b = s->def.body_count++;
    double *M = s->inv_mass + 36 * b, Q[9], I[3];
    random_rotation(g, Q);
    for (int i = 0; i < 3; ++i) I[i] = sphere ? 0.1 * mass : mass * rng_uniform(g, 0.08, 0.14);
    for (int i = 0; i < 3; ++i) {
        M[i * 7] = 1.0 / mass;
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) M[(3 + i) * 6 + 3 + j] += Q[i * 3 + k] * Q[j * 3 + k] / I[k];
    }
    s->body_dof[b] = 6;
}

/// `off` is how far off the normal through its centre a body is touched.
static void add_contact(pile *s, rng *g, int below, int above, double off, const double *Q, int shape)
{
    int c = s->def.contact_count++;
    double rows[36], r[3];
    s->cone[c] = cone_shape(shape);
    s->cone[c].coef[0] = rng_uniform(g, 0.2, 0.8);
    s->cone[c].coef[1] = s->cone[c].size[1] ? rng_uniform(g, 0.02, 0.1) : 0.0;
    s->cone[c].coef[2] = s->cone[c].size[2] ? rng_uniform(g, 0.02, 0.1) : 0.0;
    for (int k = 0; k < 3; ++k) r[k] = -0.5 * Q[k] + off * rng_normal(g);
    contact_rows(&s->cone[c], 1.0, Q, r, rows);
    add_entry(s, c, above, scree_cone_dim(&s->cone[c]), rows);
    if (below < 0) return;
    for (int k = 0; k < 3; ++k) r[k] = 0.5 * Q[k];
    contact_rows(&s->cone[c], -1.0, Q, r, rows);
    add_entry(s, c, below, scree_cone_dim(&s->cone[c]), rows);
}

/// A frame whose first row (the normal) points up, tilted by about `tilt`.
static void upward_frame(rng *g, double tilt, double *Q)
{
    double n[3] = {tilt * rng_normal(g), tilt * rng_normal(g), 1.0}, t[3] = {1.0, 0.0, 0.0};
    double l = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), d = 0.0, m = 0.0;
    for (int k = 0; k < 3; ++k) n[k] /= l, d += n[k] * t[k];
    for (int k = 0; k < 3; ++k) t[k] -= d * n[k], m += t[k] * t[k];
    for (int k = 0; k < 3; ++k) Q[k] = n[k], Q[3 + k] = t[k] / sqrt(m);
    for (int k = 0; k < 3; ++k) Q[6 + k] = Q[(k + 1) % 3] * Q[3 + (k + 2) % 3] - Q[(k + 2) % 3] * Q[3 + (k + 1) % 3];
}

typedef struct pile_kind {
    int bodies;
    int layers;        /* contacts per body                                              */
    int shape;         /* of every cone; -1: all shapes in turn                           */
    int bounds;        /* motors and joints, in turn                                      */
    double tilt;       /* of the normals                                                  */
    double speed;      /* of the bodies, random, beside one step of gravity (0.1 m/s)     */
    double compliance; /* [1/kg], makes the answer of the convex law unique               */
    double mass_ratio;
} pile_kind;

static const pile_kind ROW = {12, 1, -1, 0, 0.3, 0.05, 0.0, 1.0};   /* each body on the ground: W is regular        */
static const pile_kind COLUMN = {8, 1, -1, 0, 0.0, 0.0, 0.0, 1.0};  /* upright and at rest: everything sticks       */
static const pile_kind HEAP = {20, 3, -1, 6, 0.5, 0.05, 0.02, 1.0}; /* 60 contacts, 6 bounded rows                   */
static const pile_kind HEAVY = {12, 2, -1, 4, 0.5, 0.02, 0.005, 100.0};
static const pile_kind SLIDING = {20, 2, 2, 0, 0.5, 0.1, 0.05, 1.0}; /* cone slide alone, for the quartics           */

static scree_problem *make_pile(pile_kind kind, scree_law law, uint64_t seed, const scree_allocator *allocator)
{
    pile *s = calloc(1, sizeof *s);
    rng g = {seed};
    int is_column = kind.tilt <= 0.0, is_row = !is_column && kind.layers == 1;
    assert_non_null(s);
    s->def = scree_problem_def_default();
    for (int b = 0; b < kind.bodies; ++b) add_body_to_pile(s, &g, b % 3 == 2 ? kind.mass_ratio : 1.0, b % 2 == 0);
    for (int l = 0; l < kind.layers; ++l)
        for (int b = 0; b < kind.bodies; ++b) {
            double Q[9];
            int below = is_row ? -1 : is_column ? b - 1 : b < 4 ? -1 : rng_below(&g, b), c = s->def.contact_count;
            upward_frame(&g, kind.tilt, Q);
            add_contact(s, &g, below, b, is_column || b % 2 == 0 ? 0.0 : 0.15, Q,
                        kind.shape < 0 ? c % CONE_SHAPES : kind.shape);
        }
    for (int i = 0; i < kind.bounds;
         ++i) { /* a motor on one axis; a joint that keeps two bodies from parting along a line */
        double rows[6] = {0}, other[6] = {0};
        int body = rng_below(&g, kind.bodies);
        s->bound[s->def.bound_count++] = i % 2 ? (double)INFINITY : 0.02;
        for (int k = 0; k < 6; ++k) rows[k] = i % 2 == 0 && k < 3 ? 0.0 : rng_normal(&g);
        for (int k = 0; k < 3; ++k) other[k] = -rows[k];
        add_entry(s, s->def.contact_count + i, body, 1, rows);
        if (i % 2) add_entry(s, s->def.contact_count + i, (body + 1) % kind.bodies, 1, other);
    }
    for (int i = 0; i < 6 * kind.bodies; ++i) s->v_free[i] = kind.speed * rng_normal(&g) - (i % 6 == 2 ? 0.1 : 0.0);
    for (int i = 0; i < ROWS_MAX; ++i) s->compliance[i] = kind.compliance;
    s->def.law = law;
    s->def.cone = s->cone, s->def.bound = s->bound, s->def.compliance = kind.compliance > 0.0 ? s->compliance : NULL;
    s->def.entry_row = s->row, s->def.entry_column = s->column, s->def.entry_value = s->value;
    s->def.body_dof = s->body_dof, s->def.body_inv_mass = s->inv_mass, s->def.v_free = s->v_free;
    scree_problem *problem = NULL;
    scree_error error = {0};
    scree_status status = try_problem_create(&s->def, allocator, &problem, &error);
    if (status != SCREE_OK) print_error("%s\n", error.text);
    assert_int_equal(status, SCREE_OK);
    free(s);
    return problem;
}

/* ---- running ------------------------------------------------------------------------------------------------------ */

static const char *const METHODS[] = {"nsgs", "psor", "apgd", "bb", "anderson", "fixed_point", "extragradient"};
enum { METHOD_COUNT = (int)(sizeof METHODS / sizeof *METHODS) };

/// What docs/solvers/ says of each on problems of this size: both laws.
static double claimed_tolerance(const char *method)
{
    return strcmp(method, "fixed_point") == 0 || strcmp(method, "extragradient") == 0 ? 1e-6 : 1e-8;
}

static scree_solver_options options_of(const char *method, double tolerance)
{
    scree_solver_options o = scree_solver_options_default();
    o.name = method, o.tolerance = tolerance;
    return o;
}

/// Solves from p; returns the residual of the answer, computed anew.
static double run(const scree_problem *problem, const scree_solver_options *options, double *p, scree_solve_info *info)
{
    scree_solver *solver = NULL;
    scree_error error = {0};
    scree_status status = try_solver_create(problem, options, NULL, &solver, &error);
    if (status != SCREE_OK) print_error("%s\n", error.text);
    assert_int_equal(status, SCREE_OK);
    assert_int_equal(try_solver_solve(solver, problem, p, info), SCREE_OK);
    scree_solver_destroy(solver);
    double y[ROWS_MAX];
    return try_problem_residual(problem, p, y);
}

static double size_of(int n, const double *a)
{
    double s = 0.0;
    for (int i = 0; i < n; ++i) s += a[i] * a[i];
    return sqrt(s);
}

static double apart(int n, const double *a, const double *b)
{
    double s = 0.0;
    for (int i = 0; i < n; ++i) s += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(s) / fmax(size_of(n, a), 1e-300);
}

/* ---- answers ------------------------------------------------------------------------------------------------------- */

static void check_reaches_its_tolerance(pile_kind kind, scree_law law, uint64_t seed)
{
    scree_problem *problem = make_pile(kind, law, seed, NULL);
    for (int i = 0; i < METHOD_COUNT; ++i) {
        double p[ROWS_MAX] = {0}, tolerance = claimed_tolerance(METHODS[i]);
        scree_solver_options o = options_of(METHODS[i], tolerance);
        scree_solve_info info;
        double residual = run(problem, &o, p, &info);
        if (!(residual <= tolerance))
            print_message("%s, %d contacts, law %d, seed %d: %g after %d\n", METHODS[i], problem->contact_count,
                          (int)law, (int)seed, residual, info.iterations);
        assert_true(residual <= tolerance);
        assert_int_equal(info.outcome, SCREE_OUTCOME_CONVERGED);
        assert_true(fabs(info.residual - residual) <= 1e-3 * tolerance);
        assert_string_equal(info.solver, METHODS[i]);
    }
    scree_problem_destroy(problem);
}

static void every_method_reaches_the_tolerance_of_its_page(void **state)
{
    (void)state;
    for (int law = SCREE_LAW_COULOMB; law <= SCREE_LAW_CONVEX; ++law)
        for (uint64_t seed = 1; seed <= (SCREE_SAMPLE_SHARE > 1 ? 1 : 2); ++seed) {
            check_reaches_its_tolerance(ROW, (scree_law)law, seed);
            check_reaches_its_tolerance(COLUMN, (scree_law)law, seed);
            check_reaches_its_tolerance(HEAP, (scree_law)law, seed);
            check_reaches_its_tolerance(HEAVY, (scree_law)law, seed);
        }
}

/* Rounding is all that tells the two forms apart; forty iterations do not let it grow to 1e-10. */
static void both_forms_of_W_give_the_same_answer(void **state)
{
    (void)state;
    for (int law = SCREE_LAW_COULOMB; law <= SCREE_LAW_CONVEX; ++law) {
        scree_problem *bodies = make_pile(HEAP, (scree_law)law, 7, NULL), *assembled;
        assert_int_equal(try_problem_assemble(bodies, NULL, &assembled), SCREE_OK);
        assert_null(bodies->W);
        assert_non_null(assembled->W);
        for (int i = 0; i < METHOD_COUNT; ++i) {
            double p[2][ROWS_MAX] = {{0}};
            scree_solver_options o = options_of(METHODS[i], 0.0);
            scree_solve_info info;
            o.max_iterations = 40;
            run(bodies, &o, p[0], &info);
            assert_int_equal(info.iterations, 40);
            run(assembled, &o, p[1], &info);
            assert_true(apart(bodies->row_count, p[0], p[1]) <= 1e-10);
        }
        scree_problem_destroy(bodies);
        scree_problem_destroy(assembled);
    }
}

/* An upright column has one answer: each contact carries what is above it, without friction. */
static void the_two_laws_agree_where_nothing_slips(void **state)
{
    (void)state;
    scree_problem *coulomb = make_pile(COLUMN, SCREE_LAW_COULOMB, 3, NULL),
                  *convex = make_pile(COLUMN, SCREE_LAW_CONVEX, 3, NULL);
    for (int i = 0; i < METHOD_COUNT; ++i) {
        double p[2][ROWS_MAX] = {{0}};
        scree_solver_options o = options_of(METHODS[i], 1e-11);
        scree_solve_info info;
        run(coulomb, &o, p[0], &info);
        run(convex, &o, p[1], &info);
        assert_true(apart(coulomb->row_count, p[0], p[1]) <= 1e-7); /* residual 1e-11 x condition of W, below 1e4 */
        for (int c = 0; c < coulomb->contact_count; ++c)            /* 0.1 m/s times the 1 kg of each body above */
            assert_true(fabs(p[0][coulomb->offset[c]] - 0.1 * (coulomb->contact_count - c)) <= 1e-7);
    }
    scree_problem_destroy(coulomb);
    scree_problem_destroy(convex);
}

static double objective(const scree_problem *problem, const double *p)
{
    double y[ROWS_MAX], f = 0.0;
    scree_problem_apply(problem, p, y, NULL);
    for (int i = 0; i < problem->row_count; ++i) f += p[i] * (0.5 * y[i] + problem->q[i]);
    return f;
}

/* f - f_min <= (distance to the optimality conditions) x |p|: a residual of 1e-9 leaves less than 1e-7 of f here. */
static void all_methods_find_the_same_minimum_of_the_convex_law(void **state)
{
    (void)state;
    scree_problem *problem = make_pile(HEAP, SCREE_LAW_CONVEX, 11, NULL);
    double reference[ROWS_MAX] = {0}, rough[ROWS_MAX] = {0}, f_min;
    scree_solver_options o = options_of("nsgs", 1e-12);
    scree_solve_info info;
    run(problem, &o, reference, &info);
    f_min = objective(problem, reference);
    assert_true(f_min < 0.0);
    for (int i = 1; i < METHOD_COUNT; ++i) {
        double p[ROWS_MAX] = {0};
        o = options_of(METHODS[i], 1e-9);
        run(problem, &o, p, &info);
        assert_true(fabs(objective(problem, p) - f_min) <= 1e-7 * fabs(f_min));
        assert_true(apart(problem->row_count, reference, p) <= 1e-5); /* compliance: one answer */
        memset(rough, 0, sizeof rough);
        o = options_of(METHODS[i], 1e-2);
        run(problem, &o, rough, &info);
        assert_true(objective(problem, rough) >= objective(problem, p) - 1e-9 * fabs(f_min));
    }
    scree_problem_destroy(problem);
}

/// Options of nsgs that change the way and not the end.
static void nsgs_has_one_answer_whatever_its_options(void **state)
{
    (void)state;
    static const struct {
        int local_method;
        double relaxation;
        int shuffle;
        double freeze;
    } variants[] = {
        {SCREE_CONTACT_QUARTIC_T, 1.0, 0, 0.0},      {SCREE_CONTACT_QUARTIC_ALPHA, 1.0, 0, 0.0},
        {SCREE_CONTACT_FIXED_POINT, 1.0, 0, 0.0},    {SCREE_CONTACT_EXTRAGRADIENT, 1.0, 0, 0.0},
        {SCREE_CONTACT_NEWTON_NATURAL, 1.0, 0, 0.0}, {SCREE_CONTACT_NEWTON_ALART_CURNIER, 1.0, 0, 0.0},
        {SCREE_CONTACT_EXACT, 0.7, 0, 0.0},          {SCREE_CONTACT_EXACT, 1.3, 0, 0.0},
        {SCREE_CONTACT_EXACT, 1.0, 1, 0.0},          {SCREE_CONTACT_EXACT, 1.0, 0, 1e-6},
    };
    scree_problem *problem = make_pile(SLIDING, SCREE_LAW_COULOMB, 5, NULL);
    double reference[ROWS_MAX] = {0};
    scree_solver_options o = options_of("nsgs", 1e-11);
    scree_solve_info info;
    assert_true(run(problem, &o, reference, &info) <= 1e-11);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; ++i) {
        double p[ROWS_MAX] = {0};
        o.local_method = variants[i].local_method, o.relaxation = variants[i].relaxation;
        o.shuffle = variants[i].shuffle, o.freeze = variants[i].freeze;
        assert_true(run(problem, &o, p, &info) <= 1e-11);
        assert_true(apart(problem->row_count, reference, p) <= 1e-7);
    }
    scree_problem_destroy(problem);
}

/// Relaxation of psor on both sides of 1, and the plain steps of the papers, in kg.
static void options_of_the_projection_methods_change_the_way_only(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double relaxation, step;
        int memory;
    } variants[] = {{"psor", 0.6, 0.0, 5},     {"psor", 1.5, 0.0, 5},          {"apgd", 1.0, 0.3, 5},
                    {"bb", 1.0, 0.3, 5},       {"extragradient", 1.0, 0.3, 5}, {"fixed_point", 1.0, 1e3, 5},
                    {"anderson", 1.0, 0.0, 1}, {"anderson", 1.0, 0.0, 100}};
    scree_problem *problem = make_pile(HEAP, SCREE_LAW_CONVEX, 2, NULL);
    double reference[ROWS_MAX] = {0};
    scree_solver_options o = options_of("nsgs", 1e-10);
    scree_solve_info info;
    run(problem, &o, reference, &info);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; ++i) {
        double p[ROWS_MAX] = {0};
        o = options_of(variants[i].method, 1e-8);
        o.relaxation = variants[i].relaxation, o.step = variants[i].step, o.memory = variants[i].memory;
        assert_true(run(problem, &o, p, &info) <= 1e-8);
        assert_true(apart(problem->row_count, reference, p) <= 1e-4);
    }
    scree_problem_destroy(problem);
}

static void loads_stay_in_their_cones_and_bounds(void **state)
{
    (void)state;
    scree_problem *problem = make_pile(HEAP, SCREE_LAW_COULOMB, 4, NULL);
    for (int i = 0; i < METHOD_COUNT; ++i) {
        double p[ROWS_MAX] = {0}, y[ROWS_MAX];
        scree_solver_options o = options_of(METHODS[i], 0.0);
        scree_solve_info info;
        scree_certificate certificate;
        o.max_iterations = 7; /* far from the answer */
        run(problem, &o, p, &info);
        try_problem_certify(problem, p, y, &certificate);
        assert_true(certificate.cone_violation <= 1e-12);
        for (int b = 0; b < problem->bound_count; ++b)
            assert_true(fabs(p[problem->offset[problem->contact_count + b]]) <= problem->bound[b]);
    }
    scree_problem_destroy(problem);
}

static void a_warm_start_at_the_answer_takes_no_iteration(void **state)
{
    (void)state;
    scree_problem *problem = make_pile(ROW, SCREE_LAW_COULOMB, 9, NULL);
    for (int i = 0; i < METHOD_COUNT; ++i) {
        double p[ROWS_MAX] = {0};
        scree_solver_options o = options_of(METHODS[i], 1e-9);
        scree_solve_info info;
        run(problem, &o, p, &info);
        assert_true(info.iterations > 0);
        o.tolerance = 1e-8;
        run(problem, &o, p, &info);
        assert_int_equal(info.iterations, 0);
        assert_int_equal(info.outcome, SCREE_OUTCOME_CONVERGED);
    }
    scree_problem_destroy(problem);
}

static void a_problem_without_contacts_is_solved(void **state)
{
    (void)state;
    scree_problem_def def = scree_problem_def_default();
    scree_problem *problem;
    assert_int_equal(try_problem_create(&def, NULL, &problem, NULL), SCREE_OK);
    for (int i = 0; i < METHOD_COUNT; ++i) {
        double p[1] = {0};
        scree_solver_options o = options_of(METHODS[i], 1e-8);
        scree_solve_info info;
        run(problem, &o, p, &info);
        assert_int_equal(info.outcome, SCREE_OUTCOME_CONVERGED);
    }
    scree_problem_destroy(problem);
}

/* ---- limits and callbacks ------------------------------------------------------------------------------------------- */

typedef struct watch {
    int calls, stop_at;
    double best, last;
    int last_iterations;
} watch;

static void watch_trace(const scree_solve_info *info, void *context)
{
    watch *w = context;
    w->calls += 1;
    w->best = fmin(w->best, info->residual), w->last = info->residual;
    assert_true(info->iterations >= w->last_iterations);
    w->last_iterations = info->iterations;
}

static int watch_interrupt(const scree_solve_info *info, void *context)
{
    const watch *w = context;
    (void)info;
    return w->calls >= w->stop_at;
}

static void an_interrupt_returns_the_best_iterate_seen(void **state)
{
    (void)state;
    scree_problem *problem = make_pile(HEAP, SCREE_LAW_COULOMB, 6, NULL);
    for (int i = 0; i < METHOD_COUNT; ++i) {
        double p[ROWS_MAX] = {0};
        watch w = {.stop_at = 6, .best = 1e300};
        scree_solver_options o = options_of(METHODS[i], 0.0);
        scree_solve_info info;
        o.trace = watch_trace, o.interrupt = watch_interrupt, o.context = &w, o.check_every = 1;
        double residual = run(problem, &o, p, &info);
        assert_int_equal(info.outcome, SCREE_OUTCOME_INTERRUPTED);
        assert_int_equal(w.calls, 6);
        assert_true(fabs(residual - w.best) <= 1e-12);
    }
    scree_problem_destroy(problem);
}

static void the_time_limit_stops_a_solve_that_would_not_end(void **state)
{
    (void)state;
    scree_problem *problem = make_pile(HEAP, SCREE_LAW_COULOMB, 6, NULL);
    for (int i = 0; i < METHOD_COUNT; ++i) {
        double p[ROWS_MAX] = {0}, y[ROWS_MAX];
        watch w = {.best = 1e300};
        scree_solver_options o = options_of(METHODS[i], 0.0);
        scree_solve_info info;
        o.trace = watch_trace, o.context = &w, o.time_limit = 0.02, o.max_iterations = 1000000000;
        double residual = run(problem, &o, p, &info), start = try_problem_residual(problem, (double[ROWS_MAX]){0}, y);
        assert_true(info.outcome == SCREE_OUTCOME_INTERRUPTED ||
                    info.outcome == SCREE_OUTCOME_CONVERGED); /* the latter: residual 0 */
        assert_true(info.seconds < 2.0);                      /* 0.02, and a busy machine */
        assert_true(w.calls > 1 && residual <= w.best * 1.000001 + 1e-15 && residual < start);
    }
    scree_problem_destroy(problem);
}

/* What is left at the solution is rounding, and steps that are rounding must not lead away from it. */
static void a_method_stays_where_it_has_arrived(void **state)
{
    (void)state;
    for (int law = SCREE_LAW_COULOMB; law <= SCREE_LAW_CONVEX; ++law) {
        scree_problem *problem = make_pile(ROW, (scree_law)law, 5, NULL);
        for (int i = 0; i < METHOD_COUNT; ++i) {
            double p[ROWS_MAX] = {0};
            watch w = {.best = 1e300};
            scree_solver_options o = options_of(METHODS[i], 0.0);
            scree_solve_info info;
            o.trace = watch_trace, o.context = &w, o.max_iterations = 3000, o.check_every = 50;
            run(problem, &o, p, &info);
            assert_true(w.last <= 1e-12);
        }
        scree_problem_destroy(problem);
    }
}

static void max_iterations_is_kept_exactly(void **state)
{
    (void)state;
    scree_problem *problem = make_pile(HEAP, SCREE_LAW_COULOMB, 6, NULL);
    for (int i = 0; i < METHOD_COUNT; ++i)
        for (int limit = 1; limit <= 23; limit += 11) {
            double p[ROWS_MAX] = {0};
            scree_solver_options o = options_of(METHODS[i], 0.0);
            scree_solve_info info;
            o.max_iterations = limit;
            run(problem, &o, p, &info);
            assert_int_equal(info.iterations, limit);
            assert_int_equal(info.outcome, SCREE_OUTCOME_MAX_ITERATIONS);
        }
    scree_problem_destroy(problem);
}

/* ---- memory and options ----------------------------------------------------------------------------------------------- */

static void every_failed_allocation_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    scree_problem *problem = make_pile(HEAP, SCREE_LAW_COULOMB, 8, NULL);
    for (int i = 0; i < METHOD_COUNT; ++i) {
        scree_solver_options o = options_of(METHODS[i], 1e-8);
        scree_status status = SCREE_ERR_MEMORY;
        for (int k = 0; status != SCREE_OK; ++k) {
            failing f = {.left = k};
            scree_allocator a = failing_allocator(&f);
            scree_solver *solver;
            scree_error error = {0};
            status = try_solver_create(problem, &o, &a, &solver, &error);
            assert_true((status == SCREE_OK) == (solver != NULL));
            if (status != SCREE_OK) {
                assert_int_equal(status, SCREE_ERR_MEMORY);
                assert_string_not_equal(error.text, "");
            }
            scree_solver_destroy(solver);
            assert_int_equal(f.live, 0);
            assert_true(k < 100);
        }
    }
    scree_problem_destroy(problem);
}

static void solving_allocates_nothing_and_leaves_the_options_alone(void **state)
{
    (void)state;
    failing f = {.left = -1};
    scree_allocator a = failing_allocator(&f);
    scree_problem *problem = make_pile(HEAP, SCREE_LAW_COULOMB, 8, &a);
    for (int i = 0; i < METHOD_COUNT; ++i) {
        double p[ROWS_MAX] = {0};
        scree_solver_options o, before;
        scree_solver *solver;
        scree_solve_info info;
        memset(&o, 0, sizeof o); /* padding too, so that bytes can be compared */
        o = options_of(METHODS[i], 1e-4);
        memcpy(&before, &o, sizeof o);
        assert_int_equal(try_solver_create(problem, &o, &a, &solver, NULL), SCREE_OK);
        int requests = f.requests;
        for (int k = 0; k < 2; ++k) assert_int_equal(try_solver_solve(solver, problem, p, &info), SCREE_OK);
        assert_int_equal(f.requests, requests);
        assert_memory_equal(&o, &before, sizeof o);
        scree_solver_destroy(solver);
    }
    scree_problem_destroy(problem);
    assert_int_equal(f.live, 0);
}

/* The values of a problem may change between solves: nothing of the old ones is kept. */
static void a_solver_sees_the_values_of_the_problem_it_is_given(void **state)
{
    (void)state;
    scree_problem *one = make_pile(ROW, SCREE_LAW_COULOMB, 1, NULL), *two = make_pile(ROW, SCREE_LAW_COULOMB, 2, NULL);
    for (int i = 0; i < METHOD_COUNT; ++i) {
        double p[ROWS_MAX] = {0}, q[ROWS_MAX] = {0}, y[ROWS_MAX];
        scree_solver_options o = options_of(METHODS[i], 1e-6);
        scree_solver *solver;
        scree_solve_info info;
        assert_int_equal(try_solver_create(one, &o, NULL, &solver, NULL), SCREE_OK);
        try_solver_solve(solver, one, p, &info);
        try_solver_solve(solver, two, q, &info);
        assert_true(try_problem_residual(one, p, y) <= 1e-6);
        assert_true(try_problem_residual(two, q, y) <= 1e-6);
        scree_solver_destroy(solver);
    }
    scree_problem_destroy(one);
    scree_problem_destroy(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_reaches_the_tolerance_of_its_page),
        cmocka_unit_test(both_forms_of_W_give_the_same_answer),
        cmocka_unit_test(the_two_laws_agree_where_nothing_slips),
        cmocka_unit_test(all_methods_find_the_same_minimum_of_the_convex_law),
        cmocka_unit_test(nsgs_has_one_answer_whatever_its_options),
        cmocka_unit_test(options_of_the_projection_methods_change_the_way_only),
        cmocka_unit_test(loads_stay_in_their_cones_and_bounds),
        cmocka_unit_test(a_warm_start_at_the_answer_takes_no_iteration),
        cmocka_unit_test(a_problem_without_contacts_is_solved),
        cmocka_unit_test(an_interrupt_returns_the_best_iterate_seen),
        cmocka_unit_test(the_time_limit_stops_a_solve_that_would_not_end),
        cmocka_unit_test(a_method_stays_where_it_has_arrived),
        cmocka_unit_test(max_iterations_is_kept_exactly),
        cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks),
        cmocka_unit_test(solving_allocates_nothing_and_leaves_the_options_alone),
        cmocka_unit_test(a_solver_sees_the_values_of_the_problem_it_is_given),
    };
    return cmocka_run_group_tests_name("projection solvers", tests, NULL, NULL);
}
