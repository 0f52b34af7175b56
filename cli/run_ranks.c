/* run_ranks.c: see run_ranks.h.
 *
 *     DIR/lammps/in.lammps, spheres.data      what scree export writes
 *     DIR/lammps/log.lammps, mpirun.txt       what LAMMPS and mpirun say
 *     DIR/lammps/dump.lammpstrj               the frames, from which DIR/frames.scree, series.csv, summary.json are made
 *
 * scree-lmp is the one beside this program, or the one in PATH. A signal goes on to mpirun; the frames that are there become those of the run. */
#include "cli/run_ranks.h"
#include "cli/cli.h"
#include "cli/export.h"
#include "cli/import/import.h"
#include "cli/run_folder.h"
#include "cli/system.h"

#include <scree/files.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char PROGRAM[] = "scree-lmp";

/// Beside this program, or by its name alone: in PATH. 0: neither.
static int find_program(char path[RUN_PATH_MAX])
{
    char own[RUN_PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    if (n > 0) {
        own[n] = '\0';
        char *slash = strrchr(own, '/');
        if (slash) *slash = '\0';
        run_folder_path(own, PROGRAM, path);
        if (access(path, X_OK) == 0) return 1;
    }
    snprintf(path, RUN_PATH_MAX, "%s", PROGRAM);
    return cli_program_exists(PROGRAM);
}

static int missing(const char *what, const char *how)
{
    fprintf(stderr, "scree run: error: --ranks needs %s, which is not there: %s\n", what, how);
    return CLI_MACHINE;
}

/// The program of the child: mpirun in the folder of LAMMPS. It returns only if it cannot be started.
static void begin(const char *folder, const char *program, int ranks)
{
    char number[16], name[] = "mpirun", np[] = "-np", in[] = "-in", script[] = "in.lammps", screen[] = "-screen",
                     none[] = "none";
    char *path = cli_copy(program);
    snprintf(number, sizeof number, "%d", ranks);
    char *const words[] = {name, np, number, path, in, script, screen, none, NULL};
    if (chdir(folder) != 0) return;
    const int nothing = open("/dev/null", O_RDONLY), said = open("mpirun.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (nothing < 0 || said < 0 || dup2(nothing, 0) < 0 || dup2(said, 1) < 0 || dup2(said, 2) < 0) return;
    execvp(name, words);
}

/// What stands in folder/name from `from` on, at most some lines of it. 0: it is not there.
static int print_from(const char *folder, const char *name, const char *from)
{
    char *text;
    size_t size;
    if (run_folder_read(folder, name, 1 << 24, &text, &size, NULL) != SCREE_OK) return 0;
    char *at = strstr(text, from);
    if (at) fprintf(stderr, "%.1500s%s", at, strchr(at, '\n') ? "" : "\n");
    free(text);
    return at != NULL;
}

/// How the child ended: the exit status of waitpid.
static int wait_for(pid_t child)
{
    int status = 0, told = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        if (cli_signal() && !told) kill(child, SIGTERM), told = 1;
    }
    return status;
}

static int simulate(const ranks_order *o, const char *folder, const char *program)
{
    static const char *const old[] = {"log.lammps", "dump.lammpstrj", "walls.txt", "walls.again.txt"};
    char path[RUN_PATH_MAX];
    for (size_t k = 0; k < sizeof old / sizeof *old; ++k) remove(run_folder_path(folder, old[k], path));
    cli_catch_signals(1);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        begin(folder, program, o->ranks);
        _exit(127);
    }
    if (child < 0) {
        fprintf(stderr, "scree run: error: mpirun cannot be started: %s\n", strerror(errno));
        return CLI_MACHINE;
    }
    const int status = wait_for(child);
    if (cli_signal()) return 128 + cli_signal();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return CLI_DONE;
    fprintf(stderr, "%s: error: LAMMPS ended early; %s/log.lammps and mpirun.txt have what it said:\n", o->name,
            folder);
    if (!print_from(folder, "log.lammps", "ERROR")) (void)print_from(folder, "mpirun.txt", "");
    return CLI_FELL_SHORT;
}

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// The frames that there are. `code`: how the simulation ended; without a frame that is what counts.
static int take_frames(const ranks_order *o, const char *folder, double seconds, int code)
{
    char dump[RUN_PATH_MAX];
    struct stat is;
    const import_order order = {.dump = run_folder_path(folder, "dump.lammpstrj", dump),
                                .folder = o->folder,
                                .scene = o->scene,
                                .seconds = seconds,
                                .claimed = 1,
                                .ranks = o->ranks};
    import_done done = {.frames = 0};
    if (code != CLI_DONE && (stat(dump, &is) != 0 || is.st_size == 0)) return code;
    const int taken = import_frames(&order, &done);
    if (taken != CLI_DONE) /* numbers that are none, in what LAMMPS has written: a body ran away */
        return taken == CLI_BAD_INPUT ? CLI_FELL_SHORT : taken;
    if (!o->quiet)
        printf("%s: %d frames, t = %g to %g s, %d spheres, %d ranks, %.1f s\n", o->folder, done.frames, done.first,
               done.last, done.spheres, o->ranks, seconds);
    if (code != CLI_DONE)
        fprintf(stderr,
                "What was reached, t = %g s, is kept. To continue: cd %s && mpirun -np %d scree-lmp -in in.again -var "
                "from spheres.restart.1 (or .2), then scree import\n",
                done.last, folder, o->ranks);
    return code;
}

int run_on_ranks(const ranks_order *o)
{
    char folder[RUN_PATH_MAX], program[RUN_PATH_MAX];
    if (!find_program(program)) return missing(PROGRAM, "configure scree with -DSCREE_LAMMPS=ON (docs/cluster.md)");
    if (!cli_program_exists("mpirun")) return missing("mpirun", "on Debian: apt-get install openmpi-bin");
    scree_error error = {0};
    scree_folder_claim *claim = scree_folder_claim_take(o->folder, "a run", 0.0, NULL, &error);
    if (!claim) {
        cli_print_file_error(&error);
        return cli_exit_of(error.status);
    }
    int code = export_lammps(o->scene, o->name, run_folder_path(o->folder, "lammps", folder), o->until, o->every, NULL);
    if (code == CLI_DONE) {
        const double begun = clock_now();
        code = simulate(o, folder, program);
        code = take_frames(o, folder, clock_now() - begun, code);
    }
    scree_folder_claim_release(claim);
    if (code != CLI_DONE) (void)rmdir(o->folder); /* stays if something is in it */
    return code;
}
