/* device_engine.h: engines for spheres whose steps a device takes (device_engine.c). */
#ifndef SCREE_DEM_CUDA_DEVICE_ENGINE_H
#define SCREE_DEM_CUDA_DEVICE_ENGINE_H

#include "dem/spheres/bed.h"

/// On a CUDA device, through libscree_cuda.so; and by the same kernels on the processor, for tests.
extern const sphere_engine device_engine_gpu, device_engine_twin;

/// Whether such an engine can be made here: the library, its version, a card. (`twin`: always.)
scree_status device_engine_there(int twin, scree_error *error);

/// The bed that answers on the processor, with the newest state. It may be changed.
bed *device_engine_mirror(bed *b);
/// For tests: the call-th call to the device from now on fails (0: none).
void device_engine_fail_at(bed *b, int64_t call);
/// What it has done since it was made, and the contacts that there are.
typedef struct device_counts {
    int64_t rebuilds, sorts;  /* lists made; of these with a sort of the spheres          */
    int64_t touching, listed; /* contacts that touched in the last step; pairs in the lists */
    double list_seconds;
    size_t bytes; /* device_engine_bytes */
} device_counts;
device_counts device_engine_counts(const bed *b);
size_t device_engine_bytes(const bed *b); /* of the device's memory, most there have been at a time */

#endif
