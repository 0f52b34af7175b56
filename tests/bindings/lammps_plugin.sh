#!/usr/bin/env bash
# screeplugin.so in a LAMMPS that has none of scree's styles: all of them are registered, and a bed of an exported scene and a rigid ball have
# the bits of scree-lmp. It shows no symbol but the one that LAMMPS asks for.
#   tests/bindings/lammps_plugin.sh SCREE_LMP PLUGIN HOST        the command `scree` is SCREE_BIN. Exit status 77: there is no mpirun
set -euo pipefail
plugin=$(realpath "${2:?usage: $0 SCREE_LMP PLUGIN HOST}") host=$(realpath "$3")
. "$(dirname "$0")/lib.sh"
needs_mpirun
[ "$(nm -D --defined-only "$plugin" | awk '$2 == "T" { print $3 }')" = lammpsplugin_init ] || fail "it shows other symbols: $(nm -D --defined-only "$plugin" | head)"
"$scree" export lammps "$tree/examples/soft-bed.yaml" -o bed --set "generators.grain.lattice.count=[5, 5, 5]" --set "run.until=3 ms" \
    --set "output.every=3 ms" --set "materials.glass.dem.stiffness=2 kN/m" >log
"$scree" export lammps "$tree/examples/ball.yaml" -o ball --set "run.until=50 ms" --set "output.every=50 ms" >log
for scene in bed ball; do
    cp -r $scene $scene-plugin
    (cd $scene && mpirun -np 2 "$lmp" -in in.lammps -screen none) >log 2>&1 || fail "$scene: $(cat log)"
    (cd $scene-plugin && mpirun -np 2 "$host" "$plugin" -in in.lammps -screen none) >log 2>&1 || fail "$scene with the plugin: $(cat log)"
    cmp $scene/dump.lammpstrj $scene-plugin/dump.lammpstrj || fail "$scene: the plugin has other bits than scree-lmp"
done
for style in "pair scree" "fix scree/history" "fix scree/nve" "fix scree/wall" "fix scree/rigid"; do
    grep -q "^plugin: $style, contacts of scree" log || fail "'$style' was not registered: $(cat log)"
done
(cd bed && mpirun -np 1 "$host" /dev/null -in in.lammps -screen none) >log 2>&1 && fail "a plugin that is none is loaded"
echo "lammps_plugin: the bits of scree-lmp"
