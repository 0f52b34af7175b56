/* verify.c: `scree verify`: the command. The rows are in the tables listed here (verify_contact.c, verify_motion.c). */
#include "cli/verify.h"
#include "cli/cli.h"
#include "cli/json.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: scree verify [NAME...] [--list] [--json]\n"
    "\n"
    "Compares what scree computes for one contact, and for bodies in motion, with theory, and prints a row for each "
    "comparison:\n"
    "  check   its name, GROUP/QUANTITY\n"
    "  theory  the value from a closed form, or 0 where the row is the worst violation of a law\n"
    "  scree   the value computed\n"
    "  error   their difference, relative to theory unless theory is 0\n"
    "NAME is a check or a group of checks; without one all are made.\n"
    "\n"
    "options:\n"
    "  --list   names and explanations, nothing is computed\n"
    "  --json   one JSON object on standard output\n"
    "  --help   this text\n"
    "\n"
    "exit status: 0 every check is ok; 1 one is not; 2 wrong usage\n"
    "\n"
    "example:\n"
    "  scree verify sphere-rolls modes/stick\n";

/// Every row, in order.
static const check *const tables[] = {verify_contact_checks, verify_motion_checks, NULL};

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

int cli_verify(int argc, char **argv)
{
    int as_json = 0, list = 0, operands, passed = 0, failed = 0;
    const cli_option options[] = {{"--json", CLI_FLAG, &as_json}, {"--list", CLI_FLAG, &list}};
    const check *all[CHECKS_MAX];
    char chosen[CHECKS_MAX];
    int count = gather(all), code = cli_options(argc, argv, help, options, sizeof options / sizeof *options, &operands);
    if (code == CLI_GO_ON) code = choose(operands, argv + 1, count, all, chosen);
    if (code != CLI_GO_ON) return code;
    if (list && as_json) return cli_usage("verify", "--list and --json exclude each other");
    for (int k = 0; list && k < count; ++k)
        if (chosen[k]) printf("%-31s %s\n", all[k]->name, all[k]->explanation);
    if (list) return CLI_DONE;

    json j = json_start(stdout);
    if (as_json) {
        json_object(&j, NULL);
        json_list(&j, "checks");
    } else printf("%-31s %12s %12s %-4s %9s  %s\n", "check", "theory", "scree", "", "error", "ok");
    for (int k = 0; k < count; ++k) {
        if (!chosen[k]) continue;
        const check *c = all[k];
        finding f = c->run(c->argument);
        int ok = f.error <= f.tolerance; /* not so if the error is NaN */
        passed += ok, failed += !ok;
        if (as_json) {
            json_object(&j, NULL);
            json_text(&j, "name", c->name);
            json_text(&j, "unit", c->unit);
            json_number(&j, "theory", f.theory);
            json_number(&j, "scree", f.scree);
            json_number(&j, "error", f.error);
            json_number(&j, "tolerance", f.tolerance);
            json_bool(&j, "ok", ok);
            json_close(&j);
        } else
            printf("%-31s %12.7g %12.7g %-4s %9.2g  %s\n", c->name, f.theory, f.scree, c->unit, f.error,
                   ok ? "ok" : "NOT OK");
    }
    if (as_json) {
        json_close(&j);
        json_integer(&j, "passed", passed);
        json_integer(&j, "failed", failed);
        json_close(&j);
    } else printf("\n%d of %d checks ok\n", passed, passed + failed);
    return failed ? CLI_FELL_SHORT : CLI_DONE;
}
