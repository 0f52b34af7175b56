/* device_library.h: libscree_cuda.so, which has the kernels for a CUDA device, and is opened when one is asked for. libscree itself knows nothing
 * of CUDA. */
#ifndef SCREE_DEVICE_DEVICE_LIBRARY_H
#define SCREE_DEVICE_DEVICE_LIBRARY_H

#include <scree/base.h>

enum { DEVICE_TEXT = 256 };

/// A table of functions of the library.
typedef const void *(*device_get_table)(void);

/// The function of this name that hands out a table; NULL: `text` says what is missing. The library stays open from the first one that was found.
device_get_table device_library_find(const char *symbol, char text[DEVICE_TEXT]);

/// Says in `text` that the library is of another version.
void device_library_is_other(char text[DEVICE_TEXT]);

/// Says in `text` that the kernels have not been compiled for the processor (SCREE_TWIN).
void device_twin_is_missing(char text[DEVICE_TEXT]);

#endif
