#!/usr/bin/env bash
# What is made of the tables of options: the help texts, the lists in the manual page, completion for three shells. The manual page and the
# scripts of completion are files of the repository: with SCREE_UPDATE_DOCS=1 they are written again, else they must be as they are made.
#   tests/cli/help.sh [PATH OF scree]     default: $SCREE_BIN
set -u
. "$(dirname "$0")/lib.sh"
: >"$work/out"
: >"$work/err"
man=docs/man/scree.1

# same NAME FILE MADE: the file of the repository is what is made today
same() {
    if [ -n "${SCREE_UPDATE_DOCS:-}" ]; then cp "$3" "$2"; fi
    if cmp -s "$2" "$3"; then echo "ok $1"; else
        diff "$2" "$3" | head -n 20
        fail "$1: $2 is out of date: run this test with SCREE_UPDATE_DOCS=1"
    fi
}

# ---- help texts
mapfile -t commands < <("$scree" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ ${#commands[@]} -gt 8 ] || fail "only ${#commands[@]} commands are listed"
benches=$("$scree" bench | sed -n 's/^  scree bench \([a-z]*\).*/bench \1/p')
while IFS= read -r command; do
    # shellcheck disable=SC2086
    "$scree" $command --help >"$work/help" || fail "$command --help"
    head -n 1 "$work/help" | grep -q "^usage: scree $command" || fail "the help of $command starts with its usage"
    grep -q '^example' "$work/help" || fail "the help of $command has an example"
    grep -q '^  --help  *this text$' "$work/help" || fail "the help of $command lists its options"
    awk 'length > 132 { wide = 1 } END { exit wide }' "$work/help" || fail "the help of $command is too wide"
done <<<"$(printf '%s\n' "${commands[@]}" "$benches")"
"$scree" run --help | grep -q '^  --until T  *simulated time to stop at \[s\], ' || fail "the unit of --until"
check "a format of help that there is not" 2 "$scree" run --help=tex
check "a number with its unit" 0 "$scree" run examples/ball.yaml --until "20 ms" -o "$work/ball" --quiet
grep -q '"time": 0.02' "$work/ball/summary.json" || fail "--until '20 ms' is 0.02 s"
check "a number with the unit of something else" 2 "$scree" run examples/ball.yaml --until "20 mm" -o "$work/none"
has err "--until is '20 mm', expected a number above 0 [s]"

# ---- the manual page: what stands between two marks is made
"$scree" help --manual >"$work/made" || fail "scree help --manual"
awk '
    function name_of(line) { sub(/^[^:]*: /, "", line); return line }
    /^\.\\" made: end$/ { inside = 0; if (NR != FNR) print; next }
    /^\.\\" made: / {
        name = name_of($0); inside = 1; seen[name] += NR != FNR
        if (NR != FNR) printf "%s\n%s", $0, text[name]
        next
    }
    NR == FNR { if (inside) text[name] = text[name] $0 "\n"; next }
    !inside { print }
    END { for (name in text) if (seen[name] != 1) { print "made: " name " stands " seen[name] + 0 " times" >"/dev/stderr"; bad = 1 } exit bad }
' "$work/made" "$man" >"$work/page" 2>"$work/err" || fail "$man has a place for every list of options"
same "the manual page" "$man" "$work/page"
if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$man" >"$work/out" 2>&1 || fail "mandoc finds fault with $man"
else
    echo "mandoc was not found: $man is not checked by it"
fi
if command -v groff >/dev/null; then
    groff -mdoc -Tascii -P-cbou "$man" >"$work/out" 2>"$work/err" || fail "groff formats $man"
    grep -q -- "--problems" "$work/out" || fail "the formatted page names options"
fi

# ---- completion
check "completion of an unknown shell" 2 "$scree" help --completion csh
has err "--completion is 'csh', expected bash, zsh or fish"
for shell in bash zsh fish; do
    "$scree" help --completion $shell >"$work/$shell" || fail "scree help --completion $shell"
    same "completion in $shell" "cli/completion/scree.$shell" "$work/$shell"
    if command -v $shell >/dev/null; then
        $shell -n "$work/$shell" 2>"$work/err" || fail "$shell reads its completion"
    else
        echo "$shell was not found: its completion is not run"
    fi
done
. "$work/bash"
# completed WORD...: what completion offers for the last word
completed() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _scree
    printf '%s\n' "${COMPREPLY[@]}"
}
# offers EXPECTED WORD...: the word is among what is offered
offers() {
    local expected=$1
    shift
    completed "$@" | grep -qxF -- "$expected" || fail "completion of '$*' offers $expected"
}
[ "$(completed scree "" | grep -v '^-' | sort)" = "$(printf '%s\n' "${commands[@]}" | sort)" ] || fail "completion of the commands"
offers --until scree run --un
offers -o scree run -
offers nsgs scree solve x.dat --solver ns
offers convex scree solve x.dat --law ""
offers quartic_alpha scree contact x.yaml --method quartic_a
offers full scree sweep x.yaml --keep f
offers laws scree bench la
offers --settle scree bench pile --s
offers sphere-rolls/distance scree verify sphere-rolls/
offers contact scree help con
[ -z "$(completed scree run --until "")" ] || fail "a number is not completed by options"

# zsh and fish themselves: what they offer for a line. zsh completes in a terminal only, which zpty gives it.
mkdir "$work/zsh_functions"
cp "$work/zsh" "$work/zsh_functions/_scree"
cat >"$work/ask.zsh" <<'EOF'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; fpath=($1 \$fpath); autoload -U compinit; compinit -D -u; bindkey '^I' list-choices; print -r -- REA''DY"
zpty -r -m z said '*READY*'
zpty -w -n z "$2"$'\t'
shown= part=
for wait in {1..200}; do
    while zpty -r -t z part; do shown+=$part; done
    [[ $shown == *"$3"* ]] && exit 0
    sleep 0.1
done
print -r -- "$shown"
exit 1
EOF
# in_SHELL LINE EXPECTED
in_zsh() { timeout 60 zsh -f "$work/ask.zsh" "$work/zsh_functions" "$@" >"$work/out" 2>"$work/err"; }
in_fish() {
    HOME=$work timeout 60 fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$work/fish" "$1" >"$work/out" 2>"$work/err"
    grep -q -- "$2" "$work/out"
}
for shell in zsh fish; do
    command -v $shell >/dev/null || continue
    if [ $shell = zsh ] && ! zsh -fc 'zmodload zsh/zpty && zpty z true' 2>/dev/null; then
        echo "completion in zsh is left out: this machine has no pseudo terminals"
        continue
    fi
    while read -r expected line; do
        "in_$shell" "$line" "$expected" </dev/null || fail "completion of '$line' in $shell offers $expected"
        [ ! -s "$work/err" ] || fail "completion of '$line' in $shell makes no error"
    done <<'EOF'
draw scree pic
--until scree run --un
nsgs scree solve x.dat --solver ns
--settle scree bench pile --s
EOF
done
finish
