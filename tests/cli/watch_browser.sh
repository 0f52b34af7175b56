#!/usr/bin/env bash
# `scree run --watch` in a real browser (watch_browser.py): half a minute in software WebGL, so only with SCREE_LONG=1.
#   SCREE_LONG=1 tests/cli/watch_browser.sh [PATH OF scree [FOLDER FOR SCREENSHOTS]]     default: $SCREE_BIN
[ -n "${SCREE_LONG:-}" ] || { echo "skipped: SCREE_LONG is not set"; exit 77; }
exec /usr/bin/python3 "$(dirname "$0")/watch_browser.py" "${1:-${SCREE_BIN:?usage: $0 PATH_OF_scree}}" "${@:2}"
