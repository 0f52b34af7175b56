/* bench_solve.c: `scree bench solve`: every solver on every problem file to every tolerance.
 *
 * The cost of a run is the wall clock of create and solve from zero reactions, the least of the repeats; a run counts as solved
 * if the residual, recomputed from the data, is at or below the tolerance. Performance profiles are those of Dolan and More
 * (2002): with t_ps the cost of solver s on problem p,
 *
 *     rho_s(tau) = part of all problems with t_ps <= tau min over solvers of t_p
 *
 * so that rho_s(1) is how often s is the fastest and rho_s(infinity) how often it solves at all. */
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/plot.h"
#include "cli/solvers.h"

#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "usage: scree bench solve FOLDER|FILE... [OPTION]...\n"
    "\n"
    "Solves every problem file with every solver to every tolerance, and compares. Folders are searched for .dat, "
    ".hdf5\n"
    "and .h5 files. Prints for each tolerance how many problems each solver solved, how often it was the fastest "
    "('wins')\n"
    "and how often within twice the fastest time.\n"
    "\n"
    "options:\n"
    "  --solvers A,B,..  default: all that 'scree solvers' lists\n"
    "  --tols X,Y,..     tolerances (default 1e-4,1e-8,1e-12)\n"
    "  --time-limit S    seconds that a solver may take on a problem (default 10)\n"
    "  --repeat N        runs of each, the least time counts (default 3; no further run after a second)\n"
    "  --law L           coulomb (default) or convex\n"
    "  --threads N       threads (default 1)\n"
    "  --set NAME=V      an option of the solvers; may be repeated\n"
    "  --curves          for each problem also a plot of the residual over time, and its figures\n"
    "  -o DIR            write DIR/solve.csv, DIR/table.md, DIR/profile-TOL.svg, DIR/curve-PROBLEM.svg and .csv;\n"
    "                    plots also as .png where gnuplot is installed\n"
    "  --json            one JSON object on standard output instead of the tables\n"
    "  --help            this text\n"
    "\n"
    "A solver that runs out of time at one tolerance is not asked for a smaller one. Ctrl-C ends the measurement; what "
    "has\n"
    "been measured is still printed and written.\n"
    "exit status: 0 done; 1 interrupted; 2 wrong usage; 3 a file could not be read (the others are measured); 4 "
    "machine\n"
    "             failure\n"
    "\n"
    "example:\n"
    "  scree bench solve problems/ --tols 1e-4,1e-8 -o out/\n";

enum { SOLVERS_MAX = 32, TOLERANCES_MAX = 16, CURVE_POINTS = 1500 };

typedef struct run {
    int done; /* 0: not measured                                    */
    int unsupported;
    scree_outcome outcome;
    int solved, iterations;
    double residual;               /* recomputed                    */
    double seconds, setup_seconds; /* of the fastest repeat         */
} run;

typedef struct problem_facts {
    char *file;
    const char *name; /* without folder */
    int contacts, dim, read;
} problem_facts;

typedef struct study {
    const char *dir;
    int solver_count, tolerance_count, file_count, file_capacity;
    const char *solver[SOLVERS_MAX];
    double tolerance[TOLERANCES_MAX]; /* descending */
    problem_facts *file;
    run *runs; /* [file][solver][tolerance] */
    scree_solver_options options;
    scree_law law;
    int repeat, curves, failure; /* failure: exit status of the worst thing that happened */
    char machine[80];
    FILE *csv;
} study;

static run *run_at(const study *s, int file, int solver, int tolerance)
{
    return &s->runs[((size_t)file * (size_t)s->solver_count + (size_t)solver) * (size_t)s->tolerance_count +
                    (size_t)tolerance];
}

/// "1e-4" rather than "0.0001", so that tolerances read alike in tables and file names.
static const char *tolerance_name(const study *s, int tolerance, char name[24])
{
    int exponent = (int)floor(log10(s->tolerance[tolerance]) + 1e-9);
    snprintf(name, 24, "%.3ge%d", s->tolerance[tolerance] / pow(10.0, exponent), exponent);
    return name;
}

static double cost(const run *r)
{
    return fmax(r->seconds + r->setup_seconds, 1e-7); /* what a clock can tell */
}

static int fail(study *s, int code)
{
    if (code > s->failure) s->failure = code;
    return code;
}

static int out_of_memory(study *s)
{
    fprintf(stderr, "scree bench solve: error: out of memory\n");
    return fail(s, CLI_MACHINE);
}

/* ---- files ---------------------------------------------------------------------------------------------------------- */

static int is_problem(const char *name)
{
    static const char *const known[] = {".dat", ".hdf5", ".h5"};
    const char *dot = strrchr(name, '.');
    for (int k = 0; dot && k < 3; ++k)
        if (strcmp(dot, known[k]) == 0) return 1;
    return 0;
}

static int add_file(study *s, const char *path)
{
    if (s->file_count == s->file_capacity) {
        int capacity = 2 * s->file_capacity + 16;
        problem_facts *more = realloc(s->file, (size_t)capacity * sizeof *more);
        if (!more) return out_of_memory(s);
        s->file = more, s->file_capacity = capacity;
    }
    problem_facts f = {.file = strdup(path)};
    if (!f.file) return out_of_memory(s);
    f.name = strrchr(f.file, '/') ? strrchr(f.file, '/') + 1 : f.file;
    s->file[s->file_count++] = f;
    return CLI_GO_ON;
}

static int add_folder(study *s, const char *path)
{
    DIR *folder = opendir(path);
    int code = CLI_GO_ON;
    if (!folder) {
        fprintf(stderr, "%s: error: cannot open the folder: %s\n", path, strerror(errno));
        return fail(s, CLI_BAD_INPUT);
    }
    for (struct dirent *entry; code == CLI_GO_ON && (entry = readdir(folder)) != NULL;) {
        char child[4096];
        struct stat about;
        if (entry->d_name[0] == '.') continue;
        int n = snprintf(child, sizeof child, "%s/%s", path, entry->d_name);
        if (n < 0 || (size_t)n >= sizeof child || stat(child, &about) != 0) continue;
        if (S_ISDIR(about.st_mode)) code = add_folder(s, child);
        else if (is_problem(child)) code = add_file(s, child);
    }
    closedir(folder);
    return code;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const problem_facts *)a)->file, ((const problem_facts *)b)->file);
}

static int find_files(study *s, char *const *operand, int count)
{
    for (int k = 0; k < count; ++k) {
        struct stat about;
        int code = CLI_GO_ON;
        if (stat(operand[k], &about) == 0 && S_ISDIR(about.st_mode)) {
            char path[4096];
            snprintf(path, sizeof path, "%s", operand[k]);
            for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; --n) path[n - 1] = '\0';
            code = add_folder(s, path);
        } else code = add_file(s, operand[k]);
        if (code != CLI_GO_ON) return code;
    }
    if (s->file_count == 0) {
        fprintf(stderr, "scree bench solve: error: no .dat, .hdf5 or .h5 file found\n");
        return CLI_BAD_INPUT;
    }
    qsort(s->file, (size_t)s->file_count, sizeof *s->file, by_path);
    return CLI_GO_ON;
}

/// DIR and the folders above it.
static int make_folder(const char *path)
{
    char part[4096];
    size_t length = strlen(path);
    if (length >= sizeof part) return 0;
    for (size_t n = 1; n <= length; ++n) {
        if (path[n] != '/' && path[n] != '\0') continue;
        memcpy(part, path, n), part[n] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) return 0;
    }
    return 1;
}

static FILE *open_output(study *s, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", s->dir, name);
    FILE *f = fopen(path, "w");
    if (!f) {
        fprintf(stderr, "%s: error: cannot write the file: %s\n", path, strerror(errno));
        fail(s, CLI_MACHINE);
    }
    return f;
}

static void close_output(study *s, FILE *f, const char *name)
{
    if (!f || !(ferror(f) | fclose(f))) return;
    fprintf(stderr, "%s/%s: error: cannot write the file\n", s->dir, name);
    fail(s, CLI_MACHINE);
}

/* ---- measuring ------------------------------------------------------------------------------------------------------ */

static int on_interrupt(const scree_solve_info *info, void *context)
{
    (void)info, (void)context;
    return solvers_interrupted();
}

/// One solve from zero reactions. Returns CLI_GO_ON, or an exit status after saying why.
static int solve_once(const scree_problem *problem, const char *file, const scree_solver_options *options, double *p,
                      double *y, run *r)
{
    scree_solver *solver = NULL;
    scree_solve_info info;
    scree_error error = {.line = 0};
    memset(p, 0, (size_t)problem->row_count * sizeof *p);
    double begin = clock_seconds();
    scree_status status = scree_solver_create(problem, options, NULL, &solver, &error);
    double setup = clock_seconds() - begin;
    if (status == SCREE_OK) status = scree_solver_solve(solver, problem, p, &info);
    scree_solver_destroy(solver);
    if (status == SCREE_ERR_UNSUPPORTED) {
        r->done = r->unsupported = 1;
        return CLI_GO_ON;
    }
    if (status != SCREE_OK) {
        fprintf(stderr, "%s: %s: error: %s\n", file, options->name, error.text);
        return cli_exit_of(status);
    }
    if (solvers_interrupted() && info.outcome == SCREE_INTERRUPTED) return CLI_FELL_SHORT;
    if (r->done && setup + info.seconds >= r->seconds + r->setup_seconds) return CLI_GO_ON;
    r->done = 1, r->seconds = info.seconds, r->setup_seconds = setup;
    r->iterations = info.iterations, r->outcome = info.outcome;
    r->residual = scree_problem_residual(problem, p, y);
    r->solved = r->residual <= options->tolerance;
    if (r->solved) r->outcome = SCREE_CONVERGED;
    else if (r->outcome == SCREE_CONVERGED) r->outcome = SCREE_STALLED;
    return CLI_GO_ON;
}

static void write_csv_row(const study *s, int file, int solver, int tolerance)
{
    const run *r = run_at(s, file, solver, tolerance);
    const problem_facts *f = &s->file[file];
    char name[24];
    if (!s->csv || !r->done || r->unsupported) return;
    fprintf(s->csv, "\"%s\",%d,%s,%d,%d,%s,%.6e,%d,%.9f,%.9f,%s,%s,%s,%s\n", f->name, f->contacts, s->solver[solver],
            f->dim, s->options.threads, tolerance_name(s, tolerance, name), r->residual, r->iterations, r->seconds,
            r->setup_seconds, scree_outcome_name(r->outcome), solvers_law_name(s->law), s->machine, solvers_commit());
    fflush(s->csv);
}

/// One solver on one problem, all tolerances.
static int measure(study *s, const scree_problem *problem, int file, int solver, double *p, double *y)
{
    scree_solver_options options = s->options;
    options.name = s->solver[solver], options.interrupt = on_interrupt;
    for (int t = 0; t < s->tolerance_count; ++t) {
        run *r = run_at(s, file, solver, t);
        const run *before = t > 0 ? r - 1 : NULL;
        if (before && (before->unsupported || (!before->solved && before->outcome == SCREE_INTERRUPTED))) {
            *r = *before;
            write_csv_row(s, file, solver, t);
            continue;
        }
        options.tolerance = s->tolerance[t];
        double begin = clock_seconds();
        for (int k = 0; k < s->repeat && (k == 0 || clock_seconds() - begin < 1.0); ++k) {
            int code = solve_once(problem, s->file[file].file, &options, p, y, r);
            if (code != CLI_GO_ON) return code;
            if (r->unsupported) break;
        }
        write_csv_row(s, file, solver, t);
    }
    return CLI_GO_ON;
}

/* ---- curves --------------------------------------------------------------------------------------------------------- */

typedef struct curve {
    int count, stride, calls;
    int iteration[CURVE_POINTS];
    double seconds[CURVE_POINTS], residual[CURVE_POINTS];
} curve;

/// Keeps every stride-th point; when the room is full, every second of them goes and the stride doubles.
static void on_trace(const scree_solve_info *info, void *context)
{
    curve *c = context;
    if (c->calls++ % c->stride != 0) return;
    if (c->count == CURVE_POINTS) {
        for (int i = 0; i < CURVE_POINTS / 2; ++i) {
            c->iteration[i] = c->iteration[2 * i], c->seconds[i] = c->seconds[2 * i];
            c->residual[i] = c->residual[2 * i];
        }
        c->count = CURVE_POINTS / 2, c->stride *= 2;
    }
    c->iteration[c->count] = info->iterations, c->seconds[c->count] = fmax(info->seconds, 1e-7);
    c->residual[c->count++] = info->residual;
}

/// The point where the solve ended, which the stride may have left out.
static void end_curve(curve *c, const run *r)
{
    if (c->count == CURVE_POINTS) c->count -= 1;
    c->iteration[c->count] = r->iterations, c->seconds[c->count] = fmax(r->seconds, 1e-7);
    c->residual[c->count++] = r->residual;
}

static int draw_curves(study *s, const scree_problem *problem, int file, double *p, double *y)
{
    char stem[4096], name[512];
    plot_series series[SOLVERS_MAX];
    scree_error error = {.line = 0};
    curve *curves = calloc((size_t)s->solver_count, sizeof *curves);
    int drawn = 0, code = CLI_GO_ON;
    if (!curves) return out_of_memory(s);
    for (int k = 0; k < s->solver_count && code == CLI_GO_ON; ++k) {
        scree_solver_options options = s->options;
        run r = {.done = 0};
        curves[k].stride = 1;
        options.name = s->solver[k], options.interrupt = on_interrupt;
        options.trace = on_trace, options.context = &curves[k];
        options.tolerance = s->tolerance[s->tolerance_count - 1];
        code = solve_once(problem, s->file[file].file, &options, p, y, &r);
        if (code != CLI_GO_ON || r.unsupported) continue;
        end_curve(&curves[k], &r);
        series[drawn++] = (plot_series){s->solver[k], curves[k].count, curves[k].seconds, curves[k].residual};
    }
    snprintf(name, sizeof name, "curve-%.200s.csv", s->file[file].name);
    FILE *f = code == CLI_GO_ON ? open_output(s, name) : NULL;
    if (f) {
        fprintf(f, "file,solver,iteration,seconds,residual\n");
        for (int k = 0; k < s->solver_count; ++k)
            for (int i = 0; i < curves[k].count; ++i)
                fprintf(f, "\"%s\",%s,%d,%.9f,%.6e\n", s->file[file].name, s->solver[k], curves[k].iteration[i],
                        curves[k].seconds[i], curves[k].residual[i]);
        close_output(s, f, name);
        snprintf(name, sizeof name, "%.200s: %d contacts", s->file[file].name, s->file[file].contacts);
        plot picture = {.title = name,
                        .x_label = "seconds",
                        .y_label = "residual",
                        .x_scale = PLOT_LOG10,
                        .y_scale = PLOT_LOG10,
                        .series_count = drawn,
                        .series = series};
        snprintf(stem, sizeof stem, "%s/curve-%.200s", s->dir, s->file[file].name);
        if (plot_write(&picture, stem, &error) != SCREE_OK) {
            cli_print_error(&error, NULL, 0);
            fail(s, CLI_MACHINE);
        }
    }
    free(curves);
    return code;
}

/// All solvers on one file. Returns CLI_GO_ON, also where the file cannot be read (said, and kept in s->failure).
static int measure_file(study *s, int file)
{
    problem_facts *f = &s->file[file];
    scree_problem *problem = NULL;
    scree_error error = {.line = 0};
    scree_status status = scree_problem_read(f->file, SCREE_FILE_DETECT, NULL, &problem, &error);
    if (status != SCREE_OK) {
        cli_print_error(&error, NULL, 0);
        int code = fail(s, cli_exit_of(status));
        return code == CLI_MACHINE ? code : CLI_GO_ON;
    }
    problem->law = s->law;
    f->read = 1, f->contacts = problem->contact_count, f->dim = solvers_dim(problem);
    fprintf(stderr, "[%d/%d] %s: %d contacts\n", file + 1, s->file_count, f->name, f->contacts);
    double *p = calloc((size_t)problem->row_count + 1, sizeof *p),
           *y = calloc((size_t)problem->row_count + 1, sizeof *y);
    int code = p && y ? CLI_GO_ON : out_of_memory(s);
    for (int k = 0; k < s->solver_count && code == CLI_GO_ON; ++k) code = measure(s, problem, file, k, p, y);
    if (code == CLI_GO_ON && s->curves) code = draw_curves(s, problem, file, p, y);
    free(p);
    free(y);
    scree_problem_destroy(problem);
    return code;
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
static void write_scores(const study *s, FILE *out, int markdown)
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
static void print_failures(const study *s)
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

static void write_markdown(study *s)
{
    char name[24];
    FILE *out = open_output(s, "table.md");
    if (!out) return;
    fprintf(
        out,
        "# Solvers on stored contact problems\n\n"
        "Made by `scree bench solve`: commit %s, %s, law %s, %d thread%s, at most %g s each, least of %d runs.\n\n"
        "A cell is the time in seconds from zero reactions, set-up included; **bold** is the fastest of its row. In\n"
        "parentheses: not solved, the residual reached. A dash: the solver does not take this kind of problem. The\n"
        "residual is recomputed from the data. `time over the best` is the geometric mean over the problems solved.\n",
        solvers_commit(), s->machine, solvers_law_name(s->law), s->options.threads, s->options.threads > 1 ? "s" : "",
        s->options.time_limit, s->repeat);
    write_scores(s, out, 1);
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
    close_output(s, out, "table.md");
}

/* ---- performance profiles ------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

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

static void draw_profile(study *s, int tolerance)
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
        out_of_memory(s);
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
        fail(s, CLI_MACHINE);
    }
    free(values);
}

static void write_json(const study *s)
{
    json j = json_start(stdout);
    json_object(&j, NULL);
    json_text(&j, "machine", s->machine);
    json_text(&j, "commit", solvers_commit());
    json_text(&j, "law", solvers_law_name(s->law));
    json_integer(&j, "threads", s->options.threads);
    json_number(&j, "time_limit", s->options.time_limit);
    json_list(&j, "runs");
    for (int file = 0; file < s->file_count; ++file)
        for (int k = 0; k < s->solver_count; ++k)
            for (int t = 0; t < s->tolerance_count; ++t) {
                const run *r = run_at(s, file, k, t);
                if (!r->done || r->unsupported) continue;
                json_object(&j, NULL);
                json_text(&j, "file", s->file[file].name);
                json_integer(&j, "contacts", s->file[file].contacts);
                json_integer(&j, "dim", s->file[file].dim);
                json_text(&j, "solver", s->solver[k]);
                json_number(&j, "tolerance", s->tolerance[t]);
                json_number(&j, "residual", r->residual);
                json_text(&j, "outcome", scree_outcome_name(r->outcome));
                json_integer(&j, "iterations", r->iterations);
                json_number(&j, "seconds", r->seconds);
                json_number(&j, "setup_seconds", r->setup_seconds);
                json_close(&j);
            }
    json_close(&j);
    json_close(&j);
}

/* ---- the command ---------------------------------------------------------------------------------------------------- */

static int descending(const void *a, const void *b)
{
    return -ascending(a, b);
}

static int read_tolerances(study *s, const char *list)
{
    for (const char *at = list; *at;) {
        char *end;
        double x = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !isfinite(x) || x <= 0.0)
            return cli_usage("bench solve", "--tols is '%s', expected numbers above 0 with commas between", list);
        if (s->tolerance_count == TOLERANCES_MAX)
            return cli_usage("bench solve", "--tols has more than %d numbers", TOLERANCES_MAX);
        s->tolerance[s->tolerance_count++] = x;
        at = *end ? end + 1 : end;
    }
    if (s->tolerance_count == 0) return cli_usage("bench solve", "--tols is empty");
    qsort(s->tolerance, (size_t)s->tolerance_count, sizeof *s->tolerance, descending);
    return CLI_GO_ON;
}

/// Cuts the list in place.
static int read_solvers(study *s, char *list)
{
    for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
        int code = solvers_find("bench solve", name);
        if (code != CLI_GO_ON) return code;
        if (s->solver_count == SOLVERS_MAX)
            return cli_usage("bench solve", "--solvers has more than %d names", SOLVERS_MAX);
        s->solver[s->solver_count++] = name;
    }
    return s->solver_count > 0 ? CLI_GO_ON : cli_usage("bench solve", "--solvers is empty");
}

static void all_solvers(study *s)
{
    const scree_solver_class *c;
    while (s->solver_count < SOLVERS_MAX && (c = scree_solver_class_at(s->solver_count)) != NULL)
        s->solver[s->solver_count++] = scree_solver_class_name(c);
}

static int report(study *s, int as_json)
{
    if (as_json) write_json(s);
    else {
        printf("%s; commit %s; law %s; at most %g s each; least of %d runs\n", s->machine, solvers_commit(),
               solvers_law_name(s->law), s->options.time_limit, s->repeat);
        write_scores(s, stdout, 0);
        print_failures(s);
    }
    if (s->dir) {
        write_markdown(s);
        for (int t = 0; t < s->tolerance_count; ++t) draw_profile(s, t);
        fprintf(stderr, "written to %s: solve.csv, table.md, profile-*.svg%s\n", s->dir, s->curves ? ", curve-*" : "");
    }
    return s->failure;
}

static int measure_all(study *s)
{
    s->runs = calloc((size_t)s->file_count * (size_t)s->solver_count * (size_t)s->tolerance_count, sizeof *s->runs);
    if (!s->runs) return out_of_memory(s);
    if (s->dir && !make_folder(s->dir)) {
        fprintf(stderr, "%s: error: cannot make the folder: %s\n", s->dir, strerror(errno));
        return fail(s, CLI_MACHINE);
    }
    if (s->dir && !(s->csv = open_output(s, "solve.csv"))) return s->failure;
    if (s->csv)
        fprintf(s->csv,
                "file,contacts,solver,dim,threads,tolerance,residual,iterations,seconds,setup_seconds,outcome,law,"
                "machine,commit\n");
    solvers_catch_interrupt();
    int code = CLI_GO_ON;
    for (int file = 0; file < s->file_count && code == CLI_GO_ON; ++file) code = measure_file(s, file);
    if (code != CLI_GO_ON) fail(s, code);
    close_output(s, s->csv, "solve.csv");
    return CLI_GO_ON;
}

int cli_bench_solve(int argc, char **argv)
{
    static char command[] = "bench solve";
    const char *solvers = NULL, *tolerances = "1e-4,1e-8,1e-12", *law = NULL;
    cli_texts set = {0};
    study s = {.repeat = 3, .options = scree_solver_options_default()};
    int as_json = 0, operands;
    s.options.time_limit = 10.0;
    const cli_option options[] = {
        {"--solvers", CLI_TEXT, &solvers},
        {"--tols", CLI_TEXT, &tolerances},
        {"--time-limit", CLI_REAL, &s.options.time_limit},
        {"--repeat", CLI_COUNT, &s.repeat},
        {"--law", CLI_TEXT, &law},
        {"--threads", CLI_COUNT, &s.options.threads},
        {"--set", CLI_TEXTS, &set},
        {"--curves", CLI_FLAG, &s.curves},
        {"-o", CLI_TEXT, &s.dir},
        {"--json", CLI_FLAG, &as_json},
    };
    argv[0] = command;
    int code = cli_options(argc, argv, help, options, sizeof options / sizeof *options, &operands);
    if (code != CLI_GO_ON) return code;
    if (operands == 0) return cli_usage(command, "no FOLDER or FILE given");
    if (s.curves && !s.dir) return cli_usage(command, "--curves needs -o DIR");
    if (law) code = solvers_law(command, law, &s.law);
    for (int k = 0; k < set.count && code == CLI_GO_ON; ++k) code = solvers_set(command, set.text[k], &s.options);
    if (code == CLI_GO_ON) code = read_tolerances(&s, tolerances);
    char *names = solvers ? strdup(solvers) : NULL;
    if (code == CLI_GO_ON && solvers) code = names ? read_solvers(&s, names) : out_of_memory(&s);
    else if (code == CLI_GO_ON) all_solvers(&s);
    if (code == CLI_GO_ON) code = find_files(&s, argv + 1, operands);
    if (code == CLI_GO_ON) {
        solvers_machine(s.machine, sizeof s.machine);
        code = measure_all(&s);
    }
    if (code == CLI_GO_ON) code = report(&s, as_json);
    for (int k = 0; k < s.file_count; ++k) free(s.file[k].file);
    free(s.file);
    free(s.runs);
    free(names);
    return code;
}
