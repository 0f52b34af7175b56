/* test_direct.c: sparse and dense factorisations against the residual of what they solved. */
#include "failing_allocator.h"
#include "random_contacts.h"
#include "sparse/direct.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- matrices ---------------------------------------------------------------------------------------------------------- */

typedef struct matrix {
    int n;
    int *start, *row;
    double *value, *full; /* full: n x n row-major, both triangles */
} matrix;

static void matrix_free(matrix *A)
{
    free(A->start);
    free(A->row);
    free(A->value);
    free(A->full);
}

/// Compressed columns of `full`; of the lower triangle for a definite matrix.
static void compress(direct_kind kind, matrix *A)
{
    int n = A->n, count = 0;
    A->start = calloc((size_t)n + 1, sizeof *A->start);
    A->row = calloc((size_t)n * (size_t)n + 1, sizeof *A->row);
    A->value = calloc((size_t)n * (size_t)n + 1, sizeof *A->value);
    for (int j = 0; j < n; ++j) {
        for (int i = kind != DIRECT_UNSYMMETRIC ? j : 0; i < n; ++i)
            if (A->full[i * n + j] != 0.0) A->row[count] = i, A->value[count++] = A->full[i * n + j];
        A->start[j + 1] = count;
    }
}

/// About `per_row` entries besides the diagonal in each row. Definite: A = B B' + I. Unsymmetric: diagonal of either sign, small,
/// so that pivots must move; some rows have nothing but their diagonal.
static matrix random_matrix(direct_kind kind, int n, int per_row, rng *g)
{
    matrix A = {.n = n, .full = calloc((size_t)n * (size_t)n + 1, sizeof(double))};
    double *B = calloc((size_t)n * (size_t)n + 1, sizeof *B);
    for (int i = 0; i < n; ++i) {
        B[i * n + i] = rng_uniform(g, -1.0, 1.0);
        for (int k = 0; k < per_row && i % 7 != 3; ++k) B[i * n + rng_below(g, n)] = rng_normal(g);
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            int definite = kind != DIRECT_UNSYMMETRIC;
            double s = definite && i == j;
            for (int k = 0; definite && k < n; ++k) s += B[i * n + k] * B[j * n + k];
            A.full[i * n + j] = definite ? s : B[i * n + j];
        }
    free(B);
    compress(kind, &A);
    return A;
}

static double largest(int n, const double *x)
{
    double m = 0.0;
    for (int i = 0; i < n; ++i) m = fmax(m, fabs(x[i]));
    return m;
}

/// |A x - b| over |A| |x| + |b|: the backward error, rounding alone for a stable factorisation whatever the condition of A.
static double backward_error(const matrix *A, const double *b, const double *x)
{
    int n = A->n;
    double worst = 0.0, norm_A = 0.0;
    for (int i = 0; i < n; ++i) {
        double s = -b[i], size = 0.0;
        for (int j = 0; j < n; ++j) s += A->full[i * n + j] * x[j], size += fabs(A->full[i * n + j]);
        worst = fmax(worst, fabs(s)), norm_A = fmax(norm_A, size);
    }
    return worst / (norm_A * largest(n, x) + largest(n, b));
}

/// Sign of the determinant by elimination with row exchanges, written apart from the library.
static int sign_of(const matrix *A)
{
    int n = A->n, sign = 1;
    double *M = malloc((size_t)n * (size_t)n * sizeof *M + 1);
    memcpy(M, A->full, (size_t)n * (size_t)n * sizeof *M);
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k; i < n; ++i)
            if (fabs(M[i * n + k]) > fabs(M[p * n + k])) p = i;
        for (int j = 0; p != k && j < n; ++j) {
            double t = M[k * n + j];
            M[k * n + j] = M[p * n + j], M[p * n + j] = t;
        }
        if (p != k) sign = -sign;
        if (M[k * n + k] < 0.0) sign = -sign;
        for (int i = k + 1; i < n; ++i) {
            double f = M[i * n + k] / M[k * n + k];
            for (int j = k; j < n; ++j) M[i * n + j] -= f * M[k * n + j];
        }
    }
    free(M);
    return sign;
}

/* ---- claims ------------------------------------------------------------------------------------------------------------- */

/// Orders on both sides of the switch from dense to sparse, sparse and nearly full.
static void solutions_have_the_backward_error_of_rounding(void **state)
{
    (void)state;
    static const int orders[] = {1, 2, 5, 31, 33, 64, 99, 101, 160, 333}, fillings[] = {1, 4, 200};
    rng g = {7};
    for (int kind = DIRECT_DEFINITE; kind <= DIRECT_ORDERED; ++kind)
        for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o)
            for (size_t f = 0; f < sizeof fillings / sizeof *fillings; ++f) {
                int n = orders[o], solved = 0;
                matrix A = random_matrix((direct_kind)kind, n, fillings[f], &g);
                double *b = malloc((size_t)n * sizeof *b), *x = malloc((size_t)n * sizeof *x);
                direct *d = NULL;
                assert_int_equal(direct_create((direct_kind)kind, n, A.start, A.row, NULL, &d), SCREE_OK);
                for (int again = 0; again < 2; ++again) { /* the second time with other values in the same pattern */
                    for (int e = 0; again && e < A.start[n]; ++e) A.value[e] *= 3.0;
                    for (int e = 0; again && e < n * n; ++e) A.full[e] *= 3.0;
                    if (!direct_factor(d, A.value)) continue; /* a random pattern may be singular by structure */
                    for (int i = 0; i < n; ++i) b[i] = rng_normal(&g);
                    direct_solve(d, b, x);
                    /* n roundings per entry; partial pivoting has grown by less than 30 on random matrices of this size */
                    assert_true(backward_error(&A, b, x) <= 30.0 * DBL_EPSILON * n);
                    if (kind == DIRECT_UNSYMMETRIC) assert_int_equal(direct_determinant_sign(d), sign_of(&A));
                    assert_true(direct_nonzeros(d) >= 0.0);
                    solved += 1;
                }
                assert_true(kind == DIRECT_UNSYMMETRIC || solved == 2);
                direct_destroy(d);
                matrix_free(&A);
                free(b);
                free(x);
            }
}

static matrix laplacian(direct_kind kind, int n, double shift)
{
    matrix A = {.n = n, .full = calloc((size_t)n * (size_t)n, sizeof(double))};
    for (int i = 0; i < n; ++i) {
        A.full[i * n + i] = (i > 0) + (i < n - 1) + shift;
        if (i > 0) A.full[i * n + i - 1] = A.full[(i - 1) * n + i] = -1.0;
    }
    compress(kind, &A);
    return A;
}

static void a_matrix_that_is_not_definite_is_reported_and_the_next_one_is_solved(void **state)
{
    (void)state;
    static const int orders[] = {6, 400};
    for (int o = 0; o < 2; ++o) {
        int n = orders[o];
        matrix good = laplacian(DIRECT_DEFINITE, n, 1e-3), bad = laplacian(DIRECT_DEFINITE, n, -0.5);
        double *b = malloc((size_t)n * sizeof *b), *x = malloc((size_t)n * sizeof *x);
        for (int i = 0; i < n; ++i) b[i] = i % 5;
        direct *d = NULL;
        assert_int_equal(direct_create(DIRECT_DEFINITE, n, good.start, good.row, NULL, &d), SCREE_OK);
        for (int k = 0; k < 3; ++k) {
            assert_int_equal(direct_factor(d, bad.value), 0);
            assert_int_equal(direct_factor(d, good.value), 1);
            direct_solve(d, b, x);
            assert_true(backward_error(&good, b, x) <= 30.0 * DBL_EPSILON * n);
        }
        direct_destroy(d);
        matrix_free(&good);
        matrix_free(&bad);
        free(b);
        free(x);
    }
}

static void a_singular_matrix_is_reported_and_the_next_one_is_solved(void **state)
{
    (void)state;
    static const int orders[] = {6, 400};
    for (int o = 0; o < 2; ++o) {
        int n = orders[o];
        matrix A = laplacian(DIRECT_UNSYMMETRIC, n, 1e-3);
        double *value = calloc((size_t)A.start[n], sizeof *value);
        double *b = malloc((size_t)n * sizeof *b), *x = malloc((size_t)n * sizeof *x);
        for (int i = 0; i < n; ++i) b[i] = i % 5;
        direct *d = NULL;
        assert_int_equal(direct_create(DIRECT_UNSYMMETRIC, n, A.start, A.row, NULL, &d), SCREE_OK);
        memcpy(value, A.value, (size_t)A.start[n] * sizeof *value);
        for (int e = 0; e < A.start[n]; ++e)
            if (A.row[e] == n / 2) value[e] = 0.0; /* a row of zeros */
        assert_int_equal(direct_factor(d, value), 0);
        assert_int_equal(direct_determinant_sign(d), 0);
        assert_int_equal(direct_factor(d, A.value), 1);
        direct_solve(d, b, x);
        assert_true(backward_error(&A, b, x) <= 30.0 * DBL_EPSILON * n);
        value[0] = (double)NAN;
        assert_int_equal(direct_factor(d, value), 0);
        direct_destroy(d);
        matrix_free(&A);
        free(value);
        free(b);
        free(x);
    }
}

/// A star: eliminating its centre first fills everything, eliminating it last fills nothing.
static void the_order_keeps_the_factor_of_a_star_sparse(void **state)
{
    (void)state;
    enum { N = 300 };
    matrix A = {.n = N, .full = calloc((size_t)N * N, sizeof(double))};
    for (int i = 0; i < N; ++i) A.full[i * N] = A.full[i] = i ? 1.0 : (double)N, A.full[i * N + i] = (double)N;
    compress(DIRECT_UNSYMMETRIC, &A);
    int order[N], seen[N] = {0};
    double factor[2];
    assert_int_equal(direct_order(N, A.start, A.row, order), SCREE_OK);
    for (int k = 0; k < N; ++k) seen[order[k]] += 1;
    for (int i = 0; i < N; ++i) assert_int_equal(seen[i], 1);
    for (int ordered = 0; ordered < 2; ++ordered) {
        matrix B = {.n = N, .full = calloc((size_t)N * N, sizeof(double))};
        double b[N], x[N];
        for (int i = 0; i < N; ++i)
            for (int j = 0; j < N; ++j)
                B.full[i * N + j] = ordered ? A.full[order[i] * N + order[j]] : A.full[i * N + j];
        compress(DIRECT_ORDERED, &B);
        direct *d = NULL;
        assert_int_equal(direct_create(DIRECT_ORDERED, N, B.start, B.row, NULL, &d), SCREE_OK);
        assert_int_equal(direct_factor(d, B.value), 1);
        for (int i = 0; i < N; ++i) b[i] = i % 5;
        direct_solve(d, b, x);
        assert_true(backward_error(&B, b, x) <= 30.0 * DBL_EPSILON * N);
        factor[ordered] = direct_nonzeros(d);
        direct_destroy(d);
        matrix_free(&B);
    }
    if (order[0] == 0 && order[N - 1] == N - 1) assert_true(factor[0] == factor[1]); /* no SuiteSparse: dense */
    else assert_true(factor[0] >= 0.5 * N * N && factor[1] <= 4.0 * N);
    matrix_free(&A);
}

static void the_empty_matrix_is_solved(void **state)
{
    (void)state;
    const int start[1] = {0}, row[1] = {0};
    const double value[1] = {0.0};
    double x[1] = {5.0};
    for (int kind = DIRECT_DEFINITE; kind <= DIRECT_ORDERED; ++kind) {
        direct *d = NULL;
        assert_int_equal(direct_create((direct_kind)kind, 0, start, row, NULL, &d), SCREE_OK);
        assert_int_equal(direct_factor(d, value), 1);
        direct_solve(d, value, x);
        assert_true(x[0] == 5.0);
        direct_destroy(d);
    }
}

static void no_allocation_failure_leaks(void **state)
{
    (void)state;
    for (int kind = DIRECT_DEFINITE; kind <= DIRECT_ORDERED; ++kind)
        for (int n = 20; n <= 400; n += 380) { /* dense, sparse */
            matrix A = laplacian((direct_kind)kind, n, 1.0);
            for (int k = 0;; ++k) {
                failing f = {.left = k};
                const scree_allocator a = failing_allocator(&f);
                direct *d = NULL;
                scree_status status = direct_create((direct_kind)kind, n, A.start, A.row, &a, &d);
                assert_int_equal(status, d ? SCREE_OK : SCREE_ERR_MEMORY);
                direct_destroy(d);
                assert_int_equal(f.live, 0);
                if (status == SCREE_OK) break;
                assert_true(k < 50);
            }
            matrix_free(&A);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_have_the_backward_error_of_rounding),
        cmocka_unit_test(a_matrix_that_is_not_definite_is_reported_and_the_next_one_is_solved),
        cmocka_unit_test(a_singular_matrix_is_reported_and_the_next_one_is_solved),
        cmocka_unit_test(the_order_keeps_the_factor_of_a_star_sparse),
        cmocka_unit_test(the_empty_matrix_is_solved),
        cmocka_unit_test(no_allocation_failure_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
