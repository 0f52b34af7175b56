"""The friction law of one contact, and its exact solution: <scree/laws.h>.

Velocities y = (u_N, u_T, w_R, w_S) and reactions p = (r_N, r_T, m_R, m_S) are arrays of `cone_dim(cone)` numbers, in SI units.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ._core import Pool, check, dtype_of, documents_options, doubles, enum_value, ffi, fill, lib, new_error, path_bytes, pointer, record, text_of
from ._names import FRICTION_KINDS, MODE_COUNT, Cone, Contact, ContactFamily, ContactMethod, ContactResult, Law, Projection

__all__ = [
    "bipotential",
    "cone_array",
    "cone_dim",
    "cone_planar",
    "cone_planar_roll",
    "cone_project",
    "cone_project_derivative",
    "cone_slide",
    "cone_slide_roll",
    "cone_slide_roll_spin",
    "cone_slide_spin",
    "contact",
    "contact_family",
    "contact_method_names",
    "contact_parse",
    "contact_read",
    "contact_residual",
    "contact_solve",
    "contact_solve_all",
    "contact_unique",
    "de_saxce",
    "dissipation",
    "dual_project",
    "map_alart_curnier",
    "map_natural",
    "mode_classify",
    "mode_name",
]

LawLike = Law | int | str


def _c_cone(cone: Cone) -> Any:
    c = ffi.new("scree_cone *", {"size": [int(n) for n in cone.size], "coef": [float(x) for x in cone.coef]})
    if not lib.scree_cone_valid(c):
        raise ValueError(f"not a cone: sizes {list(cone.size)} (0, 1 or 2; spin: 0 or 1), coefficients {list(cone.coef)} (finite, >= 0)")
    return c


def _law(law: LawLike) -> int:
    return enum_value(ffi.typeof("scree_law"), law)


def cone_planar(mu: float) -> Cone:
    """Cone of a planar contact: N T."""
    return record(lib.scree_cone_planar(mu))


def cone_planar_roll(mu: float, rho: float) -> Cone:
    """Planar with rolling friction: N T R; rho in metres."""
    return record(lib.scree_cone_planar_roll(mu, rho))


def cone_slide(mu: float) -> Cone:
    """Coulomb's cone: N T T."""
    return record(lib.scree_cone_slide(mu))


def cone_slide_spin(mu: float, sigma: float) -> Cone:
    """Sliding and spinning: N T T S; sigma in metres."""
    return record(lib.scree_cone_slide_spin(mu, sigma))


def cone_slide_roll(mu: float, rho: float) -> Cone:
    """Sliding and rolling: N T T R R; rho in metres."""
    return record(lib.scree_cone_slide_roll(mu, rho))


def cone_slide_roll_spin(mu: float, rho: float, sigma: float) -> Cone:
    """Sliding, rolling and spinning: N T T R R S; rho and sigma in metres."""
    return record(lib.scree_cone_slide_roll_spin(mu, rho, sigma))


def cone_dim(cone: Cone) -> int:
    """Number of components, 1 to 6."""
    return lib.scree_cone_dim(_c_cone(cone))


def _project(function: Any, cone: Cone, x: Any) -> tuple[np.ndarray, Projection]:
    c = _c_cone(cone)
    x = doubles(x, lib.scree_cone_dim(c), name="x")
    result = np.empty_like(x)
    how = function(c, pointer(x), pointer(result))
    return result, record(how)


def cone_project(cone: Cone, x: Any) -> tuple[np.ndarray, Projection]:
    """The point of K nearest to x, and where it landed. Exact."""
    return _project(lib.scree_cone_project, cone, x)


def dual_project(cone: Cone, x: Any) -> tuple[np.ndarray, Projection]:
    """The point of the dual cone K* nearest to x, and where it landed."""
    return _project(lib.scree_dual_project, cone, x)


def cone_project_derivative(cone: Cone, x: Any) -> np.ndarray:
    """An element of the generalised derivative of cone_project at x: (dim, dim), symmetric, eigenvalues in [0, 1]."""
    c = _c_cone(cone)
    x = doubles(x, lib.scree_cone_dim(c), name="x")
    D = np.empty((x.size, x.size))
    lib.scree_cone_project_derivative(c, pointer(x), pointer(D))
    return D


def de_saxce(cone: Cone, y: Any) -> np.ndarray:
    """yhat = y + (sum of coefficient x |velocity|, 0, ...)."""
    c = _c_cone(cone)
    y = doubles(y, lib.scree_cone_dim(c), name="y")
    result = np.empty_like(y)
    lib.scree_de_saxce(c, pointer(y), pointer(result))
    return result


def _map(function: Any, cone: Cone, p: Any, y: Any, step: float, law: LawLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    c = _c_cone(cone)
    n = lib.scree_cone_dim(c)
    p, y = doubles(p, n, name="p"), doubles(y, n, name="y")
    if not step > 0.0:
        raise ValueError(f"step is {step}, expected a number above 0")
    F, A, B = np.empty(n), np.empty((n, n)), np.empty((n, n))
    function(c, _law(law), step, pointer(p), pointer(y), pointer(F), pointer(A), pointer(B))
    return F, A, B


def map_natural(cone: Cone, p: Any, y: Any, step: float = 1.0, law: LawLike = Law.COULOMB) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Natural map F(p, y), zero exactly at solutions, with dF/dp and dF/dy."""
    return _map(lib.scree_map_natural, cone, p, y, step, law)


def map_alart_curnier(cone: Cone, p: Any, y: Any, step: float = 1.0, law: LawLike = Law.COULOMB) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Alart and Curnier's map F(p, y), zero exactly at solutions, with dF/dp and dF/dy."""
    return _map(lib.scree_map_alart_curnier, cone, p, y, step, law)


def bipotential(cone: Cone, y: Any, p: Any, slack: float = 0.0) -> float:
    """b(-y, p): b + y.p is 0 exactly at solutions of the Coulomb law; infinite outside K or where u_N < 0."""
    c = _c_cone(cone)
    n = lib.scree_cone_dim(c)
    return lib.scree_bipotential(c, pointer(y := doubles(y, n, name="y")), pointer(p := doubles(p, n, name="p")), slack)


def dissipation(cone: Cone, y: Any, p: Any) -> np.ndarray:
    """Power that sliding, rolling and spinning take out (3) [W], or [J] if p is an impulse."""
    c = _c_cone(cone)
    n = lib.scree_cone_dim(c)
    y, p, power = doubles(y, n, name="y"), doubles(p, n, name="p"), np.empty(FRICTION_KINDS)
    lib.scree_dissipation(c, pointer(y), pointer(p), pointer(power))
    return power


def mode_name(mode: int) -> str:
    """"take_off", "stick", "slide", "roll", "slide+roll", "spin_plus", ..."""
    if not 0 <= mode < MODE_COUNT:
        raise ValueError(f"{mode} is no mode: there are 0 to {MODE_COUNT - 1}")
    return text_of(lib.scree_mode_name(mode))


def mode_classify(cone: Cone, step: float, p: Any, y: Any) -> int:
    """The mode of (p, y); `step` [kg] weighs speeds against reactions."""
    c = _c_cone(cone)
    n = lib.scree_cone_dim(c)
    return lib.scree_mode_classify(c, step, pointer(p := doubles(p, n, name="p")), pointer(y := doubles(y, n, name="y")))


# ---- one contact -----------------------------------------------------------------------------------------------------------


def contact(cone: Cone, W: Any, q: Any, law: LawLike = Law.COULOMB) -> Contact:
    """A contact y = W p + q with its law: W (dim, dim) symmetric positive semidefinite, q (dim). Checked."""
    n = cone_dim(cone)
    made = Contact(cone, Law(_law(law)), doubles(W, n, n, name="W"), doubles(q, n, name="q"))
    _c_contact(made)
    return made


def _c_contact(given: Contact) -> Any:
    c = ffi.new("scree_contact *")
    c.cone = _c_cone(given.cone)[0]
    c.law = _law(given.law)
    n = lib.scree_cone_dim(ffi.addressof(c, "cone"))
    c.W = np.ravel(given.W)[: n * n].tolist()
    c.q = np.ravel(given.q)[:n].tolist()
    error = new_error()
    check(lib.scree_contact_check(c, ffi.NULL, ffi.NULL, error), error)
    return c


def _from_c(c: Any) -> Contact:
    whole = record(c)
    n = cone_dim(whole.cone)
    return Contact(whole.cone, whole.law, whole.W[: n * n].reshape(n, n), whole.q[:n])


def contact_parse(text: str, name: str = "<text>") -> Contact:
    """A contact from YAML or JSON text; `name` is what messages call it."""
    raw = text.encode()
    return _read(lambda pool, error: lib.scree_contact_parse(raw, len(raw), name.encode(), pool.allocator, error))


def contact_read(path: str | os.PathLike[str]) -> Contact:
    """A contact from a YAML or JSON file."""
    return _read(lambda pool, error: lib.scree_contact_read(path_bytes(path), pool.allocator, error))


def _read(call: Any) -> Contact:
    error = new_error()
    c = call(Pool(), error)
    check(error.status, error)
    return _from_c(c)


def _contact_options(options: dict[str, Any]) -> Any:
    c = ffi.new("scree_contact_options *", lib.scree_contact_options_default())
    fill(c, options, [])
    return c


def _result(c: Any, n: int) -> ContactResult:
    whole = record(c)
    return ContactResult(whole.p[:n], whole.y[:n], *(getattr(whole, f) for f in list(whole.__dataclass_fields__)[2:]))


@documents_options("scree_contact_options")
def contact_solve(contact: Contact, guess: Any = None, **options: Any) -> ContactResult:
    """Solves one contact. Of several solutions, that nearest to `guess`; without one, that of the smallest normal force."""
    c = _c_contact(contact)
    n = cone_dim(contact.cone)
    start = None if guess is None else doubles(guess, n, name="guess")
    settings, error = _contact_options(options), new_error()
    settings.guess = pointer(start)
    result = lib.scree_contact_solve(c, settings, error)
    check(error.status, error)
    return _result(result, n)


@documents_options("scree_contact_options")
def contact_solve_all(contact: Contact, **options: Any) -> list[ContactResult]:
    """Every isolated solution, smallest normal force first."""
    c, settings, capacity, error = _c_contact(contact), _contact_options(options), 8, new_error()
    while True:
        results = ffi.new("scree_contact_result[]", capacity)
        count = lib.scree_contact_solve_all(c, settings, capacity, results, error)
        check(error.status, error)
        if count <= capacity:
            return [_result(results[k], cone_dim(contact.cone)) for k in range(count)]
        capacity = count


def contact_family(contact: Contact, p: Any) -> ContactFamily:
    """Solutions through the solution p that are not isolated: `centre + s direction[k]`, `low[k] <= s <= high[k]`, for each k by itself.
    `dimension` 0: p is isolated, as far as flat sets tell."""
    n = cone_dim(contact.cone)
    f = record(lib.scree_contact_family_of(_c_contact(contact), pointer(doubles(p, n, name="p"))))
    k = f.dimension
    return ContactFamily(k, f.velocity_changes, f.centre[:n], f.direction[:k, :n], f.low[:k], f.high[:k])


def contact_residual(contact: Contact, p: Any) -> float:
    """How far p is from the law: the relative natural map."""
    return lib.scree_contact_residual(_c_contact(contact), pointer(p := doubles(p, cone_dim(contact.cone), name="p")))


def contact_unique(contact: Contact) -> bool:
    """True if one solution is proved at little cost; False proves nothing."""
    return bool(lib.scree_contact_unique(_c_contact(contact)))


def contact_method_names() -> list[str]:
    """The methods that contact_solve takes."""
    return [text_of(lib.scree_contact_method_name(k)) for k in range(ContactMethod.METHOD_COUNT)]


def cone_array(cones: Any) -> np.ndarray:
    """Cones as the structured array that problems hold."""
    cones = [cones] if isinstance(cones, Cone) else list(cones)
    array = np.zeros(len(cones), dtype_of(ffi.typeof("scree_cone")))
    for entry, cone in zip(array, cones):
        _c_cone(cone)
        entry["size"], entry["coef"] = cone.size, cone.coef
    return array
