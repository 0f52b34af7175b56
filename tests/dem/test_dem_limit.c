/* test_dem_limit.c: one critical step: what the check says, what both engines refuse, and what is stable. */
#include "soft_scene.h"

#include "laws/dem_normal.h"
#include "world/world_private.h"

#include <string.h>

/// Place k of a lattice of `side` x `side` x any, in pitches.
static void lattice(int k, int side, double pitch, double at[3])
{
    const int place[3] = {k % side, k / side % side, k / (side * side)};
    for (int i = 0; i < 3; ++i) at[i] = pitch * place[i];
}

/* ---- check and run ------------------------------------------------------------------------------------------------------------- */

static scree_stepper *stepper_of(double h, int bed)
{
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = SCREE_SCHEME_DEM, options.step = h,
    options.engine = bed ? SCREE_ENGINE_AUTO : SCREE_ENGINE_GENERAL;
    return scene_stepper(&options, NULL);
}

/// What the check says of a step. `critical` may be NULL.
static int check_takes(const scree_world *world, double h, int bed, double *critical)
{
    scree_stepper *stepper = stepper_of(h, bed);
    scree_error error = {.text = ""};
    scree_status status = scree_stepper_check(stepper, world, critical, &error);
    if (status && !strstr(error.text, "beyond the critical step of ")) fail_msg("%s", error.text);
    scree_stepper_destroy(stepper);
    return status == SCREE_OK;
}

typedef scree_world *(*make_world)(int count);

/// What the first step of a run says of it, and that a refusal leaves the world as it was.
static int run_takes(make_world make, int count, double h, int bed)
{
    scree_world *world = make(count);
    scree_stepper *stepper = stepper_of(h, bed);
    scree_error error = {.text = ""};
    uint64_t hash = scree_world_hash(world);
    scree_status status = scree_step(stepper, world, &error);
    if (status && !strstr(error.text, "beyond the critical step of ")) fail_msg("%s", error.text);
    if (status) assert_true(scree_world_hash(world) == hash);
    else
        assert_true((world->holder.engine != NULL) ==
                    bed); /* the worlds here are such that the engine for spheres can have them */
    soft_finish(world, stepper);
    return status == SCREE_OK;
}

/// The largest step that is taken, to 1e-12 of it.
static double largest_step(make_world make, int count, int bed, int run)
{
    scree_world *world = make(count);
    double low = 1e-9, high = 1.0;
    while (high > low * (1.0 + 1e-12)) {
        double middle = low < 0.9 * high ? sqrt(low * high) : 0.5 * (low + high);
        int taken = run ? run_takes(make, count, middle, bed) : check_takes(world, middle, bed, NULL);
        if (taken) low = middle;
        else high = middle;
        if (!(middle > low || middle < high)) break;
    }
    scree_world_destroy(world);
    return low;
}

static void one_limit(make_world make, int count)
{
    scree_world *world = make(count);
    double critical;
    check_takes(world, 1e-9, 1, &critical);
    scree_world_destroy(world);
    for (int bed = 0; bed < 2; ++bed)
        for (int run = 0; run < 2; ++run) {
            double largest = largest_step(make, count, bed, run);
            if (!(fabs(largest / critical - 1.0) < 1e-9))
                fail_msg("%d grains, bed %d, %s: %.15g, announced %.15g", count, bed, run ? "run" : "check", largest,
                         critical);
        }
}

/// Grains in contact with up to six others and the floor, of both models.
static scree_world *pile(int count, int model, double mu)
{
    scree_material m = soft_rubber(mu, mu, 0.5, 2e5, 1e5);
    m.friction.rolling = (scree_friction_length){mu > 0.0 ? 0.02 : 0.0, 1},
    m.friction.spinning = (scree_friction_length){mu > 0.0 ? 0.01 : 0.0, 1};
    m.soft.model = model;
    m.soft.sds_stiffness = 5e4, m.soft.spin_stiffness = 50.0;
    scree_world *world = soft_world(&m, 9.8, 0.0, NULL);
    scene_floor(world);
    rng random = rng_make(11, 0);
    for (int k = 0; k < count; ++k) {
        double R = 0.09 + 0.01 * rng_uniform(&random), at[3];
        lattice(k, 7, 0.19, at);
        at[2] += 0.09;
        for (int i = 0; i < 3; ++i) at[i] += 0.004 * (rng_uniform(&random) - 0.5);
        scene_sphere(world, R, 1000.0 * R * R * R, at[0], at[1], at[2]);
    }
    return world;
}

static scree_world *pile_tracked(int count)
{
    return pile(count, SCREE_DEM_TRACKING, 0.5);
}

static scree_world *pile_sds(int count)
{
    return pile(count, SCREE_DEM_SDS, 0.5);
}

static scree_world *pile_published(int count)
{
    return pile(count, SCREE_DEM_PUBLISHED, 0.5);
}

static scree_world *pile_smooth(int count)
{
    return pile(count, SCREE_DEM_TRACKING, 0.0);
}

static void both_engines_and_the_check_refuse_the_same_steps(void **state)
{
    static const int counts[] = {1, 2, 10, 199, 200, 400};
    static const make_world make[] = {pile_tracked, pile_sds, pile_published, pile_smooth};
    (void)state;
    for (int k = 0; k < 6; ++k) one_limit(make[0], counts[k]);
    for (int k = 1; k < 4; ++k) one_limit(make[k], 60);
}

/// A wall that is no plane, and one that is driven: its contacts are those of the general code beside a bed.
static scree_world *pile_on_boxes(int count)
{
    scree_world *world = pile(count, SCREE_DEM_TRACKING, 0.5);
    scree_body_def def = scree_body_def_default();
    scree_shape box = scree_shape_box(2.0, 2.0, 0.1, scree_material_at(0));
    scree_error error = {0};
    def.kind = SCREE_BODY_FIXED, def.shapes = &box, def.shape_count = 1, def.position[2] = -0.0999;
    scree_world_add_body(world, &def, &error);
    expect_ok(error.status, &error);
    def.kind = SCREE_BODY_DRIVEN, def.motion.velocity = (scree_table){1, (double[]){0.0}, (double[]){0.0, 0.0, 0.1}},
    def.position[2] = -0.0995;
    scree_world_add_body(world, &def, &error);
    expect_ok(error.status, &error);
    return world;
}

/// Of 0.1 m and 1 kg in a lattice, `side` to a row, the lowest `above` the floor.
static scree_world *equal_balls(const scree_material *m, int count, int side, double pitch, double above)
{
    scree_world *world = soft_world(m, 9.8, 0.0, NULL);
    scene_floor(world);
    for (int k = 0; k < count; ++k) {
        double at[3];
        lattice(k, side, pitch, at);
        scene_sphere(world, 0.1, 1.0, at[0], at[1], above + at[2]);
    }
    return world;
}

static scree_world *pile_hertz(int count)
{
    scree_material m = {
        .soft = scree_dem_default(), .name = "glass", .density = 2500.0, .friction = {.mu = 0.0, .restitution = 0.7}};
    m.soft.young = 1e8, m.soft.poisson = 0.3;
    return equal_balls(&m, count, 5, 0.199, 0.0995);
}

/// Friction too: Mindlin's springs, with rolling and spinning.
static scree_world *pile_mindlin(int count)
{
    scree_material m = {
        .soft = scree_dem_default(), .name = "glass", .density = 2500.0, .friction = {.mu = 0.4, .restitution = 0.7}};
    m.friction.rolling = (scree_friction_length){0.02, 1}, m.friction.spinning = (scree_friction_length){0.01, 1};
    m.soft.young = 1e8, m.soft.poisson = 0.3;
    return equal_balls(&m, count, 5, 0.199, 0.0995);
}

static void so_they_do_beside_walls_and_with_hertz(void **state)
{
    (void)state;
    one_limit(pile_on_boxes, 60);
    one_limit(pile_hertz, 60);
    one_limit(pile_mindlin, 60);
}

/// Sliding springs of contacts without friction have no load, and no say: neither here nor there.
static scree_world *smooth_spheres(int count)
{
    scree_material m = soft_rubber(0.0, 0.0, 0.5, 2e5, 1e5);
    return equal_balls(&m, count, 12, 0.21, 0.11);
}

static void without_friction_the_limit_of_the_check_is_that_of_the_run(void **state)
{
    (void)state;
    scree_world *world = smooth_spheres(1700);
    double critical, zeta = dem_damping_ratio(0.5, 0);
    assert_true(check_takes(world, 1e-9, 1, &critical));
    /* two spheres of 1 kg that meet; the floor alone would take sqrt(2) more */
    assert_true(fabs(critical / dem_critical_step(2e5, 2.0, zeta) - 1.0) < 1e-12);
    for (int bed = 0; bed < 2; ++bed) {
        assert_true(check_takes(world, 0.999999 * critical, bed, NULL));
        assert_true(run_takes(smooth_spheres, 1700, 0.999999 * critical, bed));
        assert_false(check_takes(world, 1.01 * critical, bed, NULL));
        assert_false(run_takes(smooth_spheres, 1700, 1.01 * critical, bed));
    }
    scree_world_destroy(world);
}

/* ---- what is stable ------------------------------------------------------------------------------------------------------------ */

/// Two balls pressed together by forces that keep their overlap, a little off it. Returns how far the overlap goes from that.
static double swing(double heavy, double zeta, double share, double *critical)
{
    const double k = 1e4, press = 10.0;
    scree_material m = soft_rubber(0.0, 0.0, 1.0, k, k);
    scree_error error = {0};
    m.soft.damping = zeta;
    m.soft.pulls = SCREE_DEM_PULLS_YES;
    scree_world *world = soft_world(&m, 0.0, 0.0, NULL);
    const double mass[2] = {1.0, heavy}, radius[2] = {0.1, 0.1 * cbrt(heavy)};
    int ball[2];
    for (int i = 0; i < 2; ++i) {
        scree_body_def def = scree_body_def_default();
        scree_shape shape = scree_shape_sphere(radius[i], scree_material_at(0));
        def.shapes = &shape, def.shape_count = 1, def.mass = mass[i];
        def.position[0] = i ? radius[0] + radius[1] - press / k - 1e-6 : 0.0;
        const double when = 0.0, force[3] = {i ? -press : press, 0.0, 0.0};
        def.force = (scree_table){1, &when, force};
        ball[i] = scree_body_index(scree_world_add_body(world, &def, &error));
        expect_ok(error.status, &error);
    }
    check_takes(world, 1e-9, 0, critical);
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = SCREE_SCHEME_DEM, options.step = share * *critical, options.force_step = 1;
    scree_stepper *stepper = scene_stepper(&options, NULL);
    double farthest = 0.0;
    for (int step = 0; step < 200 && farthest < 1e-4; ++step) {
        scene_step(stepper, world);
        const double *x = scree_world_positions(world);
        farthest = fmax(farthest, fabs(radius[0] + radius[1] - (x[3 * ball[1]] - x[3 * ball[0]]) - press / k));
    }
    soft_finish(world, stepper);
    return farthest;
}

static void a_contact_is_stable_up_to_the_limit_and_not_beyond(void **state)
{
    static const double heavy[] = {1.0, 125000.0}, zeta[] = {0.0, 0.3};
    (void)state;
    for (int k = 0; k < 4; ++k) {
        double critical, mass = heavy[k / 2] / (1.0 + heavy[k / 2]), z = zeta[k % 2];
        assert_true(swing(heavy[k / 2], z, 0.98, &critical) < 2e-5);
        assert_true(swing(heavy[k / 2], z, 1.05, &critical) > 9e-5);
        assert_true(fabs(critical / dem_critical_step(1e4, 1.0 / mass, z) - 1.0) < 1e-12);
    }
}

/// Hertz stiffens with the overlap, and the check knows how deep an impact will be: a run with its limit is never refused.
static void a_drop_on_hertz_is_accounted_for(void **state)
{
    static const double restitution[] = {0.3, 0.9};
    (void)state;
    for (int k = 0; k < 4; ++k) {
        scree_material m = {.soft = scree_dem_default(),
                            .name = "glass",
                            .density = 2500.0,
                            .friction = {.restitution = restitution[k / 2]}};
        m.friction.mu = k % 2 ? 0.4 : 0.0;
        m.soft.young = 1e7, m.soft.poisson = 0.3;
        scree_world *world = soft_world(&m, 9.8, 0.0, NULL);
        scree_error error = {.text = ""};
        double low, high;
        scene_floor(world);
        (void)scene_sphere(world, 0.01, 0.01, 0.0, 0.0, 0.011);
        check_takes(world, 1e-9, 0, &low);
        scree_world_destroy(world);
        world = soft_world(&m, 9.8, 0.0, NULL);
        scene_floor(world);
        int ball = scene_sphere(world, 0.01, 0.01, 0.0, 0.0, 1.01);
        check_takes(world, 1e-9, 0, &high);
        assert_true(high < 0.75 * low); /* the fifth root of the speed: a thousandth of the height, and its weight */
        scree_stepper *stepper = stepper_of(0.9999999 * high, 0);
        double deepest = 0.0;
        for (int step = 0; step < 40000; ++step) {
            expect_ok(scree_step(stepper, world, &error), &error);
            deepest = fmax(deepest, 0.01 - scree_world_positions(world)[3 * ball + 2]);
            double critical; /* in every step, not only in those that are asked */
            if (!check_takes(world, 0.9999 * high, 0, &critical)) fail_msg("step %d: %g, was %g", step, critical, high);
        }
        assert_true(deepest > 1e-5);
        soft_finish(world, stepper);
    }
}

/* ---- in the middle of a run ---------------------------------------------------------------------------------------------------- */

/// The refusal names the grain and a step to take, comes at the same step from both engines and however the steps are batched, and leaves
/// the world as it was before the call.
static void a_crowd_is_refused_at_the_same_step(void **state)
{
    (void)state;
    int64_t at[4];
    for (int k = 0; k < 4; ++k) {
        scree_material m = soft_rubber(0.5, 0.5, 0.5, 2e5, 1e5);
        scree_world *world = soft_world(&m, 9.8, 0.0, NULL);
        scree_error error = {.text = ""};
        double critical;
        scene_floor(world);
        for (int i = 0; i < 216; ++i) {
            double from[3];
            lattice(i, 6, 0.2002, from);
            scene_sphere(world, 0.1, 1.0, from[0], from[1], 0.1002 + from[2]);
        }
        check_takes(world, 1e-9, k % 2, &critical);
        scree_stepper *stepper = stepper_of(0.95 * critical, k % 2);
        scree_status status = SCREE_OK;
        int64_t before = 0;
        uint64_t hash = 0;
        while (!status && scree_world_step_count(world) < 5000) {
            before = scree_world_step_count(world), hash = scree_world_hash(world);
            status = scree_advance(stepper, world, k < 2 ? 1 : 64, NULL, &error);
        }
        assert_int_equal(status, SCREE_ERR_STEP);
        assert_true(scree_world_step_count(world) == before && scree_world_hash(world) == hash);
        if (!strstr(error.text, "set by the contact of ") || !strstr(error.text, "; expected a step of at most "))
            fail_msg("%s", error.text);
        at[k] = scree_world_step_count(world);
        assert_true(at[k] > 0 && at[k] % 64 == 0);
        soft_finish(world, stepper);
    }
    assert_true(at[0] == at[1] && at[1] == at[2] && at[2] == at[3]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_engines_and_the_check_refuse_the_same_steps),
        cmocka_unit_test(so_they_do_beside_walls_and_with_hertz),
        cmocka_unit_test(without_friction_the_limit_of_the_check_is_that_of_the_run),
        cmocka_unit_test(a_contact_is_stable_up_to_the_limit_and_not_beyond),
        cmocka_unit_test(a_drop_on_hertz_is_accounted_for),
        cmocka_unit_test(a_crowd_is_refused_at_the_same_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
