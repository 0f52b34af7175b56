/* import.c: `scree import DUMP [DATA] -o DIR`: what LAMMPS has written becomes the folder of a run, for report, picture, heap and convert.
 *
 * With a scene, the one that `scree export` left beside the dump or --scene, atoms are its bodies: atom k + 1 is body k, with its name and
 * material, and walls stand where the scene has them. Without, each atom becomes a sphere "atom[k]", in the order of the ids. Each frame is put
 * into a world by hand and written as a run writes it, so the files are those of docs/formats.md. A dump has no contacts and no rotations:
 * the frames have no contacts, and bodies keep the rotation they began with. */
#include "cli/import/import.h"
#include "cli/cli.h"
#include "cli/import/atoms.h"
#include "cli/import/wall_places.h"
#include "cli/run_folder.h"
#include "cli/system.h"

#include <scree/files.h>
#include <scree/output.h>
#include <scree/run.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Which body an atom is; in the order of the ids.
typedef struct known {
    int64_t id;
    int body;
    double radius;
    int gone;
} known;

typedef struct importer {
    const import_order *order;
    atoms dump, data;
    scree_simulation *simulation; /* of the scene, or NULL */
    scree_world *world;
    scree_output *output;
    wall_places places; /* of walls */
    known *known, *merged;
    int count, room; /* of known */
    double time, step;
    scree_error error;
} importer;

/* ---- bodies --------------------------------------------------------------------------------------------------------------- */

/// Atom `a` is wrong: SCREE_ERR_INPUT, at its line.
static scree_status wrong(importer *m, const atom *a, const char *what)
{
    scree_error_set(&m->error, m->dump.path, a->line, 0, "atom %lld %s", (long long)a->id, what);
    return m->error.status = SCREE_ERR_INPUT;
}

/// The spheres of the scene: atom k + 1 is body k.
static void know_scene(importer *m)
{
    const int bodies = scree_world_body_count(m->world);
    m->known = cli_memory((size_t)(bodies + 1) * sizeof *m->known), m->room = bodies + 1;
    for (int k = 0; k < scree_world_shape_count(m->world); ++k) {
        const scree_body_id body = scree_world_shape_body(m->world, scree_shape_at(k));
        const scree_shape *s = scree_world_shape(m->world, scree_shape_at(k));
        const int b = scree_body_index(body);
        if (scree_world_body_kind(m->world, body) != SCREE_BODY_DYNAMIC || s->kind != SCREE_SHAPE_SPHERE) continue;
        if (m->count > 0 && m->known[m->count - 1].body == b) continue;
        m->known[m->count++] = (known){.id = b + 1, .body = b, .radius = s->size[0]};
    }
}

static scree_status material_of(importer *m, int type, scree_material_id *material)
{
    while (scree_world_material_count(m->world) < type) {
        char name[32];
        snprintf(name, sizeof name, "type %d", scree_world_material_count(m->world) + 1);
        const scree_material one = scree_material_default(name);
        (void)scree_world_add_material(m->world, &one, &m->error);
        if (m->error.status != SCREE_OK) return m->error.status;
    }
    *material = scree_material_at(type - 1);
    return SCREE_OK;
}

enum { TYPES_MAX = 10000 };

/// A body for an atom that comes for the first time.
static scree_status add_body(importer *m, const atom *a, known *as)
{
    const atom *also = atoms_find(&m->data, a->id);
    const double r = a->radius > 0.0 ? a->radius : also ? also->radius : 0.0;
    double mass = a->mass > 0.0 ? a->mass : also ? also->mass : 0.0;
    scree_material_id material;
    if (m->simulation) return wrong(m, a, "is no sphere of the scene that moves");
    if (!(r > 0.0)) return wrong(m, a, "has no radius, expected a column radius or diameter, or a data file with it");
    if (!(mass > 0.0)) mass = 4.0 / 3.0 * 3.14159265358979323846 * r * r * r * m->order->density;
    if (!(mass > 0.0))
        return wrong(m, a, "has no mass, expected a column mass, a data file with its density, or --density");
    const int type = a->type > 0 ? a->type : also ? also->type : 1;
    if (type > TYPES_MAX) return wrong(m, a, "has a type beyond 10000");
    scree_status status = material_of(m, type, &material);
    if (status != SCREE_OK) return status;
    scree_body_def ball = scree_body_def_of(scree_shape_sphere(r, material));
    ball.mass = mass, ball.name = "atom";
    memcpy(ball.position, a->x, sizeof ball.position);
    const scree_body_id body = scree_world_add_body(m->world, &ball, &m->error);
    *as = (known){.id = a->id, .body = scree_body_index(body), .radius = r};
    return m->error.status;
}

/// From the world frame to that of the body: back through the quaternion q.
static void into_body(const double q[4], const double v[3], double out[3])
{
    const double u[3] = {-q[1], -q[2], -q[3]};
    const double t[3] = {2.0 * (u[1] * v[2] - u[2] * v[1]), 2.0 * (u[2] * v[0] - u[0] * v[2]),
                         2.0 * (u[0] * v[1] - u[1] * v[0])};
    out[0] = v[0] + q[0] * t[0] + (u[1] * t[2] - u[2] * t[1]);
    out[1] = v[1] + q[0] * t[1] + (u[2] * t[0] - u[0] * t[2]);
    out[2] = v[2] + q[0] * t[2] + (u[0] * t[1] - u[1] * t[0]);
}

static scree_status place(importer *m, const atom *a, known *as)
{
    if (as->gone) return wrong(m, a, "comes back after it was gone in an earlier frame");
    if (a->radius > 0.0 && fabs(a->radius - as->radius) > 1e-9 * as->radius)
        return wrong(m, a,
                     m->simulation ? "has another radius than its body in the scene"
                                   : "has another radius than in an earlier frame");
    const scree_body_id body = scree_body_at(as->body);
    const double size = a->q[0] * a->q[0] + a->q[1] * a->q[1] + a->q[2] * a->q[2] + a->q[3] * a->q[3];
    double spin[3];
    if (size > 0.0) scree_world_set_state(m->world, body, NULL, a->q, NULL, NULL);
    into_body(scree_world_rotations(m->world) + 4 * (size_t)as->body, a->omega, spin);
    scree_world_set_state(m->world, body, a->x, NULL, a->v, spin);
    return SCREE_OK;
}

/// Atoms and known spheres, both in the order of their ids: new ones are added, those that are not in the frame are removed.
static scree_status place_all(importer *m)
{
    const atoms *f = &m->dump;
    scree_status status = SCREE_OK;
    int k = 0, n = 0;
    if (m->room < m->count + f->count) {
        m->room = m->count + f->count;
        m->merged = cli_more_memory(m->merged, (size_t)m->room * sizeof *m->merged);
        m->known = cli_more_memory(m->known, (size_t)m->room * sizeof *m->known);
    } else if (!m->merged) m->merged = cli_memory((size_t)m->room * sizeof *m->merged);
    for (int i = 0; i <= f->count && status == SCREE_OK; ++i) {
        const atom *a = i < f->count ? &f->atom[i] : NULL;
        for (; k < m->count && (!a || m->known[k].id < a->id); ++k) {
            if (!m->known[k].gone) scree_world_remove_body(m->world, scree_body_at(m->known[k].body));
            m->known[k].gone = 1, m->merged[n++] = m->known[k];
        }
        if (!a) break;
        if (k < m->count && m->known[k].id == a->id) m->merged[n] = m->known[k++];
        else status = add_body(m, a, &m->merged[n]);
        if (status == SCREE_OK) status = place(m, a, &m->merged[n++]);
    }
    known *swap = m->known;
    m->known = m->merged, m->merged = swap, m->count = n;
    return status;
}

/* ---- frames --------------------------------------------------------------------------------------------------------------- */

static const double TIME_MAX = 1e100; /* [s] */

static scree_status time_of(importer *m, double *time)
{
    const int told = !isnan(m->dump.time) || m->step > 0.0 || m->dump.step == 0;
    *time = isnan(m->dump.time) ? (double)m->dump.step * m->step : m->dump.time;
    if (told && fabs(*time) <= TIME_MAX) return SCREE_OK;
    if (told)
        scree_error_set(&m->error, m->dump.path, m->dump.line, 0, "step %lld is at %g s, expected at most %g s",
                        (long long)m->dump.step, *time, TIME_MAX);
    else
        scree_error_set(&m->error, m->dump.path, m->dump.line, 0,
                        "nothing tells the time of step %lld, expected ITEM: TIME (dump_modify ID time yes), or --step",
                        (long long)m->dump.step);
    return m->error.status = SCREE_ERR_INPUT;
}

static scree_status write_frame(importer *m, import_done *done, int64_t *last)
{
    const scree_run_totals totals = {.steps = m->dump.step};
    double time;
    if (done->frames > 0 && m->dump.step == *last) return SCREE_OK; /* after a restart a step is dumped again */
    if (done->frames > 0 && m->dump.step < *last) {
        scree_error_set(&m->error, m->dump.path, m->dump.line, 0, "step %lld after step %lld, expected them to ascend",
                        (long long)m->dump.step, (long long)*last);
        return m->error.status = SCREE_ERR_INPUT;
    }
    scree_status status = time_of(m, &time);
    if (status == SCREE_OK && done->frames > 0 && time < done->last) {
        scree_error_set(&m->error, m->dump.path, m->dump.line, 0, "%g s after %g s, expected times to ascend", time,
                        done->last);
        status = m->error.status = SCREE_ERR_INPUT;
    }
    if (status == SCREE_OK) status = place_all(m);
    if (status != SCREE_OK) return status;
    scree_world_set_time(m->world, time, m->dump.step);
    wall_places_set(&m->places, m->world, m->dump.step);
    const scree_energy energy = scree_world_energy(m->world);
    if (!isfinite(energy.kinetic + energy.potential)) {
        scree_error_set(&m->error, m->dump.path, m->dump.line, 0, "the energies of step %lld are beyond all numbers",
                        (long long)m->dump.step);
        return m->error.status = SCREE_ERR_INPUT;
    }
    const scree_step_report report = {.step = m->dump.step,
                                      .time = time,
                                      .h = m->step,
                                      .bodies = m->dump.count,
                                      .penetration_contact = -1,
                                      .joint_worst = -1};
    status = scree_output_frame(m->output, m->world, m->dump.step > 0 ? &report : NULL, &totals, &m->error);
    if (done->frames == 0) done->first = time;
    done->last = time, done->frames += 1, done->spheres = m->dump.count, *last = m->dump.step;
    return status;
}

static scree_status write_frames(importer *m, import_done *done)
{
    int there = 1;
    int64_t last = -1;
    scree_status status = SCREE_OK;
    while (status == SCREE_OK && there) {
        status = atoms_next(&m->dump, &there, &done->cut, &m->error);
        if (status == SCREE_OK && there) status = write_frame(m, done, &last);
    }
    if (status != SCREE_OK || done->frames > 0) return status;
    scree_error_set(&m->error, m->dump.path, m->dump.line, 0, "the file ends before its first frame does");
    return m->error.status = SCREE_ERR_INPUT;
}

static scree_status write_summary(importer *m, const import_done *done)
{
    const scree_run_totals totals = {.steps = m->dump.step < 0 ? 0 : m->dump.step};
    const scree_run_facts facts = {.title = m->order->scene ? scree_scene_plan(m->order->scene).title : m->order->dump,
                                   .outcome = done->cut ? "interrupted" : "done",
                                   .commit = cli_commit(),
                                   .seconds = m->order->seconds,
                                   .threads = m->order->ranks};
    return scree_output_summary(m->output, m->world, &totals, &facts, &m->error);
}

/* ---- world and folder ----------------------------------------------------------------------------------------------------- */

static scree_status make_world(importer *m)
{
    if (m->order->scene) {
        m->simulation = scree_simulation_create(m->order->scene, 0, NULL, &m->error);
        if (!m->simulation) return m->error.status;
        m->world = scree_simulation_world(m->simulation);
        know_scene(m);
        return wall_places_read(&m->places, m->world, m->order->dump, &m->error);
    }
    scree_world_options options = scree_world_options_default();
    memset(options.gravity, 0, sizeof options.gravity); /* nobody has said */
    m->world = scree_world_create(&options, &m->error);
    return m->error.status;
}

static scree_status make_output(importer *m)
{
    scree_output_options options = scree_output_options_default();
    const char *text = m->order->scene ? scree_scene_text(m->order->scene) : NULL;
    options.directory = m->order->folder, options.claimed = 1;
    if (scree_run_folder_used(m->order->folder)) scree_run_folder_clear(m->order->folder);
    m->output = scree_output_create(&options, &m->error);
    if (!m->output) return m->error.status;
    return text ? scree_output_text(m->output, "scene.yaml", text, &m->error) : SCREE_OK;
}

static scree_status read_data(importer *m)
{
    int there, cut;
    if (!m->order->data) return SCREE_OK;
    scree_status status = atoms_open(&m->data, m->order->data, &m->error);
    if (status == SCREE_OK && !m->data.is_data) {
        m->data.line = 1;
        return atoms_wrong(&m->data, &m->error, "this is a dump, expected a data file");
    }
    return status == SCREE_OK ? atoms_next(&m->data, &there, &cut, &m->error) : status;
}

int import_frames(const import_order *order, import_done *done)
{
    importer m = {.order = order, .step = order->step};
    *done = (import_done){.frames = 0};
    if (!(m.step > 0.0) && order->scene) m.step = scree_scene_stepper(order->scene).step;
    scree_folder_claim *claim = NULL;
    scree_status status = atoms_open(&m.dump, order->dump, &m.error);
    if (status == SCREE_OK) status = read_data(&m);
    if (status == SCREE_OK) status = make_world(&m);
    if (status == SCREE_OK && !order->claimed) {
        claim = scree_folder_claim_take(order->folder, "an import", 0.0, NULL, &m.error);
        status = m.error.status;
    }
    if (status == SCREE_OK) status = make_output(&m);
    if (status == SCREE_OK) status = write_frames(&m, done);
    if (status == SCREE_OK) status = write_summary(&m, done);
    scree_output_destroy(m.output);
    if (status != SCREE_OK && m.output) scree_run_folder_clear(order->folder);
    scree_folder_claim_release(claim);
    if (status != SCREE_OK && claim) (void)rmdir(order->folder); /* stays if something is in it */
    if (status != SCREE_OK) cli_print_file_error(&m.error);
    if (m.simulation) scree_simulation_destroy(m.simulation);
    else scree_world_destroy(m.world);
    atoms_close(&m.dump), atoms_close(&m.data);
    wall_places_free(&m.places);
    free(m.known), free(m.merged);
    return status == SCREE_OK ? CLI_DONE : cli_exit_of(status);
}

/* ---- the command ---------------------------------------------------------------------------------------------------------- */

static const cli_about about = {
    .operands = "DUMP [DATA] -o DIR",
    .text =
        "Makes the folder of a run of what LAMMPS has written, so that scree report, picture, heap and convert can "
        "look at it.\n"
        "  DUMP  text dump with the columns id, x, y, z, and type, radius, vx .., omegax .. where there are; or a data "
        "file, which is one frame\n"
        "  DATA  data file with the radii and densities that the dump does not have\n"
        "Beside a dump of a scene that scree export has written lies scene.yaml: then names, materials and walls are "
        "those of the scene. Contacts and rotations are not in a dump: frames have no contacts.",
    .exits = "0 done; 2 wrong usage; 3 bad input; 4 machine failure (memory, disk)",
    .examples = "scree import out/bed/dump.lammpstrj -o out/bed-seen && scree report out/bed-seen",
};

/// The scene that was named, or the one beside the dump; none is fine. Returns CLI_GO_ON, or an exit status after a message.
static int find_scene(const char *dump, const char *named, scree_scene **scene)
{
    char beside[RUN_PATH_MAX];
    const char *slash = strrchr(dump, '/');
    scree_error error = {0};
    snprintf(beside, sizeof beside, "%.*sscene.yaml", slash ? (int)(slash - dump + 1) : 0, dump);
    if (!named && access(beside, F_OK) != 0) return CLI_GO_ON;
    *scene = scree_scene_read(named ? named : beside, NULL, 0, NULL, &error);
    if (*scene) return CLI_GO_ON;
    cli_print_file_error(&error);
    return cli_exit_of(error.status);
}

/// Whether the file lies in the folder: what is written there could replace it.
static int same_folder(const char *file, const char *folder)
{
    char above[RUN_PATH_MAX];
    struct stat a, b;
    const char *slash = strrchr(file, '/');
    snprintf(above, sizeof above, "%.*s.", slash ? (int)(slash - file + 1) : 0, file);
    return stat(above, &a) == 0 && stat(folder, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int cli_import(int argc, char **argv)
{
    import_order order = {.ranks = 0};
    import_done done = {.frames = 0};
    const char *named = NULL;
    int force = 0, quiet = 0, operands;
    /* clang-format off */
    const cli_option options[] = {
        {"-o", "DIR", CLI_PATH, &order.folder,
         .text = "the folder of the run. A folder that holds a run is not overwritten"},
        {"--scene", "SCENE", CLI_PATH, &named,
         .text = "the scene whose bodies the atoms are, in their order; default: scene.yaml beside DUMP, if it is there"},
        {"--step", "H", CLI_POSITIVE, &order.step,
         .text = "length of a time step, where neither the dump (ITEM: TIME) nor a scene tells it", .unit = "s"},
        {"--density", "RHO", CLI_POSITIVE, &order.density,
         .text = "of spheres of which no file tells the mass", .unit = "kg/m^3"},
        {"--force", NULL, CLI_FLAG, &force,
         .text = "replaces the run that DIR holds"},
        {"--quiet", NULL, CLI_FLAG, &quiet,
         .text = "prints errors only"},
    };
    /* clang-format on */
    int code = cli_options(argc, argv, &about, options, CLI_COUNT_OF(options), &operands);
    if (code != CLI_GO_ON) return code;
    if (operands < 1 || operands > 2) return cli_usage("import", "%d files given, expected DUMP [DATA]", operands);
    if (!order.folder) return cli_usage("import", "no folder named, expected -o DIR");
    const char *used = scree_run_folder_used(order.folder);
    if (used && (!force || strcmp(used, "sweep.txt") == 0))
        return cli_usage("import", "%s already holds a run (%s); --force replaces it, -o DIR writes elsewhere",
                         order.folder, used);
    order.dump = argv[1], order.data = operands > 1 ? argv[2] : NULL;
    if (same_folder(order.dump, order.folder))
        return cli_usage("import", "%s lies in %s, expected -o with another folder", order.dump, order.folder);
    scree_scene *scene = NULL;
    code = find_scene(order.dump, named, &scene);
    order.scene = scene;
    if (code == CLI_GO_ON) code = import_frames(&order, &done);
    scree_scene_destroy(scene);
    if (code != CLI_DONE) return code;
    if (done.cut) fprintf(stderr, "%s: the file ends within its last frame, which is left out\n", order.dump);
    if (!quiet)
        printf("%s: %d frames, t = %g to %g s, %d spheres in the last\n", order.folder, done.frames, done.first,
               done.last, done.spheres);
    return CLI_DONE;
}
