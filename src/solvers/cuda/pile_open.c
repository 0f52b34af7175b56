/* pile_open.c: the table of libscree_cuda.so for contacts of spheres; and that of the twin, where it has not been compiled. */
#include "solvers/cuda/pile_device.h"

#include <string.h>

const pile_device_table *pile_device_open(char text[DEVICE_TEXT])
{
    const size_t sizes[4] = {sizeof(pile_device_pile), sizeof(sphere_batch), sizeof(sphere_special),
                             sizeof(sweep_momentum)};
    const device_get_table get = device_library_find("scree_cuda_piles", text);
    if (!get) return NULL;
    const pile_device_table *table = get();
    if (table->version == PILE_DEVICE_VERSION && memcmp(table->sizes, sizes, sizeof sizes) == 0) return table;
    device_library_is_other(text);
    return NULL;
}

#if !defined(SCREE_HAVE_TWIN)
const pile_device_table *pile_device_twin(void)
{
    return NULL;
}
#endif
