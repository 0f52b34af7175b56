/* problem_private.h: what a problem is made of, and what its parts share. Users see it through scree_problem_parts.
 *
 * A const problem is never written, so any number of threads may read one: scratch memory comes from the caller (`work`), parts that a
 * method needs and the problem lacks are formed in an alias. */
#ifndef SCREE_PROBLEM_PRIVATE_H
#define SCREE_PROBLEM_PRIVATE_H

#include "sparse/block.h"

#include <scree/problem.h>

struct scree_problem {
    scree_law law;
    int contact_count;
    int bound_count; /* scalar rows after the contacts                                            */
    int block_count; /* contact_count + bound_count: the blocks of W                              */
    int row_count;
    int *offset;        /* first row of each block             (block_count + 1)                  */
    scree_cone *cone;   /* (contact_count)                                                        */
    double *bound;      /* S >= 0, INFINITY: bilateral         (bound_count)                      */
    double *q;          /* velocity without reaction           (row_count)                        */
    double *compliance; /* added to the diagonal of W, or NULL (row_count)                        */

    block_matrix *W; /* assembled form, or NULL                                                   */

    /* through the bodies, or body_count 0:  W = Ht M^-1 Ht',  Ht one block row per contact, one block column per body.
     * A problem from rigid contacts keeps those; then Ht, inv_mass, diagonal are NULL until problem_form makes them, and are not
     * looked at by what can do without (products, residuals, sweeps over spheres). A problem from blocks has them from the start. */
    int body_count, dof_count;
    scree_rigid_contact *rigid;   /* (contact_count), or NULL: a problem from blocks                                */
    scree_rigid_row *rigid_row;   /* (bound_count) of such a problem                                                */
    scree_rigid_mass *rigid_mass; /* (body_count)                                                                   */
    block_matrix *Ht;             /* H', (row_count x dof_count); its col_offset has each body's degrees of freedom */
    block_matrix *inv_mass;       /* M^-1, one diagonal block per body                                              */
    struct scree_mass *mass;      /* or, where M couples the bodies: M and its sparse factor; then inv_mass is NULL */
    double *v_free;               /* M^-1 f, velocity of the bodies without reaction (dof_count), or NULL           */
    double *diagonal;             /* W_cc of each block, row-major, at diagonal + diagonal_at[c]                    */
    size_t *diagonal_at;          /* (block_count + 1)                                                              */

    scree_allocator allocator;
    unsigned lent; /* of an alias: the parts (SCREE_PART_) that are the other problem's */
};

enum { PARTS_ALL = SCREE_PART_BLOCKS | SCREE_PART_DIAGONAL };

/// Refuses a problem that holds a number which is NaN or infinite (bounds may be infinite); every problem passes here when it is made.
scree_status problem_check(const scree_problem *problem, scree_error *error);

/* ---- parts ------------------------------------------------------------------------------------------------------ */

/// Forms those of the parts that are missing. SCREE_ERR_MEMORY: the problem is as it was.
scree_status problem_form(scree_problem *problem, unsigned parts);

/// A second scree_problem on the arrays of a problem that must not be written. Parts formed in it are its own, from `allocator`.
scree_problem problem_alias(const scree_problem *problem, const scree_allocator *allocator);
/// The alias of another problem of the same structure. Parts of its own are filled again in the memory they have.
void problem_alias_renew(const scree_problem *problem, scree_problem *alias);
/// Frees the parts of its own.
void problem_alias_release(scree_problem *alias);

/// W_bb (n x n, n the rows of the block), compliance included: from `diagonal` where that has been formed, else computed.
void problem_diagonal_block(const scree_problem *problem, int block, double *D);

/// All of `diagonal` again, after W or what it is made of has changed. 0: blocks of another size, not all were filled.
int problem_refill_diagonal(scree_problem *problem);

/// H' and M^-1 as block matrices, of a problem from rigid contacts; and their values again, in the memory they have: 0 if that is of
/// another size.
scree_status rigid_form_blocks(scree_problem *problem);
int rigid_refill_blocks(scree_problem *problem);

/* ---- products --------------------------------------------------------------------------------------------------- */

/// Length of the scratch vectors `work` below.
size_t problem_work_size(const scree_problem *problem);

/// y = W x (compliance included).
void problem_apply(const scree_problem *problem, const double *x, double *y, double *work);
/// y = W p + q.
void problem_velocity(const scree_problem *problem, const double *p, double *y, double *work);
/// v (dof_count) = v_free + M^-1 H p.
void problem_body_velocities(const scree_problem *problem, const double *p, double *v, double *work);

/* ---- assembling ------------------------------------------------------------------------------------------------- */

scree_status problem_create(const scree_problem_def *def, const scree_allocator *allocator, scree_problem **problem,
                            scree_error *error);
scree_status problem_assemble(const scree_problem *problem, const scree_allocator *allocator,
                              scree_problem **assembled);

/// All values of `assembled` (made by problem_assemble from a problem of this structure, through the bodies, with blocks formed)
/// again from `problem`: W, diagonal, q, cones, bounds, compliance. No memory but `work`.
void problem_reassemble(const scree_problem *problem, scree_problem *assembled, double *work);

scree_status problem_from_rigid(const scree_rigid_def *def, const scree_allocator *allocator, scree_problem **problem,
                                scree_error *error);
/// The same without copies: the arrays of the definition come from `allocator`, w and v_free are not NULL, and all of them belong to the
/// problem from now on, also if it cannot be made. `w` becomes q. For the step, whose scratch memory is large.
scree_status problem_take_rigid(const scree_rigid_def *def, const scree_allocator *allocator, scree_problem **problem,
                                scree_error *error);

#endif
