#!/usr/bin/env bash
# What scree does on a GPU, measured on a machine that is lent for minutes: everything is built here, and only runs there.
#     tools/card.sh make FOLDER          here: the programs, their libraries, libscree_cuda.so (ARCHITECTURE, default sm_90) and piles
#     FOLDER/card.sh PIECE...            there, one or several of
#         same        tests of the engines on the card; hashes: processor, card, card again, two at once, resumed across both     2 minutes
#         dem         soft beds: 10,000 to 10 million, both laws, plain, with rotations and ledger, flowing; the processor beside  5 minutes
#         walls       soft grains between planes, boxes, triangles, in a drum of triangles; the processor beside                     4 minutes
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
    cmake --build $build --target scree_cli scree_bench_dem scree_cuda test_device test_device_walls test_pile_device
    mkdir -p "$folder.piles"
    BUILD=$build/alone bench/alone.sh sweep_device cache="$folder.piles" 7000 # a pile takes 0.1 ms a grain to make
    tools/portable.sh $build "$folder" bin/scree bin/scree_bench_dem tests/test_device tests/test_device_walls tests/test_pile_device alone/sweep_device
    cp $build/libscree_cuda.so examples/shear.yaml examples/pile.yaml tools/card.sh "$folder/"
    mv "$folder.piles" "$folder/piles"
    # one settled tile for all beds
    "$folder/scree_bench_dem" 10000 --write "$folder/tile.data" --law sds --steps 10 --windows 1 >/dev/null
    du -sh "$folder" | cut -f1
}

case ${1:-} in
make) make_folder "$(realpath -m "$2")"; exit ;;
same | dem | walls | large | rigid | sanitizer) ;;
*) sed -n '2,15p' "$0"; exit 2 ;;
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
    SCREE_TEST_DEVICE=$device "$here/test_device_walls"
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

# Grains of 2 mm, N x N x LAYERS of them, in a box of KIND (planes, boxes, triangles), or in a turning drum (drum); triangles of 5 mm.
walls_scene() { # FILE KIND N LAYERS
    awk -v kind="$2" -v n="$3" -v layers="$4" -v mesh="$1.obj" 'BEGIN {
        d = 2.02; half = d * n / 2; high = d * layers + 40
        print "scree: 1\nmaterials:"
        print "  glass: {density: 2500, friction: 0.4, rolling: 0.02 r, restitution: 0.5, dem: {stiffness: 2 kN/m, slide_stiffness: 1.6 kN/m}}"
        print "gravity: [30, 20, -60]\nbodies:" # a block is soon in the corner
        radius = sqrt(2 * half ^ 2) + high
        if (kind == "planes" || kind == "boxes") for (k = 0; k < 5; ++k) {
            x = k == 1 ? 1 : k == 2 ? -1 : 0; y = k == 3 ? 1 : k == 4 ? -1 : 0
            if (kind == "boxes") printf "  - {name: side%d, kind: fixed, shape: {box: {size: [%g mm, %g mm, %g mm]}}, position: [%g mm, %g mm, %g mm]}\n", k,
                x ? 10 : 2 * half + 20, y ? 10 : 2 * half + 20, k ? high : 10, x * (half + 5), y * (half + 5), k ? high / 2 : -5
            else printf "  - {name: side%d, shape: {plane: {normal: [%d, %d, %d]}}, position: [%g mm, %g mm, 0]}\n", k, -x, -y, k == 0, x * half, y * half
        } else printf "  - {name: wall, shape: {mesh: {file: %s}}%s}\n", mesh, kind == "drum" ? ", motion: {spin: [0, 3 1/s, 0]}" : ""
        printf "generators:\n  - {name: grain, material: glass, lattice: {count: [%d, %d, %d], spacing: %g mm, origin: [%g mm, %g mm, %g mm]}, radius: 1 mm}\n", n, n, layers, d,
            -half + d / 2, -half + d / 2, kind == "drum" ? -half : d / 2
        print "stepper: {scheme: dem, step: 10 us, force_step: 1}\nrun: {until: 12 ms}\noutput: {every: 4 ms}"
        if (kind == "planes" || kind == "boxes") exit
        cells = int(2 * half / 5) + 1; rows = int(high / 5) + 1; drum = kind == "drum"
        if (drum) { # about y, round the block, ends closed by rows of triangles that reach inwards
            radius = 1.01 * sqrt(half ^ 2 + (half > d * layers - half ? half : d * layers - half) ^ 2) + 1; sides = int(6.2832 * radius / 5) + 1
            for (j = 0; j <= cells; ++j) for (i = 0; i < sides; ++i) {
                a = 6.283185307179586 * i / sides
                printf "v %.9g %.9g %.9g\n", radius * cos(a) / 1000, (-half - 1 + (2 * half + 2) * j / cells) / 1000, radius * sin(a) / 1000 > mesh
            }
            print "v 0", (-half - 1) / 1000, "0\nv 0", (half + 1) / 1000, "0" > mesh
            for (j = 0; j < cells; ++j) for (i = 0; i < sides; ++i) {
                p = j * sides + i + 1; q = j * sides + (i + 1) % sides + 1
                print "f", p, q, p + sides "\nf", q, q + sides, p + sides > mesh
            }
            for (i = 0; i < sides; ++i) print "f", (cells + 1) * sides + 1, (i + 1) % sides + 1, i + 1 "\nf", (cells + 1) * sides + 2, cells * sides + i + 1, cells * sides + (i + 1) % sides + 1 > mesh
            exit
        }
        count = 0
        for (k = 0; k < 5; ++k) { # a floor and four sides
            a = cells; b = k ? rows : cells
            for (j = 0; j <= b; ++j) for (i = 0; i <= a; ++i) {
                u = -half + 2 * half * i / a; v = k ? high * j / b : -half + 2 * half * j / b
                x = k == 1 ? -half : k == 2 ? half : u; y = k == 0 ? v : k == 1 || k == 2 ? u : k == 3 ? -half : half
                printf "v %.9g %.9g %.9g\n", x / 1000, y / 1000, (k ? v : 0) / 1000 > mesh
            }
            for (j = 0; j < b; ++j) for (i = 0; i < a; ++i) {
                p = count + j * (a + 1) + i + 1; q = p + a + 1
                print (k == 0 || k == 1 || k == 4) ? "f " p " " p + 1 " " q + 1 "\nf " p " " q + 1 " " q : "f " p " " q + 1 " " p + 1 "\nf " p " " q " " q + 1 > mesh
            }
            count += (a + 1) * (b + 1)
        }
    }' >"$1"
}

piece_walls() {
    local sizes=("30 30" "100 100") kind of name
    if [ -n "$small" ]; then sizes=("8 8"); fi
    heading "Grains between walls on $device, then by all threads: microseconds a step, the last 400 of 1,200"
    printf 'walls,grains,machine,us a step,contacts,hash\n'
    for of in "${sizes[@]}"; do
        for kind in planes boxes triangles drum; do
            walls_scene "$out/walls.yaml" $kind ${of% *} ${of#* }
            for name in "$device" cpu; do
                [ "$name" = cpu ] && [ "${of% *}" -gt 50 ] && [ $kind != boxes ] && continue # 10 s each on 16 threads
                "$here/scree" run "$out/walls.yaml" -o "$out/walls" --force --quiet --device "$name" --threads "$([ "$name" = cpu ] && echo "$threads" || echo 1)" 2>"$out/walls.txt" || { cat "$out/walls.txt"; continue; }
                awk -F, -v head="$kind,$((${of% *} * ${of% *} * ${of#* })),$name" -v hash="$(hash_of walls)" \
                    '{ steps = $2 - before; before = $2; us = steps > 0 ? 1e6 * ($6 + $8) / steps : 0; n = $3 } END { printf "%s,%.1f,%d,%s\n", head, us, n, hash }' "$out/walls/timing.csv"
            done
        done
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
