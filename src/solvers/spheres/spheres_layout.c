/* spheres_layout.c: recognising contacts of spheres in a problem, and laying them out in batches (spheres.h).
 *
 * A contact is one of spheres where the lever arms lie along the normal and the masses are the same in all directions, or in all
 * directions of the plane in which everything moves. Colours are
 * greedy: the lowest of 64 that neither body has yet; a contact that finds none (a body with very many contacts) gets one of its own.
 * Everything is O(contacts): one counting sort by (colour, coupled). */
#include "solvers/spheres/spheres_read.h"

#include "math/scalar.h"
#include "math/vec.h"
#include "solvers/spheres/spheres_kernel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLOURS = 64 };
#define RECOGNISE 1e-10 /* relative: far above rounding, far below a shape */

/* ---- reading ------------------------------------------------------------------------------------------------------- */

static int is_small(double squared, double scale)
{
    return squared <= RECOGNISE * RECOGNISE * scale; /* NaN is not */
}

static int vectors_agree(const double *a, double factor, const double *b, double scale)
{
    for (int i = 0; i < 3; ++i)
        if (!(fabs(a[i] - factor * b[i]) <= RECOGNISE * scale)) return 0;
    return 1;
}

/// Is the arm a multiple of the unit vector n?
static int is_radial(const double *arm, const double *n)
{
    double off[3];
    vec_cross(arm, n, off);
    return is_small(vec_dot(off, off), vec_dot(arm, arm));
}

int sphere_contact_fits(const scree_rigid_contact *c, const scree_cone *cone, int plane)
{
    const double *n = c->normal, *t = c->tangent;
    const int other = plane < 0 ? 1 : 2; /* size of a friction that does not belong here */
    if (cone->size[SCREE_FRICTION_SLIDE] == other || cone->size[SCREE_FRICTION_ROLL] == other) return 0;
    if (plane >= 0 && cone->size[SCREE_FRICTION_SPIN]) return 0;
    if (plane >= 0 && !is_small(n[plane] * n[plane] + t[plane] * t[plane], 1.0)) return 0;
    double a = vec_dot(n, n) - 1.0, b = vec_dot(t, t) - 1.0, d = vec_dot(n, t);
    if (!is_small(a * a + b * b + d * d, 1.0)) return 0;
    return (c->body_a < 0 || is_radial(c->arm_a, n)) && (c->body_b < 0 || is_radial(c->arm_b, n));
}

int sphere_plane(const scree_problem *problem)
{
    for (int i = 0; problem->rigid && problem->body_count > 0 && i < 3; ++i)
        if (problem->rigid_mass[0].inv_mass[i] == 0.0) return i;
    return -1;
}

/// A body of a planar problem: nothing moves it across the plane.
static int disc_mass_fits(const scree_problem *problem, int body, int plane, double *inv_mass, double *inv_inertia)
{
    const scree_rigid_mass *m = &problem->rigid_mass[body];
    int b = (plane + 1) % 3, c = (plane + 2) % 3;
    for (int i = 0; i < 9; ++i)
        if (i != 4 * plane && m->inv_inertia[i] != 0.0) return 0;
    *inv_mass = m->inv_mass[b], *inv_inertia = m->inv_inertia[4 * plane];
    return m->inv_mass[plane] == 0.0 && m->inv_mass[b] == m->inv_mass[c] && *inv_mass > 0.0 && *inv_inertia > 0.0;
}

int sphere_mass_fits(const scree_problem *problem, int body, int plane, double *inv_mass, double *inv_inertia)
{
    double N[36];
    if (plane >= 0) return disc_mass_fits(problem, body, plane, inv_mass, inv_inertia);
    if (problem->rigid) {
        const scree_rigid_mass *m = &problem->rigid_mass[body];
        const double *I = m->inv_inertia, scale = RECOGNISE * I[0];
        *inv_mass = m->inv_mass[0], *inv_inertia = I[0];
        return m->inv_mass[0] > 0.0 && I[0] > 0.0 &&
               fabs(m->inv_mass[1] - m->inv_mass[0]) <= RECOGNISE * m->inv_mass[0] &&
               fabs(m->inv_mass[2] - m->inv_mass[0]) <= RECOGNISE * m->inv_mass[0] && fabs(I[4] - I[0]) <= scale &&
               fabs(I[8] - I[0]) <= scale && fabs(I[1]) <= scale && fabs(I[2]) <= scale && fabs(I[3]) <= scale &&
               fabs(I[5]) <= scale && fabs(I[6]) <= scale && fabs(I[7]) <= scale;
    }
    memcpy(N, problem->inv_mass->value + problem->inv_mass->at[body], sizeof N);
    *inv_mass = N[0], *inv_inertia = N[21];
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) {
            double expected = i != j ? 0.0 : N[i < 3 ? 0 : 21];
            if (!(fabs(N[6 * i + j] - expected) <= RECOGNISE * N[i < 3 ? 0 : 21])) return 0;
        }
    return N[0] > 0.0 && N[21] > 0.0;
}

/// The rows of a block (dim x 6) as those of `sign` x a sphere with the frame of c. Writes its arm.
static int read_block(const scree_cone *cone, const double *B, double sign, const scree_rigid_contact *c, double *arm)
{
    double zero[3] = {0.0, 0.0, 0.0}, t2[3], r = 0.0;
    vec_cross(c->normal, c->tangent, t2);
    const double *frame[3] = {c->normal, c->tangent, t2};
    if (cone->size[SCREE_FRICTION_SLIDE]) r = sign * vec_dot(B + 6 + 3, t2); /* t1 . (w x r n) = r w . t2 */
    for (int i = 0; i < 1 + cone->size[SCREE_FRICTION_SLIDE]; ++i, B += 6) {
        double turn[3];
        vec_cross(c->normal, frame[i], turn);
        if (!vectors_agree(B, sign, frame[i], 1.0) || !vectors_agree(B + 3, sign * r, turn, number_max(fabs(r), 1e-3)))
            return 0;
    }
    for (int i = 0; i < cone->size[SCREE_FRICTION_ROLL]; ++i, B += 6)
        if (!vectors_agree(B, 1.0, zero, 1.0) || !vectors_agree(B + 3, sign, frame[1 + i], 1.0)) return 0;
    if (cone->size[SCREE_FRICTION_SPIN] &&
        (!vectors_agree(B, 1.0, zero, 1.0) || !vectors_agree(B + 3, sign, frame[0], 1.0)))
        return 0;
    for (int i = 0; i < 3; ++i) arm[i] = r * c->normal[i];
    return 1;
}

int sphere_contact_read(const scree_problem *problem, int contact, scree_rigid_contact *c)
{
    const block_matrix *Ht = problem->Ht;
    const scree_cone *cone = &problem->cone[contact];
    int first = Ht->start[contact], count = Ht->start[contact + 1] - first;
    if (count < 1 || count > 2 || cone->size[SCREE_FRICTION_SLIDE] == 1 || cone->size[SCREE_FRICTION_ROLL] == 1)
        return 0;
    for (int e = first; e < first + count; ++e)
        if (Ht->col_offset[Ht->column[e] + 1] - Ht->col_offset[Ht->column[e]] != 6) return 0;
    /* the rows of the last body are those of B, or, where they are left-handed, minus those of A */
    const double *B = Ht->value + Ht->at[first + count - 1];
    double t2[3], sign = 1.0;
    if (cone->size[SCREE_FRICTION_SLIDE]) {
        vec_cross(B, B + 6, t2);
        sign = vec_dot(t2, B + 12) < 0.0 ? -1.0 : 1.0;
    }
    for (int i = 0; i < 3; ++i)
        c->normal[i] = sign * B[i], c->tangent[i] = sign * B[6 * (cone->size[SCREE_FRICTION_SLIDE] > 0) + i];
    if (!cone->size[SCREE_FRICTION_SLIDE]) vec_tangent(c->normal, c->tangent);
    int last = Ht->column[first + count - 1], other = count == 2 ? Ht->column[first] : -1;
    double *arm_last = sign > 0.0 ? c->arm_b : c->arm_a, *arm_other = sign > 0.0 ? c->arm_a : c->arm_b;
    c->body_b = sign > 0.0 ? last : other, c->body_a = sign > 0.0 ? other : last;
    memset(arm_other, 0, sizeof c->arm_a);
    if (!read_block(cone, B, sign, c, arm_last)) return 0;
    if (count == 2 && !read_block(cone, Ht->value + Ht->at[first], -sign, c, arm_other)) return 0;
    return sphere_contact_fits(c, cone, -1);
}

/// Compliance that is the same along both tangents and about both.
static int compliance_fits(const scree_problem *problem, int c)
{
    const double *soft = problem->compliance + problem->offset[c];
    const scree_cone *cone = &problem->cone[c];
    int slide = cone->size[SCREE_FRICTION_SLIDE];
    if (slide == 2 && soft[1] != soft[2]) return 0;
    return cone->size[SCREE_FRICTION_ROLL] != 2 || soft[1 + slide] == soft[2 + slide];
}

/// What of a problem is not of spheres, and which body or contact it is; NULL: all is.
static const char *misfit(const scree_problem *problem, int *which)
{
    *which = -1;
    if (problem->W) return "a stored matrix W";
    if (problem->mass) return "a mass matrix that couples bodies";
    if (problem->bound_count) return "bounded or bilateral rows (joints, motors)";
    if (!problem->v_free) return "problems without free velocities";
    if (!problem->contact_count) return "problems without contacts";
    const int plane = sphere_plane(problem);
    for (int b = 0; b < problem->body_count; ++b) {
        double m, I;
        *which = b;
        if ((!problem->rigid && problem->Ht->col_offset[b + 1] - problem->Ht->col_offset[b] != 6) ||
            !sphere_mass_fits(problem, b, plane, &m, &I))
            return "bodies whose mass or inertia depends on the direction, here body";
    }
    for (int c = 0; c < problem->contact_count; ++c) {
        scree_rigid_contact read;
        *which = c;
        if (problem->rigid ? !sphere_contact_fits(&problem->rigid[c], &problem->cone[c], plane)
                           : !sphere_contact_read(problem, c, &read))
            return "contacts other than those of spheres, here contact";
        if (problem->compliance && !compliance_fits(problem, c))
            return "compliance that depends on the direction, here at contact";
    }
    return NULL;
}

int spheres_recognise(const scree_problem *problem)
{
    int which;
    return misfit(problem, &which) == NULL;
}

void spheres_misfit(const scree_problem *problem, char text[DEVICE_TEXT])
{
    int which;
    const char *what = misfit(problem, &which);
    if (!what) text[0] = '\0';
    else if (which < 0) snprintf(text, DEVICE_TEXT, "%s", what);
    else snprintf(text, DEVICE_TEXT, "%s %d", what, which);
}

/* ---- layout ------------------------------------------------------------------------------------------------------- */

void spheres_destroy(sphere_pile *s, const scree_allocator *allocator)
{
    MEMORY_FREE_ALL(allocator, s->colour_start, s->body, s->body_old, s->slot, s->batch, s->loads, s->loads_old,
                    s->sums, s->special, s->read);
    if (s->device.at) s->device.table->destroy(s->device.at);
    memset(s, 0, sizeof *s);
}

/// Is the slide-roll coupling c = r_b/I_b - r_a/I_a more than rounding?
static int is_coupled(const sphere_body *body, const scree_rigid_contact *k)
{
    double b = k->body_b >= 0 ? -vec_dot(k->arm_b, k->normal) * body[k->body_b].inv_inertia : 0.0;
    double a = k->body_a >= 0 ? vec_dot(k->arm_a, k->normal) * body[k->body_a].inv_inertia : 0.0;
    return fabs(b - a) > 1e-14 * (fabs(b) + fabs(a));
}

/// Class 2 colour + coupled of each contact. `used` holds a bit per colour and body; returns the number of colours.
static int classify(const sphere_pile *s, const scree_rigid_contact *contact, uint64_t *used, int *class_of)
{
    int colours = 0, own = COLOURS;
    for (int c = 0; c < s->contact_count; ++c) {
        const scree_rigid_contact *k = &contact[c];
        uint64_t taken = (k->body_a >= 0 ? used[k->body_a] : 0) | (k->body_b >= 0 ? used[k->body_b] : 0), bit = 1;
        int colour = 0;
        while (colour < COLOURS && (taken & bit)) ++colour, bit <<= 1;
        if (colour == COLOURS) colour = own++;
        else if (colour + 1 > colours) colours = colour + 1;
        if (k->body_a >= 0) used[k->body_a] |= bit;
        if (k->body_b >= 0) used[k->body_b] |= bit;
        class_of[c] = 2 * colour + is_coupled(s->body, k);
    }
    return own > COLOURS ? own : colours;
}

/// The same on the device. A contact that finds no colour gets one of its own.
static int classify_on(sphere_pile *s, const scree_rigid_contact *contact, int *a, int *b, int *class_of)
{
    int colours = 0;
    for (int c = 0; c < s->contact_count; ++c) a[c] = contact[c].body_a, b[c] = contact[c].body_b;
    sphere_device *d = &s->device;
    d->status = d->table->colour(d->at, s->body_count, s->contact_count, a, b, class_of);
    if (d->status != SCREE_OK) return 0;
    for (int c = 0; c < s->contact_count; ++c) colours = class_of[c] >= colours ? class_of[c] + 1 : colours;
    for (int c = 0; c < s->contact_count; ++c) {
        if (class_of[c] < 0) class_of[c] = colours++;
        class_of[c] = 2 * class_of[c] + is_coupled(s->body, &contact[c]);
    }
    return colours;
}

/// Batches of each class one after the other; contacts in their order inside.
static scree_status lay_out(sphere_pile *s, const scree_allocator *allocator)
{
    int classes = 2 * s->colour_count;
    int *cursor = memory_array(allocator, (size_t)classes + 1, sizeof *cursor);
    s->colour_start = memory_array(allocator, (size_t)s->colour_count + 1, sizeof *s->colour_start);
    if (!cursor || !s->colour_start) goto done;
    for (int c = 0; c < s->contact_count; ++c) cursor[s->slot[c]] += 1;
    for (int k = 0; k < classes; ++k) {
        int batches = (cursor[k] + LANES - 1) / LANES;
        if (k % 2 == 0) s->colour_start[k / 2] = s->batch_count;
        cursor[k] = LANES * s->batch_count; /* first slot */
        s->batch_count += batches;
    }
    s->colour_start[s->colour_count] = s->batch_count;
    size_t n = (size_t)s->batch_count;
    s->batch = memory_raw_array(allocator, n + 1, sizeof *s->batch);
    s->loads = memory_raw_array(allocator, n + 1, sizeof *s->loads);
    s->loads_old = memory_raw_array(allocator, n + 1, sizeof *s->loads_old);
    s->sums = memory_raw_array(allocator, SUMS * n + 1, sizeof *s->sums);
    if (!s->batch || !s->loads || !s->loads_old || !s->sums) goto done;
    for (int k = 0; k < s->batch_count; ++k)
        for (int l = 0; l < LANES; ++l) s->batch[k].contact[l] = -1;
    for (int c = 0; c < s->contact_count; ++c) {
        int slot = cursor[s->slot[c]]++;
        s->batch[slot / LANES].contact[slot % LANES] = c, s->slot[c] = slot;
    }
done:
    memory_free(allocator, cursor);
    return s->sums ? SCREE_OK : SCREE_ERR_MEMORY;
}

/// Memory, and what does not change: masses, and contacts as they were read.
static scree_status prepare(const scree_problem *problem, const scree_allocator *allocator, sphere_pile *s)
{
    size_t C = (size_t)problem->contact_count, N = (size_t)problem->body_count;
    memset(s, 0, sizeof *s);
    s->kernel = spheres_kernel_at(0);
    s->plane = sphere_plane(problem);
    s->body_count = problem->body_count, s->contact_count = problem->contact_count;
    s->slot = memory_raw_array(allocator, C + 1, sizeof *s->slot); /* the class of each contact at first */
    s->body = memory_raw_array(allocator, N + 2, sizeof *s->body);
    s->body_old = memory_raw_array(allocator, N + 2, sizeof *s->body_old);
    if (!problem->rigid) s->read = memory_raw_array(allocator, C + 1, sizeof *s->read);
    if (!s->slot || !s->body || !s->body_old || (!problem->rigid && !s->read)) return SCREE_ERR_MEMORY;
    for (int c = 0; s->read && c < problem->contact_count; ++c) sphere_contact_read(problem, c, &s->read[c]);
    for (int b = 0; b < problem->body_count; ++b)
        sphere_mass_fits(problem, b, s->plane, &s->body[b].inv_mass, &s->body[b].inv_inertia);
    return SCREE_OK;
}

scree_status spheres_create(const scree_problem *problem, const scree_allocator *allocator, sphere_pile *s)
{
    uint64_t *used = memory_array(allocator, (size_t)problem->body_count + 1, sizeof *used);
    scree_status status = prepare(problem, allocator, s);
    if (!used) status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        s->colour_count = classify(s, s->read ? s->read : problem->rigid, used, s->slot);
        status = lay_out(s, allocator);
    }
    memory_free(allocator, used);
    if (status != SCREE_OK) spheres_destroy(s, allocator);
    return status;
}

scree_status spheres_create_on(const pile_device_table *table, const scree_problem *problem,
                               const scree_allocator *allocator, sphere_pile *s, char text[DEVICE_TEXT])
{
    size_t C = (size_t)problem->contact_count;
    int *a = memory_raw_array(allocator, C + 1, sizeof *a), *b = memory_raw_array(allocator, C + 1, sizeof *b);
    scree_status status = prepare(problem, allocator, s);
    snprintf(text, DEVICE_TEXT, "out of memory");
    if (!a || !b) status = SCREE_ERR_MEMORY;
    s->device.table = table;
    if (status == SCREE_OK) status = table->create(&s->device.at, text);
    if (status == SCREE_OK) {
        s->colour_count = classify_on(s, s->read ? s->read : problem->rigid, a, b, s->slot);
        status = s->device.status;
        if (status != SCREE_OK) snprintf(text, DEVICE_TEXT, "%s", table->message(s->device.at));
    }
    if (status == SCREE_OK) status = lay_out(s, allocator);
    MEMORY_FREE_ALL(allocator, a, b);
    if (status != SCREE_OK) spheres_destroy(s, allocator);
    return status;
}
