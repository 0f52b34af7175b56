/* need.h: how much memory a run needs, before anything of it is made. */
#ifndef SCREE_CLI_NEED_H
#define SCREE_CLI_NEED_H

#include <scree/scene.h>

/// Bytes of a run of this scheme with so many bodies, in a pile. `cornered`: how many of them touch a neighbour at several points, as boxes do; 0
/// where it is not known yet. Largest resident sizes of `scree run`, less the 15 MB of the program, by kB a body (contacts a body, most of the run):
///     rigid balls   1,000: 10.1 (1.9)    10,000: 10.5 (2.4)    10,000 in flight: 1.6 (0)
///     rigid boxes   1,000: 54 (6.6)      4,000: 65 (7.6)
///     soft balls    20,000: 4.1 (1.9)
double need_memory(scree_scheme scheme, double bodies, double cornered);

/// Decimal: "41.2 kB", "123 GB".
const char *need_bytes(double bytes, char *text, size_t size);

#endif
