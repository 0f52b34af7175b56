/* program.h: programs of others that are used where they are installed. */
#ifndef SCREE_CLI_PROGRAM_H
#define SCREE_CLI_PROGRAM_H

/// 1 if a program of this name stands in PATH.
int program_exists(const char *name);

#endif
