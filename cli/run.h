/* run.h: `scree run` from within the program, for those who run many scenes (sweep_case.c). */
#ifndef SCREE_CLI_RUN_H
#define SCREE_CLI_RUN_H

#include <scree/stepper.h>

/// Who looks on, and hands in the scene: as a text, so that nothing in the run's files depends on where a scene file lies. Messages go
/// to `error` in place of stderr.
typedef struct run_watch {
    const char *scene;
    int (*go_on)(void *context); /* asked after every step; 0: the run ends as after SIGTERM, with a checkpoint */
    /// The state at the end of the run, whether it is done, interrupted or stopped by a body that ran away.
    void (*ended)(const scree_world *world, const scree_run_totals *totals, const scree_step_report *report,
                  void *context);
    void *context;
    scree_error error; /* text "": nothing went wrong */
} run_watch;

/// What cli_run does with the same arguments (argv[0] "run"), and its exit status. `watch` NULL: the scene is read
/// from its file and messages are printed; otherwise SCENE is only the name that messages call it by.
int run_command(int argc, char **argv, run_watch *watch);

/// How many steps may be taken in one call on the way to `next`: soft contacts have many between two looks at the world. The last step
/// before `next` is taken alone, so that what is said of it does not depend on how the others were taken.
int64_t run_batch(scree_scheme scheme, double time, double next, double h);

#endif
