/* base.h: the three channels (status, outcome, assert), allocator, error object, threads, version.
 *
 *   status    could the world be at fault (a file, memory, input)?  A function returns scree_status and fills a scree_error.
 *   outcome   did the mathematics end early?  It is in the result; it is not an error.
 *   assert    is our code, or the caller's, wrong?  SCREE_ASSERT.
 *
 * The library never prints and never exits.
 *
 * Thread safety: any thread may call what is here; one scree_error or pool serves one thread at a time. The assert handler is atomic. */
#ifndef SCREE_BASE_H
#define SCREE_BASE_H

#include <stddef.h>
#include <stdint.h>

#define SCREE_VERSION_MAJOR  0
#define SCREE_VERSION_MINOR  2
#define SCREE_VERSION_PATCH  0
#define SCREE_VERSION_STRING "0.2.0"

#if defined(_WIN32)
#define SCREE_API
#elif defined(__GNUC__)
#define SCREE_API __attribute__((visibility("default")))
#else
#define SCREE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status: what the world did to us ------------------------------------------------------------------------- */

typedef enum scree_status {
    SCREE_OK = 0,
    SCREE_ERR_INPUT,       /* the content is wrong: a file's text, a value out of range                            */
    SCREE_ERR_FILE,        /* a file is not there, is a folder, or may not be read                                 */
    SCREE_ERR_MEMORY,      /* the allocator returned NULL                                                          */
    SCREE_ERR_UNSUPPORTED, /* the method does not take this cone, law or problem, or was not built in              */
    SCREE_ERR_STEP,        /* the time step is beyond the critical one: soft contacts would be unstable            */
    SCREE_ERR_SOLVER,      /* the solver of a step did not converge, and the stepper was told to stop there         */
    SCREE_ERR_RUNAWAY,     /* the state of a body is no longer finite, or it is faster than the world's speed limit */
    SCREE_ERR_WRITE,       /* a file or folder cannot be made or written: a full disk, no permission               */
    SCREE_ERR_READ,        /* a file is there, and reading it failed: a sick disk, no file handles left             */
    SCREE_ERR_DEVICE,  /* the device that steps soft contacts (a GPU) is missing, or failed                           */
    SCREE_STATUS_COUNT /* how many there are */
} scree_status;

/// One code per cause: what to do about it follows from the code alone. "ok", "bad input", ...; the exit status that the command
/// `scree` gives for each is in docs/embedding.md.
SCREE_API const char *scree_status_name(scree_status status);

/// Whether, where and why something failed. Owned by the caller and zeroed before its first use; functions that take one accept NULL.
/// It is sticky: once `status` is set, functions that take it as their last argument do nothing and return at once, with that status, NULL
/// or the null id. So a program may build a whole world and check once, at the end. To use it again, zero it.
typedef struct scree_error {
    char file[512];      /* path, or HDF5 path after '::'; "" when the input has no name  */
    int line;            /* 1-based; 0: none                                              */
    int column;          /* 1-based; 0: none                                              */
    char text[512];      /* what is wrong, and what was expected                          */
    scree_status status; /* SCREE_OK: nothing has failed so far                           */
} scree_error;

/// Fills `error` (NULL is allowed) with printf-formatted text, in which control characters (but newline and tab) are replaced by "?": files may
/// hold anything, and terminals obey. `file` may be NULL.
SCREE_API void scree_error_set(scree_error *error, const char *file, int line, int column, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 5, 6)))
#endif
    ;

/// Writes "file:line:column: error: text" into `buffer`, leaving out what is unknown; returns `buffer`.
SCREE_API char *scree_error_format(const scree_error *error, char *buffer, size_t size);

/* ---- outcome: how the mathematics ended ----------------------------------------------------------------------- */

typedef enum scree_outcome {
    SCREE_OUTCOME_CONVERGED = 0,
    SCREE_OUTCOME_STALLED,        /* no more progress, tolerance not reached   */
    SCREE_OUTCOME_MAX_ITERATIONS, /* out of iterations                         */
    SCREE_OUTCOME_INTERRUPTED,    /* the caller's callback or time limit       */
    SCREE_OUTCOME_DIVERGED,       /* the residual or the reactions grew without bound, or NaN */
    SCREE_OUTCOME_INFEASIBLE      /* proved: there is no solution              */
} scree_outcome;

/// "converged", "stalled", "max_iterations", "interrupted", "diverged", "infeasible".
SCREE_API const char *scree_outcome_name(scree_outcome outcome);

/* ---- assert: a bug in the code -------------------------------------------------------------------------------- */

typedef void scree_assert_fn(const char *expression, const char *file, int line);

/// Replaces what a failed SCREE_ASSERT calls (default: abort). NULL restores the default. Global, and atomic.
SCREE_API void scree_set_assert_handler(scree_assert_fn *handler);
SCREE_API void scree_assert_failed(const char *expression, const char *file, int line);

#if defined(SCREE_NO_ASSERT)
#define SCREE_ASSERT(expression) ((void)0)
#else
#define SCREE_ASSERT(expression) ((expression) ? (void)0 : scree_assert_failed(#expression, __FILE__, __LINE__))
#endif

/// Every options struct starts with this; its default function sets it. A zeroed struct is a bug, not a setting.
#define SCREE_COOKIE 0x53435245u

/* ---- memory ---------------------------------------------------------------------------------------------------- */

/// Where memory comes from. `alloc` returns NULL when there is none; alignment is a power of two. `free(NULL)` is a no-op.
typedef struct scree_allocator {
    void *(*alloc)(size_t size, size_t alignment, void *context);
    void (*free)(void *memory, void *context);
    void *context;
} scree_allocator;

/// aligned_alloc and free of the C library. Functions that take an allocator take NULL for it.
SCREE_API scree_allocator scree_allocator_default(void);

/* ---- threads --------------------------------------------------------------------------------------------------- */

/// Worker threads that sleep until there is work. What takes a pool takes NULL for one thread. No result depends on it.
/// A pool serves one caller at a time.
typedef struct scree_pool scree_pool;

/// `threads` counts the caller: 1 (or a build without threads) makes a pool that does everything in the caller's thread.
SCREE_API scree_pool *scree_pool_create(int threads, const scree_allocator *allocator, scree_error *error);
SCREE_API void scree_pool_destroy(scree_pool *pool);
SCREE_API int scree_pool_threads(const scree_pool *pool); /* NULL: 1 */

/// Calls work(context, begin, end, chunk, worker) for 0 .. count - 1 in chunks of `grain`, spread over the threads; returns when all
/// are done. chunk is begin / grain, worker 0 .. threads - 1.
SCREE_API void scree_pool_run(scree_pool *pool, int count, int grain,
                              void (*work)(void *context, int begin, int end, int chunk, int worker), void *context);

/* ---- messages and time ------------------------------------------------------------------------------------------ */

/// The word nearest to a mistyped one, for messages; NULL if none is near. Insertions, deletions, substitutions and swaps of neighbours
/// count 1 each, capitals are ignored, and at most a third of the longer word may differ. Words of more than 32 bytes have no neighbours.
SCREE_API const char *scree_suggest(const char *word, const char *const *words, int count);

/// Wall-clock time [s] since 1970, for time limits and reports.
SCREE_API double scree_clock_seconds(void);

/* ---- version --------------------------------------------------------------------------------------------------- */

/// "0.2.0": the version of the library in use, to compare with SCREE_VERSION_STRING of the headers.
SCREE_API const char *scree_version(void);

#ifdef __cplusplus
}
#endif
#endif
