/* schema_tables.h: what the files that hold the tables share: short ways to write a field, and the objects of each file. */
#ifndef SCREE_SCHEMA_TABLES_H
#define SCREE_SCHEMA_TABLES_H

#include "scene/scene_private.h"

#define COUNT(array)    ((int)(sizeof(array) / sizeof *(array)))
#define AT(owner, name) offsetof(owner, name)
#define OBJECT(title, words, owner, table)                                                                             \
    .name = (title), .text = (words), .size = sizeof(owner), .field = (table), .field_count = COUNT(table)

#define POSITIVE      .range = RANGE_LOW | RANGE_LOW_OPEN, .low = 0.0
#define NOT_NEGATIVE  .range = RANGE_LOW, .low = 0.0
#define FROM_TO(a, b) .range = RANGE_LOW | RANGE_HIGH, .low = (a), .high = (b)
#define REQUIRED      .required = 1

/// A length above 0 that must be given.
#define REQUIRED_LENGTH(name, owner, member, words)                                                                    \
    {                                                                                                                  \
        .key = (name), .type = FIELD_NUMBER, .offset = AT(owner, member), .unit = QUANTITY_LENGTH, POSITIVE, REQUIRED, \
        .text = (words)                                                                                                \
    }
/// What a sine has besides its amplitude.
#define SINE_FIELDS(owner, frequency_member, phase_member)                                                             \
    {.key = "frequency",                                                                                               \
     .type = FIELD_NUMBER,                                                                                             \
     .offset = AT(owner, frequency_member),                                                                            \
     .unit = QUANTITY_FREQUENCY,                                                                                       \
     POSITIVE,                                                                                                         \
     REQUIRED,                                                                                                         \
     .text = "Oscillations per second."},                                                                              \
    {                                                                                                                  \
        .key = "phase", .type = FIELD_NUMBER, .offset = AT(owner, phase_member), .unit = QUANTITY_ANGLE,               \
        .fallback = "0", .text = "Phase at t = 0."                                                                     \
    }
#define MATERIAL(owner)                                                                                                \
    {                                                                                                                  \
        .key = "material", .type = FIELD_TEXT, .offset = AT(owner, material),                                          \
        .text = "Name of the material; may be left out where the scene has only one."                                  \
    }

/// The word of a choice at `index`, NULL beyond the last.
static inline const char *word_at(int index, const char *const words[], int count)
{
    return index < count ? words[index] : NULL;
}

#define WORD_OF(index, ...)                                                                                            \
    word_at((index), (const char *const[]){__VA_ARGS__}, COUNT(((const char *const[]){__VA_ARGS__})))

extern const schema_object schema_shape; /* schema_shapes.c */
extern const schema_object schema_periodic, schema_material, schema_pair, schema_mixing, schema_body,
    schema_container;                                       /* schema_bodies.c */
extern const schema_object schema_joint;                    /* schema_joints.c */
extern const schema_object schema_generator, schema_region; /* schema_generators.c */
extern const schema_object schema_measure;                  /* schema_measures.c   */
extern const schema_object schema_stepper, schema_solver, schema_run, schema_output,
    schema_play; /* schema_run.c        */

/// Colours of bodies (colors.c), for FIELD_CHOICE.
const char *color_word(int index);

#endif
