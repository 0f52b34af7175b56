/* nsgs.c: nonsmooth Gauss-Seidel: one contact after the other, each solved given the others.           [AB] section 5.2, eq. 67
 *
 *     q_c = q + sum over other contacts of W_cj p_j,     p_c <- solution of y_c = W_cc p_c + q_c in the law,     next c
 *
 * Departs from [AB]: the local problem is solved exactly (laws, `exact`) instead of by a fixed point; bounded rows are clamps;
 * through the bodies the velocities of the bodies are kept up to date, so that a contact costs the same however many
 * neighbours it has; large problems are swept colour by colour, each colour by all threads, with the same bits for any
 * number of them; contacts that stopped changing may be skipped for some sweeps (`freeze`).
 * Options: relaxation, shuffle, local_method, freeze.
 *
 * Linear convergence at best, and on rank-deficient W (stacks of boxes) slowly: then use newton or auto. */
#include "solvers/solver_private.h"

#include "solvers/sweep.h"

#include <string.h>

typedef struct nsgs {
    sweep sweep;
    int *sleep; /* (block_count) sweeps to skip, for `freeze`           */
    local_solver local;
} nsgs;

static void destroy(scree_solver *s)
{
    nsgs *g = s->work;
    if (!g) return;
    sweep_destroy(&g->sweep, &s->allocator);
    memory_free(&s->allocator, g->sleep);
    local_destroy(&g->local, &s->allocator);
    memory_free(&s->allocator, g);
}

/// The quartics of [BD] take sliding alone and the Coulomb law.
static int local_method_fits(const scree_problem *problem, int method)
{
    int quartic = method == SCREE_CONTACT_QUARTIC_T || method == SCREE_CONTACT_QUARTIC_ALPHA;
    if (method < 0 || method >= SCREE_CONTACT_METHOD_COUNT) return 0;
    for (int c = 0; quartic && c < problem->contact_count; ++c) {
        const int *size = problem->cone[c].size;
        if (problem->law != SCREE_LAW_COULOMB || size[SCREE_FRICTION_SLIDE] != 2 || size[SCREE_FRICTION_ROLL] ||
            size[SCREE_FRICTION_SPIN])
            return 0;
    }
    return 1;
}

static scree_status create(scree_solver *s, scree_problem *problem, scree_error *error)
{
    if (!local_method_fits(problem, s->options.local_method)) {
        scree_error_set(
            error, NULL, 0, 0,
            "nsgs: the local method %d does not take these contacts; expected 0 (exact) to %d, and the quartics (1, 2) "
            "only for sliding in three dimensions with the Coulomb law",
            s->options.local_method, SCREE_CONTACT_METHOD_COUNT - 1);
        return SCREE_ERR_UNSUPPORTED;
    }
    nsgs *g = s->work = memory_array(&s->allocator, 1, sizeof *g);
    if (!g) return SCREE_ERR_MEMORY;
    g->sleep = memory_array(&s->allocator, (size_t)problem->block_count + 1, sizeof *g->sleep);
    scree_status status = g->sleep ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK) status = sweep_create(problem, s->options.shuffle, &s->allocator, &g->sweep);
    if (status != SCREE_OK) return status;
    return local_create(problem, (scree_contact_method)s->options.local_method, &s->allocator, &g->local);
}

static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    nsgs *g = s->work;
    const scree_solver_options *o = &s->options;
    const sweep_how how = {.relaxation = o->relaxation, .freeze = o->freeze, .sleep = g->sleep};
    int check_every = o->check_every > 0 ? o->check_every : 5;
    local_begin(&g->local, problem, s->pool);
    memset(g->sleep, 0, (size_t)problem->block_count * sizeof *g->sleep);

    while (!monitor_check(m, p)) {
        sweep_begin(&g->sweep, problem, p); /* velocities recomputed from p: rounding does not accumulate */
        for (int k = 0; k < check_every && m->iterations < m->max_iterations; ++k) {
            m->iterations += 1;
            sweep_all(&g->sweep, problem, &g->local, &how, s->pool, p);
        }
    }
}

const scree_solver_class solver_nsgs = {
    .name = "nsgs",
    .summary =
        "Gauss-Seidel over contacts, each solved exactly; both laws, bounded rows; good at 1e-4, slow on stiff stacks",
    .laws = LAW_BOTH,
    .takes_bounds = 1,
    .matrix_free = 1,
    .sweeps = 1,
    .threaded = 1,
    .forms_itself = 1,
    .default_iterations = 100000,
    .create = create,
    .solve = solve,
    .destroy = destroy,
};
