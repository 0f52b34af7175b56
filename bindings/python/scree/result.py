"""A run's folder read back: scene, summary, series, frames: <scree/result.h>."""

from __future__ import annotations

import base64
import html
import json
import os
import shutil
import subprocess
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ._core import Object, check, dtype_of, ffi, lib, made, new_error, path_bytes, pointer, text_of
from .scene import Formats, format_bits

__all__ = ["Frame", "Result"]


def _find_command() -> str | None:
    """The command `scree`: SCREE_COMMAND, beside the interpreter, or in PATH; None: it is not installed."""
    beside = Path(sys.executable).with_name("scree")
    return os.environ.get("SCREE_COMMAND") or (str(beside) if beside.exists() else None) or shutil.which("scree")


def _command(*arguments: str) -> None:
    """Pictures and reports are drawn by the command, which the library does not contain."""
    command = _find_command()
    if command is None:
        raise FileNotFoundError("the command scree was not found: put it into PATH, or its place into SCREE_COMMAND")
    done = subprocess.run([command, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"scree {arguments[0]} ended with {done.returncode}")


class Frame(Object):
    """The state at one output time. Arrays are views, without copies, and read-only."""

    _noun = "frame"

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._live().time

    @property
    def h(self) -> float:
        """Length of the last step [s]; 0: there was none."""
        return self._live().h

    @property
    def step(self) -> int:
        """Steps so far."""
        return self._live().step

    def _bodies(self, name: str, width: int) -> np.ndarray:
        c = self._live()
        return self._view(getattr(c, name), (c.body_count, width))

    @property
    def kind(self) -> np.ndarray:
        """BodyKind of each body (bodies)."""
        c = self._live()
        return self._view(c.kind, (c.body_count,), np.uint8)

    @property
    def position(self) -> np.ndarray:
        """Centres of mass (bodies, 3) [m]."""
        return self._bodies("position", 3)

    @property
    def rotation(self) -> np.ndarray:
        """Quaternions w, x, y, z (bodies, 4)."""
        return self._bodies("rotation", 4)

    @property
    def velocity(self) -> np.ndarray:
        """Velocities of the centres of mass (bodies, 3) [m/s]."""
        return self._bodies("velocity", 3)

    @property
    def angular_velocity(self) -> np.ndarray:
        """Angular velocities, body frame (bodies, 3) [rad/s]."""
        return self._bodies("angular_velocity", 3)

    @property
    def shape(self) -> np.ndarray:
        """Shapes: a structured array with the fields of scree_shape (a copy)."""
        c = self._live()
        shapes = self._view(c.shape, (c.shape_count,), dtype_of(ffi.typeof("scree_shape"))).copy()
        shapes["material"] -= 1  # the number of an id
        return shapes

    @property
    def shape_body(self) -> np.ndarray:
        """The body of each shape."""
        c = self._live()
        return self._view(c.shape_body, (c.shape_count,), np.int32)

    @property
    def contact(self) -> np.ndarray:
        """Contacts of the last step: a structured array with the fields of scree_contact_point; `impulse` / h is a force."""
        c = self._live()
        return self._view(c.contact, (c.contact_count,), dtype_of(ffi.typeof("scree_contact_point")))

    @property
    def joint(self) -> np.ndarray:
        """Where the joints are: a structured array with the fields of scree_frame_joint; anchors and axis in the frames of the bodies."""
        c = self._live()
        return self._view(c.joint, (c.joint_count,), dtype_of(ffi.typeof("scree_frame_joint")))

    def shape_pose(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        """Position and rotation of a shape in the world frame."""
        c = self._live()
        if not 0 <= index < c.shape_count:
            raise IndexError(f"there is no shape {index}: the frame has {c.shape_count}")
        position, rotation = np.empty(3), np.empty(4)
        lib.scree_frame_shape_pose(c, index, pointer(position), pointer(rotation))
        return position, rotation

    def contact_force(self, contact: int) -> tuple[np.ndarray, np.ndarray]:
        """Force [N] and moment [N m] at a contact that act on body B, world frame."""
        c = self._live()
        if not 0 <= contact < c.contact_count:
            raise IndexError(f"there is no contact {contact}: the frame has {c.contact_count}")
        force, moment = np.empty(3), np.empty(3)
        lib.scree_frame_contact_force(c, contact, pointer(force), pointer(moment))
        return force, moment


class Result(Object):
    """The folder of a run. A run that is still going can be read too."""

    _noun = "result"

    def __init__(self, directory: str | os.PathLike[str]):
        path = path_bytes(directory)
        self.directory = Path(directory)
        super().__init__(*made(lambda allocator, error: lib.scree_result_open(path, allocator, error)), lib.scree_result_close)

    @property
    def scene(self) -> str:
        """The scene as run; "" if absent."""
        return text_of(lib.scree_result_scene(self._live()))

    @property
    def summary(self) -> dict[str, Any] | None:
        """summary.json; None for a run that has not ended."""
        text = text_of(lib.scree_result_summary(self._live()))
        return json.loads(text) if text else None

    # ---- series.csv

    @property
    def columns(self) -> list[str]:
        """Names of the columns of series.csv, with their units: "kinetic[J]"."""
        c = self._live()
        return [text_of(lib.scree_result_column_name(c, k)) for k in range(lib.scree_result_column_count(c))]

    def _column(self, c: Any, name: str) -> int:
        index = lib.scree_result_find_column(c, name.encode())
        if index < 0:
            raise KeyError(name)
        return index

    def column(self, name: str) -> np.ndarray:
        """A column of series.csv (rows), a view; NaN where the field is a word."""
        c = self._live()
        return self._view(lib.scree_result_column(c, self._column(c, name)), (lib.scree_result_row_count(c),))

    def words(self, name: str) -> list[str]:
        """A column of series.csv as it is in the file: for outcome, solver, hash."""
        c = self._live()
        index = self._column(c, name)
        return [text_of(lib.scree_result_field(c, row, index)) for row in range(lib.scree_result_row_count(c))]

    def series(self) -> dict[str, np.ndarray]:
        """All columns by name: for pandas.DataFrame(result.series())."""
        return {name: self.column(name) for name in self.columns}

    # ---- frames

    @property
    def frame_count(self) -> int:
        """Number of frames."""
        return lib.scree_result_frame_count(self._live())

    @property
    def frame_times(self) -> np.ndarray:
        """Times of the frames (frame_count) [s], a view."""
        c = self._live()
        return self._view(lib.scree_result_frame_times(c), (lib.scree_result_frame_count(c),))

    def nearest_frame(self, time: float) -> int:
        """The frame whose time is nearest."""
        index = lib.scree_result_nearest_frame(self._live(), time)
        if index < 0:
            raise IndexError("the run has no frames")
        return index

    def frame(self, index: int) -> Frame:
        """Reads a frame; negative numbers count from the end."""
        count = self.frame_count
        if not -count <= index < count:
            raise IndexError(f"there is no frame {index}: the run has {count}")
        error = new_error()
        with self._use() as c:
            frame = lib.scree_result_frame(c, index % count, error)
            check(error.status, error)
            return Frame(self._pool, frame, lib.scree_frame_free, uses=self)

    def frames(self) -> Iterator[Frame]:
        """The frames one after the other."""
        return (self.frame(index) for index in range(self.frame_count))

    @property
    def body_names(self) -> list[str]:
        """"floor", "grain[12]", ... of all bodies."""
        c, buffer = self._live(), ffi.new("char[]", 256)
        count = lib.scree_result_body_count(c)
        return [text_of(lib.scree_result_body_name(c, k, buffer, len(buffer))) for k in range(count)]

    @property
    def material_names(self) -> list[str]:
        """Names of the materials."""
        c = self._live()
        return [text_of(lib.scree_result_material_name(c, k)) for k in range(lib.scree_result_material_count(c))]

    def picture(self, path: str | os.PathLike[str] | None = None, *options: str) -> bytes:
        """A frame as PNG, as `scree picture` draws it; `options` are those of the command ("--frame", "3", "--cut", "y"). Written to
        `path` where one is given; returned in any case."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(path) if path is not None else Path(folder) / "picture.png"
            _command("picture", str(self.directory), "-o", str(file), *options)
            return file.read_bytes()

    def report(self, path: str | os.PathLike[str] | None = None, *others: Result) -> Path:
        """The HTML page of `scree report`, of this run or beside others; returns where it is."""
        file = Path(path) if path is not None else self.directory / ("compare.html" if others else "report.html")
        _command("report", str(self.directory), *(str(other.directory) for other in others), "-o", str(file))
        return file

    def show(self) -> Path:
        """Writes the report and opens it in a browser; returns where it is."""
        file = self.report()
        webbrowser.open(file.resolve().as_uri())
        return file

    def _repr_html_(self) -> str:
        """In a notebook: the last frame and the summary."""
        picture = ""
        if self.frame_count and _find_command():
            data = base64.b64encode(self.picture(None, "--size", "720x480")).decode()
            picture = f'<img alt="the last frame" src="data:image/png;base64,{data}">'
        rows = "".join(
            f"<tr><td>{html.escape(str(key))}</td><td>{html.escape(str(value))}</td></tr>"
            for key, value in (self.summary or {}).items()
            if not isinstance(value, dict)
        )
        return f"<div><b>{html.escape(str(self.directory))}</b><br>{picture}<table>{rows}</table></div>"

    def convert(self, format: Formats, directory: str | os.PathLike[str], first: int = 0, last: int = -1) -> None:
        """Writes frames first to last (negative: from the end) as "vtp", "dump", "csv", "bodies" or "contacts" files."""
        formats, error, count = format_bits(format), new_error(), self.frame_count
        first, last = (k + count if k < 0 else k for k in (first, last))
        if not 0 <= first <= last < count:
            raise IndexError(f"there are no frames {first} to {last}: the run has {count}")
        with self._use() as c:
            check(lib.scree_result_convert(c, formats, path_bytes(directory), first, last, error), error)
