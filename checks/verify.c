/* verify.c: `scree verify`: the command. The rows are in the tables listed here (verify_contact.c, verify_motion.c, verify_tops.c,
 * verify_shapes.c, verify_joints.c, verify_ledger.c). */
#include "checks/verify.h"
#include "checks/papers.h"
#include "cli/cli.h"
#include "cli/solvers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const cli_about about = {
    .operands = "[NAME]...",
    .text =
        "Compares what scree computes for one contact, and for bodies in motion, with theory. Prints a row "
        "for each:\n"
        "  check   its name, GROUP/QUANTITY\n"
        "  source  what the paper prints or the closed form gives; 0 where the row is the worst violation of a law\n"
        "  scree   the value computed\n"
        "  error   their difference, relative to the source unless that is 0\n"
        "  bound   the largest error that is ok; fixed beforehand, its reason and the source stand below the row\n"
        "  status  ok; missed (a known one, with its reason and where it is explained); FAILED\n"
        "NAME is a check or a group of checks; without one all are made.\n"
        "With --papers the examples of the papers are run instead (examples/papers, docs/papers.md); NAME is "
        "an example. Rows that state a claim in words count its exceptions, and the source is 0.\n"
        "With --peers cases of other groups are run, with the figures that they published, and scree's place "
        "among them (docs/peers.md); NAME is a case.",
    .exits = "0 no check failed (a known miss is none); 1 one failed; 2 wrong usage",
    .examples = "scree verify sphere-rolls modes/stick",
};

/// Every row, in order.
static const check *const tables[] = {verify_contact_checks,
                                      verify_motion_checks,
                                      verify_top_checks,
                                      verify_joint_checks,
                                      verify_shapes_checks,
                                      verify_ledger_checks,
                                      NULL};

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

finding finding_of(double source, double scree, double bound, const char *why)
{
    double d = fabs(scree - source);
    return (finding){source, scree, source != 0.0 ? d / fabs(source) : d, bound, why, NULL};
}

finding finding_from(const char *where, finding f)
{
    f.where = where;
    return f;
}

verify_report verify_begin(int style)
{
    verify_report r = {.j = scree_json_start(stdout), .style = style};
    if (style == VERIFY_JSON) {
        scree_json_object(&r.j, NULL);
        scree_json_list(&r.j, "checks");
    } else if (style == VERIFY_MARKDOWN)
        printf("| row | source | scree | error | bound, and why | status | beside |\n|---|---|---|---|---|---|---|\n");
    else printf("%-31s %12s %12s %-4s %9s %8s  %s\n", "check", "source", "scree", "", "error", "bound", "status");
    return r;
}

/// The entry of a row that is known to miss, if its value is still that miss.
static const known_miss *find_miss(const char *name, double scree)
{
    for (const known_miss *m = known_misses; m->name; ++m)
        if (strcmp(m->name, name) == 0 && scree >= m->least && scree <= m->most) return m;
    return NULL;
}

/* ---- beside others ---------------------------------------------------------------------------------------------------------- */

enum { OTHERS_MAX = 8 };

static double distance(const finding *f, double value)
{
    return finding_of(f->source, value, 0.0, "").error;
}

/// Sorts what others have by its distance from the source; returns how many there are, and scree's place, from 1.
static int rank(const finding *f, const peer_value *others, const peer_value *sorted[OTHERS_MAX], int *place)
{
    int count = 0;
    *place = 1;
    for (const peer_value *p = others; p && p->name && count < OTHERS_MAX; ++p) {
        int k = count++;
        for (; k > 0 && distance(f, sorted[k - 1]->value) > distance(f, p->value); --k) sorted[k] = sorted[k - 1];
        sorted[k] = p;
        *place += distance(f, p->value) < f->error;
    }
    return count;
}

static void put_seconds(double seconds)
{
    if (seconds > 0.0) printf(" (%.3g s)", seconds);
}

static void put_beside(const finding *f, const peer_value *others, double seconds)
{
    const peer_value *sorted[OTHERS_MAX];
    int place, count = rank(f, others, sorted, &place);
    printf("scree is %d of %d", place, count + 1);
    put_seconds(seconds);
    for (int k = 0; k < count; ++k) {
        printf("%s %s %.6g", k ? "," : ":", sorted[k]->name, sorted[k]->value);
        put_seconds(sorted[k]->seconds);
    }
}

static void put_beside_json(scree_json *j, const finding *f, const peer_value *others, double seconds)
{
    const peer_value *sorted[OTHERS_MAX];
    int place, count = rank(f, others, sorted, &place);
    scree_json_integer(j, "place", place);
    if (seconds > 0.0) scree_json_number(j, "seconds", seconds);
    scree_json_list(j, "beside");
    for (int k = 0; k < count; ++k) {
        scree_json_object(j, NULL);
        scree_json_text(j, "name", sorted[k]->name);
        scree_json_number(j, "value", sorted[k]->value);
        if (sorted[k]->seconds > 0.0) scree_json_number(j, "seconds", sorted[k]->seconds);
        scree_json_close(j);
    }
    scree_json_close(j);
}

/* ---- a row -------------------------------------------------------------------------------------------------------------------- */

static void put_row(const char *name, const char *unit, const finding *f, const char *status, const char *where,
                    const known_miss *miss, const peer_value *others, double seconds)
{
    printf("| %s | %.7g%s%s, %s | %.7g | %.2g | %.2g: %s | %s", name, f->source, *unit ? " " : "", unit, where,
           f->scree, f->error, f->bound, f->why, status);
    if (miss) printf(": %s", miss->reason);
    printf(" | ");
    if (others) put_beside(f, others, seconds);
    printf(" |\n");
}

void verify_row_beside(verify_report *r, const char *name, const char *unit, const finding *f, const peer_value *others,
                       double seconds)
{
    int ok = f->error <= f->bound; /* not so if the error is NaN */
    const known_miss *miss = ok ? NULL : find_miss(name, f->scree);
    const char *status = ok ? "ok" : miss ? "missed" : "FAILED", *where = f->where ? f->where : "closed form";
    r->ok += ok, r->missed += miss != NULL, r->failed += !ok && !miss;
    if (r->style == VERIFY_JSON) {
        scree_json_object(&r->j, NULL);
        scree_json_text(&r->j, "name", name);
        scree_json_text(&r->j, "unit", unit);
        scree_json_number(&r->j, "source", f->source);
        scree_json_text(&r->j, "from", where);
        scree_json_number(&r->j, "scree", f->scree);
        scree_json_number(&r->j, "error", f->error);
        scree_json_number(&r->j, "bound", f->bound);
        scree_json_text(&r->j, "reason", f->why);
        scree_json_text(&r->j, "status", ok ? "ok" : miss ? "missed" : "failed");
        if (miss) scree_json_text(&r->j, "missed", miss->reason), scree_json_text(&r->j, "link", miss->link);
        if (others) put_beside_json(&r->j, f, others, seconds);
        scree_json_close(&r->j);
        return;
    }
    if (r->style == VERIFY_MARKDOWN) {
        put_row(name, unit, f, status, where, miss, others, seconds);
        return;
    }
    printf("%-31s %12.7g %12.7g %-4s %9.2g %8.2g  %s\n", name, f->source, f->scree, unit, f->error, f->bound, status);
    if (r->style == VERIFY_TABLE || !ok) printf("    from: %s; bound: %s\n", where, f->why);
    if (miss) printf("    missed: %s (%s)\n", miss->reason, miss->link);
    if (others && r->style == VERIFY_TABLE) {
        printf("    beside: ");
        put_beside(f, others, seconds);
        putchar('\n');
    }
}

void verify_row(verify_report *r, const char *name, const char *unit, const finding *f)
{
    verify_row_beside(r, name, unit, f, NULL, 0.0);
}

void verify_information(verify_report *r, const char *name, const char *unit, double scree, const char *what)
{
    if (r->style == VERIFY_JSON) {
        scree_json_object(&r->j, NULL);
        scree_json_text(&r->j, "name", name);
        scree_json_text(&r->j, "unit", unit);
        scree_json_number(&r->j, "scree", scree);
        scree_json_text(&r->j, "reason", what);
        scree_json_text(&r->j, "status", "information");
        scree_json_close(&r->j);
        return;
    }
    if (r->style == VERIFY_MARKDOWN) {
        printf("| %s | - | %.7g%s%s | - | %s | - | |\n", name, scree, *unit ? " " : "", unit, what);
        return;
    }
    printf("%-31s %12s %12.7g %-4s %9s %8s  %s\n", name, "-", scree, unit, "-", "-", "-");
    if (r->style == VERIFY_TABLE) printf("    information: %s\n", what);
}

int verify_end(verify_report *r)
{
    if (r->style == VERIFY_JSON) {
        scree_json_close(&r->j);
        scree_json_integer(&r->j, "ok", r->ok);
        scree_json_integer(&r->j, "missed", r->missed);
        scree_json_integer(&r->j, "failed", r->failed);
        scree_json_close(&r->j);
    } else printf("\nok %d, missed %d, failed %d\n", r->ok, r->missed, r->failed);
    return r->failed ? CLI_FELL_SHORT : CLI_DONE;
}

/* ---- the command ----------------------------------------------------------------------------------------------------------- */

int cli_verify(int argc, char **argv)
{
    int as_json = 0, list = 0, brief = 0, table = 0, papers = 0, peers = 0, is_long = 0, threads = 1, operands;
    const char *directory = NULL, *device = NULL;
    /* clang-format off */
    const cli_option options[] = {
        {"--list", NULL, CLI_FLAG, &list,
         .text = "names and explanations, nothing is computed"},
        {"--table", NULL, CLI_FLAG, &table,
         .text = "scree with default settings, and with exact ones, beside other engines (docs/evidence.md); with "
                 "--peers: its rows as the table of docs/peers.md"},
        {"--papers", NULL, CLI_FLAG, &papers,
         .text = "the examples of the papers, in their quick form: about two minutes"},
        {"--peers", NULL, CLI_FLAG, &peers,
         .text = "cases of other groups with their published figures: about a minute"},
        {"--long", NULL, CLI_FLAG, &is_long,
         .text = "with --papers: all of them in full, hours of computing; with -o, the same command continues what was "
                 "broken off; with --peers: in full, an hour"},
        {"-o", "DIR", CLI_PATH, &directory,
         .text = "with --papers: CSV files, and plots where gnuplot is installed, into DIR/NAME"},
        {"--threads", "N", CLI_COUNT, &threads,
         .text = "with --papers and --peers: simulations run at once"},
        {"--device", "cpu|gpu", CLI_TEXT, &device,
         .text = "with --papers and --peers: the machine that takes the steps (docs/gpu.md); what it cannot do fails"},
        {"--brief", NULL, CLI_FLAG, &brief,
         .text = "one line a row: sources and reasons of rows that are not ok only"},
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
    if (brief && as_json) return cli_usage("verify", "--brief and --json exclude each other");
    int style = as_json ? VERIFY_JSON : brief ? VERIFY_BRIEF : VERIFY_TABLE;
    if (papers && peers) return cli_usage("verify", "--papers and --peers exclude each other");
    if (table && (papers || list || as_json || (operands && !peers)))
        return cli_usage("verify", "--table goes by itself, or with --peers");
    if (table && peers) style = VERIFY_MARKDOWN;
    else if (table) return verify_engines();
    if (directory && !papers) return cli_usage("verify", "-o needs --papers");
    const paper_run settings = {.directory = directory, .is_long = is_long, .threads = threads, .device = device};
    if (device && solvers_device(device) < 0)
        return cli_usage("verify", "--device is '%s', expected cpu or gpu", device);
    if (papers || peers)
        return suite_verify(papers ? &papers_suite : &peers_suite, operands, argv + 1, list, style, &settings);
    if (is_long || threads > 1 || device)
        return cli_usage("verify", "--long, --threads and --device need --papers or --peers");
    code = choose(operands, argv + 1, count, all, chosen);
    if (code != CLI_GO_ON) return code;
    for (int k = 0; list && k < count; ++k)
        if (chosen[k]) printf("%-31s %s\n", all[k]->name, all[k]->explanation);
    if (list) return CLI_DONE;

    verify_report report = verify_begin(style);
    for (int k = 0; k < count; ++k) {
        if (!chosen[k]) continue;
        finding f = all[k]->run(all[k]->argument);
        verify_row(&report, all[k]->name, all[k]->unit, &f);
    }
    return verify_end(&report);
}
