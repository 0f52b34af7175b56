/* suggest.c: help for people who mistype, and a clock (scree/base.h). */
#include <scree/base.h>

#include "base/clock.h"
#include "base/suggest.h"

const char *scree_suggest(const char *word, const char *const *words, int count)
{
    return suggest(word, strlen(word), words, count);
}

double scree_clock_seconds(void)
{
    return clock_seconds();
}
