/* output.h: what a run leaves on disk. Writing never changes the run.
 *
 *     DIR/summary.json  DIR/series.csv  DIR/timing.csv  DIR/frames.scree  DIR/frames.pvd (and DIR/frames, VTP)
 *     DIR/dump.lammpstrj  DIR/contacts (CSV)  DIR/checkpoint.h5  DIR/problems (FCLIB)                      docs/formats.md
 *
 *     scree_output_options options = scree_output_options_default();
 *     options.directory = "out/pile";
 *     scree_output *output = scree_output_create(&options, &error);
 *     scree_output_frame(output, world, NULL, totals, &error);              the start
 *     ... steps, frames, now and then scree_checkpoint_write ...
 *     scree_output_summary(output, world, totals, &run, &error);
 *
 * Every file that replaces another is written beside it and renamed. Files that grow (series, timing, dump, pvd, frames.scree) are cut
 * back to the checkpoint on resume, so that an interrupted run and an uninterrupted one leave the same bytes; wall-clock figures
 * stand apart, in timing.csv, summary.json and the checkpoint. A write that fails (SCREE_ERR_WRITE: a full disk) takes back what
 * it had written of its entry.
 *
 * Thread safety: an output, and the world it writes, serve one thread at a time. Checkpoints go through HDF5, which is usually built
 * without locks: one thread of the program at a time. */
#ifndef SCREE_OUTPUT_H
#define SCREE_OUTPUT_H

#include <scree/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- numbers of a run ------------------------------------------------------------------------------------------------------ */

/// The numbers that every run has at its end, as `scree sweep --result` names them: time, contacts, kinetic, residual_max, ...
SCREE_API const char *scree_quantity_name(int index); /* NULL beyond the last     */
SCREE_API const char *scree_quantity_unit(int index); /* "J", ""; NULL beyond     */
SCREE_API int scree_quantity_find(const char *name);  /* -1: there is none        */
/// `report`: of the last step, all zero if there was none.
SCREE_API double scree_quantity_value(int index, const scree_world *world, const scree_run_totals *totals,
                                      const scree_step_report *report);

/* ---- measures ------------------------------------------------------------------------------------------------------------ */

/// What a scene measures (its key `measures`). They are made with a simulation, which shows them its bodies as they move:
/// scree_simulation_measures. A scene without has none: NULL, of which the functions below make nothing.
typedef struct scree_measures scree_measures;

SCREE_API int scree_measures_count(const scree_measures *measures);                   /* of values */
SCREE_API const char *scree_measures_name(const scree_measures *measures, int index); /* "outlet.mass"; NULL beyond */
SCREE_API const char *scree_measures_unit(const scree_measures *measures, int index); /* "kg", ""; NULL beyond      */
SCREE_API double scree_measures_value(const scree_measures *measures, int index);     /* when last taken            */

/// The files that profiles have besides: "profile_shear.csv", ...; NULL beyond the last.
SCREE_API const char *scree_measures_file(const scree_measures *measures, int index);

/// The unit that measures have for a column of this name ("mass", or "outlet.mass"); NULL: none has such a column.
SCREE_API const char *scree_measures_unit_of(const char *column);

/// Takes them of the world as it is, which is to be that of their simulation; `h`: length of its last step. Rates are means since
/// they were last taken. scree_output_frame does this.
SCREE_API scree_status scree_measures_take(scree_measures *measures, const scree_world *world, double h,
                                           scree_error *error);

/* ---- the files of a run ---------------------------------------------------------------------------------------------------- */

typedef struct scree_output_options {
    unsigned cookie;
    const char *directory; /* made if it is not there, with those above it               */
    unsigned formats;      /* scree_format bits: the files that each frame gets            */
    int resume;            /* 1: files are there; scree_checkpoint_read cuts them back     */
    int claimed; /* 1: the caller has claimed the folder (scree/files.h), and keeps it; 0: the output claims it */
    scree_measures
        *measures; /* columns of series.csv, and files of profiles; they are kept in checkpoints; NULL: none */
    const scree_allocator *allocator; /* NULL: the default; copied                         */
} scree_output_options;
SCREE_API scree_output_options scree_output_options_default(void); /* "out", SCREE_FORMAT_FRAMES */

typedef struct scree_output scree_output;
SCREE_API scree_output *scree_output_create(const scree_output_options *options, scree_error *error);
SCREE_API void scree_output_destroy(scree_output *output);

/// One frame: a row of series.csv and of timing.csv, and the files requested. `report` of the last step; NULL before the first.
/// The bodies whose forces the series has are those that are fixed or driven at the first frame.
SCREE_API scree_status scree_output_frame(scree_output *output, const scree_world *world,
                                          const scree_step_report *report, const scree_run_totals *totals,
                                          scree_error *error);
SCREE_API int64_t scree_output_frame_count(const scree_output *output); /* frames written so far */

/// DIR/problems/step_000100.hdf5: the contact problem of a step with its solution, for the stepper's problem_hook.
SCREE_API scree_status scree_output_problem(scree_output *output, const scree_problem *problem, const double *p,
                                            int64_t step, scree_error *error);

/// A small text file of the run (DIR/name), replaced whole: the scene as run.
SCREE_API scree_status scree_output_text(scree_output *output, const char *name, const char *text, scree_error *error);

/// What the caller adds to summary.json.
typedef struct scree_run_facts {
    const char *title;   /* of the scene                                                       */
    const char *outcome; /* a word: "done", "interrupted", "failed"                            */
    const char *commit;  /* of the program; NULL: left out                                     */
    double seconds;      /* wall clock of the whole run, earlier parts of it included          */
    int threads;
} scree_run_facts;

/// summary.json.
SCREE_API scree_status scree_output_summary(scree_output *output, const scree_world *world,
                                            const scree_run_totals *totals, const scree_run_facts *facts,
                                            scree_error *error);

/* ---- checkpoints ------------------------------------------------------------------------------------------------------- */

/// A number of the caller that a checkpoint keeps by its name: how the run was started.
typedef struct scree_setting {
    const char *name; /* "until": letters, digits, '_', '-' and '.' */
    double value;
    int found; /* when read: 1 if the checkpoint has it; otherwise the value stays as it is */
} scree_setting;

/// What a checkpoint holds besides the state of the world, the totals, and how far the growing files are written.
typedef struct scree_checkpoint {
    const char *scene;     /* text of the scene                                                      */
    const int64_t *source; /* (source_count) numbers of the sources: scree_simulation_sources        */
    int source_count;
    const scree_setting *setting; /* (setting_count) at most SCREE_SETTINGS_MAX, with different names */
    int setting_count;
    const scree_step_report *report; /* of the last step; NULL: there was none */
} scree_checkpoint;
enum { SCREE_SETTINGS_MAX = 64 };

/// DIR/checkpoint.h5: everything needed to continue with the same bits. Takes as much memory as the file is long.
SCREE_API scree_status scree_checkpoint_write(scree_output *output, const scree_world *world,
                                              const scree_run_totals *totals, const scree_checkpoint *checkpoint,
                                              scree_error *error);

/// The first part of reading: the text of the scene, which the caller frees by `allocator`; NULL: the file cannot be read. `setting`
/// (setting_count) has the names of the numbers that are looked for.
SCREE_API char *scree_checkpoint_peek(const char *path, scree_setting *setting, int setting_count,
                                      const scree_allocator *allocator, scree_error *error);

/// DIR/checkpoint.h5 into a world that was just built from the same scene. `source` (source_count) receives the numbers of the
/// sources, `report` that of the last step (all zero: there was none); the growing files are cut back to where they stood.
/// SCREE_ERR_INPUT names the dataset that is wrong, as file::/path; the world is then of no use.
SCREE_API scree_status scree_checkpoint_read(scree_output *output, scree_world *world, scree_run_totals *totals,
                                             scree_step_report *report, int64_t *source, int source_count,
                                             scree_error *error);

/* ---- the shape of a heap of spheres ------------------------------------------------------------------------------------ */

typedef struct scree_heap_options {
    unsigned cookie;
    double floor;     /* height of the floor [m]                                                                   */
    double touch;     /* a grain touches the floor when its lowest point is below this fraction of its radius      */
    double reach;     /* no more of the surface is looked at than this far from the axis [m]; 0: all of it         */
    double low, high; /* the flank lies between these fractions of the height                                      */
} scree_heap_options;
SCREE_API scree_heap_options scree_heap_options_default(void); /* floor 0, touch 0.02, reach 0, flank 0.2 to 0.8 */

enum { SCREE_HEAP_RINGS = 128 };

/// X-macro F(member, unit, text): the values of a heap. Results of sweeps, columns of measures and the JSON of `scree heap` are
/// expansions of this list.
#define SCREE_HEAP_VALUES(F)                                                                                           \
    F(grains, "", "spheres")                                                                                           \
    F(height, "m", "highest point above the floor")                                                                    \
    F(mean_height, "m", "of the centres, weighted by volume")                                                          \
    F(base_count, "", "grains that touch the floor")                                                                   \
    F(base_radius, "m", "their mean distance from their centroid")                                                     \
    F(flank_angle, "rad", "angle of repose")                                                                           \
    F(flank_misfit, "m", "root mean square distance of the rings from the line")                                       \
    F(cone_angle, "rad", "slope of the cone with the same mean height and mean squared radius")

/// How each value is measured: src/run/heap.c.
typedef struct scree_heap {
    int grains;
    double height;       /* highest point above the floor [m]                                                      */
    double mean_height;  /* of the centres, weighted by volume [m]                                                 */
    double mean_radius;  /* of the grains [m]                                                                      */
    double axis[2];      /* centre of mass, x and y [m]                                                            */
    int base_count;      /* grains that touch the floor                                                            */
    double base_radius;  /* their mean distance from their centroid [m]                                            */
    double flank_angle;  /* angle of repose: slope of the surface averaged over rings [rad]                        */
    double flank_misfit; /* root mean square distance of the rings from the line [m]                               */
    int flank_rings;     /* rings the line was put through; below 2: there is no flank, the angle is 0             */
    double cone_angle;   /* slope of the cone with the same mean height and mean squared radius [rad]              */
    int ring_count;      /* profile: ring k reaches from k to k + 1 ring_width                                     */
    double ring_width;   /* [m] */
    double ring_height[SCREE_HEAP_RINGS]; /* mean height of the surface above the floor [m] */
} scree_heap;

/// From centres (count x 3), z up, and radii (count, above 0), all finite. options NULL: the default ones. On failure all of the result is 0.
SCREE_API scree_heap scree_heap_measure(const scree_heap_options *options, int count, const double *position,
                                        const double *radius, const scree_allocator *allocator, scree_error *error);
/// The same of the spheres of a world that are dynamic and not below the floor.
SCREE_API scree_heap scree_heap_of_world(const scree_heap_options *options, const scree_world *world,
                                         const scree_allocator *allocator, scree_error *error);

#ifdef __cplusplus
}
#endif
#endif
