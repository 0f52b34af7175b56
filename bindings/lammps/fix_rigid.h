/* fix_rigid.h: what the parts of fix scree/rigid share.
 *
 *     fix_rigid.cpp          the script, contacts, the step
 *     fix_rigid_lists.cpp    reactions that are kept, messages, restart, problems that are written */
#ifndef SCREE_LAMMPS_FIX_RIGID_H
#define SCREE_LAMMPS_FIX_RIGID_H

#include "styles.h"

#include "pile.h"
#include "scene_walls.h"

#include <array>
#include <cstring>

namespace scree
{

struct rigid_plane {
    double point[3], normal[3], velocity[3];
    int type; /* whose material it has; 0: that of the sphere */
};

enum { IN, ACROSS };

/// Reactions of a contact with a wall of a scene.
struct wall_entry {
    int atom;
    entry e; /* key: number of the shape; number[8]: its feature, bit by bit */
    bool operator<(const wall_entry &b) const
    {
        if (atom != b.atom) return atom < b.atom;
        if (e.key != b.e.key) return e.key < b.e.key;
        uint64_t feature[2];
        memcpy(&feature[0], &e.history.number[8], sizeof feature[0]);
        memcpy(&feature[1], &b.e.history.number[8], sizeof feature[1]);
        return feature[0] < feature[1];
    }
};

/// The problem of a step in units of the lightest bodies, as in src/rigid/assemble.c: its residual does not depend on the script's units.
struct rigid_units {
    double mass = 1.0, length = 1.0;
};

class FixRigid : public FixLists
{
  public:
    FixRigid(LAMMPS *lmp, int narg, char **arg);
    ~FixRigid() override;
    int setmask() override;
    void init() override;
    void setup(int) override;
    void setup_post_neighbor() override { post_neighbor(); }
    void post_neighbor() override;
    void pre_exchange() override;
    void post_run() override;
    void write_restart(FILE *file) override;
    void restart(char *buffer) override;
    void initial_integrate(int) override;
    double compute_vector(int i) override { return stats[i]; }
    double compute_array(int i, int j) override { return walls.value(i, j); }
    int pack_forward_comm(int n, int *at, double *buffer, int, int *) override;
    void unpack_forward_comm(int n, int from, double *buffer) override;
    int pack_reverse_comm(int n, int from, double *buffer) override;
    void unpack_reverse_comm(int n, int *at, double *buffer) override;

  private:
    /* the script */
    double tolerance = 1e-6, recovery = 0.5, impact_speed = 0.0, reach = 5e-3;
    bool impact_given = false;
    int most = 10000, least = 10, export_every = 0;
    std::string export_prefix;
    std::vector<lmp_coeff> coefficients; /* (types x types) */
    scree_world *materials = nullptr;
    std::vector<rigid_plane> planes;
    SceneWalls walls;

    lmp_pile *pile = nullptr;
    rigid_units units;
    bool valid = false;
    enum { VELOCITIES, SHARES } sends = VELOCITIES;
    /* parallel to the neighbour list, and (planes) per own atom */
    std::vector<int> first;
    std::vector<entry> kept; /* key: 1, it has reactions */
    std::vector<entry> at_plane;
    std::vector<wall_entry> at_wall; /* of the last step, ascending */
    /* of the step */
    std::vector<lmp_body> body;
    std::vector<lmp_touch> touch[LMP_GROUPS];
    std::vector<entry *> slot[LMP_GROUPS];
    std::vector<lmp_shape_touch> wall_touch; /* the last of touch[IN] are theirs */
    std::vector<wall_entry> wall_now;
    std::vector<double> shares;
    std::vector<std::array<double, 6>> change;
    double stats[10] = {0.0}, messages = 0.0, bytes = 0.0;

    void parse(int narg, char **arg);
    bool parse_coefficient(int narg, char **arg, int &k, int type_a, int type_b);
    void parse_plane(int narg, char **arg, int &k);
    void take_numbers(int narg, char **arg, int &k, int count, double *to);
    void take_types(int narg, char **arg, int &k, int count, int *to);
    [[noreturn]] void refuse(const std::string &text);
    [[noreturn]] void failed(const scree_error &why);

    void units_find();
    void impact_find();
    void law_of(int type_a, int type_b, double radius_a, double radius_b, double speed, double gap, lmp_touch &t);
    void start_from(lmp_touch &t, const entry &e) const;
    void bodies();
    void pair_contacts();
    void plane_contacts();
    void wall_contacts();
    void list_walls();
    void count_shares();
    void keep();
    void keep_walls();
    void add_changes();
    double residual(double q2);
    int solve(double q2);
    void finish(int sweeps, double q2);
    void velocities();
    void solve_step();

    void store();
    void gather();
    void write_problem();
    double sum(double mine);
    double largest(double mine);
};

} // namespace scree

#endif
