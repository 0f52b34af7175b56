#!/usr/bin/env bash
# `scree check` from outside: what would be simulated, and every mistake with its place.
#   tests/cli/check.sh [PATH OF scree]     default: $SCREE_BIN
set -u
. "$(dirname "$0")/lib.sh"
scene=tests/scenes/run-mixed.yaml

check "a good scene" 0 "$scree" check "$scene"
is_empty err
for text in "scene        $scene: a few of everything" "dynamic      2, boxes 1, capsules 1, mass " "fixed        1, planes 1" \
    "driven       1, boxes 1" "to pour      60 more bodies" "stone            density 2500 kg/m^3" "stone - steel" "0.05 r" "0.3 mm" \
    "run          until 1 s, step 0.002 s: 500 steps" "scheme       anitescu_tasora, law coulomb, solver " ", tolerance 1e-08" \
    "overlaps     none at the start" "output       frames 21: frames vtp dump contacts; about "; do
    has out "$text"
done
check "an override" 0 "$scree" check "$scene" --set run.until=2s --set stepper.law=convex
has out "until 2 s, step 0.002 s: 1000 steps"
has out "law convex"
check "what is measured" 0 "$scree" check examples/silo.yaml
has out "measures     outlet.mass[kg], outlet.count, outlet.rate[kg/s], left_in.count, left_in.mass[kg], "
has out ", impact.pressure[Pa], profile_axis.csv"
check "an overlap is named" 0 "$scree" check "$scene" --set 'bodies[2].position=[-0.3, 0, 0.04]'
has out "overlaps     1 pairs of bodies at the start, the deepest:"
has out "floor and brick by 10 mm"
cat >"$work/full.yaml" <<'EOF'
scree: 1
materials:
  stone: {density: 2500 kg/m^3, friction: 0.5}
bodies:
  - {name: floor, shape: {plane: {}}}
generators:
  - {packing: {count: 50, region: {box: {min: [0, 0, 0], max: [0.1, 0.1, 0.1]}}}, radius: 20 mm}
run: {until: 2 ms}
stepper: {step: 1 ms}
EOF
check "grains that find no place" 0 "$scree" check "$work/full.yaml"
has out " grains for which the packing found no free position"
check "a run says it too" 0 "$scree" run "$work/full.yaml" -o "$work/full" --quiet
has err " grains for which the packing found no free position"
cat >"$work/balls.yaml" <<'EOF'
scree: 1
materials:
  stone: {density: 2500 kg/m^3, friction: 0.5, rolling: 0.1 r}
generators:
  - {lattice: {count: [5, 5, 2], spacing: 90 mm, origin: [0, 0, 0.1]}, radius: {uniform: {min: 20 mm, max: 40 mm}}}
bodies:
  - {name: floor, shape: {plane: {}}}
run: {until: 1 s}
EOF
check "radii, and what a ratio stands for" 0 "$scree" check "$work/balls.yaml"
has out "dynamic      50, spheres 50"
grep -qE '0\.1 r = 2\.[0-9]* to [34][0-9.]* mm' "$work/out" || fail "rolling friction in mm"
grep -qE '^radii        2[0-9.]* to [34][0-9.]* mm$' "$work/out" || fail "the radii"

check "a pair of soft contacts is not called rigid" 0 "$scree" check examples/soft-bed.yaml
if grep -qF "  rigid" "$work/out"; then fail "soft contacts called rigid"; fi
has out "2e+04 N/m"
cat >"$work/seam.obj" <<'EOF'
v -1 -1 0
v 0 -1 0
v 0 1 0
v 0 0.3 0
v 1 0 0
f 1 2 3
f 2 5 4
f 4 5 3
EOF
cat >"$work/seam.yaml" <<'EOF'
scree: 1
materials: {stone: {density: 2500 kg/m^3}}
bodies:
  - {name: ground, shape: {mesh: {file: seam.obj}}}
  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.2]}
run: {until: 1 s}
EOF
check "a mesh with its borders" 0 "$scree" check "$work/seam.yaml"
has out "mesh         ground: 4 triangles, ends at 4 edges"

# what it says of output and memory is what a run has, to a factor of two
size_of() { du -sb --apparent-size "$1" | cut -f1; }
member() { sed -n "s/^ *\"$1\": \([^,]*\),*\$/\1/p" "$work/out"; }
within_two() { awk -v a="$2" -v b="$3" 'BEGIN { exit !(a < 2 * b && b < 2 * a) }' || fail "$1: said $2, is $3"; }
awk 'BEGIN { print "ncols 201\nnrows 201\nxllcorner 0\nyllcorner 0\ncellsize 0.05"; for (j = 0; j < 201; ++j) { for (i = 0; i < 201; ++i) printf "%.3f ", 0.01 * sin(0.3 * i) * cos(0.4 * j); print "" } }' >"$work/ground.asc"
cat >"$work/ground.yaml" <<'EOF'
scree: 1
materials: {stone: {density: 2500 kg/m^3, friction: 0.5}}
bodies:
  - {name: ground, shape: {heights: {file: ground.asc}}}
  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [5, 5, 0.2]}
run: {until: 0.2 s}
output: {every: 20 ms}
EOF
for case in "$work/ground.yaml" "$work/ground.yaml --set output.frames=[vtp,dump]" "$work/balls.yaml --set output.every=50ms --set run.until=0.5s"; do
    # shellcheck disable=SC2086
    check "check --json $case" 0 "$scree" check --json $case
    is_empty err
    said=$(member output_bytes) checkpoint=$(member checkpoint_bytes)
    [ "$(member not_held)" = 0 ] || fail "nothing is lost"
    # shellcheck disable=SC2086
    "$scree" run $case -o "$work/run" --quiet --force
    within_two "output of $case" "$said" "$(($(size_of "$work/run") - $(size_of "$work/run/checkpoint.h5")))"
done
within_two "checkpoint" "$checkpoint" "$(size_of "$work/run/checkpoint.h5")"
check "time and memory" 0 "$scree" check "$work/balls.yaml"
grep -qE '^memory       about 15\.6 MB for 51 bodies in a pile$' "$work/out" || fail "the memory"
sed 's/radius: {uniform.*$/shape: {box: {size: [40 mm, 40 mm, 40 mm]}}}/' "$work/balls.yaml" >"$work/boxes.yaml"
check "boxes touch at several points" 0 "$scree" check "$work/boxes.yaml"
has out "memory       about 18.3 MB for 51 bodies in a pile"
grep -qE '^time         about [0-9:]+: [0-9.e-]+ ms a step, measured over [0-9]+ steps with [0-9]+ contacts; piles take longer$' "$work/out" || fail "the time"
if [ "$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)" -lt 100000000 ]; then # kB; elsewhere it would be built
    check "a scene beyond the memory is read, not built" 0 "$scree" check "$work/balls.yaml" --set 'generators[0].lattice.count=[1000, 1000, 10]'
    is_empty err
    has out "memory       about 120 GB for 10000001 bodies in a pile; this machine has "
    has out "it was read, and not built"
fi

check "schema" 0 "$scree" check --schema
is_empty err
[ "$(head -c 1 "$work/out")" = "{" ] || fail "the schema is an object"
if command -v /usr/bin/python3 >/dev/null; then
    /usr/bin/python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/out" || fail "the schema is JSON"
fi
check "reference" 0 "$scree" check --reference
has out "| key | value | default | |"

printf 'scree: 1\nmaterials:\n  stone: {friction: 0.5, rollin: 2 mm}\nrun: {until: 1 s}\n' >"$work/key.yaml"
check "an unknown key" 3 "$scree" check "$work/key.yaml"
is_empty out
has err "$work/key.yaml:3:"
has err "rolling"
printf 'scree: 1\ntitle: "größer"\nrun: {titel: "ü", until: -1 s}\n' >"$work/utf8.yaml"
check "a caret behind characters of several bytes" 3 "$scree" check "$work/utf8.yaml"
[ "$(wc -l <"$work/err")" -eq 3 ] || fail "message, line and caret"
check "no scene" 2 "$scree" check
check "two scenes" 2 "$scree" check "$scene" "$scene"
check "schema with a scene" 2 "$scree" check --schema "$scene"
check "schema and reference" 2 "$scree" check --schema --reference
check "a scene that is not there" 3 "$scree" check "$work/absent.yaml"
check "a bad override" 3 "$scree" check "$scene" --set run.untl=2
has err "--set run.untl=2"
check "a full disk" 4 bash -c "'$scree' check '$scene' >/dev/full"

finish
