/* curvature.c: how a surface bends where it is touched.
 *
 * Convex surfaces have curvatures >= 0 [1/m]; flat ones 0. Sides of capsules, cylinders and cones are straight along one direction and
 * bend across it: such a body rolls across that direction and slides along it. With u the outward normal's part across the axis and rho
 * the distance of the point from it, they bend by |u|/rho (Meusnier), which holds on the rim of a flat end too, where the body rolls along
 * its rim. A rim counts as side where its normal leans to the side more than to the flat end, and as flat beyond: what wobbles on
 * its end does not roll about a point. So do edges and corners of boxes, hulls and meshes, their faces, and the tip of a cone.
 *
 * Hollow walls (tube, funnel, bowl) have the same curvatures with the other sign, and none on their rims. */
#include "world/bend.h"
#include "world/world_private.h"

surface_bend shape_curvature(const scree_world *w, int shape, const double point[3], const double outward[3],
                             const double along[3])
{
    return shape_bend(&w->shape[shape], w->q[w->shape_body[shape]], point, outward, along);
}
