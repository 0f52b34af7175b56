/* contact.c: `scree contact FILE`: reads one contact, solves it, prints the answer as a table or as JSON.
 *
 * Methods that enumerate (exact and the quartics) are asked for every solution, so that the answer can say how many
 * there are; the first one, of smallest normal load, is the answer. Iterative methods find one and cannot count. Solutions that are not
 * isolated are infinitely many: the first flat set of them that is found is described. */
#include "cli/cli.h"

#include <scree/files.h>
#include <scree/scene.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const *method_names(void)
{
    static const char *names[SCREE_CONTACT_METHOD_COUNT + 1];
    for (int k = 0; k < SCREE_CONTACT_METHOD_COUNT; ++k) names[k] = scree_contact_method_name((scree_contact_method)k);
    return names;
}

static const cli_about about = {
    .operands = "FILE",
    .text = "Solves one contact with friction: finds the reaction p and the velocity y = W p + q that obey the "
            "law. FILE is YAML or JSON in plain SI numbers; '-' is standard input. Its keys:\n"
            "  W     rows of the symmetric matrix; 2 planar, 3 slide, 4 slide+spin, 5 slide+roll, 6 "
            "slide+roll+spin\n"
            "  q     velocity without reaction: normal, tangential, rolling, spinning\n"
            "  mu    sliding coefficient; rolling, spinning: lengths in metres, where the cone has them\n"
            "  law   coulomb (default) or convex\n"
            "  cone  planar, planar+roll, slide, slide+spin, slide+roll, slide+roll+spin; default: by size",
    .exits = "0 solved; 1 no solution, or not to tolerance; 2 wrong usage; 3 bad input; 4 machine failure",
    .examples = "scree contact examples/contact/bonnefon-daviet.yaml",
};

enum { CONTACT_FILE_LIMIT = 1 << 20, CAPACITY = 64, NOT_COUNTED = -1 };

typedef struct settings {
    const char *method;
    int all, json, max_iterations; /* 0: not given */
    double tolerance;              /* 0: not given */
} settings;

typedef struct answer {
    const char *file;
    scree_contact contact;
    int dim, count;                           /* solutions that exist, or NOT_COUNTED            */
    int listed;                               /* solutions in the array                          */
    scree_contact_result solutions[CAPACITY]; /* solutions[0] is the answer, also if infeasible */
    scree_contact_family family;              /* dimension 0: all of them are isolated            */
} answer;

/* ---- names ----------------------------------------------------------------------------------------------------- */

static const char *cone_name(const scree_cone *cone)
{
    int roll = cone->size[SCREE_FRICTION_ROLL] > 0, spin = cone->size[SCREE_FRICTION_SPIN] > 0;
    if (cone->size[SCREE_FRICTION_SLIDE] == 1) return roll ? "planar+roll" : "planar";
    return roll ? (spin ? "slide+roll+spin" : "slide+roll") : (spin ? "slide+spin" : "slide");
}

static const char *law_name(scree_law law)
{
    return law == SCREE_LAW_CONVEX ? "convex" : "coulomb";
}

/// Names of component k: "r_T1" and "u_T1", "m_S" and "w_S", without the digit where the mechanism has one component.
static void component_names(const scree_cone *cone, int k, char load[8], char velocity[8])
{
    int mechanism = 0, within = k - 1;
    if (k == 0) {
        memcpy(load, "r_N", 4), memcpy(velocity, "u_N", 4);
        return;
    }
    while (within >= cone->size[mechanism]) within -= cone->size[mechanism++];
    char digit[2] = {cone->size[mechanism] > 1 ? (char)('1' + within) : '\0', '\0'};
    int slides = mechanism == SCREE_FRICTION_SLIDE;
    snprintf(load, 8, "%c_%c%s", slides ? 'r' : 'm', "TRS"[mechanism], digit);
    snprintf(velocity, 8, "%c_%c%s", slides ? 'u' : 'w', "TRS"[mechanism], digit);
}

static int iterates(scree_contact_method method)
{
    return method != SCREE_CONTACT_EXACT && method != SCREE_CONTACT_QUARTIC_T && method != SCREE_CONTACT_QUARTIC_ALPHA;
}

/* ---- solving --------------------------------------------------------------------------------------------------- */

/// The options of the solver from those of the command line; returns CLI_GO_ON or CLI_USAGE.
static int choose(const settings *s, scree_contact_options *options)
{
    const char *words[SCREE_CONTACT_METHOD_COUNT];
    char hint[64];
    *options = scree_contact_options_default();
    for (int k = 0; k < SCREE_CONTACT_METHOD_COUNT; ++k) {
        words[k] = scree_contact_method_name((scree_contact_method)k);
        if (!s->method || strcmp(s->method, words[k]) != 0) continue;
        options->method = (scree_contact_method)k;
        goto found;
    }
    if (s->method)
        return cli_usage("contact", "unknown method '%s'%s; 'scree help contact' lists them", s->method,
                         cli_did_you_mean(s->method, words, SCREE_CONTACT_METHOD_COUNT, hint));
found:
    if (s->all && iterates(options->method))
        return cli_usage("contact", "--all needs a method that counts (exact, quartic_t, quartic_alpha), not %s",
                         words[options->method]);
    if (s->max_iterations && !iterates(options->method))
        return cli_usage("contact", "--max-iter is for iterative methods, not for %s", words[options->method]);
    if (s->max_iterations) options->max_iterations = s->max_iterations;
    if (s->tolerance > 0.0) options->tolerance = s->tolerance;
    return CLI_GO_ON;
}

static scree_status solve(const scree_contact_options *options, answer *a)
{
    scree_error error = {0};
    a->count = NOT_COUNTED, a->listed = 0;
    if (!iterates(options->method)) {
        a->count = scree_contact_solve_all(&a->contact, options, CAPACITY, a->solutions, &error);
        if (error.status != SCREE_OK) return error.status;
        a->listed = a->count < CAPACITY ? a->count : CAPACITY;
        if (a->listed > 0) return SCREE_OK;
    }
    /* Nothing to count, or nothing found: `solve` says whether there is no solution, or one that is not isolated. */
    a->solutions[0] = scree_contact_solve(&a->contact, options, &error);
    if (error.status != SCREE_OK) return error.status;
    if (a->solutions[0].outcome == SCREE_OUTCOME_INFEASIBLE) a->count = 0;
    else a->listed = 1, a->count = NOT_COUNTED;
    return SCREE_OK;
}

/// The first continuum that one of the solutions lies in.
static void find_family(answer *a)
{
    for (int k = 0; k < a->listed && a->family.dimension == 0; ++k)
        if (a->solutions[k].outcome == SCREE_OUTCOME_CONVERGED)
            a->family = scree_contact_family_of(&a->contact, a->solutions[k].p);
}

/// Why no reaction can do it.
static const char *why_infeasible(const scree_contact *c)
{
    if (c->W[0] == 0.0 && c->q[0] < 0.0)
        return "W_NN = 0 and q_N < 0: no reaction changes the normal velocity, and the bodies approach";
    if (c->law == SCREE_LAW_CONVEX) return "no reaction in the cone brings the velocity into the dual cone";
    return "no reaction in the cone keeps the bodies from approaching";
}

/* ---- printing -------------------------------------------------------------------------------------------------- */

static scree_uniqueness uniqueness(const answer *a)
{
    return a->count > 1 || a->family.dimension > 0 ? SCREE_UNIQUE_NO : a->solutions[0].unique;
}

static void print_components(const answer *a, const scree_contact_result *r)
{
    char load[8], velocity[8];
    printf("\n  %-24s  %s\n", "reaction", "velocity");
    for (int k = 0; k < a->dim; ++k) {
        component_names(&a->contact.cone, k, load, velocity);
        printf("  %-4s %19.12g  %-4s %19.12g\n", load, r->p[k] + 0.0, velocity, r->y[k] + 0.0); /* no "-0" */
    }
}

/// One number of a row, or that there is no end.
static void print_end(double s)
{
    if (isinf(s)) printf("without end");
    else printf("%.12g", s + 0.0);
}

static void print_family(const answer *a)
{
    char load[8], velocity[8];
    const scree_contact_family *f = &a->family;
    printf("\nsolutions that are not isolated: c + s d, %s\n  %-4s %19s",
           f->velocity_changes ? "along which the velocity changes" : "all with the same velocity", "", "c");
    for (int k = 0; k < f->dimension; ++k) printf("  %15s%d", "d", k + 1);
    for (int i = 0; i < a->dim; ++i) {
        component_names(&a->contact.cone, i, load, velocity);
        printf("\n  %-4s %19.12g", load, f->centre[i] + 0.0);
        for (int k = 0; k < f->dimension; ++k) printf("  %16.9g", f->direction[k][i] + 0.0);
    }
    printf("\n");
    for (int k = 0; k < f->dimension; ++k) {
        printf("  along d%d alone: s from ", k + 1);
        print_end(f->low[k]), printf(" to "), print_end(f->high[k]), printf("\n");
    }
}

static void print_table(const answer *a, int all)
{
    static const char *const coefficients[SCREE_FRICTION_KINDS] = {"mu", "rolling", "spinning"};
    const scree_cone *cone = &a->contact.cone;
    const scree_contact_result *r = &a->solutions[0];
    printf("file       %s\ncone       %s:", a->file, cone_name(cone));
    for (int k = 0; k < SCREE_FRICTION_KINDS; ++k)
        if (cone->size[k] > 0) printf(" %s %g", coefficients[k], cone->coef[k]);
    printf("\nlaw        %s\nmethod     %s, iterations: %d\noutcome    %s\n", law_name(a->contact.law),
           scree_contact_method_name(r->method), r->iterations, scree_outcome_name(r->outcome));
    if (a->listed == 0) {
        printf("solutions  none: %s\n", why_infeasible(&a->contact));
        return;
    }
    printf("mode       %s\nresidual   %.3g\n", scree_mode_name(r->mode), r->residual);
    if (a->family.dimension > 0) printf("solutions  infinitely many\n");
    else if (a->count == NOT_COUNTED) printf("solutions  not counted\n");
    else printf("solutions  %d\n", a->count);
    switch (uniqueness(a)) {
    case SCREE_UNIQUE_PROVED: printf("unique     proved\n"); break;
    case SCREE_UNIQUE_NO:
        if (a->family.dimension > 0) printf("unique     no: a set of dimension %d\n", a->family.dimension);
        else printf("unique     no: %d solutions\n", a->count);
        break;
    case SCREE_UNIQUE_UNKNOWN: printf("unique     not proved\n"); break;
    }
    if (!all || a->listed == 1) {
        print_components(a, r);
        if (a->family.dimension > 0)
            all ? print_family(a) : (void)printf("\nThis is one of them; --all describes the set.\n");
        else if (a->count > 1) printf("\nThis is the solution of smallest normal force; --all lists every one.\n");
        return;
    }
    for (int k = 0; k < a->listed; ++k) {
        r = &a->solutions[k];
        printf("\nsolution %d of %d: mode %s, residual %.3g\n", k + 1, a->count, scree_mode_name(r->mode), r->residual);
        print_components(a, r);
    }
    if (a->family.dimension > 0) print_family(a);
}

static void write_result(scree_json *j, const answer *a, const scree_contact_result *r)
{
    scree_json_numbers(j, "reaction", r->p, a->dim);
    scree_json_numbers(j, "velocity", r->y, a->dim);
    scree_json_text(j, "mode", scree_mode_name(r->mode));
    scree_json_text(j, "outcome", scree_outcome_name(r->outcome));
    scree_json_number(j, "residual", r->residual);
    scree_json_integer(j, "iterations", r->iterations);
}

static void write_end(scree_json *j, const char *name, double s)
{
    if (isinf(s)) scree_json_null(j, name);
    else scree_json_number(j, name, s);
}

/// "continuum": null, or the set: a point of it, and how far it goes along each direction (null: without end).
static void write_family(scree_json *j, const answer *a)
{
    const scree_contact_family *f = &a->family;
    if (f->dimension == 0) {
        scree_json_null(j, "continuum");
        return;
    }
    scree_json_object(j, "continuum");
    scree_json_bool(j, "velocity_changes", f->velocity_changes);
    scree_json_numbers(j, "centre", f->centre, a->dim);
    scree_json_list(j, "directions");
    for (int k = 0; k < f->dimension; ++k) {
        scree_json_object(j, NULL);
        scree_json_numbers(j, "direction", f->direction[k], a->dim);
        write_end(j, "from", f->low[k]), write_end(j, "to", f->high[k]);
        scree_json_close(j);
    }
    scree_json_close(j);
    scree_json_close(j);
}

static void write_json(const answer *a, int all)
{
    const scree_contact_result *r = &a->solutions[0];
    scree_json j = scree_json_start(stdout);
    scree_json_object(&j, NULL);
    scree_json_text(&j, "file", a->file);
    scree_json_text(&j, "cone", cone_name(&a->contact.cone));
    scree_json_text(&j, "law", law_name(a->contact.law));
    scree_json_text(&j, "method", scree_contact_method_name(r->method));
    if (a->listed > 0) {
        write_result(&j, a, r);
        if (uniqueness(a) == SCREE_UNIQUE_UNKNOWN) scree_json_null(&j, "unique");
        else scree_json_bool(&j, "unique", uniqueness(a) == SCREE_UNIQUE_PROVED);
    } else {
        static const char *const absent[] = {"reaction", "velocity", "mode"};
        for (int k = 0; k < 3; ++k) scree_json_null(&j, absent[k]);
        scree_json_text(&j, "outcome", scree_outcome_name(r->outcome));
        scree_json_null(&j, "residual");
        scree_json_integer(&j, "iterations", r->iterations);
        scree_json_null(&j, "unique");
        scree_json_text(&j, "reason", why_infeasible(&a->contact));
    }
    if (a->count == NOT_COUNTED || a->family.dimension > 0) scree_json_null(&j, "solution_count");
    else scree_json_integer(&j, "solution_count", a->count);
    write_family(&j, a);
    scree_json_list(&j, "solutions");
    for (int k = 0; k < (all ? a->listed : a->listed > 0); ++k) {
        scree_json_object(&j, NULL);
        write_result(&j, a, &a->solutions[k]);
        scree_json_close(&j);
    }
    scree_json_close(&j);
    scree_json_close(&j);
}

/* ---- the command ----------------------------------------------------------------------------------------------- */

/// Fills a->contact from the file; prints what is wrong and returns an exit status, or CLI_GO_ON.
static int read_input(const char *path, answer *a)
{
    size_t size = 0;
    scree_error error = {0};
    a->file = strcmp(path, "-") == 0 ? "<stdin>" : path;
    char *text = scree_file_read(path, CONTACT_FILE_LIMIT, NULL, &size, &error);
    a->contact = scree_contact_parse(text, size, a->file, NULL, &error); /* does nothing where reading failed */
    if (error.status != SCREE_OK) cli_print_error(&error, text, size);
    else a->dim = scree_cone_dim(&a->contact.cone);
    free(text);
    return error.status == SCREE_OK ? CLI_GO_ON : cli_exit_of(error.status);
}

int cli_contact(int argc, char **argv)
{
    settings s = {.method = NULL};
    /* clang-format off */
    const cli_option options[] = {
        {"--all", NULL, CLI_FLAG, &s.all,
         .text = "list every solution, not only the one of smallest normal force; of infinitely many, describe the set"},
        {"--json", NULL, CLI_FLAG, &s.json,
         .text = "one JSON object on standard output, and nothing else there"},
        {"--method", "NAME", CLI_TEXT, &s.method,
         .text = "how to solve. exact (default): every cone, both laws, counts the solutions; quartic_t, quartic_alpha: the quartic "
         "equations of Bonnefon and Daviet, for the cone slide and the Coulomb law; fixed_point, "
         "extragradient: projections with a self-adaptive step; newton_natural, newton_alart_curnier: "
         "semismooth Newton methods, which fall back on exact", .words = method_names()},
        {"--tol", "X", CLI_POSITIVE, &s.tolerance,
         .text = "residual to reach: iterative methods stop there, and any method that misses it exits with 1"},
        {"--max-iter", "N", CLI_COUNT, &s.max_iterations,
         .text = "iterations at most, for iterative methods"},
    };
    /* clang-format on */
    scree_contact_options solver;
    answer a = {0};
    int operands, code = cli_options(argc, argv, &about, options, CLI_COUNT_OF(options), &operands);
    if (code != CLI_GO_ON) return code;
    if (operands == 0) return cli_usage("contact", "no FILE given");
    if (operands > 1) return cli_usage("contact", "%d files given, expected one", operands);
    code = choose(&s, &solver);
    if (code != CLI_GO_ON) return code;
    code = read_input(argv[1], &a);
    if (code != CLI_GO_ON) return code;

    scree_status status = solve(&solver, &a);
    if (status == SCREE_ERR_UNSUPPORTED)
        return cli_usage("contact", "method %s does not take the cone %s with the %s law; 'exact' takes all",
                         scree_contact_method_name(solver.method), cone_name(&a.contact.cone), law_name(a.contact.law));
    find_family(&a);
    if (s.json) write_json(&a, s.all);
    else print_table(&a, s.all);

    const scree_contact_result *r = &a.solutions[0];
    if (r->outcome == SCREE_OUTCOME_INFEASIBLE)
        fprintf(stderr, "%s: no solution: %s\n", a.file, why_infeasible(&a.contact));
    else if (r->outcome != SCREE_OUTCOME_CONVERGED)
        fprintf(stderr, "%s: not solved: %s\n", a.file, scree_outcome_name(r->outcome));
    else if (s.tolerance > 0.0 && r->residual > s.tolerance)
        fprintf(stderr, "%s: the residual %.3g is above --tol %g\n", a.file, r->residual, s.tolerance);
    else return CLI_DONE;
    return CLI_FELL_SHORT;
}
