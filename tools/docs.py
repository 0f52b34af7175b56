#!/usr/bin/env python3
"""The documentation: every link checked, and the site built with mkdocs.

    tools/docs.py --check         links and anchors of all pages; needs python3 only
    tools/docs.py [--site DIR]    the same, then the site (default build/docs/site); needs Debian's mkdocs

Pages link to each other as they lie in the tree, so that they can be read there. The site is made from a copy of the tree's
pages, and of the files that they link to, at the same places (build/docs/source); the README is its first page. To that copy of
docs/api-c.md the declarations of the public headers are added, so that they are never older than the headers. Pages can be opened
as files; the search box wants a server, as python3 -m http.server -d build/docs/site is one.
"""
import argparse
import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SKIPPED = {"build", "out", "site"}  # top folders without pages of their own


def pages():
    """All pages of the tree, relative to its root."""
    found = sorted(ROOT.glob("*.md"))
    for folder in sorted(p for p in ROOT.iterdir() if p.is_dir() and p.name not in SKIPPED and p.name[0] != "."):
        found += sorted(folder.rglob("*.md"))
    return [p.relative_to(ROOT) for p in found]


# ---- links --------------------------------------------------------------------------------------------------------------

FENCE = re.compile(r"^(```|~~~)")
CODE = re.compile(r"(`+)(?:(?!\1).)+?\1")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+(?:\([^()]*\))?[^()\s]*)(?:\s+\"[^\"]*\")?\)")


def prose(text):
    """Lines outside of code, as (number, line); code within a line is blanked."""
    fenced, blank = False, True
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line.lstrip()):
            fenced = not fenced
        elif not fenced and not (blank and line.startswith("    ")):
            yield number, CODE.sub(lambda m: " " * len(m.group()), line)
        blank = not line.strip() or (blank and line.startswith("    "))


def slug(heading):
    """The anchor of a heading, as mkdocs makes it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())


def anchors(text):
    found = set()
    fenced = False
    for line in text.splitlines():
        if FENCE.match(line.lstrip()):
            fenced = not fenced
        heading = None if fenced else re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if heading:
            name = base = slug(heading.group(1))
            count = 0
            while name in found:
                count += 1
                name = f"{base}_{count}"
            found.add(name)
        found.update(re.findall(r"<a id=\"([^\"]+)\">", line))
    return found


def check(text_of):
    """Problems of all links in {page: text}, and the files in the tree that the pages link to."""
    problems, files = [], set()
    anchors_of = {page: anchors(text) for page, text in text_of.items()}
    for page, text in text_of.items():
        for number, line in prose(text):
            for target in LINK.findall(line):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                full = (ROOT / page.parent / path).resolve() if path else ROOT / page
                if not full.is_relative_to(ROOT):
                    problems.append(f"{page}:{number}: {target}: leads out of the project")
                    continue
                to = full.relative_to(ROOT)
                if to not in text_of and not full.exists():
                    problems.append(f"{page}:{number}: {target}: there is no such file")
                elif anchor and anchor not in anchors_of.get(to, ()):
                    problems.append(f"{page}:{number}: {target}: {to} has no heading #{anchor}")
                elif to not in text_of:
                    if full.is_file():
                        files.add(to)
                    else:
                        problems.append(f"{page}:{number}: {target}: a folder; link to a page or a file in it")
    return problems, files


# ---- the reference of the C library -------------------------------------------------------------------------------------

NAME = re.compile(r"\b(scree_\w+)\s*\(|^typedef (?:enum|struct|union) (scree_\w+)|^typedef [^(]*?(scree_\w+)\(", re.M)


def without_guards(text):
    """A header without what only the compiler wants: guards, extern "C", attributes."""
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.S)
    text = re.sub(r"\n#if defined\(__GNUC__\)\n\s*__attribute__.*?#endif(\n\s*;)?", lambda m: ";" if m.group(1) else "", text, flags=re.S)
    text = re.sub(r"#if defined\(_WIN32\)\n#define SCREE_API\n.*?#endif\n", "", text, flags=re.S)
    text = re.sub(r"^#ifndef SCREE_\w+_H\n#define SCREE_\w+_H\n", "", text, flags=re.M)
    return re.sub(r"\n#endif\s*\Z", "\n", text)


def header_page(header):
    """A public header as Markdown: its comments as text, its declarations as code. Returns the text and the names in it."""
    text = header.read_text()
    opening = re.match(r"/\*(.*?)\*/\n", text, re.S)
    lines = [re.sub(r"^ \* ?", "", line).rstrip() for line in opening.group(1).strip("\n").split("\n")]
    first = re.sub(r"^\s*\S+\.h: ?", "", lines[0])
    out = [f"\n## scree/{header.name}\n", first[:1].upper() + first[1:]]
    for line in lines[1:]:
        out.append(line if not line.strip() or not line.startswith("  ") else "    " + line.strip("\n"))
    names, code, comment = [], [], []

    def flush():
        block = "\n".join(code).strip("\n")
        if block:
            found = sorted({n for m in NAME.findall(re.sub(r"/\*.*?\*/", "", block, flags=re.S)) for n in m if n})
            fresh = [n for n in found if n not in names]
            names.extend(fresh)
            out.append("\n" + "".join(f'<a id="{n}"></a>' for n in fresh))
            if comment:
                out.append(" ".join(comment) + "\n")
            out.append("```c\n" + block + "\n```\n")
        elif comment:
            out.append(" ".join(comment) + "\n")
        code.clear(), comment.clear()

    depth = 0
    for line in without_guards(text[opening.end():]).split("\n"):
        section = re.match(r"/\* ---- (.*?) -*\s*\*/", line)
        if section and depth == 0:
            flush()
            title = section.group(1)
            out.append(f"\n### {title[:1].upper() + title[1:]}\n")
        elif line.startswith("///") and depth == 0:
            if code and any(part.strip() for part in code):
                flush()
            comment.append(escape(line[3:].strip()))
        else:
            if not line.strip() and depth == 0 and any(part.strip() for part in code) and comment:
                flush()
                continue
            code.append(re.sub(r"^SCREE_API ", "", line))
            depth += line.count("{") - line.count("}")
    flush()
    return "\n".join(out), names


def escape(text):
    """Text of a comment as Markdown: what is between backquotes stays, the rest has no meaning to Markdown."""
    parts = text.split("`")
    for k in range(0, len(parts), 2):
        parts[k] = re.sub(r"([*_<>\[\]|])", r"\\\1", parts[k])
    return "`".join(parts)


def api_reference():
    """What is added to docs/api-c.md on the site."""
    index, bodies = [], []
    for header in sorted((ROOT / "include/scree").glob("*.h")):
        body, names = header_page(header)
        bodies.append(body)
        index += [f"[`{name}`](#{name})" for name in names]
    return "\n## Index\n\n" + "\n".join(sorted(index)) + "\n" + "\n".join(bodies)


def bars(text):
    """In tables, `a \\| b` as HTML: mkdocs would show the backslash."""
    def code(match):
        inner = match.group(1).replace("&", "&amp;").replace("<", "&lt;").replace("\\|", "&#124;")
        return f"<code>{inner}</code>"
    lines = text.split("\n")
    for k, line in enumerate(lines):
        if line.startswith("|") and "\\|" in line:
            lines[k] = re.sub(r"`([^`]*\\\|[^`]*)`", code, line)
    return "\n".join(lines)


# ---- the site -----------------------------------------------------------------------------------------------------------

def nav_pages():
    """The pages that the menu of the site names."""
    config = (ROOT / "mkdocs.yml").read_text()
    return {Path(p) for p in re.findall(r"^\s*- (?:.*: )?([\w./-]+\.md)\s*$", config[config.index("\nnav:"):], re.M)}


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--check", action="store_true", help="check the links, build nothing")
    options.add_argument("--site", type=Path, default=ROOT / "build/docs/site", help="where the site goes")
    asked = options.parse_args()

    text_of = {page: (ROOT / page).read_text() for page in pages()}
    reference = Path("docs/api-c.md")
    headers = text_of[reference]
    text_of[reference] += api_reference()
    problems, files = check(text_of)
    for header in sorted((ROOT / "include/scree").glob("*.h")):
        if f"include/scree/{header.name}" not in headers:
            problems.append(f"{reference}: the header {header.name} is not in its table")
    menu = nav_pages()
    for page in text_of:
        if page not in menu:
            problems.append(f"{page}: mkdocs.yml does not name it in its menu (nav)")
    problems += [f"mkdocs.yml: there is no page {page}" for page in sorted(menu) if page not in text_of]
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"docs: {len(text_of)} pages, {len(problems)} problems")
    if problems or asked.check:
        return 1 if problems else 0

    if not shutil.which("mkdocs"):
        print("docs: mkdocs is not installed, the site is not built")
        return 0
    source = ROOT / "build/docs/source"
    shutil.rmtree(source, ignore_errors=True)
    for page, text in text_of.items():
        (source / page).parent.mkdir(parents=True, exist_ok=True)
        (source / page).write_text(bars(text))
    for file in files | {Path("docs/site.css")}:
        (source / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / file, source / file)
    command = ["mkdocs", "build", "--quiet", "--strict", "--clean", "--site-dir", str(asked.site.resolve())]
    status = subprocess.run(command, cwd=ROOT).returncode
    if status == 0:
        print(f"docs: the site is in {asked.site}")
    return status


if __name__ == "__main__":
    sys.exit(main())
