/* dat_text.h: a cursor over a text of numbers that knows where it stands. For dat_read.c. */
#ifndef SCREE_PROBLEM_DAT_TEXT_H
#define SCREE_PROBLEM_DAT_TEXT_H

#include <scree/base.h>

typedef struct dat_text {
    const char *begin, *at, *end;
    const char *file;
    const char *point; /* the decimal sign of the locale, for strtod */
    scree_error *error;
    scree_status status; /* of the first failure                       */
} dat_text;

dat_text dat_text_start(const char *text, size_t size, const char *file, scree_error *error);

/// Says what is wrong at `where` (line and column are counted now); returns 0.
int dat_fail(dat_text *t, const char *where, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/// The next word, or at the end of the text an empty one; its length is returned, and `t->at` is behind it.
size_t dat_word(dat_text *t, const char **word);
/// Fails with "`what` is 'word', expected `expected`", or, where the text ends, with "the file ends where ...".
int dat_fail_word(dat_text *t, const char *word, size_t length, const char *what, const char *expected);

/// The rest of the line and its end are skipped.
void dat_skip_line(dat_text *t);
const char *dat_next(dat_text *t); /* where the next word starts */

int dat_expect(dat_text *t, const char *literal, const char *what);            /* the word `literal`             */
int dat_integer(dat_text *t, const char *what, int low, int high, int *value); /* a whole number, low to high    */
int dat_number(dat_text *t, const char *what, double *value);                  /* a finite number, any locale    */

/// Fails at `where` if `count` words of at least `bytes` (separator included) cannot follow any more. Call it before
/// memory is asked for.
int dat_can_follow(dat_text *t, const char *where, const char *what, double count, int bytes);

#endif
