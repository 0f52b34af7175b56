/* atoms.c: the frames of a dump of LAMMPS (atoms.h).
 *
 *     ITEM: UNITS, ITEM: TIME      where dump_modify asks for them
 *     ITEM: TIMESTEP               ITEM: NUMBER OF ATOMS      ITEM: BOX BOUNDS pp pp ff
 *     ITEM: ATOMS id type radius x y z ...
 *
 * Columns may stand in any order; those that mean nothing here are passed over. Places may be plain (x, xu) or parts of the box (xs, xsu).
 * A file that ends within a frame is that of a run that is going on, or was killed: the frames before are sound. Room is made as lines are
 * read: a damaged count asks for no memory. */
#define _POSIX_C_SOURCE 200809L
#include "cli/import/atoms.h"
#include "cli/system.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines and words ------------------------------------------------------------------------------------------------------ */

enum { LINE_BYTES_MAX = 1 << 20 };
static const double LARGEST = 1e100; /* what a world takes */

scree_status atoms_wrong(const atoms *a, scree_error *error, const char *format, ...)
{
    char text[sizeof error->text];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    scree_error_set(error, a->path, a->line, 0, "%s", text);
    return error->status = SCREE_ERR_INPUT;
}

int atoms_line(atoms *a)
{
    if (a->held) {
        a->held = 0;
        return 1;
    }
    size_t n = 0;
    int c;
    if (!a->text) a->text = cli_memory(a->room = 256);
    errno = 0;
    while ((c = getc_unlocked(a->in)) != EOF && c != '\n' &&
           n < LINE_BYTES_MAX) { /* a file need not have an end, nor a line */
        if (n + 1 == a->room) a->text = cli_more_memory(a->text, a->room *= 2);
        a->text[n++] = (char)c;
    }
    const int some = n > 0 || c != EOF;
    a->problem = c == EOF && ferror(a->in) ? (errno ? errno : EIO) : 0;
    a->too_long = c != EOF && c != '\n';
    a->ended = c == EOF || a->too_long; /* with a text: the last line of a file that was cut */
    a->line += some && a->line < INT_MAX;
    if (!some || a->problem || a->too_long) return 0;
    while (n > 0 && a->text[n - 1] == '\r') --n;
    a->text[n] = '\0';
    return 1;
}

scree_status atoms_ended(const atoms *a, scree_error *error)
{
    if (a->too_long)
        return atoms_wrong(a, error, "a line of more than %d bytes, expected a dump or a data file of LAMMPS",
                           (int)LINE_BYTES_MAX);
    if (!a->problem) return SCREE_OK;
    scree_error_set(error, a->path, a->line, 0, "cannot read the file: %s", strerror(a->problem));
    return error->status = a->problem == EISDIR ? SCREE_ERR_FILE : SCREE_ERR_READ;
}

int atoms_cut(char *text, char **word)
{
    int count = 0;
    for (char *at = text + strspn(text, " \t"); *at; at += strspn(at, " \t"), ++count) {
        if (count < ATOM_WORDS) word[count] = at;
        at += strcspn(at, " \t");
        if (*at) *at++ = '\0';
    }
    return count;
}

scree_status atoms_number(const atoms *a, const char *word, const char *what, double *to, scree_error *error)
{
    char *end;
    *to = strtod(word, &end);
    if (end != word && !*end && fabs(*to) <= LARGEST) return SCREE_OK;
    return atoms_wrong(a, error, "%s is '%.40s', expected a number%s", what, word,
                       isfinite(*to) && fabs(*to) > LARGEST ? ", at most 1e100" : "");
}

scree_status atoms_whole(const atoms *a, const char *word, const char *what, int64_t low, int64_t high, int64_t *to,
                         scree_error *error)
{
    char *end;
    errno = 0;
    *to = strtoll(word, &end, 10);
    if (end != word && !*end && errno == 0 && *to >= low && *to <= high) return SCREE_OK;
    return atoms_wrong(a, error, "%s is '%.40s', expected a whole number from %lld to %lld", what, word, (long long)low,
                       (long long)high);
}

/* ---- atoms ---------------------------------------------------------------------------------------------------------------- */

atom *atoms_add(atoms *a)
{
    if (a->count == a->capacity) {
        a->capacity += a->capacity / 2 + 256;
        a->atom = cli_more_memory(a->atom, (size_t)a->capacity * sizeof *a->atom);
    }
    atom *one = &a->atom[a->count++];
    *one = (atom){.line = a->line};
    return one;
}

static int by_id(const void *x, const void *y)
{
    const atom *a = x, *b = y;
    if (a->id != b->id) return a->id < b->id ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

scree_status atoms_sort(atoms *a, scree_error *error)
{
    int sorted = 1;
    for (int k = 1; k < a->count && sorted; ++k) sorted = a->atom[k - 1].id < a->atom[k].id;
    if (sorted) return SCREE_OK;
    qsort(a->atom, (size_t)a->count, sizeof *a->atom, by_id);
    for (int k = 1; k < a->count; ++k)
        if (a->atom[k - 1].id == a->atom[k].id) {
            scree_error_set(error, a->path, a->atom[k].line, 0, "atom %lld is also in line %d",
                            (long long)a->atom[k].id, a->atom[k - 1].line);
            return error->status = SCREE_ERR_INPUT;
        }
    return SCREE_OK;
}

const atom *atoms_find(const atoms *a, int64_t id)
{
    const atom key = {.id = id};
    int low = 0, high = a->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (a->atom[middle].id < key.id) low = middle + 1;
        else high = middle;
    }
    return low < a->count && a->atom[low].id == id ? &a->atom[low] : NULL;
}

/* ---- columns -------------------------------------------------------------------------------------------------------------- */

typedef enum column_kind { PASSED, ID, TYPE, PLAIN, SCALED, DIAMETER, FULL_LENGTH } column_kind;

/// A column that means something; PLAIN and SCALED: a number of the atom.
static const struct {
    const char *name;
    column_kind kind;
    size_t offset;
    int axis;
} columns[] = {
#define VECTOR(x, y, z, kind, field)                                                                                   \
    {x, kind, offsetof(atom, field), 0}, {y, kind, offsetof(atom, field) + sizeof(double), 1},                         \
    {                                                                                                                  \
        z, kind, offsetof(atom, field) + 2 * sizeof(double), 2                                                         \
    }
    {"id", ID, 0, 0},
    {"type", TYPE, 0, 0},
    {"radius", PLAIN, offsetof(atom, radius), 0},
    {"diameter", DIAMETER, offsetof(atom, radius), 0},
    {"mass", PLAIN, offsetof(atom, mass), 0},
    VECTOR("x", "y", "z", PLAIN, x),
    VECTOR("xu", "yu", "zu", PLAIN, x),
    VECTOR("xs", "ys", "zs", SCALED, x),
    VECTOR("xsu", "ysu", "zsu", SCALED, x),
    VECTOR("vx", "vy", "vz", PLAIN, v),
    VECTOR("omegax", "omegay", "omegaz", PLAIN, omega),
    {"quatw", PLAIN, offsetof(atom, q), 0},
    VECTOR("quati", "quatj", "quatk", PLAIN, q[1]),
    {"shapex", FULL_LENGTH, 0, 0},
    {"shapey", FULL_LENGTH, 0, 0},
    {"shapez", FULL_LENGTH, 0, 0},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/// The columns of a frame: for each the entry in the table above, or -1.
typedef struct layout {
    int count, of[ATOM_WORDS];
    double low[3], length[3]; /* of the box */
} layout;

static int has(const layout *l, const char *name)
{
    for (int k = 0; k < l->count; ++k)
        if (l->of[k] >= 0 && strcmp(columns[l->of[k]].name, name) == 0) return 1;
    return 0;
}

static scree_status read_columns(const atoms *a, char *names, layout *l, scree_error *error)
{
    char *word[ATOM_WORDS];
    l->count = atoms_cut(names, word);
    if (l->count > ATOM_WORDS)
        return atoms_wrong(a, error, "%d columns, expected at most %d", l->count, (int)ATOM_WORDS);
    for (int k = 0; k < l->count; ++k) {
        l->of[k] = -1;
        for (int c = 0; c < COLUMNS; ++c)
            if (strcmp(columns[c].name, word[k]) == 0) l->of[k] = c;
    }
    static const char *const places[][3] = {
        {"x", "y", "z"}, {"xu", "yu", "zu"}, {"xs", "ys", "zs"}, {"xsu", "ysu", "zsu"}};
    int placed = 0;
    for (int k = 0; k < 4; ++k) placed |= has(l, places[k][0]) && has(l, places[k][1]) && has(l, places[k][2]);
    if (!has(l, "id")) return atoms_wrong(a, error, "there is no column id, by which an atom is known again");
    if (!placed) return atoms_wrong(a, error, "there are no places, expected the columns x, y, z (or xu, xs, xsu)");
    return SCREE_OK;
}

static scree_status read_atom(atoms *a, const layout *l, scree_error *error)
{
    char *word[ATOM_WORDS];
    double full[3] = {0.0, 0.0, 0.0}, value;
    int64_t whole;
    const int found = atoms_cut(a->text, word);
    if (found != l->count) return atoms_wrong(a, error, "%d columns, expected %d as in ITEM: ATOMS", found, l->count);
    atom *one = atoms_add(a);
    scree_status status = SCREE_OK;
    for (int k = 0; k < l->count && status == SCREE_OK; ++k) {
        const int c = l->of[k];
        if (c < 0) continue;
        const column_kind kind = columns[c].kind;
        if (kind == ID || kind == TYPE) {
            status = atoms_whole(a, word[k], columns[c].name, 1, kind == ID ? INT64_MAX : INT32_MAX, &whole, error);
            if (kind == ID) one->id = whole;
            else one->type = (int)whole;
            continue;
        }
        status = atoms_number(a, word[k], columns[c].name, &value, error);
        if (kind == FULL_LENGTH) full[columns[c].name[5] - 'x'] = value;
        if (kind == FULL_LENGTH) continue;
        if (kind == DIAMETER) value *= 0.5;
        if (kind == SCALED) value = l->low[columns[c].axis] + value * l->length[columns[c].axis];
        if (status == SCREE_OK && !(fabs(value) <= LARGEST))
            status = atoms_wrong(a, error, "%s is at %g m, expected at most 1e100", columns[c].name, value);
        memcpy((char *)one + columns[c].offset, &value, sizeof value);
    }
    if (status != SCREE_OK) return status;
    if (!(one->radius >= 0.0) || !(one->mass >= 0.0))
        return atoms_wrong(a, error, "radius %g and mass %g of atom %lld, expected numbers above 0", one->radius,
                           one->mass, (long long)one->id);
    for (int i = 0; i < 3; ++i)
        if (full[i] > 0.0 && one->radius > 0.0 && fabs(full[i] - 2.0 * one->radius) > 1e-9 * full[i])
            return atoms_wrong(a, error, "atom %lld is no sphere: its radius is %g and its length %g",
                               (long long)one->id, one->radius, full[i]);
    return SCREE_OK;
}

/* ---- frames --------------------------------------------------------------------------------------------------------------- */

/// What an ITEM says behind its name; NULL: it is another one.
static char *item(atoms *a, const char *name)
{
    const size_t length = strlen(name);
    if (strncmp(a->text, "ITEM: ", 6) != 0 || strncmp(a->text + 6, name, length) != 0) return NULL;
    char *rest = a->text + 6 + length;
    return *rest == '\0' || *rest == ' ' ? rest : NULL;
}

static scree_status read_bounds(atoms *a, char *kinds, layout *l, int *cut, scree_error *error)
{
    char *word[ATOM_WORDS];
    if (strstr(kinds, "xy")) return atoms_wrong(a, error, "the box is tilted, expected one along the axes");
    for (int i = 0; i < 3; ++i) {
        double high;
        if (!atoms_line(a) || a->ended) {
            *cut = 1;
            return SCREE_OK;
        }
        if (atoms_cut(a->text, word) != 2) return atoms_wrong(a, error, "expected the two ends of the box");
        scree_status status = atoms_number(a, word[0], "the end of the box", &l->low[i], error);
        if (status == SCREE_OK) status = atoms_number(a, word[1], "the end of the box", &high, error);
        if (status != SCREE_OK) return status;
        l->length[i] = high - l->low[i];
    }
    return SCREE_OK;
}

static scree_status read_atoms(atoms *a, char *names, layout *l, int64_t expected, int *cut, scree_error *error)
{
    scree_status status = read_columns(a, names, l, error);
    for (int64_t k = 0; k < expected && status == SCREE_OK; ++k) {
        if (!atoms_line(a) || (a->ended && k + 1 < expected)) {
            *cut = 1;
            return SCREE_OK;
        }
        if (strncmp(a->text, "ITEM:", 5) == 0)
            return atoms_wrong(a, error, "a frame of %lld atoms ends after %lld", (long long)expected, (long long)k);
        status = read_atom(a, l, error);
        if (status != SCREE_OK && a->ended) { /* the last line may be a half one */
            *cut = 1;
            return SCREE_OK;
        }
    }
    return status;
}

/// A value in a line of its own.
static scree_status read_value(atoms *a, int *cut, char **value, scree_error *error)
{
    char *word[ATOM_WORDS];
    *cut = !atoms_line(a) || a->ended;
    if (*cut) return SCREE_OK;
    if (atoms_cut(a->text, word) != 1) return atoms_wrong(a, error, "expected one value in this line");
    *value = word[0];
    return SCREE_OK;
}

static scree_status read_frame(atoms *a, int *there, int *cut, scree_error *error)
{
    layout l = {.count = 0};
    int64_t expected = -1, steps = 0;
    a->count = 0, a->step = -1, a->time = NAN;
    while (atoms_line(a)) {
        char *rest, *value = NULL;
        scree_status status = SCREE_OK;
        if (a->text[0] == '\0') continue;
        *there = 1;
        if ((rest = item(a, "ATOMS"))) {
            if (a->step < 0 || expected < 0)
                return atoms_wrong(a, error, "atoms before ITEM: TIMESTEP and ITEM: NUMBER OF ATOMS");
            status = read_atoms(a, rest, &l, expected, cut, error);
            return status == SCREE_OK && !*cut ? atoms_sort(a, error) : status;
        }
        if ((rest = item(a, "BOX BOUNDS"))) status = read_bounds(a, rest, &l, cut, error);
        else if (item(a, "TIMESTEP")) {
            status = read_value(a, cut, &value, error);
            if (value) status = atoms_whole(a, value, "the step", 0, INT64_MAX, &steps, error), a->step = steps;
        } else if (item(a, "TIME")) {
            status = read_value(a, cut, &value, error);
            if (value) status = atoms_number(a, value, "the time", &a->time, error);
        } else if (item(a, "NUMBER OF ATOMS")) {
            status = read_value(a, cut, &value, error);
            if (value) status = atoms_whole(a, value, "the number of atoms", 0, INT32_MAX, &expected, error);
        } else if (item(a, "UNITS")) {
            status = read_value(a, cut, &value, error);
            if (value && strcmp(value, "si") != 0)
                status = atoms_wrong(a, error, "the units are '%.20s', expected si", value);
        } else if (a->ended) *cut = 1;
        else status = atoms_wrong(a, error, "'%.40s', expected an ITEM of a dump of LAMMPS", a->text);
        if (status != SCREE_OK || *cut) return status;
    }
    *cut = *there; /* items, and no atoms */
    return SCREE_OK;
}

scree_status atoms_next(atoms *a, int *there, int *cut, scree_error *error)
{
    *there = *cut = 0;
    if (a->is_data && !a->held) return SCREE_OK;
    scree_status status = a->is_data ? (*there = 1, atoms_data(a, error)) : read_frame(a, there, cut, error);
    if (a->too_long || a->problem) return atoms_ended(a, error);
    if (*cut) *there = 0;
    return status;
}

scree_status atoms_open(atoms *a, const char *path, scree_error *error)
{
    *a = (atoms){.path = path, .time = NAN};
    a->in = fopen(path, "r");
    if (!a->in) {
        scree_error_set(error, path, 0, 0, "cannot open the file: %s", strerror(errno));
        return error->status = SCREE_ERR_FILE;
    }
    if (!atoms_line(a)) {
        const scree_status status = atoms_ended(a, error);
        return status ? status : atoms_wrong(a, error, "nothing in it, expected a dump or a data file of LAMMPS");
    }
    a->is_data = strncmp(a->text, "ITEM:", 5) != 0;
    a->held = 1; /* pipes cannot go back */
    return SCREE_OK;
}

void atoms_close(atoms *a)
{
    if (a->in) fclose(a->in);
    free(a->text);
    free(a->atom);
    *a = (atoms){.path = NULL};
}
