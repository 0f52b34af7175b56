/* verify_papers.c: `scree verify --papers` and `--peers`: the command, and what the examples share (papers.h).
 *
 * The scene of an example and its gnuplot script come out of the program itself, so that the check, the file under examples/papers
 * and `scree run` on it cannot drift apart. An example that fails half way (a scene that does not parse, a body that runs away)
 * says so, counts as one row that is not ok, and the next example goes on. */
#include "checks/papers.h"
#include "cli/cli.h"
#include "cli/system.h"

#include <scree/files.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const paper papers[] = {
    {"ab61", "[AB] 6.1: a sphere on a plane rolls, slides and stops: three cases over time", paper_ab61},
    {"ab-fig2", "[AB] fig. 2: how far it goes, over sliding and rolling friction", paper_ab_fig2},
    {"ab62", "[AB] 6.2: piles of 250 spheres over sliding and rolling friction", paper_ab62},
    {"ta61", "[TA] 6.1: a disk rolls to rest, with the Coulomb law and with the convex one", paper_ta61},
    {"ta62", "[TA] 6.2: a linear guideway: what it takes to pull it, over rolling friction", paper_ta62},
    {"ta63", "[TA] 6.3: a heap of gravel over rolling friction, with both laws", paper_ta63},
    {"fn-brick", "[FN] 4.1: a brick on an incline sticks, slides, and swings without damping", paper_fn_brick},
    {"fn-disk", "[FN] 4.2: a disk slides, rolls and rests; the legacy model chatters", paper_fn_disk},
    {"fn-incline", "[FN] 4.3: a sphere goes up an incline and comes back, four phases", paper_fn_incline},
    {"fn-map", "[FN] fig. 10: what it does in the end, over angle and rolling friction", paper_fn_map},
    {"fn-spin", "[FN] 4.4, table 5: spinning spheres, four coefficients; steel and glass", paper_fn_spin},
    {"fn-table7", "[FN] table 7: spinning ellipsoids, stiffness, threshold and torque", paper_fn_table7},
    {"fn-ellipsoid", "[FN] 4.5.1: an ellipsoid falls over", paper_fn_ellipsoid},
    {"fn-stack", "[FN] 4.6: a sphere on two others, critical mass by bisection", paper_fn_stack},
    {"drum", "beads in a rotating drum: the angle of the surface against what was measured", paper_drum},
    {"hopper", "flow out of a hopper: Beverloo's law, the bulk density measured", paper_hopper},
    {0},
};
enum { PATH_LIMIT = 4096, CASES_MAX = 64 };

const suite papers_suite = {"papers", "example", papers, papers_files, "examples/papers", 1};

/* ---- files ----------------------------------------------------------------------------------------------------------------- */

static const embedded_file *find_file(const paper_run *run, const char *name)
{
    const suite *s = run->suite;
    char path[128];
    if (s->has_folders) snprintf(path, sizeof path, "%s/%s/%s", s->root, run->key, name);
    else snprintf(path, sizeof path, "%s/%s", s->root, name);
    for (const embedded_file *f = s->files; f->path; ++f)
        if (strcmp(f->path, path) == 0) return f;
    return NULL;
}

static void fail(paper_run *run, scree_status status)
{
    if (run->status == SCREE_OK) run->status = status;
}

static int file_failed(paper_run *run, const char *path)
{
    scree_error_set(&run->error, path, 0, 0, "cannot write: %s", strerror(errno ? errno : EIO));
    fail(run, SCREE_ERR_WRITE);
    return 0;
}

FILE *paper_open(paper_run *run, const char *name, const char *head)
{
    char path[PATH_LIMIT];
    if (run->status != SCREE_OK || !run->directory) return NULL;
    snprintf(path, sizeof path, "%s/%s/%s", run->directory, run->key, name);
    errno = 0;
    FILE *file = fopen(path, "w");
    if (!file) file_failed(run, path);
    else fputs(head, file);
    return file;
}

void paper_close(paper_run *run, FILE *file, const char *name)
{
    errno = 0;
    if (file && (ferror(file) | fclose(file))) file_failed(run, name);
}

static int make_folder(paper_run *run)
{
    char path[PATH_LIMIT];
    snprintf(path, sizeof path, "%s/%s", run->directory, run->key);
    fail(run, scree_folder_make(path, &run->error));
    return run->status == SCREE_OK;
}

/// Has gnuplot, where there is one, run the script of the folder, from within it and in silence.
static void draw_plots(const char *folder)
{
    const pid_t child = cli_program_exists("gnuplot") ? fork() : -1;
    if (child == 0) {
        const int nowhere = open("/dev/null", O_RDWR);
        if (chdir(folder) == 0 && dup2(nowhere, 1) >= 0 && dup2(nowhere, 2) >= 0)
            execlp("gnuplot", "gnuplot", "plot.gp", (char *)NULL);
        _exit(1);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

/// Beside the CSV files: the scene and the script as they were used, and the plots.
static void finish_folder(paper_run *run)
{
    static const char *const names[] = {"scene.yaml", "flow.yaml", "plot.gp"};
    char path[PATH_LIMIT];
    for (int k = 0; k < 3; ++k) {
        const embedded_file *f = find_file(run, names[k]);
        FILE *out = f ? paper_open(run, names[k], "") : NULL;
        if (out) fwrite(f->text, 1, f->size, out);
        paper_close(run, out, names[k]);
    }
    snprintf(path, sizeof path, "%s/%s", run->directory, run->key);
    if (run->status == SCREE_OK) draw_plots(path);
}

/* ---- scenes ---------------------------------------------------------------------------------------------------------------- */

void paper_set(paper_sets *sets, const char *format, ...)
{
    SCREE_ASSERT(sets->count < PAPER_SETS);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sets->text[sets->count++], PAPER_SET_LENGTH, format, arguments);
    va_end(arguments);
}

/// Reads the example's scene; 0 after a failure.
static int parse_scene(paper_run *run, const paper_sets *sets)
{
    char own[64] = "scene.yaml";
    const char *set[PAPER_SETS + 1];
    char device[64];
    int count = 0;
    if (!run->suite->has_folders) snprintf(own, sizeof own, "%s.yaml", run->key);
    const embedded_file *file = find_file(run, run->file ? run->file : own);
    if (run->status != SCREE_OK) return 0;
    SCREE_ASSERT(file);
    for (int k = 0; sets && k < sets->count; ++k) set[count++] = sets->text[k];
    snprintf(device, sizeof device, "stepper.device=%s", run->device ? run->device : "");
    if (run->device) set[count++] = device;
    run->scene = scree_scene_parse(file->text, file->size, file->path, set, count, NULL, &run->error);
    if (!run->scene) fail(run, run->error.status);
    return run->scene != NULL;
}

scree_simulation *paper_build(paper_run *run, const paper_sets *sets, double *until)
{
    if (!parse_scene(run, sets)) return NULL;
    scree_simulation *simulation = scree_simulation_create(run->scene, 1, NULL, &run->error);
    if (until) *until = scree_scene_plan(run->scene).until;
    if (!simulation) fail(run, run->error.status);
    return simulation;
}

void paper_end(paper_run *run, scree_simulation *simulation)
{
    scree_simulation_destroy(simulation); /* first: it reads the scene to its end */
    scree_scene_destroy(run->scene);
    run->scene = NULL;
}

int paper_step(paper_run *run, scree_simulation *simulation, scree_step_report *report)
{
    return paper_advance(run, simulation, 1, report);
}

int paper_advance(paper_run *run, scree_simulation *simulation, int64_t steps, scree_step_report *report)
{
    if (run->status != SCREE_OK || !simulation) return 0;
    scree_status status = scree_simulation_advance(simulation, steps, report, &run->error);
    if (status != SCREE_OK) fail(run, status);
    return status == SCREE_OK;
}

typedef struct job_list {
    paper_run *own; /* (count) */
    paper_job *job;
    void *context;
    char *results; /* (count x size) where they are kept on disk; else NULL */
    size_t size;
    int count;
    int *is_kept; /* (count) this job was found on disk */
    atomic_int next;
} job_list;

/* A kept result: a line that names the program and the campaign, then the bytes. The path is that of the job. Beside it the folder of a run
 * that is not finished, if the job has one: its name has the program's commit, for another one would go on with other bits. */
enum { HEAD_LIMIT = 160 };

/// Whether what this program computes may be kept: of one that no commit names nothing is, for two such programs may differ.
static int keeps_jobs(const paper_run *run)
{
    const char *commit = cli_commit();
    return run->is_long && run->directory && !strstr(commit, "unknown") && !strstr(commit, "modified");
}

static void job_place(const paper_run *run, const job_list *l, int index, char path[PATH_LIMIT], char head[HEAD_LIMIT])
{
    snprintf(path, PATH_LIMIT, "%s/%s/jobs/%06d", run->directory, run->key, index);
    snprintf(head, HEAD_LIMIT, "scree %s: %s, job %d of %d, %zu bytes\n", cli_commit(), run->key, index, l->count,
             l->size);
}

static void run_place(const paper_run *run, int index, char path[PATH_LIMIT])
{
    snprintf(path, PATH_LIMIT, "%s/%s/jobs/%06d-%s", run->directory, run->key, index, cli_commit());
}

static int take_kept(const paper_run *run, const job_list *l, int index)
{
    char path[PATH_LIMIT], head[HEAD_LIMIT];
    size_t size = 0;
    job_place(run, l, index, path, head);
    char *bytes = scree_file_read(path, l->size + HEAD_LIMIT, NULL, &size, NULL);
    size_t length = strlen(head);
    int same = bytes && size == length + l->size && memcmp(bytes, head, length) == 0;
    if (same) memcpy(l->results + (size_t)index * l->size, bytes + length, l->size);
    free(bytes);
    return same;
}

static void keep(paper_run *run, const job_list *l, int index)
{
    char path[PATH_LIMIT], head[HEAD_LIMIT];
    scree_new_file file;
    job_place(run, l, index, path, head);
    scree_status status = scree_file_begin(path, &file, &run->error);
    if (status == SCREE_OK) {
        fputs(head, file.stream);
        fwrite(l->results + (size_t)index * l->size, 1, l->size, file.stream);
        status = scree_file_end(&file, &run->error);
    }
    fail(run, status);
}

/// A thread takes one job after the other, in their order: an example puts those first that should be, if not all can be, finished.
static void take_jobs(void *list, int begin, int end, int chunk, int worker)
{
    job_list *l = list;
    (void)begin, (void)end, (void)chunk, (void)worker;
    for (int i; (i = atomic_fetch_add(&l->next, 1)) < l->count;) {
        if (l->is_kept[i]) continue;
        l->job(&l->own[i], i, l->context);
        if (!l->results || l->own[i].status != SCREE_OK) continue;
        keep(&l->own[i], l, i);
        char path[PATH_LIMIT];
        run_place(&l->own[i], i, path);
        scree_run_folder_clear(path);
        rmdir(path);
    }
}

static void run_jobs(paper_run *run, job_list *l)
{
    scree_pool *pool = scree_pool_create(run->threads, NULL, NULL);
    l->own = calloc((size_t)l->count, sizeof *l->own), l->is_kept = calloc((size_t)l->count, sizeof *l->is_kept);
    if (run->status != SCREE_OK || !l->own || !l->is_kept || !pool) fail(run, SCREE_ERR_MEMORY);
    else {
        int found = 0;
        for (int i = 0; i < l->count; ++i) {
            l->own[i] = *run;
            if (l->results) found += l->is_kept[i] = take_kept(run, l, i);
        }
        if (found)
            paper_say(run, "%d of %d simulations were run before by this program: %s/%s/jobs", found, l->count,
                      run->directory, run->key);
        scree_pool_run(pool, scree_pool_threads(pool), 1, take_jobs, l);
        for (int i = 0; i < l->count && run->status == SCREE_OK; ++i)
            if (l->own[i].status != SCREE_OK) run->status = l->own[i].status, run->error = l->own[i].error;
    }
    scree_pool_destroy(pool);
    free(l->own), free(l->is_kept);
}

void paper_jobs(paper_run *run, int count, paper_job *job, void *context)
{
    job_list list = {.job = job, .context = context, .count = count};
    run_jobs(run, &list);
}

void paper_campaign(paper_run *run, int count, paper_job *job, void *context, void *results, size_t size)
{
    job_list list = {.job = job, .context = context, .count = count, .size = size};
    if (keeps_jobs(run)) {
        char path[PATH_LIMIT];
        snprintf(path, sizeof path, "%s/%s/jobs", run->directory, run->key);
        fail(run, scree_folder_make(path, &run->error));
        list.results = results;
    }
    run_jobs(run, &list);
}

scree_run *paper_run_begin(paper_run *run, const paper_sets *sets, int index)
{
    scree_run_options options = scree_run_options_default();
    char path[PATH_LIMIT];
    if (!parse_scene(run, sets)) return NULL;
    options.threads = 1, options.every = scree_scene_plan(run->scene).until, options.resume = 1;
    options.checkpoint_seconds = 30.0;
    if (keeps_jobs(run)) run_place(run, index, path), options.directory = path;
    scree_run *r = scree_run_create(run->scene, &options, &run->error);
    if (!r) fail(run, run->error.status);
    scree_run_event event = SCREE_RUN_EVENT_START;
    while (r && run->status == SCREE_OK && event != SCREE_RUN_EVENT_END) {
        const scree_status status = scree_run_next(r, &event, &run->error);
        if (status != SCREE_OK) fail(run, status);
    }
    return r;
}

void paper_run_end(paper_run *run, scree_run *r)
{
    scree_run_destroy(r);
    scree_scene_destroy(run->scene);
    run->scene = NULL;
}

/* ---- rows ------------------------------------------------------------------------------------------------------------------- */

void paper_row_beside(paper_run *run, const char *quantity, const char *unit, paper_source source, double scree,
                      paper_bound bound, const peer_value *others, double seconds)
{
    char name[64];
    finding f = finding_from(source.where, finding_of(source.value, scree, bound.value, bound.why));
    if (run->status != SCREE_OK) return;
    snprintf(name, sizeof name, "%s/%s", run->key, quantity);
    verify_row_beside(run->report, name, unit, &f, others, seconds);
    fflush(stdout);
}

void paper_row(paper_run *run, const char *quantity, const char *unit, paper_source source, double scree,
               paper_bound bound)
{
    paper_row_beside(run, quantity, unit, source, scree, bound, NULL, 0.0);
}

void paper_claim(paper_run *run, const char *quantity, const char *where, int exceptions)
{
    paper_row(run, quantity, "", printed(0.0, where), exceptions, within(0.0, "a claim: no exception"));
}

void paper_note(paper_run *run, const char *quantity, const char *unit, double scree, const char *what)
{
    char name[64];
    if (run->status != SCREE_OK) return;
    snprintf(name, sizeof name, "%s/%s", run->key, quantity);
    verify_information(run->report, name, unit, scree, what);
    fflush(stdout);
}

void paper_say(const paper_run *run, const char *format, ...)
{
    char text[256];
    if (!run->is_long) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s: %s\n", run->key, text); /* in one piece: others may speak at the same time */
}

/* ---- the command ------------------------------------------------------------------------------------------------------------ */

static int is_named(const paper *p, int word_count, char **words)
{
    for (int i = 0; i < word_count; ++i)
        if (strcmp(words[i], p->key) == 0) return 1;
    return word_count == 0;
}

static int check_words(const suite *s, int word_count, char **words)
{
    const char *keys[CASES_MAX];
    char hint[64];
    int count = 0;
    for (const paper *p = s->cases; p->key && count < CASES_MAX; ++p) keys[count++] = p->key;
    for (int i = 0; i < word_count; ++i) {
        int found = 0;
        for (int k = 0; k < count; ++k) found |= strcmp(words[i], keys[k]) == 0;
        if (!found)
            return cli_usage("verify", "unknown %s '%s'%s; --%s --list names them", s->word, words[i],
                             cli_did_you_mean(words[i], keys, count, hint), s->name);
    }
    return CLI_GO_ON;
}

/// Runs one example; returns the exit status that its failure stands for, CLI_DONE without one.
static int run_paper(const paper *p, paper_run *run)
{
    double start = scree_clock_seconds();
    run->key = p->key, run->file = NULL, run->status = SCREE_OK;
    if (!run->directory || make_folder(run)) p->run(run);
    if (run->directory) finish_folder(run);
    paper_say(run, "%.1f s", scree_clock_seconds() - start);
    if (run->status == SCREE_OK) return CLI_DONE;
    int code = run->status == SCREE_ERR_WRITE || run->status == SCREE_ERR_MEMORY ? CLI_MACHINE : CLI_FELL_SHORT;
    char name[64];
    snprintf(name, sizeof name, "%s/ran-to-its-end", run->key);
    finding f = finding_of(1.0, 0.0, 0.0, "an example that breaks off has failed");
    verify_row(run->report, name, "", &f);
    cli_print_error(&run->error, NULL, 0);
    return code;
}

int suite_verify(const suite *s, int word_count, char **words, int list, int how, const paper_run *settings)
{
    int worst = CLI_DONE, code = check_words(s, word_count, words);
    if (code != CLI_GO_ON) return code;
    for (const paper *p = s->cases; list && p->key; ++p)
        if (is_named(p, word_count, words)) printf("%-12s %s\n", p->key, p->title);
    if (list) return CLI_DONE;

    verify_report report = verify_begin(how);
    paper_run run = *settings;
    run.suite = s, run.report = &report;
    for (const paper *p = s->cases; p->key; ++p) {
        if (!is_named(p, word_count, words)) continue;
        code = run_paper(p, &run);
        if (code > worst) worst = code;
    }
    code = verify_end(&report);
    return code > worst ? code : worst;
}
