// gif.js: an animated GIF, frame by frame: for slides and pages that show no video.
//
// Each frame has a colour table of its own: its colours, cut to 5 bits a channel, are parted at the median of the longest side until there are
// 255 boxes (Heckbert 1982). The 256th colour is "as before": what did not change since the last frame costs next to nothing. Pixels are packed
// by LZW with codes of 9 to 12 bits (GIF89a).
"use strict";

const GIF_COLORS = 255, GIF_SAME = 255, GIF_BITS = 8;

/// Bytes that grow.
class ByteList {
    constructor() { (this.bytes = new Uint8Array(1 << 16)), (this.size = 0); }

    room(more) {
        if (this.size + more <= this.bytes.length) return;
        const old = this.bytes;
        this.bytes = new Uint8Array(2 * (this.size + more));
        this.bytes.set(old.subarray(0, this.size));
    }

    put(...values) {
        this.room(values.length);
        for (const v of values) this.bytes[this.size++] = v;
    }

    word(v) { this.put(v & 255, v >> 8); }
    text(t) { this.put(...Array.from(t, (c) => c.charCodeAt(0))); }
    get done() { return this.bytes.slice(0, this.size); }
}

/// Boxes of colours: from .. to are places in `list`, a list of 15-bit colours with their counts.
function splitColors(list, count, most) {
    const channel = (c, k) => (c >> (5 * k)) & 31, boxes = [measureBox(0, list.length)];
    function measureBox(from, to) {
        const low = [31, 31, 31], high = [0, 0, 0];
        let weight = 0;
        for (let i = from; i < to; ++i) {
            weight += count[list[i]];
            for (let k = 0; k < 3; ++k) {
                const v = channel(list[i], k);
                if (v < low[k]) low[k] = v;
                if (v > high[k]) high[k] = v;
            }
        }
        const side = high.map((v, k) => v - low[k]), axis = side.indexOf(Math.max(...side));
        return {from, to, axis, side: side[axis], weight, worth: side[axis] * Math.sqrt(weight)};
    }
    while (boxes.length < most) {
        const box = boxes.reduce((a, b) => (b.worth > a.worth ? b : a));
        if (box.side === 0) break;
        const part = list.subarray(box.from, box.to).sort((a, b) => channel(a, box.axis) - channel(b, box.axis));
        let sum = 0, at = 0;
        while (at < part.length - 1 && 2 * sum < box.weight) sum += count[part[at++]];
        boxes.splice(boxes.indexOf(box), 1, measureBox(box.from, box.from + Math.max(1, at)),
                     measureBox(box.from + Math.max(1, at), box.to));
    }
    return boxes;
}

class GifWriter {
    /// Frames follow each other after `delay` hundredths of a second; the animation begins again at its end.
    constructor(width, height, delay) {
        Object.assign(this, {width, height, delay, frames: 0});
        this.out = new ByteList();
        this.before = null;
        this.next = new Uint16Array(4096 << GIF_BITS); // LZW: the code of (code, pixel), 0: none
        this.out.text("GIF89a");
        this.out.word(width), this.out.word(height), this.out.put(0x70, 0, 0);
        this.out.put(0x21, 0xff, 11), this.out.text("NETSCAPE2.0"), this.out.put(3, 1, 0, 0, 0);
    }

    /// rgba: 4 bytes a pixel, row by row from the top.
    add(rgba) {
        const n = this.width * this.height, color = new Uint16Array(n), count = new Uint32Array(32768),
              sum = new Float64Array(3 * 32768);
        for (let i = 0, p = 0; i < n; ++i, p += 4) {
            const c = (rgba[p] >> 3) | ((rgba[p + 1] >> 3) << 5) | ((rgba[p + 2] >> 3) << 10);
            color[i] = c, ++count[c];
            for (let k = 0; k < 3; ++k) sum[3 * c + k] += rgba[p + k];
        }
        const index = this.table(count, sum), pixels = new Uint8Array(n), {before} = this;
        for (let i = 0; i < n; ++i) pixels[i] = before && before[i] === color[i] ? GIF_SAME : index[color[i]];
        this.before = color;
        this.pack(pixels);
        ++this.frames;
    }

    /// The head of a frame with its colours; returns the number of each.
    table(count, sum) {
        const {out} = this, list = Uint16Array.from(count.keys()).filter((c) => count[c] > 0),
              index = new Uint8Array(32768);
        const boxes = splitColors(list, count, GIF_COLORS);
        out.put(0x21, 0xf9, 4, 0x05), out.word(this.delay), out.put(GIF_SAME, 0); // what was there stays
        out.put(0x2c, 0, 0, 0, 0), out.word(this.width), out.word(this.height), out.put(0x87);
        for (let k = 0; k <= GIF_COLORS; ++k) {
            const mean = [0, 0, 0];
            for (let i = boxes[k]?.from; i < boxes[k]?.to; ++i) {
                index[list[i]] = k;
                for (let j = 0; j < 3; ++j) mean[j] += sum[3 * list[i] + j];
            }
            out.put(...mean.map((v) => (boxes[k] ? Math.round(v / boxes[k].weight) : 0)));
        }
        return index;
    }

    pack(pixels) {
        const {out, next} = this, CLEAR = 1 << GIF_BITS, END = CLEAR + 1;
        let bits = GIF_BITS + 1, free = END + 1, held = 0, holds = 0, start = 0;
        out.room(2 * pixels.length + 1024);
        const open = () => ((start = out.size), (out.bytes[out.size++] = 0));
        const byte = (v) => {
            out.bytes[out.size++] = v;
            if (out.size - start === 256) (out.bytes[start] = 255), open();
        };
        const code = (v) => {
            held |= v << holds, holds += bits;
            for (; holds >= 8; holds -= 8, held >>>= 8) byte(held & 255);
        };
        out.put(GIF_BITS);
        open();
        next.fill(0);
        code(CLEAR);
        let at = pixels[0];
        for (let i = 1; i < pixels.length; ++i) {
            const place = (at << GIF_BITS) | pixels[i];
            if (next[place]) {
                at = next[place];
                continue;
            }
            code(at);
            if (free === 4096) code(CLEAR), next.fill(0), (bits = GIF_BITS + 1), (free = END + 1);
            else {
                if (free === 1 << bits) ++bits;
                next[place] = free++;
            }
            at = pixels[i];
        }
        code(at), code(END);
        if (holds > 0) byte(held & 255);
        out.bytes[start] = out.size - start - 1;
        if (out.bytes[start] > 0) out.put(0); // an empty block ends the frame; the open one may be it
    }

    finish() {
        this.out.put(0x3b);
        return new Blob([this.out.done], {type: "image/gif"});
    }
}
