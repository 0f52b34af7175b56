#!/usr/bin/python3
"""Siconos' contact solvers and scree side by side: the time each needs to the same residual, judged by the same measure.

    bench/siconos_compare.py DATA [--scree build/release/bin/scree] [--csv out.csv]

DATA is a problem file or a folder of them (Siconos .dat, FCLIB .hdf5). For every file and tolerance each solver of Siconos
gets the file from zero reactions; its answer is written down and its residual recomputed by `scree solve --certify`, so that
nobody judges himself. A Siconos solver whose own stopping test is looser than that residual is run again with a tolerance ten
and a hundred times smaller, and the first accepted run counts. The time is that of the solver call alone, the least of the
repeats, in one process and on one thread; for scree it is set-up and solve with default options (solver `auto`), likewise.

Each run of Siconos is a forked process that is ended after --time-limit seconds: some of its solvers abort or never return.
Needs Debian's python3-siconos and python3-numpy; without them the script says so and ends with status 0.
"""
import argparse
import csv
import json
import math
import multiprocessing
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before numpy is loaded

try:
    import numpy as np
    import siconos.numerics as sn
except ImportError as missing:
    print(f"siconos_compare: skipped, {missing} (Debian: apt-get install python3-siconos python3-numpy)")
    sys.exit(0)

# name: (solver id, {index of an integer parameter: value}); per number of components of a contact
FULL = {"SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION": "SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL"}
SOLVERS = {
    2: {
        "NSGS": ("SICONOS_FRICTION_2D_NSGS", {}),
        "CPG": ("SICONOS_FRICTION_2D_CPG", {}),
        "LEMKE": ("SICONOS_FRICTION_2D_LEMKE", {}),
    },
    3: {
        "NSGS": ("SICONOS_FRICTION_3D_NSGS", {}),
        "NSGS_full": ("SICONOS_FRICTION_3D_NSGS", FULL),
        "NSN_AC": ("SICONOS_FRICTION_3D_NSN_AC", {}),
        "NSN_FB": ("SICONOS_FRICTION_3D_NSN_FB", {}),
        "PROX": ("SICONOS_FRICTION_3D_PROX", {}),
        "ADMM": ("SICONOS_FRICTION_3D_ADMM", {}),
        "VI_EG": ("SICONOS_FRICTION_3D_VI_EG", {}),
        "VI_FPP": ("SICONOS_FRICTION_3D_VI_FPP", {}),
    },
    5: {
        "NSGS": ("SICONOS_ROLLING_FRICTION_3D_NSGS", {}),
        "NSGS_full": ("SICONOS_ROLLING_FRICTION_3D_NSGS", FULL),
        "ADMM": ("SICONOS_ROLLING_FRICTION_3D_ADMM", {}),
    },
}
LOAD = {2: sn.frictionContact_new_from_filename, 3: sn.frictionContact_new_from_filename,
        5: sn.rollingFrictionContact_new_from_filename}
DRIVE = {2: sn.fc2d_driver, 3: sn.fc3d_driver, 5: sn.rolling_fc3d_driver}
ITERATIONS = 1000000  # the time limit ends a run, not this
SLOWER = (1.0, 0.1, 0.01)  # tolerances asked of Siconos, as parts of the one that is judged


# ---- Siconos ---------------------------------------------------------------------------------------------------------

def solve_in_child(pipe, path, dim, contacts, name, tolerance, repeat):
    """Runs in the forked process: solves `repeat` times, sends (seconds, reactions) of the fastest so far after each."""
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1), os.dup2(silent, 2)
    solver, parameters = SOLVERS[dim][name]
    sn.numerics_set_verbose(0)
    begin, least = time.perf_counter(), math.inf
    for k in range(repeat):
        if k > 0 and time.perf_counter() - begin > 1.0:
            break
        problem = LOAD[dim](str(path))  # anew: the solvers leave converted matrices behind
        options = sn.SolverOptions(getattr(sn, solver))
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = ITERATIONS
        options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
        for index, value in parameters.items():
            options.iparam[getattr(sn, index)] = getattr(sn, value)
        r, u = np.zeros(dim * contacts), np.zeros(dim * contacts)
        start = time.perf_counter()
        DRIVE[dim](problem, r, u, options)
        least = min(least, time.perf_counter() - start)
        pipe.send((least, r))
    pipe.close()


def siconos(path, dim, contacts, name, tolerance, repeat, limit):
    """(seconds, reactions), or None if the solver did not return in time, or died."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(
        target=solve_in_child, args=(theirs, path, dim, contacts, name, tolerance, repeat))
    child.start()
    theirs.close()
    answer, deadline = None, time.perf_counter() + limit
    while ours.poll(max(0.0, deadline - time.perf_counter())):
        try:
            answer = ours.recv()
        except EOFError:
            break
    child.kill()
    child.join()
    return answer


# ---- problem files ----------------------------------------------------------------------------------------------------

def read_local_dat(path):
    """dim, storage, and W as triplets, q, coefficients of a local .dat file."""
    text = path.read_text()
    word = text.split()
    dim, contacts, storage, n = int(word[0]), int(word[1]), int(word[2]), int(word[3])
    if dim not in SOLVERS or n != dim * contacts:
        raise ValueError("not a local problem of 2, 3 or 5 components")
    entries, at = [], 5
    if storage == 0:
        W = np.array(word[7:7 + n * n], float).reshape(n, n).T
        entries = [(i, j, W[i, j]) for i, j in zip(*np.nonzero(W))]
        at = 7 + n * n
    elif storage == 1:
        blocks, rows, cols = (int(w) for w in word[5:8])
        at = 8 + rows + cols
        filled1, filled2 = int(word[at]), int(word[at + 1])
        start = [int(w) for w in word[at + 2:at + 2 + filled1]]
        column = [int(w) for w in word[at + 2 + filled1:at + 2 + filled1 + filled2]]
        at += 2 + filled1 + filled2
        for row in range(filled1 - 1):
            for k in range(start[row], start[row + 1]):
                base = at + k * (1 + dim * dim) + 1
                block = np.array(word[base:base + dim * dim], float).reshape(dim, dim).T
                entries += [(row * dim + i, column[k] * dim + j, block[i, j]) for i in range(dim) for j in range(dim)]
        at += blocks * (1 + dim * dim)
    else:
        lines, column, rest = text.splitlines(), -1, None
        for k, line in enumerate(lines):
            part = line.replace(":", " ").split()
            if len(part) >= 6 and part[0] == "col":
                column = int(part[1])
            elif column >= 0 and len(part) == 2 and ":" in line:
                entries.append((int(part[0]), column, float(part[1])))
            elif len(part) == 3 and ":" in line and "col" not in line and "by" not in line:
                entries.append((int(part[0]), int(part[1]), float(part[2])))
            elif entries and ":" not in line:
                rest = k
                break
        word, at = " ".join(lines[rest:]).split(), 0
    values = np.array(word[at:at + n + contacts * (2 if dim == 5 else 1)], float)
    return dim, contacts, storage, entries, values[:n], values[n:]


def write_dense_dat(path, dim, contacts, entries, q, coefficients):
    """The storage that every solver of Siconos takes."""
    n = dim * contacts
    W = np.zeros((n, n))
    for i, j, value in entries:
        W[i, j] += value
    with open(path, "w") as out:
        out.write(f"{dim}\n{contacts}\n0\n{n} {n}\n{n} {n}\n")
        np.savetxt(out, W.T, "%.17g")
        np.savetxt(out, q[None, :], "%.17g")
        for k in range(0, len(coefficients), contacts):
            np.savetxt(out, coefficients[None, k:k + contacts], "%.17g")


def write_block_dat(path, dim, contacts, entries, q, coefficients):
    blocks = {}
    for i, j, value in entries:
        blocks.setdefault((i // dim, j // dim), np.zeros((dim, dim)))[i % dim, j % dim] += value
    for c in range(contacts):
        blocks.setdefault((c, c), np.zeros((dim, dim)))
    keys = sorted(blocks)
    start = np.searchsorted([k[0] for k in keys], range(contacts + 1))
    sizes = " ".join(str(dim * (c + 1)) for c in range(contacts))
    with open(path, "w") as out:
        out.write(f"{dim}\n{contacts}\n1\n{dim * contacts} {dim * contacts}\n{len(keys)}\n{contacts} {contacts}\n"
                  f"{sizes}\n{sizes}\n{contacts + 1}\n{len(keys)}\n{' '.join(map(str, start))}\n"
                  f"{' '.join(str(k[1]) for k in keys)}\n")
        for number, key in enumerate(keys):
            out.write(f"{number}\n")
            np.savetxt(out, blocks[key].T.reshape(-1, 1), "%.17g")
        np.savetxt(out, q[None, :], "%.17g")
        np.savetxt(out, coefficients[None, :], "%.17g")


def prepare(scree, path, work):
    """Local .dat files that Siconos reads, the same problem in one or two storages: the file itself (or what 'scree convert'
    makes of it) and, where that is not what its solvers prefer, blocks for 3D, dense for planar and rolling ones."""
    source, copy = path, work / "local.dat"
    copy.unlink(missing_ok=True)
    kind = run_json([scree, "convert", path, copy, "--json"])
    if kind.get("kind") == "global":
        kind = run_json([scree, "convert", path, copy, "--assemble", "--json"])
        source = copy
    elif path.suffix != ".dat":
        source = copy
    if not source.exists():
        raise ValueError(f"'scree convert' made no local .dat of it: {kind.get('error', '')}")
    dim, contacts, storage, entries, q, coefficients = read_local_dat(source)
    if contacts == 0:
        raise ValueError("it has no contact")
    sources = [source]
    other = 1 if dim == 3 else 0
    if storage != other:
        sources.append(work / "other.dat")
        (write_block_dat if other else write_dense_dat)(sources[1], dim, contacts, entries, q, coefficients)
    return sources, dim, contacts


# ---- scree --------------------------------------------------------------------------------------------------------------

def run_json(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"error": done.stderr.strip() or f"exit status {done.returncode}"}


def judge(scree, path, r, work):
    """The residual of these reactions, computed by scree from the data of the file."""
    if not np.all(np.isfinite(r)):
        return math.inf
    np.savetxt(work / "r.txt", r, "%.17g")
    return run_json([scree, "solve", path, "--certify", "--warm", work / "r.txt", "--json"]).get("residual", math.inf)


def solve_ours(scree, path, solver, tolerances, repeat, limit):
    """{tolerance: (seconds, residual, iterations, outcome)}"""
    answer = run_json([scree, "bench", "solve", path, "--solvers", solver, "--tols", ",".join(map(str, tolerances)),
                       "--repeat", repeat, "--time-limit", limit, "--threads", 1, "--json"])
    if "runs" not in answer:
        raise ValueError(answer["error"])
    return {min(tolerances, key=lambda t: abs(math.log(t / r["tolerance"]))):
            (r["seconds"] + r["setup_seconds"], r["residual"], r["iterations"], r["outcome"]) for r in answer["runs"]}


# ---- the comparison ------------------------------------------------------------------------------------------------------

def find_files(data):
    if data.is_file():
        return [data]
    return sorted(p for p in data.rglob("*") if p.suffix in (".dat", ".hdf5", ".h5"))


def machine():
    try:
        with open("/proc/cpuinfo") as info:
            return next(line.split(":", 1)[1].strip() for line in info if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def attempt(arguments, path, source, dim, contacts, name, tolerance, work):
    """One solver of Siconos on one storage: (seconds, residual by our measure, verdict)."""
    taken, reached, verdict = math.inf, math.inf, "no answer"
    for part in SLOWER:
        answer = siconos(source, dim, contacts, name, part * tolerance, arguments.repeat, arguments.time_limit)
        if answer is None:
            break
        reached = judge(arguments.scree, path, answer[1], work)
        taken, verdict = answer[0], "converged" if reached <= tolerance else "not to tolerance"
        if reached <= tolerance:
            break
    return taken, reached, verdict


def compare(arguments, path, work, rows):
    """All runs on one file; returns {tolerance: (ours, best of Siconos, its name, its default)}, seconds or inf."""
    scree = arguments.scree
    own = solve_ours(scree, path, arguments.solver, arguments.tols, arguments.repeat, arguments.time_limit)
    sources, dim, contacts = prepare(scree, path, work)
    result = {}
    for tolerance in arguments.tols:
        seconds, residual, iterations, outcome = own[tolerance]
        solved = residual <= tolerance
        rows.append([path.name, contacts, f"scree {arguments.solver}", dim, 1, tolerance, residual, iterations, seconds, outcome])
        ours, best, best_name, default = seconds if solved else math.inf, math.inf, "-", math.inf
        for name in SOLVERS[dim]:
            taken, reached, verdict = min(
                (attempt(arguments, path, source, dim, contacts, name, tolerance, work) for source in sources),
                key=lambda a: (a[2] != "converged", a[0]))
            rows.append([path.name, contacts, f"siconos {name}", dim, 1, tolerance, reached, "", taken, verdict])
            if verdict != "converged":
                continue
            if name == "NSGS":
                default = taken
            if taken < best:
                best, best_name = taken, name
        result[tolerance] = (ours, best, best_name, default)
    return dim, contacts, result


def show(seconds):
    return f"{seconds:.3g}" if math.isfinite(seconds) else "not"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path, nargs="+", help="problem file, or folder of them")
    parser.add_argument("--scree", default="build/release/bin/scree", help="the program (default: %(default)s)")
    parser.add_argument("--solver", default="auto", help="solver of scree (default: %(default)s)")
    parser.add_argument("--tols", default="1e-4,1e-8", type=lambda s: [float(t) for t in s.split(",")])
    parser.add_argument("--repeat", default=5, type=int, help="runs of each, the least time counts (default: %(default)s)")
    parser.add_argument("--time-limit", default=5.0, type=float, help="seconds per run (default: %(default)s)")
    parser.add_argument("--csv", type=pathlib.Path, help="write every run to this file")
    arguments = parser.parse_args()
    version = subprocess.run([arguments.scree, "--version"], capture_output=True, text=True).stdout.strip()
    commit = version.split("commit ")[-1].rstrip(")")
    files = [f for d in arguments.data for f in find_files(d)]
    if not files:
        sys.exit("siconos_compare: no .dat, .hdf5 or .h5 file found")
    rows, ratios = [], {t: [] for t in arguments.tols}
    print(f"{version}; {machine()}; one thread; seconds, least of {arguments.repeat}; limit {arguments.time_limit:g} s")
    print(f"{'problem':44} {'contacts':>8} {'n':>2} {'tol':>7} {'scree':>9} {'siconos':>9} {'by':10} {'NSGS':>9} {'ratio':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            try:
                dim, contacts, result = compare(arguments, path, pathlib.Path(folder), rows)
            except (ValueError, KeyError, IndexError) as reason:
                print(f"{path.name[:44]:44} left out: {reason}")
                continue
            for tolerance, (ours, best, name, default) in result.items():
                ratio = ours / best if math.isfinite(ours) and math.isfinite(best) else math.nan
                if math.isfinite(ratio):
                    ratios[tolerance].append((contacts, ratio))
                text = f"{ratio:7.3f}" if math.isfinite(ratio) else "ours" if math.isfinite(ours) else "theirs" \
                    if math.isfinite(best) else "neither"
                print(f"{path.name[:44]:44} {contacts:8} {dim:2} {tolerance:7.0e} {show(ours):>9} {show(best):>9} {name:10} "
                      f"{show(default):>9} {text:>7}", flush=True)
    for tolerance, found in ratios.items():
        for least in (1, 20):
            some = [r for c, r in found if c >= least]
            if some:
                mean = math.exp(sum(map(math.log, some)) / len(some))
                print(f"tolerance {tolerance:g}, {least} contacts or more: {len(some)} problems solved by both, ratio "
                      f"scree/best of Siconos: geometric mean {mean:.3f}, worst {max(some):.3f}")
    if arguments.csv:
        with open(arguments.csv, "w", newline="") as out:
            table = csv.writer(out, lineterminator="\n")
            table.writerow("file contacts solver dim threads tolerance residual iterations seconds outcome machine commit".split())
            for row in rows:
                table.writerow([f"{v:.6g}" if isinstance(v, float) else v for v in row] + [machine().replace(",", " "), commit])


if __name__ == "__main__":
    main()
