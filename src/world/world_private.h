/* world_private.h: the memory of a world. Steppers write poses, velocities and loads here; everyone else goes through scree/world.h.
 *
 * Arrays by quantity, one entry per body: what a stage reads lies together. world_fields lists what the future depends on, once: the
 * hash, the checkpoint and its reader are loops over it (state.c). */
#ifndef SCREE_WORLD_WORLD_PRIVATE_H
#define SCREE_WORLD_WORLD_PRIVATE_H

#include "base/arena.h"
#include "base/fail.h"
#include "collision/broadphase.h"
#include "collision/collide.h"
#include "laws/forcing.h"
#include "world/touch.h"

#include <scree/world.h>

/// What only some bodies have.
typedef struct body_extra {
    forcing_load load;                  /* tables are the world's own copies */
    forcing_motion motion;              /* driven                            */
    double start[3], start_rotation[4]; /* driven: pose at t = 0, of the frame */
    double moved[6];                    /* driven: velocity and spin of its last step, which brought it here */
    double moved_from[4];               /* and its rotation before that; 0: it has made none                 */
} body_extra;

/// What a shape refers to, as numbers.
typedef struct shape_link {
    int32_t material; /* index: what the shape has as an id                       */
    int32_t slot;     /* number among the shapes that are not spheres; -1: a sphere */
} shape_link;

/// A joint: as given, and its frames in the frames of its bodies (of the ground: the world's).
typedef struct world_joint {
    scree_joint_def def;
    char name[64];
    double anchor[2][3];       /* [0] in A, [1] in B                                              */
    double axis[2][3];         /* the same direction in both                                      */
    double turn[4];            /* rotation of B against A at the start: q_b = q_a turn            */
    double length;             /* distance: at the start [m]                                      */
    forcing_table course;      /* that of `def`                                                   */
    forcing_table turn_course; /* that of def.turn                                           */
} world_joint;

/// What acts on the coordinate of a joint; `turn` 1: on the angle of a cylindrical one.
static inline scree_joint_turn joint_drive(const scree_joint_def *def, int turn)
{
    if (turn) return def->turn;
    return (scree_joint_turn){.lower = def->lower,
                              .upper = def->upper,
                              .stiffness = def->stiffness,
                              .damping = def->damping,
                              .rest = def->rest,
                              .motor = def->motor,
                              .target = def->target,
                              .course = def->course,
                              .bound = def->bound,
                              .servo_stiffness = def->servo_stiffness,
                              .servo_damping = def->servo_damping,
                              .friction = def->friction};
}

/// The index of the body on side A (0) or B (1); -1: the ground.
static inline int joint_body(const scree_joint_def *def, int side)
{
    return scree_body_index(side ? def->body_b : def->body_a);
}

/// Two bodies that do not collide, first < second.
typedef struct body_pair {
    int first, second;
} body_pair;

typedef struct contact_set {
    int count, capacity;
    scree_contact_point *touch;
    contact_memory *memory; /* (capacity), if the world has soft contacts; else NULL */
} contact_set;

/// Parts of the state that an engine may have newer than the world's arrays.
enum { PART_MOTION = 1, PART_CONTACTS = 2, PART_ALL = 3 };

/// Who has the newest state (dem/dem_engine.h). The world owns it: reading brings it back here, and whoever changes something that the
/// engine does not look at takes the engine away first (world_reclaim).
typedef struct world_holder {
    void *engine;   /* NULL: the world's arrays are all there is  */
    unsigned newer; /* parts that must be read before they are used */
    int bodies;     /* that the engine knows; later ones are the world's alone */
    scree_status (*read)(void *engine, scree_world *world, unsigned parts);
    void (*destroy)(void *engine);
} world_holder;

/// What soft contacts of spheres add up over the steps, and the scale of their exact sums (dem/spheres/sphere_engine.h). Doubles, so that it can be listed.
typedef struct soft_sums {
    double
        scale; /* 0: to be found from the contacts; below 0: that too, and state has been set by hand since the last step */
    double bodies;     /* that have been counted below; 0: there has been no step */
    double mechanical; /* kinetic and potential energy that bodies came with, of those that are there now */
    double fall;       /* of the same, sum of m g.v [W]                           */
    double moved; /* bodies that have made a soft step; of later ones nothing is known to have been earned by motion */
    double lost[16];    /* bed_totals                                              */
    double outside[32]; /* ledger of what is not the engine's: walls, applied loads */
} soft_sums;

struct scree_world {
    scree_world_options options; /* as the caller gave them; low and high as the cell is now */
    forcing_table strain, shear; /* rates of the cell's strain and shear [1/s] */
    int history;                 /* 1: contacts have a history, from options.soft or since the first step of dem */
    scree_allocator allocator;
    double time;
    int64_t step_count;
    double impulse_time; /* of the step over which the impulses of the contacts acted [s]; 0: there has been none */
    int grain_most; /* chunks of parallel loops are no longer; 0: as long as is fast. For tests of threads with few bodies; no state */

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
    unsigned char *jointed; /* 1: it has had a joint */
    vec3 *frame_x;
    quat *frame_q; /* user's frame relative to (x, q): pose_user = (x, q) * (frame_x, frame_q) */

    int shape_count, shape_capacity;
    scree_shape *shape; /* pose relative to the principal frame of the body */
    int32_t *shape_body;
    shape_link *shape_link;
    double *shape_extent; /* shape_radius                      */
    double *
        roll_radius; /* what a ratio of the radius refers to: of the sphere, or of that of the body's volume; planes: infinite */
    int32_t
        *shape_geometry; /* index into `geometry`, -1: none; a checkpoint has this instead of the pointers          */
    int slot_count;

    int material_count, material_capacity;
    scree_material *material; /* their names point into material_name                   */
    char **material_name;
    pair_friction *pair; /* (material_capacity^2), row-major: given, or mixed      */
    int passing_pairs;   /* pairs of materials that do not touch                   */

    int group_count, group_capacity;
    int name_bytes, name_capacity;
    char *names;                    /* of the groups, one after the other, each with its 0 */
    int32_t *group_at, *group_size; /* where its name starts; bodies in it                 */
    int32_t *group_slot;            /* (group_slots) groups by the hash of their names: bodies.c */
    int group_slots, group_hashed;  /* groups that are in it                               */

    int geometry_count, geometry_capacity;
    scree_geometry **geometry; /* held, in the order they came */

    int extra_count, extra_capacity;
    body_extra *extras;

    world_holder holder;
    scree_world *self; /* readers of a const world bring the newest state into it */
    int removed;       /* bodies that have been removed                           */
    int by_hand;       /* 1: the motion was changed while an engine could not be taken away, for want of memory */
    soft_sums soft;
    vec3
        *spin; /* world frame, as an engine for spheres left it: counts where omega is still that in the body's frame */

    int joint_count, joint_capacity;
    world_joint *joint;
    scree_joint_state *joint_state;
    body_pair *apart; /* (apart_count <= joint_count) sorted: pairs that joints keep from colliding */
    int apart_count;

    contact_set contacts, previous; /* of this step, of the one before: swapped by detect */
    broadphase *broad;
    arena *scratch; /* of one call of detect */
};

/// The index of a body that is there.
static inline int world_body(const scree_world *world, scree_body_id body)
{
    int index = scree_body_index(body);
    SCREE_ASSERT(index >= 0 && index < world->body_count);
    return index;
}

/// Length of the chunks of a loop over bodies, shapes, pairs or contacts of `usual` length.
static inline int world_grain(const scree_world *world, int usual)
{
    return world->grain_most > 0 && world->grain_most < usual ? world->grain_most : usual;
}

/* ---- holder.c: who has the newest state ------------------------------------------------------------------------------- */

/// Brings parts of the state into the world's arrays. Motion needs no memory and never fails.
scree_status world_sync(const scree_world *world, unsigned parts);
/// The same with all parts, and the engine is gone: the world's arrays are all there is. SCREE_ERR_MEMORY: nothing has changed.
scree_status world_reclaim(scree_world *world);

/* ---- energy.c ----------------------------------------------------------------------------------------------------------- */

double world_body_energy(const scree_world *world, int body); /* kinetic and potential */
/// Adds the body to, or (sign -1) takes it from, the sums that the ledger of soft spheres begins with.
void world_soft_count(scree_world *world, int body, double sign);
/// The range of states (energy.c): every component of a position [m], velocity [m/s] and angular velocity [1/s]; the energy of a body [J].
#define WORLD_LARGEST 1e100
#define WORLD_ENERGY  1e290

/// Whether the state of this body is out of that range, and in words how.
int body_fault(const scree_world *world, int body, char *text, size_t size);

/// The first body that scree_world_check finds, and a text of it; -1: none.
int world_runaway(const scree_world *world, scree_error *error);

/* ---- mass.c -------------------------------------------------------------------------------------------------------------- */

/// Mass, centre and principal axes of a body, in the frame in which its shapes are placed.
typedef struct mass_properties {
    double mass;       /* [kg]                                              */
    double centre[3];  /* of mass [m]                                       */
    double axes[4];    /* principal frame -> frame of the shapes            */
    double inertia[3]; /* about the centre, along the principal axes [kg m^2] */
} mass_properties;

/// From the masses of the shapes (count >= 1, none a plane). Where shapes overlap, the overlap counts twice.
mass_properties mass_of_shapes(const scree_shape *shape, const double *shape_mass, int count);

/// The same in axes of which one is `direction` (unit, frame of the shapes): the moment about it is right, the other two are the
/// diagonal of the tensor. For motion that turns about this direction only.
void mass_align(const double direction[3], mass_properties *properties);

/* ---- bodies.c -------------------------------------------------------------------------------------------------------------- */

/// What follows from the shapes of body b: extents, radii, slots. Bodies in their order.
void world_derive_shapes(scree_world *world, int body);

/* ---- motion.c: what steppers need besides the arrays ------------------------------------------------------ */

/// 1 and what is wrong with the table of `what`, a sentence that goes on after the name of its owner; 0: nothing.
int table_fault(const scree_table *table, int width, const char *what, char *text, size_t size);
/// 0: no memory; what there is can be freed.
int table_copy(const scree_allocator *allocator, const scree_table *from, int width, forcing_table *to);
void table_free(const scree_allocator *allocator, forcing_table *table);

/// The target of a motor at time t, and its mean from t to t + h. `turn` as in joint_drive.
double motor_target(const world_joint *joint, int turn, double t);
double motor_target_mean(const world_joint *joint, int turn, double t, double h);

/// A periodic cell that deforms (cell.c): what a step does to it, from t to t + h; doing so, with the bodies.
typedef struct cell_change {
    double stretch[3]; /* its lengths are multiplied by                                   */
    double shear[3];   /* what is higher goes along, by these times the height: x by y, x by z, y by z */
} cell_change;
int world_deforms(const scree_world *world);
int world_shears(const scree_world *world);
cell_change world_cell_change(const scree_world *world, double t, double h);
scree_status world_cell_deform(scree_world *world, const cell_change *change, scree_error *error);
/// r as the change has it, less r; by its shear alone.
void cell_displace(const cell_change *change, const double r[3], double moved[3]);
void cell_shear(const cell_change *change, const double r[3], double moved[3]);

/// Applied force and moment at time t (gravity not included), world frame; zero for most bodies.
void body_load(const scree_world *world, int body, double t, double force[3], double moment[3]);

/// Velocity and angular velocity (world frame) that carry a driven body from its pose at t to that at t + h; zero: fixed.
void body_driven_velocity(const scree_world *world, int body, double t, double h, double v[3], double omega[3]);

/// Pose of the frame of a driven body at time t.
void body_driven_pose(const scree_world *world, int body, double t, double position[3], double rotation[4]);

/// What the contacts exert on a body, of impulses that acted for h seconds.
void contact_force_over(const scree_world *world, int body, double h, double force[3], double moment[3]);

/// After a step of h seconds: servos choose the speed of the next one from the impulses of this one's contacts.
void servos_update(scree_world *world, double h);

/// Angular velocity in the world frame.
void body_spin_world(const scree_world *world, int body, double omega[3]);

/// Unit normal of the plane of motion: XY (0, 0, 1), XZ (0, 1, 0), YZ (1, 0, 0); spatial worlds: zero.
void planar_normal(scree_planar planar, double normal[3]);

/* ---- materials.c ----------------------------------------------------------------------------------------------------- */

/// Cone, restitution and stiffness of a contact: the radii are what ratios refer to, roll_radius of the two shapes.
/// The planar cone slides along t1 and rolls about t2, which is the normal of the plane of motion.
void contact_law(const scree_world *world, int material_a, int material_b, double radius_a, double radius_b,
                 scree_contact_point *touch);

/// What two materials have together.
const pair_friction *world_pair(const scree_world *world, int material_a, int material_b);

/* ---- materials_dem.c ------------------------------------------------------------------------------------------------- */

int dem_valid(const scree_dem *dem, const char *name, scree_error *error);
/// Fills what soft contacts read, from both materials.
void dem_mixture(scree_mixing rule, const scree_dem *a, const scree_dem *b, pair_friction *pair);
/// What `own` gives replaces what the pair has.
void dem_overlay(const scree_dem *own, pair_friction *pair);
/// What follows from the whole of it: the damping ratio, from that of the restitution unless it is given.
void dem_settle(pair_friction *pair);

/* ---- periodic.c: worlds that repeat themselves ----------------------------------------------------------------------- */

int world_is_periodic(const scree_world *world);
/// Brings the bodies that move freely back into the period. Those with joints go on beyond it: so joints never meet an image.
void world_wrap(scree_world *world);
/// A plane repeats itself along axes it lies along; a moving body meets each other one through one image. Else an error.
scree_status periodic_possible(const scree_world *world, scree_error *error);
/// The same of the shapes from `first` on.
scree_status periodic_shapes_possible(const scree_world *world, int first, scree_error *error);
/// What broadphase_update gives, with images; the list lies in world->scratch.
scree_status periodic_pairs(scree_world *world, const broadphase_input *input, shape_pairs *pairs);

/* ---- curvature.c ----------------------------------------------------------------------------------------------------- */

/// At a point of the surface (from the body's centre of mass) with this outward normal, all in the world frame. `along`: a tangent of
/// any length, 0: then the mean is taken for it.
surface_bend shape_curvature(const scree_world *world, int shape, const double point[3], const double outward[3],
                             const double along[3]);

/* ---- detect.c -------------------------------------------------------------------------------------------------------- */

/// Pairs of shapes, in ascending order, the lower number first; and the shapes that are in them, each once.
typedef struct listed_pairs {
    int count, shapes;
    const int (*pair)[2];
    const int *shape;
} listed_pairs;

/// scree_world_detect for these pairs alone: the contacts of the world are then theirs. Work goes with the list, not with the world.
scree_status world_detect_listed(scree_world *world, const listed_pairs *pairs, double h, scree_pool *pool);

/// The contacts that scree_world_detect would find, without loads and memories; the world stays as it is. `found->touch` is the
/// caller's to give back, by the world's allocator, after a failure too.
scree_status world_contacts_look(const scree_world *world, double h, contact_set *found);

/* ---- points.c -------------------------------------------------------------------------------------------------------- */

/// Which of `count` spheres, centres x (count x 3), have a gap of at most `reach` to the shape `wall`; those with a radius of 0 are not asked.
/// Returns how many.
int world_balls_near(const scree_world *world, int wall, int count, const double *x, const double *radius, double reach,
                     int *out);

/* ---- joints.c, joint_rows.c: joints as rows ---------------------------------------------------------------------------- */

/// Pose of a body, or of the ground.
typedef struct joint_pose {
    double x[3], q[4];
} joint_pose;

/// One row:  rate = a.(v, omega)_A + b.(v, omega)_B, world frame, about the centres of mass.
typedef struct joint_row {
    int load;  /* its place in the loads of the joint: below SCREE_JOINT_ROW_LOWER one that holds            */
    int turns; /* 1: rate in rad/s, load in N m s; 0: m/s, N s                                            */
    double a[6], b[6];
    double position; /* rows that hold: error; limits: gap; else the coordinate                                */
    double point[3]; /* a point of the line along which the load acts; a moment: the anchor                    */
} joint_row;

/// The rows of a joint at these poses: those that hold, then, where given, limits, spring, motor, friction. Fills coordinate, error
/// and twist of `state`; its coordinate on entry says which turn. Returns their number; 0: none of the bodies moves any more.
int joint_rows(const scree_world *world, int joint, const joint_pose *a, const joint_pose *b, scree_joint_state *state,
               joint_row row[SCREE_JOINT_ROWS]);

/// The row of its coordinate alone (`turn` as in joint_drive); zeros where it has none.
joint_row joint_coordinate_row(const scree_world *world, int joint, int turn, const joint_pose *a, const joint_pose *b);

/// 1 if a joint keeps these two bodies from colliding.
int bodies_kept_apart(const scree_world *world, int body_a, int body_b);

/* ---- contacts.c ------------------------------------------------------------------------------------------------------ */

/// From now on contacts have a memory; those there are have none yet. The option `soft` does this at the start.
scree_status contacts_remember(scree_world *world);

/// Room for `count` contacts in the present set.
scree_status contacts_reserve(scree_world *world, contact_set *set, int count);

/// Force impulse and moment impulse (free of any lever) on B, world frame.
void touch_impulse(const scree_contact_point *touch, double force[3], double moment[3]);

/* ---- world.c ----------------------------------------------------------------------------------------------------------- */

/// Room for so many; what is there stays. On failure the world is as it was.
scree_status world_reserve_bodies(scree_world *world, int bodies);
scree_status world_reserve_shapes(scree_world *world, int shapes);
scree_status world_reserve_groups(scree_world *world, int groups, int name_bytes);

/// `memory` (count elements of `size` bytes) in a new array of `capacity` elements; the old one is given back. NULL: no memory, and
/// the old one stays.
void *world_grow(const scree_allocator *allocator, void *memory, int count, int capacity, size_t size);

void extra_free(const scree_allocator *allocator, body_extra *extra); /* its tables */

/// Where a shape is now: its own origin, and the whole of it.
void world_shape_centre(const scree_world *world, int shape, double centre[3]);
void world_shape_pose(const scree_world *world, int shape, posed_shape *posed);

/// Index of the geometry, which is then held; -1: no memory.
int world_hold_geometry(scree_world *world, scree_geometry *geometry);

/* ---- state.c ---------------------------------------------------------------------------------------------------------- */

/// One array of what the future depends on: `count` elements of `width` numbers each, `stride` bytes from one to the next (more
/// than their size where they lie in a struct).
typedef struct world_field {
    const char *name;
    void *data;
    size_t stride;
    int count;
    char type; /* 'd' double, 'i' int32, 'b' byte, 'q' int64 */
    int width;
    int unhashed; /* 1: kept by a checkpoint, but no part of the hash: the future does not depend on it */
} world_field;

enum { WORLD_FIELDS_MAX = 72 };

/// The fields, in a fixed order. Counts are those of the world as it is.
int world_fields(scree_world *world, world_field field[WORLD_FIELDS_MAX]);
size_t world_field_bytes(const world_field *field); /* of one element: width x size of the type */

/// The sizes of a world. A checkpoint keeps them beside the fields.
enum { WORLD_BODIES, WORLD_SHAPES, WORLD_CONTACTS, WORLD_GROUPS, WORLD_NAME_BYTES, WORLD_JOINTS, WORLD_COUNTS };
void world_counts(const scree_world *world, int32_t count[WORLD_COUNTS]);

/// Restoring: begin makes room and sets the counts, the caller fills every field, end makes what follows from them. The world was
/// built from the same scene, so it has the same materials, tables and motions. Input error at the end: the fields do not fit
/// together (an index out of range); the world can then only be destroyed.
scree_status world_restore_begin(scree_world *world, const int32_t count[WORLD_COUNTS], scree_error *error);
scree_status world_restore_end(scree_world *world, scree_error *error);

#endif
