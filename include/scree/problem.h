/* problem.h: many contacts as a value: y = W p + q, a cone per contact, optional bilateral and bounded rows.
 *
 *     y = W p + q,   W = H' M^-1 H + diag(compliance),   q = H' M^-1 f + w                            docs/math/problem.md
 *     contact c:  the law of laws.h on its rows;     bounded row:  -S <= gamma <= S, moving only at a bound
 *                                                    bilateral row (S infinite):  y = 0
 *
 * Rows are ordered contact by contact (N T T R R S of its cone), then the bounded rows. W has one of two forms behind one
 * interface: assembled, block CSR over contacts; or through the bodies: H and M^-1, W never formed.
 *
 * Thread safety: a problem serves one thread at a time, also through a const pointer (products use its scratch memory); different
 * problems are independent. FCLIB files go through HDF5, which is usually built without locks: one thread of the program at a time. */
#ifndef SCREE_PROBLEM_H
#define SCREE_PROBLEM_H

#include <scree/laws.h>
#include <scree/sparse.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the problem ------------------------------------------------------------------------------------------------ */

typedef struct scree_problem {
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

    scree_block_matrix *W; /* assembled form, or NULL                                             */

    /* through the bodies, or body_count 0:  W = Ht M^-1 Ht',  Ht one block row per contact, one block column per body.
     * A problem from rigid contacts keeps those; then Ht, inv_mass, diagonal are NULL until scree_problem_form makes them,
     * and are not looked at by what can do without (products, residuals, sweeps over spheres). */
    int body_count, dof_count;
    struct scree_rigid_contact
        *rigid; /* (contact_count), or NULL: a problem from blocks                              */
    struct scree_rigid_row *rigid_row; /* (bound_count) of such a problem                                         */
    struct scree_rigid_mass
        *rigid_mass;              /* (body_count)                                                                 */
    scree_block_matrix *Ht;       /* H', (row_count x dof_count); its col_offset has each body's degrees of freedom */
    scree_block_matrix *inv_mass; /* M^-1, one diagonal block per body                                             */
    struct scree_mass *mass;      /* or, where M couples the bodies: M and its sparse factor; then inv_mass is NULL */
    double *v_free;               /* M^-1 f, velocity of the bodies without reaction (dof_count), or NULL           */
    double *diagonal;             /* W_cc of each block, row-major, at diagonal + diagonal_at[c]                    */
    size_t *diagonal_at;          /* (block_count + 1)                                                              */

    double *work; /* scratch of scree_problem_apply (2 dof_count): one thread at a time */
    scree_allocator allocator;
    struct scree_problem *self; /* the problem, for scree_problem_form */
} scree_problem;

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
} scree_problem_def;

SCREE_API scree_problem_def scree_problem_def_default(void);

/// Makes a problem; allocator NULL: the default. On failure *problem is NULL.
SCREE_API scree_status scree_problem_create(const scree_problem_def *def, const scree_allocator *allocator,
                                            scree_problem **problem, scree_error *error);
SCREE_API void scree_problem_destroy(scree_problem *problem);

/// Parts of a problem that are formed on demand.
enum { SCREE_FORM_BLOCKS = 1 /* Ht and inv_mass */, SCREE_FORM_DIAGONAL = 2 /* diagonal, diagonal_at */ };

/// Forms those of the parts (or-ed) that are not there yet. The problem stays the
/// same problem, hence const; one thread at a time. SCREE_ERR_MEMORY: it is as it was. Nothing to do after scree_problem_create.
/// A problem with W assembled has no blocks to form.
SCREE_API scree_status scree_problem_form(const scree_problem *problem, unsigned parts);

/// y = W x (compliance included). Through the bodies it uses the scratch of the problem: one thread at a time.
SCREE_API void scree_problem_apply(const scree_problem *problem, const double *x, double *y);

/// The same problem with W assembled (block CSR), from either form.
SCREE_API scree_status scree_problem_assemble(const scree_problem *problem, const scree_allocator *allocator,
                                              scree_problem **assembled);

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
} scree_rigid_def;

SCREE_API scree_rigid_def scree_rigid_def_default(void);

/// The problem of these contacts and rows, through the bodies. Arrays are copied. O(contacts), made for being called in every step:
/// blocks of H' and of the diagonal are left to scree_problem_form. Two bodies -1, or one body twice, are refused.
SCREE_API scree_status scree_problem_from_rigid(const scree_rigid_def *def, const scree_allocator *allocator,
                                                scree_problem **problem, scree_error *error);

/// v (dof_count) = v_free + M^-1 H p.
SCREE_API void scree_problem_body_velocities(const scree_problem *problem, const double *p, double *v);

/* ---- how good is p: the one measure for all solvers ---------------------------------------------------------------- */

/// Siconos' measure: |p - proj(p - yhat)| / max(|q|, |p|, |y|), Euclidean over all rows; no division below 2.2e-16.
/// `y` (row_count) receives W p + q. This is what `tolerance` means everywhere.
SCREE_API double scree_problem_residual(const scree_problem *problem, const double *p, double *y);

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

/// Fills the certificate; `y` (row_count) receives W p + q.
SCREE_API void scree_problem_certify(const scree_problem *problem, const double *p, double *y,
                                     scree_certificate *certificate);

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
/// +-1, and states what it proves. A z with proof->proved 0 proves nothing, neither way. SCREE_ERR_MEMORY or SCREE_OK.
SCREE_API scree_status scree_problem_infeasible(const scree_problem *problem, double *z, scree_infeasibility *proof);

/* ---- files ---------------------------------------------------------------------------------------------------------- */

typedef enum scree_file_kind {
    SCREE_FILE_DETECT = 0, /* by the content: HDF5 signature, else .dat, local or global by what fits the whole file */
    SCREE_FILE_LOCAL,      /* .dat or FCLIB with W, q                                                                */
    SCREE_FILE_GLOBAL      /* .dat or FCLIB with M, H, f, w                                                          */
} scree_file_kind;

/// Reads a problem: Siconos .dat text or FCLIB HDF5 (docs/formats.md). Global files become problems through the bodies.
/// Messages carry file and line, or the HDF5 path after '::'.
SCREE_API scree_status scree_problem_read(const char *path, scree_file_kind kind, const scree_allocator *allocator,
                                          scree_problem **problem, scree_error *error);

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
