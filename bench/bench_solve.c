/* bench_solve.c: `scree bench solve`: every solver on every problem file to every tolerance.
 *
 * The cost of a run is the wall clock of create and solve from zero reactions, the least of the repeats; a run counts as solved
 * if the residual, recomputed from the data, is at or below the tolerance. bench_study.c makes tables and performance
 * profiles of the runs. */
#include "bench/bench_study.h"
#include "cli/draw/plot.h"
#include "cli/solvers.h"
#include "cli/system.h"

#include <scree/files.h>

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const cli_about bench_about = {
    .operands = "FOLDER|FILE...",
    .text = "Solves every problem file with every solver to every tolerance, and compares. Folders are searched "
            "for .dat, .hdf5 and .h5 files. Prints for each tolerance how many problems each solver solved, how "
            "often it was the fastest ('wins') and how often within twice the fastest time.",
    .notes = "A solver that runs out of time at one tolerance is not tried at a smaller one. Ctrl-C ends the "
             "measurement; what has been measured is still printed and written.",
    .exits = "0 done; 1 interrupted; 2 wrong usage; 3 a file could not be read (the others are measured); 4 "
             "machine failure",
    .examples = "scree bench solve problems/ --tols 1e-4,1e-8 -o out/",
};

enum { CURVE_POINTS = 1500 };

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
        if (!more) return study_out_of_memory(s);
        s->file = more, s->file_capacity = capacity;
    }
    problem_facts f = {.file = strdup(path)};
    if (!f.file) return study_out_of_memory(s);
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
        return study_fail(s, CLI_BAD_INPUT);
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

/* ---- measuring ------------------------------------------------------------------------------------------------------ */

static int on_interrupt(const scree_solve_info *info, void *context)
{
    (void)info, (void)context;
    return cli_signal() != 0;
}

/// One solve from zero reactions. Returns CLI_GO_ON, or an exit status after saying why.
static int solve_once(const scree_problem *problem, const char *file, const scree_solver_options *options, double *p,
                      run *r)
{
    scree_error error = {0};
    memset(p, 0, (size_t)scree_problem_parts(problem).row_count * sizeof *p);
    double begin = scree_clock_seconds();
    scree_solver *solver = scree_solver_create(problem, options, &error);
    double setup = scree_clock_seconds() - begin;
    scree_solve_info info = scree_solver_solve(solver, problem, p, &error);
    scree_solver_destroy(solver);
    if (error.status == SCREE_ERR_UNSUPPORTED) {
        r->done = r->unsupported = 1;
        return CLI_GO_ON;
    }
    if (error.status != SCREE_OK) {
        fprintf(stderr, "%s: error: %s: %s\n", file, options->name, error.text);
        return cli_exit_of(error.status);
    }
    if (cli_signal() && info.outcome == SCREE_OUTCOME_INTERRUPTED) return CLI_FELL_SHORT;
    if (r->done && setup + info.seconds >= r->seconds + r->setup_seconds) return CLI_GO_ON;
    r->done = 1, r->seconds = info.seconds, r->setup_seconds = setup;
    r->iterations = info.iterations, r->outcome = info.outcome;
    r->residual = scree_problem_residual(problem, p, NULL);
    r->solved = r->residual <= options->tolerance;
    if (r->solved) r->outcome = SCREE_OUTCOME_CONVERGED;
    else if (r->outcome == SCREE_OUTCOME_CONVERGED) r->outcome = SCREE_OUTCOME_STALLED;
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
            r->setup_seconds, scree_outcome_name(r->outcome), solvers_law_name(s->law), s->machine, cli_commit());
    fflush(s->csv);
}

/// One solver on one problem, all tolerances.
static int measure(study *s, const scree_problem *problem, int file, int solver, double *p)
{
    scree_solver_options options = s->options;
    options.name = s->solver[solver], options.interrupt = on_interrupt;
    for (int t = 0; t < s->tolerance_count; ++t) {
        run *r = run_at(s, file, solver, t);
        const run *before = t > 0 ? r - 1 : NULL;
        if (before && (before->unsupported || (!before->solved && before->outcome == SCREE_OUTCOME_INTERRUPTED))) {
            *r = *before;
            write_csv_row(s, file, solver, t);
            continue;
        }
        options.tolerance = s->tolerance[t];
        double begin = scree_clock_seconds();
        for (int k = 0; k < s->repeat && (k == 0 || scree_clock_seconds() - begin < 1.0); ++k) {
            int code = solve_once(problem, s->file[file].file, &options, p, r);
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

static int draw_curves(study *s, const scree_problem *problem, int file, double *p)
{
    char stem[4096], name[512];
    plot_series series[SOLVERS_MAX];
    scree_error error = {.line = 0};
    curve *curves = calloc((size_t)s->solver_count, sizeof *curves);
    int drawn = 0, code = CLI_GO_ON;
    if (!curves) return study_out_of_memory(s);
    for (int k = 0; k < s->solver_count && code == CLI_GO_ON; ++k) {
        scree_solver_options options = s->options;
        run r = {.done = 0};
        curves[k].stride = 1;
        options.name = s->solver[k], options.interrupt = on_interrupt;
        options.trace = on_trace, options.context = &curves[k];
        options.tolerance = s->tolerance[s->tolerance_count - 1];
        code = solve_once(problem, s->file[file].file, &options, p, &r);
        if (code != CLI_GO_ON || r.unsupported) continue;
        end_curve(&curves[k], &r);
        series[drawn++] = (plot_series){s->solver[k], curves[k].count, curves[k].seconds, curves[k].residual};
    }
    snprintf(name, sizeof name, "curve-%.200s.csv", s->file[file].name);
    FILE *f = code == CLI_GO_ON ? study_open(s, name) : NULL;
    if (f) {
        fprintf(f, "file,solver,iteration,seconds,residual\n");
        for (int k = 0; k < s->solver_count; ++k)
            for (int i = 0; i < curves[k].count; ++i)
                fprintf(f, "\"%s\",%s,%d,%.9f,%.6e\n", s->file[file].name, s->solver[k], curves[k].iteration[i],
                        curves[k].seconds[i], curves[k].residual[i]);
        study_close(s, f, name);
        snprintf(name, sizeof name, "%.200s: %d contacts", s->file[file].name, s->file[file].contacts);
        plot picture = {.title = name,
                        .x_label = "seconds",
                        .y_label = "residual",
                        .x_scale = PLOT_LOG10,
                        .y_scale = PLOT_LOG10,
                        .series_count = drawn,
                        .series = series};
        snprintf(stem, sizeof stem, "%s/curve-%.200s", s->dir, s->file[file].name);
        if (!s->quiet) plot_write_text(&picture, 78, 18, stdout);
        if (plot_write(&picture, stem, &error) != SCREE_OK) {
            cli_print_error(&error, NULL, 0);
            study_fail(s, CLI_MACHINE);
        }
    }
    free(curves);
    return code;
}

/// All solvers on one file. Returns CLI_GO_ON, also where the file cannot be read (said, and kept in s->failure).
static int measure_file(study *s, int file)
{
    problem_facts *f = &s->file[file];
    scree_error error = {0};
    scree_problem *problem = scree_problem_read(f->file, NULL, &error);
    if (!problem) {
        cli_print_error(&error, NULL, 0);
        int code = study_fail(s, cli_exit_of(error.status));
        return code == CLI_MACHINE ? code : CLI_GO_ON;
    }
    scree_problem_set_law(problem, s->law);
    f->read = 1, f->contacts = scree_problem_parts(problem).contact_count, f->dim = solvers_dim(problem);
    fprintf(stderr, "[%d/%d] %s: %d contacts\n", file + 1, s->file_count, f->name, f->contacts);
    double *p = scree_problem_vector(problem, &error);
    int code = p ? CLI_GO_ON : study_out_of_memory(s);
    for (int k = 0; k < s->solver_count && code == CLI_GO_ON; ++k) code = measure(s, problem, file, k, p);
    if (code == CLI_GO_ON && s->curves) code = draw_curves(s, problem, file, p);
    scree_problem_vector_free(problem, p);
    scree_problem_destroy(problem);
    return code;
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
    int read = 0;
    for (int k = 0; k < s->file_count; ++k) read += s->file[k].read;
    if (read == 0) return s->failure; /* why, has been said */
    if (as_json) study_write_json(s);
    else {
        printf("%s; commit %s; law %s; at most %g s each; minimum of %d runs\n", s->machine, cli_commit(),
               solvers_law_name(s->law), s->options.time_limit, s->repeat);
        study_write_scores(s, stdout, 0);
        study_print_failures(s);
    }
    if (s->dir) {
        study_write_markdown(s);
        for (int t = 0; t < s->tolerance_count; ++t) study_draw_profile(s, t);
        fprintf(stderr, "written to %s: solve.csv, table.md, profile-*.svg%s\n", s->dir, s->curves ? ", curve-*" : "");
    }
    return s->failure;
}

static int measure_all(study *s)
{
    s->runs = calloc((size_t)s->file_count * (size_t)s->solver_count * (size_t)s->tolerance_count, sizeof *s->runs);
    if (!s->runs) return study_out_of_memory(s);
    scree_error error = {0};
    if (s->dir && scree_folder_make(s->dir, &error) != SCREE_OK) {
        cli_print_error(&error, NULL, 0);
        return study_fail(s, CLI_MACHINE);
    }
    if (s->dir && !(s->csv = study_open(s, "solve.csv"))) return s->failure;
    if (s->csv)
        fprintf(s->csv,
                "file,contacts,solver,dim,threads,tolerance,residual,iterations,seconds,setup_seconds,outcome,law,"
                "machine,commit\n");
    cli_catch_signals(0);
    int code = CLI_GO_ON;
    for (int file = 0; file < s->file_count && code == CLI_GO_ON; ++file) code = measure_file(s, file);
    if (code != CLI_GO_ON) study_fail(s, code);
    study_close(s, s->csv, "solve.csv");
    return CLI_GO_ON;
}

int cli_bench_solve(int argc, char **argv)
{
    const char *command = argv[0];
    const char *solvers = NULL, *tolerances = "1e-4,1e-8,1e-12", *law = NULL;
    cli_texts set = {0};
    study s = {.repeat = 3, .options = scree_solver_options_default()};
    int as_json = 0, operands;
    s.options.time_limit = 10.0;
    /* clang-format off */
    const cli_option options[] = {
        {"--solvers", "A,B,..", CLI_TEXT, &solvers,
         .text = "default: all that 'scree solvers' lists"},
        {"--tols", "X,Y,..", CLI_TEXT, &tolerances,
         .text = "tolerances; default 1e-4,1e-8,1e-12"},
        {"--time-limit", "T", CLI_POSITIVE, &s.options.time_limit,
         .text = "time that a solver may take on a problem; default 10 s", .unit = "s"},
        {"--repeat", "N", CLI_COUNT, &s.repeat,
         .text = "runs of each, the shortest time counts; default 3, and no further run after a second"},
        {"--law", NULL, CLI_WORD, &law,
         .text = "the friction law; default: coulomb", .words = solvers_laws},
        {"--threads", "N", CLI_COUNT, &s.options.threads,
         .text = "threads; default 1"},
        {"--set", "NAME=V", CLI_TEXTS, &set,
         .text = "an option of the solvers, as 'scree solvers' lists them; may be repeated"},
        {"--curves", NULL, CLI_FLAG, &s.curves,
         .text = "for each problem also a plot of the residual over time, and its figures"},
        {"-o", "DIR", CLI_PATH, &s.dir,
         .text = "write DIR/solve.csv, DIR/table.md, DIR/profile-TOL.svg, DIR/curve-PROBLEM.svg and .csv; plots also "
         "as .png"},
        {"--json", NULL, CLI_FLAG, &as_json,
         .text = "one JSON object on standard output instead of the tables"},
    };
    /* clang-format on */
    int code = cli_options(argc, argv, &bench_about, options, CLI_COUNT_OF(options), &operands);
    if (code != CLI_GO_ON) return code;
    if (operands == 0) return cli_usage(command, "no FOLDER or FILE given");
    s.quiet = as_json;
    if (s.curves && !s.dir) return cli_usage(command, "--curves needs -o DIR");
    if (law) s.law = solvers_law(law);
    for (int k = 0; k < set.count && code == CLI_GO_ON; ++k) code = solvers_set(command, set.text[k], &s.options);
    if (code == CLI_GO_ON) code = read_tolerances(&s, tolerances);
    char *names = solvers ? strdup(solvers) : NULL;
    if (code == CLI_GO_ON && solvers) code = names ? read_solvers(&s, names) : study_out_of_memory(&s);
    else if (code == CLI_GO_ON) all_solvers(&s);
    if (code == CLI_GO_ON) code = find_files(&s, argv + 1, operands);
    if (code == CLI_GO_ON) {
        cli_machine(s.machine, sizeof s.machine);
        code = measure_all(&s);
    }
    if (code == CLI_GO_ON) code = report(&s, as_json);
    for (int k = 0; k < s.file_count; ++k) free(s.file[k].file);
    free(s.file);
    free(s.runs);
    free(names);
    return code;
}
