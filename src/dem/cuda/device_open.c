/* device_open.c: the table of libscree_cuda.so for soft spheres; and that of the twin, where it has not been compiled. */
#include "dem/cuda/device.h"

#include <stdatomic.h>
#include <string.h>

const bed_device_table *bed_device_open(char text[BED_DEVICE_TEXT])
{
    static _Atomic(const bed_device_table *) found;
    const bed_device_table *table = atomic_load(&found);
    if (table) return table;
    const size_t sizes[6] = BED_DEVICE_SIZES;
    const device_get_table get = device_library_find("scree_cuda_table", text);
    if (!get) return NULL;
    table = get();
    if (table->version != BED_DEVICE_VERSION || memcmp(table->sizes, sizes, sizeof sizes) != 0) {
        device_library_is_other(text);
        return NULL;
    }
    atomic_store(&found, table); /* the library stays open */
    return table;
}

#if !defined(SCREE_HAVE_TWIN)
const bed_device_table *bed_device_twin(void)
{
    return NULL;
}
#endif
