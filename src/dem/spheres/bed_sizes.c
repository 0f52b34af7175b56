/* bed_sizes.c: what a bed derives from the spheres it has: the common size and its table of constants, levels of radii for the lists, and the
 * scale of exact sums (bed_grid in bed_parts.h). All of it follows from the set of spheres and the state, in any order. */
#include "dem/spheres/bed_turn.h"

#include <math.h>
#include <string.h>

/* ---- sizes ------------------------------------------------------------------------------------------------------------------------- */

/// The size that more than half of the spheres have, if there is one, by the vote of Boyer & Moore (1991): two passes, no memory.
static void find_common(bed *b)
{
    int votes = 0;
    for (int i = 0; i < b->count; ++i) {
        const bed_record *r = &b->record[i];
        const double size[3] = {r->x[3], r->omega[3], r->v[3]};
        if (!(size[0] > 0.0)) continue; /* it has been removed */
        if (votes == 0) memcpy(b->common, size, sizeof size);
        votes += bed_same_size(b, size[0], size[1], size[2]) ? 1 : -1;
    }
    b->equal = b->count > 0;
    for (int i = 0; i < b->count && b->equal; ++i)
        b->equal = bed_same_size(b, b->record[i].x[3], b->record[i].omega[3], b->record[i].v[3]);
}

/// Levels of radii for the lists, the smallest first. They are at most a factor 2 wide, but smaller spheres that are few join the next larger:
/// a grid of their own would cost more than it saves.
static void find_levels(bed *b)
{
    int number[BED_LEVELS] = {0}, levels = 0;
    double largest[BED_LEVELS] = {0.0};
    b->main_level = 0;
    for (int i = 0; i < b->count; ++i) {
        const double radius = b->record[i].x[3];
        int k = 0;
        if (!(radius > 0.0)) continue;
        for (double R = 2.0 * radius; R <= b->largest_radius && k < BED_LEVELS - 1; R *= 2.0) k += 1;
        number[k] += 1, largest[k] = max2(largest[k], radius);
    }
    for (int k = 0; k < BED_LEVELS; ++k) { /* the largest first */
        if (number[k] == 0) continue;
        if (levels > 0 && number[k] <= number[levels - 1] / 2) number[levels - 1] += number[k];
        else number[levels] = number[k], b->level_radius[levels++] = largest[k];
    }
    b->levels = levels > 0 ? levels : 1;
    for (int k = 0; k < levels / 2; ++k) {
        double R = b->level_radius[k];
        int n = number[k];
        b->level_radius[k] = b->level_radius[levels - 1 - k], b->level_radius[levels - 1 - k] = R;
        number[k] = number[levels - 1 - k], number[levels - 1 - k] = n;
    }
    for (int k = 0; k < levels; ++k)
        if (number[k] > number[b->main_level]) b->main_level = k;
}

/// Bounds on what a contact can do, from the spheres there are, in any order.
void bed_bounds_find(bed *b)
{
    double radius = 0.0, least = SCREE_INFINITY, mass = 0.0, mu = 0.0, modulus = 0.0, stiffness = 0.0, damping = 0.0,
           root = 0.0;
    for (int i = 0; i < b->count; ++i) {
        const bed_record *r = &b->record[i];
        if (!(r->x[3] > 0.0)) continue; /* it has been removed */
        radius = max2(radius, r->x[3]), least = min2(least, r->x[3]);
        if (r->omega[3] > 0.0) mass = max2(mass, 1.0 / r->omega[3]);
    }
    for (int k = 0; k < b->pairs; ++k) {
        const bed_prepared *p = &b->prepared[k];
        stiffness = max2(stiffness, p->stiffness), modulus = max2(modulus, p->modulus);
        damping = max2(damping, p->damping), root = max2(root, p->damping_root);
        mu = max2(mu, max2(p->sds[0][2], max2(p->slide[2], p->slide[3])));
    }
    b->most.stiffness = stiffness + modulus * sqrt(radius);
    b->most.damping = damping + root * sqrt(mass * b->most.stiffness);
    b->most.share = 1.0 + mu, b->most.length = bed_power_above(2.0 * radius);
    b->most.bits = radius <= 2.0 * least ? 50 : 46;
    b->borders.mass_grid = 1.5 * ldexp(bed_power_above(mass * (b->count + 1.0)), 2);
}

/// What lists and tables need to know of sizes. Lists hold bits that go with it: it changes only where they are made.
void bed_sizes_find(bed *b)
{
    const double plane[3] = {0.0, 0.0, 0.0};
    find_common(b), find_levels(b);
    for (int k = 0; k < b->pairs && b->count > 0; ++k) {
        b->kernel->constants(b->law, &b->prepared[k], b->common, b->common, b->constant[k]);
        b->kernel->constants(b->law, &b->prepared[k], b->common, plane, b->wall_constant[k]);
    }
    b->sizes_due = 0;
}

/* ---- the scale of exact sums ------------------------------------------------------------------------------------------------------- */

void bed_scale_follow(bed *b, double peak)
{
    b->scale = bed_scale_after(&b->most, b->hertz, b->h, b->speed2, peak, b->scale);
}

/// From overlaps alone, where nothing is known.
void bed_scale_find(bed *b)
{
    b->scale = bed_scale_first(&b->most, b->hertz, b->h, b->speed2, bed_deepest_overlap(b));
}

void bed_grids_make(bed *b)
{
    bed_grid_make(&b->most, b->h, b->speed2, b->scale, b->common[0], &b->grid);
}
