/* direct.c: the sparse direct solvers of SuiteSparse, or the dense one.
 *
 * CHOLMOD (A = L L', supernodal where its own estimate says so, AMD or METIS ordering) for definite matrices; UMFPACK (P A Q = L U,
 * multifrontal) for unsymmetric ones, with its symmetric strategy where the pattern is symmetric: pivots then stay on the
 * diagonal if they are not too small. Matrices that are small or nearly full go to direct_dense.c: no analysis, no indices.
 *
 * One thread. Both call the BLAS: OpenBLAS on several threads splits its sums otherwise than on one, so the number of its threads is
 * set to one around each call and then put back: bits do not depend on OPENBLAS_NUM_THREADS. CHOLMOD itself opens OpenMP regions of
 * four threads, whatever OMP_NUM_THREADS says, and on fewer cores these wait for each other (twice the time, measured on two): no
 * active regions are allowed around each call. (The functions are looked up in the running program; where they are not there,
 * neither is the library.) */
#include "sparse/direct.h"

#include "sparse/direct_dense.h"

#include <string.h>

#ifdef SCREE_HAVE_SUITESPARSE
#include <cholmod.h>
#include <dlfcn.h>
#include <umfpack.h>

enum { DENSE_ALWAYS = 100 };             /* rows: below this dense is faster whatever the pattern      */
static const double dense_filling = 0.5; /* of the entries given: above this dense is faster           */
#endif

struct direct {
    direct_kind kind;
    int n;
    int ordered; /* by the caller                          */
    int dense;   /* 1: `full` is in use, else SuiteSparse */
    int *start, *row;
    double *value; /* (start[n]) of the last factor */
    dense_factor full;
    scree_allocator allocator;
#ifdef SCREE_HAVE_SUITESPARSE
    int (*get_threads)(void), (*get_levels)(void); /* of OpenBLAS; of OpenMP, levels of active regions */
    void (*set_threads)(int), (*set_levels)(int);
    cholmod_common common;
    int started; /* cholmod_start was called */
    cholmod_factor *L;
    cholmod_dense *X, *Y, *E; /* solution and workspace of cholmod_solve2, kept between calls */
    void *symbolic, *numeric;
    int *solve_index;   /* (n)     workspace of umfpack_di_wsolve */
    double *solve_work; /* (5 n)                                  */
    double control[UMFPACK_CONTROL], info[UMFPACK_INFO];
#endif
};

#ifdef SCREE_HAVE_SUITESPARSE

/* ---- one thread ------------------------------------------------------------------------------------------------------ */

static void find_threads(direct *d)
{
    void *program = dlopen(NULL, RTLD_LAZY);
    if (!program) return;
    *(void **)&d->get_threads = dlsym(program, "openblas_get_num_threads");
    *(void **)&d->set_threads = dlsym(program, "openblas_set_num_threads");
    *(void **)&d->get_levels = dlsym(program, "omp_get_max_active_levels");
    *(void **)&d->set_levels = dlsym(program, "omp_set_max_active_levels");
    dlclose(program);
}

typedef struct threading {
    int threads, levels; /* to put back */
} threading;

static threading one_thread(const direct *d)
{
    threading before = {d->get_threads && d->set_threads ? d->get_threads() : 1,
                        d->get_levels && d->set_levels ? d->get_levels() : 0};
    if (before.threads != 1) d->set_threads(1);
    if (before.levels != 0) d->set_levels(0);
    return before;
}

static void threads_back(const direct *d, threading before)
{
    if (before.threads != 1) d->set_threads(before.threads);
    if (before.levels != 0) d->set_levels(before.levels);
}

/* ---- CHOLMOD --------------------------------------------------------------------------------------------------------- */

static int start_cholmod(cholmod_common *common)
{
    if (!cholmod_start(common)) return 0;
    common->print = 0;
    return 1;
}

static cholmod_sparse lower_triangle(direct *d)
{
    size_t n = (size_t)d->n;
    return (cholmod_sparse){.nrow = n,
                            .ncol = n,
                            .nzmax = (size_t)d->start[d->n],
                            .p = d->start,
                            .i = d->row,
                            .x = d->value,
                            .stype = -1,
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
}

static scree_status cholesky_create(direct *d)
{
    if (!start_cholmod(&d->common)) return SCREE_ERR_MEMORY;
    d->started = 1;
    d->common.final_ll = 1; /* L D L' would pass over a negative pivot */
    d->common.quick_return_if_not_posdef = 1;
    if (d->ordered) { /* no copy of A is then permuted at every factor: a quarter of its time */
        d->common.nmethods = 1, d->common.method[0].ordering = CHOLMOD_NATURAL;
        d->common.postorder = 0;
    }
    cholmod_sparse A = lower_triangle(d);
    d->L = cholmod_analyze(&A, &d->common);
    return d->L ? SCREE_OK : SCREE_ERR_MEMORY;
}

static int cholesky_factorise(direct *d)
{
    cholmod_sparse A = lower_triangle(d);
    return cholmod_factorize(&A, d->L, &d->common) && d->common.status == CHOLMOD_OK && d->L->minor == d->L->n;
}

static void cholesky_solve(direct *d, const double *b, double *x)
{
    size_t n = (size_t)d->n;
    double *copy = d->solve_work; /* cholmod_dense has no const */
    memcpy(copy, b, n * sizeof *b);
    cholmod_dense B = {n, 1, n, n, copy, NULL, CHOLMOD_REAL, CHOLMOD_DOUBLE};
    if (cholmod_solve2(CHOLMOD_A, d->L, &B, NULL, &d->X, NULL, &d->Y, &d->E, &d->common))
        memcpy(x, d->X->x, n * sizeof *x);
    else memset(x, 0, n * sizeof *x); /* out of memory: no step */
}

/* ---- UMFPACK --------------------------------------------------------------------------------------------------------- */

/// 1 if (i, j) is an entry whenever (j, i) is, and the diagonal is full.
static int pattern_is_symmetric(const direct *d, int *next)
{
    /* walk the columns in order: the entries (j, i) of column i must be met in the order of j, since rows ascend */
    memcpy(next, d->start, (size_t)d->n * sizeof *next);
    for (int j = 0; j < d->n; ++j) {
        int diagonal = 0;
        for (int e = d->start[j]; e < d->start[j + 1]; ++e) {
            int i = d->row[e];
            diagonal |= i == j;
            if (next[i] >= d->start[i + 1] || d->row[next[i]] != j) return 0;
            next[i] += 1;
        }
        if (!diagonal) return 0;
    }
    return 1;
}

static scree_status lu_create(direct *d)
{
    umfpack_di_defaults(d->control);
    d->control[UMFPACK_PRL] = 0;
    d->control[UMFPACK_IRSTEP] = 0; /* callers refine by the product with W, which is cheaper and knows more */
    d->control[UMFPACK_STRATEGY] =
        pattern_is_symmetric(d, d->solve_index) ? UMFPACK_STRATEGY_SYMMETRIC : UMFPACK_STRATEGY_AUTO;
    int rc = umfpack_di_symbolic(d->n, d->n, d->start, d->row, NULL, &d->symbolic, d->control, NULL);
    return rc == UMFPACK_OK ? SCREE_OK : SCREE_ERR_MEMORY;
}

static int lu_factorise(direct *d)
{
    umfpack_di_free_numeric(&d->numeric);
    int rc = umfpack_di_numeric(d->start, d->row, d->value, d->symbolic, &d->numeric, d->control, d->info);
    if (rc != UMFPACK_OK) umfpack_di_free_numeric(&d->numeric);
    return rc == UMFPACK_OK;
}

#endif

/* ---- the interface ---------------------------------------------------------------------------------------------------- */

scree_status direct_order(int n, const int *start, const int *row, int *order)
{
#ifdef SCREE_HAVE_SUITESPARSE
    cholmod_common common;
    if (!start_cholmod(&common)) return SCREE_ERR_MEMORY;
    common.supernodal = CHOLMOD_SIMPLICIAL; /* the order alone is wanted */
    size_t size = (size_t)n, entries = (size_t)start[n];
    cholmod_sparse *A = cholmod_allocate_sparse(size, size, entries, 1, 1, 1, CHOLMOD_PATTERN, &common);
    if (A) memcpy(A->p, start, (size + 1) * sizeof *start), memcpy(A->i, row, entries * sizeof *row);
    cholmod_factor *L = A ? cholmod_analyze(A, &common) : NULL;
    scree_status status = L ? SCREE_OK : SCREE_ERR_MEMORY;
    if (L) memcpy(order, L->Perm, size * sizeof *order);
    cholmod_free_sparse(&A, &common);
    cholmod_free_factor(&L, &common);
    cholmod_finish(&common);
    return status;
#else
    (void)start, (void)row;
    for (int k = 0; k < n; ++k) order[k] = k;
    return SCREE_OK;
#endif
}

void direct_destroy(direct *d)
{
    if (!d) return;
    scree_allocator a = d->allocator;
#ifdef SCREE_HAVE_SUITESPARSE
    if (d->started) {
        cholmod_free_factor(&d->L, &d->common);
        cholmod_free_dense(&d->X, &d->common);
        cholmod_free_dense(&d->Y, &d->common);
        cholmod_free_dense(&d->E, &d->common);
        cholmod_finish(&d->common);
    }
    umfpack_di_free_numeric(&d->numeric);
    umfpack_di_free_symbolic(&d->symbolic);
    memory_free(&a, d->solve_index);
    memory_free(&a, d->solve_work);
#endif
    dense_destroy(&d->full, &a);
    MEMORY_FREE_ALL(&a, d->start, d->row, d->value, d);
}

#ifdef SCREE_HAVE_SUITESPARSE
static scree_status sparse_create(direct *d)
{
    d->solve_index = memory_array(&d->allocator, (size_t)d->n + 1, sizeof *d->solve_index);
    d->solve_work = memory_array(&d->allocator, 5 * (size_t)d->n + 1, sizeof *d->solve_work);
    if (!d->solve_index || !d->solve_work) return SCREE_ERR_MEMORY;
    find_threads(d);
    return d->kind == DIRECT_DEFINITE ? cholesky_create(d) : lu_create(d);
}
#endif

scree_status direct_create(direct_kind kind, int n, const int *start, const int *row, const scree_allocator *allocator,
                           direct **out)
{
    scree_allocator a = memory_allocator(allocator);
    size_t entries = (size_t)start[n];
    *out = NULL;
    direct *d = memory_array(&a, 1, sizeof *d);
    if (!d) return SCREE_ERR_MEMORY;
    d->ordered = kind == DIRECT_ORDERED;
    if (d->ordered) kind = DIRECT_DEFINITE;
    d->kind = kind, d->n = n, d->allocator = a, d->dense = 1;
#ifdef SCREE_HAVE_SUITESPARSE
    double filling = (double)entries / ((double)n * (double)n + 1e-300) * (kind == DIRECT_DEFINITE ? 2.0 : 1.0);
    d->dense = n <= DENSE_ALWAYS || filling > dense_filling;
#endif
    d->start = memory_array(&a, (size_t)n + 1, sizeof *d->start);
    d->row = memory_raw_array(&a, entries + 1, sizeof *d->row);
    d->value = memory_raw_array(&a, entries + 1, sizeof *d->value);
    scree_status status = d->start && d->row && d->value ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        memcpy(d->start, start, ((size_t)n + 1) * sizeof *start);
        memcpy(d->row, row, entries * sizeof *row);
        if (d->dense) status = dense_create(kind, n, d->start, d->row, &a, &d->full);
#ifdef SCREE_HAVE_SUITESPARSE
        else status = sparse_create(d);
#endif
    }
    if (status != SCREE_OK) direct_destroy(d);
    else *out = d;
    return status;
}

int direct_factor(direct *d, const double *value)
{
    memcpy(d->value, value, (size_t)d->start[d->n] * sizeof *value);
    if (d->dense) return dense_factorise(&d->full, d->value);
#ifdef SCREE_HAVE_SUITESPARSE
    threading before = one_thread(d);
    int done = d->kind == DIRECT_DEFINITE ? cholesky_factorise(d) : lu_factorise(d);
    threads_back(d, before);
    return done;
#else
    return 0;
#endif
}

void direct_solve(direct *d, const double *b, double *x)
{
    if (d->dense) {
        dense_solve(&d->full, b, x);
        return;
    }
#ifdef SCREE_HAVE_SUITESPARSE
    threading before = one_thread(d);
    if (d->kind == DIRECT_DEFINITE) cholesky_solve(d, b, x);
    else
        umfpack_di_wsolve(UMFPACK_A, d->start, d->row, d->value, x, b, d->numeric, d->control, NULL, d->solve_index,
                          d->solve_work);
    threads_back(d, before);
#endif
}

#ifdef SCREE_HAVE_SUITESPARSE
/// CHOLMOD takes the memory of the answer itself, and gives it back here: blocks are many, and come once.
static int cholesky_solve_many(direct *d, int count, const double *B, double *X)
{
    size_t n = (size_t)d->n, k = (size_t)count;
    cholmod_dense *copy = cholmod_allocate_dense(n, k, n, CHOLMOD_REAL, &d->common), *x = NULL;
    if (copy) {
        memcpy(copy->x, B, n * k * sizeof *B); /* cholmod_dense has no const */
        x = cholmod_solve(CHOLMOD_A, d->L, copy, &d->common);
    }
    if (x) memcpy(X, x->x, n * k * sizeof *X);
    int done = x != NULL;
    cholmod_free_dense(&copy, &d->common);
    cholmod_free_dense(&x, &d->common);
    return done;
}
#endif

int direct_solve_many(direct *d, int count, const double *B, double *X)
{
#ifdef SCREE_HAVE_SUITESPARSE
    if (!d->dense && d->kind == DIRECT_DEFINITE) {
        threading before = one_thread(d);
        int done = cholesky_solve_many(d, count, B, X);
        threads_back(d, before);
        return done;
    }
#endif
    size_t n = (size_t)d->n;
    for (int k = 0; k < count; ++k) direct_solve(d, B + (size_t)k * n, X + (size_t)k * n);
    return 1;
}

int direct_determinant_sign(const direct *d)
{
    if (d->dense) return d->full.sign;
#ifdef SCREE_HAVE_SUITESPARSE
    double mantissa = 0.0, exponent = 0.0;
    if (d->numeric && umfpack_di_get_determinant(&mantissa, &exponent, d->numeric, NULL) == UMFPACK_OK)
        return (mantissa > 0.0) - (mantissa < 0.0);
#endif
    return 0;
}

double direct_nonzeros(const direct *d)
{
    if (d->dense) return (double)d->full.m * (double)d->full.m;
#ifdef SCREE_HAVE_SUITESPARSE
    int lower = 0, upper = 0, rows = 0, columns = 0, diagonal = 0;
    if (d->L) return d->L->is_super ? (double)d->L->xsize : (double)d->L->nzmax;
    if (d->numeric && umfpack_di_get_lunz(&lower, &upper, &rows, &columns, &diagonal, d->numeric) == UMFPACK_OK)
        return (double)lower + (double)upper;
#endif
    return 0.0;
}

double direct_flops(const direct *d)
{
    double m = d->dense ? (double)d->full.m : 0.0;
    if (d->dense) return (d->kind == DIRECT_DEFINITE ? 1.0 : 2.0) / 3.0 * m * m * m;
#ifdef SCREE_HAVE_SUITESPARSE
    if (d->L) return d->common.fl;
    if (d->numeric) return d->info[UMFPACK_FLOPS];
#endif
    return 0.0;
}
