/* generate.c: `scree generate pile OUT`: contact problems of sphere piles, of any size, to measure solvers on (cli/pile.h). */
#include "cli/cli.h"
#include "cli/pile.h"
#include "cli/system.h"

#include <scree/files.h>

#include <stdio.h>
#include <string.h>

static const char *const generated[] = {"pile", NULL};

static const cli_about about = {
    .operands = "pile OUT",
    .text = "Writes the contact problem of a pile of spheres: one time step under gravity (g = 1, mean diameter "
            "1, mass 1). The spheres are dropped one by one into a periodic box; each rests on about three "
            "others. OUT ends in .dat or .hdf5; with .data it gets the spheres instead, as LAMMPS reads them "
            "(docs/scale.md). The "
            "same options give the same file.",
    .exits = "0 written; 2 wrong usage; 4 machine failure",
    .examples = "scree generate pile pile.hdf5 --grains 500 && scree solve pile.hdf5",
    .names = generated,
};

/// The spheres as a data file of LAMMPS, periodic along x and y.
static scree_status write_spheres(const pile *p, double width, const char *path, scree_error *error)
{
    scree_new_file file;
    double high = 0.0;
    const double pi = 3.14159265358979323846;
    if (scree_file_begin(path, &file, error) != SCREE_OK) return error->status;
    for (int k = 0; k < p->grains; ++k) high = fmax(high, p->x[3 * k + 2] + p->radius[k]);
    fprintf(file.stream,
            "pile, by scree generate\n\n%d atoms\n1 atom types\n0 %.17g xlo xhi\n0 %.17g ylo yhi\n0 %.17g zlo "
            "zhi\n\nAtoms # sphere\n\n",
            p->grains, width, width, high + 1.0);
    for (int k = 0; k < p->grains; ++k) {
        const double r = p->radius[k], *x = p->x + 3 * k;
        fprintf(file.stream, "%d 1 %.17g %.17g %.17g %.17g %.17g\n", k + 1, 2.0 * r,
                p->mass[k] / (4.0 / 3.0 * pi * r * r * r), x[0], x[1], x[2]);
    }
    return scree_file_end(&file, error);
}

int cli_generate(int argc, char **argv)
{
    pile_def def = pile_def_default();
    int seed = 1, operands;
    /* clang-format off */
    const cli_option options[] = {
        {"--grains", "N", CLI_COUNT, &def.grains,
         .text = "number of spheres; default 1000, with about three contacts each"},
        {"--dim", "N", CLI_COUNT, &def.dim,
         .text = "components of a contact: 3 slide, 5 slide+roll, 6 slide+roll+spin; default 6"},
        {"--mu", "X", CLI_NOT_NEGATIVE, &def.mu,
         .text = "sliding coefficient; default 0.5"},
        {"--rho", "X", CLI_NOT_NEGATIVE, &def.rho,
         .text = "rolling and spinning coefficient, in mean diameters; default 0.05, 0 for none"},
        {"--spread", "X", CLI_NOT_NEGATIVE, &def.spread,
         .text = "radii uniform in (1 - X, 1 + X)/2, X from 0 to 0.9; default 0, all equal"},
        {"--mass-ratio", "X", CLI_POSITIVE, &def.mass_ratio,
         .text = "every 20th sphere is X times heavier; default 1"},
        {"--moving", "X", CLI_NOT_NEGATIVE, &def.moving,
         .text = "random velocities, normally distributed: X times (time step x gravity) in each direction, twice "
         "that for angular velocities; default 0, at rest"},
        {"--width", "X", CLI_POSITIVE, &def.width,
         .text = "width of the box in diameters; default: about as wide as the pile is deep, at least 4"},
        {"--seed", "N", CLI_COUNT, &seed,
         .text = "of the random numbers; default 1"},
    };
    /* clang-format on */
    int status = cli_options(argc, argv, &about, options, CLI_COUNT_OF(options), &operands);
    if (status != CLI_GO_ON) return status;
    if (operands != 2) return cli_usage("generate", "expected what to generate and where: pile OUT");
    if (strcmp(argv[1], "pile") != 0) return cli_usage("generate", "cannot generate '%s'; expected 'pile'", argv[1]);
    if (def.dim != 3 && def.dim != 5 && def.dim != 6)
        return cli_usage("generate", "--dim is %d, expected 3, 5 or 6", def.dim);
    if (def.spread > 0.9) return cli_usage("generate", "--spread is %g, expected a number from 0 to 0.9", def.spread);
    def.sigma = def.rho, def.seed = (uint64_t)seed;
    if (!(def.width > 0.0)) def.width = fmax(4.0, cbrt(0.75 * def.grains));

    pile geometry;
    scree_problem *problem = NULL;
    scree_error error = {0};
    const int spheres = cli_ends_with(argv[2], ".data");
    scree_status made = pile_build(&def, &geometry) ? SCREE_OK : SCREE_ERR_MEMORY;
    if (made == SCREE_OK && spheres) {
        made = write_spheres(&geometry, def.width, argv[2], &error);
        pile_free(&geometry);
        if (made == SCREE_OK) printf("%s: %d grains\n", argv[2], def.grains);
        else cli_print_error(&error, NULL, 0);
        return cli_exit_of(made);
    }
    if (made == SCREE_OK) made = pile_problem(&def, &geometry, NULL, &problem);
    pile_free(&geometry);
    if (made == SCREE_OK) made = scree_problem_write(problem, NULL, argv[2], &error);
    else scree_error_set(&error, NULL, 0, 0, "out of memory for %d grains", def.grains);
    if (made == SCREE_OK)
        printf("%s: %d grains, %d contacts of %d components\n", argv[2], def.grains,
               scree_problem_parts(problem).contact_count, def.dim);
    else cli_print_error(&error, NULL, 0);
    scree_problem_destroy(problem);
    return cli_exit_of(made);
}
