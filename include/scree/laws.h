/* laws.h: the friction law of one contact with sliding, rolling and spinning, and its exact solution.
 *
 *     y = (u_N, u_T, w_R, w_S)    velocity of B relative to A at the contact, n from A to B          docs/notation.md
 *     p = (r_N, r_T, m_R, m_S)    reaction on B
 *     K  = { p : |r_T| <= mu r_N, |m_R| <= rho r_N, |m_S| <= sigma r_N }
 *     K* = { y : u_N >= mu |u_T| + rho |w_R| + sigma |w_S| }
 *     yhat = y + (mu |u_T| + rho |w_R| + sigma |w_S|, 0, ..., 0)
 *
 *     Coulomb law (default):  K* contains yhat, K contains p, yhat . p = 0
 *     convex law:             K* contains y,    K contains p, y . p = 0
 *
 * All matrices are row-major, dim x dim, without padding.
 *
 * Thread safety: everything here is a pure function, without memory or state; any number of threads may call it. */
#ifndef SCREE_LAWS_H
#define SCREE_LAWS_H

#include <scree/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the cone, as data ----------------------------------------------------------------------------------------- */

enum {
    SCREE_FRICTION_SLIDE = 0,
    SCREE_FRICTION_ROLL = 1,
    SCREE_FRICTION_SPIN = 2,
    SCREE_FRICTION_KINDS = 3,
    SCREE_DIM_MAX = 6
};

/// A friction cone: which kinds of friction it has, how many components each, and the coefficients.
typedef struct scree_cone {
    int size[SCREE_FRICTION_KINDS];    /* components of r_T, m_R, m_S: 0 absent, 1 planar, 2 (spin: 0 or 1)     */
    double coef[SCREE_FRICTION_KINDS]; /* mu [-], rho [m], sigma [m]; >= 0, ignored where the size is 0         */
} scree_cone;

/// Cones by their usual names: coefficients that the name does not have are left out.
SCREE_API scree_cone scree_cone_planar(double mu);                                    /* 2: N T            */
SCREE_API scree_cone scree_cone_planar_roll(double mu, double rho);                   /* 3: N T R          */
SCREE_API scree_cone scree_cone_slide(double mu);                                     /* 3: N T T          */
SCREE_API scree_cone scree_cone_slide_spin(double mu, double sigma);                  /* 4: N T T S        */
SCREE_API scree_cone scree_cone_slide_roll(double mu, double rho);                    /* 5: N T T R R      */
SCREE_API scree_cone scree_cone_slide_roll_spin(double mu, double rho, double sigma); /* 6: N T T R R S */

/// Number of components, 1 to 6.
SCREE_API int scree_cone_dim(const scree_cone *cone);

/// Sizes as above, coefficients finite and >= 0.
SCREE_API int scree_cone_valid(const scree_cone *cone);

typedef enum scree_region {
    SCREE_REGION_INSIDE, /* the point was in the set: nothing moved            */
    SCREE_REGION_FACE,   /* moved to the boundary, away from the apex          */
    SCREE_REGION_APEX    /* moved to the apex: the result is 0                 */
} scree_region;

typedef struct scree_projection {
    scree_region region;
    unsigned
        active; /* bit k set: friction of kind k was cut back to its limit (bits SCREE_FRICTION_SLIDE, ROLL, SPIN)        */
} scree_projection;

/// p = nearest point of K to x. Exact, no iteration, no failure: any finite x, any coefficients. x and p may be the same.
SCREE_API scree_projection scree_cone_project(const scree_cone *cone, const double *x, double *p);

/// y = nearest point of K* to x, by Moreau's decomposition. The region is that of K*; `active` is that of -x on K.
SCREE_API scree_projection scree_dual_project(const scree_cone *cone, const double *x, double *y);

/// An element D of the generalised derivative of the projection on K at x (the derivative itself away from the kinks).
/// Symmetric, eigenvalues in [0, 1].
SCREE_API scree_projection scree_cone_project_derivative(const scree_cone *cone, const double *x, double *D);

/* ---- the law and its maps -------------------------------------------------------------------------------------- */

typedef enum scree_law { SCREE_LAW_COULOMB = 0, SCREE_LAW_CONVEX = 1 } scree_law;

/// yhat = y + (sum of coefficient x |velocity|, 0, ...). y and yhat may be the same.
SCREE_API void scree_de_saxce(const scree_cone *cone, const double *y, double *yhat);

/// Maps F(p, y) that vanish exactly at the solutions of the law, and elements A = dF/dp, B = dF/dy of their generalised
/// derivatives (dim x dim; either may be NULL). With y = W p + q the whole derivative is A + B W. `step` > 0 [kg].

/// Natural map: p - proj_K(p - step yhat)   (yhat is y for the convex law).
SCREE_API void scree_map_natural(const scree_cone *cone, scree_law law, double step, const double *p, const double *y,
                                 double *F, double *A, double *B);

/// Alart-Curnier: r_N - max(0, r_N - step s_N) and, for each friction part l, l - proj_disk(l - step v), the disk's radius being
/// coef max(0, r_N - step s_N); s_N = u_N, or u_N - sum coef |v| for the convex law.
SCREE_API void scree_map_alart_curnier(const scree_cone *cone, scree_law law, double step, const double *p,
                                       const double *y, double *F, double *A, double *B);

/// Fischer-Burmeister in split form: one slack lam_k per kind of friction present (in the order slide, roll, spin),
///     fb(r_N, s_N) with s_N = u_N (Coulomb) or u_N - sum coef_k lam_k (convex), and for each kind of friction
///     x + z - (x o x + z o z)^1/2 in the Lorentz cone, x = (coef_k r_N, l_k), z = (lam_k, v_k).
/// F has dim + m entries (m kinds of friction), A and B are (dim + m) x dim, C = dF/dlam is (dim + m) x m.
/// Order of F: normal, then for each kind of friction its scalar followed by its vector.
SCREE_API int scree_map_fischer_burmeister(const scree_cone *cone, scree_law law, const double *p, const double *y,
                                           const double *lam, double *F, double *A, double *B, double *C);

/// [AB] eq. 55: b(-y, p) = (sum coef |v|) r_N where u_N >= 0 and p in K, else infinity. b(-y, p) + y.p >= 0, and 0 exactly
/// at the solutions of the Coulomb law. `slack` is the relative rounding allowed in the two membership tests (0: none).
SCREE_API double scree_bipotential(const scree_cone *cone, const double *y, const double *p, double slack);

/// Power dissipated by each kind of friction: power[k] = -l_k . v_k [W], or [J] if p is an impulse; 0 where absent.
SCREE_API void scree_dissipation(const scree_cone *cone, const double *y, const double *p,
                                 double power[SCREE_FRICTION_KINDS]);

/* ---- the thirteen modes ---------------------------------------------------------------------------------------- */

/// Take-off, or contact with sliding stuck or moving (2) x rolling (2) x spin stuck, towards +, towards - (3).
/// The sign is that of the spinning torque m_S; the spin velocity is opposite.
typedef int scree_mode;
enum { SCREE_MODE_TAKE_OFF = 0, SCREE_MODE_STICK = 1, SCREE_MODE_COUNT = 13 };

SCREE_API scree_mode scree_mode_make(int sliding, int rolling, int spin_sign);
/// 1 if a contact in this mode slides, rolls or spins: kind is SCREE_FRICTION_SLIDE, ...
SCREE_API int scree_mode_moves(scree_mode mode, int kind);

/// "take_off", "stick", "slide", "roll", "slide+roll", "spin_plus", "slide+spin_plus", ...
SCREE_API const char *scree_mode_name(scree_mode mode);

/// The mode of (p, y): take-off unless r_N > 0; then, of each pair (margin to the cone boundary, slip speed), the larger decides, speeds
/// being weighed with `step` [kg]. On exact solutions the result does not depend on the step.
SCREE_API scree_mode scree_mode_classify(const scree_cone *cone, double step, const double *p, const double *y);

/* ---- one contact ----------------------------------------------------------------------------------------------- */

/// y = W p + q and the law. W symmetric positive semidefinite, dim x dim row-major in the first dim*dim entries.
typedef struct scree_contact {
    scree_cone cone;
    scree_law law;
    double W[SCREE_DIM_MAX * SCREE_DIM_MAX]; /* [1/kg], [1/(kg m)], [1/(kg m^2)] */
    double q[SCREE_DIM_MAX];                 /* velocity without reaction        */
} scree_contact;

typedef enum scree_contact_method {
    SCREE_CONTACT_EXACT = 0,            /* any cone, both laws; never fails on a valid contact              */
    SCREE_CONTACT_QUARTIC_T,            /* [BD] section 3; cone slide, Coulomb law                          */
    SCREE_CONTACT_QUARTIC_ALPHA,        /* [BD] section 4; cone slide, Coulomb law                          */
    SCREE_CONTACT_FIXED_POINT,          /* [AB] eq. 64, self-adaptive step                                  */
    SCREE_CONTACT_EXTRAGRADIENT,        /* [AB] eq. 65, self-adaptive step                                  */
    SCREE_CONTACT_NEWTON_NATURAL,       /* semismooth Newton, line search; falls back to exact              */
    SCREE_CONTACT_NEWTON_ALART_CURNIER, /* the same on the Alart-Curnier map                                */
    SCREE_CONTACT_METHOD_COUNT
} scree_contact_method;

/// "exact", "quartic_t", ...; NULL beyond the last.
SCREE_API const char *scree_contact_method_name(scree_contact_method method);

typedef struct scree_contact_options {
    unsigned cookie;
    scree_contact_method method;
    double tolerance;   /* iterative methods stop when the residual is below this           */
    int max_iterations; /* iterative methods                                                */
    int isolate;        /* exact, where uniqueness is not proved: 1 find all roots, then choose; 0 take the first found
                           (1 to 100 us less: for sweeps over many contacts, which only need a root) */
    const double
        *guess; /* reaction to start from (components of the cone), or NULL; of several solutions the nearest to it is
                            returned, without a guess the one with the smallest normal force                                   */
} scree_contact_options;

SCREE_API scree_contact_options scree_contact_options_default(void);

typedef enum scree_uniqueness {
    SCREE_UNIQUE_UNKNOWN = 0, /* no bound applies: other solutions may exist            */
    SCREE_UNIQUE_PROVED, /* a sufficient condition of docs/math/one-contact.md holds, or W is definite and all solutions
                                 were searched for with proved slopes: one was found                              */
    SCREE_UNIQUE_NO      /* several solutions were found                           */
} scree_uniqueness;

typedef struct scree_contact_result {
    double p[SCREE_DIM_MAX], y[SCREE_DIM_MAX]; /* reaction; velocity W p + q               */
    scree_mode mode;
    scree_outcome outcome;
    scree_uniqueness unique;
    scree_contact_method method; /* the method that gave p (exact after a fall-back)            */
    int iterations;              /* of the method: evaluations, sweeps or Newton steps          */
    double residual;             /* scree_contact_residual of p                                 */
} scree_contact_result;

/// Relative natural map |p - proj_K(p - s yhat)| / max(|p|, s |q|), s = 1/trace(W) x dim; 0 where both are 0.
SCREE_API double scree_contact_residual(const scree_contact *contact, const double *p);

/// Why a contact cannot be solved (wrong cone, NaN, W not symmetric or not positive semidefinite), as status and text.
/// Symmetry is required to 1e-12 of the largest entry, semidefiniteness to 1e-10 after
/// scaling W to unit diagonal. On failure `row` and
/// `column` (either may be NULL) are the offending entry of W, or -1.
SCREE_API scree_status scree_contact_check(const scree_contact *contact, int *row, int *column, scree_error *error);

/// Solves one contact; options NULL: the defaults, the exact method. SCREE_ERR_UNSUPPORTED if the method does not take the cone or law;
/// the residual is then NAN. scree_contact_of (scree/problem.h) makes a contact of two rigid bodies.
SCREE_API scree_contact_result scree_contact_solve(const scree_contact *contact, const scree_contact_options *options,
                                                   scree_error *error);

/// Every isolated solution, smallest normal force first, at most `capacity`; returns how many exist, 0 on failure. The quartics
/// enumerate; `exact` isolates the roots of its scalar equation with proved slope bounds. Other methods: unsupported.
SCREE_API int scree_contact_solve_all(const scree_contact *contact, const scree_contact_options *options, int capacity,
                                      scree_contact_result *results, scree_error *error);

/// Solutions through one of them that are not isolated: `centre + s direction[k]` is a solution for `low[k] <= s <= high[k]` (an end may be
/// infinite), for each k by itself; the set is convex, so that what lies between these lines belongs to it. `dimension` 0: the solution is isolated, as far as flat sets tell.
typedef struct scree_contact_family {
    int dimension;
    int velocity_changes; /* 0: all of them have the same velocity, since W does not see the difference */
    double centre[SCREE_DIM_MAX];
    double direction[SCREE_DIM_MAX][SCREE_DIM_MAX]; /* one component, a free one, is 1 [N, N m] */
    double low[SCREE_DIM_MAX], high[SCREE_DIM_MAX];
} scree_contact_family;

/// `p` is a solution, of scree_contact_solve say.                                                       src/laws/family.c
SCREE_API scree_contact_family scree_contact_family_of(const scree_contact *contact, const double *p);

/// True if one solution is proved at little cost: W definite and the law convex, or two spheres, or psi falls for this q, or
/// `(W^-1)_NN (mu lmax(W_TT)^1/2 + rho lmax(W_RR)^1/2 + sigma W_SS^1/2)^2 < 4`.          docs/math/one-contact.md
SCREE_API int scree_contact_unique(const scree_contact *contact);

#ifdef __cplusplus
}
#endif
#endif
