/* device_state.h: how a bed lies in the memory of a device.
 *
 * Spheres are sorted along a Morton curve of cells and cut into chunks of GPU_THREADS, one block of threads each, or of fewer where there would
 * be fewer chunks than blocks that the device works on at a time. A chunk has every contact in
 * which one of its spheres takes part, so contacts between two chunks are there twice, worked out twice with the same bits, and no chunk
 * waits for another (about a quarter more contacts). Records are there twice, before and after a step, since neighbours read them.
 *
 * Sums of a step over all chunks (losses, what planes feel, masses that come round) are added into GPU_COPIES copies, so that chunks do not wait
 * at one address; they are exact, so nothing depends on the order. */
#ifndef SCREE_DEM_CUDA_DEVICE_STATE_H
#define SCREE_DEM_CUDA_DEVICE_STATE_H

#include "dem/cuda/device.h"
#include "dem/spheres/bed_turn.h"
#include "device/device_memory.h"

enum { GPU_COPIES = 64, GPU_LOSS_ROWS = 2 * BED_LOSSES, GPU_WRAPPED = GPU_LOSS_ROWS, GPU_PLANES = GPU_WRAPPED + 3 };

/// Largest square of a speed, normal force and overlap, as integers in the order of the numbers.
enum { GPU_SPEED2, GPU_FORCE, GPU_OVERLAP, GPU_PEAKS };

/// Why no more steps are taken.
enum gpu_stop {
    GPU_GOES_ON,
    GPU_DONE,     /* as many as were wanted                                        */
    GPU_CONTACTS, /* contacts may touch that the lists of chunks do not have       */
    GPU_PAIRS,    /* nor the list of pairs                                         */
    GPU_BAD,      /* a sphere ran away                                             */
    GPU_REFUSED,  /* a load is not finite: the step is not taken                   */
    GPU_ROOM      /* a sphere has more contacts with walls than there is room for: the step is not taken */
};

/// Contacts, chunk after chunk: those of spheres, or those with planes.
typedef struct gpu_contacts {
    double *memory; /* (BED_MEMORY x room) */
    int32_t *i, *j; /* spheres; planes: j is the plane */
    uint16_t *pair;
    uint8_t *bits; /* bed_kept_bits */
    int64_t room;
    const int64_t *first; /* (chunks + 1) */
    int chunk_bits;       /* of gpu_view   */
} gpu_contacts;

/// What one step leaves to the next.
typedef struct gpu_now {
    int stop, parity; /* parity: which records are those of now */
    int half, modes, bad, refused;
    int64_t taken, wanted;
    double scale, speed2, deepest;
    double travel, near_travel, wall_travel; /* since pairs were listed, since contacts were; planes and spheres */
    double bounds[2][3];
    bed_grid grid;
    double unit, per_unit; /* forces are multiples of this, and what is one of them (gpu_pile) */
    bed_totals totals;
    bed_forcing forcing; /* pointers of the device */
    int wall_at;         /* which contacts with walls are those of the last step */
    scree_ledger outside;
} gpu_now;

/// Walls of any shape (device_walls.h). A slot is a sphere near one.
typedef struct gpu_walls {
    int count, bodies, materials, rows; /* rows: of sums */
    int moved, by_hand;
    const soft_wall *wall;
    const soft_wall_body *body;
    const mesh_data *mesh;
    const pair_friction *pair;
    const scree_friction *friction;
    const double *inverse_inertia, *loaded_mass;
    scree_world_options options;
    double half_slack;
    int slots, room;                /* room: contacts of a slot                             */
    const int32_t *sphere, *loaded; /* (slots) loaded: index of its applied load, -1: none   */
    const int64_t *first;           /* (slots + 1) into `near`                              */
    const int32_t *near;            /* walls near them, ascending                           */
    double (*q0)[4];                /* (slots) rotations at the contacts of the last step   */
    int64_t *carried;               /* (slots) after which step histories went along        */
    int32_t *held[2];               /* (slots) contacts, in the order of walls and features */
    scree_contact_point *touch[2];  /* (slots x room) shape of the wall: its index, of the sphere: -1 */
    contact_memory *memory[2];
    int64_t *sum;  /* (rows x EXACT_DIGITS) */
    double *value; /* (rows) */
} gpu_walls;

/// All that kernels see.
typedef struct gpu_view {
    bed_device_shape shape;
    double gravity[3], inner;
    int chunks, forced, sums; /* sums: numbers in a copy                           */
    int chunk_bits;           /* a chunk is 2^this spheres                         */
    bed_record *record[2];
    double (*q)[4];
    int32_t *id;
    uint16_t *material;
    bed_load *given;      /* where there are loaded spheres, else NULL         */
    const int32_t *place; /* (loaded) where a loaded sphere is; -1: nowhere    */
    double *work;         /* (loaded x 6) terms of the work of a step          */
    bed_plane_now *plane;
    const bed_prepared *prepared;
    const double (*constant)[BED_CONSTANTS][BED_LANES], (*wall_constant)[BED_CONSTANTS][BED_LANES];
    double single[2][BED_CONSTANTS][BED_LANES]; /* the first of both */
    gpu_contacts contact, wall;
    gpu_walls walls;
    gpu_now *now;
    double *sum;    /* (sums x GPU_COPIES) losses, masses, planes: 12 each */
    double *last;   /* (sums) of the last step                             */
    uint64_t *peak; /* (GPU_PEAKS x GPU_COPIES)                            */
} gpu_view;

/// The host's side.
struct bed_device {
    gpu_base base;
    gpu_view view;
    gpu_now now; /* as last seen */
    gpu_array record[2], q, id, material, given, place, work, plane, prepared, constant, wall_constant, state, sum,
        last, peak;
    gpu_array order;  /* (count) before the last sort; while lists are made */
    gpu_array handed; /* (count) where each sphere was when it was handed over */
    gpu_array pair_first, pair;
    gpu_array contact_memory, contact_ij, contact_pair, contact_bits, contact_first;
    gpu_array wall_memory, wall_ij, wall_pair, wall_bits, wall_first;
    gpu_array kept_first, kept; /* memories on their way from old lists to new ones */
    gpu_array scratch, scan, tables, driven, driven_plane, loaded;
    gpu_array walls_wall, walls_body, walls_mesh, walls_points, walls_pair, walls_friction, walls_inertia, walls_loaded;
    gpu_array slot_sphere, slot_loaded, slot_first, slot_near, slot_q0, slot_carried, slot_held[2], slot_touch[2],
        slot_memory[2], slot_sum, slot_value, slot_of, slot_id, limit_place, limit_given;
    int walls_room, slots_lost;
    int slots_handed; /* slots of contacts that the host has just handed over; -1: contacts are the device's */
    int64_t kept_count;
    int lists_due, contacts_due, kept_waits; /* kept_waits: memories have been handed over, and are in no list yet */
    int64_t rebuilds, sorts, listed;
    double list_seconds;
};

SCREE_HD int gpu_chunk_of(int32_t sphere, int chunk_bits)
{
    return (int)(sphere >> chunk_bits);
}

SCREE_HD double gpu_nearest(const bed_device_shape *s, int axis, double d)
{
    const double half = 0.5 * s->box[axis]; /* as bed_nearest_image */
    return !s->periodic[axis] ? d : d > half ? d - s->box[axis] : d < -half ? d + s->box[axis] : d;
}

/// The square of the distance of two spheres.
SCREE_HD double gpu_distance2(const bed_device_shape *s, const double *x, const double *y)
{
    double r2 = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double d = gpu_nearest(s, k, x[k] - y[k]);
        r2 += d * d;
    }
    return r2;
}

/// As bed_near_plane.
SCREE_HD int gpu_near_plane(const gpu_view *g, const bed_record *r, int plane)
{
    const bed_plane_now *p = &g->plane[plane];
    const double d[3] = {r->x[0] - p->point[0], r->x[1] - p->point[1], r->x[2] - p->point[2]};
    return vec_dot(p->n, d) - r->x[3] < g->shape.skin && r->omega[3] > 0.0;
}

SCREE_HD int gpu_same_size(const bed_device_shape *s, const bed_record *r)
{
    return !(r->x[3] < s->common[0] || r->x[3] > s->common[0]) &&
           !(r->omega[3] < s->common[1] || r->omega[3] > s->common[1]) &&
           !(r->v[3] < s->common[2] || r->v[3] > s->common[2]);
}

#endif
