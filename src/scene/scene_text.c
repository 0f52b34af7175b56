/* scene_text.c: the tree of a scene as YAML that reads back to the same tree: block style, short lists in one line, a scalar in quotes
 * wherever it could be taken for something else. The text is written twice: once to measure, once for good. */
#include "scene/scene_private.h"

#include "base/memory.h"

#include <string.h>

typedef struct writer {
    char *text; /* NULL: only count */
    size_t at;
} writer;

static void put(writer *w, const char *text, size_t length)
{
    if (w->text) memcpy(w->text + w->at, text, length);
    w->at += length;
}

static void put_indent(writer *w, int depth)
{
    for (int k = 0; k < depth; ++k) put(w, "  ", 2);
}

/// Letters, digits and what units need, blanks inside: the same scalar in any place of a YAML text.
static int is_safe(const scree_doc_node *node)
{
    static const char marks[] = "_./+-^*()%";
    if (node->length == 0 || strlen(node->text) != node->length) return 0;
    const char *last = node->text + node->length - 1;
    if (*node->text == ' ' || *last == ' ' || strncmp(node->text, "---", 3) == 0 || strncmp(node->text, "...", 3) == 0)
        return 0;
    if (strchr("*%", *node->text) || (*node->text == '-' && (node->length == 1 || node->text[1] == ' '))) return 0;
    for (const char *c = node->text; *c; ++c) {
        int letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        if (!letter && *c != ' ' && !strchr(marks, *c)) return 0;
    }
    return 1;
}

static void put_scalar(writer *w, const scree_doc_node *node)
{
    static const char hex[] = "0123456789abcdef";
    if (is_safe(node)) {
        put(w, node->text, node->length);
        return;
    }
    if (node->length == 0 && !node->quoted) return; /* no value */
    put(w, "\"", 1);
    for (size_t k = 0; k < node->length; ++k) {
        unsigned char c = (unsigned char)node->text[k];
        char escape[4] = {'\\', 'x', hex[c >> 4], hex[c & 15]};
        if (c == '"' || c == '\\') put(w, (char[]){'\\', (char)c}, 2);
        else if (c < 0x20 || c == 0x7F) put(w, escape, 4);
        else put(w, node->text + k, 1);
    }
    put(w, "\"", 1);
}

/// A list of scalars, or of such lists, is written in one line.
static int is_flat(const scree_doc_node *node, int nesting)
{
    if (node->kind == SCREE_DOC_SCALAR) return 1;
    if (node->kind == SCREE_DOC_MAP || nesting == 0 || node->count > 8) return node->count == 0;
    for (const scree_doc_node *item = node->child; item; item = item->next)
        if (!is_flat(item, nesting - 1) || (item->length == 0 && !item->quoted && item->count == 0)) return 0;
    return 1;
}

static void put_flat(writer *w, const scree_doc_node *node)
{
    if (node->kind == SCREE_DOC_SCALAR) {
        put_scalar(w, node);
        return;
    }
    put(w, node->kind == SCREE_DOC_MAP ? "{" : "[", 1);
    for (const scree_doc_node *item = node->kind == SCREE_DOC_LIST ? node->child : NULL; item; item = item->next) {
        put_flat(w, item);
        if (item->next) put(w, ", ", 2);
    }
    put(w, node->kind == SCREE_DOC_MAP ? "}" : "]", 1);
}

/// `inline_first`: the first line continues one that is indented already ("- key: value").
static void put_node(writer *w, const scree_doc_node *node, int depth, int inline_first)
{
    for (const scree_doc_node *item = node->child; item; item = item->next) {
        const scree_doc_node *value = node->kind == SCREE_DOC_MAP ? item->value : item;
        if (!inline_first || item != node->child) put_indent(w, depth);
        if (node->kind == SCREE_DOC_MAP) {
            put_scalar(w, item);
            put(w, ":", 1);
        } else put(w, "-", 1);
        if (is_flat(value, 1)) {
            put(w, " ", 1);
            put_flat(w, value);
            put(w, "\n", 1);
        } else if (node->kind == SCREE_DOC_LIST) {
            put(w, " ", 1);
            put_node(w, value, depth + 1, 1);
        } else {
            put(w, "\n", 1);
            put_node(w, value, depth + 1, 0);
        }
    }
}

/// Where the text comes from, as comment lines. Control characters would end them.
static void put_origin(writer *w, const scree_doc *doc, int set_count)
{
    for (int k = -1; k < set_count; ++k) {
        const char *line = k < 0 ? doc->name : doc->set[k];
        if (k < 0) put(w, "# ", 2);
        else put(w, "#   --set ", 10);
        for (; *line; ++line) put(w, (unsigned char)*line < 0x20 || *line == 0x7F ? "?" : line, 1);
        put(w, "\n", 1);
    }
}

scree_status scene_write(const scree_doc *doc, int set_count, char **text)
{
    writer w = {NULL, 0};
    for (int pass = 0; pass < 2; ++pass) {
        w.at = 0;
        put_origin(&w, doc, set_count);
        if (is_flat(doc->root, 1)) put_flat(&w, doc->root), put(&w, "\n", 1);
        else put_node(&w, doc->root, 0, 0);
        if (pass == 0) *text = w.text = memory_array(&doc->allocator, w.at + 1, 1);
        if (!w.text) {
            scree_error_set(doc->error, doc->name, 0, 0, "out of memory while reading");
            return SCREE_ERR_MEMORY;
        }
    }
    return SCREE_OK;
}
