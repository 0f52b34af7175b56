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

    bar() {
        const button = (label, title, act, id) => make("button", {title, "aria-label": title, onclick: act, id}, label);
        this.progress = make("progress", {max: 1, value: 0, "aria-label": "how far the scene is"});
        this.pace = make("span", {class: "hint pace", title: "simulated seconds a second"});
        this.recordButton = button("● video", "record a video (WebM)", () => this.record(), "record");
        this.recordButton.hidden = typeof MediaRecorder === "undefined";
        this.playButton.classList.add("main");
        return make("div", {class: "bar live"}, this.playButton,
                    button("↺", "from the start (Home)", () => this.restart(), "reset"),
                    button("›", "one step (→)", () => this.step(1), "step"), this.progress, this.pace,
                    make("label", {title: "simulated seconds a second"}, "speed", this.speed),
                    button("picture", "save the picture (S)", () => this.savePicture(), "shot"), this.recordButton);
    }

    side() {
        const view = super.side(), picked = view.lastChild;
        this.sliders = make("div", {class: "sliders"});
        this.note = make("p", {class: "hint", role: "status", "aria-live": "polite"});
        view.className = "inner", picked.remove();
        return make("div", {class: "side"}, make("h3", {}, "What if"), this.sliders, this.note, picked,
                    make("details", {}, make("summary", {}, "How it is drawn"), view));
    }

    build() {
        this.values = new Map(); // overrides: path, text
        this.follow = true;
        super.build();
        this.canvas.setAttribute("aria-label", "the scene; drag a body to pull it, drag elsewhere to turn the view");
        this.setSliders();
    }

    /// Sliders of the scene; those that come by themselves stand behind the declared ones.
    setSliders() {
        const {controls} = this.run.about, declared = controls.filter((c) => c.declared),
              own = controls.filter((c) => !c.declared);
        const rows = (list) => list.map((c) => this.sliderRow(c)), few = declared.length === 0 ? own : declared;
        const more = declared.length === 0 ? [] : own;
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
        const text = () => `${Number(Number(input.value).toPrecision(3))}${c.unit ? ` ${c.unit}` : ""}`;
        const say = () => {
            shown.textContent = text();
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
        this.progress.value = this.end > 0 ? Math.min(1, frame.time / this.end) : 0;
        if (this.playing && pace > 0)
            this.pace.textContent = pace < 0.85 * this.rate ? `${formatNumber(pace, 2)}× (all this machine can)` : "";
        this.refresh();
    }

    /// Another stage: other bodies. The view moves only if nobody has turned it.
    stageIs(replay) {
        this.run.replay = replay;
        const old = this.view.stages.pop(), first = this.view.addStage(replay);
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
        if (count === 0 || count > 12) return;
        middle.forEach((_, k) => (middle[k] /= count));
        const by = this.middle && this.follow && !this.held ? vec.sub(middle, this.middle) : null;
        if (by) {
            this.view.camera.target = vec.add(this.view.camera.target, by);
            stage.centre = vec.add(stage.centre, by);
        }
        this.middle = middle;
    }

    said() {
        const end = `${formatNumber(this.end)} s`;
        return `t = ${this.time.toFixed(3)} s${
            this.time > 1.0001 * this.end ? `, beyond the ${end} of the scene` : ` of ${end}`}`;
    }

    async draw() {
        await super.draw();
        this.feed.send({type: "drawn"});
    }

    /// A lone body is looked at from farther away: it will move.
    home() {
        super.home();
        const moving = this.replay.frames[0].state.filter((s) => s === 1).length, [stage] = this.view.stages;
        if (moving <= 3) this.view.camera.zoom(1.7), (stage.ground = 8 * stage.extent);
        this.touched = false;
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

    // ---- video -------------------------------------------------------------------------------------------------------------------

    record() {
        if (this.recorder) return this.recorder.stop();
        const parts = [], stream = this.canvas.captureStream(30);
        this.recorder = new MediaRecorder(stream, {mimeType: "video/webm"});
        this.recorder.ondataavailable = (event) => parts.push(event.data);
        this.recorder.onstop = () => {
            this.recorder = null;
            this.recordButton.textContent = "● video";
            stream.getTracks().forEach((track) => track.stop());
            saveBlob(new Blob(parts, {type: "video/webm"}), "scree.webm");
        };
        this.recordButton.textContent = "■ stop";
        this.recorder.start(500);
    }
}

/// Hands a file to the reader of the page.
function saveBlob(blob, name) {
    const link = make("a", {href: URL.createObjectURL(blob), download: name});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
