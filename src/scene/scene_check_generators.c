/* scene_check_generators.c: sizes, regions and numbers of grains that make sense. */
#include "scene/scene_check.h"

#include "math/elementary.h"
#include "world/world_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- distributions --------------------------------------------------------------------------------------------------- */

/// Probability of a standard normal variable between a and b.
static double normal_between(double a, double b)
{
    return 0.5 * (erfc(a / sqrt(2.0)) - erfc(b / sqrt(2.0)));
}

/// Fills in the limits that were not given, and checks that draws between them are not too rare: they are drawn again until they are.
static scree_status check_cut(scene_checker *c, const scene_head *head, double low, double high, double probability)
{
    enum { LEAST_PERCENT = 1 };
    if (!(low < high))
        return scree_doc_fail(c->doc, head->node, "expected min below max, found %.9g and %.9g", low, high);
    if (!(low > 0.0))
        return scree_doc_fail(c->doc, head->node,
                              "the smallest value is %.9g, expected it above 0: give 'min', or less deviation", low);
    if (!(probability >= 0.01 * LEAST_PERCENT))
        return scree_doc_fail(c->doc, head->node,
                              "almost no value lies between min and max, expected at least %d percent", LEAST_PERCENT);
    return SCREE_OK;
}

static scree_status check_distribution(scene_checker *c, scene_distribution *d)
{
    scene_normal *n = &d->normal;
    scene_lognormal *l = &d->lognormal;
    if (d->uniform.head.node && !(d->uniform.min <= d->uniform.max))
        return scree_doc_fail(c->doc, d->uniform.head.node, "expected min below max, found %.9g and %.9g",
                              d->uniform.min, d->uniform.max);
    if (n->head.node) {
        if (!schema_key(&n->head, "min")) n->min = n->mean - 3.0 * n->deviation;
        if (!schema_key(&n->head, "max")) n->max = n->mean + 3.0 * n->deviation;
        return check_cut(c, &n->head, n->min, n->max,
                         normal_between((n->min - n->mean) / n->deviation, (n->max - n->mean) / n->deviation));
    }
    if (l->head.node) {
        if (!schema_key(&l->head, "min")) l->min = l->median * real_exp(-3.0 * l->spread);
        if (!schema_key(&l->head, "max")) l->max = l->median * real_exp(3.0 * l->spread);
        return check_cut(
            c, &l->head, l->min, l->max,
            normal_between(real_log(l->min / l->median) / l->spread, real_log(l->max / l->median) / l->spread));
    }
    if (d->list.head.node && d->list.weights.count > 0) {
        double sum = 0.0;
        for (int k = 0; k < d->list.weights.count; ++k) sum += d->list.weights.value[k];
        if (d->list.weights.count != d->list.values.count)
            return scree_doc_fail(c->doc, schema_node(&d->list.head, "weights"),
                                  "weights: expected %d, as many as values, found %d", d->list.values.count,
                                  d->list.weights.count);
        if (!(sum > 0.0) || !isfinite(sum))
            return scree_doc_fail(c->doc, schema_node(&d->list.head, "weights"), "weights: expected a sum above 0");
    }
    return SCREE_OK;
}

static double smallest_size(const scene_distribution *d)
{
    double least = INFINITY;
    if (d->uniform.head.node) return d->uniform.min;
    if (d->normal.head.node) return d->normal.min;
    if (d->lognormal.head.node) return d->lognormal.min;
    if (!d->list.head.node) return d->fixed;
    for (int k = 0; k < d->list.values.count; ++k) least = number_min(least, d->list.values.value[k]);
    return least;
}

/* ---- regions ----------------------------------------------------------------------------------------------------------- */

/// 1 if the region, less `radius` at its borders, has points in the plane of a planar scene.
static int meets_plane(int planar, const scene_region *r, const scene_region_round *round, double radius)
{
    int normal = planar == SCREE_PLANAR_XY ? 2 : planar == SCREE_PLANAR_XZ ? 1 : 0;
    if (planar == SCREE_PLANAR_NONE) return 1;
    if (r->box.head.node) return r->box.min[normal] <= 0.0 && r->box.max[normal] >= 0.0;
    if (normal == 2 && round != &r->ball) return round->center[2] <= 0.0 && round->center[2] + round->height >= 0.0;
    return fabs(round->center[normal]) <= round->radius - radius;
}

#define TOO_SMALL "no grain fits in: the smallest has radius %.9g m"

/// A region reaches no farther than a world does.
static int too_far(int count, const double *value)
{
    for (int k = 0; k < count; ++k)
        if (!(fabs(value[k]) <= WORLD_LARGEST)) return 1;
    return 0;
}

scree_status check_region(scene_checker *c, const scene_region *r, double radius)
{
    if (r->box.head.node)
        for (int k = 0; k < 3; ++k) {
            double extent = r->box.max[k] - r->box.min[k];
            if (!(extent >= 0.0))
                return scree_doc_fail(c->doc, r->box.head.node,
                                      "the box ends before it starts in %c, expected min <= max", "xyz"[k]);
            if (extent > 0.0 && extent < 2.0 * radius)
                return scree_doc_fail(c->doc, r->box.head.node, TOO_SMALL, radius);
        }
    const scene_region_round *round = r->disk.head.node ? &r->disk : r->cylinder.head.node ? &r->cylinder : &r->ball;
    if (r->box.head.node ? too_far(3, r->box.min) || too_far(3, r->box.max)
                         : too_far(3, round->center) || too_far(1, &round->radius) || too_far(1, &round->height))
        return scree_doc_fail(c->doc, r->head.node, "the region reaches beyond %g m", WORLD_LARGEST);
    if (!meets_plane(c->root->planar, r, round, radius))
        return scree_doc_fail(c->doc, r->head.node,
                              "the region does not meet the plane of motion, which goes through the origin");
    if (round->head.node && (round->radius < radius || (round == &r->cylinder && round->height < 2.0 * radius)))
        return scree_doc_fail(c->doc, round->head.node, TOO_SMALL, radius);
    return SCREE_OK;
}

/// Radius of the sphere around a shape, about the middle of the shape.
static double bounding_radius(const scene_shape *shape)
{
    const double *s = shape->box.size, *e = shape->ellipsoid.semi_axes;
    if (shape->sphere.head.node) return shape->sphere.radius;
    if (shape->box.head.node) return 0.5 * sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    if (shape->ellipsoid.head.node) return number_max(number_max(e[0], e[1]), e[2]);
    return shape->capsule.radius + 0.5 * shape->capsule.length;
}

/* ---- generators ----------------------------------------------------------------------------------------------------------- */

/// What the grains are: balls of a radius, or a shape and its scale; csv may have either in its columns.
static scree_status check_grains(scene_checker *c, scene_generator *g)
{
    const scree_doc_node *shape = schema_key(&g->head, "shape"), *radius = schema_key(&g->head, "radius");
    const scree_doc_node *scale = schema_key(&g->head, "scale"), *orientation = schema_key(&g->head, "orientation");
    if (shape && radius) return scree_doc_fail(c->doc, radius, "'radius' beside 'shape', expected only one of them");
    if (!shape && !radius && !g->csv.head.node)
        return scree_doc_fail(c->doc, g->head.node,
                              "the shape of the grains is not given, expected 'radius' (balls) or 'shape'");
    if (scale && !shape) return scree_doc_fail(c->doc, scale, "'scale' without 'shape', expected it left out");
    if (orientation && (!shape || g->shape.sphere.head.node))
        return scree_doc_fail(c->doc, orientation,
                              "balls look alike however they are rotated, expected 'orientation' left out");
    for (int k = 0; k < 2; ++k) {
        const scree_doc_node *moved = schema_key(&g->shape.head, k ? "rotation" : "at");
        if (moved)
            return scree_doc_fail(c->doc, moved, "the generator places its grains, expected '%s' left out",
                                  moved->text);
    }
    scree_status status = check_distribution(c, &g->radius);
    if (status == SCREE_OK) status = check_distribution(c, &g->scale);
    if (status == SCREE_OK) status = check_grain_shape(c, &g->shape, &g->head, g->material, &g->material_index);
    return status;
}

static scree_status check_generator(scene_checker *c, scene_generator *g, double *grains)
{
    const int *n = g->lattice.count;
    scree_status status = check_name(c, &g->head, g->name);
    if (status == SCREE_OK) status = check_grains(c, g);
    if (status == SCREE_OK) status = check_planar(c, &g->head, g->velocity, g->spin);
    if (status != SCREE_OK) return status;
    double scale = schema_key(&g->head, "scale") ? smallest_size(&g->scale) : 1.0;
    double radius = schema_key(&g->head, "shape") ? scale * bounding_radius(&g->shape) : smallest_size(&g->radius);
    if (g->lattice.head.node) *grains += (double)n[0] * n[1] * n[2];
    if (g->packing.head.node) *grains += g->packing.count;
    if (g->pour.head.node) *grains += g->pour.count;
    if (*grains > SCENE_GRAINS_MAX)
        return scree_doc_fail(c->doc, g->head.node, "%.9g grains in all, expected at most %d", *grains,
                              SCENE_GRAINS_MAX);
    if (g->packing.head.node) return check_region(c, &g->packing.region, radius);
    if (g->pour.head.node) return check_region(c, &g->pour.from, 0.0);
    return SCREE_OK;
}

scree_status check_generators(scene_checker *c)
{
    scene_generator *g = c->root->generators.item;
    double grains = 0.0;
    scree_status status = SCREE_OK;
    if (c->root->generators.count > SCENE_GENERATORS_MAX)
        return scree_doc_fail(c->doc, schema_node(&c->root->head, "generators"),
                              "generators: expected at most %d, found %d", SCENE_GENERATORS_MAX,
                              c->root->generators.count);
    for (int k = 0; k < c->root->generators.count && status == SCREE_OK; ++k)
        status = check_generator(c, &g[k], &grains);
    return status;
}
