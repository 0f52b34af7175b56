/* need.c: see need.h. */
#include "cli/need.h"

#include <stdio.h>

double need_memory(scree_scheme scheme, double bodies, double cornered)
{
    static const double PROGRAM = 1.5e7, RIGID = 1.2e4, CORNERED = 6.5e4, SOFT = 5e3;
    if (scheme == SCREE_SCHEME_DEM) return PROGRAM + bodies * SOFT;
    return PROGRAM + (bodies - cornered) * RIGID + cornered * CORNERED;
}

const char *need_bytes(double bytes, char *text, size_t size)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    int k = 0;
    while (bytes >= 1000.0 && k < 4) bytes /= 1000.0, ++k;
    snprintf(text, size, "%.3g %s", bytes, units[k]);
    return text;
}
