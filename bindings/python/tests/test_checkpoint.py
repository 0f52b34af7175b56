"""A simulation that was saved and loaded has the future of one that was not."""

import pytest

import scree


@pytest.mark.parametrize("scene", ["tests/scenes/run-mixed.yaml", "examples/door.yaml", "examples/pour.yaml"])
def test_same_bits(root, tmp_path, scene):
    first = scree.Simulation(root / scene)
    first.advance(20)
    first.save(tmp_path / "saved")
    first.save(tmp_path / "saved")  # an older one is replaced
    second = scree.Simulation.load(tmp_path / "saved", threads=2)
    assert second.world.hash() == first.world.hash() and second.world.time == first.world.time
    assert second.stepper.totals().steps == 20
    for simulation in (first, second):
        simulation.advance(20)
    assert second.world.hash() == first.world.hash()
    assert second.stepper.totals().energy.kinetic == first.stepper.totals().energy.kinetic


def test_a_run_of_the_command_is_loaded(root, tmp_path, command):
    command("run", root / "examples/ball.yaml", "-o", tmp_path / "run", "--until", 0.5, "--quiet")
    simulation = scree.Simulation.load(tmp_path / "run")
    assert simulation.world.time == pytest.approx(0.5)
    simulation.advance(10)
    whole = scree.Simulation(root / "examples/ball.yaml")
    whole.advance(110)
    assert simulation.world.hash() == whole.world.hash()


def test_what_is_refused(root, tmp_path, command):
    with pytest.raises(scree.FileError, match="checkpoint.h5: error: cannot open the file: No such file"):
        scree.Simulation.load(tmp_path)
    (tmp_path / "checkpoint.h5").write_text("nothing")
    with pytest.raises(scree.InputError, match="this is not a checkpoint of scree, or it is cut short"):
        scree.Simulation.load(tmp_path)
    simulation = scree.Simulation(root / "examples/ball.yaml", set={"run.until": "0.02 s"})
    simulation.run(tmp_path / "run")
    with pytest.raises(FileExistsError, match="holds a run, expected a folder of its own"):
        simulation.save(tmp_path / "run")
