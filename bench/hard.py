#!/usr/bin/python3
"""Hard contact problems from fresh seeds: how many does `auto` solve, how fast, and what are the others like?

    bench/hard.py make FOLDER SEED...     writes FOLDER/NAME.hdf5: the families below, each with every seed
    bench/hard.py run FOLDER [--seconds 10] [--jobs 2] [--tol 1e-8]
                                          solves all of them with default options; FOLDER/NAME.json and NAME.csv (the trace)
    bench/hard.py table FOLDER            what was reached: 1e-4 and 1e-8, by size, and a line for each problem

Spheres that move (m), every 20th 1000 times heavier (r), both with six components (mr6); packings on a lattice (s SIDE LAYERS mu) as in
tools/collection.py. All but mr6 have sliding friction only. Seconds are of the processor: a solve that has used them is interrupted, and ends with its best point.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import collection  # noqa: E402

PILES = {name + str(n): ["--grains", n, *options] for name, sizes, options in (
    ("m", (120, 150, 200, 350, 500), ["--dim", 3, "--moving", 1]),
    ("r", (150, 200, 400), ["--dim", 3, "--mass-ratio", 1000]),
    ("mr6_", (150, 400), ["--dim", 6, "--moving", 1, "--mass-ratio", 1000])) for n in sizes}
PACKINGS = {f"s{side}{layers}mu{10 * mu:.0f}": (side, layers, mu) for side, layers, mu in (
    (5, 4, 0.6), (5, 4, 0.8), (6, 4, 0.4), (6, 4, 0.6), (7, 5, 0.6), (8, 5, 0.9))}


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)


def make(args):
    args.folder.mkdir(parents=True, exist_ok=True)
    for seed in args.names:
        for name, options in PILES.items():
            done = run(args.scree, "generate", "pile", args.folder / f"{name}_{seed}.hdf5", "--seed", seed, *options)
            if done.returncode:
                sys.exit(done.stderr)
        for name, (side, layers, mu) in PACKINGS.items():
            with tempfile.TemporaryDirectory() as scratch:
                text = pathlib.Path(scratch) / "packing.dat"
                collection.write_packing(text, side, layers, mu, 0.0, 1.0, 1.0, int(seed), 3)
                done = run(args.scree, "convert", text, args.folder / f"{name}_{seed}.hdf5")
                if done.returncode:
                    sys.exit(done.stderr)


def processor_seconds(pid):
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def solve(args, problem):
    """Ends by itself, or is interrupted after so many seconds of the processor."""
    stem = problem.with_suffix("")
    command = [args.scree, "solve", problem, "--tol", str(args.tol), "--trace", f"{stem}.csv", "--json", *args.option]
    with open(f"{stem}.json", "w") as out, subprocess.Popen(command, stdout=out) as process:
        used = 0.0
        while process.poll() is None:
            used = max(used, processor_seconds(process.pid))
            if used >= args.seconds:
                process.send_signal(signal.SIGINT)
                process.wait()
            time.sleep(0.02)
    answer = json.loads(stem.with_suffix(".json").read_text())
    print(f"{stem.name}: {answer['contacts']} contacts, {answer['outcome']} by {answer['solver']} at {answer['residual']:.1e} "
          f"after {used:.1f} s", flush=True)


def run_all(args):
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(lambda f: solve(args, f), sorted(args.folder.glob("*.hdf5"))))


def reached(stem, tolerance):
    """Seconds until the residual was there, or None."""
    with open(f"{stem}.csv", newline="") as trace:
        for row in csv.DictReader(trace):
            if float(row["residual"]) <= tolerance:
                return float(row["seconds"])
    return None


def table(args):
    lines = []
    for file in sorted(args.folder.glob("*.json")):
        answer = json.loads(file.read_text())
        stem = file.with_suffix("")
        lines.append((answer["contacts"], stem.name, answer["solver"], answer["residual"], [reached(stem, t) for t in (1e-4, 1e-8)]))
    lines.sort()
    print("| problem | contacts | ended in | residual | seconds to 1e-4 | to 1e-8 |\n|---|---|---|---|---|---|")
    for contacts, name, solver, residual, seconds in lines:
        words = ["not" if s is None else "< 0.01" if s < 0.01 else f"{s:.2f}" for s in seconds]
        print(f"| {name} | {contacts} | {solver} | {residual:.1e} | {words[0]} | {words[1]} |")
    for least, most in ((0, 700), (700, 1500)):
        these = [x for x in lines if least <= x[0] < most]
        counts = [sum(x[4][k] is not None for x in these) for k in (0, 1)]
        if these:
            print(f"\n{least} to {most} contacts: {len(these)} problems, 1e-4 {counts[0]} ({100 * counts[0] / len(these):.1f} %), "
                  f"1e-8 {counts[1]} ({100 * counts[1] / len(these):.1f} %)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["make", "run", "table"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", help="seeds")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--option", action="append", default=[], help="passed on to scree solve")
    parser.add_argument("--tol", type=float, default=1e-8)
    parser.add_argument("--scree", default=str(ROOT / "build/release/bin/scree"))
    args = parser.parse_args()
    {"make": make, "run": run_all, "table": table}[args.command](args)


if __name__ == "__main__":
    main()
