// worker.js: the simulation, in a Web Worker, so that a long step never holds up the page. It comes after the module's own script
// (screeModule, made by emscripten from cli/live), in one Blob.
//
// Messages in: init, load, play, speed, watch, step, run, batch, grab, drawn, text, ping. Out: ready, loaded, refused, frame, stopped,
// text, pong, broken.
// A frame is sent only when the page has drawn the one before: a slow page slows nothing down and nothing piles up.
"use strict";

const WANT = {
    contacts: 1,
    row: 2,
    hash: 4
};
const SLICE = 12;      // ms of stepping between two looks at messages
const ROW_EVERY = 100; // ms between two rows for the plots

let module = null, playing = false, speed = 1, contacts = false, beyond = false;
let debt = 0, last = 0, cost = 0.5, waiting = false, rowTime = -Infinity, shapes = -1, ticking = false;
let rate = 0, rateFrom = {wall: 0, time: 0};

const channel = new MessageChannel(); // the next slice at once, after the messages that wait
channel.port1.onmessage = () => tick();

/// Calls f with texts in the module's memory.
function withTexts(texts, f) {
    const at = texts.map((text) => {
        const size = module.lengthBytesUTF8(text) + 1, p = module._malloc(size);
        module.stringToUTF8(text, p, size);
        return p;
    });
    const result = f(...at);
    at.forEach((p) => module._free(p));
    return result;
}

const answer = (p) => module.UTF8ToString(p);
const copy = (p) => module.HEAPU8.slice(p, p + module._live_size()).buffer;
const step = () => module._live_number(0);
const left = () => Math.round((module._live_number(1) - module._live_time()) / step()); // steps to the end of the scene

/// A file of the scene; folders above it are made.
function writeFile(name, bytes) {
    const folders = name.split("/").slice(0, -1);
    let path = name.startsWith("/") ? "/" : "";
    for (const folder of folders) {
        path += folder + "/";
        if (folder !== "" && folder !== ".." && !module.FS.analyzePath(path).exists) module.FS.mkdir(path);
    }
    module.FS.writeFile(name, bytes);
}

function sendFrame(what) {
    const bits = (contacts ? WANT.contacts : 0) | what, buffer = copy(module._live_frame(bits));
    waiting = true;
    postMessage({type: "frame", buffer, rate, playing, memory: module.HEAPU8.length}, [buffer]);
}

function stop(reason, error = null) {
    playing = false;
    sendFrame(WANT.row | WANT.hash);
    postMessage({type: "stopped", reason, error});
}

/// n steps, fewer if the scene ends; 0: it has been stopped.
function advance(n) {
    const status = module._live_advance(n);
    if (status === 0) return true;
    stop("failed", JSON.parse(answer(module._live_error())));
    return false;
}

function tick() {
    ticking = false;
    if (!playing) return;
    const now = performance.now(), h = step();
    debt += (speed * Math.min(now - last, 100)) / 1000;
    last = now;
    const due = Math.floor(debt / h), most = Math.max(1, Math.floor(SLICE / cost));
    const n = Math.min(due, most, beyond ? due : Math.max(0, left()));
    if (n > 0) {
        if (!advance(n)) return;
        const used = (performance.now() - now) / n;
        cost = 0.7 * cost + 0.3 * used;
        debt = n < due ? Math.min(debt - n * h, 3 * SLICE * 1e-3 * speed + h)
                       : debt - n * h; // what cannot be caught up is let go
    }
    if (now - rateFrom.wall > 500) {
        const time = module._live_time();
        rate = (1e3 * (time - rateFrom.time)) / (now - rateFrom.wall), rateFrom = {wall: now, time};
    }
    if (!beyond && left() <= 0) return stop("end");
    if (!waiting && n > 0) {
        const row = now - rowTime > ROW_EVERY;
        if (row) rowTime = now;
        sendFrame(row ? WANT.row : 0);
    }
    again(n < due);
}

function again(atOnce) {
    if (ticking) return;
    ticking = true;
    if (atOnce) channel.port2.postMessage(0);
    else setTimeout(tick, 4);
}

const handle = {
    async init({wasm}) {
        module = await screeModule({wasmBinary : wasm, print : () => {}, printErr : () => {}});
        module.FS.mkdirTree("/scene/a/b/c"); // room for files beside and above the scene
        module.FS.chdir("/scene/a/b/c");
        postMessage({type: "ready"});
    },

    load({name, text, files, sets, keep, id}) {
        for (const [path, bytes] of files || []) writeFile(path, bytes);
        const result = withTexts([name, text, sets.join("\n")], (...at) => module._live_load(...at, keep ? 1 : 0));
        if (result === 0) {
            postMessage({type: "refused", id, error: JSON.parse(answer(module._live_error()))});
            return;
        }
        if (result === 1) debt = 0, beyond = false, rowTime = -Infinity;
        rateFrom = {wall: performance.now(), time: module._live_time()};
        const stage = copy(module._live_stage()), about = JSON.parse(answer(module._live_about()));
        const frame = copy(module._live_frame(WANT.contacts | WANT.row | WANT.hash));
        postMessage({type: "loaded", id, kept: result === 2, about, stage, frame}, [stage, frame]);
    },

    play({on}) {
        if (on && !playing) {
            if (left() <= 0) beyond = true;
            last = performance.now(), rateFrom = {wall: last, time: module._live_time()};
        }
        const was = playing;
        playing = on;
        if (on) again(true);
        else if (was) sendFrame(WANT.row | WANT.hash);
    },

    speed({value}) { speed = value; },
    watch({value}) { contacts = value; },
    drawn() { waiting = false; },
    ping() { postMessage({type: "pong"}); },
    text() { postMessage({type: "text", text: answer(module._live_text())}); },
    grab({body, at}) { module._live_grab(body, ...at); },

    step({count}) {
        playing = false;
        if (advance(count)) sendFrame(WANT.row | WANT.hash);
    },

    /// Steps as fast as possible to a time; several batches, so that plots have rows.
    run({until}) {
        playing = false;
        for (let n;
             (n = Math.min(Math.round((until - module._live_time()) / step()), Math.ceil(until / step() / 200))) > 0;) {
            if (!advance(n)) return;
            sendFrame(WANT.row);
        }
        stop("time");
    },

    /// Steps without anything else: for measuring.
    batch({count}) {
        playing = false;
        if (advance(count)) stop("batch");
    },

    stage() {
        const stage = copy(module._live_stage()), frame = copy(module._live_frame(contacts ? WANT.contacts : 0));
        postMessage({type: "stage", stage, frame}, [stage, frame]);
    },
};

onmessage = ({data}) => {
    try {
        const done = handle[data.type](data);
        if (done) done.catch((error) => postMessage({type: "broken", text: String(error)}));
    } catch (error) {
        postMessage({type: "broken", text: String(error)}); // out of memory
    }
};
