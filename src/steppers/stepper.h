/* stepper.h (private): what a scheme is, and what a step passes from stage to stage. */
#ifndef SCREE_STEPPERS_STEPPER_H
#define SCREE_STEPPERS_STEPPER_H

#include "base/arena.h"

#include <scree/stepper.h>

#endif
