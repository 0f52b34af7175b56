#!/usr/bin/python3
"""What does rolling friction do to a heap? Grains are poured on a rough floor, with three rolling coefficients.

    repose.py [PICTURE]           default: repose.png

A small heap, so that it takes seconds: the angle of repose of so few grains is rough, the order of the three is not.
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import scree

RADIUS, GRAINS, ROLLING = 0.01, 150, (0.0, 0.05, 0.2)


def heap(rolling: float) -> scree.Heap:
    """Drops the grains one after the other along a narrow column, and measures what is left after they rest."""
    random = np.random.default_rng(1)
    world = scree.World()
    stone = world.add_material("stone", 2500.0, mu=0.6, rolling=scree.ratio(rolling))
    world.add_body(scree.shape_plane(stone), "fixed", name="floor")
    stepper = scree.Stepper(step=4e-3)
    for _ in range(GRAINS):
        x, y = random.uniform(-RADIUS, RADIUS, 2)
        ball = scree.shape_sphere(RADIUS * random.uniform(0.8, 1.0), stone)
        world.add_body(ball, position=(x, y, 0.13), velocity=(0, 0, -0.5), name="grain")
        stepper.run(world, world.time + 0.04)
    stepper.run(world, world.time + 0.3)
    return world.heap()


def main(picture: str) -> None:
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    for rolling in ROLLING:
        found = heap(rolling)
        rings = (np.arange(found.ring_count) + 0.5) * found.ring_width
        label = f"rolling {rolling:g} r: {np.degrees(found.flank_angle):.0f} degrees, {1000 * found.height:.0f} mm high"
        axes.plot(1000 * rings, 1000 * found.ring_height[: found.ring_count], label=label)
        print(label)
    axes.set(xlabel="distance from the axis [mm]", ylabel="height [mm]", title=f"{GRAINS} grains poured on one spot", aspect="equal")
    axes.legend()
    figure.savefig(picture, dpi=120)
    print(picture)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "repose.png")
