/* pile.h: the part of a rigid contact problem that one rank has, swept by the sphere kernels of the library (solvers/spheres).
 *
 * Two groups of contacts: inside, between bodies of this rank (and what does not move), with full masses; across, with a body of another
 * rank, with masses divided by the number of ranks that have such a contact with the body. A sweep goes
 *
 *     inside      velocities of own bodies                     lmp_pile_inside
 *                 -> ghosts, from their owners                 the host's communication, lmp_pile_velocity
 *     across      velocities of bodies in contacts across      lmp_pile_across
 *                 changes, each divided by its number of ranks, added up at the owners: lmp_pile_change, lmp_pile_add
 *
 * which is a Gauss-Seidel sweep inside and a Jacobi step of split masses between ranks: v stays v_free + M^-1 H p. Method "two" of
 * docs/scale.md. Loads are space vectors, so they need no frame. */
#ifndef SCREE_LAMMPS_PILE_H
#define SCREE_LAMMPS_PILE_H

#include <scree/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LMP_LOAD = 8, LMP_GROUPS = 2 };

/// a, b: bodies of the host, a = -1: something that does not feel forces. n from a to b.
typedef struct lmp_touch {
    int a, b;
    double normal[3];
    double arm[2];      /* from the middles of a and b to the contact, along n and against it */
    double bias;        /* u_N >= -bias [m/s]                                                */
    double velocity[6]; /* of a where a = -1: of its point at the contact, and its spin      */
    scree_cone cone;
    double load[LMP_LOAD]; /* r_N, r_T in space, m_R in space, m_S: to start from, and the result */
} lmp_touch;

typedef struct lmp_body {
    double inv_mass, inv_inertia;
    double v[6];  /* without reactions */
    double share; /* ranks that have contacts across with it, at least 1 */
    int across;   /* 1: this rank has one */
} lmp_body;

typedef struct lmp_pile lmp_pile;

lmp_pile *lmp_pile_create(void);
void lmp_pile_destroy(lmp_pile *p);

/// Contacts and bodies of a step; loads are applied: then lmp_pile_change has what those across do. 0: no memory.
int lmp_pile_begin(lmp_pile *p, int bodies, const lmp_body *body, const int count[LMP_GROUPS],
                   lmp_touch *const touch[LMP_GROUPS]);
/// The same from the loads of now, velocities anew. 0: no memory.
int lmp_pile_again(lmp_pile *p);

double *lmp_pile_velocity(lmp_pile *p, int body); /* (6) */
/// Sums of dp' W_cc dp.
double lmp_pile_inside(lmp_pile *p, double beta);
double lmp_pile_across(lmp_pile *p, double beta);
/// Change of a body by contacts across in the last lmp_pile_across (or _begin), divided by its share; 0 for others.
void lmp_pile_change(const lmp_pile *p, int body, double change[6]);

/// |p - proj(p - yhat)|^2, |p|^2, |y|^2 of this rank's contacts, from the velocities of all bodies, ghosts included.
void lmp_pile_check(lmp_pile *p, double sums[3]);
double lmp_pile_q2(const lmp_pile *p); /* |q|^2 */
/// Worst -u_N [m/s], and worst excess of friction over its limit relative to r_N, from the loads and velocities of now.
void lmp_pile_certify(lmp_pile *p, double worst[2]);
/// Loads back into the contacts of lmp_pile_begin. 0: no memory.
int lmp_pile_loads(lmp_pile *p);

/// A whole problem, gathered: written as FCLIB with its solution, and its reactions as text (`scree solve --warm`).
scree_status lmp_pile_write(int bodies, const lmp_body *body, int count, const lmp_touch *touch, const char *path,
                            const char *reactions, scree_error *error);

#ifdef __cplusplus
}
#endif

#endif
