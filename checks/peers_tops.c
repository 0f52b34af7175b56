/* peers_tops.c: bodies that roll in circles, against their closed forms: a ball on a turntable, a coin, Euler's disk (papers.h, docs/peers.md).
 *
 * Turntable: a ball that rolls on a table which turns with W has v' = 2/7 W z x v, so its centre runs in a circle with 2/7 W, wherever it is.
 *
 * Disk (mass 1, radius R, half thickness d, moments I_1 across and I_3 about its axis e_3): e_1 level, e_2 up the disk, so that
 * z = cos(a) e_3 + sin(a) e_2; it turns with w = W sin(a) e_2 + w_3 e_3 and touches at r = -R e_2 - d e_3. Rolling gives the middle the velocity
 * -V e_1, V = R w_3 - d W sin(a), the acceleration W z x (-V e_1); with the change of angular momentum W z x L:
 *     W sin(a) (I_3 w_3 - I_1 W cos(a)) = -R (W V sin(a) + g cos(a)) + d (g sin(a) - W V cos(a)).
 * For d = 0, V = 0 it is Moffatt's W^2 = 4 g/(R sin(a)). The scenes have W and w_3 that fulfil it; here W is computed again.
 *
 * All schemes take contacts where they are at one time of a step, so the point of contact is late by part of a step: first order. */
#include "checks/peers.h"
#include "cli/vector.h"

static const double pi = 3.14159265358979324;

/// Angle of a vector in the plane, whole turns counted.
typedef struct winding {
    double x, y, angle;
} winding;

static void wind(winding *w, double x, double y)
{
    w->angle += atan2(w->x * y - w->y * x, w->x * x + w->y * y);
    w->x = x, w->y = y;
}

void peer_turntable(paper_run *run)
{
    const double W = 10.0, rate = 2.0 / 7.0 * W, h = 1e-4, radius = 0.2 / rate, centre = 0.3 - radius;
    winding w = {0.0, 0.2, 0.0};
    double worst = 0.0, time = 0.0;
    scree_step_report report;
    scree_simulation *simulation = paper_build(run, NULL, NULL);
    while (w.angle < 2.0 * pi && time < 4.0 && paper_step(run, simulation, &report)) {
        const double *v = scree_world_velocities(scree_simulation_world(simulation)) + 3,
                     *x = scree_world_positions(scree_simulation_world(simulation)) + 3;
        time = report.time;
        wind(&w, v[0], v[1]);
        worst = fmax(worst, fabs(hypot(x[0] - centre, x[1]) / radius - 1.0));
    }
    paper_end(run, simulation);
    paper_row(run, "speed/table", "", printed(2.0 / 7.0, "Weckesser, Am. J. Phys. 65 (1997) 736: 2/7"),
              w.angle / time / W, within(rate * h, "first order of the step: 2/7 W h"));
    paper_row(run, "off-its-circle", "", printed(0.0, "the same: a circle; worst distance from it, of its radius"),
              worst, within(2.0 * pi * rate * h, "first order of the step, over one round: 2 pi 2/7 W h"));
}

/// The disk, in the frame of the header.
typedef struct disk {
    double R, d, tilt, W;
} disk;

/// The residual of the equation above.
static double balance(const disk *k, double W, double w_3)
{
    const double I_1 = k->R * k->R / 4.0 + k->d * k->d / 3.0, I_3 = k->R * k->R / 2.0, g = 9.81;
    const double s = sin(k->tilt), c = cos(k->tilt), V = k->R * w_3 - k->d * W * s;
    return W * s * (I_3 * w_3 - I_1 * W * c) + k->R * (W * V * s + g * c) - k->d * (g * s - W * V * c);
}

/// Rows of a disk that goes round in a steady way for `time`.
static void judge_disk(paper_run *run, const disk *k, double w_3, double h, double time, const char *where)
{
    const double spin = fabs(w_3) + k->W, round = 2.0 * pi / k->W;
    winding w = {0.0, -1.0, 0.0}; /* e_3 points towards -y at the start */
    double worst = 0.0, now = 0.0, W = k->W, back = 0.0;
    scree_step_report report;
    scree_simulation *simulation = paper_build(run, NULL, NULL);
    for (int n = 0; n < 3; ++n)
        W -= balance(k, W, w_3) / ((balance(k, W + 1e-6, w_3) - balance(k, W - 1e-6, w_3)) / 2e-6);
    while (now < time - 0.5 * h && paper_step(run, simulation, &report)) {
        const double z[3] = {0.0, 0.0, 1.0}, *q = scree_world_rotations(scree_simulation_world(simulation)) + 4,
                     *x = scree_world_positions(scree_simulation_world(simulation)) + 3;
        double e[3];
        quat_rotate(q, z, e);
        wind(&w, e[0], e[1]);
        if (now < round) worst = fmax(worst, fabs(acos(e[2]) - k->tilt)); /* the first round: as the bound says */
        now = report.time;
        if (fabs(now - round) < 0.5 * h) back = hypot(x[0], x[1]);
    }
    paper_end(run, simulation);
    paper_row(run, "goes-round", "1/s", printed(W, where), w.angle / now,
              within(2.0 * pi * spin * h, "first order of the step, over one turn: 2 pi w h"));
    paper_row(run, "tilt-change", "rad", printed(0.0, "steady motion: it keeps its tilt"), worst,
              within(2.0 * pi * spin * h, "first order of the step, over one turn: 2 pi w h"));
    paper_row(run, "off-its-start", "m", printed(0.0, "steady motion: after one round it is where it was"), back,
              within(2.0 * pi * spin * h * fmax(2.0 * pi * fabs(k->R * w_3 - k->d * k->W * sin(k->tilt)) / k->W, k->R),
                     "the same, of the way (Euler's disk: of its radius)"));
}

void peer_coin(paper_run *run)
{
    const disk coin = {0.05, 0.002, 75.0 * pi / 180.0, 1.5};
    judge_disk(run, &coin, -19.63299179, 1e-4, 4.2, "Routh; Kessler & O'Reilly 2002: steady rolling of a disk");
}

void peer_euler_disk(paper_run *run)
{
    const disk toy = {0.0375, 0.0064, 20.0 * pi / 180.0, 56.01203988};
    judge_disk(run, &toy, 3.269503301, 2e-5, 1.0, "Moffatt, Nature 404 (2000) 833, with thickness");
}
