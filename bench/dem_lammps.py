#!/usr/bin/env python3
"""Four motions in LAMMPS (granular, rolling sds, twisting sds) and in scree (its own model, and sds), with the same parameters.

  roll     a ball rolls to rest on a floor: how far
  incline  a ball on slopes of 2 degrees (rests) and 10 degrees (rolls): its speed after a second
  spin     a ball spins down on a floor: the angle it has turned through
  stack    two balls with a gap of 0.3 R and one on top: the mass at which it comes down, by bisection

Coefficients at rest and in motion are the same. scree's own model has springs of the same stiffness and dashpots of the same strength; where
they are at rest its dashpots are not cut, LAMMPS' are, so that a motion loses a little more at its start. Needs Debian's lammps.
"""
import argparse
import csv
import math
import os
import shutil
import subprocess
import sys
import tempfile

G, MU = 9.81, 0.5
K_N, K_T = 1e6, 1e5
RHO, SIGMA = 0.05, 0.025  # over R: bounds of the rolling and spinning moment over the load
STACK = {"mu": 0.25, "rho": 0.08}  # beyond mu = 0.32 three balls stand by sliding friction alone


def springs(radius, mass, mu=MU, rho=RHO):
    """Of a ball on a plane: rolling spring and dashpot as moments, twisting likewise; normal dashpot."""
    inertia = 0.4 * mass * radius**2
    roll = 2 * rho * radius * K_T * radius / mu
    twist = SIGMA * radius * K_T * radius / mu
    return {"mu": mu, "rho": rho, "gamma": 0.1 * math.sqrt(mass * K_N), "roll": roll, "roll_damping": 0.2 * math.sqrt(inertia * roll),
            "twist": twist, "twist_damping": 0.2 * math.sqrt(inertia * twist)}


def lammps_force(radius, s):
    return (f"hooke {K_N:.17g} {s['gamma']:.17g} damping velocity tangential linear_history {K_T:.17g} 1.0 {s['mu']} "
            f"rolling sds {s['roll'] / radius**2:.17g} {s['roll_damping'] / radius**2:.17g} {s['rho']} "
            f"twisting sds {s['twist']:.17g} {s['twist_damping']:.17g} {SIGMA * radius:.17g}")


def run_lammps(program, folder, gravity, balls, radius, s, step, seconds):
    """balls: (mass, position, velocity, spin). Returns for each (position, velocity, spin, way turned about z)."""
    lines = ["units si", "atom_style sphere", "boundary f f f", "newton off", "comm_modify vel yes",
             "region box block -20 20 -20 20 -1 20", "create_box 1 box", "pair_style granular",
             f"pair_coeff * * {lammps_force(radius, s)}"]
    for k, (mass, x, v, w) in enumerate(balls, 1):
        density = mass / (4 / 3 * math.pi * radius**3)
        lines += [f"create_atoms 1 single {x[0]:.17g} {x[1]:.17g} {x[2]:.17g}",
                  f"set atom {k} diameter {2 * radius:.17g} density {density:.17g}",
                  f"set atom {k} omega {w[0]:.17g} {w[1]:.17g} {w[2]:.17g}",
                  f"group ball{k} id {k}", f"velocity ball{k} set {v[0]:.17g} {v[1]:.17g} {v[2]:.17g}"]
    size = math.sqrt(sum(g * g for g in gravity))
    lines += [f"timestep {step:.17g}", "neighbor 0.05 bin", "neigh_modify delay 0 every 1 check yes", "fix move all nve/sphere",
              f"fix fall all gravity {size:.17g} vector {gravity[0]:.17g} {gravity[1]:.17g} {gravity[2]:.17g}",
              f"fix floor all wall/gran granular {lammps_force(radius, s)} zplane 0 NULL",
              "dump out all custom 100 dump.txt id x y z vx vy vz omegax omegay omegaz",
              'dump_modify out sort id format float "%.17g"', f"run {round(seconds / step)}"]
    with open(os.path.join(folder, "in.case"), "w") as f:
        f.write("\n".join(lines) + "\n")
    done = subprocess.run([program, "-in", "in.case", "-log", "none"], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{program} failed:\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
    turned, last = [0.0] * len(balls), None
    with open(os.path.join(folder, "dump.txt")) as f:
        rows = [line.split() for line in f]
    for k, row in enumerate(rows):
        if row[:2] == ["ITEM:", "ATOMS"]:
            last = [[float(x) for x in r] for r in rows[k + 1:k + 1 + len(balls)]]
            for b, r in enumerate(last):
                turned[b] += 100 * step * r[9]
    return [(r[1:4], r[4:7], r[7:10], turned[b]) for b, r in enumerate(last)]


def pair(a, b, ratio, radius, s, model):
    """ratio: of the normal dashpot to critical damping. Rolling and spinning moments of two balls are half of those on a plane."""
    ground = "ground" in (a, b)
    share = 1.0 if ground else 0.5
    return (f"  - {{between: [{a}, {b}], friction: {s['mu']}, rolling: {share * s['rho'] * radius:.17g} m, spinning: {SIGMA * radius:.17g} m,\n"
            f"     dem: {{model: {model}, normal: hooke, pulls: true, stiffness: {K_N:.17g}, damping: {ratio:.17g}, "
            f"slide_stiffness: {K_T:.17g}, slide_damping: {s['gamma']:.17g},\n"
            f"           roll_stiffness: {s['roll'] * share**2:.17g}, roll_damping: {s['roll_damping'] * share**2:.17g}, "
            f"spin_stiffness: {s['twist']:.17g}, spin_damping: {s['twist_damping']:.17g},\n"
            f"           sds_stiffness: {s['roll'] / radius**2:.17g}, sds_damping: {s['roll_damping'] / radius**2:.17g}}}}}\n")


def run_scree(program, folder, gravity, balls, radius, s, step, seconds, model):
    names = [f"ball{k}" for k in range(len(balls))]
    text = "scree: 1\ngravity: [{:.17g}, {:.17g}, {:.17g}]\nmaterials:\n  ground: {{}}\n".format(*gravity)
    text += "".join(f"  {name}: {{}}\n" for name in names) + "pairs:\n"
    for k, name in enumerate(names):
        text += pair("ground", name, s["gamma"] / (2 * math.sqrt(balls[k][0] * K_N)), radius, s, model)
        for l in range(k):
            mass = 1 / (1 / balls[k][0] + 1 / balls[l][0])
            text += pair(names[l], name, s["gamma"] / (2 * math.sqrt(mass * K_N)), radius, s, model)
    text += "bodies:\n  - {name: floor, material: ground, shape: {plane: {}}}\n"
    for name, (mass, x, v, w) in zip(names, balls):
        text += (f"  - {{name: {name}, material: {name}, shape: {{sphere: {{radius: {radius:.17g}}}}}, mass: {mass:.17g},\n"
                 f"     position: {list(x)}, velocity: {list(v)}, spin: {list(w)}}}\n")
    text += f"stepper: {{scheme: dem, step: {step:.17g}}}\nrun: {{until: {seconds:.17g}}}\noutput: {{every: {100 * step:.17g}}}\n"
    scene, out = os.path.join(folder, "scene.yaml"), os.path.join(folder, "out")
    with open(scene, "w") as f:
        f.write(text)
    for command in ([program, "run", scene, "-o", out, "--force", "--quiet"], [program, "convert", out, out, "--to", "csv"]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)} failed:\n{done.stderr[-1500:]}")
    turned, last = [0.0] * len(balls), None
    for name in sorted(os.listdir(os.path.join(out, "bodies"))):
        with open(os.path.join(out, "bodies", name)) as f:
            last = [r for r in csv.DictReader(f) if r["kind"] == "dynamic"]
        for b, r in enumerate(last):
            turned[b] += 100 * step * float(r["omega_z[rad/s]"])
    number = lambda r, keys: [float(r[k]) for k in keys]
    return [(number(r, ("x[m]", "y[m]", "z[m]")), number(r, ("v_x[m/s]", "v_y[m/s]", "v_z[m/s]")),
             number(r, ("omega_x[rad/s]", "omega_y[rad/s]", "omega_z[rad/s]")), turned[b]) for b, r in enumerate(last)]


def three(mass, gap=0.3, radius=0.15):
    half = (1 + gap / 2) * radius
    top = radius + math.sqrt(4 * radius**2 - half**2)
    zero = (0.0, 0.0, 0.0)
    return [(1.0, (-half, 0.0, radius), zero, zero), (1.0, (half, 0.0, radius), zero, zero), (mass, (0.0, 0.0, top), zero, zero)]


def critical_mass(run, steps):
    low, high = math.log(0.02), math.log(200.0)
    s = springs(0.15, 1.0, **STACK)
    for _ in range(steps):
        middle = 0.5 * (low + high)
        end = run((0.0, 0.0, -G), three(math.exp(middle)), 0.15, s, 2e-5, 0.8)
        fallen = end[2][0][2] < 0.3
        low, high = (low, middle) if fallen else (middle, high)
    return math.exp(0.5 * (low + high))


def motions(run, bisections):
    """The five figures of a program."""
    radius, mass = 0.2, 5.0
    s, zero = springs(radius, mass), (0.0, 0.0, 0.0)
    start = (0.0, 0.0, radius - mass * G / K_N)

    def one(gravity, velocity, spin, seconds):
        return run(gravity, [(mass, start, velocity, spin)], radius, s, 1e-4, seconds)[0]

    level = (0.0, 0.0, -G)
    lean = lambda degrees: (G * math.sin(math.radians(degrees)), 0.0, -G * math.cos(math.radians(degrees)))
    return [one(level, (1.0, 0.0, 0.0), (0.0, 5.0, 0.0), 4.0)[0][0], one(lean(2), zero, zero, 1.0)[1][0],
            one(lean(10), zero, zero, 1.0)[1][0], one(level, zero, (0.0, 0.0, 5.0), 3.0)[3], critical_mass(run, bisections)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scree", default="build/release/bin/scree")
    parser.add_argument("--lmp", default=shutil.which("lmp"), help="path of LAMMPS")
    parser.add_argument("--bisections", type=int, default=12)
    arguments = parser.parse_args()
    if not arguments.lmp:
        print("lmp was not found (Debian: lammps)")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        lammps = lambda *case: run_lammps(arguments.lmp, folder, *case)
        ours = lambda model: lambda *case: run_scree(os.path.abspath(arguments.scree), folder, *case, model)
        found = [motions(lammps, arguments.bisections), motions(ours("tracking"), arguments.bisections),
                 motions(ours("sds"), arguments.bisections)]
    slope = math.radians(10)
    theory = [0.7 / (RHO * G), 0.0, 5 / 7 * G * (math.sin(slope) - RHO * math.cos(slope)), 0.4 * 0.2 * 25 / (2 * SIGMA * G), None]
    names = ["rolls to rest after [m]", "2 degrees: speed at 1 s [m/s]", "10 degrees: speed at 1 s [m/s]", "spins down through [rad]",
             "three balls: critical mass [kg]"]
    print("| | theory | LAMMPS sds | scree | scree sds |\n|---|---|---|---|---|")
    for k, name in enumerate(names):
        print(f"| {name} | {'' if theory[k] is None else f'{theory[k]:.5g}'} | " + " | ".join(f"{f[k]:.6g}" for f in found) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
