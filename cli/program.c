/* program.c: see program.h. */
#include "cli/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int program_exists(const char *name)
{
    const char *path = getenv("PATH");
    char file[4096];
    for (size_t length; path && *path; path += length + (path[length] == ':')) {
        length = strcspn(path, ":");
        int n = snprintf(file, sizeof file, "%.*s/%s", (int)length, path, name);
        if (n > 0 && (size_t)n < sizeof file && access(file, X_OK) == 0) return 1;
    }
    return 0;
}
