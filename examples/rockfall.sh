#!/bin/sh
# Where the stones of rockfall.yaml stop, over rolling friction: a table, statistics, and a map.
#   sh examples/rockfall.sh [OUT]       default: out/rockfall; the program is $SCREE_BIN, or scree on the path
# OUT/sweep/index.csv: a row per rolling friction, as scree sweep writes it. OUT/points.csv: a row per stone. OUT/rockfall.png: by gnuplot, where it is.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-out/rockfall}
scree=${SCREE_BIN:-scree}
stones=30
rolling='0.05 m:0.2 m:4'

set --
i=0
while [ $i -lt $stones ]; do
    set -- "$@" --result "bodies.stone[$i].position.x" --result "bodies.stone[$i].position.y"
    i=$((i + 1))
done
mkdir -p "$out"
"$scree" sweep "$here/rockfall.yaml" --zip --vary "materials.ground.rolling=$rolling" --vary "materials.rock.rolling=$rolling" \
    --result kinetic "$@" -o "$out/sweep" --force --quiet || {
    echo "a case failed, or fell short of its tolerance: see $out/sweep/index.csv" >&2
    exit 1
}

# Columns of the index: case, two inputs, kinetic energy, then x and y of each stone.
awk -F, -v stones=$stones 'BEGIN {print "rolling,x,y"}
    NR > 2 {print "\n"}
    NR > 1 {for (i = 0; i < stones; ++i) print $2 "," $(5 + 2*i) "," $(6 + 2*i)}' "$out/sweep/index.csv" >"$out/points.csv"
echo "rolling [m]  mean x [m]  deviation  nearest  farthest  kinetic energy left [J]"
awk -F, -v stones=$stones 'NR > 1 {
    s = 0; ss = 0; low = 1e30; high = -1e30
    for (i = 0; i < stones; ++i) {x = $(5 + 2*i); s += x; ss += x*x; if (x < low) low = x; if (x > high) high = x}
    m = s/stones
    printf "%11g %11.1f %10.1f %8.1f %9.1f %12.2g\n", $2, m, sqrt((ss - stones*m*m)/(stones - 1)), low, high, $4}' "$out/sweep/index.csv"
if command -v gnuplot >/dev/null; then (cd "$out" && gnuplot -e "ground='$here/slope.asc'" "$here/rockfall.gp"); fi
