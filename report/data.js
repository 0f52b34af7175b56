// data.js: from the text at the end of the page to numbers. The other side is cli/report/report_pack.c and cli/report/report_frames.c.
//
// Everything that comes from a run stands in one element as lines of base64, each a deflated block of bytes; line 0 is the manifest,
// JSON that says which block is what. So no text of a scene is ever part of the HTML. A block of numbers is a row of columns; a
// column of n values is one byte P, then P planes of n bytes: the first bytes of all values, then the second ones, and so on. Planes
// of alike bytes are what deflate likes.
//
//   whole numbers  lowest byte first; zigzag (0, -1, 1, -2, ...), of the difference to a prediction where there is one
//   real numbers   IEEE 754 single precision, highest byte first, cut after P bytes: 2 bytes leave 1 part in 256, 3 in 65,536
"use strict";

class Blocks {
    constructor(text) { this.line = text.trim().split("\n"); }

    async bytes(number) {
        const packed = Uint8Array.from(atob(this.line[number]), (c) => c.charCodeAt(0));
        const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
        return new Uint8Array(await new Response(stream).arrayBuffer());
    }

    async text(number) { return new TextDecoder().decode(await this.bytes(number)); }

    async columns(number, count) { return new Columns(await this.bytes(number), count); }
}

class Columns {
    constructor(bytes, count) {
        this.bytes = bytes;
        this.at = 0;
        this.count = count;
    }

    /// The next column as whole numbers.
    whole() {
        const n = this.count, planes = this.bytes[this.at++], out = new Int32Array(n);
        for (let p = 0; p < planes; ++p, this.at += n)
            for (let i = 0; i < n; ++i) out[i] |= this.bytes[this.at + i] << (8 * p);
        for (let i = 0; i < n; ++i) out[i] = (out[i] >>> 1) ^ -(out[i] & 1);
        return out;
    }

    /// The same, each the difference to the one before it.
    running() {
        const out = this.whole();
        for (let i = 1; i < out.length; ++i) out[i] += out[i - 1];
        return out;
    }

    real() {
        const n = this.count, planes = this.bytes[this.at++], bits = new Uint32Array(n);
        for (let p = 0; p < planes; ++p, this.at += n)
            for (let i = 0; i < n; ++i) bits[i] |= this.bytes[this.at + i] << (24 - 8 * p);
        return new Float32Array(bits.buffer);
    }
}

// ---- tables -----------------------------------------------------------------------------------------------------------------

/// A CSV text: names of columns, and rows of strings. Quotes as RFC 4180 has them; a last line without its end is dropped, since a
/// run that is still going may be writing it.
function parseCsv(text) {
    const rows = [];
    let row = [], field = "", quoted = false;
    for (let i = 0; i < text.length; ++i) {
        const c = text[i];
        if (quoted) {
            if (c !== "\"") field += c;
            else if (text[i + 1] === "\"") field += text[++i];
            else quoted = false;
        } else if (c === "\"") quoted = true;
        else if (c === ",") row.push(field), (field = "");
        else if (c === "\n") row.push(field), rows.push(row), (row = []), (field = "");
        else if (c !== "\r") field += c;
    }
    return new Table(rows.shift() || [], rows);
}

class Table {
    constructor(names, rows) {
        this.names = names;
        this.rows = rows.filter((row) => row.length === names.length);
        this.texts = new Map(), this.numbers = new Map(); // columns that were asked for
    }

    has(name) { return this.names.includes(name); }

    words(name) {
        if (!this.texts.has(name)) {
            const k = this.names.indexOf(name);
            this.texts.set(name, this.rows.map((row) => row[k]));
        }
        return this.texts.get(name);
    }

    /// A column as numbers, NaN where it holds words.
    column(name) {
        if (!this.numbers.has(name))
            this.numbers.set(name, Float64Array.from(this.words(name), (word) => (word === "" ? NaN : Number(word))));
        return this.numbers.get(name);
    }

    /// Columns that hold a number somewhere.
    numeric() { return this.names.filter((name) => name !== "hash" && this.column(name).some(Number.isFinite)); }
}

// ---- a run ------------------------------------------------------------------------------------------------------------------

/// What a contact of a frame is said to have, in the order of the manifest.
const CONTACT_FIELDS = {
    normal_force: ["normal force", "N"],
    friction_force: ["friction force", "N"],
    rolling_moment: ["rolling moment", "N m"],
    spinning_moment: ["spinning moment", "N m"],
    gap: ["gap", "m"],
    normal_speed: ["normal speed", "m/s"],
    slip_speed: ["slip speed", "m/s"],
    roll_rate: ["rolling rate", "rad/s"],
    spin_rate: ["spinning rate", "rad/s"],
    friction: ["friction coefficient", ""],
};

class Replay {
    constructor(blocks, manifest) {
        Object.assign(this,
                      manifest); // bodies, shapes, quantum, time, pose, contact, contact_count, contact_columns, ...
        this.blocks = blocks;
        this.frames = [];          // decoded poses
        this.contacts = new Map(); // decoded contacts, by frame
    }

    async load(progress) {
        const table = await this.blocks.columns(this.shape_table, this.shapes);
        this.shape = {kind: table.whole(), body: table.running(), material: table.whole(), mesh: table.whole()};
        this.shape.size = [0, 1, 2].map(() => table.real());
        this.shape.position = [0, 1, 2].map(() => table.real());
        this.shape.rotation = [0, 1, 2, 3].map(() => table.real());
        const strokes = await this.blocks.columns(this.strokes, this.stroke_count), end = () => {
            const body = strokes.whole();
            return {body, place: [0, 1, 2].map(() => strokes.real())};
        };
        // joints, as lines between points of bodies (-1: the ground)
        this.stroke = {end: [end(), end()], radius: strokes.real()};
        this.mesh_data = [];
        for (const m of this.meshes) this.mesh_data.push(await this.loadMesh(m));
        let before = null;
        for (let f = 0; f < this.pose.length; ++f) {
            before = await this.decode(f, before);
            this.frames.push(before);
            if (progress && f % 8 === 0) progress(f / this.pose.length);
        }
    }

    async loadMesh(m) {
        const points = await this.blocks.columns(m.points, m.point_count),
              corners = await this.blocks.columns(m.triangles, m.triangle_count);
        return {point: [0, 1, 2].map(() => points.real()), corner: [0, 1, 2].map(() => corners.running())};
    }

    /// Frame f from the one before it: states (0 not there, 1 dynamic, 2 fixed, 3 driven), whole positions and rotations as
    /// differences, speeds, and from them the numbers that are drawn.
    async decode(f, before) {
        const n = this.bodies, c = await this.blocks.columns(this.pose[f], n);
        const whole = [];
        for (let k = 0; k < 8; ++k) {
            const column = c.whole();
            if (before)
                for (let i = 0; i < n; ++i) column[i] += before.whole[k][i];
            whole.push(column);
        }
        const x = new Float32Array(3 * n), q = new Float32Array(4 * n);
        for (let i = 0; i < n; ++i) {
            for (let k = 0; k < 3; ++k) x[3 * i + k] = whole[1 + k][i] * this.quantum;
            const [w, a, b, d] = [whole[4][i], whole[5][i], whole[6][i], whole[7][i]];
            const s = 1 / (Math.sqrt(w * w + a * a + b * b + d * d) || 1);
            q[4 * i] = w * s, q[4 * i + 1] = a * s, q[4 * i + 2] = b * s, q[4 * i + 3] = d * s;
        }
        if (before)
            before.whole = before.whole.map((column, k) => (k === 0 ? column : null)); // its sums are no longer needed
        return {
            whole,
            state: whole[0],
            x,
            q,
            speed: c.real(),
            spin: c.real(),
            velocity: this.full ? [c.real(), c.real(), c.real()] : null
        };
    }

    /// The frame at or before f whose contacts are kept.
    contactFrame(f) {
        while (f > 0 && this.contact[f] < 0) --f;
        return f;
    }

    async contactsOf(f) {
        f = this.contactFrame(f);
        if (this.contact[f] < 0) return null;
        if (!this.contacts.has(f)) {
            if (this.contacts.size > 64) this.contacts.delete(this.contacts.keys().next().value);
            this.contacts.set(f, this.decodeContacts(f));
        }
        return this.contacts.get(f);
    }

    async decodeContacts(f) {
        const n = this.contact_count[f], c = await this.blocks.columns(this.contact[f], n);
        const out = {frame: f, count: n, a: c.running(), b: c.running(), mode: c.whole(), value: {}};
        const offset = [c.whole(), c.whole(), c.whole()], point = new Float32Array(3 * n), frame = this.frames[f];
        out.anchor = new Int32Array(n);
        out.degree = new Uint16Array(this.bodies);
        for (let i = 0; i < n; ++i) {
            const body = frame.state[out.b[i]] === 1 ? out.b[i] : out.a[i]; // the contact point moves with this one
            out.anchor[i] = body;
            for (let k = 0; k < 3; ++k) point[3 * i + k] = offset[k][i] * this.quantum;
            ++out.degree[out.a[i]], ++out.degree[out.b[i]];
        }
        out.offset = point;
        for (const name of this.contact_columns) out.value[name] = c.real();
        out.largest = out.value.normal_force.reduce((m, v) => Math.max(m, v), 0);
        return out;
    }
}
