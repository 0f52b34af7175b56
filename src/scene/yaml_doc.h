/* yaml_doc.h: a YAML (or JSON) text as a tree of nodes that know their line and column, and typed access to them.
 *
 * What a reader of hand-written files needs and libyaml's events do not give: lists and maps one can walk, numbers read
 * the same way in every locale, and one way to say "this is wrong, here". The dialect is the sober part of YAML: one
 * document, no anchors, no aliases, no tags, keys are scalars. The text must be UTF-8 without NUL. */
#ifndef SCREE_YAML_DOC_H
#define SCREE_YAML_DOC_H

#include <scree/base.h>

enum { SCREE_DOC_DEPTH_MAX = 32 };

typedef enum scree_doc_kind { SCREE_DOC_SCALAR, SCREE_DOC_LIST, SCREE_DOC_MAP } scree_doc_kind;

typedef struct scree_doc_node scree_doc_node;
struct scree_doc_node {
    scree_doc_kind kind;
    int line, column;      /* 1-based, in characters; of the first character of the node            */
    int quoted;            /* scalar: written in quotes or as a block, so never a number             */
    int source;            /* 0: the text; k: the k-th override put it there (see scree_doc.set)     */
    int count;             /* list: items; map: keys                                                 */
    size_t length;         /* scalar: bytes of text                                                  */
    const char *text;      /* scalar: UTF-8, a NUL follows (and "\0" in quotes may hide one inside)  */
    scree_doc_node *child; /* list: first item; map: first key                                       */
    scree_doc_node *next;  /* the item or key after this one                                         */
    scree_doc_node *value; /* key of a map: what it stands for                                       */
};

typedef struct scree_doc {
    scree_allocator allocator;
    const char *name;       /* what messages call the text; borrowed                 */
    scree_error *error;     /* filled by everything below that fails; may be NULL    */
    scree_doc_node *root;   /* NULL: the text is empty                               */
    void *blocks;           /* memory of the nodes                                   */
    const char *const *set; /* overrides "path=value" that nodes may come from; borrowed; NULL: none */
} scree_doc;

/// The whole text of a file, and what messages call it.
typedef struct scree_doc_text {
    scree_allocator allocator;
    const char *name; /* the path, or "<stdin>"; borrowed */
    char *text;
    size_t size;
} scree_doc_text;

/// Reads at most `limit` + 1 bytes ("-" is standard input); after success to be given back.
scree_status scree_doc_text_load(const char *path, size_t limit, const scree_allocator *allocator, scree_doc_text *t,
                                 scree_error *error);
void scree_doc_text_free(scree_doc_text *t);

/// Builds the tree. More than `limit` bytes are an error. After failure nothing is to be freed. `name`, `error` must
/// outlive the document, `text` need not.
scree_status scree_doc_parse(scree_doc *doc, const char *text, size_t size, size_t limit, const char *name,
                             const scree_allocator *allocator, scree_error *error);
void scree_doc_free(scree_doc *doc);

/// Memory that lives as long as the document; NULL: none left. Not cleared.
void *scree_doc_alloc(scree_doc *doc, size_t size);

/// A new node with the place of `at` (may be NULL) and nothing in it; NULL: no memory.
scree_doc_node *scree_doc_new(scree_doc *doc, scree_doc_kind kind, const scree_doc_node *at);

/// Takes over the nodes of `other` (same allocator), which is empty afterwards. They become part of the k-th override.
void scree_doc_adopt(scree_doc *doc, scree_doc *other, int source);

/// "out of memory while reading" the text of this name; returns SCREE_ERR_MEMORY.
scree_status scree_doc_no_memory(const char *name, scree_error *error);

/// Fills the document's error at the node and returns SCREE_ERR_INPUT. The place of a node that an override has put there is
/// "--set path=value", without a line.
scree_status scree_doc_fail(const scree_doc *doc, const scree_doc_node *node, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/// The text of a scalar for a message: in quotes, shortened, without control characters. Otherwise "a list", "a map" or "nothing".
enum { SCREE_DOC_QUOTE_SIZE = 64 };
const char *scree_doc_quote(const scree_doc_node *node, char buffer[SCREE_DOC_QUOTE_SIZE]);

/// The node is a map, each of its keys is one of `keys`, and none stands twice.
scree_status scree_doc_keys(const scree_doc *doc, const scree_doc_node *map, const char *const *keys, int count);

/// The value of a key, or NULL.
const scree_doc_node *scree_doc_get(const scree_doc_node *map, const char *key);

/// 1 if the node is a scalar with exactly this text.
int scree_doc_text_is(const scree_doc_node *node, const char *word);

/// A word that is none of `words`: "<what> 'word', did you mean 'x'? (expected one of: ...)". Returns SCREE_ERR_INPUT.
scree_status scree_doc_not_among(const scree_doc *doc, const scree_doc_node *node, const char *what,
                                 const char *const *words, int count);

/// The node is a list of `count` items. `what` names it and its items in messages: "q", "components".
scree_status scree_doc_list(const scree_doc *doc, const scree_doc_node *node, int count, const char *what,
                            const char *items);

/// The node is a plain finite number. `what` names it in messages.
scree_status scree_doc_number(const scree_doc *doc, const scree_doc_node *node, const char *what, double *value);

/// The node is one of `names`; `*index` says which.
scree_status scree_doc_choice(const scree_doc *doc, const scree_doc_node *node, const char *what,
                              const char *const *names, int count, int *index);

/// Decimal number at the start of `text` (which ends in NUL), in any locale: [+-] digits [. digits] [e [+-] digits].
/// Returns the characters used, 0 if there is no number; `*value` is infinite, or 0, where a double cannot hold it.
size_t scree_doc_decimal(const char *text, double *value);

#endif
