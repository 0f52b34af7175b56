/* threads.c: how much faster a contact problem and the steps of a pile become with more threads, stage by
 * stage, and whether all bits stay the same. It needs the library alone, so that it can be taken to any machine:
 *
 *     bench/alone.sh threads [MOST_THREADS [GRAINS]...]
 *
 * The problem is a pile at rest (cli/pile.h) to 1e-6, cold; the piles are those of `scree bench pile`, settled for SETTLE steps once and
 * loaded anew for each number of threads. Seconds are wall time, the least of REPEATS. */
#include "bench/bed.h"
#include "cli/pile.h"
#include "cli/vector.h"

#include <scree/solver.h>
#include <scree/stepper.h>
#include <stdio.h>
#include <time.h>

enum { SETTLE = 60, STEPS = 5, REPEATS = 3, STAGES = 4, SOLVED_GRAINS = 40000 };

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fail(const char *what, const scree_error *error)
{
    fprintf(stderr, "threads: %s: %s\n", what, error->text);
    return 4;
}

/// FNV-1a over doubles.
static uint64_t hash_of(const double *x, size_t count)
{
    uint64_t h = UINT64_C(14695981039346656037);
    const unsigned char *bytes = (const unsigned char *)x;
    for (size_t i = 0; i < count * sizeof *x; ++i) h = (h ^ bytes[i]) * UINT64_C(1099511628211);
    return h;
}

/* ---- one problem ----------------------------------------------------------------------------------------------------- */

static int solve_with(const scree_problem *problem, int rows, int threads, double *p, scree_solve_info *info,
                      double *seconds)
{
    scree_error error = {0};
    scree_solver_options options = scree_solver_options_default();
    options.name = "momentum", options.tolerance = 1e-6, options.threads = threads;
    *seconds = 1e300;
    for (int k = 0; k < REPEATS; ++k) {
        scree_solver *solver = scree_solver_create(problem, &options, &error);
        if (!solver) return fail("solver", &error);
        memset(p, 0, (size_t)rows * sizeof *p);
        double begin = now();
        *info = scree_solver_solve(solver, problem, p, &error);
        if (now() - begin < *seconds) *seconds = now() - begin;
        scree_solver_destroy(solver);
    }
    return 0;
}

static int bench_solve(int most)
{
    pile_def def = pile_def_default();
    pile geometry;
    scree_problem *problem = NULL;
    def.grains = SOLVED_GRAINS;
    if (!pile_build(&def, &geometry) || pile_problem(&def, &geometry, NULL, &problem) != SCREE_OK) return 4;
    scree_problem_view view = scree_problem_parts(problem);
    double *p = calloc((size_t)view.row_count + 1, sizeof *p), one = 0.0;
    printf("solve, %d contacts to 1e-6\n%8s %9s %7s %7s %9s  %s\n", view.contact_count, "threads", "ms", "times",
           "sweeps", "residual", "bits");
    for (int threads = 1; p && threads <= most; threads *= 2) {
        scree_solve_info info;
        double seconds;
        if (solve_with(problem, view.row_count, threads, p, &info, &seconds)) return 4;
        if (threads == 1) one = seconds;
        printf("%8d %9.1f %7.2f %7d %9.1e  %016llx\n", threads, 1e3 * seconds, one / seconds, info.iterations,
               info.residual, (unsigned long long)hash_of(p, (size_t)view.row_count));
        fflush(stdout);
    }
    free(p);
    pile_free(&geometry);
    scree_problem_destroy(problem);
    return 0;
}

/* ---- steps of a pile -------------------------------------------------------------------------------------------------- */

static scree_stepper *stepper_of(int threads, scree_error *error)
{
    scree_stepper_options options = scree_stepper_options_default();
    options.step = 5e-3, options.threads = threads, options.certify = 0;
    options.solver.tolerance = 1e-4;
    return scree_stepper_create(&options, error);
}

/// Least seconds of STEPS steps from the snapshot, and of its stages; sweeps of them all.
static int step_with(scree_world *world, const scree_snapshot *from, int threads, double *least, double stage[STAGES],
                     int *sweeps, double *residual)
{
    scree_error error = {0};
    *least = 1e300;
    for (int k = 0; k < REPEATS; ++k) {
        scree_stepper *stepper = stepper_of(threads, &error);
        double all = 0.0, part[STAGES] = {0};
        int count = 0;
        if (!stepper || scree_world_load(world, from, &error) != SCREE_OK) return fail("snapshot", &error);
        for (int i = 0; i <= STEPS; ++i) { /* the first makes memory */
            scree_step_report r = {0};
            double begin = now();
            if (scree_advance(stepper, world, 1, &r, &error) != SCREE_OK) return fail("step", &error);
            if (i == 0) continue;
            all += now() - begin, count += r.solve.iterations, *residual = r.solve.residual;
            part[0] += r.seconds_detect, part[1] += r.seconds_assemble;
            part[2] += r.seconds_solve, part[3] += r.seconds_update;
        }
        if (all < *least) memcpy(stage, part, sizeof part), *least = all;
        *sweeps = count;
        scree_stepper_destroy(stepper);
    }
    return 0;
}

static int bench_steps(int grains, int most)
{
    scree_error error = {0};
    scree_world_options world_options = scree_world_options_default();
    scree_world *world = scree_world_create(&world_options, &error);
    if (!world) return fail("world", &error);
    bench_bed_fill(world, grains, &error);
    scree_stepper *stepper = stepper_of(most, &error);
    if (!stepper || scree_advance(stepper, world, SETTLE, NULL, &error) != SCREE_OK) return fail("settling", &error);
    scree_snapshot *from = scree_world_save(world, NULL, &error);
    scree_stepper_destroy(stepper);
    if (!from) return fail("snapshot", &error);
    printf("step, %d grains, %d contacts; ms a step\n%8s %9s %7s %9s %9s %9s %9s %9s %7s %9s  %s\n", grains,
           scree_world_contact_count(world), "threads", "all", "times", "find", "make", "solve", "move", "other",
           "sweeps", "residual", "bits");
    double one = 0.0;
    for (int threads = 1; threads <= most; threads *= 2) {
        double least, stage[STAGES], residual = 0.0;
        int sweeps = 0;
        if (step_with(world, from, threads, &least, stage, &sweeps, &residual)) return 4;
        if (threads == 1) one = least;
        printf("%8d %9.2f %7.2f", threads, 1e3 * least / STEPS, one / least);
        double other = least;
        for (int i = 0; i < STAGES; ++i) printf(" %9.2f", 1e3 * stage[i] / STEPS), other -= stage[i];
        printf(" %9.2f %7d %9.1e  %016llx\n", 1e3 * other / STEPS, sweeps / STEPS, residual,
               (unsigned long long)scree_world_hash(world));
        fflush(stdout);
    }
    scree_snapshot_free(from);
    scree_world_destroy(world);
    return 0;
}

int main(int argc, char **argv)
{
    int most = argc > 1 ? atoi(argv[1]) : 16, status = bench_solve(most);
    const int usual[] = {10000, 100000};
    for (int k = 0; !status && argc <= 2 && k < 2; ++k) status = bench_steps(usual[k], most);
    for (int k = 2; !status && k < argc; ++k) status = bench_steps(atoi(argv[k]), most);
    return status;
}
