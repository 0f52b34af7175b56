#!/usr/bin/env bash
# One exit status per cause, as the table of docs/embedding.md has it: each cause is provoked, before a run and during one.
. "$(dirname "$0")/lib.sh"

# expected STATUS COLUMN: the exit status that the table has for a cause; column 3: the command cannot begin or finish, 4: a run stops
expected() { awk -F'|' -v cause=" \`SCREE_$1\` " -v at="$2" '$2 == cause { gsub(" ", "", $(at + 1)); print $(at + 1); n++ } END { exit n != 1 }' docs/embedding.md || echo -1; }
# refused STATUS COMMAND... / stops STATUS COMMAND...
refused() { check "$1, refused" "$(expected "$1" 3)" "${@:2}"; }
stops() { check "$1, in a run" "$(expected "$1" 4)" "${@:2}"; }

cat >"$work/scene.yaml" <<'YAML'
scree: 1
materials:
  stone: {density: 2500, friction: 0.5, dem: {stiffness: 20 kN/m, slide_stiffness: 10 kN/m}}
bodies:
  - {name: floor, shape: {plane: {}}}
  - {name: ball, shape: {sphere: {radius: 10 cm}}, position: [0, 0, 10.1 cm], velocity: [1, 0, 0]}
  - {name: top, shape: {sphere: {radius: 10 cm}}, position: [0, 0, 30.2 cm]}
run: {until: 50 ms}
YAML
run=("$scree" run "$work/scene.yaml" --quiet --force -o "$work/run")

refused OK "${run[@]}"
refused ERR_INPUT "${run[@]}" --set bodies[1].shape.sphere.radius=-1
refused ERR_FILE "$scree" run "$work/absent.yaml" -o "$work/none"
[ "$(expected ERR_MEMORY 3)" = 4 ] || fail "the table has not 4 for ERR_MEMORY, which memory.sh provokes"
refused ERR_UNSUPPORTED "$scree" generate pile "$work/x.nothing" --grains 10
has err "x.nothing: error: "
refused ERR_STEP "${run[@]}" --set stepper.scheme=dem --set stepper.step=10ms
has err "beyond the critical step of"
refused ERR_READ "$scree" check /proc/self/mem # there, and its first byte cannot be read
has err "/proc/self/mem: error: cannot read the file: Input/output error"
: >"$work/file"
refused ERR_WRITE "$scree" run "$work/scene.yaml" --quiet -o "$work/file/run"

stops ERR_SOLVER "${run[@]}" --set stepper.on_failure=stop --set solver.name=psor --set solver.max_iterations=1 --set solver.tolerance=1e-13 \
    --set stepper.min_iterations=0
has err "the solver psor reached a residual of"
grep -q '"outcome": "failed"' "$work/run/summary.json" || fail "the summary of a solver that stopped the run"
stops ERR_RUNAWAY "${run[@]}" --set 'gravity=[0, 0, 50]' --set 'speed_limit=2 m/s'
has err "its speed of"
grep -q '"outcome": "failed"' "$work/run/summary.json" || fail "the summary of a runaway"
stops ERR_WRITE bash -c 'ulimit -f 4; exec "$@"' bash "${run[@]}"
has err "cannot write the file"
# grains that close up get more contacts than the step takes
crowd_scene "$work/crowd.yaml"
stops ERR_STEP "$scree" run "$work/crowd.yaml" --quiet -o "$work/crowd"
has err "beyond the critical step of"
# moreau_jean does not take a stiffness, which it learns when bodies touch
stops ERR_UNSUPPORTED "${run[@]}" --set stepper.scheme=moreau_jean --set materials.stone.stiffness=1e4
has err "has a stiffness"
finish
