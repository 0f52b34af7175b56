/* json.h: JSON (scree/files.h) to anything that takes bytes. */
#ifndef SCREE_BASE_JSON_H
#define SCREE_BASE_JSON_H

#include <scree/files.h>

/// A writer whose text goes to `write`.
scree_json json_start_at(void (*write)(void *context, const char *bytes, size_t size), void *context);

/// A string in its quotes, alone: for text whose layout scree_json does not have.
void json_put_string(const scree_json *j, const char *text);

#endif
