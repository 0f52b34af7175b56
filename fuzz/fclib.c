/* Valid FCLIB files with wrong content into the reader: sizes, pointers, indices, types, missing and extra objects.
 *
 * The file is made in memory through HDF5, so that it is always well-formed HDF5: what is under test is our reader. Damaged bytes
 * would test HDF5 1.10's own parser, which is known to crash on them. The input is a list of changes (place, place, value) to a
 * stream of choices that is all zeros for a valid file, so that a few bytes reach every part of it. */
#include "fuzz.h"
#include "problem/raw.h"

#include <hdf5.h>

#include <string.h>

enum { CHOICES = 1024 };

typedef struct choices {
    uint8_t choice[CHOICES];
    int at;
} choices;

static int next(choices *b)
{
    return b->choice[b->at++ % CHOICES];
}

/// Mostly `usual`; now and then another number, near or absurd.
static int number(choices *b, int usual)
{
    static const int odd[] = {-1, -2, -3, 0, 1, 2, INT32_MAX, INT32_MIN, 1 << 20};
    int x = next(b);
    if (x < 224) return usual;
    if (x < 240) return usual + x % 5 - 2;
    return odd[(size_t)x % (sizeof odd / sizeof *odd)];
}

/// A dataset of `count` values; its type, rank, size and presence may be wrong.
static void put(choices *b, hid_t group, const char *name, int is_int, int count, const int *whole, const double *real)
{
    int how = next(b), size = count;
    if (how == 255 || group < 0) return;
    if (how >= 240) size = count + how % 4 - 2;
    if (size < 0) size = 0;
    if (how == 239) size = 1 << 24; /* no storage is written: a large claim in a small file */
    hsize_t extent[2] = {(hsize_t)size, 1};
    hid_t space = how == 238 ? H5Screate(H5S_SCALAR) : H5Screate_simple(how == 237 ? 2 : 1, extent, NULL);
    hid_t type = how == 236   ? H5T_C_S1
                 : how == 235 ? H5T_STD_I64BE
                 : how == 234 ? H5T_IEEE_F32BE
                 : is_int     ? H5T_STD_I32LE
                              : H5T_IEEE_F64LE;
    hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (set >= 0 && size <= count && how != 236 && how != 238)
        H5Dwrite(set, is_int ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                 is_int ? (const void *)whole : (const void *)real);
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
}

static void put_int(choices *b, hid_t group, const char *name, int value)
{
    value = number(b, value);
    put(b, group, name, 1, 1, &value, NULL);
}

static void put_doubles(choices *b, hid_t group, const char *name, int count)
{
    double x[64] = {0};
    for (int k = 0; k < count && k < 64; ++k) x[k] = (double)number(b, 1) * 0.5;
    if (next(b) == 255) x[0] = 0.0 / (double)(next(b) == 0 ? 0 : 1);
    put(b, group, name, 0, count < 64 ? count : 64, NULL, x);
}

static void put_matrix(choices *b, hid_t parent, const char *name, int rows, int cols)
{
    hid_t group = H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int kind = next(b) % 3, n = rows < cols ? rows : cols, p[64], i[64],
        outer = kind == 1 ? rows : cols; /* a diagonal */
    for (int k = 0; k < 64; ++k) i[k] = number(b, k), p[k] = kind == 2 ? number(b, k) : number(b, k < n ? k : n);
    put_int(b, group, "nzmax", n);
    put_int(b, group, "m", rows);
    put_int(b, group, "n", cols);
    put_int(b, group, "nz", kind == 2 ? n : -1 - kind);
    put(b, group, "p", 1, kind == 2 ? n : outer + 1, p, NULL);
    put(b, group, "i", 1, n, i, NULL);
    put_doubles(b, group, "x", n);
    H5Gclose(group);
}

static void put_problem(choices *b, hid_t file)
{
    static const char *const roots[] = {"fclib_local", "fclib_local_rolling", "fclib_global", "fclib_global_rolling"};
    int which = next(b) % 4, dim = which % 2 ? 5 + next(b) % 2 : 2 + next(b) % 3, contacts = 1 + next(b) % 4,
        n = dim * contacts;
    int dof = 6 * (1 + next(b) % 3), equalities = next(b) % 3, global = which >= 2;
    hid_t root = H5Gcreate2(file, roots[which], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t vectors = H5Gcreate2(root, "vectors", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_int(b, root, "spacedim", dim);
    put_matrix(b, root, global ? "M" : "W", global ? dof : n, global ? dof : n);
    if (global) put_matrix(b, root, "H", dof, n);
    if (equalities) put_matrix(b, root, global ? "G" : "V", global ? dof : n, equalities);
    if (equalities && !global) put_matrix(b, root, "R", equalities, equalities);
    put_doubles(b, vectors, "q", n);
    put_doubles(b, vectors, "w", n);
    put_doubles(b, vectors, "f", dof);
    put_doubles(b, vectors, "s", equalities);
    put_doubles(b, vectors, "b", equalities);
    put_doubles(b, vectors, "mu", contacts);
    put_doubles(b, vectors, "mu_r", contacts);
    put_doubles(b, vectors, "mu_s", contacts);
    H5Gclose(vectors);
    H5Gclose(root);
    if (next(b) % 2) {
        hid_t solution = H5Gcreate2(file, "solution", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        put_doubles(b, solution, "r", n);
        H5Gclose(solution);
    }
    if (next(b) % 2) {
        hid_t guesses = H5Gcreate2(file, "guesses", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        put_int(b, guesses, "number_of_guesses", next(b) % 3);
        hid_t one = H5Gcreate2(guesses, "1", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        put_doubles(b, one, "u", n);
        H5Gclose(one);
        H5Gclose(guesses);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    choices b = {.at = 0};
    for (size_t k = 0; k + 3 <= size; k += 3) b.choice[(data[k] + 256 * data[k + 1]) % CHOICES] = data[k + 2];
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 1 << 16, 0);
    hid_t file = H5Fcreate("fuzz.hdf5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    require(file >= 0, "HDF5 makes no file in memory");
    put_problem(&b, file);
    H5Fflush(file, H5F_SCOPE_LOCAL);
    ssize_t length = H5Fget_file_image(file, NULL, 0);
    require(length > 0 && length < 8 << 20, "no image");
    void *image = malloc((size_t)length);
    require(image && H5Fget_file_image(file, image, (size_t)length) == length, "no image");
    H5Fclose(file);
    H5Pclose(access);

    raw_problem *raw;
    scree_problem *problem;
    scree_error error = {.text = ""};
    scree_status status = raw_read_fclib("fuzz.hdf5", image, (size_t)length, SCREE_FILE_DETECT, NULL, &raw, &error);
    free(image);
    require((status == SCREE_OK) == (raw != NULL), "status and problem disagree");
    if (status == SCREE_OK) {
        status = raw_to_problem(raw, "fuzz", NULL, &problem, &error);
        require(status == SCREE_OK || error.text[0] != '\0', "no problem, and no reason");
        scree_problem_destroy(problem);
        raw_destroy(raw);
    } else require(error.text[0] != '\0' && strncmp(error.file, "fuzz.hdf5::/", 12) == 0, "a mistake without a place");
    return 0;
}
