/* scene_walls.h: the fixed and driven bodies of a scene (shapes.h) as the walls of a fix: fix_shapes.cpp, fix_rigid.cpp. */
#ifndef SCREE_LAMMPS_SCENE_WALLS_H
#define SCREE_LAMMPS_SCENE_WALLS_H

#include "lammps_api.h"

#include "shapes.h"

#include <lammps/atom.h>
#include <lammps/update.h>

#include <string>
#include <vector>

namespace scree
{

using namespace LAMMPS_NS;

class SceneWalls
{
  public:
    ~SceneWalls() { lmp_shapes_destroy(shapes); }
    lmp_shapes *shapes = nullptr; /* nullptr: there are none */

    /// FILE [planes yes|no] from arg[k] on, which moves behind them. Returns why it was refused, or "".
    std::string read(int narg, char **arg, int &k, int types, const Update *update);
    /// Before a run. Returns as `read`.
    std::string begin(const Update *update);
    int count() const { return shapes ? lmp_shapes_walls(shapes) : 0; }
    /// Own spheres as they are. Those that are not of the group have no radius.
    lmp_spheres balls(const Atom *atom, int groupbit);
    /// Time and walls as so many numbers, behind what `state` has; and back.
    size_t numbers() const;
    void put(std::vector<double> &state) const;
    void take(const double *state);
    /// Column j of row i: force, torque, position, velocity.
    double value(int i, int j) const;

  private:
    bool restarted = false;
    double step = 0.0;
    std::vector<double> radius;
    std::vector<int> material;
};

} // namespace scree

#endif
