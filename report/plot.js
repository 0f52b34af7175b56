// plot.js: plots on a canvas: lines over a common axis, heat maps. They take their colours from the page, so that a plot follows the
// theme; they are sharp on any screen; the pointer reads values, a drag zooms the axis, a double click shows all again.
"use strict";

const DASHES = [[], [6, 4], [2, 3], [8, 3, 2, 3]];

/// A number as people write it: few digits, no needless zeros.
function formatNumber(x, digits = 4) {
    if (!Number.isFinite(x)) return "–";
    if (x === 0) return "0";
    const size = Math.abs(x);
    if (size >= 1e6 || size < 1e-3) return x.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e");
    return String(Number(x.toPrecision(digits)));
}

function theme() {
    const style = getComputedStyle(document.documentElement), get = (name) => style.getPropertyValue(name).trim();
    const dark = document.documentElement.dataset.theme === "dark";
    return {
        text: get("--text"),
        soft: get("--soft"),
        line: get("--line"),
        card: get("--card"),
        accent: get("--accent"),
        lines: LINE_COLORS[dark ? "dark" : "light"]
    };
}

/// Lines have the colour of their number, or one of their own.
function lineColor(color, colors) {
    return typeof color === "string" ? color : colors.lines[color % colors.lines.length];
}

/// Positions of ticks and their labels.
function ticks(low, high, log, count) {
    if (log) {
        const a = Math.ceil(Math.log10(low) - 1e-9), b = Math.floor(Math.log10(high) + 1e-9),
              every = Math.max(1, Math.ceil((b - a + 1) / count)), out = [];
        for (let k = a; k <= b; k += every) out.push(Math.pow(10, k));
        if (out.length > 1) return out;
        for (const f of [1, 2, 3, 5])
            for (let k = a - 1; k <= b; ++k)
                if (f * Math.pow(10, k) >= low && f * Math.pow(10, k) <= high) out.push(f * Math.pow(10, k));
        return [...new Set(out)].sort((x, y) => x - y);
    }
    const step = niceStep(high - low || 1, count), out = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) out.push(k * step);
    return out;
}

class Plot {
    /// host: an element that the plot fills. options: {title, x, xLog, yLog, zeroLine, xTicks, onPoint(x)}
    constructor(host, options) {
        this.options = options;
        this.series = []; // {name, x, y, color, dash, steps, marks}
        this.zoom = null;
        this.host = host;
        this.canvas = host.appendChild(document.createElement("canvas"));
        this.legend = host.appendChild(document.createElement("div"));
        this.legend.className = "legend";
        this.tip = host.appendChild(document.createElement("div"));
        this.tip.className = "tip";
        this.markLine = host.appendChild(document.createElement("div"));
        this.markLine.className = "mark";
        this.markAt = null;
        this.hidden = new Set();
        this.listen();
    }

    set(series) {
        const colors = theme(), key = series.map((s) => `${s.name} ${lineColor(s.color, colors)} ${s.dash}`).join();
        this.series = series;
        if (key !== this.key) this.legend.replaceChildren(...series.map((s) => this.legendItem(s)));
        this.key = key;
        this.draw();
    }

    legendItem(s) {
        const item = document.createElement("button"), mark = document.createElement("i");
        item.className = "key";
        mark.style.borderTopStyle = s.dash ? "dashed" : "solid";
        mark.style.borderTopColor = lineColor(s.color, theme());
        item.append(mark, s.name);
        item.title = "show or hide";
        item.classList.toggle("off", this.hidden.has(s.name));
        item.addEventListener("click", () => {
            if (!this.hidden.delete(s.name)) this.hidden.add(s.name);
            item.classList.toggle("off", this.hidden.has(s.name));
            this.draw();
        });
        return item;
    }

    shown() { return this.series.filter((s) => !this.hidden.has(s.name)); }

    range(values, log, isX) {
        let low = Infinity, high = -Infinity;
        for (const list of values)
            for (const v of list)
                if (Number.isFinite(v) && (!log || v > 0)) (low = Math.min(low, v)), (high = Math.max(high, v));
        if (low > high) return log ? [0.1, 1] : [0, 1];
        if (log) {
            if (high / low > 1e16) low = high / 1e16;
            return high > low * 1.01 ? (isX ? [low, high] : [low / 1.3, high * 1.3]) : [low / 3, high * 3];
        }
        if (high === low) return [low - (Math.abs(low) || 1) * 0.5, high + (Math.abs(high) || 1) * 0.5];
        return isX ? [low, high] : [low - 0.06 * (high - low), high + 0.06 * (high - low)];
    }

    layout() {
        const box = this.canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
        this.width = box.width, this.height = box.height;
        this.canvas.width = Math.round(box.width * ratio), this.canvas.height = Math.round(box.height * ratio);
        this.context = this.canvas.getContext("2d");
        this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
        const shown = this.shown();
        this.xRange = this.zoom || this.range(shown.map((s) => s.x), this.options.xLog, true);
        const inside = (s) => (
            this.zoom ? Array.from(s.y).filter((_, i) => s.x[i] >= this.zoom[0] && s.x[i] <= this.zoom[1]) : s.y);
        this.yRange = this.options.yRange || this.range(shown.map(inside), this.options.yLog, false);
        this.area = {left: 62, right: this.width - 14, top: 10, bottom: this.height - 34};
    }

    toX(v) {
        const [a, b] = this.xRange, f = this.options.xLog ? Math.log(v / a) / Math.log(b / a) : (v - a) / (b - a || 1);
        return this.area.left + f * (this.area.right - this.area.left);
    }

    toY(v) {
        const [a, b] = this.yRange, f = this.options.yLog ? Math.log(v / a) / Math.log(b / a) : (v - a) / (b - a || 1);
        return this.area.bottom - f * (this.area.bottom - this.area.top);
    }

    fromX(px) {
        const [a, b] = this.xRange, f = (px - this.area.left) / (this.area.right - this.area.left);
        return this.options.xLog ? a * Math.pow(b / a, f) : a + f * (b - a);
    }

    draw() {
        this.layout();
        if (this.width < 40) return;
        const c = this.context, colors = theme();
        c.clearRect(0, 0, this.width, this.height);
        c.font = "12px system-ui, sans-serif";
        this.drawAxes(c, colors);
        c.save();
        c.beginPath();
        c.rect(this.area.left - 1, this.area.top - 1, this.area.right - this.area.left + 2,
               this.area.bottom - this.area.top + 2);
        c.clip();
        for (const s of this.shown()) this.drawLine(c, s, colors);
        if (this.drag) {
            c.fillStyle = colors.accent + "33";
            c.fillRect(this.drag[0], this.area.top, this.drag[1] - this.drag[0], this.area.bottom - this.area.top);
        }
        c.restore();
        this.mark(this.markAt);
    }

    /// The line at a moment; it moves without the plot being drawn again.
    mark(x) {
        this.markAt = x;
        if (!this.area || x === null) return;
        const px = this.toX(x), inside = px >= this.area.left - 1 && px <= this.area.right + 1;
        Object.assign(this.markLine.style, {
            display: inside ? "block" : "none",
            transform: `translateX(${px}px)`,
            top: `${this.area.top}px`,
            height: `${this.area.bottom - this.area.top}px`
        });
    }

    drawAxes(c, colors) {
        const {left, right, top, bottom} = this.area, o = this.options;
        c.strokeStyle = colors.line, c.fillStyle = colors.soft, c.lineWidth = 1;
        c.textAlign = "right", c.textBaseline = "middle";
        for (const y of ticks(...this.yRange, o.yLog, 5)) {
            c.beginPath(), c.moveTo(left, Math.round(this.toY(y)) + 0.5),
                c.lineTo(right, Math.round(this.toY(y)) + 0.5), c.stroke();
            c.fillText(formatNumber(y, 3), left - 6, this.toY(y));
        }
        c.textAlign = "center", c.textBaseline = "top";
        const labels = o.xTicks || ticks(...this.xRange, o.xLog, Math.max(2, Math.floor(this.width / 90)))
                                       .map((x) => [x, formatNumber(x, 4)]);
        for (const [x, label] of labels) {
            c.beginPath(), c.moveTo(Math.round(this.toX(x)) + 0.5, bottom),
                c.lineTo(Math.round(this.toX(x)) + 0.5, bottom + 4), c.stroke();
            c.fillText(label, this.toX(x), bottom + 6);
        }
        c.textAlign = "right";
        c.fillText(o.x || "", right, bottom + 20);
        c.strokeStyle = colors.soft;
        c.beginPath(), c.moveTo(left, top), c.lineTo(left, bottom), c.lineTo(right, bottom), c.stroke();
    }

    drawLine(c, s, colors) {
        c.strokeStyle = c.fillStyle = lineColor(s.color, colors);
        c.lineWidth = 1.6;
        c.setLineDash(DASHES[(s.dash || 0) % DASHES.length]);
        c.beginPath();
        let pen = false, before = 0;
        for (let i = 0; i < s.x.length; ++i) {
            const ok = Number.isFinite(s.y[i]) && Number.isFinite(s.x[i]) && (!this.options.yLog || s.y[i] > 0) &&
                       (!this.options.xLog || s.x[i] > 0);
            if (!ok) {
                pen = false;
                continue;
            }
            const x = this.toX(s.x[i]), y = this.toY(s.y[i]);
            if (!pen) c.moveTo(x, y);
            else {
                if (s.steps) c.lineTo(x, before);
                c.lineTo(x, y);
            }
            pen = true, before = y;
        }
        c.stroke();
        c.setLineDash([]);
        if (s.marks)
            for (let i = 0; i < s.x.length; ++i)
                if (Number.isFinite(s.y[i]))
                    c.beginPath(), c.arc(this.toX(s.x[i]), this.toY(s.y[i]), 3, 0, 7), c.fill();
    }

    vertical(c, x, color, dash) {
        c.strokeStyle = color, c.setLineDash(dash), c.lineWidth = 1;
        c.beginPath(), c.moveTo(x, this.area.top), c.lineTo(x, this.area.bottom), c.stroke();
        c.setLineDash([]);
    }

    // ---- the pointer -----------------------------------------------------------------------------------------------------------------

    listen() {
        const at = (event) => event.clientX - this.canvas.getBoundingClientRect().left;
        let start = null;
        this.canvas.addEventListener("pointerdown", (event) => {
            start = at(event);
            this.canvas.setPointerCapture(event.pointerId);
        });
        this.canvas.addEventListener("pointermove", (event) => {
            if (start !== null && Math.abs(at(event) - start) > 4) this.drag = [start, at(event)];
            this.draw();
            this.readout(at(event), event);
        });
        this.canvas.addEventListener("pointerup", (event) => {
            if (this.drag) {
                const [a, b] = this.drag.map((px) => this.fromX(px)).sort((u, v) => u - v);
                if (b > a) this.zoom = [a, b];
            } else if (start !== null && this.options.onPoint) this.options.onPoint(this.fromX(at(event)));
            start = this.drag = null;
            this.draw();
        });
        this.canvas.addEventListener("pointerleave", () => {
            this.tip.style.display = "none";
            this.draw();
        });
        this.canvas.addEventListener("dblclick", () => {
            this.zoom = null;
            this.draw();
        });
    }

    /// The values at the pointer, in a box beside it.
    readout(px) {
        if (!this.area || px < this.area.left || px > this.area.right || this.shown().length === 0) return;
        const x = this.fromX(px), rows = [];
        let place = x;
        for (const s of this.shown()) {
            const i = nearestIndex(s.x, x, this.options.xLog);
            if (i < 0) continue;
            place = s.x[i];
            rows.push([s, s.y[i]]);
        }
        const c = this.context, colors = theme();
        this.vertical(c, this.toX(place), colors.soft, [3, 3]);
        const head = document.createElement("b");
        head.textContent = `${this.options.xName || this.options.x || "x"} ${formatNumber(place, 6)}`;
        this.tip.replaceChildren(head, ...rows.slice(0, 16).map(([s, y]) => {
            const row = document.createElement("div"), mark = document.createElement("i");
            mark.style.background = lineColor(s.color, colors);
            row.append(mark, `${s.name}: ${formatNumber(y, 6)}`);
            return row;
        }));
        this.tip.style.display = "block";
        const wide = this.tip.offsetWidth, right = px + 14 + wide < this.width;
        this.tip.style.left = `${right ? px + 14 : Math.max(0, px - 14 - wide)}px`;
    }
}

function nearestIndex(list, x, log) {
    let best = -1, least = Infinity;
    for (let i = 0; i < list.length; ++i) {
        const away = log ? Math.abs(Math.log(list[i] / x)) : Math.abs(list[i] - x);
        if (away < least) (least = away), (best = i);
    }
    return best;
}

// ---- heat maps --------------------------------------------------------------------------------------------------------------------

/// Digits that tell values between low and high apart to a hundredth of the way, at least 3.
function digitsBetween(low, high) {
    const size = Math.max(Math.abs(low), Math.abs(high)), way = high - low;
    return way > 0 && size > 0 ? Math.min(9, Math.max(3, Math.ceil(Math.log10(size / way)) + 2)) : 3;
}

/// cells: a list of {i, j, value, row}; axes: {x: {name, labels}, y: ...}. Calls onCell(row) for a cell that is clicked.
class HeatMap {
    constructor(host, onCell) {
        this.canvas = host.appendChild(document.createElement("canvas"));
        this.tip = host.appendChild(document.createElement("div"));
        this.tip.className = "tip";
        this.canvas.addEventListener("pointermove", (event) => this.readout(event));
        this.canvas.addEventListener("pointerleave", () => (this.tip.style.display = "none"));
        this.canvas.addEventListener("click", (event) => {
            const cell = this.cellAt(event);
            if (cell) onCell(cell.row);
        });
    }

    set(cells, axes, log) {
        Object.assign(this, {cells, axes, log});
        this.draw();
    }

    draw() {
        const box = this.canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1,
              c = this.canvas.getContext("2d"), colors = theme();
        this.canvas.width = Math.round(box.width * ratio), this.canvas.height = Math.round(box.height * ratio);
        c.setTransform(ratio, 0, 0, ratio, 0, 0);
        const nx = this.axes.x.labels.length, ny = this.axes.y.labels.length;
        this.area = {left: 92, top: 28, right: box.width - 104, bottom: box.height - 52};
        const {left, right, top, bottom} = this.area, w = (right - left) / nx, h = (bottom - top) / ny;
        this.w = w, this.h = h;
        const usable = this.cells.filter((cell) => Number.isFinite(cell.value) && (!this.log || cell.value > 0))
                           .map((cell) => cell.value);
        const low = Math.min(...usable), high = Math.max(...usable);
        const level = (v) => (
            high > low ? (this.log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low)) : 0.5);
        c.font = "12px system-ui, sans-serif";
        for (const cell of this.cells) {
            const x = left + cell.i * w, y = bottom - (cell.j + 1) * h,
                  good = Number.isFinite(cell.value) && (!this.log || cell.value > 0);
            c.fillStyle = good ? cssColor(SCALES.heat(level(cell.value))) : colors.line;
            c.fillRect(x + 0.5, y + 0.5, Math.max(w - 1, 1), Math.max(h - 1, 1));
            if (w > 54 && h > 22) {
                c.fillStyle = good && level(cell.value) > 0.55 ? "#1a1a1a" : good ? "#ffffff" : colors.soft;
                c.textAlign = "center", c.textBaseline = "middle";
                c.fillText(good ? formatNumber(cell.value, digitsBetween(low, high)) : cell.word || "–", x + w / 2,
                           y + h / 2);
            }
        }
        this.drawAxes(c, colors, nx, ny, low, high);
    }

    drawAxes(c, colors, nx, ny, low, high) {
        const {left, right, top, bottom} = this.area;
        c.fillStyle = colors.soft, c.textAlign = "center", c.textBaseline = "top";
        const xEvery = Math.ceil(nx / Math.max(1, Math.floor((right - left) / 70))),
              yEvery = Math.ceil(ny / Math.max(1, Math.floor((bottom - top) / 18)));
        for (let i = 0; i < nx; i += xEvery) c.fillText(this.axes.x.labels[i], left + (i + 0.5) * this.w, bottom + 6);
        c.textAlign = "right", c.textBaseline = "middle";
        for (let j = 0; j < ny; j += yEvery) c.fillText(this.axes.y.labels[j], left - 6, bottom - (j + 0.5) * this.h);
        c.fillStyle = colors.text, c.textAlign = "center", c.textBaseline = "bottom";
        c.fillText(this.axes.x.name, (left + right) / 2, bottom + 42);
        c.textAlign = "left", c.textBaseline = "top";
        c.fillText(this.axes.y.name, 8, 6);
        const bar = right + 22;
        for (let k = 0; k < 128; ++k) {
            c.fillStyle = cssColor(SCALES.heat(k / 127));
            c.fillRect(bar, bottom - ((k + 1) * (bottom - top)) / 128, 14, (bottom - top) / 128 + 1);
        }
        if (!(low <= high)) return;
        c.fillStyle = colors.soft, c.textBaseline = "middle";
        for (const f of [0, 0.5, 1])
            c.fillText(formatNumber(this.log ? low * Math.pow(high / low, f) : low + f * (high - low),
                                    digitsBetween(low, high)),
                       bar + 19, bottom - f * (bottom - top));
    }

    cellAt(event) {
        const box = this.canvas.getBoundingClientRect(),
              i = Math.floor((event.clientX - box.left - this.area.left) / this.w);
        const j = Math.floor((this.area.bottom - (event.clientY - box.top)) / this.h);
        return this.cells.find((cell) => cell.i === i && cell.j === j);
    }

    readout(event) {
        const cell = this.cellAt(event), box = this.canvas.getBoundingClientRect();
        this.tip.style.display = cell ? "block" : "none";
        if (!cell) return;
        this.tip.textContent = `${this.axes.x.name} = ${this.axes.x.labels[cell.i]}, ${this.axes.y.name} = ${
            this.axes.y.labels[cell.j]}: ${formatNumber(cell.value, 6)}`;
        this.tip.style.left = `${Math.min(event.clientX - box.left + 12, box.width - this.tip.offsetWidth)}px`;
    }
}
