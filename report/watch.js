// watch.js: the page that `scree run --watch` serves: what a run elsewhere sends is drawn and plotted as it comes.
//
// The page asks for the newest frame, draws it, and asks again: the run keeps one frame for all viewers, and a slow one only sees fewer. Rows
// of the plots come with the frames; those from before the page was opened are asked for once. Every request carries the token of the link.
"use strict";

class WatchFeed {
    constructor(receive) {
        this.token = new URLSearchParams(window.location.search).get("token") || "";
        this.receive = receive;
        this.contacts = 0;
        this.seen = 0;
        this.shapes = -1;
    }

    url(path, values = {}) { return `${path}?${new URLSearchParams({token: this.token, ...values})}`; }

    async bytes(path, values) {
        const response = await fetch(this.url(path, values), {cache: "no-store"});
        if (!response.ok) throw new Error(`${response.status}`);
        return {buffer: await response.arrayBuffer(), state: JSON.parse(response.headers.get("X-Scree") || "{}")};
    }

    async ask(path, values) { return JSON.parse(new TextDecoder().decode((await this.bytes(path, values)).buffer)); }

    /// Asks for the newest frame after the one that was seen, for as long as the page is open.
    async listen() {
        for (let failed = 0; failed < 5;) {
            try {
                const {buffer, state} = await this.bytes("frame", {after: this.seen, contacts: this.contacts});
                failed = 0;
                if (state.frame > this.seen) {
                    this.seen = state.frame;
                    await this.receive(readMessage(buffer), state);
                } else await this.receive(null, state);
                if (state.phase === "ended") return;
            } catch {
                ++failed;
                await new Promise((done) => setTimeout(done, 500));
            }
        }
        await this.receive(null, {phase: "lost"});
    }

    /// What the player says of its own; here the run is asked to pause and go on, and contacts are asked for where they are drawn.
    send(message) {
        if (message.type === "watch") this.contacts = message.value ? 1 : 0;
        if (message.type === "play") this.control(message.on ? "resume" : "pause");
    }

    async control(action) {
        try {
            await fetch(this.url("control", {action}), {method: "POST"});
        } catch { /* the listener says that the run is gone */
        }
    }
}

class Watch {
    constructor() {
        this.grabs = false;
        this.series = new LiveSeries();
        this.feed = new WatchFeed((frame, state) => this.receive(frame, state));
    }

    async start() {
        this.about = await this.feed.ask("about");
        for (const row of await this.feed.ask("rows")) this.series.push(row);
        this.text = make("pre", {}, this.about.scene);
        await this.feed.listen();
    }

    async receive(frame, state) {
        if (frame && (!this.player || frame.shapes !== this.player.replay.shapes)) { // while grains are poured
            if (!this.held || this.held.shapes !== frame.shapes)
                this.held = readMessage((await this.feed.bytes("stage")).buffer);
            if (this.held.shapes === frame.shapes) this.stage = new LiveReplay(this.held, frame);
            else frame = null; // the stage is newer: the next frame will fit
        }
        if (frame && frame.row) this.series.push(frame.row), (this.fresh = true);
        if (frame && !this.player) this.build();
        else if (frame && this.stage) this.player.stageIs(this.stage);
        this.stage = null;
        if (frame) this.last = frame, this.player.show(frame, 0);
        if (this.player) this.told(state);
    }

    build() {
        document.getElementById("wait")?.remove();
        this.player = report.player = new WatchPlayer(
            {kind: "run", replay: this.stage, label: "run", about: this.about}, this.feed, this);
        document.getElementById("title").textContent = document.title = this.about.title || this.about.folder;
        this.charts = report.charts = new Charts([{label: "run", series: this.series, timing: null}], null);
        section("Scene", "scene", make("div", {class: "scroll"}, sceneText(this.about.scene)));
        setInterval(() => {
            if (this.fresh) this.charts.plots.forEach((entry) => this.charts.fill(entry));
            this.fresh = false;
        }, 700);
        report.ready = true;
    }

    say(text) { this.player.note.textContent = text; }

    told({phase, wall = 0, hash = "", viewers = 1}) {
        const words = {running: "running", paused: "paused", ended: "the run has ended", lost: "the run is gone"};
        if (this.phase !== phase) this.player.setPlaying(phase === "running");
        this.phase = phase;
        if (phase === "ended" || phase === "lost") // nobody listens any more
            for (const id of ["play", "stop"]) document.getElementById(id).disabled = true;
        this.player.note.textContent = `${words[phase] || phase}${wall ? `, ${formatNumber(wall, 3)} s of clock` : ""}${
            viewers > 1 ? `, ${viewers} viewers` : ""}`;
        if (hash) report.hash = hash;
        document.getElementById("footer").textContent = `${this.about.folder} · ${this.about.scheme}, step ${
            this.about.step} s${hash ? ` · hash ${hash}` : ""} · scree ${this.about.version}`;
    }
}

/// The player of a run elsewhere: it can pause the run and let it go on, and stop it; its values are what they are.
class WatchPlayer extends LivePlayer {
    heading() { return "Run"; }

    bar() {
        const bar = super.bar();
        for (const id of ["reset", "step"]) bar.querySelector(`#${id}`).remove();
        this.speed.parentElement.remove();
        bar.append(make("button", {
            id: "stop",
            title: "stops the run, with a checkpoint: scree run --resume continues it",
            onclick: () => window.confirm("Stop the run? A checkpoint is written.") && this.feed.control("stop")
        },
                        "stop"));
        return bar;
    }

    side() {
        const side = super.side();
        side.firstChild.textContent = "State";
        this.sliders.remove();
        return side;
    }

    setSliders() {}
    step() {}
    restart() {}
}

async function startWatch() {
    report.live = new Watch();
    await report.live.start();
}
