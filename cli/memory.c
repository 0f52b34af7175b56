/* memory.c: see memory.h. */
#include "cli/memory.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

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
