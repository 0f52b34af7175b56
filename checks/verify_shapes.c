/* verify_shapes.c: rows of `scree verify` about meshes, hulls and cylinders: a surface of triangles is the surface it stands for, and what
 * stands, slides, rolls and tips does so where statics says. */
#include "checks/trial.h"
#include "cli/vector.h"

#include <stdlib.h>

#define DEGREE 0.017453292519943295

enum { CELLS = 40, SIDE = CELLS + 1 };

/* ---- surfaces ------------------------------------------------------------------------------------------------------------ */

/// The plane z = slope x over 20 m x 20 m, in triangles with corners moved at random within it.
static scree_geometry *triangle_plane(double slope)
{
    random_numbers r = random_start(7);
    double *point = malloc(3 * SIDE * SIDE * sizeof *point);
    int *triangle = malloc(6 * CELLS * CELLS * sizeof *triangle), count = 0;
    scree_geometry *g = NULL;
    for (int k = 0; point && k < SIDE * SIDE; ++k) {
        int row = k / SIDE;
        double x = -10.0 + 0.5 * (k % SIDE) + 0.3 * (random_fraction(&r) - 0.5);
        point[3 * k] = x, point[3 * k + 1] = -10.0 + 0.5 * row + 0.3 * (random_fraction(&r) - 0.5);
        point[3 * k + 2] = slope * x;
    }
    for (int k = 0; triangle && k < CELLS * CELLS; ++k) {
        int a = k / CELLS * SIDE + k % CELLS, b = a + 1, c = a + SIDE, d = c + 1;
        const int split[2][6] = {{a, b, c, b, d, c}, {a, b, d, a, d, c}};
        memcpy(triangle + 3 * (size_t)count, split[random_fraction(&r) < 0.5], sizeof split[0]);
        count += 2;
    }
    if (point && triangle) g = scree_geometry_mesh(point, SIDE * SIDE, triangle, count, SCREE_SIDES_AUTO, NULL, NULL);
    free(point), free(triangle);
    return g;
}

static scree_geometry *height_plane(double slope)
{
    double z[SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; ++k) z[k] = slope * 0.5 * (k % SIDE);
    return scree_geometry_heights(z, SIDE, SIDE, 0.5, NULL, NULL);
}

/// A fixed body of the surface, which the world then holds.
static void add_surface(trial *t, scree_geometry *g, const double at[3])
{
    if (!g) t->failed = 1;
    else trial_add(t, SCREE_BODY_FIXED, scree_shape_mesh(g, t->material), 0.0, at, NULL, NULL);
    scree_geometry_release(g);
}

/* ---- a ball on triangles ---------------------------------------------------------------------------------------------------- */

enum { ON_PLANE, ON_MESH, ON_HEIGHTS };

/// R 1, v 1, rho 0.02: rolls to rest after v^2 (1 + 2/5) R/(2 g rho), diagonally over the triangles.
static trial rolling(int floor, int *ball)
{
    set_up s = {{0.0, 0.0, -9.8}, 0.9, 0.02, 0.0, 0.0, 5e-3, SCREE_SCHEME_MOREAU_JEAN};
    trial t = trial_begin(&s, 1e-12);
    const double c = sqrt(0.5), x[3] = {-1.3, -1.7, 1.0}, v[3] = {c, c, 0.0}, w[3] = {-c, c, 0.0};
    const double corner[3] = {-10.0, -10.0, 0.0};
    if (floor == ON_PLANE) trial_floor(&t);
    if (floor == ON_MESH) add_surface(&t, triangle_plane(0.0), NULL);
    if (floor == ON_HEIGHTS) add_surface(&t, height_plane(0.0), corner);
    *ball = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_sphere(1.0, t.material), 10.0, x, v, w);
    trial_until(&t, 8.0);
    return t;
}

static finding mesh_ball_rest(int floor)
{
    int ball;
    trial t = rolling(floor, &ball);
    const double *x = trial_position(&t, ball);
    return trial_judge(&t, 1.4 / (2.0 * 9.8 * 0.02), hypot(x[0] + 1.3, x[1] + 1.7),
                       0.14 * 25e-6 / 8.0 / (1.4 / (2.0 * 9.8 * 0.02)), "the distance of the last step, |a| h^2/8");
}

/// The place where it ends, on triangles and on a plane.
static finding mesh_ball_plane(int floor)
{
    int ball, other;
    trial t = rolling(floor, &ball), u = rolling(ON_PLANE, &other);
    double apart = 0.0;
    for (int i = 0; i < 3; ++i) apart = fmax(apart, fabs(trial_position(&t, ball)[i] - trial_position(&u, other)[i]));
    if (u.failed) t.failed = 1;
    trial_end(&u);
    return trial_judge(&t, 0.0, apart, 1e-10, "rounding: the same contact, found another way, in 1,600 steps");
}

/// Highest speed along the normal while it rolls down a slope of triangles: no bumps.
static finding mesh_ball_bumps(int floor)
{
    set_up s = {{0.0, 0.0, -9.8}, 0.9, 0.0, 0.0, 0.0, 2e-3, SCREE_SCHEME_MOREAU_JEAN};
    trial t = trial_begin(&s, 1e-12);
    const double slope = -0.2, n[3] = {0.2 / sqrt(1.04), 0.0, 1.0 / sqrt(1.04)};
    const double x[3] = {-5.0 + 0.2 * n[0], 0.1, 1.0 + 0.2 * n[2] - 1e-6}, corner[3] = {-10.0, -10.0, 2.0};
    if (floor == ON_MESH) add_surface(&t, triangle_plane(slope), NULL);
    else add_surface(&t, height_plane(slope), corner);
    int ball = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.2, t.material), 10.0, x, NULL, NULL);
    double worst = 0.0;
    for (int k = 0; k < 500 && trial_step(&t); ++k) {
        const double *v = trial_velocity(&t, ball);
        if (k < 10) continue; /* until it lies on the surface, not a rounding above */
        worst = fmax(worst, fabs(v[0] * n[0] + v[2] * n[2]));
    }
    return trial_judge(&t, 0.0, worst, 1e-9, "rounding of the normals, times a speed of 2 m/s, in 500 steps");
}

/// A ball of 1 cm, shot at triangles with 300 m/s, at h = 1 ms: 30 radii in a step. Anitescu-Tasora asks for gap + h u_N >= 0 at the end of
/// the step, of every contact within reach of the step, so it must not get through.
static finding fast_ball(int slope)
{
    set_up s = {{0.0, 0.0, 0.0}, 0.5, 0.0, 0.0, 0.0, 1e-3, SCREE_SCHEME_ANITESCU_TASORA};
    trial t = trial_begin(&s, 1e-10);
    add_surface(&t, triangle_plane(0.1 * slope), NULL);
    const double x[3] = {0.3, 0.4, 2.0}, v[3] = {30.0, -20.0, -300.0};
    int ball = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.01, t.material), 1.0, x, v, NULL);
    double lowest = 1.0;
    for (int k = 0; k < 100 && trial_step(&t); ++k) {
        const double *p = trial_position(&t, ball);
        if (fabs(p[0]) < 9.0 && fabs(p[1]) < 9.0) lowest = fmin(lowest, p[2] - 0.1 * slope * p[0]);
    }
    return trial_judge(&t, 0.0, lowest < 0.0 ? 1.0 : 0.0, 0.0, "gets through or not");
}

/* ---- thresholds ------------------------------------------------------------------------------------------------------------- */

enum { A_BOX, A_CYLINDER, A_HULL };

/// A body of radius or half width 0.2 and height 1 (h/2 = 0.5) stands on an incline of tan a = 0.4 +- 2 percent, where it tips; or (mu 0.3)
/// of tan a = 0.3 +- 2 percent, where it slides. Gravity is turned, the floor is level.
static trial upright(int kind, double tangent, double mu, int *body)
{
    double c = 1.0 / sqrt(1.0 + tangent * tangent);
    set_up s = {{9.81 * c * tangent, 0.0, -9.81 * c}, mu, 0.0, 0.0, 0.0, 2e-3, SCREE_SCHEME_MOREAU_JEAN};
    trial t = trial_begin(&s, 1e-10);
    double x[3] = {0.0, 0.0, 0.5}, corner[24];
    scree_geometry *g = NULL;
    scree_shape shape = scree_shape_box(0.2, 0.2, 0.5, t.material);
    trial_floor(&t);
    for (int v = 0; v < 8; ++v)
        for (int i = 0; i < 3; ++i) corner[3 * v + i] = (v >> i & 1 ? 1.0 : -1.0) * shape.size[i];
    if (kind == A_CYLINDER) shape = scree_shape_cylinder(0.2, 0.5, t.material);
    if (kind == A_HULL) {
        g = scree_geometry_hull(corner, 8, NULL, NULL);
        if (!g) t.failed = 1;
        else shape = scree_shape_hull(g, 1.0, t.material);
    }
    *body = t.failed ? 0 : trial_add(&t, SCREE_BODY_DYNAMIC, shape, 10.0, x, NULL, NULL);
    scree_geometry_release(g);
    return t;
}

/// The height of its centre after a second, below and above the angle where it tips (kind + 8: above).
static finding tips(int kind)
{
    int body, above = kind >= 8;
    trial t = upright(kind % 8, above ? 0.408 : 0.392, 1.0, &body);
    trial_until(&t, above ? 3.0 : 1.0);
    double z = trial_position(&t, body)[2];
    if (!above) return trial_judge(&t, 0.5, z, 1e-9, "it stands: the solver's 1e-10 in 500 steps");
    return trial_judge(&t, 0.0, z < 0.45 ? 0.0 : 1.0, 0.0, "tips or not");
}

static finding stands_on_slope(int kind)
{
    int body;
    trial t = upright(kind, 0.294, 0.3, &body);
    trial_until(&t, 0.5);
    return trial_judge(&t, 0.0, trial_creep(&t, 1.0), 0.0, "what rests, rests: not one bit"); /* not one bit */
}

/// tan a = 0.36: slides with g (sin a - mu cos a) for a second.
static finding slides_on_slope(int kind)
{
    int body;
    trial t = upright(kind, 0.36, 0.3, &body);
    trial_until(&t, 1.0);
    double c = 1.0 / sqrt(1.0 + 0.36 * 0.36);
    return trial_judge(&t, 9.81 * c * 0.06, trial_velocity(&t, body)[0], 500 * 1e-10,
                       "speeds under constant forces are exact: the solver's 1e-10 in 500 steps");
}

/// A lying cylinder rolls down with 2/3 g sin a.
static finding cylinder_rolls(int floor)
{
    double c = cos(20.0 * DEGREE), sine = sin(20.0 * DEGREE);
    set_up s = {{9.81 * sine, 0.0, -9.81 * c}, 0.5, 0.0, 0.0, 0.0, 1e-3, SCREE_SCHEME_MOREAU_JEAN};
    trial t = trial_begin(&s, 1e-10);
    scree_body_def def = scree_body_def_of(scree_shape_cylinder(0.2, 0.5, t.material));
    if (floor == ON_PLANE) trial_floor(&t);
    else add_surface(&t, triangle_plane(0.0), NULL);
    def.mass = 5.0;
    def.position[2] = 0.2, def.rotation[0] = sqrt(0.5), def.rotation[1] = sqrt(0.5); /* its axis along y */
    int body = trial_body(&t, &def);
    trial_until(&t, 1.0);
    return trial_judge(&t, 2.0 / 3.0 * 9.81 * sine, trial_velocity(&t, body)[0], 1e-3,
                       "first order: less than the speed that one step gives, g sin(a) h");
}

/// Thirty blocks on each other, each turned by a right angle: boxes, or hulls of their corners.
static finding tower(int kind)
{
    set_up s = {{0.0, 0.0, -9.81}, 0.5, 0.0, 0.0, 0.0, 5e-3, SCREE_SCHEME_MOREAU_JEAN};
    trial t = trial_begin(&s, 1e-12);
    const double half[3] = {0.06, 0.012, 0.004}; /* 120 x 24 x 8 mm */
    double corner[24];
    for (int v = 0; v < 8; ++v)
        for (int i = 0; i < 3; ++i) corner[3 * v + i] = v >> i & 1 ? half[i] : -half[i];
    scree_geometry *g = scree_geometry_hull(corner, 8, NULL, NULL);
    t.failed |= !g;
    trial_floor(&t);
    for (int k = 0; k < 30 && !t.failed; ++k) {
        scree_shape block = kind == A_HULL ? scree_shape_hull(g, 1.0, t.material)
                                           : scree_shape_box(half[0], half[1], half[2], t.material);
        scree_body_def def = scree_body_def_of(block);
        def.position[2] = half[2] * (2 * k + 1);
        if (k % 2) def.rotation[0] = sqrt(0.5), def.rotation[3] = sqrt(0.5);
        trial_body(&t, &def);
    }
    scree_geometry_release(g);
    trial_until(&t, 1.0);
    return trial_judge(&t, 0.0, trial_creep(&t, 2.0), 0.0, "what rests, rests: not one bit"); /* not one bit */
}

const check verify_shapes_checks[] = {
    {"mesh-ball/rest", "m", "a ball rolls to rest on a plane of triangles: the position from theory", mesh_ball_rest,
     ON_MESH},
    {"mesh-ball/plane", "m", "the same ball on a plane: difference of the final positions", mesh_ball_plane, ON_MESH},
    {"mesh-ball/heights", "m", "the same on a height field", mesh_ball_plane, ON_HEIGHTS},
    {"mesh-ball/bumps", "m/s", "a ball rolls down a slope of triangles: highest speed across it", mesh_ball_bumps,
     ON_MESH},
    {"mesh-ball/bumps-heights", "m/s", "the same on a height field", mesh_ball_bumps, ON_HEIGHTS},
    {"mesh-ball/fast", "", "a ball of 1 cm at 300 m/s and h = 1 ms: 1 if it gets through triangles", fast_ball, 0},
    {"mesh-ball/fast-slope", "", "the same on a slope", fast_ball, 3},
    {"incline/box-stands", "m", "a box at 98 % of the angle of friction: change of any position in 1 s",
     stands_on_slope, A_BOX},
    {"incline/cylinder-stands", "m", "an upright cylinder, likewise", stands_on_slope, A_CYLINDER},
    {"incline/hull-stands", "m", "a box made as a hull, likewise", stands_on_slope, A_HULL},
    {"incline/box-slides", "m/s", "a box at 120 % of the angle of friction: speed after 1 s", slides_on_slope, A_BOX},
    {"incline/cylinder-slides", "m/s", "an upright cylinder, likewise", slides_on_slope, A_CYLINDER},
    {"incline/hull-slides", "m/s", "a box made as a hull, likewise", slides_on_slope, A_HULL},
    {"incline/box-before-tipping", "m", "a box at 98 % of the slope at which it tips: height of its centre", tips,
     A_BOX},
    {"incline/box-tips", "", "the same at 102 %: 1 if it still stands after 3 s", tips, A_BOX + 8},
    {"incline/cylinder-before", "m", "a cylinder at 98 % of the slope at which it tips: height of its centre", tips,
     A_CYLINDER},
    {"incline/cylinder-tips", "", "the same at 102 %: 1 if it still stands after 3 s", tips, A_CYLINDER + 8},
    {"incline/cylinder-rolls", "m/s", "a lying cylinder: speed after 1 s on 20 degrees", cylinder_rolls, ON_PLANE},
    {"incline/cylinder-rolls-mesh", "m/s", "the same on triangles", cylinder_rolls, ON_MESH},
    {"tower/boxes", "m", "thirty blocks on each other: change of any position in 2 s", tower, A_BOX},
    {"tower/hulls", "m", "the same as hulls", tower, A_HULL},
    {NULL, NULL, NULL, NULL, 0}};
