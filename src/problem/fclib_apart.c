/* fclib_apart.c: a problem file that may be anything, read by HDF5 in a process of its own (raw.h).
 *
 * HDF5 trusts the addresses in a file: a damaged one can crash it, or have it write where it should not. So a child reads the file and sends
 * what it found through a pipe; a child that dies is a damaged file, and nothing else has happened. What arrives is checked again as
 * far as memory safety needs it, since the child may have been damaged before it sent it: sizes and indices here, numbers
 * when the problem is made. Costs a fork and one copy. HDF5 does not survive every lack of memory either: a child that crashes while
 * there is none says that, and where there is not enough to make a child, the file is not read.
 *
 *     status; error | raw_problem: counts; matrices; vectors; solution; guesses; texts          each array as its length and its bytes */
#define _XOPEN_SOURCE 700
#include "base/hdf5_door.h"
#include "base/memory.h"
#include "problem/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- both ways ------------------------------------------------------------------------------------------------------------ */

typedef struct wire {
    FILE *stream;
    int sends, broken, no_memory;
    const scree_allocator *allocator; /* of what is received */
} wire;

static void carry(wire *w, void *bytes, size_t size)
{
    if (w->broken || size == 0) return;
    const size_t done = w->sends ? fwrite(bytes, 1, size, w->stream) : fread(bytes, 1, size, w->stream);
    if (done != size) w->broken = 1;
}

static void carry_int(wire *w, int *value, int low, int high)
{
    carry(w, value, sizeof *value);
    if (!w->sends && (*value < low || *value > high)) w->broken = 1;
    if (!w->sends && w->broken) *value = low;
}

/// An array of `count` elements, or none. Received ones are new.
static void *carry_array(wire *w, void *array, size_t count, size_t size)
{
    int there = array != NULL;
    carry_int(w, &there, 0, 1);
    if (w->broken || !there) return w->sends ? array : NULL;
    if (!w->sends) array = memory_array(w->allocator, count + 1, size);
    if (!array) w->broken = w->no_memory = 1;
    else carry(w, array, count * size);
    return array;
}

/// 1: `end` (count) ascends to `last`.
static int ends_sound(const int *end, int count, int last)
{
    int before = 0;
    for (int k = 0; k < count; before = end[k++])
        if (end[k] < before || end[k] > last) return 0;
    return count == 0 || end[count - 1] == last;
}

static int matrix_sound(const raw_matrix *A)
{
    if (A->start[0] != 0) return 0;
    for (int i = 0; i < A->rows; ++i) {
        if (A->start[i + 1] < A->start[i]) return 0;
        for (int e = A->start[i]; e < A->start[i + 1]; ++e)
            if (A->column[e] < 0 || A->column[e] >= A->cols) return 0;
    }
    return (!A->row_end || ends_sound(A->row_end, A->row_blocks, A->rows)) &&
           (!A->col_end || ends_sound(A->col_end, A->col_blocks, A->cols));
}

static void carry_matrix(wire *w, raw_matrix *A)
{
    int storage = (int)A->storage, there = A->start != NULL, entries = there ? A->start[A->rows] : 0;
    carry_int(w, &A->rows, 0, INT_MAX - 1), carry_int(w, &A->cols, 0, INT_MAX - 1);
    carry_int(w, &storage, RAW_DENSE, RAW_HALF_TRIPLET), carry_int(w, &there, 0, 1);
    carry_int(w, &entries, 0, INT_MAX - 1);
    carry_int(w, &A->row_blocks, 0, INT_MAX - 1), carry_int(w, &A->col_blocks, 0, INT_MAX - 1);
    A->storage = (raw_storage)storage;
    if (!there) return;
    A->start = carry_array(w, A->start, (size_t)A->rows + 1, sizeof *A->start);
    A->column = carry_array(w, A->column, (size_t)entries, sizeof *A->column);
    A->value = carry_array(w, A->value, (size_t)entries, sizeof *A->value);
    A->row_end = carry_array(w, A->row_end, (size_t)A->row_blocks, sizeof *A->row_end);
    A->col_end = carry_array(w, A->col_end, (size_t)A->col_blocks, sizeof *A->col_end);
    if (w->sends || w->broken) return;
    if (!A->start || !A->column || !A->value || A->start[A->rows] != entries || !matrix_sound(A)) w->broken = 1;
}

static void carry_solution(wire *w, const raw_problem *raw, raw_solution *solution)
{
    for (int k = 0; k < RAW_SOLUTION_PARTS; ++k)
        solution->part[k] =
            carry_array(w, solution->part[k], (size_t)raw_solution_size(raw, k), sizeof *solution->part[k]);
}

static void carry_text(wire *w, char **text)
{
    int length = *text ? (int)strlen(*text) : 0;
    carry_int(w, &length, 0, 1 << 20);
    *text = carry_array(w, *text, (size_t)length, 1); /* a received one has one byte more, 0 */
}

static void carry_problem(wire *w, raw_problem *raw)
{
    int kind = (int)raw->kind;
    carry_int(w, &kind, RAW_LOCAL, RAW_GLOBAL);
    raw->kind = (raw_kind)kind;
    carry_int(w, &raw->dim, 2, SCREE_DIM_MAX);
    carry_int(w, &raw->contact_count, 0, INT_MAX / SCREE_DIM_MAX), carry_int(w, &raw->dof_count, 0, INT_MAX - 1);
    carry_int(w, &raw->equality_count, 0, INT_MAX - 1);
    for (int k = 0; k < RAW_MATRICES; ++k) {
        int rows = 0, cols = 0;
        carry_matrix(w, &raw->matrix[k]);
        if (w->sends || w->broken || !raw->matrix[k].start) continue;
        raw_matrix_shape(raw, k, &rows, &cols);
        if (raw->matrix[k].rows != rows || raw->matrix[k].cols != cols) w->broken = 1;
    }
    for (int k = 0; k < RAW_VECTORS; ++k)
        raw->vector[k] = carry_array(w, raw->vector[k], (size_t)raw_vector_size(raw, k), sizeof *raw->vector[k]);
    carry_solution(w, raw, &raw->solution);
    int guesses = raw->guess_count;
    carry_int(w, &guesses, 0, 1 << 20);
    if (!w->sends && guesses > 0) {
        raw->guess = memory_array(w->allocator, (size_t)guesses, sizeof *raw->guess);
        if (!raw->guess) w->broken = w->no_memory = 1, guesses = 0;
    }
    raw->guess_count = guesses;
    for (int k = 0; k < guesses; ++k) carry_solution(w, raw, &raw->guess[k]);
    for (int k = 0; k < RAW_INFOS; ++k) carry_text(w, &raw->info[k]);
}

/* ---- the child -------------------------------------------------------------------------------------------------------------- */

enum { NO_MEMORY = 4, PROBE = 1 << 16 }; /* exit status of a child; bytes that HDF5 needs more than once */

/// What has failed for want of memory fails in many ways; so in the end the child asks whether there is any.
static void end_without_memory(void)
{
    void *room = malloc(PROBE);
    if (!room) _exit(NO_MEMORY);
    free(room);
}

/// A crash of the child: of a damaged file, or for want of memory? The allocator may be what crashed: then the alarm, or a second signal,
/// ends the child as the first would have.
static void crashed(int number)
{
    alarm(2);
    end_without_memory();
    raise(number); /* its handler is gone: SA_RESETHAND */
}

static void catch_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE};
    struct sigaction action = {.sa_handler = crashed};
    action.sa_flags = (int)(SA_RESETHAND | SA_NODEFER);
    sigemptyset(&action.sa_mask);
    for (size_t k = 0; k < sizeof signals / sizeof *signals; ++k) sigaction(signals[k], &action, NULL);
}

/// Reads, sends, ends. What HDF5 or the C library have to say about a crash is not for the user.
static void read_and_send(int pipe_end, const char *file, const void *image, size_t image_size, scree_file_kind kind,
                          const scree_allocator *allocator)
{
    enum { SECONDS = 600 }; /* of processor time: a damaged file may also lead in a circle */
    raw_problem *raw = NULL;
    scree_error error = {0};
    const int quiet = open("/dev/null", O_WRONLY);
    if (quiet >= 0) dup2(quiet, STDERR_FILENO);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_CPU, &(struct rlimit){SECONDS, SECONDS});
    catch_crashes();
    wire w = {.stream = fdopen(pipe_end, "wb"), .sends = 1};
    int status = (int)raw_read_fclib(file, image, image_size, kind, allocator, &raw, &error);
    if (!w.stream) _exit(NO_MEMORY);
    if (status != SCREE_OK) end_without_memory();
    carry(&w, &status, sizeof status);
    carry(&w, &error, sizeof error);
    if (status == SCREE_OK) carry_problem(&w, raw);
    _exit(fflush(w.stream) == 0 && !w.broken ? 0 : 1);
}

/* ---- the parent ------------------------------------------------------------------------------------------------------------- */

static scree_status receive(int pipe_end, const char *file, const scree_allocator *a, raw_problem **raw, int *whole,
                            scree_error *error)
{
    wire w = {.stream = fdopen(pipe_end, "rb"), .allocator = a};
    scree_error sent;
    int status = SCREE_ERR_MEMORY;
    *whole = 0;
    if (!w.stream) {
        close(pipe_end);
        *whole = 1;
        return raw_out_of_memory(file, error);
    }
    carry_int(&w, &status, SCREE_OK, SCREE_STATUS_COUNT - 1);
    carry(&w, &sent, sizeof sent);
    if (!w.broken && status == SCREE_OK) {
        *raw = raw_create(a);
        if (*raw) carry_problem(&w, *raw);
        else w.broken = w.no_memory = 1;
    } else if (!w.broken && error) {
        sent.text[sizeof sent.text - 1] = sent.file[sizeof sent.file - 1] = '\0';
        scree_error_set(error, sent.file, sent.line, sent.column, "%s", sent.text);
    }
    *whole = !w.broken || w.no_memory;
    if (w.broken) raw_destroy(*raw), *raw = NULL;
    if (w.no_memory) status = raw_out_of_memory(file, error);
    fclose(w.stream);
    return (scree_status)status;
}

static scree_status no_child(const char *file, scree_error *error)
{
    scree_error_set(error, file, 0, 0, "cannot make the process that reads it: %s", strerror(errno));
    return SCREE_ERR_READ;
}

scree_status raw_read_fclib_apart(const char *file, const void *image, size_t image_size, scree_file_kind kind,
                                  const scree_allocator *allocator, raw_problem **raw, scree_error *error)
{
    const scree_allocator a = memory_allocator(allocator);
    int ends[2], whole, ended = 0;
    *raw = NULL;
    if (pipe(ends) != 0) return no_child(file, error);
    const pid_t child = (pid_t)hdf5_fork();
    if (child == 0) {
        close(ends[0]);
        read_and_send(ends[1], file, image, image_size, kind, &a);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return no_child(file, error);
    }
    scree_status status = receive(ends[0], file, &a, raw, &whole, error);
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR) continue;
    if (whole) return status;
    if (WIFEXITED(ended) && WEXITSTATUS(ended) > 1)
        return raw_out_of_memory(file, error); /* HDF5 itself ends with 255 then */
    scree_error_set(error, file, 0, 0, "the file is damaged: HDF5 failed while reading it (%s %d)",
                    WIFSIGNALED(ended) ? "signal" : "status",
                    WIFSIGNALED(ended) ? WTERMSIG(ended) : WEXITSTATUS(ended));
    return SCREE_ERR_INPUT;
}
