#!/usr/bin/env bash
# Cost of scree's contacts in LAMMPS: pair_style scree beside LAMMPS' own pair_style granular with the same spring, dashpot and slider law, and
# the messages of fix scree/rigid. In turns, minima of ROUNDS; the machine should be idle.
#   bench/lammps.sh SCREE_LMP [ROUNDS] [SIDE] ["RANKS.."] ["SIZES.."] ["RANKS.."]
# SIDE^3 spheres, 22; RANKS of what is timed, "1 2"; SIZES: 1 for equal spheres, 5 for radii 1:5, "1 5"; RANKS of what is counted, 2 to 64, "" for none.
set -euo pipefail
lmp=$(realpath "${1:?usage: $0 SCREE_LMP [ROUNDS] [SIDE] [RANKS] [SIZES] [RANKS]}")
rounds=${2:-3} side=${3:-22} timed=${4:-1 2} all_sizes=${5:-1 5} counted=${6-2 4 8 16 32 64}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none

# A lattice of spheres that overlap by a thousandth and jostle, periodic: every contact is at work in every step. SIZES 1: equal; 5: radii 1:5 at
# random, at a distance at which as many touch.
data() { # SIZES
    awk -v k="$side" -v sizes="$1" 'BEGIN {
        srand(5); a = sizes > 1 ? 0.62 : 0.999; n = k * k * k
        printf "lattice\n\n%d atoms\n1 atom types\n0 %.9g xlo xhi\n0 %.9g ylo yhi\n0 %.9g zlo zhi\n\nAtoms # sphere\n\n", n, a * k, a * k, a * k
        for (q = 0; q < n; q++)
            printf "%d 1 %.9g 1 %.9g %.9g %.9g\n", q + 1, (sizes > 1 ? 0.2 + 0.8 * rand() : 1), a * (q % k) + 0.2, a * (int(q / k) % k) + 0.2, a * int(q / (k * k)) + 0.2 }' >lattice.data
}
pair() {
    case $1 in
    granular) echo "pair_style granular
pair_coeff * * hooke 2e4 60 tangential linear_history 5714 0.5 0.5 rolling sds 5714 50 0.05 twisting sds 1000 10 0.02 damping mass_velocity
fix m all nve/sphere" ;;
    scree-sds) echo "pair_style scree sds
pair_coeff * * stiffness 2e4 damping 0.2 friction 0.5 slide_stiffness 5714 slide_damping 20 rolling_reduced 0.05 sds_stiffness 5714 sds_damping 50 spinning 0.02 spin_stiffness 1000 spin_damping 10
fix m all scree/nve" ;;
    scree-fn) echo "pair_style scree fn
pair_coeff * * stiffness 2e4 damping 0.2 friction 0.5 slide_stiffness 5714 rolling 0.02 spinning 0.02
fix m all scree/nve" ;;
    esac
}
once() { # STYLE RANKS -> seconds
    { printf 'units lj\natom_style sphere\nboundary p p p\nnewton off\ncomm_modify vel yes\nread_data lattice.data\n'
        pair "$1"
        printf 'velocity all create 0.01 4711\ntimestep 0.0005\nneighbor 0.1 bin\nneigh_modify delay 0 every 1 check yes\nrun 20\nrun 200\n'; } >in
    mpirun --oversubscribe -np "$2" "$lmp" -log none -screen out -in in >err 2>&1 || { tail -qn 3 out err >&2; exit 1; }
    awk '/^Loop time/ { t = $4 } END { print t }' out
}
printf '%-10s%6s%6s  %s\n' style sizes ranks "ms per step (minimum of $rounds)"
for sizes in $all_sizes; do
    data "$sizes"
    for ranks in $timed; do
        declare -A best=()
        for ((r = 0; r < rounds; r++)); do
            for style in granular scree-sds scree-fn; do
                t=$(once $style "$ranks")
                best[$style]=$(awk -v a="${best[$style]:-1e9}" -v b="$t" 'BEGIN { print a < b ? a : b }')
            done
        done
        for style in granular scree-sds scree-fn; do
            awk -v s=$style -v z="$sizes" -v r="$ranks" -v t="${best[$style]}" -v g="${best[granular]}" \
                'BEGIN { printf "%-12s%4d%6d  %.3f   %.2f of granular\n", s, z, r, 5 * t, t / g }'
        done
    done
done

[ -n "$counted" ] || exit 0
echo
printf '%6s%10s%14s%14s%15s\n' ranks contacts "messages" "kB" "contacts/rank"
data 1
for ranks in $counted; do
    printf 'units lj\natom_style sphere\natom_modify map array\nboundary f f f\nnewton on\ncomm_modify vel yes\nread_data lattice.data\npair_style zero 1.0\npair_coeff * *\nneighbor 0.1 bin\nneigh_modify delay 0 every 1 check yes\nfix g all gravity 1 vector 0 0 -1\nfix r all scree/rigid friction 0.5 rolling 0.02 tolerance 1e-12 iterations 5 plane 0 0 -0.3 0 0 1\ntimestep 0.001\nthermo_style custom step f_r[3] f_r[7] f_r[8]\nthermo 2\nrun 2\n' >in
    mpirun --oversubscribe -np "$ranks" "$lmp" -log none -screen out -in in >err 2>&1 || { tail -qn 3 out err >&2; exit 1; }
    grep -B1 '^Loop time' out | head -1 | awk -v r="$ranks" '{ printf "%6d%10d%14.0f%14.1f%15.0f\n", r, $2, $3, $4 / 1000, $2 / r }'
done
