#!/usr/bin/env bash
# The laws are one source for host and device: nvcc compiles their headers in a kernel. Skipped (77) where there is no nvcc.
set -euo pipefail
cd "$(dirname "$0")/.."
nvcc=$(command -v nvcc || true)
[ -n "$nvcc" ] || { echo "cuda_laws: skipped, nvcc is not on the path"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat > "$scratch/laws.cu" <<'END'
#include "laws/cone.h"
#include "laws/maps.h"
#include "laws/reduction.h"
#include "laws/sphere.h"

__global__ void project_all(int n, scree_cone cone, const double *x, double *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) cone_project(&cone, x + 6 * i, p + 6 * i);
}

__global__ void map_all(int n, scree_cone cone, double step, const double *p, const double *y, double *F, double *A, double *B)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    map_natural(&cone, SCREE_COULOMB, step, p + 6 * i, y + 6 * i, F + 6 * i, A + 36 * i, B + 36 * i);
    map_alart_curnier(&cone, SCREE_CONVEX, step, p + 6 * i, y + 6 * i, F + 6 * i, A + 36 * i, B + 36 * i);
}

__global__ void solve_all(int n, const scree_contact *contacts, double *r, int *modes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    contact_form f;
    sphere_form sphere;
    friction_part part = {};
    form_build(&contacts[i], &f);
    int evaluations = 0, round = sphere_detect(&f, 1e-15, &sphere);
    r[i] = 1.0 / psi_root(&f, contacts[i].law, 0.0, 1.0, 0.5, 0, &part, &evaluations);
    modes[i] = round ? mode_make(1, 0, 0) : evaluations;
}
END
# -fmad=false: no contraction, as on the host (cmake/flags.cmake)
"$nvcc" -std=c++17 -fmad=false -Iinclude -Isrc -c "$scratch/laws.cu" -o "$scratch/laws.o" > "$scratch/log" 2>&1 \
    || { cat "$scratch/log" >&2; echo "cuda_laws: nvcc does not compile the laws" >&2; exit 1; }
echo "cuda_laws: compiled by $("$nvcc" --version | sed -n 's/.*\(release [0-9.]*\).*/\1/p')"
