/* cuda_library_piles.c: the part of cuda_library.c that sweeps over contacts of spheres. SCREE_CUDA_FAIL=N counts here too. */
#define SCREE_NO_ASSERT
#include "solvers/cuda/pile_main.h"

const void *scree_cuda_piles(void);

static scree_status create(pile_device **out, char text[DEVICE_TEXT])
{
    const char *at = getenv("SCREE_CUDA_FAIL");
    const scree_status status = pile_make(out, text);
    if (status == SCREE_OK && at) pile_fail_at(*out, strtol(at, NULL, 10));
    return status;
}

__attribute__((visibility("default"))) const void *scree_cuda_piles(void)
{
    static const pile_device_table table = PILE_TABLE("for tests", create, pile_destroy);
    return &table;
}
