/* device_or_host.h: the words in which the kernels are written, as CUDA (nvcc, C++) and as C for one core.
 *
 * A kernel is a function of a block of GPU_THREADS threads. Its phases are loops over threads, THREADS(t), with BARRIER between them; nothing
 * that belongs to one thread outlives its phase. On a device each thread makes one pass; on the host one thread makes them all, phase after
 * phase, block after block. EACH(i, n) is a kernel of one phase with an index for each thread. In both, `continue` leaves a pass.
 *
 * Every call to the device goes through gpu_due, which counts it: tests let the n-th one fail. */
#ifndef SCREE_DEVICE_DEVICE_OR_HOST_H
#define SCREE_DEVICE_DEVICE_OR_HOST_H

#include "base/hd.h"
#include "device/device_library.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(GPU_BLOCK) /* threads of a block */
#define GPU_BLOCK 256
#endif
enum { GPU_THREADS = GPU_BLOCK };

#if defined(__CUDACC__)

#include <cub/cub.cuh>
#include <thrust/iterator/transform_iterator.h>

#define KERNEL(name, ...) static __global__ void __launch_bounds__(GPU_THREADS) name(__VA_ARGS__)
/* at least two blocks of 256 share a multiprocessor: 128 registers a thread */
#define KERNEL_OF_TWO(name, ...)                                                                                       \
    static __global__ void __launch_bounds__(GPU_THREADS, 512 / GPU_THREADS) name(__VA_ARGS__)
#define BLOCK         ((int64_t)blockIdx.x)
#define DEVICE_INLINE static __device__ __forceinline__
#define SHARED        __shared__
#define THREADS(t)    for (int t = (int)threadIdx.x, once_##t = 1; once_##t; once_##t = 0)
#define BARRIER       __syncthreads()
#define EACH(i, n)    for (int64_t i = BLOCK * GPU_THREADS + (int64_t)threadIdx.x, end_##i = (n); i < end_##i; i = end_##i)
#define LAUNCH(d, name, blocks, ...)                                                                                   \
    do {                                                                                                               \
        if (gpu_due(d, #name) && (blocks) > 0) {                                                                       \
            name<<<(unsigned)(blocks), GPU_THREADS, 0, (d)->stream>>>(__VA_ARGS__);                                    \
            gpu_checked(d, cudaGetLastError(), #name);                                                                 \
        }                                                                                                              \
    } while (0)

/* Shared memory whose size is given at the launch: more of it than a kernel may ask for by itself. */
#define SHARED_AS_LAUNCHED(name, most) extern __shared__ __align__(16) char name[]
#define LAUNCH_SHARED(d, name, blocks, bytes, ...)                                                                     \
    do {                                                                                                               \
        if (gpu_due(d, #name) && (blocks) > 0) {                                                                       \
            static int allowed;                                                                                        \
            if (allowed != (int)(bytes))                                                                               \
                gpu_checked(d, cudaFuncSetAttribute(name, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)(bytes)),  \
                            #name);                                                                                    \
            allowed = (int)(bytes);                                                                                    \
            name<<<(unsigned)(blocks), GPU_THREADS, (bytes), (d)->stream>>>(__VA_ARGS__);                              \
            gpu_checked(d, cudaGetLastError(), #name);                                                                 \
        }                                                                                                              \
    } while (0)

DEVICE_INLINE void gpu_add(double *to, double x)
{
    atomicAdd(to, x);
}

DEVICE_INLINE int gpu_count(int32_t *to, int n)
{
    return atomicAdd(to, n);
}

/* Copies into shared memory that go on while a thread works: of 4 or 8 bytes, in groups; `gpu_copies_wait` until all but the last group are there. */
DEVICE_INLINE void gpu_copy_4(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
#else
    *(uint32_t *)to = *(const uint32_t *)from;
#endif
}

DEVICE_INLINE void gpu_copy_8(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
#else
    *(uint64_t *)to = *(const uint64_t *)from;
#endif
}

DEVICE_INLINE void gpu_copies_close(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

DEVICE_INLINE void gpu_copies_wait(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
}

/// All threads of a block copy a stretch of memory, whole words.
DEVICE_INLINE void gpu_words_copy(void *to, const void *from, size_t bytes, int t)
{
    for (size_t k = (size_t)t; k < bytes / sizeof(uint64_t); k += GPU_THREADS)
        ((uint64_t *)to)[k] = ((const uint64_t *)from)[k];
}

/// Asks for a stretch of memory to be brought into the second cache, by one instruction.
DEVICE_INLINE void gpu_fetch(const void *from, int64_t bytes)
{
#if __CUDA_ARCH__ >= 900
    const size_t begin = (size_t)from & ~(size_t)15, end = ((size_t)from + (size_t)bytes) & ~(size_t)15;
    if (end > begin)
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(begin), "r"((unsigned)(end - begin))
                     : "memory");
#else
    (void)from, (void)bytes;
#endif
}

DEVICE_INLINE uint32_t gpu_count_word(uint32_t *to, uint32_t n)
{
    return atomicAdd(to, n);
}

DEVICE_INLINE int64_t gpu_count_far(int64_t *to, int64_t n)
{
    return (int64_t)atomicAdd((unsigned long long *)to, (unsigned long long)n);
}

DEVICE_INLINE void gpu_raise(uint64_t *to, uint64_t x)
{
    atomicMax((unsigned long long *)to, (unsigned long long)x);
}

DEVICE_INLINE void gpu_lower(int32_t *to, int x)
{
    atomicMin(to, x);
}

/// Four doubles, aligned to 16 bytes: two loads or stores in place of four.
DEVICE_INLINE void gpu_get_4(const double *from, double to[4])
{
    const double2 a = ((const double2 *)from)[0], b = ((const double2 *)from)[1];
    to[0] = a.x, to[1] = a.y, to[2] = b.x, to[3] = b.y;
}

DEVICE_INLINE void gpu_put_4(double *to, const double from[4])
{
    ((double2 *)to)[0] = make_double2(from[0], from[1]), ((double2 *)to)[1] = make_double2(from[2], from[3]);
}

/// Adds what all threads of a block have, exactly: first a warp, then one of each.
DEVICE_INLINE void gpu_add_all(double *to, double x)
{
    for (int far = 16; far > 0; far /= 2) x += __shfl_down_sync(0xffffffffu, x, far);
    if (threadIdx.x % 32 == 0) atomicAdd(to, x);
}

/// The sum of 32 threads that stand together, where nothing has been but 0.
DEVICE_INLINE void gpu_put_all(double *to, double x)
{
    for (int far = 16; far > 0; far /= 2) x += __shfl_down_sync(0xffffffffu, x, far);
    if (threadIdx.x % 32 == 0) *to = x;
}

DEVICE_INLINE void gpu_raise_all(uint64_t *to, uint64_t x)
{
    for (int far = 16; far > 0; far /= 2) {
        const uint64_t other = __shfl_down_sync(0xffffffffu, (unsigned long long)x, far);
        x = other > x ? other : x;
    }
    if (threadIdx.x % 32 == 0 && x > 0) atomicMax((unsigned long long *)to, (unsigned long long)x);
}

/// The sum of 32 numbers that follow each other, one of each thread, in one order. Only every 32nd thread has it.
DEVICE_INLINE double gpu_sum_of_32(const double *x, int t)
{
    double sum = x[t];
    for (int far = 16; far > 0; far /= 2) sum += __shfl_down_sync(0xffffffffu, sum, far);
    return sum;
}

#else

#define KERNEL(name, ...) static void name(__attribute__((unused)) int64_t block_of_kernel, __VA_ARGS__)
#define KERNEL_OF_TWO     KERNEL
#define BLOCK             block_of_kernel
#define DEVICE_INLINE     SCREE_HD_INLINE
#define SHARED
/* t and i are names. NOLINTBEGIN(bugprone-macro-parentheses) */
#define THREADS(t) for (int t = 0; t < GPU_THREADS; ++t)
#define BARRIER    (void)0
#define EACH(i, n)                                                                                                     \
    for (int64_t i = BLOCK * GPU_THREADS, end_##i = (n) < i + GPU_THREADS ? (n) : i + GPU_THREADS; i < end_##i; ++i)
/* NOLINTEND(bugprone-macro-parentheses) */
#define LAUNCH(d, name, blocks, ...)                                                                                   \
    do {                                                                                                               \
        if (gpu_due(d, #name))                                                                                         \
            for (int64_t block_of = 0; block_of < (blocks); ++block_of) name(block_of, __VA_ARGS__);                   \
    } while (0)

/* NOLINTNEXTLINE(bugprone-macro-parentheses): a name */
#define SHARED_AS_LAUNCHED(name, most)             _Alignas(16) char name[(most)]
#define LAUNCH_SHARED(d, name, blocks, bytes, ...) LAUNCH(d, name, blocks, __VA_ARGS__)

DEVICE_INLINE void gpu_add(double *to, double x)
{
    *to += x;
}

DEVICE_INLINE void gpu_words_copy(void *to, const void *from, size_t bytes, int t)
{
    if (t == 0) memcpy(to, from, bytes);
}

DEVICE_INLINE void gpu_fetch(const void *from, int64_t bytes)
{
    (void)from, (void)bytes;
}

DEVICE_INLINE void gpu_copy_4(void *to, const void *from)
{
    memcpy(to, from, 4);
}

DEVICE_INLINE void gpu_copy_8(void *to, const void *from)
{
    memcpy(to, from, 8);
}

DEVICE_INLINE void gpu_copies_close(void) {}

DEVICE_INLINE void gpu_copies_wait(void) {}

DEVICE_INLINE int gpu_count(int32_t *to, int n)
{
    const int before = *to;
    *to += n;
    return before;
}

DEVICE_INLINE uint32_t gpu_count_word(uint32_t *to, uint32_t n)
{
    const uint32_t before = *to;
    *to += n;
    return before;
}

DEVICE_INLINE int64_t gpu_count_far(int64_t *to, int64_t n)
{
    const int64_t before = *to;
    *to += n;
    return before;
}

DEVICE_INLINE void gpu_raise(uint64_t *to, uint64_t x)
{
    if (x > *to) *to = x;
}

DEVICE_INLINE void gpu_lower(int32_t *to, int x)
{
    if (x < *to) *to = x;
}

DEVICE_INLINE void gpu_get_4(const double *from, double to[4])
{
    memcpy(to, from, 4 * sizeof *to);
}

DEVICE_INLINE void gpu_put_4(double *to, const double from[4])
{
    memcpy(to, from, 4 * sizeof *to);
}

DEVICE_INLINE void gpu_add_all(double *to, double x)
{
    *to += x;
}

DEVICE_INLINE void gpu_put_all(double *to, double x)
{
    *to += x;
}

DEVICE_INLINE void gpu_raise_all(uint64_t *to, uint64_t x)
{
    gpu_raise(to, x);
}

DEVICE_INLINE double gpu_sum_of_32(const double *x, int t)
{
    double sum[32];
    if (t % 32) return 0.0;
    memcpy(sum, x + t, sizeof sum);
    for (int far = 16; far > 0; far /= 2)
        for (int k = 0; k < far; ++k) sum[k] += sum[k + far];
    return sum[0];
}

#endif

/// Numbers as integers in the same order.
SCREE_HD uint64_t gpu_ordered(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

SCREE_HD double gpu_number(uint64_t ordered)
{
    double x;
    ordered = ordered >> 63 ? ordered & ~(UINT64_C(1) << 63) : ~ordered;
    memcpy(&x, &ordered, sizeof x);
    return x;
}

/// Blocks for so many threads.
SCREE_HD int64_t gpu_blocks(int64_t threads)
{
    return (threads + GPU_THREADS - 1) / GPU_THREADS;
}

#endif
