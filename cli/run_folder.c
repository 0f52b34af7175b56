/* run_folder.c: see run_folder.h. A file belongs to a run by its name: the lists below are all the names there are, so that a file
 * which a user put into the folder is never removed. The checkpoint goes first: without it nothing can be resumed by mistake. */
#include "cli/run_folder.h"

#include "cli/cli.h"
#include "cli/memory.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const FILES[] = {"checkpoint.h5", "summary.json", "scene.yaml",   "series.csv",     "timing.csv",
                                    "frames.pvd",    "contacts.pvd", "surfaces.pvd", "dump.lammpstrj", "frames.scree"};
enum { FILE_COUNT = sizeof FILES / sizeof *FILES, SHOWS_A_RUN = 4 };

typedef struct numbered {
    const char *folder, *start, *end; /* folder/start000012end */
} numbered;

static const numbered NUMBERED[] = {{"frames", "bodies_", ".vtp"},     {"frames", "contacts_", ".vtp"},
                                    {"frames", "surfaces_", ".vtp"},   {"bodies", "bodies_", ".csv"},
                                    {"contacts", "contacts_", ".csv"}, {"problems", "step_", ".hdf5"}};
enum { NUMBERED_COUNT = sizeof NUMBERED / sizeof *NUMBERED };

void run_folder_default(const char *scene, char folder[RUN_PATH_MAX])
{
    const char *slash = strrchr(scene, '/'), *name = slash ? slash + 1 : scene, *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    snprintf(folder, RUN_PATH_MAX, "out/%.*s", length, name);
}

char *run_folder_path(const char *folder, const char *name, char path[RUN_PATH_MAX])
{
    snprintf(path, RUN_PATH_MAX, "%s/%s", folder, name);
    return path;
}

const char *run_folder_used(const char *folder)
{
    char path[RUN_PATH_MAX];
    struct stat is;
    for (int k = 0; k < SHOWS_A_RUN; ++k)
        if (stat(run_folder_path(folder, FILES[k], path), &is) == 0) return FILES[k];
    return NULL;
}

scree_status run_folder_read(const char *folder, const char *name, size_t limit, char **text, size_t *size,
                             scree_error *error)
{
    char path[RUN_PATH_MAX], *bytes;
    size_t length;
    struct stat is;
    *text = NULL;
    run_folder_path(folder, name, path);
    /* cli_read takes as much memory as it is allowed to read: the length of the file will do */
    if (stat(path, &is) == 0 && is.st_size >= 0 && (size_t)is.st_size < limit) limit = (size_t)is.st_size;
    scree_status status = cli_read(path, limit, &bytes, &length, error);
    if (status != SCREE_OK) return status;
    *text = cli_memory(length + 1);
    memcpy(*text, bytes, length);
    free(bytes);
    if (size) *size = length;
    return SCREE_OK;
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
    char sub[RUN_PATH_MAX], path[2 * RUN_PATH_MAX];
    for (int k = 0; k < NUMBERED_COUNT; ++k) {
        DIR *dir = opendir(run_folder_path(folder, NUMBERED[k].folder, sub));
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
    char path[RUN_PATH_MAX], name[64];
    for (int k = 0; k < FILE_COUNT; ++k) {
        snprintf(name, sizeof name, "%s.tmp", FILES[k]);
        unlink(run_folder_path(folder, name, path));
    }
    remove_numbered(folder, 1);
}

void run_folder_clear(const char *folder)
{
    char path[RUN_PATH_MAX];
    for (int k = 0; k < FILE_COUNT; ++k) unlink(run_folder_path(folder, FILES[k], path));
    run_folder_sweep(folder);
    remove_numbered(folder, 0);
}
