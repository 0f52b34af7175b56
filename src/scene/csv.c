/* csv.c: a table of grains (csv.h). The first line names the columns, in any order; separators are commas, semicolons, tabs or blanks;
 * lines that are empty or start with '#' are passed over. */
#include "scene/csv.h"

#include "base/memory.h"
#include "scene/words.h"
#include "scene/yaml_doc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const column_name[CSV_COLUMNS] = {"x",  "y",  "z",  "radius", "scale", "vx",
                                                     "vy", "vz", "wx", "wy",     "wz"};

static scree_status read_header(word_reader *r, int column[CSV_COLUMNS], int *count, csv_table *table)
{
    const char *word;
    *count = 0;
    for (size_t n = words_next(r, &word); n > 0; n = words_next(r, &word)) {
        int k = 0;
        while (k < CSV_COLUMNS && (strlen(column_name[k]) != n || memcmp(column_name[k], word, n) != 0)) ++k;
        if (k == CSV_COLUMNS)
            return words_refuse(r, word, "unknown column", word, n,
                                "expected x, y, z, radius, scale, vx, vy, vz, wx, wy, wz");
        if (table->has[k]) return words_refuse(r, word, "a second column", word, n, "expected each once");
        table->has[k] = 1;
        column[(*count)++] = k;
    }
    for (int k = CSV_X; k <= CSV_Z; ++k)
        if (!table->has[k])
            return words_refuse(r, r->line_start, "no column", column_name[k], 1, "expected x, y and z");
    if (table->has[CSV_RADIUS] && table->has[CSV_SCALE])
        return words_refuse(r, r->line_start, "both 'radius' and", "scale", 5, "expected one of them");
    return SCREE_OK;
}

static scree_status read_row(word_reader *r, const int column[CSV_COLUMNS], int count, double *value)
{
    const char *word;
    size_t n;
    for (int k = 0; k < count; ++k) {
        double *x = &value[column[k]];
        n = words_next(r, &word);
        if (n == 0)
            return words_refuse(r, r->at, "the line ends before", column_name[column[k]], 8,
                                "expected a number for each column");
        size_t used = scree_doc_decimal(word, x);
        if (used != n || !isfinite(*x))
            return words_refuse(r, word, column_name[column[k]], word, n, "expected a plain number");
        if ((column[k] == CSV_RADIUS || column[k] == CSV_SCALE) && !(*x > 0.0))
            return words_refuse(r, word, column_name[column[k]], word, n, "expected a number above 0");
    }
    n = words_next(r, &word);
    if (n > 0)
        return words_refuse(r, word, "one value too many:", word, n, "expected as many as the first line has names");
    return SCREE_OK;
}

scree_status csv_parse(const char *text, const char *name, int limit, const scree_allocator *allocator,
                       csv_table *table, scree_error *error)
{
    scree_allocator a = memory_allocator(allocator);
    word_reader r = {text, text, name, 1, error};
    int column[CSV_COLUMNS], count = 0, room = 0;
    scree_status status = SCREE_OK;
    *table = (csv_table){0};
    if (!words_skip_empty(&r)) {
        scree_error_set(error, name, 0, 0, "the table is empty, expected a first line with the columns x, y, z, ...");
        return SCREE_ERR_INPUT;
    }
    status = read_header(&r, column, &count, table);
    for (words_next_line(&r); status == SCREE_OK && words_skip_empty(&r); words_next_line(&r)) {
        if (table->rows == limit) {
            scree_error_set(error, name, r.line, 1, "more than %d grains", limit);
            status = SCREE_ERR_INPUT;
            break;
        }
        if (table->rows == room) {
            int longer = room ? 2 * room : 256;
            double *value = memory_array(&a, (size_t)longer * CSV_COLUMNS, sizeof *value);
            if (!value) {
                scree_error_set(error, name, 0, 0, "out of memory while reading");
                status = SCREE_ERR_MEMORY;
                break;
            }
            if (table->rows) memcpy(value, table->value, (size_t)table->rows * CSV_COLUMNS * sizeof *value);
            memory_free(&a, table->value);
            table->value = value, room = longer;
        }
        status = read_row(&r, column, count, table->value + (size_t)table->rows * CSV_COLUMNS);
        if (status == SCREE_OK) table->rows += 1;
    }
    if (status != SCREE_OK) {
        memory_free(&a, table->value);
        *table = (csv_table){0};
    }
    return status;
}

scree_status csv_read(const char *path, int limit, const scree_allocator *allocator, csv_table *table,
                      scree_error *error)
{
    scree_allocator a = memory_allocator(allocator);
    char *text = NULL;
    size_t size = 0;
    *table = (csv_table){0};
    scree_status status = words_load(path, &a, &text, &size, error);
    if (status != SCREE_OK) return status;
    status = csv_parse(text, path, limit, &a, table, error);
    memory_free(&a, text);
    return status;
}
