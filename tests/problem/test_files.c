/* test_files.c: problem files: what goes out comes back with the same bits, and the problem has the velocities of its file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "raw_problems.h"
#include "try.h"

#include <dirent.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DATA "../shared/data"

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

            scree_error error = {0}; /* and .dat says that it has no place for constraints */
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
    scree_error error = {0};
    assert_int_equal(raw_write(raw, in_folder("x.txt"), &error), SCREE_ERR_UNSUPPORTED);
    assert_int_equal(raw_write(raw, in_folder("nowhere/x.dat"), &error), SCREE_ERR_WRITE);
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
    scree_problem_apply(problem, p, y, NULL);
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
                                           "has the bound 2", "the bilateral rows of W are not symmetric"};
    int two = 2;
    for (int k = 0; k < 4; ++k) {
        scree_problem *problem;
        scree_error error = {.text = ""};
        cones[1] = k == 0 ? scree_cone_slide_spin(1, 1) : k == 1 ? scree_cone_planar_roll(1, 1) : cones[0];
        def.bound_count = k >= 2;
        if (k == 3)
            bound = HUGE_VAL, def.entry_column = &two; /* contact 0 feels the bilateral row, which does not feel it */
        assert_int_equal(try_problem_create(&def, NULL, &problem, &error), SCREE_OK);
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

static void every_stored_file_is_read(void **state)
{
    (void)state;
    static const char *const folders[] = {"tests/problems", DATA "/coulomb", DATA "/rolling", DATA "/global",
                                          DATA "/planar"};
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
                 {"synthpile", 5, 148},
                 {"pile-slide-local", 3, 6},
                 {"pile-roll-local", 5, 3},
                 {"pile-roll-spin", 6, 4},
                 {"planar-stack-local", 2, 5},
                 {"planar-stack.dat", 2, 5},
                 {"boxes", 3, 8}};
    int files = 0, found = 0;
    for (int f = 0; f < 5; ++f) {
        char path[512];
        DIR *d = opendir(folders[f]);
        if (!d) continue; /* those that others left may be absent */
        for (struct dirent *e; (e = readdir(d));) {
            if (e->d_name[0] == '.' || strcmp(e->d_name, "README") == 0) continue;
            snprintf(path, sizeof path, "%s/%s", folders[f], e->d_name);
            if (!raw_fclib_built() && strcmp(path + strlen(path) - 4, "hdf5") == 0) continue;
            raw_problem *raw = read_good(path, SCREE_FILE_DETECT);
            for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
                if (!strstr(e->d_name, known[k].part)) continue;
                assert_int_equal(raw->dim, known[k].dim);
                assert_int_equal(raw->contact_count, known[k].contacts);
                found += 1;
            }
            if (f == 3) assert_int_equal(raw->kind, RAW_GLOBAL);
            if (f == 2) assert_int_equal(raw->dim, 5);
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
            if (try_problem_read(path, SCREE_FILE_DETECT, NULL, &problem, &error) != SCREE_OK)
                fail_msg("%s: %s", error.file, error.text);
            assert_int_equal(problem->contact_count, raw->contact_count);
            scree_problem_destroy(problem);
            raw_destroy(raw);
            files += 1;
        }
        closedir(d);
    }
    print_message("%d files\n", files);
    assert_true(files >= 6 && found >= 6);
    if (files > 6) assert_true(files > 36 && found >= (raw_fclib_built() ? 16 : 12));
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
        cmocka_unit_test(every_stored_file_is_read),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
