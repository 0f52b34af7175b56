/* Numbers with units: their SI values to the last bit, what each unit is, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene/schema.h"
#include "scene/units.h"
#include <scree/scene.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static double value_of(const char *text, quantity expected)
{
    unit_value v;
    unit_problem p;
    if (unit_parse(text, &v, &p) != UNIT_OK) fail_msg("'%s' was not read: fault %d", text, (int)p.fault);
    if (v.has_unit && !quantity_takes(expected, v.dims)) fail_msg("'%s' is not %s", text, quantity_get(expected)->name);
    return v.value;
}

/// A decimal in a decimal unit is the double nearest to the decimal in SI: no bit is lost on the way.
static void decimal_units_lose_no_bit(void **state)
{
    (void)state;
    static const struct {
        const char *text, *si;
        quantity q;
    } cases[] = {
        {"45 mm", "0.045", QUANTITY_LENGTH},
        {"45mm", "0.045", QUANTITY_LENGTH},
        {"0.1 mm", "0.0001", QUANTITY_LENGTH},
        {"7.3e2 um", "0.00073", QUANTITY_LENGTH},
        {"7.3E-2 µm", "7.3e-8", QUANTITY_LENGTH},
        {"+3 cm", "0.03", QUANTITY_LENGTH},
        {"-.5 km", "-500", QUANTITY_LENGTH},
        {"2500 kg/m^3", "2500", QUANTITY_DENSITY},
        {"2.5 g/cm^3", "2500", QUANTITY_DENSITY},
        {"2.5 t/m3", "2500", QUANTITY_DENSITY},
        {"2.5 kg/m³", "2.5", QUANTITY_DENSITY},
        {"800 1/s", "800", QUANTITY_FREQUENCY},
        {"800 /s", "800", QUANTITY_FREQUENCY},
        {"800 Hz", "800", QUANTITY_FREQUENCY},
        {"1.2 kHz", "1200", QUANTITY_FREQUENCY},
        {"800 s^-1", "800", QUANTITY_FREQUENCY},
        {"9.81 m/s^2", "9.81", QUANTITY_ACCELERATION},
        {"9.81 m/s/s", "9.81", QUANTITY_ACCELERATION},
        {"9.81 m s^-2", "9.81", QUANTITY_ACCELERATION},
        {"9.81 m/s²", "9.81", QUANTITY_ACCELERATION},
        {"2 MPa", "2e6", QUANTITY_PRESSURE},
        {"2 bar", "2e5", QUANTITY_PRESSURE},
        {"2 N/mm^2", "2e6", QUANTITY_PRESSURE},
        {"3 kN", "3000", QUANTITY_FORCE},
        {"3 kg m/s^2", "3", QUANTITY_FORCE},
        {"3 N m", "3", QUANTITY_MOMENT},
        {"3 N*m", "3", QUANTITY_MOMENT},
        {"3 N·m", "3", QUANTITY_MOMENT},
        {"3 J", "3", QUANTITY_MOMENT},
        {"0.3 N/mm", "300", QUANTITY_STIFFNESS},
        {"4 g m^2", "0.004", QUANTITY_INERTIA},
        {"12 mrad", "0.012", QUANTITY_ANGLE},
        {"5 ms", "0.005", QUANTITY_TIME},
        {"5 rad/s", "5", QUANTITY_SPIN},
        {"5 1/s", "5", QUANTITY_SPIN},
        {"0.02 r", "0.02", QUANTITY_RATIO},
        {"0.1 r_eff", "0.1", QUANTITY_REDUCED},
        {"0.1r_eff", "0.1", QUANTITY_REDUCED},
        {"10 % r_eff", "0.1", QUANTITY_REDUCED},
        {"50 %", "0.5", QUANTITY_NUMBER},
        {"12", "12", QUANTITY_LENGTH},
        {" 12 ", "12", QUANTITY_LENGTH},
        {"3 kg/(m^2 m)", "3", QUANTITY_DENSITY},
        {"3 J/(N m^2)*m", "3", QUANTITY_NUMBER},
        {"0 mm", "0", QUANTITY_LENGTH},
        {"0.000 mm", "0", QUANTITY_LENGTH},
        {"3 1/kg", "3", QUANTITY_PER_MASS},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        double v = value_of(cases[k].text, cases[k].q), si = strtod(cases[k].si, NULL);
        if (v != si) fail_msg("'%s' is %.17g, expected %.17g", cases[k].text, v, si);
    }
}

/// Factors that are no power of ten round once or twice.
static void other_units_are_right_to_rounding(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double si;
        quantity q;
    } cases[] = {
        {"180 deg", PI, QUANTITY_ANGLE},       {"90°", PI / 2, QUANTITY_ANGLE},
        {"1 rev", 2 * PI, QUANTITY_ANGLE},     {"1 rpm", PI / 30, QUANTITY_SPIN},
        {"10 deg/s", PI / 18, QUANTITY_SPIN},  {"36 km/h", 10.0, QUANTITY_VELOCITY},
        {"1.5 min", 90.0, QUANTITY_TIME},      {"2 h", 7200.0, QUANTITY_TIME},
        {"10 in", 0.254, QUANTITY_LENGTH},     {"1 ft", 0.3048, QUANTITY_LENGTH},
        {"6 1/min", 0.1, QUANTITY_FREQUENCY},  {"1 ft^2/in", 3.6576, QUANTITY_LENGTH},
        {"1 rev/min", PI / 30, QUANTITY_SPIN}, {"60 m/min", 1.0, QUANTITY_VELOCITY},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        double v = value_of(cases[k].text, cases[k].q);
        if (!(fabs(v - cases[k].si) <= 4e-16 * fabs(cases[k].si)))
            fail_msg("'%s' is %.17g, expected %.17g", cases[k].text, v, cases[k].si);
    }
}

static void what_is_no_number_with_a_unit_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unit_fault fault;
        const char *word;
    } cases[] = {
        {"", UNIT_NO_NUMBER, ""},
        {"mm", UNIT_NO_NUMBER, ""},
        {"- 5 mm", UNIT_NO_NUMBER, ""},
        {"5 mmm", UNIT_UNKNOWN, "mmm"},
        {"5 Mm/furlong", UNIT_UNKNOWN, "furlong"},
        {"5 kdeg", UNIT_UNKNOWN, "kdeg"},
        {"5 m//s", UNIT_SYNTAX, ""},
        {"5 m/", UNIT_SYNTAX, ""},
        {"5 *m", UNIT_SYNTAX, ""},
        {"5 m^", UNIT_SYNTAX, ""},
        {"5 m^99", UNIT_SYNTAX, ""},
        {"5 (m", UNIT_SYNTAX, ""},
        {"5 m)", UNIT_SYNTAX, ""},
        {"5 5 m", UNIT_SYNTAX, ""},
        {"5 1", UNIT_SYNTAX, ""},
        {"5 1 m", UNIT_SYNTAX, ""},
        {"5 m/s s", UNIT_AMBIGUOUS, ""},
        {"5 N/kg m", UNIT_AMBIGUOUS, ""},
        {"1,5 m", UNIT_COMMA, ""},
        {"1e400", UNIT_RANGE, ""},
        {"1e-400 m", UNIT_RANGE, ""},
        {"1e308 km", UNIT_RANGE, ""},
        {"1e-320 nm^3", UNIT_RANGE, ""},
        {"1 m^12 m^12 m^12 m^12 m^12 m^12 m^12 m^12 m^12", UNIT_RANGE, ""},
        {"5 ((((((m))))))", UNIT_SYNTAX, ""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        unit_value v;
        unit_problem p;
        unit_fault fault = unit_parse(cases[k].text, &v, &p);
        if (fault != cases[k].fault || p.fault != fault)
            fail_msg("'%s' gave fault %d, expected %d", cases[k].text, (int)fault, (int)cases[k].fault);
        assert_string_equal(p.word, cases[k].word);
    }
}

static void dimensions_do_not_mix(void **state)
{
    (void)state;
    unit_value v;
    unit_problem p;
    char buffer[80];
    assert_int_equal(unit_parse("60 rpm", &v, &p), UNIT_OK);
    assert_false(quantity_takes(QUANTITY_FREQUENCY, v.dims)); /* 60 rpm could be 1 Hz or 2 pi of it */
    assert_int_equal(unit_parse("5 deg", &v, &p), UNIT_OK);
    assert_false(quantity_takes(QUANTITY_NUMBER, v.dims));
    assert_string_equal(unit_dims_name(v.dims, buffer, sizeof buffer), "an angle");
    assert_int_equal(unit_parse("5 W/m^2", &v, &p), UNIT_OK);
    assert_string_equal(unit_dims_name(v.dims, buffer, sizeof buffer), "a quantity in kg s^-3");
    for (int a = 0; a < QUANTITY_COUNT;
         ++a) /* every named quantity has its own dimension, and its example and SI unit are of it */
        for (int b = 0; b < QUANTITY_COUNT; ++b) {
            const quantity_info *info = quantity_get((quantity)a);
            char one[48];
            int takes = quantity_takes((quantity)b, info->dims);
            assert_int_equal(takes, a == b || (a == QUANTITY_FREQUENCY && b == QUANTITY_SPIN));
            assert_int_equal(unit_parse(info->example, &v, &p), UNIT_OK);
            assert_int_equal(quantity_of(v.dims), a);
            snprintf(one, sizeof one, "1 %s", info->si);
            assert_int_equal(unit_parse(one, &v, &p), UNIT_OK);
            assert_int_equal(quantity_of(v.dims), a);
            assert_true(v.value == 1.0);
        }
}

/// The unit in brackets in the text of a field is that of its row: all fields of the object and of those it holds.
static int units_of(const schema_object *object, quantity inherited)
{
    int found = 0;
    for (int k = 0; k < object->field_count; ++k) {
        schema_field f = schema_resolve(object, &object->field[k], inherited);
        const char *open = f.text ? strchr(f.text, '[') : NULL, *close = open ? strchr(open, ']') : NULL;
        char one[64];
        unit_value v;
        unit_problem p;
        if (f.type == FIELD_NUMBER && close && close - open < 32) {
            snprintf(one, sizeof one, "1 %.*s", (int)(close - open - 1), open + 1);
            if (unit_parse(one, &v, &p) == UNIT_OK) {
                if (quantity_of(v.dims) != f.unit) fail_msg("%s.%s: its text has another unit", object->name, f.key);
                found += 1;
            }
        }
        if (f.object && f.object != object) found += units_of(f.object, f.unit);
    }
    return found;
}

static void texts_and_rows_have_the_same_units(void **state)
{
    (void)state;
    assert_true(units_of(&schema_root, QUANTITY_NUMBER) >= 17);
}

static void a_mistyped_unit_gets_one_that_fits(void **state)
{
    (void)state;
    assert_string_equal(unit_suggest("MMM", QUANTITY_LENGTH), "mm");
    assert_string_equal(unit_suggest("Mpa", QUANTITY_PRESSURE), "MPa");
    assert_string_equal(unit_suggest("degr", QUANTITY_ANGLE), "deg");
    assert_null(unit_suggest("furlongs", QUANTITY_LENGTH));
}

static void a_quantity_knows_its_unit_and_refuses_others(void **state)
{
    (void)state;
    scree_unit_value q;
    scree_error e = {0};
    assert_int_equal(scree_unit_parse("5 ms", "s", &q, &e), SCREE_OK);
    assert_true(q.value == 5e-3 && q.has_unit && strcmp(q.unit, "s") == 0 && !q.ratio);
    assert_int_equal(scree_unit_parse("2", "s", &q, &e), SCREE_OK);
    assert_true(q.value == 2.0 && !q.has_unit && q.unit[0] == '\0');
    assert_int_equal(scree_unit_parse("0.02 r", NULL, &q, &e), SCREE_OK);
    assert_string_equal(q.ratio, "r");
    assert_int_equal(scree_unit_parse("3 kg m^2/s^4", NULL, &q, &e), SCREE_OK);
    assert_string_equal(q.unit, "m^2 kg^1 s^-4");
    const struct {
        const char *text, *expected, *words;
    } bad[] = {{"5 mm", "s", "'5 mm' is not a time, expected one like 5 ms"},
               {"5 sec", "s", "unknown unit 'sec' in '5 sec'"},
               {"x", NULL, "'x' is not a number"},
               {"1,5", NULL, "expected a decimal point, found a comma in '1,5'"},
               {"1 N/kg m", NULL, "can be read in two ways"},
               {"5 mmm", "m", "did you mean 'mm'?"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        e = (scree_error){0};
        assert_int_equal(scree_unit_parse(bad[k].text, bad[k].expected, &q, &e), SCREE_ERR_INPUT);
        if (!strstr(e.text, bad[k].words)) fail_msg("'%s': %s", bad[k].text, e.text);
    }
    assert_int_equal(scree_unit_parse("5 ms", "s", &q, &e), SCREE_ERR_INPUT); /* it is sticky */
}

/// Decimal points in every locale that is installed.
static void the_locale_changes_nothing(void **state)
{
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8", "C"};
    for (size_t k = 0; k < sizeof locales / sizeof *locales; ++k) {
        if (!setlocale(LC_ALL, locales[k])) continue;
        assert_true(value_of("2.5 mm", QUANTITY_LENGTH) == 0.0025);
    }
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimal_units_lose_no_bit),
        cmocka_unit_test(other_units_are_right_to_rounding),
        cmocka_unit_test(what_is_no_number_with_a_unit_is_refused),
        cmocka_unit_test(dimensions_do_not_mix),
        cmocka_unit_test(texts_and_rows_have_the_same_units),
        cmocka_unit_test(a_mistyped_unit_gets_one_that_fits),
        cmocka_unit_test(a_quantity_knows_its_unit_and_refuses_others),
        cmocka_unit_test(the_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
