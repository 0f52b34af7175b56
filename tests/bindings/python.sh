#!/usr/bin/env bash
# The Python package, as a user has it: installed with pip and without a network, against the library of this build; its tests; its
# examples, where matplotlib is there.
#   tests/bindings/python.sh BUILD_FOLDER         exit status 77: something that it needs is not installed
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:?usage: $0 BUILD_FOLDER}
python=/usr/bin/python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
quiet() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; echo "python: failed: $*" >&2; exit 1; }; }

[ -x $python ] || { echo "python: skipped, there is no $python"; exit 77; }
for module in cffi numpy pip pytest setuptools wheel; do
    $python -c "import $module" 2>/dev/null || { echo "python: skipped, python3-$module is not installed"; exit 77; }
done
[ -e "$($python -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ] || {
    echo "python: skipped, python3-dev is not installed"
    exit 77
}

quiet cmake --install "$build" --prefix "$work/prefix"
mkdir -p "$work/tree/bindings" # a copy: pip builds in the folder it is given
cp -r bindings/python "$work/tree/bindings/"
ln -s "$PWD/include" "$work/tree/include"
quiet env SCREE_PREFIX="$work/prefix" PIP_CONFIG_FILE=/dev/null PYTHONWARNINGS=ignore \
    $python -m pip install -q --no-index --no-build-isolation --no-deps --target "$work/site" "$work/tree/bindings/python"
export PYTHONPATH=$work/site PYTHONDONTWRITEBYTECODE=1 SCREE_COMMAND=$work/prefix/bin/scree
$python -m pytest -q -p no:cacheprovider --basetemp="$work/tmp" bindings/python/tests

if $python -c 'import matplotlib' 2>/dev/null; then
    for example in modes_map convergence; do # repose.py takes longer
        quiet $python "bindings/python/examples/$example.py" "$work/$example.png"
        [ "$(head -c 4 "$work/$example.png" | tail -c 3)" = PNG ] || { echo "python: $example.py made no picture" >&2; exit 1; }
    done
else
    echo "python: examples are left out, python3-matplotlib is not installed"
fi
