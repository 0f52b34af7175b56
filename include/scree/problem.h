/* problem.h: many contacts as a value: y = W p + q, a cone per contact, optional bilateral and bounded rows.
 *
 *     y = W p + q,   W = H' M^-1 H + diag(compliance),   q = H' M^-1 f + w                            docs/math/problem.md
 *     contact c:  the law of laws.h on its rows;     bounded row:  -S <= gamma <= S, moving only at a bound
 *                                                    bilateral row (S infinite):  y = 0
 *
 *     scree_error error = {0};
 *     scree_problem *problem = scree_problem_read("tower.dat", NULL, &error);
 *
 * Rows are ordered contact by contact (N T T R R S of its cone), then the bounded rows. W has one of two forms behind one
 * interface: assembled, block CSR over contacts; or through the bodies: H and M^-1, W never formed.
 *
 * Thread safety: functions that take a const scree_problem only read it: any number of threads may call them on one problem at once,
 * if its allocator may be called from those threads (the default one may). What takes a problem that is not const is for one thread,
 * while no other uses it. FCLIB files go through HDF5, which is usually built without locks: one thread of the program at a time. */
#ifndef SCREE_PROBLEM_H
#define SCREE_PROBLEM_H

#include <scree/laws.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the problem ------------------------------------------------------------------------------------------------ */

typedef struct scree_problem scree_problem;

/// What a caller gives to make a problem. Arrays are copied. Zero what is not used.
typedef struct scree_problem_def {
    unsigned cookie;
    scree_law law;
    int contact_count, bound_count;
    const scree_cone *cone;   /* (contact_count)                                        */
    const double *bound;      /* (bound_count)                                          */
    const double *q;          /* (row_count); NULL: 0                                   */
    const double *compliance; /* (row_count) or NULL                                    */

    /* assembled: entry e is the block (entry_row[e], entry_column[e]) of W, row-major, packed one after the other in entry_value.
     * Any order; duplicates add up. W is kept as given: a W that is not symmetric stays so in every residual.       */
    size_t entry_count;
    const int *entry_row, *entry_column;
    const double *entry_value;

    /* through the bodies: degrees of freedom of each body, its inverse mass (dof x dof, row-major, packed), and the blocks of H'
     * (rows of the contact x dof of the body, row-major, packed): entry arrays as above, column = body               */
    int body_count;
    const int *body_dof;
    const double *body_inv_mass;
    const double *v_free; /* (dof_count) or NULL: then q is taken as given; else q += H' v_free */

    /* instead of body_inv_mass, M itself, symmetric positive definite, of any pattern: compressed rows, all entries, columns
     * ascending. It is factorised once. The "bodies" are then any groups of up to 6 degrees of freedom (nodes of a mesh)       */
    const int *mass_start, *mass_column;
    const double *mass_value;

    const scree_allocator *allocator; /* NULL: the default; copied */
} scree_problem_def;

SCREE_API scree_problem_def scree_problem_def_default(void);

/// Makes a problem; NULL on failure.
SCREE_API scree_problem *scree_problem_create(const scree_problem_def *def, scree_error *error);
SCREE_API void scree_problem_destroy(scree_problem *problem);

/// The same problem with W assembled (block CSR), from either form. allocator NULL: the default.
SCREE_API scree_problem *scree_problem_assemble(const scree_problem *problem, const scree_allocator *allocator,
                                                scree_error *error);

/* ---- reading and changing it -------------------------------------------------------------------------------------- */

/// A block matrix in compressed rows, with blocks of any size, to read. Entry e of block row i (start[i] <= e < start[i+1]) is the block
/// in block column column[e], row-major at value + at[e]. Columns ascend within a row. Offsets are first scalar rows and columns.
typedef struct scree_block_matrix {
    int row_blocks, col_blocks;
    const int *row_offset; /* (row_blocks + 1) */
    const int *col_offset; /* (col_blocks + 1) */
    const int *start;      /* (row_blocks + 1) */
    const int *column;     /* (entries)        */
    const size_t *at;      /* (entries + 1)    */
    const double *value;   /* NULL: the problem does not have this matrix */
} scree_block_matrix;

/// The parts of a problem, to read. The pointers are into the problem: valid until it is destroyed; `prepare` adds parts.
typedef struct scree_problem_view {
    scree_law law;
    int contact_count;
    int bound_count; /* scalar rows after the contacts                                                  */
    int block_count; /* contact_count + bound_count: the blocks of W                                    */
    int row_count;
    int body_count, dof_count; /* through the bodies; 0 where W is assembled                             */
    const int *offset;         /* first row of each block             (block_count + 1)                  */
    const scree_cone *cone;    /* (contact_count)                                                        */
    const double *bound;       /* S >= 0, INFINITY: bilateral         (bound_count)                      */
    const double *q;           /* velocity without reaction           (row_count)                        */
    const double *compliance;  /* added to the diagonal of W, or NULL (row_count)                        */
    const double *v_free;      /* velocity of the bodies without reaction (dof_count), or NULL           */
    scree_block_matrix W;      /* where it is assembled                                                  */

    /* through the bodies, W = Ht M^-1 Ht'; of rigid contacts only once they are prepared */
    scree_block_matrix Ht;       /* H' (row_count x dof_count), a block column per body                  */
    scree_block_matrix inv_mass; /* M^-1, a diagonal block per body; none where M couples the bodies     */
    int coupled;                 /* 1: M couples the bodies, and has a sparse factor                     */
    const double *diagonal;      /* W_bb of each block, row-major, at diagonal + diagonal_at[b], or NULL */
    const size_t *diagonal_at;   /* (block_count + 1), or NULL                                           */
} scree_problem_view;

SCREE_API scree_problem_view scree_problem_parts(const scree_problem *problem);

/// Parts that a problem from rigid contacts has only once they are prepared; any other has them from the start.
enum { SCREE_PART_BLOCKS = 1 /* Ht and inv_mass */, SCREE_PART_DIAGONAL = 2 /* diagonal, diagonal_at */ };

/// Forms those of the parts (or-ed) that are missing. Costs 1 kB and 1 us a contact. Never needed: it saves solvers that need these
/// parts from forming them in each solve. A problem with W assembled has no blocks.
SCREE_API scree_status scree_problem_prepare(scree_problem *problem, unsigned parts, scree_error *error);

/// New values for what the problem has, copied: the law; q (row_count); coefficients of the cones (contact_count), whose sizes stay;
/// bounds (bound_count); values of the blocks of W, in the order of scree_problem_parts(problem).W.value. A problem through the bodies
/// keeps its v_free: new values of q are those with it.
SCREE_API void scree_problem_set_law(scree_problem *problem, scree_law law);
SCREE_API scree_status scree_problem_set_q(scree_problem *problem, const double *q, scree_error *error);
SCREE_API scree_status scree_problem_set_cones(scree_problem *problem, const scree_cone *cone, scree_error *error);
SCREE_API scree_status scree_problem_set_bounds(scree_problem *problem, const double *bound, scree_error *error);
SCREE_API scree_status scree_problem_set_blocks(scree_problem *problem, const double *value, scree_error *error);

/// A vector of row_count zeros, from the problem's allocator: reactions to start from, or a place for velocities. NULL on failure.
SCREE_API double *scree_problem_vector(const scree_problem *problem, scree_error *error);
SCREE_API void scree_problem_vector_free(const scree_problem *problem, double *vector);

/// y = W x (compliance included). This and what follows take 8 or 16 bytes a degree of freedom from the problem's allocator, for the time of the
/// call, where the problem goes through the bodies.
SCREE_API scree_status scree_problem_apply(const scree_problem *problem, const double *x, double *y,
                                           scree_error *error);
/// y = W p + q.
SCREE_API scree_status scree_problem_velocity(const scree_problem *problem, const double *p, double *y,
                                              scree_error *error);
/// v (dof_count) = v_free + M^-1 H p. SCREE_ERR_UNSUPPORTED where W is assembled: there are no bodies.
SCREE_API scree_status scree_problem_body_velocities(const scree_problem *problem, const double *p, double *v,
                                                     scree_error *error);

/* ---- contacts of rigid bodies --------------------------------------------------------------------------------------- */

/// One contact of two rigid bodies, six degrees of freedom each: (v, omega), both in the world frame. H' has the rows
///     B:  n' (I, -[arm_b]x),  t1' (..), t2' (..),   then for rolling and spinning  (0, t1'), (0, t2'), (0, n');    A: minus that.
typedef struct scree_rigid_contact {
    int body_a, body_b;           /* columns; -1: a body that the problem does not move             */
    double normal[3], tangent[3]; /* n from A to B, t1; t2 = n x t1                                  */
    double arm_a[3], arm_b[3];    /* from the centre of mass to the contact point [m]               */
} scree_rigid_contact;

/// A bounded or bilateral row of two rigid bodies (a joint, a motor): y = a.(v, omega)_A + b.(v, omega)_B, world frame.
typedef struct scree_rigid_row {
    int body_a, body_b; /* columns; -1: a body that the problem does not move */
    double a[6], b[6];
} scree_rigid_row;

typedef struct scree_rigid_mass {
    double inv_mass[3];    /* along x, y, z: equal, or 0 out of the plane of a planar problem [1/kg] */
    double inv_inertia[9]; /* world frame, row-major [1/(kg m^2)]                                   */
} scree_rigid_mass;

typedef struct scree_rigid_def {
    unsigned cookie;
    scree_law law;
    int contact_count, bound_count, body_count;
    const scree_rigid_contact *contact; /* (contact_count)                                                */
    const scree_rigid_row *row;         /* (bound_count)                                                  */
    const double *bound;                /* (bound_count) S >= 0, INFINITY: bilateral                      */
    const scree_cone *cone;             /* (contact_count). Planar cones: t1 is the tangent, and rolling about n x t1 */
    const scree_rigid_mass *mass;       /* (body_count)                                                   */
    const double *v_free;               /* (6 body_count); NULL: 0                                        */
    const double *w;                    /* (row_count): q = H' v_free + w; NULL: 0                        */
    const double *compliance;           /* (row_count) or NULL                                            */
    const scree_allocator *allocator;   /* NULL: the default; copied                                      */
} scree_rigid_def;

SCREE_API scree_rigid_def scree_rigid_def_default(void);

/// The problem of these contacts and rows, through the bodies; NULL on failure. Arrays are copied. O(contacts), made for being called in
/// every step: blocks of H' and of the diagonal are left to scree_problem_prepare. Two bodies -1, or one body twice, are refused.
SCREE_API scree_problem *scree_problem_from_rigid(const scree_rigid_def *def, scree_error *error);

/// One contact of two rigid bodies as laws.h has it, Coulomb law: W from the geometry and the masses, which body_a and body_b of the pair
/// number (-1: does not move). `q` (components of the cone): its velocity without reaction; NULL: 0.
SCREE_API scree_contact scree_contact_of(const scree_rigid_contact *pair, const scree_rigid_mass *mass, scree_cone cone,
                                         const double *q);

/* ---- how good is p: the one measure for all solvers ---------------------------------------------------------------- */

/// Siconos' measure: |p - proj(p - yhat)| / max(|q|, |p|, |y|), Euclidean over all rows; no division below 2.2e-16.
/// This is what `tolerance` means everywhere. NAN on failure (no memory).
SCREE_API double scree_problem_residual(const scree_problem *problem, const double *p, scree_error *error);

/// How far p is from a solution. Indices are those of the worst contact, -1 if there is none.
typedef struct scree_certificate {
    double residual;          /* Siconos' measure                                                              */
    double scaled;            /* the same map with step 1/lmax(W_cc) per contact, over |p|                      */
    double penetration_speed; /* worst -u_N (convex law: slip speed - u_N)                            [m/s]    */
    double cone_violation;    /* worst excess of friction over its limit, relative to r_N; r_N < 0 counts as 1  */
    double slip_at_stick;     /* worst slip that friction below its limit could still have stopped [m/s]   */
    double gap;               /* sum of p.yhat (convex: p.y; bounded rows: p y + S |y|)               [J]      */
    double
        dissipation[SCREE_FRICTION_KINDS]; /* sum of -l_k.v_k per kind of friction                           [J]      */
    double bound_violation; /* worst |y| of a row inside its bound, or excess over the bound                  */
    double duality_gap;     /* convex law: primal minus dual value, where p in K and y in K*; else NAN [J]     */
    double load_norm;       /* |p|: a residual that divides by a |p| which runs away means nothing             */
    int penetration_contact, cone_contact, slip_contact, residual_contact;
    int mode_count[SCREE_MODE_COUNT]; /* contacts in each mode */
} scree_certificate;

/// The certificate of p, from the data alone. On failure (no memory) its residual is NAN.
SCREE_API scree_certificate scree_problem_certify(const scree_problem *problem, const double *p, scree_error *error);

/* ---- when there is no solution --------------------------------------------------------------------------------------- */

/// A proof that there is none: reactions z that move no body, that the law allows at any size, and on which q does negative work
/// (docs/math/infeasible.md). E^-2 is the diagonal of W.
typedef struct scree_infeasibility {
    double press;  /* -q.z/(|E q| |E^-1 z|): 0 to 1, the fraction of q that no reaction can stop               */
    double motion; /* |E W'z|/|E^-1 z|, and what rounding may hide                                             */
    double margin; /* press/motion: any solution has |E^-1 p| >= margin |E q|                                  */
    int proved;    /* margin >= SCREE_INFEASIBLE_MARGIN                                                         */
} scree_infeasibility;

/// A solution whose reactions exceed by this factor those that stop every contact by itself counts as none.
#define SCREE_INFEASIBLE_MARGIN 1e9

/// Makes of a guess z (row_count), such as reactions that have run away, the nearest direction that could be a proof, its largest entry
/// +-1, and returns what it proves. A z with `proved` 0 proves nothing, neither way. It fails only where memory is short.
SCREE_API scree_infeasibility scree_problem_infeasible(const scree_problem *problem, double *z, scree_error *error);

/* ---- files ---------------------------------------------------------------------------------------------------------- */

typedef enum scree_file_kind {
    SCREE_FILE_DETECT = 0, /* by the content: HDF5 signature, else .dat, local or global by what fits the whole file */
    SCREE_FILE_LOCAL,      /* .dat or FCLIB with W, q                                                                */
    SCREE_FILE_GLOBAL      /* .dat or FCLIB with M, H, f, w                                                          */
} scree_file_kind;

/// Reads a problem: Siconos .dat text or FCLIB HDF5 (docs/formats.md), told by the content. Global files become problems through the
/// bodies. Messages carry file and line, or the HDF5 path after '::'. NULL on failure. allocator NULL: the default.
SCREE_API scree_problem *scree_problem_read(const char *path, const scree_allocator *allocator, scree_error *error);
/// The same for a file that must be local, or must be global.
SCREE_API scree_problem *scree_problem_read_as(const char *path, scree_file_kind kind, const scree_allocator *allocator,
                                               scree_error *error);

/// Writes a problem, by the extension: .dat, or .hdf5/.h5 (FCLIB, with the solution p and its velocity if p is not NULL).
/// Written to a temporary beside it, then renamed: never half-written.
SCREE_API scree_status scree_problem_write(const scree_problem *problem, const double *p, const char *path,
                                           scree_error *error);

/// What a conversion wrote.
typedef struct scree_convert_info {
    scree_file_kind kind; /* SCREE_FILE_LOCAL, SCREE_FILE_GLOBAL */
    int dim, contact_count, dof_count, equality_count;
    size_t entry_count; /* of all matrices */
} scree_convert_info;

/// Reads the problem file `from` and writes it as `to`. All values keep their bits; with `assemble`, a global problem becomes the local one,
/// W = H' M^-1 H.
SCREE_API scree_status scree_problem_convert(const char *from, const char *to, scree_file_kind kind, int assemble,
                                             const scree_allocator *allocator, scree_convert_info *info,
                                             scree_error *error);

#ifdef __cplusplus
}
#endif
#endif
