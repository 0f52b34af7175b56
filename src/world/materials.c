/* materials.c: materials, and the friction between two of them.
 *
 * The table `pair` holds the friction of every pair of materials, either given or mixed from the two, so that a contact reads one
 * entry. min, max, mean and geometric mean all commute with a common factor, so two ratios of one radius mix to a ratio; arms of two
 * kinds (a length, a ratio of the smaller radius, of the reduced one) do not mix before the radii are known (pair_friction.differ). A stiffness of 0 means rigid: it is mixed as infinity. */
#include "base/memory.h"
#include "base/text.h"
#include "math/scalar.h"
#include "world/world_private.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_MATERIALS = 8 };

static int arm_valid(const scree_friction_length *arm, const char *what, const char *name, scree_error *error)
{
    if (arm->kind < SCREE_LENGTH_ABSOLUTE || arm->kind > SCREE_LENGTH_REDUCED) {
        scree_error_set(error, NULL, 0, 0, "%s: the %s friction is of kind %d, expected a scree_length_kind", name,
                        what, arm->kind);
        return 0;
    }
    if (arm->value >= 0.0 && isfinite(arm->value)) return 1;
    scree_error_set(error, NULL, 0, 0,
                    "%s: the %s friction is %g, expected a length of 0 or more, or a ratio of the radius", name, what,
                    arm->value);
    return 0;
}

/// Not below what it takes to go on; arms of two kinds cannot be compared.
static int static_arm_valid(const scree_friction_length *moving, const scree_friction_length *at_rest, const char *what,
                            const char *name, scree_error *error)
{
    if (at_rest->value == 0.0 || moving->kind != at_rest->kind || at_rest->value >= moving->value) return 1;
    scree_error_set(error, NULL, 0, 0, "%s: the static %s friction is %g, expected at least %g", name, what,
                    at_rest->value, moving->value);
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
    if (!(f->mu_static == 0.0 || f->mu_static >= f->mu) || !isfinite(f->mu_static)) {
        scree_error_set(error, NULL, 0, 0, "%s: the static friction coefficient is %g, expected at least %g", name,
                        f->mu_static, f->mu);
        return 0;
    }
    return arm_valid(&f->rolling, "rolling", name, error) && arm_valid(&f->spinning, "spinning", name, error) &&
           arm_valid(&f->rolling_static, "static rolling", name, error) &&
           arm_valid(&f->spinning_static, "static spinning", name, error) &&
           static_arm_valid(&f->rolling, &f->rolling_static, "rolling", name, error) &&
           static_arm_valid(&f->spinning, &f->spinning_static, "spinning", name, error);
}

/// Zero is of every kind.
static int arms_alike(const scree_friction_length *a, const scree_friction_length *b)
{
    return a->kind == b->kind || a->value == 0.0 || b->value == 0.0;
}

static scree_friction_length mix_arms(scree_mixing rule, const scree_friction_length *a, const scree_friction_length *b)
{
    if (!arms_alike(a, b)) return (scree_friction_length){(double)NAN, SCREE_LENGTH_ABSOLUTE};
    return (scree_friction_length){mix_values(rule, a->value, b->value), a->value == 0.0 ? b->kind : a->kind};
}

static double mix_stiffness(scree_mixing rule, double a, double b)
{
    double k = mix_values(rule, a > 0.0 ? a : SCREE_INFINITY, b > 0.0 ? b : SCREE_INFINITY);
    return isfinite(k) ? k : 0.0;
}

/// What it takes to start: as much as to go on where nothing else is given.
static double start_of(double at_rest, double moving)
{
    return at_rest > 0.0 ? at_rest : moving;
}

static scree_friction mixed_friction(const scree_world_options *o, const scree_friction *a, const scree_friction *b)
{
    return (scree_friction){
        .mu = mix_values(o->mix_friction, a->mu, b->mu),
        .rolling = mix_arms(o->mix_rolling, &a->rolling, &b->rolling),
        .spinning = mix_arms(o->mix_spinning, &a->spinning, &b->spinning),
        .restitution = mix_values(o->mix_restitution, a->restitution, b->restitution),
        .stiffness = mix_stiffness(o->mix_stiffness, a->stiffness, b->stiffness),
        .mu_static = mix_values(o->mix_friction, start_of(a->mu_static, a->mu), start_of(b->mu_static, b->mu)),
        .rolling_static = mix_arms(o->mix_rolling, arm_at_start(&a->rolling_static, &a->rolling),
                                   arm_at_start(&b->rolling_static, &b->rolling)),
        .spinning_static = mix_arms(o->mix_spinning, arm_at_start(&a->spinning_static, &a->spinning),
                                    arm_at_start(&b->spinning_static, &b->spinning))};
}

static pair_friction mixture(const scree_world_options *o, const scree_material *a, const scree_material *b)
{
    pair_friction pair = {.friction = mixed_friction(o, &a->friction, &b->friction)};
    const scree_friction *f = &pair.friction;
    pair.differ = isnan(f->rolling.value) || isnan(f->spinning.value) || isnan(f->rolling_static.value) ||
                  isnan(f->spinning_static.value);
    dem_mixture(o->mix_stiffness, &a->soft, &b->soft, &pair);
    dem_settle(&pair);
    return pair;
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

scree_material scree_material_default(const char *name)
{
    return (scree_material){.name = name, .soft = scree_dem_default()};
}

static scree_status add_material(scree_world *w, const scree_material *material, int *index, scree_error *error)
{
    if (world_reclaim(w) != SCREE_OK) return SCREE_ERR_MEMORY;
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
    if (text_control(name, strlen(name)) >= 0) {
        scree_error_set(error, NULL, 0, 0, "the name of a material has a control character, expected printable text");
        return SCREE_ERR_INPUT;
    }
    if (!friction_valid(&material->friction, quoted, error) || !dem_valid(&material->soft, quoted, error))
        return SCREE_ERR_INPUT;
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
        *pair_at(w, i, m) = *pair_at(w, m, i) = mixture(&w->options, &w->material[i], material);
    *index = m;
    return SCREE_OK;
}

scree_material_id scree_world_add_material(scree_world *w, const scree_material *material, scree_error *error)
{
    int index = -1;
    if (!error_stopped(error)) error_keep(error, add_material(w, material, &index, error));
    return scree_material_at(index);
}

int scree_world_material_count(const scree_world *w)
{
    return w->material_count;
}

/// The index of a material that is there.
static int material_index(const scree_world *w, scree_material_id material)
{
    int index = scree_material_index(material);
    SCREE_ASSERT(index >= 0 && index < w->material_count);
    return index;
}

const scree_material *scree_world_material(const scree_world *w, scree_material_id material)
{
    return &w->material[material_index(w, material)];
}

/// Both materials are there.
static int pair_exists(const scree_world *w, int material_a, int material_b, scree_error *error)
{
    int wrong = material_a < 0 || material_a >= w->material_count ? material_a : material_b;
    if (wrong >= 0 && wrong < w->material_count) return 1;
    scree_error_set(error, NULL, 0, 0, "there is no material %d, expected 0 to %d", wrong, w->material_count - 1);
    return 0;
}

static scree_status set_pair(scree_world *w, int a, int b, const scree_friction *friction, scree_error *error)
{
    if (!pair_exists(w, a, b, error) || !friction_valid(friction, "pair of materials", error)) return SCREE_ERR_INPUT;
    if (world_reclaim(w) != SCREE_OK) return SCREE_ERR_MEMORY;
    pair_friction pair = *pair_at(w, a, b);
    pair.friction = *friction, pair.given = 1, pair.differ = 0;
    dem_settle(&pair);
    *pair_at(w, a, b) = *pair_at(w, b, a) = pair;
    return SCREE_OK;
}

scree_status scree_world_set_pair(scree_world *w, scree_material_id material_a, scree_material_id material_b,
                                  const scree_friction *friction, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    const int a = scree_material_index(material_a), b = scree_material_index(material_b);
    return error_keep(error, set_pair(w, a, b, friction, error));
}

static scree_status set_touching(scree_world *w, int a, int b, int touching, scree_error *error)
{
    if (!pair_exists(w, a, b, error)) return SCREE_ERR_INPUT;
    if (world_reclaim(w) != SCREE_OK) return SCREE_ERR_MEMORY;
    pair_friction *pair = pair_at(w, a, b);
    w->passing_pairs += !touching - pair->passing;
    pair->passing = !touching;
    pair_at(w, b, a)->passing = pair->passing;
    return SCREE_OK;
}

scree_status scree_world_set_pair_touching(scree_world *w, scree_material_id material_a, scree_material_id material_b,
                                           int touching, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    const int a = scree_material_index(material_a), b = scree_material_index(material_b);
    return error_keep(error, set_touching(w, a, b, touching, error));
}

int scree_world_pair_touching(const scree_world *world, scree_material_id material_a, scree_material_id material_b)
{
    return !pair_at(world, material_index(world, material_a), material_index(world, material_b))->passing;
}

static scree_status set_pair_dem(scree_world *w, int a, int b, const scree_dem *dem, scree_error *error)
{
    if (!pair_exists(w, a, b, error) || !dem_valid(dem, "pair of materials", error)) return SCREE_ERR_INPUT;
    if (world_reclaim(w) != SCREE_OK) return SCREE_ERR_MEMORY;
    pair_friction *pair = pair_at(w, a, b);
    dem_overlay(dem, pair);
    dem_settle(pair);
    *pair_at(w, b, a) = *pair;
    return SCREE_OK;
}

scree_status scree_world_set_pair_dem(scree_world *w, scree_material_id material_a, scree_material_id material_b,
                                      const scree_dem *dem, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    const int a = scree_material_index(material_a), b = scree_material_index(material_b);
    return error_keep(error, set_pair_dem(w, a, b, dem, error));
}

scree_dem scree_world_pair_dem(const scree_world *world, scree_material_id material_a, scree_material_id material_b)
{
    return pair_at(world, material_index(world, material_a), material_index(world, material_b))->dem;
}

const pair_friction *world_pair(const scree_world *world, int material_a, int material_b)
{
    return pair_at(world, material_a, material_b);
}

scree_friction scree_world_pair(const scree_world *world, scree_material_id material_a, scree_material_id material_b)
{
    return pair_at(world, material_index(world, material_a), material_index(world, material_b))->friction;
}

void contact_law(const scree_world *world, int material_a, int material_b, double radius_a, double radius_b,
                 scree_contact_point *touch)
{
    touch_law(&world->options, pair_at(world, material_a, material_b), &world->material[material_a].friction,
              &world->material[material_b].friction, radius_a, radius_b, touch);
}
