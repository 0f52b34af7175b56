/* pile_twin.c: the kernels of a device, compiled for the processor: the same bits without a card. One thread; it is for tests. */
#include "solvers/cuda/pile_main.h"

const pile_device_table *pile_device_twin(void)
{
    static const pile_device_table table = PILE_TABLE("host twin", pile_make, pile_destroy);
    return &table;
}
