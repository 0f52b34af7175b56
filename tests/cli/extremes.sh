#!/usr/bin/env bash
# Empty and extreme is ordinary: no bodies, only a pour, one grain, times and speeds at the ends of the range. Nothing crashes, nothing is
# NaN in silence, and what cannot be done is refused in words.
. "$(dirname "$0")/lib.sh"

# ---- little
printf 'scree: 1\nrun: {until: 1}\n' >"$work/none.yaml"
cat >"$work/pour.yaml" <<'YAML'
scree: 1
materials: {stone: {density: 2500, dem: {stiffness: 20 kN/m}}}
generators:
  - pour: {from: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, count: 2, rate: 100 1/s}
    name: grain
    shape: {sphere: {radius: 1 cm}}
    material: stone
run: {until: 0.1}
YAML
cat >"$work/one.yaml" <<'YAML'
scree: 1
materials: {stone: {density: 2500, dem: {stiffness: 20 kN/m}}}
bodies:
  - {name: ball, shape: {sphere: {radius: 10 cm}}, position: [0, 0, 1]}
  - {name: floor, shape: {plane: {}}}
run: {until: 0.1}
YAML
for scheme in moreau_jean anitescu_tasora dem; do
    for scene in none pour one; do
        set -- "$work/$scene.yaml" --set stepper.scheme=$scheme --set stepper.step=20us --set run.until=0.03
        [ $scene = none ] || [ $scheme = dem ] || set -- "$@" --set 'materials={stone: {density: 2500}}'
        check "check of $scene, $scheme" 0 "$scree" check "$@"
        check "run of $scene, $scheme" 0 "$scree" run "$@" -o "$work/$scene-$scheme"
        ! grep -qE '\b(nan|inf)\b' "$work/out" "$work/$scene-$scheme/series.csv" || fail "a number that is none"
        check "report of $scene, $scheme" 0 "$scree" report "$work/$scene-$scheme"
        check "picture of $scene, $scheme" 0 "$scree" picture "$work/$scene-$scheme" -o "$work/$scene.png"
    done
done

# ---- times
ball=examples/ball.yaml
for every in 1e-30 1e-320; do
    check "a frame every $every s" 0 "$scree" run $ball -o "$work/often" --force --quiet --until 0.05 --set output.every=$every
    [ "$(wc -l <"$work/often/series.csv")" -eq 12 ] || fail "10 steps of 5 ms, and not 11 rows"
done
check "a step of 1e300 s" 1 "$scree" run $ball -o "$work/long" --quiet --set stepper.step=1e300
has err "ball: "
check "what check says of it" 1 "$scree" check $ball --set stepper.step=1e300
has out ": 1 steps"
check "a step of 1e-12 s" 0 "$scree" check $ball --set stepper.step=1e-12
has out ": 6000000000000 steps"
check "until 1e300 s" 3 "$scree" run $ball -o "$work/ages" --until 1e300
has err "expected at most 1e+15"

# ---- numbers that overflow: refused with the line, or the run stops and names the body
cat >"$work/far.yaml" <<'YAML'
scree: 1
materials: {stone: {density: 2500, friction: 0.5}}
bodies:
  - {name: floor, shape: {plane: {}}}
  - {name: ball, shape: {sphere: {radius: 10 cm}}, position: [0, 0, 1], velocity: [0, 0, 0], force: [0, 0, 0]}
run: {until: 0.01}
stepper: {step: 1 ms}
YAML
overflow() { # STATUS SETTING...
    for scheme in moreau_jean anitescu_tasora; do
        check "$2, $scheme" "$1" "$scree" run "$work/far.yaml" -o "$work/far" --force --quiet --set stepper.scheme=$scheme --set "$2"
        has err "ball"
        ! grep -qiE '\bnan\b' "$work/err" || fail "a message with a nan"
    done
}
overflow 3 'bodies[1].velocity=[1e200, 0, 0]'
overflow 3 'bodies[1].position=[0, 0, 1e308]'
overflow 3 'bodies[1].shape.sphere.radius=1e308'
overflow 3 'bodies[1].mass=1e295'
overflow 3 'materials.stone.density=1e300'
overflow 1 'bodies[1].force=[1e300, 0, 0]'
overflow 1 'bodies[1].force=[1e200, 0, 0]'
# ---- files without end, and problems that would crash HDF5
check "a problem without end" 3 bash -c "ulimit -v 400000; exec '$scree' solve /dev/zero" # known for what it is before it fills the memory
has err "/dev/zero:1:1: error: this is no contact problem"
check "seeds without end" 2 "$scree" sweep $ball --seeds 2000000000 -o "$work/seeds" --plan
has err "--seeds is 2000000000, expected at most 10000000"
check "a pile" 0 "$scree" generate pile "$work/pile.hdf5" --grains 8
size=$(stat -c %s "$work/pile.hdf5")
# one byte that makes HDF5 itself crash: of an address, so that it reads a header where there is none
cp "$work/pile.hdf5" "$work/hurt.hdf5"
printf '\013' | dd of="$work/hurt.hdf5" bs=1 seek=233 conv=notrunc 2>/dev/null
check "a problem in which HDF5 crashes" 3 "$scree" solve "$work/hurt.hdf5"
has err "the file is damaged: HDF5 failed while reading it (signal"
for at in $(seq 0 8 96) $(seq 128 $((size / 40 + 1)) $((size - 8))); do
    cp "$work/pile.hdf5" "$work/hurt.hdf5"
    printf '\377\377\377\377\377\377\377\377' | dd of="$work/hurt.hdf5" bs=1 seek="$at" conv=notrunc 2>/dev/null
    "$scree" solve "$work/hurt.hdf5" --tol 1e-3 >"$work/out" 2>"$work/err"
    status=$?
    case $status in 0 | 1 | 3) ;; *) fail "a problem damaged at byte $at: exit status $status" ;; esac
done
finish
