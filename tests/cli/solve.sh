#!/usr/bin/env bash
# `scree solve`, `scree solvers` and `scree bench solve` from outside: exit status, messages, files, JSON.
#   tests/cli/solve.sh [PATH OF scree]     default: $SCREE_BIN
set -u
. "$(dirname "$0")/lib.sh"
# value KEY: the number after a key of the JSON in out
value() { sed -n "s/^ *\"$1\": \([^,]*\),\{0,1\}$/\1/p" "$work/out" | head -n 1; }
# below X Y / near X Y: as numbers
below() { awk -v x="$1" -v y="$2" 'BEGIN { exit !(x != "" && x + 0 <= y + 0) }' || fail "expected $1 <= $2"; }
near() { awk -v x="$1" -v y="$2" 'BEGIN { d = x - y; if (d < 0) d = -d; exit !(x != "" && d <= 1e-7) }' || fail "expected $1 near $2"; }

# ---- problems. Two unit masses side by side on a plane, contacts of their own: W = 1, so every answer is known.
#   contact 0: q = (-1, 0.2, 0), mu 0.5: sticks,  r = (1, -0.2, 0)
#   contact 1: q = (-1, 2, 0),   mu 0.5: slides,  r = (1, -0.5, 0), u = (0, 1.5, 0), 0.75 J
two=$work/two.dat
{
    echo "3 2"
    echo "0 6 6"
    echo "6 6"
    for i in 0 1 2 3 4 5; do for j in 0 1 2 3 4 5; do printf '%d ' $((i == j)); done; done
    echo
    echo "-1 0.2 0 -1 2 0"
    echo "0.5 0.5"
} >"$two"
# A column of bricks that nothing decides quickly: w_ij = min(i, j) + 1 couples all contacts, so that sweeps take long.
column=$work/column.dat
awk 'BEGIN {
    n = 150
    print 3, n; print 0, 3 * n, 3 * n; print 3 * n, 3 * n
    for (c = 0; c < 3 * n; ++c) { for (r = 0; r < 3 * n; ++r) {
        i = int(r / 3); j = int(c / 3)
        printf "%d ", r % 3 == c % 3 ? (i < j ? i : j) + 1 : 0 } print "" }
    for (i = 0; i < n; ++i) printf "%d 0.1 0 ", -(i + 1)
    print ""; for (i = 0; i < n; ++i) printf "0.3 "; print "" }' >"$column"

# ---- scree solvers
check "solvers" 0 "$scree" solvers
has out "nsgs"
has out "relaxation"
is_empty err
check "solvers as JSON" 0 "$scree" solvers --json
has out '"name": "nsgs"'
has out '"matrix_free": true'
has out '"name": "relaxation"'
check "solvers takes no argument" 2 "$scree" solvers nsgs

# ---- usage
check "help" 0 "$scree" solve --help
for word in usage --certify tolerance relaxation "exit status"; do has out "$word"; done
check "no file" 2 "$scree" solve
has err "no FILE given"
check "two files" 2 "$scree" solve "$two" "$two"
check "unknown solver" 2 "$scree" solve "$two" --solver nsgss
has err "did you mean 'nsgs'?"
check "unknown law" 2 "$scree" solve "$two" --solver nsgs --law conwex
check "unknown option of the solvers" 2 "$scree" solve "$two" --solver nsgs --set relaxatoin=1
has err "did you mean 'relaxation'?"
check "--set without a value" 2 "$scree" solve "$two" --solver nsgs --set relaxation
for bad in relaxation=x relaxation=3 relaxation=-1 max_iterations=1.5 local_method=99 threads=0 tolerance=nan; do
    check "--set $bad" 2 "$scree" solve "$two" --solver nsgs --set "$bad"
done
check "--local and --global" 2 "$scree" solve "$two" --solver nsgs --local --global
check "--out of no known kind" 2 "$scree" solve "$two" --solver nsgs --out "$work/x.csv"
check "--certify with a solver" 2 "$scree" solve "$two" --solver nsgs --certify
is_empty out

# ---- answers
check "default solver" 0 "$scree" solve "$two"
check "table" 0 "$scree" solve "$two" --solver nsgs
for text in "contacts    2" "3 per contact" "mu 0.5" "unknowns    6" "law         coulomb" "outcome     converged" \
    "stick 1, slide 1" "sliding 0.75 J"; do has out "$text"; done
is_empty err
check "json" 0 "$scree" solve "$two" --solver nsgs --json
for key in file contacts dim law solver outcome iterations residual scaled_residual seconds setup_seconds certificate \
    penetration_speed cone_violation slip_at_stick gap dissipation modes worst_contacts; do has out "\"$key\":"; done
has out '"outcome": "converged"'
has out '"stick": 1'
has out '"slide": 1'
below "$(value residual)" 1e-8
near "$(value sliding)" 0.75
[ "$(head -c 1 "$work/out")" = "{" ] && [ "$(tail -n 1 "$work/out")" = "}" ] || fail "one object and nothing else"
is_empty err
check "convex law" 0 "$scree" solve "$two" --solver nsgs --law convex --json
has out '"law": "convex"'
near "$(value duality_gap)" 0
check "options" 0 "$scree" solve "$two" --solver nsgs --set relaxation=0.9 --set shuffle=1 --set check_every=1
check "one iteration is too few" 1 "$scree" solve "$column" --solver nsgs --max-iter 1 --json
has out '"outcome": "max_iterations"'
has err "not solved to 1e-08: max_iterations"
check "no time" 1 "$scree" solve "$column" --solver nsgs --tol 1e-14 --time-limit 1e-6 --json
has out '"outcome": "interrupted"'

# ---- files written and read
check "reactions as text" 0 "$scree" solve "$two" --solver nsgs --out "$work/p.txt"
[ "$(wc -l <"$work/p.txt")" -eq 2 ] || fail "a row per contact"
read -r a b c d e f <<<"$(tr '\n' ' ' <"$work/p.txt")"
near "$a" 1 && near "$b" -0.2 && near "$c" 0 && near "$d" 1 && near "$e" -0.5 && near "$f" 0
check "warm start" 0 "$scree" solve "$two" --solver nsgs --warm "$work/p.txt" --json
[ "$(value iterations)" = 0 ] || fail "a warm start from the answer needs no iteration"
check "certify an answer" 0 "$scree" solve "$two" --certify --warm "$work/p.txt" --json
has out '"solver": "none"'
has out '"outcome": "converged"'
check "certify nothing" 1 "$scree" solve "$two" --certify
has err "these reactions are no solution to 1e-08: residual 0.5"
echo "1 -0.2 0 1 -0.6 0" >"$work/wrong.txt"
check "certify a wrong answer" 1 "$scree" solve "$two" --certify --warm "$work/wrong.txt" --json
near "$(value cone_violation)" 0.1
echo "1 0 0 1 x 0" >"$work/word.txt"
check "a word among the reactions" 3 "$scree" solve "$two" --certify --warm "$work/word.txt"
has err "word.txt:1:9: error: 'x' is not a finite number"
echo "1 0 0" >"$work/short.txt"
check "too few reactions" 3 "$scree" solve "$two" --certify --warm "$work/short.txt"
echo "1 0 0 1 0 0 1" >"$work/long.txt"
check "too many reactions" 3 "$scree" solve "$two" --certify --warm "$work/long.txt"
check "no such reactions" 3 "$scree" solve "$two" --certify --warm "$work/absent.txt"
check "trace" 0 "$scree" solve "$column" --solver nsgs --tol 1e-3 --trace "$work/t.csv"
[ "$(head -n 1 "$work/t.csv")" = "iteration,seconds,residual,solver" ] || fail "the head of the trace"
[ "$(wc -l <"$work/t.csv")" -gt 2 ] || fail "the trace has rows"
check "problem as .dat" 0 "$scree" solve "$two" --solver nsgs --out "$work/copy.dat"
check "the copy is the same problem" 0 "$scree" solve "$work/copy.dat" --certify --warm "$work/p.txt"
check "problem and solution as .hdf5" 0 "$scree" solve "$two" --solver nsgs --out "$work/copy.hdf5"
check "the .hdf5 is the same problem" 0 "$scree" solve "$work/copy.hdf5" --certify --warm "$work/p.txt"

# ---- what can go wrong
check "no such file" 3 "$scree" solve "$work/absent.dat" --solver nsgs
has err "absent.dat"
head -c 40 "$two" >"$work/cut.dat"
check "a truncated file" 3 "$scree" solve "$work/cut.dat" --solver nsgs
has err "cut.dat"
sed 's/-1 0.2/nan 0.2/' "$two" >"$work/nan.dat"
check "a NaN" 3 "$scree" solve "$work/nan.dat" --solver nsgs
is_empty out
check "output to a folder that is not there" 4 "$scree" solve "$two" --solver nsgs --out "$work/nowhere/p.txt"
if [ -w /dev/full ]; then
    check "trace on a full disk" 4 "$scree" solve "$column" --solver nsgs --tol 1e-3 --trace /dev/full
    "$scree" solve "$two" --solver nsgs >/dev/full 2>"$work/err"
    [ $? -eq 4 ] || fail "standard output on a full disk: expected exit status 4"
fi

# ---- Ctrl-C: the best so far is printed and stored
stopped "Ctrl-C" 1 INT "$scree" solve "$column" --solver nsgs --set tolerance=0 --set max_iterations=2000000000 --time-limit 60 --json --out "$work/best.txt"
has out '"outcome": "interrupted"'
below "$(value seconds)" 30
[ "$(wc -l <"$work/best.txt")" -eq 150 ] || fail "the best so far is stored"

# ---- no solution: a ball of 1 kg between two walls that close at 0.1 m/s each
closing=$work/closing.dat
cat >"$closing" <<'DAT'
3 2
0 6 6
6 6
 1  0  0 -1  0  0
 0  1  0  0 -1  0
 0  0  1  0  0  1
-1  0  0  1  0  0
 0 -1  0  0  1  0
 0  0  1  0  0  1
-0.1 0 0  -0.1 0 0
0.5 0.5
DAT
check "no solution" 1 "$scree" solve "$closing" --out "$work/closing.txt"
has err "no solution"
has out "outcome     infeasible"
has out "contact 0       1.000000"
has out "contact 1       1.000000"
[ "$(wc -l <"$work/closing.txt")" -eq 2 ] || fail "the best reactions are stored all the same"
check "no solution, as JSON, by another solver" 1 "$scree" solve "$closing" --solver nsgs --json
has out '"outcome": "infeasible"'
below 1e9 "$(value margin)"
check "a solution: no proof in the JSON" 0 "$scree" solve "$two" --json
has out '"infeasibility": null'

# ---- bench solve
check "bench solve" 0 "$scree" bench solve "$two" "$work/copy.dat" --solvers nsgs --tols 1e-4,1e-8 --repeat 2 -o "$work/b/c" --curves
has out "tolerance 1e-4"
has out "wins"
for file in solve.csv table.md profile-1e-4.svg profile-1e-8.svg curve-two.dat.svg curve-two.dat.csv; do
    [ -s "$work/b/c/$file" ] || fail "bench solve writes $file"
done
[ "$(wc -l <"$work/b/c/solve.csv")" -eq 5 ] || fail "a row per problem, solver and tolerance"
head -n 1 "$work/b/c/solve.csv" | grep -q '^file,contacts,solver,dim,threads,tolerance,residual,iterations,seconds,' || fail "columns"
if command -v xmllint >/dev/null; then
    check "the plots are well-formed" 0 xmllint --noout "$work"/b/c/*.svg
fi
grep -q '</svg>' "$work/b/c/profile-1e-8.svg" || fail "the plot is whole"
check "the same answer about uniqueness through the bodies and assembled" 0 "$scree" solve tests/problems/planar-stack.dat --law convex --unique
has out "cone pointed       yes"
has out "velocities         these alone (convex law)"
has out "reactions          not determined: 2 independent changes"
for solver in newton nsgs; do
    check "the smallest reactions, from $solver" 0 "$scree" solve tests/problems/planar-stack.dat --tol 1e-13 --solver $solver --smallest --out "$work/$solver.txt"
    has out "smallest reactions with these velocities"
done
paste "$work/newton.txt" "$work/nsgs.txt" | awk '!/^#/ { for (i = 1; i <= NF/2; ++i) { d = $i - $(i + NF/2); if (d*d > most) most = d*d; if ($i*$i > largest) largest = $i*$i } } END { exit !(largest > 0 && most <= 1e-16*largest) }' ||
    fail "two solvers give the same smallest reactions"
check "the smallest reactions, as JSON" 0 "$scree" solve tests/problems/planar-stack.dat --tol 1e-13 --smallest --json
has out '"smallest": {'
has out '"found": true'
check "the same, assembled" 0 "$scree" solve tests/problems/planar-stack-local.dat --law convex --unique --json
has out '"pointed": true'
has out '"free_reactions": 2'
mkdir "$work/folder" && cp "$two" "$work/folder/" && cp "$work/cut.dat" "$work/folder/"
check "bench solve: a folder with a bad file" 3 "$scree" bench solve "$work/folder" --solvers nsgs --tols 1e-6 --json
has out '"file": "two.dat"'
has err "cut.dat"
check "bench solve: nothing there" 3 "$scree" bench solve "$work/b/c" --solvers nsgs
check "bench solve: no argument" 2 "$scree" bench solve
check "bench solve: unknown solver" 2 "$scree" bench solve "$two" --solvers nsgs,nwton
check "bench solve: bad tolerances" 2 "$scree" bench solve "$two" --tols 1e-4,x
check "bench solve: no room" 4 "$scree" bench solve "$two" --solvers nsgs -o /dev/null/x

finish
