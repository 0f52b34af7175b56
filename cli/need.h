/* need.h: how much memory a run needs, before anything of it is made. */
#ifndef SCREE_CLI_NEED_H
#define SCREE_CLI_NEED_H

#include <scree/scene.h>

/// Bytes of a run of this scheme with so many bodies, in a pile. The largest resident sizes of runs of 10,000 balls with three contacts
/// each were 9 kB a ball (rigid) and 5 kB (soft), 12 kB are allowed for a rigid one; and 10 MB for the program.
double need_memory(scree_scheme scheme, double bodies);

/// Decimal: "41.2 kB", "123 GB".
const char *need_bytes(double bytes, char *text, size_t size);

#endif
