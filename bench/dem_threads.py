#!/usr/bin/env python3
"""What several threads gain on settled beds of soft spheres: one thread, then N, in turn, for both laws and the two best instruction sets.

Threads wait for the slowest, so whatever else runs on the machine costs them more than one thread. Runs are cut into windows of some
milliseconds; of all windows of --repeat runs the least counts, and in brackets the middle one. Microseconds per particle and step, and
the first over the second.

  bench/dem_threads.py [--scree PROGRAM] [--threads N] [--repeat N] [SIZE]...
"""
import argparse
import os
import statistics
import subprocess
import tempfile

from dem_windows import measure

STEPS = 20e6  # particles x steps of a run
WINDOW = 120e3  # and of a window: 2 to 8 milliseconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", nargs="*", type=int, default=[10000])
    parser.add_argument("--scree", default="build/release/bin/scree_bench_dem")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    cases = [["--law", law, *instructions] for law in ("sds", "fn") for instructions in ([], ["--set", "1"])]
    with tempfile.TemporaryDirectory() as folder:
        for size in args.size:
            bed = os.path.join(folder, "bed")
            subprocess.run([args.scree, str(size), "--steps", "5", "--law", "sds", "--write", bed], check=True,
                           capture_output=True)
            us = {}
            for _ in range(args.repeat):
                for case in cases:
                    for threads in (1, args.threads):
                        options = ["--from", bed, *case, "--threads", str(threads)]
                        row = measure(args.scree, size, max(20, round(STEPS / size)), WINDOW, options)
                        us.setdefault((row["law"], row["instructions"]), {1: [], args.threads: []})[threads] += row["us"]
            print(f"# {row['machine']}, commit {row['commit']}, {size} grains, {args.repeat} rounds; 1 and {args.threads} threads")
            for (law, instructions), of in us.items():
                one, more = ((min(of[n]), statistics.median(of[n])) for n in (1, args.threads))
                print(f"  {law:4}{instructions:7} {one[0]:.4f} ({one[1]:.4f})  {more[0]:.4f} ({more[1]:.4f})  "
                      f"{one[0] / more[0]:.2f} ({one[1] / more[1]:.2f})")


if __name__ == "__main__":
    main()
