/* bench_study.h: what `scree bench solve` measures (bench_solve.c) and what it makes of it (bench_study.c). */
#ifndef SCREE_BENCH_BENCH_STUDY_H
#define SCREE_BENCH_BENCH_STUDY_H

#include "cli/cli.h"

#include <math.h>
#include <scree/solver.h>
#include <stdio.h>

enum { SOLVERS_MAX = 32, TOLERANCES_MAX = 16 };

typedef struct run {
    int done; /* 0: not measured                                    */
    int unsupported;
    scree_outcome outcome;
    int solved, iterations;
    double residual;               /* recomputed                    */
    double seconds, setup_seconds; /* of the fastest repeat         */
} run;

typedef struct problem_facts {
    char *file;
    const char *name; /* without folder */
    int contacts, dim, read;
} problem_facts;

typedef struct study {
    const char *dir;
    int solver_count, tolerance_count, file_count, file_capacity;
    const char *solver[SOLVERS_MAX];
    double tolerance[TOLERANCES_MAX]; /* descending */
    problem_facts *file;
    run *runs; /* [file][solver][tolerance] */
    scree_solver_options options;
    scree_law law;
    int repeat, curves, failure; /* failure: exit status of the worst thing that happened */
    int quiet;                   /* 1: no curves on standard output, which belongs to JSON */
    char machine[80];
    FILE *csv;
} study;

static inline run *run_at(const study *s, int file, int solver, int tolerance)
{
    return &s->runs[((size_t)file * (size_t)s->solver_count + (size_t)solver) * (size_t)s->tolerance_count +
                    (size_t)tolerance];
}

/// "1e-4" rather than "0.0001", so that tolerances read alike in tables and file names.
static inline const char *tolerance_name(const study *s, int tolerance, char name[24])
{
    int exponent = (int)floor(log10(s->tolerance[tolerance]) + 1e-9);
    snprintf(name, 24, "%.3ge%d", s->tolerance[tolerance] / pow(10.0, exponent), exponent);
    return name;
}

static inline double cost(const run *r)
{
    return fmax(r->seconds + r->setup_seconds, 1e-7); /* what a clock can tell */
}

/// For qsort.
static inline int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Notes the exit status of something that failed, the worst so far; returns it.
static inline int study_fail(study *s, int code)
{
    if (code > s->failure) s->failure = code;
    return code;
}

static inline int study_out_of_memory(study *s)
{
    fprintf(stderr, "scree bench solve: error: out of memory\n");
    return study_fail(s, CLI_MACHINE);
}

/// A file in the folder of the study; NULL after a failure, which is noted and said. Closing notes what could not be written.
FILE *study_open(study *s, const char *name);
void study_close(study *s, FILE *f, const char *name);

/// The summary, as text for a terminal or as Markdown; which problems each solver failed on, for the terminal.
void study_write_scores(const study *s, FILE *out, int markdown);
void study_print_failures(const study *s);

void study_write_markdown(study *s);              /* DIR/table.md             */
void study_draw_profile(study *s, int tolerance); /* DIR/profile-TOL.svg      */
void study_write_json(const study *s);            /* to standard output       */

#endif
