/* file.h: bytes on their way to disk, in two manners.
 *
 *   replaced   file_create writes beside the final name; file_finish renames. Whoever looks sees the old file or the new one,
 *              never half of one, whenever the program dies. A durable one is on the disk when it gets its name, so that this
 *              holds for a machine that dies, too; it costs a few milliseconds, which is too much for every frame.
 *   growing    growing_open keeps a file open, growing_commit ends an entry. An entry that cannot be written whole is taken
 *              back. What must stand at the end of the file (the closing tags of XML) is its `tail`: written after every entry,
 *              overwritten by the next.
 *
 * Writers hand in bytes and need not look: the first failure is kept and reported by file_finish or growing_commit. */
#ifndef SCREE_BASE_FILE_H
#define SCREE_BASE_FILE_H

#include <scree/files.h>

enum { FILE_PATH_MAX = 1024, FILE_BUFFER = 1 << 16 };

typedef struct out_file {
    int open;
    int fd;
    int problem;      /* errno of the first failure; 0: none                                     */
    int64_t size;     /* bytes handed in, from the start of the file, the tail not counted        */
    int64_t kept;     /* growing: where the present entry began                                  */
    const char *tail; /* growing; ""                                                              */
    char *buffer;     /* (FILE_BUFFER) lent by the caller; one file at a time may hold bytes in it */
    size_t used;
    char path[FILE_PATH_MAX];
} out_file;

/// Waits until renames in the folder are on the disk; where a file system cannot, nothing.
void file_sync_folder(const char *path);

scree_status file_create(out_file *f, const char *path, char *buffer, scree_error *error);
scree_status file_finish(out_file *f, int durable, scree_error *error);

/// Opens or makes a file that grows. keep 0: it starts empty; 1: it stays as it is until growing_cut.
scree_status growing_open(out_file *f, const char *path, const char *tail, int keep, char *buffer, scree_error *error);
/// Goes on at byte `size`; what follows is cut off. SCREE_ERR_INPUT: the file is shorter.
scree_status growing_cut(out_file *f, int64_t size, scree_error *error);
scree_status growing_commit(out_file *f, scree_error *error);
scree_status growing_sync(const out_file *f, scree_error *error);
/// Nothing is lost by it: entries are on their way when growing_commit returns.
void growing_close(out_file *f);

void file_bytes(out_file *f, const void *bytes, size_t size);
void file_text(out_file *f, const char *text);
/// Text without real numbers in it: they depend on the locale.
void file_print(out_file *f, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/// 17 significant digits with a decimal point, then the character `after` (0: none).
void file_real(out_file *f, double x, char after);
/// A field of a CSV line: quoted where it must be.
void file_csv_word(out_file *f, const char *word);

/// Little-endian, whatever the machine is.
void file_u64(out_file *f, uint64_t x);
void file_i32(out_file *f, int32_t x);
void file_f64(out_file *f, double x);

#endif
