/* block_lu.c: P A P' = L U by rows of blocks.
 *
 *     row i:  for k < i in its pattern:  L_ik = A_ik D_k,  A_ij -= L_ik U_kj for j in the pattern of row k, j > k;
 *             U_ij = A_ij for j > i,     D_i = A_ii^-1
 *
 * The order P is that of minimum degree, found on the graph of blocks with one bit per pair: exact degrees, no quotient graph.
 * Pivoting is by rows inside a diagonal block only, so that the pattern of L and U is known beforehand. This is less stable than
 * partial pivoting; Newton's method adds rho I to W, refines each solution by its residual, and raises rho where that fails.
 *
 * Blocks that are zero by value are skipped: the row of a contact in the air has nothing but its diagonal block, and then neither
 * it nor its column costs anything. */
#include "sparse/block_lu.h"

#include "math/scalar.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK_MAX = 6, ORDER_MAX = 8192 /* blocks: one bit per pair is 8 MiB */ };

struct block_lu {
    int n;              /* blocks                                                          */
    int *order, *where; /* (n) block at position k; position of a block                    */
    int *first;         /* (n) first row of the block at position k, in b and x            */
    int *size;          /* (n) its rows                                                    */
    int *start;         /* (n + 1) entries of each row of L + U                            */
    int *diagonal;      /* (n) the entry on the diagonal                                   */
    int *column;        /* (entries) positions, ascending                                  */
    size_t *at;         /* (entries + 1) of the block in value                             */
    unsigned char *set; /* (entries) 0: the block is zero                                  */
    double *value;      /* L, D, U                                                         */
    int *target;        /* (entries of A) entry of L + U                                   */
    int *entry_of;      /* (n) entry of the current row in a column                        */
    double flops, done; /* of a full factorisation; of the last one */
    int sign;           /* of the determinant of the last factor */
    scree_allocator allocator;
};

void block_lu_destroy(block_lu *f)
{
    if (!f) return;
    scree_allocator a = f->allocator;
    void *const arrays[] = {f->order,  f->where, f->first, f->size,  f->start,  f->diagonal,
                            f->column, f->at,    f->set,   f->value, f->target, f->entry_of};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) memory_free(&a, arrays[i]);
    memory_free(&a, f);
}

/* ---- analysis ------------------------------------------------------------------------------------------------------------ */

static int has_bit(const uint64_t *set, int i)
{
    return (int)(set[i / 64] >> (i % 64) & 1u);
}

/// Bits set in x, by adding up ever wider fields.
static int bits_of(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (int)(x * UINT64_C(0x0101010101010101) >> 56);
}

static int count_bits(int words, const uint64_t *set)
{
    int count = 0;
    for (int w = 0; w < words; ++w) count += bits_of(set[w]);
    return count;
}

/// Eliminates the block of least degree until none is left. On return row i of `graph` (n x words) has the blocks that were
/// still there, and adjacent, when i went: the pattern of its row of U. Ties go to the lower index.
static void minimum_degree(block_lu *f, int words, uint64_t *graph, int *degree)
{
    int n = f->n;
    for (int i = 0; i < n; ++i) degree[i] = count_bits(words, graph + (size_t)i * (size_t)words), f->where[i] = -1;
    for (int k = 0; k < n; ++k) {
        int pivot = -1;
        for (int i = 0; i < n; ++i)
            if (f->where[i] < 0 && (pivot < 0 || degree[i] < degree[pivot])) pivot = i;
        uint64_t *row = graph + (size_t)pivot * (size_t)words;
        f->order[k] = pivot, f->where[pivot] = k;
        for (int w = 0; w < words; ++w)
            for (uint64_t x = row[w]; x; x &= x - 1) {
                int i = 64 * w + bits_of((x & (~x + 1)) - 1); /* zeros below the lowest bit of x */
                if (i == pivot) continue;
                uint64_t *other = graph + (size_t)i * (size_t)words;
                for (int v = 0; v < words; ++v) other[v] |= row[v];
                other[pivot / 64] &= ~(UINT64_C(1) << (pivot % 64));
                degree[i] = count_bits(words, other);
            }
    }
}

static void make_graph(const block_matrix *A, int words, uint64_t *graph)
{
    for (int i = 0; i < A->row_blocks; ++i)
        for (int e = A->start[i]; e < A->start[i + 1]; ++e) {
            int j = A->column[e];
            graph[(size_t)i * (size_t)words + (size_t)(j / 64)] |= UINT64_C(1) << (j % 64);
            graph[(size_t)j * (size_t)words + (size_t)(i / 64)] |= UINT64_C(1) << (i % 64);
        }
}

/// Rows of U from the graph and rows of L as their mirror image; columns ascend in order of elimination.
static scree_status make_pattern(block_lu *f, const block_matrix *A, int words, const uint64_t *graph)
{
    int n = f->n;
    double values = 0.0;
    for (int k = 0; k < n; ++k) {
        f->first[k] = A->row_offset[f->order[k]];
        f->size[k] = A->row_offset[f->order[k] + 1] - f->first[k];
    }
    for (int k = 0; k < n; ++k) {
        const uint64_t *row = graph + (size_t)f->order[k] * (size_t)words;
        double above = 0.0;
        for (int i = 0; i < n; ++i)
            if (has_bit(row, i) && f->where[i] > k) {
                f->start[k + 1] += 1, f->start[f->where[i] + 1] += 1; /* U_ki and L_ik */
                above += A->row_offset[i + 1] - A->row_offset[i];
            }
        f->start[k + 1] += 1;
        values += f->size[k] * (f->size[k] + 2.0 * above);
        f->flops += 2.0 * f->size[k] * above * (above + f->size[k]);
    }
    for (int k = 0; k < n; ++k) f->start[k + 1] += f->start[k];
    size_t entries = (size_t)f->start[n];
    f->column = memory_array(&f->allocator, entries + 1, sizeof *f->column);
    f->at = memory_array(&f->allocator, entries + 1, sizeof *f->at);
    f->set = memory_array(&f->allocator, entries + 1, sizeof *f->set);
    f->value = memory_array(&f->allocator, (size_t)values + 1, sizeof *f->value);
    if (!f->column || !f->at || !f->set || !f->value) return SCREE_ERR_MEMORY;

    int *next = f->entry_of;
    memcpy(next, f->start, (size_t)n * sizeof *next);
    for (int k = 0; k < n; ++k) { /* rows before k have put their L entries into row k already, in ascending order */
        const uint64_t *row = graph + (size_t)f->order[k] * (size_t)words;
        f->diagonal[k] = next[k], f->column[next[k]++] = k;
        for (int j = k + 1; j < n; ++j)
            if (has_bit(row, f->order[j])) f->column[next[k]++] = j, f->column[next[j]++] = k;
    }
    for (int k = 0; k < n; ++k)
        for (int e = f->start[k]; e < f->start[k + 1]; ++e)
            f->at[e + 1] = f->at[e] + (size_t)f->size[k] * (size_t)f->size[f->column[e]];
    return SCREE_OK;
}

static int find_entry(const block_lu *f, int i, int j)
{
    int low = f->start[i], high = f->start[i + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (f->column[middle] < j) low = middle + 1;
        else high = middle;
    }
    return low;
}

scree_status block_lu_create(const block_matrix *A, double flop_limit, const scree_allocator *allocator, block_lu **out)
{
    scree_allocator a = memory_allocator(allocator);
    size_t n = (size_t)A->row_blocks, words = (n + 63) / 64;
    *out = NULL;
    if (n > ORDER_MAX) return SCREE_OK;
    block_lu *f = memory_array(&a, 1, sizeof *f);
    if (!f) return SCREE_ERR_MEMORY;
    f->n = (int)n, f->allocator = a;
    uint64_t *graph = memory_array(&a, n * words + 1, sizeof *graph);
    f->order = memory_array(&a, n + 1, sizeof *f->order);
    f->where = memory_array(&a, n + 1, sizeof *f->where);
    f->first = memory_array(&a, n + 1, sizeof *f->first);
    f->size = memory_array(&a, n + 1, sizeof *f->size);
    f->start = memory_array(&a, n + 1, sizeof *f->start);
    f->diagonal = memory_array(&a, n + 1, sizeof *f->diagonal);
    f->entry_of = memory_array(&a, n + 1, sizeof *f->entry_of);
    f->target = memory_array(&a, (size_t)A->start[n] + 1, sizeof *f->target);
    scree_status status = SCREE_ERR_MEMORY;
    if (graph && f->order && f->where && f->first && f->size && f->start && f->diagonal && f->entry_of && f->target) {
        make_graph(A, (int)words, graph);
        minimum_degree(f, (int)words, graph, f->entry_of);
        status = make_pattern(f, A, (int)words, graph);
    }
    memory_free(&a, graph);
    if (status == SCREE_OK)
        for (int i = 0; i < A->row_blocks; ++i)
            for (int e = A->start[i]; e < A->start[i + 1]; ++e)
                f->target[e] = find_entry(f, f->where[i], f->where[A->column[e]]);
    if (status == SCREE_OK && f->flops <= flop_limit) *out = f;
    else block_lu_destroy(f);
    return status;
}

/* ---- numbers -------------------------------------------------------------------------------------------------------------- */

void block_lu_clear(block_lu *f)
{
    memset(f->set, 0, (size_t)f->start[f->n]);
}

double *block_lu_entry(block_lu *f, int e)
{
    int t = f->target[e];
    f->set[t] = 1;
    return f->value + f->at[t];
}

/// C (m x n) -= A (m x k) B (k x n).
static inline void subtract_any(int m, int k, int n, const double *A, const double *B, double *restrict C)
{
    for (int i = 0; i < m; ++i)
        for (int l = 0; l < k; ++l) {
            double x = A[i * k + l];
            for (int j = 0; j < n; ++j) C[i * n + j] -= x * B[l * n + j];
        }
}

static inline void subtract_product(int m, int k, int n, const double *A, const double *B, double *C)
{
    if (m == 3 && k == 3 && n == 3) subtract_any(3, 3, 3, A, B, C); /* constants: unrolled */
    else if (m == 2 && k == 2 && n == 2) subtract_any(2, 2, 2, A, B, C);
    else if (m == 5 && k == 5 && n == 5) subtract_any(5, 5, 5, A, B, C);
    else if (m == 6 && k == 6 && n == 6) subtract_any(6, 6, 6, A, B, C);
    else subtract_any(m, k, n, A, B, C);
}

/// A (m x m) <- its inverse, by elimination with row exchanges. Returns the sign of its determinant; 0 if a pivot is lost in the
/// rounding of the block.
static int invert(int m, double *A)
{
    double X[BLOCK_MAX * BLOCK_MAX] = {0}, largest = 0.0;
    int sign = 1;
    for (int i = 0; i < m * m; ++i) largest = number_max(largest, fabs(A[i]));
    if (!(largest > 0.0) || !(largest <= DBL_MAX)) return 0;
    for (int i = 0; i < m; ++i) X[i * m + i] = 1.0;
    for (int k = 0; k < m; ++k) {
        int p = k;
        for (int i = k + 1; i < m; ++i)
            if (fabs(A[i * m + k]) > fabs(A[p * m + k])) p = i;
        if (!(fabs(A[p * m + k]) > 1e-15 * largest)) return 0;
        for (int j = 0; p != k && j < m; ++j) {
            double s = A[k * m + j], t = X[k * m + j];
            A[k * m + j] = A[p * m + j], A[p * m + j] = s;
            X[k * m + j] = X[p * m + j], X[p * m + j] = t;
        }
        if ((p != k) != (A[k * m + k] < 0.0)) sign = -sign;
        double inverse = 1.0 / A[k * m + k];
        for (int j = 0; j < m; ++j) A[k * m + j] *= inverse, X[k * m + j] *= inverse;
        for (int i = 0; i < m; ++i) {
            double l = A[i * m + k];
            if (i == k || l == 0.0) continue;
            for (int j = 0; j < m; ++j) A[i * m + j] -= l * A[k * m + j], X[i * m + j] -= l * X[k * m + j];
        }
    }
    memcpy(A, X, (size_t)m * (size_t)m * sizeof *A);
    return sign;
}

int block_lu_factor(block_lu *f)
{
    f->sign = 1, f->done = 0.0;
    for (int i = 0; i < f->n; ++i) {
        int m = f->size[i];
        for (int e = f->start[i]; e < f->start[i + 1]; ++e) {
            f->entry_of[f->column[e]] = e;
            if (!f->set[e]) memset(f->value + f->at[e], 0, (f->at[e + 1] - f->at[e]) * sizeof *f->value);
        }
        for (int e = f->start[i]; e < f->diagonal[i]; ++e) {
            if (!f->set[e]) continue;
            int k = f->column[e], s = f->size[k];
            double L[BLOCK_MAX * BLOCK_MAX] = {0}, *A_ik = f->value + f->at[e];
            subtract_product(m, s, s, A_ik, f->value + f->at[f->diagonal[k]], L); /* -L_ik = -A_ik D_k */
            for (int j = 0; j < m * s; ++j) A_ik[j] = L[j] = -L[j];
            for (int u = f->diagonal[k] + 1; u < f->start[k + 1]; ++u) {
                if (!f->set[u]) continue;
                int j = f->column[u], t = f->entry_of[j];
                f->set[t] = 1, f->done += 2.0 * m * s * f->size[j];
                subtract_product(m, s, f->size[j], L, f->value + f->at[u], f->value + f->at[t]);
            }
        }
        f->sign *= invert(m, f->value + f->at[f->diagonal[i]]);
        if (!f->sign) return 0;
    }
    return 1;
}

int block_lu_determinant_sign(const block_lu *f)
{
    return f->sign;
}

double block_lu_flops(const block_lu *f)
{
    return f->done;
}

double block_lu_nonzeros(const block_lu *f)
{
    return (double)f->at[f->start[f->n]];
}

void block_lu_solve(block_lu *f, const double *b, double *x)
{
    for (int i = 0; i < f->n; ++i) { /* L z = b, z in x */
        double *x_i = x + f->first[i];
        memcpy(x_i, b + f->first[i], (size_t)f->size[i] * sizeof *x);
        for (int e = f->start[i]; e < f->diagonal[i]; ++e)
            if (f->set[e])
                subtract_product(f->size[i], f->size[f->column[e]], 1, f->value + f->at[e], x + f->first[f->column[e]],
                                 x_i);
    }
    for (int i = f->n - 1; i >= 0; --i) { /* U x = z */
        double *x_i = x + f->first[i], z[BLOCK_MAX] = {0};
        int d = f->diagonal[i];
        for (int e = d + 1; e < f->start[i + 1]; ++e)
            if (f->set[e])
                subtract_product(f->size[i], f->size[f->column[e]], 1, f->value + f->at[e], x + f->first[f->column[e]],
                                 x_i);
        subtract_product(f->size[i], f->size[i], 1, f->value + f->at[d], x_i, z);
        for (int r = 0; r < f->size[i]; ++r) x_i[r] = -z[r];
    }
}
