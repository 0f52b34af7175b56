/* scene_measures.c: measures of a scene: names, and values that depend on each other. */
#include "scene/scene_check.h"

#include <string.h>

/// Columns of series.csv are named by measures, fixed and driven bodies, and joints alike.
static scree_status check_measure_name(scene_checker *c, const scene_measure *m)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    char quote[SCREE_DOC_QUOTE_SIZE];
    const char *name = m->name.text;
    const scene_body *body = c->root->bodies.item;
    const scene_joint *joint = c->root->joints.item;
    if (name[0] == '\0' || name[strspn(name, allowed)] != '\0' || strlen(name) > 60)
        return scree_doc_fail(c->doc, m->name.node,
                              "measures: expected a name of at most 60 letters, digits, '_' and '-', found %s",
                              scree_doc_quote(m->name.node, quote));
    for (int k = 0; k < c->root->bodies.count; ++k)
        if (body[k].name && strcmp(body[k].name, name) == 0)
            return scree_doc_fail(c->doc, m->name.node,
                                  "measures: a body is named '%s' too (line %d), expected another name", name,
                                  body[k].head.node->line);
    for (int k = 0; k < c->root->joints.count; ++k)
        if (joint[k].name && strcmp(joint[k].name, name) == 0)
            return scree_doc_fail(c->doc, m->name.node,
                                  "measures: a joint is named '%s' too (line %d), expected another name", name,
                                  joint[k].head.node->line);
    return SCREE_OK;
}

static scree_status check_profile(scene_checker *c, const scene_profile *p)
{
    for (int k = 0; k < 3; ++k)
        if (!(p->max[k] > p->min[k]))
            return scree_doc_fail(c->doc, schema_node(&p->head, "max"),
                                  "max: not above min in %c, expected a box with a volume", "xyz"[k]);
    return SCREE_OK;
}

static scree_status check_force(scene_checker *c, const scene_force *f)
{
    static const char *const both[] = {"normal", "area"};
    scree_status status = check_body_name(c, schema_node(&f->head, "body"), 0);
    for (int k = 0; k < 2 && status == SCREE_OK; ++k)
        if (schema_key(&f->head, both[k]) && !schema_key(&f->head, both[!k]))
            return scree_doc_fail(c->doc, schema_key(&f->head, both[k]), "'%s' without '%s', expected both or none",
                                  both[k], both[!k]);
    return status;
}

scree_status check_measures(scene_checker *c)
{
    static const char *const axis[] = {"x", "y", "z"};
    const scene_measure *m = c->root->measures.item;
    scree_status status = SCREE_OK;
    for (int k = 0; k < c->root->measures.count && status == SCREE_OK; ++k) {
        const scene_region *region[] = {&m[k].flow.within, &m[k].inside, &m[k].force.within};
        status = check_measure_name(c, &m[k]);
        for (int i = 0; i < 3 && status == SCREE_OK; ++i)
            if (region[i]->head.node) status = check_region(c, region[i], 0.0);
        if (status == SCREE_OK && m[k].profile.head.node) status = check_profile(c, &m[k].profile);
        if (status == SCREE_OK && m[k].force.head.node) status = check_force(c, &m[k].force);
        for (int i = 0; i < 3 && status == SCREE_OK && m[k].cell.head.node; ++i)
            if (!schema_key(&c->root->periodic.head, axis[i]))
                status = scree_doc_fail(
                    c->doc, m[k].name.node,
                    "measures: a cell that is not periodic along %s, expected x, y and z in 'periodic'", axis[i]);
    }
    return status;
}
