/* vtp.c: frames for ParaView and VTK: bodies and contacts as points, with a PVD file that lists them in time (docs/formats.md).
 *
 * XML PolyData, version 1.0, raw appended data, little-endian, 8-byte block sizes. All sizes are known beforehand, so the file is
 * written in one pass and never held in memory. */
#include "run/vtp.h"

#include "run/formats.h"

#include <stdio.h>
#include <string.h>

static const char pvd_head[] =
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
    "  <Collection>\n";
static const char pvd_tail[] = "  </Collection>\n</VTKFile>\n";

/* ---- any table ------------------------------------------------------------------------------------------------------------ */

static size_t array_bytes(const vtp_array *a, const vtp_view *view)
{
    return (size_t)view->count[a->per] * (size_t)a->components * (a->type == 'd' ? 8 : 4);
}

/// The opening tags of the arrays of a section; offsets count from the underscore before the appended data.
static void write_section(out_file *f, const vtp_array *table, int arrays, const vtp_view *view, vtp_section section,
                          const char *tag)
{
    size_t offset = 16; /* after the time: its size, one number */
    file_print(f, "      <%s>\n", tag);
    for (int k = 0; k < arrays; ++k) {
        const vtp_array *a = &table[k];
        if (a->section == section)
            file_print(f,
                       "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
                       "offset=\"%zu\"/>\n",
                       a->type == 'd' ? "Float64" : "Int32", a->name, a->components, offset);
        offset += 8 + array_bytes(a, view);
    }
    file_print(f, "      </%s>\n", tag);
}

static int has_section(const vtp_array *table, int arrays, vtp_section section)
{
    for (int k = 0; k < arrays; ++k)
        if (table[k].section == section) return 1;
    return 0;
}

static void write_xml(out_file *f, const vtp_array *table, int arrays, const vtp_view *view)
{
    static const char *const tags[] = {[VTP_POINT_DATA] = "PointData",
                                       [VTP_CELL_DATA] = "CellData",
                                       [VTP_COORDINATES] = "Points",
                                       [VTP_VERTS] = "Verts",
                                       [VTP_POLYS] = "Polys"};
    int polys = has_section(table, arrays, VTP_POLYS);
    file_text(f, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
                 "header_type=\"UInt64\">\n  <PolyData>\n    <FieldData>\n"
                 "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"appended\" "
                 "offset=\"0\"/>\n    </FieldData>\n");
    file_print(f, "    <Piece NumberOfPoints=\"%lld\" NumberOfVerts=\"%lld\" NumberOfLines=\"0\" NumberOfStrips=\"0\" ",
               (long long)view->count[VTP_POINTS], polys ? 0LL : (long long)view->count[VTP_CELLS]);
    file_print(f, "NumberOfPolys=\"%lld\">\n", polys ? (long long)view->count[VTP_CELLS] : 0LL);
    for (int s = VTP_POINT_DATA; s <= VTP_POLYS; ++s)
        if (has_section(table, arrays, (vtp_section)s)) write_section(f, table, arrays, view, (vtp_section)s, tags[s]);
    file_text(f, "    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_");
}

scree_status vtp_file(scree_output *o, const char *name, const vtp_array *table, int arrays, vtp_view *view,
                      scree_error *error)
{
    char path[FILE_PATH_MAX];
    out_file f;
    scree_status status = output_path(o, name, path, error);
    if (status == SCREE_OK) status = file_create(&f, path, o->buffer, error);
    if (status != SCREE_OK) return status;
    write_xml(&f, table, arrays, view);
    file_u64(&f, 8);
    file_f64(&f, view->frame->time);
    for (int k = 0; k < arrays; ++k) {
        file_u64(&f, array_bytes(&table[k], view));
        int64_t end = f.size + (int64_t)array_bytes(&table[k], view);
        view->base = 0;
        for (int item = 0; item < view->items; ++item)
            if (!view->skip(view, item)) table[k].put(&f, view, item);
        SCREE_ASSERT(f.size == end);
        (void)end;
    }
    file_text(&f, "\n  </AppendedData>\n</VTKFile>\n");
    return file_finish(&f, 0, error);
}

static void put_reals(out_file *f, const double *x, int count)
{
    for (int i = 0; i < count; ++i) file_f64(f, x[i]);
}

/* A point is its own cell: connectivity 0, 1, ..., offsets 1, 2, ... */

static void put_connectivity(out_file *f, vtp_view *view, int item)
{
    (void)item;
    file_i32(f, view->base++);
}

static void put_offset(out_file *f, vtp_view *view, int item)
{
    (void)item;
    file_i32(f, ++view->base);
}

#define PER_POINT(name, type, width, put)                                                                              \
    {                                                                                                                  \
        VTP_POINT_DATA, name, type, width, VTP_POINTS, put                                                             \
    }
#define VERTEX_PER_POINT                                                                                               \
    {VTP_VERTS, "connectivity", 'i', 1, VTP_POINTS, put_connectivity},                                                 \
    {                                                                                                                  \
        VTP_VERTS, "offsets", 'i', 1, VTP_POINTS, put_offset                                                           \
    }

/* ---- bodies: a point for each shape ------------------------------------------------------------------------------------------ */

static int skip_removed(const vtp_view *view, int item)
{
    return output_shape_gone(view->frame, item);
}

static void put_centre(out_file *f, vtp_view *view, int item)
{
    double x[3], q[4];
    scree_frame_shape_pose(view->frame, item, x, q);
    put_reals(f, x, 3);
}

static void put_orientation(out_file *f, vtp_view *view, int item)
{
    double x[3], q[4];
    scree_frame_shape_pose(view->frame, item, x, q);
    put_reals(f, q, 4);
}

static void put_radius(out_file *f, vtp_view *view, int item)
{
    file_f64(f, scree_shape_extent(&view->frame->shape[item]));
}

static void put_size(out_file *f, vtp_view *view, int item)
{
    put_reals(f, view->frame->shape[item].size, 3);
}

static void put_spin(out_file *f, vtp_view *view, int item)
{
    double v[3], omega[3];
    output_shape_motion(view->frame, item, v, omega);
    put_reals(f, omega, 3);
}

static void put_velocity(out_file *f, vtp_view *view, int item)
{
    double v[3], omega[3];
    output_shape_motion(view->frame, item, v, omega);
    put_reals(f, v, 3);
}

static void put_body(out_file *f, vtp_view *view, int item)
{
    file_i32(f, view->frame->shape_body[item]);
}

static void put_body_kind(out_file *f, vtp_view *view, int item)
{
    file_i32(f, view->frame->kind[view->frame->shape_body[item]]);
}

static void put_shape_kind(out_file *f, vtp_view *view, int item)
{
    file_i32(f, (int32_t)view->frame->shape[item].kind);
}

static void put_material(out_file *f, vtp_view *view, int item)
{
    file_i32(f, scree_material_index(view->frame->shape[item].material));
}

static const vtp_array bodies_table[] = {
    PER_POINT("radius", 'd', 1, put_radius),
    PER_POINT("velocity", 'd', 3, put_velocity),
    PER_POINT("angular_velocity", 'd', 3, put_spin),
    PER_POINT("orientation", 'd', 4, put_orientation),
    PER_POINT("size", 'd', 3, put_size),
    PER_POINT("body", 'i', 1, put_body),
    PER_POINT("body_kind", 'i', 1, put_body_kind),
    PER_POINT("shape_kind", 'i', 1, put_shape_kind),
    PER_POINT("material", 'i', 1, put_material),
    {VTP_COORDINATES, "points", 'd', 3, VTP_POINTS, put_centre},
    VERTEX_PER_POINT,
};

/* ---- contacts ------------------------------------------------------------------------------------------------------------------ */

static int skip_none(const vtp_view *view, int item)
{
    (void)view, (void)item;
    return 0;
}

static const scree_contact_point *contact(const vtp_view *view, int item)
{
    return &view->frame->contact[item];
}

static void put_position(out_file *f, vtp_view *view, int item)
{
    put_reals(f, contact(view, item)->position, 3);
}

static void put_normal(out_file *f, vtp_view *view, int item)
{
    put_reals(f, contact(view, item)->normal, 3);
}

static void put_force(out_file *f, vtp_view *view, int item)
{
    double force[3], moment[3];
    scree_frame_contact_force(view->frame, item, force, moment);
    put_reals(f, force, 3);
}

static void put_moment(out_file *f, vtp_view *view, int item)
{
    double force[3], moment[3];
    scree_frame_contact_force(view->frame, item, force, moment);
    put_reals(f, moment, 3);
}

static void put_load(out_file *f, vtp_view *view, int item)
{
    double rate = view->frame->h > 0.0 ? 1.0 / view->frame->h : 0.0;
    for (int i = 0; i < SCREE_DIM_MAX; ++i) file_f64(f, rate * contact(view, item)->impulse[i]);
}

static void put_slip(out_file *f, vtp_view *view, int item)
{
    put_reals(f, contact(view, item)->velocity, SCREE_DIM_MAX);
}

static void put_gap(out_file *f, vtp_view *view, int item)
{
    file_f64(f, contact(view, item)->gap);
}

static void put_mode(out_file *f, vtp_view *view, int item)
{
    file_i32(f, contact(view, item)->mode);
}

static void put_pair(out_file *f, vtp_view *view, int item)
{
    file_i32(f, contact(view, item)->body_a);
    file_i32(f, contact(view, item)->body_b);
}

static const vtp_array contacts_table[] = {
    PER_POINT("normal", 'd', 3, put_normal),
    PER_POINT("force", 'd', 3, put_force),
    PER_POINT("moment", 'd', 3, put_moment),
    PER_POINT("load", 'd', SCREE_DIM_MAX, put_load),
    PER_POINT("velocity", 'd', SCREE_DIM_MAX, put_slip),
    PER_POINT("gap", 'd', 1, put_gap),
    PER_POINT("mode", 'i', 1, put_mode),
    PER_POINT("bodies", 'i', 2, put_pair),
    {VTP_COORDINATES, "points", 'd', 3, VTP_POINTS, put_position},
    VERTEX_PER_POINT,
};

/* ---- a frame ------------------------------------------------------------------------------------------------------------------- */

/// One more entry of a PVD file.
static scree_status list_in_pvd(out_file *pvd, double time, const char *name, scree_error *error)
{
    if (pvd->size == 0) file_text(pvd, pvd_head);
    file_text(pvd, "    <DataSet timestep=\"");
    file_real(pvd, time, '\0');
    file_print(pvd, "\" group=\"\" part=\"0\" file=\"%s\"/>\n", name);
    return growing_commit(pvd, error);
}

static scree_status write_one(scree_output *o, out_file *pvd, const char *kind, const vtp_array *table, size_t arrays,
                              vtp_view *view, scree_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "frames/%s_%06lld.vtp", kind, (long long)o->frames);
    scree_status status = vtp_file(o, name, table, (int)arrays, view, error);
    if (status == SCREE_OK) status = list_in_pvd(pvd, view->frame->time, name, error);
    return status;
}

enum { PVD_BODIES, PVD_CONTACTS, PVD_SURFACES };

static scree_status write_frame(scree_output *o, out_file *grows, const frame_source *f, scree_error *error)
{
    vtp_view bodies = {.frame = &f->state, .skip = skip_removed}, contacts, surfaces;
    bodies.items = f->state.shape_count;
    for (int k = 0; k < bodies.items; ++k) bodies.count[VTP_POINTS] += !skip_removed(&bodies, k);
    bodies.count[VTP_CELLS] = bodies.count[VTP_POINTS];
    contacts = (vtp_view){.frame = &f->state, .skip = skip_none};
    contacts.items = f->state.contact_count;
    contacts.count[VTP_POINTS] = contacts.count[VTP_CELLS] = contacts.items;

    scree_status status = write_one(o, &grows[PVD_BODIES], "bodies", bodies_table,
                                    sizeof bodies_table / sizeof *bodies_table, &bodies, error);
    if (status == SCREE_OK)
        status = write_one(o, &grows[PVD_CONTACTS], "contacts", contacts_table,
                           sizeof contacts_table / sizeof *contacts_table, &contacts, error);
    surfaces_view(&f->state, &surfaces);
    if (status == SCREE_OK)
        status =
            write_one(o, &grows[PVD_SURFACES], "surfaces", surfaces_table, (size_t)surfaces_arrays, &surfaces, error);
    return status;
}

const output_format format_vtp = {
    .growing = {[PVD_BODIES] = {"frames.pvd", pvd_tail},
                [PVD_CONTACTS] = {"contacts.pvd", pvd_tail},
                [PVD_SURFACES] = {"surfaces.pvd", pvd_tail}},
    .numbered = {{"frames", "bodies_", ".vtp"}, {"frames", "contacts_", ".vtp"}, {"frames", "surfaces_", ".vtp"}},
    .frame = write_frame};
