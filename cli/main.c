/* main.c: the command `scree`. One table of commands. */
#include "cli/cli.h"
#include "cli/system.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* ---- the commands ---------------------------------------------------------------------------------------------- */

static int cli_help(int argc, char **argv);

static const cli_command commands[] = {
    {"run", cli_run, "simulate a scene"},
    {"check", cli_check, "validate a scene and print what would be simulated"},
    {"play", cli_play, "one HTML file in which a scene runs, to slide values and drag bodies"},
    {"picture", cli_picture, "draw a frame of a run as PNG, or its frames as GIF or MP4"},
    {"report", cli_report, "one HTML file to look at a run: replay, plots, tables; compares two runs"},
    {"heap", cli_heap, "measure the heap of a run: angle of repose, height, profile"},
    {"sweep", cli_sweep, "run a scene many times with other values, and tabulate the results"},
    {"contact", cli_contact, "solve one contact: reaction, velocity, mode, every solution"},
    {"solve", cli_solve, "solve a problem of many contacts, with a certificate"},
    {"solvers", cli_solvers, "list the solvers and their options"},
    {"generate", cli_generate, "contact problems of sphere piles, of any size, to measure solvers on"},
    {"export", cli_export, "write a scene of soft spheres as input of LAMMPS"},
    {"import", cli_import, "make the folder of a run of what LAMMPS has written"},
    {"convert", cli_convert, "problem files from one format into another; frames of a run to VTK, dump, CSV"},
    {"devices", cli_devices, "list the machines that step soft contacts: processor, GPUs"},
    {"verify", cli_verify, "compare with theory: expected, computed, error"},
    {"bench", cli_bench, "measure speed, with the accuracy reached"},
    {"help", cli_help, "explain a command: scree help contact; completion for shells"},
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
          "  --help, -h     this text; scree COMMAND --help explains a command\n"
          "  --version, -V  version, commit and BLAS\n\n"
          "exit status: 0 done and converged, 1 a solver did not converge or a check failed, 2 wrong usage,\n"
          "             3 bad input, 4 the machine failed (memory, disk)\n\n"
          "Numbers are in SI units, or have a unit: --until 2, --until '5 ms'.\n\n"
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

/* ---- help, the manual page, completion --------------------------------------------------------------------------- */

/// What the command makes of its table of options (cli_describe).
static int describe(const cli_command *c, const char *prefix, const char *format)
{
    char name[32], option[32];
    snprintf(name, sizeof name, "%s%s", prefix, c->name);
    snprintf(option, sizeof option, "--help=%s", format);
    return c->run(2, (char *[]){name, option, NULL});
}

/// The same for all commands; with `mark`, lines that begin so stand before and after each.
static void describe_all(const char *format, const char *mark)
{
    for (int k = 0; k < COMMAND_COUNT; ++k) {
        const cli_command *suite = strcmp(commands[k].name, "bench") == 0 ? cli_bench_suites : NULL;
        const cli_command *c = &commands[k];
        for (const char *prefix = ""; c && c->name; c = prefix[0] ? c + 1 : suite, prefix = "bench ") {
            if (mark) printf("%s %s%s\n", mark, prefix, c->name);
            describe(c, prefix, format);
            if (mark) printf("%s end\n", mark);
        }
    }
}

/// The parts of docs/man/scree.1 that are made, each between two marks.
static void print_manual(void)
{
    puts(".\\\" made: synopsis");
    describe_all("synopsis", NULL);
    puts(".Nm\n.Fl -help | Fl -version\n.\\\" made: end");
    describe_all("manual", ".\\\" made:");
}

static void print_bash(void)
{
    puts("# Completion of scree in bash; made by: scree help --completion bash\n_scree() {\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
         "    local options='' names='' values='' takes='' words=''\n"
         "    if [ \"$command\" = bench ] && [ \"$COMP_CWORD\" -gt 2 ]; then command=\"bench ${COMP_WORDS[2]}\"; fi\n"
         "    case $command in");
    describe_all("bash", NULL);
    fputs("    esac\n    if [ \"$COMP_CWORD\" -eq 1 ]; then words='", stdout);
    for (int k = 0; k < COMMAND_COUNT; ++k) printf("%s ", commands[k].name);
    puts("--help --version'\n"
         "    elif [ -n \"$takes\" ]; then words=$values\n"
         "    else words=\"$names $options\"; fi\n"
         "    # shellcheck disable=SC2207\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n"
         "complete -o default -F _scree scree"); /* file names where nothing else fits */
}

static void print_zsh(void)
{
    puts("#compdef scree\n# Completion of scree in zsh; made by: scree help --completion zsh\n_scree() {\n"
         "    local -a commands\n    commands=(");
    for (int k = 0; k < COMMAND_COUNT; ++k) {
        printf("        '%s:", commands[k].name);
        for (const char *c = commands[k].summary; *c; ++c) printf(*c == ':' ? "\\%c" : "%c", *c);
        puts("'");
    }
    puts("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
         "    local command=${words[2]}\n"
         "    (( CURRENT > 3 )) && [[ $command == bench ]] && command=\"bench ${words[3]}\"\n"
         "    shift words\n    (( CURRENT -= 1 ))\n    case $command in");
    describe_all("zsh", NULL);
    puts("    esac\n}\n_scree \"$@\"");
}

static void print_fish(void)
{
    puts("# Completion of scree in fish; made by: scree help --completion fish\n"
         "function __scree_at\n    set -l words (commandline -opc)\n"
         "    set -l first $words[2..(math 1 + (count $argv))]\n"
         "    test \"$first\" = \"$argv\"\nend");
    for (int k = 0; k < COMMAND_COUNT; ++k)
        printf("complete -c scree -n '__fish_use_subcommand' -f -a '%s' -d '%s'\n", commands[k].name,
               commands[k].summary);
    describe_all("fish", NULL);
}

/// scree help bench NAME.
static int describe_suite(const char *name)
{
    if (strcmp(name, "dem") == 0) {
        puts("Steps of soft spheres are measured by the program scree_bench_dem, in the folder bin of the build:\n"
             "  build/release/bin/scree_bench_dem --help");
        return CLI_DONE;
    }
    for (const cli_command *c = cli_bench_suites; c->name; ++c)
        if (strcmp(name, c->name) == 0) return describe(c, "bench ", "text");
    return cli_usage("help", "unknown measurement '%s': scree help bench lists them", name);
}

static int cli_help(int argc, char **argv)
{
    static const char *const shells[] = {"bash", "zsh", "fish", NULL};
    static const char *names[COMMAND_COUNT + 1];
    const char *shell = NULL;
    int manual = 0, operands;
    for (int k = 0; k < COMMAND_COUNT; ++k) names[k] = commands[k].name;
    const cli_about about = {.operands = "[COMMAND]",
                             .text = "Prints the commands, or explains one of them.",
                             .examples = "scree help contact",
                             .names = names};
    const cli_option options[] = {
        {"--completion", NULL, CLI_WORD, &shell,
         .text = "prints the script that completes commands and options in a shell", .words = shells},
        {"--manual", NULL, CLI_FLAG, &manual, .text = "prints what docs/man/scree.1 has from the tables of options"},
    };
    int code = cli_options(argc, argv, &about, options, CLI_COUNT_OF(options), &operands);
    if (code != CLI_GO_ON) return code;
    int suite = operands == 2 && strcmp(argv[1], "bench") == 0;
    if (operands > 1 && !suite) return cli_usage("help", "%d commands given, expected one", operands);
    if (manual) print_manual();
    else if (shell) strcmp(shell, "bash") == 0 ? print_bash() : strcmp(shell, "zsh") == 0 ? print_zsh() : print_fish();
    else if (operands == 0) print_help(stdout);
    if (manual || shell || operands == 0) return CLI_DONE;
    if (suite) return describe_suite(argv[2]);
    const cli_command *c = find_command(argv[1]);
    return c ? describe(c, "", "text") : unknown_command(argv[1]);
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
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("scree %s (commit %s)\n", scree_version(), cli_commit());
        if (cli_blas()) printf("BLAS: %s\n", cli_blas());
        return CLI_DONE;
    }
    if (argv[1][0] == '-')
        return cli_usage(NULL, "unknown option '%s'%s", argv[1], cli_did_you_mean(argv[1], options, 2, hint));
    const cli_command *c = find_command(argv[1]);
    return c ? c->run(argc - 1, argv + 1) : unknown_command(argv[1]);
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is a failed write, with a message */
    int code = run(argc, argv);
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) { /* a full disk must not look like success */
        fprintf(stderr, "scree: error: cannot write the output: %s\n", strerror(errno ? errno : EIO));
        code = CLI_MACHINE;
    }
    return code;
}
