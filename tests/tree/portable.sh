#!/usr/bin/env bash
# The same bits everywhere: scenes of examples/ are stepped on x86-64 with its best kernels and with the base ones, on aarch64 under
# qemu-user (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, qemu-user-static), and with SCREE_LONG=1 on wasm32 in node (Debian:
# emscripten, nodejs). The hashes of their last states must agree. docs/portability.md says what this promises.
#   tests/tree/portable.sh BUILD      BUILD/tests has the native programs (tests/portable); other machines' builds go to BUILD/portable
# There is no libyaml for the other machines, and none is needed: record.c writes down what libyaml finds in the scenes, events.c reads it.
# Exit 77: what could be compared agrees, but a compiler or an emulator was missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1
work=$build/portable
# Rigid, soft and by both engines; spheres, boxes, round shapes, meshes, height fields, joints, drives, generators, sources, periodic
# axes. So many steps that bodies touch, and qemu is done in half a minute.
scenes=(boxes=200 pile=400 shapes=100 four-bar=300 tippe-top=1000 shaker=300 rockfall=400 hopper=10 pour=60 shear=2000 chute=24000
    conveyor=300 kapla=20)
mkdir -p "$work/scenes" "$work/yaml"
missing=()
# The bits do not depend on the level of optimisation; -O1 compiles in half the time of -O3 (30 and 62 s of processor time).
# At -O1 gcc takes some variables for unset that are not, so warnings are no errors there.
if [ "${SCREE_LONG:-}" = 1 ]; then optimise=-O3 werror=ON; else optimise=-O1 werror=OFF; fi

# quiet COMMAND...: what it says is shown only if it fails.
quiet() {
    "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; echo "portable: failed: $*" >&2; exit 1; }
}

# compare NAME COMMAND...: its hashes against the first ones.
compare() {
    local name=$1 start=$SECONDS
    shift
    "$@" "${scenes[@]}" >"$work/$name.txt" || { echo "portable: $name stopped" >&2; exit 1; }
    [ "$(wc -l <"$work/$name.txt")" -eq ${#scenes[@]} ] || { echo "portable: $name has not run all scenes" >&2; exit 1; }
    [ -e "$work/first.txt" ] || cp "$work/$name.txt" "$work/first.txt"
    echo "portable: $name, $((SECONDS - start)) s"
    diff "$work/first.txt" "$work/$name.txt" || { echo "portable: other hashes than $first on $name" >&2; exit 1; }
}

# cross NAME CONFIGURE...: the library for another machine, without HDF5.
cross() {
    local name=$1 start=$SECONDS
    shift
    export PKG_CONFIG_LIBDIR=$work/yaml
    quiet "$@" -S . -B "$work/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="$optimise -DNDEBUG" -DSCREE_HDF5=OFF -DSCREE_TWIN=OFF -DSCREE_TESTS=OFF
    quiet cmake --build "$work/$name" --target scree
    unset PKG_CONFIG_LIBDIR
    echo "portable: built for $name, $((SECONDS - start)) s"
}

rm -f "$work"/*.txt
for scene in "${scenes[@]}"; do
    "$build/tests/portable_record" <"examples/${scene%=*}.yaml" >"$work/scenes/${scene%=*}.yaml"
done
cp examples/*.obj examples/*.asc "$work/scenes/"
cp "$(pkg-config --variable=includedir yaml-0.1)/yaml.h" "$work/yaml/"
printf 'Name: yaml\nDescription: tests/tree/portable/events.c\nVersion: 0.2.5\nCflags: -I%s/yaml\nLibs:\n' "$work" >"$work/yaml/yaml-0.1.pc"
own=(-std=c17 -O2 -Iinclude -Isrc "-I$work/yaml" tests/tree/portable/run.c tests/tree/portable/events.c)

first=$(uname -m)
compare "$first" "$build/tests/portable_run" examples
awk '$3 == 0 && $1 != "four-bar" { print "portable: nothing touches in " $1; bad = 1 } END { exit bad }' "$work/first.txt"
compare "$first-base" "$build/tests/portable_base" examples

if command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64-static >/dev/null; then
    cross aarch64 cmake -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DSCREE_WERROR=$werror
    quiet aarch64-linux-gnu-gcc "${own[@]}" "$work/aarch64/libscree.a" -static -lm -o "$work/aarch64/run"
    compare aarch64 qemu-aarch64-static "$work/aarch64/run" "$work/scenes"
else
    missing+=("aarch64-linux-gnu-gcc or qemu-aarch64-static")
fi

if [ "${SCREE_LONG:-}" = 1 ]; then
    if command -v emcc >/dev/null && command -v node >/dev/null; then
        cross wasm32 emcmake cmake
        export NODE_PATH=/usr/share/nodejs # where Debian puts what emcc needs, and nodes of others do not look
        quiet emcc "${own[@]}" "$work/wasm32/libscree.a" -s WASM_ASYNC_COMPILATION=0 -s NODERAWFS=1 -s ALLOW_MEMORY_GROWTH=1 -s EXIT_RUNTIME=1 -o "$work/wasm32/run.js"
        compare wasm32 node "$work/wasm32/run.js" "$work/scenes"
    else
        missing+=("emcc or node")
    fi
fi

awk '{ print "    " $1, $2 }' "$work/first.txt"
[ ${#missing[@]} -eq 0 ] || { printf 'portable: skipped, %s is not on the path\n' "${missing[@]}"; exit 77; }
