/* device_memory.h: calls to a device, counted; its memory, copies, sorting and running sums. A device that has failed does nothing more: so
 * callers go through a row of calls and look at the status at its end. */
#ifndef SCREE_DEVICE_DEVICE_MEMORY_H
#define SCREE_DEVICE_DEVICE_MEMORY_H

#include "device/device_or_host.h"

/// How a device stands.
typedef struct gpu_base {
    scree_status status;
    int64_t calls, fail_at; /* fail_at: the number of a call that a test wants to fail; 0: none */
    size_t bytes, most_bytes;
    char text[DEVICE_TEXT];
#if defined(__CUDACC__)
    cudaStream_t stream; /* of kernels; NULL: the default one. Copies wait for it. */
#endif
} gpu_base;

/// An array of the device, which grows.
typedef struct gpu_array {
    void *at;
    size_t bytes;
} gpu_array;

static void gpu_fail(gpu_base *d, scree_status status, const char *what, const char *why)
{
    if (d->status != SCREE_OK) return;
    d->status = status;
    snprintf(d->text, sizeof d->text, "%s: %s", what, why);
}

/// 1: the next call may be made.
static int gpu_due(gpu_base *d, const char *what)
{
    if (d->status != SCREE_OK) return 0;
    d->calls += 1;
    if (d->calls != d->fail_at) return 1;
    gpu_fail(d, SCREE_ERR_DEVICE, what, "failed, as a test asked");
    return 0;
}

#if defined(__CUDACC__)

static void gpu_checked(gpu_base *d, cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return;
    gpu_fail(d, error == cudaErrorMemoryAllocation ? SCREE_ERR_MEMORY : SCREE_ERR_DEVICE, what,
             cudaGetErrorString(error));
}

static void *gpu_raw_alloc(gpu_base *d, size_t bytes)
{
    void *p = NULL;
    gpu_checked(d, cudaMalloc(&p, bytes), "cudaMalloc");
    return d->status == SCREE_OK ? p : NULL;
}

static void gpu_raw_free(void *p)
{
    (void)cudaFree(p);
}

static void gpu_raw_copy(gpu_base *d, void *to, const void *from, size_t bytes)
{
    gpu_checked(d, cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
}

static void gpu_raw_zero(gpu_base *d, void *to, size_t bytes)
{
    gpu_checked(d, cudaMemset(to, 0, bytes), "cudaMemset");
}

#else

static void *gpu_raw_alloc(gpu_base *d, size_t bytes)
{
    void *p = malloc(bytes);
    if (!p) gpu_fail(d, SCREE_ERR_MEMORY, "malloc", "out of memory");
    return p;
}

static void gpu_raw_free(void *p)
{
    free(p);
}

static void gpu_raw_copy(gpu_base *d, void *to, const void *from, size_t bytes)
{
    (void)d;
    memcpy(to, from, bytes);
}

static void gpu_raw_zero(gpu_base *d, void *to, size_t bytes)
{
    (void)d;
    memset(to, 0, bytes);
}

#endif

/* ---- arrays ------------------------------------------------------------------------------------------------------------------------ */

static inline void gpu_free(gpu_base *d, gpu_array *a)
{
    if (a->at) gpu_raw_free(a->at), d->bytes -= a->bytes;
    a->at = NULL, a->bytes = 0;
}

/// At least `bytes`; what it held is lost where it grows.
static inline void gpu_room(gpu_base *d, gpu_array *a, size_t bytes)
{
    if (a->at && bytes <= a->bytes) return;
    const int grows = a->at != NULL;
    gpu_free(d, a);
    if (grows) bytes += bytes / 32; /* it will grow again */
    bytes = (bytes + 1023) / 1024 * 1024;
    if (!gpu_due(d, "memory")) return;
    a->at = gpu_raw_alloc(d, bytes);
    if (!a->at) {
        if (d->status == SCREE_ERR_MEMORY)
            snprintf(d->text, sizeof d->text, "out of memory: %.2f GB more, beside %.2f GB that it has",
                     1e-9 * (double)bytes, 1e-9 * (double)d->bytes);
        return;
    }
    a->bytes = bytes, d->bytes += bytes;
    if (d->bytes > d->most_bytes) d->most_bytes = d->bytes;
}

static inline void gpu_copy(gpu_base *d, void *to, const void *from, size_t bytes)
{
    if (bytes > 0 && gpu_due(d, "copy")) gpu_raw_copy(d, to, from, bytes);
}

static inline void gpu_zero(gpu_base *d, void *to, size_t bytes)
{
    if (bytes > 0 && gpu_due(d, "zero")) gpu_raw_zero(d, to, bytes);
}

/// Into an array, from the host.
static inline void gpu_fill(gpu_base *d, gpu_array *a, const void *from, size_t bytes)
{
    gpu_room(d, a, bytes > 0 ? bytes : 1);
    gpu_copy(d, a->at, from, bytes);
}

/* ---- sorting and sums -------------------------------------------------------------------------------------------------------------- */

/// Values by their keys, of which `bits` count; equal keys stay in order. Both pairs of arrays have room for n; the result is in the second.
/// `scratch` grows.
#if defined(__CUDACC__)
static inline void gpu_sort(gpu_base *d, gpu_array *scratch, uint64_t *key[2], int32_t *value[2], int64_t n, int bits)
{
    cub::DoubleBuffer<uint64_t> keys(key[0], key[1]); /* it needs no third copy */
    cub::DoubleBuffer<int32_t> values(value[0], value[1]);
    size_t size = 0;
    if (!gpu_due(d, "sort")) return;
    gpu_checked(d, cub::DeviceRadixSort::SortPairs(NULL, size, keys, values, n, 0, bits), "sort");
    gpu_room(d, scratch, size);
    if (d->status != SCREE_OK) return;
    gpu_checked(d, cub::DeviceRadixSort::SortPairs(scratch->at, size, keys, values, n, 0, bits), "sort");
    if (keys.Current() != key[1])
        gpu_checked(d, cudaMemcpy(key[1], key[0], (size_t)n * sizeof *key[0], cudaMemcpyDeviceToDevice), "sort");
    if (values.Current() != value[1])
        gpu_checked(d, cudaMemcpy(value[1], value[0], (size_t)n * sizeof *value[0], cudaMemcpyDeviceToDevice), "sort");
}

struct gpu_widen { /* sums of many counts have more than 32 bits */
    __host__ __device__ int64_t operator()(int32_t x) const { return x; }
};

/// sum[k] = the first k counts; n + 1 of them.
static inline void gpu_sum(gpu_base *d, gpu_array *scratch, const int32_t *from, int64_t *sum, int64_t n)
{
    const thrust::transform_iterator<gpu_widen, const int32_t *> count(from, gpu_widen());
    size_t size = 0;
    if (!gpu_due(d, "sum")) return;
    gpu_checked(d, cudaMemset(sum, 0, sizeof *sum), "sum");
    gpu_checked(d, cub::DeviceScan::InclusiveSum(NULL, size, count, sum + 1, n), "sum");
    gpu_room(d, scratch, size);
    if (d->status != SCREE_OK) return;
    gpu_checked(d, cub::DeviceScan::InclusiveSum(scratch->at, size, count, sum + 1, n), "sum");
}
#else
static inline void gpu_sort(gpu_base *d, gpu_array *scratch, uint64_t *key[2], int32_t *value[2], int64_t n, int bits)
{
    enum { DIGIT = 11, BINS = 1 << DIGIT };
    int from = 0;
    if (!gpu_due(d, "sort")) return;
    gpu_room(d, scratch, 1); /* as on a device */
    for (int shift = 0; shift < bits; shift += DIGIT, from = !from) {
        int64_t bin[BINS] = {0}, sum = 0;
        for (int64_t i = 0; i < n; ++i) bin[key[from][i] >> shift & (BINS - 1)] += 1;
        for (int k = 0; k < BINS; ++k) {
            const int64_t count = bin[k];
            bin[k] = sum, sum += count;
        }
        for (int64_t i = 0; i < n; ++i) {
            const int64_t to = bin[key[from][i] >> shift & (BINS - 1)]++;
            key[!from][to] = key[from][i], value[!from][to] = value[from][i];
        }
    }
    if (from == 1) return;
    memcpy(key[1], key[0], (size_t)n * sizeof *key[0]), memcpy(value[1], value[0], (size_t)n * sizeof *value[0]);
}

/// sum[k] = the first k counts; n + 1 of them.
static inline void gpu_sum(gpu_base *d, gpu_array *scratch, const int32_t *count, int64_t *sum, int64_t n)
{
    if (!gpu_due(d, "sum")) return;
    gpu_room(d, scratch, 1);
    sum[0] = 0;
    for (int64_t k = 0; k < n; ++k) sum[k + 1] = sum[k] + count[k];
}
#endif

#endif
