#!/usr/bin/env bash
# The help texts, the manual page, the completion and the options that the program takes say the same.
#   tests/cli/help.sh [PATH OF scree]     default: $SCREE_BIN
set -u
. "$(dirname "$0")/lib.sh"
: >"$work/out"
: >"$work/err"
man=docs/man/scree.1
. cli/completion.bash
# completed WORD...: what completion offers for the last word
completed() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _scree
    printf '%s\n' "${COMPREPLY[@]}"
}
# in_manual WORD KIND: "Fl -json" or "Cm solve" is there
in_manual() { grep -qE -- "(^\.(It |Op )?|[( ])$2 ${1//-/\\-}( |$|,)" "$man"; }

mapfile -t commands < <("$scree" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ ${#commands[@]} -gt 8 ] || fail "only ${#commands[@]} commands are listed"
[ "$(completed "$scree" "" | grep -v '^-' | sort)" = "$(printf '%s\n' "${commands[@]}" | sort)" ] || fail "completion of the commands"
benches=$("$scree" bench | sed -n 's/^  scree bench \([a-z]*\).*/bench \1/p')
: >"$work/all"
while IFS= read -r command; do
    # shellcheck disable=SC2086
    "$scree" $command --help >"$work/help" || fail "$command --help"
    cat "$work/help" >>"$work/all"
    head -n 1 "$work/help" | grep -q "^usage: scree $command" || fail "the help of $command starts with its usage"
    grep -q '^example' "$work/help" || fail "the help of $command has an example"
    [ "$(awk '{ if (length > widest) widest = length } END { print widest }' "$work/help")" -le 132 ] || fail "the help of $command is too wide"
    in_manual "$command" Cm || grep -qxF ".Ql scree $command" "$man" || fail "$man does not name the command $command"
    # shellcheck disable=SC2086
    completed "$scree" $command - >"$work/offered"
    for option in $(sed -n 's/^  \(--\{0,1\}[a-z][a-z-]*\).*/\1/p' "$work/help" | sort -u); do
        grep -qxF -- "$option" "$work/offered" || fail "completion of $command lacks $option"
        [ "$option" = --help ] || in_manual "${option#-}" Fl || fail "$man does not name $option of $command"
    done
done <<<"$(printf '%s\n' "${commands[@]}" "$benches")"

# What the program takes, the help names: options as they stand in the tables of cli/*.c.
for option in $(grep -ohE '\{"--?[a-z-]+", CLI_' cli/*.c | sed 's/{"\(.*\)".*/\1/' | sort -u); do
    grep -qE -- "(^|[ [(|'])$option([] =|,)']|$)" "$work/all" || fail "$option is taken, but no help names it"
done

completed "$scree" solve x.dat --solver "ns" | grep -qx nsgs || fail "completion of --solver"
completed "$scree" contact x.yaml --method "quartic_a" | grep -qx quartic_alpha || fail "completion of --method"
completed "$scree" bench "la" | grep -qx laws || fail "completion of bench"
completed "$scree" verify "sphere" | grep -q sphere || fail "completion of verify"

if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$man" >"$work/out" 2>&1 || fail "mandoc finds fault with $man"
fi
finish
