/* materials.c: a world of the materials of pair_coeff, and what the engine for spheres would read from it (materials.h). */
#include "materials.h"

#include "base/suggest.h"
#include "dem/dem_spheres.h"
#include "world/world_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arguments ------------------------------------------------------------------------------------------------------------ */

typedef enum argument_kind { A_NUMBER, A_LENGTH, A_RATIO, A_REDUCED, A_WORD } argument_kind;

typedef struct argument {
    const char *name;
    argument_kind kind;
    size_t offset;
    double high; /* largest value */
} argument;

#define IN_FRICTION(name, field, high)                                                                                 \
    {                                                                                                                  \
        name, A_NUMBER, offsetof(lmp_coeff, friction.field), high                                                      \
    }
#define LENGTH(name, field)                                                                                            \
    {name, A_LENGTH, offsetof(lmp_coeff, friction.field), HUGE_VAL},                                                   \
        {name "_ratio", A_RATIO, offsetof(lmp_coeff, friction.field), HUGE_VAL},                                       \
    {                                                                                                                  \
        name "_reduced", A_REDUCED, offsetof(lmp_coeff, friction.field), HUGE_VAL                                      \
    }
#define IN_DEM(type, field, value, text) {#field, A_NUMBER, offsetof(lmp_coeff, dem.field), HUGE_VAL},

/// The keys of a material in a scene; first those that rigid contacts have.
static const argument arguments[] = {IN_FRICTION("friction", mu, HUGE_VAL),
                                     IN_FRICTION("restitution", restitution, 1.0),
                                     LENGTH("rolling", rolling),
                                     LENGTH("spinning", spinning),
                                     IN_FRICTION("friction_static", mu_static, HUGE_VAL),
                                     LENGTH("rolling_static", rolling_static),
                                     LENGTH("spinning_static", spinning_static),
                                     SCREE_DEM_FIELDS(IN_DEM){"normal", A_WORD, offsetof(lmp_coeff, dem.normal), 0.0},
                                     {"spin", A_WORD, offsetof(lmp_coeff, dem.spin), 0.0},
                                     {"pulls", A_WORD, offsetof(lmp_coeff, dem.pulls), 0.0}};
enum { ARGUMENTS = sizeof arguments / sizeof *arguments, RIGID_ARGUMENTS = 8 };

static const struct {
    const char *name, *word;
    int value;
} words[] = {{"normal", "hooke", SCREE_DEM_HOOKE},
             {"normal", "hertz", SCREE_DEM_HERTZ},
             {"spin", "heuristic", SCREE_DEM_SPIN_HEURISTIC},
             {"spin", "hertz", SCREE_DEM_SPIN_HERTZ},
             {"pulls", "no", SCREE_DEM_PULLS_NO},
             {"pulls", "yes", SCREE_DEM_PULLS_YES}};

lmp_coeff lmp_coeff_default(void)
{
    lmp_coeff c;
    memset(&c, 0, sizeof c);
    c.dem = scree_dem_default();
    return c;
}

static int set_word(lmp_coeff *c, const argument *a, const char *value)
{
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k)
        if (strcmp(words[k].name, a->name) == 0 && strcmp(words[k].word, value) == 0) {
            memcpy((char *)c + a->offset, &words[k].value, sizeof(int));
            return 1;
        }
    return -1;
}

static int set_number(lmp_coeff *c, const argument *a, const char *value)
{
    char *end;
    const double x = strtod(value, &end);
    if (end == value || *end || !(x >= 0.0 && x <= a->high) || x > 1e300) return -1;
    if (a->kind == A_NUMBER) {
        memcpy((char *)c + a->offset, &x, sizeof x);
        return 1;
    }
    const int kind = a->kind == A_RATIO     ? SCREE_LENGTH_RATIO
                     : a->kind == A_REDUCED ? SCREE_LENGTH_REDUCED
                                            : SCREE_LENGTH_ABSOLUTE;
    const scree_friction_length length = {x, kind};
    memcpy((char *)c + a->offset, &length, sizeof length);
    return 1;
}

int lmp_coeff_set(lmp_coeff *c, const char *name, const char *value, const char **nearest)
{
    *nearest = NULL;
    for (int k = 0; k < ARGUMENTS; ++k)
        if (strcmp(arguments[k].name, name) == 0)
            return arguments[k].kind == A_WORD ? set_word(c, &arguments[k], value)
                                               : set_number(c, &arguments[k], value);
    const char *names[ARGUMENTS];
    for (int k = 0; k < ARGUMENTS; ++k) names[k] = arguments[k].name;
    *nearest = suggest(name, strlen(name), names, ARGUMENTS);
    return 0;
}

int lmp_coeff_is_rigid(const char *name)
{
    for (int k = 0; k < RIGID_ARGUMENTS; ++k)
        if (strcmp(arguments[k].name, name) == 0) return 1;
    return 0;
}

const char *lmp_coeff_range(const char *name)
{
    if (strcmp(name, "normal") == 0) return "hooke or hertz";
    if (strcmp(name, "spin") == 0) return "heuristic or hertz";
    if (strcmp(name, "pulls") == 0) return "yes or no";
    return strcmp(name, "restitution") == 0 ? "a number from 0 to 1" : "a number, 0 or more";
}

/* ---- the world ---------------------------------------------------------------------------------------------------------- */

/// Two spheres of different sizes and a plane of a material: bounds that follow from sizes do not come from one.
static scree_status add_bodies(scree_world *w, scree_material_id m, scree_error *error)
{
    for (int k = 1; k <= 2; ++k) {
        scree_body_def ball = scree_body_def_of(scree_shape_sphere(k, m));
        ball.mass = 1.0;
        scree_world_add_body(w, &ball, error);
    }
    scree_world_add_fixed(w, scree_shape_plane(m), error);
    return SCREE_OK;
}

/// `model`: of the soft contacts; -1: rigid ones.
static scree_status fill_world(scree_world *w, int types, const lmp_coeff *coeff, int model, scree_error *error)
{
    scree_status status = SCREE_OK;
    for (int a = 0; a < types && status == SCREE_OK; ++a) {
        char name[32];
        snprintf(name, sizeof name, "type %d", a + 1);
        scree_material m = scree_material_default(name);
        m.friction = coeff[a * types + a].friction;
        if (model >= 0) m.soft = coeff[a * types + a].dem, m.soft.model = model;
        const scree_material_id id = scree_world_add_material(w, &m, error);
        if (scree_material_index(id) < 0) return SCREE_ERR_INPUT;
        if (model >= 0) status = add_bodies(w, id, error);
    }
    for (int a = 0; a < types && status == SCREE_OK; ++a)
        for (int b = a + 1; b < types && status == SCREE_OK; ++b) {
            const lmp_coeff *c = &coeff[a * types + b];
            if (!c->given) continue;
            scree_dem dem = c->dem;
            dem.model = model;
            status = scree_world_set_pair(w, scree_material_at(a), scree_material_at(b), &c->friction, error);
            if (status == SCREE_OK && model >= 0)
                status = scree_world_set_pair_dem(w, scree_material_at(a), scree_material_at(b), &dem, error);
        }
    return status;
}

scree_world *lmp_rigid_materials(int types, const lmp_coeff *coeff, scree_error *error)
{
    const scree_world_options options = scree_world_options_default();
    scree_world *w = scree_world_create(&options, error);
    if (w && fill_world(w, types, coeff, -1, error) == SCREE_OK) return w;
    scree_world_destroy(w);
    return NULL;
}

void lmp_rigid_law(const scree_world *materials, int a, int b, double radius_a, double radius_b, scree_cone *cone,
                   double *restitution)
{
    scree_contact_point touch;
    contact_law(materials, a, b, radius_a, radius_b, &touch);
    *cone = touch.cone, *restitution = touch.restitution;
}

/// What the engine cannot have it does not name.
static const char NEEDS[] =
    "these arguments do not make contacts of spheres: expected stiffness (or young and poisson), slide_stiffness, "
    "friction where rolling or spinning is given, and the same kind of length for all types";

bed_pair *lmp_materials(int types, const lmp_coeff *coeff, bed_law law, scree_error *error)
{
    const scree_world_options options = scree_world_options_default();
    scree_world *w = scree_world_create(&options, error);
    bed_pair *pair = NULL;
    const int model = law == BED_SDS ? SCREE_DEM_SDS : SCREE_DEM_TRACKING;
    if (w && fill_world(w, types, coeff, model, error) == SCREE_OK) {
        bed_law found;
        int by_radius;
        scree_status status;
        pair = dem_spheres_pairs(NULL, w, &found, &by_radius, &status);
        if (!pair || found != law) scree_error_set(error, NULL, 0, 0, "%s", NEEDS);
    }
    scree_world_destroy(w);
    return pair;
}
