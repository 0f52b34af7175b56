/* bench_study.c: tables, performance profiles and JSON of the runs of a study (bench_study.h).
 *
 * Performance profiles are those of Dolan and More (2002): with t_ps the cost of solver s on problem p,
 *
 *     rho_s(tau) = part of all problems with t_ps <= tau min over solvers of t_p
 *
 * so that rho_s(1) is how often s is the fastest and rho_s(infinity) how often it solves at all. */
#include "bench/bench_study.h"

#include "cli/draw/plot.h"
#include "cli/solvers.h"
#include "cli/system.h"

#include <scree/files.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

FILE *study_open(study *s, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", s->dir, name);
    FILE *f = fopen(path, "w");
    if (!f) {
        fprintf(stderr, "%s: error: cannot write the file: %s\n", path, strerror(errno));
        study_fail(s, CLI_MACHINE);
    }
    return f;
}

void study_close(study *s, FILE *f, const char *name)
{
    errno = 0;
    if (!f || !(ferror(f) | fclose(f))) return;
    fprintf(stderr, "%s/%s: error: cannot write the file: %s\n", s->dir, name, strerror(errno ? errno : EIO));
    study_fail(s, CLI_MACHINE);
}

/* ---- tables --------------------------------------------------------------------------------------------------------- */

/// Least cost of all solvers that solved the problem; infinite if none did.
static double best_cost(const study *s, int file, int tolerance)
{
    double best = INFINITY;
    for (int k = 0; k < s->solver_count; ++k) {
        const run *r = run_at(s, file, k, tolerance);
        if (r->done && r->solved) best = fmin(best, cost(r));
    }
    return best;
}

typedef struct score {
    int tried, solved, wins, near;
    double mean_ratio; /* geometric mean of cost over the least cost, of the problems solved */
} score;

static score score_of(const study *s, int solver, int tolerance)
{
    score c = {0};
    double logs = 0.0;
    for (int file = 0; file < s->file_count; ++file) {
        const run *r = run_at(s, file, solver, tolerance);
        if (!r->done || r->unsupported) continue;
        c.tried += 1;
        if (!r->solved) continue;
        double ratio = cost(r) / best_cost(s, file, tolerance);
        c.solved += 1, c.wins += ratio <= 1.0, c.near += ratio <= 2.0;
        logs += log(ratio);
    }
    c.mean_ratio = c.solved ? exp(logs / c.solved) : (double)NAN;
    return c;
}

/// The summary, as text for a terminal or as Markdown.
void study_write_scores(const study *s, FILE *out, int markdown)
{
    char name[24];
    for (int t = 0; t < s->tolerance_count; ++t) {
        fprintf(out, markdown ? "\n## Tolerance %s\n\n" : "\ntolerance %s\n", tolerance_name(s, t, name));
        fprintf(out,
                markdown ? "| solver | tried | solved | failed | wins | within 2x | time over the best |\n"
                           "|---|---|---|---|---|---|---|\n"
                         : "  %-14s %6s %7s %7s %6s %10s %15s\n",
                "solver", "tried", "solved", "failed", "wins", "within 2x", "time over best");
        for (int k = 0; k < s->solver_count; ++k) {
            score c = score_of(s, k, t);
            if (c.tried == 0) continue;
            fprintf(out,
                    markdown ? "| %s | %d | %d | %d | %d | %d | %.2f |\n" : "  %-14s %6d %7d %7d %6d %10d %15.2f\n",
                    s->solver[k], c.tried, c.solved, c.tried - c.solved, c.wins, c.near, c.mean_ratio);
        }
    }
}

/// Which problems each solver failed on, for the terminal.
void study_print_failures(const study *s)
{
    char name[24];
    int any = 0;
    for (int t = 0; t < s->tolerance_count; ++t)
        for (int k = 0; k < s->solver_count; ++k)
            for (int file = 0; file < s->file_count; ++file) {
                const run *r = run_at(s, file, k, t);
                if (!r->done || r->unsupported || r->solved) continue;
                if (!any++) printf("\nnot solved:\n");
                printf("  %-8s %-14s %-44s %-14s residual %.1e\n", tolerance_name(s, t, name), s->solver[k],
                       s->file[file].name, scree_outcome_name(r->outcome), r->residual);
            }
}

void study_write_markdown(study *s)
{
    char name[24];
    FILE *out = study_open(s, "table.md");
    if (!out) return;
    fprintf(
        out,
        "# Solvers on stored contact problems\n\n"
        "Made by `scree bench solve`: commit %s, %s, law %s, %d thread%s, at most %g s each, minimum of %d runs.\n\n"
        "A cell is the time in seconds from zero reactions, set-up included; **bold** is the fastest of its row. In\n"
        "parentheses: not solved, the residual reached. A dash: the solver does not take this kind of problem. The\n"
        "residual is recomputed from the data. `time over the best` is the geometric mean over the problems solved.\n",
        cli_commit(), s->machine, solvers_law_name(s->law), s->options.threads, s->options.threads > 1 ? "s" : "",
        s->options.time_limit, s->repeat);
    study_write_scores(s, out, 1);
    for (int t = 0; t < s->tolerance_count; ++t) {
        fprintf(out, "\n## Every problem at %s\n\n| problem | contacts | dim |", tolerance_name(s, t, name));
        for (int k = 0; k < s->solver_count; ++k) fprintf(out, " %s |", s->solver[k]);
        fprintf(out, "\n|---|---|---|");
        for (int k = 0; k < s->solver_count; ++k) fprintf(out, "---|");
        for (int file = 0; file < s->file_count; ++file) {
            if (!s->file[file].read) continue;
            double best = best_cost(s, file, t);
            fprintf(out, "\n| %s | %d | %d |", s->file[file].name, s->file[file].contacts, s->file[file].dim);
            for (int k = 0; k < s->solver_count; ++k) {
                const run *r = run_at(s, file, k, t);
                if (!r->done || r->unsupported) fprintf(out, " - |");
                else if (!r->solved) fprintf(out, " (%.0e) |", r->residual);
                else if (cost(r) <= best) fprintf(out, " **%.2g** |", cost(r));
                else fprintf(out, " %.2g |", cost(r));
            }
        }
        fprintf(out, "\n");
    }
    study_close(s, out, "table.md");
}

/* ---- performance profiles ------------------------------------------------------------------------------------------- */

/// rho_s as a staircase: (1, part at 1), then a step at each ratio, then flat to the right edge. Returns the points.
static int profile(const study *s, int solver, int tolerance, int problems, double right, double *x, double *y)
{
    int count = 0, points = 0;
    for (int file = 0; file < s->file_count; ++file) {
        const run *r = run_at(s, file, solver, tolerance);
        if (r->done && r->solved) y[count++] = cost(r) / best_cost(s, file, tolerance);
    }
    qsort(y, (size_t)count, sizeof *y, ascending);
    memcpy(x + 1, y, (size_t)count * sizeof *x);
    x[0] = 1.0, y[0] = 0.0, points = count + 1;
    for (int i = 1; i <= count; ++i) y[i] = (double)i / problems;
    for (int i = 1; i <= count && x[i] <= 1.0; ++i) y[0] = y[i];
    x[points] = right, y[points] = (double)count / problems;
    return points + 1;
}

void study_draw_profile(study *s, int tolerance)
{
    char stem[4096], title[160], name[24];
    plot_series series[SOLVERS_MAX];
    scree_error error = {.line = 0};
    int problems = 0, drawn = 0;
    double right = 16.0;
    for (int file = 0; file < s->file_count; ++file) {
        problems += s->file[file].read;
        for (int k = 0; k < s->solver_count; ++k) {
            const run *r = run_at(s, file, k, tolerance);
            if (r->done && r->solved) right = fmax(right, cost(r) / best_cost(s, file, tolerance));
        }
    }
    right = fmin(exp2(ceil(log2(right))), 4096.0);
    size_t room = (size_t)s->file_count + 2;
    double *values = calloc(2 * room * (size_t)s->solver_count, sizeof *values);
    if (!values) {
        study_out_of_memory(s);
        return;
    }
    for (int k = 0; k < s->solver_count && problems > 0; ++k) {
        if (score_of(s, k, tolerance).tried == 0) continue;
        double *x = values + 2 * room * (size_t)k, *y = x + room;
        int count = profile(s, k, tolerance, problems, right, x, y);
        series[drawn++] = (plot_series){s->solver[k], count, x, y};
    }
    snprintf(title, sizeof title, "Solved to %s within a multiple of the fastest time (%d problem%s)",
             tolerance_name(s, tolerance, name), problems, problems == 1 ? "" : "s");
    plot picture = {.title = title,
                    .x_label = "time over that of the fastest solver",
                    .y_label = "part of the problems",
                    .x_scale = PLOT_LOG2,
                    .x_min = 1.0,
                    .x_max = right,
                    .y_min = 0.0,
                    .y_max = 1.0,
                    .steps = 1,
                    .series_count = drawn,
                    .series = series};
    snprintf(stem, sizeof stem, "%s/profile-%s", s->dir, name);
    if (plot_write(&picture, stem, &error) != SCREE_OK) {
        cli_print_error(&error, NULL, 0);
        study_fail(s, CLI_MACHINE);
    }
    free(values);
}

void study_write_json(const study *s)
{
    scree_json j = scree_json_start(stdout);
    scree_json_object(&j, NULL);
    scree_json_text(&j, "machine", s->machine);
    scree_json_text(&j, "commit", cli_commit());
    scree_json_text(&j, "law", solvers_law_name(s->law));
    scree_json_integer(&j, "threads", s->options.threads);
    scree_json_number(&j, "time_limit", s->options.time_limit);
    scree_json_list(&j, "runs");
    for (int file = 0; file < s->file_count; ++file)
        for (int k = 0; k < s->solver_count; ++k)
            for (int t = 0; t < s->tolerance_count; ++t) {
                const run *r = run_at(s, file, k, t);
                if (!r->done || r->unsupported) continue;
                scree_json_object(&j, NULL);
                scree_json_text(&j, "file", s->file[file].name);
                scree_json_integer(&j, "contacts", s->file[file].contacts);
                scree_json_integer(&j, "dim", s->file[file].dim);
                scree_json_text(&j, "solver", s->solver[k]);
                scree_json_number(&j, "tolerance", s->tolerance[t]);
                scree_json_number(&j, "residual", r->residual);
                scree_json_text(&j, "outcome", scree_outcome_name(r->outcome));
                scree_json_integer(&j, "iterations", r->iterations);
                scree_json_number(&j, "seconds", r->seconds);
                scree_json_number(&j, "setup_seconds", r->setup_seconds);
                scree_json_close(&j);
            }
    scree_json_close(&j);
    scree_json_close(&j);
}
