"""Rigid bodies, their contacts, and how time is stepped: <scree/world.h>, <scree/stepper.h>."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._core import Object, Pool, check, documents_options, doubles, dtype_of, enum_value, id_of, integers
from ._core import ffi, fill, keep_exception, lib, made, new_error, pointer, record, text_bytes, text_of
from ._names import FrictionLength, BodyKind, Energy, Friction, GeometryMass, Heap, JointKind, Lost, RunTotals, Sides, StepReport
from .problem import Problem

__all__ = [
    "Batch",
    "Geometry",
    "Shape",
    "Snapshot",
    "Stepper",
    "World",
    "heap_measure",
    "length",
    "ratio",
    "reduced_ratio",
    "shape_bowl",
    "shape_box",
    "shape_capsule",
    "shape_cone",
    "shape_cylinder",
    "shape_ellipsoid",
    "shape_hull",
    "shape_mesh",
    "shape_plane",
    "shape_sphere",
    "shape_tube",
]

Vector = Sequence[float] | np.ndarray


# ---- materials and shapes -----------------------------------------------------------------------------------------------------


def length(metres: float) -> FrictionLength:
    """Rolling or spinning friction as a length [m]."""
    return FrictionLength(metres, lib.SCREE_LENGTH_ABSOLUTE)


def ratio(of_radius: float) -> FrictionLength:
    """Rolling or spinning friction as a ratio of the radius [-]."""
    return FrictionLength(of_radius, lib.SCREE_LENGTH_RATIO)


def reduced_ratio(of_radius: float) -> FrictionLength:
    """Rolling or spinning friction as a ratio of the reduced radius of the contact, R_a R_b/(R_a + R_b), of R against a plane [-]."""
    return FrictionLength(of_radius, lib.SCREE_LENGTH_REDUCED)


def _friction(friction: Any, values: dict[str, Any]) -> None:
    """Fills a scree_friction. An arm must say whether it is a length or a ratio."""
    for name, field in ffi.typeof(friction).fields:
        value = values.get(name)
        if field.type.kind == "struct" and value is not None and not isinstance(value, FrictionLength):
            raise TypeError(f"{name} is a length or a ratio of the radius: length(0.002), ratio(0.02) or reduced_ratio(0.1), not {value!r}")
    fill(friction, values, [])


def _dem(dem: Any, values: dict[str, Any]) -> None:
    """Fills a scree_dem: what is not named is not given."""
    names = [name for name, _ in ffi.typeof("scree_dem").fields]
    for name, value in values.items():
        if name not in names:
            raise TypeError(f"soft contacts have no '{name}'; there are: " + ", ".join(names))
        if name == "pulls" and not isinstance(value, str):
            values = {**values, name: lib.SCREE_DEM_PULLS_YES if value else lib.SCREE_DEM_PULLS_NO}
    fill(dem, values, [])


class Geometry(Object):
    """A shape that is made of points, shared by all bodies that have it."""

    _noun = "geometry"

    @classmethod
    def _own(cls, call: Callable[[Any, Any], Any]) -> Geometry:
        return cls(*made(call), lib.scree_geometry_release)

    @classmethod
    def hull(cls, points: Any) -> Geometry:
        """The convex hull of points (n, 3) [m]."""
        points = doubles(points, -1, 3, name="points")
        return cls._own(lambda allocator, error: lib.scree_geometry_hull(pointer(points), len(points), allocator, error))

    @classmethod
    def mesh(cls, points: Any, triangles: Any, sides: Sides | int | str = Sides.AUTO) -> Geometry:
        """A surface of triangles (m, 3), numbers of points (n, 3) [m]. Bodies touch it from its `sides`: "front" (from where the corners
        run counter-clockwise), "back", "both", or "auto": both where it has borders, front where it is closed."""
        points, corners = doubles(points, -1, 3, name="points"), integers(triangles)
        if corners.ndim != 2 or corners.shape[1] != 3 or (corners.size and not 0 <= corners.min() <= corners.max() < len(points)):
            raise ValueError("triangles: expected rows of three numbers of points")
        c = (pointer(points), len(points), pointer(corners, "int *"), len(corners), enum_value(ffi.typeof("scree_sides"), sides))
        return cls._own(lambda allocator, error: lib.scree_geometry_mesh(*c, allocator, error))

    @classmethod
    def heights(cls, heights: Any, cell: float) -> Geometry:
        """A ground of heights (rows along y, columns along x) [m] over square cells of this width; NaN: a hole."""
        heights = doubles(heights, -1, -1, name="heights")
        c = (pointer(heights), heights.shape[1], heights.shape[0], cell)
        return cls._own(lambda allocator, error: lib.scree_geometry_heights(*c, allocator, error))

    def sides(self) -> Sides:
        """From where bodies touch a mesh: FRONT, BACK or BOTH."""
        return Sides(lib.scree_geometry_sides(self._live()))

    def open_edges(self) -> int:
        """Edges where a surface ends; 0: it is closed."""
        return lib.scree_geometry_open_edges(self._live())

    def mass_properties(self) -> GeometryMass:
        """Volume, centre of mass, principal moments per unit of mass and principal axes, in the frame of the points."""
        mass = ffi.new("scree_geometry_mass *")
        check(lib.scree_geometry_mass_properties(self._live(), mass))
        return record(mass)

    def _rows(self, count: Any, get: Any, dtype: Any, ctype: str) -> np.ndarray:
        c = self._live()
        rows = np.empty((count(c), 3), dtype)
        for k, row in enumerate(rows):
            get(c, k, pointer(row, ctype))
        return rows

    def vertices(self) -> np.ndarray:
        """Vertices (n, 3) [m], a copy; those of a hull in its principal frame."""
        return self._rows(lib.scree_geometry_vertex_count, lib.scree_geometry_vertex, np.float64, "double *")

    def triangles(self) -> np.ndarray:
        """Triangles (n, 3) as numbers of vertices, counter-clockwise seen from outside; a copy."""
        return self._rows(lib.scree_geometry_triangle_count, lib.scree_geometry_triangle, np.int32, "int *")


class Shape:
    """A shape of a body, in the body's frame. Made by shape_sphere and its like."""

    def __init__(self, _c: Any, position: Vector | None, rotation: Vector | None, geometry: Geometry | None = None):
        self._c, self._geometry = _c, geometry  # the geometry lives as long as the shape that refers to it
        if position is not None:
            self._c.position = doubles(position, 3, name="position").tolist()
        if rotation is not None:
            self._c.rotation = doubles(rotation, 4, name="rotation").tolist()


def shape_sphere(radius: float, material: int, position: Vector | None = None, rotation: Vector | None = None) -> Shape:
    """A sphere; position [m] and rotation (quaternion w, x, y, z) in the frame of the body."""
    return Shape(lib.scree_shape_sphere(radius, id_of("material", material)), position, rotation)


def shape_plane(material: int, position: Vector | None = None, rotation: Vector | None = None) -> Shape:
    """The half-space z <= 0 of its frame; for fixed and driven bodies."""
    return Shape(lib.scree_shape_plane(id_of("material", material)), position, rotation)


def shape_box(half_x: float, half_y: float, half_z: float, material: int, position: Vector | None = None, rotation: Vector | None = None) -> Shape:
    """A box with these half lengths."""
    return Shape(lib.scree_shape_box(half_x, half_y, half_z, id_of("material", material)), position, rotation)


def shape_ellipsoid(a: float, b: float, c: float, material: int, position: Vector | None = None, rotation: Vector | None = None) -> Shape:
    """An ellipsoid with these semi-axes."""
    return Shape(lib.scree_shape_ellipsoid(a, b, c, id_of("material", material)), position, rotation)


def shape_capsule(radius: float, half_length: float, material: int, position: Vector | None = None, rotation: Vector | None = None) -> Shape:
    """A segment along z of this half length, thickened by the radius."""
    return Shape(lib.scree_shape_capsule(radius, half_length, id_of("material", material)), position, rotation)


def shape_cylinder(radius: float, half_length: float, material: int, position: Vector | None = None, rotation: Vector | None = None) -> Shape:
    """A cylinder along z of this half length."""
    return Shape(lib.scree_shape_cylinder(radius, half_length, id_of("material", material)), position, rotation)


def shape_cone(radius: float, height: float, material: int, position: Vector | None = None, rotation: Vector | None = None) -> Shape:
    """A cone along z, its tip up, its origin at the centre of mass."""
    return Shape(lib.scree_shape_cone(radius, height, id_of("material", material)), position, rotation)


def shape_tube(radius_low: float, radius_high: float, half_length: float, material: int, position: Vector | None = None, rotation: Vector | None = None) -> Shape:
    """The inside of a tube or funnel along z: radii at its ends towards -z and +z. Of fixed and driven bodies."""
    return Shape(lib.scree_shape_tube(radius_low, radius_high, half_length, id_of("material", material)), position, rotation)


def shape_bowl(radius: float, depth: float, material: int, position: Vector | None = None, rotation: Vector | None = None) -> Shape:
    """The inside of a sphere, open towards +z: a depth of one radius is half of it, of two all. Of fixed and driven bodies."""
    return Shape(lib.scree_shape_bowl(radius, depth, id_of("material", material)), position, rotation)


def shape_hull(geometry: Geometry, material: int, scale: float = 1.0, position: Vector | None = None, rotation: Vector | None = None) -> Shape:
    """A convex hull, scaled; position and rotation place the frame of its points."""
    return Shape(lib.scree_shape_hull(geometry._live(), scale, id_of("material", material)), position, rotation, geometry)


def shape_mesh(geometry: Geometry, material: int, position: Vector | None = None, rotation: Vector | None = None) -> Shape:
    """A surface: a mesh or a ground of heights."""
    return Shape(lib.scree_shape_mesh(geometry._live(), id_of("material", material)), position, rotation, geometry)


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


# ---- the world -------------------------------------------------------------------------------------------------------------------


@documents_options("scree_world_options")
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


class World(Object):
    """Bodies, materials, contacts. Arrays are views of the C memory, without copies, and read-only.

    A view shows memory, not a moment: after a step it shows the new state, and after a body was added the old one for ever. Take it
    anew, or copy it to keep it.
    """

    _noun = "world"

    def __init__(self, **options: Any):
        settings = ffi.new("scree_world_options *", lib.scree_world_options_default())
        keep: list[Any] = []
        if "strain_rate" in options:
            _table(settings.strain_rate, options.pop("strain_rate"), keep)
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
        _dem(ffi.addressof(material, "soft"), values.pop("dem", {}))
        fill(material, {"name": name, "density": density}, keep)
        _friction(material.friction, values)
        with self._use() as c:
            added = lib.scree_world_add_material(c, material, error)
            check(error.status, error)
        return added.index1 - 1

    @_remembered
    def set_pair(self, material_a: int, material_b: int, **values: Any) -> None:
        """The friction between two materials, instead of the mixing rule; fields as in add_material."""
        friction, error = ffi.new("scree_friction *"), new_error()
        _friction(friction[0], values)
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
        _dem(dem, values)
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


# ---- steppers --------------------------------------------------------------------------------------------------------------------


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
