/* pile_device.cu: the kernels of sweeps on a CUDA device, in libscree_cuda.so. Compiled with -fmad=false: every product and sum is rounded as on
 * the processor. */
#define _Static_assert static_assert
#define SCREE_NO_ASSERT
#include "solvers/cuda/pile_main.h"

#include <atomic>

/* A stepper makes a solver in each step: the last device that was given back is kept, with its memory, for the next one. */
static std::atomic<pile_device *> spare{NULL};

static void cuda_destroy(pile_device *d)
{
    pile_device *none = NULL;
    if (d && d->base.status == SCREE_OK && spare.compare_exchange_strong(none, d)) return;
    pile_destroy(d);
}

static scree_status cuda_create(pile_device **out, char text[DEVICE_TEXT])
{
    int count = 0;
    *out = spare.exchange(NULL);
    if (*out) return SCREE_OK;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0) error = cudaFree(NULL); /* the context */
    if (error != cudaSuccess || count == 0) {
        snprintf(text, DEVICE_TEXT, "there is no card that can be used: %s",
                 error != cudaSuccess ? cudaGetErrorString(error) : "the driver has none");
        return SCREE_ERR_DEVICE;
    }
    scree_status status = pile_make(out, text);
    if (status != SCREE_OK) return status;
    gpu_checked(&(*out)->base, cudaStreamCreate(&(*out)->base.stream), "stream");
    if ((*out)->base.status == SCREE_OK) return SCREE_OK;
    snprintf(text, DEVICE_TEXT, "%s", (*out)->base.text);
    pile_destroy(*out), *out = NULL;
    return SCREE_ERR_DEVICE;
}

extern "C" __attribute__((visibility("default"))) const void *scree_cuda_piles(void)
{
    static const pile_device_table table = PILE_TABLE("CUDA", cuda_create, cuda_destroy);
    return &table;
}
