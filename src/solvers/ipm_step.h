/* ipm_step.h: one step of interior points (ipm.c): iterates, directions, and what ipm.c makes paths of. */
#ifndef SCREE_SOLVERS_IPM_STEP_H
#define SCREE_SOLVERS_IPM_STEP_H

#include "solvers/ipm_cone.h"
#include "solvers/reduced.h"
#include "solvers/solver_private.h"

typedef struct ipm_point {
    double *p;   /* (row_count) loads                                                                     */
    double *z;   /* (row_count) s_N in normal rows, v in the others; not used in bounded rows             */
    double *lam; /* (3 contact_count) slack of each mechanism                                             */
    lorentz_margin *det_x, *det_z; /* (3 contact_count) determinants of the pairs; not used in directions           */
    double *above, *below; /* (bound_count) multipliers of S - gamma and S + gamma                                  */
} ipm_point;

/// Where steps straight down stand, and steps along the path; kept when the monitor stops them, so that they may go on.
typedef struct ipm_progress {
    int stage, begun;      /* attempts straight down, then the path; its start has been made */
    int descending;        /* steps straight down are tried from the path                    */
    int step, since;       /* straight down: steps; since tau was lower                      */
    int unsymmetric;       /* the definite factor has failed                                 */
    double least;          /* tau                                                            */
    double lowest, parted; /* residual, and tau where it was that low                        */
    int path_step, straight;
    double stride, tau, path_least;
} ipm_progress;

typedef struct ipm {
    ipm_progress now;
    reduced definite, general;  /* convex law; Coulomb law, and the last steps of the convex one                    */
    ipm_point at, step, affine; /* iterate; direction; predictor                                                    */
    ipm_point good;             /* where the path was left to try steps straight down                              */
    ipm_point g;                /* right-hand sides: dz = g - G dx                                                  */
    lorentz_scaling *scaling;   /* (3 contact_count)                                                                */
    double *D;                  /* block by block as problem->diagonal                                              */
    double *rhs, *work;         /* (row_count)                                                                      */
    double *product;            /* scratch of products by W                                                         */
    double load, speed;         /* scales of the start: r_N and s_N                                                 */
    double theta;               /* 0 Coulomb, 1 convex                                                              */
    double kappa;               /* compliance, in units of speed/load at the first tau                              */
    double tau;                 /* mean of the products                                                             */
    int degree;                 /* number of products                                                               */
} ipm;

/// Compliance at a given tau [velocity per load].
static inline double ipm_compliance(const ipm *w, double tau)
{
    return w->kappa * tau / (w->load * w->load);
}

/// Sum of all products of (a, b): loads of a, slacks of b; bounded rows with their distances.
double ipm_products(const scree_problem *problem, const ipm_point *a);

/// Scales of velocity, rms of |q_c| over contacts, and of load: that over W_NN, whose inverse is averaged in the same way (where
/// masses differ it is the heavy bodies that set the loads).
void ipm_scales(ipm *w, const scree_problem *problem);

/// Every product is load x speed: the start is on the central path but for y = W p + q.
void ipm_begin(ipm *w, const scree_problem *problem);

/// Scalings of all cones, and D + compliance. 0 if the iterate has left the cones.
int ipm_scale(ipm *w, const scree_problem *problem, double soft);

/// g: dz = g - G dx takes every product to tau (`keep` 1), second-order terms of `affine` (may be NULL) included; or changes it
/// by tau (`keep` 0): the tangent of the central path by log tau.
void ipm_targets(ipm *w, const scree_problem *problem, double tau, double keep, const ipm_point *affine);

/// gap = W p + q + soft p - y: how far the iterate is from the linear relation.
void ipm_linear_gap(ipm *w, const scree_problem *problem, double soft, double *gap);

/// The step for the right-hand sides in w->g, and `gap` times `weight` of the linear relation.
void ipm_direction(ipm *w, reduced *r, const scree_problem *problem, const double *gap, double weight, ipm_point *out);

/// Largest step <= 1/fraction that keeps every pair in its cones.
double ipm_step_to_boundary(const ipm *w, const scree_problem *problem, const ipm_point *d, double most);

/// to = from + t d; from and to may be the same.
void ipm_point_move(const scree_problem *problem, const ipm_point *from, const ipm_point *d, double t, ipm_point *to);

/// The iterate moves by t d, its determinants with it.
void ipm_advance(ipm *w, const scree_problem *problem, const ipm_point *d, double t);

void ipm_point_copy(const scree_problem *problem, const ipm_point *from, ipm_point *to);

/// Product of two directions in the scaled variables, (T^-1 dx . T^-1 dx' + T dz . T dz')/tau: 1 per pair is a change of the
/// size of the pair itself.
double ipm_local_product(const ipm *w, const scree_problem *problem, const ipm_point *a, const ipm_point *b);

#endif
