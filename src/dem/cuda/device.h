/* device.h: a bed's steps on a device (a GPU), behind a table of plain functions.
 *
 * The table is in a library of its own, libscree_cuda.so, which is opened when a device is asked for (device_open.c): libscree itself knows
 * nothing of CUDA. The kernels of that library compile as C for the processor too (device_twin.c). This is the same table: it is slow, needs
 * no card, and gives the same bits as the card and as the engine for spheres, since sums are exact (bed_parts.h, bed_grid). Tests use it.
 *
 * Who has what: the bed (bed_device.c) hands over its whole state, lets steps be taken, and asks for parts of the state back. Arrays here are
 * the caller's, in the order in which they were handed over; `place` below is an index into that order. */
#ifndef SCREE_DEM_CUDA_DEVICE_H
#define SCREE_DEM_CUDA_DEVICE_H

#include "dem/dem_walls.h"
#include "dem/spheres/bed_parts.h"
#include "device/device_library.h"

/// Grows with every change of what is below: a library that was built for another version is refused.
enum { BED_DEVICE_VERSION = 3, BED_DEVICE_TEXT = DEVICE_TEXT };

typedef struct bed_device bed_device;

/// What a contact of the last step remembers. `partner`: place of the sphere j, or -1 - plane.
typedef struct bed_kept_contact {
    double memory[BED_MEMORY];
    int32_t partner;
    uint32_t bits; /* BED_KEPT_ */
} bed_kept_contact;

enum bed_kept_bits {
    BED_KEPT_LIVE = 1,
    BED_KEPT_SOUTH = 2,
    BED_KEPT_PUSHES = 4,
    BED_KEPT_KINETIC = 8 /* and the three bits above it: one for each spring */
};

/// What does not change while spheres neither come nor leave.
typedef struct bed_device_shape {
    int count, planes, materials, pairs;
    int law, hertz, stiffens, published, needs, equal, turns, ledger;
    int periodic[3];
    double common[3], low[3], box[3], inverse_box[3], h, skin;
    bed_borders borders;
    bed_most most;
    int levels;
    double level_radius[BED_LEVELS];
} bed_device_shape;

/// A bed, handed over.
typedef struct bed_device_bed {
    bed_device_shape shape;
    const bed_record *record;   /* (count) */
    const double (*q)[4];       /* (count) or NULL */
    const int32_t *id;          /* (count) */
    const uint16_t *material;   /* (count) */
    const bed_plane_now *plane; /* (planes) */
    const bed_prepared *prepared;
    const double (*constant)[BED_CONSTANTS], (*wall_constant)[BED_CONSTANTS]; /* (pairs) of common spheres */
    const int64_t
        *kept_first; /* (count + 1) contacts of the sphere i: kept[kept_first[i]] to kept[kept_first[i + 1]] */
    const bed_kept_contact *kept;
} bed_device_bed;

/// One call for steps: what goes in and comes out.
typedef struct bed_device_call {
    int64_t steps; /* wanted; out: taken                                  */
    double gravity[3];
    double scale, speed2; /* in and out                                          */
    bed_totals totals;    /* in and out                                          */
    bed_forcing *forcing; /* or NULL; its state moves along                      */
    soft_walls *walls;    /* or NULL; their contacts and ledger move along       */
    double deepest;       /* out: overlap in these steps                         */
    int bad;              /* out: number of a sphere that ran away, -1: none     */
    int refused;          /* out: number of one whose load is not finite         */
    bed_plane_now *plane; /* out: (planes)                                       */
    double *plane_load;   /* out: (planes x 12) force and torque of the last step, coarse parts, then fine ones */
    int64_t rebuilds;     /* out: lists made in this call, of pairs and contacts */
    int64_t sorts;        /* out: of these with a sort of the spheres            */
    double list_seconds;
} bed_device_call;

/// A device that is there.
typedef struct bed_device_info {
    char name[BED_DEVICE_TEXT];
    int64_t memory, free; /* bytes */
    int major, minor;     /* compute capability */
} bed_device_info;

/// Functions return SCREE_OK, SCREE_ERR_MEMORY (of the device), SCREE_ERR_INPUT (a load is refused) or SCREE_ERR_DEVICE; `message` then says
/// more. After an error of the device, or of its memory within lists, its state is lost.
typedef struct bed_device_table {
    int version;
    size_t sizes[6];  /* of the structs above, checked with the version */
    const char *name; /* "CUDA", "host twin" */
    /// How many devices there are, or -1 and why there is none. Those that fit are written.
    int (*list)(int room, bed_device_info *out, char text[BED_DEVICE_TEXT]);
    scree_status (*create)(bed_device **out, char text[BED_DEVICE_TEXT]);
    void (*destroy)(bed_device *d);
    scree_status (*upload)(bed_device *d, const bed_device_bed *bed);
    scree_status (*advance)(bed_device *d, bed_device_call *call);
    /// Records and rotations, by the order in which they were handed over. `q` may be NULL.
    scree_status (*read)(bed_device *d, bed_record *record, double (*q)[4]);
    /// How many contacts there are that touched in the last step (and pairs in the lists), then they: kept_first has room for count + 1.
    scree_status (*contacts)(bed_device *d, int64_t *count, int64_t *listed);
    scree_status (*read_contacts)(bed_device *d, int64_t *kept_first, bed_kept_contact *kept);
    /// bed_limit: the largest weight, the places of the pair (or -1 - plane) and the sums of both. `given`: what spheres at these places, which
    /// ascend, have from contacts that are not the bed's; out: with those that are.
    scree_status (*limit)(bed_device *d, double h, int count, const int32_t *place, dem_rate *given, double *weight,
                          int pair[2], dem_rate rate[2]);
    const char *(*message)(const bed_device *d);
    size_t (*bytes)(const bed_device *d); /* of its memory, most there have been at a time */
    /// For tests: the n-th call to the device from now on fails (0: none).
    void (*fail_at)(bed_device *d, int64_t call);
} bed_device_table;

/// What both sides must agree on.
#define BED_DEVICE_SIZES                                                                                               \
    {                                                                                                                  \
        sizeof(bed_device_bed), sizeof(bed_device_call), sizeof(bed_forcing), sizeof(bed_driven),                      \
            sizeof(bed_prepared) + BED_CONSTANTS, sizeof(soft_walls) + sizeof(soft_wall) + sizeof(contact_memory)      \
    }

/// The twin on the processor; NULL: not in this build (SCREE_TWIN).
const bed_device_table *bed_device_twin(void);
/// The table of libscree_cuda.so, opened at the first call; NULL: `text` says what is missing. One that was found stays.
const bed_device_table *bed_device_open(char text[BED_DEVICE_TEXT]);

#endif
