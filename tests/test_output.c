/* What a run leaves on disk: every writer's numbers come back with the same bits, a failed write takes back its entry, a checkpoint
 * restores the same future, and damaged checkpoints are refused with the place of the damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "math/quat.h"
#include "output/h5.h"
#include "output/output.h"
#include "world/world.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- tools ---------------------------------------------------------------------------------------------------------- */

static char folder[64]; /* of this run */

static const char *in_folder(const char *name)
{
    static char path[4][512];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static void empty_folder(const char *path)
{
    DIR *d = opendir(path);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));) {
        char name[1024];
        if (e->d_name[0] == '.') continue;
        assert_true((size_t)snprintf(name, sizeof name, "%s/%s", path, e->d_name) < sizeof name);
        if (unlink(name) != 0) empty_folder(name), rmdir(name);
    }
    closedir(d);
}

static char *read_whole(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    if (!in) fail_msg("%s is not there", path);
    fseek(in, 0, SEEK_END);
    *size = (size_t)ftell(in);
    rewind(in);
    char *text = malloc(*size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *size, in), *size);
    text[*size] = '\0';
    fclose(in);
    return text;
}

static void write_whole(const char *path, const char *bytes, size_t size)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(out);
}

static void good(scree_status status, const scree_error *error)
{
    char text[1200];
    if (status != SCREE_OK) fail_msg("%s", scree_error_format(error, text, sizeof text));
}

/* ---- a world of all shapes -------------------------------------------------------------------------------------------- */

static int add(scree_world *world, scree_body_kind kind, const char *name, const scree_shape *shape, int count,
               double x, double y, double z)
{
    scree_error error;
    scree_body_def def = scree_body_def_default();
    int index;
    def.kind = kind, def.name = name, def.shape = shape, def.shape_count = count;
    def.position[0] = x, def.position[1] = y, def.position[2] = z;
    if (kind == SCREE_DYNAMIC) {
        def.velocity[0] = 0.1 * x + 0.01, def.velocity[1] = -0.05, def.velocity[2] = -0.1;
        def.spin[0] = 0.3, def.spin[1] = 1.0 / 3.0 + y, def.spin[2] = -2.0;
        double turn[3] = {0.3 * x, 0.2, 0.1 * y};
        quat_exp(turn, def.rotation);
    }
    good(scree_world_add_body(world, &def, &index, &error), &error);
    return index;
}

/// A floor, a wall whose name needs quotes, and one body of each shape with one of two spheres; one body is removed again.
static scree_world *make_world(void)
{
    scree_error error;
    scree_world *world;
    scree_world_options options = scree_world_options_default();
    good(scree_world_create(&options, NULL, &world, &error), &error);
    scree_material stone = {.name = "stone",
                            .density = 2500.0,
                            .friction = {.mu = 0.5, .rolling = {0.02, 1}, .spinning = {1e-3, 0}, .restitution = 0.1}};
    int m;
    good(scree_world_add_material(world, &stone, &m, &error), &error);
    scree_shape floor = scree_shape_plane(m), sphere = scree_shape_sphere(0.1, m),
                box = scree_shape_box(0.1, 0.15, 0.05, m);
    scree_shape ellipsoid = scree_shape_ellipsoid(0.1, 0.08, 0.15, m), capsule = scree_shape_capsule(0.05, 0.1, m);
    scree_shape pair[2] = {scree_shape_sphere(0.06, m), scree_shape_sphere(0.08, m)};
    pair[1].position[0] = 0.1, pair[1].position[2] = 0.03;
    add(world, SCREE_FIXED, "floor", &floor, 1, 0.0, 0.0, 0.0);
    add(world, SCREE_FIXED, "wall, \"left\"", &box, 1, -1.0, 0.0, 0.04);
    add(world, SCREE_DYNAMIC, "ball", &sphere, 1, 0.0, 0.0, 0.0999);
    int gone = add(world, SCREE_DYNAMIC, "ball", &sphere, 1, 3.0, 3.0, 3.0);
    add(world, SCREE_DYNAMIC, "box", &box, 1, 1.0, 0.0, 0.2);
    add(world, SCREE_DYNAMIC, "egg", &ellipsoid, 1, 2.0, 0.5, 0.2);
    add(world, SCREE_DYNAMIC, "pill", &capsule, 1, 3.0, 0.0, 0.2);
    add(world, SCREE_DYNAMIC, "pair", pair, 2, 4.0, 0.0, 0.1);
    scree_world_remove_body(world, gone);
    return world;
}

static scree_stepper *make_stepper(void)
{
    scree_error error;
    scree_stepper *stepper;
    scree_stepper_options options = scree_stepper_options_default();
    good(scree_stepper_create(&options, NULL, &stepper, &error), &error);
    return stepper;
}

static void step(scree_stepper *stepper, scree_world *world, int count, scree_step_report *report)
{
    scree_error error;
    for (int k = 0; k < count; ++k) good(scree_step(stepper, world, report, &error), &error);
}

static scree_output *make_output(int resume, const scree_allocator *allocator)
{
    scree_error error;
    scree_output *output;
    scree_output_options options = scree_output_options_default();
    options.directory = folder, options.dump = 1, options.contacts = 1, options.resume = resume;
    good(scree_output_create(&options, allocator, &output, &error), &error);
    return output;
}

/// Steps and writes frames 0 and 1 into the folder.
static void make_frames(scree_world *world, scree_step_report *report)
{
    scree_error error;
    scree_stepper *stepper = make_stepper();
    empty_folder(folder);
    scree_output *output = make_output(0, NULL);
    good(scree_output_frame(output, world, NULL, scree_stepper_totals(stepper), &error), &error);
    step(stepper, world, 40, report);
    good(scree_output_frame(output, world, report, scree_stepper_totals(stepper), &error), &error);
    assert_int_equal(scree_output_frame_count(output), 2);
    assert_true(scree_world_contact_count(world) > 3);
    scree_output_destroy(output);
    scree_stepper_destroy(stepper);
}

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
        const scree_shape *shape = scree_world_shape(world, s, &b);
        if (scree_world_body_kind(world, b) == SCREE_REMOVED) continue;
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
    const scree_touch *c = scree_world_contacts(world);
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
        for (int i = 0; i < 6; ++i) assert_true(fabs(p[i] * report.h - c[k].load[i]) <= 1e-15 * fabs(c[k].load[i]));
        assert_true(fabs(vec_dot(f, c[k].normal) - p[0]) <= 1e-12 * (fabs(p[0]) + 1.0));
        assert_true(fabs(vec_dot(f, f) - p[0] * p[0] - p[1] * p[1] - p[2] * p[2]) <= 1e-9 * (1.0 + p[0] * p[0]));
        for (int i = 0; i < 3; ++i) sum[i] += ab[0] == 0 ? -f[i] : 0.0; /* the floor is A: its part is the opposite */
    }
    double floor_force[3], floor_moment[3];
    scree_world_contact_force(world, 0, report.h, floor_force, floor_moment);
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
    scree_world_contact_force(world, 0, report.h, force, moment);
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
    const scree_touch *c = scree_world_contacts(world);
    for (int k = 0; k < scree_world_contact_count(world); ++k) {
        assert_true(csv_real(text, k + 1, "x[m]") == c[k].position[0] && csv_real(text, k + 1, "gap[m]") == c[k].gap);
        assert_true(csv_real(text, k + 1, "normal_z") == c[k].normal[2]);
        assert_true(csv_real(text, k + 1, "u_T2[m/s]") == c[k].velocity[2]);
        assert_true(csv_real(text, k + 1, "spinning[m]") == c[k].cone.coef[SCREE_SPIN]);
        for (int i = 0; i < 6; ++i) assert_true(csv_real(text, k + 1, loads[i]) == c[k].load[i] * (1.0 / report.h));
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
        const scree_shape *shape = output_shape(world, (int)c[0] - 1, &owner, position, rotation);
        assert_int_equal(owner, (int)c[1] - 1);
        assert_memory_equal(c + 3, position, sizeof position);
        assert_memory_equal(c + 12, rotation, sizeof rotation);
        if (shape->kind == SCREE_SPHERE) assert_true(c[16] == shape->size[0]);
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
    scree_error error;
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
    assert_non_null(strstr(text, "\"title\": \"a \\u0022pile\\u0022\\u000aof \\u005c\","));
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
    scree_error error;
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
    scree_error error;
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

static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_write_that_fails_takes_its_entry_back(void **state)
{
    (void)state;
    char buffer[FILE_BUFFER];
    static char big[3 * FILE_BUFFER];
    scree_error error;
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
    limit_file_size(RLIM_INFINITY);
    assert_int_equal(status, SCREE_ERR_FILE);
    assert_int_equal(replaced, SCREE_ERR_FILE);
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
    scree_error error;
    scree_output *output;
    scree_output_options options = scree_output_options_default();
    empty_folder(folder);
    write_whole(in_folder("file"), "x", 1);
    options.directory = in_folder("file/run");
    assert_int_equal(scree_output_create(&options, NULL, &output, &error), SCREE_ERR_FILE);
    assert_null(output);
    assert_non_null(strstr(error.text, "cannot make the folder"));
    char *longest = malloc(3000);
    memset(longest, 'd', 2999), longest[2999] = '\0';
    options.directory = longest;
    assert_int_equal(scree_output_create(&options, NULL, &output, &error), SCREE_ERR_FILE);
    free(longest);
}

/* ---- checkpoints ------------------------------------------------------------------------------------------------------------ */

static const double some_settings[3] = {1.0, 0.1, -0.0};

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
    scree_error error;
    scree_step_report report, restored;
    scree_run_totals totals;
    int64_t source[2];
    double setting[3];
    char *scene;
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

    good(scree_checkpoint_peek(in_folder("checkpoint.h5"), NULL, &scene, setting, 3, &error), &error);
    assert_string_equal(scene, "title: x\n");
    assert_memory_equal(setting, some_settings, sizeof setting);
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
    char *scene;
    double setting[3];
    scree_status status = scree_checkpoint_peek(in_folder("checkpoint.h5"), allocator, &scene, setting, 3, error);
    if (scene) allocator ? allocator->free(scene, allocator->context) : scree_allocator_default().free(scene, NULL);
    scree_output_options options = scree_output_options_default();
    options.directory = folder, options.vtp = 0, options.resume = 1;
    scree_output *output = NULL;
    if (status == SCREE_OK) status = scree_output_create(&options, allocator, &output, error);
    if (status == SCREE_OK) status = scree_checkpoint_read(output, world, &totals, &report, source, 2, error);
    scree_output_destroy(output);
    scree_world_destroy(world);
    return status;
}

static void make_checkpoint(void)
{
    scree_error error;
    scree_step_report report;
    scree_world *world = make_world();
    scree_stepper *stepper = make_stepper();
    empty_folder(folder);
    scree_output *output = make_output(0, NULL);
    step(stepper, world, 20, &report);
    good(save(output, world, stepper, &report, &error), &error);
    scree_output_destroy(output);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

static void damaged_checkpoints_are_refused(void **state)
{
    (void)state;
    scree_error error;
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
    scree_error error;
    int64_t count;
    empty_folder(folder);
    good(h5_image_make(lists, 2, NULL, &image), &error);
    write_whole(in_folder("x.h5"), image.bytes, image.size);
    lists[0].target = back;
    good(h5_open(in_folder("x.h5"), NULL, &source, &error), &error);
    good(h5_read(&source, &lists[0]), &error);
    assert_memory_equal(back, x, sizeof x);
    good(h5_count(&source, "/a/i", 'i', 1, &count), &error);
    assert_int_equal(count, 2);
    assert_int_equal(h5_count(&source, "/a/i", 'd', 1, &count), SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "the type is wrong"));
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

static void a_checkpoint_on_a_full_disk_leaves_the_old_one(void **state)
{
    (void)state;
    scree_error error;
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
    assert_int_equal(status, SCREE_ERR_FILE);
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
    scree_error error;
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
        options.directory = folder, options.dump = 1, options.contacts = 1;
        scree_output *output;
        empty_folder(folder);
        status = scree_output_create(&options, &a, &output, &error);
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
    scree_error error;
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
    snprintf(command, sizeof command, "/usr/bin/python3 tests/read_vtp.py %s", folder);
    assert_int_equal(system(command), 0);
    scree_world_destroy(world);
}

int main(void)
{
    snprintf(folder, sizeof folder, "/tmp/scree_output_%ld", (long)getpid());
    mkdir(folder, 0777);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_written_and_read_with_the_same_bits),
        cmocka_unit_test(growing_files_keep_their_tail_and_cut_back),
        cmocka_unit_test(a_write_that_fails_takes_its_entry_back),
        cmocka_unit_test(folders_that_cannot_be_made_are_named),
        cmocka_unit_test(lists_come_back_and_mistakes_have_a_path),
        cmocka_unit_test(vtp_has_the_bits_of_the_bodies),
        cmocka_unit_test(vtp_has_the_bits_of_the_contacts),
        cmocka_unit_test(surfaces_enclose_the_volumes_of_the_shapes),
        cmocka_unit_test(series_has_the_figures_of_the_step),
        cmocka_unit_test(contact_table_has_the_contacts),
        cmocka_unit_test(dump_has_the_bits_of_the_bodies),
        cmocka_unit_test(summary_is_json_with_the_totals),
        cmocka_unit_test(a_restored_world_has_the_same_future),
        cmocka_unit_test(damaged_checkpoints_are_refused),
        cmocka_unit_test(a_checkpoint_on_a_full_disk_leaves_the_old_one),
        cmocka_unit_test(every_failing_allocation_is_reported_and_nothing_leaks),
        cmocka_unit_test(writing_changes_nothing),
        cmocka_unit_test(vtk_reads_the_frames),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    empty_folder(folder);
    rmdir(folder);
    return failed;
}
