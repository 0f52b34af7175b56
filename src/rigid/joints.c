/* joints.c: joints in a step: their rows in the problem, and what the solution says of them.                  docs/math/joints.md
 *
 * A row of a joint is   y = u1 + e u0 + b + C g,   u its rate before and after the impulses, g its load:
 *
 *     holds       b = position/h, or from (1); C = SOFT x its mobility                       bilateral, [TA] eq. 10, 37
 *     spring      from  g = -h (k (s_theta - rest) + c u_theta)                              bilateral, with compliance
 *     servo       the same from a target that moves, -S h <= g <= S h                        bounded
 *     speed       b = -target (mean),          -S h <= g <= S h                              bounded, or bilateral
 *     friction    b = 0,                       -S h <= g <= S h                              bounded, [TA] eq. 11, 6.2
 *       of a ball joint: against its turning; three rows about axes of A (at most 3^1/2 too strong between them) where it may stop
 *     limit       b = gap/h                                                                  a contact without friction
 *
 * Rows are taken where the impulses act: at x0 + (1 - theta) h v0, and rotations turned as far; for theta = 1 that is the start.
 * u1 + Psi/h = 0 ([TA]) leaves a joint apart by the curvature of one step, (h u)^2 / 2 r, and takes energy. Where a mechanism moves
 * freely it is better: the impulses of the next step act one drift of h later, and there the joint shall be whole, Psi(v1) = 0. That is
 * SHAKE, which neither loses nor gains energy in the long run. By Newton's method, with the velocities v of the solution so far:
 *     u1 - u(v) + Psi(v)/h = 0                                                                                          (1)
 * until Psi is PSI_SMALL of the unit of length. Not where bodies of the mechanism touch something: a linkage that jams has loads
 * without bound, and times the h^2 that (1) asks of the velocities they are a source of energy.
 *
 * Spring: s the coordinate there, s1 = s + theta h u1 at the end, s0 = s - (1 - theta) h u0 at the start, and
 *     s_theta = theta s1 + (1 - theta) s0,  u_theta = theta u1 + (1 - theta) u0      give
 *     C = 1/(theta^2 h^2 k + theta h c),  b = h k (s - rest) C,  e = ((1 - theta) h c - (1 - theta)^2 h^2 k) C
 * Stable for any k, c, h; theta = 1/2 keeps the energy of the spring. A servo has T for rest, its target taken like s_theta, and its damper
 * acts on u_theta - T', T' what the target moves in the step: b has h (k (s - T) - c T') C.
 * A speed motor has the mean of its target while the bodies go on with u1, from these impulses to the next: so the coordinate adds up to the
 * integral of the target whatever h is, as driven bodies do.
 *
 * SOFT: rows may depend on one another (a door on two hinges). Each that holds gives way by 1e-8 of what it would move by itself: the
 * loads are then unique, equal shares of equal hinges, and velocities wrong by 1e-8.
 *
 * A limit of a hinge is a stop: a contact at a lever of the unit of length from the axis. Together with the rows that hold the hinge
 * that is a moment about the axis, and nothing else. */
#include "step/stepper_private.h"

#include "math/quat.h"
#include "math/scalar.h"
#include "problem/problem_private.h"
#include "step/rotation.h"

#include <string.h>

static const double SOFT = 1e-8, PSI_SMALL = 1e-8;

/* ---- poses and rates ----------------------------------------------------------------------------------------------------- */

static void turn_pose(const double omega[3], double time, joint_pose *pose)
{
    double turned[3], turn[4], q[4];
    for (int k = 0; k < 3; ++k) turned[k] = time * omega[k];
    quat_exp(turned, turn);
    quat_mul(turn, pose->q, q);
    memcpy(pose->q, q, sizeof q);
}

/// The pose of a body `ahead` seconds further. The rotations of dynamic bodies are there already (integrate.c).
static joint_pose pose_of(const step_context *s, int body, double ahead)
{
    joint_pose pose = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    const scree_world *w = s->world;
    if (body < 0) return pose;
    memcpy(pose.x, w->x[body], sizeof pose.x);
    memcpy(pose.q, w->q[body], sizeof pose.q);
    if (ahead == 0.0) return pose;
    vec_add_scaled(pose.x, ahead, s->before[body], pose.x);
    if (w->kind[body] == SCREE_BODY_DRIVEN) turn_pose(s->before[body] + 3, ahead, &pose);
    return pose;
}

/// Where the impulses act.
static joint_pose kick_pose(const step_context *s, int body)
{
    return pose_of(s, body, (1.0 - s->theta) * s->h);
}

/// One drift of h further, with the velocities v.
static joint_pose predicted_pose(const step_context *s, int body, vec6 *v)
{
    const scree_world *w = s->world;
    joint_pose pose = kick_pose(s, body);
    if (body < 0) return pose;
    vec_add_scaled(pose.x, s->h, v[body], pose.x);
    if (w->kind[body] == SCREE_BODY_DYNAMIC) {
        double omega[3];
        quat_rotate_inverse(pose.q, v[body] + 3, omega);
        if (w->options.planar) rotation_about_axis(s->h, pose.q, omega);
        else rotation_free(w->inertia[body], s->h, pose.q, omega);
    } else turn_pose(v[body] + 3, s->h, &pose);
    return pose;
}

static double along(const double row[6], const double *velocity)
{
    double sum = 0.0;
    for (int i = 0; i < 6; ++i) sum += row[i] * velocity[i];
    return sum;
}

/// Rate of the row with these velocities (one per body, whatever its kind).
static double row_rate(const scree_joint_def *def, const joint_row *row, vec6 *velocity)
{
    return (joint_body(def, 0) >= 0 ? along(row->a, velocity[joint_body(def, 0)]) : 0.0) +
           (joint_body(def, 1) >= 0 ? along(row->b, velocity[joint_body(def, 1)]) : 0.0);
}

/// The part of it that driven bodies prescribe.
static double driven_rate(const step_context *s, const scree_joint_def *def, const joint_row *row)
{
    double rate = 0.0;
    for (int is_b = 0; is_b < 2; ++is_b) {
        int body = joint_body(def, is_b);
        if (body >= 0 && s->world->kind[body] == SCREE_BODY_DRIVEN)
            rate += along(is_b ? row->b : row->a, s->before[body]);
    }
    return rate;
}

/// What a load of 1 changes the rate by [1/kg or 1/(kg m^2)], and the rate without loads.
static double row_mobility(const step_context *s, const scree_joint_def *def, const joint_row *row, double *free_rate)
{
    double mobility = 0.0;
    *free_rate = driven_rate(s, def, row);
    for (int is_b = 0; is_b < 2; ++is_b) {
        int body = joint_body(def, is_b), column = body >= 0 ? s->column[body] : -1;
        const double *J = is_b ? row->b : row->a;
        double turn[3];
        if (column < 0) continue;
        const scree_rigid_mass *mass = &s->mass[column];
        mat_apply(mass->inv_inertia, J + 3, turn);
        for (int k = 0; k < 3; ++k) mobility += mass->inv_mass[k] * J[k] * J[k] + turn[k] * J[3 + k];
        *free_rate += along(J, s->v_free[column]);
    }
    return mobility;
}

/* ---- which rows take part, and how ---------------------------------------------------------------------------------------- */

/// A spring from `rest`, which moves at `rate`.
static void make_spring(const step_context *s, double k, double c, double rest, double rate, joint_line *line)
{
    double h = s->h, theta = s->theta, rear = 1.0 - theta;
    double C = 1.0 / (theta * theta * h * h * k + theta * h * c);
    line->compliance = C, line->bias = h * (k * (line->row.position - rest) - c * rate) * C;
    line->e = (rear * h * c - rear * rear * h * h * k) * C;
}

static void make_motor(const step_context *s, const world_joint *joint, int turn, double mobility, joint_line *line)
{
    const scree_joint_turn drive = joint_drive(&joint->def, turn), *def = &drive;
    line->bound = s->h * def->bound;
    if (def->motor == SCREE_MOTOR_POSITION) {
        double start = motor_target(joint, turn, s->t), end = motor_target(joint, turn, s->t + s->h);
        make_spring(s, def->servo_stiffness, def->servo_damping, s->theta * end + (1.0 - s->theta) * start,
                    (end - start) / s->h, line);
    } else {
        line->bias = -motor_target_mean(joint, turn, s->t + (1.0 - s->theta) * s->h, s->h);
        line->compliance = SOFT * mobility;
    }
}

/// The row of a moment about the axis e as that of a force at a lever l t across it, along n = e x t:  l t x n = l e.
static void put_on_lever(const joint_pose pose[2], double lever, joint_row *row)
{
    double t[3], n[3], arm[3], e[3];
    memcpy(e, row->b + 3, sizeof e);
    vec_tangent(e, t);
    vec_cross(e, t, n);
    vec_add_scaled(row->point, lever, t, row->point);
    for (int k = 0; k < 3; ++k) row->a[k] = -n[k], row->b[k] = n[k];
    vec_sub(row->point, pose[0].x, arm);
    vec_cross(arm, row->a, row->a + 3);
    vec_sub(row->point, pose[1].x, arm);
    vec_cross(arm, row->b, row->b + 3);
    row->turns = 0, row->position *= lever;
}

/// 1 if a ball joint turns faster than what its friction changes in two steps: friction is then against the turning. Else it may come to
/// rest, and what it does next may be in any direction.
static int turns_on(const step_context *s, const scree_joint_def *def, double change)
{
    double turning[3] = {0.0, 0.0, 0.0};
    if (joint_body(def, 1) >= 0) memcpy(turning, s->before[joint_body(def, 1)] + 3, sizeof turning);
    if (joint_body(def, 0) >= 0) vec_sub(turning, s->before[joint_body(def, 0)] + 3, turning);
    return vec_norm(turning) > 2.0 * change;
}

/// The row as those of the first coordinate are numbered.
static int row_kind(const joint_row *row)
{
    const int turn = row->load >= SCREE_JOINT_ROW_TURN;
    return turn ? row->load - SCREE_JOINT_ROW_TURN + SCREE_JOINT_ROW_LOWER : row->load;
}

/// Fills the line. 0: it does not take part in this step.
static int make_line(const step_context *s, const scree_joint_def *def, const joint_pose pose[2], joint_line *line)
{
    joint_row *row = &line->row;
    const int kind = row_kind(row), turn = kind != row->load;
    const scree_joint_turn drive = joint_drive(def, turn);
    double h = s->h, free_rate, mobility = row_mobility(s, def, row, &free_rate);
    line->e = line->bias = line->compliance = 0.0, line->bound = SCREE_INFINITY, line->lever = 1.0;
    line->is_limit = kind == SCREE_JOINT_ROW_LOWER || kind == SCREE_JOINT_ROW_UPPER || kind == SCREE_JOINT_ROW_SWING;
    line->before = row_rate(def, row, s->before);
    memcpy(line->anchor, row->point, sizeof line->anchor);
    switch (kind) {
    case SCREE_JOINT_ROW_LOWER:
    case SCREE_JOINT_ROW_UPPER:
    case SCREE_JOINT_ROW_SWING:
        /* those that cannot close in this step would only make the problem look large */
        if (row->position > 2.0 * h * max2(fabs(line->before), fabs(free_rate))) return 0;
        if (row->turns) {
            line->lever = s->units.length;
            put_on_lever(pose, line->lever, row);
            line->before = row_rate(def, row, s->before);
        }
        line->bias = max2(row->position / h, -s->options->recovery_speed);
        return 1;
    case SCREE_JOINT_ROW_SPRING: make_spring(s, drive.stiffness, drive.damping, drive.rest, 0.0, line); return 1;
    case SCREE_JOINT_ROW_MOTOR: make_motor(s, &s->world->joint[line->joint], turn, mobility, line); return 1;
    case SCREE_JOINT_ROW_FRICTION:
    case SCREE_JOINT_ROW_GRIP:
    case SCREE_JOINT_ROW_GRIP + 1:
    case SCREE_JOINT_ROW_GRIP + 2:
        line->bound = h * drive.friction;
        return def->kind != SCREE_JOINT_BALL ||
               (row->load == SCREE_JOINT_ROW_FRICTION) == turns_on(s, def, line->bound * mobility);
    default: line->bias = row->position / h, line->compliance = SOFT * mobility; return 1;
    }
}

int line_row(const step_context *s, const joint_line *line)
{
    return s->row_count + line->place + (line->is_limit ? 0 : s->limit_count);
}

double line_unit(const joint_line *line, units u)
{
    return line->row.turns ? u.mass * u.length : u.mass;
}

/// Which dynamic bodies belong to a mechanism that touches something, or may in this step: `touched` by island, `island` by body.
static scree_status find_touched(const step_context *s, int **island, unsigned char **touched)
{
    const scree_world *w = s->world;
    if (!STEP_ARRAY(s, w->body_count, *island) || !STEP_ARRAY(s, w->body_count, *touched)) return SCREE_ERR_MEMORY;
    memset(*touched, 0, (size_t)w->body_count);
    scree_world_islands(w, *island);
    for (int row = 0; row < s->contact_count; ++row) {
        const scree_contact_point *touch = &w->contacts.touch[s->row_touch[row]];
        if ((*island)[touch->body_a] >= 0) (*touched)[(*island)[touch->body_a]] = 1;
        if ((*island)[touch->body_b] >= 0) (*touched)[(*island)[touch->body_b]] = 1;
    }
    for (int k = 0; k < s->line_count; ++k) {
        const scree_joint_def *def = &w->joint[s->line[k].joint].def;
        int body =
            joint_body(def, 0) >= 0 && (*island)[joint_body(def, 0)] >= 0 ? joint_body(def, 0) : joint_body(def, 1);
        if (s->line[k].is_limit) (*touched)[(*island)[body]] = 1;
    }
    return SCREE_OK;
}

/// Equation (1) for the rows of joint j, which start at line k: the new bias. Returns the largest position, an angle counting with the
/// unit of length [m].
static double refine_joint(const step_context *s, int j, int k, vec6 *v, double *bias)
{
    const scree_world *w = s->world;
    const scree_joint_def *def = &w->joint[j].def;
    const joint_pose a = predicted_pose(s, joint_body(def, 0), v), b = predicted_pose(s, joint_body(def, 1), v);
    scree_joint_state state = w->joint_state[j];
    joint_row row[SCREE_JOINT_ROWS];
    double largest = 0.0;
    joint_rows(w, j, &a, &b, &state, row);
    for (int at = 0; k < s->line_count && s->line[k].joint == j; ++k) {
        const joint_line *line = &s->line[k];
        if (line->row.load >= SCREE_JOINT_ROW_LOWER) break;
        while (row[at].load != line->row.load) ++at; /* the same rows in the same order */
        bias[k] = row[at].position / s->h - row_rate(def, &line->row, v);
        largest = max2(largest, fabs(row[at].position) * (line->row.turns ? s->units.length : 1.0));
    }
    return largest;
}

int joints_refine(step_context *s)
{
    const scree_world *w = s->world;
    vec6 *columns, *v;
    double *bias, psi = 0.0;
    int *island;
    unsigned char *touched;
    if (s->bound_count == 0 || !STEP_ARRAY(s, s->dynamic_count, columns) || !STEP_ARRAY(s, w->body_count, v) ||
        !STEP_ARRAY(s, s->line_count, bias) || find_touched(s, &island, &touched) != SCREE_OK)
        return 0;
    velocities_of_loads(s, columns);
    for (int b = 0; b < w->body_count; ++b)
        memcpy(v[b], s->column[b] >= 0 ? columns[s->column[b]] : s->before[b], sizeof *v);
    for (int k = 0; k < s->line_count; ++k) bias[k] = s->line[k].bias;
    for (int k = 0, j = -1; k < s->line_count; ++k) {
        if (s->line[k].joint == j) continue;
        j = s->line[k].joint;
        const scree_joint_def *def = &w->joint[j].def;
        int body = joint_body(def, 0) >= 0 && island[joint_body(def, 0)] >= 0 ? joint_body(def, 0) : joint_body(def, 1);
        if (!touched[island[body]]) psi = max2(psi, refine_joint(s, j, k, v, bias));
    }
    int again = psi > PSI_SMALL * s->units.length && psi < 0.7 * s->psi;
    s->psi = psi;
    for (int k = 0; again && k < s->line_count; ++k) {
        joint_line *line = &s->line[k];
        s->problem->q[line_row(s, line)] += (bias[k] - line->bias) * line_unit(line, s->units) / s->units.mass;
        line->bias = bias[k];
    }
    return again;
}

scree_status joints_choose(step_context *s)
{
    const scree_world *w = s->world;
    joint_row row[SCREE_JOINT_ROWS];
    s->line_count = s->limit_count = s->bound_count = 0;
    if (w->joint_count == 0) return SCREE_OK;
    if (!STEP_ARRAY(s, (size_t)w->joint_count * SCREE_JOINT_ROWS, s->line)) return SCREE_ERR_MEMORY;
    for (int j = 0; j < w->joint_count; ++j) {
        const scree_joint_def *def = &w->joint[j].def;
        const joint_pose pose[2] = {kick_pose(s, joint_body(def, 0)), kick_pose(s, joint_body(def, 1))};
        scree_joint_state state = w->joint_state[j];
        int rows = joint_rows(w, j, &pose[0], &pose[1], &state, row);
        for (int k = 0; k < rows; ++k) {
            joint_line *line = &s->line[s->line_count];
            line->joint = j, line->row = row[k];
            if (!make_line(s, def, pose, line)) continue;
            line->place = line->is_limit ? s->limit_count++ : s->bound_count++;
            s->line_count += 1;
        }
    }
    s->psi = s->units.length; /* Newton's method from farther than this is a gamble */
    return SCREE_OK;
}

/* ---- into the problem ------------------------------------------------------------------------------------------------------ */

/// A limit as a contact without friction.
static void limit_contact(const step_context *s, const joint_line *line, units u, scree_rigid_contact *contact)
{
    const scree_joint_def *def = &s->world->joint[line->joint].def;
    memcpy(contact->normal, line->row.b, sizeof(vec3));
    vec_tangent(contact->normal, contact->tangent);
    for (int is_b = 0; is_b < 2; ++is_b) {
        int body = joint_body(def, is_b);
        double *arm = is_b ? contact->arm_b : contact->arm_a;
        joint_pose pose = kick_pose(s, body);
        *(is_b ? &contact->body_b : &contact->body_a) = body >= 0 ? s->column[body] : -1;
        for (int k = 0; k < 3; ++k) arm[k] = (line->row.point[k] - pose.x[k]) / u.length;
    }
}

static void bounded_row(const step_context *s, const joint_line *line, units u, scree_rigid_row *row)
{
    const scree_joint_def *def = &s->world->joint[line->joint].def;
    double per_length = line->row.turns ? 1.0 : 1.0 / u.length;
    row->body_a = joint_body(def, 0) >= 0 ? s->column[joint_body(def, 0)] : -1;
    row->body_b = joint_body(def, 1) >= 0 ? s->column[joint_body(def, 1)] : -1;
    for (int k = 0; k < 3; ++k) {
        row->a[k] = line->row.a[k], row->a[3 + k] = line->row.a[3 + k] * per_length;
        row->b[k] = line->row.b[k], row->b[3 + k] = line->row.b[3 + k] * per_length;
    }
}

void joints_assemble(const step_context *s, units u, scree_rigid_contact *contact, scree_cone *cone,
                     scree_rigid_row *row, double *bound, double *w, double *compliance)
{
    for (int k = 0; k < s->line_count; ++k) {
        const joint_line *line = &s->line[k];
        const scree_joint_def *def = &s->world->joint[line->joint].def;
        int at = line_row(s, line);
        double unit = line_unit(line, u), per_rate = unit / u.mass; /* a load times a rate is an energy in both */
        if (line->is_limit) {
            limit_contact(s, line, u, &contact[s->contact_count + line->place]);
            cone[s->contact_count + line->place] = (scree_cone){{0, 0, 0}, {0.0, 0.0, 0.0}};
        } else {
            bounded_row(s, line, u, &row[line->place]);
            bound[line->place] = line->bound / unit;
        }
        w[at] = per_rate * (driven_rate(s, def, &line->row) + line->e * line->before + line->bias);
        compliance[at] = line->compliance * per_rate * unit;
    }
}

/* ---- what came of it --------------------------------------------------------------------------------------------------------- */

/// The lines of the ledger, where `load` acted on the rates `before` and `after`.
static void close_line(const joint_line *line, double load, double after, double driven, scree_ledger *energy)
{
    double e = line->e, b = line->bias, C = line->compliance, mean = 0.5 * (line->before + after);
    double asked = -e * line->before - b - C * load; /* the rate that the row wanted */
    energy->driven -= load * driven;
    switch (row_kind(&line->row)) {
    case SCREE_JOINT_ROW_FRICTION:
    case SCREE_JOINT_ROW_GRIP:
    case SCREE_JOINT_ROW_GRIP + 1:
    case SCREE_JOINT_ROW_GRIP + 2: energy->joint_friction -= load * mean; return;
    case SCREE_JOINT_ROW_MOTOR: energy->motor += load * mean; return;
    case SCREE_JOINT_ROW_SPRING: energy->joint_spring -= 0.5 * load * (line->before + asked); break;
    case SCREE_JOINT_ROW_LOWER:
    case SCREE_JOINT_ROW_UPPER:
    case SCREE_JOINT_ROW_SWING:
        energy->impact -= 0.5 * load * line->before, energy->stabilisation += 0.5 * load * b;
        break;
    default: energy->joint_drift -= 0.5 * load * (line->before + asked); break;
    }
    energy->solver -= 0.5 * load * (after - asked);
}

/// Adds the load to the reaction of its joint on B.
static void add_reaction(const scree_joint_def *def, const joint_line *line, const joint_pose pose[2], double load,
                         scree_joint_state *state)
{
    int is_b = joint_body(def, 1) >= 0;
    const double *J = is_b ? line->row.b : line->row.a;
    double arm[3], turn[3], sign = is_b ? load : -load;
    vec_sub(line->anchor, pose[is_b].x, arm);
    vec_cross(arm, J, turn);
    for (int k = 0; k < 3; ++k) state->force[k] += sign * J[k], state->moment[k] += sign * (J[3 + k] - turn[k]);
}

scree_status joints_store(step_context *s)
{
    scree_world *w = s->world;
    for (int j = 0; j < w->joint_count; ++j) {
        scree_joint_state *state = &w->joint_state[j];
        memset(state->load, 0, sizeof state->load);
        memset(state->force, 0, sizeof state->force), memset(state->moment, 0, sizeof state->moment);
        state->motor = state->turn_motor = 0.0;
    }
    for (int k = 0; k < s->line_count; ++k) {
        const joint_line *line = &s->line[k];
        const scree_joint_def *def = &w->joint[line->joint].def;
        scree_joint_state *state = &w->joint_state[line->joint];
        double load = s->p[line_row(s, line)] * line_unit(line, s->units), rate = load / s->h;
        const joint_pose pose[2] = {kick_pose(s, joint_body(def, 0)), kick_pose(s, joint_body(def, 1))};
        state->load[line->row.load] = load * line->lever / s->share;
        if (row_kind(&line->row) == SCREE_JOINT_ROW_MOTOR)
            *(line->row.load == SCREE_JOINT_ROW_MOTOR ? &state->motor : &state->turn_motor) = rate;
        add_reaction(def, line, pose, rate, state);
        close_line(line, load, row_rate(def, &line->row, s->after), driven_rate(s, def, &line->row),
                   &s->report->energy);
    }
    return SCREE_OK;
}

/// Where the joints stand at the end of the step.
scree_status joints_measure(step_context *s)
{
    scree_world *w = s->world;
    scree_step_report *report = s->report;
    joint_row row[SCREE_JOINT_ROWS];
    report->joints = w->joint_count, report->joint_error = report->joint_twist = 0.0, report->joint_worst = -1;
    for (int j = 0; j < w->joint_count; ++j) {
        const scree_joint_def *def = &w->joint[j].def;
        scree_joint_state *state = &w->joint_state[j];
        joint_pose a = pose_of(s, joint_body(def, 0), 0.0), b = pose_of(s, joint_body(def, 1), 0.0);
        int rows = joint_rows(w, j, &a, &b, state, row);
        joint_row rate = joint_coordinate_row(w, j, 0, &a, &b);
        state->rate = rows > 0 ? row_rate(def, &rate, s->after) : 0.0;
        if (def->kind == SCREE_JOINT_CYLINDRICAL && rows > 0) {
            rate = joint_coordinate_row(w, j, 1, &a, &b);
            state->turn_rate = row_rate(def, &rate, s->after);
        }
        if (rows > 0 && state->error > report->joint_error) report->joint_error = state->error, report->joint_worst = j;
        if (rows > 0) report->joint_twist = max2(report->joint_twist, state->twist);
    }
    return SCREE_OK;
}
