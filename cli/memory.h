/* memory.h: memory and texts of commands that cannot go on without: where there is none they end the program, with a message and
 * CLI_MACHINE. What such a command has finished is on disk. */
#ifndef SCREE_CLI_MEMORY_H
#define SCREE_CLI_MEMORY_H

#include <stddef.h>
#include <stdio.h>

/// What all of these do where there is none.
_Noreturn void cli_no_memory(void);

/// Zeroed, never NULL; free with free().
void *cli_memory(size_t size);
/// `memory` (NULL: none yet) made larger; what is new is not zeroed.
void *cli_more_memory(void *memory, size_t size);
char *cli_copy(const char *text);

/// A stream into memory; `*text` is there, ended by NUL, when it is closed, and freed with free().
FILE *cli_text_open(char **text, size_t *size);
void cli_text_close(FILE *stream, char *const *text);

#endif
