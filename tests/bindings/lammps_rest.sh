#!/usr/bin/env bash
# A pile at rest by fix scree/rigid over two ranks: spheres with radii from 8 to 10 mm in a box, with friction that slides, rolls and spins, settle
# (on one) and are watched. What moves them is the tolerance of the solver: at 1e-6 none goes farther than 1e-5 m, at 1e-9 than 1e-8 m.
# The last step reaches its tolerance, and velocities are those of the reactions.
#   tests/bindings/lammps_rest.sh SCREE_LMP         SCREE_LONG=1: 500 spheres, watched for 5 s, instead of 40 and 0.5 s. Exit status 77: no mpirun
set -euo pipefail
. "$(dirname "$0")/lib.sh"
needs_mpirun
spheres=40 settle=160 watched=100 tolerances=1e-6 most=500
if [ -n "${SCREE_LONG:-}" ]; then spheres=500 settle=600 watched=1000 tolerances="1e-6 1e-9" most=5000; fi

# radii from 8 to 10 mm
awk -v n="$spheres" 'BEGIN {
    srand(11); k = int((n / 2) ^ (1 / 3) + 1); d = 0.022; L = d * k; layers = int((n - 1) / (k * k)) + 1
    printf "spheres\n\n%d atoms\n1 atom types\n0 %g xlo xhi\n0 %g ylo yhi\n0 %g zlo zhi\n\nAtoms # sphere\n\n", n, L, L, d * layers + 0.05
    for (q = 0; q < n; q++)
        printf "%d 1 %.6f 2500 %.6f %.6f %.6f\n", q + 1, 0.016 + 0.004 * rand(), d * (q % k + 0.5) + 0.002 * (rand() - 0.5), d * (int(q / k) % k + 0.5) + 0.002 * (rand() - 0.5), d * (int(q / (k * k)) + 0.5)
}' >spheres.data

script() { # TOLERANCE START TAIL
    cat <<END
units si
atom_style sphere
atom_modify map array
boundary f f f
newton on
comm_modify vel yes
processors * * 1
$2
pair_style zero 0.0205
pair_coeff * *
neighbor 0.003 bin
neigh_modify delay 0 every 1 check yes
variable L equal xhi
variable M equal yhi
fix g all gravity 9.81 vector 0 0 -1
fix r all scree/rigid friction 0.5 rolling 0.0005 spinning 0.0002 tolerance $1 iterations $most plane 0 0 0 1 0 0 &
    plane 0 0 0 0 0 1 plane \$L 0 0 -1 0 0 plane 0 0 0 0 1 0 plane 0 \$M 0 0 -1 0
timestep 0.005
thermo_style custom step atoms f_r[1] f_r[2] f_r[3] f_r[4] f_r[10] f_r[9]
thermo_modify norm no lost error format float %.12g
thermo 100000
$3
END
}
play() { # NAME RANKS
    mpirun --oversubscribe -np "$2" "$lmp" -log none -screen "$1.log" -in "$1.in" >"$1.err" 2>&1 || { tail -qn 5 "$1.log" "$1.err" >&2; fail "$1: an error"; }
}
dump() { echo "write_dump all custom $1 id x y z modify sort id format float %.17g"; }

script 1e-6 "read_data spheres.data" "velocity all set 0.2 -0.1 0 sum yes
run $settle
write_restart settled" >settle.in
play settle 1
for tolerance in $tolerances; do
    script "$tolerance" "read_restart settled" "run 50
$(dump before)
run $((watched / 2))
$(dump half)
run $((watched - watched / 2))
$(dump after)" >watch.in
    play watch 2
    last_row watch.log >row
    awk -v n="$spheres" -v tolerance="$tolerance" '{ exit !($2 == n && $4 <= tolerance && $5 > n && $6 < 1e-11) }' row || fail "tolerance $tolerance: $(cat row)"
    # the way is that of the tolerance: at 1e-6 less than a thousandth of a radius
    paste -d' ' before half after | awk -v n="$spheres" -v tolerance="$tolerance" -v missed="$(awk '{ print $7 }' row)" 'NR > 9 {
            d = sqrt(($2 - $10) ^ 2 + ($3 - $11) ^ 2 + ($4 - $12) ^ 2); sum += d; count++
            f = sqrt(($2 - $6) ^ 2 + ($3 - $7) ^ 2 + ($4 - $8) ^ 2); s = sqrt(($6 - $10) ^ 2 + ($7 - $11) ^ 2 + ($8 - $12) ^ 2)
            if (d > worst) worst = d; if (f > first) first = f; if (s > second) second = s }
        END { printf "tolerance %s: farthest %.1e m, mean %.1e m; farthest in the first half %.1e m, in the second %.1e m; steps that missed it: %d\n", tolerance, worst, sum / count, first, second, missed
            exit !(count == n && worst < 10 * tolerance) }' || fail "tolerance $tolerance: it creeps"
done
