#!/usr/bin/env bash
# An installed scree can be used from C and C++, through CMake and through pkg-config, static and shared, and after its
# prefix has been moved; the licence comes with it, and no path of the machine that built it. The programs of examples/embed print
# what docs/embedding.md says. A shared library shows scree_* and nothing else, under its version; it goes into a Debian package.
#   tests/tree/install/run.sh BUILD_DIR      BUILD_DIR: a finished static build, which is installed; the two others are built here, the minimal
# one unless SCREE_MINIMAL_BUILD names it
set -euo pipefail
static=${1:?usage: tests/tree/install/run.sh BUILD_DIR}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
quiet() { "$@" >"$work/log" 2>&1 || { echo "install: failed: $*" >&2; cat "$work/log" >&2; exit 1; }; }
version=$(sed -n 's/.*SCREE_VERSION_STRING "\(.*\)"/\1/p' "$root/include/scree/base.h")
says() { # says EXPECTED COMMAND...
    local said
    said=$("${@:2}") || { echo "install: failed: ${*:2}" >&2; exit 1; }
    [ "$said" = "$1" ] || { echo "install: ${*:2} printed '$said', expected '$1'" >&2; exit 1; }
}

# The Debian package of a build below /usr: what it holds, what it depends on, and that its program starts.
check_package() {
    if ! command -v dpkg-shlibdeps >/dev/null || ! command -v file >/dev/null; then
        echo "install: the Debian package is left out, dpkg-dev and file are not installed"
        return
    fi
    quiet cpack --config "$1/CPackConfig.cmake" -G DEB -B "$work/package"
    local deb depends
    deb=$(echo "$work"/package/scree_"$version"_*.deb)
    quiet dpkg-deb -x "$deb" "$work/deb"
    for file in bin/scree lib/*/libscree.so.${version%.*} lib/*/libscree.so include/scree/world.h lib/*/pkgconfig/scree.pc \
        share/man/man1/scree.1 share/bash-completion/completions/scree share/zsh/vendor-completions/_scree share/fish/vendor_completions.d/scree.fish share/doc/scree/LICENSE; do
        # shellcheck disable=SC2086
        [ -e "$work"/deb/usr/$file ] || { echo "install: the package has no usr/$file" >&2; exit 1; }
    done
    depends=$(dpkg-deb -f "$deb" Depends)
    for library in libc6 libyaml-0-2 libhdf5 libumfpack libcholmod; do
        case $depends in *"$library"*) ;; *) echo "install: the package does not depend on $library: $depends" >&2; exit 1 ;; esac
    done
    quiet "$work/deb/usr/bin/scree" --version
    quiet ldd "$work"/deb/usr/lib/*/libscree.so
    echo "install: package, depends on $depends"
}

for kind in static shared minimal; do
    build=$work/build
    case $kind in
    static) build=$static ;;
    shared) settings=(-DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_PREFIX=/usr) ;;
    minimal) settings=(-DSCREE_MINIMAL=ON) build=${SCREE_MINIMAL_BUILD:-$build} ;;
    esac
    if [ "$build" = "$work/build" ]; then
        quiet cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DSCREE_TESTS=OFF -DSCREE_TWIN=OFF "${settings[@]}"
        quiet cmake --build "$build"
    fi
    quiet cmake --install "$build" --prefix "$work/first"
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

    quiet cmake -S "$root/examples/embed" -B "$work/embed" -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
    quiet cmake --build "$work/embed"
    for source in "$root"/examples/embed/*.c; do
        program=$(basename "$source" .c)
        [ "$(wc -l <"$source")" -lt 60 ] || { echo "install: $source has 60 lines or more" >&2; exit 1; }
        "$work/embed/$program" >"$work/said" || { echo "install: $program failed" >&2; exit 1; }
        while IFS= read -r line; do
            grep -qxF -- "    $line" "$root/docs/embedding.md" ||
                { echo "install: $program printed '$line', which docs/embedding.md has not" >&2; exit 1; }
        done <"$work/said"
    done

    if [ $kind = shared ]; then
        nm -D --defined-only "$libdir/libscree.so" >"$work/symbols"
        if grep -vE " (scree_[a-z0-9_]+@@SCREE_${version%.*}|SCREE_${version%.*})$" "$work/symbols"; then
            echo "install: libscree.so shows the symbols above" >&2
            exit 1
        fi
        check_package "$build"
    fi
    rm -rf "$work/build" "$work/consumer" "$work/embed"
    echo "install: $kind"
done
