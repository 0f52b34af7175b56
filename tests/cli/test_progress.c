/* test_progress.c: the line of progress: whole words, and a time left that one can rely on. */
#include "cli/progress.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void a_line_is_cut_between_its_parts(void **state)
{
    (void)state;
    static const char *const part[] = {"[##..]", "t 0.5 of 2 s", "left 0:42", "bodies 1200", "contacts 3600"};
    static const char whole[] = "[##..] t 0.5 of 2 s, left 0:42, bodies 1200, contacts 3600";
    char line[128];
    for (int width = 0; width < 80; ++width) {
        int count = progress_line(line, sizeof line, width, part, 5);
        size_t length = strlen(line);
        assert_true(length <= (size_t)width);
        assert_memory_equal(line, whole, length);
        assert_true(whole[length] == '\0' || whole[length] == ',' || length == 6 || length == 0);
        assert_true(count == 5 || length + 2 + strlen(part[count]) > (size_t)width);
    }
    assert_int_equal(progress_line(line, 20, 80, part, 5), 2); /* no more than there is room for */
}

/// Bodies are poured for half of the run, and each costs as much: what is left goes down from the first line on, and is right to a tenth.
static void the_time_left_does_not_grow_while_pouring(void **state)
{
    (void)state;
    enum { UPDATES = 400 };
    const double until = 2.0, all = 1000.0, cost = 0.01; /* seconds for a body and a second */
    double real = cost * all * (0.5 * until / 2.0 + until / 2.0), before = INFINITY;
    progress p = progress_start(0.0, until, 0.0, 1);
    double begin = p.last;
    for (int k = 1; k <= UPDATES; ++k) { /* equal amounts of wall clock: invert the integral of bodies over time */
        double done = real * k / UPDATES, filling = cost * all * 0.5 * until / 2.0;
        double time =
            done < filling ? sqrt(done / filling) * until / 2.0 : until / 2.0 + (done - filling) / (cost * all);
        double bodies = fmin(all, all * time / (until / 2.0));
        double left = progress_left(&p, begin + done, time, bodies, all - bodies);
        if (k > 2) assert_true(fabs(left - (real - done)) < 0.1 * real);
        if (k > 20) assert_true(left < before * (1.0 + 1e-9));
        before = left;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_cut_between_its_parts),
        cmocka_unit_test(the_time_left_does_not_grow_while_pouring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
