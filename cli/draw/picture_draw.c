/* picture_draw.c: a frame as things to render, and what is written over the image: scale bar, legend, time.
 *
 * The scale bar holds at the distance of what the eye looks at. Forces are lines from centre to centre (to the point of contact, where
 * the other side is a wall), as wide as the square root of the force, over paled grains: the chains that carry a heap. Joints are strokes
 * (strokes.h), over everything: they lie inside of bodies. */
#include "cli/draw/picture.h"
#include "cli/draw/plot_axis.h"
#include "cli/draw/strokes.h"
#include "cli/system.h"
#include "cli/vector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const colour WHITE = {255, 255, 255}, INK = {52, 56, 64}, GROUND = {246, 245, 243};
static const colour FIXED = {196, 202, 210}, DRIVEN = {206, 112, 74}, JOINT = {196, 24, 120};
static const colour STONES[] = {{214, 196, 164}, {188, 162, 124}, {164, 148, 130}, {201, 173, 138},
                                {148, 139, 130}, {222, 205, 178}, {176, 141, 108}, {139, 126, 116}};
static const colour KINDS[] = {{196, 164, 120}, {88, 130, 160},  {120, 158, 104},
                               {184, 92, 84},   {140, 120, 168}, {110, 110, 116}};
static const colour SCALE[] = {
    {43, 58, 103}, {36, 110, 140}, {70, 160, 130}, {170, 200, 90}, {252, 212, 80}}; /* low to high */
static const colour LOADS[] = {{246, 208, 130}, {235, 130, 60}, {180, 40, 40}, {90, 10, 30}};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const struct {
    const char *name, *label;
} PAINT[PAINTS] = {[PAINT_BODY] = {"body", ""},
                   [PAINT_SPEED] = {"speed", "speed [m/s]"},
                   [PAINT_SIZE] = {"size", "radius [m]"},
                   [PAINT_CONTACTS] = {"contacts", "contacts"},
                   [PAINT_MATERIAL] = {"material", ""}};

const char *picture_paint_name(int paint)
{
    return paint < PAINTS ? PAINT[paint].name : NULL;
}

/* ---- colours ------------------------------------------------------------------------------------------------------------------ */

static colour between(const colour *stop, int count, double x)
{
    x = fmin(fmax(x, 0.0), 1.0) * (count - 1);
    int k = x >= count - 1 ? count - 2 : (int)x;
    double t = x - k;
    const colour a = stop[k], b = stop[k + 1];
    return (colour){(unsigned char)(a.r + t * (b.r - a.r) + 0.5), (unsigned char)(a.g + t * (b.g - a.g) + 0.5),
                    (unsigned char)(a.b + t * (b.b - a.b) + 0.5)};
}

int *picture_contacts(const scree_frame *f)
{
    int *count = cli_memory(((size_t)f->body_count + 1) * sizeof *count);
    for (int k = 0; k < f->contact_count; ++k)
        if (f->contact[k].impulse[0] > 0.0) count[f->contact[k].body_a] += 1, count[f->contact[k].body_b] += 1;
    return count;
}

double picture_value(picture_paint paint, const scree_frame *f, int shape, const int *contacts)
{
    int body = f->shape_body[shape];
    if (paint == PAINT_SPEED) return vec_norm(f->velocity + 3 * (size_t)body);
    if (paint == PAINT_CONTACTS) return contacts[body];
    return paint == PAINT_SIZE ? scree_shape_extent(&f->shape[shape]) : 0.0;
}

static colour paint_of(const picture_options *o, const picture_stage *stage, const scree_frame *f, int shape,
                       const int *contacts)
{
    int body = f->shape_body[shape];
    unsigned char rgb[3];
    char name[128];
    if (stage->scene && o->paint == PAINT_BODY &&
        scree_scene_color(stage->scene, scree_result_body_name(stage->result, body, name, sizeof name), rgb))
        return (colour){rgb[0], rgb[1], rgb[2]};
    if (f->shape[shape].kind == SCREE_SHAPE_PLANE) return GROUND;
    if (f->kind[body] == SCREE_BODY_DRIVEN) return DRIVEN;
    if (f->kind[body] == SCREE_BODY_FIXED) return FIXED;
    if (o->paint == PAINT_BODY) return STONES[random_mix((uint64_t)body) % (uint64_t)COUNT(STONES)];
    if (o->paint == PAINT_MATERIAL) return KINDS[scree_material_index(f->shape[shape].material) % COUNT(KINDS)];
    double value = picture_value(o->paint, f, shape, contacts);
    return between(SCALE, COUNT(SCALE), (value - stage->range[0]) / (stage->range[1] - stage->range[0]));
}

/* ---- things -------------------------------------------------------------------------------------------------------------------- */

typedef struct things {
    render_item *item;
    int count, capacity;
    double (*frame)[7];  /* (shapes) position, rotation */
    double (*stripe)[3]; /* (shapes)                    */
    struct far_line *far;
    render_line *line; /* the same, the far ones first */
    int line_count, line_capacity;
} things;

static render_item *add_item(things *t, render_kind kind, const float albedo[3])
{
    if (t->count == t->capacity) {
        t->capacity = 2 * t->capacity + 1024;
        t->item = cli_more_memory(t->item, (size_t)t->capacity * sizeof *t->item);
    }
    render_item *item = &t->item[t->count++];
    *item = (render_item){.kind = kind};
    memcpy(item->albedo, albedo, sizeof item->albedo);
    return item;
}

static void place_point(const double pose[7], const double x[3], double out[3])
{
    double turned[3];
    quat_rotate(pose + 3, x, turned);
    vec_add_scaled(pose, 1.0, turned, out);
}

/// Rounder the larger it appears.
static int slices_for(const picture_options *o, const picture_stage *stage, double extent)
{
    double pixels = extent / stage->focus / (2.0 * stage->camera.half_width) * o->width;
    int slices = 4 * (int)(1.2 * sqrt(fmax(pixels, 1.0)));
    return slices < 12 ? 12 : slices > 96 ? 96 : slices;
}

/// Triangles with their middle beyond the cut are left out: one looks into a bin.
static void add_triangles(things *t, const picture_options *o, const picture_stage *stage, const scree_shape *shape,
                          const double pose[7], int slices, const float albedo[3])
{
    int triangles = scree_net_triangle_count(shape, slices);
    for (int k = 0; k < triangles; ++k) {
        double local[3], a[3], b[3];
        int corner[3];
        scree_net_triangle(shape, slices, k, corner);
        render_item *item = add_item(t, RENDER_TRIANGLE, albedo);
        for (int i = 0; i < 3; ++i) {
            scree_net_point(shape, slices, corner[i], local);
            place_point(pose, local, i == 0 ? item->point : item->side[i - 1]);
        }
        if (o->cut) {
            int x = o->cut - 1;
            if ((item->point[x] + item->side[0][x] + item->side[1][x]) * stage->cut_side >
                3.0 * stage->cut_at * stage->cut_side) {
                t->count -= 1;
                continue;
            }
        }
        vec_sub(item->side[0], item->point, a);
        vec_sub(item->side[1], item->point, b);
        vec_cross(a, b, item->normal);
        double length = vec_norm(item->normal);
        for (int i = 0; i < 3 && length > 0.0; ++i) item->normal[i] /= length;
        item->round = shape;
        item->frame = pose;
    }
}

static void add_plane(things *t, const double pose[7], const float albedo[3])
{
    render_item *item = add_item(t, RENDER_PLANE, albedo);
    memcpy(item->point, pose, sizeof item->point);
    quat_rotate(pose + 3, (const double[3]){1.0, 0.0, 0.0}, item->side[0]);
    quat_rotate(pose + 3, (const double[3]){0.0, 1.0, 0.0}, item->side[1]);
    quat_rotate(pose + 3, (const double[3]){0.0, 0.0, 1.0}, item->normal);
}

/// 1: a dynamic body, or what it is about, with its middle beyond the cut.
static int is_cut(const picture_options *o, const picture_stage *stage, const scree_frame *f, int body)
{
    return o->cut && f->kind[body] == SCREE_BODY_DYNAMIC &&
           stage->cut_side * (f->position[3 * (size_t)body + (size_t)(o->cut - 1)] - stage->cut_at) > 0.0;
}

/// `left_out`: 0 nothing, 1 walls (what is fixed or driven, planes apart), 2 what moves freely.
static void add_things(things *t, const picture_options *o, const picture_stage *stage, const scree_frame *f,
                       int left_out)
{
    int *contacts = picture_contacts(f);
    size_t shapes = (size_t)f->shape_count + 1;
    t->frame = cli_memory(shapes * sizeof *t->frame), t->stripe = cli_memory(shapes * sizeof *t->stripe);
    for (int s = 0; s < f->shape_count; ++s) {
        const scree_shape *shape = &f->shape[s];
        double *pose = t->frame[s];
        float albedo[3];
        int body = f->shape_body[s], moves = f->kind[body] == SCREE_BODY_DYNAMIC;
        if (f->kind[body] == SCREE_BODY_REMOVED || is_cut(o, stage, f, body)) continue;
        if ((left_out == 1 && !moves && shape->kind != SCREE_SHAPE_PLANE) || (left_out == 2 && moves)) continue;
        scree_frame_shape_pose(f, s, pose, pose + 3);
        render_albedo(paint_of(o, stage, f, s, contacts), albedo);
        for (int i = 0; i < 3 && o->forces && shape->kind != SCREE_SHAPE_PLANE; ++i)
            albedo[i] = 0.25f * albedo[i] + 0.75f * 0.8f;
        if (shape->kind == SCREE_SHAPE_PLANE) add_plane(t, pose, albedo);
        else if (shape->kind != SCREE_SHAPE_SPHERE)
            add_triangles(t, o, stage, shape, pose, slices_for(o, stage, scree_shape_extent(shape)), albedo);
        else {
            render_item *item = add_item(t, RENDER_SPHERE, albedo);
            memcpy(item->point, pose, sizeof item->point);
            item->radius = shape->size[0];
            if (!o->stripes) continue;
            quat_rotate(pose + 3, (const double[3]){0.0, 0.0, 1.0}, t->stripe[s]);
            item->stripe = t->stripe[s];
        }
    }
    free(contacts);
}

/* ---- lines: forces and joints ------------------------------------------------------------------------------------------------------ */

typedef struct far_line {
    double depth;
    render_line line;
} far_line;

static int far_first(const void *a, const void *b)
{
    double x = ((const far_line *)a)->depth, y = ((const far_line *)b)->depth;
    return (x < y) - (x > y);
}

/// A line that is as far away as the point `at`.
static render_line *add_line(things *t, const picture_stage *stage, const double at[3])
{
    double arm[3];
    if (t->line_count == t->line_capacity) {
        t->line_capacity = 2 * t->line_capacity + 64;
        t->far = cli_more_memory(t->far, (size_t)t->line_capacity * sizeof *t->far);
    }
    vec_sub(at, stage->camera.eye, arm);
    t->far[t->line_count].depth = vec_dot(arm, stage->camera.axis[2]);
    return &t->far[t->line_count++].line;
}

static void sort_lines(things *t)
{
    if (t->line_count == 0) return;
    qsort(t->far, (size_t)t->line_count, sizeof *t->far, far_first);
    t->line = cli_memory((size_t)t->line_count * sizeof *t->line);
    for (int k = 0; k < t->line_count; ++k) t->line[k] = t->far[k].line;
}

static void add_joints(things *t, const picture_stage *stage, const scree_frame *f)
{
    int count;
    joint_stroke *stroke = joint_strokes(f, &count);
    for (int k = 0; k < count; ++k) {
        double end[2][3], middle[3];
        for (int side = 0; side < 2; ++side) stroke_end(f, &stroke[k], side, end[side]);
        for (int i = 0; i < 3; ++i) middle[i] = 0.5 * (end[0][i] + end[1][i]);
        render_line *line = add_line(t, stage, middle);
        memcpy(line->from, end[0], sizeof line->from), memcpy(line->to, end[1], sizeof line->to);
        line->width = 2.0 * stroke[k].radius, line->colour = JOINT;
    }
    free(stroke);
}

static void add_forces(things *t, const picture_options *o, const picture_stage *stage, const scree_frame *f)
{
    static const double FAINTEST = 0.02; /* of the force at full width */
    for (int k = 0; k < f->contact_count && f->h > 0.0; ++k) {
        const scree_contact_point *c = &f->contact[k];
        double share = c->impulse[0] / f->h / stage->force;
        if (!(share > FAINTEST) || is_cut(o, stage, f, c->body_a) || is_cut(o, stage, f, c->body_b)) continue;
        render_line *line = add_line(t, stage, c->position);
        const int body[2] = {c->body_a, c->body_b}, shape[2] = {c->shape_a, c->shape_b};
        double *end[2] = {line->from, line->to}, least = HUGE_VAL;
        for (int side = 0; side < 2; ++side) {
            int grain = f->kind[body[side]] == SCREE_BODY_DYNAMIC;
            memcpy(end[side], grain ? f->position + 3 * (size_t)body[side] : c->position, 3 * sizeof(double));
            if (grain) least = fmin(least, scree_shape_extent(&f->shape[shape[side]]));
        }
        line->width = 0.55 * least * sqrt(fmin(share, 1.5));
        line->colour = between(LOADS, COUNT(LOADS), share);
    }
}

/* ---- what stands over the image -------------------------------------------------------------------------------------------------------- */

static char *length_text(double metres, char buffer[32])
{
    if (metres >= 1.0) snprintf(buffer, 32, "%g m", metres);
    else if (metres >= 1e-3) snprintf(buffer, 32, "%g mm", metres * 1e3);
    else snprintf(buffer, 32, "%g um", metres * 1e6);
    return buffer;
}

static void draw_scale(image *im, const picture_stage *stage, double letter)
{
    double pixel = stage->focus * 2.0 * stage->camera.half_width / im->width,
           length = picture_nice_below(0.22 * im->width * pixel);
    double long_pixels = length / pixel;
    double x = 1.6 * letter, y = im->height - 1.6 * letter, tick = 0.35 * letter, width = fmax(0.12 * letter, 1.0);
    char text[32];
    image_line(im, x, y, x + long_pixels, y, width, INK);
    image_line(im, x, y - tick, x, y + tick, width, INK);
    image_line(im, x + long_pixels, y - tick, x + long_pixels, y + tick, width, INK);
    image_text(im, x + 0.5 * long_pixels, y - 0.6 * letter, letter, 0, 0, INK, length_text(length, text));
}

/// A bar of colours with round numbers beside it, `place` 0 above, 1 below that; `least_step` 1 for what is counted.
static void draw_legend(image *im, const colour *scale, int stops, const double range[2], double least_step,
                        const char *label, int place, double letter)
{
    double high = floor(0.34 * im->height), wide = floor(letter), x = im->width - floor(7.5 * letter);
    double y = floor(3.6 * letter) + place * (high + floor(4.0 * letter));
    double step = fmax(axis_label_step(PLOT_LINEAR, range[1] - range[0]), least_step);
    for (int k = 0; k < (int)high; ++k)
        image_rectangle(im, x, y + k, x + wide, y + k + 1.0, between(scale, stops, 1.0 - (k + 0.5) / high));
    double first = ceil(range[0] / step - 1e-9) + 0.0; /* + 0: not -0, which would be written */
    for (double k = first; k * step <= range[1] + 1e-9 * step; k += 1.0) {
        double part = (k * step - range[0]) / (range[1] - range[0]), at = y + high * (1.0 - part);
        char text[32];
        snprintf(text, sizeof text, "%.6g", k * step);
        image_line(im, x + wide, at, x + wide + 0.4 * letter, at, fmax(0.08 * letter, 1.0), INK);
        image_text(im, x + wide + 0.8 * letter, at + 0.4 * letter, 0.85 * letter, -1, 0, INK, text);
    }
    image_text(im, im->width - 1.2 * letter, y - 1.3 * letter, 0.9 * letter, 1, 0, INK, label);
}

static void draw_labels(image *im, const picture_options *o, const picture_stage *stage, const scree_frame *f)
{
    double letter = fmax(0.021 * fmin(im->height, 0.75 * im->width), 7.0);
    char text[64];
    draw_scale(im, stage, letter);
    snprintf(text, sizeof text, "t = %.3f s", f->time);
    image_text(im, im->width - 1.6 * letter, im->height - 1.6 * letter, letter, 1, 0, INK, text);
    const double forces[2] = {0.0, stage->force};
    int painted = PAINT[o->paint].label[0] != '\0';
    if (painted)
        draw_legend(im, SCALE, COUNT(SCALE), stage->range, o->paint == PAINT_CONTACTS, PAINT[o->paint].label, 0,
                    letter);
    if (o->forces && stage->force > 0.0)
        draw_legend(im, LOADS, COUNT(LOADS), forces, 0.0, "force [N]", painted, letter);
}

/// The things of the frame, without those that are left out, into the image.
static void render_things(const picture_options *o, const picture_stage *stage, const scree_frame *frame, int left_out,
                          scree_pool *pool, image *im)
{
    things t = {.item = NULL};
    add_things(&t, o, stage, frame, left_out);
    if (o->forces) add_forces(&t, o, stage, frame);
    if (!o->no_joints) add_joints(&t, stage, frame);
    sort_lines(&t);
    render_scene scene = {.item_count = t.count, .line_count = t.line_count, .item = t.item, .line = t.line};
    memcpy(scene.centre, stage->centre, sizeof scene.centre);
    memcpy(scene.up, stage->up, sizeof scene.up);
    scene.reach = 1.3 * stage->reach, scene.grid = stage->grid, scene.background = WHITE;
    render(&scene, &stage->camera, o->samples, pool, im);
    free(t.item), free(t.frame), free(t.stripe), free(t.far), free(t.line);
}

/// Glass: the picture with and the picture without what is glass, mixed.
static void mix(image *im, const image *without)
{
    static const double GLASS = 0.28; /* what is seen of glass itself */
    size_t bytes = 3 * (size_t)im->width * (size_t)im->height;
    for (size_t k = 0; k < bytes; ++k)
        im->rgb[k] = (unsigned char)(GLASS * im->rgb[k] + (1.0 - GLASS) * without->rgb[k] + 0.5);
}

image picture_draw(const picture_options *o, const picture_stage *stage, const scree_frame *frame, scree_pool *pool)
{
    image im = image_create(o->width, o->height, WHITE);
    render_things(o, stage, frame, 0, pool, &im);
    for (int glass = 1; glass <= 2; ++glass) {
        if (!(glass == 1 ? o->glass_walls : o->glass_bodies)) continue;
        image without = image_create(o->width, o->height, WHITE);
        render_things(o, stage, frame, glass, pool, &without);
        mix(&im, &without);
        image_free(&without);
    }
    if (!o->plain) draw_labels(&im, o, stage, frame);
    return im;
}
