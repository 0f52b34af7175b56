/* peers_machines.c: machines of other groups: Andrews' squeezer, a slider-crank with clearance, the woodpecker toy (papers.h, docs/peers.md).
 *
 * [HW] Hairer, Wanner, Solving Ordinary Differential Equations II, section VII.7; reference at 0.03 s from the Test Set for IVP Solvers (Mazzia,
 *      Magherini), problem andrews, 14 digits. One of the benchmarks of IFToMM's library.
 * [FG] Flores, Leine, Glocker, Modeling and analysis of planar rigid multibody systems with translational clearance joints based on the
 *      non-smooth dynamics approach, Multibody System Dynamics 23 (2010) 165-190; values of Siconos' tutorial SliderCrank,
 *      SliderCrankMoreauJeanCombinedProjectionOSI.ref (siconos-tutorials b6c9bfd).
 * [G]  Glocker, Dynamik von Starrkoerpersystemen mit Reibung und Stoessen, thesis, TU Muenchen 1995; values of Siconos' tutorial Woodpecker,
 *      Woodpecker.ref (siconos-tutorials b6c9bfd): the beak strikes at 0.08104 and 0.2271 s, at y = -7.3386 and -26.8154 mm. */
#include "checks/peers.h"
#include "checks/planar_model.h"

/// Angle through which a body that only turns about z has turned, by its spin: the mean of both ends of each step.
typedef struct turning {
    int body;
    double rate, angle;
} turning;

static double rate_of(scree_simulation *simulation, int body)
{
    return scree_world_angular_velocities(scree_simulation_world(simulation))[3 * (size_t)body + 2];
}

static turning turning_of(scree_simulation *simulation, int body)
{
    return (turning){body, simulation ? rate_of(simulation, body) : 0.0, 0.0};
}

static void turn(turning *t, scree_simulation *simulation, double h)
{
    double rate = rate_of(simulation, t->body);
    t->angle += 0.5 * h * (t->rate + rate), t->rate = rate;
}

/* ---- Andrews' squeezer ---------------------------------------------------------------------------------------------------------- */

void peer_squeezer(paper_run *run)
{
    static const char where[] = "[HW], reference at 0.03 s";
    static const char second[] = "second order of the step: (w h)^2 with the crank's 1,140 1/s";
    const double beta = -0.061713890014276450, gamma = 0.45527981916307038, delta = 0.48736497954384255,
                 epsilon = 1.2305474445498212;
    scree_step_report report;
    scree_simulation *simulation = paper_build(run, NULL, NULL);
    turning K1 = turning_of(simulation, 0), K3 = turning_of(simulation, 2), K5 = turning_of(simulation, 4),
            K7 = turning_of(simulation, 6);
    for (int k = 0; k < 15000 && paper_step(run, simulation, &report); ++k) {
        turn(&K1, simulation, report.h), turn(&K3, simulation, report.h);
        turn(&K5, simulation, report.h), turn(&K7, simulation, report.h);
    }
    paper_end(run, simulation);
    const double bound = 1140.0 * 2e-6 * 1140.0 * 2e-6;
    paper_row(run, "beta", "rad", printed(15.81077119629904, where), beta + K1.angle, within(bound, second));
    paper_row(run, "gamma", "rad", printed(0.04082224013073101, where), gamma + K3.angle,
              within(bound * 15.8 / 0.0408, "the same, of the 15.8 rad that the crank has turned"));
    paper_row(run, "delta", "rad", printed(0.5244099658805304, where), delta + K5.angle,
              within(bound * 15.8 / 0.524, "the same, of the 15.8 rad that the crank has turned"));
    paper_row(run, "epsilon", "rad", printed(1.048080741042263, where), epsilon + K7.angle,
              within(bound * 15.8 / 1.048, "the same, of the 15.8 rad that the crank has turned"));
    paper_row(run, "crank-speed", "1/s", printed(1139.920302151208, where), K1.rate,
              within(15.8 * bound, "the same, times the 15.8 rad that the crank has turned"));
}

/* ---- slider-crank --------------------------------------------------------------------------------------------------------------- */

/// Two coordinates, the angles of crank and coupler; the slider does not turn, since both its corners strike at once.
static const double crank_l = 0.153, coupler_l = 0.306, play = 0.001, m1 = 0.038, m2 = 0.038, m3 = 0.076;

static void crank_mass(const double *q, double M[MODEL_COORDINATES][MODEL_COORDINATES])
{
    M[0][0] = 7.4e-5 + (0.25 * m1 + m2 + m3) * crank_l * crank_l;
    M[0][1] = M[1][0] = (0.5 * m2 + m3) * crank_l * coupler_l * cos(q[1] - q[0]);
    M[1][1] = 5.9e-4 + (0.25 * m2 + m3) * coupler_l * coupler_l;
}

static void crank_force(const double *q, const double *v, double *f)
{
    const double s = (0.5 * m2 + m3) * crank_l * coupler_l * sin(q[0] - q[1]), g = 9.81;
    f[0] = -s * v[1] * v[1] - g * cos(q[0]) * crank_l * (0.5 * m1 + m2 + m3);
    f[1] = s * v[0] * v[0] - g * cos(q[1]) * coupler_l * (0.5 * m2 + m3);
}

static void crank_contact(const double *q, model_contact *c)
{
    const double y = crank_l * sin(q[0]) + coupler_l * sin(q[1]);
    for (int k = 0; k < 2; ++k) {
        const double side = k ? -1.0 : 1.0;
        c[k] = (model_contact){.gap = play - side * y,
                               .normal = {-side * crank_l * cos(q[0]), -side * coupler_l * cos(q[1])},
                               .tangent = {-crank_l * sin(q[0]), -coupler_l * sin(q[1])},
                               .restitution = 0.4,
                               .friction = 0.01};
    }
}

void peer_slider_crank(paper_run *run)
{
    enum { TIMES = 4, FINER = 10 };
    static const struct {
        double time, turns, speed; /* Siconos */
    } siconos[TIMES] = {
        {0.01, 0.151617, 68.0890}, {0.05, 0.770408, 68.7812}, {0.1, 1.490871, 154.3734}, {0.2, 3.049719, 122.7552}};
    static const char where[] =
        "its two equations of motion, integrated by themselves; beside: Siconos' SliderCrank [FG]";
    static const char why[] = "where the slider is within its play is by chance: play over crank, 1/153";
    const planar_model model = {2, 2, crank_mass, crank_force, crank_contact};
    const double turn_angle = 6.283185307179586;
    double q[MODEL_COORDINATES] = {0.0}, v[MODEL_COORDINATES] = {150.0, -75.0}, first = 0.0, last = 0.0;
    char name[48];
    scree_step_report report;
    scree_simulation *simulation = paper_build(run, NULL, NULL);
    turning crank = turning_of(simulation, 2);
    if (simulation) first = scree_world_energy(scree_simulation_world(simulation)).kinetic;
    for (int k = 1, next = 0; k <= 20000 && paper_step(run, simulation, &report); ++k) {
        turn(&crank, simulation, report.h);
        for (int n = 0; n < FINER; ++n) model_step(&model, 1e-5 / FINER, q, v);
        scree_energy e = scree_world_energy(scree_simulation_world(simulation));
        last = e.kinetic + e.potential;
        if (k != (int)(siconos[next].time / 1e-5 + 0.5)) continue;
        const peer_value turns[] = {{"Siconos", siconos[next].turns, 0.0}, {0}},
                         speed[] = {{"Siconos", siconos[next].speed, 0.0}, {0}};
        snprintf(name, sizeof name, "turns-at-%gs", siconos[next].time);
        paper_row_beside(run, name, "", printed(q[0] / turn_angle, where), crank.angle / turn_angle,
                         within(1.0 / 153.0, why), turns, 0.0);
        snprintf(name, sizeof name, "speed-at-%gs", siconos[next].time);
        paper_row_beside(run, name, "1/s", printed(v[0], where), crank.rate, within(1.0 / 153.0, why), speed, 0.0);
        ++next;
    }
    paper_end(run, simulation);
    paper_claim(run, "energy-made",
                "impacts and friction take energy: none is made (in Siconos' file it grows from 7.50 to 8.54 J)",
                !(last < first));
}

/* ---- the woodpecker toy ------------------------------------------------------------------------------------------------------------ */

/// Height y of the sleeve, its angle, the bird's angle; exact geometry. With cos(x) = 1 and sin(x) = x this is [G], and then it gives the
/// times of Siconos' file to their digits.
static const double r_0 = 0.0025, r_M = 0.0031, h_M = 0.0058, l_M = 0.01, l_G = 0.015, h_S = 0.02, l_S = 0.0201;
static const double m_M = 3e-4, m_S = 4.5e-3, J_M = 5e-9, J_S = 7e-7, c_phi = 5.6e-3;

static void toy_mass(const double *q, double M[MODEL_COORDINATES][MODEL_COORDINATES])
{
    M[0][0] = m_S + m_M;
    M[0][1] = M[1][0] = m_S * l_M * cos(q[1]);
    M[0][2] = M[2][0] = m_S * l_G * cos(q[2]);
    M[1][1] = J_M + m_S * l_M * l_M;
    M[1][2] = M[2][1] = m_S * l_M * l_G * cos(q[1] - q[2]);
    M[2][2] = J_S + m_S * l_G * l_G;
}

static void toy_force(const double *q, const double *v, double *f)
{
    const double g = 9.81, t = c_phi * (q[2] - q[1]), s = m_S * l_M * l_G * sin(q[1] - q[2]);
    f[0] = -(m_S + m_M) * g + m_S * (l_M * sin(q[1]) * v[1] * v[1] + l_G * sin(q[2]) * v[2] * v[2]);
    f[1] = t - m_S * l_M * g * cos(q[1]) - s * v[2] * v[2];
    f[2] = -t - m_S * l_G * g * cos(q[2]) + s * v[1] * v[1];
}

static void toy_contact(const double *q, model_contact *c)
{
    const double cm = cos(q[1]), sm = sin(q[1]), cs = cos(q[2]), ss = sin(q[2]), arm = l_G - l_S, mu = 0.3;
    c[0] = (model_contact){l_M * cm + arm * cs - h_S * ss - r_0,
                           {0.0, -l_M * sm, -arm * ss - h_S * cs},
                           {1.0, l_M * cm, arm * cs - h_S * ss},
                           0.5,
                           mu};
    for (int k = 1; k < 3; ++k) { /* the lower corner, the upper one */
        const double h = k == 1 ? h_M : -h_M;
        c[k] = (model_contact){
            r_M * cm + h * sm - r_0, {0.0, -r_M * sm + h * cm, 0.0}, {1.0, r_M * cm + h * sm, 0.0}, 0.0, mu};
    }
}

enum { STRIKES = 6 };

/// When and where the beak strikes the pole: the bird is thrown back.
typedef struct strikes {
    int count;
    double time[STRIKES], height[STRIKES], speed, last;
} strikes;

static void watch(strikes *s, double time, double height, double rate, double scale)
{
    if (s->last > 10.0 * scale && rate < -0.3 * s->last && s->count < STRIKES)
        s->time[s->count] = time, s->height[s->count++] = height, s->speed = s->last;
    s->last = rate;
}

/// Means of the last three cycles; NaN where there were not so many.
static double period(const strikes *s)
{
    return s->count == STRIKES ? (s->time[STRIKES - 1] - s->time[STRIKES - 4]) / 3.0 : (double)NAN;
}

static double drop(const strikes *s)
{
    return s->count == STRIKES ? (s->height[STRIKES - 4] - s->height[STRIKES - 1]) / 3.0 : (double)NAN;
}

static strikes run_toy(paper_run *run, const char *file, double scale)
{
    enum { SLEEVE = 1, BIRD = 2 };
    strikes s = {0};
    scree_step_report report;
    run->file = file;
    scree_simulation *simulation = paper_build(run, NULL, NULL);
    for (int k = 0; k < 100000 && s.count < STRIKES && paper_step(run, simulation, &report); ++k)
        watch(&s, report.time, scree_world_positions(scree_simulation_world(simulation))[3 * SLEEVE + 1],
              rate_of(simulation, BIRD), scale);
    paper_end(run, simulation);
    run->file = NULL;
    return s;
}

void peer_woodpecker(paper_run *run)
{
    static const char siconos[] = "[G]; Siconos' Woodpecker, its reference file";
    static const char exact[] = "the three equations of motion in exact geometry, integrated by themselves";
    const paper_bound time = within(1e-3, "scatter of the cycles in Siconos' file (20 us)"),
                      way = within(0.01, "scatter of the cycles in Siconos' file (20 us)");
    const planar_model toy = {3, 3, toy_mass, toy_force, toy_contact};
    const double scale = 1e-3, h = 5e-6;
    strikes small = run_toy(run, "woodpecker-small.yaml", scale), s = run_toy(run, "woodpecker.yaml", 1.0), own = {0};
    double q[MODEL_COORDINATES] = {0.0, -0.1005, -0.2788}, v[MODEL_COORDINATES] = {-0.3411, 0.0, -7.4583};
    for (int k = 1; k <= 200000 && own.count < STRIKES; ++k) {
        model_step(&toy, h, q, v);
        watch(&own, k * h, q[0], v[2], 1.0);
    }
    paper_row(run, "period", "s", printed(0.14606, siconos), period(&small), time);
    paper_row(run, "drop", "m", printed(0.0194768, siconos), drop(&small) / scale, way);
    paper_row(run, "beak-speed", "1/s", printed(16.926, siconos), small.speed / scale, way);
    paper_row(run, "exact-period", "s", printed(period(&own), exact), period(&s), time);
    paper_row(run, "exact-drop", "m", printed(drop(&own), exact), drop(&s), way);
    paper_row(run, "exact-beak-speed", "1/s", printed(own.speed, exact), s.speed, way);
}
