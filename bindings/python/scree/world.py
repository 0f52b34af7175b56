"""Rigid bodies, their materials, joints and contacts: <scree/world.h>."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._core import Object, Pool, check, documents_options, doubles, dtype_of, id_of
from ._core import ffi, fill, lib, made, new_error, pointer, record, text_bytes, text_of
from ._names import BodyKind, Energy, Friction, Heap, JointKind, Lost
from .shapes import Shape, Vector, fill_dem, fill_friction

__all__ = [
    "Snapshot",
    "World",
    "heap_measure",
]


def _rows(table: Any, times: Any, values: Any, keep: list[Any]) -> None:
    if times.size != len(values):
        raise ValueError(f"{times.size} times for {len(values)} values")
    table.count, table.time, table.value = times.size, pointer(times), pointer(values)
    keep += [times, values]


def _table(table: Any, value: Any, keep: list[Any]) -> None:
    """Fills a scree_table from a constant (3) or from (times (n), values (n, 3))."""
    if len(value) == 2:
        _rows(table, doubles(value[0], -1, name="times"), doubles(value[1], -1, 3, name="values"), keep)
    else:
        _rows(table, np.zeros(1), doubles(value, 3, name="value").reshape(1, 3), keep)


class Snapshot(Object):
    """The state of a world at one moment: World.save()."""

    _noun = "snapshot"

    def __init__(self, world: World):
        with world._use() as c:
            super().__init__(*made(lambda allocator, error: lib.scree_world_save(c, allocator, error)), lib.scree_snapshot_free)


def _remembered(method: Callable[..., Any]) -> Callable[..., Any]:
    """A call that builds a world, kept so that copy() can make it again."""

    @functools.wraps(method)
    def call(self: World, *arguments: Any, **values: Any) -> Any:
        result = method(self, *arguments, **values)
        if self._built is not None:
            self._built.append((method.__name__, arguments, values))
        return result

    return call


@documents_options("scree_world_options")
class World(Object):
    """Bodies, materials, contacts. Arrays are views of the C memory, without copies, and read-only.

    A view shows memory, not a moment: after a step it shows the new state, and after a body was added the old one for ever. Take it
    anew, or copy it to keep it.
    """

    _noun = "world"

    def __init__(self, **options: Any):
        settings = ffi.new("scree_world_options *", lib.scree_world_options_default())
        keep: list[Any] = []
        for table in ("strain_rate", "shear_rate"):
            if table in options:
                _table(getattr(settings, table), options.pop(table), keep)
        fill(settings, options, keep)

        def create(allocator: Any, error: Any) -> Any:
            settings.allocator = allocator
            return lib.scree_world_create(settings, error)

        super().__init__(*made(create), lib.scree_world_destroy)
        self._options = options
        self._built: list[tuple[str, tuple[Any, ...], dict[str, Any]]] | None = []  # what copy() does again
        self._saved: Snapshot | None = None

    @classmethod
    def _of(cls, owner: Object, c: Any) -> World:
        """The world inside another object."""
        world = cls.__new__(cls)
        world._options, world._built, world._saved = {}, None, None
        Object.__init__(world, owner._pool, c, None, owner)
        return world

    def _body(self, c: Any, body: int) -> Any:
        count = lib.scree_world_body_count(c)
        if not 0 <= body < count:
            raise IndexError(f"there is no body {body}: the world has {count}")
        return id_of("body", body)

    # ---- building

    @_remembered
    def add_material(self, name: str, density: float = 0.0, **values: Any) -> int:
        """Adds a material and returns its number.

        density [kg/m^3] (0: bodies give their mass); mu, restitution, ...: the fields of Friction; rolling, spinning: length(metres),
        ratio(of the radius) or reduced_ratio(of the reduced one). dem: a dict of what soft contacts read (SCREE_DEM_FIELDS of
        world.h): {"young": 1e7, "model": "sds"}.
        """
        with self._use() as c:
            for k in range(lib.scree_world_material_count(c)):
                if isinstance(name, str) and text_of(lib.scree_world_material(c, id_of("material", k)).name) == name:
                    raise ValueError(f"there is a material '{name}' already, expected another name")
        material, error, keep = ffi.new("scree_material *", lib.scree_material_default(ffi.NULL)), new_error(), []
        fill_dem(ffi.addressof(material, "soft"), values.pop("dem", {}))
        fill(material, {"name": name, "density": density}, keep)
        fill_friction(material.friction, values)
        with self._use() as c:
            added = lib.scree_world_add_material(c, material, error)
            check(error.status, error)
        return added.index1 - 1

    @_remembered
    def set_pair(self, material_a: int, material_b: int, **values: Any) -> None:
        """The friction between two materials, instead of the mixing rule; fields as in add_material."""
        friction, error = ffi.new("scree_friction *"), new_error()
        fill_friction(friction[0], values)
        with self._use() as c:
            check(lib.scree_world_set_pair(c, self._material(c, material_a), self._material(c, material_b), friction, error), error)

    def pair(self, material_a: int, material_b: int) -> Friction:
        """What the contact of two materials has."""
        with self._use() as c:
            return record(lib.scree_world_pair(c, self._material(c, material_a), self._material(c, material_b)))

    @_remembered
    def set_pair_touching(self, material_a: int, material_b: int, touching: bool) -> None:
        """Whether bodies of two materials touch each other; False: they go through each other."""
        error = new_error()
        with self._use() as c:
            check(lib.scree_world_set_pair_touching(c, self._material(c, material_a), self._material(c, material_b), touching, error), error)

    def pair_touching(self, material_a: int, material_b: int) -> bool:
        """Whether bodies of two materials touch each other."""
        with self._use() as c:
            return bool(lib.scree_world_pair_touching(c, self._material(c, material_a), self._material(c, material_b)))

    @_remembered
    def set_pair_dem(self, material_a: int, material_b: int, **values: Any) -> None:
        """What soft contacts of two materials read, instead of the mixture; names as in `dem` of add_material."""
        dem, error = ffi.new("scree_dem *", lib.scree_dem_default()), new_error()
        fill_dem(dem, values)
        with self._use() as c:
            check(lib.scree_world_set_pair_dem(c, self._material(c, material_a), self._material(c, material_b), dem, error), error)

    def _material(self, c: Any, index: int) -> Any:
        count = lib.scree_world_material_count(c)
        if not 0 <= index < count:
            raise IndexError(f"there is no material {index}: the world has {count}")
        return id_of("material", index)

    @_remembered
    def add_body(
        self,
        shape: Shape | Sequence[Shape],
        kind: BodyKind | str = BodyKind.DYNAMIC,
        *,
        force: Any = None,
        moment: Any = None,
        motion: dict[str, Any] | None = None,
        **fields: Any,
    ) -> int:
        """Adds a body of one shape or several, and returns its number.

        name, position, rotation, velocity, spin, mass, inertia, inertia_axes, centre: as in scree_body_def. force [N], moment [N m]: a constant vector, or
        (times, vectors). motion, of a driven body: velocity, spin (the same), amplitude, frequency, phase.
        """
        shapes = [shape] if isinstance(shape, Shape) else list(shape)
        array, keep, error = ffi.new("scree_shape[]", [s._c for s in shapes]), [], new_error()
        definition = ffi.new("scree_body_def *", lib.scree_body_def_default())
        fill(definition, {"kind": kind, **fields}, keep)
        definition.shapes, definition.shape_count = array, len(shapes)
        for table, value in ((definition.force, force), (definition.moment, moment)):
            if value is not None:
                _table(table, value, keep)
        motion = dict(motion or {})
        for name in ("velocity", "spin"):
            if name in motion:
                _table(getattr(definition.motion, name), motion.pop(name), keep)
        fill(definition.motion, motion, keep)
        with self._use() as c:
            for s in shapes:
                self._material(c, s._c.material.index1 - 1)
                if s._geometry is not None:
                    s._geometry._live()
            added = lib.scree_world_add_body(c, definition, error)
            check(error.status, error)
        return added.index1 - 1

    @_remembered
    def add_joint(
        self, kind: JointKind | str, body_a: int, body_b: int, anchor: Vector, *, course: dict[str, Any] | None = None, **fields: Any
    ) -> int:
        """Joins two bodies (-1: the ground) and returns the number of the joint.

        anchor: in the world, as the bodies stand now. axis, anchor_b, lower, upper, stiffness, damping, rest, motor, target, bound, ...: as in
        scree_joint_def. course, added to the target over time: table (times (n), values (n)), amplitude, frequency, phase. turn: a dict of
        lower, upper, motor, target, course, ... for the angle of a cylindrical joint.
        """
        keep, error = [], new_error()
        definition = ffi.new("scree_joint_def *", lib.scree_joint_def_default())
        turn = dict(fields.pop("turn", {}))
        for where, given in ((definition.course, course), (definition.turn.course, turn.pop("course", None))):
            given = dict(given or {})
            if "table" in given:
                times, values = given.pop("table")
                _rows(where.table, doubles(times, -1, name="times"), doubles(values, -1, name="values"), keep)
            fill(where, given, keep)
        fill(definition.turn, turn, keep)
        fill(definition, {"kind": kind, "body_a": body_a, "body_b": body_b, "anchor": anchor, **fields}, keep)
        with self._use() as c:
            added = lib.scree_world_add_joint(c, definition, error)
            check(error.status, error)
        return added.index1 - 1

    @_remembered
    def set_motor(self, joint: int, target: float, bound: float = float("inf")) -> None:
        """Another target and bound for the motor of a joint."""
        with self._use() as c:
            definition = lib.scree_world_joint(c, self._joint(c, joint))
            if not definition.motor or not np.isfinite(target) or not bound >= 0.0:
                raise ValueError("expected a joint with a motor, a finite target and a bound >= 0")
            lib.scree_world_set_motor(c, self._joint(c, joint), target, bound)

    def set_turn_motor(self, joint: int, target: float, bound: float = float("inf")) -> None:
        """Another target and bound for the motor that turns a cylindrical joint."""
        with self._use() as c:
            definition = lib.scree_world_joint(c, self._joint(c, joint))
            if not definition.turn.motor or not np.isfinite(target) or not bound >= 0.0:
                raise ValueError("expected a cylindrical joint with a motor in its turn, a finite target and a bound >= 0")
            lib.scree_world_set_turn_motor(c, self._joint(c, joint), target, bound)

    def _joint(self, c: Any, joint: int) -> Any:
        count = lib.scree_world_joint_count(c)
        if not 0 <= joint < count:
            raise IndexError(f"there is no joint {joint}: the world has {count}")
        return id_of("joint", joint)

    @_remembered
    def remove_body(self, body: int) -> None:
        """Removes a body; its number is not used again."""
        with self._use() as c:
            lib.scree_world_remove_body(c, self._body(c, body))

    def reserve(self, bodies: int, contacts: int) -> None:
        """Room for this many, so that adding up to that many moves no array."""
        error = new_error()
        with self._use() as c:
            check(lib.scree_world_reserve(c, bodies, contacts, error), error)

    def set_state(self, body: int, position: Any = None, rotation: Any = None, velocity: Any = None, angular_velocity: Any = None) -> None:
        """Changes the state of a body by hand; what is None stays. angular_velocity: body frame."""
        parts = [(position, 3, "position"), (rotation, 4, "rotation"), (velocity, 3, "velocity"), (angular_velocity, 3, "angular_velocity")]
        arrays = [None if value is None else doubles(value, n, name=name) for value, n, name in parts]
        for array, (_, _, name) in zip(arrays, parts):
            if array is not None and not np.all(np.abs(array) <= 1e100):
                raise ValueError(f"{name} is {array}, expected finite numbers, at most 1e100")
        if arrays[1] is not None and not np.linalg.norm(arrays[1]) > 1e-12:
            raise ValueError("rotation is no quaternion, expected (1, 0, 0, 0) for no rotation")
        with self._use() as c:
            lib.scree_world_set_state(c, self._body(c, body), *(pointer(a) for a in arrays))

    def set_time(self, time: float, steps: int) -> None:
        """The clock of a world whose bodies were put where they are, by hand: its time in seconds and the steps behind it. Driven bodies go to
        where they are at that time, but for those under pressure control, which stay."""
        if not abs(time) <= 1e100 or steps < 0:
            raise ValueError(f"time is {time} and steps is {steps}, expected a finite time and steps >= 0")
        with self._use() as c:
            lib.scree_world_set_time(c, time, steps)

    # ---- state

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return lib.scree_world_time(self._live())

    @property
    def cell(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper ends of the periodic cell (3) [m], as it is now; infinite along axes that are not periodic."""
        low, high = np.zeros(3), np.zeros(3)
        lib.scree_world_cell(self._live(), pointer(low), pointer(high))
        return low, high

    @property
    def cell_tilt(self) -> np.ndarray:
        """By how much the images above of a sheared cell lie aside (3): along x with y, x with z, y with z [m]."""
        tilt = np.zeros(3)
        lib.scree_world_cell_tilt(self._live(), pointer(tilt))
        return tilt

    @property
    def step_count(self) -> int:
        """Steps so far."""
        return lib.scree_world_step_count(self._live())

    @property
    def body_count(self) -> int:
        """Bodies, removed ones included."""
        return lib.scree_world_body_count(self._live())

    def _state(self, function: Any, width: int) -> np.ndarray:
        with self._use() as c:
            return self._view(function(c), (lib.scree_world_body_count(c), width))

    @property
    def dynamic_count(self) -> int:
        """Bodies that are dynamic."""
        return lib.scree_world_dynamic_count(self._live())

    @property
    def positions(self) -> np.ndarray:
        """Centres of mass (bodies, 3) [m]."""
        return self._state(lib.scree_world_positions, 3)

    @property
    def rotations(self) -> np.ndarray:
        """Quaternions w, x, y, z of the principal frames (bodies, 4)."""
        return self._state(lib.scree_world_rotations, 4)

    @property
    def velocities(self) -> np.ndarray:
        """Velocities of the centres of mass (bodies, 3) [m/s]."""
        return self._state(lib.scree_world_velocities, 3)

    @property
    def angular_velocities(self) -> np.ndarray:
        """Angular velocities in the body frames (bodies, 3) [rad/s]."""
        return self._state(lib.scree_world_angular_velocities, 3)

    @property
    def contacts(self) -> np.ndarray:
        """Contacts of the last step: a structured array with the fields of scree_contact_point (body_a, normal, gap, impulse, mode, ...)."""
        with self._use() as c:
            return self._view(lib.scree_world_contacts(c), (lib.scree_world_contact_count(c),), dtype_of(ffi.typeof("scree_contact_point")))

    @property
    def joints(self) -> np.ndarray:
        """Joints after the last step: a structured array with the fields of scree_joint_state (coordinate, force, moment, error, ...)."""
        with self._use() as c:
            return self._view(lib.scree_world_joint_states(c), (lib.scree_world_joint_count(c),), dtype_of(ffi.typeof("scree_joint_state")))

    def joint_name(self, joint: int) -> str:
        """Its name; "" where it has none."""
        c = self._live()
        return text_of(lib.scree_world_joint_name(c, self._joint(c, joint)))

    def find_joint(self, name: str) -> int:
        """The joint with this name."""
        found = lib.scree_world_find_joint(self._live(), text_bytes(name)).index1 - 1
        if found < 0:
            raise KeyError(name)
        return found

    def body_kind(self, body: int) -> BodyKind:
        """Dynamic, fixed, driven or removed."""
        c = self._live()
        return BodyKind(int(lib.scree_world_body_kind(c, self._body(c, body))))

    def mass(self, body: int) -> float:
        """Mass [kg]; infinite: not dynamic."""
        c = self._live()
        return lib.scree_world_mass(c, self._body(c, body))

    def inertia(self, body: int) -> np.ndarray:
        """Principal moments of inertia (3) [kg m^2]."""
        c = self._live()
        return self._view(lib.scree_world_inertia(c, self._body(c, body)), (3,)).copy()

    def body_name(self, body: int) -> str:
        """"floor", or "grain[12]"."""
        c = self._live()
        buffer = ffi.new("char[]", 256)
        return text_of(lib.scree_world_body_name(c, self._body(c, body), buffer, len(buffer)))

    def find_body(self, name: str) -> int:
        """The body with this name."""
        found = lib.scree_world_find_body(self._live(), text_bytes(name)).index1 - 1
        if found < 0:
            raise KeyError(name)
        return found

    def frame(self, body: int) -> tuple[np.ndarray, np.ndarray]:
        """Position and rotation of the frame in which the shapes were placed."""
        position, rotation = np.empty(3), np.empty(4)
        with self._use() as c:
            lib.scree_world_frame(c, self._body(c, body), pointer(position), pointer(rotation))
        return position, rotation

    def shapes(self) -> tuple[np.ndarray, np.ndarray]:
        """All shapes, as a structured array with the fields of scree_shape, and the body of each (copies)."""
        with self._use() as c:
            count = lib.scree_world_shape_count(c)
            array = np.zeros(count, dtype_of(ffi.typeof("scree_shape")))
            bodies = np.zeros(count, np.int32)
            for k in range(count):
                shape = id_of("shape", k)
                array[k] = np.frombuffer(bytes(ffi.buffer(lib.scree_world_shape(c, shape))), array.dtype)[0]
                bodies[k] = lib.scree_world_shape_body(c, shape).index1 - 1
            array["material"] -= 1
            return array, bodies

    def contact_force(self, body: int) -> tuple[np.ndarray, np.ndarray]:
        """Force [N] and moment [N m] that the contacts exert on a body, the mean over the last step."""
        force, moment = np.empty(3), np.empty(3)
        with self._use() as c:
            lib.scree_world_contact_force(c, self._body(c, body), pointer(force), pointer(moment))
        return force, moment

    def contact_point_force(self, contact: int) -> tuple[np.ndarray, np.ndarray]:
        """Force [N] and moment [N m] at one contact that act on body B, the mean over the last step."""
        force, moment = np.empty(3), np.empty(3)
        with self._use() as c:
            count = lib.scree_world_contact_count(c)
            if not 0 <= contact < count:
                raise IndexError(f"there is no contact {contact}: the world has {count}")
            lib.scree_world_contact_point_force(c, contact, pointer(force), pointer(moment))
        return force, moment

    def detect(self, h: float) -> int:
        """Finds the contacts that may close within h seconds, without a step; returns their number."""
        error = new_error()
        with self._use() as c:
            check(lib.scree_world_detect(c, h, ffi.NULL, error), error)
            return lib.scree_world_contact_count(c)

    def save(self) -> Snapshot:
        """The state now: time, bodies, contacts with their history. restore() and reset() come back to it."""
        self._saved = Snapshot(self)
        return self._saved

    def restore(self, snapshot: Snapshot) -> None:
        """Back to a saved state of this world, or of one that was built by the same calls; stepping on gives the same bits."""
        error = new_error()
        with self._use() as c, snapshot._use() as state:
            check(lib.scree_world_load(c, state, error), error)

    def reset(self) -> None:
        """Back to the state of the last save()."""
        if self._saved is None:
            raise ValueError("there is nothing to go back to: call save() first")
        self.restore(self._saved)

    def copy(self) -> World:
        """A separate world in the same state. That of a simulation: Simulation.copy()."""
        if self._built is None:
            raise ValueError("the world belongs to a simulation: copy that")
        other = World(**self._options)
        for name, arguments, values in self._built:
            getattr(other, name)(*arguments, **values)
        other.restore(Snapshot(self))
        return other

    def islands(self) -> np.ndarray:
        """The island of every body (-1: not dynamic): bodies connected through contacts."""
        with self._use() as c:
            result = np.zeros(lib.scree_world_body_count(c), np.int32)
            lib.scree_world_islands(c, pointer(result, "int *"))
            return result

    def lost(self, backs: bool = False) -> list[Lost]:
        """Dynamic bodies that nothing can hold any more: far below everything that is fixed, below a ground, behind a plane or inside
        a closed mesh; with `backs` also those behind a mesh that has borders and is touched from one side only."""
        with self._use() as c:
            count = lib.scree_world_lost(c, backs, 0, ffi.NULL)
            found = ffi.new("scree_lost[]", max(1, count))
            lib.scree_world_lost(c, backs, count, found)
            return [record(found[k]) for k in range(count)]

    def check(self) -> None:
        """Raises RunawayError if the state of a body is not finite, or faster than the limit."""
        error = new_error()
        with self._use() as c:
            lib.scree_world_check(c, error)
        check(error.status, error)

    def hash(self) -> int:
        """64 bits of everything that the future depends on."""
        return lib.scree_world_hash(self._live())

    def energy(self) -> Energy:
        """Kinetic and potential energy [J]."""
        return record(lib.scree_world_energy(self._live()))

    def heap(self, **options: Any) -> Heap:
        """The shape of the heap of spheres: height, angle of repose, profile (scree_heap_of_world)."""
        settings, error = ffi.new("scree_heap_options *", lib.scree_heap_options_default()), new_error()
        fill(settings, options, [])
        with self._use() as c:
            heap = lib.scree_heap_of_world(settings, c, self._pool.allocator, error)
        check(error.status, error)
        return record(heap)


def heap_measure(position: Any, radius: Any, **options: Any) -> Heap:
    """The shape of a heap of spheres from centres (n, 3), z up, and radii (n)."""
    position, radius = doubles(position, -1, 3, name="position"), doubles(radius, -1, name="radius")
    if len(position) != radius.size or not (np.isfinite(position).all() and np.isfinite(radius).all() and (radius > 0).all()):
        raise ValueError("expected as many radii as centres, all finite, radii above 0")
    settings, error = ffi.new("scree_heap_options *", lib.scree_heap_options_default()), new_error()
    fill(settings, options, [])
    heap = lib.scree_heap_measure(settings, radius.size, pointer(position), pointer(radius), Pool().allocator, error)
    check(error.status, error)
    return record(heap)
