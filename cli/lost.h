/* lost.h: how bodies that nothing holds are reported, by check, at the start of a run and at its end. */
#ifndef SCREE_CLI_LOST_H
#define SCREE_CLI_LOST_H

#include <scree/run.h>

#include <stdio.h>

/// Lines that count and name the bodies that begin behind or below a surface, and say what to change. Returns how many there are.
int lost_print_start(FILE *to, const scree_world *world);

/// The line of the grains for which a generator found no place, if there are any.
void lost_print_left_out(FILE *to, const scree_census *census);

/// The line of those that nothing holds at the end of a run. Returns how many there are.
int lost_print_end(FILE *to, const scree_world *world);

#endif
