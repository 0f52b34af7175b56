#!/usr/bin/env bash
# Rigid scenes in LAMMPS over MPI (scree run --ranks) and in scree run: a ball that rolls, one that bounces, one that slides onto another; a drum
# that turns, with balls of two radii and two materials in it; a plate under pressure control. Where reactions are unique the same motion, to
# the tolerance of the solver; continued from a restart file on another number of ranks; what LAMMPS cannot be given is named.
#   tests/bindings/lammps_rigid_scenes.sh SCREE_LMP        the command `scree` is SCREE_BIN. Exit status 77: there is no mpirun
set -euo pipefail
. "$(dirname "$0")/lib.sh"
needs_mpirun

# scene NAME UNTIL EVERY BODIES
scene() {
    printf 'scree: 1\nmaterials:\n  m: {density: 1500, friction: 0.4, restitution: 0.6, rolling: 0.05 r, spinning: 0.02 r}\n  w: {density: 900, friction: 0.6, rolling: 0.1 r}\nbodies:\n%s\nstepper: {step: 1 ms, centred: false}\nsolver: {name: momentum, tolerance: 1e-12, max_iterations: 5000}\nrun: {until: %s}\noutput: {every: %s}\n' "$4" "$2" "$3" >"$1.yaml"
}
ball() { # NAME MATERIAL RADIUS POSITION VELOCITY
    printf '  - {name: %s, material: %s, shape: {sphere: {radius: %s}}, position: [%s], velocity: [%s]}\n' "$@"
}
# compare NAME RANKS BOUND: the scene by LAMMPS and by scree run
compare() {
    [ -d "$1" ] || "$scree" run "$1.yaml" -o "$1" -q >log 2>&1 || fail "$1: scree run ended with an error: $(cat log)"
    "$scree" run "$1.yaml" --ranks "$2" -o "$1-ranks" --force -q >log 2>&1 || fail "$1: $(cat log)"
    numbers "$1" >a && numbers "$1-ranks" >b
    [ -s a ] && paste -d' ' a b | awk -v name="$1" -v ranks="$2" -v bound="$3" '{ for (i = 1; i <= 9; i++) { d = $i - $(i + 9); if (d < 0) d = -d; if (i > 6) d *= 0.1; if (d > worst) worst = d; m = $i < 0 ? -$i : $i; if (i > 3 && m > fastest) fastest = m } }
        END { printf "%-8s %d ranks: largest difference %.1e, fastest %.2g\n", name, ranks, worst, fastest; exit !(NF == 18 && worst < bound && fastest > 0.05) }' || fail "$1 differs: $(paste a b)"
}

floor="  - {name: floor, material: w, shape: {plane: {}}}"
scene roll "0.5 s" "0.5 s" "$floor
$(ball one m 0.1 "0, 0, 0.1" "1, 0.2, 0")"
compare roll 1 1e-9
scene bounce "0.4 s" "0.4 s" "  - {name: floor, material: m, shape: {plane: {}}}
$(ball one m 0.1 "0, 0, 0.3" "0.3, 0, 0")
$(ball two w 0.05 "0.5, 0, 0.05" "0, 0.1, 0")"
compare bounce 1 1e-9
compare bounce 2 1e-9
scene two "0.3 s" "0.3 s" "$floor
$(ball one m 0.1 "-0.4, 0, 0.1" "2, 0.1, 0")
$(ball two w 0.05 "0, 0.02, 0.05" "0, 0, 0")
$(ball top m 0.04 "0.001, 0.02, 0.1399" "0, 0, 0")"
compare two 1 1e-8
compare two 2 1e-8

# a drum that turns, balls of two radii and two materials. Later than this three of them lock each other, and have more reactions than equations
for k in 0 1 2 3 4 5 6 7; do
    ball "b$k" "$([ $((k % 3)) = 0 ] && echo w || echo m)" "$([ $((k % 2)) = 0 ] && echo 0.03 || echo 0.045)" \
        "$(awk -v k=$k 'BEGIN { printf "%g, %g, %g", -0.1 + 0.1 * (k % 3), -0.06 + 0.11 * int(k / 3), -0.1 + 0.03 * (k % 2) }')" "0, 0, 0"
done >balls
scene drum "0.3 s" "0.1 s" "  - {name: drum, material: w, kind: driven, shape: {tube: {radius: 0.2, length: 0.5}}, position: [0, 0, 0], rotation: {axis: [1, 0, 0], angle: 90 deg}, motion: {spin: [0, 3, 0]}}
  - {name: back, material: w, shape: {plane: {}}, position: [0, -0.15, 0], rotation: {axis: [1, 0, 0], angle: -90 deg}}
  - {name: front, material: w, shape: {plane: {}}, position: [0, 0.25, 0], rotation: {axis: [1, 0, 0], angle: 90 deg}}
$(cat balls)"
compare drum 1 1e-9
compare drum 2 1e-9

# a lid under pressure control on a ball that lies in a trough
scene press "0.3 s" "0.1 s" "  - {name: floor, material: w, shape: {plane: {}}, kind: driven, position: [0, 0, 0], motion: {velocity: [0.1, 0, 0]}}
  - {name: lid, material: m, kind: driven, shape: {box: {size: [3, 3, 0.1]}}, position: [0, 0, 0.3], motion: {servo: {axis: [0, 0, -1], force: 80, gain: 0.002, speed: 0.5}}}
$(ball one m 0.1 "0, 0, 0.1" "0, 0, 0")
$(ball two m 0.1 "0.5, 0, 0.1" "0, 0, 0")"
compare press 1 1e-7
awk -v a="$(lid press | cut -d, -f3)" -v b="$(lid press-ranks | cut -d, -f3)" 'BEGIN { d = a - b; exit !(d ^ 2 < 1e-16 && a < 0.27) }' || fail "the lid: $(lid press) $(lid press-ranks)"

# continued from a restart file, on another number of ranks
(cd drum-ranks/lammps && mpirun -np 1 "$lmp" -in in.again -var from spheres.restart.1 -screen none) >log 2>&1 || fail "it does not continue: $(cat log)"
"$scree" import drum-ranks/lammps/dump.lammpstrj -o drum-again >log || fail "import: $(cat log)"
numbers drum >a && numbers drum-again >b
paste -d' ' a b | awk '{ for (i = 1; i <= 3; i++) { d = $i - $(i + 9); if (d ^ 2 > 1e-12) exit 1 } }' || fail "continued, the drum differs: $(paste a b)"

refused() { # SED TEXT
    local code=0
    sed "$1" roll.yaml >bad.yaml
    "$scree" export lammps bad.yaml -o refused >log 2>&1 || code=$?
    [ $code = 3 ] && grep -q -- "LAMMPS cannot be given $2" log || fail "'$1' is not refused with '$2': $code $(cat log)"
}
refused 's/stepper: {/&scheme: moreau_jean, /' "the scheme moreau_jean"
refused 's/stepper: {/&law: convex, /' "the convex law"
refused 's/stepper: {/&adaptive: true, /' "the keys hertz and adaptive"
refused 's/friction: 0.4/&, friction_static: 0.5/' "rigid contacts with static coefficients"
refused 's/0.1 r}/2 mm}/' "materials whose lengths of rolling or spinning are of different kinds"
echo "lammps_rigid_scenes: all passed"
