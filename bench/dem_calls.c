/* dem_calls.c: what a call of scree_advance costs beside the steps it takes, in worlds of soft spheres. Built and run by bench/dem_calls.py.
 *
 *   dem_calls [SETTLE] [ROUNDS]        prints one JSON object a line: what, ratio, and the two times it is made of
 *
 * One world: SIDE x SIDE x LAYERS spheres of 1 mm that have settled in a box of planes for SETTLE steps of 2 us ([FN], 20 kN/m). Then
 *
 *   single     WINDOW calls of one step against one call of WINDOW steps; the same with positions read after each step
 *   turns      two such worlds in turn, a step each, by one stepper against two steppers
 *   large      the same spheres with four fixed ones of 5, 20, 50 radii above them that touch none, against without
 *   pour       POURED spheres in 0.05 s into an empty box, three at a time: the engine for spheres against the general stages
 *   mindlin    the same spheres with Hertz and Mindlin (10 MPa) after 5,000 more steps, WINDOW/20 steps: the same two
 *
 * Processor seconds of one thread; both sides of a ratio take turns, and the least of ROUNDS counts for each. A pour runs once a side. */
#include <scree/stepper.h>
#include <scree/world.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDE = 20, LAYERS = 25, GRAINS = SIDE * SIDE * LAYERS, WINDOW = 1000, POURED = 3000, WALLS = 5 };
static const double RADIUS = 1e-3, PITCH = 2.01e-3, STEP = 2e-6;

static void must(scree_status status, const scree_error *error)
{
    if (status == SCREE_OK) return;
    fprintf(stderr, "dem_calls: %s\n", error->text);
    exit(1);
}

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* ---- worlds ------------------------------------------------------------------------------------------------------------------ */

static int add(scree_world *world, const scree_body_def *def)
{
    scree_error error = {.text = ""};
    int index = -1;
    index = scree_body_index(scree_world_add_body(world, def, &error));
    must(error.status, &error);
    return index;
}

static void add_plane(scree_world *world, const double at[3], const double rotation[4])
{
    scree_body_def def = scree_body_def_default();
    scree_shape plane = scree_shape_plane(scree_material_at(0));
    def.kind = SCREE_BODY_FIXED, def.shapes = &plane, def.shape_count = 1;
    memcpy(def.position, at, sizeof def.position), memcpy(def.rotation, rotation, sizeof def.rotation);
    add(world, &def);
}

static void add_sphere(scree_world *world, scree_body_kind kind, double radius, const double at[3], double fall)
{
    scree_body_def def = scree_body_def_default();
    scree_shape sphere = scree_shape_sphere(radius, scree_material_at(0));
    def.kind = kind, def.shapes = &sphere, def.shape_count = 1, def.velocity[2] = -fall;
    memcpy(def.position, at, sizeof def.position);
    add(world, &def);
}

/// A floor and four walls, `width` x `depth`. `mindlin`: stiffnesses are those of Hertz and Mindlin.
static scree_world *box_make(double width, double depth, int mindlin)
{
    scree_world_options options = scree_world_options_default();
    scree_world *world;
    scree_error error = {.text = ""};
    options.soft = 1, options.gravity[2] = -9.8;
    world = scree_world_create(&options, &error);
    must(error.status, &error);
    scree_material m = {
        .soft = scree_dem_default(), .name = "glass", .density = 2500.0, .friction = {.mu = 0.5, .restitution = 0.5}};
    m.friction.rolling = (scree_friction_length){0.02, SCREE_LENGTH_RATIO};
    if (mindlin) m.soft.young = 1e7, m.soft.poisson = 0.3;
    else m.soft.stiffness = 2e4, m.soft.slide_stiffness = 6e3;
    scree_world_add_material(world, &m, &error);
    must(error.status, &error);
    const double h = sqrt(0.5);
    add_plane(world, (const double[3]){0, 0, 0}, (const double[4]){1, 0, 0, 0});
    add_plane(world, (const double[3]){0, 0, 0}, (const double[4]){h, 0, h, 0});
    add_plane(world, (const double[3]){width, 0, 0}, (const double[4]){h, 0, -h, 0});
    add_plane(world, (const double[3]){0, 0, 0}, (const double[4]){h, -h, 0, 0});
    add_plane(world, (const double[3]){0, depth, 0}, (const double[4]){h, h, 0, 0});
    return world;
}

static const double WIDTH = SIDE * 2.05e-3 + 1e-4;

/// `x`: positions of spheres (GRAINS x 3); NULL: a lattice.
static scree_world *bed_make(const double *x, int mindlin)
{
    scree_world *world = box_make(WIDTH, WIDTH, mindlin);
    for (int k = 0; k < GRAINS; ++k) {
        const double lattice[3] = {1.05e-3 + PITCH * (k % SIDE) + 1e-6 * (k % 7),
                                   1.05e-3 + PITCH * (k / SIDE % SIDE) + 1e-6 * (k % 5),
                                   1.01e-3 + PITCH * (k / (SIDE * SIDE))};
        add_sphere(world, SCREE_BODY_DYNAMIC, RADIUS, x ? x + 3 * k : lattice, 0.0);
    }
    return world;
}

static scree_stepper *stepper_make(scree_engine engine)
{
    scree_stepper_options options = scree_stepper_options_default();
    scree_stepper *stepper;
    scree_error error = {.text = ""};
    options.scheme = SCREE_SCHEME_DEM, options.step = STEP, options.engine = engine;
    stepper = scree_stepper_create(&options, &error);
    must(error.status, &error);
    return stepper;
}

/* ---- what is timed ------------------------------------------------------------------------------------------------------------- */

static void advance(scree_stepper *stepper, scree_world *world, int64_t steps)
{
    scree_error error = {.text = ""};
    must(scree_advance(stepper, world, steps, NULL, &error), &error);
}

static void say(const char *what, double one, double other)
{
    printf("{\"what\": \"%s\", \"ratio\": %.4g, \"seconds\": [%.4g, %.4g]}\n", what, one / other, one, other);
    fflush(stdout);
}

static void least(double *sum, double from)
{
    *sum = fmin(*sum, seconds() - from);
}

static void single_steps(scree_stepper *stepper, scree_world *world, int rounds)
{
    double batch = 1e9, single = 1e9, looking = 1e9, from;
    volatile double seen = 0.0;
    for (int r = 0; r < rounds; ++r) {
        from = seconds(), advance(stepper, world, WINDOW), least(&batch, from);
        from = seconds();
        for (int k = 0; k < WINDOW; ++k) advance(stepper, world, 1);
        least(&single, from), from = seconds();
        for (int k = 0; k < WINDOW; ++k) advance(stepper, world, 1), seen += scree_world_positions(world)[3 * WALLS];
        least(&looking, from);
    }
    say("single steps / one call", single, batch);
    say("single steps, positions read / one call", looking, batch);
}

static void two_worlds(scree_world *world, scree_world *other, int rounds)
{
    scree_stepper *one = stepper_make(SCREE_ENGINE_AUTO), *two = stepper_make(SCREE_ENGINE_AUTO);
    double together = 1e9, apart = 1e9, from;
    advance(one, world, 100), advance(two, other, 100);
    for (int r = 0; r < 2 * rounds; ++r) {
        from = seconds();
        for (int k = 0; k < WINDOW / 4; ++k) advance(one, world, 1), advance(two, other, 1);
        least(&apart, from), from = seconds();
        for (int k = 0; k < WINDOW / 4; ++k) advance(one, world, 1), advance(one, other, 1);
        least(&together, from);
    }
    say("two worlds in turn: one stepper / two", together, apart);
    scree_stepper_destroy(one), scree_stepper_destroy(two);
}

static void large_above(const double *x, double top, int rounds)
{
    const int radii[3] = {5, 20, 50};
    scree_world *world[4] = {bed_make(x, 0)};
    scree_stepper *stepper[4];
    double sum[4];
    for (int n = 1; n < 4; ++n) {
        const double R = RADIUS * radii[n - 1];
        world[n] = bed_make(x, 0);
        for (int k = 0; k < 4; ++k) {
            const double at[3] = {0.5 * WIDTH + (k % 2 ? 1.01 : -1.01) * R, 0.5 * WIDTH + (k / 2 ? 1.01 : -1.01) * R,
                                  top + 3.0 * RADIUS + R};
            add_sphere(world[n], SCREE_BODY_FIXED, R, at, 0.0);
        }
    }
    for (int n = 0; n < 4; ++n)
        stepper[n] = stepper_make(SCREE_ENGINE_AUTO), sum[n] = 1e9, advance(stepper[n], world[n], 100);
    for (int r = 0; r < rounds; ++r)
        for (int n = 0; n < 4; ++n) {
            double from = seconds();
            advance(stepper[n], world[n], WINDOW);
            least(&sum[n], from);
        }
    for (int n = 1; n < 4; ++n) {
        char what[64];
        snprintf(what, sizeof what, "4 of %d radii above / none", radii[n - 1]);
        say(what, sum[n], sum[0]);
    }
    for (int n = 0; n < 4; ++n) scree_world_destroy(world[n]), scree_stepper_destroy(stepper[n]);
}

static double pour(scree_engine engine)
{
    const int each = 3, steps = (int)(0.05 / STEP) / (POURED / each);
    scree_world *world = box_make(85e-3, 55e-3, 0);
    scree_stepper *stepper = stepper_make(engine);
    double from = seconds();
    for (int k = 0; k < POURED; ++k) {
        const double at[3] = {1.5e-3 + 2.1e-3 * (k % 39), 1.5e-3 + 2.1e-3 * (k / 39 % 25), 12e-3 + 1e-6 * (k % 11)};
        add_sphere(world, SCREE_BODY_DYNAMIC, RADIUS, at, 0.8);
        if (k % each == each - 1) advance(stepper, world, steps);
    }
    from = seconds() - from;
    scree_world_destroy(world), scree_stepper_destroy(stepper);
    return from;
}

static void mindlin(const double *x, int rounds)
{
    scree_world *world = bed_make(x, 1);
    scree_stepper *stepper[2] = {stepper_make(SCREE_ENGINE_GENERAL), stepper_make(SCREE_ENGINE_AUTO)};
    double sum[2] = {1e9, 1e9};
    advance(stepper[1], world, 5000);
    for (int r = 0; r < rounds; ++r)
        for (int n = 0; n < 2; ++n) {
            advance(stepper[n], world, 1); /* the other's state is handed over */
            double from = seconds();
            advance(stepper[n], world, WINDOW / 20);
            least(&sum[n], from);
        }
    say("Mindlin: general stages / engine for spheres", sum[0], sum[1]);
    scree_world_destroy(world), scree_stepper_destroy(stepper[0]), scree_stepper_destroy(stepper[1]);
}

int main(int argc, char **argv)
{
    const int settle = argc > 1 ? atoi(argv[1]) : 25000, rounds = argc > 2 ? atoi(argv[2]) : 5;
    if (settle < 1 || rounds < 1) return 2;
    scree_world *world = bed_make(NULL, 0);
    scree_stepper *stepper = stepper_make(SCREE_ENGINE_AUTO);
    double *x = malloc(3 * GRAINS * sizeof *x), top = 0.0;
    if (!x) return 1;
    advance(stepper, world, settle);
    memcpy(x, scree_world_positions(world) + 3 * WALLS, 3 * GRAINS * sizeof *x);
    for (int k = 0; k < GRAINS; ++k) top = fmax(top, x[3 * k + 2]);
    single_steps(stepper, world, rounds);
    scree_world *other = bed_make(x, 0);
    two_worlds(world, other, rounds);
    scree_world_destroy(world), scree_world_destroy(other), scree_stepper_destroy(stepper);
    large_above(x, top, rounds);
    mindlin(x, rounds);
    free(x);
    double fast = pour(SCREE_ENGINE_AUTO);
    say("pour of 3,000: general stages / engine for spheres", pour(SCREE_ENGINE_GENERAL), fast);
    return 0;
}
