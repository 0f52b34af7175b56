/* run_folder.c: the folder of a run: whose it is, and how it is emptied. A file belongs to a run by its name: the lists below are all
 * the names there are, so that a file which a user put into the folder is never removed. The checkpoint is removed first: without it
 * nothing can be resumed by mistake. scene.yaml is written first and removed last: whenever a run is killed, its folder names its scene. */
#include "run/run_parts.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const FILES[] = {"checkpoint.h5", "summary.json", "scene.yaml",   "series.csv",     "timing.csv",
                                    "frames.pvd",    "contacts.pvd", "surfaces.pvd", "dump.lammpstrj", "frames.scree"};
enum { FILE_COUNT = sizeof FILES / sizeof *FILES, SCENE = 2, SHOWS_A_RUN = 4 };

typedef struct numbered {
    const char *folder, *start, *end; /* folder/start000012end */
} numbered;

static const numbered NUMBERED[] = {{"frames", "bodies_", ".vtp"},     {"frames", "contacts_", ".vtp"},
                                    {"frames", "surfaces_", ".vtp"},   {"bodies", "bodies_", ".csv"},
                                    {"contacts", "contacts_", ".csv"}, {"problems", "step_", ".hdf5"}};
enum { NUMBERED_COUNT = sizeof NUMBERED / sizeof *NUMBERED };

char *run_folder_file(const char *folder, const char *name, char path[FOLDER_PATH_MAX])
{
    snprintf(path, FOLDER_PATH_MAX, "%s/%s", folder, name);
    return path;
}

const char *scree_run_folder_used(const char *folder)
{
    char path[FOLDER_PATH_MAX];
    struct stat is;
    for (int k = 1; k <= SHOWS_A_RUN;
         ++k) { /* the scene last: with nothing but that, a run or a sweep has only begun */
        const char *name = FILES[k % SHOWS_A_RUN];
        if (stat(run_folder_file(folder, name, path), &is) == 0) return name;
    }
    return NULL;
}

/// The length of start, six or more digits and end at the beginning of `name`; 0: it is not so named.
static size_t match(const char *name, const numbered *n)
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
    for (int k = 0; k < NUMBERED_COUNT; ++k) {
        DIR *dir = opendir(run_folder_file(folder, NUMBERED[k].folder, sub));
        if (!dir) continue;
        for (struct dirent *entry; (entry = readdir(dir));) {
            size_t length = match(entry->d_name, &NUMBERED[k]);
            int half = length > 0 && strncmp(entry->d_name + length, ".tmp", 4) == 0;
            if (!half && (half_only || length == 0 || entry->d_name[length] != '\0')) continue;
            snprintf(path, sizeof path, "%s/%s", sub, entry->d_name);
            unlink(path);
        }
        closedir(dir);
        if (!half_only) rmdir(sub); /* stays if something else is in it */
    }
}

void run_folder_sweep(const char *folder)
{
    char path[FOLDER_PATH_MAX], name[64];
    for (int k = 0; k < FILE_COUNT; ++k) {
        snprintf(name, sizeof name, "%s.tmp", FILES[k]);
        unlink(run_folder_file(folder, name, path));
    }
    remove_numbered(folder, 1);
}

void run_folder_empty(const char *folder)
{
    char path[FOLDER_PATH_MAX];
    for (int k = 0; k < FILE_COUNT; ++k)
        if (k != SCENE) unlink(run_folder_file(folder, FILES[k], path));
    run_folder_sweep(folder);
    remove_numbered(folder, 0);
}

void scree_run_folder_clear(const char *folder)
{
    char path[FOLDER_PATH_MAX];
    run_folder_empty(folder);
    unlink(run_folder_file(folder, FILES[SCENE], path));
}
