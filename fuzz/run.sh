#!/usr/bin/env bash
# Runs one fuzz target for SCREE_FUZZ_SECONDS (10) from SCREE_FUZZ_SEED (1; 0: another one each time, as ./test --long does), so that ./test
# says the same of the same tree. What it learns stays in the folder it runs in, for the next time.
#   fuzz/run.sh PROGRAM NAME [FOLDER...]     FOLDER: further inputs to start from
set -euo pipefail
program=$1
name=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "found/$name"
folders=("found/$name")
[ -d "$here/corpus/$name" ] && folders+=("$here/corpus/$name")
folders+=("$@")
options=(-seed="${SCREE_FUZZ_SEED:-1}" -max_total_time="${SCREE_FUZZ_SECONDS:-10}" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 -artifact_prefix="$name-")
[ -f "$here/$name.dict" ] && options+=(-dict="$here/$name.dict")
"$program" "${options[@]}" "${folders[@]}"
