#!/usr/bin/python3
"""A collection of contact problems with sliding, rolling and spinning friction, in FCLIB's format.

    tools/collection.py OUT [--all] [--scree build/release/bin/scree] [--seeds N] [--time-limit SECONDS] [--list]

Writes OUT/NAME.hdf5 (the problem, and with it the reference solution) and OUT/collection.csv: family, contacts, components, the method that
ended it, its residual, and the certificate of the solution as `scree solve --certify` computes it from the file. The problems follow from
the numbers in this script: the same script and the same scree write the same problems. The default makes some 20 problems of at most 400 contacts in
about a minute; --all about 300, up to 50,000 contacts, in hours: a problem that is not solved in the time limit keeps the best
reactions found and says so. docs/collection.md describes the families. Needs Python and scree, nothing else.
"""
import argparse
import csv
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

DIM = 6


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    length = math.sqrt(sum(x * x for x in a))
    return tuple(x / length for x in a)


def lattice(side, layers, seed):
    """Spheres of diameter 1 on a cubic lattice, each displaced at random, in a box: (centres, contacts as (a, b, normal, distance))."""
    rng = random.Random(seed)
    places = [(i, j, k) for k in range(layers) for i in range(side) for j in range(side)]
    centre = [tuple(x + rng.uniform(-0.15, 0.15) for x in p) for p in places]
    contacts = []
    for a, (x, y, z) in enumerate(centre):
        for b in range(a + 1, len(centre)):
            d = tuple(v - u for u, v in zip(centre[a], centre[b]))
            length = math.sqrt(sum(u * u for u in d))
            if length < 1.2:
                contacts.append((a, b, unit(d), 0.5 * length))
        if z < 0.1:
            contacts.append((-1, a, (0.0, 0.0, 1.0), 0.5))
        for axis, position in ((0, x), (1, y)):
            normal = [0.0, 0.0, 0.0]
            normal[axis] = 1.0
            if position < 0.05:
                contacts.append((-1, a, tuple(normal), 0.5))
            if position > side - 1.05:
                contacts.append((-1, a, tuple(-u for u in normal), 0.5))
    return centre, contacts, rng


def write_matrix(out, entries, rows, columns):
    out.write(f"2\n{rows}\n{columns}\n1\nCSparse text\ntriplet: {rows}-by-{columns}, nzmax: {len(entries)} nnz: {len(entries)}\n")
    out.writelines(f"{i} {j} : {x!r}\n" for i, j, x in entries)


def write_packing(path, side, layers, mu, rho, ratio, moving, seed, dim=DIM):
    """A lattice under one step of gravity (h g = 1), velocities normally distributed, as a global problem in Siconos' text format."""
    centre, contacts, rng = lattice(side, layers, seed)
    jacobian = []
    for c, (a, b, n, half) in enumerate(contacts):
        t = unit(cross(n, (1.0, 0.0, 0.0) if abs(n[0]) < 0.7 else (0.0, 1.0, 0.0)))
        frame = (n, t, cross(n, t))
        for body, sign, reach in ((b, 1.0, -half), (a, -1.0, half)):
            if body < 0:
                continue
            for r, e in enumerate(frame):
                turn = cross(tuple(reach * u for u in n), e)
                row = [sign * u for u in e] + [sign * u for u in turn]
                jacobian += [(6 * body + i, dim * c + r, v) for i, v in enumerate(row) if v != 0.0]
            for r, e in ((3, frame[1]), (4, frame[2]), (5, frame[0]))[:dim - 3]:
                jacobian += [(6 * body + 3 + i, dim * c + r, sign * e[i]) for i in range(3) if e[i] != 0.0]
    mass = [ratio if i % 20 == 0 else 1.0 for i in range(len(centre))]
    inertia = [(6 * b + i, 6 * b + i, m if i < 3 else 0.1 * m) for b, m in enumerate(mass) for i in range(6)]
    velocity = []
    for _ in centre:
        v = [moving * rng.gauss(0.0, 1.0 if i < 3 else 2.0) for i in range(6)]
        v[2] -= 1.0
        velocity += v
    rows = 6 * len(centre)
    with open(path, "w") as out:
        out.write(f"{dim}\n{len(contacts)}\n")
        write_matrix(out, inertia, rows, rows)
        write_matrix(out, jacobian, rows, dim * len(contacts))
        impulse = [m[2] * v for m, v in zip(inertia, velocity)]
        for vector in (impulse, [0.0] * (dim * len(contacts)), [mu] * len(contacts), *[[rho] * len(contacts)] * (dim > 3), *[[rho] * len(contacts)] * (dim > 5)):
            out.write(" ".join(repr(x) for x in vector) + "\n")


SCENES = {  # name: (scene below examples/, changes, steps between problems, until)
    "pile": ("pile.yaml", [], 50, "0.3 s"),
    "pour": ("pour.yaml", [], 150, "1.5 s"),
    "shapes": ("shapes.yaml", [], 100, "1 s"),
}


def plan(whole, seeds):
    """(family, name, how): the collection as data."""
    rest = []
    grains = (5, 20, 60, 120) if not whole else (5, 20, 60, 120, 250, 500, 900, 2000, 5000, 17000)
    kinds = {"rest": [], "moving": ["--moving", "1"], "heavy": ["--mass-ratio", "1000"]}
    if whole:
        kinds.update({"spread": ["--spread", "0.3"], "rough": ["--mu", "0.9", "--rho", "0.5"], "both": ["--moving", "1", "--mass-ratio", "1000"]})
    for kind, options in kinds.items():
        for n in grains:
            for seed in range(1, seeds + 1 if n <= 2000 else 2):
                rest.append(("pile-" + kind, f"pile-{kind}-{n}-{seed}", ("pile", n, seed, options)))
    sides = ((3, 3), (4, 4)) if not whole else ((3, 3), (4, 4), (5, 4), (5, 5), (6, 4), (7, 4), (8, 3))
    for side, layers in sides:
        for mu, ratio in ((0.4, 1.0), (0.7, 1.0), (0.5, 100.0)) if whole else ((0.6, 1.0), (0.6, 100.0)):
            for seed in range(1, seeds + 1):
                rest.append(("packing", f"packing-{side}x{layers}-mu{mu}-ratio{ratio:g}-{seed}", ("packing", side, layers, mu, ratio, seed)))
    for name in SCENES if whole else ("pile",):
        rest.append(("scene-" + name, f"scene-{name}", ("scene", name)))
    return rest


def run(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"collection: {' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def make(args, how, folder):
    """The problem files of one line of the plan."""
    if how[0] == "pile":
        path = folder / "pile.hdf5"
        run([args.scree, "generate", "pile", path, "--grains", how[1], "--seed", how[2], *how[3]])
        return [path]
    if how[0] == "packing":
        text, path = folder / "packing.dat", folder / "packing.hdf5"
        write_packing(text, how[1], how[2], how[3], 0.05, how[4], 1.0, how[5])
        run([args.scree, "convert", text, path, *(["--assemble"] if how[4] > 1.0 else [])])
        return [path]
    scene, changes, every, until = SCENES[how[1]]
    root = pathlib.Path(__file__).resolve().parent.parent / "examples"
    run([args.scree, "run", root / scene, "-o", folder / "run", "--quiet", "--until", until, "--problems", f"every={every}", *changes])
    return sorted((folder / "run" / "problems").glob("*.hdf5"))


def solve(args, problem, out):
    answer = json.loads(run([args.scree, "solve", problem, "--tol", "1e-12", "--time-limit", args.time_limit, "--out", out, "--json"]))
    certificate = answer.get("certificate", {})
    return [answer["contacts"], answer["dim"], answer["solver"], answer["outcome"], answer["residual"]] + [
        certificate.get(k, "") for k in ("penetration_speed", "cone_violation", "slip_at_stick", "gap")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="about 300 problems")
    parser.add_argument("--scree", default="build/release/bin/scree")
    parser.add_argument("--seeds", type=int, default=None, help="per kind and size (1; with --all 4)")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for each reference solution")
    parser.add_argument("--list", action="store_true", help="print what would be made")
    args = parser.parse_args()
    lines = plan(args.all, args.seeds or (4 if args.all else 1))
    if args.list:
        print("\n".join(name for _, name, _ in lines))
        return
    args.out.mkdir(parents=True, exist_ok=True)
    with open(args.out / "collection.csv", "w", newline="") as table:
        rows = csv.writer(table)
        rows.writerow("name family contacts dim solver outcome residual penetration_speed cone_violation slip_at_stick gap".split())
        for family, name, how in lines:
            with tempfile.TemporaryDirectory() as folder:
                found = make(args, how, pathlib.Path(folder))
                for i, problem in enumerate(found):
                    full = name if len(found) == 1 else f"{name}-{i + 1}"
                    row = solve(args, problem, args.out / f"{full}.hdf5")
                    rows.writerow([full, family, *row])
                    print(f"{full}: {row[0]} contacts of {row[1]} components, {row[3]}, residual {row[4]:.1e}", flush=True)


if __name__ == "__main__":
    main()
