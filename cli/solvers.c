/* solvers.c: `scree solvers`: the methods and their options; and what the commands that solve share (solvers.h).
 *
 * The options are the list SCREE_SOLVER_OPTION_FIELDS of scree/solver.h: an option added there can be set, is printed and is
 * explained here without another line of code. */
#include "cli/solvers.h"

#include "cli/cli.h"
#include "cli/system.h"

#include <scree/files.h>

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const cli_about about = {
    .operands = "",
    .text = "Lists the solvers of contact problems, one line each, with what each takes:\n"
            "  laws         coulomb, convex or both\n"
            "  bounds       yes: bilateral and bounded rows too\n"
            "  matrix-free  yes: works through the bodies; no: W is assembled first, which costs memory\n"
            "and then the options that 'scree solve --set name=value' takes.",
    .examples = "scree solvers",
};

/* ---- options by name --------------------------------------------------------------------------------------------- */

typedef enum field_kind { KIND_double, KIND_int } field_kind;

typedef struct field {
    const char *name;
    field_kind kind;
    size_t at; /* offset in scree_solver_options */
    const char *text;
} field;

#define SCREE_FIELD(type, name, value, text) {#name, KIND_##type, offsetof(scree_solver_options, name), text},
static const field fields[] = {SCREE_SOLVER_OPTION_FIELDS(SCREE_FIELD)};
#undef SCREE_FIELD
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static double field_value(const scree_solver_options *options, const field *f)
{
    const char *at = (const char *)options + f->at;
    double real;
    int whole;
    if (f->kind == KIND_int) {
        memcpy(&whole, at, sizeof whole);
        return whole;
    }
    memcpy(&real, at, sizeof real);
    return real;
}

/// All options are >= 0: zero asks for the default of the method.
static int store(const char *command, const field *f, const char *value, scree_solver_options *options)
{
    char *end, *at = (char *)options + f->at;
    errno = 0;
    if (f->kind == KIND_int) {
        long n = strtol(value, &end, 10);
        if (end == value || *end || errno || n < 0 || n > INT_MAX)
            return cli_usage(command, "--set %s is '%s', expected a whole number from 0", f->name, value);
        if (f->at == offsetof(scree_solver_options, local_method) &&
            !scree_contact_method_name((scree_contact_method)n))
            return cli_usage(command, "--set local_method is %ld, expected 0 to %d", n, SCREE_CONTACT_METHOD_COUNT - 1);
        if (f->at == offsetof(scree_solver_options, device) && n > 2)
            return cli_usage(command, "--set device is %ld, expected 0 to 2", n);
        if (f->at == offsetof(scree_solver_options, threads) && n < 1)
            return cli_usage(command, "--set threads is %ld, expected 1 or more", n);
        int whole = (int)n;
        memcpy(at, &whole, sizeof whole);
        return CLI_GO_ON;
    }
    double x = strtod(value, &end);
    if (end == value || *end || !isfinite(x) || x < 0.0)
        return cli_usage(command, "--set %s is '%s', expected a number from 0", f->name, value);
    if (f->at == offsetof(scree_solver_options, relaxation) && !(x > 0.0 && x < 2.0))
        return cli_usage(command, "--set relaxation is %g, expected a number between 0 and 2", x);
    memcpy(at, &x, sizeof x);
    return CLI_GO_ON;
}

int solvers_set(const char *command, const char *assignment, scree_solver_options *options)
{
    const char *words[FIELD_COUNT];
    char hint[64], name[40];
    size_t length = strcspn(assignment, "=");
    if (assignment[length] != '=')
        return cli_usage(command, "--set '%s', expected name=value, for instance --set relaxation=0.9", assignment);
    for (int k = 0; k < FIELD_COUNT; ++k) {
        words[k] = fields[k].name;
        if (strlen(words[k]) == length && strncmp(words[k], assignment, length) == 0)
            return store(command, &fields[k], assignment + length + 1, options);
    }
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), assignment);
    return cli_usage(command, "there is no option '%s'%s; 'scree solvers' lists them", name,
                     cli_did_you_mean(name, words, FIELD_COUNT, hint));
}

char *solvers_describe_options(char *buffer, size_t size)
{
    scree_solver_options defaults = scree_solver_options_default();
    size_t used = 0;
    buffer[0] = '\0';
    for (int k = 0; k < FIELD_COUNT && used < size; ++k) {
        int n = snprintf(buffer + used, size - used, "  %-14s %-7g %s\n", fields[k].name,
                         field_value(&defaults, &fields[k]), fields[k].text);
        used += n > 0 ? (size_t)n : 0;
    }
    return buffer;
}

int solvers_find(const char *command, const char *name)
{
    enum { MOST = 64 };
    const char *words[MOST];
    char hint[64];
    int count = 0;
    if (scree_solver_class_find(name)) return CLI_GO_ON;
    for (const scree_solver_class *c; count < MOST && (c = scree_solver_class_at(count)) != NULL; ++count)
        words[count] = scree_solver_class_name(c);
    return cli_usage(command, "there is no solver '%s'%s; 'scree solvers' lists them", name,
                     cli_did_you_mean(name, words, count, hint));
}

/* ---- what the commands that solve share ----------------------------------------------------------------------------- */

const char *const solvers_laws[] = {[SCREE_LAW_COULOMB] = "coulomb", [SCREE_LAW_CONVEX] = "convex", NULL};

const char *solvers_law_name(scree_law law)
{
    return solvers_laws[law];
}

scree_law solvers_law(const char *name)
{
    return strcmp(name, solvers_laws[SCREE_LAW_CONVEX]) == 0 ? SCREE_LAW_CONVEX : SCREE_LAW_COULOMB;
}

int solvers_device(const char *name)
{
    static const char *const devices[] = {"cpu", "gpu", "host-twin", NULL}; /* scree_device */
    for (int k = 0; name && devices[k]; ++k)
        if (strcmp(name, devices[k]) == 0) return k;
    return -1;
}

const char *const *solvers_names(void)
{
    enum { MOST = 63 };
    static const char *names[MOST + 1];
    const scree_solver_class *c;
    for (int k = 0; k < MOST && (c = scree_solver_class_at(k)); ++k) names[k] = scree_solver_class_name(c);
    return names;
}

int solvers_dim(const scree_problem *problem)
{
    int largest = 0;
    const scree_problem_view view = scree_problem_parts(problem);
    for (int c = 0; c < view.contact_count; ++c) {
        int dim = scree_cone_dim(&view.cone[c]);
        if (dim > largest) largest = dim;
    }
    return largest;
}

/* ---- the command --------------------------------------------------------------------------------------------------- */

static const char *laws_of(const scree_solver_class *c)
{
    int coulomb = scree_solver_class_takes_law(c, SCREE_LAW_COULOMB),
        convex = scree_solver_class_takes_law(c, SCREE_LAW_CONVEX);
    return coulomb && convex ? "both" : coulomb ? "coulomb" : "convex";
}

static void print_table(void)
{
    char text[8192];
    const scree_solver_class *c;
    printf("%-14s %-8s %-7s %-12s %s\n", "solver", "laws", "bounds", "matrix-free", "what it is");
    for (int i = 0; (c = scree_solver_class_at(i)) != NULL; ++i)
        printf("%-14s %-8s %-7s %-12s %s\n", scree_solver_class_name(c), laws_of(c),
               scree_solver_class_takes_bounds(c) ? "yes" : "no", scree_solver_class_matrix_free(c) ? "yes" : "no",
               scree_solver_class_summary(c));
    printf("\noptions, for 'scree solve FILE --set name=value', with their defaults:\n%s",
           solvers_describe_options(text, sizeof text));
}

static void write_json(void)
{
    scree_solver_options defaults = scree_solver_options_default();
    const scree_solver_class *c;
    scree_json j = scree_json_start(stdout);
    scree_json_object(&j, NULL);
    scree_json_list(&j, "solvers");
    for (int i = 0; (c = scree_solver_class_at(i)) != NULL; ++i) {
        scree_json_object(&j, NULL);
        scree_json_text(&j, "name", scree_solver_class_name(c));
        scree_json_text(&j, "summary", scree_solver_class_summary(c));
        scree_json_bool(&j, "coulomb", scree_solver_class_takes_law(c, SCREE_LAW_COULOMB));
        scree_json_bool(&j, "convex", scree_solver_class_takes_law(c, SCREE_LAW_CONVEX));
        scree_json_bool(&j, "bounds", scree_solver_class_takes_bounds(c));
        scree_json_bool(&j, "matrix_free", scree_solver_class_matrix_free(c));
        scree_json_close(&j);
    }
    scree_json_close(&j);
    scree_json_list(&j, "options");
    for (int k = 0; k < FIELD_COUNT; ++k) {
        scree_json_object(&j, NULL);
        scree_json_text(&j, "name", fields[k].name);
        scree_json_text(&j, "type", fields[k].kind == KIND_int ? "integer" : "number");
        scree_json_number(&j, "default", field_value(&defaults, &fields[k]));
        scree_json_text(&j, "text", fields[k].text);
        scree_json_close(&j);
    }
    scree_json_close(&j);
    scree_json_close(&j);
}

int cli_solvers(int argc, char **argv)
{
    int as_json = 0, operands;
    /* clang-format off */
    const cli_option options[] = {
        {"--json", NULL, CLI_FLAG, &as_json,
         .text = "one JSON object on standard output, and nothing else there"},
    };
    /* clang-format on */
    int code = cli_options(argc, argv, &about, options, CLI_COUNT_OF(options), &operands);
    if (code != CLI_GO_ON) return code;
    if (operands > 0) return cli_usage("solvers", "'%s' given, expected no argument", argv[1]);
    if (as_json) write_json();
    else print_table();
    return CLI_DONE;
}
