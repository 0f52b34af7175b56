/* problems.h: contact problems for the tests of the solvers: of piles, and those that others left. Include it after cmocka.h. */
#ifndef SCREE_TESTS_PROBLEMS_H
#define SCREE_TESTS_PROBLEMS_H

#include "cli/pile.h"
#include "try.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static inline scree_problem *problem_of_pile(const pile_def *def)
{
    pile geometry;
    scree_problem *problem = NULL;
    assert_true(pile_build(def, &geometry));
    assert_int_equal(pile_problem(def, &geometry, NULL, &problem), SCREE_OK);
    pile_free(&geometry);
    return problem;
}

/// Visits every problem in tests/problems and, where that folder is there, in ../shared/data, that this build can read. Returns how many.
static inline int for_each_stored_problem(void (*visit)(const char *name, scree_problem *problem, void *context),
                                          void *context)
{
    static const char *const folders[] = {"tests/problems", "../shared/data/coulomb", "../shared/data/rolling",
                                          "../shared/data/planar", "../shared/data/global"};
    int found = 0;
    for (size_t f = 0; f < sizeof folders / sizeof *folders; ++f) {
        char path[1200];
        DIR *dir = opendir(folders[f]);
        if (!dir) continue;
        for (struct dirent *entry; (entry = readdir(dir));) {
            scree_problem *problem;
            scree_error error = {0};
            if (entry->d_name[0] == '.' || strcmp(entry->d_name, "README") == 0) continue;
            snprintf(path, sizeof path, "%s/%s", folders[f], entry->d_name);
            if (try_problem_read(path, SCREE_FILE_DETECT, NULL, &problem, &error) == SCREE_ERR_UNSUPPORTED) continue;
            assert_non_null(problem);
            visit(entry->d_name, problem, context);
            scree_problem_destroy(problem);
            found += 1;
        }
        closedir(dir);
    }
    return found;
}

#endif
