/* verify_motion.c: rows of `scree verify` that need bodies and time: what theory says they do, beside what they do here.
 *
 * Every row builds its world through the public headers, steps it, and reads positions and velocities: nothing is taken from the
 * solver. Where theory says rest, the row is the largest change of a position over the last part of the run, and its tolerance is
 * 0: not one bit may move. Figures of other engines for the same set-ups stand in the README.
 * To add a row: a function that returns a finding, and one line in the table at the end. */
#include "checks/trial.h"
#include "cli/open_box.h"
#include "cli/vector.h"

#include <string.h>

static const double degree = 0.017453292519943295;

/* ---- a ball rolls to rest ---------------------------------------------------------------------------------------------- */

/// R 1, v 1, rho 0.02, mu 0.9, g 9.8 and J = 0.4 M R^2 (the disk of [TA] 6.1): rest after v^2 (1 + J/(M R^2)) R/(2 g rho).
enum { ROLL_PLAIN, ROLL_DIAGONAL, ROLL_HEAVY, ROLL_COARSE, ROLL_STABILISED };

static finding rolls_to_rest(int variant)
{
    set_up s = {{0.0, 0.0, -9.8},        0.9, 0.02, 0.0, 0.0, variant == ROLL_COARSE ? 1.0 / 60.0 : 5e-3,
                SCREE_SCHEME_MOREAU_JEAN};
    if (variant == ROLL_STABILISED) s.scheme = SCREE_SCHEME_ANITESCU_TASORA, s.h = 1e-3; /* its error is v h/2 */
    trial t = trial_begin(&s, 1e-12);
    double angle = variant == ROLL_DIAGONAL ? 45.0 * degree : 0.0, c = cos(angle), d = sin(angle);
    double x[3] = {0.0, 0.0, 1.0}, v[3] = {c, d, 0.0}, w[3] = {-d, c, 0.0};
    trial_floor(&t);
    int ball = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_sphere(1.0, t.material),
                         variant == ROLL_HEAVY ? 1000.0 : 10.0, x, v, w);
    trial_until(&t, 8.0);
    const double *end = trial_position(&t, ball);
    return trial_judge(&t, 1.4 / (2.0 * 9.8 * 0.02), sqrt(end[0] * end[0] + end[1] * end[1]), 1e-3);
}

static finding rests_after_rolling(int variant)
{
    (void)variant;
    set_up s = {{0.0, 0.0, -9.8}, 0.9, 0.02, 0.0, 0.0, 5e-3, SCREE_SCHEME_MOREAU_JEAN};
    trial t = trial_begin(&s, 1e-12);
    double x[3] = {0.0, 0.0, 1.0}, v[3] = {1.0, 0.0, 0.0}, w[3] = {0.0, 1.0, 0.0};
    trial_floor(&t);
    trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_sphere(1.0, t.material), 10.0, x, v, w);
    trial_until(&t, 8.0);
    return trial_judge(&t, 0.0, trial_creep(&t, 5.0), 0.0);
}

/* ---- a ball on an incline ------------------------------------------------------------------------------------------------ */

/// R 0.2, m 5, mu 0.2, rho/R 0.1: rests while tan(a) <= rho/R, then rolls with 5/7 g (sin a - rho/R cos a), and slips where the
/// friction that rolling needs, m (g sin a - acceleration), exceeds mu m g cos a.
static trial incline(int tenths_of_degree, scree_scheme scheme, int *ball)
{
    double a = tenths_of_degree / 10.0 * degree;
    set_up s = {{9.81 * sin(a), 0.0, -9.81 * cos(a)}, 0.2, 0.02, 0.02, 0.0, 5e-3, scheme};
    trial t = trial_begin(&s, 1e-12);
    trial_floor(&t);
    *ball = trial_ball(&t, 0.2, 5.0, 0.0, 0.0, 0.2);
    return t;
}

static finding incline_rests(int tenths_of_degree)
{
    int ball;
    trial t = incline(tenths_of_degree, SCREE_SCHEME_ANITESCU_TASORA, &ball);
    trial_until(&t, 0.5);
    return trial_judge(&t, 0.0, trial_creep(&t, 5.0), 0.0);
}

static finding incline_accelerates(int tenths_of_degree)
{
    int ball;
    trial t = incline(tenths_of_degree, SCREE_SCHEME_ANITESCU_TASORA, &ball);
    double a = tenths_of_degree / 10.0 * degree, g = 9.81;
    double rolls = 5.0 / 7.0 * g * (sin(a) - 0.1 * cos(a)), slips = g * (sin(a) - 0.2 * cos(a));
    double theory = g * sin(a) - rolls <= 0.2 * g * cos(a) ? rolls : slips;
    trial_until(&t, 1.0);
    return trial_judge(&t, theory, trial_speed(&t, ball), 1e-3);
}

/* ---- spinning --------------------------------------------------------------------------------------------------------------- */

/// omega 20, sigma 0.02, R 0.2: omega' = -sigma m g/(2/5 m R^2), rest after 1.631 s (g 9.81). The spin at half that time, and then.
static finding spins_down(int rolling)
{
    set_up s = {{0.0, 0.0, -9.81}, 0.5, rolling ? 0.02 : 0.0, 0.02, 0.0, 1e-3, SCREE_SCHEME_ANITESCU_TASORA};
    trial t = trial_begin(&s, 1e-12);
    double x[3] = {0.0, 0.0, 0.2}, w[3] = {0.0, 0.0, 20.0}, slope = 0.02 * 9.81 / (0.4 * 0.04);
    trial_floor(&t);
    int ball = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.2, t.material), 5.0, x, NULL, w);
    trial_until(&t, 0.8);
    return trial_judge(&t, 20.0 - 0.8 * slope, trial_spin(&t, ball), 1e-3);
}

static finding spin_ends(int rolling)
{
    set_up s = {{0.0, 0.0, -9.81}, 0.5, rolling ? 0.02 : 0.0, 0.02, 0.0, 1e-3, SCREE_SCHEME_ANITESCU_TASORA};
    trial t = trial_begin(&s, 1e-12);
    double x[3] = {0.0, 0.0, 0.2}, w[3] = {0.0, 0.0, 20.0};
    trial_floor(&t);
    int ball = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.2, t.material), 5.0, x, NULL, w);
    while (!t.failed && trial_spin(&t, ball) > 1e-9 && scree_world_time(t.world) < 3.0) trial_step(&t);
    return trial_judge(&t, 20.0 * 0.4 * 0.04 / (0.02 * 9.81), scree_world_time(t.world), 1e-3);
}

/* ---- sliding becomes rolling --------------------------------------------------------------------------------------------------- */

/// A ball set down sliding at v rolls from t = 2 v/(7 mu g) on, at 5/7 v.
static finding slides_then_rolls(int which)
{
    set_up s = {{0.0, 0.0, -9.81}, 0.2, 0.0, 0.0, 0.0, 1e-3, SCREE_SCHEME_MOREAU_JEAN};
    trial t = trial_begin(&s, 1e-12);
    double x[3] = {0.0, 0.0, 0.1}, v[3] = {2.0, 0.0, 0.0}, theory = 5.0 / 7.0 * 2.0, found;
    trial_floor(&t);
    int ball = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.1, t.material), 1.0, x, v, NULL);
    if (which == 0) {
        trial_until(&t, 1.0);
        found = trial_speed(&t, ball);
    } else {
        theory = 2.0 * 2.0 / (7.0 * 0.2 * 9.81);
        while (!t.failed && trial_speed(&t, ball) - 0.1 * trial_spin(&t, ball) > 1e-9 &&
               scree_world_time(t.world) < 2.0)
            trial_step(&t);
        found = scree_world_time(t.world);
        if (fabs(found - theory) <= s.h) found = theory; /* a time can be read to one step */
    }
    return trial_judge(&t, theory, found, 1e-3);
}

/* ---- three balls ------------------------------------------------------------------------------------------------------------------ */

static const double three_R = 0.15;

/// Two balls on the floor, gap 0.2 R, one on top (body 3); mu 0.25. Statics: it stands if rho/R >= 0.0233.
static trial three_balls_begin(double rho, double *height)
{
    double R = three_R, half = 1.1 * R;
    set_up s = {{0.0, 0.0, -9.81}, 0.25, rho * R, rho * R, 0.0, 2e-3, SCREE_SCHEME_ANITESCU_TASORA};
    trial t = trial_begin(&s, 1e-12);
    *height = R + sqrt(4.0 * R * R - half * half);
    trial_floor(&t);
    trial_ball(&t, R, 1.0, -half, 0.0, R);
    trial_ball(&t, R, 1.0, half, 0.0, R);
    trial_ball(&t, R, 1.0, 0.0, 0.0, *height);
    return t;
}

/// Whether the top ball is where it was, after 5 s.
static finding three_balls(int rho_in_thousandths)
{
    double rho = rho_in_thousandths / 1000.0, height;
    trial t = three_balls_begin(rho, &height);
    trial_until(&t, 5.0);
    int stands = trial_position(&t, 3)[2] > height - 1e-3 * three_R;
    return trial_judge(&t, rho >= 0.0233, stands, 0.0);
}

/// Where it stands, it stands: not one bit moves.
static finding three_balls_rest(int rho_in_thousandths)
{
    double height;
    trial t = three_balls_begin(rho_in_thousandths / 1000.0, &height);
    trial_until(&t, 2.0);
    return trial_judge(&t, 0.0, trial_creep(&t, 3.0), 0.0);
}

/* ---- boxes --------------------------------------------------------------------------------------------------------------------------- */

/// mu 0.5; the incline 0.1 degree below or above atan(mu). Above, the acceleration is g (sin a - mu cos a).
static finding box_on_incline(int above)
{
    double a = atan(0.5) + (above ? 0.1 : -0.1) * degree, x[3] = {0.0, 0.0, 0.1};
    set_up s = {{9.81 * sin(a), 0.0, -9.81 * cos(a)}, 0.5, 0.0, 0.0, 0.0, 5e-3, SCREE_SCHEME_ANITESCU_TASORA};
    trial t = trial_begin(&s, 1e-12);
    trial_floor(&t);
    int box = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_box(0.2, 0.15, 0.1, t.material), 0.0, x, NULL, NULL);
    if (!above) {
        trial_until(&t, 0.5);
        return trial_judge(&t, 0.0, trial_creep(&t, 5.0), 0.0);
    }
    trial_until(&t, 2.0);
    return trial_judge(&t, 2.0 * 9.81 * (sin(a) - 0.5 * cos(a)), trial_speed(&t, box), 1e-3);
}

/// Ten boxes on each other: nothing moves, and the lowest carries the weight of all.
static finding ten_boxes(int what)
{
    set_up s = {{0.0, 0.0, -9.81}, 0.5, 0.0, 0.0, 0.0, 5e-3, SCREE_SCHEME_ANITESCU_TASORA};
    trial t = trial_begin(&s, 1e-12);
    int floor = trial_floor(&t);
    for (int i = 0; i < 10; ++i) {
        double x[3] = {0.0, 0.0, 0.1 + 0.2 * i};
        trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_box(0.1, 0.1, 0.1, t.material), 8.0, x, NULL, NULL);
    }
    trial_until(&t, 1.0);
    if (what == 0) return trial_judge(&t, 0.0, trial_creep(&t, 5.0), 0.0);
    double force[3] = {0.0, 0.0, 0.0}, moment[3];
    if (!t.failed) scree_world_contact_force(t.world, scree_body_at(floor), force, moment);
    return trial_judge(&t, 10 * 8.0 * 9.81, -force[2], 1e-9);
}

/* ---- a pile --------------------------------------------------------------------------------------------------------------------------- */

enum { PILE = 1000, PILE_SIDE = 8 };

/// 1,000 spheres (R 0.1, mu 0.5, rho = sigma = 0.1 R) fall into a box 2 m wide and settle, with default settings: until nothing
/// moves, 10 s at most.
static trial settled_pile(void)
{
    static const double R = 0.1;
    set_up set = {{0.0, 0.0, -9.81}, 0.5, 0.1 * R, 0.1 * R, 0.0, 5e-3, SCREE_SCHEME_ANITESCU_TASORA};
    trial t = trial_begin(&set, 1e-4);
    random_numbers random = random_start(1);
    add_open_box(t.world, t.material, 1.0, &t.error);
    t.failed = t.error.status != SCREE_OK;
    for (int i = 0; i < PILE; ++i) {
        int column = i % PILE_SIDE, row = i / PILE_SIDE % PILE_SIDE, layer = i / (PILE_SIDE * PILE_SIDE);
        double pitch = 2.0 / PILE_SIDE;
        double x[3] = {(column + 0.5) * pitch - 1.0, (row + 0.5) * pitch - 1.0, (layer + 0.5) * pitch};
        for (int k = 0; k < 3; ++k) x[k] += 0.2 * R * (2.0 * random_uniform(&random) - 1.0);
        trial_ball(&t, R, 0.0, x[0], x[1], x[2]);
    }
    trial_step(&t);
    while (!t.failed && scree_world_energy(t.world).kinetic > 0.0 && scree_world_time(t.world) < 10.0) trial_step(&t);
    return t;
}

/// Mean drift of the spheres in 5 s, of R; or the deepest penetration in that time. One run serves both rows.
static finding pile_rests(int what)
{
    static double before[3 * (PILE + 5)], found[2];
    static int done;
    double sum = 0.0, deepest = 0.0;
    trial t = {0};
    if (done) return (finding){0.0, found[what], found[what], what == 0 ? 0.0 : 1e-3};
    t = settled_pile();
    memcpy(before, scree_world_positions(t.world), sizeof before);
    for (int k = 0; k < 1000 && trial_step(&t); ++k) deepest = fmax(deepest, t.report.penetration / 0.1);
    for (int b = 5; b < PILE + 5; ++b) {
        const double *x = trial_position(&t, b), *x0 = before + 3 * (size_t)b;
        double d[3] = {x[0] - x0[0], x[1] - x0[1], x[2] - x0[2]};
        sum += sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / 0.1;
    }
    done = 1, found[0] = t.failed ? (double)NAN : sum / PILE, found[1] = t.failed ? (double)NAN : deepest;
    return trial_judge(&t, 0.0, found[what], what == 0 ? 0.0 : 1e-3);
}

/* ---- impact, masses ---------------------------------------------------------------------------------------------------------------------- */

/// Dropped from 1 m, a ball rises again to e^2 m. The time of the impact is found to within a step, which is what the error is.
static finding restitution(int percent)
{
    double e = percent / 100.0;
    set_up s = {{0.0, 0.0, -9.81}, 0.3, 0.0, 0.0, e, 2e-5, SCREE_SCHEME_MOREAU_JEAN};
    trial t = trial_begin(&s, 1e-12);
    double top = 0.0;
    int bounced = 0;
    trial_floor(&t);
    int ball = trial_ball(&t, 0.1, 1.0, 0.0, 0.0, 1.1);
    while (!t.failed && scree_world_time(t.world) < 1.2) {
        trial_step(&t);
        bounced |= trial_velocity(&t, ball)[2] > 0.0;
        if (bounced && trial_position(&t, ball)[2] - 0.1 > top) top = trial_position(&t, ball)[2] - 0.1;
        if (bounced && trial_velocity(&t, ball)[2] < 0.0) break;
    }
    return trial_judge(&t, e * e, top, 1e-3);
}

/// A ball of 1 kg carries one of 10^6 kg: it rests, and the floor feels both weights.
static finding heavy_on_light(int what)
{
    set_up s = {{0.0, 0.0, -9.81}, 0.5, 0.01, 0.01, 0.0, 5e-3, SCREE_SCHEME_ANITESCU_TASORA};
    trial t = trial_begin(&s, 1e-12);
    int floor = trial_floor(&t);
    trial_ball(&t, 0.1, 1.0, 0.0, 0.0, 0.1);
    trial_ball(&t, 0.1, 1e6, 0.0, 0.0, 0.3);
    trial_until(&t, 1.0);
    if (what == 0) return trial_judge(&t, 0.0, trial_creep(&t, 5.0), 0.0);
    double force[3] = {0.0, 0.0, 0.0}, moment[3];
    if (!t.failed) scree_world_contact_force(t.world, scree_body_at(floor), force, moment);
    return trial_judge(&t, 1000001.0 * 9.81, -force[2], 1e-9);
}

/* ---- the table -------------------------------------------------------------------------------------------------------------------------- */

#define INCLINE_RESTS "a ball on this slope must rest (rolling friction 20 mm, R 0.2): change of its position in 5 s"
#define INCLINE_ROLLS "a ball on this slope: its speed after 1 s"
#define THREE_BALLS   "two balls with a gap of 0.2 R and one on top: stands (1) or falls (0)"

const check verify_motion_checks[] = {
    {"rolling/distance", "m", "a ball with rolling friction rolls to rest: how far", rolls_to_rest, ROLL_PLAIN},
    {"rolling/at-45-degrees", "m", "the same along the diagonal", rolls_to_rest, ROLL_DIAGONAL},
    {"rolling/mass-1000", "m", "the same with a mass of 1000 kg", rolls_to_rest, ROLL_HEAVY},
    {"rolling/step-1/60", "m", "the same with a time step of 1/60 s", rolls_to_rest, ROLL_COARSE},
    {"rolling/anitescu-tasora", "m", "the same with the other stepper", rolls_to_rest, ROLL_STABILISED},
    {"rolling/rest", "m", "then it rests: change of its position in 5 s", rests_after_rolling, 0},
    {"incline/3-degrees", "m", INCLINE_RESTS, incline_rests, 30},
    {"incline/5-degrees", "m", INCLINE_RESTS, incline_rests, 50},
    {"incline/5.5-degrees", "m", INCLINE_RESTS, incline_rests, 55},
    {"incline/10-degrees", "m/s", INCLINE_ROLLS, incline_accelerates, 100},
    {"incline/20-degrees", "m/s", INCLINE_ROLLS, incline_accelerates, 200},
    {"incline/28-degrees", "m/s", "a ball on this slope slips: its speed after 1 s", incline_accelerates, 280},
    {"spin/with-rolling", "1/s", "a ball spinning on the spot: its spin after 0.8 s", spins_down, 1},
    {"spin/without-rolling", "1/s", "the same without rolling friction", spins_down, 0},
    {"spin/end-with-rolling", "s", "when the spin ends", spin_ends, 1},
    {"spin/end-without-rolling", "s", "the same without rolling friction", spin_ends, 0},
    {"slide-to-roll/speed", "m/s", "a ball set down sliding ends up rolling: its speed", slides_then_rolls, 0},
    {"slide-to-roll/time", "s", "when it begins to roll (to one step)", slides_then_rolls, 1},
    {"three-balls/0.015", "", THREE_BALLS, three_balls, 15},
    {"three-balls/0.022", "", THREE_BALLS, three_balls, 22},
    {"three-balls/0.025", "", THREE_BALLS, three_balls, 25},
    {"three-balls/0.03", "", THREE_BALLS, three_balls, 30},
    {"three-balls/0.1", "", THREE_BALLS, three_balls, 100},
    {"three-balls/rest", "m", "with rho/R 0.1 they rest: change of any position in 3 s", three_balls_rest, 100},
    {"box/below", "m", "a box 0.1 degree below the angle of friction rests: change of position in 5 s", box_on_incline,
     0},
    {"box/above", "m/s", "a box 0.1 degree above it slides: its speed after 2 s", box_on_incline, 1},
    {"ten-boxes/rest", "m", "a stack of ten boxes: change of any position in 5 s", ten_boxes, 0},
    {"ten-boxes/weight", "N", "what the floor carries", ten_boxes, 1},
    {"pile/drift", "R", "1,000 spheres at rest, default settings: mean drift in 5 s", pile_rests, 0},
    {"pile/penetration", "R", "the same: deepest penetration", pile_rests, 1},
    {"restitution/0", "m", "height after a drop from 1 m, e = 0", restitution, 0},
    {"restitution/0.25", "m", "the same, e = 0.25", restitution, 25},
    {"restitution/0.5", "m", "the same, e = 0.5", restitution, 50},
    {"restitution/0.75", "m", "the same, e = 0.75", restitution, 75},
    {"restitution/1", "m", "the same, e = 1", restitution, 100},
    {"mass-ratio/rest", "m", "10^6 kg on a ball of 1 kg: change of any position in 5 s", heavy_on_light, 0},
    {"mass-ratio/weight", "N", "what the floor carries", heavy_on_light, 1},
    {0},
};
