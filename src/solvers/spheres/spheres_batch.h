/* spheres_batch.h: bodies, contacts and loads of spheres as kernels see them, on the processor and on a device (spheres.h).
 *
 * A body is one cache line; contacts stand in batches of eight that share no body, as structure of arrays. */
#ifndef SCREE_SOLVERS_SPHERES_SPHERES_BATCH_H
#define SCREE_SOLVERS_SPHERES_SPHERES_BATCH_H

#include "base/hd.h"

#include <scree/laws.h>

#if defined(__cplusplus)
#define SPHERES_ALIGNED alignas(64)
#else
#define SPHERES_ALIGNED _Alignas(64)
#endif

enum { LANES = 8, LOAD_SIZE = 8 };

typedef struct sphere_body {
    double v[3], w[3]; /* velocity v_free + M^-1 H p */
    double inv_mass, inv_inertia;
} sphere_body;

/// Loads of eight contacts: r_N, x (3), Z (3), m_S.
typedef struct sphere_loads {
    double p[LOAD_SIZE][LANES];
} sphere_loads;

enum {
    SPHERE_COUPLED = 8 /* c != 0 */,
    SPHERE_SPECIAL = 16 /* see sphere_special */,
    SPHERE_NOT = 32 /* not spheres */
};

typedef struct sphere_batch {
    SPHERES_ALIGNED double n[3][LANES];
    double r_a[LANES], r_b[LANES];
    double mu[SCREE_FRICTION_KINDS][LANES]; /* 0 where the mechanism is absent                              */
    double s_N[LANES];                      /* q_N - n.(free velocity): gap/h and the like [m/s]            */
    int a[LANES], b[LANES];                 /* bodies; from body_count on: what does not move               */
    int contact[LANES];                     /* of the problem, -1: empty lane                               */
    unsigned char flags[LANES];             /* bit k: mechanism k is there; then SPHERE_COUPLED, ..         */
    int all;                                /* the flags of all lanes                                       */
} sphere_batch;

/// What few contacts have.
typedef struct sphere_special {
    SPHERES_ALIGNED double s[7][LANES]; /* s_T (3), s_Z (3), s_S                                       */
    double soft[4][LANES];              /* compliance of N, T, R, S                                    */
} sphere_special;

/// How momentum stands: k sweeps since it last began, and what is watched (docs/solvers/momentum.md).
typedef struct sweep_momentum {
    double limit;  /* it begins again when a sweep changes more than limit times the least; 0: no momentum */
    double lowest; /* least E since it began                                                               */
    double E;      /* sum over contacts of dp' W_cc dp of the last sweep                                   */
    int since;     /* sweeps since it began                                                                */
} sweep_momentum;

/// What the last change of loads and velocities is multiplied by before a sweep: k/(k + 3).
SCREE_HD double momentum_weight(const sweep_momentum *m)
{
    const double k = m->limit > 0.0 ? m->since : 0.0;
    return k / (k + 3.0);
}

/// A sweep has changed E.
SCREE_HD void momentum_swept(sweep_momentum *m, double E)
{
    m->E = E, m->since += 1;
    if (E < m->lowest) m->lowest = E;
    else if (E > m->limit * m->limit * m->lowest) m->since = 0, m->lowest = E;
}

#endif
