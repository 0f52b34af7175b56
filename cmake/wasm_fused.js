// Gives the fused products and sums of a module the opcode that the standard gave them in the end: node wasm_fused.js WASM_DIS MODULE.wasm
//
// Debian's compiler (clang 14) and binaryen (108) write f64x2.relaxed_madd as fd cf 01; in the standard it is fd 87 02, of the same length.
// The three bytes could be part of something else, so they are counted: only if there are as many as instructions are they exchanged.
"use strict";

const fs = require("fs");
const {execFileSync} = require("child_process");
const [dis, path] = process.argv.slice(2);

const OLD = Buffer.from([ 0xfd, 0xcf, 0x01 ]), NEW = Buffer.from([ 0xfd, 0x87, 0x02 ]);
const text = execFileSync(dis, [ "--all-features", path ], {maxBuffer : 1 << 30, encoding : "latin1"});
const wanted = text.split("f64x2.relaxed_fma").length - 1, bytes = fs.readFileSync(path);

const places = [];
for (let at = 0; (at = bytes.indexOf(OLD, at)) >= 0; at += OLD.length) places.push(at);
if (wanted === 0 || places.length !== wanted) {
    console.error(`wasm_fused: ${wanted} instructions, but ${places.length} places like them: ${path} is left out`);
    fs.unlinkSync(path);
    process.exit(1);
}
for (const at of places) NEW.copy(bytes, at);
fs.writeFileSync(path, bytes);
console.log(`wasm_fused: ${wanted} instructions of ${path}`);
