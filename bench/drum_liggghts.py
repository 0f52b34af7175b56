#!/usr/bin/env python3
"""The drums of examples/papers/drum in LIGGGHTS, measured as `scree verify --papers drum` measures them.

  turning, standing   half of the drum of 69 mm: angles of the surface at the end wall and in the middle, and of the centre of mass
  flow                a slice of the drum of 120 mm: angle, and velocities along the surface at the depths of the published points
Barrel and end plate are meshes, which turn or stand. Needs Debian's liggghts; minutes of one core each. Random numbers are not scree's,
so beds differ; what is measured does not, but for its scatter.
"""
import argparse
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

SIDES = 64
PLACES, HIGHEST, REACH = 8, 5, 0.003  # as checks/papers_flow.c
INPUT = """atom_style granular
boundary {boundary}
newton off
communicate single vel yes
units si
read_data beads.data
neighbor {skin} bin
neigh_modify delay 0
fix m1 all property/global youngsModulus peratomtype 5e6 5e6 5e6
fix m2 all property/global poissonsRatio peratomtype {nu} {nu} {nu}
fix m3 all property/global coefficientRestitution peratomtypepair 3 {e} {ew} {e} {ew} {e} {e} {e} {e} {e}
fix m4 all property/global coefficientFriction peratomtypepair 3 {mu} {muw} 0 {muw} {mu} 0 0 0 0
fix m5 all property/global coefficientRollingFriction peratomtypepair 3 {rho} {rho} 0 {rho} {rho} 0 0 0 0
fix barrel all mesh/surface file barrel.stl type 2
{plate}
pair_style gran model hertz tangential history rolling_friction cdt
pair_coeff * *
fix w all wall/gran model hertz tangential history rolling_friction cdt mesh n_meshes {meshes}
{middle}
fix g all gravity 9.81 vector 0. 0. -1.
fix turn all move/mesh mesh barrel rotate origin 0. 0. 0. axis 0. -1. 0. period {period}
{turn_plate}
fix move all nve/sphere
timestep {step}
thermo 100000
dump d all custom {every} out.dump id x y z vx vy vz
run {steps}
"""
HALF = dict(radius=0.069, bead=0.00595, density=1768, count=(15, 12, 16), spacing=0.0063, jitter=1e-4,
            origin=(-0.0441, -0.0815, -0.04725), along=(-0.1025, 0.0), box=(-0.12, 0.02), boundary="f f f", skin=0.001,
            nu=0.37, e=0.9, ew=0.9, mu=0.3, muw=0.3, rho=0.02, period=2 * math.pi / 2.198, step=2e-5, until=3.0, since=1.0)
FLOW = dict(radius=0.12, bead=0.003, density=2500, count=(43, 5, 46), spacing=0.00315, jitter=5e-5,
            origin=(-0.06615, 0.001575, -0.095), along=(-0.002, 0.01775), box=(0, 0.01575), boundary="f p f", skin=0.0006,
            nu=0.24, e=0.97, ew=0.906, mu=0.3, muw=0.323, rho=0.1, period=2 * math.pi / 1.2147, step=3e-5, until=3.0, since=2.0)


def write_stl(path, quads):
    with open(path, "w", encoding="ascii") as f:
        f.write("solid s\n")
        for a, b, c, d in quads:
            for corners in ((a, b, c), (a, c, d)):
                f.write("facet normal 0 0 0\nouter loop\n")
                for corner in corners:
                    f.write("vertex %.9g %.9g %.9g\n" % corner)
                f.write("endloop\nendfacet\n")
        f.write("endsolid s\n")


def barrel(radius, low, high):
    """A polygon that has the circle inside, in pieces along the axis."""
    rim = [(radius / math.cos(math.pi / SIDES) * math.cos(2 * math.pi * k / SIDES),
            radius / math.cos(math.pi / SIDES) * math.sin(2 * math.pi * k / SIDES)) for k in range(SIDES + 1)]
    pieces = max(2, round((high - low) / 0.0125))
    y = [low + (high - low) * i / pieces for i in range(pieces + 1)]
    return [((a[0], y[i], a[1]), (b[0], y[i], b[1]), (b[0], y[i + 1], b[1]), (a[0], y[i + 1], a[1]))
            for a, b in zip(rim, rim[1:]) for i in range(pieces)]


def plate(y, half, n):
    g = [half * (2 * i / n - 1) for i in range(n + 1)]
    return [((g[i], y, g[j]), (g[i + 1], y, g[j]), (g[i + 1], y, g[j + 1]), (g[i], y, g[j + 1]))
            for i in range(n) for j in range(n)]


def write_beads(path, s, seed):
    rng = random.Random(seed)
    beads = [[s["origin"][i] + s["spacing"] * k + s["jitter"] * rng.uniform(-1, 1) for i, k in enumerate(at)]
             for at in ((i, j, k) for i in range(s["count"][0]) for j in range(s["count"][1]) for k in range(s["count"][2]))]
    wide = s["radius"] * 1.8  # the corners of the plate turn in it
    with open(path, "w", encoding="ascii") as f:
        f.write(f"beads\n\n{len(beads)} atoms\n3 atom types\n\n{-wide} {wide} xlo xhi\n{s['box'][0]} {s['box'][1]} ylo yhi\n"
                f"{-wide} {wide} zlo zhi\n\nAtoms\n\n")
        for k, (x, y, z) in enumerate(beads, 1):
            f.write(f"{k} 1 {s['bead']} {s['density']} {x:.9g} {y:.9g} {z:.9g}\n")


def prepare(folder, case, seed):
    s = FLOW if case == "flow" else HALF
    write_stl(os.path.join(folder, "barrel.stl"), barrel(s["radius"], *s["along"]))
    write_stl(os.path.join(folder, "plate.stl"), plate(-0.0925, 0.08, 8))
    write_beads(os.path.join(folder, "beads.data"), s, seed)
    half = case != "flow"
    words = dict(s, plate="fix plate all mesh/surface file plate.stl type 2" if half else "",
                 meshes="2 meshes barrel plate" if half else "1 meshes barrel",
                 middle="fix mid all wall/gran model hertz tangential history rolling_friction cdt primitive type 3 yplane -0.0037"
                 if half else "",
                 turn_plate=f"fix turn2 all move/mesh mesh plate rotate origin 0. 0. 0. axis 0. -1. 0. period {s['period']}"
                 if case == "turning" else "",
                 every=500 if half else 400, steps=round(s["until"] / s["step"]))
    with open(os.path.join(folder, "in.drum"), "w", encoding="ascii") as f:
        f.write(INPUT.format(**words))
    return s


def frames(path, step):
    with open(path, encoding="ascii") as f:
        while f.readline():
            time = int(f.readline()) * step
            f.readline()
            count = int(f.readline())
            for _ in range(5):
                f.readline()
            yield time, [[float(w) for w in f.readline().split()[1:]] for _ in range(count)]


def heights(beads, radius, low, high):
    """At eight places across the drum: mean height of the highest beads."""
    found = []
    for k in range(PLACES):
        x = radius * (k / (PLACES - 1) - 0.5)
        z = sorted(b[2] for b in beads if abs(b[0] - x) < REACH and low <= b[1] <= high)[-HIGHEST:]
        found.append(sum(z) / len(z) if z else 0.0)
    return found


def angle(samples, radius):
    x = [radius * (k / (PLACES - 1) - 0.5) for k in range(PLACES)]
    z = [sum(s[k] for s in samples) / len(samples) for k in range(PLACES)]
    z_mean = sum(z) / PLACES
    return math.degrees(math.atan(sum(a * (b - z_mean) for a, b in zip(x, z)) / sum(a * a for a in x)))


def published():
    """Depths and velocities as the check has them."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli", "papers_flow.c")
    with open(source, encoding="utf-8") as f:
        table = f.read().split("profile[DEPTHS][SOURCES] = {")[1].split("};")[0]
    return [tuple(map(float, row)) for row in re.findall(r"\{(-?[\d.]+), (-?[\d.]+), (-?[\d.]+)\}", table)]


def measure_half(path, s):
    end, middle, mass = [], [], []
    for time, beads in frames(path, s["step"]):
        if time <= s["since"]:
            continue
        end.append(heights(beads, s["radius"], -0.0925, -0.07))
        middle.append(heights(beads, s["radius"], -0.0262, -0.0037))
        mass.append(math.degrees(math.atan2(sum(b[0] for b in beads), -sum(b[2] for b in beads))))
    print(f"at the end {angle(end, s['radius']):.1f} deg, in the middle {angle(middle, s['radius']):.1f} deg, "
          f"centre of mass {sum(mass) / len(mass):.1f} deg")


def measure_flow(path, s):
    points, surface = published(), []
    c, d = math.cos(math.radians(27)), math.sin(math.radians(27))
    total, count = [0.0] * len(points), [0] * len(points)
    for time, beads in frames(path, s["step"]):
        if time <= s["since"]:
            continue
        surface.append(heights(beads, s["radius"], -math.inf, math.inf))
        for x, _, z, vx, _, vz in beads:
            along, depth = -c * x - d * z, -d * x + c * z
            if abs(along) >= REACH:
                continue
            for k, point in enumerate(points):
                if math.hypot(along, depth - point[0]) < REACH:
                    total[k] += -c * vx - d * vz
                    count[k] += 1
    print(f"angle {angle(surface, s['radius']):.1f} deg\ndepth [m], velocity [m/s], measured [m/s]")
    for (depth, measured, _), v, n in zip(points, total, count):
        print(f"{depth:.4f} {v / n if n else 0.0:.3f} {measured:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", choices=("turning", "standing", "flow"))
    parser.add_argument("--seed", type=int, default=2, help="of the beads' first places")
    parser.add_argument("--until", type=float, help="simulated seconds")
    parser.add_argument("--liggghts", default="liggghts", help="the program")
    options = parser.parse_args()
    if not shutil.which(options.liggghts):
        print("drum_liggghts.py: LIGGGHTS is not installed; nothing was compared", file=sys.stderr)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        s = HALF if options.case != "flow" else FLOW
        if options.until:
            s["until"], s["since"] = options.until, min(s["since"], options.until / 2)
        prepare(folder, options.case, options.seed)
        done = subprocess.run([options.liggghts, "-in", "in.drum", "-log", "none"], cwd=folder, capture_output=True,
                              encoding="utf-8", errors="replace", check=False)
        if done.returncode:
            print(done.stdout[-2000:] + done.stderr, file=sys.stderr)
            return 1
        (measure_flow if options.case == "flow" else measure_half)(os.path.join(folder, "out.dump"), s)
    return 0


if __name__ == "__main__":
    sys.exit(main())
