"""headers.py: what Python has to know of the public headers, taken from the headers themselves.

    declarations(include)    the text for cffi's cdef: structs, enums, functions, as the compiler sees them (macros expanded)
    python_names(include)    the source of scree/_names.py: enums as IntEnum, constants, plain structs as dataclasses,
                             and a line of documentation per field, from the comments beside it

Nothing is listed by hand: a struct or a field that a header gains is in Python after the next build. `cc -E` expands the
field lists (X-macros) and the attributes; the lines that come from other files (stdint.h ...) are dropped by their line markers.
"""

import keyword
import os
import re
import subprocess
import sys
from pathlib import Path

from cffi import FFI


def _sources(include: Path) -> dict[str, str]:
    """The public headers by name."""
    found = {p.name: p.read_text(encoding="utf-8") for p in sorted((include / "scree").glob("*.h"))}
    if "scene.h" not in found:
        raise SystemExit(f"{include}/scree has no scene.h: the Python package needs a full build of scree, not SCREE_MINIMAL")
    return found


def declarations(include: Path) -> str:
    """All public declarations, without what the compiler's own headers bring."""
    text = "".join(f"#include <scree/{name}>\n" for name in _sources(include))
    command = [os.environ.get("CC", "cc"), "-E", "-x", "c", "-std=c17", f"-I{include}", "-D__attribute__(x)=", "-"]
    expanded = subprocess.run(command, input=text, text=True, check=True, capture_output=True).stdout
    kept, ours = [], False
    for line in expanded.splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            ours = Path(marker[1]).parent.name == "scree"
        elif ours and line.strip():
            kept.append(line)
    return re.sub(r"^static inline [^;{}]*\{.*?^\}\n", "", "\n".join(kept) + "\n", flags=re.S | re.M)  # ids are ints here


def includes(include: Path) -> str:
    """The #include lines of all public headers."""
    return "".join(f"#include <scree/{name}>\n" for name in _sources(include))


# ---- documentation, from the comments ------------------------------------------------------------------------------


def _sentence(comment: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"^\s*(///|\*)", "", comment, flags=re.M)).strip()


def _field_comments(body: str) -> dict[str, str]:
    """Each declaration of a struct's body with the comment behind it."""
    docs: dict[str, str] = {}
    body = re.sub(r"\([^;]*\)[^;]*;", ";", body)  # function pointers
    for declaration, comment in re.findall(r"([^;{}]*);[ \t]*(?:\n?[ \t]*/\*(.*?)\*/)?", body, flags=re.S):
        declaration = re.sub(r"/\*.*?\*/|^\s*///.*$|^\s*#.*$", "", declaration, flags=re.S | re.M)
        for name in declaration.split(","):
            found = re.findall(r"(\w+)\s*(?:\[[^\]]*\])*\s*$", name)
            if found:
                docs[found[0]] = _sentence(comment)
    return docs


def _list_comments(text: str, list_name: str) -> dict[str, str]:
    """The texts of a field list, whose rows are F(type, name, default, "text")."""
    rows = re.search(rf"#define {list_name}\(F\)((?:.*\\\n)*.*)\n", text)
    assert rows, list_name
    found = re.findall(r'F\(\w+, (\w+), ([^,]+),[\s\\]*"(.*?)"\)', rows[1])
    return {field: f"{line} (default {default})" for field, default, line in found}


def comments(include: Path) -> dict[str, tuple[str, dict[str, str]]]:
    """For each struct: the text above it, and the text of each field."""
    result = {}
    for text in _sources(include).values():
        for start in re.finditer(r"^typedef struct (scree_\w+) \{\n", text, flags=re.M):
            name = start[1]
            body = text[start.end() : text.index(f"\n}} {name};", start.end()) + 1]
            above = re.search(r"((?:^///.*\n)*)\Z", text[: start.start()], flags=re.M)
            fields = _field_comments(body)
            for list_name in re.findall(r"(\w+_FIELDS)\(SCREE_FIELD\)", body):
                fields.update(_list_comments(text, list_name))
            result[name] = (_sentence(above[1] if above else ""), fields)
    return result


# ---- Python source ---------------------------------------------------------------------------------------------------


def is_id(c_name: str) -> bool:
    """scree_body_id and the like: plain numbers in Python."""
    return re.fullmatch(r"(struct )?scree_\w+_id", c_name) is not None


def _class_name(c_name: str) -> str:
    return "".join(part.capitalize() for part in c_name.removeprefix("scree_").split("_"))


def _annotation(ctype) -> str | None:
    """The Python type of a plain value; None: it has a pointer, and is no value."""
    if ctype.kind == "enum":
        return _class_name(ctype.cname.removeprefix("enum "))
    if ctype.kind == "primitive":
        return "float" if ctype.cname in ("double", "float") else "int"
    if ctype.kind == "pointer" and ctype.item.cname == "char":
        return "str"
    if ctype.kind == "array":
        if ctype.item.cname == "char":
            return "str"
        return "np.ndarray" if _annotation(ctype.item) in ("float", "int", "np.ndarray") else None
    if is_id(ctype.cname):
        return "int"
    if ctype.kind == "struct" and ctype.fields is not None:
        return _class_name(ctype.cname.removeprefix("struct ")) if all(_annotation(f.type) for _, f in ctype.fields) else None
    return None


def _is_record(name: str, ctype) -> bool:
    """Plain values that the library returns. Options become keywords, an error an exception, a shape has a class of its own."""
    return name not in ("scree_error", "scree_shape") and not is_id(name) and not any(f == "cookie" for f, _ in ctype.fields) and bool(_annotation(ctype))


def _members(ctype) -> dict[int, str]:
    """The constants of an enum without the words that all of them begin with: SCREE_LAW_COULOMB is Law.COULOMB."""
    words = [constant.split("_") for constant in ctype.elements.values()]
    shared = 0
    while all(len(w) > shared + 1 and w[shared] == words[0][shared] for w in words):
        shared += 1
    return {value: "_".join(constant.split("_")[shared:]) for value, constant in ctype.elements.items()}


def _enum_source(name: str, ctype) -> list[str]:
    lines = ["", "", f"class {_class_name(name)}(enum.IntEnum):", f'    """enum {name}."""', ""]
    return lines + [f"    {member} = {value}" for value, member in sorted(_members(ctype).items())]


def _attribute(field: str) -> str:
    """The field's name in Python: `from` is a word of the language, and becomes `from_`."""
    return field + "_" if keyword.iskeyword(field) else field


def _record_source(name: str, ctype, docs: tuple[str, dict[str, str]]) -> list[str]:
    summary, field_docs = docs
    lines = ["", "", "@dataclasses.dataclass(frozen=True, eq=False)", f"class {_class_name(name)}:", f'    """struct {name}. {summary}'.rstrip()]
    shown = [(_attribute(field), field_docs.get(field, "")) for field, _ in ctype.fields]
    if any(text for _, text in shown):
        lines += [""] + [f"    {field}: {text}".rstrip() for field, text in shown]
    lines += ['    """', ""]
    return lines + [f"    {_attribute(field)}: {_annotation(f.type)}" for field, f in ctype.fields]


def python_names(include: Path) -> str:
    """Source of the module _names."""
    ffi = FFI()
    text = declarations(include)
    ffi.cdef(text)
    constants_of = ffi.dlopen(None)
    docs = comments(include)
    defined = re.findall(r"^(?:typedef enum \w+ \{.*|\}) (scree_\w+);$|^\} (scree_\w+);$", text, flags=re.M)
    types = {name: ffi.typeof(name) for pair in defined for name in pair if name}
    enums = {name: t for name, t in types.items() if t.kind == "enum"}
    records = [(n, t) for n, t in types.items() if t.kind == "struct" and _is_record(n, t)]
    in_enums = {c for t in enums.values() for c in t.elements.values()}
    constants = [c for c in dict.fromkeys(re.findall(r"\bSCREE_[A-Z][A-Z0-9_]*\b", text)) if c not in in_enums]

    lines = ['"""Enums, constants and plain structs of the C headers. Written by headers.py at every build."""', ""]
    lines += ["import dataclasses", "import enum", "", "import numpy as np"]
    for name, ctype in enums.items():
        lines += _enum_source(name, ctype)
    for name, ctype in records:
        lines += _record_source(name, ctype, docs.get(name, ("", {})))
    lines += ["", ""]
    lines += [f"{c.removeprefix('SCREE_')} = {getattr(constants_of, c)}" for c in constants]
    for header in _sources(include).values():  # plain numbers behind #define
        for name, value in re.findall(r"^#define SCREE_(\w+) +(0x[0-9A-Fa-f]+|[0-9][0-9.e]*)u?$", header, flags=re.M):
            lines.append(f"{name} = {value}")
    for name, ctype in enums.items():
        lines += [f"{ctype.elements[v].removeprefix('SCREE_')} = {_class_name(name)}.{m}" for v, m in _members(ctype).items()]
    lines += ["", "OPTIONS: dict[str, dict[str, str]] = {"]
    lines += [f"    {name!r}: {fields!r}," for name, (_, fields) in docs.items() if fields.pop("cookie", None) is not None and fields.pop("allocator", "") is not None and fields.pop("measures", "") is not None]
    lines += ["}", "RECORDS: dict[str, type] = {" + ", ".join(f"{n!r}: {_class_name(n)}" for n, _ in records) + "}"]
    lines += ["ENUMS: dict[str, type[enum.IntEnum]] = {" + ", ".join(f"{n!r}: {_class_name(n)}" for n in enums) + "}", ""]
    return "\n".join(lines)


if __name__ == "__main__":  # headers.py INCLUDE_DIR: prints both, to look at
    print(declarations(Path(sys.argv[1])))
    print(python_names(Path(sys.argv[1])))
