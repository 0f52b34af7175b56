#!/usr/bin/env bash
# A program of examples/programs: it is short, its page shows it as it is, and prints what the page says, compiled as C and as C++.
#   tests/cli/program.sh NAME PROGRAM...         PROGRAM: examples/programs/NAME.c, compiled
set -euo pipefail
cd "$(dirname "$0")/../.."
name=${1:?usage: tests/cli/program.sh NAME PROGRAM...}
shift
source=examples/programs/$name.c
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "program: $*" >&2; exit 1; }

page=docs/embedding.md most=40 arguments=()
case $name in
one_problem)
    "${SCREE_BIN:?}" generate pile "$work/pile.dat" --grains 50 >/dev/null
    arguments=("$work/pile.dat")
    ;;
own_solver) page=docs/adding-a-solver.md most=80 ;;
esac
[ "$(wc -l <"$source")" -lt $most ] || fail "$source has $most lines or more"
awk -v first="$(head -n 1 "$source")" '$0 == first { inside = 1 } inside && $0 == "```" { exit } inside' $page | cmp -s - "$source" ||
    fail "$page does not show $source as it is"
[ $# -gt 1 ] || echo "program: no C++ compiler, C alone"
for program; do
    "$program" "${arguments[@]}" >"$work/said" || fail "$program failed"
    [ -s "$work/said" ] || fail "$program prints nothing"
    while IFS= read -r line; do
        grep -qxF -- "    $line" $page || fail "$program prints '$line', which $page has not"
    done <"$work/said"
done
if [ "$name" = one_problem ]; then
    for program; do
        if "$program" "$work/absent.dat" 2>"$work/err"; then fail "a file that is absent is solved"; fi
        grep -q "absent.dat: error: cannot open the file" "$work/err" || fail "no message for a file that is absent"
    done
fi
