/* test_dem_reference.c: soft contacts, with the dashpots nobody asked for, against closed forms, measurements and other programs.
 *
 * Every case runs in both engines (general stages; bed), with the models tracking and sds, Hooke, Hertz, and Hertz with Mindlin's stiffness. No
 * case gives a dashpot: what is judged is what a user gets who says restitution and mu.
 *
 * A sphere that slides through a whole collision gets the impulse mu P, P = m (1 + e) v_n, whatever the springs; one that never slides is a
 * half-cycle of an oscillator; one in between is judged by a plain integration of its two equations (`plain_rebound`), which shares nothing with
 * the library. Loads are judged in every step of every run: no friction is above mu N, no moment above rho N, sigma N.
 *
 * [KGS] Kharaz, Gorham, Salman, An experimental study of the elastic rebound of spheres, Powder Technology 120 (2001) 281-291.
 * [DM]  Di Renzo, Di Maio, Comparison of contact-force models .. in DEM-based granular flow codes, Chem. Eng. Sci. 59 (2004) 525-541.
 * [MBF] Maw, Barber, Fawcett, The oblique impact of elastic spheres, Wear 38 (1976) 101-114.
 * [T]   Thornton, Cummins, Cleary, An investigation of the comparative behaviour of alternative contact force models during elastic
 *       collisions, Powder Technology 210 (2011) 189-197.
 * [L]   LAMMPS, unittest/granular/tests: dem04-mindlin-oblique-3d-si, dem06-spin-wall-3d-si, dem06-hookehistory-spin-3d-si (2026). */
#include "near.h"
#include "soft_scene.h"
#include "twins.h"
#include "world/world_private.h"

enum { HOOKE, HERTZ, MINDLIN }; /* normal law; slide stiffness given, given, and Mindlin's */

/// How a case is run.
typedef struct variant {
    int bed, model, law;
} variant;

static const variant variants[] = {
    {0, SCREE_DEM_TRACKING, HOOKE}, {0, SCREE_DEM_TRACKING, HERTZ},   {0, SCREE_DEM_TRACKING, MINDLIN},
    {0, SCREE_DEM_SDS, HOOKE},      {0, SCREE_DEM_SDS, HERTZ},        {0, SCREE_DEM_SDS, MINDLIN},
    {1, SCREE_DEM_TRACKING, HOOKE}, {1, SCREE_DEM_TRACKING, HERTZ},   {1, SCREE_DEM_SDS, HOOKE},
    {1, SCREE_DEM_SDS, HERTZ},      {1, SCREE_DEM_TRACKING, MINDLIN}, {1, SCREE_DEM_SDS, MINDLIN},
};
enum { VARIANTS = sizeof variants / sizeof *variants, STRIDE = SCREE_SAMPLE_SHARE > 1 ? 3 : 1 };

static const char *name_of(const variant *v)
{
    static char name[64];
    static const char *const laws[] = {"hooke", "hertz", "mindlin"};
    snprintf(name, sizeof name, "%s %s %s", v->bed ? "bed" : "stages", v->model == SCREE_DEM_SDS ? "sds" : "tracking",
             laws[v->law]);
    return name;
}

/// What a material is made of.
typedef struct stuff {
    double density, mu, e, k_n, k_t, young, poisson;
} stuff;

static scree_material material_of(const variant *v, const stuff *s)
{
    scree_material m = {.soft = scree_dem_default(), .name = "stuff", .density = s->density};
    m.friction = (scree_friction){.mu = s->mu, .restitution = s->e};
    m.soft.model = v->model;
    if (v->law == HOOKE) m.soft.stiffness = s->k_n;
    else m.soft.young = s->young, m.soft.poisson = s->poisson;
    if (v->law != MINDLIN) m.soft.slide_stiffness = s->k_t;
    return m;
}

static scree_stepper *stepper_of(int bed, double h)
{
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = SCREE_SCHEME_DEM, options.step = h,
    options.engine = (bed) ? SCREE_ENGINE_AUTO : SCREE_ENGINE_GENERAL;
    return scene_stepper(&options, NULL);
}

/// A number against its reference. SCREE_LONG=1 prints all of them.
static void row(const char *what, const variant *v, double found, double expected, double tolerance)
{
    char words[160];
    snprintf(words, sizeof words, "%s, %s", what, name_of(v));
    if (is_long()) print_message("%s: %.7g, reference %.7g, tolerance %g\n", words, found, expected, tolerance);
    near(words, found, expected, tolerance);
}

/* ---- bounds and energy, in every step --------------------------------------------------------------------------------------------- */

/// How often something was judged, and how near it came to its bound.
static struct {
    long contacts;
    double most[SCREE_FRICTION_KINDS];
} judged;

/* The bed gives force and torque, whose difference is a couple that is right to 1e-14 of N times an arm [m]. The memory of sds may lean out of
 * the tangent plane by 1e-10 of its limit (dem_legacy.h, a rule of LAMMPS), which the bed's N, the force along the normal, contains. */
static void judge(const scree_contact_point *t, int sds, int mechanism, double load, double bound, double arm)
{
    double N = t->impulse[0];
    if (bound * N > 0.0) judged.most[mechanism] = fmax(judged.most[mechanism], load / (bound * N));
    if (load <= bound * N * (1.0 + (sds ? 1e-10 : 1e-12)) + 1e-14 * arm * N) return;
    fail_msg("mechanism %d: load %.17g, bound %.17g, N %g [x h], gap %g", mechanism, load, bound * N, N, t->gap);
}

/// One step; no load is above its bound (sds: that of motion, it knows no other). Returns the largest normal load of a contact [N].
static double watched_step(scree_stepper *stepper, scree_world *world, double h, int sds, scree_step_report *report)
{
    *report = scene_step(stepper, world);
    const scree_contact_point *t = scree_world_contacts(world);
    double most = 0.0;
    for (int k = 0; k < scree_world_contact_count(world); ++k, ++t) {
        const double *bound = sds ? t->cone.coef : t->coef_static;
        if (!(t->impulse[0] >= 0.0)) fail_msg("a contact pulls with %g N", t->impulse[0] / h);
        judge(t, sds, SCREE_FRICTION_SLIDE, hypot(t->impulse[1], t->impulse[2]), bound[SCREE_FRICTION_SLIDE], 0.0);
        judge(t, sds, SCREE_FRICTION_ROLL, hypot(t->impulse[3], t->impulse[4]), bound[SCREE_FRICTION_ROLL], 1.0);
        judge(t, sds, SCREE_FRICTION_SPIN, fabs(t->impulse[5]), bound[SCREE_FRICTION_SPIN], 1.0);
        most = fmax(most, t->impulse[0] / h);
        judged.contacts += t->impulse[0] > 0.0;
    }
    return most;
}

static double kinetic_energy(const scree_world *world)
{
    double sum = 0.0;
    for (int b = 0; b < scree_world_body_count(world); ++b) {
        const double *v = scree_world_velocities(world) + 3 * b, *w = scree_world_angular_velocities(world) + 3 * b;
        if (world->kind[b] != SCREE_BODY_DYNAMIC) continue;
        sum += 0.5 * scree_world_mass(world, scree_body_at(b)) * vec_dot(v, v) +
               0.5 * scree_world_inertia(world, scree_body_at(b))[0] * vec_dot(w, w);
    }
    return sum;
}

/// Through a collision that begins within a few steps, to its end. Kinetic energy is never above what it was before, where something
/// is lost; else by what the integration makes, (h/2) F.v at most.
static void through_collision(const variant *v, scree_world *world, double h, double slack)
{
    scree_stepper *stepper = stepper_of(v->bed, h);
    scree_step_report report;
    const double before = kinetic_energy(world);
    int touched = 0, free_steps = 0;
    for (int step = 0; step < 1000000 && free_steps < 3; ++step) {
        int loaded = watched_step(stepper, world, h, v->model == SCREE_DEM_SDS, &report) > 0.0;
        touched += loaded, free_steps = touched && !loaded ? free_steps + 1 : 0;
        double gain = kinetic_energy(world) / before - 1.0;
        if (gain > slack) fail_msg("kinetic energy grows by %g of it: %s", gain, name_of(v));
    }
    assert_int_equal(world->holder.engine != NULL, (v->bed));
    assert_true(touched > 20 && free_steps == 3);
    scree_stepper_destroy(stepper);
}

/// Centre's velocity along x and z, and spin about y.
typedef struct motion {
    double v_x, v_z, w;
} motion;

static motion motion_of(const scree_world *world, int body)
{
    const double *v = scree_world_velocities(world) + 3 * body;
    return (motion){v[0], v[2], scree_world_angular_velocities(world)[3 * body + 1]};
}

/// A sphere of radius R onto the plane z = 0, from just above it.
static motion onto_a_plane(const variant *v, const scree_material *m, double R, motion from, double h, double slack)
{
    scree_world *world = soft_world(m, 0.0, 0.0, NULL);
    scene_floor(world);
    int ball = scene_sphere(world, R, 0.0, 0.0, 0.0, R * (1.0 + 1e-9));
    scene_move(world, ball, (const double[3]){from.v_x, 0.0, from.v_z}, (const double[3]){0.0, from.w, 0.0});
    through_collision(v, world, h, slack);
    motion after = motion_of(world, ball);
    scree_world_destroy(world);
    return after;
}

/* ---- collisions that slide throughout ----------------------------------------------------------------------------------------------- */

/// [L] dem06: R 0.1 m, 0.2 m/s onto the plane, 22.86 rad/s; aluminium.
static const stuff spun = {2700.0, 0.4, 0.5, 1.2e8, 3.4e7, 7e10, 0.33};
static const double spun_R = 0.1, spun_v = 0.2, spun_w = 22.86;

/* Sliding throughout, v_x = mu (1 + e) v_n and w falls by (5/2) v_x/R: no spring is in it. What is left is the step: e is met to the
 * first order in h (6e-4 of it at 1 us, Hooke), and tracking has no friction in its first step, where the dashpot of Hooke is at once
 * (9e-4 of v_x at 1 us, 9e-5 at 0.1 us; Hertz 3e-4, 2e-5). sds with Hertz and a given spring does not get nearer: N begins as
 * delta^(1/4), steeper than its spring, set to make up for the dashpot, can follow: 3e-4 at 0.1 us, 6e-4 at 20 ns. Forces of tracking act
 * at R - overlap/2: 3e-4 of w's change. LAMMPS, whose normal force pulls at the end and whose friction takes |N|, has 0.1209 (Mindlin) and
 * 0.1271 (Hooke). */
static void a_spinning_ball_leaves_a_wall_as_coulomb_says(void **state)
{
    (void)state;
    const double v_x = spun.mu * (1.0 + spun.e) * spun_v, h[] = {1e-6, 1e-7}, share[] = {1e-3, 4e-4};
    for (int n = 0; n < 2; ++n)
        for (int k = 0; k < VARIANTS; k += STRIDE) {
            scree_material m = material_of(&variants[k], &spun);
            motion from = {0.0, -spun_v, spun_w}, out = onto_a_plane(&variants[k], &m, spun_R, from, h[n], 1e-12);
            row("spin on a wall, v_z", &variants[k], out.v_z, spun.e * spun_v, share[n] * spun.e * spun_v);
            row("spin on a wall, v_x", &variants[k], out.v_x, v_x, share[n] * v_x);
            row("spin on a wall, w", &variants[k], out.w, spun_w - 2.5 * v_x / spun_R, (share[n] + 6e-4) * 3.0);
        }
}

/// The same on a free sphere of 0.5 m, M times as heavy: m becomes m M/(m + M), which is v_x by M/(1 + M). [L] has M = 1.25e5.
static void a_heavy_sphere_is_a_wall(void **state)
{
    (void)state;
    const double M[] = {1e3, 1.25e5}, small = 4.0 / 3.0 * PI * spun_R * spun_R * spun_R * spun.density;
    for (int n = 0; n < 2; ++n)
        for (int k = 0; k < VARIANTS; k += STRIDE) {
            const variant *v = &variants[k];
            scree_material m = material_of(v, &spun);
            scree_world *world = soft_world(&m, 0.0, 0.0, NULL);
            int heavy = scene_sphere(world, 0.5, M[n] * small, 0.0, 0.0, 0.0);
            int ball = scene_sphere(world, spun_R, 0.0, 0.0, 0.0, 0.6 + 1e-9);
            const double v_x = spun.mu * (1.0 + spun.e) * spun_v * M[n] / (1.0 + M[n]);
            scene_move(world, ball, (const double[3]){0, 0, -spun_v}, (const double[3]){0, spun_w, 0});
            through_collision(v, world, 1e-6, 1e-12);
            motion out = motion_of(world, ball), other = motion_of(world, heavy);
            row("spin on a heavy sphere, v_x", v, out.v_x, v_x, 1e-3 * v_x);
            row("spin on a heavy sphere, w", v, out.w, spun_w - 2.5 * v_x / spun_R, 1.6e-3 * 3.0);
            row("momentum of the heavy one", v, other.v_x, -out.v_x / M[n], 1e-11 * v_x / M[n]);
            scree_world_destroy(world);
        }
}

/* Two equal spheres of 2.5 mm, each at v_n: friction gives each mu (1 + e) v_n along the surface and 2.5 times that over R of spin. With
 * v_n = 1 m/s, mu 0.25 and e 0.7 that is 425 rad/s, the figure of [L] dem15, where LAMMPS has 426.85 (whether with these numbers, its file
 * was not to be had to see). Oblique (2 v_n against each other), and with spins that turn the same way, so that the surfaces slip at
 * 6 v_n. The closed form is for a collision of no length: in that of aluminium at 1 m/s, 13 us, the normal turns by (way of the centres)/(2 R) = 0.007 rad at the end. So the normal impulse has a part
 * of 0.005 along x, which is 0.005/mu = 2 % of that of friction, and swinging round takes 1 % of the approach: 3 % of v_x, 1.2 % of w;
 * friction turns into the normal, 2 % of v_z. At 1 cm/s a fortieth of that, as t goes with v^(-1/5). */
static void two_spheres_part_as_coulomb_says(void **state)
{
    (void)state;
    const stuff s = {2700.0, 0.25, 0.7, 2e8, 6e7, 7e10, 0.33};
    const double R = 0.0025, speed[] = {1.0, 0.01}, share[] = {1.2e-2, 2e-3}, tilt[] = {3e-2, 2e-3},
                 steps[] = {2e-9, 4e-9};
    for (int n = 0; n < 4; ++n)
        for (int k = 0; k < VARIANTS; k += STRIDE) {
            const variant *v = &variants[k];
            scree_material m = material_of(v, &s);
            scree_world *world = soft_world(&m, 0.0, 0.0, NULL);
            const int spins = n / 2;
            const double v_n = speed[n % 2], change = s.mu * (1.0 + s.e) * v_n, tolerance = share[n % 2] * change;
            const double w = spins ? 3.0 * v_n / R : 0.0, v_t = spins ? 0.0 : 2.0 * v_n, sign = spins ? -1.0 : 1.0;
            const double h = v->law == HOOKE ? 1e-9 : steps[n % 2];
            int low = scene_sphere(world, R, 0.0, 0.0, 0.0, -R * (1.0 + 1e-9));
            int high = scene_sphere(world, R, 0.0, 0.0, 0.0, R * (1.0 + 1e-9));
            scene_move(world, low, (const double[3]){-v_t, 0, v_n}, (const double[3]){0, w, 0});
            scene_move(world, high, (const double[3]){v_t, 0, -v_n}, (const double[3]){0, w, 0});
            through_collision(v, world, h, 1e-12);
            motion a = motion_of(world, low), b = motion_of(world, high);
            /* slip of the upper sphere over the lower one: 2 (v_t - w R); friction is against it */
            row(spins ? "pair with spin, v_x" : "pair, v_x", v, b.v_x, v_t - sign * change,
                (spins ? share : tilt)[n % 2] * change);
            row(spins ? "pair with spin, w" : "pair, w", v, b.w, w + sign * 2.5 * change / R, 2.5 * tolerance / R);
            row("pair, v_z", v, b.v_z, s.e * v_n, tilt[n % 2] * v_n);
            row("pair, the other", v, a.v_x + b.v_x, 0.0, 1e-13);
            row("pair, the other's spin", v, a.w, b.w, 1e-9);
            scree_world_destroy(world);
        }
}

/* ---- oblique impacts ----------------------------------------------------------------------------------------------------------------- */

/// The two equations of a sphere on a plane, a spring with a slider: overlap and slip, n steps a collision. Undamped.
typedef struct oblique {
    double mass, mu;
    double k;   /* N = k d (Hooke) or k d^(3/2)   */
    double k_t; /* stiffness of sliding, times sqrt(d) with Hertz (Mindlin) */
    int hertz;
    double v_n, v_t; /* slip at the contact                          */
} oblique;

/// Slip after the collision.
static double plain_rebound(const oblique *o, int n)
{
    const double scale = o->hertz ? pow(1.25 * o->mass * o->v_n * o->v_n / o->k, 0.4) / o->v_n : sqrt(o->mass / o->k);
    double d = 0.0, rate = o->v_n, x = 0.0, slip = o->v_t, h = 3.2 * scale / n;
    for (int k = 0;; ++k) { /* ways at half steps */
        d += (k ? h : 0.5 * h) * rate, x += h * slip;
        if (!(d > 0.0)) return slip;
        double N = o->hertz ? o->k * d * sqrt(d) : o->k * d, K = o->hertz ? o->k_t * sqrt(d) : o->k_t, T = K * x;
        if (fabs(T) > o->mu * N) T = copysign(o->mu * N, T), x = T / K;
        rate -= h * N / o->mass, slip -= h * 3.5 * T / o->mass;
    }
}

/* [T]: springs of Hooke, k_t/k_n = kappa, e = 1, so that there is no damping at all. Three ranges of the impact angle: all sliding,
 * v_t' = v_t - 7 mu v_n; all sticking, half a cycle of the normal spring against one of the tangential, v_t' = v_t cos(pi sqrt(3.5 kappa));
 * and between them by the plain integration. mu = 50 for sticking: it slides where N < K x/mu only. */
static void oblique_impacts_follow_the_curve_of_a_spring(void **state)
{
    (void)state;
    const double R = 0.01, kappa[] = {2.0 / 7.0, 0.5, 0.8, 1.0}, v_n = 1.0, k_n = 1e8, density = 2500.0;
    const double mass = 4.0 / 3.0 * PI * R * R * R * density, h = PI * sqrt(mass / k_n) / 4000.0;
    for (int n = 0; n < 4; ++n)
        for (int k = 0; k < VARIANTS; k += STRIDE) {
            const variant *v = &variants[k];
            if (v->law != HOOKE) continue;
            stuff s = {density, 50.0, 1.0, k_n, kappa[n] * k_n, 0.0, 0.0};
            scree_material m = material_of(v, &s);
            motion from = {0.1 * v_n, -v_n, 0.0}, out = onto_a_plane(v, &m, R, from, h, 2e-3);
            row("sticking, slip after/before", v, (out.v_x - R * out.w) / from.v_x, cos(PI * sqrt(3.5 * kappa[n])),
                5e-3);
            s.mu = 0.3, m = material_of(v, &s);
            for (int a = 1; a <= 9; ++a) {
                const double slip = 0.4 * a * s.mu * v_n * 3.5; /* psi = slip/(mu v_n) from 1.4 to 12.6 */
                from.v_x = slip;
                out = onto_a_plane(v, &m, R, from, h, 2e-3);
                oblique o = {mass, s.mu, k_n, s.k_t, 0, v_n, slip};
                row("slip after/(mu v_n)", v, (out.v_x - R * out.w) / (s.mu * v_n),
                    plain_rebound(&o, 20000) / (s.mu * v_n), 2e-2);
                if (a >= 8) row("sliding, slip after", v, out.v_x - R * out.w, slip - 7.0 * s.mu * v_n, 3e-3 * slip);
            }
        }
}

/// The ball of [KGS]: aluminium oxide, R 2.5 mm, on glass, at 3.9 m/s; angle from the normal [degrees]. Returns v_x after/before.
static double kgs(const variant *v, double e, double angle, double h)
{
    const stuff oxide = {4000.0, 0.092, e, 2.7e7, 2.3e7, 380e9, 0.23},
                glass = {2500.0, 0.092, e, 2.7e7, 2.3e7, 70e9, 0.25};
    scree_material ball = material_of(v, &oxide), plate = material_of(v, &glass);
    ball.name = "oxide", plate.name = "glass";
    scree_world *world = soft_world(&ball, 0.0, 0.0, NULL);
    scree_error error = {0};
    int index = scree_material_index(scree_world_add_material(world, &plate, &error));
    expect_ok(error.status, &error);
    scree_body_def def = scree_body_def_default();
    scree_shape plane = scree_shape_plane(scree_material_at(index));
    def.kind = SCREE_BODY_FIXED, def.shapes = &plane, def.shape_count = 1;
    scree_world_add_body(world, &def, &error);
    expect_ok(error.status, &error);
    const double v_n = 3.9 * cos(angle * PI / 180.0), v_t = 3.9 * sin(angle * PI / 180.0);
    int body = scene_sphere(world, 0.0025, 0.0, 0.0, 0.0, 0.0025 * (1.0 + 1e-9));
    scene_move(world, body, (const double[3]){v_t, 0.0, -v_n}, (const double[3]){0.0, 0.0, 0.0});
    through_collision(v, world, h, e < 1.0 ? 1e-12 : 2e-3);
    double after = scree_world_velocities(world)[3 * body];
    scree_world_destroy(world);
    return after / v_t;
}

/// The same collision as two equations: Hertz and Mindlin.
static oblique kgs_plain(double angle)
{
    const double R = 0.0025, nu[] = {0.23, 0.25}, E[] = {380e9, 70e9};
    double soft = 0.0, shear = 0.0;
    for (int k = 0; k < 2; ++k)
        soft += (1.0 - nu[k] * nu[k]) / E[k], shear += 2.0 * (2.0 - nu[k]) * (1.0 + nu[k]) / E[k];
    oblique o = {.mass = 4.0 / 3.0 * PI * R * R * R * 4000.0, .mu = 0.092, .hertz = 1};
    o.k = 4.0 / 3.0 * sqrt(R) / soft, o.k_t = 8.0 * sqrt(R) / shear;
    o.v_n = 3.9 * cos(angle * PI / 180.0), o.v_t = 3.9 * sin(angle * PI / 180.0);
    return o;
}

/// Restitution of the centre along the plane: it changes by a share 2/7 of what the slip does.
static double centre_rebound(const oblique *o, double slip_after)
{
    return 1.0 - (o->v_t - slip_after) / (3.5 * o->v_t);
}

/* Slip after a collision of spheres whose contact slips from its rim inwards (Cattaneo, Mindlin; any history: Jaeger 1993). Depth u below
 * the overlap d stands for the ring of radius sqrt(R u). Each has a share D(u) of Coulomb's stress, -1 to 1:
 *     displacement xi = theta mu int_0^d D du,   T = mu int_0^d D N'(u) du,   theta = N'/K_t = 1.5 k/k_t
 * Rings that come into contact take dxi/(theta mu dd) where that is below 1 (they stick); what displacement is then missing slips from the
 * rim, D = 1 or -1 ring by ring. Halving step and rings changes the result by 1e-4. */
static double partial_slip_rebound(const oblique *o)
{
    enum { RINGS = 2000 };
    static double D[RINGS];
    const double deepest = pow(1.25 * o->mass * o->v_n * o->v_n / o->k, 0.4), ring = 1.02 * deepest / RINGS;
    const double unit = 1.5 * o->k / o->k_t * o->mu * ring, h = 3.2 * deepest / o->v_n / RINGS;
    double d = 0.0, rate = o->v_n, slip = o->v_t, xi = 0.0;
    int rings = 0;
    for (int k = 0;; ++k) {
        const double deeper = (k ? h : 0.5 * h) * rate, share = h * slip * ring / (unit * deeper);
        d += deeper, xi += h * slip;
        if (!(d > 0.0)) return slip;
        const int now = (int)(d / ring) + 1;
        for (int j = rings; j < now; ++j) D[j] = fabs(share) < 1.0 ? share : 0.0;
        rings = now;
        double held = 0.0, T = 0.0;
        for (int j = 0; j < rings; ++j) held += unit * D[j];
        const double sign = xi > held ? 1.0 : -1.0;
        int rim = rings - 1;
        for (; rim >= 0 && fabs(xi - held) > fabs(sign - D[rim]) * unit; --rim)
            held += (sign - D[rim]) * unit, D[rim] = sign;
        if (rim >= 0) D[rim] += (xi - held) / unit;
        else xi = held; /* all of it slides */
        for (int j = 0; j < rings; ++j) T += o->mu * D[j] * 1.5 * o->k * sqrt((j + 0.5) * ring) * ring;
        rate -= h * o->k * d * sqrt(d) / o->mass, slip -= h * 3.5 * T / o->mass;
    }
}

enum { SLIDES_FROM = 30 }; /* degrees: [KGS], and the plain integration */

/* Restitution of the centre along the plane. Three references:
 *   - [KGS]'s figure as Lethe's example of an oblique wall impact has read it (oblique_wall_impact_postprocessing.py);
 *   - MFIX' verification manual, DEM05, read by the same example: Hertz with Mindlin's spring and a slider, as here, with e = 1;
 *   - LAMMPS and LIGGGHTS with the same law, e = 0.98, run by bench/dem_oblique.py;
 *   - 1 - mu (1 + e)/tan(angle) where it slides.
 * Below 30 degrees no spring with one slider meets the measurement, in no program: a ring of the contact slips while its middle sticks ([MBF]), which takes
 * energy out of impacts that such a spring sends back without loss. Those rows are known misses: printed, not asserted. That this is the
 * reason is asserted: with partial slip, and nothing else changed, the same impacts are within 0.03 of the measurement at all angles. Nor are
 * those of MFIX from 3 to 6 degrees asserted, which the equations of Hertz, Mindlin and Coulomb do not give either (`kgs_plain`). */
static void oblique_impacts_are_those_of_aluminium_oxide_on_glass(void **state)
{
    (void)state;
    static const struct {
        double angle, measured, lammps, liggghts; /* measured 0: not there */
    } impact[] = {
        {1.84, 0.79344, 0.9874, 0.9816},   {3.703, 0.74533, 0.9874, 0.9818},  {5.297, 0.0, 0.9213, 0.9187},
        {6.926, 0.0, 0.8148, 0.8108},      {9.496, 0.67257, 0.7120, 0.7083},  {12.183, 0.0, 0.6578, 0.6549},
        {16.425, 0.0, 0.6241, 0.6224},     {20.012, 0.59691, 0.6205, 0.6196}, {30.127, 0.68756, 0.6851, 0.6861},
        {39.382, 0.77148, 0.7774, 0.7781}, {49.694, 0.84761, 0.8450, 0.8455}, {60.02, 0.90142, 0.8946, 0.8949}};
    const double mfix[][2] = {{1.602, 1.0},    {3.203, 0.965},   {4.522, 0.94},   {5.297, 0.91},
                              {6.12, 0.869},   {6.926, 0.823},   {8.49, 0.7507},  {9.775, 0.70475},
                              {12.183, 0.657}, {16.425, 0.622},  {19.777, 0.617}, {25.575, 0.641},
                              {30.416, 0.687}, {39.107, 0.7773}, {49.977, 0.844}, {60.747, 0.897}};
    const double h = 5e-9; /* some 3,000 steps a collision */
    const size_t impacts = sizeof impact / sizeof *impact;
    for (size_t n = 0; n < impacts; ++n) {
        const oblique o = kgs_plain(impact[n].angle);
        if (impact[n].measured > 0.0)
            near("e_t, partial slip", centre_rebound(&o, partial_slip_rebound(&o)), impact[n].measured, 0.03);
    }
    for (int k = 0; k < VARIANTS; k += STRIDE) {
        const variant *v = &variants[k];
        for (size_t n = 0; n < impacts; ++n) {
            const double angle = impact[n].angle, measured = impact[n].measured;
            if (!(measured > 0.0) && v->law != MINDLIN) continue;
            const double e_t = kgs(v, 0.98, angle, h);
            if (v->law == MINDLIN) {
                row("e_t, LAMMPS", v, e_t, impact[n].lammps, 0.015);
                row("e_t, LIGGGHTS", v, e_t, impact[n].liggghts, 0.015);
            }
            if (angle > SLIDES_FROM) {
                row("e_t, Kharaz", v, e_t, measured, 0.015);
                row("e_t, sliding", v, e_t, 1.0 - 0.092 * 1.98 / tan(angle * PI / 180.0), 2e-3);
            } else if (measured > 0.0) {
                print_message("known miss: %s, %g degrees: e_t %.4f, measured %.4f\n", name_of(v), angle, e_t,
                              measured);
            }
        }
        if (v->law != MINDLIN) continue;
        for (size_t n = 0; n < sizeof mfix / sizeof *mfix; ++n) {
            const double angle = mfix[n][0], e_t = kgs(v, 1.0, angle, h);
            const oblique o = kgs_plain(angle);
            row("e_t, plain integration", v, e_t, centre_rebound(&o, plain_rebound(&o, 20000)), 5e-3);
            if (angle < 3.0 || angle > 6.0) row("e_t, MFIX", v, e_t, mfix[n][1], 0.015);
            else if (fabs(e_t - mfix[n][1]) > 0.015)
                print_message("known miss: %s, %g degrees: e_t %.4f, MFIX %.4f\n", name_of(v), angle, e_t, mfix[n][1]);
        }
    }
}

/* ---- under gravity ------------------------------------------------------------------------------------------------------------------- */

/// A sphere of 0.1 m that rests on the plane, ready to be thrown.
typedef struct resting {
    scree_world *world;
    scree_stepper *stepper;
    int ball;
    double h;
    const variant *v;
} resting;

static const stuff ground = {1000.0, 0.2, 0.5, 4e6, 1.2e6, 2e9, 0.3};
static const double ball_R = 0.1, g = 9.8;

static resting rest_on_a_plane(const variant *v, const scree_material *m, double h, motion from)
{
    const double mass = 4.0 / 3.0 * PI * ball_R * ball_R * ball_R * ground.density;
    const double E = ground.young / (2.0 * (1.0 - ground.poisson * ground.poisson)), k = 4.0 / 3.0 * E * sqrt(ball_R);
    const double sunk = v->law == HOOKE ? mass * g / ground.k_n : pow(mass * g / k, 2.0 / 3.0);
    resting r = {.world = soft_world(m, g, 0.0, NULL), .h = h, .v = v};
    scene_floor(r.world);
    r.ball = scene_sphere(r.world, ball_R, 0.0, 0.0, 0.0, ball_R - sunk);
    scene_move(r.world, r.ball, (const double[3]){from.v_x, 0.0, 0.0}, (const double[3]){0.0, from.w, from.v_z});
    r.stepper = stepper_of(v->bed, h);
    return r;
}

static void rest_step(const resting *r)
{
    scree_step_report report;
    watched_step(r->stepper, r->world, r->h, r->v->model == SCREE_DEM_SDS, &report);
}

/* Thrown at 0.5 m/s without spin: it slides for 2 v0/(7 mu g), then rolls at 5/7 v0: its angular momentum about the contact stays.
 * Tracking has arms R - overlap/2 and measures its slip at R: overlap/R = 1e-4 (Hooke), 4e-4 (Hertz). The end of sliding, where the slip
 * changes its sign, is met to a step by tracking. The spring of sds, which made up for the dashpot while it slid, stays behind by the time
 * D/K that a dashpot takes to let go: 2 zeta sqrt(m/K) = 7e-4 s at most, 1 % here. */
static void a_thrown_ball_rolls_at_five_sevenths(void **state)
{
    (void)state;
    const double v0 = 0.5, slides = 2.0 * v0 / (7.0 * ground.mu * g), h = 1e-5;
    for (int k = 0; k < VARIANTS; k += STRIDE) {
        const variant *v = &variants[k];
        scree_material m = material_of(v, &ground);
        resting r = rest_on_a_plane(v, &m, h, (motion){v0, 0.0, 0.0});
        double end = 0.0;
        for (int step = 1; step <= (int)(1.5 * slides / h); ++step) {
            rest_step(&r);
            motion now = motion_of(r.world, r.ball);
            if (end == 0.0 && now.v_x <= ball_R * now.w) end = step * h;
        }
        motion out = motion_of(r.world, r.ball);
        row("thrown, slip time", v, end, slides, (v->model == SCREE_DEM_SDS ? 1e-2 : 1e-3) * slides);
        row("thrown, v", v, out.v_x, 5.0 / 7.0 * v0, 3e-4 * v0);
        row("thrown, w R", v, ball_R * out.w, 5.0 / 7.0 * v0, 3e-4 * v0);
        soft_finish(r.world, r.stepper);
    }
}

/// rho 0.02 R ..: moments of rolling and spinning, which the springs of sds need stiffnesses for.
static scree_material rough(const variant *v, double mu, double rho, double sigma, double roll_k, double spin_k)
{
    stuff s = ground;
    s.mu = mu;
    scree_material m = material_of(v, &s);
    m.friction.rolling = (scree_friction_length){rho, 0}, m.friction.spinning = (scree_friction_length){sigma, 0};
    const int sds = v->model == SCREE_DEM_SDS;
    if (sds && rho > 0.0) m.soft.sds_stiffness = roll_k > 0.0 ? roll_k : 1e6;
    if (!sds && roll_k > 0.0) m.soft.roll_stiffness = roll_k;
    if (sigma > 0.0 && (sds || spin_k > 0.0)) m.soft.spin_stiffness = spin_k > 0.0 ? spin_k : 2500.0;
    return m;
}

/// Rolls at v0, slows down by (5/7) (rho/R) g and rests after v0^2/(2 a). Stiffnesses of rolling change nothing: the bound stays.
static void rolling_ends_where_its_moment_says(void **state)
{
    (void)state;
    const double rho = 0.004, v0 = 0.3, a = 5.0 / 7.0 * rho / ball_R * g, h = 2e-5, K[] = {0.0, 625.0, 2500.0};
    for (int n = 0; n < 3; ++n)
        for (int k = 0; k < VARIANTS; k += STRIDE) {
            const variant *v = &variants[k];
            if (n && v->model == SCREE_DEM_SDS) continue;
            scree_material m = rough(v, 0.5, rho, 0.0, K[n], 0.0);
            resting r = rest_on_a_plane(v, &m, h, (motion){v0, 0.0, v0 / ball_R});
            judged.most[SCREE_FRICTION_ROLL] = 0.0;
            double v1 = 0.0;
            const int steps = (int)(v0 / a / h), quarter = steps / 4;
            for (int step = 1; step <= steps + steps / 5; ++step) {
                rest_step(&r);
                if (step == quarter) v1 = motion_of(r.world, r.ball).v_x;
                if (step != 3 * quarter) continue;
                row("rolling, deceleration", v, (v1 - motion_of(r.world, r.ball).v_x) / (2 * quarter * h), a, 1e-3 * a);
            }
            row("rolling, way to rest", v, scree_world_positions(r.world)[3 * r.ball], 0.5 * v0 * v0 / a,
                0.5e-3 * v0 * v0 / a);
            row("rolling, at rest", v, motion_of(r.world, r.ball).v_x, 0.0, 1e-4 * v0);
            row("rolling, largest moment/(rho N)", v, judged.most[SCREE_FRICTION_ROLL], 1.0, 1e-9);
            soft_finish(r.world, r.stepper);
        }
}

/* When the spring of sds has let a spinning ball come to rest, to a share of its first spin. While it slides, the spring makes up for the dashpot,
 * K phi = B - D w; it sticks from w_c = D B/(K I) on, where phi would grow faster than D w falls. With D = 2 sqrt(I K) and f = sqrt(K/I):
 * w_c = 2 B/(I f), 2/f before the end that the moment alone would give, and from there
 *     w = (B/(I f)) (2 + f t) exp(-f t)                                                                  docs/math/dem.md, sds */
static double sds_rest_time(double ends, double f, double share)
{
    double x = 2.0;
    while ((2.0 + x) * exp(-x) > share * f * ends) x += 1e-4;
    return ends + (x - 2.0) / f;
}

/* Spins about the vertical and rests after 2 R^2 w/(5 sigma g), whatever the stiffness; with sds later by some 4/f, 1.5 % at 2500 N m. */
static void spinning_ends_where_its_moment_says(void **state)
{
    (void)state;
    const double sigma = 0.002, w0 = 3.0, ends = 2.0 * ball_R * ball_R * w0 / (5.0 * sigma * g), h = 2e-5;
    const double K[] = {0.0, 625.0, 2500.0};
    for (int n = 0; n < 3; ++n)
        for (int k = 0; k < VARIANTS; k += STRIDE) {
            const variant *v = &variants[k];
            scree_material m = rough(v, 0.5, 0.0, sigma, 0.0, K[n]);
            resting r = rest_on_a_plane(v, &m, h, (motion){0.0, w0, 0.0});
            judged.most[SCREE_FRICTION_SPIN] = 0.0;
            double end = 0.0, tenth = 0.0;
            for (int step = 1; step <= (int)(1.1 * ends / h); ++step) {
                rest_step(&r);
                double w = scree_world_angular_velocities(r.world)[3 * r.ball + 2];
                if (tenth == 0.0 && w <= 0.1 * w0) tenth = step * h;
                if (end == 0.0 && w <= 1e-4 * w0) end = step * h;
            }
            row("spinning, time to a tenth", v, tenth, 0.9 * ends, 1e-3 * ends);
            const double mass = 4.0 / 3.0 * PI * ball_R * ball_R * ball_R * ground.density,
                         f = sqrt((K[n] > 0.0 ? K[n] : 2500.0) / (0.4 * mass * ball_R * ball_R)),
                         rests = v->model == SCREE_DEM_SDS ? sds_rest_time(ends, f, 1e-4) : ends;
            row("spinning, time to rest", v, end, rests, 1e-3 * ends);
            row("spinning, at rest", v, scree_world_angular_velocities(r.world)[3 * r.ball + 2], 0.0, 1e-3 * w0);
            row("spinning, largest moment/(sigma N)", v, judged.most[SCREE_FRICTION_SPIN], 1.0, 1e-9);
            soft_finish(r.world, r.stepper);
        }
}

/* ---- energy -------------------------------------------------------------------------------------------------------------------------- */

static const stuff broth = {1000.0, 0.5, 0.6, 2e5, 6e4, 2e7, 0.3};

/// A soup without gravity.
static scree_world *soup(const variant *v, double e)
{
    stuff s = broth;
    s.e = e;
    scree_material m = material_of(v, &s);
    m.friction.mu_static = v->model == SCREE_DEM_SDS ? 0.0 : 0.6;
    m.friction.rolling = (scree_friction_length){0.02, 1}, m.friction.spinning = (scree_friction_length){0.02, 1};
    if (v->model == SCREE_DEM_SDS) m.soft.sds_stiffness = 2e4, m.soft.spin_stiffness = 5.0;
    return soft_soup(&m, 0.0);
}

/// Stored in the overlaps, from where the bodies are.
static double normal_energy(const scree_world *world, int law)
{
    const double E = broth.young / (2.0 * (1.0 - broth.poisson * broth.poisson));
    double sum = 0.0;
    const scree_contact_point *t = scree_world_contacts(world);
    for (int k = 0; k < scree_world_contact_count(world); ++k, ++t) {
        const double delta = fmax(-t->gap, 0.0);
        const scree_shape *a = &world->shape[t->shape_a], *b = &world->shape[t->shape_b];
        double bend = (a->kind == SCREE_SHAPE_SPHERE ? 1.0 / a->size[0] : 0.0) +
                      (b->kind == SCREE_SHAPE_SPHERE ? 1.0 / b->size[0] : 0.0);
        sum += law == HOOKE ? 0.5 * broth.k_n * delta * delta : 8.0 / 15.0 * E / sqrt(bend) * pow(delta, 2.5);
    }
    return sum;
}

/* Runs 0.1 s. Returns the most that the energy has grown from any earlier moment, as a share of that at first. Energy: kinetic and all that
 * springs hold (tracking); kinetic and that of the overlaps (sds, whose springs, set to make up for a dashpot, hold what nobody gave them:
 * by the ledger that sum grows by 0.8 of the energy at first). */
static double soup_growth(const variant *v, double e, double h, scree_ledger *total)
{
    scree_world *world = soup(v, e);
    scree_stepper *stepper = stepper_of(v->bed, h);
    scree_step_report report;
    const double first = kinetic_energy(world);
    double least = first, growth = 0.0;
    for (int step = 0; step < (int)(0.1 / h + 0.5); ++step) {
        watched_step(stepper, world, h, v->model == SCREE_DEM_SDS, &report);
        double energy = kinetic_energy(world);
        energy +=
            v->model == SCREE_DEM_SDS ? normal_energy(world, v->law) : scree_stepper_totals(stepper)->energy.elastic;
        least = fmin(least, energy), growth = fmax(growth, energy - least);
    }
    assert_int_equal(world->holder.engine != NULL, (v->bed));
    *total = scree_stepper_totals(stepper)->energy;
    if (is_long())
        print_message("soup, %s, e %g, h %g: %.4g J, then %.4g J, grows by %.3g of it; slide %.3g roll %.3g spin %.3g "
                      "impact %.3g damping %.3g tracking %.3g closing error %.3g\n",
                      name_of(v), e, h, first, kinetic_energy(world), growth / first, total->slide, total->roll,
                      total->spin, total->impact, total->damping, total->tracking, total->balance);
    soft_finish(world, stepper);
    return growth / first;
}

/* 2,500 and 5,000 steps. Of the growth that is left, 4e-7 in the bed goes with h. Where e = 1, sliding springs have no dashpot and give
 * back what they held: in the sum of tracking, not in that of sds, which grows by 3e-3 (2e-3 without rolling and spinning; that of
 * tracking, taken without its springs, by 7e-4). The closing error of the ledger is of first order, whatever the law. */
static void a_soup_of_spinning_spheres_never_gains_energy(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * VARIANTS; k += STRIDE) {
        const variant *v = &variants[k / 2];
        const double e = k % 2 ? 1.0 : broth.e;
        scree_ledger coarse, fine;
        soup_growth(v, e, 4e-5, &coarse);
        double growth = soup_growth(v, e, 2e-5, &fine);
        const int sds = v->model == SCREE_DEM_SDS;
        row("soup, growth of energy", v, growth, 0.0, sds && e == 1.0 ? 5e-3 : 1e-6);
        row("soup, closing error at h/2 over h", v, fine.balance / coarse.balance, 0.5, 0.15);
    }
}

/// All of the runs above, step by step.
static void no_load_was_above_its_bound(void **state)
{
    (void)state;
    print_message("loads of %ld contacts were judged\n", judged.contacts);
    assert_true(judged.contacts > 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spinning_ball_leaves_a_wall_as_coulomb_says),
        cmocka_unit_test(a_heavy_sphere_is_a_wall),
        cmocka_unit_test(two_spheres_part_as_coulomb_says),
        cmocka_unit_test(oblique_impacts_follow_the_curve_of_a_spring),
        cmocka_unit_test(oblique_impacts_are_those_of_aluminium_oxide_on_glass),
        cmocka_unit_test(a_thrown_ball_rolls_at_five_sevenths),
        cmocka_unit_test(rolling_ends_where_its_moment_says),
        cmocka_unit_test(spinning_ends_where_its_moment_says),
        cmocka_unit_test(a_soup_of_spinning_spheres_never_gains_energy),
        cmocka_unit_test(no_load_was_above_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
