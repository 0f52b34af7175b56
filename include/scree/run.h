/* run.h: a scene from its start, or from its checkpoint, to its end: steps, frames, checkpoints, summary.
 *
 *     scree_run_options options = scree_run_options_default();
 *     options.directory = "out/pile";
 *     scree_run_report report = scree_run_scene("pile.yaml", &options, &error);
 *
 * or in parts, for a program that looks at the world in between (docs/running.md):
 *
 *     scree_run *run = scree_run_create(scene, &options, &error);
 *     do status = scree_run_next(run, &event, &error);
 *     while (status == SCREE_OK && !stop && event != SCREE_RUN_EVENT_TIME_UP && event != SCREE_RUN_EVENT_END);
 *     scree_run_finish(run, &report, &error);
 *     scree_run_destroy(run);
 *
 * The files of a run are those of `scree run`, byte for byte (docs/formats.md), and the state does not depend on what is written, on
 * how often the caller looks, or on where the run was stopped and resumed. A run that is killed, or whose disk is full, loses at most
 * the time since its last checkpoint.
 *
 * Thread safety: a run and a simulation serve one thread at a time; different ones may be in different threads. */
#ifndef SCREE_RUN_H
#define SCREE_RUN_H

#include <scree/output.h>
#include <scree/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a running scene: world, stepper, and the sources that pour --------------------------------------------------------   */

typedef struct scree_simulation scree_simulation;

/// Builds world and stepper; generators fill the world. threads 0: as in the scene. The scene must outlive the simulation.
SCREE_API scree_simulation *scree_simulation_create(const scree_scene *scene, int threads,
                                                    const scree_allocator *allocator, scree_error *error);
SCREE_API void scree_simulation_destroy(scree_simulation *simulation);
SCREE_API scree_world *scree_simulation_world(scree_simulation *simulation);
SCREE_API scree_stepper *scree_simulation_stepper(scree_simulation *simulation);

/// What its scene measures; they belong to the simulation. NULL: the scene has none.
SCREE_API scree_measures *scree_simulation_measures(scree_simulation *simulation);

/// Adds what the sources pour at this time, then steps.
SCREE_API scree_status scree_simulation_step(scree_simulation *simulation, scree_step_report *report,
                                             scree_error *error);
/// `steps` steps in one call (scree_advance), interrupted where there is something to pour. The report adds them all up as that of
/// scree_advance does; after an error it is that of the steps taken, and unchanged if there were none.
SCREE_API scree_status scree_simulation_advance(scree_simulation *simulation, int64_t steps, scree_step_report *report,
                                                scree_error *error);

/// What the sources need to continue after a restart: one number each, the grains it has poured. Returns their count; `*state` may be
/// written (to continue with a world that was restored).
SCREE_API int scree_simulation_sources(scree_simulation *simulation, int64_t **state);

/// What is in the world, and what is still to come.
typedef struct scree_census {
    int dynamic, fixed, driven; /* bodies in the world                                               */
    int64_t poured, to_pour;    /* by the sources: so far, still to come                             */
    int64_t left_out;           /* grains for which packings found no free position                  */
    int materials;
    double mass;   /* of the dynamic bodies [kg]                                        */
    double radius; /* of the smallest grain or ball [m]; 0: there is none               */
} scree_census;
SCREE_API scree_census scree_simulation_census(const scree_simulation *simulation);

/// Two bodies that overlap, at least one of them dynamic.
typedef struct scree_overlap {
    int body_a, body_b;
    double depth; /* [m] */
} scree_overlap;

/// Finds the pairs of bodies that overlap by more than `depth` [m] now, deepest first. Writes at most `capacity` of them and returns in
/// `*count` how many there are. The world is not changed.
SCREE_API scree_status scree_simulation_overlaps(const scree_simulation *simulation, double depth, int capacity,
                                                 scree_overlap *overlap, int *count);

/* ---- a run: a simulation with its files ------------------------------------------------------------------------------------- */

typedef struct scree_run scree_run;

/// What has just happened, in the order in which it happens between two batches of steps.
typedef enum scree_run_event {
    SCREE_RUN_EVENT_START, /* the world is built, or restored from its checkpoint; the folder is ready                       */
    SCREE_RUN_EVENT_STEPS, /* steps were taken                                                                               */
    SCREE_RUN_EVENT_NO_PROBLEMS, /* contact problems cannot be stored from here on; `error` has the reason, the run continues */
    SCREE_RUN_EVENT_FRAME, /* an output time was reached, and its frame is written                                      */
    SCREE_RUN_EVENT_CHECKPOINT, /* a checkpoint was written                                                                  */
    SCREE_RUN_EVENT_TIME_UP, /* options.seconds have passed: no more steps are taken; to be finished, and resumed another day */
    SCREE_RUN_EVENT_END /* the end of the scene; nothing more happens                                                */
} scree_run_event;
SCREE_API const char *scree_run_event_name(scree_run_event event); /* "start", ...; NULL beyond the last */

typedef struct scree_run_options {
    unsigned cookie;
    const char *directory; /* receives the files of the run; NULL: nothing is written                        */
    int resume;            /* 1: continues from directory/checkpoint.h5, if it is there                      */
    int new_step;          /* 1: the scene may differ from the one in the checkpoint in the length of its step */
    int replace;           /* 1: a run that the folder holds is replaced; 0: it is refused                   */
    int checkpoints;       /* 0: none are written                                                            */
    double until, every;   /* [s] end and time between frames; 0: as when the run was started, or as in the scene */
    int problems_every;    /* steps between stored contact problems; 0: as in the scene, -1: none            */
    int threads;           /* 0: as in the scene; changes no bit of the result                               */
    int device;            /* 1 + scree_device, likewise                                                     */
    double seconds;        /* wall clock after which the run stops, with a checkpoint [s]; 0: no limit       */
    double
        checkpoint_seconds; /* wall clock after which a checkpoint is written, besides those of the scene [s]; 0: none */
    double steps_seconds;   /* wall clock between two SCREE_RUN_EVENT_STEPS [s]; 0: one after each batch of steps   */
    const char *commit;     /* of the program, for summary.json; NULL: left out                           */
    /// Of this scene, to be continued; it stays the caller's (its problem hook is replaced if problems are stored). NULL: a new one is made.
    scree_simulation *simulation;
    const scree_step_report *last; /* of the last step of that simulation; NULL: there was none             */
    /// For scree_run_scene and scree_run_proceed: called with every event; 0 stops the run. NULL: none. `notice`: see NO_PROBLEMS.
    int (*event)(scree_run *run, scree_run_event event, const scree_error *notice, void *context);
    void *context;
    const scree_allocator *allocator; /* NULL: the default; copied */
} scree_run_options;
SCREE_API scree_run_options scree_run_options_default(void); /* checkpoints, one every 60 s of wall clock */

typedef enum scree_run_outcome {
    SCREE_RUN_ACTIVE,      /* neither at its end nor stopped                                                     */
    SCREE_RUN_DONE,        /* the end of the scene is reached                                                    */
    SCREE_RUN_INTERRUPTED, /* stopped before; a checkpoint of this moment is written                             */
    SCREE_RUN_FAILED,      /* a step could not be taken: a runaway body, a step too long; what was computed is kept */
    SCREE_RUN_ABORTED      /* no memory, a file that cannot be read or written: the last checkpoint counts       */
} scree_run_outcome;

typedef struct scree_run_report {
    scree_run_outcome outcome;
    scree_status status;    /* of the failure after which it is SCREE_RUN_FAILED or SCREE_RUN_ABORTED             */
    int resumed;            /* 1: it began from a checkpoint                                                      */
    int writing;            /* 1: the failure is one of writing files                                             */
    int problems_stopped;   /* 1: SCREE_RUN_EVENT_NO_PROBLEMS has happened                                            */
    int rests;              /* 1: it is done because everything rests (`stop: at rest`)                         */
    double time, until;     /* simulated [s]                                                                      */
    int64_t frames;         /* written, or passed where nothing is written; those before a restart included       */
    double seconds;         /* wall clock of the whole run, parts before a restart included                       */
    double checkpoint_time; /* simulated time of the last checkpoint [s]; -1: there is none                       */
    uint64_t hash;          /* of the final state: scree_world_hash; 0 before scree_run_finish                    */
    scree_step_report last; /* of the last step; step 0: there was none                                           */
    scree_run_totals totals;
} scree_run_report;

/// Reads the scene and runs it to its end, or until options->event returns 0. options may be NULL: nothing is written.
SCREE_API scree_run_report scree_run_scene(const char *path, const scree_run_options *options, scree_error *error);

/// The same with a scene that was read before.
SCREE_API scree_run_report scree_run_complete(const scree_scene *scene, const scree_run_options *options,
                                              scree_error *error);

/// Builds the simulation; touches no file. Scene and options->simulation must outlive the run.
SCREE_API scree_run *scree_run_create(const scree_scene *scene, const scree_run_options *options, scree_error *error);
SCREE_API void scree_run_destroy(scree_run *run);

/// Continues to the next event. After a failure only scree_run_look, scree_run_finish and scree_run_destroy may be called.
SCREE_API scree_status scree_run_next(scree_run *run, scree_run_event *event, scree_error *error);

/// scree_run_next until SCREE_RUN_EVENT_END, SCREE_RUN_EVENT_TIME_UP, options->event returning 0, or a failure.
SCREE_API scree_status scree_run_proceed(scree_run *run, scree_error *error);

/// Ends a run, wherever it is: the frame and the checkpoint that are due, and summary.json. After a step that failed: a checkpoint of
/// the state before it, if that is sound. After SCREE_RUN_ABORTED it writes nothing. It does so also when `error` has a failure already,
/// which it then keeps; the status is that of finishing. `report` may be NULL.
SCREE_API scree_status scree_run_finish(scree_run *run, scree_run_report *report, scree_error *error);

SCREE_API scree_run_report scree_run_look(const scree_run *run);
SCREE_API scree_simulation *scree_run_simulation(scree_run *run); /* its world may be read between events */

/* ---- the folder of a run ------------------------------------------------------------------------------------------------ */

/// The file that shows that the folder holds a run ("series.csv"); NULL: none.
SCREE_API const char *scree_run_folder_used(const char *directory);

/// The names of files and folders that a run's folder can have, the main one of each format: "summary.json", ...; NULL beyond the last.
SCREE_API const char *scree_run_folder_entry(int index);

/// Removes the files of a run, those that carry its names and no others.
SCREE_API void scree_run_folder_clear(const char *directory);

typedef enum scree_run_found {
    SCREE_RUN_FOUND_NOTHING,    /* no checkpoint: the run would start from the beginning                    */
    SCREE_RUN_FOUND_CHECKPOINT, /* one from which options->directory can be resumed                         */
    SCREE_RUN_FOUND_UNREADABLE, /* one that cannot be read                                                  */
    SCREE_RUN_FOUND_OTHER_SCENE /* one of another scene                                                     */
} scree_run_found;

/// What options->resume would find; `error` has a failure for the last two.
SCREE_API scree_run_found scree_run_find(const scree_scene *scene, const scree_run_options *options,
                                         scree_error *error);

#ifdef __cplusplus
}
#endif
#endif
