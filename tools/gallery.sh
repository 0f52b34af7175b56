#!/usr/bin/env bash
# Makes all pictures of docs/gallery.md anew: runs the commands that stand under them, in their order.
#   tools/gallery.sh [SCREE]      the program; default: build/release/bin/scree
# Runs go to out/gallery; those that are there are replaced.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-build/release/bin/scree}
[ -x "$program" ] || { echo "$program is not there; build it with: cmake --preset release && cmake --build --preset release" >&2; exit 1; }
scree() {
    if [ "$1" = run ]; then set -- "$@" --force --quiet; fi
    "$program" "$@" || [ "$1 $?" = "run 1" ] # 1: some steps fell short of the tolerance, as the gravel's do
}
mkdir -p docs/pictures
eval "$(sed -n '/^```sh$/,/^```$/{/^```/!p}' docs/gallery.md)"
du -ch docs/pictures/*.png | tail -n 1
