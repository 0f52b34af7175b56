/* papers_fn_bodies.c: [FN] with ellipsoids, and with three spheres (papers.h).
 *
 * Table 7: with Hertz the spring of spinning is a^2 K_E/2, its threshold mu N/(a K_E), the largest torque a mu N/2, a the radius of the
 * contact, from the mean curvature. All three are measured: the spring from torque over angle while it is static, the torque in motion.
 * Stack: the critical mass of the top sphere by bisection; why it falls is what saturates first between the lower spheres and the ground. */
#include "checks/papers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- ellipsoid that falls over, 4.5.1 ---------------------------------------------------------------------------------------------------- */

/// Height of the tip's direction: the z component of the body's own z axis.
static double upright(const double *q)
{
    return 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]);
}

void paper_fn_ellipsoid(paper_run *run)
{
    scree_step_report report;
    scree_simulation *simulation = paper_build(run, NULL, NULL);
    FILE *csv = paper_open(run, "fn-ellipsoid.csv", "t,y,z,upright,spin\n");
    double lean = 1.0, speed = 0.0, turn = 0.0, back_from = 0.0, last = 0.0;
    for (int step = 1; step <= 80000 && paper_step(run, simulation, &report); ++step) {
        const scree_world *w = scree_simulation_world(simulation);
        const double *x = scree_world_positions(w) + 3, *v = scree_world_velocities(w) + 3,
                     *o = scree_world_angular_velocities(w) + 3;
        double u = upright(scree_world_rotations(w) + 4), t = scree_world_time(w);
        /* it falls towards +y, turning about -x; rolling back is turning about +x */
        if (t > 0.5 && o[0] > 0.0 && last <= 0.0 && back_from == 0.0) back_from = t;
        last = o[0];
        if (step == 60000) lean = fabs(u);
        speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), turn = sqrt(o[0] * o[0] + o[1] * o[1] + o[2] * o[2]);
        if (csv && step % 200 == 0) fprintf(csv, "%.6g,%.9g,%.9g,%.9g,%.9g\n", t, x[1], x[2], u, o[0]);
    }
    paper_close(run, csv, "fn-ellipsoid.csv");
    paper_end(run, simulation);
    /* "between time t = 0.9 sec to t = 1.8 sec, the rolling changes its direction" */
    paper_row(run, "rolls-back-between-0.9-and-1.8-s", "", 1.0, back_from > 0.9 && back_from < 1.8, 0.0);
    paper_row(run, "lean-from-flat-at-3-s", "", 0.0, lean, 0.1);
    paper_row(run, "speed-at-4-s", "m/s", 0.0, speed + 0.5 * turn, 1e-2);
}

/* ---- table 7 ------------------------------------------------------------------------------------------------------------------------------ */

typedef struct table7_row {
    const char *name, *shape, *turned;
    double height, bend;                 /* of the centre [m]; mean curvature [1/m] */
    double stiffness, threshold, torque; /* as printed                             */
} table7_row;

/// Torque about z of the one contact.
static double spin_torque(scree_simulation *simulation, double h)
{
    const scree_world *w = scree_simulation_world(simulation);
    return scree_world_contact_count(w) ? fabs(scree_world_contacts(w)->impulse[5]) / h : 0.0;
}

static double table7_measure(paper_run *run, const table7_row *row, double spin, int steps, double *angle)
{
    const double h = 2e-6, m = 8000.0 * 4.0 / 3.0 * PI * 0.02 * 0.02 * 0.05, E = 2e11 / (1.0 - 0.09);
    double sunk = pow(m * 9.8 / (4.0 / 3.0 * E * sqrt(1.0 / row->bend)), 2.0 / 3.0), torque = 0.0;
    paper_sets sets = {0};
    scree_step_report report;
    paper_set(&sets, "bodies.stone.shape=%s", row->shape);
    paper_set(&sets, "bodies.stone.rotation=%s", row->turned);
    paper_set(&sets, "bodies.stone.position=[0, 0, %.17g]", row->height - sunk);
    paper_set(&sets, "bodies.stone.spin=[0, 0, %.17g]", spin);
    scree_simulation *simulation = paper_build(run, &sets, NULL);
    *angle = 0.0;
    for (int step = 1; step <= steps && paper_step(run, simulation, &report); ++step) {
        torque = spin_torque(simulation, h);
        if (step > 1) *angle += h * spin; /* friction starts in the second step; torques are too small to slow it */
    }
    paper_end(run, simulation);
    return torque;
}

void paper_fn_table7(paper_run *run)
{
    const double R = cbrt(0.02 * 0.02 * 0.05);
    char sphere[64], name[64];
    snprintf(sphere, sizeof sphere, "{sphere: {radius: %.17g}}", R);
    const table7_row rows[] = {{"sphere", sphere, "{axis: y, angle: 0}", R, 1.0 / R, 1.80e-2, 3.88e-3, 6.96e-5},
                               {"flat", "{ellipsoid: {semi_axes: [20 mm, 20 mm, 50 mm]}}", "{axis: y, angle: 90 deg}",
                                0.02, 0.5 * (1.0 / 0.02 + 0.02 / 0.0025), 2.11e-2, 3.58e-3, 7.53e-5},
                               {"upright", "{ellipsoid: {semi_axes: [20 mm, 20 mm, 50 mm]}}", "{axis: y, angle: 0}",
                                0.05, 0.05 / 0.0004, 7.95e-3, 5.82e-3, 4.63e-5}};
    FILE *csv = paper_open(run, "fn-table7.csv",
                           "shape,K_psi,K_psi_printed,threshold,threshold_printed,torque,torque_printed\n");
    for (int k = 0; k < 3; ++k) {
        const table7_row *r = &rows[k];
        double angle, way, held = table7_measure(run, r, 0.1, 500, &angle),
                           kinetic = table7_measure(run, r, 20.0, 500, &way);
        double K = held / angle, torque = kinetic * 0.25 / 0.2, threshold = torque / K;
        /* printed to three digits; the sphere's row is that of a curvature of 36.84 1/m: docs/papers.md */
        double digit = k == 0 ? 5e-3 : 3e-3;
        snprintf(name, sizeof name, "%s-stiffness", r->name);
        paper_row(run, name, "N m", r->stiffness, K, digit);
        snprintf(name, sizeof name, "%s-threshold", r->name);
        paper_row(run, name, "rad", r->threshold, threshold, digit);
        snprintf(name, sizeof name, "%s-torque", r->name);
        paper_row(run, name, "N m", r->torque, torque, digit);
        if (csv)
            fprintf(csv, "%s,%.5g,%.5g,%.5g,%.5g,%.5g,%.5g\n", r->name, K, r->stiffness, threshold, r->threshold,
                    torque, r->torque);
    }
    paper_close(run, csv, "fn-table7.csv");
}

/* ---- three spheres, 4.6 ---------------------------------------------------------------------------------------------------------------------- */

enum { ROLLS = 1, SLIDES = 2 };

typedef struct stack_job {
    int count;
    const double *gap, *eta; /* (count) gap over R */
    double *mass;            /* (count) critical     */
    int *reason;             /* (count) ROLLS, SLIDES, or both: what saturates on the ground as it begins to fall */
} stack_job;

/// 1 if the top sphere comes down; `reason`: what the contacts of the lower spheres with the ground did until the top had sunk a little.
static int collapses(paper_run *own, double gap, double eta, double mass, int *reason)
{
    const double R = 0.15, half = (1.0 + 0.5 * gap) * R, E = 0.5 * 2e6 / (1.0 - 0.09);
    double low = R - pow((1.0 + 0.5 * mass) * 9.8 / (4.0 / 3.0 * E * sqrt(R)), 2.0 / 3.0), until;
    double top = low + sqrt(4.0 * R * R - half * half) - 1e-7; /* barely touching */
    paper_sets sets = {0};
    scree_step_report report;
    paper_set(&sets, "materials.rubber.soft.eta_r=%.17g", eta);
    paper_set(&sets, "bodies.left.position=[%.17g, 0, %.17g]", -half, low);
    paper_set(&sets, "bodies.right.position=[%.17g, 0, %.17g]", half, low);
    paper_set(&sets, "bodies.top.position=[0, 0, %.17g]", top);
    paper_set(&sets, "bodies.top.mass=%.17g", mass);
    scree_simulation *simulation = paper_build(own, &sets, &until);
    int fell = 0, saw = 0;
    for (int step = 0; step < (int)(until / 4e-5 + 0.5) && !fell && paper_step(own, simulation, &report); ++step) {
        const scree_world *w = scree_simulation_world(simulation);
        const scree_contact_point *c = scree_world_contacts(w);
        double sunk = top - scree_world_positions(w)[3 * 3 + 2];
        for (int k = 0; k < scree_world_contact_count(w) && sunk > 0.01 * R && sunk < 0.1 * R; ++k) {
            if (c[k].body_a != 0) continue;
            if (c[k].mode == scree_mode_make(1, 0, 0)) saw |= SLIDES;
            if (c[k].mode == scree_mode_make(0, 1, 0)) saw |= ROLLS;
            if (c[k].mode == scree_mode_make(1, 1, 0)) saw |= SLIDES | ROLLS;
        }
        fell = sunk > 0.3 * R;
    }
    paper_end(own, simulation);
    if (fell) *reason = saw;
    return fell;
}

static void stack_case(paper_run *own, int index, void *context)
{
    const stack_job *j = context;
    double stands = 0.0, falls = 0.1;
    while (falls < 100.0 && !collapses(own, j->gap[index], j->eta[index], falls, &j->reason[index]) &&
           own->status == SCREE_OK)
        stands = falls, falls *= 2.0;
    for (int k = 0; k < (own->is_long ? 12 : 7) && own->status == SCREE_OK; ++k) {
        double middle = 0.5 * (stands + falls);
        if (collapses(own, j->gap[index], j->eta[index], middle, &j->reason[index])) falls = middle;
        else stands = middle;
    }
    j->mass[index] = falls;
    paper_say(own, "gap %.2f R, eta_r %.3f: %.4g kg, %s%s", j->gap[index], j->eta[index], falls,
              j->reason[index] & ROLLS ? "rolls " : "", j->reason[index] & SLIDES ? "slides" : "");
}

void paper_fn_stack(paper_run *run)
{
    static const double gaps[] = {0.3, 0.2, 0.4}, quick[] = {0.1, 0.2, 0.35, 0.5};
    enum { MOST = 3 * 21 };
    double gap[MOST], eta[MOST], mass[MOST] = {0};
    int reason[MOST] = {0};
    stack_job j = {0, gap, eta, mass, reason};
    for (int k = 0; k < (run->is_long ? 3 : 1); ++k)
        for (int i = 0; i < (run->is_long ? 21 : 4); ++i)
            gap[j.count] = gaps[k], eta[j.count++] = run->is_long ? 0.1 + 0.02 * i : quick[i];
    paper_jobs(run, j.count, stack_case, &j);
    FILE *csv = paper_open(run, "fn-stack.csv", "gap,eta_r,mass,reason\n");
    for (int k = 0; k < j.count; ++k) {
        if (csv && k > 0 && gap[k] != gap[k - 1]) fputs("\n\n", csv);
        if (csv) fprintf(csv, "%.3g,%.4g,%.6g,%d\n", gap[k], eta[k], mass[k], reason[k]);
    }
    paper_close(run, csv, "fn-stack.csv");
    int last = (run->is_long ? 21 : 4) - 1;
    paper_row(run, "rises-with-eta_r", "", 1.0, mass[last] > mass[0], 0.0);
    paper_row(run, "plateau", "kg", mass[last], mass[last - (run->is_long ? 4 : 1)], 0.05);
    paper_row(run, "low-eta_r-rolls", "", ROLLS, reason[0], 0.0);
    paper_row(run, "high-eta_r-slides", "", SLIDES, reason[last], 0.0);
}
