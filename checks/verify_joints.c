/* verify_joints.c: rows of `scree verify` about joints, and about coefficients of rest and motion: closed forms, and for the double
 * pendulum an integration of its two angles with Runge and Kutta's method, made here.
 *
 * The rods are boxes of 1 m with a square section of 20 mm and a mass of 2 kg; angles are measured from the vertical. */
#include "checks/trial.h"

static const double DEGREE = 0.017453292519943295;
static const double G = 9.81, ROD = 1.0, WIDTH = 0.02, MASS = 2.0;

static trial begin(scree_scheme scheme, double h)
{
    set_up s = {{0.0, 0.0, -9.81}, 0.0, 0.0, 0.0, 0.0, h, scheme};
    return trial_begin(&s, 1e-12);
}

/// A rod along x from (x, 0, z) on.
static int add_rod(trial *t, double x, double z)
{
    const double at[3] = {x + 0.5 * ROD, 0.0, z};
    return trial_add(t, SCREE_BODY_DYNAMIC, scree_shape_box(0.5 * ROD, 0.5 * WIDTH, 0.5 * WIDTH, t->material), MASS, at,
                     NULL, NULL);
}

/// A hinge about y.
static scree_joint_def hinge(int a, int b, double x, double z)
{
    scree_joint_def def = scree_joint_def_default();
    def.kind = SCREE_JOINT_HINGE, def.body_a = scree_body_at(a), def.body_b = scree_body_at(b);
    def.anchor[0] = x, def.anchor[2] = z;
    def.axis[1] = 1.0, def.axis[2] = 0.0;
    return def;
}

static int join(trial *t, const scree_joint_def *def)
{
    if (t->failed) return 0;
    const int index = scree_joint_index(scree_world_add_joint(t->world, def, &t->error));
    t->failed = index < 0;
    return t->failed ? 0 : index;
}

static const scree_joint_state *joint(const trial *t, int index)
{
    return scree_world_joint_states(t->world) + index;
}

/// Moments about the centre and about the end of a rod, about y.
static double rod_inertia(void)
{
    return MASS * (ROD * ROD + WIDTH * WIDTH) / 12.0;
}

static double pivot_inertia(void)
{
    return rod_inertia() + 0.25 * MASS * ROD * ROD;
}

static double total_energy(const trial *t)
{
    scree_energy e = scree_world_energy(t->world);
    return e.kinetic + e.potential;
}

/* ---- pendulum ------------------------------------------------------------------------------------------------------------ */

enum { PERIOD, ENERGY, FORCE };

/// Released from the horizontal: T = 4 sqrt(I/(m g l)) K(sin 45 degrees), K by the arithmetic-geometric mean; at the lowest point the
/// hinge carries m g (1 + 2 m l^2/I).
static finding pendulum(int what)
{
    trial t = begin(SCREE_SCHEME_MOREAU_JEAN, 1e-3);
    double I = pivot_inertia(), l = 0.5 * ROD, a = 1.0, b = sqrt(0.5), crossing[3], last = 0.0, most = 0.0, drift = 0.0;
    int crossings = 0;
    add_rod(&t, 0.0, 0.0);
    scree_joint_def def = hinge(-1, 0, 0.0, 0.0);
    int pin = join(&t, &def);
    for (int k = 0; k < 40; ++k) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b), a = mean;
    }
    while (crossings < 3 && trial_step(&t)) { /* the angle is 0 horizontally, 90 degrees below */
        double angle = joint(&t, pin)->coordinate - 90.0 * DEGREE, h = t.report.h;
        if (last * angle < 0.0) crossing[crossings++] = t.report.time - h * angle / (angle - last);
        last = angle, most = fmax(most, joint(&t, pin)->force[2]), drift = fmax(drift, fabs(total_energy(&t)));
        if (t.report.time > 10.0) t.failed = 1;
    }
    double period = 4.0 * sqrt(I / (MASS * G * l)) * (90.0 * DEGREE / a);
    if (what == PERIOD)
        return trial_judge(&t, period, t.failed ? 0.0 : crossing[2] - crossing[0], 1e-5,
                           "second order of the step: (h w)^2, w up to 5.4 1/s");
    if (what == ENERGY)
        return trial_judge(&t, 0.0, drift / (MASS * G * l), 1e-5, "second order of the step: (h w)^2, w up to 5.4 1/s");
    return trial_judge(&t, MASS * G * (1.0 + 2.0 * MASS * l * l / I), most, 1e-5,
                       "second order of the step: (h w)^2, w up to 5.4 1/s");
}

/* ---- double pendulum ------------------------------------------------------------------------------------------------------- */

/// Accelerations of the two angles (y: angles, rates) of two rods, from Lagrange's equations.
static void accelerations(const double y[4], double rate[4])
{
    double I = rod_inertia(), l = 0.5 * ROD, s = sin(y[0] - y[1]), c = cos(y[0] - y[1]);
    double M11 = I + MASS * l * l + MASS * ROD * ROD, M12 = MASS * ROD * l * c, M22 = I + MASS * l * l;
    double f1 = -MASS * ROD * l * s * y[3] * y[3] - (MASS * l + MASS * ROD) * G * sin(y[0]);
    double f2 = MASS * ROD * l * s * y[2] * y[2] - MASS * l * G * sin(y[1]);
    double det = M11 * M22 - M12 * M12;
    rate[0] = y[2], rate[1] = y[3];
    rate[2] = (M22 * f1 - M12 * f2) / det, rate[3] = (M11 * f2 - M12 * f1) / det;
}

/// By 20,000 steps of fourth order.
static void reference(double time, double y[4])
{
    enum { STEPS = 20000 };
    double h = time / STEPS, k[4][4], z[4];
    for (int n = 0; n < STEPS; ++n) {
        for (int stage = 0; stage < 4; ++stage) {
            double part = stage == 0 ? 0.0 : stage == 3 ? h : 0.5 * h;
            for (int i = 0; i < 4; ++i) z[i] = y[i] + (stage ? part * k[stage - 1][i] : 0.0);
            accelerations(z, k[stage]);
        }
        for (int i = 0; i < 4; ++i) y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    }
}

enum { FIRST_ANGLE, SECOND_ANGLE, DOUBLE_ENERGY };

/// Both rods released from the horizontal, along one line.
static finding double_pendulum(int what)
{
    trial t = begin(SCREE_SCHEME_MOREAU_JEAN, 5e-4);
    double y[4] = {90.0 * DEGREE, 90.0 * DEGREE, 0.0, 0.0};
    int a = add_rod(&t, 0.0, 0.0), b = add_rod(&t, ROD, 0.0);
    scree_joint_def def = hinge(-1, a, 0.0, 0.0);
    int top = join(&t, &def);
    def = hinge(a, b, ROD, 0.0);
    int middle = join(&t, &def);
    trial_until(&t, what == DOUBLE_ENERGY ? 5.0 : 1.0);
    if (what == DOUBLE_ENERGY)
        return trial_judge(&t, 0.0, fabs(total_energy(&t)) / (MASS * G * ROD), 1e-4,
                           "second order: (h w)^2 with w up to 15 1/s");
    reference(1.0, y);
    double first = 90.0 * DEGREE - joint(&t, top)->coordinate, second = first - joint(&t, middle)->coordinate;
    return trial_judge(&t, y[what], what == FIRST_ANGLE ? first : second, 1e-5,
                       "second order: (h w)^2 with w up to 8 1/s");
}

/* ---- four bars ------------------------------------------------------------------------------------------------------------- */

enum { ROCKER, LOOP_ENERGY };

/// Crank of 1 m at the origin, standing; coupler of 1 m; rocker of 1 m, standing, its foot at 1 m: a parallelogram of rods, driven at 1
/// rad/s, or falling by itself. The rocker turns as the crank does.
static finding four_bar(int what)
{
    trial t = begin(what == ROCKER ? SCREE_SCHEME_ANITESCU_TASORA : SCREE_SCHEME_MOREAU_JEAN, 1e-3);
    const double upright[4] = {sqrt(0.5), 0.0, sqrt(0.5), 0.0}; /* x to -z: along z */
    int crank = add_rod(&t, -0.5, 0.5), coupler = add_rod(&t, 0.0, 1.0), rocker = add_rod(&t, 0.5, 0.5);
    if (!t.failed) {
        scree_world_set_state(t.world, scree_body_at(crank), (const double[3]){0.0, 0.0, 0.5}, upright, NULL, NULL);
        scree_world_set_state(t.world, scree_body_at(rocker), (const double[3]){1.0, 0.0, 0.5}, upright, NULL, NULL);
    }
    scree_joint_def def = hinge(-1, crank, 0.0, 0.0);
    if (what == ROCKER) def.motor = SCREE_MOTOR_SPEED, def.target = 1.0;
    int drive = join(&t, &def);
    def = hinge(crank, coupler, 0.0, 1.0), join(&t, &def);
    def = hinge(coupler, rocker, 1.0, 1.0), join(&t, &def);
    def = hinge(-1, rocker, 1.0, 0.0);
    int foot = join(&t, &def);
    if (what == LOOP_ENERGY && !t.failed) /* it needs a push */
        scree_world_set_state(t.world, scree_body_at(coupler), NULL, NULL, (const double[3]){0.1, 0.0, 0.0}, NULL);
    trial_until(&t, 1e-3); /* the push is shared out by an impact */
    double start = total_energy(&t);
    trial_until(&t, 1.2);
    if (what == ROCKER)
        return trial_judge(&t, 1.2, joint(&t, foot)->coordinate, 1e-6,
                           "joints close to the solver's 1e-12 and the step's second order");
    (void)drive;
    return trial_judge(&t, 0.0, fabs(total_energy(&t) - start) / (MASS * G * ROD), 1e-4,
                       "second order: (h w)^2 with w up to 8 1/s");
}

/* ---- motor and friction -------------------------------------------------------------------------------------------------------- */

/// A wheel (a ball of 1 kg, R 0.1) on a vertical axle.
static trial wheel(scree_scheme scheme, scree_joint_def *def, double spin)
{
    trial t = begin(scheme, 1e-3);
    const double w[3] = {0.0, 0.0, spin};
    int ball = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.1, t.material), 1.0, NULL, NULL, w);
    def->kind = SCREE_JOINT_HINGE, def->body_b = scree_body_at(ball);
    return t;
}

static const double WHEEL = 0.4 * 0.1 * 0.1; /* kg m^2 */

enum { MOTOR_STARTS, MOTOR_REACHES, MOTOR_STALLS };

/// A motor of 0.02 N m that wants 10 rad/s: it reaches 10 I/M = 2 s from standstill; against a stop it gives what it has.
static finding motor(int what)
{
    scree_joint_def def = scree_joint_def_default();
    trial t = wheel(SCREE_SCHEME_ANITESCU_TASORA, &def, 0.0);
    def.motor = SCREE_MOTOR_SPEED, def.target = 10.0, def.bound = 0.02;
    if (what == MOTOR_STALLS) def.upper = 1.0;
    int axle = join(&t, &def);
    trial_until(&t, what == MOTOR_STARTS ? 1.0 : 3.0);
    if (what == MOTOR_STARTS)
        return trial_judge(&t, 0.02 / WHEEL, joint(&t, axle)->rate, 1e-9,
                           "a constant moment is exact: the solver's 1e-12 in 1,000 steps");
    if (what == MOTOR_REACHES)
        return trial_judge(&t, 10.0, joint(&t, axle)->rate, 1e-9, "the solver's 1e-12, in 3,000 steps");
    return trial_judge(&t, 0.02, joint(&t, axle)->motor, 1e-9, "the solver's 1e-12, in 3,000 steps");
}

enum { RAMP_MOMENT, RAMP_ANGLE, RAMP_WORK, RAMP_BOUND };

/// The speed that the motor wants grows by 2.5 rad/s^2 for 2 s and stays: it takes I 2.5 = 0.01 N m; a motor with half of that falls behind.
static finding ramp(int what)
{
    static const double time[2] = {0.0, 2.0}, speed[2] = {0.0, 5.0};
    scree_joint_def def = scree_joint_def_default();
    trial t = wheel(SCREE_SCHEME_ANITESCU_TASORA, &def, 0.0);
    def.motor = SCREE_MOTOR_SPEED, def.course.table = (scree_table){2, time, speed};
    if (what == RAMP_BOUND) def.bound = 0.5 * 2.5 * WHEEL;
    int axle = join(&t, &def);
    trial_until(&t, what == RAMP_ANGLE || what == RAMP_WORK ? 3.0 : 1.0);
    if (what == RAMP_MOMENT)
        return trial_judge(&t, 2.5 * WHEEL, joint(&t, axle)->motor, 1e-7,
                           "a linear speed is exact: the solver's 1e-12 over h");
    if (what == RAMP_ANGLE)
        return trial_judge(&t, 10.0, joint(&t, axle)->coordinate, 1e-7,
                           "a linear speed is exact: the solver's 1e-12 in 3,000 steps");
    if (what == RAMP_BOUND)
        return trial_judge(&t, 1.25, joint(&t, axle)->rate, 1e-9,
                           "a constant moment is exact: the solver's 1e-12 in 1,000 steps");
    double work = t.failed ? 0.0 : scree_stepper_totals(t.stepper)->energy.motor;
    return trial_judge(&t, 0.5 * WHEEL * 25.0, work, 1e-7,
                       "a linear speed is exact: the solver's 1e-12 in 3,000 steps");
}

/// A servo of k 0.4 N m/rad and c 0.04 N m s towards sin(2 pi t): the wheel follows (k + i c w)/(k - I w^2 + i c w) times that, once what
/// the start left has died down, as exp(-5 t).
static finding servo_sine(int unused)
{
    const double k = 0.4, c = 0.04, w = 2.0 * 3.14159265358979323846, time = 6.1;
    scree_joint_def def = scree_joint_def_default();
    trial t = wheel(SCREE_SCHEME_MOREAU_JEAN, &def, 0.0);
    def.motor = SCREE_MOTOR_POSITION, def.servo_stiffness = k, def.servo_damping = c;
    def.course.amplitude = 1.0, def.course.frequency = 1.0;
    int axle = join(&t, &def);
    (void)unused;
    trial_until(&t, time);
    double lag = atan2(c * w, k - WHEEL * w * w) - atan2(c * w, k);
    double gain = hypot(k, c * w) / hypot(k - WHEEL * w * w, c * w);
    return trial_judge(&t, gain * sin(w * time - lag), joint(&t, axle)->coordinate, 1e-4,
                       "second order: (h w)^2/4, w = 2 pi");
}

enum { FRICTION_ANGLE, FRICTION_REST };

/// Dry friction of 0.01 N m stops 10 rad/s after I w/S = 4 s and I w^2/2S = 20 rad.
static finding hinge_friction(int what)
{
    scree_joint_def def = scree_joint_def_default();
    trial t = wheel(SCREE_SCHEME_ANITESCU_TASORA, &def, 10.0);
    def.friction = 0.01;
    int axle = join(&t, &def);
    trial_until(&t, 4.5);
    double angle = joint(&t, axle)->coordinate;
    if (what == FRICTION_ANGLE)
        return trial_judge(&t, 0.5 * WHEEL * 100.0 / 0.01, angle, 2.6e-4,
                           "first order: h w/2 = 5e-3 rad of 20"); /* h w/2 */
    trial_until(&t, 5.5);
    return trial_judge(&t, 0.0, joint(&t, axle)->coordinate - angle, 0.0, "what rests, rests: not one bit");
}

/// Mass 1 kg, k 100 N/m, c 0 or 2 N s/m, 0.2 m from where the spring has no load.
static finding spring(int damped)
{
    set_up still = {{0.0, 0.0, 0.0}, 0.0, 0.0, 0.0, 0.0, 1e-3, SCREE_SCHEME_MOREAU_JEAN};
    trial t = trial_begin(&still, 1e-12);
    scree_joint_def def = scree_joint_def_default();
    int ball = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.1, t.material), 1.0, NULL, NULL, NULL);
    double c = damped ? 2.0 : 0.0, w = sqrt(100.0 - 0.25 * c * c), time = 3.0;
    def.kind = SCREE_JOINT_SLIDER, def.body_b = scree_body_at(ball), def.stiffness = 100.0, def.damping = c,
    def.rest = 0.2;
    int rail = join(&t, &def);
    trial_until(&t, time);
    double way = 0.2 - 0.2 * exp(-0.5 * c * time) * (cos(w * time) + 0.5 * c / w * sin(w * time));
    return trial_judge(&t, way, joint(&t, rail)->coordinate, 1e-3, "second order: w t (h w)^2/12, twice: 3e-4 at 3 s");
}

/* ---- ball joints ------------------------------------------------------------------------------------------------------------- */

enum { SWING_ANGLE, SWING_RESTS, FRICTION_STOPS, FRICTION_HOLDS };

/// Angle below the horizontal at which a rod that is released there comes to rest, by dry friction S in its joint:
/// m g l sin a = S a, by Newton's method.
static double angle_of_rest(double S)
{
    double weight = 0.5 * MASS * G * ROD, a = 1.6;
    for (int k = 0; k < 50; ++k) a -= (weight * sin(a) - S * a) / (weight * cos(a) - S);
    return a;
}

/// A rod on a ball joint is released from the horizontal: it falls to the limit of its swing, 30 degrees; or, without limit, friction of
/// 6 N m stops it.
static finding ball_pendulum(int what)
{
    int limited = what == SWING_ANGLE || what == SWING_RESTS;
    trial t = begin(SCREE_SCHEME_MOREAU_JEAN, 1e-3);
    int rod = add_rod(&t, 0.0, 0.0);
    scree_joint_def def = scree_joint_def_default();
    def.body_b = scree_body_at(rod), def.axis[0] = 1.0, def.axis[2] = 0.0;
    if (limited) def.swing = 30.0 * DEGREE;
    else def.friction = 6.0;
    join(&t, &def);
    trial_until(&t, 3.0);
    const double *x = trial_position(&t, rod);
    double angle = atan2(-x[2], x[0]);
    if (what == SWING_ANGLE)
        return trial_judge(&t, 30.0 * DEGREE, angle, 1e-6,
                           "the limit is a row: the solver's 1e-12 and the step's second order");
    if (what == FRICTION_STOPS)
        return trial_judge(&t, angle_of_rest(6.0), angle, 1e-5, "second order: (h w)^2, w up to 3 1/s");
    return trial_judge(&t, 0.0, trial_creep(&t, 1.0), 0.0, "what rests, rests: not one bit");
}

enum { TWIST_ANGLE, TWIST_STOPS, BALL_SLOWS, BALL_STOPS };

/// A ball of 1 kg, R 0.1, turns in a ball joint at its centre: about the axis at 1 rad/s, to the limit of 0.5 rad; or about any line at 10
/// rad/s against a friction of 0.01 N m, which it takes 4 s to stop.
static finding ball_turns(int what)
{
    int limited = what == TWIST_ANGLE || what == TWIST_STOPS;
    const double along[3] = {0.0, 0.0, 1.0}, across[3] = {20.0 / 3.0, -10.0 / 3.0, 20.0 / 3.0};
    trial t = begin(SCREE_SCHEME_ANITESCU_TASORA, 1e-3);
    scree_joint_def def = scree_joint_def_default();
    def.body_b = scree_body_at(trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.1, t.material), 1.0, NULL, NULL,
                                         limited ? along : across));
    if (limited) def.upper = 0.5;
    else def.friction = 0.01;
    int centre = join(&t, &def);
    trial_until(&t, what == TWIST_ANGLE ? 1.0 : what == BALL_SLOWS ? 2.0 : 4.5);
    /* without friction the stop leaves 1e-8 of the spin, as much as the rows that hold the centre give way (src/rigid/joints.c) */
    if (what == TWIST_ANGLE)
        return trial_judge(&t, 0.5, joint(&t, centre)->coordinate, 1e-8,
                           "the stop gives way by 1e-8, as the rows that hold the centre do");
    if (what == TWIST_STOPS)
        return trial_judge(&t, 0.0, trial_spin(&t, scree_body_index(def.body_b)), 1e-8,
                           "the stop gives way by 1e-8, as the rows that hold the centre do");
    return trial_judge(&t, what == BALL_SLOWS ? 5.0 : 0.0, trial_spin(&t, scree_body_index(def.body_b)), what == BALL_SLOWS ? 1e-9 : 0.0,
                       what == BALL_SLOWS ? "a constant moment is exact: the solver's 1e-12 in 2,000 steps"
                                          : "what rests, rests");
}

/* ---- door, chain ----------------------------------------------------------------------------------------------------------------- */

enum { DOOR_SHARE, DOOR_RESTS };

/// A door of 40 kg on two hinges at the same distance from its middle: each carries half of the weight.
static finding door(int what)
{
    trial t = begin(SCREE_SCHEME_ANITESCU_TASORA, 5e-3);
    const double at[3] = {0.45, 0.0, 1.0};
    int leaf = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_box(0.45, 0.02, 1.0, t.material), 40.0, at, NULL, NULL);
    scree_joint_def def = scree_joint_def_default();
    def.kind = SCREE_JOINT_HINGE, def.body_b = scree_body_at(leaf), def.anchor[2] = 0.3;
    int low = join(&t, &def);
    def.anchor[2] = 1.7;
    join(&t, &def);
    trial_until(&t, 1.0);
    if (what == DOOR_SHARE)
        return trial_judge(&t, 20.0 * G, joint(&t, low)->force[2], 1e-3,
                           "how two hinges share is decided by 1e-4 of give in their rows");
    return trial_judge(&t, 0.0, trial_creep(&t, 1.0), 0.0, "what rests, rests: not one bit");
}

enum { LINKS = 100, CHAIN_WEIGHT = 0, CHAIN_WHOLE };

/// 100 links of 1 kg and 0.1 m, and 1000 kg at the end; hanging, or swinging with 1 m/s at the end.
static finding chain(int what)
{
    trial t = begin(SCREE_SCHEME_ANITESCU_TASORA, 5e-3);
    int last = -1, top = 0;
    double worst = 0.0;
    for (int k = 0; k < LINKS; ++k) {
        const double at[3] = {0.0, 0.0, -0.1 * (k + 0.5)},
                     v[3] = {what == CHAIN_WHOLE ? 0.01 * (k + 0.5) : 0.0, 0.0, 0.0};
        int link = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_box(0.01, 0.01, 0.05, t.material),
                             k < LINKS - 1 ? 1.0 : 1000.0, at, v, NULL);
        scree_joint_def def = scree_joint_def_default();
        def.body_a = scree_body_at(last), def.body_b = scree_body_at(link), def.anchor[2] = -0.1 * k;
        int pin = join(&t, &def);
        if (k == 0) top = pin;
        last = link;
    }
    double end = what == CHAIN_WHOLE ? 0.1 : 0.05;
    while (!t.failed && scree_world_time(t.world) < end - 1e-9 && trial_step(&t))
        if (scree_world_time(t.world) > 0.02) worst = fmax(worst, t.report.joint_error);
    if (what == CHAIN_WEIGHT)
        return trial_judge(&t, (1000.0 + LINKS - 1) * G, joint(&t, top)->force[2], 1e-8,
                           "the solver's 1e-12, passed down through 100 links");
    return trial_judge(&t, 0.0, worst / 0.1, 1e-4, "gaps close at the end of a step: second order of the swing");
}

/* ---- coefficients of rest and of motion ------------------------------------------------------------------------------------------ */

enum { BRICK_HOLDS, BRICK_SLIDES, BRICK_STOPS, BRICK_STAYS };

/// mu 0.3 in motion, 0.5 at rest; the slope has tan 0.4: what lies, lies; what slides down goes on; what is thrown up comes to
/// rest after v^2/(2 g (sin + mu cos)) and stays there.
static finding brick(int what)
{
    double slope = atan(0.4), v = what == BRICK_HOLDS ? 0.0 : what == BRICK_SLIDES ? 0.5 : -1.0;
    set_up s = {{G * sin(slope), 0.0, -G * cos(slope)}, 0.3, 0.0, 0.0, 0.0, 1e-3, SCREE_SCHEME_MOREAU_JEAN};
    trial t = trial_begin_static(&s, 1e-12, 0.5, 0.0);
    const double at[3] = {0.0, 0.0, 0.05}, speed_0[3] = {v, 0.0, 0.0};
    trial_floor(&t);
    int block = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_box(0.1, 0.1, 0.05, t.material), 1.0, at, speed_0, NULL);
    if (what == BRICK_HOLDS) return trial_judge(&t, 0.0, trial_creep(&t, 1.0), 0.0, "what rests, rests: not one bit");
    trial_until(&t, 1.0);
    if (what == BRICK_SLIDES)
        return trial_judge(&t, 0.5 + G * (sin(slope) - 0.3 * cos(slope)), trial_velocity(&t, block)[0], 1e-9,
                           "speeds under constant forces are exact: the solver's 1e-12 in 1,000 steps");
    if (what == BRICK_STAYS) return trial_judge(&t, 0.0, trial_creep(&t, 1.0), 0.0, "what rests, rests: not one bit");
    return trial_judge(&t, -0.5 / (G * (sin(slope) + 0.3 * cos(slope))), trial_position(&t, block)[0], 1e-5,
                       "the distance of the last step, |a| h^2/8 = 9e-7 m of 0.078");
}

/// R 0.2, rolling 10 mm in motion, 30 mm at rest, mu 0.5; the slope has tan 0.1 (between the two over R): thrown up it rolls to rest
/// after v^2 (7/10)/(g (sin + rho/R cos)), and stays.
static finding ball_restick(int stays)
{
    double slope = atan(0.1);
    set_up s = {{G * sin(slope), 0.0, -G * cos(slope)}, 0.5, 0.01, 0.0, 0.0, 1e-3, SCREE_SCHEME_MOREAU_JEAN};
    trial t = trial_begin_static(&s, 1e-12, 0.5, 0.03);
    const double at[3] = {0.0, 0.0, 0.2}, v[3] = {-1.0, 0.0, 0.0}, w[3] = {0.0, -5.0, 0.0};
    trial_floor(&t);
    int ball = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.2, t.material), 5.0, at, v, w);
    trial_until(&t, 2.0);
    if (stays) return trial_judge(&t, 0.0, trial_creep(&t, 1.0), 0.0, "what rests, rests: not one bit");
    return trial_judge(&t, -0.7 / (G * (sin(slope) + 0.05 * cos(slope))), trial_position(&t, ball)[0], 1e-6,
                       "the distance of the last step, |a| h^2/8 = 2e-7 m of 0.48");
}

const check verify_joint_checks[] = {
    {"pendulum/period", "s", "a rod on a hinge, released from the horizontal: its period", pendulum, PERIOD},
    {"pendulum/energy", "", "the same: change of its energy, over m g l", pendulum, ENERGY},
    {"pendulum/force", "N", "the same: what the hinge carries at the lowest point", pendulum, FORCE},
    {"double-pendulum/first", "rad", "two rods, released from the horizontal: angle of the first after 1 s",
     double_pendulum, FIRST_ANGLE},
    {"double-pendulum/second", "rad", "the same: angle of the second", double_pendulum, SECOND_ANGLE},
    {"double-pendulum/energy", "", "the same after 5 s: change of energy, over m g l", double_pendulum, DOUBLE_ENERGY},
    {"four-bar/rocker", "rad", "a parallelogram of rods that a motor drives: angle of the rocker", four_bar, ROCKER},
    {"four-bar/energy", "", "the same falling by itself: change of energy, over m g l", four_bar, LOOP_ENERGY},
    {"motor/starts", "1/s", "a wheel under a motor's largest moment: its spin after 1 s", motor, MOTOR_STARTS},
    {"motor/reaches", "1/s", "the same after 3 s: the spin prescribed for the motor", motor, MOTOR_REACHES},
    {"motor/stalls", "N m", "the same against a stop: the moment of the motor", motor, MOTOR_STALLS},
    {"motor-ramp/moment", "N m", "a motor whose speed grows with time: the moment that takes", ramp, RAMP_MOMENT},
    {"motor-ramp/angle", "rad", "the same, for 2 s, then at the speed reached: how far it has rotated after 3 s", ramp,
     RAMP_ANGLE},
    {"motor-ramp/work", "J", "the same: the work of the motor in the energy balance", ramp, RAMP_WORK},
    {"motor-ramp/bound", "1/s", "the same with half that moment: the spin after 1 s", ramp, RAMP_BOUND},
    {"servo/sine", "rad", "a position motor whose target is a sine: where the wheel is after 6.1 s", servo_sine, 0},
    {"hinge-friction/angle", "rad", "a wheel that dry friction stops: how far it rotates", hinge_friction,
     FRICTION_ANGLE},
    {"hinge-friction/rest", "rad", "then it rests: change of its angle in 1 s", hinge_friction, FRICTION_REST},
    {"ball-joint/swing", "rad", "a rod on a ball joint falls to the limit of its swing", ball_pendulum, SWING_ANGLE},
    {"ball-joint/swing-rests", "m", "then it rests: change of its position in 1 s", ball_pendulum, SWING_RESTS},
    {"ball-joint/friction", "rad", "the same without limit, with dry friction: where it stops", ball_pendulum,
     FRICTION_STOPS},
    {"ball-joint/friction-rests", "m", "then it rests: change of its position in 1 s", ball_pendulum, FRICTION_HOLDS},
    {"ball-joint/twist", "rad", "a ball rotates about the axis of its joint to the limit", ball_turns, TWIST_ANGLE},
    {"ball-joint/twist-stops", "1/s", "then it stands: its spin", ball_turns, TWIST_STOPS},
    {"ball-joint/slows", "1/s", "a ball that dry friction slows down about any line: its spin after 2 s", ball_turns,
     BALL_SLOWS},
    {"ball-joint/stops", "1/s", "the same after 4.5 s, when it must have stopped", ball_turns, BALL_STOPS},
    {"spring/free", "m", "a mass on a spring: where it is after 3 s", spring, 0},
    {"spring/damped", "m", "the same with a damper", spring, 1},
    {"door/share", "N", "a door on two hinges: what one of them carries", door, DOOR_SHARE},
    {"door/rest", "m", "the same: change of its position in 1 s", door, DOOR_RESTS},
    {"chain/weight", "N", "100 links of 1 kg and 1000 kg at the end: what the first joint carries", chain,
     CHAIN_WEIGHT},
    {"chain/whole", "", "the same, swinging: largest gap in a joint, over the length of a link", chain, CHAIN_WHOLE},
    {"brick/holds", "m", "a brick on a slope between its two coefficients rests: change of position in 1 s", brick,
     BRICK_HOLDS},
    {"brick/slides", "m/s", "the same, pushed down: its speed after 1 s", brick, BRICK_SLIDES},
    {"brick/stops", "m", "the same, thrown up: where it stops", brick, BRICK_STOPS},
    {"brick/stays", "m", "then it stays: change of position in 1 s", brick, BRICK_STAYS},
    {"ball-restick/stops", "m", "a ball rolling up a slope between its two coefficients: where it stops", ball_restick,
     0},
    {"ball-restick/stays", "m", "then it stays: change of position in 1 s", ball_restick, 1},
    {0},
};
