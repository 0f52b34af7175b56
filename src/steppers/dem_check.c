/* dem_check.c: can these materials meet, and how long may a step be, before the first contact is there.
 *
 * What no contact law could mend comes first: joints, what a periodic world cannot have (world/periodic.c).
 * For every pair of materials of which one belongs to a body that moves: what its laws lack; and the largest stable step of one contact
 * between the two lightest bodies that have them, each taken as a sphere of its rolling radius. Hertz and Mindlin stiffen with the
 * overlap: that of an impact at the largest speed there is, or that of a body's weight, whichever is deeper. */
#include "steppers/dem.h"

#include "base/memory.h"

#include <string.h>

/// The body that makes the contacts of a material stiffest: the lightest one. inv_mass 0: none of it moves.
typedef struct material_grain {
    int moving, immovable; /* bodies of it, of each kind */
    double inv_mass, inv_inertia, radius;
    double mean_inertia;
} material_grain;

static void note_grains(const scree_world *w, material_grain *grain)
{
    for (int k = 0; k < w->shape_count; ++k) {
        int body = w->shape_body[k];
        material_grain *g = &grain[w->shape[k].material];
        if (w->kind[body] == SCREE_REMOVED) continue;
        if (w->kind[body] == SCREE_DYNAMIC) g->moving += 1;
        else g->immovable += 1;
        double inv_mass = w->kind[body] == SCREE_DYNAMIC ? 1.0 / w->mass[body] : 0.0;
        if (!(inv_mass > g->inv_mass)) continue;
        g->inv_mass = inv_mass, g->inv_inertia = dem_inverse_inertia(w, body);
        g->mean_inertia = dem_mean_inertia(w, body), g->radius = w->roll_radius[k];
    }
}

static double largest_speed(const scree_world *w)
{
    double v = 0.0;
    for (int b = 0; b < w->body_count; ++b)
        if (w->kind[b] == SCREE_DYNAMIC) v = max2(v, vec_norm(w->v[b]));
    return v;
}

/// One contact of two spheres, or of a sphere and something that does not move.
static double pair_limit(const scree_world *w, const dem_law *law, const material_grain *a, const material_grain *b,
                         const scree_touch *touch, double speed)
{
    const material_grain *light = a->inv_mass > b->inv_mass ? a : b;
    double R = 1.0 / ((a->inv_mass > 0.0 ? 1.0 / a->radius : 0.0) + (b->inv_mass > 0.0 ? 1.0 / b->radius : 0.0));
    double mass = dem_effective_mass(a->inv_mass, b->inv_mass), inv_inertia[2] = {a->inv_inertia, b->inv_inertia};
    dem_normal normal = law->normal;
    if (normal.kind == DEM_HERTZ) normal.stiffness = dem_hertz_stiffness(normal.stiffness, R);
    double weight = vec_norm(w->options.gravity) / light->inv_mass, delta = 0.0;
    if (normal.kind == DEM_HERTZ)
        delta = max2(dem_impact_depth(&normal, mass, speed), pow(weight / normal.stiffness, 2.0 / 3.0));
    else if (normal.kind == DEM_HOOKE) delta = max2(dem_impact_depth(&normal, mass, speed), weight / normal.stiffness);
    double slope = dem_normal_slope(&normal, delta), limit = SCREE_INFINITY;
    if (slope > 0.0) limit = dem_critical_step(slope, 1.0 / mass, normal.zeta);
    if (law->friction_free) return limit;

    dem_friction_def f = law->friction;
    dem_spring s[DEM_SPRINGS];
    double a_contact = dem_contact_radius(R, delta), K = 1.0 / R, mu = touch->cone.coef[SCREE_SLIDE];
    if (!(f.stiffness > 0.0)) f.stiffness = dem_mindlin_stiffness(law->dem->shear, a_contact);
    if (!(f.stiffness > 0.0)) return limit;
    if (f.eta_r < 0.0) f.eta_r = mu > 0.0 ? 0.5 * touch->cone.coef[SCREE_ROLL] * K / mu : 1.0;
    if (f.eta_psi < 0.0) f.eta_psi = mu > 0.0 ? touch->cone.coef[SCREE_SPIN] * K / mu : 1.0;
    dem_partners at = {.kappa_i = K, .mean_curvature = K, .contact_radius = a_contact};
    at.mass = dem_dashpot_inertia(a->inv_mass, b->inv_mass, f.published);
    at.inertia = light->mean_inertia;
    dem_friction_springs(&f, &at, 0.0, s);
    if (law->model == SCREE_DEM_SDS) {
        double k = law->dem->number[SCREE_DEM_SDS_STIFFNESS];
        s[DEM_ROLL_I] =
            (dem_spring){.stiffness = R * R * k, .damping = R * R * law->dem->number[SCREE_DEM_SDS_DAMPING]};
    }
    const material_grain *side[2] = {a, b};
    dem_rate slide = {0.0, 0.0}, spin = {0.0, 0.0};
    for (int k = 0; k < 2; ++k) {
        double arm = side[k]->radius, I = inv_inertia[k];
        double lever = side[k]->inv_mass > 0.0 ? side[k]->inv_mass + arm * arm * I : 0.0;
        slide.stiffness += s[DEM_SLIDE].stiffness * lever + s[DEM_ROLL_I].stiffness * I;
        slide.damping += s[DEM_SLIDE].damping * lever + s[DEM_ROLL_I].damping * I;
        spin.stiffness += s[DEM_SPIN].stiffness * I, spin.damping += s[DEM_SPIN].damping * I;
    }
    return min2(limit, min2(dem_step_limit(slide), dem_step_limit(spin)));
}

static scree_status check_pairs(const scree_world *w, const material_grain *grain, double *critical, scree_error *error)
{
    double speed = largest_speed(w);
    for (int a = 0; a < w->material_count; ++a)
        for (int b = a; b < w->material_count; ++b) {
            const material_grain *one = &grain[a], *other = &grain[b], none = {.moving = 0};
            if (a == b && one->moving == 1) other = one->immovable ? &none : NULL; /* it does not meet itself */
            int meet =
                other && one->moving + one->immovable > 0 && (other == &none || other->moving + other->immovable > 0);
            if (!meet || one->moving + other->moving == 0) continue;
            scree_touch touch;
            dem_law law;
            contact_law(w, a, b, one->moving ? one->radius : SCREE_INFINITY,
                        other->moving ? other->radius : SCREE_INFINITY, &touch);
            dem_need need = dem_law_of(world_pair(w, a, b), touch.cone.coef, touch.coef_static, &law);
            if (need) {
                dem_say_need(w, a, b, need, error);
                return SCREE_ERR_INPUT;
            }
            *critical = min2(*critical, pair_limit(w, &law, one, other, &touch, speed));
        }
    return SCREE_OK;
}

scree_status dem_possible(const scree_world *w, scree_error *error)
{
    if (w->joint_count > 0) {
        scree_error_set(error, NULL, 0, 0, "the scheme dem does not take joints; use anitescu_tasora or moreau_jean");
        return SCREE_ERR_UNSUPPORTED;
    }
    return periodic_possible(w, error);
}

scree_status dem_check(const scree_stepper *stepper, const scree_world *w, double *critical, scree_error *error)
{
    const scree_stepper_options *o = &stepper->options;
    material_grain *grain = memory_array(&stepper->allocator, (size_t)w->material_count + 1, sizeof *grain);
    *critical = SCREE_INFINITY;
    if (!grain) {
        scree_error_set(error, NULL, 0, 0, "out of memory for %d materials", w->material_count);
        return SCREE_ERR_MEMORY;
    }
    note_grains(w, grain);
    scree_status status = check_pairs(w, grain, critical, error);
    memory_free(&stepper->allocator, grain);
    if (status || o->force_step || o->step <= *critical) return status;
    scree_error_set(
        error, NULL, 0, 0,
        "the step of %.4g s is beyond the critical step of %.4g s of a single contact; expected a smaller step "
        "(a third of it for bodies with many contacts), or force_step: 1",
        o->step, *critical);
    return SCREE_ERR_INPUT;
}
