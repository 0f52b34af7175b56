#!/usr/bin/env bash
# bench/threads.sh [MOST_THREADS [GRAINS]...]: a contact problem and steps of piles with 1, 2, 4, .. threads, stage by stage (bench/threads.c).
# Builds the library alone, so that a C compiler and cmake are enough.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build/threads}
cmake -S . -B "$build" -DSCREE_MINIMAL=ON -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS="-DSCREE_HAVE_THREADS -pthread" >/dev/null
cmake --build "$build" --target scree -j"$(nproc)" >/dev/null
${CC:-cc} -std=gnu17 -O2 -I. -Iinclude bench/threads.c "$build/libscree.a" -lm -pthread -o "$build/threads"
grep -m1 'model name' /proc/cpuinfo || true
echo "$(nproc) processors, commit $(git log -1 --format=%h 2>/dev/null || echo unknown)"
"$build/threads" "$@"
