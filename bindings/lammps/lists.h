/* lists.h: lists of entries, one per atom, that migrate with the atoms and stand in restart files. */
#ifndef SCREE_LAMMPS_LISTS_H
#define SCREE_LAMMPS_LISTS_H

#include "lammps_api.h"

#include <lammps/atom.h>
#include <lammps/fix.h>
#include <lammps/modify.h>
#include <lammps/output.h>
#include <lammps/timer.h>
#include <lammps/update.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

namespace scree
{

using namespace LAMMPS_NS;

template <class M> auto has_halt(M *modify, int) -> decltype(modify->find_fix_by_style("halt") >= 0)
{
    return modify->find_fix_by_style("halt") >= 0;
}
template <class M> auto has_halt(M *modify, long) -> decltype(modify->get_fix_by_style("halt").size() > 0)
{
    return modify->get_fix_by_style("halt").size() > 0;
}

/// Whether a run may end after this step, or a restart file is written: histories are then needed as they were before its loads, since
/// the run that goes on computes these loads again.
inline bool run_ends(LAMMPS *lmp)
{
    const bigint now = lmp->update->ntimestep;
    return now == lmp->update->laststep || now == lmp->output->next_restart || lmp->timer->get_timeout_remain() > 0.0 ||
           has_halt(lmp->modify, 0);
}

/// E: numbers (double) and nothing else.
template <class E> class FixListsOf : public Fix
{
    static_assert(std::is_trivially_copyable<E>::value && sizeof(E) % sizeof(double) == 0,
                  "entries are sent as numbers");
    enum { ENTRY = sizeof(E) / sizeof(double) };

  public:
    FixListsOf(LAMMPS *l, int narg, char **arg) : Fix(l, narg, arg)
    {
        restart_peratom = 1, create_attribute = 1;
        maxexchange_dynamic = 1, maxexchange = 1;
        comm_reverse = 1; /* sizes vary: reverse_comm_fix_variable */
        room_for(atom->nmax);
        atom->add_callback(Atom::GROW), atom->add_callback(Atom::RESTART);
    }
    ~FixListsOf() override { atom->delete_callback(id, Atom::GROW), atom->delete_callback(id, Atom::RESTART); }
    std::vector<E> &list(int i) { return lists[(size_t)i]; }

    void grow_arrays(int n) override { room_for(n); }
    void copy_arrays(int i, int j, int) override { lists[(size_t)j] = lists[(size_t)i]; }
    void set_arrays(int i) override { lists[(size_t)i].clear(); }
    int pack_exchange(int i, double *buffer) override { return put(lists[(size_t)i], buffer); }
    int unpack_exchange(int i, double *buffer) override
    {
        lists[(size_t)i].clear();
        return get(lists[(size_t)i], buffer);
    }
    int pack_restart(int i, double *buffer) override
    {
        const int m = 1 + put(lists[(size_t)i], buffer + 1);
        buffer[0] = m;
        return m;
    }
    void unpack_restart(int i, int nth) override
    {
        const double *buffer = atom->extra[i];
        for (int k = 0; k < nth; k++) buffer += (int)*buffer;
        lists[(size_t)i].clear();
        get(lists[(size_t)i], buffer + 1);
    }
    int size_restart(int i) override { return 2 + (int)lists[(size_t)i].size() * ENTRY; }
    int maxsize_restart() override
    {
        int most = 0, all;
        for (int i = 0; i < atom->nlocal; i++) most = std::max(most, size_restart(i));
        MPI_Allreduce(&most, &all, 1, MPI_INT, MPI_MAX, world);
        return all;
    }
    int pack_reverse_comm_size(int n, int first) override
    {
        int m = 0;
        for (int i = first; i < first + n; i++) m += 1 + (int)lists[(size_t)i].size() * ENTRY;
        return m;
    }
    int pack_reverse_comm(int n, int first, double *buffer) override
    {
        int m = 0;
        for (int i = first; i < first + n; i++) m += put(lists[(size_t)i], buffer + m);
        return m;
    }
    void unpack_reverse_comm(int n, int *at, double *buffer) override
    {
        int m = 0;
        for (int i = 0; i < n; i++) m += get(lists[(size_t)at[i]], buffer + m);
    }

  protected:
    std::vector<std::vector<E>> lists;
    void room_for(int atoms)
    {
        if ((int)lists.size() < atoms) lists.resize((size_t)atoms);
    }
    void longest() /* sets maxexchange */
    {
        size_t most = 0;
        for (int i = 0; i < atom->nlocal; i++) most = std::max(most, lists[(size_t)i].size());
        maxexchange = 1 + (int)most * ENTRY;
    }
    static int put(const std::vector<E> &from, double *buffer)
    {
        buffer[0] = (double)from.size();
        if (!from.empty()) memcpy(buffer + 1, from.data(), from.size() * sizeof(E));
        return 1 + (int)from.size() * ENTRY;
    }
    /// Appends where the list has entries: reverse communication adds what ghosts had.
    static int get(std::vector<E> &to, const double *buffer)
    {
        const size_t count = (size_t)buffer[0], had = to.size();
        to.resize(had + count);
        if (count > 0) memcpy(&to[had], buffer + 1, count * sizeof(E));
        return 1 + (int)count * ENTRY;
    }
};

} // namespace scree

#endif
