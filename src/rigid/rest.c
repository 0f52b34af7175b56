/* rest.c: islands that stand still, proved. An island: bodies that contacts and joints connect.
 *
 * A solver stops at a tolerance, so what it holds at rest goes on at the speed of that tolerance: a tower creeps. But whether an island
 * rests has an exact answer. Its velocity 0 solves the step if there are loads p with
 *
 *     v = v_free + M^-1 H p = 0      every body is in equilibrium                                                              (1)
 *     p in K                         every load within its cone, every bounded row within its bounds                           (2)
 *     law(w + C p, p)                what carries a load is closed: w holds gap/h, positions of joints, impacts                (3)
 *
 * (1) and (2) are asked to rounding. The sum of n terms is known to n eps times the sum of their sizes and no better (Higham, Accuracy
 * and Stability, 4.2), the terms themselves to less than TERM_ROUNDINGS eps; a v within that has no digit that means something, and 0
 * is as good an answer. Nothing larger is taken for 0: a body that is pushed by 1e-12 more than friction can hold moves. (3) is asked to the
 * tolerance of the solver, like every answer; so are gaps: what carries the load may be tolerance x h |v_free| apart, and stays so.
 * Loads that hold each other, as between two walls, can be of any size; beside huge ones every motion is rounding and every law met, so a
 * load larger than LARGEST times the push on the whole island proves nothing.
 * Where all three hold, 0 is a solution (the solution, under the convex law), p its loads, and the certificate is computed from them.
 *
 * First, on islands that did not move, the loads of the last step are tried, and others near them: they hold what nothing disturbs, to
 * the bit, and without a solve. Then, after the solve, on islands that are slow, loads near those of the solver. Near: the least change
 * that gives (1),
 *     min dp'D^-1 dp   with   T' dp = -v,    T = H' M^-1:      dp = D T x,   (T' D T) x = -v                                   (4)
 * by conjugate gradients with the blocks of the bodies as preconditioner. D is the room that the loads of a contact have in their cone
 * (cone_room), as in interior point methods: loads near the rim go along it. Those that leave K all the same are put back, and (4) is
 * solved again from there. This finds the equilibrium if there is one inside K. If there is none, the island keeps the answer of the
 * solver: nothing is lost but the time, which is bounded by VISITS of a contact in a step, and by trying many contacts more rarely.
 *
 * Where loads near those of the solver do not prove it they may be too far away: by the default tolerance, the loads in a tall tower may
 * be wrong by more than one of its planks weighs, and the tower creeps. So islands that were still before the step, or that are nearly at
 * rest in one of several rows of steps, are solved to WELL, and tried again. Where they come to rest nothing has to be solved from
 * there on.
 *
 * Islands with springs, motors, compliant contacts or anything that is driven are left to the solver: there slow is not at rest. */
#include "step/stepper_private.h"

#include "laws/maps.h"
#include "math/dense.h"
#include "problem/residual.h"
#include "problem/rigid.h"
#include "solvers/solver_private.h"

#include <string.h>

enum {
    TERM_ROUNDINGS = 8,
    PASSES = 40,
    VISITS = 1000000,  /* of a row by the conjugate gradients, in a step                */
    BLOCKS_EACH = 128, /* as many contacts are tried in every step; k times as many in every k-th */
    ITERATIONS_LEAST = 40,
    JUDGEMENT = 4, /* a judgement goes over all contacts of the world: counted as so many visits of each */
    BURST = 32,    /* steps in a row in which islands that are nearly at rest are solved well */
    BURSTS = 8     /* of so many such rows, one                                              */
};
static const double SLOW = 1e-2;     /* of what moves without loads                      */
static const double NEARLY = 0.5;    /* of what the loads of a step would move           */
static const double WELL = 1e-6;     /* residual from which loads of an equilibrium are found */
static const double NEAREST = 0.9;   /* of the rim                                       */
static const double LARGEST = 100.0; /* load of a contact, over the push on its island */

/// A block of rows of T, velocities of its two bodies per load, and the room D that its loads have.
typedef struct rest_block {
    int block, first, n, place[2]; /* place of its bodies in the vectors of (4), -1: none */
    double t[SCREE_DIM_MAX][2][6];
    double room[SCREE_DIM_MAX * SCREE_DIM_MAX]; /* (n x n) */
} rest_block;

/// One island of the step.
typedef struct rest_island {
    int eligible;      /* not left to the solver                     */
    int still;         /* no body moved before the impulses          */
    int open;          /* asked about, not known yet                 */
    int holds;         /* it rests                                   */
    int fails;         /* (1) or (2)                                 */
    double map, scale; /* squares of what (3) lacks, and of its size */
    double push;       /* sum of m |v_free|: all that loads have to stop */
} rest_island;

struct rest {
    int islands, *island; /* of each column                                         */
    rest_island *at;      /* (islands)                                              */
    double *p;            /* (rows) loads to go back to                             */
    double *answer;       /* (rows) loads as the solver left them                   */
    double *y;            /* (rows)                                                 */
    vec6 *v;              /* (columns)                                              */
    double (*size)[2];    /* (columns) sum of the sizes of what adds up in v, omega */
    int *terms;           /* (columns) and how many they are                        */
};

static rest_island *island_of_column(const step_context *s, int column)
{
    return &s->rest->at[s->rest->island[column]];
}

/// The island of a block of the problem.
static rest_island *island_of(const step_context *s, int block)
{
    int a = rigid_body_of(s->problem, block, 0);
    return island_of_column(s, a >= 0 ? a : rigid_body_of(s->problem, block, 1));
}

int rest_holds(const step_context *s, int column)
{
    return s->rest && island_of_column(s, column)->holds;
}

/* ---- which islands are asked about --------------------------------------------------------------------------------------------- */

static void exclude(const step_context *s, int body)
{
    if (body >= 0 && s->column[body] >= 0) island_of_column(s, s->column[body])->eligible = 0;
}

static int moves_before(const step_context *s, int body)
{
    for (int i = 0; i < 6; ++i)
        if (s->before[body][i] != 0.0) return 1;
    return 0;
}

static int is_driven_along(const step_context *s, int body)
{
    return body >= 0 && s->column[body] < 0 && moves_before(s, body);
}

static void exclude_pair(const step_context *s, int a, int b, int always)
{
    if (!always && !is_driven_along(s, a) && !is_driven_along(s, b)) return;
    exclude(s, a), exclude(s, b);
}

static scree_status islands_find(step_context *s)
{
    const scree_world *w = s->world;
    int n = s->dynamic_count, *of_body;
    struct rest *r;
    if (!STEP_ARRAY(s, 1, r) || !STEP_ARRAY(s, n, r->island) || !STEP_ARRAY(s, n, r->at) ||
        !STEP_ARRAY(s, s->problem_rows, r->p) || !STEP_ARRAY(s, s->problem_rows, r->answer) ||
        !STEP_ARRAY(s, s->problem_rows, r->y) || !STEP_ARRAY(s, n, r->v) || !STEP_ARRAY(s, n, r->size) ||
        !STEP_ARRAY(s, n, r->terms) || !STEP_ARRAY(s, w->body_count, of_body))
        return SCREE_ERR_MEMORY;
    s->rest = r;
    r->islands = scree_world_islands(w, of_body);
    for (int i = 0; i < r->islands; ++i) r->at[i] = (rest_island){.eligible = 1, .still = 1};
    for (int k = 0; k < n; ++k) {
        const double *inv_mass = s->problem->rigid_mass[k].inv_mass; /* 0 across the plane of a planar world */
        r->island[k] = of_body[s->dynamic[k]];
        if (moves_before(s, s->dynamic[k])) island_of_column(s, k)->still = 0;
        island_of_column(s, k)->push +=
            vec_norm(s->problem->v_free + 6 * (ptrdiff_t)k) / max2(inv_mass[0], max2(inv_mass[1], inv_mass[2]));
    }
    for (int row = 0; row < s->contact_count; ++row) {
        const scree_contact_point *touch = &w->contacts.touch[s->row_touch[row]];
        exclude_pair(s, touch->body_a, touch->body_b, s->row[row].compliance > 0.0);
    }
    for (int k = 0; k < s->line_count; ++k) {
        const scree_joint_def *def = &w->joint[s->line[k].joint].def;
        int load = s->line[k].row.load;
        exclude_pair(s, joint_body(def, 0), joint_body(def, 1),
                     load == SCREE_JOINT_ROW_SPRING || load == SCREE_JOINT_ROW_MOTOR);
    }
    return SCREE_OK;
}

/// Asks about the eligible islands that are not known to rest, or about those of them that were still.
static void open_islands(const struct rest *r, int still_only)
{
    for (int i = 0; i < r->islands; ++i)
        r->at[i].open = r->at[i].eligible && !r->at[i].holds && (r->at[i].still || !still_only);
}

/// Blocks of the problem that belong to open islands.
static int open_blocks(const step_context *s)
{
    int count = 0;
    for (int b = 0; b < s->problem->block_count; ++b) count += island_of(s, b)->open;
    return count;
}

/* ---- the proof ------------------------------------------------------------------------------------------------------------------- */

/// Adds an impulse of these sizes to the terms of a body.
static void add_term(const struct rest *r, int column, double push, double turn)
{
    if (column < 0) return;
    r->size[column][0] += push, r->size[column][1] += turn, r->terms[column] += 1;
}

/// Sizes of all that adds up in (1), body by body: 1/m and the norm of 1/I times the impulses.
static void sum_terms(const step_context *s)
{
    const scree_problem *problem = s->problem;
    const struct rest *r = s->rest;
    for (int k = 0; k < s->dynamic_count; ++k) r->size[k][0] = r->size[k][1] = 0.0, r->terms[k] = 0;
    for (int c = 0; c < problem->contact_count; ++c) {
        const scree_rigid_contact *contact = &problem->rigid[c];
        double push[3], turn[3];
        rigid_impulse(contact, &problem->cone[c], s->p + problem->offset[c], push, turn);
        double f = vec_norm(push), m = vec_norm(turn);
        add_term(r, contact->body_a, f, m + f * vec_norm(contact->arm_a));
        add_term(r, contact->body_b, f, m + f * vec_norm(contact->arm_b));
    }
    for (int b = 0; b < problem->bound_count; ++b) {
        const scree_rigid_row *row = &problem->rigid_row[b];
        double load = fabs(s->p[problem->offset[problem->contact_count + b]]);
        add_term(r, row->body_a, load * vec_norm(row->a), load * vec_norm(row->a + 3));
        add_term(r, row->body_b, load * vec_norm(row->b), load * vec_norm(row->b + 3));
    }
    for (int k = 0; k < s->dynamic_count; ++k) {
        const scree_rigid_mass *mass = &problem->rigid_mass[k];
        const double *free = problem->v_free + 6 * (ptrdiff_t)k, *before = s->before[s->dynamic[k]];
        r->size[k][0] = vec_norm(mass->inv_mass) * r->size[k][0] + vec_norm(free) + vec_norm(before);
        r->size[k][1] =
            norm(9, mass->inv_inertia) * r->size[k][1] + vec_norm(free + 3) + vec_norm(before + 3) * s->units.length;
    }
}

/// w + C p of a block: q, less what v_free does there.
static void velocity_at_rest(const step_context *s, int block, double y[SCREE_DIM_MAX])
{
    const scree_problem *problem = s->problem;
    int at = problem->offset[block], n = problem->offset[block + 1] - at;
    double u[3], turn[3], moves[SCREE_DIM_MAX] = {0.0};
    if (block < problem->contact_count) {
        rigid_relative_velocity(&problem->rigid[block], problem->v_free, u, turn);
        rigid_add_rows(&problem->rigid[block], &problem->cone[block], u, turn, moves);
    } else moves[0] = rigid_row_velocity(&problem->rigid_row[block - problem->contact_count], problem->v_free);
    for (int i = 0; i < n; ++i)
        y[i] = problem->q[at + i] - moves[i] + (problem->compliance ? problem->compliance[at + i] * s->p[at + i] : 0.0);
}

/// (1) for the bodies, (2) for the blocks and the sums of (3), of open islands, with the loads s->p. Those for which all hold rest, and are
/// closed. Returns 0 if none is open any more.
static int judge(const step_context *s)
{
    const scree_problem *problem = s->problem;
    const struct rest *r = s->rest;
    const double tolerance = s->report->tolerance, none[SCREE_DIM_MAX] = {0.0};
    int some = 0;
    problem_body_velocities(problem, s->p, r->v[0], s->product);
    sum_terms(s);
    for (int i = 0; i < r->islands; ++i) r->at[i].fails = 0, r->at[i].map = r->at[i].scale = 0.0;
    for (int k = 0; k < s->dynamic_count; ++k) {
        double rounding = DBL_EPSILON * (r->terms[k] + TERM_ROUNDINGS);
        int tiny = vec_norm(r->v[k]) <= rounding * r->size[k][0] && vec_norm(r->v[k] + 3) <= rounding * r->size[k][1];
        if (!tiny) island_of_column(s, k)->fails = 1;
    }
    for (int b = 0; b < problem->block_count; ++b) {
        rest_island *island = island_of(s, b);
        int at = problem->offset[b], n = problem->offset[b + 1] - at;
        const double *p = s->p + at, *q = problem->q + at;
        if (!island->open) continue;
        double y[SCREE_DIM_MAX], size = dot(n, p, p), outside = block_map_squared(problem, b, 1.0, p, none);
        int allowed = outside <= TERM_ROUNDINGS * TERM_ROUNDINGS * DBL_EPSILON * DBL_EPSILON * size;
        if (!allowed || !(sqrt(size) <= LARGEST * island->push)) island->fails = 1;
        velocity_at_rest(s, b, y);
        island->map += block_map_squared(problem, b, 1.0, p, y);
        island->scale += max2(size, dot(n, q, q));
    }
    for (int i = 0; i < r->islands; ++i) {
        rest_island *island = &r->at[i];
        if (!island->open) continue;
        island->holds = !island->fails && island->map <= tolerance * tolerance * island->scale;
        island->open = !island->holds;
        some |= island->open;
    }
    return some;
}

/// Loads of the islands that rest (`resting` 1) or of the others become those of r->p.
static void take_back(const step_context *s, int resting)
{
    const scree_problem *problem = s->problem;
    for (int b = 0; b < problem->block_count; ++b) {
        int at = problem->offset[b], n = problem->offset[b + 1] - at;
        if (island_of(s, b)->holds == resting) memcpy(s->p + at, s->rest->p + at, (size_t)n * sizeof *s->p);
    }
}

/* ---- loads near those of the solver (4) ---------------------------------------------------------------------------------------------- */

/// Bodies of open islands only: a few that stand still in a large world must not cost what the world does.
typedef struct gradients {
    int blocks, bodies, dofs;
    int *column, *place; /* (bodies) of the problem; (dynamic_count) of each column among them, -1: not open */
    rest_block *block;
    double *x, *residual, *direction, *product,
        *near;            /* (dofs); `near`: the residual times the inverse of the diagonal blocks */
    double (*factor)[36]; /* (bodies) Cholesky factors of these */
} gradients;

static void fill_block(const scree_problem *problem, const int *place, int block, rest_block *k)
{
    double J[SCREE_DIM_MAX * RIGID_DOF];
    k->block = block, k->first = problem->offset[block], k->n = problem->offset[block + 1] - k->first;
    memset(k->t, 0, sizeof k->t);
    for (int side = 0; side < 2; ++side) {
        int column = rigid_body_of(problem, block, side);
        k->place[side] = column >= 0 ? place[column] : -1;
        if (column < 0) continue;
        const scree_rigid_mass *mass = &problem->rigid_mass[column];
        rigid_block(problem, block, side, J);
        for (int i = 0; i < k->n; ++i) {
            for (int d = 0; d < 3; ++d) k->t[i][side][d] = mass->inv_mass[d] * J[RIGID_DOF * i + d];
            mat_apply(mass->inv_inertia, J + RIGID_DOF * i + 3, k->t[i][side] + 3);
        }
    }
}

static scree_status blocks_find(const step_context *s, gradients *g)
{
    if (!STEP_ARRAY(s, s->dynamic_count, g->place) || !STEP_ARRAY(s, s->dynamic_count, g->column))
        return SCREE_ERR_MEMORY;
    g->blocks = g->bodies = 0;
    for (int c = 0; c < s->dynamic_count; ++c) {
        g->place[c] = island_of_column(s, c)->open ? g->bodies : -1;
        if (g->place[c] >= 0) g->column[g->bodies++] = c;
    }
    g->dofs = 6 * g->bodies;
    if (!STEP_ARRAY(s, open_blocks(s), g->block) || !STEP_ARRAY(s, g->dofs, g->x) ||
        !STEP_ARRAY(s, g->dofs, g->residual) || !STEP_ARRAY(s, g->dofs, g->direction) ||
        !STEP_ARRAY(s, g->dofs, g->product) || !STEP_ARRAY(s, g->dofs, g->near) || !STEP_ARRAY(s, g->bodies, g->factor))
        return SCREE_ERR_MEMORY;
    for (int b = 0; b < s->problem->block_count; ++b)
        if (island_of(s, b)->open) fill_block(s->problem, g->place, b, &g->block[g->blocks++]);
    return SCREE_OK;
}

/// D of a contact: N x the inverse Hessian of its barrier  -log N - sum log((c N)^2 - |T|^2),  at N = 1 and T/N, T not closer to the rim
/// than NEAREST: a load near the rim may go along it and inwards, not out.
static void cone_room(const scree_cone *cone, const double *p, double *D)
{
    double H[SCREE_DIM_MAX * SCREE_DIM_MAX] = {0.0};
    int n = cone_dim(cone);
    memset(D, 0, (size_t)n * (size_t)n * sizeof *D);
    if (!(p[0] > 0.0)) return;
    H[0] = 1.0;
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += cone->size[k++]) {
        int size = cone->size[k];
        double c = max2(cone->coef[k], 1e-9), t[2], load = group_norm(size, p + at) / p[0];
        if (size == 0) continue;
        double shorten = load > NEAREST * c ? NEAREST * c / load : 1.0, f = c * c - load * load * shorten * shorten;
        for (int i = 0; i < size; ++i) t[i] = p[at + i] / p[0] * shorten;
        H[0] += 2.0 * c * c * (2.0 * c * c - f) / (f * f);
        for (int i = 0; i < size; ++i) {
            H[(at + i) * n] = -4.0 * c * c * t[i] / (f * f);
            for (int j = 0; j <= i; ++j)
                H[(at + i) * n + at + j] = 4.0 * t[i] * t[j] / (f * f) + (i == j ? 2.0 / f : 0.0);
        }
    }
    if (!cholesky_factor(n, n, H, 0.0, H)) return;
    for (int i = 0; i < n; ++i) {
        D[i * n + i] = p[0];
        cholesky_solve(n, n, H, D + (ptrdiff_t)i * n, D + (ptrdiff_t)i * n);
    }
}

/// D of the blocks of open islands; of the others nothing.
static void rooms_find(const step_context *s, const gradients *g)
{
    const scree_problem *problem = s->problem;
    double largest = 0.0;
    for (int i = 0; i < s->problem_rows; ++i) largest = max2(largest, fabs(s->p[i]));
    for (rest_block *k = g->block; k < g->block + g->blocks; ++k) {
        int bound = k->block - problem->contact_count;
        if (!island_of(s, k->block)->open) memset(k->room, 0, sizeof k->room);
        else if (bound < 0) cone_room(&problem->cone[k->block], s->p + k->first, k->room);
        else {
            double S = min2(problem->bound[bound], largest);
            k->room[0] = S - NEAREST * min2(fabs(s->p[k->first]), S);
        }
    }
}

/// load = D T x.
static void block_loads(const rest_block *k, const double *x, double load[SCREE_DIM_MAX])
{
    double rate[SCREE_DIM_MAX];
    for (int i = 0; i < k->n; ++i) {
        rate[i] = 0.0;
        for (int side = 0; side < 2; ++side)
            if (k->place[side] >= 0) rate[i] += dot(6, k->t[i][side], x + 6 * (ptrdiff_t)k->place[side]);
    }
    matvec_add(k->n, k->room, rate, NULL, load);
}

/// product = T' D T direction.
static void multiply(const gradients *g)
{
    memset(g->product, 0, (size_t)g->dofs * sizeof *g->product);
    for (const rest_block *k = g->block; k < g->block + g->blocks; ++k) {
        double load[SCREE_DIM_MAX];
        block_loads(k, g->direction, load);
        for (int i = 0; i < k->n; ++i)
            for (int side = 0; side < 2; ++side)
                for (int d = 0; k->place[side] >= 0 && d < 6; ++d)
                    g->product[6 * (ptrdiff_t)k->place[side] + d] += load[i] * k->t[i][side][d];
    }
}

/// Adds T' D T of a block to the diagonal block A of one of its bodies (lower triangle).
static void add_diagonal(const rest_block *k, int side, double A[36])
{
    double DT[SCREE_DIM_MAX][6];
    for (int i = 0; i < k->n; ++i)
        for (int d = 0; d < 6; ++d) {
            DT[i][d] = 0.0;
            for (int j = 0; j < k->n; ++j) DT[i][d] += k->room[i * k->n + j] * k->t[j][side][d];
        }
    for (int c = 0; c < 6; ++c)
        for (int d = 0; d <= c; ++d)
            for (int i = 0; i < k->n; ++i) A[6 * c + d] += k->t[i][side][c] * DT[i][d];
}

/// Right side and diagonal blocks of (4). What loads cannot turn or push has no diagonal: 1 there, and the rest is kept apart from 0.
static void begin_gradients(const step_context *s, const gradients *g)
{
    memset(g->factor, 0, (size_t)g->bodies * sizeof *g->factor);
    for (int i = 0; i < g->dofs; ++i) {
        int column = g->column[i / 6];
        g->x[i] = g->direction[i] = 0.0;
        g->residual[i] = island_of_column(s, column)->open ? -s->rest->v[column][i % 6] : 0.0; /* closed meanwhile: 0 */
    }
    for (const rest_block *k = g->block; k < g->block + g->blocks; ++k)
        for (int side = 0; side < 2; ++side)
            if (k->place[side] >= 0) add_diagonal(k, side, g->factor[k->place[side]]);
    for (int c = 0; c < g->bodies; ++c) {
        double *A = g->factor[c];
        for (int d = 0; d < 6; ++d) A[7 * d] = A[7 * d] > 0.0 ? A[7 * d] * (1.0 + 1e-8) : 1.0;
        if (cholesky_factor(6, 6, A, 0.0, A)) continue;
        memset(A, 0, sizeof *g->factor);
        for (int d = 0; d < 6; ++d) A[7 * d] = 1.0;
    }
}

/// Solves (4) to 1e-2 of its right side, for the projection will spoil more than that, or as far as the iterations go; these are returned.
static int run_gradients(const gradients *g, int most)
{
    double first = 0.0, last = 0.0;
    for (int k = 0; k < most; ++k) {
        double rho = 0.0, curvature = 0.0;
        for (int c = 0; c < g->bodies; ++c)
            cholesky_solve(6, 6, g->factor[c], g->residual + 6 * (ptrdiff_t)c, g->near + 6 * (ptrdiff_t)c);
        for (int i = 0; i < g->dofs; ++i) rho += g->residual[i] * g->near[i];
        if (k == 0) first = rho;
        if (!(rho > 1e-4 * first)) return k;
        for (int i = 0; i < g->dofs; ++i) g->direction[i] = g->near[i] + (k > 0 ? rho / last : 0.0) * g->direction[i];
        multiply(g);
        for (int i = 0; i < g->dofs; ++i) curvature += g->direction[i] * g->product[i];
        if (!(curvature > 0.0)) return k;
        for (int i = 0; i < g->dofs; ++i) {
            g->x[i] += rho / curvature * g->direction[i];
            g->residual[i] -= rho / curvature * g->product[i];
        }
        last = rho;
    }
    return most;
}

/// The load of a contact that is outside its cone goes as far inside as it was outside (as far as the cone goes): from the surface itself
/// the next solution of (4) would lead out again, a little less each time.
static void reflect(const scree_cone *cone, double *p)
{
    double nearest[SCREE_DIM_MAX], inside[SCREE_DIM_MAX];
    int n = cone_dim(cone);
    cone_project(cone, p, nearest);
    for (int i = 0; i < n; ++i) inside[i] = 2.0 * nearest[i] - p[i];
    cone_project(cone, inside, p);
}

/// The loads of open islands become loads that their laws allow.
static void put_inside(const step_context *s)
{
    const scree_problem *problem = s->problem;
    for (int b = 0; b < problem->block_count; ++b) {
        double *p = s->p + problem->offset[b];
        int bound = b - problem->contact_count;
        if (!island_of(s, b)->open) continue;
        if (bound < 0) reflect(&problem->cone[b], p);
        else *p = min2(max2(*p, -problem->bound[bound]), problem->bound[bound]);
    }
}

/// Closes islands that move, by the velocities of the last judgement.
static void close_moving(const step_context *s)
{
    const struct rest *r = s->rest;
    for (int i = 0; i < r->islands; ++i) r->at[i].scale = 0.0;
    for (int k = 0; k < s->dynamic_count; ++k) {
        double *scale = &island_of_column(s, k)->scale;
        *scale = max2(*scale, norm(6, s->problem->v_free + 6 * (ptrdiff_t)k));
    }
    for (int k = 0; k < s->dynamic_count; ++k)
        if (norm(6, r->v[k]) > SLOW * island_of_column(s, k)->scale) island_of_column(s, k)->open = 0;
}

/// One solution of (4), added to the loads. Returns the iterations it took.
static int improve(const step_context *s, const gradients *g, int iterations)
{
    rooms_find(s, g);
    begin_gradients(s, g);
    int taken = run_gradients(g, iterations);
    for (const rest_block *k = g->block; k < g->block + g->blocks; ++k) {
        double load[SCREE_DIM_MAX];
        block_loads(k, g->x, load);
        for (int i = 0; i < k->n; ++i) s->p[k->first + i] += load[i];
    }
    put_inside(s);
    return taken;
}

/// Which open islands rest, with the loads s->p or with others near them. The loads of those that do not are left as they were.
static scree_status search(const step_context *s)
{
    gradients g;
    if (open_blocks(s) == 0 || !judge(s)) return SCREE_OK;
    close_moving(s);
    int blocks = open_blocks(s), iterations = blocks > 0 ? VISITS / blocks : 0;
    if (iterations < ITERATIONS_LEAST) return SCREE_OK;
    if (blocks_find(s, &g) != SCREE_OK) return SCREE_ERR_MEMORY;
    memcpy(s->rest->p, s->p, (size_t)s->problem_rows * sizeof *s->p);
    for (int pass = 0; pass < PASSES && iterations > 0; ++pass) {
        int taken = improve(s, &g, iterations);
        if (!judge(s) || taken == 0) break;
        iterations -= taken + JUDGEMENT * s->problem->block_count / blocks;
    }
    take_back(s, 0);
    return SCREE_OK;
}

/* ---- in a step ----------------------------------------------------------------------------------------------------------------------- */

/// The residual with the loads s->p, if it is no larger than `most`. Else each island is good enough by itself, all together are not: then
/// none is said to rest, and 0 is returned.
static int together(step_context *s, double most)
{
    const struct rest *r = s->rest;
    double residual = problem_residual(s->problem, s->p, r->y, s->product);
    if (residual <= most) s->report->solve.residual = residual;
    for (int i = 0; i < r->islands && !(residual <= most); ++i) r->at[i].holds = 0;
    return residual <= most;
}

scree_status rest_recall(step_context *s)
{
    if (s->problem_rows == 0) return SCREE_OK;
    scree_status status = islands_find(s);
    if (status) return status;
    open_islands(s->rest, 1);
    status = search(s);
    if (status) return status;
    memcpy(s->rest->p, s->p, (size_t)s->problem_rows * sizeof *s->p);
    int all = 1;
    for (int b = 0; b < s->problem->block_count; ++b) all &= island_of(s, b)->holds;
    s->all_rest = all && together(s, s->report->tolerance);
    return SCREE_OK;
}

/// Closes islands in which a body is faster than NEARLY, of still ones 1, times the most that the loads of this step change a velocity.
static void close_fast(const step_context *s)
{
    const struct rest *r = s->rest;
    double length = s->units.length;
    for (int i = 0; i < r->islands; ++i) r->at[i].scale = 0.0;
    for (int k = 0; k < s->dynamic_count; ++k) {
        const double *free = s->problem->v_free + 6 * (ptrdiff_t)k, *before = s->before[s->dynamic[k]];
        double *scale = &island_of_column(s, k)->scale, change[6];
        for (int i = 0; i < 6; ++i) change[i] = free[i] - before[i] * (i < 3 ? 1.0 : length);
        *scale = max2(*scale, norm(6, change));
    }
    problem_body_velocities(s->problem, s->p, r->v[0], s->product);
    for (int k = 0; k < s->dynamic_count; ++k) {
        rest_island *island = island_of_column(s, k);
        if (norm(6, r->v[k]) > (island->still ? 1.0 : NEARLY) * island->scale) island->open = 0;
    }
}

/// Solves the problem to WELL from the loads s->p. What it takes is bounded by the solver.
static scree_status solve_well(step_context *s)
{
    scree_solver_options options = scree_solver_options_default();
    scree_solver *solver;
    options.name = "stepping", options.tolerance = WELL;
    scree_status status = solver_create_in(s->pool, s->problem, &options, &s->memory, &solver, s->error);
    if (status != SCREE_OK) return status;
    scree_solve_info info = solver_solve(solver, s->problem, s->p);
    scree_solver_destroy(solver);
    s->report->solve.iterations += info.iterations, s->report->solve.seconds += info.seconds;
    return status;
}

/// Islands that are nearly at rest and not proved to be: solved better, and tried again. All others keep their loads.
static scree_status settle(step_context *s)
{
    const struct rest *r = s->rest;
    const scree_problem *problem = s->problem;
    size_t bytes = (size_t)s->problem_rows * sizeof *s->p;
    double *first;
    int *asked;
    if (s->report->tolerance <= WELL) return SCREE_OK;
    open_islands(r, s->world->step_count / BURST % BURSTS != 0);
    if (open_blocks(s) == 0) return SCREE_OK;
    close_fast(s);
    int blocks = open_blocks(s);
    /* the whole problem would be solved for them: not for a few */
    if (2 * blocks < problem->block_count || VISITS / blocks < ITERATIONS_LEAST) return SCREE_OK;
    if (!STEP_ARRAY(s, s->problem_rows, first) || !STEP_ARRAY(s, r->islands, asked)) return SCREE_ERR_MEMORY;
    memcpy(first, s->p, bytes);
    for (int i = 0; i < r->islands; ++i) asked[i] = r->at[i].open;
    scree_status status = solve_well(s);
    if (status == SCREE_OK) status = search(s);
    if (status != SCREE_OK) return status;
    for (int b = 0; b < problem->block_count; ++b) {
        int at = problem->offset[b], n = problem->offset[b + 1] - at;
        if (!asked[island_of(s, b) - r->at]) memcpy(s->p + at, first + at, (size_t)n * sizeof *s->p);
    }
    double residual = problem_residual(problem, s->p, r->y, s->product);
    if (residual <= max2(s->report->tolerance, s->report->solve.residual)) {
        s->report->solve.residual = residual;
        return SCREE_OK;
    }
    for (int i = 0; i < r->islands; ++i) /* good enough by themselves, not together */
        if (asked[i]) r->at[i].holds = 0;
    memcpy(s->p, first, bytes);
    return SCREE_OK;
}

scree_status rest_prove(step_context *s)
{
    const struct rest *r = s->rest;
    size_t bytes = (size_t)s->problem_rows * sizeof *s->p;
    int some = 0;
    if (s->problem_rows == 0 || s->all_rest) return SCREE_OK;
    memcpy(r->answer, s->p, bytes);
    take_back(s, 1);
    open_islands(r, s->world->step_count % (1 + s->problem->block_count / BLOCKS_EACH) != 0);
    if (search(s) != SCREE_OK) return SCREE_ERR_MEMORY;
    for (int i = 0; i < r->islands; ++i) some |= r->at[i].holds;
    if (some && !together(s, max2(s->report->tolerance, s->report->solve.residual))) memcpy(s->p, r->answer, bytes);
    return settle(s);
}
