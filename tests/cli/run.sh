#!/usr/bin/env bash
# `scree run` from outside: files, the same bits after any interruption and with any threads, messages, exit status.
#   tests/cli/run.sh [PATH OF scree]     default: $SCREE_BIN
set -u
. "$(dirname "$0")/lib.sh"
scene=tests/scenes/run-mixed.yaml
run() { "$scree" run "$@"; }
# same NAME A B: two folders hold the same files with the same bytes, but for what the clock says
same() {
    if ! diff -rq --exclude=timing.csv --exclude=summary.json --exclude=checkpoint.h5 "$2" "$3" >"$work/out" 2>&1; then
        : >"$work/err"
        fail "$1: the files differ"
    elif [ "$(hash_of "$2")" != "$(hash_of "$3")" ] || [ -z "$(hash_of "$2")" ]; then
        fail "$1: the hashes differ"
    else
        echo "ok $1"
    fi
}
hash_of() { sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' "$1/summary.json"; }
lines() { wc -l <"$1"; }

# ---- a whole run
begin=$(date +%s%N)
check "a run" 0 run "$scene" -o "$work/base"
milliseconds=$((($(date +%s%N) - begin) / 1000000))
is_empty err
for text in "a few of everything" "steps        500, to t = 1 s" "residual     mean" "closing error" "seconds      " "hash         $(hash_of "$work/base")" \
    "summary.json series.csv timing.csv scene.yaml frames.scree frames.pvd dump.lammpstrj contacts checkpoint.h5 (frames: 21)"; do
    has out "$text"
done
[ "$(lines "$work/base/series.csv")" -eq 22 ] || fail "series.csv has $(lines "$work/base/series.csv") lines, expected 22"
[ "$(find "$work/base/frames" -name 'bodies_*.vtp' | wc -l)" -eq 21 ] || fail "21 frames of bodies"
[ "$(find "$work/base/contacts" -name '*.csv' | wc -l)" -eq 21 ] || fail "21 contact tables"
[ -z "$(find "$work/base" -name '*.tmp*')" ] || fail "temporary files are left"
grep -q 'floor.force_z\[N\]' "$work/base/series.csv" || fail "the force on the floor is in the series"
grep -q '"outcome": "done"' "$work/base/summary.json" || fail "the outcome is in the summary"
if /usr/bin/python3 -c 'import vtk' >/dev/null 2>&1; then
    check "VTK reads the frames" 0 /usr/bin/python3 tests/cli/read_vtp.py "$work/base"
fi
check "the scene as run gives the same run" 0 run "$work/base/scene.yaml" -o "$work/again" --quiet
is_empty out
is_empty err
same "the scene as run" "$work/base" "$work/again"
check "two threads" 0 run "$scene" -o "$work/two" --quiet --threads 2
same "two threads" "$work/base" "$work/two"
check "without frames" 0 run "$scene" -o "$work/bare" --quiet --set 'output={every: 0}'
[ "$(hash_of "$work/base")" = "$(hash_of "$work/bare")" ] || fail "output changes the run"
[ "$(lines "$work/bare/series.csv")" -eq 3 ] || fail "the first and the last frame only"
check "json" 0 run "$scene" -o "$work/json" --json --until 0.1 --every 0.05
is_empty err
[ "$(head -c 1 "$work/out")" = "{" ] && [ "$(tail -n 1 "$work/out")" = "}" ] || fail "one object and nothing else"
cmp -s "$work/out" "$work/json/summary.json" || fail "--json prints summary.json"
if command -v /usr/bin/python3 >/dev/null; then
    /usr/bin/python3 -c 'import json, sys; s = json.load(open(sys.argv[1])); assert s["steps"] == 50 and s["frames"] == 3 and s["seconds"]["total"] > 0 and abs(s["energy"]["balance"]) < 1e-9' \
        "$work/out" || fail "the summary as JSON"
fi
check "a changed scene" 0 run "$scene" -o "$work/set" --quiet --until 0.02 --set materials.stone.friction=0.25
grep -q 'friction: 0.25' "$work/set/scene.yaml" || fail "scene.yaml has the override"

# ---- problems
check "problems" 0 run "$scene" -o "$work/problems" --quiet --until 0.5 --problems every=100
[ "$(ls "$work/problems/problems")" = "step_000100.hdf5
step_000200.hdf5" ] || fail "problems of steps 100 and 200: $(ls "$work/problems/problems")"
check "a stored problem can be solved" 0 "$scree" solve "$work/problems/problems/step_000200.hdf5" --tol 1e-6
check "storing problems changes nothing" 0 run "$scene" -o "$work/plain" --quiet --until 0.5
[ "$(hash_of "$work/problems")" = "$(hash_of "$work/plain")" ] || fail "storing problems changes the run"

# ---- killed, and resumed, at moments that nobody chose
killed=0
for trial in 1 2 3 4 5; do
    dir=$work/kill$trial
    for attempt in 1 2 3 4 5 6; do
        "$scree" run "$scene" -o "$dir" --quiet $([ -e "$dir" ] && echo --resume) >"$work/out" 2>"$work/err" &
        pid=$!
        sleep "$(printf '0.%03d' $((RANDOM % (milliseconds < 900 ? milliseconds : 900))))"
        kill -KILL $pid 2>/dev/null && killed=$((killed + 1))
        wait $pid 2>/dev/null
        [ -s "$dir/summary.json" ] && break
    done
    check "resume after SIGKILL, trial $trial" 0 run "$scene" -o "$dir" --resume --quiet
    same "resume after SIGKILL, trial $trial" "$work/base" "$dir"
    [ -z "$(find "$dir" -name '*.tmp*')" ] || fail "temporary files are left"
done
echo "killed $killed times"

# ---- interrupted, prolonged
"$scree" run "$scene" -o "$work/int" --until 100000 >"$work/out" 2>"$work/err" &
pid=$!
soon test -s "$work/int/checkpoint.h5"
kill -INT $pid
wait $pid
ended interrupt 130 $?
has err "Interrupted at t = "
has err "To resume: scree run --resume -o $work/int"
grep -q '"outcome": "interrupted"' "$work/int/summary.json" || fail "the outcome is interrupted"
stopped "terminated" 143 TERM "$scree" run "$scene" -o "$work/term" --quiet --until 100000 --every 1000
check "an end that is no frame" 0 run "$scene" -o "$work/part" --quiet --until 0.333
[ "$(lines "$work/part/series.csv")" -eq 9 ] || fail "seven frames and the end"
cp -r "$work/part" "$work/part2"
check "resume what is done" 0 run --resume -o "$work/part2" --quiet
same "resume what is done" "$work/part" "$work/part2"
check "prolong" 0 run --resume -o "$work/part" --until 1 --quiet
same "prolong" "$work/base" "$work/part"

# ---- hulls, meshes, height fields

shapes=tests/scenes/run-shapes.yaml
check "shapes" 0 run "$shapes" -o "$work/shapes" --quiet
check "shapes, two threads" 0 run "$shapes" -o "$work/shapes2" --threads 2 --quiet
same "shapes, two threads" "$work/shapes" "$work/shapes2"
check "shapes, the first half" 0 run "$shapes" -o "$work/shapes3" --until 0.3 --quiet
check "shapes, the other half" 0 run "$shapes" -o "$work/shapes3" --until 0.8 --resume --quiet
[ "$(hash_of "$work/shapes")" = "$(hash_of "$work/shapes3")" ] || fail "shapes: another hash after a restart"

# ---- joints: the same bytes for two threads, and in two parts
check "joints" 0 run examples/door.yaml -o "$work/door" --until 1 --quiet
check "joints, two threads" 0 run examples/door.yaml -o "$work/door2" --until 1 --threads 2 --quiet
same "joints, two threads" "$work/door" "$work/door2"
check "joints, the first part" 0 run examples/door.yaml -o "$work/door3" --until 0.55 --quiet
check "joints, the other part" 0 run -o "$work/door3" --until 1 --resume --quiet
same "joints, in two parts" "$work/door" "$work/door3"
check "a motor" 0 run examples/four-bar.yaml -o "$work/bars" --until 0.7 --quiet
check "a motor, the first part" 0 run examples/four-bar.yaml -o "$work/bars2" --until 0.33 --quiet
check "a motor, the other part" 0 run -o "$work/bars2" --until 0.7 --resume --threads 2 --quiet
same "a motor, in two parts" "$work/bars" "$work/bars2"

# ---- rigid contacts in a world that repeats itself, with a motor
cat >"$work/round.yaml" <<'YAML'
scree: 1
slope: 20 deg
periodic: {x: [0, 0.5], y: [0, 0.4]}
materials:
  stone: {density: 2500, friction: 0.5, rolling: 0.02 r}
bodies:
  - {name: floor, shape: {plane: {}}}
  - {name: rod, shape: {box: {size: [0.16, 0.02, 0.04]}}, position: [0.45, 0.2, 0.05]}
joints:
  - {name: axle, bodies: [ground, rod], hinge: {anchor: [0.45, 0.2, 0.05], motor: {speed: {amplitude: 10, frequency: 2 Hz}}}}
generators:
  - {name: grain, pour: {count: 80, rate: 400 1/s, from: {box: {min: [0, 0, 0.2], max: [0.5, 0.4, 0.25]}}}, radius: {uniform: {min: 20 mm, max: 30 mm}}}
stepper: {step: 2 ms}
run: {until: 0.6 s}
output: {every: 50 ms, contacts: true}
YAML
for scheme in anitescu_tasora moreau_jean; do
    check "periodic, $scheme" 0 run "$work/round.yaml" -o "$work/round" --force --quiet --set stepper.scheme=$scheme
    check "periodic, a part, $scheme" 0 run "$work/round.yaml" -o "$work/rounder" --force --quiet --set stepper.scheme=$scheme --until 0.25 --threads 2
    check "periodic, resumed, $scheme" 0 run --resume -o "$work/rounder" --until 0.6 --quiet
    same "periodic, resumed, $scheme" "$work/round" "$work/rounder"
done

# ---- soft contacts: histories go on too, in the engine for spheres and, with a body that is none, in that for any shape; walls, pours, loads
with_brick() { # NAME SIZE POSITION: NAME-any.yaml has one more body, which is no sphere
    sed "s/^generators:/  - {name: brick, shape: {box: {size: $2}}, position: $3}\n&/" "$work/$1.yaml" >"$work/$1-any.yaml"
}
cat >"$work/soft.yaml" <<'YAML'
scree: 1
materials:
  glass: {density: 2500, friction: 0.4, friction_static: 0.5, rolling: 0.01 r, restitution: 0.6, dem: {stiffness: 20 kN/m, slide_stiffness: 6 kN/m, damping_share: 0.3}}
bodies:
  - {name: floor, shape: {plane: {}}}
  - {name: plate, shape: {box: {size: [6 mm, 20 mm, 2 mm]}}, position: [1 mm, 5 mm, -0.99 mm], motion: {velocity: [0, 0, 30 mm/s], spin: [0, 0, 5]}}
  - {name: pushed, shape: {sphere: {radius: 1 mm}}, position: [5 mm, 5 mm, 13 mm], force: [0, 1 mN, -1 mN]}
generators:
  - {name: grain, lattice: {count: [6, 6, 6], spacing: 1.99 mm, origin: [0, 0, 1 mm]}, radius: 1 mm}
  - {name: late, pour: {count: 4, every: 0.4 ms, from: {box: {min: [0, 0, 16 mm], max: [10 mm, 10 mm, 20 mm]}}}, radius: {uniform: {min: 0.8 mm, max: 1 mm}}}
stepper: {scheme: dem, step: 2 us}
run: {until: 3 ms}
output: {every: 0.5 ms}
YAML
with_brick soft '[1 mm, 1 mm, 1 mm]' '[30 mm, 0, 0.5 mm]'
for name in soft soft-any; do
    check "$name" 0 run "$work/$name.yaml" -o "$work/$name.whole" --quiet
    check "$name, a part" 0 run "$work/$name.yaml" -o "$work/$name.part" --quiet --until 0.0012 --threads 2
    check "$name, resumed" 0 run --resume -o "$work/$name.part" --until 0.003 --quiet
    same "$name, resumed" "$work/$name.whole" "$work/$name.part"
done
cat >"$work/drop.yaml" <<'YAML'
scree: 1
materials: {glass: {density: 2500, friction: 0.4, restitution: 0.3, dem: {stiffness: 20 kN/m, slide_stiffness: 6 kN/m}}}
bodies:
  - {name: floor, shape: {plane: {}}}
  - {name: ball, shape: {sphere: {radius: 1 mm}}, position: [0, 0, 1.1 mm], velocity: [0, 0, -1]}
stepper: {scheme: dem, step: 5 us}
run: {until: 1 ms}
YAML
check "soft, a step that is long" 0 run "$work/drop.yaml" -o "$work/soft.long" --quiet
has err "drop.yaml: warning: the energy ledger misses "
has err " J lost: the step of 5e-06 s is long for these contacts; half of it halves the error"
check "soft, a step that is short" 0 run "$work/soft.yaml" -o "$work/soft.short" --set stepper.step=0.1us --until 0.0001
is_empty err
has out " lost: the time step's"
check "soft, too long a step" 3 run "$work/soft.yaml" -o "$work/soft2" --set stepper.step=1ms
has err "beyond the critical step of"

# grains that close up get more contacts than the step takes: a checkpoint is left, and a shorter step goes on from it
crowd_scene "$work/crowd.yaml"
with_brick crowd '[9 mm, 9 mm, 9 mm]' '[40 mm, 0, 4.6 mm]'
for bed in crowd crowd-any; do
    dir="$work/$bed.run"
    check "soft, a crowd, $bed" 1 run "$work/$bed.yaml" -o "$dir" --quiet
    has err "the step of 1.4e-05 s is beyond the critical step of "
    has err "set by the contact of "
    has err "expected a step of at most "
    has err "To resume with a shorter step: scree run --resume -o $dir --set stepper.step=SECONDS"
    [ -s "$dir/checkpoint.h5" ] || fail "a checkpoint is left"
    grep -q '"outcome": "failed"' "$dir/summary.json" || fail "the summary says so"
    check "soft, a crowd, resumed, $bed" 1 run --resume -o "$dir" --quiet
    has err "beyond the critical step of"
    check "soft, a crowd, another scene, $bed" 2 run --resume -o "$dir" --quiet --set run.until=1
    has err "--set changes the scene, and a resumed run keeps the one it has (but for stepper.step)"
    check "soft, a crowd, shorter, $bed" 0 run --resume -o "$dir" --quiet --set stepper.step=4us --until 0.002
    check "soft, a crowd, and on, $bed" 0 run --resume -o "$dir" --quiet --until 0.004
done

# ---- what cannot be resumed
check "a folder that holds a run" 2 run "$scene" -o "$work/part"
has err "already holds a run"
has err "--resume"
has err "--force"
sed 's/friction: 0.5/friction: 0.6/' "$scene" >"$work/changed.yaml"
check "another scene" 3 run "$work/changed.yaml" -o "$work/part" --resume
has err "$work/changed.yaml: error: the scene has changed"
check "another scene by --set" 3 run "$scene" -o "$work/part" --resume --set run.until=3
cp "$work/part/checkpoint.h5" "$work/good.h5"
head -c 20000 "$work/good.h5" >"$work/part/checkpoint.h5"
check "a checkpoint cut short" 3 run --resume -o "$work/part"
has err "$work/part/checkpoint.h5: error: this is not a checkpoint of scree, or it is cut short"
echo "hello" >"$work/part/checkpoint.h5"
check "something else" 3 run --resume -o "$work/part"
[ "$(wc -l <"$work/err")" -eq 1 ] || fail "one line, and none of HDF5"
cp "$work/good.h5" "$work/part/checkpoint.h5"
head -c 100 "$work/base/series.csv" >"$work/part/series.csv"
check "a series cut short" 3 run --resume -o "$work/part"
has err "series.csv: error: the file has 100 bytes, but had"
rm "$work/part/checkpoint.h5"
check "no checkpoint: from the beginning" 0 run "$scene" --resume -o "$work/part"
has err "holds no checkpoint: the run starts from the beginning"
same "from the beginning" "$work/base" "$work/part"
rm "$work/part/checkpoint.h5" && ln -s checkpoint.h5 "$work/part/checkpoint.h5" # a link to itself: there, and cannot be opened
check "a checkpoint that cannot be opened" 3 run "$scene" --resume -o "$work/part"
has err "checkpoint.h5: error: cannot open the checkpoint"
rm "$work/part/checkpoint.h5"
check "no checkpoint, and another scene" 3 run "$scene" --resume -o "$work/part" --set title=another
has err "of another scene, without a checkpoint"
same "refused, so left as it was" "$work/base" "$work/part"
touch "$work/part/frames/mine.vtp" "$work/part/frames/bodies_000999.vtp"
check "--force" 0 run "$scene" --force -o "$work/part" --quiet
[ -e "$work/part/frames/mine.vtp" ] && [ ! -e "$work/part/frames/bodies_000999.vtp" ] || fail "--force removes our files and no others"
rm "$work/part/frames/mine.vtp"
same "--force" "$work/base" "$work/part"

# ---- a full disk
check "a full disk" 4 bash -c "ulimit -f 96; exec '$scree' run '$scene' -o '$work/full' --quiet"
has err "$work/full/"
has err "cannot write the file: "
has err "To resume: scree run --resume -o $work/full"
check "room again" 0 run --resume -o "$work/full" --quiet
same "after a full disk" "$work/base" "$work/full"
check "a full disk before the first checkpoint" 4 bash -c "ulimit -f 1; exec '$scree' run '$scene' -o '$work/full2' --quiet"
check "stdout is full" 4 bash -c "exec '$scree' run '$scene' -o '$work/full3' --until 0.01 >/dev/full"
: >"$work/file"
check "a folder that cannot be made" 4 run "$scene" -o "$work/file/run"
has err "cannot make the folder"

# ---- stop: at rest
cat >"$work/rest.yaml" <<'END'
scree: 1
materials: {stone: {density: 2500 kg/m^3, friction: 0.5, rolling: 0.1 r, restitution: 0.5}}
bodies:
  - {name: floor, shape: {plane: {}}}
generators:
  - {name: grain, pour: {count: 5, every: 100 ms, from: {box: {min: [-0.3, -0.3, 0.4], max: [0.3, 0.3, 0.4]}}}, radius: 5 cm}
run: {until: 20 s, stop: at rest}
output: {every: 50 ms}
END
check "it stops at rest" 0 run "$work/rest.yaml" -o "$work/rest"
has out "stopped      before t = 20 s: everything rests"
awk -F, 'NR > 1 { last = $1; bodies = $4 } END { exit !(last > 0.5 && last < 10 && bodies == 5) }' "$work/rest/series.csv" || fail "after the last grain has come to rest"
check "a part of it" 0 run "$work/rest.yaml" -o "$work/rest_parts" --until 0.7
check "prolonged" 0 run --resume -o "$work/rest_parts" --until 20
cmp -s "$work/rest/series.csv" "$work/rest_parts/series.csv" || fail "a run that is resumed stops at the same time"
check "nothing is left to do" 0 run --resume -o "$work/rest"
cmp -s "$work/rest/series.csv" "$work/rest_parts/series.csv" || fail "a run at rest goes no further"
cat >"$work/flight.yaml" <<'END'
scree: 1
materials: {stone: {density: 2500 kg/m^3}}
bodies:
  - {name: ball, shape: {sphere: {radius: 5 cm}}, velocity: [0, 0, 0.981]} # at its highest point at 0.1 s
run: {until: 0.3 s, stop: at rest, rest_speed: 1 cm/s}
output: {every: 50 ms}
END
check "the highest point of a flight is no rest" 0 run "$work/flight.yaml" -o "$work/flight"
has out "to t = 0.3 s"

# ---- letters, colours, lines
check "-V" 0 "$scree" -V
has out "scree "
check "-q says nothing" 0 run "$work/flight.yaml" -o "$work/quiet" -q
is_empty out
is_empty err
check "-v has a line for each frame" 0 run "$work/flight.yaml" -o "$work/verbose" -v
[ "$(grep -c '^frame [0-9]*: t ' "$work/err")" -eq 7 ] || fail "seven frames"
check "-q and -v" 2 run "$work/flight.yaml" -o "$work/both" -q -v
check "help of a measurement" 0 "$scree" help bench solve
has out "usage: scree bench solve"
check "help of the one that is a program" 0 "$scree" help bench dem
has out "scree_bench_dem"
check "help of none" 2 "$scree" help bench nothing
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1; then # a terminal, where the machine has them
    red=$(printf '\033[1;31merror:')
    TERM=xterm NO_COLOR='' script -qec "'$scree' run" /dev/null >"$work/out" 2>&1
    has out "$red"
    TERM=xterm NO_COLOR=1 script -qec "'$scree' run" /dev/null >"$work/out" 2>&1
    has out "scree run: error: no SCENE given"
    TERM=dumb NO_COLOR='' script -qec "'$scree' check $work/absent.yaml" /dev/null >"$work/out" 2>&1
    if grep -qF "$red" "$work/out"; then fail "a terminal without colours"; fi
fi

# ---- steps that fall short
check "steps that do not converge" 1 run "$scene" -o "$work/short" --set solver.max_iterations=1 --set solver.name=psor --set solver.tolerance=1e-12
has err "steps did not converge; the worst residual is"
has err "--set solver.max_iterations=4. Fewer of them: a shorter step, --set 'stepper.step=1 ms'."
grep -q '"outcome": "done"' "$work/short/summary.json" || fail "results are written"
check "a body runs away" 1 run "$scene" -o "$work/away" --set 'speed_limit=2 m/s'
has err "To resume"
grep -q '"outcome": "failed"' "$work/away/summary.json" || fail "the outcome is failed"
cat >"$work/rocket.yaml" <<'END'
scree: 1
title: soft spheres, of which one runs away
speed_limit: 3 m/s
materials: {glass: {density: 2500 kg/m^3, friction: 0.4, restitution: 0.6, dem: {stiffness: 20 kN/m, slide_stiffness: 6 kN/m}}}
bodies:
  - {name: floor, shape: {plane: {}}}
  - {name: rocket, shape: {sphere: {radius: 2.4 mm}}, position: [0, 0, 0.1], force: [[0, 0, 0, 0], [20 ms, 0, 0, 0.1 N]]}
stepper: {scheme: dem, step: 10 us}
run: {until: 0.3 s}
output: {every: 10 ms, checkpoint: 5 ms}
END
for goes in --force --resume; do # the runaway is in no checkpoint: the second run meets it again
    check "a soft sphere runs away, $goes" 1 run "$work/rocket.yaml" -o "$work/rocket" --quiet $goes
    has err "rocket: its speed of"
    has err "The last checkpoint is of t = 0.01 s"
done

# ---- usage and bad input
check "help" 0 run --help
check "no scene" 2 run
has err "no SCENE given"
check "two scenes" 2 run "$scene" "$scene"
check "resume without a name" 2 run --resume
check "resume what is not there" 2 run --resume -o "$work/nowhere"
has err "holds no run to resume"
check "resume and force" 2 run "$scene" --resume --force
check "--set without a scene" 2 run --resume -o "$work/base" --set run.until=2
for bad in every=0 every= 100 every=x every=1.5; do check "--problems $bad" 2 run "$scene" --problems "$bad"; done
check "unknown option" 2 run "$scene" --treads 2
has err "did you mean '--threads'?"
check "a scene that is not there" 3 run "$work/absent.yaml" -o "$work/x"
has err "$work/absent.yaml: error: cannot open"
[ ! -e "$work/x" ] || fail "a bad scene leaves no folder"
printf 'scree: 1\nrun: {until: 1 kg}\n' >"$work/bad.yaml"
check "a bad scene" 3 run "$work/bad.yaml" -o "$work/x"
has err "$work/bad.yaml:2:14: error: "
printf '  run: {until: 1 kg}\n               ^\n' | cmp -s - <(tail -n 2 "$work/err") || fail "source line and caret"
[ ! -e "$work/x" ] || fail "a bad scene leaves no folder"
check "a bad override" 3 run "$scene" -o "$work/x" --set materials.stone.frction=1
has err "--set materials.stone.frction=1"
check "the default folder" 0 bash -c "cd '$work/base' && '$scree' run '$work/base/scene.yaml' --until 0.01 --quiet && test -s out/scene/summary.json"

finish
