#include <scree/base.h>

#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(scree_assert_fn *) current_handler; /* NULL: abort. Atomic, since any thread may fail an assert. */

void scree_set_assert_handler(scree_assert_fn *handler)
{
    atomic_store(&current_handler, handler);
}

void scree_assert_failed(const char *expression, const char *file, int line)
{
    scree_assert_fn *handler = atomic_load(&current_handler);
    if (!handler) abort();
    handler(expression, file, line);
}
