/* bed_blocks.h (private): what the search (bed_list.c) needs of a bed's blocks and near lists. */
#ifndef SCREE_DEM_SPHERES_BED_BLOCKS_H
#define SCREE_DEM_SPHERES_BED_BLOCKS_H

#include "dem/spheres/bed_parts.h"

#include <math.h>

/// Ends of the stretches that have been given out.
typedef struct bed_ends {
    size_t incoming, rows;
} bed_ends;

/// 1: the sphere may leave a periodic axis before the lists are made again, when it comes in at the other end at once.
static inline int bed_near_border(const bed *b, int i)
{
    int near = 0;
    for (int a = 0; a < 3; ++a) {
        const double x = b->record[i].x[a], way = 0.5 * b->skin;
        near |= b->periodic[a] && (x < b->borders.low[a] + way || x > b->borders.high[a] - way);
    }
    return near;
}

/// Whether a contact is one of BED_ACROSS: only those look for the nearest image. Before lists are made again no sphere moves by more than
/// half the skin.
static inline int bed_leaves_chunk(const bed *b, int i, int j)
{
    int over = i / b->each != j / b->each || bed_near_border(b, i) || bed_near_border(b, j);
    for (int a = 0; a < 3 && !over; ++a) {
        double d = b->record[i].x[a] - b->record[j].x[a];
        over |= fabs(bed_nearest_image(b, a, d)) < fabs(d);
    }
    return over;
}

/// How far apart a pair of a near list is: 0 closer than `inner`, 1 closer than `middle`, else 2.
static inline int bed_nearness(const bed *b, const bed_near *pair)
{
    const bed_record *i = &b->record[pair->i], *j = &b->record[pair->j];
    double r2 = 0.0, radii = i->x[3] + j->x[3], close = radii + b->inner, middle = radii + b->middle;
    for (int a = 0; a < 3; ++a) {
        double d = bed_nearest_image(b, a, i->x[a] - j->x[a]);
        r2 += d * d;
    }
    return (r2 >= close * close) + (r2 >= middle * middle);
}

/// 1: the sphere may come to touch the plane before the lists are made again.
int bed_near_plane(const bed *b, int i, int plane);
/// Replaces an array by a larger one; what it held is lost. 0: there is no memory, and no array.
int bed_grow(const bed *b, size_t size, size_t wanted, void **array, size_t *room);
/// Room for the contacts that have been counted, in the groups of a chunk, and one part in `slack` more: contacts come between two searches.
/// Returns how many blocks that takes.
int bed_give_room(bed_chunk *own, int slack);
/// Stretches of the arrays that all share, likewise.
void bed_give_rows(bed_chunk *own, int slack, bed_ends *at);
/// Those arrays, for what was given out and some more, and at least `rows` rows.
int bed_grow_rows(bed *b, const bed_ends *at, size_t rows);
/// A chunk's own array for so many blocks; the first `used` stay as they are. 0: no memory, and all is as it was.
int bed_store_grow(bed *b, int chunk, int blocks, int used);
/// A new lane, without memory: the last one that is used. The first lane of a block fills the others, so that they read what exists.
bed_block *bed_lane_add(bed_block *blocks, bed_span *span, int i, int j, int pair);
/// A contact of two spheres into its chunk's blocks. NULL: no room.
bed_block *bed_contact_add(const bed *b, bed_chunk *own, bed_block *blocks, int i, int j);
/// What a lane remembers, into one that remembers nothing (its memory and bits are 0).
void bed_remember(const bed_block *from, int l, bed_block *to, int lane);
void bed_forget(bed_block *b, int l);
/// Contacts of some groups of a chunk that touched in the last step change places with others until they come first: blocks of which none
/// touches cost little. Rows of BED_ACROSS then have other places, and must be announced again.
void bed_live_first(bed_block *blocks, bed_chunk *own, int first_group, int last_group);
/// Tells the chunks of the spheres j about rows that came since `known`. 0: no room; the counts are then what is needed.
int bed_announce_rows(bed *b);
/// Puts a pair to the `kept` ones of a near list, in front if it is soon.
int bed_keep_near(bed_chunk *own, bed_near *list, int kept, bed_near pair, int soon);

/* ---- lanes (bed_read.c) and what they hold (bed_energy.c) ---------------------------------------------------------------------- */

/// Calls f for every lane in use, whether it touches or not.
typedef void bed_lane_visit(const bed *b, bed_block *block, int lane, int planes, void *context);
void bed_each_lane(const bed *b, bed_lane_visit *f, void *context);

/// What a contact held at the loads of the last step: normal, slide, roll, spin [J].
void bed_contact_energy(const bed *b, const bed_block *block, int lane, int planes, double held[4]);
/// The same over all contacts of spheres that are about to leave: their entry of `place` is BED_LEAVES - their place.
enum { BED_LEAVES = -2 };
double bed_held_by_leaving(const bed *b);

#endif
