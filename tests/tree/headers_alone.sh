#!/usr/bin/env bash
# Every public header compiles alone, twice in a row, in C17 and in C++17, with gcc and clang, without a warning. None depends on how the
# library was built: the only conditions are guards, the language, the compiler, and asserts; scree.h, which includes all of them, asks
# which are installed. Each opens with its thread safety.
set -euo pipefail
cd "$(dirname "$0")/../.."
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
    grep -q '^ \* Thread safety: ' "$header" || { echo "headers: $name opens without its thread safety" >&2; failed=1; }
    [ "$name" = scree/scree.h ] || grep -qxF "#include <$name>" include/scree/scree.h ||
        { echo "headers: scree/scree.h does not include $name" >&2; failed=1; }
    count=$((count + 1))
done
if grep -nE '^# *(if|ifdef|ifndef|elif)' include/scree/*.h | grep -vE '__cplusplus|SCREE_[A-Z]+_H$|__GNUC__|_WIN32|SCREE_NO_ASSERT|scree.h:.*__has_include'; then
    echo "headers: the conditions above may change with the options of a build" >&2
    failed=1
fi
echo "headers: $count compiled alone"
exit $failed
