#!/usr/bin/env bash
# Every public header compiles alone, twice in a row, in C17 and in C++17, with gcc and clang, without a warning.
set -euo pipefail
cd "$(dirname "$0")/.."
count=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for header in include/scree/*.h; do
    name=scree/${header##*/}
    printf '#include <%s>\n#include <%s>\n' "$name" "$name" | tee "$work/alone.c" >"$work/alone.cpp"
    for compiler in gcc clang; do
        $compiler -std=c17 -Wall -Wextra -Werror -pedantic -Wstrict-prototypes -Iinclude \
            -fsyntax-only "$work/alone.c" || { echo "headers: $name fails with $compiler -std=c17" >&2; failed=1; }
    done
    for compiler in g++ clang++; do
        $compiler -std=c++17 -Wall -Wextra -Werror -pedantic -Iinclude \
            -fsyntax-only "$work/alone.cpp" || { echo "headers: $name fails with $compiler -std=c++17" >&2; failed=1; }
    done
    count=$((count + 1))
done
echo "headers: $count compiled alone"
exit $failed
