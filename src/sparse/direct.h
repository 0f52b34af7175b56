/* direct.h: sparse direct factorisation behind one small interface: CHOLMOD for symmetric definite matrices, UMFPACK for
 * unsymmetric ones; without SuiteSparse (SCREE_MINIMAL) a dense factorisation of our own, for problems of a few thousand rows.
 *
 * The pattern is analysed once, at create; each factor reuses it. SuiteSparse takes memory of its own inside factor: the one
 * exception to "nothing is allocated inside a solve". */
#ifndef SCREE_SPARSE_DIRECT_H
#define SCREE_SPARSE_DIRECT_H

#include <scree/base.h>

typedef enum direct_kind {
    DIRECT_DEFINITE,    /* symmetric positive definite: the lower triangle (diagonal included) is given */
    DIRECT_UNSYMMETRIC, /* any square matrix: all entries given                                          */
    DIRECT_ORDERED,     /* as DIRECT_DEFINITE, and to be eliminated in the order given (see direct_order) */
} direct_kind;

typedef struct direct direct;

/// An order of elimination with little fill for a symmetric pattern: order[k] is the k-th column. Of each pair (i, j), (j, i) the
/// entry above the diagonal is read. For a matrix of dense blocks it is found on the blocks: a block of three rows is one column in
/// place of three. Without SuiteSparse the order given.
scree_status direct_order(int n, const int *start, const int *row, int *order);

/// Compressed columns: rows row[start[j]] .. row[start[j+1] - 1] of column j, ascending. The arrays are copied.
scree_status direct_create(direct_kind kind, int n, const int *start, const int *row, const scree_allocator *allocator,
                           direct **out);
void direct_destroy(direct *d);

/// Factorises the values (same order as the pattern). 1: done; 0: singular, not definite, or out of memory.
int direct_factor(direct *d, const double *value);

/// x = A^-1 b with the last factor. b and x must not overlap.
void direct_solve(direct *d, const double *b, double *x);

/// X = A^-1 B for `count` right-hand sides, one after the other (n each). Several times faster than one by one where the factor is
/// sparse and definite. B and X must not overlap. 0: no memory, X is not set.
int direct_solve_many(direct *d, int count, const double *B, double *X);

/// Sign of the determinant of the last unsymmetric factor (+1, -1, 0).
int direct_determinant_sign(const direct *d);

/// Numbers stored by the last factor: its cost in memory.
double direct_nonzeros(const direct *d);
/// Flops of the last factor. They depend on the matrix alone: a measure of time without a clock.
double direct_flops(const direct *d);

#endif
