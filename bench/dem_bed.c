/* dem_bed.c: the program scree_bench_dem: beds of soft spheres (dem/spheres/bed.h): time per particle and step, memory, and the kinetic energy that
 * LAMMPS must give too.
 *
 * The bed is the one that peers were measured on: equal spheres d = m = g = 1, about 25 deep on a floor, periodic, k_n 2e4, step 3e-4. It is
 * made from a loose lattice that falls and comes to rest. A bed of more than 10,000 grains is made of equal tiles. */
#include "bench/dem_bed.h"
#include "bench/meter.h"
#include "cli/system.h"
#include "dem/cuda/device_engine.h"
#include "math/rng.h"

#include <scree/files.h>

#include <inttypes.h>
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
            "  B          bytes per grain, at most: of the device's memory, where one takes the steps\n"
            "  energy     kinetic, per grain, at the end\n"
            "  hash       of positions and velocities at the end: the same on every machine and device",
    .examples = "scree_bench_dem 10000 --settle 5000 --threads 2\n"
                "scree_bench_dem 10000 100000 1000000 --device gpu --turn",
};

static const double STEP = 3e-4;
enum { TILE = 10000, WINDOWS_MAX = 1000 };

static const char *const devices[] = {"cpu", "gpu", "host-twin", NULL};

typedef struct settings {
    const char *law, *from, *write, *device;
    int threads, set, settle, before, steps, windows, check, turn, ledger;
    double tilt, sizes;
} settings;

typedef struct row {
    int grains;
    const char *law, *instructions;
    double least, mean, touching, listed, bytes, energy;
    double us[WINDOWS_MAX]; /* of each window */
    long rebuilds;
    uint64_t hash;
} row;

/* ---- the bed ---------------------------------------------------------------------------------------------------------------- */

/// A bed and what its definition points to.
typedef struct bench {
    bed_pair pair;
    bed_plane floor;
    bed_grain *grain;
    meter memory;
    scree_pool *pool;
    const sphere_engine *engine;
    bed *bed;
} bench;

static void bench_end(bench *b)
{
    if (b->bed) b->engine->destroy(b->bed);
    scree_pool_destroy(b->pool);
    free(b->grain);
}

static const sphere_engine *engine_of(const settings *s)
{
    if (strcmp(s->device, "gpu") == 0) return &device_engine_gpu;
    return strcmp(s->device, "host-twin") == 0 ? &device_engine_twin : &bed_engine;
}

static scree_status bench_start(const dem_state *state, bed_law law, const sphere_engine *engine, const settings *s,
                                bench *b, scree_error *error)
{
    const double kt = 2e4 * 2.0 / 7.0;
    *b = (bench){.floor = {.normal = {0, 0, 1}}, .engine = engine};
    b->pair = (bed_pair){.normal = {DEM_HOOKE, 2e4, 0.0, 1}, .normal_damping = 50.0, .slide = {kt, 50.0, 0.5, 0.0}};
    b->pair.roll = (bed_sds){5714.0, 50.0, 0.05, 0.0}, b->pair.twist = (bed_sds){1000.0, 10.0, 0.02, 0.0};
    b->pair.friction = dem_friction_default(kt, 0.5, 0.4);
    b->pair.friction.eta_r = b->pair.friction.eta_psi = 0.1;
    b->grain = malloc((size_t)state->count * sizeof *b->grain);
    if (!b->grain) return SCREE_ERR_MEMORY;
    for (int i = 0; i < state->count; ++i) {
        const size_t at = 3 * (size_t)i;
        bed_grain *g = &b->grain[i];
        const double R = state->radius[i], mass = 8.0 * R * R * R;
        *g = (bed_grain){.id = i, .radius = R, .inverse_mass = 1.0 / mass, .q = {1.0}};
        g->inverse_inertia = 2.5 / (mass * R * R);
        memcpy(g->x, state->x + at, sizeof g->x), memcpy(g->v, state->v + at, sizeof g->v);
        memcpy(g->omega, state->omega + at, sizeof g->omega);
    }
    bed_def def = {.count = state->count, .grain = b->grain, .materials = 1};
    def.pair = &b->pair, def.law = law, def.planes = 1, def.plane = &b->floor, def.gravity[2] = -1.0, def.step = STEP;
    if (s->tilt > 0.0) def.gravity[0] = sin(s->tilt), def.gravity[2] = -cos(s->tilt);
    for (int k = 0; k < 2; ++k) def.periodic[k] = 1, def.high[k] = state->box[k];
    def.skin = 0.2, def.kernel = s->set, def.orientations = s->turn, def.ledger = s->ledger;
    scree_allocator counted = meter_allocator(&b->memory);
    b->pool = scree_pool_create(s->threads, NULL, error);
    if (!b->pool) return SCREE_ERR_MEMORY;
    scree_status status = engine->create(&def, &counted, &b->bed, error);
    free(b->grain), b->grain = NULL;
    return status == SCREE_OK ? engine->threads(b->bed, b->pool) : status;
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
        s.radius[i] = 0.5;
        int layer = i / (n * n), line = i / n % n;
        x[0] = (i % n + 0.5 + 0.1 * (rng_uniform(&random) - 0.5)) * pitch;
        x[1] = (line + 0.5 + 0.1 * (rng_uniform(&random) - 0.5)) * pitch;
        x[2] = 0.6 + 1.02 * layer;
        for (int k = 0; k < 3; ++k) v[k] = 0.3 * (rng_uniform(&random) - 0.5);
    }
    s.box[0] = s.box[1] = pitch * n;
    return s;
}

static int falling(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a < b) - (a > b);
}

static int is_free(const dem_state *s, int i)
{
    for (int j = 0; j < i; ++j) {
        double r2 = 0.0, far = s->radius[i] + s->radius[j];
        for (int k = 0; k < 3; ++k) {
            double d = s->x[3 * i + k] - s->x[3 * j + k];
            if (k < 2) d -= s->box[k] * floor(d / s->box[k] + 0.5);
            r2 += d * d;
        }
        if (r2 < far * far) return 0;
    }
    return 1;
}

/// A tile of radii 0.5 to 0.5 ratio, as much volume of every size, thrown in where there is room, the large ones first: a fifth of the volume.
static dem_state thrown(int count, double ratio)
{
    dem_state s = dem_state_make(count);
    rng random = rng_make(3, 0);
    double volume = 0.0;
    for (int i = 0; i < count; ++i)
        s.radius[i] = 0.5 / cbrt(1.0 - rng_uniform(&random) * (1.0 - 1.0 / (ratio * ratio * ratio)));
    qsort(s.radius, (size_t)count, sizeof *s.radius, falling);
    for (int i = 0; i < count; ++i) volume += 4.0 / 3.0 * DEM_PI * pow(s.radius[i], 3.0);
    s.box[0] = s.box[1] = fmax(4.0 * ratio, cbrt(volume));
    const double height = volume / 0.2 / (s.box[0] * s.box[1]);
    for (int i = 0; i < count; ++i) {
        double *x = s.x + 3 * (size_t)i;
        do
            for (int k = 0; k < 3; ++k)
                x[k] = k < 2 ? rng_uniform(&random) * s.box[k] : s.radius[i] + rng_uniform(&random) * height;
        while (!is_free(&s, i));
    }
    return s;
}

/// A tile laid side by side, as square as it goes.
static dem_state laid(const dem_state *tile, int tiles)
{
    int wide = (int)sqrt((double)tiles), each = tile->count;
    while (tiles % wide != 0) wide -= 1;
    const int deep = tiles / wide;
    dem_state out = dem_state_make(each * tiles);
    out.box[0] = wide * tile->box[0], out.box[1] = deep * tile->box[1];
    for (int t = 0; t < tiles; ++t) {
        int column = t % wide, line = t / wide;
        memcpy(out.radius + (size_t)t * (size_t)each, tile->radius, (size_t)each * sizeof *out.radius);
        for (int i = 0; i < each; ++i)
            for (int k = 0; k < 3; ++k) {
                size_t to = 3 * ((size_t)t * (size_t)each + (size_t)i) + (size_t)k, from = 3 * (size_t)i + (size_t)k;
                double shift = k == 0 ? column * tile->box[0] : k == 1 ? line * tile->box[1] : 0.0;
                out.x[to] = tile->x[from] + shift, out.v[to] = tile->v[from], out.omega[to] = tile->omega[from];
            }
    }
    return out;
}

/// One tile settled, on the processor, then laid side by side; or one from a file.
static scree_status settled(int grains, const settings *s, dem_state *out, scree_error *error)
{
    int tiles = (grains + TILE - 1) / TILE;
    dem_state tile = {0};
    scree_status status = SCREE_OK;
    if (s->from) {
        status = dem_state_read(s->from, &tile, error);
        if (status == SCREE_OK) tiles = grains > tile.count ? (grains + tile.count - 1) / tile.count : 1;
    } else {
        settings plain = *s;
        bench b;
        plain.tilt = 0.0, plain.turn = plain.ledger = 0;
        const int each = tiles > 0 ? grains / tiles : 0;
        tile = s->sizes > 1.0 ? thrown(each, s->sizes) : lattice(each);
        status = bench_start(&tile, BED_SDS, &bed_engine, &plain, &b, error);
        if (status == SCREE_OK) status = bed_advance(b.bed, s->settle, error);
        bed_motion now = dem_state_motion(&tile);
        if (status == SCREE_OK) bed_read(b.bed, &now);
        bench_end(&b);
    }
    if (status == SCREE_OK) *out = laid(&tile, tiles);
    dem_state_free(&tile);
    return status;
}

/* ---- measurements --------------------------------------------------------------------------------------------------------------- */

static double seconds(const settings *s, const sphere_engine *engine)
{
    return s->threads > 1 || engine != &bed_engine ? scree_clock_seconds() : (double)clock() / CLOCKS_PER_SEC;
}

/// FNV-1a of the numbers' bits.
static uint64_t hashed(uint64_t hash, const double *x, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        unsigned char byte[sizeof *x];
        memcpy(byte, &x[k], sizeof byte);
        for (size_t n = 0; n < sizeof byte; ++n) hash = (hash ^ byte[n]) * UINT64_C(1099511628211);
    }
    return hash;
}

/// What the bed has become: one sum and one hash for every engine.
static scree_status look(const bench *b, const dem_state *start, row *r)
{
    const int count = start->count;
    dem_state end = dem_state_make(count);
    bed_motion to = dem_state_motion(&end);
    const size_t n = 3 * (size_t)count;
    scree_status status = b->engine->read(b->bed, &to);
    r->hash = hashed(hashed(hashed(UINT64_C(14695981039346656037), end.x, n), end.v, n), end.omega, n);
    for (size_t k = 0; k < n; ++k) {
        const double d = 2.0 * start->radius[k / 3], mass = d * d * d;
        r->energy += mass * (0.5 * end.v[k] * end.v[k] + 0.05 * d * d * end.omega[k] * end.omega[k]) / count;
    }
    dem_state_free(&end);
    return status;
}

static int64_t rebuilds(const bench *b)
{
    return b->engine == &bed_engine ? bed_count(b->bed).rebuilds : device_engine_counts(b->bed).rebuilds;
}

static scree_status measure(const dem_state *state, bed_law law, const settings *s, row *r, scree_error *error)
{
    bench b;
    const sphere_engine *engine = engine_of(s);
    int window = s->steps / s->windows > 0 ? s->steps / s->windows : 1;
    scree_status status = bench_start(state, law, engine, s, &b, error);
    *r = (row){.grains = state->count, .law = law == BED_SDS ? "sds" : "fn", .least = (double)INFINITY};
    if (status == SCREE_OK) /* memories begin here */
        status = engine->advance(b.bed, s->before > 0 ? s->before : window, NULL, error);
    int64_t before = status == SCREE_OK ? rebuilds(&b) : 0;
    for (int k = 0; k < s->windows && status == SCREE_OK; ++k) {
        double from = seconds(s, engine);
        status = engine->advance(b.bed, window, NULL, error);
        r->us[k] = 1e6 * (seconds(s, engine) - from) / window / state->count;
        r->least = fmin(r->least, r->us[k]), r->mean += r->us[k] / s->windows;
    }
    if (status == SCREE_OK) {
        const device_counts d = engine == &bed_engine ? (device_counts){0} : device_engine_counts(b.bed);
        const bed_counts c = engine == &bed_engine ? bed_count(b.bed) : (bed_counts){.instructions = s->device};
        r->instructions = c.instructions, r->rebuilds = (long)(rebuilds(&b) - before);
        r->touching = ((double)c.touching + (double)d.touching) / state->count;
        r->listed = ((double)c.listed + (double)d.listed) / state->count;
        r->bytes = engine == &bed_engine ? (double)b.memory.most / state->count : (double)d.bytes / state->count;
        status = look(&b, state, r);
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
    scree_status status = bench_start(s, BED_SDS, &bed_engine, set, &b, error);
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
    char hash[20];
    if (format == JSON) {
        scree_json_object(j, NULL);
        scree_json_integer(j, "grains", r->grains), scree_json_text(j, "law", r->law);
        scree_json_text(j, "instructions", r->instructions), scree_json_integer(j, "threads", s->threads);
        scree_json_number(j, "us_least", r->least), scree_json_number(j, "us_mean", r->mean);
        scree_json_numbers(j, "us", r->us, s->windows);
        scree_json_number(j, "touching", r->touching), scree_json_number(j, "listed", r->listed);
        scree_json_integer(j, "rebuilds", r->rebuilds), scree_json_number(j, "bytes", r->bytes);
        scree_json_number(j, "kinetic_energy", r->energy);
        snprintf(hash, sizeof hash, "%016" PRIx64, r->hash), scree_json_text(j, "hash", hash);
        scree_json_text(j, "machine", machine);
        scree_json_text(j, "commit", cli_commit());
        scree_json_close(j);
        return;
    }
    printf(format == CSV ? "%d,%s,%s,%d,%.5g,%.5g,%.4g,%.4g,%ld,%.0f,%.15g,%016" PRIx64
                         : "%9d %4s %9s %3d %9.3g %9.3g %6.3f %6.3f %8ld %5.0f %21.15g %016" PRIx64,
           r->grains, r->law, r->instructions, s->threads, r->least, r->mean, r->touching, r->listed, r->rebuilds,
           r->bytes, r->energy, r->hash);
    if (format == CSV) printf(",%s,%s", machine, cli_commit());
    printf("\n");
    fflush(stdout);
}

/// CLI_GO_ON, or an exit status after a message.
static int bench_one(int grains, int format, const settings *s, const char *machine, scree_json *j)
{
    dem_state state = {0};
    scree_error error = {0};
    scree_status status = settled(grains, s, &state, &error);
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
    settings s = {.law = "both", .device = "cpu", .threads = 1, .settle = 40000, .steps = 500, .windows = 5};
    int as_csv = 0, as_json = 0, operands, grains[SIZES_MAX] = {TILE};
    char machine[256];
    /* clang-format off */
    const cli_option options[] = {
        {"--law", NULL, CLI_WORD, &s.law,
         .text = "friction; default both", .words = laws},
        {"--device", NULL, CLI_WORD, &s.device,
         .text = "who takes the timed steps: cpu; gpu (docs/gpu.md); host-twin, the same kernels on the processor, "
         "slowly; default cpu", .words = devices},
        {"--threads", "N", CLI_COUNT, &s.threads,
         .text = "threads of the processor; default 1"},
        {"--set", "N", CLI_COUNT, &s.set,
         .text = "instruction set: 1 the second best that the machine has, 2 the third; default: the best"},
        {"--settle", "N", CLI_COUNT, &s.settle,
         .text = "steps in which the bed comes to rest; default 40000, 1 to see it fall"},
        {"--before", "N", CLI_COUNT, &s.before,
         .text = "steps before those that are timed; default: as many as in a window"},
        {"--steps", "N", CLI_COUNT, &s.steps,
         .text = "steps timed; default 500"},
        {"--windows", "N", CLI_COUNT, &s.windows,
         .text = "stretches in which they are timed, 1 to 1000; default 5. --json lists them all"},
        {"--turn", NULL, CLI_FLAG, &s.turn,
         .text = "carries orientations along (the peers have none)"},
        {"--ledger", NULL, CLI_FLAG, &s.ledger,
         .text = "sums losses of energy, kind by kind"},
        {"--sizes", "RATIO", CLI_POSITIVE, &s.sizes,
         .text = "radii from 1 to RATIO, as much volume of each; default: equal spheres"},
        {"--tilt", "ANGLE", CLI_POSITIVE, &s.tilt,
         .text = "gravity leans by this angle, as in 20deg, after settling: the bed flows", .unit = "rad"},
        {"--from", "FILE", CLI_PATH, &s.from,
         .text = "the bed from a file that --write made, no settling; with GRAINS: laid side by side until there are so many"},
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
    if (s.check > 0 && s.sizes > 1.0) return cli_usage("scree_bench_dem", "--check and --sizes exclude each other");
    if (s.windows > WINDOWS_MAX)
        return cli_usage("scree_bench_dem", "--windows is %d, expected 1 to %d", s.windows, (int)WINDOWS_MAX);
    if (s.from) grains[0] = 0; /* as many as there are */
    code = grains_read_all("scree_bench_dem", argv + 1, operands, grains);
    if (code != CLI_GO_ON) return code;
    int format = as_json ? JSON : as_csv ? CSV : TABLE;
    cli_machine(machine, sizeof machine);
    scree_json j = scree_json_start(stdout);
    if (format == JSON && s.check == 0) scree_json_list(&j, NULL);
    if (format == CSV && s.check == 0)
        printf("grains,law,instructions,threads,us_least,us_mean,touching,listed,rebuilds,bytes,kinetic_energy,hash,"
               "machine,commit\n");
    if (format == TABLE && s.check == 0)
        printf("%9s %4s %9s %3s %9s %9s %6s %6s %8s %5s %21s %s\n", "grains", "law", "set", "thr", "us least",
               "us mean", "touch", "list", "rebuilds", "B", "energy", "hash");
    for (int k = 0; k < (operands > 0 ? operands : 1); ++k) {
        code = bench_one(grains[k], format, &s, machine, &j);
        if (code != CLI_GO_ON) return code;
    }
    if (format == JSON && s.check == 0) scree_json_close(&j);
    return CLI_DONE;
}
