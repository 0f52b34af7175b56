"""The law of one contact: judged from its definition, not from what the library says of itself."""

import numpy as np
import pytest

import scree

CONES = [
    scree.cone_planar(0.3),
    scree.cone_planar_roll(0.3, 0.02),
    scree.cone_slide(0.6),
    scree.cone_slide_spin(0.6, 0.05),
    scree.cone_slide_roll(0.6, 0.02),
    scree.cone_slide_roll_spin(0.6, 0.02, 0.05),
]


def loads(cone, p):
    """The norms of r_T, m_R, m_S, in the order of the cone."""
    at = 1 + np.concatenate(([0], np.cumsum(cone.size)))
    return np.array([np.linalg.norm(p[a:b]) for a, b in zip(at, at[1:])])


@pytest.mark.parametrize("cone", CONES)
def test_projection_satisfies_moreau(cone):
    random = np.random.default_rng(1)
    seen = set()
    for _ in range(200):
        x = random.normal(size=scree.cone_dim(cone))
        x[1:] *= 10.0 ** random.uniform(-3, 0)  # narrow cones are met too
        p, how = scree.cone_project(cone, x)
        seen.add(how.region)
        tolerance = 1e-14  # |x| is a few units, a dozen roundings
        assert (loads(cone, p) <= cone.coef * p[0] + tolerance).all()
        polar = p - x  # must be in K*, and orthogonal to p
        assert polar[0] >= cone.coef @ loads(cone, polar) - tolerance
        assert abs(polar @ p) <= tolerance
        y, _ = scree.dual_project(cone, x)
        np.testing.assert_allclose(x, y - scree.cone_project(cone, -x)[0], atol=tolerance)
    assert seen == set(scree.Region)


@pytest.mark.parametrize("cone", CONES)
def test_derivative_is_that_of_the_projection(cone):
    random = np.random.default_rng(2)
    x, d = random.normal(size=(2, scree.cone_dim(cone)))
    t = 1e-6
    change = (scree.cone_project(cone, x + t * d)[0] - scree.cone_project(cone, x - t * d)[0]) / (2 * t)
    np.testing.assert_allclose(scree.cone_project_derivative(cone, x) @ d, change, atol=1e-8)


@pytest.mark.parametrize("law", ["coulomb", scree.LAW_CONVEX])
@pytest.mark.parametrize("cone", CONES)
def test_contact_obeys_the_law(cone, law):
    random = np.random.default_rng(3)
    n = scree.cone_dim(cone)
    for _ in range(20):
        A = random.normal(size=(n, n))
        contact = scree.contact(cone, A @ A.T + 0.1 * np.eye(n), random.normal(size=n), law)
        result = scree.contact_solve(contact)
        assert result.outcome == scree.OUTCOME_CONVERGED
        p, y = result.p, contact.W @ result.p + contact.q
        np.testing.assert_allclose(result.y, y, atol=1e-12)
        yhat = scree.de_saxce(cone, y) if contact.law == scree.LAW_COULOMB else y
        assert (loads(cone, p) <= cone.coef * p[0] + 1e-12).all()
        assert yhat[0] >= cone.coef @ loads(cone, yhat) - 1e-12 * (1 + np.abs(y).max())
        assert abs(p @ yhat) <= 1e-11 * (1 + np.abs(p).max())
        F, A_p, _ = scree.map_natural(cone, p, y, law=law)
        assert np.abs(F).max() < 1e-11 and A_p.shape == (n, n)
        assert scree.contact_residual(contact, p) < 1e-11


def test_example_of_bonnefon_and_daviet(root, command):
    contact = scree.contact_read(root / "examples/contact/bonnefon-daviet.yaml")
    for method in ("exact", "quartic_t", "quartic_alpha"):
        result = scree.contact_solve(contact, method=method)
        np.testing.assert_allclose(result.p, [10.2059, 1.93189, 5.8108], rtol=1e-5)  # as the paper prints it
        assert scree.mode_name(result.mode) == "slide"
    assert f"r_N        {result.p[0]:.12g}"[:20] in command("contact", root / "examples/contact/bonnefon-daviet.yaml")


def test_every_solution(root):
    contact = scree.contact_read(root / "examples/contact/several-solutions.yaml")
    found = scree.contact_solve_all(contact)
    assert len(found) == 3 and not scree.contact_unique(contact)
    assert all(scree.contact_residual(contact, s.p) < 1e-10 for s in found)
    nearest = scree.contact_solve(contact, guess=found[2].p)
    np.testing.assert_allclose(nearest.p, found[2].p, atol=1e-12)


def test_solutions_that_are_not_isolated():
    contact = scree.contact(scree.cone_slide(0.5), [[1, 0, 0], [0, 0, 0], [0, 0, 1]], [-1, 0, 0.1])  # friction along T1 moves nothing
    family = scree.contact_family(contact, scree.contact_solve(contact).p)
    assert family.dimension == 1 and not family.velocity_changes
    for s in (family.low[0], family.high[0]):
        assert scree.contact_residual(contact, family.centre + s * family.direction[0]) < 1e-14
    np.testing.assert_allclose(family.high[0], np.sqrt(0.24), rtol=1e-14)  # (0.5 r_N)^2 - 0.1^2


def test_messages_are_those_of_the_command_line(root, tmp_path, command):
    bad = tmp_path / "bad.yaml"
    bad.write_text("W: [[1, 0], [0, 1]]\nq: [1, 2]\nmu: 0.6 m\n")
    with pytest.raises(scree.InputError) as caught:
        scree.contact_read(bad)
    assert command("contact", bad).splitlines()[0] == str(caught.value)
    assert (caught.value.line, caught.value.column, caught.value.file) == (3, 5, str(bad))
    with pytest.raises(scree.FileError, match="cannot open the file") as caught:
        scree.contact_read(tmp_path / "absent.yaml")
    assert isinstance(caught.value, OSError)
    with pytest.raises(scree.InputError, match="symmetric"):
        scree.contact(scree.cone_planar(0.1), [[1, 0.5], [0, 1]], [0, 0])
    with pytest.raises(scree.UnsupportedError, match="quartic_t"):
        scree.contact_solve(scree.contact(scree.cone_planar(0.1), np.eye(2), [-1, 0]), method="quartic_t")


def test_wrong_arguments_are_refused():
    cone = scree.cone_slide(0.5)
    with pytest.raises(ValueError, match=r"\(2,\), expected \(3\)"):
        scree.cone_project(cone, [1, 2])
    with pytest.raises(ValueError, match="not a cone"):
        scree.cone_dim(scree.cone_slide(-1))
    contact = scree.contact(cone, np.eye(3), [-1, 0, 0])
    with pytest.raises(TypeError, match="did you mean 'tolerance'"):
        scree.contact_solve(contact, tolerence=1)
    with pytest.raises(ValueError, match="there are: exact"):
        scree.contact_solve(contact, method="quartic")
    with pytest.raises(ValueError, match="no mode"):
        scree.mode_name(13)
