#include "cli/json.h"

#include <math.h>
#include <scree/base.h>
#include <string.h>

json json_start(FILE *out)
{
    return (json){.out = out};
}

/// Bytes of the UTF-8 character at s, 0 if there is none (RFC 3629: no overlong forms, no surrogates, up to U+10FFFF).
static int utf8_length(const unsigned char *s)
{
    int n = s[0] < 0x80                   ? 1
            : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
            : (s[0] & 0xF0) == 0xE0       ? 3
            : s[0] >= 0xF0 && s[0] < 0xF5 ? 4
                                          : 0;
    for (int k = 1; k < n; ++k)
        if ((s[k] & 0xC0) != 0x80) return 0;
    if (n == 3 && ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] >= 0xA0))) return 0;
    if (n == 4 && ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] >= 0x90))) return 0;
    return n;
}

static void put_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int n = utf8_length(s);
        if (n == 0) fputs("\\ufffd", out);
        else if (*s == '"' || *s == '\\') fprintf(out, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7F) fprintf(out, "\\u%04x", *s);
        else fwrite(s, 1, (size_t)n, out);
        s += n ? n : 1;
    }
    fputc('"', out);
}

static void put_number(FILE *out, double value)
{
    if (isfinite(value)) fprintf(out, "%.17g", value);
    else fputs("null", out);
}

static void indent(const json *j)
{
    fputc('\n', j->out);
    for (int k = 0; k < j->depth; ++k) fputs("  ", j->out);
}

/// What stands before a value: the comma, the new line, the key.
static void begin(json *j, const char *key)
{
    if (j->depth > 0) {
        SCREE_ASSERT((key != NULL) == (j->bracket[j->depth - 1] == '}'));
        if (j->count[j->depth - 1]++ > 0) fputc(',', j->out);
        indent(j);
    }
    if (key) {
        put_string(j->out, key);
        fputs(": ", j->out);
    }
}

static void open_level(json *j, const char *key, char open, char close)
{
    SCREE_ASSERT(j->depth < JSON_DEPTH_MAX);
    begin(j, key);
    fputc(open, j->out);
    j->count[j->depth] = 0;
    j->bracket[j->depth++] = close;
}

void json_object(json *j, const char *key)
{
    open_level(j, key, '{', '}');
}

void json_list(json *j, const char *key)
{
    open_level(j, key, '[', ']');
}

void json_close(json *j)
{
    SCREE_ASSERT(j->depth > 0);
    j->depth -= 1;
    if (j->count[j->depth] > 0) indent(j);
    fputc(j->bracket[j->depth], j->out);
    if (j->depth == 0) fputc('\n', j->out);
}

void json_text(json *j, const char *key, const char *value)
{
    begin(j, key);
    if (value) put_string(j->out, value);
    else fputs("null", j->out);
}

void json_number(json *j, const char *key, double value)
{
    begin(j, key);
    put_number(j->out, value);
}

void json_integer(json *j, const char *key, long value)
{
    begin(j, key);
    fprintf(j->out, "%ld", value);
}

void json_bool(json *j, const char *key, int value)
{
    begin(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_null(json *j, const char *key)
{
    begin(j, key);
    fputs("null", j->out);
}

void json_numbers(json *j, const char *key, const double *values, int count)
{
    begin(j, key);
    fputc('[', j->out);
    for (int k = 0; k < count; ++k) {
        if (k > 0) fputs(", ", j->out);
        put_number(j->out, values[k]);
    }
    fputc(']', j->out);
}
