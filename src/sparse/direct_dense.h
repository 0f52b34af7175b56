/* direct_dense.h: dense factorisation of a matrix given by compressed columns: small or nearly full matrices, and all of them
 * in builds without SuiteSparse. */
#ifndef SCREE_SPARSE_DIRECT_DENSE_H
#define SCREE_SPARSE_DIRECT_DENSE_H

#include "base/memory.h"
#include "sparse/direct.h"

typedef struct dense_factor {
    direct_kind kind;
    int n;               /* order of the matrix                                                        */
    int m, stride;       /* order and row length of the part that is factorised                       */
    int sign;            /* of the determinant                                                         */
    double *LU;          /* (m x stride) row-major: L below the diagonal, U on and above; Cholesky: L  */
    int *swap;           /* (m) row exchanged with row k at step k                                     */
    int *active;         /* (m) rows (and columns) of the matrix that are factorised                   */
    int *place;          /* (n) index among the active, -1: the row has its diagonal entry only        */
    double *diagonal;    /* (n) the diagonal                                                           */
    double *work;        /* (n)                                                                        */
    const int *start;    /* (n + 1) compressed columns, kept by the caller                             */
    const int *row;      /* (start[n])                                                                 */
    const double *value; /* (start[n]) of the last factor, kept by the caller                        */
} dense_factor;

scree_status dense_create(direct_kind kind, int n, const int *start, const int *row, const scree_allocator *allocator,
                          dense_factor *f);
void dense_destroy(dense_factor *f, const scree_allocator *allocator);

/// As direct_factor and direct_solve; `value` must live until the last solve.
int dense_factorise(dense_factor *f, const double *value);
void dense_solve(dense_factor *f, const double *b, double *x);

#endif
