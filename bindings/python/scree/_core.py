"""What all of the package shares: errors as exceptions, ownership, views, structs to and from Python values.

Ownership. An Object owns one C object and the pool of memory behind it (pool.h); `close` or the garbage collector frees it. A
closed object raises when it is used. A view pins the pool: it stays readable whatever becomes of its object.

Threads. C calls run without Python's global lock, and a C object serves one caller at a time; a second one, in another thread or
in a callback of the call that is running, gets an exception.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from . import _names
from ._scree import ffi, lib

Self = TypeVar("Self", bound="Object")

# ---- errors --------------------------------------------------------------------------------------------------------------


class Error(Exception):
    """What the C library reports as a status. str(error) is the text that the command line prints.

    file, line, column: the place in the input ("" and 0: none); text: the message without the place.
    """

    def __init__(self, message: str, file: str = "", line: int = 0, column: int = 0, text: str = ""):
        super().__init__(message)
        self.file, self.line, self.column, self.text = file, line, column, text or message


class InputError(Error, ValueError):
    """The content is wrong: a file's text, a value out of range."""


class FileError(Error, OSError):
    """A file cannot be opened or read."""


class DeviceError(Error, OSError):
    """The device that steps soft contacts (a GPU) is missing, or failed."""


class ReadError(FileError):
    """A file is there, and reading it failed: a sick disk, no file handles left."""


class WriteError(FileError):
    """A file or folder cannot be made or written: a full disk, no permission."""


class OutOfMemoryError(Error, MemoryError):
    """There is no memory for this."""


class UnsupportedError(Error, NotImplementedError):
    """The method does not take this cone, law or problem."""


class StepError(Error, ValueError):
    """The time step is beyond the critical one: soft contacts would be unstable."""


class SolverError(Error, ArithmeticError):
    """The solver of a step did not converge, and the stepper was told to stop there."""


class RunawayError(Error, ArithmeticError):
    """The state of a body is no longer finite, or it is faster than the world's speed limit."""


_EXCEPTIONS = {
    _names.Status.ERR_INPUT: InputError,
    _names.Status.ERR_FILE: FileError,
    _names.Status.ERR_MEMORY: OutOfMemoryError,
    _names.Status.ERR_UNSUPPORTED: UnsupportedError,
    _names.Status.ERR_STEP: StepError,
    _names.Status.ERR_SOLVER: SolverError,
    _names.Status.ERR_RUNAWAY: RunawayError,
    _names.Status.ERR_WRITE: WriteError,
    _names.Status.ERR_READ: ReadError,
    _names.Status.ERR_DEVICE: DeviceError,
}

_pending = threading.local()  # the exception that a callback of this thread left behind


def keep_exception(kind, value, trace) -> None:
    """onerror of every callback: the exception goes on when the C call has returned."""
    if getattr(_pending, "value", None) is None:
        _pending.value = value


def raise_kept() -> None:
    """Raises what a callback of the last call raised (Ctrl-C included)."""
    value, _pending.value = getattr(_pending, "value", None), None
    if value is not None:
        raise value


def check(status: int, error: Any = None) -> None:
    """Raises the exception of a status; `error` is the scree_error that the call filled."""
    raise_kept()
    if status == _names.Status.OK:
        return
    kind = _EXCEPTIONS[_names.Status(status)]
    if error is None or error.text[0] == b"\0":
        raise kind(text_of(lib.scree_status_name(status)))
    buffer = ffi.new("char[]", 1200)
    message = text_of(lib.scree_error_format(error, buffer, len(buffer)))
    raise kind(message, text_of(error.file), error.line, error.column, text_of(error.text))


def new_error() -> Any:
    """A scree_error for a call to fill."""
    return ffi.new("scree_error *")


# ---- text and arrays -----------------------------------------------------------------------------------------------------


def text_of(pointer: Any) -> str:
    """The text behind a char pointer or in a char array; NULL is ""."""
    return ffi.string(pointer).decode("utf-8", "replace") if pointer != ffi.NULL else ""


def path_bytes(path: str | os.PathLike[str]) -> bytes:
    """A path as the C library wants it."""
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError("a path cannot contain a zero byte")
    return encoded


def text_bytes(text: str) -> bytes:
    """A text as the C library wants it, which ends at a zero byte."""
    encoded = text.encode()
    if b"\0" in encoded:
        raise ValueError("a text cannot contain a zero byte")
    return encoded


def doubles(values: Any, *shape: int, name: str = "array") -> np.ndarray:
    """A C-contiguous array of float64, its shape checked; -1 is any length. Copies only what is not such an array already."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    wanted = "(" + ", ".join("n" if n < 0 else str(n) for n in shape) + ")"
    if array.ndim != len(shape) or any(n not in (-1, m) for n, m in zip(shape, array.shape)):
        raise ValueError(f"{name} has the shape {array.shape}, expected {wanted}")
    return array


def integers(values: Any) -> np.ndarray:
    """A C-contiguous array of int32; what does not fit is refused."""
    array = np.asarray(values)
    result = np.ascontiguousarray(array, dtype=np.int32)
    if not np.array_equal(result, array):
        raise ValueError("expected whole numbers of 32 bits")
    return result


def pointer(array: np.ndarray | None, ctype: str = "double *") -> Any:
    """The data of an array, which the caller keeps alive; None is NULL."""
    return ffi.NULL if array is None else ffi.cast(ctype, array.ctypes.data)


# ---- ids -----------------------------------------------------------------------------------------------------------------


def id_of(kind: str, index: int) -> Any:
    """The scree_body_id, scree_material_id, ... of an index; -1 is null."""
    return ffi.new(f"scree_{kind}_id *", [index + 1])[0]


def is_id(ctype: Any) -> bool:
    """Whether a C type is an id, which is an int in Python."""
    return ctype.kind == "struct" and ctype.cname.endswith("_id")


# ---- structs -------------------------------------------------------------------------------------------------------------


def struct_name(ctype: Any) -> str:
    """scree_x of a struct or enum type."""
    return ctype.cname.removeprefix("struct ").removeprefix("enum ").rstrip(" *&")


def value_of(ctype: Any, data: Any) -> Any:
    """A field as a Python value: number, IntEnum, str, numpy array (a copy) or record."""
    if ctype.kind == "enum":
        return _names.ENUMS[struct_name(ctype)](int(ffi.cast("int", data)))
    if ctype.kind == "array" and ctype.item.cname != "char":
        return np.frombuffer(bytes(ffi.buffer(data)), dtype=dtype_of(ctype.item))
    if is_id(ctype):
        return data.index1 - 1
    if ctype.kind == "struct":
        return record(data)
    if ctype.kind in ("array", "pointer"):
        return text_of(data)
    return data


def record(data: Any) -> Any:
    """A struct as its dataclass of _names: a copy, which does not change any more."""
    ctype = ffi.typeof(data)
    ctype = ctype.item if ctype.kind == "pointer" else ctype
    make = _names.RECORDS[struct_name(ctype)]
    return make(*(value_of(field.type, getattr(data, name)) for name, field in ctype.fields))


def dtype_of(ctype: Any) -> np.dtype:
    """The numpy type of a C type; structs become structured types with the offsets of the compiler."""
    if is_id(ctype):
        return np.dtype("i4")
    if ctype.kind == "struct":
        fields = dict(ctype.fields)
        return np.dtype(
            {
                "names": list(fields),
                "formats": [dtype_of(f.type) for f in fields.values()],
                "offsets": [f.offset for f in fields.values()],
                "itemsize": ffi.sizeof(ctype),
            }
        )
    if ctype.kind == "array" and ctype.item.cname == "char":  # text
        return np.dtype(f"S{ctype.length}")
    if ctype.kind == "array":
        return np.dtype((dtype_of(ctype.item), (ctype.length,)))
    if ctype.kind == "enum":
        return np.dtype("u4" if ffi.sizeof(ctype) == 4 else "u8")
    size = ffi.sizeof(ctype)
    if ctype.cname in ("double", "float"):
        return np.dtype(f"f{size}")
    return np.dtype(f"{'u' if ctype.cname.startswith(('unsigned', 'uint', 'size_t')) else 'i'}{size}")


def enum_value(ctype: Any, value: Any) -> int:
    """An enum from its member, its number, or its name in any case ("coulomb")."""
    names = _names.ENUMS[struct_name(ctype)].__members__
    if isinstance(value, str):
        member = names.get(value.upper())
        if member is None:
            raise ValueError(f"'{value}' is no {struct_name(ctype)}; there are: " + ", ".join(n.lower() for n in names))
        return int(member)
    if int(value) not in [int(m) for m in names.values()]:
        raise ValueError(f"{value} is no {struct_name(ctype)}")
    return int(value)


def fill(struct: Any, values: Mapping[str, Any], keep: list[Any]) -> None:
    """Sets the fields of a struct by name. What the struct points to is appended to `keep`, and must be kept alive."""
    fields = dict(ffi.typeof(struct).item.fields if ffi.typeof(struct).kind == "pointer" else ffi.typeof(struct).fields)
    for name, value in values.items():
        if name not in fields or name in ("cookie", "allocator", "measures"):
            near = difflib.get_close_matches(name, fields, 1)
            raise TypeError(f"{struct_name(ffi.typeof(struct))} has no field '{name}'" + (f" (did you mean '{near[0]}'?)" if near else ""))
        ctype = fields[name].type
        if ctype.kind == "enum":
            setattr(struct, name, enum_value(ctype, value))
        elif is_id(ctype):
            getattr(struct, name).index1 = value + 1
        elif ctype.kind == "struct":
            inner = {f: getattr(value, f) for f in value.__dataclass_fields__} if hasattr(value, "__dataclass_fields__") else value
            fill(getattr(struct, name), inner, keep)
        elif ctype.kind == "pointer" and ctype.item.cname == "char":
            keep.append(ffi.new("char[]", text_bytes(value)))
            setattr(struct, name, keep[-1])
        elif ctype.kind == "array":
            if np.shape(value) != (ctype.length,):
                raise ValueError(f"{name} has the shape {np.shape(value)}, expected ({ctype.length},)")
            setattr(struct, name, np.asarray(value).tolist())
        else:
            setattr(struct, name, value)


def options_text(struct: str) -> str:
    """The keywords of an options struct, a line each, for docstrings."""
    return "".join(f"\n    {name}: {text}" for name, text in _names.OPTIONS[struct].items() if name != "context")


def documents_options(*structs: str):
    """Decorator: appends the keywords of these structs to the docstring."""

    def append(target):
        target.__doc__ = (target.__doc__ or "").rstrip() + "\n\n    Keywords:" + "".join(options_text(s) for s in structs) + "\n"
        return target

    return append


# ---- ownership -------------------------------------------------------------------------------------------------------------


class Pool:
    """Memory of one object: an allocator for C, pins for views."""

    def __init__(self) -> None:
        created = lib.memory_pool_create()
        if created == ffi.NULL:
            raise MemoryError
        self.c = ffi.gc(created, lib.memory_pool_release)
        self.allocator = ffi.new("scree_allocator *", lib.memory_pool_allocator(self.c))


def created(kind: str, call: Callable[[Any, Any, Any], int]) -> tuple[Pool, Any]:
    """What call(allocator, out, error) makes, an object of the C type `kind`, and the pool it lives in."""
    pool, out, error = Pool(), ffi.new(f"{kind} **"), new_error()
    check(call(pool.allocator, out, error), error)
    return pool, out[0]


def made(call: Callable[[Any, Any], Any]) -> tuple[Pool, Any]:
    """What call(allocator, error) returns, an object of C, and the pool it lives in."""
    pool, error = Pool(), new_error()
    c = call(pool.allocator, error)
    check(error.status, error)
    return pool, c


class _Pinned:
    """Memory as numpy's array interface has it; the array keeps this object, and this object keeps the memory."""

    def __init__(self, pool: Pool, address: int, shape: tuple[int, ...], dtype: np.dtype, writable: bool):
        self.pin = ffi.gc(lib.memory_pool_pin(pool.c), lib.memory_pool_unpin)
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": dtype.str,
            "descr": dtype.descr,
            "data": (address, not writable),
        }


class Object:
    """A C object: freed by close(), at the end of a with block, or when nothing refers to it any more."""

    _noun = "object"
    _hook_handle: Any = None

    def __init__(self, pool: Pool, pointer: Any, destroy: Any, owner: Object | None = None, uses: Object | None = None):
        """`destroy` None: the C object belongs to that of `owner`, and goes with it. `uses`: the C object looks into that of
        another one, which therefore outlives it."""
        self._pool = pool
        self._owner = owner
        self._users: weakref.WeakSet[Object] = weakref.WeakSet()
        self._lock: Any = owner._lock if owner else threading.Lock()
        if destroy and uses:
            used = uses._live()
            uses._users.add(self)
            self._pointer: Any = ffi.gc(pointer, lambda c: (destroy(c), used)[0])
        else:
            self._pointer = ffi.gc(pointer, destroy) if destroy else pointer

    @contextlib.contextmanager
    def _use(self) -> Iterator[Any]:
        """The C pointer, for one caller at a time."""
        if not self._lock.acquire(blocking=False):
            raise RuntimeError(f"the {self._noun} is in use, by another thread or by the call that is running")
        try:
            yield self._live()
        finally:
            self._lock.release()

    def _live(self) -> Any:
        """The C pointer, for what only reads a number."""
        if self.closed:
            raise ValueError(f"the {self._noun} is closed")
        return self._pointer

    @property
    def closed(self) -> bool:
        """True after close(), of this object or of the one it belongs to."""
        return self._pointer is None or (self._owner is not None and self._owner.closed)

    def close(self) -> None:
        """Frees the C object: now, or when the last object that was made from it goes. Views that were taken stay readable.
        Closing twice is allowed."""
        if self.closed:
            return
        if self._owner is not None:
            raise ValueError(f"the {self._noun} belongs to a {self._owner._noun}: close that")
        with self._use() as pointer:
            self._pointer = None
            if all(user.closed for user in self._users):
                ffi.release(pointer)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _view(self, address: Any, shape: tuple[int, ...], dtype: Any = np.float64, writable: bool = False) -> np.ndarray:
        """The memory at `address` as an array, without a copy. An array without entries has no memory to show."""
        dtype = np.dtype(dtype)
        if 0 in shape or address == ffi.NULL:
            return np.zeros(shape, dtype)
        at = int(ffi.cast("uintptr_t", address))
        if dtype.names is None:
            return np.asarray(_Pinned(self._pool, at, shape, dtype, writable))
        raw = np.asarray(_Pinned(self._pool, at, (*shape[:-1], shape[-1] * dtype.itemsize), np.dtype("u1"), writable))
        return raw.view(dtype)


def memory_live() -> tuple[int, int]:
    """Blocks and bytes that the C library holds for all objects of this package: for tests that nothing leaks."""
    blocks, size = ffi.new("int64_t *"), ffi.new("int64_t *")
    lib.memory_live(blocks, size)
    return blocks[0], size[0]
