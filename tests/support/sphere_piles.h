/* sphere_piles.h: piles of spheres with what few contacts have, and discs, from generated ones. */
#ifndef SCREE_TESTS_SUPPORT_SPHERE_PILES_H
#define SCREE_TESTS_SUPPORT_SPHERE_PILES_H

#include "math/vec.h"
#include "problems.h"
#include "random_contacts.h"
#include "try.h"

#include <math.h>
#include <stdlib.h>

/// A copy of a problem of rigid contacts in which walls move on their own, bodies come in either order, and contacts may give way.
static inline scree_problem *with_walls_that_move(const scree_problem *p, int compliant)
{
    scree_rigid_def def = scree_rigid_def_default();
    size_t C = (size_t)p->contact_count, n = (size_t)p->row_count;
    scree_rigid_contact *contact = calloc(C + 1, sizeof *contact);
    double *w = calloc(n + 1, sizeof *w), *compliance = calloc(n + 1, sizeof *compliance);
    scree_problem *made = NULL;
    rng g = {12};
    for (int c = 0; c < p->contact_count; ++c) {
        scree_rigid_contact k = p->rigid[c];
        if (c % 3 == 0) { /* told from the other side */
            scree_rigid_contact other = {.body_a = k.body_b, .body_b = k.body_a};
            for (int i = 0; i < 3; ++i) {
                other.normal[i] = -k.normal[i], other.tangent[i] = k.tangent[i];
                other.arm_a[i] = k.arm_b[i], other.arm_b[i] = k.arm_a[i];
            }
            k = other;
        }
        contact[c] = k;
        for (int i = p->offset[c]; i < p->offset[c + 1]; ++i)
            if (c % 7 == 0 || p->rigid[c].body_a < 0) w[i] = 0.01 * rng_normal(&g);
        double soft = rng_uniform(&g, 0.0, 2.0);
        for (int i = p->offset[c]; i < p->offset[c + 1]; ++i) compliance[i] = soft * (i == p->offset[c] ? 1.0 : 0.5);
    }
    def.law = p->law, def.contact_count = p->contact_count, def.contact = contact, def.cone = p->cone;
    def.body_count = p->body_count, def.mass = p->rigid_mass, def.v_free = p->v_free, def.w = w;
    if (compliant) def.compliance = compliance;
    assert_int_equal(try_problem_from_rigid(&def, NULL, &made, NULL), SCREE_OK);
    free(contact), free(w), free(compliance);
    return made;
}

/// The grains of a pile as discs that move across the axis `plane` only, who touches whom as it was, each contact in some direction.
static inline scree_problem *as_discs(const scree_problem *p, int plane, int roll)
{
    scree_rigid_def def = scree_rigid_def_default();
    size_t C = (size_t)p->contact_count, N = (size_t)p->body_count;
    scree_rigid_contact *contact = calloc(C + 1, sizeof *contact);
    scree_rigid_mass *mass = calloc(N + 1, sizeof *mass);
    scree_cone *cone = calloc(C + 1, sizeof *cone);
    double *v = calloc(6 * N + 1, sizeof *v), *w = calloc(3 * C + 1, sizeof *w);
    scree_problem *made = NULL;
    rng g = {31};
    int b = (plane + 1) % 3, c = (plane + 2) % 3;
    for (int k = 0; k < p->contact_count; ++k) {
        scree_rigid_contact *to = &contact[k];
        const scree_rigid_contact *from = &p->rigid[k];
        double angle = rng_uniform(&g, 0.0, 6.28);
        to->body_a = from->body_a, to->body_b = from->body_b;
        to->normal[b] = cos(angle), to->normal[c] = sin(angle);
        to->tangent[b] = -sin(angle), to->tangent[c] = cos(angle);
        double r_a = vec_norm(from->arm_a), r_b = vec_norm(from->arm_b);
        for (int i = 0; i < 3; ++i) to->arm_a[i] = r_a * to->normal[i], to->arm_b[i] = -r_b * to->normal[i];
        cone[k] = roll ? scree_cone_planar_roll(0.5, 0.1 * r_b) : scree_cone_planar(0.5);
    }
    for (int i = 0; i < p->body_count; ++i) {
        mass[i].inv_mass[b] = mass[i].inv_mass[c] = p->rigid_mass[i].inv_mass[0];
        mass[i].inv_inertia[4 * plane] = p->rigid_mass[i].inv_inertia[0];
        v[6 * i + b] = 0.01 * rng_normal(&g), v[6 * i + c] = 0.01 * rng_normal(&g) - 0.03;
        v[6 * i + 3 + plane] = 0.05 * rng_normal(&g);
    }
    for (size_t i = 0; i < (roll ? 3 : 2) * C; ++i) w[i] = i % 5 == 0 ? 0.003 * rng_normal(&g) : 0.0;
    def.law = p->law, def.contact_count = p->contact_count, def.contact = contact, def.cone = cone;
    def.body_count = p->body_count, def.mass = mass, def.v_free = v, def.w = w;
    assert_int_equal(try_problem_from_rigid(&def, NULL, &made, NULL), SCREE_OK);
    free(contact), free(mass), free(cone), free(v), free(w);
    return made;
}

#endif
