/* fix_wall.cpp: walls of soft contacts.
 *
 *     fix ID group scree/wall plane TYPE px py pz nx ny nz [motion] [plane ...]         (walls of other shapes: fix_shapes.cpp)
 *         velocity vx vy vz               of the point [m/s]
 *         spin wx wy wz                   about the point [rad/s]
 *         swing ax ay az f phase          adds amplitude sin(2 pi f t + phase)
 *         pressure F gain speed           the plane moves along its normal so that it pushes with F: v.n = gain (F - force on it), |v.n| <= speed
 *
 * The half space below the plane is solid; TYPE is the atom type whose material it has. The functions of motion are those of laws/forcing.h,
 * in the order of src/dem/spheres/bed_forcing.c. f_ID[i][1..3] is the force on plane i, [4..6] the torque about its point, [7..9] where the
 * point is, [10..12] its velocity. */
#include "styles.h"

#include "laws/forcing.h"

#include <lammps/atom.h>
#include <lammps/comm.h>
#include <lammps/error.h>
#include <lammps/force.h>
#include <lammps/modify.h>
#include <lammps/update.h>
#include <lammps/utils.h>

#include <cmath>
#include <cstring>

namespace scree
{

/// What a plane is, and its state: where it is, how it moves in the step to come, and how it came here.
struct wall_state {
    double x[3], q[4], v[3], moved[6], moved_from[4];
};

struct wall_plane {
    int type = 0;
    double velocity[3] = {0.0}, spin[3] = {0.0}, at_zero = 0.0;
    forcing_motion motion{};
    wall_state now{};
    double step[6] = {0.0}; /* velocity and spin of the step to come */
    double felt[6] = {0.0};
};

class FixWall : public FixLists
{
  public:
    FixWall(LAMMPS *lmp, int narg, char **arg);
    ~FixWall() override { lmp_destroy(contacts); }
    int setmask() override;
    void init() override;
    void setup_post_neighbor() override { post_neighbor(); }
    void setup(int vflag) override { post_force(vflag); }
    void pre_exchange() override;
    void post_neighbor() override;
    void post_force(int) override;
    void initial_integrate(int) override;
    void post_run() override;
    void write_restart(FILE *file) override;
    void restart(char *buffer) override;
    void reset_dt() override { init(); }
    double compute_array(int i, int j) override;

  private:
    std::vector<wall_plane> walls;
    PairScree *pair = nullptr;
    lmp_contacts *contacts = nullptr;
    double time = 0.0;
    bigint steps = 0;
    bool valid = false, kept = false;
    void parse(int narg, char **arg);
    void take_numbers(int narg, char **arg, int &k, int count, double *to);
    void place(int p);
    void store(bool before);
    void felt_find();
};

/* ---- the script --------------------------------------------------------------------------------------------------------- */

FixWall::FixWall(LAMMPS *l, int narg, char **arg) : FixLists(l, narg, arg)
{
    restart_global = 1, time_depend = 1;
    array_flag = 1, size_array_cols = 12, global_freq = 1, extarray = 0;
    parse(narg, arg);
    size_array_rows = (int)walls.size();
}

void FixWall::take_numbers(int narg, char **arg, int &k, int count, double *to)
{
    const std::string name = arg[k];
    if (k + count >= narg)
        error->all(FLERR, "fix scree/wall: " + name + " has too few values, expected " + std::to_string(count));
    for (int i = 0; i < count; i++) {
        char *end;
        to[i] = strtod(arg[k + 1 + i], &end);
        if (end == arg[k + 1 + i] || *end || !std::isfinite(to[i]))
            error->all(FLERR, "fix scree/wall: " + name + " is '" + arg[k + 1 + i] + "', expected a number");
    }
    k += count + 1;
}

/// The rotation that turns z to n.
static void rotation_to(const double n[3], double q[4])
{
    const double w = 1.0 + n[2];
    if (w > 1e-12) q[0] = w, q[1] = -n[1], q[2] = n[0], q[3] = 0.0;
    else q[0] = 0.0, q[1] = 1.0, q[2] = q[3] = 0.0;
    const double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) q[k] /= size;
}

/// Point and normal of a plane with this pose.
static void plane_at(const double x[3], const double q[4], double point[3], double normal[3])
{
    const double none[3] = {0.0, 0.0, 0.0}, unit[4] = {1.0, 0.0, 0.0, 0.0};
    double axes[9];
    forcing_plane(x, q, none, unit, point, axes);
    for (int k = 0; k < 3; k++) normal[k] = axes[3 * k + 2];
}

void FixWall::parse(int narg, char **arg)
{
    for (int k = 3; k < narg;) {
        const std::string name = arg[k];
        double n[8];
        if (name == "plane") {
            wall_plane w;
            take_numbers(narg, arg, k, 7, n);
            const double length = sqrt(n[4] * n[4] + n[5] * n[5] + n[6] * n[6]);
            w.type = (int)n[0];
            if (w.type < 1 || w.type > atom->ntypes || w.type != n[0])
                error->all(FLERR,
                           std::string("fix scree/wall: plane has the type ") + arg[k - 7] + ", expected an atom type");
            if (!(length > 0.0)) error->all(FLERR, std::string("fix scree/wall: the normal of a plane is 0"));
            for (int i = 0; i < 3; i++) w.now.x[i] = n[1 + i], n[4 + i] /= length;
            rotation_to(n + 4, w.now.q);
            memcpy(w.now.moved_from, w.now.q, sizeof w.now.q);
            walls.push_back(w);
            continue;
        }
        if (walls.empty()) error->all(FLERR, "fix scree/wall: '" + name + "', expected plane or scene first");
        wall_plane &w = walls.back();
        if (name == "velocity") take_numbers(narg, arg, k, 3, w.velocity);
        else if (name == "spin") take_numbers(narg, arg, k, 3, w.spin);
        else if (name == "swing") {
            take_numbers(narg, arg, k, 5, n);
            memcpy(w.motion.amplitude, n, 3 * sizeof *n), w.motion.frequency = n[3], w.motion.phase = n[4];
        } else if (name == "pressure") {
            double point[3];
            take_numbers(narg, arg, k, 3, n);
            if (!(n[1] > 0.0)) error->all(FLERR, std::string("fix scree/wall: the gain of pressure must be > 0"));
            plane_at(w.now.x, w.now.q, point, w.motion.servo.axis);
            w.motion.servo.force = n[0], w.motion.servo.gain = n[1], w.motion.servo.speed = n[2];
        } else
            error->all(FLERR, "fix scree/wall: unknown argument '" + name +
                                  "', expected plane, velocity, spin, swing or pressure");
    }
    if (walls.empty()) error->all(FLERR, std::string("fix scree/wall: no plane"));
}

int FixWall::setmask()
{
    return FixConst::PRE_EXCHANGE | FixConst::POST_NEIGHBOR | FixConst::POST_FORCE | FixConst::INITIAL_INTEGRATE |
           FixConst::POST_RUN;
}

void FixWall::init()
{
    pair = (PairScree *)force->pair_match("scree", 1);
    if (!pair) error->all(FLERR, std::string("fix scree/wall needs pair_style scree"));
    for (wall_plane &w : walls) {
        w.motion.velocity = {1, 3, &w.at_zero, w.velocity};
        w.motion.spin = {1, 3, &w.at_zero, w.spin};
    }
    lmp_destroy(contacts);
    contacts = lmp_create(pair->law, 2 * pair->types, pair->pairs.data(), update->dt, (int)walls.size(), 0);
    if (!contacts) error->one(FLERR, std::string("fix scree/wall: out of memory"));
    if (steps == 0) time = (double)update->ntimestep * update->dt, steps = update->ntimestep;
}

/* ---- a step ------------------------------------------------------------------------------------------------------------- */

void FixWall::place(int p)
{
    wall_plane &w = walls[(size_t)p];
    double point[3];
    lmp_plane at;
    forcing_velocity(&w.motion, w.now.v, time, update->dt, w.step);
    plane_at(w.now.x, w.now.q, at.point, at.normal), plane_at(w.now.x, w.now.moved_from, point, at.normal_before);
    memcpy(at.v, w.step, sizeof at.v), memcpy(at.omega, w.step + 3, sizeof at.omega); /* it turns about its point */
    memcpy(at.v_before, w.now.moved, sizeof at.v_before),
        memcpy(at.omega_before, w.now.moved + 3, sizeof at.omega_before);
    at.material = pair->types + w.type - 1;
    lmp_set_plane(contacts, p, &at);
}

void FixWall::post_neighbor()
{
    const int own = atom->nlocal;
    double smallest = HUGE_VAL;
    for (int p = 0; p < (int)walls.size(); p++) place(p); /* materials are needed now */
    int fine = lmp_begin(contacts, own, own);
    for (int i = 0; i < own && fine; i++) {
        lmp_sphere(contacts, i, atom->type[i] - 1, atom->radius[i], atom->rmass[i]);
        smallest = std::min(smallest, atom->radius[i]);
    }
    for (int i = 0; i < own && fine; i++)
        for (int p = 0; p < (int)walls.size() && fine && (atom->mask[i] & groupbit); p++) {
            const lmp_history *h = nullptr;
            for (const entry &e : list(i))
                if (e.key == p) h = &e.history;
            fine = lmp_wall(contacts, i, p, h);
        }
    if (fine) fine = lmp_end(contacts, 0.1 * (own > 0 ? smallest : 1.0));
    if (!fine) error->one(FLERR, std::string("fix scree/wall: out of memory"));
    valid = true, kept = false;
}

void FixWall::post_force(int)
{
    const int own = atom->nlocal;
    static const double nothing[3] = {0.0, 0.0, 0.0};
    for (int p = 0; p < (int)walls.size(); p++) place(p);
    int fine = own ? lmp_move(contacts, atom->x[0], atom->v[0], atom->omega[0])
                   : lmp_move(contacts, nothing, nothing, nothing);
    kept = update->setupflag || run_ends(lmp);
    if (kept) fine = fine && lmp_keep(contacts);
    lmp_set_scale(contacts, pair->scale);
    if (!fine || !lmp_loads(contacts, (double)update->ntimestep))
        error->one(FLERR, std::string("fix scree/wall: out of memory"));
    pair->wall_peak = std::max(pair->wall_peak, lmp_peak(contacts));
    for (int i = 0; i < own; i++) {
        const double *f = lmp_force(contacts, i), *t = lmp_torque(contacts, i);
        for (int k = 0; k < 3; k++) atom->f[i][k] += f[k], atom->torque[i][k] += t[k];
    }
    felt_find();
}

/// Coarse and fine parts add up exactly, each by itself, on any number of ranks.
void FixWall::felt_find()
{
    std::vector<double> mine(12 * walls.size()), all(mine.size());
    for (size_t p = 0; p < walls.size(); p++) lmp_plane_load(contacts, (int)p, &mine[12 * p]);
    MPI_Allreduce(mine.data(), all.data(), (int)mine.size(), MPI_DOUBLE, MPI_SUM, world);
    for (size_t p = 0; p < walls.size(); p++)
        for (size_t k = 0; k < 6; k++) walls[p].felt[k] = all[12 * p + k] + all[12 * p + 6 + k];
}

void FixWall::initial_integrate(int)
{
    for (wall_plane &w : walls) {
        memcpy(w.now.moved, w.step, sizeof w.step), memcpy(w.now.moved_from, w.now.q, sizeof w.now.q);
        memcpy(w.now.v, w.step, sizeof w.now.v);
        forcing_move(w.step, update->dt, w.now.x, w.now.q);
        forcing_servo_respond(&w.motion.servo, w.felt, w.now.v);
    }
    time = forcing_time_after(time, steps, update->dt), steps += 1;
}

double FixWall::compute_array(int i, int j)
{
    const wall_plane &w = walls[(size_t)i];
    return j < 6 ? w.felt[j] : j < 9 ? w.now.x[j - 6] : w.step[j - 9];
}

/* ---- histories ---------------------------------------------------------------------------------------------------------- */

void FixWall::store(bool before)
{
    const int count = lmp_count(contacts);
    for (int i = 0; i < atom->nlocal; i++) list(i).clear();
    for (int k = 0; k < count; k++) {
        lmp_contact c;
        if (lmp_contact_at(contacts, k, before, &c)) list(c.i).push_back({(double)c.j, c.history});
    }
    longest();
}

void FixWall::pre_exchange()
{
    if (valid) store(false);
}

void FixWall::post_run()
{
    if (valid) store(kept);
    valid = false;
}

void FixWall::write_restart(FILE *file)
{
    if (valid) store(kept);
    if (comm->me != 0) return;
    std::vector<double> state = {time, (double)steps};
    for (const wall_plane &w : walls) {
        const double *s = (const double *)&w.now;
        state.insert(state.end(), s, s + sizeof w.now / sizeof *s);
    }
    const int size = (int)(state.size() * sizeof(double));
    fwrite(&size, sizeof size, 1, file);
    fwrite(state.data(), sizeof(double), state.size(), file);
}

void FixWall::restart(char *buffer)
{
    double first[2];
    memcpy(first, buffer, sizeof first);
    time = first[0], steps = (bigint)first[1];
    for (size_t p = 0; p < walls.size(); p++)
        memcpy(&walls[p].now, buffer + sizeof first + p * sizeof(wall_state), sizeof(wall_state));
}

Fix *make_wall(LAMMPS *lmp, int narg, char **arg)
{
    if (narg > 3 && strcmp(arg[3], "scene") == 0) return make_shapes(lmp, narg, arg);
    return new FixWall(lmp, narg, arg);
}

} // namespace scree
