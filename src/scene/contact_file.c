/* contact_file.c: one contact from a YAML or JSON text.
 *
 *     W: [[...], ...]   q: [...]   mu:   rolling:   spinning:   law:   cone:          include/scree/scene.h
 *
 * The cone comes first, from `cone:` or from the number of rows of W, because it says which sizes and coefficients are
 * right. Every coefficient it has must be given, and no other: a value that nothing reads is a mistake. */
#include "base/fail.h"
#include "base/memory.h"
#include "scene/yaml_doc.h"

#include <scree/scene.h>

#include <stdio.h>
#include <string.h>

enum { CONTACT_FILE_MAX = 1 << 20 }; /* bytes; a contact of 6 components needs one thousand */

enum { KEY_W, KEY_Q, KEY_MU, KEY_ROLLING, KEY_SPINNING, KEY_LAW, KEY_CONE, KEY_COUNT };
static const char *const keys[KEY_COUNT] = {"W", "q", "mu", "rolling", "spinning", "law", "cone"};
static const char *const units[SCREE_FRICTION_KINDS] = {"no unit", "metres", "metres"};
static const char *const laws[] = {[SCREE_LAW_COULOMB] = "coulomb", [SCREE_LAW_CONVEX] = "convex"};

/* The cones by name. Of two with as many components, the size alone means the later one. */
enum { CONE_COUNT = 6 };
static const char *const cone_names[CONE_COUNT] = {"planar",     "planar+roll", "slide",
                                                   "slide+spin", "slide+roll",  "slide+roll+spin"};
static const scree_cone cones[CONE_COUNT] = {
    {.size = {1, 0, 0}}, {.size = {1, 1, 0}}, {.size = {2, 0, 0}},
    {.size = {2, 0, 1}}, {.size = {2, 2, 0}}, {.size = {2, 2, 1}},
};

/// Which of the cones: by its name, or by the rows of W.
static scree_status read_cone(const scree_doc *doc, const scree_doc_node *W, const scree_doc_node *name, int *cone)
{
    char quote[SCREE_DOC_QUOTE_SIZE];
    if (name) return scree_doc_choice(doc, name, "cone", cone_names, CONE_COUNT, cone);
    if (W->kind != SCREE_DOC_LIST)
        return scree_doc_fail(doc, W, "W is %s, expected a list of 2 to 6 rows", scree_doc_quote(W, quote));
    for (*cone = CONE_COUNT - 1; *cone >= 0; --*cone)
        if (scree_cone_dim(&cones[*cone]) == W->count) return SCREE_OK;
    return scree_doc_fail(doc, W, "W has %d row%s, expected 2 to 6", W->count, W->count == 1 ? "" : "s");
}

/// W, row by row; `entry` keeps where each number stands.
static scree_status read_matrix(const scree_doc *doc, const scree_doc_node *W, int dim, double *values,
                                const scree_doc_node **entry)
{
    char what[32];
    scree_status status = scree_doc_list(doc, W, dim, "W", "rows");
    const scree_doc_node *row = status == SCREE_OK ? W->child : NULL;
    for (int i = 0; row && status == SCREE_OK; ++i, row = row->next) {
        snprintf(what, sizeof what, "row %d of W", i + 1);
        status = scree_doc_list(doc, row, dim, what, "numbers");
        if (status != SCREE_OK) break;
        const scree_doc_node *item = row->child;
        for (int j = 0; item && status == SCREE_OK; ++j, item = item->next) {
            snprintf(what, sizeof what, "W[%d][%d]", i + 1, j + 1);
            entry[i * dim + j] = item;
            status = scree_doc_number(doc, item, what, &values[i * dim + j]);
        }
    }
    return status;
}

static scree_status read_vector(const scree_doc *doc, const scree_doc_node *q, int dim, double *values)
{
    char what[32];
    scree_status status = scree_doc_list(doc, q, dim, "q", "numbers");
    const scree_doc_node *item = status == SCREE_OK ? q->child : NULL;
    for (int i = 0; item && status == SCREE_OK; ++i, item = item->next) {
        snprintf(what, sizeof what, "q[%d]", i + 1);
        status = scree_doc_number(doc, item, what, &values[i]);
    }
    return status;
}

/// A coefficient that the cone does not have: names another cone of the same size that has it, where there is one.
static scree_status unused_coefficient(const scree_doc *doc, const scree_doc_node *map, int cone, int mechanism)
{
    const char *name = keys[KEY_MU + mechanism];
    const scree_doc_node *key = map->child;
    while (key->next && strcmp(key->text, name) != 0) key = key->next;
    for (int other = 0; other < CONE_COUNT; ++other)
        if (scree_cone_dim(&cones[other]) == scree_cone_dim(&cones[cone]) && cones[other].size[mechanism] > 0)
            return scree_doc_fail(doc, key, "the cone %s does not read '%s', expected it left out, or 'cone: %s'",
                                  cone_names[cone], name, cone_names[other]);
    return scree_doc_fail(doc, key, "the cone %s does not read '%s', expected it left out", cone_names[cone], name);
}

static scree_status read_coefficients(const scree_doc *doc, const scree_doc_node *map, int cone, double *coef)
{
    char quote[SCREE_DOC_QUOTE_SIZE];
    for (int k = 0; k < SCREE_FRICTION_KINDS; ++k) {
        const char *name = keys[KEY_MU + k];
        const scree_doc_node *node = scree_doc_get(map, name);
        if (cones[cone].size[k] == 0) {
            if (node) return unused_coefficient(doc, map, cone, k);
            continue;
        }
        if (!node)
            return scree_doc_fail(doc, map, "the key '%s' is missing: the cone %s expects this coefficient (%s)", name,
                                  cone_names[cone], units[k]);
        scree_status status = scree_doc_number(doc, node, name, &coef[k]);
        if (status != SCREE_OK) return status;
        if (coef[k] < 0.0)
            return scree_doc_fail(doc, node, "%s is %s, expected 0 or more", name, scree_doc_quote(node, quote));
    }
    return SCREE_OK;
}

/// Symmetry and semidefiniteness are for laws/ to judge; its row and column lead back to the line.
static scree_status check(const scree_doc *doc, const scree_contact *contact, const scree_doc_node *W,
                          const scree_doc_node *const *entry)
{
    int row = -1, column = -1, dim = scree_cone_dim(&contact->cone);
    scree_error why = {.text = ""};
    if (scree_contact_check(contact, &row, &column, &why) == SCREE_OK) return SCREE_OK;
    int known = row >= 0 && row < dim && column >= 0 && column < dim;
    return scree_doc_fail(doc, known ? entry[row * dim + column] : W, "%s", why.text);
}

static scree_status read_contact(const scree_doc *doc, scree_contact *contact)
{
    const scree_doc_node *map = doc->root, *entry[SCREE_DIM_MAX * SCREE_DIM_MAX];
    int cone = 0, law = SCREE_LAW_COULOMB;
    scree_contact c = {.law = SCREE_LAW_COULOMB};

    scree_status status = scree_doc_keys(doc, map, keys, KEY_COUNT);
    if (status != SCREE_OK) return status;
    const scree_doc_node *W = scree_doc_get(map, "W"), *q = scree_doc_get(map, "q");
    const scree_doc_node *law_name = scree_doc_get(map, "law"), *cone_name = scree_doc_get(map, "cone");
    if (!W) return scree_doc_fail(doc, map, "the key 'W' is missing, expected the rows of the matrix");
    if (!q) return scree_doc_fail(doc, map, "the key 'q' is missing, expected the velocity without reaction");

    status = read_cone(doc, W, cone_name, &cone);
    if (status != SCREE_OK) return status;
    c.cone = cones[cone];
    int dim = scree_cone_dim(&c.cone);
    if (law_name) status = scree_doc_choice(doc, law_name, "law", laws, 2, &law);
    c.law = (scree_law)law;
    if (status == SCREE_OK) status = read_matrix(doc, W, dim, c.W, entry);
    if (status == SCREE_OK) status = read_vector(doc, q, dim, c.q);
    if (status == SCREE_OK) status = read_coefficients(doc, map, cone, c.cone.coef);
    if (status == SCREE_OK) status = check(doc, &c, W, entry);
    if (status == SCREE_OK) *contact = c;
    return status;
}

scree_contact scree_contact_parse(const char *text, size_t size, const char *name, const scree_allocator *allocator,
                                  scree_error *error)
{
    scree_doc doc;
    scree_contact contact = {0};
    if (error_stopped(error)) return contact;
    scree_status status = scree_doc_parse(&doc, text, size, CONTACT_FILE_MAX, name, allocator, error);
    if (status == SCREE_OK) {
        status = read_contact(&doc, &contact);
        scree_doc_free(&doc);
    }
    error_keep(error, status);
    return contact;
}

scree_contact scree_contact_read(const char *path, const scree_allocator *allocator, scree_error *error)
{
    scree_doc_text file;
    scree_contact contact = {0};
    if (error_stopped(error)) return contact;
    if (error_keep(error, scree_doc_text_load(path, CONTACT_FILE_MAX, allocator, &file, error)) != SCREE_OK)
        return contact;
    contact = scree_contact_parse(file.text, file.size, file.name, &file.allocator, error);
    scree_doc_text_free(&file);
    return contact;
}
