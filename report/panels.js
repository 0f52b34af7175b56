// panels.js: the sections that are read: summary, scene, verification.
"use strict";

/// summary.json as rows of [name, value], inner objects as "energy.kinetic".
function flatten(value, prefix = "") {
    return Object.entries(value).flatMap(
        ([key, v]) => (v !== null && typeof v === "object" ? flatten(v, `${prefix}${key}.`) : [[prefix + key, v]]));
}

function summarySection(runs) {
    const tables = runs.map((run) => new Map(run.summary ? flatten(run.summary) : [])),
          names = [...new Set(tables.flatMap((table) => [...table.keys()]))];
    if (names.length === 0) {
        section("Summary", "summary",
                make("p", {class: "hint"}, "The run has no summary.json: it has not ended yet, or was stopped."));
        return;
    }
    const clock = (name) => name.startsWith("seconds.");
    const rows = names.map((name) => {
        const values = tables.map((table) => table.get(name)), differ = values.some((v) => v !== values[0]);
        return [
            {text: name, class: differ && !clock(name) ? "differs" : ""},
            ...values.map((v) => (typeof v === "number" ? v : String(v ?? "–")))
        ];
    });
    section(
        "Summary", "summary",
        tableOf(["", ...runs.map((run, k) => (runs.length > 1 ? `${LETTERS[k]}: ${run.label}` : run.folder))], rows));
}

/// YAML with comments and keys told apart. Only spans are made: the text stays text.
function sceneText(text) {
    const pre = make("pre");
    for (const line of text.split("\n")) {
        const [, before, key, rest, comment] = /^(\s*(?:- )?)((?:[\w.+-]+)(?=:))?([^#]*)(#.*)?$/.exec(line) ||
                                               [null, "", null, line, null];
        pre.append(before, key ? make("span", {class: "name"}, key) : "", rest,
                   comment ? make("span", {class: "comment"}, comment) : "", "\n");
    }
    return pre;
}

function sceneSection(runs) {
    const texts = runs.filter((run) => run.scene);
    if (texts.length === 0) return;
    section(
        "Scene", "scene",
        make("div", {class: "columns"},
             ...texts.map((run, k) => make(
                              "div", {},
                              runs.length > 1 ? make("h3", {}, `${LETTERS[k]}: ${run.label} (${run.folder})`) : null,
                              make("div", {class: "scroll"}, sceneText(run.scene))))));
}

function verifySection(runs) {
    const run = runs.find((r) => r.verify);
    if (!run) return;
    const rows = run.verify.checks.map(
        (c) => [c.name, c.source ?? NaN, c.scree ?? NaN, c.unit, c.error ?? NaN, c.bound ?? NaN,
                {text: c.missed ? `missed: ${c.missed}` : c.status, class: c.status === "failed" ? "bad" : "good"}]);
    section("Verification", "verify",
            make("p", {class: "hint"},
                 `scree verify: ok ${run.verify.ok}, missed ${run.verify.missed}, failed ${run.verify.failed}.`),
            tableOf(["check", "source", "scree", "", "error", "bound", "status"], rows));
}
