#!/usr/bin/env bash
# A machine without memory: whichever request of a command is the first that fails, the command says so, and exits with 4.
#   tests/cli/memory.sh PATH OF failing_malloc.so [PATH OF scree]     default: $SCREE_BIN
# Checkpoints and problem files are written and read by our own code; foreign problem files by HDF5, which does not survive every lack of
# memory, in a process of its own (solve, convert).
set -u
preload=${1:?usage: $0 PATH_OF_failing_malloc.so [PATH_OF_scree]}
shift
. "$(dirname "$0")/lib.sh"
ball=$PWD/examples/ball.yaml
contact=$PWD/examples/contact/slide-roll.json
joints=$PWD/examples/door.yaml
cd "$work" || exit 1
"$scree" generate pile pile.dat --grains 12 >/dev/null
"$scree" generate pile pile.hdf5 --grains 8 >/dev/null
"$scree" run "$ball" -o done --until 0.1 --quiet
before() { :; } # what stands before each attempt

# starved ARGUMENT...: without its first request, its second, ... (further and further apart), until it has what it needs
share=${SCREE_FAIL_EACH:+64} # tools/messages.py wants every message
share=${share:-${SCREE_LONG:+16}}
share=${share:-2}
starved() {
    local k status
    for ((k = 0; k < 20000; k += 1 + k / share)); do
        before
        SCREE_FAIL_AT=$k LD_PRELOAD=$preload timeout 20 "$scree" "$@" >out 2>err </dev/null
        status=$?
        if [ $status -eq 0 ] && [ $k -gt 0 ]; then
            echo "ok scree $*: at most $k requests"
            return
        fi
        # the C library itself may need memory to open a file: then it is the file that cannot be read
        if [ $status -eq 3 ] && grep -q "error: cannot open the file: Cannot allocate memory" err; then continue; fi
        [ $status -eq 4 ] && grep -qE 'error: .*(out of|no|allocate) memory' err || break
    done
    fail "scree $*, request $k denied: exit status $status, expected 4 and a word on memory"
}
share=1000 starved check "$ball" # each request: the last ones are those of the steps that it measures
starved check "$joints"
starved check --schema
starved contact "$contact"
starved solve pile.dat --out solved.txt
starved bench solve pile.dat --solvers nsgs --tols 1e-4
starved bench laws --repeat 1
starved generate pile other.dat --grains 10
starved heap done
starved picture done -o x.png --size 60x40 --threads 1
starved picture done -o x.gif --size 60x40 --threads 1
starved report done -o x.html
starved sweep "$ball" --seeds 2 --set run.until=0.01 -o swept --force -j 1 --quiet
starved sweep --collect swept --plot kinetic
starved bench pile 20 --settle 1 --steps 1
starved solve pile.hdf5 --out solved.hdf5
starved convert pile.hdf5 other.hdf5
share=$((${SCREE_LONG:+1}0 ? 1000 : share < 5 ? 5 : share)) # these need 300 requests: all of them with SCREE_LONG
starved run "$ball" -o fresh --force --until 0.1 --quiet
before() {
    rm -rf half
    cp -r done half
}
starved run --resume -o half --until 0.2 --quiet
grep -q "$("$scree" run "$ball" -o whole --until 0.2 --quiet && sed -n 's/.*"hash": \("[0-9a-f]*"\).*/\1/p' whole/summary.json)" half/summary.json ||
    fail "a run resumed after all that has another hash"
finish
