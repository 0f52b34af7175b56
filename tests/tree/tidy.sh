#!/usr/bin/env bash
# clang-tidy, as .clang-tidy sets it, over every source file that a build compiles.
#   tests/tree/tidy.sh BUILD_DIR [FILE...]      BUILD_DIR holds compile_commands.json
# The checks of clang's analyzer take some seconds a file, a hundred times what all others take: they are made where files are
# named, and with SCREE_LONG_TIDY=1 (./test --long).
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:?usage: tests/tree/tidy.sh BUILD_DIR [FILE...]}
shift
if [ $# -gt 0 ]; then
    files=("$@") checks=
else
    if [ "${SCREE_LONG_TIDY:-0}" = 1 ]; then checks=; else checks='-clang-analyzer-*'; fi
    mapfile -t files < <(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" | sort -u)
fi
[ "${#files[@]}" -gt 0 ] || { echo "tidy: no files, so nothing was checked" >&2; exit 1; }
# clang does not know how gcc is told to order instructions (SCREE_BED_OPTIONS), and takes an option that it does not know for an error.
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
sed -E 's/ -f(schedule-insns|sched-pressure|no-gcse|no-tree-pre|no-code-hoisting)\b//g' "$build/compile_commands.json" >"$commands/compile_commands.json"
# The analyzer takes one file a call: with several, that of clang-tidy 14 finds uninitialised va_lists that are none. Without it, a call for
# eight files takes 0.7 of the time of eight calls.
if [ -n "$checks" ]; then batch=8; else batch=1; fi
printf '%s\0' "${files[@]}" | xargs -0 -n $batch -P "$(nproc)" clang-tidy -p "$commands" --quiet --checks="$checks" --extra-arg=-Wno-error \
    2> >(grep -v ' warnings\{0,1\} generated\.$' >&2) # those are of system headers, and not shown
echo "tidy: ${#files[@]} files"
