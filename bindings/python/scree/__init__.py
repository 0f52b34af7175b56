"""scree: rigid bodies and grains in contact, with sliding, rolling and spinning friction.

Names are those of the C library without its prefix. scree_cone_project is cone_project, SCREE_LAW_COULOMB is COULOMB; what owns memory
is a class, and scree_world_add_body its method World.add_body. Plain structs are dataclasses with the same fields, options structs are
keywords, a failed status is an exception with the same text. Arrays are views of C memory: docs/python.md explains what keeps them.
"""

from . import _core, _names, laws, problem, result, scene, shapes, stepper, world
from ._core import (
    DeviceError,
    Error,
    FileError,
    InputError,
    Object,
    OutOfMemoryError,
    RunawayError,
    SolverError,
    StepError,
    UnsupportedError,
    ReadError,
    WriteError,
    memory_live,
)
from ._names import *  # noqa: F403
from .laws import *  # noqa: F403
from .problem import *  # noqa: F403
from .result import *  # noqa: F403
from .scene import *  # noqa: F403
from .shapes import *  # noqa: F403
from .stepper import *  # noqa: F403
from .world import *  # noqa: F403


def version() -> str:
    """Version of the C library in use."""
    return _core.text_of(_core.lib.scree_version())


__version__ = version()
