/* solvers.h: what the commands that solve contact problems share: options of the solvers by name. */
#ifndef SCREE_CLI_SOLVERS_H
#define SCREE_CLI_SOLVERS_H

#include <scree/solver.h>
#include <stdio.h>

/// Sets one option from "name=value", any name of SCREE_SOLVER_OPTION_FIELDS. Returns CLI_GO_ON, or CLI_USAGE after saying
/// what is wrong.
int solvers_set(const char *command, const char *assignment, scree_solver_options *options);

/// CLI_GO_ON if there is a solver of this name, else CLI_USAGE after a suggestion.
int solvers_find(const char *command, const char *name);

/// The scree_device of this name; -1: NULL, or there is none.
int solvers_device(const char *name);

/// The names of all solvers, ended by NULL.
const char *const *solvers_names(void);

/// The table of options with their defaults, one line each, into `buffer`; returns `buffer`.
char *solvers_describe_options(char *buffer, size_t size);

/// "coulomb" or "convex"; the law of such a name.
extern const char *const solvers_laws[];
const char *solvers_law_name(scree_law law);
scree_law solvers_law(const char *name);

/// Largest number of components of a contact; 0 if there are no contacts.
int solvers_dim(const scree_problem *problem);

#endif
