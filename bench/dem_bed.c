/* dem_bed.c: the program scree_bench_dem: beds of soft spheres (dem/spheres/bed.h): time per particle and step, memory, and the kinetic energy that
 * LAMMPS must give too.
 *
 * The bed is the one that peers were measured on: equal spheres d = m = g = 1, about 25 deep on a floor, periodic, k_n 2e4, step 3e-4. It is
 * made from a loose lattice that falls and comes to rest. A bed of more than 10,000 grains is made of equal tiles. */
#include "bench/dem_bed.h"
#include "bench/meter.h"
#include "cli/system.h"
#include "math/rng.h"

#include <scree/files.h>

#include <math.h>
#include <stdio.h>
#include <time.h>

static const char *const laws[] = {"sds", "fn", "both", NULL};

static const cli_about about = {
    .operands = "[GRAINS]...",
    .text = "Steps settled beds of GRAINS soft spheres (default: 10000) with slide, roll and spin friction, and "
            "prints:\n"
            "  law        sds: spring, dashpot, slider, as LAMMPS' granular; fn: tracked contact points\n"
            "  us         microseconds per particle and step: minimum and mean of the windows. One thread: "
            "processor time, else wall\n"
            "  touch      contacts per grain, and list: pairs in the lists per grain\n"
            "  rebuilds   of the lists in the timed steps\n"
            "  B          bytes per grain, at most\n"
            "  energy     kinetic, per grain, at the end",
    .examples = "scree_bench_dem 10000 --settle 5000 --threads 2",
};

static const double STEP = 3e-4;
enum { TILE = 10000, WINDOWS_MAX = 1000 };

typedef struct settings {
    const char *law, *from, *write;
    int threads, set, settle, steps, windows, check, turn;
    double tilt;
} settings;

typedef struct row {
    int grains;
    const char *law, *instructions;
    double least, mean, touching, listed, bytes, energy;
    double us[WINDOWS_MAX]; /* of each window */
    long rebuilds;
} row;

/* ---- the bed ---------------------------------------------------------------------------------------------------------------- */

/// A bed and what its definition points to.
typedef struct bench {
    bed_pair pair;
    bed_plane floor;
    double *radius, *inverse_mass;
    meter memory;
    scree_pool *pool;
    bed *bed;
} bench;

static void bench_end(bench *b)
{
    bed_destroy(b->bed);
    scree_pool_destroy(b->pool);
    free(b->radius), free(b->inverse_mass);
}

static scree_status bench_start(const dem_state *state, bed_law law, const settings *s, bench *b, scree_error *error)
{
    const double kt = 2e4 * 2.0 / 7.0;
    bed_motion start = dem_state_motion(state);
    *b = (bench){.floor = {.normal = {0, 0, 1}}};
    b->pair = (bed_pair){.normal = {DEM_HOOKE, 2e4, 0.0, 1}, .normal_damping = 50.0, .slide = {kt, 50.0, 0.5, 0.0}};
    b->pair.roll = (bed_sds){5714.0, 50.0, 0.05, 0.0}, b->pair.twist = (bed_sds){1000.0, 10.0, 0.02, 0.0};
    b->pair.friction = dem_friction_default(kt, 0.5, 0.4);
    b->pair.friction.eta_r = b->pair.friction.eta_psi = 0.1;
    b->radius = malloc((size_t)state->count * sizeof(double));
    b->inverse_mass = malloc((size_t)state->count * sizeof(double));
    if (!b->radius || !b->inverse_mass) return SCREE_ERR_MEMORY;
    for (int i = 0; i < state->count; ++i) b->radius[i] = 0.5, b->inverse_mass[i] = 1.0;
    bed_def def = {.count = state->count, .radius = b->radius, .inverse_mass = b->inverse_mass, .materials = 1};
    def.pair = &b->pair, def.law = law, def.planes = 1, def.plane = &b->floor, def.gravity[2] = -1.0, def.step = STEP;
    for (int k = 0; k < 2; ++k) def.periodic[k] = 1, def.high[k] = state->box[k];
    def.skin = 0.2, def.kernel = s->set, def.orientations = s->turn;
    scree_allocator counted = meter_allocator(&b->memory);
    b->pool = scree_pool_create(s->threads, NULL, error);
    return b->pool ? bed_create(&def, &start, &counted, b->pool, &b->bed, error) : SCREE_ERR_MEMORY;
}

/// A tile of the lattice: 1.07 d wide, 1.02 d high, off by up to 0.05 d, at speeds up to 0.15.
static dem_state lattice(int count)
{
    dem_state s = dem_state_make(count);
    double side = 20.4 * sqrt(count / 10000.0);
    int n = (int)(side / 1.07) > 4 ? (int)(side / 1.07) : 4;
    double pitch = fmax(side / n, 1.07);
    rng random = rng_make(1, 0);
    for (int i = 0; i < count; ++i) {
        double *x = s.x + 3 * (size_t)i, *v = s.v + 3 * (size_t)i;
        int layer = i / (n * n), line = i / n % n;
        x[0] = (i % n + 0.5 + 0.1 * (rng_uniform(&random) - 0.5)) * pitch;
        x[1] = (line + 0.5 + 0.1 * (rng_uniform(&random) - 0.5)) * pitch;
        x[2] = 0.6 + 1.02 * layer;
        for (int k = 0; k < 3; ++k) v[k] = 0.3 * (rng_uniform(&random) - 0.5);
    }
    s.box[0] = s.box[1] = pitch * n;
    return s;
}

/// One tile settled, then laid side by side, as square as it goes.
static scree_status settled(int grains, const settings *s, dem_state *out, scree_error *error)
{
    int tiles = (grains + TILE - 1) / TILE, wide = (int)sqrt((double)tiles), each = grains / tiles;
    while (tiles % wide != 0) wide -= 1;
    int deep = tiles / wide;
    dem_state tile = lattice(each);
    bench b;
    scree_status status = bench_start(&tile, BED_SDS, s, &b, error);
    if (status == SCREE_OK) status = bed_advance(b.bed, s->settle, error);
    bed_motion now = dem_state_motion(&tile);
    if (status == SCREE_OK) bed_read(b.bed, &now);
    bench_end(&b);
    *out = dem_state_make(each * tiles);
    out->box[0] = wide * tile.box[0], out->box[1] = deep * tile.box[1];
    for (int t = 0; t < tiles; ++t) {
        int column = t % wide, line = t / wide;
        for (int i = 0; i < each; ++i)
            for (int k = 0; k < 3; ++k) {
                size_t to = 3 * ((size_t)t * (size_t)each + (size_t)i) + (size_t)k, from = 3 * (size_t)i + (size_t)k;
                double shift = k == 0 ? column * tile.box[0] : k == 1 ? line * tile.box[1] : 0.0;
                out->x[to] = tile.x[from] + shift, out->v[to] = tile.v[from], out->omega[to] = tile.omega[from];
            }
    }
    dem_state_free(&tile);
    return status;
}

/* ---- measurements --------------------------------------------------------------------------------------------------------------- */

static double seconds(int threads)
{
    return threads > 1 ? scree_clock_seconds() : (double)clock() / CLOCKS_PER_SEC;
}

static scree_status measure(const dem_state *state, bed_law law, const settings *s, row *r, scree_error *error)
{
    bench b;
    int window = s->steps / s->windows > 0 ? s->steps / s->windows : 1;
    scree_status status = bench_start(state, law, s, &b, error);
    *r = (row){.grains = state->count, .law = law == BED_SDS ? "sds" : "fn", .least = (double)INFINITY};
    if (status == SCREE_OK && s->tilt > 0.0) {
        double a = s->tilt, lean[3] = {sin(a), 0.0, -cos(a)};
        bed_set_gravity(b.bed, lean);
    }
    if (status == SCREE_OK) status = bed_advance(b.bed, window, error); /* memories begin here */
    int64_t before = status == SCREE_OK ? bed_count(b.bed).rebuilds : 0;
    for (int k = 0; k < s->windows && status == SCREE_OK; ++k) {
        double from = seconds(s->threads);
        status = bed_advance(b.bed, window, error);
        r->us[k] = 1e6 * (seconds(s->threads) - from) / window / state->count;
        r->least = fmin(r->least, r->us[k]), r->mean += r->us[k] / s->windows;
    }
    if (status == SCREE_OK) {
        bed_counts c = bed_count(b.bed);
        r->instructions = c.instructions, r->rebuilds = (long)(c.rebuilds - before);
        r->touching = (double)c.touching / state->count, r->listed = (double)c.listed / state->count;
        r->energy = bed_energies(b.bed).kinetic / state->count;
        r->bytes = (double)b.memory.most / state->count;
    }
    bench_end(&b);
    return status;
}

/// Velocities half a step on: v += h/2 a, with loads whose memories have moved over a time.
static scree_status half_kick(bed *b, double moved, dem_state *s, double *force, double *torque)
{
    scree_status status = bed_loads(b, moved, force, torque);
    for (size_t k = 0; k < 3 * (size_t)s->count && status == SCREE_OK; ++k) {
        s->v[k] += 0.5 * STEP * (force[k] - (k % 3 == 2));
        s->omega[k] += 0.5 * STEP * torque[k] * 10.0; /* 1/I = 2.5/R^2 */
    }
    return status;
}

/// LAMMPS' Verlet scheme is ours with velocities half a step behind: it kicks by half a step at the start, where memories have not moved yet,
/// and before it looks.
static scree_status check(dem_state *s, const settings *set, scree_error *error)
{
    bench b;
    double *force = calloc((size_t)s->count * 3, sizeof(double)),
           *torque = calloc((size_t)s->count * 3, sizeof(double));
    double moving = 0.0, turning = 0.0;
    scree_status status = bench_start(s, BED_SDS, set, &b, error);
    if (!force || !torque) status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        bed_motion now = dem_state_motion(s);
        status = half_kick(b.bed, 0.0, s, force, torque);
        for (size_t k = 0; k < 3 * (size_t)s->count; ++k) s->x[k] += STEP * s->v[k];
        if (status == SCREE_OK) status = bed_write(b.bed, &now, error);
        if (status == SCREE_OK) status = bed_advance(b.bed, set->check - 1, error);
        if (status == SCREE_OK) bed_read(b.bed, &now), status = half_kick(b.bed, STEP, s, force, torque);
    }
    for (size_t k = 0; k < 3 * (size_t)s->count; ++k)
        moving += 0.5 * s->v[k] * s->v[k], turning += 0.05 * s->omega[k] * s->omega[k];
    if (status == SCREE_OK) printf("%.15g %.15g\n", moving, turning);
    bench_end(&b), free(force), free(torque);
    return status;
}

/* ---- the command ---------------------------------------------------------------------------------------------------------------- */

enum { TABLE, CSV, JSON };

static void print_row(int format, const row *r, const settings *s, const char *machine, scree_json *j)
{
    if (format == JSON) {
        scree_json_object(j, NULL);
        scree_json_integer(j, "grains", r->grains), scree_json_text(j, "law", r->law);
        scree_json_text(j, "instructions", r->instructions), scree_json_integer(j, "threads", s->threads);
        scree_json_number(j, "us_least", r->least), scree_json_number(j, "us_mean", r->mean);
        scree_json_numbers(j, "us", r->us, s->windows);
        scree_json_number(j, "touching", r->touching), scree_json_number(j, "listed", r->listed);
        scree_json_integer(j, "rebuilds", r->rebuilds), scree_json_number(j, "bytes", r->bytes);
        scree_json_number(j, "kinetic_energy", r->energy), scree_json_text(j, "machine", machine);
        scree_json_text(j, "commit", cli_commit());
        scree_json_close(j);
        return;
    }
    printf(format == CSV ? "%d,%s,%s,%d,%.5g,%.5g,%.4g,%.4g,%ld,%.0f,%.6g"
                         : "%8d %4s %7s %3d %8.4f %8.4f %6.3f %6.3f %8ld %5.0f %10.3g",
           r->grains, r->law, r->instructions, s->threads, r->least, r->mean, r->touching, r->listed, r->rebuilds,
           r->bytes, r->energy);
    if (format == CSV) printf(",%s,%s", machine, cli_commit());
    printf("\n");
    fflush(stdout);
}

/// CLI_GO_ON, or an exit status after a message.
static int bench_one(int grains, int format, const settings *s, const char *machine, scree_json *j)
{
    dem_state state = {0};
    scree_error error = {0};
    scree_status status = s->from ? dem_state_read(s->from, &state, &error) : settled(grains, s, &state, &error);
    if (status == SCREE_OK && s->write) status = dem_state_write(&state, s->write, &error);
    if (status == SCREE_OK && s->check > 0) status = check(&state, s, &error);
    for (int law = BED_SDS; law <= BED_TRACKED && status == SCREE_OK && s->check == 0; ++law) {
        row r;
        if (strcmp(s->law, "both") != 0 && strcmp(s->law, law == BED_SDS ? "sds" : "fn") != 0) continue;
        status = measure(&state, (bed_law)law, s, &r, &error);
        if (status == SCREE_OK) print_row(format, &r, s, machine, j);
    }
    dem_state_free(&state);
    if (status == SCREE_OK) return CLI_GO_ON;
    return meter_failed(status, &error);
}

int main(int argc, char **argv)
{
    settings s = {.law = "both", .threads = 1, .settle = 40000, .steps = 500, .windows = 5};
    int as_csv = 0, as_json = 0, operands, grains[SIZES_MAX] = {TILE};
    char machine[256];
    /* clang-format off */
    const cli_option options[] = {
        {"--law", NULL, CLI_WORD, &s.law,
         .text = "friction; default both", .words = laws},
        {"--threads", "N", CLI_COUNT, &s.threads,
         .text = "threads; default 1"},
        {"--set", "N", CLI_COUNT, &s.set,
         .text = "instruction set: 1 the second best that the machine has, 2 the third; default: the best"},
        {"--settle", "N", CLI_COUNT, &s.settle,
         .text = "steps in which the bed comes to rest; default 40000, 1 to see it fall"},
        {"--steps", "N", CLI_COUNT, &s.steps,
         .text = "steps timed; default 500"},
        {"--windows", "N", CLI_COUNT, &s.windows,
         .text = "stretches in which they are timed, 1 to 1000; default 5. --json lists them all"},
        {"--turn", NULL, CLI_FLAG, &s.turn,
         .text = "carries orientations along (the peers have none)"},
        {"--tilt", "ANGLE", CLI_POSITIVE, &s.tilt,
         .text = "gravity leans by this angle, as in 20deg, after settling: the bed flows", .unit = "rad"},
        {"--from", "FILE", CLI_PATH, &s.from,
         .text = "the bed from a file that --write made, no settling"},
        {"--write", "FILE", CLI_PATH, &s.write,
         .text = "the settled bed as a LAMMPS data file"},
        {"--check", "N", CLI_COUNT, &s.check,
         .text = "no timing: kinetic energy (translation, rotation) after N steps from the bed without histories, as "
         "LAMMPS starts (bench/dem_peers.py)"},
        {"--csv", NULL, CLI_FLAG, &as_csv,
         .text = "one line of comma-separated values per bed"},
        {"--json", NULL, CLI_FLAG, &as_json,
         .text = "a list of JSON objects on standard output"},
    };
    /* clang-format on */
    static char name[] = "scree_bench_dem";
    argv[0] = name;
    int code = cli_options(argc, argv, &about, options, CLI_COUNT_OF(options), &operands);
    if (code != CLI_GO_ON) return code;
    if (as_csv && as_json) return cli_usage("scree_bench_dem", "--csv and --json exclude each other");
    if (s.windows > WINDOWS_MAX)
        return cli_usage("scree_bench_dem", "--windows is %d, expected 1 to %d", s.windows, (int)WINDOWS_MAX);
    if (s.from && operands > 0)
        return cli_usage("scree_bench_dem", "--from FILE brings its own grains: expected no GRAINS beside it");
    code = grains_read_all("scree_bench_dem", argv + 1, operands, grains);
    if (code != CLI_GO_ON) return code;
    int format = as_json ? JSON : as_csv ? CSV : TABLE;
    cli_machine(machine, sizeof machine);
    scree_json j = scree_json_start(stdout);
    if (format == JSON && s.check == 0) scree_json_list(&j, NULL);
    if (format == CSV && s.check == 0)
        printf("grains,law,instructions,threads,us_least,us_mean,touching,listed,rebuilds,bytes,kinetic_energy,machine,"
               "commit\n");
    if (format == TABLE && s.check == 0)
        printf("%8s %4s %7s %3s %8s %8s %6s %6s %8s %5s %10s\n", "grains", "law", "set", "thr", "us least", "us mean",
               "touch", "list", "rebuilds", "B", "energy");
    for (int k = 0; k < (operands > 0 ? operands : 1); ++k) {
        code = bench_one(grains[k], format, &s, machine, &j);
        if (code != CLI_GO_ON) return code;
    }
    if (format == JSON && s.check == 0) scree_json_close(&j);
    return CLI_DONE;
}
