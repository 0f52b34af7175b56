/* cli.h: what the commands of `scree` share: exit status, options, messages.
 *
 * A command is a function of (argc, argv) with argv[0] its own name. It returns an exit status; results go to stdout,
 * messages to stderr. To add one: its prototype below, and one line in the table of main.c. */
#ifndef SCREE_CLI_H
#define SCREE_CLI_H

#include <scree/base.h>
#include <stdio.h>

enum cli_exit {
    CLI_DONE = 0,       /* done, and converged, and verified                  */
    CLI_FELL_SHORT = 1, /* ended, but a solver or a check fell short          */
    CLI_USAGE = 2,      /* wrong usage                                        */
    CLI_BAD_INPUT = 3,  /* the input is wrong or cannot be read               */
    CLI_MACHINE = 4     /* the machine failed: memory, disk                   */
};

/* ---- the commands ---------------------------------------------------------------------------------------------- */

typedef struct cli_command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} cli_command;

int cli_check(int argc, char **argv);
int cli_contact(int argc, char **argv);
int cli_convert(int argc, char **argv);
int cli_devices(int argc, char **argv);
int cli_export(int argc, char **argv);
int cli_generate(int argc, char **argv);
int cli_heap(int argc, char **argv);
int cli_import(int argc, char **argv);
int cli_verify(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_picture(int argc, char **argv);
int cli_play(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_run(int argc, char **argv);
int cli_solve(int argc, char **argv);
int cli_solvers(int argc, char **argv);
int cli_sweep(int argc, char **argv);

/// What `scree bench` measures; ended by one without a name.
extern const cli_command cli_bench_suites[];
int cli_bench_solve(int argc, char **argv);
int cli_bench_pile(int argc, char **argv);

/* ---- options: one table per command, from which come the parser, --help, the manual page and completion ---------- */

typedef enum cli_kind {
    CLI_FLAG,         /* --name          target: int, set to 1                           */
    CLI_TEXT,         /* --name VALUE    target: const char *                            */
    CLI_PATH,         /* the same, completed as a file or folder                         */
    CLI_WORD,         /* the same, one of `words`                                        */
    CLI_TEXTS,        /* --name VALUE    target: cli_texts; may be repeated              */
    CLI_COUNT,        /* --name VALUE    target: int, 1 or more                          */
    CLI_POSITIVE,     /* --name VALUE    target: double above 0, in SI, or with a unit   */
    CLI_NOT_NEGATIVE, /* the same, 0 or more                                             */
    CLI_NUMBER        /* the same, any finite number                                     */
} cli_kind;

enum { CLI_TEXTS_MAX = 64 };

typedef struct cli_texts {
    int count;
    const char *text[CLI_TEXTS_MAX];
} cli_texts;

typedef struct cli_option {
    const char *name;     /* with its dashes: "--json", "-o"                            */
    const char *argument; /* what help calls the value: "DIR"; NULL for a flag          */
    cli_kind kind;
    void *target;             /* written only if the option is given                    */
    const char *text;         /* one sentence or several                                */
    const char *unit;         /* SI unit of numbers: "s"; NULL: they have none          */
    const char *const *words; /* CLI_WORD, and what completion offers; ended by NULL    */
} cli_option;

/// What a command tells of itself. Texts are filled to the width of a page; lines that begin with a blank stay as they are, but for those
/// too long, which continue below their second column.
typedef struct cli_about {
    const char *operands;        /* "SCENE", "DIR [DIR2]"; "": none                               */
    const char *forms;           /* further ways of use, a line each, without "scree COMMAND"; NULL */
    const char *text;            /* what it does                                                  */
    const char *notes;           /* after the options; NULL                                       */
    const char *exits;           /* "0 done; 2 wrong usage; ..."; NULL                            */
    const char *examples;        /* a line each                                                   */
    const char *const *names;    /* operands that completion offers; ended by NULL; NULL: files   */
    void (*appendix)(FILE *out); /* at the end of --help; NULL                                    */
} cli_about;

enum { CLI_GO_ON = -1 };

/// Reads the options of a command, wherever they stand; "--name=VALUE" works too, "--" ends them. The operands are moved
/// to the front of argv: argv[1] to argv[*operands]. Returns CLI_GO_ON, or the exit status after --help (prints it)
/// or a mistake (prints what is wrong).
int cli_options(int argc, char **argv, const cli_about *about, const cli_option *options, int option_count,
                int *operands);
#define CLI_COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

/// What is made of the table: --help for people, and for docs/man/scree.1 and the completion of shells (--help=FORMAT, which
/// tests/cli/help.sh and main.c use).
int cli_describe(const char *format, const char *command, const cli_about *about, const cli_option *options,
                 int option_count);

/// Prints "scree COMMAND: error: text" and where to find help; returns CLI_USAGE. `command` NULL: of the program itself.
int cli_usage(const char *command, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/// The word nearest to a mistyped one as " (did you mean 'word'?)", or "". `buffer` of 64 bytes.
const char *cli_did_you_mean(const char *word, const char *const *words, int count, char *buffer);

/* ---- exit status and messages ---------------------------------------------------------------------------------- */

/// The exit status of a cause: of a command that cannot begin or finish, and of a run that a step has stopped, whose results up to there
/// are kept. Both are columns of one table.
int cli_exit_of(scree_status status);
int cli_exit_of_stopped(scree_status status);

/// Prints "file:line:column: error: text", and the line of `text` with a caret under the column. `text` may be NULL.
void cli_print_error(const scree_error *error, const char *text, size_t size);

/// The same with the text read again from the file that the error names, where there is one.
void cli_print_file_error(const scree_error *error);

#endif
