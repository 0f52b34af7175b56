#!/usr/bin/env bash
# The documentation: links and anchors hold, every page is in the menu; the site builds where mkdocs is installed, and loads nothing
# from the network.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v python3 >/dev/null || { echo "docs: python3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 tools/docs.py --site "$work/site"
[ -d "$work/site" ] || exit 0
if grep -rlE '<(script|link|img|iframe)[^>]*(src|href)="(https?:)?//' "$work/site" --include='*.html'; then
    echo "docs: these pages load something from the network" >&2
    exit 1
fi
