#!/usr/bin/env bash
# An installed scree can be used from C and C++, through CMake and through pkg-config, static and shared, and after its
# prefix has been moved; the licence comes with it, and no path of the machine that built it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
quiet() { "$@" >"$work/log" 2>&1 || { echo "install: failed: $*" >&2; cat "$work/log" >&2; exit 1; }; }
version=$(sed -n 's/.*SCREE_VERSION_STRING "\(.*\)"/\1/p' "$root/include/scree/base.h")
says() { # says EXPECTED COMMAND...
    local said
    said=$("${@:2}") || { echo "install: failed: ${*:2}" >&2; exit 1; }
    [ "$said" = "$1" ] || { echo "install: ${*:2} printed '$said', expected '$1'" >&2; exit 1; }
}

for kind in static shared minimal; do
    shared=OFF minimal=OFF
    case $kind in shared) shared=ON ;; minimal) minimal=ON ;; esac
    quiet cmake -S "$root" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DSCREE_TESTS=OFF \
        -DBUILD_SHARED_LIBS=$shared -DSCREE_MINIMAL=$minimal
    quiet cmake --build "$work/build"
    quiet cmake --install "$work/build" --prefix "$work/first"
    prefix=$work/$kind
    mv "$work/first" "$prefix" # nothing may remember where it was installed
    if grep -rIlF -e "$work" -e "$root/" "$prefix"; then
        echo "install: the files above name the machine they were built on" >&2
        exit 1
    fi
    find "$prefix" -name LICENSE | grep -q . || { echo "install: no LICENSE" >&2; exit 1; }
    libdir=$(dirname "$(find "$prefix" -name pkgconfig)")
    export LD_LIBRARY_PATH=$libdir PKG_CONFIG_PATH=$libdir/pkgconfig

    quiet cmake -S "$here" -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DWANTED="$version"
    quiet cmake --build "$work/consumer"
    says "$version" "$work/consumer/consumer_c"
    says "$version" "$work/consumer/consumer_cpp"

    # shellcheck disable=SC2046
    quiet gcc -std=c17 -o "$work/pc_c" "$here/consumer.c" $(pkg-config --cflags --libs scree)
    quiet g++ -std=c++17 -x c++ -o "$work/pc_cpp" "$here/consumer.c" -x none $(pkg-config --cflags --libs scree)
    says "$version" pkg-config --modversion scree
    says "$version" "$work/pc_c"
    says "$version" "$work/pc_cpp"
    if [ -e "$prefix/bin/scree" ]; then quiet env -u LD_LIBRARY_PATH "$prefix/bin/scree" --version; fi
    rm -rf "$work/build" "$work/consumer"
    echo "install: $kind"
done
