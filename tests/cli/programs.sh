#!/usr/bin/env bash
# The programs of docs/embedding.md: each has fewer than 40 lines, the page shows it as it is, and it prints what the page has.
#   tests/cli/programs.sh NAME PROGRAM [NAME PROGRAM]...         NAME: of examples/programs/NAME.c; PROGRAM: compiled from it
set -euo pipefail
cd "$(dirname "$0")/../.."
page=docs/embedding.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "programs: $*" >&2; exit 1; }

[ $# -ge 2 ] || fail "usage: tests/cli/programs.sh NAME PROGRAM [NAME PROGRAM]..."
while [ $# -ge 2 ]; do
    name=$1 program=$2 source=examples/programs/$1.c
    shift 2
    [ "$(wc -l <"$source")" -lt 40 ] || fail "$source has 40 lines or more"
    # from its name in the page on: the first listing is the program, the indented lines after "It prints" are its output
    sed -n "\\|\`$source\`|,\$p" $page >"$work/section"
    sed -n '/^```c$/,/^```$/p' "$work/section" | sed '1d;/^```$/,$d' | cmp -s - "$source" || fail "$page does not show $source as it is"
    "$program" >"$work/said" || fail "$program failed"
    sed '1,/^It prints$/d' "$work/section" | sed -n '/^    /{:a;s/^    //p;n;/^    /ba;q}' | diff - "$work/said" || fail "$page has other lines of $name"
done
echo "programs: ok"
