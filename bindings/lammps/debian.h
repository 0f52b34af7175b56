/* debian.h: before any header of LAMMPS. Debian 12 ships LAMMPS of 29 Sep 2021 with fmt 7 inside, and headers that find fmt 9, which no longer
 * has make_args_checked; and leaves out command.h. */
#ifndef SCREE_LAMMPS_DEBIAN_H
#define SCREE_LAMMPS_DEBIAN_H

#include <mpi.h> /* before C++ headers that would meet it inside extern "C" */

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

#endif
