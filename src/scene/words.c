/* words.c: texts read word by word (words.h). */
#include "scene/words.h"

#include "base/memory.h"
#include "base/read.h"
#include "scene/yaml_doc.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const size_t FILE_MAX = (size_t)1 << 30; /* bytes */

static int is_separator(char c)
{
    return c == ',' || c == ';' || c == ' ' || c == '\t';
}

static int is_end(char c)
{
    return c == '\0' || c == '\n' || c == '\r';
}

scree_status words_refuse(const word_reader *r, const char *at, const char *what, const char *word, size_t length,
                          const char *then)
{
    scree_error_set(r->error, r->name, r->line, (int)(at - r->line_start) + 1, "%s '%.*s', %s", what,
                    (int)(length < 40 ? length : 40), word, then);
    return SCREE_ERR_INPUT;
}

void words_next_line(word_reader *r)
{
    while (!is_end(*r->at)) ++r->at;
    if (*r->at == '\r' && r->at[1] == '\n') ++r->at;
    if (*r->at) ++r->at;
    r->line += 1;
    r->line_start = r->at;
}

int words_skip_empty(word_reader *r)
{
    for (;;) {
        const char *c = r->line_start;
        while (*c == ' ' || *c == '\t') ++c;
        r->at = c;
        if (!is_end(*c) && *c != '#') return 1;
        if (*c == '\0') return 0;
        words_next_line(r);
        if (*r->line_start == '\0') return 0;
    }
}

size_t words_next(word_reader *r, const char **word)
{
    while (is_separator(*r->at)) ++r->at;
    *word = r->at;
    while (!is_end(*r->at) && !is_separator(*r->at)) ++r->at;
    return (size_t)(r->at - *word);
}

int words_is(const char *word, size_t length, const char *expected)
{
    if (strlen(expected) != length) return 0;
    for (size_t k = 0; k < length; ++k)
        if (tolower((unsigned char)word[k]) != expected[k]) return 0;
    return 1;
}

scree_status words_number(word_reader *r, const char *what, double *value)
{
    const char *word;
    size_t n = words_next(r, &word);
    if (n == 0) return words_refuse(r, r->at, "the line ends before", what, strlen(what), "expected a number");
    if (scree_doc_decimal(word, value) != n || !isfinite(*value))
        return words_refuse(r, word, what, word, n, "expected a plain number");
    return SCREE_OK;
}

scree_status words_load(const char *path, const scree_allocator *allocator, char **text, size_t *size,
                        scree_error *error)
{
    return file_read(path, FILE_MAX, NULL, allocator, text, size, error);
}
