#!/usr/bin/env bash
# The program of docs/running.md: it has fewer than 40 lines, the page shows it as it is, and it prints what the page has; what is left
# half way is resumed; it compiles as C++ too.
#   tests/cli/running.sh PROGRAM         PROGRAM: examples/run/hello_run.c, compiled
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${1:?usage: tests/cli/running.sh PROGRAM}
source=examples/run/hello_run.c page=docs/running.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "running: $*" >&2; exit 1; }

[ "$(wc -l <$source)" -lt 40 ] || fail "$source has 40 lines or more"
sed -n '/^```c$/,/^```$/p' $page | sed '1d;$d' | cmp -s - $source || fail "$page does not show $source as it is"
"$program" examples/ball.yaml "$work/ball" >"$work/said" || fail "the program failed"
sed -n '/^It prints$/,/^## /p' $page | sed -n 's/^    //p' | diff - "$work/said" || fail "$page has other lines"
"$program" examples/ball.yaml "$work/ball" >"$work/again" || fail "a run that is done cannot be resumed"
tail -n 1 "$work/said" | diff - "$work/again" || fail "a run that is done has more to do"
if "$program" examples/absent.yaml "$work/x" 2>"$work/err"; then fail "a scene that is absent is run"; fi
grep -q "examples/absent.yaml: error: cannot open" "$work/err" || fail "no message for a scene that is absent"
g++ -std=c++17 -Wall -Wextra -Wno-missing-field-initializers -Werror -Iinclude -fsyntax-only -x c++ $source || fail "$source is no C++"
echo "running: ok"
