/* hdf5_path.h: objects in an HDF5 file by their path, and messages that name them as file::/path. Private; needs HDF5. */
#ifndef SCREE_BASE_HDF5_PATH_H
#define SCREE_BASE_HDF5_PATH_H

#include "base/text.h"

#include <hdf5.h>
#include <scree/base.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HDF5_PATH_MAX = 256 };

/// Whether there is an object at the absolute path (shorter than HDF5_PATH_MAX): every link on the way, and what the last one
/// points to.
static inline int hdf5_exists(hid_t file, const char *path)
{
    char part[HDF5_PATH_MAX];
    for (size_t k = 1; path[k - 1] != '\0' && k < sizeof part; ++k) {
        if (path[k] != '/' && path[k] != '\0') continue;
        memcpy(part, path, k);
        part[k] = '\0';
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0 || H5Oexists_by_name(file, part, H5P_DEFAULT) <= 0) return 0;
    }
    return 1;
}

#if defined(__GNUC__)
__attribute__((format(printf, 4, 0)))
#endif
static inline void
hdf5_error(scree_error *error, const char *file, const char *path, const char *format, va_list arguments)
{
    char text[sizeof error->text], name[sizeof error->file];
    text_format(text, sizeof text, format, arguments);
    snprintf(name, sizeof name, "%s::%s", file, path);
    scree_error_set(error, name, 0, 0, "%s", text);
}

#endif
