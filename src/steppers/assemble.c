/* assemble.c: see stepper.h. */
#include "steppers/stepper.h"
