/* tree.c: see broadphase.h. */
#include "world/broadphase.h"
