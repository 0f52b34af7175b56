"""Nothing that a program can pass ends the interpreter, and HDF5 is one thread's at a time."""

import threading

import numpy as np
import pytest

import scree

NONSENSE = [-1, 1 << 40, float("nan"), float("inf"), -float("inf"), 1e300, None, "x", [], (1, 2), np.zeros(7), object()]
REFUSED = (scree.Error, ValueError, TypeError, IndexError, KeyError, OverflowError, AttributeError)


def small_world():
    world = scree.World()
    world.add_material("stone", 2500.0, mu=0.5)
    world.add_body([scree.shape_sphere(0.1, 0)], position=(0, 0, 0.1))
    return world


def test_every_method_of_a_world_survives_nonsense():
    for name in sorted(dir(scree.World)):
        if name.startswith("_") or name in ("close",):
            continue
        for bad in NONSENSE:
            for count in (1, 2):
                world = small_world()
                member = getattr(world, name)
                if not callable(member):
                    continue
                try:
                    member(*[bad] * count)
                except REFUSED:
                    pass


@pytest.mark.parametrize("h", [-1.0, float("nan"), float("inf")])
def test_contacts_within_no_time_are_refused(h):
    with pytest.raises(ValueError, match="expected 0 or more"):
        scree.World().detect(h)


def test_a_world_without_bodies_is_stepped():
    world = scree.World()
    assert world.detect(1e-3) == 0
    assert scree.Stepper().step(world).contacts == 0


def test_times_and_names_that_are_none():
    world = small_world()
    with pytest.raises(ValueError, match="expected a finite time"):
        scree.Stepper().run(world, until=float("nan"))
    with pytest.raises(ValueError, match="already"):
        world.add_material("stone", 1000.0)
    with pytest.raises(ValueError, match="zero byte"):
        world.add_material("a\0b", 1000.0)
    with pytest.raises(ValueError, match="control character"):
        world.add_material("a\x1b[31m", 1000.0)


def test_a_batch_takes_pairs_of_stepper_and_world():
    world, stepper = small_world(), scree.Stepper(step=1e-3)
    for wrong in ((world, stepper), (stepper,), (stepper, stepper)):
        with pytest.raises(TypeError, match=r"items\[0\]: expected a Simulation or a pair \(Stepper, World\)"):
            scree.Batch([wrong])
    with pytest.raises(TypeError, match=r"items\[1\]"):
        scree.Batch([(stepper, world), "ab"])


def problem():
    return scree.Problem.create([scree.cone_slide(0.5)] * 3, np.eye(9) + 0.1, q=[-1, 0, 0] * 3)


def test_a_problem_takes_only_numbers():
    p = problem()
    for array in (p.q, p.cone):
        with pytest.raises(ValueError):
            array[0] = array[0]
    with pytest.raises(ValueError, match="not finite"):
        p.q = [float("nan")] * 9
    with pytest.raises(ValueError, match="not finite"):
        scree.Problem.create([scree.cone_slide(0.5)], np.full((3, 3), np.nan), q=[0, 0, 0])
    assert p.solve().converged


def test_hdf5_is_one_threads_at_a_time(tmp_path):
    failures = []

    def work(k):
        p = problem()
        for i in range(40):
            try:
                p.write(tmp_path / f"{k}.hdf5")
                if i % 10 == 0:
                    scree.Problem.read(tmp_path / f"{k}.hdf5")
            except Exception as error:  # noqa: BLE001
                failures.append(str(error))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def test_a_folder_has_one_output(tmp_path):
    first = scree.Output(tmp_path / "run")
    with pytest.raises(scree.InputError, match="an output is writing there"):
        scree.Output(tmp_path / "run")
    first.close()
    scree.Output(tmp_path / "run").close()
    assert not (tmp_path / "run" / "writer.lock").exists()
