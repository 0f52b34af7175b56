/* anitescu_tasora.c: see stepper.h. */
#include "steppers/stepper.h"
