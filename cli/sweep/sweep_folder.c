/* sweep_folder.c: the folder of a sweep (sweep.h).
 *
 * Files that replace another are written beside it and renamed. rows/sweep.csv grows line by line; a program that is killed
 * leaves at most one half line at its end, which the next one cuts off. A row counts if its line is whole and begins with the number
 * and the inputs of a case of this sweep. */
#include "cli/sweep/sweep.h"

#include "cli/cli.h"

#include <scree/files.h>
#include <scree/run.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEFINITION_MAX = 1 << 20, SCENE_MAX = 1 << 24, ROWS_MAX = 1 << 30 };
static const char first_line[] = "scree sweep 2";

void sweep_case_folder(const sweep *s, int number, char path[RUN_PATH_MAX])
{
    char name[32];
    snprintf(name, sizeof name, "case_%06d", number);
    run_folder_path(s->folder, name, path);
}

/* ---- what is swept --------------------------------------------------------------------------------------------------------- */

/// FNV-1a of the text: whether scene.yaml is still the one that was planned.
static unsigned long long scene_checksum(const char *text)
{
    unsigned long long sum = 0xcbf29ce484222325ULL;
    for (; *text; ++text) sum = (sum ^ (unsigned char)*text) * 0x100000001b3ULL;
    return sum;
}

static char *definition(const sweep *s, size_t *size)
{
    char *text = NULL;
    FILE *out = cli_text_open(&text, size);
    fprintf(out, "%s\nkeep %s\norder %s\n", first_line, s->full ? "full" : "row", s->zip ? "zip" : "product");
    for (int v = 0; v < s->vary_count; ++v) fprintf(out, "vary %s\n", s->vary[v].argument);
    for (int k = 0; k < s->result_count; ++k) fprintf(out, "result %s\n", s->result[k]);
    fprintf(out, "scene %016llx\n", scene_checksum(s->scene));
    cli_text_close(out, &text);
    return text;
}

/// The first line of `text` that differs from `other`, for a message.
static void differing_line(const char *text, const char *other, char *line, size_t size)
{
    size_t start = 0, k = 0;
    for (; text[k] && text[k] == other[k]; ++k)
        if (text[k] == '\n') start = k + 1;
    int length = (int)strcspn(text + start, "\n");
    snprintf(line, size, "%.*s", length < 200 ? length : 200, text + start);
}

static scree_status compare(const sweep *s, const char *wanted, scree_error *error)
{
    char *stored = NULL, *scene = NULL, line[256], old[256];
    scree_status status = run_folder_read(s->folder, "sweep.txt", DEFINITION_MAX, &stored, NULL, error);
    if (status == SCREE_OK) status = run_folder_read(s->folder, "scene.yaml", SCENE_MAX, &scene, NULL, error);
    /* the last line is the scene's checksum: where nothing else differs, the scene says more */
    const size_t checksum = strlen("scene 0123456789abcdef\n");
    if (status == SCREE_OK && strncmp(stored, wanted, strlen(wanted) - checksum) != 0) {
        differing_line(wanted, stored, line, sizeof line);
        differing_line(stored, wanted, old, sizeof old);
        scree_error_set(error, s->folder, 0, 0,
                        "it holds another sweep ('%s' there, '%s' now); -o DIR writes elsewhere, --force replaces it",
                        old, line);
        status = SCREE_ERR_INPUT;
    } else if (status == SCREE_OK && strcmp(scene, s->scene) != 0) {
        differing_line(s->scene, scene, line, sizeof line);
        scree_error_set(error, s->folder, 0, 0,
                        "it holds a sweep of another scene (first new line: '%s'); -o DIR writes elsewhere, --force "
                        "replaces it, --resume -o DIR without SCENE resumes the old one",
                        line);
        status = SCREE_ERR_INPUT;
    }
    free(stored);
    free(scene);
    return status;
}

scree_status sweep_folder_open(const sweep *s, int *found, scree_error *error)
{
    char path[RUN_PATH_MAX];
    size_t size;
    *found = access(run_folder_path(s->folder, "sweep.txt", path), F_OK) == 0;
    char *text = definition(s, &size);
    scree_status status = SCREE_OK;
    if (*found) status = compare(s, text, error);
    else if (scree_run_folder_used(s->folder) && strcmp(scree_run_folder_used(s->folder), "scene.yaml") != 0) {
        scree_error_set(error, s->folder, 0, 0, "it holds a run (%s), not a sweep; -o DIR writes elsewhere",
                        scree_run_folder_used(s->folder));
        status = SCREE_ERR_INPUT;
    } else {
        status = scree_folder_make(run_folder_path(s->folder, "rows", path), error);
        if (status == SCREE_OK)
            status =
                scree_file_replace(run_folder_path(s->folder, "scene.yaml", path), s->scene, strlen(s->scene), error);
        if (status == SCREE_OK) /* last: with it the folder holds a sweep */
            status = scree_file_replace(run_folder_path(s->folder, "sweep.txt", path), text, size, error);
    }
    free(text);
    return status;
}

/// One line of sweep.txt; 0: it is not one.
static int take_line(sweep *s, const char *line, scree_error *error)
{
    if (strcmp(line, "keep full") == 0 || strcmp(line, "keep row") == 0) s->full = line[5] == 'f';
    else if (strcmp(line, "order zip") == 0 || strcmp(line, "order product") == 0) s->zip = line[6] == 'z';
    else if (strncmp(line, "vary ", 5) == 0 && s->vary_count < SWEEP_VARY_MAX)
        return sweep_vary_parse(line + 5, &s->vary[s->vary_count++], error);
    else if (strncmp(line, "result ", 7) == 0 && s->result_count < SWEEP_RESULT_MAX)
        s->result[s->result_count++] = cli_copy(line + 7);
    else if (strncmp(line, "scene ", 6) == 0) {
        if (strtoull(line + 6, NULL, 16) == scene_checksum(s->scene)) return 1;
        scree_error_set(error, s->folder, 0, 0,
                        "scene.yaml is not the one of this sweep any more: it was changed or replaced since");
        return 0;
    } else return 0;
    return 1;
}

scree_status sweep_folder_load(sweep *s, scree_error *error)
{
    char *text = NULL, path[RUN_PATH_MAX];
    if (access(run_folder_path(s->folder, "sweep.txt", path), F_OK) != 0) {
        scree_error_set(error, s->folder, 0, 0, "it holds no sweep (there is no sweep.txt)");
        return SCREE_ERR_INPUT;
    }
    scree_status status = run_folder_read(s->folder, "sweep.txt", DEFINITION_MAX, &text, NULL, error);
    if (status == SCREE_OK) status = run_folder_read(s->folder, "scene.yaml", SCENE_MAX, &s->scene, NULL, error);
    if (status != SCREE_OK) return status;
    int number = 0, good = 1;
    for (char *line = text, *end; good && *line; line = end) {
        size_t length = strcspn(line, "\n");
        end = line + length + (line[length] == '\n');
        line[length] = '\0';
        scree_error_set(error, path, number + 1, 0, "this is no line of a sweep");
        good = number++ == 0 ? strcmp(line, first_line) == 0 : take_line(s, line, error);
    }
    if (good && (s->vary_count == 0 || s->result_count == 0)) {
        scree_error_set(error, path, 0, 0, "the file is cut short");
        good = 0;
    }
    if (good) good = sweep_count(s, error);
    free(text);
    return good ? SCREE_OK : SCREE_ERR_INPUT;
}

/* ---- rows -------------------------------------------------------------------------------------------------------------------- */

static void take_row(sweep *s, const char *line)
{
    char *end, *inputs;
    size_t size;
    long number = strtol(line, &end, 10);
    if (end == line || *end != ',' || number < 0 || number >= s->count ||
        (s->row[number] && sweep_row_done(s, (int)number)))
        return;
    FILE *out = cli_text_open(&inputs, &size);
    sweep_write_inputs(s, (int)number, out);
    cli_text_close(out, &inputs);
    if (strncmp(line, inputs, size) == 0) { /* of two rows of a case that was run again the good one counts */
        char *before = s->row[number];
        s->row[number] = cli_copy(line);
        if (before && !sweep_row_done(s, (int)number)) {
            free(s->row[number]);
            s->row[number] = before;
        } else free(before);
    }
    free(inputs);
}

static void read_rows(sweep *s, const char *folder, const char *name)
{
    char *text;
    scree_error ignored = {0};
    if (run_folder_read(folder, name, ROWS_MAX, &text, NULL, &ignored) != SCREE_OK) return;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        take_row(s, line);
    }
    free(text);
}

int sweep_folder_rows(sweep *s)
{
    char rows[RUN_PATH_MAX];
    DIR *dir = opendir(run_folder_path(s->folder, "rows", rows));
    int count = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (cli_ends_with(entry->d_name, ".csv")) read_rows(s, rows, entry->d_name);
    if (dir) closedir(dir);
    for (int k = 0; k < s->count; ++k) count += s->row[k] != NULL;
    return count;
}

scree_status sweep_folder_row(const sweep *s, int number, const char *row, scree_error *error)
{
    char path[RUN_PATH_MAX], name[48], *line;
    size_t size;
    FILE *out = cli_text_open(&line, &size);
    fprintf(out, "%s\n", row);
    cli_text_close(out, &line);
    snprintf(name, sizeof name, "rows/case_%06d.csv", number);
    scree_status status = scree_file_replace(run_folder_path(s->folder, name, path), line, size, error);
    free(line);
    return status;
}

scree_status sweep_folder_index(const sweep *s, scree_error *error)
{
    char path[RUN_PATH_MAX], *text;
    size_t size;
    FILE *out = cli_text_open(&text, &size);
    sweep_write_header(s, out);
    for (int k = 0; k < s->count; ++k)
        if (s->row[k]) fprintf(out, "%s\n", s->row[k]);
    cli_text_close(out, &text);
    scree_status status = scree_file_replace(run_folder_path(s->folder, "index.csv", path), text, size, error);
    free(text);
    return status;
}

/* ---- clearing ------------------------------------------------------------------------------------------------------------------ */

/// The files in a folder that begin and end as given.
static void remove_named(const char *folder, const char *start, const char *end)
{
    char path[2 * RUN_PATH_MAX];
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (strncmp(entry->d_name, start, strlen(start)) != 0 || !cli_ends_with(entry->d_name, end)) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    if (dir) closedir(dir);
}

void sweep_folder_clear(const char *folder)
{
    static const char *const own[] = {"sweep.txt", "index.csv", "statistics.csv",
                                      "scene.yaml"}; /* sweep.txt first: no sweep without it */
    char path[RUN_PATH_MAX], child[2 * RUN_PATH_MAX];
    if (access(run_folder_path(folder, "sweep.txt", path), F_OK) != 0) return;
    for (size_t k = 0; k < sizeof own / sizeof *own; ++k) unlink(run_folder_path(folder, own[k], path));
    run_folder_path(folder, "rows", path);
    remove_named(path, "case_", ".csv");
    remove_named(path, "sweep", ".csv");
    rmdir(path);
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (strncmp(entry->d_name, "case_", 5) != 0 || strspn(entry->d_name + 5, "0123456789") < 6) continue;
        int n = snprintf(child, sizeof child, "%s/%s", folder, entry->d_name);
        if (n < 0 || n >= RUN_PATH_MAX) continue;
        scree_run_folder_clear(child);
        rmdir(child);
    }
    if (dir) closedir(dir);
}
