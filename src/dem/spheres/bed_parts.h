/* bed_parts.h (private): how a bed lies in memory, and what its kernels are given.
 *
 * Spheres are kept sorted, box by box, in equal chunks, whose number depends on that of the spheres alone. A contact belongs to the chunk of
 * its sphere i. If j is in another chunk, or behind a periodic border, its load goes to a row of its own. A step has two passes over the
 * chunks: first the contacts across chunks write their rows; then each chunk takes the loads of the contacts within it, adds its rows and
 * those of `incoming`, and moves. So chunks share no memory that they write, the order of every sum is that of the lists, whatever the number
 * of threads, and the second pass reads and writes nothing but its chunk: loads need not leave the cache. */
#ifndef SCREE_DEM_SPHERES_BED_PARTS_H
#define SCREE_DEM_SPHERES_BED_PARTS_H

#include "base/parallel.h"
#include "dem/spheres/bed.h"

/* contacts in a block: 1 where a block is a thread's own */
#if defined(BED_ONE_LANE)
enum { BED_LANES = 1 };
#else
enum { BED_LANES = 8 };
#endif

enum {
    BED_LINE = 64,   /* bytes that come from memory together                                     */
    BED_CHUNK = 256, /* spheres at least, however many threads: of 10,000 on 16 threads, 320 cost two thirds of 1024 */
    BED_CHUNK_MOST = 2560, /* and with few: bed_chunk_most                                        */
    BED_MEMORY = 7,        /* doubles of a contact                                                     */
    BED_KINDS = 4,         /* normal, slide, roll, spin                                                */
    BED_MATERIALS_MAX = 90,
    BED_LEVELS = 16, /* of radii, for the lists: the last ends at 2^-15 of the largest one, and below            */
    BED_ODD =
        0x8000, /* beside a pair of materials: not both spheres are common ones, so its constants are not in the table */
    BED_TIDY = 64, /* steps between two times that contacts which touch are put first, where nothing else asks for it */
    BED_CACHED = 20000 /* spheres: so many have their records in a second-level cache or near it    */
};

/// One sphere: what the contact loop reads of it, in three lots of four. World frame.
typedef struct bed_record {
    double x[4];     /* and the radius          */
    double omega[4]; /* and the inverse mass    */
    double v[4];     /* and the inverse inertia */
} bed_record;
_Static_assert(sizeof(bed_record) == 96, "three lots of four doubles");

/// What contacts do to a sphere, or to a plane in one chunk. The fourth entries stay 0.
typedef struct bed_load {
    double force[4], torque[4];
} bed_load;

/// A plane as it is now, in lots of four.
typedef struct bed_plane_now {
    double n[4], point[4], v[4], omega[4];
    double n_before[4], v_before[4],
        omega_before[4]; /* the normal before the last step, and what moved the plane then */
    int material;
    int spare[7];
} bed_plane_now;
_Static_assert(sizeof(bed_plane_now) % 32 == 0, "lots of four are aligned");

/// Load of a contact across chunks, on i; j gets -force and torque_j. The fourth entries are 0.
typedef struct bed_row {
    double force[4], torque_i[4], torque_j[4];
} bed_row;

/// Eight contacts. Bit l of a byte is lane l.
typedef struct bed_block {
    double memory[BED_MEMORY][BED_LANES];
    int32_t i[BED_LANES], j[BED_LANES]; /* j: sphere, or plane; lanes not used have those of some that is */
    uint16_t pair[BED_LANES];           /* of materials; and BED_ODD                          */
    uint8_t used, live; /* live: touched in the last step; the memory and bits of others are 0               */
    uint8_t south;      /* BED_TRACKED: memory is along vec_tangent_half(n, -1), else 1                       */
    uint8_t kinetic[DEM_SPRINGS];
    uint8_t pushes; /* the normal force of the last step was above 0 */
    uint8_t spare[40];
} bed_block;
_Static_assert(BED_LANES == 1 || sizeof(bed_block) == 576, "whole cache lines: 72 bytes a contact");

/// Loads of the contacts of a block, on their way to the spheres, and kept for who asks for them.
typedef struct bed_kept {
    double force[3][BED_LANES], torque_i[3][BED_LANES], torque_j[3][BED_LANES];
} bed_kept;

typedef struct bed_near {
    int32_t i, j; /* a pair of the list that is not in a block */
} bed_near;

typedef struct bed_incoming {
    int32_t sphere, row; /* the sphere is j of that row */
} bed_incoming;

/// Contacts of a chunk: with planes, of two of its spheres, of one with a sphere of another chunk or behind a periodic border (so that the
/// others need not look for the nearest image).
enum bed_group { BED_WALL, BED_WITHIN, BED_ACROSS, BED_GROUPS };

/// A stretch of an array that belongs to one chunk.
typedef struct bed_span {
    int32_t first, count, room;
} bed_span;

typedef struct bed_chunk {
    bed_span group[BED_GROUPS]; /* count is of contacts, first and room of blocks, in the chunk's own array          */
    bed_span near, incoming;
    int32_t row;       /* of the first contact of BED_ACROSS; the others follow                                      */
    int32_t soon;      /* pairs of the near list that may touch before the others; they come first                   */
    int32_t live;      /* blocks of BED_WITHIN of which a contact touched in the last step                           */
    int32_t known;     /* contacts of BED_ACROSS before the last look at the near list                               */
    int32_t overflow;  /* contacts for which that look found no room                                                 */
    int32_t bad;       /* a sphere whose numbers are not finite, -1: none                                            */
    double speed2;     /* largest square of a speed                                                                  */
    double peak[2][2]; /* largest normal force and overlap of the last step: contacts across chunks, others         */
    double wrapped[3]; /* mass that came round the periodic axes in the last step, on the grid of masses            */
} bed_chunk;

/// The blocks of a chunk, group after group. Each chunk has an array of its own: one that grows does not stand beside a copy of all.
typedef struct bed_store {
    bed_block *block;
    int32_t room;
} bed_store;

/// What a contact needs to know of its partners' materials and sizes. One number per lane.
enum bed_constant {
    C_STIFFNESS, /* normal: k, or (4/3) E sqrt(R)          */
    C_DAMPING,   /* normal                                 */
    C_FLOOR,     /* least normal force: 0 or -infinity     */
    C_LAW,
    /* BED_SDS: stiffness, damping, mu, 1/stiffness of slide, roll, twist; radius of rolling */
    C_SLIDE = C_LAW,
    C_ROLL = C_SLIDE + 4,
    C_TWIST = C_ROLL + 4,
    C_ROLL_RADIUS = C_TWIST + 4, /* R: also of the contact radius, a^2 = R delta                                  */
    C_GROWTH, /* Mindlin: stiffness of slide += C_GROWTH a, then damping += C_GROWTH_ROOT sqrt(stiffness) */
    C_GROWTH_ROOT,
    C_END,
    /* BED_TRACKED: stiffness, damping/h, bounds (static, kinetic) per unit of load of slide, roll, spin; then spin by Hertz */
    T_SLIDE = C_LAW,
    T_ROLL = T_SLIDE + 4,
    T_SPIN = T_ROLL + 4,
    T_HERTZ =
        T_SPIN + 4, /* 1: a^2 = T_RADIUS delta, K = T_A + T_B a^2, damping/h = T_C + T_D sqrt(K), bounds times a  */
    T_RADIUS,
    T_A,
    T_B,
    T_C,
    T_D,
    T_GROWTH, /* Mindlin, of slide, roll, spin: stiffness += T_GROWTH a, then damping/h += T_GROWTH_ROOT sqrt(stiffness) */
    T_GROWTH_ROOT = T_GROWTH + 3, /* spin by Hertz: K += T_GROWTH a^3, and no more damping */
    BED_CONSTANTS = T_GROWTH_ROOT + 3
};

/// Sums that do not depend on the order of their terms. Every term is rounded to a multiple of a spacing q, by adding and taking away a magic
/// number 1.5 x 2^52 q; sums of such numbers are exact as long as they stay below 2^52 q, so their order, chunks, lists, threads and lanes
/// leave no trace (Demmel & Nguyen 2015). Forces: q is a share of a scale S above all of them: 2^-50, and 2^-46 where radii differ by more than 2,
/// since large spheres have many contacts. Torques of a sphere: that times a length above its radius. S follows from the state (bed.c, scale):
/// it is a power of two, at least 16 times the largest force, raised before forces can reach it and lowered when they have fallen by far.
/// Beyond 4 S (64 S) sums would be right all the same, only no longer independent of order. In a bed of equal spheres the grid is finer than
/// what one unit in the last place of a position does to a force, wherever the largest overlap is below 1 % of the radius.
/// Planes carry many contacts and losses are small against forces: they take a coarse part, on a grid 2^20 wider (losses: of their own), and the
/// rest as a fine one.
typedef struct bed_grid {
    double force;  /* magic number; torques of a sphere: times 4 x the power of two below its radius */
    double torque; /* of a common sphere                                                             */
    double plane_force, plane_torque; /* coarse parts of what planes feel        */
    double loss[2];                   /* coarse and fine parts of energies       */
} bed_grid;

/// Bounds on what a contact can do (bed_bounds_find).
typedef struct bed_most {
    double stiffness, damping; /* of the normal force of any contact   */
    double share;              /* all of a force over its normal part  */
    double length;             /* L, above all arms                    */
    int bits;                  /* q = 2^-bits S                        */
} bed_most;

/// Which constants some pair of materials derives from sizes and masses: normal stiffness, its damping, arms of roll and spin, spin by
/// Hertz, dashpots of sds.
enum bed_need {
    BED_NEED_MODULUS = 1,
    BED_NEED_DAMPING = 2,
    BED_NEED_ARMS = 4,
    BED_NEED_SPIN_HERTZ = 8,
    BED_NEED_SDS = 16,
    BED_NEED_MINDLIN = 32,
    BED_NEED_ALL = 63
};

/// One pair of materials, prepared: each constant is a sum of a given number and one that follows from the partners.
typedef struct bed_prepared {
    double stiffness, modulus; /* Hooke: k, 0; Hertz: 0, (4/3) E                                                  */
    double damping, damping_root,
        floor;                   /* damping = given + root sqrt(m k)                                                */
    double sds[3][4];            /* stiffness, damping, mu, 1/stiffness                                             */
    double sds_root[3];          /* damping += root sqrt(m)                                                         */
    double slide[4], slide_root; /* K_E, D/h given, bounds; D/h += root sqrt(m)                                     */
    /* K_R = roll[0] + more arm/K, D/h = roll[1] + root sqrt(I K_R), bounds arm roll[2], arm roll[3]; arm = eta/K + roll_arm; K = curvature, or
     * the sum of both where < 0. Spin the same; Hertz: K_psi = spin[0] + area a^2, arm = a/2 */
    double roll[4], roll_eta, roll_more, roll_root, roll_curvature;
    double spin[4], spin_eta, spin_more, spin_root, spin_curvature, spin_hertz, spin_area;
    double roll_radius, spin_radius; /* 1/curvature                                                                 */
    bed_arm roll_arm, spin_arm; /* sds: mu += (..) K and (..)                                                       */
    double roll_smooth[2],
        spin_smooth[2];    /* mu = 0, where arms say nothing of stiffness: K_R += [0]/K^2, Mindlin [1]/K^2 a */
    double growth[3];      /* Mindlin, a the contact radius: K_E += growth a; K_R += growth arm/K a; spin the same  */
    double growth_root[3]; /* D/h, of sds D, += growth_root sqrt(inertia stiffness)                                 */
    double published;      /* 1: dashpots of the mean mass                                                     */
} bed_prepared;

/// What a thread fetches while it works on a chunk, evenly: the machine has some tens of lines under way at a time, and stands still where
/// more are asked for at once. Large beds in which most spheres touch none: the records of its next chunk; others come with their contacts
/// (fetch_soon). Small beds, several threads: what the others have had of this chunk, its records, which are theirs to read until they are
/// asked for to be written, and the rows of others for its spheres. Both move on towards their ends.
typedef struct bed_ahead {
    int pace, due; /* of lines, in units of 1/BED_PACE: in a unit of time; now                  */
    int own;       /* records are to be written soon: into the nearest cache, and nobody else's */
    const char *record, *record_end;
    const bed_incoming *incoming, *incoming_end; /* or NULL */
    const bed_row *row;
    const uint8_t *row_live;
} bed_ahead;

/// The unit of time is the motion of a sphere, about 5 ns. Blocks of contacts, where one touches or none, roughly; only the pace follows.
enum { BED_TIME_LIVE = 40, BED_TIME_DEAD = 8, BED_PACE = 4096 };

/// What a kernel works on: a group of contacts of one chunk.
typedef struct bed_run {
    const bed_record *record;
    const bed_plane_now *plane;
    bed_load *load;       /* of the chunk's spheres, which begin with `first`; unless BED_ACROSS                    */
    bed_load *plane_load; /* BED_WALL: (planes)                                                                     */
    bed_row *row;         /* BED_ACROSS: of its contacts; else NULL                                                 */
    uint8_t *row_live;    /* likewise, of its blocks                                                                */
    int first;
    bed_block *block;
    int blocks;
    const bed_prepared *prepared;                       /* (pairs)                                                */
    const double (*constant)[BED_CONSTANTS][BED_LANES]; /* (pairs) of common spheres                              */
    double h, moved; /* moved: the time over which memories move: h; 0: LAMMPS' first look */
    int starts;      /* moved is 0                                             */
    int modes;       /* 1: what is only reported is written down: which loads push, and springs of sds slide */
    const bed_grid *grid;
    double box[3], inverse_box[3]; /* 0 where not periodic                                   */
    int periodic;                  /* BED_ACROSS: one of the axes is; else 0                 */
    int hertz, stiffens, needs;    /* stiffens: stiffnesses follow the overlap, spin's by Hertz or Mindlin's */
    int published; /* BED_TRACKED: dashpots have no bound; of all pairs, since models do not mix in a bed */
    int single; /* equal spheres of one material: constant[0] is all there is                                          */
    int fetch; /* ahead what is not in the nearest cache. BED_ACROSS: if it may be far away, or in another thread's     */
    const bed_block *next_block; /* BED_ACROSS: of the chunk that comes after this one */
    int next_blocks;
    const bed_row *next_row;   /* likewise           */
    bed_ahead *ahead;          /* BED_WITHIN, or NULL */
    double (*loss)[BED_LANES]; /* (2 BED_LOSSES) or NULL: not wanted; coarse parts, then fine ones */
    double (*peak)[BED_LANES]; /* (2) largest normal force and overlap, by lanes, raised                              */
    bed_kept *kept;            /* (blocks) or NULL                                                                    */
} bed_run;

/// The integration of a chunk (and what leaves a periodic axis).
typedef struct bed_borders {
    double low[4], high[4], box[3]; /* low and high without bound where an axis is not periodic */
    double mass_grid;               /* magic number of masses that come round                   */
} bed_borders;

/// Rows of a chunk's spheres.
typedef struct bed_rows {
    const bed_block *block; /* BED_ACROSS */
    int contacts;
    const bed_row *own; /* of those */
    const bed_row *row; /* all      */
    const uint8_t *row_live;
    const bed_incoming *incoming;
    int incoming_count;
    bed_load *load; /* of the chunk's spheres, which begin with `first` */
    int first;
} bed_rows;

/// The integration of a chunk.
typedef struct bed_drift {
    bed_record *record;
    bed_load *load;        /* of the spheres from `begin` on */
    const bed_load *given; /* the caller's loads, NULL: none */
    double (*q)[4];        /* NULL: not wanted               */
    int begin, end;
    double h, kick, gravity[3]; /* kick: over which velocities change: h, or half of it */
    const bed_borders *borders;
    bed_ahead *ahead;  /* or NULL */
    double speed2;     /* result */
    double wrapped[3]; /* result */
    int bad;           /* result */
} bed_drift;

/// The functions of one instruction set. All sets give the same bits.
typedef struct bed_kernel {
    const char *name;
    /// [law][spheres, planes]: loads and memories. Returns how many blocks are live.
    int (*contacts[2][2])(const bed_run *run);
    void (*add_rows)(const bed_rows *r);
    void (*drift)(bed_drift *d);
    /// Constants of spheres of these radii, inverse masses and inverse inertias (a plane: radius 0, both inverses 0), in every lane.
    void (*constants)(bed_law law, const bed_prepared *p, const double i[3], const double j[3],
                      double out[BED_CONSTANTS][BED_LANES]);
} bed_kernel;

extern const bed_kernel bed_kernel_base;
#if defined(SCREE_X86_KERNELS)
extern const bed_kernel bed_kernel_avx2, bed_kernel_avx512;
#endif

/// Rows of losses of a chunk: dashpots; work of driven bodies, sliders of slide, roll and spin; what the model itself takes; bed_totals'
/// dropped and made.
enum { BED_LOSS_DRIVEN = BED_KINDS, BED_LOSS_MODEL = 2 * BED_KINDS, BED_LOSS_DROPPED, BED_LOSS_MADE, BED_LOSSES };

struct bed {
    scree_allocator allocator;
    scree_pool *pool;
    const bed_kernel *kernel;
    int count, chunks, planes, materials, pairs;
    int each; /* spheres of a chunk; the last may have fewer */
    bed_law law;
    int hertz, stiffens, published, needs;
    double common[3]; /* radius, inverse mass and inverse inertia of more than half of the spheres, if they agree */
    int equal;        /* all have these */
    int periodic[3];
    double low[3], box[3], inverse_box[3]; /* box: 0 where not periodic */
    bed_borders borders;
    double gravity[3], h;
    double least[2];            /* of the next two      */
    double skin, inner, middle; /* pairs closer than `inner` go into blocks, others closer than `middle` are `soon` */
    double largest_radius;
    int levels, main_level; /* main_level: of the most spheres; its cells order all of them                          */
    double level_radius[BED_LEVELS]; /* the largest of each level, ascending                                        */
    double bounds[2][3];             /* of the centres, when the lists were made */

    bed_pair *pair;         /* (materials^2)                                                     */
    bed_prepared *prepared; /* (pairs)                                                           */
    double (*constant)[BED_CONSTANTS][BED_LANES],
        (*wall_constant)[BED_CONSTANTS][BED_LANES]; /* (pairs) of common spheres */

    /* spheres, in the order of the lists */
    bed_record *record;
    int32_t *id;    /* the caller's number */
    int32_t *place; /* (place_room) by these numbers, as of the rebuild `placed`; -1: it is not there */
    int place_room;
    int64_t placed;
    uint16_t *material;
    double (*q)[4];  /* or NULL */
    bed_load *given; /* or NULL */
    bed_load *load;  /* (load_room) of the spheres after the last step; between two steps of bed_advance they are 0 */
    size_t load_room;
    bed_load *scratch; /* (threads x each) of the chunk that a thread works on; 0 else */
    bed_plane_now *plane;
    bed_load *plane_load; /* (chunks x planes x 2) coarse and fine parts */

    /* lists */
    bed_chunk *chunk;
    bed_store *store; /* (chunk_room)                                              */
    bed_near *near;   /* (chunks x near_each)                                  */
    int32_t near_each, near_chunks;
    bed_incoming *incoming;
    size_t incoming_room;
    bed_row *row; /* (row_room) of the contacts across chunks; while lists are made, what is carried over */
    size_t row_room;
    uint8_t *row_live; /* (row_live_room) which of eight rows have a load; the others are neither written nor read */
    size_t row_live_room;
    int32_t *cell; /* (2 x cell_room) first sphere and end of each cell, level after level */
    size_t cell_room;
    bed_block *copy; /* (copy_room) a look at loads works on it, chunk by chunk */
    size_t copy_room;

    double (*loss)[2 * BED_LOSSES][BED_LANES]; /* (chunks) of one step, or NULL         */
    bed_totals totals;                         /* since bed_create                      */
    double scale;                              /* S: bed_grid; 0: not known yet         */
    bed_grid grid;
    double speed2; /* largest square of a speed, now                                                                  */
    int lists_due; /* 1: lists must be made before the next step                                                      */
    int put_off;   /* 1: there have been none: no contact has a history                                               */
    int threads;   /* the most there have been                                                                       */
    int chunk_given; /* bed_def.chunk                                                                                */
    int grows; /* 1: spheres have been added: chunks keep room                                                    */
    int sphere_room; /* arrays of spheres have room for so many                                                       */
    int chunk_room;  /* and those of chunks                                                                           */
    int sizes_due;   /* 1: spheres came or left: bed_sizes_find with the next lists                                   */
    int pushed;      /* 1: `given` has loads for the next step                                                        */
    int turns, has_ledger;
    bed_most most;
    bed_chunk *chunk_spare; /* (chunk_room) of the next lists */
    size_t scratch_room;
    double travel, wall_travel;      /* at most, since the lists were made                                  */
    double soon_travel, near_travel; /* since the pairs that are `soon`, and all in the near lists, were looked at */
    int64_t steps, rebuilds;
    double list_seconds; /* spent on lists */
    int half;            /* 1: this step kicks by half */
    double deepest;      /* overlap in the steps of this call */
};

/// How many spheres a chunk should have at most: the larger it is, the fewer contacts leave it, as long as every thread has two. In beds
/// beyond the caches what leaves a chunk comes from memory twice, so there chunks are larger still. Sums are exact, so none of this can be
/// seen in a result.
static inline int bed_chunk_most(const bed *b, int threads)
{
    if (b->chunk_given > 0) return b->chunk_given;
    const int large = b->count > 3 * BED_CACHED;
    const int each = parallel_chunks(b->count, 2 * threads); /* rounded up: one more would be a thread's third */
    const int least = large ? 8 * BED_CHUNK : BED_CHUNK, most = large ? 4 * BED_CHUNK_MOST : BED_CHUNK_MOST;
    return each < least ? least : each > most ? most : each;
}

/// An even number of chunks, as equal as can be: two threads have the same to do. Where spheres come, the last chunk has room for an eighth
/// more. Returns their number.
static inline int bed_cut(const bed *b, int *each)
{
    const int room = b->count + (b->grows ? b->count / 8 + 32 : 0);
    int chunks = parallel_chunks(b->count, bed_chunk_most(b, b->threads));
    if (chunks > 1) chunks += chunks % 2;
    *each = chunks > 0 ? ((room + chunks - 1) / chunks + 3) / 4 * 4 : BED_CHUNK; /* spheres move four at a time */
    return parallel_chunks(b->count, *each);
}

static inline int bed_blocks(int contacts)
{
    return (contacts + BED_LANES - 1) / BED_LANES;
}

/// The blocks of a group of a chunk.
static inline bed_block *bed_group_blocks(const bed *b, int chunk, int group)
{
    return b->store[chunk].block + b->chunk[chunk].group[group].first;
}

/// Blocks of a chunk from its first to its last one in use.
static inline int bed_extent(const bed_chunk *own)
{
    int end = 0;
    for (int g = 0; g < BED_GROUPS; ++g)
        if (own->group[g].count > 0) end = own->group[g].first + bed_blocks(own->group[g].count);
    return end;
}

/// Whether a sphere is a common one; -Wfloat-equal would not have ==.
static inline int bed_same_size(const bed *b, double radius, double inverse_mass, double inverse_inertia)
{
    return !(radius < b->common[0] || radius > b->common[0]) &&
           !(inverse_mass < b->common[1] || inverse_mass > b->common[1]) &&
           !(inverse_inertia < b->common[2] || inverse_inertia > b->common[2]);
}

/// BED_ODD for a sphere that is not a common one, else 0.
static inline int bed_odd(const bed *b, int i)
{
    const bed_record *r = &b->record[i];
    return b->equal || bed_same_size(b, r->x[3], r->omega[3], r->v[3]) ? 0 : BED_ODD;
}

SCREE_HD int bed_pair_index(int a, int b)
{
    return a >= b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
}

/// A difference of coordinates to the nearest image; positions are less than half a box outside it.
static inline double bed_nearest_image(const bed *b, int axis, double d)
{
    double half = 0.5 * b->box[axis]; /* 0 where not periodic */
    return !b->periodic[axis] ? d : d > half ? d - b->box[axis] : d < -half ? d + b->box[axis] : d;
}

/// A pair of materials for steps of h, and which of its constants follow from sizes and masses (bed_need).
void bed_prepare_pair(const bed_pair *pair, bed_law law, double h, bed_prepared *p);
int bed_prepared_needs(const bed_prepared *p, bed_law law);
/// Room for so many spheres, and for the threads; 0: no memory, and all is as it was.
int bed_room_for_spheres(bed *b, int spheres);
int bed_room_for_number(bed *b, int id); /* the largest one */
int bed_room_for_threads(bed *b);
/// Where a sphere of this number is, -1: nowhere. The first call after a new list costs O(spheres).
int bed_place_of(bed *b, int id);
/// What forcing does before a step (an error: it is not taken) and after its motion.
scree_status bed_forcing_push(bed *b, bed_forcing *f, scree_error *error);
void bed_forcing_follow(bed *b, bed_forcing *f);
scree_status bed_push_ready(bed *b); /* the memory that a push may want */
void bed_drop_pushes(bed *b);        /* the step is not taken           */
/// A sphere into its place i, inside the periodic box.
void bed_take_grain(bed *b, int i, const bed_grain *g);
/// What a step does after it has moved a sphere: back into the periodic box.
void bed_put_inside(bed *b, int i);
/// What follows from the spheres there are.
void bed_bounds_find(bed *b);
void bed_speed_find(bed *b);
void bed_sizes_find(bed *b);
/// The scale of exact sums: after a step with this largest normal force; from overlaps alone; and the grids that it gives.
void bed_scale_follow(bed *b, double peak);
void bed_scale_find(bed *b);
void bed_grids_make(bed *b);
/// Normal into i of a lane of a block, and its overlap [m].
double bed_geometry(const bed *b, const bed_block *block, int lane, int planes, double n[3]);
/// The deepest overlap of any pair in the blocks [m].
double bed_deepest_overlap(const bed *b);
/// Sorts the spheres and makes all lists; memories are carried over. No memory: spheres and memories are as before, and lists are due.
scree_status bed_lists_make(bed *b);
/// Chunks without contacts, of a bed whose lists are made when somebody asks for them.
scree_status bed_lists_put_off(bed *b);
/// Moves pairs that have come close from the near lists into blocks; `all`: else only of those that are `soon`. Loads are 0 before and after.
scree_status bed_lists_look(bed *b, int all);
/// Contacts that touched in the last step to the front of their lists, as new lists and looks do; loads are 0 before and after.
void bed_lists_tidy(bed *b);
/// Loads at the state as it is, into b->load; memories move over the time `moved`, in `copy`, which has room for a chunk, or, where it is NULL,
/// in the blocks. b->grid must be set: 0 rounds nothing.
void bed_loads_peek(bed *b, double moved, bed_block *copy);
/// The contacts of one chunk as the next step will find them: blocks and loads, from the first block of the chunk on.
void bed_chunk_peek(bed *b, int chunk, bed_block *copy, bed_kept *kept);

/// The kernels that this machine can run, best first: index 0, 1, ... until NULL.
const bed_kernel *bed_kernel_at(int index);

#endif
