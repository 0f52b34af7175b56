// charts.js: the section Plots: series.csv and timing.csv of one or two runs. Colours say what, dashes say which run.
"use strict";

/// Differences from row to row of one column over those of another: "sweeps per step".
function ratesOf(table, of, per) {
    const a = table.column(of), b = table.column(per);
    return a.map((v, i) => (i > 0 && b[i] > b[i - 1] ? (v - a[i - 1]) / (b[i] - b[i - 1]) : NaN));
}

const unitless = (name) => name.replace(/\[[^\]]*\]$/, "");
const DISTANCE = " from the start[m]", SPEED = " speed[m/s]"; // columns that live pages add for a few bodies
const some = (values) => values.some((v) => Number.isFinite(v) && v !== 0);

/// What each plot draws of a run: a list of [name, values, colour if it has its own], all over time. Columns that a run does not
/// have, or that are 0 throughout, are left out.
const PRESETS = [
    {
        title: "Energy ledger [J]",
        wide: true,
        of: (run) => ledgerColumns(run.series).map((name) => [unitless(name), run.series.column(name)])
    },
    {
        title: "Distance from the start [m]",
        of: (run) => columns(run.series, run.series.names.filter((n) => n.endsWith(DISTANCE)))
    },
    {title: "Speed [m/s]", of: (run) => columns(run.series, run.series.names.filter((n) => n.endsWith(SPEED)))},
    {title: "Kinetic energy [J]", log: true, of: (run) => columns(run.series, ["kinetic[J]"])},
    {title: "Contacts", of: (run) => columns(run.series, ["contacts", "active", "bodies"])},
    {title: "Contacts by mode", of: (run) => modeColumns(run.series)},
    {title: "Residual", log: true, of: (run) => columns(run.series, ["residual", "residual_mean", "scaled_mean"])},
    {title: "Penetration [m]", log: true, of: (run) => columns(run.series, ["penetration[m]", "penetration_max[m]"])},
    {title: "Sweeps per step", of: (run) => derived([["sweeps", run.series, "total_iterations", "total_steps"]])},
    {
        title: "Seconds per step",
        log: true,
        of: (run) => derived(
            ["detect", "assemble", "solve", "update"].map((stage) => [stage, run.timing, `${stage}[s]`, "step"]))
    },
    {title: "Forces on walls [N]", of: (run) => wallForces(run.series)},
];

function columns(table, names) {
    return names.filter((name) => table.has(name) && some(table.column(name)))
        .map((name) => [unitless(name), table.column(name)]);
}

function derived(list) {
    return list.filter(([, table, of, per]) => table && table.has(of) && table.has(per))
        .map(([name, table, of, per]) => [name, ratesOf(table, of, per)])
        .filter(([, values]) => some(values));
}

/// Kinetic, potential, and the lines of the ledger between them and its closing error.
function ledgerColumns(table) {
    const first = table.names.indexOf("kinetic[J]"), last = table.names.indexOf("balance[J]");
    return first < 0 || last < first ? []
                                     : table.names.slice(first, last + 1).filter((name) => some(table.column(name)));
}

/// Contacts by what they do, both senses of spinning together.
function modeColumns(table) {
    const groups = MODE_GROUPS.map((group) => [group.name, new Float64Array(table.rows.length), group.color]);
    MODE_NAMES.forEach((name, mode) => {
        if (table.has(`mode_${name}`))
            table.column(`mode_${name}`).forEach((v, row) => (groups[modeGroup(mode)][1][row] += v));
    });
    return groups.filter(([, values]) => some(values));
}

function wallForces(table) {
    const walls = table.names.filter((name) => name.endsWith(".force_x[N]")).map((name) => name.slice(0, -11)),
          out = [];
    for (const wall of walls) {
        const [x, y, z] = ["x", "y", "z"].map((axis) => table.column(`${wall}.force_${axis}[N]`));
        const size = x.map((v, i) => Math.hypot(v, y[i], z[i]));
        if (some(size)) out.push([wall, size]);
    }
    return out;
}

class Charts {
    constructor(runs, player) {
        this.runs = runs;
        this.player = player;
        this.plots = [];
        this.chosen = [];
        const grid = make("div", {class: "plots"});
        const element = section("Plots", "plots", grid);
        for (const preset of PRESETS) this.card(grid, preset);
        const chooser = this.chooser();
        this.own = this.card(
            grid, {title: "Any column", wide: true, always: true, of: (run) => columns(run.series, this.chosen)},
            chooser);
        if (player) player.listeners.push((time) => this.mark(time));
        redrawn(element, () => this.plots.forEach((p) => p.plot.draw()));
    }

    /// The list of all columns; the one that is taken joins the plot, or leaves it.
    chooser() {
        const names = [...new Set(this.runs.flatMap((run) => run.series.numeric()))].filter((name) => name !==
                                                                                                      "time[s]");
        this.chosen = []; // the plot opens with the first
        const pick = choice([["", "add or remove a column …"], ...names.map((name) => [name, name])], "", (name) => {
            if (name)
                this.chosen = this.chosen.includes(name) ? this.chosen.filter((other) => other !== name)
                                                         : [...this.chosen, name];
            pick.value = "";
            this.fill(this.own);
        });
        pick.id = "column";
        return pick;
    }

    card(grid, preset, extra = null) {
        const host = make("div", {class: "canvas"}), entry = {preset, log: Boolean(preset.log)};
        const log = make("button", {
            title: "logarithmic or linear",
            onclick: () => {
                entry.plot.options.yLog = entry.log = !entry.log;
                log.classList.toggle("on", entry.log);
                entry.plot.draw();
            }
        },
                         "log");
        log.classList.toggle("on", entry.log);
        grid.append(make("div", {class: `plot${preset.wide ? " wide" : ""}`},
                         make("h3", {}, make("span", {}, preset.title), extra, log), host));
        entry.plot = new Plot(host, {
            x: "time [s]",
            xName: "t",
            yLog: entry.log,
            onPoint:
                (time) => this.player && this.player.seek(Math.min(Math.max(time, this.player.start), this.player.end))
        });
        entry.element = grid.lastChild;
        entry.plot.canvas.setAttribute("role", "img");
        this.plots.push(entry);
        this.fill(entry);
        return entry;
    }

    fill(entry) {
        const names = [], series = [];
        this.runs.forEach((run, k) => {
            for (const [name, y, own] of entry.preset.of(run)) {
                if (!names.includes(name)) names.push(name);
                series.push({
                    name: this.runs.length > 1 ? `${run.prefix ?? `${LETTERS[k]}: `}${name}` : name,
                    x: run.series.column("time[s]"),
                    y,
                    color: own ?? names.indexOf(name),
                    dash: k
                });
            }
        });
        entry.element.hidden = series.length === 0 && !entry.preset.always;
        entry.element.classList.toggle("empty", series.length === 0);
        entry.plot.set(series);
        entry.plot.canvas.setAttribute("aria-label", this.inWords(entry.preset.title, series));
    }

    /// A plot for those who listen: what it shows, and the last value of each line.
    inWords(title, series) {
        const MOST = 8, last = (s) => `${s.name} ${formatNumber(s.y.at(-1) ?? NaN, 3)}`,
              end = Math.max(0, ...series.map((s) => s.x.at(-1) ?? 0));
        return `${title} over time; at ${formatNumber(end, 4)} s: ${series.slice(0, MOST).map(last).join(", ")}`;
    }

    mark(time) {
        for (const entry of this.plots) entry.plot.mark(time);
    }
}
