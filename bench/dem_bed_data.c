/* dem_bed_data.c: the bed of scree_bench_dem as a LAMMPS data file. */
#include "bench/dem_bed.h"
#include "cli/cli.h"
#include "cli/system.h"

#include <scree/files.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dem_state dem_state_make(int count)
{
    size_t size = (size_t)count * 3 * sizeof(double);
    return (dem_state){count, {0.0, 0.0}, cli_memory(size), cli_memory(size), cli_memory(size), cli_memory(size / 3)};
}

void dem_state_free(dem_state *s)
{
    free(s->x), free(s->v), free(s->omega), free(s->radius);
    *s = (dem_state){0};
}

bed_motion dem_state_motion(const dem_state *s)
{
    return (bed_motion){s->x, s->v, s->omega, NULL};
}

scree_status dem_state_write(const dem_state *s, const char *path, scree_error *error)
{
    const double density = 6.0 / DEM_PI; /* mass 1 */
    FILE *f = fopen(path, "w");
    double top = 0.0;
    if (!f) {
        scree_error_set(error, path, 0, 0, "cannot write the file: %s", strerror(errno));
        return SCREE_ERR_WRITE;
    }
    for (int i = 0; i < s->count; ++i) top = fmax(top, s->x[3 * i + 2]);
    fprintf(f, "scree_bench_dem\n\n%d atoms\n1 atom types\n\n", s->count);
    fprintf(f, "0 %.17g xlo xhi\n0 %.17g ylo yhi\n-1 %.17g zlo zhi\n\nAtoms\n\n", s->box[0], s->box[1], top + 5.0);
    for (int i = 0; i < s->count; ++i) { /* LAMMPS wants positions inside the box */
        const double *x = s->x + 3 * i;
        fprintf(f, "%d 1 %.17g %.17g %.17g %.17g %.17g\n", i + 1, 2.0 * s->radius[i], density,
                x[0] - s->box[0] * floor(x[0] / s->box[0]), x[1] - s->box[1] * floor(x[1] / s->box[1]), x[2]);
    }
    fprintf(f, "\nVelocities\n\n");
    for (int i = 0; i < s->count; ++i) {
        const double *v = s->v + 3 * i, *w = s->omega + 3 * i;
        fprintf(f, "%d %.17g %.17g %.17g %.17g %.17g %.17g\n", i + 1, v[0], v[1], v[2], w[0], w[1], w[2]);
    }
    int failed = ferror(f);
    if (fclose(f) != 0 || failed) {
        scree_error_set(error, path, 0, 0, "cannot write the file: %s", strerror(errno ? errno : EIO));
        return SCREE_ERR_WRITE;
    }
    return SCREE_OK;
}

/// The next number of the text; `*good` becomes 0 where there is none.
static double number(char **at, int *good)
{
    char *end;
    double value = strtod(*at, &end);
    *good &= end != *at && isfinite(value);
    *at = end;
    return value;
}

/// After the line `word`, a line per atom: its number; if there is a `radius`, type, diameter and density; three for `out` and three for
/// `more` (NULL: none).
static int read_rows(char **at, const char *word, int count, double *radius, double *out, double *more)
{
    char *found = strstr(*at, word);
    int good = found != NULL;
    if (good) *at = found + strlen(word);
    for (int n = 0; n < count && good; ++n) {
        double id = number(at, &good);
        good &= id >= 1.0 && id <= count;
        size_t to = good ? 3 * ((size_t)id - 1) : 0;
        if (radius) {
            number(at, &good), radius[to / 3] = 0.5 * number(at, &good), number(at, &good);
            good &= radius[to / 3] > 0.0;
        }
        for (size_t k = 0; k < 3; ++k) out[to + k] = number(at, &good);
        for (size_t k = 0; k < 3 && more; ++k) more[to + k] = number(at, &good);
    }
    return good;
}

scree_status dem_state_read(const char *path, dem_state *s, scree_error *error)
{
    static const char title[] = "scree_bench_dem\n\n", x_end[] = " atoms\n1 atom types\n\n0 ", y_end[] = " xlo xhi\n0 ";
    char *text = NULL, *at;
    size_t size;
    *s = (dem_state){0};
    text = scree_file_read(path, SIZE_MAX, NULL, &size, error);
    if (!text) return SCREE_ERR_FILE;
    int good = strncmp(text, title, strlen(title)) == 0;
    at = text + (good ? strlen(title) : 0);
    double count = good ? number(&at, &good) : 0.0, box[2] = {0.0, 0.0};
    good = good && count >= 1.0 && count <= 5e7 && strncmp(at, x_end, strlen(x_end)) == 0;
    if (good) at += strlen(x_end), box[0] = number(&at, &good), good &= strncmp(at, y_end, strlen(y_end)) == 0;
    if (good) at += strlen(y_end), box[1] = number(&at, &good);
    if (good && box[0] > 0.0 && box[1] > 0.0) {
        *s = dem_state_make((int)count);
        s->box[0] = box[0], s->box[1] = box[1];
        good = read_rows(&at, "Atoms\n", s->count, s->radius, s->x, NULL) &&
               read_rows(&at, "Velocities\n", s->count, NULL, s->v, s->omega);
    } else good = 0;
    free(text);
    if (good) return SCREE_OK;
    dem_state_free(s);
    scree_error_set(error, path, 0, 0, "not a data file that scree_bench_dem wrote");
    return SCREE_ERR_INPUT;
}
