/* units.c: a number and its unit, by a small parser over the base dimensions.
 *
 *     value  := number [unit]                      45 mm     2e3N     -5 deg     0.3
 *     unit   := ['1'] ['/'] factor { ('*' | '/' | ' ') factor }
 *     factor := name [['^'] integer] | '(' unit ')'
 *
 * A unit is a factor times a power of ten times base dimensions. The power of ten is put into the exponent of the decimal before it
 * is read, so that 45 mm and 0.045 are the same double; the remaining factors (60 for minutes, pi/180 for degrees) round once.
 * After a '/', a product by a blank could mean two things ("N/kg m") and is refused. */
#include "scene/units.h"
#include "base/fail.h"
#include "base/suggest.h"
#include "scene/yaml_doc.h"

#include <scree/scene.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- quantities ------------------------------------------------------------------------------------------------- */

static const quantity_info quantities[QUANTITY_COUNT] = {
    /*                          m   kg  s  rad r r_eff                                                       */
    [QUANTITY_NUMBER] = {{0, 0, 0, 0, 0, 0}, "a plain number", "0.5", ""},
    [QUANTITY_LENGTH] = {{1, 0, 0, 0, 0, 0}, "a length", "45 mm", "m"},
    [QUANTITY_MASS] = {{0, 1, 0, 0, 0, 0}, "a mass", "2 kg", "kg"},
    [QUANTITY_TIME] = {{0, 0, 1, 0, 0, 0}, "a time", "5 ms", "s"},
    [QUANTITY_ANGLE] = {{0, 0, 0, 1, 0, 0}, "an angle", "5 deg", "rad"},
    [QUANTITY_RATIO] = {{0, 0, 0, 0, 1, 0}, "a ratio of the radius", "0.02 r", "r"},
    [QUANTITY_REDUCED] = {{0, 0, 0, 0, 0, 1}, "a ratio of the reduced radius", "0.1 r_eff", "r_eff"},
    [QUANTITY_VELOCITY] = {{1, 0, -1, 0, 0, 0}, "a velocity", "2 m/s", "m/s"},
    [QUANTITY_ACCELERATION] = {{1, 0, -2, 0, 0, 0}, "an acceleration", "9.81 m/s^2", "m/s^2"},
    [QUANTITY_SPIN] = {{0, 0, -1, 1, 0, 0}, "an angular velocity", "5 rad/s", "rad/s"},
    [QUANTITY_FREQUENCY] = {{0, 0, -1, 0, 0, 0}, "a frequency", "50 1/s", "1/s"},
    [QUANTITY_FORCE] = {{1, 1, -2, 0, 0, 0}, "a force", "20 N", "N"},
    [QUANTITY_MOMENT] = {{2, 1, -2, 0, 0, 0}, "a moment", "3 N m", "N m"},
    [QUANTITY_PRESSURE] = {{-1, 1, -2, 0, 0, 0}, "a pressure", "2 MPa", "Pa"},
    [QUANTITY_DENSITY] = {{-3, 1, 0, 0, 0, 0}, "a density", "2500 kg/m^3", "kg/m^3"},
    [QUANTITY_STIFFNESS] = {{0, 1, -2, 0, 0, 0}, "a stiffness", "1e6 N/m", "N/m"},
    [QUANTITY_INERTIA] = {{2, 1, 0, 0, 0, 0}, "a moment of inertia", "0.4 kg m^2", "kg m^2"},
    [QUANTITY_PER_MASS] = {{0, -1, 0, 0, 0, 0}, "an inverse mass", "0.1 1/kg", "1/kg"},
    [QUANTITY_TURN_STIFFNESS] = {{2, 1, -2, -1, 0, 0}, "a rotational stiffness", "5 N m/rad", "N m/rad"},
    [QUANTITY_CURVATURE] = {{-1, 0, 0, 0, 0, 0}, "a curvature", "5 1/m", "1/m"},
    [QUANTITY_DAMPING] = {{0, 1, -1, 0, 0, 0}, "a damping", "600 N s/m", "N s/m"},
    [QUANTITY_TURN_DAMPING] = {{2, 1, -1, 0, 0, 0}, "a rotational damping", "25 N m s", "N m s"},
    [QUANTITY_AREA] = {{2, 0, 0, 0, 0, 0}, "an area", "4 cm^2", "m^2"},
    [QUANTITY_MOBILITY] = {{0, -1, 1, 0, 0, 0}, "a mobility", "1e-3 m/(N s)", "m/(N s)"},
};

static int same_dims(unit_dims a, unit_dims b)
{
    return a.length == b.length && a.mass == b.mass && a.time == b.time && a.angle == b.angle && a.radius == b.radius &&
           a.reduced == b.reduced;
}

const quantity_info *quantity_get(quantity q)
{
    return &quantities[q < QUANTITY_COUNT ? q : QUANTITY_NUMBER];
}

quantity quantity_of(unit_dims dims)
{
    int q = 0;
    while (q < QUANTITY_COUNT && !same_dims(quantities[q].dims, dims)) ++q;
    return (quantity)q;
}

int quantity_takes(quantity expected, unit_dims found)
{
    unit_dims dims = quantity_get(expected)->dims;
    if (same_dims(dims, found)) return 1;
    dims.angle = 0;
    return expected == QUANTITY_SPIN && same_dims(dims, found);
}

const char *unit_dims_name(unit_dims dims, char *buffer, size_t size)
{
    static const char *const names[] = {"m", "kg", "s", "rad", "r", "r_eff"};
    const signed char power[] = {dims.length, dims.mass, dims.time, dims.angle, dims.radius, dims.reduced};
    quantity q = quantity_of(dims);
    if (q < QUANTITY_COUNT) return quantities[q].name;
    size_t at = (size_t)snprintf(buffer, size, "a quantity in");
    for (int k = 0; k < UNIT_BASES && at < size; ++k) {
        if (power[k] == 1) at += (size_t)snprintf(buffer + at, size - at, " %s", names[k]);
        else if (power[k] != 0) at += (size_t)snprintf(buffer + at, size - at, " %s^%d", names[k], power[k]);
    }
    return buffer;
}

/* ---- units ------------------------------------------------------------------------------------------------------ */

typedef struct unit {
    const char *name;
    double times, over; /* factor beside the power of ten */
    int ten;
    unit_dims dims;
    int takes_prefix;
} unit;

static const unit units[] = {
    {"m", 1, 1, 0, {1, 0, 0, 0, 0, 0}, 1},      {"g", 1, 1, -3, {0, 1, 0, 0, 0, 0}, 1},
    {"s", 1, 1, 0, {0, 0, 1, 0, 0, 0}, 1},      {"rad", 1, 1, 0, {0, 0, 0, 1, 0, 0}, 1},
    {"N", 1, 1, 0, {1, 1, -2, 0, 0, 0}, 1},     {"Pa", 1, 1, 0, {-1, 1, -2, 0, 0, 0}, 1},
    {"J", 1, 1, 0, {2, 1, -2, 0, 0, 0}, 1},     {"W", 1, 1, 0, {2, 1, -3, 0, 0, 0}, 1},
    {"Hz", 1, 1, 0, {0, 0, -1, 0, 0, 0}, 1},    {"bar", 1, 1, 5, {-1, 1, -2, 0, 0, 0}, 1},
    {"t", 1, 1, 3, {0, 1, 0, 0, 0, 0}, 0},      {"min", 60, 1, 0, {0, 0, 1, 0, 0, 0}, 0},
    {"h", 3600, 1, 0, {0, 0, 1, 0, 0, 0}, 0},   {"deg", PI, 180, 0, {0, 0, 0, 1, 0, 0}, 0},
    {"°", PI, 180, 0, {0, 0, 0, 1, 0, 0}, 0},   {"rev", 2 * PI, 1, 0, {0, 0, 0, 1, 0, 0}, 0},
    {"rpm", PI, 30, 0, {0, 0, -1, 1, 0, 0}, 0}, {"in", 254, 1, -4, {1, 0, 0, 0, 0, 0}, 0},
    {"ft", 3048, 1, -4, {1, 0, 0, 0, 0, 0}, 0}, {"%", 1, 1, -2, {0, 0, 0, 0, 0, 0}, 0},
    {"r", 1, 1, 0, {0, 0, 0, 0, 1, 0}, 0},      {"r_eff", 1, 1, 0, {0, 0, 0, 0, 0, 1}, 0},
};

static const struct {
    const char *name;
    int ten;
} prefixes[] = {{"n", -9}, {"u", -6}, {"µ", -6}, {"μ", -6}, {"m", -3}, {"c", -2},
                {"d", -1}, {"h", 2},  {"k", 3},  {"M", 6},  {"G", 9}};

/* What a mistyped unit may have meant: the bare ones, and the common ones with a prefix. */
static const char *const known[] = {"m",   "mm",  "cm",  "km",  "um", "g",   "kg",  "t",  "s",   "ms",   "min",
                                    "rad", "deg", "rev", "rpm", "N",  "kN",  "MN",  "Pa", "kPa", "MPa",  "GPa",
                                    "J",   "kJ",  "W",   "kW",  "Hz", "kHz", "bar", "in", "ft",  "mrad", "r_eff"};

static const unit *unit_find(const char *word, size_t length)
{
    for (size_t k = 0; k < sizeof units / sizeof *units; ++k)
        if (strlen(units[k].name) == length && memcmp(units[k].name, word, length) == 0) return &units[k];
    return NULL;
}

/// The unit of a word: as it stands, or after a prefix. `*ten` is the prefix's power.
static const unit *unit_find_prefixed(const char *word, size_t length, int *ten)
{
    const unit *u = unit_find(word, length);
    *ten = 0;
    if (u) return u;
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; ++k) {
        size_t n = strlen(prefixes[k].name);
        if (length <= n || memcmp(prefixes[k].name, word, n) != 0) continue;
        u = unit_find(word + n, length - n);
        if (u && u->takes_prefix) {
            *ten = prefixes[k].ten;
            return u;
        }
    }
    return NULL;
}

/* ---- the parser --------------------------------------------------------------------------------------------------- */

enum { NESTING_MAX = 4, POWER_MAX = 12, TEN_MAX = 400 };

/// A product of units so far.
typedef struct product {
    double times, over;
    int ten;
    int dims[UNIT_BASES];
} product;

typedef struct unit_reader {
    const char *at;
    int nesting;
    unit_problem *problem;
} unit_reader;

static int refuse(unit_reader *r, unit_fault fault)
{
    if (r->problem->fault == UNIT_OK) r->problem->fault = fault;
    return 0;
}

static void skip_blanks(unit_reader *r)
{
    while (*r->at == ' ' || *r->at == '\t') ++r->at;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || c == '_';
}

/// `result` times `factor` to the power.
static int multiply(unit_reader *r, product *result, const product *factor, int power)
{
    for (int k = power < 0 ? -power : power; k > 0; --k) {
        result->times *= power > 0 ? factor->times : factor->over;
        result->over *= power > 0 ? factor->over : factor->times;
    }
    result->ten += power * factor->ten;
    if (result->ten > TEN_MAX || result->ten < -TEN_MAX) return refuse(r, UNIT_RANGE);
    for (int k = 0; k < UNIT_BASES; ++k) {
        result->dims[k] += power * factor->dims[k];
        if (result->dims[k] > 100 || result->dims[k] < -100) return refuse(r, UNIT_RANGE);
    }
    return 1;
}

/// The power after a unit: "^-2", "2", "²"; 1 where there is none.
static int read_power(unit_reader *r, int *power)
{
    *power = 1;
    if (strncmp(r->at, "²", 2) == 0 || strncmp(r->at, "³", 2) == 0) {
        *power = strncmp(r->at, "²", 2) == 0 ? 2 : 3;
        r->at += 2;
        return 1;
    }
    int sign = 1, hat = *r->at == '^';
    if (!hat && !is_digit(*r->at)) return 1;
    if (hat) ++r->at;
    if (hat && (*r->at == '-' || *r->at == '+')) sign = *r->at++ == '-' ? -1 : 1;
    if (!is_digit(*r->at)) return refuse(r, UNIT_SYNTAX);
    for (*power = 0; is_digit(*r->at); ++r->at) {
        *power = 10 * *power + (*r->at - '0');
        if (*power > POWER_MAX) return refuse(r, UNIT_SYNTAX);
    }
    *power *= sign;
    return 1;
}

static int read_product(unit_reader *r, product *result);

/// A name with its power, or a product in parentheses with its power.
static int read_factor(unit_reader *r, product *factor, int *power)
{
    *factor = (product){1.0, 1.0, 0, {0}};
    if (*r->at == '(') {
        ++r->at;
        if (++r->nesting > NESTING_MAX) return refuse(r, UNIT_SYNTAX);
        if (!read_product(r, factor)) return 0;
        --r->nesting;
        if (*r->at++ != ')') return refuse(r, UNIT_SYNTAX);
        return read_power(r, power);
    }
    const char *start = r->at;
    int ten;
    while (is_name(*r->at) || ((*r->at & 0x80) && strncmp(r->at, "²", 2) != 0 && strncmp(r->at, "³", 2) != 0 &&
                               strncmp(r->at, "·", 2) != 0))
        ++r->at;
    size_t length = (size_t)(r->at - start);
    if (length == 0) return refuse(r, UNIT_SYNTAX);
    const unit *u = unit_find_prefixed(start, length, &ten);
    if (!u) {
        size_t kept = length < sizeof r->problem->word - 1 ? length : sizeof r->problem->word - 1;
        while (kept > 0 && kept < length && (start[kept] & 0xC0) == 0x80) --kept;
        memcpy(r->problem->word, start, kept);
        r->problem->word[kept] = '\0';
        return refuse(r, UNIT_UNKNOWN);
    }
    *factor = (product){u->times,
                        u->over,
                        u->ten + ten,
                        {u->dims.length, u->dims.mass, u->dims.time, u->dims.angle, u->dims.radius, u->dims.reduced}};
    return read_power(r, power);
}

static int read_product(unit_reader *r, product *result)
{
    int divides = 0, divided = 0; /* the next factor; any before */
    product factor;
    int power;
    skip_blanks(r);
    if (r->at[0] == '1' && !is_digit(r->at[1])) { /* 1/s */
        ++r->at;
        skip_blanks(r);
        if (*r->at != '/') return refuse(r, UNIT_SYNTAX);
    }
    if (*r->at == '/') divides = divided = 1, ++r->at;
    for (;;) {
        skip_blanks(r);
        if (!read_factor(r, &factor, &power)) return 0;
        if (!multiply(r, result, &factor, divides ? -power : power)) return 0;
        skip_blanks(r);
        if (*r->at == '\0' || *r->at == ')') return 1;
        divides = *r->at == '/';
        if (divides) divided = 1, ++r->at;
        else if (*r->at == '*') ++r->at;
        else if (strncmp(r->at, "·", 2) == 0) r->at += 2;
        else if (divided) return refuse(r, UNIT_AMBIGUOUS);
    }
}

const char *unit_suggest(const char *word, quantity expected)
{
    enum { KNOWN = sizeof known / sizeof *known };
    const char *fitting[KNOWN];
    int count = 0, ten;
    for (int k = 0; k < KNOWN; ++k) {
        const unit *u = unit_find_prefixed(known[k], strlen(known[k]), &ten);
        if (u && quantity_takes(expected, u->dims)) fitting[count++] = known[k];
    }
    const char *near = suggest(word, strlen(word), fitting, count);
    return near ? near : suggest(word, strlen(word), known, KNOWN);
}

/// The number text[0 .. length) times 10^ten, correctly rounded: the decimal with its exponent moved.
static double shifted_decimal(const char *text, size_t length, int ten)
{
    char moved[96];
    double value = 0.0;
    const char *e = memchr(text, 'e', length);
    if (!e) e = memchr(text, 'E', length);
    size_t mantissa = e ? (size_t)(e - text) : length;
    int exponent = ten;
    if (e) {
        int sign = e[1] == '-' ? -1 : 1, digits = 0;
        for (const char *c = e + 1 + (e[1] == '-' || e[1] == '+'); c < text + length && digits < 100000; ++c)
            digits = 10 * digits + (*c - '0');
        exponent += sign * digits;
    }
    if (mantissa + 16 > sizeof moved) { /* absurdly long: two roundings will do */
        double power;
        snprintf(moved, sizeof moved, "1e%d", ten);
        scree_doc_decimal(text, &value), scree_doc_decimal(moved, &power);
        return value * power;
    }
    memcpy(moved, text, mantissa);
    snprintf(moved + mantissa, sizeof moved - mantissa, "e%d", exponent);
    scree_doc_decimal(moved, &value);
    return value;
}

unit_fault unit_parse(const char *text, unit_value *value, unit_problem *problem)
{
    unit_reader r = {text, 0, problem};
    product p = {1.0, 1.0, 0, {0}};
    double number;
    *problem = (unit_problem){UNIT_OK, ""};
    skip_blanks(&r);
    const char *start = r.at;
    size_t length = scree_doc_decimal(start, &number);
    if (length == 0) return problem->fault = UNIT_NO_NUMBER;
    r.at += length;
    if (*r.at == ',' && is_digit(r.at[1])) return problem->fault = UNIT_COMMA;
    skip_blanks(&r);
    value->has_unit = *r.at != '\0';
    if (value->has_unit && !read_product(&r, &p)) return problem->fault;
    if (*r.at != '\0') return problem->fault = UNIT_SYNTAX;

    value->value = p.ten ? shifted_decimal(start, length, p.ten) : number;
    if (p.times != 1.0) value->value *= p.times;
    if (p.over != 1.0) value->value /= p.over;
    value->dims = (unit_dims){(signed char)p.dims[0], (signed char)p.dims[1], (signed char)p.dims[2],
                              (signed char)p.dims[3], (signed char)p.dims[4], (signed char)p.dims[5]};
    int written_zero = strcspn(start, "123456789") >= strcspn(start, "eE ") || strcspn(start, "123456789") >= length;
    if (!isfinite(value->value) || (value->value == 0.0 && !written_zero)) return problem->fault = UNIT_RANGE;
    return UNIT_OK;
}

/* ---- for callers ---------------------------------------------------------------------------------------------------- */

/// The SI unit of a dimension: "m/s", or "m^2 kg^1" where it has no name.
static void si_text(unit_dims dims, char *text, size_t size)
{
    const struct {
        const char *name;
        int power;
    } part[] = {{"m", dims.length},  {"kg", dims.mass},  {"s", dims.time},
                {"rad", dims.angle}, {"r", dims.radius}, {"r_eff", dims.reduced}};
    quantity q = quantity_of(dims);
    text[0] = '\0';
    if (q < QUANTITY_COUNT) {
        snprintf(text, size, "%s", quantities[q].si);
        return;
    }
    for (size_t k = 0, n = 0; k < sizeof part / sizeof *part; n = strlen(text), ++k)
        if (part[k].power) snprintf(text + n, size - n, "%s%s^%d", n ? " " : "", part[k].name, part[k].power);
}

/// The quantity whose SI unit this is.
static quantity quantity_of_si(const char *si)
{
    int q = 0;
    while (q < QUANTITY_COUNT && strcmp(quantities[q].si, si) != 0) ++q;
    SCREE_ASSERT(q < QUANTITY_COUNT);
    return (quantity)q;
}

static scree_status refuse_text(const char *text, const unit_problem *problem, quantity expected, scree_error *error)
{
    const char *word = problem->word;
    const char *near = problem->fault == UNIT_UNKNOWN ? unit_suggest(word, expected) : NULL;
    if (near) scree_error_set(error, NULL, 0, 0, "unknown unit '%s' in '%s', did you mean '%s'?", word, text, near);
    else if (problem->fault == UNIT_UNKNOWN)
        scree_error_set(error, NULL, 0, 0, "unknown unit '%s' in '%s'", word, text);
    else
        scree_error_set(error, NULL, 0, 0,
                        problem->fault == UNIT_RANGE       ? "'%s' is too large or too small for a number"
                        : problem->fault == UNIT_AMBIGUOUS ? "the unit in '%s' can be read in two ways: after '/' "
                                                             "expected '*' or parentheses"
                        : problem->fault == UNIT_COMMA     ? "expected a decimal point, found a comma in '%s'"
                                                           : "'%s' is not a number",
                        text);
    return error_keep(error, SCREE_ERR_INPUT);
}

scree_status scree_unit_parse(const char *text, const char *expected, scree_unit_value *found, scree_error *error)
{
    unit_value value;
    unit_problem problem;
    *found = (scree_unit_value){.value = 0.0};
    if (error_stopped(error)) return error->status;
    const int q = expected ? (int)quantity_of_si(expected) : QUANTITY_NUMBER;
    if (unit_parse(text, &value, &problem) != UNIT_OK) return refuse_text(text, &problem, (quantity)q, error);
    if (expected && value.has_unit && !quantity_takes((quantity)q, value.dims)) {
        scree_error_set(error, NULL, 0, 0, "'%s' is not %s, expected one like %s", text, quantities[q].name,
                        quantities[q].example);
        return error_keep(error, SCREE_ERR_INPUT);
    }
    *found = (scree_unit_value){.value = value.value, .has_unit = value.has_unit};
    if (!value.has_unit) return SCREE_OK;
    si_text(value.dims, found->unit, sizeof found->unit);
    found->ratio = value.dims.radius != 0 ? "r" : value.dims.reduced != 0 ? "r_eff" : NULL;
    return SCREE_OK;
}
