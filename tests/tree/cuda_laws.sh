#!/usr/bin/env bash
# The laws are one source for host and device: nvcc compiles their headers in a kernel, and math/lanes.h with one lane, contacts of spheres
# (solvers/spheres) among them. Skipped (77) where there is no nvcc.
set -euo pipefail
cd "$(dirname "$0")/../.."
nvcc=$(command -v nvcc || true)
[ -n "$nvcc" ] || { echo "cuda_laws: skipped, nvcc is not on the path"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat > "$scratch/laws.cu" <<'END'
#include "laws/cone.h"
#include "laws/dem_friction.h"
#include "laws/dem_step.h"
#include "laws/dem_frame_spheres.h"
#include "laws/dem_normal.h"
#include "laws/forcing.h"
#include "laws/maps.h"
#include "laws/reduction.h"
#include "laws/sphere.h"

#define LANES_WIDTH 1
#include "math/lanes.h"
#include "solvers/spheres/spheres_contact.h"

__global__ void lanes_all(int n, const double *x, double *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    lanes a[3], b[3], c[3];
    for (int k = 0; k < 3; ++k) a[k] = get(x + 6 * i + k), b[k] = get(x + 6 * i + 3 + k);
    cross3(a, b, c), add_cross3(b, c, a), transpose(c, b);
    mask m = but_not(either(greater(a[0], b[0]), of_bits(2u)), both(greater(a[1], b[1]), greater(a[2], b[2])));
    lanes least = smaller(nearest(a[0]), size_of(b[0])), most = larger(root(power_of(a[1])), nmsub(a[0], a[1], a[2]));
    put(out + i, choose(m, only(m, least), without(m, most)) + dot3(a, b) + all((double)bits_of(m)));
}

__global__ void project_all(int n, scree_cone cone, const double *x, double *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) cone_project(&cone, x + 6 * i, p + 6 * i);
}

__global__ void map_all(int n, scree_cone cone, double step, const double *p, const double *y, double *F, double *A, double *B)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    map_natural(&cone, SCREE_LAW_COULOMB, step, p + 6 * i, y + 6 * i, F + 6 * i, A + 36 * i, B + 36 * i);
    map_alart_curnier(&cone, SCREE_LAW_CONVEX, step, p + 6 * i, y + 6 * i, F + 6 * i, A + 36 * i, B + 36 * i);
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

__global__ void dem_all(int n, dem_normal law, dem_friction_def def, const dem_partners *at, const double *depth, const double *b,
                        dem_frame *frames, dem_history *histories, dem_sds sds, double *memory, double *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    dem_spring springs[DEM_SPRINGS];
    dem_track track;
    dem_loads loads;
    dem_side side = {};
    double N = dem_normal_force(&law, at[i].mass, depth[i], 0.0), kappa[2], *o = out + 12 * i;
    dem_friction_springs(&def, &at[i], N, springs);
    const sphere_step step = {frames[i].n, frames[i].n, b + 6 * i, b + 6 * i + 3, 1.0, 1.0, nullptr, nullptr};
    unsigned south = 0;
    tangent_lanes tangents;
    double growth[DEM_SPRINGS][2], angle[2];
    sphere_growth(&step, 1e-3, &south, 1, &tangents, growth, angle);
    turn_pair(angle[0], angle[1], growth[DEM_SLIDE]);
    of_tangents(frames[i].n, &tangents, growth[DEM_SLIDE][0], growth[DEM_SLIDE][1], o);
    dem_frame_advance(&frames[i], frames[i].n, &side, &side, &frames[i], &track);
    dem_losses lost[DEM_SPRINGS];
    dem_friction_step(springs, &at[i], &track, 1e-4, &histories[i], &loads, lost);
    o[9] = lost[DEM_SLIDE].slider;
    dem_loads_world(&frames[i], N, &loads, b + 6 * i, b + 6 * i + 3, o, o + 3, o + 6);
    o[10] = dem_sds_twist(&sds, o[9], 1e-4, memory + 4 * i, lost + DEM_SPIN) + dem_ellipsoid_principal(o, frames[i].n, kappa, o + 3);
    dem_sds_vector(&sds, frames[i].n, b + 6 * i, 1e-4, memory + 4 * i + 1, o);
    o[11] = dem_damping_ratio(0.5, 0) + dem_critical_step(1.0, 1.0, 0.0);
}

__global__ void force_all(int n, double h, const forcing_load *load, const forcing_motion *motion, double *x, double *q, double *v, double *felt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double time = 0.0, velocity[6], point[3], axes[9];
    if (i >= n) return;
    for (int64_t step = 0; step < 100; ++step) {
        forcing_load_at(&load[i], time, felt + 6 * i);
        forcing_velocity(&motion[i], v + 3 * i, time, h, velocity);
        forcing_move(velocity, h, x + 3 * i, q + 4 * i);
        forcing_plane(x + 3 * i, q + 4 * i, velocity, q, point, axes);
        if (forcing_load_sound(felt + 6 * i)) forcing_servo_respond(&motion[i].servo, felt + 6 * i, v + 3 * i);
        time = forcing_time_after(time, step, h);
    }
    forcing_pose(&motion[i], point, q + 4 * i, time, x + 3 * i, axes);
}
END
# -fmad=false: no contraction, as on the host (cmake/flags.cmake)
"$nvcc" -std=c++17 -fmad=false -Iinclude -Isrc -c "$scratch/laws.cu" -o "$scratch/laws.o" > "$scratch/log" 2>&1 \
    || { cat "$scratch/log" >&2; echo "cuda_laws: nvcc does not compile the laws" >&2; exit 1; }
echo "cuda_laws: compiled by $("$nvcc" --version | sed -n 's/.*\(release [0-9.]*\).*/\1/p')"
