/* check.c: `scree check SCENE`: reads and builds a scene, and prints what would be simulated, how much it
 * writes and needs, and how long it would take, by the first steps. */
#include "cli/cli.h"
#include "cli/lost.h"
#include "cli/need.h"
#include "cli/progress.h"
#include "cli/system.h"

#include <scree/files.h>
#include <scree/result.h>
#include <scree/run.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cli_about about = {
    .operands = "SCENE",
    .forms = "--schema\n"
             "--reference",
    .text = "Reads a scene, reports every mistake with its line and column, and prints what `scree run` would "
            "simulate: bodies, shapes, materials and the friction between them, overlaps at the start, step, "
            "solver, bodies that no surface holds, the size of the output, the memory, and the time, which it "
            "measures over the first steps.",
    .exits = "0 the scene is good; 1 its first steps fail; 2 wrong usage; 3 bad input; 4 machine failure",
    .examples = "scree check examples/pile.yaml --set materials.stone.friction=0.3",
};

static const double CONTACTS_PER_SHAPE = 2.0; /* in a pile of balls with friction: four to six at each, shared by two */

/// What is printed and what --json has; -1 and 0: not known.
typedef struct facts {
    double bodies, dynamic, fixed, driven, to_pour, left_out, mass; /* bodies: all, once poured */
    double until, step, steps;
    double overlaps, not_held;
    double frames, contacts, output_bytes, checkpoint_bytes;
    double memory_bytes, memory_there;
    double measured_steps, measured_contacts, step_seconds, seconds;
    int seconds_poured;
    char stopped[512]; /* why the first steps could not be taken */
} facts;

/* ---- bodies ---------------------------------------------------------------------------------------------------------- */

static void print_bodies(const scree_world *world)
{
    static const struct {
        scree_body_kind kind;
        const char *name;
    } kinds[] = {{SCREE_BODY_DYNAMIC, "dynamic"}, {SCREE_BODY_FIXED, "fixed"}, {SCREE_BODY_DRIVEN, "driven"}};
    int shapes = scree_world_shape_count(world);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        int bodies = 0, body, of_kind[SCREE_SHAPE_KIND_COUNT] = {0};
        double mass = 0.0;
        for (int b = 0; b < scree_world_body_count(world); ++b) {
            if (scree_world_body_kind(world, scree_body_at(b)) != kinds[k].kind) continue;
            bodies += 1;
            if (kinds[k].kind == SCREE_BODY_DYNAMIC) mass += scree_world_mass(world, scree_body_at(b));
        }
        if (bodies == 0 && kinds[k].kind != SCREE_BODY_DYNAMIC) continue;
        for (int s = 0; s < shapes; ++s) {
            const scree_shape *shape = scree_world_shape(world, scree_shape_at(s));
            body = scree_body_index(scree_world_shape_body(world, scree_shape_at(s)));
            if (scree_world_body_kind(world, scree_body_at(body)) == kinds[k].kind) of_kind[shape->kind] += 1;
        }
        printf("%-12s %d", kinds[k].name, bodies);
        for (int s = 0; s < SCREE_SHAPE_KIND_COUNT; ++s)
            if (of_kind[s] > 0)
                printf(", %s%s %d", scree_shape_kind_name((scree_shape_kind)s),
                       s == SCREE_SHAPE_BOX || s == SCREE_SHAPE_MESH ? "es" : "s", of_kind[s]);
        if (kinds[k].kind == SCREE_BODY_DYNAMIC && bodies > 0) printf(", mass %.4g kg", mass);
        printf("\n");
    }
}

/// Where a surface ends, bodies can go round its border; between triangles that should meet it is a mistake of the file.
static void print_meshes(const scree_world *world)
{
    static const char *const words[] = {
        [SCREE_SIDES_FRONT] = "its front", [SCREE_SIDES_BACK] = "its back", [SCREE_SIDES_BOTH] = "both sides"};
    for (int s = 0; s < scree_world_shape_count(world); ++s) {
        const scree_shape *shape = scree_world_shape(world, scree_shape_at(s));
        char name[128];
        if (shape->kind != SCREE_SHAPE_MESH) continue;
        int open = scree_geometry_open_edges(shape->geometry);
        printf("mesh         %s: %d triangles, ",
               scree_world_body_name(world, scree_world_shape_body(world, scree_shape_at(s)), name, sizeof name),
               scree_geometry_triangle_count(shape->geometry));
        if (open > 0) printf("ends at %d edges", open);
        else printf("closed");
        printf(", touched from %s\n", words[scree_geometry_sides(shape->geometry)]);
    }
}

static void print_sizes(const scree_world *world)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double smallest = INFINITY, largest = 0.0;
    const double *x = scree_world_positions(world);
    int body, any = 0;
    for (int b = 0; b < scree_world_body_count(world); ++b) {
        if (scree_world_body_kind(world, scree_body_at(b)) != SCREE_BODY_DYNAMIC) continue;
        for (int i = 0; i < 3; ++i) low[i] = fmin(low[i], x[3 * b + i]), high[i] = fmax(high[i], x[3 * b + i]);
        any = 1;
    }
    for (int s = 0; s < scree_world_shape_count(world); ++s) {
        const scree_shape *shape = scree_world_shape(world, scree_shape_at(s));
        body = scree_body_index(scree_world_shape_body(world, scree_shape_at(s)));
        if (shape->kind != SCREE_SHAPE_SPHERE ||
            scree_world_body_kind(world, scree_body_at(body)) != SCREE_BODY_DYNAMIC)
            continue;
        smallest = fmin(smallest, shape->size[0]), largest = fmax(largest, shape->size[0]);
    }
    if (largest > 0.0) printf("radii        %.4g to %.4g mm\n", 1e3 * smallest, 1e3 * largest);
    if (any)
        printf("centres      x %.4g to %.4g, y %.4g to %.4g, z %.4g to %.4g m\n", low[0], high[0], low[1], high[1],
               low[2], high[2]);
}

/* ---- materials ---------------------------------------------------------------------------------------------------------- */

/// Smallest and largest radius of the spheres of a material; 0 where it has none.
static void radii_of(const scree_world *world, int material, double *smallest, double *largest)
{
    *smallest = *largest = 0.0;
    for (int s = 0; s < scree_world_shape_count(world); ++s) {
        const scree_shape *shape = scree_world_shape(world, scree_shape_at(s));
        if (shape->kind != SCREE_SHAPE_SPHERE || scree_material_index(shape->material) != material) continue;
        double r = shape->size[0];
        *smallest = *smallest > 0.0 ? fmin(*smallest, r) : r, *largest = fmax(*largest, r);
    }
}

/// Whether a shape of this material has no radius: a plane or a surface.
static int has_wall(const scree_world *world, int material)
{
    for (int s = 0; s < scree_world_shape_count(world); ++s) {
        const scree_shape *shape = scree_world_shape(world, scree_shape_at(s));
        if (scree_material_index(shape->material) == material &&
            (shape->kind == SCREE_SHAPE_PLANE || shape->kind == SCREE_SHAPE_MESH || shape->kind == SCREE_SHAPE_TUBE ||
             shape->kind == SCREE_SHAPE_BOWL))
            return 1;
    }
    return 0;
}

/// What a ratio refers to where spheres of these radii meet; 0: none, a wall.
static double ratio_radius(int kind, double a, double b)
{
    if (!(a > 0.0 && b > 0.0)) return fmax(a, b);
    return kind == SCREE_LENGTH_REDUCED ? a * b / (a + b) : fmin(a, b);
}

/// A length as millimetres; a ratio with the lengths it stands for.
static void print_arm(const scree_world *world, int a, int b, const scree_friction_length *arm)
{
    char text[64];
    double low[2], high[2];
    if (isnan(arm->value)) snprintf(text, sizeof text, "by the sizes");
    else if (arm->kind == SCREE_LENGTH_ABSOLUTE) snprintf(text, sizeof text, "%.4g mm", 1e3 * arm->value);
    else {
        radii_of(world, a, &low[0], &high[0]);
        radii_of(world, b, &low[1], &high[1]);
        const char *unit = arm->kind == SCREE_LENGTH_REDUCED ? "r_eff" : "r";
        double from = ratio_radius(arm->kind, low[0], low[1]), to = ratio_radius(arm->kind, high[0], high[1]);
        if (has_wall(world, a)) to = fmax(to, high[1]);
        if (has_wall(world, b)) to = fmax(to, high[0]);
        if (to == 0.0) snprintf(text, sizeof text, "%.4g %s", arm->value, unit);
        else if (from == to) snprintf(text, sizeof text, "%.4g %s = %.4g mm", arm->value, unit, 1e3 * arm->value * to);
        else
            snprintf(text, sizeof text, "%.4g %s = %.4g to %.4g mm", arm->value, unit, 1e3 * arm->value * from,
                     1e3 * arm->value * to);
    }
    printf("  %-28s", text);
}

/// What resists along the normal: rigid, or as the soft law of the pair has it.
static void print_stiffness(const scree_world *world, int a, int b, double stiffness, int soft)
{
    const scree_dem dem = scree_world_pair_dem(world, scree_material_at(a), scree_material_at(b));
    const int given = soft && !isnan(dem.stiffness);
    if (given || (stiffness > 0.0 && isfinite(stiffness))) printf("  %.4g N/m\n", given ? dem.stiffness : stiffness);
    else if (!soft) printf("  rigid\n");
    else if (!isnan(dem.young)) printf("  Hertz, E %.4g Pa\n", dem.young);
    else printf("  %s\n", isnan(dem.load) ? "none given" : "constant force");
}

static void print_materials(const scree_world *world, int soft)
{
    int count = scree_world_material_count(world);
    printf("materials\n");
    for (int m = 0; m < count; ++m) {
        const scree_material *material = scree_world_material(world, scree_material_at(m));
        printf("  %-16s", material->name);
        if (material->density > 0.0) printf(" density %.6g kg/m^3", material->density);
        printf("\n");
    }
    printf("pairs        %-8s  %-28s  %-28s  %-11s  %s\n", "mu", "rolling", "spinning", "restitution", "stiffness");
    for (int a = 0; a < count; ++a)
        for (int b = a; b < count; ++b) {
            scree_friction f = scree_world_pair(world, scree_material_at(a), scree_material_at(b));
            printf("  %s - %s\n", scree_world_material(world, scree_material_at(a))->name,
                   scree_world_material(world, scree_material_at(b))->name);
            printf("             %-8.4g", f.mu);
            print_arm(world, a, b, &f.rolling);
            print_arm(world, a, b, &f.spinning);
            printf("  %-11.4g", f.restitution);
            print_stiffness(world, a, b, f.stiffness, soft);
        }
}

/* ---- the run -------------------------------------------------------------------------------------------------------------- */

/// Bodies that overlap before the first step: the deepest few by name.
static scree_status print_overlaps(scree_simulation *simulation, int shown, facts *f)
{
    enum { SHOWN = 3 };
    scree_overlap deepest[SHOWN];
    int count;
    scree_world *world = scree_simulation_world(simulation);
    scree_status status = scree_simulation_overlaps(simulation, 0.0, SHOWN, deepest, &count);
    f->overlaps = count;
    if (status != SCREE_OK || !shown) return status;
    printf("overlaps     %s", count == 0 ? "none at the start\n" : "");
    if (count > 0) printf("%d pairs of bodies at the start, the deepest:\n", count);
    for (int k = 0; k < count && k < SHOWN; ++k) {
        char a[128], b[128];
        printf("             %s and %s by %.3g mm\n",
               scree_world_body_name(world, scree_body_at(deepest[k].body_a), a, sizeof a),
               scree_world_body_name(world, scree_body_at(deepest[k].body_b), b, sizeof b), 1e3 * deepest[k].depth);
    }
    return SCREE_OK;
}

static void print_bytes(double bytes)
{
    char text[32];
    printf("%s", need_bytes(bytes, text, sizeof text));
}

/// Frames of the run: at the start, at each multiple of `every`, at the end.
static double frame_count(const scree_run_plan *plan, double step)
{
    double every = fmax(plan->output_every, step);
    if (!(plan->output_every > 0.0)) return 2.0;
    double whole = floor(plan->until / every + 1e-9);
    return whole + 1.0 + (whole * every < plan->until * (1.0 - 1e-9));
}

/// Bytes of the surfaces: once in frames.scree, and in every frame of VTK, where each shape that is no ball has its triangles.
static void surface_bytes(const scree_world *world, double *once, double *frame)
{
    enum { SLICES = 16 }; /* as src/run/surfaces.c has them */
    *once = *frame = 0.0;
    for (int s = 0; s < scree_world_shape_count(world); ++s) {
        const scree_shape *shape = scree_world_shape(world, scree_shape_at(s));
        if (shape->geometry)
            *once += 24.0 * scree_geometry_vertex_count(shape->geometry) +
                     12.0 * scree_geometry_triangle_count(shape->geometry);
        if (shape->kind != SCREE_SHAPE_SPHERE)
            *frame += 24.0 * scree_net_point_count(shape, SLICES) + 24.0 * scree_net_triangle_count(shape, SLICES);
    }
}

/// Bytes of a run's folder (docs/formats.md), with so many contacts in the mean.
static double output_bytes(const scree_world *world, double to_pour, const scree_run_plan *plan, double step,
                           double contacts)
{
    static const double ROW = 1100.0, WALL = 60.0, SHAPE_ONCE = 112.0; /* series.csv and timing.csv, forces on a wall */
    double shapes = (double)scree_world_shape_count(world) + to_pour, once, frame;
    double walls = (double)(scree_world_body_count(world) - scree_world_dynamic_count(world));
    surface_bytes(world, &once, &frame);
    double every = ROW + WALL * walls + scree_format_bytes(plan->formats, shapes, contacts);
    if (plan->formats & SCREE_FORMAT_VTP) every += frame;
    return frame_count(plan, step) * every + once + SHAPE_ONCE * shapes;
}

static double checkpoint_bytes(double shapes, double contacts)
{
    return 240.0 * shapes + 260.0 * contacts + 5e4;
}

/// How many frames, in which formats, and about how many bytes.
static void print_output(const facts *f, const scree_run_plan *plan)
{
    printf("output       frames %.15g:", f->frames);
    for (int k = 0; k < SCREE_FORMAT_COUNT; ++k)
        if (plan->formats >> k & 1U) printf(" %s", scree_format_name(k));
    printf("; about ");
    print_bytes(f->output_bytes);
    printf(" if there are %.0f contacts; checkpoint ", f->contacts);
    print_bytes(f->checkpoint_bytes);
    printf("\n");
    if (plan->problems_every > 0)
        printf("             and the contact problems of %.0f steps\n", floor(f->steps / plan->problems_every));
}

/* ---- memory and time -------------------------------------------------------------------------------------------------------- */

static void print_memory(const facts *f)
{
    printf("memory       about ");
    print_bytes(f->memory_bytes);
    printf(" for %.0f bodies in a pile", f->bodies);
    if (f->memory_bytes > f->memory_there) {
        printf("; this machine has ");
        print_bytes(f->memory_there);
    }
    printf("\n");
}

/// Takes steps for a moment, and scales what they took to the whole run. The first one, which makes lists, does not count.
static void measure_time(scree_simulation *simulation, double to_pour, facts *f, scree_error *error)
{
    static const double SECONDS = 0.25;
    enum { STEPS_MOST = 2000 };
    scree_step_report report = {0};
    int64_t steps = 0;
    if (scree_simulation_step(simulation, &report, error) != SCREE_OK) return;
    double begin = scree_clock_seconds(), spent = 0.0;
    for (int64_t batch = 1; spent < SECONDS && steps < STEPS_MOST && (double)steps + 1.0 < f->steps; batch *= 2) {
        if (scree_simulation_advance(simulation, batch, &report, error) != SCREE_OK) return;
        steps += batch, spent = scree_clock_seconds() - begin;
    }
    double bodies = scree_world_dynamic_count(scree_simulation_world(simulation));
    if (steps == 0 || bodies == 0.0) return;
    f->measured_steps = (double)steps + 1.0;
    f->step_seconds = spent / (double)steps;
    f->measured_contacts = scree_world_contact_count(scree_simulation_world(simulation));
    f->seconds = f->step_seconds * f->steps * (bodies + to_pour) / bodies;
    f->seconds_poured = to_pour > 0.0;
}

static void print_time(const facts *f)
{
    char text[32];
    if (f->stopped[0]) printf("time         the first steps fail: %s\n", f->stopped);
    else if (f->measured_steps > 0.0)
        printf(
            "time         about %s%s: %.3g ms a step, measured over %.0f steps with %.0f contacts; piles take longer\n",
            progress_duration(f->seconds, text, sizeof text), f->seconds_poured ? " with all bodies poured" : "",
            1e3 * f->step_seconds, f->measured_steps, f->measured_contacts);
    else printf("time         not known before the first step with bodies\n");
}

/// The columns that the scene adds to series.csv.
static void print_measures(const scree_measures *measures)
{
    if (!measures) return;
    printf("measures    ");
    for (int k = 0; k < scree_measures_count(measures); ++k)
        printf("%s%s%s%s%s", k ? ", " : " ", scree_measures_name(measures, k),
               scree_measures_unit(measures, k)[0] ? "[" : "", scree_measures_unit(measures, k),
               scree_measures_unit(measures, k)[0] ? "]" : "");
    for (int k = 0; scree_measures_file(measures, k); ++k)
        printf("%s%s", k || scree_measures_count(measures) ? ", " : " ", scree_measures_file(measures, k));
    printf("\n");
}

static void print_scheme(scree_simulation *simulation, const scree_stepper_options *stepper)
{
    double critical;
    if (stepper->scheme != SCREE_SCHEME_DEM) {
        printf("scheme       %s, law %s, solver %s, tolerance %g\n", scree_scheme_name(stepper->scheme),
               stepper->law == SCREE_LAW_CONVEX ? "convex" : "coulomb", stepper->solver.name,
               stepper->solver.tolerance);
        return;
    }
    printf("scheme       %s\n", scree_scheme_name(stepper->scheme));
    /* what it may refuse, scree_simulation_create has refused */
    (void)scree_stepper_check(scree_simulation_stepper(simulation), scree_simulation_world(simulation), &critical,
                              NULL);
    if (isfinite(critical))
        printf(
            "critical     %.3g s is the largest stable step as the scene begins, the step is %.3g of it; grains with "
            "many contacts take a fifth\n",
            critical, stepper->step / critical);
    else printf("critical     no limit of the step is known before bodies can touch\n");
}

/// Everything in numbers, for programs.
static void print_json(const char *path, const scree_scene *scene, const facts *f)
{
    const scree_stepper_options stepper = scree_scene_stepper(scene);
    const struct {
        const char *key;
        double value;
    } rows[] = {{"bodies", f->bodies},
                {"dynamic", f->dynamic},
                {"fixed", f->fixed},
                {"driven", f->driven},
                {"to_pour", f->to_pour},
                {"left_out", f->left_out},
                {"mass", f->mass},
                {"until", f->until},
                {"step", f->step},
                {"steps", f->steps},
                {"overlaps", f->overlaps},
                {"not_held", f->not_held},
                {"frames", f->frames},
                {"output_bytes", f->output_bytes},
                {"checkpoint_bytes", f->checkpoint_bytes},
                {"memory_bytes", f->memory_bytes},
                {"memory_there", f->memory_there}};
    scree_json j = scree_json_start(stdout);
    scree_json_object(&j, NULL);
    scree_json_text(&j, "scene", path);
    scree_json_text(&j, "title", scree_scene_plan(scene).title);
    scree_json_text(&j, "scheme", scree_scheme_name(stepper.scheme));
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) scree_json_number(&j, rows[k].key, rows[k].value);
    if (f->measured_steps > 0.0) {
        scree_json_number(&j, "step_seconds", f->step_seconds);
        scree_json_number(&j, "seconds", f->seconds);
    } else {
        scree_json_null(&j, "step_seconds");
        scree_json_null(&j, "seconds");
    }
    if (f->stopped[0]) scree_json_text(&j, "stopped", f->stopped);
    scree_json_close(&j);
}

/// The table, but for the lines that need steps.
static void print_table(const char *path, scree_simulation *simulation, const scree_scene *scene, const facts *f)
{
    scree_world *world = scree_simulation_world(simulation);
    scree_run_plan plan = scree_scene_plan(scene);
    scree_stepper_options stepper = scree_scene_stepper(scene);
    const scree_census census = scree_simulation_census(simulation);
    printf("scene        %s%s%s\n", path, plan.title[0] ? ": " : "", plan.title);
    print_bodies(world);
    print_meshes(world);
    print_sizes(world);
    if (f->to_pour > 0.0) printf("to pour      %.0f more bodies while the run continues\n", f->to_pour);
    lost_print_left_out(stdout, &census);
    if (scree_world_joint_count(world) > 0) printf("joints       %d\n", scree_world_joint_count(world));
    print_materials(world, stepper.scheme == SCREE_SCHEME_DEM);
    printf("run          until %g s, step %g s: %.15g steps\n", plan.until, stepper.step, f->steps);
    print_scheme(simulation, &stepper);
}

/// Bodies that touch a neighbour at several points; grains that are still to be poured are not among them.
static double cornered_bodies(const scree_world *world)
{
    int count = 0, last = -1;
    for (int s = 0; s < scree_world_shape_count(world); ++s) {
        const scree_shape_kind kind = scree_world_shape(world, scree_shape_at(s))->kind;
        const scree_body_id body = scree_world_shape_body(world, scree_shape_at(s));
        const int corners = kind == SCREE_SHAPE_BOX || kind == SCREE_SHAPE_CYLINDER || kind == SCREE_SHAPE_CONE ||
                            kind == SCREE_SHAPE_HULL;
        if (!corners || scree_body_index(body) == last || scree_world_body_kind(world, body) != SCREE_BODY_DYNAMIC)
            continue;
        last = scree_body_index(body), count += 1;
    }
    return count;
}

/// What is known before anything is built.
static facts facts_of(const scree_scene *scene)
{
    scree_run_plan plan = scree_scene_plan(scene);
    scree_stepper_options stepper = scree_scene_stepper(scene);
    facts f = {.bodies = (double)scree_scene_body_count(scene), .until = plan.until, .step = stepper.step};
    f.steps = fmax(1.0, ceil(plan.until / stepper.step - 1e-6));
    f.frames = frame_count(&plan, stepper.step);
    f.memory_bytes = need_memory(stepper.scheme, f.bodies, 0.0);
    f.memory_there = cli_machine_memory();
    return f;
}

static int print_scene(const char *path, const scree_scene *scene, int json)
{
    static const double BODIES_MEASURED = 3e5; /* beyond, the first step alone takes seconds */
    scree_error error = {0};
    facts f = facts_of(scene);
    if (f.memory_bytes > f.memory_there) { /* building it here would end in the middle */
        if (json) print_json(path, scene, &f);
        else {
            printf("scene        %s\n", path);
            print_memory(&f);
            printf("             so it was read, and not built: overlaps and sizes are not known\n");
        }
        return CLI_DONE;
    }
    const int early = !json && f.bodies > BODIES_MEASURED; /* building takes a while: what it needs is said before */
    if (early) print_memory(&f), fflush(stdout);
    scree_simulation *simulation = scree_simulation_create(scene, 0, NULL, &error);
    if (!simulation) {
        cli_print_file_error(&error);
        return cli_exit_of(error.status);
    }
    scree_world *world = scree_simulation_world(simulation);
    scree_run_plan plan = scree_scene_plan(scene);
    scree_census census = scree_simulation_census(simulation);
    f.dynamic = census.dynamic, f.fixed = census.fixed, f.driven = census.driven, f.mass = census.mass;
    f.to_pour = (double)census.to_pour, f.left_out = (double)census.left_out;
    f.bodies = f.dynamic + f.fixed + f.driven + f.to_pour;
    f.memory_bytes = need_memory(scree_scene_stepper(scene).scheme, f.bodies, cornered_bodies(world));
    f.contacts = CONTACTS_PER_SHAPE * ((double)scree_world_shape_count(world) + f.to_pour);
    f.output_bytes = output_bytes(world, f.to_pour, &plan, f.step, f.contacts);
    f.checkpoint_bytes = checkpoint_bytes((double)scree_world_shape_count(world) + f.to_pour, f.contacts);
    if (!json) print_table(path, simulation, scene, &f);
    scree_status status = print_overlaps(simulation, !json, &f);
    f.not_held = json ? scree_world_lost(world, 1, 0, NULL) : lost_print_start(stdout, world);
    if (!json) print_measures(scree_simulation_measures(simulation));
    if (!json) print_output(&f, &plan);
    if (f.bodies <= BODIES_MEASURED) measure_time(simulation, f.to_pour, &f, &error);
    const int stopped = cli_exit_of_stopped(error.status);
    if (stopped == CLI_MACHINE) { /* no fault of the scene */
        snprintf(error.file, sizeof error.file, "%s", path);
        cli_print_file_error(&error);
    }
    if (stopped != CLI_MACHINE && error.status != SCREE_OK) snprintf(f.stopped, sizeof f.stopped, "%s", error.text);
    if (json) print_json(path, scene, &f);
    else {
        if (!early) print_memory(&f);
        print_time(&f);
    }
    scree_simulation_destroy(simulation);
    if (status != SCREE_OK)
        fprintf(stderr, "%s: error: %s while looking for overlaps\n", path, scree_status_name(status));
    if (status == SCREE_OK && stopped == CLI_MACHINE) return stopped;
    return status == SCREE_OK && f.stopped[0] ? CLI_FELL_SHORT : cli_exit_of(status);
}

/// A text made from the schema table.
static int print_made(char *(*make)(const scree_allocator *, scree_error *))
{
    scree_error error = {0};
    char *text = make(NULL, &error);
    if (!text) {
        fprintf(stderr, "scree check: error: %s while making the text\n", scree_status_name(error.status));
        return cli_exit_of(error.status);
    }
    fputs(text, stdout);
    scree_allocator_default().free(text, NULL);
    return CLI_DONE;
}

int cli_check(int argc, char **argv)
{
    cli_texts set = {.count = 0};
    int schema = 0, reference = 0, json = 0;
    /* clang-format off */
    const cli_option options[] = {
        {"--set", "PATH=VALUE", CLI_TEXTS, &set,
         .text = "changes a value of the scene; may be repeated"},
        {"--json", NULL, CLI_FLAG, &json,
         .text = "prints the figures as JSON, and nothing else"},
        {"--schema", NULL, CLI_FLAG, &schema,
         .text = "prints the JSON Schema of scene files, for editors"},
        {"--reference", NULL, CLI_FLAG, &reference,
         .text = "prints the reference of scene files, in Markdown"},
    };
    /* clang-format on */
    int operands, code = cli_options(argc, argv, &about, options, CLI_COUNT_OF(options), &operands);
    if (code != CLI_GO_ON) return code;
    if (schema + reference > 0) {
        if (operands > 0 || set.count > 0 || json || schema + reference > 1)
            return cli_usage("check", "--schema and --reference stand alone");
        return print_made(schema ? scree_scene_schema : scree_scene_reference);
    }
    if (operands != 1)
        return cli_usage("check", operands ? "%d scenes given, expected one" : "no SCENE given", operands);

    scree_error error = {0};
    scree_scene *scene = scree_scene_read(argv[1], set.text, set.count, NULL, &error);
    if (!scene) cli_print_file_error(&error);
    code = scene ? print_scene(argv[1], scene, json) : cli_exit_of(error.status);
    scree_scene_destroy(scene);
    return code;
}
