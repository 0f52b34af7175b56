/* main.c: the command `scree`. One table of commands, and what they share (cli.h). */
#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/commit.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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
        printf("scree %s (commit %s)\n", scree_version(), SCREE_COMMIT);
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

/* ---- options --------------------------------------------------------------------------------------------------- */

int cli_usage(const char *command, const char *format, ...)
{
    const char *space = command ? " " : "";
    if (!command) command = "";
    fprintf(stderr, "scree%s%s: error: ", space, command);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nTry 'scree%s%s --help'.\n", space, command);
    return CLI_USAGE;
}

const char *cli_did_you_mean(const char *word, const char *const *words, int count, char *buffer)
{
    const char *near = suggest(word, strlen(word), words, count);
    if (!near) return "";
    snprintf(buffer, 64, " (did you mean '%s'?)", near);
    return buffer;
}

/// Stores the value of an option; returns CLI_GO_ON or CLI_USAGE.
static int take_value(const char *command, const cli_option *option, const char *value)
{
    char *end;
    errno = 0;
    switch (option->kind) {
    case CLI_FLAG: *(int *)option->target = 1; return CLI_GO_ON;
    case CLI_TEXT: *(const char **)option->target = value; return CLI_GO_ON;
    case CLI_TEXTS: {
        cli_texts *texts = option->target;
        if (texts->count == CLI_TEXTS_MAX)
            return cli_usage(command, "%s is given more than %d times", option->name, CLI_TEXTS_MAX);
        texts->text[texts->count++] = value;
        return CLI_GO_ON;
    }
    case CLI_REAL: {
        double x = strtod(value, &end);
        if (end == value || *end || !isfinite(x) || x <= 0.0)
            return cli_usage(command, "%s is '%s', expected a number above 0", option->name, value);
        *(double *)option->target = x;
        return CLI_GO_ON;
    }
    case CLI_COUNT: {
        long n = strtol(value, &end, 10);
        if (end == value || *end || errno || n < 1 || n > INT_MAX)
            return cli_usage(command, "%s is '%s', expected a whole number from 1", option->name, value);
        *(int *)option->target = (int)n;
        return CLI_GO_ON;
    }
    }
    return CLI_USAGE;
}

static int unknown_option(const char *command, const char *given, size_t length, const cli_option *options, int count)
{
    enum { MOST = 31 };
    const char *words[MOST + 1] = {"--help"};
    char hint[64] = "", word[SCREE_SUGGEST_LENGTH + 1];
    if (count > MOST) count = MOST;
    for (int k = 0; k < count; ++k) words[k + 1] = options[k].name;
    if (length < sizeof word && given[1] == '-') { /* every letter is near to every other */
        memcpy(word, given, length);
        word[length] = '\0';
        return cli_usage(command, "unknown option '%s'%s", word, cli_did_you_mean(word, words, count + 1, hint));
    }
    return cli_usage(command, "unknown option '%.*s'", (int)length, given);
}

int cli_options(int argc, char **argv, const char *help, const cli_option *options, int option_count, int *operands)
{
    const char *command = argv[0];
    int only_operands = 0;
    *operands = 0;
    for (int i = 1; i < argc; ++i) {
        char *a = argv[i];
        if (only_operands || a[0] != '-' || a[1] == '\0') { /* "-" is an operand: standard input */
            argv[++*operands] = a;
            continue;
        }
        if (strcmp(a, "--") == 0) {
            only_operands = 1;
            continue;
        }
        if (strcmp(a, "--help") == 0 || strcmp(a, "-h") == 0) {
            fputs(help, stdout);
            return CLI_DONE;
        }
        size_t length = strcspn(a, "=");
        const char *value = a[length] == '=' ? a + length + 1 : NULL;
        const cli_option *o = NULL;
        for (int k = 0; k < option_count; ++k)
            if (strlen(options[k].name) == length && strncmp(a, options[k].name, length) == 0) o = &options[k];
        if (!o) return unknown_option(command, a, length, options, option_count);
        if (o->kind == CLI_FLAG && value) return cli_usage(command, "%s takes no value", o->name);
        if (o->kind != CLI_FLAG && !value) {
            if (i + 1 == argc) return cli_usage(command, "%s needs a value", o->name);
            value = argv[++i];
        }
        int code = take_value(command, o, value);
        if (code != CLI_GO_ON) return code;
    }
    return CLI_GO_ON;
}

/* ---- input and messages ---------------------------------------------------------------------------------------- */

scree_status cli_read(const char *path, size_t limit, char **text, size_t *size, scree_error *error)
{
    int is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    scree_status status = SCREE_OK;
    char *buffer = malloc(limit + 1);
    *text = NULL, *size = 0;
    if (!buffer) {
        scree_error_set(error, path, 0, 0, "out of memory while reading");
        status = SCREE_ERR_MEMORY;
    } else if (!file) {
        scree_error_set(error, path, 0, 0, "cannot open the file: %s", strerror(errno));
        status = SCREE_ERR_FILE;
    } else {
        errno = 0;
        *size = fread(buffer, 1, limit + 1, file);
        if (ferror(file)) {
            scree_error_set(error, is_stdin ? "<stdin>" : path, 0, 0, "cannot read the file: %s",
                            strerror(errno ? errno : EIO));
            status = SCREE_ERR_FILE;
        }
    }
    if (file && !is_stdin) fclose(file);
    if (status == SCREE_OK) *text = buffer;
    else free(buffer);
    return status;
}

/* clang-format off */
/* A step that is too long is a mistake in the scene before the run, and a check that failed during it: grains may come to press harder than
 * anyone could know beforehand. docs/embedding.md has the same table. */
static const struct {
    int refused, stopped;
} exit_of[SCREE_STATUS_COUNT] = {
    [SCREE_OK]              = {CLI_DONE,       CLI_DONE},
    [SCREE_ERR_INPUT]       = {CLI_BAD_INPUT,  CLI_BAD_INPUT},
    [SCREE_ERR_FILE]        = {CLI_BAD_INPUT,  CLI_BAD_INPUT},
    [SCREE_ERR_MEMORY]      = {CLI_MACHINE,    CLI_MACHINE},
    [SCREE_ERR_UNSUPPORTED] = {CLI_USAGE,      CLI_USAGE},
    [SCREE_ERR_STEP]        = {CLI_BAD_INPUT,  CLI_FELL_SHORT},
    [SCREE_ERR_SOLVER]      = {CLI_FELL_SHORT, CLI_FELL_SHORT},
    [SCREE_ERR_RUNAWAY]     = {CLI_FELL_SHORT, CLI_FELL_SHORT},
    [SCREE_ERR_WRITE]       = {CLI_MACHINE,    CLI_MACHINE},
};
/* clang-format on */

int cli_exit_of(scree_status status)
{
    return exit_of[status].refused;
}

int cli_exit_of_stopped(scree_status status)
{
    return exit_of[status].stopped;
}

/// The line numbered from 1, without its end; NULL if the text has fewer.
static const char *find_line(const char *text, size_t size, int line, size_t *length)
{
    size_t at = 0, end;
    for (int k = 1; k < line; ++k) {
        while (at < size && text[at] != '\n' && text[at] != '\r') ++at;
        if (at == size) return NULL;
        at += text[at] == '\r' && at + 1 < size && text[at + 1] == '\n' ? 2 : 1;
    }
    for (end = at; end < size && text[end] != '\n' && text[end] != '\r';) ++end;
    *length = end - at;
    return text + at;
}

void cli_print_error(const scree_error *error, const char *text, size_t size)
{
    enum { WIDEST = 160 }; /* a longer line is shown around the column only */
    char message[1200];
    size_t length = 0;
    fprintf(stderr, "%s\n", scree_error_format(error, message, sizeof message));
    const char *line = text && error->line > 0 ? find_line(text, size, error->line, &length) : NULL;
    if (!line || length == 0 || error->column < 1) return;

    size_t caret = 0; /* byte of the column: columns count characters, UTF-8 has several bytes for some */
    for (int k = 1; k < error->column && caret < length; ++k) do
            ++caret;
        while (caret < length && ((unsigned char)line[caret] & 0xC0) == 0x80);
    if (length > WIDEST) {
        size_t from = caret > WIDEST / 2 ? caret - WIDEST / 2 : 0;
        while (from > 0 && ((unsigned char)line[from] & 0xC0) == 0x80) --from;
        line += from, caret -= from, length -= from;
        if (length > WIDEST) length = WIDEST;
        while (length > caret && ((unsigned char)line[length - 1] & 0x80)) --length; /* no half character at the end */
    }
    fputs("  ", stderr);
    for (size_t i = 0; i < length; ++i) {
        unsigned char c = (unsigned char)line[i];
        fputc((c < 0x20 && c != '\t') || c == 0x7F ? '?' : c, stderr);
    }
    fputs("\n  ", stderr);
    for (size_t i = 0; i < caret; ++i) /* tabs stay tabs, so that the caret stands below its character */
        if (((unsigned char)line[i] & 0xC0) != 0x80) fputc(line[i] == '\t' ? '\t' : ' ', stderr);
    fputs("^\n", stderr);
}

void cli_print_file_error(const scree_error *error)
{
    enum { LARGEST = 64 << 20 }; /* bytes; the place in a longer file is named, not shown */
    char *text = NULL;
    size_t size = 0;
    FILE *file = error->line > 0 && error->file[0] ? fopen(error->file, "rb") : NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        long length = ftell(file);
        rewind(file);
        if (length > 0 && length <= LARGEST && (text = malloc((size_t)length)))
            size = fread(text, 1, (size_t)length, file);
    }
    if (file) fclose(file);
    cli_print_error(error, text, size);
    free(text);
}
