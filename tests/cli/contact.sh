#!/usr/bin/env bash
# `scree` and `scree contact` from outside: exit status, messages, JSON.
#   tests/cli/contact.sh [PATH OF scree]     default: $SCREE_BIN
set -u
. "$(dirname "$0")/lib.sh"
# near KEY EXPECTED...: the numbers of a JSON list agree to six digits
near() {
    local key=$1
    shift
    grep -m 1 "^  \"$key\": \[" "$work/out" | tr -d '[],' | awk -v expected="$*" '
        { n = split(expected, e, " "); bad = (NF - 1 != n)
          for (i = 1; i <= n; ++i) { d = $(i + 1) - e[i]; if (d < 0) d = -d; if (d > 1e-6) bad = 1 } found = 1 }
        END { exit bad || !found }' || fail "expected $key near $*"
}

good=examples/contact/bonnefon-daviet.yaml

# ---- the command itself
check "help" 0 "$scree" --help
has out "usage: scree COMMAND"
is_empty err
check "help of a command" 0 "$scree" help contact
has out "usage: scree contact FILE"
cp "$work/out" "$work/help"
check "--help of a command" 0 "$scree" contact --help
cmp -s "$work/out" "$work/help" || fail "'help contact' and 'contact --help' differ"
for command in $("$scree" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    check "help of $command" 0 "$scree" help "$command"
    has out "usage: scree $command"
done
check "version" 0 "$scree" --version
grep -qE '^scree [0-9]+\.[0-9]+\.[0-9]+ \(commit [0-9a-z-]+\)$' "$work/out" || fail "the version line"
check "no command" 2 "$scree"
is_empty out
check "unknown command" 2 "$scree" contcat "$good"
has err "did you mean 'contact'?"
is_empty out
check "unknown option" 2 "$scree" --vresion
has err "did you mean '--version'?"

# ---- usage of contact
check "no file" 2 "$scree" contact
has err "no FILE given"
check "two files" 2 "$scree" contact "$good" "$good"
check "unknown option of contact" 2 "$scree" contact --jsno "$good"
has err "unknown option '--jsno' (did you mean '--json'?)"
check "option without its value" 2 "$scree" contact "$good" --method
check "flag with a value" 2 "$scree" contact "$good" --json=yes
check "unknown method" 2 "$scree" contact "$good" --method quartic_q
has err "did you mean 'quartic_t'?"
for bad in 0 -1 nan inf x 1e999 ""; do check "--tol '$bad'" 2 "$scree" contact "$good" --tol "$bad"; done
for bad in 0 -1 1.5 x 99999999999999999999; do
    check "--max-iter '$bad'" 2 "$scree" contact "$good" --method fixed_point --max-iter "$bad"
done
check "--max-iter where nothing iterates" 2 "$scree" contact "$good" --max-iter 5
check "--all with a method that cannot count" 2 "$scree" contact "$good" --all --method newton_natural
check "a method that does not take the cone" 2 "$scree" contact examples/contact/sphere-on-plane.yaml --method quartic_t
has err "does not take the cone slide+roll+spin"

# ---- answers
check "table" 0 "$scree" contact "$good"
is_empty err
for text in "cone       slide: mu 0.6" "law        coulomb" "method     exact" "mode       slide" "solutions  1" \
    "unique     proved" "r_N        10.20587" "r_T2" "u_T2"; do has out "$text"; done
check "json" 0 "$scree" contact --json "$good"
is_empty err
near reaction 10.205876 1.931888 5.810798
for text in "\"file\": \"$good\"" '"cone": "slide"' '"law": "coulomb"' '"method": "exact"' '"velocity": [' '"mode": "slide"' \
    '"outcome": "converged"' '"residual": ' '"iterations": ' '"unique": true' '"solution_count": 1' '"solutions": ['; do
    has out "$text"
done
[ "$(head -c 1 "$work/out")" = "{" ] && [ "$(tail -n 1 "$work/out")" = "}" ] || fail "one object and nothing else"
for method in quartic_t quartic_alpha; do
    check "method $method" 0 "$scree" contact --json --tol=1e-9 --method "$method" "$good"
    near reaction 10.205876 1.931888 5.810798
    has out "\"method\": \"$method\""
    has out '"solution_count": 1'
done
check "method newton_natural" 0 "$scree" contact --json --tol 1e-9 --method newton_natural "$good"
near reaction 10.205876 1.931888 5.810798
has out '"solution_count": null'
check "an iterative method does not count" 0 "$scree" contact --tol 1e-9 --method newton_natural "$good"
has out "solutions  not counted"
check "one iteration is too few" 1 "$scree" contact --method fixed_point --max-iter 1 "$good"
has out "outcome    max_iterations"
has err "not solved: max_iterations"
check "a tolerance that rounding does not allow" 1 "$scree" contact --tol 1e-300 "$good"
has err "above --tol"

check "rolling and spinning" 0 "$scree" contact --json examples/contact/sphere-on-plane.yaml
near reaction 0.1962 -0.05886 0 0 -0.0003924 -0.0005886
has out '"mode": "slide+roll+spin_minus"'
check "convex law" 0 "$scree" contact examples/contact/convex-slide.yaml
has out "law        convex"
check "planar" 0 "$scree" contact --json examples/contact/planar-rod.yaml
near reaction 0.650120 0.106009
check "a JSON file with tabs" 0 "$scree" contact --json examples/contact/slide-roll.json
near reaction 0.1962 -0.05886 0 0 -0.0003924
for example in examples/contact/*; do check "example $example" 0 "$scree" contact --all "$example"; done

check "several solutions, one shown" 0 "$scree" contact --json examples/contact/several-solutions.yaml
has out '"solution_count": 3'
has out '"unique": false'
[ "$(grep -c '"reaction"' "$work/out")" -eq 2 ] || fail "the answer and one solution"
check "several solutions, all" 0 "$scree" contact --json --all examples/contact/several-solutions.yaml
[ "$(grep -c '"reaction"' "$work/out")" -eq 4 ] || fail "the answer and three solutions"
check "several solutions as a table" 0 "$scree" contact --all examples/contact/several-solutions.yaml
has out "unique     no: 3 solutions"
has out "solution 3 of 3: mode stick"

printf 'W: [[1, 0, 0], [0, 0, 0], [0, 0, 1]]\nq: [-1, 0, 0.1]\nmu: 0.5\n' >"$work/continuum.yaml" # friction along T1 moves nothing
check "a continuum of solutions" 0 "$scree" contact --all "$work/continuum.yaml"
has out "solutions  infinitely many"
has out "unique     no: a set of dimension 1"
has out "along d1 alone: s from -0.489897948557 to 0.489897948557"
check "a continuum of solutions, json" 0 "$scree" contact --json "$work/continuum.yaml"
has out '"solution_count": null'
has out '"velocity_changes": false'

printf 'W: [[0, 0], [0, 1]]\nq: [-1, 0]\nmu: 0.5\n' >"$work/none.yaml"
check "no solution" 1 "$scree" contact "$work/none.yaml"
has out "outcome    infeasible"
has err "W_NN = 0 and q_N < 0"
check "no solution, json" 1 "$scree" contact --json "$work/none.yaml"
has out '"outcome": "infeasible"'
has out '"reaction": null'
has out '"solution_count": 0'
has out '"solutions": []'

check "standard input" 0 bash -c "'$scree' contact --json - <'$good'"
has out '"file": "<stdin>"'
check "operands after --" 0 "$scree" contact -- "$good"

# ---- bad input
check "a file that is not there" 3 "$scree" contact "$work/absent.yaml"
has err "$work/absent.yaml: error: cannot open the file"
is_empty out
check "a folder" 3 "$scree" contact "$work"
printf 'W: [[1, 0], [0, 1]]\nq: [1, 2]\nmu: 0.6 m\n' >"$work/unit.yaml"
check "a mistake is pointed at" 3 "$scree" contact --json "$work/unit.yaml"
is_empty out
printf '%s:3:5: error: mu is '\''0.6 m'\'', expected a plain number in SI units, without a unit\n  mu: 0.6 m\n      ^\n' \
    "$work/unit.yaml" | cmp -s - "$work/err" || fail "message, source line and caret"
check "a mistake in standard input" 3 bash -c "printf 'W: 1\nrollin: 2\n' | '$scree' contact -"
printf '<stdin>:2:1: error: unknown key '\''rollin'\'', did you mean '\''rolling'\''? (expected one of: W, q, mu, rolling, spinning, law, cone)\n  rollin: 2\n  ^\n' |
    cmp -s - "$work/err" || fail "message for standard input"
printf 'W: [[1, 0], [0, 1]]\nq: [1, 2]\n{\t"x": 1}\n' >"$work/tab.yaml"
check "tabs before the caret" 3 "$scree" contact "$work/tab.yaml"
printf '{"W": [[1, 2], [3, 1]],\n\t"q": [1, 2], "mu": ü}' >"$work/utf8.json"
check "characters of several bytes" 3 "$scree" contact "$work/utf8.json"
has err "$work/utf8.json:2:21: error: mu"
printf 'W:\n  - [1, 2]\n  - [3, 9]\nq: [1, 2]\nmu: 1\n' >"$work/skew.yaml"
check "not symmetric" 3 "$scree" contact "$work/skew.yaml"
has err "$work/skew.yaml:3:6: error: W is not symmetric"
: >"$work/empty.yaml"
check "an empty file" 3 "$scree" contact "$work/empty.yaml"
has err "$work/empty.yaml:1:1: error: nothing here"
head -c 3000000 /dev/zero | tr '\0' '#' >"$work/long.yaml"
check "a file that is too long" 3 "$scree" contact "$work/long.yaml"
head -c 5000 /dev/urandom >"$work/noise.yaml"
check "noise" 3 "$scree" contact "$work/noise.yaml"

# ---- the machine
if [ -w /dev/full ]; then
    check "a full disk" 4 bash -c "'$scree' contact '$good' >/dev/full"
    has err "cannot write the output"
    check "a full disk, json" 4 bash -c "'$scree' contact --json '$good' >/dev/full"
    check "a full disk, help" 4 bash -c "'$scree' --help >/dev/full"
fi

finish
