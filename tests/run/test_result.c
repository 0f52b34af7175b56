/* A run's folder is read back with the bits that were written; half an entry does not count; every damaged byte is found; a file made
 * by hand with wrong indices is refused; other formats made from it have the bytes that the run itself would have written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "failing_allocator.h"
#include "output_scene.h"
#include "run/frames.h"

#include <math.h>
#include <sys/stat.h>

enum { FRAMES = 3 };

/// Three frames of a run in which a body is added and one removed after the first; `world` is as at the last one.
static scree_world *make_run(scree_step_report *report)
{
    scree_error error = {0};
    scree_world *world = make_world();
    scree_stepper *stepper = make_stepper();
    scree_shape sphere = scree_shape_sphere(0.07, scree_material_at(0));
    static const double corner[] = {0, 0, 0, 0.2, 0, 0, 0, 0.2, 0, 0, 0, 0.2};
    scree_geometry *stone = scree_geometry_hull(corner, 4, NULL, &error);
    good(error.status, &error);
    scree_shape hull = scree_shape_hull(stone, 1.0, scree_material_at(0));
    add(world, SCREE_BODY_DYNAMIC, "stone", &hull, 1, 8.0, 0.0, 0.3);
    scree_geometry_release(stone);
    scree_joint_def hinge = scree_joint_def_default();
    hinge.kind = SCREE_JOINT_HINGE, hinge.name = "knee",
    hinge.body_b = scree_body_at(scree_body_index(scree_world_find_body(world, "stone")));
    hinge.anchor[0] = 8.2, hinge.anchor[2] = 0.4, hinge.axis[0] = hinge.axis[1] = 1.0;
    scree_world_add_joint(world, &hinge, &error);
    good(error.status, &error);
    empty_folder(folder);
    scree_output *output = make_output(0, NULL);
    good(scree_output_frame(output, world, NULL, scree_stepper_totals(stepper), &error), &error);
    for (int k = 1; k < FRAMES; ++k) {
        add(world, SCREE_BODY_DYNAMIC, k == 1 ? "late" : "pill", &sphere, 1, 5.0 + k, 0.0, 0.0699);
        step(stepper, world, 20, report);
        if (k == 1)
            scree_world_remove_body(world, scree_body_at(scree_body_index(scree_world_find_body(world, "egg"))));
        good(scree_output_frame(output, world, report, scree_stepper_totals(stepper), &error), &error);
    }
    good(scree_output_text(output, "scene.yaml", "scree: 1\n", &error), &error);
    scree_output_destroy(output);
    scree_stepper_destroy(stepper);
    return world;
}

static scree_result *open_folder(void)
{
    scree_error error = {0};
    scree_result *result = scree_result_open(folder, NULL, &error);
    good(error.status, &error);
    return result;
}

/// Opens the folder and reads every frame; how many there were.
static scree_status read_everything(const scree_allocator *allocator, int *frames, scree_error *error)
{
    *error = (scree_error){0};
    scree_result *result = scree_result_open(folder, allocator, error);
    scree_status status = error->status;
    assert_true((status == SCREE_OK) == (result != NULL));
    *frames = result ? scree_result_frame_count(result) : 0;
    for (int k = 0; k < *frames && status == SCREE_OK; ++k) {
        scree_frame *frame = scree_result_frame(result, k, error);
        status = error->status;
        assert_true((status == SCREE_OK) == (frame != NULL));
        scree_frame_free(frame);
    }
    scree_result_close(result);
    return status;
}

/* ---- what was written comes back ------------------------------------------------------------------------------------------ */

static void assert_same_frame(const scree_frame *a, const scree_frame *b)
{
    size_t n = (size_t)a->body_count;
    assert_true(a->time == b->time && a->h == b->h && a->step == b->step);
    assert_true(a->body_count == b->body_count && a->shape_count == b->shape_count);
    assert_int_equal(a->contact_count, b->contact_count);
    assert_memory_equal(a->kind, b->kind, n);
    assert_memory_equal(a->position, b->position, n * 24);
    assert_memory_equal(a->rotation, b->rotation, n * 32);
    assert_memory_equal(a->velocity, b->velocity, n * 24);
    assert_memory_equal(a->angular_velocity, b->angular_velocity, n * 24);
    for (int s = 0; s < a->shape_count; ++s) {
        const scree_shape *x = &a->shape[s], *y = &b->shape[s];
        assert_true(x->kind == y->kind && x->material.index1 == y->material.index1 &&
                    a->shape_body[s] == b->shape_body[s]);
        assert_memory_equal(x->size, y->size, sizeof x->size);
        assert_memory_equal(x->position, y->position, sizeof x->position);
        assert_memory_equal(x->rotation, y->rotation, sizeof x->rotation);
    }
    for (int k = 0; k < a->contact_count; ++k) {
        const scree_contact_point *x = &a->contact[k], *y = &b->contact[k];
        assert_true(x->body_a == y->body_a && x->body_b == y->body_b && x->shape_a == y->shape_a);
        assert_true(x->shape_b == y->shape_b && x->feature == y->feature && x->age == y->age && x->mode == y->mode);
        assert_memory_equal(x->position, y->position, sizeof x->position);
        assert_memory_equal(x->normal, y->normal, sizeof x->normal);
        assert_memory_equal(x->tangent, y->tangent, sizeof x->tangent);
        assert_memory_equal(&x->cone, &y->cone, sizeof x->cone);
        assert_true(x->gap == y->gap && x->restitution == y->restitution && x->stiffness == y->stiffness);
        assert_memory_equal(x->impulse, y->impulse, sizeof x->impulse);
        assert_memory_equal(x->velocity, y->velocity, sizeof x->velocity);
    }
}

static void a_frame_has_the_bits_of_the_world(void **state)
{
    (void)state;
    scree_error error = {0};
    scree_step_report report;
    scree_world *world = make_run(&report);
    scree_result *result = open_folder();
    scree_frame *first, *last;
    char name[64], expected[64];
    assert_int_equal(scree_result_frame_count(result), FRAMES);
    last = scree_result_frame(result, FRAMES - 1, &error);
    good(error.status, &error); /* in any order, and two at once */
    first = scree_result_frame(result, 0, &error);
    good(error.status, &error);
    const scree_frame now = scree_frame_of_world(world, report.h);
    assert_true(now.contact_count > 3);
    assert_same_frame(last, &now);
    assert_true(first->body_count == now.body_count - 2 && first->shape_count == now.shape_count - 2);
    assert_true(first->h == 0.0 && first->step == 0 && first->contact_count == 0);
    const scree_frame_joint *knee = &last->joint[0];
    assert_true(last->joint_count == 1 && first->joint_count == 1 && scree_result_joint_count(result) == 1);
    assert_true(knee == scree_result_joints(result) && knee->kind == SCREE_JOINT_HINGE && knee->body_a == -1);
    assert_int_equal(knee->body_b, scree_body_index(scree_world_find_body(world, "stone")));
    assert_string_equal(knee->name, "knee");
    assert_memory_equal(knee->anchor_a, world->joint[0].anchor[0], sizeof knee->anchor_a);
    assert_memory_equal(knee->anchor_b, world->joint[0].anchor[1], sizeof knee->anchor_b);
    assert_memory_equal(knee->axis, world->joint[0].axis[0], sizeof knee->axis);
    int egg = scree_body_index(scree_world_find_body(world, "egg"));
    assert_true(first->kind[egg] == SCREE_BODY_DYNAMIC && last->kind[egg] == SCREE_BODY_REMOVED);
    assert_int_equal(scree_result_body_count(result), now.body_count);
    for (int b = 0; b < now.body_count; ++b)
        assert_string_equal(scree_result_body_name(result, b, name, sizeof name),
                            scree_world_body_name(world, scree_body_at(b), expected, sizeof expected));
    assert_int_equal(scree_result_material_count(result), 1);
    assert_string_equal(scree_result_material_name(result, 0), "stone");
    const double *time = scree_result_frame_times(result);
    assert_true(time[0] == 0.0 && time[FRAMES - 1] == scree_world_time(world));
    assert_int_equal(scree_result_nearest_frame(result, 1e9), FRAMES - 1);
    assert_int_equal(scree_result_nearest_frame(result, 0.6 * time[1]), 1);
    scree_frame_free(first), scree_frame_free(last);
    scree_result_close(result);
    scree_world_destroy(world);
}

static void series_and_texts_come_back(void **state)
{
    (void)state;
    scree_step_report report;
    scree_world *world = make_run(&report);
    char hash[32];
    scree_result *result = open_folder();
    assert_string_equal(scree_result_scene(result), "scree: 1\n");
    assert_string_equal(scree_result_summary(result), "");
    assert_int_equal(scree_result_row_count(result), FRAMES);
    int time = scree_result_find_column(result, "time[s]"), kinetic = scree_result_find_column(result, "kinetic[J]");
    int last = scree_result_find_column(result, "hash"), wall = scree_result_find_column(result, "floor.force_z[N]");
    assert_true(time == 0 && kinetic > 0 && wall > 0 && last == scree_result_column_count(result) - 1);
    assert_true(scree_result_find_column(result, "wall, \"left\".force_x[N]") > 0);
    assert_int_equal(scree_result_find_column(result, "nothing"), -1);
    assert_true(scree_result_column(result, time)[FRAMES - 1] == scree_world_time(world));
    assert_true(scree_result_column(result, kinetic)[FRAMES - 1] == scree_world_energy(world).kinetic);
    assert_true(isnan(scree_result_column(result, last)[0]));
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)scree_world_hash(world));
    assert_string_equal(scree_result_field(result, FRAMES - 1, last), hash);
    assert_string_equal(scree_result_column_name(result, wall), "floor.force_z[N]");
    scree_result_close(result);
    scree_world_destroy(world);
}

static void assert_same_file(const char *a, const char *b)
{
    size_t size_a, size_b;
    char *text_a = read_whole(a, &size_a), *text_b = read_whole(b, &size_b);
    if (size_a != size_b || memcmp(text_a, text_b, size_a) != 0) fail_msg("%s and %s differ", a, b);
    free(text_a), free(text_b);
}

static void converted_frames_have_the_bytes_of_the_run(void **state)
{
    (void)state;
    static const char *const names[] = {"frames.pvd",
                                        "contacts.pvd",
                                        "surfaces.pvd",
                                        "frames/bodies_000000.vtp",
                                        "frames/bodies_000002.vtp",
                                        "frames/contacts_000002.vtp",
                                        "frames/surfaces_000001.vtp",
                                        "contacts/contacts_000001.csv",
                                        "contacts/contacts_000002.csv",
                                        "dump.lammpstrj"};
    scree_error error = {0};
    scree_step_report report;
    scree_world_destroy(make_run(&report));
    scree_result *result = open_folder();
    char to[512], copy[1024];
    snprintf(to, sizeof to, "%s", in_folder("converted"));
    static const char *const formats[] = {"vtp", "dump", "csv"};
    for (int k = 0; k < 3; ++k)
        good(scree_result_convert(result, scree_format_find(formats[k]), to, 0, FRAMES - 1, &error), &error);
    assert_int_equal(scree_result_convert(result, SCREE_FORMAT_FRAMES, to, 0, 0, &error), SCREE_ERR_UNSUPPORTED);
    assert_string_equal(error.text, "the format 'frames' is made by a run only, expected another one");
    scree_result_close(result);
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        snprintf(copy, sizeof copy, "%s/%s", to, names[k]);
        assert_same_file(in_folder(names[k]), copy);
    }
    size_t size;
    char *bodies = read_whole(in_folder("converted/bodies/bodies_000002.csv"), &size);
    assert_non_null(strstr(bodies, "\n1,\"wall, \"\"left\"\"\",fixed,-1,0,0.0"));
    assert_null(strstr(bodies, "egg"));
    free(bodies);
}

/* ---- half a file, a damaged file -------------------------------------------------------------------------------------------- */

static void half_an_entry_does_not_count(void **state)
{
    (void)state;
    scree_error error = {0};
    scree_step_report report;
    scree_world_destroy(make_run(&report));
    frames_file f;
    scree_allocator a = scree_allocator_default();
    good(frames_open(&f, in_folder("frames.scree"), &a, &error), &error);
    size_t size;
    char *bytes = read_whole(in_folder("frames.scree"), &size);
    for (size_t cut = 0; cut <= size; cut += cut % 3 ? 10 : 1) {
        int frames, whole = 0;
        write_whole(in_folder("frames.scree"), bytes, cut);
        good(read_everything(NULL, &frames, &error), &error);
        while (whole < FRAMES && (whole + 1 < FRAMES ? (size_t)f.entry[whole + 1].at : size) <= cut) ++whole;
        assert_int_equal(frames, whole);
    }
    frames_close(&f);
    free(bytes);
    char *series = read_whole(in_folder("series.csv"), &size);
    write_whole(in_folder("series.csv"), series, size - 3);
    scree_result *result = open_folder();
    assert_int_equal(scree_result_row_count(result), FRAMES - 1);
    scree_result_close(result);
    free(series);
}

static void every_damaged_byte_is_found(void **state)
{
    (void)state;
    scree_error error = {0};
    scree_step_report report;
    scree_world_destroy(make_run(&report));
    size_t size;
    int frames;
    char *bytes = read_whole(in_folder("frames.scree"), &size);
    for (size_t at = 0; at < size; at += at < 400 ? 1 : 13) {
        bytes[at] = (char)(bytes[at] ^ (1 << at % 8));
        write_whole(in_folder("frames.scree"), bytes, size);
        bytes[at] = (char)(bytes[at] ^ (1 << at % 8));
        scree_status status = read_everything(NULL, &frames, &error);
        if (status != SCREE_ERR_INPUT || !strstr(error.file, "frames.scree"))
            fail_msg("byte %zu: status %d, %s", at, (int)status, error.text);
    }
    free(bytes);
}

/// Puts `value` of `width` bytes at byte `at` of a part that starts at `part`, and makes its checksum right again.
static void forge(char *bytes, size_t part, size_t part_size, size_t at, uint64_t value, size_t width)
{
    uint64_t h = 0;
    memcpy(bytes + part + at, &value, width);
    for (size_t k = 0; k < part_size - 8; k += FRAMES_BLOCK)
        h = hash_bytes(h, bytes + part + k, part_size - 8 - k < FRAMES_BLOCK ? part_size - 8 - k : FRAMES_BLOCK);
    memcpy(bytes + part + part_size - 8, &h, 8);
}

/// Where field `name` starts in a part; with "name@63" the byte 63 behind it.
static size_t field_at(const world_field *field, int fields, const char *name)
{
    const char *shift = strchr(name, '@');
    size_t at = 0, length = strcspn(name, "@");
    for (int k = 0; k < fields; ++k) {
        if (strlen(field[k].name) == length && memcmp(field[k].name, name, length) == 0)
            return at + (shift ? (size_t)strtol(shift + 1, NULL, 10) : 0);
        at += (world_field_bytes(&field[k]) * (size_t)field[k].count + 7) / 8 * 8;
    }
    fail_msg("no field %s", name);
    return 0;
}

static void forged_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *field;
        uint64_t value;
        size_t width;
        int moving;
        const char *message;
    } cases[] = {
        {"a->material_names", 'x', 1, 0, NULL}, /* another name is as good */
        {"a->group_names", 0, 1, 0, "names that do not end"},
        {"a->group", 99, 4, 0, "a group that is not there"},
        {"a->shape_body", 99, 4, 0, "a body that is not there"},
        {"kind", 99, 4, 0, "a shape of unknown kind"},
        {"material", 7, 4, 0, "a material that is not there"},
        {"a->shape_geometry", 99, 4, 0, "a shape whose points are not there"},
        {"a->geometry", UINT64_C(99) << 32 | SCREE_SHAPE_HULL, 8, 0, "a geometry whose points are not there"},
        {"a->geometry_triangle", 99, 4, 0, "a triangle whose points are not there"},
        {"body_a@-8", 99, 4, 0, "a joint of unknown kind"}, /* the field before it; `kind` is first that of a shape */
        {"name@63", 'x', 1, 0, "a joint whose name does not end"},
        {"body_a", 99, 4, 0, "a joint of a body that is not there"},
        {"body_b", 0xfffffffe, 4, 0, "a joint of a body that is not there"},
        {"anchor_b", UINT64_C(0x7ff0000000000000), 8, 0, "not finite"},
        {"size", UINT64_C(0x7ff0000000000000), 8, 0, "not finite"},
        {"a->x", UINT64_C(0x7ff8000000000000), 8, 1, "not finite"},
        {"a->kind", 4, 1, 1, "a body of unknown kind"},
        {"shape_a", 1000, 4, 1, "a shape that is not there"},
        {"shape_b", 0xffffffffu, 4, 1, "a shape that is not there"},
        {"mode", 77, 4, 1, "unknown mode"},
        {"cone.size", 3, 4, 1, "unknown cone"},
    };
    scree_error error = {0};
    scree_step_report report;
    scree_world_destroy(make_run(&report));
    scree_allocator a = scree_allocator_default();
    frames_file f;
    world_field field[FRAME_FIELDS_MAX];
    int32_t nothing[FRAME_COUNTS] = {0};
    good(frames_open(&f, in_folder("frames.scree"), &a, &error), &error);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const frame_entry *e = &f.entry[cases[k].moving ? FRAMES - 1 : 0];
        frame_arrays counts = {.contact_count = e->contact_count};
        memcpy(counts.count, e->count, sizeof counts.count);
        int fields = cases[k].moving ? frame_fields_moving(&counts, field) : frame_fields_new(&counts, nothing, field);
        size_t size, part = (size_t)e->at + HEAD_SIZE + (cases[k].moving ? (size_t)e->new_bytes : 0);
        size_t part_size = (size_t)(cases[k].moving ? e->moving_bytes : e->new_bytes);
        char *good_bytes = read_whole(in_folder("frames.scree"), &size), *bytes = malloc(size);
        assert_non_null(bytes);
        memcpy(bytes, good_bytes, size);
        forge(bytes, part, part_size, field_at(field, fields, cases[k].field), cases[k].value, cases[k].width);
        write_whole(in_folder("frames.scree"), bytes, size);
        int frames;
        scree_status status = read_everything(NULL, &frames, &error);
        write_whole(in_folder("frames.scree"), good_bytes, size);
        free(good_bytes), free(bytes);
        if (!cases[k].message) assert_int_equal(status, SCREE_OK);
        else if (status != SCREE_ERR_INPUT || !strstr(error.text, cases[k].message))
            fail_msg("%s: status %d, %s", cases[k].field, (int)status, error.text);
    }
    frames_close(&f);
}

/// Heads of records whose checksum is right and whose numbers are not.
static void forged_heads_are_refused(void **state)
{
    (void)state;
    static const struct {
        int frame, word;
        uint64_t value;
        const char *message;
    } cases[] = {
        {0, HEAD_CONTACTS, UINT64_C(1) << 31, "counts more than there can be"},
        {1, HEAD_COUNTS + FRAME_BODIES, 0, "has less than the one before"},
        {0, HEAD_TIME, UINT64_C(0x7ff0000000000000), "has no time"},
        {0, HEAD_BYTES, 8, "is not as long as its counts say"},
        {0, HEAD_FORMAT, 99, "the frames have format 99, this program reads"},
    };
    scree_error error = {0};
    scree_step_report report;
    scree_world_destroy(make_run(&report));
    scree_allocator a = scree_allocator_default();
    frames_file f;
    size_t size;
    char *good_bytes = read_whole(in_folder("frames.scree"), &size), *bytes = malloc(size);
    assert_non_null(bytes);
    good(frames_open(&f, in_folder("frames.scree"), &a, &error), &error);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        memcpy(bytes, good_bytes, size);
        forge(bytes, (size_t)f.entry[cases[k].frame].at, HEAD_SIZE, 8 * (size_t)cases[k].word, cases[k].value, 8);
        write_whole(in_folder("frames.scree"), bytes, size);
        int frames;
        assert_int_equal(read_everything(NULL, &frames, &error), SCREE_ERR_INPUT);
        if (!strstr(error.text, cases[k].message)) fail_msg("%s has not %s", error.text, cases[k].message);
    }
    frames_close(&f);
    free(good_bytes), free(bytes);
}

static void wrong_series_have_a_line_and_wrong_folders_a_name(void **state)
{
    (void)state;
    scree_error error = {0};
    scree_result *result;
    scree_step_report report;
    scree_world_destroy(make_run(&report));
    const char short_row[] = "time[s],step,\"a,b\"\n0,0,1\n1,1\n";
    write_whole(in_folder("series.csv"), short_row, strlen(short_row));
    error = (scree_error){0};
    result = scree_result_open(folder, NULL, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    assert_true(error.line == 3 && strstr(error.file, "series.csv"));
    assert_string_equal(error.text, "2 fields, expected 3 as in the first line");
    write_whole(in_folder("series.csv"), "a\0b\n", 4);
    error = (scree_error){0};
    result = scree_result_open(folder, NULL, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "zero byte"));
    empty_folder(folder);
    error = (scree_error){0};
    result = scree_result_open(folder, NULL, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "not the folder of a run"));
    error = (scree_error){0};
    result = scree_result_open(in_folder("nowhere"), NULL, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "no such folder"));
    assert_null(result);
    char name[2000];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    error = (scree_error){0};
    result = scree_result_open(name, NULL, &error);
    assert_int_equal(error.status, SCREE_ERR_FILE);
    assert_string_equal(error.text, "the name of the folder is too long");
    static const char *const parts[] = {"frames.scree", "series.csv"};
    for (int k = 0; k < 2; ++k) { /* links that lead round in a circle: opening fails, but not for want of a file */
        empty_folder(folder);
        assert_int_equal(symlink(parts[k], in_folder(parts[k])), 0);
        error = (scree_error){0};
        result = scree_result_open(folder, NULL, &error);
        assert_int_equal(error.status, SCREE_ERR_FILE);
        assert_non_null(strstr(error.file, parts[k]));
        assert_non_null(strstr(error.text, "cannot open the file: "));
        empty_folder(folder);
        assert_int_equal(mkdir(in_folder(parts[k]), 0777), 0);
        for (int n = 0; n < 40; ++n) { /* a folder that has a size in every file system */
            char name_in[64];
            snprintf(name_in, sizeof name_in, "%s/%d", parts[k], n);
            write_whole(in_folder(name_in), "", 0);
        }
        error = (scree_error){0};
        result = scree_result_open(folder, NULL, &error);
        assert_int_equal(error.status, SCREE_ERR_FILE);
        assert_string_equal(error.text, "cannot read the file: Is a directory");
    }
}

static void every_failing_allocation_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    scree_error error = {0};
    scree_step_report report;
    scree_world_destroy(make_run(&report));
    scree_status status = SCREE_ERR_MEMORY;
    for (int n = 0; status != SCREE_OK; ++n) {
        int frames;
        failing c = {.left = n};
        scree_allocator a = failing_allocator(&c);
        assert_true(n < 200);
        status = read_everything(&a, &frames, &error);
        assert_int_equal(c.live, 0);
        if (status != SCREE_OK) assert_int_equal(status, SCREE_ERR_MEMORY);
        if (status != SCREE_OK) assert_non_null(strstr(error.text, "out of memory"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_has_the_bits_of_the_world),
        cmocka_unit_test(series_and_texts_come_back),
        cmocka_unit_test(converted_frames_have_the_bytes_of_the_run),
        cmocka_unit_test(half_an_entry_does_not_count),
        cmocka_unit_test(every_damaged_byte_is_found),
        cmocka_unit_test(forged_files_are_refused),
        cmocka_unit_test(forged_heads_are_refused),
        cmocka_unit_test(wrong_series_have_a_line_and_wrong_folders_a_name),
        cmocka_unit_test(every_failing_allocation_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
