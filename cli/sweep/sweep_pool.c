/* sweep_pool.c: the cases of a sweep in worker processes (sweep.h).
 *
 * The parent hands out one case at a time over a pipe and gets a row back; a worker lives for many cases, so a tiny scene costs its
 * own steps and little more. Rows go to rows/sweep.csv at once, one write each. A worker that dies takes one case with it, which is
 * recorded as crashed, and is replaced; one that was killed (SIGKILL: the kernel does that when memory runs out) did not crash: its case is
 * run again, and after TRIES has no row, so that --resume tries once more. Workers end when their parent does: they look at its number,
 * and their pipe closes. The claim of the folder is theirs too: who comes later waits a while for all of them, since workers of a killed
 * parent may still be in their last step. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/sweep/sweep.h"
#include "cli/system.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { JOBS_MAX = 1024, IDLE = -1, TRIES = 3 };
static const double BAR_SECONDS = 0.2, LINE_SECONDS = 10.0;

typedef struct worker {
    pid_t pid; /* 0: none */
    int to, from;
    int number; /* the case it works on; IDLE */
} worker;

typedef struct pool {
    sweep *s;
    int jobs, quiet, next;   /* next: cases below have a row, a worker, or are in `again` */
    int journal;             /* file descriptor */
    int again_count, *again; /* (jobs) cases whose worker was killed, to be run once more */
    unsigned char *killed;   /* (count) how often a case's worker was killed              */
    int before, done;        /* rows at the start, and now */
    int terminal, shown, told;
    double begin, line;
    worker *workers;
    scree_error *error;
} pool;

/// What a worker sends before the bytes of a row or a message.
typedef struct answer {
    int number, code;
    size_t size;
} answer;

/* ---- signals ---------------------------------------------------------------------------------------------------------------- */

static pid_t parent; /* of a worker; 0 in the parent itself */

void sweep_catch_signals(void)
{
    cli_catch_signals(1);
    signal(SIGPIPE, SIG_IGN); /* a worker that is gone is seen by its pipe */
}

static int worker_goes_on(void *context)
{
    (void)context;
    return !cli_signal() && getppid() == parent;
}

/* ---- pipes ------------------------------------------------------------------------------------------------------------------- */

/// 1 if all bytes were read or written; 0: the other end is gone.
static int read_all(int fd, void *bytes, size_t size)
{
    char *at = bytes;
    while (size > 0) {
        ssize_t n = read(fd, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        at += n, size -= (size_t)n;
    }
    return 1;
}

static int write_all(int fd, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        at += n, size -= (size_t)n;
    }
    return 1;
}

/* ---- workers ------------------------------------------------------------------------------------------------------------------- */

static void work(const pool *p, int to, int from)
{
    for (int number; !cli_signal() && read_all(to, &number, sizeof number);) {
        char *row = NULL, message[1200];
        scree_error error = {.text = ""};
        answer a = {.number = number};
        a.code = sweep_case(p->s, number, 0, worker_goes_on, &row, &error);
        const char *text = row ? row : scree_error_format(&error, message, sizeof message);
        a.size = strlen(text);
        int sent = write_all(from, &a, sizeof a) && write_all(from, text, a.size);
        free(row);
        if (!sent || a.code != CLI_DONE) break;
    }
}

static int start_worker(pool *p, int w)
{
    int task[2], result[2];
    pid_t self = getpid();
    if (pipe(task) != 0) return 0;
    if (pipe(result) != 0) {
        close(task[0]), close(task[1]);
        return 0;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        parent = self;
        close(task[1]), close(result[0]);
        for (int k = 0; k < p->jobs; ++k)
            if (p->workers[k].pid > 0) close(p->workers[k].to), close(p->workers[k].from);
        signal(SIGINT, SIG_IGN); /* Ctrl-C reaches the whole group; the parent passes it on as SIGTERM */
        work(p, task[0], result[1]);
        _exit(0);
    }
    close(task[0]), close(result[1]);
    if (pid < 0) {
        close(task[1]), close(result[0]);
        return 0;
    }
    p->workers[w] = (worker){pid, task[1], result[0], IDLE};
    return 1;
}

/// Takes leave of a worker; returns how it ended, as waitpid says.
static int end_worker(worker *w)
{
    int status = 0;
    close(w->to);
    close(w->from);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR) continue;
    *w = (worker){.number = IDLE};
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------------------------------------------ */

static int machine_failure(pool *p, const char *what)
{
    scree_error_set(p->error, p->s->folder, 0, 0, "%s: %s", what, strerror(errno));
    return CLI_MACHINE;
}

/// The journal, with the half line that a killed program may have left cut off.
static int open_journal(pool *p)
{
    char path[RUN_PATH_MAX], bytes[4096];
    p->journal = open(run_folder_path(p->s->folder, "rows/sweep.csv", path), O_RDWR | O_CREAT | O_APPEND, 0666);
    if (p->journal < 0) return 0;
    off_t whole = 0, at = 0;
    for (ssize_t n; (n = read(p->journal, bytes, sizeof bytes)) > 0; at += n)
        for (ssize_t k = 0; k < n; ++k)
            if (bytes[k] == '\n') whole = at + k + 1;
    return whole == at || ftruncate(p->journal, whole) == 0;
}

static int record(pool *p, int number, char *row)
{
    size_t size = strlen(row) + 1; /* with the line's end instead of the terminator */
    char *line = cli_memory(size + 1);
    snprintf(line, size + 1, "%s\n", row);
    p->s->row[number] = row;
    p->done += 1;
    int written = write_all(p->journal, line, size);
    free(line);
    return written ? CLI_GO_ON : machine_failure(p, "cannot write rows/sweep.csv");
}

/// A signal is the case's own end, but for SIGKILL; a worker that ends by itself has said what it lacks, and the case is to be run again.
static int record_crash(pool *p, int number, int status)
{
    char message[96];
    if (!WIFSIGNALED(status)) {
        scree_error_set(p->error, NULL, 0, 0, "case %d: its process could not continue", number);
        return CLI_MACHINE;
    }
    if (WTERMSIG(status) == SIGKILL) {
        if (++p->killed[number] < TRIES) p->again[p->again_count++] = number;
        else
            fprintf(stderr,
                    "case %d: its process was killed %d times (signal 9: is memory short?); --resume tries it again\n",
                    number, TRIES);
        return CLI_GO_ON;
    }
    snprintf(message, sizeof message, "the process was ended by signal %d", WTERMSIG(status));
    const sweep_end end = {.outcome = "crashed", .message = message};
    return record(p, number, sweep_make_row(p->s, number, &end));
}

/// An answer of a worker, or its death. CLI_GO_ON, or how the sweep ends.
static int listen_to(pool *p, worker *w)
{
    answer a;
    int number = w->number;
    char *text = NULL;
    int whole = read_all(w->from, &a, sizeof a);
    if (whole) {
        text = cli_memory(a.size + 1);
        whole = read_all(w->from, text, a.size);
    }
    if (whole && a.code == CLI_DONE) {
        w->number = IDLE;
        return record(p, a.number, text);
    }
    int status = end_worker(w);
    int code = CLI_GO_ON;
    if (whole && a.code == CLI_MACHINE) {
        scree_error_set(p->error, NULL, 0, 0, "case %d: %s", a.number, text);
        code = CLI_MACHINE;
    } else if (!whole && number != IDLE && !cli_signal()) code = record_crash(p, number, status);
    else if (whole && !cli_signal()) cli_set_signal(SIGTERM); /* someone has stopped the worker, not us */
    free(text);
    return code;
}

/* ---- progress ---------------------------------------------------------------------------------------------------------------------- */

static void show(pool *p)
{
    double now = scree_clock_seconds();
    if (p->quiet || now < p->line) return;
    p->line = now + (p->terminal ? BAR_SECONDS : LINE_SECONDS);
    char left[32] = "?";
    int here = p->done - p->before;
    double spent = now - p->begin;
    if (here > 0) progress_duration(spent * (p->s->count - p->done) / here, left, sizeof left);
    fprintf(stderr, "%scase %d of %d, %.3g a second, left %s%s", p->terminal ? "\r" : "", p->done, p->s->count,
            spent > 0.0 ? here / spent : 0.0, left, p->terminal ? "\033[K" : "\n");
    fflush(stderr);
    p->shown = p->terminal;
}

/* ---- the loop ------------------------------------------------------------------------------------------------------------------------ */

/// Starts workers where there are none, and gives each idle one a case. CLI_GO_ON or CLI_MACHINE.
static int hand_out(pool *p)
{
    for (int w = 0; w < p->jobs; ++w) {
        worker *it = &p->workers[w];
        while (p->next < p->s->count && p->s->row[p->next]) ++p->next;
        if (it->number != IDLE || (p->next == p->s->count && p->again_count == 0)) continue;
        if (it->pid == 0 && !start_worker(p, w)) return machine_failure(p, "cannot start a process");
        it->number = p->again_count > 0 ? p->again[--p->again_count] : p->next++;
        if (!write_all(it->to, &it->number,
                       sizeof it->number)) { /* it died between two cases: another one takes the case */
            p->again[p->again_count++] = it->number;
            it->number = IDLE;
            end_worker(it);
        }
    }
    return CLI_GO_ON;
}

static int wait_for_answers(pool *p)
{
    static struct pollfd ready[JOBS_MAX];
    static int owner[JOBS_MAX];
    nfds_t count = 0;
    int code = CLI_GO_ON;
    for (int w = 0; w < p->jobs; ++w)
        if (p->workers[w].number != IDLE) {
            owner[count] = w;
            ready[count++] = (struct pollfd){.fd = p->workers[w].from, .events = POLLIN};
        }
    if (count == 0) return CLI_DONE;
    if (poll(ready, count, 200) < 0) return CLI_GO_ON; /* a signal, or no kernel memory for a moment */
    for (nfds_t k = 0; k < count && code == CLI_GO_ON; ++k)
        if (ready[k].revents) code = listen_to(p, &p->workers[owner[k]]);
    return code;
}

static void stop_workers(pool *p, int by)
{
    for (int w = 0; w < p->jobs; ++w)
        if (p->workers[w].pid > 0) kill(p->workers[w].pid, by);
}

static int run_all(pool *p)
{
    int code = CLI_GO_ON;
    while (code == CLI_GO_ON) {
        if (cli_signal() && !p->told) {
            stop_workers(p, SIGTERM);
            p->told = 1;
        }
        if (!cli_signal()) code = hand_out(p);
        if (code == CLI_GO_ON) code = wait_for_answers(p);
        show(p);
    }
    if (code != CLI_DONE && !p->told) stop_workers(p, SIGTERM);
    for (int w = 0; w < p->jobs; ++w)
        if (p->workers[w].pid > 0) end_worker(&p->workers[w]);
    if (p->shown) fprintf(stderr, "\r\033[K");
    return code == CLI_DONE && cli_signal() && p->done < p->s->count ? 128 + (int)cli_signal() : code;
}

int sweep_pool(sweep *s, int jobs, int quiet, scree_error *error)
{
    pool p = {.s = s, .jobs = jobs < JOBS_MAX ? jobs : JOBS_MAX, .quiet = quiet, .journal = -1};
    p.error = error;
    p.workers = cli_memory((size_t)p.jobs * sizeof *p.workers);
    for (int w = 0; w < p.jobs; ++w) p.workers[w].number = IDLE;
    p.again = cli_memory((size_t)p.jobs * sizeof *p.again);
    p.killed = cli_memory((size_t)s->count);
    int code = CLI_GO_ON;
    if (!open_journal(&p)) code = machine_failure(&p, "cannot open rows/sweep.csv");
    if (code == CLI_GO_ON) {
        p.before = p.done = sweep_folder_rows(s);
        p.terminal = isatty(STDERR_FILENO);
        p.begin = scree_clock_seconds();
        p.line = p.begin + (p.terminal ? 2.0 * BAR_SECONDS : LINE_SECONDS);
        code = run_all(&p);
    }
    if (p.journal >= 0) close(p.journal);
    free(p.workers), free(p.again), free(p.killed);
    return code;
}
