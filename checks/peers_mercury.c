/* peers_mercury.c: self tests of MercuryDPM with the values that its files record (papers.h, docs/peers.md): one ball each, soft contacts.
 *
 * [MD] MercuryDPM, Drivers/UnitTests, Drivers/SelfTests and Drivers/Papers/OSBenchmark at fb0ebf1 of July 2024: what its tests require, and
 *      the states in their SelfTestData. Its steps are a fiftieth of an impact; those of the scenes here are shorter, and each
 *      figure is held against the closed form, or the equations integrated by themselves, with MercuryDPM's beside. */
#include "checks/peers.h"

static const double pi = 3.14159265358979324;

/// Position, velocity and spin of the last body when the scene is at its end.
typedef struct ball {
    double x[3], v[3], w[3];
} ball;

static ball run_to_end(paper_run *run, const char *file)
{
    ball b = {.x = {(double)NAN}};
    double until = 0.0;
    scree_step_report report = {.time = 0.0};
    run->file = file;
    scree_simulation *simulation = paper_build(run, NULL, &until);
    while (simulation && report.time < until - 1e-9 * until && paper_step(run, simulation, &report)) continue;
    if (run->status == SCREE_OK) {
        const scree_world *world = scree_simulation_world(simulation);
        const size_t last = 3 * (size_t)(scree_world_body_count(world) - 1);
        for (size_t i = 0; i < 3; ++i) {
            b.x[i] = scree_world_positions(world)[last + i], b.v[i] = scree_world_velocities(world)[last + i];
            b.w[i] = scree_world_angular_velocities(world)[last + i];
        }
    }
    paper_end(run, simulation);
    return b;
}

static void row(paper_run *run, const char *name, const char *unit, paper_source source, double found,
                paper_bound bound, double mercury)
{
    const peer_value others[] = {{"MercuryDPM", mercury, 0.0}, {0}};
    paper_row_beside(run, name, unit, source, found, bound, others, 0.0);
}

/// A ball that rolls down 15 degrees, on springs without dashpots: 5/7 g sin(15) t after 1 s.
static void incline(paper_run *run)
{
    const ball b = run_to_end(run, "mercury-incline.yaml");
    const double rolls = 5.0 / 7.0 * 9.8 * sin(pi / 12.0);
    row(run, "incline-speed", "m/s", printed(rolls, "5/7 g sin(15) t; [MD] InclinedPlaneUnitTest"), b.v[0],
        within(1e-4 / rolls, "1e-4 m/s: what MercuryDPM's own test allows"), 1.81167);
}

/// Hertz with a restitution of 0.4.
static void impact(paper_run *run)
{
    const double mass = 2500.0 * 4.0 / 3.0 * pi * 1e-9, modulus = 1.0 / (0.96 / 1e9 + 0.96 / 210e9),
                 overlap = pow(1.25 * mass / (4.0 / 3.0 * modulus * sqrt(1e-3)), 0.4);
    const ball b = run_to_end(run, "mercury-impact.yaml");
    row(run, "impact-speed", "m/s", printed(0.4, "the restitution of the pair; [MD] OSHertzSelfTest"), b.v[2],
        within(20e-9 / (2.94 * overlap), "first order of the step: h over the time of the impact"), 0.40107538074925);
}

/// A ball slides down 45 degrees, mu = 0.2, from rest: forces are constant, once the spring of friction is stretched, which takes 37 us of the
/// 5 ms: from rest, at 5 m/s^2, a way of mu N over Mindlin's 8 G a.
static void slope(paper_run *run)
{
    const double t = 5.0005e-3, R = 1e-3, g = 5.0, mu = 0.2, mass = 7200.0 * 4.0 / 3.0 * pi * 1e-9,
                 modulus = 1.0 / (0.96 / 1e9 + 0.96 / 210e9),
                 depth = pow(mass * g / (4.0 / 3.0 * modulus * sqrt(R)), 2.0 / 3.0);
    const ball b = run_to_end(run, "mercury-slope.yaml");
    const double late = 37e-6 / t;
    row(run, "slope-speed", "m/s", printed((1.0 - mu) * g * t, "(1 - mu) g t; [MD] OSMindlinSelfTest"), b.v[0],
        within(late * mu / (1.0 - mu), "friction needs 37 us of 5 ms to its bound, mu N"), 0.0200031141978808);
    row(run, "slope-spin", "1/s", printed(2.5 * mu * g * t / R, "5/2 mu g t/R; [MD] OSMindlinSelfTest"), b.w[1],
        within(late, "friction needs 37 us of 5 ms to its bound, mu N"), 12.4983210042401);
    row(run, "slope-overlap", "m", printed(depth, "Hertz at rest: 4/3 E R^(1/2) d^(3/2) = m g; [MD] OSMindlinSelfTest"),
        R - b.x[2], within(1e-6, "positions of MercuryDPM have twelve digits of 1 mm: 4e-8 of d"),
        1e-3 - 0.000999977169022224);
}

/// Four bounces on a hard spring, at MercuryDPM's step. In an impact at speed v the ball swings about its place of rest, at w = (k/m)^(1/2),
/// for (pi + 2 atan(g/(v w)))/w, and leaves with v. Steps that are first order keep E - h k x v/2 while the spring acts, and E before and
/// after; the ball is in by a part of h v when the spring first acts, so an impact changes the speed by up to (w h)^2/8 of it.
static void fall(paper_run *run)
{
    const double R = 0.005, g = 9.8, H = 0.09, h = 1e-6, mass = 2000.0 * 4.0 / 3.0 * pi * R * R * R,
                 w = sqrt(8e6 / mass), v = sqrt(2.0 * g * H), touch = (pi + 2.0 * atan(g / (v * w))) / w, down = v / g,
                 off = w * h * w * h / 8.0;
    const double between = touch + 2.0 * down; /* an impact's begin, and the next one's */
    const int before = (int)((1.0 - down) / between), bounces = before + 1;
    const double since = 1.0 - down - before * between - touch, /* the last one, and by how much that may be off */
        late = bounces * h + off * before * bounces * down;
    const double height = R + v * since - 0.5 * g * since * since, speed = v - g * since;
    const ball b = run_to_end(run, "mercury-fall.yaml");
    static const char why[] = "an impact changes the speed by up to (w h)^2/8, and the times of the next ones";
    row(run, "fall-height", "m", printed(height, "four bounces of a spring; [MD] FreeFallSelfTest"), b.x[2],
        within((since * off * bounces * v + speed * late) / height, why), 0.060162719426194);
    row(run, "fall-speed", "m/s", printed(speed, "the same"), b.v[2],
        within((off * bounces * v + g * late) / speed, why), 0.826766416424872);
}

/// Two contacts of spring, dashpot and slider about one axis: I w' = -2 M. The spring gives way where both together reach the bound.
typedef struct twist {
    double held, lowest, when,
        next; /* until when the bound holds [s]; the least torque, and when; the largest after it [N m] */
} twist;

enum { TWISTS = 500 };
static const double twist_step = 4e-4; /* between the values that MercuryDPM records */

static twist twist_of(const double *torque)
{
    twist t = {.lowest = 0.0};
    for (int k = 0; k < TWISTS; ++k) {
        if (torque[k] > 0.999 * torque[4] && k < 60) t.held = k * twist_step;
        if (torque[k] < t.lowest) t.lowest = torque[k], t.when = k * twist_step, t.next = 0.0;
        if (t.lowest < 0.0 && torque[k] > t.next) t.next = torque[k];
    }
    return t;
}

static void integrate_twist(double K, double D, double inertia, double bound, double torque[TWISTS])
{
    enum { FINE = 4000 };
    const double h = twist_step / FINE;
    double angle = 0.0, w = 1.0, M = 0.0;
    for (int k = 0; k < TWISTS; ++k)
        for (int i = 0; i < FINE; ++i) {
            angle += 0.5 * h * w; /* at the middle of the step */
            M = K * angle + D * w;
            if (fabs(M) > bound) M = copysign(bound, M), angle = (M - D * w) / K;
            if (i == 0) torque[k] = M;
            w -= h * 2.0 * M / inertia;
            angle += 0.5 * h * w;
        }
}

static double spin_of_third(scree_simulation *simulation)
{
    return scree_world_angular_velocities(scree_simulation_world(simulation))[3 * 2 + 2];
}

static void measure_twist(paper_run *run, double inertia, double torque[TWISTS])
{
    scree_step_report report;
    run->file = "mercury-twist.yaml";
    scree_simulation *simulation = paper_build(run, NULL, NULL);
    for (int k = 0; k < TWISTS && simulation; ++k) {
        const double before = spin_of_third(simulation);
        paper_advance(run, simulation, 1, &report);
        torque[k] = 0.5 * inertia * (before - spin_of_third(simulation)) / report.h;
        paper_advance(run, simulation, 19, &report);
    }
    paper_end(run, simulation);
}

static void spin_between(paper_run *run)
{
    const double log_e = log(0.7), D = 0.5, m = 0.5, time = 0.02, inertia = 0.1; /* reduced mass of 1 kg and 1 kg */
    const double k = m * (pi * pi + log_e * log_e) / (time * time), c = -2.0 * m * log_e / time;
    const double bound = 0.1 * D * k * 0.005; /* at an overlap of 5 mm */
    double own[TWISTS] = {0.0}, theirs[TWISTS];
    integrate_twist(0.4 * D * D * k, 0.4 * D * D * c, inertia, bound, theirs);
    measure_twist(run, inertia, own);
    if (run->status != SCREE_OK) return;
    const twist t = twist_of(own), eq = twist_of(theirs);
    static const char where[] = "its equation, integrated by itself; [MD] TorsionFrictionSelfTest";
    static const char why[] = "first order of the step: w h, with w = 158 1/s";
    const double first = 158.0 * 20e-6;
    row(run, "twist-bound", "N m", printed(bound, "mu D N; [MD] TorsionFrictionSelfTest"), own[4],
        within(1e-9, "the slider's bound, mu D N: digits of the scene"), 3.12401);
    row(run, "twist-held-until", "s", printed(eq.held, where), t.held,
        within(1.01 * twist_step / eq.held, "one of the times at which MercuryDPM writes, 0.4 ms"), 0.0144);
    row(run, "twist-swings-back", "N m", printed(eq.lowest, where), t.lowest, within(first, why), -2.18345);
    row(run, "twist-swings-again", "N m", printed(eq.next, where), t.next, within(first, why), 1.52694);
}

void peer_mercury(paper_run *run)
{
    incline(run);
    impact(run);
    slope(run);
    fall(run);
    spin_between(run);
}
