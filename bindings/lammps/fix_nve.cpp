/* fix_nve.cpp: fix ID group scree/nve: v += h a, omega += h T/I, x += h v: the scheme of scree's soft contacts. Forces see the velocities that
 * have moved the bodies, also at the beginning of a run: a run that is interrupted goes on with the same bits. */
#include "styles.h"

#include <lammps/atom.h>
#include <lammps/update.h>

namespace scree
{

class FixNve : public Fix
{
  public:
    FixNve(LAMMPS *l, int narg, char **arg) : Fix(l, narg, arg) { time_integrate = 1; }
    int setmask() override { return FixConst::INITIAL_INTEGRATE; }

    void initial_integrate(int) override
    {
        const double h = update->dt;
        for (int i = 0; i < atom->nlocal; i++) {
            if (!(atom->mask[i] & groupbit)) continue;
            const double m = 1.0 / atom->rmass[i], turn = 2.5 / (atom->rmass[i] * atom->radius[i] * atom->radius[i]);
            for (int k = 0; k < 3; k++) {
                atom->v[i][k] += atom->f[i][k] * (h * m), atom->omega[i][k] += atom->torque[i][k] * (h * turn);
                atom->x[i][k] += h * atom->v[i][k];
            }
        }
    }
};

Fix *make_nve(LAMMPS *lmp, int narg, char **arg)
{
    return new FixNve(lmp, narg, arg);
}

} // namespace scree
