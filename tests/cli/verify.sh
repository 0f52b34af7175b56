#!/usr/bin/env bash
# `scree verify` and `scree bench` from outside: exit status, rows, JSON, CSV.
#   tests/cli/verify.sh [PATH OF scree]     default: $SCREE_BIN
set -u
. "$(dirname "$0")/lib.sh"
counts() {
    local found
    found=$(grep -cE -- "$2" "$work/out")
    [ "$found" -eq "$1" ] || fail "expected $1 lines like $2, found $found"
}
# one_object: the output is one JSON object, every bracket closed, no number that JSON does not know
one_object() {
    [ "$(head -c 1 "$work/out")" = "{" ] && [ "$(tail -n 1 "$work/out")" = "}" ] || fail "one object and nothing else"
    for pair in '{ }' '[ ]'; do
        [ "$(tr -cd "${pair% *}" <"$work/out" | wc -c)" -eq "$(tr -cd "${pair#* }" <"$work/out" | wc -c)" ] ||
            fail "brackets $pair do not match"
    done
    ! grep -qiE ': -?(nan|inf)' "$work/out" || fail "not a number of JSON"
    ! tr -d ' \n' <"$work/out" | grep -qE ',[]}]' || fail "a comma before a closing bracket"
}

# ---- verify
check "list" 0 "$scree" verify --list
is_empty err
cut -d ' ' -f 1 "$work/out" >"$work/names"
rows=$(wc -l <"$work/names")
[ "$rows" -ge 50 ] || fail "only $rows checks"
[ -z "$(sort "$work/names" | uniq -d)" ] || fail "a name stands twice"

# Long motions take seconds, and minutes under a sanitizer: the release build makes all, the others all the rest.
case $scree in
*/release/*) chosen=() ;;
*)
    grep -vE '^(pile|tumbling|three-balls|ten-boxes|restitution|mass-ratio|incline|spin|slide-to-roll|rolling)/' "$work/names" >"$work/some" && mv "$work/some" "$work/names"
    mapfile -t chosen <"$work/names"
    rows=$(wc -l <"$work/names")
    ;;
esac
check "all checks" 0 "$scree" verify "${chosen[@]}"
is_empty err
counts 1 '^bonnefon-daviet/rounding-in-alpha .*  missed$' # a figure of the paper that its own polynomial does not bear out
counts "$((rows - 1))" '^[^ ]*/.*  ok$'
counts "$rows" '^    from: .*; bound: [^ ].'
counts 0 'FAILED|nan'
has out "ok $((rows - 1)), missed 1, failed 0"
[ "$(grep -v '^    ' "$work/out" | wc -L)" -le 92 ] || fail "rows wider than 92 columns" # 88 and, at the end, ok, missed or failed
while read -r name; do grep -q "^$name " "$work/out" || fail "no row $name"; done <"$work/names"

mapfile -t quick < <(grep -vE '^(pile|tower|tumbling|three-balls|ten-boxes|restitution|mass-ratio|double-pendulum|ball-joint|four-bar|chain|tippe)/' "$work/names")
rows=${#quick[@]}
check "json" 0 "$scree" verify --json "${quick[@]}"
is_empty err
one_object
counts "$rows" '"name": "'
for key in source scree error bound; do counts "$rows" "\"$key\": -?[0-9]"; done
for key in from reason; do counts "$rows" "\"$key\": \"[^\"]"; done
counts "$((rows - 1))" '"status": "ok"'
has out "\"ok\": $((rows - 1))"
has out '"missed": 1'
has out '"failed": 0'
check "brief" 0 "$scree" verify --brief block
[ "$(wc -l <"$work/out")" -eq 4 ] || fail "a head, a row, the counts"
check "brief and json" 2 "$scree" verify --brief --json
if [ -n "${SCREE_LONG-}" ]; then # half a minute
    check "the table beside other engines" 0 "$scree" verify --table
    sed -n '/^| | theory/,/^$/p' docs/evidence.md | grep '^|' >"$work/page"
    grep '^|' "$work/out" | cmp -s - "$work/page" || fail "docs/evidence.md has another table: $(grep '^|' "$work/out" | diff - "$work/page")"
    rolls=$(sed -n 's/^| ball rolls to rest, distance | [^|]* | +\([0-9.]*e-\)0*\([0-9]*\) %.*/\1\2/p' "$work/out")
    grep -q "scree +$rolls %, in every direction" README.md || fail "README.md has another rolling distance than $rolls %"
fi
check "the table goes by itself" 2 "$scree" verify --table block

check "one check" 0 "$scree" verify incline/rest-angle
counts 1 '^[^ ]*/.*  ok$'
has out "5.710593"
check "a group" 0 "$scree" verify bonnefon-daviet
counts 8 '^bonnefon-daviet/.*  ok$'
check "a group and a check, json" 0 "$scree" verify --json modes block/angle
counts 14 '"status": "ok"'
check "list of a group" 0 "$scree" verify --list modes
counts 13 '^modes/'
check "unknown check" 2 "$scree" verify incline/rest-angel
has err "unknown check 'incline/rest-angel' (did you mean 'incline/rest-angle'?)"
is_empty out
check "unknown group" 2 "$scree" verify mode
has err "did you mean 'modes'?"
check "nothing like it" 2 "$scree" verify zzzzzz
has err "--list names them"
check "a good and a bad name" 2 "$scree" verify modes nonsense
is_empty out
check "list and json" 2 "$scree" verify --list --json
check "unknown option of verify" 2 "$scree" verify --jsno
has err "did you mean '--json'?"

# ---- bench
laws="Cholesky projection quartic_t quartic_alpha exact newton_natural newton_alart_curnier fixed_point extragradient"
check "bench lists" 0 "$scree" bench
has out "laws"
check "unknown measurement" 2 "$scree" bench lawz
has err "did you mean 'laws'?"
check "help of bench laws" 0 "$scree" bench laws --help
has out "usage: scree bench laws"
check "two measurements" 2 "$scree" bench laws laws
check "--repeat 0" 2 "$scree" bench laws --repeat 0
check "--json and --csv" 2 "$scree" bench laws --json --csv

check "bench laws" 0 "$scree" bench laws --repeat 1
is_empty err
for law in $laws; do has out "$law"; done
has out "commit "
has out "inside/face/apex"
counts 17 '%  *.*(pairs|apex|unique)$'
check "bench laws, csv" 0 "$scree" bench laws --repeat 1 --csv
head -n 1 "$work/out" | grep -q '^law,components,calls,ns,multiple,aim,worst,failed,' || fail "the head line"
[ "$(wc -l <"$work/out")" -eq 18 ] || fail "18 lines"
[ "$(sed 's/"[^"]*"//g' "$work/out" | tr -cd ',\n' | sort -u | wc -l)" -eq 1 ] || fail "as many fields in every line"
check "bench laws, json" 0 "$scree" bench laws --repeat 1 --json
one_object
counts 17 '"ns": [0-9]'
counts 17 '"worst": [0-9]'
for key in machine compiler commit date; do counts 1 "\"$key\": \"."; done

if [ -w /dev/full ]; then
    check "a full disk" 4 bash -c "'$scree' verify modes >/dev/full"
fi

finish
