#!/usr/bin/env bash
# The includes of src/, cli/, checks/, bench/ and include/ against the picture in src/layers.txt: dependencies point down only.
#   tests/tree/layers.sh [ROOT]        without ROOT: this tree, after trees with a violation each have been found guilty
set -euo pipefail

# Prints every include of the tree $1 that its src/layers.txt does not allow, and at the end how many were read.
# A file's layer is its folder under src/, or cli, checks, bench, or, for a public header, what layers.txt says. An include names a layer by
# its folder ("laws/cone.h"), by its public header (<scree/laws.h>), or, without a slash, means the file's own folder. The command, its
# checks and its benchmarks see the public headers only, but for the programs bench/dem_*.c, which look inside an engine.
check() {
    (cd "$1" && { find src cli checks bench include/scree -type f \( -name '*.c' -o -name '*.h' -o -name '*.cu' \) 2>/dev/null || true; } | LC_ALL=C sort |
        awk '
        function layer_of(path,    part) {
            split(path, part, "/")
            if (part[1] == "cli" || part[1] == "checks" || part[1] == "bench") return part[1]
            if (part[1] == "src") return part[2]
            return public["scree/" part[3]]
        }
        function guilty(text) { printf "%s:%d: %s\n", path, line_number, text; bad = 1 }
        BEGIN {
            while ((getline row < "src/layers.txt") > 0) {
                if (row ~ /^[ \t]*(#|$)/) continue
                name = row; sub(/:.*/, "", name)
                rest = row; sub(/^[^:]*:[ \t]*/, "", rest)
                if (name ~ /\//) { public[name] = rest; continue }
                known[name] = 1; allowed[name, name] = 1
                n = split(rest, below, " ")
                for (i = 1; i <= n; ++i) allowed[name, below[i]] = 1
            }
            for (h in public) if (!(public[h] in known)) { print "src/layers.txt: " h " belongs to no known layer"; bad = 1 }
        }
        {
            path = $0; line_number = 0
            own = layer_of(path)
            if (!(own in known)) { guilty("this file belongs to no layer of src/layers.txt"); next }
            while ((getline text < path) > 0) {
                ++line_number
                if (text !~ /^[ \t]*#[ \t]*include[ \t]*["<]/) continue
                ++read
                target = text; sub(/^[^"<]*["<]/, "", target); sub(/[">].*/, "", target)
                quoted = text ~ /include[ \t]*"/
                if (target ~ /^scree\//) {
                    if (!(target in public)) { guilty("<" target "> is not in src/layers.txt"); continue }
                    other = public[target]
                } else if (!quoted) continue
                else if (target ~ /^\.|\/\./) { guilty("\"" target "\": includes start at src/, not at a neighbour"); continue }
                else if (target ~ /\//) { other = target; sub(/\/.*/, "", other) }
                else continue
                if (!(other in known)) guilty("\"" target "\" belongs to no layer of src/layers.txt")
                else if (quoted && own ~ /^(cli|checks|bench)$/ && other !~ /^(cli|checks|bench)$/ && path !~ /^bench\/dem_/)
                    guilty(own " must not include private headers of the library (" target ")")
                else if (!((own, other) in allowed)) guilty(own " must not include " other " (" target ")")
            }
            close(path)
        }
        END { print "layers: " read + 0 " includes"; exit bad }')
}

# A tree with one file $1 whose text is $2 must be refused ($3 = guilty) or accepted ($3 = fine).
trial() {
    local tree verdict=fine
    tree=$(mktemp -d)
    mkdir -p "$tree/src" "$tree/cli" "$tree/include/scree" "$tree/$(dirname "$1")"
    cp src/layers.txt "$tree/src/"
    printf '%s\n' "$2" >"$tree/$1"
    check "$tree" >/dev/null || verdict=guilty
    rm -rf "$tree"
    [ "$verdict" = "$3" ] || { echo "layers: the test itself is wrong: $1 with '$2' is $verdict, should be $3" >&2; exit 1; }
}

cd "$(dirname "$0")/../.."
if [ $# -gt 0 ]; then
    check "$1"
    exit
fi
trial src/laws/a.c '#include "math/poly.h"' fine
trial src/laws/a.c '#include "solvers/nsgs.h"' guilty
trial src/laws/a.c '  #  include   "world/body.h" /* spaces */' guilty
trial src/laws/a.c '#include <scree/world.h>' guilty
trial src/laws/a.c '#include "../world/body.h"' guilty
trial src/laws/a.c '#include "nowhere/x.h"' guilty
trial src/laws/a.c '#include <scree/nowhere.h>' guilty
trial src/world/a.c '#include "problem/problem.h"' guilty
trial src/problem/a.h '#include "world/world_private.h"' guilty
trial src/stepping/a.c '#include "world/world_private.h"' fine
trial src/nowhere/a.c '#include <stdio.h>' guilty
trial src/base/a.c '#include <stdio.h>' fine
trial include/scree/laws.h '#include <scree/scene.h>' guilty
trial include/scree/scene.h '#include <scree/laws.h>' fine
trial cli/a.c '#include <scree/scene.h>' fine
trial cli/a.c '#include "scene/units.h"' guilty
trial bench/dem_a.c '#include "dem/spheres/bed.h"' fine
trial src/scene/a.c '#include "cli/cli.h"' guilty
check .
