/* render.c: the image, tile by tile (render.h).
 *
 * Every sample has a ray d = (x, y, 1) in the frame of the camera, so that the parameter t of a hit is its depth.
 *   sphere    |t d - c| = r:       t = (b - sqrt(b^2 - a (c.c - r^2))) / a,  a = d.d, b = d.c
 *   triangle  w_i = (v_j x v_k).d, all of one sign inside, t = det(v) / (w_0 + w_1 + w_2): no clipping, no gaps between neighbours
 *   plane     t = n.p / n.d
 * The nearest item of every sample is found first; then light is computed once for all samples of a pixel that see the same item. */
#include "cli/draw/render.h"

#include "cli/system.h"
#include "cli/vector.h"

#include <scree/result.h>

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 32, SAMPLES_MAX = 4, SAMPLE_TOTAL = SAMPLES_MAX * SAMPLES_MAX };

typedef struct tile_list {
    int *first, *entry; /* tile k has entry[first[k]] .. entry[first[k + 1] - 1] */
} tile_list;

typedef struct job {
    const render_scene *scene;
    const render_camera *camera;
    const render_lights *lights;
    image *im;
    int samples, tiles_x, tiles_y;
    double scale;    /* x of the ray = (pixel - width / 2) scale */
    double (*at)[3]; /* items in the frame of the camera: point, then sides of triangles */
    tile_list items, lines;
    double background[3];
} job;

/// What one tile needs, on the stack of a worker.
typedef struct tile {
    int x0, y0, side; /* first pixel; samples along an edge */
    float depth[TILE * SAMPLES_MAX * TILE * SAMPLES_MAX];
    int item[TILE * SAMPLES_MAX * TILE * SAMPLES_MAX], line[TILE * SAMPLES_MAX * TILE * SAMPLES_MAX];
} tile;

/* ---- colours and camera ------------------------------------------------------------------------------------------------------ */

double render_linear(unsigned char channel)
{
    double x = channel / 255.0;
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

void render_albedo(colour c, float albedo[3])
{
    albedo[0] = (float)render_linear(c.r), albedo[1] = (float)render_linear(c.g), albedo[2] = (float)render_linear(c.b);
}

static unsigned char to_srgb(double x)
{
    x = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1.0 / 2.4) - 0.055;
    return x <= 0.0 ? 0 : x >= 1.0 ? 255 : (unsigned char)lrint(255.0 * x);
}

render_camera render_look(const double eye[3], const double at[3], const double up[3], double width_angle)
{
    render_camera c = {.half_width = tan(0.5 * width_angle)};
    double *right = c.axis[0], *down = c.axis[1], *forward = c.axis[2];
    memcpy(c.eye, eye, sizeof c.eye);
    vec_sub(at, eye, forward);
    double length = vec_norm(forward);
    for (int i = 0; i < 3; ++i) forward[i] /= length;
    vec_cross(forward, up, right);
    length = vec_norm(right);
    if (length < 1e-9) vec_tangent(forward, right), length = 1.0; /* straight down: any way is up */
    for (int i = 0; i < 3; ++i) right[i] /= length;
    vec_cross(forward, right, down);
    return c;
}

static void to_camera(const render_camera *c, const double x[3], double out[3])
{
    double d[3];
    vec_sub(x, c->eye, d);
    for (int i = 0; i < 3; ++i) out[i] = vec_dot(c->axis[i], d);
}

void render_project(const render_camera *camera, const image *im, const double x[3], double pixel[2], double *depth)
{
    double c[3], scale = 2.0 * camera->half_width / im->width;
    to_camera(camera, x, c);
    pixel[0] = c[0] / c[2] / scale + 0.5 * im->width, pixel[1] = c[1] / c[2] / scale + 0.5 * im->height;
    *depth = c[2];
}

/* ---- which tile sees what ---------------------------------------------------------------------------------------------------- */

typedef struct bounds {
    double low[2], high[2]; /* pixels */
} bounds;

static const bounds EVERYWHERE = {{-DBL_MAX, -DBL_MAX}, {DBL_MAX, DBL_MAX}};
static const bounds NOWHERE = {{DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX}};

/// Between the two tangents to the sphere, in x and in y.
static bounds sphere_bounds(const job *j, const double c[3], double r)
{
    bounds b;
    if (c[2] < -r) return NOWHERE;
    if (c[2] <= 1.0001 * r) return EVERYWHERE;
    for (int i = 0; i < 2; ++i) {
        double root = r * sqrt(c[i] * c[i] + c[2] * c[2] - r * r), below = c[2] * c[2] - r * r;
        double middle = 0.5 * (i == 0 ? j->im->width : j->im->height);
        b.low[i] = (c[i] * c[2] - root) / below / j->scale + middle;
        b.high[i] = (c[i] * c[2] + root) / below / j->scale + middle;
    }
    return b;
}

static bounds corner_bounds(const job *j, const double (*corner)[3], int count, double margin)
{
    bounds b = NOWHERE;
    int behind = 0;
    for (int k = 0; k < count; ++k) {
        const double *c = corner[k];
        if (c[2] <= 1e-9) {
            behind += 1;
            continue;
        }
        for (int i = 0; i < 2; ++i) {
            double at = c[i] / c[2] / j->scale + 0.5 * (i == 0 ? j->im->width : j->im->height);
            b.low[i] = fmin(b.low[i], at - margin), b.high[i] = fmax(b.high[i], at + margin);
        }
    }
    return behind == 0 ? b : behind == count ? NOWHERE : EVERYWHERE;
}

static bounds item_bounds(const job *j, int k)
{
    const render_item *item = &j->scene->item[k];
    const double(*at)[3] = (const double(*)[3])(j->at + 3 * (size_t)k);
    if (item->kind == RENDER_SPHERE) return sphere_bounds(j, at[0], item->radius);
    if (item->kind == RENDER_TRIANGLE) return corner_bounds(j, at, 3, 1.0);
    return EVERYWHERE;
}

static double line_pixels(const job *j, const render_line *l, double depth)
{
    return l->width / depth / j->scale;
}

static bounds line_bounds(const job *j, int k)
{
    const render_line *l = &j->scene->line[k];
    double ends[2][3];
    to_camera(j->camera, l->from, ends[0]);
    to_camera(j->camera, l->to, ends[1]);
    double nearest = fmax(fmin(ends[0][2], ends[1][2]), 1e-9);
    return corner_bounds(j, (const double(*)[3])ends, 2, line_pixels(j, l, nearest) + 2.0);
}

static int tile_of(double pixel, int tiles)
{
    return pixel < 0.0 ? 0 : pixel >= (double)tiles * TILE ? tiles - 1 : (int)(pixel / TILE);
}

/// Lists of what each tile may see, in the order of the items.
static tile_list make_lists(const job *j, int count, bounds (*of)(const job *, int))
{
    int tiles = j->tiles_x * j->tiles_y;
    tile_list list = {cli_memory(((size_t)tiles + 2) * sizeof(int)), NULL};
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < count; ++k) {
            bounds b = of(j, k);
            if (b.low[0] > j->im->width || b.low[1] > j->im->height || b.high[0] < 0.0 || b.high[1] < 0.0) continue;
            for (int y = tile_of(b.low[1], j->tiles_y); y <= tile_of(b.high[1], j->tiles_y); ++y)
                for (int x = tile_of(b.low[0], j->tiles_x); x <= tile_of(b.high[0], j->tiles_x); ++x) {
                    int *next = &list.first[y * j->tiles_x + x + 2 - pass];
                    if (pass == 1) list.entry[*next] = k;
                    *next += 1;
                }
        }
        if (pass == 1) break;
        for (int k = 1; k <= tiles + 1; ++k) list.first[k] += list.first[k - 1];
        list.entry = cli_memory(((size_t)list.first[tiles + 1] + 1) * sizeof(int));
    }
    return list;
}

/* ---- the nearest item of every sample ---------------------------------------------------------------------------------------- */

static double ray_x(const job *j, const tile *t, int sample)
{
    return (t->x0 + (sample + 0.5) / j->samples - 0.5 * j->im->width) * j->scale;
}

static double ray_y(const job *j, const tile *t, int sample)
{
    return (t->y0 + (sample + 0.5) / j->samples - 0.5 * j->im->height) * j->scale;
}

/// Samples of the tile within the bounds: from low to high, both included; none if low > high.
static void sample_range(const job *j, const tile *t, const bounds *b, int low[2], int high[2])
{
    for (int i = 0; i < 2; ++i) {
        int start = i == 0 ? t->x0 : t->y0;
        double from = floor((b->low[i] - start) * j->samples), to = ceil((b->high[i] - start) * j->samples);
        low[i] = from < 0.0 ? 0 : from > t->side ? t->side : (int)from;
        high[i] = to < 0.0 ? -1 : to > t->side - 1.0 ? t->side - 1 : (int)to;
    }
}

static void trace_sphere(const job *j, tile *t, int k)
{
    const double *c = j->at[3 * (size_t)k], r = j->scene->item[k].radius, rest = vec_dot(c, c) - r * r;
    bounds b = sphere_bounds(j, c, r);
    int low[2], high[2];
    sample_range(j, t, &b, low, high);
    for (int y = low[1]; y <= high[1]; ++y) {
        double dy = ray_y(j, t, y), ay = dy * dy + 1.0, by = dy * c[1] + c[2];
        float *depth = t->depth + y * t->side;
        int *item = t->item + y * t->side;
        for (int x = low[0]; x <= high[0]; ++x) {
            double dx = ray_x(j, t, x), a = dx * dx + ay, half = dx * c[0] + by, root = half * half - a * rest;
            float hit = (float)((half - sqrt(fmax(root, 0.0))) / a);
            if (root > 0.0 && hit > 0.0f && hit < depth[x]) depth[x] = hit, item[x] = k;
        }
    }
}

static void trace_triangle(const job *j, tile *t, int k)
{
    const double(*v)[3] = (const double(*)[3])(j->at + 3 * (size_t)k);
    double e[3][3], det;
    bounds b = corner_bounds(j, v, 3, 1.0);
    int low[2], high[2];
    sample_range(j, t, &b, low, high);
    for (int i = 0; i < 3; ++i) vec_cross(v[(i + 1) % 3], v[(i + 2) % 3], e[i]);
    det = vec_dot(v[0], e[0]);
    for (int y = low[1]; y <= high[1]; ++y) {
        double dy = ray_y(j, t, y);
        for (int x = low[0]; x <= high[0]; ++x) {
            double dx = ray_x(j, t, x), w[3];
            for (int i = 0; i < 3; ++i) w[i] = e[i][0] * dx + e[i][1] * dy + e[i][2];
            int inside = (w[0] >= 0.0 && w[1] >= 0.0 && w[2] >= 0.0) || (w[0] <= 0.0 && w[1] <= 0.0 && w[2] <= 0.0);
            float hit = (float)(det / (w[0] + w[1] + w[2]));
            int at = y * t->side + x;
            if (inside && hit > 0.0f && hit < t->depth[at]) t->depth[at] = hit, t->item[at] = k;
        }
    }
}

static void trace_plane(const job *j, tile *t, int k)
{
    const render_item *plane = &j->scene->item[k];
    double n[3];
    for (int i = 0; i < 3; ++i) n[i] = vec_dot(j->camera->axis[i], plane->normal);
    double height = vec_dot(j->at[3 * (size_t)k], n);
    if (height >= 0.0) return; /* the eye is behind it */
    for (int y = 0; y < t->side; ++y)
        for (int x = 0; x < t->side; ++x) {
            double facing = n[0] * ray_x(j, t, x) + n[1] * ray_y(j, t, y) + n[2];
            float hit = facing < 0.0 ? (float)(height / facing) : FLT_MAX;
            int at = y * t->side + x;
            if (hit < t->depth[at]) t->depth[at] = hit, t->item[at] = k;
        }
}

/// Lines lie over everything; a later one over an earlier one.
static void trace_line(const job *j, tile *t, int k)
{
    const render_line *l = &j->scene->line[k];
    double a[2], b[2], depth_a, depth_b;
    render_project(j->camera, j->im, l->from, a, &depth_a);
    render_project(j->camera, j->im, l->to, b, &depth_b);
    if (depth_a <= 1e-9 || depth_b <= 1e-9) return;
    bounds box = line_bounds(j, k);
    int low[2], high[2];
    sample_range(j, t, &box, low, high);
    double dx = b[0] - a[0], dy = b[1] - a[1], length = dx * dx + dy * dy;
    double half = 0.5 * line_pixels(j, l, 0.5 * (depth_a + depth_b));
    for (int y = low[1]; y <= high[1]; ++y)
        for (int x = low[0]; x <= high[0]; ++x) {
            double px = t->x0 + (x + 0.5) / j->samples - a[0], py = t->y0 + (y + 0.5) / j->samples - a[1];
            double s = length > 0.0 ? fmin(fmax((px * dx + py * dy) / length, 0.0), 1.0) : 0.0;
            if (hypot(px - s * dx, py - s * dy) <= half) t->line[y * t->side + x] = k;
        }
}

/* ---- shading ----------------------------------------------------------------------------------------------------------------- */

static void point_of(const job *j, const tile *t, int x, int y, double depth, double out[3])
{
    const render_camera *c = j->camera;
    double d[3] = {ray_x(j, t, x), ray_y(j, t, y), 1.0};
    for (int i = 0; i < 3; ++i)
        out[i] = c->eye[i] + depth * (d[0] * c->axis[0][i] + d[1] * c->axis[1][i] + d[2] * c->axis[2][i]);
}

static void normal_at(const render_item *item, const double x[3], double n[3])
{
    double arm[3], local[3];
    memcpy(n, item->normal, 3 * sizeof *n);
    if (item->kind == RENDER_SPHERE) vec_sub(x, item->point, n);
    else if (item->kind == RENDER_TRIANGLE && item->round) {
        vec_sub(x, item->frame, arm);
        quat_rotate_inverse(item->frame + 3, arm, local);
        if (scree_net_normal(item->round, local, arm)) quat_rotate(item->frame + 3, arm, n);
    }
    double length = vec_norm(n);
    for (int i = 0; i < 3; ++i) n[i] /= length > 0.0 ? length : 1.0;
}

/// 1 on a line of the grid, 0 between; every tenth of the distance wide enough for the eye, and never below a pixel.
static double grid_line(const job *j, const render_item *plane, const double x[3], double depth)
{
    double arm[3], covered = 0.0, pixel = 1.2 * j->scale * depth, width = fmax(0.012 * j->scene->grid, pixel);
    vec_sub(x, plane->point, arm);
    for (int i = 0; i < 2; ++i) {
        double at = vec_dot(arm, plane->side[i]) / j->scene->grid;
        double off = fabs(at - (double)(long)(at + (at < 0.0 ? -0.5 : 0.5))) * j->scene->grid;
        double strength = fmin(1.0, 0.012 * j->scene->grid / width + 0.35);
        covered = fmax(covered, off < 0.5 * width ? strength : 0.0);
    }
    return covered;
}

/// A plane is bright near the middle of the scene and fades into the background.
static double plane_presence(const job *j, const double x[3])
{
    double arm[3];
    vec_sub(x, j->scene->centre, arm);
    double far = vec_norm(arm) / (3.2 * j->scene->reach);
    return far >= 1.0 ? 0.0 : far <= 0.4 ? 1.0 : 0.5 + 0.5 * cos(3.14159265358979 * (far - 0.4) / 0.6);
}

/// Light and sheen of an item at a point, the same for all samples of a pixel that see it.
typedef struct lit {
    int item;
    double light, open, sheen, presence; /* presence: of a plane */
} lit;

static lit light_item(const job *j, int k, const double x[3])
{
    lit l = {.item = k, .presence = 1.0};
    double n[3], to_eye[3], half[3];
    const render_item *item = &j->scene->item[k];
    normal_at(item, x, n);
    vec_sub(j->camera->eye, x, to_eye);
    if (item->kind == RENDER_TRIANGLE && vec_dot(n, to_eye) < 0.0)
        for (int i = 0; i < 3; ++i) n[i] = -n[i]; /* seen from within */
    if (item->kind == RENDER_PLANE) l.presence = plane_presence(j, x);
    if (l.presence > 0.0) l.light = render_light_at(j->lights, x, n, &l.open);
    if (item->kind == RENDER_PLANE) return l;
    double length = vec_norm(to_eye);
    vec_add_scaled(render_sun(j->lights), 1.0 / length, to_eye, half);
    double shine = vec_dot(half, n) / vec_norm(half);
    l.sheen = shine > 0.0 ? 0.10 * pow(shine, 28.0) * (l.light / fmax(l.open, 1e-9)) : 0.0;
    return l;
}

static void shade_sample(const job *j, const tile *t, int x, int y, const lit *l, double out[3])
{
    const render_item *item = &j->scene->item[l->item];
    double p[3], depth = (double)t->depth[y * t->side + x], factor = l->light;
    if (item->kind != RENDER_PLANE) {
        if (item->stripe) {
            double arm[3];
            point_of(j, t, x, y, depth, p);
            vec_sub(p, item->point, arm);
            if (fabs(vec_dot(arm, item->stripe)) < 0.14 * item->radius) factor *= 0.3;
        }
        for (int i = 0; i < 3; ++i) out[i] = (double)item->albedo[i] * factor + l->sheen;
        return;
    }
    if (l->presence <= 0.0) return; /* the background */
    point_of(j, t, x, y, depth, p);
    factor = (1.0 - 0.20 * grid_line(j, item, p, depth)) * (l->open > 0.0 ? l->light / l->open : 1.0);
    for (int i = 0; i < 3; ++i)
        out[i] = l->presence * (double)item->albedo[i] * factor + (1.0 - l->presence) * j->background[i];
}

/// The mean of the samples of a pixel.
static void shade_pixel(const job *j, const tile *t, int px, int py)
{
    int n = j->samples, known = 0;
    lit cache[SAMPLE_TOTAL];
    double sum[3] = {0.0, 0.0, 0.0};
    for (int s = 0; s < n * n; ++s) {
        int x = px * n + s % n, y = py * n + s / n, at = y * t->side + x, k = t->item[at];
        double out[3] = {j->background[0], j->background[1], j->background[2]};
        if (t->line[at] >= 0) {
            colour c = j->scene->line[t->line[at]].colour;
            out[0] = render_linear(c.r), out[1] = render_linear(c.g), out[2] = render_linear(c.b);
        } else if (k >= 0) {
            int c = 0;
            double p[3];
            while (c < known && cache[c].item != k) ++c;
            if (c == known) {
                point_of(j, t, x, y, (double)t->depth[at], p);
                cache[known++] = light_item(j, k, p);
            }
            shade_sample(j, t, x, y, &cache[c], out);
        }
        for (int i = 0; i < 3; ++i) sum[i] += out[i];
    }
    unsigned char *to = j->im->rgb + 3 * ((size_t)(t->y0 + py) * (size_t)j->im->width + (size_t)(t->x0 + px));
    for (int i = 0; i < 3; ++i) to[i] = to_srgb(sum[i] / (n * n));
}

/* ---- the whole --------------------------------------------------------------------------------------------------------------- */

static void render_tile(const job *j, int k, tile *t)
{
    t->x0 = k % j->tiles_x * TILE, t->y0 = k / j->tiles_x * TILE, t->side = TILE * j->samples;
    for (int s = 0; s < t->side * t->side; ++s) t->depth[s] = FLT_MAX, t->item[s] = t->line[s] = -1;
    for (int e = j->items.first[k]; e < j->items.first[k + 1]; ++e) {
        int item = j->items.entry[e];
        switch (j->scene->item[item].kind) {
        case RENDER_SPHERE: trace_sphere(j, t, item); break;
        case RENDER_TRIANGLE: trace_triangle(j, t, item); break;
        case RENDER_PLANE: trace_plane(j, t, item); break;
        }
    }
    for (int e = j->lines.first[k]; e < j->lines.first[k + 1]; ++e) trace_line(j, t, j->lines.entry[e]);
    for (int y = 0; y < TILE && t->y0 + y < j->im->height; ++y)
        for (int x = 0; x < TILE && t->x0 + x < j->im->width; ++x) shade_pixel(j, t, x, y);
}

static void render_tiles(void *context, int begin, int end, int chunk, int worker)
{
    const job *j = context;
    (void)chunk, (void)worker;
    tile *t = cli_memory(sizeof *t);
    for (int k = begin; k < end; ++k) render_tile(j, k, t);
    free(t);
}

void render(const render_scene *scene, const render_camera *camera, int samples, scree_pool *pool, image *im)
{
    SCREE_ASSERT(samples >= 1 && samples <= SAMPLES_MAX);
    job j = {.scene = scene, .camera = camera, .im = im, .samples = samples};
    j.tiles_x = (im->width + TILE - 1) / TILE, j.tiles_y = (im->height + TILE - 1) / TILE;
    j.scale = 2.0 * camera->half_width / im->width;
    j.background[0] = render_linear(scene->background.r), j.background[1] = render_linear(scene->background.g);
    j.background[2] = render_linear(scene->background.b);
    j.at = cli_memory((3 * (size_t)scene->item_count + 1) * sizeof *j.at);
    for (int k = 0; k < scene->item_count; ++k) {
        const render_item *item = &scene->item[k];
        to_camera(camera, item->point, j.at[3 * (size_t)k]);
        for (int i = 0; i < 2 && item->kind == RENDER_TRIANGLE; ++i)
            to_camera(camera, item->side[i], j.at[3 * (size_t)k + 1 + (size_t)i]);
    }
    j.items = make_lists(&j, scene->item_count, item_bounds);
    j.lines = make_lists(&j, scene->line_count, line_bounds);
    double arm[3];
    vec_sub(scene->centre, camera->eye, arm);
    render_lights *lights = render_lights_create(scene, camera, j.scale * vec_norm(arm), pool);
    j.lights = lights;
    scree_pool_run(pool, j.tiles_x * j.tiles_y, 4, render_tiles, &j);
    render_lights_free(lights);
    free(j.at), free(j.items.first), free(j.items.entry), free(j.lines.first), free(j.lines.entry);
}
