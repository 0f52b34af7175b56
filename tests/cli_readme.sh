#!/usr/bin/env bash
# README.md shows what its commands print: each block "    $ scree ..." with the lines below it, as far as they are not of the clock.
#   tests/cli_readme.sh [PATH OF scree]     default: $SCREE_BIN
. "$(dirname "$0")/cli_lib.sh"
page=$PWD/README.md root=$PWD
mkdir "$work/here" && cd "$work/here" || exit 1
ln -s "$root/examples" examples
mkdir -p build/release/bin && ln -s "$scree" build/release/bin/scree
scree() { "$scree" "$@"; }
shown() { awk -v at="$1" 'NR == at { on = 1; next } on && !/^    [^$]/ && !/^$/ { exit } on { print }' "$page" | sed -E 's/^    //'; }
steady() { sed -E '/^(seconds|hash) /d; s/ +$//' "$1" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'; }
count=0
while IFS=: read -r line command; do
    eval "$command" >is 2>&1 || true # one of them shows a mistake
    cp is "$work/out" && : >"$work/err"
    shown "$line" >wanted
    steady is >a
    steady wanted >b
    cmp -s a b && echo "ok $command" || { fail "README shows something else for: $command"; diff b a; }
    count=$((count + 1))
done < <(grep -nE '^    \$ (scree|build/release/bin/scree) ' "$page" | sed -E 's/^([0-9]+):    \$ /\1:/')
[ "$count" -ge 6 ] || fail "only $count commands"
finish
