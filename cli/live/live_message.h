/* live_message.h: a running world as messages to a page: what its bodies look like (a stage), and where they are (a frame).
 *
 *     16 bytes: "SCRL", where the JSON text begins, its length, 0       (32-bit, lowest byte first)
 *     arrays, each from a multiple of 8 bytes
 *     JSON: {"kind": "frame", "time": ..., "arrays": {"x": ["f32", 16, 300], ...}}: type, where it begins, number of entries
 *
 * The same messages come from the module in a page (live_session.c) and from `scree run --watch` (cli/watch.c); report/feed.js reads them. */
#ifndef SCREE_CLI_LIVE_LIVE_MESSAGE_H
#define SCREE_CLI_LIVE_LIVE_MESSAGE_H

#include <scree/files.h>
#include <scree/run.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { LIVE_ARRAYS_MAX = 1024 };

typedef struct live_array {
    char name[24];
    const char *type; /* "f32", "i32", "u8" */
    size_t at, count;
} live_array;

/// Zero it once; it is used for one message after the other, and then freed by live_message_free.
typedef struct live_message {
    unsigned char *bytes;
    size_t size, capacity;
    int array_count;
    live_array *array;
    FILE *out;
    char *text;
    size_t text_size;
    scree_json json; /* of the message, while it is made */
} live_message;

void live_message_begin(live_message *m, const char *kind);
/// Room for an array; valid until the next one. NULL type: bytes are not listed again.
void *live_message_array(live_message *m, const char *name, const char *type, size_t count);
void live_message_end(live_message *m);
void live_message_free(live_message *m);

/* ---- what is sent (live_stage.c) ------------------------------------------------------------------------------------------- */

/// Bodies, shapes, meshes, joints, names. It is to be sent again when there are more shapes.
void live_stage_pack(live_message *m, const scree_world *world);

/// The numbers that every run has, by the names of series.csv, contacts by mode, and what the scene measures, as one object.
void live_row_write(scree_json *j, const char *key, scree_simulation *simulation, const scree_step_report *report);

enum { LIVE_CONTACTS = 1, LIVE_ROW = 2, LIVE_HASH = 4 };

/// Poses and speeds; with LIVE_CONTACTS the contacts, with LIVE_ROW the numbers of a row of series.csv, with LIVE_HASH that of the state.
/// `report`: of the last step; step 0: there was none.
void live_frame_pack(live_message *m, scree_simulation *simulation, const scree_step_report *report, unsigned what);

#endif
