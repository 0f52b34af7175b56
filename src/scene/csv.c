/* csv.c: a table of grains (csv.h). The first line names the columns, in any order; separators are commas, semicolons, tabs or blanks;
 * lines that are empty or start with '#' are passed over. */
#include "scene/csv.h"

#include "base/memory.h"
#include "scene/suggest.h"
#include "scene/yaml_doc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CSV_FILE_MAX = 1 << 30 };

static const char *const column_name[CSV_COLUMNS] = {"x",  "y",  "z",  "radius", "scale", "vx",
                                                     "vy", "vz", "wx", "wy",     "wz"};

typedef struct csv_reader {
    const char *at, *line_start, *name;
    int line;
    scree_error *error;
} csv_reader;

static int is_separator(char c)
{
    return c == ',' || c == ';' || c == ' ' || c == '\t';
}

static int is_end(char c)
{
    return c == '\0' || c == '\n' || c == '\r';
}

static scree_status refuse(const csv_reader *r, const char *at, const char *what, const char *word, size_t length,
                           const char *then)
{
    scree_error_set(r->error, r->name, r->line, (int)(at - r->line_start) + 1, "%s '%.*s', %s", what,
                    (int)(length < 40 ? length : 40), word, then);
    return SCREE_ERR_INPUT;
}

static void next_line(csv_reader *r)
{
    while (!is_end(*r->at)) ++r->at;
    if (*r->at == '\r' && r->at[1] == '\n') ++r->at;
    if (*r->at) ++r->at;
    r->line += 1;
    r->line_start = r->at;
}

/// To the first line that says something; 0: there is none.
static int skip_empty(csv_reader *r)
{
    for (;;) {
        const char *c = r->line_start;
        while (*c == ' ' || *c == '\t') ++c;
        r->at = c;
        if (!is_end(*c) && *c != '#') return 1;
        if (*c == '\0') return 0;
        next_line(r);
        if (*r->line_start == '\0') return 0;
    }
}

/// The next word of the line; 0: the line is over.
static size_t next_word(csv_reader *r, const char **word)
{
    while (is_separator(*r->at)) ++r->at;
    *word = r->at;
    while (!is_end(*r->at) && !is_separator(*r->at)) ++r->at;
    return (size_t)(r->at - *word);
}

static scree_status read_header(csv_reader *r, int column[CSV_COLUMNS], int *count, csv_table *table)
{
    const char *word;
    *count = 0;
    for (size_t n = next_word(r, &word); n > 0; n = next_word(r, &word)) {
        int k = 0;
        while (k < CSV_COLUMNS && (strlen(column_name[k]) != n || memcmp(column_name[k], word, n) != 0)) ++k;
        if (k == CSV_COLUMNS)
            return refuse(r, word, "unknown column", word, n,
                          "expected x, y, z, radius, scale, vx, vy, vz, wx, wy, wz");
        if (table->has[k]) return refuse(r, word, "a second column", word, n, "expected each once");
        table->has[k] = 1;
        column[(*count)++] = k;
    }
    for (int k = CSV_X; k <= CSV_Z; ++k)
        if (!table->has[k]) return refuse(r, r->line_start, "no column", column_name[k], 1, "expected x, y and z");
    if (table->has[CSV_RADIUS] && table->has[CSV_SCALE])
        return refuse(r, r->line_start, "both 'radius' and", "scale", 5, "expected one of them");
    return SCREE_OK;
}

static scree_status read_row(csv_reader *r, const int column[CSV_COLUMNS], int count, double *value)
{
    const char *word;
    size_t n;
    for (int k = 0; k < count; ++k) {
        double *x = &value[column[k]];
        n = next_word(r, &word);
        if (n == 0)
            return refuse(r, r->at, "the line ends before", column_name[column[k]], 8,
                          "expected a number for each column");
        size_t used = scree_doc_decimal(word, x);
        if (used != n || !isfinite(*x))
            return refuse(r, word, column_name[column[k]], word, n, "expected a plain number");
        if ((column[k] == CSV_RADIUS || column[k] == CSV_SCALE) && !(*x > 0.0))
            return refuse(r, word, column_name[column[k]], word, n, "expected a number above 0");
    }
    n = next_word(r, &word);
    if (n > 0) return refuse(r, word, "one value too many:", word, n, "expected as many as the first line has names");
    return SCREE_OK;
}

scree_status csv_parse(const char *text, const char *name, int limit, const scree_allocator *allocator,
                       csv_table *table, scree_error *error)
{
    scree_allocator a = memory_allocator(allocator);
    csv_reader r = {text, text, name, 1, error};
    int column[CSV_COLUMNS], count = 0, room = 0;
    scree_status status = SCREE_OK;
    *table = (csv_table){0};
    if (!skip_empty(&r)) {
        scree_error_set(error, name, 0, 0, "the table is empty, expected a first line with the columns x, y, z, ...");
        return SCREE_ERR_INPUT;
    }
    status = read_header(&r, column, &count, table);
    for (next_line(&r); status == SCREE_OK && skip_empty(&r); next_line(&r)) {
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
    char *text = NULL, *ended = NULL;
    size_t size = 0;
    *table = (csv_table){0};
    scree_status status = scree_doc_load(path, CSV_FILE_MAX, &a, &text, &size, error);
    if (status != SCREE_OK) return status;
    ended = memory_array(&a, size + 1, 1);
    if (!ended) {
        scree_error_set(error, path, 0, 0, "out of memory while reading");
        status = SCREE_ERR_MEMORY;
    } else {
        memcpy(ended, text, size);
        status = csv_parse(ended, path, limit, &a, table, error);
    }
    memory_free(&a, ended);
    a.free(text, a.context);
    return status;
}
