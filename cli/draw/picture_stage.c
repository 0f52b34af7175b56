/* picture_stage.c: where `scree picture` looks from.
 *
 * Up is against gravity, as the scene has it. The eye looks at the dynamic bodies, and at fixed and driven ones that are not much larger. A
 * body at (x, y, z) in the frame of the view, z towards the eye, with radius r fits into a view of half angle a if the eye is at a distance
 * of z + |x| / tan a + r / sin a from the middle. Of many bodies the outermost RUNAWAYS are let go, so that a few grains which rolled away
 * do not make the pile small. */
#include "cli/draw/picture.h"
#include "cli/system.h"
#include "cli/vector.h"

#include <scree/scene.h>

#include <stdlib.h>
#include <string.h>

static const double ANGLE = 0.5, MARGIN = 1.07, RUNAWAYS = 0.02, FAR_OUT = 1.4, LARGER = 3.0, WALLS_LARGER = 4.0,
                    PI = 3.14159265358979323846; /* ANGLE of view [rad] */
enum { MANY = 100 };

/// The places that must be seen: centre and radius.
typedef struct places {
    double (*at)[4];
    int count, capacity;
    double runaways; /* the share that is let go */
} places;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// The value that the share `part` of the numbers does not exceed; sorts them.
static double quantile(double *x, int count, double part)
{
    qsort(x, (size_t)count, sizeof *x, by_value);
    int k = (int)(part * (count - 1) + 0.5);
    return count > 0 ? x[k < 0 ? 0 : k] : 0.0;
}

static void add_place(places *p, const double x[3], double r)
{
    if (p->count == p->capacity) {
        p->capacity = 2 * p->capacity + 256;
        p->at = cli_more_memory(p->at, (size_t)p->capacity * sizeof *p->at);
    }
    double *at = p->at[p->count++];
    at[0] = x[0], at[1] = x[1], at[2] = x[2], at[3] = r;
}

/// The ball about the points of a surface: its origin may be far from it.
static double surface_ball(const scree_shape *shape, double middle[3])
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, p[3], diagonal[3];
    for (int k = 0; k < scree_geometry_vertex_count(shape->geometry); ++k) {
        scree_geometry_vertex(shape->geometry, k, p);
        for (int i = 0; i < 3; ++i) low[i] = fmin(low[i], p[i]), high[i] = fmax(high[i], p[i]);
    }
    for (int i = 0; i < 3; ++i) middle[i] = 0.5 * (low[i] + high[i]);
    vec_sub(high, low, diagonal);
    return 0.5 * vec_norm(diagonal);
}

static void add_places(const scree_frame *f, places *moving, places *fixed)
{
    for (int s = 0; s < f->shape_count; ++s) {
        double x[3], q[4], r = scree_shape_extent(&f->shape[s]);
        scree_body_kind kind = (scree_body_kind)f->kind[f->shape_body[s]];
        places *to = kind == SCREE_BODY_DYNAMIC ? moving : fixed;
        if (kind == SCREE_BODY_REMOVED || f->shape[s].kind == SCREE_SHAPE_PLANE || !to) continue;
        scree_frame_shape_pose(f, s, x, q);
        if (f->shape[s].kind == SCREE_SHAPE_MESH) {
            double middle[3], turned[3];
            r = surface_ball(&f->shape[s], middle);
            quat_rotate(q, middle, turned);
            vec_add_scaled(x, 1.0, turned, x);
        }
        add_place(to, x, r);
    }
}

/// The same of the radii, or of what stands in their place.
static double value_quantile(const places *p, double part)
{
    double *x = cli_memory(((size_t)p->count + 1) * sizeof *x);
    for (int k = 0; k < p->count; ++k) x[k] = p->at[k][3];
    double value = quantile(x, p->count, part);
    free(x);
    return value;
}

/// The middle and the radius of what is worth seeing.
static void enclose(const places *p, double centre[3], double *reach)
{
    double *x = cli_memory(((size_t)p->count + 1) * sizeof *x), out = p->runaways;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < p->count; ++k) x[k] = p->at[k][i];
        double low = quantile(x, p->count, 0.5 * out), high = quantile(x, p->count, 1.0 - 0.5 * out);
        centre[i] = 0.5 * (low + high);
    }
    for (int k = 0; k < p->count; ++k) {
        double arm[3];
        vec_sub(p->at[k], centre, arm);
        x[k] = vec_norm(arm) + p->at[k][3];
    }
    *reach = quantile(x, p->count, 1.0 - out);
    free(x);
}

/// The same; a few that are far outside are let go.
static void enclose_most(places *p, double centre[3], double *reach)
{
    double all;
    p->runaways = 0.0;
    enclose(p, centre, &all);
    p->runaways = p->count >= MANY ? RUNAWAYS : 0.0;
    enclose(p, centre, reach);
    if (all > FAR_OUT * *reach) return;
    p->runaways = 0.0;
    enclose(p, centre, reach);
}

/// Up is against gravity; `level` is 1 for motion in a plane, with its normal.
static int read_up(const scree_scene *scene, double up[3], double normal[3])
{
    int planar = SCREE_PLANAR_NONE;
    up[0] = up[1] = 0.0, up[2] = 1.0;
    if (scene) {
        const scree_world_options world = scree_scene_world_options(scene);
        double size = vec_norm(world.gravity);
        for (int i = 0; i < 3 && size > 0.0; ++i) up[i] = -world.gravity[i] / size;
        planar = (int)world.planar;
    }
    for (int i = 0; i < 3; ++i) normal[i] = 0.0;
    if (planar == SCREE_PLANAR_XY) normal[2] = 1.0;
    if (planar == SCREE_PLANAR_XZ) normal[1] = -1.0;
    if (planar == SCREE_PLANAR_YZ) normal[0] = 1.0;
    return planar != SCREE_PLANAR_NONE && fabs(vec_dot(normal, up)) < 0.5;
}

/// Direction from what is looked at to the eye: azimuth counts from x (or the first axis that is level) towards y.
static void view_direction(const double up[3], double azimuth, double elevation, double d[3])
{
    double first[3] = {1.0, 0.0, 0.0}, second[3];
    if (fabs(up[0]) > 0.9) first[0] = 0.0, first[1] = 1.0;
    vec_add_scaled(first, -vec_dot(first, up), up, first);
    double length = vec_norm(first);
    for (int i = 0; i < 3; ++i) first[i] /= length;
    vec_cross(up, first, second);
    double a = azimuth * PI / 180.0, e = elevation * PI / 180.0;
    for (int i = 0; i < 3; ++i) d[i] = cos(e) * (cos(a) * first[i] + sin(a) * second[i]) + sin(e) * up[i];
}

/// The distance from `at` from which all places but the runaways are seen.
static double distance_for(const places *p, const picture_options *o, const render_camera *c, const double at[3])
{
    double *x = cli_memory(((size_t)p->count + 1) * sizeof *x), wide = 0.5 * ANGLE;
    double high = atan(tan(wide) * o->height / o->width);
    for (int k = 0; k < p->count; ++k) {
        double arm[3], r = p->at[k][3];
        vec_sub(p->at[k], at, arm);
        double across = fabs(vec_dot(arm, c->axis[0])), along = fabs(vec_dot(arm, c->axis[1]));
        x[k] = fmax(across / tan(wide) + r / sin(wide), along / tan(high) + r / sin(high)) - vec_dot(arm, c->axis[2]);
    }
    double distance = quantile(x, p->count, 1.0 - p->runaways);
    free(x);
    return distance;
}

/// The same for both lists, and the point to look at: the middle of the picture of the first.
static double fit(const places *p, const places *walls, const picture_options *o, const double d[3], const double up[3],
                  double at[3])
{
    double eye[3], *x = cli_memory(((size_t)p->count + 1) * sizeof *x);
    vec_add_scaled(at, 1.0, d, eye);
    const render_camera c = render_look(eye, at, up, ANGLE);
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < p->count; ++k) x[k] = vec_dot(p->at[k], c.axis[i]) - vec_dot(at, c.axis[i]);
        double low = quantile(x, p->count, 0.5 * p->runaways), high = quantile(x, p->count, 1.0 - 0.5 * p->runaways);
        vec_add_scaled(at, 0.5 * (low + high), c.axis[i], at);
    }
    free(x);
    return fmax(distance_for(p, o, &c, at), distance_for(walls, o, &c, at));
}

double picture_nice_below(double x)
{
    double ten = pow(10.0, floor(log10(x))), lead = x / ten;
    return ten * (lead >= 5.0 ? 5.0 : lead >= 2.0 ? 2.0 : 1.0);
}

static void look(const picture_options *o, const places *p, const places *walls, picture_stage *stage)
{
    double d[3], at[3], eye[3], normal[3];
    int flat = read_up(stage->scene, stage->up, normal);
    memcpy(at, stage->centre, sizeof at);
    view_direction(stage->up, -62.0, 22.0, d);
    if (flat) memcpy(d, normal, sizeof d);
    if (o->has_view) view_direction(stage->up, o->view[0], o->view[1], d);
    if (o->has_at) memcpy(at, o->at, sizeof at);
    if (o->has_from) memcpy(eye, o->from, sizeof eye);
    else {
        double middle[3] = {at[0], at[1], at[2]};
        stage->focus = MARGIN * fmax(fit(p, walls, o, d, stage->up, middle), 1.05 * stage->reach) / o->zoom;
        if (!o->has_at) memcpy(at, middle, sizeof at);
        vec_add_scaled(at, stage->focus, d, eye);
    }
    double arm[3];
    vec_sub(at, eye, arm);
    stage->focus = vec_norm(arm);
    stage->camera = render_look(eye, at, stage->up, o->has_from ? ANGLE / o->zoom : ANGLE);
    if (o->cut) stage->cut_side = eye[o->cut - 1] >= stage->cut_at ? 1.0 : -1.0;
}

/* ---- what the colours and the lines of force mean ------------------------------------------------------------------------------- */

static void add_values(const picture_options *o, const scree_frame *f, places *values, places *forces)
{
    int *contacts = picture_contacts(f);
    const double none[3] = {0.0, 0.0, 0.0};
    for (int s = 0; s < f->shape_count; ++s)
        if (f->kind[f->shape_body[s]] == SCREE_BODY_DYNAMIC)
            add_place(values, none, picture_value(o->paint, f, s, contacts));
    for (int k = 0; k < f->contact_count && f->h > 0.0; ++k)
        if (f->contact[k].impulse[0] > 0.0) add_place(forces, none, f->contact[k].impulse[0] / f->h);
    free(contacts);
}

static void set_ranges(const picture_options *o, const places *values, const places *forces, picture_stage *stage)
{
    stage->range[0] = o->paint == PAINT_SIZE ? value_quantile(values, 0.0) : 0.0;
    stage->range[1] = value_quantile(values, o->paint == PAINT_SPEED ? 0.99 : 1.0);
    if (o->paint == PAINT_CONTACTS) stage->range[1] = fmax(stage->range[1], 1.0);
    if (!(stage->range[1] > stage->range[0]))
        stage->range[1] = stage->range[0] + (o->paint == PAINT_SPEED ? 1e-3 : 1.0);
    if (o->paint == PAINT_SPEED)
        stage->range[1] = fmax(stage->range[1], 1e-6); /* what rests is not coloured by rounding */
    stage->force = value_quantile(forces, 0.99);
}

scree_status picture_set_stage(const picture_options *o, scree_result *result, const int *frame, int count,
                               picture_stage *stage, scree_error *error)
{
    places moving = {.at = NULL}, fixed = {.at = NULL}, values = {.at = NULL}, forces = {.at = NULL};
    scree_status status = SCREE_OK;
    const char *text = scree_result_scene(result);
    *stage = (picture_stage){.focus = 1.0, .result = result};
    stage->scene = scree_scene_parse(text, strlen(text), "scene.yaml", NULL, 0, NULL, NULL);
    for (int k = 0; k < count && status == SCREE_OK; ++k) {
        scree_frame *f = scree_result_frame(result, frame[k], error);
        status = error->status;
        if (!f) break;
        add_places(f, &moving, k == 0 ? &fixed : NULL); /* walls hardly move */
        add_values(o, f, &values, &forces);
        scree_frame_free(f);
    }
    if (status == SCREE_OK) {
        const double origin[3] = {0.0, 0.0, 0.0};
        if (moving.count == 0 && fixed.count == 0) add_place(&moving, origin, 1.0);
        places walls = {.at = NULL}, *seen = moving.count > 0 ? &moving : &fixed;
        enclose_most(seen, stage->centre, &stage->reach);
        double reach = stage->reach, usual = value_quantile(&moving, 0.5);
        for (int k = 0; k < moving.count; ++k) /* bodies far larger than most are no runaways, however few they are */
            if (moving.at[k][3] > LARGER * usual) {
                double arm[3];
                vec_sub(moving.at[k], stage->centre, arm);
                add_place(&walls, moving.at[k], moving.at[k][3]);
                stage->reach = fmax(stage->reach, vec_norm(arm) + moving.at[k][3]);
            }
        stage->cut_at = o->has_cut_at || !o->cut ? o->cut_at : stage->centre[o->cut - 1];
        for (int k = 0; k < fixed.count && seen == &moving; ++k) { /* part of the picture unless they are far larger */
            double arm[3];
            vec_sub(fixed.at[k], stage->centre, arm);
            double out = vec_norm(arm) + fixed.at[k][3];
            if (out > WALLS_LARGER * reach) continue;
            add_place(&walls, fixed.at[k], fixed.at[k][3]);
            stage->reach = fmax(stage->reach, out);
        }
        if (!(stage->reach > 0.0)) stage->reach = 1.0;
        stage->grid = picture_nice_below(0.35 * stage->reach);
        look(o, seen, &walls, stage);
        free(walls.at);
        set_ranges(o, &values, &forces, stage);
    }
    free(moving.at), free(fixed.at), free(values.at), free(forces.at);
    return status;
}

void picture_free_stage(picture_stage *stage)
{
    scree_scene_destroy(stage->scene);
    stage->scene = NULL;
}
