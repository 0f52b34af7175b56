/* strokes.c: joints as strokes (strokes.h).
 *
 * Their size is that of the thinner of the two bodies: what is thick enough to be seen beside it, and short enough to leave it visible. */
#include "cli/draw/strokes.h"

#include "cli/system.h"
#include "cli/vector.h"

#include <string.h>

/// Shares of the size: radius of a stroke, of a thin one and of a dot; half lengths of an axis, of a rail and of a cross.
static const double THICK = 0.3, THIN = 0.14, DOT = 0.7, AXIS = 2.2, RAIL = 4.0, CROSS = 1.0;
static const double SLIMMEST = 0.06; /* size of a body, at least, over its radius */

/// Half the width of a body, of its widest shape; 0: it has none that ends.
static double body_size(const scree_frame *f, int body)
{
    double size = 0.0;
    for (int s = 0; s < f->shape_count; ++s) {
        if (f->shape_body[s] != body || f->shape[s].kind == SCREE_SHAPE_PLANE) continue;
        size = fmax(size, fmax(scree_shape_min_half_width(&f->shape[s]), SLIMMEST * scree_shape_extent(&f->shape[s])));
    }
    return size;
}

static double joint_size(const scree_frame *f, const scree_frame_joint *j)
{
    double a = j->body_a >= 0 ? body_size(f, j->body_a) : 0.0, b = j->body_b >= 0 ? body_size(f, j->body_b) : 0.0;
    return a > 0.0 && b > 0.0 ? fmin(a, b) : fmax(a, b);
}

typedef struct stroke_list {
    joint_stroke *stroke;
    int count;
    const scree_frame_joint *at;
} stroke_list;

/// A stroke of A along a direction, from its anchor by `length` to both sides.
static void put_along(stroke_list *list, const double direction[3], double length, double radius)
{
    const scree_frame_joint *j = list->at;
    joint_stroke *s = &list->stroke[list->count++];
    *s = (joint_stroke){.body = {j->body_a, j->body_a}, .radius = radius};
    vec_add_scaled(j->anchor_a, -length, direction, s->end[0]);
    vec_add_scaled(j->anchor_a, length, direction, s->end[1]);
}

/// A dot at the anchor of A or of B: a stroke that is hardly longer than nothing, since it must have a direction.
static void put_dot(stroke_list *list, int is_b, double radius)
{
    const scree_frame_joint *j = list->at;
    joint_stroke *s = &list->stroke[list->count++];
    int body = is_b ? j->body_b : j->body_a;
    *s = (joint_stroke){.body = {body, body}, .radius = radius};
    for (int end = 0; end < 2; ++end) {
        memcpy(s->end[end], is_b ? j->anchor_b : j->anchor_a, sizeof s->end[end]);
        s->end[end][2] += (end ? 0.01 : -0.01) * radius;
    }
}

static void put_between(stroke_list *list, double radius)
{
    const scree_frame_joint *j = list->at;
    joint_stroke *s = &list->stroke[list->count++];
    *s = (joint_stroke){.body = {j->body_a, j->body_b}, .radius = radius};
    memcpy(s->end[0], j->anchor_a, sizeof s->end[0]), memcpy(s->end[1], j->anchor_b, sizeof s->end[1]);
}

static void put_joint(stroke_list *list, double size)
{
    static const double unit[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const scree_frame_joint *j = list->at;
    switch (j->kind) {
    case SCREE_JOINT_BALL: put_dot(list, 0, DOT * size); break;
    case SCREE_JOINT_HINGE:
        put_along(list, j->axis, AXIS * size, THICK * size);
        put_dot(list, 0, DOT * size); /* what one sees along the axis */
        break;
    case SCREE_JOINT_CYLINDRICAL:
    case SCREE_JOINT_SLOT:
    case SCREE_JOINT_SLIDER:
        put_along(list, j->axis, RAIL * size, THIN * size);
        put_dot(list, 1, (j->kind == SCREE_JOINT_SLIDER ? 0.6 : 1.0) * DOT * size);
        break;
    case SCREE_JOINT_FIXED:
        for (int k = 0; k < 3; ++k) put_along(list, unit[k], CROSS * size, THIN * size);
        break;
    default: put_dot(list, 0, 0.6 * DOT * size), put_dot(list, 1, 0.6 * DOT * size); put_between(list, THIN * size);
    }
}

joint_stroke *joint_strokes(const scree_frame *f, int *count)
{
    stroke_list list = {.stroke = cli_memory(((size_t)f->joint_count * JOINT_STROKES_MAX + 1) * sizeof(joint_stroke))};
    for (int j = 0; j < f->joint_count; ++j) {
        list.at = &f->joint[j];
        const int body[2] = {list.at->body_a, list.at->body_b};
        int gone = 0;
        for (int side = 0; side < 2; ++side) gone |= body[side] >= 0 && f->kind[body[side]] == SCREE_BODY_REMOVED;
        double size = gone ? 0.0 : joint_size(f, list.at);
        if (size > 0.0) put_joint(&list, size);
    }
    *count = list.count;
    return list.stroke;
}

void stroke_end(const scree_frame *f, const joint_stroke *stroke, int which, double x[3])
{
    double arm[3];
    memcpy(x, stroke->end[which], 3 * sizeof *x);
    if (stroke->body[which] < 0) return;
    size_t b = (size_t)stroke->body[which];
    quat_rotate(f->rotation + 4 * b, stroke->end[which], arm);
    vec_add_scaled(f->position + 3 * b, 1.0, arm, x);
}
