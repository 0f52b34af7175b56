/* bench_pile.c: `scree bench pile`: time and memory of a step for beds of spheres, from a thousand to a million, with the accuracy.
 *
 * A bed is 20 spheres deep whatever its size, so that cost per sphere can be compared: layers of a lattice with a little disorder,
 * on a floor between four walls, that fall a little and come to rest. The steps that are timed come after `settle` steps.
 * Memory is what world and stepper hold, counted in their allocator, at most. Nothing is written to disk. */
#include "bench/bed.h"
#include "bench/meter.h"
#include "cli/cli.h"
#include "cli/solvers.h"
#include "cli/system.h"
#include "cli/vector.h"

#include <math.h>
#include <scree/files.h>
#include <scree/stepper.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cli_about about = {
    .operands = "[GRAINS]...",
    .text = "Steps beds of GRAINS spheres (default: 1000 10000 100000), 20 deep, R 0.1 m, mu 0.5, rolling and "
            "spinning 0.1 R, h 5 ms, and prints for each:\n"
            "  contacts   points of contact at the end, and those that are active (normal force above 0)\n"
            "  ms         milliseconds of a step: minimum and mean; then the mean of finding contacts, making "
            "the problem, solving it, and new velocities and poses\n"
            "  ns         nanoseconds per contact and sweep of the solver\n"
            "  sweeps     of the solver in a step, mean\n"
            "  residual   of the contact law, worst of the timed steps; depth: deepest penetration, of R\n"
            "  kB         memory per sphere",
    .examples = "scree bench pile 10000 --threads 2",
};

/* ---- one row --------------------------------------------------------------------------------------------------------------- */

typedef struct settings {
    int settle, steps, threads, max_iterations;
    double tolerance;
} settings;

typedef struct row {
    int grains, contacts, active;
    double least, mean, detect, assemble, solve, update; /* seconds of a step */
    double sweeps, ns, residual, depth, bytes;
} row;

static scree_status measure(int grains, const settings *s, row *r, scree_error *error)
{
    meter m = {0, 0};
    const scree_allocator counted = meter_allocator(&m);
    scree_world_options world_options = scree_world_options_default();
    scree_stepper_options options = scree_stepper_options_default();
    scree_step_report report = {0};
    options.step = 5e-3, options.threads = s->threads, options.certify = 0;
    options.solver.tolerance = s->tolerance, options.solver.max_iterations = s->max_iterations;
    *r = (row){.grains = grains, .least = (double)INFINITY};
    world_options.allocator = options.allocator = &counted;
    scree_world *world = scree_world_create(&world_options, error);
    bench_bed_fill(world, grains, error);
    scree_stepper *stepper = scree_stepper_create(&options, error);
    scree_status status = error->status;
    for (int k = 0; k < s->settle && status == SCREE_OK; ++k) status = scree_advance(stepper, world, 1, &report, error);
    double work = 0.0;
    for (int k = 0; k < s->steps && status == SCREE_OK; ++k) {
        status = scree_advance(stepper, world, 1, &report, error);
        double part[4] = {report.seconds_detect, report.seconds_assemble, report.seconds_solve, report.seconds_update};
        double all = part[0] + part[1] + part[2] + part[3];
        r->least = fmin(r->least, all), r->mean += all / s->steps;
        r->detect += part[0] / s->steps, r->assemble += part[1] / s->steps;
        r->solve += part[2] / s->steps, r->update += part[3] / s->steps;
        r->sweeps += (double)report.solve.iterations / s->steps;
        work += (double)report.solve.iterations * report.contacts;
        r->residual = fmax(r->residual, report.solve.residual),
        r->depth = fmax(r->depth, report.penetration / BENCH_BED_RADIUS);
    }
    r->contacts = report.contacts, r->active = report.active;
    r->ns = work > 0.0 ? 1e9 * r->solve * s->steps / work : 0.0;
    r->bytes = (double)m.most / grains;
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
    return status;
}

/* ---- the command ------------------------------------------------------------------------------------------------------------ */

enum { TABLE, CSV, JSON };

static void print_row(int format, const row *r, const settings *s, scree_json *j)
{
    if (format == JSON) {
        scree_json_object(j, NULL);
        scree_json_integer(j, "grains", r->grains);
        scree_json_integer(j, "contacts", r->contacts);
        scree_json_integer(j, "active", r->active);
        scree_json_integer(j, "threads", s->threads);
        scree_json_number(j, "seconds_least", r->least);
        scree_json_number(j, "seconds_mean", r->mean);
        scree_json_number(j, "seconds_detect", r->detect);
        scree_json_number(j, "seconds_assemble", r->assemble);
        scree_json_number(j, "seconds_solve", r->solve);
        scree_json_number(j, "seconds_update", r->update);
        scree_json_number(j, "sweeps", r->sweeps);
        scree_json_number(j, "ns_per_contact_and_sweep", r->ns);
        scree_json_number(j, "residual", r->residual);
        scree_json_number(j, "depth", r->depth);
        scree_json_number(j, "bytes_per_grain", r->bytes);
        scree_json_close(j);
        return;
    }
    printf(format == CSV ? "%d,%d,%d,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.4g,%.4g,%.3e,%.3e,%.0f"
                         : "%8d %8d %8d %3d %9.2f %9.2f %8.2f %8.2f %8.2f %8.2f %7.1f %6.1f  %8.1e %8.1e",
           r->grains, r->contacts, r->active, s->threads, 1e3 * r->least, 1e3 * r->mean, 1e3 * r->detect,
           1e3 * r->assemble, 1e3 * r->solve, 1e3 * r->update, r->sweeps, r->ns, r->residual, r->depth, r->bytes);
    if (format == CSV) printf(",%s\n", cli_commit());
    else printf(" %6.2f\n", r->bytes / 1024.0);
    fflush(stdout);
}

int cli_bench_pile(int argc, char **argv)
{
    settings s = {100, 20, 1, 0, 1e-4};
    int as_csv = 0, as_json = 0, operands, number[SIZES_MAX] = {1000, 10000, 100000};
    /* clang-format off */
    const cli_option options[] = {
        {"--settle", "N", CLI_COUNT, &s.settle,
         .text = "steps before timing; default 100"},
        {"--steps", "N", CLI_COUNT, &s.steps,
         .text = "steps timed; default 20"},
        {"--tol", "X", CLI_POSITIVE, &s.tolerance,
         .text = "tolerance of the solver; default 1e-4"},
        {"--max-iter", "N", CLI_COUNT, &s.max_iterations,
         .text = "most sweeps in a step; default: the solver's"},
        {"--threads", "N", CLI_COUNT, &s.threads,
         .text = "threads; default 1"},
        {"--csv", NULL, CLI_FLAG, &as_csv,
         .text = "one line of comma-separated values per size"},
        {"--json", NULL, CLI_FLAG, &as_json,
         .text = "one JSON object on standard output, and nothing else there"},
    };
    /* clang-format on */
    int code = cli_options(argc, argv, &about, options, CLI_COUNT_OF(options), &operands);
    if (code != CLI_GO_ON) return code;
    if (as_csv && as_json) return cli_usage("bench pile", "--csv and --json exclude each other");
    int format = as_json ? JSON : as_csv ? CSV : TABLE, count = operands > 0 ? operands : 3;
    code = grains_read_all("bench pile", argv + 1, operands, number);
    if (code != CLI_GO_ON) return code;
    scree_json j = scree_json_start(stdout);
    if (format == JSON) scree_json_list(&j, NULL);
    if (format == CSV)
        printf("grains,contacts,active,threads,ms_least,ms_mean,ms_detect,ms_assemble,ms_solve,ms_update,sweeps,"
               "ns_per_contact_and_sweep,residual,depth,bytes_per_grain,commit\n");
    if (format == TABLE)
        printf("%8s %8s %8s %3s %9s %9s %8s %8s %8s %8s %7s %6s  %8s %8s %6s\n", "grains", "contacts", "loaded", "thr",
               "ms least", "ms mean", "find", "make", "solve", "move", "sweeps", "ns", "residual", "depth", "kB");
    for (int k = 0; k < count; ++k) {
        row r;
        scree_error error = {0};
        scree_status status = measure(number[k], &s, &r, &error);
        if (status != SCREE_OK) return meter_failed(status, &error);
        print_row(format, &r, &s, &j);
    }
    if (format == JSON) scree_json_close(&j);
    return CLI_DONE;
}
