/* cuda_library.c: a libscree_cuda.so without CUDA, for tests: the kernels compiled for the processor behind the door that the real one has. The
 * environment variable SCREE_CUDA_FAIL=N lets its N-th call to the device fail, as a card does that is lost in mid-run. */
#define SCREE_NO_ASSERT
#define BED_ONE_LANE
#define BED_WIDTH 1
#include "dem/cuda/device_main.h"

const bed_device_table *scree_cuda_table(void);

/* The table's type. NOLINTNEXTLINE(readability-non-const-parameter) */
static int list(int room, bed_device_info *out, char text[BED_DEVICE_TEXT])
{
    (void)text;
    if (room > 0) memset(out, 0, sizeof *out), snprintf(out->name, sizeof out->name, "no card, for tests");
    return 1;
}

static scree_status create(bed_device **out, char text[BED_DEVICE_TEXT])
{
    const char *at = getenv("SCREE_CUDA_FAIL");
    const scree_status status = device_make(out, text);
    if (status == SCREE_OK && at) device_fail_at(*out, strtol(at, NULL, 10));
    return status;
}

__attribute__((visibility("default"))) const bed_device_table *scree_cuda_table(void)
{
    static const bed_device_table table = DEVICE_TABLE("for tests", list, create);
    return &table;
}
