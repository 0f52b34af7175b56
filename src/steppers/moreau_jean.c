/* moreau_jean.c: see stepper.h. */
#include "steppers/stepper.h"
