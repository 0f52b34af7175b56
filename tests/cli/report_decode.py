"""Decodes a report as its page does, and compares it with the frames of the run as CSV tables.

    report_decode.py PAGE FOLDER        FOLDER: what `scree convert RUN FOLDER --to csv` wrote
    report_decode.py PAGE               decodes everything and prints the manifest's texts

Judged: the policy and the outline of the page; that every block decodes; positions to half a quantum, rotations to the
stated steps, speeds and normal forces to the digits that are kept, contacts one by one. Standard library only."""
import base64, csv, json, math, re, struct, sys, zlib
from html.parser import HTMLParser


class Outline(HTMLParser):
    """The tags of the page; the browser sees these and no others."""
    def __init__(self):
        super().__init__()
        self.tags, self.data, self.inside = [], {}, None

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.inside = dict(attributes).get("id") if tag == "script" else None

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside:
            self.data[self.inside] = self.data.get(self.inside, "") + data


class Columns:
    def __init__(self, data, count):
        self.data, self.at, self.count = data, 0, count

    def planes(self):
        n = self.data[self.at]
        rows = [self.data[self.at + 1 + p * self.count:self.at + 1 + (p + 1) * self.count] for p in range(n)]
        assert all(len(row) == self.count for row in rows), "a column is cut short"
        self.at += 1 + n * self.count
        return rows

    def whole(self, before=None, running=False):
        values = [0] * self.count
        for p, row in enumerate(self.planes()):
            values = [v | b << 8 * p for v, b in zip(values, row)]
        values = [(v >> 1) ^ -(v & 1) for v in values]
        if before:
            values = [v + b for v, b in zip(values, before)]
        for k in range(1, self.count if running else 0):
            values[k] += values[k - 1]
        return values

    def real(self):
        rows = self.planes()
        rows += [bytes(self.count)] * (4 - len(rows))
        return [struct.unpack(">f", bytes(b))[0] for b in zip(*rows)]


def table(folder, name, frame):
    with open(f"{folder}/{name}/{name}_{frame:06d}.csv") as file: # the units in the names of columns are cut off
        names = [re.sub(r"\[.*?\]$", "", field) for field in next(csv.reader([file.readline()]))]
        return list(csv.DictReader(file, names))


def near(a, b, tolerance, what):
    tolerance += 2e-38 # single precision ends there
    assert abs(a - b) <= tolerance, f"{what}: {a} in the report, {b} in the run, tolerance {tolerance}"


def check_strokes(replay, block):
    n = replay["stroke_count"]
    c = Columns(block(replay["strokes"]), n)
    for _ in range(2):
        assert all(-1 <= body < replay["bodies"] for body in c.whole()), "a joint of a body that is not there"
        assert all(math.isfinite(x) for _ in range(3) for x in c.real())
    assert all(radius > 0 for radius in c.real()), "a stroke without width"
    assert c.at == len(c.data), "strokes are longer than they say"


def compare(replay, block, folder):
    n, q = replay["bodies"], replay["quantum"]
    check_strokes(replay, block)
    before = [None] * 8
    digits = 2.0 ** (-16 if replay["full"] else -8)
    for f, number in enumerate(replay["pose"]):
        c = Columns(block(number), n)
        before = [c.whole(column) for column in before]
        speed, spin = c.real(), c.real()
        rows = table(folder, "bodies", f)
        assert sum(state > 0 for state in before[0]) == len(rows), f"frame {f}: other bodies"
        for row in rows:
            b = int(row["body"])
            for k, axis in enumerate("xyz"):
                near(before[1 + k][b] * q, float(row[axis]), 0.5001 * q, f"frame {f}, body {b}, {axis}")
            v = math.sqrt(sum(float(row["v_" + axis]) ** 2 for axis in "xyz"))
            near(speed[b], v, digits * v, f"frame {f}, body {b}, speed")
            whole = [before[4 + k][b] for k in range(4)]
            size = math.sqrt(sum(w * w for w in whole))
            turned = abs(sum(w / size * float(row["q_" + c]) for w, c in zip(whole, "wxyz")))
            least = 1 - 1e-8 if replay["full"] else 0.9999
            assert turned > least, f"frame {f}, body {b}: rotation is off, cosine {turned}"
        if replay["contact"][f] >= 0:
            compare_contacts(replay, block, folder, f, before, digits)


def compare_contacts(replay, block, folder, f, wholes, digits):
    rows = table(folder, "contacts", f)
    assert len(rows) == replay["contact_count"][f]
    c = Columns(block(replay["contact"][f]), len(rows))
    a, b, mode = c.whole(running=True), c.whole(running=True), c.whole()
    offset = [c.whole() for _ in range(3)]
    value = {name: c.real() for name in replay["contact_columns"]}
    for k, row in enumerate(rows):
        assert (a[k], b[k]) == (int(row["body_a"]), int(row["body_b"])), f"frame {f}, contact {k}: other bodies"
        anchor = b[k] if wholes[0][b[k]] == 1 else a[k]
        for i, axis in enumerate("xyz"):
            place = (wholes[1 + i][anchor] + offset[i][k]) * replay["quantum"]
            near(place, float(row[axis]), 1.001 * replay["quantum"], f"frame {f}, contact {k}, {axis}")
        force = float(row["r_N"])
        near(value["normal_force"][k], force, digits * abs(force), f"frame {f}, contact {k}, normal force")
        near(value["gap"][k], float(row["gap"]), digits * abs(float(row["gap"])), f"frame {f}, contact {k}, gap")


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    page = Outline()
    page.feed(text)
    own = page.tags.count("script") == 2 and page.tags.count("style") == 1
    assert own and not {"img", "iframe", "svg"} & set(page.tags), page.tags
    assert re.search(r"default-src 'none'; script-src 'nonce-[0-9a-f]{32}'", text), "no policy"
    assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//", text), "something is loaded from elsewhere"
    lines = page.data["blocks"].split("\n")
    block = lambda number: zlib.decompress(base64.b64decode(lines[number], validate=True))
    manifest = json.loads(block(0))
    for k in range(len(lines)):
        block(k)
    for source in manifest["sources"]:
        for name, number in source["texts"].items():
            if len(sys.argv) == 2:
                print(f"--- {name}\n{block(number).decode()}")
        if "replay" in source and len(sys.argv) > 2:
            replay = source["replay"]
            compare(replay, block, sys.argv[2])
            kept = sum(number >= 0 for number in replay["contact"])
            print("frames", len(replay["pose"]), "contacts", kept, "full" if replay["full"] else "compact")


main()
