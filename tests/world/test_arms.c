/* test_arms.c: rolling and spinning friction as a length, as a share of the smaller radius and as one of the reduced radius
 * R_a R_b/(R_a + R_b): which arm a contact gets, in every scheme, and that the bodies feel it. */
#include "soft_scene.h"
#include "world/world_private.h"

enum { STIFFNESS = 100000 };

static scree_material rubber_with(scree_friction_length rolling, scree_friction_length spinning)
{
    scree_material m = soft_rubber(0.5, 0.5, 0.0, STIFFNESS, 5e4);
    m.friction.rolling = rolling, m.friction.spinning = spinning;
    return m;
}

static void fixed_sphere(scree_world *world, double radius, double z)
{
    scree_body_def def = scree_body_def_default();
    scree_shape shape = scree_shape_sphere(radius, scree_material_at(0));
    scree_error error = {0};
    def.kind = SCREE_BODY_FIXED, def.shapes = &shape, def.shape_count = 1, def.position[2] = z;
    scree_world_add_body(world, &def, &error);
    expect_ok(error.status, &error);
}

/// A ball of 1 m and 1 kg on one of 3 m (below z = 0), or on the plane z = 0; pressed in by its weight.
static scree_world *on_top(int plane, scree_friction_length rolling, scree_friction_length spinning)
{
    scree_material m = rubber_with(rolling, spinning);
    scree_world *world = soft_world(&m, 9.81, 0.0, NULL);
    if (plane) scene_floor(world);
    else fixed_sphere(world, 3.0, -3.0);
    scene_sphere(world, 1.0, 1.0, 0.0, 0.0, 1.0 - 9.81 / STIFFNESS);
    return world;
}

static void the_contact_has_its_arm_in_every_scheme(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEMES; ++scheme)
        for (int plane = 0; plane < 2; ++plane)
            for (int kind = SCREE_LENGTH_ABSOLUTE; kind <= SCREE_LENGTH_REDUCED; ++kind) {
                const double unit = kind == SCREE_LENGTH_REDUCED && !plane ? 0.75 : 1.0; /* 1 x 3/(1 + 3) */
                scree_world *world =
                    on_top(plane, (scree_friction_length){0.1, kind}, (scree_friction_length){0.04, kind});
                scree_stepper *stepper = scheme_stepper(scheme);
                scene_step(stepper, world);
                if (scheme >= 2) assert_int_equal(world->holder.engine != NULL, (scheme == 3));
                assert_int_equal(scree_world_contact_count(world), 1);
                const scree_contact_point *t = scree_world_contacts(world);
                assert_true(t->cone.coef[SCREE_FRICTION_ROLL] == 0.1 * unit &&
                            t->coef_static[SCREE_FRICTION_ROLL] == 0.1 * unit);
                assert_true(t->cone.coef[SCREE_FRICTION_SPIN] == 0.04 * unit);
                soft_finish(world, stepper);
            }
}

/// A ball that spins on its lowest point slows down by sigma N/I, I = 2/5 kg m^2.
static void a_spinning_ball_feels_the_arm_in_every_scheme(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEMES; ++scheme)
        for (int plane = 0; plane < 2; ++plane) {
            scree_world *world = on_top(plane, (scree_friction_length){0.1, SCREE_LENGTH_REDUCED},
                                        (scree_friction_length){0.1, SCREE_LENGTH_REDUCED});
            scree_stepper *stepper = scheme_stepper(scheme);
            scree_error error = {0};
            const double sigma = plane ? 0.1 : 0.075;
            int steps = scheme < 2 ? 100 : 1000; /* 0.1 s */
            scene_move(world, 1, (const double[3]){0, 0, 0}, (const double[3]){0, 0, 5.0});
            expect_ok(scree_advance(stepper, world, steps, NULL, &error), &error);
            double first = scree_world_angular_velocities(world)[3 + 2]; /* the spin of soft contacts has wound up */
            expect_ok(scree_advance(stepper, world, steps, NULL, &error), &error);
            double slower = (first - scree_world_angular_velocities(world)[3 + 2]) / 0.1;
            if (!(fabs(slower - sigma * 9.81 / 0.4) < (scheme < 2 ? 1e-8 : 1e-4)))
                fail_msg("scheme %d, plane %d: slows down by %.9g, expected %.9g", scheme, plane, slower,
                         sigma * 9.81 / 0.4);
            soft_finish(world, stepper);
        }
}

/// Balls that are no spheres count as spheres of their volume, planes as infinite.
static void other_shapes_have_the_radius_of_their_volume(void **state)
{
    (void)state;
    const double half = 0.5 * cbrt(4.0 / 3.0 * PI), at[3] = {0, 0, half}; /* the cube of the unit sphere's volume */
    scree_material m = rubber_with((scree_friction_length){0.1, SCREE_LENGTH_REDUCED}, (scree_friction_length){0.0, 0});
    scree_world *world = soft_world(&m, 9.81, 0.0, NULL);
    scene_floor(world);
    soft_body(world, scree_shape_box(half, half, half, scree_material_at(0)), 1.0, at, NULL);
    scene_sphere(world, 3.0, 1.0, 0.0, 0.0, 2.0 * half + 3.0);
    assert_int_equal(scree_world_detect(world, 1e-3, NULL, NULL), SCREE_OK);
    const scree_contact_point *t = scree_world_contacts(world);
    int count = scree_world_contact_count(world);
    assert_int_equal(count, 5); /* four corners on the floor, the ball on top */
    for (int k = 0; k < count; ++k) {
        double expected = 0.1 * (t[k].body_b == 2 ? 0.75 : 1.0);
        assert_true(fabs(t[k].cone.coef[SCREE_FRICTION_ROLL] - expected) < 1e-15);
    }
    scree_world_destroy(world);
}

/// What two materials of different kinds give: their lengths at the contact are mixed, by the world's rule.
static void arms_of_different_kinds_mix_as_lengths(void **state)
{
    (void)state;
    static const struct {
        scree_friction_length a, b;
        double length[2]; /* a, b where balls of 1 and 3 m meet */
    } cases[] = {{{0.1, SCREE_LENGTH_RATIO}, {0.2, SCREE_LENGTH_REDUCED}, {0.1, 0.15}},
                 {{0.12, SCREE_LENGTH_ABSOLUTE}, {0.2, SCREE_LENGTH_REDUCED}, {0.12, 0.15}},
                 {{0.3, SCREE_LENGTH_REDUCED}, {0.2, SCREE_LENGTH_REDUCED}, {0.225, 0.15}},
                 {{0.0, SCREE_LENGTH_ABSOLUTE}, {0.2, SCREE_LENGTH_REDUCED}, {0.0, 0.15}}};
    static const scree_mixing rule[] = {SCREE_MIX_MIN, SCREE_MIX_MAX, SCREE_MIX_MEAN, SCREE_MIX_GEOMETRIC};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        for (size_t r = 0; r < sizeof rule / sizeof *rule; ++r) {
            scree_world_options options = scree_world_options_default();
            scree_material m[2] = {rubber_with(cases[k].a, cases[k].b), rubber_with(cases[k].b, cases[k].a)};
            scree_world *world;
            scree_error error = {0};
            int differ = k < 2;
            options.mix_rolling = options.mix_spinning = rule[r];
            world = scree_world_create(&options, &error);
            expect_ok(error.status, &error);
            for (int i = 0; i < 2; ++i) {
                scree_world_add_material(world, &m[i], &error);
                expect_ok(error.status, &error);
                scree_body_def def = scree_body_def_default();
                scree_shape shape = scree_shape_sphere(i ? 3.0 : 1.0, scree_material_at(i));
                def.shapes = &shape, def.shape_count = 1, def.position[0] = i ? 4.0 : 0.0;
                scree_world_add_body(world, &def, &error);
                expect_ok(error.status, &error);
            }
            assert_int_equal(
                isnan(scree_world_pair(world, scree_material_at(0), scree_material_at(1)).rolling.value) != 0, differ);
            if (!differ)
                assert_int_equal(scree_world_pair(world, scree_material_at(0), scree_material_at(1)).rolling.kind,
                                 SCREE_LENGTH_REDUCED);
            assert_int_equal(scree_world_detect(world, 1e-3, NULL, NULL), SCREE_OK);
            assert_int_equal(scree_world_contact_count(world), 1);
            const double *coef = scree_world_contacts(world)->cone.coef;
            double expected = mix_values(rule[r], cases[k].length[0], cases[k].length[1]);
            assert_true(fabs(coef[SCREE_FRICTION_ROLL] - expected) < 1e-15 &&
                        fabs(coef[SCREE_FRICTION_SPIN] - expected) < 1e-15);
            scree_world_destroy(world);
        }
}

/// Two materials of different kinds: the fast engine takes them where each has one size, and leaves them where one has several; which kind
/// counts may then change from pair to pair.
static void mixtures_of_kinds_are_for_the_general_stages(void **state)
{
    (void)state;
    for (int sizes = 1; sizes <= 2; ++sizes) {
        scree_material m[2] = {
            rubber_with((scree_friction_length){0.1, SCREE_LENGTH_RATIO}, (scree_friction_length){0.0, 0}),
            rubber_with((scree_friction_length){0.005, SCREE_LENGTH_ABSOLUTE}, (scree_friction_length){0.0, 0})};
        scree_world *world = soft_world(&m[0], 9.81, 0.0, NULL);
        scree_stepper *stepper = scheme_stepper(3);
        scree_error error = {0};
        scree_world_add_material(world, &m[1], &error);
        expect_ok(error.status, &error);
        for (int k = 0; k < 4; ++k) {
            scree_shape shape = scree_shape_sphere(k == 0 && sizes == 2 ? 0.02 : 0.1, scree_material_at(k % 2));
            const double at[3] = {0.3 * k, 0.0, 0.0};
            soft_body(world, shape, 1.0, at, NULL);
        }
        scene_step(stepper, world);
        assert_int_equal(world->holder.engine != NULL, (sizes == 1));
        soft_finish(world, stepper);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_contact_has_its_arm_in_every_scheme),
        cmocka_unit_test(a_spinning_ball_feels_the_arm_in_every_scheme),
        cmocka_unit_test(other_shapes_have_the_radius_of_their_volume),
        cmocka_unit_test(arms_of_different_kinds_mix_as_lengths),
        cmocka_unit_test(mixtures_of_kinds_are_for_the_general_stages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
