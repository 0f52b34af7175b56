/* files.h: whole files, folders, JSON and CSV: what a program around the library reads and writes, as the library itself does it.
 *
 * A file that replaces another is written beside it, as NAME.tmp, and renamed when it is complete: whoever looks sees the old file or the
 * new one, never half of one, whenever the program dies. Of two that write the same file at once, the second is refused.
 *
 *     scree_new_file file;
 *     if (scree_file_begin("table.csv", &file, &error) == SCREE_OK) {
 *         fprintf(file.stream, "x,y\n");
 *         scree_file_end(&file, &error);
 *     }
 *
 * Thread safety: functions work on what they are handed and on the files they name; different files and writers may be used in several
 * threads at once. */
#ifndef SCREE_FILES_H
#define SCREE_FILES_H

#include <scree/base.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- whole files --------------------------------------------------------------------------------------------------- */

/// The bytes of a file ("-": standard input), and a 0 behind them that `*size` does not count. At most `limit` bytes and one more are read:
/// `*size` > `limit` means that the file is longer. NULL on failure: SCREE_ERR_FILE, SCREE_ERR_READ, SCREE_ERR_MEMORY. The caller frees by `allocator`
/// (NULL: free()).
SCREE_API char *scree_file_read(const char *path, size_t limit, const scree_allocator *allocator, size_t *size,
                                scree_error *error);

/// Replaces the file by these bytes. SCREE_ERR_WRITE on failure; the old file is then still there.
SCREE_API scree_status scree_file_replace(const char *path, const void *bytes, size_t size, scree_error *error);

enum { SCREE_PATH_MAX = 4096 }; /* bytes of a path, its 0 included */

/// A file that is being written. Between begin and end the caller prints into `stream`.
typedef struct scree_new_file {
    FILE *stream;
    int direct; /* a device or a pipe, with nothing to rename */
    char path[SCREE_PATH_MAX];
} scree_new_file;

SCREE_API scree_status scree_file_begin(const char *path, scree_new_file *file, scree_error *error);
/// Closes and renames. SCREE_ERR_WRITE if anything printed since begin could not be written: then nothing is left but the old file.
SCREE_API scree_status scree_file_end(scree_new_file *file, scree_error *error);
/// Closes and removes what was written.
SCREE_API void scree_file_abandon(scree_new_file *file);

/// Makes the folder, and those above it; one that exists is fine. SCREE_ERR_WRITE on failure.
SCREE_API scree_status scree_folder_make(const char *path, scree_error *error);

/// A folder that belongs to one writer, process and all: `scree run`, `scree sweep` and scree_run claim theirs. The claim is the lock on a file
/// DIR/writer.lock, which names its owner. It ends with the process, however that ends; children made by fork share it.
typedef struct scree_folder_claim scree_folder_claim;

/// Makes the folder, and claims it. `who` is what another one reads: "a run". NULL on failure: SCREE_ERR_INPUT, another one has it and still
/// has after `wait` seconds (the error names its process and machine); SCREE_ERR_WRITE; SCREE_ERR_MEMORY. allocator NULL: the default.
SCREE_API scree_folder_claim *scree_folder_claim_take(const char *folder, const char *who, double wait,
                                                      const scree_allocator *allocator, scree_error *error);
/// Gives the folder back, and removes the file. NULL is fine.
SCREE_API void scree_folder_claim_release(scree_folder_claim *claim);

/* ---- JSON ------------------------------------------------------------------------------------------------------------ */

enum { SCREE_JSON_DEPTH_MAX = 16 };

/// Writes one JSON value, indented, numbers with 17 digits and a decimal point in every locale.
///
///     scree_json j = scree_json_start(stdout);
///     scree_json_object(&j, NULL);
///         scree_json_text(&j, "mode", "slide");
///         scree_json_numbers(&j, "reaction", p, 3);
///     scree_json_close(&j);
///
/// `key` is NULL for the outermost value and inside lists. NaN and infinity, which JSON does not have, become null.
typedef struct scree_json {
    void (*write)(void *context, const char *bytes, size_t size); /* where the text goes */
    void *context;
    int depth;
    int count[SCREE_JSON_DEPTH_MAX];    /* values written at each level */
    char bracket[SCREE_JSON_DEPTH_MAX]; /* what closes each level       */
} scree_json;

SCREE_API scree_json scree_json_start(FILE *out);

SCREE_API void scree_json_object(scree_json *j, const char *key); /* opens: close with scree_json_close   */
SCREE_API void scree_json_list(scree_json *j, const char *key);   /* opens: close with scree_json_close   */
SCREE_API void scree_json_close(scree_json *j);                   /* the innermost; the last ends the line */

/// NULL: null. Bytes that are not UTF-8 become U+FFFD.
SCREE_API void scree_json_text(scree_json *j, const char *key, const char *value);
SCREE_API void scree_json_number(scree_json *j, const char *key, double value);
SCREE_API void scree_json_integer(scree_json *j, const char *key, int64_t value);
SCREE_API void scree_json_bool(scree_json *j, const char *key, int value);
SCREE_API void scree_json_null(scree_json *j, const char *key);
SCREE_API void scree_json_numbers(scree_json *j, const char *key, const double *values, int count); /* on one line */

/* ---- CSV --------------------------------------------------------------------------------------------------------------- */

/// Ends the field that starts at `at` in place, quotes taken off; returns the start of the next one. `*last`: the line, or the text, ends
/// with this field.
SCREE_API char *scree_csv_cut(char *at, char **field, int *last);

/// Prints a field, in quotes where it must be.
SCREE_API void scree_csv_write(FILE *out, const char *field);

#ifdef __cplusplus
}
#endif
#endif
