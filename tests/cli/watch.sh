#!/usr/bin/env bash
# `scree run --watch` (watch.py). Exit 77: this build has no HTTP server.
#   tests/cli/watch.sh [PATH OF scree]     default: $SCREE_BIN
exec /usr/bin/python3 "$(dirname "$0")/watch.py" "${1:-${SCREE_BIN:?usage: $0 PATH_OF_scree}}"
