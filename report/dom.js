// dom.js: elements. Text goes in as text, never as HTML: a name from a scene cannot become a tag.
"use strict";

/// make("div", {class: "x", onclick: f}, child, "text", ...)
function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (value === true) element.setAttribute(name, "");
        else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
}

/// A choice among [value, label] pairs; `set(value)` is called when another one is taken.
function choice(pairs, value, set) {
    const select = make("select", {onchange: () => set(select.value)},
                        ...pairs.map(([v, label]) => make("option", {value: v}, label)));
    select.value = value;
    return select;
}

function section(title, id, ...children) {
    document.getElementById("nav").append(make("a", {href: `#${id}`}, title));
    const element = make("section", {id}, make("h2", {}, title), ...children);
    document.getElementById("main").append(element);
    return element;
}

/// Rows of cells; a cell is a text, a number, or {text, class}.
function tableOf(head, rows) {
    const cell = (value) => {
        if (typeof value === "number") return make("td", {class: "number"}, formatNumber(value, 6));
        if (value && value.text !== undefined) return make("td", {class: value.class}, value.text);
        return make("td", {}, value ?? "");
    };
    return make("div", {class: "scroll"},
                make("table", {}, make("thead", {}, make("tr", {}, ...head.map((h) => make("th", {}, h)))),
                     make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell))))));
}

/// Calls `draw` when the width of the element or the theme changes.
const themed = [];
function redrawn(element, draw) {
    themed.push(draw);
    new ResizeObserver(() => draw()).observe(element);
}

/// Hands a file to the reader of the page.
function saveBlob(blob, name) {
    const link = make("a", {href: URL.createObjectURL(blob), download: name});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    report.saved = {name, size: blob.size, blob}; // what a test looks at
}
