/* device_twin.c: the kernels of a device, compiled for the processor: the same bits without a card. One thread; it is for tests. */
#define BED_ONE_LANE
#define BED_WIDTH 1
#include "dem/cuda/device_main.h"

/* The table's type. NOLINTNEXTLINE(readability-non-const-parameter) */
static int twin_list(int room, bed_device_info *out, char text[BED_DEVICE_TEXT])
{
    (void)text;
    if (room > 0) {
        memset(out, 0, sizeof *out);
        snprintf(out->name, sizeof out->name, "the kernels on one core of the processor, for tests");
    }
    return 1;
}

const bed_device_table *bed_device_twin(void)
{
    static const bed_device_table table = DEVICE_TABLE("host-twin", twin_list, device_make);
    return &table;
}
