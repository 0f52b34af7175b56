#!/usr/bin/env bash
# bench/bullet.sh [GRAINS] [SECONDS] [STEPS] [RADIUS] [stones]: scree and Bullet on the same settled pile, in one run (bench/bullet_pile.cpp).
# Needs libbullet-dev and a release build (cmake --preset release && cmake --build --preset release).
set -euo pipefail
cd "$(dirname "$0")/.."
pkg-config --exists bullet-float64 || { echo "bench/bullet.sh: libbullet-dev is not installed" >&2; exit 1; }
library=build/release/libscree.a
[ -f "$library" ] || { echo "bench/bullet.sh: no $library: cmake --preset release && cmake --build --preset release" >&2; exit 1; }
out=build/release/bullet_pile
# shellcheck disable=SC2046
c++ -std=c++17 -O3 -Iinclude bench/bullet_pile.cpp "$library" $(pkg-config --cflags --libs bullet-float64) \
    $(pkg-config --libs yaml-0.1 hdf5) -lumfpack -lcholmod -lm -ldl -lpthread -o "$out"
"$out" "$@"
