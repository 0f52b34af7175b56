/* scaled.h: a contact problem in scaled variables, and the matrices of Newton's methods on it.
 *
 *     p = D x,  y = D^-1 z:   z = (D W D) x + D q
 *
 * D makes the largest eigenvalue of each mechanism's block of W_cc one, so that the step of the maps is a number and not a mass, and
 * metres, radians and kilograms do not meet in one norm. Scaling the loads of one mechanism only changes its coefficient, so the scaled
 * problem is again a contact problem. The matrix of a step is J = A + B (W + rho I), with A and B block diagonal. It is factorised by
 * contacts, in blocks (sparse/block_lu.h) or, where that is too much, by UMFPACK; in large problems that came through the bodies, by bodies
 * (reduced.h): with C = A + rho B and W = D H'M^-1 H D
 *
 *     J x = b   <=>   (M + H E H') v = H D C^-1 b,   E = D C^-1 B D,    x = C^-1 b - C^-1 B D H'v,      det J = det C det(M + H E H')/det M
 */
#ifndef SCREE_SOLVERS_SCALED_H
#define SCREE_SOLVERS_SCALED_H

#include "problem/problem_private.h"
#include "solvers/reduced.h"
#include "sparse/block.h"
#include "sparse/block_lu.h"
#include "sparse/direct.h"

typedef struct scaled {
    int n;                         /* rows                                                      */
    block_matrix *W;               /* D W D with every diagonal block and a symmetric pattern   */
    scree_cone *cone;              /* (contacts) with scaled coefficients                       */
    double *D, *q;                 /* (n) p = D x; D q                                          */
    block_lu *lu;                  /* the matrix by blocks, or NULL and                         */
    direct *direct;                /* the matrix by columns:                                    */
    int *start;                    /* (n + 1)                                                   */
    int *place;                    /* (entries of W) rows above the block in its columns        */
    double *value;                 /* (start[n])                                                */
    const scree_problem *original; /* through the bodies, or NULL: by contacts             */
    reduced bodies;
    double *C_inverse, *GD; /* of each block: C^-1, C^-1 B D                             */
    double *u, *v;          /* (n), (dof_count)                                          */
    int sign_C;             /* of det C                                                  */
} scaled;

/// For an assembled problem. `original`: the problem as it came. `flop_limit`: of a block factorisation by contacts; above: UMFPACK.
scree_status scaled_create(const scree_problem *problem, const scree_problem *original, double flop_limit,
                           const scree_allocator *a, scaled *w);
void scaled_destroy(scaled *w, const scree_allocator *a);

/// D, W, q and the coefficients from the values of the problem.
void scaled_prepare(scaled *w, const scree_problem *problem, const scree_problem *original);

/// A + B (W + rho I), A and B as problem->diagonal. Block rows with B = 0 (contacts in the air) have their diagonal block only. 0: singular.
int scaled_factor(scaled *w, const scree_problem *problem, const double *A, const double *B, double rho);
void scaled_solve(scaled *w, const double *b, double *x);
/// From now on, until scaled_prepare, by the more accurate and slower factor. 0: there is none, or it is in use.
int scaled_be_careful(scaled *w);
/// Sign of the determinant of the last factor.
int scaled_determinant_sign(const scaled *w);

/// Cost of the last factorisation; of one solution with it; of a product by W and the maps of all contacts (work.h).
double scaled_factor_work(const scaled *w);
double scaled_solve_work(const scaled *w);
double scaled_product_work(const scaled *w);

#endif
