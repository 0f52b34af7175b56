/* data.c: a data file of LAMMPS, atom_style sphere (atoms.h).
 *
 *     title, which write_data ends with "timestep = N"
 *     N atoms, and other lines that begin with a number
 *     Atoms # sphere          id type diameter density x y z
 *     Velocities              id vx vy vz wx wy wz
 *
 * Other sections are passed over. */
#include "cli/import/atoms.h"
#include "cli/system.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NOTHING, ATOMS, VELOCITIES };
enum { HEAD_MAX = 1000 }; /* lines before that with the number of atoms */

static scree_status read_numbers(const atoms *a, char *const *word, int count, const char *what, double *to,
                                 scree_error *error)
{
    scree_status status = SCREE_OK;
    for (int k = 0; k < count && status == SCREE_OK; ++k) status = atoms_number(a, word[k], what, &to[k], error);
    return status;
}

static scree_status read_sphere(atoms *a, char *const *word, int words, scree_error *error)
{
    int64_t id, type;
    double n[5];
    if (words < 7)
        return atoms_wrong(a, error, "%d values, expected id type diameter density x y z of atom_style sphere", words);
    scree_status status = atoms_whole(a, word[0], "the id", 1, INT64_MAX, &id, error);
    if (status == SCREE_OK) status = atoms_whole(a, word[1], "the type", 1, INT32_MAX, &type, error);
    if (status == SCREE_OK) status = read_numbers(a, word + 2, 5, "a value of the atom", n, error);
    if (status != SCREE_OK) return status;
    if (!(n[0] > 0.0) || !(n[1] > 0.0))
        return atoms_wrong(a, error, "diameter %g and density %g of atom %lld, expected numbers above 0", n[0], n[1],
                           (long long)id);
    atom *one = atoms_add(a);
    one->id = id, one->type = (int)type, one->radius = 0.5 * n[0];
    one->mass = 4.0 / 3.0 * 3.14159265358979323846 * pow(one->radius, 3.0) * n[1];
    memcpy(one->x, n + 2, sizeof one->x);
    return SCREE_OK;
}

static scree_status read_velocity(atoms *a, char *const *word, int words, scree_error *error)
{
    int64_t id;
    double n[6];
    if (words != 7) return atoms_wrong(a, error, "%d values, expected id vx vy vz wx wy wz", words);
    scree_status status = atoms_whole(a, word[0], "the id", 1, INT64_MAX, &id, error);
    if (status == SCREE_OK) status = read_numbers(a, word + 1, 6, "a velocity", n, error);
    if (status != SCREE_OK) return status;
    const atom *found = atoms_find(a, id);
    if (!found) return atoms_wrong(a, error, "atom %lld is not among the atoms", (long long)id);
    atom *one = &a->atom[found - a->atom];
    memcpy(one->v, n, sizeof one->v), memcpy(one->omega, n + 3, sizeof one->omega);
    return SCREE_OK;
}

/// A line that begins with a letter opens a section.
static scree_status begin_section(atoms *a, int *section, scree_error *error)
{
    const char *style = strchr(a->text, '#');
    char *word[ATOM_WORDS], name[16] = "";
    if (style) sscanf(style + 1, "%15s", name);
    if (style) a->text[style - a->text] = '\0';
    const int words = atoms_cut(a->text, word);
    *section = words != 1                           ? NOTHING
               : strcmp(word[0], "Atoms") == 0      ? ATOMS
               : strcmp(word[0], "Velocities") == 0 ? VELOCITIES
                                                    : NOTHING;
    if (*section == ATOMS && name[0] && strcmp(name, "sphere") != 0)
        return atoms_wrong(a, error, "atoms of style '%s', expected sphere", name);
    return *section == VELOCITIES ? atoms_sort(a, error) : SCREE_OK;
}

scree_status atoms_data(atoms *a, scree_error *error)
{
    scree_status status = SCREE_OK;
    int section = NOTHING;
    int64_t expected = -1;
    a->count = 0, a->step = 0;
    while (status == SCREE_OK && (expected >= 0 || a->line < HEAD_MAX) && atoms_line(a)) {
        char *word[ATOM_WORDS];
        const char *step = strstr(a->text, "timestep = ");
        if (a->line == 1) {
            if (step) a->step = strtoll(step + strlen("timestep = "), NULL, 10);
            if (a->step < 0) a->step = 0;
            continue;
        }
        if (isalpha((unsigned char)a->text[0])) {
            status = begin_section(a, &section, error);
            continue;
        }
        const int words = atoms_cut(a->text, word);
        if (words == 0) continue;
        if (section == ATOMS) status = read_sphere(a, word, words, error);
        else if (section == VELOCITIES) status = read_velocity(a, word, words, error);
        else if (words == 2 && strcmp(word[1], "atoms") == 0)
            status = atoms_whole(a, word[0], "the number of atoms", 0, INT32_MAX, &expected, error);
    }
    if (status != SCREE_OK) return status;
    if (expected < 0)
        return atoms_wrong(a, error, "no line with the number of atoms, expected a dump or a data file of LAMMPS");
    if (a->count != expected)
        return atoms_wrong(a, error, "the file ends after %d of %lld atoms", a->count, (long long)expected);
    return atoms_sort(a, error);
}
