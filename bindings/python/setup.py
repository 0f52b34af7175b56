"""Installs the Python package of scree from the source tree: docs/python.md says how."""

import re
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).resolve().parent
BASE = (HERE.parent.parent / "include" / "scree" / "base.h").read_text(encoding="utf-8")
VERSION = re.search(r'SCREE_VERSION_STRING "(.*)"', BASE)
assert VERSION

setup(
    name="scree",
    version=VERSION[1],
    description="Rigid bodies and grains that touch, slide, roll and spin",
    license="BSD-3-Clause",
    python_requires=">=3.11",
    packages=["scree"],
    package_data={"scree": ["py.typed"]},
    cffi_modules=["build_scree.py:ffibuilder"],
    install_requires=["cffi>=1.15", "numpy>=1.24"],
    zip_safe=False,
)
