/* fix_rigid.cpp: rigid contacts of spheres over ranks: non-smooth time stepping.                  docs/scale.md, docs/math/stepping.md
 *
 *     fix ID group scree/rigid friction MU [rolling RHO] [spinning SIGMA] [tolerance T] [iterations N] [recovery V]
 *                              [plane px py pz nx ny nz [velocity vx vy vz]] .. [export PREFIX EVERY]
 *
 * A step is that of Anitescu and Tasora: x += h v; v_free = v + h f/m; contacts within reach, u_N >= -gap/h (penetration is pushed out at V at
 * most); law of Coulomb with rolling and spinning; v. The fix moves the atoms: no other integrator. Contacts come from the neighbour list of
 * the pair style, which gives no force (`pair_style zero C` with C a little more than the largest diameter).
 *
 * Sweeps by pile.h, with Nesterov momentum on loads and velocities of all ranks, restarted as in src/solvers/momentum.c: a restart is decided
 * from the sum of dp' W_cc dp over all ranks, 8 bytes a sweep. The residual is Siconos', over all ranks. At the end velocities are computed
 * again from the reactions; what they differ by from those that were swept is the drift.
 *
 * f_ID[1..10]: sweeps of this step, residual, contacts, drift [m/s], worst penetration speed [m/s], worst cone violation, messages and bytes
 * that a rank sends a sweep (mean), sweeps of all steps, steps that did not reach the tolerance. */
#include "styles.h"

#include "pile.h"

#include <lammps/atom.h>
#include <lammps/comm.h>
#include <lammps/error.h>
#include <lammps/force.h>
#include <lammps/neigh_list.h>
#include <lammps/neighbor.h>
#include <lammps/update.h>

#include <array>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace scree
{

struct rigid_plane {
    double point[3], normal[3], velocity[3];
};

enum { IN, ACROSS };

class FixRigid : public FixLists
{
  public:
    FixRigid(LAMMPS *lmp, int narg, char **arg);
    ~FixRigid() override { lmp_pile_destroy(pile); }
    int setmask() override;
    void init() override;
    void setup_post_neighbor() override { post_neighbor(); }
    void post_neighbor() override;
    void pre_exchange() override;
    void post_run() override;
    void write_restart(FILE *file) override;
    void restart(char *buffer) override;
    void initial_integrate(int) override;
    void final_integrate() override;
    double compute_vector(int i) override { return stats[i]; }
    int pack_forward_comm(int n, int *at, double *buffer, int, int *) override;
    void unpack_forward_comm(int n, int from, double *buffer) override;
    int pack_reverse_comm(int n, int from, double *buffer) override;
    void unpack_reverse_comm(int n, int *at, double *buffer) override;

  private:
    double mu = 0.0, rho = 0.0, sigma = 0.0, tolerance = 1e-6, recovery = 0.5;
    int most = 10000, export_every = 0;
    std::string export_prefix;
    std::vector<rigid_plane> planes;
    lmp_pile *pile = nullptr;
    scree_cone cone;
    bool valid = false;
    enum { VELOCITIES, SHARES } sends = VELOCITIES;
    /* parallel to the neighbour list, and (planes) per own atom */
    std::vector<int> first;
    std::vector<entry> kept; /* key: 1, it has loads */
    std::vector<entry> at_plane;
    /* of the step */
    std::vector<lmp_body> body;
    std::vector<lmp_touch> touch[LMP_GROUPS];
    std::vector<entry *> slot[LMP_GROUPS];
    std::vector<double> shares;
    std::vector<std::array<double, 6>> change;
    double stats[10] = {0.0}, messages = 0.0, bytes = 0.0;

    void parse(int narg, char **arg);
    void store();
    void gather();
    void bodies();
    void pair_contacts();
    void plane_contacts();
    void count_shares();
    void keep();
    double sum(double mine);
    double largest(double mine);
    void add_changes();
    double residual(double q2);
    int solve(double q2);
    void finish(int sweeps, double q2);
    void write_problem();
};

/* ---- the script --------------------------------------------------------------------------------------------------------- */

FixRigid::FixRigid(LAMMPS *l, int narg, char **arg) : FixLists(l, narg, arg)
{
    restart_global = 1, time_integrate = 1;
    comm_forward = 6, comm_reverse = 6;
    vector_flag = 1, size_vector = 10, global_freq = 1, extvector = 0;
    parse(narg, arg);
    pile = lmp_pile_create();
    if (!pile) error->one(FLERR, std::string("fix scree/rigid: out of memory"));
    cone = scree_cone_slide_roll_spin(mu, rho, sigma);
    if (!(sigma > 0.0)) cone = rho > 0.0 ? scree_cone_slide_roll(mu, rho) : scree_cone_slide(mu);
    else if (!(rho > 0.0)) cone = scree_cone_slide_spin(mu, sigma);
}

void FixRigid::parse(int narg, char **arg)
{
    auto numbers = [&](int &k, int count, double *to) {
        const std::string name = arg[k];
        if (k + count >= narg)
            error->all(FLERR, "fix scree/rigid: " + name + " has too few values, expected " + std::to_string(count));
        for (int i = 0; i < count; i++) {
            char *end;
            to[i] = strtod(arg[k + 1 + i], &end);
            if (end == arg[k + 1 + i] || *end || !std::isfinite(to[i]))
                error->all(FLERR, "fix scree/rigid: " + name + " is '" + arg[k + 1 + i] + "', expected a number");
        }
        k += count + 1;
    };
    for (int k = 3; k < narg;) {
        const std::string name = arg[k];
        double n[6];
        struct {
            const char *name;
            double *to;
        } single[] = {{"friction", &mu},
                      {"rolling", &rho},
                      {"spinning", &sigma},
                      {"tolerance", &tolerance},
                      {"recovery", &recovery}};
        bool found = false;
        for (auto &s : single)
            if (name == s.name) {
                numbers(k, 1, s.to), found = true;
                if (!(*s.to >= 0.0)) error->all(FLERR, "fix scree/rigid: " + name + " is negative, expected 0 or more");
            }
        if (found) continue;
        if (name == "iterations") {
            numbers(k, 1, n), most = (int)n[0];
            if (most < 1) error->all(FLERR, std::string("fix scree/rigid: iterations is less than 1"));
        } else if (name == "plane") {
            rigid_plane p{};
            numbers(k, 6, n);
            const double size = sqrt(n[3] * n[3] + n[4] * n[4] + n[5] * n[5]);
            if (!(size > 0.0)) error->all(FLERR, std::string("fix scree/rigid: the normal of a plane is 0"));
            for (int i = 0; i < 3; i++) p.point[i] = n[i], p.normal[i] = n[3 + i] / size;
            planes.push_back(p);
        } else if (name == "velocity" && !planes.empty()) numbers(k, 3, planes.back().velocity);
        else if (name == "export" && k + 2 < narg) {
            char *end;
            const long every = strtol(arg[k + 2], &end, 10);
            if (*end || every < 1 || every > INT_MAX)
                error->all(FLERR, std::string("fix scree/rigid: export needs a number of steps, 1 or more"));
            export_prefix = arg[k + 1], export_every = (int)every, k += 3;
        } else
            error->all(FLERR,
                       "fix scree/rigid: unknown argument '" + name +
                           "', expected friction, rolling, spinning, tolerance, iterations, recovery, plane or export");
    }
}

int FixRigid::setmask()
{
    return FixConst::PRE_EXCHANGE | FixConst::POST_NEIGHBOR | FixConst::POST_RUN | FixConst::INITIAL_INTEGRATE |
           FixConst::FINAL_INTEGRATE;
}

void FixRigid::init()
{
    double mine = 0.0;
    if (!force->newton_pair) error->all(FLERR, std::string("fix scree/rigid needs newton on"));
    if (atom->map_style == Atom::MAP_NONE)
        error->all(FLERR, std::string("fix scree/rigid needs atom_modify map array"));
    if (!atom->radius_flag || !atom->rmass_flag)
        error->all(FLERR, std::string("fix scree/rigid needs atom_style sphere"));
    if (!force->pair)
        error->all(FLERR, std::string("fix scree/rigid needs a pair style with a neighbour list, as pair_style zero"));
    for (int i = 0; i < atom->nlocal; i++) mine = std::max(mine, atom->radius[i]);
    if (force->pair->cutforce < 2.0 * largest(mine))
        error->all(FLERR,
                   std::string("fix scree/rigid: the cutoff of the pair style is less than the largest diameter"));
}

/* ---- reactions that are kept -------------------------------------------------------------------------------------------- */

void FixRigid::post_neighbor()
{
    const NeighList *near = force->pair->list;
    int pairs = 0;
    first.assign((size_t)atom->nlocal + (size_t)atom->nghost, 0);
    for (int a = 0; a < near->inum; a++) first[(size_t)near->ilist[a]] = pairs, pairs += near->numneigh[near->ilist[a]];
    kept.assign((size_t)pairs, entry{});
    at_plane.assign((size_t)atom->nlocal * planes.size(), entry{});
    for (int a = 0; a < near->inum; a++) {
        const int i = near->ilist[a];
        for (int b = 0; b < near->numneigh[i]; b++)
            for (const entry &e : list(i))
                if (e.key == (double)atom->tag[near->firstneigh[i][b] & NEIGHMASK])
                    kept[(size_t)first[(size_t)i] + (size_t)b] = {1.0, e.history};
    }
    for (int i = 0; i < atom->nlocal; i++)
        for (const entry &e : list(i))
            if (e.key < 0.0) at_plane[(size_t)i * planes.size() + (size_t)(-e.key - 1.0)] = {1.0, e.history};
    valid = true;
}

void FixRigid::store()
{
    const NeighList *near = force->pair->list;
    const int all = atom->nlocal + atom->nghost;
    room_for(all);
    for (int i = 0; i < all; i++) list(i).clear();
    for (int a = 0; a < near->inum; a++) {
        const int i = near->ilist[a];
        for (int b = 0; b < near->numneigh[i]; b++) {
            const entry &e = kept[(size_t)first[(size_t)i] + (size_t)b];
            const int j = near->firstneigh[i][b] & NEIGHMASK;
            if (!(e.key > 0.0)) continue;
            list(i).push_back({(double)atom->tag[j], e.history});
            list(j).push_back({(double)atom->tag[i], e.history});
        }
    }
    for (int i = 0; i < atom->nlocal; i++)
        for (size_t p = 0; p < planes.size(); p++) {
            const entry &e = at_plane[(size_t)i * planes.size() + p];
            if (e.key > 0.0) list(i).push_back({-(double)p - 1.0, e.history});
        }
    comm_reverse = 1;
    comm->reverse_comm_fix_variable(this);
    comm_reverse = 6;
    longest();
}

void FixRigid::pre_exchange()
{
    if (valid) gather();
}

/// Reverse communication of lists, which vary in size, and of changes use the same functions: `valid` false says lists.
void FixRigid::gather()
{
    valid = false;
    store();
}

void FixRigid::post_run()
{
    if (valid) gather();
}

void FixRigid::write_restart(FILE *file)
{
    if (valid) gather(), valid = true;
    if (comm->me != 0) return;
    const int size = (int)(planes.size() * sizeof(rigid_plane));
    fwrite(&size, sizeof size, 1, file);
    fwrite(planes.data(), sizeof(rigid_plane), planes.size(), file);
}

void FixRigid::restart(char *buffer)
{
    memcpy(planes.data(), buffer, planes.size() * sizeof(rigid_plane));
}

/* ---- messages ----------------------------------------------------------------------------------------------------------- */

int FixRigid::pack_forward_comm(int n, int *at, double *buffer, int, int *)
{
    for (int i = 0; i < n; i++) {
        if (sends == SHARES) memset(buffer + 6 * i, 0, 48), buffer[6 * i] = shares[(size_t)at[i]];
        else memcpy(buffer + 6 * i, lmp_pile_velocity(pile, at[i]), 48);
    }
    messages += 1.0, bytes += 48.0 * n;
    return 6 * n;
}

void FixRigid::unpack_forward_comm(int n, int from, double *buffer)
{
    for (int i = 0; i < n; i++) {
        if (sends == SHARES) shares[(size_t)from + (size_t)i] = buffer[6 * i];
        else memcpy(lmp_pile_velocity(pile, from + i), buffer + 6 * i, 48);
    }
}

int FixRigid::pack_reverse_comm(int n, int from, double *buffer)
{
    if (!valid) return FixLists::pack_reverse_comm(n, from, buffer);
    for (int i = 0; i < n; i++) {
        if (sends == SHARES) memset(buffer + 6 * i, 0, 48), buffer[6 * i] = shares[(size_t)from + (size_t)i];
        else memcpy(buffer + 6 * i, change[(size_t)from + (size_t)i].data(), 48);
    }
    messages += 1.0, bytes += 48.0 * n;
    return 6 * n;
}

void FixRigid::unpack_reverse_comm(int n, int *at, double *buffer)
{
    if (!valid) {
        FixLists::unpack_reverse_comm(n, at, buffer);
        return;
    }
    for (int i = 0; i < n; i++) {
        if (sends == SHARES) shares[(size_t)at[i]] += buffer[6 * i];
        else
            for (int k = 0; k < 6; k++) change[(size_t)at[i]][(size_t)k] += buffer[6 * i + k];
    }
}

double FixRigid::sum(double mine)
{
    double all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, world);
    return all;
}

double FixRigid::largest(double mine)
{
    double all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, world);
    return all;
}

/* ---- a step ------------------------------------------------------------------------------------------------------------- */

void FixRigid::initial_integrate(int)
{
    const double h = update->dt;
    for (int i = 0; i < atom->nlocal; i++)
        for (int k = 0; k < 3; k++) atom->x[i][k] += h * atom->v[i][k];
    for (rigid_plane &p : planes)
        for (int k = 0; k < 3; k++) p.point[k] += h * p.velocity[k];
}

/// Own bodies with their free velocities; those of ghosts come from their owners.
void FixRigid::bodies()
{
    const int own = atom->nlocal, all = own + atom->nghost;
    const double h = update->dt;
    body.assign((size_t)all, lmp_body{});
    for (int i = 0; i < all; i++) {
        const double r = atom->radius[i], m = atom->rmass[i];
        lmp_body &b = body[(size_t)i];
        b.radius = r, b.inv_mass = 1.0 / m, b.inv_inertia = 2.5 / (m * r * r), b.share = 1.0;
        for (int k = 0; k < 3 && i < own; k++)
            b.v[k] = atom->v[i][k] + h * atom->f[i][k] / m, b.v[3 + k] = atom->omega[i][k];
    }
}

/// Reactions of the last step, laid into the tangent plane of now.
static void start_from(lmp_touch &t, const entry &e)
{
    if (!(e.key > 0.0)) return;
    memcpy(t.load, e.history.number, sizeof t.load);
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
            double d[3], speed = 0.0, d2 = 0.0;
            for (int k = 0; k < 3; k++) {
                d[k] = x[j][k] - x[i][k], d2 += d[k] * d[k];
                speed += (v[i][k] - v[partner][k]) * (v[i][k] - v[partner][k]);
            }
            const double length = sqrt(d2), gap = length - R;
            if (gap > 2.0 * h * sqrt(speed) + 5e-3 * R) {
                e.key = 0.0;
                continue;
            }
            const bool up = atom->tag[i] < atom->tag[j];
            const int group = partner < own ? IN : ACROSS;
            lmp_touch t{};
            t.a = up ? i : partner, t.b = up ? partner : i;
            for (int k = 0; k < 3; k++) t.normal[k] = (up ? d[k] : -d[k]) / length;
            t.bias = std::max(gap / h, -recovery);
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
            entry &e = at_plane[(size_t)i * planes.size() + p];
            double gap = -atom->radius[i], speed = 0.0;
            for (int k = 0; k < 3; k++) {
                gap += plane.normal[k] * (atom->x[i][k] - plane.point[k]);
                speed += (atom->v[i][k] - plane.velocity[k]) * (atom->v[i][k] - plane.velocity[k]);
            }
            if (gap > 2.0 * h * sqrt(speed) + 1e-2 * atom->radius[i]) {
                e.key = 0.0;
                continue;
            }
            lmp_touch t{};
            t.a = -1, t.b = i, t.bias = std::max(gap / h, -recovery);
            for (int k = 0; k < 3; k++) t.normal[k] = plane.normal[k], t.velocity[k] = plane.velocity[k];
            start_from(t, e);
            touch[IN].push_back(t), slot[IN].push_back(&e);
        }
}

/// How many ranks have a contact across with each body.
void FixRigid::count_shares()
{
    shares.assign(body.size(), 0.0);
    for (size_t b = 0; b < body.size(); b++) shares[b] = body[b].across;
    sends = SHARES;
    comm->reverse_comm_fix(this), comm->forward_comm_fix(this);
    sends = VELOCITIES;
    for (size_t b = 0; b < body.size(); b++) body[b].share = std::max(shares[b], 1.0);
}

/// What contacts across have changed, from all ranks that have them, to the owners.
void FixRigid::add_changes()
{
    for (size_t b = 0; b < change.size(); b++) lmp_pile_change(pile, (int)b, change[b].data());
    comm->reverse_comm_fix(this);
    for (int b = 0; b < atom->nlocal; b++)
        for (int k = 0; k < 6; k++) lmp_pile_velocity(pile, b)[k] += change[(size_t)b][(size_t)k];
}

double FixRigid::residual(double q2)
{
    double mine[3], all[3];
    comm->forward_comm_fix(this);
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
    while (reached > tolerance && sweeps < most) {
        const double limit = limits[policy], k = limit > 0.0 ? since : 0.0, beta = k / (k + 3.0);
        messages = bytes = 0.0;
        double E = lmp_pile_inside(pile, beta);
        comm->forward_comm_fix(this);
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
    if (!lmp_pile_again(pile)) error->one(FLERR, std::string("fix scree/rigid: out of memory"));
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
    for (int g = 0; g < LMP_GROUPS; g++)
        for (size_t c = 0; c < touch[g].size(); c++) {
            slot[g][c]->key = 1.0;
            memcpy(slot[g][c]->history.number, touch[g][c].load, sizeof touch[g][c].load);
        }
}

void FixRigid::final_integrate()
{
    const int own = atom->nlocal, all = own + atom->nghost;
    for (int g = 0; g < LMP_GROUPS; g++) touch[g].clear(), slot[g].clear();
    bodies();
    pair_contacts(), plane_contacts();
    count_shares();
    /* free velocities of ghosts, by way of an empty pile */
    const int none[LMP_GROUPS] = {0, 0}, count[LMP_GROUPS] = {(int)touch[IN].size(), (int)touch[ACROSS].size()};
    lmp_touch *lists[LMP_GROUPS] = {touch[IN].data(), touch[ACROSS].data()};
    int fine = lmp_pile_begin(pile, cone, all, body.data(), none, lists);
    if (fine) comm->forward_comm_fix(this);
    for (int i = own; i < all && fine; i++) memcpy(body[(size_t)i].v, lmp_pile_velocity(pile, i), 48);
    if (!fine || !lmp_pile_begin(pile, cone, all, body.data(), count, lists))
        error->one(FLERR, std::string("fix scree/rigid: out of memory"));
    change.assign((size_t)all, {});
    add_changes();
    const double q2 = sum(lmp_pile_q2(pile));
    finish(solve(q2), q2);
    keep();
    if (export_every && update->ntimestep % export_every == 0) write_problem();
    for (int i = 0; i < own; i++)
        for (int k = 0; k < 3; k++)
            atom->v[i][k] = lmp_pile_velocity(pile, i)[k], atom->omega[i][k] = lmp_pile_velocity(pile, i)[3 + k];
}

/* ---- export ------------------------------------------------------------------------------------------------------------- */

/// All of it on rank 0, bodies by their tags: PREFIX.STEP.hdf5 and PREFIX.STEP.txt, for `scree solve --certify --warm`.
void FixRigid::write_problem()
{
    auto gather_bytes = [&](const void *mine, size_t size) {
        std::vector<int> sizes((size_t)comm->nprocs), at((size_t)comm->nprocs, 0);
        int own = (int)size;
        MPI_Gather(&own, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, world);
        for (size_t r = 1; r < at.size(); r++) at[r] = at[r - 1] + sizes[r - 1];
        std::vector<char> all((size_t)(at.back() + sizes.back()));
        MPI_Gatherv(mine, own, MPI_CHAR, all.data(), sizes.data(), at.data(), MPI_CHAR, 0, world);
        return all;
    };
    std::vector<lmp_touch> mine;
    std::vector<tagint> tags(atom->tag, atom->tag + atom->nlocal);
    for (const auto &g : touch)
        for (lmp_touch t : g) {
            t.a = t.a < 0 ? -1 : (int)atom->tag[t.a], t.b = (int)atom->tag[t.b];
            mine.push_back(t);
        }
    const std::vector<char> b = gather_bytes(body.data(), (size_t)atom->nlocal * sizeof(lmp_body)),
                            t = gather_bytes(tags.data(), tags.size() * sizeof(tagint)),
                            c = gather_bytes(mine.data(), mine.size() * sizeof(lmp_touch));
    if (comm->me != 0) return;
    const size_t bodies = t.size() / sizeof(tagint);
    const tagint *tag = (const tagint *)t.data();
    std::vector<int> place((size_t)atom->map_tag_max + 1, -1);
    for (size_t k = 0; k < bodies; k++) place[(size_t)tag[k]] = (int)k;
    std::vector<lmp_touch> all((const lmp_touch *)c.data(), (const lmp_touch *)(c.data() + c.size()));
    for (lmp_touch &touching : all) {
        if (touching.a >= 0) touching.a = place[(size_t)touching.a];
        touching.b = place[(size_t)touching.b];
    }
    const std::string name = export_prefix + "." + std::to_string(update->ntimestep);
    scree_error why{};
    if (lmp_pile_write(cone, (int)bodies, (const lmp_body *)b.data(), (int)all.size(), all.data(),
                       (name + ".hdf5").c_str(), (name + ".txt").c_str(), &why) != SCREE_OK)
        error->one(FLERR, "fix scree/rigid: " + name + ": " + why.text);
}

Fix *make_rigid(LAMMPS *lmp, int narg, char **arg)
{
    return new FixRigid(lmp, narg, arg);
}

} // namespace scree
