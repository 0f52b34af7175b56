/* verify_motion.c: rows of `scree verify` that need bodies and time: what theory says they do, beside what they do here.
 *
 * Every row builds its world through the public headers, steps it, and reads positions and velocities: nothing is taken from the
 * solver. Where theory says rest, the row is the largest change of a position over the last part of the run, and its tolerance is
 * 0: not one bit may move. Figures of other engines for the same set-ups stand in the README.
 * To add a row: a function that returns a finding, and one line in the table at the end. */
#include "checks/experiments.h"

#include <string.h>

static const double degree = 0.017453292519943295;

/* ---- a ball rolls to rest ---------------------------------------------------------------------------------------------- */

/// The ball of experiment_rolling rests after v^2 (1 + J/(M R^2)) R/(2 g rho).
enum { ROLL_PLAIN, ROLL_DIAGONAL, ROLL_HEAVY, ROLL_COARSE, ROLL_STABILISED, ROLL_NOT_CENTRED };

static finding rolls_to_rest(int variant)
{
    setting s = {SCREE_SCHEME_MOREAU_JEAN, 1e-12, variant == ROLL_COARSE ? 1.0 / 60.0 : 5e-3};
    if (variant == ROLL_STABILISED) s.scheme = SCREE_SCHEME_ANITESCU_TASORA;
    if (variant == ROLL_NOT_CENTRED) s.scheme = SCREE_SCHEME_ANITESCU_TASORA, s.h = 1e-3;
    const double a = 9.8 * 0.02 / 1.4, way = 0.5 / a;
    const double off = a * s.h * s.h / 8.0 + (variant == ROLL_NOT_CENTRED ? 0.5 * s.h : 0.0);
    double found = variant == ROLL_NOT_CENTRED ? experiment_rolling_not_centred(&s)
                                               : experiment_rolling(&s, variant == ROLL_DIAGONAL ? 45.0 * degree : 0.0,
                                                                    variant == ROLL_HEAVY ? 1000.0 : 10.0);
    return finding_of(way, found, off / way, "the distance of the last step, |a| h^2/8; not centred: v h/2 too");
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
    return trial_judge(&t, 0.0, trial_creep(&t, 5.0), 0.0, "what rests, rests: not one bit");
}

/* ---- a ball on an incline ------------------------------------------------------------------------------------------------ */

static const setting usual = {SCREE_SCHEME_ANITESCU_TASORA, 1e-12, 5e-3};

static finding incline_rests(int tenths_of_degree)
{
    return finding_of(0.0, experiment_slope_creep(&usual, tenths_of_degree / 10.0), 0.0,
                      "what rests, rests: not one bit");
}

static finding incline_accelerates(int tenths_of_degree)
{
    double degrees = tenths_of_degree / 10.0;
    return finding_of(experiment_slope_theory(degrees), experiment_slope_speed(&usual, degrees), 200 * 1e-12,
                      "speeds under constant forces are exact: the solver's 1e-12 in 200 steps");
}

/* ---- spinning --------------------------------------------------------------------------------------------------------------- */

/// omega 20, sigma 0.02, R 0.2: omega' = -sigma m g/(2/5 m R^2), its end after 1.633 s (g 9.8) is another row. The spin at half that time, and then.
static finding spins_down(int rolling)
{
    set_up s = {{0.0, 0.0, -9.81}, 0.5, rolling ? 0.02 : 0.0, 0.02, 0.0, 1e-3, SCREE_SCHEME_ANITESCU_TASORA};
    trial t = trial_begin(&s, 1e-12);
    double x[3] = {0.0, 0.0, 0.2}, w[3] = {0.0, 0.0, 20.0}, slope = 0.02 * 9.81 / (0.4 * 0.04);
    trial_floor(&t);
    int ball = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.2, t.material), 5.0, x, NULL, w);
    trial_until(&t, 0.8);
    return trial_judge(&t, 20.0 - 0.8 * slope, trial_spin(&t, ball), 800 * 1e-12,
                       "speeds under constant forces are exact: the solver's 1e-12 in 800 steps");
}

static finding spin_ends(int rolling)
{
    const setting s = {SCREE_SCHEME_ANITESCU_TASORA, 1e-12, 1e-3};
    double theory = experiment_spin_theory();
    return finding_of(theory, experiment_spin_end(&s, rolling), s.h / theory,
                      "an event is seen at the end of its step");
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
    }
    return trial_judge(&t, theory, found, which == 0 ? 1000 * 1e-12 : s.h / theory,
                       which == 0 ? "angular momentum about the contact is kept: the solver's 1e-12 in 1,000 steps"
                                  : "an event is seen at the end of its step");
}

/* ---- three balls ------------------------------------------------------------------------------------------------------------------ */

static const setting three = {SCREE_SCHEME_ANITESCU_TASORA, 1e-12, 2e-3};

/// Two balls on the floor, gap 0.2 R, one on top (body 3); mu 0.25. Statics of a lower ball, s = 0.55 the sine of the line to the top one
/// against the vertical, c its cosine, P and T <= mu P the forces there, f that of the floor, weights W:
///     f = P s - T c,   P c + T s = W/2,   (f - T) R <= rho (3/2 W + P)
/// It stands from the rho of T = mu P on: rho/R = 0.0233.
static double three_balls_limit(void)
{
    const double mu = 0.25, s = 0.55, c = sqrt(1.0 - s * s), P = 0.5 / (c + mu * s);
    return (s - mu * c - mu) * P / (1.5 + P);
}

/// Whether the top ball is where it was, after 5 s.
static finding three_balls(int rho_in_thousandths)
{
    double rho = rho_in_thousandths / 1000.0;
    return finding_of(rho >= three_balls_limit(), experiment_stack_stands(&three, rho), 0.0, "stands or falls");
}

/// Where it stands, it stands: not one bit moves.
static finding three_balls_rest(int rho_in_thousandths)
{
    double height;
    trial t = experiment_stack(&three, rho_in_thousandths / 1000.0, &height);
    trial_until(&t, 2.0);
    return trial_judge(&t, 0.0, trial_creep(&t, 3.0), 0.0, "what rests, rests: not one bit");
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
        return trial_judge(&t, 0.0, trial_creep(&t, 5.0), 0.0, "what rests, rests: not one bit");
    }
    trial_until(&t, 2.0);
    return trial_judge(
        &t, 2.0 * 9.81 * (sin(a) - 0.5 * cos(a)), trial_speed(&t, box), 1e-9,
        "speeds under constant forces are exact: the solver's 1e-12 in 400 steps, over a speed of 0.04 m/s");
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
    if (what == 0) return trial_judge(&t, 0.0, trial_creep(&t, 5.0), 0.0, "what rests, rests: not one bit");
    double force[3] = {0.0, 0.0, 0.0}, moment[3];
    if (!t.failed) scree_world_contact_force(t.world, scree_body_at(floor), force, moment);
    return trial_judge(&t, 10 * 8.0 * 9.81, -force[2], 1e-9, "the solver's 1e-12, passed down through ten boxes");
}

/* ---- a pile --------------------------------------------------------------------------------------------------------------------------- */

/// Mean drift of the spheres in 5 s, of R; or the deepest penetration in that time. One run, with default settings, serves both rows.
static finding pile_rests(int what)
{
    static const setting plain = {SCREE_SCHEME_ANITESCU_TASORA, 1e-4, 5e-3};
    static double found[2];
    static int done;
    if (!done) experiment_pile(&plain, &found[0], &found[1]), done = 1;
    if (what == 0) return finding_of(0.0, found[0], 0.0, "what rests, rests: not one bit");
    /* tolerance 1e-4 of the velocities g h of a step, over some 3,000 contacts together: 1e-4 g h^2 (3000)^1/2 */
    return finding_of(0.0, found[1], 1e-4 * 9.81 * 25e-6 * 55.0 / 0.1,
                      "the tolerance of a step, 1e-4 g h, times h, over 3,000 contacts");
}

/* ---- impact, masses ---------------------------------------------------------------------------------------------------------------------- */

/// Dropped from 1 m, a ball rises again to e^2 m. The time of the impact is found to within a step, which is what the error is.
static finding restitution(int percent)
{
    double e = percent / 100.0, late = sqrt(2.0 * 9.81) * 2e-5; /* v h */
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
    return trial_judge(&t, e * e, top, fmin(1e-3, e > 0.0 ? late / (e * e) : late),
                       "the impact is found to within a step: v h of way, and never above 1e-3");
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
    if (what == 0) return trial_judge(&t, 0.0, trial_creep(&t, 5.0), 0.0, "what rests, rests: not one bit");
    double force[3] = {0.0, 0.0, 0.0}, moment[3];
    if (!t.failed) scree_world_contact_force(t.world, scree_body_at(floor), force, moment);
    return trial_judge(&t, 1000001.0 * 9.81, -force[2], 1e-9,
                       "the solver's 1e-12, times what two masses 10^6 apart make of it");
}

/// A ball on a floor whose contact has a stiffness: by how much it is in when it rests.
static finding yields(int unused)
{
    (void)unused;
    set_up s = {{0.0, 0.0, -9.81}, 0.3, 0.0, 0.0, 0.0, 5e-3, SCREE_SCHEME_ANITESCU_TASORA};
    trial t = trial_begin(&s, 1e-12);
    const double stiffness = 1e5, mass = 2.0;
    const scree_friction friction = {.mu = 0.3, .stiffness = stiffness};
    if (!t.failed) t.failed = scree_world_set_pair(t.world, t.material, t.material, &friction, &t.error) != SCREE_OK;
    trial_floor(&t);
    const int ball = trial_ball(&t, 0.1, mass, 0.0, 0.0, 0.1);
    trial_until(&t, 2.0);
    return trial_judge(&t, mass * 9.81 / stiffness, 0.1 - trial_position(&t, ball)[2], 1e-9,
                       "at rest the spring carries the weight: rounding of positions, of 0.2 mm");
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
    {"rolling/anitescu-tasora", "m", "the same with the default scheme", rolls_to_rest, ROLL_STABILISED},
    {"rolling/not-centred", "m", "the same without its option centred, at 1 ms", rolls_to_rest, ROLL_NOT_CENTRED},
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
    {"compliance/depth", "m", "a ball on a contact with a stiffness: how deep it rests", yields, 0},
    {"mass-ratio/rest", "m", "10^6 kg on a ball of 1 kg: change of any position in 5 s", heavy_on_light, 0},
    {"mass-ratio/weight", "N", "what the floor carries", heavy_on_light, 1},
    {0},
};
