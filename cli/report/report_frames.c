/* report_frames.c: the frames of a run as blocks of a report (report.h).
 *
 * Positions are whole multiples of a quantum, a small part of the smallest body; quaternions whole multiples of 1/turn, of the sign
 * that is nearer to the frame before. Both go in as differences to the frame before: what rests costs next to nothing. Speeds and forces are
 * floats cut to two or three bytes. A contact point is stored relative to the centre of its dynamic body (B, if both are), in quanta, and
 * contacts stand in the order of their bodies, so that their columns are small differences, too.
 *
 * Room: `full` keeps every number that the page can show; `compact` those that it draws, with fewer digits (a position to 1/256 of the
 * smallest radius, a rotation of spheres to half a degree, speeds and forces to 1/256). Poses may take most of the room; what is left
 * goes to the contacts of as many frames as fit, evenly spaced. If compact poses do not fit, every second frame is left out, or
 * two of three, and so on. */
#include "cli/report/page_state.h"
#include "cli/report/report.h"

#include "cli/draw/strokes.h"
#include "cli/system.h"
#include "cli/vector.h"

#include <math.h>
#include <scree/geometry.h>
#include <stdlib.h>
#include <string.h>

static const double POSES_PART = 0.72; /* of the room, where there are contacts */

enum { WHOLES = 8 };

typedef struct report_mesh {
    const scree_geometry *geometry; /* NULL: a hollow wall, made of a net */
    int points, triangles;          /* blocks */
    int point_count, triangle_count;
} report_mesh;

typedef struct encoder {
    scree_result *result;
    report_blocks *blocks;
    int bodies, shapes, full, stride;
    double quantum, turn;
    int32_t *whole[WHOLES]; /* of the frame before                */
    int32_t *difference;    /* (bodies)                           */
    int kept;               /* frames                             */
    int *pose, *contact, *contact_count;
    double *time;
    int mesh_count;
    report_mesh *mesh; /* triangles of shapes: each geometry once */
    int stroke_count;  /* of joints */
    double force_sum;  /* of loaded contacts, and their number */
    int64_t force_count;
} encoder;

static int planes(const encoder *e)
{
    return e->full ? 3 : 2;
}

/* ---- what holds for all frames ---------------------------------------------------------------------------------------------------- */

/// Steps of positions and rotations. Only spheres turn without showing it.
static void choose_quanta(encoder *e)
{
    const scree_shape *shape = scree_result_shapes(e->result);
    double least = INFINITY;
    int spheres_only = 1;
    for (int k = 0; k < e->shapes; ++k) {
        if (shape[k].kind == SCREE_SHAPE_PLANE) continue;
        double size = scree_shape_min_half_width(&shape[k]);
        if (size > 0.0) least = fmin(least, size);
        spheres_only = spheres_only && shape[k].kind == SCREE_SHAPE_SPHERE;
    }
    if (!isfinite(least)) least = 1.0;
    e->quantum = least / (e->full ? 4096.0 : 256.0);
    e->turn = e->full ? 32767.0 : spheres_only ? 127.0 : 1023.0;
}

/// Triangles of a geometry as it is, before a hull is scaled; of a hollow wall those of its net.
static report_mesh mesh_blocks(const encoder *e, const scree_shape *of)
{
    scree_shape shape = *of;
    if (shape.geometry) shape.size[0] = 1.0;
    report_mesh mesh = {.geometry = shape.geometry};
    report_columns points = {.count = scree_net_point_count(&shape, HOLLOW_SLICES)};
    report_columns corners = {.count = scree_net_triangle_count(&shape, HOLLOW_SLICES)};
    double *real = cli_memory((size_t)points.count * sizeof *real), x[3];
    int32_t *whole = cli_memory((size_t)corners.count * sizeof *whole);
    int corner[3];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < points.count; ++k) scree_net_point(&shape, HOLLOW_SLICES, k, x), real[k] = x[i];
        report_real(&points, real, 4);
        for (int k = 0; k < corners.count; ++k)
            scree_net_triangle(&shape, HOLLOW_SLICES, k, corner), whole[k] = corner[i];
        report_running(&corners, whole);
    }
    free(real);
    free(whole);
    mesh.point_count = points.count, mesh.triangle_count = corners.count;
    mesh.points = report_columns_block(&points, e->blocks);
    mesh.triangles = report_columns_block(&corners, e->blocks);
    return mesh;
}

/// The number of the triangles of a shape (-1: the page knows its kind); shapes that share a geometry share them.
static int32_t mesh_of(encoder *e, const scree_shape *shape)
{
    const scree_geometry *geometry = shape->geometry;
    if (!geometry && shape->kind != SCREE_SHAPE_TUBE && shape->kind != SCREE_SHAPE_BOWL) return -1;
    for (int k = e->mesh_count - 1; k >= 0 && geometry; --k)
        if (e->mesh[k].geometry == geometry) return k;
    e->mesh = cli_more_memory(e->mesh, (size_t)(e->mesh_count + 1) * sizeof *e->mesh);
    e->mesh[e->mesh_count] = mesh_blocks(e, shape);
    return e->mesh_count++;
}

static int shape_table(encoder *e)
{
    const scree_shape *shape = scree_result_shapes(e->result);
    size_t n = (size_t)e->shapes;
    int32_t *whole = cli_memory(n * sizeof *whole);
    double *real = cli_memory(n * sizeof *real);
    report_columns c = {.count = e->shapes};
    for (int k = 0; k < e->shapes; ++k) whole[k] = (int32_t)shape[k].kind;
    report_whole(&c, whole);
    report_running(&c, scree_result_shape_bodies(e->result));
    for (int k = 0; k < e->shapes; ++k) whole[k] = (int32_t)scree_material_index(shape[k].material);
    report_whole(&c, whole);
    for (int k = 0; k < e->shapes; ++k) whole[k] = mesh_of(e, &shape[k]);
    report_whole(&c, whole);
    for (int field = 0; field < 10; ++field) {
        for (int k = 0; k < e->shapes; ++k)
            real[k] = field < 3   ? shape[k].size[field]
                      : field < 6 ? shape[k].position[field - 3]
                                  : shape[k].rotation[field - 6];
        report_real(&c, real, 4);
    }
    free(whole);
    free(real);
    return report_columns_block(&c, e->blocks);
}

/// The strokes of the joints of the first frame: body and place of each end, and the radius.
static scree_status stroke_table(encoder *e, int *block, scree_error *error)
{
    scree_frame *first = scree_result_frame(e->result, 0, error);
    if (!first) return error->status;
    joint_stroke *stroke = joint_strokes(first, &e->stroke_count);
    scree_frame_free(first);
    size_t n = (size_t)e->stroke_count;
    int32_t *whole = cli_memory((n + 1) * sizeof *whole);
    double *real = cli_memory((n + 1) * sizeof *real);
    report_columns c = {.count = e->stroke_count};
    for (int end = 0; end < 2; ++end) {
        for (size_t k = 0; k < n; ++k) whole[k] = stroke[k].body[end];
        report_whole(&c, whole);
        for (int i = 0; i < 3; ++i) {
            for (size_t k = 0; k < n; ++k) real[k] = stroke[k].end[end][i];
            report_real(&c, real, 4);
        }
    }
    for (size_t k = 0; k < n; ++k) real[k] = stroke[k].radius;
    report_real(&c, real, 4);
    free(whole), free(real), free(stroke);
    *block = report_columns_block(&c, e->blocks);
    return SCREE_OK;
}

static int names_block(const encoder *e)
{
    char *text, name[256];
    size_t size;
    FILE *out = cli_text_open(&text, &size);
    scree_json j = scree_json_start(out);
    scree_json_list(&j, NULL);
    for (int b = 0; b < e->bodies; ++b)
        scree_json_text(&j, NULL, scree_result_body_name(e->result, b, name, sizeof name));
    scree_json_close(&j);
    cli_text_close(out, &text);
    int number = report_block(e->blocks, text, size);
    free(text);
    return number;
}

/* ---- poses -------------------------------------------------------------------------------------------------------------------------- */

static int32_t whole_of(double x)
{
    return isfinite(x) ? (int32_t)lround(fmax(fmin(x, 1e9), -1e9)) : 0;
}

/// The wholes of a body; one that is not there keeps those it had, which costs nothing.
static void body_wholes(const encoder *e, const scree_frame *frame, int b, int32_t out[WHOLES])
{
    for (int k = 0; k < WHOLES; ++k) out[k] = e->whole[k][b];
    out[0] = STATE_ABSENT;
    if (b >= frame->body_count || frame->kind[b] == SCREE_BODY_REMOVED) return;
    out[0] = page_body_state(frame->kind[b]);
    for (int k = 0; k < 3; ++k) out[1 + k] = whole_of(frame->position[3 * b + k] / e->quantum);
    double same = 0.0;
    for (int k = 0; k < 4; ++k) same += frame->rotation[4 * b + k] * (double)e->whole[4 + k][b];
    for (int k = 0; k < 4; ++k) out[4 + k] = whole_of(frame->rotation[4 * b + k] * (same < 0.0 ? -e->turn : e->turn));
}

/// A column of numbers of bodies, 0 for those that are not there: lengths (of: -1) or component `of` of vectors.
static void body_reals(report_columns *c, const scree_frame *frame, const double *vector, int of, int bytes,
                       double *real)
{
    for (int b = 0; b < c->count; ++b) {
        int there = b < frame->body_count && frame->kind[b] != SCREE_BODY_REMOVED;
        real[b] = !there ? 0.0 : of < 0 ? vec_norm(vector + 3 * (size_t)b) : vector[3 * (size_t)b + (size_t)of];
    }
    report_real(c, real, bytes);
}

static int pose_block(encoder *e, const scree_frame *frame, double *real)
{
    report_columns c = {.count = e->bodies};
    int32_t(*now)[WHOLES] = cli_memory((size_t)e->bodies * sizeof *now);
    for (int b = 0; b < e->bodies; ++b) body_wholes(e, frame, b, now[b]);
    for (int k = 0; k < WHOLES; ++k) {
        for (int b = 0; b < e->bodies; ++b) {
            e->difference[b] = (int32_t)((uint32_t)now[b][k] - (uint32_t)e->whole[k][b]);
            e->whole[k][b] = now[b][k];
        }
        report_whole(&c, e->difference);
    }
    free(now);
    body_reals(&c, frame, frame->velocity, -1, planes(e), real);
    body_reals(&c, frame, frame->angular_velocity, -1, planes(e), real);
    for (int k = 0; e->full && k < 3; ++k) body_reals(&c, frame, frame->velocity, k, planes(e), real);
    return report_columns_block(&c, e->blocks);
}

/* ---- contacts ------------------------------------------------------------------------------------------------------------------------ */

static int contact_block(encoder *e, const scree_frame *frame)
{
    size_t n = (size_t)frame->contact_count;
    report_columns c = {.count = frame->contact_count};
    int32_t *whole = cli_memory(6 * n * sizeof *whole);
    double *real = cli_memory(n * sizeof *real);
    for (size_t k = 0; k < n; ++k) {
        const scree_contact_point *t = &frame->contact[k];
        int anchor = contact_anchor(t, frame->kind);
        whole[k] = t->body_a, whole[n + k] = t->body_b, whole[2 * n + k] = t->mode;
        for (size_t i = 0; i < 3; ++i)
            whole[(3 + i) * n + k] = whole_of((t->position[i] - frame->position[3 * (size_t)anchor + i]) / e->quantum);
        double force = contact_real(t, frame->h, 0);
        if (force > 0.0) e->force_sum += force, e->force_count += 1;
    }
    report_running(&c, whole);
    report_running(&c, whole + n);
    for (size_t k = 2; k < 6; ++k) report_whole(&c, whole + k * n);
    for (int column = 0; column < (e->full ? CONTACT_REALS : COMPACT_REALS); ++column) {
        for (size_t k = 0; k < n; ++k) real[k] = contact_real(&frame->contact[k], frame->h, column);
        report_real(&c, real, planes(e));
    }
    free(whole);
    free(real);
    return report_columns_block(&c, e->blocks);
}

/* ---- all frames ------------------------------------------------------------------------------------------------------------------------ */

/// Calls `each` with every stride-th frame, the last one always among them.
static scree_status for_frames(encoder *e, void (*each)(encoder *e, const scree_frame *frame, int kept),
                               scree_error *error)
{
    int count = scree_result_frame_count(e->result);
    e->kept = 0;
    for (int f = (count - 1) % e->stride; f < count; f += e->stride) {
        scree_frame *frame = scree_result_frame(e->result, f, error);
        if (!frame) return error->status;
        each(e, frame, e->kept++);
        scree_frame_free(frame);
    }
    return SCREE_OK;
}

static void encode_pose(encoder *e, const scree_frame *frame, int kept)
{
    double *real = cli_memory((size_t)e->bodies * sizeof *real);
    e->time[kept] = frame->time, e->contact_count[kept] = frame->contact_count;
    e->pose[kept] = pose_block(e, frame, real);
    e->contact[kept] = -1;
    free(real);
}

static void encode_contacts(encoder *e, const scree_frame *frame, int kept)
{
    e->contact[kept] = contact_block(e, frame);
}

/// Poses of all frames; `used`: the characters they took.
static scree_status encode_poses(encoder *e, size_t *used, scree_error *error)
{
    size_t before = e->blocks->size;
    choose_quanta(e);
    for (int k = 0; k < WHOLES; ++k) memset(e->whole[k], 0, (size_t)e->bodies * sizeof(int32_t));
    scree_status status = for_frames(e, encode_pose, error);
    *used = e->blocks->size - before;
    return status;
}

/// Keeps the contacts of every k-th frame, counted from the last, with the least k that fits. Their blocks are the last ones.
static int thin_contacts(encoder *e, int first, size_t room)
{
    size_t total = 0;
    int step = 0, kept = 0;
    char **line = e->blocks->line;
    do {
        step += 1, total = 0;
        for (int k = e->kept - 1; k >= 0; k -= step) total += strlen(line[e->contact[k] - 1]) + 1;
    } while (total > room && step <= e->kept);
    for (int k = 0; k < e->kept; ++k) {
        char *block = line[e->contact[k] - 1];
        if (step > e->kept || (e->kept - 1 - k) % step != 0) {
            e->blocks->size -= strlen(block) + 1;
            e->contact[k] = -1;
            free(block);
            continue;
        }
        line[first - 1 + kept] = block;
        e->contact[k] = first + kept++;
    }
    e->blocks->count = first - 1 + kept;
    return kept;
}

/// Full, then compact, then compact with fewer frames.
static scree_status encode(encoder *e, size_t room, report_told *told, scree_error *error)
{
    int first = e->blocks->count + 1, frames = scree_result_frame_count(e->result);
    size_t start = e->blocks->size, used = 0;
    double numbers = (double)e->bodies * frames;
    e->full = numbers < (double)room; /* it would not fit for sure with a character for each */
    for (e->stride = 1;;) {
        scree_status status = encode_poses(e, &used, error);
        if (status == SCREE_OK && (double)used <= POSES_PART * (double)room) {
            int contacts = e->blocks->count + 1;
            e->force_sum = 0.0, e->force_count = 0;
            status = for_frames(e, encode_contacts, error);
            if (status == SCREE_OK && (!e->full || e->blocks->size - start <= room)) {
                told->contacts_kept = thin_contacts(e, contacts, room - used);
                told->frames_kept = e->kept;
                return SCREE_OK;
            }
        }
        if (status != SCREE_OK) return status;
        report_blocks_cut(e->blocks, first);
        if (e->full) e->full = 0;
        else if (e->stride >= frames) {
            scree_error_set(error, NULL, 0, 0, "not even one frame of this run fits into the page; --size allows more");
            return SCREE_ERR_INPUT;
        } else { /* to a frame more than what seems to be needed, so that few attempts suffice */
            double factor = (double)used / (POSES_PART * (double)room);
            e->stride = (int)fmin(ceil((double)e->stride * factor) + (factor < 1.1), frames);
        }
    }
}

/* ---- the manifest -------------------------------------------------------------------------------------------------------------------------- */

static void write_integers(scree_json *j, const char *key, const int *value, int count)
{
    scree_json_list(j, key);
    for (int k = 0; k < count; ++k) scree_json_integer(j, NULL, value[k]);
    scree_json_close(j);
}

static void write_manifest(const encoder *e, scree_json *j, int table, int names, int strokes)
{
    scree_json_object(j, "replay");
    scree_json_integer(j, "bodies", e->bodies);
    scree_json_integer(j, "shapes", e->shapes);
    scree_json_bool(j, "full", e->full);
    scree_json_number(j, "quantum", e->quantum);
    scree_json_integer(j, "shape_table", table);
    scree_json_integer(j, "names", names);
    scree_json_integer(j, "strokes", strokes);
    scree_json_integer(j, "stroke_count", e->stroke_count);
    scree_json_list(j, "meshes");
    for (int k = 0; k < e->mesh_count; ++k) {
        scree_json_object(j, NULL);
        scree_json_integer(j, "points", e->mesh[k].points);
        scree_json_integer(j, "point_count", e->mesh[k].point_count);
        scree_json_integer(j, "triangles", e->mesh[k].triangles);
        scree_json_integer(j, "triangle_count", e->mesh[k].triangle_count);
        scree_json_close(j);
    }
    scree_json_close(j);
    scree_json_list(j, "materials");
    for (int k = 0; k < scree_result_material_count(e->result); ++k)
        scree_json_text(j, NULL, scree_result_material_name(e->result, k));
    scree_json_close(j);
    scree_json_numbers(j, "time", e->time, e->kept);
    write_integers(j, "pose", e->pose, e->kept);
    write_integers(j, "contact", e->contact, e->kept);
    write_integers(j, "contact_count", e->contact_count, e->kept);
    scree_json_list(j, "contact_columns");
    for (int k = 0; k < (e->full ? CONTACT_REALS : COMPACT_REALS); ++k) scree_json_text(j, NULL, contact_names[k]);
    scree_json_close(j);
    /* forces in a packing are spread about like exp(-f / mean): few are above six times the mean */
    scree_json_number(j, "force_top", e->force_count > 0 ? 6.0 * e->force_sum / (double)e->force_count : 0.0);
    scree_json_close(j);
}

scree_status report_replay(scree_result *result, size_t room, report_blocks *blocks, scree_json *manifest,
                           report_told *told, scree_error *error)
{
    int frames = scree_result_frame_count(result);
    encoder e = {.result = result,
                 .blocks = blocks,
                 .bodies = scree_result_body_count(result),
                 .shapes = scree_result_shape_count(result)};
    *told = (report_told){.bodies = e.bodies, .frames = frames};
    if (frames == 0 || e.bodies == 0) return SCREE_OK;
    size_t count = (size_t)frames;
    e.pose = cli_memory(count * sizeof *e.pose), e.contact = cli_memory(count * sizeof *e.contact);
    e.contact_count = cli_memory(count * sizeof *e.contact_count);
    e.time = cli_memory(count * sizeof *e.time);
    e.difference = cli_memory((size_t)e.bodies * sizeof *e.difference);
    for (int k = 0; k < WHOLES; ++k) e.whole[k] = cli_memory((size_t)e.bodies * sizeof **e.whole);

    size_t before = blocks->size;
    int table = shape_table(&e), names = names_block(&e), strokes = 0;
    scree_status status = stroke_table(&e, &strokes, error);
    size_t fixed = blocks->size - before;
    if (status == SCREE_OK) status = encode(&e, room > fixed ? room - fixed : 0, told, error);
    if (status == SCREE_OK) write_manifest(&e, manifest, table, names, strokes);

    free(e.pose), free(e.contact), free(e.contact_count), free(e.time), free(e.difference), free(e.mesh);
    for (int k = 0; k < WHOLES; ++k) free(e.whole[k]);
    return status;
}
