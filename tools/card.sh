#!/usr/bin/env bash
# What scree does on a GPU, measured on a machine that is lent for minutes: everything is built here, and only runs there.
#     tools/card.sh make FOLDER          here: the programs, their libraries, libscree_cuda.so (ARCHITECTURE, default sm_90) and piles
#     FOLDER/card.sh PIECE...            there, one or several of
#         same        tests of the engines on the card; hashes: processor, card, card again, two at once, resumed across both  2 minutes
#         dem         soft beds of 10,000 to 10 million, both laws: plain, with rotations, ledger, flowing, mixed sizes        3 minutes
#         large       soft beds of 30 to 212 million: time and bytes                                                           5 minutes
#         rigid       sweeps at 20,000, 200,000 and 2 million contacts; steps of piles of 10,000 to 1 million                  5 minutes
#         papers      the phase map and the three spheres of [FN], heaps of [FN] and [TA]: processor, then card                3 minutes
#         heap        [TA]'s heap with 100,000 grains: its angle and what it costs                                             3 minutes
#         walls       soft grains between planes, boxes, triangles, in a drum of triangles; the processor beside               3 minutes
#         variants    soft beds again by every libscree_cuda_*.so in the folder                                                2 minutes
#         profile     what limits the kernels of a step, by ncu                                                                1 minute
#         sanitizer   memcheck and racecheck of a small bed and a small pile                                                   3 minutes
#     DEVICE=host-twin FOLDER/card.sh ..  tries the pieces without a card, with small sizes (SMALL=1 is then set)
# A piece ends after its minutes whatever it is at, and goes on where one of its steps fails. Results go to standard output, as tables;
# CARD_OUT (default FOLDER/out) has what programs write.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)

make_folder() (
    set -e
    folder=$1 build=build/card
    cd "$here/.."
    cmake --preset release -B $build -DSCREE_CUDA=ON -DSCREE_TESTS=ON -DSCREE_HEAVY=ON -DSCREE_CUDA_ARCHITECTURES="${ARCHITECTURE:-sm_90}" >/dev/null
    cmake --build $build --target scree_cli scree_bench_dem scree_cuda test_device test_device_walls test_pile_device
    mkdir -p "$folder.piles"
    BUILD=$build/alone bench/alone.sh sweep_device cache="$folder.piles" 7000 # a pile takes 0.1 ms a grain to make
    tools/portable.sh $build "$folder" bin/scree bin/scree_bench_dem tests/test_device tests/test_device_walls tests/test_pile_device alone/sweep_device
    cp $build/libscree_cuda.so examples/shear.yaml examples/pile.yaml tools/card.sh "$folder/"
    for key in fn-map fn-stack ta63; do cp examples/papers/$key/scene.yaml "$folder/$key.yaml"; done
    for l in libstdc++.so.6 librt.so.1 libpthread.so.0 libdl.so.2; do # of libscree_cuda.so, and of the CUDA runtime in it
        cp -L "$(ldconfig -p | sed -n "s|.*=> \(.*/$l\)\$|\1|p" | head -1)" "$folder/lib/"
    done
    rm -rf "$folder/piles" && mv "$folder.piles" "$folder/piles"
    # settled tiles of all beds: equal spheres, and radii 1 to 10
    "$folder/scree_bench_dem" 10000 --write "$folder/tile.data" --law sds --steps 10 --windows 1 >/dev/null
    if [ -n "${MIXED:-}" ]; then cp "$MIXED" "$folder/mixed.data"
    else "$folder/scree_bench_dem" 10000 --sizes 10 --settle 130000 --write "$folder/mixed.data" --law sds --steps 10 --windows 1 >/dev/null; fi
    du -sh "$folder" | cut -f1
)

case ${1:-} in
make) make_folder "$(realpath -m "$2")"; exit ;;
same | dem | large | rigid | papers | heap | walls | variants | profile | sanitizer) ;;
*) sed -n '2,21p' "$0"; exit 2 ;;
esac

device=${DEVICE:-gpu} out=${CARD_OUT:-$here/out} small=${SMALL:-}
[ "$device" = gpu ] || small=1
export SCREE_CUDA_LIBRARY=$here/libscree_cuda.so
mkdir -p "$out"
threads=${THREADS:-$(nproc)} # THREADS=1: the other cores are in use, and nothing of the processor's is timed
deadline=$((SECONDS + 600))
heading() { printf '\n== %s (%d s)\n' "$1" $SECONDS; }
try() { # SECONDS COMMAND...: no longer than this, nor than the piece; says so where it fails
    local most=$1 left=$((deadline - SECONDS)) code=0
    shift
    [ "$most" -le "$left" ] || most=$left
    if [ "$most" -lt 2 ]; then echo "-- no time left for: ${*##*/}"; return 1; fi
    timeout -k 5 "$most" "$@" || code=$?
    [ "$code" -eq 0 ] || echo "-- ended with $code: $(printf '%s ' "${@##*/}")"
    return $code
}

# The programs bring their own C library. Where the driver's does not go with it, they take the machine's.
use_own_linker() {
    rm -rf "$here/lib-no-libc" && mkdir "$here/lib-no-libc"
    for f in "$here"/lib/*; do
        case ${f##*/} in ld-linux* | libc.so* | libm.so* | libresolv.so*) ;; *) ln -s "$f" "$here/lib-no-libc/" ;; esac
    done
    for f in "$here"/*.bin; do
        printf '#!/bin/sh\nhere=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)\nLD_LIBRARY_PATH=$here/lib-no-libc${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec "$here/%s" "$@"\n' "${f##*/}" >"${f%.bin}"
    done
}
if [ "$device" = gpu ]; then
    nvidia-smi --query-gpu=name,memory.total,memory.used,driver_version,clocks.sm --format=csv,noheader
    "$here/scree" devices
    if "$here/scree" devices | grep -q '^gpu *none'; then
        echo "-- no device by the programs' own C library: with the machine's"
        find / -xdev -name 'libcuda.so*' 2>/dev/null | head -5
        use_own_linker
        "$here/scree" devices
    fi
fi
grep -m1 'model name' /proc/cpuinfo || true
free -g | sed -n '2p'
echo "$threads processors; $("$here/scree" --version | head -1)"

# One line a bed: billions of particle-steps a second in the quickest window and on average, and the rest.
beds() { printf '%9s %4s %9s %3s %8s %8s %10s %6s %6s %5s %5s %22s %s\n' grains law machine thr "1e9/s" mean "us a step" touch listed lists bytes energy hash; }
bed() { # SECONDS ARGUMENTS...
    local most=$1 text
    shift
    text=$(try "$most" "$here/scree_bench_dem" --from "$tile" "$@" --csv 2>&1)
    printf '%s\n' "$text" | awk -F, '/^grains/ { next }
        NF < 12 { print; next }
        { printf "%9d %4s %9s %3d %8.4f %8.4f %10.1f %6.3f %6.3f %5d %5d %22s %s\n", $1, $2, $3, $4, 1e-3 / $5, 1e-3 / $6, $1 * $5, $7, $8, $9, $10, $11, $12 }'
}
tile=$here/tile.data
hash_of() { sed -n 's/^ *"hash": "\(.*\)".*/\1/p' "$out/$1/summary.json"; }
run() { # NAME ARGUMENTS...: a run, its hash
    try 60 "$here/scree" run -o "$out/$1" --quiet "${@:2}"
    printf '%-34s %s\n' "$1" "$(hash_of "$1")"
}

piece_same() {
    local half=0.02 whole=0.04 n=100000
    [ -z "$small" ] || n=10000
    rm -rf "$out"/same-*
    heading "Tests of the engines, on $device"
    for name in test_device test_device_walls test_pile_device; do
        SCREE_TEST_DEVICE=$device try 60 "$here/$name" 2>&1 | grep -v '^\[ *\(RUN\|OK\)'
    done
    heading "One scene: processor, device twice at once, resumed from one to the other"
    run same-cpu "$here/shear.yaml" --until $whole
    run same-device "$here/shear.yaml" --until $whole --device "$device" &
    run same-device-beside "$here/shear.yaml" --until $whole --device "$device"
    wait
    run same-cpu-then-device "$here/shear.yaml" --until $half >/dev/null
    run same-cpu-then-device --resume --until $whole --device "$device"
    run same-device-then-cpu "$here/shear.yaml" --until $half --device "$device" >/dev/null
    run same-device-then-cpu --resume --until $whole
    heading "Beds: processor, device twice: settled after 120 steps, flowing at 30 degrees after 2,100"
    beds
    for more in "--steps 100 --turn --ledger" "--before 2000 --steps 100 --windows 1 --tilt 30deg --turn"; do
        bed 60 $n $more --threads "$threads"
        bed 60 $n $more --device "$device"
        bed 60 $n $more --device "$device"
    done
    heading "Rigid contacts: device, device again, host twin"
    for name in "$device" "$device" host-twin; do
        run "same-rigid-$name" "$here/pile.yaml" --until 0.1 --set solver.name=momentum --device "$name" --force
    done
}

piece_dem() {
    local sizes=(10000 100000 1000000 10000000) flows=(10000 100000 1000000) beside=(10000 1000000) steps=2000 before=10000 mixed=(10000 1000000)
    if [ -n "$small" ]; then sizes=(10000) flows=(10000) beside=(10000) steps=20 before=20 mixed=(10000); fi
    heading "Settled beds on $device: plain; with rotations; with rotations and ledger"
    beds
    for more in "" "--turn" "--turn --ledger"; do
        for n in "${sizes[@]}"; do bed 60 "$n" --device "$device" --steps $((n > 1000000 ? steps / 10 : steps)) $more; done
    done
    heading "Flowing at 30 degrees, 3,000 steps after 10,000, lists made again"
    beds
    for n in "${flows[@]}"; do bed 60 "$n" --device "$device" --before $before --steps $((3 * steps / 2)) --tilt 30deg --turn; done
    heading "Mixed sizes, radii 1 to 10"
    beds
    tile=$here/mixed.data
    for n in "${mixed[@]}"; do bed 40 "$n" --law sds --device "$device" --steps $((steps / 2)) --turn; done
    tile=$here/tile.data
    [ "$threads" -gt 1 ] || return
    heading "The processor of this machine, all threads, then one"
    beds
    for n in "${beside[@]}"; do
        bed 40 "$n" --steps $((n > 100000 ? 200 : steps)) --turn --threads "$threads"
        bed 40 "$n" --steps $((n > 100000 ? 30 : steps / 4)) --turn
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
                [ "$name" = cpu ] && [ "$threads" -eq 1 ] && continue
                [ "$name" = cpu ] && [ "${of% *}" -gt 50 ] && [ $kind != boxes ] && continue # 10 s each on 16 threads
                try 40 "$here/scree" run "$out/walls.yaml" -o "$out/walls" --force --quiet --device "$name" --threads "$([ "$name" = cpu ] && echo "$threads" || echo 1)" 2>"$out/walls.txt" || { cat "$out/walls.txt"; continue; }
                awk -F, -v head="$kind,$((${of% *} * ${of% *} * ${of#* })),$name" -v hash="$(hash_of walls)" \
                    '{ steps = $2 - before; before = $2; us = steps > 0 ? 1e6 * ($6 + $8) / steps : 0; n = $3 } END { printf "%s,%.1f,%d,%s\n", head, us, n, hash }' "$out/walls/timing.csv"
            done
        done
    done
}

piece_large() {
    local most=212000000 others=(30000000 100000000)
    if [ -n "$small" ]; then most=40000 others=(20000); fi
    heading "Large beds on $device, rotations and histories"
    beds
    bed 200 $most --law sds --device "$device" --steps 20 --windows 2 --turn
    for n in "${others[@]}"; do bed 100 "$n" --law sds --device "$device" --steps 40 --windows 2 --turn; done
    bed 60 "${others[0]}" --law fn --device "$device" --steps 40 --windows 2 --turn
    bed 100 "${others[-1]}" --law fn --device "$device" --steps 40 --windows 2 --turn
}

piece_rigid() {
    local tiles=(3 10) name=gpu
    [ "$device" = gpu ] || name=twin
    heading "Sweeps: 20,571 contacts, and as many times tiles squared"
    if [ -n "$small" ]; then
        try 60 "$here/sweep_device" cache="$here/piles" $name quick 7000
        tiles=()
    else
        try 60 "$here/sweep_device" cache="$here/piles" $name 7000
        for t in "${tiles[@]}"; do try 90 "$here/sweep_device" cache="$here/piles" tiles="$t" $name 7000; done
    fi
    heading "Steps of piles, problems solved on $device"
    echo "grains,contacts,active,threads,ms least,mean,find,make,solve,move,sweeps,ns,residual,depth,bytes"
    if [ -n "$small" ]; then try 60 "$here/scree" bench pile 1000 --settle 5 --steps 2 --device "$device" --csv | tail -n +2; return; fi
    for n in 10000 100000 1000000; do
        try 100 "$here/scree" bench pile $n --settle $((n > 100000 ? threads > 1 ? 40 : 10 : threads > 1 ? 100 : 60)) --steps 5 --device "$device" --threads "$threads" --csv | tail -n +2
    done
    [ "$threads" -gt 1 ] || return
    heading "The processor: steps of piles by all threads, sweeps"
    for n in 10000 100000; do try 40 "$here/scree" bench pile $n --settle 100 --steps 10 --threads "$threads" --csv | tail -n +2; done
    try 40 "$here/sweep_device" cache="$here/piles" cpu="$threads" cpu=1 7000
    try 60 "$here/scree" bench pile 1000000 --settle 10 --steps 3 --threads "$threads" --csv | tail -n +2
    try 60 "$here/sweep_device" cache="$here/piles" tiles=10 quick cpu="$threads" 7000
}

# Runs of one scene on both machines at once; their hashes must be equal, and so are modes, falls and angles.
both() { # NAME SCENE ARGUMENTS...
    local name=$1 on
    for on in cpu "$device"; do
        try 40 "$here/scree" run "$here/$2" -o "$out/$name-$on" --force --quiet --device "$on" "${@:3}" 2>"$out/$name-$on.txt" || cat "$out/$name-$on.txt" &
    done
    wait
    local first second
    first=$(hash_of "$name-cpu") second=$(hash_of "$name-$device")
    printf '%-34s %s %s %s\n' "$name" "$first" "$second" "$([ -n "$first" ] && [ "$first" = "$second" ] && echo same || echo DIFFERENT)"
}
angle() { "$here/scree" heap "$out/$1" 2>&1 | sed -n 2p; } # FOLDER

piece_papers() {
    local soft="materials.gravel.dem={model: tracking, stiffness: 20 kN/m, slide_stiffness: 6 kN/m, damping: 0.3, damping_share: 0.3}" seconds=3 eta slope mass grains=1000
    [ -z "$small" ] || seconds=0.1 grains=100
    heading "[FN] fig. 10, cells of the phase map: hash on the processor, and on $device"
    for slope in 5 12 20 30; do
        for eta in 0.2 0.35 0.49; do both "map-$slope-$eta" fn-map.yaml --set "slope=$slope deg" --set "materials.rubber.dem.eta_r=$eta" & done
        wait
    done
    heading "[FN] 4.6, three spheres, below and above the mass at which they fall"
    for mass in 1.5 1.9 1.95 2.5; do both "stack-$mass" fn-stack.yaml --set "bodies.top.mass=$mass" --set "materials.rubber.dem.eta_r=0.22" & done
    wait
    heading "A heap of soft grains by [FN]'s law"
    both heap-fn pile.yaml --set stepper.scheme=dem --set "stepper.step=20 us" --set "run.until=$seconds s" --set "$soft"
    for name in cpu "$device"; do angle "heap-fn-$name"; done
    heading "[TA]'s heap, momentum on both: not the same bits (the colours differ), the same angle within its scatter"
    both heap-ta ta63.yaml --set "container.x=[-50, 50]" --set "container.y=[-50, 50]" --set "generators[0].pour.count=$grains" --set "run.until=$seconds s"
    for name in cpu "$device"; do angle "heap-ta-$name"; done
}

piece_heap() {
    local grains=100000 rate=25000 until=8
    [ "$threads" -gt 1 ] || grains=20000 rate=8000 until=5
    if [ -n "$small" ]; then grains=300 rate=1000 until=0.5; fi
    heading "[TA]'s heap: $grains grains on an open floor, rolling friction 0.01 m"
    try 165 "$here/scree" run "$here/ta63.yaml" -o "$out/heap" --force --device "$device" --threads "$threads" --set "container.x=[-50, 50]" --set "container.y=[-50, 50]" \
        --set "generators[0].pour={count: $grains, rate: $rate, from: {disk: {center: [0, 0, 3], radius: 1}}}" --set run.until="$until s" --set output.every="0.5 s" 2>&1 | tail -12
    try 20 "$here/scree" heap "$out/heap"
    awk -F, 'NR == 1 { print; next } NR % 200 == 0' "$out/heap/timing.csv" | tail -9
    try 20 "$here/scree" picture "$out/heap" -o "$out/heap.png" --threads "$threads" --size 800x500
}

piece_variants() {
    local library n big=10000000 middle=1000000 hundred=100000 steps=1000
    if [ -n "$small" ]; then big=10000 middle=10000 hundred=10000 steps=10; fi
    for library in "$here"/libscree_cuda*.so; do
        heading "${library##*/}"
        SCREE_CUDA_LIBRARY=$library
        beds
        bed 10 10000 --device "$device" --steps 2000 --turn
        bed 10 $hundred --law sds --device "$device" --steps 1000 --turn
        bed 15 $middle --device "$device" --steps $steps --turn
        bed 15 $middle --law sds --device "$device" --steps $((steps / 4)) --turn --ledger
        bed 20 $middle --law sds --device "$device" --before $((steps * 8)) --steps $((steps * 2)) --tilt 30deg --turn
        bed 20 $big --law sds --device "$device" --steps $((steps / 5)) --turn
    done
    SCREE_CUDA_LIBRARY=$here/libscree_cuda.so
    heading "Mixed sizes, radii 1 to 10; [FN] flowing, 10 million"
    beds
    tile=$here/mixed.data
    for n in 10000 $middle; do bed 10 "$n" --law sds --device "$device" --steps $steps --turn; done
    tile=$here/tile.data
    bed 20 $middle --law fn --device "$device" --before $((steps * 8)) --steps $((steps * 2)) --tilt 30deg --turn
    bed 20 $big --law fn --device "$device" --steps $((steps / 5)) --turn
}

piece_profile() {
    local law
    command -v ncu >/dev/null || { echo "no ncu here"; return; }
    for law in sds fn; do
        heading "$law"
        try 30 ncu --clock-control none --target-processes all -k 'regex:gpu_chunks|gpu_turn' --launch-skip 40 -c 2 --section SpeedOfLight --section MemoryWorkloadAnalysis \
            --section WarpStateStats --section SchedulerStats --section InstructionStats --section Occupancy --section ComputeWorkloadAnalysis --section LaunchStats \
            "$here/scree_bench_dem" --from "$tile" 1000000 --law $law --steps 100 --windows 1 --device gpu --turn --csv 2>&1 | grep -v '^==PROF\|^  *-*$' | cut -c1-110 | head -90
    done
}

piece_sanitizer() {
    local tool sanitizer
    sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -1) || true
    [ -n "$sanitizer" ] || { echo "no compute-sanitizer here"; return; }
    for tool in memcheck racecheck; do
        heading "$tool: bed by sds with the ledger, bed by [FN], walls of triangles, pile"
        try 20 "$sanitizer" --target-processes all --tool $tool "$here/scree_bench_dem" 1000 --law sds --settle 500 --before 1 --steps 20 --windows 1 --device gpu --tilt 30deg --turn --ledger 2>&1 | tail -2
        try 20 "$sanitizer" --target-processes all --tool $tool "$here/scree_bench_dem" 1000 --law fn --settle 500 --before 1 --steps 20 --windows 1 --device gpu --turn 2>&1 | tail -2
        walls_scene "$out/walls.yaml" triangles 6 6
        try 20 "$sanitizer" --target-processes all --tool $tool "$here/scree" run "$out/walls.yaml" -o "$out/sanitized" --force --quiet --until 0.5ms --device gpu 2>&1 | tail -2
        try 20 "$sanitizer" --target-processes all --tool $tool "$here/scree" run "$here/pile.yaml" -o "$out/sanitized" --force --quiet --until 0.05 --set solver.name=momentum \
            --set "generators[0].pour.rate=3000" --device gpu 2>&1 | tail -2
    done
}

declare -A minutes=([same]=2 [dem]=3 [large]=5 [rigid]=5 [papers]=3 [heap]=3 [walls]=3 [variants]=3 [profile]=1 [sanitizer]=3)
for piece; do
    deadline=$((SECONDS + 60 * minutes[$piece]))
    "piece_$piece"
done
heading "done"
