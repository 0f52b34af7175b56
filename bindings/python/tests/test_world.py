"""Worlds and steppers against closed forms; what becomes of views when memory moves or goes."""

import os
import signal
import threading

import numpy as np
import pytest

import scree


def ball_on_floor(radius=0.5, rolling=None, **ball):
    world = scree.World()
    stone = world.add_material("stone", 2500.0, mu=0.2, rolling=rolling or scree.length(0.04))
    world.add_body(scree.shape_plane(stone), "fixed", name="floor")
    world.add_body(scree.shape_sphere(radius, stone), position=(0, 0, radius), name="ball", **ball)
    return world


def test_ball_rolls_to_rest_where_theory_says():
    world = ball_on_floor(velocity=(2.5, 0, 0), spin=(0, 5, 0))
    stepper = scree.Stepper(step=5e-3, scheme="moreau_jean")
    stepper.run(world, 6.0)
    # rolling with v = R w: 7/5 m v' = -m g rho / R, so v^2 / (2 a) with a = 5/7 g rho / R
    distance = 2.5**2 / (2 * 5 / 7 * 9.81 * 0.04 / 0.5)
    assert world.positions[1, 0] == pytest.approx(distance, rel=1e-5)
    assert np.abs(world.velocities).max() == 0.0 and world.time == pytest.approx(6.0)
    totals = stepper.totals()
    assert totals.steps == 1200 and totals.energy.roll == pytest.approx(0.7 * world.mass(1) * 2.5**2, rel=1e-9)
    assert abs(totals.energy.balance) < 1e-9


def test_materials_that_do_not_touch_fall_through_each_other():
    world = ball_on_floor()
    assert world.pair_touching(0, 0)
    world.set_pair_touching(0, 0, False)
    assert not world.pair_touching(0, 0)
    scree.Stepper(step=1e-3).run(world, 0.5)
    assert world.positions[1, 2] == pytest.approx(0.5 - 0.5 * 9.81 * 0.25, abs=1e-2) and world.contacts.size == 0
    with pytest.raises(IndexError, match="no material 5"):
        world.set_pair_touching(0, 5, False)


def test_contacts_are_an_array():
    world = ball_on_floor()
    report = scree.Stepper(step=1e-3).step(world)
    contacts = world.contacts
    assert report.contacts == contacts.size == 1
    np.testing.assert_array_equal(contacts["normal"], [[0, 0, 1]])
    assert contacts["impulse"][0, 0] == pytest.approx(world.mass(1) * 9.81 * 1e-3)
    assert (contacts["body_a"][0], contacts["body_b"][0]) == (0, 1)
    force, _ = world.contact_force(1)
    assert force[2] == pytest.approx(world.mass(1) * 9.81)
    assert scree.mode_name(contacts["mode"][0]) == "stick"
    np.testing.assert_array_equal(world.islands(), [-1, 0])
    assert world.body_name(1) == "ball" and world.find_body("floor") == 0 and world.body_kind(0) == scree.BODY_FIXED


def test_views_show_the_memory_itself():
    world = ball_on_floor(velocity=(1, 0, 0))
    x, before = world.positions, world.positions.copy()
    assert not x.flags.owndata and not x.flags.writeable and x.ctypes.data == world.positions.ctypes.data
    scree.Stepper().step(world)
    assert x[1, 0] > before[1, 0]
    with pytest.raises(ValueError):
        x[0, 0] = 1.0
    world.set_state(1, position=(3, 0, 1), velocity=(0, 0, 0))
    assert x[1, 0] == 3.0


def test_the_clock_takes_driven_bodies_with_it():
    world = scree.World()
    steel = world.add_material("steel", density=7800)
    plate = world.add_body(scree.shape_box(1, 1, 1, steel), "driven", motion={"velocity": (0.5, 0, 0)})
    world.set_time(3.0, 30)
    assert (world.time, world.step_count) == (3.0, 30)
    np.testing.assert_allclose(world.positions[plate], (1.5, 0, 0), atol=1e-15)
    for time, steps in ((np.nan, 0), (np.inf, 0), (0.0, -1)):
        with pytest.raises(ValueError):
            world.set_time(time, steps)


def test_views_outlive_growth_and_close():
    world = ball_on_floor()
    old, stone = world.positions, 0
    expected = old.copy()
    for k in range(3000):  # the arrays move several times
        world.add_body(scree.shape_sphere(0.1, stone), position=(k, 10, 10))
    assert world.positions.ctypes.data != old.ctypes.data
    np.testing.assert_array_equal(old, expected)
    now, shown = world.positions, world.positions.copy()
    contacts = world.contacts
    world.close()
    np.testing.assert_array_equal(now, shown)
    assert contacts.size == 0
    held = scree.memory_live()[1]
    del old, now
    assert scree.memory_live()[1] < held  # what the views kept is gone with them


def test_a_closed_object_raises():
    world, stepper = ball_on_floor(), scree.Stepper()
    with world:
        stepper.step(world)
    for use in (lambda: world.time, lambda: world.positions, lambda: stepper.step(world), lambda: world.add_material("x")):
        with pytest.raises(ValueError, match="the world is closed"):
            use()
    stepper.close()
    with pytest.raises(ValueError, match="the stepper is closed"):
        stepper.totals()


def test_wrong_numbers_are_refused():
    world = ball_on_floor()
    for call in (lambda: world.mass(2), lambda: world.mass(-1), lambda: world.set_state(7), lambda: world.remove_body(9)):
        with pytest.raises(IndexError, match="there is no body"):
            call()
    with pytest.raises(IndexError, match="there is no material 5"):
        world.add_body(scree.shape_sphere(0.1, 5))
    with pytest.raises(TypeError, match=r"length\(0.002\), ratio\(0.02\) or reduced_ratio\(0.1\)"):
        world.add_material("x", 1.0, rolling=0.02)
    with pytest.raises(TypeError, match="did you mean 'restitution'"):
        world.add_material("x", 1.0, restituton=0.02)
    with pytest.raises(scree.InputError):
        world.add_body(scree.shape_sphere(-1.0, 0))
    with pytest.raises(KeyError):
        world.find_body("nobody")
    with pytest.raises(ValueError, match="position has the shape"):
        world.add_body(scree.shape_sphere(0.1, 0), position=(1, 2))


def test_threads_change_no_bit():
    hashes = set()
    for threads in (1, 2, 3):
        world = ball_on_floor()
        for k in range(200):
            world.add_body(scree.shape_sphere(0.1, 0), position=(0.19 * (k % 7), 0.19 * (k // 7 % 7), 1.2 + 0.19 * (k // 49)))
        stepper = scree.Stepper(step=2e-3, threads=threads)
        stepper.run(world, 0.2)
        hashes.add(world.hash())
    assert len(hashes) == 1


def test_driven_bodies_and_forces_as_tables():
    world = scree.World(gravity=(0, 0, 0))
    steel = world.add_material("steel", 7800.0, mu=0.3)
    wall = world.add_body(scree.shape_box(1, 1, 1, steel), "driven", motion={"velocity": ([0.0, 1.0], [(0, 0, 0), (2, 0, 0)])})
    ball = world.add_body(scree.shape_sphere(0.1, steel), position=(0, 5, 0), mass=2.0, force=(0, 4.0, 0))
    scree.Stepper(step=1e-3).run(world, 1.0)
    assert world.positions[wall, 0] == pytest.approx(1.0)  # integral of 2 t
    assert world.velocities[ball, 1] == pytest.approx(2.0)
    assert world.mass(ball) == 2.0


def test_problem_hook_hands_out_problems_to_keep():
    world, kept = ball_on_floor(velocity=(1, 0, 0)), []
    stepper = scree.Stepper()
    stepper.set_problem_hook(lambda problem, p, step: kept.append((problem, p)))
    stepper.run(world, 0.05)
    stepper.set_problem_hook(None)
    stepper.step(world)
    assert len(kept) == 10
    problem, p = kept[3]
    assert problem.contact_count == 1 and problem.residual(p) < 1e-8


def test_a_callback_cannot_step_its_own_world():
    world, stepper = ball_on_floor(), scree.Stepper()
    stepper.set_problem_hook(lambda problem, p, step: stepper.step(world))
    with pytest.raises(RuntimeError, match="in use"):
        stepper.step(world)


def test_ctrl_c_ends_a_run_between_steps(ctrl_c):
    world, stepper = ball_on_floor(velocity=(1, 0, 0)), scree.Stepper(step=1e-4)
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        stepper.run(world, 1e9)
    assert world.step_count == stepper.totals().steps > 0
    stepper.step(world)


def test_a_body_that_runs_away_is_named():
    world = scree.World(speed_limit=5.0)
    stone = world.add_material("stone", 1000.0)
    world.add_body(scree.shape_sphere(0.1, stone), velocity=(4.9999, 0, 0), name="runaway")
    with pytest.raises(scree.RunawayError, match="runaway"):
        scree.Stepper(step=0.1).run(world, 2.0)


def test_soft_contacts_give_back_the_speed_they_should():
    world = scree.World(gravity=(0, 0, 0))
    rubber = world.add_material("rubber", 1100.0, mu=0.5, restitution=0.7, dem={"young": 1e7, "poisson": 0.45, "normal": "hertz"})
    world.add_body(scree.shape_plane(rubber), "fixed")
    world.add_body(scree.shape_sphere(0.05, rubber), position=(0, 0, 0.06), velocity=(0, 0, -2))
    stepper = scree.Stepper(scheme="dem", step=1e-6)
    assert stepper.check(world) > 1e-6
    report = stepper.advance(world, 20000)
    assert world.velocities[1, 2] == pytest.approx(0.7 * 2, rel=1e-3)  # docs/math/dem.md: e does not depend on the stiffness
    assert report.step == world.step_count == 20000
    with pytest.raises(TypeError, match="no 'yung'; there are: "):
        world.add_material("x", 1.0, dem={"yung": 1})
    with pytest.raises(scree.StepError, match="step"):
        scree.Stepper(scheme="dem", step=1.0).check(world)


def test_a_hull_is_shared_and_outlives_its_maker():
    corners = np.array([[x, y, z] for x in (0, 2) for y in (0, 1) for z in (0, 3)], float)
    hull = scree.Geometry.hull(np.concatenate((corners, [[1, 0.5, 1.5]])))
    mass = hull.mass_properties()
    assert mass.volume == pytest.approx(6.0) and mass.centre == pytest.approx([1, 0.5, 1.5])
    assert len(hull.vertices()) == 8 and len(hull.triangles()) == 12
    world = scree.World()
    stone = world.add_material("stone", 1000.0, mu=0.5)
    world.add_body(scree.shape_plane(stone), "fixed")
    block = world.add_body(scree.shape_hull(hull, stone, scale=0.1), position=(0, 0, 0), name="block")
    late = scree.shape_hull(hull, stone)
    hull.close()
    for use in (hull.vertices, lambda: world.add_body(late)):
        with pytest.raises(ValueError, match="the geometry is closed"):
            use()
    scree.Stepper(step=5e-3).run(world, 0.2)
    assert world.mass(block) == pytest.approx(6.0) and world.positions[block, 2] == pytest.approx(0.15)  # it stands
    with pytest.raises(scree.InputError):
        scree.Geometry.hull(corners[:3])


def test_a_ball_rests_on_a_ground_of_heights():
    ground = scree.Geometry.heights(np.zeros((5, 5)), cell=0.5)
    assert ground.open_edges() == 16
    world = scree.World()
    stone = world.add_material("stone", 1000.0, mu=0.5)
    world.add_body(scree.shape_mesh(ground, stone), "fixed", name="ground")
    ball = world.add_body(scree.shape_sphere(0.1, stone), position=(1.1, 0.9, 0.1))
    scree.Stepper(step=5e-3).run(world, 0.5)
    np.testing.assert_allclose(world.positions[ball], [1.1, 0.9, 0.1], atol=1e-9)
    cube = scree.Geometry.hull([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    mesh = scree.Geometry.mesh(cube.vertices(), cube.triangles())
    assert mesh.open_edges() == 0 and mesh.mass_properties().volume == pytest.approx(1.0)
    with pytest.raises(ValueError, match="numbers of points"):
        scree.Geometry.mesh(cube.vertices(), [[0, 1, 8]])


def test_a_motor_turns_a_hinge_up_to_its_bound():
    world = scree.World(gravity=(0, 0, 0))
    stone = world.add_material("stone", 1000.0)
    ball = world.add_body(scree.shape_sphere(0.1, stone), mass=1.0)
    wheel = world.add_body(scree.shape_sphere(0.1, stone), mass=1.0, position=(1, 0, 0))
    axle = world.add_joint("hinge", -1, ball, (0, 0, 0), axis=(0, 0, 2), motor=1, target=10.0, bound=0.02, name="axle")
    assert world.find_joint("axle") == axle and world.joint_name(axle) == "axle"
    stepper = scree.Stepper(step=1e-3)
    stepper.run(world, 1.0)
    assert world.joints["rate"][axle] == pytest.approx(0.02 / 0.004)  # moment over inertia
    assert world.joints["motor"][axle] == pytest.approx(0.02)
    world.set_motor(axle, 1.0)
    stepper.run(world, 1.1)
    assert world.joints["rate"][axle] == pytest.approx(1.0)
    ramp = world.add_joint("hinge", -1, wheel, (1, 0, 0), motor=1, course={"table": ([0.0, 1.0], [0.0, 2.0]), "amplitude": 1.0, "phase": 0.5})
    stepper.run(world, 1.3)
    assert world.joints["rate"][ramp] == pytest.approx(2.0 + np.sin(0.5))
    with pytest.raises(ValueError, match="2 times for 1 values"):
        world.add_joint("hinge", -1, wheel, (1, 0, 0), motor=1, course={"table": ([0.0, 1.0], [0.0])})
    with pytest.raises(TypeError, match="no field 'frequenzy'"):
        world.add_joint("hinge", -1, wheel, (1, 0, 0), motor=1, course={"frequenzy": 1.0})
    with pytest.raises(ValueError, match="a joint with a motor"):
        world.set_motor(axle, float("nan"))
    with pytest.raises(scree.InputError, match="itself"):
        world.add_joint("ball", ball, ball, (0, 0, 0))
    for use in (lambda: world.joint_name(3), lambda: world.set_motor(-1, 0.0)):
        with pytest.raises(IndexError, match="there is no joint"):
            use()


def test_a_ball_in_a_bowl_or_a_lying_tube_stays_at_the_lowest_point():
    lying = (0.5**0.5, 0.5**0.5, 0, 0)
    for wall in (lambda m: scree.shape_bowl(1.0, 1.0, m), lambda m: scree.shape_tube(1.0, 1.0, 2.0, m, rotation=lying)):
        world = scree.World()
        stone = world.add_material("stone", 1000.0, mu=0.5)
        world.add_body(wall(stone), "fixed")
        ball = world.add_body(scree.shape_sphere(0.1, stone), position=(0, 0, -0.9))
        scree.Stepper(step=1e-3).advance(world, 100)
        assert np.abs(world.positions[ball] - (0, 0, -0.9)).max() < 1e-9
        assert world.contact_force(ball)[0][2] == pytest.approx(9.81 * world.mass(ball), rel=1e-6)


def test_a_cylindrical_joint_slides_and_turns():
    world = scree.World()
    stone = world.add_material("stone", 1000.0)
    nut = world.add_body(scree.shape_box(0.1, 0.1, 0.1, stone), position=(0, 0, 1))
    joint = world.add_joint("cylindrical", -1, nut, (0, 0, 1), axis=(0, 0, 1), turn={"motor": "speed", "course": {"table": ([0, 1], [0, 4])}})
    stepper = scree.Stepper(step=1e-3, scheme="moreau_jean")
    stepper.run(world, 0.5)
    assert world.joints["coordinate"][joint] == pytest.approx(-0.5 * 9.81 * 0.25, rel=1e-6)
    assert world.joints["turn"][joint] == pytest.approx(0.5, abs=3e-3)
    world.set_turn_motor(joint, -4.0)
    stepper.run(world, 0.6)
    assert world.joints["turn_rate"][joint] == pytest.approx(-4.0 + 2.4, abs=0.01)
    with pytest.raises(ValueError, match="expected a cylindrical joint with a motor"):
        world.set_turn_motor(world.add_joint("fixed", -1, nut, (0, 0, 1)), 1.0)


def test_a_periodic_cell_shrinks_with_its_bodies():
    world = scree.World(gravity=(0, 0, 0), periodic=(1, 1, 1), low=(0, 0, 0), high=(1, 1, 1), soft=1, strain_rate=(-1.0, 0, -2.0))
    rubber = world.add_material("rubber", 1000.0, dem={"stiffness": 1e4})
    ball = world.add_body(scree.shape_sphere(0.1, rubber), position=(0.25, 0.25, 0.25))
    scree.Stepper(step=1e-4, scheme="dem").advance(world, 1000)
    low, high = world.cell
    assert high - low == pytest.approx(np.exp([-0.1, 0, -0.2]), rel=1e-12)
    assert world.positions[ball] == pytest.approx(0.5 - 0.25 * np.exp([-0.1, 0, -0.2]), rel=1e-12)
