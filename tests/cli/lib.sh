# lib.sh: what the tests of the command line share; sourced as their first act, with the arguments of the test.
# Sets $scree (the program, absolute), $work (a folder that goes away), and stands in the root of the source tree.
scree=${1:-${SCREE_BIN:?usage: $0 PATH_OF_scree}}
case $scree in /*) ;; *) scree=$PWD/$scree ;; esac
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

# check NAME EXPECTED_STATUS COMMAND...: runs the command with its output in $work/out and $work/err
check() {
    local name=$1 expected=$2
    shift 2
    "$@" >"$work/out" 2>"$work/err"
    ended "$name" "$expected" $? "$*"
}
# ended NAME EXPECTED_STATUS STATUS [COMMAND]
ended() { if [ "$3" -ne "$2" ]; then fail "$1: exit status $3, expected $2${4:+ ($4)}"; else echo "ok $1"; fi; }
fail() {
    echo "FAILED $1"
    sed 's/^/    out| /' "$work/out"
    sed 's/^/    err| /' "$work/err"
    failures=$((failures + 1))
}
# has FILE TEXT / is_empty FILE: about the last command
has() { grep -qF -- "$2" "$work/$1" || fail "expected in $1: $2"; }
is_empty() { [ ! -s "$work/$1" ] || fail "expected nothing in $1"; }
# soon COMMAND...: waits until the command succeeds, at most a minute
soon() {
    for _ in $(seq 1200); do
        "$@" 2>/dev/null && return
        sleep 0.05
    done
    fail "this never came about: $*"
}
# catches SIGNAL PID: whether the process is scree and has a handler for the signal. Before that a signal ends it without a word.
catches() { [ "/proc/$2/exe" -ef "$scree" ] && (((0x$(sed -n 's/^SigCgt:[^0-9a-f]*//p' "/proc/$2/status") >> ($(kill -l "$1") - 1)) & 1)); }
# stopped NAME EXPECTED_STATUS SIGNAL COMMAND...: like check, for a command of scree that gets the signal as soon as it catches it
stopped() {
    local name=$1 expected=$2 signal=$3 pid
    shift 3
    "$@" >"$work/out" 2>"$work/err" &
    pid=$!
    soon catches "$signal" $pid
    kill -"$signal" $pid
    wait $pid
    ended "$name" "$expected" $? "$*"
}
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

# A scene of soft grains, into the file $1: they close up and get more contacts than the step takes.
crowd_scene() {
    cat >"$1" <<'YAML'
scree: 1
materials:
  glass: {density: 2500, friction: 0.5, restitution: 0.5, dem: {stiffness: 20 kN/m, slide_stiffness: 10 kN/m}}
bodies:
  - {name: floor, shape: {plane: {}}}
generators:
  - {name: grain, lattice: {count: [6, 6, 6], spacing: 2.001 mm, origin: [0, 0, 1.001 mm]}, radius: 1 mm}
stepper: {scheme: dem, step: 14 us}
run: {until: 4 ms}
output: {every: 0.5 ms}
YAML
}
