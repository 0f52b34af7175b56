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

enum { ENTRY = 1 + LMP_HISTORY };

/* ---- lists per atom ----------------------------------------------------------------------------------------------------- */

FixLists::FixLists(LAMMPS *l, int narg, char **arg) : Fix(l, narg, arg)
{
    restart_peratom = 1, create_attribute = 1;
    maxexchange_dynamic = 1, maxexchange = 1;
    comm_reverse = 1; /* sizes vary: reverse_comm_fix_variable */
    room_for(atom->nmax);
    atom->add_callback(Atom::GROW), atom->add_callback(Atom::RESTART);
}

FixLists::~FixLists()
{
    atom->delete_callback(id, Atom::GROW), atom->delete_callback(id, Atom::RESTART);
}

void FixLists::room_for(int atoms)
{
    if ((int)lists.size() < atoms) lists.resize((size_t)atoms);
}

void FixLists::grow_arrays(int n)
{
    room_for(n);
}

void FixLists::longest()
{
    size_t most = 0;
    for (int i = 0; i < atom->nlocal; i++) most = std::max(most, lists[(size_t)i].size());
    maxexchange = 1 + (int)most * ENTRY;
}

int FixLists::put(const std::vector<entry> &from, double *buffer)
{
    int m = 0;
    buffer[m++] = (double)from.size();
    for (const entry &e : from) {
        buffer[m++] = e.key;
        memcpy(buffer + m, e.history.number, sizeof e.history.number), m += LMP_HISTORY;
    }
    return m;
}

/// Appends where the list has entries: reverse communication adds what ghosts had.
int FixLists::get(std::vector<entry> &to, const double *buffer)
{
    int m = 1;
    for (int k = (int)buffer[0]; k > 0; k--) {
        entry e;
        e.key = buffer[m++];
        memcpy(e.history.number, buffer + m, sizeof e.history.number), m += LMP_HISTORY;
        to.push_back(e);
    }
    return m;
}

int FixLists::pack_restart(int i, double *buffer)
{
    const int m = 1 + put(lists[(size_t)i], buffer + 1);
    buffer[0] = m;
    return m;
}

void FixLists::unpack_restart(int i, int nth)
{
    const double *buffer = atom->extra[i];
    for (int k = 0; k < nth; k++) buffer += (int)*buffer;
    lists[(size_t)i].clear();
    get(lists[(size_t)i], buffer + 1);
}

int FixLists::size_restart(int i)
{
    return 2 + (int)lists[(size_t)i].size() * ENTRY;
}

int FixLists::maxsize_restart()
{
    int most = 0, all;
    for (int i = 0; i < atom->nlocal; i++) most = std::max(most, size_restart(i));
    MPI_Allreduce(&most, &all, 1, MPI_INT, MPI_MAX, world);
    return all;
}

int FixLists::pack_reverse_comm_size(int n, int first)
{
    int m = 0;
    for (int i = first; i < first + n; i++) m += 1 + (int)lists[(size_t)i].size() * ENTRY;
    return m;
}

int FixLists::pack_reverse_comm(int n, int first, double *buffer)
{
    int m = 0;
    for (int i = first; i < first + n; i++) m += put(lists[(size_t)i], buffer + m);
    return m;
}

void FixLists::unpack_reverse_comm(int n, int *at, double *buffer)
{
    int m = 0;
    for (int i = 0; i < n; i++) m += get(lists[(size_t)at[i]], buffer + m);
}

bool FixLists::ends(LAMMPS *l)
{
    const bigint now = l->update->ntimestep;
    return now == l->update->laststep || now == l->output->next_restart || l->timer->get_timeout_remain() > 0.0 ||
           l->modify->find_fix_by_style("halt") >= 0;
}

/* ---- of pairs ----------------------------------------------------------------------------------------------------------- */

int FixHistory::setmask()
{
    return FixConst::PRE_EXCHANGE | FixConst::POST_NEIGHBOR | FixConst::POST_RUN;
}

void FixHistory::gather()
{
    if (force->newton_pair) comm->reverse_comm_fix_variable(this);
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
