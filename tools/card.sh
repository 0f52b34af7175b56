#!/usr/bin/env bash
# What scree does on a GPU, measured on a machine that is lent for minutes: everything is built here, and only runs there.
#     tools/card.sh make FOLDER          here: the programs, their libraries, libscree_cuda.so (ARCHITECTURE, default sm_90) and piles
#     FOLDER/card.sh PIECE...            there, one or several of
#         same        tests of the engines on the card; hashes: processor, card, card again, two at once, resumed across both     2 minutes
#         dem         soft beds: 10,000 to 10 million, both laws, plain, with rotations and ledger, flowing; the processor beside  5 minutes
#         large       soft beds of 30 to 210 million: time and bytes                                                               4 minutes
#         rigid       sweeps at 20,000, 200,000 and 2 million contacts; steps of piles                                             4 minutes
#         sanitizer   memcheck and racecheck of a small bed and a small pile                                                       3 minutes
#     DEVICE=host-twin FOLDER/card.sh ..  tries the pieces without a card, with small sizes (SMALL=1 is then set)
# Results go to standard output, as tables; OUT (default FOLDER/out) has what programs write.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

make_folder() {
    local folder=$1 build=build/card
    cd "$here/.."
    cmake --preset release -B $build -DSCREE_CUDA=ON -DSCREE_TESTS=ON -DSCREE_HEAVY=ON -DSCREE_CUDA_ARCHITECTURES="${ARCHITECTURE:-sm_90}" >/dev/null
    cmake --build $build --target scree_cli scree_bench_dem scree_cuda test_device test_pile_device
    mkdir -p "$folder.piles"
    BUILD=$build/alone bench/alone.sh sweep_device cache="$folder.piles" 7000 # a pile takes 0.1 ms a grain to make
    tools/portable.sh $build "$folder" bin/scree bin/scree_bench_dem tests/test_device tests/test_pile_device alone/sweep_device
    cp $build/libscree_cuda.so examples/shear.yaml examples/pile.yaml tools/card.sh "$folder/"
    mv "$folder.piles" "$folder/piles"
    # one settled tile for all beds
    "$folder/scree_bench_dem" 10000 --write "$folder/tile.data" --law sds --steps 10 --windows 1 >/dev/null
    du -sh "$folder" | cut -f1
}

case ${1:-} in
make) make_folder "$(realpath -m "$2")"; exit ;;
same | dem | large | rigid | sanitizer) ;;
*) sed -n '2,14p' "$0"; exit 2 ;;
esac

device=${DEVICE:-gpu} out=${OUT:-$here/out} small=${SMALL:-}
[ "$device" = gpu ] || small=1
export SCREE_CUDA_LIBRARY=$here/libscree_cuda.so
mkdir -p "$out"
if [ "$device" = gpu ]; then nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader; fi
grep -m1 'model name' /proc/cpuinfo || true
echo "$(nproc) processors; $("$here/scree" --version | head -1)"
bed() { # ARGUMENTS...: a settled bed
    "$here/scree_bench_dem" --from "$here/tile.data" "$@" --csv | grep -v '^grains'
}
threads=$(nproc)
heading() { printf '\n== %s\n' "$1"; }
beds() { printf 'grains,law,machine,threads,us least,us mean,contacts,listed,lists,bytes,energy,hash\n'; }
hash_of() { sed -n 's/^ *"hash": "\(.*\)".*/\1/p' "$out/$1/summary.json"; }
run() { # NAME ARGUMENTS...: a run, its hash
    "$here/scree" run -o "$out/$1" --quiet "${@:2}"
    printf '%-34s %s\n' "$1" "$(hash_of "$1")"
}

piece_same() {
    local half=0.02 whole=0.04
    rm -rf "$out"/same-*
    heading "Tests of the engines, on $device"
    SCREE_TEST_DEVICE=$device "$here/test_device"
    SCREE_TEST_DEVICE=$device "$here/test_pile_device"
    heading "One scene: processor, device twice at once, resumed from one to the other"
    run same-cpu "$here/shear.yaml" --until $whole
    run same-device "$here/shear.yaml" --until $whole --device "$device" &
    run same-device-beside "$here/shear.yaml" --until $whole --device "$device"
    wait
    run same-cpu-then-device "$here/shear.yaml" --until $half >/dev/null
    run same-cpu-then-device --resume --until $whole --device "$device"
    run same-device-then-cpu "$here/shear.yaml" --until $half --device "$device" >/dev/null
    run same-device-then-cpu --resume --until $whole
    heading "Rigid contacts: device, device again, host twin"
    for name in "$device" "$device" host-twin; do
        run "same-rigid-$name" "$here/pile.yaml" --until 0.1 --set solver.name=momentum --device "$name" --force
    done
}

piece_dem() {
    local sizes=(10000 100000 1000000 10000000) beside=(10000 1000000) steps=2000
    if [ -n "$small" ]; then sizes=(10000) beside=(10000) steps=20; fi
    heading "Settled beds on $device: plain; with rotations; with rotations and ledger"
    beds
    for more in "" "--turn" "--turn --ledger"; do
        for n in "${sizes[@]}"; do bed "$n" --device "$device" --steps $((n > 1000000 ? steps / 10 : steps)) $more; done
    done
    heading "Flowing at 30 degrees, lists made again"
    beds
    for n in "${sizes[@]}"; do [ "$n" -gt 1000000 ] || bed "$n" --device "$device" --steps $((2 * steps)) --tilt 30deg --turn; done
    heading "The processor of this machine, one thread and all"
    beds
    for n in "${beside[@]}"; do
        bed "$n" --steps $((n > 100000 ? 50 : steps / 4)) --turn
        bed "$n" --steps $((n > 100000 ? 200 : steps)) --turn --threads "$threads"
    done
}

piece_large() {
    local sizes=(30000000 100000000 210000000)
    if [ -n "$small" ]; then sizes=(20000); fi
    heading "Large beds on $device, rotations and histories"
    beds
    for n in "${sizes[@]}"; do
        for law in sds fn; do bed "$n" --law $law --device "$device" --steps 40 --windows 2 --turn || true; done
    done
}

piece_rigid() {
    local tiles=(3 10) piles=(10000 100000 1000000)
    if [ -n "$small" ]; then tiles=() piles=(1000); fi
    local name=gpu
    [ "$device" = gpu ] || name=twin
    heading "Sweeps: 20,571 contacts, and as many times tiles squared"
    "$here/sweep_device" cache="$here/piles" $name cpu=1 cpu="$threads" 7000
    for t in "${tiles[@]}"; do "$here/sweep_device" cache="$here/piles" tiles="$t" $name cpu="$threads" 7000; done
    heading "Steps of piles, problems solved on $device, then by all threads"
    for n in "${piles[@]}"; do
        "$here/scree" bench pile "$n" --settle $((n > 100000 ? 20 : 60)) --steps 5 --device "$device" --csv | tail -1
        "$here/scree" bench pile "$n" --settle $((n > 100000 ? 20 : 60)) --steps 5 --threads "$threads" --csv | tail -1
    done
}

piece_sanitizer() {
    local tool sanitizer
    sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -1) || true
    [ -n "$sanitizer" ] || { echo "no compute-sanitizer here"; return; }
    for tool in memcheck racecheck; do
        heading "$tool"
        timeout 80 "$sanitizer" --target-processes all --tool $tool "$here/scree_bench_dem" 3000 --settle 2000 --steps 60 --windows 1 --device gpu --tilt 30deg --turn --ledger |
            tail -4
        timeout 80 "$sanitizer" --target-processes all --tool $tool "$here/scree" run "$here/pile.yaml" -o "$out/sanitized" --force --quiet --until 0.02 \
            --set solver.name=momentum --device gpu | tail -4
    done
}

for piece; do "piece_$piece"; done
