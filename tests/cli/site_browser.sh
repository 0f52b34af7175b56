#!/usr/bin/env bash
# The site of live scenes (tools/site.sh) in a real browser (site_browser.py): three minutes in software WebGL, so only with SCREE_LONG=1.
#   SCREE_LONG=1 tests/cli/site_browser.sh [PATH OF scree [FOLDER FOR SCREENSHOTS]]     default: $SCREE_BIN
[ -n "${SCREE_LONG:-}" ] || { echo "skipped: SCREE_LONG is not set"; exit 77; }
exec /usr/bin/python3 "$(dirname "$0")/site_browser.py" "${1:-${SCREE_BIN:?usage: $0 PATH_OF_scree}}" "${@:2}"
