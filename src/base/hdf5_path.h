/* hdf5_path.h: objects in an HDF5 file by their path. Private; needs HDF5. */
#ifndef SCREE_BASE_HDF5_PATH_H
#define SCREE_BASE_HDF5_PATH_H

#include <hdf5.h>

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

#endif
