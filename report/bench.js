// bench.js: `scree bench solve`: performance profiles of Dolan and Moré (2002) from solve.csv, and residual over time from curve-*.csv.
//
// With t the seconds of a solver on a problem (set-up and solve), its profile at tau is the part of all problems that it solved within tau
// times the least t of any solver.
"use strict";

class Bench {
    constructor(source) {
        this.table = source.solve;
        this.curves = source.curves; // [name, Table]
        this.tolerances = [...new Set(this.table.words("tolerance"))];
        this.tolerance = this.tolerances[Math.floor(this.tolerances.length / 2)];
        this.build();
    }

    /// Seconds by solver and problem at the tolerance; Infinity where the problem was not solved.
    costs() {
        const t = this.table, [file, solver, tolerance,
                               outcome] = ["file", "solver", "tolerance", "outcome"].map((name) => t.words(name));
        const seconds = t.column("seconds"), setup = t.column("setup_seconds"), costs = new Map(), files = new Set();
        t.rows.forEach((_, row) => {
            if (tolerance[row] !== this.tolerance) return;
            files.add(file[row]);
            if (!costs.has(solver[row])) costs.set(solver[row], new Map());
            costs.get(solver[row])
                .set(file[row], outcome[row] === "converged" ? Math.max(seconds[row] + setup[row], 1e-7) : Infinity);
        });
        return {costs, files: [...files]};
    }

    build() {
        const host = make("div", {class: "canvas map"}), rows = make("div");
        this.rows = rows;
        this.plot = new Plot(
            host, {x: "time over that of the fastest solver", xName: "factor", xLog: true, yRange: [0, 1.02]});
        const element = section("Performance profiles", "profiles",
                                make("div", {class: "bar"},
                                     make("label", {}, "tolerance",
                                          choice(this.tolerances.map((t) => [t, t]), this.tolerance,
                                                 (v) => ((this.tolerance = v), this.draw())))),
                                host, rows);
        redrawn(element, () => this.plot.draw());
        this.draw();
        if (this.curves.length > 0) this.buildCurves();
        const shown = [
            "file", "contacts", "solver", "tolerance", "residual", "iterations", "seconds", "setup_seconds", "outcome"
        ].filter((name) => this.table.has(name));
        section("Measurements", "measurements",
                tableOf(shown, this.table.rows.map((row) => shown.map((name) => row[this.table.names.indexOf(name)]))));
    }

    draw() {
        const {costs, files} = this.costs(),
                      best = new Map(files.map(
                          (file) => [file, Math.min(...[...costs.values()].map((c) => c.get(file) ?? Infinity))]));
        let most = 2;
        const ratios = [...costs].map(([solver, c]) => {
            const list = files
                             .map((file) => (Number.isFinite(best.get(file))
                                                 ? (c.get(file) ?? Infinity) / best.get(file)
                                                 : Infinity))
                             .sort((a, b) => a - b);
            for (const r of list)
                if (Number.isFinite(r)) most = Math.max(most, r);
            return [solver, list];
        });
        const end = Math.min(most * 1.2, 1e4);
        this.plot.set(ratios.map(([solver, list], k) => {
            const x = [1], y = [list.filter((r) => r <= 1).length / files.length];
            for (let i = 0; i < list.length; ++i)
                if (list[i] > 1 && list[i] <= end) x.push(list[i]), y.push((i + 1) / files.length);
            x.push(end), y.push(y.at(-1));
            return {name: solver, x, y, color: k, dash: Math.floor(k / 12), steps: true};
        }));
        const table = ratios.map(
            ([solver, list]) => [solver, `${list.filter(Number.isFinite).length} of ${files.length}`,
                                 list.filter((r) => r <= 1).length, list.filter((r) => r <= 2).length]);
        this.rows.replaceChildren(tableOf(["solver", "solved", "fastest", "within twice the fastest"],
                                          table.sort((a, b) => b[2] - a[2] || b[3] - a[3])));
    }

    buildCurves() {
        const host = make("div", {class: "canvas map"}),
              plot = new Plot(host, {x: "seconds", xName: "seconds", xLog: true, yLog: true});
        const show = (name) => {
            const table = this.curves.find(([n]) => n === name)[1], solver = table.words("solver"),
                  x = table.column("seconds"), y = table.column("residual");
            plot.set([...new Set(solver)].map((s, k) => {
                const rows = solver.flatMap((other, row) => (other === s ? [row] : []));
                return {
                    name: s,
                    x: rows.map((row) => x[row]),
                    y: rows.map((row) => y[row]),
                    color: k,
                    dash: Math.floor(k / 12)
                };
            }));
        };
        const element = section("Convergence", "convergence",
                                make("div", {class: "bar"},
                                     make("label", {}, "problem",
                                          choice(this.curves.map(([name]) => [name, name]), this.curves[0][0], show))),
                                host);
        redrawn(element, () => plot.draw());
        show(this.curves[0][0]);
    }
}
