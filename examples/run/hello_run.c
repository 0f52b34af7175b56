/* hello_run.c: runs a scene in a folder, and resumes it there if an earlier run was stopped or killed. docs/running.md explains it. */
#include <scree/run.h>

#include <stdio.h>

static int on_event(scree_run *run, scree_run_event event, const scree_error *notice, void *context)
{
    (void)notice, (void)context;
    const scree_world *world = scree_simulation_world(scree_run_simulation(run));
    if (event == SCREE_RUN_EVENT_FRAME)
        printf("t = %.1f s: kinetic energy %.1f J\n", scree_world_time(world), scree_world_energy(world).kinetic);
    return 1; /* 0 stops the run, with a checkpoint */
}

int main(int argc, char **argv)
{
    scree_error error = {0};
    char text[1200];
    if (argc != 3) return fprintf(stderr, "usage: hello_run SCENE FOLDER\n"), 2;
    scree_run_options options = scree_run_options_default();
    options.directory = argv[2];
    options.resume = 1;
    options.every = 1.0; /* [s] */
    options.event = on_event;
    scree_run_report end = scree_run_scene(argv[1], &options, &error);
    if (error.status == SCREE_OK)
        printf("%lld steps, %lld frames\n", (long long)end.totals.steps, (long long)end.frames);
    else fprintf(stderr, "%s\n", scree_error_format(&error, text, sizeof text));
    return error.status == SCREE_OK ? 0 : 1;
}
