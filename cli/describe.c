/* describe.c: a command's table of options, as people and shells read it (cli.h): the text of --help, the lists of options and the synopsis
 * of docs/man/scree.1 (mdoc(7)), and completion for bash, zsh and fish. Everything about an option stands in its row, once. */
#include "cli/cli.h"
#include "cli/system.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 104, LEFT_MAX = 20 }; /* columns of a page; of the names of options */

typedef struct table {
    const char *command;
    const cli_about *about;
    const cli_option *option;
    int count;
} table;

/* ---- words ------------------------------------------------------------------------------------------------------------------ */

/// What the value of an option is called: its argument, or its words: "row|full". NULL: it takes none.
static char *argument_of(const cli_option *o)
{
    char *text;
    size_t size;
    if (o->kind == CLI_FLAG) return NULL;
    if (o->argument) return cli_copy(o->argument);
    FILE *out = cli_text_open(&text, &size);
    for (int k = 0; o->words[k]; ++k) fprintf(out, "%s%s", k ? "|" : "", o->words[k]);
    cli_text_close(out, &text);
    return text;
}

/// "--until T"
static char *name_of(const cli_option *o)
{
    char *text, *argument = argument_of(o);
    size_t size;
    FILE *out = cli_text_open(&text, &size);
    fprintf(out, "%s%s%s", o->name, argument ? " " : "", argument ? argument : "");
    cli_text_close(out, &text);
    free(argument);
    return text;
}

/// The text with the unit after its first clause: "time to stop at [s], instead of the scene's".
static char *text_of(const cli_option *o)
{
    char *text;
    size_t size;
    FILE *out = cli_text_open(&text, &size);
    size_t clause = strcspn(o->text, o->unit ? ",;:" : "");
    fwrite(o->text, 1, clause, out);
    if (o->unit) fprintf(out, " [%s]", o->unit);
    fputs(o->text + clause, out);
    cli_text_close(out, &text);
    return text;
}

static const cli_option help_row = {.name = "--help", .kind = CLI_FLAG, .text = "this text"};

/* ---- filled lines ------------------------------------------------------------------------------------------------------------ */

/// Prints words [text, end) from column `at` on, continued below column `hang`; ends the line.
static void fill(const char *text, const char *end, int at, int hang)
{
    int first = 1;
    while (text < end) {
        while (text < end && *text == ' ') ++text;
        const char *stop = text;
        while (stop < end && *stop != ' ') ++stop;
        int length = (int)(stop - text);
        if (length == 0) break;
        if (!first && at + 1 + length > WIDTH) {
            printf("\n%*s", hang, "");
            at = hang, first = 1;
        }
        printf("%s%.*s", first ? "" : " ", length, text);
        at += length + !first, first = 0, text = stop;
    }
    putchar('\n');
}

/// A paragraph, or a row of a table that begins with blanks: what is too long continues below its second column.
static void put_line(const char *line, const char *end)
{
    int blanks = 0, column = 0;
    while (line + blanks < end && line[blanks] == ' ') ++blanks;
    for (const char *c = line + blanks; blanks > 0 && c + 1 < end && column == 0; ++c)
        if (c[0] == ' ' && c[1] == ' ') {
            while (c < end && *c == ' ') ++c;
            column = (int)(c - line);
        }
    if (column > 0) printf("%.*s", column, line), fill(line + column, end, column, column);
    else {
        printf("%*s", blanks, "");
        fill(line + blanks, end, blanks, blanks);
    }
}

static void put_paragraphs(const char *text)
{
    while (*text) {
        const char *end = text + strcspn(text, "\n");
        put_line(text, end);
        text = *end ? end + 1 : end;
    }
}

/* ---- --help ------------------------------------------------------------------------------------------------------------------ */

static void put_usage(const table *t)
{
    char *usage;
    size_t size;
    FILE *out = cli_text_open(&usage, &size);
    fputs(t->about->operands, out);
    for (int k = 0; k < t->count; ++k) { /* '\t' for blanks that must not become the end of a line */
        char *argument = argument_of(&t->option[k]);
        fprintf(out, " [%s%s%s]%s", t->option[k].name, argument ? "\t" : "", argument ? argument : "",
                t->option[k].kind == CLI_TEXTS ? "..." : "");
        free(argument);
    }
    cli_text_close(out, &usage);
    const int program = strncmp(t->command, "scree_", 6) == 0;
    int at = printf("usage: %s%s ", program ? "" : "scree ", t->command), column = at, first = 1;
    for (char *word = strtok(usage, " "); word; word = strtok(NULL, " ")) {
        int length = (int)strlen(word);
        if (!first && column + 1 + length > WIDTH) printf("\n%*s", at, ""), column = at, first = 1;
        if (!first) putchar(' '), ++column;
        for (char *c = word; *c; ++c) putchar(*c == '\t' ? ' ' : *c);
        column += length, first = 0;
    }
    putchar('\n');
    free(usage);
    for (const char *form = t->about->forms; form && *form;) {
        int length = (int)strcspn(form, "\n");
        printf("       scree %s %.*s\n", t->command, length, form);
        form += length + (form[length] == '\n');
    }
}

static void put_row(const cli_option *o, int left)
{
    char *name = name_of(o), *text = text_of(o);
    int used = printf("  %s", name);
    if (used > left - 2) printf("\n%*s", left, "");
    else printf("%*s", left - used, "");
    fill(text, text + strlen(text), left, left);
    free(name), free(text);
}

static int left_column(const table *t)
{
    int widest = (int)strlen(help_row.name);
    for (int k = 0; k < t->count; ++k) {
        char *name = name_of(&t->option[k]);
        int length = (int)strlen(name);
        if (length > widest && length <= LEFT_MAX) widest = length;
        free(name);
    }
    return widest + 4;
}

static void put_lines(const char *title, const char *lines)
{
    int count = 1; /* a line that begins with a blank continues the one before */
    for (const char *c = lines; (c = strchr(c, '\n')); ++c) count += c[1] != ' ';
    printf("\n%s%s:\n", title, count > 1 ? "s" : "");
    while (*lines) {
        int length = (int)strcspn(lines, "\n");
        printf("  %.*s\n", length, lines);
        lines += length + (lines[length] == '\n');
    }
}

static void put_help(const table *t)
{
    const cli_about *about = t->about;
    put_usage(t);
    putchar('\n');
    put_paragraphs(about->text);
    printf("\noptions:\n");
    for (int k = 0, left = left_column(t); k <= t->count; ++k) put_row(k < t->count ? &t->option[k] : &help_row, left);
    if (about->notes) putchar('\n'), put_paragraphs(about->notes);
    if (about->exits) {
        int at = printf("\nexit status: ") - 1;
        fill(about->exits, about->exits + strlen(about->exits), at, at);
    }
    put_lines("example", about->examples);
    if (about->appendix) putchar('\n'), about->appendix(stdout);
}

/* ---- the manual page ---------------------------------------------------------------------------------------------------------- */

/// "[-o DIR]", "SCENE", "--resume" as a line of mdoc, or as words of one.
static void put_mdoc_word(const char *word, size_t length)
{
    if (word[0] == '-') {
        printf("Fl %.*s", (int)length - 1, word + 1);
    } else {
        size_t plain = length > 3 && strncmp(word + length - 3, "...", 3) == 0 ? length - 3 : length;
        printf("Ar %.*s%s", (int)plain, word, plain < length ? " ..." : "");
    }
}

/// A form of use. Words in brackets are optional together.
static void put_mdoc_form(const char *command, const char *form, size_t length)
{
    printf(".Nm\n.Cm %s\n", command);
    for (size_t k = 0, depth = 0; k < length;) {
        size_t n = strcspn(form + k, " \n"), at = k;
        if (form[k] == '[') ++at, --n, depth = 1;
        printf(depth && at > k ? ".Op " : depth ? " " : ".");
        size_t word = n;
        int closes = 0;
        while (depth && word > 0 &&
               (form[at + word - 1] == ']' || (form[at + word - 1] == '.' && memchr(form + at, ']', word))))
            closes |= form[at + --word] == ']';
        put_mdoc_word(form + at, word);
        if (closes && form[at + n - 1] == '.') printf(" ...");
        if (closes) depth = 0;
        if (!depth) putchar('\n');
        k = at + n + 1;
    }
}

static void put_synopsis(const table *t)
{
    if (*t->about->operands || !t->about->forms)
        put_mdoc_form(t->command, t->about->operands, strlen(t->about->operands));
    for (int k = 0; k < t->count; ++k) {
        char *argument = argument_of(&t->option[k]);
        printf(".Op Fl %s", t->option[k].name + 1);
        if (argument) printf(" Ar %s", argument);
        printf("%s\n", t->option[k].kind == CLI_TEXTS ? " ..." : "");
        free(argument);
    }
    for (const char *form = t->about->forms; form && *form;) {
        size_t length = strcspn(form, "\n");
        put_mdoc_form(t->command, form, length);
        form += length + (form[length] == '\n');
    }
}

/// Running text: a new line for each sentence; nothing that mdoc would take for a macro.
static void put_mdoc_text(const char *text)
{
    if (*text == '.' || *text == '\'') fputs("\\&", stdout);
    putchar(toupper((unsigned char)*text));
    for (const char *c = text + 1; *c; ++c) {
        if (c[0] == '.' && c[1] == ' ' && isupper((unsigned char)c[2])) {
            fputs(".\n", stdout);
            ++c;
        } else if (*c == '\\') fputs("\\e", stdout);
        else putchar(*c);
    }
    if (text[strlen(text) - 1] != '.') putchar('.');
    putchar('\n');
}

static void put_manual(const table *t)
{
    if (t->count == 0) return;
    const char *widest = "--help";
    for (int k = 0; k < t->count; ++k)
        if (strlen(t->option[k].name) > strlen(widest)) widest = t->option[k].name;
    printf(".Bl -tag -width %s\n", widest);
    for (int k = 0; k < t->count; ++k) {
        const cli_option *o = &t->option[k];
        char *argument = argument_of(o), *text = text_of(o);
        printf(".It Fl %s", o->name + 1);
        if (argument) printf(" Ar %s", argument);
        putchar('\n');
        put_mdoc_text(text);
        if (o->kind == CLI_TEXTS && !strstr(text, "repeated")) puts("May be repeated.");
        free(argument), free(text);
    }
    puts(".El");
}

/* ---- completion --------------------------------------------------------------------------------------------------------------- */

static void put_words(const char *const *words)
{
    for (int k = 0; words && words[k]; ++k) printf("%s%s", k ? " " : "", words[k]);
}

static void put_bash(const table *t)
{
    printf("    '%s')\n        options='", t->command);
    for (int k = 0; k < t->count; ++k) printf("%s ", t->option[k].name);
    printf("--help'\n        names='");
    put_words(t->about->names);
    printf("'\n        case $before in\n");
    for (int k = 0; k < t->count; ++k) {
        const cli_option *o = &t->option[k];
        if (o->kind == CLI_FLAG) continue;
        printf("        %s) values='", o->name);
        put_words(o->words);
        printf("' takes=%s ;;\n", o->words ? "word" : o->kind == CLI_PATH ? "path" : "text");
    }
    printf("        esac\n        ;;\n");
}

/// The beginning of an option's text, for one line of a menu; `special` characters get a backslash.
static void put_short(const char *text, const char *special)
{
    for (int k = 0; text[k]; ++k) {
        if (text[k] == ';' || (text[k] == ':' && text[k + 1] == ' ') || (text[k] == '.' && text[k + 1] == ' ')) break;
        if (text[k] == '\'') fputs("'\\''", stdout);
        else {
            if (strchr(special, text[k])) putchar('\\');
            putchar(text[k]);
        }
    }
}

static void put_zsh(const table *t)
{
    printf("    '%s')\n        _arguments \\\n", t->command);
    for (int k = 0; k <= t->count; ++k) {
        const cli_option *o = k < t->count ? &t->option[k] : &help_row;
        printf("            '%s%s[", o->kind == CLI_TEXTS ? "*" : "", o->name);
        put_short(o->text, "[]:\\");
        putchar(']');
        if (o->kind != CLI_FLAG) {
            printf(":");
            put_short(o->argument ? o->argument : "value", "[]:\\");
            printf(":");
            if (o->words) putchar('('), put_words(o->words), putchar(')');
            else if (o->kind == CLI_PATH) fputs("_files", stdout);
        }
        printf("' \\\n");
    }
    printf("            '*:");
    if (t->about->names) printf("name:("), put_words(t->about->names), puts(")'");
    else puts("file:_files'");
    puts("        ;;");
}

static void put_fish(const table *t)
{
    for (int k = 0; k <= t->count; ++k) {
        const cli_option *o = k < t->count ? &t->option[k] : &help_row;
        const char *name = o->name + 1;
        printf("complete -c scree -n '__scree_at %s' %s %s", t->command, *name == '-' ? "-l" : "-s",
               *name == '-' ? name + 1 : name);
        if (o->kind == CLI_PATH) printf(" -r -F");
        else if (o->kind != CLI_FLAG) printf(" -x");
        if (o->words) printf(" -a '"), put_words(o->words), printf("'");
        printf(" -d '");
        put_short(o->text, "");
        puts("'");
    }
    if (!t->about->names) return;
    printf("complete -c scree -n '__scree_at %s' -f -a '", t->command);
    put_words(t->about->names);
    puts("'");
}

/* ---- all ------------------------------------------------------------------------------------------------------------------------ */

int cli_describe(const char *format, const char *command, const cli_about *about, const cli_option *options,
                 int option_count)
{
    static const struct {
        const char *name;
        void (*put)(const table *t);
    } formats[] = {{"text", put_help}, {"synopsis", put_synopsis}, {"manual", put_manual},
                   {"bash", put_bash}, {"zsh", put_zsh},           {"fish", put_fish}};
    const table t = {command, about, options, option_count};
    for (int k = 0; k < CLI_COUNT_OF(formats); ++k)
        if (strcmp(formats[k].name, format) == 0) {
            formats[k].put(&t);
            return CLI_DONE;
        }
    return cli_usage(command, "--help takes no value");
}
