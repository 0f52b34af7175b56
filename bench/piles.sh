#!/usr/bin/env bash
# bench/piles.sh [SCREE] [easy|hard|all]: time to 1e-4, 1e-6 and 1e-8 on piles of spheres with rolling and spinning friction, cold, default
# options, one thread; from 1,300 to 100,000 contacts at rest, and the hard ones: moving, mass ratio 1000, no rolling friction.
# Prints a markdown table; seconds are the least of three solves (one, where a solve takes more than 5 s). SCREE: the program, as a command
# line (default build/release/bin/scree). A residual above the tolerance means: not reached within LIMIT seconds (default 60).
set -euo pipefail
scree=${1:-build/release/bin/scree} which=${2:-all} limit=${LIMIT:-60}
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT
export OPENBLAS_NUM_THREADS=1

value() { sed -n -E "s/^ *\"$1\": *\"?([^\",]*)\"?,?$/\1/p" "$folder/json" | head -1; }

row() { # LABEL OPTIONS...: one pile
    local label=$1 best seconds
    $scree generate pile "$folder/p.hdf5" "${@:2}" >/dev/null
    for tolerance in 1e-4 1e-6 1e-8; do
        best=
        for _ in 1 2 3; do
            $scree solve "$folder/p.hdf5" --tol $tolerance --time-limit "$limit" --json >"$folder/json" 2>/dev/null || true
            seconds=$(value seconds)
            if [ -z "$best" ] || awk "BEGIN { exit !($seconds < $best) }"; then best=$seconds; fi
            if awk "BEGIN { exit !($seconds > 5) }"; then break; fi
        done
        awk -v label="$label" -v contacts="$(value contacts)" -v tolerance=$tolerance -v seconds="$best" -v n="$(value iterations)" \
            -v residual="$(value residual)" -v solver="$(value solver)" \
            'BEGIN { printf "| %s | %d | %s | %.4f | %d | %.1e | %s |\n", label, contacts, tolerance, seconds, n, residual, solver }'
    done
}

echo "| pile | contacts | tolerance | seconds | iterations | residual | ended by |"
echo "|---|---|---|---|---|---|---|"
if [ "$which" != hard ]; then
    for grains in 460 2300 7000 34000; do row "at rest" --grains $grains; done
    for grains in 460 7000; do row "at rest, radii 1:1.9" --grains $grains --spread 0.3; done
fi
if [ "$which" != easy ]; then
    for grains in 880 7000; do
        row "moving" --grains $grains --moving 1
        row "mass ratio 1000" --grains $grains --mass-ratio 1000
        row "no rolling friction" --grains $grains --dim 3
    done
    for grains in 300 880; do # two of these at once
        row "moving, no rolling friction" --grains $grains --moving 1 --dim 3
        row "moving, mass ratio 1000" --grains $grains --moving 1 --mass-ratio 1000
    done
fi
