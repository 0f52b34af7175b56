#!/usr/bin/env python3
"""What calls cost beside the steps they take, in worlds of soft spheres: single steps, two worlds on one stepper, large spheres, pours
(bench/dem_calls.c), and the Python package's Simulation.run() against `scree run`.

    bench/dem_calls.py [--build build/release] [--settle 25000] [--rounds 5] [--python /usr/bin/python3] [--json FILE]

Each line is a ratio with its aim. Processor seconds of one thread, least of the rounds. Python: examples/soft-bed.yaml to 60 ms with a frame
every 2 ms and its files written, whole processes, so that the start of the interpreter counts; the two take turns. The package is
installed into a folder that is then removed (as tests/bindings/python.sh does); without pip, cffi or numpy that line is left out, and said so.
Status 1 where an aim is missed. A quiet machine, please: ratios of a busy one say little."""
import argparse, json, os, pathlib, resource, shutil, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
AIMS = [("single steps / one call", "most", 1.25), ("single steps, positions read / one call", "most", 1.6),
        ("two worlds in turn: one stepper / two", "most", 1.05), ("4 of 5 radii above / none", "most", 1.3),
        ("4 of 20 radii above / none", "most", 1.3), ("4 of 50 radii above / none", "most", 1.3),
        ("pour of 3,000: general stages / engine for spheres", "least", 3.0),
        ("Mindlin: general stages / engine for spheres", "least", 3.0), ("Simulation.run() / scree run", "most", 1.2)]
RUN = "import scree; scree.Simulation({scene!r}, threads=1, set=['run.until=60 ms', 'output.every=2 ms']).run({folder!r})"


def quiet(command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"bench/dem_calls.py: failed: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def calls(build, settle, rounds):
    program = build / "dem_calls"
    libraries = quiet(["pkg-config", "--libs", "scree", "zlib"], env={**os.environ, "PKG_CONFIG_PATH": str(build)}).split()
    libraries.remove("-lscree")
    quiet(["cc", "-std=c11", "-O2", "-I", ROOT / "include", ROOT / "bench/dem_calls.c", build / "libscree.a", *libraries,
           "-lpthread", "-o", program])
    return [json.loads(line) for line in quiet([program, settle, rounds]).splitlines()]


def package(build, python, work):
    """The folder that the package is installed in, or None."""
    if subprocess.run([python, "-c", "import setuptools, cffi, numpy, pip, wheel"], capture_output=True).returncode:
        return None
    quiet(["cmake", "--install", build, "--prefix", work / "prefix"])
    (work / "tree/bindings").mkdir(parents=True)
    shutil.copytree(ROOT / "bindings/python", work / "tree/bindings/python")
    (work / "tree/include").symlink_to(ROOT / "include")
    quiet([python, "-m", "pip", "install", "-q", "--no-index", "--no-build-isolation", "--no-deps", "--target", work / "site",
           work / "tree/bindings/python"], env={**os.environ, "SCREE_PREFIX": str(work / "prefix"), "PYTHONWARNINGS": "ignore"})
    return work / "site"


def processor_seconds(command, **more):
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    before = used()
    quiet(command, **more)
    return used() - before


def python_run(build, python, rounds):
    scene, least = str(ROOT / "examples/soft-bed.yaml"), [1e9, 1e9]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        site = package(build, python, work)
        if not site:
            return None
        environment = {**os.environ, "PYTHONPATH": str(site)}
        for k in range(min(rounds, 3)):
            code = RUN.format(scene=scene, folder=str(work / f"python{k}"))
            least[0] = min(least[0], processor_seconds([python, "-c", code], env=environment))
            least[1] = min(least[1], processor_seconds([build / "bin/scree", "run", scene, "--set", "run.until=60 ms", "--set",
                                                        "output.every=2 ms", "--threads", "1", "-o", work / f"scree{k}"]))
    return {"what": "Simulation.run() / scree run", "ratio": round(least[0] / least[1], 4), "seconds": [round(s, 4) for s in least]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--settle", type=int, default=25000, help="steps of 2 us that the bed comes to rest in")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--json", metavar="FILE", help="write the figures to FILE; -: to standard output, in place of the table")
    options = parser.parse_args()
    build = options.build.resolve()
    if not (build / "libscree.a").exists():
        sys.exit(f"bench/dem_calls.py: no {build}/libscree.a: cmake --preset release && cmake --build --preset release")
    found = calls(build, options.settle, options.rounds)
    run = python_run(build, options.python, options.rounds)
    if run:
        found.append(run)
    else:
        print(f"bench/dem_calls.py: {options.python} lacks cffi, numpy, pip, setuptools or wheel: no line for Python", file=sys.stderr)
    aims, missed = {what: (kind, value) for what, kind, value in AIMS}, 0
    for line in found:
        kind, value = aims[line["what"]]
        line["aim"], line["met"] = f"at {kind} {value:g}", line["ratio"] <= value if kind == "most" else line["ratio"] >= value
        missed += not line["met"]
    text = json.dumps({"cpu": cpu(), "commit": commit(), "figures": found}, indent=1) + "\n"
    if options.json and options.json != "-":
        pathlib.Path(options.json).write_text(text)
    if options.json == "-":
        print(text, end="")
    else:
        print(f"{'':52} {'ratio':>7} {'seconds':>17}  aim")
        for line in found:
            print(f"{line['what']:52} {line['ratio']:7.3f} {line['seconds'][0]:8.3f} {line['seconds'][1]:8.3f}  {line['aim']}"
                  f"{'' if line['met'] else ': MISSED'}")
    return 1 if missed else 0


def cpu():
    names = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return f"{names[0] if names else 'unknown'}, {os.cpu_count()} cores"


def commit():
    done = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main())
