/* state.c: see world.h. */
#include "world/world.h"
