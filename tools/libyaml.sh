#!/usr/bin/env bash
# The source of libyaml from Debian's archive, for builds that have no libyaml of their own (cmake --preset wasm):
#     tools/libyaml.sh FOLDER         FOLDER/src, FOLDER/include, FOLDER/License
# Fetches 90 kB, and the index of Debian's source packages (10 MB) if the machine has none. Needs no root; apt checks the signatures.
set -euo pipefail
[ $# = 1 ] || { sed -n '2,4p' "$0"; exit 2; }
if [ -e "$1/src/api.c" ]; then exit 0; fi
command -v apt-get >/dev/null || { echo "libyaml.sh: no apt-get here. Unpack https://pyyaml.org/download/libyaml/yaml-0.2.5.tar.gz to $1" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/parts" "$work/lists/partial"
# what the machine fetches binary packages from, it fetches source packages from
cat /etc/apt/sources.list.d/*.sources 2>/dev/null | sed 's/^Types:.*/Types: deb-src/' >"$work/parts/source.sources" || true
cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | sed -n 's/^deb\(-src\)\{0,1\} /deb-src /p' | sort -u >"$work/parts/source.list" || true
apt=(apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work/parts" -o Dir::State::lists="$work/lists"
    -o Dir::Cache="$work" -o APT::Sandbox::User="$(id -un)")
(cd "$work" && "${apt[@]}" update && "${apt[@]}" source --download-only libyaml) >"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2; exit 1; }
mkdir -p "$1"
tar -xzf "$work"/libyaml_*.orig.tar.gz -C "$1" --strip-components=1
[ -e "$1/src/api.c" ] || { echo "libyaml.sh: the source package has no src/api.c" >&2; exit 1; }
