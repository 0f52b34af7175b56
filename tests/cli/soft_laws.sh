#!/usr/bin/env bash
# Soft contacts under laws that the engine for spheres has, and under others, which the stages for any shape step (constant force, constant
# torque, several laws in one world): `scree check` and `scree run` accept and refuse alike, word for word, whoever takes the steps.
set -u
. "$(dirname "$0")/lib.sh"

# scene DEM_OF_A DEM_OF_B PAIR STEP: twelve balls of two materials close above a floor
scene() {
    printf 'scree: 1\nmaterials:\n'
    printf '  a: {density: 2000 kg/m^3, friction: 0.5, restitution: 0.5, dem: {%s}}\n' "$1"
    printf '  b: {density: 2000 kg/m^3, friction: 0.5, restitution: 0.5, dem: {%s}}\n' "$2"
    [ -z "$3" ] || printf 'pairs:\n  - {between: [a, b], dem: {%s}}\n' "$3"
    printf 'bodies:\n  - {name: floor, material: a, shape: {plane: {}}}\n'
    for k in 0 1 2 3 4 5 6 7 8 9 10 11; do
        [ $((k % 2)) = 0 ] && m=a || m=b
        printf '  - {name: ball%d, material: %s, shape: {sphere: {radius: 10 mm}}, position: [%d mm, %d mm, %s mm]}\n' "$k" $m \
            $((21 * (k % 2))) $((21 * (k / 2 % 2))) "$((10 + 20 * (k / 4))).5"
    done
    printf 'stepper: {scheme: dem, step: %s}\nrun: {until: 40 ms}\noutput: {every: 40 ms}\n' "$4"
}

# alike NAME STATUS STEP DEM_OF_A DEM_OF_B [PAIR]
alike() {
    scene "$4" "$5" "${6:-}" "$3" >"$work/scene.yaml"
    check "$1, $3: check" "$2" "$scree" check "$work/scene.yaml"
    cp "$work/err" "$work/checked"
    check "$1, $3: run" "$2" "$scree" run "$work/scene.yaml" -o "$work/out.d" --force --quiet
    [ "$2" = 0 ] || cmp -s "$work/checked" "$work/err" || fail "$1: run and check give different reasons"
}

hooke='normal: hooke, stiffness: 1e4 N/m, slide_stiffness: 3e3 N/m'
hertz='normal: hertz, young: 1e7 Pa, poisson: 0.3, slide_stiffness: 3e3 N/m'
sds="$hooke, model: sds"
for step in '50 us' '2 ms'; do
    [ "$step" = '2 ms' ] && status=3 || status=0
    alike 'one law' $status "$step" "$hooke" "$hooke"
    alike 'Hooke beside Hertz' $status "$step" "$hooke" "$hertz" 'normal: hooke, stiffness: 1e4 N/m'
    alike 'sds beside tracking' $status "$step" "$hooke, model: tracking" "$sds" 'model: tracking'
    alike 'constant torque' $status "$step" "$hooke, model: constant_torque" "$hooke, model: constant_torque"
    alike 'constant force' $status "$step" 'normal: constant, load: 1 N, slide_stiffness: 3e3 N/m' \
        'normal: constant, load: 1 N, slide_stiffness: 3e3 N/m'
    alike 'laws without a common one' 3 "$step" "$hooke" "$hertz"
    has err "a contact of 'a' and 'b' needs one word for normal"
    alike 'no stiffness of sliding' 3 "$step" 'stiffness: 1e4 N/m' 'stiffness: 1e4 N/m'
    has err "a contact of 'a' and 'a' needs dem.slide_stiffness"
done
finish
