#!/usr/bin/env python3
"""Which words can scree say that no test makes it say?

    tools/messages.py              builds with coverage in build/messages, runs the tests that provoke messages, judges
    tools/messages.py --judge      judges what the last run left behind

A message is a text of two or more words in a function of src/, cli/, checks/ or bench/. clang's coverage knows how often each region of a function
ran, an arm of a ?: as much as a branch, so a message that was never said is a text in a region that never ran. The same is asked of
the raise statements of the Python package. Prints `file:line:column: text` for each, and exits with 1 if there are any besides those
in SPARED. Needs clang and llvm (Debian: clang, llvm); seven minutes on two cores that others use too.
"""

import bisect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
BUILD = TREE / "build" / "messages"
PROFILES = BUILD / "profiles"
PYTHON_LINES = PROFILES / "python.txt"

# Tests that are long and say nothing of their own.
QUIET = "tutorial|browser|_many|admm_ipm|mass|poly|cone|broadphase|maps|projection_solvers|crush|energy|threads"

# Texts that no test can provoke, each with the reason: (file, part of the text, reason).
SPARED = [
    ("src/solvers/registry.c", "the Coulomb law", "every solver of today takes it"),
    ("src/solvers/registry.c", "bounded or bilateral rows", "every solver of today takes them"),
    ("src/scene/mesh_file.c", "more than 20 million", "takes a file of hundreds of megabytes"),
    ("src/base/file.c", "look at the file", "fstat of an open file"),
    ("src/run/simulation.c", "for a poured grain", "room for all grains is reserved when the scene is built"),
    ("src/dem/dem_spheres.c", "out of memory for %d contacts", "the step before has made the same room"),
    ("cli/run.c", "There is no checkpoint yet", "tests/cli/messages.sh has it said on a full disk, where the counts find no room"),
    ("cli/sweep/sweep_pool.c", "cannot write rows/sweep.csv", "as the last one"),
    ("cli/check.c", "while making the text", "tests/cli/memory.sh has it said, but the counts need memory at the same moment"),
    ("bench/bench_solve.c", "cannot open the folder", "tests/cli/messages.sh has another user told, who may not write the counts"),
]
# Files whose texts are no messages.
NO_MESSAGES = {"checks/peers_": "rows of `scree verify --peers`; tests/cli/peers.sh runs the short ones", "checks/papers_": "rows of `scree verify --papers`, which takes minutes; tests/cli/papers.sh runs the short ones"}

TOKEN = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\])+' | ^[ \t]*\#(?:[^\n\\]|\\.)*""", re.S | re.M | re.X
)


def build() -> None:
    """A build of its own with the counters of clang, and all tests run on it."""
    flags = "-O2 -fprofile-instr-generate -fcoverage-mapping"
    settings = [f"-DCMAKE_C_FLAGS_DEBUG={flags}", "-DCMAKE_C_COMPILER=clang", "-DCMAKE_BUILD_TYPE=Debug", "-DSCREE_TESTS=ON", "-DSCREE_HEAVY=ON"]
    subprocess.run(["cmake", "-S", str(TREE), "-B", str(BUILD), "-G", "Ninja", *settings], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", str(BUILD)], check=True, stdout=subprocess.DEVNULL)


def run_tests() -> None:
    """Fails if a test does: what it should have said may be missing."""
    PROFILES.mkdir(exist_ok=True)
    for old in PROFILES.iterdir():
        old.unlink()
    # %4m: programs add up in four files each. The Python extension is linked by clang, so that it counts too.
    environment = dict(os.environ, LLVM_PROFILE_FILE=str(PROFILES / "%4m.profraw"), CC="clang", SCREE_FAIL_EACH="1",
                       LDFLAGS="-fprofile-instr-generate", SCREE_PYTHON_LINES=str(PYTHON_LINES))  # fmt: skip
    command = ["ctest", "--test-dir", str(BUILD), "-LE", "check", "-E", QUIET, "-j", str(os.cpu_count() or 1), "--output-on-failure"]
    subprocess.run(command, check=True, env=environment)


def regions() -> dict[str, dict[tuple[int, int, int, int], int]]:
    """For each file: region (line, column, line, column) -> how often it ran, the most over all programs."""
    merged = PROFILES / "all.profdata"
    subprocess.run(["llvm-profdata", "merge", "-sparse", "-o", str(merged), *map(str, PROFILES.glob("*.profraw"))], check=True)
    programs = [BUILD / "bin" / "scree"] + sorted(p for p in (BUILD / "tests").glob("test_*") if p.is_file() and os.access(p, os.X_OK))
    objects = [word for p in programs[1:] for word in ("-object", str(p))]
    command = ["llvm-cov", "export", "-skip-expansions", f"-instr-profile={merged}", str(programs[0]), *objects]
    coverage = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    found: dict[str, dict[tuple[int, int, int, int], int]] = {}
    for function in coverage["data"][0]["functions"]:
        for line, column, end_line, end_column, count, file, _, kind in function["regions"]:
            if kind != 0:  # code, not a gap or a macro
                continue
            counts = found.setdefault(os.path.relpath(function["filenames"][file], TREE), {})
            place = (line, column, end_line, end_column)
            counts[place] = max(counts.get(place, 0), count)
    return found


def is_message(text: str) -> bool:
    """Two words or more, beside what printf puts in."""
    plain = re.sub(r"\\.|%[-+#0-9.*lz]*[a-z]", " ", text[1:-1])
    return " " in text and len(re.findall(r"[A-Za-z]{2,}", plain)) >= 2


def texts(source: str):
    """(line, column, literal) of each text; of texts that stand side by side the first."""
    starts = [0] + [m.end() for m in re.finditer("\n", source)]
    end = -1
    whole = ""
    first = (0, 0)
    for m in TOKEN.finditer(source):
        if m.group()[0] != '"':
            continue
        if whole and not source[end : m.start()].strip():
            whole = whole[:-1] + m.group()[1:]
        else:
            if whole:
                yield *first, whole
            line = bisect.bisect(starts, m.start())
            first, whole = (line, m.start() - starts[line - 1] + 1), m.group()
        end = m.end()
    if whole:
        yield *first, whole


def count_at(counts: dict[tuple[int, int, int, int], int], line: int, column: int) -> int | None:
    """How often the innermost region around the place ran; None: it is in no function."""
    around = [r for r in counts if r[:2] <= (line, column) < r[2:]]
    return counts[max(around, key=lambda r: (r[:2], tuple(-x for x in r[2:])))] if around else None


def judge_c() -> tuple[int, list[str], list[str]]:
    sites, silent, spared = 0, [], []
    for file, counts in sorted(regions().items()):
        if not file.startswith(("src/", "cli/", "checks/", "bench/")) or file.startswith(tuple(NO_MESSAGES)):
            continue
        for line, column, text in texts((TREE / file).read_text(encoding="utf-8")):
            count = count_at(counts, line, column) if is_message(text) else None
            if count is None:
                continue
            sites += 1
            if count == 0:
                excused = any(file == f and part in text for f, part, _ in SPARED)
                (spared if excused else silent).append(f"{file}:{line}:{column}: {text}")
    return sites, silent, spared


def judge_python() -> tuple[int, list[str]]:
    """The raise statements of the package that its tests did not reach: bindings/python/tests/conftest.py notes the lines."""
    ran = set(PYTHON_LINES.read_text(encoding="utf-8").split()) if PYTHON_LINES.exists() else set()
    sites, silent = 0, []
    for file in sorted((TREE / "bindings" / "python" / "scree").glob("*.py")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if re.match(r"\s*raise \w+\(", line):
                sites += 1
                if f"{file.name}:{number}" not in ran:
                    silent.append(f"{file.relative_to(TREE)}:{number}: {line.strip()}")
    return sites, silent


def main() -> int:
    if sys.argv[1:] not in ([], ["--judge"]):
        print(__doc__)
        return 2
    if sys.argv[1:] == []:
        build()
        run_tests()
    sites, silent, spared = judge_c()
    python_sites, python_silent = judge_python()
    print("\n".join(silent + python_silent))
    print(f"{sites} messages in C and {python_sites} in Python: {len(silent)} and {len(python_silent)} never said, {len(spared)} spared")
    return 1 if silent or python_silent else 0


if __name__ == "__main__":
    sys.exit(main())
