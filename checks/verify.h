/* verify.h: a row of `scree verify`. */
#ifndef SCREE_CHECKS_VERIFY_H
#define SCREE_CHECKS_VERIFY_H

#include <scree/files.h>

/// One measurement beside its source. `bound` and its reason are fixed before the run: printed digits, order of the step, scatter over seeds.
typedef struct finding {
    double source;     /* what the paper prints, or the closed form gives                    */
    double scree;      /* what scree computed                                                */
    double error;      /* their difference, relative to the source unless that is 0          */
    double bound;      /* ok if error <= bound                                               */
    const char *why;   /* reason of the bound                                                */
    const char *where; /* the source: paper, section, figure; NULL: a closed form            */
} finding;

/// Relative to the source, or the difference itself where that is 0.
finding finding_of(double source, double scree, double bound, const char *why);
/// The same with the source's place, for what is not a closed form.
finding finding_from(const char *where, finding f);

/// A row that is known to miss its bound. It counts as missed, not as failed, while scree's value lies between `least` and `most`:
/// a miss that becomes another miss is a failure again.
typedef struct known_miss {
    const char *name;
    double least, most;
    const char *reason, *link; /* one line; the page that explains it */
} known_miss;
extern const known_miss known_misses[]; /* missed.c; ends with a NULL name */

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
extern const check verify_ledger_checks[];  /* energy of soft contacts    */
extern const check verify_joint_checks[];   /* joints, coefficients of rest */

enum { VERIFY_TABLE, VERIFY_BRIEF, VERIFY_JSON, VERIFY_MARKDOWN };

/// What another program, or a measurement, has for the same row.
typedef struct peer_value {
    const char *name; /* ended by a NULL name                                  */
    double value;
    double seconds; /* of its computing, on its authors' machine; 0: not given */
} peer_value;

/// Rows on their way to standard output, as a table (brief: without the lines of reasons), as one JSON object, or as a table of a page.
typedef struct verify_report {
    scree_json j;
    int style;
    int ok, missed, failed;
} verify_report;
verify_report verify_begin(int style);
void verify_row(verify_report *report, const char *name, const char *unit, const finding *f);
/// The same with what others have (NULL: nobody), from the nearest to the source to the farthest, and scree's place among them. `seconds`: of
/// scree's computing; 0: not shown.
void verify_row_beside(verify_report *report, const char *name, const char *unit, const finding *f,
                       const peer_value *others, double seconds);
/// A figure without a claim to hold it against: shown, and not counted.
void verify_information(verify_report *report, const char *name, const char *unit, double scree, const char *what);
int verify_end(verify_report *report); /* the last line; returns the exit status */

/// `scree verify --table` (engines.c). Returns the exit status.
int verify_engines(void);

#endif
