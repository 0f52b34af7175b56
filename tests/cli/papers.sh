#!/usr/bin/env bash
# `scree verify --papers` from outside: the quickest examples, their files, their plots, wrong usage.
#   tests/cli/papers.sh [PATH OF scree]     default: $SCREE_BIN
set -u
. "$(dirname "$0")/lib.sh"

check "list" 0 "$scree" verify --papers --list
is_empty err
[ "$(wc -l <"$work/out")" -eq "$(find examples/papers -name scene.yaml | wc -l)" ] || fail "an example for every folder"
while read -r key _; do
    for file in scene.yaml plot.gp README.md; do [ -f "examples/papers/$key/$file" ] || fail "$key has no $file"; done
    [ "$("$scree" verify --papers "$key" --list | wc -l)" -eq 1 ] || fail "$key is not listed by its name"
done <"$work/out"

check "two examples" 0 "$scree" verify --papers ab61 ta61 -o "$work/p"
is_empty err
grep -cE '^(ab61|ta61)/.* ok$' "$work/out" >"$work/count"
[ "$(cat "$work/count")" -ge 30 ] || fail "only $(cat "$work/count") rows"
! grep -qE 'NOT OK|nan' "$work/out" || fail "a row is not ok"
for file in ab61/ab61.csv ta61/ta61.csv; do
    [ "$(wc -l <"$work/p/$file")" -gt 100 ] || fail "$file is short"
    [ "$(grep , "$work/p/$file" | tr -cd ',\n' | sort -u | wc -l)" -eq 1 ] || fail "as many fields in every line of $file"
done
for key in ab61 ta61; do
    cmp -s "$work/p/$key/scene.yaml" "examples/papers/$key/scene.yaml" || fail "the scene of $key is not the one built in"
    if command -v gnuplot >/dev/null; then [ -s "$work/p/$key/$key.png" ] || fail "no plot of $key"; fi
done

check "json" 0 "$scree" verify --papers ta61 --json
[ "$(head -c 1 "$work/out")" = "{" ] && [ "$(tail -n 1 "$work/out")" = "}" ] || fail "one object and nothing else"
has out '"failed": 0'

# Half of the steps of this pile end at the bound of sweeps. Loads that hold each other grew from step to step here, until they overflowed.
check "a pile that is solved poorly" 1 "$scree" run examples/papers/ab62/scene.yaml -o "$work/pile" --until 4.6 --set materials.grain.friction=0.3 \
    --set 'materials.grain.rolling=10 mm' --set 'generators[0].pour.count=100'
[ "$(awk '/^residual/ { print ($5 + 0 > 0 && $5 + 0 < 0.1) }' "$work/out")" = 1 ] || fail "its worst residual: $(grep '^residual' "$work/out")"

check "unknown example" 2 "$scree" verify --papers ab16
has err "did you mean 'ab61'?"
is_empty out
check "--long without --papers" 2 "$scree" verify --long
check "-o without --papers" 2 "$scree" verify -o "$work/q"
echo >"$work/file"
check "a folder that cannot be made" 4 "$scree" verify --papers ta61 -o "$work/file/q"
has err "cannot make the folder"
if [ -w /dev/full ]; then
    check "a full disk" 4 bash -c "'$scree' verify --papers ta61 >/dev/full"
fi

finish
