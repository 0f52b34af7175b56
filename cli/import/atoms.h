/* atoms.h: spheres as LAMMPS writes them: the frames of a dump, or a data file with one. What is wrong is named with its file and line. */
#ifndef SCREE_CLI_ATOMS_H
#define SCREE_CLI_ATOMS_H

#include <scree/base.h>
#include <stdio.h>

typedef struct atom {
    int64_t id;
    int type, line;      /* line: of the file                        */
    double radius, mass; /* 0: the file does not say                 */
    double x[3], v[3], omega[3];
    double q[4]; /* all 0: the file does not say             */
} atom;

/// A file that is read, and its last frame.
typedef struct atoms {
    const char *path;
    FILE *in;
    char *text; /* the line that was read last */
    size_t room;
    int line, is_data, ended, held; /* held: the line is to be read again */
    int too_long, problem;          /* the line is longer than any is; errno of a read that failed: files end there */
    int count, capacity;
    atom *atom; /* (count) in the order of their ids, no two alike */
    int64_t step;
    double time; /* NaN: the file does not say */
} atoms;

/// Tells a data file from a dump by its first line.
scree_status atoms_open(atoms *a, const char *path, scree_error *error);
void atoms_close(atoms *a);

/// Reads the next frame. `*there` 0: there is no more. `*cut` 1: the file ends within it: it is not there then, and `count` is what there was
/// of it.
scree_status atoms_next(atoms *a, int *there, int *cut, scree_error *error);

/// The atom with this id, or NULL.
const atom *atoms_find(const atoms *a, int64_t id);

/* ---- for the readers ------------------------------------------------------------------------------------------------------ */

enum { ATOM_WORDS = 64 };

/// The next line, without its end. 0: there is none, or what there is cannot be read.
int atoms_line(atoms *a);
/// SCREE_ERR_FILE, SCREE_ERR_READ, SCREE_ERR_INPUT where the file ended for another reason than its end.
scree_status atoms_ended(const atoms *a, scree_error *error);
/// Cuts the line at its blanks; returns the number of words, of which the first ATOM_WORDS are in `word`.
int atoms_cut(char *text, char **word);
/// SCREE_ERR_INPUT, at the line that was read last; column 0: of the whole line.
scree_status atoms_wrong(const atoms *a, scree_error *error, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
/// A number of at most 1e100 in size, as all lengths and speeds are, and a whole number, from a word. `what`: how an error calls it.
scree_status atoms_number(const atoms *a, const char *word, const char *what, double *to, scree_error *error);
scree_status atoms_whole(const atoms *a, const char *word, const char *what, int64_t low, int64_t high, int64_t *to,
                         scree_error *error);
/// One more atom, all zero, of the line that was read last.
atom *atoms_add(atoms *a);
/// Into the order of their ids.
scree_status atoms_sort(atoms *a, scree_error *error);

scree_status atoms_data(atoms *a, scree_error *error); /* data.c: the frame of a data file */

#endif
