/* collide.c: see collide.h. */
#include "world/collide.h"
