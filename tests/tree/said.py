#!/usr/bin/env python3
"""Every message of the scene reader (src/scene) is expected by some test, so that each of its error paths is walked: tests/scenes/bad has a
scene for most, with the line and the column. Reads texts only: a piece of a message between two conversions must stand in a
file below tests/. What really ran is measured by tools/messages.py, which takes minutes.
"""
import re
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent.parent
CALL = re.compile(r"\b\w*(?:error|fail|wrong|refuse|complain|bad)\w*\s*\(")
STRINGS = re.compile(r'(?:"(?:[^"\\]|\\.)*"\s*)+')
SPARED = {  # what no file can provoke cheaply
    "out of memory": "allocators that fail (scene, generators, mesh_file) and tests/cli/memory.sh",
    "more than 20 million": "takes a file of hundreds of megabytes",
    "the limit for such a file": "takes a file of 16 MB; tests/cli/extremes.sh gives files without end",
}


def joined(literal: str) -> str:
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literal)).replace('\\"', '"')


def expected(piece: str, said: str) -> bool:
    """Whether a test has the piece, or begins or breaks off in it, with 18 characters at least."""
    size = min(len(piece), 18)
    return any(piece[k : k + size] in said for k in range(len(piece) - size + 1))


def main() -> int:
    said = ""
    for path in sorted((TREE / "tests").rglob("*")):
        if path.is_file() and path.suffix in (".c", ".h", ".sh", ".yaml", ".py") and path != Path(__file__).resolve():
            said += path.read_text(errors="replace").replace('\\"', '"') + "\n"
    said = re.sub(r"\s+", " ", re.sub(r'"\s*"', "", said))
    count, missing = 0, []
    for path in sorted((TREE / "src/scene").glob("*.c")):
        text = path.read_text()
        for call in CALL.finditer(text):
            literal = STRINGS.search(text, call.end(), call.end() + 600)
            if not literal or literal.start() > call.end() + 160:
                continue
            message = re.sub(r"\s+", " ", joined(literal.group()))
            pieces = [p.strip() for p in re.split(r"%[-0-9.*]*(?:ll|l|z)?[a-zA-Z]", message) if len(p) > 6]
            if " " not in message or not pieces:
                continue
            count += 1
            if not any(word in message for word in SPARED) and not any(expected(piece, said) for piece in pieces):
                missing.append(f"{path.relative_to(TREE)}:{text.count(chr(10), 0, call.start()) + 1}: no test expects: {message}")
    print("\n".join(missing) or f"said: {count} messages")
    return 1 if missing or count < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
