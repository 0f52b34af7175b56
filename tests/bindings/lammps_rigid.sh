#!/usr/bin/env bash
# fix scree/rigid over MPI: spheres that pour into a box, on 1, 2, 4 and 8 ranks and restarted on another number. Every step reaches its
# tolerance; velocities are those of the reactions; friction is within its cone; the library computes the same residual from the exported
# problem; the physics of the pile is that of one rank (its reactions are not: a pile is hyperstatic).
#   tests/bindings/lammps_rigid.sh SCREE_LMP         the command `scree` is SCREE_BIN. Exit status 77: there is no mpirun
set -euo pipefail
. "$(dirname "$0")/lib.sh"
needs_mpirun
spheres=120 steps=40 tolerance=1e-5
if [ -n "${SCREE_LONG:-}" ]; then spheres=2000 steps=200; fi

awk -v n="$spheres" 'BEGIN {
    srand(3); k = int((n / 4) ^ (1 / 3) + 1); L = 1.02 * k; layers = int((n - 1) / (k * k)) + 1
    printf "spheres\n\n%d atoms\n1 atom types\n0 %g xlo xhi\n0 %g ylo yhi\n0 %g zlo zhi\n\nAtoms # sphere\n\n", n, L, L, 1.02 * layers + 2
    for (q = 0; q < n; q++)
        printf "%d 1 %.6f 1 %.6f %.6f %.6f\n", q + 1, 0.85 + 0.15 * rand(), 0.51 + 1.02 * (q % k), 0.51 + 1.02 * (int(q / k) % k),
            0.5 + 1.01 * int(q / (k * k))
}' >spheres.data
script() { # START TAIL
    cat <<END
units lj
atom_style sphere
atom_modify map array
boundary f f f
newton on
comm_modify vel yes
$1
pair_style zero 1.1
pair_coeff * *
neighbor 0.15 bin
neigh_modify delay 0 every 1 check yes
variable L equal xhi
variable M equal yhi
fix g all gravity 9.81 vector 0.2 0 -1
fix r all scree/rigid friction 0.5 rolling 0.02 spinning 0.01 tolerance $tolerance plane 0 0 0 0 0 1 plane 0 0 0 1 0 0 &
    plane \$L 0 0 -1 0 0 plane 0 0 0 0 1 0 plane 0 \$M 0 0 -1 0 export \${out} $((2 * steps))
timestep 0.005
compute z all reduce ave z
thermo_style custom step atoms f_r[1] f_r[2] f_r[3] f_r[4] f_r[5] f_r[6] f_r[10] c_z f_r[7] f_r[8]
thermo_modify norm no lost error format float %.12g
thermo $steps
$2
END
}
script "read_data spheres.data" "run $steps
write_restart half.restart
run $steps" >whole.in
script "read_restart half.restart" "run $steps" >again.in
play() { # RANKS OUT SCRIPT
    mpirun --oversubscribe -np "$1" "$lmp" -log none -screen "$2.log" -in "$3" -var out "$2" >"$2.err" 2>&1 ||
        { tail -qn 5 "$2.log" "$2.err" >&2; fail "$3 on $1 ranks ended with an error"; }
    # the last line: residual reached, drift, cone; contacts and the height of the pile are those of one rank, but for what its loads leave open
    last_row "$2.log" >"$2.row"
    awk -v ranks="$1" -v tolerance=$tolerance -v n="$spheres" '{ if (!($2 == n && $3 > 1 && $4 <= tolerance && $5 > n && $6 < 1e-11 && $8 < 1e-12 && $9 == 0)) exit 1
        if (ranks > 1 && !($11 > 0 && $12 > 0)) exit 1 }' "$2.row" ||
        fail "$3 on $1 ranks: $(cat "$2.row")"
    # the library's residual of the exported problem: the printed one, to its digits
    "$scree" solve "$2.$((2 * steps)).hdf5" --warm "$2.$((2 * steps)).txt" --certify --tol $tolerance --json >"$2.json" || fail "$2: the library says no: $(cat "$2.json")"
    awk -v ours="$(awk '{ print $4 }' "$2.row")" '{ match($0, /"residual": ?[0-9.e+-]+/)
        if (RSTART) { split(substr($0, RSTART, RLENGTH), part, ":"); d = part[2] / ours - 1; exit !(d < 1e-6 && d > -1e-6) } }' "$2.json" ||
        fail "$2: the library has another residual than $(cat "$2.row")"
}
play 1 one whole.in
for run in "2 two whole.in" "4 four whole.in" "8 eight whole.in" "2 again again.in"; do
    # shellcheck disable=SC2086
    play $run
    name=$(cut -d' ' -f2 <<<"$run")
    paste -d' ' one.row "$name.row" | awk '{ c = $17 / $5 - 1; z = $22 / $10 - 1
        exit !(c < 0.03 && c > -0.03 && z < 2e-3 && z > -2e-3) }' || fail "$name is not the pile of one rank: $(cat one.row "$name.row")"
done

bad() { # ARGUMENTS EXPECTED
    script "read_data spheres.data" "unfix r
fix r all scree/rigid $1
run 0" >bad.in
    refuses bad.in "$2" "$1" -var out bad
}
bad "friction -1" "friction is .-1., expected a number, 0 or more"
bad "friction 0.5 rollng 1" "unknown argument 'rollng'"
bad "friction x" "friction is 'x', expected a number"
echo "lammps_rigid: $spheres spheres, residuals $(awk '{ printf "%s ", $4 }' one.row two.row four.row eight.row)"
