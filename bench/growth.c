/* growth.c: do sweeps, and the time of a contact, grow with the pile? Piles at rest (cli/pile.h) solved to 1e-6 by momentum on one thread, with
 * its elastic correction and without (a solve that gets no memory has none), in turns:
 *
 *     cold   from nothing: from the weight above each contact (docs/solvers/momentum.md)
 *     warm   from the reactions of that pile, when its grains move at random by 2 % of what gravity gives them in a step
 *
 *     bench/alone.sh growth [GRAINS]...
 *
 * Microseconds of processor time a contact, the least of three solves (one above 100,000 grains), making the solver included. */
#include "cli/pile.h"

#include <scree/solver.h>
#include <stdio.h>
#include <time.h>

static int refuses;

static void *alloc(size_t size, size_t alignment, void *context)
{
    const scree_allocator usual = scree_allocator_default();
    (void)context;
    return refuses ? NULL : usual.alloc(size, alignment, usual.context);
}

static void release(void *memory, void *context)
{
    const scree_allocator usual = scree_allocator_default();
    (void)context;
    usual.free(memory, usual.context);
}

/// Solves from p, `repeats` times; returns the least processor time [s].
static double solve(const scree_problem *problem, int correct, int repeats, double *p, int *sweeps)
{
    const int rows = scree_problem_parts(problem).row_count;
    const scree_allocator allocator = {alloc, release, NULL};
    scree_solver_options options = scree_solver_options_default();
    double least = 1e300, *start = malloc((size_t)rows * sizeof *start);
    memcpy(start, p, (size_t)rows * sizeof *start);
    options.name = "momentum", options.tolerance = 1e-6, options.allocator = &allocator, options.max_iterations = 5000;
    for (int k = 0; k < repeats; ++k) {
        scree_error error = {0};
        memcpy(p, start, (size_t)rows * sizeof *start);
        clock_t begin = clock();
        scree_solver *solver = scree_solver_create(problem, &options, &error);
        if (!solver) exit(4);
        refuses = !correct;
        scree_solve_info info = scree_solver_solve(solver, problem, p, &error);
        refuses = 0;
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        scree_solver_destroy(solver);
        least = seconds < least ? seconds : least,
        *sweeps = info.outcome == SCREE_OUTCOME_CONVERGED ? info.iterations : -1;
    }
    free(start);
    return least;
}

static scree_problem *problem_with(pile_def def, const pile *geometry, double moving)
{
    scree_problem *problem = NULL;
    def.moving = moving;
    if (pile_problem(&def, geometry, NULL, &problem) != SCREE_OK) exit(4);
    return problem;
}

int main(int argc, char **argv)
{
    const int usual[] = {2000, 20000, 60000, 200000, 340000};
    printf("%8s %9s %5s | %7s %7s | %7s %7s\n", "grains", "contacts", "start", "sweeps", "us", "without", "us");
    for (int i = 0; i < (argc > 1 ? argc - 1 : 5); ++i) {
        pile_def def = pile_def_default();
        pile geometry;
        def.grains = argc > 1 ? atoi(argv[1 + i]) : usual[i];
        if (!pile_build(&def, &geometry)) return 4;
        const int repeats = def.grains > 100000 ? 1 : 3;
        double *first = NULL;
        for (int warm = 0; warm < 2; ++warm) {
            scree_problem *problem = problem_with(def, &geometry, warm ? 0.02 : 0.0);
            scree_problem_view view = scree_problem_parts(problem);
            size_t rows = (size_t)view.row_count;
            double *p = calloc(rows, sizeof *p), us[2];
            int sweeps[2];
            for (int correct = 0; correct < 2; ++correct) { /* the last one is the start of the warm solves */
                if (warm) memcpy(p, first, rows * sizeof *p);
                else memset(p, 0, rows * sizeof *p);
                us[correct] = 1e6 * solve(problem, correct, repeats, p, &sweeps[correct]) / view.contact_count;
            }
            printf("%8d %9d %5s | %7d %7.1f | %7d %7.1f\n", def.grains, view.contact_count, warm ? "warm" : "cold",
                   sweeps[1], us[1], sweeps[0], us[0]);
            fflush(stdout);
            free(first), first = p;
            scree_problem_destroy(problem);
        }
        free(first), pile_free(&geometry);
    }
    return 0;
}
