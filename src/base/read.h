/* read.h: a file read whole, or no further than its beginning tells what it is. */
#ifndef SCREE_BASE_READ_H
#define SCREE_BASE_READ_H

#include <scree/base.h>

/// scree_file_read (scree/files.h), which ends early when `enough` (NULL: never) is content with what was read so far.
scree_status file_read(const char *path, size_t limit, int (*enough)(const char *bytes, size_t size),
                       const scree_allocator *allocator, char **text, size_t *size, scree_error *error);

/// What a file that could not be opened or read is, by its errno: SCREE_ERR_FILE where the path or the rights are wrong, SCREE_ERR_READ where
/// the machine is at fault.
scree_status file_status(int reason);

#endif
