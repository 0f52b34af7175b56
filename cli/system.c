/* system.c: see system.h. */
#if defined(__linux__)
#define _GNU_SOURCE 1 /* dladdr */
#include <dlfcn.h>
#endif
#include "cli/cli.h"
#include "cli/system.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__has_include)
#if __has_include("scree_commit.h") /* written by the build where there is a repository */
#include "scree_commit.h"
#endif
#endif
#ifndef SCREE_COMMIT
#define SCREE_COMMIT "unknown"
#endif

/* ---- memory ---------------------------------------------------------------------------------------------------------------- */

void cli_no_memory(void)
{
    fprintf(stderr, "scree: error: out of memory\n");
    exit(CLI_MACHINE);
}

static void *or_end(void *memory)
{
    if (!memory) cli_no_memory();
    return memory;
}

void *cli_memory(size_t size)
{
    return or_end(calloc(size > 0 ? size : 1, 1));
}

void *cli_more_memory(void *memory, size_t size)
{
    return or_end(realloc(memory, size > 0 ? size : 1));
}

char *cli_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(cli_memory(size), text, size);
}

int cli_ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

FILE *cli_text_open(char **text, size_t *size)
{
    return or_end(open_memstream(text, size));
}

void cli_text_close(FILE *stream, char *const *text)
{
    int failed = ferror(stream);
    failed |= fclose(stream) != 0;
    if (failed || !*text) cli_no_memory(); /* nothing else can fail here; the C library may say so by NULL alone */
}

/* ---- signals --------------------------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t signal_number;

static void on_signal(int number)
{
    signal_number = number;
}

void cli_catch_signals(int terminate)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = (int)SA_RESETHAND; /* the second one is not caught */
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    if (terminate)
        sigaction(SIGTERM, &action, NULL),
            sigaction(SIGUSR1, &action, NULL); /* USR1: schedulers, before the time is over */
}

int cli_signal(void)
{
    return (int)signal_number;
}

void cli_set_signal(int number)
{
    signal_number = number;
}

/* ---- programs and the machine ---------------------------------------------------------------------------------------------- */

int cli_program_exists(const char *name)
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

void cli_machine(char *buffer, size_t size)
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    snprintf(buffer, size, "unknown");
    while (f && fgets(line, sizeof line, f)) {
        if (strncmp(line, "model name", 10) != 0 || !strchr(line, ':')) continue;
        const char *value = strchr(line, ':') + 1;
        value += strspn(value, " ");
        snprintf(buffer, size, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    if (f) fclose(f);
    for (char *c = buffer; *c; ++c)
        if (*c == ',' || *c == '"') *c = ' ';
}

double cli_machine_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (double)pages * (double)size : HUGE_VAL;
}

const char *cli_blas(void)
{
    const char *found = NULL;
#if defined(__linux__)
    static char path[4096]; /* once, by --version */
    Dl_info where;
    void *gemm = dlsym(RTLD_DEFAULT, "dgemm_");
    if (gemm && dladdr(gemm, &where) && where.dli_fname) found = realpath(where.dli_fname, path);
#endif
    return found;
}

const char *cli_commit(void)
{
    return SCREE_COMMIT;
}
