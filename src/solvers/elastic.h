/* elastic.h: the coarse correction of momentum: contacts that stick become springs, and the pile gives way as an elastic body would.
 *
 * What sweeps are slow at is smooth: late in a solve of a pile at rest 95 % of what a sweep changes is rigid motion of boxes of a thousand
 * grains. There nearly all contacts stick, and the problem is linear: bodies still have velocities v, and should have none. With
 *
 *     D = 1/diag W_cc   per contact that is pressed, of each group (N, slide, roll, spin) that is inside its disk; 0 of the others
 *     (H D H' + eps M) lambda = M v                          eps = 1e-6: for bodies that no spring holds
 *     p <- p - D H' lambda,      v <- v - M^-1 H D H' lambda = eps lambda
 *
 * the impulses M v that are left over go into the pile at once, spread as springs of equal stiffness would spread them. p may leave its
 * cones; the next sweep puts it back. Bodies that truly move (the hottest, one in a hundred at most) are left out of the right-hand side:
 * else they would be pushed to rest. docs/solvers/momentum.md has the measurements.
 *
 * elastic.c makes the system, with nested boxes (boxes.h), elastic_solve.c solves it roughly, by conjugate gradients with a multigrid cycle
 * over the boxes; this header is what the two layouts of momentum see: they give stiffness and velocities, and take lambda. */
#ifndef SCREE_SOLVERS_ELASTIC_H
#define SCREE_SOLVERS_ELASTIC_H

#include "base/memory.h"
#include "problem/problem_private.h"

enum { SPRING_LANES = 8, LINE = 8, GROUPS = 4 };

/// Motion or impulse of a body or box (v, omega; force, moment), in a line of eight numbers.
typedef struct motion {
    _Alignas(32) float x[LINE];
} motion;

/// 6 x 6, column by column.
typedef struct motion_block {
    motion column[6];
} motion_block;

/// A number of each of eight springs.
typedef struct eight {
    _Alignas(32) float of[SPRING_LANES];
} eight;

/// Eight springs. Arms reach from the bodies to the contact point.
typedef struct spring_batch {
    eight n[3], arm_a[3], arm_b[3];
    eight stiffness[GROUPS];              /* D of N, slide, roll, spin                      */
    int a[SPRING_LANES], b[SPRING_LANES]; /* place in the order of boxes; body_count: fixed */
} spring_batch;

/// Boxes of one size: what they are to each other, and the vectors of a cycle. Level 0 are the bodies, whose matrix is not stored.
typedef struct elastic_level {
    int count;
    int *start, *column;              /* (count + 1), entries: neighbours; NULL at level 0 */
    motion_block *block;              /* (entries)                                         */
    motion_block *diagonal, *inverse; /* (count); diagonal NULL at level 0                 */
    double (*centre)[3];              /* (count)                                           */
    float (*mass)[2];                 /* (count) of M: mass, moment of inertia (mean)      */
    motion *x, *b, *r;                /* (count + 1)                                       */
} elastic_level;

enum { ELASTIC_LEVELS = 12 };
enum { ELASTIC_BODY_GRAIN = 512, ELASTIC_BOX_GRAIN = 64 };
enum { ELASTIC_ENERGY_BINS = 1 << 14 };
#define ELASTIC_EPS 1e-6F

typedef struct elastic {
    int body_count, contact_count, batch_count, level_count;
    int *place;                        /* (body_count) of a body in the order of the boxes             */
    int *spring;                       /* (contact_count) place of a contact among the springs         */
    spring_batch *batch;               /* (batch_count)                                                */
    int *side_start;                   /* (body_count + 1) by place: its springs, 2 spring + (is B)    */
    int *side;                         /* (2 contact_count)                                            */
    motion *pull;                      /* (2 SPRING_LANES batch_count) what each spring does to either */
    double *velocity;                  /* (6 body_count) in: velocities; out: lambda                   */
    motion *search, *product, *answer; /* (body_count + 1) of conjugate gradients                      */
    double *sums;                      /* of chunks                                                    */
    int *energy_bin, *bin_count;       /* (body_count), (bins) a histogram of kinetic energies         */
    int is_assembled;                  /* matrices of boxes are those of the last stiffness */
    elastic_level level[ELASTIC_LEVELS];
} elastic;

/// NULL where memory is short. `contact`: with lever arms, those of the problem or as read from its blocks.
elastic *elastic_create(const scree_problem *problem, const scree_rigid_contact *contact,
                        const scree_allocator *allocator);
void elastic_destroy(elastic *e, const scree_allocator *allocator);

/// Geometry and masses as they are now.
void elastic_begin(elastic *e, const scree_problem *problem, const scree_rigid_contact *contact, scree_pool *pool);

#define ELASTIC_INSIDE (1.0 - 1e-6) /* a load sticks where |load|^2 is below this times its limit squared */

/// D of contact c.
static inline void elastic_set_stiffness(elastic *e, int c, const double D[GROUPS])
{
    int s = e->spring[c];
    for (int i = 0; i < GROUPS; ++i) e->batch[s / SPRING_LANES].stiffness[i].of[s % SPRING_LANES] = (float)D[i];
}

static inline void elastic_get_stiffness(const elastic *e, int c, double D[GROUPS])
{
    int s = e->spring[c];
    for (int i = 0; i < GROUPS; ++i) D[i] = (double)e->batch[s / SPRING_LANES].stiffness[i].of[s % SPRING_LANES];
}

/// Matrices of bodies and boxes from the stiffness of now.
void elastic_assemble(elastic *e, scree_pool *pool);

/// lambda, instead of the velocities.
void elastic_solve(elastic *e, scree_pool *pool);

#endif
