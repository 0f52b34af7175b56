#!/usr/bin/env bash
# tests/tree/said.py; exit status 77 without Python.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -x /usr/bin/python3 ] || exit 77
/usr/bin/python3 tests/tree/said.py
