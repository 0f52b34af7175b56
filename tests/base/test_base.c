/* test_base.c: the three channels, the default allocator and the log hook keep what base.h says about them; hashes keep their values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <scree/base.h>

#include "base/cpu.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "failing_allocator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------------------------- */

static void every_status_and_outcome_has_its_own_name(void **state)
{
    (void)state;
    for (int i = SCREE_OK; i < SCREE_STATUS_COUNT; ++i)
        for (int j = SCREE_OK; j < i; ++j)
            assert_string_not_equal(scree_status_name((scree_status)i), scree_status_name((scree_status)j));
    assert_string_equal(scree_status_name(SCREE_OK), "ok");
    assert_string_equal(scree_status_name(SCREE_ERR_INPUT), "bad input");

    static const char *const outcomes[] = {"converged",   "stalled",  "max_iterations",
                                           "interrupted", "diverged", "infeasible"};
    for (int i = SCREE_OUTCOME_CONVERGED; i <= SCREE_OUTCOME_INFEASIBLE; ++i)
        assert_string_equal(scree_outcome_name((scree_outcome)i), outcomes[i]);
}

static void library_and_headers_have_one_version(void **state)
{
    (void)state;
    char numbers[32];
    snprintf(numbers, sizeof numbers, "%d.%d.%d", SCREE_VERSION_MAJOR, SCREE_VERSION_MINOR, SCREE_VERSION_PATCH);
    assert_string_equal(scree_version(), SCREE_VERSION_STRING);
    assert_string_equal(scree_version(), numbers);
}

/* ---- errors ---------------------------------------------------------------------------------------------------- */

static void error_format_leaves_out_what_is_unknown(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        int line, column;
        const char *expected;
    } cases[] = {
        {"a.yaml", 3, 7, "a.yaml:3:7: error: mu is -1"},
        {"a.yaml", 3, 0, "a.yaml:3: error: mu is -1"},
        {"a.yaml", 0, 0, "a.yaml: error: mu is -1"},
        {"a.yaml", 0, 7, "a.yaml: error: mu is -1"}, /* a column without a line says nothing */
        {NULL, 3, 7, "3:7: error: mu is -1"},
        {NULL, 0, 0, "error: mu is -1"},
        {"f.hdf5::/fclib_local/W", 0, 0, "f.hdf5::/fclib_local/W: error: mu is -1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        scree_error e = {0};
        char buffer[128];
        scree_error_set(&e, cases[i].file, cases[i].line, cases[i].column, "%s is %d", "mu", -1);
        assert_ptr_equal(scree_error_format(&e, buffer, sizeof buffer), buffer);
        assert_string_equal(buffer, cases[i].expected);
    }
}

static void error_set_takes_null_and_its_own_fields(void **state)
{
    (void)state;
    scree_error_set(NULL, "a.yaml", 1, 1, "nobody listens to %d", 7);

    scree_error e = {0};
    scree_error_set(&e, "inner.yaml", 4, 2, "no such key");
    scree_error_set(&e, e.file, e.line, e.column, "%s (in %s)", e.text, e.file);
    assert_string_equal(e.text, "no such key (in inner.yaml)");
    assert_string_equal(e.file, "inner.yaml");
    assert_int_equal(e.line, 4);
    assert_int_equal(e.column, 2);
}

static void an_error_has_no_control_characters(void **state)
{
    (void)state;
    scree_error e = {0};
    scree_error_set(&e, "a\033[2J.yaml", 1, 1, "found '%s'", "\x15\x7f\xc2\x9b\xc2\033\t\xc3\xa9\r\n");
    assert_string_equal(e.file, "a?[2J.yaml");
    assert_string_equal(e.text, "found '??????\t\xc3\xa9?\n'");
}

static void error_survives_any_length(void **state)
{
    (void)state;
    char longer[5000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    scree_error e = {0};
    scree_error_set(&e, longer, INT32_MAX, INT32_MAX, "%s", longer);
    assert_int_equal(strlen(e.file), sizeof e.file - 1);
    assert_int_equal(strlen(e.text), sizeof e.text - 1);

    char whole[2048];
    scree_error_format(&e, whole, sizeof whole);
    size_t length = strlen(e.file) + strlen(":2147483647:2147483647: error: ") + strlen(e.text);
    assert_int_equal(strlen(whole), length);

    /* Into every smaller buffer: a prefix, terminated, and the byte behind the buffer is left alone. */
    for (size_t size = 0; size <= length; ++size) {
        char small[2048];
        memset(small, '#', sizeof small);
        assert_ptr_equal(scree_error_format(&e, small, size), small);
        if (size > 0) {
            assert_int_equal(strlen(small), size - 1);
            assert_memory_equal(small, whole, size - 1);
        }
        assert_int_equal(small[size], '#');
    }
    scree_error_format(NULL, whole, sizeof whole);
    assert_string_equal(whole, "");
}

static void cutting_never_splits_a_character(void **state)
{
    (void)state;
    /* µ is 2 bytes, € is 3: any cut must leave whole ones, and as many as fit. */
    static const char text[] = "a\xC2\xB5\xE2\x82\xACz";
    static const char *const expected[] = {
        NULL, "", "a", "a", "a\xC2\xB5", "a\xC2\xB5", "a\xC2\xB5", "a\xC2\xB5\xE2\x82\xAC", text};
    for (size_t size = 1; size < sizeof expected / sizeof expected[0]; ++size) {
        char buffer[16];
        text_copy(buffer, size, text);
        assert_string_equal(buffer, expected[size]);
    }

    /* The same where printf itself runs out of room: 1023 bytes hold 511 two-byte characters. */
    char many[4 * TEXT_MAX];
    for (size_t i = 0; i + 2 < sizeof many; i += 2) memcpy(many + i, "\xC2\xB5", 3);
    scree_error e = {0};
    scree_error_set(&e, many, 0, 0, "%s", many);
    assert_int_equal(strlen(e.text), (sizeof e.text - 1) / 2 * 2);
    assert_int_equal(strlen(e.file), (sizeof e.file - 1) / 2 * 2);
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

static void default_allocator_gives_what_was_asked(void **state)
{
    (void)state;
    scree_allocator a = scree_allocator_default();
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2)
        for (size_t size = 0; size <= 200; size += 25) {
            unsigned char *memory = a.alloc(size, alignment, a.context);
            assert_non_null(memory); /* size 0 included: NULL means no memory, nothing else */
            assert_int_equal((uintptr_t)memory % alignment, 0);
            memset(memory, 0xA5, size);
            a.free(memory, a.context);
        }
    a.free(NULL, a.context);
}

/// Whether the kernel has been asked for huge pages at this address ("hg" among the flags of its mapping); -1: it does not say.
static int asked_for_huge_pages(const void *at)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512];
    int here = 0, asked = -1;
    while (maps && asked < 0 && fgets(line, sizeof line, maps)) {
        char *dash;
        unsigned long long begin = strtoull(line, &dash, 16); /* a mapping's first line: begin-end flags .. */
        if (*dash == '-') here = (uintptr_t)at >= begin && (uintptr_t)at < strtoull(dash + 1, NULL, 16);
        else if (here && strncmp(line, "VmFlags:", 8) == 0) asked = strstr(line, " hg") != NULL;
    }
    if (maps) fclose(maps);
    return asked;
}

static void large_blocks_ask_for_huge_pages(void **state)
{
    (void)state;
    FILE *support = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    if (!support) skip(); /* not Linux, or a kernel without them */
    fclose(support);
    const size_t size = ((size_t)9 << 20) + 1;
    scree_allocator a = scree_allocator_default();
    unsigned char *memory = a.alloc(size, 64, a.context);
    assert_non_null(memory);
    memset(memory, 0xA5, size);
    assert_int_not_equal(asked_for_huge_pages(memory + size / 2), 0);
    a.free(memory, a.context);
}

static void sizes_that_overflow_give_null(void **state)
{
    (void)state;
    scree_allocator a = scree_allocator_default();
    assert_null(a.alloc(SIZE_MAX, 64, a.context)); /* rounding up to 64 would wrap to 0 */
    assert_null(a.alloc(SIZE_MAX - 62, 64, a.context));
    assert_null(a.alloc((size_t)PTRDIFF_MAX, 1, a.context));
    assert_null(memory_array(NULL, SIZE_MAX / 8 + 1, 8)); /* the product would wrap to 0 */
    assert_null(memory_array(NULL, SIZE_MAX / 2, 3));
}

static void arrays_come_zeroed_from_the_callers_allocator(void **state)
{
    (void)state;
    failing c = {.left = 1};
    scree_allocator a = failing_allocator(&c);
    double *x = memory_array(&a, 37, sizeof *x);
    assert_non_null(x);
    assert_int_equal((uintptr_t)x % MEMORY_ALIGNMENT, 0);
    for (int i = 0; i < 37; ++i) assert_true(x[i] == 0.0);
    assert_null(memory_array(&a, 1, 1)); /* the second one fails, and says so */
    assert_int_equal(c.live, 1);
    memory_free(&a, x);
    memory_free(&a, NULL);
    assert_int_equal(c.live, 0);
    assert_int_equal(c.freed, 1); /* NULL is not handed on */
}

/* ---- assert ---------------------------------------------------------------------------------------------------- */

static int failures;
static char failed_expression[64], failed_file[256];
static int failed_line;

static void note_failure(const char *expression, const char *file, int line)
{
    failures += 1;
    snprintf(failed_expression, sizeof failed_expression, "%s", expression);
    snprintf(failed_file, sizeof failed_file, "%s", file);
    failed_line = line;
}

static void assert_handler_learns_what_failed_and_where(void **state)
{
    (void)state;
    int evaluated = 0;
    failures = 0;
    scree_set_assert_handler(note_failure);
    SCREE_ASSERT(++evaluated == 1);
    assert_int_equal(failures, 0);
    SCREE_ASSERT(evaluated > 3);
    int line = __LINE__ - 1;
    scree_set_assert_handler(NULL);

    assert_int_equal(evaluated, 1);
    assert_int_equal(failures, 1);
    assert_string_equal(failed_expression, "evaluated > 3");
    assert_string_equal(failed_file, __FILE__);
    assert_int_equal(failed_line, line);
}

static void every_status_and_outcome_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(scree_status_name(SCREE_ERR_UNSUPPORTED), "unsupported");
    assert_string_equal(scree_status_name((scree_status)99), "unknown status");
    assert_string_equal(scree_outcome_name(SCREE_OUTCOME_INFEASIBLE), "infeasible");
    assert_string_equal(scree_outcome_name((scree_outcome)99), "unknown outcome");
}

/* ---- hashes ---------------------------------------------------------------------------------------------------- */

/* Expected numbers: from the definition in hash.c, evaluated in whole numbers of any length. */

static void products_fold_alike_with_and_without_a_wide_type(void **state)
{
    (void)state;
    static const uint64_t cases[][3] = {
        {0, UINT64_MAX, 0},
        {UINT64_MAX, UINT64_MAX, UINT64_MAX},
        {UINT64_MAX, UINT64_C(0xffffffff00000001), UINT64_MAX},
        {UINT64_C(0x8000000000000000), 2, 1},
        {UINT64_C(0xffffffff), UINT64_C(0xffffffff), UINT64_C(0xfffffffe00000001)},
        {UINT64_C(0x100000000), UINT64_C(0x100000000), 1},
        {UINT64_C(0xdeadbeefcafebabe), UINT64_C(0x0123456789abcdef), UINT64_C(0x7e4bd22a04f6dd7f)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_true(hash_fold(cases[i][0], cases[i][1]) == cases[i][2]);
        assert_true(hash_fold_halves(cases[i][0], cases[i][1]) == cases[i][2]);
    }
    uint64_t a = 1, b = 2;
    for (int k = 0; k < 10000; ++k) {
        a = hash_mix(a), b = hash_mix(b ^ a);
        assert_true(hash_fold(a, b) == hash_fold_halves(a, b));
    }
}

static void bytes_have_the_hashes_that_files_hold(void **state)
{
    (void)state;
    const uint64_t seed = UINT64_C(0x123456789abcdef), one = 1;
    static const struct {
        size_t size;
        uint64_t from_zero, from_seed;
    } cases[] = {
        {0, UINT64_C(0x2b5840ee88a2b24c), UINT64_C(0x49fce81fe2cd3f84)},
        {1, UINT64_C(0xb6a46f621d1ab35c), UINT64_C(0x575d583e129b2d34)},
        {7, UINT64_C(0x976b9a9bd8942d53), UINT64_C(0xf09c9aa7df6088ef)},
        {8, UINT64_C(0x0f2f9584dcd44bf6), UINT64_C(0x0267214d4a8488d2)},
        {31, UINT64_C(0x9e629f68f92dae63), UINT64_C(0x324f0c86430a2b88)},
        {32, UINT64_C(0x043597b00af94520), UINT64_C(0xea7eda12fa8d8404)},
        {100, UINT64_C(0x69b387c26026cfb7), UINT64_C(0xb522a8c6284ae2d6)},
    };
    unsigned char bytes[100];
    if (*(const unsigned char *)&one == 0) skip(); /* the other byte order has hashes of its own */
    for (size_t k = 0; k < sizeof bytes; ++k) bytes[k] = (unsigned char)(7 * k + 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_true(hash_bytes(0, bytes, cases[i].size) == cases[i].from_zero);
        assert_true(hash_bytes(seed, bytes, cases[i].size) == cases[i].from_seed);
    }
}

/// A processor that lacks one feature of a level gets the one below: whichever it is.
static void a_kernel_needs_every_feature_of_its_level(void **state)
{
    (void)state;
    assert_int_equal(cpu_level_of(CPU_V4_FEATURES), CPU_V4);
    assert_int_equal(cpu_level_of(CPU_V3_FEATURES), CPU_V3);
    assert_int_equal(cpu_level_of(0), CPU_BASE);
    for (unsigned bit = 1; bit <= CPU_AVX512CD; bit *= 2) {
        const unsigned lacks = CPU_V4_FEATURES & ~bit;
        assert_int_equal(cpu_level_of(lacks), bit & CPU_V3_FEATURES ? CPU_BASE : CPU_V3);
        assert_int_equal(cpu_level_of(lacks & CPU_V3_FEATURES), bit & CPU_V3_FEATURES ? CPU_BASE : CPU_V3);
    }
    assert_int_equal(cpu_best(), cpu_level_of(cpu_features()));
}

static void kernels_are_listed_from_the_best_level_down_to_the_base(void **state)
{
    (void)state;
    const int best = (int)cpu_best();
    for (int k = 0; k <= best; ++k) assert_int_equal(cpu_level_at(k), best - k);
    assert_int_equal(cpu_level_at(best), CPU_BASE);
    assert_int_equal(cpu_level_at(best + 1), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_needs_every_feature_of_its_level),
        cmocka_unit_test(kernels_are_listed_from_the_best_level_down_to_the_base),
        cmocka_unit_test(every_status_and_outcome_has_a_name),
        cmocka_unit_test(every_status_and_outcome_has_its_own_name),
        cmocka_unit_test(library_and_headers_have_one_version),
        cmocka_unit_test(error_format_leaves_out_what_is_unknown),
        cmocka_unit_test(error_set_takes_null_and_its_own_fields),
        cmocka_unit_test(an_error_has_no_control_characters),
        cmocka_unit_test(error_survives_any_length),
        cmocka_unit_test(cutting_never_splits_a_character),
        cmocka_unit_test(default_allocator_gives_what_was_asked),
        cmocka_unit_test(large_blocks_ask_for_huge_pages),
        cmocka_unit_test(sizes_that_overflow_give_null),
        cmocka_unit_test(arrays_come_zeroed_from_the_callers_allocator),
        cmocka_unit_test(assert_handler_learns_what_failed_and_where),
        cmocka_unit_test(products_fold_alike_with_and_without_a_wide_type),
        cmocka_unit_test(bytes_have_the_hashes_that_files_hold),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
