#!/usr/bin/env bash
# `scree play`: one page per scene. Where the build carries the module (cmake --preset wasm) and node is there, the module itself runs: its
# hashes are those of this machine. Exit 77: what could be tested is well, but there is no module or no node.
#   tests/cli/play.sh [PATH OF scree]     default: $SCREE_BIN
set -u
. "$(dirname "$0")/lib.sh"
module=$(dirname "$scree")/../../wasm/scree_live

check "no scene" 2 "$scree" play
check "a page must be HTML" 2 "$scree" play examples/ball.yaml -o "$work/ball.txt"
"$scree" play examples/ball.yaml -o "$work/ball.html" >"$work/out" 2>"$work/err"
status=$?
if [ $status -eq 4 ]; then
    has err "this build of scree carries no WebAssembly"
    has err "cmake --preset wasm && cmake --build --preset wasm"
    [ ! -e "$work/ball.html" ] || fail "nothing is written without a module"
    finish
    echo "skipped: a build without WebAssembly"
    exit 77
fi
ended "a page" 0 $status
[ "$(stat -c %s "$work/ball.html")" -lt 3000000 ] || fail "the page is under 3 MB"
grep -qiE '(src|href)="?(https?:)?//' "$work/ball.html" && fail "the page loads something"
grep -qF "default-src 'none'" "$work/ball.html" || fail "the page has a policy"
check "a scene with a mistake" 3 "$scree" play tests/scenes/bad/play-path.yaml -o "$work/bad.html"
has err "did you mean 'friction'?"
[ ! -e "$work/bad.html" ] || fail "no page of a scene with a mistake"
check "a scene with a mesh" 0 "$scree" play examples/drum.yaml -o "$work/drum.html"

if ! command -v node >/dev/null || [ ! -e "$module.wasm" ]; then
    finish
    echo "skipped: no node, or no $module.wasm"
    exit 77
fi
flag=--experimental-wasm-relaxed-simd # where node still asks for it
node $flag -e 0 2>/dev/null || flag=
# rigid spheres, boxes in a tower, joints, a mesh, sources; soft spheres by the fast engine and by the general one
for item in pile=0.4 boxes=0.04 kapla=0.01 tippe-top=0.05 hopper=0.01 pour=0.1 shear=0.001 conveyor=0.05; do
    name=${item%=*}
    "$scree" run "examples/$name.yaml" --until "${item#*=}" -o "$work/$name" --quiet 2>"$work/err"
    native=$(sed -n 's/.*"hash": "\(.*\)".*/\1/p' "$work/$name/summary.json")
    wasm=$(node tests/cli/play_node.js "$module.js" "$module.wasm" "examples/$name.yaml" "${item#*=}" 2>"$work/err")
    if [ -n "$native" ] && [ "$wasm" = "$native" ]; then echo "ok $name: $native in both"; else fail "$name: $native here, $wasm in node"; fi
    case $name in shear | conveyor) # soft spheres; and something rigid
        fused=$(node $flag tests/cli/play_node.js "${module}_fused.js" "${module}_fused.wasm" "examples/$name.yaml" "${item#*=}" 2>"$work/err")
        if [ "$fused" = "$native" ]; then echo "ok $name: with fused instructions too"; else fail "$name: $native here, $fused with fused instructions"; fi ;;
    esac
done
# nothing is left of a scene whose values were changed: the module never gives memory back, and would have to take more
grown=$(node tests/cli/play_node.js "$module.js" "$module.wasm" examples/pile.yaml --reloads 200 2>"$work/err")
if [ "${grown#* }" = 0 ]; then echo "ok 200 changes of a value: no memory"; else fail "200 changes of a value: ${grown#* } bytes"; fi
finish
