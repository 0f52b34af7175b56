/* path.h: the parts of the compliance path: the law with fixed modes (path_law.c), its events (path_events.c), solutions with J
 * (path_factor.c), a step along the curve (path_curve.c), the method (path.c).                          docs/solvers/path.md */
#ifndef SCREE_SOLVERS_PATH_H
#define SCREE_SOLVERS_PATH_H

#include "solvers/solver_private.h"

#include "math/elementary.h"
#include "solvers/scaled.h"

enum { CLOSED = 1, STICKS = 2 };                /* mode of a contact: bits; STICKS << k of friction k                */
enum { INSIDE = 0, AT_MOST = 1, AT_LEAST = 2 }; /* mode of a bounded row                                             */
enum { COLUMNS = 96 };                          /* of T                                                              */
enum { KRYLOV = 24 };                           /* steps of a solution with J at most                                */

/// Which condition of which block changes: kind 0 the normal (or the bound), 1 + k friction k.
typedef struct event {
    int block, kind;
    double h; /* along the tangent */
} event;

typedef struct path {
    scaled scaled;
    scree_solver *sweeps; /* of a cold start; NULL: not used yet                      */
    int n;
    double *x0, *x, *y;         /* (n) centre, the point on the curve                       */
    double *z, *dx, *dy;        /* (n) dx/dt; the direction                                 */
    double *x_n, *y_n, *z_n;    /* (n) the point tried, and dx/dt for it                    */
    double *F, *d, *Wd, *r, *v; /* (n)                                                      */
    double *off, *b;            /* (n) W x + q + rho (x - x0) - y; B off                    */
    double *d_y, *z_y;          /* (n) change of y that belongs to d, to z                  */
    double *x_k;                /* (n) centre of finish                                     */
    double *A, *B;              /* of the last maps, as the problem's diagonal              */
    unsigned char *mode;        /* (blocks)                                                 */
    unsigned char *mode_kept;   /* (blocks) while finish tries                              */
    unsigned char *mode_before; /* (blocks) in a step of Newton                             */
    double t, rho_1, size;      /* size: |x0|                                               */
    double cap;                 /* step                                                     */
    double began, lowest;       /* residual of x0; least since                               */
    double waited;              /* work since it was seen                                   */
    double least;               /* rho                                                      */
    double until_finish;        /* work                                                     */
    event last;                 /* flipped last; block -1: none                             */
    int rests, nudges;          /* flips of the same without a step                         */
    int stale;                  /* the factor is not of this point                          */
    int sign;                   /* of det J_0                                               */
    double rho_kept;            /* of P                                                     */
    int flips, columns;         /* since                                                    */
    int flipped[COLUMNS];       /* blocks                                                   */
    int column_of[COLUMNS];     /* first column of each                                     */
    double *T;                  /* (COLUMNS x n)                                            */
    double *krylov;             /* (KRYLOV + 1) x n, the basis of a solution with J          */
    double *capacity;           /* (COLUMNS x COLUMNS) J_E T, factorised                    */
    int pivot[COLUMNS];
    int capacity_sign, krylov_sign;
    uint64_t random;
} path;

typedef struct condition {
    double value, slope; /* >= 0 as long as the mode holds; its change along (dx, dy) */
    double quadratic;    /* sticking: (c r_N)^2 - |l|^2 = square + 2 linear h + quadratic h^2, else not used */
    double linear, square;
    int is_disk;
} condition;

static inline double path_rho(const path *w, double t)
{
    return w->rho_1 * real_exp(-t);
}

/* ---- path_law.c */

/// A = dF/dx and B = dF/dy at a point of the graph of the law with the modes of w, F the equations of Alart and Curnier.
void path_matrices(path *w, const scree_problem *problem, const double *x, const double *y);
/// (x, y) + h (dx, dy) on the graph of the law with the modes of w: what the mode holds at 0 is 0, and sliding loads turn on their circles.
/// (x_n, y_n) may be (x, y).
void path_move(const path *w, const scree_problem *problem, const double *x, const double *y, double h,
               const double *dx, const double *dy, double *x_n, double *y_n);
/// (x, y) takes the modes that it asks for by itself; where they are others (or `all`), x is the law's answer to x - y, and x - y stays.
void path_take_modes(path *w, const scree_problem *problem, int all, double *x, double *y);
/// y = W x + q + rho (x - centre).
void path_velocity(const path *w, const double *x, double rho, const double *centre, double *y);
/// off = W x + q + rho (x - centre) - y. Returns its norm.
double path_imbalance(const path *w, const double *x, const double *y, double rho, const double *centre, double *off);

/* ---- path_events.c */

/// The condition of one kind at (x, y), along (dx, dy). 0: the block has no such condition in its mode.
int path_condition(const path *w, const scree_problem *problem, int b, int kind, const double *x, const double *y,
                   const double *dx, const double *dy, condition *g);
int path_same_event(const event *a, int block, int kind);
/// The first event along the direction. What was flipped last at this point is not an event again unless its condition falls.
event path_first_event(const path *w, const scree_problem *problem);
/// Events but `e` that lie between x and x_n: conditions that fell below 0.
int path_passed_others(const path *w, const scree_problem *problem, const event *e, double tolerance);
/// rad per step of the sliding load that turns fastest.
double path_fastest_turn(const path *w, const scree_problem *problem);

/* ---- path_factor.c */

/// J of the last matrices. 0: singular.
int path_factorise(path *w, const scree_problem *problem, double rho, monitor *m);
/// J_E T of the last matrices. 0: singular.
int path_factor_capacity(path *w, const scree_problem *problem, double rho);
/// Of det J, after path_tangent.
int path_sign(const path *w);
/// The other mode of one contact; its rows in J are no longer those of the factor.
void path_flip(path *w, const scree_problem *problem, const event *e, monitor *m);
/// The step d of Newton that takes w->off away, with the factor at hand, and the change d_y of y that belongs to it.
void path_newton_step(path *w, const scree_problem *problem, double rho, monitor *m);
/// z = dx/dt at the last matrices, for the centre distance of x_at. `fresh`: the factor is of this point. 0: it must be made again.
int path_tangent(path *w, const scree_problem *problem, double rho, const double *x_at, int fresh, double *z,
                 monitor *m);

/* ---- path_curve.c */

/// Solves W x + q + rho (x - centre) = y on the graph of the law at a fixed rho from x (in place), full steps. 1: to `target`.
int path_newton(path *w, const scree_problem *problem, double rho, const double *centre, int steps, double target,
                double *x, double *y, monitor *m);
/// Before the first step from (x, y) at rho_1.
void path_begin(path *w);
/// One step along the curve, to the next event or less. 0: no further.
int path_advance(path *w, const scree_problem *problem, monitor *m);

#endif
