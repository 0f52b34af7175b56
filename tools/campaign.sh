#!/usr/bin/env bash
# `scree verify --papers --long`, every example at once, on a machine of many cores that may be taken away at any time:
#     tools/campaign.sh FOLDER [SCREE] [SECONDS]
# SCREE is the command (default build/release/bin/scree; tools/portable.sh makes one for a bare machine), SECONDS the time after which all
# is stopped (default: none). The same line given again goes on: examples that are finished have FOLDER/KEY.txt, with their rows; of [AB] 6.2
# and [TA] 6.3 every finished simulation is kept (FOLDER/KEY/jobs), and of [AB] 6.2 checkpoints of those that are not. Exit status 0: all are
# finished; 1: some are not, or a row failed.
# Two thirds of the cores pour the piles of [AB] 6.2, one third the heaps of [TA] 6.3, and the others run beside them. It keeps to the cores it
# is given: `taskset -c 2-15 tools/campaign.sh ...` leaves two of sixteen free.
set -uo pipefail
[ $# -ge 1 ] || { sed -n '2,10p' "$0"; exit 2; }
folder=$1 scree=${2:-build/release/bin/scree} seconds=${3:-1000000} cores=$(nproc)
mkdir -p "$folder"
export scree folder
one() { # KEY THREADS
    [ -f "$folder/$1.txt" ] && return
    # The status is that of rows; whether the example came to its end is told by its last line.
    "$scree" verify --papers --long --threads "$2" -o "$folder" "$1" >"$folder/$1.part" 2>>"$folder/$1.log"
    if tail -n 1 "$folder/$1.part" | grep -q '^ok '; then mv "$folder/$1.part" "$folder/$1.txt"; fi
}
export -f one
keys=$("$scree" verify --papers --list | cut -d' ' -f1)
{
    echo "ab62 $((cores > 2 ? cores - cores / 3 : cores))"
    echo "ta63 $((cores > 2 ? cores / 3 : cores))"
    for key in drum hopper; do echo "$key $((cores > 8 ? 4 : 2))"; done
    for key in $keys; do
        case $key in ta63 | ab62 | drum | hopper) ;; *) echo "$key 2" ;; esac
    done
} | timeout --signal=TERM "$seconds" xargs -P 20 -L 1 bash -c 'one "$0" "$1"'
for key in $keys; do
    if [ -f "$folder/$key.txt" ]; then tail -n 1 "$folder/$key.txt"; else echo "not finished: $key"; fi
done | awk '/^ok/ {gsub(",", ""); ok += $2; missed += $4; failed += $6; next} {print; open = 1}
    END {printf "ok %d, missed %d, failed %d\n", ok, missed, failed; exit open || failed > 0}'
