#!/usr/bin/env bash
# A folder belongs to one writer: a second run or sweep is refused and told whose it is, what a killed one left is taken over, and nothing
# that is no run of the same scene is ever overwritten.
. "$(dirname "$0")/lib.sh"
ball=examples/ball.yaml door=examples/door.yaml
sums() { (cd "$1" && find . -type f | sort | xargs md5sum); }

# ---- two runs in one folder
"$scree" run $ball -o "$work/two" --quiet --until 1e9 &
first=$!
soon test -s "$work/two/series.csv"
for way in --force --resume; do
    for scene in $ball $door; do
        check "a second run, $way $scene" 3 "$scree" run $scene -o "$work/two" --quiet --until 0.05 $way
        [ $scene = $door ] && [ $way = --resume ] || has err "$work/two: error: a run is writing there (process $first on "
    done
done
check "a run as it is written is read" 0 "$scree" report "$work/two"
grep -q '^title: A ball' "$work/two/scene.yaml" || fail "the scene of the first run was replaced"
kill -TERM $first
wait $first
ended "the first run is unharmed" 143 $?
[ ! -e "$work/two/writer.lock" ] || fail "a lock is left"
check "and goes on" 0 "$scree" run --resume -o "$work/two" --quiet --until "$(sed -n 's/.*"time": \([0-9.e+-]*\),*/\1/p' "$work/two/summary.json")"

# ---- a run that was killed, and a lock with a text that nobody wrote
"$scree" run $ball -o "$work/killed" --quiet --until 1e9 &
first=$!
soon test -s "$work/killed/series.csv"
kill -KILL $first
wait $first 2>/dev/null
[ -e "$work/killed/writer.lock" ] || fail "a killed run left no lock to take over"
check "a lock whose process is gone" 0 "$scree" run $ball -o "$work/killed" --quiet --until 0.1 --resume
head -c 3000 /dev/urandom >"$work/killed/writer.lock"
check "a lock of noise" 0 "$scree" run $ball -o "$work/killed" --quiet --until 0.2 --resume
[ ! -e "$work/killed/writer.lock" ] || fail "a lock is left"
mkdir "$work/killed/writer.lock"
check "a lock that cannot be made" 4 "$scree" run $ball -o "$work/killed" --quiet --until 0.3 --resume
has err "cannot make writer.lock: Is a directory"

# ---- --resume continues a run of the same scene, and nothing else
check "a run" 0 "$scree" run $door -o "$work/door" --until 0.05 --quiet
rm "$work/door/checkpoint.h5"
sums "$work/door" >"$work/before"
check "another scene without a checkpoint" 3 "$scree" run $ball -o "$work/door" --resume --until 0.02 --quiet
for name in timing.csv frames.scree series.csv; do
    mkdir -p "$work/foreign" && echo mine >"$work/foreign/$name"
    check "a file of somebody else, $name" 2 "$scree" run $ball -o "$work/foreign" --until 0.02 --quiet
    has err "($name)"
    check "a file of somebody else, $name, --resume" 3 "$scree" run $ball -o "$work/foreign" --until 0.02 --quiet --resume
    grep -qx mine "$work/foreign/$name" || fail "$name was overwritten"
    rm -r "$work/foreign"
done
check "a sweep" 0 "$scree" sweep $ball --vary materials.stone.friction=0.1:0.4:4 --set run.until=0.05 -o "$work/sweep" --plan
check "its first case" 0 "$scree" sweep --case 0 -o "$work/sweep"
cp "$work/sweep/scene.yaml" "$work/same.yaml" # the very scene of the sweep
for scene in $ball "$work/same.yaml"; do
    for way in --resume --force ""; do
        check "a run over a sweep $way" 2 "$scree" run "$scene" -o "$work/sweep" $way --until 0.05 --quiet
        has err "holds a sweep (sweep.txt); -o DIR writes elsewhere"
    done
done
check "the sweep goes on" 0 "$scree" sweep --resume -o "$work/sweep" --quiet
echo '# another' >>"$work/sweep/scene.yaml"
for way in "--resume -o" "--case 1 -o" --collect; do
    check "a sweep whose scene was changed, $way" 3 "$scree" sweep $way "$work/sweep"
    has err "scene.yaml is not the one of this sweep any more"
done
sums "$work/door" | cmp -s - "$work/before" || fail "the run that was not continued has changed"

# ---- two sweeps, and workers that are killed
has_worker() { worker=$(pgrep -P "$1") && [ "$worker" != "$last" ]; }
killer() { # PID TIMES: kills the one worker of a sweep, and each that takes its place
    last=0
    for _ in $(seq "$2"); do
        soon has_worker "$1"
        kill -KILL "$worker"
        last=$worker
    done
}
long=(--set 'run.until=4000 s' --vary materials.stone.friction=0.3 -o)
"$scree" sweep $ball "${long[@]}" "$work/again" --quiet >"$work/first" 2>&1 &
first=$!
killer $first 2
wait $first
ended "a case whose process is killed twice" 0 $?
check "the same sweep in peace" 0 "$scree" sweep $ball "${long[@]}" "$work/peace" --quiet
cmp -s "$work/again/index.csv" "$work/peace/index.csv" || fail "the index after two kills"
"$scree" sweep $ball --set 'run.until=1e9 s' --vary materials.stone.friction=0.3 -o "$work/thrice" --quiet >"$work/out" 2>"$work/err" &
first=$!
killer $first 3
wait $first
ended "a case whose process is killed three times" 1 $?
has err "case 0: its process was killed 3 times"
[ "$(wc -l <"$work/thrice/index.csv")" -eq 1 ] || fail "a case that was killed has a row"

# ---- pages and plots
check "a run" 0 "$scree" run $ball -o "$work/a" --until 0.05 --quiet
for name in "$work/two/series.csv" "$work/a/frames.scree" "$work/x" "$work/x.html.gz"; do
    check "a page called $name" 2 "$scree" report "$work/a" -o "$name"
    has err "expected a name that ends in .html"
done
check "a page" 0 "$scree" report "$work/a" -o "$work/x.html"
if command -v flock >/dev/null; then # two that write the same file
    : >"$work/busy.html.tmp"
    check "a page that another one writes" 4 flock "$work/busy.html.tmp" "$scree" report "$work/a" -o "$work/busy.html"
    has err "busy.html: error: cannot make the file: Device or resource busy"
    check "and does no more" 0 "$scree" report "$work/a" -o "$work/busy.html"
fi
check "a page to a device" 0 bash -c "ln -s /dev/null '$work/null.html' && '$scree' report '$work/a' -o '$work/null.html' && [ -c '$work/null.html' ]"
check "a pile" 0 "$scree" generate pile "$work/p.dat" --grains 20
check "a trace to a full device" 4 "$scree" solve "$work/p.dat" --trace /dev/full
has err "/dev/full: error: cannot write the file: No space left on device"
[ -c /dev/full ] || fail "/dev/full was replaced"
finish
