/* sweep_table.c: cases, and rows of the index as text (sweep.h).
 *
 * Order of cases: the last --vary runs fastest, as the digits of a number do. With --zip case k has the k-th value of each. */
#include "cli/sweep/sweep.h"

#include "cli/cli.h"

#include <scree/files.h>

#include <stdlib.h>
#include <string.h>

int sweep_count(sweep *s, scree_error *error)
{
    double count = 1.0;
    for (int v = 0; v < s->vary_count; ++v) {
        for (int u = 0; u < v; ++u)
            if (strcmp(s->vary[u].path, s->vary[v].path) == 0) {
                scree_error_set(error, NULL, 0, 0, "--vary %s: '%s' is varied twice", s->vary[v].argument,
                                s->vary[v].path);
                return 0;
            }
        if (s->zip && s->vary[v].count != s->vary[0].count) {
            scree_error_set(error, NULL, 0, 0, "--vary %s has %d values and --vary %s has %d: --zip needs equally many",
                            s->vary[0].argument, s->vary[0].count, s->vary[v].argument, s->vary[v].count);
            return 0;
        }
        count = s->zip ? (double)s->vary[0].count : count * (double)s->vary[v].count;
    }
    if (count > SWEEP_CASES_MAX) {
        scree_error_set(error, NULL, 0, 0, "these are %.0f cases, and a sweep has at most %d", count, SWEEP_CASES_MAX);
        return 0;
    }
    s->count = (int)count;
    s->row = cli_memory((size_t)s->count * sizeof *s->row);
    return 1;
}

void sweep_free(sweep *s)
{
    for (int k = 0; s->row && k < s->count; ++k) free(s->row[k]);
    free(s->row);
    for (int v = 0; v < s->vary_count; ++v) sweep_vary_free(&s->vary[v]);
    for (int k = 0; k < s->result_count; ++k) free(s->result[k]);
    free(s->scene);
    scree_folder_claim_release(s->claim);
}

int sweep_index_of(const sweep *s, int number, int v)
{
    if (s->zip) return number;
    for (int u = s->vary_count - 1; u > v; --u) number /= s->vary[u].count;
    return number % s->vary[v].count;
}

/* ---- rows ----------------------------------------------------------------------------------------------------------------- */

void sweep_write_header(const sweep *s, FILE *out)
{
    fputs("case", out);
    for (int v = 0; v < s->vary_count; ++v) {
        fputc(',', out);
        sweep_put_text(s->vary[v].path, out);
        if (s->vary[v].ratio) fprintf(out, "[%s]", s->vary[v].ratio);
    }
    for (int k = 0; k < s->result_count; ++k) {
        fputc(',', out);
        sweep_result_header(s->result[k], out);
    }
    fputc('\n', out);
}

void sweep_write_inputs(const sweep *s, int number, FILE *out)
{
    fprintf(out, "%d,", number);
    for (int v = 0; v < s->vary_count; ++v) {
        sweep_put_text(s->vary[v].value[sweep_index_of(s, number, v)].column, out);
        fputc(',', out);
    }
}

char *sweep_make_row(const sweep *s, int number, const sweep_end *end)
{
    char *row = NULL;
    size_t size;
    FILE *out = cli_text_open(&row, &size);
    sweep_write_inputs(s, number, out);
    for (int k = 0; k < s->result_count; ++k) {
        if (k) fputc(',', out);
        sweep_result_write(s->result[k], end, out);
    }
    cli_text_close(out, &row);
    return row;
}

/// The field number `index` of a CSV line, unquoted; "" if the line has fewer.
static char *csv_field(const char *line, int index)
{
    char *text = cli_copy(line), *field = text, *at = text;
    int last = 0;
    for (int k = 0; k <= index; ++k) {
        if (last) field = at;
        else at = scree_csv_cut(at, &field, &last);
    }
    memmove(text, field, strlen(field) + 1);
    return text;
}

char *sweep_field(const sweep *s, const char *row, const char *name)
{
    for (int v = 0; v < s->vary_count; ++v)
        if (strcmp(s->vary[v].path, name) == 0) return csv_field(row, 1 + v);
    for (int k = 0; k < s->result_count; ++k)
        if (strcmp(s->result[k], name) == 0) return csv_field(row, 1 + s->vary_count + k);
    return NULL;
}

int sweep_row_done(const sweep *s, int number)
{
    char *outcome = sweep_field(s, s->row[number], "outcome");
    int done = outcome && strcmp(outcome, "done") == 0;
    free(outcome);
    return done;
}
