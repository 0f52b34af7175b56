/* units.c: scenes, see scene.h. */
#include <scree/scene.h>
