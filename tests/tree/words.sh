#!/usr/bin/env bash
# Words that read as translated, or that have one meaning too many, stay out of what users read: pages, the manual, comments and texts
# of the public headers, help and messages of the command and of scene files, and the report page. Code, names and comments inside
# functions are not looked at. A line of the table below: a Perl regular expression, then what to write instead.
#   tests/tree/words.sh [FILE...]      without FILE: this tree, after sentences with each of the words have been found
set -euo pipefail
cd "$(dirname "$0")/../.."

words() {
    cat <<'TABLE'
\bloads?\b(?! (a|an|the|nothing|them|it|in|by)\b|[\[(/])	contact force, reaction, impulse; applied force
\b(a|the|each|per|every) touch\b	contact point
\btakes? part\b	is active
\b(?<!linkage )mechanisms?\b(?! moves| of (bodies|links|rods)| touch)	kind of friction (a linkage may be a mechanism)
\banew\b	again, recomputed
\b(go|goes|going|went|gone) on\b	continue, resume
\b(says|is said|are said)\b	defines, reports, explains
\bwhere there is none\b	if absent
\bof (its|their) own\b	separate, its own
\bjudge[sd]?\b	check
\b(an|the|rough|good|best|any|this) answers?\b	solution, result
\b(the least(?! squares)|least of|least and mean)\b	minimum, smallest
\b(turned (by|about|freely)|(is|are|not) turned|turns? about|of turning|turning (spring|motor))\b	rotate, rotational
\b(a|the|its) courses?\b(?! of)	time function
\b(the bed's|bed engine|made into a bed)\b	sphere engine
\b(roster|handover|misfit|outgrown)\b	body set, transfer, unsupported, no longer supported
\b(came|come|comes) round\b	wrapped
\bsettles? (it|what|the)\b	decide, finalise
\bfigures? (below|above|depends?|is|are|was|were)\b	value
\bways? (of the|along the|over the|to rest|in [0-9]|less what)	displacement, path, distance
(?<!lever )\b(?-i:arms?)\b	lever arm; rolling length
\b(memories|with memory|contact memory|memory of (a|the) contacts?)\b	contact history
\brims?\b	cone boundary, limit; edge
\b(coefficients?|rolling|spinning) (at rest|of rest|in motion)\b	static, kinetic
\bto the (last )?bit\b	bit for bit, exactly
\b(fell|falls?|ends?) short\b	did not converge
\bnobody\b	none
\bstands? (in|for)\b	is in, means, replaces
\b(asks?|asked|wants?|wanted)\b	requires, requests, is to find
\b((a|the|this|equal|these) shares?|that share of)\b	fraction, part
\bin place of\b	instead of
\b(random places|places (tried|of|it tries)|no place for)\b	positions, cannot hold
\b(press(es)? (with|against|them)|presses)\b	pushes, exerts
(?<!\[)(?<!### )(?<!oscillation or )\bservos?\b	pressure control; position motor
\bcrowds?\b	grain with many contacts
\b(lots of|a lot|some tens|some hundreds?|some thousand)\b	a number, or the noun
TABLE
}

# What of a file is looked at, line by line, the rest blanked: of a page what is neither code nor in backticks nor a link's address; of C
# in include/ comments and texts, elsewhere texts of two words or more; of the report what stands in texts and between tags.
looked_at() {
    case $1 in
    *.md)
        awk '/^ *(```|~~~)/ { fenced = !fenced; print ""; blank = 0; next }
             { code = fenced || (blank && /^    /); blank = /^[ \t]*$/ || (blank && /^    /); print code ? "" : $0 }' "$1" |
            sed -E 's/`[^`]*`/`/g; s/\]\([^)]*\)/]/g' ;;
    *.1) sed -E 's/^\.(It|Fl|Va|Nm|Sx|Dl|Cm).*//' "$1" ;;
    include/*) perl -0777 -pe 's{(/\*.*?\*/|//[^\n]*)|("(?:[^"\\\n]|\\.)*")|([^\n])}{defined $3 ? " " : defined $2 ? $2 : $1}gse' "$1" |
        sed -E 's/`[^`]*`//g; s/[A-Za-z]*_[A-Za-z_]*//g; s/->[a-z]+|\.[a-z]+//g' ;;
    *) perl -pe 'if (/^\s*(#include|import)/) { $_ = "\n" } else { $_ = join(" ", grep { / / } /("(?:[^"\\]|\\.)*"|>[^<>{}=]+<\/)/g) . "\n" }' "$1" |
        sed -E 's/`[^`]*`//g; s/[A-Za-z]*_[A-Za-z_]*//g' ;;
    esac
}

# Prints every banned word in the given files with what to write instead; status 1 if there is one.
check() {
    local file expression instead found=0
    for file; do
        looked_at "$file" >"$work/text"
        grep -qiP "$all" "$work/text" || continue
        while IFS=$'\t' read -r expression instead; do
            while IFS=: read -r line hit; do
                echo "$file:$line: \"$hit\": $instead"
                found=1
            done < <(grep -noiP "$expression" "$work/text")
        done < <(words)
    done
    return $found
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
all=$(words | cut -f1 | paste -sd '|')
if [ $# -gt 0 ]; then
    check "$@"
    exit
fi

# The test itself: a page with a sentence for each line of the table, and one with none.
cat >"$work/bad.md" <<'PAGE'
The load of a contact. Each touch counts. It takes part. Two mechanisms. Made anew. It goes on. It says so. Or 0 where there is none. A page
of its own. It is judged. A rough answer. The least of three. It turns about z. A course. The bed's lists. A roster. It came round. They
settle it. The figures below. The way to rest. Two arms. Contacts with memory. On the rim. Coefficients at rest. The same to the bit. It
fell short. So nobody did. It stands for x. It asks for y. A share of z. In place of w. Random places. It presses. A servo. A crowd. Some tens.
PAGE
cat >"$work/good.md" <<'PAGE'
The `load` of a contact point, of one lever arm each.

    scree run --set motion.servo.force=1
PAGE
count=$(words | wc -l)
check "$work/bad.md" >"$work/found" && { echo "words: the test itself is wrong: the bad page passes" >&2; exit 1; }
[ "$(sed 's/.*": //' "$work/found" | sort -u | wc -l)" -eq "$count" ] || {
    echo "words: the test itself is wrong: it finds $(sed 's/.*": //' "$work/found" | sort -u | wc -l) of $count words" >&2
    cat "$work/found" >&2
    exit 1
}
check "$work/good.md" || { echo "words: the test itself is wrong: the good page fails" >&2; exit 1; }

mapfile -t files < <(find README.md CONTRIBUTING.md SECURITY.md bench/README.md .github docs include/scree cli checks bench src/scene report -type f \
    \( -name '*.md' -o -name '*.1' -o -name '*.[ch]' -o -name '*.html' -o -name '*.js' \) | LC_ALL=C sort)
[ ${#files[@]} -gt 150 ] || { echo "words: only ${#files[@]} files" >&2; exit 1; }
check "${files[@]}"
echo "words: ${#files[@]} files, $count words"
