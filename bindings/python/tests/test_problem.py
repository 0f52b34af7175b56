"""Problems and solvers. Solutions are judged with numpy from W, q and the cones."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import scree


def bodies_and_contacts(seed=0, bodies=12, contacts=30):
    """H', M^-1 and v_free of bodies that touch in random frames."""
    random = np.random.default_rng(seed)
    Ht = np.zeros((3 * contacts, 6 * bodies))
    for c in range(contacts):
        a, b = random.choice(bodies, 2, replace=False)
        block = random.normal(size=(3, 6))
        Ht[3 * c : 3 * c + 3, 6 * a : 6 * a + 6] = -block
        Ht[3 * c : 3 * c + 3, 6 * b : 6 * b + 6] = random.normal(size=(3, 6))
    inv_mass = np.diag(random.uniform(0.5, 2.0, 6 * bodies))
    return Ht, inv_mass, random.normal(size=6 * bodies)


def obeys_coulomb(p, y, mu, tolerance):
    for r, u in zip(p.reshape(-1, 3), y.reshape(-1, 3)):
        friction, slip = np.linalg.norm(r[1:]), np.linalg.norm(u[1:])
        assert r[0] >= -tolerance and u[0] >= -tolerance and abs(r[0] * u[0]) <= tolerance
        assert friction <= mu * r[0] + tolerance
        assert abs(r[1:] @ u[1:] + mu * r[0] * slip) <= tolerance * (1 + slip)


def hard_problem():
    """One that many sweeps do not solve to 1e-14: time enough to interrupt."""
    Ht, inv_mass, v = bodies_and_contacts(5, 40, 200)
    return scree.Problem.create([scree.cone_slide(0.8)] * 200, Ht=Ht, inv_mass=inv_mass, v_free=v)


@pytest.mark.parametrize("form", ["W", "inv_mass", "mass"])
def test_solution_obeys_the_law(form):
    Ht, inv_mass, v = bodies_and_contacts()
    W, q = Ht @ inv_mass @ Ht.T, Ht @ v
    cones = [scree.cone_slide(0.4)] * 30
    if form == "W":
        problem = scree.Problem.create(cones, W, q)
    else:
        mass = {"inv_mass": inv_mass} if form == "inv_mass" else {"mass": np.linalg.inv(inv_mass)}
        problem = scree.Problem.create(cones, Ht=Ht, v_free=v, **mass)
    x = np.random.default_rng(1).normal(size=90)
    np.testing.assert_allclose(problem.apply(x), W @ x, atol=1e-12)
    np.testing.assert_allclose(problem.q, q, atol=1e-12)
    solution = problem.solve(tolerance=1e-11)
    assert solution.converged and solution.info.residual <= 1e-11
    np.testing.assert_allclose(solution.y, W @ solution.p + q, atol=1e-10)
    obeys_coulomb(solution.p, W @ solution.p + q, 0.4, 1e-7)
    assert solution.certificate.mode_count.sum() == 30
    certificate, y = problem.certify(solution.p)
    assert certificate.residual == problem.residual(solution.p)
    np.testing.assert_array_equal(y, solution.y)
    if form != "W":
        np.testing.assert_allclose(problem.body_velocities(solution.p), v + inv_mass @ Ht.T @ solution.p, atol=1e-10)
        assert problem.body_count == 12 and problem.assemble().W is not None


def test_blocks_of_scipy_matrices_come_back():
    sparse = pytest.importorskip("scipy.sparse")
    random = np.random.default_rng(4)
    cones = [scree.cone_slide(0.5), scree.cone_slide_roll_spin(0.5, 0.1, 0.1), scree.cone_planar(0.2)]
    A = sparse.random(12, 12, 0.3, random_state=5)
    W = (A @ A.T + sparse.identity(12)).tocsr()
    problem = scree.Problem.create(cones, W, random.normal(size=12), bound=[np.inf])
    assert (problem.W.to_scipy() != W).nnz == 0
    np.testing.assert_array_equal(problem.W.to_dense(), W.toarray())
    np.testing.assert_array_equal(problem.offset, [0, 3, 9, 11, 12])
    assert problem.cone["coef"][1, 1] == 0.1 and problem.bound[0] == np.inf
    solution = problem.solve()
    assert solution.converged and abs(solution.y[11]) < 1e-7  # the bilateral row does not move


def test_files_keep_every_bit(tmp_path):
    Ht, inv_mass, v = bodies_and_contacts()
    problem = scree.Problem.create([scree.cone_slide(0.4)] * 30, Ht @ inv_mass @ Ht.T, Ht @ v)
    for name in ("p.dat", "p.hdf5"):
        problem.write(tmp_path / name)
        again = scree.Problem.read(tmp_path / name)
        np.testing.assert_array_equal(again.q, problem.q)
        np.testing.assert_array_equal(again.W.to_dense(), problem.W.to_dense())


def test_messages_are_those_of_the_command_line(tmp_path, command):
    (tmp_path / "bad.dat").write_text("3 1\n0 3 3 3 3\n1 0 0 0 1 0 0 0 one\n0 0 0\n0.5\n")
    with pytest.raises(scree.InputError) as caught:
        scree.Problem.read(tmp_path / "bad.dat")
    assert command("solve", tmp_path / "bad.dat").splitlines()[0] == str(caught.value)
    assert caught.value.line == 3
    with pytest.raises(scree.UnsupportedError, match="no solver"):
        hard_problem().solve(solver="nosuch")


def test_views_are_the_memory_of_the_problem():
    problem = scree.Problem.create(scree.cone_planar(0.5), np.eye(2), [-1.0, 0.0])
    q, again = problem.q, problem.q
    assert q.ctypes.data == again.ctypes.data and not q.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        q[0] = -3.0
    problem.q = [-3.0, 0.0]
    assert q[0] == -3.0 and problem.solve().p[0] == pytest.approx(3.0)
    problem.set_blocks([2.0, 0.0, 0.0, 1.0])
    assert problem.solve().p[0] == pytest.approx(1.5)
    problem.cone = scree.cone_planar(0.25)
    assert problem.cone["coef"][0, 0] == 0.25
    with pytest.raises(scree.InputError, match="other sizes"):
        problem.cone = scree.cone_slide(0.25)
    with pytest.raises(scree.InputError, match="not finite"):
        problem.q = [np.nan, 0.0]
    problem.close()
    assert q[0] == -3.0  # still readable
    with pytest.raises(ValueError, match="the problem is closed"):
        problem.solve()
    problem.close()  # twice is allowed


def test_solver_is_used_again_with_another_q():
    Ht, inv_mass, v = bodies_and_contacts()
    problem = scree.Problem.create([scree.cone_slide(0.4)] * 30, Ht=Ht, inv_mass=inv_mass, v_free=v)
    with scree.Solver(problem, "nsgs", tolerance=1e-10) as solver:
        first = solver.solve(problem)
        problem.q = 2.0 * problem.q
        second = solver.solve(problem, first.p)
        assert second.converged and problem.residual(second.p) <= 1e-10
    problem.close()
    with pytest.raises(ValueError, match="closed"):
        solver.solve(problem)


def test_trace_sees_the_residual_fall():
    seen = []
    Ht, inv_mass, v = bodies_and_contacts()
    problem = scree.Problem.create([scree.cone_slide(0.4)] * 30, Ht=Ht, inv_mass=inv_mass, v_free=v)
    solution = problem.solve(solver="nsgs", tolerance=1e-6, trace=seen.append)
    assert len(seen) > 1 and seen[-1].residual <= seen[0].residual
    assert solution.info.solver == "nsgs"


def test_exception_in_a_trace_ends_the_solve():
    def trace(info):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        hard_problem().solve(trace=trace)


def test_problem_in_use_cannot_be_closed():
    problem = hard_problem()
    with pytest.raises(RuntimeError, match="the problem is in use"):
        problem.solve(trace=lambda info: problem.close())
    assert problem.solve(solver="nsgs", max_iterations=3).info.iterations == 3


def test_ctrl_c_ends_a_solve(ctrl_c):
    problem, began = hard_problem(), time.monotonic()
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        problem.solve(solver="nsgs", tolerance=1e-300, max_iterations=2_000_000_000)
    assert time.monotonic() - began < 10.0
    assert problem.residual(np.zeros(problem.row_count)) > 0  # it can be used again


def test_infeasible_comes_with_its_proof():
    W = np.diag([1.0, 1.0, 1.0, 1.0])  # a body between two walls that close in on it
    W[0, 2] = W[2, 0] = -1.0
    problem = scree.Problem.create([scree.cone_planar(0.5)] * 2, W, [-1.0, 0.0, -1.0, 0.0])
    solution = problem.solve()
    assert solution.info.outcome == scree.OUTCOME_INFEASIBLE and solution.proof.proved
    z = solution.direction
    assert problem.q @ z < 0 and np.abs(problem.apply(z)).max() <= solution.proof.motion * np.abs(z).max() + 1e-12
    assert problem.infeasible(z)[0].proved


def test_solvers_are_those_of_the_command_line(command):
    listed = command("solvers")
    names = [s.name for s in scree.solvers()]
    assert "auto" in names and all(f"{name} " in listed for name in names)


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match=r"W has the shape \(3, 3\), expected \(2, 2\)"):
        scree.Problem.create(scree.cone_planar(0.5), np.eye(3))
    with pytest.raises(TypeError, match="mass or inv_mass"):
        scree.Problem.create(scree.cone_planar(0.5), Ht=np.ones((2, 6)))
    with pytest.raises(TypeError, match="no field 'tolerence' .did you mean 'tolerance'"):
        hard_problem().solve(tolerence=1e-3)
    with pytest.raises(ValueError, match="structure"):
        scree.Solver(hard_problem()).solve(scree.Problem.create(scree.cone_planar(0.5), np.eye(2)))
