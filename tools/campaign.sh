#!/usr/bin/env bash
# `scree verify --papers --long`, every example at once, on a machine of many cores that may be taken away at any time:
#     tools/campaign.sh FOLDER [SCREE] [SECONDS]
# SCREE is the command (default build/release/bin/scree; tools/portable.sh makes one for a bare machine), SECONDS the time after which all
# is stopped (default: none). The same line given again goes on: examples that are finished have FOLDER/KEY.txt, with their rows; of [AB] 6.2
# and [TA] 6.3 every finished simulation is kept (FOLDER/KEY/jobs). Exit status 0: all are finished; 1: some are not, or a row failed.
# The longest simulations, the heaps of [TA] 6.3, get cores first, then the piles of [AB] 6.2, then the rest: about five hours of
# CPU in all.
set -uo pipefail
[ $# -ge 1 ] || { sed -n '2,9p' "$0"; exit 2; }
folder=$1 scree=${2:-build/release/bin/scree} seconds=${3:-1000000} cores=$(nproc)
mkdir -p "$folder"
export scree folder
one() { # KEY NICE THREADS
    [ -f "$folder/$1.txt" ] && return
    # The status is that of rows; whether the example came to its end is told by its last line.
    nice -n "$2" "$scree" verify --papers --long --threads "$3" -o "$folder" "$1" >"$folder/$1.part" 2>"$folder/$1.log"
    if tail -n 1 "$folder/$1.part" | grep -q '^ok '; then mv "$folder/$1.part" "$folder/$1.txt"; fi
}
export -f one
keys=$("$scree" verify --papers --list | cut -d' ' -f1)
{
    echo "ta63 0 20" # all of its heaps at once
    echo "ab62 5 $cores"
    for key in drum hopper; do echo "$key 10 $cores"; done
    for key in $keys; do
        case $key in ta63 | ab62 | drum | hopper) ;; *) echo "$key 10 2" ;; esac
    done
} | timeout --signal=TERM "$seconds" xargs -P 20 -L 1 bash -c 'one "$0" "$1" "$2"'
for key in $keys; do
    if [ -f "$folder/$key.txt" ]; then tail -n 1 "$folder/$key.txt"; else echo "not finished: $key"; fi
done | awk '/^ok/ {gsub(",", ""); ok += $2; missed += $4; failed += $6; next} {print; open = 1}
    END {printf "ok %d, missed %d, failed %d\n", ok, missed, failed; exit open || failed > 0}'
