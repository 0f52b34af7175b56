/* words.h: texts read word by word and line by line, with the place of every mistake: tables, meshes, grids. */
#ifndef SCREE_SCENE_WORDS_H
#define SCREE_SCENE_WORDS_H

#include <scree/base.h>

/// Where reading stands. The text ends in NUL. Separators are commas, semicolons, tabs and blanks.
typedef struct word_reader {
    const char *at, *line_start, *name;
    int line;
    scree_error *error;
} word_reader;

/// Message at `at`: what 'word', then. Returns the input error.
scree_status words_refuse(const word_reader *r, const char *at, const char *what, const char *word, size_t length,
                          const char *then);

void words_next_line(word_reader *r);

/// To the first line from here on that says something ('#' starts a comment); 0: there is none.
int words_skip_empty(word_reader *r);

/// The next word of the line; 0: the line is over.
size_t words_next(word_reader *r, const char **word);

/// 1 if the word is this one, in any case of its letters.
int words_is(const char *word, size_t length, const char *expected);

/// The next word as a finite number; `what` names it in the message.
scree_status words_number(word_reader *r, const char *what, double *value);

/// Reads a whole file and ends it with NUL. The caller frees `*text` by memory_free.
scree_status words_load(const char *path, const scree_allocator *allocator, char **text, size_t *size,
                        scree_error *error);

#endif
