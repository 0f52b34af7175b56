/* block_lu.h: sparse LU of a matrix of small blocks (2 to 6 rows, one block row per contact), pivots inside the diagonal blocks.
 *
 * Made for Newton's matrices on contact problems: the pattern is that of W, known once; hundreds of factorisations follow, of a
 * tenth to a few million flops each, where a general code spends its time on bookkeeping (UMFPACK takes ten times as long). */
#ifndef SCREE_SPARSE_BLOCK_LU_H
#define SCREE_SPARSE_BLOCK_LU_H

#include "base/memory.h"

#include "sparse/block.h"

typedef struct block_lu block_lu;

/// Analyses the pattern of A (square, symmetric, every diagonal block present; the values are not read): minimum degree order,
/// fill, memory. *out is NULL with SCREE_OK where a factorisation would take more than `flop_limit` flops.
scree_status block_lu_create(const block_matrix *A, double flop_limit, const scree_allocator *allocator,
                             block_lu **out);
void block_lu_destroy(block_lu *f);

/// All blocks zero.
void block_lu_clear(block_lu *f);
/// Where entry e of A goes (row-major); counts as non-zero from now on. Blocks never asked for cost nothing in factor.
double *block_lu_entry(block_lu *f, int e);

/// 1: done; 0: a diagonal block was singular when its turn came.
int block_lu_factor(block_lu *f);
/// x = A^-1 b. b and x must not overlap.
void block_lu_solve(block_lu *f, const double *b, double *x);

/// Sign of the determinant of the last factor (+1, -1).
int block_lu_determinant_sign(const block_lu *f);

/// Flops of the last factor, and numbers stored (of all blocks that may fill).
double block_lu_flops(const block_lu *f);
double block_lu_nonzeros(const block_lu *f);

#endif
