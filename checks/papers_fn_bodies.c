/* papers_fn_bodies.c: [FN] with ellipsoids, and with three spheres (papers.h).
 *
 * Table 7: with Hertz the spring of spinning is a^2 K_E/2, its threshold mu N/(a K_E), the largest torque a mu N/2, a the radius of the
 * contact, from the mean curvature. All three are measured on one slow turn: the spring as the slope of the torque over the angle, threshold and
 * torque where the friction of rest gives way.
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
    for (int step = 1; step <= 60000 && paper_step(run, simulation, &report); ++step) {
        const scree_world *w = scree_simulation_world(simulation);
        const double *x = scree_world_positions(w) + 3, *v = scree_world_velocities(w) + 3,
                     *o = scree_world_angular_velocities(w) + 3;
        double u = upright(scree_world_rotations(w) + 4), t = scree_world_time(w);
        /* it falls towards +y, turning about -x; rolling back is turning about +x */
        if (t > 0.5 && o[0] > 0.0 && last <= 0.0 && back_from == 0.0) back_from = t;
        last = o[0];
        lean = asin(fmin(1.0, fabs(u)));
        speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), turn = sqrt(o[0] * o[0] + o[1] * o[1] + o[2] * o[2]);
        if (csv && step % 200 == 0) fprintf(csv, "%.6g,%.9g,%.9g,%.9g,%.9g\n", t, x[1], x[2], u, o[0]);
    }
    paper_close(run, csv, "fn-ellipsoid.csv");
    paper_end(run, simulation);
    /* near flat, leaning by u moves the contact by (c^2 - a^2) u/a from under the centre; static rolling friction holds up to 2 eta_r
     * mu_s/kappa of that, kappa = a/c^2 along the long axis */
    const double a = 0.2, c = 0.5, held = 2.0 * 0.2 * 0.25 * (c * c / a) / ((c * c - a * a) / a);
    paper_row(run, "rolls-back-from", "s",
              printed(0.5 * (0.9 + 1.8), "[FN] 4.5.1: changes direction from 0.9 to 1.8 s"), back_from,
              within(0.45 / 1.35, "the interval printed"));
    paper_row(run, "lean-from-flat-at-3-s", "rad", printed(0.0, "[FN] 4.5.1: settles with a flat pose, fig. 12f"), lean,
              within(held, "what the static rolling friction holds, from statics"));
    paper_row(run, "speed-at-3-s", "m/s", printed(0.0, "[FN] 4.5.1: settles, fig. 12f"), speed + 0.5 * turn,
              within(1e-9, "rounding: settled"));
}

/* ---- table 7 ------------------------------------------------------------------------------------------------------------------------------ */

typedef struct table7_row {
    const char *name, *shape, *turned;
    int flat;
    double height, bend;                 /* of the centre [m]; mean curvature [1/m] */
    double stiffness, threshold, torque; /* as printed                             */
} table7_row;

/// Torque about z of the one contact.
static double spin_torque(scree_simulation *simulation, double h)
{
    const scree_world *w = scree_simulation_world(simulation);
    return scree_world_contact_count(w) ? fabs(scree_world_contacts(w)->impulse[5]) / h : 0.0;
}

static const double steel = 8000.0, E_ground = 2e11 / (1.0 - 0.09); /* kg/m^3; of steel on rigid ground [Pa] */

static scree_simulation *spun(paper_run *run, const table7_row *row, double spin, double share, double h)
{
    const double m = steel * 4.0 / 3.0 * PI * 0.02 * 0.02 * 0.05;
    double sunk = pow(m * 9.8 / (4.0 / 3.0 * E_ground * sqrt(1.0 / row->bend)), 2.0 / 3.0);
    paper_sets sets = {0};
    paper_set(&sets, "bodies.stone.shape=%s", row->shape);
    paper_set(&sets, "bodies.stone.rotation=%s", row->turned);
    paper_set(&sets, "bodies.stone.position=[0, 0, %.17g]", row->height - sunk);
    paper_set(&sets, "bodies.stone.spin=[0, 0, %.17g]", spin);
    paper_set(&sets, "materials.steel.dem.damping_share=%.17g", share);
    paper_set(&sets, "stepper.step=%.17g", h);
    return paper_build(run, &sets, NULL);
}

/// About the vertical, against the attitude at the start [rad].
static double spin_angle(scree_simulation *simulation, const double start[4])
{
    const scree_world *w = scree_simulation_world(simulation);
    const double *q = scree_world_rotations(w) + 4;
    /* q = turn x start: the turn's components along 1 and along z */
    double along = q[0] * start[0] + q[1] * start[1] + q[2] * start[2] + q[3] * start[3];
    double z = -q[0] * start[3] + q[3] * start[0] - q[1] * start[2] + q[2] * start[1];
    return fabs(2.0 * atan2(z, along));
}

/// Turned slowly until the friction of rest gives way; dashpots are off, so that the torque is the spring's.
static void table7_measure(paper_run *run, const table7_row *row, double *stiffness, double *threshold, double *torque)
{
    const double h = 1e-6, spin = 0.12; /* friction may begin a step late: 1.2e-7 rad */
    scree_step_report report;
    scree_simulation *simulation = spun(run, row, spin, 0.0, h);
    double start[4] = {1.0, 0.0, 0.0, 0.0}, last = 0.0, angle = 0.0, quarter[2] = {0.0, 0.0}; /* angle, torque */
    *stiffness = *threshold = *torque = 0.0;
    if (simulation) memcpy(start, scree_world_rotations(scree_simulation_world(simulation)) + 4, sizeof start);
    for (int step = 1; step <= 200000 && paper_step(run, simulation, &report); ++step) {
        double now = spin_torque(simulation, h);
        if (now < last) break; /* it has given way: kinetic */
        angle = spin_angle(simulation, start);
        if (angle < 0.25 * row->threshold) quarter[0] = angle, quarter[1] = now;
        else if (angle < 0.5 * row->threshold) *stiffness = (now - quarter[1]) / (angle - quarter[0]);
        last = now, *torque = now, *threshold = angle;
    }
    paper_end(run, simulation);
}

/// [FN] 4.5.2: from 1 rad/s to rest, critical dashpots.
static double time_to_rest(paper_run *run, const table7_row *row)
{
    const double h = 5e-6;
    scree_step_report report;
    scree_simulation *simulation = spun(run, row, 1.0, 1.0, h);
    double time = 0.0, left = 1.0;
    for (int step = 1; step <= 2000000 && left > 0.0 && paper_step(run, simulation, &report); ++step) {
        const scree_world *w = scree_simulation_world(simulation);
        const double *spin =
            scree_world_angular_velocities(w) + 3; /* of the body's frame; turned by 0 or 90 degrees about y */
        left = row->flat ? -spin[0] : spin[2];
        time = step * h;
    }
    paper_end(run, simulation);
    return time;
}

void paper_fn_table7(paper_run *run)
{
    const double R = cbrt(0.02 * 0.02 * 0.05), a = 0.02, c = 0.05, m = steel * 4.0 / 3.0 * PI * a * a * c, N = m * 9.8;
    char sphere[64], name[64];
    snprintf(sphere, sizeof sphere, "{sphere: {radius: %.17g}}", R);
    const table7_row rows[] = {{"sphere", sphere, "{axis: y, angle: 0}", 0, R, 1.0 / R, 1.80e-2, 3.88e-3, 6.96e-5},
                               {"flat", "{ellipsoid: {semi_axes: [20 mm, 20 mm, 50 mm]}}", "{axis: y, angle: 90 deg}",
                                1, 0.02, 0.5 * (1.0 / 0.02 + 0.02 / 0.0025), 2.11e-2, 3.58e-3, 7.53e-5},
                               {"upright", "{ellipsoid: {semi_axes: [20 mm, 20 mm, 50 mm]}}", "{axis: y, angle: 0}", 0,
                                0.05, 0.05 / 0.0004, 7.95e-3, 5.82e-3, 4.63e-5}};
    double rest[3];
    FILE *csv = paper_open(run, "fn-table7.csv",
                           "shape,K_psi,K_psi_printed,threshold,threshold_printed,torque,torque_printed\n");
    for (int k = 0; k < 3; ++k) {
        const table7_row *r = &rows[k];
        double K, threshold, torque;
        table7_measure(run, r, &K, &threshold, &torque);
        snprintf(name, sizeof name, "%s-stiffness", r->name);
        paper_row(run, name, "N m", printed(r->stiffness, "[FN] table 7: K_psi"), K,
                  digits(k < 2 ? 0.005e-2 : 0.005e-3, r->stiffness));
        snprintf(name, sizeof name, "%s-threshold", r->name);
        paper_row(run, name, "rad", printed(r->threshold, "[FN] table 7: S_psi"), threshold,
                  digits(0.005e-3, r->threshold));
        snprintf(name, sizeof name, "%s-torque", r->name);
        paper_row(run, name, "N m", printed(r->torque, "[FN] table 7: max T_psi"), torque, digits(0.005e-5, r->torque));
        if (csv)
            fprintf(csv, "%s,%.5g,%.5g,%.5g,%.5g,%.5g,%.5g\n", r->name, K, r->stiffness, threshold, r->threshold,
                    torque, r->torque);
    }
    paper_close(run, csv, "fn-table7.csv");
    const double mean = m * (0.4 * a * a + 0.4 * (a * a + c * c)) / 3.0;
    for (int k = 1; k < 3; ++k) {
        const double I = k == 1 ? 0.2 * m * (a * a + c * c) : 0.4 * m * a * a,
                     b = cbrt(0.75 * N / rows[k].bend / E_ground);
        const double K = 0.5 * b * b * 5e6,
                     D = 2.0 * sqrt(K * mean); /* critical for the mean of the moments of inertia */
        const paper_spin theory = paper_spin_life(K, D, I, 1.0, 0.5 * b * 0.25 * N, 0.5 * b * 0.2 * N);
        rest[k] = time_to_rest(run, &rows[k]);
        snprintf(name, sizeof name, "%s-time-to-rest", rows[k].name);
        paper_row(run, name, "s", closed_form(theory.stop), rest[k],
                  within(4.0 * theory.p * 5e-6, "first order: friction begins a step late, 4 p h of the spin"));
    }
    paper_claim(run, "flat-not-sooner-at-rest", "[FN] 4.5.2: upright takes longer to rest than flat",
                !(rest[1] < rest[2]));
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
    paper_set(&sets, "materials.rubber.dem.eta_r=%.17g", eta);
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
        const int looks =
            sunk > 0.01 * R && sunk < 0.1 * R; /* asking for contacts costs more than a step, on a device */
        for (int k = 0; looks && k < scree_world_contact_count(w); ++k) {
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

/// An independent model of the stack, in its plane and by its symmetry: the right lower sphere (x, z, turn about y) and the height of the
/// top one, with [FN]'s springs written out for these two contacts. It shares no code with scree.
typedef struct plain_spring {
    double x;
    int kinetic, touched;
} plain_spring;

/// Load of a spring of stiffness K and dashpot D under the bounds B (at rest, in motion), after its ends moved at the rate v for h.
static double plain_load(plain_spring *s, double K, double D, double at_rest, double moving, double v, double h)
{
    if (!s->touched) { /* no friction in the first step */
        s->touched = 1;
        return 0.0;
    }
    s->x += h * v;
    double bound = s->kinetic ? moving : at_rest;
    s->kinetic = fabs(K * s->x) > bound;
    if (s->kinetic) s->x = copysign(bound / K, s->x);
    return K * s->x + (s->kinetic ? 0.0 : D * v);
}

/// Damping ratio of a contact that never pulls, from its restitution: e = exp(-2 z acos(z)/(1 - z^2)^1/2).
static double plain_ratio(double e)
{
    double low = 0.0, high = 0.999;
    for (int k = 0; k < 60; ++k) {
        double z = 0.5 * (low + high);
        if (exp(-2.0 * z * acos(z) / sqrt(1.0 - z * z)) > e) low = z;
        else high = z;
    }
    return low;
}

/// Hertz with a dashpot of the ratio z: overlap d, approaching at the speed v.
static double plain_normal(double E, double R, double m, double z, double d, double v)
{
    const double k = 4.0 / 3.0 * E * sqrt(R);
    return d <= 0.0 ? 0.0 : fmax(0.0, k * pow(d, 1.5) + sqrt(5.0) * z * sqrt(m * k) * pow(d, 0.25) * v);
}

static int plain_collapses(double gap, double eta, double M)
{
    const double R = 0.15, m = 1.0, g = 9.8, E = 0.5 * 2e6 / (1.0 - 0.09), K = 1e5, h = 4e-5, I = 0.4 * m * R * R;
    const double mu_s = 0.25, mu_k = 0.2, m_pair = 0.5 * (m + M), I_pair = 0.4 * m_pair * R * R,
                 ratio = plain_ratio(0.4);
    double x = (1.0 + 0.5 * gap) * R, z = R - pow((m + 0.5 * M) * g / (4.0 / 3.0 * E * sqrt(R)), 2.0 / 3.0);
    double Z = z + sqrt(4.0 * R * R - x * x) - 1e-7, start = Z, vx = 0.0, vz = 0.0, w = 0.0, V = 0.0;
    double ax = 0.0, az = 0.0, aw = 0.0, A = 0.0;
    plain_spring slide[2] = {{0}}, roll[2] = {{0}}; /* with the ground, with the top */
    for (int step = 0; step <= 25000; ++step) {
        if (step > 0) {
            vx += h * ax, vz += h * az, w += h * aw, V += h * A;
            x += h * vx, z += h * vz, Z += h * V;
        }
        /* ground */
        double N = plain_normal(E, R, m, ratio, R - z, -vz), K_R = 4.0 * eta * K * R * R,
               arm = 0.5 * (R + z); /* mid overlap */
        double f = plain_load(&slide[0], K, 2.0 * sqrt(m * K), mu_s * N, mu_k * N, vx - arm * w, h);
        double T =
            plain_load(&roll[0], K_R, 2.0 * sqrt(I * K_R), 2.0 * eta * mu_s * N * R, 2.0 * eta * mu_k * N * R, w, h);
        ax = -f / m, az = N / m - g, aw = (arm * f - T) / I;
        /* top: n from the lower to the top sphere, t = n turned by a right angle about y */
        double L = hypot(x, Z - z), nx = -x / L, nz = (Z - z) / L, tx = nz, tz = -nx;
        double rise = (V - vz) * nz - vx * nx, across = (V - vz) * tz - vx * tx;
        N = plain_normal(E, 0.5 * R, m * M / (m + M), ratio, 2.0 * R - L, -rise), K_R = eta * K * R * R;
        arm = 0.5 * L;
        f = plain_load(&slide[1], K, 2.0 * sqrt(m_pair * K), mu_s * N, mu_k * N, arm * w - across, h);
        T = plain_load(&roll[1], K_R, 2.0 * sqrt(I_pair * K_R), eta * mu_s * N * R, eta * mu_k * N * R, w - across / L,
                       h);
        ax += (-N * nx - f * tx) / m, az += (-N * nz - f * tz) / m, aw += (-arm * f - T) / I;
        A = 2.0 * (N * nz + f * tz) / M - g; /* from both sides */
        if (start - Z > 0.3 * R) return 1;
    }
    return 0;
}

/// Worst difference of the critical masses from those of that model, both by the same bisection, in its last steps.
static void stack_model(paper_run *run, int count, const double *eta, const double *mass, double resolution)
{
    double worst = 0.0;
    FILE *csv = paper_open(run, "fn-stack-model.csv", "eta_r,mass,model\n");
    for (int i = 0; i < count; ++i) {
        double stands = 0.0, falls = 0.1;
        while (falls < 100.0 && !plain_collapses(0.3, eta[i], falls)) stands = falls, falls *= 2.0;
        for (int k = 0; k < (run->is_long ? 12 : 7); ++k) {
            double middle = 0.5 * (stands + falls);
            if (plain_collapses(0.3, eta[i], middle)) falls = middle;
            else stands = middle;
        }
        worst = fmax(worst, fabs(mass[i] - falls) / (falls - stands));
        if (csv) fprintf(csv, "%.4g,%.6g,%.6g\n", eta[i], mass[i], falls);
        if (fabs(eta[i] - 0.22) < 1e-9)
            paper_row(run, "mass-at-eta_r-0.22", "kg",
                      printed(falls, "an independent model of the plane, in this check"), mass[i],
                      within(2.0 * resolution / falls, "two steps of the bisection"));
    }
    paper_close(run, csv, "fn-stack-model.csv");
    paper_row(run, "off-the-model-worst", "", printed(0.0, "the same, every eta_r, in steps of its bisection"), worst,
              within(2.0, "one step each of the two bisections"));
}

void paper_fn_stack(paper_run *run)
{
    static const double gaps[] = {0.3, 0.2, 0.4}, quick[] = {0.1, 0.16, 0.22, 0.35, 0.5};
    enum { MOST = 3 * 21, QUICK = 5 };
    double gap[MOST], eta[MOST], mass[MOST] = {0};
    int reason[MOST] = {0}, count = run->is_long ? 21 : QUICK, last = count - 1, peak = 0;
    stack_job j = {0, gap, eta, mass, reason};
    for (int k = 0; k < (run->is_long ? 3 : 1); ++k)
        for (int i = 0; i < count; ++i)
            gap[j.count] = gaps[k], eta[j.count++] = run->is_long ? 0.1 + 0.02 * i : quick[i];
    paper_jobs(run, j.count, stack_case, &j);
    FILE *csv = paper_open(run, "fn-stack.csv", "gap,eta_r,mass,reason\n");
    for (int k = 0; k < j.count; ++k) {
        if (csv && k > 0 && gap[k] != gap[k - 1]) fputs("\n\n", csv);
        if (csv) fprintf(csv, "%.3g,%.4g,%.6g,%d\n", gap[k], eta[k], mass[k], reason[k]);
    }
    paper_close(run, csv, "fn-stack.csv");
    const double resolution = run->is_long ? 1.6 / 4096 : 1.6 / 128; /* of the bisection, from 1.6 to 3.2 kg */
    int not_rising = 0, level = run->is_long ? 13 : 3;               /* eta_r from 0.36, 0.35 on: past the peak  */
    double spread = 0.0;
    for (int k = 1; k < count; ++k)
        if (mass[k] > mass[peak]) peak = k;
    for (int k = 1; k <= peak; ++k) not_rising += !(mass[k] > mass[k - 1]);
    for (int k = level; k < count; ++k) spread = fmax(spread, fabs(mass[k] - mass[last]));
    paper_claim(run, "not-rising-to-its-peak", "[FN] 4.6, fig. 13: rises up to eta_r^c", not_rising);
    paper_claim(run, "no-peak", "[FN] 4.6, fig. 13: then falls to a plateau",
                !(peak > 0 && peak < level && mass[peak] - mass[last] > 2.0 * resolution));
    paper_row(run, "plateau-change", "kg", printed(0.0, "[FN] 4.6: eta_r no longer influences it"), spread,
              within(resolution, "the last step of the bisection"));
    stack_model(run, count, eta, mass, resolution);
    /* fig. 14: what saturates on the ground at eta_r 0.16, 0.23, 0.35 */
    int rolls = 0, slides = 0;
    for (int k = 0; k < count; ++k) {
        if (fabs(eta[k] - 0.16) < 1e-9) rolls = reason[k];
        if (eta[k] > 0.345 && slides == 0) slides = reason[k];
    }
    paper_row(run, "eta_r-0.16-rolls", "", printed(ROLLS, "[FN] fig. 14b: roll friction saturates"), rolls,
              within(0.0, "1 rolls, 2 slides, 3 both"));
    paper_row(run, "eta_r-0.35-slides", "", printed(SLIDES, "[FN] fig. 14f: slide friction saturates"), slides,
              within(0.0, "1 rolls, 2 slides, 3 both"));
}
