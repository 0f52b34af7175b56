/* formats.h: how each frame format of the list in scree/scene.h is written. The file of a format defines its output_format; the output
 * (output.c), the folder of a run (run_folder.c) and its checkpoint work from these and know no format by name. */
#ifndef SCREE_RUN_FORMATS_H
#define SCREE_RUN_FORMATS_H

#include "run/output_private.h"

enum { FORMAT_FILES_MAX = 3 };

/// A file that grows by an entry with each frame; `tail` stands behind the last entry ("": nothing).
typedef struct format_growing {
    const char *name, *tail;
} format_growing;

/// A file of each frame: folder/start000012end.
typedef struct format_numbered {
    const char *folder, *start, *end;
} format_numbered;

typedef struct output_format {
    format_growing growing[FORMAT_FILES_MAX]; /* the first without a name ends the list */
    format_numbered numbered[FORMAT_FILES_MAX];
    int needs_world; /* 1: it cannot be made of a frame that was read back */
    /// Writes frame number o->frames; grows[k] is the open file growing[k].
    scree_status (*frame)(scree_output *o, out_file *grows, const frame_source *f, scree_error *error);
    /// After a restart has cut the growing files back; NULL: nothing to do.
    scree_status (*resumed)(scree_output *o, const out_file *grows, scree_error *error);
} output_format;

#define FORMAT_OF(id, name, family, shape, contact, text) extern const output_format format_##name;
SCREE_FORMATS(FORMAT_OF)
#undef FORMAT_OF

/// The format with this index.
const output_format *output_format_at(int index);

/// Number of growing files of a format.
int format_growing_count(const output_format *format);

/// The file or folder by which a user knows the format: its first.
const char *format_entry(const output_format *format);

#endif
