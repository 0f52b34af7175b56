#!/usr/bin/env bash
# bench/alone.sh growth|threads|sweep_device [ARGUMENTS]: builds the library without its dependencies and a program of bench/ that needs it alone, and runs it:
# a C compiler and cmake are enough. growth [GRAINS]...: bench/growth.c; threads [MOST_THREADS [GRAINS]...]: bench/threads.c;
# sweep_device ...: bench/sweep_device.c, which finds libscree_cuda.so by SCREE_CUDA_LIBRARY.
set -euo pipefail
cd "$(dirname "$0")/.."
name=$1 build=${BUILD:-build/alone}
cmake -S . -B "$build" -DSCREE_MINIMAL=ON -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS="-DSCREE_HAVE_THREADS -DSCREE_HAVE_DLOPEN -pthread" >/dev/null
cmake --build "$build" --target scree -j"$(nproc)" >/dev/null
${CC:-cc} -std=gnu17 -O2 -I. -Iinclude "bench/$name.c" "$build/libscree.a" -lm -pthread -ldl -o "$build/$name"
grep -m1 'model name' /proc/cpuinfo || true
echo "$(nproc) processors, commit $(git log -1 --format=%h 2>/dev/null || echo unknown)"
"$build/$name" "${@:2}"
