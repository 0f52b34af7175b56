// feed.js: what comes from a simulation that runs now, as the views and plots want it. The other side is cli/live/live_message.h.
"use strict";

/// A message: its JSON, and its arrays by name in `array`.
function readMessage(buffer) {
    const head = new DataView(buffer), TYPES = {f32: Float32Array, i32: Int32Array, u8: Uint8Array};
    if (head.getUint32(0, true) !== 0x4c524353) throw new Error("this is no message of scree");
    const text = new Uint8Array(buffer, head.getUint32(4, true), head.getUint32(8, true));
    const m = JSON.parse(new TextDecoder().decode(text));
    m.array = {};
    for (const [name, [type, at, count]] of Object.entries(m.arrays))
        m.array[name] = new TYPES[type](buffer, at, count);
    return m;
}

/// The parts of a column of `count` entries each, as views.
const parts = (array, count) => Array.from({length: count ? array.length / count : 0},
                                           (_, k) => array.subarray(k * count, (k + 1) * count));

/// Stands where a Replay does, with one frame: the newest.
class LiveReplay {
    constructor(stage, frame) {
        const a = stage.array, [kind, body, material, mesh] = parts(a.kind, stage.shapes),
              s = parts(a.shape, stage.shapes);
        this.bodies = stage.bodies, this.shapes = stage.shapes;
        this.shape =
            {kind, body, material, mesh, size: s.slice(0, 3), position: s.slice(3, 6), rotation: s.slice(6, 10)};
        this.mesh_data = Array.from({length: stage.meshes},
                                    (_, k) => ({
                                        point: parts(a[`point_${k}`], a[`point_${k}`].length / 3),
                                        corner: parts(a[`corner_${k}`], a[`corner_${k}`].length / 3)
                                    }));
        const ends = parts(a.stroke_body, stage.strokes), places = parts(a.stroke, stage.strokes);
        this.stroke_count = stage.strokes;
        this.stroke = {
            end: [0, 1].map((k) => ({body: ends[k] || [], place: places.slice(3 * k, 3 * k + 3)})),
            radius: places[6] || []
        };
        this.materials = stage.materials;
        this.body_names = stage.names;
        this.contact_columns = [];
        this.force_top = 0;
        this.contacts = null;
        this.take(frame);
    }

    take(frame) {
        const a = frame.array, [speed, spin] = parts(a.speed, frame.bodies);
        this.time = [frame.time];
        this.frames = [{state: a.state, x: a.x, q: a.q, speed, spin, velocity: parts(a.velocity, frame.bodies)}];
        if (a.contact) this.takeContacts(frame);
        else this.contacts = null;
    }

    takeContacts(frame) {
        const n = frame.contacts, [from, to, anchor, mode] = n ? parts(frame.array.contact, n) : [[], [], [], []];
        const out = {frame: 0, count: n, a: from, b: to, anchor, mode, value: {}, offset: frame.array.contact_place};
        const columns = n ? parts(frame.array.contact_value, n) : [];
        this.contact_columns = frame.contact_columns;
        frame.contact_columns.forEach((name, k) => (out.value[name] = columns[k] || []));
        out.degree = new Uint16Array(this.bodies);
        for (let k = 0; k < n; ++k) ++out.degree[from[k]], ++out.degree[to[k]];
        const loaded = out.value.normal_force.filter((f) => f > 0),
              mean = loaded.reduce((s, f) => s + f, 0) / (loaded.length || 1);
        // forces in a packing are spread about like exp(-f / mean); the scale moves slowly, so that colours keep their meaning
        this.force_top = this.force_top > 0 ? 0.95 * this.force_top + 0.05 * 6 * mean : 6 * mean;
        this.contacts = out;
    }

    async contactsOf() { return this.contacts; }
}

/// Rows of numbers as they come, with the questions of a Table. Beyond MOST rows every second one is left out, so that a page may run all day.
class LiveSeries {
    constructor() {
        this.names = [];
        this.list = new Map();
        this.made = new Map();
        this.rows = {length: 0};
        this.stride = 1;
        this.skipped = 0;
    }

    push(row) {
        const MOST = 2000, times = this.list.get("time[s]");
        if (times && times.length && row["time[s]"] <= times.at(-1)) return;
        if (++this.skipped < this.stride) return;
        this.skipped = 0;
        if (this.names.length === 0)
            this.names = Object.keys(row), this.names.forEach((name) => this.list.set(name, []));
        for (const name of this.names) this.list.get(name).push(row[name] ?? NaN);
        if (this.list.get(this.names[0]).length > MOST) {
            for (const [name, values] of this.list) this.list.set(name, values.filter((_, k) => k % 2 === 0));
            this.stride *= 2;
        }
        this.rows.length = this.list.get(this.names[0]).length;
        this.made.clear();
    }

    has(name) { return this.list.has(name); }

    column(name) {
        if (!this.made.has(name)) this.made.set(name, Float64Array.from(this.list.get(name) || []));
        return this.made.get(name);
    }

    numeric() { return this.names; }
}

/// Does this browser multiply and add with one rounding? "Relaxed SIMD" leaves that to it, so a module of three instructions is tried on
/// (1 + e)² - (1 + 2e) with e = 2^-30, which is e² or, rounded twice, 0. Where it does, soft contacts go faster, with the same bits.
function fuses() {
    const type = [1, 8, 1, 0x60, 3, 0x7c, 0x7c, 0x7c, 1, 0x7c],
          both = [0xfd, 0x14]; // (f64, f64, f64) -> f64; a number in both lanes
    const body = [0, 0x20, 0, ...both, 0x20, 1, ...both, 0x20, 2, ...both, 0xfd, 0x87, 2, 0xfd, 0x21, 0, 0x0b];
    const bytes = [
        0, 0x61, 0x73, 0x6d, 1,    0, 0, 0,  ...type,         3, 2,           1,      0,
        7, 5,    1,    1,    0x66, 0, 0, 10, body.length + 2, 1, body.length, ...body
    ];
    try {
        const {f} = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(bytes))).exports, e = 2 ** -30;
        return f(1 + e, 1 + e, -1 - 2 * e) === e * e;
    } catch { return false; } // it knows no such instruction
}

/// The simulation in a worker of this page.
class WorkerFeed {
    constructor(script, wasm, receive) {
        Object.assign(this,
                      {wasm, receive, script: URL.createObjectURL(new Blob([script], {type: "text/javascript"}))});
        this.begin();
    }

    begin() {
        const worker = this.worker = new Worker(this.script),
              mine = (f) => (event) => worker === this.worker && f(event);
        worker.onmessage = mine(({data}) => this.receive(data));
        worker.onerror = mine((event) => this.receive({type: "broken", text: event.message}));
        this.send({type: "init", wasm: this.wasm.buffer});
    }

    /// Another worker, whatever this one does.
    restart() {
        this.worker.terminate();
        this.begin();
    }

    send(message) { this.worker.postMessage(message); }
}
