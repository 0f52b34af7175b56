"""Scenes in YAML, their simulation, and the files of a run: <scree/scene.h>, <scree/run.h>, <scree/output.h>."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ._core import Object, check, documents_options, ffi, fill, lib, made, new_error, path_bytes, record, text_of
from ._names import Census, Overlap, RunEvent, RunPlan, StepReport
from .stepper import Stepper
from .world import Snapshot, World

__all__ = [
    "Output",
    "Scene",
    "Simulation",
    "scene_reference",
    "scene_schema",
]

Overrides = Mapping[str, Any] | Iterable[str]
Formats = int | str | Iterable[str]


def format_bits(formats: Formats) -> int:
    """A set of frame formats from their names ("vtp", ["vtp", "dump"]), or from the bits of Format."""
    if isinstance(formats, int):
        return int(formats)
    bits = 0
    for name in [formats] if isinstance(formats, str) else formats:
        found = lib.scree_format_find(name.encode())
        if not found:
            known = [text_of(lib.scree_format_name(k)) for k in range(lib.SCREE_FORMAT_COUNT)]
            raise ValueError(f"'{name}' is no format; there are: " + ", ".join(known))
        bits |= found
    return bits


def _with_allocator(create: Callable[..., Any], allocator: Any, error: Any, options: Any, *first: Any) -> Any:
    """What create(*first, options, error) makes, in memory of the allocator."""
    options.allocator = allocator
    return create(*first, options, error)


def _overrides(set: Overrides) -> tuple[Any, int, list[Any]]:
    """"path=value" texts as C wants them, and what keeps them alive."""
    texts = [f"{path}={value}" for path, value in set.items()] if isinstance(set, Mapping) else list(set)
    keep = [ffi.new("char[]", text.encode()) for text in texts]
    return ffi.new("char *[]", keep), len(keep), keep


class Scene(Object):
    """A scene, read and checked. `set` changes values: {"materials.stone.friction": 0.3} or ["run.until=2 s"]."""

    _noun = "scene"

    @classmethod
    def read(cls, path: str | os.PathLike[str], set: Overrides = ()) -> Scene:
        """Reads a scene file."""
        texts, count, keep = _overrides(set)
        own = made(lambda allocator, error: lib.scree_scene_read(path_bytes(path), texts, count, allocator, error))
        return cls(*own, lib.scree_scene_destroy)

    @classmethod
    def parse(cls, text: str, name: str = "<text>", set: Overrides = ()) -> Scene:
        """The same from a text; `name` is what messages call it."""
        texts, count, keep = _overrides(set)
        raw = text.encode()
        own = made(lambda allocator, error: lib.scree_scene_parse(raw, len(raw), name.encode(), texts, count, allocator, error))
        return cls(*own, lib.scree_scene_destroy)

    @property
    def text(self) -> str:
        """The scene as it will be run: YAML with the overrides in place."""
        return text_of(lib.scree_scene_text(self._live()))

    def body_count(self) -> int:
        """Bodies when all are there, poured ones included, before any is made; those of tables (csv) are not counted."""
        return lib.scree_scene_body_count(self._live())

    def color(self, name: str) -> tuple[int, int, int] | None:
        """The colour that the scene gives to a body ("ball", "grain[12]"), sRGB; None: none."""
        rgb = ffi.new("unsigned char[3]")
        return tuple(rgb) if lib.scree_scene_color(self._live(), name.encode(), rgb) else None

    def plan(self) -> RunPlan:
        """What to run and what to write."""
        return record(lib.scree_scene_plan(self._live()))


def scene_schema() -> str:
    """JSON Schema of scene files."""
    return _made_text(lib.scree_scene_schema)


def scene_reference() -> str:
    """The reference of scene files, as Markdown."""
    return _made_text(lib.scree_scene_reference)


def _made_text(function: Any) -> str:
    pool, c = made(function)
    text = text_of(c)
    pool.allocator.free(c, pool.allocator.context)
    return text


class Simulation(Object):
    """A scene in motion: its world, its stepper, and the sources that pour."""

    _noun = "simulation"

    def __init__(self, scene: Scene | str | os.PathLike[str], threads: int = 0, set: Overrides = ()):
        """`scene`: a Scene, or the path of one. threads 0: as in the scene; the results do not depend on it."""
        self.scene = scene if isinstance(scene, Scene) else Scene.read(scene, set)
        with self.scene._use() as c:
            self._c_scene = c  # kept as long as the simulation, closed or not
            own = made(lambda allocator, error: lib.scree_simulation_create(c, threads, allocator, error))
            super().__init__(*own, lib.scree_simulation_destroy, uses=self.scene)
            self.threads = threads or lib.scree_scene_stepper(c).threads
        self._report: Any = ffi.NULL  # of the last step
        self._start: Snapshot | None = None

    @classmethod
    def load(cls, directory: str | os.PathLike[str], threads: int = 0) -> Simulation:
        """Resumes where save() was called, or where a run of `scree run` left its checkpoint, with the same bits. Tables of a run in
        the folder are cut back to that time."""
        path, error = path_bytes(os.path.join(directory, "checkpoint.h5")), new_error()
        pool, text = made(lambda allocator, error: lib.scree_checkpoint_peek(path, ffi.NULL, 0, allocator, error))
        scene = Scene.parse(text_of(text), "scene.yaml")
        pool.allocator.free(text, pool.allocator.context)
        simulation = cls(scene, threads)
        totals, report = ffi.new("scree_run_totals *"), ffi.new("scree_step_report *")
        with simulation._use() as c, Output(directory, resume=1, simulation=simulation) as output, output._use() as files:
            sources = ffi.new("int64_t **")
            count = lib.scree_simulation_sources(c, sources)
            world, stepper = lib.scree_simulation_world(c), lib.scree_simulation_stepper(c)
            check(lib.scree_checkpoint_read(files, world, totals, report, sources[0], count, error), error)
            lib.scree_stepper_set_totals(stepper, totals)
        simulation._report = report if report.step > 0 else ffi.NULL
        return simulation

    def save(self, directory: str | os.PathLike[str]) -> None:
        """Writes directory/checkpoint.h5, for load(): a separate folder, not that of a run. An older one is replaced at once."""
        table = os.path.join(directory, "series.csv")
        if os.path.exists(table) and os.path.getsize(table) > 0:
            raise FileExistsError(f"{os.fsdecode(directory)} holds a run, expected a folder of its own")
        error, text = new_error(), ffi.new("char[]", self.scene.text.encode())
        with Output(directory, formats=0, simulation=self) as output, output._use() as files, self._use() as c:
            sources = ffi.new("int64_t **")
            count = lib.scree_simulation_sources(c, sources)
            kept = ffi.new("scree_checkpoint *", {"scene": text, "source": sources[0], "source_count": count, "report": self._report})
            totals = lib.scree_stepper_totals(lib.scree_simulation_stepper(c))
            check(lib.scree_checkpoint_write(files, lib.scree_simulation_world(c), totals, kept, error), error)

    @property
    def world(self) -> World:
        """The world: bodies, state, contacts. It belongs to the simulation."""
        return World._of(self, lib.scree_simulation_world(self._live()))

    @property
    def stepper(self) -> Stepper:
        """The stepper. It belongs to the simulation."""
        return Stepper._of(self, lib.scree_simulation_stepper(self._live()))

    def step(self) -> StepReport:
        """Pours what the sources pour now, then one step."""
        self._advance()
        return record(self._report)

    def advance(self, steps: int) -> StepReport:
        """Many steps in one call; the report has the sums and the worst of all. Ctrl-C waits for its end."""
        self._advance(steps)
        return record(self._report)

    def _advance(self, steps: int = 1) -> None:
        report, error = ffi.new("scree_step_report *"), new_error()
        with self._use() as c:
            check(lib.scree_simulation_advance(c, steps, report, error), error)
            self._report = report

    def _take(self, snapshot: Snapshot, sources: list[int], totals: Any) -> None:
        """Puts a state in place: that of the world, the grains poured, the sums."""
        self.world.restore(snapshot)
        with self._use() as c:
            state = ffi.new("int64_t **")
            for k in range(lib.scree_simulation_sources(c, state)):
                state[0][k] = sources[k]
            lib.scree_stepper_set_totals(lib.scree_simulation_stepper(c), totals)

    def _sources(self) -> list[int]:
        with self._use() as c:
            state = ffi.new("int64_t **")
            return [state[0][k] for k in range(lib.scree_simulation_sources(c, state))]

    def copy(self) -> Simulation:
        """A separate simulation in the same state."""
        other = Simulation(self.scene, self.threads)
        with self._use() as c:
            totals = ffi.new("scree_run_totals *", lib.scree_stepper_totals(lib.scree_simulation_stepper(c))[0])
        other._take(Snapshot(self.world), self._sources(), totals)
        other._report = self._report
        return other

    def reset(self) -> None:
        """Back to the start of the scene. The first call builds it once more; later ones copy memory."""
        if self._start is None:
            self._start = Snapshot(Simulation(self.scene, self.threads).world)
        self._take(self._start, [0] * len(self._sources()), ffi.new("scree_run_totals *"))
        self._report = ffi.NULL

    def measures(self) -> dict[str, float]:
        """What the scene measures, by name ("outlet.rate"), as of the last frame that was written or passed."""
        with self._use() as c:
            m = lib.scree_simulation_measures(c)
            return {text_of(lib.scree_measures_name(m, k)): lib.scree_measures_value(m, k) for k in range(lib.scree_measures_count(m))}

    def census(self) -> Census:
        """What is in the world, and what is still to come."""
        return record(lib.scree_simulation_census(self._live()))

    def overlaps(self, depth: float = 0.0) -> list[Overlap]:
        """Pairs of bodies that overlap by more than `depth` [m] now, deepest first."""
        count = ffi.new("int *")
        with self._use() as c:
            check(lib.scree_simulation_overlaps(c, depth, 0, ffi.NULL, count))
            found = ffi.new("scree_overlap[]", max(1, count[0]))
            check(lib.scree_simulation_overlaps(c, depth, count[0], found, count))
        return [record(found[k]) for k in range(count[0])]

    def frames(self, every: float | None = None, until: float | None = None) -> Iterator[StepReport | None]:
        """Steps to the end, and yields at each output time the report of the last step (None at the start).

        every, until [s]: as in the scene, unless given. While it is suspended the world may be looked at.
        """
        with _Run(self, None, every, until) as run:
            stepped = False
            for event in run:
                stepped = stepped or event == RunEvent.STEPS
                if event == RunEvent.FRAME:
                    yield record(self._report) if stepped else None

    def run(
        self,
        directory: str | os.PathLike[str] | None = None,
        until: float | None = None,
        progress: Callable[[Simulation], object] | None = None,
        checkpoints: bool = False,
    ) -> StepReport | None:
        """Steps to the end; returns the last report. Ctrl-C stops after a step.

        directory: receives the frames that the scene requests, series.csv, scene.yaml and summary.json, as from `scree run`; None:
        nothing is written. checkpoints: its checkpoints too, from which load() and `scree run --resume` continue.
        progress(simulation) is called at each output time.
        """
        stepped = False
        with _Run(self, directory, None, until, checkpoints) as run:
            try:
                for event in run:
                    stepped = stepped or event == RunEvent.STEPS
                    if progress and event == RunEvent.FRAME:
                        progress(self)
            finally:
                run.finish()
        return record(self._report) if stepped else None


class _Run(Object):
    """The library's run of a simulation, event by event."""

    _noun = "run"

    def __init__(self, simulation: Simulation, directory: Any, every: float | None, until: float | None, checkpoints: bool = False):
        options = ffi.new("scree_run_options *", lib.scree_run_options_default())
        folder = ffi.NULL if directory is None else ffi.new("char[]", path_bytes(directory))
        options.directory, options.replace, options.checkpoints = folder, 1, checkpoints
        # In the options 0 is "as in the scene"; here that is None, and 0 is a time that never comes, or has passed.
        options.every = 0.0 if every is None else every if every > 0 else float("inf")
        if until is not None and not np.isfinite(until):
            raise ValueError(f"until is {until}, expected a finite time [s]")
        options.until = 0.0 if until is None else max(until, 1e-300)
        options.problems_every = -1  # the hook of the stepper is the user's
        options.threads = simulation.threads
        options.steps_seconds = 0.05  # Ctrl-C is seen between two calls
        options.last = simulation._report
        with simulation._use() as c:
            options.simulation = c
            own = made(lambda allocator, error: _with_allocator(lib.scree_run_create, allocator, error, options, simulation._c_scene))
            super().__init__(*own, lib.scree_run_destroy, uses=simulation)
        self._simulation = simulation

    def __iter__(self) -> Iterator[int]:
        """The events up to the end."""
        event, error, simulation = ffi.new("scree_run_event *"), new_error(), self._simulation
        while event[0] != lib.SCREE_RUN_EVENT_END:
            with self._use() as c, simulation._use():
                status = lib.scree_run_next(c, event, error)
                last = lib.scree_run_look(c).last
                if event[0] == lib.SCREE_RUN_EVENT_STEPS and last.step > 0:
                    simulation._report = ffi.new("scree_step_report *", last)
            check(status, error)
            yield event[0]

    def finish(self) -> None:
        """The files that end a run."""
        error = new_error()
        with self._use() as c, self._simulation._use():
            check(lib.scree_run_finish(c, ffi.NULL, error), error)


@documents_options("scree_output_options")
class Output(Object):
    """The folder of a run, written as `scree run` does."""

    _noun = "output"

    def __init__(self, directory: str | os.PathLike[str], simulation: Simulation | None = None, **options: Any):
        """`simulation`: what its scene measures gets columns too."""
        settings, keep = ffi.new("scree_output_options *", lib.scree_output_options_default()), []
        if "formats" in options:
            options["formats"] = format_bits(options["formats"])
        fill(settings, {"directory": os.fsdecode(directory), **options}, keep)
        if simulation:
            settings.measures = lib.scree_simulation_measures(simulation._live())
        own = made(lambda allocator, error: _with_allocator(lib.scree_output_create, allocator, error, settings))
        super().__init__(*own, lib.scree_output_destroy, uses=simulation)

    def frame(self, simulation: Simulation) -> None:
        """A row of series.csv, and the files of a frame."""
        with self._use() as c, simulation._use() as running:
            error, totals = new_error(), lib.scree_stepper_totals(lib.scree_simulation_stepper(running))
            check(lib.scree_output_frame(c, lib.scree_simulation_world(running), simulation._report, totals, error), error)

    @property
    def frame_count(self) -> int:
        """Frames written so far."""
        return lib.scree_output_frame_count(self._live())

    def text(self, name: str, text: str) -> None:
        """A small text file of the run, replaced whole."""
        error = new_error()
        with self._use() as c:
            check(lib.scree_output_text(c, name.encode(), text.encode(), error), error)

    def summary(self, simulation: Simulation, outcome: str = "done", seconds: float = 0.0) -> None:
        """summary.json."""
        facts, keep, error = ffi.new("scree_run_facts *"), [], new_error()
        fill(facts, {"title": simulation.scene.plan().title, "outcome": outcome, "seconds": seconds, "threads": simulation.threads}, keep)
        with self._use() as c, simulation._use() as running:
            totals = lib.scree_stepper_totals(lib.scree_simulation_stepper(running))
            check(lib.scree_output_summary(c, lib.scree_simulation_world(running), totals, facts, error), error)
