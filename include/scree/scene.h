/* scene.h: readers of what people write by hand (YAML or JSON), with the line and column of every mistake.
 *
 * A contact file is pure mathematics in plain SI numbers (a mapping, YAML or JSON):
 *     W: [[...], ...]      rows, symmetric positive semidefinite, 2 to 6 of them
 *     q: [...]
 *     mu: 0.6              and, where the cone has them, rolling: [m], spinning: [m]
 *     law: coulomb         or convex; optional
 *     cone: slide          optional; otherwise the size says it: 2 planar, 3 slide, 4 slide+spin, 5 slide+roll, 6 slide+roll+spin
 */
#ifndef SCREE_SCENE_H
#define SCREE_SCENE_H

#include <scree/laws.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads one contact from text of `size` bytes. `name` is what messages call it. On failure nothing is written to `contact`.
SCREE_API scree_status scree_contact_parse(const char *text, size_t size, const char *name,
                                           const scree_allocator *allocator, scree_contact *contact,
                                           scree_error *error);

/// The same from a file ("-" is standard input).
SCREE_API scree_status scree_contact_read(const char *path, const scree_allocator *allocator, scree_contact *contact,
                                          scree_error *error);

#ifdef __cplusplus
}
#endif
#endif
