/* test_bed_forcing.c: a bed under what acts from outside (bed_forcing): how steps are batched, closed forms of loads, driven planes and
 * servos, what is refused, and the hook of walls that are not the bed's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bed_outside.h"
#include "near.h"

static void advance_under(bed *b, int64_t steps, bed_forcing *f)
{
    scree_error error = {.text = ""};
    if (bed_advance_forced(b, steps, f, &error) != SCREE_OK) fail_msg("bed_advance_forced: %s", error.text);
}

/* ---- how steps are taken ---------------------------------------------------------------------------------------------------------- */

/// One call, a call for every step, threads: the same bits, of the state of the forcing too.
static void batches_and_threads_change_no_bit(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law) {
        grains *g = between_planes((bed_law)law);
        bed *b[3];
        outside o[3];
        scree_pool *pool = scree_pool_create(3, NULL, NULL);
        assert_non_null(pool);
        for (int k = 0; k < 3; ++k) {
            b[k] = make(g, k == 2 ? pool : NULL);
            outside_make(&g->def, &o[k]);
            bed_forcing_start(b[k], &o[k].forcing);
        }
        advance_under(b[0], 600, &o[0].forcing);
        for (int s = 0; s < 600; ++s) advance_under(b[1], 1, &o[1].forcing);
        advance_under(b[2], 600, &o[2].forcing);
        double F[3], T[3];
        bed_plane_load(b[0], 1, F, T);
        assert_true(F[2] > 0.0 && o[0].forcing.work != 0.0); /* else nothing was tested */
        for (int k = 1; k < 3; ++k) {
            assert_same_state(b[0], b[k]);
            assert_memory_equal(o[0].driven, o[k].driven, sizeof o[0].driven);
            assert_memory_equal(&o[0].forcing.work, &o[k].forcing.work, sizeof(double));
            assert_true(o[k].forcing.step == 600 && o[k].forcing.time == 600 * g->def.step);
        }
        for (int k = 0; k < 3; ++k) bed_destroy(b[k]);
        scree_pool_destroy(pool), free(g);
    }
}

/* ---- closed forms ------------------------------------------------------------------------------------------------------------------ */

/// A sphere in free space under a ramp: v is the sum of h F(t_k)/m, and the work of the load is what its energy has grown by.
static void a_load_does_its_work(void **state)
{
    (void)state;
    grains *g = grains_make(1, BED_SDS, DEM_HOOKE, 0.0, 0.0);
    double time[2] = {0.0, 1.0}, ramp[6] = {0, 0, 0, 8, -4, 2}, moment[6] = {0, 0, 0, 0, 0, 3};
    bed_loaded on = {.id = 0, .load = {{2, 3, time, ramp}, {2, 3, time, moment}}};
    bed_forcing f = {.loaded_count = 1, .loaded = &on, .refused = -1};
    g->def.planes = 0, g->def.periodic[1] = 0, g->def.gravity[2] = 0.0;
    memset(g->v, 0, 3 * sizeof(double)), memset(g->omega, 0, 3 * sizeof(double));
    bed *b = make(g, NULL);
    const int n = 1000;
    advance_under(b, n, &f);
    bed_motion now = grains_motion(g);
    bed_read(b, &now);
    const double h = g->def.step, sum = h * h * n * (n - 1) / 2.0; /* of h t_k */
    for (int k = 0; k < 3; ++k) near("velocity", g->v[k], sum * ramp[3 + k] * g->def.inverse_mass[0], 1e-12);
    near("spin", g->omega[2], sum * 3.0 * g->inverse_inertia[0], 1e-12);
    within("work", f.work, bed_energies(b).kinetic, 1e-12);
    bed_destroy(b), free(g);
}

/// A driven body is where its motion says at any time, to rounding, whatever the step; its plane goes with it.
static void a_driven_plane_is_where_its_motion_says(void **state)
{
    (void)state;
    grains *g = between_planes(BED_SDS);
    outside o;
    outside_make(&g->def, &o);
    double start[3], x[3], q[4], turn[4] = {1.0, 0.0, 0.0, 0.0}, point[3], axes[9];
    memcpy(start, o.driven[0].x, sizeof start);
    for (int k = 0; k < 3; ++k) /* at t = 0 the swing is not at its middle */
        o.driven[0].x[k] += o.driven[0].motion.amplitude[k] * sin(o.driven[0].motion.phase);
    o.forcing.loaded_count = 0;
    double spins[12] = {0.5, 0, 0, 0.2, 0, 0, 0.7, 0, 0, 0.1, 0, 0}; /* about one axis, so that turns add up */
    o.driven[0].motion.spin.value = spins;
    bed *b = make(g, NULL);
    bed_forcing_start(b, &o.forcing);
    advance_under(b, 777, &o.forcing);
    forcing_pose(&o.driven[0].motion, start, turn, o.forcing.time, x, q);
    for (int k = 0; k < 3; ++k) near("position", o.driven[0].x[k], x[k], 1e-14);
    for (int k = 0; k < 4; ++k) near("rotation", o.driven[0].q[k], q[k], 1e-13);
    assert_true(fabs(q[1]) > 1e-3);
    forcing_plane(o.driven[0].x, o.driven[0].q, o.plane[0].position, o.plane[0].rotation, point, axes);
    for (int k = 0; k < 3; ++k) assert_true(b->plane[0].point[k] == point[k] && b->plane[0].n[k] == axes[3 * k + 2]);
    bed_destroy(b), free(g);
}

/// After every step the lid has the speed that its servo's law gives for what it felt in it, and at last it presses with its force.
static void a_servo_answers_to_what_it_felt(void **state)
{
    (void)state;
    grains *g = between_planes(BED_TRACKED);
    outside o;
    outside_make(&g->def, &o);
    o.forcing.loaded_count = 0, o.driven[0].motion = (forcing_motion){.velocity = {.width = 3}, .spin = {.width = 3}};
    o.driven[1].motion.velocity.count = 0;
    bed *b = make(g, NULL);
    bed_forcing_start(b, &o.forcing);
    int answers = 0;
    for (int s = 0; s < 400; ++s) {
        double F[3], T[3];
        advance_under(b, 1, &o.forcing);
        bed_plane_load(b, 1, F, T);
        const double wanted = 1e-3 * (2000.0 - F[2]), speed = fmax(-2.0, fmin(2.0, wanted));
        near("speed of the lid", -o.driven[1].v[2], speed, 1e-12);
        answers += F[2] > 0.0 && fabs(wanted) < 2.0;
    }
    assert_true(answers > 50);
    advance_under(b, 60000, &o.forcing);
    double F[3], T[3];
    bed_plane_load(b, 1, F, T);
    within("force of the servo", F[2], 2000.0, 1e-3);
    bed_destroy(b), free(g);
}

/* ---- what is refused, and the hook ---------------------------------------------------------------------------------------------------- */

typedef struct walls {
    bed *b;
    int pushed, carried, fails;
} walls;

static scree_status push_one(void *context, scree_error *error)
{
    walls *w = context;
    const double force[3] = {1.0, 2.0, 3.0}, none[3] = {0.0, 0.0, 0.0};
    (void)error;
    assert_int_equal(w->pushed, w->carried);
    if (bed_push(w->b, 3, force, none) != SCREE_OK) return SCREE_ERR_MEMORY;
    if (w->fails) return SCREE_ERR_MEMORY;
    w->pushed += 1;
    return SCREE_OK;
}

static void carry_one(void *context)
{
    walls *w = context;
    w->carried += 1;
}

/// A load that is no number, and walls that cannot answer: the step is not taken, and what was pushed into it is gone.
static void a_step_that_is_refused_leaves_no_trace(void **state)
{
    (void)state;
    grains *g = between_planes(BED_SDS);
    bed *b = make(g, NULL), *other = make(g, NULL);
    outside o, p;
    double time[1] = {0.0}, bad[3] = {0.0, 0.0, (double)NAN};
    scree_error error = {.text = ""};
    outside_make(&g->def, &o), outside_make(&g->def, &p);
    bed_forcing_start(b, &o.forcing), bed_forcing_start(other, &p.forcing);
    advance_under(b, 50, &o.forcing), advance_under(other, 50, &p.forcing);
    const forcing_table sound = o.loaded[2].load.force;
    o.loaded[2].load.force = (forcing_table){1, 3, time, bad};
    assert_int_equal(bed_advance_forced(b, 10, &o.forcing, &error), SCREE_ERR_INPUT);
    assert_int_equal(o.forcing.refused, o.loaded[2].id);
    o.loaded[2].load.force = sound;
    walls w = {.b = b, .fails = 1}, v = {.b = other};
    o.forcing.walls = (bed_other_walls){push_one, carry_one, &w};
    p.forcing.walls = (bed_other_walls){push_one, carry_one, &v};
    assert_int_equal(bed_advance_forced(b, 10, &o.forcing, &error), SCREE_ERR_MEMORY);
    assert_int_equal(bed_count_steps(b), 50);
    assert_true(o.forcing.step == 50 && w.pushed == 0 && w.carried == 0 && o.forcing.refused < 0);
    assert_same_state(b, other);
    w.fails = 0;
    advance_under(b, 30, &o.forcing), advance_under(other, 30, &p.forcing);
    assert_true(w.pushed == 30 && w.carried == 30 && v.pushed == 30);
    assert_same_state(b, other);
    assert_memory_equal(o.driven, p.driven, sizeof o.driven);
    bed_destroy(b), bed_destroy(other), free(g);
}

/// A sphere with a load that has left feels nothing, and does no work.
static void a_sphere_that_left_has_no_load(void **state)
{
    (void)state;
    grains *g = between_planes(BED_SDS);
    bed *b = make(g, NULL), *other = make(g, NULL);
    outside o, p;
    outside_make(&g->def, &o), outside_make(&g->def, &p);
    assert_true(bed_remove(b, 1, &o.loaded[2].id, NULL) && bed_remove(other, 1, &o.loaded[2].id, NULL));
    assert_false(bed_remove(b, 1, &o.loaded[2].id, NULL));
    p.forcing.loaded_count = 2;
    advance_under(b, 100, &o.forcing), advance_under(other, 100, &p.forcing);
    assert_memory_equal(&o.forcing.work, &p.forcing.work, sizeof(double));
    assert_same_state(b, other);
    bed_destroy(b), bed_destroy(other), free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_and_threads_change_no_bit), cmocka_unit_test(a_load_does_its_work),
        cmocka_unit_test(a_servo_answers_to_what_it_felt),   cmocka_unit_test(a_step_that_is_refused_leaves_no_trace),
        cmocka_unit_test(a_sphere_that_left_has_no_load),    cmocka_unit_test(a_driven_plane_is_where_its_motion_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
