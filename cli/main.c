/* main.c: the command `scree`. One table of commands. */
#include "cli/cli.h"
#include "cli/system.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- the commands ---------------------------------------------------------------------------------------------- */

static int cli_help(int argc, char **argv);

typedef struct cli_command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} cli_command;

static const cli_command commands[] = {
    {"run", cli_run, "simulate a scene"},
    {"check", cli_check, "validate a scene and print what would be simulated"},
    {"picture", cli_picture, "draw a frame of a run as PNG, or its frames as GIF or MP4"},
    {"report", cli_report, "one HTML file to look at a run: replay, plots, tables; compares two runs"},
    {"heap", cli_heap, "measure the heap of a run: angle of repose, height, profile"},
    {"sweep", cli_sweep, "run a scene many times with other values, and tabulate the results"},
    {"contact", cli_contact, "solve one contact: reaction, velocity, mode, every solution"},
    {"solve", cli_solve, "solve a problem of many contacts, with a certificate"},
    {"solvers", cli_solvers, "list the solvers and their options"},
    {"generate", cli_generate, "contact problems of sphere piles, of any size, to measure solvers on"},
    {"convert", cli_convert, "problem files from one format into another; frames of a run to VTK, dump, CSV"},
    {"verify", cli_verify, "compare with theory: expected, computed, error"},
    {"bench", cli_bench, "measure speed, with the accuracy reached"},
    {"help", cli_help, "explain a command: scree help contact"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static const cli_command *find_command(const char *name)
{
    for (int k = 0; k < COMMAND_COUNT; ++k)
        if (strcmp(name, commands[k].name) == 0) return &commands[k];
    return NULL;
}

static void print_help(FILE *out)
{
    fputs("scree: frictional contact of rigid bodies and grains: sliding, rolling and spinning.\n\n"
          "usage: scree COMMAND [ARGUMENT]...\n\ncommands:\n",
          out);
    for (int k = 0; k < COMMAND_COUNT; ++k) fprintf(out, "  %-9s %s\n", commands[k].name, commands[k].summary);
    fputs("\noptions:\n"
          "  --help     this text; scree COMMAND --help explains a command\n"
          "  --version  version and commit\n\n"
          "exit status: 0 done and converged, 1 a solver did not converge or a check failed, 2 wrong usage,\n"
          "             3 bad input, 4 the machine failed (memory, disk)\n\n"
          "examples:\n"
          "  scree run examples/ball.yaml -o out/ball\n"
          "  scree picture out/ball -o ball.png\n"
          "  scree contact examples/contact/bonnefon-daviet.yaml\n",
          out);
}

static int unknown_command(const char *name)
{
    const char *words[COMMAND_COUNT];
    char hint[64];
    for (int k = 0; k < COMMAND_COUNT; ++k) words[k] = commands[k].name;
    return cli_usage(NULL, "unknown command '%s'%s", name, cli_did_you_mean(name, words, COMMAND_COUNT, hint));
}

static int cli_help(int argc, char **argv)
{
    static const char help[] = "usage: scree help [COMMAND]\n\n"
                               "Prints the commands, or explains one of them.\n\n"
                               "example:\n  scree help contact\n";
    int operands, code = cli_options(argc, argv, help, NULL, 0, &operands);
    if (code != CLI_GO_ON) return code;
    if (operands > 1) return cli_usage("help", "%d commands given, expected one", operands);
    if (operands == 0) {
        print_help(stdout);
        return CLI_DONE;
    }
    const cli_command *c = find_command(argv[1]);
    if (!c) return unknown_command(argv[1]);
    char name[16], option[] = "--help";
    snprintf(name, sizeof name, "%s", c->name);
    return c->run(2, (char *[]){name, option, NULL});
}

static int run(int argc, char **argv)
{
    static const char *const options[] = {"--help", "--version"};
    char hint[64];
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return CLI_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("scree %s (commit %s)\n", scree_version(), cli_commit());
        return CLI_DONE;
    }
    if (argv[1][0] == '-')
        return cli_usage(NULL, "unknown option '%s'%s", argv[1], cli_did_you_mean(argv[1], options, 2, hint));
    const cli_command *c = find_command(argv[1]);
    return c ? c->run(argc - 1, argv + 1) : unknown_command(argv[1]);
}

int main(int argc, char **argv)
{
    int code = run(argc, argv);
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) { /* a full disk must not look like success */
        fprintf(stderr, "scree: error: cannot write the output: %s\n", strerror(errno ? errno : EIO));
        code = CLI_MACHINE;
    }
    return code;
}
