#!/usr/bin/env bash
# One source of physics for processor and GPU: how many lines only nvcc sees. Under src/solvers and src/laws they are few, and this counts them:
# what a contact does must not be there a second time. src/device (the words kernels are written in, calls to the device) and src/dem/cuda are
# counted and not bounded.
set -euo pipefail
cd "$(dirname "$0")/../.."
most=100
count() { # FOLDER...: lines with something in them in .cu files, and between #if defined(__CUDA..) and its #else or #endif
    find "$@" \( -name '*.[ch]' -o -name '*.cu' \) -print0 | xargs -0 awk '
        FNR == 1 { depth = 0; only = 0; whole = FILENAME ~ /\.cu$/ }
        /^[ \t]*#[ \t]*if/ { depth++; if (!only && /^[ \t]*#[ \t]*if defined\(__CUDA/) { only = depth; next } }
        /^[ \t]*#[ \t]*(else|elif)/ && only == depth { only = 0; next }
        /^[ \t]*#[ \t]*endif/ { if (only == depth) only = 0; depth--; }
        (only || whole) && NF { n++ }
        END { print n + 0 }'
}
seen=$(count src/solvers src/laws)
echo "cuda_lines: $seen lines only for CUDA in src/solvers and src/laws, of at most $most; $(count src/device) in src/device, $(count src/dem) in src/dem"
# the count counts: a folder with three of them
trial=$(mktemp -d)
trap 'rm -rf "$trial"' EXIT
printf '#if defined(__CUDA_ARCH__)\none\n#if 1\ntwo\n#endif\n#else\nhost\n#endif\n' >"$trial/a.h"
printf 'whole\n\n' >"$trial/b.cu"
[ "$(count "$trial")" -eq 5 ] || { echo "cuda_lines: counts $(count "$trial") in a trial, expected 5" >&2; exit 1; }
[ "$seen" -le "$most" ] || { echo "cuda_lines: more than $most" >&2; exit 1; }
