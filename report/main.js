// main.js: reads the manifest, unpacks, builds the sections.
"use strict";

function parseOr(text, fallback) {
    try {
        return JSON.parse(text);
    } catch { return fallback; }
}

/// The texts of a source, by name of file.
async function textsOf(blocks, source) {
    const texts = {};
    for (const [name, block] of Object.entries(source.texts)) texts[name] = await blocks.text(block);
    return texts;
}

/// The title that a scene has.
function titleOf(scene) {
    const [, title] = /^title:\s*(.*?)\s*$/m.exec(scene) || [];
    return title ? title.replace(/^(["'])(.*)\1$/, "$2") : "";
}

async function loadRun(blocks, source, progress) {
    const texts = await textsOf(blocks, source),
          run = {kind: "run", folder: source.folder, title: source.folder, replay: null};
    run.series = parseCsv(texts["series.csv"] || "");
    run.timing = texts["timing.csv"] ? parseCsv(texts["timing.csv"]) : null;
    run.summary = texts["summary.json"] ? parseOr(texts["summary.json"], null) : null;
    run.verify = texts["verify.json"] ? parseOr(texts["verify.json"], null) : null;
    run.scene = texts["scene.yaml"] || "";
    run.title = (run.summary && run.summary.title) || titleOf(run.scene) || source.folder;
    if (source.replay && source.replay.pose.length > 0) {
        run.replay = new Replay(blocks, source.replay);
        run.replay.body_names = JSON.parse(await blocks.text(source.replay.names));
        await run.replay.load(progress);
    }
    return run;
}

async function loadSource(blocks, source, progress) {
    if (source.kind === "run") return loadRun(blocks, source, progress);
    const texts = await textsOf(blocks, source),
          out = {kind: source.kind, folder: source.folder, title: source.folder, scene: texts["scene.yaml"] || ""};
    if (source.kind === "bench") out.title = `Solvers compared: ${source.folder}`;
    if (titleOf(out.scene)) out.title = `${titleOf(out.scene)}: ${source.kind}`;
    if (source.kind === "sweep")
        (out.index = parseCsv(texts["index.csv"])), (out.definition = texts["sweep.txt"]),
            (out.replays = source.replays);
    if (source.kind === "bench") {
        out.solve = parseCsv(texts["solve.csv"]);
        out.curves = Object.keys(texts)
                         .filter((name) => name.startsWith("curve-"))
                         .map((name) => [name.slice(6, -4), parseCsv(texts[name])]);
    }
    return out;
}

/// The values of a scene in their order: ["rolling", "20 mm"], ...
function sceneValues(text) {
    const plain = text.replace(/"(?:[^"\\]|\\.)*"/g,
                               (quoted) => quoted.replace(/[:,{}[\]\n#]/g, " ")) // a text is one value
                      .replace(/#.*$/gm, "")
                      .replace(/^(play|title|description):.*\n(?:[ \t].*\n|\n)*/gm, ""); // words about the scene
    // values alone, on the line of their key: maps are written in braces or in lines below, as a run with --set writes them
    return [...plain.matchAll(/([\w.-]+):[ \t]+([^\s,{}[\]:][^,{}[\]\n:]*|\[[^\]{}]*\])/g)].map(
        ([, key, value]) => [key, value.trim()]);
}

/// What differs between runs of one scene, "rolling 20 mm", one text a run; null: they are different scenes, or the same.
function differences(scenes) {
    const values = scenes.map(sceneValues), first = values[0], MOST = 3;
    if (values.some((v) => v.length !== first.length || v.some(([key], k) => key !== first[k][0]))) return null;
    const at = first.map((_, k) => k).filter((k) => values.some((v) => v[k][1] !== first[k][1]));
    if (at.length === 0 || at.length > MOST) return null;
    const labels = values.map((v) => at.map((k) => `${v[k][0]} ${v[k][1]}`).join(", "));
    return new Set(labels).size === labels.length ? labels : null;
}

/// Titles where they differ; else what differs in the scenes; else the folders, by their last part where that is enough.
function labelSources(sources) {
    const last = (folder) => folder.replace(/\/+$/, "").split("/").at(-1),
          distinct = (texts) => new Set(texts).size === texts.length;
    const titles = sources.map((source) => source.title), parts = sources.map((source) => last(source.folder));
    const said = sources.length > 1 ? differences(sources.map((source) => source.scene || "")) : null;
    sources.forEach((source, k) => {
        source.label = distinct(titles) ? titles[k] : said ? said[k] : distinct(parts) ? parts[k] : source.folder;
    });
}

function buildSections(sources) {
    const runs = sources.filter((source) => source.kind === "run"), replays = runs.filter((run) => run.replay);
    if (replays.length > 0) report.player = new Player(replays);
    if (runs.length > 0) {
        report.charts = new Charts(runs, report.player && report.player.view ? report.player : null);
        if (report.player && report.player.view) report.player.seek(report.player.end);
        summarySection(runs);
    }
    for (const source of sources) {
        if (source.kind === "sweep") report.sweep = new Sweep(source);
        if (source.kind === "bench") report.bench = new Bench(source);
    }
    sceneSection(sources);
    verifySection(runs);
}

async function start() {
    const wait = document.getElementById("wait");
    setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    if (typeof DecompressionStream === "undefined")
        throw new Error(
            "This browser cannot unpack the report (it has no DecompressionStream): Chromium 80, Firefox 113 or Safari 16.4 can.");
    const blocks = new Blocks(document.getElementById("blocks").textContent),
          manifest = JSON.parse(await blocks.text(0)), sources = [];
    for (const source of manifest.sources)
        sources.push(await loadSource(
            blocks, source, (part) => (wait.textContent = `Unpacking ${source.folder}: ${Math.round(100 * part)} %`)));
    report.sources = sources;
    labelSources(sources);
    const title = [...new Set(sources.map((source) => source.title))].join(" | ");
    document.getElementById("title").textContent = document.title = title;
    wait.remove();
    buildSections(sources);
    listenKeys(KEYS);
    const hashes = sources.map((source) => source.summary && source.summary.hash).filter(Boolean);
    document.getElementById("footer").textContent = `${sources.map((s) => s.folder).join(", ")}${
        hashes.length ? ` · hash ${hashes.join(", ")}`
                      : ""} · report by scree ${manifest.version} (commit ${manifest.commit})`;
    report.ready = true;
}

start().catch((error) => {
    report.error = String(error);
    document.getElementById("main").replaceChildren(make("p", {class: "message fault"}, error.message));
});
