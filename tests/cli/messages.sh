#!/usr/bin/env bash
# Mistakes that every command meets, and the words that answer them: what is wrong, where, what was expected; nothing on stdout.
#   tests/cli/messages.sh [PATH OF scree]     default: $SCREE_BIN
set -u
. "$(dirname "$0")/lib.sh"
# says STATUS "MESSAGE" ARGUMENT...: the command fails with this status, and its messages start with this line
says() {
    local status=$1 message=$2
    shift 2
    check "$*" "$status" timeout 20 "$scree" "$@" </dev/null
    is_empty out
    [ "$(head -n 1 "$work/err")" = "$message" ] || fail "expected first: $message"
    [ "$status" -ne 2 ] || tail -n 1 "$work/err" | grep -qE "^Try 'scree.* --help'\.$|expected \.dat, \.hdf5 or \.h5" || fail "no word on where to find help"
    ! grep -qE '\.[ch]:[0-9]|%[sd]|\(null\)|nan' "$work/err" || fail "the message shows its inside"
}
examples=$PWD/examples
ball=$examples/ball.yaml
cd "$work" || exit 1
mkdir folder
: >empty
printf '\000\001\002' >binary
cp "$ball" ball.yaml

# ---- the command itself
says 2 "scree: error: unknown command 'rn' (did you mean 'run'?)" rn ball.yaml
says 2 "scree: error: unknown command 'xyzzy'" xyzzy
says 2 "scree: error: unknown command 'sovle' (did you mean 'solve'?)" help sovle
says 2 "scree: error: unknown option '--versoin' (did you mean '--version'?)" --versoin
says 2 "scree help: error: 2 commands given, expected one" help run check

# ---- every command: an option that it has not, an option without its value, a file that is none
for command in $("$scree" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    says 2 "scree $command: error: unknown option '--hlep' (did you mean '--help'?)" "$command" --hlep
    says 2 "scree $command: error: unknown option '-X'" "$command" -X
    ! "$scree" "$command" --help | grep -q '^  -o DIR' || says 2 "scree $command: error: -o needs a value" "$command" -o
done
for command in run check contact solve; do
    says 3 "absent: error: cannot open the file: No such file or directory" $command absent
    says 3 "folder: error: cannot read the file: Is a directory" $command folder
    says 2 "scree $command: error: no $(case $command in run | check) echo SCENE ;; *) echo FILE ;; esac) given" $command
done
says 3 "empty:1:1: error: the file is empty, expected a scene that starts with 'scree: 1'" run empty
says 3 "empty:1:1: error: nothing here, expected the keys W, q, mu, rolling, spinning, law, cone" contact empty
says 3 "empty:1:1: error: the file is empty, expected FCLIB (HDF5), or a .dat text that starts with the dimension of a contact" solve empty
says 3 "binary:1:1: error: a NUL byte, expected UTF-8 text (is this a binary file?)" check binary
says 3 "ball.yaml:1:1: error: this is no contact problem, expected FCLIB (HDF5), or a .dat text that starts with the dimension of a contact" solve ball.yaml
says 2 "b.txt: error: the name does not say the format, expected .dat, .hdf5 or .h5 at its end" convert a.dat b.txt
says 2 "scree convert: error: folder is a folder: --to vtp, dump or csv chooses the format of its frames" convert folder x
says 3 "folder: error: this is not the folder of a run: it has none of scene.yaml, series.csv, frames.scree" convert folder x --to vtp
says 3 "absent: error: cannot open the file: No such file or directory" bench solve absent
for command in picture heap; do
    says 3 "absent: error: there is no such folder, expected one that scree run wrote" $command absent
    says 3 "folder: error: this is not the folder of a run: it has none of scene.yaml, series.csv, frames.scree" $command folder
done
says 3 "absent: error: cannot open the folder: No such file or directory" report absent
says 3 "folder: error: nothing to report on: expected the folder of a run (series.csv), of a sweep (sweep.txt) or of scree bench solve (solve.csv)" report folder

# ---- values
says 2 "scree run: error: --until is 'abc', expected a number above 0 [s]" run ball.yaml --until abc
says 2 "scree run: error: --threads is '0', expected a whole number from 1" run ball.yaml --threads 0
says 2 "scree run: error: --quiet takes no value" run ball.yaml --quiet=yes
says 3 "--set foo: error: expected path=value, like materials.stone.friction=0.3" run ball.yaml --set foo
says 3 "--set run.until=abc: error: until: expected a time above 0, like \"5 ms\", found 'abc'" check ball.yaml --set run.until=abc
says 2 "scree solve: error: there is no solver 'nsg' (did you mean 'nsgs'?); 'scree solvers' lists them" solve x.dat --solver nsg
says 2 "scree solve: error: --law is 'newton', expected coulomb or convex" solve x.dat --law newton
says 2 "scree contact: error: unknown method 'exakt' (did you mean 'exact'?); 'scree help contact' lists them" contact x.yaml --method exakt
says 2 "scree bench: error: unknown measurement 'law' (did you mean 'laws'?); 'scree bench' lists them" bench law
says 2 "scree verify: error: unknown check 'nosuch'; --list names them" verify nosuch
says 2 "scree sweep: error: nothing to vary: give --vary PATH=VALUES or --seeds N" sweep ball.yaml
says 2 "scree run: error: -o is '', expected the name of a folder" run ball.yaml -o ""
mapfile -t many < <(yes -- --set=run.until=1 | head -n 65)
says 2 "scree run: error: --set is given more than 64 times" run ball.yaml "${many[@]}"

# ---- scree generate
says 2 "scree generate: error: cannot generate 'heap'; expected 'pile'" generate heap x.dat
says 2 "scree generate: error: expected what to generate and where: pile OUT" generate pile
says 2 "scree generate: error: --dim is 4, expected 3, 5 or 6" generate pile x.dat --dim 4
for option in mu rho moving; do
    says 2 "scree generate: error: --$option is '-1', expected a number >= 0" generate pile x.dat --$option -1
done
says 2 "scree generate: error: --spread is 2, expected a number from 0 to 0.9" generate pile x.dat --spread 2
for kind in dat hdf5; do "$scree" generate pile pile.$kind --grains 12 >/dev/null; done

# ---- scree bench
for command in laws pile solve; do
    says 2 "scree bench $command: error: unknown option '--hlep' (did you mean '--help'?)" bench $command --hlep
done
for command in pile; do
    says 2 "scree bench $command: error: GRAINS is 'x', expected a whole number from 1 to 500000000" bench $command 10 x
    says 2 "scree bench $command: error: --csv and --json exclude each other" bench $command --csv --json
    # shellcheck disable=SC2046
    says 2 "scree bench $command: error: 65 sizes given, expected at most 64" bench $command $(seq 65)
done
says 2 "scree bench solve: error: --curves needs -o DIR" bench solve pile.dat --curves
says 2 "scree bench solve: error: --tols is empty" bench solve pile.dat --tols ""
says 2 "scree bench solve: error: --tols has more than 16 numbers" bench solve pile.dat --tols "$(seq -s, 17)"
says 2 "scree bench solve: error: --solvers is empty" bench solve pile.dat --solvers ,
says 2 "scree bench solve: error: --solvers has more than 32 names" bench solve pile.dat --solvers "$(yes nsgs | head -n 33 | paste -sd,)"
check "what was not solved is listed" 0 "$scree" bench solve pile.dat --solvers psor --tols 1e-300 --time-limit 0.01
has out "not solved:"
has out "  1e-300   psor           pile.dat "

# ---- scree convert, scree solve
check "a method that does not take these contacts" 2 "$scree" solve pile.dat --solver nsgs --set local_method=1
has err "pile.dat: error: nsgs: the local method 1 does not take these contacts; expected 0 (exact) to 6, and the quartics (1, 2) only for sliding in"
says 2 "scree convert: error: --frames needs --to, and the folder of a run" convert pile.dat x.dat --frames 0

# ---- scree sweep
says 2 "scree sweep: error: 2 scenes given, expected one" sweep ball.yaml ball.yaml --seeds 2
says 2 "scree sweep: error: -o is '', expected the name of a folder" sweep ball.yaml --seeds 2 -o ""
says 2 "scree sweep: error: --collect is '', expected the name of a folder" sweep --collect ""
says 2 "scree sweep: error: --resume takes the sweep from its folder: no --vary, --set, --result, ..." sweep --resume -o x --seeds 2
says 2 "scree sweep: error: --case needs -o DIR" sweep --case 1
says 2 "scree sweep: error: --collect DIR takes no -o" sweep --collect x -o y
says 2 "scree sweep: error: --case takes no --collect, --plan, --resume or --plot" sweep --case 1 -o x --plan
says 2 "scree sweep: error: --resume and --force exclude each other" sweep ball.yaml --seeds 2 --resume --force
says 2 "scree sweep: error: --vary run.until=1:x:3: a range ends at a number, not at x" sweep ball.yaml --vary run.until=1:x:3
says 2 "scree sweep: error: --vary run.until=1 r,2 mm: some values are ratios of the radius (r), others are not" sweep ball.yaml --vary "run.until=1 r,2 mm"
says 2 "scree sweep: error: --vary run.until=1 r,2 r_eff: some values are ratios of the radius (r), others of the reduced one (r_eff)" sweep ball.yaml --vary "run.until=1 r,2 r_eff"
says 2 "scree sweep: error: --vary: there is a line end in the value" sweep ball.yaml --vary $'run.until=1,\n2'
mapfile -t many < <(yes -- --vary=run.until=1 | head -n 64)
says 2 "scree sweep: error: --vary is given more than 63 times beside --seeds" sweep ball.yaml "${many[@]}" --seeds 2
mapfile -t many < <(yes -- --result=steps | head -n 63)
says 2 "scree sweep: error: --result is given more than 62 times" sweep ball.yaml "${many[@]}" --seeds 2
check "a sweep" 0 "$scree" sweep ball.yaml --vary stepper.scheme=moreau_jean,anitescu_tasora --set run.until=0.01 -o swept --quiet
says 2 "scree sweep: error: --plot steps: the sweep has no such result" sweep --collect swept --plot steps
says 2 "scree sweep: error: --plot kinetic: a line needs an input whose values are numbers" sweep --collect swept --plot kinetic
cp swept/sweep.txt whole.txt
head -n 2 whole.txt >swept/sweep.txt
says 3 "swept/sweep.txt: error: the file is cut short" sweep --collect swept

# ---- places where nothing can be written; a run that is there
says 4 "empty: error: cannot make the folder: Not a directory" run ball.yaml -o empty
says 4 "absent/x.dat: error: cannot make the file: No such file or directory" generate pile absent/x.dat --grains 3
"$scree" run ball.yaml -o done --until 0.05 --quiet
says 2 "scree run: error: done already holds a run (checkpoint.h5); --resume continues it, --force replaces it, -o DIR writes elsewhere" run ball.yaml -o done
says 2 "scree picture: error: -o is 'x.jpg', expected a name that ends in .png, .gif or .mp4" picture done -o x.jpg
says 2 "scree picture: error: --color is 'mass', expected body, speed, size, contacts or material" picture done --color mass
says 2 "scree run: error: absent holds no run to resume" run --resume -o absent

# ---- what a command says of what it read
check "a problem through standard input" 2 bash -c "'$scree' solve - <pile.hdf5"
has err "<stdin>: error: an HDF5 file cannot come from standard input, expected its path"
check "a global problem" 0 "$scree" convert pile.hdf5 other.dat
has out "other.dat: global, 22 contacts of 6 rows, 72 degrees of freedom, "
cat >rod.yaml <<'Y'
scree: 1
materials: {m: {density: 1000, friction: 0.5}}
bodies:
  - {name: floor, shape: {plane: {}}}
  - {name: a, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}
  - {name: b, shape: {sphere: {radius: 0.1}}, position: [0.5, 0, 0.1], spin: [0, 20, 0]}
joints:
  - {name: rod, bodies: [a, b], ball: {anchor: [0.25, 0, 0.1]}}
run: {until: 5 ms}
stepper: {step: 5 ms}
Y
check "two balls on a rod" 0 "$scree" run rod.yaml -o rod --problems every=1
has out "joints       1: apart by "
check "bilateral rows that are not held" 1 "$scree" solve rod/problems/step_000001.hdf5 --certify
has out ", worst at bounded row "
check "bilateral rows" 0 "$scree" solve rod/problems/step_000001.hdf5
has out "bounded     3 rows"
has out "bound violation"
check "bilateral rows in another file" 0 "$scree" convert rod/problems/step_000001.hdf5 rod.hdf5
has out ", 3 equality constraints"
check "the convex law" 0 "$scree" solve pile.dat --law convex
has out "duality gap"
check "joints in a table" 0 "$scree" check rod.yaml
has out "joints       1"
says 3 "rod.yaml:7:1: error: the scheme dem does not take joints, expected anitescu_tasora or moreau_jean" check rod.yaml --set stepper.scheme=dem
check "problems that no file can hold" 1 "$scree" run "$examples/door.yaml" -o door --until 0.01 --problems every=1
has err "no contact problems are stored from here on: row 16 has the bound 0.001, which files have no place for, expected bilateral rows only"
check "soft contacts in a table" 0 "$scree" check "$examples/soft-bed.yaml"
has out "is the largest stable step as the scene begins, the step is 0.169 of it; grains with many contacts take a fifth"
check "soft contacts that are still to come" 0 "$scree" check "$examples/chute.yaml"
has out "no limit of the step is known before bodies can touch"
check "a soft run" 0 "$scree" run "$examples/soft-bed.yaml" -o bed --until 1e-4
has out "is the largest stable step as the run ends"
check "one solution of several" 0 "$scree" contact "$examples/contact/several-solutions.yaml"
has out "This is the solution of smallest normal force; --all lists every one."
printf 'W: [[1, 0, 0], [0, 0, 0], [0, 0, 0]]\nq: [0, 5, 0]\nmu: 0.5\nlaw: convex\n' >flat.yaml
check "a contact that may have more solutions" 0 "$scree" contact flat.yaml
has out "unique     not proved"
# a wedge: the load (2, 1, 0) moves nothing, and q presses against it
for law in convex coulomb; do
    printf 'W: [[1, -2, 0], [-2, 4, 0], [0, 0, 0]]\nq: [-1, 0, 0]\nmu: 1\nlaw: %s\n' $law >wedge.yaml
    check "a wedge, $law" 1 "$scree" contact wedge.yaml
    if [ $law = convex ]; then has err "no reaction in the cone brings the velocity into the dual cone"; fi
    if [ $law = coulomb ]; then has err "no reaction in the cone keeps the bodies from approaching"; fi
done
awk 'BEGIN { n = 9; printf "3 %d 0 %d %d %d %d", n, 3 * n, 3 * n, 3 * n, 3 * n
    for (k = 0; k < 9 * n * n; ++k) printf " 0"
    for (k = 0; k < n; ++k) printf " -1 0 0"
    for (k = 0; k < n; ++k) printf " 0.5" }' >jammed.dat
check "a problem without a solution" 1 "$scree" solve jammed.dat
has out "  ... (the 8 largest)"
awk 'BEGIN { n = 13; m = 225; printf "3 %d 0 %d %d %d %d", m / 3, n, n, n, n
    for (k = 0; k < n * n; ++k) printf " %d", k % (n + 1) ? 1 : n
    printf " 0 %d %d %d %d", n, m, n, m
    for (k = 0; k < n * m; ++k) printf " 1"
    for (k = 0; k < n + m; ++k) printf " 0"
    for (k = 0; k < m / 3; ++k) printf " 0.5" }' >sparse.dat
check "masses that hang together" 0 "$scree" solve sparse.dat --certify
has out "W           through a sparse M of 13 degrees of freedom"
cat >arms.yaml <<'Y'
scree: 1
materials: {a: {density: 1000, friction: 0.5, rolling: 0.01 r}, b: {density: 1000, friction: 0.5, rolling: 1 mm}}
bodies: [{name: floor, material: a, shape: {plane: {}}}]
generators: [{material: b, packing: {count: 100, region: {box: {min: [1, 1, 1], max: [2, 2, 2]}}}, radius: 0.2}]
run: {until: 5 ms}
Y
check "arms of two kinds, and a box that is too small" 0 "$scree" check arms.yaml
has out "by the sizes"
has out " grains for which the packing found no free position"
check "a table of a sweep of sizes" 0 "$scree" bench pile 20 --settle 1 --steps 1
has out "ms least"

# ---- files that cannot be read or written, one by one
says 3 "folder: error: cannot read the file: Is a directory" solve pile.dat --warm folder
says 4 "absent/x: error: cannot make the file: No such file or directory" solve pile.dat --trace absent/x
says 4 "absent/x.gif: error: cannot make the file: No such file or directory" picture done -o absent/x.gif
ln -s /dev/full x.gif.tmp
says 4 "x.gif: error: cannot write the file: No space left on device" picture done -o x.gif --size 60x40
mkdir bin && printf '#!/bin/sh\ncat >/dev/null\nexit 1\n' >bin/ffmpeg && chmod +x bin/ffmpeg
PATH=$work/bin:$PATH says 4 "x.mp4: error: ffmpeg could not write the video" picture done -o x.mp4 --size 60x40
long=$(printf 'x%.0s' {1..5000})
check "a name that no file can have" 4 "$scree" heap done -o "$long"
has err "error: the name of the plot is too long"
check "a full disk under a bed" 4 "$(dirname "$scree")/scree_bench_dem" 20 --settle 1 --steps 1 --write /dev/full
has err "/dev/full: error: cannot write the file: No space left on device"
check "no folder for a bed" 4 "$(dirname "$scree")/scree_bench_dem" 20 --settle 1 --steps 1 --write absent/bed
has err "absent/bed: error: cannot write the file: No such file or directory"
mkdir -p study/solve.csv full
check "a study that cannot begin" 4 "$scree" bench solve pile.dat --solvers nsgs --tols 1 -o study
has err "study/solve.csv: error: cannot write the file: Is a directory"
ln -s /dev/full full/solve.csv
check "a study on a full disk" 4 "$scree" bench solve pile.dat --solvers nsgs --tols 1 -o full
has err "full/solve.csv: error: cannot write the file: "
blocks=$(($(wc -c <ball.yaml) / 1024 + 2)) # room for the scene, not for what the run writes
check "a disk that is full at once" 4 bash -c "ulimit -f $blocks; exec '$scree' run ball.yaml -o filled --quiet"
has err "There is no checkpoint yet: the run has to start again."

# ---- a sweep whose folder is taken, and workers that cannot start
cp whole.txt swept/sweep.txt
rm -f swept/rows/* swept/index.csv swept/writer.lock
mkdir swept/writer.lock
check "a lock that cannot be made" 4 "$scree" sweep --resume -o swept
has err "swept: error: cannot make writer.lock: Is a directory"
rmdir swept/writer.lock
mkdir -p swept/rows/sweep.csv
check "rows that cannot be kept" 4 "$scree" sweep --resume -o swept
has err "swept: error: cannot open rows/sweep.csv: Is a directory"
rmdir swept/rows/sweep.csv
check "rows that find no room" 4 bash -c "set -o pipefail; (ulimit -f 0; exec '$scree' sweep --resume -o swept --quiet) 2>&1 | cat >&2"
has err "swept: error: cannot write rows/sweep.csv: File too large"
check "a sweep" 0 "$scree" sweep ball.yaml --vary stepper.step=1e-3,2e-3 --set run.until=0.01 -o plotted --quiet
mkdir plotted/plot_kinetic.csv
says 4 "plotted/plot_kinetic.csv: error: cannot write the file: Is a directory" sweep --collect plotted --plot kinetic
check "no more files" 4 bash -c "ulimit -n 7; exec '$scree' sweep --resume -o swept --quiet"
has err "swept: error: cannot start a process: Too many open files"

# ---- scenes that are too long, and what is known only when they are built
head='scree: 1
materials: {m: {density: 1000, friction: 0.5}}
bodies: [{name: floor, shape: {plane: {}}}, {name: ball, shape: {sphere: {radius: 1}}, position: [0, 0, 2]}]
run: {until: 1 s}'
# scene FILE: the head and what standard input has
scene() { { printf '%s\n' "$head" && cat; } >"$1"; }
{ echo generators: && yes '  - {lattice: {count: [1, 1, 1], spacing: 1}, radius: 0.1}' | head -n 1001; } | scene many.yaml
says 3 "many.yaml:6:3: error: generators: expected at most 1000, found 1001" check many.yaml
{ echo pairs: && yes '  - {between: [m, m], friction: 0.1}' | head -n 1025; } | scene many.yaml
says 3 "many.yaml:6:3: error: pairs: expected at most 1024, found 1025" check many.yaml
{ printf 'scree: 1\nbodies: []\nrun: {until: 1}\nmaterials:\n' && seq -f '  m%.0f: {density: 1000}' 257; } >many.yaml
says 3 "many.yaml:5:3: error: materials: expected at most 256, found 257" check many.yaml
steps=$(printf 'a.%.0s' {1..70})b=1
says 3 "--set $steps: error: the path is too long, expected at most 32 steps" check ball.yaml --set "$steps"
echo 'generators: [{csv: {path: grains.csv}}]' | scene csv.yaml
printf 'x,y,z,scale\n0,0,5,1\n' >grains.csv
says 3 "$work/grains.csv:1:1: error: the column 'scale' is not read for grains that are balls, expected 'radius'" check csv.yaml
printf 'x,y,z\n0,0,5\n' >grains.csv
says 3 "csv.yaml:5:14: error: the size of the grains is not given, expected 'radius' here or as a column of the table" check csv.yaml
scene late.yaml <<'Y'
generators: [{name: grain, lattice: {count: [1, 1, 1], spacing: 1}, radius: 0.1}]
joints: [{bodies: [ball, "grain[5]"], ball: {anchor: [0, 0, 1]}}]
Y
says 3 "late.yaml:6:26: error: there is no body 'grain[5]' at the start" check late.yaml

# ---- on a terminal, and interrupted there
if script -qec true /dev/null >/dev/null 2>&1; then
    check "a bar while it runs" 0 script -qec "'$scree' run ball.yaml -o bar --until 1500 --every 500" /dev/null
    has out ", left 0:"
    "$scree" generate pile large.dat --grains 40 >/dev/null
    check "a line while it solves" 1 script -qec "'$scree' solve large.dat --solver psor --tol 1e-300 --max-iter 100000000 --time-limit 1.1" /dev/null
    has out " iterations  residual "
    check "a sweep" 0 "$scree" sweep ball.yaml --seeds 2 --set run.until=1e6 -o slow --plan
    script -qec "echo \$\$ >slow.pid; exec '$scree' sweep --resume -o slow" /dev/null >out 2>err </dev/null &
    soon grep -qF "case 0 of 2, 0 a second, left ?" out
    kill -INT "$(cat slow.pid)"
    wait $!
    ended "a line while it sweeps" 130 $?
else
    echo "cli_messages: terminals are left out, there is no script"
fi
check "a sweep" 0 "$scree" sweep ball.yaml --seeds 2 --set run.until=1e6 -o long --plan
"$scree" sweep --resume -o long --quiet >/dev/null 2>&1 &
worker=$!
soon test -e long/rows/sweep.csv # made by the one that holds the lock
stopped "a folder where another sweep works" 3 INT "$scree" sweep --resume -o long
has err "long: error: a sweep is writing there (process $worker on "
kill -INT $worker
wait $worker
stopped "a case that is interrupted" 130 INT "$scree" sweep --case 0 -o long
has err "Interrupted in case 0. The same command runs it again."

# ---- no permission: as another user where this one may do everything
if [ "$(id -u)" = 0 ]; then as_other=(setpriv --reuid=65534 --clear-groups); else as_other=(); fi
chmod 755 "$work"
cp "$scree" program && chmod 755 program
if "${as_other[@]}" ./program --version >/dev/null 2>&1; then
    scree=$work/program
    chmod 000 ball.yaml
    chmod 555 folder
    check "a file that may not be read" 3 "${as_other[@]}" "$scree" check ball.yaml
    has err "ball.yaml: error: cannot open the file: Permission denied"
    chmod 644 ball.yaml
    check "a folder that may not be written" 4 "${as_other[@]}" "$scree" run ball.yaml -o folder/run
    has err "folder/run: error: cannot make the folder: Permission denied"
    chmod 000 folder
    check "a folder that may not be read" 3 "${as_other[@]}" "$scree" bench solve folder
    has err "folder: error: cannot open the folder: Permission denied"
else
    echo "cli_messages: permissions are left out, no other user can start the program"
fi

# ---- output that nobody can take
check "a full disk" 4 bash -c "'$scree' solvers >/dev/full"
has err "scree: error: cannot write the output: No space left on device"
finish
