/* sweep_vary.c: what --vary means (sweep.h).
 *
 *     path=from:to:count        count values, equal steps, both ends among them:  from + k (to - from) / (count - 1)
 *     path=from:to:count:log    equal ratios:                                     from (to / from)^(k / (count - 1))
 *     path=a,b,c                a list; commas within brackets, braces and quotes belong to the value
 *
 * Values of a range are rounded to 15 digits, so that 1 mm to 10 mm in five is 0.00325 and not 0.0032500000000000003; the ends are
 * as given. They go into the scene with the SI unit of the range; values of a list go there as they are written. */
#include "cli/sweep/sweep.h"

#include <scree/scene.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_TEXT = 48 };

static int refuse(const char *argument, scree_error *error, const char *words, const char *detail)
{
    scree_error_set(error, NULL, 0, 0, "--vary %s: %s%s", argument, words, detail);
    return 0;
}

/// Where the next `mark` stands outside brackets and quotes; the end of the text if there is none.
static const char *next_mark(const char *at, char mark)
{
    int depth = 0;
    char quote = '\0';
    for (; *at; ++at) {
        if (quote) quote = *at == quote ? '\0' : quote;
        else if (*at == '"' || *at == '\'') quote = *at;
        else if (*at == '[' || *at == '{') ++depth;
        else if (*at == ']' || *at == '}') --depth;
        else if (*at == mark && depth <= 0) return at;
    }
    return at;
}

static char *copy_trimmed(const char *from, const char *to)
{
    while (from < to && *from == ' ') ++from;
    while (to > from && to[-1] == ' ') --to;
    char *text = cli_memory((size_t)(to - from) + 1);
    memcpy(text, from, (size_t)(to - from));
    text[to - from] = '\0';
    return text;
}

static char *number_text(double x, const char *after)
{
    char *text;
    size_t size;
    FILE *out = cli_text_open(&text, &size);
    sweep_put_number(x, out);
    fputs(after, out);
    cli_text_close(out, &text);
    return text;
}

/// A number with or without a unit; 0: it is none.
static int read_quantity(const char *text, scree_unit_value *quantity)
{
    return scree_unit_parse(text, NULL, quantity, NULL) == SCREE_OK && isfinite(quantity->value);
}

static double rounded(double x)
{
    char text[NUMBER_TEXT];
    snprintf(text, sizeof text, "%.15g", x);
    return strtod(text, NULL);
}

static int fill_range(sweep_vary *vary, char *const part[4], int parts, scree_error *error)
{
    scree_unit_value from, to;
    char *end, unit[sizeof from.unit + 1];
    long count = strtol(part[2], &end, 10);
    if (!read_quantity(part[0], &from))
        return refuse(vary->argument, error, "a range starts with a number, not with ", part[0]);
    if (!read_quantity(part[1], &to))
        return refuse(vary->argument, error, "a range ends at a number, not at ", part[1]);
    if (end == part[2] || *end || count < 2 || count > SWEEP_CASES_MAX)
        return refuse(vary->argument, error, "the count of a range is a whole number from 2 to 10000000, not ",
                      part[2]);
    if (from.has_unit != to.has_unit || strcmp(from.unit, to.unit) != 0)
        return refuse(vary->argument, error, "both ends of a range must have the same unit", "");
    if (parts == 4 && strcmp(part[3], "log") != 0)
        return refuse(vary->argument, error, "after the count only 'log' may follow, not ", part[3]);
    vary->log = parts == 4;
    if (vary->log && !(from.value * to.value > 0.0))
        return refuse(vary->argument, error, "log spacing needs two ends of one sign, none of them 0", "");
    vary->ratio = from.ratio;
    snprintf(unit, sizeof unit, "%s%s", from.unit[0] ? " " : "", from.unit);
    vary->value = cli_memory((size_t)count * sizeof *vary->value);
    vary->count = (int)count;
    for (int k = 0; k < vary->count; ++k) {
        double share = (double)k / (double)(count - 1);
        double x =
            vary->log ? from.value * pow(to.value / from.value, share) : from.value + (to.value - from.value) * share;
        x = k == 0 ? from.value : k == count - 1 ? to.value : rounded(x);
        vary->value[k] = (sweep_value){number_text(x, unit), number_text(x, ""), x};
    }
    return 1;
}

static int fill_list(sweep_vary *vary, const char *text, scree_error *error)
{
    int count = 1, ratios = 0, alike = 1;
    for (const char *at = text; *(at = next_mark(at, ',')); ++at) ++count;
    vary->value = cli_memory((size_t)count * sizeof *vary->value);
    for (const char *at = text; vary->count < count; ++at) {
        const char *end = next_mark(at, ',');
        sweep_value *v = &vary->value[vary->count++];
        scree_unit_value number;
        *v = (sweep_value){.text = copy_trimmed(at, end), .number = (double)NAN};
        if (v->text[0] == '\0') return refuse(vary->argument, error, "a value is empty", "");
        if (read_quantity(v->text, &number)) {
            v->number = number.value, v->column = number_text(number.value, "");
            const char *unit = number.ratio;
            ratios += unit != NULL, alike = alike && (!unit || !vary->ratio || strcmp(unit, vary->ratio) == 0);
            if (unit) vary->ratio = unit;
        } else v->column = cli_copy(v->text);
        at = end;
    }
    if (ratios > 0 && ratios < count)
        return refuse(vary->argument, error, "some values are ratios of the radius (r), others are not", "");
    if (!alike)
        return refuse(vary->argument, error,
                      "some values are ratios of the radius (r), others of the reduced one (r_eff)", "");
    return 1;
}

int sweep_vary_parse(const char *argument, sweep_vary *vary, scree_error *error)
{
    const char *equals = strchr(argument, '=');
    char *part[4] = {NULL};
    int parts = 0, good;
    *vary = (sweep_vary){.argument = cli_copy(argument)};
    if (!equals || equals == argument || !equals[1])
        return refuse(argument, error, "expected path=from:to:count, path=from:to:count:log or path=a,b,c", "");
    if (strpbrk(argument, "\r\n")) {
        scree_error_set(error, NULL, 0, 0, "--vary: there is a line end in the value");
        return 0;
    }
    vary->path = copy_trimmed(argument, equals);
    const char *text = equals + 1;
    if (!*next_mark(text, ':') || *next_mark(text, ',')) return fill_list(vary, text, error);
    for (const char *at = text; parts < 4; ++at) {
        const char *end = next_mark(at, ':');
        part[parts++] = copy_trimmed(at, end);
        at = end;
        if (!*at) break;
        if (parts == 4) parts = 5; /* more follows */
    }
    if (parts == 3 || parts == 4) good = fill_range(vary, part, parts, error);
    else good = refuse(argument, error, "a range is from:to:count or from:to:count:log", "");
    for (int k = 0; k < 4; ++k) free(part[k]);
    return good;
}

void sweep_vary_free(sweep_vary *vary)
{
    for (int k = 0; k < vary->count; ++k) {
        free(vary->value[k].text);
        free(vary->value[k].column);
    }
    free(vary->value);
    free(vary->argument);
    free(vary->path);
}
