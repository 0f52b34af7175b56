#!/usr/bin/env bash
# The command with every library it needs in one folder, for a machine that has nothing installed:
#     tools/portable.sh BUILD FOLDER         e.g.  tools/portable.sh build/release build/campaign
# FOLDER/scree then runs on any Linux of the same processor family, wherever the folder is put: it starts FOLDER/lib/ld-linux... with that
# folder as its library path. Reference BLAS and LAPACK are taken where the machine that builds has them beside another: they need no
# threads and no library of their own. About 40 MB.
set -euo pipefail
[ $# = 2 ] || { sed -n '2,6p' "$0"; exit 2; }
binary=$1/bin/scree folder=$2
rm -rf "$folder" && mkdir -p "$folder/lib"
reference=$(dirname "$(ldconfig -p | sed -n 's/.*=> \(.*libz\.so\.1\)$/\1/p' | head -1)")
path=$reference/blas:$reference/lapack
LD_LIBRARY_PATH=$path ldd "$binary" | sed -n -E 's/.*=> ([^ ]+) .*/\1/p; s/^[[:space:]]*(\/[^ ]*ld-linux[^ ]*) .*/\1/p' |
    sort -u | xargs -I{} cp -L {} "$folder/lib/"
cp "$binary" "$folder/scree.bin"
strip -s "$folder/scree.bin"
cat >"$folder/scree" <<'END'
#!/bin/sh
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
exec "$here"/lib/ld-linux-*.so.* --library-path "$here/lib" "$here/scree.bin" "$@"
END
chmod +x "$folder/scree"
"$folder/scree" --version
du -sh "$folder" | cut -f1
