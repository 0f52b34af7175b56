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


SOFT = """scree: 1
materials: {glass: {density: 2500, friction: 0.4, restitution: 0.6, dem: {stiffness: 20 kN/m, slide_stiffness: 6 kN/m}}}
bodies: [{name: floor, shape: {plane: {}}}]
generators:
  - {name: grain, lattice: {count: [6, 6, 6], spacing: 1.99 mm, origin: [0, 0, 1 mm]}, radius: 1 mm}
  - {name: late, pour: {count: 4, every: 0.4 ms, from: {box: {min: [0, 0, 16 mm], max: [10 mm, 10 mm, 20 mm]}}}, radius: 1 mm}
stepper: {scheme: dem, step: 2 us}
run: {until: 3 ms}
output: {every: 0.5 ms}
"""


def test_soft_contacts_have_the_bits_of_the_command_line(tmp_path, command):
    (tmp_path / "soft.yaml").write_text(SOFT)
    command("run", tmp_path / "soft.yaml", "-o", tmp_path / "c", "--quiet")
    whole = json.loads((tmp_path / "c/summary.json").read_text())
    simulation = scree.Simulation(tmp_path / "soft.yaml")
    assert simulation.run().step == 1500 and sorted(p.name for p in tmp_path.iterdir()) == ["c", "soft.yaml"]
    assert f"{simulation.world.hash():016x}" == whole["hash"]
    # stopped in the middle by Python, continued by the command
    part = scree.Simulation(tmp_path / "soft.yaml")

    def stop(running):
        if running.world.time > 1.2e-3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        part.run(tmp_path / "part", progress=stop, checkpoints=True)
    assert json.loads((tmp_path / "part/summary.json").read_text())["outcome"] == "interrupted"
    loaded = scree.Simulation.load(tmp_path / "part")
    assert loaded.world.hash() == part.world.hash()
    command("run", "--resume", "-o", tmp_path / "part", "--quiet")
    assert json.loads((tmp_path / "part/summary.json").read_text())["hash"] == whole["hash"]
    assert (tmp_path / "part/series.csv").read_bytes() == (tmp_path / "c/series.csv").read_bytes()


def test_a_run_takes_steps_in_batches(tmp_path, monkeypatch):
    simulation, calls = scree.Simulation(scree.Scene.parse(SOFT, set=["output.every=0"])), 0

    class Counting:
        def __getattr__(self, name):
            nonlocal calls
            calls += name == "scree_run_next"
            return getattr(scree._core.lib, name)

    monkeypatch.setattr(scree.scene, "lib", Counting())
    simulation.run()
    assert simulation.stepper.totals().steps == 1500 and calls < 150


def test_frames_come_at_their_times(root):
    simulation = scree.Simulation(root / "examples/ball.yaml")
    x, times = simulation.world.positions, []
    for report in simulation.frames(every=0.5, until=2.2):
        times.append(simulation.world.time)
        assert x[1, 0] > 0 or report is None
    np.testing.assert_allclose(times, [0, 0.5, 1, 1.5, 2, 2.2], atol=1e-9)
    assert simulation.census().dynamic == 1 and simulation.overlaps() == []
    assert simulation.stepper.totals().steps == 440
    assert list(simulation.frames(until=0)) == [None]
    assert [r and r.step for r in simulation.frames(every=0, until=2.3)] == [None, 460]


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


MEASURED = """scree: 1
gravity: 0
materials: {stone: {density: 2500, friction: 0.5}}
bodies: [{name: floor, shape: {plane: {}}, position: [0, 0, -9]}]
generators:
  - {name: ball, lattice: {count: [1, 1, 10], spacing: 100 mm}, radius: 10 mm, velocity: [0, 0, -1 m/s]}
measures:
  outlet: {flow: {at: [0, 0, -45 mm], normal: -z}}
  above: {inside: {box: {min: [-1, -1, -45 mm], max: [1, 1, 2]}}}
  column: {profile: {min: [-1, -1, 0], max: [1, 1, 1], bins: 2}}
stepper: {step: 1 ms}
run: {until: 1 s}
output: {every: 0.1 s}
"""


def test_what_a_scene_measures_is_in_its_series(tmp_path):
    simulation = scree.Simulation(scree.Scene.parse(MEASURED))
    simulation.run(tmp_path / "run")
    series = scree.Result(tmp_path / "run").series()
    mass = 2500 * 4 / 3 * np.pi * 1e-6
    np.testing.assert_array_equal(series["outlet.count"], np.arange(11))
    np.testing.assert_array_equal(series["above.count"], 10 - np.arange(11))
    np.testing.assert_allclose(series["outlet.rate[kg/s]"][1:], 10 * mass, rtol=1e-9)
    assert simulation.measures()["outlet.count"] == 10 and set(simulation.measures()) == {
        "outlet.mass", "outlet.count", "outlet.rate", "above.count", "above.mass"
    }
    profile = np.genfromtxt(tmp_path / "run/profile_column.csv", delimiter=",", names=True)
    assert profile.size == 22 and profile["count"][0] == 5


def test_a_saved_simulation_goes_on_measuring(tmp_path):
    simulation = scree.Simulation(scree.Scene.parse(MEASURED))
    simulation.advance(300)
    simulation.save(tmp_path)
    again = scree.Simulation.load(tmp_path)
    assert again.measures() == simulation.measures() and again.measures()["outlet.count"] == 3
    again.advance(200)
    assert again.measures()["outlet.count"] == 5
    assert scree.Simulation(scree.Scene.parse(MEASURED.replace("measures:", "#").replace("  outlet", "#").replace("  above", "#").replace("  column", "#"))).measures() == {}
