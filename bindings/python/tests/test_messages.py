"""What the package itself refuses is said in words; what C refuses has C's words (tests in tests/)."""

import numpy as np
import pytest

import scree
from scree import _core


def refused(kind, words, call):
    with pytest.raises(kind) as caught:
        call()
    assert words in str(caught.value)


def test_values(root, tmp_path):
    refused(ValueError, "a path cannot contain a zero byte", lambda: scree.Scene.read("a\0b"))
    refused(ValueError, "expected whole numbers of 32 bits", lambda: _core.integers([0.5]))
    refused(ValueError, "99 is no scree_law", lambda: scree.Problem.create([scree.cone_slide(0.5)], W=np.eye(3), q=np.zeros(3), law=99))
    refused(ValueError, "step is -1.0, expected a number above 0", lambda: scree.map_natural(scree.cone_slide(0.5), np.zeros(3), np.zeros(3), -1.0))
    refused(scree.InputError, "bad input", lambda: _core.check(_core._names.Status.ERR_INPUT))


def test_every_cause_has_an_exception_of_its_own():
    causes = [s for s in scree.Status if s not in (scree.Status.OK, scree.Status.STATUS_COUNT)]
    kinds = set()
    for status in causes:
        with pytest.raises(scree.Error) as caught:
            _core.check(status)
        kinds.add(type(caught.value))
    assert len(kinds) == len(causes) == 10 and scree.Error not in kinds


def test_what_stops_a_step(tmp_path):
    def world(**options):
        w = scree.World(**options)
        stone = w.add_material("stone", 2500.0, mu=0.5, dem={"stiffness": 1e5, "slide_stiffness": 5e4})
        w.add_body(scree.shape_plane(stone), "fixed")
        for k in range(3):
            w.add_body(scree.shape_sphere(0.1, stone), position=(0, 0, 0.0999 + 0.1998 * k))
        return w

    hasty = {"name": "nsgs", "max_iterations": 1, "tolerance": 1e-14}
    refused(scree.SolverError, "the solver nsgs reached", lambda: scree.Stepper(on_failure="stop", min_iterations=0, solver=hasty).advance(world(), 100))
    refused(scree.StepError, "beyond the critical step", lambda: scree.Stepper(scheme="dem", step=0.1).advance(world(), 1))
    refused(scree.RunawayError, "its speed of", lambda: scree.Stepper().advance(world(gravity=(0, 0, 50), speed_limit=0.2), 100))
    refused(scree.WriteError, "cannot make the file", lambda: scree.Problem.create([scree.cone_slide(0.5)], W=np.eye(3), q=np.zeros(3)).write(tmp_path / "none/x.dat"))


def test_problems():
    cone, W, q = [scree.cone_slide(0.5)], np.eye(3), np.zeros(3)
    make = scree.Problem.create
    refused(TypeError, "give W, or Ht with mass or inv_mass", lambda: make(cone))
    refused(ValueError, "Ht has 7 columns, not a multiple of body_dof = 6", lambda: make(cone, Ht=np.ones((3, 7)), inv_mass=np.eye(7)))
    refused(ValueError, "body_dof adds up to 5, Ht has 6 columns", lambda: make(cone, Ht=np.ones((3, 6)), inv_mass=np.eye(6), body_dof=[5]))
    refused(ValueError, "inv_mass must have one block for each body, on the diagonal", lambda: make(cone, Ht=np.ones((3, 6)), inv_mass=np.ones((6, 6)), body_dof=3))
    refused(ValueError, "the problem has no bodies: W is assembled", lambda: make(cone, W=W, q=q).body_velocities(np.zeros(3)))


def test_worlds(root):
    world = scree.World()
    stone = world.add_material("stone", density=2500.0, mu=0.5)
    refused(KeyError, "hinge", lambda: world.find_joint("hinge"))
    ball = scree.shape_sphere(0.1, stone)
    refused(ValueError, "2 times for 1 values", lambda: world.add_body(ball, force=([0.0, 1.0], [[0.0, 0.0, 1.0]])))
    refused(ValueError, "expected as many radii as centres", lambda: scree.heap_measure(np.zeros((2, 3)), np.ones(1)))
    simulation = scree.Simulation(root / "examples/ball.yaml")
    refused(ValueError, "world and stepper belong to a simulation: call its step()", lambda: simulation.stepper.step(simulation.world))


def test_results(root, tmp_path):
    simulation = scree.Simulation(root / "examples/ball.yaml", set={"run.until": "0.02 s"})
    simulation.run(tmp_path / "run")
    result = scree.Result(tmp_path / "run")
    frame = result.frame(0)
    refused(IndexError, "there is no shape 2: the frame has 2", lambda: frame.shape_pose(2))
    refused(IndexError, "there is no contact 9: the frame has", lambda: frame.contact_force(9))
    refused(IndexError, "there are no frames 1 to 77: the run has", lambda: result.convert("csv", tmp_path, 1, 77))
    (tmp_path / "run" / "frames.scree").unlink()
    refused(IndexError, "the run has no frames", lambda: scree.Result(tmp_path / "run").nearest_frame(0.0))
