/* bench.c: `scree bench`, and `scree bench laws`: the cost of one call of each law and one-contact solver, with its accuracy.
 *
 * A batch is a few thousand different problems, made beforehand: too many for the branch predictor to learn, few enough for the
 * cache of one core. The cost is the least processor time of a pass over the batch, divided by its size. It is also given as a
 * multiple of one Cholesky factorisation and solve of order 6, measured in the same run, which travels between machines. There
 * are two of them, and the faster one is the unit: else a compiler that is bad at the one would make all multiples look good.
 * Contacts are made from bodies, W = J M^-1 J', and for a mode: p and y by its definition, q = y - W p; modes take turns. */
#include "cli/cli.h"
#include "cli/random.h"
#include "cli/system.h"

#include <math.h>
#include <scree/files.h>
#include <scree/laws.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

static const cli_about about = {
    .operands = "[NAME] [ARGUMENT]...",
    .text = "Measures speed, with the accuracy reached. Without an argument, lists what can be measured. scree "
            "bench NAME --help explains a measurement.",
    .examples = "scree bench laws",
};

static const cli_about laws_about = {
    .operands = "",
    .text = "Measures one call of each law and one-contact solver, over batches of 2048 different problems:\n"
            "  n          components of the contact\n"
            "  ns         nanoseconds of the processor per call, the minimum of all passes over the batch\n"
            "  x chol     the same as a multiple of one Cholesky factorisation and solve of order 6, the faster "
            "of two\n"
            "  aim        the multiple aimed at, with ! where it is missed\n"
            "  worst      largest residual in the batch (projections: largest violation of their conditions)\n"
            "  failed     part of the calls that did not converge, or were finished by another method\n"
            "  it50 it99  iterations: median, and what 99 % of the calls stay within",
    .examples = "scree bench laws --csv > laws.csv",
};

enum { BATCH = 2048 };

/* ---- random contacts -------------------------------------------------------------------------------------------- */

static double normal(uint64_t *state)
{
    return sqrt(-2.0 * log(random_uniform(state, 0x1p-60, 1.0))) * cos(random_uniform(state, 0.0, 6.283185307179586));
}

/// Adds a body to W (6 x 6): u = v + omega x r with r from its centre to the contact, all in the frame (n, t1, t2).
/// The contact's order of rotations is (t1, t2, n).
static void add_body(double mass, const double inverse_inertia[9], const double r[3], double W[36])
{
    static const int row[3] = {5, 3, 4};
    const double X[9] = {0, r[2], -r[1], -r[2], 0, r[0], r[1], -r[0], 0}; /* omega x r = X omega */
    double XI[9] = {0};
    for (int i = 0; i < 9; ++i)
        for (int k = 0; k < 3; ++k) XI[i] += X[i / 3 * 3 + k] * inverse_inertia[k * 3 + i % 3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            W[i * 6 + j] += (i == j) / mass;
            for (int k = 0; k < 3; ++k) W[i * 6 + j] += XI[i * 3 + k] * X[j * 3 + k];
            W[i * 6 + row[j]] += XI[i * 3 + j], W[row[j] * 6 + i] += XI[i * 3 + j];
            W[row[i] * 6 + row[j]] += inverse_inertia[i * 3 + j];
        }
}

static void add_sphere(double mass, double R, double side, double W[36])
{
    double i = 1.0 / (0.4 * mass * R * R);
    add_body(mass, (double[9]){i, 0, 0, 0, i, 0, 0, 0, i}, (double[3]){side * R, 0, 0}, W);
}

/// A body of random shape: three pairs of point masses, m/6 each, at +- the random vectors a_k. Its inertia is
/// m/3 sum (|a|^2 I - a a'), inverted by its cofactors.
static void add_rigid(uint64_t *g, double mass, double size, double W[36])
{
    double I[9] = {0}, V[9], r[3];
    for (int k = 0; k < 3; ++k) {
        double a[3], aa = 0.0;
        for (int i = 0; i < 3; ++i) a[i] = size * normal(g), aa += a[i] * a[i];
        for (int i = 0; i < 9; ++i) I[i] += mass / 3.0 * ((i % 4 == 0) * aa - a[i / 3] * a[i % 3]);
        r[k] = size * normal(g);
    }
    for (int i = 0; i < 9; ++i) {
        int a = (i / 3 + 1) % 3, b = (i / 3 + 2) % 3, c = (i % 3 + 1) % 3, d = (i % 3 + 2) % 3;
        V[i] = I[a * 3 + c] * I[b * 3 + d] - I[a * 3 + d] * I[b * 3 + c];
    }
    double det = I[0] * V[0] + I[1] * V[1] + I[2] * V[2];
    for (int i = 0; i < 9; ++i) V[i] /= det;
    add_body(mass, V, r, W);
}

typedef enum bodies { RIGID_PAIR, SPHERE_PAIR, SPHERE_ON_PLANE } bodies;

/// A contact of `dim` components (3, 5 or 6) between bodies of 1 m and like masses, solved by a known p in the given mode.
static scree_contact make_contact(uint64_t *g, bodies kind, int dim, scree_mode mode)
{
    scree_contact c = {.cone = {{2, dim > 3 ? 2 : 0, dim > 5}, {random_uniform(g, 0.1, 1.0)}},
                       .law = SCREE_LAW_COULOMB};
    double W[36] = {0}, p[6] = {0}, y[6] = {0}, ratio = random_log_uniform(g, 0.1, 10.0);
    c.cone.coef[SCREE_FRICTION_ROLL] = random_log_uniform(g, 0.003, 0.1),
    c.cone.coef[SCREE_FRICTION_SPIN] = random_log_uniform(g, 0.003, 0.1);
    if (kind == RIGID_PAIR) add_rigid(g, 1.0, 1.0, W), add_rigid(g, ratio, 1.0, W);
    else add_sphere(1.0, 1.0, -1.0, W);
    if (kind == SPHERE_PAIR) add_sphere(ratio, random_log_uniform(g, 0.3, 3.0), 1.0, W);
    for (int i = 0; i < dim; ++i)
        for (int j = 0; j <= i; ++j) c.W[i * dim + j] = c.W[j * dim + i] = W[i * 6 + j];

    int takes_off = mode == SCREE_MODE_TAKE_OFF, index = mode - 1;
    int moves[SCREE_FRICTION_KINDS] = {takes_off || (index & 1), takes_off || (index & 2),
                                       takes_off || index >> 2 != 0};
    p[0] = takes_off ? 0.0 : random_log_uniform(g, 0.1, 10.0) / W[0],
    y[0] = takes_off ? random_uniform(g, 0.0, 1.0) : 0.0;
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += c.cone.size[k++]) {
        double angle = random_uniform(g, 0.0, 6.283185307179586), e[2] = {cos(angle), sin(angle)};
        if (k == SCREE_FRICTION_SPIN) e[0] = index >> 2 == 2 ? -1.0 : 1.0;
        double load = c.cone.coef[k] * p[0] * (moves[k] ? 1.0 : random_uniform(g, 0.0, 0.99));
        double v = moves[k] ? random_log_uniform(g, 0.01, 10.0) : 0.0;
        for (int i = 0; i < c.cone.size[k]; ++i) p[at + i] = load * e[i], y[at + i] = -v * e[i];
    }
    for (int i = 0; i < dim; ++i) {
        c.q[i] = y[i];
        for (int j = 0; j < dim; ++j) c.q[i] -= c.W[i * dim + j] * p[j];
    }
    return c;
}

/* ---- what is measured ------------------------------------------------------------------------------------------- */

typedef enum task { CHOLESKY, UNROLLED, PROJECT, DERIVATIVE, SOLVE } task;
typedef enum mix { ALL_MODES, SLIDING } mix;

typedef struct measurement {
    const char *name;
    task task;
    int dim;
    double aim; /* multiple of the Cholesky solve; 0: none */
    bodies bodies;
    mix mix;
    scree_contact_method method;
    double tolerance; /* 0: the default           */
    int quick;        /* isolate = 0              */
} measurement;

static const measurement measurements[] = {
    {.name = "Cholesky of the library", .task = CHOLESKY, .dim = 6},
    {.name = "Cholesky unrolled", .task = UNROLLED, .dim = 6},
    {.name = "projection", .task = PROJECT, .dim = 3, .aim = 0.3},
    {.name = "projection", .task = PROJECT, .dim = 5, .aim = 0.3},
    {.name = "projection", .task = PROJECT, .dim = 6, .aim = 0.3},
    {.name = "projection derivative", .task = DERIVATIVE, .dim = 6},
    {"quartic_t, rigid pair", SOLVE, 3, 8, RIGID_PAIR, SLIDING, SCREE_CONTACT_QUARTIC_T, 0, 0},
    {"quartic_alpha, rigid pair", SOLVE, 3, 8, RIGID_PAIR, SLIDING, SCREE_CONTACT_QUARTIC_ALPHA, 0, 0},
    {"exact, sphere pair", SOLVE, 6, 3, SPHERE_PAIR, ALL_MODES, SCREE_CONTACT_EXACT, 0, 0},
    {"exact, sphere on plane", SOLVE, 6, 3, SPHERE_ON_PLANE, ALL_MODES, SCREE_CONTACT_EXACT, 0, 0},
    {"exact, rigid pair", SOLVE, 3, 40, RIGID_PAIR, ALL_MODES, SCREE_CONTACT_EXACT, 0, 0},
    {"exact, rigid pair", SOLVE, 6, 40, RIGID_PAIR, ALL_MODES, SCREE_CONTACT_EXACT, 0, 0},
    {"exact, first root only", SOLVE, 6, 40, RIGID_PAIR, ALL_MODES, SCREE_CONTACT_EXACT, 0, 1},
    {"newton_natural", SOLVE, 6, 0, RIGID_PAIR, ALL_MODES, SCREE_CONTACT_NEWTON_NATURAL, 0, 0},
    {"newton_alart_curnier", SOLVE, 6, 0, RIGID_PAIR, ALL_MODES, SCREE_CONTACT_NEWTON_ALART_CURNIER, 0, 0},
    {"fixed_point, tol 1e-10", SOLVE, 6, 0, RIGID_PAIR, ALL_MODES, SCREE_CONTACT_FIXED_POINT, 1e-10, 0},
    {"extragradient, tol 1e-10", SOLVE, 6, 0, RIGID_PAIR, ALL_MODES, SCREE_CONTACT_EXTRAGRADIENT, 1e-10, 0},
};
enum { MEASUREMENT_COUNT = sizeof measurements / sizeof *measurements, UNITS = 2 /* the first two give the unit */ };

typedef struct outcome {
    double ns, multiple, worst, failed;
    int median, most; /* iterations of half and of 99 % of the calls; -1: it does not iterate */
    char mixture[40];
} outcome;

/// One batch: contacts, and for the projections points (the contacts' q).
typedef struct batch {
    scree_contact contact[BATCH];
    int iterations[BATCH];
} batch;

static void prepare(const measurement *m, batch *b)
{
    uint64_t g = 1;
    for (int i = 0; i < BATCH; ++i) {
        scree_mode mode = i % SCREE_MODE_COUNT;
        if (m->dim == 3) mode = m->mix == SLIDING ? 2 : i % 3;
        b->contact[i] = make_contact(&g, m->bodies, m->dim, mode);
        if (m->task != PROJECT && m->task != DERIVATIVE) continue;
        for (int k = 0; k < m->dim; ++k) b->contact[i].q[k] = normal(&g);
        for (int k = 0; k < SCREE_FRICTION_KINDS; ++k) b->contact[i].cone.coef[k] = random_uniform(&g, 0.1, 1.0);
        if (i % 3 == 0) b->contact[i].q[0] = random_uniform(&g, 0.0, 8.0); /* else nearly no point is inside */
    }
    for (int i = BATCH - 1; i > 0; --i) { /* shuffled: modes in turn would be a pattern */
        int j = (int)(random_next(&g) % (uint64_t)(i + 1));
        scree_contact swap = b->contact[i];
        b->contact[i] = b->contact[j], b->contact[j] = swap;
    }
}

static scree_contact_options options_of(const measurement *m)
{
    scree_contact_options o = scree_contact_options_default();
    o.method = m->method;
    if (m->tolerance > 0.0) o.tolerance = m->tolerance;
    o.isolate = !m->quick;
    return o;
}

/// x = A^-1 b of order 6 by Cholesky: the factor, then two substitutions, as the library has them.
static double solve_dense(const double *A, const double *b, double x[6])
{
    enum { N = 6 };
    double L[N * N];
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) {
        double d = A[i * N + i];
#pragma GCC unroll 8
        for (int j = 0; j < i; ++j) {
            double s = A[i * N + j];
#pragma GCC unroll 8
            for (int k = 0; k < j; ++k) s -= L[i * N + k] * L[j * N + k];
            L[i * N + j] = s * L[j * N + j];
        }
#pragma GCC unroll 8
        for (int k = 0; k < i; ++k) d -= L[i * N + k] * L[i * N + k];
        if (!(d > 0.0)) return NAN;
        L[i * N + i] = 1.0 / sqrt(d);
    }
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) {
        double s = b[i];
#pragma GCC unroll 8
        for (int k = 0; k < i; ++k) s -= L[i * N + k] * x[k];
        x[i] = s * L[i * N + i];
    }
#pragma GCC unroll 8
    for (int i = N - 1; i >= 0; --i) {
#pragma GCC unroll 8
        for (int k = i + 1; k < N; ++k) x[i] -= L[k * N + i] * x[k];
        x[i] *= L[i * N + i];
    }
    return x[0];
}

/// The same in one pass, every loop unrolled: what a 6 x 6 solve costs if the compiler does its best, which gcc does not do unasked.
static double solve_unrolled(const double *A, const double *b, double x[6])
{
    enum { N = 6 };
    double L[N * N];
#pragma GCC unroll 6
    for (int i = 0; i < N; ++i) {
        double d = A[i * N + i], s = b[i];
#pragma GCC unroll 6
        for (int j = 0; j < i; ++j) {
            double l = A[i * N + j];
#pragma GCC unroll 6
            for (int k = 0; k < j; ++k) l -= L[i * N + k] * L[j * N + k];
            l *= L[j * N + j];
            L[i * N + j] = l, d -= l * l, s -= l * x[j];
        }
        if (!(d > 0.0)) return NAN;
        L[i * N + i] = 1.0 / sqrt(d), x[i] = s * L[i * N + i];
    }
#pragma GCC unroll 6
    for (int i = N - 1; i >= 0; --i) {
#pragma GCC unroll 6
        for (int k = i + 1; k < N; ++k) x[i] -= L[k * N + i] * x[k];
        x[i] *= L[i * N + i];
    }
    return x[0];
}

/// One pass over the batch. What it returns keeps the compiler from leaving out the work.
static double pass(const measurement *m, const batch *b)
{
    scree_contact_options o = options_of(m);
    scree_contact_result r;
    double sum = 0.0, out[36], x[6];
    for (int i = 0; i < BATCH; ++i) {
        const scree_contact *c = &b->contact[i];
        switch (m->task) {
        case CHOLESKY: sum += solve_dense(c->W, c->q, x); break;
        case UNROLLED: sum += solve_unrolled(c->W, c->q, x); break;
        case PROJECT: scree_cone_project(&c->cone, c->q, out), sum += out[0]; break;
        case DERIVATIVE: scree_cone_project_derivative(&c->cone, c->q, out), sum += out[0]; break;
        case SOLVE: r = scree_contact_solve(c, &o, NULL), sum += r.p[0]; break;
        }
    }
    return sum;
}

/// Nanoseconds of the processor that this program has used: other programs on the machine do not count.
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ---- accuracy --------------------------------------------------------------------------------------------------- */

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

static double norm(int n, const double *a)
{
    return sqrt(dot(n, a, a));
}

/// Largest violation, relative to |x|, of: p in K, p - x in K*, p . (p - x) = 0.
static double moreau_violation(const scree_cone *c, const double *x, const double *p)
{
    int dim = scree_cone_dim(c);
    double d[6] = {0.0}, size = norm(dim, x), worst = 0.0, dual = 0.0, coefs = 1.0;
    for (int i = 0; i < dim; ++i) d[i] = p[i] - x[i];
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += c->size[k++]) {
        worst = fmax(worst, norm(c->size[k], p + at) - c->coef[k] * p[0]);
        dual += c->coef[k] * norm(c->size[k], d + at), coefs += c->coef[k];
    }
    return fmax(fmax(worst, (dual - d[0]) / coefs), fabs(dot(dim, p, d)) / size) / size;
}

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void judge_projection(const measurement *m, const batch *b, outcome *o)
{
    int regions[3] = {0};
    for (int i = 0; i < BATCH; ++i) {
        const scree_contact *c = &b->contact[i];
        double p[6], D[36], difference = 0.0;
        scree_projection where = scree_cone_project(&c->cone, c->q, p);
        regions[where.region] += 1;
        if (m->task == PROJECT) {
            o->worst = fmax(o->worst, moreau_violation(&c->cone, c->q, p));
            continue;
        }
        scree_cone_project_derivative(&c->cone, c->q, D);
        /* Euler: proj_K is homogeneous of degree 1, so D x = p */
        for (int k = 0; k < m->dim; ++k) difference = fmax(difference, fabs(dot(m->dim, D + k * m->dim, c->q) - p[k]));
        o->worst = fmax(o->worst, difference / norm(m->dim, c->q));
    }
    snprintf(o->mixture, sizeof o->mixture, "%.0f/%.0f/%.0f %% inside/face/apex", 100.0 * regions[0] / BATCH,
             100.0 * regions[1] / BATCH, 100.0 * regions[2] / BATCH);
}

static void judge_solver(const measurement *m, batch *b, outcome *o)
{
    scree_contact_options options = options_of(m);
    int failed = 0, proved = 0;
    for (int i = 0; i < BATCH; ++i) {
        scree_contact_result r = scree_contact_solve(&b->contact[i], &options, NULL);
        failed += r.outcome != SCREE_OUTCOME_CONVERGED || r.method != m->method;
        proved += scree_contact_unique(&b->contact[i]);
        b->iterations[i] = r.iterations;
        double residual = scree_contact_residual(&b->contact[i], r.p);
        o->worst = residual <= o->worst ? o->worst : residual;
    }
    o->failed = (double)failed / BATCH;
    qsort(b->iterations, BATCH, sizeof *b->iterations, ascending);
    o->median = b->iterations[BATCH / 2], o->most = b->iterations[BATCH * 99 / 100];
    snprintf(o->mixture, sizeof o->mixture, "%s, %.0f %% proved unique", m->mix == SLIDING ? "sliding" : "all modes",
             100.0 * proved / BATCH);
}

static void judge_cholesky(const measurement *m, const batch *b, outcome *o)
{
    for (int i = 0; i < BATCH; ++i) {
        const scree_contact *c = &b->contact[i];
        double x[6], r[6];
        if (isnan(m->task == CHOLESKY ? solve_dense(c->W, c->q, x) : solve_unrolled(c->W, c->q, x))) {
            o->failed += 1.0 / BATCH;
            continue;
        }
        for (int k = 0; k < 6; ++k) r[k] = dot(6, c->W + 6 * k, x) - c->q[k];
        o->worst = fmax(o->worst, norm(6, r) / norm(6, c->q));
    }
    snprintf(o->mixture, sizeof o->mixture, "W of rigid pairs");
}

/// `repeat` passes, or 0: as many as fit in 0.3 s, at least three.
static outcome measure(const measurement *m, int repeat, batch *b)
{
    static volatile double kept;
    outcome o = {.ns = INFINITY, .median = -1, .most = -1};
    prepare(m, b);
    double begin = now();
    for (int i = 0; repeat > 0 ? i < repeat : i < 3 || now() - begin < 3e8; ++i) {
        double start = now();
        kept = pass(m, b);
        o.ns = fmin(o.ns, (now() - start) / BATCH);
    }
    (void)kept;
    switch (m->task) {
    case CHOLESKY:
    case UNROLLED: judge_cholesky(m, b, &o); break;
    case PROJECT:
    case DERIVATIVE: judge_projection(m, b, &o); break;
    case SOLVE: judge_solver(m, b, &o); break;
    }
    return o;
}

/* ---- printing --------------------------------------------------------------------------------------------------- */

typedef struct origin {
    char machine[80], date[24];
} origin;

static origin find_origin(void)
{
    origin o;
    cli_machine(o.machine, sizeof o.machine);
    time_t t = time(NULL);
    struct tm utc;
    if (!gmtime_r(&t, &utc) || !strftime(o.date, sizeof o.date, "%Y-%m-%dT%H:%M:%SZ", &utc)) o.date[0] = '\0';
    return o;
}

static void print_row(const measurement *m, const outcome *o)
{
    char aim[24] = "", iterations[24] = "";
    if (m->aim > 0.0) snprintf(aim, sizeof aim, "%g%s", m->aim, o->multiple > m->aim ? " !" : "");
    if (o->median >= 0) snprintf(iterations, sizeof iterations, "%4d %5d", o->median, o->most);
    printf("%-25s %d %8.4g %7.3g  %-6s %7.1e %6.2g%% %10s  %s\n", m->name, m->dim, o->ns, o->multiple, aim, o->worst,
           100.0 * o->failed, iterations, o->mixture);
}

/// Fields that do not apply are empty.
static void print_csv(const measurement *m, const outcome *o, const origin *at)
{
    char aim[24] = "", iterations[24] = ",";
    if (m->aim > 0.0) snprintf(aim, sizeof aim, "%g", m->aim);
    if (o->median >= 0) snprintf(iterations, sizeof iterations, "%d,%d", o->median, o->most);
    printf("\"%s\",%d,%d,%.4g,%.4g,%s,%.3g,%.3g,%s,\"%s\",\"%s\",\"%s\",%s,%s\n", m->name, m->dim, BATCH, o->ns,
           o->multiple, aim, o->worst, o->failed, iterations, o->mixture, at->machine, COMPILER, cli_commit(),
           at->date);
}

static void write_json(scree_json *j, const measurement *m, const outcome *o)
{
    scree_json_object(j, NULL);
    scree_json_text(j, "name", m->name);
    scree_json_integer(j, "components", m->dim);
    scree_json_number(j, "ns", o->ns);
    scree_json_number(j, "multiple", o->multiple);
    if (m->aim > 0.0) scree_json_number(j, "aim", m->aim);
    else scree_json_null(j, "aim");
    scree_json_number(j, "worst", o->worst);
    scree_json_number(j, "failed", o->failed);
    if (o->median >= 0) {
        scree_json_integer(j, "iterations_median", o->median);
        scree_json_integer(j, "iterations_99", o->most);
    }
    scree_json_text(j, "mixture", o->mixture);
    scree_json_close(j);
}

static int bench_laws(int as_json, int as_csv, int repeat)
{
    batch *b = cli_memory(sizeof *b);
    origin at = find_origin();
    double unit = INFINITY;
    scree_json j = scree_json_start(stdout);
    if (as_json) {
        scree_json_object(&j, NULL);
        scree_json_text(&j, "machine", at.machine);
        scree_json_text(&j, "compiler", COMPILER);
        scree_json_text(&j, "commit", cli_commit());
        scree_json_text(&j, "date", at.date);
        scree_json_integer(&j, "calls", BATCH);
        scree_json_list(&j, "laws");
    } else if (as_csv) {
        printf("law,components,calls,ns,multiple,aim,worst,failed,iterations_median,iterations_99,mixture,machine,"
               "compiler,"
               "commit,date\n");
    } else {
        printf("%s; %s; commit %s; %s\n\n", at.machine, COMPILER, cli_commit(), at.date);
        printf("%-25s %s %8s %7s  %-6s %7s %7s %4s %5s  %s\n", "law", "n", "ns", "x chol", "aim", "worst", "failed",
               "it50", "it99", "batch");
    }
    outcome units[UNITS];
    for (int k = 0; k < UNITS; ++k) units[k] = measure(&measurements[k], repeat, b), unit = fmin(unit, units[k].ns);
    for (int k = 0; k < MEASUREMENT_COUNT; ++k) {
        outcome o = k < UNITS ? units[k] : measure(&measurements[k], repeat, b);
        o.multiple = o.ns / unit;
        if (as_json) write_json(&j, &measurements[k], &o);
        else if (as_csv) print_csv(&measurements[k], &o, &at);
        else print_row(&measurements[k], &o);
        fflush(stdout);
    }
    if (as_json) {
        scree_json_close(&j);
        scree_json_close(&j);
    }
    free(b);
    return CLI_DONE;
}

static int laws_command(int argc, char **argv)
{
    const char *command = argv[0];
    int as_json = 0, as_csv = 0, repeat = 0, operands;
    /* clang-format off */
    const cli_option options[] = {
        {"--repeat", "N", CLI_COUNT, &repeat,
         .text = "passes over each batch, of which the fastest counts; default: as many as fit in 0.3 seconds"},
        {"--json", NULL, CLI_FLAG, &as_json,
         .text = "one JSON object on standard output, and nothing else there"},
        {"--csv", NULL, CLI_FLAG, &as_csv,
         .text = "one line of comma-separated values per measurement, with machine, compiler, commit and date"},
    };
    /* clang-format on */
    int code = cli_options(argc, argv, &laws_about, options, CLI_COUNT_OF(options), &operands);
    if (code != CLI_GO_ON) return code;
    if (as_json && as_csv) return cli_usage(command, "--json and --csv exclude each other");
    if (operands > 0) return cli_usage(command, "'%s' is not expected here", argv[1]);
    return bench_laws(as_json, as_csv, repeat);
}

/* ---- the command: a measurement is one line --------------------------------------------------------------------- */

const cli_command cli_bench_suites[] = {
    {"laws", laws_command, "one call of each law and one-contact solver"},
    {"pile", cli_bench_pile, "time and memory of a step for beds of spheres"},
    {"solve", cli_bench_solve, "every solver on every problem file to every tolerance"},
    {NULL, NULL, NULL},
};
enum { SUITE_COUNT = CLI_COUNT_OF(cli_bench_suites) - 1 };

int cli_bench(int argc, char **argv)
{
    static char command[32];
    static const char *words[SUITE_COUNT + 1];
    char hint[64];
    int operands;
    for (int k = 0; k < SUITE_COUNT; ++k) {
        words[k] = cli_bench_suites[k].name;
        if (argc < 2 || strcmp(argv[1], words[k]) != 0) continue;
        snprintf(command, sizeof command, "bench %s", words[k]);
        argv[1] = command;
        return cli_bench_suites[k].run(argc - 1, argv + 1);
    }
    cli_about named = about;
    named.names = words;
    int code = cli_options(argc, argv, &named, NULL, 0, &operands);
    if (code != CLI_GO_ON) return code;
    if (operands > 0)
        return cli_usage("bench", "unknown measurement '%s'%s; 'scree bench' lists them", argv[1],
                         cli_did_you_mean(argv[1], words, SUITE_COUNT, hint));
    printf("What can be measured:\n");
    for (int k = 0; k < SUITE_COUNT; ++k)
        printf("  scree bench %-6s %s\n", cli_bench_suites[k].name, cli_bench_suites[k].summary);
    return CLI_DONE;
}
