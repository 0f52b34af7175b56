/* A scene in motion: what is built, pours on time, waiting for room, restarts with the same bits, threads, overlaps, the examples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "world/world_private.h"

#include <scree/run.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD                                                                                                           \
    "scree: 1\nmaterials: {stone: {density: 2500, friction: 0.5, rolling: 0.1 r, spinning: 0.1 r}}\nrun: {until: 1}\n"

typedef struct run {
    scree_scene *scene;
    scree_simulation *simulation;
    scree_world *world;
} run;

static run start(scree_scene *scene, int threads)
{
    run r = {.scene = scene};
    scree_error error = {.text = ""};
    char message[1200];
    r.simulation = scree_simulation_create(scene, threads, NULL, &error);
    if (!r.simulation) fail_msg("%s", scree_error_format(&error, message, sizeof message));
    r.world = scree_simulation_world(r.simulation);
    return r;
}

static run start_text(const char *text, int threads)
{
    scree_scene *scene = NULL;
    scree_error error = {.text = ""};
    char message[1200];
    scene = scree_scene_parse(text, strlen(text), "case.yaml", NULL, 0, NULL, &error);
    if (!scene) fail_msg("%s", scree_error_format(&error, message, sizeof message));
    return start(scene, threads);
}

static run start_file(const char *path, const char *const *set, int count)
{
    scree_scene *scene = NULL;
    scree_error error = {.text = ""};
    char message[1200];
    scene = scree_scene_read(path, set, count, NULL, &error);
    if (!scene) fail_msg("%s", scree_error_format(&error, message, sizeof message));
    return start(scene, 0);
}

static void stop(run *r)
{
    scree_simulation_destroy(r->simulation);
    scree_scene_destroy(r->scene);
}

static scree_step_report step(run *r)
{
    scree_step_report report;
    scree_error error = {.text = ""};
    if (scree_simulation_step(r->simulation, &report, &error) != SCREE_OK) fail_msg("%s", error.text);
    return report;
}

/* ---- what is built ------------------------------------------------------------------------------------------------------ */

static void a_scene_is_built_as_it_says(void **state)
{
    (void)state;
    run r = start_file("tests/scenes/good/everything.yaml", NULL, 0);
    scree_census c = scree_simulation_census(r.simulation);
    double x[3], q[4];
    int body;
    assert_true(c.fixed == 7 && c.driven == 1 && c.dynamic == 4 + 12 + 5 && c.to_pour == 4 && c.poured == 0 &&
                c.left_out == 0);
    assert_true(c.materials == 3 && c.radius >= 0.01 && c.radius <= 0.012 && c.mass > 2.0);

    body = scree_body_index(scree_world_find_body(r.world, "ball"));
    assert_true(body == 0 && scree_world_mass(r.world, scree_body_at(body)) == 2.0 &&
                scree_world_inertia(r.world, scree_body_at(body))[1] == 0.004);
    assert_true(scree_world_velocities(r.world)[3 * body + 1] == 1.0);
    body = scree_body_index(scree_world_find_body(r.world, "crate"));
    assert_true(fabs(scree_world_mass(r.world, scree_body_at(body)) - 7800 * 0.3048 * 0.254 * 0.2) < 1e-12 * 120);
    body = scree_body_index(scree_world_find_body(r.world, "dumbbell"));
    scree_world_frame(r.world, scree_body_at(body), x, q);
    assert_true(fabs(x[0] - 1) < 1e-14 && fabs(x[2] - 1) < 1e-14 && fabs(q[3] - sqrt(0.5)) < 1e-14);

    /* the walls of the container face inwards */
    static const struct {
        const char *name;
        double position[3], normal[3];
    } wall[] = {{"bin.floor", {0, 0, -0.1}, {0, 0, 1}}, {"bin.x_min", {-5, 0, 0}, {1, 0, 0}},
                {"bin.x_max", {5, 0, 0}, {-1, 0, 0}},   {"bin.y_min", {0, -4, 0}, {0, 1, 0}},
                {"bin.y_max", {0, 4, 0}, {0, -1, 0}},   {"bin.lid", {0, 0, 20}, {0, 0, -1}}};
    for (size_t k = 0; k < sizeof wall / sizeof *wall; ++k) {
        int found = 0;
        body = scree_body_index(scree_world_find_body(r.world, wall[k].name));
        assert_true(body >= 0 && scree_world_body_kind(r.world, scree_body_at(body)) == SCREE_BODY_FIXED);
        scree_world_frame(r.world, scree_body_at(body), x, q);
        for (int i = 0; i < 3; ++i) assert_true(x[i] == wall[k].position[i]);
        for (int s = 0, owner; s < scree_world_shape_count(r.world); ++s) {
            const scree_shape *shape = scree_world_shape(r.world, scree_shape_at(s));
            owner = scree_body_index(scree_world_shape_body(r.world, scree_shape_at(s)));
            const double *p = shape->rotation;
            if (owner != body) continue;
            double n[3] = {2 * (p[1] * p[3] + p[0] * p[2]), 2 * (p[2] * p[3] - p[0] * p[1]),
                           1 - 2 * (p[1] * p[1] + p[2] * p[2])};
            for (int i = 0; i < 3; ++i) assert_true(n[i] == wall[k].normal[i]); /* to the bit */
            found = 1;
        }
        assert_true(found);
    }
    /* pair and mixing rules */
    scree_friction f = scree_world_pair(r.world, scree_material_at(0), scree_material_at(1)),
                   g = scree_world_pair(r.world, scree_material_at(0), scree_material_at(2));
    assert_true(f.mu == 0.35 && f.rolling.value == 0.002 && f.restitution == 0.25 && f.stiffness == 5e5);
    assert_true(fabs(g.mu - 0.45) < 1e-15 && g.restitution == 0.0);
    stop(&r);
}

static void a_pair_keeps_what_it_does_not_say(void **state)
{
    (void)state;
    run r = start_text("scree: 1\nrun: {until: 1}\nmaterials:\n  a: {density: 1, friction: 0.5, rolling: 2 mm}\n  b: "
                       "{density: 1, friction: 0.3, rolling: 4 mm}\n"
                       "pairs: [{between: [b, a], friction: 0.9}]\nmixing: {rolling: max}\n"
                       "generators:\n- {lattice: {count: [2, 1, 1], spacing: 3}, radius: 1, material: a}\n"
                       "- {lattice: {count: [2, 1, 1], spacing: 3, origin: [9, 9, 9]}, radius: 1, material: b}\n",
                       0);
    scree_friction f = scree_world_pair(r.world, scree_material_at(0), scree_material_at(1));
    assert_true(f.mu == 0.9 && f.rolling.value == 0.004 && f.rolling.kind == SCREE_LENGTH_ABSOLUTE);
    stop(&r);

    static const char text[] =
        "scree: 1\nrun: {until: 1}\nmaterials:\n  a: {density: 1, friction: 0.5, rolling: 2 mm}\n  b: {density: 1, "
        "friction: 0.3, rolling: 0.1 r}\n"
        "pairs:\n- {between: [b, a], friction: 0.9}\n"
        "generators:\n- {lattice: {count: [2, 1, 1], spacing: 3}, radius: 1, material: a}\n"
        "- {lattice: {count: [2, 1, 1], spacing: 3, origin: [9, 9, 9]}, radius: 1, material: b}\n";
    scree_scene *scene = NULL;
    scree_simulation *simulation = NULL;
    scree_error error = {.text = ""};
    scene = scree_scene_parse(text, strlen(text), "case.yaml", NULL, 0, NULL, &error);
    assert_int_equal(error.status, SCREE_OK);
    error = (scree_error){0};
    simulation = scree_simulation_create(scene, 0, NULL, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    assert_string_equal(
        error.text,
        "the key 'rolling' is missing in the pair: it is a length in one of the materials and a ratio in the other");
    assert_true(error.line == 7 && error.column == 3 && simulation == NULL);
    scree_scene_destroy(scene);
}

/// Arms of two kinds in the materials: the pair must say it.
static void a_pair_of_two_kinds_of_arms_is_refused_by_their_names(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *words;
    } cases[] = {
        {"rolling: 0.2 r_eff", "rolling: 0.1 r",
         "the key 'rolling' is missing in the pair: it is a ratio in one of the materials and a ratio of r_eff in the "
         "other"},
        {"spinning: 0.2 r_eff", "spinning: 1 mm",
         "the key 'spinning' is missing in the pair: it is a length in one of the materials and a ratio of r_eff in "
         "the other"},
        {"rolling: 0.1 r, rolling_static: 0.3 r_eff", "rolling: 0.1 r",
         "the key 'rolling' is missing in the pair: it is a ratio in one of the materials and a ratio of r_eff in the "
         "other"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char text[900];
        scree_error error = {0};
        snprintf(text, sizeof text,
                 "scree: 1\nrun: {until: 1}\nmaterials:\n  a: {density: 1, %s}\n  b: {density: 1, %s}\n"
                 "pairs:\n- {between: [b, a], friction: 0.9}\n"
                 "generators:\n- {lattice: {count: [2, 1, 1], spacing: 3}, radius: 1, material: a}\n"
                 "- {lattice: {count: [2, 1, 1], spacing: 3, origin: [9, 9, 9]}, radius: 1, material: b}\n",
                 cases[k].a, cases[k].b);
        scree_scene *scene = scree_scene_parse(text, strlen(text), "case.yaml", NULL, 0, NULL, &error);
        assert_int_equal(error.status, SCREE_OK);
        assert_null(scree_simulation_create(scene, 0, NULL, &error));
        assert_int_equal(error.status, SCREE_ERR_INPUT);
        assert_string_equal(error.text, cases[k].words);
        scree_scene_destroy(scene);
    }
}

/* ---- pours ---------------------------------------------------------------------------------------------------------------- */

/// Without gravity and with room, grain k is there from the first step that begins at k / rate or later.
static void grains_come_when_they_are_due(void **state)
{
    (void)state;
    run r = start_text(HEAD "gravity: 0\nstepper: {step: 5 ms}\ngenerators:\n"
                            "- {name: fast, pour: {count: 40, rate: 400 1/s, from: {box: {min: [0, 0, 0], max: [100, "
                            "100, 100]}}}, radius: 1 mm}\n"
                            "- {name: slow, pour: {count: 4, every: 20 ms, start: 30 ms, from: {box: {min: [0, 0, "
                            "200], max: [100, 100, 300]}}}, radius: 1 mm}\n",
                       1);
    int64_t *poured;
    assert_int_equal(scree_simulation_sources(r.simulation, &poured), 2);
    for (int n = 0; n < 30; ++n) { /* the step that begins at 5 n ms */
        step(&r);
        int fast = 2 * n + 1 < 40 ? 2 * n + 1 : 40, slow = n < 6 ? 0 : (n - 6) / 4 + 1 < 4 ? (n - 6) / 4 + 1 : 4;
        assert_int_equal(poured[0], fast);
        assert_int_equal(poured[1], slow);
        assert_int_equal(scree_world_body_count(r.world), fast + slow);
    }
    scree_census c = scree_simulation_census(r.simulation);
    assert_true(c.poured == 44 && c.to_pour == 0);
    assert_true(scree_body_index(scree_world_find_body(r.world, "slow[3]")) >= 0);
    stop(&r);
}

/// All grains appear at one point: each waits until the one before has fallen by a diameter, t = sqrt(2 (2 R) / g).
static void a_grain_waits_until_its_place_is_free(void **state)
{
    (void)state;
    run r = start_text(
        HEAD "gravity: 10\nstepper: {step: 1 ms}\ngenerators:\n"
             "- {pour: {count: 5, rate: 1000 1/s, from: {box: {min: [0, 0, 0], max: [0, 0, 0]}}}, radius: 5 mm}\n",
        1);
    int64_t *poured;
    double last = 0.0;
    scree_simulation_sources(r.simulation, &poured);
    step(&r);
    for (int k = 1; k < 5; ++k) {
        int64_t before = poured[0];
        while (poured[0] == before) step(&r);
        double now = scree_world_time(r.world) - 0.001;               /* the step in which it came began here */
        assert_true(fabs(now - last - sqrt(2 * 0.01 / 10)) <= 0.002); /* two steps: positions are those of the scheme */
        last = now;
        assert_int_equal(poured[0], before + 1);
    }
    stop(&r);

    r = start_text(HEAD "gravity: 0\ngenerators: [{pour: {count: 5, rate: 1000, from: {ball: {center: [0, 0, 0], "
                        "radius: 1 mm}}}, radius: 5 mm}]\n",
                   1);
    scree_simulation_sources(r.simulation, &poured);
    for (int k = 0; k < 20; ++k) step(&r);
    assert_int_equal(poured[0], 1); /* the first never leaves */
    stop(&r);
}

/// A dense stream keeps its rate when grains look for other places, and falls far behind when each waits for its own.
static void a_grain_tries_other_places(void **state)
{
    (void)state;
    for (int attempts = 1; attempts <= 20; attempts += 19) {
        char text[512];
        snprintf(text, sizeof text,
                 HEAD "stepper: {step: 5 ms}\ngenerators:\n"
                      "- {pour: {count: 400, rate: 800, attempts: %d, from: {disk: {center: [0, 0, 0], radius: 0.2}}}, "
                      "radius: 22.5 mm, velocity: [0, 0, -2]}\n",
                 attempts);
        run r = start_text(text, 1);
        int64_t *poured;
        scree_overlap overlap;
        int count;
        scree_simulation_sources(r.simulation, &poured);
        for (int k = 0; k < 100; ++k) step(&r);
        if (attempts == 1) assert_true(poured[0] < 200);
        else assert_true(poured[0] >= 396); /* a step has four; the last begins at 0.495 s */
        assert_int_equal(scree_simulation_overlaps(r.simulation, 1e-6, 1, &overlap, &count), SCREE_OK);
        assert_int_equal(count, 0);
        stop(&r);
    }
}

/* ---- restarts and threads ---------------------------------------------------------------------------------------------------- */

static const char pile_text[] = HEAD "seed: 3\nstepper: {step: 2 ms}\nsolver: {tolerance: 1e-4}\ncontainer: {floor: 0, "
                                     "x: [-0.06, 0.06], y: [-0.06, 0.06]}\n"
                                     "generators:\n- {name: a, pour: {count: 80, rate: 400, from: {disk: {center: [0, "
                                     "0, 0.2], radius: 0.04}}}, radius: {uniform: {min: 6 mm, max: 9 mm}}, "
                                     "velocity: [0, 0, -1]}\n"
                                     "- {name: b, pour: {count: 40, every: 4 ms, from: {disk: {center: [0, 0, 0.3], "
                                     "radius: 0.04}}}, shape: {box: {size: [1 cm, 1 cm, 1 cm]}}, "
                                     "velocity: [0, 0, -1]}\n";

/// Copies everything the future depends on, as a checkpoint does.
static void copy_state(run *from, run *to)
{
    world_field a[WORLD_FIELDS_MAX], b[WORLD_FIELDS_MAX];
    int32_t count[WORLD_COUNTS];
    scree_error error = {.text = ""};
    int64_t *x, *y;
    world_counts(from->world, count);
    assert_int_equal(world_restore_begin(to->world, count, &error), SCREE_OK);
    int fields = world_fields(from->world, a);
    assert_int_equal(world_fields(to->world, b), fields);
    for (int f = 0; f < fields; ++f) {
        size_t bytes = world_field_bytes(&a[f]);
        assert_int_equal(a[f].count, b[f].count);
        for (int i = 0; i < a[f].count; ++i)
            memcpy((char *)b[f].data + (size_t)i * b[f].stride, (const char *)a[f].data + (size_t)i * a[f].stride,
                   bytes);
    }
    assert_int_equal(world_restore_end(to->world, &error), SCREE_OK);
    int n = scree_simulation_sources(from->simulation, &x);
    assert_int_equal(scree_simulation_sources(to->simulation, &y), n);
    memcpy(y, x, (size_t)n * sizeof *x);
}

static void a_restored_pour_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    static const int stops[] = {1, 37, 90};
    const size_t stride = SCREE_SAMPLE_SHARE > 1 ? 2 : 1;
    run whole = start_text(pile_text, 1);
    uint64_t hash[141];
    for (int k = 0; k < 140; ++k) step(&whole), hash[k + 1] = scree_world_hash(whole.world);
    stop(&whole);
    for (size_t s = 0; s < sizeof stops / sizeof *stops; s += stride) {
        run first = start_text(pile_text, 1), second = start_text(pile_text, 1);
        for (int k = 0; k < stops[s]; ++k) step(&first);
        copy_state(&first, &second);
        stop(&first);
        assert_true(scree_world_hash(second.world) == hash[stops[s]]);
        for (int k = stops[s]; k < 140; ++k) {
            step(&second);
            assert_true(scree_world_hash(second.world) == hash[k + 1]);
        }
        stop(&second);
    }
}

/// A ball on a gate, and a body on the floor, which decides between the engines of soft contacts; a second gate opens at a time that no step
/// ends at.
#define BALL "sphere: {radius: 10 cm}"
#define GATES(scheme, still)                                                                                           \
    "scree: 1\nmaterials: {stone: {density: 2500, friction: 0.5, dem: {stiffness: 2e5, slide_stiffness: 1e5, "         \
    "damping: 0.3}}}\n"                                                                                                \
    "gravity: 10\nrun: {until: 1}\n"                                                                                   \
    "bodies:\n"                                                                                                        \
    "  - {name: gate, kind: fixed, shape: {box: {size: [1, 1, 0.2]}}, position: [0, 0, 1.9], until: 0.3 s}\n"          \
    "  - {name: late, kind: fixed, shape: {box: {size: [1, 1, 0.2]}}, position: [3, 0, 1.9], until: 0.40003 s}\n"      \
    "  - {name: ball, shape: {sphere: {radius: 10 cm}}, position: [0, 0, 2.1]}\n"                                      \
    "  - {name: other, shape: {sphere: {radius: 10 cm}}, position: [3, 0, 2.1]}\n"                                     \
    "  - {name: floor, shape: {plane: {}}}\n"                                                                          \
    "  - {name: still, shape: {" still "}, position: [6, 0, 0.1]}\n"                                                   \
    "stepper: {scheme: " scheme "}\n"

/// Until then it carries its ball, which then falls freely: g (t - until)^2/2, but for the step's first order and what the ball had sunk in.
static void a_gate_opens_on_time(void **state)
{
    static const char *const text[] = {GATES("moreau_jean, step: 1 ms", BALL),
                                       GATES("anitescu_tasora, step: 1 ms", BALL), GATES("dem, step: 0.1 ms", BALL),
                                       GATES("dem, step: 0.1 ms", "box: {size: [0.2, 0.2, 0.2]}")};
    (void)state;
    for (int k = 0; k < 4; ++k) {
        run r = start_text(text[k], 0), twin = start_text(text[k], 0);
        const double h = k < 2 ? 1e-3 : 1e-4;
        const int first = (int)lround(0.3 / h), steps = (int)lround(0.6 / h);
        double bottom[2] = {0.0, 0.0};
        scree_error error = {.text = ""};
        for (int n = 0; n < steps; ++n) {
            const int open = n > first, late = n * h > 0.40003 + h;
            assert_int_equal(scree_world_body_kind(r.world, scree_body_at(0)) == SCREE_BODY_REMOVED, open);
            if (n == first) bottom[0] = scree_world_positions(r.world)[8];
            if (!late) bottom[1] = scree_world_positions(r.world)[11];
            assert_true(open || fabs(bottom[0] - 2.1) < 2e-3 || n < first);
            step(&r);
        }
        const double time = 0.6 - 0.3, fallen = 5.0 * time * time, *x = scree_world_positions(r.world);
        assert_true(fabs(bottom[0] - x[8] - fallen) < 10.0 * time * h + 2e-5);
        assert_true(fabs(bottom[1] - x[11] - 5.0 * 0.2 * 0.2) < 10.0 * 0.2 * 1.5 * h + 2e-5);
        assert_true(fabs(x[17] - 0.1) < 2e-3);
        const scree_ledger *e = &scree_stepper_totals(scree_simulation_stepper(r.simulation))->energy;
        print_message("closing error %.3g J, lost %.3g J, brought %.3g J, elastic %.3g J\n", e->balance,
                      scree_ledger_lost(e), e->brought, e->elastic);
        assert_true(fabs(e->balance) <
                    (k < 2 ? 1e-9 : 1e-4) * (e->kinetic + e->potential)); /* dem: the step's first order */

        /* the same bits in one call, and after a restart in the middle of it */
        assert_int_equal(scree_simulation_advance(twin.simulation, steps, NULL, &error), SCREE_OK);
        assert_true(scree_world_hash(twin.world) == scree_world_hash(r.world));
        run half = start_text(text[k], 0), rest = start_text(text[k], 0);
        assert_int_equal(scree_simulation_advance(half.simulation, first + 7, NULL, &error), SCREE_OK);
        copy_state(&half, &rest);
        assert_int_equal(scree_simulation_advance(rest.simulation, steps - first - 7, NULL, &error), SCREE_OK);
        assert_true(scree_world_hash(rest.world) == scree_world_hash(r.world));
        stop(&r), stop(&twin), stop(&half), stop(&rest);
    }
}

/// What it held comes to rest on it, and must not stay in the air.
static void what_rested_on_a_gate_falls_when_it_opens(void **state)
{
    static const char text[] =
        "scree: 1\nmaterials: {stone: {density: 2500, friction: 0.5}}\nrun: {until: 5}\nstepper: {step: 5 ms}\n"
        "bodies:\n  - {name: gate, kind: fixed, shape: {box: {size: [1, 1, 0.2]}}, position: [0, 0, 1.9], until: 3 s}\n"
        "  - {name: box, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [0, 0, 2.1]}\n"
        "  - {name: link, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [5, 0, 2.1]}\n"
        "joints: [{name: hook, bodies: [gate, link], fixed: {anchor: [4, 0, 2]}}]\n";
    (void)state;
    run r = start_text(text, 0);
    scree_error error = {.text = ""};
    assert_int_equal(scree_simulation_advance(r.simulation, 600, NULL, &error), SCREE_OK);
    assert_true(fabs(scree_world_positions(r.world)[5] - 2.1) < 1e-6);
    assert_true(fabs(scree_world_positions(r.world)[8] - 2.1) < 1e-6);
    assert_int_equal(scree_simulation_advance(r.simulation, 100, NULL, &error), SCREE_OK);
    for (int b = 1; b < 3; ++b)
        assert_true(fabs(2.1 - scree_world_positions(r.world)[3 * b + 2] - 0.5 * 9.80665 * 0.25) < 0.02);
    stop(&r);
}

/// A ball with its centre of mass d below its middle rocks with w^2 = m g d/(I + m (r - d)^2). Grains weigh what their generator says.
static void masses_and_centres_of_mass_are_as_given(void **state)
{
    static const char text[] = "scree: 1\nmaterials: {felt: {friction: 0.8}}\ngravity: 10\nrun: {until: 5}\nstepper: "
                               "{scheme: moreau_jean, step: 1 ms}\n"
                               "bodies:\n  - {name: floor, shape: {plane: {}}}\n"
                               "  - {name: toy, shape: {sphere: {radius: 10 cm}}, position: [0, 0, 10 cm], mass: 2, "
                               "inertia: [6e-3, 6e-3, 4e-3],"
                               " center_of_mass: [0, 0, -4 cm], rotation: {axis: y, angle: 0.05 rad}}\n"
                               "generators:\n"
                               "  - {name: bead, lattice: {type: sc, count: [2, 1, 1], spacing: 1, origin: [5, 0, 1]}, "
                               "radius: 1 cm, mass: 3 g}\n";
    (void)state;
    run r = start_text(text, 0);
    const double d = 0.04, radius = 0.1, omega = sqrt(2.0 * 10.0 * d / (6e-3 + 2.0 * (radius - d) * (radius - d)));
    double crossing[2] = {0.0, 0.0}, last = scree_world_positions(r.world)[3], t = 0.0;
    assert_true(scree_world_mass(r.world, scree_body_at(1)) == 2.0 &&
                scree_world_mass(r.world, scree_body_at(3)) == 3e-3);
    assert_true(fabs(last + d * sin(0.05)) < 1e-15);
    /* rolling by an angle moves the middle by r angle and the centre of mass by (r - d) angle: its crossings are half periods apart */
    const double middle = last - (radius - d) * 0.05;
    last -= middle;
    for (int n = 0; n < 2;) {
        step(&r);
        const double now = scree_world_positions(r.world)[3] - middle, time = scree_world_time(r.world);
        assert_true(time < 4.0);
        if (last * now < 0.0) crossing[n++] = t - last * (time - t) / (now - last);
        last = now, t = time;
    }
    assert_true(fabs((crossing[1] - crossing[0]) * omega / 3.14159265358979 - 1.0) < 1e-3);
    stop(&r);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int t = 1; t <= 3; ++t) {
        run r = start_text(pile_text, t);
        for (int k = 0; k < 100; ++k) step(&r);
        hash[t - 1] = scree_world_hash(r.world);
        stop(&r);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

/* ---- overlaps --------------------------------------------------------------------------------------------------------------- */

static void overlaps_are_found_with_their_depth(void **state)
{
    (void)state;
    run r = start_text(
        "scree: 1\nrun: {until: 1}\nmaterials: {stone: {density: 2500}}\nbodies:\n"
        "- {name: floor, shape: {plane: {}}}\n- {name: wall, shape: {plane: {normal: x}}, position: [-5, 0, 0]}\n"
        "- {name: a, shape: {sphere: {radius: 1}}, position: [0, 0, 0.9]}\n"
        "- {name: b, shape: {sphere: {radius: 1}}, position: [1.5, 0, 1]}\n"
        "- {name: c, shapes: [{box: {size: [1, 1, 1]}}, {box: {size: [1, 1, 1]}, at: [0, 0, 1]}], position: [20, 0, "
        "0.3]}\n"
        "- {name: d, shape: {sphere: {radius: 1}}, position: [40, 0, 5]}\n",
        1);
    scree_overlap found[4];
    int count = 0;
    uint64_t before = scree_world_hash(r.world);
    assert_int_equal(scree_simulation_overlaps(r.simulation, 1e-9, 4, found, &count), SCREE_OK);
    assert_int_equal(count, 3);
    /* spheres a and b: 2 - |(1.5, 0, 0.1)|; box c in the floor by 0.2; sphere a by 0.1 */
    assert_true(found[0].body_a == 2 && found[0].body_b == 3 && fabs(found[0].depth - (2 - hypot(1.5, 0.1))) < 1e-12);
    assert_true(found[1].body_a == 0 && found[1].body_b == 4 && fabs(found[1].depth - 0.2) < 1e-12);
    assert_true(found[2].body_a == 0 && found[2].body_b == 2 && fabs(found[2].depth - 0.1) < 1e-12);
    assert_int_equal(scree_simulation_overlaps(r.simulation, 0.15, 1, found, &count), SCREE_OK);
    assert_true(count == 2 && found[0].body_b == 3);
    assert_true(scree_world_hash(r.world) == before);
    stop(&r);
}

/* ---- examples --------------------------------------------------------------------------------------------------------------- */

/// The ball of examples/ball.yaml stops where theory says, and then does not move at all.
static void the_ball_stops_where_theory_says(void **state)
{
    (void)state;
    run r = start_file("examples/ball.yaml", NULL, 0);
    int ball = scree_body_index(scree_world_find_body(r.world, "ball"));
    double deceleration = 5.0 / 7.0 * (0.04 / 0.5) * 9.81, way = 2.5 * 2.5 / (2 * deceleration), rest[3];
    while (scree_world_time(r.world) < 5.0) step(&r);
    memcpy(rest, scree_world_positions(r.world) + 3 * ball, sizeof rest);
    print_message("stops at %.4f m, theory %.4f m\n", rest[0], way);
    assert_true(fabs(rest[0] - way) < 2.5 * 0.005); /* one step at the first speed: the scheme's order is one */
    while (scree_world_time(r.world) < 6.0) step(&r);
    assert_memory_equal(rest, scree_world_positions(r.world) + 3 * ball, sizeof rest);
    stop(&r);
}

static void every_example_starts_without_overlap_and_steps(void **state)
{
    (void)state;
    static const char *const files[] = {"examples/ball.yaml", "examples/pile.yaml", "examples/boxes.yaml",
                                        "examples/conveyor.yaml", "examples/shaker.yaml"};
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
        run r = start_file(files[k], NULL, 0);
        scree_overlap found[1];
        int count = 0, unconverged = 0;
        assert_int_equal(scree_simulation_overlaps(r.simulation, 1e-9, 1, found, &count), SCREE_OK);
        assert_int_equal(count, 0);
        assert_int_equal(scree_simulation_census(r.simulation).left_out, 0);
        for (int n = 0; n < 100; ++n) {
            scree_step_report report = step(&r);
            unconverged += report.unconverged;
            assert_true(report.unconverged || report.solve.residual <= report.tolerance); /* also where some rest */
        }
        assert_int_equal(unconverged, 0);
        stop(&r);
    }
}

/* ---- failing memory ------------------------------------------------------------------------------------------------------------ */

static void every_failed_allocation_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    scree_error error = {.text = ""};
    scree_scene *scene = scree_scene_parse(pile_text, strlen(pile_text), "case.yaml", NULL, 0, NULL, &error);
    assert_int_equal(error.status, SCREE_OK);
    for (int n = 0;; ++n) {
        failing f = {.left = n};
        error = (scree_error){0};
        scree_allocator a = failing_allocator(&f);
        scree_overlap found[1];
        int count;
        error = (scree_error){0};
        scree_simulation *s = scree_simulation_create(scene, 1, &a, &error);
        scree_status status = error.status;
        assert_true((status == SCREE_OK) == (s != NULL));
        if (status == SCREE_OK) status = scree_simulation_overlaps(s, 0.0, 1, found, &count);
        else assert_non_null(strstr(error.text, "out of memory"));
        for (int k = 0; k < 8 && status == SCREE_OK; ++k) {
            scree_step_report report;
            status = scree_simulation_step(s, &report, &error);
        }
        scree_simulation_destroy(s);
        assert_int_equal(f.live, 0);
        if (status == SCREE_OK) break;
        assert_int_equal(status, SCREE_ERR_MEMORY);
        assert_true(n < 5000);
    }
    scree_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_is_built_as_it_says),
        cmocka_unit_test(a_pair_keeps_what_it_does_not_say),
        cmocka_unit_test(a_pair_of_two_kinds_of_arms_is_refused_by_their_names),
        cmocka_unit_test(grains_come_when_they_are_due),
        cmocka_unit_test(a_grain_waits_until_its_place_is_free),
        cmocka_unit_test(a_grain_tries_other_places),
        cmocka_unit_test(a_restored_pour_goes_on_with_the_same_bits),
        cmocka_unit_test(a_gate_opens_on_time),
        cmocka_unit_test(what_rested_on_a_gate_falls_when_it_opens),
        cmocka_unit_test(masses_and_centres_of_mass_are_as_given),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(overlaps_are_found_with_their_depth),
        cmocka_unit_test(the_ball_stops_where_theory_says),
        cmocka_unit_test(every_example_starts_without_overlap_and_steps),
        cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
