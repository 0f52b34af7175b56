/* shapes.h: walls of any shape, as a scene has them: its fixed and driven bodies.
 *
 * The contacts of spheres with them are found and answered by the general code of the library, as in `scree run` (dem/dem_spheres_walls.c): the
 * world of the scene, without what moves freely in it, gets the spheres that are near a wall, anew with each list. The host calls once a step
 *
 *     lmp_shapes_loads      histories are carried with the bodies to where these are now, and advance; loads of spheres and walls
 *     lmp_shapes_move       walls move on, by what the scene prescribes and by the forces on them
 *
 * and where lmp_shapes_used says so, or its own lists are new
 *
 *     lmp_shapes_list, lmp_shapes_remember.., lmp_shapes_ready        the spheres near walls, with their histories
 *
 * What a contact remembers travels as it stands in memory, in LMP_SHAPE_WORDS numbers. */
#ifndef SCREE_LAMMPS_SHAPES_H
#define SCREE_LAMMPS_SHAPES_H

#include <scree/laws.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LMP_SHAPE_WORDS = 96 };

typedef struct lmp_shape_words {
    double number[LMP_SHAPE_WORDS];
} lmp_shape_words;

/// Where a wall is, how it moves in the step to come but for what is prescribed, and how it came here. All that a restart needs.
typedef struct lmp_shape_state {
    double x[3], q[4], v[3], moved[6], moved_from[4];
} lmp_shape_state;

/// Spheres of the host.
typedef struct lmp_spheres {
    int count;
    const double *x, *v, *omega; /* (count x 3) */
    const double *radius, *mass; /* (count); radius 0: it touches no wall */
    const int *material;         /* (count) indices into the materials of the scene */
} lmp_spheres;

typedef struct lmp_shapes lmp_shapes;

/// The walls of a scene file. planes 0: fixed planes are left out. NULL: refused, with the reason in `error`.
lmp_shapes *lmp_shapes_read(const char *path, int materials, int planes, double step, scree_error *error);
void lmp_shapes_destroy(lmp_shapes *s);

/// Walls are numbered from 0, contacts and histories too: `k` and `which` below.
int lmp_shapes_walls(const lmp_shapes *s);
lmp_shape_state *lmp_shapes_state(lmp_shapes *s, int k);
void lmp_shapes_set_time(lmp_shapes *s, double time, int64_t steps);
void lmp_shapes_time(const lmp_shapes *s, double *time, int64_t *steps);
/// Force and torque (about its position) that contacts exert on a wall, as they were told to lmp_shapes_felt_set; its velocity.
const double *lmp_shapes_felt(const lmp_shapes *s, int k);
const double *lmp_shapes_velocity(const lmp_shapes *s, int k);

/// 1: spheres may have come near that are not in the list. Called once a step, before the loads.
int lmp_shapes_used(lmp_shapes *s, const lmp_spheres *balls);
/// Spheres whose gap to a wall is below `reach`. 0: failed, as in what follows.
int lmp_shapes_list(lmp_shapes *s, const lmp_spheres *balls, double reach, scree_error *error);
int lmp_shapes_remember(lmp_shapes *s, int sphere, const lmp_shape_words *words);
void lmp_shapes_ready(lmp_shapes *s);

/// keep_them 1: histories as they are before this call can be had after it.
int lmp_shapes_loads(lmp_shapes *s, const lmp_spheres *balls, int keep_them, scree_error *error);
/// Contacts: force and torque on their sphere.
int lmp_shapes_count(const lmp_shapes *s);
int lmp_shapes_load(const lmp_shapes *s, int k, double force[3], double torque[3]);
/// Of all contacts on a wall, in two parts that add up exactly in any order; `scale` as in lmp_set_scale.
void lmp_shapes_parts(const lmp_shapes *s, int which, double scale, double parts[12]);
void lmp_shapes_felt_set(lmp_shapes *s, int which, const double parts[12]);
double lmp_shapes_peak(const lmp_shapes *s); /* largest normal force */
void lmp_shapes_move(lmp_shapes *s);

/// A contact of a sphere with a wall, for rigid contacts.
typedef struct lmp_shape_touch {
    int sphere, wall, shape;
    uint64_t feature;              /* as in scree_contact_point                      */
    double normal[3], position[3]; /* the normal from the wall to the sphere         */
    double gap, restitution;
    double velocity[6]; /* of the wall's point at the contact, and its spin          */
    scree_cone cone;
} lmp_shape_touch;

/// Rigid contacts, in place of lmp_shapes_remember and lmp_shapes_loads: those that may close within the step. Velocities of walls are then
/// those of the step. 0: failed.
int lmp_shapes_touch(lmp_shapes *s, const lmp_spheres *balls, scree_error *error);
int lmp_shapes_touches(const lmp_shapes *s);
void lmp_shapes_touch_at(const lmp_shapes *s, int k, lmp_shape_touch *out);

/// Histories, those before the last loads with `kept`: their sphere, or -1 where there is none.
int lmp_shapes_histories(const lmp_shapes *s, int kept);
int lmp_shapes_history(const lmp_shapes *s, int k, int kept, lmp_shape_words *words);

#ifdef __cplusplus
}
#endif

#endif
