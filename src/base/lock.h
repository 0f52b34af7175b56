/* lock.h: a mutex, or nothing in a build without threads. For what a const object must share between threads: short, rarely contended. */
#ifndef SCREE_BASE_LOCK_H
#define SCREE_BASE_LOCK_H

#if defined(SCREE_HAVE_THREADS)

#include <pthread.h>

typedef pthread_mutex_t lock;
#define LOCK_INITIAL PTHREAD_MUTEX_INITIALIZER

static inline int lock_create(lock *l)
{
    return pthread_mutex_init(l, NULL) == 0;
}

static inline void lock_destroy(lock *l)
{
    pthread_mutex_destroy(l);
}

static inline void lock_take(lock *l)
{
    pthread_mutex_lock(l);
}

static inline void lock_release(lock *l)
{
    pthread_mutex_unlock(l);
}

#else

typedef int lock;
#define LOCK_INITIAL 0

static inline int lock_create(lock *l)
{
    *l = 0;
    return 1;
}

static inline void lock_destroy(lock *l)
{
    (void)l;
}

static inline void lock_take(lock *l)
{
    (void)l;
}

static inline void lock_release(lock *l)
{
    (void)l;
}

#endif
#endif
