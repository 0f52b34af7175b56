/* export.c: `scree export lammps SCENE`: a scene of spheres as input script and data file for scree-lmp (bindings/lammps). */
#include "cli/export.h"
#include "cli/cli.h"
#include "cli/run_folder.h"
#include "cli/system.h"

#include <scree/files.h>
#include <scree/result.h>
#include <scree/run.h>
#include <scree/scene.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const targets[] = {"lammps", NULL};

static const cli_about about = {
    .operands = "lammps SCENE",
    .text = "Writes a scene as DIR/in.lammps, DIR/spheres.data and DIR/scene.yaml for scree-lmp, LAMMPS with contacts "
            "of scree "
            "(docs/cluster.md). Taken are spheres, soft or rigid, and walls of any shape, fixed or driven, with the "
            "materials they have, in a periodic box or in the open; anything else is refused by name.",
    .exits = "0 written; 2 wrong usage; 3 bad input, or a scene that LAMMPS cannot be given; 4 machine failure",
    .examples =
        "scree export lammps examples/soft-bed.yaml -o out/bed && cd out/bed && mpirun -np 4 scree-lmp -in in.lammps",
    .names = targets,
};

/// What is exported.
typedef struct exported {
    const scree_world *world;
    scree_world_options space;
    scree_stepper_options stepper;
    scree_run_plan plan;
    int spheres;
    int shapes;               /* of walls that are no fixed planes */
    double smallest, largest; /* radius */
    int rigid;                /* contacts; else soft */
} exported;

/* ---- what cannot be exported --------------------------------------------------------------------------------------------- */

static int refuse(const char *scene, const char *what)
{
    fprintf(stderr, "%s: error: LAMMPS cannot be given %s\n", scene, what);
    return CLI_BAD_INPUT;
}

static int is_ball(const scree_world *w, int shape, int body)
{
    const scree_shape *s = scree_world_shape(w, scree_shape_at(shape));
    return s->kind == SCREE_SHAPE_SPHERE &&
           !(s->position[0] * s->position[0] + s->position[1] * s->position[1] + s->position[2] * s->position[2] >
             0.0) &&
           scree_world_body_kind(w, scree_body_at(body)) == SCREE_BODY_DYNAMIC;
}

/// Those have a fix that is faster than that of all other walls.
static int is_fixed_plane(const scree_world *w, int shape)
{
    return scree_world_shape(w, scree_shape_at(shape))->kind == SCREE_SHAPE_PLANE &&
           scree_world_body_kind(w, scree_world_shape_body(w, scree_shape_at(shape))) == SCREE_BODY_FIXED;
}

static int check(exported *e, const char *scene)
{
    const scree_world *w = e->world;
    char text[160], name[96];
    int last = -1;
    e->rigid = e->stepper.scheme == SCREE_SCHEME_ANITESCU_TASORA;
    if (!e->rigid && e->stepper.scheme != SCREE_SCHEME_DEM)
        return refuse(scene, "the scheme moreau_jean, expected dem or anitescu_tasora");
    if (e->rigid && e->stepper.law != SCREE_LAW_COULOMB) return refuse(scene, "the convex law");
    if (e->rigid && (e->stepper.hertz || e->stepper.adaptive))
        return refuse(scene, "the keys hertz and adaptive of the stepper");
    if (e->space.planar != SCREE_PLANAR_NONE) return refuse(scene, "a planar world");
    if (scree_world_joint_count(w) > 0) return refuse(scene, "joints");
    if (e->space.strain_rate.count > 0) return refuse(scene, "a periodic cell that changes its size");
    for (int k = 0; k < scree_world_shape_count(w); ++k) {
        const scree_body_id body = scree_world_shape_body(w, scree_shape_at(k));
        if (scree_world_body_kind(w, body) != SCREE_BODY_DYNAMIC) {
            e->shapes += !is_fixed_plane(w, k);
            continue;
        }
        if (is_ball(w, k, scree_body_index(body)) && scree_body_index(body) != last) {
            const double r = scree_world_shape(w, scree_shape_at(k))->size[0];
            last = scree_body_index(body), e->spheres += 1;
            e->smallest = e->spheres > 1 ? fmin(e->smallest, r) : r, e->largest = fmax(e->largest, r);
            continue;
        }
        snprintf(text, sizeof text, "the body '%s', expected nothing but spheres that moves freely",
                 scree_world_body_name(w, body, name, sizeof name));
        return refuse(scene, text);
    }
    return e->spheres > 0 ? CLI_GO_ON : refuse(scene, "a scene without spheres");
}

/* ---- materials ------------------------------------------------------------------------------------------------------------ */

static void put(FILE *out, const char *name, double value)
{
    if (isfinite(value)) fprintf(out, " %s %.17g", name, value);
}

static void put_length(FILE *out, const char *name, const scree_friction_length *length)
{
    static const char *const kinds[] = {"", "_ratio", "_reduced"};
    if (length->value > 0.0) fprintf(out, " %s%s %.17g", name, kinds[length->kind], length->value);
}

static void put_pair(FILE *out, const scree_world *w, int a, int b)
{
    const scree_material_id of_a = scree_material_at(a), of_b = scree_material_at(b);
    const scree_friction f = scree_world_pair(w, of_a, of_b);
    scree_dem dem = scree_world_pair_dem(w, of_a, of_b);
    fprintf(out, "pair_coeff %d %d friction %.17g restitution %.17g", a + 1, b + 1, f.mu, f.restitution);
    if (f.mu_static > 0.0) put(out, "friction_static", f.mu_static);
    put_length(out, "rolling", &f.rolling), put_length(out, "spinning", &f.spinning);
    put_length(out, "rolling_static", &f.rolling_static), put_length(out, "spinning_static", &f.spinning_static);
    if (!isfinite(dem.stiffness) && f.stiffness > 0.0) dem.stiffness = f.stiffness;
#define SCREE_FIELD(type, field, value, text) put(out, #field, dem.field);
    SCREE_DEM_FIELDS(SCREE_FIELD)
#undef SCREE_FIELD
    if (dem.normal != SCREE_DEM_NORMAL_DEFAULT)
        fprintf(out, " normal %s", dem.normal == SCREE_DEM_HERTZ ? "hertz" : "hooke");
    if (dem.spin == SCREE_DEM_SPIN_HERTZ) fputs(" spin hertz", out);
    if (dem.pulls == SCREE_DEM_PULLS_YES) fputs(" pulls yes", out);
    fputc('\n', out);
}

/// Coefficients of rigid contacts of two types.
static void put_rigid_pair(FILE *out, const scree_world *w, int a, int b)
{
    const scree_friction f = scree_world_pair(w, scree_material_at(a), scree_material_at(b));
    fprintf(out, " &\n    between %d %d friction %.17g restitution %.17g", a + 1, b + 1, f.mu, f.restitution);
    put_length(out, "rolling", &f.rolling), put_length(out, "spinning", &f.spinning);
}

static int is_more(const scree_friction_length *at_rest, const scree_friction_length *moving)
{
    return at_rest->value > moving->value;
}

/// What of the materials LAMMPS cannot be given; NULL: it has all of it.
static const char *materials_misfit(const exported *e)
{
    for (int a = 0; a < scree_world_material_count(e->world); ++a)
        for (int b = a; b < scree_world_material_count(e->world); ++b) {
            const scree_friction f = scree_world_pair(e->world, scree_material_at(a), scree_material_at(b));
            if (isnan(f.rolling.value) || isnan(f.spinning.value) || isnan(f.rolling_static.value) ||
                isnan(f.spinning_static.value))
                return "materials whose lengths of rolling or spinning are of different kinds (m, r, r_eff)";
            if (!e->rigid) continue;
            if (f.stiffness > 0.0) return "rigid contacts with a stiffness";
            if (f.mu_static > f.mu || is_more(&f.rolling_static, &f.rolling) ||
                is_more(&f.spinning_static, &f.spinning))
                return "rigid contacts with static coefficients larger than the kinetic ones";
        }
    return NULL;
}

/// The model that all pairs of materials have, "fn" or "sds"; NULL: another, or several.
static const char *model_of(const scree_world *w)
{
    int model = -1;
    for (int a = 0; a < scree_world_material_count(w); ++a)
        for (int b = a; b < scree_world_material_count(w); ++b) {
            const scree_dem dem = scree_world_pair_dem(w, scree_material_at(a), scree_material_at(b));
            const int of = dem.model == SCREE_DEM_MODEL_DEFAULT ? SCREE_DEM_TRACKING : (int)dem.model;
            if (dem.normal == SCREE_DEM_CONSTANT || (model >= 0 && of != model)) return NULL;
            if (a != b && isfinite(dem.young))
                return NULL; /* moduli do not mix: the pair's own number is none of both */
            model = of;
        }
    return model == SCREE_DEM_SDS ? "sds" : model == SCREE_DEM_TRACKING ? "fn" : NULL;
}

/* ---- the files ------------------------------------------------------------------------------------------------------------ */

static void bounds(const exported *e, double low[3], double high[3])
{
    const scree_world *w = e->world;
    const double *x = scree_world_positions(w);
    for (int i = 0; i < 3; ++i) low[i] = HUGE_VAL, high[i] = -HUGE_VAL;
    for (int k = 0; k < scree_world_shape_count(w); ++k) {
        const int b = scree_body_index(scree_world_shape_body(w, scree_shape_at(k)));
        if (!is_ball(w, k, b)) continue;
        const double r = scree_world_shape(w, scree_shape_at(k))->size[0];
        for (int i = 0; i < 3; ++i) low[i] = fmin(low[i], x[3 * b + i] - r), high[i] = fmax(high[i], x[3 * b + i] + r);
    }
    for (int i = 0; i < 3; ++i)
        if (e->space.periodic[i]) low[i] = e->space.low[i], high[i] = e->space.high[i];
}

/// In the world frame: v + 2 w (u x v) + 2 u x (u x v) of the quaternion (w, u).
static void spin_of(const scree_world *w, int body, double spin[3])
{
    const double *q = scree_world_rotations(w) + 4 * body, *o = scree_world_angular_velocities(w) + 3 * body;
    const double t[3] = {2.0 * (q[2] * o[2] - q[3] * o[1]), 2.0 * (q[3] * o[0] - q[1] * o[2]),
                         2.0 * (q[1] * o[1] - q[2] * o[0])};
    spin[0] = o[0] + q[0] * t[0] + (q[2] * t[2] - q[3] * t[1]);
    spin[1] = o[1] + q[0] * t[1] + (q[3] * t[0] - q[1] * t[2]);
    spin[2] = o[2] + q[0] * t[2] + (q[1] * t[1] - q[2] * t[0]);
}

static void write_data(const exported *e, FILE *out)
{
    static const char axis[] = "xyz";
    const scree_world *w = e->world;
    const double *x = scree_world_positions(w), *v = scree_world_velocities(w), pi = 3.14159265358979323846;
    double low[3], high[3];
    bounds(e, low, high);
    fprintf(out, "spheres, by scree export\n\n%d atoms\n%d atom types\n", e->spheres, scree_world_material_count(w));
    for (int i = 0; i < 3; ++i) fprintf(out, "%.17g %.17g %clo %chi\n", low[i], high[i], axis[i], axis[i]);
    for (int section = 0; section < 2; ++section) {
        fputs(section ? "\nVelocities\n\n" : "\nAtoms # sphere\n\n", out);
        for (int k = 0; k < scree_world_shape_count(w); ++k) {
            const scree_shape *s = scree_world_shape(w, scree_shape_at(k));
            const scree_body_id body = scree_world_shape_body(w, scree_shape_at(k));
            const int b = scree_body_index(body);
            if (!is_ball(w, k, b)) continue;
            if (section == 0)
                fprintf(out, "%d %d %.17g %.17g %.17g %.17g %.17g\n", b + 1, scree_material_index(s->material) + 1,
                        2.0 * s->size[0], scree_world_mass(w, body) / (4.0 / 3.0 * pi * pow(s->size[0], 3.0)), x[3 * b],
                        x[3 * b + 1], x[3 * b + 2]);
            else {
                double spin[3];
                spin_of(w, b, spin);
                fprintf(out, "%d %.17g %.17g %.17g %.17g %.17g %.17g\n", b + 1, v[3 * b], v[3 * b + 1], v[3 * b + 2],
                        spin[0], spin[1], spin[2]);
            }
        }
    }
}

/// Fixed planes: of soft contacts a fix of their own, of rigid ones arguments of theirs.
static void write_planes(const scree_world *w, int rigid, FILE *out)
{
    const scree_frame frame = scree_frame_of_world(w, 0.0);
    int count = 0;
    for (int k = 0; k < scree_world_shape_count(w); ++k) {
        const scree_shape *s = scree_world_shape(w, scree_shape_at(k));
        const int type = scree_material_index(s->material) + 1;
        double point[3], normal[3], q[4];
        if (!is_fixed_plane(w, k)) continue;
        scree_frame_shape_pose(&frame, k, point, q);
        normal[0] = 2.0 * (q[1] * q[3] + q[0] * q[2]), normal[1] = 2.0 * (q[2] * q[3] - q[0] * q[1]);
        normal[2] = q[0] * q[0] - q[1] * q[1] - q[2] * q[2] + q[3] * q[3];
        if (!rigid && count == 0) fputs("fix walls all scree/wall", out);
        fputs(" &\n    plane", out);
        if (!rigid) fprintf(out, " %d", type);
        fprintf(out, " %.17g %.17g %.17g %.17g %.17g %.17g", point[0], point[1], point[2], normal[0], normal[1],
                normal[2]);
        if (rigid) fprintf(out, " type %d", type);
        count += 1;
    }
    if (!rigid && count > 0) fputc('\n', out);
}

/// Rigid contacts: all of it is one fix.
static void write_rigid(const exported *e, FILE *out)
{
    const scree_stepper_options *o = &e->stepper;
    fputs("fix rigid all scree/rigid", out);
    for (int a = 0; a < scree_world_material_count(e->world); ++a)
        for (int b = a; b < scree_world_material_count(e->world); ++b) put_rigid_pair(out, e->world, a, b);
    fprintf(out, " &\n    tolerance %.17g minimum %d recovery %.17g", o->solver.tolerance, o->min_iterations,
            o->recovery_speed);
    if (o->solver.max_iterations > 0) fprintf(out, " iterations %d", o->solver.max_iterations);
    if (o->impact_speed > 0.0) fprintf(out, " impact_speed %.17g", o->impact_speed);
    write_planes(e->world, 1, out);
    if (e->shapes > 0) fputs(" &\n    scene scene.yaml planes no", out);
    fputc('\n', out);
}

/// Spheres that may meet within a step are nearer than this when the step begins: twice the way of the fastest, were it to fall through all.
static double cutoff(const exported *e)
{
    const double *g = e->space.gravity, *v = scree_world_velocities(e->world);
    double low[3], high[3], height = 0.0, fastest = 0.0;
    bounds(e, low, high);
    for (int i = 0; i < 3; ++i) height += (high[i] - low[i]) * (high[i] - low[i]);
    for (int k = 0; k < scree_world_body_count(e->world); ++k)
        fastest = fmax(fastest, v[3 * k] * v[3 * k] + v[3 * k + 1] * v[3 * k + 1] + v[3 * k + 2] * v[3 * k + 2]);
    fastest += 2.0 * sqrt((g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * height);
    return 2.1 * e->largest + 2.0 * e->stepper.step * sqrt(fastest);
}

static void write_contacts(const exported *e, const char *model, FILE *out)
{
    const int materials = scree_world_material_count(e->world);
    if (e->rigid)
        fprintf(out, "pair_style zero %.17g\npair_coeff * *\nneighbor %.17g bin\ntimestep %.17g\n", cutoff(e),
                0.5 * e->smallest, e->stepper.step);
    else {
        fprintf(out, "pair_style scree %s\n", model);
        for (int a = 0; a < materials; ++a)
            for (int b = a; b < materials; ++b) put_pair(out, e->world, a, b);
        fprintf(out, "timestep %.17g\n", e->stepper.step);
        write_planes(e->world, 0, out);
    }
}

/// Frames, and restart files in turns, of which one is whole whenever a run is killed.
static void write_run(const exported *e, int again, FILE *out)
{
    static const char columns[] = "id type radius x y z vx vy vz omegax omegay omegaz";
    const double h = e->stepper.step, every = fmax(1.0, nearbyint(e->plan.output_every / h)),
                 steps = nearbyint(e->plan.until / h);
    const char *walls = e->rigid ? "rigid" : "shapes";
    if (e->rigid) write_rigid(e, out);
    else fputs("fix motion all scree/nve\n", out);
    fputs("neigh_modify delay 0 every 1 check yes\n", out);
    if (e->rigid) /* sweeps, residual, contacts, drift, steps that did not reach the tolerance */
        fputs("thermo_style custom step atoms ke f_rigid[1] f_rigid[2] f_rigid[3] f_rigid[4] f_rigid[10]\n", out);
    fprintf(out, "thermo_modify norm no\nthermo %.0f\n", every);
    if (e->shapes > 0) /* where walls are: scree import reads it */
        fprintf(out,
                "fix places all ave/time %.0f 1 %.0f f_%s[7] f_%s[8] f_%s[9] mode vector file %s format \" "
                "%%.17g\"\n",
                every, every, walls, walls, walls, again ? "walls.again.txt" : "walls.txt");
    fprintf(out, "dump frames all custom %.0f dump.lammpstrj %s\n", every, columns);
    fprintf(out, "dump_modify frames sort id format float %%.17g%s\n", again ? " append yes" : "");
    fprintf(out, "restart %.0f spheres.restart.1 spheres.restart.2\nrun %.0f%s\n", every, steps, again ? " upto" : "");
    if (fmod(steps, every) > 0.0)
        fprintf(out, "write_dump all custom dump.lammpstrj %s modify append yes sort id format float %%.17g\n",
                columns);
    fputs("write_restart spheres.restart\n", out);
}

/// again 1: the script that continues from a restart file.
static void write_script(const exported *e, const char *model, int again, FILE *out)
{
    const double *g = e->space.gravity, size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const int *p = e->space.periodic;
    fputs(again ? "# by scree export; continue with: mpirun -np 4 scree-lmp -in in.again -var from spheres.restart.1\n"
                : "# by scree export; run it with: mpirun -np 4 scree-lmp -in in.lammps\n",
          out);
    fputs("units si\natom_style sphere\n", out);
    if (e->rigid) fputs("atom_modify map array\n", out);
    if (size > 0.0) { /* ranks beside each other, so that none has air alone when all has fallen */
        const int down = fabs(g[0]) > fabs(g[1]) && fabs(g[0]) > fabs(g[2]) ? 0 : fabs(g[1]) > fabs(g[2]) ? 1 : 2;
        fprintf(out, "processors %c %c %c\n", down == 0 ? '1' : '*', down == 1 ? '1' : '*', down == 2 ? '1' : '*');
    }
    if (!again) fprintf(out, "boundary %c %c %c\n", p[0] ? 'p' : 'm', p[1] ? 'p' : 'm', p[2] ? 'p' : 'm');
    fprintf(out, "%s\ncomm_modify vel yes\n", again ? "read_restart ${from}" : "read_data spheres.data");
    write_contacts(e, model, out);
    if (!e->rigid && e->shapes > 0) fputs("fix shapes all scree/wall scene scene.yaml planes no\n", out);
    if (size > 0.0) fprintf(out, "fix gravity all gravity %.17g vector %.17g %.17g %.17g\n", size, g[0], g[1], g[2]);
    write_run(e, again, out);
}

enum { SCRIPT, AGAIN, DATA, SCENE, FILES };
static const char *const names[FILES] = {"in.lammps", "in.again", "spheres.data", "scene.yaml"};

static int write_file(const char *folder, int which, const exported *e, const char *scene, const char *model)
{
    char path[RUN_PATH_MAX], *text;
    size_t size;
    scree_error error = {0};
    FILE *out = cli_text_open(&text, &size);
    if (which == SCRIPT || which == AGAIN) write_script(e, model, which == AGAIN, out);
    else if (which == DATA) write_data(e, out);
    else fputs(scene, out);
    cli_text_close(out, &text);
    const scree_status status = scree_file_replace(run_folder_path(folder, names[which], path), text, size, &error);
    free(text);
    if (status == SCREE_OK) return CLI_DONE;
    cli_print_file_error(&error);
    return cli_exit_of(status);
}

/// Whether the files of an earlier export are there, which may be replaced.
static int exported_before(const char *folder)
{
    static const char first[] = "# by scree export";
    char *text;
    if (run_folder_read(folder, names[SCRIPT], sizeof first - 1, &text, NULL, NULL) != SCREE_OK) return 0;
    const int ours = strncmp(text, first, sizeof first - 1) == 0;
    free(text);
    return ours;
}

/// A file that is not an earlier export's and would be replaced, or that says that the folder is a run's; NULL: none.
static const char *in_the_way(const char *folder)
{
    char path[RUN_PATH_MAX];
    const char *used = scree_run_folder_used(folder);
    const int before = exported_before(folder);
    if (used && !(before && strcmp(used, names[SCENE]) == 0)) return used;
    for (int k = 0; k < FILES && !before; ++k)
        if (access(run_folder_path(folder, names[k], path), F_OK) == 0) return names[k];
    return NULL;
}

static int fail(const scree_error *error)
{
    cli_print_file_error(error);
    return cli_exit_of(error->status);
}

static int write_files(exported *e, const scree_scene *scene, const char *name, const char *folder)
{
    scree_error error = {0};
    int code = check(e, name);
    if (code != CLI_GO_ON) return code;
    const char *misfit = materials_misfit(e), *model = e->rigid ? "" : model_of(e->world);
    if (misfit) return refuse(name, misfit);
    if (!model)
        return refuse(name, "these materials, expected one model, tracking or sds, and young in one material only");
    const char *there = in_the_way(folder);
    if (there)
        return cli_usage("export", "%s holds %s, which no export has written; -o DIR writes elsewhere", folder, there);
    scree_folder_claim *claim = scree_folder_claim_take(folder, "an export", 0.0, NULL, &error);
    if (!claim) return fail(&error);
    code = CLI_DONE;
    for (int k = 0; k < FILES && code == CLI_DONE; ++k) code = write_file(folder, k, e, scree_scene_text(scene), model);
    scree_folder_claim_release(claim);
    return code;
}

int export_lammps(const scree_scene *scene, const char *name, const char *folder, double until, double every,
                  int *spheres)
{
    scree_error error = {0};
    int64_t *state;
    scree_simulation *simulation = scree_simulation_create(scene, 0, NULL, &error);
    if (!simulation) return fail(&error);
    exported e = {.world = scree_simulation_world(simulation),
                  .space = scree_scene_world_options(scene),
                  .stepper = scree_scene_stepper(scene),
                  .plan = scree_scene_plan(scene)};
    if (until > 0.0) e.plan.until = until;
    if (every > 0.0) e.plan.output_every = every;
    const int code = scree_simulation_sources(simulation, &state) > 0 ? refuse(name, "grains that are poured in time")
                                                                      : write_files(&e, scene, name, folder);
    if (spheres) *spheres = e.spheres;
    scree_simulation_destroy(simulation);
    return code;
}

int cli_export(int argc, char **argv)
{
    const char *folder = NULL;
    cli_texts set = {0};
    char stem[RUN_PATH_MAX];
    /* clang-format off */
    const cli_option options[] = {
        {"-o", "DIR", CLI_PATH, &folder,
         .text = "where the files go; default: out/NAME for NAME.yaml. Only files of an earlier export are replaced"},
        {"--set", "PATH=VALUE", CLI_TEXTS, &set,
         .text = "changes a value of the scene; may be repeated"},
    };
    /* clang-format on */
    int operands, code = cli_options(argc, argv, &about, options, CLI_COUNT_OF(options), &operands);
    if (code != CLI_GO_ON) return code;
    if (operands != 2) return cli_usage("export", "expected for whom and which scene: lammps SCENE");
    if (strcmp(argv[1], "lammps") != 0)
        return cli_usage("export", "cannot export for '%s'; expected 'lammps'", argv[1]);
    scree_error error = {0};
    int spheres;
    scree_scene *scene = scree_scene_read(argv[2], set.text, set.count, NULL, &error);
    if (!scene) return fail(&error);
    if (!folder) run_folder_default(argv[2], stem), folder = stem;
    code = export_lammps(scene, argv[2], folder, 0.0, 0.0, &spheres);
    if (code == CLI_DONE) printf("%s: %d spheres\n", folder, spheres);
    scree_scene_destroy(scene);
    return code;
}
