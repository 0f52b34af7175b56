#!/usr/bin/env bash
# `scree report` from outside: runs, two runs, sweeps, measurements; what the page holds, its size, texts that would be tags, messages.
#   tests/cli/report.sh [PATH OF scree]     default: $SCREE_BIN
set -u
. "$(dirname "$0")/lib.sh"
report() { "$scree" report "$@"; }
python=/usr/bin/python3
# decodes NAME PAGE [FOLDER]: the page is well formed and holds what the run wrote (tests/cli/report_decode.py)
decodes() {
    if [ -x $python ]; then check "$1" 0 $python tests/cli/report_decode.py "${@:2}"; else echo "skipped $1: no $python"; fi
}

check "help" 0 report --help
has out "usage: scree report DIR"

# ---- runs
pile=(run examples/pile.yaml --quiet --set "run.until=800 ms" --set "output.every=10 ms")
check "a run" 0 "$scree" "${pile[@]}" -o "$work/pile"
check "its report" 0 report "$work/pile"
has out "$work/pile: a run of 121 bodies; 81 of 81 frames, contacts in 81"
has out "written to $work/pile/report.html"
check "its frames" 0 "$scree" convert "$work/pile" "$work/tables" --to csv
decodes "the report is the run" "$work/pile/report.html" "$work/tables"
[ -x $python ] && has out "frames 81 contacts 81 full"
check "once more" 0 report "$work/pile" -o "$work/again.html"
cmp -s "$work/pile/report.html" "$work/again.html" || fail "the same folder gives the same page"

check "every shape" 0 "$scree" run tests/scenes/all-shapes.yaml --quiet -o "$work/shapes"
check "its report" 0 report "$work/shapes"
decodes "all shapes decode" "$work/shapes/report.html"

# ---- size: fewer digits, then fewer contacts, then fewer frames; never more than was allowed
page=$(cat report/* "$work/pile/series.csv" | wc -c)
whole=$(wc -c <"$work/pile/report.html")
for part in 0.9 0.3 0.1; do
    bytes=$(awk -v p="$page" -v w="$whole" -v f=$part 'BEGIN { printf "%d", p + f * (w - p) }')
    check "at most $bytes bytes" 0 report "$work/pile" --size "$(awk -v b="$bytes" 'BEGIN { print b / 1e6 }')" -o "$work/small$part.html"
    grep -o 'bodies; .*' "$work/out"
    [ "$(wc -c <"$work/small$part.html")" -le "$bytes" ] || fail "it is larger than $bytes bytes"
    decodes "$bytes bytes decode" "$work/small$part.html"
done
decodes "compact numbers are those of the run" "$work/small0.9.html" "$work/tables"
[ -x $python ] && has out "frames 81 contacts 81 compact"
check "no room" 3 report "$work/pile" --size 0.05
has err "--size allows more"

# ---- two runs, a sweep, a measurement
check "another run" 0 "$scree" "${pile[@]}" -o "$work/flat" --set materials.gravel.rolling=0 --set materials.gravel.spinning=0
check "two runs" 0 report "$work/pile" "$work/flat"
has out "written to $work/pile/compare.html"
decodes "two runs decode" "$work/pile/compare.html"
check "a sweep" 0 "$scree" sweep examples/ball.yaml --set "run.until=50 ms" --vary "materials.stone.rolling=1 mm:9 mm:3" --vary "materials.stone.friction=0.1:0.4:2" -o "$work/sweep" --quiet
check "its report" 0 report "$work/sweep"
decodes "a sweep decodes" "$work/sweep/report.html"
[ -x $python ] && has out "--- index.csv"
check "a problem" 0 "$scree" generate pile "$work/problem.dat" --grains 10
check "a measurement" 0 "$scree" bench solve "$work/problem.dat" --solvers nsgs,apgd --tols 1e-4 --repeat 1 --curves -o "$work/bench"
check "its report" 0 report "$work/bench"
decodes "a measurement decodes" "$work/bench/report.html"
[ -x $python ] && has out "--- curve-problem.dat.csv"
check "a table of checks" 0 report "$work/bench" --verify <(echo '{"checks": [], "ok": 0, "missed": 0, "failed": 0}')

# ---- texts that would be tags
check "a hostile scene" 0 "$scree" run tests/scenes/hostile.yaml --quiet -o "$work/hostile"
sed -i '1s/^time\[s\]/"time[s]","<img src=x onerror=hacked()>"/; 2,$s/^/1,/' "$work/hostile/series.csv"
check "its report" 0 report "$work/hostile"
for text in hacked onerror=hacked '</title></style>'; do
    ! grep -qF "$text" "$work/hostile/report.html" || fail "in the page: $text"
done
[ "$(grep -o '<script' "$work/hostile/report.html" | wc -l)" -eq 2 ] || fail "other scripts than the page's own"
decodes "a hostile scene decodes" "$work/hostile/report.html"
[ -x $python ] && has out "window.hacked = 3" # as data

# ---- folders in the making
cp -r "$work/pile" "$work/half"
rm "$work/half/summary.json"
truncate -s -1000 "$work/half/frames.scree"
truncate -s -30 "$work/half/series.csv"
check "a run that was killed" 0 report "$work/half"
has out "80 of 80 frames"
decodes "a run that was killed decodes" "$work/half/report.html" "$work/tables"
rm "$work/half/frames.scree"
check "a run without frames" 0 report "$work/half"
has out "a run without frames: plots and tables only"
mkdir "$work/empty" "$work/planned"
cp "$work/sweep/sweep.txt" "$work/planned"

# ---- mistakes
check "no folder" 2 report
check "seven folders" 2 report a b c d e f g
check "no such folder" 3 report "$work/nowhere"
has err "$work/nowhere: error: cannot open the folder: No such file or directory"
check "an empty folder" 3 report "$work/empty"
has err "$work/empty: error: nothing to report on: expected the folder of a run (series.csv), of a sweep (sweep.txt) or of scree bench solve (solve.csv)"
check "a sweep without an index" 3 report "$work/planned"
has err "scree sweep --collect $work/planned"
check "a run and a sweep" 2 report "$work/pile" "$work/sweep"
has err "folders are compared if all hold runs, and $work/sweep does not"
check "a damaged frame" 0 cp -r "$work/pile" "$work/damaged"
printf 'x' | dd of="$work/damaged/frames.scree" bs=1 seek=20000 conv=notrunc status=none
check "its report" 3 report "$work/damaged"
has err "frames.scree"
check "checks that are none" 3 report "$work/pile" --verify README.md
has err "README.md: error: expected a JSON object, as scree verify --json prints it"
check "nowhere to write" 4 report "$work/pile" -o "$work/nowhere/x.html"
has err "$work/nowhere/x.html"

# ---- several runs, and the cases of a sweep
for r in 1 2 3; do "$scree" run examples/ball.yaml -o "$work/ball$r" -q --until 0.2 --set "materials.stone.rolling=${r}0 mm"; done
check "three runs" 0 report "$work/ball1" "$work/ball2" "$work/ball3" -o "$work/three.html"
[ "$(grep -c "a run of 2 bodies" "$work/out")" -eq 3 ] || fail "all three are there"
decodes "three runs decode" "$work/three.html"
"$scree" sweep examples/ball.yaml --vary 'materials.stone.rolling=30 mm,40 mm' --keep full --set 'run.until=0.1 s' -o "$work/kept" -q
check "cases that were kept" 0 report "$work/kept"
for file in report.html case_000000/report.html case_000001/report.html; do [ -s "$work/kept/$file" ] || fail "$file"; done

echo
if [ "$failures" -gt 0 ]; then echo "cli_report: $failures failures"; exit 1; fi
echo "cli_report: all passed"
