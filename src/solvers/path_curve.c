/* path_curve.c: one step along the path (path.h): predictor, corrector, events, near ties.              docs/solvers/path.md */
#include "solvers/path.h"

#include "math/dense.h"
#include "solvers/work.h"

#include <string.h>

typedef struct tuning {
    double scale;      /* change of x, relative to |x0|, that counts as much as a change of t by 1   */
    double step_most;  /* along the curve                                                         */
    double turn;       /* rad, of any sliding load in a step                                      */
    double accuracy;   /* |off| over rho |x - x0|                                                 */
    double chord;      /* contraction of the corrector above which J is factorised again           */
    int refactors;     /* in one corrector                                                        */
    int tries, ties;   /* steps tried at a point; after so many another event may be passed       */
    int rests, nudges; /* flips without a step; shifts of x0                                      */
    double nudge;      /* relative                                                                */
} tuning;

static const tuning tuned = {.scale = 0.01,
                             .step_most = 0.5,
                             .turn = 0.3,
                             .accuracy = 1e-3,
                             .chord = 0.5,
                             .refactors = 3,
                             .tries = 18,
                             .ties = 9,
                             .rests = 6,
                             .nudges = 6,
                             .nudge = 1e-4};

/// Solves W x + q + rho (x - centre) = y on the graph of the law at a fixed rho from x (in place), full steps. 1: to `target`.
int path_newton(path *w, const scree_problem *problem, double rho, const double *centre, int steps, double target,
                double *x, double *y, monitor *m)
{
    double best = (double)INFINITY;
    int since = 0;
    w->stale = 1;
    path_velocity(w, x, rho, centre, y);
    path_take_modes(w, problem, 1, x, y);
    for (int k = 0;; ++k) {
        double off = path_imbalance(w, x, y, rho, centre, w->off);
        if (off <= target) return 1;
        if (!(off <= 1e100) || k == steps) return 0;
        if (off < 0.9 * best) best = off, since = 0;
        else if (++since > 4) return 0;
        path_matrices(w, problem, x, y);
        if (!path_factorise(w, problem, rho, m)) return 0;
        m->iterations += 1;
        path_newton_step(w, problem, rho, m);
        path_move(w, problem, x, y, 1.0, w->d, w->d_y, x, y);
        path_take_modes(w, problem, 0, x, y);
    }
}

/// dy/dt by itself, x held: -rho (x - x0).
static double drift(const path *w, double rho, int i)
{
    return -rho * (w->x[i] - w->x0[i]);
}

/// Matrices, factor and tangent at the point. 0: J is singular.
static int prepare_point(path *w, const scree_problem *problem, double rho, monitor *m)
{
    path_move(w, problem, w->x, w->y, 0.0, w->x, w->y, w->x, w->y);
    path_matrices(w, problem, w->x, w->y);
    if (w->stale ? !path_factorise(w, problem, rho, m) : w->flips && !path_factor_capacity(w, problem, rho)) {
        if (w->stale || !path_factorise(w, problem, rho, m)) return 0;
    }
    double off = path_imbalance(w, w->x, w->y, rho, w->x0, w->off);
    if (off > 1e-13 * w->size) { /* one step back to the curve */
        path_newton_step(w, problem, rho, m);
        path_move(w, problem, w->x, w->y, 1.0, w->d, w->d_y, w->x_n, w->y_n);
        if (path_imbalance(w, w->x_n, w->y_n, rho, w->x0, w->off) < 0.5 * off) {
            memcpy(w->x, w->x_n, (size_t)w->n * sizeof *w->x);
            memcpy(w->y, w->y_n, (size_t)w->n * sizeof *w->y);
        }
    }
    if (path_tangent(w, problem, rho, w->x, 0, w->z, m)) return 1;
    if (path_factorise(w, problem, rho, m) && path_tangent(w, problem, rho, w->x, 1, w->z, m)) return 1;
    return scaled_be_careful(&w->scaled) && path_factorise(w, problem, rho, m) &&
           path_tangent(w, problem, rho, w->x, 1, w->z, m);
}

typedef struct stride {
    double h, t;     /* along the direction; t where it ends                       */
    const event *at; /* it ends at this event, or on the plane across NULL         */
    int refactored;
} stride;

/// Moves by h along the direction, and from there onto the curve, in the plane across the direction or on the surface of the event. 1: done.
static int correct(path *w, const scree_problem *problem, double dt, double tolerance, stride *s, monitor *m)
{
    double weight = 1.0 / (tuned.scale * tuned.scale * w->size * w->size), last = (double)INFINITY;
    const double *z = w->z;
    s->t = w->t + s->h * dt;
    path_move(w, problem, w->x, w->y, s->h, w->dx, w->dy, w->x_n, w->y_n);
    for (int k = 0; k < 14; ++k) {
        double rho = path_rho(w, s->t), more;
        condition g = {0};
        double off = path_imbalance(w, w->x_n, w->y_n, rho, w->x0, w->off);
        m->work += 2.0 * scaled_product_work(&w->scaled);
        if (s->at) path_condition(w, problem, s->at->block, s->at->kind, w->x_n, w->y_n, w->dx, w->dy, &g);
        if (off <= tolerance && fabs(g.value) <= number_max(0.1 * tolerance, 1e-12 * w->size)) return 1;
        if (!(off <= 1e6 * w->size)) return 0;
        if (k > 0 && off > tuned.chord * last) {
            if (s->refactored == tuned.refactors) return 0;
            s->refactored += 1;
            path_matrices(w, problem, w->x_n, w->y_n);
            if (!path_factorise(w, problem, rho, m) || !path_tangent(w, problem, rho, w->x_n, 1, w->z_n, m)) return 0;
            z = w->z_n;
        }
        last = off;
        path_newton_step(w, problem, rho, m);
        block_matrix_apply(w->scaled.W, 0, z, w->z_y);
        for (int i = 0; i < w->n; ++i) w->z_y[i] += rho * z[i] - rho * (w->x_n[i] - w->x0[i]);
        if (s->at) {
            condition by_d, by_z;
            path_condition(w, problem, s->at->block, s->at->kind, w->x_n, w->y_n, w->d, w->d_y, &by_d);
            path_condition(w, problem, s->at->block, s->at->kind, w->x_n, w->y_n, z, w->z_y, &by_z);
            if (by_z.slope == 0.0) return 0;
            more = -(g.value + by_d.slope) / by_z.slope;
            if (!(fabs(more) <= 10.0 * s->h * fabs(dt) + 1e-6)) return 0;
        } else {
            more = -weight * dot(w->n, w->dx, w->d) / (weight * dot(w->n, w->dx, z) + dt);
        }
        for (int i = 0; i < w->n; ++i) w->d[i] += more * z[i], w->d_y[i] += more * w->z_y[i];
        path_move(w, problem, w->x_n, w->y_n, 1.0, w->d, w->d_y, w->x_n, w->y_n);
        s->t += more;
    }
    return 0;
}

/// x0 moves a little at random, and the point with it: another curve close by, which meets its events one by one.
static int nudge(path *w, const scree_problem *problem, monitor *m)
{
    double size = tuned.nudge * w->size / sqrt(w->n + 1e-300);
    if (++w->nudges > tuned.nudges) return 0;
    for (int i = 0; i < w->n; ++i) {
        w->random = w->random * 6364136223846793005u + 1442695040888963407u;
        w->x0[i] += size * ((double)(w->random >> 11) * 0x1p-52 - 1.0);
    }
    w->last.block = -1, w->rests = 0;
    return path_newton(w, problem, path_rho(w, w->t), w->x0, 60, 1e-13 * w->size, w->x, w->y, m);
}

void path_begin(path *w)
{
    w->t = 0.0, w->cap = tuned.step_most, w->last.block = -1, w->rests = w->nudges = 0;
}

int path_advance(path *w, const scree_problem *problem, monitor *m)
{
    double rho = path_rho(w, w->t);
    if (!prepare_point(w, problem, rho, m)) return nudge(w, problem, m);
    double weight = 1.0 / (tuned.scale * tuned.scale * w->size * w->size), off = 0.0;
    double dt = path_sign(w) / sqrt(1.0 + weight * dot(w->n, w->z, w->z));
    for (int i = 0; i < w->n; ++i) w->dx[i] = w->z[i] * dt, off += (w->x[i] - w->x0[i]) * (w->x[i] - w->x0[i]);
    block_matrix_apply(w->scaled.W, 0, w->dx, w->dy);
    for (int i = 0; i < w->n; ++i) w->dy[i] += rho * w->dx[i] + dt * drift(w, rho, i);
    double tolerance = number_max(tuned.accuracy * rho * sqrt(off), 4e-15 * w->size);

    event e = path_first_event(w, problem);
    if (e.block >= 0 && !(e.h > 0.0)) { /* met, or passed, already */
        w->rests = path_same_event(&w->last, e.block, e.kind) ? w->rests + 1 : 0, w->last = e;
        if (w->rests > tuned.rests) return nudge(w, problem, m);
        path_flip(w, problem, &e, m);
        return 1;
    }
    double turn = path_fastest_turn(w, problem), free = turn > 0.0 ? number_min(w->cap, tuned.turn / turn) : w->cap;
    stride s = {.h = number_min(e.h, free)};
    int tries = 0, done = 0;
    for (; !done; ++tries) {
        s.at = s.h >= e.h ? &e : NULL, s.refactored = 0;
        done = correct(w, problem, dt, tolerance, &s, m);
        if (done && tries < tuned.ties && path_passed_others(w, problem, s.at, number_max(tolerance, 1e-12 * w->size)))
            done = 0;
        if (done) break;
        if (s.refactored) { /* the factor belongs to a point that was not reached */
            path_matrices(w, problem, w->x, w->y);
            if (!path_factorise(w, problem, rho, m)) return nudge(w, problem, m);
        }
        if (tries == tuned.tries) return nudge(w, problem, m);
        s.h *= tries < 1 ? 0.4 : 0.25;
    }
    if (tries) w->cap = 1.2 * s.h;
    else if (!s.at || s.h > 0.5 * w->cap) w->cap = number_min(tuned.step_most, w->cap * (s.refactored > 1 ? 1.2 : 2.0));
    memcpy(w->x, w->x_n, (size_t)w->n * sizeof *w->x);
    memcpy(w->y, w->y_n, (size_t)w->n * sizeof *w->y);
    w->t = s.t;
    if (!s.at) {
        w->last.block = -1, w->rests = 0;
        return 1;
    }
    w->rests = path_same_event(&w->last, e.block, e.kind) ? w->rests + 1 : 0, w->last = e;
    path_flip(w, problem, &e, m);
    return 1;
}
