// The module of `scree play` in node: the hash of a scene's state at a time.
//     node play_node.js scree_live.js scree_live.wasm SCENE.yaml UNTIL
//     node play_node.js ... SCENE.yaml --windows SETTLE STEPS COUNT     and the microseconds of CPU time a step takes, for each window
//     node play_node.js ... SCENE.yaml --reloads COUNT                  and by how many bytes the module has grown in so many changes of gravity
"use strict";

const fs = require("fs");
const path = require("path");
const [script, binary, scene, until, ...windows] = process.argv.slice(2);

async function main()
{
    const make = new Function(`${fs.readFileSync(script, "utf8")}; return screeModule;`)();
    const m = await make({wasmBinary : fs.readFileSync(binary), printErr : console.error});
    const text = (s) => {
        const size = m.lengthBytesUTF8(s) + 1, p = m._malloc(size);
        m.stringToUTF8(s, p, size);
        return p;
    };
    const folder = path.dirname(scene);
    for (const name of fs.readdirSync(folder).filter((n) => /\.(obj|stl|asc|csv)$/.test(n)))
        m.FS.writeFile(name, fs.readFileSync(path.join(folder, name)));
    const load = (sets, keep) => {
        const given = [ path.basename(scene), fs.readFileSync(scene, "utf8"), sets ].map(text);
        if (!m._live_load(...given, keep)) throw new Error(m.UTF8ToString(m._live_error()));
        given.forEach((p) => m._free(p));
    };
    load("", 0);
    const advance = (steps) => {
        const before = process.cpuUsage();
        if (m._live_advance(steps) !== 0) throw new Error(m.UTF8ToString(m._live_error()));
        const {user, system} = process.cpuUsage(before);
        return (user + system) / steps;
    };
    const used = [];
    if (until === "--windows") {
        const [settle, steps, count] = windows.map(Number);
        advance(settle);
        for (let k = 0; k < count; ++k) used.push(advance(steps).toFixed(2));
    } else if (until === "--reloads") {
        const change = (k) =>
            (load(`gravity=${5 + k % 3} m/s^2`, 1), advance(1), m._live_frame(7), m._live_about(), m._live_stage());
        advance(300);
        for (let k = 0; k < 20; ++k) change(k);
        const before = m.HEAPU8.length;
        for (let k = 0; k < Number(windows[0]); ++k) change(k);
        used.push(m.HEAPU8.length - before);
    } else advance(Math.round(Number(until) / m._live_number(0)));
    const at = m._live_frame(4), head = new DataView(m.HEAPU8.buffer, at);
    const json = m.HEAPU8.slice(at + head.getUint32(4, true), at + head.getUint32(4, true) + head.getUint32(8, true));
    console.log(JSON.parse(new TextDecoder().decode(json)).hash, ...used);
}

main().catch((error) => {
    console.error(error.message);
    process.exit(1);
});
