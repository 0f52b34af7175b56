/* test_files_bad.c: files of problems that are wrong: every mistake has its line and column, damage and failing allocations are survived. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "raw_problems.h"
#include "try.h"

#include <stdio.h>
#include <stdlib.h>

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

#define DIGITS_100                                                                                                     \
    "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890"
#define DIGITS_500 DIGITS_100 DIGITS_100 DIGITS_100 DIGITS_100 DIGITS_100
#define DENSE_1    "3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 "
#define BLOCK_1    "3\n1\n1\n3\n3\n1\n1\n1\n3\n3\n2\n1\n0 1\n0\n0\n1 0 0 0 1 0 0 0 1\n"
#define CSC_1      "3\n1\n2\n3\n3\n2 rest\nbanner\n3-by-3, nzmax: 3 nnz: 3, 1-norm: 1\n"
#define TRIPLET_1  "3\n1\n2\n3\n3\n1\nbanner\ntriplet: 3-by-3, nzmax: 9 nnz: "

static void mistakes_have_their_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line, column;
        const char *expected;
    } cases[] = {
        {"", 1, 1,
         "the file is empty, expected FCLIB (HDF5), or a .dat text that starts with the dimension of a contact"},
        {"# a scene", 1, 1, "this is no contact problem, expected FCLIB (HDF5), or a .dat text"},
        {"7", 1, 1, "the dimension of a contact is '7', expected a whole number from 2 to 6"},
        {"three", 1, 1, "this is no contact problem"},
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
        {DENSE_1 "1 2 0." DIGITS_500 DIGITS_500 " 0.5", 1, 37, "expected a number of fewer digits"},
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
        {"3 1 1 0 0 1 0 0 1 1 1 -1", 1, 11, "1 blocks do not fit into 0 block rows of 0"},
        {"3 1 1 3 3 1 1 1 3 3 1 1 1 0", 1, 27, "there are 1 blocks, but 1 row pointers, expected 2 or more"},
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
        {"3 1 0 4 4 4 4 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 2 4 3\n4\nbanner\ntriplet: 4-by-3, nzmax: 9 nnz: 1\n 0 0 : 1\n",
         5, 2, "half of a matrix is stored, expected a square one"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        scree_error error = {0};
        scree_status status = read_text(cases[k].text, strlen(cases[k].text), SCREE_FILE_DETECT, &error);
        if (status != SCREE_ERR_INPUT || error.line != cases[k].line || error.column != cases[k].column ||
            !strstr(error.text, cases[k].expected))
            fail_msg("case %zu: %d:%d: %s, expected %d:%d: %s", k, error.line, error.column, error.text, cases[k].line,
                     cases[k].column, cases[k].expected);
        assert_string_equal(error.file, "case.dat");
    }
}

/// Numbers that can be read and are no problem: the file is named, and why.
static void texts_that_make_no_problem_say_so(void **state)
{
    (void)state;
    enum { DOFS = 13 }; /* of one body: more than are inverted by hand */
    char indefinite[8192];
    int at = snprintf(indefinite, sizeof indefinite, "3 1 0 %d %d %d %d", DOFS, DOFS, DOFS, DOFS);
    for (int k = 0; k < DOFS * DOFS; ++k)
        at += snprintf(indefinite + at, sizeof indefinite - (size_t)at, k % (DOFS + 1) ? " 2" : " 1");
    at += snprintf(indefinite + at, sizeof indefinite - (size_t)at, " 0 %d 3 %d 3", DOFS, DOFS);
    for (int k = 0; k < 3 * DOFS; ++k) at += snprintf(indefinite + at, sizeof indefinite - (size_t)at, " 1");
    for (int k = 0; k < DOFS + 4; ++k) at += snprintf(indefinite + at, sizeof indefinite - (size_t)at, " 0");
    const char *const cases[][2] = {
        {TRIPLET_1 "2\n 0 0 : 1e308\n 0 0 : 1e308\n1 2 3 .5",
         "a matrix entry is too large, expected finite sums and products"},
        {indefinite, "M is not positive definite, expected a mass matrix"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        raw_problem *raw = NULL;
        scree_problem *problem;
        scree_error error = {.text = ""};
        if (raw_read_dat(cases[k][0], strlen(cases[k][0]), "case.dat", SCREE_FILE_DETECT, NULL, &raw, &error) !=
            SCREE_OK)
            fail_msg("case %zu: %d:%d: %s", k, error.line, error.column, error.text);
        assert_int_equal(raw_to_problem(raw, "case.dat", NULL, &problem, &error), SCREE_ERR_INPUT);
        assert_string_equal(error.text, cases[k][1]);
        raw_destroy(raw);
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
        scree_error error = {0};
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
            scree_error error = {0};
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
    const int stride = SCREE_SAMPLE_SHARE > 1 ? 3 : 1;
    for (int s = 0; s < STORAGES; ++s)
        for (int bodies = 0; bodies < 4; bodies += stride)
            for (int format = 0; format < 1 + raw_fclib_built(); ++format) {
                /* each read of FCLIB starts a process: every storage and every kind once, not every pair of them */
                if (format && bodies != stride * (s % (3 / stride + 1))) continue;
                raw_problem *raw = make((recipe){bodies ? RAW_GLOBAL : RAW_LOCAL, 6, 3, bodies, format, storages[s]});
                const char *path = in_folder(format ? "memory.hdf5" : "memory.dat");
                write_good(raw, path);
                raw_destroy(raw);
                for (int k = 0;; ++k) {
                    failing c = {.left = k};
                    scree_allocator a = failing_allocator(&c);
                    scree_problem *problem;
                    scree_error error = {.text = ""};
                    scree_status status = try_problem_read(path, SCREE_FILE_DETECT, &a, &problem, &error);
                    assert_true((status == SCREE_OK) == (problem != NULL));
                    if (problem) {
                        double *p = calloc((size_t)problem->row_count + 1, sizeof *p);
                        int before = c.live;
                        for (int j = 0; j == 0 || status != SCREE_OK; ++j) {
                            c.left = j, error = (scree_error){0};
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
    scree_error error = {0};
    assert_int_equal(try_problem_read(in_folder("absent.dat"), SCREE_FILE_DETECT, NULL, &problem, &error),
                     SCREE_ERR_FILE);
    assert_non_null(strstr(error.text, "No such file"));
    assert_int_equal(try_problem_read(folder, SCREE_FILE_DETECT, NULL, &problem, &error), SCREE_ERR_FILE);
    FILE *out = fopen(in_folder("signature.hdf5"), "wb");
    fputs("\x89HDF\r\n\x1a\n and nothing more", out);
    fclose(out);
    scree_status status = try_problem_read(in_folder("signature.hdf5"), SCREE_FILE_DETECT, NULL, &problem, &error);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_have_their_line_and_column), cmocka_unit_test(texts_that_make_no_problem_say_so),
        cmocka_unit_test(what_is_unusual_but_right_is_read),   cmocka_unit_test(numbers_are_read_as_strtod_does),
        cmocka_unit_test(damaged_texts_are_survived),          cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(files_that_cannot_be_read_say_so),    cmocka_unit_test(damaged_hdf5_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
