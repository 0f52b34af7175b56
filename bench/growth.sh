#!/usr/bin/env bash
# bench/growth.sh [GRAINS]...: sweeps and time to 1e-6 of piles from 5,800 to a million contacts (bench/growth.c).
# Builds the library alone, so that a C compiler and cmake are enough.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build/threads}
cmake -S . -B "$build" -DSCREE_MINIMAL=ON -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS="-DSCREE_HAVE_THREADS -pthread" >/dev/null
cmake --build "$build" --target scree -j"$(nproc)" >/dev/null
${CC:-cc} -std=gnu17 -O2 -I. -Iinclude bench/growth.c "$build/libscree.a" -lm -pthread -o "$build/growth"
grep -m1 'model name' /proc/cpuinfo || true
echo "$(nproc) processors, commit $(git log -1 --format=%h 2>/dev/null || echo unknown)"
"$build/growth" "$@"
