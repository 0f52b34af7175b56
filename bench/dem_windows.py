"""scree_bench_dem, cut into windows: what dem_growth.py and dem_threads.py share."""
import json
import subprocess

WINDOWS_MAX = 1000  # of scree_bench_dem


def measure(scree, size, steps, window, options):
    """The one row that scree prints for `steps` steps of a bed of `size` grains, timed in windows of about `window` particles x steps."""
    windows = max(1, min(steps, WINDOWS_MAX, round(size * steps / window)))
    command = [scree, *options, "--json", "--steps", str(steps), "--windows", str(windows)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)[0]
