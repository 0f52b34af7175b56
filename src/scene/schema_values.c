/* schema_values.c: one value of a scene: a quantity with its unit, a vector, a rotation, a table in time, a word.
 *
 * Every function reads the node into `at`, or says at the node what was expected and what stands there. Quotes make no difference:
 * JSON has no other way to write a unit. */
#include "scene/schema.h"

#include "math/quat.h"
#include "math/scalar.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- what is expected ---------------------------------------------------------------------------------------------- */

static size_t append(char *buffer, size_t size, size_t at, const char *text)
{
    return at < size ? at + (size_t)snprintf(buffer + at, size - at, "%s", text) : at;
}

int schema_words(const schema_field *field, const char *words[SCHEMA_WORDS_MAX])
{
    int count = 0;
    while (count < SCHEMA_WORDS_MAX && field->choice(count)) words[count] = field->choice(count), ++count;
    return count;
}

const char *schema_range_words(const schema_field *field, char *buffer, size_t size)
{
    unsigned r = field->range;
    buffer[0] = '\0';
    if ((r & RANGE_LOW) && (r & RANGE_HIGH)) {
        if (field->low == field->high) snprintf(buffer, size, "equal to %.9g", field->low);
        else if (r & (RANGE_LOW_OPEN | RANGE_HIGH_OPEN))
            snprintf(buffer, size, "above %.9g and below %.9g", field->low, field->high);
        else snprintf(buffer, size, "from %.9g to %.9g", field->low, field->high);
    } else if (r & RANGE_LOW) snprintf(buffer, size, r & RANGE_LOW_OPEN ? "above %.9g" : "%.9g or more", field->low);
    return buffer;
}

/// "a length, like "45 mm"" with the range of the field where there is one: "a length above 0, like ...".
static size_t expects_quantity(const schema_field *field, char *buffer, size_t size, size_t at)
{
    const quantity_info *info = quantity_get(field->unit);
    char range[64];
    schema_range_words(field, range, sizeof range);
    at = append(buffer, size, at, field->unit == QUANTITY_NUMBER ? "a number" : info->name);
    if (range[0]) at = append(buffer, size, append(buffer, size, at, " "), range);
    if (field->unit == QUANTITY_NUMBER) return at;
    at = append(buffer, size, append(buffer, size, at, ", like \""), info->example);
    return append(buffer, size, at, "\"");
}

const char *schema_expects(const schema_field *field, char *buffer, size_t size)
{
    const char *words[SCHEMA_WORDS_MAX];
    char range[64];
    size_t at = 0;
    buffer[0] = '\0';
    switch (field->type) {
    case FIELD_NUMBER: expects_quantity(field, buffer, size, 0); break;
    case FIELD_INTEGER:
        schema_range_words(field, range, sizeof range);
        snprintf(buffer, size, "a whole number%s%s", range[0] ? " " : "", range);
        break;
    case FIELD_FLAG: append(buffer, size, 0, "true or false"); break;
    case FIELD_TEXT: append(buffer, size, 0, "text"); break;
    case FIELD_CHOICE:
    case FIELD_CHOICES:
        at = append(buffer, size, 0, field->type == FIELD_CHOICE ? "one of: " : "a list of: ");
        for (int k = 0, n = schema_words(field, words); k < n; ++k)
            at = append(buffer, size, append(buffer, size, at, k ? ", " : ""), words[k]);
        break;
    case FIELD_NAMES: append(buffer, size, 0, "a list of two names"); break;
    case FIELD_VECTOR:
        at = append(buffer, size, 0, "[x, y, z], each ");
        expects_quantity(field, buffer, size, at);
        break;
    case FIELD_DOWN:
        at = expects_quantity(field, buffer, size, 0);
        append(buffer, size, at, ", or [x, y, z]");
        break;
    case FIELD_DIRECTION: append(buffer, size, 0, "x, -x, y, -y, z, -z or [x, y, z]"); break;
    case FIELD_ROTATION: append(buffer, size, 0, "{axis: ..., angle: ...} or a quaternion [w, x, y, z]"); break;
    case FIELD_INTERVAL:
        at = append(buffer, size, 0, "[from, to], each ");
        expects_quantity(field, buffer, size, at);
        break;
    case FIELD_COUNTS: append(buffer, size, 0, "[nx, ny, nz], whole numbers above 0"); break;
    case FIELD_NUMBERS:
        at = append(buffer, size, 0, "a list, each item ");
        expects_quantity(field, buffer, size, at);
        break;
    case FIELD_ARM:
        append(buffer, size, 0, "a length, like \"10 mm\", or a ratio of the radius, like \"0.02 r\" or \"0.1 r_eff\"");
        break;
    case FIELD_TABLE:
        at = append(buffer, size, 0, "[x, y, z] or rows [t, x, y, z], each of x, y, z ");
        expects_quantity(field, buffer, size, at);
        break;
    case FIELD_COURSE:
        at = expects_quantity(field, buffer, size, 0);
        append(buffer, size, at, ", rows [t, value], or a sine");
        break;
    case FIELD_DISTRIBUTION:
        at = expects_quantity(field, buffer, size, 0);
        append(buffer, size, at, ", or a distribution of it");
        break;
    case FIELD_OBJECT: append(buffer, size, 0, "a map"); break;
    case FIELD_LIST: append(buffer, size, 0, "a list"); break;
    case FIELD_MAP: append(buffer, size, 0, "names, each with a map"); break;
    }
    return buffer;
}

static int is_empty(const scree_doc_node *node)
{
    return node->kind == SCREE_DOC_SCALAR && node->length == 0;
}

/// "key: expected ..., found ...": what every reader here says when the node is of the wrong kind.
static scree_status refuse(const scree_doc *doc, const scree_doc_node *node, const schema_field *field,
                           const char *found)
{
    char expected[400], quote[SCREE_DOC_QUOTE_SIZE];
    schema_expects(field, expected, sizeof expected);
    if (is_empty(node)) return scree_doc_fail(doc, node, "%s: no value, expected %s", field->key, expected);
    return scree_doc_fail(doc, node, "%s: expected %s, found %s", field->key, expected,
                          found ? found : scree_doc_quote(node, quote));
}

/// A scalar that is not empty and hides no NUL.
static int is_plain(const scree_doc_node *node)
{
    return node->kind == SCREE_DOC_SCALAR && node->length > 0 && strlen(node->text) == node->length;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------------- */

static int in_range(const schema_field *field, double x)
{
    unsigned r = field->range;
    if ((r & RANGE_LOW) && (r & RANGE_LOW_OPEN ? !(x > field->low) : !(x >= field->low))) return 0;
    if ((r & RANGE_HIGH) && (r & RANGE_HIGH_OPEN ? !(x < field->high) : !(x <= field->high))) return 0;
    return 1;
}

/// What is wrong with a text that is no number with a unit.
static scree_status number_fault(const scree_doc *doc, const scree_doc_node *node, const schema_field *field,
                                 const unit_problem *problem)
{
    char expected[400], quote[SCREE_DOC_QUOTE_SIZE];
    schema_expects(field, expected, sizeof expected);
    scree_doc_quote(node, quote);
    switch (problem->fault) {
    case UNIT_UNKNOWN: {
        const char *near = unit_suggest(problem->word, field->unit);
        if (near)
            return scree_doc_fail(doc, node, "%s: unknown unit '%s' in %s, did you mean '%s'? (expected %s)",
                                  field->key, problem->word, quote, near, expected);
        return scree_doc_fail(doc, node, "%s: unknown unit '%s' in %s, expected %s", field->key, problem->word, quote,
                              expected);
    }
    case UNIT_RANGE:
        return scree_doc_fail(doc, node, "%s: %s is too large or too small for a number, expected %s", field->key,
                              quote, expected);
    case UNIT_AMBIGUOUS:
        return scree_doc_fail(doc, node,
                              "%s: the unit in %s can be read in two ways, expected '*' or parentheses after '/'",
                              field->key, quote);
    case UNIT_COMMA:
        return scree_doc_fail(doc, node, "%s: expected a decimal point, found a comma in %s", field->key, quote);
    default: return refuse(doc, node, field, NULL);
    }
}

/// The number and unit of a node; `value` without a unit is as written.
static scree_status read_unit_value(const scree_doc *doc, const scree_doc_node *node, const schema_field *field,
                                    unit_value *value)
{
    unit_problem problem;
    if (!is_plain(node)) return refuse(doc, node, field, NULL);
    if (unit_parse(node->text, value, &problem) != UNIT_OK) return number_fault(doc, node, field, &problem);
    return SCREE_OK;
}

/// Says what dimension stands where another was expected.
static scree_status wrong_dimension(const scree_doc *doc, const scree_doc_node *node, const schema_field *field,
                                    const unit_value *value)
{
    char buffer[80], found[160], quote[SCREE_DOC_QUOTE_SIZE];
    scree_doc_quote(node, quote);
    size_t n = strlen(quote); /* without its quotes: 5 deg (an angle) */
    snprintf(found, sizeof found, "%.*s (%s)", n > 2 ? (int)n - 2 : 0, quote + 1,
             unit_dims_name(value->dims, buffer, sizeof buffer));
    return refuse(doc, node, field, found);
}

static scree_status read_quantity(const scree_doc *doc, const scree_doc_node *node, const schema_field *field,
                                  double *at)
{
    unit_value value = {0};
    scree_status status = read_unit_value(doc, node, field, &value);
    if (status != SCREE_OK) return status;
    if (value.has_unit && !quantity_takes(field->unit, value.dims)) return wrong_dimension(doc, node, field, &value);
    if (!in_range(field, value.value)) return refuse(doc, node, field, NULL);
    *at = value.value;
    return SCREE_OK;
}

/// A length, a ratio "0.02 r" or "0.1 r_eff", or 0; a bare number could be any of them and is refused.
static scree_status read_arm(const scree_doc *doc, const scree_doc_node *node, const schema_field *field,
                             scree_friction_length *arm)
{
    unit_value value = {0};
    scree_status status = read_unit_value(doc, node, field, &value);
    if (status != SCREE_OK) return status;
    static const quantity of_kind[] = {[SCREE_LENGTH_ABSOLUTE] = QUANTITY_LENGTH,
                                       [SCREE_LENGTH_RATIO] = QUANTITY_RATIO,
                                       [SCREE_LENGTH_REDUCED] = QUANTITY_REDUCED};
    int kind = value.has_unit ? SCREE_LENGTH_REDUCED : SCREE_LENGTH_ABSOLUTE;
    while (kind > SCREE_LENGTH_ABSOLUTE && !quantity_takes(of_kind[kind], value.dims)) --kind;
    if (!value.has_unit && value.value != 0.0) {
        char found[SCREE_DOC_QUOTE_SIZE + 32], quote[SCREE_DOC_QUOTE_SIZE];
        snprintf(found, sizeof found, "%s without a unit", scree_doc_quote(node, quote));
        return refuse(doc, node, field, found);
    }
    if (value.has_unit && !quantity_takes(of_kind[kind], value.dims)) return wrong_dimension(doc, node, field, &value);
    if (value.value < 0.0) return refuse(doc, node, field, NULL);
    *arm = (scree_friction_length){value.value, kind};
    return SCREE_OK;
}

static scree_status read_integer(const scree_doc *doc, const scree_doc_node *node, const schema_field *field, int *at)
{
    double x = 0.0;
    if (!is_plain(node)) return refuse(doc, node, field, NULL);
    size_t used = scree_doc_decimal(node->text, &x);
    if (used != node->length || x != floor(x) || x > INT_MAX || x < INT_MIN || !in_range(field, x))
        return refuse(doc, node, field, NULL);
    *at = (int)x;
    return SCREE_OK;
}

static scree_status read_flag(const scree_doc *doc, const scree_doc_node *node, const schema_field *field, int *at)
{
    static const char *const words[] = {"false", "true", "0", "1", "no", "yes", "off", "on"};
    for (int k = 0; k < 8; ++k)
        if (scree_doc_text_is(node, words[k])) {
            *at = k % 2;
            return SCREE_OK;
        }
    return refuse(doc, node, field, NULL);
}

/* ---- words --------------------------------------------------------------------------------------------------------------- */

static scree_status read_choice(const scree_doc *doc, const scree_doc_node *node, const schema_field *field, int *at)
{
    const char *words[SCHEMA_WORDS_MAX];
    char unknown[64];
    int count = schema_words(field, words);
    if (!is_plain(node)) return refuse(doc, node, field, NULL);
    for (int k = 0; k < count; ++k)
        if (scree_doc_text_is(node, words[k])) {
            *at = k;
            return SCREE_OK;
        }
    snprintf(unknown, sizeof unknown, "%s: unknown word", field->key);
    return scree_doc_not_among(doc, node, unknown, words, count);
}

static scree_status read_choices(const scree_doc *doc, const scree_doc_node *node, const schema_field *field,
                                 unsigned *at)
{
    int k = 0;
    *at = 0;
    if (node->kind == SCREE_DOC_MAP) return refuse(doc, node, field, NULL);
    if (node->kind == SCREE_DOC_SCALAR) {
        scree_status status = read_choice(doc, node, field, &k);
        *at = 1u << k;
        return status;
    }
    for (const scree_doc_node *item = node->child; item; item = item->next) {
        scree_status status = read_choice(doc, item, field, &k);
        if (status != SCREE_OK) return status;
        *at |= 1u << k;
    }
    return SCREE_OK;
}

static scree_status read_names(const scree_doc *doc, const scree_doc_node *node, const schema_field *field,
                               const scree_doc_node **at)
{
    char found[48];
    if (node->kind != SCREE_DOC_LIST) return refuse(doc, node, field, NULL);
    snprintf(found, sizeof found, "a list of %d", node->count);
    if (node->count != 2) return refuse(doc, node, field, found);
    at[0] = node->child, at[1] = node->child->next;
    for (int k = 0; k < 2; ++k)
        if (!is_plain(at[k])) return refuse(doc, at[k], field, NULL);
    return SCREE_OK;
}

/* ---- vectors and rotations ------------------------------------------------------------------------------------------------- */

/// A list of exactly `count` quantities. A list of another length is refused at its first item too many, or as a whole.
static scree_status read_tuple(const scree_doc *doc, const scree_doc_node *node, const schema_field *field, int count,
                               double *at)
{
    char found[48];
    if (node->kind != SCREE_DOC_LIST) return refuse(doc, node, field, NULL);
    if (node->count != count) {
        const scree_doc_node *place = node->child;
        for (int k = 0; place && k < count; ++k) place = place->next; /* the first item too many, if there is one */
        snprintf(found, sizeof found, "a list of %d", node->count);
        return refuse(doc, place && !is_empty(place) ? place : node, field, found);
    }
    schema_field item_field = *field; /* messages about an item speak of one quantity */
    if (field->type != FIELD_ROTATION && field->type != FIELD_DIRECTION) item_field.type = FIELD_NUMBER;
    const scree_doc_node *item = node->child;
    for (int k = 0; item && k < count; ++k, item = item->next) {
        scree_status status = read_quantity(doc, item, &item_field, &at[k]);
        if (status != SCREE_OK) return status;
    }
    return SCREE_OK;
}

static scree_status read_counts(const scree_doc *doc, const scree_doc_node *node, const schema_field *field, int *at)
{
    schema_field one = *field;
    if (node->kind != SCREE_DOC_LIST || node->count != 3) return refuse(doc, node, field, NULL);
    one.type = FIELD_INTEGER, one.range = RANGE_LOW, one.low = 1.0;
    const scree_doc_node *item = node->child;
    for (int k = 0; item && k < 3; ++k, item = item->next) {
        scree_status status = read_integer(doc, item, &one, &at[k]);
        if (status != SCREE_OK) return status;
    }
    return SCREE_OK;
}

static scree_status read_interval(const scree_doc *doc, const scree_doc_node *node, const schema_field *field,
                                  double *at)
{
    scree_status status = read_tuple(doc, node, field, 2, at);
    if (status == SCREE_OK && !(at[0] < at[1]))
        return scree_doc_fail(doc, node, "%s: expected the smaller value first, found [%.9g, %.9g]", field->key, at[0],
                              at[1]);
    return status;
}

/// A number is a magnitude, downwards: the caller turns it if down is not -z.
static scree_status read_down(const scree_doc *doc, const scree_doc_node *node, const schema_field *field, double *at)
{
    if (node->kind == SCREE_DOC_LIST) return read_tuple(doc, node, field, 3, at);
    schema_field magnitude = *field;
    double g = 0.0;
    magnitude.range = RANGE_LOW, magnitude.low = 0.0;
    scree_status status = read_quantity(doc, node, &magnitude, &g);
    at[0] = at[1] = 0.0, at[2] = g > 0.0 ? -g : 0.0;
    return status;
}

static scree_status read_direction(const scree_doc *doc, const scree_doc_node *node, const schema_field *field,
                                   double *at)
{
    if (node->kind == SCREE_DOC_SCALAR && is_plain(node)) {
        const char *letter = node->text + (*node->text == '-' || *node->text == '+');
        int axis = *letter - 'x';
        if (axis < 0 || axis > 2 || letter[1] != '\0') return refuse(doc, node, field, NULL);
        at[0] = at[1] = at[2] = 0.0;
        at[axis] = *node->text == '-' ? -1.0 : 1.0;
        return SCREE_OK;
    }
    scree_status status = read_tuple(doc, node, field, 3, at);
    if (status != SCREE_OK) return status;
    double largest = number_max(number_max(fabs(at[0]), fabs(at[1])), fabs(at[2]));
    if (!(largest > 0.0)) return scree_doc_fail(doc, node, "%s: expected a direction, found [0, 0, 0]", field->key);
    for (int k = 0; k < 3; ++k) at[k] /= largest; /* no overflow in the norm */
    double norm = vec_norm(at);
    for (int k = 0; k < 3; ++k) at[k] /= norm;
    return SCREE_OK;
}

static scree_status read_rotation(scree_doc *doc, const scree_doc_node *node, const schema_field *field, double *at)
{
    if (node->kind == SCREE_DOC_MAP) {
        scene_turn turn;
        scree_status status = schema_read(doc, node, &schema_turn, QUANTITY_NUMBER, &turn);
        if (status != SCREE_OK) return status;
        for (int k = 0; k < 3; ++k) turn.axis[k] *= turn.angle;
        quat_exp(turn.axis, at);
        return SCREE_OK;
    }
    scree_status status = read_tuple(doc, node, field, 4, at);
    if (status != SCREE_OK) return status;
    double norm = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2] + at[3] * at[3]);
    if (!(fabs(norm - 1.0) <= 1e-3))
        return scree_doc_fail(doc, node, "%s: expected a quaternion of length 1, found one of length %.6g", field->key,
                              norm);
    quat_normalise(at);
    return SCREE_OK;
}

/* ---- lists and tables ------------------------------------------------------------------------------------------------------- */

static scree_status read_numbers(scree_doc *doc, const scree_doc_node *node, const schema_field *field,
                                 scene_numbers *at)
{
    if (node->kind != SCREE_DOC_LIST || node->count == 0) return refuse(doc, node, field, NULL);
    schema_field one = *field;
    one.type = FIELD_NUMBER;
    at->value = scree_doc_alloc(doc, (size_t)node->count * sizeof *at->value);
    if (!at->value) return scree_doc_no_memory(doc->name, doc->error);
    at->count = 0;
    for (const scree_doc_node *item = node->child; item; item = item->next) {
        scree_status status = read_quantity(doc, item, &one, &at->value[at->count++]);
        if (status != SCREE_OK) return status;
    }
    return SCREE_OK;
}

static int is_rows(const scree_doc_node *node)
{
    return node->kind == SCREE_DOC_LIST && node->child && node->child->kind == SCREE_DOC_LIST;
}

/// Rows of a time and `width` values, with ascending times: they are joined by straight lines.
static scree_status read_rows(scree_doc *doc, const scree_doc_node *node, const schema_field *field, int width,
                              scree_table *at)
{
    static const schema_field time_field = {.key = "t", .type = FIELD_NUMBER, .unit = QUANTITY_TIME};
    size_t count = (size_t)node->count;
    double *time = scree_doc_alloc(doc, count * (1 + (size_t)width) * sizeof *time),
           *value = time ? time + count : NULL;
    if (!time) return scree_doc_no_memory(doc->name, doc->error);
    *at = (scree_table){node->count, time, value};
    schema_field one = *field;
    one.type = FIELD_NUMBER;
    const scree_doc_node *row = node->child;
    for (int i = 0; row && i < node->count; ++i, row = row->next) {
        if (row->kind != SCREE_DOC_LIST || row->count != 1 + width)
            return scree_doc_fail(doc, row, "%s: row %d of the table: expected %s", field->key, i + 1,
                                  width == 1 ? "[t, value]" : "[t, x, y, z]");
        scree_status status = read_quantity(doc, row->child, &time_field, &time[i]);
        const scree_doc_node *item = row->child->next;
        for (int k = 0; item && k < width && status == SCREE_OK; ++k, item = item->next)
            status = read_quantity(doc, item, &one, &value[width * i + k]);
        if (status != SCREE_OK) return status;
        if (i > 0 && !(time[i] > time[i - 1]))
            return scree_doc_fail(doc, row, "%s: row %d of the table: expected a time after %.9g s, found %.9g s",
                                  field->key, i + 1, time[i - 1], time[i]);
    }
    return SCREE_OK;
}

/// A vector is a constant.
static scree_status read_table(scree_doc *doc, const scree_doc_node *node, const schema_field *field, scree_table *at)
{
    if (is_rows(node)) return read_rows(doc, node, field, 3, at);
    if (node->kind != SCREE_DOC_LIST) return refuse(doc, node, field, NULL);
    double *time = scree_doc_alloc(doc, 4 * sizeof *time);
    if (!time) return scree_doc_no_memory(doc->name, doc->error);
    *at = (scree_table){1, time, time + 1};
    time[0] = 0.0;
    return read_tuple(doc, node, field, 3, time + 1);
}

static scree_status read_distribution(scree_doc *doc, const scree_doc_node *node, const schema_field *field, void *at)
{
    scree_status status = schema_read(doc, node->kind == SCREE_DOC_MAP ? node : NULL, field->object, field->unit, at);
    if (status != SCREE_OK || node->kind == SCREE_DOC_MAP) return status;
    double *fixed = (double *)((char *)at + offsetof(scene_fixed, fixed));
    ((scene_head *)at)->node = node;
    return read_quantity(doc, node, field, fixed);
}

static scree_status read_course(scree_doc *doc, const scree_doc_node *node, const schema_field *field, scene_course *at)
{
    if (!is_rows(node)) return read_distribution(doc, node, field, at);
    scree_status status = schema_read(doc, NULL, field->object, field->unit, at);
    at->head.node = node;
    return status ? status : read_rows(doc, node, field, 1, &at->over.table);
}

/* ---- any value --------------------------------------------------------------------------------------------------------------- */

scree_status schema_value(scree_doc *doc, const scree_doc_node *node, const schema_field *field, void *at)
{
    switch (field->type) {
    case FIELD_NUMBER: return read_quantity(doc, node, field, at);
    case FIELD_INTEGER: return read_integer(doc, node, field, at);
    case FIELD_FLAG: return read_flag(doc, node, field, at);
    case FIELD_TEXT:
        if (!is_plain(node)) return refuse(doc, node, field, NULL);
        *(const char **)at = node->text;
        return SCREE_OK;
    case FIELD_CHOICE: return read_choice(doc, node, field, at);
    case FIELD_CHOICES: return read_choices(doc, node, field, at);
    case FIELD_NAMES: return read_names(doc, node, field, at);
    case FIELD_VECTOR: return read_tuple(doc, node, field, 3, at);
    case FIELD_DOWN: return read_down(doc, node, field, at);
    case FIELD_DIRECTION: return read_direction(doc, node, field, at);
    case FIELD_ROTATION: return read_rotation(doc, node, field, at);
    case FIELD_INTERVAL: return read_interval(doc, node, field, at);
    case FIELD_COUNTS: return read_counts(doc, node, field, at);
    case FIELD_NUMBERS: return read_numbers(doc, node, field, at);
    case FIELD_ARM: return read_arm(doc, node, field, at);
    case FIELD_TABLE: return read_table(doc, node, field, at);
    case FIELD_COURSE: return read_course(doc, node, field, at);
    case FIELD_DISTRIBUTION: return read_distribution(doc, node, field, at);
    default: return refuse(doc, node, field, NULL); /* objects, lists and maps are read by schema_read */
    }
}
