/* pile_device.h: sweeps over contacts of spheres on a device (a GPU), behind a table of plain functions.
 *
 * The table is in libscree_cuda.so, which is opened when a device is asked for (pile_open.c). Its kernels compile as C for the processor too
 * (pile_twin.c), with the same bits: for tests, and slow. What they do to a contact is spheres_contact.h, as on the processor.
 *
 * Bodies, contacts and loads lie on the device as spheres.h has them; a thread is one lane. Sums over contacts are formed in one order, that of the
 * batches, in blocks of fixed size: every run has the same bits. */
#ifndef SCREE_SOLVERS_CUDA_PILE_DEVICE_H
#define SCREE_SOLVERS_CUDA_PILE_DEVICE_H

#include "device/device_library.h"
#include "solvers/spheres/spheres_batch.h"

#include <stddef.h>
#include <stdint.h>

/// Grows with every change of what is below: a library that was built for another version is refused.
enum { PILE_DEVICE_VERSION = 1 };

typedef struct pile_device pile_device;

/// A pile, handed over. Bodies have their free velocities; two more than body_count (spheres.h).
typedef struct pile_device_pile {
    scree_law law;
    int body_count, batch_count, colour_count;
    const int *colour_start;       /* (colour_count + 1) batches                            */
    const sphere_body *body;       /* (body_count + 2)                                      */
    const sphere_batch *batch;     /* (batch_count)                                         */
    const sphere_special *special; /* (batch_count), or NULL: no contact needs it           */
    const sphere_loads *loads;     /* (batch_count)                                         */
} pile_device_pile;

/// Functions return SCREE_OK, SCREE_ERR_MEMORY (of the device) or SCREE_ERR_DEVICE; `message` then says more, and nothing else can be done with
/// the device but to destroy it.
typedef struct pile_device_table {
    int version;
    size_t sizes[4];
    const char *name; /* "CUDA", "host twin" */
    scree_status (*create)(pile_device **out, char text[DEVICE_TEXT]);
    void (*destroy)(pile_device *d);
    /// Colours of contacts between bodies a and b (-1: what does not move): no two contacts of one colour share a body. Contacts with what does
    /// not move come first. -1: none of the colours that there are (PILE_COLOURS) is free at both bodies.
    scree_status (*colour)(pile_device *d, int body_count, int contact_count, const int *a, const int *b, int *colour);
    /// Takes a pile, with the velocities that go with its loads.
    scree_status (*upload)(pile_device *d, const pile_device_pile *pile);
    /// Velocities anew from the loads of now, which are those of before as well.
    scree_status (*renew)(pile_device *d);
    /// So many sweeps; momentum begins again without a look of the processor.
    scree_status (*sweeps)(pile_device *d, int count, sweep_momentum *momentum);
    /// |p - proj(p - yhat)|^2, |p|^2, |y|^2.
    scree_status (*sums)(pile_device *d, double total[3]);
    /// Keeps the loads of now for later.
    scree_status (*keep)(pile_device *d);
    /// The loads of now, or those that were kept: (batch_count).
    scree_status (*loads)(pile_device *d, int kept, sphere_loads *out);
    const char *(*message)(const pile_device *d);
    size_t (*bytes)(const pile_device *d); /* of its memory, most there have been at a time */
    /// For tests: the n-th call to the device from now on fails (0: none).
    void (*fail_at)(pile_device *d, int64_t call);
} pile_device_table;

enum { PILE_COLOURS = 256 };

/// The twin on the processor; NULL: not in this build (SCREE_TWIN).
const pile_device_table *pile_device_twin(void);
/// The table of libscree_cuda.so; NULL: `text` says what is missing.
const pile_device_table *pile_device_open(char text[DEVICE_TEXT]);

#endif
