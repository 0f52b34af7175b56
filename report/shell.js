// shell.js: what every page has around its sections: theme, keys. `report` is what a test looks at.
"use strict";

const report = {
    ready: false,
    error: null
};

const LETTERS = "ABCDEF"; // several runs in one page

function setTheme(name) {
    document.documentElement.dataset.theme = name;
    for (const draw of themed) draw();
    if (report.charts) report.charts.plots.forEach((entry) => report.charts.fill(entry));
}

function listenKeys(keys) {
    const dialog = document.getElementById("keys");
    dialog.append(make("h2", {}, "Keys"),
                  make("dl", {class: "numbers"},
                       ...keys.flatMap(([key, what]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, what)])));
    const flip = () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    document.getElementById("theme").addEventListener("click", flip);
    document.getElementById("help").addEventListener("click", () => dialog.showModal());
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.altKey || event.metaKey ||
            ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName) || dialog.open)
            return;
        if (event.target.tagName === "BUTTON" && event.key === " ") return;
        if (event.key === "t") flip();
        else if (event.key === "?") dialog.showModal();
        else if (!report.player || !report.player.key(event)) return;
        event.preventDefault();
    });
}
