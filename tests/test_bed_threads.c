/* test_bed_threads.c: a bed has the same bytes whatever the number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bed_checks.h"

static void every_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law) {
        grains *g = many(law, DEM_HOOKE, 0.05);
        bed *one = make(g, NULL);
        advance(one, 200);
        assert_true(bed_count(one).rebuilds > 2);
        for (int threads = 2; threads <= 5; threads += 1 + (threads == 3)) {
            scree_pool *pool;
            assert_int_equal(scree_pool_create(threads, NULL, &pool), SCREE_OK);
            bed *b = make(g, pool);
            advance(b, 200);
            assert_same_state(one, b);
            bed_destroy(b), scree_pool_destroy(pool);
        }
        bed_destroy(one), free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_number_of_threads_gives_the_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
