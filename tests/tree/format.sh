#!/usr/bin/env bash
# Every C file of the tree, and every script of the report, is as its .clang-format writes it. `tests/tree/format.sh --fix` rewrites those
# that are not.
set -euo pipefail
cd "$(dirname "$0")/../.."
mode=(--dry-run -Werror)
[ "${1:-}" = --fix ] && mode=(-i)
if git rev-parse --git-dir >/dev/null 2>&1; then
    mapfile -t files < <(git ls-files -- '*.c' '*.h' '*.cu' '*.cpp' '*.js')
else # unpacked from an archive
    mapfile -t files < <(find . -path ./build -prune -o -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cpp' -o -name '*.js' \) -print)
fi
[ "${#files[@]}" -gt 0 ] || { echo "format: no files, so nothing was checked" >&2; exit 1; }
clang-format "${mode[@]}" "${files[@]}"
echo "format: ${#files[@]} files"
