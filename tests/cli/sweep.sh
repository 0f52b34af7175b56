#!/usr/bin/env bash
# `scree sweep` from outside: which cases there are, one index however it came about, failing cases, plans, plots, messages.
#   tests/cli/sweep.sh [PATH OF scree]     default: $SCREE_BIN
set -u
. "$(dirname "$0")/lib.sh"
ball=examples/ball.yaml
sweep() { "$scree" sweep "$@"; }
rolling=materials.stone.rolling
friction=materials.stone.friction
# column NAME FILE: the numbers of a column without quotes, on one line
column() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) c = i; next } { printf "%s%s", sep, $c; sep = " " }' "$2"
}
# equal NAME A B: two files have the same bytes
equal() { if cmp -s "$2" "$3"; then echo "ok $1"; else diff "$2" "$3" >"$work/out" 2>"$work/err"; fail "$1"; fi; }
# is NAME FOUND EXPECTED
is() { if [ "$2" = "$3" ]; then echo "ok $1"; else fail "$1: found '$2', expected '$3'"; fi; }

# ---- which cases
check "a product" 0 sweep "$ball" --set 'run.until=10 ms' --vary "$friction=0.1,0.2,0.3" --vary "$rolling=1 mm:10 mm:5" -o "$work/product"
is_empty err
for text in "cases        15: finished 15, failed 0, missing 0; finished before 0" "index        $work/product/index.csv"; do has out "$text"; done
is "the header" "$(head -n 1 "$work/product/index.csv")" \
    "case,$friction,$rolling,time[s],contacts,residual_max,penetration_max[m],kinetic[J],hash,outcome,message"
is "cases in order" "$(column case "$work/product/index.csv")" "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14"
is "the first input is slowest" "$(column "$friction" "$work/product/index.csv")" "0.1 0.1 0.1 0.1 0.1 0.2 0.2 0.2 0.2 0.2 0.3 0.3 0.3 0.3 0.3"
steps="0.001 0.00325 0.0055 0.00775 0.01"
is "equal steps in SI" "$(column "$rolling" "$work/product/index.csv")" "$steps $steps $steps"
check "a zip with log spacing" 0 sweep "$ball" --set 'run.until=10 ms' --zip --vary "$rolling=1 mm:1 m:4:log" --vary "$friction=0.1,0.2,0.3,0.4" -o "$work/zip"
is "equal ratios" "$(column "$rolling" "$work/zip/index.csv")" "0.001 0.01 0.1 1"
is "pairs" "$(column "$friction" "$work/zip/index.csv")" "0.1 0.2 0.3 0.4"
check "ratios of the radius, seeds" 0 sweep "$ball" --set 'run.until=10 ms' --vary "$rolling=0.01 r:0.03 r:3" --seeds 2 -o "$work/ratio"
is "ratios" "$(column "$rolling[r]" "$work/ratio/index.csv")" "0.01 0.01 0.02 0.02 0.03 0.03"
is "seeds" "$(column seed "$work/ratio/index.csv")" "1 2 1 2 1 2"
check "values with commas" 0 sweep "$ball" --set 'run.until=10 ms' --vary 'bodies.ball.velocity=[1, 0, 0],[2 m/s, 0, 0]' \
    --result bodies.ball.velocity.x --result bodies.ball.speed --result bodies.ball.spin.y --result bodies.ball.rotation.w --result bodies.floor.force.z -o "$work/vectors"
is "a vector is one value" "$(wc -l <"$work/vectors/index.csv")" 3
has out "cases        2: finished 2"
check "a component" 0 sweep "$ball" --set 'run.until=10 ms' --vary 'bodies.ball.position[2]=0.5,0.6' --result bodies.ball.position.z -o "$work/component"
is "the ball that is held up falls" "$(column 'bodies.ball.position.z[m]' "$work/component/index.csv" | awk '{ print ($1 == 0.5), ($2 < 0.6 && $2 > 0.59) }')" "1 1"

# ---- the same values as `scree run` gives
check "as run" 0 "$scree" run "$ball" -o "$work/run" --quiet --set "$rolling=50 mm"
check "full" 0 sweep "$ball" --vary "$rolling=40 mm,50 mm" -o "$work/full" --keep full --quiet
is_empty out
diff -rq --exclude=timing.csv --exclude=summary.json --exclude=checkpoint.h5 --exclude=scene.yaml "$work/run" "$work/full/case_000001" >"$work/out" || fail "a case kept in full is a run"
is "the hash of the run" "$(column hash "$work/full/index.csv" | cut -d ' ' -f 2)" "$(sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' "$work/run/summary.json")"
check "row" 0 sweep "$ball" --vary "$rolling=40 mm,50 mm" -o "$work/row" --quiet
equal "rows do not depend on what is kept" "$work/row/index.csv" "$work/full/index.csv"
[ ! -e "$work/row/case_000000" ] || fail "--keep row leaves no folder"

# ---- physics: how far a ball rolls, v^2 / (2 (5/7) (rho/R) g)
check "how far a ball rolls" 0 sweep "$ball" --vary "$rolling=30 mm:60 mm:7" --set 'run.until=8 s' --result bodies.ball.position.x --result bodies.ball.speed \
    --plot bodies.ball.position.x -o "$work/physics"
awk -F, 'NR > 1 { ++n; d = 2.5 ^ 2 / (2 * 5 / 7 * $2 / 0.5 * 9.81); e = $3 / d - 1; if (e < 0) e = -e; if (e > 0.01 || $4 > 1e-6) { bad = 1; print $0, d } } END { exit bad || n != 7 }' \
    "$work/physics/index.csv" >"$work/out" || fail "distances to 1 percent, and at rest"
is "the data of a line" "$(wc -l <"$work/physics/plot_bodies.ball.position.x.csv")" 8
grep -q '<path' "$work/physics/plot_bodies.ball.position.x.svg" || fail "a line as SVG"
check "a heat map" 0 sweep "$ball" --set 'run.until=50 ms' --vary "$rolling=1 mm:9 mm:4" --vary "$friction=0.1:0.4:3" --plot kinetic -o "$work/map"
is "the data of a map" "$(sed -n '1p;13p' "$work/map/plot_kinetic.csv" | cut -d , -f 1-4 | tr '\n' ' ')" "i,j,$rolling,$friction 3,2,0.009,0.4 "
for file in plot_kinetic.svg plot_kinetic.png; do [ -s "$work/map/$file" ] || fail "a map as $file, without gnuplot"; done
is "a cell for each case, a bar of 64, and the page" "$(grep -c '<rect' "$work/map/plot_kinetic.svg")" 77
grep -qF "$rolling [mm]" "$work/map/plot_kinetic.svg" || fail "units on the axes"
has out "$rolling [mm]"
has out "kinetic [J]"
mixed=tests/scenes/run-mixed.yaml
check "repetitions" 0 sweep "$mixed" --set 'run.until=0.3 s' --vary 'slope=0 deg:10 deg:2' --seeds 5 --result kinetic --result heap.flank_angle --plot kinetic -o "$work/repeat"
has out "slope [deg]"
has out "heap.flank_angle [deg]"
has out " (5)"
has out "mean +- standard error (repetitions)"
is "a row for each value and result" "$(wc -l <"$work/repeat/statistics.csv")" 5
grep -qF "+ standard error" "$work/repeat/plot_kinetic.svg" || fail "means with their errors"
# the statistics again, from the index: slope is column 2, seed 3, kinetic 4
awk -F, 'NR == FNR { if (FNR > 1 && $2 == 0) { n++; sum += $4; squares += $4 * $4; if (n == 1 || $4 < least) least = $4 } next }
    $1 == 0 && $2 == "kinetic[J]" { m = sum / n; s = sqrt((squares - n * m * m) / (n - 1)); found = 1
        good = $3 == n && ($4 - m) ^ 2 < 1e-20 * m * m && ($5 - s / sqrt(n)) ^ 2 < 1e-12 * s * s && $7 == least }
    END { exit !(found && good) }' "$work/repeat/index.csv" "$work/repeat/statistics.csv" || fail "mean, error and least value"
check "a histogram" 0 sweep "$mixed" --set 'run.until=0.1 s' --seeds 6 --plot kinetic -o "$work/histogram"
grep -qF "kinetic [J]: mean " "$work/histogram/plot_kinetic.svg" || fail "a histogram"

# ---- the phase map of [FN] on a coarse grid, and its check
map=examples/papers/fn-map
grid=(--vary 'slope=1 deg:30 deg:30' --vary materials.rubber.dem.eta_r=0.2:0.5:7 --result mode --result sliding --result rolling --result spinning)
check "the phase map" 0 sweep "$map/scene.yaml" "${grid[@]}" -j 2 -o "$work/phases" --quiet
check "its borders" 0 awk -f "$map/check.awk" "$work/phases/index.csv"
has out "210 runs, "
has out " 0 of them farther"
awk -F, 'NR > 1 && $4 != 1 + $5 + 2 * $6 || NR > 1 && $7 != 0 { bad = 1 } END { exit bad }' "$work/phases/index.csv" || fail "mode, sliding and rolling say the same"
awk -F, -v OFS=, 'NR == 2 { $4 = 4 } { print }' "$work/phases/index.csv" >"$work/wrong.csv"
check "one run that is wrong far from a border" 1 awk -f "$map/check.awk" "$work/wrong.csv"
has out "rolling with slip, expected static"
check "no map at all" 3 awk -f "$map/check.awk" "$work/map/index.csv"
soft=(--set 'run.until=0.1 s' --vary 'slope=1 deg,20 deg' --result active --result penetration --result elastic --result hash)
check "soft rows" 0 sweep "$map/scene.yaml" "${soft[@]}" -o "$work/softrow" --quiet
check "soft, kept in full" 0 sweep "$map/scene.yaml" --set 'output.every=7 ms' "${soft[@]}" --keep full -o "$work/softfull" --quiet
equal "soft rows do not depend on the batches" "$work/softrow/index.csv" "$work/softfull/index.csv"

# ---- one index for any number of processes
inputs=(--vary "$rolling=10 mm:60 mm:11" --vary "$friction=0.1,-1,0.3" --result kinetic --result hash)
check "one process" 1 sweep "$ball" "${inputs[@]}" -o "$work/j1" --quiet
for jobs in 2 3; do
    check "$jobs processes" 1 sweep "$ball" "${inputs[@]}" -o "$work/j$jobs" -j $jobs --quiet
    equal "the index of $jobs processes" "$work/j1/index.csv" "$work/j$jobs/index.csv"
done

# ---- failing cases
check "a body that runs away" 1 sweep "$ball" --set 'run.until=10 ms' --vary 'speed_limit=1 m/s,100 m/s,-1 m/s' -o "$work/failing" --json
[ "$(head -c 1 "$work/out")" = "{" ] && [ "$(tail -n 1 "$work/out")" = "}" ] || fail "one object and nothing else"
for text in '"cases": 3' '"failed": 2' '"missing": 0'; do has out "$text"; done
has err "case 0 failed: "
has err "case 2 refused: --set speed_limit=-1 m/s"
grep -q '^0,1,.*,failed,.*ball' "$work/failing/index.csv" || fail "the message names the body"
grep -q '^1,100,.*,done,$' "$work/failing/index.csv" || fail "the case after a failing one is done"
grep -q '^2,-1,,,,,,,refused,' "$work/failing/index.csv" || fail "a refused case has no results"
check "the same kept in full" 1 sweep "$ball" --set 'run.until=10 ms' --vary 'speed_limit=1 m/s,100 m/s,-1 m/s' -o "$work/failingfull" --keep full --quiet
is_empty err
equal "failing cases in full" "$work/failing/index.csv" "$work/failingfull/index.csv"
check "steps that do not converge" 1 sweep examples/boxes.yaml --set "run.until=1 s" --set solver.tolerance=1e-14 --set solver.max_iterations=11 --seeds 1 -o "$work/unconverged" --quiet
grep -q ',unconverged,.*steps did not converge' "$work/unconverged/index.csv" || fail "steps that did not converge are said"
rm "$work/unconverged/rows"/*
check "a case that does not converge, by itself" 1 sweep --case 0 -o "$work/unconverged"
has err "case 0 unconverged: "
has err " steps did not converge"

check "a solver that stops" 1 sweep examples/boxes.yaml --set "run.until=1 s" --set solver.tolerance=1e-14 --set solver.max_iterations=11 --vary stepper.on_failure=stop,keep \
    -o "$work/stop" --quiet
grep -q '^0,stop,.*,failed,' "$work/stop/index.csv" && grep -q '^1,keep,.*,unconverged,' "$work/stop/index.csv" || fail "stop and keep"
check "a heap" 0 sweep examples/pile.yaml --set "run.until=20 ms" --seeds 2 --result heap.height --result heap.flank_angle --result energy.impact --result h -o "$work/heap" --quiet
is "columns of a heap" "$(head -n 1 "$work/heap/index.csv")" "case,seed,heap.height[m],heap.flank_angle[rad],energy.impact[J],h[s],outcome,message"
check "what a scene measures" 0 sweep examples/silo.yaml --set "run.until=20 ms" --set generators.grain.packing.count=30 --vary seed=1,2 --result measures.left_in.count --result measures.outlet.rate -o "$work/measures" --quiet
is "columns of measures" "$(head -n 1 "$work/measures/index.csv")" "case,seed,measures.left_in.count,measures.outlet.rate[kg/s],outcome,message"
is "grains in the silo" "$(sed -n 2p "$work/measures/index.csv")" "0,1,30,0,done,"
check "the same with files" 0 sweep examples/silo.yaml --set "run.until=20 ms" --set generators.grain.packing.count=30 --vary seed=1,2 --result measures.left_in.count --result measures.outlet.rate -o "$work/measures2" --keep full --quiet
cmp -s "$work/measures/index.csv" "$work/measures2/index.csv" || fail "measures depend on --keep"

# ---- killed at moments that nobody chose, and called again
inputs=(--vary "$rolling=10 mm:60 mm:16" --vary "$friction=0.1,-1,0.3")
for keep in row full; do
    begin=$(date +%s%N)
    check "never interrupted, $keep" 1 sweep "$ball" "${inputs[@]}" -o "$work/whole$keep" --keep $keep -j 2 --quiet
    milliseconds=$((($(date +%s%N) - begin) / 1000000 + 1))
    killed=0
    for attempt in 1 2 3 4 5 6 7 8; do
        "$scree" sweep "$ball" "${inputs[@]}" -o "$work/kill$keep" --keep $keep -j $((attempt % 3 + 1)) --quiet >"$work/out" 2>"$work/err" &
        pid=$!
        if [ $attempt -eq 1 ]; then soon test -s "$work/kill$keep/rows/sweep.csv" # however busy the machine is, one is killed at work
        else sleep "$(awk -v t=$milliseconds -v r=$RANDOM 'BEGIN { printf "%.3f", t * (0.1 + 0.5 * r / 32768) / 1000 }')"; fi
        kill -KILL $pid 2>/dev/null && killed=$((killed + 1))
        wait $pid 2>/dev/null
    done
    [ $killed -gt 0 ] || fail "no sweep was killed: the test tests nothing"
    mv "$work/kill$keep" "$work/moved$keep" # what is there does not depend on where it lies
    check "after $killed kills, $keep" 1 sweep --resume -o "$work/moved$keep" --quiet
    mv "$work/moved$keep" "$work/kill$keep"
    equal "the index after kills, $keep" "$work/whole$keep/index.csv" "$work/kill$keep/index.csv"
done
diff -rq --exclude=timing.csv --exclude=summary.json --exclude=checkpoint.h5 --exclude=rows "$work/wholefull" "$work/killfull" >"$work/out" || fail "the cases after kills"
printf '3,half a l' >>"$work/killrow/rows/sweep.csv"
sed -i '/^7,/d' "$work/killrow/rows/sweep.csv"
check "a half line and a lost one" 1 sweep "$ball" "${inputs[@]}" -o "$work/killrow"
has out "finished before 47"
equal "the index after a half line" "$work/wholerow/index.csv" "$work/killrow/index.csv"
check "nothing left to do" 1 sweep "$ball" "${inputs[@]}" -o "$work/killrow"
has out "finished before 48"

# ---- Ctrl-C, and a worker that dies
# longer FILE LINES: whether the file has more lines than that
longer() { [ -e "$1" ] && [ "$(wc -l <"$1")" -gt "$2" ]; }
long=(--vary "$friction=0.1:0.3:400")
"$scree" sweep "$ball" "${long[@]}" -o "$work/term" -j 2 --quiet >"$work/out" 2>"$work/err" &
pid=$!
soon longer "$work/term/rows/sweep.csv" 2
kill -TERM $pid
wait $pid
is "status after SIGTERM" $? 143
has err "To resume: scree sweep --resume -o $work/term"
rows=$(($(wc -l <"$work/term/index.csv") - 1))
[ $rows -gt 0 ] && [ $rows -lt 400 ] || fail "an index of the finished cases: $rows"
"$scree" sweep "$ball" "${long[@]}" -o "$work/term" -j 2 --quiet --keep row >"$work/out" 2>"$work/err" &
pid=$!
soon longer "$work/term/rows/sweep.csv" "$rows"
kill -INT $pid
wait $pid
is "status after Ctrl-C" $? 130
more=$(($(wc -l <"$work/term/index.csv") - 1))
[ $more -gt $rows ] && [ $more -lt 400 ] || fail "the second part goes on: $rows, then $more"
"$scree" sweep "$ball" --set 'run.until=2000 s' --vary "$friction=0.1" -o "$work/termfull" --keep full --quiet >"$work/out" 2>"$work/err" &
pid=$!
soon longer "$work/termfull/case_000000/series.csv" 2
kill -INT $pid
wait $pid
is "status after Ctrl-C within a case" $? 130
[ -s "$work/termfull/case_000000/checkpoint.h5" ] || fail "a case that is interrupted leaves a checkpoint"
is "no row of a case that was interrupted" "$(wc -l <"$work/termfull/index.csv")" 1
if command -v pgrep >/dev/null; then
    "$scree" sweep "$ball" --set 'run.until=20000 s' --vary "$friction=0.1,-1" -o "$work/crash" --keep full --quiet >"$work/out" 2>"$work/err" &
    pid=$!
    soon longer "$work/crash/case_000000/series.csv" 2
    kill -SEGV "$(pgrep -P $pid)"
    wait $pid
    is "status after a crash" $? 1
    grep -q '^0,0.1,,,,,,,crashed,the process was ended by signal 11' "$work/crash/index.csv" || fail "a crash is recorded"
    grep -q '^1,-1,.*,refused,' "$work/crash/index.csv" || fail "the case after a crash"
fi

# ---- plans
check "a plan" 0 sweep "$ball" "${inputs[@]}" -o "$work/a plan" --plan
cp "$work/out" "$work/plan.sh"
is "one command per case" "$(grep -c "^scree sweep --quiet --case [0-9]* -o '$work/a plan'$" "$work/plan.sh")" 48
mkdir "$work/bin" && ln -s "$scree" "$work/bin/scree"
check "half of the plan, shuffled" 0 bash -c 'PATH=$1:$PATH; shuf "$2" >"$2.shuffled"; head -n 24 "$2.shuffled" | sh; true' - "$work/bin" "$work/plan.sh"
check "a part collected" 1 sweep --collect "$work/a plan"
has out "finished 24, "
has out "missing 24"
check "the other half, two at a time" 0 bash -c 'PATH=$1:$PATH; tail -n 24 "$2.shuffled" >"$2.rest"; head -n 12 "$2.rest" | sh & tail -n 12 "$2.rest" | sh; wait; true' - "$work/bin" "$work/plan.sh"
check "all collected" 1 sweep --collect "$work/a plan" --quiet
equal "the index of a plan" "$work/wholerow/index.csv" "$work/a plan/index.csv"
check "nothing is left of the plan" 0 sweep "$ball" "${inputs[@]}" -o "$work/a plan" --plan
is_empty out

# ---- another sweep in the folder
check "another sweep" 3 sweep "$ball" --vary "$friction=0.1,0.2" -o "$work/killrow"
has err "it holds another sweep ('vary $rolling=10 mm:60 mm:16' there, 'vary $friction=0.1,0.2' now); -o DIR writes elsewhere, --force replaces it"
check "another scene" 3 sweep "$ball" "${inputs[@]}" --set 'run.until=1 s' -o "$work/killrow"
has err "it holds a sweep of another scene"
check "a run, not a sweep" 3 sweep "$ball" "${inputs[@]}" -o "$work/run"
has err "it holds a run"
check "--force" 0 sweep "$ball" --set 'run.until=10 ms' --vary "$friction=0.1,0.2" -o "$work/killfull" --force --quiet
is "the old cases are gone" "$(ls "$work/killfull" | tr '\n' ' ')" "index.csv rows scene.yaml sweep.txt "

# ---- messages
# refused NAME TEXT ARGUMENT...: wrong usage, said so, and nothing was run
refused() {
    local name=$1 text=$2
    shift 2
    check "$name" 2 sweep "$@"
    has err "$text"
    is_empty out
}
refused "no scene" "no SCENE given" --vary a=1
refused "nothing varied" "nothing to vary" "$ball"
refused "no such material" "--vary materials.stne.friction=1,2: this scene has nothing with the name 'stne', did you mean 'stone'?" "$ball" --vary materials.stne.friction=1,2
refused "no such key" "--vary materials.stone.frction=1,2: a scene has no key 'frction', did you mean 'friction'?" "$ball" --vary materials.stone.frction=1,2
refused "no such body" "did you mean 'ball'?" "$ball" --vary bodies.bal.velocity=1,2
refused "no such item" "there is no item [7] in this scene: it has 2" "$ball" --vary 'bodies[7].velocity=1,2'
refused "below a number" "--vary $friction.x=1: this scene has nothing with the name 'x'" "$ball" --vary "$friction.x=1"
refused "a path of nothing" "the path is not written like" "$ball" --vary 'bodies..x=1'
refused "no values" "--vary $friction=: expected path=from:to:count" "$ball" --vary "$friction="
refused "an empty value" "--vary $friction=1,,2: a value is empty" "$ball" --vary "$friction=1,,2"
refused "a range of one" "the count of a range is a whole number from 2 to 10000000, not 1" "$ball" --vary "$friction=1:2:1"
refused "a range of words" "a range starts with a number, not with a" "$ball" --vary "$friction=a:2:3"
refused "a range without count" "a range is from:to:count" "$ball" --vary "$friction=1:2"
refused "two units" "both ends of a range must have the same unit" "$ball" --vary "$rolling=1 mm:2 kg:3"
refused "one unit" "both ends of a range must have the same unit" "$ball" --vary "$rolling=1:2 mm:3"
refused "log of zero" "log spacing needs two ends of one sign" "$ball" --vary "$rolling=0 mm:2 mm:3:log"
refused "not log" "only 'log' may follow, not lin" "$ball" --vary "$rolling=1 mm:2 mm:3:lin"
refused "an unequal zip" "--zip needs equally many" "$ball" --zip --vary "$rolling=1 mm:2 mm:3" --vary "$friction=1,2"
refused "varied twice" "is varied twice" "$ball" --vary "$friction=1" --vary "$friction=2"
refused "too many" "a sweep has at most 10000000" "$ball" --vary "$friction=0:1:100000" --vary "$rolling=1 mm:2 mm:100000"
refused "no such result" "there is no result 'kinetc' (did you mean 'kinetic'?)" "$ball" --vary "$friction=1" --result kinetc
refused "no such body in a result" "the scene has no body 'bal', did you mean 'ball'?" "$ball" --vary "$friction=1" --result bodies.bal.position.x
refused "no such measure" "the result measures.outlt.mass: the scene does not measure 'outlt.mass', did you mean 'measures.outlet.mass'?" examples/silo.yaml --vary seed=1 --result measures.outlt.mass
refused "no such column of a measure" "there is no result 'measures.outlet.mas'" examples/silo.yaml --vary seed=1 --result measures.outlet.mas
refused "no such component" "there is no result 'bodies.ball.position.w', expected a name like kinetic" "$ball" --vary "$friction=1" --result bodies.ball.position.w
refused "a plot of words" "--plot hash: this result is no number" "$ball" --vary "$friction=1" --plot hash
refused "a plot of three" "a plot has one or two" "$ball" --vary "$friction=1" --vary "$rolling=1 mm" --vary 'slope=1 deg' --plot kinetic
refused "--keep" "--keep is 'some', expected row or full" "$ball" --vary "$friction=1" --keep some
refused "--case" "--case is '48', expected K or K:L from 0 to 47" --case 48 -o "$work/a plan"
refused "--collect and a scene" "--collect takes no SCENE" "$ball" --collect "$work/a plan"
refused "nothing to resume" "holds no sweep to resume" "$ball" --vary "$friction=1" --resume -o "$work/none"
[ ! -e "$work/none" ] || fail "a refused sweep leaves nothing"
check "a folder without a sweep" 3 sweep --resume -o "$work/none"
has err "it holds no sweep"
check "a bad scene" 3 sweep tests/cli/lib.sh --vary "$friction=1" -o "$work/none"
check "a scene that is not there" 3 sweep "$work/nothing.yaml" --vary "$friction=1" -o "$work/none"
check "a folder that cannot be made" 4 sweep "$ball" --vary "$friction=1" -o "$work/plan.sh/x"
check "help" 0 sweep --help
has out "usage: scree sweep SCENE"


# ---- clusters: what --slurm writes (tests/cli/slurm.sh submits it to a Slurm), --retry, threads
check "an array job" 0 sweep "$ball" --set 'run.until=10 ms' --vary "$friction=0.1:0.5:5" -o "$work/cluster" --slurm --chunk 2 --limit 3 --sbatch=--time=60
has out "tasks        3"
is "the cases of the tasks" "$(tr '\n' ' ' <"$work/cluster/slurm/cases.txt")" "0:1 2:3 4 "
for text in "#SBATCH --array=0-2%3" "#SBATCH --time=60" "#SBATCH --signal=USR1@120" "#SBATCH --requeue"; do has cluster/slurm/job.sh "$text"; done
check "a case of the array" 0 sweep --quiet --threads 2 --case 2:3 -o "$work/cluster"
check "an array of what is missing" 0 sweep --resume -o "$work/cluster" --slurm
is "the cases that are missing" "$(tr '\n' ' ' <"$work/cluster/slurm/cases.txt")" "0 1 4 "
check "the rest" 0 sweep --resume -o "$work/cluster" -q
check "nothing to submit" 0 sweep --resume -o "$work/cluster" --slurm
has out "nothing to submit: all 5 cases are finished"
check "a sweep with a bad case" 1 sweep "$ball" --set 'run.until=10 ms' --vary "$rolling=1 mm,-1 mm" -o "$work/retry" -q
check "its plan has nothing" 0 sweep --resume -o "$work/retry" --plan
is_empty out
check "with --retry the bad case" 0 sweep --resume -o "$work/retry" --plan --retry
has out "--case 1 -o"
check "--submit alone" 2 sweep "$ball" --vary "$friction=0.1,0.2" -o "$work/x" --submit
check "--threads alone" 2 sweep "$ball" --vary "$friction=0.1,0.2" -o "$work/x" --threads 2

finish
