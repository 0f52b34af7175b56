/* depth.c: the first loads of a pile, from how much lies above each contact.
 *
 * Sweeps carry loads from grain to grain, so from p = 0 a pile of n layers needs several times n of them before its lowest contacts know
 * what they bear. That is known beforehand, on average. Let d be the direction of sum m v_free, the impulse that the contacts must stop
 * (gravity times h for a pile at rest), and z the height of a body against d. A plane at height z has to pass on what comes from above,
 *
 *     L(z) = sum over bodies above z of m v_free.d,       S(z) = sum over contacts across z of |n.d|,
 *
 * and with one normal load for all contacts at that height, and no friction,  r_N = L(z)/S(z)  balances it. Every layer is then in
 * equilibrium as a whole, no single grain is, and single grains are what sweeps are good at. MARGIN x that is taken: a grain that finds
 * its supports pressed together too much lets go in a sweep, one that finds them too loose has to fetch the load from afar (factors 0.5
 * to 1.5 measured on piles of 6,000 and 59,000 contacts: sweeps to 1e-8 fall to 1.2 and rise again).
 *
 * A problem has no positions, but every contact says how far apart its bodies are: x_b - x_a = arm_a - arm_b. Heights follow by a
 * union-find whose links carry a height difference, O(contacts); each connected part then stands with its lowest point at 0. Parts of
 * different depth share one L/S. In a periodic box a height is the same whichever way round. Heights are sorted into layers as thick as
 * half a contact is high.
 *
 * Used only where the bodies are pressed one way, |sum m v|^2 >= COHERENT (sum m)(sum m v^2): not in piles that move, where momentum
 * has no common direction and the guess was measured to be of no use; and only from CONTACTS on, where there are layers to speak of.
 * Own work; the trial of a uniform pile took r_N proportional to the depth. Cost: that of two or three sweeps over spheres. */
#include "solvers/depth.h"

#include "math/scalar.h"
#include "math/vec.h"
#include "problem/rigid.h"

#include <math.h>
#include <string.h>

enum { CONTACTS = 1000 };
#define COHERENT 0.9
#define MARGIN   1.2

scree_status depth_create(const scree_problem *problem, const scree_rigid_contact *contact,
                          const scree_allocator *allocator, depth **d)
{
    size_t N = (size_t)problem->body_count;
    *d = NULL;
    if (!contact || !problem->v_free || problem->contact_count < CONTACTS) return SCREE_OK;
    depth *made = memory_array(allocator, 1, sizeof *made);
    if (!made) return SCREE_ERR_MEMORY;
    made->parent = memory_raw_array(allocator, N + 1, sizeof *made->parent);
    made->height = memory_raw_array(allocator, N + 1, sizeof *made->height);
    made->lowest = memory_raw_array(allocator, N + 1, sizeof *made->lowest);
    *d = made;
    return made->parent && made->height && made->lowest ? SCREE_OK : SCREE_ERR_MEMORY;
}

void depth_destroy(depth *d, const scree_allocator *allocator)
{
    if (d) MEMORY_FREE_ALL(allocator, d->parent, d->height, d->lowest, d);
}

/* ---- which way ----------------------------------------------------------------------------------------------------- */

/// Mass of a body along most axes (a planar problem has one along which it does not move).
static double mass_of(const scree_problem *problem, int b)
{
    double inverse = 0.0;
    if (problem->rigid)
        for (int i = 0; i < 3; ++i) inverse = max2(inverse, problem->rigid_mass[b].inv_mass[i]);
    else inverse = problem->inv_mass->value[problem->inv_mass->at[b]];
    return inverse > 0.0 ? 1.0 / inverse : 0.0;
}

/// The direction in which the bodies are pressed, and their mean speed along it; 0: there is none.
static double pressed_along(const scree_problem *problem, double direction[3])
{
    double mass = 0.0, energy = 0.0;
    for (int i = 0; i < 3; ++i) direction[i] = 0.0;
    for (int b = 0; b < problem->body_count; ++b) {
        const double *v = problem->v_free + 6 * (size_t)b, m = mass_of(problem, b);
        vec_add_scaled(direction, m, v, direction);
        mass += m, energy += m * vec_dot(v, v);
    }
    double momentum = sqrt(vec_dot(direction, direction));
    if (!(momentum > 0.0 && momentum * momentum >= COHERENT * mass * energy)) return 0.0;
    for (int i = 0; i < 3; ++i) direction[i] /= momentum;
    return momentum / mass;
}

/* ---- heights ------------------------------------------------------------------------------------------------------- */

/// The root of a body's tree; the body's link is then one to the root.
static int root_of(depth *d, int b)
{
    int root = b;
    double above = 0.0;
    while (d->parent[root] != root) above += d->height[root], root = d->parent[root];
    while (d->parent[b] != root && b != root) { /* shorten: every link on the way leads to the root */
        int next = d->parent[b];
        double step = d->height[b];
        d->parent[b] = root, d->height[b] = above;
        above -= step, b = next;
    }
    return root;
}

/// Heights above the lowest point of what hangs together.
static void find_heights(depth *d, const scree_problem *problem, const scree_rigid_contact *contact,
                         const double direction[3])
{
    for (int b = 0; b < problem->body_count; ++b) d->parent[b] = b, d->height[b] = 0.0, d->lowest[b] = 0.0;
    for (int c = 0; c < problem->contact_count; ++c) {
        const scree_rigid_contact *k = &contact[c];
        if (k->body_a < 0 || k->body_b < 0) continue;
        int a = root_of(d, k->body_a), b = root_of(d, k->body_b);
        if (a == b) continue;
        double up = vec_dot(k->arm_b, direction) - vec_dot(k->arm_a, direction); /* of b above a */
        d->parent[b] = a;
        d->height[b] =
            (a == k->body_a ? 0.0 : d->height[k->body_a]) + up - (b == k->body_b ? 0.0 : d->height[k->body_b]);
    }
    for (int b = 0; b < problem->body_count; ++b) root_of(d, b);
    for (int c = 0; c < problem->contact_count; ++c) { /* the lowest contact, in heights above the root */
        const scree_rigid_contact *k = &contact[c];
        int b = k->body_b >= 0 ? k->body_b : k->body_a, root = d->parent[b];
        double z = (b == root ? 0.0 : d->height[b]) - vec_dot(k->body_b >= 0 ? k->arm_b : k->arm_a, direction);
        if (z < d->lowest[root]) d->lowest[root] = z;
    }
    for (int b = 0; b < problem->body_count; ++b) /* roots last: the others read their lowest point */
        if (d->parent[b] != b) d->height[b] -= d->lowest[d->parent[b]];
    for (int b = 0; b < problem->body_count; ++b)
        if (d->parent[b] == b) d->height[b] = -d->lowest[b];
}

/* ---- layers -------------------------------------------------------------------------------------------------------- */

/// From where to where a contact reaches: the centres of its bodies, or of one and the contact point.
static void reach_of(const depth *d, const scree_rigid_contact *k, const double direction[3], double *low, double *high)
{
    double a = k->body_a >= 0 ? d->height[k->body_a] : d->height[k->body_b] - vec_dot(k->arm_b, direction);
    double b = k->body_b >= 0 ? d->height[k->body_b] : d->height[k->body_a] - vec_dot(k->arm_a, direction);
    *low = min2(a, b), *high = max2(a, b);
}

/// Does the contact close in this step if nothing pushes back? q_N has gap/h in it.
static int may_close(const scree_problem *problem, const scree_rigid_contact *k, int c, double speed)
{
    double u[3], w[3];
    rigid_relative_velocity(k, problem->v_free, u, w);
    return problem->q[problem->offset[c]] - vec_dot(k->normal, u) < speed;
}

int depth_start(depth *d, const scree_problem *problem, const scree_rigid_contact *contact, double *p)
{
    double direction[3], top = 0.0, mean = 0.0, low, high, speed = pressed_along(problem, direction);
    if (speed == 0.0) return 0;
    find_heights(d, problem, contact, direction);
    for (int b = 0; b < problem->body_count; ++b) top = max2(top, d->height[b]);
    for (int c = 0; c < problem->contact_count; ++c) {
        reach_of(d, &contact[c], direction, &low, &high);
        mean += high - low;
    }
    mean /= problem->contact_count;
    int layers = int_within(2.0 * top / mean, 1, DEPTH_LAYERS);
    double per_height = layers / top;
    if (!(mean > 0.0 && top > 0.0)) return 0;

    memset(d->load, 0, sizeof d->load), memset(d->support, 0, sizeof d->support);
    for (int b = 0; b < problem->body_count; ++b)
        d->load[int_within(d->height[b] * per_height, 0, layers - 1)] +=
            mass_of(problem, b) * vec_dot(problem->v_free + 6 * (size_t)b, direction);
    for (int i = layers - 2; i >= 0; --i) d->load[i] += d->load[i + 1]; /* what lies above */
    for (int c = 0; c < problem->contact_count; ++c) {
        if (!may_close(problem, &contact[c], c, speed)) continue;
        double n = fabs(vec_dot(contact[c].normal, direction));
        reach_of(d, &contact[c], direction, &low, &high);
        d->support[int_within(low * per_height, 0, layers - 1)] += n;
        d->support[int_within(high * per_height, 0, layers - 1) + 1] -= n;
    }
    for (int i = 1; i < layers; ++i) d->support[i] += d->support[i - 1];
    for (int c = 0; c < problem->contact_count; ++c) {
        if (!may_close(problem, &contact[c], c, speed)) continue;
        reach_of(d, &contact[c], direction, &low, &high);
        int i = int_within(0.5 * (low + high) * per_height, 0, layers - 1);
        p[problem->offset[c]] = d->support[i] > 0.0 ? max2(0.0, MARGIN * d->load[i] / d->support[i]) : 0.0;
    }
    return 1;
}
