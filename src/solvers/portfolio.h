/* portfolio.h: several methods on one problem, in slices of counted work: what `auto` and `stepping` are made of. docs/solvers/auto.md
 *
 *     round k = 0, 1, ...:  each method gets a slice: in round 0 the iterations of its line, later its share of all work so far, so that
 *                           a round doubles what has been spent
 *     a method that converges (at the rate of its last slice it ends within the work of all methods so far) gets slice after slice
 *     a method whose slice has brought nothing gets half as much next time, down to an eighth (the sweeps: a quarter)
 *     the sweeps (line 0) run beside the others: after every slice they get a third of its work, a quarter of the whole; they wait while
 *     a method that holds the best point converges
 *
 * Every method keeps its own iterate and goes on where its slice ended. All have one monitor: one trace, one clock, one best point, which
 * none can spoil. From that point methods marked `finishes` begin again, where it is better by half than the one they began from. Work is
 * counted (work.h), so that what is done depends on the problem alone. */
#ifndef SCREE_SOLVERS_PORTFOLIO_H
#define SCREE_SOLVERS_PORTFOLIO_H

#include "solvers/solver_private.h"

enum { PORTFOLIO_MOST = 6 };

/// A method, and what it may do in round 0.
typedef struct portfolio_line {
    const char *method;
    int iterations;   /* of its slices in round 0; line 0: unused                                        */
    int slices;       /* in round 0, at least                                                            */
    double tolerance; /* round 0: not asked to go below                                                  */
    double beside;    /* work of the sweeps beside its slices in round 0, in slices; 0: a third            */
    double penalty;   /* option of that name                                                             */
    int finishes;     /* begins from the best point, and again where that has got better                 */
    int (*takes_part)(const scree_problem *problem, int round);
} portfolio_line;

typedef struct portfolio_arm {
    scree_solver *method; /* NULL: not used yet                                         */
    double *p;            /* (row_count) its own iterate                                */
    int begun, ended;     /* in this solve; ended: it gave up                           */
    double work, best;    /* in this solve: in all; least residual                      */
    double gained, spent; /* last slice: decades, work                                  */
    double began;         /* residual of the point it began from                        */
    double weight;        /* of its slices                                              */
} portfolio_arm;

typedef struct portfolio {
    const portfolio_line *line;
    int count;
    portfolio_arm arm[PORTFOLIO_MOST];
    double work;    /* of all arms in this solve */
    int iterations; /* the same                  */
    int most;       /* 0: no limit               */
} portfolio;

/// What one slice may take.
typedef struct portfolio_slice {
    int iterations;   /* 0: no limit                                                                 */
    double work;      /* 0: no limit                                                                 */
    double expected;  /* as monitor.expected                                                         */
    double tolerance; /* 0: that of the solver                                                       */
    int rests;        /* admm: the penalty of a structure in which all contacts stick                */
} portfolio_slice;

/// With the methods of `line`; only line `first` is made now, the others when they are first used, and kept.
scree_status portfolio_create(scree_solver *s, scree_problem *problem, const portfolio_line *line, int count, int first,
                              portfolio *f, scree_error *error);
void portfolio_destroy(scree_solver *s, portfolio *f);

/// Before a solve. `most`: iterations of all methods, 0: no limit.
void portfolio_begin(portfolio *f, int most);

/// One slice of arm i. 1: it is over, the problem answered or the caller's patience at its end.
int portfolio_run(scree_solver *s, portfolio *f, scree_problem *problem, int i, const portfolio_slice *slice,
                  monitor *m);

/// A round. `allowed`: work in all after which it ends, 0: none. 1: it is over.
int portfolio_round(scree_solver *s, portfolio *f, scree_problem *problem, int round, double allowed, monitor *m);

/// Work of arm i in all, if its residual goes on falling at its mean rate from 1.
double portfolio_promise(const portfolio *f, int i, double tolerance);

/// At the rate of its last slice, does arm i end within `work` more?
int portfolio_ends_within(const portfolio *f, int i, double tolerance, double work);

/// Work of a factorisation by arm i, once it has made one; else 0.
double portfolio_factor(const portfolio *f, int i);

/// Is arm i used for this problem in this round?
int portfolio_takes(const portfolio *f, const scree_problem *problem, int i, int round);

/// Is there any other method than the sweeps for this problem?
int portfolio_has_more(const portfolio *f, const scree_problem *problem);

#endif
