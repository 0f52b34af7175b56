/* generate.c: `scree generate pile OUT`: contact problems of sphere piles, of any size, to measure solvers on (cli/pile.h). */
#include "cli/cli.h"
#include "cli/pile.h"

#include <stdio.h>

static const char help[] =
    "usage: scree generate pile OUT [options]\n"
    "\n"
    "Writes the contact problem of a pile of spheres: one time step under gravity (g = 1, mean diameter 1, mass 1).\n"
    "The spheres are dropped one by one into a periodic box; each rests on about three others.\n"
    "OUT ends in .dat or .hdf5.\n"
    "\n"
    "options:\n"
    "  --grains N       number of spheres (1000; about three contacts each)\n"
    "  --dim N          components of a contact: 3 slide, 5 slide+roll, 6 slide+roll+spin (6)\n"
    "  --mu X           sliding coefficient (0.5)\n"
    "  --rho X          rolling and spinning coefficient, in diameters; 0 for none (0.05)\n"
    "  --spread X       radii uniform in (1 - X, 1 + X)/2 (0: all equal)\n"
    "  --mass-ratio X   every 20th sphere is X times heavier (1)\n"
    "  --moving X       random velocities of X times (time step x gravity) (0: at rest)\n"
    "  --width X        width of the box in diameters (about as wide as deep)\n"
    "  --seed N         of the random numbers (1)\n"
    "  --help           this text\n"
    "\n"
    "exit status: 0 written; 2 wrong usage; 4 machine failure\n"
    "\n"
    "example:\n"
    "  scree generate pile pile.hdf5 --grains 500 && scree solve pile.hdf5\n";

/// CLI_REAL takes values above 0; these may be 0.
static int read_real(const char *text, double lowest, double highest, double *value)
{
    char *end;
    if (!text) return 1;
    double v = strtod(text, &end);
    if (end == text || *end != '\0' || !(v >= lowest && v <= highest)) return 0;
    *value = v;
    return 1;
}

int cli_generate(int argc, char **argv)
{
    pile_def def = pile_def_default();
    const char *rho = NULL, *spread = NULL, *moving = NULL, *mu = NULL;
    int seed = 1, operands;
    const cli_option options[] = {
        {"--grains", CLI_COUNT, &def.grains},
        {"--dim", CLI_COUNT, &def.dim},
        {"--mu", CLI_TEXT, &mu},
        {"--rho", CLI_TEXT, &rho},
        {"--spread", CLI_TEXT, &spread},
        {"--mass-ratio", CLI_REAL, &def.mass_ratio},
        {"--moving", CLI_TEXT, &moving},
        {"--width", CLI_REAL, &def.width},
        {"--seed", CLI_COUNT, &seed},
    };
    int status = cli_options(argc, argv, help, options, (int)(sizeof options / sizeof *options), &operands);
    if (status != CLI_GO_ON) return status;
    if (operands != 2) return cli_usage("generate", "expected what to generate and where: pile OUT");
    if (strcmp(argv[1], "pile") != 0) return cli_usage("generate", "cannot generate '%s'; expected 'pile'", argv[1]);
    if (def.dim != 3 && def.dim != 5 && def.dim != 6)
        return cli_usage("generate", "--dim is %d, expected 3, 5 or 6", def.dim);
    if (!read_real(mu, 0.0, 1e12, &def.mu)) return cli_usage("generate", "--mu is '%s', expected a number >= 0", mu);
    if (!read_real(rho, 0.0, 1e12, &def.rho))
        return cli_usage("generate", "--rho is '%s', expected a number >= 0", rho);
    if (!read_real(spread, 0.0, 0.9, &def.spread))
        return cli_usage("generate", "--spread is '%s', expected a number from 0 to 0.9", spread);
    if (!read_real(moving, 0.0, 1e12, &def.moving))
        return cli_usage("generate", "--moving is '%s', expected a number >= 0", moving);
    def.sigma = def.rho, def.seed = (uint64_t)seed;

    pile geometry;
    scree_problem *problem = NULL;
    scree_error error = {0};
    scree_status made = pile_build(&def, &geometry) ? pile_problem(&def, &geometry, NULL, &problem) : SCREE_ERR_MEMORY;
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
