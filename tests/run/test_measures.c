/* Measures of scenes against what is known: balls that fall in a column, a packing, weights on a plate; the same bits however the steps are
 * taken, and after a restart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "test_folder.h"

#include <scree/result.h>
#include <scree/run.h>

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define GLASS                                                                                                          \
    "materials: {glass: {density: 2500, friction: 0.4, restitution: 0.5, dem: {stiffness: 20 kN/m, slide_stiffness: "  \
    "6 kN/m}}}\n"

static scree_scene *parse(const char *text, const char *set)
{
    scree_error error = {0};
    scree_scene *scene = scree_scene_parse(text, strlen(text), "case.yaml", &set, set != NULL, NULL, &error);
    if (!scene) fail_msg("%d:%d: %s", error.line, error.column, error.text);
    return scene;
}

static scree_simulation *build(const scree_scene *scene)
{
    scree_error error = {0};
    scree_simulation *simulation = scree_simulation_create(scene, 0, NULL, &error);
    if (!simulation) fail_msg("%s", error.text);
    return simulation;
}

static void advance(scree_simulation *simulation, int64_t steps)
{
    scree_error error = {0};
    if (scree_simulation_advance(simulation, steps, NULL, &error) != SCREE_OK) fail_msg("%s", error.text);
}

static void take(scree_simulation *simulation, double h)
{
    scree_error error = {0};
    const scree_world *world = scree_simulation_world(simulation);
    if (scree_measures_take(scree_simulation_measures(simulation), world, h, &error) != SCREE_OK)
        fail_msg("%s", error.text);
}

static double value(scree_simulation *simulation, const char *name)
{
    const scree_measures *m = scree_simulation_measures(simulation);
    for (int k = 0; k < scree_measures_count(m); ++k)
        if (strcmp(scree_measures_name(m, k), name) == 0) return scree_measures_value(m, k);
    fail_msg("there is no %s", name);
    return 0.0;
}

static void close_to(double x, double y, double tolerance)
{
    if (!(fabs(x - y) <= tolerance)) fail_msg("%.17g, expected %.17g within %g", x, y, tolerance);
}

/* ---- flow -------------------------------------------------------------------------------------------------------------------- */

/* Two columns of ten balls, 0.1 m apart, that fall at 1 m/s: each column brings a ball every 0.1 s, the first after 0.045 s. */
static const char column_text[] =
    "scree: 1\ngravity: 0\n" GLASS
    "generators:\n- {lattice: {count: [2, 1, 10], spacing: 100 mm}, radius: 10 mm, velocity: [0, 0, -1 m/s]}\n"
    "measures:\n"
    "  all: {flow: {at: [0, 0, -45 mm], normal: -z}}\n"
    "  up: {flow: {at: [0, 0, -45 mm], normal: z}}\n"
    "  left: {flow: {at: [0, 0, -45 mm], normal: [0, 0, -2], within: {box: {min: [-50 mm, -1, 7], max: [50 mm, 1, "
    "7]}}}}\n"
    "  right: {flow: {at: [0, 0, -45 mm], normal: -z, within: {disk: {center: [100 mm, 0, 3], radius: 20 mm}}}}\n"
    "  slant: {flow: {at: [0, 0, -45 mm], normal: [0, -1, -1], within: {ball: {center: [0, 0, -45 mm], radius: 20 "
    "mm}}}}\n"
    "  aside: {flow: {at: [0, 0, -45 mm], normal: -z, within: {cylinder: {center: [0, 0, -1], radius: 2, height: "
    "0.5}}}}\n"
    "stepper: {step: 1 ms}\nrun: {until: 1.1 s}\noutput: {every: 100 ms}\n";

static void balls_that_fall_through_a_plane_are_a_known_flow(void **state)
{
    (void)state;
    static const char *const sets[] = {NULL, "stepper={scheme: dem, step: 20 us}"};
    const double mass = 2500.0 * 4.0 / 3.0 * PI * 1e-6;
    for (int k = 0; k < 2; ++k) {
        scree_scene *scene = parse(column_text, sets[k]);
        scree_simulation *s = build(scene);
        const double h = k == 0 ? 1e-3 : 20e-6;
        for (int frame = 0; frame <= 11; ++frame) {
            const int passed = frame < 10 ? frame : 10;
            if (frame > 0) advance(s, k == 0 ? 100 : 5000);
            take(s, h);
            assert_true(value(s, "all.count") == 2 * passed && value(s, "up.count") == -2 * passed);
            assert_true(value(s, "left.count") == passed && value(s, "right.count") == passed);
            assert_true(value(s, "slant.count") == passed);
            assert_true(value(s, "aside.count") == 2 * passed); /* along the normal the region is not looked at */
            close_to(value(s, "all.mass"), 2 * passed * mass, 1e-12);
            close_to(value(s, "all.rate"), frame == 0 || frame == 11 ? 0.0 : 20.0 * mass, 1e-9);
            close_to(value(s, "left.rate"), frame == 0 || frame == 11 ? 0.0 : 10.0 * mass, 1e-9);
        }
        const scree_measures *m = scree_simulation_measures(s);
        assert_string_equal(scree_measures_name(m, 0), "all.mass");
        assert_string_equal(scree_measures_unit(m, 0), "kg");
        assert_string_equal(scree_measures_unit(m, 1), "");
        assert_null(scree_measures_name(m, scree_measures_count(m)));
        scree_simulation_destroy(s);
        scree_scene_destroy(scene);
    }
}

/* Three balls go round a period of 1 m at 1 m/s: in 3 s each passes every plane across their way three times, also the one
 * where the period ends. */
static void what_goes_round_a_period_passes_once_a_turn(void **state)
{
    (void)state;
    static const char text[] =
        "scree: 1\ngravity: 0\n" GLASS "periodic: {x: [0, 1]}\n"
        "generators:\n- {lattice: {count: [3, 1, 1], spacing: 0.3, origin: [0.1, 0, 0]}, radius: 10 mm, velocity: [1, "
        "0, 0]}\n"
        "measures:\n  middle: {flow: {at: [0.45, 0, 0], normal: x}}\n  low: {flow: {at: [0, 0, 0], normal: x}}\n"
        "  high: {flow: {at: [1, 0, 0], normal: -x}}\n  along: {flow: {at: [0, 1 mm, 0], normal: y}}\n"
        "stepper: {step: 1 ms}\nrun: {until: 3 s}\n";
    scree_scene *scene = parse(text, NULL);
    scree_simulation *s = build(scene);
    advance(s, 3000);
    assert_true(value(s, "middle.count") == 9 && value(s, "low.count") == 9);
    assert_true(value(s, "high.count") == -9 && value(s, "along.count") == 0);
    scree_simulation_destroy(s);
    scree_scene_destroy(scene);
}

/* ---- inside, profile --------------------------------------------------------------------------------------------------------------- */

/* A simple cubic packing of 4 x 4 x 4 touching balls of radius 1 mm, whose layers move at 1, 1, ... m/s; density pi / 6. */
static const char packing_text[] =
    "scree: 1\ngravity: 0\n" GLASS
    "generators:\n- {lattice: {count: [4, 4, 2], spacing: 2 mm, origin: [1 mm, 1 mm, 1 mm]}, radius: 1 mm, velocity: "
    "[1, 2, 0]}\n"
    "- {lattice: {count: [4, 4, 2], spacing: 2 mm, origin: [1 mm, 1 mm, 5 mm]}, radius: 1 mm, velocity: [3, 2, 0]}\n"
    "measures:\n  lower: {inside: {box: {min: [0, 0, 0], max: [8 mm, 8 mm, 4 mm]}}}\n"
    "  round: {inside: {cylinder: {center: [1 mm, 1 mm, 0], radius: 2.1 mm, height: 2 mm}}}\n"
    "  layers: {profile: {axis: z, min: [0, 0, 0], max: [8 mm, 8 mm, 8 mm], bins: 4}}\n"
    "  halves: {profile: {min: [0, 0, -1 mm], max: [8 mm, 8 mm, 9 mm], bins: 10}}\n"
    "  across: {profile: {axis: x, min: [0, 0, 0], max: [16 mm, 8 mm, 8 mm], bins: 2}}\n"
    "stepper: {step: 1 us}\nrun: {until: 1 us}\n";

/// The columns of the rows of a profile's first frame.
static int read_profile(const char *path, double (*row)[10])
{
    size_t size;
    char *text = read_whole(path, &size), *line = strchr(text, '\n') + 1;
    int count = 0;
    for (; *line; line = strchr(line, '\n') + 1, ++count) {
        char *at = line;
        for (int c = 0; c < 10; ++c) row[count][c] = strtod(at, &at), at += *at == ',';
        if (row[count][0] > 0.0) break;
    }
    free(text);
    return count;
}

static void a_packing_has_its_volume_fraction(void **state)
{
    (void)state;
    enum { FROM = 2, TO, COUNT, MASS, FRACTION, VX, VY };
    scree_error error = {0};
    const double mass = 2500.0 * 4.0 / 3.0 * PI * 1e-9;
    double row[32][10];
    empty_folder(folder);
    scree_scene *scene = parse(packing_text, NULL);
    scree_run_options options = scree_run_options_default();
    options.directory = in_folder("run");
    scree_run_report report = scree_run_complete(scene, &options, &error);
    if (report.outcome != SCREE_RUN_DONE) fail_msg("%s", error.text);

    assert_int_equal(read_profile(in_folder("run/profile_layers.csv"), row), 4);
    for (int k = 0; k < 4; ++k) {
        assert_true(row[k][0] == 0.0 && row[k][1] == k && row[k][COUNT] == 16.0);
        close_to(row[k][FROM], 2e-3 * k, 1e-15);
        close_to(row[k][TO], 2e-3 * (k + 1), 1e-15);
        close_to(row[k][MASS], 16 * mass, 1e-15);
        close_to(row[k][FRACTION], PI / 6.0, 1e-12);
        assert_true(row[k][VX] == (k < 2 ? 1.0 : 3.0) && row[k][VY] == 2.0);
    }
    assert_int_equal(read_profile(in_folder("run/profile_halves.csv"), row), 10);
    for (int k = 0; k < 10; ++k) /* slices of half a ball; above and below the packing there is nothing */
        close_to(row[k][FRACTION], k == 0 || k == 9 ? 0.0 : PI / 6.0, 1e-12);
    assert_true(isnan(row[0][VX]) && row[0][COUNT] == 0.0);
    assert_int_equal(read_profile(in_folder("run/profile_across.csv"), row), 2);
    close_to(row[0][FRACTION], PI / 6.0, 1e-12);
    close_to(row[0][VX], 2.0, 1e-12);
    assert_true(row[0][COUNT] == 64.0 && row[1][COUNT] == 0.0);

    scree_result *result = scree_result_open(in_folder("run"), NULL, &error);
    assert_non_null(result);
    int column = scree_result_find_column(result, "lower.count");
    assert_true(column > 0 && scree_result_column(result, column)[0] == 32.0);
    close_to(scree_result_column(result, scree_result_find_column(result, "lower.mass[kg]"))[1], 32 * mass, 1e-15);
    assert_true(scree_result_column(result, scree_result_find_column(result, "round.count"))[0] == 3.0);
    assert_int_equal(scree_result_find_column(result, "hash"), scree_result_column_count(result) - 1);
    scree_result_close(result);
    scree_run_folder_clear(in_folder("run"));
    assert_int_equal(access(in_folder("run"), F_OK), 0);
    assert_int_equal(access(in_folder("run/profile_layers.csv"), F_OK), -1);
    scree_scene_destroy(scene);
}

/* ---- heap, force ---------------------------------------------------------------------------------------------------------------------- */

/* A crate of 0.2 x 0.2 x 0.1 m and a ball at rest on a plate. */
static const char plate_text[] =
    "scree: 1\nmaterials: {stone: {density: 2500, friction: 0.5}}\n"
    "bodies:\n- {name: plate, kind: fixed, shape: {box: {size: [2, 2, 0.1]}}, position: [0, 0, -0.05]}\n"
    "- {name: crate, shape: {box: {size: [0.2, 0.2, 0.1]}}, position: [0, 0, 0.05]}\n"
    "- {name: ball, shape: {sphere: {radius: 0.1}}, position: [0.6, 0, 0.1]}\n"
    "measures:\n  whole: {force: {body: plate}}\n"
    "  under: {force: {body: plate, normal: z, area: 400 cm^2, within: {box: {min: [-0.2, -0.2, -0.1], max: [0.2, 0.2, "
    "0.1]}}}}\n"
    "  lifted: {force: {body: crate}}\n"
    "  grains: {heap: {floor: 0, reach: 50 cm}}\n"
    "solver: {tolerance: 1e-10}\nstepper: {step: 2 ms}\nrun: {until: 0.2 s}\n";

static void weights_press_on_a_plate(void **state)
{
    (void)state;
    scree_scene *scene = parse(plate_text, NULL);
    scree_simulation *s = build(scene);
    const double g = 9.81, crate = 2500.0 * 0.2 * 0.2 * 0.1 * g, ball = 2500.0 * 4.0 / 3.0 * PI * 1e-3 * g;
    take(s, 0.0); /* before the first step there is no force */
    assert_true(value(s, "whole.force_z") == 0.0 && value(s, "under.pressure") == 0.0);
    advance(s, 100);
    take(s, 2e-3);
    close_to(value(s, "whole.force_z"), -crate - ball, 1e-5 * crate);
    close_to(value(s, "under.force_z"), -crate, 1e-5 * crate);
    close_to(value(s, "under.pressure"), crate / 0.04, 1e-5 * crate / 0.04);
    close_to(value(s, "lifted.force_z"), crate, 1e-5 * crate);
    close_to(value(s, "whole.force_x"), 0.0, 1e-5 * crate);
    scree_error error = {0};
    scree_heap_options options = scree_heap_options_default();
    options.reach = 0.5;
    scree_heap heap = scree_heap_of_world(&options, scree_simulation_world(s), NULL, &error);
    assert_int_equal(error.status, SCREE_OK);
    assert_true(heap.grains == 1 && heap.height > 0.19);
    assert_true(value(s, "grains.grains") == 1.0 && value(s, "grains.height") == heap.height);
    assert_true(value(s, "grains.cone_angle") == heap.cone_angle && value(s, "grains.base_count") == 1.0);
    const scree_measures *m = scree_simulation_measures(s);
    int pressures = 0; /* only where there are normal and area */
    for (int k = 0; k < scree_measures_count(m); ++k)
        pressures += strstr(scree_measures_name(m, k), "pressure") != NULL;
    assert_int_equal(pressures, 1);
    scree_simulation_destroy(s);
    scree_scene_destroy(scene);
}

/* A skin of spheres, so close that it has no holes, whose tops lie on a cone of 30 degrees and as high as their distance from its side. */
static void a_heap_of_known_slope_has_its_angle(void **state)
{
    (void)state;
    enum { SIDE = 121 };
    const double r = 2e-3, top = 60 * r * 0.57735026918962576, slope = PI / 6.0;
    static char text[400 + 64 * SIDE * SIDE];
    size_t used =
        (size_t)snprintf(text, sizeof text,
                         "scree: 1\ngravity: 0\n" GLASS "measures: {pile: {heap: {}}}\nstepper: {step: 1 us}\n"
                         "run: {until: 1 us}\nbodies:\n");
    for (int i = 0; i < SIDE; ++i)
        for (int j = 0; j < SIDE; ++j) {
            const int column = i - SIDE / 2, row = j - SIDE / 2;
            double x = r * column, y = r * row, z = top - tan(slope) * hypot(x, y);
            if (z < r) continue;
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "- {shape: {sphere: {radius: 2 mm}}, position: [%g, %g, %g]}\n", x, y, z - r);
        }
    scree_scene *scene = parse(text, NULL);
    scree_simulation *s = build(scene);
    take(s, 0.0);
    print_message("a cone of 30 degrees: %.2f degrees\n", value(s, "pile.flank_angle") * 180.0 / PI);
    close_to(value(s, "pile.flank_angle"), slope, 0.01);
    scree_simulation_destroy(s);
    scree_scene_destroy(scene);
}

/* ---- the same bits ---------------------------------------------------------------------------------------------------------------------- */

/* Grains are poured through a gate onto a floor; all kinds of measures. */
static const char pour_text[] =
    "scree: 1\n" GLASS "bodies: [{name: floor, shape: {plane: {}}}]\n"
    "generators:\n- {name: grain, pour: {count: 40, every: 0.2 ms, from: {disk: {center: [0, 0, 12 mm], radius: 3 "
    "mm}}}, "
    "radius: 1 mm, velocity: [0, 0, -2 m/s]}\n"
    "measures:\n  gate: {flow: {at: [0, 0, 8 mm], normal: -z, within: {disk: {center: [0, 0, 0], radius: 2 mm}}}}\n"
    "  below: {inside: {box: {min: [-1, -1, 0], max: [1, 1, 4 mm]}}}\n"
    "  column: {profile: {min: [-5 mm, -5 mm, 0], max: [5 mm, 5 mm, 14 mm], bins: 7}}\n"
    "  pile: {heap: {}}\n  floor_load: {force: {body: floor, normal: z, area: 1 cm^2}}\n"
    "stepper: {scheme: dem, step: 2 us}\nrun: {until: 7.3 ms}\noutput: {every: 0.5 ms, checkpoint: 1 ms}\n";

static void batches_change_nothing(void **state)
{
    (void)state;
    static const int batches[] = {1000, 1, 7, 33};
    scree_scene *scene = parse(pour_text, NULL);
    double count = 0.0, mass = 0.0;
    for (size_t k = 0; k < sizeof batches / sizeof *batches; ++k) {
        scree_simulation *s = build(scene);
        for (int left = 3000; left > 0; left -= batches[k]) advance(s, left < batches[k] ? left : batches[k]);
        if (k == 0) count = value(s, "gate.count"), mass = value(s, "gate.mass");
        assert_true(value(s, "gate.count") == count && value(s, "gate.mass") == mass);
        scree_simulation_destroy(s);
    }
    print_message("%g grains through the gate\n", count);
    assert_true(count > 5.0 && count < 40.0);
    scree_scene_destroy(scene);
}

static int stop_later(scree_run *run, scree_run_event event, const scree_error *notice, void *context)
{
    int *left = context;
    (void)run, (void)notice;
    return event != SCREE_RUN_EVENT_STEPS || --*left != 0;
}

static void same_file(const char *name)
{
    char path[2][128];
    size_t size[2];
    snprintf(path[0], sizeof path[0], "whole/%s", name), snprintf(path[1], sizeof path[1], "part/%s", name);
    char *a = read_whole(in_folder(path[0]), &size[0]), *b = read_whole(in_folder(path[1]), &size[1]);
    if (size[0] != size[1] || memcmp(a, b, size[0]) != 0) fail_msg("%s differs", name);
    assert_true(size[0] > 500);
    free(a), free(b);
}

static void a_resumed_run_measures_the_same(void **state)
{
    (void)state;
    static const char *const sets[] = {NULL, "stepper={step: 0.1 ms}"};
    for (int k = 0; k < 2; ++k) {
        empty_folder(folder);
        scree_scene *scene = parse(pour_text, sets[k]);
        scree_error error = {0};
        scree_run_options o = scree_run_options_default();
        o.directory = in_folder("whole");
        scree_run_report whole = scree_run_complete(scene, &o, &error), part;
        if (whole.outcome != SCREE_RUN_DONE) fail_msg("%s", error.text);
        int stops = 0;
        do {
            int left = 3 + stops % 4;
            o = scree_run_options_default();
            o.directory = in_folder("part"), o.resume = 1, o.threads = 1 + stops % 2;
            o.event = stop_later, o.context = &left;
            part = scree_run_complete(scene, &o, &error);
            stops += part.outcome == SCREE_RUN_INTERRUPTED;
        } while (part.outcome == SCREE_RUN_INTERRUPTED && stops < 100);
        if (part.outcome != SCREE_RUN_DONE) fail_msg("%s", error.text);
        assert_true(stops > 3 && part.hash == whole.hash);
        same_file("series.csv");
        same_file("profile_column.csv");
        scree_scene_destroy(scene);
    }
}

/* ---- failing memory ------------------------------------------------------------------------------------------------------------------------ */

static void every_failed_allocation_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    scree_scene *scene = parse(pour_text, "stepper={step: 0.5 ms}");
    scree_status status = SCREE_ERR_MEMORY;
    for (int n = 0; status != SCREE_OK; n += 1 + n / 60) {
        failing f = {.left = n};
        scree_allocator a = failing_allocator(&f);
        scree_error error = {0};
        scree_run_options o = scree_run_options_default();
        empty_folder(folder);
        o.directory = in_folder("run"), o.allocator = &a, o.until = 1.6e-3;
        scree_run_report report = scree_run_complete(scene, &o, &error);
        status = report.status;
        assert_int_equal(f.live, 0);
        assert_true(status == SCREE_OK || (status == SCREE_ERR_MEMORY && error.text[0] != '\0'));
        assert_true(n < 20000);
    }
    scree_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_that_fall_through_a_plane_are_a_known_flow),
        cmocka_unit_test(what_goes_round_a_period_passes_once_a_turn),
        cmocka_unit_test(a_packing_has_its_volume_fraction),
        cmocka_unit_test(weights_press_on_a_plate),
        cmocka_unit_test(a_heap_of_known_slope_has_its_angle),
        cmocka_unit_test(batches_change_nothing),
        cmocka_unit_test(a_resumed_run_measures_the_same),
        cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
