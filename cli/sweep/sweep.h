/* sweep.h: the parts of `scree sweep` (sweep.c): a scene run many times with other values.
 *
 *     DIR/sweep.txt        what is swept: one line each for what is kept, the order, every --vary and every --result, and the
 *                          checksum of scene.yaml
 *     DIR/scene.yaml       the scene with all --set in place; each case is this text with its own values
 *     DIR/rows/            finished cases as lines of the index, in the order they ended: sweep.csv of `scree sweep` itself, and
 *                          case_000012.csv of the commands of a plan, which must not share a file
 *     DIR/index.csv        header and rows in the order of cases, made from DIR/rows
 *     DIR/case_000012/     --keep full: what `scree run` leaves
 *
 * A row depends on the case alone: no wall-clock time, no folder name. So the index has the same bytes however it came about.
 * Cases are counted from 0. Memory that runs out ends the program (cli_memory): what is finished is on disk. */
#ifndef SCREE_CLI_SWEEP_SWEEP_H
#define SCREE_CLI_SWEEP_SWEEP_H

#include "cli/run_folder.h"
#include "cli/system.h"

#include <scree/files.h>
#include <scree/output.h>

#include <stdio.h>

enum { SWEEP_VARY_MAX = 64, SWEEP_RESULT_MAX = 64, SWEEP_CASES_MAX = 10000000 };

/* ---- what is varied (sweep_vary.c, sweep_path.c) ------------------------------------------------------------------------- */

typedef struct sweep_value {
    char *text;    /* as it goes into the scene, behind the '=' */
    char *column;  /* as it stands in the index: a number in SI, or the text */
    double number; /* NaN: the value is not a single number */
} sweep_value;

typedef struct sweep_vary {
    char *argument;    /* "path=values" as given                            */
    char *path;        /* name of the column                                */
    const char *ratio; /* the numbers are ratios of a radius: "r", "r_eff"; NULL: they are not */
    int log;           /* equal ratios, not equal steps                     */
    int count;
    sweep_value *value;
} sweep_vary;

/// Reads "path=from:to:count", "path=from:to:count:log" or "path=a,b,c". 0 and `error`, which names the argument, on a mistake.
int sweep_vary_parse(const char *argument, sweep_vary *vary, scree_error *error);
void sweep_vary_free(sweep_vary *vary);

/* ---- results (sweep_results.c) --------------------------------------------------------------------------------------------- */

/// The end of a case.
typedef struct sweep_end {
    const scree_world *world; /* NULL: there is none, the scene was refused */
    const scree_run_totals *totals;
    const scree_step_report *report;
    const scree_measures *measures; /* of the scene, taken in its last frame; NULL: none */
    const char *outcome;            /* "done", "unconverged", "failed", "refused", "crashed" */
    const char *message;            /* "": none */
} sweep_end;

/// What is known of a scene before it is run.
typedef struct sweep_known {
    int built;                      /* 1: its measures are known                        */
    const scree_measures *measures; /* NULL: it has none                                */
    const scree_world *world;       /* NULL: its bodies are still to come, or not known */
} sweep_known;

/// Whether there is such a result, in this scene or ever; 0 and `error` with a suggestion.
int sweep_result_check(const char *name, const sweep_known *known, scree_error *error);

/// Name with unit: "time[s]".
void sweep_result_header(const char *name, FILE *out);
void sweep_result_write(const char *name, const sweep_end *end, FILE *out);

/// A number that reads back as the same double, with as few digits as that takes (15 to 17).
void sweep_put_number(double x, FILE *out);
/// A field of a CSV line: quoted where it must be, line ends as blanks.
void sweep_put_text(const char *text, FILE *out);

/* ---- a sweep ------------------------------------------------------------------------------------------------------------------ */

typedef struct sweep {
    char folder[RUN_PATH_MAX];
    char *scene; /* text */
    int zip, full;
    int vary_count, result_count;
    sweep_vary vary[SWEEP_VARY_MAX];
    char *result[SWEEP_RESULT_MAX];
    int count;                 /* cases */
    char **row;                /* (count) lines of the index without their ends; NULL: not finished */
    scree_folder_claim *claim; /* of the folder, while this process defines or runs the sweep; NULL: none */
} sweep;

/// Counts the cases; 0 and `error` if there are too many or --zip has nothing to pair.
int sweep_count(sweep *s, scree_error *error);
void sweep_free(sweep *s);
/// Which value of the input `v` the case has.
int sweep_index_of(const sweep *s, int number, int v);

void sweep_write_header(const sweep *s, FILE *out);
/// The row up to the results: "12,0.003,2,".
void sweep_write_inputs(const sweep *s, int number, FILE *out);
/// A row, from the end of its case; the caller frees it.
char *sweep_make_row(const sweep *s, int number, const sweep_end *end);
/// The text of a column of a row (unquoted, the caller frees it), by the name of the result or the path of an input; NULL: none.
char *sweep_field(const sweep *s, const char *row, const char *name);
/// 1 if the outcome of a row is "done".
int sweep_row_done(const sweep *s, int number);

/* ---- repetitions, and what people read (sweep_repeat.c) --------------------------------------------------------------------------- */

/// The input that is `seed` and has several values: its cases are repetitions; -1: none, or --zip.
int sweep_seed_axis(const sweep *s);
/// Cases that differ in the seed only are a group; without a seed each case is one. The number of the first case of a group.
int sweep_group_count(const sweep *s);
int sweep_group_first(const sweep *s, int group);
/// The finite values of a result in a group, into `value`; returns how many.
int sweep_group_values(const sweep *s, int group, const char *name, double *value);

typedef struct sweep_statistics {
    int count; /* of cases with a number; without one all others are NaN, the errors with one too */
    double mean, error, deviation;
    double percentile[5]; /* least, 10, 50, 90, largest */
} sweep_statistics;
sweep_statistics sweep_group_statistics(const sweep *s, int group, const char *name);

/// Results that are no numbers.
int sweep_result_is_text(const char *name);

/// DIR/statistics.csv, where there are repetitions.
scree_status sweep_write_statistics(const sweep *s, scree_error *error);
/// At most 40 rows: inputs in the units they were given in, angles in degrees.
void sweep_print_table(const sweep *s, FILE *out);

/// A result of a case as a number; NaN: it has none.
double sweep_number(const sweep *s, int number, const char *name);

/// A unit for people, and how much it is in SI.
typedef struct sweep_unit {
    char text[24];
    double si;
} sweep_unit;
sweep_unit sweep_input_unit(const sweep_vary *vary);
sweep_unit sweep_result_unit(const char *name);
char *sweep_label(const char *name, const sweep_unit *unit); /* "slope [deg]"; the caller frees it */
void sweep_value_text(const sweep_vary *vary, int index, char *text, size_t size);

/* ---- the folder (sweep_folder.c) ------------------------------------------------------------------------------------------------ */

/// Makes the folder, or finds the same sweep in it (`*found` 1). SCREE_ERR_INPUT: it holds something else, and `error` says what.
scree_status sweep_folder_open(const sweep *s, int *found, scree_error *error);
/// Reads sweep.txt and scene.yaml of s->folder.
scree_status sweep_folder_load(sweep *s, scree_error *error);
/// Removes the sweep that is there: its own files and those of its cases.
void sweep_folder_clear(const char *folder);
/// Reads the finished rows; returns how many there are.
int sweep_folder_rows(sweep *s);
/// index.csv, from the rows there are.
scree_status sweep_folder_index(const sweep *s, scree_error *error);
/// rows/case_000012.csv
scree_status sweep_folder_row(const sweep *s, int number, const char *row, scree_error *error);
void sweep_case_folder(const sweep *s, int number, char path[RUN_PATH_MAX]);

/* ---- running (sweep_case.c, sweep_pool.c) ------------------------------------------------------------------------------------------ */

/// Runs one case; threads 0: as in the scene. Returns CLI_DONE with `*row` (the caller frees it), whatever the outcome; CLI_MACHINE and `error` if the disk or
/// the memory is at fault; CLI_GO_ON if `go_on` said no.
int sweep_case(const sweep *s, int number, int threads, int (*go_on)(void *context), char **row, scree_error *error);

/// Runs all cases without a row in `jobs` processes and fills the rows. Returns CLI_DONE, 128 + signal, or CLI_MACHINE and `error`.
int sweep_pool(sweep *s, int jobs, int quiet, scree_error *error);

/// SIGINT, SIGTERM and SIGUSR1 from here on set a flag; the second one ends the program.
void sweep_catch_signals(void);

/* ---- clusters (sweep_slurm.c) ------------------------------------------------------------------------------------------------------- */

/// An array job. Numbers are 0 where they are not given.
typedef struct sweep_slurm {
    int chunk, limit, threads; /* cases of a task; tasks at the same time; threads of a case */
    int retry;
    int option_count;
    const char *const *option; /* (option_count) of sbatch                                   */
    const char *program;       /* this one                                                   */
} sweep_slurm;

/// DIR/slurm/cases.txt and job.sh, for the cases without a row; `job` (RUN_PATH_MAX): path of the latter. `*tasks` 0: there are none.
scree_status sweep_slurm_write(const sweep *s, const sweep_slurm *how, char *job, int *tasks, scree_error *error);
/// Cases that ended badly count as missing; returns how many.
int sweep_forget_failed(sweep *s);
void sweep_put_shell_word(const char *text, FILE *out);

/* ---- plots (sweep_plot.c) ------------------------------------------------------------------------------------------------------------ */

/// 0 and `error` if the sweep has no plot of this result.
int sweep_plot_check(const sweep *s, const char *name, scree_error *error);
/// DIR/plot_NAME.csv, .svg, .png: a line over one input or the inputs of --zip, a heat map over two; repetitions: means with their errors,
/// or a histogram where the seed is the only input.
scree_status sweep_plot(const sweep *s, const char *name, scree_error *error);

#endif
