/* scene.h: readers of what people write by hand (YAML or JSON), with the line and column of every mistake.
 *
 * A contact file is pure mathematics in plain SI numbers (a mapping, YAML or JSON):
 *     W: [[...], ...]      rows, symmetric positive semidefinite, 2 to 6 of them
 *     q: [...]
 *     mu: 0.6              and, where the cone has them, rolling: [m], spinning: [m]
 *     law: coulomb         or convex; optional
 *     cone: slide          optional; otherwise by its size: 2 planar, 3 slide, 4 slide+spin, 5 slide+roll, 6 slide+roll+spin
 *
 * Thread safety: a scene does not change once it is read, and threads may share it. */
#ifndef SCREE_SCENE_H
#define SCREE_SCENE_H

#include <scree/stepper.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads one contact from text of `size` bytes. `name` is what messages call it. On failure all of the result is 0.
SCREE_API scree_contact scree_contact_parse(const char *text, size_t size, const char *name,
                                            const scree_allocator *allocator, scree_error *error);

/// The same from a file ("-" is standard input).
SCREE_API scree_contact scree_contact_read(const char *path, const scree_allocator *allocator, scree_error *error);

/* ---- quantities -------------------------------------------------------------------------------------------------------- */

/// A number with or without a unit, as scenes have them: "45 mm", "2500 kg/m^3", "0.02 r".
typedef struct scree_unit_value {
    double value;      /* in SI: the double nearest to the decimal that was meant                               */
    int has_unit;      /* 0: a plain number                                                                     */
    char unit[64];     /* the SI unit of the value: "m", "kg/m^3", "m^2 kg^1"; equal texts are equal dimensions */
    const char *ratio; /* "r", "r_eff": the value is a fraction of that radius; NULL: it is none                */
} scree_unit_value;

/// Reads products, quotients and powers of SI units with prefixes, and min, h, deg, rev, rpm, bar, t, in, ft, %. SCREE_ERR_INPUT: the text
/// is not such a number, or its unit is not that of `expected`, an SI unit such as "s" (NULL: any; "": a plain number), or it is infinite.
SCREE_API scree_status scree_unit_parse(const char *text, const char *expected, scree_unit_value *quantity,
                                        scree_error *error);

/* ---- scenes ------------------------------------------------------------------------------------------------------------ */

/// A scene file, read and checked (docs/scenes.md). A value: it holds no world.
typedef struct scree_scene scree_scene;

/// `set`: (count) overrides "path=value" as in --set ("materials.stone.friction=0.3", "bodies[2].velocity=[1, 0, 0]"), applied to
/// the text's tree before it is checked; may be NULL. Messages about an override have "--set path=value" instead of the file.
/// NULL after a mistake, or without memory.
SCREE_API scree_scene *scree_scene_read(const char *path, const char *const *set, int count,
                                        const scree_allocator *allocator, scree_error *error);
SCREE_API scree_scene *scree_scene_parse(const char *text, size_t size, const char *name, const char *const *set,
                                         int count, const scree_allocator *allocator, scree_error *error);
SCREE_API void scree_scene_destroy(scree_scene *scene);

/// The scene as it will be run: YAML with the overrides in place. Valid as long as the scene.
SCREE_API const char *scree_scene_text(const scree_scene *scene);

/// Does a path as in `set`, without its value, lead anywhere? Keys that have defaults need not be given; names of materials and bodies, and
/// items of lists, must exist. SCREE_ERR_INPUT with the nearest word: it does not.
SCREE_API scree_status scree_scene_find_path(const scree_scene *scene, const char *path, scree_error *error);
/* ---- formats of frames -------------------------------------------------------------------------------------------------- */

/// X-macro F(ID, name, family, bytes of a shape, bytes of a contact, text): the files that a frame can get. The words of scenes and of
/// `scree convert --to`, the writers (src/run/formats.c), the files of a run's folder and the settings in its checkpoint follow from
/// this list: a new format is a row here and a file there (docs/adding-a-format.md). family: a word that names several formats, or "".
#define SCREE_FORMATS(F)                                                                                               \
    F(FRAMES, frames, "", 105, 252, "all that scree reads back: frames.scree, which every run has")                    \
    F(VTP, vtp, "", 180, 200, "for ParaView and VTK: frames.pvd, contacts.pvd, surfaces.pvd")                          \
    F(DUMP, dump, "", 330, 0, "LAMMPS dump, for OVITO: dump.lammpstrj")                                                \
    F(CONTACTS, contacts, "csv", 0, 550, "a table of contacts: contacts/contacts_000000.csv")                          \
    F(BODIES, bodies, "csv", 250, 0, "a table of bodies: bodies/bodies_000000.csv")

/// Index of each format: SCREE_FORMAT_INDEX_VTP; and its bit in a set of formats: SCREE_FORMAT_VTP.
enum {
#define SCREE_FIELD(id, name, family, shape, contact, text) SCREE_FORMAT_INDEX_##id,
    SCREE_FORMATS(SCREE_FIELD)
#undef SCREE_FIELD
        SCREE_FORMAT_COUNT
};
typedef enum scree_format {
#define SCREE_FIELD(id, name, family, shape, contact, text) SCREE_FORMAT_##id = 1 << SCREE_FORMAT_INDEX_##id,
    SCREE_FORMATS(SCREE_FIELD)
#undef SCREE_FIELD
} scree_format;

SCREE_API const char *scree_format_name(int index); /* "vtp"; NULL beyond the last */
SCREE_API const char *scree_format_text(int index); /* what it is, in a few words; NULL beyond the last */
/// The bits of the formats that have this name or belong to this family ("csv"); 0: there is none.
SCREE_API unsigned scree_format_find(const char *name);
/// About how long the files of one frame are.
SCREE_API double scree_format_bytes(unsigned formats, double shapes, double contacts);

/* ---- plans ---------------------------------------------------------------------------------------------------------------- */

/// What to run and what to write, from the keys `run:` and `output:`.
typedef struct scree_run_plan {
    char title[128];
    double until;            /* [s]                                                                        */
    double rest_speed;       /* ends earlier, at a frame, when all bodies are slower [m/s]; 0: does not     */
    double output_every;     /* simulated time between frames [s]; 0: only the last                        */
    double checkpoint_every; /* simulated time between checkpoints [s]; 0: only at the end                 */
    unsigned formats;        /* scree_format bits: the files that each frame gets                          */
    int problems_every;      /* steps between stored contact problems (FCLIB); 0: none                     */
} scree_run_plan;
SCREE_API scree_run_plan scree_scene_plan(const scree_scene *scene);
/// The colour that the scene gives to a body ("ball", "grain[12]"), sRGB; 0: none.
SCREE_API int scree_scene_color(const scree_scene *scene, const char *name, unsigned char rgb[3]);
/// Bodies that the scene has when all are there, poured ones included, before any is made; those of tables (csv) are not counted.
SCREE_API int64_t scree_scene_body_count(const scree_scene *scene);
SCREE_API scree_stepper_options scree_scene_stepper(const scree_scene *scene);
/// Gravity with the slope in it, the plane of motion, mixing rules, periodic axes.
SCREE_API scree_world_options scree_scene_world_options(const scree_scene *scene);

/* ---- live pages ----------------------------------------------------------------------------------------------------------- */

/// A value of a scene that can be slid while it runs: those under `play: controls`, then friction, rolling and spinning friction and
/// restitution of each material, gravity and slope.
typedef struct scree_control {
    char set[256];          /* path, as in --set                                                         */
    char label[128];        /* for people: "stone: rolling friction"                                       */
    char unit[32];          /* behind the number: "mm", "" for a plain number; PATH=NUMBER UNIT sets it   */
    double from, to, value; /* ends and present value, in that unit                                      */
    int declared;           /* 1: under `play: controls`                                                 */
    int restarts;           /* 1: it takes effect at the start only: poses, velocities, generators        */
} scree_control;
/// Writes at most `capacity` of them; returns how many there are. Those that come by themselves are those that the scene accepts: what is not
/// given is tried, which costs a reading of the scene each.
SCREE_API int scree_scene_controls(const scree_scene *scene, int capacity, scree_control *control);

/// The text under `play: about`; NULL: none.
SCREE_API const char *scree_scene_about(const scree_scene *scene);

/// The index-th file that the scene reads (meshes, height fields, tables), as its text names it; NULL beyond the last. Names are relative to
/// the folder of the scene.
SCREE_API const char *scree_scene_file(const scree_scene *scene, int index);

/// JSON Schema of scene files, made from the table that drives the reader. The caller frees by `allocator`; NULL: no memory.
SCREE_API char *scree_scene_schema(const scree_allocator *allocator, scree_error *error);
/// The reference of scene files as Markdown, from the same table.
SCREE_API char *scree_scene_reference(const scree_allocator *allocator, scree_error *error);

#ifdef __cplusplus
}
#endif
#endif
