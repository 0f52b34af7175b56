/* json.c: JSON as text, RFC 8259 (scree/files.h). */
#include "base/json.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void to_stream(void *context, const char *bytes, size_t size)
{
    fwrite(bytes, 1, size, context);
}

scree_json json_start_at(void (*write)(void *context, const char *bytes, size_t size), void *context)
{
    return (scree_json){.write = write, .context = context};
}

scree_json scree_json_start(FILE *out)
{
    return json_start_at(to_stream, out);
}

/* ---- values -------------------------------------------------------------------------------------------------------------- */

static void put(const scree_json *j, const char *text)
{
    j->write(j->context, text, strlen(text));
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

void json_put_string(const scree_json *j, const char *text)
{
    char escaped[8];
    put(j, "\"");
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int n = utf8_length(s);
        if (n == 0) put(j, "\\ufffd");
        else if (*s == '"' || *s == '\\') put(j, *s == '"' ? "\\\"" : "\\\\");
        else if (*s < 0x20 || *s == 0x7F) {
            snprintf(escaped, sizeof escaped, "\\u%04x", *s);
            put(j, escaped);
        } else j->write(j->context, (const char *)s, (size_t)n);
        s += n ? n : 1;
    }
    put(j, "\"");
}

static void put_number(const scree_json *j, double value)
{
    char text[TEXT_REAL];
    if (isfinite(value)) put(j, text_real(value, text));
    else put(j, "null");
}

/* ---- layout -------------------------------------------------------------------------------------------------------------- */

static void indent(const scree_json *j)
{
    put(j, "\n");
    for (int k = 0; k < j->depth; ++k) put(j, "  ");
}

/// What precedes a value: the comma, the new line, the key.
static void begin(scree_json *j, const char *key)
{
    if (j->depth > 0) {
        SCREE_ASSERT((key != NULL) == (j->bracket[j->depth - 1] == '}'));
        if (j->count[j->depth - 1]++ > 0) put(j, ",");
        indent(j);
    }
    if (key) {
        json_put_string(j, key);
        put(j, ": ");
    }
}

static void open_level(scree_json *j, const char *key, char open, char close)
{
    SCREE_ASSERT(j->depth < SCREE_JSON_DEPTH_MAX);
    begin(j, key);
    j->write(j->context, &open, 1);
    j->count[j->depth] = 0;
    j->bracket[j->depth++] = close;
}

void scree_json_object(scree_json *j, const char *key)
{
    open_level(j, key, '{', '}');
}

void scree_json_list(scree_json *j, const char *key)
{
    open_level(j, key, '[', ']');
}

void scree_json_close(scree_json *j)
{
    SCREE_ASSERT(j->depth > 0);
    j->depth -= 1;
    if (j->count[j->depth] > 0) indent(j);
    j->write(j->context, &j->bracket[j->depth], 1);
    if (j->depth == 0) put(j, "\n");
}

void scree_json_text(scree_json *j, const char *key, const char *value)
{
    begin(j, key);
    if (value) json_put_string(j, value);
    else put(j, "null");
}

void scree_json_number(scree_json *j, const char *key, double value)
{
    begin(j, key);
    put_number(j, value);
}

void scree_json_integer(scree_json *j, const char *key, int64_t value)
{
    char text[24];
    begin(j, key);
    snprintf(text, sizeof text, "%" PRId64, value);
    put(j, text);
}

void scree_json_bool(scree_json *j, const char *key, int value)
{
    begin(j, key);
    put(j, value ? "true" : "false");
}

void scree_json_null(scree_json *j, const char *key)
{
    begin(j, key);
    put(j, "null");
}

void scree_json_numbers(scree_json *j, const char *key, const double *values, int count)
{
    begin(j, key);
    put(j, "[");
    for (int k = 0; k < count; ++k) {
        if (k > 0) put(j, ", ");
        put_number(j, values[k]);
    }
    put(j, "]");
}
