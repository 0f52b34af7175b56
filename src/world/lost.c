/* lost.c: bodies that nothing can hold any more.
 *
 * A dynamic body is lost if its middle is
 *     behind a plane by more than its own radius, or behind the solid side of a surface: below a ground, inside a closed mesh
 *     (side.c); surfaces touched from both sides have none;
 *     or, with c the unit vector of gravity, 10 of its radii below the lowest point of all that does not move: c.x - 10 r > max c.y
 *     over fixed and driven shapes. A plane that faces up has no lowest point, so with one, nothing is below everything.
 * Behind a sheet that is touched from one side is asked for apart: bodies may go round it. A world without fixed bodies loses none.
 *
 * O(bodies x surfaces, log of their triangles), for the start and the end of a run. Periodic images are not looked at: no surface reaches
 * beyond the period. */
#include "collision/collide.h"
#include "collision/geometry_private.h"
#include "collision/narrow.h"
#include "math/scalar.h"
#include "world/world_private.h"

#include <math.h>

static const double RADII_BELOW = 10.0;

/// The lowest point of what does not move, along `down`; infinity: there is a floor without end, or nothing at all.
static double lowest_support(const scree_world *w, const double down[3])
{
    double lowest = -SCREE_INFINITY;
    for (int s = 0; s < scree_world_shape_count(w); ++s) {
        posed_shape posed;
        double low[3], high[3], end = 0.0;
        scree_body_kind kind = scree_world_body_kind(w, scree_world_shape_body(w, scree_shape_at(s)));
        if (kind != SCREE_BODY_FIXED && kind != SCREE_BODY_DRIVEN) continue;
        world_shape_pose(w, s, &posed);
        if (posed.kind == SCREE_SHAPE_PLANE) { /* its normal is the third column */
            const double up = -(posed.R[2] * down[0] + posed.R[5] * down[1] + posed.R[8] * down[2]);
            if (up > 1e-3) return SCREE_INFINITY;
            continue;
        }
        shape_bounds(&posed, low, high);
        for (int i = 0; i < 3; ++i) end += max2(down[i] * low[i], down[i] * high[i]);
        lowest = max2(lowest, end);
    }
    return lowest == -SCREE_INFINITY ? SCREE_INFINITY : lowest;
}

/// Whether the point is behind the shape by more than `allowed`.
static int is_behind(const posed_shape *p, const double x[3], double allowed, double *depth)
{
    double d[3], local[3];
    vec_sub(x, p->x, d);
    mat_apply_transpose(p->R, d, local);
    if (p->kind == SCREE_SHAPE_PLANE) {
        *depth = -local[2];
        return *depth > allowed;
    }
    return mesh_is_behind(&p->geometry->mesh, local, depth);
}

/// Looks for a surface that has body b behind it.
static int behind_surface(const scree_world *w, int b, double radius, int backs, scree_lost *lost)
{
    const double *x = scree_world_positions(w) + 3 * (size_t)b;
    for (int s = 0; s < scree_world_shape_count(w); ++s) {
        posed_shape posed;
        const scree_shape *shape = scree_world_shape(w, scree_shape_at(s));
        if (shape->kind != SCREE_SHAPE_PLANE && shape->kind != SCREE_SHAPE_MESH) continue;
        scree_body_id owner = scree_world_shape_body(w, scree_shape_at(s));
        if (scree_world_body_kind(w, owner) == SCREE_BODY_REMOVED) continue;
        const mesh_data *m = shape->geometry ? &shape->geometry->mesh : NULL;
        int is_sheet = m && !m->is_ground && m->open_edges > 0;
        if (is_sheet && !backs) continue;
        world_shape_pose(w, s, &posed);
        if (!is_behind(&posed, x, radius, &lost->depth)) continue;
        lost->body = scree_body_at(b), lost->surface = owner;
        lost->where = is_sheet ? SCREE_LOST_AT_BACK : SCREE_LOST_BEHIND;
        return 1;
    }
    return 0;
}

static int has_surface(const scree_world *w)
{
    for (int s = 0; s < scree_world_shape_count(w); ++s) {
        scree_shape_kind kind = scree_world_shape(w, scree_shape_at(s))->kind;
        if (kind == SCREE_SHAPE_PLANE || kind == SCREE_SHAPE_MESH) return 1;
    }
    return 0;
}

int scree_world_lost(const scree_world *w, int backs, int capacity, scree_lost *lost)
{
    const double *g = w->options.gravity, *x = scree_world_positions(w);
    double down[3] = {0.0, 0.0, 0.0}, deepest = SCREE_INFINITY;
    int count = 0, surfaces = has_surface(w), shapes = scree_world_shape_count(w);
    if (vec_unit(g, down) > 0.0) deepest = lowest_support(w, down);
    if (!surfaces && deepest == SCREE_INFINITY) return 0;
    for (int s = 0, last = -1; s < shapes; ++s) { /* shapes of a body follow each other; the first stands for it */
        const scree_shape *shape = scree_world_shape(w, scree_shape_at(s));
        int b = scree_body_index(scree_world_shape_body(w, scree_shape_at(s)));
        if (b == last || scree_world_body_kind(w, scree_body_at(b)) != SCREE_BODY_DYNAMIC) continue;
        last = b;
        double radius = shape_radius(shape) + vec_norm(shape->position);
        double below = vec_dot(down, x + 3 * (size_t)b) - deepest;
        scree_lost found = {.depth = below, .body = scree_body_at(b), .where = SCREE_LOST_BELOW};
        int is_lost = below > RADII_BELOW * radius || (surfaces && behind_surface(w, b, radius, backs, &found));
        if (is_lost && count < capacity) lost[count] = found;
        count += is_lost;
    }
    return count;
}
