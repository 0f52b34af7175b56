"""Copies, resets and batches: the same bits again, alone, beside others, in threads."""

import os
import shutil
import time
from pathlib import Path

import numpy as np
import pytest

import scree

SCENE = """
scree: 1
materials: {stone: {density: 2500 kg/m^3, friction: 0.5, rolling: 0.05 r}}
bodies:
  - {name: floor, shape: {plane: {}}}
generators:
  - {name: grain, lattice: {count: [2, 2, 2], spacing: 21 mm, origin: [0, 0, 12 mm], jitter: 0.2 mm}, radius: 10 mm}
stepper: {step: 2 ms}
run: {until: 1 s}
"""


def pile(**options):
    world = scree.World(**options)
    stone = world.add_material("stone", 2500.0, mu=0.5)
    world.add_body(scree.shape_plane(stone), kind="fixed")
    for k in range(3):
        world.add_body(scree.shape_sphere(0.1, stone), position=(0.02 * k, 0.01 * k, 0.12 + 0.21 * k))
    return world


def test_a_saved_state_comes_back_with_the_same_bits():
    world, stepper = pile(), scree.Stepper(step=0.005)
    stepper.advance(world, 40)
    saved = world.save()
    stepper.advance(world, 60)
    first, end = world.hash(), world.time
    world.reset()
    assert world.time == pytest.approx(0.2)
    stepper.advance(world, 60)
    assert (world.hash(), world.time) == (first, end)
    world.restore(saved)
    assert world.time == pytest.approx(0.2)


def test_nothing_saved_is_said():
    with pytest.raises(ValueError, match="call save"):
        pile().reset()


def test_a_copy_goes_its_own_way():
    world, stepper = pile(), scree.Stepper(step=0.005)
    stepper.advance(world, 30)
    twin = world.copy()
    assert twin.hash() == world.hash()
    scree.Stepper(step=0.005).advance(twin, 30)
    assert twin.time > world.time
    stepper.advance(world, 30)
    assert twin.hash() == world.hash()
    with pytest.raises(ValueError, match="copy that"):
        scree.Simulation(scree.Scene.parse(SCENE)).world.copy()


def test_another_world_is_refused():
    saved = pile().save()
    with pytest.raises(scree.InputError):
        scree.World().restore(saved)


def test_a_simulation_resets_and_copies():
    simulation = scree.Simulation(scree.Scene.parse(SCENE))
    start = simulation.world.hash()
    simulation.advance(100)
    moved = simulation.world.hash()
    twin = simulation.copy()
    assert twin.world.hash() == moved != start
    simulation.reset()
    assert simulation.world.hash() == start and simulation.stepper.totals().steps == 0
    simulation.advance(100)
    assert simulation.world.hash() == moved == twin.world.hash()


def test_a_batch_has_the_bits_of_each_alone():
    scene = scree.Scene.parse(SCENE)
    alone = scree.Simulation(scene)
    alone.advance(50)
    batch = scree.Batch([scree.Simulation(scene) for _ in range(7)], threads=3)
    assert batch.advance(20) == [""] * 7 == batch.advance(30) and len(batch) == 7
    assert all(item.world.hash() == alone.world.hash() for item in batch._items)


def test_a_batch_says_who_failed():
    worlds = [pile(speed_limit=0.5 if k == 1 else 0.0) for k in range(3)]
    batch = scree.Batch([(scree.Stepper(step=0.005), world) for world in worlds], threads=2)
    words = batch.advance(40)
    assert words[0] == words[2] == "" and "speed" in words[1]
    with pytest.raises(ValueError, match="share"):
        scree.Batch([(scree.Stepper(), worlds[0]), (scree.Stepper(), worlds[0])])


@pytest.mark.skipif(not os.environ.get("SCREE_LONG"), reason="a measurement")
def test_two_threads_gain():
    scene = scree.Scene.parse(SCENE)
    seconds = []
    for threads in (1, 2):
        batch = scree.Batch([scree.Simulation(scene) for _ in range(1000)], threads=threads)
        batch.advance(5)
        begin = time.perf_counter()
        batch.advance(50)
        seconds.append(time.perf_counter() - begin)
    print(f"1,000 worlds of 8 grains, 50 steps: {seconds[0]:.2f} s with one thread, {seconds[1]:.2f} s with two")
    assert seconds[1] < 0.75 * seconds[0]


def test_a_result_shows_itself(tmp_path, monkeypatch):
    scree.Simulation(scree.Scene.parse(SCENE)).run(tmp_path / "run", until=0.05)
    result = scree.Result(tmp_path / "run")
    command = os.environ.get("SCREE_COMMAND") or shutil.which("scree")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("SCREE_COMMAND", raising=False)
    if not (Path(os.sys.executable).with_name("scree")).exists():
        with pytest.raises(FileNotFoundError, match="SCREE_COMMAND"):
            result.picture()
        assert "<table>" in result._repr_html_() and "<img" not in result._repr_html_()
    if command is None:
        pytest.skip("the command scree is not there")
    monkeypatch.setenv("SCREE_COMMAND", command)
    assert result.picture(tmp_path / "a.png", "--size", "64x48")[:4] == b"\x89PNG" and (tmp_path / "a.png").exists()
    assert result.report().read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "data:image/png;base64," in result._repr_html_()
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert result.show().as_uri() == opened[0]
    with pytest.raises(RuntimeError, match="--size"):
        result.picture(None, "--size", "nothing")


def test_the_gymnasium_example_learns_to_stand(tmp_path):
    """The example runs without gymnasium too: it then brings the few names that it needs."""
    import runpy

    example = Path(__file__).parents[1] / "examples" / "balance.py"
    names = runpy.run_path(str(example))
    environment = names["Balance"]()
    first, _ = environment.reset(seed=1)
    again, _ = environment.reset(seed=1)
    assert np.array_equal(first, again) and first.shape == (4,)
    still, fed = names["episode"](environment, lambda state: 0.0), names["episode"](environment, names["feedback"])
    assert fed > 3 * still
