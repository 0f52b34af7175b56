// play.js: the page of `scree play`: unpacks the module, starts the worker, and joins picture, plots and the text of the scene.
//
// A scene may come with the link (the part after '#', which no server sees): it is a text like any other, read by the same reader, and
// nothing of it becomes part of the page but as text.
"use strict";

const SCENE_MOST = 1 << 20; // bytes of a scene in a link, unpacked

// ---- links -------------------------------------------------------------------------------------------------------------------

async function through(bytes, stream, most) {
    const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), parts = [];
    let size = 0;
    for (;;) {
        const {done, value} = await reader.read();
        if (done) break;
        size += value.length;
        if (size > most) throw new Error("the scene in the link is too long");
        parts.push(value);
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function packText(text) {
    const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"), Infinity);
    let binary = "";
    for (const b of bytes) binary += String.fromCharCode(b);
    return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function unpackText(word) {
    const bytes = Uint8Array.from(atob(word.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"), SCENE_MOST));
}

// ---- the text of the scene ---------------------------------------------------------------------------------------------------

class SceneEditor {
    constructor(live, text, name) {
        this.live = live;
        this.original = text;
        this.area = make("textarea", {
            spellcheck: "false",
            autocomplete: "off",
            autocapitalize: "off",
            wrap: "off",
            "aria-label": "text of the scene",
            onkeydown: (event) => this.key(event),
            oninput: () => this.number()
        });
        this.area.value = text;
        this.lines = make("pre", {class: "lines", "aria-hidden": "true"});
        this.area.addEventListener("scroll", () => (this.lines.scrollTop = this.area.scrollTop));
        this.message = make("pre", {class: "fault mistake", role: "alert"});
        const button = (label, title, act, main = "") => make("button", {title, onclick: act, class: main}, label);
        section(
            "Scene", "scene",
            make("p", {class: "hint"},
                 `${name}: edit it, and run it with Ctrl+Enter. Mistakes are shown below, as the command shows them.`),
            make("div", {class: "editor"}, this.lines, this.area), this.message,
            make("div", {class: "bar"}, button("Run this text", "Ctrl+Enter", () => this.run(), "main"),
                 button("Copy a link", "the scene goes with it", () => this.link()),
                 button("Save the scene", "with the values of the sliders", () => live.save()),
                 button("The first text", "as the page came", () => this.back())));
        this.number();
    }

    number() {
        const count = this.area.value.split("\n").length;
        if (count !== this.count) this.lines.textContent = Array.from({length: count}, (_, k) => k + 1).join("\n");
        this.count = count;
    }

    key(event) {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            this.run();
        }
    }

    set(text) {
        this.area.value = text;
        this.number();
    }

    run() { this.live.load({keep: false, play: true, sliders: true, text: this.area.value}); }

    back() {
        this.set(this.original);
        this.live.sets = this.live.first.sets;
        this.run();
    }

    async link() {
        const {origin, pathname} = window.location, text = await this.live.asRun();
        const url = `${origin === "null" ? "file://" : origin}${pathname}#scene=${await packText(text)}`;
        window.history.replaceState(null, "", `#${url.split("#")[1]}`);
        try {
            await navigator.clipboard.writeText(url);
            this.live.say("The link is copied; it is in the address line too.");
        } catch { this.live.say("The link is in the address line."); }
    }

    /// The message, the line, and a caret below its column, as `scree check` prints them.
    mistake(error) {
        this.message.textContent = "";
        if (!error) return;
        const line = error.line > 0 ? this.area.value.split(/\r\n|\r|\n/)[error.line - 1] : undefined;
        this.message.textContent = error.message;
        if (line === undefined || error.column < 1) return;
        const before = [...line].slice(0, error.column - 1).map((c) => (c === "\t" ? "\t" : " ")).join("");
        this.message.textContent += `\n  ${line}\n  ${before}^`;
        const high = parseFloat(getComputedStyle(this.area).lineHeight) || 19;
        this.area.scrollTop = Math.max(0, (error.line - 6) * high);
    }
}

/// The first paragraph of the comment that a scene begins with, without commands; "": none that is a sentence.
function firstWords(scene) {
    const lines = scene.split(/\r?\n/), words = [];
    for (const line of lines) {
        const [, text] = /^# ?(.*)$/.exec(line) || [];
        if (text === undefined || text.trim() === "" || /^\s{2,}/.test(text)) break;
        words.push(text.trim());
    }
    const [sentences] = /^.*[.!?](?=\s|$)/s.exec(words.join(" ")) || [""];
    return sentences;
}

// ---- the page ----------------------------------------------------------------------------------------------------------------

/// What `scree play` starts: one scene, its worker, its player.
class Play {
    constructor(scene, calm) {
        Object.assign(this, scene);                        // name, text, sets, files
        this.calm = calm;                                  // nothing moves by itself
        this.first = {text: scene.text, sets: scene.sets}; // what runs where nothing else does
        this.sent = scene.text;                            // what the worker was given last; `text`: what it runs
        this.grabs = true;
        this.loads = 0;
        this.steps = 0;
        this.hash = "";
        this.series = new LiveSeries();
        this.before = null;
    }

    async start(blocks, manifest) {
        this.fused = manifest.fused_wasm !== undefined && fuses();
        const [module, wasm] = this.fused ? [manifest.fused_module, manifest.fused_wasm]
                                          : [manifest.module, manifest.wasm];
        const script = `${await blocks.text(module)}\n${await blocks.text(manifest.worker)}`;
        this.editor = new SceneEditor(this, this.text, this.name);
        this.feed = new WorkerFeed(script, await blocks.bytes(wasm), (message) => this.receive(message));
        setInterval(() => this.listen(), 1000);
    }

    /// keep: the running state goes on with other values; play: runs afterwards; sliders: they are made anew; text: another scene.
    load({keep, play, sliders = false, why = "", text = null}) {
        const files = this.given ? null : this.files; // the worker keeps them
        this.given = true;
        if (text !== null) this.sent = text, this.fresh_values = true;
        this.next = {play, sliders, why};
        this.feed.send({
            type: "load",
            name: this.name,
            text: this.sent,
            files,
            keep,
            id: ++this.loads,
            sets: [...this.sets, ...(this.player && !this.fresh_values ? this.player.sets() : [])]
        });
    }

    /// Asks the worker for a word now and then. A scene may be one that no machine finishes: then there is a button that ends it.
    listen() {
        const PATIENCE = 6; // looks, not seconds: where the page itself was held up, it looks less often
        if (this.pinged === undefined) this.pinged = 0, this.feed.send({type: "ping"});
        else if (++this.pinged > PATIENCE && !this.late) this.notice("This scene takes long to answer.", "End it");
    }

    /// Above everything, with a button to begin anew; null: no more.
    notice(text, button) {
        this.late?.remove();
        this.late = null;
        if (text === null) return;
        this.late = noticed(text, make("button", {id: "end", onclick: () => this.giveUp()}, button));
    }

    /// The worker is ended, and another one begins with the scene that ran before, or the page's own.
    giveUp() {
        this.feed.restart();
        this.given = false, this.pinged = undefined, this.fresh_values = false;
        if (this.player) this.sent = this.text;
        else this.sent = this.text = this.first.text, this.sets = this.first.sets;
        this.notice(null);
        this.calm = true;
        this.say("Ended. ▶ runs the scene from its start.");
    }

    receive(m) {
        if (m.type === "pong") this.pinged = undefined, this.notice(null);
        if (m.type === "ready") this.load({keep: false, play: !this.calm, sliders: true});
        if (m.type === "refused" && m.id === this.loads) this.refused(m);
        if (m.type === "loaded" && m.id === this.loads) this.loaded(m);
        if (m.type === "frame") (this.memory = m.memory), this.frame(readMessage(m.buffer), m.rate);
        if (m.type === "stage") this.player.stageIs(new LiveReplay(readMessage(m.stage), readMessage(m.frame)));
        if (m.type === "stopped") this.stopped(m);
        if (m.type === "text") this.resolve(m.text);
        if (m.type === "broken") this.broken(m.text);
    }

    loaded({kept, about, stage, frame}) {
        const first = readMessage(frame), replay = new LiveReplay(readMessage(stage), first),
              {play, sliders, why} = this.next;
        this.editor.mistake(null);
        this.text = this.sent;
        if (this.fresh_values && this.player) this.player.values.clear();
        this.fresh_values = false;
        if (!kept && this.series.rows.length > 2) this.before = this.series;
        if (!kept) this.series = new LiveSeries();
        this.about = about;
        if (!this.player) {
            this.build(replay);
            this.player.begins();
        } else {
            this.player.run.about = about, this.player.end = about.until;
            this.player.stageIs(replay);
            if (!kept) this.player.begins();
            if (sliders) this.player.setSliders(), this.lone();
        }
        this.headline();
        this.say(!why ? "" : kept ? `${why}: changed in the running scene` : `${why}: from the start`);
        this.frame(first, 0);
        this.player.play(play);
        report.ready = true;
    }

    build(replay) {
        document.getElementById("wait")?.remove();
        this.player = report.player = new LivePlayer({kind: "run", replay, label: "now", about: this.about}, this.feed,
                                                     this);
        const main = document.getElementById("main"), nav = document.getElementById("nav");
        main.prepend(document.getElementById("replay")); // it stands above the text
        nav.prepend(nav.lastChild);
        this.lone();
        this.plots();
        setInterval(() => this.plots(), 400);
    }

    /// One body alone: its numbers are shown.
    lone() {
        const {state} = this.player.replay.frames[0], moving = [...state.keys()].filter((b) => state[b] === 1);
        this.player.few = moving.length > 0 && moving.length <= 3;
        this.player.options.picked = moving.length === 1 ? {stage: 0, sort: "body", number: moving[0]} : null;
    }

    frame(frame, rate) {
        if (!this.player) return;
        this.last = frame;
        this.steps = frame.step;
        if (frame.hash) this.hash = frame.hash;
        if (frame.shapes !== this.player.replay.shapes) this.feed.send({type: "stage"});
        else this.player.show(frame, rate);
        if (frame.row) this.series.push({...frame.row, ...this.player.extraRow()}), (this.fresh = true);
        if (frame.shapes !== this.player.replay.shapes) this.feed.send({type: "drawn"});
        if (frame.hash) this.foot();
    }

    stopped({reason, error}) {
        this.player.setPlaying(false);
        this.ended = reason;
        if (reason === "batch") report.batch = true;
        if (reason === "end") this.say("The end of the scene. ▶ runs on beyond it, ↺ starts again.");
        if (reason === "failed") {
            this.say("The run has stopped.");
            this.editor.mistake(error);
        }
    }

    refused({error}) {
        if (!this.player)
            document.getElementById("wait")?.replaceChildren("The scene has a mistake; its text stands below.");
        this.editor.mistake(error);
        this.sent = this.text, this.fresh_values = false; // that is what goes on
        this.say("A mistake: the scene that ran before continues.");
        report.refused = error;
        report.ready = true;
    }

    broken(text) {
        report.broken = text;
        this.pinged = 0; // no answer will come
        this.notice(/memory|allocat/i.test(text) ? "The browser has no more memory for this scene."
                                                 : `The simulation has stopped: ${text}`,
                    "Begin again");
    }

    plots() {
        if (!this.fresh || this.series.rows.length === 0) return;
        this.fresh = false;
        const runs = [{label: "now", prefix: "", series: this.series, timing: null}];
        if (this.before) runs.push({label: "before", prefix: "before: ", series: this.before, timing: null});
        if (!this.charts) this.charts = report.charts = new Charts(runs, null);
        this.charts.runs = runs;
        for (const entry of this.charts.plots) this.charts.fill(entry);
        const [plots, scene] = ["plots", "scene"].map((id) => document.getElementById(id));
        if (scene && plots.nextElementSibling !== scene) {
            const nav = document.getElementById("nav");
            plots.after(scene);
            nav.append(nav.querySelector("[href='#scene']"));
        }
    }

    say(text) {
        if (this.player) this.player.note.textContent = text;
    }

    headline() {
        document.getElementById("title").textContent = document.title = this.about.title || this.name;
        const lead = document.getElementById("lead") || make("p", {id: "lead"}),
              text = this.about.about || firstWords(this.text);
        lead.textContent = text;
        lead.hidden = text === "";
        document.querySelector("#replay h2").after(lead);
        this.foot();
    }

    foot() {
        document.getElementById("footer").textContent = `${this.name} · step ${this.about.step} s, ${
            this.about.scheme} · t = ${formatNumber(this.last ? this.last.time : 0, 6)} s, state ${this.hash} · scree ${
            this.about.version} (commit ${
            this.about.commit}), with libyaml (MIT licence, © Kirill Simonov, Ingy döt Net)`;
    }

    /// The scene with the values of the sliders in it, if any was moved; else the text.
    asRun() {
        if (!this.player || this.player.values.size === 0) return Promise.resolve(this.editor.area.value);
        return new Promise((resolve) => {
            this.resolve = resolve;
            this.feed.send({type: "text"});
        });
    }

    async save() { saveBlob(new Blob([await this.asRun()], {type: "text/yaml"}), this.name.replace(/^.*\//, "")); }
}

/// A line above everything.
function noticed(...parts) {
    const line = make("p", {class: "notice", role: "alert"}, ...parts);
    document.getElementById("main").before(line);
    return line;
}

/// The scene of a link; null: there is none. Damaged ones throw.
async function linkedScene() {
    const [, linked] = /^#scene=([\w-]+)/.exec(window.location.hash) || [];
    try {
        return linked ? await unpackText(linked) : null;
    } catch { throw new Error("The link is damaged or too long: no scene can be read from it."); }
}

async function startPlay(blocks, manifest) {
    const scene =
        {name: manifest.scene.name, text: await blocks.text(manifest.scene.text), sets: manifest.scene.sets, files: []};
    for (const {name, block} of manifest.scene.files) scene.files.push([name, await blocks.bytes(block)]);
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches ||
                 /[#&]paused/.test(window.location.hash);
    const live = report.live = new Play(scene, calm), linkFails = (error) => void noticed(error.message);
    const linked = await linkedScene().catch(linkFails);
    if (linked) live.text = live.sent = linked, live.sets = [];
    await live.start(blocks, manifest);
    live.editor.original = live.first.text;
    window.addEventListener("hashchange", async () => { // another link, in a page that is open
        const text = await linkedScene().catch(linkFails);
        if (!text) return;
        live.sets = [];
        live.editor.set(text);
        live.editor.run();
    });
}

async function start() {
    setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    if (typeof CompressionStream === "undefined" || typeof WebAssembly === "undefined")
        throw new Error("This browser cannot run the page: Chromium 80, Firefox 113 or Safari 16.4 can.");
    const blocks = new Blocks(document.getElementById("blocks").textContent);
    const manifest = JSON.parse(await blocks.text(0));
    document.getElementById("wait").textContent = "Starting …";
    listenKeys(LIVE_KEYS);
    document.documentElement.classList.add("live");
    if (manifest.kind === "watch") await startWatch(manifest);
    else await startPlay(blocks, manifest);
}

start().catch((error) => {
    report.error = String(error);
    document.getElementById("main").prepend(make("p", {class: "message fault"}, error.message));
});
