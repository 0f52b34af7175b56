#!/usr/bin/python3
"""Which mode does a contact take? A ball is put down on a floor with a sliding and a rolling velocity; each pair is a pixel.

    modes_map.py [PICTURE]        default: modes_map.png

The ball has 2 kg and a radius of 0.1 m; mu = 0.3, rolling friction 20 mm (docs/notation.md has the components). Where it sticks, the
whole motion can be stopped by the loads of one impact; the bands beside it stop the sliding or the rolling alone.
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import scree

MASS, RADIUS, INERTIA = 2.0, 0.1, 0.008
W = np.diag([1 / MASS, 1 / MASS + RADIUS**2 / INERTIA, 1 / MASS + RADIUS**2 / INERTIA, 1 / INERTIA, 1 / INERTIA])
W[1, 4] = W[4, 1] = -RADIUS / INERTIA
W[2, 3] = W[3, 2] = RADIUS / INERTIA
CONE = scree.cone_slide_roll(0.3, 0.02)


def mode(slide: float, roll: float) -> int:
    """The mode after an impact at 1 m/s with these velocities of sliding [m/s] and rolling [rad/s]."""
    return scree.contact_solve(scree.contact(CONE, W, [-1.0, slide, 0.0, 0.0, roll])).mode


def main(picture: str) -> None:
    slide, roll = np.linspace(-3, 3, 81), np.linspace(-20, 20, 81)
    modes = np.array([[mode(u, w) for u in slide] for w in roll])
    present = np.unique(modes)
    figure, axes = plt.subplots(figsize=(6, 5), layout="constrained")
    image = axes.pcolormesh(slide, roll, np.searchsorted(present, modes), cmap=plt.get_cmap("viridis", len(present)), shading="nearest")
    bar = figure.colorbar(image, ticks=(np.arange(len(present)) + 0.5) * (len(present) - 1) / len(present))
    bar.set_ticklabels([scree.mode_name(m) for m in present])
    axes.set(xlabel="sliding velocity before [m/s]", ylabel="rolling velocity before [rad/s]", title="Mode of one contact after an impact")
    figure.savefig(picture, dpi=120)
    print(f"{picture}: " + ", ".join(f"{scree.mode_name(m)} {np.mean(modes == m):.0%}" for m in present))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "modes_map.png")
