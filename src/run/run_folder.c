/* run_folder.c: the folder of a run: whose it is, and how it is emptied. A file belongs to a run by its name: the lists below and those
 * of the formats are all the names there are, so that a file which a user put into the folder is never removed. The checkpoint is removed first: without it
 * nothing can be resumed by mistake. scene.yaml is written first and removed last: whenever a run is killed, its folder names its scene. */
#include "run/formats.h"
#include "run/measures.h"
#include "run/run_parts.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const FILES[] = {"checkpoint.h5", "summary.json", "scene.yaml", "series.csv", "timing.csv"};
enum { FILE_COUNT = sizeof FILES / sizeof *FILES, SCENE = 2 };

static const format_numbered PROBLEMS = {"problems", "step_", ".hdf5"};

enum { GROWING_MAX = SCREE_FORMAT_COUNT * FORMAT_FILES_MAX };

/// The k-th file that a run can have, NULL beyond the last: those above, then those of the formats that grow.
static const char *file_at(int k)
{
    if (k < FILE_COUNT) return FILES[k];
    for (int f = 0, at = FILE_COUNT; f < SCREE_FORMAT_COUNT; ++f) {
        int count = format_growing_count(output_format_at(f));
        if (k < at + count) return output_format_at(f)->growing[k - at].name;
        at += count;
    }
    return NULL;
}

/// The k-th sort of numbered files; one without a folder: there is none with this number. Problems are the last.
static format_numbered numbered_at(int k)
{
    return k < GROWING_MAX ? output_format_at(k / FORMAT_FILES_MAX)->numbered[k % FORMAT_FILES_MAX] : PROBLEMS;
}

const char *scree_run_folder_entry(int index)
{
    static const char *const before[] = {"summary.json", "series.csv", "timing.csv", "scene.yaml"},
                             *const after[] = {"problems", "checkpoint.h5"};
    enum { BEFORE = sizeof before / sizeof *before, AFTER = sizeof after / sizeof *after };
    if (index < BEFORE) return before[index];
    index -= BEFORE;
    if (index < SCREE_FORMAT_COUNT) return format_entry(output_format_at(index));
    index -= SCREE_FORMAT_COUNT;
    return index < AFTER ? after[index] : NULL;
}

char *run_folder_file(const char *folder, const char *name, char path[FOLDER_PATH_MAX])
{
    snprintf(path, FOLDER_PATH_MAX, "%s/%s", folder, name);
    return path;
}

const char *scree_run_folder_used(const char *folder)
{
    char path[FOLDER_PATH_MAX];
    struct stat is;
    if (stat(run_folder_file(folder, RUN_FOLDER_SWEEP, path), &is) == 0) return RUN_FOLDER_SWEEP;
    for (int k = 0; file_at(k); ++k) /* whoever wrote it: a run would replace it */
        if (stat(run_folder_file(folder, file_at(k), path), &is) == 0) return file_at(k);
    return NULL;
}

/// The length of start, six or more digits and end at the beginning of `name`; 0: it is not so named.
static size_t match(const char *name, const format_numbered *n)
{
    size_t at = strlen(n->start),
           digits = strspn(name + (strncmp(name, n->start, at) == 0 ? at : strlen(name)), "0123456789");
    if (digits < 6 || strncmp(name + at + digits, n->end, strlen(n->end)) != 0) return 0;
    return at + digits + strlen(n->end);
}

/// Removes the numbered files; half_only: only those still being written ("NAME.tmp", "NAME.tmp0").
static void remove_numbered(const char *folder, int half_only)
{
    char sub[FOLDER_PATH_MAX], path[2 * FOLDER_PATH_MAX];
    for (int k = 0; k <= GROWING_MAX; ++k) {
        const format_numbered kind = numbered_at(k);
        DIR *dir = kind.folder ? opendir(run_folder_file(folder, kind.folder, sub)) : NULL;
        if (!dir) continue;
        for (struct dirent *entry; (entry = readdir(dir));) {
            size_t length = match(entry->d_name, &kind);
            int half = length > 0 && strncmp(entry->d_name + length, ".tmp", 4) == 0;
            if (!half && (half_only || length == 0 || entry->d_name[length] != '\0')) continue;
            snprintf(path, sizeof path, "%s/%s", sub, entry->d_name);
            unlink(path);
        }
        closedir(dir);
        if (!half_only) rmdir(sub); /* stays if something else is in it */
    }
}

/// 1: the file of a measure, profile_NAME.csv.
static int is_profile(const char *name)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    const size_t start = strlen(PROFILE_START);
    if (strncmp(name, PROFILE_START, start) != 0) return 0;
    const size_t length = strspn(name + start, allowed);
    return length > 0 && strcmp(name + start + length, PROFILE_END) == 0;
}

static void remove_profiles(const char *folder)
{
    char path[2 * FOLDER_PATH_MAX];
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (!is_profile(entry->d_name)) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    if (dir) closedir(dir);
}

void run_folder_sweep(const char *folder)
{
    char path[FOLDER_PATH_MAX], name[64];
    for (int k = 0; file_at(k); ++k) {
        snprintf(name, sizeof name, "%s.tmp", file_at(k));
        unlink(run_folder_file(folder, name, path));
    }
    remove_numbered(folder, 1);
}

void run_folder_empty(const char *folder)
{
    char path[FOLDER_PATH_MAX];
    for (int k = 0; file_at(k); ++k)
        if (k != SCENE) unlink(run_folder_file(folder, file_at(k), path));
    run_folder_sweep(folder);
    remove_numbered(folder, 0);
    remove_profiles(folder);
}

void scree_run_folder_clear(const char *folder)
{
    char path[FOLDER_PATH_MAX];
    run_folder_empty(folder);
    unlink(run_folder_file(folder, FILES[SCENE], path));
    if (access(run_folder_file(folder, "writer.lock", path), F_OK) != 0) return;
    scree_folder_claim_release(/* removes that of a run that was killed; of one at work, the caller itself, it stays */
                               scree_folder_claim_take(folder, "a run that is removed", 0.0, NULL, NULL));
}
