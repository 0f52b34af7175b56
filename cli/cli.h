/* cli.h: what the commands of `scree` share: exit status, options, messages.
 *
 * A command is a function of (argc, argv) with argv[0] its own name. It returns an exit status; results go to stdout,
 * messages to stderr. To add one: its prototype below, and one line in the table of main.c. */
#ifndef SCREE_CLI_H
#define SCREE_CLI_H

#include <scree/base.h>

enum cli_exit {
    CLI_DONE = 0,       /* done, and converged, and verified                  */
    CLI_FELL_SHORT = 1, /* ended, but a solver or a check fell short          */
    CLI_USAGE = 2,      /* wrong usage                                        */
    CLI_BAD_INPUT = 3,  /* the input is wrong or cannot be read               */
    CLI_MACHINE = 4     /* the machine failed: memory, disk                   */
};

/* ---- the commands ---------------------------------------------------------------------------------------------- */

int cli_check(int argc, char **argv);
int cli_contact(int argc, char **argv);
int cli_convert(int argc, char **argv);
int cli_generate(int argc, char **argv);
int cli_heap(int argc, char **argv);
int cli_verify(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_bench_solve(int argc, char **argv); /* scree bench solve */
int cli_bench_pile(int argc, char **argv);  /* scree bench pile */
int cli_picture(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_run(int argc, char **argv);
int cli_solve(int argc, char **argv);
int cli_solvers(int argc, char **argv);
int cli_sweep(int argc, char **argv);

/* ---- options --------------------------------------------------------------------------------------------------- */

typedef enum cli_kind {
    CLI_FLAG,  /* --name          target: int, set to 1                           */
    CLI_TEXT,  /* --name VALUE    target: const char *                            */
    CLI_REAL,  /* --name VALUE    target: double, finite and > 0                  */
    CLI_COUNT, /* --name VALUE    target: int, 1 or more                          */
    CLI_TEXTS  /* --name VALUE    target: cli_texts; may be repeated              */
} cli_kind;

enum { CLI_TEXTS_MAX = 64 };

typedef struct cli_texts {
    int count;
    const char *text[CLI_TEXTS_MAX];
} cli_texts;

typedef struct cli_option {
    const char *name; /* with its dashes: "--json" */
    cli_kind kind;
    void *target; /* written only if the option is given */
} cli_option;

enum { CLI_GO_ON = -1 };

/// Reads the options of a command, wherever they stand; "--name=VALUE" works too, "--" ends them. The operands are moved
/// to the front of argv: argv[1] to argv[*operands]. Returns CLI_GO_ON, or the exit status after --help (prints `help`)
/// or a mistake (prints what is wrong).
int cli_options(int argc, char **argv, const char *help, const cli_option *options, int option_count, int *operands);

/// Prints "scree COMMAND: error: text" and where to find help; returns CLI_USAGE.
int cli_usage(const char *command, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/// The word nearest to a mistyped one as " (did you mean 'word'?)", or "". `buffer` of 64 bytes.
const char *cli_did_you_mean(const char *word, const char *const *words, int count, char *buffer);

/* ---- exit status and messages ---------------------------------------------------------------------------------------- */

/// The exit status of a cause: of a command that cannot begin or finish, and of a run that a step has stopped, whose results up to there
/// are kept. Both are columns of one table.
int cli_exit_of(scree_status status);
int cli_exit_of_stopped(scree_status status);

/// Prints "file:line:column: error: text", and the line of `text` with a caret under the column. `text` may be NULL.
void cli_print_error(const scree_error *error, const char *text, size_t size);

/// The same with the text read again from the file that the error names, where there is one.
void cli_print_file_error(const scree_error *error);

#endif
