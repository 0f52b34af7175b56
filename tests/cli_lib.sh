# cli_lib.sh: what the tests of the command line share; sourced as their first act, with the arguments of the test.
# Sets $scree (the program, absolute), $work (a folder that goes away), and stands in the root of the source tree.
scree=${1:-${SCREE_BIN:?usage: $0 PATH_OF_scree}}
case $scree in /*) ;; *) scree=$PWD/$scree ;; esac
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

# check NAME EXPECTED_STATUS COMMAND...: runs the command with its output in $work/out and $work/err
check() {
    local name=$1 expected=$2 status
    shift 2
    "$@" >"$work/out" 2>"$work/err"
    status=$?
    if [ "$status" -ne "$expected" ]; then
        fail "$name: exit status $status, expected $expected ($*)"
    else
        echo "ok $name"
    fi
}
fail() {
    echo "FAILED $1"
    sed 's/^/    out| /' "$work/out"
    sed 's/^/    err| /' "$work/err"
    failures=$((failures + 1))
}
# has FILE TEXT / is_empty FILE: about the last command
has() { grep -qF -- "$2" "$work/$1" || fail "expected in $1: $2"; }
is_empty() { [ ! -s "$work/$1" ] || fail "expected nothing in $1"; }
# finish: the last act of a test
finish() {
    local name
    name=$(basename "$0" .sh)
    if [ "$failures" -gt 0 ]; then
        echo "$name: $failures failed"
        exit 1
    fi
    echo "$name: all passed"
}
