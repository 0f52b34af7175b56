/* styles.h: scree's styles for LAMMPS. docs/cluster.md says how they are used.
 *
 *     pair_style scree        pair_scree.cpp     soft contacts, models fn and sds
 *     fix scree/history       fix_history.cpp    made by the pair style: what contacts remember travels with the atoms
 *     fix scree/nve           fix_nve.cpp        v += h a, x += h v
 *     fix scree/wall          fix_wall.cpp       planes: fixed, moving, under a force
 *                             fix_shapes.cpp     walls of a scene, of any shape
 *     fix scree/rigid         fix_rigid.cpp      rigid contacts: non-smooth time stepping */
#ifndef SCREE_LAMMPS_STYLES_H
#define SCREE_LAMMPS_STYLES_H

#include "lammps_api.h"

#include "contacts.h"
#include "lists.h"
#include "materials.h"

#include <lammps/pair.h>

#include <string>

namespace scree
{

using namespace LAMMPS_NS;

/// What one end of a contact keeps: `key` names the partner (its tag; of walls, their number).
struct entry {
    double key;
    lmp_history history;
};
using FixLists = FixListsOf<entry>;

class PairScree : public Pair
{
  public:
    PairScree(LAMMPS *lmp);
    ~PairScree() override;
    void compute(int eflag, int vflag) override;
    void settings(int narg, char **arg) override;
    void coeff(int narg, char **arg) override;
    void init_style() override;
    double init_one(int i, int j) override;
    void reset_dt() override { made = false; }

    bed_law law = BED_TRACKED;
    std::vector<bed_pair> pairs; /* (2 types)^2, walls behind spheres */
    lmp_contacts *contacts = nullptr;
    double scale = 0.0;     /* of exact sums, in the last loads                        */
    double wall_peak = 0.0; /* largest normal force at walls since the scale was set last */
    int types = 0;

    void list_begin();     /* the neighbour list is new: blocks, with histories from the fix */
    void store(bool kept); /* histories to the fix; `kept` as in lmp_contact_at */

  private:
    bool ledger = false, made = false;
    std::vector<lmp_coeff> coefficients;
    std::vector<double> largest;
    double sums[11] = {0.0};
    class FixHistory *history = nullptr;
    void allocate();
    bool within(int i, int j, double skin) const;
    double peak = 0.0; /* largest normal force of pairs in the last loads */
    void make();
    void follow();
    [[noreturn]] void refuse(const std::string &text);
};

class FixHistory : public FixLists
{
  public:
    FixHistory(LAMMPS *lmp, int narg, char **arg) : FixLists(lmp, narg, arg) { restart_global = 1; }
    int setmask() override;
    void pre_exchange() override;
    void post_neighbor() override;
    void setup_post_neighbor() override { post_neighbor(); }
    void post_run() override;
    void write_restart(FILE *file) override;
    void restart(char *buffer) override;
    void gather(); /* what ghosts have goes to their owners */
    PairScree *pair = nullptr;
    bool valid = false; /* the pair style holds the newest histories */
    bool kept = false;  /* and those before its last loads       */
    double restart_scale = 0.0;
};

Pair *make_pair(LAMMPS *lmp);
Fix *make_history(LAMMPS *lmp, int narg, char **arg);
Fix *make_nve(LAMMPS *lmp, int narg, char **arg);
Fix *make_wall(LAMMPS *lmp, int narg, char **arg);
Fix *make_shapes(LAMMPS *lmp, int narg, char **arg);
Fix *make_rigid(LAMMPS *lmp, int narg, char **arg);
void register_styles(LAMMPS *lmp);

} // namespace scree

#endif
