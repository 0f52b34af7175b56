/* output.h: what a run leaves on disk. Writing never changes the run.
 *
 *     DIR/summary.json  DIR/series.csv  DIR/frames.pvd (and DIR/frames, VTP)  DIR/dump.lammpstrj  DIR/contacts (CSV)
 *     DIR/checkpoint.h5  DIR/problems (FCLIB)                                                                docs/formats.md
 *
 * Every file that replaces another is written beside it, flushed and renamed. Files that grow (series, dump, pvd) are cut back to
 * the checkpoint on resume, so that an interrupted run and an uninterrupted one leave the same bytes. */
#ifndef SCREE_OUTPUT_H
#define SCREE_OUTPUT_H

#include <scree/stepper.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_output_options {
    unsigned cookie;
    const char *directory;   /* made if it is not there                                   */
    int vtp, dump, contacts; /* which files each frame gets                               */
    int resume;              /* 1: continue the files of an earlier run                   */
} scree_output_options;
SCREE_API scree_output_options scree_output_options_default(void);

typedef struct scree_output scree_output;
SCREE_API scree_status scree_output_create(const scree_output_options *options, const scree_allocator *allocator,
                                           scree_output **output, scree_error *error);
SCREE_API void scree_output_destroy(scree_output *output);

/// One frame: a row of series.csv, and the files asked for. `report` of the last step; NULL before the first.
SCREE_API scree_status scree_output_frame(scree_output *output, const scree_world *world,
                                          const scree_step_report *report, const scree_run_totals *totals,
                                          scree_error *error);

/// Everything needed to continue with the same bits: the state of the world with its contacts and loads, the totals, the numbers
/// of the sources, how far the growing files are written, the text of the scene.
typedef struct scree_checkpoint {
    const char *scene;     /* text, for the reader to compare                             */
    const int64_t *source; /* (source_count)                                              */
    int source_count;
    int64_t frames; /* frames written so far                                       */
} scree_checkpoint;
SCREE_API scree_status scree_checkpoint_write(const char *path, const scree_world *world,
                                              const scree_run_totals *totals, const scree_output *output,
                                              const scree_checkpoint *checkpoint, scree_error *error);
/// Into a world that was just built from the same scene. `source` (source_count) receives the numbers of the sources; `output`
/// (may be NULL) is cut back to where it stood.
SCREE_API scree_status scree_checkpoint_read(const char *path, scree_world *world, scree_run_totals *totals,
                                             scree_output *output, int64_t *source, int source_count, int64_t *frames,
                                             scree_error *error);

/// summary.json. `scene` is its title, `seconds` the wall clock of the run, `outcome` a word: "done", "interrupted", ...
SCREE_API scree_status scree_output_summary(scree_output *output, const scree_world *world,
                                            const scree_run_totals *totals, const char *scene, const char *outcome,
                                            double seconds, const char *commit, scree_error *error);

#ifdef __cplusplus
}
#endif
#endif
