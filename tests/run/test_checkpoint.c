/* A checkpoint restores the same future, and a damaged one is refused with the place of the damage; no allocation that fails is
 * passed over, and writing changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/h5.h"
#include "base/hash.h"
#include "failing_allocator.h"
#include "output_scene.h"

#include <hdf5.h>
#include <math.h>
#include <signal.h>

/* ---- checkpoints ------------------------------------------------------------------------------------------------------------ */

static const scree_setting some_settings[3] = {
    {.name = "until", .value = 1.0}, {.name = "every", .value = 0.1}, {.name = "format.vtp", .value = -0.0}};

static scree_status save(scree_output *output, const scree_world *world, const scree_stepper *stepper,
                         const scree_step_report *report, scree_error *error)
{
    static const int64_t source[2] = {7, -1};
    const scree_checkpoint c = {.scene = "title: x\n",
                                .source = source,
                                .source_count = 2,
                                .setting = some_settings,
                                .setting_count = 3,
                                .report = report};
    return scree_checkpoint_write(output, world, scree_stepper_totals(stepper), &c, error);
}

static void a_restored_world_has_the_same_future(void **state)
{
    (void)state;
    scree_error error = {0};
    scree_step_report report, restored;
    scree_run_totals totals;
    int64_t source[2];
    scree_setting setting[4] = {
        {.name = "format.vtp"}, {.name = "until"}, {.name = "none", .value = 7.0}, {.name = "every"}};
    size_t size[2];

    scree_world *world = make_world(), *twin = make_world();
    scree_stepper *stepper = make_stepper(), *second = make_stepper();
    empty_folder(folder);
    scree_output *output = make_output(0, NULL);
    good(scree_output_frame(output, world, NULL, scree_stepper_totals(stepper), &error), &error);
    step(stepper, world, 25, &report);
    good(save(output, world, stepper, &report, &error), &error);
    uint64_t middle = scree_world_hash(world);
    step(stepper, world, 30, &report);
    good(scree_output_frame(output, world, &report, scree_stepper_totals(stepper), &error), &error);
    scree_output_destroy(output);
    char *series = read_whole(in_folder("series.csv"), &size[0]);
    char *pvd = read_whole(in_folder("frames.pvd"), &size[1]);

    char *scene =
        scree_checkpoint_peek(in_folder("checkpoint.h5"), setting, 4, NULL, &error); /* by name, in any order */
    good(error.status, &error);
    assert_string_equal(scene, "title: x\n");
    assert_true(setting[0].found && setting[0].value == 0.0 && signbit(setting[0].value));
    assert_true(setting[1].found && setting[1].value == 1.0 && setting[3].found && setting[3].value == 0.1);
    assert_true(!setting[2].found && setting[2].value == 7.0);
    scree_allocator_default().free(scene, NULL);
    output = make_output(1, NULL);
    good(scree_checkpoint_read(output, twin, &totals, &restored, source, 2, &error), &error);
    assert_true(source[0] == 7 && source[1] == -1);
    assert_true(restored.step == 25 && restored.h == report.h && restored.solve.solver != NULL);
    assert_true(scree_world_hash(twin) == middle);
    assert_int_equal(scree_output_frame_count(output), 1);
    scree_stepper_set_totals(second, &totals);
    step(second, twin, 30, &restored);
    good(scree_output_frame(output, twin, &restored, scree_stepper_totals(second), &error), &error);
    scree_output_destroy(output);
    assert_true(scree_world_hash(twin) == scree_world_hash(world));
    size_t again;
    char *text = read_whole(in_folder("series.csv"), &again);
    assert_int_equal(again, size[0]);
    assert_string_equal(text, series);
    free(text);
    text = read_whole(in_folder("frames.pvd"), &again);
    assert_string_equal(text, pvd);
    free(text), free(series), free(pvd);
    scree_stepper_destroy(stepper), scree_stepper_destroy(second);
    scree_world_destroy(world), scree_world_destroy(twin);
}

static scree_status try_read(const scree_allocator *allocator, scree_error *error)
{
    scree_world *world = make_world();
    scree_run_totals totals;
    scree_step_report report;
    int64_t source[2];
    scree_setting setting[3] = {{.name = "format.vtp"}, {.name = "every"}, {.name = "until"}};
    *error = (scree_error){0};
    char *scene = scree_checkpoint_peek(in_folder("checkpoint.h5"), setting, 3, allocator, error);
    assert_true((scene == NULL) == (error->status != SCREE_OK));
    if (scene) assert_true(setting[0].value == 0.0 && setting[1].value == 0.1 && setting[2].value == 1.0);
    if (scene) allocator ? allocator->free(scene, allocator->context) : scree_allocator_default().free(scene, NULL);
    scree_output_options options = scree_output_options_default();
    options.directory = folder, options.resume = 1, options.allocator = allocator;
    scree_output *output = scree_output_create(&options, error);
    if (output) (void)scree_checkpoint_read(output, world, &totals, &report, source, 2, error);
    scree_status status = error->status;
    scree_output_destroy(output);
    scree_world_destroy(world);
    return status;
}

static void make_checkpoint(void)
{
    scree_error error = {0};
    scree_step_report report;
    scree_world *world = make_world();
    scree_stepper *stepper = make_stepper();
    empty_folder(folder);
    scree_output *output = make_output(0, NULL);
    step(stepper, world, 20, &report);
    good(scree_output_frame(output, world, &report, scree_stepper_totals(stepper), &error), &error);
    good(save(output, world, stepper, &report, &error), &error);
    scree_output_destroy(output);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

static void damaged_checkpoints_are_refused(void **state)
{
    (void)state;
    scree_error error = {0};
    size_t size;
    make_checkpoint();
    good(try_read(NULL, &error), &error);
    char *bytes = read_whole(in_folder("checkpoint.h5"), &size), *copy = malloc(size);
    for (size_t length = 0; length < size; length += size / 40 + 1) { /* cut short */
        write_whole(in_folder("checkpoint.h5"), bytes, length);
        assert_int_equal(try_read(NULL, &error), SCREE_ERR_INPUT);
        assert_non_null(strstr(error.file, "checkpoint.h5"));
        assert_true(error.text[0] != '\0');
    }
    for (size_t at = 0; at < size; at += size / 1000 + 1) { /* one bit changed */
        memcpy(copy, bytes, size);
        copy[at] = (char)(copy[at] ^ 0x40);
        write_whole(in_folder("checkpoint.h5"), copy, size);
        assert_int_equal(try_read(NULL, &error), SCREE_ERR_INPUT);
        assert_non_null(strstr(error.text, at + 16 < size ? "checksum" : "e"));
    }
    write_whole(in_folder("checkpoint.h5"), "not HDF5", 8);
    assert_int_equal(try_read(NULL, &error), SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "not a checkpoint of scree"));
    unlink(in_folder("checkpoint.h5"));
    assert_int_equal(try_read(NULL, &error), SCREE_ERR_FILE);
    assert_non_null(strstr(error.text, "No such file"));
    free(bytes), free(copy);
}

static void lists_come_back_and_mistakes_have_a_path(void **state)
{
    (void)state;
    double x[4] = {1.0, 2.0, 3.0, 0x1.23456789abcdep+5}, back[4];
    int32_t i[2] = {3, 4};
    h5_list lists[2] = {h5_packed("/a/x", 'd', 2, 2, x), h5_packed("/a/i", 'i', 1, 2, i)};
    h5_image image;
    h5_source source;
    scree_error error = {0};
    int64_t count;
    empty_folder(folder);
    good(h5_image_make(lists, 2, NULL, &image), &error);
    h5_image_seal(&image);
    write_whole(in_folder("x.h5"), image.bytes, image.size);
    lists[0].target = back;
    good(h5_open(in_folder("x.h5"), NULL, &source, &error), &error);
    good(h5_read(&source, &lists[0]), &error);
    assert_memory_equal(back, x, sizeof x);
    good(h5_count(&source, "/a/i", 'i', 1, &count), &error);
    assert_int_equal(count, 2);
    static const struct {
        const char *path;
        char type;
        const char *words;
    } wrong[] = {{"/a/x", 'q', "64-bit integers"},
                 {"/a/x", 'i', "32-bit integers"},
                 {"/a/x", 'b', "bytes"},
                 {"/a/i", 'd', "64-bit reals"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        char words[80];
        snprintf(words, sizeof words, "the type is wrong, expected %s", wrong[k].words);
        assert_int_equal(h5_count(&source, wrong[k].path, wrong[k].type, 1, &count), SCREE_ERR_INPUT);
        assert_string_equal(error.text, words);
    }
    assert_non_null(strstr(error.file, "x.h5::/a/i"));
    assert_int_equal(h5_count(&source, "/a/x", 'd', 3, &count), SCREE_ERR_INPUT);
    assert_int_equal(h5_count(&source, "/b", 'd', 1, &count), SCREE_ERR_INPUT);
    lists[1].count = 3;
    assert_int_equal(h5_read(&source, &lists[1]), SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "2 elements are here, expected 3"));
    h5_close(&source);
    image.bytes[image.size / 2] = (char)(image.bytes[image.size / 2] ^ 1);
    write_whole(in_folder("x.h5"), image.bytes, image.size);
    assert_int_equal(h5_open(in_folder("x.h5"), NULL, &source, &error), SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "checksum"));
    h5_image_free(&image);
}

/// Appends the checksum of the bytes that HDF5 has written.
static void seal(const char *path)
{
    static const char mark[8] = {'s', 'c', 'r', 'e', 'e', ' ', 'h', '5'};
    size_t size;
    char *bytes = read_whole(path, &size);
    uint64_t sum = 0;
    bytes = realloc(bytes, size += 16);
    assert_non_null(bytes);
    for (size_t at = 0; at < size - 16; at += 1 << 16)
        sum = hash_bytes(sum, bytes + at, size - 16 - at < 1 << 16 ? size - 16 - at : 1 << 16);
    memcpy(bytes + size - 16, mark, sizeof mark);
    memcpy(bytes + size - 8, &sum, 8); /* as the tests of frames.scree: on a machine with the low byte first */
    write_whole(path, bytes, size);
    free(bytes);
}

/// The file with values of a list replaced by HDF5 itself, and with the checksum that its bytes now call for. No values: a list of
/// 2^28 numbers is put in its place, none of which is in the file.
static void forge(const char *path, const char *list, hid_t type, const void *values)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), set;
    if (values) {
        set = H5Dopen2(file, list, H5P_DEFAULT);
        assert_true(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    } else {
        hid_t space = H5Screate_simple(1, (const hsize_t[1]){1 << 28}, NULL);
        assert_true(H5Ldelete(file, list, H5P_DEFAULT) >= 0);
        set = H5Dcreate2(file, list, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(set >= 0);
        H5Sclose(space);
    }
    H5Dclose(set);
    H5Fclose(file);
    seal(path);
}

static void what_is_no_checkpoint_of_this_world_is_refused_in_words(void **state)
{
    (void)state;
    scree_error error = {0};
    const int32_t format = 99, counts[7] = {1 << 30}, walls[2] = {0, 77};
    const int64_t hash = 1;
    const struct {
        const char *list;
        hid_t type;
        const void *value;
        const char *words;
    } cases[] = {
        {"/format", H5T_NATIVE_INT32, &format, "the checkpoint has format 99, this program reads 8"},
        {"/world_counts", H5T_NATIVE_INT32, counts, "the world has 1073741824 elements, more than the file can hold"},
        {"/output/walls", H5T_STD_I32LE, NULL, "268435456 elements cannot be in a file of this size"},
        {"/world_hash", H5T_NATIVE_INT64, &hash, "expected 0000000000000001): was the scene changed?"},
        {"/output/walls", H5T_NATIVE_INT32, walls, "wall 1 is body 77, expected 0 to 7"},
        {"/world/shape_material", H5T_NATIVE_INT32, (const int32_t[16]){9, 9, 9, 9, 9, 9, 9, 9, 9},
         "the material of a shape is not that of a world built from this scene"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        make_checkpoint();
        forge(in_folder("checkpoint.h5"), cases[k].list, cases[k].type, cases[k].value);
        if (try_read(NULL, &error) != SCREE_ERR_INPUT) fail_msg("%s: accepted", cases[k].list);
        assert_non_null(strstr(error.file, "checkpoint.h5"));
        if (!strstr(error.text, cases[k].words)) fail_msg("%s: %s", cases[k].list, error.text);
    }
    double other = 1.0; /* a file of ours, but no checkpoint */
    h5_list lists[1] = {h5_packed("/a", 'd', 1, 1, &other)};
    h5_image image;
    good(h5_image_make(lists, 1, NULL, &image), &error);
    h5_image_seal(&image);
    write_whole(in_folder("checkpoint.h5"), image.bytes, image.size);
    assert_int_equal(try_read(NULL, &error), SCREE_ERR_INPUT);
    assert_string_equal(error.text,
                        "this is not a checkpoint of scree: there is nothing here, expected a list of numbers");
    h5_image_free(&image);
    char bytes[96] = "no HDF5"; /* the checksum holds, and there is no HDF5 before it */
    write_whole(in_folder("checkpoint.h5"), bytes, sizeof bytes);
    seal(in_folder("checkpoint.h5"));
    assert_int_equal(try_read(NULL, &error), SCREE_ERR_INPUT);
    assert_string_equal(error.text, "this is not an HDF5 file");
}

/// The oracle of the writer: HDF5 itself finds every list with the type, the shape and the numbers that were written.
static void hdf5_reads_what_we_write(void **state)
{
    (void)state;
    const double x[6] = {1.0, -0.0, 0x1.23456789abcdep+5, 5e-324, -1.7976931348623157e308, 6.0};
    const int64_t q[3] = {INT64_MIN, -1, INT64_MAX};
    const int32_t i[2] = {INT32_MIN, 7};
    const unsigned char b[3] = {0, 128, 255};
    struct {
        double used, skipped;
    } apart[2] = {{3.0, 99.0}, {4.0, 99.0}};
    h5_list strided = h5_constant("/z/strided", 'd', 1, 2, apart);
    strided.stride = sizeof apart[0];
    const h5_list lists[] = {h5_constant("/a/b/x", 'd', 2, 3, x),
                             h5_constant("/q", 'q', 1, 3, q),
                             h5_constant("/a/i", 'i', 1, 2, i),
                             h5_constant("/a/b/bytes", 'b', 1, 3, b),
                             strided,
                             h5_constant("/a/none", 'd', 1, 0, NULL),
                             h5_constant("/a-b", 'i', 2, 1, i),
                             h5_constant("/text", 't', 1, 6, "words"),
                             h5_constant("/empty/", 'i', 1, 0, NULL)};
    enum { COUNT = sizeof lists / sizeof *lists };
    h5_list reversed[COUNT];
    h5_image image, again;
    scree_error error = {0};
    empty_folder(folder);
    good(h5_image_make(lists, COUNT, NULL, &image), &error);
    for (int k = 0; k < COUNT; ++k) reversed[k] = lists[COUNT - 1 - k];
    good(h5_image_make(reversed, COUNT, NULL, &again), &error);
    assert_int_equal(image.size, again.size);
    assert_memory_equal(image.bytes, again.bytes, image.size);
    write_whole(in_folder("x.h5"), image.bytes, image.size);
    h5_image_free(&image), h5_image_free(&again);

    const hid_t file = H5Fopen(in_folder("x.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    const double strides[2] = {3.0, 4.0};
    const struct {
        const char *path;
        hid_t type;
        int rank;
        hsize_t size[2];
        const void *data;
    } expected[] = {{"/a/b/x", H5T_IEEE_F64LE, 2, {3, 2}, x},
                    {"/q", H5T_STD_I64LE, 1, {3}, q},
                    {"/a/i", H5T_STD_I32LE, 1, {2}, i},
                    {"/a/b/bytes", H5T_STD_U8LE, 1, {3}, b},
                    {"/z/strided", H5T_IEEE_F64LE, 1, {2}, strides},
                    {"/a/none", H5T_IEEE_F64LE, 1, {0}, NULL},
                    {"/a-b", H5T_STD_I32LE, 2, {1, 2}, i}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; ++k) {
        hsize_t size[2] = {0, 1};
        char back[64];
        const hid_t set = H5Dopen2(file, expected[k].path, H5P_DEFAULT), type = H5Dget_type(set),
                    space = H5Dget_space(set);
        assert_true(set >= 0 && H5Tequal(type, expected[k].type) > 0);
        assert_int_equal(H5Sget_simple_extent_dims(space, size, NULL), expected[k].rank);
        assert_true(size[0] == expected[k].size[0] && (expected[k].rank < 2 || size[1] == expected[k].size[1]));
        const hid_t native = H5Tget_native_type(type, H5T_DIR_ASCEND);
        assert_true(H5Dread(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
        if (expected[k].data)
            assert_memory_equal(back, expected[k].data,
                                size[0] * (expected[k].rank < 2 ? 1 : size[1]) * H5Tget_size(type));
        H5Tclose(native), H5Tclose(type), H5Sclose(space), H5Dclose(set);
    }
    const hid_t set = H5Dopen2(file, "/text", H5P_DEFAULT), type = H5Dget_type(set);
    char text[6];
    assert_true(H5Tget_class(type) == H5T_STRING && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    assert_string_equal(text, "words");
    H5G_info_t info;
    assert_true(H5Gget_info_by_name(file, "/empty", &info, H5P_DEFAULT) >= 0 && info.nlinks == 0);
    assert_true(H5Gget_info_by_name(file, "/", &info, H5P_DEFAULT) >= 0 && info.nlinks == 6);
    H5Tclose(type), H5Dclose(set), H5Fclose(file);
}

/// Adds a list that no version knows to a group and to all in it.
static void add_lists(hid_t group)
{
    H5G_info_t info;
    assert_true(H5Gget_info(group, &info) >= 0);
    for (hsize_t k = 0; k < info.nlinks; ++k) {
        char name[64];
        assert_true(H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, k, name, sizeof name, H5P_DEFAULT) > 0);
        const hid_t member = H5Oopen(group, name, H5P_DEFAULT);
        assert_true(member >= 0);
        if (H5Iget_type(member) == H5I_GROUP) add_lists(member);
        H5Oclose(member);
    }
    const hid_t space = H5Screate_simple(1, (const hsize_t[1]){3}, NULL);
    for (int k = 0; k < 20; ++k) { /* more than fit into the header of the group */
        char name[40];
        snprintf(name, sizeof name, "%s_of_a_later_version_%d", k % 2 ? "zz" : "aa", k);
        const hid_t set = H5Dcreate2(group, name, H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(set >= 0);
        H5Dclose(set);
    }
    H5Sclose(space);
}

/// A later version may store more, and HDF5 then lays the groups out otherwise: lists count by their names, and what has no meaning here is
/// passed over. The world that comes back has the same bits. A file of another form is refused in words.
static void a_checkpoint_with_more_in_it_is_read_by_names(void **state)
{
    (void)state;
    scree_error error = {.text = ""};
    make_checkpoint();
    hid_t file = H5Fopen(in_folder("checkpoint.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    add_lists(file);
    H5Fclose(file);
    seal(in_folder("checkpoint.h5"));
    good(try_read(NULL, &error), &error); /* which compares the hash of the world with the one in the file */

    file = H5Fcreate(in_folder("checkpoint.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "/world", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(file);
    seal(in_folder("checkpoint.h5"));
    assert_int_equal(try_read(NULL, &error), SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "written by an earlier version of scree"));
}

/// With a checksum that holds, any byte may be wrong: the reader stays inside the file (the sanitizers look on), and says something.
static void a_forged_checkpoint_is_refused_or_read_but_never_trusted(void **state)
{
    (void)state;
    scree_error error = {0};
    size_t size;
    make_checkpoint();
    char *bytes = read_whole(in_folder("checkpoint.h5"), &size), *copy = malloc(size);
    static const unsigned char other[] = {0x00, 0xff, 0x40};
    int refused = 0;
    for (size_t at = 8; at + 40 < size; at += size / 150 + 1) {
        memcpy(copy, bytes, size);
        memset(copy + at, other[at % 3], at % 2 ? 1 : 8);
        write_whole(in_folder("checkpoint.h5"), copy, size - 16);
        seal(in_folder("checkpoint.h5"));
        const scree_status status = try_read(NULL, &error);
        if (status != SCREE_OK) assert_true(error.text[0] != '\0' && ++refused);
    }
    assert_true(refused > 10);
    free(bytes), free(copy);
}

static void a_checkpoint_on_a_full_disk_leaves_the_old_one(void **state)
{
    (void)state;
    scree_error error = {0};
    scree_step_report report;
    size_t before, after;
    make_checkpoint();
    char *old = read_whole(in_folder("checkpoint.h5"), &before);
    scree_world *world = make_world();
    scree_stepper *stepper = make_stepper();
    scree_output *output = make_output(1, NULL);
    step(stepper, world, 3, &report);
    signal(SIGXFSZ, SIG_IGN);
    limit_file_size(before / 2);
    scree_status status = save(output, world, stepper, &report, &error);
    limit_file_size(RLIM_INFINITY);
    assert_int_equal(status, SCREE_ERR_WRITE);
    assert_non_null(strstr(error.file, "checkpoint.h5"));
    char *now = read_whole(in_folder("checkpoint.h5"), &after);
    assert_int_equal(before, after);
    assert_memory_equal(old, now, before);
    assert_int_equal(access(in_folder("checkpoint.h5.tmp"), F_OK), -1);
    free(old), free(now);
    scree_output_destroy(output);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

/* ---- memory, and the run ----------------------------------------------------------------------------------------------------- */

static void every_failing_allocation_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    scree_error error = {0};
    scree_step_report report;
    scree_world *world = make_world();
    scree_stepper *stepper = make_stepper();
    step(stepper, world, 10, &report);
    scree_status status = SCREE_ERR_MEMORY;
    for (int n = 0; status != SCREE_OK; ++n) {
        assert_true(n < 200);
        failing c = {.left = n};
        scree_allocator a = failing_allocator(&c);
        scree_output_options options = scree_output_options_default();
        options.directory = folder, options.allocator = &a;
        options.formats |= SCREE_FORMAT_VTP | SCREE_FORMAT_DUMP | SCREE_FORMAT_CONTACTS;
        error = (scree_error){0};
        scree_output *output;
        empty_folder(folder);
        output = scree_output_create(&options, &error);
        status = error.status;
        assert_true((status == SCREE_OK) == (output != NULL));
        if (status == SCREE_OK)
            status = scree_output_frame(output, world, &report, scree_stepper_totals(stepper), &error);
        if (status == SCREE_OK) {
            int made = c.made; /* the second frame asks for nothing */
            status = scree_output_frame(output, world, &report, scree_stepper_totals(stepper), &error);
            assert_int_equal(c.made, made);
        }
        if (status == SCREE_OK) status = save(output, world, stepper, &report, &error);
        scree_output_destroy(output);
        assert_int_equal(c.live, 0);
        if (status != SCREE_OK) assert_int_equal(status, SCREE_ERR_MEMORY);
        if (status != SCREE_OK) assert_non_null(strstr(error.text, "out of memory"));
    }
    status = SCREE_ERR_MEMORY;
    for (int n = 0; status != SCREE_OK; ++n) {
        assert_true(n < 500);
        failing c = {.left = n};
        scree_allocator a = failing_allocator(&c);
        status = try_read(&a, &error);
        assert_int_equal(c.live, 0);
        if (status != SCREE_OK) assert_int_equal(status, SCREE_ERR_MEMORY);
    }
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

static void writing_changes_nothing(void **state)
{
    (void)state;
    scree_error error = {0};
    scree_step_report report;
    uint64_t hash[2];
    for (int with = 0; with < 2; ++with) {
        scree_world *world = make_world();
        scree_stepper *stepper = make_stepper();
        empty_folder(folder);
        scree_output *output = make_output(0, NULL);
        for (int k = 0; k < 30; ++k) {
            step(stepper, world, 1, &report);
            if (!with) continue;
            uint64_t before = scree_world_hash(world);
            good(scree_output_frame(output, world, &report, scree_stepper_totals(stepper), &error), &error);
            good(save(output, world, stepper, &report, &error), &error);
            assert_true(scree_world_hash(world) == before);
        }
        hash[with] = scree_world_hash(world);
        scree_output_destroy(output);
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_come_back_and_mistakes_have_a_path),
        cmocka_unit_test(a_restored_world_has_the_same_future),
        cmocka_unit_test(damaged_checkpoints_are_refused),
        cmocka_unit_test(what_is_no_checkpoint_of_this_world_is_refused_in_words),
        cmocka_unit_test(hdf5_reads_what_we_write),
        cmocka_unit_test(a_checkpoint_with_more_in_it_is_read_by_names),
        cmocka_unit_test(a_forged_checkpoint_is_refused_or_read_but_never_trusted),
        cmocka_unit_test(a_checkpoint_on_a_full_disk_leaves_the_old_one),
        cmocka_unit_test(every_failing_allocation_is_reported_and_nothing_leaks),
        cmocka_unit_test(writing_changes_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
