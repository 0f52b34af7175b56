/* dat_text.c: words and numbers of a text, with line and column of every mistake.
 *
 * Numbers are read the same way in every locale. Those with at most 19 significant digits, of which trailing zeros do not count,
 * that fit in 53 bits, and a power of ten up to 22 are one exact product or quotient (Clinger 1990); the rest goes through
 * strtod, which rounds correctly. */
#include "problem/dat_text.h"

#include "base/text.h"

#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 40 }; /* bytes of a wrong word that a message repeats */

dat_text dat_text_start(const char *text, size_t size, const char *file, scree_error *error)
{
    return (dat_text){.begin = text,
                      .at = text,
                      .end = text + size,
                      .file = file,
                      .point = localeconv()->decimal_point,
                      .error = error,
                      .status = SCREE_OK};
}

int dat_fail(dat_text *t, const char *where, const char *format, ...)
{
    int line = 1, column = 1;
    char text[sizeof t->error->text];
    for (const char *c = t->begin; c < where; ++c) {
        if (*c == '\n') line += line < INT_MAX, column = 1;
        else column += column < INT_MAX;
    }
    va_list arguments;
    va_start(arguments, format);
    text_format(text, sizeof text, format, arguments);
    va_end(arguments);
    scree_error_set(t->error, t->file, line, column, "%s", text);
    t->status = SCREE_ERR_INPUT;
    return 0;
}

/* ---- words ---------------------------------------------------------------------------------------------------------- */

static int is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

const char *dat_next(dat_text *t)
{
    while (t->at < t->end && is_space(*t->at)) ++t->at;
    return t->at;
}

size_t dat_word(dat_text *t, const char **word)
{
    *word = dat_next(t);
    while (t->at < t->end && !is_space(*t->at)) ++t->at;
    return (size_t)(t->at - *word);
}

void dat_skip_line(dat_text *t)
{
    while (t->at < t->end && *t->at != '\n') ++t->at;
    if (t->at < t->end) ++t->at;
}

int dat_fail_word(dat_text *t, const char *word, size_t length, const char *what, const char *expected)
{
    char shown[SHOWN + 4];
    size_t n = length < SHOWN ? length : SHOWN;
    if (length == 0) return dat_fail(t, word, "the file ends where %s should be, expected %s", what, expected);
    for (size_t k = 0; k < n; ++k) shown[k] = word[k] > ' ' && word[k] < 0x7F ? word[k] : '?';
    memcpy(shown + n, length > SHOWN ? "..." : "", length > SHOWN ? 4 : 1);
    return dat_fail(t, word, "%s is '%s', expected %s", what, shown, expected);
}

int dat_expect(dat_text *t, const char *literal, const char *what)
{
    const char *word;
    char expected[64];
    size_t length = dat_word(t, &word);
    if (length == strlen(literal) && memcmp(word, literal, length) == 0) return 1;
    snprintf(expected, sizeof expected, "'%s'", literal);
    return dat_fail_word(t, word, length, what, expected);
}

int dat_can_follow(dat_text *t, const char *where, const char *what, double count, int bytes)
{
    size_t left = (size_t)(t->end - t->at);
    double most = floor(((double)left + 1.0) / bytes);
    if (count <= most) return 1;
    return dat_fail(t, where, "%s: %.0f should follow, but the file has only %zu bytes more", what, count, left);
}

/* ---- numbers -------------------------------------------------------------------------------------------------------- */

int dat_integer(dat_text *t, const char *what, int low, int high, int *value)
{
    const char *word;
    char expected[64];
    size_t length = dat_word(t, &word), k = length > 0 && (word[0] == '-' || word[0] == '+');
    int64_t n = 0;
    int digits = 0;
    for (; k < length && word[k] >= '0' && word[k] <= '9'; ++k, ++digits)
        if (n <= INT_MAX) n = 10 * n + (word[k] - '0');
    if (length > 0 && word[0] == '-') n = -n;
    if (digits > 0 && k == length && n >= low && n <= high) {
        *value = (int)n;
        return 1;
    }
    if (low == high) snprintf(expected, sizeof expected, "%d", low);
    else if (high == INT_MAX) snprintf(expected, sizeof expected, "a whole number from %d", low);
    else snprintf(expected, sizeof expected, "a whole number from %d to %d", low, high);
    return dat_fail_word(t, word, length, what, expected);
}

typedef struct decimal {
    uint64_t digits; /* significant ones, without trailing zeros */
    int exponent;    /* value = digits x 10^exponent             */
    int exact;       /* 0: there were more than 19 digits        */
} decimal;

/// [+-] digits [. digits] [e [+-] digits]; 0 if the word is anything else.
static int read_decimal(const char *word, size_t length, decimal *d)
{
    size_t k = word[0] == '-' || word[0] == '+';
    int seen = 0, kept = 0, pending = 0, point = 0, fraction = 0, exponent = 0;
    *d = (decimal){0, 0, 1};
    for (; k < length; ++k) {
        if (word[k] == '.' && !point) {
            point = 1;
            continue;
        }
        if (word[k] < '0' || word[k] > '9') break;
        seen = 1;
        fraction += point;
        if (word[k] == '0') {
            pending += d->digits != 0; /* zeros count only once another digit follows */
            continue;
        }
        kept += pending + 1;
        if (kept > 19) d->exact = 0;
        else {
            for (; pending > 0; --pending) d->digits *= 10;
            d->digits = 10 * d->digits + (uint64_t)(word[k] - '0');
        }
        pending = 0;
    }
    if (!seen) return 0;
    if (k < length && (word[k] == 'e' || word[k] == 'E')) {
        int negative = k + 1 < length && word[k + 1] == '-', at_least_one = 0;
        k += 1 + (size_t)(k + 1 < length && (word[k + 1] == '-' || word[k + 1] == '+'));
        for (; k < length && word[k] >= '0' && word[k] <= '9'; ++k, at_least_one = 1)
            if (exponent < 100000) exponent = 10 * exponent + (word[k] - '0');
        if (!at_least_one) return 0;
        if (negative) exponent = -exponent;
    }
    d->exponent = exponent - fraction + pending;
    return k == length;
}

/// The word with the decimal sign of the locale, through strtod. 0 if it is too long.
static int by_strtod(const char *word, size_t length, const char *point, double *value)
{
    char buffer[512];
    size_t sign = strlen(point), at = 0;
    if (length + sign >= sizeof buffer) return 0;
    for (size_t k = 0; k < length; ++k) {
        if (word[k] != '.') buffer[at++] = word[k];
        else memcpy(buffer + at, point, sign), at += sign;
    }
    buffer[at] = '\0';
    *value = strtod(buffer, NULL);
    return 1;
}

int dat_number(dat_text *t, const char *what, double *value)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *word;
    decimal d;
    size_t length = dat_word(t, &word);
    if (length == 0 || !read_decimal(word, length, &d)) return dat_fail_word(t, word, length, what, "a finite number");
    if (d.exact && (d.digits == 0 || (d.digits <= (UINT64_C(1) << 53) && d.exponent >= -22 && d.exponent <= 22))) {
        double x = (double)d.digits;
        if (d.digits != 0) x = d.exponent < 0 ? x / power[-d.exponent] : x * power[d.exponent];
        *value = word[0] == '-' ? -x : x;
        return 1;
    }
    if (!by_strtod(word, length, t->point, value))
        return dat_fail_word(t, word, length, what, "a number of fewer digits");
    if (!(fabs(*value) <= DBL_MAX)) return dat_fail_word(t, word, length, what, "a finite number");
    return 1;
}
