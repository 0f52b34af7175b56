/* quantities.c: the numbers of a run by name (scree/output.h): those of the list in quantities.h that sweeps have. */
#include "run/quantities.h"

#include <string.h>

typedef struct quantity_row {
    const char *name, *unit;
} quantity_row;

#define REAL(series, sweep, unit, value)  {sweep, unit},
#define WHOLE(series, sweep, unit, value) REAL(series, sweep, unit, value)
#define WORD(series, text)                {"", ""},
static const quantity_row row[] = {RUN_QUANTITIES};
#undef REAL
#undef WHOLE
#undef WORD
enum { ROWS = sizeof row / sizeof *row };

/// The row of the index-th quantity; ROWS beyond the last.
static int row_of(int index)
{
    int k = 0;
    for (; k < ROWS; ++k)
        if (row[k].name[0] && index-- == 0) break;
    return k;
}

const char *scree_quantity_name(int index)
{
    const int k = index >= 0 ? row_of(index) : ROWS;
    return k < ROWS ? row[k].name : NULL;
}

const char *scree_quantity_unit(int index)
{
    const int k = index >= 0 ? row_of(index) : ROWS;
    return k < ROWS ? row[k].unit : NULL;
}

int scree_quantity_find(const char *name)
{
    int index = 0;
    for (const char *known; (known = scree_quantity_name(index)); ++index)
        if (strcmp(known, name) == 0) return index;
    return -1;
}

double scree_quantity_value(int index, const scree_world *w, const scree_run_totals *t, const scree_step_report *r)
{
    const scree_energy energy = scree_world_energy(w);
#define REAL(series, sweep, unit, value)  (double)(value),
#define WHOLE(series, sweep, unit, value) REAL(series, sweep, unit, value)
#define WORD(series, text)                0.0,
    const double value[] = {RUN_QUANTITIES};
#undef REAL
#undef WHOLE
#undef WORD
    const int k = row_of(index);
    SCREE_ASSERT(index >= 0 && k < ROWS);
    return value[k];
}
