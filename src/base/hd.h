/* hd.h: one source for host and device. SCREE_HD is `static inline`, and under nvcc also `__host__ __device__`. */
#ifndef SCREE_BASE_HD_H
#define SCREE_BASE_HD_H

#if defined(__CUDACC__)
#define SCREE_HD __host__ __device__ static inline
#elif defined(__GNUC__)
#define SCREE_HD static inline __attribute__((unused))
#else
#define SCREE_HD static inline
#endif

/// For kernels whose sizes are constants at the call: the loops below them unroll.
#if defined(__GNUC__)
#define SCREE_HD_INLINE SCREE_HD __attribute__((always_inline))
#else
#define SCREE_HD_INLINE SCREE_HD
#endif

/// A function with all that it calls inlined: for a kernel with constants, compiled apart from the general one.
#if defined(__GNUC__) && !defined(__CUDACC__)
#define SCREE_FLAT static __attribute__((flatten, noinline))
#else
#define SCREE_FLAT static
#endif

/// For what is called rarely, out of a loop that it would crowd.
#if defined(__CUDACC__)
#define SCREE_HD_RARE __host__ __device__ static
#elif defined(__GNUC__)
#define SCREE_HD_RARE static __attribute__((noinline, unused))
#else
#define SCREE_HD_RARE static
#endif

/// Loops over at most eight, unrolled where the count is a constant. clang does so by itself.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define SCREE_UNROLL _Pragma("GCC unroll 8")
#else
#define SCREE_UNROLL
#endif

/// The C library's INFINITY is a float.
#define SCREE_INFINITY ((double)INFINITY)

#endif
