/* joint_stiffness.c: light bodies under heavy loads: how short a step must be.
 *
 * A load F at the arm r from the centre of mass has the moment r x F. When the body turns by a small vector d, the arm turns and the load
 * does not: the moment changes by -K d with  K = (F.r) 1 - (r F' + F r')/2,  a spring where the load pulls (F.r > 0). A light link in a
 * chain that carries a thousand times its weight swings at w^2 = K/I, and steps that are explicit in poses, as all of ours are,
 * blow up where h w > 2. So a step is made in halves, and these in halves again, until  h^2 k/I <= RESOLVED  for every body,
 * k = F.r of all joints that pull it, F their reactions in the step before, I the mean moment of inertia across the strongest.
 * Andrews, Teichmann & Kovecses 2017 add the stiffness as damping instead; that keeps the step and changes the motion. */
#include "step/stepper_private.h"

#include "math/quat.h"

#include <string.h>

static const double RESOLVED = 0.5; /* h w <= 0.7 */

typedef struct pull {
    double k;            /* sum of F.r of the joints that pull [N m]   */
    double strongest;    /* of them                                    */
    double direction[3]; /* of that one, unit, in the frame of the body */
} pull;

static void add_pull(const scree_world *w, int body, const double force[3], double sign, const double arm[3], pull *p)
{
    double local[3], size = vec_norm(force);
    quat_rotate_inverse(w->q[body], force, local);
    double along = sign * vec_dot(local, arm);
    if (!(along > 0.0)) return;
    p->k += along;
    if (along <= p->strongest) return;
    p->strongest = along;
    for (int i = 0; i < 3; ++i) p->direction[i] = local[i] / size;
}

/// The largest h^2 k/I of the bodies that joints pull.
static double stiffest(const step_context *s, const pull *p)
{
    double worst = 0.0;
    for (int k = 0; k < s->dynamic_count; ++k) {
        const double *I = s->world->inertia[s->dynamic[k]], *e = p[k].direction;
        double about = I[0] * e[0] * e[0] + I[1] * e[1] * e[1] + I[2] * e[2] * e[2];
        double ratio = p[k].k > 0.0 ? 2.0 * s->h * s->h * p[k].k / (I[0] + I[1] + I[2] - about) : 0.0;
        if (ratio > worst) worst = ratio;
    }
    return worst;
}

scree_status joints_resolve(step_context *s)
{
    const scree_world *w = s->world;
    pull *p;
    if (w->joint_count == 0 || s->level >= HALVINGS_MAX) return SCREE_OK;
    if (!STEP_ARRAY(s, s->dynamic_count, p)) return SCREE_ERR_MEMORY;
    memset(p, 0, (size_t)s->dynamic_count * sizeof *p);
    for (int j = 0; j < w->joint_count; ++j) {
        const world_joint *joint = &w->joint[j];
        for (int is_b = 0; is_b < 2; ++is_b) {
            int body = joint_body(&joint->def, is_b);
            if (body < 0 || s->column[body] < 0) continue;
            add_pull(w, body, w->joint_state[j].force, is_b ? 1.0 : -1.0, joint->anchor[is_b], &p[s->column[body]]);
        }
    }
    s->again = s->stiff = stiffest(s, p) > RESOLVED;
    return SCREE_OK;
}
