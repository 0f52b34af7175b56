/* test_bed_threads.c: a bed has the same bytes whatever the number of threads, and however its steps are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bed_checks.h"
#include "dem/spheres/bed_parts.h"

/// `one`: of the same grains, after 100 steps of one thread.
static void expect_bits_of_threads(grains *g, bed *one, int threads)
{
    scree_pool *pool = scree_pool_create(threads, NULL, NULL);
    assert_non_null(pool);
    bed *b = make(g, pool);
    advance(b, 100);
    assert_same_state(one, b);
    bed_destroy(b), scree_pool_destroy(pool);
}

static void every_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law) {
        grains *g = crowd(FOUR_CHUNKS, law, DEM_HOOKE, 0.05);
        bed *one = make(g, NULL);
        advance(one, 100);
        assert_true(bed_count(one).rebuilds > 2);
        for (int threads = 2; threads <= 5; threads += SCREE_SAMPLE_SHARE > 1 ? 3 : 1 + (threads == 3))
            expect_bits_of_threads(g, one, threads);
        bed_destroy(one), free(g);
    }
}

/// Grids of several levels, contacts with and without constants of their own.
static void sizes_have_the_same_bits_too(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law) {
        grains *g = crowd_of_sizes(FOUR_CHUNKS, law, DEM_HOOKE);
        g->radius[FOUR_CHUNKS / 2] = 0.05, g->radius[3] = 5.0, g->x[3 * 3 + 2] += 2.5;
        bed *one = make(g, NULL);
        advance(one, 100);
        assert_true(bed_count(one).rebuilds > 2 && one->levels > 2);
        for (int threads = 2; threads <= 3; ++threads) expect_bits_of_threads(g, one, threads);
        bed_destroy(one), free(g);
    }
}

/// Many steps at once load and move chunk by chunk; single steps move all, then load all.
static void many_steps_at_once_are_as_many_single_ones(void **state)
{
    (void)state;
    grains *g = crowd(FOUR_CHUNKS, BED_SDS, DEM_HOOKE, 0.05);
    bed *whole = make(g, NULL), *cut = make(g, NULL);
    advance(whole, 80);
    for (int s = 0; s < 80; ++s) advance(cut, 1);
    assert_true(bed_count(whole).touching > FOUR_CHUNKS / 2);
    assert_same_state(whole, cut);
    bed_destroy(whole), bed_destroy(cut), free(g);
}

/// More spheres than a cache has room for: threads fetch what another may be at work on.
static void large_bed(int count, double gap, int least, int most)
{
    scree_pool *pool;
    grains *g = grains_make(count, BED_SDS, DEM_HOOKE, 0.05, gap);
    g->def.chunk = 0;
    pool = scree_pool_create(3, NULL, NULL);
    assert_non_null(pool);
    bed *one = make(g, NULL), *three = make(g, pool);
    advance(one, 12), advance(three, 12);
    assert_in_range(bed_count(one).touching, least, most);
    assert_same_state(one, three);
    bed_destroy(one), bed_destroy(three), scree_pool_destroy(pool), free(g);
}

/// The dense one has the larger chunks; of the other most spheres touch none, and their records are fetched ahead.
static void a_large_bed_has_the_same_bits(void **state)
{
    (void)state;
    large_bed(GRAINS_MAX, -0.005, GRAINS_MAX / 2, 4 * GRAINS_MAX);
    large_bed(BED_CACHED + 1000, 0.05, 100, BED_CACHED / 4);
}

/// One thread has few chunks. Threads that come later want more, and get them with the next step; that cannot be seen.
static void more_threads_later_have_more_chunks_and_the_same_bits(void **state)
{
    (void)state;
    grains *g = crowd(FOUR_CHUNKS, BED_TRACKED, DEM_HOOKE, 0.05), *h = crowd(FOUR_CHUNKS, BED_TRACKED, DEM_HOOKE, 0.05);
    g->def.chunk = 0, h->def.chunk = 684;
    scree_pool *pool = scree_pool_create(3, NULL, NULL);
    assert_non_null(pool);
    bed *grows = make(g, NULL), *same = make(h, NULL);
    assert_true(grows->chunks == 2 && same->chunks == 6);
    advance(grows, 30), advance(same, 30);
    assert_int_equal(bed_set_pool(grows, pool), SCREE_OK);
    advance(grows, 1), advance(same, 1);
    assert_int_equal(grows->chunks, 6);
    assert_int_equal(bed_set_pool(grows, NULL), SCREE_OK); /* what was cut stays so */
    advance(grows, 40), advance(same, 40);
    assert_int_equal(grows->chunks, 6);
    assert_same_state(grows, same);
    bed_destroy(grows), bed_destroy(same), scree_pool_destroy(pool), free(g), free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_threads_later_have_more_chunks_and_the_same_bits),
        cmocka_unit_test(every_number_of_threads_gives_the_same_bits), cmocka_unit_test(sizes_have_the_same_bits_too),
        cmocka_unit_test(many_steps_at_once_are_as_many_single_ones), cmocka_unit_test(a_large_bed_has_the_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
