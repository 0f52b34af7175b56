/* bench_dem_data.c: the bed of `scree bench dem` as a LAMMPS data file. */
#include "cli/bench_dem.h"
#include "cli/memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dem_state dem_state_make(int count)
{
    size_t size = (size_t)count * 3 * sizeof(double);
    return (dem_state){count, {0.0, 0.0}, cli_memory(size), cli_memory(size), cli_memory(size)};
}

void dem_state_free(dem_state *s)
{
    free(s->x), free(s->v), free(s->omega);
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
        scree_error_set(error, path, 0, 0, "%s", strerror(errno));
        return SCREE_ERR_FILE;
    }
    for (int i = 0; i < s->count; ++i) top = fmax(top, s->x[3 * i + 2]);
    fprintf(f, "scree bench dem\n\n%d atoms\n1 atom types\n\n", s->count);
    fprintf(f, "0 %.17g xlo xhi\n0 %.17g ylo yhi\n-1 %.17g zlo zhi\n\nAtoms\n\n", s->box[0], s->box[1], top + 5.0);
    for (int i = 0; i < s->count; ++i) { /* LAMMPS wants positions inside the box */
        const double *x = s->x + 3 * i;
        fprintf(f, "%d 1 1 %.17g %.17g %.17g %.17g\n", i + 1, density, x[0] - s->box[0] * floor(x[0] / s->box[0]),
                x[1] - s->box[1] * floor(x[1] / s->box[1]), x[2]);
    }
    fprintf(f, "\nVelocities\n\n");
    for (int i = 0; i < s->count; ++i) {
        const double *v = s->v + 3 * i, *w = s->omega + 3 * i;
        fprintf(f, "%d %.17g %.17g %.17g %.17g %.17g %.17g\n", i + 1, v[0], v[1], v[2], w[0], w[1], w[2]);
    }
    int failed = ferror(f);
    if (fclose(f) != 0 || failed) {
        scree_error_set(error, path, 0, 0, "could not be written");
        return SCREE_ERR_FILE;
    }
    return SCREE_OK;
}

/// `columns` numbers per line after the atom's, into rows of `out`; the line number of the first atom that is not there, or 0.
static int read_rows(FILE *f, int count, int skip, double *out, double *more)
{
    for (int n = 0; n < count; ++n) {
        int id;
        double value[6] = {0}, ignored;
        if (fscanf(f, "%d", &id) != 1 || id < 1 || id > count) return n + 1;
        for (int k = 0; k < skip; ++k)
            if (fscanf(f, "%lf", &ignored) != 1) return n + 1;
        for (int k = 0; k < (more ? 6 : 3); ++k)
            if (fscanf(f, "%lf", &value[k]) != 1) return n + 1;
        memcpy(out + 3 * (size_t)(id - 1), value, 3 * sizeof(double));
        if (more) memcpy(more + 3 * (size_t)(id - 1), value + 3, 3 * sizeof(double));
    }
    return 0;
}

/// The next line that begins with `word`. 0: none.
static int find_line(FILE *f, const char *word)
{
    char line[256];
    while (fgets(line, sizeof line, f))
        if (strncmp(line, word, strlen(word)) == 0) return 1;
    return 0;
}

scree_status dem_state_read(const char *path, dem_state *s, scree_error *error)
{
    FILE *f = fopen(path, "r");
    int count = 0;
    double box[2];
    *s = (dem_state){0};
    if (!f) {
        scree_error_set(error, path, 0, 0, "%s", strerror(errno));
        return SCREE_ERR_FILE;
    }
    int good =
        fscanf(f, "scree bench dem %d atoms 1 atom types 0 %lf xlo xhi 0 %lf ylo yhi", &count, &box[0], &box[1]) == 3 &&
        count > 0 && count <= 50000000 && box[0] > 0.0 && box[1] > 0.0;
    if (good) {
        *s = dem_state_make(count);
        s->box[0] = box[0], s->box[1] = box[1];
        good = find_line(f, "Atoms") && read_rows(f, count, 3, s->x, NULL) == 0 && find_line(f, "Velocities") &&
               read_rows(f, count, 0, s->v, s->omega) == 0;
    }
    fclose(f);
    if (good) return SCREE_OK;
    dem_state_free(s);
    scree_error_set(error, path, 0, 0, "not a data file that scree bench dem wrote");
    return SCREE_ERR_INPUT;
}
