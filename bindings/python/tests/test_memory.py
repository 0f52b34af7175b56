"""Nothing leaks: neither what the C library allocates nor what the package holds."""

import gc
import resource

import numpy as np
import pytest

import scree


def use_everything(root):
    """Makes, uses and drops every kind of object, with and without close, with failures on the way."""
    world = scree.World()
    stone = world.add_material("stone", 2500.0, mu=0.5)
    world.add_body(scree.shape_plane(stone), "fixed")
    for k in range(20):
        world.add_body(scree.shape_sphere(0.1, stone), position=(0.2 * k, 0, 0.1))
    views = [world.positions, world.contacts]
    stepper = scree.Stepper(step=1e-3)
    kept = []
    stepper.set_problem_hook(lambda problem, p, step: kept.append(problem))
    stepper.run(world, 0.01)
    views += [world.contacts, kept[-1].q, kept[-1].W]
    kept[-1].solve(tolerance=1e-9)
    world.close()
    scene = scree.Scene.read(root / "examples/ball.yaml")
    with scree.Simulation(scene) as simulation:
        simulation.step()
        views.append(simulation.world.rotations)
    abandoned = scree.Simulation(scene)
    abandoned.step()
    for wrong in (lambda: scree.Scene.parse("scree: 2"), lambda: scree.Problem.read("/nowhere"), lambda: scree.World(margin=-1.0)):
        with pytest.raises(scree.Error):
            wrong()
    return sum(np.sum(v.view(np.uint8) if v.dtype.names else v) for v in views if isinstance(v, np.ndarray))


def test_everything_is_given_back(root):
    gc.collect()
    before = scree.memory_live()
    for _ in range(3):
        use_everything(root)
    gc.collect()
    assert scree.memory_live() == before


def test_a_loop_does_not_grow(root):
    for _ in range(5):
        use_everything(root)
    gc.collect()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(40):
        use_everything(root)
        gc.collect()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak
    assert grown < 2048  # kB; one leaked world of 21 bodies a turn would be 40 x 0.4 MB
