// The module of `scree play` in node: the hash of a scene's state at a time.
//     node play_node.js scree_live.js scree_live.wasm SCENE.yaml UNTIL [--time]       --time: and the microseconds a step takes
"use strict";

const fs = require("fs");
const path = require("path");
const [script, binary, scene, until, time] = process.argv.slice(2);

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
    const ok = m._live_load(text(path.basename(scene)), text(fs.readFileSync(scene, "utf8")), text(""), 0);
    if (!ok) throw new Error(m.UTF8ToString(m._live_error()));
    const steps = Math.round(Number(until) / m._live_number(0)), start = process.hrtime.bigint();
    if (m._live_advance(steps) !== 0) throw new Error(m.UTF8ToString(m._live_error()));
    const used = Number(process.hrtime.bigint() - start) / 1e3 / steps;
    const at = m._live_frame(4), head = new DataView(m.HEAPU8.buffer, at);
    const json = m.HEAPU8.slice(at + head.getUint32(4, true), at + head.getUint32(4, true) + head.getUint32(8, true));
    console.log(JSON.parse(new TextDecoder().decode(json)).hash + (time ? ` ${used.toFixed(1)}` : ""));
}

main().catch((error) => {
    console.error(error.message);
    process.exit(1);
});
