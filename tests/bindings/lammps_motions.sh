#!/usr/bin/env bash
# Motions of spheres in LAMMPS with scree's styles and in `scree run`: contacts of one sphere with a plane in every mode, to 1e-12; to 1e-9 a ball
# that slides, then rolls; one up an incline; one that spins; one on top of two others; a plane that swings. Both models, Hooke and Hertz.
#   tests/bindings/lammps_motions.sh SCREE_LMP         the command `scree` is SCREE_BIN
set -euo pipefail
. "$(dirname "$0")/lib.sh"

# NAME MODEL UNTIL GRAVITY_X GRAVITY_Z PLANE_OF_THE_SCENE MOTION_OF_THE_PLANE BALL...: a ball is radius:x:y:z:vx:vy:vz:wx:wy:wz.
# The keys of the material (MATERIAL, DEM) are the same in both.
compare() {
    local name=$1 model=$2 until=$3 gx=$4 gz=$5 plane=$6 motion=$7 ball bodies="" atoms="" sets="" r x y z vx vy vz wx wy wz
    shift 7
    local k=0 coeff
    for ball; do
        k=$((k + 1))
        IFS=: read -r r x y z vx vy vz wx wy wz <<<"$ball"
        bodies+="  - {name: ball$k, shape: {sphere: {radius: $r}}, position: [$x, $y, $z], velocity: [$vx, $vy, $vz], spin: [$wx, $wy, $wz]}
"
        atoms+="create_atoms 1 single $x $y $z
set atom $k diameter $(awk -v r="$r" 'BEGIN { printf "%.17g", 2 * r }') density 1500 omega $wx $wy $wz
"
        sets+="group g$k id $k
velocity g$k set $vx $vy $vz sum no units box
"
    done
    printf 'scree: 1\ngravity: [%s, 0, %s]\nmaterials:\n  m: {density: 1500, %s, dem: {%s%s}}\nbodies:\n  - {name: floor, shape: {plane: {}}%s}\n%sstepper: {scheme: dem, step: 0.05 ms}\nrun: {until: %s}\noutput: {every: %s}\n' \
        "$gx" "$gz" "$MATERIAL" "$DEM" "$([ "$model" = sds ] && echo ", model: sds")" "$plane" "$bodies" "$until" "$until" >"$name.yaml"
    coeff=$(sed 's/rolling: 2 mm/rolling 0.002/; s/spinning: 1 mm/spinning 0.001/; s/[:,]//g' <<<"$MATERIAL $DEM")
    {
        printf 'units si\natom_style sphere\nboundary f f f\ncomm_modify vel yes\nregion b block -3 3 -3 3 -1 3\ncreate_box 1 b\n'
        printf '%s%spair_style scree %s\npair_coeff 1 1 %s\nfix w all scree/wall plane 1 0 0 0 0 0 1 %s\n' "$atoms" "$sets" "$model" "$coeff" "$motion"
        awk -v x="$gx" -v z="$gz" 'BEGIN { printf "fix g all gravity %.17g vector %s 0 %s\n", sqrt(x * x + z * z), x, z }'
        printf 'fix m all scree/nve\ntimestep 0.00005\nneighbor 0.02 bin\nneigh_modify delay 0 every 1 check yes\nrun %s\n' \
            "$(awk -v t="$until" 'BEGIN { printf "%d", t / 0.00005 + 0.5 }')"
        printf 'write_dump all custom %s.out id x y z vx vy vz omegax omegay omegaz modify sort id format float %%.17g\n' "$name"
    } >"$name.in"
    "$scree" run "$name.yaml" -o "$name" -q >log 2>&1 || { cat log >&2; fail "$name: scree run ended with an error"; }
    "$lmp" -log none -screen "$name.log" -in "$name.in" >log 2>&1 || { tail -3 "$name.log" >&2; fail "$name: scree-lmp ended with an error"; }
    numbers "$name" >a
    sed '1,/ITEM: ATOMS/d' "$name.out" | cut -d' ' -f2- >b
    [ "$(wc -l <a)" = $k ] && [ "$(wc -l <b)" = $k ] || fail "$name: not $k balls"
    paste -d' ' a b | awk -v name="$name" -v bound="${BOUND:-1e-9}" '{ for (i = 1; i <= 9; i++) { d = $i - $(i + 9); if (d < 0) d = -d; if (d > worst) worst = d } }
        END { printf "%-22s largest difference %.1e\n", name, worst; exit !(worst < bound) }' || fail "$name differs: $(paste a b)"
}

MATERIAL="friction: 0.3, friction_static: 0.35, restitution: 0.5, rolling: 2 mm, spinning: 1 mm"
DEM="stiffness: 1e6, slide_stiffness: 2e5"
balls="0.1:-0.085:0:0.09999:0:0:0:0:0:0 0.1:0.085:0.001:0.09999:0:0:0:0:0:0 0.08:0.005:0:0.246:0.1:0:-0.2:0:1:2"
# one contact each, in every mode: pressed and at rest, falling onto the floor, sliding, rolling, spinning, all of it at once
modes="0.1:-2:0:0.0999:0:0:0:0:0:0 0.1:-1:0:0.1001:0:0:-0.5:0:0:0 0.1:0:0:0.09999:2:0:0:0:0:0 0.1:1:0:0.09999:0.5:0:0:0:5:0 0.1:2:0:0.09999:0:0:0:0:0:9 0.08:0:2:0.0799:1:-0.4:-0.1:3:1:-6"
# shellcheck disable=SC2086
BOUND=1e-12 compare one fn 0.001 0 -9.8 "" "" $modes
compare roll fn 0.4 0 -9.8 "" "" 0.1:0:0:0.09999:1:0.2:0:0:0:0
compare incline fn 0.4 -3 -9 "" "" 0.1:0:0:0.09999:0.5:0:0:0:0:0
compare spin fn 0.4 0 -9.8 "" "" 0.1:0:0:0.09999:0:0:0:0.1:0:2
# shellcheck disable=SC2086
compare three fn 0.4 0 -9.8 "" "" $balls
compare swing fn 0.3 0 -9.8 ", kind: driven, motion: {oscillation: {amplitude: [2 mm, 0, 3 mm], frequency: 12}}" "swing 0.002 0 0.003 12 0" 0.1:0:0:0.102:0.4:0:0:0:0:1
MATERIAL="friction: 0.3, restitution: 0.4, rolling: 2 mm, spinning: 1 mm"
DEM="stiffness: 1e6, slide_stiffness: 2e5, sds_stiffness: 2e5, spin_stiffness: 300"
# shellcheck disable=SC2086
BOUND=1e-12 compare sds-one sds 0.001 0 -9.8 "" "" $modes
compare sds-roll sds 0.4 0 -9.8 "" "" 0.1:0:0:0.09999:1:0.2:0:0:0:1
# shellcheck disable=SC2086
compare sds-three sds 0.4 0 -9.8 "" "" $balls
MATERIAL="friction: 0.3, restitution: 0.4, rolling: 2 mm, spinning: 1 mm"
DEM="young: 1e7, poisson: 0.3, slide_stiffness: 1e5"
# shellcheck disable=SC2086
BOUND=1e-12 compare hertz-one fn 0.001 0 -9.8 "" "" $modes
# shellcheck disable=SC2086
compare hertz-three fn 0.4 0 -9.8 "" "" $balls

# ---- scree export: a scene as scree-lmp has it, and scree run; and what it refuses
cd "$tree"
set=(--set "generators.grain.lattice.count=[5, 5, 5]" --set "run.until=15 ms" --set "output.every=15 ms" --set "materials.glass.dem.stiffness=2 kN/m")
"$scree" export lammps examples/soft-bed.yaml -o "$work/bed" "${set[@]}" >"$work/log"
"$scree" run examples/soft-bed.yaml -o "$work/run" -q "${set[@]}" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "the bed: scree run ended with an error"; }
"$scree" convert "$work/run" "$work/run" --to bodies >"$work/log"
(cd "$work/bed" && "$lmp" -log none -screen log -in in.lammps) >"$work/log" 2>&1 || { tail -3 "$work/bed/log" >&2; fail "the bed: scree-lmp ended with an error"; }
grep ',dynamic,' "$work/run/bodies/bodies_000001.csv" | awk -F, '{ print $6, $11, $12, $13, $14, $15, $16 }' >"$work/a"
tail -n 125 "$work/bed/dump.lammpstrj" | awk '{ print $6, $7, $8, $9, $10, $11, $12 }' >"$work/b"
# grains of 1 mm: their spins, in rad/s, as speeds of their surfaces
paste -d' ' "$work/a" "$work/b" | awk '{ for (i = 1; i <= 7; i++) { d = $i - $(i + 7); if (d < 0) d = -d; if (i > 4) d *= 1e-3; if (d > worst) worst = d }; if ($5 != 0) turns++ }
    END { printf "%-22s largest difference %.1e\n", "exported bed", worst; exit !(NR == 125 && turns > 20 && worst < 1e-9) }' || fail "the exported bed differs"
refused() { # SCENE TEXT
    local code=0
    "$scree" export lammps "$1" -o "$work/refused" >"$work/log" 2>&1 || code=$?
    [ $code = 3 ] && grep -q -- "$2" "$work/log" || fail "$1 is not refused with '$2': $code $(cat "$work/log")"
}
refused examples/shaker.yaml "the scheme moreau_jean"
refused examples/compression.yaml "a periodic cell that changes its size"
