#!/usr/bin/env bash
# The program scree_bench_dem from outside: its rows, beds as files, the same energy from every instruction set; LAMMPS' energy where it is installed.
#   tests/cli/bench_dem.sh [PATH OF scree]     default: $SCREE_BIN
set -u
. "$(dirname "$0")/lib.sh"
bench=$(dirname "$scree")/scree_bench_dem

check "a small bed" 0 "$bench" 400 --settle 2000 --steps 20 --csv --write "$work/bed.data"
is_empty err
has out "grains,law,instructions,threads,us_least,us_mean,"
[ "$(grep -c '^400,\(sds\|fn\),' "$work/out")" -eq 2 ] || fail "a row for each law"
check "from its file" 0 "$bench" --from "$work/bed.data" --law fn --threads 2 --steps 9 --windows 3 --json
has out '"law": "fn"'
has out '"grains": 400'
[ "$(grep '"us": ' "$work/out" | tr -cd , | wc -c)" -eq 3 ] || fail "each of the three windows" # and the comma after the list
check "tiles" 0 "$bench" 20002 --settle 1 --steps 5 --law sds --tilt 20deg
has out "20001" # three tiles of 6,667
check "more than fit the cache" 0 "$bench" 20002 --settle 1 --check 20
large=$(cat "$work/out")
check "the same with two threads" 0 "$bench" 20002 --settle 1 --check 20 --threads 2 --set 1
[ "$(cat "$work/out")" = "$large" ] || fail "the same digits from two threads in a large bed"
check "energy" 0 "$bench" --from "$work/bed.data" --check 100
energy=$(cat "$work/out")
check "energy, another set" 0 "$bench" --from "$work/bed.data" --check 100 --set 2 --threads 2
[ "$(cat "$work/out")" = "$energy" ] || fail "the same digits from every instruction set"

echo "no bed" >"$work/bad.data"
check "another file" 3 "$bench" --from "$work/bad.data"
has err "bad.data: error: not a data file that scree_bench_dem wrote"
check "no file" 3 "$bench" --from "$work/absent"
check "an unknown law" 2 "$bench" 100 --law hertz
has err "--law is 'hertz', expected sds, fn or both"
check "a file laid side by side" 0 "$bench" 1000 --from "$work/bed.data" --law sds --steps 5 --csv
has out "1200,sds," # three tiles of 400
hash_of() { tail -1 "$work/out" | cut -d, -f12; }
check "turning, on the processor" 0 "$bench" --from "$work/bed.data" --law fn --steps 20 --csv --turn --ledger --threads 2
hash=$(hash_of)
[ "${#hash}" -eq 16 ] || fail "a hash"
check "on a device" 0 "$bench" --from "$work/bed.data" --law fn --steps 20 --csv --turn --ledger --device host-twin
[ "$(hash_of)" = "$hash" ] || fail "the same bits from a device"
check "too many windows" 2 "$bench" 10 --windows 2000
has err "scree_bench_dem: error: --windows is 2000, expected 1 to 1000"
check "grains" 2 "$bench" many
has err "GRAINS is 'many'"

if command -v lmp >/dev/null; then
    check "LAMMPS has the same energy" 0 bench/dem_peers.py --scree "$bench" --grains 500 --repeat 1 --settle 2000 --work 50000 --liggghts ''
    grep -q "energy after 100 steps" "$work/out" || fail "the energies"
else
    echo "LAMMPS was not found: its energy is not compared"
fi
finish
