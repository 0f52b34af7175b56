/* reduced.h: the linear systems (W + D) x = b of admm and ipm, D block diagonal, in the smaller of two forms.
 *
 *   by contacts:  W + D, assembled                                                        row_count unknowns
 *   by bodies:    with W = H'M^-1 H + C and E = (D + C)^-1,  (M + H E H') v = H E b,  x = E (b - H'v)
 *                                                                                         dof_count unknowns
 * Definite where W and every block of D are symmetric; else unsymmetric. The pattern is found and analysed at create.
 *
 * Unsymmetric matrices have two factors: block_lu, which is several times faster but pivots inside the diagonal blocks only, and
 * direct. The first is used until a solution with it cannot be refined, or until the caller asks for care. */
#ifndef SCREE_SOLVERS_REDUCED_H
#define SCREE_SOLVERS_REDUCED_H

#include "base/memory.h"
#include "problem/problem_private.h"
#include "sparse/block_lu.h"
#include "sparse/direct.h"

/// A row of D that holds its unknown at 0: D = infinity there.
#define REDUCED_PINNED 1e300

typedef struct reduced {
    int by_bodies;
    int definite;     /* the factor is symmetric definite                                             */
    int n;            /* unknowns of the factor                                                       */
    block_matrix *A;  /* the matrix by blocks: of contacts, or of bodies                              */
    int *order, *to;  /* (blocks of A) block at place k; first row of a block in the columns below     */
    int *lead;        /* (entries of A) rows above the block in its scalar column                     */
    int *start, *row; /* compressed columns of A in that order, lower triangle where definite         */
    double *value;
    size_t *from;  /* by contacts: entry of W -> value in A; by bodies: pair of entries of H' -> value in A */
    size_t *pair;  /* (block_count + 1) by bodies: first pair of each contact                           */
    double *mass;  /* by bodies: M, block by block as inv_mass                                          */
    size_t *place; /* by bodies, M general: entry of M -> value in A                                    */
    double *E;     /* by bodies: (D + C)^-1, block by block as the diagonal of the problem              */
    double *s;     /* (n) scaling: definite diag(s) A diag(s), of diagonal 1; else diag(s) A, rows of largest entry 1 */
    double *v;     /* (n) by bodies: H E b, then the velocities                                         */
    double *b, *x; /* (n) right-hand side and solution of the factor, in its order                      */
    double *r, *e, *t; /* (row_count) of the refinement                                                      */
    double *product;   /* scratch of products by W                                                          */
    const double *D;   /* of the last factor; the caller keeps it                                           */
    direct *factor;
    block_lu *blocks; /* or NULL: definite, or too large for it to be the faster one                       */
    int careful;      /* use `factor`; set by reduced_solve when `blocks` was not accurate enough, and by the caller  */
    int by_blocks;    /* the last factor is that of `blocks`                                               */
} reduced;

/// 1 if W is symmetric to 1e-12 of its largest entry, or comes through the bodies.
int reduced_symmetric(const scree_problem *problem);

/// By bodies where that has fewer unknowns and every M^-1 is invertible; a problem through the bodies that is not so fits
/// neither form: SCREE_ERR_UNSUPPORTED, and the caller assembles W first (reduced_fits tells beforehand).
scree_status reduced_create(const scree_problem *problem, int definite, const scree_allocator *allocator, reduced *r);
int reduced_fits(const scree_problem *problem);
void reduced_destroy(reduced *r, const scree_allocator *allocator);

/// Factorises W + D, D block by block as problem->diagonal. 0: singular (or not definite).
int reduced_factor(reduced *r, const scree_problem *problem, const double *D);

/// By bodies only: factorises M + H E H' with the blocks of r->E as the caller has set them; 0: singular.
int reduced_factor_bodies(reduced *r, const scree_problem *problem);
/// v (dof_count) = (M + H E H')^-1 H w by that factor.
void reduced_solve_bodies(reduced *r, const scree_problem *problem, const double *w, double *v);

/// Sign of the determinant of the last unsymmetric factor (+1, -1, 0).
int reduced_determinant_sign(const reduced *r);

/// The last factorisation, and one solution with it (work.h).
double reduced_work(const reduced *r, const scree_problem *problem);
double reduced_solve_work(const reduced *r, const scree_problem *problem);

/// x <- x + (W + D)^-1 (b - (W + D) x), the product with the true W: what an iteration needs where the factor is not quite W's.
void reduced_correct(reduced *r, const scree_problem *problem, const double *b, double *x);

/// x = (W + D)^-1 b with at most `refinements` steps of iterative refinement.
void reduced_solve(reduced *r, const scree_problem *problem, int refinements, const double *b, double *x);

#endif
