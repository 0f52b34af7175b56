/* system.h: what the commands take from the machine: memory and texts, signals, other programs, and what it is. */
#ifndef SCREE_CLI_SYSTEM_H
#define SCREE_CLI_SYSTEM_H

#include <stddef.h>
#include <stdio.h>

/* ---- memory: where there is none, these end the program, with a message and CLI_MACHINE. What it has finished is on disk. */

/// What all of these do where there is none.
_Noreturn void cli_no_memory(void);

/// Zeroed, never NULL; free with free().
void *cli_memory(size_t size);
/// `memory` (NULL: none yet) made larger; what is new is not zeroed.
void *cli_more_memory(void *memory, size_t size);
char *cli_copy(const char *text);
/// Whether `end` is what the text ends with, after something else.
int cli_ends_with(const char *text, const char *end);

/// A stream into memory; `*text` is there, ended by NUL, when it is closed, and freed with free().
FILE *cli_text_open(char **text, size_t *size);
void cli_text_close(FILE *stream, char *const *text);

/* ---- signals --------------------------------------------------------------------------------------------------------------- */

/// From now on the first Ctrl-C, and with `terminate` the first SIGTERM, is noticed by cli_signal, so that a command ends with what it has
/// so far; the second one ends the program as usual.
void cli_catch_signals(int terminate);
/// The number of the signal that came; 0: none.
int cli_signal(void);
void cli_set_signal(int number); /* as if it had come */

/* ---- programs and the machine ---------------------------------------------------------------------------------------------- */

/// 1 if a program of this name stands in PATH.
int cli_program_exists(const char *name);

/// Model of the processor, without characters that would split a CSV line.
void cli_machine(char *buffer, size_t size);

/// Bytes of its memory; infinity where that is not known.
double cli_machine_memory(void);

/// The commit this program was built from; "unknown" outside a repository.
const char *cli_commit(void);
/// The file of the BLAS that factorisations call, or NULL: none, or it cannot be told.
const char *cli_blas(void);

#endif
