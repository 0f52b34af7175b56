/* Problem files: what goes out comes back with the same bits, every mistake has its place, and nothing leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "failing_allocator.h"
#include "problem/raw.h"

#include <dirent.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DATA "../shared/data"

/* ---- tools ---------------------------------------------------------------------------------------------------------- */

static char folder[64]; /* of this run */

static const char *in_folder(const char *name)
{
    static char path[4][512];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static uint64_t seed = 1;

static double draw(void) /* in (-1, 1), all bits in use, now and then 0 or -0 */
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    if (seed >> 60 == 0) return seed >> 59 & 1 ? -0.0 : 0.0;
    double x = (double)(int64_t)seed / 9223372036854775808.0;
    return x * pow(10.0, (double)(seed >> 33 & 15) - 8.0);
}

static char *read_whole(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    char *text = malloc(1 << 23);
    assert_non_null(text);
    *size = fread(text, 1, 1 << 23, in);
    fclose(in);
    return text;
}

/* ---- problems to try -------------------------------------------------------------------------------------------------- */

typedef struct recipe {
    raw_kind kind;
    int dim, contacts, bodies, equalities;
    raw_storage storage;
} recipe;

/// Entries of a matrix in blocks of `h` x `w`; `pick(i, j)` of them are there. Symmetric if asked, with a dominant diagonal.
static void fill_matrix(raw_problem *raw, int matrix, int h, int w, int symmetric, raw_storage storage)
{
    raw_matrix *A = &raw->matrix[matrix];
    raw_matrix_shape(raw, matrix, &A->rows, &A->cols);
    size_t most = (size_t)A->rows * (size_t)A->cols, count = 0;
    int *row = calloc(most + 1, sizeof *row), *column = calloc(most + 1, sizeof *column);
    double *value = calloc(most + 1, sizeof *value);
    assert_true(row && column && value);
    A->storage = storage;
    for (int i = 0; i < A->rows; ++i)
        for (int j = 0; j < A->cols; ++j) {
            int far = abs(i / h - j / w) > 1 && storage != RAW_DENSE;
            if (far || (symmetric && j > i)) continue;
            double x = symmetric && i == j ? 1e8 + fabs(draw()) : draw();
            row[count] = i, column[count] = j, value[count++] = x;
            if (symmetric && i != j) row[count] = j, column[count] = i, value[count++] = x;
        }
    assert_true(raw_matrix_fill(A, count, row, column, value, &raw->allocator));
    free(row), free(column), free(value);
    if (storage != RAW_BLOCK) return;
    A->row_blocks = A->rows / h, A->col_blocks = A->cols / w;
    A->row_end = memory_array(&raw->allocator, (size_t)A->row_blocks + 1, sizeof(int));
    A->col_end = memory_array(&raw->allocator, (size_t)A->col_blocks + 1, sizeof(int));
    for (int k = 0; k < A->row_blocks; ++k) A->row_end[k] = (k + 1) * h;
    for (int k = 0; k < A->col_blocks; ++k) A->col_end[k] = (k + 1) * w;
}

static raw_problem *make(recipe r)
{
    raw_problem *raw = raw_create(NULL);
    assert_non_null(raw);
    raw->kind = r.kind, raw->dim = r.dim, raw->contact_count = r.contacts, raw->equality_count = r.equalities;
    raw->dof_count = r.kind == RAW_GLOBAL ? 6 * r.bodies : 0;
    for (int k = 0; k < RAW_MATRICES; ++k) {
        if (!raw_has_matrix(raw, k)) continue;
        int h = k == RAW_W || k == RAW_V ? r.dim : k == RAW_R ? 1 : 6;
        int w = k == RAW_W || k == RAW_H ? r.dim : k == RAW_M ? 6 : 1;
        raw_storage storage = r.storage == RAW_HALF_TRIPLET && k == RAW_H ? RAW_TRIPLET : r.storage;
        fill_matrix(raw, k, h, w, k == RAW_W || k == RAW_M || k == RAW_R, storage);
    }
    for (int k = 0; k < RAW_VECTORS; ++k) {
        if (!raw_has_vector(raw, k)) continue;
        raw->vector[k] = memory_array(NULL, (size_t)raw_vector_size(raw, k) + 1, sizeof(double));
        for (int i = 0; i < raw_vector_size(raw, k); ++i) raw->vector[k][i] = k >= RAW_MU ? fabs(draw()) : draw();
    }
    return raw;
}

static const raw_storage storages[] = {RAW_DENSE, RAW_BLOCK, RAW_TRIPLET, RAW_CSC, RAW_CSR, RAW_HALF_TRIPLET};
enum { STORAGES = sizeof storages / sizeof *storages };

static raw_problem *read_good(const char *path, scree_file_kind kind)
{
    raw_problem *raw;
    scree_error error = {.text = ""};
    if (raw_read(path, kind, NULL, &raw, &error) != SCREE_OK) {
        char text[1200];
        fail_msg("%s", scree_error_format(&error, text, sizeof text));
    }
    return raw;
}

static void write_good(const raw_problem *raw, const char *path)
{
    scree_error error = {.text = ""};
    if (raw_write(raw, path, &error) != SCREE_OK) fail_msg("%s: %s", error.file, error.text);
}

/* ---- there and back ----------------------------------------------------------------------------------------------------- */

static void round_trip(const raw_problem *raw)
{
    static const scree_file_kind forced[] = {[RAW_LOCAL] = SCREE_FILE_LOCAL, [RAW_GLOBAL] = SCREE_FILE_GLOBAL};
    write_good(raw, in_folder("a.dat"));
    raw_problem *text = read_good(in_folder("a.dat"), SCREE_FILE_DETECT);
    assert_true(raw_equal(raw, text));
    for (int k = 0; k < RAW_MATRICES; ++k)
        if (raw_has_matrix(raw, k)) assert_int_equal(raw->matrix[k].storage, text->matrix[k].storage);
    raw_problem *again = read_good(in_folder("a.dat"), forced[raw->kind]);
    assert_true(raw_equal(raw, again));
    raw_destroy(again);
    if (raw_fclib_built()) {
        write_good(text, in_folder("b.hdf5"));
        raw_problem *binary = read_good(in_folder("b.hdf5"), SCREE_FILE_DETECT);
        assert_true(raw_equal(raw, binary));
        write_good(binary, in_folder("c.dat"));
        again = read_good(in_folder("c.dat"), SCREE_FILE_DETECT);
        assert_true(raw_equal(raw, again));
        raw_destroy(again);
        raw_destroy(binary);
    }
    raw_destroy(text);
}

static void every_storage_of_every_dimension_keeps_its_bits(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 6; ++dim)
        for (int s = 0; s < STORAGES; ++s)
            for (int contacts = 0; contacts < 6; ++contacts)
                for (int bodies = 0; bodies < 3; ++bodies) {
                    raw_problem *raw =
                        make((recipe){bodies ? RAW_GLOBAL : RAW_LOCAL, dim, contacts, bodies, 0, storages[s]});
                    round_trip(raw);
                    raw_destroy(raw);
                }
}

static void the_decimal_sign_of_the_locale_does_not_matter(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "fr_FR.utf8", "ps_AF"};
    const char *found = NULL;
    for (size_t k = 0; k < sizeof names / sizeof *names && !found; ++k) found = setlocale(LC_ALL, names[k]);
    raw_problem *raw = make((recipe){RAW_LOCAL, 3, 4, 0, 0, RAW_CSC});
    round_trip(raw);
    raw_destroy(raw);
    setlocale(LC_ALL, "C");
    if (!found) skip(); /* the round trip was made, but in the usual locale */
}

static double *numbers(const raw_problem *raw, int count)
{
    if (count == 0) return NULL;
    double *x = memory_array(&raw->allocator, (size_t)count, sizeof *x);
    for (int k = 0; k < count; ++k) x[k] = draw();
    return x;
}

static void fclib_keeps_constraints_solutions_guesses_and_texts(void **state)
{
    (void)state;
    if (!raw_fclib_built()) skip();
    for (int bodies = 0; bodies < 2; ++bodies)
        for (int dim = 2; dim <= 6; ++dim) {
            raw_problem *raw = make((recipe){bodies ? RAW_GLOBAL : RAW_LOCAL, dim, 3, bodies, 2, RAW_CSR});
            static const char *const texts[] = {"a title", "", "mathematics \xC3\xBC"};
            for (int k = 0; k < RAW_INFOS; ++k) {
                raw->info[k] = memory_array(NULL, strlen(texts[k]) + 1, 1);
                memcpy(raw->info[k], texts[k], strlen(texts[k]));
            }
            raw->guess_count = 2;
            raw->guess = memory_array(NULL, 2, sizeof *raw->guess);
            for (int k = 0; k < RAW_SOLUTION_PARTS; ++k) {
                raw->solution.part[k] = numbers(raw, raw_solution_size(raw, k));
                raw->guess[0].part[k] = numbers(raw, raw_solution_size(raw, k));
            }
            raw->guess[1].part[RAW_SOLUTION_R] = numbers(raw, raw_solution_size(raw, RAW_SOLUTION_R));
            write_good(raw, in_folder("all.h5"));
            raw_problem *back = read_good(in_folder("all.h5"), SCREE_FILE_DETECT);
            assert_true(raw_equal(raw, back));
            raw_destroy(back);

            scree_error error; /* and .dat says that it has no place for constraints */
            assert_int_equal(raw_write(raw, in_folder("no.dat"), &error), SCREE_ERR_UNSUPPORTED);
            assert_non_null(strstr(error.text, "equality constraints"));
            assert_int_equal(access(in_folder("no.dat"), F_OK), -1);
            raw_destroy(raw);
        }
}

/// The same file twice has the same bytes, and no temporary is left beside it.
static void writing_leaves_one_file_and_no_time(void **state)
{
    (void)state;
    raw_problem *raw = make((recipe){RAW_LOCAL, 3, 3, 0, 0, RAW_CSC});
    for (int k = 0; k < 1 + raw_fclib_built(); ++k) {
        const char *name = k ? "same.hdf5" : "same.dat";
        size_t n1, n2;
        write_good(raw, in_folder(name));
        char *first = read_whole(in_folder(name), &n1);
        if (k) sleep(1);
        write_good(raw, in_folder(name));
        char *second = read_whole(in_folder(name), &n2);
        assert_int_equal(n1, n2);
        assert_memory_equal(first, second, n1);
        free(first), free(second);
    }
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) assert_null(strstr(e->d_name, ".tmp"));
    closedir(d);
    scree_error error;
    assert_int_equal(raw_write(raw, in_folder("x.txt"), &error), SCREE_ERR_UNSUPPORTED);
    assert_int_equal(raw_write(raw, in_folder("nowhere/x.dat"), &error), SCREE_ERR_FILE);
    assert_non_null(strstr(error.text, "No such file"));
    raw_destroy(raw);
}

/* ---- problems ------------------------------------------------------------------------------------------------------------ */

/// W_ext p + q_ext as the mathematics says it, from the file: dense elimination with M, no bodies.
static void reference(const raw_problem *raw, const double *p, double *y)
{
    int n = raw_row_count(raw), m = raw->equality_count, d = raw->dof_count;
    const raw_matrix *A = raw->matrix;
    if (raw->kind == RAW_LOCAL) {
        for (int i = 0; i < n; ++i) y[i] = raw->vector[RAW_Q][i];
        for (int i = 0; i < m; ++i) y[n + i] = raw->vector[RAW_S][i];
        for (int i = 0; i < n; ++i)
            for (int e = A[RAW_W].start[i]; e < A[RAW_W].start[i + 1]; ++e)
                y[i] += A[RAW_W].value[e] * p[A[RAW_W].column[e]];
        for (int i = 0; i < n && m; ++i)
            for (int e = A[RAW_V].start[i]; e < A[RAW_V].start[i + 1]; ++e) {
                y[i] += A[RAW_V].value[e] * p[n + A[RAW_V].column[e]];
                y[n + A[RAW_V].column[e]] += A[RAW_V].value[e] * p[i];
            }
        for (int i = 0; i < m; ++i)
            for (int e = A[RAW_R].start[i]; e < A[RAW_R].start[i + 1]; ++e)
                y[n + i] += A[RAW_R].value[e] * p[n + A[RAW_R].column[e]];
        return;
    }
    double *M = calloc((size_t)(d * d) + 1, sizeof *M), *v = calloc((size_t)d + 1, sizeof *v);
    for (int i = 0; i < d; ++i) {
        v[i] = raw->vector[RAW_F][i];
        for (int e = A[RAW_M].start[i]; e < A[RAW_M].start[i + 1]; ++e)
            M[i * d + A[RAW_M].column[e]] = A[RAW_M].value[e];
        for (int e = A[RAW_H].start[i]; e < A[RAW_H].start[i + 1]; ++e)
            v[i] += A[RAW_H].value[e] * p[A[RAW_H].column[e]];
        for (int e = m ? A[RAW_G].start[i] : 0; m && e < A[RAW_G].start[i + 1]; ++e)
            v[i] += A[RAW_G].value[e] * p[n + A[RAW_G].column[e]];
    }
    for (int k = 0; k < d; ++k) /* the diagonal dominates: no pivots needed */
        for (int i = k + 1; i < d; ++i) {
            double f = M[i * d + k] / M[k * d + k];
            for (int j = k; j < d; ++j) M[i * d + j] -= f * M[k * d + j];
            v[i] -= f * v[k];
        }
    for (int i = d - 1; i >= 0; --i) {
        for (int j = i + 1; j < d; ++j) v[i] -= M[i * d + j] * v[j];
        v[i] /= M[i * d + i];
    }
    for (int i = 0; i < n; ++i) y[i] = raw->vector[RAW_U_FREE][i];
    for (int i = 0; i < m; ++i) y[n + i] = raw->vector[RAW_B][i];
    for (int i = 0; i < d; ++i) {
        for (int e = A[RAW_H].start[i]; e < A[RAW_H].start[i + 1]; ++e)
            y[A[RAW_H].column[e]] += A[RAW_H].value[e] * v[i];
        for (int e = m ? A[RAW_G].start[i] : 0; m && e < A[RAW_G].start[i + 1]; ++e)
            y[n + A[RAW_G].column[e]] += A[RAW_G].value[e] * v[i];
    }
    free(M), free(v);
}

/// The problem made of the file gives the velocities of the file, and so does what is written from it.
static void judge(const raw_problem *raw, double tolerance)
{
    scree_error error = {.text = ""};
    scree_problem *problem;
    raw_problem *back;
    int rows = raw_row_count(raw) + raw->equality_count;
    double *p = calloc((size_t)rows + 1, sizeof *p), *y = calloc((size_t)rows + 1, sizeof *y);
    double *expected = calloc((size_t)rows + 1, sizeof *expected), scale = 0.0;
    if (raw_to_problem(raw, "x", NULL, &problem, &error) != SCREE_OK) fail_msg("%s", error.text);
    assert_int_equal(problem->row_count, rows);
    assert_int_equal(problem->contact_count, raw->contact_count);
    for (int i = 0; i < rows; ++i) p[i] = draw();
    reference(raw, p, expected);
    scree_problem_apply(problem, p, y);
    for (int i = 0; i < rows; ++i) y[i] += problem->q[i], scale += fabs(expected[i]);
    for (int i = 0; i < rows; ++i)
        if (fabs(y[i] - expected[i]) > tolerance * scale) fail_msg("row %d: %g, expected %g", i, y[i], expected[i]);

    if (raw_from_problem(problem, p, "x", NULL, &back, &error) != SCREE_OK) fail_msg("%s", error.text);
    assert_int_equal(back->dim, raw->contact_count ? raw->dim : 3);
    assert_int_equal(back->equality_count, raw->equality_count);
    reference(back, p, y);
    for (int i = 0; i < rows; ++i) assert_true(fabs(y[i] - expected[i]) <= 10 * tolerance * scale);
    for (int i = 0; i < raw_row_count(back); ++i) {
        assert_true(back->solution.part[RAW_SOLUTION_R][i] == p[i]);
        assert_true(fabs(back->solution.part[RAW_SOLUTION_U][i] - expected[i]) <= tolerance * scale);
    }
    raw_destroy(back);
    scree_problem_destroy(problem);
    free(p), free(y), free(expected);
}

static void problems_have_the_velocities_of_their_files(void **state)
{
    (void)state;
    /* sums of 50 terms of one size: 1e-13; M is dominated by its diagonal, so its inverse adds no more */
    for (int dim = 2; dim <= 6; ++dim)
        for (int bodies = 0; bodies < 4;
             ++bodies) /* M of neighbours is one component: 6 and 12 through the bodies, 18 assembled */
            for (int equalities = 0; equalities < 3; ++equalities) {
                raw_problem *raw = make((recipe){bodies ? RAW_GLOBAL : RAW_LOCAL, dim, 4, bodies, equalities, RAW_CSC});
                judge(raw, 1e-12);
                raw_destroy(raw);
            }
}

static void one_dimension_and_no_bounds_in_a_file(void **state)
{
    (void)state;
    scree_cone cones[2] = {scree_cone_slide(0.5), scree_cone_slide(0.5)};
    double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, bound = 2.0;
    int zero = 0;
    scree_problem_def def = scree_problem_def_default();
    def.contact_count = 2, def.cone = cones, def.entry_count = 1, def.entry_value = W;
    def.entry_row = def.entry_column = &zero, def.bound = &bound;
    static const char *const expected[] = {"contact 0 has 3 rows and contact 1 has 4", "cone that files do not know",
                                           "has the bound 2"};
    for (int k = 0; k < 3; ++k) {
        scree_problem *problem;
        scree_error error = {.text = ""};
        cones[1] = k == 0 ? scree_cone_slide_spin(1, 1) : k == 1 ? scree_cone_planar_roll(1, 1) : cones[0];
        def.bound_count = k == 2;
        assert_int_equal(scree_problem_create(&def, NULL, &problem, &error), SCREE_OK);
        assert_int_equal(scree_problem_write(problem, NULL, in_folder("x.dat"), &error), SCREE_ERR_UNSUPPORTED);
        assert_non_null(strstr(error.text, expected[k]));
        scree_problem_destroy(problem);
    }
}

/* ---- the data of others ---------------------------------------------------------------------------------------------------- */

/// Leaves what .dat has a place for.
static void strip(raw_problem *raw)
{
    for (int k = 0; k < RAW_INFOS; ++k) memory_free(&raw->allocator, raw->info[k]), raw->info[k] = NULL;
    for (int k = 0; k < RAW_SOLUTION_PARTS; ++k) {
        memory_free(&raw->allocator, raw->solution.part[k]), raw->solution.part[k] = NULL;
        for (int g = 0; g < raw->guess_count; ++g) memory_free(&raw->allocator, raw->guess[g].part[k]);
    }
    memory_free(&raw->allocator, raw->guess), raw->guess = NULL, raw->guess_count = 0;
}

static void every_file_of_the_data_is_read(void **state)
{
    (void)state;
    static const char *const folders[] = {"coulomb", "rolling", "global", "planar"};
    static const struct {
        const char *part;
        int dim, contacts;
    } known[] = {{"Box_Stacks-i0122-82", 3, 82},
                 {"LMGC_100_PR_PerioBox-i00361-60", 3, 60},
                 {"nc-4", 5, 4},
                 {"spheres-in-a-box-98-i10000-256", 3, 256},
                 {"ex13-4contact", 3, 4},
                 {"fc2d_granularflowonwall_00667", 2, 667},
                 {"OneContact", 3, 1},
                 {"rockfall_14", 5, 14},
                 {"Kaplas", 3, 570},
                 {"synthpile", 5, 148}};
    int files = 0, found = 0;
    for (int f = 0; f < 4; ++f) {
        char path[512];
        snprintf(path, sizeof path, DATA "/%s", folders[f]);
        DIR *d = opendir(path);
        if (!d) {
            skip();
            return;
        }
        for (struct dirent *e; (e = readdir(d));) {
            if (e->d_name[0] == '.') continue;
            snprintf(path, sizeof path, DATA "/%s/%s", folders[f], e->d_name);
            if (!raw_fclib_built() && strcmp(path + strlen(path) - 4, "hdf5") == 0) continue;
            raw_problem *raw = read_good(path, SCREE_FILE_DETECT);
            for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
                if (!strstr(e->d_name, known[k].part)) continue;
                assert_int_equal(raw->dim, known[k].dim);
                assert_int_equal(raw->contact_count, known[k].contacts);
                found += 1;
            }
            if (f == 2) assert_int_equal(raw->kind, RAW_GLOBAL);
            if (f == 1) assert_int_equal(raw->dim, 5);
            if (strcmp(path + strlen(path) - 4, "hdf5") == 0) {
                write_good(raw, in_folder("copy.hdf5"));
                raw_problem *copy = read_good(in_folder("copy.hdf5"), SCREE_FILE_DETECT);
                assert_true(raw_equal(raw, copy));
                raw_destroy(copy);
            }
            strip(raw);
            round_trip(raw);
            scree_problem *problem;
            scree_error error = {.text = ""};
            if (scree_problem_read(path, SCREE_FILE_DETECT, NULL, &problem, &error) != SCREE_OK)
                fail_msg("%s: %s", error.file, error.text);
            assert_int_equal(problem->contact_count, raw->contact_count);
            scree_problem_destroy(problem);
            raw_destroy(raw);
            files += 1;
        }
        closedir(d);
    }
    print_message("%d files\n", files);
    assert_true(files > 30 && found >= (raw_fclib_built() ? 10 : 6));
}

/* ---- mistakes ------------------------------------------------------------------------------------------------------------- */

static scree_status read_text(const char *text, size_t size, scree_file_kind kind, scree_error *error)
{
    char *copy = malloc(size + 1); /* exactly as long as the text: a byte too far is seen by the sanitizer */
    raw_problem *raw;
    assert_non_null(copy);
    memcpy(copy, text, size);
    error->text[0] = '\0';
    failing c = {.left = -1};
    scree_allocator a = failing_allocator(&c);
    scree_status status = raw_read_dat(copy, size, "case.dat", kind, &a, &raw, error);
    assert_true((status == SCREE_OK) == (raw != NULL));
    if (raw) { /* a valid read can be made a problem, or has a reason */
        scree_problem *problem;
        scree_error reason = {.text = ""};
        if (raw_to_problem(raw, "case.dat", &a, &problem, &reason) != SCREE_OK) assert_true(reason.text[0] != '\0');
        scree_problem_destroy(problem);
    } else assert_true(error->text[0] != '\0' && error->line > 0 && error->column > 0);
    raw_destroy(raw);
    assert_int_equal(c.live, 0);
    free(copy);
    return status;
}

#define DENSE_1   "3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 "
#define BLOCK_1   "3\n1\n1\n3\n3\n1\n1\n1\n3\n3\n2\n1\n0 1\n0\n0\n1 0 0 0 1 0 0 0 1\n"
#define CSC_1     "3\n1\n2\n3\n3\n2 rest\nbanner\n3-by-3, nzmax: 3 nnz: 3, 1-norm: 1\n"
#define TRIPLET_1 "3\n1\n2\n3\n3\n1\nbanner\ntriplet: 3-by-3, nzmax: 9 nnz: "

static void mistakes_have_their_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line, column;
        const char *expected;
    } cases[] = {
        {"", 1, 1, "the file ends where the dimension of a contact should be"},
        {"7", 1, 1, "the dimension of a contact is '7', expected a whole number from 2 to 6"},
        {"three", 1, 1, "is 'three'"},
        {"3\n-1", 2, 1, "the number of contacts is '-1', expected a whole number from 0"},
        {"3 1.5", 1, 3, "the number of contacts is '1.5'"},
        {"3 1000000 0 3 3", 1, 3, "contacts: 1000000 should follow, but the file has only"},
        {"3 99999999999999999999 0 3 3", 1, 3, "expected a whole number from 0"},
        {"3 1 3 3 3 0 0 0 0 0 0 0 0", 1, 5,
         "the storage of the first matrix is '3', expected a whole number from 0 to 2"},
        {"3 1 0 3 4 0 0 0 0", 1, 9, "the number of columns of a square matrix is '4', expected 3"},
        {"3 1 0 3 3 3 2 1", 1, 13, "the number of columns, repeated is '2', expected 3"},
        {"3 1 0 3 3 3 3 1", 1, 15, "values of a dense matrix: 9 should follow"},
        {DENSE_1 "1 2 x 0.5", 1, 37, "q is 'x', expected a finite number"},
        {DENSE_1 "1 2\n  nan 0.5", 2, 3, "q is 'nan', expected a finite number"},
        {DENSE_1 "1 2 -inf 0.5", 1, 37, "q is '-inf'"},
        {DENSE_1 "1 2 1e999 0.5", 1, 37, "q is '1e999', expected a finite number"},
        {DENSE_1 "1 2 0x10 0.5", 1, 37, "q is '0x10'"},
        {DENSE_1 "1 2 3 -0.5", 1, 39, "mu of contact 0 is -0.5, expected a coefficient >= 0"},
        {DENSE_1 "1 2 3", 1, 38, "numbers of mu: 1 should follow, but the file has only 0 bytes more"},
        {DENSE_1 "1 2 3 1,5", 1, 39, "mu is '1,5'"},
        {"3 2 0 3 3 3 3 1 0 0 0 1 0 0 0 1 1 2 3 .5 .5", 1, 7, "the first matrix has 3 rows, and no matrix H of 3 x 6"},
        {"3\n1\n1\n3\n3\n1\n1\n1\n4\n3\n2\n1\n0 1\n0\n0\n1 0 0 0 1 0 0 0 1\n1 2 3 .5", 9, 1,
         "the end of a block row is '4', expected 3"},
        {"3\n1\n1\n3\n3\n1\n1\n1\n3\n3\n2\n1\n0 2\n0\n0\n1 0 0 0 1 0 0 0 1\n1 2 3 .5", 13, 3,
         "a row pointer is '2', expected 1"},
        {"3\n1\n1\n3\n3\n1\n1\n1\n3\n3\n2\n1\n0 1\n1\n0\n1 0 0 0 1 0 0 0 1\n1 2 3 .5", 14, 1,
         "a block column is '1', expected 0"},
        {"3\n1\n1\n3\n3\n1\n1\n1\n3\n3\n2\n1\n0 1\n0\n4\n1 0 0 0 1 0 0 0 1\n1 2 3 .5", 15, 1,
         "the number of the next block is '4', expected 0"},
        {"2 2 1 4 4 2 2 2 2 4 2 4 3 2 0 2 2 1 1 0 1 0 0 1 1 1 0 0 1 1 2 3 4 1 1", 1, 37, "block (0, 1) is there twice"},
        {"3\n1\n1\n3\n3\n999999999\n1\n1\n3\n3\n2\n1\n0 1\n0\n", 6, 1, "blocks: 999999999 should follow"},
        {"3\n1\n2\n3\n3\n5\n\n\n", 6, 1, "the origin of the sparse matrix is '5'"},
        {"3\n1\n2\n3\n3\n2\nb\n3-by-4, nzmax: 3 nnz: 3, 1-norm: 1\n", 8, 1, "is '3-by-4,', expected 3-by-3,"},
        {"3\n1\n2\n3\n3\n2\nb\n3-by-3, nzmax: 3 nnz: 999999, 1-norm: 1\n", 8, 23, "entries: 999999 should follow"},
        {"3\n1\n2\n3\n3\n2\nb\ntriplet: 3-by-3, nzmax: 3 nnz: 3\n", 8, 1, "expected the header 'R-by-C, ...'"},
        {CSC_1 "row 0 : locations 0 to 0\n 3 : 1\n col 1 : locations 1 to 1\n 1 : 1\n col 2 : locations 2 to 2\n 2 : "
               "1\n1 2 3 .5",
         10, 2, "an index is '3', expected a whole number from 0 to 2"},
        {CSC_1 "col 0 : locations 0 to 1\n 1 : 1\n 1 : 2\n col 1 : locations 2 to 2\n 1 : 1\n col 2 : locations 3 to "
               "2\n1 2 3 .5",
         11, 2, "index 1 is there twice in col 0"},
        {CSC_1 "col 0 : locations 0 to 0\n 0 : 1\n col 2 : locations 1 to 1\n 1 : 1\n col 2 : locations 2 to 2\n 2 : "
               "1\n1 2 3 .5",
         11, 6, "the number of the column is '2', expected 1"},
        {CSC_1 "col 0 : locations 0 to 0\n 0 : 1\n col 1 : locations 1 to 0\n col 2 : locations 1 to 0\n1 2 3 .5  1 2 "
               "3 .5 1 2 3",
         13, 1, "1 entries were there, expected the 3 of the header"},
        {TRIPLET_1 "1\n 3 0 : 1\n1 2 3 .5", 9, 2, "a row index is '3', expected a whole number from 0 to 2"},
        {TRIPLET_1 "1\n 0 -1 : 1\n1 2 3 .5", 9, 4, "a column index is '-1'"},
        {TRIPLET_1 "1\n 0 0 ; 1\n1 2 3 .5", 9, 6, "is ';', expected ':'"},
        {"3\n1\n2\n3\n3\n4\nbanner\ntriplet: 3-by-3, nzmax: 9 nnz: 2\n 0 1 : 1\n 1 0 : 1\n1 2 3 .5", 10, 2,
         "entry (1, 0) is on the other side of the diagonal"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        scree_error error;
        scree_status status = read_text(cases[k].text, strlen(cases[k].text), SCREE_FILE_DETECT, &error);
        if (status != SCREE_ERR_INPUT || error.line != cases[k].line || error.column != cases[k].column ||
            !strstr(error.text, cases[k].expected))
            fail_msg("case %zu: %d:%d: %s, expected %d:%d: %s", k, error.line, error.column, error.text, cases[k].line,
                     cases[k].column, cases[k].expected);
        assert_string_equal(error.file, "case.dat");
    }
}

static void what_is_unusual_but_right_is_read(void **state)
{
    (void)state;
    static const char *const good[] = {
        DENSE_1 "1 2 3 .5",
        DENSE_1 "+1. 2E0 3e-400 5.00000000000000000000000000000000000000e-1 0 0 trailing words",
        BLOCK_1 "1 2 3 .5 1",
        CSC_1 "col 0 : locations 0 to 2\n 2 : 1\n 0 : 7\n 1 : 3\n col 1 : locations 3 to 2\ncol 2 : locations 3 to "
              "2\n1 2 3 .5",                                    /* unsorted */
        TRIPLET_1 "2\n 0 0 : 1\n 0 0 : 2\n1 2 3 .5",            /* they add up */
        "2 0 2 0 0 2\nb\n0-by-0, nzmax: 1 nnz: 0, 1-norm: 0\n", /* nothing at all */
        "3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 0 3 3 .5",             /* q looks like the sizes of H, but nothing follows */
        "3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 1 2 3 4 5 6 .5", /* global, as many dofs as rows */
    };
    for (size_t k = 0; k < sizeof good / sizeof *good; ++k) {
        scree_error error;
        if (read_text(good[k], strlen(good[k]), SCREE_FILE_DETECT, &error) != SCREE_OK)
            fail_msg("case %zu: %d:%d: %s", k, error.line, error.column, error.text);
    }
}

/// Digits as strtod reads them: short numbers have a way of their own.
static void numbers_are_read_as_strtod_does(void **state)
{
    (void)state;
    for (int k = 0; k < 20000; ++k) {
        char text[256], number[64];
        double x = draw();
        int digits = k % 25;
        if (k % 3 == 0) snprintf(number, sizeof number, "%.*e", digits, x);
        else if (k % 3 == 1) snprintf(number, sizeof number, "%.*f", digits, x);
        else snprintf(number, sizeof number, "%.*g", digits, x * 1e5);
        int n = snprintf(text, sizeof text, DENSE_1 "%s 0 0 1", number);
        raw_problem *raw;
        scree_error error = {.text = ""};
        if (raw_read_dat(text, (size_t)n, "x", SCREE_FILE_LOCAL, NULL, &raw, &error) != SCREE_OK)
            fail_msg("%s", error.text);
        double expected = strtod(number, NULL);
        assert_memory_equal(&raw->vector[RAW_Q][0], &expected, sizeof expected);
        raw_destroy(raw);
    }
}

/// Cut anywhere, or with one byte replaced: an error with its place, or a valid problem; never a crash, never a leak.
static void damaged_texts_are_survived(void **state)
{
    (void)state;
    static const char with[] = {'9', '-', ' ', '\n', 'x', '.', '\0', '\xFF'};
    for (int s = 0; s < STORAGES; ++s)
        for (int bodies = 0; bodies < 2; ++bodies) {
            raw_problem *raw =
                make((recipe){bodies ? RAW_GLOBAL : RAW_LOCAL, 2 + 3 * bodies, 1, bodies, 0, storages[s]});
            write_good(raw, in_folder("damaged.dat"));
            size_t size;
            char *text = read_whole(in_folder("damaged.dat"), &size);
            scree_error error;
            int refused = 0;
            for (size_t k = 0; k < size; ++k) refused += read_text(text, k, SCREE_FILE_DETECT, &error) != SCREE_OK;
            assert_true(refused > (int)size / 2);
            for (size_t k = 0; k < size; ++k) {
                char kept = text[k];
                text[k] = with[k % sizeof with];
                read_text(text, size, k % 2 ? SCREE_FILE_LOCAL : SCREE_FILE_DETECT, &error);
                text[k] = kept;
            }
            free(text);
            raw_destroy(raw);
        }
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    for (int s = 0; s < STORAGES; ++s)
        for (int bodies = 0; bodies < 4; ++bodies)
            for (int format = 0; format < 1 + raw_fclib_built(); ++format) {
                raw_problem *raw = make((recipe){bodies ? RAW_GLOBAL : RAW_LOCAL, 6, 3, bodies, format, storages[s]});
                const char *path = in_folder(format ? "memory.hdf5" : "memory.dat");
                write_good(raw, path);
                raw_destroy(raw);
                for (int k = 0;; ++k) {
                    failing c = {.left = k};
                    scree_allocator a = failing_allocator(&c);
                    scree_problem *problem;
                    scree_error error = {.text = ""};
                    scree_status status = scree_problem_read(path, SCREE_FILE_DETECT, &a, &problem, &error);
                    assert_true((status == SCREE_OK) == (problem != NULL));
                    if (problem) {
                        double *p = calloc((size_t)problem->row_count + 1, sizeof *p);
                        int before = c.live;
                        for (int j = 0; j == 0 || status != SCREE_OK; ++j) {
                            c.left = j;
                            status =
                                scree_problem_write(problem, p, in_folder(format ? "out.hdf5" : "out.dat"), &error);
                            assert_int_equal(c.live, before);
                            assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
                        }
                        free(p);
                    }
                    scree_problem_destroy(problem);
                    assert_int_equal(c.live, 0);
                    if (problem) break;
                    assert_int_equal(status, SCREE_ERR_MEMORY);
                    assert_true(error.text[0] != '\0');
                }
            }
}

static void files_that_cannot_be_read_say_so(void **state)
{
    (void)state;
    scree_problem *problem;
    scree_error error;
    assert_int_equal(scree_problem_read(in_folder("absent.dat"), SCREE_FILE_DETECT, NULL, &problem, &error),
                     SCREE_ERR_FILE);
    assert_non_null(strstr(error.text, "No such file"));
    assert_int_equal(scree_problem_read(folder, SCREE_FILE_DETECT, NULL, &problem, &error), SCREE_ERR_FILE);
    FILE *out = fopen(in_folder("signature.hdf5"), "wb");
    fputs("\x89HDF\r\n\x1a\n and nothing more", out);
    fclose(out);
    scree_status status = scree_problem_read(in_folder("signature.hdf5"), SCREE_FILE_DETECT, NULL, &problem, &error);
    assert_int_equal(status, raw_fclib_built() ? SCREE_ERR_INPUT : SCREE_ERR_UNSUPPORTED);
}

/// An HDF5 file cut short or with bytes replaced: HDF5 or we say what is wrong.
static void damaged_hdf5_is_refused(void **state)
{
    (void)state;
    if (!raw_fclib_built()) skip();
    raw_problem *raw = make((recipe){RAW_GLOBAL, 5, 2, 1, 1, RAW_CSC}), *back;
    write_good(raw, in_folder("damaged.hdf5"));
    raw_destroy(raw);
    size_t size;
    char *image = read_whole(in_folder("damaged.hdf5"), &size);
    for (size_t k = 8; k < size; k += 97) {
        scree_error error = {.text = ""};
        FILE *out = fopen(in_folder("cut.hdf5"), "wb");
        fwrite(image, 1, k, out);
        fclose(out);
        assert_int_equal(raw_read(in_folder("cut.hdf5"), SCREE_FILE_DETECT, NULL, &back, &error), SCREE_ERR_INPUT);
        assert_true(error.text[0] != '\0' && strstr(error.file, "cut.hdf5::"));
    }
    free(image);
}

/* ---- all ------------------------------------------------------------------------------------------------------------------ */

static int make_folder(void **state)
{
    (void)state;
    static const char *const places[] = {"/dev/shm", "/tmp"}; /* memory first: thousands of small files */
    for (int k = 0; k < 2; ++k) {
        snprintf(folder, sizeof folder, "%s/scree_files_XXXXXX", places[k]);
        if (mkdtemp(folder)) return 0;
    }
    return -1;
}

static int remove_folder(void **state)
{
    (void)state;
    DIR *d = opendir(folder);
    if (!d) return -1;
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.') remove(in_folder(e->d_name));
    closedir(d);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_storage_of_every_dimension_keeps_its_bits),
        cmocka_unit_test(the_decimal_sign_of_the_locale_does_not_matter),
        cmocka_unit_test(fclib_keeps_constraints_solutions_guesses_and_texts),
        cmocka_unit_test(writing_leaves_one_file_and_no_time),
        cmocka_unit_test(problems_have_the_velocities_of_their_files),
        cmocka_unit_test(one_dimension_and_no_bounds_in_a_file),
        cmocka_unit_test(every_file_of_the_data_is_read),
        cmocka_unit_test(mistakes_have_their_line_and_column),
        cmocka_unit_test(what_is_unusual_but_right_is_read),
        cmocka_unit_test(numbers_are_read_as_strtod_does),
        cmocka_unit_test(damaged_texts_are_survived),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(files_that_cannot_be_read_say_so),
        cmocka_unit_test(damaged_hdf5_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
