/* dump.c: dump.lammpstrj, the text dump of LAMMPS, one file that grows by a frame at a time (docs/formats.md).
 *
 * An "atom" is a shape: a body of several shapes is several atoms of one molecule (column mol). Planes have no size and are left
 * out. shapex, shapey, shapez are full lengths, as LAMMPS has them for ellipsoids: diameters, edges of a box. */
#include "run/formats.h"

#include "math/scalar.h"

#include <float.h>
#include <math.h>

/// Whether the shape is an atom of the dump.
static int is_atom(const scree_frame *f, int index)
{
    return f->shape[index].kind != SCREE_SHAPE_PLANE && !output_shape_gone(f, index);
}

static void full_lengths(const scree_shape *shape, double length[3])
{
    const double *s = shape->size;
    switch (shape->kind) {
    case SCREE_SHAPE_BOX:
    case SCREE_SHAPE_ELLIPSOID:
        for (int i = 0; i < 3; ++i) length[i] = 2.0 * s[i];
        return;
    case SCREE_SHAPE_CAPSULE: length[0] = length[1] = 2.0 * s[0], length[2] = 2.0 * (s[0] + s[1]); return;
    case SCREE_SHAPE_CYLINDER: length[0] = length[1] = 2.0 * s[0], length[2] = 2.0 * s[1]; return;
    case SCREE_SHAPE_CONE: length[0] = length[1] = 2.0 * s[0], length[2] = s[1]; return;
    case SCREE_SHAPE_TUBE: length[0] = length[1] = 2.0 * number_max(s[0], s[1]), length[2] = 2.0 * s[2]; return;
    case SCREE_SHAPE_MESH:
    case SCREE_SHAPE_HULL: length[0] = length[1] = length[2] = 2.0 * scree_shape_extent(shape); return;
    case SCREE_SHAPE_BOWL:
    case SCREE_SHAPE_SPHERE:
    case SCREE_SHAPE_PLANE:
    case SCREE_SHAPE_KIND_COUNT: break;
    }
    length[0] = length[1] = length[2] = 2.0 * s[0];
}

/// The box about all atoms, and their number.
static int bounds(const scree_frame *f, double low[3], double high[3])
{
    int count = 0;
    for (int i = 0; i < 3; ++i) low[i] = DBL_MAX, high[i] = -DBL_MAX;
    for (int k = 0; k < f->shape_count; ++k) {
        double x[3], q[4], r = scree_shape_extent(&f->shape[k]);
        if (!is_atom(f, k)) continue;
        scree_frame_shape_pose(f, k, x, q);
        for (int i = 0; i < 3; ++i) low[i] = number_min(low[i], x[i] - r), high[i] = number_max(high[i], x[i] + r);
        count += 1;
    }
    for (int i = 0; i < 3 && count == 0; ++i) low[i] = high[i] = 0.0;
    return count;
}

static void write_atom(out_file *out, const scree_frame *f, int index)
{
    double x[3], q[4], v[3], omega[3], length[3];
    const scree_shape *shape = &f->shape[index];
    scree_frame_shape_pose(f, index, x, q);
    output_shape_motion(f, index, v, omega);
    full_lengths(shape, length);
    file_print(out, "%d %d %d ", index + 1, (int)f->shape_body[index] + 1, scree_material_index(shape->material) + 1);
    for (int i = 0; i < 3; ++i) file_real(out, x[i], ' ');
    for (int i = 0; i < 3; ++i) file_real(out, v[i], ' ');
    for (int i = 0; i < 3; ++i) file_real(out, omega[i], ' ');
    for (int i = 0; i < 4; ++i) file_real(out, q[i], ' ');
    file_real(out, scree_shape_extent(shape), ' ');
    for (int i = 0; i < 3; ++i) file_real(out, length[i], i < 2 ? ' ' : '\n');
}

static scree_status write_frame(scree_output *o, out_file *out, const frame_source *now, scree_error *error)
{
    (void)o;
    const scree_frame *f = &now->state;
    double low[3], high[3];
    int count = bounds(f, low, high);
    file_text(out, "ITEM: TIME\n");
    file_real(out, f->time, '\n');
    file_print(out, "ITEM: TIMESTEP\n%lld\n", (long long)f->step);
    file_print(out, "ITEM: NUMBER OF ATOMS\n%d\n", count);
    file_text(out, "ITEM: BOX BOUNDS ss ss ss\n");
    for (int i = 0; i < 3; ++i) file_real(out, low[i], ' '), file_real(out, high[i], '\n');
    file_text(out, "ITEM: ATOMS id mol type x y z vx vy vz omegax omegay omegaz quatw quati quatj quatk radius "
                   "shapex shapey shapez\n");
    for (int k = 0; k < f->shape_count; ++k)
        if (is_atom(f, k)) write_atom(out, f, k);
    return growing_commit(out, error);
}

const output_format format_dump = {.growing = {{"dump.lammpstrj", ""}}, .frame = write_frame};
