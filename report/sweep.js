// sweep.js: a sweep (index.csv, sweep.txt): a result over two inputs as a heat map, over one as lines, with other inputs told by colour.
"use strict";

class Sweep {
    constructor(source) {
        this.table = source.index;
        const lines = source.definition.split("\n"),
              varied = lines.filter((line) => line.startsWith("vary ")).map((line) => line.slice(5).split("=")[0]);
        this.zip = lines.includes("order zip");
        const columns = this.table.names;
        this.inputs = columns.slice(1, 1 + varied.length);
        this.results = columns.slice(1 + varied.length).filter((name) => this.table.numeric().includes(name));
        // opens on a result that is not the same everywhere
        const varies = (name) => new Set(this.table.column(name).filter(Number.isFinite)).size > 1;
        this.result = this.results.findLast(varies) ?? this.results.at(-1) ?? "";
        this.folder = source.folder.replace(/\/+$/, "");
        this.replays = source.replays ?? [];
        const axes = this.inputs.filter((name) => name !== "seed"); // repetitions are averaged
        this.axes = [axes[0] ?? this.inputs[0], axes.length > 1 && !this.zip ? axes[1] : ""];
        this.log = false;
        this.build();
    }

    build() {
        const names = this.inputs.map((name) => [name, name]), redo = () => this.draw();
        this.host = make("div", {class: "canvas"});
        this.picked = make("div");
        const bar = make(
            "div", {class: "bar"},
            make("label", {}, "result",
                 choice(this.results.map((name) => [name, name]), this.result, (v) => ((this.result = v), redo()))),
            make("label", {}, "across", choice(names, this.axes[0], (v) => ((this.axes[0] = v), redo()))),
            make("label", {}, "up",
                 choice([["", "(the result: lines)"], ...names], this.axes[1], (v) => ((this.axes[1] = v), redo()))),
            make("label", {},
                 make("input", {type: "checkbox", onchange: (e) => ((this.log = e.target.checked), redo())}), "log"));
        const outcomes = new Map();
        if (this.table.has("outcome"))
            for (const word of this.table.words("outcome")) outcomes.set(word, (outcomes.get(word) || 0) + 1);
        const said = [...outcomes].map(([word, count]) => `${word}: ${count}`).join(", ");
        const element = section("Sweep", "sweep",
                                make("p", {class: "hint"},
                                     `${this.table.rows.length} cases; ${said}. Click a cell or a point for its row.`),
                                bar, this.host, this.picked);
        section("Cases", "cases", tableOf(this.table.names, this.table.rows));
        redrawn(element, redo);
    }

    /// The distinct values of an input, in order; words stay in the order of cases.
    values(name) {
        const words = [...new Set(this.table.words(name))];
        return words.every((word) => word !== "" && Number.isFinite(Number(word)))
                   ? words.sort((a, b) => Number(a) - Number(b))
                   : words;
    }

    draw() {
        const [x, y] = this.axes, map = y !== "" && y !== x;
        if (this.drawn !== map) {
            this.host.replaceChildren();
            this.host.classList.toggle("map", true);
            this.picture = map ? new HeatMap(this.host, (row) => this.show(row))
                               : new Plot(this.host, {onPoint: (at) => this.showNearest(at)});
            this.drawn = map;
        }
        if (map) this.drawMap(x, y);
        else this.drawLines(x);
    }

    /// Other inputs than the two axes (repetitions, seeds) are averaged.
    drawMap(x, y) {
        const xs = this.values(x), ys = this.values(y), cells = new Map(), value = this.table.column(this.result),
              outcome = this.table.has("outcome") ? this.table.words("outcome") : [];
        this.table.words(x).forEach((word, row) => {
            const i = xs.indexOf(word), j = ys.indexOf(this.table.words(y)[row]), key = `${i}/${j}`;
            if (!cells.has(key)) cells.set(key, {i, j, row, sum: 0, count: 0, word: outcome[row]});
            if (Number.isFinite(value[row])) (cells.get(key).sum += value[row]), ++cells.get(key).count;
        });
        const list = [...cells.values()].map((cell) => ({...cell, value: cell.count ? cell.sum / cell.count : NaN}));
        const label = (word) => (word !== "" && Number.isFinite(Number(word)) ? formatNumber(Number(word), 4) : word);
        this.picture.set(
            list,
            {x: {name: x, labels: xs.map(label)}, y: {name: `${y}   (colour: ${this.result})`, labels: ys.map(label)}},
            this.log);
    }

    /// A line for each combination of the other inputs.
    drawLines(x) {
        const xs = this.values(x), numeric = xs.every((word) => Number.isFinite(Number(word))),
              value = this.table.column(this.result), lines = new Map();
        const others = this.zip ? [] : this.inputs.filter((name) => name !== x);
        this.table.words(x).forEach((word, row) => {
            const name = others.map((other) => `${unitless(other.split(".").at(-1))} ${this.table.words(other)[row]}`)
                             .join(", ") ||
                         this.result;
            if (!lines.has(name)) lines.set(name, []);
            lines.get(name).push([numeric ? Number(word) : xs.indexOf(word), value[row]]);
        });
        this.picture.options.x = x;
        this.picture.options.xName = unitless(x.split(".").at(-1));
        this.picture.options.yLog = this.log;
        this.picture.options.xTicks = numeric ? null : xs.map((word, k) => [k, word]);
        this.picture.set([...lines].map(([name, points], k) => {
            points.sort((a, b) => a[0] - b[0]);
            return {
                name,
                x: points.map((p) => p[0]),
                y: points.map((p) => p[1]),
                color: k,
                dash: Math.floor(k / 12),
                marks: points.length < 60
            };
        }));
    }

    showNearest(at) {
        const xs = this.table.column(this.axes[0]), row = nearestIndex(xs, at, false);
        if (row >= 0) this.show(row);
    }

    /// The replay of a case, where it was kept: a page of its own beside this one.
    replayOf(number) {
        const name = `case_${String(number).padStart(6, "0")}`;
        if (this.replays.includes(Number(number)))
            return make("p", {}, make("a", {href: `${name}/report.html`, target: "_blank"}, "open its replay"));
        return make("p", {class: "hint"}, "No replay was kept: scree sweep --keep full keeps the runs of all cases.");
    }

    show(row) {
        const number = this.table.rows[row][0];
        this.picked.replaceChildren(
            make("h3", {}, `Case ${number}`), this.replayOf(number),
            make("dl", {class: "numbers"},
                 ...this.table.names.flatMap(
                     (name, k) => [make("dt", {}, name), make("dd", {}, this.table.rows[row][k])])));
    }
}
