/* device_library.c: finds libscree_cuda.so. Nothing of CUDA is needed to build or to run scree; who asks for a device is told what is missing. */
#include "device/device_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *library_name(void)
{
    const char *asked = getenv("SCREE_CUDA_LIBRARY");
    return asked && *asked ? asked : "libscree_cuda.so";
}

void device_library_is_other(char text[DEVICE_TEXT])
{
    snprintf(text, DEVICE_TEXT, "%.150s was built for another version of scree", library_name());
}

void device_twin_is_missing(char text[DEVICE_TEXT])
{
    snprintf(text, DEVICE_TEXT, "this build has no kernels of a GPU for the processor (SCREE_TWIN)");
}

#if defined(SCREE_HAVE_DLOPEN)

#include <dlfcn.h>

device_get_table device_library_find(const char *symbol, char text[DEVICE_TEXT])
{
    device_get_table get;
    void *library = dlopen(library_name(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(text, DEVICE_TEXT, "%.120s cannot be opened; it is built with -DSCREE_CUDA=ON (docs/gpu.md)",
                 library_name());
        return NULL;
    }
    void *found = dlsym(library, symbol);
    if (!found) {
        snprintf(text, DEVICE_TEXT, "%.150s is not a library of scree", library_name());
        (void)dlclose(library);
        return NULL;
    }
    memcpy(&get, &found, sizeof get);
    return get;
}

#else

device_get_table device_library_find(const char *symbol, char text[DEVICE_TEXT])
{
    (void)symbol;
    snprintf(text, DEVICE_TEXT, "this build of scree cannot open libraries");
    return NULL;
}

#endif
