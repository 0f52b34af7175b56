#!/usr/bin/env bash
# scree on a device, without a card: the kernels compiled for the processor behind the door of libscree_cuda.so (tests/support/cuda_library.c).
# The same hash as on the processor, also for a run that goes from one to the other and back; what is missing or not taken is said by name;
# a device that fails in mid-run leaves a checkpoint from which the processor goes on.
#   tests/cli/gpu.sh PATH OF libscree_cuda_test.so [PATH OF scree]     default: $SCREE_BIN
set -u
library=${1:?usage: $0 PATH_OF_libscree_cuda_test.so [PATH_OF_scree]}
shift
. "$(dirname "$0")/lib.sh"
export SCREE_CUDA_LIBRARY=$library
run() { "$scree" run examples/shear.yaml --every 0.005 --quiet --set output.checkpoint="5 ms" "$@"; }
hash_of() { sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' "$1/summary.json"; }
same() { [ -n "$(hash_of "$1")" ] && [ "$(hash_of "$1")" = "$(hash_of "$work/cpu")" ] || fail "$2: another hash"; }

check "the processor" 0 run --until 0.015 -o "$work/cpu" --device cpu
check "a device" 0 run --until 0.015 -o "$work/gpu" --device gpu
same "$work/gpu" "a device"
check "begins on the processor" 0 run --until 0.005 -o "$work/both" --device cpu
check "resumes on the device" 0 run --until 0.01 -o "$work/both" --resume --device gpu
check "and on the processor" 0 run --until 0.015 -o "$work/both" --resume --device cpu
same "$work/both" "there and back"

check "a list" 0 "$scree" devices
has out "no card, for tests"
check "not a machine" 2 run -o "$work/none" --device tpu
check "not a library" 4 env SCREE_CUDA_LIBRARY=/nowhere/libscree_cuda.so "$scree" run examples/shear.yaml -o "$work/none" --device gpu --quiet
has err "/nowhere/libscree_cuda.so cannot be opened"
check "another library" 4 env SCREE_CUDA_LIBRARY=libm.so.6 "$scree" run examples/shear.yaml -o "$work/none" --device gpu --quiet
has err "not a library of scree"
crowd_scene "$work/crowd.yaml"
crowd() { "$scree" run "$work/crowd.yaml" --quiet --set stepper.step="6 us" --set "bodies.floor.shape={box: {size: [10 cm, 10 cm, 1 cm]}}" "$@"; }
for on in cpu gpu; do
    check "a floor that is a box, $on" 0 crowd --set bodies.floor.kind=fixed --set "bodies.floor.position=[0, 0, -5 mm]" --until 0.002 -o "$work/box-$on" --device $on
done
[ -n "$(hash_of "$work/box-cpu")" ] && [ "$(hash_of "$work/box-cpu")" = "$(hash_of "$work/box-gpu")" ] || fail "a floor that is a box: another hash"
check "back to the processor" 0 crowd --set bodies.floor.kind=fixed --set "bodies.floor.position=[0, 0, -5 mm]" --until 0.004 -o "$work/box-gpu" --resume
check "the processor alone" 0 crowd --set bodies.floor.kind=fixed --set "bodies.floor.position=[0, 0, -5 mm]" --until 0.004 -o "$work/box-cpu" --resume
[ "$(hash_of "$work/box-cpu")" = "$(hash_of "$work/box-gpu")" ] || fail "resumed from a device: another hash"
refused() { check "$1" 3 crowd -o "$work/none" --device gpu "${@:2}"; }
refused "a wall that is an ellipsoid" --set bodies.floor.kind=fixed --set "bodies.floor.shape={ellipsoid: {semi_axes: [5 cm, 5 cm, 1 cm]}}"
has err "crowd.yaml:8:10: error: device: gpu does not take walls that are hulls or ellipsoids, here floor"
refused "what is not one sphere"
has err "a body that moves and is not one sphere about its centre, here floor"
check "rigid contacts, another solver" 3 "$scree" run examples/pile.yaml -o "$work/none" --device gpu --quiet
has err "takes the scheme dem"
# A pour begins with no sphere at all.
pour() {
    "$scree" run examples/pile.yaml --quiet --until 0.05 --set stepper.scheme=dem --set "stepper.step=20 us" "$@" \
        --set "materials.gravel.dem={stiffness: 20 kN/m, slide_stiffness: 6 kN/m, damping: 0.3, damping_share: 0.3}"
}
for on in cpu gpu; do check "a pour, $on" 0 pour -o "$work/pour-$on" --device $on; done
[ -n "$(hash_of "$work/pour-cpu")" ] && [ "$(hash_of "$work/pour-cpu")" = "$(hash_of "$work/pour-gpu")" ] || fail "a pour: another hash"
check "an example of a paper on a device" 0 "$scree" verify --papers fn-incline --device host-twin --brief
! grep -q FAILED "$work/out" || fail "an example of a paper, on a device"
check "a paper, not a machine" 2 "$scree" verify --papers fn-incline --device tpu
check "checks of one contact, on a device" 2 "$scree" verify --device gpu
has err "--long, --threads and --device need --papers or --peers"
check "from the scene" 4 env SCREE_CUDA_LIBRARY=/nowhere "$scree" check examples/shear.yaml --set stepper.device=gpu

# Rigid contacts: the same bits by the library and by the twin, its residual computed from the file.
check "a pile" 0 "$scree" generate pile "$work/pile.hdf5" --grains 300
solve() { "$scree" solve "$work/pile.hdf5" --solver momentum --tol 1e-6 "$@"; }
check "solved on a device" 0 solve --device gpu --out "$work/gpu.txt"
has out "outcome     converged"
check "by the twin" 0 solve --device host-twin --threads 2 --out "$work/twin.txt"
cmp -s "$work/gpu.txt" "$work/twin.txt" || fail "other reactions"
check "certified" 0 "$scree" solve "$work/pile.hdf5" --certify --warm "$work/gpu.txt" --tol 1e-6
check "not a machine" 2 solve --device tpu
check "another solver" 2 "$scree" solve "$work/pile.hdf5" --solver nsgs --device gpu
has err "the solver nsgs runs on the processor"
check "no library" 4 env SCREE_CUDA_LIBRARY=/nowhere/libscree_cuda.so "$scree" solve "$work/pile.hdf5" --solver momentum --device gpu
has err "/nowhere/libscree_cuda.so cannot be opened"
check "what is not spheres" 3 "$scree" solve tests/problems/boxes.dat --solver momentum --device gpu
has err "does not take contacts other than those of spheres, here contact 0"
for call in 1 2 20 60 300; do
    check "lost at call $call" 4 env SCREE_CUDA_FAIL=$call "$scree" solve "$work/pile.hdf5" --solver momentum --device gpu --out "$work/lost.txt"
    has err "the device failed"
    [ ! -e "$work/lost.txt" ] || fail "reactions of a device that failed"
done

# In every step of a run.
pile() { "$scree" run examples/pile.yaml --until 0.5 --quiet --set solver.name=momentum "$@"; }
check "a run with rigid contacts" 0 pile -o "$work/pile_gpu" --device gpu
check "by the twin" 0 pile -o "$work/pile_twin" --device host-twin
[ "$(hash_of "$work/pile_gpu")" = "$(hash_of "$work/pile_twin")" ] || fail "rigid contacts: another hash"
check "rigid contacts of boxes" 3 "$scree" run examples/boxes.yaml -o "$work/none" --quiet --set solver.name=momentum --device gpu
has err "device: gpu does not take a body that moves and is not one sphere about its centre"
check "rigid contacts on a device that is lost" 4 env SCREE_CUDA_FAIL=30 "$scree" run examples/pile.yaml --until 0.5 --quiet --set solver.name=momentum -o "$work/pile_lost" --device gpu
has err "the device failed"

# A device that is lost after the first checkpoint.
check "lost in mid-run" 4 env SCREE_CUDA_FAIL=2500 "$scree" run examples/shear.yaml --every 0.005 --quiet --set output.checkpoint="5 ms" --until 0.015 -o "$work/lost" --device gpu
has err "the device failed"
check "goes on from the checkpoint" 0 run --until 0.015 -o "$work/lost" --resume --device cpu
same "$work/lost" "after the loss"
finish
