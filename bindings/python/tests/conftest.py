"""What the tests share. They run in any folder; paths start at the root of the source tree."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


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
