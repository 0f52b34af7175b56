#!/usr/bin/env bash
# `scree verify --papers` from outside: every example that is cheap, their files, their plots, known misses, wrong usage.
# Not here, for the time they take (minutes): ab62, ta63, drum.
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
! grep -qE 'FAILED|missed:|nan' "$work/out" || fail "a row is not ok"
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

# The others that are cheap: no row fails; those that miss do so as stated, with a reason and a page that exists.
check "thirteen of sixteen" 0 "$scree" verify --papers ab-fig2 ta62 fn-brick fn-disk fn-incline fn-map fn-spin fn-table7 fn-ellipsoid fn-stack hopper --threads 2
is_empty err
[ "$(grep -cE '^[a-z0-9-]+/.*  (ok|missed)$' "$work/out")" -ge 95 ] || fail "too few rows"
! grep -qE 'FAILED|nan' "$work/out" || fail "a row failed"
[ "$(grep -c '  missed$' "$work/out")" -eq "$(grep -c '^    missed: ' "$work/out")" ] || fail "a miss without its reason"
tail -n 1 "$work/out" | grep -qE '^ok [0-9]+, missed [0-9]+, failed 0$' || fail "the counts"
grep -o 'docs/[a-z]*\.md#[a-z-]*' "$work/out" | sort -u | while IFS='#' read -r page anchor; do
    sed -n 's/^## *//p' "$page" | tr 'A-Z ' 'a-z-' | grep -qx "$anchor" || echo "$page#$anchor"
done >"$work/nowhere"
[ ! -s "$work/nowhere" ] || fail "links that lead nowhere: $(cat "$work/nowhere")"

# Half of the steps of this pile end at the bound of sweeps. Loads that hold each other grew from step to step here, until they overflowed.
check "a pile that is solved poorly" 1 "$scree" run examples/papers/ab62/scene.yaml -o "$work/pile" --until 4.6 --set materials.grain.friction=0.3 \
    --set 'materials.grain.rolling=10 mm' --set 'generators[0].pour.count=100' --set solver.name=momentum --set solver.max_iterations=50
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
