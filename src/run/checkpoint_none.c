/* checkpoint_none.c: in place of checkpoint.c in builds without HDF5 (SCREE_HDF5=OFF), which refuse checkpoints, and say why. */
#include "base/fail.h"

#include <scree/output.h>

static scree_status refuse(const char *path, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    scree_error_set(error, path, 0, 0, "a checkpoint is an HDF5 file, and scree was built without HDF5");
    return error_keep(error, SCREE_ERR_UNSUPPORTED);
}

scree_status scree_checkpoint_write(scree_output *output, const scree_world *world, const scree_run_totals *totals,
                                    const scree_checkpoint *checkpoint, scree_error *error)
{
    (void)output, (void)world, (void)totals, (void)checkpoint;
    return refuse("checkpoint.h5", error);
}

char *scree_checkpoint_peek(const char *path, scree_setting *setting, int setting_count,
                            const scree_allocator *allocator, scree_error *error)
{
    (void)allocator;
    for (int k = 0; k < setting_count; ++k) setting[k].found = 0;
    refuse(path, error);
    return NULL;
}

scree_status scree_checkpoint_read(scree_output *output, scree_world *world, scree_run_totals *totals,
                                   scree_step_report *report, int64_t *source, int source_count, scree_error *error)
{
    (void)output, (void)world, (void)totals, (void)report;
    for (int k = 0; k < source_count; ++k) source[k] = 0;
    return refuse("checkpoint.h5", error);
}
