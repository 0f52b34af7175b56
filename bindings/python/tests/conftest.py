"""What the tests share. They run in any folder; paths start at the root of the source tree."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
LINES = os.environ.get("SCREE_PYTHON_LINES")  # where tools/messages.py wants to read which lines of the package ran
ran: set[str] = set()


def note_line(frame, event, _):
    """A trace function for the lines of the package, and of nothing else."""
    file = Path(frame.f_code.co_filename)
    if file.parent.name != "scree":
        return None
    if event == "line":
        ran.add(f"{file.name}:{frame.f_lineno}")
    return note_line


if LINES:
    sys.settrace(note_line)


@pytest.fixture
def ctrl_c():
    """Ctrl-C raises KeyboardInterrupt, also where the tests were started with SIGINT ignored, as shells start what runs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def pytest_sessionfinish() -> None:
    if LINES:
        Path(LINES).write_text("\n".join(sorted(ran)), encoding="utf-8")


@pytest.fixture
def root() -> Path:
    return ROOT


@pytest.fixture
def command():
    """Runs the `scree` of this build (SCREE_BIN): the text of its output or, if it fails, of its messages."""
    program = os.environ.get("SCREE_BIN")
    if not program:
        pytest.skip("SCREE_BIN is not set")

    def run(*arguments: object) -> str:
        done = subprocess.run([program, *map(str, arguments)], text=True, capture_output=True, check=False)
        return done.stdout if done.returncode == 0 else done.stderr

    return run
