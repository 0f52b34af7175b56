/* test_world.c: bodies, materials and motions, judged by closed forms and by numerical integration. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collision/collide.h"
#include "math/eigen.h"
#include "math/quat.h"
#include "math/rng.h"
#include "world_scene.h"

#include <stdlib.h>
#include <string.h>

/* ---- mass ----------------------------------------------------------------------------------------------------------------- */

static void simple_shapes_have_their_moments(void **state)
{
    (void)state;
    scree_world *w = make_world(NULL, NULL);
    int m = add_material(w, "m", 3.0, 0.5, 0.0);
    scree_shape shape[3] = {scree_shape_box(1.0, 2.0, 3.0, scree_material_at(m)),
                            scree_shape_ellipsoid(1.0, 2.0, 3.0, scree_material_at(m)),
                            scree_shape_capsule(0.5, 1.0, scree_material_at(m))};
    for (int i = 0; i < 3; ++i) {
        scree_body_def def = scree_body_def_default();
        def.shapes = &shape[i], def.shape_count = 1;
        add(w, &def);
    }
    double box = 3.0 * 48.0, ellipsoid = 3.0 * 4.0 / 3.0 * PI * 6.0;
    close_to(scree_world_mass(w, scree_body_at(0)), box, 1e-12);
    for (int k = 0; k < 3; ++k) {
        double a = 1.0 + (k + 1) % 3, b = 1.0 + (k + 2) % 3;
        close_to(scree_world_inertia(w, scree_body_at(0))[k], box * (a * a + b * b) / 3.0, 1e-12 * box);
        close_to(scree_world_inertia(w, scree_body_at(1))[k], ellipsoid * (a * a + b * b) / 5.0, 1e-12 * ellipsoid);
    }
    /* cylinder and two half balls, their centres of mass 3/8 r beyond the ends */
    double cylinder = 3.0 * PI * 0.25 * 2.0, half_ball = 3.0 * 2.0 / 3.0 * PI * 0.125, arm = 1.0 + 3.0 / 8.0 * 0.5;
    double across = cylinder * (0.25 / 4.0 + 4.0 / 12.0) + 2.0 * half_ball * (83.0 / 320.0 * 0.25 + arm * arm);
    close_to(scree_world_mass(w, scree_body_at(2)), cylinder + 2.0 * half_ball, 1e-12);
    close_to(scree_world_inertia(w, scree_body_at(2))[0], across, 1e-12);
    close_to(scree_world_inertia(w, scree_body_at(2))[2], 0.5 * cylinder * 0.25 + 2.0 * half_ball * 0.4 * 0.25, 1e-12);
    scree_world_destroy(w);
}

/// Mass, centre and tensor of three disjoint shapes of different density, by the midpoint rule.
static void integrate(const scree_shape *shape, const double *density, int count, double *mass, double c[3],
                      double J[9])
{
    enum { N = 160 };
    const double side = 2.0, cell = 2.0 * side / N;
    double first[3] = {0}, second[9] = {0};
    *mass = 0.0;
    for (int i = 0; i < N * N * N; ++i) {
        int at[3] = {i % N, i / N % N, i / N / N};
        double x[3];
        for (int k = 0; k < 3; ++k) x[k] = (at[k] + 0.5) * cell - side;
        for (int s = 0; s < count; ++s) {
            double r[3], p[3];
            vec_sub(x, shape[s].position, r);
            quat_rotate_inverse(shape[s].rotation, r, p);
            int inside = shape[s].kind == SCREE_SHAPE_SPHERE
                             ? vec_norm(p) <= shape[s].size[0]
                             : fabs(p[0]) <= shape[s].size[0] && fabs(p[1]) <= shape[s].size[1] &&
                                   fabs(p[2]) <= shape[s].size[2];
            double m = inside ? density[s] * cell * cell * cell : 0.0;
            *mass += m;
            for (int k = 0; k < 3; ++k) first[k] += m * x[k];
            for (int k = 0; k < 9; ++k) second[k] += m * x[k / 3] * x[k % 3];
        }
    }
    for (int k = 0; k < 3; ++k) c[k] = first[k] / *mass;
    double trace = second[0] + second[4] + second[8] - *mass * vec_dot(c, c);
    for (int k = 0; k < 9; ++k) J[k] = (k % 4 == 0 ? trace : 0.0) - (second[k] - *mass * c[k / 3] * c[k % 3]);
}

static void compounds_agree_with_numerical_integration(void **state)
{
    (void)state;
    scree_world *w = make_world(NULL, NULL);
    int light = add_material(w, "light", 1.0, 0.5, 0.0), heavy = add_material(w, "heavy", 4.0, 0.5, 0.0);
    scree_shape shape[3] = {scree_shape_sphere(0.6, scree_material_at(heavy)),
                            scree_shape_box(0.5, 0.3, 0.4, scree_material_at(light)),
                            scree_shape_sphere(0.4, scree_material_at(light))};
    const double density[3] = {4.0, 1.0, 1.0};
    double turn[3] = {0.3, -0.5, 0.8};
    shape[0].position[0] = 0.9, shape[1].position[1] = -0.8, shape[1].position[2] = 0.3;
    shape[2].position[0] = -0.5, shape[2].position[1] = 0.7, shape[2].position[2] = -0.9;
    quat_exp(turn, shape[1].rotation);
    scree_body_def def = scree_body_def_default();
    def.shapes = shape, def.shape_count = 3;
    def.position[0] = 5.0, def.position[1] = -2.0;
    def.velocity[2] = 1.0, def.spin[1] = 2.0;
    double tilt[3] = {1.0, 0.2, -0.4};
    quat_exp(tilt, def.rotation);
    int b = add(w, &def);

    double mass, c[3], J[9], R[9], q[4], own[9], x[3], world_c[3];
    integrate(shape, density, 3, &mass, c, J);
    close_to(scree_world_mass(w, scree_body_at(b)), mass, 2e-3 * mass); /* surface cells: 160 across 4 m */
    /* the tensor in the user's frame: axes of the body, seen from there */
    quat_mul((const double[4]){def.rotation[0], -def.rotation[1], -def.rotation[2], -def.rotation[3]},
             scree_world_rotations(w) + 4 * b, q);
    quat_matrix(q, R);
    mat_turned_diagonal(R, scree_world_inertia(w, scree_body_at(b)), own);
    for (int k = 0; k < 9; ++k) close_to(own[k], J[k], 4e-3 * (J[0] + J[4] + J[8]));
    quat_rotate(def.rotation, c, world_c);
    vec_add_scaled(def.position, 1.0, world_c, world_c);
    for (int k = 0; k < 3; ++k) close_to(scree_world_positions(w)[3 * b + k], world_c[k], 2e-3);
    /* the user's frame comes back, and so do shapes and spin */
    scree_world_frame(w, scree_body_at(b), x, q);
    for (int k = 0; k < 3; ++k) close_to(x[k], def.position[k], 1e-14);
    for (int k = 0; k < 4; ++k) close_to(q[k], def.rotation[k], 1e-14);
    body_spin_world(w, b, x);
    for (int k = 0; k < 3; ++k) close_to(x[k], def.spin[k], 1e-14);
    for (int i = 0; i < 3; ++i) {
        double at[3], expected[3];
        quat_rotate(scree_world_rotations(w) + 4 * b, scree_world_shape(w, scree_shape_at(i))->position, at);
        vec_add_scaled(at, 1.0, scree_world_positions(w) + 3 * b, at);
        quat_rotate(def.rotation, shape[i].position, expected);
        for (int k = 0; k < 3; ++k) close_to(at[k], expected[k] + def.position[k], 1e-14);
        assert_int_equal(scree_body_index(scree_world_shape_body(w, scree_shape_at(i))), b);
    }
    scree_world_destroy(w);
}

static void principal_axes_are_exact_and_stay(void **state)
{
    (void)state;
    rng r = rng_make(5, 0);
    for (int i = 0; i < 2000; ++i) {
        double a[3], R[9], A[9], d[3], E[9], back[9], q[4], again[9], size = pow(10.0, 6.0 * rng_uniform(&r) - 3.0);
        for (int k = 0; k < 3; ++k) a[k] = 6.0 * rng_uniform(&r) - 3.0, d[k] = size * (0.1 + rng_uniform(&r));
        if (i % 4 == 0) d[1] = d[0]; /* a body of revolution */
        quat_exp(a, q);
        quat_matrix(q, R);
        mat_turned_diagonal(R, d, A);
        for (int k = 0; k < 9; ++k) A[k] = k / 3 <= k % 3 ? A[k] : A[3 * (k % 3) + k / 3];
        symmetric_eigen(A, d, E);
        mat_turned_diagonal(E, d, back);
        for (int k = 0; k < 9; ++k) close_to(back[k], A[k], 1e-14 * size);
        matrix_quat(E, q);
        quat_matrix(q, again);
        for (int k = 0; k < 9; ++k) close_to(again[k], E[k], 2e-15);
        double n[3] = {E[0], E[3], E[6]}, t[3] = {E[1], E[4], E[7]}, c[3];
        vec_cross(n, t, c);
        close_to(c[0] * E[2] + c[1] * E[5] + c[2] * E[8], 1.0, 1e-14); /* right-handed */
    }
    double A[9] = {2.0, 1e-17, 0.0, 1e-17, 2.0, -1e-16, 0.0, -1e-16, 2.0}, d[3], E[9]; /* noise turns nothing */
    symmetric_eigen(A, d, E);
    for (int k = 0; k < 9; ++k) assert_true(E[k] == (k % 4 == 0));

    /* one shape alone: not a bit of its pose changes */
    scree_world *w = make_world(NULL, NULL);
    scree_body_def def = scree_body_def_default();
    scree_shape box = scree_shape_box(1.0, 2.0, 3.0, scree_material_at(add_material(w, "m", 1.0, 0.0, 0.0)));
    double turn[3] = {0.1, 0.2, 0.3};
    quat_exp(turn, def.rotation), quat_normalise(def.rotation);
    def.shapes = &box, def.shape_count = 1, def.position[0] = 0.1;
    int b = add(w, &def);
    double q[4];
    memcpy(q, def.rotation, sizeof q), quat_normalise(q);
    assert_memory_equal(scree_world_rotations(w) + 4 * b, q, sizeof q);
    assert_memory_equal(scree_world_positions(w) + 3 * b, def.position, sizeof def.position);
    assert_memory_equal(scree_world_shape(w, scree_shape_at(0))->rotation, box.rotation, sizeof box.rotation);
    assert_memory_equal(scree_world_shape(w, scree_shape_at(0))->position, box.position, sizeof box.position);
    scree_world_destroy(w);
}

/* ---- what is wrong is said --------------------------------------------------------------------------------------------- */

static void refused(scree_world *w, const scree_body_def *def, const char *words)
{
    scree_error error = {0};
    int bodies = scree_world_body_count(w), shapes = scree_world_shape_count(w);
    uint64_t before = scree_world_hash(w);
    error = (scree_error){0};
    scree_world_add_body(w, def, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    if (!strstr(error.text, words)) print_message("\"%s\" lacks \"%s\"\n", error.text, words);
    assert_non_null(strstr(error.text, words));
    assert_int_equal(scree_world_body_count(w), bodies);
    assert_int_equal(scree_world_shape_count(w), shapes);
    assert_true(scree_world_hash(w) == before);
}

/// Two spheres with the mass properties of a box that is rotated and elsewhere: the world has those, and the spheres where they were.
static void mass_properties_may_be_given_apart_from_the_shapes(void **state)
{
    (void)state;
    scree_world *w = make_world(NULL, NULL);
    const scree_material_id stone = scree_material_at(add_material(w, "stone", 2500.0, 0.5, 0.0));
    scree_body_def def = scree_body_def_default();
    scree_shape shape[2] = {scree_shape_sphere(0.1, stone), scree_shape_sphere(0.2, stone)};
    scree_error error = {0};
    const double centre[3] = {0.3, -0.2, 0.1}, inertia[3] = {0.5, 0.7, 0.9}, axes[4] = {0.8, 0.0, 0.6, 0.0},
                 turn[4] = {0.6, 0.0, 0.0, 0.8}, at[3] = {1.0, 2.0, 3.0};
    shape[1].position[0] = 0.5;
    def.shapes = shape, def.shape_count = 2, def.mass = 4.0;
    memcpy(def.inertia, inertia, sizeof inertia), memcpy(def.inertia_axes, axes, sizeof axes);
    memcpy(def.centre, centre, sizeof centre), memcpy(def.rotation, turn, sizeof turn);
    memcpy(def.position, at, sizeof at);
    scree_body_id b = scree_world_add_body(w, &def, &error);
    assert_int_equal(error.status, SCREE_OK);
    double x[3], q[4], p[3], moved[3];
    quat_rotate(turn, centre, moved);
    quat_mul(turn, axes, q);
    for (int k = 0; k < 3; ++k) {
        close_to(scree_world_positions(w)[k], at[k] + moved[k], 1e-15);
        close_to(scree_world_inertia(w, b)[k], inertia[k], 0.0);
    }
    for (int k = 0; k < 4; ++k) close_to(scree_world_rotations(w)[k], q[k], 1e-15);
    for (int s = 0; s < 2; ++s) { /* where the shapes were put */
        quat_rotate(turn, shape[s].position, moved);
        world_shape_centre(w, s, p);
        for (int k = 0; k < 3; ++k) close_to(p[k], at[k] + moved[k], 1e-15);
    }
    scree_world_frame(w, b, x, q);
    for (int k = 0; k < 3; ++k) close_to(x[k], at[k], 1e-15);
    def.inertia_axes[0] = def.inertia_axes[2] = 0.0; /* along the frame of the shapes */
    b = scree_world_add_body(w, &def, &error);
    for (int k = 0; k < 4; ++k) close_to(scree_world_rotations(w)[4 + k], turn[k], 1e-15);
    scree_world_destroy(w);
}

static void bad_bodies_are_refused_in_words(void **state)
{
    (void)state;
    scree_world *w = make_world(NULL, NULL);
    int stone = add_material(w, "stone", 2500.0, 0.5, 0.0), ghost = add_material(w, "ghost", 0.0, 0.5, 0.0);
    scree_shape sphere = scree_shape_sphere(0.1, scree_material_at(stone)), shape = sphere;
    scree_body_def good = scree_body_def_default(), def;
    good.shapes = &shape, good.shape_count = 1, good.name = "grain";
    static const double backwards[2] = {1.0, 0.5}, zeros[6] = {0}, nowhere = (double)NAN;
    scree_geometry *hill = scree_geometry_heights(zeros, 2, 2, 1.0, NULL, NULL);
    assert_non_null(hill);
#define REFUSED(change, words) (def = good, shape = sphere, (change), refused(w, &def, (words)))
    REFUSED(shape.material = scree_material_at(ghost),
            "body 'grain': shape 0 is of material 'ghost', which has no density");
    REFUSED(shape.material = scree_material_at(7), "has material 7, but the world has 2");
    REFUSED(shape.size[0] = -0.1, "the radius is -0.1 m, expected a positive length");
    REFUSED(shape.size[0] = (double)NAN, "expected a positive length");
    REFUSED(shape = scree_shape_plane(scree_material_at(stone)), "is a plane");
    REFUSED(shape = scree_shape_box(1.0, 0.0, 1.0, scree_material_at(stone)), "half length along y is 0 m");
    REFUSED(shape.rotation[0] = 0.0, "is no quaternion");
    REFUSED(shape.kind = SCREE_SHAPE_KIND_COUNT, "is of kind 11");
    REFUSED((shape = scree_shape_tube(0.0, 0.0, 1.0, scree_material_at(stone)), def.kind = SCREE_BODY_FIXED),
            "its radii are 0 and 0 m and its half length is 1 m");
    REFUSED((shape = scree_shape_bowl(1.0, 2.5, scree_material_at(stone)), def.kind = SCREE_BODY_FIXED),
            "its depth is 2.5 m, expected at most two radii, 2 m");
    REFUSED(shape = scree_shape_bowl(1.0, 1.0, scree_material_at(stone)), "a surface without mass");
    REFUSED(def.shape_count = 0, "it has no shape");
    REFUSED(def.position[1] = (double)INFINITY, "position[1] is inf");
    REFUSED(def.velocity[2] = (double)NAN, "velocity[2] is");
    REFUSED(memset(def.rotation, 0, sizeof def.rotation), "(0, 0, 0, 0) is no quaternion");
    REFUSED(def.mass = -1.0, "its mass is -1 kg");
    REFUSED((def.mass = 1.0, def.inertia[0] = 1.0), "expected three positive numbers");
    REFUSED((def.inertia[0] = 1.0, def.inertia[1] = 1.0, def.inertia[2] = 3.0), "belongs to no body");
    REFUSED((def.motion.amplitude[0] = 1.0), "only driven bodies");
    REFUSED((def.kind = SCREE_BODY_FIXED, def.velocity[0] = 1.0), "but it is fixed");
    REFUSED((def.force = (scree_table){2, backwards, zeros}), "must ascend, but 0.5 s follows 1 s");
    REFUSED((def.kind = SCREE_BODY_FIXED, def.force = (scree_table){1, zeros, zeros}), "only dynamic bodies feel one");
    REFUSED((def.kind = SCREE_BODY_DRIVEN, def.spin[0] = 1.0), "but it is driven: expected a motion");
    REFUSED(def.kind = SCREE_BODY_REMOVED, "its kind is 3, expected dynamic, fixed or driven");
    REFUSED((def.moment = (scree_table){-1, zeros, zeros}), "the table of its moment has -1 points");
    REFUSED((def.force = (scree_table){1, &nowhere, zeros}), "time 0 of its force is nan, expected a finite number");
    REFUSED(def.centre[0] = def.centre[1] = def.centre[2] = 0.0, "expected its mass and inertia too");
    REFUSED((def.mass = 1.0, def.inertia_axes[0] = 1.0), "expected its mass and inertia too");
    REFUSED((def.mass = def.inertia[0] = def.inertia[1] = def.inertia[2] = 1.0, def.centre[1] = 0.0), "centre");
    REFUSED(shape.size[0] = 1e-200, "its mass is 0 kg and its inertia (0, 0, 0) kg m^2, expected positive numbers");
    REFUSED(shape.kind = SCREE_SHAPE_HULL, "shape 0 (hull) has no points, expected those of a hull");
    REFUSED((shape.kind = SCREE_SHAPE_HULL, shape.geometry = hill),
            "has the points of another kind, expected those of a hull");
    REFUSED(shape.geometry = hill, "shape 0 (sphere) has points, which only a hull or mesh has");
    REFUSED((shape.kind = SCREE_SHAPE_MESH, shape.geometry = hill), "shape 0 is a mesh, a surface without mass");
    good.kind = SCREE_BODY_DRIVEN;
    REFUSED((def.motion.servo.axis[0] = 2.0), "the axis of its servo has length 2, expected 1");
    REFUSED((def.motion.servo.axis[0] = 1.0), "the gain of its servo is 0 m/(N s), expected more than 0");
    REFUSED((def.motion.servo = (scree_pressure_control){.axis = {1.0, 0.0, 0.0}, .gain = 1.0, .speed = -2.0}),
            "its servo has force 0 N and speed -2 m/s, expected numbers, the speed not negative");
    good.kind = SCREE_BODY_DYNAMIC;
#undef REFUSED
    scree_geometry_release(hill);
    shape = sphere;
    shape.material = scree_material_at(ghost), good.mass = 2.0; /* its mass will do */
    for (int k = 0; k < 4; ++k) good.rotation[k] = 3.0;
    add(w, &good);
    close_to(scree_world_rotations(w)[0], 0.5, 1e-15);
    close_to(scree_world_mass(w, scree_body_at(0)), 2.0, 0.0);

    scree_error error = {0};
    scree_material bad = {.soft = scree_dem_default(), .name = "mud", .friction = {.restitution = 1.5}};
    scree_world_add_material(w, &bad, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "material 'mud': the restitution is 1.5, expected a number from 0 to 1"));
    error = (scree_error){0};
    assert_int_equal(scree_world_set_pair(w, scree_material_at(0), scree_material_at(9), &bad.friction, &error),
                     SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "no material 9"));
    scree_world_destroy(w);
}

static void bad_materials_are_refused_in_words(void **state)
{
    (void)state;
    scree_world *w = make_world(NULL, NULL);
    scree_dem dem[3] = {scree_dem_default(), scree_dem_default(), scree_dem_default()};
    dem[0].young = 0.0, dem[1].poisson = 0.7, dem[2].damping = -1.0;
    const struct {
        scree_material material;
        const char *words;
    } bad[] = {
        {{.density = -1.0},
         "the density is -1 kg/m^3, expected a positive number, or 0 for bodies that give their mass"},
        {{.friction = {.mu = -0.5}}, "the friction coefficient is -0.5, expected 0 or more"},
        {{.friction = {.stiffness = -1.0}}, "the contact stiffness is -1 N/m, expected 0 (rigid) or more"},
        {{.friction = {.rolling = {-1.0, 1}}},
         "the rolling friction is -1, expected a length of 0 or more, or a ratio of the radius"},
        {{.friction = {.spinning = {0.1, 3}}}, "the spinning friction is of kind 3, expected a scree_length_kind"},
        {{.friction = {.rolling = {0.2, SCREE_LENGTH_REDUCED}, .rolling_static = {0.1, SCREE_LENGTH_REDUCED}}},
         "the static rolling friction is 0.1, expected at least 0.2"},
        {{.friction = {.rolling = {0.2, 1}, .rolling_static = {0.1, 1}}},
         "the static rolling friction is 0.1, expected at least 0.2"},
        {{.soft = dem[0]}, "dem: young is 0, expected more than 0"},
        {{.soft = dem[1]}, "dem: poisson is 0.7, expected 0 or more, at most 0.5"},
        {{.soft = dem[2]}, "expected 0 or more"},
        {{.density = 1.0}, "dem: stiffness is 0, expected more than 0"}, /* a zeroed struct */
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        scree_material m = bad[k].material;
        scree_error error = {0};
        m.name = "mud";
        scree_world_add_material(w, &m, &error);
        assert_int_equal(error.status, SCREE_ERR_INPUT);
        if (!strstr(error.text, bad[k].words)) fail_msg("'%s' has not '%s'", error.text, bad[k].words);
        assert_non_null(strstr(error.text, "material 'mud': "));
    }
    scree_world_destroy(w);
}

static void bad_options_of_a_world_are_refused_in_words(void **state)
{
    (void)state;
    static const char *const words[] = {"gravity[1] is nan, expected a finite number",
                                        "the contact margin is -1 m, expected 0 or more",
                                        "the speed limit is -1 m/s, expected 0 (none) or more",
                                        "the periodic axis y goes from 1 to 0 m, expected low below high"};
    for (int k = 0; k < 4; ++k) {
        scree_world_options o = scree_world_options_default();
        scree_world *none = NULL;
        scree_error error = {0};
        if (k == 0) o.gravity[1] = (double)NAN;
        if (k == 1) o.margin = -1.0;
        if (k == 2) o.speed_limit = -1.0;
        if (k == 3) o.periodic[1] = 1, o.low[1] = 1.0;
        error = (scree_error){0};
        none = scree_world_create(&o, &error);
        assert_int_equal(error.status, SCREE_ERR_INPUT);
        assert_string_equal(error.text, words[k]);
        assert_null(none);
    }
    scree_error error = {0};
    assert_null(scree_geometry_heights(NULL, 1, 4, 0.5, NULL, &error));
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    assert_string_equal(
        error.text, "a grid of 1 x 4 heights with cells of 0.5 m, expected 2 x 2 to 1e8 heights and cells above 0 m");
}

static void planar_worlds_stay_in_their_plane(void **state)
{
    (void)state;
    scree_world_options options = scree_world_options_default();
    scree_error error = {0};
    scree_world *none = NULL;
    options.planar = SCREE_PLANAR_XY;
    none = scree_world_create(&options, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "gravity"));
    assert_null(none);
    options.planar = SCREE_PLANAR_XZ;
    scree_world *w = make_world(&options, NULL);
    int m = add_material(w, "m", 1000.0, 0.5, 0.1);
    add_floor(w, m);
    scree_shape shape = scree_shape_sphere(0.1, scree_material_at(m));
    scree_body_def good = scree_body_def_default(), def;
    good.shapes = &shape, good.shape_count = 1, good.position[2] = 0.1, good.velocity[0] = 1.0, good.spin[1] = 2.0;
    def = good, def.position[1] = 0.1, refused(w, &def, "centre of mass (0, 0.1, 0.1) is not in the plane of motion");
    def = good, def.velocity[1] = 0.1, refused(w, &def, "velocity (1, 0.1, 0) is not in the plane");
    def = good, def.spin[0] = 0.1, refused(w, &def, "spin (0.1, 2, 0) is not along the normal");
    add(w, &good);
    assert_int_equal(scree_world_detect(w, 1e-3, NULL, NULL), SCREE_OK);
    assert_int_equal(scree_world_contact_count(w), 1);
    const scree_contact_point *c = scree_world_contacts(w);
    double t2[3];
    vec_cross(c->normal, c->tangent, t2);
    assert_true(t2[0] == 0.0 && t2[1] == 1.0 && t2[2] == 0.0);
    assert_int_equal(scree_cone_dim(&c->cone), 3);
    assert_int_equal(c->cone.size[SCREE_FRICTION_SLIDE], 1);
    assert_int_equal(c->cone.size[SCREE_FRICTION_ROLL], 1);
    /* a skew body: only the moment about the normal counts, and that one is right */
    scree_shape box = scree_shape_box(0.1, 0.2, 0.3, scree_material_at(m));
    def = good, def.shapes = &box, def.position[2] = 5.0;
    double tilt[3] = {0.4, 0.0, 0.7}, J[9], R[9], own[3];
    quat_exp(tilt, def.rotation);
    int b = add(w, &def);
    shape_unit_inertia(&box, own);
    quat_matrix(def.rotation, R);
    mat_turned_diagonal(R, own, J);
    double n[3] = {0.0, 1.0, 0.0}, local[3], moment = 0.0;
    quat_rotate_inverse(scree_world_rotations(w) + 4 * b, n, local);
    for (int k = 0; k < 3; ++k) moment += local[k] * local[k] * scree_world_inertia(w, scree_body_at(b))[k];
    close_to(moment, J[4] * scree_world_mass(w, scree_body_at(b)), 1e-14);
    assert_true(fabs(local[0]) > 1.0 - 1e-12 || fabs(local[1]) > 1.0 - 1e-12 || fabs(local[2]) > 1.0 - 1e-12);
    /* a box that stands on the floor: four corners, two of them in the plane */
    box = scree_shape_box(0.2, 0.3, 0.1, scree_material_at(m));
    def = good, def.shapes = &box, def.position[0] = 3.0;
    b = add(w, &def);
    assert_int_equal(scree_world_detect(w, 1e-3, NULL, NULL), SCREE_OK);
    int points = 0;
    for (int i = 0; i < scree_world_contact_count(w); ++i)
        if (scree_world_contacts(w)[i].body_b == b) {
            close_to(scree_world_contacts(w)[i].position[1], 0.0, 0.0);
            ++points;
        }
    assert_int_equal(points, 2);
    scree_world_destroy(w);
}

/* ---- materials --------------------------------------------------------------------------------------------------------- */

static void pairs_override_mixtures(void **state)
{
    (void)state;
    scree_world_options options = scree_world_options_default();
    options.mix_friction = SCREE_MIX_GEOMETRIC, options.mix_rolling = SCREE_MIX_MIN,
    options.mix_spinning = SCREE_MIX_MEAN;
    options.mix_restitution = SCREE_MIX_MAX;
    scree_world *w = make_world(&options, NULL);
    scree_material a = {.soft = scree_dem_default(),
                        .name = "a",
                        .density = 1.0,
                        .friction = {.mu = 0.2, .rolling = {0.1, 1}, .spinning = {0.02, 1}, .restitution = 0.3}};
    scree_material b = {
        .soft = scree_dem_default(),
        .name = "b",
        .density = 1.0,
        .friction = {.mu = 0.8, .rolling = {0.004, 0}, .spinning = {0.04, 1}, .restitution = 0.1, .stiffness = 1e6}};
    scree_world_add_material(w, &a, NULL);
    scree_world_add_material(w, &b, NULL);
    for (int i = 0; i < 20; ++i) add_material(w, "filler", 1.0, 0.1 * i, 0.0); /* the table grows */
    scree_friction f = scree_world_pair(w, scree_material_at(1), scree_material_at(0));
    close_to(f.mu, 0.4, 1e-16);
    close_to(f.spinning.value, 0.03, 1e-17);
    assert_int_equal(f.spinning.kind, SCREE_LENGTH_RATIO);
    close_to(f.restitution, 0.3, 0.0);
    close_to(f.stiffness, 1e6, 0.0); /* the other one is rigid */
    assert_true(isnan(f.rolling.value));
    /* a ratio of 0.1 and a length of 4 mm: 4 mm at radius 0.1 m, the ratio at 0.02 m */
    for (int i = 0; i < 2; ++i) {
        double radius = i ? 0.02 : 0.1;
        add_sphere(w, 10.0 * i, 0.0, 0.0, radius, 0);
        add_sphere(w, 10.0 * i, 0.0, 0.2 + radius, 0.2, 1);
    }
    assert_int_equal(scree_world_detect(w, 1e-4, NULL, NULL), SCREE_OK);
    assert_int_equal(scree_world_contact_count(w), 2);
    close_to(scree_world_contacts(w)[0].cone.coef[SCREE_FRICTION_ROLL], 0.004, 1e-18);
    close_to(scree_world_contacts(w)[1].cone.coef[SCREE_FRICTION_ROLL], 0.002, 1e-18);
    close_to(scree_world_contacts(w)[1].cone.coef[SCREE_FRICTION_SPIN], 0.03 * 0.02, 1e-18);
    scree_friction own = {.mu = 0.9, .restitution = 0.7};
    assert_int_equal(scree_world_set_pair(w, scree_material_at(0), scree_material_at(1), &own, NULL), SCREE_OK);
    close_to(scree_world_pair(w, scree_material_at(0), scree_material_at(1)).mu, 0.9, 0.0);
    close_to(scree_world_pair(w, scree_material_at(1), scree_material_at(0)).mu, 0.9, 0.0);
    close_to(scree_world_pair(w, scree_material_at(0), scree_material_at(0)).mu, 0.2, 1e-16);
    add_material(w, "one more", 1.0, 1.0, 0.0);
    assert_int_equal(scree_world_detect(w, 1e-4, NULL, NULL), SCREE_OK);
    close_to(scree_world_contacts(w)[0].cone.coef[SCREE_FRICTION_SLIDE], 0.9, 0.0);
    assert_int_equal(scree_world_contacts(w)[0].cone.size[SCREE_FRICTION_ROLL], 0);
    close_to(scree_world_contacts(w)[0].restitution, 0.7, 0.0);
    scree_world_destroy(w);
}

/* ---- motion ------------------------------------------------------------------------------------------------------------ */

static void driven_bodies_follow_their_integrals(void **state)
{
    (void)state;
    scree_world *w = make_world(NULL, NULL);
    int m = add_material(w, "m", 1.0, 0.5, 0.0);
    scree_shape shape = scree_shape_box(1.0, 1.0, 1.0, scree_material_at(m));
    static const double time[4] = {0.5, 1.0, 1.0, 2.0}, velocity[12] = {1, 0, 0, 3, 0, 0, -1, 2, 0, -1, 4, 0};
    static const double spin_time[1] = {0.0}, spin[3] = {0.0, 0.0, 0.7};
    scree_body_def def = scree_body_def_default();
    def.shapes = &shape, def.shape_count = 1, def.kind = SCREE_BODY_DRIVEN, def.position[2] = 2.0;
    def.motion = (scree_motion){.velocity = {4, time, velocity},
                                .spin = {1, spin_time, spin},
                                .amplitude = {0, 0, 0.3},
                                .frequency = 1.5,
                                .phase = 0.4};
    int b = add(w, &def);
    close_to(scree_world_positions(w)[3 * b + 2], 2.0 + 0.3 * sin(0.4), 1e-16);
    double x[3], q[4], v[3], omega[3];
    memcpy(x, w->x[b], sizeof x), memcpy(q, w->q[b], sizeof q);
    for (int step = 0; step < 37; ++step) { /* steps of uneven length, across the kinks and the jump */
        double h = 0.05 + 0.01 * (step % 3), t = w->time, turn[3], dq[4], to[4];
        body_driven_velocity(w, b, t, h, v, omega);
        for (int k = 0; k < 3; ++k) x[k] += h * v[k], turn[k] = h * omega[k];
        quat_exp(turn, dq);
        quat_mul(dq, q, to);
        memcpy(q, to, sizeof q);
        w->time += h;
    }
    double t = w->time; /* 2.2 s: x: 0.5 + 1 - 1 (t - 1); y: 3 + 4 (t - 2) */
    assert_true(t > 2.0);
    close_to(x[0], 0.5 + 1.0 - (t - 1.0), 1e-13);
    close_to(x[1], 3.0 + 4.0 * (t - 2.0), 1e-13);
    close_to(x[2], 2.0 + 0.3 * sin(2.0 * PI * 1.5 * t + 0.4), 1e-13);
    close_to(q[0], cos(0.35 * t), 1e-13);
    close_to(q[3], sin(0.35 * t), 1e-13);
    double pose_x[3], pose_q[4];
    body_driven_pose(w, b, t, pose_x, pose_q);
    for (int k = 0; k < 3; ++k) close_to(pose_x[k], x[k], 1e-13);
    for (int k = 0; k < 4; ++k) close_to(pose_q[k], q[k], 1e-13);
    body_driven_velocity(w, b, 0.75, 0.0, v, omega); /* at an instant */
    close_to(v[0], 2.0, 1e-15);
    close_to(v[2], 0.3 * 3.0 * PI * cos(3.0 * PI * 0.75 + 0.4), 1e-14);
    scree_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_shapes_have_their_moments),
        cmocka_unit_test(compounds_agree_with_numerical_integration),
        cmocka_unit_test(principal_axes_are_exact_and_stay),
        cmocka_unit_test(mass_properties_may_be_given_apart_from_the_shapes),
        cmocka_unit_test(bad_bodies_are_refused_in_words),
        cmocka_unit_test(bad_materials_are_refused_in_words),
        cmocka_unit_test(bad_options_of_a_world_are_refused_in_words),
        cmocka_unit_test(planar_worlds_stay_in_their_plane),
        cmocka_unit_test(pairs_override_mixtures),
        cmocka_unit_test(driven_bodies_follow_their_integrals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
