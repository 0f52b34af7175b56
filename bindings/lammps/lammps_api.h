/* lammps_api.h: before any header of LAMMPS: what it calls by other names in other versions, and what Debian's headers lack.
 *
 * Debian 12 ships LAMMPS of 29 Sep 2021 with fmt 7 inside, headers that find fmt 9, which no longer has make_args_checked, and leaves out
 * command.h and neigh_request.h. The sources of that version and of later ones (a plugin is built with those of its host) have them. Which
 * functions there are is asked of the classes. */
#ifndef SCREE_LAMMPS_API_H
#define SCREE_LAMMPS_API_H

#include <mpi.h> /* before C++ headers that would meet it inside extern "C" */

#if __has_include(<lammps/command.h>)
#include <lammps/command.h>
#include <lammps/neigh_request.h>
#define SCREE_LAMMPS_REQUESTS 1
#else
#include <fmt/format.h>

namespace fmt
{
template <class S, class... A>
inline auto make_args_checked(const S &, A &&...a) -> decltype(fmt::make_format_args(a...))
{
    return fmt::make_format_args(a...);
}
} // namespace fmt

#include <lammps/pointers.h>

namespace LAMMPS_NS
{
class Command : protected Pointers
{
  public:
    Command(LAMMPS *lmp) : Pointers(lmp) {}
    virtual void command(int, char **) = 0;
};
} // namespace LAMMPS_NS
#define SCREE_LAMMPS_REQUESTS 0
#endif

#include <lammps/comm.h>
#include <lammps/fix.h>
#include <lammps/modify.h>
#include <lammps/neighbor.h>
#include <lammps/pair.h>

namespace scree
{

using namespace LAMMPS_NS;

/* The last argument is 0: the first of two functions that are possible is taken. */

/// NAME(comm, fix, 0) is comm->OLDER(fix) where Comm has that, else comm->NEWER(fix).
#define SCREE_LAMMPS_COMM(NAME, OLDER, NEWER)                                                                          \
    template <class C> auto NAME(C *comm, Fix *fix, int)->decltype(comm->OLDER(fix))                                   \
    {                                                                                                                  \
        comm->OLDER(fix);                                                                                              \
    }                                                                                                                  \
    template <class C> auto NAME(C *comm, Fix *fix, long)->decltype(comm->NEWER(fix))                                  \
    {                                                                                                                  \
        comm->NEWER(fix);                                                                                              \
    }
SCREE_LAMMPS_COMM(fix_forward, forward_comm_fix, forward_comm)
SCREE_LAMMPS_COMM(fix_reverse, reverse_comm_fix, reverse_comm)
SCREE_LAMMPS_COMM(fix_reverse_variable, reverse_comm_fix_variable, reverse_comm_variable)
#undef SCREE_LAMMPS_COMM

template <class M> auto fix_at(M *modify, int k, int) -> decltype(modify->get_fix_by_index(k))
{
    return modify->get_fix_by_index(k);
}
template <class M> auto fix_at(M *modify, int k, long) -> decltype(modify->fix[k])
{
    return modify->fix[k];
}

/// A half list of the pair style; where that can be asked for, with the pairs that their radii bring near, else with those that their types do.
/// `instance` is the style's instance_me.
template <class N>
auto request_list(N *neighbor, Pair *pair, int instance, int) -> decltype(neighbor->add_request(pair), void())
{
    (void)instance;
    neighbor->add_request(pair, 1 << 2); /* NeighConst::REQ_SIZE, which older headers do not have */
}
template <class N> void request_list(N *neighbor, Pair *pair, int instance, long)
{
    const int k = neighbor->request(pair, instance);
#if SCREE_LAMMPS_REQUESTS
    neighbor->requests[k]->size = 1;
#else
    (void)k;
#endif
}

} // namespace scree

#endif
