/* pool.c: threads that wait for loops (parallel.h).
 *
 * A loop is a numbered job. Its chunks are dealt out in one run per thread, so that loop after loop over the same data, as the colours
 * of a sweep are, finds them in the cache of the same core; who is through with its own run helps the next. For each run a 64-bit
 * word holds (number of the job, next chunk); a thread takes a chunk by exchanging that word for the one with the next chunk. The
 * exchange fails if the job is another by now, so a thread that comes late cannot touch a later job by mistake, and nobody has to
 * wait for threads that did not come: the caller works too, and returns when all chunks are done.
 *
 *     caller:  writes the job, then the words;  takes chunks;  waits until as many chunks are done as there are
 *     worker:  sees a new word;  reads the job;  takes chunks, if the exchange says that what it read was of that job
 *
 * Who waits spins for a few microseconds (a loop inside a sweep comes back sooner than that), then sleeps on a condition. With more
 * threads than processors nobody spins. Without SCREE_HAVE_THREADS everything runs in the caller's thread. */
#if !defined(_POSIX_C_SOURCE) && !defined(_XOPEN_SOURCE)
#define _POSIX_C_SOURCE 200809L /* sysconf */
#endif

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"

static scree_pool *no_pool(int threads, scree_error *error)
{
    scree_error_set(error, NULL, 0, 0, "no memory for a pool of %d threads", threads);
    error_keep(error, SCREE_ERR_MEMORY);
    return NULL;
}

#if defined(SCREE_HAVE_THREADS)

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { SPINS = 2000, THREADS_MAX = 1024 }; /* a spin is 10 to 40 ns */

typedef struct pool_worker {
    _Alignas(MEMORY_ALIGNMENT) atomic_uint_fast64_t word; /* of its run: number of the job x 2^32 + next chunk */
    scree_pool *pool;
    pthread_t thread;
    int index;          /* 1 .. threads - 1; the caller is 0 */
    atomic_int has_run; /* a chunk */
} pool_worker;

struct scree_pool {
    scree_allocator allocator;
    int threads, spins;
    atomic_int only_own; /* parallel_deal */
    pool_worker *worker; /* (threads) of the first, the caller's, no thread is used */

    /* the job: written by the caller before the words, and not before every chunk of the last one is done */
    _Atomic(parallel_fn *) f;
    _Atomic(void *) context;
    atomic_int count, grain, chunks;
    atomic_uint rounding;                       /* the caller's */
    _Alignas(MEMORY_ALIGNMENT) atomic_int done; /* chunks */

    pthread_mutex_t mutex;
    pthread_cond_t wake, finished;
    atomic_int sleeping, caller_sleeps, stop, busy;
};

static void spin(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
    __asm__ volatile("yield");
#endif
}

/* How numbers are rounded, and whether tiny ones are flushed, is a property of each thread. Results must not depend on which thread computes
 * what, so the threads of a loop take it over from its caller, who may have changed it since they were made. */

static unsigned rounding_now(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_ia32_stmxcsr() & 0xFFC0u; /* without the flags of what has happened */
#else
    return (unsigned)fegetround();
#endif
}

static void rounding_take(unsigned rounding)
{
    if (rounding_now() == rounding) return;
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_ia32_ldmxcsr(rounding);
#else
    (void)fesetround((int)rounding);
#endif
}

static uint32_t job_of(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

/// Adds to the chunks that are done. The last one wakes the caller, if that sleeps.
static void count_done(scree_pool *p, int chunks, int all)
{
    if (atomic_fetch_add(&p->done, chunks) + chunks == all && atomic_load(&p->caller_sleeps)) {
        pthread_mutex_lock(&p->mutex);
        pthread_cond_signal(&p->finished);
        pthread_mutex_unlock(&p->mutex);
    }
}

/// Takes chunks of one run of the current job until there are none left. Returns the word that said so. They are counted at the end,
/// together: the counter is what all threads write to. The job cannot end before that.
static uint64_t work_run(scree_pool *p, int run, int worker)
{
    for (int taken = 0, all = 0;;) {
        atomic_uint_fast64_t *next = &p->worker[run].word;
        uint64_t word = atomic_load_explicit(next, memory_order_acquire);
        parallel_fn *f = atomic_load_explicit(&p->f, memory_order_acquire);
        void *context = atomic_load_explicit(&p->context, memory_order_acquire);
        int count = atomic_load_explicit(&p->count, memory_order_acquire),
            grain = atomic_load_explicit(&p->grain, memory_order_acquire),
            chunks = atomic_load_explicit(&p->chunks, memory_order_acquire);
        int chunk = (int)(uint32_t)word;
        if (chunk >= parallel_run_begin(chunks, p->threads, run + 1)) {
            if (!taken) return word;
            atomic_store_explicit(&p->worker[worker].has_run, 1, memory_order_relaxed); /* before the loop can end */
            count_done(p, taken, all);
            return word;
        }
        uint_fast64_t expected = word;
        if (!atomic_compare_exchange_strong_explicit(next, &expected, word + 1, memory_order_acq_rel,
                                                     memory_order_acquire))
            continue;
        if (!taken && worker > 0) rounding_take(atomic_load_explicit(&p->rounding, memory_order_acquire));
        int begin = chunk * grain;
        f(context, begin, count - begin < grain ? count : begin + grain, chunk, worker);
        ++taken, all = chunks;
    }
}

/// First its own run, then those of the others. Returns the word of its own.
static uint64_t work(scree_pool *p, int worker)
{
    uint64_t word = work_run(p, worker, worker);
    if (atomic_load_explicit(&p->only_own, memory_order_relaxed)) return word;
    for (int k = 1; k < p->threads; ++k) work_run(p, (worker + k) % p->threads, worker);
    return word;
}

/// Until there is a job other than `seen`, or the end.
static void wait_for_job(scree_pool *p, const pool_worker *w, uint32_t seen)
{
    for (int i = 0; i < p->spins; ++i) {
        if (job_of(atomic_load_explicit(&w->word, memory_order_acquire)) != seen) return;
        spin();
    }
    pthread_mutex_lock(&p->mutex);
    atomic_fetch_add(&p->sleeping, 1); /* before looking once more: the caller writes the word before it looks here */
    while (job_of(atomic_load(&w->word)) == seen && !atomic_load(&p->stop)) pthread_cond_wait(&p->wake, &p->mutex);
    atomic_fetch_sub(&p->sleeping, 1);
    pthread_mutex_unlock(&p->mutex);
}

static void *worker_main(void *argument)
{
    pool_worker *w = argument;
    uint32_t seen = 0;
    while (!atomic_load(&w->pool->stop)) {
        wait_for_job(w->pool, w, seen);
        seen = job_of(work(w->pool, w->index));
    }
    return NULL;
}

static void wait_until_done(scree_pool *p, int chunks)
{
    for (int i = 0; i < p->spins; ++i) {
        if (atomic_load_explicit(&p->done, memory_order_acquire) == chunks) return;
        spin();
    }
    pthread_mutex_lock(&p->mutex);
    atomic_store(&p->caller_sleeps, 1);
    while (atomic_load(&p->done) != chunks) pthread_cond_wait(&p->finished, &p->mutex);
    atomic_store(&p->caller_sleeps, 0);
    pthread_mutex_unlock(&p->mutex);
}

static void run_shared(scree_pool *p, int count, int grain, parallel_fn *f, void *context)
{
    int chunks = parallel_chunks(count, grain), was_busy = atomic_exchange(&p->busy, 1);
    SCREE_ASSERT(!was_busy); /* one caller at a time, and no loop inside a loop */
    (void)was_busy;
    uint64_t job = job_of(atomic_load_explicit(&p->worker[0].word, memory_order_relaxed));
    /* closed first: who reads part of the new job while the word is the old one must fail in the exchange */
    for (int k = 0; k < p->threads; ++k) atomic_store(&p->worker[k].word, job << 32 | INT32_MAX);
    atomic_store_explicit(&p->f, f, memory_order_release);
    atomic_store_explicit(&p->context, context, memory_order_release);
    atomic_store_explicit(&p->count, count, memory_order_release);
    atomic_store_explicit(&p->grain, grain, memory_order_release);
    atomic_store_explicit(&p->rounding, rounding_now(), memory_order_release);
    atomic_store_explicit(&p->chunks, chunks, memory_order_release);
    atomic_store_explicit(&p->done, 0, memory_order_relaxed);
    for (int k = 0; k < p->threads; ++k)
        atomic_store(&p->worker[k].word, (job + 1) << 32 | (uint64_t)parallel_run_begin(chunks, p->threads, k));
    if (atomic_load(&p->sleeping) > 0) {
        pthread_mutex_lock(&p->mutex);
        pthread_cond_broadcast(&p->wake);
        pthread_mutex_unlock(&p->mutex);
    }
    work(p, 0);
    wait_until_done(p, chunks);
    atomic_store(&p->busy, 0);
}

scree_pool *scree_pool_create(int threads, const scree_allocator *allocator, scree_error *error)
{
    if (error_stopped(error)) return NULL;
    scree_allocator a = memory_allocator(allocator);
    if (threads < 1) threads = 1;
    if (threads > THREADS_MAX) threads = THREADS_MAX;
    scree_pool *p = memory_array(&a, 1, sizeof *p);
    if (!p) goto no_memory;
    p->allocator = a, p->threads = 1;
    p->worker = memory_array(&a, (size_t)threads, sizeof *p->worker);
    if (!p->worker || pthread_mutex_init(&p->mutex, NULL)) goto no_mutex;
    if (pthread_cond_init(&p->wake, NULL)) goto no_wake;
    if (pthread_cond_init(&p->finished, NULL)) goto no_finished;
    p->spins = threads <= sysconf(_SC_NPROCESSORS_ONLN) ? SPINS : 0;
    for (int i = 1; i < threads; ++i) {
        p->worker[i].pool = p, p->worker[i].index = i;
        if (pthread_create(&p->worker[i].thread, NULL, worker_main, &p->worker[i])) break; /* those there are will do */
        p->threads = i + 1;
    }
    return p;
no_finished:
    pthread_cond_destroy(&p->wake);
no_wake:
    pthread_mutex_destroy(&p->mutex);
no_mutex:
    memory_free(&a, p->worker);
    memory_free(&a, p);
no_memory:
    return no_pool(threads, error);
}

void scree_pool_destroy(scree_pool *p)
{
    if (!p) return;
    pthread_mutex_lock(&p->mutex);
    atomic_store(&p->stop, 1);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->mutex);
    for (int i = 1; i < p->threads; ++i) pthread_join(p->worker[i].thread, NULL);
    pthread_cond_destroy(&p->wake);
    pthread_cond_destroy(&p->finished);
    pthread_mutex_destroy(&p->mutex);
    scree_allocator a = p->allocator;
    memory_free(&a, p->worker);
    memory_free(&a, p);
}

int scree_pool_threads(const scree_pool *p)
{
    return p ? p->threads : 1;
}

void parallel_deal(scree_pool *p, int only_own)
{
    if (p) atomic_store(&p->only_own, only_own);
}

int parallel_workers(const scree_pool *p)
{
    int count = 0;
    for (int k = 0; p && k < p->threads; ++k) count += atomic_load(&p->worker[k].has_run);
    return count;
}

#else

struct scree_pool {
    scree_allocator allocator;
};

static void run_shared(scree_pool *p, int count, int grain, parallel_fn *f, void *context)
{
    (void)p, (void)count, (void)grain, (void)f, (void)context; /* never called: one thread */
}

scree_pool *scree_pool_create(int threads, const scree_allocator *allocator, scree_error *error)
{
    if (error_stopped(error)) return NULL;
    scree_allocator a = memory_allocator(allocator);
    scree_pool *p = memory_array(&a, 1, sizeof *p);
    if (!p) return no_pool(threads, error);
    p->allocator = a;
    return p;
}

void scree_pool_destroy(scree_pool *p)
{
    if (!p) return;
    scree_allocator a = p->allocator;
    memory_free(&a, p);
}

int scree_pool_threads(const scree_pool *p)
{
    (void)p;
    return 1;
}

void parallel_deal(scree_pool *p, int only_own)
{
    (void)p, (void)only_own;
}

int parallel_workers(const scree_pool *p)
{
    (void)p;
    return 0;
}

#endif

void parallel_for(scree_pool *pool, int count, int grain, parallel_fn *f, void *context)
{
    SCREE_ASSERT(grain > 0);
    if (count > grain && scree_pool_threads(pool) > 1) {
        run_shared(pool, count, grain, f, context);
        return;
    }
    for (int begin = 0, chunk = 0; begin < count; ++chunk) {
        int end = count - begin < grain ? count : begin + grain; /* no overflow near INT_MAX */
        f(context, begin, end, chunk, 0);
        begin = end;
    }
}

void scree_pool_run(scree_pool *pool, int count, int grain, parallel_fn *f, void *context)
{
    parallel_for(pool, count, grain, f, context);
}
