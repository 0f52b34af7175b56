/* sweep_device.c: sweeps of momentum over piles of spheres (cli/pile.h) on a GPU, beside the processor of the same machine:
 *
 *     bench/alone.sh sweep_device [gpu] [twin] [cpu=THREADS]... [moving] [spread] [GRAINS]...
 *
 * For each size and machine
 *     ns         of a sweep and contact: the difference between 40 and 240 sweeps, least of five
 *     fixed      ms of a solve with one sweep: layout, colours, copies, residual recomputed
 *     to 1e-4 and 1e-6: sweeps, and ms from nothing, making the solver included (the processor has its elastic correction, the GPU has not)
 *     hash       of the reactions at 1e-6, and after 50 sweeps. The same in repeats ("repeats"), on the GPU and on its twin. */
#include "cli/pile.h"

#include <scree/base.h>
#include <scree/solver.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct machine {
    char name[24];
    int device, threads;
} machine;

static double least_of(double a, double b)
{
    return a < b ? a : b;
}

static uint64_t hash_of(const double *p, int n)
{
    const unsigned char *byte = (const unsigned char *)p;
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < (size_t)n * sizeof *p; ++i) h = (h ^ byte[i]) * UINT64_C(1099511628211);
    return h;
}

typedef struct solved {
    scree_solve_info info;
    double seconds; /* making the solver included */
    uint64_t hash;
} solved;

static solved solve(const scree_problem *problem, const machine *m, double tolerance, int sweeps, double *p)
{
    const int rows = scree_problem_parts(problem).row_count;
    scree_solver_options o = scree_solver_options_default();
    scree_error error = {.text = ""};
    solved out;
    o.name = "momentum", o.device = m->device, o.threads = m->threads;
    o.tolerance = tolerance > 0.0 ? tolerance : 1e-300, o.check_every = tolerance > 0.0 ? 0 : 1000000;
    o.max_iterations = sweeps, o.time_limit = 60.0;
    memset(p, 0, (size_t)rows * sizeof *p);
    const double begin = scree_clock_seconds();
    scree_solver *solver = scree_solver_create(problem, &o, &error);
    out.info = scree_solver_solve(solver, problem, p, &error);
    scree_solver_destroy(solver);
    out.seconds = scree_clock_seconds() - begin;
    if (error.status != SCREE_OK) fprintf(stderr, "%s: %s\n", m->name, error.text), exit(4);
    out.hash = hash_of(p, rows);
    return out;
}

static void measure(const scree_problem *problem, const machine *m, double *p)
{
    const int contacts = scree_problem_parts(problem).contact_count, slow = m->device != 1;
    const int few = slow ? 5 : 40, many = slow ? 15 : 240, repeats = slow ? 2 : 5;
    double least = 1e300, most = 1e300, fixed = 1e300;
    solved fifty = solve(problem, m, 0.0, 50, p); /* the first one warms up */
    for (int k = 0; k < repeats; ++k) {
        fixed = least_of(fixed, solve(problem, m, 0.0, 1, p).seconds);
        least = least_of(least, solve(problem, m, 0.0, few, p).info.seconds);
        most = least_of(most, solve(problem, m, 0.0, many, p).info.seconds);
    }
    const double ns = 1e9 * (most - least) / (many - few) / contacts;
    solved rough = solve(problem, m, 1e-4, 20000, p), fine = solve(problem, m, 1e-6, 20000, p),
           again = solve(problem, m, 1e-6, 20000, p);
    const int same = again.hash == fine.hash && solve(problem, m, 0.0, 50, p).hash == fifty.hash;
    printf("%9d %-8s %8.3f %9.2f | %6d %9.2f | %6d %9.2f %8.1e | %016llx %016llx %s\n", contacts, m->name, ns,
           1e3 * fixed, rough.info.iterations, 1e3 * rough.seconds, fine.info.iterations,
           1e3 * least_of(fine.seconds, again.seconds), fine.info.residual, (unsigned long long)fine.hash,
           (unsigned long long)fifty.hash, same ? "repeats" : "DIFFERS");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    machine on[8];
    int machines = 0, moving = 0, spread = 0;
    printf("%9s %-8s %8s %9s | %6s %9s | %6s %9s %8s | %-16s %-16s\n", "contacts", "machine", "ns", "fixed ms", "1e-4",
           "ms", "1e-6", "ms", "residual", "hash at 1e-6", "after 50 sweeps");
    for (int i = 1; i < argc; ++i) {
        machine *m = &on[machines < 7 ? machines : 7];
        if (strcmp(argv[i], "gpu") == 0) *m = (machine){"gpu", 1, 1}, ++machines;
        else if (strcmp(argv[i], "twin") == 0) *m = (machine){"twin", 2, 1}, ++machines;
        else if (strncmp(argv[i], "cpu=", 4) == 0) {
            *m = (machine){.threads = atoi(argv[i] + 4)}, ++machines;
            snprintf(m->name, sizeof m->name, "cpu %d", m->threads);
        } else if (strcmp(argv[i], "moving") == 0) moving = 1;
        else if (strcmp(argv[i], "spread") == 0) spread = 1;
        else {
            pile_def def = pile_def_default();
            pile geometry;
            scree_problem *problem = NULL;
            def.grains = atoi(argv[i]), def.moving = moving, def.spread = spread ? 0.3 : 0.0;
            if (!pile_build(&def, &geometry) || pile_problem(&def, &geometry, NULL, &problem) != SCREE_OK) return 4;
            double *p = malloc((size_t)scree_problem_parts(problem).row_count * sizeof *p);
            for (int k = 0; p && k < machines; ++k) measure(problem, &on[k], p);
            free(p), scree_problem_destroy(problem), pile_free(&geometry);
        }
    }
    return 0;
}
