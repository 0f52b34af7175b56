/* measure_profile.c: a box in slices along an axis (measures.h): profile_NAME.csv.
 *
 * Bodies belong to the slice that has their centre of mass: their number, mass, and mean velocity weighted by mass. Volumes belong to
 * shapes: a sphere of radius R whose centre lies at z gives a slice from a to b the part of it between these planes,
 *     pi [R^2 (b' - a') - (b'^3 - a'^3) / 3],   a' = max(a - z, -R), b' = min(b - z, R),
 * whichever slice has its centre; another shape its whole volume to the slice with its centre. Across the axis only the centre counts: a
 * box that ends at walls has all that is in it. Overlaps of shapes count twice. */
#include "run/measures.h"

#include "collision/collide.h"
#include "math/scalar.h"

#include <math.h>
#include <string.h>

enum { COUNT, MASS, VOLUME, MOMENTUM, VALUES = MOMENTUM + 3 };

static const double PI_ = 3.14159265358979323846;

static size_t room(const scene_measure *def)
{
    return (size_t)def->profile.bins * VALUES;
}

static int across_inside(const scene_profile *p, const double x[3])
{
    for (int k = 0; k < 3; ++k)
        if (k != p->axis && !(x[k] >= p->min[k] && x[k] < p->max[k])) return 0;
    return 1;
}

static double bin_width(const scene_profile *p)
{
    return (p->max[p->axis] - p->min[p->axis]) / p->bins;
}

/// Where slice k begins; slice `bins` would begin where the last ends.
static double bin_start(const scene_profile *p, int k)
{
    return k < p->bins ? p->min[p->axis] + k * bin_width(p) : p->max[p->axis];
}

/// The slice that has z; -1: none.
static int bin_of(const scene_profile *p, double z)
{
    if (!(z >= p->min[p->axis] && z < p->max[p->axis])) return -1;
    int k = (int)((z - p->min[p->axis]) / bin_width(p));
    if (k >= p->bins) k = p->bins - 1;
    if (z < bin_start(p, k)) --k; /* rounding of the quotient */
    return k;
}

/// Volume of a ball about 0 below the plane at z, less the half below 0.
static double ball_up_to(double radius, double z)
{
    z = number_max(-radius, number_min(radius, z));
    return PI_ * (radius * radius * z - z * z * z / 3.0);
}

static void add_ball(measure *m, double z, double radius)
{
    const scene_profile *p = &m->def->profile;
    double low = p->min[p->axis], high = p->max[p->axis];
    if (z + radius <= low || z - radius >= high) return;
    int first = bin_of(p, number_max(z - radius, low)), last = bin_of(p, z + radius);
    if (last < 0) last = p->bins - 1;
    for (int k = first; k <= last; ++k)
        m->bin[(size_t)k * VALUES + VOLUME] +=
            ball_up_to(radius, bin_start(p, k + 1) - z) - ball_up_to(radius, bin_start(p, k) - z);
}

static void add_shape(measure *m, const scree_frame *f, int index)
{
    const scene_profile *p = &m->def->profile;
    double x[3], q[4];
    if (f->kind[f->shape_body[index]] != SCREE_BODY_DYNAMIC) return;
    scree_frame_shape_pose(f, index, x, q);
    if (!across_inside(p, x)) return;
    if (f->shape[index].kind == SCREE_SHAPE_SPHERE) {
        add_ball(m, x[p->axis], f->shape[index].size[0]);
        return;
    }
    int k = bin_of(p, x[p->axis]);
    if (k >= 0) m->bin[(size_t)k * VALUES + VOLUME] += shape_volume(&f->shape[index]);
}

static void add_body(measure *m, const scree_frame *f, int body, double mass)
{
    const scene_profile *p = &m->def->profile;
    const double *x = f->position + 3 * (size_t)body, *v = f->velocity + 3 * (size_t)body;
    int k = across_inside(p, x) ? bin_of(p, x[p->axis]) : -1;
    if (k < 0) return;
    double *bin = m->bin + (size_t)k * VALUES;
    bin[COUNT] += 1.0, bin[MASS] += mass;
    for (int i = 0; i < 3; ++i) bin[MOMENTUM + i] += mass * v[i];
}

static scree_status take(measure *m, const measure_view *now)
{
    memset(m->bin, 0, room(m->def) * sizeof *m->bin);
    for (int b = 0; b < now->frame.body_count; ++b)
        if (now->frame.kind[b] == SCREE_BODY_DYNAMIC)
            add_body(m, &now->frame, b, scree_world_mass(now->world, scree_body_at(b)));
    for (int s = 0; s < now->frame.shape_count; ++s) add_shape(m, &now->frame, s);
    return SCREE_OK;
}

/// A slice without bodies has no velocity: "nan".
static void rows(const measure *m, double time, out_file *file)
{
    const scene_profile *p = &m->def->profile;
    double volume = bin_width(p);
    for (int k = 0; k < 3; ++k)
        if (k != p->axis) volume *= p->max[k] - p->min[k];
    for (int k = 0; k < p->bins; ++k) {
        const double *bin = m->bin + (size_t)k * VALUES;
        file_real(file, time, ',');
        file_print(file, "%d,", k);
        file_real(file, bin_start(p, k), ',');
        file_real(file, bin_start(p, k + 1), ',');
        file_print(file, "%d,", (int)bin[COUNT]);
        file_real(file, bin[MASS], ',');
        file_real(file, bin[VOLUME] / volume, ',');
        for (int i = 0; i < 3; ++i) {
            if (bin[MASS] > 0.0) file_real(file, bin[MOMENTUM + i] / bin[MASS], '\0');
            else file_text(file, "nan");
            file_text(file, i < 2 ? "," : "\n");
        }
    }
}

const measure_kind measure_profile = {
    .offset = offsetof(scene_measure, profile),
    .room = room,
    .take = take,
    .header = "time[s],slice,from[m],to[m],count,mass[kg],volume_fraction,v_x[m/s],v_y[m/s],v_z[m/s]\n",
    .rows = rows};
