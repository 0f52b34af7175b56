/* device_open.c: finds libscree_cuda.so. Nothing of CUDA is needed to build or to run scree; who asks for a device is told what is missing. */
#include "dem/cuda/device.h"

#include <stdio.h>
#include <string.h>

#if defined(SCREE_HAVE_DLOPEN)

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

/// The table of a library, if it is of this version.
static const bed_device_table *table_of(void *library, const char *name, char text[BED_DEVICE_TEXT])
{
    const bed_device_table *(*get)(void);
    void *symbol = dlsym(library, "scree_cuda_table");
    const size_t sizes[4] = {sizeof(bed_device_bed), sizeof(bed_device_call), sizeof(bed_forcing), sizeof(bed_driven)};
    if (!symbol) {
        snprintf(text, BED_DEVICE_TEXT, "%.150s is not a library of scree", name);
        return NULL;
    }
    memcpy(&get, &symbol, sizeof get);
    const bed_device_table *table = get();
    if (table->version == BED_DEVICE_VERSION && memcmp(table->sizes, sizes, sizeof sizes) == 0) return table;
    snprintf(text, BED_DEVICE_TEXT, "%.150s was built for another version of scree", name);
    return NULL;
}

const bed_device_table *bed_device_open(char text[BED_DEVICE_TEXT])
{
    static _Atomic(const bed_device_table *) found;
    const bed_device_table *table = atomic_load(&found);
    if (table) return table;
    const char *asked = getenv("SCREE_CUDA_LIBRARY"), *name = asked && *asked ? asked : "libscree_cuda.so";
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(text, BED_DEVICE_TEXT, "%.120s cannot be opened; it is built with -DSCREE_CUDA=ON (docs/gpu.md)",
                 name);
        return NULL;
    }
    table = table_of(library, name, text);
    if (table) atomic_store(&found, table); /* the library stays open */
    else (void)dlclose(library);
    return table;
}

#else

const bed_device_table *bed_device_open(char text[BED_DEVICE_TEXT])
{
    snprintf(text, BED_DEVICE_TEXT, "this build of scree cannot open libraries");
    return NULL;
}

#endif
