/* papers.h: the reproductions of the papers' examples, `scree verify --papers` (docs/papers.md).
 *
 * Each example has a folder examples/papers/KEY with scene.yaml and plot.gp (drum: flow.yaml as well); they are built into the
 * program. A function here runs the scene, as it stands or with overrides as of --set, reports rows, and writes the CSV files that
 * plot.gp reads. */
#ifndef SCREE_CHECKS_PAPERS_H
#define SCREE_CHECKS_PAPERS_H

#include "checks/verify.h"
#include "cli/embedded.h"

#include <math.h>
#include <scree/output.h>
#include <scree/run.h>
#include <stdio.h>

/// One example, or one case of others.
struct paper_run;
typedef struct paper {
    const char *key, *title;
    void (*run)(struct paper_run *run);
} paper;

/// What `scree verify --NAME` runs.
typedef struct suite {
    const char *name, *word;    /* "papers"; what a case is called in messages                     */
    const paper *cases;         /* ended by one without a key                                     */
    const embedded_file *files; /* their scenes                                                   */
    const char *root;           /* where these are in the source tree                             */
    int has_folders;            /* 1: ROOT/KEY/scene.yaml; 0: ROOT/KEY.yaml                        */
} suite;
extern const suite papers_suite; /* verify_papers.c */
extern const suite peers_suite;  /* verify_peers.c  */

/// What an example gets to work with.
typedef struct paper_run {
    const suite *suite;
    const char *key;
    const char *directory; /* for CSV files and plots; NULL: none are written */
    int is_long;           /* the whole of the example, else its quick form   */
    int threads;           /* simulations run at once                         */
    const char *device;    /* that takes their steps; NULL: the scene's       */
    const char *file;      /* of the scene; NULL: scene.yaml in the example's folder, or KEY.yaml */
    verify_report *report;
    scree_scene *scene;  /* of the simulation that paper_build made         */
    scree_status status; /* first failure, of a scene, a step or a file     */
    scree_error error;
} paper_run;

/* The examples, each with its rows and files. Their list is in verify_papers.c. */
void paper_ab61(paper_run *run); /* papers_ball.c */
void paper_ab_fig2(paper_run *run);
void paper_ta61(paper_run *run);
void paper_ab62(paper_run *run);     /* papers_ab62.c */
void paper_ta62(paper_run *run);     /* papers_ta62.c */
void paper_ta63(paper_run *run);     /* papers_ta63.c */
void paper_fn_brick(paper_run *run); /* papers_fn.c */
void paper_fn_disk(paper_run *run);
void paper_fn_incline(paper_run *run);
void paper_fn_map(paper_run *run);
void paper_fn_spin(paper_run *run);
void paper_fn_table7(paper_run *run); /* papers_fn_bodies.c */
void paper_fn_ellipsoid(paper_run *run);
void paper_fn_stack(paper_run *run);
void paper_drum(paper_run *run); /* papers_flow.c */
void paper_hopper(paper_run *run);

/// The cases that the words name, all if there are none, or their names if `list`. `how`: style of the report. Returns the exit status.
int suite_verify(const suite *s, int word_count, char **words, int list, int how, const paper_run *settings);

/* ---- for the examples: each does nothing after a failure -------------------------------------------------------------- */

enum { PAPER_SETS = 8, PAPER_SET_LENGTH = 120 };

/// Overrides of a scene: "path=value".
typedef struct paper_sets {
    int count;
    char text[PAPER_SETS][PAPER_SET_LENGTH];
} paper_sets;
void paper_set(paper_sets *sets, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/// Builds the example's scene, one at a time. NULL after a failure. `until` may be NULL.
scree_simulation *paper_build(paper_run *run, const paper_sets *sets, double *until);
void paper_end(paper_run *run, scree_simulation *simulation);
/// One step, or several; 0 after a failure.
int paper_step(paper_run *run, scree_simulation *simulation, scree_step_report *report);
int paper_advance(paper_run *run, scree_simulation *simulation, int64_t steps, scree_step_report *report);

/// What a row is held against: a value, and where it stands (NULL: a closed form); and the bound with its reason.
typedef struct paper_source {
    double value;
    const char *where;
} paper_source;
typedef struct paper_bound {
    double value;
    const char *why;
} paper_bound;
static inline paper_source printed(double value, const char *where)
{
    return (paper_source){value, where};
}
static inline paper_source closed_form(double value)
{
    return (paper_source){value, NULL};
}
static inline paper_bound within(double value, const char *why)
{
    return (paper_bound){value, why};
}
/// Half a unit of the last digit that is printed, relative to the value printed.
static inline paper_bound digits(double half_unit, double value)
{
    return (paper_bound){half_unit / fabs(value), "half a unit of the last digit printed"};
}

/// A row "KEY/quantity". Its error is relative to the source, or absolute where that is 0.
void paper_row(paper_run *run, const char *quantity, const char *unit, paper_source source, double scree,
               paper_bound bound);
/// The same with what others published for it, ended by a NULL name, and the seconds that scree took (0: not shown).
void paper_row_beside(paper_run *run, const char *quantity, const char *unit, paper_source source, double scree,
                      paper_bound bound, const peer_value *others, double seconds);
/// A claim in words: how many of its cases are exceptions; none may be.
void paper_claim(paper_run *run, const char *quantity, const char *where, int exceptions);
/// A figure that the paper does not have: shown, not counted.
void paper_note(paper_run *run, const char *quantity, const char *unit, double scree, const char *what);

/// A body that spins on its own, from spin w: spring K and dashpot D while it sticks, until the spring's torque reaches that of rest; a
/// constant torque while it slips, to spin 0; then it sticks again and swings back. Integrated by itself, to 1e-8.
typedef struct paper_spin {
    double stop, back, angle; /* time of spin 0 [s]; largest spin backwards [1/s]; angle in the end [rad] */
    double p;                 /* (K/I)^1/2 */
} paper_spin;
paper_spin paper_spin_life(double K, double D, double I, double w, double rest_torque, double torque); /* papers_fn.c */

/// A file of the folder of this example, with its first line; NULL where there is no folder.
FILE *paper_open(paper_run *run, const char *name, const char *head);
void paper_close(paper_run *run, FILE *file, const char *name); /* NULL is a no-op */

/// Calls job(own, 0), job(own, 1), ... job(own, count - 1), several at once; each has a copy of `run` of its own, in which it builds one
/// simulation after the other. What a job computes must depend on its number alone. The first failure is kept.
typedef void paper_job(paper_run *own, int index, void *context);
void paper_jobs(paper_run *run, int count, paper_job *job, void *context);
/// The same for a long campaign: job i leaves what it found in results[i], `size` bytes without pointers. In the long form, with a folder,
/// each is kept in DIR/KEY/jobs as soon as it is there, and the same program (the same commit, unmodified) given the same folder takes
/// it from there: a campaign that was broken off goes on.
void paper_campaign(paper_run *run, int count, paper_job *job, void *context, void *results, size_t size);

/// For a job that takes long: the example's scene to its end, with one thread. Where results are kept it is a run in DIR/KEY/jobs with a
/// checkpoint every half minute, and the same program goes on from there. `index`: of the job. NULL after a failure in building it.
scree_run *paper_run_begin(paper_run *run, const paper_sets *sets, int index);
void paper_run_end(paper_run *run, scree_run *r); /* NULL is a no-op */

/// To standard error, in long runs: what goes on.
void paper_say(const paper_run *run, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

#endif
