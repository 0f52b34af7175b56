/* test_threads.c: the pool of threads, and what runs on it: same bits for any number of threads. Also run under ThreadSanitizer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/parallel.h"
#include "failing_allocator.h"
#include "problems.h"
#include "solvers/solver_private.h"
#include "try.h"

#include <fenv.h>
#include <scree/solver.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 1000 };

typedef struct visits {
    int times[COUNT]; /* each index is in one chunk, each chunk in one thread: no two threads write one entry */
    int chunk[COUNT], worker[COUNT];
    int threads;
} visits;

static void visit(void *context, int begin, int end, int chunk, int worker)
{
    visits *v = context;
    for (int i = begin; i < end; ++i) v->times[i] += 1, v->chunk[i] = chunk, v->worker[i] = worker;
}

static void every_index_is_visited_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 5; ++threads) {
        scree_pool *pool = scree_pool_create(threads, NULL, NULL);
        assert_non_null(pool);
        assert_true(scree_pool_threads(pool) >= 1 && scree_pool_threads(pool) <= threads);
        for (int count = 0; count <= COUNT; count += 37)
            for (int grain = 1; grain <= 64; grain *= 4) {
                visits v = {.threads = threads};
                parallel_for(pool, count, grain, visit, &v);
                for (int i = 0; i < COUNT; ++i) {
                    assert_int_equal(v.times[i], i < count);
                    if (i >= count) continue;
                    assert_int_equal(v.chunk[i], i / grain);
                    assert_in_range(v.worker[i], 0, threads - 1);
                }
            }
        scree_pool_destroy(pool);
    }
}

static void thirds(void *context, int begin, int end, int chunk, int worker)
{
    volatile double *third = context, one = 1.0, three = 3.0;
    (void)chunk, (void)worker;
    for (int i = begin; i < end; ++i) third[i] = one / three;
}

static void threads_round_as_their_caller_does(void **state)
{
    (void)state;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TONEAREST};
    scree_pool *pool = scree_pool_create(4, NULL, NULL);
    double third[3][COUNT];
    parallel_for(pool, COUNT, 10, thirds, third[0]); /* once as they were made */
    for (int m = 0; m < 3; ++m) {
        fesetround(modes[m]);
        parallel_deal(pool, 1);
        parallel_for(pool, COUNT, 10, thirds, third[m]);
        parallel_deal(pool, 0);
        fesetround(FE_TONEAREST);
        for (int i = 1; i < COUNT; ++i) assert_true(third[m][i] == third[m][0]);
    }
    assert_true(third[0][0] > third[1][0] && third[2][0] >= third[1][0] && third[2][0] <= third[0][0]);
    scree_pool_destroy(pool);
}

typedef struct chain {
    double from[COUNT], to[COUNT];
} chain;

static void average(void *context, int begin, int end, int chunk, int worker)
{
    chain *c = context;
    (void)chunk, (void)worker;
    for (int i = begin; i < end; ++i) c->to[i] = 0.5 * (c->from[(i + COUNT - 1) % COUNT] + c->from[(i + 1) % COUNT]);
}

/// Loops that read what the last one has written in other threads, some at once after it and some when the threads are asleep.
static void a_loop_sees_what_the_one_before_it_wrote(void **state)
{
    (void)state;
    static chain one, many;
    for (int threads = 2; threads <= 5; ++threads) {
        scree_pool *pool = scree_pool_create(threads, NULL, NULL);
        assert_non_null(pool);
        for (int i = 0; i < COUNT; ++i) one.from[i] = many.from[i] = i * i % 17;
        for (int loop = 0; loop < 2000; ++loop) {
            parallel_for(NULL, COUNT, 100, average, &one);
            parallel_for(pool, COUNT, 10 + loop % 90, average, &many);
            memcpy(one.from, one.to, sizeof one.to), memcpy(many.from, many.to, sizeof many.to);
            if (loop % 400 == 0) nanosleep(&(struct timespec){0, 2000000}, NULL);
        }
        assert_memory_equal(one.from, many.from, sizeof one.from);
        scree_pool_destroy(pool);
    }
}

static void sleeping_threads_use_no_processor(void **state)
{
    (void)state;
    scree_pool *pool;
    static visits v;
    pool = scree_pool_create(2, NULL, NULL);
    assert_non_null(pool);
    parallel_for(pool, COUNT, 10, visit, &v);
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    clock_t before = clock(); /* of all threads of this process */
    nanosleep(&(struct timespec){0, 200000000}, NULL);
    double used = (double)(clock() - before) / CLOCKS_PER_SEC;
    assert_true(used < 0.1); /* a burning thread would use 0.2 s, or what a busy machine gives it */
    scree_pool_destroy(pool);
}

static void a_pool_survives_failing_allocations(void **state)
{
    (void)state;
    for (int n = 0;; ++n) {
        failing f = {.left = n};
        scree_allocator a = failing_allocator(&f);
        scree_error error = {0};
        scree_pool *pool = scree_pool_create(3, &a, &error);
        assert_int_equal(error.status, pool ? SCREE_OK : SCREE_ERR_MEMORY);
        scree_pool_destroy(pool);
        assert_int_equal(f.live, 0);
        if (pool) break;
    }
}

/* ---- solvers ------------------------------------------------------------------------------------------------------------ */

static void solve(scree_pool *pool, scree_problem *problem, const scree_solver_options *options, double *p)
{
    scree_solver *solver;
    memset(p, 0, (size_t)problem->row_count * sizeof *p);
    assert_int_equal(solver_create_in(pool, problem, options, NULL, &solver, NULL), SCREE_OK);
    solver_solve(solver, problem, p);
    scree_solver_destroy(solver);
}

static void sweeps_give_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    pile_def def = pile_def_default();
    def.grains = 1500, def.spread = 0.2;
    scree_problem *problem = problem_of_pile(&def);
    size_t n = (size_t)problem->row_count;
    double *one = calloc(n, sizeof *one), *many = calloc(n, sizeof *many);
    scree_solver_options options = scree_solver_options_default();
    options.name = "momentum", options.max_iterations = 40, options.tolerance = 1e-14;
    solve(NULL, problem, &options, one);
    for (int threads = 2; threads <= 5; threads += SCREE_SAMPLE_SHARE > 1 ? 3 : 1) {
        scree_pool *pool;
        options.threads = threads; /* of its own */
        solve(NULL, problem, &options, many);
        assert_memory_equal(one, many, n * sizeof *one);
        pool = scree_pool_create(threads, NULL, NULL);
        assert_non_null(pool);
        options.threads = 1;
        solve(pool, problem, &options, many); /* lent, twice */
        solve(pool, problem, &options, many);
        assert_memory_equal(one, many, n * sizeof *one);
        scree_pool_destroy(pool);
    }
    free(one), free(many);
    scree_problem_destroy(problem);
}

/// Contacts of rigid bodies that are no spheres, and the same with W assembled: coloured sweeps of momentum and nsgs.
static void coloured_sweeps_over_any_bodies_too(void **state)
{
    (void)state;
    static const char *const methods[] = {"momentum", "nsgs", "nsgs"};
    pile_def def = pile_def_default();
    def.grains = 400, def.spread = 0.2;
    scree_problem *rigid = problem_of_pile(&def), *assembled;
    for (int c = 0; c < rigid->contact_count; ++c) rigid->rigid[c].arm_b[c % 3] += 0.1;
    assert_true(rigid->contact_count > 1000);
    assert_int_equal(try_problem_assemble(rigid, NULL, &assembled), SCREE_OK);
    size_t n = (size_t)rigid->row_count;
    double *one = calloc(n, sizeof *one), *many = calloc(n, sizeof *many);
    for (int form = 0; form < 2; ++form)
        for (int i = 0; i < 3; ++i) {
            scree_solver_options options = scree_solver_options_default();
            options.name = methods[i], options.max_iterations = 10, options.tolerance = 1e-14;
            if (i == 2) options.freeze = 1e-2, options.shuffle = 1;
            solve(NULL, form ? assembled : rigid, &options, one);
            for (options.threads = 2; options.threads <= 5; options.threads += SCREE_SAMPLE_SHARE > 1 ? 3 : 1) {
                solve(NULL, form ? assembled : rigid, &options, many);
                assert_memory_equal(one, many, n * sizeof *one);
            }
        }
    free(one), free(many);
    scree_problem_destroy(rigid), scree_problem_destroy(assembled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_is_visited_once),
        cmocka_unit_test(threads_round_as_their_caller_does),
        cmocka_unit_test(a_loop_sees_what_the_one_before_it_wrote),
        cmocka_unit_test(sleeping_threads_use_no_processor),
        cmocka_unit_test(a_pool_survives_failing_allocations),
        cmocka_unit_test(sweeps_give_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(coloured_sweeps_over_any_bodies_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
