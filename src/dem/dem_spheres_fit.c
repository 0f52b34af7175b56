/* dem_spheres_fit.c: which worlds of soft contacts the engine for spheres takes, and what their materials are to it.
 *
 * It takes a world where every body that moves freely is one sphere about its centre and the laws are ones it has. What does not move
 * freely may have any shape: planes and single fixed spheres are the engine's own, the rest are walls (dem_spheres_walls.c). The answer
 * follows from bodies and materials alone, so it is the same after a restart. */
#include "dem/dem_spheres.h"

#include "base/memory.h"
#include "dem/cuda/device_engine.h"
#include "laws/dem_legacy.h"

#include <string.h>

bed_role dem_spheres_role(const scree_world *w, int shape)
{
    const scree_shape *s = &w->shape[shape];
    int b = w->shape_body[shape], centred = vec_norm(s->position) == 0.0 && w->shape_total[b] == 1;
    const double *I = w->inertia[b];
    if (w->kind[b] == SCREE_BODY_REMOVED) return BED_ABSENT;
    if (s->kind == SCREE_SHAPE_PLANE && w->kind[b] != SCREE_BODY_DYNAMIC) return BED_PLANE;
    if (w->kind[b] == SCREE_BODY_FIXED && s->kind == SCREE_SHAPE_SPHERE && centred) return BED_SPHERE;
    if (w->kind[b] != SCREE_BODY_DYNAMIC) return BED_WALL;
    return s->kind == SCREE_SHAPE_SPHERE && centred && I[0] == I[1] && I[1] == I[2] ? BED_SPHERE : BED_MISFIT;
}

enum { MATERIALS_MOST = 40, SEVERAL = -1 };

/// What the bodies of the materials are.
typedef struct material_use {
    double radius[MATERIALS_MOST]; /* of all its spheres; 0: it has none; SEVERAL: they differ */
    int planes[MATERIALS_MOST], walls[MATERIALS_MOST];
} material_use;

static void note(double value, double *common)
{
    *common = *common == 0.0 || *common == value ? value : (double)SEVERAL;
}

static void uses_find(const scree_world *w, material_use *use)
{
    memset(use, 0, sizeof *use);
    for (int k = 0; k < w->shape_count; ++k) {
        const scree_shape *s = &w->shape[k];
        bed_role role = dem_spheres_role(w, k);
        if (role == BED_PLANE) use->planes[w->shape_link[k].material] += 1;
        if (role == BED_WALL) use->walls[w->shape_link[k].material] += 1;
        if (role != BED_SPHERE) continue;
        note(s->size[0], &use->radius[w->shape_link[k].material]);
    }
}

/// The arm of a mechanism for any radii. 0: at rest it is of another kind. (Mixtures of kinds do not come here.)
static int arm_of(const scree_friction_length *moving, const scree_friction_length *at_rest, bed_arm *arm)
{
    double *const part[] = {[SCREE_LENGTH_ABSOLUTE] = &arm->length,
                            [SCREE_LENGTH_RATIO] = &arm->ratio,
                            [SCREE_LENGTH_REDUCED] = &arm->reduced};
    *arm = (bed_arm){.length = 0.0};
    *part[moving->kind] = moving->value;
    return at_rest->kind == moving->kind || at_rest->value == 0.0;
}

/// Whether rolling and spinning are given as lengths.
static void lengths_given(const dem_friction_def *f, const scree_contact_point *touch, int *rolls, int *spins)
{
    *rolls = f->eta_r < 0.0 && touch->cone.coef[SCREE_FRICTION_ROLL] > 0.0;
    *spins = f->eta_psi < 0.0 && touch->cone.coef[SCREE_FRICTION_SPIN] > 0.0 && !f->spin_hertz;
}

/// Nothing slides, so that an arm is that of the load itself, and a bound a share of it.
static int smooth(const scree_contact_point *touch)
{
    return !(touch->cone.coef[SCREE_FRICTION_SLIDE] > 0.0);
}

static void smooth_share(const scree_contact_point *touch, int mechanism, double *still, double *kinetic)
{
    *kinetic = 1.0, *still = touch->coef_static[mechanism] / touch->cone.coef[mechanism];
}

/// Which kind of length counts depends on the sizes; or what a share is of that was given: without sliding it is no length.
static int sizes_decide(const pair_friction *pair, const dem_law *law, const scree_contact_point *touch)
{
    const dem_friction_def *f = &law->friction;
    int rolls, spins;
    lengths_given(f, touch, &rolls, &spins);
    const int given = (rolls && (f->roll_static >= 0.0 || f->roll_kinetic >= 0.0)) ||
                      (spins && (f->spin_static >= 0.0 || f->spin_kinetic >= 0.0));
    return pair->differ || (given && law->model != SCREE_DEM_SDS && smooth(touch));
}

/// Lengths of rolling and spinning become arms; where there is one radius (K > 0), eta. 0: it cannot be done.
static int lengths_fit(bed_pair *pair, const scree_contact_point *touch, const scree_friction *given, double K)
{
    dem_friction_def *f = &pair->friction;
    int rolls, spins;
    lengths_given(f, touch, &rolls, &spins);
    if (!(K > 0.0) && smooth(touch)) {
        if (rolls) smooth_share(touch, SCREE_FRICTION_ROLL, &f->roll_static, &f->roll_kinetic);
        if (spins) smooth_share(touch, SCREE_FRICTION_SPIN, &f->spin_static, &f->spin_kinetic);
    }
    dem_settle_eta(touch, K, K, f); /* what is left of it does not ask for K */
    if (K > 0.0) return 1;
    if (rolls && !arm_of(&given->rolling, &given->rolling_static, &pair->roll_arm)) return 0;
    if (spins && !arm_of(&given->spinning, &given->spinning_static, &pair->spin_arm)) return 0;
    if (rolls) f->eta_r = 0.0;
    if (spins) f->eta_psi = 0.0;
    return 1;
}

/// A dashpot of sds: given, or a fraction of critical damping.
static bed_sds sds_spring(double stiffness, double damping, double share, double mu)
{
    return (bed_sds){stiffness, max2(damping, 0.0), mu, damping < 0.0 ? share : 0.0};
}

/// The springs of sds; lengths become arms; where kinds are mixed, those of the contact, whose effective radius is 1/K.
static int settle_sds(const dem_law *law, const scree_contact_point *touch, const scree_friction *given, double K,
                      bed_pair *pair)
{
    const dem_friction_def *f = &law->friction;
    double rho = touch->cone.coef[SCREE_FRICTION_ROLL], sigma = touch->cone.coef[SCREE_FRICTION_SPIN];
    pair->slide = sds_spring(f->stiffness, f->slide_damping, f->slide_share, f->slide_kinetic);
    if (rho > 0.0) pair->roll = sds_spring(law->sds_roll[0], law->sds_roll[1], f->damping_share, rho * K);
    if (sigma > 0.0) pair->twist = sds_spring(f->spin_stiffness, f->spin_damping, f->damping_share, sigma);
    if (K > 0.0) return 1;
    pair->roll.mu = pair->twist.mu = 0.0;
    return arm_of(&given->rolling, &given->rolling_static, &pair->roll_arm) &&
           arm_of(&given->spinning, &given->spinning_static, &pair->spin_arm);
}

/// What two materials say in a bed. `plane`: the second one is that of a plane. Returns 0 where a bed cannot have it.
static int bed_pair_of(const scree_world *w, const material_use *use, int a, int b, int plane, int *model,
                       int *by_radius, bed_pair *pair)
{
    const pair_friction *said = world_pair(w, a, b);
    double R_a = use->radius[a], R_b = plane ? SCREE_INFINITY : use->radius[b], K = -1.0;
    scree_contact_point touch;
    dem_law law;
    contact_law(w, a, b, 1.0, 1.0, &touch);
    if (dem_law_of(said, touch.cone.coef, touch.coef_static, &law)) return 0;
    if (sizes_decide(said, &law, &touch)) { /* there must be one */
        if (!(R_a > 0.0 && R_b > 0.0)) return 0;
        K = 1.0 / R_a + 1.0 / R_b, *by_radius = 1;
        contact_law(w, a, b, R_a, R_b, &touch);
    }
    if (law.normal.kind == DEM_CONSTANT || law.model == SCREE_DEM_TORQUE || (*model >= 0 && *model != law.model))
        return 0;
    if (law.friction_free) law.friction = dem_friction_default(law.normal.stiffness, 0.0, 0.0);
    *model = law.model;
    *pair = (bed_pair){.normal = law.normal};
    if (!(law.friction.stiffness > 0.0)) pair->shear = law.pair->shear; /* Mindlin; the law lacks nothing */
    if (law.model == SCREE_DEM_SDS) return settle_sds(&law, &touch, &said->friction, K, pair);
    pair->friction = law.friction;
    return law.friction_free || lengths_fit(pair, &touch, &said->friction, K);
}

/// What a contact with a wall of any shape cannot have beside a bed: a constant load, which begins before they touch; or it lacks something,
/// which the general stages say.
static int wall_fits(const scree_world *w, int a, int b)
{
    scree_contact_point touch;
    dem_law law;
    contact_law(w, a, b, 1.0, 1.0, &touch);
    return !dem_law_of(world_pair(w, a, b), touch.cone.coef, touch.coef_static, &law) &&
           law.normal.kind != DEM_CONSTANT;
}

bed_pair *dem_spheres_pairs(const scree_allocator *allocator, const scree_world *w, bed_law *law, int *by_radius,
                            scree_status *status)
{
    int m = w->material_count, n = 2 * m, model = -1, fits = m <= MATERIALS_MOST, one = -1;
    material_use use;
    *status = SCREE_OK, *by_radius = 0;
    if (!fits) return NULL;
    bed_pair *pair = memory_array(allocator, (size_t)n * (size_t)n, sizeof *pair);
    if (!pair) {
        *status = SCREE_ERR_MEMORY;
        return NULL;
    }
    uses_find(w, &use);
    for (int a = 0; a < m; ++a)
        for (int b = 0; b < m && fits; ++b) {
            int balls = use.radius[a] != 0.0 && use.radius[b] != 0.0, wall = use.radius[a] != 0.0 && use.planes[b];
            if (balls) fits = bed_pair_of(w, &use, a, b, 0, &model, by_radius, &pair[a * n + b]), one = a * n + b;
            if (wall && fits) fits = bed_pair_of(w, &use, a, b, 1, &model, by_radius, &pair[a * n + m + b]);
            if (wall) pair[(m + b) * n + a] = pair[a * n + m + b];
            if (use.radius[a] != 0.0 && use.walls[b]) fits = fits && wall_fits(w, a, b);
        }
    fits = fits && one >= 0;
    for (int k = 0; k < n * n && fits; ++k) {
        if (!(pair[k].normal.stiffness > 0.0)) pair[k] = pair[one];
        fits = pair[k].normal.kind == pair[one].normal.kind;
    }
    *law = model == SCREE_DEM_SDS ? BED_SDS : BED_TRACKED;
    if (fits) return pair;
    memory_free(allocator, pair);
    return NULL;
}

/// Periods are long enough for the lists.
static int periods_fit(const scree_world *w)
{
    double largest = 0.0;
    for (int k = 0; k < w->shape_count; ++k)
        if (w->shape[k].kind == SCREE_SHAPE_SPHERE) largest = max2(largest, w->shape[k].size[0]);
    for (int k = 0; k < 3; ++k)
        if (w->options.periodic[k] && !(w->options.high[k] - w->options.low[k] >= 7.2 * largest)) return 0;
    return 1; /* 3 (2 R + skin), with a skin of a fifth of the mean diameter */
}

static const char NOTHING_MOVES[] = "no sphere that moves";

/// What of its options and bodies no engine for spheres takes, or NULL.
static const char *bodies_misfit(const scree_world *w, int *body)
{
    int moving = 0;
    if (w->options.planar != SCREE_PLANAR_NONE) return "planar motion";
    if (world_deforms(w)) return "a periodic cell that deforms";
    if (w->passing_pairs > 0) return "materials that pass through each other";
    if (!periods_fit(w)) return "a period shorter than seven radii of its largest sphere";
    for (int k = 0; k < w->shape_count; ++k) {
        const bed_role role = dem_spheres_role(w, k);
        moving += role == BED_SPHERE && w->kind[w->shape_body[k]] == SCREE_BODY_DYNAMIC;
        if (role != BED_MISFIT) continue;
        *body = w->shape_body[k];
        return "a body that moves and is not one sphere about its centre";
    }
    return moving > 0 ? NULL : NOTHING_MOVES;
}

scree_status dem_spheres_fit(const scree_allocator *a, const scree_world *w, const char **misfit, int *body)
{
    bed_law law;
    int by_radius;
    scree_status status = SCREE_OK;
    *body = -1, *misfit = bodies_misfit(w, body);
    if (*misfit) return SCREE_OK;
    bed_pair *pair = dem_spheres_pairs(a, w, &law, &by_radius, &status);
    if (!pair) *misfit = "the contact law of these materials (constant load, constant torque, or several)";
    memory_free(a, pair);
    return status;
}

/* ---- devices -------------------------------------------------------------------------------------------------------------------- */

static scree_status refuse_device(const scree_world *w, int body, const char *what, scree_error *error)
{
    char name[128] = "";
    if (body >= 0) scree_world_body_name(w, scree_body_at(body), name, sizeof name);
    scree_error_set(error, NULL, 0, 0,
                    "device: gpu does not take %s%s%s; expected spheres and walls of other shapes, or device: cpu",
                    what, *name ? ", here " : "", name);
    return SCREE_ERR_UNSUPPORTED;
}

scree_status dem_device_possible(const scree_stepper *stepper, const scree_world *w, scree_error *error)
{
    const char *misfit;
    int body;
    scree_status status = dem_spheres_fit(&stepper->allocator, w, &misfit, &body);
    if (status != SCREE_OK) return status;
    if (misfit == NOTHING_MOVES)
        misfit = NULL; /* spheres may come: until then a step costs nothing, and has no contacts */
    for (int k = 0; k < w->shape_count && !misfit; ++k)
        if (dem_spheres_role(w, k) == BED_WALL && !wall_is_simple(w->shape[k].kind))
            misfit = "walls that are hulls or ellipsoids", body = w->shape_body[k];
    if (misfit) return refuse_device(w, body, misfit, error);
    return device_engine_there(stepper->options.device == SCREE_DEVICE_HOST_TWIN, error);
}
