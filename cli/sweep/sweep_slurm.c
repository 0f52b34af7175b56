/* sweep_slurm.c: a sweep as an array job of Slurm.
 *
 *     DIR/slurm/cases.txt     a line for each task of the array: the cases it runs, as K or K:L, those only that have no good row
 *     DIR/slurm/job.sh        the job: each task runs `scree sweep --case` for its line
 *     DIR/slurm/JOB_TASK.log  what a task prints
 *
 * A cluster limits the size of arrays (MaxArraySize, 1001 unless it is set): tasks get chunks of cases. Slurm sends USR1 before the time is
 * over: the case at work stops (with --keep full at a checkpoint), and the task puts itself back into the queue, and continues when it runs again. */
#include "cli/sweep/sweep.h"

#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TASKS_MAX = 1000, WARNING_SECONDS = 120 };

/// Between single quotes a shell reads everything as it stands, but for the quote itself.
void sweep_put_shell_word(const char *text, FILE *out)
{
    fputc('\'', out);
    for (; *text; ++text) {
        if (*text == '\'') fputs("'\\''", out);
        else fputc(*text, out);
    }
    fputc('\'', out);
}

int sweep_forget_failed(sweep *s)
{
    int count = 0;
    for (int k = 0; k < s->count; ++k) {
        if (!s->row[k] || sweep_row_done(s, k)) continue;
        free(s->row[k]);
        s->row[k] = NULL, count += 1;
    }
    return count;
}

/// Lines of so many open cases each, neighbours as K:L. Returns how many lines.
static int write_cases(const sweep *s, int chunk, FILE *out)
{
    int lines = 0, held = 0;
    for (int k = 0; k < s->count;) {
        if (s->row[k]) {
            ++k;
            continue;
        }
        int end = k;
        while (end < s->count && !s->row[end] && held + end - k < chunk) ++end;
        if (held == 0) lines += 1;
        else fputc(' ', out);
        fprintf(out, "%d", k);
        if (end - k > 1) fprintf(out, ":%d", end - 1);
        held += end - k, k = end;
        if (held == chunk) fputc('\n', out), held = 0;
    }
    if (held > 0) fputc('\n', out);
    return lines;
}

static void write_job(const sweep_slurm *how, const char *folder, int tasks, FILE *out)
{
    fprintf(out, "#!/bin/bash\n#SBATCH --job-name=scree\n#SBATCH --array=0-%d", tasks - 1);
    if (how->limit > 0) fprintf(out, "%%%d", how->limit);
    fprintf(out,
            "\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=%d\n#SBATCH --requeue\n#SBATCH --open-mode=append\n"
            "#SBATCH --signal=USR1@%d\n#SBATCH --output=%s/slurm/%%A_%%a.log\n",
            how->threads > 0 ? how->threads : 1, WARNING_SECONDS, folder);
    for (int k = 0; k < how->option_count; ++k) fprintf(out, "#SBATCH %s\n", how->option[k]);
    fputs("# Written by scree sweep --slurm. Threads follow --cpus-per-task; what is finished is not run again.\n"
          "folder=",
          out);
    sweep_put_shell_word(folder, out);
    fputs("\nfailed=0\nfor cases in $(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" \"$folder/slurm/cases.txt\"); do\n"
          "    srun ",
          out);
    sweep_put_shell_word(how->program, out);
    fprintf(out,
            " sweep --quiet%s --threads \"${SLURM_CPUS_PER_TASK:-1}\" --case \"$cases\" -o \"$folder\"\n"
            "    status=$?\n"
            "    case $status in\n"
            "    0) ;;\n"
            "    138 | 143) # stopped by USR1 or TERM: requeued, the task continues at its checkpoint\n"
            "        scontrol requeue \"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\"\n"
            "        exit $status ;;\n"
            "    *) failed=$status ;;\n"
            "    esac\n"
            "done\n"
            "exit $failed\n",
            how->retry ? " --retry" : "");
}

static scree_status replace(const char *path, char *text, size_t size, scree_error *error)
{
    const scree_status status = scree_file_replace(path, text, size, error);
    free(text);
    return status;
}

scree_status sweep_slurm_write(const sweep *s, const sweep_slurm *how, char *job, int *tasks, scree_error *error)
{
    char folder[RUN_PATH_MAX], path[RUN_PATH_MAX], *text;
    size_t size;
    int open = 0, chunk = how->chunk;
    for (int k = 0; k < s->count; ++k) open += s->row[k] == NULL;
    if (chunk == 0) chunk = (open + TASKS_MAX - 1) / TASKS_MAX;
    *tasks = 0;
    if (open == 0) return SCREE_OK;
    if (!realpath(s->folder, folder)) {
        scree_error_set(error, s->folder, 0, 0, "%s", strerror(errno));
        return SCREE_ERR_WRITE;
    }
    scree_status status = scree_folder_make(run_folder_path(folder, "slurm", path), error);
    if (status != SCREE_OK) return status;
    FILE *out = cli_text_open(&text, &size);
    *tasks = write_cases(s, chunk, out);
    cli_text_close(out, &text);
    status = replace(run_folder_path(folder, "slurm/cases.txt", path), text, size, error);
    if (status != SCREE_OK) return status;
    out = cli_text_open(&text, &size);
    write_job(how, folder, *tasks, out);
    cli_text_close(out, &text);
    return replace(run_folder_path(folder, "slurm/job.sh", job), text, size, error);
}
