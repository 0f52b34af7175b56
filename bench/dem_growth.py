#!/usr/bin/env python3
"""What a particle and step cost in beds that fill under gravity, by their size.

Machines that others use as well are slow for seconds at a time, and a large bed runs longer than a small one. So every run is cut into
windows that take about as long for every size, sizes take turns, and of each window the least of --repeat runs counts: what is compared is
the same part of the same fall. Prints microseconds per particle and step, and the growth from every size to the larger ones; beside
each, the same from the least whole runs.

  bench/dem_growth.py [--scree PROGRAM] [--repeat N] [--threads N] [--steps N] [SIZE]...
"""
import argparse

from dem_windows import measure

WINDOW = 50e6  # particles x steps of a window: about half a second


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", nargs="*", type=int, default=[10000, 100000, 1000000])
    parser.add_argument("--scree", default="build/release/bin/scree_bench_dem")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--law", default="sds", choices=["sds", "fn"])
    args = parser.parse_args()
    least = {size: None for size in args.size}
    means = {size: [] for size in args.size}
    for _ in range(args.repeat):
        for size in args.size:
            options = [str(size), "--settle", "1", "--law", args.law, "--threads", str(args.threads)]
            row = measure(args.scree, size, args.steps, WINDOW, options)
            least[size] = [min(pair) for pair in zip(least[size] or row["us"], row["us"])]
            means[size].append(row["us_mean"])
    print(f"# {row['machine']}, commit {row['commit']}, {row['law']}, {row['instructions']}, {args.threads} threads, "
          f"{args.steps} steps, {args.repeat} rounds")
    cost = {size: sum(us) / len(us) for size, us in least.items()}
    whole = {size: min(runs) for size, runs in means.items()}
    for size in sorted(cost):
        growth = [f"{cost[size] / cost[k]:.2f} ({whole[size] / whole[k]:.2f}) x {k}" for k in sorted(cost) if k < size]
        print(f"{size:8} grains: {cost[size]:.4f} ({whole[size]:.4f}) us", *growth, sep="  ")


if __name__ == "__main__":
    main()
