/* yaml_doc.c: libyaml's events built into a tree.
 *
 * libyaml gives each event its mark (line and column from 0, in characters); the tree keeps it, plus 1. Two things are
 * looked at before libyaml sees the text: its size, and NUL bytes, which libyaml takes for the end. Nodes and
 * their text live in blocks from the caller's allocator that are freed together; what libyaml holds while it parses is
 * its own. */
#if !defined(_POSIX_C_SOURCE) && !defined(_XOPEN_SOURCE)
#define _POSIX_C_SOURCE 200809L /* newlocale, uselocale */
#endif

#include "scene/yaml_doc.h"
#include "base/memory.h"
#include "base/read.h"
#include "base/suggest.h"
#include "base/text.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* ---- memory ---------------------------------------------------------------------------------------------------- */

typedef struct block {
    struct block *next;
    size_t used, size; /* bytes after the header */
} block;

enum { ALIGN = 16, BLOCK_SIZE = 8192 };
#define BLOCK_HEADER ((sizeof(block) + ALIGN - 1) / ALIGN * ALIGN)

void *scree_doc_alloc(scree_doc *doc, size_t size)
{
    block *b = doc->blocks;
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    if (!b || b->size - b->used < size) {
        size_t want = b ? 2 * b->size : BLOCK_SIZE;
        if (want < size) want = size;
        b = doc->allocator.alloc(BLOCK_HEADER + want, ALIGN, doc->allocator.context);
        if (!b) return NULL;
        b->next = doc->blocks, b->used = 0, b->size = want;
        doc->blocks = b;
    }
    void *memory = (char *)b + BLOCK_HEADER + b->used;
    b->used += size;
    return memory;
}

void scree_doc_free(scree_doc *doc)
{
    for (block *b = doc->blocks; b;) {
        block *next = b->next;
        doc->allocator.free(b, doc->allocator.context);
        b = next;
    }
    doc->blocks = NULL;
    doc->root = NULL;
}

scree_doc_node *scree_doc_new(scree_doc *doc, scree_doc_kind kind, const scree_doc_node *at)
{
    scree_doc_node *node = scree_doc_alloc(doc, sizeof *node);
    if (!node) return NULL;
    *node = (scree_doc_node){.kind = kind, .text = ""};
    if (at) node->line = at->line, node->column = at->column, node->source = at->source;
    return node;
}

static void set_source(scree_doc_node *node, int source)
{
    node->source = source;
    for (scree_doc_node *child = node->child; child; child = child->next) {
        set_source(child, source);
        if (child->value) set_source(child->value, source);
    }
}

void scree_doc_adopt(scree_doc *doc, scree_doc *other, int source)
{
    block *last = other->blocks;
    if (other->root) set_source(other->root, source);
    while (last && last->next) last = last->next;
    if (last) {
        block *first = doc->blocks; /* behind the one that new nodes come from, which stays in front */
        last->next = first ? first->next : NULL;
        if (first) first->next = other->blocks;
        else doc->blocks = other->blocks;
    }
    other->blocks = NULL, other->root = NULL;
}

scree_status scree_doc_no_memory(const char *name, scree_error *error)
{
    scree_error_set(error, name, 0, 0, "out of memory while reading");
    return SCREE_ERR_MEMORY;
}

/* ---- the text -------------------------------------------------------------------------------------------------- */

scree_status scree_doc_text_load(const char *path, size_t limit, const scree_allocator *allocator, scree_doc_text *t,
                                 scree_error *error)
{
    *t = (scree_doc_text){memory_allocator(allocator), strcmp(path, "-") == 0 ? "<stdin>" : path, NULL, 0};
    return file_read(path, limit, NULL, &t->allocator, &t->text, &t->size, error);
}

void scree_doc_text_free(scree_doc_text *t)
{
    t->allocator.free(t->text, t->allocator.context);
}

/// Line and column of a byte, counted as libyaml does: "\r\n" is one break, a column is a character.
static void locate(const char *text, size_t offset, int *line, int *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < offset; ++i) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\n' || (c == '\r' && !(i + 1 < offset && text[i + 1] == '\n'))) *line += 1, *column = 1;
        else if (c != '\r' && (c & 0xC0) != 0x80) *column += 1;
    }
}

/* ---- the tree -------------------------------------------------------------------------------------------------- */

typedef struct frame { /* a list or map that is still open */
    scree_doc_node *node, *last;
    int wants_value; /* map: `last` is a key without its value */
} frame;

static scree_status parser_failed(const yaml_parser_t *parser, const char *text, size_t size, const char *name,
                                  scree_error *error)
{
    const char *problem = parser->problem; /* of every kind but this */
    int line, column;
    if (parser->error == YAML_MEMORY_ERROR) return scree_doc_no_memory(name, error);
    if (parser->error == YAML_READER_ERROR) {
        size_t at = parser->problem_offset < size ? parser->problem_offset : size;
        if (strstr(problem, "trailing")) /* a broken character: to its first byte */
            do --at;
            while (at > 0 && ((unsigned char)text[at] & 0xC0) == 0x80);
        locate(text, at, &line, &column);
        scree_error_set(error, name, line, column, "not plain UTF-8 text: %s", problem);
        return SCREE_ERR_INPUT;
    }
    line = (int)parser->problem_mark.line + 1, column = (int)parser->problem_mark.column + 1;
    if (parser->context && parser->context_mark.line != parser->problem_mark.line)
        scree_error_set(error, name, line, column, "not valid YAML: %s (%s that starts at line %d)", problem,
                        parser->context, (int)parser->context_mark.line + 1);
    else if (parser->context)
        scree_error_set(error, name, line, column, "not valid YAML: %s (%s)", problem, parser->context);
    else scree_error_set(error, name, line, column, "not valid YAML: %s", problem);
    return SCREE_ERR_INPUT;
}

/* libyaml is not built with MemorySanitizer, so what it writes must be declared as written. */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define INITIALISED(memory, size) __msan_unpoison(memory, size)
#endif
#endif
#ifndef INITIALISED
#define INITIALISED(memory, size) ((void)0)
#endif

/// Titles and names come to terminals and into pages: no text of a scene has what these would obey.
static int has_control(const yaml_event_t *event)
{
    if (event->type != YAML_SCALAR_EVENT) return 0;
    INITIALISED(event->data.scalar.value, event->data.scalar.length);
    return text_control((const char *)event->data.scalar.value, event->data.scalar.length) >= 0;
}

/// What the dialect leaves out, at the event where it stands.
static const char *refused(const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;
    switch (event->type) {
    case YAML_ALIAS_EVENT: return "an alias (*name) is not read here, expected the value written out";
    case YAML_SCALAR_EVENT: anchor = event->data.scalar.anchor, tag = event->data.scalar.tag; break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = event->data.sequence_start.anchor, tag = event->data.sequence_start.tag;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = event->data.mapping_start.anchor, tag = event->data.mapping_start.tag;
        break;
    default: break;
    }
    if (anchor) return "an anchor (&name) is not read here, expected the value alone";
    if (tag) return "a tag (!type) is not read here, expected the value alone";
    if (has_control(event)) return "a control character in a text, expected printable ones";
    return NULL;
}

/// The node of a scalar, list or map event; NULL: no memory.
static scree_doc_node *node_new(scree_doc *doc, const yaml_event_t *event)
{
    scree_doc_node *node = scree_doc_alloc(doc, sizeof *node);
    if (!node) return NULL;
    memset(node, 0, sizeof *node);
    node->line = (int)event->start_mark.line + 1;
    node->column = (int)event->start_mark.column + 1;
    node->kind = event->type == YAML_SCALAR_EVENT           ? SCREE_DOC_SCALAR
                 : event->type == YAML_SEQUENCE_START_EVENT ? SCREE_DOC_LIST
                                                            : SCREE_DOC_MAP;
    if (node->kind == SCREE_DOC_SCALAR) {
        size_t length = event->data.scalar.length;
        char *text = scree_doc_alloc(doc, length + 1);
        if (!text) return NULL;
        memcpy(text, event->data.scalar.value, length);
        INITIALISED(text, length);
        text[length] = '\0';
        node->text = text, node->length = length;
        node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    }
    return node;
}

/// Hangs the node into the open list or map, or makes it the root.
static scree_status attach(scree_doc *doc, frame *top, scree_doc_node *node)
{
    if (!top) {
        doc->root = node;
        return SCREE_OK;
    }
    if (top->wants_value) {
        top->last->value = node;
        top->wants_value = 0;
        return SCREE_OK;
    }
    if (top->node->kind == SCREE_DOC_MAP) {
        if (node->kind != SCREE_DOC_SCALAR)
            return scree_doc_fail(doc, node, "%s stands where a key was expected",
                                  node->kind == SCREE_DOC_LIST ? "a list" : "a map");
        top->wants_value = 1;
    }
    if (top->last) top->last->next = node;
    else top->node->child = node;
    top->last = node;
    top->node->count += 1;
    return SCREE_OK;
}

/// Takes one event into the tree.
static scree_status take(scree_doc *doc, frame stack[], int *depth, const yaml_event_t *event)
{
    int line = (int)event->start_mark.line + 1, column = (int)event->start_mark.column + 1;
    const char *why = refused(event);
    if (why) {
        scree_error_set(doc->error, doc->name, line, column, "%s", why);
        return SCREE_ERR_INPUT;
    }
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (!doc->root) return SCREE_OK;
        scree_error_set(doc->error, doc->name, line, column, "a second document starts here, expected only one");
        return SCREE_ERR_INPUT;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: *depth -= 1; return SCREE_OK;
    case YAML_SCALAR_EVENT:
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT: break;
    default: return SCREE_OK;
    }

    scree_doc_node *node = node_new(doc, event);
    if (!node) return scree_doc_no_memory(doc->name, doc->error);
    scree_status status = attach(doc, *depth > 0 ? &stack[*depth - 1] : NULL, node);
    if (status != SCREE_OK || node->kind == SCREE_DOC_SCALAR) return status;
    if (*depth == SCREE_DOC_DEPTH_MAX)
        return scree_doc_fail(doc, node, "nested too deeply, expected at most %d levels", SCREE_DOC_DEPTH_MAX);
    stack[(*depth)++] = (frame){.node = node};
    return SCREE_OK;
}

scree_status scree_doc_parse(scree_doc *doc, const char *text, size_t size, size_t limit, const char *name,
                             const scree_allocator *allocator, scree_error *error)
{
    frame stack[SCREE_DOC_DEPTH_MAX];
    int depth = 0, line, column;
    yaml_parser_t parser = {0};
    scree_status status = SCREE_OK;

    *doc = (scree_doc){.allocator = memory_allocator(allocator), .name = name, .error = error};
    if (size > limit) {
        scree_error_set(error, name, 0, 0, "the text is longer than %zu bytes, the limit for such a file", limit);
        return SCREE_ERR_INPUT;
    }
    const char *nul = size ? memchr(text, '\0', size) : NULL;
    if (nul) {
        locate(text, (size_t)(nul - text), &line, &column);
        scree_error_set(error, name, line, column, "a NUL byte, expected UTF-8 text (is this a binary file?)");
        return SCREE_ERR_INPUT;
    }
    if (!yaml_parser_initialize(&parser)) return scree_doc_no_memory(name, error);
    yaml_parser_set_input_string(&parser, (const unsigned char *)(size ? text : ""), size);
    for (int more = 1; more && status == SCREE_OK;) {
        yaml_event_t event = {0};
        if (!yaml_parser_parse(&parser, &event)) {
            status = parser_failed(&parser, text, size, name, error);
            break;
        }
        more = event.type != YAML_STREAM_END_EVENT;
        status = take(doc, stack, &depth, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    if (status != SCREE_OK) scree_doc_free(doc);
    return status;
}

/* ---- typed access ---------------------------------------------------------------------------------------------- */

scree_status scree_doc_fail(const scree_doc *doc, const scree_doc_node *node, const char *format, ...)
{
    char text[sizeof((scree_error *)0)->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (node && node->source > 0 && doc->set) {
        char place[sizeof((scree_error *)0)->file];
        snprintf(place, sizeof place, "--set %s", doc->set[node->source - 1]);
        scree_error_set(doc->error, place, 0, 0, "%s", text);
    } else scree_error_set(doc->error, doc->name, node ? node->line : 1, node ? node->column : 1, "%s", text);
    return SCREE_ERR_INPUT;
}

const char *scree_doc_quote(const scree_doc_node *node, char buffer[SCREE_DOC_QUOTE_SIZE])
{
    enum { LONGEST = 40 };
    size_t n = node->length < LONGEST ? node->length : LONGEST, at = 0;
    if (node->kind == SCREE_DOC_LIST) return "a list";
    if (node->kind == SCREE_DOC_MAP) return "a map";
    if (node->length == 0) return "nothing";
    while (n < node->length && n > 0 && ((unsigned char)node->text[n] & 0xC0) == 0x80) --n; /* cut between characters */
    buffer[at++] = '\'';
    for (size_t i = 0; i < n; ++i) {
        unsigned char c = (unsigned char)node->text[i];
        buffer[at++] = c < 0x20 || c == 0x7F ? '?' : (char)c;
    }
    memcpy(buffer + at, n < node->length ? "...'" : "'", n < node->length ? 5 : 2);
    return buffer;
}

int scree_doc_text_is(const scree_doc_node *node, const char *word)
{
    size_t n = strlen(word);
    return node->kind == SCREE_DOC_SCALAR && node->length == n && memcmp(node->text, word, n) == 0;
}

/// "a, b, c", cut at the end of the buffer.
static const char *join(const char *const *words, int count, char *buffer, size_t size)
{
    size_t at = 0;
    buffer[0] = '\0';
    for (int k = 0; k < count && at < size; ++k)
        at += (size_t)snprintf(buffer + at, size - at, "%s%s", k ? ", " : "", words[k]);
    return buffer;
}

scree_status scree_doc_not_among(const scree_doc *doc, const scree_doc_node *node, const char *what,
                                 const char *const *words, int count)
{
    char buffer[SCREE_DOC_QUOTE_SIZE], list[400];
    const char *quote = scree_doc_quote(node, buffer);
    const char *near = node->kind == SCREE_DOC_SCALAR ? suggest(node->text, node->length, words, count) : NULL;
    join(words, count, list, sizeof list);
    if (!near) return scree_doc_fail(doc, node, "%s %s, expected one of: %s", what, quote, list);
    return scree_doc_fail(doc, node, "%s %s, did you mean '%s'? (expected one of: %s)", what, quote, near, list);
}

scree_status scree_doc_keys(const scree_doc *doc, const scree_doc_node *map, const char *const *keys, int count)
{
    char quote[SCREE_DOC_QUOTE_SIZE], list[256];
    if (!map || (map->kind == SCREE_DOC_SCALAR && !map->quoted && map->length == 0))
        return scree_doc_fail(doc, map, "nothing here, expected the keys %s", join(keys, count, list, sizeof list));
    if (map->kind != SCREE_DOC_MAP)
        return scree_doc_fail(doc, map, "%s, expected 'key: value' with the keys %s", scree_doc_quote(map, quote),
                              join(keys, count, list, sizeof list));
    for (const scree_doc_node *key = map->child; key; key = key->next) {
        int k = 0;
        while (k < count && !scree_doc_text_is(key, keys[k])) ++k;
        if (k == count) return scree_doc_not_among(doc, key, "unknown key", keys, count);
        for (const scree_doc_node *first = map->child; first != key; first = first->next)
            if (scree_doc_text_is(first, keys[k]))
                return scree_doc_fail(doc, key, "the key '%s' stands twice, expected once (first at line %d)", keys[k],
                                      first->line);
    }
    return SCREE_OK;
}

const scree_doc_node *scree_doc_get(const scree_doc_node *map, const char *key)
{
    for (const scree_doc_node *k = map->child; k; k = k->next)
        if (scree_doc_text_is(k, key)) return k->value;
    return NULL;
}

scree_status scree_doc_list(const scree_doc *doc, const scree_doc_node *node, int count, const char *what,
                            const char *items)
{
    char quote[SCREE_DOC_QUOTE_SIZE];
    if (node->kind != SCREE_DOC_LIST)
        return scree_doc_fail(doc, node, "%s is %s, expected a list of %d %s", what, scree_doc_quote(node, quote),
                              count, items);
    if (node->count == count) return SCREE_OK;
    const scree_doc_node *at = node; /* too short: the list; too long: the first item too many */
    if (node->count > count) {
        at = node->child;
        for (int k = 0; k < count; ++k) at = at->next;
    }
    return scree_doc_fail(doc, at, "%s has length %d, expected %d %s", what, node->count, count, items);
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

size_t scree_doc_decimal(const char *text, double *value)
{
    const char *c = text;
    int digits = 0;
    if (*c == '+' || *c == '-') ++c;
    for (; is_digit(*c); ++c) digits = 1;
    if (*c == '.')
        for (++c; is_digit(*c); ++c) digits = 1;
    if (!digits) return 0;
    if (*c == 'e' || *c == 'E') {
        const char *e = c + 1 + (c[1] == '+' || c[1] == '-');
        if (is_digit(*e))
            for (c = e; is_digit(*c);) ++c;
    }
    /* The text is a number now; strtod rounds it correctly, but takes the decimal sign from the locale. */
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) return 0;
    locale_t before = uselocale(plain);
    char *end;
    *value = strtod(text, &end);
    uselocale(before);
    freelocale(plain);
    return end == c ? (size_t)(c - text) : 0; /* they differ for 0x10 only */
}

/// What people write instead of a finite plain number, to say what is wrong with it.
static const char *number_fault(const char *text, size_t used)
{
    static const char *const specials[] = {"inf", ".inf", "infinity", "nan", ".nan"};
    const char *rest = text + used;
    if (used == 0) {
        const char *word = text + (*text == '+' || *text == '-');
        for (size_t k = 0; k < sizeof specials / sizeof *specials; ++k) {
            size_t n = strlen(specials[k]);
            if (strlen(word) == n && suggest_distance(word, n, specials[k], n) == 0) return "expected a finite number";
        }
        return "expected a number";
    }
    if (*rest == ',' && is_digit(rest[1])) return "expected a number with a decimal point";
    while (*rest == ' ' || *rest == '\t') ++rest;
    int letter = (*rest >= 'a' && *rest <= 'z') || (*rest >= 'A' && *rest <= 'Z') || *rest == '%' || (*rest & 0x80);
    if (letter && strcmp(rest, "e") != 0 && strcmp(rest, "E") != 0)
        return "expected a plain number in SI units, without a unit";
    return "expected a number";
}

scree_status scree_doc_number(const scree_doc *doc, const scree_doc_node *node, const char *what, double *value)
{
    char quote[SCREE_DOC_QUOTE_SIZE];
    double x = 0.0;
    if (node->kind != SCREE_DOC_SCALAR)
        return scree_doc_fail(doc, node, "%s is %s, expected a number", what, scree_doc_quote(node, quote));
    if (node->quoted)
        return scree_doc_fail(doc, node, "%s is the text %s, expected a number without quotes", what,
                              scree_doc_quote(node, quote));
    if (node->length == 0) return scree_doc_fail(doc, node, "%s has no value, expected a number", what);

    size_t used = scree_doc_decimal(node->text, &x);
    if (used == 0 || used != node->length)
        return scree_doc_fail(doc, node, "%s is %s, %s", what, scree_doc_quote(node, quote),
                              number_fault(node->text, used));
    if (!isfinite(x))
        return scree_doc_fail(doc, node, "%s is %s, too large for a number; expected at most 1.7e308", what,
                              scree_doc_quote(node, quote));
    size_t mantissa = strcspn(node->text, "eE");
    if (x == 0.0 && strcspn(node->text, "123456789") < mantissa)
        return scree_doc_fail(doc, node, "%s is %s, too small for a number; expected 0 or at least 5e-324", what,
                              scree_doc_quote(node, quote));
    *value = x;
    return SCREE_OK;
}

scree_status scree_doc_choice(const scree_doc *doc, const scree_doc_node *node, const char *what,
                              const char *const *names, int count, int *index)
{
    for (int k = 0; k < count; ++k) {
        if (!scree_doc_text_is(node, names[k])) continue;
        *index = k;
        return SCREE_OK;
    }
    char unknown[64];
    snprintf(unknown, sizeof unknown, "unknown %s", what);
    return scree_doc_not_among(doc, node, unknown, names, count);
}
