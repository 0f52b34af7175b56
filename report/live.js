// live.js: the section in which a scene runs: the replay's picture and options (player.js), with a simulation behind it instead of frames.
// Sliders change the scene, a body that is dragged is pulled along and can be thrown.
"use strict";

const LIVE_KEYS = [
    ["space", "run or pause"], ["→", "one step; with shift ten"], ["Home", "from the start"], ["+ −", "faster, slower"],
    ["drag a body", "pull it; let go to throw"], ["drag elsewhere", "turn; shift moves, wheel zooms"],
    ["C", "colour of bodies"], ["F", "forces: off, by size, by mode"], ["G", "bodies: solid, glass, hidden"],
    ["W", "walls: solid, glass, hidden"], ["J", "joints"], ["R", "the first view again"],
    ["X Y Z", "look along an axis"], ["S", "save the picture"], ["Esc", "let go of what was picked"],
    ["T", "light or dark"], ["?", "this list"]
];

class LivePlayer extends Player {
    /// run: {replay, label, about}; feed: takes messages, as report/worker.js describes them.
    constructor(run, feed, live) {
        run.live = live, run.feed = feed; // build(), which the constructor of Player calls, needs them
        super([run]);
        this.end = run.about.until;
        this.setRate((this.speed.value = this.rate = this.firstRate()));
        this.feed.send({type: "speed", value: this.rate});
    }

    get run() { return this.runs[0]; }
    get replay() { return this.run.replay; }
    get feed() { return this.run.feed; }
    get live() { return this.run.live; }

    // ---- the page --------------------------------------------------------------------------------------------------------------

    heading() { return "Simulation"; }

    pickHint() {
        return this.live.grabs
                   ? "Drag a body to pull and throw it. Click a body or a force to read its numbers. Drag beside them to turn, wheel or two fingers to zoom."
                   : super.pickHint();
    }

    bar() {
        const button = (label, title, act, id) => make("button", {title, "aria-label": title, onclick: act, id}, label);
        this.progress = make("progress", {max: 1, value: 0, "aria-label": "how far the scene is"});
        this.pace = make("span", {class: "hint pace", title: "simulated seconds a second"});
        this.forcesButton = make("button", {
            id: "chains",
            title: "contact forces as tubes, the bodies like glass (F)",
            "aria-pressed": "false",
            onclick: () => this.setForces(this.options.forces === "off" ? "size" : "off")
        },
                                 "forces");
        this.recordButton = make("button", {id: "record", class: "on", hidden: true, onclick: () => this.stopRecord()},
                                 "■ stop");
        this.playButton.classList.add("main");
        return make(
            "div", {class: "bar live"}, this.playButton,
            button("↺", "from the start (Home)", () => this.restart(), "reset"),
            button("›", "one step (→)", () => this.step(1), "step"), this.progress, this.pace,
            make("label", {title: "simulated seconds a second"}, make("span", {class: "word"}, "speed"), this.speed),
            this.forcesButton, this.saveMenu(), this.recordButton);
    }

    /// What can be taken along.
    saveMenu() {
        const item = (label, id, act,
                      there = true) => there ? make("button", {id, onclick: () => ((menu.open = false), act())}, label)
                                             : null;
        const editor = () => this.live.editor;
        const menu = make(
            "details", {class: "menu", id: "save"}, make("summary", {title: "picture, film, scene, link"}, "Save"),
            make("div", {}, item("Picture (PNG)", "shot", () => this.savePicture()),
                 item("Film (WebM)", "webm", () => this.recordVideo(), typeof MediaRecorder !== "undefined"),
                 item("Film (GIF, up to 20 s)", "gif", () => this.recordGif()),
                 item("This scene (YAML)", "yaml", () => this.live.save(), Boolean(this.live.save)),
                 item("Copy a link to it", "link", () => editor().link(), Boolean(this.live.save))));
        document.addEventListener("pointerdown", (event) => menu.contains(event.target) || (menu.open = false));
        menu.addEventListener("keydown", (event) => {
            if (event.key !== "Escape") return;
            menu.open = false, menu.firstChild.focus();
            event.stopPropagation();
        });
        return menu;
    }

    side() {
        const view = super.side(), picked = view.lastChild;
        this.sliders = make("div", {class: "sliders"});
        this.note = make("p", {class: "hint", role: "status", "aria-live": "polite"});
        view.className = "inner", picked.remove(), this.legend.remove(); // what colours mean is always seen
        return make("div", {class: "side"}, make("h3", {}, "What if"), this.sliders, this.note, picked, this.legend,
                    make("details", {}, make("summary", {}, "How it is drawn"), view));
    }

    build() {
        this.values = new Map(); // overrides: path, text
        this.follow = true;
        this.way = [], this.wayBefore = [], this.wayOf = -1; // where the picked body has been
        super.build();
        this.hint();
        this.canvas.setAttribute("aria-label", "the scene; drag a body to pull it, drag elsewhere to turn the view");
        this.setSliders();
    }

    /// What can be touched, until it is touched.
    hint() {
        if (!this.live.grabs || !this.view) return;
        const hint = make("div", {class: "touch"}, "Drag a body to throw it · drag the ground to turn");
        this.stageBox.append(hint);
        this.canvas.addEventListener("pointerdown", () => hint.remove(), {once: true});
    }

    /// Sliders of the scene; those that come by themselves stand behind the declared ones.
    setSliders() {
        const {controls} = this.run.about, declared = controls.filter((c) => c.declared),
              own = controls.filter((c) => !c.declared);
        const MANY = 7, used = (c) => c.value !== 0 || own.length <= MANY; // of many, those that the scene uses
        const rows = (list) => list.map((c) => this.sliderRow(c)),
              few = declared.length === 0 ? own.filter(used) : declared;
        const more = own.filter((c) => !few.includes(c));
        this.sliders.replaceChildren(
            ...rows(few),
            ...(more.length ? [make("details", {class: "more"}, make("summary", {}, "More values"), ...rows(more))]
                            : []));
        if (controls.length === 0) this.sliders.append(make("p", {class: "hint"}, "This scene has nothing to slide."));
    }

    sliderRow(c) {
        const shown = make("output", {}), input = make("input", {
                                              type: "range",
                                              min: c.from,
                                              max: c.to,
                                              step: "any", // the value that the scene gives is no multiple of anything
                                              value: c.value,
                                              "aria-label": c.label,
                                              "data-set": c.set,
                                              oninput: () => {
                                                  this.values.set(c.set, text());
                                                  say();
                                                  this.changeSoon(c);
                                              }
                                          });
        const number = () => Number(Number(input.value).toPrecision(3)),
              text = () => `${number()}${c.unit ? ` ${c.unit}` : ""}`;
        const say = () => {
            shown.textContent = `${number()}${c.unit ? shownUnit(c.unit) : ""}`;
            input.setAttribute("aria-valuetext", shown.textContent);
        };
        say();
        return make("label", {class: "slider"}, make("span", {}, c.label), shown, input);
    }

    /// The values that were slid, as overrides.
    sets() { return [...this.values].map(([path, value]) => `${path}=${value}`); }

    changeSoon(control) {
        clearTimeout(this.changing);
        this.changing = setTimeout(() => {
            const over = this.time >= this.end - 1e-9 || this.run.live.steps === 0, fresh = control.restarts || over;
            this.live.load({keep: !fresh, play: fresh || this.playing, why: control.label});
        }, 60);
    }

    // ---- time ------------------------------------------------------------------------------------------------------------------

    toggle() { this.play(!this.playing); }

    play(on) {
        this.setPlaying(on);
        this.feed.send({type: "play", on});
    }

    setPlaying(on) {
        this.playing = on;
        this.playButton.textContent = on ? "❚❚" : "▶";
        this.playButton.setAttribute("aria-label", on ? "pause" : "run");
        if (!on) this.pace.textContent = "";
    }

    step(count) {
        if (count < 0) return;
        this.setPlaying(false);
        this.feed.send({type: "step", count});
    }

    restart() { this.live.load({keep: false, play: this.playing}); }
    seek() { this.refresh(); }

    setRate(rate) {
        super.setRate(rate);
        this.feed.send({type: "speed", value: rate});
    }

    setForces(value) {
        super.setForces(value);
        this.forcesButton.setAttribute("aria-pressed", String(value !== "off"));
        this.forcesButton.classList.toggle("on", value !== "off");
        this.watch();
    }

    /// Contacts are sent only where they are drawn.
    watch() {
        this.feed.send({type: "watch", value: this.options.forces !== "off" || this.options.color === "contacts"});
    }

    actions(event) {
        const {ArrowLeft, End, ...others} = super.actions(event), count = event.shiftKey ? 10 : 1;
        return {
            ...others,
            ArrowRight: () => this.step(count),
            Home: () => this.restart(),
            c: () => (this.cycle("color"), this.watch())
        };
    }

    /// A new frame. `pace`: simulated seconds a second, as they are.
    show(frame, pace) {
        this.replay.take(frame);
        this.time = frame.time;
        this.keepWay();
        this.progress.value = this.end > 0 ? Math.min(1, frame.time / this.end) : 0;
        if (this.playing && pace > 0)
            this.pace.textContent = pace < 0.85 * this.rate ? `${formatNumber(pace, 2)}× (all this machine can)` : "";
        this.refresh();
    }

    /// The scene has begun again: what was its way is the way before.
    begins() {
        if (this.way.length > 2) this.wayBefore = this.way;
        this.way = [];
        this.origin = Float32Array.from(this.replay.frames[0].x);
    }

    /// The way of the body whose numbers are shown, in steps of a fifth of its radius; twice as far apart where it gets long.
    keepWay() {
        const MOST = 800, p = this.options.picked, body = p && p.sort === "body" ? p.number : -1,
              {x, state} = this.replay.frames[0];
        if (!this.view) return;
        if (body !== this.wayOf) (this.way = []), (this.wayBefore = []), (this.wayOf = body), (this.wayStep = 0.2);
        if (body < 0 || body >= state.length || state[body] !== 1) return;
        const at = Array.from(x.subarray(3 * body, 3 * body + 3)), last = this.way.at(-1),
              reach = this.view.stages[0].reach[body];
        if (last && vec.length(vec.sub(at, last)) < this.wayStep * reach) return;
        this.way.push(at);
        if (this.way.length > MOST) (this.way = this.way.filter((_, k) => k % 2 === 0)), (this.wayStep *= 2);
    }

    /// Columns of the plots for scenes of one or two bodies: what a slider changes is seen at once.
    extraRow() {
        const {x, speed, state} = this.replay.frames[0], row = {},
                         moving = [...state.keys()].filter((b) => state[b] === 1);
        if (!this.few) return row;
        for (const b of moving.slice(0, 3)) {
            const from = this.origin || x, name = this.replay.body_names[b];
            row[`${name} from the start[m]`] = Math.hypot(...[0, 1, 2].map((k) => x[3 * b + k] - from[3 * b + k]));
            row[`${name} speed[m/s]`] = speed[b];
        }
        return row;
    }

    bodyRows(stage, b) {
        const rows = super.bodyRows(stage, b), from = this.origin, {x} = this.replay.frames[0];
        const skipped = ["rotation", "kind"]; // of no use while it moves
        if (from && from.length > 3 * b)
            rows.splice(5, 0, [
                "from the start",
                `${formatNumber(Math.hypot(...[0, 1, 2].map((k) => x[3 * b + k] - from[3 * b + k])), 5)} m`
            ]);
        return rows.filter(([name]) => !skipped.includes(name));
    }

    /// Another stage: other bodies. The view moves only if nobody has turned it.
    stageIs(replay) {
        this.run.replay = replay;
        if (!this.view) return; // a browser without WebGL
        const old = this.view.stages.pop(), first = this.view.addStage(replay);
        if (old) old.dispose();
        first.speedMax = old ? Math.max(old.speedMax, first.speedMax) : first.speedMax;
        this.middle = null;
        if (!this.touched) this.home();
        this.refresh();
    }

    // ---- drawing -----------------------------------------------------------------------------------------------------------------

    async pose() {
        const [stage] = this.view.stages;
        stage.pose(0, 0);
        stage.contacts = this.replay.contacts;
        const accent = parseColor(getComputedStyle(document.documentElement).getPropertyValue("--accent").trim());
        stage.updateWays([
            {points: this.wayBefore, color: this.options.palette.grain.map((v) => 0.75 * v), mark: true},
            {points: this.way, color: accent}
        ]);
        this.scales(stage);
        this.follows(stage);
    }

    /// Colours keep up with the speeds: at once upwards, slowly down.
    scales(stage) {
        for (const [name, values] of [["speedMax", stage.frame.speed], ["spinMax", stage.frame.spin]]) {
            let most = 0;
            for (let b = 0; b < values.length; ++b)
                if (stage.state[b] === 1 && values[b] > most) most = values[b];
            stage[name] = Math.max(1e-3 * stage.grain, most, 0.995 * stage[name]);
        }
    }

    /// With few bodies the camera goes where their middle goes, and the floor is drawn below it.
    follows(stage) {
        const n = this.replay.bodies, middle = [0, 0, 0];
        let count = 0;
        for (let b = 0; b < n; ++b)
            if (stage.state[b] === 1) ++count, middle.forEach((_, k) => (middle[k] += stage.x[3 * b + k]));
        if (count === 0) return;
        middle.forEach((_, k) => (middle[k] /= count));
        if (count > 12) return this.goesAlong(stage, middle);
        const by = this.middle && this.follow && !this.held ? vec.sub(middle, this.middle) : null;
        if (by) {
            this.view.camera.target = vec.add(this.view.camera.target, by);
            stage.centre = vec.add(stage.centre, by);
        }
        this.middle = middle;
    }

    /// What comes down a slope stays in the picture: slowly, and until somebody turns the view.
    goesAlong(stage, middle) {
        const RATE = 2.5, now = performance.now(),
              part = 1 - Math.exp(-RATE * Math.min(0.5, (now - (this.went || now)) / 1000)), {camera} = this.view;
        this.went = now;
        if (this.touched || this.held || !this.slope) return;
        const shift = vec.sub(middle, camera.target).map((v) => part * v);
        camera.target = vec.add(camera.target, shift);
        stage.centre = vec.add(stage.centre, shift);
        let wide = 0;
        for (let b = 0; b < this.replay.bodies; ++b)
            if (stage.state[b] === 1)
                wide = Math.max(wide,
                                vec.length(vec.sub(Array.from(stage.x.subarray(3 * b, 3 * b + 3)), camera.target)));
        camera.distance += part * (Math.min(2.4 * wide, 8 * this.slope) - camera.distance);
    }

    said() {
        const end = `${formatNumber(this.end)} s`;
        return `t = ${this.time.toFixed(3)} s${
            this.time > 1.0001 * this.end ? `, beyond the ${end} of the scene` : ` of ${end}`}`;
    }

    async draw() {
        await super.draw();
        if (this.gif) this.addGif();
        this.feed.send({type: "drawn"});
    }

    /// A lone body is looked at from farther away: it will move.
    home() {
        super.home();
        this.fitWalls(this.view.stages[0]);
        this.slope = this.view.stages[0].downhill() ? this.view.stages[0].home.extent : 0;
        const moving = this.replay.frames[0].state.filter((s) => s === 1).length, [stage] = this.view.stages;
        if (moving <= 3) this.view.camera.zoom(moving === 1 ? 2.6 : 1.7), (stage.ground = 9 * stage.extent);
        this.touched = false;
    }

    /// What holds the bodies is in the picture too, unless it is much larger than they are.
    fitWalls(stage) {
        const {x, state} = this.replay.frames[0], {low, high} = stage.home, box = this.stageBox.getBoundingClientRect();
        const lowest = [...low], highest = [...high];
        for (let b = 0; b < state.length; ++b) {
            const reach = stage.reach[b];
            if (state[b] < 2 || reach === 0 || reach > 4 * stage.home.extent) continue;
            for (let k = 0; k < 3; ++k) {
                lowest[k] = Math.min(lowest[k], x[3 * b + k] - 0.75 * reach);
                highest[k] = Math.max(highest[k], x[3 * b + k] + 0.75 * reach);
            }
        }
        if (lowest.every((v, k) => v === low[k]) && highest.every((v, k) => v === high[k])) return;
        this.view.camera.fit(lowest.map((v, k) => (v + highest[k]) / 2),
                             Math.hypot(...lowest.map((v, k) => highest[k] - v)) / 2,
                             box.width / Math.max(1, box.height));
    }

    // ---- grabbing ----------------------------------------------------------------------------------------------------------------

    press(event) {
        this.held = null;
        if (event.shiftKey || event.button !== 0 || !this.live.grabs) return;
        const box = this.canvas.getBoundingClientRect(), ratio = this.canvas.width / box.width;
        const p = this.view.pick((event.clientX - box.left) * ratio,
                                 this.canvas.height - (event.clientY - box.top) * ratio, this.options);
        if (!p || p.sort !== "body" || this.view.stages[0].state[p.number] !== 1) return;
        this.held = {
            body: p.number,
            moved: false,
            at: Array.from(this.view.stages[0].x.slice(3 * p.number, 3 * p.number + 3))
        };
    }

    /// Where the pointer is in the plane through the body that faces the camera.
    dragged(event) {
        if (!this.held) return (this.touched = true), false;
        const box = this.canvas.getBoundingClientRect(), camera = this.view.camera, eye = camera.eye;
        const forward = vec.unit(vec.sub(camera.target, eye)), right = vec.unit(vec.cross(forward, [0, 0, 1])),
              up = vec.cross(right, forward), tan = Math.tan(camera.fov / 2);
        const x = ((event.clientX - box.left) / box.width) * 2 - 1,
              y = 1 - ((event.clientY - box.top) / box.height) * 2;
        const ray = vec.add(vec.add(forward, right, x * tan * (box.width / box.height)), up, y * tan);
        const depth = vec.dot(vec.sub(this.held.at, eye), forward);
        if (!this.held.moved) {
            this.held.moved = true;
            if (!this.playing) this.play(true);
        }
        this.feed.send({type: "grab", body: this.held.body, at: vec.add(eye, ray, depth)});
        return true;
    }

    release() {
        if (this.held && this.held.moved) this.feed.send({type: "grab", body: -1, at: [0, 0, 0]});
        this.held = null;
    }

    // ---- films -------------------------------------------------------------------------------------------------------------------

    stopRecord() {
        if (this.recorder) this.recorder.stop();
        if (this.gif) this.endGif();
    }

    records(on, text = "") {
        this.recordButton.hidden = !on;
        this.live.say(text);
        if (on && !this.playing) this.play(true);
    }

    /// As the browser records it: what is drawn, with the pauses that were made.
    recordVideo() {
        if (this.recorder || this.gif) return;
        const parts = [], stream = this.canvas.captureStream(30);
        this.recorder = new MediaRecorder(stream, {mimeType: "video/webm", videoBitsPerSecond: 6e6});
        this.recorder.ondataavailable = (event) => parts.push(event.data);
        this.recorder.onstop = () => {
            this.recorder = null;
            stream.getTracks().forEach((track) => track.stop());
            const blob = new Blob(parts, {type: "video/webm"});
            this.records(false, `A film of ${formatNumber(blob.size / 1e6, 2)} MB.`);
            saveBlob(blob, "scree.webm");
        };
        this.recorder.start(500);
        this.records(true, "Recording …");
    }

    /// Frames follow simulated time at the chosen speed, however fast this machine is: a slow one makes a film as smooth.
    recordGif() {
        const WIDTH = 480;
        if (this.recorder || this.gif) return;
        const scale = Math.min(1, WIDTH / this.canvas.width), canvas = document.createElement("canvas");
        canvas.width = Math.round(this.canvas.width * scale), canvas.height = Math.round(this.canvas.height * scale);
        this.gif = {
            writer: new GifWriter(canvas.width, canvas.height, GIF_DELAY),
            context: canvas.getContext("2d", {willReadFrequently: true}),
            next: -Infinity
        };
        this.records(true, "Recording …");
    }

    addGif() {
        const {writer, context, next} = this.gif, {width, height} = context.canvas, most = (20 * 100) / GIF_DELAY;
        if (this.time < this.gif.last) this.gif.next = -Infinity; // from the start again
        this.gif.last = this.time;
        if (this.time < next - 1e-9) return;
        this.gif.next = Math.max(next, this.time - 0.5 * this.rate) + (this.rate * GIF_DELAY) / 100;
        context.imageSmoothingQuality = "high";
        context.drawImage(this.canvas, 0, 0, width, height);
        writer.add(context.getImageData(0, 0, width, height).data);
        this.note.textContent = `Recording: ${writer.frames} frames, ${formatNumber(writer.out.size / 1e6, 2)} MB`;
        if (writer.frames >= most) this.endGif();
    }

    endGif() {
        const {writer} = this.gif, blob = writer.finish();
        this.gif = null;
        this.records(false, `A film of ${writer.frames} frames, ${formatNumber(blob.size / 1e6, 2)} MB.`);
        saveBlob(blob, "scree.gif");
    }
}

const GIF_DELAY = 8; // hundredths of a second between frames

/// A unit as it is printed behind a number: "m/s^2" with its square, degrees with their sign, shares of a radius in words.
function shownUnit(unit) {
    return unit === "r"     ? " of the radius"
           : unit === "deg" ? "°"
                            : " " + unit.replaceAll("^2", "²").replaceAll("^3", "³").replaceAll("um", "µm");
}
