/* progress.h: how far a run is, on stderr: a bar that is drawn over itself on a terminal, a plain line now and then elsewhere. */
#ifndef SCREE_CLI_PROGRESS_H
#define SCREE_CLI_PROGRESS_H

#include <scree/stepper.h>

typedef struct progress {
    int quiet, terminal, shown;          /* shown: something stands in the line of the bar */
    double begin, next;                  /* clock: of the start, of the next line          */
    double from, until;                  /* simulated time of this process [s]             */
    double bodies_first;                 /* at the start                                   */
    double last, time_last, bodies_last; /* of the last update: clock, simulated time, bodies */
    double spent, done;                  /* of late: seconds, bodies times simulated seconds  */
} progress;

progress progress_start(double from, double until, double bodies, int quiet);
/// 1: it is time for the next line. Called after every step.
int progress_is_due(const progress *p);

/// Prints the line. `to_pour`: bodies still to come.
void progress_step(progress *p, const scree_step_report *report, const scree_run_totals *totals, double to_pour);

/// The line of the first parts that fit into `width` characters, whole ones only: "[bar] t 1 of 2 s, left 0:42". Returns how many.
int progress_line(char *line, size_t size, int width, const char *const *part, int parts);
/// Seconds to the end, asked at the clock `now` and the simulated `time`; -1: not known.
double progress_left(progress *p, double now, double time, double bodies, double to_pour);

/// Takes the bar away, so that a message can be printed.
void progress_clear(progress *p);

/// Seconds as "0:42", "12:05", "3:07:30".
char *progress_duration(double seconds, char *buffer, size_t size);

#endif
