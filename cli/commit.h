/* commit.h: SCREE_COMMIT, the commit this program was built from: the build writes scree_commit.h where there is a repository. */
#ifndef SCREE_CLI_COMMIT_H
#define SCREE_CLI_COMMIT_H

#if defined(__has_include)
#if __has_include("scree_commit.h")
#include "scree_commit.h"
#endif
#endif
#ifndef SCREE_COMMIT
#define SCREE_COMMIT "unknown"
#endif

#endif
