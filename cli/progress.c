/* progress.c: see main.c. */
#include "cli/cli.h"
