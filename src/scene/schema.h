/* schema.h: what a scene may say, as tables. One table drives the reader, the defaults, the JSON Schema and the manual.
 *
 * An object is a map of the scene that is read into a C struct; a field is one of its keys: what it takes, where it goes, what it is
 * when it is not given, and one sentence for people. Every struct that is read starts with a scene_head. */
#ifndef SCREE_SCHEMA_H
#define SCREE_SCHEMA_H

#include "scene/units.h"
#include "scene/yaml_doc.h"

#include <scree/world.h>
#include <stddef.h>

/// Start of every struct that is read from a map: where it stands; NULL: not given.
typedef struct scene_head {
    const scree_doc_node *node;
} scene_head;

/// How the struct of a FIELD_DISTRIBUTION or FIELD_COURSE begins. The number does not follow the head at once where pointers are short.
typedef struct scene_fixed {
    scene_head head;
    double fixed;
} scene_fixed;

/// Structs of one object, one after the other.
typedef struct scene_list {
    int count;
    void *item;
} scene_list;

typedef struct scene_numbers {
    int count;
    double *value;
} scene_numbers;

typedef enum field_type {
    FIELD_NUMBER,  /* double                                                              */
    FIELD_INTEGER, /* int                                                                 */
    FIELD_FLAG,    /* int: true or false                                                  */
    FIELD_TEXT,    /* const char *                                                        */
    FIELD_CHOICE,  /* int: one of the words                                               */
    FIELD_CHOICES, /* unsigned: bits, a list of the words                                 */
    FIELD_NAMES,   /* const scree_doc_node *[2]: two names                                */
    FIELD_VECTOR,  /* double[3]                                                           */
    FIELD_DOWN, /* double[3]: a number (downwards) or a vector. Where down is, the caller decides: then [2] is -number */
    FIELD_DIRECTION,    /* double[3]: unit vector; x, -x, y, ... or a list                     */
    FIELD_ROTATION,     /* double[4]: {axis, angle} or [w, x, y, z]                            */
    FIELD_INTERVAL,     /* double[2]: [from, to]                                               */
    FIELD_COUNTS,       /* int[3]                                                              */
    FIELD_NUMBERS,      /* scene_numbers                                                       */
    FIELD_ARM,          /* scree_friction_length: a length, or a ratio "0.02 r", "0.1 r_eff"                */
    FIELD_TABLE,        /* scree_table: a vector, or rows [t, x, y, z]                         */
    FIELD_COURSE,       /* scene_course: a quantity, rows [t, value], or the object            */
    FIELD_DISTRIBUTION, /* struct at offset: a quantity, or the object (first number: `fixed`) */
    FIELD_OBJECT,       /* struct at offset                                                    */
    FIELD_LIST,         /* scene_list of the object                                            */
    FIELD_MAP           /* scene_list of the object: name -> object; the struct has scene_name */
} field_type;

enum { RANGE_ANY = 0, RANGE_LOW = 1, RANGE_HIGH = 2, RANGE_LOW_OPEN = 4, RANGE_HIGH_OPEN = 8 };

typedef struct schema_object schema_object;

typedef struct schema_field {
    const char *key;
    field_type type;
    size_t offset;
    quantity unit;        /* of numbers                                                     */
    unsigned range;       /* RANGE_ bits: which of low and high hold, and whether strictly  */
    double low, high;     /* in SI                                                          */
    const char *fallback; /* what is read when the key is not given; NULL: nothing (zeros)  */
    int required;
    const schema_object *object;      /* FIELD_OBJECT, LIST, MAP, COURSE, DISTRIBUTION                  */
    const char *(*choice)(int index); /* word of FIELD_CHOICE(S); NULL beyond the last                  */
    const char *text;                 /* one sentence                                                   */
} schema_field;

/// What a scene must know of an option that comes from an X-macro, where that is not a plain number from 0.
typedef struct schema_option {
    const char *key;
    quantity unit; /* the same that its text has in brackets */
    unsigned range;
    double low, high;
} schema_option;

enum { SCHEMA_FIELDS_MAX = 32, SCHEMA_ALTERNATIVES_MAX = 13, SCHEMA_GROUPS_MAX = 2 };

struct schema_object {
    const char *name; /* heading in the manual, name in the JSON Schema                                  */
    const char *text; /* what it is                                                                      */
    size_t size;      /* of the struct                                                                   */
    const schema_field *field;
    int field_count;
    const char
        *one_of[SCHEMA_GROUPS_MAX][SCHEMA_ALTERNATIVES_MAX + 1]; /* of each group exactly one key must be given */
    const char *hidden[4];         /* fields of an option list that a scene does not set                */
    const schema_option *option;   /* ends with a NULL key; NULL: none                                  */
    void (*defaults)(void *value); /* fills the struct before anything is read; NULL: zeros             */
    /// A choice that decides which options are read: a field whose text has names of that choice before a colon, at its start or after
    /// a semicolon ("nsgs, psor: ...; newton: ..."), may be given with these only, or with one of `any`. NULL: none.
    const char *selector, *any[3];
};

typedef struct scene_name {
    const char *text;
    const scree_doc_node *node;
} scene_name;

/// Struct of an object that stands in a FIELD_MAP: its head, then its name.
typedef struct scene_named {
    scene_head head;
    scene_name name;
} scene_named;

/* ---- the tables (schema.c) ------------------------------------------------------------------------------------------ */

extern const schema_object schema_root;

/// The map {axis, angle} of a rotation, and its struct.
extern const schema_object schema_turn;
typedef struct scene_turn {
    scene_head head;
    double axis[3], angle;
} scene_turn;

/// A number that may change with time: what is not given is 0.
typedef struct scene_course {
    scene_head head;
    double fixed; /* as in scene_fixed */
    scree_time_function over;
} scene_course;
_Static_assert(offsetof(scene_course, fixed) == offsetof(scene_fixed, fixed), "begins as scene_fixed");

/// The field as it is meant: with the quantity that it inherits, or unit and limits of its option list.
schema_field schema_resolve(const schema_object *object, const schema_field *field, quantity inherited);
int schema_hidden(const schema_object *object, const schema_field *field);

/// 1 if the field is read when the object's selector has the word `selected`. Otherwise `readers` names who reads it.
int schema_reads(const schema_object *object, const schema_field *field, const char *selected, char *readers,
                 size_t size);

/// What the object's struct holds when nothing is given.
void schema_defaults(const schema_object *object, void *value);

/* ---- the reader (schema_read.c) -------------------------------------------------------------------------------------- */

/// Fills `value` (object->size bytes) from the map `node`; NULL: everything is as if not given. Memory comes from the document.
scree_status schema_read(scree_doc *doc, const scree_doc_node *node, const schema_object *object, quantity inherited,
                         void *value);

/// Where a key of an object stands; NULL: it was not given. And its value, or the whole object where it was not given.
const scree_doc_node *schema_key(const scene_head *head, const char *key);
const scree_doc_node *schema_node(const scene_head *head, const char *key);

/* ---- single values (schema_values.c): `field` is resolved --------------------------------------------------------------- */

scree_status schema_value(scree_doc *doc, const scree_doc_node *node, const schema_field *field, void *at);

/// "a length, like \"45 mm\"": what a field expects, for messages and the manual.
const char *schema_expects(const schema_field *field, char *buffer, size_t size);

/// "above 0", "from 0 to 1"; "" without limits.
const char *schema_range_words(const schema_field *field, char *buffer, size_t size);

/// Words of a choice, at most SCHEMA_WORDS_MAX.
enum { SCHEMA_WORDS_MAX = 32 };
int schema_words(const schema_field *field, const char *words[SCHEMA_WORDS_MAX]);

#endif
