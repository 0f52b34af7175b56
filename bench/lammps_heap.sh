#!/usr/bin/env bash
# The heap of [TA] 6.3 by fix scree/rigid over ranks and by scree run: grains fall from a disk onto an open floor. The same number a second, from
# the same disk, at other places in it: so angles are to be compared with the scatter of scree run over seeds.
#   bench/lammps_heap.sh SCREE_LMP SCREE [GRAINS] ["RANKS.."] ["SEEDS.."] [RHO]        1500 "1 2" "1 2 3 4 5" 0.005
set -euo pipefail
lmp=$(realpath "${1:?usage: $0 SCREE_LMP SCREE [GRAINS] [RANKS] [SEEDS] [RHO]}") scree=$(realpath "$2")
grains=${3:-1500} ranks=${4:-1 2} seeds=${5:-1 2 3 4 5} rho=${6:-0.005}
tree=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
steps=$((grains / 4 + 425)) # four grains a step, then two seconds

# The scene of examples/papers/ta63 on an open floor.
for seed in $seeds; do
    "$scree" run "$tree/examples/papers/ta63/scene.yaml" -o scene-"$seed" -q --set "seed=$seed" --set "generators[0].pour.count=$grains" \
        --set "run.until=$((5 * steps)) ms" --set "output.every=$((5 * steps)) ms" --set "container.x=[-50, 50]" --set "container.y=[-50, 50]" \
        --set "materials.gravel.rolling=$rho m" --set "materials.gravel.spinning=$rho m" >log 2>&1 || [ $? = 1 ] || { tail -n 3 log >&2; exit 1; } # 1: steps that did not reach the tolerance in 50 sweeps
    "$scree" heap scene-"$seed" --json >heap.json
    printf 'scree run, seed %d: %s\n' "$seed" "$(grep -o '"flank_angle[^,]*\|"height[^,]*\|"cone_angle[^,]*' heap.json | tr '\n' ' ')"
done

# A grain of the stream: anywhere in the disk where those of the last steps, which fall at 2 m/s and more, leave room.
pour() { # SEED
    awk -v n="$grains" -v seed="$1" 'BEGIN { srand(seed); h = 0.005; g = 9.81
        for (step = 0; 4 * step < n; step++) {
            first = 4 * step + 1; last = first + 3 < n ? first + 3 : n
            for (k = first; k <= last; k++) {
                for (try = 0; try < 100000; try++) {
                    x = 0.4 * rand() - 0.2; y = 0.4 * rand() - 0.2; free = x * x + y * y <= 0.04
                    for (j = k - 1; j > k - 160 && j > 0 && free; j--) {
                        t = h * (step - at[j]); z = 2 * t + g * t * t / 2
                        free = (x - X[j]) ^ 2 + (y - Y[j]) ^ 2 + z ^ 2 > 0.046 ^ 2
                    }
                    if (free) break
                }
                X[k] = x; Y[k] = y; at[k] = step
                printf "create_atoms 1 single %.17g %.17g 1\n", x, y
            }
            printf "group new id %d:%d\nset group new diameter 0.045 density 2028\nvelocity new set 0 0 -2 units box\ngroup new delete\nrun 1\n", first, last
        } }'
}
for seed in $seeds; do
    pour "$seed" >stream
    for r in $ranks; do
        {
            printf 'units si\natom_style sphere\natom_modify map array\nboundary f f f\nnewton on\ncomm_modify vel yes\nprocessors * * 1\nregion b block -4 4 -4 4 -0.1 1.2\ncreate_box 1 b\n'
            printf 'pair_style zero 0.15\npair_coeff * *\nneighbor 0.02 bin\nneigh_modify delay 0 every 1 check yes\nfix g all gravity 9.81 vector 0 0 -1\n'
            printf 'fix r all scree/rigid friction 0.6 rolling %s spinning %s tolerance 1e-4 iterations 50 plane 0 0 0 0 0 1\ntimestep 0.005\n' "$rho" "$rho"
            printf 'thermo_style custom step atoms f_r[2] f_r[3] f_r[4] f_r[9] f_r[10]\nthermo_modify lost error\nthermo 100000\n'
            cat stream
            printf 'run %d upto\nwrite_dump all custom dump id type radius mass x y z vx vy vz omegax omegay omegaz modify sort id format float %%.17g\n' "$steps"
        } >in
        mpirun --oversubscribe -np "$r" "$lmp" -log none -screen out -in in >err 2>&1 || { tail -qn 3 out err >&2; exit 1; }
        rm -rf seen
        "$scree" import dump --step "5 ms" -o seen >log
        "$scree" heap seen --json >heap.json
        printf '%d ranks, seed %d: %s drift %s\n' "$r" "$seed" "$(grep -o '"flank_angle[^,]*\|"height[^,]*\|"cone_angle[^,]*' heap.json | tr '\n' ' ')" \
            "$(grep -B1 '^Loop time' out | grep -v -e '^Loop' -e '^--' | tail -1 | awk '{ print $5 ", steps short of the tolerance " $7 }')"
    done
done
