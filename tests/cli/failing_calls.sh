#!/usr/bin/env bash
# A disk that fails once: whichever call of a run that changes files fails, in a run or in a resumed one, the run ends with exit status 0 or 4
# and a word on the file, and the same command with --resume then leaves the files of a run that nothing disturbed. SCREE_LONG: every call;
# otherwise the first 12, with which a folder is opened, and every 9th.
#   tests/cli/failing_calls.sh PATH OF killed_at.so [PATH OF scree]     default: $SCREE_BIN
set -u
preload=${1:?usage: $0 PATH_OF_killed_at.so [PATH_OF_scree]}
shift
. "$(dirname "$0")/lib.sh"
scene=tests/scenes/run-mixed.yaml
every=12 stride=$([ -n "${SCREE_LONG:-}" ] && echo 1 || echo 9)
run() { "$scree" run "$scene" --every 0.01 --quiet "$@"; }
same() { diff -rq --exclude=timing.csv --exclude=summary.json --exclude=checkpoint.h5 "$work/base" "$1" >"$work/out" 2>&1; }
hash_of() { sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' "$1/summary.json"; }

check "nothing disturbs it" 0 run --until 0.02 -o "$work/base"
check "half of it" 0 run --until 0.01 -o "$work/half"
dir=$work/disturbed
for before in nothing half; do
    count=0 failed=0
    for ((k = 1; ; k += k < every ? 1 : stride)); do
        rm -rf "$dir" "$work/failed"
        [ $before = nothing ] || cp -r "$work/half" "$dir"
        errno=$((k % 2 ? 5 : 28)) # EIO, ENOSPC
        (
            export SCREE_KILL_AT=$k SCREE_FAIL_WITH=$errno SCREE_FAILED=$work/failed LD_PRELOAD=$preload
            run --until 0.02 -o "$dir" $([ $before = nothing ] || echo --resume) >"$work/out" 2>"$work/err"
        )
        status=$?
        [ -e "$work/failed" ] || break # there is no k-th call
        count=$((count + 1))
        case $status in
        0) ;; # nothing that matters: a file that is removed, a folder that is there
        4) failed=$((failed + 1)) && grep -q "error: " "$work/err" || fail "call $k fails ($before before): exit status 4 without a word" ;;
        *) fail "call $k fails with errno $errno ($before before): exit status $status" ;;
        esac
        if ! run --until 0.02 -o "$dir" --resume >"$work/out" 2>"$work/err"; then
            fail "call $k fails with errno $errno ($before before, exit status $status): cannot be resumed"
        elif ! same "$dir" || [ "$(hash_of "$dir")" != "$(hash_of "$work/base")" ]; then
            : >"$work/err"
            fail "call $k fails with errno $errno ($before before, exit status $status): the files differ"
        fi
    done
    [ $failed -ge 8 ] || fail "$before before: only $failed of $count failing calls ended the run"
    echo "ok $count calls failed, $failed of them ended the run, $before before"
done

# Commands that write one file: if a call fails, the old file is still there, whole; else the new one is.
# one FILE COMMAND...: the command writes FILE
one() {
    local file=$1 count=0 failed=0 k status
    shift
    "$scree" "$@" >"$work/out" 2>"$work/err" && cp "$file" "$work/whole" || fail "scree $*"
    for ((k = 1; ; k += k < every ? 1 : stride)); do
        rm -rf "$work/failed"
        echo "the old file" >"$file"
        (
            export SCREE_KILL_AT=$k SCREE_FAIL_WITH=$((k % 2 ? 5 : 28)) SCREE_FAILED=$work/failed LD_PRELOAD=$preload
            "$scree" "$@" >"$work/out" 2>"$work/err"
        )
        status=$?
        [ -e "$work/failed" ] || break
        count=$((count + 1))
        if [ $status -eq 4 ]; then
            failed=$((failed + 1))
            grep -q "error: " "$work/err" || fail "call $k of scree $1 fails: exit status 4 without a word"
            [ "$(cat "$file")" = "the old file" ] || fail "call $k of scree $1 fails: the old file is gone"
        elif [ $status -ne 0 ]; then fail "call $k of scree $1 fails: exit status $status"
        elif ! cmp -s "$file" "$work/whole"; then fail "call $k of scree $1 fails: exit status 0, and the file is not whole"
        fi
        leftover=$(find "$(dirname "$file")" -name "$(basename "$file").?*")
        [ -z "$leftover" ] || { fail "call $k of scree $1 fails: $leftover is left"; rm -f $leftover; }
    done
    [ $failed -ge 1 ] || fail "scree $1: none of $count failing calls ended it"
    echo "ok scree $1 $(basename "$file"): $count calls failed, $failed of them ended it"
}
mkdir "$work/one"
problem=$(find tests/problems -name '*.hdf5' -o -name '*.dat' | sort | head -n 1)
one "$work/one/answer.hdf5" solve "$problem" --out "$work/one/answer.hdf5"
one "$work/one/answer.txt" solve "$problem" --out "$work/one/answer.txt"
one "$work/one/copy.hdf5" convert "$problem" "$work/one/copy.hdf5"
one "$work/one/replay.html" report "$work/base" -o "$work/one/replay.html"
one "$work/one/pile.png" picture "$work/base" -o "$work/one/pile.png"
finish
