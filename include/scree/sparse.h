/* sparse.h: block matrices, as the problem stores them. An open struct: anyone may read, print, save it.
 *
 * Thread safety: plain data; threads may read one matrix while none writes it. */
#ifndef SCREE_SPARSE_H
#define SCREE_SPARSE_H

#include <scree/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Block CSR with blocks of any size. Entry e of block row i (start[i] <= e < start[i+1]) is the block in block column
/// column[e], row-major at value + at[e]. Columns ascend within a row. Offsets are first scalar rows and columns.
typedef struct scree_block_matrix {
    int row_blocks, col_blocks;
    int *row_offset; /* (row_blocks + 1) */
    int *col_offset; /* (col_blocks + 1) */
    int *start;      /* (row_blocks + 1) */
    int *column;     /* (entries)        */
    size_t *at;      /* (entries + 1)    */
    double *value;
} scree_block_matrix;

#ifdef __cplusplus
}
#endif
#endif
