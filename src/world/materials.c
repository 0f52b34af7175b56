/* materials.c: materials, and the friction between two of them.
 *
 * The table `pair` holds the friction of every pair of materials, either given or mixed from the two, so that a contact reads one
 * entry. min, max, mean and geometric mean all commute with a common factor, so two ratios mix to a ratio; a length and a ratio do
 * not mix before the radius is known (pair_friction.differ). A stiffness of 0 means rigid: it is mixed as infinity. */
#include "base/memory.h"
#include "math/scalar.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_MATERIALS = 8 };

static int arm_valid(const scree_arm *arm, const char *what, const char *name, scree_error *error)
{
    if (arm->value >= 0.0 && isfinite(arm->value)) return 1;
    scree_error_set(error, NULL, 0, 0,
                    "%s: the %s friction is %g, expected a length of 0 or more, or a ratio of the radius", name, what,
                    arm->value);
    return 0;
}

static int friction_valid(const scree_friction *f, const char *name, scree_error *error)
{
    if (!(f->mu >= 0.0) || !isfinite(f->mu)) {
        scree_error_set(error, NULL, 0, 0, "%s: the friction coefficient is %g, expected 0 or more", name, f->mu);
        return 0;
    }
    if (!(f->restitution >= 0.0 && f->restitution <= 1.0)) {
        scree_error_set(error, NULL, 0, 0, "%s: the restitution is %g, expected a number from 0 to 1", name,
                        f->restitution);
        return 0;
    }
    if (!(f->stiffness >= 0.0) || !isfinite(f->stiffness)) {
        scree_error_set(error, NULL, 0, 0, "%s: the contact stiffness is %g N/m, expected 0 (rigid) or more", name,
                        f->stiffness);
        return 0;
    }
    return arm_valid(&f->rolling, "rolling", name, error) && arm_valid(&f->spinning, "spinning", name, error);
}

static double mix(scree_mixing rule, double a, double b)
{
    switch (rule) {
    case SCREE_MIX_MAX: return max2(a, b);
    case SCREE_MIX_MEAN: return 0.5 * (a + b);
    case SCREE_MIX_GEOMETRIC: return sqrt(a) * sqrt(b);
    case SCREE_MIX_MIN:
    default: return min2(a, b);
    }
}

/// Zero is a length and a ratio at once.
static int arms_alike(const scree_arm *a, const scree_arm *b)
{
    return !a->is_ratio == !b->is_ratio || a->value == 0.0 || b->value == 0.0;
}

static scree_arm mix_arms(scree_mixing rule, const scree_arm *a, const scree_arm *b)
{
    if (!arms_alike(a, b)) return (scree_arm){(double)NAN, 0};
    const scree_arm *kind = a->value == 0.0 ? b : a;
    return (scree_arm){mix(rule, a->value, b->value), kind->is_ratio != 0};
}

static double mix_stiffness(scree_mixing rule, double a, double b)
{
    double k = mix(rule, a > 0.0 ? a : SCREE_INFINITY, b > 0.0 ? b : SCREE_INFINITY);
    return isfinite(k) ? k : 0.0;
}

static pair_friction mixture(const scree_world_options *o, const scree_friction *a, const scree_friction *b)
{
    return (pair_friction){.friction = {.mu = mix(o->mix_friction, a->mu, b->mu),
                                        .rolling = mix_arms(o->mix_rolling, &a->rolling, &b->rolling),
                                        .spinning = mix_arms(o->mix_spinning, &a->spinning, &b->spinning),
                                        .restitution = mix(o->mix_restitution, a->restitution, b->restitution),
                                        .stiffness = mix_stiffness(o->mix_stiffness, a->stiffness, b->stiffness)},
                           .differ = !arms_alike(&a->rolling, &b->rolling) || !arms_alike(&a->spinning, &b->spinning)};
}

static scree_status reserve_materials(scree_world *w, int wanted)
{
    if (wanted <= w->material_capacity) return SCREE_OK;
    const scree_allocator *a = &w->allocator;
    int old = w->material_capacity, capacity = old > 0 ? 2 * old : FIRST_MATERIALS;
    pair_friction *pair = memory_array(a, (size_t)capacity * (size_t)capacity, sizeof *pair);
    scree_material *material = pair ? world_grow(a, w->material, w->material_count, capacity, sizeof *material) : NULL;
    if (material) w->material = material;
    char **name = material ? world_grow(a, w->material_name, w->material_count, capacity, sizeof *name) : NULL;
    if (!name) {
        memory_free(a, pair);
        return SCREE_ERR_MEMORY;
    }
    for (int i = 0; i < w->material_count; ++i)
        memcpy(pair + (size_t)i * (size_t)capacity, w->pair + (size_t)i * (size_t)old,
               (size_t)w->material_count * sizeof *pair);
    memory_free(a, w->pair);
    w->material_name = name, w->pair = pair, w->material_capacity = capacity;
    return SCREE_OK;
}

static pair_friction *pair_at(const scree_world *w, int a, int b)
{
    return &w->pair[(size_t)a * (size_t)w->material_capacity + (size_t)b];
}

scree_status scree_world_add_material(scree_world *w, const scree_material *material, int *index, scree_error *error)
{
    const char *name = material->name ? material->name : "";
    char quoted[160];
    snprintf(quoted, sizeof quoted, "material '%s'", name);
    if (!(material->density >= 0.0) || !isfinite(material->density)) {
        scree_error_set(
            error, NULL, 0, 0,
            "%s: the density is %g kg/m^3, expected a positive number, or 0 for bodies that give their mass", quoted,
            material->density);
        return SCREE_ERR_INPUT;
    }
    if (!friction_valid(&material->friction, quoted, error)) return SCREE_ERR_INPUT;
    size_t name_size = strlen(name) + 1;
    char *copy = memory_array(&w->allocator, name_size, 1);
    if (!copy || reserve_materials(w, w->material_count + 1) != SCREE_OK) {
        memory_free(&w->allocator, copy);
        scree_error_set(error, NULL, 0, 0, "no memory for another material");
        return SCREE_ERR_MEMORY;
    }
    memcpy(copy, name, name_size);
    int m = w->material_count++;
    w->material[m] = *material;
    w->material[m].name = w->material_name[m] = copy;
    for (int i = 0; i <= m; ++i)
        *pair_at(w, i, m) = *pair_at(w, m, i) = mixture(&w->options, &w->material[i].friction, &material->friction);
    if (index) *index = m;
    return SCREE_OK;
}

int scree_world_material_count(const scree_world *w)
{
    return w->material_count;
}

const scree_material *scree_world_material(const scree_world *w, int index)
{
    SCREE_ASSERT(index >= 0 && index < w->material_count);
    return &w->material[index];
}

scree_status scree_world_set_pair(scree_world *w, int material_a, int material_b, const scree_friction *friction,
                                  scree_error *error)
{
    int wrong = material_a < 0 || material_a >= w->material_count ? material_a : material_b;
    if (wrong < 0 || wrong >= w->material_count) {
        scree_error_set(error, NULL, 0, 0, "there is no material %d, expected 0 to %d", wrong, w->material_count - 1);
        return SCREE_ERR_INPUT;
    }
    if (!friction_valid(friction, "pair of materials", error)) return SCREE_ERR_INPUT;
    *pair_at(w, material_a, material_b) = *pair_at(w, material_b, material_a) =
        (pair_friction){.friction = *friction, .given = 1};
    return SCREE_OK;
}

scree_friction scree_world_pair(const scree_world *world, int material_a, int material_b)
{
    SCREE_ASSERT(material_a >= 0 && material_a < world->material_count);
    SCREE_ASSERT(material_b >= 0 && material_b < world->material_count);
    return pair_at(world, material_a, material_b)->friction;
}

static double arm_length(const scree_arm *arm, double radius)
{
    return arm->is_ratio ? arm->value * radius : arm->value;
}

/// Lengths first, then the mixture.
static double mixed_length(scree_mixing rule, const scree_arm *a, const scree_arm *b, double radius)
{
    return mix(rule, arm_length(a, radius), arm_length(b, radius));
}

void contact_law(const scree_world *world, int material_a, int material_b, double radius, scree_touch *touch)
{
    const pair_friction *pair = pair_at(world, material_a, material_b);
    const scree_friction *f = &pair->friction;
    double rho, sigma;
    if (!pair->differ) {
        rho = arm_length(&f->rolling, radius), sigma = arm_length(&f->spinning, radius);
    } else {
        const scree_friction *a = &world->material[material_a].friction, *b = &world->material[material_b].friction;
        rho = mixed_length(world->options.mix_rolling, &a->rolling, &b->rolling, radius);
        sigma = mixed_length(world->options.mix_spinning, &a->spinning, &b->spinning, radius);
    }
    int planar = world->options.planar != SCREE_SPATIAL;
    touch->cone.size[SCREE_SLIDE] = planar ? 1 : 2;
    touch->cone.size[SCREE_ROLL] = rho > 0.0 ? (planar ? 1 : 2) : 0;
    touch->cone.size[SCREE_SPIN] = sigma > 0.0 && !planar;
    touch->cone.coef[SCREE_SLIDE] = f->mu;
    touch->cone.coef[SCREE_ROLL] = rho;
    touch->cone.coef[SCREE_SPIN] = planar ? 0.0 : sigma;
    touch->restitution = f->restitution;
    touch->stiffness = f->stiffness;
}
