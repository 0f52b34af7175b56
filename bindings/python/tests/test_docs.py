"""docs/python.md: its reference is made from the docstrings (SCREE_UPDATE_DOCS=1 rewrites it), and its guide runs."""

import inspect
import os
import re
import subprocess
import sys

import pytest

import scree

MARK = "<!-- From here on: made from the docstrings by bindings/python/tests/test_docs.py (SCREE_UPDATE_DOCS=1 rewrites it). -->\n"


def call(name, function):
    """name(arguments), without their types."""
    parameters = [p.replace(annotation=inspect.Parameter.empty) for n, p in inspect.signature(function).parameters.items() if n not in ("self", "cls")]
    return re.sub(r"<\w+\.(\w+): \d+>", r"\1", f"{name}{inspect.Signature(parameters)}")


def row(name, member):
    """A line of a table, or "" for what is not public."""
    if isinstance(member, property):
        return f"| `{name}` | {first(member)} |\n"
    function = getattr(member, "__func__", member)
    return f"| `{call(name, function)}` | {first(function)} |\n" if inspect.isfunction(function) else ""


def first(thing):
    """The first paragraph of a docstring in one line."""
    text = re.sub(r"\s+", " ", inspect.getdoc(thing).split("\n\n")[0]).replace("|", "\\|")
    return re.sub(r"<(scree/\w+\.h)>", r"`<\1>`", text)


def reference():
    text = ""
    for module in (scree.laws, scree.problem, scree.shapes, scree.world, scree.stepper, scree.scene, scree.result):
        text += f"\n### scree.{module.__name__.removeprefix('scree.')}\n\n{first(module)}\n"
        things = [(name, getattr(module, name)) for name in module.__all__]
        rows = "".join(row(name, thing) for name, thing in things if inspect.isfunction(thing))
        text += f"\n| function | |\n|---|---|\n{rows}" if rows else ""
        for name, thing in things:
            if not inspect.isclass(thing):
                continue
            own = vars(thing).get("__init__")
            shown = call(name, own) if own and "_c" not in inspect.signature(own).parameters else name
            text += f"\n**`{shown}`**. {first(thing)}\n"
            members = "".join(row(n, m) for n, m in vars(thing).items() if not n.startswith("_"))
            text += f"\n| member | |\n|---|---|\n{members}" if members else ""
    return text


def test_reference_is_that_of_the_docstrings(root):
    path = root / "docs/python.md"
    guide, _, found = path.read_text().partition(MARK)
    if os.environ.get("SCREE_UPDATE_DOCS"):
        path.write_text(guide + MARK + reference())
        return
    assert found == reference(), "run the test with SCREE_UPDATE_DOCS=1"


def test_guide_runs_and_prints_what_it_says(root, tmp_path):
    """Every block of the guide, one after the other, in one program; a comment behind a print is its output."""
    guide = (root / "docs/python.md").read_text().partition(MARK)[0]
    blocks = re.findall(r"```python\n(.*?)```", guide, flags=re.S)
    assert len(blocks) > 4
    program = "\n".join(blocks)
    expected = re.findall(r"^ *print\(.*\)  # (.*)$", program, flags=re.M)
    pytest.importorskip("scipy.sparse")
    (tmp_path / "examples").symlink_to(root / "examples")
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == expected
