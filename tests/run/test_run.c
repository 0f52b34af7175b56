/* The run loop of the library: events in their order, the same bits in one go and in parts, folders that are not one's own, failures
 * that leave a run from which one can resume, and no allocation that fails passed over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "test_folder.h"

#include <scree/run.h>

#include <math.h>
#include <string.h>

static const char rigid_text[] =
    "scree: 1\nmaterials: {stone: {density: 2500, friction: 0.5, rolling: 0.1 r}}\n"
    "bodies: [{name: floor, shape: {plane: {}}}]\n"
    "generators:\n- {pour: {count: 12, every: 15 ms, from: {disk: {center: [0, 0, 0.1], radius: 0.02}}}, radius: 9 "
    "mm}\n"
    "stepper: {step: 5 ms}\nrun: {until: 0.33 s}\noutput: {every: 40 ms, checkpoint: 100 ms}\n";

static const char soft_text[] =
    "scree: 1\n"
    "materials: {glass: {density: 2500, friction: 0.4, restitution: 0.6, dem: {stiffness: 20 kN/m, slide_stiffness: 6 "
    "kN/m}}}\n"
    "bodies: [{name: floor, shape: {plane: {}}}]\n"
    "generators:\n- {lattice: {count: [4, 4, 4], spacing: 1.99 mm, origin: [0, 0, 1 mm]}, radius: 1 mm}\n"
    "- {pour: {count: 4, every: 0.3 ms, from: {box: {min: [0, 0, 16 mm], max: [8 mm, 8 mm, 20 mm]}}}, radius: 1 mm}\n"
    "stepper: {scheme: dem, step: 2 us}\nrun: {until: 2.1 ms}\noutput: {every: 0.4 ms, checkpoint: 1 ms}\n";

static scree_scene *parse(const char *text, const char *set)
{
    scree_error error = {.text = ""};
    scree_scene *scene = scree_scene_parse(text, strlen(text), "case.yaml", &set, set != NULL, NULL, &error);
    if (!scene) fail_msg("%s", error.text);
    return scene;
}

/// What happened in a run, and when it is to be stopped.
typedef struct witness {
    char events[4096];  /* their names, each with a space behind it */
    int steps, stop_at; /* stops at this event of steps; 0: never   */
} witness;

static int watch(scree_run *run, scree_run_event event, const scree_error *notice, void *context)
{
    witness *w = context;
    (void)run, (void)notice;
    size_t used = strlen(w->events);
    snprintf(w->events + used, sizeof w->events - used, "%s ", scree_run_event_name(event));
    w->steps += event == SCREE_RUN_EVENT_STEPS;
    return w->stop_at == 0 || w->steps != w->stop_at;
}

static scree_run_options options_for(const char *directory, witness *w)
{
    scree_run_options o = scree_run_options_default();
    o.directory = directory, o.event = w ? watch : NULL, o.context = w;
    return o;
}

static scree_run_report run_well(const scree_scene *scene, const scree_run_options *options)
{
    scree_error error = {0};
    scree_run_report report = scree_run_complete(scene, options, &error);
    if (error.status != SCREE_OK) fail_msg("%s", error.text);
    return report;
}

static int there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void same_file(const char *a, const char *b)
{
    size_t size[2];
    char *text[2] = {read_whole(a, &size[0]), read_whole(b, &size[1])};
    if (size[0] != size[1] || memcmp(text[0], text[1], size[0]) != 0) fail_msg("%s and %s differ", a, b);
    free(text[0]), free(text[1]);
}

static void file_has(const char *path, const char *words)
{
    size_t size;
    char *text = read_whole(path, &size);
    if (!strstr(text, words)) fail_msg("%s has no %s", path, words);
    free(text);
}

/* ---- events ---------------------------------------------------------------------------------------------------------------- */

static void events_come_in_their_order(void **state)
{
    (void)state;
    static const struct {
        double until;
        int writes;
        const char *events;
    } cases[] = {
        {0.03, 1,
         "start frame steps steps frame checkpoint steps checkpoint frame end "}, /* the end is no output time */
        {0.04, 1, "start frame steps steps frame checkpoint steps steps frame checkpoint end "},
        {0.03, 0, "start frame steps steps frame steps frame end "},
        {0.04, 0, "start frame steps steps frame steps steps frame end "},
    };
    static const char *const set = "stepper.step=10 ms";
    scree_scene *scene = parse(rigid_text, set);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        empty_folder(folder);
        witness w = {.events = ""};
        scree_run_options o = options_for(cases[k].writes ? in_folder("run") : NULL, &w);
        o.until = cases[k].until, o.every = 0.02, o.checkpoint_seconds = 1e9;
        scree_scene *twice = parse(scree_scene_text(scene), "output.checkpoint=20 ms");
        scree_run_report report = run_well(twice, &o);
        assert_string_equal(w.events, cases[k].events);
        assert_true(report.outcome == SCREE_RUN_DONE && report.frames == 3 && report.until == cases[k].until);
        assert_true(fabs(report.time - cases[k].until) < 1e-12 && report.last.step == report.totals.steps);
        assert_true(report.checkpoint_time == (cases[k].writes ? report.time : -1.0));
        assert_int_equal(there(in_folder("run")), cases[k].writes);
        scree_scene_destroy(twice);
    }
    scree_scene_destroy(scene);
}

static void steps_are_taken_in_batches(void **state)
{
    (void)state;
    scree_scene *scene = parse(soft_text, "output.every=0");
    witness w = {.events = ""}, rare = {.events = ""};
    scree_run_options o = options_for(NULL, &w);
    scree_run_report report = run_well(scene, &o);
    assert_true(report.totals.steps == 1050 && w.steps < 30);
    o.context = &rare, o.steps_seconds = 1e9;
    scree_run_report again = run_well(scene, &o);
    assert_string_equal(rare.events, "start frame steps frame end ");
    assert_true(again.hash == report.hash && again.last.step == 1050);
    scree_simulation *single = NULL; /* the last step is reported as if all had been taken one by one */
    scree_step_report last;
    scree_error error = {0};
    o.until = 4e-5, report = run_well(scene, &o); /* while the grains touch */
    single = scree_simulation_create(scene, 0, NULL, &error);
    assert_int_equal(error.status, SCREE_OK);
    for (int n = 0; n < 20; ++n) assert_int_equal(scree_simulation_step(single, &last, &error), SCREE_OK);
    assert_true(last.energy.impact != 0.0 && last.energy.impact == report.last.energy.impact);
    assert_true(last.energy.elastic == report.last.energy.elastic && last.contacts == report.last.contacts);
    assert_true(last.contacts > 0 && last.penetration == report.last.penetration);
    scree_simulation_destroy(single);
    scree_scene_destroy(scene);
}

/* ---- in parts ---------------------------------------------------------------------------------------------------------------- */

static void a_stopped_run_resumes_with_the_same_bits(void **state)
{
    (void)state;
    static const char *const texts[] = {rigid_text, soft_text};
    for (int k = 0; k < 2; ++k) {
        empty_folder(folder);
        scree_scene *scene = parse(texts[k], NULL);
        scree_run_options o = options_for(in_folder("whole"), NULL);
        scree_run_report whole = run_well(scene, &o), part;
        o.directory = NULL;
        assert_true(run_well(scene, &o).hash == whole.hash); /* writing changes nothing */
        for (int at = 1, stops = 0; at < 12; at += 3, stops = 0) {
            char name[32];
            snprintf(name, sizeof name, "part%d", at);
            do {
                witness w = {.events = "", .stop_at = at};
                o = options_for(in_folder(name), &w), o.resume = 1, o.threads = 1 + at % 2;
                part = run_well(scene, &o);
                assert_int_equal(part.resumed, stops > 0);
                stops += part.outcome == SCREE_RUN_INTERRUPTED;
                if (part.outcome == SCREE_RUN_INTERRUPTED) assert_true(part.checkpoint_time == part.time);
            } while (part.outcome == SCREE_RUN_INTERRUPTED && stops < 200);
            assert_true(part.outcome == SCREE_RUN_DONE && stops > 0);
            assert_true(part.hash == whole.hash && part.totals.steps == whole.totals.steps &&
                        part.frames == whole.frames && part.last.step == whole.last.step);
            assert_true(part.totals.energy.slide == whole.totals.energy.slide);
            char file[64];
            snprintf(file, sizeof file, "%s/series.csv", name);
            same_file(in_folder("whole/series.csv"), in_folder(file));
            snprintf(file, sizeof file, "%s/frames.scree", name);
            same_file(in_folder("whole/frames.scree"), in_folder(file));
        }
        scree_scene_destroy(scene);
    }
}

static void a_time_limit_stops_with_a_checkpoint(void **state)
{
    (void)state;
    empty_folder(folder);
    scree_scene *scene = parse(rigid_text, NULL);
    witness w = {.events = ""};
    scree_run_options o = options_for(in_folder("run"), &w);
    o.seconds = 1e-9;
    scree_run_report report = run_well(scene, &o);
    assert_string_equal(w.events, "start frame time_up ");
    assert_true(report.outcome == SCREE_RUN_INTERRUPTED && report.time == 0.0 && report.checkpoint_time == 0.0);
    file_has(in_folder("run/summary.json"), "\"outcome\": \"interrupted\"");
    o.seconds = 0.0, o.resume = 1;
    report = run_well(scene, &o);
    o.directory = NULL, o.resume = 0;
    assert_true(report.resumed && report.hash == run_well(scene, &o).hash);
    scree_scene_destroy(scene);
}

/// A simulation that was stepped by its owner, and is stepped by him again.
static void a_simulation_can_be_lent(void **state)
{
    (void)state;
    scree_scene *scene = parse(rigid_text, NULL);
    scree_simulation *simulation = NULL;
    scree_step_report last;
    scree_error error = {.text = ""};
    simulation = scree_simulation_create(scene, 0, NULL, &error);
    assert_int_equal(error.status, SCREE_OK);
    assert_int_equal(scree_simulation_advance(simulation, 10, &last, &error), SCREE_OK);
    scree_run_options o = options_for(NULL, NULL);
    o.simulation = simulation, o.last = &last, o.until = 0.2;
    assert_int_equal(run_well(scene, &o).last.step, 40);
    assert_int_equal(scree_simulation_advance(simulation, 26, &last, &error), SCREE_OK);
    o = options_for(NULL, NULL);
    assert_true(run_well(scene, &o).hash == scree_world_hash(scree_simulation_world(simulation)));
    scree_simulation_destroy(simulation);
    scree_scene_destroy(scene);
}

/// The report of many steps is the sum of those of single ones, wherever grains were poured in between.
static void a_report_adds_up(void **state)
{
    (void)state;
    static const char *const texts[] = {rigid_text, soft_text};
    for (int k = 0; k < 2; ++k) {
        scree_scene *scene = parse(texts[k], NULL);
        scree_simulation *one = NULL, *many = NULL;
        scree_step_report sum, part;
        scree_error error = {0};
        const int steps = k == 0 ? 66 : 700;
        double friction = 0.0, gravity = 0.0;
        int64_t sweeps = 0, *poured;
        one = scree_simulation_create(scene, 0, NULL, &error);
        assert_int_equal(error.status, SCREE_OK);
        many = scree_simulation_create(scene, 0, NULL, &error);
        assert_int_equal(error.status, SCREE_OK);
        assert_int_equal(scree_simulation_advance(many, steps, &sum, &error), SCREE_OK);
        for (int n = 0; n < steps; ++n) {
            assert_int_equal(scree_simulation_step(one, &part, &error), SCREE_OK);
            friction += part.energy.slide, sweeps += part.solve.iterations, gravity += part.energy.impact;
        }
        scree_simulation_sources(many, &poured);
        assert_true(poured[0] > 2 && sum.step == steps && sum.time == part.time && friction > 0.0 && gravity > 0.0);
        assert_int_equal(sum.solve.iterations, sweeps);
        assert_true(fabs(sum.energy.slide - friction) < 1e-9 * friction);
        assert_true(fabs(sum.energy.impact - gravity) < 1e-9 * gravity);
        scree_simulation_destroy(one), scree_simulation_destroy(many);
        scree_scene_destroy(scene);
    }
}

/* ---- folders ------------------------------------------------------------------------------------------------------------------ */

static void a_folder_that_holds_a_run_is_kept(void **state)
{
    (void)state;
    empty_folder(folder);
    scree_scene *scene = parse(rigid_text, NULL), *other = parse(rigid_text, "materials.stone.friction=0.4"),
                *shorter = parse(rigid_text, "stepper.step=4 ms");
    char directory[512];
    snprintf(directory, sizeof directory, "%s", in_folder("run"));
    scree_run_options o = options_for(directory, NULL);
    scree_run_report report;
    scree_run_found found;
    scree_error error = {0};
    assert_null(scree_run_folder_used(o.directory));
    o.until = 0.1, run_well(scene, &o);
    assert_string_equal(scree_run_folder_used(o.directory), "checkpoint.h5");
    size_t size;
    char *before = read_whole(in_folder("run/series.csv"), &size);

    error = (scree_error){0};
    report = scree_run_complete(scene, &o, &error);
    assert_true(error.status == SCREE_ERR_INPUT && report.status == SCREE_ERR_INPUT);
    assert_string_equal(error.text, "the folder already holds a run (checkpoint.h5)");
    assert_true(report.outcome == SCREE_RUN_ABORTED && !report.writing);
    o.resume = 1;
    error = (scree_error){0};
    found = scree_run_find(other, &o, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    assert_int_equal(found, SCREE_RUN_FOUND_OTHER_SCENE);
    assert_non_null(strstr(error.text, "the scene has changed since the run in "));
    error = (scree_error){0};
    report = scree_run_complete(other, &o, &error);
    assert_true(error.status == SCREE_ERR_INPUT && report.status == SCREE_ERR_INPUT);
    error = (scree_error){0};
    found = scree_run_find(shorter, &o, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    o.new_step = 1;
    error = (scree_error){0};
    found = scree_run_find(other, &o, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    error = (scree_error){0};
    found = scree_run_find(shorter, &o, &error);
    assert_int_equal(error.status, SCREE_OK);
    assert_int_equal(found, SCREE_RUN_FOUND_CHECKPOINT);
    write_whole(in_folder("after.csv"), before, size);
    same_file(in_folder("run/series.csv"), in_folder("after.csv")); /* none of these has changed it */

    /* resumed with another step, and killed: the new scene has its checkpoint before its first step */
    scree_run_event event;
    scree_run *killed = scree_run_create(shorter, &o, &error);
    assert_int_equal(error.status, SCREE_OK);
    assert_int_equal(scree_run_next(killed, &event, &error), SCREE_OK);
    assert_int_equal(event, SCREE_RUN_EVENT_START);
    assert_int_equal(scree_run_next(killed, &event, &error), SCREE_OK);
    assert_int_equal(event, SCREE_RUN_EVENT_CHECKPOINT);
    scree_run_destroy(killed);
    o.new_step = 0;
    error = (scree_error){0};
    found = scree_run_find(shorter, &o, &error);
    assert_int_equal(error.status, SCREE_OK);
    assert_int_equal(found, SCREE_RUN_FOUND_CHECKPOINT);

    o.until = 0.14;
    report = run_well(shorter, &o);
    assert_true(report.resumed && report.last.h == 4e-3 && report.last.step == 20 + 10);
    o.resume = 0, o.new_step = 0, o.replace = 1, o.until = 0.0;
    report = run_well(other, &o);
    assert_true(!report.resumed && report.last.step == 66);
    write_whole(in_folder("run/checkpoint.h5"), "nothing", 7);
    error = (scree_error){0};
    found = scree_run_find(other, &o, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    assert_int_equal(found, SCREE_RUN_FOUND_UNREADABLE);
    write_whole(in_folder("run/mine.txt"), "mine", 4);
    scree_run_folder_clear(o.directory);
    assert_true(there(in_folder("run/mine.txt")) && !there(in_folder("run/series.csv")));
    error = (scree_error){0};
    found = scree_run_find(other, &o, &error);
    assert_int_equal(error.status, SCREE_OK);
    assert_int_equal(found, SCREE_RUN_FOUND_NOTHING);
    free(before);
    scree_scene_destroy(scene), scree_scene_destroy(other), scree_scene_destroy(shorter);
}

/// By the path of the scene: read, run, report.
static void a_scene_is_run_by_its_path(void **state)
{
    (void)state;
    empty_folder(folder);
    scree_error error = {0};
    scree_scene *scene = parse(rigid_text, NULL);
    scree_run_options o = options_for(NULL, NULL);
    const uint64_t hash = run_well(scene, &o).hash;
    write_whole(in_folder("pour.yaml"), rigid_text, strlen(rigid_text));
    o.directory = in_folder("run");
    scree_run_report report = scree_run_scene(in_folder("pour.yaml"), &o, &error);
    assert_true(report.outcome == SCREE_RUN_DONE && report.status == SCREE_OK && error.status == SCREE_OK);
    assert_true(report.hash == hash && there(in_folder("run/series.csv")));
    assert_true(scree_run_scene(in_folder("pour.yaml"), NULL, NULL).hash ==
                hash); /* the defaults: nothing is written */
    report = scree_run_scene(in_folder("none.yaml"), &o, &error);
    assert_true(report.outcome == SCREE_RUN_ABORTED && report.status == SCREE_ERR_FILE &&
                error.status == SCREE_ERR_FILE);
    char text[sizeof error.text];
    memcpy(text, error.text, sizeof text);
    o.replace = 1; /* an error that is set stops all that follows */
    report = scree_run_scene(in_folder("pour.yaml"), &o, &error);
    assert_true(report.outcome == SCREE_RUN_ABORTED && report.status == SCREE_ERR_FILE);
    assert_string_equal(error.text, text);
    assert_null(scree_run_create(scene, &o, &error));
    assert_null(scree_simulation_create(scene, 0, NULL, &error));
    scree_scene_destroy(scene);
}

/* ---- failures ------------------------------------------------------------------------------------------------------------------ */

static void a_step_that_fails_leaves_what_was_computed(void **state)
{
    (void)state;
    empty_folder(folder);
    scree_scene *scene = parse(rigid_text, "speed_limit=1 m/s");
    scree_run_options o = options_for(in_folder("run"), NULL);
    scree_run_report report;
    scree_error error = {0};
    report = scree_run_complete(scene, &o, &error);
    assert_true(error.status != SCREE_OK && report.status == error.status);
    assert_true(report.outcome == SCREE_RUN_FAILED && !report.writing && report.last.step > 0);
    assert_true(report.checkpoint_time == report.time && report.time > 0.0);
    assert_non_null(strstr(error.text, "speed"));
    file_has(in_folder("run/summary.json"), "\"outcome\": \"failed\"");
    o.resume = 1; /* and meets it again */
    uint64_t hash = report.hash;
    error = (scree_error){0};
    report = scree_run_complete(scene, &o, &error);
    assert_true(error.status != SCREE_OK && report.status == error.status);
    assert_true(report.outcome == SCREE_RUN_FAILED && report.resumed && report.hash == hash);

    write_whole(in_folder("file"), "", 0);
    o = options_for(in_folder("file/run"), NULL);
    error = (scree_error){0};
    report = scree_run_complete(scene, &o, &error);
    assert_true(error.status == SCREE_ERR_WRITE && report.status == SCREE_ERR_WRITE);
    assert_true(report.outcome == SCREE_RUN_ABORTED && report.writing);
    o.directory = "";
    error = (scree_error){0};
    report = scree_run_complete(scene, &o, &error);
    assert_true(error.status == SCREE_ERR_INPUT && report.status == SCREE_ERR_INPUT);
    scree_scene_destroy(scene);
}

/// Whichever request for memory is refused: the run reports it, gives all back, and what is on disk can be resumed.
static void no_refused_memory_is_passed_over(void **state)
{
    (void)state;
    scree_scene *scene = parse(rigid_text, "output.checkpoint=20 ms");
    scree_run_options plain = options_for(NULL, NULL);
    plain.until = 0.05;
    const uint64_t hash = run_well(scene, &plain).hash;
    scree_status status = SCREE_ERR_MEMORY;
    int resumed = 0, n = 0;
    for (; status != SCREE_OK; n += SCREE_SAMPLE_SHARE) {
        failing f = {.left = n};
        scree_allocator a = failing_allocator(&f);
        scree_run_options o = options_for(in_folder("memory"), NULL);
        scree_error error = {0};
        empty_folder(folder);
        o.until = 0.05, o.every = 0.02, o.allocator = &a;
        scree_run_report report = scree_run_complete(scene, &o, &error);
        status = error.status;
        assert_int_equal(f.live, 0);
        if (status != SCREE_OK) {
            assert_int_equal(status, SCREE_ERR_MEMORY);
            assert_true(report.outcome == SCREE_RUN_ABORTED && error.text[0] != '\0');
        } else assert_true(report.outcome == SCREE_RUN_DONE && report.hash == hash && f.left >= 0);
        o.resume = 1, o.allocator = NULL;
        scree_run_report again = run_well(scene, &o);
        assert_true(again.hash == hash && again.outcome == SCREE_RUN_DONE);
        resumed += again.resumed;
    }
    assert_true(n > 50 &&
                resumed > (SCREE_SAMPLE_SHARE > 1 ? 1 : 5)); /* few requests come after the first checkpoint */
    scree_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_in_their_order),
        cmocka_unit_test(steps_are_taken_in_batches),
        cmocka_unit_test(a_stopped_run_resumes_with_the_same_bits),
        cmocka_unit_test(a_time_limit_stops_with_a_checkpoint),
        cmocka_unit_test(a_simulation_can_be_lent),
        cmocka_unit_test(a_report_adds_up),
        cmocka_unit_test(a_folder_that_holds_a_run_is_kept),
        cmocka_unit_test(a_scene_is_run_by_its_path),
        cmocka_unit_test(a_step_that_fails_leaves_what_was_computed),
        cmocka_unit_test(no_refused_memory_is_passed_over),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
