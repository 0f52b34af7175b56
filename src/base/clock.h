/* clock.h: wall-clock seconds, for time limits and reports; never for results. */
#ifndef SCREE_BASE_CLOCK_H
#define SCREE_BASE_CLOCK_H

#include <time.h>

static inline double clock_seconds(void)
{
    struct timespec t = {0, 0};
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
