/* grid_file.c: ESRI ASCII grids (grid_file.h).
 *
 *     ncols 4            then the heights, row by row from the north, as many numbers as ncols times nrows,
 *     nrows 3            in lines of any length. Where the grid lies on the globe (xllcorner, yllcorner, or
 *     cellsize 10        xllcenter, yllcenter) is read and not used: its south-west point is the origin.
 *     NODATA_value -9999 A height of this value is a hole. */
#include "scene/grid_file.h"

#include "base/memory.h"
#include "scene/words.h"
#include "scene/yaml_doc.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS_MAX = 20000000 };
enum { NCOLS, NROWS, CELLSIZE, NODATA, XLLCORNER, YLLCORNER, XLLCENTER, YLLCENTER, HEADER_KEYS };

static const char *const key_name[HEADER_KEYS] = {"ncols",     "nrows",     "cellsize",  "nodata_value",
                                                  "xllcorner", "yllcorner", "xllcenter", "yllcenter"};

/// The keys before the first number.
static scree_status read_header(word_reader *r, double value[HEADER_KEYS], int given[HEADER_KEYS])
{
    for (; words_skip_empty(r); words_next_line(r)) {
        const char *word, *start = r->at;
        size_t n = words_next(r, &word);
        double number;
        int key = 0;
        if (scree_doc_decimal(word, &number) == n) { /* the heights begin */
            r->at = start;
            return SCREE_OK;
        }
        while (key < HEADER_KEYS && !words_is(word, n, key_name[key])) ++key;
        if (key == HEADER_KEYS)
            return words_refuse(r, word, "unknown key", word, n,
                                "expected ncols, nrows, xllcorner, yllcorner, cellsize or NODATA_value");
        if (given[key]) return words_refuse(r, word, "a second", word, n, "expected each key once");
        scree_status status = words_number(r, key_name[key], &value[key]);
        if (status != SCREE_OK) return status;
        given[key] = 1;
    }
    return SCREE_OK;
}

static scree_status check_header(const word_reader *r, const double value[HEADER_KEYS], const int given[HEADER_KEYS])
{
    for (int k = NCOLS; k <= CELLSIZE; ++k)
        if (!given[k]) {
            scree_error_set(r->error, r->name, 0, 0, "no '%s' before the heights, expected an ESRI ASCII grid",
                            key_name[k]);
            return SCREE_ERR_INPUT;
        }
    for (int k = NCOLS; k <= NROWS; ++k)
        if (value[k] != floor(value[k]) || value[k] < 2.0 || value[k] > POINTS_MAX) {
            scree_error_set(r->error, r->name, 0, 0, "%s is %g, expected a whole number from 2 to %d", key_name[k],
                            value[k], POINTS_MAX);
            return SCREE_ERR_INPUT;
        }
    if (value[NCOLS] * value[NROWS] > POINTS_MAX) {
        scree_error_set(r->error, r->name, 0, 0, "a grid of %.0f x %.0f points, expected at most %d in all",
                        value[NCOLS], value[NROWS], POINTS_MAX);
        return SCREE_ERR_INPUT;
    }
    if (value[CELLSIZE] > 0.0) return SCREE_OK;
    scree_error_set(r->error, r->name, 0, 0, "cellsize is %g, expected a length above 0", value[CELLSIZE]);
    return SCREE_ERR_INPUT;
}

static scree_status read_heights(word_reader *r, const double *no_data, grid_file *grid)
{
    size_t columns = (size_t)grid->columns, total = columns * (size_t)grid->rows, count = 0;
    for (; words_skip_empty(r); words_next_line(r)) {
        const char *word;
        for (size_t n = words_next(r, &word); n > 0; n = words_next(r, &word)) {
            double z;
            if (scree_doc_decimal(word, &z) != n || !isfinite(z) || fabs(z) > 1e9)
                return words_refuse(r, word, "the height", word, n, "expected a plain number within 1e9");
            if (count == total)
                return words_refuse(r, word, "one height too many:", word, n, "expected ncols times nrows of them");
            size_t row = (size_t)grid->rows - 1 - count / columns; /* the file begins in the north */
            grid->height[row * columns + count % columns] = no_data && z == *no_data ? (double)NAN : z;
            ++count;
        }
    }
    if (count == total) return SCREE_OK;
    scree_error_set(r->error, r->name, 0, 0, "%zu heights, expected %d x %d = %zu: the file is cut off", count,
                    grid->columns, grid->rows, total);
    return SCREE_ERR_INPUT;
}

scree_status grid_file_parse(const char *text, const char *name, const scree_allocator *allocator, grid_file *grid,
                             scree_error *error)
{
    scree_allocator a = memory_allocator(allocator);
    word_reader r = {text, text, name, 1, error};
    double value[HEADER_KEYS] = {0.0};
    int given[HEADER_KEYS] = {0};
    *grid = (grid_file){0};
    scree_status status = read_header(&r, value, given);
    if (status == SCREE_OK) status = check_header(&r, value, given);
    if (status != SCREE_OK) return status;
    *grid = (grid_file){.columns = (int)value[NCOLS], .rows = (int)value[NROWS], .cell = value[CELLSIZE]};
    size_t total = (size_t)grid->columns * (size_t)grid->rows;
    if (2 * total > strlen(r.at) + 1) { /* each takes a digit and a separator: no memory for what cannot be there */
        scree_error_set(error, name, 0, 0, "the file is too short for %d x %d heights: it is cut off", grid->columns,
                        grid->rows);
        return SCREE_ERR_INPUT;
    }
    grid->height = memory_raw_array(&a, total, sizeof *grid->height);
    if (grid->height) {
        status = read_heights(&r, given[NODATA] ? &value[NODATA] : NULL, grid);
    } else {
        scree_error_set(error, name, 0, 0, "out of memory while reading");
        status = SCREE_ERR_MEMORY;
    }
    if (status != SCREE_OK) {
        memory_free(&a, grid->height);
        *grid = (grid_file){0};
    }
    return status;
}

scree_status grid_file_read(const char *path, const scree_allocator *allocator, grid_file *grid, scree_error *error)
{
    scree_allocator a = memory_allocator(allocator);
    char *text = NULL;
    size_t size = 0;
    *grid = (grid_file){0};
    scree_status status = words_load(path, &a, &text, &size, error);
    if (status == SCREE_OK) status = grid_file_parse(text, path, &a, grid, error);
    memory_free(&a, text);
    return status;
}
