/* scree.h: all public headers at once.
 *
 * A build with SCREE_MINIMAL installs no files.h, output.h, result.h, run.h and scene.h; this header then goes without them.
 *
 * Thread safety: each header states that of what it declares. */
#ifndef SCREE_SCREE_H
#define SCREE_SCREE_H

#include <scree/base.h>
#include <scree/geometry.h>
#include <scree/laws.h>
#include <scree/problem.h>
#include <scree/solver.h>
#include <scree/stepper.h>
#include <scree/world.h>

#if __has_include(<scree/scene.h>)
#include <scree/files.h>
#include <scree/output.h>
#include <scree/result.h>
#include <scree/run.h>
#include <scree/scene.h>
#endif

#endif
