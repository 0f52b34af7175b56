// colors.js: numbers to colours. Scales run from dark to bright with even steps of lightness, so that they survive grey printing and
// the common forms of colour blindness; the colours of lines and of contact modes are told apart by these eyes too.
"use strict";

function parseColor(hex) { return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255); }

/// A scale as a function of 0 .. 1; it hands out one of 256 colours made once.
function makeScale(stops) {
    const colors = stops.map(parseColor), last = colors.length - 1, table = [];
    for (let i = 0; i < 256; ++i) {
        const at = (i / 255) * last, k = Math.min(Math.floor(at), last - 1), f = at - k;
        table.push([0, 1, 2].map((j) => colors[k][j] * (1 - f) + colors[k + 1][j] * f));
    }
    return (t) => table[t > 0 ? (t < 1 ? Math.round(255 * t) : 255) : 0];
}

const SCALES = {
    sea: makeScale(["#4a5ba8", "#3d7fb8", "#38a3a5", "#62c07c", "#c4d84e", "#fdeb6a"]),
    fire: makeScale(["#5b3a78", "#8f3d80", "#c9455f", "#ec7345", "#fbb144", "#fdee9a"]),
    motion: makeScale(
        ["#d5cfc2", "#e0bd7d", "#ea9c45", "#dd6a35", "#b53a4d", "#722258"]), // at rest like stone; even steps down
    heat: makeScale(["#30123b", "#3e4c9a", "#2b8fb0", "#4fbf8b", "#bcd74f", "#fde45b"]),
};

const LINE_COLORS = {
    light: [
        "#0b6fb8", "#d1540a", "#16865c", "#b02a7c", "#7a5c00", "#6a4bc4", "#3d7d86", "#a33131", "#5a6b1f", "#53565c",
        "#c07d00", "#1c4f9c"
    ],
    dark: [
        "#58b2f2", "#f59355", "#4cc796", "#f07dbd", "#d9bd4a", "#aa93f5", "#74c2cc", "#f08080", "#b3c765", "#b4b8bf",
        "#ffc14f", "#8db4ff"
    ],
};

/// What a contact does, from its mode (the order of scree_mode): a bit each for sliding, rolling, spinning.
const MODE_NAMES = [
    "take_off", "stick", "slide", "roll", "slide+roll", "spin_plus", "slide+spin_plus", "roll+spin_plus",
    "slide+roll+spin_plus", "spin_minus", "slide+spin_minus", "roll+spin_minus", "slide+roll+spin_minus"
];
const MODE_GROUPS = [
    {name: "stick", color: "#4a8fe0"},
    {name: "slide", color: "#f0803c"},
    {name: "roll", color: "#3fb56f"},
    {name: "slide, roll", color: "#e3c23a"},
    {name: "spin", color: "#a678e8"},
    {name: "slide, spin", color: "#ee6a96"},
    {name: "roll, spin", color: "#45c4c4"},
    {name: "slide, roll, spin", color: "#d8483e"},
    {name: "no force", color: "#8a8f98"},
];
const MODE_COLORS = MODE_GROUPS.map((group) => parseColor(group.color));
const modeGroup = (mode) => (mode < 1 ? 8 : ((mode - 1) & 3) + (mode > 4 ? 4 : 0));

/// Colours of bodies: hues a golden angle apart.
function bodyColor(number) {
    const hue = (number * 0.61803398875) % 1;
    return [0, 1, 2].map((k) => {
        const t = (hue + k / 3) % 1, wave = 0.5 + 0.5 * Math.cos(2 * Math.PI * t);
        return 0.36 + 0.52 * wave;
    });
}

const cssColor = (c) => `rgb(${c.map((x) => Math.round(255 * x)).join(",")})`;
