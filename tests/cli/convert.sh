#!/usr/bin/env bash
# `scree convert` from outside: exit status, messages, JSON, and that a failed write leaves nothing.
#   tests/cli/convert.sh [PATH OF scree]     default: $SCREE_BIN
set -u
. "$(dirname "$0")/lib.sh"
alone() { [ -z "$(find "$work/to" -mindepth 1)" ] || fail "a file was left behind: $(ls "$work/to")"; }

mkdir "$work/to"
local=$work/local.dat
printf '3 1 0 3 3  3 3  2 0 0  0 1 0  0 0 1  -1 0.1 0.2  0.7\n' >"$local"
global=$work/global.dat # one particle of 2 kg on a plane
printf '3 1 0 3 3  3 3  2 0 0  0 2 0  0 0 2  0 3 3  3 3  1 0 0  0 1 0  0 0 1  -2 0 1  0 0 0  0.5\n' >"$global"

# ---- there and back
check "dat to hdf5" 0 "$scree" convert "$local" "$work/a.hdf5"
has out "a.hdf5: local, 1 contacts of 3 rows, 9 matrix entries"
is_empty err
check "hdf5 to dat" 0 "$scree" convert "$work/a.hdf5" "$work/a.dat"
check "dat to hdf5 again" 0 "$scree" convert "$work/a.dat" "$work/b.h5"
cmp -s "$work/a.hdf5" "$work/b.h5" || fail "there and back is not the same file"
check "json" 0 "$scree" convert --json "$global" "$work/g.hdf5"
is_empty err
has out '"kind": "global"'
has out '"contacts": 1'
has out '"dofs": 3'
check "standard input" 0 bash -c "'$scree' convert - '$work/c.dat' <'$local'"
check "assembled" 0 "$scree" convert --assemble "$global" "$work/w.dat"
has out "local, 1 contacts"
awk '{ for (i = 1; i <= NF; ++i) t[++n] = $i } END { exit !(t[n - 3] == -1 && t[n - 1] == 0.5 && t[n] == 0.5) }' \
    "$work/w.dat" || fail "q = H' M^-1 f + w is (-1, 0, 0.5), mu 0.5"
check "forced local" 0 "$scree" convert --local "$local" "$work/c.dat"
check "forced global" 3 "$scree" convert --global "$local" "$work/to/c.dat"
has err "local.dat:1:"
alone
check "a local file is not global" 3 "$scree" convert --global "$work/a.hdf5" "$work/to/c.dat"
has err "a.hdf5::/fclib_local: error: this is not the global problem that was asked for"

# ---- wrong usage, wrong input
check "no files" 2 "$scree" convert
check "one file" 2 "$scree" convert "$local"
has err "1 files given, expected IN and OUT"
check "both kinds" 2 "$scree" convert --local --global "$local" "$work/to/x.dat"
check "unknown option" 2 "$scree" convert --asemble "$local" "$work/to/x.dat"
has err "did you mean '--assemble'?"
check "unknown extension" 2 "$scree" convert "$local" "$work/to/x.txt"
has err "expected .dat, .hdf5 or .h5"
check "absent" 3 "$scree" convert "$work/absent.dat" "$work/to/x.dat"
has err "absent.dat: error: cannot open the file"
printf '3 1 0 3 3\n3 3  2 0 0  0 1 0  0 0 1\n-1 zero 0.2  0.7\n' >"$work/wrong.dat"
check "a wrong word" 3 "$scree" convert "$work/wrong.dat" "$work/to/x.dat"
has err "wrong.dat:3:4: error: q is 'zero', expected a finite number"
head -c 600 "$work/a.hdf5" >"$work/cut.hdf5"
check "half an HDF5 file" 3 "$scree" convert "$work/cut.hdf5" "$work/to/x.dat"
has err "cut.hdf5::/: error:"
head -c 5000 /dev/urandom >"$work/noise.dat"
check "noise" 3 "$scree" convert "$work/noise.dat" "$work/to/x.dat"
printf '3 1 0 3 3  3 3  1 0 0  0 -1 0  0 0 1  0 3 3  3 3  1 0 0  0 1 0  0 0 1  -2 0 1  0 0 0  0.5\n' >"$work/mass.dat"
check "a negative mass" 3 "$scree" convert --assemble "$work/mass.dat" "$work/to/x.dat"
has err "M is not positive definite"
alone

# ---- the machine: the disk is full after 4 blocks
awk 'BEGIN { n = 200; print 3, n, 2, 3 * n, 3 * n, 1; print ""; print "triplet: " 3 * n "-by-" 3 * n ", nzmax: 0 nnz: 0"
             for (i = 0; i < 4 * n; ++i) print 0.5 }' >"$work/large.dat"
for to in x.dat x.hdf5; do
    check "a full disk, $to" 4 bash -c "ulimit -f 4; exec '$scree' convert '$work/large.dat' '$work/to/$to'"
    has err "cannot write the file: File too large"
    alone
    check "no such folder, $to" 4 "$scree" convert "$local" "$work/nowhere/$to"
done
check "a folder in the way" 4 bash -c "mkdir '$work/to/y.dat' && '$scree' convert '$local' '$work/to/y.dat'"
rmdir "$work/to/y.dat"
alone

# ---- the frames of a run: the bytes that the run itself writes
check "a run with all its files" 0 "$scree" run tests/scenes/run-mixed.yaml -o "$work/run" --until 0.2 --quiet
for format in vtp dump csv; do
    check "to $format" 0 "$scree" convert "$work/run" "$work/frames" --to $format
    has out "$work/frames: frames 0 to 4 as $format"
done
diff -r "$work/frames" "$work/run" 2>&1 | grep -v "^Only in" >"$work/out"
is_empty out
[ "$(find "$work/frames" -type f | wc -l)" -eq 29 ] || fail "three pvd files, 15 vtp, a dump, 10 tables"
check "some frames" 0 "$scree" convert "$work/run" "$work/some" --to csv --frames 1:2 --json
has out '"first": 1'
[ "$(ls "$work/some/bodies")" = "bodies_000001.csv
bodies_000002.csv" ] || fail "frames 1 and 2: $(ls "$work/some/bodies")"
for range in 5 2:1 x 1: 0:99; do
    check "--frames $range" 2 "$scree" convert "$work/run" "$work/some" --to csv --frames $range
    has err "--frames is '$range', expected FIRST:LAST within 0:4"
done
check "no such format" 2 "$scree" convert "$work/run" "$work/some" --to stl
check "a folder without --to" 2 "$scree" convert "$work/run" "$work/some"
has err "is a folder: --to vtp, dump or csv chooses"
check "no run" 3 "$scree" convert "$work/to" "$work/some" --to vtp
has err "$work/to: error: this is not the folder of a run"
head -c 1000 /dev/urandom >"$work/run/frames.scree"
check "noise as frames" 3 "$scree" convert "$work/run" "$work/some" --to vtp
has err "frames.scree: error: the record at byte 0 does not begin as a frame of scree does"
: >"$work/run/frames.scree"
check "no frames" 3 "$scree" convert "$work/run" "$work/some" --to vtp
has err "$work/run: error: the run has no frames"

finish
