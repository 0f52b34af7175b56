#!/usr/bin/env bash
# `scree heap` from outside: the heap of a run against the same figures of `scree sweep`, plots, messages, exit status.
#   tests/cli/heap.sh [PATH OF scree]     default: $SCREE_BIN
set -u
. "$(dirname "$0")/lib.sh"
heap() { "$scree" heap "$@"; }
until=0.6
check "a run" 0 "$scree" run examples/pile.yaml -o "$work/pile" --until $until --quiet
check "a flat one" 0 "$scree" run examples/pile.yaml -o "$work/flat" --until $until --quiet --set materials.gravel.rolling=0 --set materials.gravel.spinning=0
check "both" 0 heap "$work/pile" "$work/flat" -o "$work/profile"
is_empty err
has out "angle [deg]"
has out "distance from the axis [mm]"
has out "*  pile: "
has out "+  flat: "
[ "$(head -c 5 "$work/profile.svg")" = "<svg " ] && [ "$(head -c 4 "$work/profile.png" | tail -c 3)" = PNG ] || fail "svg and png"
grep -q "distance from the axis" "$work/profile.svg" || fail "the axis has a name"

# the same heap as the sweep has it, which measures the world and not its frames
check "json" 0 heap "$work/pile" --json
height=$(sed -n 's/ *"height": \([^,]*\),/\1/p' "$work/out")
check "the sweep" 0 "$scree" sweep examples/pile.yaml --vary run.until=$until --result heap.height -o "$work/sweep"
grep -qF "$height" "$work/sweep/index.csv" || fail "height $height is not in the sweep: $(cat "$work/sweep/index.csv")"
check "an early frame" 0 heap "$work/pile" --frame 2 --json
has out '"grains": '

check "the first frame has no grains" 3 heap "$work/pile" --frame 0
has err "$work/pile: error: there is no dynamic sphere above the floor at z = 0 m"
check "below the floor" 3 heap "$work/pile" --floor 10
check "a wrong floor" 2 heap "$work/pile" --floor deep
has err "--floor is 'deep', expected a number [m]"
check "a wrong frame" 2 heap "$work/pile" --frame 99
has err "--frame is '99', expected a number from 0 to 12, or last"
check "no folder" 2 heap
check "no run" 3 heap "$work"
has err "$work: error: this is not the folder of a run"
check "nowhere to write" 4 heap "$work/pile" -o "$work/none/x"

if [ "$failures" -gt 0 ]; then
    echo "cli_heap: $failures failed"
    exit 1
fi
echo "cli_heap: all passed"
