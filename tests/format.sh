#!/usr/bin/env bash
# Every C file of the tree is as .clang-format writes it. `tests/format.sh --fix` rewrites those that are not.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(--dry-run -Werror)
[ "${1:-}" = --fix ] && mode=(-i)
mapfile -t files < <(git ls-files -- '*.c' '*.h' '*.cu' '*.cpp')
[ "${#files[@]}" -gt 0 ] || { echo "format: no files, so nothing was checked" >&2; exit 1; }
clang-format "${mode[@]}" "${files[@]}"
echo "format: ${#files[@]} files"
