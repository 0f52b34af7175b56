/* block.h: block CSR matrices with blocks of any size.
 *
 * Products run over block rows in order and over the entries of a row in order of column: the sum does not depend on anything but
 * the matrix. Cost: two flops and eight bytes per stored value. */
#ifndef SCREE_SPARSE_BLOCK_H
#define SCREE_SPARSE_BLOCK_H

#include "base/memory.h"

/// Entry e of block row i (start[i] <= e < start[i+1]) is the block in block column column[e], row-major at value + at[e]. Columns ascend
/// within a row. Offsets are first scalar rows and columns. scree_block_matrix (scree/problem.h) is the same, to read.
typedef struct block_matrix {
    int row_blocks, col_blocks;
    int *row_offset; /* (row_blocks + 1) */
    int *col_offset; /* (col_blocks + 1) */
    int *start;      /* (row_blocks + 1) */
    int *column;     /* (entries)        */
    size_t *at;      /* (entries + 1)    */
    double *value;
} block_matrix;

/// Block entries in any order, packed one after the other in `value` (NULL: the pattern with zeros); duplicates add up. Offsets are
/// copied.
scree_status block_matrix_create(int row_blocks, const int *row_offset, int col_blocks, const int *col_offset,
                                 size_t entry_count, const int *row, const int *column, const double *value,
                                 const scree_allocator *allocator, block_matrix **out);
/// The pattern of A, with zeros.
scree_status block_matrix_create_like(const block_matrix *A, const scree_allocator *allocator, block_matrix **out);
void block_matrix_destroy(block_matrix *A, const scree_allocator *allocator);

/// The block (i, j), or NULL. Bisection.
const double *block_matrix_find(const block_matrix *A, int i, int j);

/// y = A x  (y += A x with `add`).
void block_matrix_apply(const block_matrix *A, int add, const double *x, double *y);
/// y += A' x.
void block_matrix_apply_transpose(const block_matrix *A, const double *x, double *y);

/// y += B x, B m x n row-major.
static inline __attribute__((always_inline)) void block_add(int m, int n, const double *B, const double *x, double *y)
{
    for (int r = 0; r < m; ++r) {
        double s = 0.0;
        for (int c = 0; c < n; ++c) s += B[r * n + c] * x[c];
        y[r] += s;
    }
}

/// y (rows of block row i) += sum over the entries of block row i of A_ij x_j. The sizes that fill every problem are constants.
static inline void block_row_apply(const block_matrix *A, int i, const double *x, double *y)
{
    int m = A->row_offset[i + 1] - A->row_offset[i];
    for (int e = A->start[i]; e < A->start[i + 1]; ++e) {
        int j = A->column[e], n = A->col_offset[j + 1] - A->col_offset[j];
        const double *B = A->value + A->at[e], *x_j = x + A->col_offset[j];
        if (m == 3 && n == 3) block_add(3, 3, B, x_j, y);
        else if (m == 3 && n == 6) block_add(3, 6, B, x_j, y);
        else if (m == 2 && n == 2) block_add(2, 2, B, x_j, y);
        else if (m == 5 && n == 5) block_add(5, 5, B, x_j, y);
        else if (m == 6 && n == 6) block_add(6, 6, B, x_j, y);
        else block_add(m, n, B, x_j, y);
    }
}

#endif
