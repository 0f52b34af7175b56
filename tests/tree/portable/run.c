/* run.c: NAME=STEPS ...: so many steps of DIR/NAME.yaml each, and the hash of the state that they lead to, "NAME HASH" a line.
 *     run DIR NAME=STEPS ...
 * With SCREE_BASE_KERNELS the processor is taken for one without AVX: the linker finds these functions before those of the library. */
#include <inttypes.h>
#include <scree/run.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(SCREE_BASE_KERNELS)
#include "base/cpu.h"

cpu_level cpu_level_of(unsigned features)
{
    (void)features;
    return CPU_BASE;
}

unsigned cpu_features(void)
{
    return 0;
}

cpu_level cpu_best(void)
{
    return CPU_BASE;
}

int cpu_level_at(int index)
{
    return index == 0 ? CPU_BASE : -1;
}
#endif

static scree_status take_steps(const char *path, long steps, uint64_t *hash, int *contacts, scree_error *error)
{
    scree_step_report report = {.step = 0};
    scree_scene *scene = scree_scene_read(path, NULL, 0, NULL, error);
    scree_simulation *simulation = scene ? scree_simulation_create(scene, 1, NULL, error) : NULL;
    scree_status status = simulation ? scree_simulation_advance(simulation, steps, &report, error) : error->status;
    if (status == SCREE_OK) *hash = scree_world_hash(scree_simulation_world(simulation)), *contacts = report.contacts;
    scree_simulation_destroy(simulation);
    scree_scene_destroy(scene);
    return status;
}

int main(int argc, char **argv)
{
    for (int k = 2; k < argc; ++k) {
        char path[512];
        scree_error error = {0};
        uint64_t hash = 0;
        int contacts = 0;
        const char *equals = strchr(argv[k], '=');
        if (!equals) return 2;
        snprintf(path, sizeof path, "%s/%.*s.yaml", argv[1], (int)(equals - argv[k]), argv[k]);
        scree_status status = take_steps(path, strtol(equals + 1, NULL, 10), &hash, &contacts, &error);
        if (status != SCREE_OK) {
            fprintf(stderr, "%s:%d: %s\n", error.file, error.line, error.text);
            return 1;
        }
        printf("%.*s %016" PRIx64 " %d\n", (int)(equals - argv[k]), argv[k], hash, contacts);
        fflush(stdout);
    }
    return 0;
}
