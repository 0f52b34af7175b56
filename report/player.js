// player.js: the section Replay: time, controls, keys, what was picked. Owns the View and the moment that is shown.
"use strict";

const BODY_STATES = ["not there", "dynamic", "fixed", "driven"];
const SPEEDS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

class Player {
    constructor(runs) {
        this.runs = runs;    // those with frames
        this.listeners = []; // called with the time that is shown
        this.options = {
            color: "speed",
            forces: "off",
            grains: "solid",
            walls: "solid",
            marks: true,
            shadows: true,
            joints: true,
            thickness: 1,
            forceLeast: 0.02,
            forceTop: 1,
            cut: null,
            picked: null
        };
        this.start = Math.min(...runs.map((run) => run.replay.time[0]));
        this.end = Math.max(...runs.map((run) => run.replay.time.at(-1)));
        this.time = this.start;
        this.rate = this.firstRate();
        this.playing = false;
        this.slow = 0;
        this.build();
    }

    /// A speed at which the whole run takes about ten seconds, of those that the list has; real time where that is near.
    firstRate() {
        const wanted = (this.end - this.start) / 10;
        return wanted > 0.2 && wanted < 2.5
                   ? 1
                   : SPEEDS.reduce(
                         (best, s) => (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best),
                         1);
    }

    // ---- the page ------------------------------------------------------------------------------------------------------------------

    build() {
        this.canvas = make("canvas", {tabindex: 0, "aria-label": "replay"});
        this.clock = make("div", {class: "clock"});
        this.stageBox = make("div", {class: "stage"}, this.canvas, this.clock);
        this.playButton = make("button", {title: "play or pause (space)", id: "play", onclick: () => this.toggle()},
                               "▶");
        this.speed = choice(SPEEDS.map((s) => [s, `${s}×`]), this.rate, (value) => this.setRate(Number(value)));
        this.speed.setAttribute("aria-label", "speed");
        section(this.heading(), "replay", make("div", {class: "replay"}, this.stageBox, this.side(), this.bar()));
        try {
            this.view = new View(this.canvas);
        } catch (error) {
            this.stageBox.replaceChildren(make("p", {class: "message fault"}, error.message));
            return;
        }
        for (const run of this.runs) this.view.addStage(run.replay);
        const ground = Math.max(...this.view.stages.map((stage) => stage.ground));
        for (const stage of this.view.stages) stage.ground = ground; // one floor for all
        this.chooseWalls();
        this.chooseColor();
        this.captions();
        this.home();
        this.listen();
        redrawn(this.stageBox, () => {
            this.placeCaptions();
            this.refresh();
        });
        this.seek(this.start);
    }

    heading() { return "Replay"; }

    bar() {
        this.slider = make("input", {
            type: "range",
            min: 0,
            max: 1000,
            value: 0,
            class: "time",
            "aria-label": "time",
            oninput: () => this.seek(this.start + ((this.end - this.start) * this.slider.value) / 1000)
        });
        return make("div", {class: "bar"}, this.playButton,
                    make("button", {title: "one frame back (←)", onclick: () => this.step(-1)}, "‹"),
                    make("button", {title: "one frame on (→)", onclick: () => this.step(1)}, "›"), this.slider,
                    make("label", {title: "simulated seconds a second"}, "speed", this.speed));
    }

    side() {
        const o = this.options, set = (name, value) => ((o[name] = value), this.refresh());
        const list = (name, pairs) => choice(pairs, o[name], (value) => set(name, value));
        const range = (name, min, max, step) => make(
            "input",
            {type: "range", min, max, step, value: o[name], oninput: (e) => set(name, Number(e.target.value))});
        const box = (name) => make("input",
                                   {type: "checkbox", checked: o[name], onchange: (e) => set(name, e.target.checked)});
        const manners = [["solid", "solid"], ["glass", "glass"], ["hidden", "hidden"]];
        this.control = {
            color: list("color",
                        [
                            ["speed", "speed"], ["spin", "angular speed"], ["size", "size"], ["body", "body"],
                            ["contacts", "number of contacts"], ["material", "material"], ["plain", "one colour"]
                        ]),
            forces: choice([["off", "not shown"], ["size", "coloured by size"], ["modes", "coloured by mode"]],
                           o.forces, (v) => this.setForces(v)),
            grains: list("grains", manners),
            walls: list("walls", manners),
            thickness: range("thickness", 0.2, 3, 0.1),
            forceLeast: range("forceLeast", 0, 0.5, 0.01),
            cutAxis: choice([["", "none"], ["0", "across x"], ["1", "across y"], ["2", "across z"]], "",
                            () => this.setCut()),
            cutAt:
                make("input", {type: "range", min: 0, max: 1, step: 0.005, value: 0.5, oninput: () => this.setCut()}),
            marks: box("marks"),
            shadows: box("shadows"),
            joints: box("joints"),
        };
        const joints = this.runs.some((run) => run.replay.stroke_count > 0);
        const c = this.control, rows = [
            ["colour", c.color], ["forces", c.forces], ["force width", c.thickness], ["smallest force", c.forceLeast],
            ["bodies", c.grains], ["walls", c.walls], ["cut plane", c.cutAxis], ["cut at", c.cutAt]
        ];
        for (const [name, element] of rows) element.setAttribute("aria-label", name);
        this.legend = make("div");
        this.numbers = make("div");
        return make("div", {class: "side"},
                    make("div", {class: "options"},
                         ...rows.flatMap(([name, element]) => [make("span", {class: "hint"}, name), element])),
                    make("div", {}, make("label", {}, c.marks, "marks"), " ", make("label", {}, c.shadows, "shadows"),
                         ...(joints ? [" ", make("label", {}, c.joints, "joints")] : [])),
                    this.legend, make("div", {}, make("h3", {}, "Picked"), this.numbers));
    }

    /// Walls that could hide what they hold become glass.
    chooseWalls() {
        const hiding = this.view.stages.some(
            (stage) => stage.group.some((g) => g.role === "wall" &&
                                               g.shapes.some((s) => stage.reachOf(s) > 0.35 * stage.extent)));
        this.options.walls = this.control.walls.value = hiding ? "glass" : "solid";
    }

    /// Sizes, where there are several; else speeds.
    chooseColor() {
        const [small, large] = this.view.stages[0].radiusRange;
        this.options.color = this.control.color.value = large > 1.05 * small ? "size" : "speed";
    }

    captions() {
        if (this.runs.length < 2) return;
        this.runs.forEach((run, k) => {
            const caption = make("div", {class: "caption"}, `${LETTERS[k]}: ${run.label}`);
            this.stageBox.append(caption);
            run.caption = caption;
        });
        this.placeCaptions();
    }

    /// Captions stand where the views are, which follow the shape of the box; lines part these.
    placeCaptions() {
        if (this.runs.length < 2) return;
        const box = this.stageBox.getBoundingClientRect(),
              {columns, rows} = gridOf(this.runs.length, box.width, box.height);
        this.runs.forEach((run, k) => {
            run.caption.style.left = `calc(${(100 * (k % columns)) / columns}% + 10px)`;
            run.caption.style.top = `calc(${(100 * Math.floor(k / columns)) / rows}% + 8px)`;
            run.caption.style.maxWidth = `calc(${100 / columns}% - 20px)`;
        });
        for (const old of this.stageBox.querySelectorAll(".divider")) old.remove();
        const line = (style) => {
            const divider = make("div", {class: "divider"});
            Object.assign(divider.style, style);
            this.stageBox.append(divider);
        };
        for (let c = 1; c < columns; ++c) line({left: `${(100 * c) / columns}%`, top: "0", bottom: "0", width: "1px"});
        for (let r = 1; r < rows; ++r) line({top: `${(100 * r) / rows}%`, left: "0", right: "0", height: "1px"});
    }

    // ---- time ----------------------------------------------------------------------------------------------------------------------

    toggle() {
        this.playing = !this.playing;
        this.playButton.textContent = this.playing ? "❚❚" : "▶";
        if (!this.playing) return;
        if (this.time >= this.end) this.time = this.start;
        this.before = performance.now();
        requestAnimationFrame((now) => this.tick(now));
    }

    tick(now) {
        if (!this.playing) return;
        this.slow = now - this.before > 120 ? this.slow + 1 : 0;
        if (this.slow === 8 && this.options.shadows)
            this.options.shadows = this.control.shadows.checked = false; // too slow a machine for them
        const time = this.time + this.rate * Math.min(0.25, (now - this.before) / 1000);
        this.before = now;
        this.seek(Math.min(time, this.end));
        if (time >= this.end) this.toggle();
        else requestAnimationFrame((next) => this.tick(next));
    }

    step(frames) {
        if (this.playing) this.toggle();
        const times = this.runs[0].replay.time, here = this.locate(this.runs[0].replay, this.time);
        const at = frames < 0 && here.part > 1e-6 ? here.frame
                                                  : Math.round(here.frame + (here.part > 1 - 1e-6 ? 1 : 0)) + frames;
        this.seek(times[Math.min(Math.max(at, 0), times.length - 1)]);
    }

    /// The frame at or before a time, and how far to the next one it is.
    locate(replay, time) {
        const t = replay.time;
        let low = 0, high = t.length - 1;
        while (low < high) {
            const mid = (low + high + 1) >> 1;
            if (t[mid] <= time + 1e-12) low = mid;
            else high = mid - 1;
        }
        return {
            frame: low,
            part: low + 1 < t.length ? Math.min(1, Math.max(0, (time - t[low]) / (t[low + 1] - t[low]))) : 0
        };
    }

    seek(time) {
        this.time = time;
        this.slider.value = this.end > this.start ? (1000 * (time - this.start)) / (this.end - this.start) : 0;
        this.refresh();
        for (const f of this.listeners) f(time);
    }

    // ---- drawing ---------------------------------------------------------------------------------------------------------------------

    palette() {
        const style = getComputedStyle(document.documentElement),
              dark = document.documentElement.dataset.theme === "dark";
        return {
            back: parseColor(style.getPropertyValue("--scene").trim()),
            wall: dark ? [0.34, 0.36, 0.4] : [0.8, 0.82, 0.84],
            driven: dark ? [0.62, 0.5, 0.36] : [0.86, 0.74, 0.56],
            grain: dark ? [0.62, 0.65, 0.7] : [0.72, 0.74, 0.78],
            joint: dark ? [0.95, 0.35, 0.7] : [0.78, 0.08, 0.47]
        };
    }

    /// One picture for any number of reasons to draw one.
    refresh() {
        if (!this.view || this.waiting) return;
        this.waiting = true;
        requestAnimationFrame(async () => {
            this.waiting = false;
            await this.draw();
        });
    }

    async draw() {
        const ratio = Math.min(window.devicePixelRatio || 1, 2), box = this.canvas.getBoundingClientRect();
        const w = Math.max(1, Math.round(box.width * ratio)), h = Math.max(1, Math.round(box.height * ratio));
        if (this.canvas.width !== w || this.canvas.height !== h) (this.canvas.width = w), (this.canvas.height = h);
        this.options.palette = this.palette();
        await this.pose();
        this.options.forceTop = Math.max(1e-30, ...this.runs.map((run) => run.replay.force_top || 0));
        for (const stage of this.view.stages) {
            stage.update(this.options.color, this.options.palette, this.options.cut);
            stage.updateTubes(this.options);
            stage.updateStrokes(this.options);
        }
        this.view.draw(this.options);
        const grid = niceStep(this.view.stages[0].ground * 2, 12);
        this.clock.textContent = `${this.said()}, grid ${formatNumber(grid)} m`;
        this.showLegend();
        this.showPicked();
        this.drawn = (this.drawn || 0) + 1;
    }

    /// Poses and contacts of the moment that is shown.
    async pose() {
        for (const stage of this.view.stages) {
            const {frame, part} = this.locate(stage.replay, this.time);
            stage.pose(frame, part);
            stage.contacts = await stage.replay.contactsOf(
                part > 0.5 ? Math.min(frame + 1, stage.replay.frames.length - 1) : frame);
        }
    }

    /// What stands below the picture.
    said() { return `t = ${this.time.toFixed(4)} s, frame ${this.locate(this.runs[0].replay, this.time).frame}`; }

    setForces(value) {
        this.options.forces = this.control.forces.value = value;
        if (value !== "off" && this.options.grains === "solid")
            this.options.grains = this.control.grains.value = "glass";
        if (value === "off" && this.options.grains === "glass")
            this.options.grains = this.control.grains.value = "solid";
        this.refresh();
    }

    /// Hides the bodies beyond a plane across an axis, and the forces on them: the inside of a heap.
    setCut() {
        const axis = this.control.cutAxis.value, {low, high} = this.view.stages[0],
              part = Number(this.control.cutAt.value);
        this.options.cut = axis === "" ? null : {axis: Number(axis), at: low[axis] + part * (high[axis] - low[axis])};
        this.refresh();
    }

    showLegend() {
        const o = this.options, first = this.view.stages[0], parts = [];
        const bar = (name, scale, low, high) => {
            const strip = make("div", {class: "scale"}),
                  stops = Array.from({length: 12}, (_, k) => cssColor(scale(k / 11)));
            strip.style.background = `linear-gradient(90deg, ${stops.join(",")})`;
            parts.push(make("div", {}, make("h3", {}, name), strip,
                            make("div", {class: "ends"}, make("span", {}, low), make("span", {}, high))));
        };
        if (o.color === "speed")
            bar("speed, square-root scale", SCALES.motion, "0", `${formatNumber(first.speedMax, 3)} m/s`);
        if (o.color === "spin")
            bar("angular speed, square-root scale", SCALES.motion, "0", `${formatNumber(first.spinMax, 3)} rad/s`);
        if (o.color === "size")
            bar("radius of the body", SCALES.sea, formatNumber(first.radiusRange[0], 3),
                `${formatNumber(first.radiusRange[1], 3)} m`);
        if (o.color === "contacts") bar("contacts of the body", SCALES.sea, "0", "12");
        if (o.forces === "size")
            bar("normal force, square-root scale", SCALES.fire, "0", `${formatNumber(o.forceTop, 3)} N`);
        if (o.forces === "modes" && first.contacts) parts.push(this.modeLegend());
        if (o.color === "material")
            parts.push(make("div", {class: "modes"},
                            ...first.replay.materials.map(
                                (name, k) => make("span", {}, this.dot(cssColor(bodyColor(3 * k + 1))), name))));
        this.legend.replaceChildren(...parts);
    }

    dot(color) {
        const dot = make("i");
        dot.style.background = color;
        return dot;
    }

    modeLegend() {
        const counts = new Array(MODE_GROUPS.length).fill(0);
        for (const stage of this.view.stages)
            if (stage.contacts) stage.contacts.mode.forEach((mode) => ++counts[modeGroup(mode)]);
        return make("div", {}, make("h3", {}, "contacts by mode"),
                    make("div", {class: "modes"},
                         ...MODE_GROUPS.map((g, k) => make("span", {}, this.dot(g.color), `${g.name}: ${counts[k]}`))));
    }

    // ---- picking -----------------------------------------------------------------------------------------------------------------------

    pickAt(clientX, clientY) {
        const box = this.canvas.getBoundingClientRect(), ratio = this.canvas.width / box.width;
        this.options.picked = this.view.pick((clientX - box.left) * ratio,
                                             this.canvas.height - (clientY - box.top) * ratio, this.options);
        this.refresh();
        return this.options.picked;
    }

    showPicked() {
        const p = this.options.picked, stage = p && this.view.stages[p.stage];
        if (!p || (p.sort === "contact" && !(stage.contacts && p.number < stage.contacts.count))) {
            this.numbers.replaceChildren(make("p", {class: "hint"}, this.pickHint()));
            return;
        }
        const rows = p.sort === "body" ? this.bodyRows(stage, p.number) : this.contactRows(stage, p.number);
        this.numbers.replaceChildren(
            make("dl", {class: "numbers"},
                 ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])));
    }

    pickHint() {
        return "Click a body or a force to read its numbers; Esc lets go. Drag turns, shift drags, the wheel zooms, a double click goes there.";
    }

    bodyRows(stage, b) {
        const {replay,
               frame} = stage,
               at = (list, n,
                     digits = 5) => Array.from(list.slice(n * b, n * b + n), (v) => formatNumber(v, digits)).join(", ");
        const rows = [
            ["body", `${b}`], ["name", replay.body_names[b]], ["kind", BODY_STATES[stage.state[b]]],
            ["material", replay.materials[stage.materialOf(b)] ?? ""], ["centre [m]", at(stage.x, 3)],
            ["rotation", at(stage.q, 4, 4)], ["speed", `${formatNumber(frame.speed[b])} m/s`]
        ];
        if (frame.velocity)
            rows.push(["velocity [m/s]", frame.velocity.map((column) => formatNumber(column[b])).join(", ")]);
        rows.push(["angular speed", `${formatNumber(frame.spin[b])} rad/s`],
                  ["radius", stage.reach[b] > 0 ? `${formatNumber(stage.reach[b])} m` : "–"]);
        if (stage.contacts) rows.push(["contacts", `${stage.contacts.degree[b]}`]);
        return rows;
    }

    contactRows(stage, k) {
        const c = stage.contacts, name = (b) => `${stage.replay.body_names[b]} (${b})`;
        return [
            ["contact", `${k}`], ["A", name(c.a[k])], ["B", name(c.b[k])], ["mode", MODE_NAMES[c.mode[k]] ?? "–"],
            ["point [m]", stage.contactPoint(k).map((v) => formatNumber(v, 5)).join(", ")],
            ...stage.replay.contact_columns.map(
                (column) => [CONTACT_FIELDS[column][0],
                             `${formatNumber(c.value[column][k])} ${CONTACT_FIELDS[column][1]}`])
        ];
    }

    // ---- pointer and keys ----------------------------------------------------------------------------------------------------------------

    listen() {
        const pointers = new Map();
        let moved = 0;
        this.canvas.addEventListener("contextmenu", (event) => event.preventDefault());
        this.canvas.addEventListener("pointerdown", (event) => {
            this.canvas.setPointerCapture(event.pointerId);
            pointers.set(event.pointerId, [event.clientX, event.clientY]);
            moved = 0;
            if (pointers.size === 1) this.press(event);
            else this.release();
        });
        this.canvas.addEventListener("pointermove", (event) => {
            const last = pointers.get(event.pointerId);
            if (!last) return;
            const dx = event.clientX - last[0], dy = event.clientY - last[1], camera = this.view.camera;
            moved += Math.abs(dx) + Math.abs(dy);
            if (pointers.size === 2) this.pinch(pointers, event);
            else if (this.dragged(event))
                ;
            else if (event.buttons & 2 || event.shiftKey) camera.pan(dx, dy, this.canvas.clientHeight);
            else camera.orbit(dx, dy);
            pointers.set(event.pointerId, [event.clientX, event.clientY]);
            this.refresh();
        });
        const up = (event) => {
            this.release();
            if (pointers.delete(event.pointerId) && moved < 4 && event.type === "pointerup")
                this.pickAt(event.clientX, event.clientY);
        };
        this.canvas.addEventListener("pointerup", up);
        this.canvas.addEventListener("pointercancel", up);
        this.canvas.addEventListener("wheel", (event) => {
            event.preventDefault();
            this.view.camera.zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 60) * 0.003));
            this.refresh();
        }, {passive: false});
        this.canvas.addEventListener("dblclick", (event) => {
            const p = this.pickAt(event.clientX, event.clientY);
            if (!p) return;
            const stage = this.view.stages[p.stage];
            this.view.camera.target = p.sort === "body" ? Array.from(stage.x.slice(3 * p.number, 3 * p.number + 3))
                                                        : stage.contactPoint(p.number);
            this.refresh();
        });
    }

    /// For players that let bodies be dragged: pressed, moved (true: a body was, not the camera), let go.
    press() {}
    dragged() { return false; }
    release() {}

    pinch(pointers, event) {
        const [a, b] = [...pointers.values()], before = Math.hypot(a[0] - b[0], a[1] - b[1]);
        const other = [...pointers.entries()].find(([id]) => id !== event.pointerId)[1];
        const now = Math.hypot(event.clientX - other[0], event.clientY - other[1]);
        if (now > 0) this.view.camera.zoom(before / now);
    }

    /// The first view. Where two runs differ much in extent, the smaller one counts more.
    home() {
        const box = this.stageBox.getBoundingClientRect(), stages = this.view.stages, n = stages.length;
        // several runs: all of them over all time, so that none is out of sight
        const boxes = stages.map((s) => (n > 1 ? s.whole : s.home)), {columns, rows} = gridOf(n, box.width, box.height);
        const low = [0, 1, 2].map((k) => Math.min(...boxes.map((b) => b.low[k]))),
              high = [0, 1, 2].map((k) => Math.max(...boxes.map((b) => b.high[k])));
        const extent = n > 1 ? Math.max(1e-9, Math.hypot(...low.map((v, k) => high[k] - v)) / 2) : boxes[0].extent,
              centre = n > 1 ? low.map((v, k) => (v + high[k]) / 2) : boxes[0].centre,
              aspect = (box.width / columns) / Math.max(1, box.height / rows);
        Object.assign(this.view.camera, stages.every((s) => s.planar) ? {azimuth: -Math.PI / 2, elevation: 0.04}
                                                                      : {azimuth: -0.9, elevation: 0.35});
        this.view.camera.fit(centre, extent, aspect);
        const down = n === 1 && stages[0].downhill();
        if (down)
            Object.assign(
                this.view.camera,
                {azimuth: Math.atan2(down[1], down[0]) + 0.5, elevation: 0.45}); // a slope is looked at from below
        this.refresh();
    }

    toggleJoints() {
        this.options.joints = this.control.joints.checked = !this.options.joints;
        this.refresh();
    }

    /// Looks along an axis: 0 x, 1 y, 2 z.
    lookAlong(axis) {
        Object.assign(this.view.camera, [
            {azimuth: 0, elevation: 0}, {azimuth: -Math.PI / 2, elevation: 0}, {azimuth: -Math.PI / 2, elevation: 1.56}
        ][axis]);
        this.refresh();
    }

    cycle(name) {
        const values = [...this.control[name].options].map((o) => o.value),
              next = values[(values.indexOf(this.options[name]) + 1) % values.length];
        if (name === "forces") return this.setForces(next);
        this.options[name] = this.control[name].value = next;
        this.refresh();
    }

    /// Returns 1 if the key was one of the replay's.
    key(event) {
        const action = this.view && this.actions(event)[event.key];
        if (action) action();
        return Boolean(action);
    }

    actions(event) {
        return {
            " ": () => this.toggle(),
            ArrowLeft: () => this.step(event.shiftKey ? -10 : -1),
            ArrowRight: () => this.step(event.shiftKey ? 10 : 1),
            Home: () => this.seek(this.start),
            End: () => this.seek(this.end),
            c: () => this.cycle("color"),
            f: () => this.cycle("forces"),
            g: () => this.cycle("grains"),
            w: () => this.cycle("walls"),
            j: () => this.toggleJoints(),
            r: () => this.home(),
            x: () => this.lookAlong(0),
            y: () => this.lookAlong(1),
            z: () => this.lookAlong(2),
            s: () => this.savePicture(),
            "+": () => this.changeRate(1),
            "-": () => this.changeRate(-1),
            Escape: () => ((this.options.picked = null), this.refresh())
        };
    }

    /// The replay as it is shown, as a PNG file.
    savePicture() {
        this.view.draw(this.options);
        this.canvas.toBlob((blob) => saveBlob(blob, `scree_${this.time.toFixed(4)}s.png`));
    }

    changeRate(by) {
        const k = SPEEDS.indexOf(this.rate) + by;
        if (k >= 0 && k < SPEEDS.length) this.setRate((this.speed.value = SPEEDS[k]));
    }

    setRate(rate) { this.rate = rate; }
}

const KEYS = [
    ["space", "play or pause"], ["← →", "a frame back, on; with shift ten"], ["Home End", "first, last frame"],
    ["+ −", "faster, slower"], ["C", "colour of bodies"], ["F", "forces: off, by size, by mode"],
    ["G", "bodies: solid, glass, hidden"], ["W", "walls: solid, glass, hidden"], ["J", "joints"],
    ["R", "the first view again"], ["X Y Z", "look along an axis"], ["S", "save the picture"],
    ["Esc", "let go of what was picked"], ["T", "light or dark"], ["?", "this list"]
];
