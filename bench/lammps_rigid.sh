#!/usr/bin/env bash
# Sweeps of fix scree/rigid over ranks: the first step of a pile at rest, from nothing, to 1e-4 and 1e-6. Medians over orders of contacts (skins of
# the neighbour list), growth against one rank; the problem of the last order is certified by the library. The pile is that of scree generate, in
# which supports touch to rounding: `reach` leaves out spheres that nearly touch, which would have the pile settle.
#   bench/lammps_rigid.sh SCREE_LMP SCREE GRAINS "RANKS.." [ORDERS] ["TOLERANCES.."] [GRID]          GRID of ranks as LAMMPS has it: * * *
# The time of a sweep, from the fastest order but the last, in which the problem is written, means something where there are no more ranks than
# cores and nothing else runs. GRID "* * 1": columns of ranks.
set -euo pipefail
lmp=$(realpath "${1:?usage: $0 SCREE_LMP SCREE GRAINS RANKS [ORDERS] [TOLERANCES]}") scree=$(realpath "$2")
grains=$3 ranks=$4 orders=${5:-5} tolerances=${6:-1e-4 1e-6} grid=${7:-* * *}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
"$scree" generate pile pile.data --grains "$grains"
printf '%9s%7s%10s  %-34s%8s%8s%12s  %s\n' tolerance ranks contacts "sweeps" median growth "ms a sweep" "certified residual"
for tolerance in $tolerances; do
    first=""
    for r in $ranks; do
        sweeps="" contacts=0 least=""
        for ((k = 1; k <= orders; k++)); do
            printf 'units lj\natom_style sphere\natom_modify map array\nboundary p p f\nnewton on\ncomm_modify vel yes\nprocessors %s\nread_data pile.data\npair_style zero 1.05\npair_coeff * *\nneighbor %s bin\nneigh_modify delay 0 every 1 check yes\nfix g all gravity 1 vector 0 0 -1\nfix r all scree/rigid friction 0.5 rolling 0.05 spinning 0.05 recovery 1e-9 reach 1e-8 minimum 0 tolerance %s iterations 20000 plane 0 0 0 0 0 1%s\ntimestep 0.01\nthermo_style custom step f_r[3] f_r[1] f_r[2] f_r[4]\nthermo_modify format float %%.12g\nthermo 1\nrun 1\n' "$grid" "0.$k" "$tolerance" "$([ "$k" -lt "$orders" ] || echo ' export out 1')" >in
            mpirun --oversubscribe -np "$r" "$lmp" -log none -screen out -in in >err 2>&1 || { tail -qn 3 out err >&2; exit 1; }
            read -r contacts n <<<"$(grep -B1 '^Loop time' out | head -1 | awk '{ print $2, $3 }')"
            sweeps+="$n "
            [ "$k" = "$orders" ] || least=$(awk -v n="$n" -v least="${least:-1e9}" '/^Loop time/ { t = 1e3 * $4 / n; printf "%.3g", t < least ? t : least }' out)
        done
        median=$(tr ' ' '\n' <<<"$sweeps" | grep . | sort -n | awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }')
        [ -n "$first" ] || first=$median
        certified=$("$scree" solve out.1.hdf5 --warm out.1.txt --certify --tol "$tolerance" --json 2>/dev/null | grep -o '"residual": *[0-9.e+-]*' | head -1 | grep -o '[0-9.e+-]*$' || true)
        printf '%9s%7d%10d  %-34s%8s%8.2f%12s  %s\n' "$tolerance" "$r" "$contacts" "$sweeps" "$median" "$(awk -v a="$median" -v b="$first" 'BEGIN { print a / b }')" "${least:--}" "$certified"
    done
done
