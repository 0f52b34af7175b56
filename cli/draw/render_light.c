/* render_light.c: how much light arrives at a point (render.h).
 *
 * A light is a direction d with a map: for every line along d through the scene, the height (along d) of the topmost surface. A point is
 * lit if nothing of the map lies above it. The sun is SUN directions within SUN_ANGLE, so that shadows are sharp where things touch
 * and soften with distance; the sky is SKY directions spread over the half-space above, so that narrow places are darker. Directions come from
 * the golden spiral. Cost: every item once in every map, and one look into every map for every pixel. */
#include "cli/draw/render.h"

#include "cli/system.h"
#include "cli/vector.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { SUN = 12, SKY = 32, LIGHTS = SUN + SKY, MAP_MAX = 1024, MAP_MIN = 128 };
static const double GOLDEN = 2.39996322972865332;
static const double SUN_ANGLE = 0.07, SUN_SHARE = 0.62, BOUNCE = 0.16; /* light from below, off the ground */

typedef struct light {
    double to[3], u[3], v[3]; /* towards the light; the axes of the map */
    double weight, texel;     /* texel [m] */
    int size;
    float *height; /* (size x size) */
} light;

struct render_lights {
    const render_scene *scene;
    double sun[3];
    light light[LIGHTS];
    /* The same by quantity, for render_light_at, which goes through all lights for every pixel. */
    float axis[3][3][LIGHTS]; /* u, v, to; x, y, z          */
    float scale[LIGHTS], middle[LIGHTS], texel[LIGHTS], weight[LIGHTS];
};

/* ---- directions ------------------------------------------------------------------------------------------------------------- */

/// `finest`: the size of a texel that shows everything [m].
static void set_light(const render_scene *scene, light *l, const double direction[3], double finest)
{
    l->size = MAP_MIN;
    while (l->size < MAP_MAX && 2.0 * scene->reach / l->size > finest) l->size *= 2;
    l->texel = 2.0 * scene->reach / (l->size - 4);
    memcpy(l->to, direction, sizeof l->to);
    vec_tangent(l->to, l->u);
    vec_cross(l->to, l->u, l->v);
}

/// The direction at angle `polar` from the axis, turned by `around`.
static void tilted(const double axis[3], double polar, double around, double direction[3])
{
    double t[3], s[3];
    vec_tangent(axis, t);
    vec_cross(axis, t, s);
    for (int i = 0; i < 3; ++i)
        direction[i] = cos(polar) * axis[i] + sin(polar) * (cos(around) * t[i] + sin(around) * s[i]);
}

/// `least`: the size of the smallest thing that is seen [m]. The sun stands behind the left shoulder of who looks, 50 degrees high.
static void place_lights(render_lights *all, const render_camera *camera, double least)
{
    const double *up = all->scene->up, *forward = camera->axis[2];
    double level[3], right[3], d[3], length;
    vec_add_scaled(forward, -vec_dot(forward, up), up, level);
    length = vec_norm(level);
    if (length < 1e-6) vec_add_scaled(camera->axis[1], -2.0, camera->axis[1], level), length = vec_norm(level);
    for (int i = 0; i < 3; ++i) level[i] /= length;
    vec_cross(level, up, right);
    for (int i = 0; i < 3; ++i) all->sun[i] = 0.766 * up[i] - 0.643 * (0.53 * level[i] + 0.848 * right[i]);
    length = vec_norm(all->sun);
    for (int i = 0; i < 3; ++i) all->sun[i] /= length;
    for (int k = 0; k < LIGHTS; ++k) {
        light *l = &all->light[k];
        double share = k < SUN ? (k + 0.5) / SUN : (k - SUN + 0.5) / SKY;
        if (k < SUN) tilted(all->sun, SUN_ANGLE * sqrt(share), GOLDEN * k, d);
        else tilted(up, acos(1.0 - 0.93 * share), GOLDEN * k, d);
        set_light(all->scene, l, d, k < SUN ? least / 5.0 : least / 2.0);
        l->weight = 1.0;
    }
    for (int sun = 0; sun < 2; ++sun) { /* a level ground in the open receives 1 */
        double sum = 0.0;
        int from = sun ? 0 : SUN, to = sun ? SUN : LIGHTS;
        for (int k = from; k < to; ++k) sum += vec_dot(all->light[k].to, up);
        for (int k = from; k < to; ++k) all->light[k].weight = (sun ? SUN_SHARE : 1.0 - SUN_SHARE) / sum;
    }
}

static void gather_lights(render_lights *all)
{
    for (int k = 0; k < LIGHTS; ++k) {
        const light *l = &all->light[k];
        for (int i = 0; i < 3; ++i) {
            all->axis[0][i][k] = (float)l->u[i], all->axis[1][i][k] = (float)l->v[i];
            all->axis[2][i][k] = (float)l->to[i];
        }
        all->scale[k] = (float)(1.0 / l->texel), all->texel[k] = (float)l->texel;
        all->middle[k] = 0.5f * (float)(l->size - 1); /* texel k is at k, not at k + 1/2 */
        all->weight[k] = (float)l->weight;
    }
}

/* ---- maps -------------------------------------------------------------------------------------------------------------------- */

/// Place on the map [texels] and height of a point.
static void on_map(const render_lights *all, const light *l, const double x[3], double place[3])
{
    double d[3];
    vec_sub(x, all->scene->centre, d);
    place[0] = vec_dot(d, l->u) / l->texel + 0.5 * l->size;
    place[1] = vec_dot(d, l->v) / l->texel + 0.5 * l->size;
    place[2] = vec_dot(d, l->to);
}

static int clamp_texel(const light *l, double x)
{
    return x < 0.0 ? 0 : x > l->size - 1.0 ? l->size - 1 : (int)x;
}

static void map_sphere(const render_lights *all, const light *l, const render_item *s)
{
    double c[3], r = s->radius / l->texel;
    on_map(all, l, s->point, c);
    for (int y = clamp_texel(l, c[1] - r); y <= clamp_texel(l, c[1] + r); ++y) {
        double dy = y + 0.5 - c[1], half = sqrt(fmax(r * r - dy * dy, 0.0));
        float *row = l->height + (size_t)y * (size_t)l->size;
        for (int x = clamp_texel(l, c[0] - half); x <= clamp_texel(l, c[0] + half); ++x) {
            double dx = x + 0.5 - c[0], rise = r * r - dx * dx - dy * dy;
            float height = (float)(c[2] + l->texel * sqrt(fmax(rise, 0.0)));
            if (rise >= 0.0 && height > row[x]) row[x] = height;
        }
    }
}

static void map_triangle(const render_lights *all, const light *l, const render_item *t)
{
    double p[3][3];
    on_map(all, l, t->point, p[0]);
    on_map(all, l, t->side[0], p[1]);
    on_map(all, l, t->side[1], p[2]);
    double area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
    if (fabs(area) < 1e-12) return;
    double low[2], high[2];
    for (int i = 0; i < 2; ++i)
        low[i] = fmin(p[0][i], fmin(p[1][i], p[2][i])), high[i] = fmax(p[0][i], fmax(p[1][i], p[2][i]));
    for (int y = clamp_texel(l, low[1]); y <= clamp_texel(l, high[1]); ++y)
        for (int x = clamp_texel(l, low[0]); x <= clamp_texel(l, high[0]); ++x) {
            double qx = x + 0.5 - p[0][0], qy = y + 0.5 - p[0][1];
            double b = (qx * (p[2][1] - p[0][1]) - qy * (p[2][0] - p[0][0])) / area;
            double c = (qy * (p[1][0] - p[0][0]) - qx * (p[1][1] - p[0][1])) / area;
            float height = (float)(p[0][2] + b * (p[1][2] - p[0][2]) + c * (p[2][2] - p[0][2]));
            float *there = l->height + (size_t)y * (size_t)l->size + (size_t)x;
            if (b >= 0.0 && c >= 0.0 && b + c <= 1.0 && height > *there) *there = height;
        }
}

static void draw_maps(void *context, int begin, int end, int chunk, int worker)
{
    render_lights *all = context;
    (void)chunk, (void)worker;
    for (int k = begin; k < end; ++k) {
        light *l = &all->light[k];
        size_t texels = (size_t)l->size * (size_t)l->size;
        for (size_t i = 0; i < texels; ++i) l->height[i] = -FLT_MAX;
        for (int i = 0; i < all->scene->item_count; ++i) {
            const render_item *item = &all->scene->item[i];
            if (item->kind == RENDER_SPHERE) map_sphere(all, l, item);
            else if (item->kind == RENDER_TRIANGLE) map_triangle(all, l, item);
        }
    }
}

render_lights *render_lights_create(const render_scene *scene, const render_camera *camera, double pixel,
                                    scree_pool *pool)
{
    render_lights *all = cli_memory(sizeof *all);
    double least = HUGE_VAL;
    for (int i = 0; i < scene->item_count; ++i)
        if (scene->item[i].kind == RENDER_SPHERE) least = fmin(least, scene->item[i].radius);
    all->scene = scene;
    place_lights(all, camera, fmax(least == HUGE_VAL ? 0.0 : least, 4.0 * pixel));
    for (int k = 0; k < LIGHTS; ++k) {
        size_t texels = (size_t)all->light[k].size * (size_t)all->light[k].size;
        all->light[k].height = cli_memory(texels * sizeof(float));
    }
    gather_lights(all);
    scree_pool_run(pool, LIGHTS, 1, draw_maps, all);
    return all;
}

void render_lights_free(render_lights *lights)
{
    for (int k = 0; k < LIGHTS; ++k) free(lights->light[k].height);
    free(lights);
}

const double *render_sun(const render_lights *lights)
{
    return lights->sun;
}

/* ---- light at a point ----------------------------------------------------------------------------------------------------------- */

/// The share of the four texels about (fx, fy) that let light through to height z.
static float seen(const light *l, float fx, float fy, float z)
{
    float most = (float)(l->size - 1);
    if (!(fx >= 0.0f && fy >= 0.0f && fx < most && fy < most)) return 1.0f;
    int ix = (int)fx, iy = (int)fy;
    const float *h = l->height + (size_t)iy * (size_t)l->size + (size_t)ix;
    fx -= (float)ix, fy -= (float)iy;
    float upper = (h[0] <= z ? 1.0f - fx : 0.0f) + (h[1] <= z ? fx : 0.0f);
    float lower = (h[l->size] <= z ? 1.0f - fx : 0.0f) + (h[l->size + 1] <= z ? fx : 0.0f);
    return upper + fy * (lower - upper);
}

double render_light_at(const render_lights *lights, const double x[3], const double normal[3], double *open)
{
    const render_lights *all = lights;
    float p[3], n[3], fx[LIGHTS], fy[LIGHTS], z[LIGHTS], facing[LIGHTS], sum = 0.0f, most = 0.0f;
    for (int i = 0; i < 3; ++i) p[i] = (float)(x[i] - all->scene->centre[i]), n[i] = (float)normal[i];
    for (int k = 0; k < LIGHTS; ++k) { /* p + 1.5 texels n: a little above the surface, or it would shade itself */
        float at[3], lift[3];
        for (int i = 0; i < 3; ++i) {
            at[i] = all->axis[i][0][k] * p[0] + all->axis[i][1][k] * p[1] + all->axis[i][2][k] * p[2];
            lift[i] = all->axis[i][0][k] * n[0] + all->axis[i][1][k] * n[1] + all->axis[i][2][k] * n[2];
        }
        fx[k] = at[0] * all->scale[k] + 1.5f * lift[0] + all->middle[k];
        fy[k] = at[1] * all->scale[k] + 1.5f * lift[1] + all->middle[k];
        z[k] = at[2] + all->texel[k] * (1.5f * lift[2] + 0.5f);
        facing[k] = lift[2] > 0.0f ? lift[2] * all->weight[k] : 0.0f;
    }
    for (int k = 0; k < LIGHTS; ++k) {
        if (facing[k] == 0.0f) continue;
        most += facing[k];
        sum += facing[k] * seen(&all->light[k], fx[k], fy[k], z[k]);
    }
    double below = BOUNCE * 0.5 * (1.0 - vec_dot(normal, all->scene->up));
    *open = (double)most + below;
    return (double)sum + below;
}
