/* What a run leaves on disk: every writer's numbers come back with the same bits, and a failed write takes back its entry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "output_scene.h"

#include <scree/run.h>

#include <math.h>
#include <signal.h>

/* ---- VTP ---------------------------------------------------------------------------------------------------------------- */

/// An array of a VTP file, by its name: reads the attribute `offset`, then the block there. `size` of one number.
static const char *find_array(const char *file, size_t file_size, const char *name, size_t *bytes)
{
    char tag[64];
    snprintf(tag, sizeof tag, "Name=\"%s\"", name);
    const char *at = strstr(file, tag), *data = strstr(file, "<AppendedData encoding=\"raw\">");
    if (!at || !data) {
        fail_msg("%s is not in the file", name);
        return NULL;
    }
    const char *offset = strstr(at, "offset=\"");
    const char *underscore = strchr(data, '_');
    if (!offset || !underscore) {
        fail_msg("%s has no offset", name);
        return NULL;
    }
    const char *block = underscore + 1 + strtoul(offset + 8, NULL, 10);
    uint64_t size;
    memcpy(&size, block, 8);
    assert_true(block + 8 + size < file + file_size);
    *bytes = size;
    return block + 8;
}

static void vtp_has_the_bits_of_the_bodies(void **state)
{
    (void)state;
    scree_world *world = make_world();
    scree_step_report report;
    size_t size, bytes;
    make_frames(world, &report);
    char *file = read_whole(in_folder("frames/bodies_000001.vtp"), &size);
    assert_non_null(strstr(file, "NumberOfPoints=\"8\" NumberOfVerts=\"8\"")); /* 9 shapes, one removed */
    const char *points = find_array(file, size, "points", &bytes);
    assert_int_equal(bytes, 8 * 24);
    const char *turned = find_array(file, size, "orientation", &bytes);
    assert_int_equal(bytes, 8 * 32);
    const char *velocity = find_array(file, size, "velocity", &bytes);
    const char *spin = find_array(file, size, "angular_velocity", &bytes);
    const char *bodies = find_array(file, size, "body", &bytes);
    assert_int_equal(bytes, 8 * 4);
    const char *sizes = find_array(file, size, "size", &bytes);
    const char *time = find_array(file, size, "TimeValue", &bytes);
    double t;
    memcpy(&t, time, 8);
    assert_true(t == scree_world_time(world));
    int item = 0;
    for (int s = 0; s < scree_world_shape_count(world); ++s) {
        int b;
        int32_t stored;
        double x[3], q[4], v[3], w[3], three[3], R[9], expected[3], arm[3], turn[3];
        const scree_shape *shape = scree_world_shape(world, scree_shape_at(s));
        b = scree_body_index(scree_world_shape_body(world, scree_shape_at(s)));
        if (scree_world_body_kind(world, scree_body_at(b)) == SCREE_BODY_REMOVED) continue;
        memcpy(x, points + 24 * item, 24), memcpy(q, turned + 32 * item, 32), memcpy(v, velocity + 24 * item, 24);
        memcpy(w, spin + 24 * item, 24), memcpy(&stored, bodies + 4 * item, 4), memcpy(three, sizes + 24 * item, 24);
        assert_int_equal(stored, b);
        for (int i = 0; i < 3; ++i) assert_true(three[i] == shape->size[i]);
        /* the same through matrices: a dozen roundings of numbers below 10 */
        quat_matrix(scree_world_rotations(world) + 4 * b, R);
        mat_apply(R, shape->position, arm);
        mat_apply(R, scree_world_angular_velocities(world) + 3 * b, expected);
        for (int i = 0; i < 3; ++i) assert_true(fabs(w[i] - expected[i]) < 1e-13);
        vec_cross(expected, arm, turn);
        for (int i = 0; i < 3; ++i) {
            assert_true(fabs(x[i] - scree_world_positions(world)[3 * b + i] - arm[i]) < 1e-13);
            assert_true(fabs(v[i] - scree_world_velocities(world)[3 * b + i] - turn[i]) < 1e-13);
        }
        assert_true(fabs(vec_dot(q, q) + q[3] * q[3] - 1.0) < 1e-13);
        item += 1;
    }
    assert_int_equal(item, 8);
    free(file);
    scree_world_destroy(world);
}

static void vtp_has_the_bits_of_the_contacts(void **state)
{
    (void)state;
    scree_world *world = make_world();
    scree_step_report report;
    size_t size, bytes;
    make_frames(world, &report);
    int n = scree_world_contact_count(world);
    const scree_contact_point *c = scree_world_contacts(world);
    char *file = read_whole(in_folder("frames/contacts_000001.vtp"), &size);
    const char *points = find_array(file, size, "points", &bytes);
    assert_int_equal(bytes, (size_t)n * 24);
    const char *normal = find_array(file, size, "normal", &bytes);
    const char *load = find_array(file, size, "load", &bytes);
    assert_int_equal(bytes, (size_t)n * 48);
    const char *force = find_array(file, size, "force", &bytes);
    const char *gap = find_array(file, size, "gap", &bytes);
    const char *mode = find_array(file, size, "mode", &bytes);
    const char *pair = find_array(file, size, "bodies", &bytes);
    double sum[3] = {0, 0, 0};
    for (int k = 0; k < n; ++k) {
        double x[3], g, f[3], p[6];
        int32_t m, ab[2];
        memcpy(x, points + 24 * k, 24), memcpy(&g, gap + 8 * k, 8), memcpy(&m, mode + 4 * k, 4);
        memcpy(ab, pair + 8 * k, 8), memcpy(f, force + 24 * k, 24), memcpy(p, load + 48 * k, 48);
        assert_memory_equal(x, c[k].position, 24);
        assert_memory_equal(normal + 24 * k, c[k].normal, 24);
        assert_true(g == c[k].gap && m == c[k].mode && ab[0] == c[k].body_a && ab[1] == c[k].body_b);
        for (int i = 0; i < 6; ++i)
            assert_true(fabs(p[i] * report.h - c[k].impulse[i]) <= 1e-15 * fabs(c[k].impulse[i]));
        assert_true(fabs(vec_dot(f, c[k].normal) - p[0]) <= 1e-12 * (fabs(p[0]) + 1.0));
        assert_true(fabs(vec_dot(f, f) - p[0] * p[0] - p[1] * p[1] - p[2] * p[2]) <= 1e-9 * (1.0 + p[0] * p[0]));
        for (int i = 0; i < 3; ++i) sum[i] += ab[0] == 0 ? -f[i] : 0.0; /* the floor is A: its part is the opposite */
    }
    double floor_force[3], floor_moment[3];
    scree_world_contact_force(world, scree_body_at(0), floor_force, floor_moment);
    assert_true(floor_force[2] < 0.0);
    for (int i = 0; i < 3; ++i) assert_true(fabs(sum[i] - floor_force[i]) <= 1e-10 * fabs(floor_force[2]));
    free(file);
    scree_world_destroy(world);
}

/// Volume enclosed by the triangles of one body: a sum over the corners, right only if the net is closed and turned outwards.
static double enclosed(const char *points, const char *corners, const char *body, size_t triangles, int wanted)
{
    double volume = 0.0;
    for (size_t k = 0; k < triangles; ++k) {
        int32_t b, at[3];
        double x[3][3], cross[3];
        memcpy(&b, body + 4 * k, 4), memcpy(at, corners + 12 * k, 12);
        if (b != wanted) continue;
        for (int i = 0; i < 3; ++i) memcpy(x[i], points + 24 * at[i], 24);
        vec_cross(x[1], x[2], cross);
        volume += vec_dot(x[0], cross) / 6.0;
    }
    return volume;
}

static void surfaces_enclose_the_volumes_of_the_shapes(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    scree_world *world = make_world();
    scree_step_report report;
    size_t size, bytes;
    make_frames(world, &report);
    char *file = read_whole(in_folder("frames/surfaces_000001.vtp"), &size);
    const char *points = find_array(file, size, "points", &bytes);
    const char *corners = find_array(file, size, "connectivity", &bytes);
    const char *body = find_array(file, size, "body", &bytes);
    size_t triangles = bytes / 4;
    assert_int_equal(triangles, 2 + 12 + 12 + 256 + 256);
    double box = 8 * 0.1 * 0.15 * 0.05, egg = 4.0 / 3.0 * pi * 0.1 * 0.08 * 0.15;
    double pill = pi * 0.05 * 0.05 * (0.2 + 4.0 / 3.0 * 0.05);
    assert_true(fabs(enclosed(points, corners, body, triangles, 1) - box) < 1e-14);
    assert_true(fabs(enclosed(points, corners, body, triangles, 4) - box) < 1e-13);
    double net = enclosed(points, corners, body, triangles, 5) / egg; /* inside the true surface: a few percent less */
    assert_true(net > 0.9 && net < 1.0);
    net = enclosed(points, corners, body, triangles, 6) / pill;
    assert_true(net > 0.9 && net < 1.0);
    free(file);
    scree_world_destroy(world);
}

/* ---- texts ---------------------------------------------------------------------------------------------------------------- */

/// Column numbered `wanted` (from 0) of a CSV line, quotes removed; returns whether there is one.
static int csv_field(const char *line, int wanted, char field[256])
{
    int column = 0, quoted = 0, n = 0;
    for (const char *s = line;; ++s) {
        if (quoted ? *s == '\0' : *s == ',' || *s == '\n' || *s == '\0') {
            if (column == wanted) {
                field[n] = '\0';
                return 1;
            }
            if (*s != ',') return 0;
            column += 1, n = 0;
        } else if (*s == '"' && !(quoted && s[1] == '"')) quoted = !quoted;
        else {
            if (*s == '"') ++s;
            if (column == wanted && n < 255) field[n++] = *s;
        }
    }
}

/// Number of the column of that name in the first line; -1: none.
static int csv_column(const char *text, const char *name)
{
    char field[256];
    for (int k = 0; csv_field(text, k, field); ++k)
        if (strcmp(field, name) == 0) return k;
    return -1;
}

static const char *text_line(const char *text, int number)
{
    for (int k = 0; k < number; ++k) {
        text = strchr(text, '\n');
        assert_non_null(text);
        text += 1;
    }
    return text;
}

static double csv_real(const char *text, int row, const char *name)
{
    char field[256];
    int column = csv_column(text, name);
    if (column < 0) fail_msg("no column %s", name);
    assert_true(csv_field(text_line(text, row), column, field));
    return strtod(field, NULL);
}

static void series_has_the_figures_of_the_step(void **state)
{
    (void)state;
    scree_world *world = make_world();
    scree_step_report report;
    char field[256], hash[32];
    size_t size;
    make_frames(world, &report);
    char *text = read_whole(in_folder("series.csv"), &size);
    assert_int_equal(text[size - 1], '\n');
    assert_true(csv_real(text, 1, "time[s]") == 0.0);
    assert_true(csv_real(text, 2, "time[s]") == scree_world_time(world));
    assert_true(csv_real(text, 2, "step") == 40.0 && csv_real(text, 2, "total_steps") == 40.0);
    assert_true(csv_real(text, 2, "bodies") == 5.0);
    assert_true(csv_real(text, 2, "contacts") == scree_world_contact_count(world));
    assert_true(csv_real(text, 2, "residual") == report.solve.residual);
    assert_true(csv_real(text, 2, "kinetic[J]") == scree_world_energy(world).kinetic);
    assert_true(csv_real(text, 2, "step_slide[J]") == report.energy.slide);
    double modes = 0.0, force[3], moment[3];
    for (int m = 0; m < SCREE_MODE_COUNT; ++m) {
        snprintf(field, sizeof field, "mode_%s", scree_mode_name(m));
        modes += csv_real(text, 2, field);
        assert_true(csv_real(text, 2, field) == report.modes[m]);
    }
    assert_true(modes > 0.0);
    scree_world_contact_force(world, scree_body_at(0), force, moment);
    assert_true(csv_real(text, 2, "floor.force_z[N]") == force[2] && force[2] < 0.0);
    assert_true(csv_real(text, 2, "floor.moment_y[N m]") == moment[1]);
    assert_true(csv_column(text, "wall, \"left\".force_x[N]") > 0);
    assert_true(csv_column(text, "ball.force_x[N]") < 0 && csv_column(text, "ball[0].force_x[N]") < 0);
    assert_true(csv_field(text_line(text, 2), csv_column(text, "hash"), field));
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)scree_world_hash(world));
    assert_string_equal(field, hash);
    free(text);
    text = read_whole(in_folder("timing.csv"), &size);
    assert_true(csv_real(text, 2, "solve[s]") >= 0.0 && csv_real(text, 2, "step") == 40.0);
    free(text);
    scree_world_destroy(world);
}

static void contact_table_has_the_contacts(void **state)
{
    (void)state;
    scree_world *world = make_world();
    scree_step_report report;
    char field[256];
    size_t size;
    static const char *const loads[] = {"r_N[N]", "r_T1[N]", "r_T2[N]", "m_R1[N m]", "m_R2[N m]", "m_S[N m]"};
    make_frames(world, &report);
    char *text = read_whole(in_folder("contacts/contacts_000001.csv"), &size);
    const scree_contact_point *c = scree_world_contacts(world);
    for (int k = 0; k < scree_world_contact_count(world); ++k) {
        assert_true(csv_real(text, k + 1, "x[m]") == c[k].position[0] && csv_real(text, k + 1, "gap[m]") == c[k].gap);
        assert_true(csv_real(text, k + 1, "normal_z") == c[k].normal[2]);
        assert_true(csv_real(text, k + 1, "u_T2[m/s]") == c[k].velocity[2]);
        assert_true(csv_real(text, k + 1, "spinning[m]") == c[k].cone.coef[SCREE_FRICTION_SPIN]);
        for (int i = 0; i < 6; ++i) assert_true(csv_real(text, k + 1, loads[i]) == c[k].impulse[i] * (1.0 / report.h));
        assert_true(csv_field(text_line(text, k + 1), csv_column(text, "mode"), field));
        assert_string_equal(field, scree_mode_name(c[k].mode));
        assert_true(csv_field(text_line(text, k + 1), csv_column(text, "name_a"), field));
        assert_string_equal(field, c[k].body_a == 0 ? "floor" : field);
    }
    free(text);
    text = read_whole(in_folder("contacts/contacts_000000.csv"), &size); /* before the first step: only the header */
    assert_int_equal(strchr(text, '\n') - text, (long)size - 1);
    free(text);
    scree_world_destroy(world);
}

static void numbers_of(const char *text, int count, double *x)
{
    for (int k = 0; k < count; ++k) {
        char *end;
        x[k] = strtod(text, &end);
        assert_true(end != text);
        text = end;
    }
}

static void dump_has_the_bits_of_the_bodies(void **state)
{
    (void)state;
    scree_world *world = make_world();
    scree_step_report report;
    size_t size;
    make_frames(world, &report);
    char *text = read_whole(in_folder("dump.lammpstrj"), &size), *second = strstr(text + 5, "ITEM: TIME\n");
    assert_non_null(second);
    assert_non_null(
        strstr(second, "ITEM: TIMESTEP\n40\nITEM: NUMBER OF ATOMS\n7\n")); /* no plane, not the removed one */
    const char *atoms = strstr(second, "ITEM: ATOMS ");
    const char *line = text_line(atoms, 1);
    double bound[6], outside = 0.0;
    numbers_of(text_line(strstr(second, "ITEM: BOX BOUNDS"), 1), 6, bound); /* low and high of x, y, z */
    for (int k = 0; k < 7; ++k, line = text_line(line, 1)) {
        double c[17], position[3], rotation[4]; /* id mol type x y z vx vy vz omega.. quat.. radius */
        int owner;
        numbers_of(line, 17, c);
        const scree_shape *shape = scree_world_shape(world, scree_shape_at((int)c[0] - 1));
        owner = scree_body_index(scree_world_shape_body(world, scree_shape_at((int)c[0] - 1)));
        const scree_frame now = scree_frame_of_world(world, report.h);
        scree_frame_shape_pose(&now, (int)c[0] - 1, position, rotation);
        assert_int_equal(owner, (int)c[1] - 1);
        assert_memory_equal(c + 3, position, sizeof position);
        assert_memory_equal(c + 12, rotation, sizeof rotation);
        if (shape->kind == SCREE_SHAPE_SPHERE) assert_true(c[16] == shape->size[0]);
        for (int i = 0; i < 3; ++i)
            outside = fmax(outside, fmax(bound[2 * i] - c[3 + i] + c[16], c[3 + i] + c[16] - bound[2 * i + 1]));
    }
    assert_true(outside <= 1e-15);
    assert_true(*line == '\0');
    free(text);
    scree_world_destroy(world);
}

static void summary_is_json_with_the_totals(void **state)
{
    (void)state;
    scree_error error = {0};
    scree_world *world = make_world();
    scree_stepper *stepper = make_stepper();
    scree_step_report report;
    char expected[128];
    size_t size;
    empty_folder(folder);
    scree_output *output = make_output(0, NULL);
    step(stepper, world, 5, &report);
    scree_run_totals totals = *scree_stepper_totals(stepper);
    totals.energy.lift = NAN;
    scree_run_facts facts = {
        .title = "a \"pile\"\nof \\", .outcome = "done", .commit = "abc", .seconds = 1.5, .threads = 2};
    good(scree_output_summary(output, world, &totals, &facts, &error), &error);
    char *text = read_whole(in_folder("summary.json"), &size);
    assert_non_null(strstr(text, "\"title\": \"a \\\"pile\\\"\\u000aof \\\\\","));
    assert_non_null(strstr(text, "\"lift\": null,"));
    snprintf(expected, sizeof expected, "\"hash\": \"%016llx\"\n}\n", (unsigned long long)scree_world_hash(world));
    assert_non_null(strstr(text, expected));
    snprintf(expected, sizeof expected, "\"residual_max\": %.17g,", totals.residual_max);
    assert_non_null(strstr(text, expected));
    assert_int_equal(text[0], '{');
    free(text);
    scree_output_destroy(output);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

static void numbers_are_written_and_read_with_the_same_bits(void **state)
{
    (void)state;
    static const double values[] = {0.1, -0.0, 1e-300, 5e-324, 1.7976931348623157e308, 1.0 / 3.0, 123456789.0};
    char buffer[FILE_BUFFER];
    scree_error error = {0};
    out_file f;
    size_t size;
    empty_folder(folder);
    good(file_create(&f, in_folder("x.txt"), buffer, &error), &error);
    for (int round = 0; round < 2000; ++round)
        for (size_t k = 0; k < 7; ++k) file_real(&f, values[k], k < 6 ? ' ' : '\n');
    assert_int_equal(access(in_folder("x.txt"), F_OK), -1); /* not there before it is whole */
    good(file_finish(&f, 0, &error), &error);
    char *text = read_whole(in_folder("x.txt"), &size), *at = text;
    assert_true(size > 2 * FILE_BUFFER);
    for (int round = 0; round < 2000; ++round)
        for (size_t k = 0; k < 7; ++k) {
            double x = strtod(at, &at);
            assert_memory_equal(&x, &values[k], sizeof x);
        }
    free(text);
}

/* ---- growing files, full disks --------------------------------------------------------------------------------------------- */

static void growing_files_keep_their_tail_and_cut_back(void **state)
{
    (void)state;
    char buffer[FILE_BUFFER];
    scree_error error = {0};
    out_file f;
    size_t size;
    empty_folder(folder);
    good(growing_open(&f, in_folder("g.xml"), "</end>\n", 0, buffer, &error), &error);
    file_text(&f, "<one/>\n");
    good(growing_commit(&f, &error), &error);
    int64_t after_one = f.size;
    file_text(&f, "<two/>\n");
    good(growing_commit(&f, &error), &error);
    char *text = read_whole(in_folder("g.xml"), &size);
    assert_string_equal(text, "<one/>\n<two/>\n</end>\n");
    free(text);
    growing_close(&f);
    good(growing_open(&f, in_folder("g.xml"), "</end>\n", 1, buffer, &error), &error);
    good(growing_cut(&f, after_one, &error), &error);
    text = read_whole(in_folder("g.xml"), &size);
    assert_string_equal(text, "<one/>\n</end>\n");
    free(text);
    file_text(&f, "<2/>\n");
    good(growing_commit(&f, &error), &error);
    text = read_whole(in_folder("g.xml"), &size);
    assert_string_equal(text, "<one/>\n<2/>\n</end>\n");
    free(text);
    assert_int_equal(growing_cut(&f, 1000, &error), SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "1000"));
    growing_close(&f);
}

static void a_write_that_fails_takes_its_entry_back(void **state)
{
    (void)state;
    char buffer[FILE_BUFFER];
    static char big[3 * FILE_BUFFER];
    scree_error error = {0};
    out_file f;
    size_t size;
    memset(big, 'x', sizeof big - 1);
    signal(SIGXFSZ, SIG_IGN);
    empty_folder(folder);
    good(growing_open(&f, in_folder("g.csv"), "end\n", 0, buffer, &error), &error);
    file_text(&f, "first\n");
    good(growing_commit(&f, &error), &error);
    limit_file_size(2 * FILE_BUFFER);
    file_text(&f, big);
    scree_status status = growing_commit(&f, &error);
    out_file g;
    good(file_create(&g, in_folder("r.csv"), buffer, &error), &error);
    file_text(&g, big);
    scree_status replaced = file_finish(&g, 1, &error);
    limit_file_size(6);
    assert_int_equal(growing_cut(&f, 6, &error), SCREE_ERR_WRITE); /* no room for the tail */
    limit_file_size(RLIM_INFINITY);
    good(growing_cut(&f, 6, &error), &error);
    assert_int_equal(status, SCREE_ERR_WRITE);
    assert_int_equal(replaced, SCREE_ERR_WRITE);
    assert_non_null(strstr(error.text, "cannot write the file: "));
    assert_int_equal(access(in_folder("r.csv"), F_OK), -1);
    assert_int_equal(access(in_folder("r.csv.tmp"), F_OK), -1);
    char *text = read_whole(in_folder("g.csv"), &size);
    assert_string_equal(text, "first\nend\n");
    free(text);
    file_text(&f, "second\n");
    good(growing_commit(&f, &error), &error); /* there is room again */
    text = read_whole(in_folder("g.csv"), &size);
    assert_string_equal(text, "first\nsecond\nend\n");
    free(text);
    growing_close(&f);
}

static void folders_that_cannot_be_made_are_named(void **state)
{
    (void)state;
    scree_error error = {0};
    scree_output *output;
    scree_output_options options = scree_output_options_default();
    empty_folder(folder);
    write_whole(in_folder("file"), "x", 1);
    options.directory = in_folder("file/run");
    error = (scree_error){0};
    output = scree_output_create(&options, &error);
    assert_int_equal(error.status, SCREE_ERR_WRITE);
    assert_null(output);
    assert_non_null(strstr(error.text, "cannot make the folder"));
    char *longest = malloc(3000);
    memset(longest, 'd', 2999), longest[2999] = '\0';
    options.directory = longest;
    error = (scree_error){0};
    output = scree_output_create(&options, &error);
    assert_int_equal(error.status, SCREE_ERR_WRITE);
    free(longest);
}

/* ---- VTK ---------------------------------------------------------------------------------------------------------------------- */

static void vtk_reads_the_frames(void **state)
{
    (void)state;
    if (system("/usr/bin/python3 -c 'import vtk' >/dev/null 2>&1") != 0) {
        skip();
        return;
    }
    scree_world *world = make_world();
    scree_step_report report;
    char command[512];
    make_frames(world, &report);
    snprintf(command, sizeof command, "/usr/bin/python3 tests/cli/read_vtp.py %s", folder);
    assert_int_equal(system(command), 0);
    scree_world_destroy(world);
}

static void files_that_cannot_grow_say_so(void **state)
{
    (void)state;
    out_file f;
    scree_error error = {0};
    static char buffer[FILE_BUFFER], name[FILE_PATH_MAX + 8];
    memset(name, 'x', sizeof name - 1);
    assert_int_equal(growing_open(&f, name, "", 0, buffer, &error), SCREE_ERR_WRITE);
    assert_string_equal(error.text, "cannot make the file: File name too long");
    error = (scree_error){0};
    assert_int_equal(growing_open(&f, folder, "", 0, buffer, &error), SCREE_ERR_WRITE);
    assert_string_equal(error.text, "cannot make the file: Is a directory");
    error = (scree_error){0};
    good(growing_open(&f, "/dev/full", "", 0, buffer, &error), &error);
    assert_int_equal(growing_cut(&f, 0, &error), SCREE_ERR_WRITE);
    assert_string_equal(error.text, "cannot cut the file back: Invalid argument");
    error = (scree_error){0};
    growing_close(&f);
    scree_output_options options = scree_output_options_default();
    scree_output *output = NULL;
    options.directory = name;
    error = (scree_error){0};
    output = scree_output_create(&options, &error);
    assert_int_equal(error.status, SCREE_ERR_WRITE);
    assert_null(output);
    error = (scree_error){0};
    int at =
        snprintf(name, sizeof name, "%s", folder); /* the folder's name is short enough, those of its files are not */
    while (at < FILE_PATH_MAX - 8) name[at++] = '/', name[at++] = '.';
    name[at] = '\0';
    error = (scree_error){0};
    output = scree_output_create(&options, &error);
    assert_int_equal(error.status, SCREE_ERR_WRITE);
    assert_string_equal(error.text, "the name of the folder is too long");
    error = (scree_error){0};
    options.directory = "";
    error = (scree_error){0};
    output = scree_output_create(&options, &error);
    assert_int_equal(error.status, SCREE_ERR_WRITE);
    assert_string_equal(error.text, "cannot make the folder: No such file or directory");
    error = (scree_error){0};
    f.fd = -1; /* a disk that fails while its cache is written */
    assert_int_equal(growing_sync(&f, &error), SCREE_ERR_WRITE);
    assert_string_equal(error.text, "cannot write the file: Bad file descriptor");
    error = (scree_error){0};
}

/* ---- tables -------------------------------------------------------------------------------------------------------------------- */

static void formats_and_quantities_have_names(void **state)
{
    (void)state;
    for (int k = 0; k < SCREE_FORMAT_COUNT; ++k) {
        assert_int_equal(scree_format_find(scree_format_name(k)), 1U << k);
        assert_true(scree_format_text(k)[0] != '\0');
        assert_true(scree_format_bytes(1U << k, 10.0, 30.0) > 0.0);
    }
    assert_null(scree_format_name(SCREE_FORMAT_COUNT));
    assert_null(scree_format_name(-1));
    assert_int_equal(scree_format_find("csv"), SCREE_FORMAT_BODIES | SCREE_FORMAT_CONTACTS);
    assert_true(scree_format_find("") == 0 && scree_format_find("png") == 0);
    assert_true(scree_format_bytes(SCREE_FORMAT_VTP | SCREE_FORMAT_DUMP, 2.0, 1.0) == 2.0 * (180.0 + 330.0) + 200.0);
    int shown = 0; /* the folder knows each of them */
    for (int k = 0; scree_run_folder_entry(k); ++k)
        shown += strcmp(scree_run_folder_entry(k), "dump.lammpstrj") == 0 ||
                 strcmp(scree_run_folder_entry(k), "bodies") == 0 ||
                 strcmp(scree_run_folder_entry(k), "frames.scree") == 0;
    assert_int_equal(shown, 3);

    scree_world *world = make_world();
    scree_stepper *stepper = make_stepper();
    scree_step_report report;
    step(stepper, world, 20, &report);
    const scree_run_totals *totals = scree_stepper_totals(stepper);
    int kinetic = scree_quantity_find("kinetic"), steps = scree_quantity_find("steps");
    assert_true(kinetic >= 0 && steps >= 0 && scree_quantity_find("step_slide") < 0 && scree_quantity_find("") < 0);
    assert_string_equal(scree_quantity_unit(kinetic), "J");
    assert_true(scree_quantity_value(kinetic, world, totals, &report) == scree_world_energy(world).kinetic);
    assert_true(scree_quantity_value(steps, world, totals, &report) == 20.0);
    assert_true(scree_quantity_value(scree_quantity_find("h"), world, totals, &report) == report.h);
    assert_true(scree_quantity_value(scree_quantity_find("slide"), world, totals, &report) == totals->energy.slide);
    int count = 0;
    while (scree_quantity_name(count)) ++count;
    assert_true(count > 40 && !scree_quantity_unit(count) && !scree_quantity_name(-1));
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_written_and_read_with_the_same_bits),
        cmocka_unit_test(growing_files_keep_their_tail_and_cut_back),
        cmocka_unit_test(a_write_that_fails_takes_its_entry_back),
        cmocka_unit_test(folders_that_cannot_be_made_are_named),
        cmocka_unit_test(vtp_has_the_bits_of_the_bodies),
        cmocka_unit_test(vtp_has_the_bits_of_the_contacts),
        cmocka_unit_test(surfaces_enclose_the_volumes_of_the_shapes),
        cmocka_unit_test(series_has_the_figures_of_the_step),
        cmocka_unit_test(contact_table_has_the_contacts),
        cmocka_unit_test(dump_has_the_bits_of_the_bodies),
        cmocka_unit_test(summary_is_json_with_the_totals),
        cmocka_unit_test(files_that_cannot_grow_say_so),
        cmocka_unit_test(vtk_reads_the_frames),
        cmocka_unit_test(formats_and_quantities_have_names),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
