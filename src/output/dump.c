/* dump.c: dump.lammpstrj, the text dump of LAMMPS, one file that grows by a frame at a time (docs/formats.md).
 *
 * An "atom" is a shape: a body of several shapes is several atoms of one molecule (column mol). Planes have no size and are left
 * out. shapex, shapey, shapez are full lengths, as LAMMPS has them for ellipsoids: diameters, edges of a box. */
#include "output/output.h"

#include "math/quat.h"

#include <float.h>

/// Whether the shape is an atom of the dump.
static int is_atom(const scree_world *world, int index)
{
    int body;
    const scree_shape *shape = scree_world_shape(world, index, &body);
    return shape->kind != SCREE_PLANE && scree_world_body_kind(world, body) != SCREE_REMOVED;
}

static void full_lengths(const scree_shape *shape, double length[3])
{
    const double *s = shape->size;
    switch (shape->kind) {
    case SCREE_BOX:
    case SCREE_ELLIPSOID:
        for (int i = 0; i < 3; ++i) length[i] = 2.0 * s[i];
        return;
    case SCREE_CAPSULE: length[0] = length[1] = 2.0 * s[0], length[2] = 2.0 * (s[0] + s[1]); return;
    case SCREE_SPHERE:
    case SCREE_PLANE:
    case SCREE_SHAPE_KINDS: break;
    }
    length[0] = length[1] = length[2] = 2.0 * s[0];
}

/// The box about all atoms, and their number.
static int bounds(const scree_world *world, double low[3], double high[3])
{
    int count = 0, shapes = scree_world_shape_count(world), body;
    for (int i = 0; i < 3; ++i) low[i] = DBL_MAX, high[i] = -DBL_MAX;
    for (int k = 0; k < shapes; ++k) {
        double x[3], q[4];
        if (!is_atom(world, k)) continue;
        double r = output_shape_extent(output_shape(world, k, &body, x, q));
        for (int i = 0; i < 3; ++i) low[i] = fmin(low[i], x[i] - r), high[i] = fmax(high[i], x[i] + r);
        count += 1;
    }
    for (int i = 0; i < 3 && count == 0; ++i) low[i] = high[i] = 0.0;
    return count;
}

static void write_atom(out_file *f, const scree_world *world, int index)
{
    int body;
    double x[3], q[4], omega[3], arm[3], turn[3], length[3], v[3];
    const scree_shape *shape = output_shape(world, index, &body, x, q);
    size_t b = (size_t)body;
    quat_rotate(scree_world_rotations(world) + 4 * b, scree_world_angular_velocities(world) + 3 * b, omega);
    vec_sub(x, scree_world_positions(world) + 3 * b, arm);
    vec_cross(omega, arm, turn);
    vec_add_scaled(scree_world_velocities(world) + 3 * b, 1.0, turn, v);
    full_lengths(shape, length);
    file_print(f, "%d %d %d ", index + 1, body + 1, shape->material + 1);
    for (int i = 0; i < 3; ++i) file_real(f, x[i], ' ');
    for (int i = 0; i < 3; ++i) file_real(f, v[i], ' ');
    for (int i = 0; i < 3; ++i) file_real(f, omega[i], ' ');
    for (int i = 0; i < 4; ++i) file_real(f, q[i], ' ');
    file_real(f, output_shape_extent(shape), ' ');
    for (int i = 0; i < 3; ++i) file_real(f, length[i], i < 2 ? ' ' : '\n');
}

scree_status dump_write(scree_output *o, const frame *now, scree_error *error)
{
    out_file *f = &o->growing[OUT_DUMP];
    double low[3], high[3];
    int shapes = scree_world_shape_count(now->world), count = bounds(now->world, low, high);
    file_text(f, "ITEM: TIME\n");
    file_real(f, scree_world_time(now->world), '\n');
    file_print(f, "ITEM: TIMESTEP\n%lld\n", (long long)scree_world_step_count(now->world));
    file_print(f, "ITEM: NUMBER OF ATOMS\n%d\n", count);
    file_text(f, "ITEM: BOX BOUNDS ss ss ss\n");
    for (int i = 0; i < 3; ++i) file_real(f, low[i], ' '), file_real(f, high[i], '\n');
    file_text(f, "ITEM: ATOMS id mol type x y z vx vy vz omegax omegay omegaz quatw quati quatj quatk radius "
                 "shapex shapey shapez\n");
    for (int k = 0; k < shapes; ++k)
        if (is_atom(now->world, k)) write_atom(f, now->world, k);
    return growing_commit(f, error);
}
