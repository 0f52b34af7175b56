#!/usr/bin/env bash
# Sweeps as docs/cluster.md has them: the command for Slurm, not submitted, makes cases that can be run. By the tools of others: the commands of its
# section "Without Slurm" and its Snakefile, with four cases in place of a hundred, give the index of `scree sweep` itself; a case that is
# missing is run again, those that are there are not.
#   tests/cli/plans.sh       exit status 77: there is neither GNU parallel nor snakemake (Debian: parallel, snakemake)
set -euo pipefail
cd "$(dirname "$0")/../.."
tree=$PWD
bin=$(dirname "$(realpath "${SCREE_BIN:?SCREE_BIN is not set}")")
export PATH="$bin:$PATH"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "plans: $*" >&2; exit 1; }
cd "$work"
sed 's/^run: .*/run: {until: 0.2 s}/; s/count: 300/count: 20/' "$tree/examples/pile.yaml" >pile.yaml
section=$(sed -n '/^### Without Slurm/,/^## /p' "$tree/docs/cluster.md" | sed -n 's/^    //p')
commands=$(grep -e '^scree ' -e '^parallel ' <<<"$section" | sed 's/1:100:100/1:4:4/; s/-j 16/-j 2/')
[ "$(wc -l <<<"$commands")" = 3 ] || fail "the page has other commands: $commands"
scree sweep pile.yaml --vary seed=1:4:4 -o local --quiet

# the command of the section on Slurm, with two values in place of fifty, and not submitted: its cases can be run
submitted=$(sed -n '/^## Sweeps with Slurm/,/^    scree sweep --collect/p' "$tree/docs/cluster.md" | sed -n '/^    scree sweep pile/,/[^\\]$/s/^ *//p' |
    sed 's/:50/:2/; s/--seeds 20/--seeds 1/; s/--submit//; s/-o heaps/-o array/')
bash -e -c "$submitted" >log 2>&1 || fail "the page's array: $(cat log)"
for k in $(cat array/slurm/cases.txt); do scree sweep --quiet --case "$k" -o array 2>log || fail "the page's array: $(cat log)"; done
scree sweep --collect array >log 2>&1 || fail "the page's array: $(cat log)"
grep -q 'cases  *2: finished 2, failed 0' log || fail "the page's array has not two cases: $(cat log)"
done_by=""

if parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
    mkdir by-parallel && cp pile.yaml by-parallel
    (cd by-parallel && bash -e -c "$commands") >log 2>&1 </dev/null || fail "GNU parallel: $(cat log)"
    cmp local/index.csv by-parallel/heaps/index.csv || fail "GNU parallel gives another index"
    rm by-parallel/heaps/rows/case_000002.csv
    (cd by-parallel && bash -e -c "$commands") >log 2>&1 </dev/null || fail "GNU parallel, again: $(cat log)"
    [ "$(wc -l <by-parallel/plan)" = 1 ] || fail "the plan of what is missing has not one line: $(cat by-parallel/plan)"
    cmp local/index.csv by-parallel/heaps/index.csv || fail "GNU parallel, again, gives another index"
    done_by="GNU parallel"
fi
if command -v snakemake >/dev/null; then
    mkdir by-snakemake && cp pile.yaml by-snakemake
    sed -n '/^cases = /,$p' <<<"$section" | sed 's/range(100)/range(4)/' >by-snakemake/Snakefile
    cd by-snakemake
    bash -e -c "$(head -1 <<<"$commands")" >../log 2>&1
    snakemake --cores 2 >../log 2>&1 </dev/null || fail "snakemake: $(cat ../log)"
    cmp ../local/index.csv heaps/index.csv || fail "snakemake gives another index"
    rm heaps/rows/case_000002.csv heaps/index.csv
    snakemake --cores 2 >../log 2>&1 </dev/null || fail "snakemake, again: $(cat ../log)"
    [ "$(grep -c '^rule case' ../log)" = 1 ] || fail "snakemake runs other than the missing case again: $(cat ../log)"
    cmp ../local/index.csv heaps/index.csv || fail "snakemake, again, gives another index"
    cd ..
    done_by+="${done_by:+, }snakemake"
fi
[ -n "$done_by" ] || { echo "plans: skipped, there is neither GNU parallel nor snakemake"; exit 77; }
echo "plans: $done_by: the index of scree sweep"
