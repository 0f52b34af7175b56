"""Scenes and runs: the same bits and the same words as the command line."""

import json

import numpy as np
import pytest

import scree


def test_a_run_has_the_bits_of_the_command_line(root, tmp_path, command):
    path = root / "tests/scenes/run-mixed.yaml"
    until = {"run.until": "0.1 s"}
    command("run", path, "--set", "run.until=0.1 s", "-o", tmp_path / "c", "--quiet")
    simulation = scree.Simulation(path, set=until)
    simulation.run(tmp_path / "python")
    summary = json.loads((tmp_path / "c/summary.json").read_text())
    assert f"{simulation.world.hash():016x}" == summary["hash"]
    for name in ("series.csv", "scene.yaml", "frames.scree"):
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "c" / name).read_bytes()
    assert json.loads((tmp_path / "python/summary.json").read_text())["outcome"] == "done"


def test_frames_come_at_their_times(root):
    simulation = scree.Simulation(root / "examples/ball.yaml")
    x, times = simulation.world.positions, []
    for report in simulation.frames(every=0.5, until=2.2):
        times.append(simulation.world.time)
        assert x[1, 0] > 0 or report is None
    np.testing.assert_allclose(times, [0, 0.5, 1, 1.5, 2, 2.2], atol=1e-9)
    assert simulation.census().dynamic == 1 and simulation.overlaps() == []
    assert simulation.stepper.totals().steps == 440


def test_pouring_moves_arrays_and_views_stay_readable(root):
    simulation = scree.Simulation(root / "examples/pile.yaml")
    first = simulation.world.positions
    before = first.copy()
    while simulation.census().poured < 100:
        simulation.step()
    assert first.shape[0] < simulation.world.positions.shape[0]
    assert np.isfinite(first).all() and first.shape == before.shape


def test_messages_are_those_of_the_command_line(root, tmp_path, command):
    (tmp_path / "bad.yaml").write_text("scree: 1\nmaterials:\n  stone: {friction: 0.5, rollin: 2 mm}\nrun: {until: 1 s}\n")
    with pytest.raises(scree.InputError) as caught:
        scree.Scene.read(tmp_path / "bad.yaml")
    assert command("check", tmp_path / "bad.yaml").splitlines()[0] == str(caught.value)
    assert caught.value.line == 3 and "did you mean" in str(caught.value)
    with pytest.raises(scree.InputError, match="--set run.untl=2"):
        scree.Scene.read(root / "examples/ball.yaml", set={"run.untl": 2})


def test_a_scene_may_be_closed_before_its_simulation(root):
    scene = scree.Scene.read(root / "examples/ball.yaml", set=["run.until=0.1 s"])
    simulation = scree.Simulation(scene)
    world = simulation.world
    scene.close()
    with pytest.raises(ValueError, match="the scene is closed"):
        scene.text
    simulation.step()
    with pytest.raises(ValueError, match="belongs to a simulation"):
        world.close()
    simulation.close()
    with pytest.raises(ValueError, match="the simulation is closed|the world is closed"):
        world.time


def test_scene_knows_its_plan_and_its_text(root):
    scene = scree.Scene.parse((root / "examples/ball.yaml").read_text(), set=["run.until=3 s"])
    assert scene.plan().until == 3.0 and scene.plan().title == "A ball rolls to rest"
    assert "until: 3 s" in scene.text
    assert json.loads(scree.scene_schema())["type"] == "object"
    assert "| key |" in scree.scene_reference()
