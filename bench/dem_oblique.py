#!/usr/bin/env python3
"""Oblique impacts on a wall in LAMMPS, LIGGGHTS and scree: the law of one spring and one slider, Hertz with Mindlin, in three programs.

    bench/dem_oblique.py [--scree build/release/bin/scree] [--lmp lmp] [--liggghts liggghts]

A sphere of aluminium oxide (radius 2.5 mm) meets soda-lime glass at 3.9 m/s, as in the experiment of Kharaz, Gorham and Salman (Powder
Technology 120, 2001), at twelve angles from the normal. Each line has e_t, the speed of the centre along the wall after the impact over that
before: measured (where it was: read off the figure by Lethe's example oblique-wall-impact), then the programs, without any damping (e = 1), and with
restitution 0.98 and each program's own damping along the wall. All have the same effective moduli, 4/3 E* sqrt(R d) d and 8 G* sqrt(R d), and the
same step, 5 ns. Needs Debian's lammps and liggghts; a program that is not there is left out.
"""
import argparse
import csv
import math
import os
import shutil
import subprocess
import sys
import tempfile

R, DENSITY, MU, SPEED, STEP, STEPS = 2.5e-3, 4000.0, 0.092, 3.9, 5e-9, 12000
E, NU = (380e9, 70e9), (0.23, 0.25)  # oxide, glass
E_STAR = 1 / sum((1 - n * n) / e for e, n in zip(E, NU))
G_STAR = 1 / sum(2 * (2 - n) * (1 + n) / e for e, n in zip(E, NU))
MEASURED = {1.84: 0.79344, 3.703: 0.74533, 9.496: 0.67257, 20.012: 0.59691, 30.127: 0.68756, 39.382: 0.77148, 49.694: 0.84761, 60.02: 0.90142}
ANGLES = sorted([*MEASURED, 5.297, 6.926, 12.183, 16.425])
GAP = 1e-9 * R


def starts():
    """(x, velocity) of a sphere at each angle, side by side."""
    for k, degrees in enumerate(ANGLES):
        a = math.radians(degrees)
        yield (0.0, 0.05 * k, R + GAP), (SPEED * math.sin(a), 0.0, -SPEED * math.cos(a))


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"bench/dem_oblique.py: {' '.join(command)} failed:\n{done.stdout[-1500:]}{done.stderr[-1500:]}")


def molecular(program, folder, before, after, digits):
    """An input file of LAMMPS' kind: e_t from its dump."""
    lines = ["units si", *before]
    for k, (x, v) in enumerate(starts(), 1):
        lines += [f"create_atoms 1 single {x[0]:.17g} {x[1]:.17g} {x[2]:.17g} units box", f"set atom {k} diameter {2 * R} density {DENSITY}",
                  f"group ball{k} id {k}", f"velocity ball{k} set {v[0]:.17g} {v[1]:.17g} {v[2]:.17g} units box"]
    lines += ["neighbor 0.001 bin", "neigh_modify delay 0", f"timestep {STEP}", *after, "fix move all nve/sphere", f"dump out all custom {STEPS} dump.txt id vx vy vz",
              f"dump_modify out sort id format {digits}", f"run {STEPS}"]
    with open(os.path.join(folder, "in.case"), "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")
    run([program, "-in", "in.case", "-log", "none"], folder)
    with open(os.path.join(folder, "dump.txt"), encoding="ascii") as f:
        rows = [line.split() for line in f][-len(ANGLES):]
    return ratios(float(row[1]) for row in rows)


def ratios(speeds):
    return [v / start[1][0] for v, start in zip(speeds, starts())]


BOX = ["region box block -0.1 0.1 -0.05 0.65 -0.01 0.1 units box"]


def lammps(program, folder, restitution):
    damping, share = (f"{restitution:.17g} damping tsuji", 1.0) if restitution < 1 else ("0.0 damping velocity", 0.0)
    law = f"hertz {4 / 3 * E_STAR:.17g} {damping} tangential mindlin {8 * G_STAR:.17g} {share} {MU}"
    return molecular(program, folder, ["atom_style sphere", "boundary f f f", "newton off", "comm_modify vel yes", *BOX, "create_box 1 box",
                                       "pair_style granular", f"pair_coeff * * {law}"], [f"fix wall all wall/gran granular {law} zplane 0 NULL"], 'float "%.17g"')


def liggghts(program, folder, restitution):
    each = lambda name, values: f"fix {name} all property/global {name} peratomtype {values[0]} {values[1]}"
    both = lambda name, value: f"fix {name} all property/global {name} peratomtypepair 2 " + " ".join([str(value)] * 4)
    law = "model hertz tangential history"
    return molecular(program, folder, ["atom_style granular", "boundary f f f", "newton off", "communicate single vel yes", *BOX, "create_box 2 box", "hard_particles yes",
                                       each("youngsModulus", E), each("poissonsRatio", NU), both("coefficientRestitution", restitution),
                                       both("coefficientFriction", MU), f"pair_style gran {law}", "pair_coeff * *"],
                     [f"fix wall all wall/gran {law} primitive type 2 zplane 0.0"], '"%d %.17g %.17g %.17g"')


def scree(program, folder, restitution, model):
    common = f"friction: {MU}, restitution: {restitution}"
    text = ("scree: 1\ngravity: 0\nmaterials:\n"
            f"  oxide: {{density: {DENSITY} kg/m^3, {common}, dem: {{model: {model}, young: {E[0]} Pa, poisson: {NU[0]}}}}}\n"
            f"  glass: {{{common}, dem: {{model: {model}, young: {E[1]} Pa, poisson: {NU[1]}}}}}\n"
            "bodies:\n  - {name: wall, material: glass, shape: {plane: {}}}\n")
    for k, (x, v) in enumerate(starts()):
        text += (f"  - {{name: ball{k}, material: oxide, shape: {{sphere: {{radius: {R} m}}}}, position: {[f'{c:.17g} m' for c in x]}, "
                 f"velocity: {[f'{c:.17g} m/s' for c in v]}}}\n").replace("'", "")
    text += f"stepper: {{scheme: dem, step: {STEP} s}}\nrun: {{until: {STEP * STEPS} s}}\noutput: {{every: {STEP * STEPS} s}}\n"
    path, out = os.path.join(folder, "scene.yaml"), os.path.join(folder, "out")
    with open(path, "w", encoding="ascii") as f:
        f.write(text)
    run([program, "run", path, "-o", out, "--force", "--quiet"], folder)
    run([program, "convert", out, out, "--to", "csv"], folder)
    last = sorted(os.listdir(os.path.join(out, "bodies")))[-1]
    with open(os.path.join(out, "bodies", last), encoding="ascii") as f:
        return ratios(float(row["v_x[m/s]"]) for row in csv.DictReader(f) if row["kind"] == "dynamic")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scree", default="build/release/bin/scree")
    parser.add_argument("--lmp", default=shutil.which("lmp"), help="path of LAMMPS")
    parser.add_argument("--liggghts", default=shutil.which("liggghts"), help="path of LIGGGHTS")
    options = parser.parse_args()
    columns = []
    with tempfile.TemporaryDirectory() as folder:
        for e in (1.0, 0.98):
            for name, program, found in (("LAMMPS", options.lmp, lammps), ("LIGGGHTS", options.liggghts, liggghts)):
                if program:
                    columns.append((f"{name}, e = {e:g}", found(program, folder, e)))
            for model in ("tracking", "sds"):
                columns.append((f"scree {model}, e = {e:g}", scree(os.path.abspath(options.scree), folder, e, model)))
    print("| angle | measured | " + " | ".join(name for name, _ in columns) + " |\n|" + "---|" * (len(columns) + 2))
    for k, angle in enumerate(ANGLES):
        print(f"| {angle:g} | {MEASURED.get(angle, '')} | " + " | ".join(f"{values[k]:.4f}" for _, values in columns) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
