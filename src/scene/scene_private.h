/* scene_private.h: a scene as C structs, as the tables of schema.c fill them. Lengths in m, all else in SI; nothing is built yet. */
#ifndef SCREE_SCENE_PRIVATE_H
#define SCREE_SCENE_PRIVATE_H

#include "scene/schema.h"

#include <scree/scene.h>

/// Steps of a run: beyond 2^53 a step is lost in the rounding of the time it is added to.
#define SCENE_STEPS_MAX 1e15

/* ---- shapes ----------------------------------------------------------------------------------------------------------- */

typedef struct scene_sphere {
    scene_head head;
    double radius;
} scene_sphere;

typedef struct scene_box {
    scene_head head;
    double size[3]; /* full lengths */
} scene_box;

typedef struct scene_plane {
    scene_head head;
    double normal[3];
} scene_plane;

typedef struct scene_ellipsoid {
    scene_head head;
    double semi_axes[3];
} scene_ellipsoid;

/// Capsule, cylinder, cone.
typedef struct scene_round {
    scene_head head;
    double radius, length; /* length of the straight part; height */
} scene_round;

/// Tube, funnel, bowl.
typedef struct scene_hollow {
    scene_head head;
    double radius, length;      /* tube, bowl; length: of the tube */
    double bottom, top, height; /* funnel                          */
    double depth;               /* bowl                            */
} scene_hollow;

/// Points of a hull, a mesh or a height field.
typedef struct scene_solid {
    scene_head head;
    scene_numbers points;
    const char *file;
    double scale;
    int closed;
    int sides; /* scree_sides */
} scene_solid;

typedef struct scene_shape {
    scene_head head;
    scene_sphere sphere;
    scene_box box;
    scene_plane plane;
    scene_ellipsoid ellipsoid;
    scene_round capsule, cylinder, cone;
    scene_hollow tube, funnel, bowl;
    scene_solid hull, mesh, heights;
    scree_geometry *geometry; /* of these three; made when the scene is read, held by the scene */
    double at[3], rotation[4];
    const char *material;
    int material_index; /* filled by the checks; -1: that of the body */
} scene_shape;

/* ---- materials ---------------------------------------------------------------------------------------------------------- */

/// Numbers as the world takes them, and words by their places in the lists of schema_bodies.c; which are given, the map tells.
typedef struct scene_dem {
    scene_head head;
    scree_dem values;
    int normal, model, spin, pulls;
} scene_dem;

typedef struct scene_material {
    scene_head head;
    scene_name name; /* these two first: scene_named */
    double density;
    scree_friction friction;
    scene_dem dem;
} scene_material;

typedef struct scene_pair {
    scene_head head;
    const scree_doc_node *between[2];
    scree_friction friction;
    scene_dem dem;
    int touching;
    int material[2]; /* filled by the checks */
} scene_pair;

typedef struct scene_mixing {
    scene_head head;
    int friction, rolling, spinning, restitution, stiffness; /* scree_mixing */
} scene_mixing;

/* ---- bodies --------------------------------------------------------------------------------------------------------------- */

typedef struct scene_oscillation {
    scene_head head;
    double amplitude[3], frequency, phase;
} scene_oscillation;

typedef struct scene_servo {
    scene_head head;
    scree_pressure_control values;
} scene_servo;

typedef struct scene_motion {
    scene_head head;
    scene_servo servo;
    scree_table velocity, spin;
    scene_oscillation oscillation;
} scene_motion;

typedef struct scene_body {
    scene_head head;
    const char *name;
    int kind; /* scree_body_kind: as given; the checks put in what it defaults to */
    scene_shape shape;
    scene_list shapes; /* scene_shape */
    const char *material;
    int material_index;
    double position[3], rotation[4], velocity[3], spin[3];
    double mass, inertia[3], inertia_axes[4], center[3];
    scree_table force, moment;
    scene_motion motion;
    double until; /* [s]; 0: for ever */
    int color;    /* in the list of color_word; 0: not given */
} scene_body;

typedef struct scene_periodic {
    scene_head head;
    double axis[3][2]; /* low, high of x, y, z */
    scree_table strain_rate, shear_rate;
} scene_periodic;

typedef struct scene_container {
    scene_head head;
    const char *name;
    double x[2], y[2], floor, lid;
    const char *material;
    int material_index;
} scene_container;

/* ---- joints ----------------------------------------------------------------------------------------------------------------- */

typedef struct scene_spring {
    scene_head head;
    double stiffness, damping, rest;
} scene_spring;

typedef struct scene_motor {
    scene_head head;
    scene_course speed, position;
    double limit, stiffness, damping;
} scene_motor;

/// What acts on a coordinate.
typedef struct scene_drive {
    scene_head head; /* of the table that has these keys */
    double lower, upper, friction;
    scene_spring spring;
    scene_motor motor;
} scene_drive;

/// One kind of joint: each reads what its table has.
typedef struct scene_joint_part {
    scene_drive drive; /* its head is that of the joint's kind */
    double anchor[3], to[3], axis[3], swing;
    scene_drive turn; /* of a cylindrical joint */
} scene_joint_part;

typedef struct scene_joint {
    scene_head head;
    const char *name;
    const scree_doc_node *bodies[2];
    scene_joint_part ball, hinge, slider, fixed, distance, cylindrical, slot;
    int collide;
} scene_joint;

/* ---- generators ------------------------------------------------------------------------------------------------------------- */

typedef struct scene_uniform {
    scene_head head;
    double min, max;
} scene_uniform;

typedef struct scene_normal {
    scene_head head;
    double mean, deviation, min, max;
} scene_normal;

typedef struct scene_lognormal {
    scene_head head;
    double median, spread, min, max; /* spread: standard deviation of the logarithm */
} scene_lognormal;

typedef struct scene_values {
    scene_head head;
    scene_numbers values, weights;
} scene_values;

/// A random quantity, or a fixed one where none of the four is given.
typedef struct scene_distribution {
    scene_head head;
    double fixed; /* as in scene_fixed: FIELD_DISTRIBUTION writes it */
    scene_uniform uniform;
    scene_normal normal;
    scene_lognormal lognormal;
    scene_values list;
} scene_distribution;
_Static_assert(offsetof(scene_distribution, fixed) == offsetof(scene_fixed, fixed), "begins as scene_fixed");

typedef struct scene_region_box {
    scene_head head;
    double min[3], max[3];
} scene_region_box;

typedef struct scene_region_round {
    scene_head head;
    double center[3], radius, height; /* disk: height 0; cylinder: from its bottom's center upwards; ball: no height */
} scene_region_round;

typedef struct scene_region {
    scene_head head;
    scene_region_box box;
    scene_region_round disk, cylinder, ball;
} scene_region;

enum { LATTICE_SC, LATTICE_FCC, LATTICE_HCP };

typedef struct scene_lattice {
    scene_head head;
    int type, count[3];
    double spacing, jitter, origin[3];
} scene_lattice;

typedef struct scene_packing {
    scene_head head;
    int count, attempts;
    scene_region region;
} scene_packing;

typedef struct scene_pour {
    scene_head head;
    int count, attempts;
    double rate, every, start;
    scene_region from;
} scene_pour;

typedef struct scene_csv {
    scene_head head;
    const char *path;
} scene_csv;

enum { ORIENT_RANDOM, ORIENT_ALIGNED };

typedef struct scene_generator {
    scene_head head;
    const char *name;
    scene_lattice lattice;
    scene_packing packing;
    scene_pour pour;
    scene_csv csv;
    scene_distribution radius, scale;
    scene_shape shape;
    int orientation;
    const char *material;
    int material_index;
    double velocity[3], spin[3];
    double mass; /* 0: from the density */
    int seed;
    int color;
} scene_generator;

/* ---- measures ----------------------------------------------------------------------------------------------------------------- */

typedef struct scene_flow {
    scene_head head;
    double at[3], normal[3];
    scene_region within;
} scene_flow;

typedef struct scene_profile {
    scene_head head;
    int axis, bins;
    double min[3], max[3];
} scene_profile;

typedef struct scene_heap {
    scene_head head;
    double floor, reach;
} scene_heap;

typedef struct scene_force {
    scene_head head;
    const char *body;
    scene_region within;
    double normal[3], area;
} scene_force;

/// One of the five.
typedef struct scene_cell {
    scene_head head;
    int least;
} scene_cell;

typedef struct scene_measure {
    scene_head head;
    scene_name name; /* these two first: scene_named */
    scene_flow flow;
    scene_region inside;
    scene_profile profile;
    scene_heap heap;
    scene_force force;
    scene_cell cell;
} scene_measure;

/* ---- the run ------------------------------------------------------------------------------------------------------------------ */

typedef struct scene_stepper {
    scene_head head;
    int scheme, law, on_failure, device;
    scree_stepper_options options;
} scene_stepper;

typedef struct scene_solver {
    scene_head head;
    int name; /* index of the class */
    scree_solver_options options;
} scene_solver;

enum { STOP_NEVER, STOP_AT_REST };

typedef struct scene_run {
    scene_head head;
    double until, rest_speed;
    int stop;
} scene_run;

typedef struct scene_output {
    scene_head head;
    double every, checkpoint;
    unsigned frames; /* bit k: scree_format k + 1; the first, frames.scree, is always written */
    int contacts, problems_every;
} scene_output;

/* ---- play ----------------------------------------------------------------------------------------------------------------------- */

/// A slider of a live page; all are texts as the file has them.
typedef struct scene_control {
    scene_head head;
    const char *set, *from, *to, *label;
} scene_control;

typedef struct scene_play {
    scene_head head;
    const char *about;
    scene_list controls; /* scene_control */
} scene_play;

typedef struct scene_root {
    scene_head head;
    int version;
    const char *title;
    double gravity[3]; /* with the slope in it, once the scene is checked */
    double slope;      /* [rad]                                           */
    int planar;        /* scree_planar */
    scene_periodic periodic;
    int seed;
    double margin, speed_limit;
    scene_list materials; /* scene_material */
    scene_list pairs;     /* scene_pair */
    scene_mixing mixing;
    scene_list bodies; /* scene_body */
    scene_container container;
    scene_list generators; /* scene_generator */
    scene_list joints;     /* scene_joint */
    scene_list measures;   /* scene_measure */
    scene_stepper stepper;
    scene_solver solver;
    scene_run run;
    scene_output output;
    scene_play play;
} scene_root;

struct scree_scene {
    scree_allocator allocator;
    scree_doc doc;
    char *name;   /* what messages call the file                          */
    char *folder; /* of the file, with its slash: paths are relative to it */
    char **set;   /* overrides, copied                                    */
    int set_count;
    char *text; /* as it will be run */
    scene_root root;
    int geometry_count;
    scree_geometry **geometry; /* in the order of the file; the array is the document's */
};

enum {
    SCENE_FILE_MAX = 1 << 24,  /* bytes                                     */
    SCENE_MATERIALS_MAX = 256, /* the world keeps a table of all pairs      */
    SCENE_GENERATORS_MAX = 1000,
    SCENE_BINS_MAX = 1000, /* of a profile */
    SCENE_GRAINS_MAX = 10000000
};

/* ---- parts of the reader ---------------------------------------------------------------------------------------------------- */

/// Puts "path=value" number `index` into the tree (scene_set.c).
scree_status scene_set(scree_doc *doc, const char *text, int index);

/// The tree as YAML, with a comment that names the overrides (scene_text.c). The caller frees by the document's allocator.
scree_status scene_write(const scree_doc *doc, int set_count, char **text);

/// What tables cannot say: names that must exist, keys that nothing reads, values that depend on each other (scene_check.c).
scree_status scene_check(scree_doc *doc, scene_root *root);

/// Makes the geometries of the shapes, from points or files (scene_geometry.c).
scree_status scene_geometries(scree_scene *scene, scree_error *error);

/// The node that a path of --set leads to, NULL where the scene does not give it (scene_path.c).
scree_status scene_find_node(const scree_scene *scene, const char *path, const scree_doc_node **node,
                             scree_error *error);

/// The controls of the key `play` (scene_play.c).
scree_status scene_check_play(const scree_scene *scene);

/// Which numbers of the shape are given, as the world takes it. `scale` multiplies lengths.
scree_shape scene_shape_make(const scene_shape *shape, double scale, int material);

#endif
