/* The contact reader: what it accepts, and where it says a mistake stands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"

#include <float.h>
#include <locale.h>
#include <scree/scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLIDE "W: [[2, 0, 0], [0, 3, 0], [0, 0, 3]]\nq: [-1, 0.5, 0]\n"
#define SPIN  "W: [[2, 0, 0, 0], [0, 3, 0, 0], [0, 0, 3, 0], [0, 0, 0, 9]]\nq: [-1, 0.5, 0, 0]\n"

/// The status in front, and a fresh error: mistakes are made one after the other here. `error` may be NULL.
static scree_status parse_bytes(const char *text, size_t size, const char *name, scree_contact *contact,
                                scree_error *error)
{
    scree_error own, *e = error ? error : &own;
    *e = (scree_error){0};
    *contact = scree_contact_parse(text, size, name, NULL, e);
    return e->status;
}

static scree_status parse(const char *text, scree_contact *contact, scree_error *error)
{
    return parse_bytes(text, strlen(text), "case.yaml", contact, error);
}

static scree_status read_file(const char *path, const scree_allocator *allocator, scree_contact *contact,
                              scree_error *error)
{
    *error = (scree_error){0};
    *contact = scree_contact_read(path, allocator, error);
    return error->status;
}

static void expect_good(const char *text, scree_contact *contact)
{
    scree_error error = {.text = ""};
    if (parse(text, contact, &error) != SCREE_OK)
        fail_msg("%d:%d: %s\nin\n%s", error.line, error.column, error.text, text);
}

/* ---- what is accepted ------------------------------------------------------------------------------------------ */

static void block_and_flow_styles_give_the_same_contact(void **state)
{
    (void)state;
    scree_contact flow, block, json;
    expect_good(SLIDE "mu: 0.6\n", &flow);
    expect_good("# a comment\n---\nmu: 6e-1\nq:\n- -1\n- .5\n- +0\nW:\n  - [2.0, 0, 0]\n  - - 0\n    - 3\n    - -0.0\n"
                "  - [0, 0, 300E-2]\nlaw: coulomb\n...\n",
                &block);
    expect_good("{\t\"W\":[[2,0,0],\r\n\t[0,3.0,0],[0,0,3]],\"q\":[-1E0,5e-1,0],\"mu\":0.6,\"law\":\"coulomb\"}",
                &json);
    for (int k = 0; k < 9; ++k) {
        assert_true(flow.W[k] == block.W[k]);
        assert_true(flow.W[k] == json.W[k]);
    }
    for (int k = 0; k < 3; ++k) {
        assert_true(flow.q[k] == block.q[k]);
        assert_true(flow.q[k] == json.q[k]);
    }
    assert_memory_equal(&flow.cone, &block.cone, sizeof flow.cone);
    assert_memory_equal(&flow.cone, &json.cone, sizeof flow.cone);
    assert_true(flow.W[0] == 2.0 && flow.W[4] == 3.0 && flow.q[0] == -1.0 && flow.q[1] == 0.5);
    assert_true(flow.cone.coef[SCREE_FRICTION_SLIDE] == 0.6 && flow.law == SCREE_LAW_COULOMB);
}

static void the_size_or_the_name_says_the_cone(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        int dim, size[3];
    } cases[] = {
        {"mu: 1", 2, {1, 0, 0}},
        {"mu: 1", 3, {2, 0, 0}},
        {"{mu: 1, spinning: 3}", 4, {2, 0, 1}},
        {"{mu: 1, rolling: 2}", 5, {2, 2, 0}},
        {"{mu: 1, rolling: 2, spinning: 3}", 6, {2, 2, 1}},
        {"{mu: 1, cone: planar}", 2, {1, 0, 0}},
        {"{mu: 1, rolling: 2, cone: planar+roll}", 3, {1, 1, 0}},
        {"{mu: 1, cone: slide}", 3, {2, 0, 0}},
        {"{mu: 1, spinning: 3, cone: 'slide+spin'}", 4, {2, 0, 1}},
        {"{mu: 1, rolling: 2, cone: \"slide+roll\"}", 5, {2, 2, 0}},
        {"{mu: 1, rolling: 2, spinning: 3, cone: slide+roll+spin}", 6, {2, 2, 1}},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
        char text[1024];
        int dim = cases[n].dim, at = snprintf(text, sizeof text, "{W: [");
        for (int i = 0; i < dim; ++i)
            for (int j = 0; j < dim; ++j)
                at += snprintf(text + at, sizeof text - (size_t)at, "%s%d%s", j ? "," : "[", i == j,
                               j + 1 < dim ? "" : "],");
        at += snprintf(text + at, sizeof text - (size_t)at, "], q: [");
        for (int i = 0; i < dim; ++i) at += snprintf(text + at, sizeof text - (size_t)at, "%d,", i);
        const char *keys = cases[n].keys + (cases[n].keys[0] == '{');
        snprintf(text + at, sizeof text - (size_t)at, "], %s%s", keys, keys == cases[n].keys ? "}" : "");
        scree_contact c;
        expect_good(text, &c);
        for (int k = 0; k < 3; ++k) {
            assert_int_equal(c.cone.size[k], cases[n].size[k]);
            assert_true(c.cone.coef[k] == (cases[n].size[k] ? k + 1 : 0));
        }
        assert_int_equal(scree_cone_dim(&c.cone), dim);
    }
}

static void the_law_is_read(void **state)
{
    (void)state;
    scree_contact c;
    expect_good(SLIDE "mu: 0\nlaw: convex\n", &c);
    assert_int_equal(c.law, SCREE_LAW_CONVEX);
}

static void numbers_are_rounded_correctly_at_the_ends_of_the_range(void **state)
{
    (void)state;
    scree_contact c;
    expect_good("W: [[1, 0], [0, 1]]\nq: [1.7976931348623157e308, 4.9406564584124654e-324]\nmu: 0.1\n", &c);
    assert_true(c.q[0] == DBL_MAX);
    assert_true(c.q[1] > 0.0 && c.q[1] == DBL_TRUE_MIN);
    assert_true(c.cone.coef[0] == 0.1);
}

static void the_locale_does_not_matter(void **state)
{
    (void)state;
    static const char *const with_comma[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE",
                                             "fr_FR",       "nl_NL.UTF-8", "es_ES.UTF-8"};
    scree_contact c;
    int found = 0;
    for (size_t k = 0; k < sizeof with_comma / sizeof *with_comma && !found; ++k)
        found = setlocale(LC_ALL, with_comma[k]) != NULL;
    expect_good(SLIDE "mu: 0.625\n", &c); /* without such a locale on this machine: the plain one, again */
    setlocale(LC_ALL, "C");
    assert_true(c.cone.coef[0] == 0.625);
    assert_true(c.q[1] == 0.5);
}

/* ---- what is refused, and where -------------------------------------------------------------------------------- */

typedef struct mistake {
    const char *text;
    int line, column;
    const char *says; /* a part of the message */
} mistake;

static void expect_mistakes(const mistake *m, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        static const scree_contact nothing; /* no half-read contact is returned */
        scree_contact c;
        scree_error error = {.text = ""};
        memset(&c, 0x5A, sizeof c);
        scree_status status = parse(m[k].text, &c, &error);
        if (status != SCREE_ERR_INPUT)
            fail_msg("%s instead of bad input for\n%s", scree_status_name(status), m[k].text);
        if (error.line != m[k].line || error.column != m[k].column || !strstr(error.text, m[k].says))
            fail_msg("got      %d:%d: %s\nexpected %d:%d: ...%s...\nfor\n%s", error.line, error.column, error.text,
                     m[k].line, m[k].column, m[k].says, m[k].text);
        assert_string_equal(error.file, "case.yaml");
        assert_memory_equal(&c, &nothing, sizeof c);
        c = scree_contact_parse(m[k].text, strlen(m[k].text), "case.yaml", NULL,
                                NULL); /* an error object is optional */
        assert_memory_equal(&c, &nothing, sizeof c);
    }
}
#define EXPECT_MISTAKES(list) expect_mistakes(list, sizeof(list) / sizeof *(list))

static void keys_are_checked(void **state)
{
    (void)state;
    static const mistake list[] = {
        {SLIDE "mu: 0.6\nroling: 1\n", 4, 1, "unknown key 'roling', did you mean 'rolling'?"},
        {SLIDE "Mu: 0.6\n", 3, 1, "did you mean 'mu'?"},
        {"w: 1\n", 1, 1, "did you mean 'W'?"},
        {SLIDE "mu: 0.6\ntemperature: 1\n", 4, 1, "unknown key 'temperature', expected one of: W, q, mu"},
        {SLIDE "mu: 0.6\n  \nmu: 0.7\n", 5, 1, "the key 'mu' stands twice, expected once (first at line 3)"},
        {"{\"W\": 1, \"q\": 2, \"W\": 3}", 1, 18, "stands twice"},
        {"# comment\nq: [1, 2]\nmu: 1\n", 2, 1, "the key 'W' is missing"},
        {"\n  W: [[1, 0], [0, 1]]\n  mu: 1\n", 2, 3, "the key 'q' is missing"},
        {SLIDE, 1, 1, "the key 'mu' is missing: the cone slide expects"},
        {"{\"W\": [[1, 0], [0, 1]], \"q\": [1, 2]}", 1, 1, "the key 'mu' is missing"},
        {SPIN "mu: 1\n", 1, 1, "the key 'spinning' is missing: the cone slide+spin expects this coefficient (metres)"},
        {SLIDE "mu: 0.6\n? [a]\n: 1\n", 4, 3, "a list stands where a key was expected"},
        {SLIDE "mu: 0.6\n\"mu\\0\": 1\n", 4, 1, "a control character in a text, expected printable ones"},
        {SLIDE "mu: 0.6\n<<: {rolling: 1}\n", 4, 1, "unknown key '<<'"},
    };
    EXPECT_MISTAKES(list);
}

static void coefficients_are_checked(void **state)
{
    (void)state;
    static const mistake list[] = {
        {SLIDE "mu: 0.6\nrolling: 0.1\n", 4, 1,
         "does not read 'rolling', expected it left out, or 'cone: planar+roll'"},
        {SLIDE "mu: 0.6\nspinning: 0\n", 4, 1, "the cone slide does not read 'spinning', expected it left out"},
        {SPIN "mu: 1\nspinning: 1\nrolling: 1\n", 5, 1, "the cone slide+spin does not read 'rolling'"},
        {SLIDE "mu: -0.6\n", 3, 5, "mu is '-0.6', expected 0 or more"},
        {SPIN "mu: 1\nspinning:   -1e-9\n", 4, 13, "spinning is '-1e-9', expected 0 or more"},
        {SLIDE "mu: 0.6\nlaw: columb\n", 4, 6, "unknown law 'columb', did you mean 'coulomb'?"},
        {SLIDE "mu: 0.6\nlaw: [convex]\n", 4, 6, "unknown law a list, expected one of: coulomb, convex"},
        {SLIDE "mu: 0.6\ncone: slip\n", 4, 7, "unknown cone 'slip'"},
        {SLIDE "mu: 0.6\ncone: slide+rol\n", 4, 7, "did you mean 'slide+roll'?"},
    };
    EXPECT_MISTAKES(list);
}

static void numbers_are_checked(void **state)
{
    (void)state;
    static const mistake list[] = {
        {SLIDE "mu: .nan\n", 3, 5, "mu is '.nan', expected a finite number"},
        {SLIDE "mu: NaN\n", 3, 5, "expected a finite number"},
        {SLIDE "mu: -.Inf\n", 3, 5, "expected a finite number"},
        {SLIDE "mu: Infinity\n", 3, 5, "expected a finite number"},
        {SLIDE "mu: 1e999\n", 3, 5, "mu is '1e999', too large"},
        {SLIDE "mu: 1e-999\n", 3, 5, "mu is '1e-999', too small"},
        {SLIDE "mu: 0.6 m\n", 3, 5, "expected a plain number in SI units, without a unit"},
        {SLIDE "mu: 10mm\n", 3, 5, "without a unit"},
        {SLIDE "mu: 30%\n", 3, 5, "without a unit"},
        {SLIDE "mu: 0,6\n", 3, 5, "expected a number with a decimal point"},
        {SLIDE "mu: 1_000\n", 3, 5, "mu is '1_000', expected a number"},
        {SLIDE "mu: 0x10\n", 3, 5, "mu is '0x10', expected a number"},
        {SLIDE "mu: 1e\n", 3, 5, "mu is '1e', expected a number"},
        {SLIDE "mu: 1.2.3\n", 3, 5, "expected a number"},
        {SLIDE "mu: .\n", 3, 5, "expected a number"},
        {SLIDE "mu: -\n", 3, 5, ""},
        {SLIDE "mu: '0.6'\n", 3, 5, "mu is the text '0.6', expected a number without quotes"},
        {SLIDE "mu: |\n  0.6\n", 3, 5, "without quotes"},
        {SLIDE "mu:\n", 3, 4, "mu has no value, expected a number"},
        {SLIDE "mu: null\n", 3, 5, "mu is 'null', expected a number"},
        {SLIDE "mu: [1]\n", 3, 5, "mu is a list, expected a number"},
        {SLIDE "mu: {a: 1}\n", 3, 5, "mu is a map, expected a number"},
        {"W: [[1, 0], [0, one]]\nq: [1, 2]\nmu: 1\n", 1, 17, "W[2][2] is 'one', expected a number"},
        {"W: [[1, 0], [0, 1e400]]\nq: [1, 2]\nmu: 1\n", 1, 17,
         "W[2][2] is '1e400', too large for a number; expected at most 1.7e308"},
        {"W: [[1, 0], [0, 1e-400]]\nq: [1, 2]\nmu: 1\n", 1, 17,
         "W[2][2] is '1e-400', too small for a number; expected 0 or at least 5e-324"},
        {"W: [[1, 0], [0, 1]]\nq:\n  - 1\n  - two\nmu: 1\n", 4, 5, "q[2] is 'two', expected a number"},
        {SLIDE "mu: a-very-long-text-that-no-message-should-repeat-in-full\n", 3, 5, "...'"},
    };
    EXPECT_MISTAKES(list);
}

static void sizes_are_checked(void **state)
{
    (void)state;
    static const mistake list[] = {
        {"W: 1\nq: [1]\nmu: 1\n", 1, 4, "W is '1', expected a list of 2 to 6 rows"},
        {"W: []\nq: []\nmu: 1\n", 1, 4, "W has 0 rows, expected 2 to 6"},
        {"W: [[1]]\nq: [1]\nmu: 1\n", 1, 4, "W has 1 row, expected 2 to 6"},
        {"W: [1,2,3,4,5,6,7]\nq: [1]\nmu: 1\n", 1, 4, "W has 7 rows, expected 2 to 6"},
        {"W: [1, 2]\nq: [1, 2]\nmu: 1\n", 1, 5, "row 1 of W is '1', expected a list of 2 numbers"},
        {"W:\n  - [1, 0]\n  - [0]\nq: [1, 2]\nmu: 1\n", 3, 5, "row 2 of W has length 1, expected 2 numbers"},
        {"W:\n  - [1, 0]\n  - [0, 1, 7]\nq: [1, 2]\nmu: 1\n", 3, 12, "row 2 of W has length 3, expected 2 numbers"},
        {"W: [[1, 0], [0, 1]]\nq: [1]\nmu: 1\n", 2, 4, "q has length 1, expected 2 numbers"},
        {"W: [[1, 0], [0, 1]]\nq: [1, 2, 3]\nmu: 1\n", 2, 11, "q has length 3, expected 2 numbers"},
        {"W: [[1, 0], [0, 1]]\nq: 1\nmu: 1\n", 2, 4, "q is '1', expected a list of 2 numbers"},
        {"W: [[1, 0], [0, 1]]\nq: [1, 2]\nmu: 1\ncone: slide\n", 1, 4, "W has length 2, expected 3 rows"},
        {SLIDE "mu: 1\ncone: planar\n", 1, 27, "W has length 3, expected 2 rows"},
    };
    EXPECT_MISTAKES(list);
}

static void a_matrix_that_is_not_symmetric_or_not_semidefinite_is_pointed_at(void **state)
{
    (void)state;
    scree_contact c;
    scree_error error = {0};
    /* The two entries of the pair stand at 2:14 and 3:8. */
    assert_int_equal(parse("W:\n  - [2,      1]\n  - [  2, 3]\nq: [1, 2]\nmu: 1\n", &c, &error), SCREE_ERR_INPUT);
    if (!((error.line == 2 && error.column == 14) || (error.line == 3 && error.column == 8)))
        fail_msg("%d:%d: %s", error.line, error.column, error.text);
    /* A negative diagonal entry is the one to blame. */
    assert_int_equal(parse("W:\n  - [2, 0]\n  - [0, -3]\nq: [1, 2]\nmu: 1\n", &c, &error), SCREE_ERR_INPUT);
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 9);
    /* Indefinite with a positive diagonal: somewhere in W. */
    assert_int_equal(parse("W:\n  - [1, 2]\n  - [2, 1]\nq: [1, 2]\nmu: 1\n", &c, &error), SCREE_ERR_INPUT);
    assert_in_range(error.line, 2, 3);
    assert_string_equal(error.file, "case.yaml");
}

static void yaml_mistakes_carry_their_place(void **state)
{
    (void)state;
    static const mistake list[] = {
        {"", 1, 1, "nothing here, expected the keys W, q, mu"},
        {"# only a comment\n\n", 1, 1, "nothing here"},
        {"---\n...\n", 2, 1, "nothing here"},
        {"W", 1, 1, "'W', expected 'key: value'"},
        {"- W\n- q\n", 1, 1, "a list, expected 'key: value'"},
        {"W: [[1, 0], [0, 1]\nq: [1, 2]\n", 2, 1, "not valid YAML"},
        {"W: [1, 2\n", 2, 1, "not valid YAML"},
        {"mu: \"open\n", 2, 1, "not valid YAML"},
        {"mu: 1\n\tq: 2\n", 2, 1, "not valid YAML"},
        {"mu: 1: 2\n", 1, 6, "not valid YAML"},
        {"mu: @\n", 1, 5, "not valid YAML"},
        {SLIDE "mu: &a 0.6\n", 3, 5, "an anchor (&name) is not read here"},
        {SLIDE "mu: *a\n", 3, 5, "an alias (*name) is not read here"},
        {SLIDE "mu: !!float 0.6\n", 3, 5, "a tag (!type) is not read here"},
        {"W: &w [1]\n", 1, 4, "an anchor"},
        {"W: !x {a: 1}\n", 1, 4, "a tag"},
        {SLIDE "mu: 1\n---\nmu: 2\n", 4, 1, "a second document starts here, expected only one"},
        {"mu: \xff\n", 1, 5, "not plain UTF-8 text"},
        {"# \xc3\xa9\nmu: \xc3\xa9\xc3(\n", 2, 6, "not plain UTF-8 text"},
        {"# gr\xc3\xbc\xc3\x9f\nm\xc3\xbc: 1\n", 2, 1, "unknown key 'm\xc3\xbc'"},
        {"mu: 1\x01\n", 1, 6, "not plain UTF-8 text"},
    };
    EXPECT_MISTAKES(list);
}

static void nul_bytes_are_refused_where_they_stand(void **state)
{
    (void)state;
    static const char text[] = "mu: 1\nq: [1,\0 2]\n";
    scree_contact c;
    scree_error error = {0};
    assert_int_equal(parse_bytes(text, sizeof text - 1, NULL, &c, &error), SCREE_ERR_INPUT);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 7);
    assert_string_equal(error.file, "");
    assert_non_null(strstr(error.text, "NUL"));
}

static void deep_nesting_and_long_texts_are_bounded(void **state)
{
    (void)state;
    enum { LONG = (1 << 20) + 1 };
    scree_contact c;
    scree_error error = {0};
    char *text = malloc(LONG);
    assert_non_null(text);
    memset(text, '[', LONG);
    assert_int_equal(parse_bytes(text, 100000, "deep", &c, &error), SCREE_ERR_INPUT);
    assert_int_equal(error.line, 1);
    assert_int_equal(error.column, 33);
    assert_non_null(strstr(error.text, "nested too deeply"));

    memset(text, ' ', LONG);
    memcpy(text, SLIDE "mu: 1\n", sizeof SLIDE "mu: 1\n" - 1);
    assert_int_equal(parse_bytes(text, LONG - 1, "long", &c, &error), SCREE_OK);
    assert_int_equal(parse_bytes(text, LONG, "long", &c, &error), SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "longer than 1048576 bytes"));
    free(text);
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

enum { TEMPORARY_PATH = 300 };

static FILE *temporary_file(char path[TEMPORARY_PATH])
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, TEMPORARY_PATH, "%.250s/scree-contact-XXXXXX", folder ? folder : "/tmp");
    int descriptor = mkstemp(path);
    return descriptor < 0 ? NULL : fdopen(descriptor, "wb");
}

static void files_are_read_and_those_that_are_missing_are_named(void **state)
{
    (void)state;
    char path[TEMPORARY_PATH];
    scree_contact c;
    scree_error error = {0};
    FILE *f = temporary_file(path);
    assert_non_null(f);
    for (int k = 0; k < 1000; ++k) fputs("# several reads are needed for this file\n", f);
    fputs(SLIDE "mu: 0.6\n", f);
    fclose(f);
    assert_int_equal(read_file(path, NULL, &c, &error), SCREE_OK);
    assert_true(c.W[0] == 2.0 && c.cone.coef[0] == 0.6);

    f = fopen(path, "ab");
    assert_non_null(f);
    fputs("rho: 1\n", f);
    fclose(f);
    assert_int_equal(read_file(path, NULL, &c, &error), SCREE_ERR_INPUT);
    assert_int_equal(error.line, 1004);
    assert_string_equal(error.file, path);

    f = fopen(path, "ab");
    assert_non_null(f);
    for (int k = 0; k < 50000; ++k) fputs("# more than a contact file may have\n", f);
    fclose(f);
    assert_int_equal(read_file(path, NULL, &c, &error), SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "longer than"));
    remove(path);

    assert_int_equal(read_file(path, NULL, &c, &error), SCREE_ERR_FILE);
    assert_string_equal(error.file, path);
    assert_int_equal(error.line, 0);
    assert_int_equal(read_file(".", NULL, &c, &error), SCREE_ERR_FILE);
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

static void every_failed_allocation_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    /* Many nodes, so that the tree needs several blocks; and a file, so that its buffer grows several times. */
    enum { ITEMS = 20000 };
    char *text = malloc(4 * ITEMS + 64), path[TEMPORARY_PATH];
    assert_non_null(text);
    size_t at = (size_t)sprintf(text, "q: [");
    for (int k = 0; k < ITEMS; ++k) at += (size_t)sprintf(text + at, "1, ");
    at += (size_t)sprintf(text + at, "]\nW: [[1, 0], [0, 1]]\nmu: 1\n");
    FILE *f = temporary_file(path);
    assert_non_null(f);
    fwrite(text, 1, at, f);
    fclose(f);

    scree_contact c;
    scree_error error = {0};
    int calls = 0;
    for (int fail_at = 1;; ++fail_at) {
        failing m = {.left = fail_at - 1};
        scree_allocator a = failing_allocator(&m);
        scree_status status = read_file(path, &a, &c, &error);
        assert_int_equal(m.live, 0);
        calls = m.requests;
        if (m.requests < fail_at) { /* none failed any more: the mistake in the file is seen */
            assert_int_equal(status, SCREE_ERR_INPUT);
            break;
        }
        assert_int_equal(status, SCREE_ERR_MEMORY);
        assert_string_equal(error.file, path);
    }
    assert_true(calls > 8);
    remove(path);
    free(text);

    for (int fail_at = 1;; ++fail_at) { /* the same on a good text */
        failing m = {.left = fail_at - 1};
        scree_allocator a = failing_allocator(&m);
        error = (scree_error){0};
        c = scree_contact_parse(SLIDE "mu: 1\n", sizeof SLIDE "mu: 1\n" - 1, "good", &a, &error);
        assert_int_equal(m.live, 0);
        assert_int_equal(error.status, m.requests < fail_at ? SCREE_OK : SCREE_ERR_MEMORY);
        if (error.status == SCREE_OK) break;
        assert_true(c.W[0] == 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_and_flow_styles_give_the_same_contact),
        cmocka_unit_test(the_size_or_the_name_says_the_cone),
        cmocka_unit_test(the_law_is_read),
        cmocka_unit_test(numbers_are_rounded_correctly_at_the_ends_of_the_range),
        cmocka_unit_test(the_locale_does_not_matter),
        cmocka_unit_test(keys_are_checked),
        cmocka_unit_test(coefficients_are_checked),
        cmocka_unit_test(numbers_are_checked),
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(a_matrix_that_is_not_symmetric_or_not_semidefinite_is_pointed_at),
        cmocka_unit_test(yaml_mistakes_carry_their_place),
        cmocka_unit_test(nul_bytes_are_refused_where_they_stand),
        cmocka_unit_test(deep_nesting_and_long_texts_are_bounded),
        cmocka_unit_test(files_are_read_and_those_that_are_missing_are_named),
        cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
