"""A run read back is the run."""

import numpy as np
import pytest

import scree


@pytest.fixture
def folder(root, tmp_path):
    simulation = scree.Simulation(root / "tests/scenes/run-mixed.yaml", set={"run.until": "0.1 s", "output.every": "20 ms"})
    simulation.run(tmp_path / "run")
    return tmp_path / "run", simulation


def test_series_and_summary(folder):
    path, simulation = folder
    result = scree.Result(path)
    assert result.summary["hash"] == f"{simulation.world.hash():016x}"
    assert result.scene == simulation.scene.text
    np.testing.assert_allclose(result.column("time[s]"), np.arange(6) * 0.02, atol=1e-9)
    assert result.column("kinetic[J]")[-1] == simulation.world.energy().kinetic
    assert result.words("outcome")[-1] == "converged" and int(result.words("hash")[-1], 16) == simulation.world.hash()
    assert set(result.series()) == set(result.columns)
    with pytest.raises(KeyError):
        result.column("nothing")


def test_last_frame_is_the_world(folder):
    path, simulation = folder
    with scree.Result(path) as result:
        frame = result.frame(-1)
        times = result.frame_times
        assert result.frame_count == 6 and result.nearest_frame(0.041) == 2
        assert result.body_names[0] == simulation.world.body_name(0) and len(result.material_names) > 0
        assert [f.time for f in result.frames()] == times.tolist()
    world = simulation.world
    for stored, now in (
        (frame.position, world.positions),
        (frame.rotation, world.rotations),
        (frame.velocity, world.velocities),
        (frame.angular_velocity, world.angular_velocities),
    ):
        np.testing.assert_array_equal(stored, now)
    for field in ("body_a", "body_b", "feature", "position", "normal", "tangent", "gap", "cone", "impulse", "velocity", "mode"):
        np.testing.assert_array_equal(frame.contact[field], world.contacts[field])
    assert frame.time == world.time and frame.step == world.step_count
    k = int(np.argmax(frame.contact["impulse"][:, 0]))
    force, _ = frame.contact_force(k)
    assert np.linalg.norm(force) == pytest.approx(np.linalg.norm(frame.contact["impulse"][k, :3]) / frame.h)
    x = frame.position
    frame.close()
    assert np.isfinite(x).all()  # result and frame are closed, the view is not
    with pytest.raises(ValueError, match="the frame is closed"):
        frame.time


def test_wrong_frames_and_folders_are_refused(folder, tmp_path):
    result = scree.Result(folder[0])
    for index in (6, -7):
        with pytest.raises(IndexError, match="there is no frame"):
            result.frame(index)
    with pytest.raises(scree.Error):
        scree.Result(tmp_path / "absent")
    with pytest.raises(ValueError, match="vtp"):
        result.convert("png", tmp_path)


def test_frames_in_other_formats(folder, tmp_path):
    scree.Result(folder[0]).convert("csv", tmp_path / "csv", first=2, last=3)
    assert any((tmp_path / "csv").rglob("*.csv"))


def test_frames_have_the_joints(root, tmp_path):
    simulation = scree.Simulation(root / "examples/four-bar.yaml", set={"run.until": "20 ms"})
    simulation.run(tmp_path / "bars")
    with scree.Result(tmp_path / "bars") as result:
        joint = result.frame(-1).joint
        assert [name.decode() for name in joint["name"]] == ["motor", "pin", "knee", "foot"]
        assert joint["body_a"].tolist() == [-1, 0, 1, -1] and (joint["kind"] == scree.JointKind.HINGE).all()
        np.testing.assert_allclose(np.linalg.norm(joint["axis"], axis=1), 1.0)
