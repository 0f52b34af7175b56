/* peers_soft.c: cases of other groups with soft contacts: single impacts, and a ball that slides until it rolls (papers.h, docs/peers.md).
 *
 * A sphere of radius R that slides through a whole impact, at v_n along the normal, gets the tangential impulse mu (1 + e) m v_n, whatever the
 * springs: its speed along the surface changes by mu (1 + e) v_n, its spin by 5/2 of that over R. Hertz without loss, with the force k d^(3/2)
 * and the reduced mass m: the largest overlap is (5 m V^2/(4 k))^(2/5). The time of the impact is 2.94 d/V (Hertz), pi (m/k)^(1/2) (Hooke).
 *
 * [CO]  Chung, Ooi, Benchmark tests for verifying discrete element modelling codes at particle impact level, Granular Matter 13 (2011) 643-656.
 * [L]   LAMMPS, unittest/granular/tests of July 2026: the values that its files record, and the tolerances with which they are judged there.
 * [KGS] Kharaz, Gorham, Salman, Powder Technology 120 (2001) 281-291; figure read by Lethe's example oblique-wall-impact.
 * [M]   MFiX' verification manual, DEM05 (Hertz, Mindlin, one slider, e = 1); read by the same example.
 * [O]   bench/dem_oblique.py: LAMMPS of 29 Sep 2021 and LIGGGHTS 3.8.0 (those of Debian 12), run by us with [KGS]'s impacts, e = 0.98. */
#include "checks/peers.h"

static const double pi = 3.14159265358979324;

/// Velocity and spin (about y) of a body, which only turns about y.
typedef struct motion {
    double v[3], w;
} motion;

static motion motion_of(scree_simulation *simulation, int body)
{
    const scree_world *world = scree_simulation_world(simulation);
    const double *v = scree_world_velocities(world) + 3 * (size_t)body;
    return (motion){{v[0], v[1], v[2]}, scree_world_angular_velocities(world)[3 * (size_t)body + 1]};
}

/// What is seen of an impact: the motion of `body` after it, and the peak.
typedef struct impact {
    motion after, other;   /* of the body asked for, and of the one before it */
    double overlap, force; /* largest [m], [N]                                */
} impact;

/// Runs the scene through its impact. Without a contact by its end it has failed: NaN.
static impact collide(paper_run *run, const char *file, const paper_sets *sets, int body)
{
    impact i = {.overlap = 0.0};
    double end = 0.0, time = 0.0;
    int touched = 0, apart = 0;
    scree_step_report report;
    run->file = file;
    scree_simulation *simulation = paper_build(run, sets, &end);
    while (time < end && apart < 3 && paper_step(run, simulation, &report)) {
        const scree_world *world = scree_simulation_world(simulation);
        const scree_contact_point *c = scree_world_contacts(world);
        const int loaded = scree_world_contact_count(world) > 0 && c->impulse[0] > 0.0;
        if (loaded) i.overlap = fmax(i.overlap, -c->gap), i.force = fmax(i.force, c->impulse[0] / report.h);
        touched |= loaded, apart = touched && !loaded ? apart + 1 : 0;
        time = report.time;
    }
    if (run->status == SCREE_OK) i.after = motion_of(simulation, body), i.other = motion_of(simulation, body - 1);
    if (!apart) i.after.v[0] = i.after.v[2] = i.after.w = i.overlap = (double)NAN;
    paper_end(run, simulation);
    return i;
}

/* ---- [CO], tests 1 to 8 ------------------------------------------------------------------------------------------------------ */

#define FIRST_ORDER "first order of the step: h over the time of the impact"

/// Tests 1 and 2: the peak of an impact without loss. m, k, V: reduced mass, stiffness, approach.
static void hertz_peak(paper_run *run, const char *file, const char *prefix, double m, double k, double V, double h,
                       const peer_value *overlap, const char *where)
{
    char name[48];
    impact i = collide(run, file, NULL, 1);
    double d = pow(1.25 * m * V * V / k, 0.4), share = h / (2.94 * d / V);
    snprintf(name, sizeof name, "%s-overlap", prefix);
    paper_row_beside(run, name, "m", printed(d, where), i.overlap, within(share, FIRST_ORDER), overlap, 0.0);
    snprintf(name, sizeof name, "%s-force", prefix);
    paper_row(run, name, "N", printed(k * d * sqrt(d), where), i.force, within(2.0 * share, FIRST_ORDER ", twice"));
}

static void tests_1_and_2(paper_run *run)
{
    static const peer_value pair[] = {{"LAMMPS", 2.741127563e-4, 0.0}, {0}},
                            wall[] = {{"LAMMPS", 2.26806479856e-5, 0.0}, {0}};
    const double m_glass = 4.0 / 3.0 * pi * 1e-6 * 2800.0, m_oxide = 4.0 / 3.0 * pi * pow(0.0025, 3.0) * 7000.0;
    hertz_peak(run, "hertz-pair.yaml", "1", 0.5 * m_glass, 4.0 / 3.0 * 2.5e10 * sqrt(0.005), 20.0, 20e-9, pair,
               "[CO] test 1, eq. 2, 3; beside: LAMMPS dem02-hertz-peak");
    hertz_peak(run, "hertz-wall.yaml", "2", m_oxide, 4.0 / 3.0 * 53.33333333e9 * sqrt(0.0025), 3.9, 10e-9, wall,
               "[CO] test 2, eq. 2, 3; beside: LAMMPS dem03-hertz-peak-wall");
}

/// Test 3: speed after over before, two spheres of Hooke's law.
static void test_3(paper_run *run)
{
    static const peer_value lammps[] = {{"LAMMPS", 0.19994329479, 0.0}, {0}};
    const double mass = 4.0 / 3.0 * pi * pow(0.0025, 3.0) * 2700.0, time = pi * sqrt(0.5 * mass / 1e6);
    double worst = 0.0, at_02 = (double)NAN;
    for (int k = 1; k <= 5; ++k) {
        double e = 0.2 * k;
        paper_sets sets = {0};
        paper_set(&sets, "materials.alloy.restitution=%.17g", e);
        impact i = collide(run, "restitution-pair.yaml", &sets, 1);
        double found = i.after.v[0] / 2.0;
        if (k == 1) at_02 = found;
        if (!(fabs(found - e) <= worst)) worst = fabs(found - e);
    }
    paper_row_beside(run, "3-e-0.2", "", printed(0.2, "[CO] test 3; LAMMPS dem01-hooke-twosphere-e02"), at_02,
                     within(30e-9 / time / 0.2, FIRST_ORDER ", of e = 0.2"), lammps, 0.0);
    paper_row(run, "3-worst-of-5", "", printed(0.0, "[CO] test 3, figure 4: e from 0.2 to 1"), worst,
              within(30e-9 / time, FIRST_ORDER));
}

/// A row of a sphere that slides, and LAMMPS' value.
static void sliding_row(paper_run *run, const char *name, const char *unit, double theory, double found, double bound,
                        double lammps, const char *where)
{
    const peer_value others[] = {{"LAMMPS", lammps, 0.0}, {0}};
    paper_row_beside(run, name, unit, printed(theory, where), found, within(bound, FIRST_ORDER), others, 0.0);
}

static void test_4(paper_run *run)
{
    static const char where[] = "[CO] test 4, closed form of sliding; beside: LAMMPS dem04-mindlin-oblique";
    const double mu = 0.092, e = 0.98, vx = 2.5069, vz = 2.9876, R = 0.0025, change = mu * (1.0 + e) * vz;
    const double bound = 10e-9 / 14e-6; /* 2.94 d/V with d = 14 um, V = 2.99 m/s */
    impact i = collide(run, "oblique-wall.yaml", NULL, 1);
    sliding_row(run, "4-along-the-wall", "m/s", vx - change, i.after.v[0], bound, 1.9626460766, where);
    sliding_row(run, "4-away-from-it", "m/s", e * vz, i.after.v[2], bound, 2.9278423106, where);
    sliding_row(run, "4-spin", "1/s", 2.5 * change / R, i.after.w, bound, 544.25392338, where);
    paper_sets sets = {0};
    paper_set(&sets, "bodies.ball.velocity=[0.5, 0, -2.9876]");
    i = collide(run, "oblique-wall.yaml", &sets, 1);
    paper_row(run, "4-sticking", "m/s", printed(0.34437890245, "LAMMPS dem04-mindlin-sticking, its recorded v_x"),
              i.after.v[0], within(0.02, "the tolerance of LAMMPS' own impacts, 2 %: its law is another one"));
}

static void test_5(paper_run *run)
{
    static const char where[] = "[CO] test 5, closed form of sliding; beside: LAMMPS dem15";
    const double mu = 0.25, e = 0.7, v = 1.0, R = 0.0025, change = mu * (1.0 + e) * v;
    impact i = collide(run, "oblique-pair.yaml", NULL, 1);
    const peer_value others[] = {{"LAMMPS", 426.85, 0.0}, {0}};
    paper_row_beside(run, "5-spin", "1/s", printed(2.5 * change / R, where), i.after.w,
                     within(0.012, "the normal turns by 0.007 rad in the 13 us of the impact: 1.2 % of the spin"),
                     others, 0.0);
    paper_row(run, "5-the-other", "1/s", printed(i.after.w, "symmetry"), i.other.w,
              within(1e-12, "rounding: both get the same"));
}

static void tests_6_to_8(paper_run *run)
{
    static const char wall[] = "[CO] test 6, closed form of sliding; beside: LAMMPS dem06-spin-wall";
    static const char heavy[] = "[CO] test 8, closed form of sliding; beside: LAMMPS dem06-hookehistory-spin";
    const double change = 0.4 * 1.5 * 0.2, share = 1e-6 / 1.1e-3, M = 125000.0, w = 22.86;
    const double turned = 2.5 * change / 0.1;
    impact i = collide(run, "spin-wall.yaml", NULL, 1);
    sliding_row(run, "6-along-the-wall", "m/s", change, i.after.v[0], share, 0.12089194099, wall);
    sliding_row(run, "6-away-from-it", "m/s", 0.1, i.after.v[2], share, 0.09999195333, wall);
    sliding_row(run, "6-spin", "1/s", w - turned, i.after.w, share * turned / (w - turned) + 1e-4, 19.837701475, wall);
    i = collide(run, "spin-pair.yaml", NULL, 1);
    paper_row(run, "7-spin-change", "1/s", printed(0.0, "[CO] test 7: no friction"), i.after.w + 22.0,
              within(1e-12, "rounding: surfaces do not slide"));
    paper_row(run, "7-speed-across", "m/s", printed(0.0, "[CO] test 7: no friction"), hypot(i.after.v[1], i.after.v[2]),
              within(1e-14, "rounding: surfaces do not slide"));
    i = collide(run, "spin-heavy.yaml", NULL, 1);
    sliding_row(run, "8-along-the-surface", "m/s", change * M / (1.0 + M), i.after.v[0], 1.5 * 1e-6 / 1.0e-3,
                0.12706938882, heavy);
    sliding_row(run, "8-spin", "1/s", w - turned * M / (1.0 + M), i.after.w, share * turned / (w - turned) + 1e-4,
                19.683950333, heavy);
}

void peer_chung_ooi(paper_run *run)
{
    tests_1_and_2(run);
    test_3(run);
    test_4(run);
    test_5(run);
    tests_6_to_8(run);
}

/* ---- from sliding to rolling -------------------------------------------------------------------------------------------------- */

void peer_slip_to_roll(paper_run *run)
{
    static const peer_value slides[] = {{"LAMMPS", 1.2400019629, 0.0}, {0}},
                            rolls[] = {{"LAMMPS", 1.0000022220, 0.0}, {0}},
                            spins[] = {{"LAMMPS", 399.99777799, 0.0}, {0}};
    scree_step_report report;
    run->file = "slip-to-roll.yaml";
    scree_simulation *simulation = paper_build(run, NULL, NULL);
    double at_04 = (double)NAN;
    if (paper_advance(run, simulation, 40000, &report)) at_04 = motion_of(simulation, 1).v[0];
    motion end = {.w = 0.0};
    if (paper_advance(run, simulation, 60000, &report)) end = motion_of(simulation, 1);
    paper_end(run, simulation);
    /* friction begins when its spring is stretched to mu N/K_t = 0.18 um: 0.13 us of sliding, mu g times that of speed */
    paper_row_beside(run, "speed-at-0.4s", "m/s", printed(1.24, "u0 - mu g t; LAMMPS dem05-sliptime"), at_04,
                     within(1e-5, "the step: mu g h = 4e-6 m/s"), slides, 0.0);
    paper_row_beside(run, "speed-at-1s", "m/s", printed(1.0, "5/7 u0; LAMMPS dem05-sliptime"), end.v[0],
                     within(1e-5, "the step: mu g h = 4e-6 m/s"), rolls, 0.0);
    paper_row_beside(run, "spin-at-1s", "1/s", printed(400.0, "5/7 u0/R; LAMMPS dem05-sliptime"), end.w,
                     within(1e-5, "overlap over radius, 7e-6, and the step"), spins, 0.0);
}

/* ---- [KGS] -------------------------------------------------------------------------------------------------------------------- */

/// Speed along the wall after over before, at an angle from the normal [degrees].
static double along(paper_run *run, double degrees, double e)
{
    const double a = degrees * pi / 180.0;
    paper_sets sets = {0};
    paper_set(&sets, "bodies.ball.velocity=[%.17g, 0, %.17g]", 3.9 * sin(a), -3.9 * cos(a));
    paper_set(&sets, "materials.oxide.restitution=%g", e);
    paper_set(&sets, "materials.glass.restitution=%g", e);
    return collide(run, "kharaz.yaml", &sets, 1).after.v[0] / (3.9 * sin(a));
}

void peer_kharaz(paper_run *run)
{
    static const double measured[][2] = {{1.84, 0.79344},   {3.703, 0.74533},  {9.496, 0.67257},  {20.012, 0.59691},
                                         {30.127, 0.68756}, {39.382, 0.77148}, {49.694, 0.84761}, {60.02, 0.90142}};
    static const double mfix[][2] = {{1.602, 1.0},    {3.203, 0.965},   {4.522, 0.94},   {5.297, 0.91},
                                     {6.12, 0.869},   {6.926, 0.823},   {8.49, 0.7507},  {9.775, 0.70475},
                                     {12.183, 0.657}, {16.425, 0.622},  {19.777, 0.617}, {25.575, 0.641},
                                     {30.416, 0.687}, {39.107, 0.7773}, {49.977, 0.844}, {60.747, 0.897}};
    char name[48];
    for (int k = 0; k < 8; ++k) {
        snprintf(name, sizeof name, "e_t-at-%.0f-degrees", measured[k][0]);
        paper_row(run, name, "", printed(measured[k][1], "[KGS], measured; read off its figure"),
                  along(run, measured[k][0], 0.98), within(0.015 / measured[k][1], "the reading of a figure: 0.015"));
    }
    static const double programs[][3] = {/* angle, LAMMPS, LIGGGHTS */
                                         {1.84, 0.9874, 0.9816},   {3.703, 0.9874, 0.9818},  {5.297, 0.9213, 0.9187},
                                         {6.926, 0.8148, 0.8108},  {9.496, 0.7120, 0.7083},  {12.183, 0.6578, 0.6549},
                                         {16.425, 0.6241, 0.6224}, {20.012, 0.6205, 0.6196}, {30.127, 0.6851, 0.6861},
                                         {39.382, 0.7774, 0.7781}, {49.694, 0.8450, 0.8455}, {60.02, 0.8946, 0.8949}};
    double worst[2] = {0.0, 0.0}, from[2] = {0.0, 0.0};
    for (int k = 0; k < 12; ++k) {
        const double e_t = along(run, programs[k][0], 0.98);
        for (int p = 0; p < 2; ++p) {
            const double off = fabs(e_t - programs[k][1 + p]);
            if (!(off <= from[p])) from[p] = off;
        }
    }
    paper_row(run, "off-LAMMPS", "", printed(0.0, "[O], 12 angles from 1.8 to 60 degrees, worst difference"), from[0],
              within(0.015, "each has its own dashpot along the wall"));
    paper_row(run, "off-LIGGGHTS", "", printed(0.0, "[O], the same angles, worst difference"), from[1],
              within(0.015, "each has its own dashpot along the wall"));
    for (int k = 0; k < 16; ++k) {
        double off = fabs(along(run, mfix[k][0], 1.0) - mfix[k][1]);
        int between = mfix[k][0] > 3.0 && mfix[k][0] < 6.0;
        if (!(off <= worst[between])) worst[between] = off;
    }
    paper_row(run, "off-MFiX", "", printed(0.0, "[M], 13 angles from 1.6 to 60.7 degrees, worst difference"), worst[0],
              within(0.015, "the reading of a figure: 0.015"));
    paper_row(run, "off-MFiX-3-to-6", "", printed(0.0, "[M], 3 angles from 3 to 6 degrees, worst difference"), worst[1],
              within(0.015, "the reading of a figure: 0.015"));
}
