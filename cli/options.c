/* options.c: what all commands share: options and operands, exit status, messages (cli.h). */
#include "cli/cli.h"

#include <scree/files.h>
#include <scree/scene.h>

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- colour ---------------------------------------------------------------------------------------------------- */

/// Whether messages have colours: on a terminal that has them, unless NO_COLOR is set (no-color.org).
static int in_colour(void)
{
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && !(no && no[0]) && terminal && terminal[0] && strcmp(terminal, "dumb") != 0;
}

static const char *error_word(void)
{
    return in_colour() ? "\033[1;31merror:\033[0m" : "error:";
}

/* ---- options --------------------------------------------------------------------------------------------------- */

int cli_usage(const char *command, const char *format, ...)
{
    char name[64];
    if (command && strncmp(command, "scree_", 6) == 0) snprintf(name, sizeof name, "%s", command); /* a program */
    else snprintf(name, sizeof name, "scree%s%s", command ? " " : "", command ? command : "");
    fprintf(stderr, "%s: %s ", name, error_word());
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nTry '%s --help'.\n", name);
    return CLI_USAGE;
}

const char *cli_did_you_mean(const char *word, const char *const *words, int count, char *buffer)
{
    const char *near = scree_suggest(word, words, count);
    if (!near) return "";
    snprintf(buffer, 64, " (did you mean '%s'?)", near);
    return buffer;
}

/// A number, in SI or with a unit of the option's quantity.
static int take_number(const char *command, const cli_option *option, const char *value)
{
    scree_unit_value q;
    scree_error error = {0};
    const char *expected = option->kind == CLI_POSITIVE       ? "a number above 0"
                           : option->kind == CLI_NOT_NEGATIVE ? "a number >= 0"
                                                              : "a number";
    int good = scree_unit_parse(value, option->unit ? option->unit : "", &q, &error) == SCREE_OK;
    if (!good || !isfinite(q.value) || (option->kind == CLI_POSITIVE && q.value <= 0.0) ||
        (option->kind == CLI_NOT_NEGATIVE && q.value < 0.0))
        return cli_usage(command, "%s is '%s', expected %s%s%s%s", option->name, value, expected,
                         option->unit ? " [" : "", option->unit ? option->unit : "", option->unit ? "]" : "");
    *(double *)option->target = q.value;
    return CLI_GO_ON;
}

static int take_word(const char *command, const cli_option *option, const char *value)
{
    char list[512] = "", hint[64];
    int count = 0;
    for (; option->words[count]; ++count)
        if (strcmp(option->words[count], value) == 0) {
            *(const char **)option->target = value;
            return CLI_GO_ON;
        }
    for (int k = 0; k < count; ++k) {
        size_t n = strlen(list);
        snprintf(list + n, sizeof list - n, "%s%s", k == 0 ? "" : k + 1 < count ? ", " : " or ", option->words[k]);
    }
    return cli_usage(command, "%s is '%s', expected %s%s", option->name, value, list,
                     cli_did_you_mean(value, option->words, count, hint));
}

static int take_count(const char *command, const cli_option *option, const char *value)
{
    char *end;
    errno = 0;
    long n = strtol(value, &end, 10);
    if (end == value || *end || errno || n < 1 || n > INT_MAX)
        return cli_usage(command, "%s is '%s', expected a whole number from 1", option->name, value);
    *(int *)option->target = (int)n;
    return CLI_GO_ON;
}

/// Stores the value of an option; returns CLI_GO_ON or CLI_USAGE.
static int take_value(const char *command, const cli_option *option, const char *value)
{
    switch (option->kind) {
    case CLI_FLAG: *(int *)option->target = 1; return CLI_GO_ON;
    case CLI_TEXT:
    case CLI_PATH: *(const char **)option->target = value; return CLI_GO_ON;
    case CLI_WORD: return take_word(command, option, value);
    case CLI_TEXTS: {
        cli_texts *texts = option->target;
        if (texts->count == CLI_TEXTS_MAX)
            return cli_usage(command, "%s is given more than %d times", option->name, CLI_TEXTS_MAX);
        texts->text[texts->count++] = value;
        return CLI_GO_ON;
    }
    case CLI_COUNT: return take_count(command, option, value);
    case CLI_POSITIVE:
    case CLI_NOT_NEGATIVE:
    case CLI_NUMBER: return take_number(command, option, value);
    }
    return CLI_USAGE;
}

static int unknown_option(const char *command, const char *given, size_t length, const cli_option *options, int count)
{
    enum { MOST = 31 };
    const char *words[MOST + 1] = {"--help"};
    char hint[64] = "", word[33] = "";
    if (count > MOST) count = MOST;
    for (int k = 0; k < count; ++k) words[k + 1] = options[k].name;
    if (length < sizeof word && given[1] == '-') { /* every letter is near to every other */
        memcpy(word, given, length);
        word[length] = '\0';
        return cli_usage(command, "unknown option '%s'%s", word, cli_did_you_mean(word, words, count + 1, hint));
    }
    return cli_usage(command, "unknown option '%.*s'", (int)length, given);
}

int cli_options(int argc, char **argv, const cli_about *about, const cli_option *options, int option_count,
                int *operands)
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
        if (strcmp(a, "--help") == 0 || strcmp(a, "-h") == 0 || strncmp(a, "--help=", 7) == 0)
            return cli_describe(a[1] == '-' && a[6] == '=' ? a + 7 : "text", command, about, options, option_count);
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

/* ---- exit status and messages ---------------------------------------------------------------------------------------- */

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
    [SCREE_ERR_READ]        = {CLI_MACHINE,    CLI_MACHINE},
    [SCREE_ERR_DEVICE]      = {CLI_MACHINE,    CLI_MACHINE},
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
    scree_error_format(error, message, sizeof message);
    char *word = strstr(message, "error:");
    if (word && in_colour())
        fprintf(stderr, "%.*s%s%s\n", (int)(word - message), message, error_word(), word + strlen("error:"));
    else fprintf(stderr, "%s\n", message);
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
    size_t size = 0;
    char *text = error->line > 0 && error->file[0] ? scree_file_read(error->file, LARGEST, NULL, &size, NULL) : NULL;
    cli_print_error(error, size <= LARGEST ? text : NULL, size);
    free(text);
}
