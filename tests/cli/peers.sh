#!/usr/bin/env bash
# `scree verify --peers` from outside: the cases that take a second or less, the table of docs/peers.md, JSON, wrong usage.
#   tests/cli/peers.sh [PATH OF scree]     default: $SCREE_BIN
set -u
. "$(dirname "$0")/lib.sh"

check "list" 0 "$scree" verify --peers --list
is_empty err
cut -d ' ' -f 1 "$work/out" >"$work/keys"
[ "$(wc -l <"$work/keys")" -ge 15 ] || fail "too few cases"
for scene in examples/peers/*.yaml; do
    "$scree" check "$scene" >"$work/checked" 2>&1 || fail "$scene: $(tail -n 3 "$work/checked")"
done

quick=(chung-ooi slip-to-roll kharaz mercury elastic-666 bouncing kapla squeezer slider-crank turntable coin euler-disk ladder)
check "the quick ones" 0 "$scree" verify --peers "${quick[@]}"
is_empty err
! grep -qE 'FAILED|nan' "$work/out" || fail "a row failed: $(grep FAILED "$work/out")"
[ "$(grep -cE '^[a-z0-9-]+/.*  (ok|missed)$' "$work/out")" -ge 66 ] || fail "too few rows"
[ "$(grep -c '  missed$' "$work/out")" -eq "$(grep -c '^    missed: .*docs/peers.md#missed' "$work/out")" ] || fail "a miss without its reason"
grep -q '^    beside: scree is 1 of 5 ([0-9.]* s): RaiSim 8.36835' "$work/out" || fail "scree's place among those who published a figure"
grep -oE '^[a-z0-9-]+/[^ ]+' "$work/out" | while read -r row; do
    grep -qF "| $row |" docs/peers.md || echo "$row"
done >"$work/absent"
[ ! -s "$work/absent" ] || fail "rows that docs/peers.md does not have: $(cat "$work/absent")"

check "table" 0 "$scree" verify --peers --table ladder bouncing
[ "$(grep -c '^| ' "$work/out")" -eq 5 ] || fail "a head and four rows of a table"
check "json" 0 "$scree" verify --peers --json bouncing
has out '"place": 1'
has out '"name": "RaiSim"'

check "unknown case" 2 "$scree" verify --peers kapal
has err "unknown case 'kapal' (did you mean 'kapla'?); --peers --list names them"
check "papers and peers" 2 "$scree" verify --peers --papers
check "-o with --peers" 2 "$scree" verify --peers bouncing -o "$work/q"

finish
