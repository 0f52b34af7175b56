/* progress.h: how far a run is, on stderr: a bar that is drawn over itself on a terminal, a plain line now and then elsewhere. */
#ifndef SCREE_CLI_PROGRESS_H
#define SCREE_CLI_PROGRESS_H

#include <scree/stepper.h>

typedef struct progress {
    int quiet, terminal, shown; /* shown: something stands in the line of the bar */
    double begin, next;         /* clock: of the start, of the next line          */
    double from, until;         /* simulated time of this process [s]             */
} progress;

progress progress_start(double from, double until, int quiet);
/// Called after every step; looks at the clock, and rarely does more.
void progress_step(progress *p, const scree_step_report *report, const scree_run_totals *totals);
/// Takes the bar away, so that a message can be printed.
void progress_clear(progress *p);

/// Seconds as "0:42", "12:05", "3:07:30".
char *progress_duration(double seconds, char *buffer, size_t size);

#endif
