/* verify.h: a row of `scree verify`. */
#ifndef SCREE_CHECKS_VERIFY_H
#define SCREE_CHECKS_VERIFY_H

#include <scree/files.h>

/// What a check found. The check is ok if error <= tolerance.
typedef struct finding {
    double theory, scree, error, tolerance;
} finding;

typedef struct check {
    const char *name, *unit, *explanation;
    finding (*run)(int argument);
    int argument; /* method, mode, angle: what tells rows of one function apart */
} check;

/// The rows, in tables that end with a NULL name; verify.c lists the tables.
extern const check verify_contact_checks[]; /* what needs one contact only */
extern const check verify_motion_checks[];  /* bodies in time             */
extern const check verify_top_checks[];     /* bodies that spin           */
extern const check verify_shapes_checks[];  /* meshes, hulls, cylinders   */
extern const check verify_joint_checks[];   /* joints, coefficients of rest */

/// Rows on their way to standard output, as a table or as one JSON object.
typedef struct verify_report {
    scree_json j;
    int as_json, passed, failed;
} verify_report;
verify_report verify_begin(int as_json);
void verify_row(verify_report *report, const char *name, const char *unit, const finding *f);
int verify_end(verify_report *report); /* the last line; returns the exit status */

#endif
