#!/usr/bin/env python3
"""The same settled bed of soft spheres in scree, LAMMPS and LIGGGHTS, in one run: speed, memory, and the same kinetic energy.

scree settles the bed (scree_bench_dem --write) and hands it to the others as a LAMMPS data file. All start without contact memories.
  check   LAMMPS and scree (sds), kinetic energy after 100 steps: translation and rotation, digit by digit
  speed   microseconds of processor time per particle and step, one thread. Peers: two runs of different length, least of --repeat
          each, divided by the difference of their steps, so that reading and setting up do not count. No list is built in between
          (checked for LAMMPS). scree: least of the windows of `scree_bench_dem`, least of --repeat
  memory  peers: what they print (the resident size where they do not); scree: most that its allocator gave out
LAMMPS: granular hooke + linear_history + sds rolling + sds twisting. LIGGGHTS: hooke/stiffness + epsd2 with torsion, the nearest it has.
Needs Debian's lammps and liggghts, or the paths of their programs; what is missing is left out. Run it on a quiet machine.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

FORCE = ("hooke 2e4 50 damping velocity tangential linear_history {kt:.17g} 1.0 0.5 "
         "rolling sds 5714 50 0.05 twisting sds 1000 10 0.02").format(kt=2e4 * 2 / 7)
LAMMPS = f"""atom_style sphere
units lj
boundary p p f
newton off
comm_modify vel yes
read_data bed.data
pair_style granular
pair_coeff * * {FORCE}
timestep 3e-4
neighbor 0.2 bin
neigh_modify delay 0 every 1 check yes
fix move all nve/sphere
fix fall all gravity 1.0 vector 0 0 -1
fix floor all wall/gran granular {FORCE} zplane 0 NULL
compute turning all erotate/sphere
thermo_style custom step ke c_turning
thermo_modify norm no format float %.15g
thermo 100
run ${{steps}}
"""
MODEL = "model hooke/stiffness tangential history rolling_friction epsd2"
OPTIONS = "torsionTorque on absolute_damping on"
LIGGGHTS = f"""atom_style granular
atom_modify map array
units si
boundary p p f
newton off
communicate single vel yes
read_data bed.data
neighbor 0.2 bin
neigh_modify delay 0
fix a all property/global kn peratomtypepair 1 2e4
fix b all property/global kt peratomtypepair 1 {2e4 * 2 / 7:.17g}
fix c all property/global gamman_abs peratomtypepair 1 50
fix d all property/global gammat_abs peratomtypepair 1 50
fix e all property/global coefficientFriction peratomtypepair 1 0.5
fix f all property/global coefficientRollingFriction peratomtypepair 1 0.05
fix g all property/global youngsModulus peratomtype 1e7
fix h all property/global poissonsRatio peratomtype 0.3
fix i all property/global coefficientRestitution peratomtypepair 1 0.5
pair_style gran {MODEL} {OPTIONS}
pair_coeff * *
timestep 3e-4
fix move all nve/sphere
fix fall all gravity 1.0 vector 0 0 -1
fix floor all wall/gran {MODEL} primitive type 1 zplane 0.0 {OPTIONS}
thermo_style custom step ke
thermo 100
run ${{steps}}
"""


def run(command, folder):
    """Output, seconds of processor time and largest resident size in bytes of a program."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT,
                                 env=dict(os.environ, OMP_NUM_THREADS="1"))
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode(errors="replace")
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{text[-2000:]}")
    return text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def peer(program, script, folder, grains, steps, repeat):
    """Microseconds per particle and step, bytes per particle, text of the last long run."""
    with open(os.path.join(folder, "in.peer"), "w", encoding="ascii") as f:
        f.write(script)
    least, memory, text = {}, 0, ""
    for _ in range(repeat):
        for n in (100, 100 + steps):
            text, seconds, size = run([program, "-in", "in.peer", "-var", "steps", str(n), "-log", "none"], folder)
            least[n] = min(least.get(n, 1e9), seconds)
            said = re.search(r"(?:Memory usage per processor|memory allocation \(min/avg/max\)) = ([\d.]+)", text)
            memory = max(memory, float(said.group(1)) * 2**20 if said else size)
    builds = re.search(r"Neighbor list builds = (\d+)", text)
    return 1e6 * (least[100 + steps] - least[100]) / steps / grains, memory / grains, int(builds.group(1)) if builds else -1


def digits(a, b):
    """How many leading digits agree."""
    from math import log10
    return 15.0 if a == b else -log10(abs(a - b) / abs(b))


def scree_rows(scree, data, arguments, repeat):
    """Rows of scree_bench_dem --csv, each the fastest of `repeat`."""
    best = {}
    for _ in range(repeat):
        text, _, _ = run([scree, "--from", data, "--csv"] + arguments, ".")
        head, *lines = text.strip().splitlines()
        for line in lines:
            row = dict(zip(head.split(","), line.split(",")))
            row["us"] = float(row["us_least"])
            key = row["law"]
            if key not in best or row["us"] < best[key]["us"]:
                best[key] = row
    return [best[k] for k in sorted(best, reverse=True)]


def bench(arguments, grains, folder):
    scree, data = arguments.scree, os.path.join(folder, "bed.data")
    run([scree, str(grains), "--settle", str(arguments.settle), "--steps", "5", "--write", data], ".")
    steps = max(50, arguments.work // grains)
    print(f"\n{grains} grains, {steps} steps a window")
    fastest = None
    if arguments.lmp:
        us, memory, builds = peer(arguments.lmp, LAMMPS, folder, grains, steps, arguments.repeat)
        fastest = us
        print(f"  LAMMPS    sds            {us:8.4f} us {memory:7.0f} B   lists built {builds}")
        text, _, _ = run([arguments.lmp, "-in", "in.peer", "-var", "steps", "100", "-log", "none"], folder)
        theirs = [float(x) for x in re.search(r"^\s+100 (\S+) (\S+)", text, re.M).groups()]
        ours = [float(x) for x in run([scree, "--from", data, "--check", "100"], ".")[0].split()]
        same = [digits(a, b) for a, b in zip(ours, theirs)]
        print(f"  energy after 100 steps: LAMMPS {theirs[0]:.15g} + {theirs[1]:.15g}, scree {ours[0]:.15g} + {ours[1]:.15g}: "
              f"{min(same):.1f} digits")
        if min(same) < 10:
            arguments.failed.append(f"{grains} grains: {min(same):.1f} digits of kinetic energy agree, 10 expected")
    if arguments.liggghts:
        us, memory, _ = peer(arguments.liggghts, LIGGGHTS, folder, grains, steps, arguments.repeat)
        fastest = us if fastest is None else min(us, fastest)
        print(f"  LIGGGHTS  epsd2          {us:8.4f} us {memory:7.0f} B")
    for threads in (1, 2):
        for extra in ([], ["--set", "1"]):
            rows = scree_rows(scree, data, extra + ["--steps", str(5 * steps), "--threads", str(threads)], arguments.repeat)
            for row in rows:
                ratio = f"   {fastest / row['us']:.2f} x the faster peer" if fastest and threads == 1 else ""
                print(f"  scree     {row['law']:4}{row['instructions']:7} {threads} thr {row['us']:8.4f} us {float(row['bytes']):7.0f} B{ratio}")
    for row in scree_rows(scree, data, ["--tilt", "30deg", "--steps", str(20 * steps)], 1):
        print(f"  scree     {row['law']:4}{row['instructions']:7} flowing at 30 degrees: mean {float(row['us_mean']):.4f} us, "
              f"{row['rebuilds']} rebuilds in {20 * steps} steps, {float(row['bytes']):.0f} B")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scree", default="build/release/bin/scree_bench_dem")
    parser.add_argument("--lmp", default=shutil.which("lmp"), help="path of LAMMPS")
    parser.add_argument("--liggghts", default=shutil.which("liggghts"), help="path of LIGGGHTS")
    parser.add_argument("--grains", default="10000,100000")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--settle", type=int, default=40000, help="steps in which a tile of 10,000 comes to rest")
    parser.add_argument("--work", type=int, default=5000000, help="particle-steps of a window")
    arguments = parser.parse_args()
    arguments.failed = []
    for name in ("lmp", "liggghts"):
        if not getattr(arguments, name):
            print(f"{name} was not found (Debian: {'lammps' if name == 'lmp' else name}): left out")
    with tempfile.TemporaryDirectory() as folder:
        for grains in filter(None, arguments.grains.split(",")):
            bench(arguments, int(grains), folder)
    for text in arguments.failed:
        print("FAILED:", text)
    return 1 if arguments.failed else 0


if __name__ == "__main__":
    sys.exit(main())
