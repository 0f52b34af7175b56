/* peers_engines.c: SimBenchmark, the tests that the authors of RaiSim made for RaiSim, Bullet, ODE, MuJoCo and DART (papers.h, docs/peers.md).
 *
 * [SB] github.com/leggedrobotics/SimBenchmark at 3fd1764 (2021): inputs from benchmark/res/yaml and benchmark/raiSim, figures from the tables in data/;
 *      seconds are of one core of an Intel Core i7-7700HQ at 2.8 GHz (docs/about/methodology.html). Each engine without error correction
 *      ("ERP 0") unless said; where a file has several settings of an engine, the one nearest to the closed form.
 * Their measures are kept: means of squared errors over all steps, seen before each step. The bound is RaiSim's own figure: to be at
 * least as good as the engine of those who made the test. */
#include "checks/peers.h"

#include <string.h>
#include <time.h>

static const char as_good[] = "RaiSim's figure: as good as the engine of the test's authors";

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* ---- rolling balls on a box --------------------------------------------------------------------------------------------------- */

/// A box of 10 kg slides on the ground (0.4) under 25 balls of 1 kg that roll on it (0.8): with f1 the ground's friction and f2 that of a ball,
/// whose contact accelerates by 7/2 f2/m against its centre:  f2 = (F - f1)/M / (3.5/m + 25/M).
void peer_rolling(paper_run *run)
{
    static const peer_value askew[] = {{"Bullet", 5.70654e-09, 0.561834}, {"RaiSim", 4.13711e-07, 0.308104},
                                       {"MuJoCo", 0.00244841, 4.0083},    {"ODE", 3.14497, 0.724026},
                                       {"DART", 3.14497, 2.67552},        {0}};
    const double m = 1.0, M = 10.0, F = 150.0, f1 = 0.4 * (M + 25.0 * m) * 9.81;
    const double f2 = (F - f1) / M / (3.5 / m + 25.0 / M), box = (F - f1 - 25.0 * f2) / M, ball = f2 / m;
    const double along[2] = {0.5, 0.8660254037844386};
    double sum = 0.0, end = 0.0, start = cpu_seconds();
    int count = 0;
    scree_step_report report;
    scree_simulation *simulation = paper_build(run, NULL, &end);
    while (count < 4000 && run->status == SCREE_OK) {
        const double *v = scree_world_velocities(scree_simulation_world(simulation));
        const double t = count * 1e-3;
        for (int i = 0; i < 3; ++i) {
            double a = i < 2 ? along[i] : 0.0, off_box = v[3 + i] - box * t * a, off_ball = v[6 + i] - ball * t * a;
            sum += off_box * off_box + off_ball * off_ball;
        }
        ++count;
        paper_step(run, simulation, &report);
    }
    paper_end(run, simulation);
    paper_row_beside(run, "squared-error", "",
                     printed(0.0, "[SB] rolling, 1 ms, push askew: (m/s)^2, mean of 4,000 steps"),
                     count ? sum / count : (double)NAN, within(4.13711e-07, as_good), askew, cpu_seconds() - start);
}

/* ---- elastic balls ------------------------------------------------------------------------------------------------------------- */

/// Mean squared change of the energy [J^2].
static double energy_error(paper_run *run, int steps)
{
    double sum = 0.0, first = 0.0;
    scree_step_report report;
    scree_simulation *simulation = paper_build(run, NULL, NULL);
    for (int k = 0; k < steps && run->status == SCREE_OK; ++k) {
        scree_energy e = scree_world_energy(scree_simulation_world(simulation));
        double now = e.kinetic + e.potential;
        if (k == 0) first = now;
        sum += (now - first) * (now - first);
        paper_step(run, simulation, &report);
    }
    paper_end(run, simulation);
    return sum / steps;
}

void peer_elastic_666(paper_run *run)
{
    static const peer_value others[] = {{"RaiSim", 8.36835, 0.655143},
                                        {"ODE", 112.318, 5.64728},
                                        {"Bullet", 41498.1, 2.31772},
                                        {"DART", 346280.0, 8.69212},
                                        {0}};
    double start = cpu_seconds(), found = energy_error(run, 10000);
    paper_row_beside(run, "squared-error", "J2", printed(0.0, "[SB] 666-elastic, 1 ms: J^2, mean of 10,000 steps"),
                     found, within(8.36835, as_good), others, cpu_seconds() - start);
}

void peer_bouncing(paper_run *run)
{
    static const peer_value others[] = {{"RaiSim", 0.0186204, 0.235136},
                                        {"ODE", 185.027, 1.85601},
                                        {"DART", 72274.4, 3.17378},
                                        {"Bullet", 75245.4, 0.851648},
                                        {0}};
    double start = cpu_seconds(), found = energy_error(run, 20000);
    paper_row_beside(run, "squared-error", "J2", printed(0.0, "[SB] bouncing, 1 ms: J^2, mean of 20,000 steps"), found,
                     within(0.0186204, as_good), others, cpu_seconds() - start);
}

/* ---- a building of blocks ------------------------------------------------------------------------------------------------------- */

enum { BLOCKS = 102 };

/// How long it stands [s], by their sign of collapse: the last block below the top floor's foot. `moved`: largest change of a coordinate [m].
static double stands(paper_run *run, double until, double *moved)
{
    double before[3 * (BLOCKS + 1)], time = 0.0, foot = 0.1 * 5 * 2;
    scree_step_report report;
    scree_simulation *simulation = paper_build(run, NULL, NULL);
    *moved = (double)NAN;
    if (!simulation) return 0.0;
    scree_world *world = scree_simulation_world(simulation);
    memcpy(before, scree_world_positions(world), sizeof before);
    while (time < until - 1e-9 && paper_step(run, simulation, &report)) {
        if (scree_world_positions(world)[3 * BLOCKS + 2] < foot) break;
        time = report.time;
    }
    *moved = 0.0;
    for (int i = 0; i < 3 * (BLOCKS + 1); ++i) *moved = fmax(*moved, fabs(scree_world_positions(world)[i] - before[i]));
    paper_end(run, simulation);
    return time;
}

void peer_kapla(paper_run *run)
{
    static const peer_value others[] = {{"RaiSim", 600.0, 2884.89},
                                        {"Bullet with ERP", 550.58, 6954.77},
                                        {"RaiSim with ERP", 548.39, 2843.2},
                                        {"ODE with ERP", 64.53, 1052.36},
                                        {"MuJoCo", 32.97, 60.6884},
                                        {"Bullet", 1.47, 33.302},
                                        {"ODE", 1.22, 21.2848},
                                        {"DART", 0.19, 5.92624},
                                        {0}};
    double until = run->is_long ? 600.0 : 20.0, moved, start = cpu_seconds(), time = stands(run, until, &moved);
    paper_row_beside(run, "stands", "s",
                     printed(until, run->is_long
                                        ? "[SB] kapla: 600 s at 10 ms"
                                        : "[SB] kapla at 10 ms: 20 of the 600 s that RaiSim stands (--long: all)"),
                     time, within(0.0, "stands or falls"), run->is_long ? others : NULL, cpu_seconds() - start);
    paper_row(run, "moves", "m", printed(0.0, "statics: it can stand"), moved,
              within(0.0, "what rests, rests: not one bit"));
    if (!run->is_long)
        paper_note(run, "seconds", "s", cpu_seconds() - start, "of computing, for 20 s; RaiSim: 2,885 s for 600 s");
}
