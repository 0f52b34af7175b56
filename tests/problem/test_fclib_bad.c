/* test_fclib_bad.c: FCLIB files that HDF5 can read and that hold no problem: each mistake is named, with its path in the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "raw_problems.h"

#include <hdf5.h>

static hid_t opened; /* the file that a change works on */

/// Puts values of a type in place of what is at the path; rank 0 to 2, `count` of them along the first axis.
static void put(const char *path, hid_t type, int rank, hsize_t count, const void *values)
{
    hsize_t size[2] = {count, 1};
    hid_t space = rank > 0 ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
    if (H5Lexists(opened, path, H5P_DEFAULT) > 0) assert_true(H5Ldelete(opened, path, H5P_DEFAULT) >= 0);
    hid_t set = H5Dcreate2(opened, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    if (values) assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void put_integers(const char *path, int count, const int *values)
{
    put(path, H5T_NATIVE_INT, 1, (hsize_t)count, values);
}

/// A list whose values are in another file, which is not there.
static void put_elsewhere(const char *path, hid_t type, hsize_t count)
{
    hid_t create = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &count, NULL);
    if (H5Lexists(opened, path, H5P_DEFAULT) > 0) assert_true(H5Ldelete(opened, path, H5P_DEFAULT) >= 0);
    H5Pset_external(create, "absent.bin", 0, H5F_UNLIMITED);
    hid_t set = H5Dcreate2(opened, path, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(create);
}

/// One entry of a list of integers changed.
static void change(const char *path, int index, int value)
{
    hid_t set = H5Dopen2(opened, path, H5P_DEFAULT), space = H5Dget_space(set);
    int list[64], count = (int)H5Sget_simple_extent_npoints(space);
    assert_true(count <= 64 && index < count);
    assert_true(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, list) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    list[index] = value;
    put_integers(path, count, list);
}

static void replace_by_group(const char *path)
{
    if (H5Lexists(opened, path, H5P_DEFAULT) > 0) H5Ldelete(opened, path, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(opened, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static void put_text(const char *path, size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    put(path, type, 0, 1, NULL);
    H5Tclose(type);
}

/// HDF5 would take this much memory for one number.
static void put_long_number(const char *path)
{
    hid_t type = H5Tcopy(H5T_NATIVE_INT);
    H5Tset_size(type, 64 << 20);
    put_elsewhere(path, type, 9);
    H5Tclose(type);
}

/// Nine values in pieces of many more: HDF5 would make room for a whole one.
static void put_pieces(const char *path)
{
    const hsize_t nine = 9, many_more = 1 << 28, endless = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &nine, &endless), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 1, &many_more);
    if (H5Lexists(opened, path, H5P_DEFAULT) > 0) H5Ldelete(opened, path, H5P_DEFAULT);
    H5Dclose(H5Dcreate2(opened, path, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT));
    H5Pclose(list);
    H5Sclose(space);
}

/* The problem that the changes start from: W of one contact of three rows (all nine entries, by columns), one equality. */
#define W "/fclib_local/W/"
static const int one = 1, minus = -1, many = 1 << 30;
static const double huge = HUGE_VAL, none = -1.0;

#define CHANGE(name, ...)                                                                                              \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }
CHANGE(real_pointers, put(W "p", H5T_NATIVE_DOUBLE, 1, 1, &none))
CHANGE(text_values, put_text(W "x", 8))
CHANGE(square_list, put(W "x", H5T_NATIVE_DOUBLE, 2, 9, NULL))
CHANGE(short_values, put(W "x", H5T_NATIVE_DOUBLE, 1, 1, &none))
CHANGE(two_heights, put(W "m", H5T_NATIVE_INT, 1, 2, NULL))
CHANGE(endless_values, put(W "x", H5T_NATIVE_DOUBLE, 1, 1 << 28, NULL))
CHANGE(long_number, put_long_number(W "x"))
CHANGE(long_pieces, put_pieces(W "x"))
CHANGE(infinite_load, put("/fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, 1, 1, &huge))
CHANGE(negative_friction, put("/fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, 1, 1, &none))
CHANGE(no_dimension, put_integers("/fclib_local/spacedim", 1, &one))
CHANGE(negative_height, put_integers(W "m", 1, &minus))
CHANGE(other_height, put_integers(W "m", 1, &one))
CHANGE(first_pointer, change(W "p", 0, 1))
CHANGE(second_pointer, change(W "p", 1, 77))
CHANGE(last_pointer, change(W "p", 3, -1))
CHANGE(far_index, change(W "i", 1, 3))
CHANGE(index_twice, change(W "i", 1, 0))
CHANGE(group_of_values, replace_by_group(W "x"))
CHANGE(group_of_text, replace_by_group("/fclib_local/info"), replace_by_group("/fclib_local/info/title"))
CHANGE(number_as_text, replace_by_group("/fclib_local/info"), put_integers("/fclib_local/info/title", 1, &one))
CHANGE(long_text, replace_by_group("/fclib_local/info"), put_text("/fclib_local/info/title", 40 << 20))
CHANGE(two_problems, replace_by_group("/fclib_global"))
CHANGE(absent_values, put_elsewhere(W "x", H5T_NATIVE_DOUBLE, 9))
CHANGE(absent_text, replace_by_group("/fclib_local/info"), put_elsewhere("/fclib_local/info/title", H5T_C_S1, 1))
CHANGE(no_problem, H5Ldelete(opened, "/fclib_local", H5P_DEFAULT))
CHANGE(no_matrix, H5Ldelete(opened, "/fclib_local/W", H5P_DEFAULT))
CHANGE(wide_equality, put_integers("/fclib_local/V/n", 1, &many))
CHANGE(missing_guess, replace_by_group("/guesses"), put_integers("/guesses/number_of_guesses", 1, &one))
CHANGE(no_guesses, replace_by_group("/guesses"))
CHANGE(triplet_row, put_integers(W "nz", 1, &one), change(W "i", 0, 9))
CHANGE(triplet_column, put_integers(W "nz", 1, &one), change(W "p", 0, 9))

static const struct {
    void (*change)(void);
    const char *path, *words;
} cases[] = {
    {real_pointers, W "p", "the type is wrong, expected whole numbers"},
    {text_values, W "x", "the type is wrong, expected numbers"},
    {square_list, W "x", "the data has 2 dimensions, expected a list"},
    {short_values, W "x", "1 values are here, expected 9 or more"},
    {two_heights, W "m", "2 values are here, expected 1"},
    {endless_values, W "x", "268435456 values cannot be in a file of this size"},
    {long_number, W "x", "the type is wrong, expected numbers"},
    {long_pieces, W "x", "pieces of 268435456 values cannot be in a file of this size"},
    {infinite_load, "/fclib_local/vectors/mu", "value 0 is inf, expected a finite number"},
    {negative_friction, "/fclib_local/vectors/mu", "value 0 is -1, expected a coefficient >= 0"},
    {no_dimension, "/fclib_local/spacedim", "1 is here, expected a whole number from 2 to 6"},
    {negative_height, W "m", "-1 is here, expected a whole number from 0"},
    {other_height, "/fclib_local/W", "the matrix is 1 x 3, expected 3 x 3"},
    {first_pointer, W "p", "the first pointer is 1, expected 0"},
    {second_pointer, W "p", "pointer 1 is 77, expected 0 to 9"},
    {last_pointer, W "p", "the last pointer is -1, expected the number of entries"},
    {far_index, W "i", "index 1 is 3, expected 0 to 2"},
    {index_twice, W "i", "entry (0, 0) is there twice, expected each once"},
    {group_of_values, W "x", "this is not a dataset, expected a list of numbers"},
    {group_of_text, "/fclib_local/info/title", "this is not a dataset, expected a text"},
    {number_as_text, "/fclib_local/info/title", "the type is wrong, expected one text"},
    {long_text, "/fclib_local/info/title", "the text has 41943040 bytes, expected at most"},
    {two_problems, "/", "there are /fclib_local and /fclib_global, expected one problem"},
    {absent_values, W "x", "HDF5 cannot read the data"},
    {absent_text, "/fclib_local/info/title", "HDF5 cannot read the text"},
    {no_problem, "/", "there is no problem, expected a group fclib_local or fclib_global"},
    {no_matrix, "/fclib_local/W", "there is nothing here, expected the matrix"},
    {wide_equality, "/fclib_local/V/n", "1073741824 columns cannot be in a file of this size"},
    {missing_guess, "/guesses/1", "there is nothing here, expected guess 1 of 1"},
    {no_guesses, "/guesses/number_of_guesses", "there is nothing here, expected a list of numbers"},
    {triplet_row, W "i", "row 0 is 9, expected 0 to 2"},
    {triplet_column, W "p", "column 0 is 9, expected 0 to 2"},
};

static void every_mistake_has_its_path(void **state)
{
    (void)state;
    size_t size;
    raw_problem *raw = make((recipe){RAW_LOCAL, 3, 1, 0, 1, RAW_CSC});
    write_good(raw, in_folder("good.hdf5"));
    raw_destroy(raw);
    char *image = read_whole(in_folder("good.hdf5"), &size);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        scree_error error = {.text = ""};
        char place[256];
        write_whole(in_folder("bad.hdf5"), image, size);
        opened = H5Fopen(in_folder("bad.hdf5"), H5F_ACC_RDWR, H5P_DEFAULT);
        assert_true(opened >= 0);
        cases[k].change();
        H5Fclose(opened);
        assert_int_equal(raw_read(in_folder("bad.hdf5"), SCREE_FILE_DETECT, NULL, &raw, &error), SCREE_ERR_INPUT);
        snprintf(place, sizeof place, "bad.hdf5::%s", cases[k].path);
        if (!strstr(error.file, place) || !strstr(error.text, cases[k].words))
            fail_msg("%s: %s, expected %s: %s", error.file, error.text, place, cases[k].words);
    }
    free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_mistake_has_its_path)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
