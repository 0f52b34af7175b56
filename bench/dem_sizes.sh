#!/usr/bin/env bash
# bench/dem_sizes.sh [STEPS] [WINDOWS] [THREADS]: what spheres of other sizes cost a bed of soft spheres (bench/dem_sizes.c).
# Needs a release build (cmake --preset release && cmake --build --preset release); LIBRARY=FILE: that of another one.
set -euo pipefail
cd "$(dirname "$0")/.."
library=${LIBRARY:-build/release/libscree.a}
[ -f "$library" ] || { echo "bench/dem_sizes.sh: no $library: cmake --preset release && cmake --build --preset release" >&2; exit 1; }
out=build/release/dem_sizes
# shellcheck disable=SC2046
cc -std=c11 -D_POSIX_C_SOURCE=200809L -O3 -Iinclude -Isrc bench/dem_sizes.c "$library" $(pkg-config --libs yaml-0.1 hdf5 zlib) -lm -ldl -lpthread -o "$out"
"$out" "$@"
