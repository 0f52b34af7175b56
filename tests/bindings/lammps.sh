#!/usr/bin/env bash
# pair_style scree, fix scree/nve and fix scree/wall in LAMMPS over MPI: a bed that pours into a box has the same bits on any number of ranks,
# with newton on and off, in one run or interrupted, restarted on another number of ranks, and while fix deposit adds spheres; a bad
# argument is named.
#   tests/bindings/lammps.sh SCREE_LMP         SCREE_LONG=1: 10,000 spheres instead of 250. Exit status 77: there is no mpirun
set -euo pipefail
. "$(dirname "$0")/lib.sh"
needs_mpirun
spheres=250 steps=150 force=5
if [ -n "${SCREE_LONG:-}" ]; then spheres=10000 steps=250 force=500; fi

fn="stiffness 2e4 slide_stiffness 5700 friction 0.4 friction_static 0.5 restitution 0.5 rolling 0.02 spinning 0.01"
sds="stiffness 2e4 slide_stiffness 5700 friction 0.5 restitution 0.5 rolling 0.02 sds_stiffness 5700 spinning 0.01 spin_stiffness 100"
pair() { local model=${1%-*}; printf 'pair_style scree %s ledger yes\npair_coeff * * %s\n' "$model" "${!model}"; }

# Spheres of 0.7 to 1 (type 1) on a slightly shaken grid, which fall and flow to one side.
awk -v n="$spheres" 'BEGIN {
    srand(7); k = int((n / 8) ^ (1 / 3) + 1); L = 1.1 * k; layers = int((n - 1) / (k * k)) + 1
    printf "spheres\n\n%d atoms\n2 atom types\n0 %g xlo xhi\n0 %g ylo yhi\n0 %g zlo zhi\n\nAtoms # sphere\n\n", n, L, L, 1.1 * layers + 4
    for (q = 0; q < n; q++)
        printf "%d 1 %.6f 1 %.6f %.6f %.6f\n", q + 1, 0.7 + 0.3 * rand(), 0.55 + 1.1 * (q % k) + 0.04 * rand(),
            0.55 + 1.1 * (int(q / k) % k) + 0.04 * rand(), 0.6 + 1.05 * int(q / (k * k)) + 0.04 * rand()
}' >spheres.data

# script START MODEL TAIL: START is read_data or read_restart with its file
script() {
    cat <<END
units lj
atom_style sphere
boundary f f f
newton \${newton}
comm_modify vel yes
processors * * 1
$1
comm_modify vel yes
$(pair "$2")
variable L equal xhi
variable M equal yhi
fix w all scree/wall plane 2 0 0 0 0 0 1 swing 0 0 0.02 30 0 plane 2 0 0 0 1 0 0 plane 2 \$L 0 0 -1 0 0 velocity -0.5 0 0 &
    plane 2 0 0 0 0 1 0 plane 2 0 \$M 0 0 -1 0 pressure $force 0.001 0.5
fix g all gravity 1.0 chute 25
fix m all scree/nve
timestep 0.001
neighbor 0.1 bin
neigh_modify delay 0 every 1 check yes
compute p all pair scree
thermo_style custom step atoms ke c_p[1] c_p[2] c_p[3] c_p[4] c_p[5] c_p[9] f_w[1][3] f_w[5][2] f_w[5][8]
thermo_modify norm no lost error format float %.15g
thermo 100000
$3
write_dump all custom \${out} id x y z vx vy vz omegax omegay omegaz modify sort id format float %.17g
END
}
# play RANKS NEWTON OUT SCRIPT
play() {
    mpirun --oversubscribe -np "$1" "$lmp" -log none -screen "$3.log" -in "$4" -var newton "$2" -var out "$3" >"$3.err" 2>&1 ||
        { tail -qn 5 "$3.log" "$3.err" >&2; fail "$4 on $1 ranks, newton $2, ended with an error"; }
}
# The last line of the table: counts are equal to the digit, sums of energies to rounding.
last() { last_row "$1.log"; }
near() {
    paste -d' ' <(last "$1") <(last "$2") | awk '{ n = NF / 2
        for (i = 1; i <= n; i++) { d = $i - $(i + n); m = ($i < 0 ? -$i : $i) + 1e-300; if (d < 0) d = -d
            if (i == 2 || (i >= 4 && i <= 6) ? d > 0 : d > 1e-12 * m) { print "column", i, $i, $(i + n); exit 1 } } }' ||
        fail "$1 and $2 differ"
}

for model in fn sds; do
    script "read_data spheres.data" $model "velocity all set 2 1 -2 sum yes
run $steps
run $steps
write_restart $model.restart
run $((2 * steps))" >whole.in
    script "read_restart $model.restart" $model "run $((2 * steps))" >again.in
    play 1 on $model-1 whole.in
    [ "$(last $model-1 | awk '{ print ($4 > 20 && $9 > 0) }')" = 1 ] || fail "$model: nothing touches and slides: $(last $model-1)"
    ranks="2-off 4-on 8-off"
    if [ $model = sds ]; then ranks=8-off; fi
    for run in $ranks; do
        set -- ${run/-/ }
        play "$1" "$2" "$model-$1" whole.in
        cmp -s "$model-1" "$model-$1" || fail "$model: $1 ranks (newton $2) have other bits than 1"
        near "$model-1" "$model-$1"
    done
    ranks="1-off 2-on"
    if [ $model = sds ]; then ranks=2-on; fi
    for run in $ranks; do # from the restart file of the 8 ranks
        set -- ${run/-/ }
        play "$1" "$2" "$model-again-$1" again.in
        cmp -s "$model-1" "$model-again-$1" || fail "$model: restarted on $1 ranks, it has other bits"
    done
done

# in one run, without the stop in the middle; with fix deposit
script "read_data spheres.data" fn "velocity all set 2 1 -2 sum yes
run $((4 * steps))" >one.in
play 2 on one one.in
cmp -s fn-1 one || fail "run n four times is not run 4n"
script "read_data spheres.data" fn "variable top equal zhi-1
variable low equal zhi-3.5
region slab block 1 \$(xhi-1) 1 \$(yhi-1) \${low} \${top}
fix d all deposit 12 1 15 4711 region slab near 1.0 vz -8 -8
velocity all set 2 1 -2 sum yes
run $((3 * steps))" >deposit.in
play 1 on deposit-1 deposit.in
play 4 off deposit-4 deposit.in
cmp -s deposit-1 deposit-4 || fail "with fix deposit, 4 ranks have other bits than 1"
[ "$(last deposit-1 | awk '{ print $2 }')" = $((spheres + 12)) ] || fail "fix deposit added no spheres"

# bad input names the argument
bad() { # TEXT EXPECTED
    script "read_data spheres.data" fn "$1
run 0" >bad.in
    refuses bad.in "$2" "$1" -var newton on -var out bad
}
bad "pair_coeff 1 1 stifness 1" "unknown argument 'stifness'; did you mean 'stiffness'?"
bad "pair_coeff 1 1 stiffness -1" "stiffness is '-1', expected a number, 0 or more"
bad "pair_coeff 1 1 restitution 2" "restitution is '2', expected a number from 0 to 1"
bad "pair_coeff 1 1 friction" "'friction' has no value"
bad "pair_style scree dem" "model is 'dem', expected fn or sds"
bad "fix v all scree/wall plane 3 0 0 0 0 0 1" "has the type 3, expected an atom type"
bad "fix v all scree/wall plane 1 0 0 0 0 0 1 speed 1" "unknown argument 'speed'"

# clear forgets styles; scree/styles brings them back
printf 'clear\nscree/styles\nunits lj\natom_style sphere\nboundary f f f\ncomm_modify vel yes\nread_data spheres.data\n%s\nfix m all scree/nve\nrun 1\n' "$(pair fn)" |
    cat <(script "read_data spheres.data" fn "run 1") - >clear.in
play 1 on clear clear.in
echo "lammps: $spheres spheres, 1, 2, 4 and 8 ranks: the same bits"
