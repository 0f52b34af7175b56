#!/usr/bin/env python3
"""What a step costs in a page: rigid piles and soft beds here, in node, and in Chromium, one thread each. CPU time, minima of windows.

    bench/live.py SCREE [--node] [--chromium] [--windows 3]       SCREE: build/release/bin/scree with the WebAssembly modules

Here it needs Python's scree (docs/python.md); in node the modules of build/wasm are read; in Chromium selenium opens the page that `scree
play` writes, and the time is that of its worker's thread (/proc). Prints a Markdown table: microseconds a step, the ratio to this machine's
native code, and simulated seconds in a second of computing."""
import argparse, glob, json, os, subprocess, sys, tempfile, time

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
RIGID = """scree: 1
title: {n} rigid grains
materials: {{stone: {{density: 2500 kg/m^3, friction: 0.5, rolling: 0.1 r, spinning: 0.05 r}}}}
bodies: [{{name: floor, shape: {{plane: {{}}}}}}]
generators:
  - lattice: {{count: [{x}, {y}, {z}], spacing: 21 mm, jitter: 2 mm, origin: [0, 0, 12 mm]}}
    radius: {{uniform: {{min: 8 mm, max: 10 mm}}}}
stepper: {{step: 5 ms}}
solver: {{tolerance: 1e-3, max_iterations: 500}}
run: {{until: 100 s}}
"""
SOFT = """scree: 1
title: {n} soft spheres
materials:
  glass: {{density: 2500 kg/m^3, friction: 0.4, rolling: 0.01 r, spinning: 0.005 r, restitution: 0.6, dem: {{stiffness: 2 kN/m, slide_stiffness: 0.6 kN/m, damping_share: 0.3}}}}
bodies: [{{name: floor, shape: {{plane: {{}}}}}}]
periodic: {{x: [0, {lx} mm], y: [0, {ly} mm]}}
generators:
  - lattice: {{count: [{x}, {y}, {z}], spacing: 20.2 mm, jitter: 0.1 mm, origin: [10.1 mm, 10.1 mm, 10.1 mm]}}
    radius: 10 mm
stepper: {{scheme: dem, step: 200 us}}
run: {{until: 100 s}}
"""


def rigid(x, y, z):
    return RIGID.format(n=x * y * z, x=x, y=y, z=z), 200, 200000 // (x * y * z)


def soft(x, y, z):
    return SOFT.format(n=x * y * z, x=x, y=y, z=z, lx=20.2 * x, ly=20.2 * y), 300, 1000000 // (x * y * z)


SCENES = {"500 rigid": rigid(10, 10, 5), "2,000 rigid": rigid(20, 10, 10), "5,000 soft": soft(25, 20, 10), "20,000 soft": soft(40, 25, 20)}


def native(path, settle, steps, windows):
    import scree
    s = scree.Simulation(path, threads=1)
    s.advance(settle)
    out = []
    for _ in range(windows):
        begin = time.process_time()
        s.advance(steps)
        out.append((time.process_time() - begin) / steps)
    return min(out), None


def node(module, *flags):
    def measure(path, settle, steps, windows):
        done = subprocess.run(["node", *flags, f"{root}/tests/cli/play_node.js", f"{module}.js", f"{module}.wasm", path, "--windows",
                               str(settle), str(steps), str(windows)], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)
        return min(map(float, done.stdout.split()[1:])) * 1e-6, done.stdout.split()[0]
    return measure


def chromium(scree):
    sys.path.insert(0, f"{root}/tests/cli")
    import browser

    def worker_time(pid):
        out = 0.0
        for task in glob.glob(f"/proc/{pid}/task/*/stat"):
            text = open(task).read()
            if text.split("(", 1)[1].startswith("DedicatedWorker"):
                fields = text.rsplit(")", 1)[1].split()
                out = max(out, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
        return out

    def renderer(driver):
        for line in subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout.splitlines():
            if "--type=renderer" in line and browser.work.name in line and worker_time(int(line.split()[0])) > 0:
                return int(line.split()[0])
        return 0

    def measure(path, settle, steps, windows):
        page_path = path.replace(".yaml", ".html")
        subprocess.run([scree, "play", path, "-o", page_path], check=True, stdout=subprocess.DEVNULL)
        driver, out = browser.start("--disable-3d-apis"), []  # nothing is drawn: in software that takes longer than the steps
        try:
            page = browser.Page(driver, page_path + "#paused")
            go = lambda n: (page.js("report.batch = 0; report.live.feed.send({type: 'batch', count: arguments[0]})", n),
                            page.wait("report.batch", 3000))
            go(settle)
            pid = renderer(driver)
            for _ in range(windows):
                begin = worker_time(pid)
                go(steps)
                out.append((worker_time(pid) - begin) / steps)
            return min(out), page.js("return report.live.hash")
        finally:
            driver.quit()
    return measure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scree")
    parser.add_argument("--node", action="store_true")
    parser.add_argument("--chromium", action="store_true")
    parser.add_argument("--windows", type=int, default=3)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    ways = {"native": native}
    if options.node:
        ways["node, two roundings made one"] = node(f"{root}/build/wasm/scree_live")
        ways["node, fused"] = node(f"{root}/build/wasm/scree_live_fused", "--experimental-wasm-relaxed-simd")
    if options.chromium:
        ways["Chromium"] = chromium(os.path.abspath(options.scree))
    work = tempfile.TemporaryDirectory()
    print("| scene | step | " + " | ".join(ways) + " |\n|---|---|" + "---|" * len(ways))
    for name, (text, settle, steps) in SCENES.items():
        if options.only not in name:
            continue
        path = f"{work.name}/{name.replace(' ', '-')}.yaml"
        with open(path, "w") as f:
            f.write(text)
        h = 5e-3 if "rigid" in name else 2e-4
        cells, base, hashes = [], None, set()
        for measure in ways.values():
            cost, state = measure(path, settle, steps, options.windows)
            base = base or cost
            hashes |= {state} - {None}
            cells.append(f"{cost * 1e6:,.0f} us, {cost / base:.1f}, {h / cost:.3g} s/s")
        print(f"| {name} | {1e3 * h:g} ms | " + " | ".join(cells) + " |", flush=True)
        if len(hashes) > 1:
            sys.exit(f"the states differ: {hashes}")
    load = os.getloadavg()[0]
    print(f"\nLoad of the machine at the end: {load:.1f} on {os.cpu_count()} cores.")


main()
