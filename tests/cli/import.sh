#!/usr/bin/env bash
# `scree import`, `scree export` and `scree run --ranks` without LAMMPS: what is damaged, endless or absurd is refused with its line, nothing is
# written over, and a folder belongs to one writer. What LAMMPS itself writes: tests/bindings/lammps_import.sh.
#   tests/cli/import.sh [PATH OF scree]     default: $SCREE_BIN
set -u
. "$(dirname "$0")/lib.sh"
examples=$PWD/examples
cd "$work" || exit 1

# dump X V MASS [STEP] [ITEMS]: a frame of two balls
dump() { printf '%bITEM: TIMESTEP\n%s\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS ff ff ff\n-1 1\n-1 1\n-1 1\nITEM: ATOMS id radius mass x y z vx\n1 0.1 1 0 0 0 0\n2 0.1 %s %s 0 0 %s\n' "${5:-}" "${4:-0}" "$3" "$1" "$2"; }
# refused TEXT FILE ARGUMENT...: bad input, in these words, and no folder is left
refused() {
    local text=$1
    shift
    check "refused: $text" 3 timeout 60 "$scree" import "$@" -o refused
    has err "$text"
    [ ! -e refused ] || fail "what is refused leaves a folder"
    rm -rf refused
}

dump 0.5 1 2 >good
check "two balls" 0 "$scree" import good -o good-run
has out "1 frames, t = 0 to 0 s, 2 spheres"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "kinetic[J]") k = i } NR == 2 { exit !($k == 1) }' good-run/series.csv || fail "2 kg at 1 m/s are 1 J"

# ---- numbers
for x in 1e200 -1e101 1e999 nan inf; do
    dump $x 0 1 >bad
    refused "bad:11: error: x is '$x', expected a number" bad
    dump 0 $x 1 >bad
    refused "bad:11: error: vx is '$x', expected a number" bad
done
dump 0 1e80 1e100 | sed 's/ vx$/ omegax/; s/^2 0.1/2 1e60/' >bad
refused "bad:11: error: the energies of step 0 are beyond all numbers" bad
sed 's/ x y z/ xs ys zs/; s/^-1 1$/-1e100 1e100/' good | sed '$s/ 0.5 / 2e80 /' >bad
refused "bad:11: error: xs is at " bad
dump 0 0 1 9000000000000000000 >bad
refused "bad:11: error: step 9000000000000000000 is at inf s, expected at most 1e+100 s" bad --step 1e300
{ dump 0 0 1 1 'ITEM: TIME\n0.5\n'; dump 0 0 1 2 'ITEM: TIME\n0.25\n'; } >bad
refused "bad:26: error: 0.25 s after 0.5 s, expected times to ascend" bad

# ---- files without an end, and what is no file
refused "/dev/zero:1: error: a line of more than 1048576 bytes, expected a dump or a data file of LAMMPS" /dev/zero
refused "/dev/urandom:" /dev/urandom
refused "error: no line with the number of atoms" <(yes 12 words of no sense)
refused "error: a line of more than 1048576 bytes" <(head -8 good; tr '\0' 1 </dev/zero)
mkdir folder
refused "folder: error: cannot read the file: Is a directory" folder

# ---- walls.txt
cat >drum.yaml <<'YAML'
scree: 1
materials: {steel: {density: 2500, dem: {stiffness: 20 kN/m}}}
bodies:
  - {name: lid, kind: driven, shape: {plane: {}}, position: [0, 0, -1], motion: {velocity: [0, 0, 1 cm/s]}}
  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.2]}
  - {name: other, shape: {sphere: {radius: 0.1}}, position: [0.5, 0, 0.2]}
stepper: {scheme: dem, step: 20 us}
run: {until: 2 ms}
output: {every: 1 ms}
YAML
check "an export" 0 "$scree" export lammps drum.yaml -o bed
{ dump 0.5 0 1 0; dump 0.6 0 1 50; } | sed 's/^2 0.1 1/3 0.1 1/; s/^1 0.1 1/2 0.1 1/' >bed/dump.lammpstrj
printf '# places\n0 1\n1 0 0 -1\n50 1\n1 0 0 -0.25\n' >walls.good
cp walls.good bed/walls.txt
check "walls where they were" 0 "$scree" import bed/dump.lammpstrj -o walls
check "as a table" 0 "$scree" convert walls walls --to bodies
grep -q '^0,lid,driven,0,0,-0.25,' walls/bodies/bodies_000001.csv || fail "the lid is where walls.txt has it"
for damage in '2s/1$/7/' '3s/^1/2/' '5s/-0.25/nan/' '3s/-1/1e300/' '4s/50/-50/' '5s/ 0 / /'; do
    sed "$damage" walls.good >bed/walls.txt
    refused "bed/walls.txt:${damage%%s*}: error: " bed/dump.lammpstrj
done
rm bed/walls.txt && mkdir bed/walls.txt
refused "bed/walls.txt: error: cannot read the file: Is a directory" bed/dump.lammpstrj
rmdir bed/walls.txt && ln -s walls.txt bed/walls.txt
refused "bed/walls.txt: error: cannot open the file: Too many levels of symbolic links" bed/dump.lammpstrj

# ---- nothing is written over
check "a run" 0 "$scree" run "$examples/ball.yaml" -o run --until 0.1 --quiet
sums() { (cd "$1" && find . -type f | sort | xargs md5sum); }
sums run >before
check "an export over a run" 2 "$scree" export lammps drum.yaml -o run
has err "run holds checkpoint.h5, which no export has written; -o DIR writes elsewhere"
check "an import over a run" 2 "$scree" import good -o run
mkdir mine && echo mine >mine/in.lammps
check "an export over a script of somebody else" 2 "$scree" export lammps drum.yaml -o mine
has err "mine holds in.lammps, which no export has written"
sums run | cmp -s - before || fail "the run has changed"
[ "$(cat mine/in.lammps)" = mine ] && [ "$(ls mine)" = in.lammps ] || fail "the script of somebody else has changed"
check "an export again" 0 "$scree" export lammps drum.yaml -o bed --set run.until=3ms
grep -q '^run 150$' bed/in.lammps || fail "the second export counts"
echo keep >precious
mkdir linked && ln -s ../precious linked/writer.lock
check "a lock that is a link" 4 "$scree" run "$examples/ball.yaml" -o linked --until 0.1 --quiet
has err "linked: error: cannot make writer.lock: Too many levels of symbolic links"
rm linked/writer.lock && ln -s ../precious linked/scene.yaml.tmp
check "a temporary file that is a link" 4 "$scree" run "$examples/ball.yaml" -o linked --until 0.1 --quiet
has err "linked/scene.yaml: error: cannot make the file: Too many levels of symbolic links"
[ "$(cat precious)" = keep ] || fail "a file was written through a link"

# ---- one writer: an import that replaces a run keeps its lock meanwhile
mkfifo slow
check "a run to replace" 0 "$scree" run "$examples/ball.yaml" -o replaced --until 0.1 --quiet
"$scree" import slow -o replaced --force >log 2>&1 &
first=$!
exec 9>slow
cat good >&9
soon test -s replaced/frames.scree
check "a second import meanwhile" 3 "$scree" import good -o replaced --force
has err "replaced: error: an import is writing there (process $first on "
check "a run meanwhile" 3 "$scree" run "$examples/ball.yaml" -o replaced --force --until 0.1 --quiet
exec 9>&-
wait $first
ended "the first import" 0 $?
grep -q '"bodies": 2' replaced/summary.json || fail "the folder is the first one's"
[ ! -e replaced/writer.lock ] || fail "a lock is left"

# ---- scree run --ranks: with a LAMMPS that writes what it is told to
mkdir -p alone bin
cp "$scree" alone/scree
printf '#!/bin/sh\nexit 0\n' >alone/scree-lmp
printf '#!/bin/sh\ncp %s dump.lammpstrj\n' "$work/told" >bin/mpirun
chmod +x alone/scree-lmp bin/mpirun
export PATH=$work/bin:$PATH
{ dump 0.5 0 1 0; dump 0.6 0 1 50; } | sed 's/^2 0.1 1/3 0.1 1/; s/^1 0.1 1/2 0.1 1/' >told
check "over ranks" 0 alone/scree run drum.yaml --ranks 2 -o ranks
has out "ranks: 2 frames, t = 0 to 0.001 s, 2 spheres, 2 ranks"
[ ! -e ranks/writer.lock ] || fail "a lock is left"
sed '$s/0.6/nan/' told >other && mv other told
check "a ball that ran away" 1 alone/scree run drum.yaml --ranks 2 -o away
has err "away/lammps/dump.lammpstrj:22: error: x is 'nan'"
"$scree" run "$examples/ball.yaml" -o busy --quiet --until 1e9 &
first=$!
soon test -s busy/series.csv
check "ranks in a folder where a run is writing" 3 alone/scree run drum.yaml --ranks 2 -o busy --force
has err "busy: error: a run is writing there (process $first on "
[ ! -e busy/lammps ] || fail "files of LAMMPS in the folder of another run"
kill -TERM $first
wait $first
finish
