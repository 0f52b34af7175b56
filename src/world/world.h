/* world.h (private): the memory of a world. Steppers write poses, velocities and loads here; everyone else goes through scree/world.h.
 *
 * Arrays by quantity, one entry per body: what a stage reads lies together. WORLD_STATE lists what the future depends on, once: the
 * hash, the checkpoint and its reader are loops over it (state.c). */
#ifndef SCREE_WORLD_WORLD_H
#define SCREE_WORLD_WORLD_H

#include "base/arena.h"
#include "world/broadphase.h"

#include <scree/world.h>

typedef double vec3[3];
typedef double quat[4];

/// A table of the body's own (values copied), or empty.
typedef struct owned_table {
    int count;
    double *time, *value;
} owned_table;

/// What only some bodies have.
typedef struct body_extra {
    owned_table force, moment, velocity, spin;
    double amplitude[3], frequency, phase;
    double start[3], start_rotation[4]; /* driven: pose at t = 0, of the frame */
} body_extra;

typedef struct contact_set {
    int count, capacity;
    scree_touch *touch;
} contact_set;

struct scree_world {
    scree_world_options options;
    scree_allocator allocator;
    double time;
    int64_t step_count;

    int body_count, body_capacity;
    vec3 *x;                 /* centre of mass                      [m]       */
    quat *q;                 /* principal frame -> world            [-]       */
    vec3 *v;                 /*                                     [m/s]     */
    vec3 *omega;             /* body frame                          [rad/s]   */
    double *mass;            /* 0: not dynamic                      [kg]      */
    vec3 *inertia;           /* principal                          [kg m^2]  */
    unsigned char *kind;     /* scree_body_kind                                     */
    int32_t *group, *number; /* name: group_name[group], or group_name[group][number] */
    int32_t *extra;          /* index into `extras`, -1: none                       */
    int32_t *first_shape;    /* shapes of a body lie together: first_shape[b] .. + shape_total[b] */
    int32_t *shape_total;
    vec3 *frame_x;
    quat *frame_q; /* user's frame relative to (x, q): pose_user = (x, q) * (frame_x, frame_q) */

    int shape_count, shape_capacity;
    scree_shape *shape; /* pose relative to the principal frame of the body */
    int32_t *shape_body;
    double *shape_extent; /* shape_radius                      */
    double *roll_radius;  /* what a ratio of the radius refers to: radius of the sphere, or of equal volume */

    int material_count, material_capacity;
    scree_material *material;  /* names owned                    */
    scree_friction *pair;      /* (material_count^2) row-major    */
    unsigned char *pair_given; /* (material_count^2)              */

    int group_count, group_capacity;
    char **group_name;
    int32_t *group_size;

    int extra_count, extra_capacity;
    body_extra *extras;

    contact_set contacts, previous; /* of this step, of the one before: swapped by detect */
    broadphase *broad;
    arena *scratch; /* of one call of detect */
};

/* ---- bodies.c, motion.c: what steppers need besides the arrays ------------------------------------------------------ */

/// Value of a table at time t (3 components), and its integral from t0 to t1.
void table_value(const owned_table *table, double t, double value[3]);
void table_integral(const owned_table *table, double t0, double t1, double integral[3]);

/// Applied force and moment at time t (gravity not included), world frame; zero for most bodies.
void body_load(const scree_world *world, int body, double t, double force[3], double moment[3]);

/// Velocity and angular velocity (world frame) that carry a driven body from its pose at t to that at t + h; zero: fixed.
void body_driven_velocity(const scree_world *world, int body, double t, double h, double v[3], double omega[3]);

/// Angular velocity in the world frame, and its inverse.
void body_spin_world(const scree_world *world, int body, double omega[3]);

/* ---- contacts.c ------------------------------------------------------------------------------------------------------ */

/// Room for `count` contacts in the present set.
scree_status contacts_reserve(scree_world *world, contact_set *set, int count);

/* ---- state.c ---------------------------------------------------------------------------------------------------------- */

/// One array of what the future depends on.
typedef struct world_field {
    const char *name;
    void *data;
    size_t element; /* bytes        */
    int count;
    char type; /* 'd' doubles, 'i' int32, 'b' bytes, 't' scree_touch, 'q' int64 */
    int width; /* numbers per element ('d' 3 for vectors)                         */
} world_field;

enum { WORLD_FIELDS_MAX = 48 };

/// The fields, in a fixed order. Counts are those of the world as it is.
int world_fields(scree_world *world, world_field field[WORLD_FIELDS_MAX]);

#endif
