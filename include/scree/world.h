/* world.h: rigid bodies, their shapes and materials, and where they touch. It knows no solver and no time stepping.
 *
 *     scree_error error = {0};
 *     scree_world *world = scree_world_create(NULL, &error);
 *     scree_material stone = scree_material_default("stone");
 *     stone.density = 2500;
 *     scree_material_id material = scree_world_add_material(world, &stone, &error);
 *     scree_world_add_fixed(world, scree_shape_plane(material), &error);
 *     scree_body_def ball = scree_body_def_of(scree_shape_sphere(0.1, material));
 *     scree_body_id id = scree_world_add_body(world, &ball, &error);
 *
 * Frames: x is the centre of mass in the world [m], q a unit quaternion (w, x, y, z) that turns vectors of the body's principal
 * frame into the world, v the velocity of the centre of mass in the world [m/s], omega the angular velocity in the BODY frame
 * [rad/s].
 *
 * Ids name what was added: scree_body_id, scree_material_id, scree_joint_id, scree_shape_id. The types keep them apart, and a zeroed one is
 * null. Arrays and files have plain indices instead: bodies, materials, joints and shapes are each numbered 0, 1, ... in the order they
 * were added, and numbers of removed bodies are not used again. scree_body_index(id) is the place of a body in every array of bodies, and in
 * body_a and body_b of contacts; scree_body_at(index) is its id.
 *
 * Thread safety: a world serves one thread at a time; threads may read one world after scree_world_read, while none changes it. */
#ifndef SCREE_WORLD_H
#define SCREE_WORLD_H

#include <scree/geometry.h>
#include <scree/laws.h>

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- ids ------------------------------------------------------------------------------------------------------------- */

/// Ids are the index + 1. The functions below convert; the index of a null id is -1, and the id at a negative index is null.
typedef struct scree_body_id {
    int32_t index1;
} scree_body_id;
typedef struct scree_joint_id {
    int32_t index1;
} scree_joint_id;
typedef struct scree_shape_id {
    int32_t index1;
} scree_shape_id;

static inline int scree_body_index(scree_body_id id)
{
    return (int)id.index1 - 1;
}
static inline scree_body_id scree_body_at(int index)
{
    scree_body_id id = {(int32_t)(index < 0 ? 0 : index + 1)};
    return id;
}
static inline int scree_joint_index(scree_joint_id id)
{
    return (int)id.index1 - 1;
}
static inline scree_joint_id scree_joint_at(int index)
{
    scree_joint_id id = {(int32_t)(index < 0 ? 0 : index + 1)};
    return id;
}
static inline int scree_shape_index(scree_shape_id id)
{
    return (int)id.index1 - 1;
}
static inline scree_shape_id scree_shape_at(int index)
{
    scree_shape_id id = {(int32_t)(index < 0 ? 0 : index + 1)};
    return id;
}

/* ---- functions of time ------------------------------------------------------------------------------------------- */

/// Piecewise linear in time, constant before the first and after the last point. count 0: zero; count 1: a constant.
typedef struct scree_table {
    int count;
    const double *time;  /* (count) ascending [s]       */
    const double *value; /* (count x 3); of a time function (count) */
} scree_table;

/// A number over time: the table, and amplitude sin(2 pi frequency t + phase), added up.
typedef struct scree_time_function {
    scree_table table;
    double amplitude; /* in the unit of the number */
    double frequency; /* [1/s]                     */
    double phase;     /* [rad]                     */
} scree_time_function;

/* ---- materials ----------------------------------------------------------------------------------------------------- */

/// How a rolling or spinning length is given. A body's radius is that of the sphere, or of the sphere of equal volume; planes and
/// surfaces have none, which counts as infinite.
typedef enum scree_length_kind {
    SCREE_LENGTH_ABSOLUTE =
        0,               /* a length                                                                               */
    SCREE_LENGTH_RATIO,  /* a ratio of the radius; of the smaller one at a contact of two                           */
    SCREE_LENGTH_REDUCED /* a ratio of the reduced radius R_a R_b/(R_a + R_b) of the contact; of R against a plane   */
} scree_length_kind;

typedef struct scree_friction_length {
    double value; /* [m], or [-] of a radius  */
    int kind;     /* scree_length_kind           */
} scree_friction_length;

/// The friction of a contact. `stiffness` 0: rigid.
typedef struct scree_friction {
    double mu;                      /* sliding [-]                                                              */
    scree_friction_length rolling;  /* rho                                                                      */
    scree_friction_length spinning; /* sigma                                                                    */
    double restitution;             /* Newton's, 0 to 1                                                         */
    double stiffness;               /* normal contact stiffness [N/m]; 0: rigid                                  */
    double mu_static;               /* what it takes to start sliding [-], >= mu; 0: mu                          */
    scree_friction_length rolling_static, spinning_static; /* the same of rolling and spinning; 0: as those that move */
} scree_friction;

/// A number that is not given: NaN.
#define SCREE_NOT_GIVEN ((double)NAN)

/// What soft contacts (SCREE_SCHEME_DEM) read beside the friction: numbers, each given or derived (docs/math/dem.md).
/// X-macro: the struct, its defaults, the keys of scenes, the docs are expansions of this list.
#define SCREE_DEM_FIELDS(F)                                                                                            \
    F(double, stiffness, SCREE_NOT_GIVEN,                                                                              \
      "Spring of Hooke's law along the normal [N/m]; not given: the material's `stiffness`.")                          \
    F(double, load, SCREE_NOT_GIVEN, "Normal force of every contact of the constant law [N].")                         \
    F(double, young, SCREE_NOT_GIVEN, "Young's modulus [Pa], for Hertz and Mindlin; a partner without one is rigid.")  \
    F(double, poisson, SCREE_NOT_GIVEN, "Poisson's ratio; goes with `young`.")                                         \
    F(double, damping, SCREE_NOT_GIVEN, "Damping ratio along the normal, instead of `restitution`.")                   \
    F(double, slide_stiffness, SCREE_NOT_GIVEN,                                                                        \
      "K_E, spring of sliding [N/m]; not given: Mindlin's 8 G a from `young`.")                                        \
    F(double, slide_damping, SCREE_NOT_GIVEN, "Dashpot of sliding [N s/m]; not given: from `damping_share`.")          \
    F(double, damping_share, SCREE_NOT_GIVEN,                                                                          \
      "Fraction of critical damping, 2 sqrt(m K), in dashpots that are not given. Default: sliding, that along the "   \
      "normal, at most 1; rolling, spinning and model `published`, 1.")                                                \
    F(double, eta_r, SCREE_NOT_GIVEN, "Rolling over sliding (eta_r); not given: from `rolling`.")                      \
    F(double, eta_psi, SCREE_NOT_GIVEN, "Spinning over sliding (eta_psi); not given: from `spinning`.")                \
    F(double, roll_static, SCREE_NOT_GIVEN, "Static coefficient of rolling; not given: that of sliding.")              \
    F(double, roll_kinetic, SCREE_NOT_GIVEN, "Kinetic coefficient of rolling; not given: that of sliding.")            \
    F(double, spin_static, SCREE_NOT_GIVEN, "Static coefficient of spinning; not given: that of sliding.")             \
    F(double, spin_kinetic, SCREE_NOT_GIVEN, "Kinetic coefficient of spinning; not given: that of sliding.")           \
    F(double, roll_curvature, SCREE_NOT_GIVEN, "Sum of both curvatures [1/m]; not given: that of the surfaces.")       \
    F(double, roll_stiffness, SCREE_NOT_GIVEN, "Spring of rolling [N m]; not given: from eta_r. The bound stays.")     \
    F(double, roll_damping, SCREE_NOT_GIVEN,                                                                           \
      "Dashpot of rolling [N m s]; not given: 2 sqrt(I K) times `damping_share`.")                                     \
    F(double, spin_curvature, SCREE_NOT_GIVEN, "Curvature of spinning [1/m]; not given: that of the surfaces.")        \
    F(double, spin_stiffness, SCREE_NOT_GIVEN, "Spring of spinning [N m]; not given: from eta_psi. The bound stays.")  \
    F(double, spin_damping, SCREE_NOT_GIVEN,                                                                           \
      "Dashpot of spinning [N m s]; not given: 2 sqrt(I K) times `damping_share`.")                                    \
    F(double, sds_stiffness, SCREE_NOT_GIVEN, "Spring of rolling in the model sds, a pseudo-force [N/m].")             \
    F(double, sds_damping, SCREE_NOT_GIVEN, "Dashpot of rolling in the model sds, a pseudo-force [N s/m].")

typedef enum scree_dem_normal {
    SCREE_DEM_NORMAL_DEFAULT = 0, /* Hertz with `young`, else Hooke */
    SCREE_DEM_HOOKE,
    SCREE_DEM_HERTZ,
    SCREE_DEM_CONSTANT
} scree_dem_normal;

typedef enum scree_dem_model {
    SCREE_DEM_MODEL_DEFAULT = 0, /* SCREE_DEM_TRACKING */
    SCREE_DEM_TRACKING, /* contact points tracked on both surfaces: Fang & Negrut; no force is above its bound */
    SCREE_DEM_TORQUE,   /* the same sliding; rolling friction of constant size                      */
    SCREE_DEM_SDS,      /* spring, dashpot, slider on integrated velocities, as LAMMPS has them      */
    SCREE_DEM_PUBLISHED /* tracking as Fang & Negrut print it: dashpots without a bound, critical, of the mean mass */
} scree_dem_model;

/// The stiffness of spinning.
typedef enum scree_dem_spin {
    SCREE_DEM_SPIN_DEFAULT = 0, /* SCREE_DEM_SPIN_HEURISTIC                */
    SCREE_DEM_SPIN_HEURISTIC,   /* from eta_psi and the curvature           */
    SCREE_DEM_SPIN_HERTZ        /* from the radius of the contact           */
} scree_dem_spin;

/// Whether the normal force may pull while bodies part.
typedef enum scree_dem_pulls {
    SCREE_DEM_PULLS_DEFAULT = 0, /* SCREE_DEM_PULLS_NO */
    SCREE_DEM_PULLS_NO,
    SCREE_DEM_PULLS_YES
} scree_dem_pulls;

/// Made by scree_dem_default; a zeroed one has a stiffness of 0, which is refused.
typedef struct scree_dem {
    scree_dem_normal normal; /* law of the normal force           */
    scree_dem_model model;   /* model of friction                 */
    scree_dem_spin spin;     /* stiffness of spinning             */
    scree_dem_pulls pulls;   /* whether the normal force may pull */
#define SCREE_FIELD(type, field, value, text) type field;
    SCREE_DEM_FIELDS(SCREE_FIELD)
#undef SCREE_FIELD
} scree_dem;

SCREE_API scree_dem scree_dem_default(void); /* nothing is given */

typedef struct scree_material {
    const char *name; /* copied                                                                    */
    double density;   /* [kg/m^3]; 0: bodies of this material must give their mass                  */
    scree_friction friction;
    scree_dem soft; /* for SCREE_SCHEME_DEM */
} scree_material;

/// A material of this name without density, friction or restitution, rigid; nothing of `soft` is given.
SCREE_API scree_material scree_material_default(const char *name);

typedef enum scree_mixing { SCREE_MIX_MIN, SCREE_MIX_MAX, SCREE_MIX_MEAN, SCREE_MIX_GEOMETRIC } scree_mixing;

/* ---- bodies ------------------------------------------------------------------------------------------------------------ */

typedef enum scree_body_kind {
    SCREE_BODY_DYNAMIC = 0,
    SCREE_BODY_FIXED,
    SCREE_BODY_DRIVEN, /* moves as prescribed, whatever it meets                              */
    SCREE_BODY_REMOVED /* its number stays, nothing else does                                 */
} scree_body_kind;

/// Pressure control: along `axis` the body moves at gain (force - contact force), at most at `speed`. The contact force is that of the
/// last step, summed over its contacts. Across the axis it moves as prescribed.
typedef struct scree_pressure_control {
    double axis[3]; /* unit; 0: no pressure control            */
    double force;   /* along the axis, on what it meets [N]    */
    double gain;    /* [m/(N s)], above 0                      */
    double speed;   /* largest [m/s]; 0: no limit              */
} scree_pressure_control;

/// Prescribed motion of a driven body. Velocities add up; displacements are their exact integrals from t = 0.
typedef struct scree_motion {
    scree_table velocity; /* [m/s]                                                                   */
    scree_table spin;     /* angular velocity, world frame, about the body's position [rad/s]         */
    double amplitude[3];  /* harmonic: amplitude sin(2 pi frequency t + phase) added to the position */
    double frequency;     /* [1/s] */
    double phase;         /* [rad] */
    scree_pressure_control servo;
} scree_motion;

typedef struct scree_body_def {
    unsigned cookie;
    scree_body_kind kind;
    const char *name;          /* of the body, or of the group it belongs to; copied; NULL: none        */
    scree_shape shape;         /* of a body with one shape                                              */
    const scree_shape *shapes; /* of a body with several: (shape_count), instead of `shape`; copied      */
    int shape_count;           /* 0: the one above                                                      */
    double position[3];        /* of the frame in which the shapes are placed                                   */
    double rotation[4];        /* of the same                                                                   */
    double velocity[3];        /* of the centre of mass                                                         */
    double spin[3];            /* angular velocity, WORLD frame [rad/s]                                         */
    double mass;               /* [kg]; 0: from the densities                                                   */
    double inertia
        [3]; /* moments of inertia about the centre of mass [kg m^2]; 0: from shapes and mass. They are along the axes of the
                          shape (hulls: the principal ones), of a body with several along those of the frame in which they are placed */
    double
        inertia_axes[4]; /* quaternion: along these instead, in that frame; 0: not given                              */
    double
        centre[3]; /* centre of mass in that frame [m]; SCREE_NOT_GIVEN: of the shapes. With mass and inertia only    */
    scree_table force;   /* at the centre of mass, world frame [N]; copied                                */
    scree_table moment;  /* world frame [N m]; copied                                                     */
    scree_motion motion; /* of a driven body; tables are copied                                          */
} scree_body_def;

SCREE_API scree_body_def scree_body_def_default(void);
/// The defaults, with this shape: a dynamic body at the origin.
SCREE_API scree_body_def scree_body_def_of(scree_shape shape);

/* ---- the world --------------------------------------------------------------------------------------------------------- */

typedef struct scree_world scree_world;

typedef enum scree_planar { SCREE_PLANAR_NONE = 0, SCREE_PLANAR_XY, SCREE_PLANAR_XZ, SCREE_PLANAR_YZ } scree_planar;

typedef struct scree_world_options {
    unsigned cookie;
    double gravity[3];   /* [m/s^2]                                                                       */
    scree_planar planar; /* motion in a plane: no velocity out of it, no rotation but about its normal    */
    double margin;       /* contacts are kept up to this gap beyond what may close in the step [m]       */
    double speed_limit;  /* a body faster than this stops the run [m/s]; 0: none, only NaN and infinity do */
    scree_mixing mix_friction, mix_rolling, mix_spinning, mix_restitution, mix_stiffness;
    int periodic[3];        /* axes along which the world repeats itself from low to high                           */
    double low[3], high[3]; /* [m], read where periodic; a moving body reaches at most a quarter of it       */
    scree_table
        strain_rate; /* of the periodic cell, along x, y, z [1/s]: it is exp(integral) times as long; below 0: it shrinks, and
                                bodies with it. Copied; count 0: it stays. SCREE_SCHEME_DEM only                  */
    scree_table
        shear_rate; /* of the periodic cell, of x along y, x along z, y along z [1/s], beside its strain: what is higher by y
                                     moves along x by the first times y against the rest, and so do the images of the cell (Lees and Edwards).
                                     Both axes are periodic. Copied; count 0: none. SCREE_SCHEME_DEM only         */
    double tilt[3]; /* by how much the image above, along y, z, z, lies further along x, x, y [m]; 0: right above */
    int soft;       /* 1: contacts have a history from the start, for SCREE_SCHEME_DEM; 0: from its first step    */
    const scree_allocator *allocator; /* NULL: the default; copied */
} scree_world_options;

SCREE_API scree_world_options scree_world_options_default(void); /* gravity (0, 0, -9.81), MIN everywhere */
/// options NULL: the defaults. On failure NULL.
SCREE_API scree_world *scree_world_create(const scree_world_options *options, scree_error *error);
SCREE_API void scree_world_destroy(scree_world *world);

SCREE_API scree_material_id scree_world_add_material(scree_world *world, const scree_material *material,
                                                     scree_error *error);
SCREE_API int scree_world_material_count(const scree_world *world);
SCREE_API const scree_material *scree_world_material(const scree_world *world, scree_material_id material);
/// The friction between two materials (may be the same one), instead of the mixing rule.
SCREE_API scree_status scree_world_set_pair(scree_world *world, scree_material_id material_a,
                                            scree_material_id material_b, const scree_friction *friction,
                                            scree_error *error);
/// What the contact of two materials has: the pair's own friction, or the mixture. A length that is of one kind in one
/// material and of another in the other (a length, a ratio) has no mixture before the contact's radii are known: its value is NaN here, and
/// the contact mixes the lengths.
/// A stiffness of 0 counts as infinite.
SCREE_API scree_friction scree_world_pair(const scree_world *world, scree_material_id material_a,
                                          scree_material_id material_b);

/// Whether shapes of two materials (may be the same one) touch each other. They do unless 0 was set here: then they go through each other,
/// as linked parts of a machine do, or a marker. Where any two do not, soft spheres are stepped by the engine for any shape.
SCREE_API scree_status scree_world_set_pair_touching(scree_world *world, scree_material_id material_a,
                                                     scree_material_id material_b, int touching, scree_error *error);
SCREE_API int scree_world_pair_touching(const scree_world *world, scree_material_id material_a,
                                        scree_material_id material_b);

/// What a pair of materials has instead of the mixture: the fields that are given.
SCREE_API scree_status scree_world_set_pair_dem(scree_world *world, scree_material_id material_a,
                                                scree_material_id material_b, const scree_dem *dem, scree_error *error);
/// What two materials have together: a number that both give is mixed by mix_stiffness, one that only one gives is that one's.
SCREE_API scree_dem scree_world_pair_dem(const scree_world *world, scree_material_id material_a,
                                         scree_material_id material_b);

/// Holds a geometry before a body has it. A world that is to be restored from a checkpoint must get its geometries in the order in which
/// the other one got them.
SCREE_API scree_status scree_world_add_geometry(scree_world *world, scree_geometry *geometry, scree_error *error);

SCREE_API scree_body_id scree_world_add_body(scree_world *world, const scree_body_def *def, scree_error *error);
/// A fixed body of one shape, its frame that of the world.
SCREE_API scree_body_id scree_world_add_fixed(scree_world *world, scree_shape shape, scree_error *error);
SCREE_API void scree_world_remove_body(scree_world *world, scree_body_id body);

/// Room for this many bodies and contacts, so that adding up to that many allocates nothing.
SCREE_API scree_status scree_world_reserve(scree_world *world, int bodies, int contacts, scree_error *error);

/* ---- state, as arrays: valid until a body is added. One entry per body, removed ones included. --------------------------- */

/// The periodic cell as it is now [m]; infinite along axes that are not periodic.
SCREE_API void scree_world_cell(const scree_world *world, double low[3], double high[3]);
/// By how much the images of the cell have been sheared, as scree_world_options.tilt: each at most half a period.
SCREE_API void scree_world_cell_tilt(const scree_world *world, double tilt[3]);
SCREE_API double scree_world_time(const scree_world *world); /* NULL: 0 */
SCREE_API int64_t scree_world_step_count(const scree_world *world);
SCREE_API int scree_world_body_count(const scree_world *world);
SCREE_API int scree_world_dynamic_count(const scree_world *world); /* of these, the dynamic ones: O(bodies)       */
SCREE_API scree_body_kind scree_world_body_kind(const scree_world *world, scree_body_id body);
SCREE_API const double *scree_world_positions(const scree_world *world);          /* (n x 3) centres of mass     */
SCREE_API const double *scree_world_rotations(const scree_world *world);          /* (n x 4)                     */
SCREE_API const double *scree_world_velocities(const scree_world *world);         /* (n x 3)                     */
SCREE_API const double *scree_world_angular_velocities(const scree_world *world); /* (n x 3) body frame          */
SCREE_API double scree_world_mass(const scree_world *world, scree_body_id body);  /* infinite: not dynamic       */
SCREE_API const double *scree_world_inertia(const scree_world *world,
                                            scree_body_id body); /* principal moments (3)       */
/// Name of the body ("floor"), or of its group and its number there ("grain[12]"). Returns `buffer`.
SCREE_API char *scree_world_body_name(const scree_world *world, scree_body_id body, char *buffer, size_t size);
SCREE_API scree_body_id scree_world_find_body(const scree_world *world,
                                              const char *name); /* "floor", "grain[12]"; null: none */

/// By hand, and between steps only. What is NULL stays as it is.
SCREE_API void scree_world_set_state(scree_world *world, scree_body_id body, const double position[3],
                                     const double rotation[4], const double velocity[3],
                                     const double angular_velocity_body[3]);
/// The clock of a world whose bodies were put where they are, by hand and between steps only. Driven bodies go to where they are at that time,
/// but for those under pressure control, which stay.
SCREE_API void scree_world_set_time(scree_world *world, double time, int64_t steps);
/// The pose of the frame in which the shapes were placed.
SCREE_API void scree_world_frame(const scree_world *world, scree_body_id body, double position[3], double rotation[4]);

SCREE_API int scree_world_shape_count(const scree_world *world);
/// A shape as given, its pose relative to the centre of mass and principal axes of its body.
SCREE_API const scree_shape *scree_world_shape(const scree_world *world, scree_shape_id shape);
SCREE_API scree_body_id scree_world_shape_body(const scree_world *world, scree_shape_id shape);

/* ---- contacts of the last step ---------------------------------------------------------------------------------------------- */

/// One contact point. The order of contacts does not depend on threads or history: by (shape_a, shape_b, feature), A before B.
typedef struct scree_contact_point {
    int body_a, body_b; /* indices; A has the lower shape number                                      */
    int shape_a, shape_b;
    uint64_t feature;   /* which point of the pair: the same number for the same point in the next step */
    int32_t age;        /* steps since the contact was first there                                    */
    double position[3]; /* midway between the two surfaces [m]                                        */
    double normal[3];   /* unit, from A to B                                                          */
    double tangent[3];  /* t1; t2 = n x t1. Carried from step to step; planar: t2 is the plane's normal */
    double gap;         /* negative: penetration [m]                                                  */
    scree_cone cone;    /* which kinds of friction, and mu, rho, sigma                                */
    double coef_static
        [SCREE_FRICTION_KINDS]; /* what it takes to start each: mu [-], rho, sigma [m], >= those of the cone */
    double restitution;
    double stiffness;               /* [N/m]; 0: rigid                                                            */
    double impulse[SCREE_DIM_MAX];  /* N T T R R S whatever the cone, on B, over the last step [N s, N m s]      */
    double velocity[SCREE_DIM_MAX]; /* the same of the relative velocity at the end of the step                  */
    scree_mode mode;
    double roll_a
        [2]; /* rolling moment on A along t1, t2 [N m s]. Rigid contacts, sds: the opposite of impulse[3], impulse[4], which act on B; the
                         soft models that track contact points may give the two bodies moments that are not opposite */
} scree_contact_point;

/// The state as arrays. Valid until the next step, or until a body is added or a state set.
typedef struct scree_world_view {
    int body_count;
    const double *positions;             /* (body_count x 3)                                  */
    const double *rotations;             /* (body_count x 4)                                  */
    const double *velocities;            /* (body_count x 3)                                  */
    const double *angular_velocities;    /* (body_count x 3) body frame                       */
    int contact_count;                   /*                                                   */
    const scree_contact_point *contacts; /* (contact_count)                                   */
} scree_world_view;

/// Brings the newest positions and velocities, or contacts, to where they can be read: an engine of soft spheres keeps them to itself while
/// it steps. `view` (may be NULL) receives the parts that are read, the others are empty. The functions that return one array read it
/// themselves; this one tells whether there was memory for it, and may be called before two threads read one world.
enum { SCREE_READ_MOTION = 1, SCREE_READ_CONTACTS = 2 };
SCREE_API scree_status scree_world_read(scree_world *world, unsigned parts, scree_world_view *view, scree_error *error);

SCREE_API int scree_world_contact_count(const scree_world *world);
SCREE_API const scree_contact_point *scree_world_contacts(const scree_world *world);

/// Force and moment about the centre of mass (fixed and driven bodies: about their position) that the contacts exert on `body`, the mean
/// over the last step.
SCREE_API void scree_world_contact_force(const scree_world *world, scree_body_id body, double force[3],
                                         double moment[3]);
/// The same of one contact (0 .. scree_world_contact_count - 1): the force and the moment on B at its position.
SCREE_API void scree_world_contact_point_force(const scree_world *world, int contact, double force[3],
                                               double moment[3]);

/* ---- joints ---------------------------------------------------------------------------------------------------------------------
 *
 * A joint holds two bodies together, or one to the ground, and leaves them the freedom of its kind. Hinge, slider, slot and distance have a
 * coordinate, on which limits, a spring, a motor and friction act; a cylindrical joint has two. Mathematics: docs/math/joints.md. */

typedef enum scree_joint_kind {
    SCREE_JOINT_BALL = 0, /* one point of A and one of B coincide. Coordinate: the twist about the axis          */
    SCREE_JOINT_HINGE,    /* the same, and B rotates about the axis only. Coordinate: the angle, 0 at the start */
    SCREE_JOINT_SLIDER,   /* B moves along the axis of A and does not turn. Coordinate: the way, 0 at the start */
    SCREE_JOINT_FIXED,    /* B does not move against A                                                          */
    SCREE_JOINT_DISTANCE, /* two points at a distance, the coordinate: held, unless limits, spring or motor are given */
    SCREE_JOINT_CYLINDRICAL, /* B moves along the axis of A and rotates about it. Coordinates: displacement and angle, 0 at the start */
    SCREE_JOINT_SLOT, /* a point of B moves along the axis of A; B rotates freely. Coordinate: the displacement */
    SCREE_JOINT_KIND_COUNT
} scree_joint_kind;
SCREE_API const char *scree_joint_kind_name(scree_joint_kind kind); /* "ball", "hinge", ...; NULL beyond the last */

typedef enum scree_motor_kind {
    SCREE_MOTOR_NONE = 0,
    SCREE_MOTOR_SPEED,   /* reaches the rate `target`                                                              */
    SCREE_MOTOR_POSITION /* a spring with damper towards the coordinate `target`, at rest or moving                */
} scree_motor_kind;

/// What acts on the angle of a cylindrical joint, in rad and N m; the fields are as those of scree_joint_def.
typedef struct scree_joint_turn {
    double lower, upper;
    double stiffness, damping, rest;
    scree_motor_kind motor;
    double target;
    scree_time_function course;
    double bound, servo_stiffness, servo_damping;
    double friction;
} scree_joint_turn;

/// Units of the coordinate: rad and N m for hinges, m and N for the others.
typedef struct scree_joint_def {
    unsigned cookie;
    scree_joint_kind kind;
    const char *name; /* copied, at most 63 bytes; NULL: none                                                 */
    scree_body_id body_a, body_b; /* null: the ground, for one of them                                          */
    double anchor[3];    /* in the world, as the bodies stand now; distance: its end at A                        */
    double anchor_b[3];  /* distance: its end at B                                                               */
    double axis[3];      /* hinge, slider, cylindrical, slot, ball with limits: in the world; any length         */
    double lower, upper; /* limits; -INFINITY, INFINITY: none                            */
    double swing;        /* ball: largest angle of the axis, as B has it, against that of A; INFINITY: any       */
    double stiffness, damping;             /* of the spring: force = -stiffness (s - rest) - damping ds/dt  */
    double rest;                           /* NAN: as the joint stands now                                 */
    scree_motor_kind motor;                /*                                                              */
    double target;                         /* rate, or coordinate                                          */
    scree_time_function course;            /* added to the target over time; its table is copied           */
    double bound;                          /* largest force or moment of the motor; INFINITY: any          */
    double servo_stiffness, servo_damping; /* of a position motor                                          */
    double friction;                       /* dry friction: force or moment, in either direction           */
    scree_joint_turn turn;                 /* cylindrical: of its angle; the fields above are of its displacement */
    int collide;                           /* 1: the two bodies may also touch                             */
} scree_joint_def;
SCREE_API scree_joint_def scree_joint_def_default(void); /* ball, no limits, no spring, no motor, no friction */

/// Impulses of a joint by row: six that hold, two of limits, spring, motor, friction; of a ball joint, friction is along its axis of rotation
/// while it turns, and about its axis and two across while it does not; and the limit of swing; then limits, spring, motor and friction of the
/// angle of a cylindrical joint. Rows a joint does not have are 0.
enum {
    SCREE_JOINT_ROW_LOWER = 6,
    SCREE_JOINT_ROW_UPPER,
    SCREE_JOINT_ROW_SPRING,
    SCREE_JOINT_ROW_MOTOR,
    SCREE_JOINT_ROW_FRICTION,
    SCREE_JOINT_ROW_GRIP,
    SCREE_JOINT_ROW_SWING = SCREE_JOINT_ROW_GRIP + 3,
    SCREE_JOINT_ROW_TURN, /* lower; upper, spring, motor, friction follow */
    SCREE_JOINT_ROW_TURN_END = SCREE_JOINT_ROW_TURN + SCREE_JOINT_ROW_FRICTION - SCREE_JOINT_ROW_LOWER,
    SCREE_JOINT_ROWS
};

/// A joint after a step.
typedef struct scree_joint_state {
    double coordinate;             /* [rad], whole revolutions counted; [m]                                    */
    double rate;                   /* of the coordinate [rad/s; m/s]                                           */
    double force[3];               /* on B at the anchor, world frame, mean over the last step [N]             */
    double moment[3];              /* on B about the anchor [N m]                                              */
    double motor;                  /* force or moment of the motor along the coordinate [N; N m]               */
    double turn, turn_rate;        /* cylindrical: the angle, whole revolutions counted [rad], its rate [rad/s] */
    double turn_motor;             /* moment of its motor [N m]                                                */
    double error, twist;           /* what should coincide is apart by [m], should be parallel is rotated by [rad] */
    double load[SCREE_JOINT_ROWS]; /* impulses of the last step [N s; N m s]                                   */
} scree_joint_state;

SCREE_API scree_joint_id scree_world_add_joint(scree_world *world, const scree_joint_def *def, scree_error *error);
SCREE_API int scree_world_joint_count(const scree_world *world);
/// As given, with the axis of length 1, `rest` filled in, the time function as the world keeps it, and without the name, which is "" where
/// none was given.
SCREE_API const scree_joint_def *scree_world_joint(const scree_world *world, scree_joint_id joint);
SCREE_API const char *scree_world_joint_name(const scree_world *world, scree_joint_id joint);
SCREE_API const scree_joint_state *scree_world_joint_states(const scree_world *world);       /* (joint_count) */
SCREE_API scree_joint_id scree_world_find_joint(const scree_world *world, const char *name); /* null: none    */
/// Another target and bound for the motor of a joint, between steps. The time function is still added.
SCREE_API void scree_world_set_motor(scree_world *world, scree_joint_id joint, double target, double bound);
/// The same of the motor that turns a cylindrical joint.
SCREE_API void scree_world_set_turn_motor(scree_world *world, scree_joint_id joint, double target, double bound);

/* ---- detection, checks, hash -------------------------------------------------------------------------------------------------- */

/// Finds the contacts of the present poses that may close within `h` seconds, and gives them the impulses and tangents of the
/// contacts they continue. Steppers call this; `pool` (NULL: one thread) changes no bit.
SCREE_API scree_status scree_world_detect(scree_world *world, double h, scree_pool *pool, scree_error *error);

/// The first body whose state is NaN, infinite or faster than the limit: an error, SCREE_ERR_RUNAWAY, with the body, what, and t. Null: all
/// is well.
SCREE_API scree_body_id scree_world_check(const scree_world *world, scree_error *error);

/// Islands: bodies that are connected through contacts and joints, fixed and driven ones apart. Writes the island of every body (-1: not
/// dynamic), numbered by their first body; returns their number. `island` (body_count).
SCREE_API int scree_world_islands(const scree_world *world, int *island);

/// 64 bits of everything that the future of the world depends on: time, poses, velocities, contacts with their impulses.
SCREE_API uint64_t scree_world_hash(const scree_world *world);

typedef struct scree_energy {
    double kinetic, potential; /* [J]; potential of gravity relative to z = 0 (the origin) */
} scree_energy;
SCREE_API scree_energy scree_world_energy(const scree_world *world);

/// The state of a world in memory: time, bodies, contacts with their history. It fits the world it was taken from, and any that was built in
/// the same way (materials, joints, shapes); stepping on from it gives the same bits every time. NULL: no memory.
typedef struct scree_snapshot scree_snapshot;
SCREE_API scree_snapshot *scree_world_save(scree_world *world, const scree_allocator *allocator, scree_error *error);
SCREE_API scree_status scree_world_load(scree_world *world, const scree_snapshot *snapshot, scree_error *error);
SCREE_API void scree_snapshot_free(scree_snapshot *snapshot); /* NULL is a no-op */

typedef enum scree_lost_where {
    SCREE_LOST_BELOW = 0, /* ten of its radii below everything that does not move                      */
    SCREE_LOST_BEHIND,    /* behind a plane, below a ground, inside a closed mesh that is touched from outside */
    SCREE_LOST_AT_BACK    /* behind a mesh with borders that is touched from one side                  */
} scree_lost_where;

/// A dynamic body that nothing can hold any more.
typedef struct scree_lost {
    scree_body_id body, surface; /* surface: that it is behind of; null for SCREE_LOST_BELOW */
    scree_lost_where where;
    double depth; /* below or behind [m] */
} scree_lost;

/// Finds lost bodies, by their numbers; writes at most `capacity` of them and returns how many there are. backs 1: those of
/// SCREE_LOST_AT_BACK too, which are of interest at the start of a run.
SCREE_API int scree_world_lost(const scree_world *world, int backs, int capacity, scree_lost *lost);

#ifdef __cplusplus
}
#endif
#endif
