#!/usr/bin/env bash
# `scree picture` from outside: one file for any number of threads, frames by number and time, messages, exit status.
#   tests/cli/picture.sh [PATH OF scree]     default: $SCREE_BIN
set -u
. "$(dirname "$0")/lib.sh"
picture() { "$scree" picture "$@"; }
# png_size FILE: width and height, from its head
png_size() { od -An -tu1 -j16 -N8 "$1" | awk '{print $3 * 256 + $4 "x" $7 * 256 + $8}'; }

check "a run" 0 "$scree" run tests/scenes/run-mixed.yaml -o "$work/run" --until 0.2 --quiet
check "the last frame" 0 picture "$work/run"
has out "$work/run/picture.png"
is_empty err
[ "$(head -c 8 "$work/run/picture.png" | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] || fail "this is no PNG"
[ "$(png_size "$work/run/picture.png")" = 1200x800 ] || fail "size $(png_size "$work/run/picture.png")"
small="--size 160x120"
for threads in 1 2 3; do
    check "$threads threads" 0 picture "$work/run" -o "$work/threads$threads.png" $small --threads $threads --color speed --forces --stripes
    cmp -s "$work/threads1.png" "$work/threads$threads.png" || fail "the picture depends on the number of threads"
done
[ "$(png_size "$work/threads1.png")" = 160x120 ] || fail "--size"
check "by number" 0 picture "$work/run" -o "$work/a.png" $small --frame 2
check "by time" 0 picture "$work/run" -o "$work/b.png" $small --time 0.11
check "the last" 0 picture "$work/run" -o "$work/c.png" $small --frame last
cmp -s "$work/a.png" "$work/b.png" || fail "t = 0.11 s is nearest to frame 2"
cmp -s "$work/a.png" "$work/c.png" && fail "frame 2 is not the last one"
for paint in body speed size contacts material; do
    check "--color $paint" 0 picture "$work/run" -o "$work/p_$paint.png" $small --color $paint
done
[ "$(cksum <"$work/p_body.png")" != "$(cksum <"$work/p_speed.png")" ] || fail "colours change nothing"
check "from a point" 0 picture "$work/run" -o "$work/d.png" $small --from 2,-3,2 --at 0,0,0.2 --zoom 2 --plain
check "a view from below" 0 picture "$work/run" -o "$work/d.png" $small --view 10,-40
check "straight down" 0 picture "$work/run" -o "$work/d.png" $small --view 0,90
check "joints" 0 "$scree" run examples/four-bar.yaml -o "$work/bars" --until 0.1 --quiet
check "with joints" 0 picture "$work/bars" -o "$work/e.png" $small
check "without joints" 0 picture "$work/bars" -o "$work/f.png" $small --no-joints
cmp -s "$work/e.png" "$work/f.png" && fail "joints are not drawn"
differ() { ! cmp -s "$work/$2" "$work/$3" || fail "$1: the same picture"; }
check "the whole" 0 picture "$work/run" -o "$work/whole.png" $small
check "a cut" 0 picture "$work/run" -o "$work/cut.png" $small --cut y='-10 mm'
differ "a cut" whole.png cut.png
check "a cut behind everything" 0 picture "$work/run" -o "$work/cut.png" $small --cut y=100 --plain
check "and one on the other side" 0 picture "$work/run" -o "$work/cut2.png" $small --cut y=-100 --plain
cmp -s "$work/cut.png" "$work/cut2.png" || fail "both leave out everything but planes"
check "a cut through the middle" 0 picture "$work/run" -o "$work/cut.png" $small --cut x
check "glass" 0 picture "$work/run" -o "$work/glass.png" $small --glass walls
differ "glass" whole.png glass.png
check "glass bodies" 0 picture "$work/run" -o "$work/glass.png" $small --glass both
check "forces" 0 picture "$work/run" -o "$work/forces.png" $small --forces
check "forces without their legend" 0 picture "$work/run" -o "$work/forces2.png" $small --forces --plain
differ "the legend of forces" forces.png forces2.png
check "a coloured body" 0 "$scree" run tests/scenes/run-mixed.yaml -o "$work/red" --until 0.2 --quiet --set 'bodies[2].color=red'
check "its picture" 0 picture "$work/red" -o "$work/red.png" $small
differ "a coloured body" whole.png red.png
check "a coloured plane" 0 "$scree" run tests/scenes/run-mixed.yaml -o "$work/green" --until 0.2 --quiet --set 'bodies[0].color=green'
check "its picture" 0 picture "$work/green" -o "$work/green.png" $small
differ "a coloured plane" whole.png green.png
check "no such colour" 3 "$scree" check tests/scenes/run-mixed.yaml --set 'bodies[2].color=rde'
has err "red"
check "no such axis" 2 picture "$work/run" --cut w
has err "--cut is 'w', expected an axis"
check "an animation" 0 picture "$work/run" -o "$work/x.gif" $small --speed 0.1
[ "$(head -c 6 "$work/x.gif")" = GIF89a ] || fail "this is no GIF"
if command -v ffmpeg >/dev/null; then
    check "a video" 0 picture "$work/run" -o "$work/x.mp4" $small
    [ "$(head -c 8 "$work/x.mp4" | tail -c 4)" = ftyp ] || fail "this is no MP4"
fi
check "no ffmpeg" 4 env PATH=/nowhere "$scree" picture "$work/run" -o "$work/y.mp4" $small
has err "$work/y.mp4: error: MP4 needs ffmpeg, which is not installed (Debian: ffmpeg); .gif needs nothing"

# ---- mistakes
wrong() { # wrong MESSAGE OPTION...
    local message=$1
    shift
    check "$*" 2 picture "$work/run" "$@"
    has err "$message"
}
wrong "--frame is '5', expected a number from 0 to 4, or last" --frame 5
wrong "--frame is 'first', expected a number from 0 to 4, or last" --frame first
wrong "--time is 'soon', expected a number >= 0 [s]" --time soon
wrong "--frame and --time exclude each other" --frame 1 --time 0.1
wrong "--size is '100', expected WxH in pixels" --size 100
wrong "--size is '8x8', expected WxH in pixels" --size 8x8
wrong "--view is '10', expected 2 numbers with commas between them" --view 10
wrong "--view and --from exclude each other" --view 1,2 --from 1,2,3
wrong "--color is 'sped', expected body, speed, size, contacts or material (did you mean 'speed'?)" --color sped
wrong "expected a name that ends in .png, .gif or .mp4" -o "$work/x.bmp"
wrong "x.gif has all frames: --frame and --time are for .png" -o "$work/x.gif" --frame 1
check "no folder" 2 picture
check "no such folder" 3 picture "$work/nowhere"
has err "$work/nowhere: error: there is no such folder, expected one that scree run wrote"
check "a folder that cannot be written to" 4 picture "$work/run" $small -o "$work/none/x.png"
has err "$work/none/x.png: error: cannot make the file: No such file or directory"
check "a full disk" 4 bash -c "ulimit -f 8; exec '$scree' picture '$work/run' -o '$work/full.png'"
[ ! -e "$work/full.png" ] && [ ! -e "$work/full.png.tmp" ] || fail "half a picture is left"
head -c 500 "$work/run/frames.scree" >"$work/cut" && mv "$work/cut" "$work/run/frames.scree"
check "no whole frame" 3 picture "$work/run"
has err "$work/run: error: the run has no frames"

if [ "$failures" -gt 0 ]; then
    echo "cli_picture: $failures failed"
    exit 1
fi
echo "cli_picture: all passed"
