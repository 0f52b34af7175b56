#!/usr/bin/env bash
# A run that one build began continues in another: clang's, that of the sanitizers, whichever stand beside this one in build/. A checkpoint is
# resumed on both sides, and hash, series and frames are those of a run that one build took from start to end.
#   tests/cli/other_build.sh [PATH OF scree]     default: $SCREE_BIN       exit status 77: there is no other build
set -u
. "$(dirname "$0")/lib.sh"
others=()
for name in clang asan release dev; do
    other=$(dirname "$scree")/../../$name/bin/scree
    [ ! -x "$other" ] || [ "$other" -ef "$scree" ] || others+=("$other")
done
[ ${#others[@]} -gt 0 ] || { echo "skipped: no other build beside $scree"; exit 77; }

hash_of() { grep -o '"hash": "[0-9a-f]*"' "$work/$1/summary.json"; }
# same NAME FOLDER: as the run of this build alone
same() {
    [ -n "$(hash_of alone)" ] && [ "$(hash_of "$2")" = "$(hash_of alone)" ] || fail "$1: another hash"
    local file
    for file in series.csv frames.scree; do cmp "$work/alone/$file" "$work/$2/$file" || fail "$1: another $file"; done
}
# across SCENE HALF END [SETTING]...: sources, drives and contacts with their impulses are under way when the other build takes over
across() {
    local scene=$1 half=$2 end=$3 other name
    shift 3
    local settings=("${@/#/--set=}")
    check "$scene alone" 0 "$scree" run "$scene" -o "$work/alone" --until "$end" --quiet --force "${settings[@]}"
    for other in "${others[@]}"; do
        name="$scene, $(basename "$(dirname "$(dirname "$other")")")"
        check "$name begins" 0 "$other" run "$scene" -o "$work/there" --until "$half" --quiet --force "${settings[@]}"
        check "$name: resumed here" 0 "$scree" run "$scene" -o "$work/there" --resume --until "$end" --quiet "${settings[@]}"
        same "$name: resumed here" there
        check "$name: begun here" 0 "$scree" run "$scene" -o "$work/here" --until "$half" --quiet --force "${settings[@]}"
        check "$name resumes" 0 "$other" run "$scene" -o "$work/here" --resume --until "$end" --quiet "${settings[@]}"
        same "$name resumes" here
    done
}
across tests/scenes/run-mixed.yaml 0.2 0.4 # rigid: round and flat shapes, a drive, grains that are poured
across examples/soft-bed.yaml '3 ms' '6 ms' 'generators[0].lattice.count=[6, 6, 6]' 'output.every=1 ms' # soft spheres of the fast engine
across examples/shear.yaml '2 ms' '4 ms' 'output.every=1 ms' # soft, periodic, walls that drive and press
finish
