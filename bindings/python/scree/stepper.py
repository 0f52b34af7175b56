"""How time is stepped, one world or many: <scree/stepper.h>."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._core import Object, check, documents_options, ffi, fill, keep_exception, lib, made, new_error, record, text_of
from ._names import RunTotals, StepReport
from .problem import Problem
from .world import World

__all__ = [
    "Batch",
    "Stepper",
]


@ffi.def_extern(onerror=keep_exception)
def python_problem(problem: Any, p: Any, step: int, context: Any) -> None:
    """problem_hook of scree_stepper_options: hands a copy to the Python function, so that it may be kept."""
    copy = Problem._own(lambda allocator, error: lib.scree_problem_assemble(problem, allocator, error))
    reactions = np.frombuffer(bytes(ffi.buffer(p, 8 * copy.row_count)))
    ffi.from_handle(context)(copy, reactions, step)


@documents_options("scree_stepper_options", "scree_solver_options")
class Stepper(Object):
    """Advances a world in time. `solver` is the name of the method or a dict of its options; options of the solver that the stepper
    has not itself (tolerance, max_iterations, ...) may be given directly."""

    _noun = "stepper"

    def __init__(self, solver: str | dict[str, Any] | None = None, **options: Any):
        self._keep: list[Any] = []
        settings = ffi.new("scree_stepper_options *", lib.scree_stepper_options_default())
        own = dict(ffi.typeof("scree_stepper_options").fields)
        of_solver = {name: options.pop(name) for name in list(options) if name not in own and name in dict(ffi.typeof("scree_solver_options").fields)}
        if solver is not None:
            of_solver.update({"name": solver} if isinstance(solver, str) else solver)
        fill(settings.solver, of_solver, self._keep)
        fill(settings, options, self._keep)

        def create(allocator: Any, error: Any) -> Any:
            settings.allocator = allocator
            return lib.scree_stepper_create(settings, error)

        super().__init__(*made(create), lib.scree_stepper_destroy)

    @classmethod
    def _of(cls, owner: Object, c: Any) -> Stepper:
        stepper = cls.__new__(cls)
        Object.__init__(stepper, owner._pool, c, None, owner)
        return stepper

    def step(self, world: World) -> StepReport:
        """One step. Ctrl-C waits for its end: the world is always between two steps."""
        return record(self._advance(world))

    def _advance(self, world: World, steps: int = 1) -> Any:
        """Steps; the report as the C struct, of which making a record takes longer than a small step."""
        report, error = ffi.new("scree_step_report *"), new_error()
        if world._lock is self._lock:
            raise ValueError("world and stepper belong to a simulation: call its step()")
        with self._use() as c, world._use() as c_world:
            check(lib.scree_advance(c, c_world, steps, report, error), error)
        return report

    def run(self, world: World, until: float) -> StepReport | None:
        """Steps until the world's time is `until`; returns the last report."""
        if not np.isfinite(until):
            raise ValueError(f"until is {until}, expected a finite time [s]")
        report = None
        while world.time < until - 1e-9 * abs(until):
            report = self._advance(world)
        return None if report is None else record(report)

    def advance(self, world: World, steps: int) -> StepReport:
        """Many steps in one call; the report has the sums and the worst of all. Ctrl-C waits for its end."""
        return record(self._advance(world, steps))

    def check(self, world: World) -> float:
        """Raises if the stepper cannot step this world (soft contacts that lack a stiffness, too long a step); returns the largest
        stable step [s], infinite where there is no limit."""
        critical, error = ffi.new("double *", float("inf")), new_error()
        with self._use() as c, world._use() as c_world:
            check(lib.scree_stepper_check(c, c_world, critical, error), error)
        return critical[0]

    def totals(self) -> RunTotals:
        """Sums over the steps so far: energy ledger, worst residual, ..."""
        return record(lib.scree_stepper_totals(self._live()))

    def set_problem_hook(self, hook: Callable[[Problem, np.ndarray, int], object] | None) -> None:
        """hook(problem, p, step) is called in every step with a copy of its contact problem, W assembled, and the solution."""
        with self._use() as c:
            handle = ffi.new_handle(hook)
            lib.scree_stepper_set_problem_hook(c, ffi.NULL if hook is None else lib.python_problem, handle)
            (self._owner or self)._hook_handle = handle  # alive as long as C may call it


class Batch:
    """Many small worlds that step at once, each in one thread: for learning, sampling, calibration.

    `items`: simulations, or pairs (stepper, world); no two share one. Steppers have one thread (threads=1, the default). Each world goes
    the way it goes alone, bit for bit.
    """

    def __init__(self, items: Sequence[Any], threads: int = 0):
        """threads 0: as many as there are cores."""
        pairs = [(item.stepper, item.world) if hasattr(item, "stepper") else tuple(item) for item in items]
        for k, pair in enumerate(pairs):
            if len(pair) != 2 or not isinstance(pair[0], Stepper) or not isinstance(pair[1], World):
                raise TypeError(f"items[{k}]: expected a Simulation or a pair (Stepper, World)")
        for item in items:
            if hasattr(item, "census") and item.census().to_pour > 0:
                raise ValueError("a simulation that still pours cannot be in a batch: advance it by itself")
        self._items = list(items)
        self._pairs = pairs
        locks = {id(part._lock): part._lock for pair in pairs for part in pair}
        self._locks = list(locks.values())
        if len({id(s._live()) for s, _ in pairs}) != len(pairs) or len({id(w._live()) for _, w in pairs}) != len(pairs):
            raise ValueError("two items share a world or a stepper")
        self._steppers = ffi.new("scree_stepper *[]", [s._live() for s, _ in pairs])
        self._worlds = ffi.new("scree_world *[]", [w._live() for _, w in pairs])
        self._errors = ffi.new("scree_error[]", max(1, len(pairs)))
        self._threads = ffi.gc(lib.scree_pool_create(threads or os.cpu_count() or 1, ffi.NULL, new_error()), lib.scree_pool_destroy)

    def __len__(self) -> int:
        return len(self._pairs)

    def advance(self, steps: int = 1) -> list[str]:
        """Steps all worlds; returns for each "" or the message why it stopped. The interpreter is free meanwhile."""
        held = []
        try:
            for lock in self._locks:
                if not lock.acquire(blocking=False):
                    raise RuntimeError("a world of the batch is in use, by another thread or by the call that is running")
                held.append(lock)
            for pair in self._pairs:
                for part in pair:
                    part._live()
            failed = lib.scree_advance_many(self._steppers, self._worlds, len(self._pairs), steps, self._threads, self._errors)
        finally:
            for lock in held:
                lock.release()
        if not failed:
            return [""] * len(self._pairs)
        return [text_of(self._errors[k].text) if self._errors[k].status != lib.SCREE_OK else "" for k in range(len(self._pairs))]
