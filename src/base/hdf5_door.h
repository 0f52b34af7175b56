/* hdf5_door.h: the one way into HDF5. Private; needs HDF5.
 *
 * The library is not thread-safe as Debian builds it, prints its own messages, cleans up when the program exits (and crashes there after a
 * failure it could not mend), and does not always survive a lack of memory. So: one lock around every use; opened once, with the cleaning
 * up switched off; silent in between; and not entered at all while there is no memory for its own needs. */
#ifndef SCREE_BASE_HDF5_DOOR_H
#define SCREE_BASE_HDF5_DOOR_H

#include <hdf5.h>

/// The name of a file that is in memory: HDF5 looks whether there is one of that name, and must not find it.
#define HDF5_NO_FILE "/dev/null/scree.h5"

typedef struct hdf5_visit {
    int inside;
    H5E_auto2_t print; /* what HDF5 did with errors before */
    void *print_data;
} hdf5_visit;

/// 1: HDF5 is this thread's until hdf5_leave; waits for others. 0: there is no memory for it, and nothing to leave.
int hdf5_enter(hdf5_visit *visit);
void hdf5_leave(hdf5_visit *visit);

/// fork() while no thread is inside, so that the child finds HDF5 as it should be.
int hdf5_fork(void);

#endif
