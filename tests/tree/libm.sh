#!/usr/bin/env bash
# No function of the C library that IEEE 754 leaves to the library's taste is called in src/: sin, exp, pow, ... differ in their last bit
# from one C library to the next, and so would results. src/math/elementary.h has their like; fmin and fmax are number_min and
# number_max (src/math/scalar.h). What is exact everywhere may be called: sqrt, fabs, floor, ceil, nearbyint, fma, ldexp, frexp, ...
#   tests/tree/libm.sh [ROOT]        without ROOT: this tree, after texts with a call each have been found guilty
set -euo pipefail

names='a?(sin|cos|tan)h?|atan2|sincos|exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|cbrt|hypot|erfc?|[tl]gamma|fmin|fmax|j[01n]|y[01n]'

# FILE NAME of the calls that are allowed: erfc decides whether a scene is refused, and nothing else.
exempt='
src/scene/scene_check_generators.c erfc
'

# Prints every call in the sources of the tree $1, comments and strings taken out.
check() {
    (cd "$1" && find src -type f \( -name '*.c' -o -name '*.h' -o -name '*.cu' \) | LC_ALL=C sort | xargs -r perl -0777 -e '
        my ($names, $exempt) = splice @ARGV, 0, 2;
        my %exempt = map { $_ => 1 } grep { length } split /\n/, $exempt;
        my $bad = 0;
        for my $file (@ARGV) {
            open my $in, "<", $file or die "$file: $!";
            my $text = <$in>;
            $text =~ s{(/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*")}{ (my $kept = $1) =~ s/[^\n]//g; $kept }gse;
            my $line = 0;
            for (split /\n/, $text) {
                ++$line;
                while (/(?<![\w.>])(($names)[fl]?)\s*\(/g) {
                    next if $exempt{"$file $1"};
                    print "$file:$line: $1 of the C library: see src/math/elementary.h\n";
                    $bad = 1;
                }
            }
        }
        printf "libm: %d files\n", scalar @ARGV;
        exit $bad' "$names" "$exempt")
}

# A file with the text $1 must be $2.
trial() {
    local tree verdict=fine
    tree=$(mktemp -d)
    mkdir -p "$tree/src/world"
    printf '%s\n' "$1" >"$tree/src/world/a.c"
    check "$tree" >/dev/null || verdict=guilty
    rm -rf "$tree"
    [ "$verdict" = "$2" ] || { echo "libm: the test itself is wrong: '$1' is $verdict, should be $2" >&2; exit 1; }
}

cd "$(dirname "$0")/../.."
if [ $# -gt 0 ]; then
    check "$1"
    exit
fi
trial 'x = sin(y);' guilty
trial 'x = 2.0*powf (y, 3);' guilty
trial 'x = asinh(y) + fmaxl(y, z);' guilty
trial 'x = real_sin(y) + number_max(y, z);' fine
trial '/* sin(y) */ x = sqrt(y); // exp(y)' fine
trial 'put("amplitude sin(2 pi f t)"); y = /* not
 here */ cos(x);' guilty
trial 'x = law->exp(y) + table.log(y) + floor(y) + fma(x, y, z);' fine
check .
