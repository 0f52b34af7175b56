#!/usr/bin/env bash
# A run that is killed just before any of its calls that change files is resumed by the same command with --resume, and leaves the files
# of a run that nothing disturbed: in an empty folder, and over an older run (--force). SCREE_LONG: at every call; otherwise at each of
# the first 60, with which a folder is opened, and at every 13th.
#   tests/cli/killed.sh PATH OF killed_at.so [PATH OF scree]     default: $SCREE_BIN
set -u
preload=${1:?usage: $0 PATH_OF_killed_at.so [PATH_OF_scree]}
shift
. "$(dirname "$0")/lib.sh"
scene=tests/scenes/run-mixed.yaml
every=60 stride=$([ -n "${SCREE_LONG:-}" ] && echo 1 || echo 13)
run() { "$scree" run "$scene" --until 0.02 --every 0.01 --quiet "$@"; }
# killed K ARGUMENT...: 0 if the run was killed at its K-th call
killed() {
    local k=$1
    shift
    (SCREE_KILL_AT=$k LD_PRELOAD=$preload run "$@" >"$work/out" 2>"$work/err")
    [ $? -eq 137 ]
}
same() { diff -rq --exclude=timing.csv --exclude=summary.json --exclude=checkpoint.h5 "$work/base" "$1" >"$work/out" 2>&1; }
hash_of() { sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' "$1/summary.json"; }

check "nothing disturbs it" 0 run -o "$work/base"
"$scree" run tests/scenes/run-mixed.yaml --until 0.01 --every 0.002 --quiet --set materials.stone.friction=0.25 -o "$work/old" || fail "an older run"
for before in nothing old; do
    count=0
    for ((k = 1; ; k += k < every ? 1 : stride)); do
        dir=$work/killed
        rm -rf "$dir"
        [ $before = nothing ] || cp -r "$work/old" "$dir"
        killed $k -o "$dir" $([ $before = nothing ] || echo --force) || break
        count=$((count + 1))
        if ! run -o "$dir" --resume >"$work/out" 2>"$work/err"; then
            # Before the folder belongs to the new run it holds the old one, and is not touched without --force.
            if [ $before = old ] && grep -q "another scene\|has changed" "$work/err" && cmp -s "$work/old/scene.yaml" "$dir/scene.yaml"; then continue; fi
            fail "killed at call $k ($before before): cannot be resumed"
        elif ! same "$dir" || [ "$(hash_of "$dir")" != "$(hash_of "$work/base")" ]; then
            : >"$work/err"
            fail "killed at call $k ($before before): the files differ"
        elif [ -n "$(find "$dir" -name '*.tmp*')" ]; then
            fail "killed at call $k ($before before): temporary files are left"
        fi
    done
    [ $count -ge $every ] || fail "$before before: killed $count times only"
    echo "ok killed $count times, $before before"
done
finish
