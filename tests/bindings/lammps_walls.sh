#!/usr/bin/env bash
# Walls of a scene in LAMMPS over MPI (fix scree/wall scene) and in scree run, to 1e-9: a drum that turns with balls in it, a cone, a cylinder, a
# funnel, a box, triangles that lie in one plane, a plate under pressure control, planes that turn and swing. The same bits on 1, 2 and 4 ranks, in
# one run or interrupted and continued on another number of ranks; forces on walls are those of scree run.
#   tests/bindings/lammps_walls.sh SCREE_LMP        the command `scree` is SCREE_BIN. Exit status 77: there is no mpirun
set -euo pipefail
. "$(dirname "$0")/lib.sh"
needs_mpirun

# scene NAME MODEL UNTIL WALLS BALLS
scene() {
    local dem="stiffness: 1e5, slide_stiffness: 3e4" more=""
    if [ "$2" = sds ]; then dem+=", model: sds, sds_stiffness: 3e4, spin_stiffness: 30"; more=", spinning: 1 mm"; fi
    if [ "$2" = hertz ]; then dem="young: 5e6, poisson: 0.3, slide_stiffness: 2e4"; fi
    if [ "$2" = fn ]; then more=", friction_static: 0.45, spinning: 1 mm"; fi
    printf 'scree: 1\nmaterials:\n  m: {density: 1500, friction: 0.4, restitution: 0.5, rolling: 2 mm%s, dem: {%s}}\nbodies:\n%s\n%s\nstepper: {scheme: dem, step: 0.05 ms}\nrun: {until: %s}\noutput: {every: %s}\n' \
        "$more" "$dem" "$4" "$5" "$3" "$3" >"$1.yaml"
}
# compare NAME: the scene by LAMMPS and by scree run
compare() {
    "$scree" run "$1.yaml" -o "$1" -q >log 2>&1 || fail "$1: scree run ended with an error: $(cat log)"
    "$scree" run "$1.yaml" --ranks "${2:-1}" -o "$1-ranks" -q >log 2>&1 || fail "$1: $(cat log)"
    numbers "$1" >a && numbers "$1-ranks" >b
    [ -s a ] && paste -d' ' a b | awk -v name="$1" '{ for (i = 1; i <= 9; i++) { d = $i - $(i + 9); if (d < 0) d = -d; if (i > 6) d *= 0.1; if (d > worst) worst = d; m = $i < 0 ? -$i : $i; if (i > 6 && m > spin) spin = m } }
        END { printf "%-12s largest difference %.1e, largest spin %.2g rad/s\n", name, worst, spin; exit !(NF == 18 && worst < 1e-9 && spin > 0.1) }' || fail "$1 differs: $(paste a b)"
}
ball() { printf '  - {name: %s, shape: {sphere: {radius: %s}}, position: [%s], velocity: [%s]}\n' "$1" "$2" "$3" "$4"; }
for k in 0 1 2 3 4 5 6 7 8 9 10 11; do
    ball "b$k" "$(awk -v k=$k 'BEGIN { print 0.03 + 0.002 * (k % 4) }')" "$(awk -v k=$k 'BEGIN { printf "%g, %g, %g", -0.12 + 0.08 * (k % 4), -0.06 + 0.09 * int(k / 4 % 3), -0.1 + 0.02 * (k % 3) }')" "0.1, 0, 0"
done >balls

# a drum that turns: the inside of a tube between two planes
scene drum fn 0.5 "  - {name: drum, kind: driven, shape: {tube: {radius: 0.2, length: 0.4}}, position: [0, 0, 0], rotation: {axis: [1, 0, 0], angle: 90 deg}, motion: {spin: [0, 3, 0]}}
  - {name: back, shape: {plane: {}}, position: [0, -0.12, 0], rotation: {axis: [1, 0, 0], angle: -90 deg}}
  - {name: front, shape: {plane: {}}, position: [0, 0.19, 0], rotation: {axis: [1, 0, 0], angle: 90 deg}}" "$(cat balls)"
compare drum 2

# a cone, a cylinder that turns, a box, a fixed sphere
few=$(ball one 0.05 "0.011, 0.004, 0.349" "0, 0, 0" && ball two 0.05 "0.5, 0.02, 0.249" "0.1, 0, 0" && ball three 0.05 "1, 0.013, 0.2495" "0, 0.1, 0" && ball four 0.04 "1.5, 0.01, 0.1395" "0, 0, 0")
scene solids fn 0.3 "  - {name: cone, kind: fixed, shape: {cone: {radius: 0.3, height: 0.3}}}
  - {name: roll, kind: driven, shape: {cylinder: {radius: 0.2, length: 0.5}}, position: [0.5, 0, 0], rotation: {axis: y, angle: 90 deg}, motion: {spin: [2, 0, 0]}}
  - {name: block, kind: fixed, shape: {box: {size: [0.4, 0.4, 0.4]}}, position: [1, 0, 0]}
  - {name: knob, kind: fixed, shape: {sphere: {radius: 0.1}}, position: [1.5, 0, 0]}" "$few"
compare solids
for model in sds hertz; do
    scene $model $model 0.3 "  - {name: hopper, shape: {funnel: {bottom: 0.1, top: 0.4, height: 0.3}}, position: [0, 0, 0]}
  - {name: knob, kind: fixed, shape: {sphere: {radius: 0.1}}, position: [1.5, 0, 0]}" \
        "$(ball one 0.05 "0.25, 0.01, 0.09" "0, 0.5, 0" && ball four 0.04 "1.5, 0.01, 0.1395" "0, 0, 0")"
    compare $model
done

# triangles of one plane: a ball that rolls over their edges does so as on a plane
{
    echo "solid ground"
    for y in 0 1; do for x in 0 1 2 3 4 5; do
        awk -v x=$x -v y=$y 'BEGIN { s = 0.1; a = x * s - 0.05; b = y * s - 0.1
            f = "facet normal 0 0 1\nouter loop\nvertex %g %g 0\nvertex %g %g 0\nvertex %g %g 0\nendloop\nendfacet\n"
            printf f f, a, b, a + s, b, a + s, b + s, a, b, a + s, b + s, a, b + s }'
    done; done
    echo "endsolid ground"
} >ground.stl
rolling=$(ball one 0.05 "0, 0.01, 0.0499" "1, 0.05, 0")
scene triangles fn 0.4 "  - {name: ground, shape: {mesh: {file: ground.stl}}}" "$rolling"
compare triangles
scene flat fn 0.4 "  - {name: ground, shape: {plane: {}}}" "$rolling"
compare flat
paste -d' ' <(numbers triangles-ranks) <(numbers flat-ranks) | awk '{ for (i = 1; i <= 9; i++) if (($i - $(i + 9)) ^ 2 > 1e-20) bad = 1 } END { exit bad }' || fail "triangles of a plane are not a plane: $(numbers triangles-ranks) $(numbers flat-ranks)"

# a plane that turns about an axis 0.5 to 3 m away from the balls. The crate gives scree run the stages for any shape; LAMMPS gets none.
tilting="  - {name: floor, shape: {plane: {}}, kind: driven, motion: {spin: [0, 1.5, 0]}}"
far=$(ball one 0.05 "-3, 0.01, 0.3" "0, 0.1, 0" && ball two 0.04 "-1, 0.02, 0.6" "0.1, 0, 0" && ball three 0.05 "0.5, 0, 0.1" "0, 0, 0")
scene tilting sds 0.4 "$tilting" "$far"
compare tilting
scene far fn 0.4 "$tilting" "$far"
scene far-crate fn 0.4 "$tilting
  - {name: crate, shape: {box: {size: [1, 1, 1]}}, position: [0, 50, 50]}" "$far"
"$scree" run far.yaml --ranks 2 -o far -q >log 2>&1 || fail "far: $(cat log)"
"$scree" run far-crate.yaml -o far-crate -q >log 2>&1 || fail "far-crate: $(cat log)"
numbers far >a && numbers far-crate | tail -n 3 >b
paste -d' ' a b | awk '{ for (i = 1; i <= 9; i++) { d = $i - $(i + 9); if (d ^ 2 > 1e-20) bad = 1 } } END { exit bad || NR != 3 || NF != 18 }' || fail "far from the axis of a plane that turns: $(paste a b)"

# a plate that presses balls together, a plane that swings; the same bits on any number of ranks and after a restart; forces on walls
scene press fn 0.15 "  - {name: floor, shape: {plane: {}}, kind: driven, position: [0, 0, -0.15], motion: {oscillation: {amplitude: [2 mm, 0, 3 mm], frequency: 12}}}
  - {name: tub, shape: {tube: {radius: 0.2, length: 2}}}
  - {name: lid, kind: driven, shape: {box: {size: [0.5, 0.5, 0.1]}}, position: [0, 0, 0.02], motion: {servo: {axis: [0, 0, -1], force: 250, gain: 0.002, speed: 0.5}}}" "$(cat balls)"
sed -i 's/every: 0.15/every: 0.05/' press.yaml
compare press
"$scree" export lammps press.yaml -o press-in >log
sed -i 's/^thermo .*/thermo_style custom step atoms f_shapes[1][3] f_shapes[2][1] f_shapes[3][3] f_shapes[3][9]\nthermo_modify format float %.15g norm no\nthermo 2999/; s/^thermo_modify norm no$//' press-in/in.lammps press-in/in.again
for ranks in 1 2 4; do
    cp -r press-in r$ranks
    (cd r$ranks && mpirun -np $ranks "$lmp" -in in.lammps -screen none) >log 2>&1 || fail "press on $ranks ranks: $(cat log r$ranks/log.lammps)"
    cmp -s r1/dump.lammpstrj r$ranks/dump.lammpstrj || fail "$ranks ranks have other bits than 1"
    diff <(grep -A1 '^ *2999 ' r1/log.lammps | head -2) <(grep -A1 '^ *2999 ' r$ranks/log.lammps | head -2) || fail "$ranks ranks: other forces"
done
for run in "2 r4" "1 r2"; do # continued from the restart file of step 2000
    # shellcheck disable=SC2086
    set -- $run
    cp -r "$2" again
    (cd again && mpirun -np "$1" "$lmp" -in in.again -var from spheres.restart.2 -screen none) >log 2>&1 || fail "it does not continue: $(cat log)"
    cmp -s <(tail -12 r1/dump.lammpstrj) <(tail -12 again/dump.lammpstrj) || fail "continued from $2 on $1 ranks, it has other bits"
    rm -r again
done
# force on the lid in the last step, from the places at its beginning
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "lid.force_z[N]") c = i } END { print $c }' press/series.csv >a
awk '$1 == 2999 { f = $5 } END { print f }' r1/log.lammps >b
paste -d' ' a b | awk '{ d = $1 - $2; print "force on the lid", $1, $2; exit !(NF == 2 && $1 != 0 && d ^ 2 < 1e-12 * $1 ^ 2) }' || fail "force on the lid: $(cat a b)"

# the lid stands in the frames where it was
awk -F, -v a="$(lid press)" -v b="$(lid press-ranks)" 'BEGIN { split(a, p); split(b, q); d = p[3] - q[3]; exit !(d ^ 2 < 1e-18 && p[3] < 0.01) }' || fail "the lid: $(lid press) $(lid press-ranks)"

# bad input names what is wrong
bad() { # TEXT EXPECTED
    sed "s/^fix shapes .*/$1/" press-in/in.lammps >r1/bad.in
    (cd r1 && "$lmp" -in bad.in -screen none -log bad.log) >log 2>&1 && fail "accepted: $1"
    grep -q -- "$2" r1/bad.log log || fail "'$1' is refused without '$2': $(grep -h ERROR r1/bad.log)"
}
bad "fix shapes all scree\/wall scene nothere.yaml" "nothere.yaml: cannot open"
bad "fix shapes all scree\/wall scene" "expected the file of a scene"
bad "fix shapes all scree\/wall scene scene.yaml planar no" "unknown argument 'planar', expected planes"
bad "fix shapes all scree\/wall scene scene.yaml planes 1" "planes is '1', expected yes or no"
echo "lammps_walls: all passed"
