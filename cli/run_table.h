/* run_table.h: what `scree run` prints at the end. */
#ifndef SCREE_CLI_RUN_TABLE_H
#define SCREE_CLI_RUN_TABLE_H

#include <scree/run.h>

/// Steps, residuals (soft contacts: their critical step; 0: rigid ones), penetration, energies with their closing error, hash, seconds
/// by stage, files.
void run_print_table(const char *folder, const char *title, const scree_world *world, const scree_run_report *run,
                     double critical);

/// Copies folder/name to stdout.
void run_print_file(const char *folder, const char *name);

#endif
