/* run_parts.h: a run in progress (scree/run.h), shared by its loop (run.c) and its files (run_files.c, run_folder.c). */
#ifndef SCREE_RUN_RUN_PARTS_H
#define SCREE_RUN_RUN_PARTS_H

#include <scree/files.h>
#include <scree/run.h>

enum {
    FOLDER_PATH_MAX = 1024,
    FOLDER_NAME_MAX = FOLDER_PATH_MAX - 64
}; /* bytes; a folder's name leaves room for those of its files */

/// What a checkpoint keeps, by name, of how the run was started; SET_FORMATS + k: whether format k is written.
enum {
    SET_UNTIL,
    SET_EVERY,
    SET_CHECKPOINT,
    SET_PROBLEMS,
    SET_SECONDS, /* of wall clock, so far */
    SET_FORMATS,
    SETTINGS = SET_FORMATS + SCREE_FORMAT_COUNT
};

struct scree_run {
    scree_allocator allocator;
    scree_run_options options; /* directory points to `folder`, or is NULL */
    char folder[FOLDER_PATH_MAX];
    const scree_scene *scene;
    scree_run_plan plan; /* the scene's, or what the checkpoint has, and the options above both */
    scree_stepper_options stepper_options;
    scree_simulation *simulation;
    scree_world *world;
    scree_stepper *stepper;
    scree_output *output; /* NULL: nothing is written */
    scree_folder_claim *claim;

    int started, resumed;
    int rests;                     /* everything does, and that is the end: plan.rest_speed */
    int frame_due, checkpoint_due; /* since the last batch of steps                     */
    int end_kept, end_framed;      /* at the end: its checkpoint, its frame are written */
    int64_t frames;                /* passed, where nothing is written                  */
    double before, begin;          /* seconds of earlier parts of the run; clock at the start of this one */
    double checkpoint_clock;       /* when the last one was written                     */
    double checkpoint_time;        /* simulated time of it; -1: there is none           */
    scree_step_report last;        /* of the last step; step 0: there was none          */
    scree_run_outcome outcome;
    scree_status status; /* of the first failure */
    int writing;         /* the present or failed act is one of writing */
    uint64_t hash;
    scree_status problem_status;
    int problems_stopped;
    scree_error problem_error;
};

/// Seconds of wall clock of the whole run.
double run_seconds(const scree_run *r);

/// 1: checkpoints are written.
static inline int run_keeps(const scree_run *r)
{
    return r->output && r->options.checkpoints;
}

/* rest.c */
/// *rests 1: every dynamic body is slower than `speed` [m/s] and held by something.
scree_status run_rests(const scree_world *world, double speed, const scree_allocator *allocator, int *rests);

/* run_files.c */
scree_status run_open(scree_run *r, scree_error *error); /* the folder, and the state of its checkpoint */
void run_close(scree_run *r);
scree_status run_write_frame(scree_run *r, scree_error *error);
scree_status run_write_checkpoint(scree_run *r, scree_error *error);
scree_status run_write_summary(scree_run *r, scree_error *error);

/* run_folder.c */
#define RUN_FOLDER_SWEEP "sweep.txt" /* a folder with this file is that of a sweep */
char *run_folder_file(const char *folder, const char *name, char path[FOLDER_PATH_MAX]);
void run_folder_sweep(const char *folder); /* removes what a killed run left half written */
void run_folder_empty(const char *folder); /* removes every file of a run but scene.yaml  */

/* ---- simulation.c ------------------------------------------------------------------------------------------------------------- */

/// scree_simulation_create, on another device than the scene's: 1 + scree_device; 0: as in the scene.
scree_simulation *simulation_create_on(const scree_scene *scene, int threads, int device,
                                       const scree_allocator *allocator, scree_error *error);

#endif
