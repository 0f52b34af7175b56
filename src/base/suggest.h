/* suggest.h: the known word nearest to a mistyped one, for messages of the readers and of the command line.
 *
 * Distance: insertions, deletions, substitutions and swaps of neighbours cost 1 each (Damerau-Levenshtein, restricted),
 * capitals are ignored. A word is offered if the distance is at most a third of the longer word (1 for short ones). */
#ifndef SCREE_SUGGEST_H
#define SCREE_SUGGEST_H

#include <stddef.h>
#include <string.h>

enum { SCREE_SUGGEST_LENGTH = 32 }; /* longer words get no suggestion */

static inline int suggest_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

static inline int suggest_distance(const char *a, size_t na, const char *b, size_t nb)
{
    int row[3][SCREE_SUGGEST_LENGTH + 1]; /* the rows i - 2, i - 1 and i of the table, in turn */
    for (size_t j = 0; j <= nb; ++j) row[0][j] = (int)j;
    for (size_t i = 1; i <= na; ++i) {
        int *now = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= nb; ++j) {
            int x = suggest_lower(a[i - 1]), y = suggest_lower(b[j - 1]);
            int best = up[j - 1] + (x != y);
            if (up[j] + 1 < best) best = up[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && x == suggest_lower(b[j - 2]) && y == suggest_lower(a[i - 2]) && up2[j - 2] + 1 < best)
                best = up2[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[na % 3][nb];
}

/// The nearest of `count` words to `word` (which need not end in NUL), or NULL if none is near.
static inline const char *suggest(const char *word, size_t length, const char *const *words, int count)
{
    const char *best = NULL;
    int best_distance = SCREE_SUGGEST_LENGTH;
    if (length == 0 || length > SCREE_SUGGEST_LENGTH) return NULL;
    for (int k = 0; k < count; ++k) {
        size_t n = strlen(words[k]);
        if (n > SCREE_SUGGEST_LENGTH) continue;
        int longer = (int)(n > length ? n : length), allowed = longer < 3 ? 1 : longer / 3;
        int distance = suggest_distance(word, length, words[k], n);
        if (distance >= longer && distance > 0) continue; /* nothing in common */
        if (distance <= allowed && distance < best_distance) best = words[k], best_distance = distance;
    }
    return best;
}

#endif
