#!/usr/bin/env python3
"""Random calls of the Python package with random arguments; called by tools/attack. Ends with 0: every call gave a value or an exception, and what
was changed by one (numbers of a problem, the state of a world) is either refused or gives finite numbers.

    PYTHONPATH=SITE tools/attack_python.py SEED CALLS
"""
import inspect
import os
import random
import sys

import numpy as np

import scree

EXPECTED = (scree.Error, ValueError, TypeError, IndexError, KeyError, OverflowError, AttributeError, StopIteration, OSError, NotImplementedError)


def value(rng, depth=0):
    """Anything: numbers at the edges, arrays of wrong shapes, objects of the package, words."""
    kind = rng.randrange(16)
    if kind <= 3:
        return rng.choice([0, 1, 2, 3, -1, 7, 1 << 31, -(1 << 31), 1 << 40, 1 << 63, 1 << 70])
    if kind <= 6:
        return rng.choice([0.0, -0.0, 0.5, 1.0, -1.0, 1e-320, 1e-30, 1e30, 1e150, 1e308, float("nan"), float("inf"), -float("inf")])
    if kind == 7:
        return rng.choice(["", "x", "stone", "dem", "moreau_jean", "fixed", "a\0b", "\x1b[31m", "é" * 40, "x" * 5000, "../x", "/dev/null", "/dev/full"])
    if kind == 8:
        return rng.choice([None, True, False, object(), b"bytes", {}, {"a": 1}, {"rolling": 0.1}, lambda *a: 1 / 0])
    if kind <= 10 and depth < 2:
        return [value(rng, depth + 1) for _ in range(rng.choice([0, 1, 3, 3, 4, 9]))]
    if kind <= 12:
        shape = rng.choice([(0,), (3,), (4,), (3, 3), (9, 9), (2, 2, 2), (5, 3)])
        return np.full(shape, rng.choice([0.0, 1.0, -1.0, np.nan, 1e200])).astype(rng.choice([float, np.float32, int, np.uint8]), casting="unsafe")
    return rng.choice([world, problem, stepper])(rng)


def world(rng):
    w = scree.World()
    w.add_material("stone", 2500.0, mu=0.5)
    if rng.random() < 0.8:
        w.add_body(scree.shape_plane(0), "fixed")
        for k in range(rng.randrange(4)):
            w.add_body(scree.shape_sphere(0.1, 0), position=(0.15 * k, 0, 0.1))
    return w


def problem(rng):
    n = rng.choice([0, 1, 3])
    return scree.Problem.create([scree.cone_slide(0.5)] * n, np.eye(3 * n) + (0.1 if n else 0.0), q=[-1, 0, 0] * n)


def stepper(rng):
    return scree.Stepper(scheme=rng.choice(["moreau_jean", "anitescu_tasora"]), step=rng.choice([1e-3, 1e-12, 1.0]))


def aftermath(thing):
    """A problem is solved, a world stepped: no NaN comes out as an answer."""
    try:
        if isinstance(thing, scree.Problem):
            s = thing.solve(max_iterations=30)
            if s.converged and not (np.isfinite(s.p).all() and np.isfinite(s.y).all() and s.info.residual < 1):
                raise SystemExit(f"converged with residual {s.info.residual}, p {s.p}")
        elif isinstance(thing, scree.World):
            scree.Stepper(step=1e-3).step(thing)
            for array in (thing.positions, thing.velocities, thing.angular_velocities, thing.rotations):
                if not np.isfinite(array).all():
                    raise SystemExit("a world whose state is not finite was stepped")
    except EXPECTED + (MemoryError,):
        pass


def targets(rng):
    """Something that can be called, and what it is called in messages."""
    if rng.random() < 0.3:
        names = [n for n in dir(scree) if not n.startswith("_") and callable(getattr(scree, n)) and not n.isupper()]
        name = rng.choice(names)
        return getattr(scree, name), name, None
    thing = rng.choice([world, world, problem, stepper])(rng)
    if rng.random() < 0.5 and isinstance(thing, scree.World):
        try:
            scree.Stepper(step=1e-3).step(thing)
        except EXPECTED:
            pass
    name = rng.choice([n for n in dir(thing) if not n.startswith("_") and n not in ("show", "play")])
    try:
        member = getattr(thing, name)
    except EXPECTED:
        return None, name, None
    if not callable(member):
        if rng.random() < 0.5:
            return (lambda *a, **k: setattr(thing, name, a[0] if a else None)), f"{name} =", thing
        return (lambda *a, **k: np.asarray(member).__setitem__(0, a[0] if a else 0)), f"{name}[0] =", thing
    return member, f"{type(thing).__name__}.{name}", thing


def main():
    rng = random.Random(int(sys.argv[1]))
    sys.stderr = open(os.devnull, "w") if "-v" not in sys.argv else sys.stderr
    for _ in range(int(sys.argv[2])):
        call, name, thing = targets(rng)
        if call is None or (name.startswith("show") or "serve" in name):
            continue
        arguments, words = [value(rng) for _ in range(rng.choice([0, 1, 1, 2, 3, 4]))], {}
        try:
            known = [p for p in inspect.signature(call).parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
            words = {p.name: value(rng) for p in known[len(arguments) :] if rng.random() < 0.2}
        except (ValueError, TypeError):
            pass
        if "-v" in sys.argv:
            print(name, repr(arguments)[:200], repr(words)[:200], flush=True)
        if name.endswith((".advance", ".run")) or name == "run":  # a wish for 1e12 steps is no fault
            arguments, words = [a if not isinstance(a, int) or abs(a) < 1000 else -1 for a in arguments], {}
            if any(isinstance(a, float) and a > 1.0 for a in arguments):
                continue
        try:
            call(*arguments, **words)
        except EXPECTED:
            pass
        except MemoryError:
            pass
        except ZeroDivisionError:
            pass  # ours: a hook that fails
        aftermath(thing)


if __name__ == "__main__":
    main()
