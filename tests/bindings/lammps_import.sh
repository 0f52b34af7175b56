#!/usr/bin/env bash
# There and back: scree export, scree-lmp over two ranks and scree import, in one go (scree run --ranks) and each by itself, end where scree run
# does, to 1e-9; report, heap and picture look at the result; a run whose ranks are killed continues from a restart file; damaged files are
# named with their line.
#   tests/bindings/lammps_import.sh SCREE_LMP        the command `scree` is SCREE_BIN. Exit status 77: there is no mpirun
set -euo pipefail
. "$(dirname "$0")/lib.sh"
needs_mpirun
trap 'umount "$work/tiny" 2>/dev/null || true; rm -rf "$work"' EXIT
# gives STATUS TEXT COMMAND...: the command ends with this status and says this
gives() {
    local code=0 expected=$1 text=$2
    shift 2
    "$@" >"$work/log" 2>&1 || code=$?
    [ $code = "$expected" ] || fail "'$*' has exit status $code, expected $expected: $(cat "$work/log")"
    grep -qF -- "$text" "$work/log" || fail "'$*' does not say '$text': $(cat "$work/log")"
}
# same FOLDER: its last frame is that of $work/run, to 1e-9 (spins of grains of 1 mm as speeds of their surfaces)
same() {
    "$scree" convert "$1" "$1" --to bodies >"$work/log"
    paste -d, "$work/last" <(tail -n +2 "$(last_bodies "$1")") | awk -F, -v name="$1" '{
        if ($2 != $(2 + NF / 2)) { print "other names"; exit 1 }
        for (i = 4; i <= 16; i++) { if (i >= 7 && i <= 10) continue; d = $i - $(i + NF / 2); if (d < 0) d = -d; if (i > 13) d *= 1e-3; if (d > worst) worst = d } }
        END { sub(/.*\//, "", name); printf "%-12s largest difference %.1e\n", name, worst; exit !(NR == 126 && worst < 1e-9) }' || fail "$1 differs from scree run"
}
scene=$tree/examples/soft-bed.yaml
set=(--set "generators.grain.lattice.count=[5, 5, 5]" --set "run.until=15 ms" --set "output.every=3 ms" --set "materials.glass.dem.stiffness=2 kN/m")
"$scree" run "$scene" -o run -q "${set[@]}" >log 2>&1 || fail "scree run ended with an error: $(cat log)"
"$scree" convert run run --to bodies >log
tail -n +2 "$(last_bodies run)" >last

# in one go
gives 0 "2 ranks" "$scree" run "$scene" --ranks 2 -o ranks "${set[@]}"
same ranks
[ "$(wc -l <ranks/series.csv)" = 7 ] || fail "not 6 frames: $(cat ranks/series.csv)"
awk -F, 'NR == FNR { at[FNR] = $0; next } FNR == 7 { split(at[7], a, ","); d = a[1] - $1; exit !(d < 1e-12 && -d < 1e-12) }' run/series.csv ranks/series.csv || fail "the run ends at another time"
gives 2 "already holds a run" "$scree" run "$scene" --ranks 2 -o ranks "${set[@]}"
gives 0 '"bodies": 125' "$scree" run "$scene" --ranks 1 -o ranks --force --json "${set[@]}" --until "1 ms"
gives 2 "--ranks excludes" "$scree" run "$scene" --ranks 2 --threads 2 -o other
gives 3 "LAMMPS cannot be given the convex law" "$scree" run "$tree/examples/ball.yaml" --set stepper.law=convex --ranks 2 -o other
[ ! -e other ] || fail "a scene that is refused leaves a folder"
gives 1 "unknown argument" env PATH="$work/bin:$PATH" bash -c "mkdir -p bin && printf '#!/bin/sh\nsed -i \"s/ friction / frction /\" in.lammps\nexec $(command -v mpirun) \"\$@\"\n' >bin/mpirun && chmod +x bin/mpirun && '$scree' run '$scene' --ranks 2 -o wrong"
mkdir alone && cp "$scree" alone/scree
gives 4 "scree-lmp, which is not there" env PATH=/usr/bin:/bin alone/scree run "$scene" --ranks 2 -o other
ln -s "$lmp" alone/scree-lmp
gives 4 "mpirun, which is not there" env PATH=/nowhere alone/scree run "$scene" --ranks 2 -o other

# step by step: killed in the middle, continued from a restart file on another number of ranks
gives 0 "125 spheres" "$scree" export lammps "$scene" -o bed "${set[@]}"
# shellcheck disable=SC2016
echo 'kill -9 $PPID' >bed/kill.sh # the rank that runs it
(cd bed && sed 's/^run .*/run 5000 every 3500 "shell exec sh kill.sh"/; /^write_/d' in.lammps >in.killed)
if (cd bed && mpirun -np 2 "$lmp" -in in.killed -screen none) >log 2>&1; then fail "a rank was killed, and nothing came of it"; fi
[ -s bed/spheres.restart.1 ] && [ -s bed/spheres.restart.2 ] || fail "no restart files: $(ls bed)"
newest=$(cd bed && ls -t spheres.restart.[12] | head -1)
(cd bed && mpirun -np 1 "$lmp" -in in.again -var from "$newest" -screen none) >log 2>&1 || fail "it does not continue: $(cat log)"
gives 0 "6 frames" "$scree" import bed/dump.lammpstrj -o seen
same seen
for command in "report seen" "picture seen -o seen.png" "heap seen"; do
    # shellcheck disable=SC2086
    gives 0 "" "$scree" $command
done
grep -q 125 log || fail "scree heap finds no 125 grains: $(cat log)"
[ -s seen/report.html ] && [ -s seen.png ] || fail "no report, or no picture"

# a disk that is full: an error, whole restart files, the frames before; continued elsewhere it ends as it would have
mkdir tiny
if mount -t tmpfs -o size=120k tmpfs tiny 2>/dev/null; then
    cp bed/in.lammps bed/spheres.data bed/scene.yaml tiny
    full=0
    (cd tiny && mpirun -np 2 "$lmp" -in in.lammps -screen none -log none) >log 2>&1 || full=$?
    cp -r tiny elsewhere
    gives 4 "No space left on device" "$scree" run "$scene" --ranks 2 -o tiny/run "${set[@]}"
    umount tiny
    [ $full != 0 ] || fail "the disk is full, and LAMMPS ends with exit status 0"
    gives 0 "within its last frame" "$scree" import elsewhere/dump.lammpstrj -o before-full
    mv elsewhere/dump.lammpstrj elsewhere/before && cp bed/in.again elsewhere
    newest=$(cd elsewhere && ls -t spheres.restart.[12] | head -1)
    (cd elsewhere && mpirun -np 2 "$lmp" -in in.again -var from "$newest" -screen none) >log 2>&1 || fail "after a full disk it does not continue: $(cat log)"
    gives 0 "" "$scree" import elsewhere/dump.lammpstrj -o after-full
    same after-full
else
    echo "lammps_import: no tmpfs here, so no full disk"
fi

# without the scene: radii from the dump, masses from the data file or a density
mkdir plain && cp bed/dump.lammpstrj bed/spheres.data plain
gives 3 "dump.lammpstrj:10: error: atom 2 has no mass" "$scree" import plain/dump.lammpstrj -o other
gives 3 "nothing tells the time of step 1000" "$scree" import plain/dump.lammpstrj plain/spheres.data -o other
gives 0 "6 frames, t = 0 to 0.015 s" "$scree" import plain/dump.lammpstrj plain/spheres.data --step "3 us" -o from-data
gives 0 "" "$scree" report from-data
gives 0 "" "$scree" heap from-data
kinetic() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "kinetic[J]") k = i } END { print $k }' "$1/series.csv"; }
awk -v a="$(kinetic run)" -v b="$(kinetic from-data)" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 < 1e-18 * a * a) }' || fail "kinetic energies: $(kinetic run) $(kinetic from-data)"
gives 0 "1 frames, t = 0 to 0 s, 125 spheres" "$scree" import plain/spheres.data -o data-alone
# columns in other words; a frame in which an atom is gone
printf 'ITEM: TIMESTEP\n%s\nITEM: NUMBER OF ATOMS\n%s\nITEM: BOX BOUNDS ff ff ff\n0 2\n0 4\n-1 1\nITEM: ATOMS zs type diameter mass id xs ys element\n%s\n' \
    0 2 "$(printf '0.5 2 0.2 1 9 0.5 0.25 Xe\n1 1 0.4 2 3 0 0 He')" 10 1 "0.5 2 0.2 1 9 0.5 0.5 Xe" >two
gives 0 "2 frames, t = 0 to 10 s, 1 spheres" "$scree" import two --step 1 -o two-seen
"$scree" convert two-seen two-seen --to bodies >log
grep -q '^0,atom\[0\],dynamic,0,0,1,' two-seen/bodies/bodies_000000.csv && grep -q '^1,atom\[1\],dynamic,1,1,0,' two-seen/bodies/bodies_000000.csv &&
    grep -q '^1,atom\[1\],dynamic,1,2,0,' two-seen/bodies/bodies_000001.csv || fail "scaled places: $(cat two-seen/bodies/*)"

# damaged files
bad() { # LINE TEXT SED: the line and the text of the error, and what damages the dump
    sed "$3" plain/dump.lammpstrj >bad
    gives 3 "bad:$1: error: $2" "$scree" import bad plain/spheres.data --step 3e-6 -o other
    [ ! -e other ] || fail "what is refused leaves a folder"
}
bad 300 "vx is 'nan', expected a number" '300s/\([^ ]* [^ ]* [^ ]* [^ ]* [^ ]* [^ ]*\) [^ ]*/\1 nan/'
bad 20 "11 columns, expected 12" '20s/ [^ ]*//'
bad 4 "the number of atoms is '-3'" '4s/.*/-3/'
bad 134 "'126 1 0.001" '4s/.*/124/'
bad 135 "a frame of 126 atoms ends after 125" '4s/.*/126/'
bad 12 "atom 3 is also in line 11" '12s/^[0-9]*/3/'
bad 5 "the box is tilted" '5s/BOUNDS/BOUNDS xy xz yz/'
bad 9 "there is no column id" '9s/ id / it /'
bad 9 "there are no places" '9s/ y / i /'
bad 10 "id is '99999999999999999999'" '10s/^[0-9]*/99999999999999999999/'
gives 3 "step 1000 after step 2000" "$scree" import <(sed '/^3000$/s/.*/1000/' plain/dump.lammpstrj) plain/spheres.data --step 1 -o other
head -c 60000 plain/dump.lammpstrj >cut
gives 0 "within its last frame" "$scree" import cut plain/spheres.data --step 1 -o cut-seen
head -c 600 plain/dump.lammpstrj >cut
gives 3 "before its first frame" "$scree" import cut -o other
: >nothing
gives 3 "nothing in it" "$scree" import nothing -o other
sed '/^Velocities/,$d; $d' plain/spheres.data | sed '20d' >short
gives 3 "error: the file ends after 124 of 125 atoms" "$scree" import short -o other
sed 's/Atoms # sphere/Atoms # full/' plain/spheres.data >full
gives 3 "atoms of style 'full', expected sphere" "$scree" import full -o other
gives 3 "has another radius than its body" "$scree" import --scene bed/scene.yaml <(sed '11s/0\.001 /0.002 /' plain/dump.lammpstrj) -o other
gives 2 "expected -o" "$scree" import plain/spheres.data
gives 2 "expected -o with another folder" "$scree" import plain/spheres.data -o plain --force
gives 3 "No such file" "$scree" import nowhere -o other
gives 4 "frames.scree: error: cannot write" bash -c "ulimit -f 8 && exec '$scree' import plain/spheres.data -o full-disk"
[ ! -e full-disk/frames.scree ] || fail "what could not be written whole is left there"
echo "lammps_import: all passed"
