#!/usr/bin/env bash
# Reports in a real browser (report_browser.py): about half a minute in software WebGL, so only with SCREE_LONG=1.
#   SCREE_LONG=1 tests/cli/report_browser.sh [PATH OF scree [FOLDER FOR SCREENSHOTS]]     default: $SCREE_BIN
[ -n "${SCREE_LONG:-}" ] || { echo "skipped: SCREE_LONG is not set"; exit 77; }
exec /usr/bin/python3 "$(dirname "$0")/report_browser.py" "${1:-${SCREE_BIN:?usage: $0 PATH_OF_scree}}" "${@:2}"
