# Completion of `scree` in bash: commands, their options, and the values of those that have names. Everything is asked of the
# program itself, so that a command or an option that scree gains is completed too. Other words are file names.
#   source cli/completion.bash     or installed: share/bash-completion/completions/scree

# The commands, from `scree --help`; the options of one, from `scree COMMAND --help`.
_scree_commands() { "$1" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'; }
_scree_options() { "$@" --help | sed -n 's/^  \(--\{0,1\}[a-z][a-z-]*\).*/\1/p'; }

_scree() {
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=
    local command=("$program" "${COMP_WORDS[1]}")
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="$(_scree_commands "$program") --help --version"
    else
        if [ "${COMP_WORDS[1]}" = bench ] && [ "$COMP_CWORD" -gt 2 ]; then command+=("${COMP_WORDS[2]}"); fi
        case "${COMP_WORDS[1]} $before" in
        "help help") words=$(_scree_commands "$program") ;;
        "bench bench") words=$("$program" bench | sed -n 's/^  scree bench \([a-z]*\).*/\1/p') ;;
        *" --solver") words=$("$program" solvers | sed -n '2,/^$/s/^\([a-z_]*\) .*/\1/p') ;;
        *" --law") words="coulomb convex" ;;
        *" --method") words=$("$program" help contact | sed -n '/--method/,/--tol/p' | grep -o '[a-z]*_[a-z_]*\|exact') ;;
        "verify "*) words="$(_scree_options "${command[@]}") $("$program" verify --list | sed 's/ .*//')" ;;
        *) words=$(_scree_options "${command[@]}") ;;
        esac
    fi
    # shellcheck disable=SC2207
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _scree scree
