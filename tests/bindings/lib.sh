# lib.sh: what the tests of LAMMPS share; sourced as their first act, with the arguments of the test. Sets $lmp (scree-lmp, absolute), $scree (the
# command, SCREE_BIN), $tree (the source tree), and stands in $work, a folder that goes away.
test_name=$(basename "$0" .sh)
lmp=$(realpath "${1:?usage: $0 SCREE_LMP}")
scree=$(realpath "${SCREE_BIN:?SCREE_BIN is not set}")
tree=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# what is too many ranks for this machine must not wait by spinning; as root, as containers are, mpirun asks to be allowed
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_base_warn_component_unused=0
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_rmaps_base_oversubscribe=1

fail() { echo "$test_name: $*" >&2; exit 1; }
needs_mpirun() { command -v mpirun >/dev/null || { echo "$test_name: skipped, there is no mpirun"; exit 77; }; }
# last_bodies FOLDER: the table of bodies of the last frame of a run
last_bodies() { find "$1/bodies" -name '*.csv' | sort | tail -1; }
# numbers FOLDER: positions, velocities, spins of what moves freely, in the last frame
numbers() {
    "$scree" convert "$1" "$1" --to bodies >log
    grep ',dynamic,' "$(last_bodies "$1")" | awk -F, '{ print $4, $5, $6, $11, $12, $13, $14, $15, $16 }'
}
# lid FOLDER: where the body `lid` is in the last frame that `numbers` has written
lid() { grep ',lid,' "$(last_bodies "$1")" | cut -d, -f4-6; }
# last_row LOG: the last line of LAMMPS' table
last_row() { grep -B1 '^Loop time' "$1" | grep -v -e '^Loop' -e '^--' | tail -1; }
# refuses SCRIPT TEXT NAME [ARGUMENT...]: scree-lmp ends with an error that has TEXT
refuses() {
    local script=$1 text=$2 said=$3
    shift 3
    "$lmp" -log none -screen bad.log -in "$script" "$@" >bad.err 2>&1 && fail "accepted: $said"
    grep -q -- "$text" bad.log bad.err || fail "'$said' is refused without '$text': $(grep -h ERROR bad.log)"
}
