"""What bodies are made of: coefficients of friction, shapes and geometries: <scree/geometry.h>, <scree/world.h>."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._core import Object, check, doubles, enum_value, ffi, fill, id_of, integers, lib, made, pointer, record
from ._names import FrictionLength, GeometryMass, Sides

__all__ = [
    "Geometry",
    "Shape",
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


def length(metres: float) -> FrictionLength:
    """Rolling or spinning friction as a length [m]."""
    return FrictionLength(metres, lib.SCREE_LENGTH_ABSOLUTE)


def ratio(of_radius: float) -> FrictionLength:
    """Rolling or spinning friction as a ratio of the radius [-]."""
    return FrictionLength(of_radius, lib.SCREE_LENGTH_RATIO)


def reduced_ratio(of_radius: float) -> FrictionLength:
    """Rolling or spinning friction as a ratio of the reduced radius of the contact, R_a R_b/(R_a + R_b), of R against a plane [-]."""
    return FrictionLength(of_radius, lib.SCREE_LENGTH_REDUCED)


def fill_friction(friction: Any, values: dict[str, Any]) -> None:
    """Fills a scree_friction. An arm must say whether it is a length or a ratio."""
    for name, field in ffi.typeof(friction).fields:
        value = values.get(name)
        if field.type.kind == "struct" and value is not None and not isinstance(value, FrictionLength):
            raise TypeError(f"{name} is a length or a ratio of the radius: length(0.002), ratio(0.02) or reduced_ratio(0.1), not {value!r}")
    fill(friction, values, [])


def fill_dem(dem: Any, values: dict[str, Any]) -> None:
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
