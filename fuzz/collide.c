/* Bytes into two shapes and their poses over wild scales: the contact is finite, and judged from geometry (tests/support/posed.h). */
#include "../tests/support/posed.h"
#include "collision/support.h"
#include "fuzz.h"

#include <string.h>

static const char *stage = "";
static solid pair[2];
static double first_gap, first_normal[3]; /* of the pair as it was read */

static void require_pair(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz collide: %s (%s), first gap %.17g along %.17g %.17g %.17g\n", what, stage, first_gap,
            first_normal[0], first_normal[1], first_normal[2]);
    for (int k = 0; k < 2; ++k) {
        const solid *s = &pair[k];
        fprintf(stderr, "  %s {%.17g, %.17g, %.17g}, x {%.17g, %.17g, %.17g}, R {",
                scree_shape_kind_name(s->shape.kind), s->size[0], s->size[1], s->size[2], s->shape.x[0], s->shape.x[1],
                s->shape.x[2]);
        for (int i = 0; i < 9; ++i) fprintf(stderr, "%.17g%s", s->shape.R[i], i < 8 ? ", " : "}\n");
    }
    abort();
}

/// Three bytes: a mantissa in 1/4096 with its sign, and a power of two down to 2^-reach. 0 is common.
static double number(bytes *b, int reach)
{
    int mantissa = (int)(take(b) | take(b) << 8) - 32768;
    return ldexp(mantissa / 4096.0, -((int)take(b) % (reach + 1)));
}

/// Sizes between 1e-6 and 8; those that may be 0 sometimes are.
static void read_shape(bytes *b, solid *s)
{
    unsigned kind = take(b);
    *s = solid_make((scree_shape_kind)(kind % EXACT_KINDS), 0, 0, 0);
    for (int i = 0; i < 3; ++i) s->size[i] = fmax(1e-6, fabs(number(b, 20)));
    if (s->shape.kind == SCREE_SHAPE_PLANE) s->size[0] = 0.0;
    if (s->shape.kind == SCREE_SHAPE_SPHERE || s->shape.kind == SCREE_SHAPE_PLANE) s->size[1] = s->size[2] = 0.0;
    if (s->shape.kind == SCREE_SHAPE_CAPSULE) s->size[2] = 0.0;
    if (s->shape.kind == SCREE_SHAPE_CAPSULE && kind & 64) s->size[1] = 0.0;
    if (s->shape.kind == SCREE_SHAPE_BOX && kind & 64) s->size[kind >> 4 & 1] = 0.0;
}

/// A quaternion of small whole numbers, so that right angles are common, and a little more.
static void read_rotation(bytes *b, solid *s)
{
    double q[4], square = 0.0;
    for (int i = 0; i < 4; ++i) {
        int whole = (int)(take(b) % 5) - 2;
        q[i] = whole + (take(b) & 1 ? number(b, 50) : 0.0);
        square += q[i] * q[i];
    }
    if (!(square > 1e-6)) q[0] = 1.0, q[1] = q[2] = q[3] = 0.0;
    quat_normalise(q);
    quat_matrix(q, s->shape.R);
}

/// Boxes prefer faces by this much (boxes.c, box.c).
static double allowance(void)
{
    double smallest = SCREE_INFINITY;
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < 3; ++i)
            if (pair[k].shape.kind == SCREE_SHAPE_BOX) smallest = fmin(smallest, pair[k].size[i]);
    return isinf(smallest) ? 0.0 : 1e-6 * smallest;
}

/// What rounding may do to sep(normal): the direction of a connection of length c between points whose coordinates have size L is known
/// to eps L/c, and the width along it to L times that.
static double conditioning(double gap)
{
    double scale = solid_scale(&pair[0], &pair[1]);
    double connection = fabs(gap + support_radius(posed(&pair[0])) + support_radius(posed(&pair[1])));
    return fmin(1e-3 * scale, 64.0 * DBL_EPSILON * scale * scale / connection);
}

/// An ellipsoid that is 1e4 times as long as thick, or with something that is so thin: its common normals lie within 1e-6 of the size of
/// each other, and which one is found is a matter of luck.
static int is_hair(void)
{
    double thin = SCREE_INFINITY, wide = 0.0;
    int smooth = 0;
    for (int k = 0; k < 2; ++k) {
        int sizes = pair[k].shape.kind == SCREE_SHAPE_SPHERE ? 1 : pair[k].shape.kind == SCREE_SHAPE_CAPSULE ? 1 : 3;
        if (pair[k].shape.kind == SCREE_SHAPE_ELLIPSOID) smooth = 1;
        for (int i = 0; i < 3; ++i) wide = fmax(wide, pair[k].size[i]);
        for (int i = 0; i < sizes; ++i) thin = fmin(thin, pair[k].size[i]);
    }
    return smooth && thin < 1e-4 * wide;
}

static double judge(const manifold *m, double reach)
{
    double gap = SCREE_INFINITY, scale = solid_scale(&pair[0], &pair[1]);
    require_pair(m->count >= 0 && m->count <= MANIFOLD_MAX, "count");
    if (m->count == 0) return gap;
    require_pair(fabs(vec_norm(m->normal) - 1.0) < 1e-14, "the normal is not a unit vector");
    for (int k = 0; k < m->count; ++k) {
        const manifold_point *p = &m->point[k];
        require_pair(isfinite(p->gap) && p->gap <= reach, "gap beyond reach");
        for (int i = 0; i < 3; ++i) require_pair(isfinite(p->position[i]), "position is not finite");
        require_pair(k == 0 || p->feature > p[-1].feature, "features out of order, or twice");
        gap = fmin(gap, p->gap);
    }
    double off = fabs(gap - separation(&pair[0], &pair[1], m->normal));
    require_pair(off <= 1e-12 * scale + allowance() + conditioning(gap),
                 "the least gap is not the separation along the normal");
    return gap;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes b = {data, size};
    manifold m, w;
    read_shape(&b, &pair[0]), read_shape(&b, &pair[1]);
    read_rotation(&b, &pair[0]);
    if (take(&b) & 1) read_rotation(&b, &pair[1]);
    else memcpy(pair[1].shape.R, pair[0].shape.R, sizeof pair[0].shape.R);
    for (int i = 0; i < 3; ++i) pair[0].shape.x[i] = number(&b, 2), pair[1].shape.x[i] = pair[0].shape.x[i];
    for (int i = 0; i < 3; ++i) pair[1].shape.x[i] += number(&b, 50);
    if (pair[0].shape.kind == SCREE_SHAPE_PLANE && pair[1].shape.kind == SCREE_SHAPE_PLANE) return 0;

    stage = "as they are", first_gap = 0.0;
    collide(posed(&pair[0]), posed(&pair[1]), SCREE_INFINITY, &m);
    require_pair(m.count > 0, "nothing within an infinite reach");
    double gap = judge(&m, SCREE_INFINITY), scale = solid_scale(&pair[0], &pair[1]);
    first_gap = gap;
    memcpy(first_normal, m.normal, sizeof m.normal);

    stage = "the other way round";
    collide(posed(&pair[1]), posed(&pair[0]), SCREE_INFINITY, &w);
    require_pair(m.count == w.count, "the mirror has other points");
    int equal = memcmp(pair[0].size, pair[1].size, sizeof pair[0].size) == 0 &&
                memcmp(pair[0].shape.x, pair[1].shape.x, sizeof pair[0].shape.x) == 0;
    for (int i = 0; i < 3 && !equal; ++i) require_pair(w.normal[i] == -m.normal[i], "the mirror has another normal");

    stage = "within a small reach";
    collide(posed(&pair[0]), posed(&pair[1]), 0.01 * scale, &w);
    judge(&w, 0.01 * scale);

    /* Moved apart by the gap they touch, and are neither far nor deep. */
    stage = "moved to touch";
    vec_add_scaled(pair[1].shape.x, -gap, m.normal, pair[1].shape.x);
    collide(posed(&pair[0]), posed(&pair[1]), SCREE_INFINITY, &m);
    gap = judge(&m, SCREE_INFINITY);
    require_pair(fabs(gap) <= (is_hair() ? 1e-6 : 1e-9) * scale + 4.0 * allowance(),
                 "moved by the gap, they do not touch");
    return 0;
}
