#!/usr/bin/env bash
# docs/tutorial.md does what it says: its scenes and its commands are taken from the page and run, and its figures compared.
. "$(dirname "$0")/lib.sh"
page=$PWD/docs/tutorial.md
mkdir "$work/tutorial" && cd "$work/tutorial" || exit 1 # $work/out is the output of the last command
scree() { "$scree" "$@"; }
block() { awk -v kind="$1" -v wanted="$2" '/^```/ { if (on) { on = 0 } else if ($0 == "```" kind) { on = ++n == wanted }; next } on' "$page"; }
block yaml 1 >grain.yaml
block yaml 2 >heap.yaml
for k in 1 2 3 4 5 6 7; do block sh $k; done >commands
while IFS= read -r command; do check "$command" 0 eval "$command"; done <commands
[ "$(wc -l <commands)" -ge 9 ] || fail "the commands of the page"

kinetic() { sed -n 's/^    "kinetic": \(.*\),$/\1/p' "$1/summary.json"; }
[ "$(kinetic out/grain)" = 0 ] || fail "the grain rests on 5 degrees"
[ "$(awk -F, 'NR > 1 { printf "%d", ($3 > 0) }' out/slope/index.csv)" = 00011 ] || fail "it rolls from 5.8 degrees on"
# flank angles of seeds 1 and 2 for each coefficient, in degrees with one digit, as in the table of the page
awk -F, 'NR > 1 { d = sprintf("%.1f", $4 * 57.29577951308232); if ($3 == 1) first = d; else print first ", " d }' out/repose/index.csv >angles
while IFS= read -r pair; do grep -qF "| $pair" "$page" || fail "the angles of the table: $pair"; done <angles
figures=$(scree heap out/heap | sed -n 2p)
grep -qxF "    $figures" "$page" || fail "the heap is measured as: $figures"
[ "$(wc -l <angles)" -eq 4 ] || fail "four coefficients"
finish
