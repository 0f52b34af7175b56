/* device.cu: libscree_cuda.so. The kernels on a CUDA device, behind the table of device.h. Compiled with -fmad=false: every product and sum is
 * rounded as on the processor. */
#define _Static_assert static_assert
#define SCREE_NO_ASSERT
#define BED_ONE_LANE
#define BED_WIDTH 1
#include "dem/cuda/device_main.h"

static int cuda_list(int room, bed_device_info *out, char text[BED_DEVICE_TEXT])
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) {
        snprintf(text, BED_DEVICE_TEXT, "%s", cudaGetErrorString(error));
        return -1;
    }
    for (int k = 0; k < count && k < room; ++k) {
        cudaDeviceProp p;
        size_t has = 0, all = 0;
        memset(&out[k], 0, sizeof out[k]);
        if (cudaGetDeviceProperties(&p, k) != cudaSuccess) continue;
        if (k == 0) (void)cudaMemGetInfo(&has, &all);
        snprintf(out[k].name, sizeof out[k].name, "%s", p.name);
        out[k].memory = (int64_t)p.totalGlobalMem, out[k].free = (int64_t)has, out[k].major = p.major,
        out[k].minor = p.minor;
    }
    return count;
}

static scree_status cuda_create(bed_device **out, char text[BED_DEVICE_TEXT])
{
    int count = 0;
    *out = NULL;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0) error = cudaFree(NULL); /* the context */
    if (error != cudaSuccess || count == 0) {
        snprintf(text, BED_DEVICE_TEXT, "there is no card that can be used: %s",
                 error != cudaSuccess ? cudaGetErrorString(error) : "the driver has none");
        return SCREE_ERR_DEVICE;
    }
    return device_make(out, text);
}

extern "C" __attribute__((visibility("default"))) const bed_device_table *scree_cuda_table(void)
{
    static const bed_device_table table = DEVICE_TABLE("CUDA", cuda_list, cuda_create);
    return &table;
}
