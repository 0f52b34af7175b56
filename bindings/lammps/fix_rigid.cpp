/* fix_rigid.cpp: rigid contacts of spheres over ranks: non-smooth time stepping.                  docs/scale.md, docs/math/stepping.md
 *
 *     fix ID all scree/rigid COEFFICIENT.. [between I J COEFFICIENT..].. [tolerance T] [iterations N] [minimum N] [recovery V] [impact_speed V] [reach S]
 *                            [plane px py pz nx ny nz [velocity vx vy vz] [type T]].. [scene FILE [planes no]] [export PREFIX EVERY]
 *     COEFFICIENT            friction MU, rolling RHO, spinning SIGMA (also .._ratio, .._reduced), restitution E
 *
 * A step is that of Anitescu and Tasora, as in src/rigid/anitescu_tasora.c: v_free = v + h f/m; contacts within reach, u_N >= -gap/h (penetration
 * is pushed out at V at most; an impact faster than impact_speed has e u_N in place of gap/h); law of Coulomb with rolling and spinning; v;
 * x += h v. All of it is done at the beginning of LAMMPS' step, from the forces of the last one, so that a run and `scree run` go the same
 * way. The fix moves the atoms: no other integrator. Contacts come from the neighbour list of the pair style, which gives no force
 * (`pair_style zero C` with C a little more than the largest diameter), and from walls of a scene (shapes.h).
 *
 * Sweeps by pile.h, with Nesterov momentum on loads and velocities of all ranks, restarted as in src/solvers/momentum.c: a restart is decided
 * from the sum of dp' W_cc dp over all ranks, 8 bytes a sweep. The residual is Siconos', over all ranks. At the end velocities are computed
 * again from the reactions; what they differ by from those that were swept is the drift.
 *
 * f_ID[1..10]: sweeps of this step, residual, contacts, drift [m/s], worst penetration speed [m/s], worst cone violation, messages and bytes
 * that a rank sends a sweep (mean), sweeps of all steps, steps that did not reach the tolerance. f_ID[i][1..12]: walls of the scene, as in
 * fix_shapes.cpp. */
#include "fix_rigid.h"

#include <lammps/atom.h>
#include <lammps/comm.h>
#include <lammps/error.h>
#include <lammps/force.h>
#include <lammps/neigh_list.h>
#include <lammps/neighbor.h>
#include <lammps/update.h>
#include <lammps/utils.h>

#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace scree
{

/* ---- the script --------------------------------------------------------------------------------------------------------- */

FixRigid::FixRigid(LAMMPS *l, int narg, char **arg) : FixLists(l, narg, arg)
{
    scree_error why{};
    restart_global = 1, time_integrate = 1, time_depend = 1;
    comm_forward = 6, comm_reverse = 6;
    vector_flag = 1, size_vector = 10, global_freq = 1, extvector = extarray = 0;
    if (igroup != 0) refuse("it moves all spheres, expected the group all");
    coefficients.assign((size_t)atom->ntypes * (size_t)atom->ntypes, lmp_coeff_default());
    parse(narg, arg);
    array_flag = walls.shapes != nullptr, size_array_cols = 12, size_array_rows = walls.count();
    materials = lmp_rigid_materials(atom->ntypes, coefficients.data(), &why);
    if (!materials) failed(why);
    pile = lmp_pile_create();
    if (!pile) failed(why);
}

FixRigid::~FixRigid()
{
    lmp_pile_destroy(pile);
    scree_world_destroy(materials);
}

void FixRigid::refuse(const std::string &text)
{
    error->all(FLERR, "fix scree/rigid: " + text);
}

void FixRigid::failed(const scree_error &why)
{
    error->one(FLERR, std::string("fix scree/rigid: ") + (why.text[0] ? why.text : "out of memory"));
}

void FixRigid::take_numbers(int narg, char **arg, int &k, int count, double *to)
{
    const std::string name = arg[k];
    if (k + count >= narg) refuse(name + " has too few values, expected " + std::to_string(count));
    for (int i = 0; i < count; i++) {
        char *end;
        to[i] = strtod(arg[k + 1 + i], &end);
        if (end == arg[k + 1 + i] || *end || !std::isfinite(to[i]))
            refuse(name + " is '" + arg[k + 1 + i] + "', expected a number");
    }
    k += count + 1;
}

void FixRigid::take_types(int narg, char **arg, int &k, int count, int *to)
{
    const std::string name = arg[k];
    double n[2];
    const int at = k;
    take_numbers(narg, arg, k, count, n);
    for (int i = 0; i < count; i++) {
        to[i] = (int)n[i];
        if (to[i] < 1 || to[i] > atom->ntypes || to[i] != n[i])
            refuse(name + " is '" + arg[at + 1 + i] + "', expected an atom type");
    }
}

/// Of two types, or (type_a 0) of all with themselves; others are mixed. False: it is none of a material's.
bool FixRigid::parse_coefficient(int narg, char **arg, int &k, int type_a, int type_b)
{
    const int types = atom->ntypes;
    const char *nearest;
    if (!lmp_coeff_is_rigid(arg[k])) return false;
    if (k + 1 >= narg) refuse(std::string(arg[k]) + " has too few values, expected 1");
    for (int t = 0; t < (type_a ? 1 : types); t++) {
        const int a = type_a ? std::min(type_a, type_b) - 1 : t, b = type_a ? std::max(type_a, type_b) - 1 : t;
        lmp_coeff &c = coefficients[(size_t)a * (size_t)types + (size_t)b];
        if (lmp_coeff_set(&c, arg[k], arg[k + 1], &nearest) <= 0)
            refuse(std::string(arg[k]) + " is '" + arg[k + 1] + "', expected " + lmp_coeff_range(arg[k]));
        c.given = 1;
    }
    k += 2;
    return true;
}

void FixRigid::parse_plane(int narg, char **arg, int &k)
{
    rigid_plane p{};
    double n[6];
    take_numbers(narg, arg, k, 6, n);
    const double size = sqrt(n[3] * n[3] + n[4] * n[4] + n[5] * n[5]);
    if (!(size > 0.0)) refuse("the normal of a plane is 0");
    for (int i = 0; i < 3; i++) p.point[i] = n[i], p.normal[i] = n[3 + i] / size;
    for (;;) {
        if (k < narg && strcmp(arg[k], "velocity") == 0) take_numbers(narg, arg, k, 3, p.velocity);
        else if (k < narg && strcmp(arg[k], "type") == 0) take_types(narg, arg, k, 1, &p.type);
        else break;
    }
    planes.push_back(p);
}

void FixRigid::parse(int narg, char **arg)
{
    int types[2] = {0, 0};
    for (int k = 3; k < narg;) {
        const std::string name = arg[k];
        const struct {
            const char *name;
            double *to;
        } numbers[] = {
            {"tolerance", &tolerance}, {"recovery", &recovery}, {"impact_speed", &impact_speed}, {"reach", &reach}};
        const struct {
            const char *name;
            int *to, low;
        } counts[] = {{"iterations", &most, 1}, {"minimum", &least, 0}};
        bool found = parse_coefficient(narg, arg, k, types[0], types[1]);
        for (auto &n : numbers)
            if (!found && name == n.name) {
                take_numbers(narg, arg, k, 1, n.to), found = true;
                impact_given = impact_given || n.to == &impact_speed;
                if (!(*n.to >= 0.0)) refuse(name + " is negative, expected 0 or more");
            }
        for (auto &n : counts)
            if (!found && name == n.name) {
                double value;
                take_numbers(narg, arg, k, 1, &value), found = true;
                if (!(value >= n.low && value <= INT_MAX))
                    refuse(name + " is '" + arg[k - 1] + "', expected " + std::to_string(n.low) + " or more");
                *n.to = (int)value;
            }
        if (found) continue;
        if (name == "between") take_types(narg, arg, k, 2, types);
        else if (name == "plane") parse_plane(narg, arg, k);
        else if (name == "scene" && !walls.shapes) {
            const std::string why = walls.read(narg, arg, ++k, atom->ntypes, update);
            if (!why.empty()) refuse(why);
        } else if (name == "export" && k + 2 < narg) {
            char *end;
            const long every = strtol(arg[k + 2], &end, 10);
            if (*end || every < 1 || every > INT_MAX) refuse("export needs a number of steps, 1 or more");
            export_prefix = arg[k + 1], export_every = (int)every, k += 3;
        } else
            refuse("unknown argument '" + name +
                   "', expected friction, rolling, spinning, restitution, between, tolerance, iterations, minimum, "
                   "recovery, impact_speed, reach, plane, scene or export");
    }
}

int FixRigid::setmask()
{
    return FixConst::PRE_EXCHANGE | FixConst::POST_NEIGHBOR | FixConst::POST_RUN | FixConst::INITIAL_INTEGRATE;
}

void FixRigid::init()
{
    double mine = 0.0;
    if (!force->newton_pair) refuse("needs newton on");
    if (atom->map_style == Atom::MAP_NONE) refuse("needs atom_modify map array");
    if (!atom->radius_flag || !atom->rmass_flag) refuse("needs atom_style sphere");
    if (comm->ghost_velocity == 0) refuse("needs comm_modify vel yes");
    if (!force->pair) refuse("needs a pair style with a neighbour list, as pair_style zero");
    for (int i = 0; i < atom->nlocal; i++) mine = std::max(mine, atom->radius[i]);
    if (force->pair->cutforce < 2.0 * largest(mine))
        refuse("the cutoff of the pair style is less than the largest diameter");
    const std::string why = walls.begin(update);
    if (!why.empty()) refuse(why);
}

static double power_of_two(double x)
{
    int e;
    (void)frexp(x, &e);
    return ldexp(1.0, e - 1);
}

void FixRigid::units_find()
{
    double mine[3] = {(double)atom->nlocal, 0.0, 0.0}, all[3];
    for (int i = 0; i < atom->nlocal; i++) {
        const double m = atom->rmass[i], r = atom->radius[i];
        mine[1] += 1.0 / m, mine[2] += 2.5 / (m * r * r);
    }
    MPI_Allreduce(mine, all, 3, MPI_DOUBLE, MPI_SUM, world);
    if (!(all[0] > 0.0)) return;
    units.mass = power_of_two(all[0] / all[1]), units.length = power_of_two(sqrt(all[1] / all[2]));
}

void FixRigid::setup(int)
{
    units_find();
    if (!impact_given) impact_speed = -1.0; /* found from the forces of the first step */
}

/// Twice what forces change of a velocity in a step: what rests must not rattle on that (docs/math/stepping.md).
void FixRigid::impact_find()
{
    double most2 = 0.0;
    for (int i = 0; i < atom->nlocal; i++) {
        double f2 = 0.0;
        for (int k = 0; k < 3; k++) f2 += atom->f[i][k] * atom->f[i][k];
        most2 = std::max(most2, f2 / (atom->rmass[i] * atom->rmass[i]));
    }
    impact_speed = 2.0 * update->dt * largest(sqrt(most2));
}

/* ---- contacts ----------------------------------------------------------------------------------------------------------- */

/// Own bodies with their free velocities; those of ghosts come from their owners.
void FixRigid::bodies()
{
    const int own = atom->nlocal, all = own + atom->nghost;
    const double h = update->dt, length = units.length;
    body.assign((size_t)all, lmp_body{});
    for (int i = 0; i < all; i++) {
        const double r = atom->radius[i], m = atom->rmass[i], turn = 2.5 / (m * r * r);
        lmp_body &b = body[(size_t)i];
        b.inv_mass = units.mass / m, b.inv_inertia = turn * units.mass * length * length, b.share = 1.0;
        for (int k = 0; k < 3 && i < own; k++) {
            b.v[k] = atom->v[i][k] + h * atom->f[i][k] / m;
            b.v[3 + k] = (atom->omega[i][k] + h * atom->torque[i][k] * turn) * length;
        }
    }
}

/// Cone and bias of a contact whose gap closes with `speed`.
void FixRigid::law_of(int type_a, int type_b, double radius_a, double radius_b, double speed, double gap, lmp_touch &t)
{
    double e;
    lmp_rigid_law(materials, type_a - 1, type_b - 1, radius_a, radius_b, &t.cone, &e);
    const double h = update->dt;
    const bool impact = e > 0.0 && speed > impact_speed && gap - h * speed <= 0.0;
    t.bias = impact ? -e * speed : std::max(gap / h, -recovery);
}

/// Reactions of the last step, laid into the tangent plane of now, and what has a length into units of the problem.
void FixRigid::start_from(lmp_touch &t, const entry &e) const
{
    const double per_load = 1.0 / units.mass, per_moment = per_load / units.length;
    t.cone.coef[SCREE_FRICTION_ROLL] /= units.length, t.cone.coef[SCREE_FRICTION_SPIN] /= units.length;
    t.arm[0] /= units.length, t.arm[1] /= units.length;
    for (int k = 3; k < 6; k++) t.velocity[k] *= units.length;
    if (!(e.key > 0.0)) return;
    for (int k = 0; k < LMP_LOAD; k++) t.load[k] = e.history.number[k] * (k < 4 ? per_load : per_moment);
    for (int at = 1; at < 7; at += 3) {
        double along = 0.0;
        for (int k = 0; k < 3; k++) along += t.load[at + k] * t.normal[k];
        for (int k = 0; k < 3; k++) t.load[at + k] -= along * t.normal[k];
    }
}

/// One copy of each body per rank; from the lower tag to the higher.
void FixRigid::pair_contacts()
{
    const NeighList *near = force->pair->list;
    const int own = atom->nlocal;
    const double h = update->dt;
    double **x = atom->x, **v = atom->v;
    for (int a = 0; a < near->inum; a++) {
        const int i = near->ilist[a];
        for (int b = 0; b < near->numneigh[i]; b++) {
            entry &e = kept[(size_t)first[(size_t)i] + (size_t)b];
            const int j = near->firstneigh[i][b] & NEIGHMASK, partner = atom->map(atom->tag[j]);
            const double R = atom->radius[i] + atom->radius[j];
            double d[3], speed = 0.0, d2 = 0.0, closing = 0.0;
            for (int k = 0; k < 3; k++) {
                const double u = v[i][k] - v[partner][k];
                d[k] = x[j][k] - x[i][k], d2 += d[k] * d[k];
                speed += u * u, closing += u * d[k];
            }
            const double length = sqrt(d2), gap = length - R;
            if (gap > 2.0 * h * sqrt(speed) + reach * R) {
                e.key = 0.0;
                continue;
            }
            const bool up = atom->tag[i] < atom->tag[j];
            const int group = partner < own ? IN : ACROSS;
            lmp_touch t{};
            t.a = up ? i : partner, t.b = up ? partner : i;
            for (int k = 0; k < 3; k++) t.normal[k] = (up ? d[k] : -d[k]) / length;
            t.arm[0] = atom->radius[up ? i : j] + 0.5 * gap, t.arm[1] = atom->radius[up ? j : i] + 0.5 * gap;
            law_of(atom->type[i], atom->type[j], atom->radius[i], atom->radius[j], closing / length, gap, t);
            start_from(t, e);
            if (group == ACROSS) body[(size_t)i].across = body[(size_t)partner].across = 1;
            touch[group].push_back(t), slot[group].push_back(&e);
        }
    }
}

void FixRigid::plane_contacts()
{
    const double h = update->dt;
    for (int i = 0; i < atom->nlocal; i++)
        for (size_t p = 0; p < planes.size(); p++) {
            const rigid_plane &plane = planes[p];
            const double *v = atom->v[i], r = atom->radius[i];
            entry &e = at_plane[(size_t)i * planes.size() + p];
            double gap = -r, speed = 0.0, closing = 0.0;
            for (int k = 0; k < 3; k++) {
                const double u = v[k] - plane.velocity[k];
                gap += plane.normal[k] * (atom->x[i][k] - plane.point[k]);
                speed += u * u, closing -= u * plane.normal[k];
            }
            if (gap > 2.0 * h * sqrt(speed) + 2.0 * reach * r) {
                e.key = 0.0;
                continue;
            }
            lmp_touch t{};
            t.a = -1, t.b = i, t.arm[1] = r + 0.5 * gap;
            for (int k = 0; k < 3; k++) t.normal[k] = plane.normal[k], t.velocity[k] = plane.velocity[k];
            law_of(plane.type ? plane.type : atom->type[i], atom->type[i], HUGE_VAL, r, closing, gap, t);
            start_from(t, e);
            touch[IN].push_back(t), slot[IN].push_back(&e);
        }
}

/// Spheres near walls, anew with each list.
void FixRigid::list_walls()
{
    scree_error why{};
    const lmp_spheres b = walls.balls(atom, groupbit);
    if (!lmp_shapes_list(walls.shapes, &b, neighbor->skin, &why)) failed(why);
}

/// Contacts with walls of the scene are the last of touch[IN], in the order of wall_now.
void FixRigid::wall_contacts()
{
    scree_error why{};
    wall_touch.clear(), wall_now.clear();
    if (!walls.shapes) return;
    const lmp_spheres balls = walls.balls(atom, groupbit);
    if (lmp_shapes_used(walls.shapes, &balls)) list_walls();
    if (!lmp_shapes_touch(walls.shapes, &balls, &why)) failed(why);
    for (int k = 0; k < lmp_shapes_touches(walls.shapes); k++) {
        lmp_shape_touch w;
        lmp_touch t{};
        lmp_shapes_touch_at(walls.shapes, k, &w);
        double closing = 0.0;
        for (int i = 0; i < 3; i++) closing += w.normal[i] * (w.velocity[i] - atom->v[w.sphere][i]);
        t.a = -1, t.b = w.sphere, t.arm[1] = atom->radius[w.sphere] + 0.5 * w.gap, t.cone = w.cone;
        memcpy(t.normal, w.normal, sizeof t.normal), memcpy(t.velocity, w.velocity, sizeof t.velocity);
        const bool impact = w.restitution > 0.0 && closing > impact_speed && w.gap - update->dt * closing <= 0.0;
        t.bias = impact ? -w.restitution * closing : std::max(w.gap / update->dt, -recovery);
        wall_entry now{w.sphere, {(double)w.shape, lmp_history{}}};
        memcpy(&now.e.history.number[8], &w.feature, sizeof w.feature);
        const auto before = std::lower_bound(at_wall.begin(), at_wall.end(), now);
        entry from{0.0, {}};
        if (before != at_wall.end() && !(now < *before)) from = {1.0, before->e.history};
        start_from(t, from);
        touch[IN].push_back(t), slot[IN].push_back(nullptr);
        wall_touch.push_back(w), wall_now.push_back(now);
    }
}

/// How many ranks have a contact across with each body.
void FixRigid::count_shares()
{
    shares.assign(body.size(), 0.0);
    for (size_t b = 0; b < body.size(); b++) shares[b] = body[b].across;
    sends = SHARES;
    fix_reverse(comm, this, 0), fix_forward(comm, this, 0);
    sends = VELOCITIES;
    for (size_t b = 0; b < body.size(); b++) body[b].share = std::max(shares[b], 1.0);
}

/* ---- a step ------------------------------------------------------------------------------------------------------------- */

/// What contacts across have changed, from all ranks that have them, to the owners.
void FixRigid::add_changes()
{
    for (size_t b = 0; b < change.size(); b++) lmp_pile_change(pile, (int)b, change[b].data());
    fix_reverse(comm, this, 0);
    for (int b = 0; b < atom->nlocal; b++)
        for (int k = 0; k < 6; k++) lmp_pile_velocity(pile, b)[k] += change[(size_t)b][(size_t)k];
}

double FixRigid::residual(double q2)
{
    double mine[3], all[3];
    fix_forward(comm, this, 0);
    lmp_pile_check(pile, mine);
    MPI_Allreduce(mine, all, 3, MPI_DOUBLE, MPI_SUM, world);
    const double scale = sqrt(std::max(q2, std::max(all[1], all[2])));
    return scale < 2.2e-16 ? sqrt(all[0]) : sqrt(all[0]) / scale;
}

/// Returns the number of sweeps. Restart and change of policy: src/solvers/momentum.c.
int FixRigid::solve(double q2)
{
    static const double limits[] = {3.0, 4.0, 2.0, 1.5, 0.0};
    int sweeps = 0, since = 0, policy = 0, next = 1, changed = 0, patience = 300;
    double lowest = HUGE_VAL, best = HUGE_VAL, mark = HUGE_VAL, reached = residual(q2), sent[2] = {0.0, 0.0};
    const int minimum = reached > 0.0 ? least : 0;
    while ((reached > tolerance || sweeps < minimum) && sweeps < most) {
        const double limit = limits[policy], k = limit > 0.0 ? since : 0.0, beta = k / (k + 3.0);
        messages = bytes = 0.0;
        double E = lmp_pile_inside(pile, beta);
        fix_forward(comm, this, 0);
        E += lmp_pile_across(pile, beta);
        add_changes();
        E = sum(E);
        sent[0] += messages, sent[1] += bytes;
        sweeps++, since++;
        if (E < lowest) lowest = E;
        else if (E > limit * limit * lowest) since = 0, lowest = E;
        if (sweeps < next && sweeps < most) continue;
        reached = residual(q2), best = std::min(best, reached);
        if (best < 0.5 * mark) mark = best, changed = sweeps;
        if (sweeps - changed > patience) {
            policy = (policy + 1) % 5, changed = sweeps, since = 0, lowest = HUGE_VAL;
            if (policy == 0) patience *= 2;
        }
        next = sweeps + (sweeps < 20 ? 1 : sweeps < 250 ? 5 : sweeps / 50);
    }
    stats[1] = reached;
    stats[6] = sweeps ? sum(sent[0]) / sweeps / comm->nprocs : 0.0;
    stats[7] = sweeps ? sum(sent[1]) / sweeps / comm->nprocs : 0.0;
    return sweeps;
}

/// Velocities from the reactions, what they differ by, and what they are worth.
void FixRigid::finish(int sweeps, double q2)
{
    const int own = atom->nlocal;
    std::vector<std::array<double, 6>> swept((size_t)own);
    for (int b = 0; b < own; b++) memcpy(swept[(size_t)b].data(), lmp_pile_velocity(pile, b), 48);
    if (!lmp_pile_again(pile)) failed({});
    add_changes();
    double drift = 0.0, worst[2];
    for (int b = 0; b < own; b++)
        for (int k = 0; k < 6; k++)
            drift = std::max(drift, fabs(lmp_pile_velocity(pile, b)[k] - swept[(size_t)b][(size_t)k]));
    stats[1] = residual(q2); /* of the velocities that the atoms get; and ghosts have them */
    lmp_pile_loads(pile);
    lmp_pile_certify(pile, worst);
    stats[0] = sweeps, stats[2] = sum((double)(touch[IN].size() + touch[ACROSS].size())), stats[3] = largest(drift);
    stats[4] = largest(worst[0]), stats[5] = largest(worst[1]), stats[8] += sweeps;
    if (!(stats[1] <= tolerance)) stats[9] += 1.0;
}

void FixRigid::keep()
{
    const double load = units.mass, moment = units.mass * units.length;
    size_t wall = 0;
    for (int g = 0; g < LMP_GROUPS; g++)
        for (size_t c = 0; c < touch[g].size(); c++) {
            entry *to = slot[g][c] ? slot[g][c] : &wall_now[wall++].e;
            if (slot[g][c]) to->key = 1.0;
            for (int k = 0; k < LMP_LOAD; k++) to->history.number[k] = touch[g][c].load[k] * (k < 4 ? load : moment);
        }
    if (walls.shapes) keep_walls();
}

/// Forces of this step on walls of the scene, and reactions for the next.
void FixRigid::keep_walls()
{
    const double per_step = 1.0 / update->dt;
    std::vector<double> mine(6 * (size_t)walls.count(), 0.0), all(mine.size());
    for (size_t c = 0; c < wall_touch.size(); c++) {
        const lmp_shape_touch &w = wall_touch[c];
        const double *r = wall_now[c].e.history.number, *at = lmp_shapes_state(walls.shapes, w.wall)->x;
        double *on = &mine[6 * (size_t)w.wall], f[3], arm[3];
        for (int k = 0; k < 3; k++) f[k] = -(r[0] * w.normal[k] + r[1 + k]) * per_step, arm[k] = w.position[k] - at[k];
        for (int k = 0; k < 3; k++) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            on[k] += f[k], on[3 + k] += arm[i] * f[j] - arm[j] * f[i] - (r[4 + k] + r[7] * w.normal[k]) * per_step;
        }
    }
    MPI_Allreduce(mine.data(), all.data(), (int)mine.size(), MPI_DOUBLE, MPI_SUM, world);
    for (int k = 0; k < walls.count(); k++) {
        double parts[12] = {0.0};
        memcpy(parts, &all[6 * (size_t)k], 6 * sizeof *parts);
        lmp_shapes_felt_set(walls.shapes, k, parts);
    }
    at_wall.swap(wall_now);
    std::sort(at_wall.begin(), at_wall.end());
}

void FixRigid::velocities()
{
    for (int i = 0; i < atom->nlocal; i++)
        for (int k = 0; k < 3; k++)
            atom->v[i][k] = lmp_pile_velocity(pile, i)[k],
            atom->omega[i][k] = lmp_pile_velocity(pile, i)[3 + k] / units.length;
}

void FixRigid::solve_step()
{
    const int own = atom->nlocal, all = own + atom->nghost;
    for (int g = 0; g < LMP_GROUPS; g++) touch[g].clear(), slot[g].clear();
    if (impact_speed < 0.0) impact_find();
    bodies();
    pair_contacts(), plane_contacts(), wall_contacts();
    count_shares();
    /* free velocities of ghosts, by way of an empty pile */
    const int none[LMP_GROUPS] = {0, 0}, count[LMP_GROUPS] = {(int)touch[IN].size(), (int)touch[ACROSS].size()};
    lmp_touch *lists[LMP_GROUPS] = {touch[IN].data(), touch[ACROSS].data()};
    int fine = lmp_pile_begin(pile, all, body.data(), none, lists);
    if (fine) fix_forward(comm, this, 0);
    for (int i = own; i < all && fine; i++) memcpy(body[(size_t)i].v, lmp_pile_velocity(pile, i), 48);
    if (!fine || !lmp_pile_begin(pile, all, body.data(), count, lists)) failed({});
    change.assign((size_t)all, {});
    add_changes();
    const double q2 = sum(lmp_pile_q2(pile));
    finish(solve(q2), q2);
    if (export_every && update->ntimestep % export_every == 0) write_problem();
    keep();
    velocities();
}

void FixRigid::initial_integrate(int)
{
    const double h = update->dt;
    solve_step();
    for (int i = 0; i < atom->nlocal; i++)
        for (int k = 0; k < 3; k++) atom->x[i][k] += h * atom->v[i][k];
    for (rigid_plane &p : planes)
        for (int k = 0; k < 3; k++) p.point[k] += h * p.velocity[k];
    if (walls.shapes) lmp_shapes_move(walls.shapes);
}

Fix *make_rigid(LAMMPS *lmp, int narg, char **arg)
{
    return new FixRigid(lmp, narg, arg);
}

} // namespace scree
