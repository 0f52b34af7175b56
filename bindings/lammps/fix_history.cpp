/* fix_history.cpp: what contacts remember, on its way from rank to rank and into restart files.
 *
 * A contact is kept at both of its atoms. The pair style holds the histories in its blocks between two neighbour lists; before atoms move
 * (pre_exchange) and at the end of a run they go into the lists per atom, after a new list (post_neighbor) back into blocks. With `newton on`
 * a pair is known to one rank only: what ghosts have then goes to their owners first.
 *
 * The state between two steps is that before the last loads, as in scree: LAMMPS computes the loads of a state again when a run begins,
 * and gets the same from it. */
#include "styles.h"

#include <lammps/atom.h>
#include <lammps/comm.h>
#include <lammps/error.h>
#include <lammps/force.h>
#include <lammps/modify.h>
#include <lammps/neigh_list.h>
#include <lammps/output.h>
#include <lammps/timer.h>
#include <lammps/update.h>

#include <cstring>

namespace scree
{

/* ---- of pairs ----------------------------------------------------------------------------------------------------------- */

int FixHistory::setmask()
{
    return FixConst::PRE_EXCHANGE | FixConst::POST_NEIGHBOR | FixConst::POST_RUN;
}

void FixHistory::gather()
{
    if (force->newton_pair) fix_reverse_variable(comm, this, 0);
    longest();
}

void FixHistory::pre_exchange()
{
    if (!valid || !pair) return;
    room_for(atom->nlocal + atom->nghost);
    pair->store(false);
    gather();
}

void FixHistory::post_neighbor()
{
    if (!pair) return;
    pair->list_begin();
    valid = true, kept = false;
}

void FixHistory::post_run()
{
    if (!valid || !pair) return;
    room_for(atom->nlocal + atom->nghost);
    pair->store(kept);
    gather();
    if (kept) lmp_restore(pair->contacts);
    valid = false; /* write_restart moves atoms: from here on the lists count */
}

void FixHistory::write_restart(FILE *file)
{
    if (valid && pair) {
        room_for(atom->nlocal + atom->nghost);
        pair->store(kept);
        gather();
    }
    if (comm->me != 0) return;
    const int size = sizeof(double);
    const double scale = pair ? pair->scale : 0.0;
    fwrite(&size, sizeof size, 1, file);
    fwrite(&scale, sizeof scale, 1, file);
}

void FixHistory::restart(char *buffer)
{
    double scale;
    memcpy(&scale, buffer, sizeof scale);
    restart_scale = scale;
}

Fix *make_history(LAMMPS *lmp, int narg, char **arg)
{
    return new FixHistory(lmp, narg, arg);
}

} // namespace scree
