/* verify.c: `scree verify`: the command. The rows are in the tables listed here (verify_contact.c, verify_motion.c, verify_tops.c,
 * verify_shapes.c, verify_joints.c). */
#include "checks/verify.h"
#include "checks/papers.h"
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

static const cli_about about = {
    .operands = "[NAME]...",
    .text = "Compares what scree computes for one contact, and for bodies in motion, with theory. Prints a row "
            "for each:\n"
            "  check   its name, GROUP/QUANTITY\n"
            "  theory  the value from a closed form, or 0 where the row is the worst violation of a law\n"
            "  scree   the value computed\n"
            "  error   their difference, relative to theory unless theory is 0\n"
            "NAME is a check or a group of checks; without one all are made.\n"
            "With --papers the examples of the papers are run instead (examples/papers, docs/papers.md); NAME is "
            "an example. Rows beyond theory state a claim of the paper as a number of exceptions, and the theory "
            "is 0.",
    .exits = "0 every check is ok; 1 one is not; 2 wrong usage",
    .examples = "scree verify sphere-rolls modes/stick",
};

/// Every row, in order.
static const check *const tables[] = {verify_contact_checks, verify_motion_checks, verify_top_checks,
                                      verify_joint_checks,   verify_shapes_checks, NULL};

enum { CHECKS_MAX = 512 };

static int gather(const check *all[CHECKS_MAX])
{
    int count = 0;
    for (int t = 0; tables[t]; ++t)
        for (const check *c = tables[t]; c->name && count < CHECKS_MAX; ++c) all[count++] = c;
    return count;
}

/// Is `word` the name of the check, or of its group?
static int names(const char *word, const check *c)
{
    size_t group = strcspn(c->name, "/");
    return strcmp(word, c->name) == 0 || (strlen(word) == group && strncmp(word, c->name, group) == 0);
}

/// Marks the checks that the words name (all, if there are none); returns CLI_GO_ON or CLI_USAGE.
static int choose(int words_count, char **words, int count, const check *const *all, char chosen[CHECKS_MAX])
{
    memset(chosen, words_count == 0, CHECKS_MAX);
    for (int i = 0; i < words_count; ++i) {
        int found = 0;
        for (int k = 0; k < count; ++k)
            if (names(words[i], all[k])) chosen[k] = 1, found = 1;
        if (found) continue;
        static char groups[CHECKS_MAX][32];
        static const char *known[2 * CHECKS_MAX];
        char hint[64];
        for (int k = 0; k < count; ++k) {
            snprintf(groups[k], sizeof groups[k], "%.*s", (int)strcspn(all[k]->name, "/"), all[k]->name);
            known[k] = all[k]->name, known[count + k] = groups[k];
        }
        return cli_usage("verify", "unknown check '%s'%s; --list names them", words[i],
                         cli_did_you_mean(words[i], known, 2 * count, hint));
    }
    return CLI_GO_ON;
}

/* ---- rows ---------------------------------------------------------------------------------------------------------------- */

verify_report verify_begin(int as_json)
{
    verify_report r = {.j = scree_json_start(stdout), .as_json = as_json};
    if (as_json) {
        scree_json_object(&r.j, NULL);
        scree_json_list(&r.j, "checks");
    } else printf("%-31s %12s %12s %-4s %9s  %s\n", "check", "theory", "scree", "", "error", "ok");
    return r;
}

void verify_row(verify_report *r, const char *name, const char *unit, const finding *f)
{
    int ok = f->error <= f->tolerance; /* not so if the error is NaN */
    r->passed += ok, r->failed += !ok;
    if (r->as_json) {
        scree_json_object(&r->j, NULL);
        scree_json_text(&r->j, "name", name);
        scree_json_text(&r->j, "unit", unit);
        scree_json_number(&r->j, "theory", f->theory);
        scree_json_number(&r->j, "scree", f->scree);
        scree_json_number(&r->j, "error", f->error);
        scree_json_number(&r->j, "tolerance", f->tolerance);
        scree_json_bool(&r->j, "ok", ok);
        scree_json_close(&r->j);
    } else
        printf("%-31s %12.7g %12.7g %-4s %9.2g  %s\n", name, f->theory, f->scree, unit, f->error, ok ? "ok" : "NOT OK");
}

int verify_end(verify_report *r)
{
    if (r->as_json) {
        scree_json_close(&r->j);
        scree_json_integer(&r->j, "passed", r->passed);
        scree_json_integer(&r->j, "failed", r->failed);
        scree_json_close(&r->j);
    } else printf("\n%d of %d checks ok\n", r->passed, r->passed + r->failed);
    return r->failed ? CLI_FELL_SHORT : CLI_DONE;
}

/* ---- the command ----------------------------------------------------------------------------------------------------------- */

int cli_verify(int argc, char **argv)
{
    int as_json = 0, list = 0, papers = 0, is_long = 0, threads = 1, operands;
    const char *directory = NULL;
    /* clang-format off */
    const cli_option options[] = {
        {"--list", NULL, CLI_FLAG, &list,
         .text = "names and explanations, nothing is computed"},
        {"--papers", NULL, CLI_FLAG, &papers,
         .text = "the examples of the papers, in their quick form: about a minute"},
        {"--long", NULL, CLI_FLAG, &is_long,
         .text = "with --papers: all of them in full, which takes about an hour"},
        {"-o", "DIR", CLI_PATH, &directory,
         .text = "with --papers: CSV files, and plots where gnuplot is installed, into DIR/NAME"},
        {"--threads", "N", CLI_COUNT, &threads,
         .text = "with --papers: simulations run at once"},
        {"--json", NULL, CLI_FLAG, &as_json,
         .text = "one JSON object on standard output, and nothing else there"},
    };
    /* clang-format on */
    const check *all[CHECKS_MAX];
    char chosen[CHECKS_MAX];
    const char *names[CHECKS_MAX + 1] = {NULL};
    int count = gather(all);
    for (int k = 0; k < count; ++k) names[k] = all[k]->name;
    cli_about named = about;
    named.names = names;
    int code = cli_options(argc, argv, &named, options, CLI_COUNT_OF(options), &operands);
    if (code != CLI_GO_ON) return code;
    if (list && as_json) return cli_usage("verify", "--list and --json exclude each other");
    if (papers) return papers_verify(operands, argv + 1, list, as_json, is_long, threads, directory);
    if (is_long || directory || threads > 1) return cli_usage("verify", "--long, --threads and -o need --papers");
    code = choose(operands, argv + 1, count, all, chosen);
    if (code != CLI_GO_ON) return code;
    for (int k = 0; list && k < count; ++k)
        if (chosen[k]) printf("%-31s %s\n", all[k]->name, all[k]->explanation);
    if (list) return CLI_DONE;

    verify_report report = verify_begin(as_json);
    for (int k = 0; k < count; ++k) {
        if (!chosen[k]) continue;
        finding f = all[k]->run(all[k]->argument);
        verify_row(&report, all[k]->name, all[k]->unit, &f);
    }
    return verify_end(&report);
}
