#!/usr/bin/env bash
# Programs with every library they need in one folder, for a machine that has nothing installed:
#     tools/portable.sh BUILD FOLDER [PROGRAM]...        e.g.  tools/portable.sh build/release build/campaign
# PROGRAM: a path below BUILD (default bin/scree). FOLDER/NAME then runs on any Linux of the same processor family, wherever the folder is
# put: it starts FOLDER/lib/ld-linux... with that folder as its library path. Reference BLAS and LAPACK are taken where the machine that
# builds has them beside another: they need no threads and no library of their own. About 40 MB. SCREE_BLAS=FOLDER takes the libblas.so.3 and
# liblapack.so.3 of that folder instead: factorisations are timed with the BLAS that ./run installs (/usr/lib/*/openblas-serial).
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,7p' "$0"; exit 2; }
build=$1 folder=$2
shift 2
[ $# -gt 0 ] || set -- bin/scree
rm -rf "$folder" && mkdir -p "$folder/lib"
reference=$(dirname "$(ldconfig -p | sed -n 's/.*=> \(.*libz\.so\.1\)$/\1/p' | head -1)")
path=${SCREE_BLAS:-$reference/blas:$reference/lapack}
for program; do
    name=$(basename "$program")
    LD_LIBRARY_PATH=$path ldd "$build/$program" | sed -n -E 's/.*=> ([^ ]+) .*/\1/p; s/^[[:space:]]*(\/[^ ]*ld-linux[^ ]*) .*/\1/p' |
        sort -u | xargs -I{} cp -L {} "$folder/lib/"
    cp "$build/$program" "$folder/$name.bin"
    strip -s "$folder/$name.bin"
    sed "s/NAME/$name/" >"$folder/$name" <<'END'
#!/bin/sh
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
exec "$here"/lib/ld-linux-*.so.* --library-path "$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$here/NAME.bin" "$@"
END
    chmod +x "$folder/$name"
done
[ ! -x "$folder/scree" ] || "$folder/scree" --version
du -sh "$folder" | cut -f1
