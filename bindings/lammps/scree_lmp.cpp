/* scree_lmp.cpp: LAMMPS with scree's styles. Options and scripts are those of `lmp`.
 *
 * `clear` makes LAMMPS forget styles that it does not have itself; the command `scree/styles` after it brings them back. */
#include "styles.h"

#include <lammps/force.h>
#include <lammps/input.h>
#include <lammps/lammps.h>
#include <lammps/modify.h>

namespace scree
{

void register_styles(LAMMPS *lmp)
{
    (*lmp->force->pair_map)["scree"] = &make_pair;
    Modify::FixCreatorMap &fixes = *lmp->modify->fix_map;
    fixes["scree/history"] = &make_history, fixes["scree/nve"] = &make_nve;
    fixes["scree/wall"] = &make_wall, fixes["scree/rigid"] = &make_rigid;
}

class Styles : public Command
{
  public:
    Styles(LAMMPS *lmp) : Command(lmp) {}
    void command(int, char **) override { register_styles(lmp); }
};

static Command *make_styles(LAMMPS *lmp)
{
    return new Styles(lmp);
}

} // namespace scree

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    LAMMPS_NS::LAMMPS *lmp = new LAMMPS_NS::LAMMPS(argc, argv, MPI_COMM_WORLD);
    scree::register_styles(lmp);
    (*lmp->input->command_map)["scree/styles"] = &scree::make_styles;
    lmp->input->file();
    delete lmp;
    MPI_Finalize();
    return 0;
}
