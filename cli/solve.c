/* solve.c: `scree solve FILE`: reads a contact problem, solves it, prints how well, stores the reactions.
 *
 * Nothing a solver says about itself is printed as a result: residual and certificate are computed from the data of the file
 * and the reactions, by scree_problem_certify, after the solve. */
#include "cli/cli.h"
#include "cli/solvers.h"
#include "cli/system.h"

#include <errno.h>
#include <math.h>
#include <scree/files.h>
#include <scree/solver.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_settings(FILE *out)
{
    static char table[12000];
    fprintf(out, "names for --set, with their defaults:\n%s", solvers_describe_options(table, sizeof table));
}

static const cli_about about = {
    .operands = "FILE",
    .text = "Solves a problem of many contacts with friction: finds reactions p so that p and the velocities y = "
            "W p + q obey the law at every contact. FILE is Siconos text (.dat) or FCLIB (.hdf5), local (W, q) "
            "or global (M, H, f, w). Prints what was reached, with a certificate computed from the data: how far "
            "the solution is from the law, in physical units.",
    .notes = "Ctrl-C ends the solve with the best reactions so far; a second one ends the program.",
    .exits = "0 converged; 1 not converged, or no solution (the best reactions are still printed and stored); 2 "
             "wrong usage; 3 bad input; 4 machine failure",
    .examples = "scree solve tower.dat --tol 1e-10 --out p.txt",
    .appendix = print_settings,
};

enum { CARRIERS = 8 }; /* of the loads of a proof, named */

typedef struct settings {
    const char *solver, *law, *warm, *out, *trace, *device;
    int max_iterations, threads, local, global, certify, unique, smallest, json; /* 0: not given */
    double tolerance, time_limit;                                                /* 0: not given */
    cli_texts set;
} settings;

typedef struct answer {
    const char *file;
    scree_problem *problem;
    scree_problem_view view;
    double *p;
    double tolerance, setup_seconds; /* setup: scree_solver_create                       */
    scree_solve_info info;           /* outcome, iterations and seconds are the solver's  */
    scree_certificate certificate;   /* the rest is ours                                  */
    scree_infeasibility proof;       /* of an infeasible problem, and its loads (row_count), largest entry 1 */
    double *direction;
    scree_pointedness pointed; /* with --unique */
    int free_reactions;        /* with --unique; -1: not found, or no solution */
    scree_smallest smallest;   /* with --smallest                              */
} answer;

/// What the callbacks of a solve need.
typedef struct watch {
    FILE *trace; /* or NULL          */
    int progress;
    double shown; /* clock of the last progress line */
} watch;

/* ---- the options --------------------------------------------------------------------------------------------------- */

/// What a file name ends with, from its last dot; "" if it has none.
static const char *extension(const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    return dot && (!slash || dot > slash) ? dot : "";
}

static int is_text(const char *path)
{
    return strcmp(extension(path), ".txt") == 0;
}

static int known_output(const char *path)
{
    static const char *const known[] = {".txt", ".dat", ".hdf5", ".h5"};
    for (int k = 0; k < 4; ++k)
        if (strcmp(extension(path), known[k]) == 0) return 1;
    return 0;
}

/// Checks the options before anything is read; returns CLI_GO_ON or CLI_USAGE.
static int choose(const settings *s, scree_solver_options *options)
{
    *options = scree_solver_options_default();
    for (int k = 0; k < s->set.count; ++k) {
        int code = solvers_set("solve", s->set.text[k], options);
        if (code != CLI_GO_ON) return code;
    }
    if (s->solver) options->name = s->solver;
    if (s->tolerance > 0.0) options->tolerance = s->tolerance;
    if (s->max_iterations) options->max_iterations = s->max_iterations;
    if (s->time_limit > 0.0) options->time_limit = s->time_limit;
    if (s->threads) options->threads = s->threads;
    if (s->device && solvers_device(s->device) < 0)
        return cli_usage("solve", "--device is '%s', expected cpu or gpu", s->device);
    if (s->device) options->device = solvers_device(s->device);
    if (s->local && s->global) return cli_usage("solve", "--local and --global exclude each other");
    if (s->out && !known_output(s->out))
        return cli_usage("solve", "--out is '%s', expected a name ending in .txt, .hdf5, .h5 or .dat", s->out);
    if (s->certify && (s->solver || s->trace || s->max_iterations || s->time_limit > 0.0))
        return cli_usage("solve",
                         "--certify does not solve: no --solver, --max-iter, --time-limit or --trace goes with it");
    return s->certify ? CLI_GO_ON : solvers_find("solve", options->name);
}

/* ---- reactions as text --------------------------------------------------------------------------------------------- */

enum { TOKEN = 64 };

/// The next word of the file, with where it starts; comments run from '#' to the end of the line. Returns its length, 0 at the end.
static int next_word(FILE *f, int *line, int *column, char word[TOKEN], scree_error *at)
{
    int c, length = 0, comment = 0;
    while ((c = getc(f)) != EOF) {
        int space = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',';
        if (c == '#') comment = 1;
        if (c == '\n') *line += 1, *column = 0, comment = 0;
        else *column += 1;
        if (space || comment) {
            if (length > 0) break;
            continue;
        }
        if (length == 0) at->line = *line, at->column = *column;
        if (length < TOKEN - 1) word[length++] = (char)c;
    }
    word[length] = '\0';
    return length;
}

static scree_status read_reactions(const char *path, int rows, double *p, scree_error *error)
{
    FILE *f = fopen(path, "r");
    if (!f) {
        scree_error_set(error, path, 0, 0, "cannot open the file: %s", strerror(errno));
        return SCREE_ERR_FILE;
    }
    char word[TOKEN], *end;
    scree_error at = {.line = 1, .column = 1};
    scree_status status = SCREE_OK;
    int line = 1, column = 0, count = 0;
    while (status == SCREE_OK && next_word(f, &line, &column, word, &at) > 0) {
        double x = strtod(word, &end);
        if (*end || !isfinite(x)) {
            scree_error_set(error, path, at.line, at.column, "'%s' is not a finite number", word);
            status = SCREE_ERR_INPUT;
        } else if (count == rows) {
            scree_error_set(error, path, at.line, at.column, "more numbers than the %d rows of the problem", rows);
            status = SCREE_ERR_INPUT;
        } else p[count++] = x;
    }
    if (status == SCREE_OK && ferror(f)) {
        scree_error_set(error, path, 0, 0, "cannot read the file: %s", strerror(errno));
        status = SCREE_ERR_FILE;
    } else if (status == SCREE_OK && count < rows) {
        scree_error_set(error, path, line, 0, "%d numbers, expected one for each of the %d rows of the problem", count,
                        rows);
        status = SCREE_ERR_INPUT;
    }
    fclose(f);
    return status;
}

static scree_status write_reactions(const char *path, const scree_problem_view *problem, const double *p,
                                    scree_error *error)
{
    scree_new_file file;
    scree_status status = scree_file_begin(path, &file, error);
    if (status != SCREE_OK) return status;
    for (int b = 0; b < problem->block_count; ++b)
        for (int i = problem->offset[b]; i < problem->offset[b + 1]; ++i)
            fprintf(file.stream, "%.17g%c", p[i], i + 1 < problem->offset[b + 1] ? ' ' : '\n');
    return scree_file_end(&file, error);
}

/* ---- solving ------------------------------------------------------------------------------------------------------- */

static void on_residual(const scree_solve_info *info, void *context)
{
    watch *w = context;
    if (w->trace)
        fprintf(w->trace, "%d,%.9f,%.17g,%s\n", info->iterations, info->seconds, info->residual, info->solver);
    double now = w->progress ? scree_clock_seconds() : 0.0;
    if (!w->progress || now - w->shown < 0.25) return;
    w->shown = now;
    fprintf(stderr, "\r%-14s %9d iterations  residual %.2e  %.1f s ", info->solver, info->iterations, info->residual,
            info->seconds);
}

static int on_interrupt(const scree_solve_info *info, void *context)
{
    (void)info, (void)context;
    return cli_signal() != 0;
}

static void keep_proof(const scree_solver *solver, answer *a)
{
    const double *direction = NULL;
    const scree_infeasibility *proof = scree_solver_proof(solver, &direction);
    if (!proof) return;
    a->proof = *proof;
    a->direction = malloc((size_t)a->view.row_count * sizeof *direction + 1);
    if (a->direction) memcpy(a->direction, direction, (size_t)a->view.row_count * sizeof *direction);
}

/// Solves into a->p; the trace is closed and checked. Returns CLI_GO_ON or an exit status.
static int solve(const settings *s, scree_solver_options *options, answer *a)
{
    watch w = {.progress = isatty(STDERR_FILENO), .shown = scree_clock_seconds() + 0.75};
    scree_solver *solver = NULL;
    scree_error error = {.line = 0};
    scree_new_file trace = {.stream = NULL};
    if (s->trace && scree_file_begin(s->trace, &trace, &error) != SCREE_OK) {
        cli_print_error(&error, NULL, 0);
        return cli_exit_of(error.status);
    }
    w.trace = trace.stream;
    if (w.trace) fprintf(w.trace, "iteration,seconds,residual,solver\n");
    options->trace = on_residual, options->interrupt = on_interrupt, options->context = &w;
    cli_catch_signals(0);

    double begin = scree_clock_seconds();
    solver = scree_solver_create(a->problem, options, &error);
    a->setup_seconds = scree_clock_seconds() - begin;
    a->info = scree_solver_solve(solver, a->problem, a->p, &error);
    if (solver) keep_proof(solver, a);
    scree_solver_destroy(solver);

    if (w.progress && w.shown > begin + 0.75) fprintf(stderr, "\r%72s\r", "");
    if (error.status != SCREE_OK) {
        scree_file_abandon(&trace);
        fprintf(stderr, "%s: error: %s\n", a->file, error.text);
        return cli_exit_of(error.status);
    }
    if (!trace.stream || scree_file_end(&trace, &error) == SCREE_OK) return CLI_GO_ON;
    cli_print_error(&error, NULL, 0);
    return cli_exit_of(error.status);
}

/* ---- printing ------------------------------------------------------------------------------------------------------ */

static void print_cones(const scree_problem_view *problem)
{
    static const char *const names[SCREE_FRICTION_KINDS] = {"mu", "rolling", "spinning"};
    printf("components  "); /* all contacts of a file have as many */
    if (problem->contact_count > 0) printf("%d per contact", scree_cone_dim(&problem->cone[0]));
    else printf("none");
    printf("\nfriction    ");
    int written = 0;
    for (int k = 0; k < SCREE_FRICTION_KINDS; ++k) {
        double least = INFINITY, most = -INFINITY;
        for (int c = 0; c < problem->contact_count; ++c)
            if (problem->cone[c].size[k] > 0) {
                least = fmin(least, problem->cone[c].coef[k]), most = fmax(most, problem->cone[c].coef[k]);
            }
        if (most < 0.0) continue;
        printf("%s%s %g", written++ ? ", " : "", names[k], least);
        if (most > least) printf(" to %g", most);
    }
    printf("%s\n", written ? "" : "none");
}

static void print_at(const char *name, double value, const char *unit, int contact)
{
    printf("  %-18s %.3g%s%s", name, value, unit[0] ? " " : "", unit);
    if (contact >= 0) printf(", at contact %d", contact);
    printf("\n");
}

/// Blocks (contacts, then bounded rows) that carry most of the loads of the proof, largest first. Returns how many, at most `most`.
static int find_carriers(const answer *a, int most, int *carrier)
{
    const scree_problem_view *problem = &a->view;
    int count = 0;
    double size[CARRIERS];
    for (int b = 0; b < problem->block_count; ++b) {
        double square = 0.0;
        int at;
        for (int i = problem->offset[b]; i < problem->offset[b + 1]; ++i) square += a->direction[i] * a->direction[i];
        if (!(square > 1e-12)) continue;
        if (count < most) at = count++;
        else if (square > size[most - 1]) at = most - 1;
        else continue;
        for (; at > 0 && size[at - 1] < square; --at) size[at] = size[at - 1], carrier[at] = carrier[at - 1];
        size[at] = square, carrier[at] = b;
    }
    return count;
}

static void print_proof(const answer *a)
{
    const scree_problem_view *problem = &a->view;
    int carrier[CARRIERS], count;
    if (!a->proof.proved || !a->direction) return;
    count = find_carriers(a, CARRIERS, carrier);
    printf("\nno solution: these reactions move no body, the law allows them at any size, and q does negative work on "
           "them\n");
    for (int i = 0; i < count; ++i) {
        int b = carrier[i], is_contact = b < problem->contact_count;
        printf("  %s %-6d", is_contact ? "contact" : "row    ", is_contact ? b : b - problem->contact_count);
        for (int k = problem->offset[b]; k < problem->offset[b + 1]; ++k) printf(" %9.6f", a->direction[k]);
        printf("\n");
    }
    if (count == CARRIERS) printf("  ... (the %d largest)\n", CARRIERS);
    printf("  any solution would have reactions %.2g times those that stop each contact by itself\n", a->proof.margin);
}

static void write_proof(scree_json *j, const answer *a)
{
    const scree_problem_view *problem = &a->view;
    int carrier[CARRIERS], count;
    if (!a->proof.proved || !a->direction) {
        scree_json_null(j, "infeasibility");
        return;
    }
    count = find_carriers(a, CARRIERS, carrier);
    scree_json_object(j, "infeasibility");
    scree_json_number(j, "press", a->proof.press);
    scree_json_number(j, "motion", a->proof.motion);
    scree_json_number(j, "margin", a->proof.margin);
    scree_json_list(j, "carriers");
    for (int i = 0; i < count; ++i) {
        int b = carrier[i], at = problem->offset[b];
        scree_json_object(j, NULL);
        if (b < problem->contact_count) scree_json_integer(j, "contact", b);
        else scree_json_integer(j, "row", b - problem->contact_count);
        scree_json_numbers(j, "load", a->direction + at, problem->offset[b + 1] - at);
        scree_json_close(j);
    }
    scree_json_close(j);
    scree_json_numbers(j, "direction", a->direction, problem->row_count);
    scree_json_close(j);
}

static void print_certificate(const answer *a)
{
    const scree_certificate *t = &a->certificate;
    printf("\ncertificate (worst over all contacts, computed from the data)\n");
    print_at("penetration speed", t->penetration_speed, "m/s", t->penetration_contact);
    print_at("cone violation", t->cone_violation, "", t->cone_contact);
    print_at("slip at stick", t->slip_at_stick, "m/s", t->slip_contact);
    if (a->view.bound_count > 0) print_at("bound violation", t->bound_violation, "", -1);
    print_at("gap", t->gap, "J", -1);
    if (!isnan(t->duality_gap)) print_at("duality gap", t->duality_gap, "J", -1);
    print_at("scaled residual", t->scaled, "", -1);
    print_at("size of reactions", t->load_norm, "", -1);
    printf("  %-18s sliding %.6g J, rolling %.6g J, spinning %.6g J\n", "dissipation",
           t->dissipation[SCREE_FRICTION_SLIDE], t->dissipation[SCREE_FRICTION_ROLL],
           t->dissipation[SCREE_FRICTION_SPIN]);
    printf("  %-18s", "modes");
    for (int m = 0, seen = 0; m < SCREE_MODE_COUNT; ++m)
        if (t->mode_count[m] > 0) printf("%s %s %d", seen++ ? "," : "", scree_mode_name(m), t->mode_count[m]);
    printf("\n");
}

/// Tasora & Anitescu, theorems 1 and 2: what is known about other solutions.
static void print_unique(const answer *a)
{
    static const char *const pointed[] = {"not decided", "yes: some motion opens every contact",
                                          "no: some reactions in the cones move no body (a self-stress)"};
    printf("\nuniqueness\n  %-18s %s\n", "cone pointed", pointed[a->pointed.answer]);
    if (a->info.outcome != SCREE_OUTCOME_CONVERGED) return;
    printf("  %-18s %s\n", "velocities",
           a->view.law == SCREE_LAW_CONVEX ? "these alone (convex law)" : "not proved (Coulomb law)");
    if (a->free_reactions < 0) printf("  %-18s not found\n", "reactions");
    else if (a->free_reactions == 0) printf("  %-18s these alone, with these velocities\n", "reactions");
    else
        printf("  %-18s not determined: %d independent changes leave the velocities as they are\n", "reactions",
               a->free_reactions);
}

static void write_unique(scree_json *j, const answer *a)
{
    int solved = a->info.outcome == SCREE_OUTCOME_CONVERGED;
    scree_json_object(j, "uniqueness");
    if (a->pointed.answer == SCREE_POINTED_UNKNOWN) scree_json_null(j, "pointed");
    else scree_json_bool(j, "pointed", a->pointed.answer == SCREE_POINTED_YES);
    if (solved && a->view.law == SCREE_LAW_CONVEX) scree_json_bool(j, "velocities", 1);
    else scree_json_null(j, "velocities");
    if (a->free_reactions >= 0) scree_json_integer(j, "free_reactions", a->free_reactions);
    else scree_json_null(j, "free_reactions");
    scree_json_close(j);
}

static void print_smallest(const answer *a)
{
    if (!a->smallest.found) printf("\nsmallest reactions\n  not found: these are the solver's\n");
    else
        printf(
            "\nsmallest reactions with these velocities\n  %-18s %.6g J before, %.6g J now\n  %-18s %.3g m/s at most\n",
            "1/2 sum g p^2", a->smallest.before, a->smallest.after, "velocities moved", a->smallest.moved);
}

static void write_smallest(scree_json *j, const answer *a)
{
    scree_json_object(j, "smallest");
    scree_json_bool(j, "found", a->smallest.found);
    scree_json_number(j, "energy_before", a->smallest.before);
    scree_json_number(j, "energy", a->smallest.after);
    scree_json_number(j, "velocities_moved", a->smallest.moved);
    scree_json_close(j);
}

static void print_table(const answer *a, const settings *s)
{
    const scree_problem_view *problem = &a->view;
    printf("file        %s\ncontacts    %d\n", a->file, problem->contact_count);
    if (problem->bound_count > 0) printf("bounded     %d rows\n", problem->bound_count);
    print_cones(problem);
    printf("unknowns    %d\nlaw         %s\n", problem->row_count, solvers_law_name(problem->law));
    if (problem->W.value) printf("W           assembled, %d blocks\n", problem->W.start[problem->W.row_blocks]);
    else if (problem->coupled) printf("W           through a sparse M of %d degrees of freedom\n", problem->dof_count);
    else printf("W           through %d bodies, %d degrees of freedom\n", problem->body_count, problem->dof_count);
    if (s->certify) printf("solver      none: the reactions of %s\n", s->warm ? s->warm : "zero");
    else printf("solver      %s\n", a->info.solver);
    printf("outcome     %s\n", scree_outcome_name(a->info.outcome));
    if (!s->certify)
        printf("iterations  %d\nseconds     %.6g, and %.3g to set up\n", a->info.iterations, a->info.seconds,
               a->setup_seconds);
    printf("residual    %.3g (%s %g)", a->certificate.residual,
           a->certificate.residual <= a->tolerance ? "reached" : "asked:", a->tolerance);
    if (a->certificate.residual_contact >= problem->contact_count)
        printf(", worst at bounded row %d", a->certificate.residual_contact - problem->contact_count);
    else if (a->certificate.residual_contact >= 0) printf(", worst at contact %d", a->certificate.residual_contact);
    printf("\n");
    print_certificate(a);
    if (s->unique) print_unique(a);
    if (s->smallest) print_smallest(a);
    print_proof(a);
}

static void write_index(scree_json *j, const char *key, int contact)
{
    if (contact >= 0) scree_json_integer(j, key, contact);
    else scree_json_null(j, key);
}

static void write_certificate(scree_json *j, const scree_certificate *t)
{
    scree_json_object(j, "certificate");
    scree_json_number(j, "penetration_speed", t->penetration_speed);
    scree_json_number(j, "cone_violation", t->cone_violation);
    scree_json_number(j, "slip_at_stick", t->slip_at_stick);
    scree_json_number(j, "bound_violation", t->bound_violation);
    scree_json_number(j, "gap", t->gap);
    scree_json_number(j, "duality_gap", t->duality_gap);
    scree_json_number(j, "load_norm", t->load_norm);
    scree_json_object(j, "dissipation");
    scree_json_number(j, "sliding", t->dissipation[SCREE_FRICTION_SLIDE]);
    scree_json_number(j, "rolling", t->dissipation[SCREE_FRICTION_ROLL]);
    scree_json_number(j, "spinning", t->dissipation[SCREE_FRICTION_SPIN]);
    scree_json_close(j);
    scree_json_object(j, "modes");
    for (int m = 0; m < SCREE_MODE_COUNT; ++m)
        if (t->mode_count[m] > 0) scree_json_integer(j, scree_mode_name(m), t->mode_count[m]);
    scree_json_close(j);
    scree_json_object(j, "worst_contacts");
    write_index(j, "residual", t->residual_contact);
    write_index(j, "penetration_speed", t->penetration_contact);
    write_index(j, "cone_violation", t->cone_contact);
    write_index(j, "slip_at_stick", t->slip_contact);
    scree_json_close(j);
    scree_json_close(j);
}

static void write_json(const answer *a, const settings *s)
{
    const scree_problem_view *problem = &a->view;
    scree_json j = scree_json_start(stdout);
    scree_json_object(&j, NULL);
    scree_json_text(&j, "file", a->file);
    scree_json_integer(&j, "contacts", problem->contact_count);
    scree_json_integer(&j, "dim", solvers_dim(a->problem));
    scree_json_integer(&j, "rows", problem->row_count);
    scree_json_integer(&j, "bounded_rows", problem->bound_count);
    scree_json_text(&j, "form", problem->W.value ? "assembled" : "bodies");
    scree_json_text(&j, "law", solvers_law_name(problem->law));
    scree_json_text(&j, "solver", a->info.solver);
    scree_json_text(&j, "outcome", scree_outcome_name(a->info.outcome));
    scree_json_integer(&j, "iterations", a->info.iterations);
    scree_json_number(&j, "tolerance", a->tolerance);
    scree_json_number(&j, "residual", a->certificate.residual);
    scree_json_number(&j, "scaled_residual", a->certificate.scaled);
    scree_json_number(&j, "seconds", a->info.seconds);
    scree_json_number(&j, "setup_seconds", a->setup_seconds);
    write_certificate(&j, &a->certificate);
    if (s->unique) write_unique(&j, a);
    if (s->smallest) write_smallest(&j, a);
    write_proof(&j, a);
    scree_json_close(&j);
}

/* ---- the command --------------------------------------------------------------------------------------------------- */

static int complain(scree_status status, const scree_error *error)
{
    cli_print_error(error, NULL, 0);
    return cli_exit_of(status);
}

static int read_input(const settings *s, const char *path, answer *a)
{
    scree_error error = {0};
    scree_file_kind kind = s->local ? SCREE_FILE_LOCAL : s->global ? SCREE_FILE_GLOBAL : SCREE_FILE_DETECT;
    a->file = path;
    a->problem = scree_problem_read_as(path, kind, NULL, &error);
    if (!a->problem) return complain(error.status, &error);
    if (s->law) scree_problem_set_law(a->problem, solvers_law(s->law));
    a->view = scree_problem_parts(a->problem);
    a->p = scree_problem_vector(a->problem, &error);
    if (a->p && s->warm) error.status = read_reactions(s->warm, a->view.row_count, a->p, &error);
    return error.status == SCREE_OK ? CLI_GO_ON : complain(error.status, &error);
}

/// Certifies, stores and prints; returns the exit status.
static int finish(const settings *s, answer *a)
{
    scree_error error = {.line = 0};
    if (s->smallest && a->info.outcome != SCREE_OUTCOME_DIVERGED && !a->proof.proved)
        a->smallest = scree_problem_smallest_reactions(a->problem, a->p, &error);
    a->certificate = scree_problem_certify(a->problem, a->p, &error);
    if (error.status != SCREE_OK) return complain(error.status, &error);
    int reached = a->certificate.residual <= a->tolerance, code = CLI_DONE;
    /* where loads run away, the residual, which divides by them, says nothing */
    if (a->proof.proved || a->info.outcome == SCREE_OUTCOME_DIVERGED) reached = 0;
    if (reached) a->info.outcome = SCREE_OUTCOME_CONVERGED;
    else if (a->info.outcome == SCREE_OUTCOME_CONVERGED)
        a->info.outcome = SCREE_OUTCOME_STALLED; /* ours is the last word */
    a->free_reactions = -1;
    if (s->unique) {
        a->pointed = scree_problem_pointed(a->problem, NULL, &error);
        if (reached) a->free_reactions = scree_problem_free_reactions(a->problem, a->p, &error);
        if (error.status != SCREE_OK) return complain(error.status, &error);
    }
    if (s->json) write_json(a, s);
    else print_table(a, s);
    if (a->proof.proved) {
        fprintf(stderr, "%s: no solution: there are reactions that move no body and on which q does negative work\n",
                a->file);
        code = CLI_FELL_SHORT;
    } else if (!reached && s->certify) {
        fprintf(stderr, "%s: these reactions are no solution to %g: residual %.3g\n", a->file, a->tolerance,
                a->certificate.residual);
        code = CLI_FELL_SHORT;
    } else if (!reached) {
        fprintf(stderr, "%s: not solved to %g: %s, residual %.3g\n", a->file, a->tolerance,
                scree_outcome_name(a->info.outcome), a->certificate.residual);
        code = CLI_FELL_SHORT;
    }
    if (!s->out) return code;
    scree_status status = is_text(s->out) ? write_reactions(s->out, &a->view, a->p, &error)
                                          : scree_problem_write(a->problem, a->p, s->out, &error);
    return status == SCREE_OK ? code : complain(status, &error);
}

int cli_solve(int argc, char **argv)
{
    settings s = {.solver = NULL};
    /* clang-format off */
    const cli_option options[] = {
        {"--solver", "S", CLI_TEXT, &s.solver,
         .text = "auto (default), or a name that 'scree solvers' lists", .words = solvers_names()},
        {"--tol", "X", CLI_POSITIVE, &s.tolerance,
         .text = "residual to reach (default 1e-8)"},
        {"--max-iter", "N", CLI_COUNT, &s.max_iterations,
         .text = "iterations at most; default: the solver's own limit"},
        {"--time-limit", "T", CLI_POSITIVE, &s.time_limit,
         .text = "time at most", .unit = "s"},
        {"--law", NULL, CLI_WORD, &s.law,
         .text = "the friction law; default: coulomb", .words = solvers_laws},
        {"--threads", "N", CLI_COUNT, &s.threads,
         .text = "threads (default 1); the solution does not depend on it"},
        {"--device", "cpu|gpu", CLI_TEXT, &s.device,
         .text = "the machine that sweeps contacts of spheres, with --solver momentum; default: cpu (docs/gpu.md)"},
        {"--local", NULL, CLI_FLAG, &s.local,
         .text = "FILE holds W and q; without this and the next, its content decides"},
        {"--global", NULL, CLI_FLAG, &s.global,
         .text = "FILE holds M, H, f and w"},
        {"--warm", "P.txt", CLI_PATH, &s.warm,
         .text = "start from these reactions, as --out P.txt wrote them"},
        {"--certify", NULL, CLI_FLAG, &s.certify,
         .text = "do not solve: check the reactions of --warm (or none at all)"},
        {"--unique", NULL, CLI_FLAG, &s.unique,
         .text = "also whether the friction cone is pointed, and whether velocities and reactions are the only ones"},
        {"--smallest", NULL, CLI_FLAG, &s.smallest,
         .text = "of all reactions with the velocities found, the smallest; best with a small --tol"},
        {"--out", "X", CLI_PATH, &s.out,
         .text = "the results. X.txt: reactions, a row per contact with 17 digits, bounded rows after them; X.hdf5: problem and "
         "solution; X.dat: the problem alone"},
        {"--trace", "X.csv", CLI_PATH, &s.trace,
         .text = "iteration, seconds, residual and solver, a line per evaluation of the residual"},
        {"--set", "NAME=V", CLI_TEXTS, &s.set,
         .text = "an option of the solvers, as 'scree solvers' lists them; may be repeated"},
        {"--json", NULL, CLI_FLAG, &s.json,
         .text = "one JSON object on standard output, and nothing else there"},
    };
    /* clang-format on */
    answer a = {.info = {.solver = "none", .outcome = SCREE_OUTCOME_MAX_ITERATIONS}};
    scree_solver_options solver;
    int operands, code = cli_options(argc, argv, &about, options, CLI_COUNT_OF(options), &operands);
    if (code != CLI_GO_ON) return code;
    if (operands == 0) return cli_usage("solve", "no FILE given");
    if (operands > 1) return cli_usage("solve", "%d files given, expected one", operands);
    code = choose(&s, &solver);
    if (code != CLI_GO_ON) return code;

    a.tolerance = solver.tolerance;
    code = read_input(&s, argv[1], &a);
    if (code == CLI_GO_ON && !s.certify) code = solve(&s, &solver, &a);
    if (code == CLI_GO_ON) code = finish(&s, &a);
    scree_problem_vector_free(a.problem, a.p);
    scree_problem_destroy(a.problem);
    free(a.direction);
    return code;
}
