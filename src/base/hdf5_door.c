/* hdf5_door.c: see hdf5_door.h. */
#define _XOPEN_SOURCE 700
#include "base/hdf5_door.h"

#include "base/lock.h"

#include <stdlib.h>
#include <unistd.h>

enum { NEEDS = 1 << 20 }; /* bytes: its tables take about 300 kB when it is opened, a file some 100 kB */

static lock door = LOCK_INITIAL;
static int opened;

/// The first time only. A host may have opened it already, and then keeps its own ways.
static int open_library(void)
{
    if (opened) return 1;
    (void)H5dont_atexit();
    opened = H5open() >= 0;
    return opened;
}

int hdf5_enter(hdf5_visit *visit)
{
    *visit = (hdf5_visit){.inside = 0};
    lock_take(&door);
    void *room = malloc(NEEDS);
    free(room);
    if (!room || !open_library()) {
        lock_release(&door);
        return 0;
    }
    H5Eget_auto2(H5E_DEFAULT, &visit->print, &visit->print_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    visit->inside = 1;
    return 1;
}

void hdf5_leave(hdf5_visit *visit)
{
    if (!visit->inside) return;
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, visit->print, visit->print_data);
    visit->inside = 0;
    lock_release(&door);
}

int hdf5_fork(void)
{
    lock_take(&door);
    const int child = (int)fork();
    lock_release(&door); /* each its own */
    return child;
}
