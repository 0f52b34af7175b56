/* dem_walls.h: walls of any shape around soft spheres, as data: what both who steps them on the processor (dem_spheres_walls.c) and on a device
 * (dem/cuda/device_walls.h) know of them, and how what their contacts do is summed up.
 *
 * A wall's contacts are answered one at a time by dem_meet.h. Sums over them, of the ledger and of what driven bodies feel, are exact (exact_sum.h),
 * so that nothing depends on who found them in which order. */
#ifndef SCREE_DEM_DEM_WALLS_H
#define SCREE_DEM_DEM_WALLS_H

#include "collision/ball.h"
#include "collision/hollow_ball.h"
#include "collision/surface_ball.h"
#include "dem/dem_law.h"
#include "math/exact_sum.h"

#include <scree/stepper.h>

/* ---- sums of a step ----------------------------------------------------------------------------------------------------------------- */

/// The rows of the sums of a step; three more for each driven body follow them: the force on it.
enum wall_sum {
    WALL_SLIDE,
    WALL_ROLL,
    WALL_SPIN,
    WALL_IMPACT,
    WALL_DAMPING,
    WALL_TRACKING,
    WALL_MADE,
    WALL_LOAD,
    WALL_BROUGHT,
    WALL_ELASTIC, /* stored now                                                                      */
    WALL_KEPT,    /* by springs of friction that were there in the step before, then; and by all     */
    WALL_HAD,
    WALL_DRIVEN, /* work on driven bodies                                                           */
    WALL_SUMS
};

/// What a contact adds to the rows up to WALL_KEPT.
SCREE_HD void wall_terms(const dem_touch *c, double term[WALL_HAD])
{
    term[WALL_SLIDE] = c->slider[SCREE_FRICTION_SLIDE], term[WALL_ROLL] = c->slider[SCREE_FRICTION_ROLL];
    term[WALL_SPIN] = c->slider[SCREE_FRICTION_SPIN];
    term[WALL_IMPACT] = c->dashpot[0], term[WALL_DAMPING] = c->dashpot[1];
    term[WALL_TRACKING] = c->tracking, term[WALL_MADE] = c->made;
    term[WALL_LOAD] = c->load, term[WALL_BROUGHT] = c->brought;
    term[WALL_ELASTIC] = c->energy[0] + c->energy[1], term[WALL_KEPT] = c->energy_before;
}

/// Work of a contact on a driven body in a step of h: of the force and the torque on it, on the velocity of the step.
SCREE_HD double wall_work(double h, const double force[3], const double torque[3], const double velocity[6])
{
    return h * (vec_dot(force, velocity) + vec_dot(torque, velocity + 3));
}

/// The sums of a step into the ledger.
SCREE_HD void wall_ledger(const double sum[WALL_SUMS], scree_ledger *e)
{
    const double dropped = sum[WALL_HAD] - sum[WALL_KEPT]; /* less than the rounding of the two is nothing */
    e->slide += sum[WALL_SLIDE], e->roll += sum[WALL_ROLL], e->spin += sum[WALL_SPIN];
    e->impact += sum[WALL_IMPACT], e->damping += sum[WALL_DAMPING], e->tracking += sum[WALL_TRACKING];
    e->law_work += sum[WALL_MADE], e->load += sum[WALL_LOAD], e->brought += sum[WALL_BROUGHT];
    e->elastic = sum[WALL_ELASTIC], e->driven -= sum[WALL_DRIVEN];
    if (fabs(dropped) > 4.0 * DBL_EPSILON * sum[WALL_HAD]) e->dropped += dropped;
}

/* ---- walls as data ------------------------------------------------------------------------------------------------------------------ */

/// A shape that is a wall.
typedef struct soft_wall {
    scree_shape shape;  /* its geometry is `mesh`                                                     */
    int number, body;   /* the world's, of the shape and of its body                                  */
    int on;             /* index into the bodies of walls                                             */
    int material, mesh; /* mesh: index into `mesh`, -1: it is none                                    */
    double roll_radius; /* contact_law                                                                */
    double extent;      /* farthest point from the shape's origin [m]                                 */
    double lever;       /* the same from the body's position, as detection has it [m]                 */
} soft_wall;

/// A body that has walls: where it stands, if it is not driven.
typedef struct soft_wall_body {
    int driven; /* index into the driven bodies of the forcing; -1: it is fixed */
    double x[3], q[4];
    double arm; /* farthest point of its walls from x [m] */
} soft_wall_body;

/// All walls of a world, for an engine that answers their contacts itself. What is above `contacts` stays as long as bodies neither come nor leave.
typedef struct soft_walls {
    int count, bodies, meshes, materials, numbers; /* numbers: of bodies of the world */
    const soft_wall *wall;
    const soft_wall_body *body;
    const mesh_data *const *mesh;
    const pair_friction *pair;      /* (materials x materials) */
    const scree_friction *friction; /* (materials)             */
    const double *inverse_inertia;  /* (numbers) of spheres: dem_mean_inertia */
    const double *loaded_mass;      /* (loaded spheres of the forcing) [kg]   */
    scree_world_options options;    /* its tables and allocator are not read  */
    double half_slack;              /* detection's                            */
    const void *handed;             /* the device that has them; NULL: none   */

    int moved;   /* bodies with lower numbers have made a step: overlaps that begin are earned by motion */
    int by_hand; /* 1: none are: state has been set by hand */
    int removed; /* bodies that had been removed when contacts last came back */
    int newer;   /* in: 1: what is below is not what the engine has left */
    int taken;   /* out: 1: what is below is that after the steps */
    /// Contacts of the last step, with the numbers of the world but for shapes of spheres (-1); grown by who steps.
    int contacts, room;
    scree_contact_point *touch;
    contact_memory *memory;
    scree_allocator allocator; /* of these two */
    scree_ledger outside;      /* goes along   */
} soft_walls;

/// 1: such a wall can be answered here.
SCREE_HD int wall_is_simple(scree_shape_kind kind)
{
    return kind == SCREE_SHAPE_SPHERE || kind == SCREE_SHAPE_BOX || kind == SCREE_SHAPE_CAPSULE ||
           kind == SCREE_SHAPE_CYLINDER || kind == SCREE_SHAPE_CONE || kind == SCREE_SHAPE_MESH ||
           shape_is_hollow(kind);
}

/// 1: a point that was not there before may continue another one of the pair (detection).
SCREE_HD int wall_hands_on(scree_shape_kind kind)
{
    return shape_is_surface(kind);
}

/// Where a ball of this radius about `centre` touches a wall with a gap of at most `reach`, normals from the wall to the ball, features of the wall
/// in the upper half. As shape_points, with the wall first.
SCREE_HD int wall_points(const posed_shape *wall, const mesh_data *mesh, const double centre[3], const double *radius,
                         double reach, contact_point point[SURFACE_POINTS])
{
    posed_shape ball;
    manifold m;
    if (wall->kind == SCREE_SHAPE_MESH) return ball_on_surface(mesh, wall, centre, radius, reach, point);
    if (shape_is_hollow(wall->kind)) return ball_on_hollow(wall, centre, *radius, reach, point);
    memset(&ball, 0, sizeof ball);
    ball.kind = SCREE_SHAPE_SPHERE, ball.size = radius, memcpy(ball.x, centre, sizeof ball.x);
    m.count = 0;
    if (wall->kind == SCREE_SHAPE_BOX) ball_on_box(&ball, wall, reach, &m);
    else if (wall->kind == SCREE_SHAPE_CAPSULE) ball_on_capsule(&ball, wall, reach, &m);
    else ball_on_revolution(&ball, wall, reach, &m);
    for (int k = 0; k < m.count; ++k) {
        point[k].gap = m.point[k].gap, point[k].feature = m.point[k].feature << 32 | m.point[k].feature >> 32;
        memcpy(point[k].position, m.point[k].position, sizeof point[k].position);
        for (int i = 0; i < 3; ++i) point[k].normal[i] = -m.normal[i];
    }
    return m.count;
}

/// The same points seen from a ball that is A.
SCREE_HD void wall_points_turn(int count, contact_point point[SURFACE_POINTS])
{
    for (int k = 0; k < count; ++k) {
        for (int i = 0; i < 3; ++i) point[k].normal[i] = -point[k].normal[i];
        point[k].feature = point[k].feature << 32 | point[k].feature >> 32;
    }
    contact_points_sort(count, point);
}

#endif
