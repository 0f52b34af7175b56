#!/usr/bin/env bash
# README.md and docs/contact-problems.md show what their commands print: each block "    $ scree ..." with the lines below it, except the
# times. The other commands of README.md ("    scree ...") run without an error in an empty folder, in their order.
#   tests/cli/readme.sh [PATH OF scree]     default: $SCREE_BIN
. "$(dirname "$0")/lib.sh"
root=$PWD
mkdir "$work/here" && cd "$work/here" || exit 1
ln -s "$root/examples" examples
scree() { "$scree" "$@"; }
shown() { awk -v at="$1" 'NR == at { on = 1; next } on && !/^    [^$]/ && !/^$/ { exit } on { print }' "$page" | sed -E 's/^    //'; }
steady() { sed -E '/^seconds /d; s/ +$//' "$1" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'; }
count=0
for page in "$root/README.md" "$root/docs/contact-problems.md"; do
    while IFS=: read -r line command; do
        eval "$command" >is 2>&1 || true # one of them shows a mistake
        cp is "$work/out" && : >"$work/err"
        shown "$line" >wanted
        steady is >a
        steady wanted >b
        cmp -s a b && echo "ok $command" || { fail "$(basename "$page") shows something else for: $command"; diff b a; }
        count=$((count + 1))
    done < <(grep -nE '^    \$ scree ' "$page" | sed -E 's/^([0-9]+):    \$ /\1:/')
done
[ "$count" -ge 6 ] || fail "only $count commands"

others=0
while IFS= read -r command; do
    check "$command" 0 eval "$command"
    others=$((others + 1))
done < <(sed -nE 's/^    (scree [a-z].*[^ ]) *#.*/\1/p; s/^    (scree run [^#]*)$/\1/p' "$root/README.md")
[ "$others" -ge 5 ] || fail "only $others commands without output"
awk '/^```/ { on = !on && $0 == "```yaml"; next } on' "$root/README.md" >scene.yaml
check "the scene as README shows it" 0 scree run scene.yaml -o out/scene
hash_of() { sed -n 's/^ *"hash": "\(.*\)".*/\1/p' "out/$1/summary.json"; }
[ -n "$(hash_of ball)" ] && [ "$(hash_of ball)" = "$(hash_of scene)" ] || fail "README shows another scene than examples/ball.yaml"
[ "$(wc -w <"$root/README.md")" -le 900 ] || fail "README.md has $(wc -w <"$root/README.md") words, at most 900 are read"
finish
