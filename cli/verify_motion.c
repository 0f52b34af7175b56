/* verify_motion.c: see main.c. */
#include "cli/cli.h"
