"""A report in a real browser: loads without an error, plays, is picked in, compares two runs, draws a sweep, keeps
hostile texts as texts.

    report_browser.py PATH_OF_scree [FOLDER]       FOLDER: screenshots go there

Needs Debian's chromium, chromium-driver and python3-selenium; exits with 77 where one of them is missing. WebGL runs in
software (swiftshader), so the scenes are small."""
import subprocess, sys

import browser
from browser import check, start, work
from selenium.webdriver.common.action_chains import ActionChains

# What the tests ask a page for, besides its own objects.
HELPERS = """
window.project = (point) => { // where a point in space is in the window, and how deep
    const p = report.player, c = mat.point(p.view.camera.matrix(p.canvas.width / p.canvas.height), point);
    const box = p.canvas.getBoundingClientRect(), inside = Math.abs(c[0]) < 0.98 && Math.abs(c[1]) < 0.98;
    return {x: box.left + (0.5 + 0.5 * c[0]) * box.width, y: box.top + (0.5 - 0.5 * c[1]) * box.height, depth: c[2], inside};
};
window.centre = (body) => Array.from(report.player.view.stages[0].x.slice(3 * body, 3 * body + 3));
window.colors = (stage) => { // how many different colours a stage shows, on a coarse grid
    const p = report.player, gl = p.view.gl, [x, y, w, h] = p.view.viewport(stage);
    const bytes = new Uint8Array(4 * w * h), seen = new Set();
    p.view.draw(p.options);
    gl.readPixels(x, y, w, h, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    for (let i = 0; i < w * h; i += 97)
        seen.add((bytes[4 * i] >> 3) * 1024 + (bytes[4 * i + 1] >> 3) * 32 + (bytes[4 * i + 2] >> 3));
    return seen.size;
};
"""
scree, shots = browser.arguments()


def run(*arguments):
    subprocess.run([scree, *arguments], check=True, capture_output=True)


class Page(browser.Page):
    def __init__(self, driver, path):
        super().__init__(driver, path, shots)
        self.js(HELPERS)

    def drawn(self):
        """Waits for a picture that is newer than now."""
        before = self.js("report.player.refresh(); return report.player.drawn || 0")
        self.wait(f"report.player.drawn > {before} && !report.player.waiting")

    def colors(self, stage=0):
        return self.js("return colors(arguments[0])", stage)


def replay(driver):
    page = Page(driver, work.name + "/pile/report.html")
    page.drawn()
    check("the picture is not empty", page.colors() > 60, page.colors())
    page.shot("pile")
    frames = page.js("return report.player.runs[0].replay.frames.length")
    check("all frames are there", frames == 31, frames)

    page.js("report.player.seek(report.player.start); report.player.toggle()")
    first = page.js("return report.player.time")
    check("time goes on by itself", page.wait(f"report.player.time > {first} + 0.02"))
    page.js("if (report.player.playing) report.player.toggle(); report.player.seek(0.2)")
    for key, frame in (("\ue014", 11), ("\ue014", 12), ("\ue012", 11), ("\ue010", 30)):  # right, right, left, end
        ActionChains(driver).send_keys(key).perform()
        page.drawn()
        found = page.js("return report.player.locate(report.player.runs[0].replay, report.player.time).frame")
        check(f"the key leads to frame {frame}", found == frame, found)
    picking(page, driver)
    colours(page)
    plots(page)
    page.log_is_clean("a run")


def picking(page, driver):
    """Every body whose middle is in front must be found where the camera projects it."""
    hits = page.js("""const p = report.player, s = p.view.stages[0], found = [];
        for (let b = 0; b < s.replay.bodies && found.length < 25; ++b) {
            const c = project(centre(b)), hit = s.state[b] === 1 && c.inside ? p.pickAt(c.x, c.y) : null;
            if (hit && hit.sort === "body")
                found.push([b, hit.number, s.state[hit.number] === 1 && project(centre(hit.number)).depth < c.depth]);
        }
        return found;""")
    right = sum(a == b for a, b, _ in hits)
    check("bodies are picked", len(hits) == 25 and right >= 8, hits)
    check("what is picked instead stands in front", all(a == b or front for a, b, front in hits), hits)

    page.js("report.player.options.picked = null")
    place = page.js("""const c = project(centre(arguments[0])), box = report.player.canvas.getBoundingClientRect();
        return [Math.round(c.x - box.left - box.width / 2), Math.round(c.y - box.top - box.height / 2)];""",
                    next(a for a, b, _ in hits if a == b))
    canvas = driver.find_element("css selector", ".stage canvas")
    ActionChains(driver).move_to_element_with_offset(canvas, *place).click().perform()
    page.drawn()
    text = page.js("return report.player.numbers.innerText")
    check("a click shows its numbers", "grain[" in text and "speed" in text, text)

    page.js("report.player.setForces('size'); Object.assign(report.player.options, {grains: 'hidden', picked: null})")
    page.drawn()
    contact = page.js("""const s = report.player.view.stages[0], force = s.contacts.value.normal_force;
        const c = project(s.contactPoint(force.indexOf(Math.max(...force))));
        return report.player.pickAt(c.x, c.y);""")
    page.drawn()
    text = page.js("return report.player.numbers.innerText")
    good = contact and contact["sort"] == "contact" and "normal force" in text
    check("a contact is picked", good, (contact, text))
    page.js("report.player.setForces('size'); Object.assign(report.player.options, {grains: 'glass', picked: null})")
    page.drawn()
    check("force chains are drawn", page.js("return report.player.view.stages[0].tubeCount") > 20)
    page.shot("forces")


def colours(page):
    for mode in ("speed", "spin", "size", "body", "contacts", "material", "plain"):
        page.js("report.player.setForces('off'); report.player.options.color = arguments[0]", mode)
        page.drawn()
        check(f"coloured by {mode}", page.colors() > 30, page.colors())
    page.js("report.player.setForces('modes'); setTheme('dark')")
    page.drawn()
    page.shot("modes_dark")
    check("modes have a legend", "stick" in page.js("return report.player.legend.innerText"))
    page.js("setTheme('light')")


def plots(page):
    drawn = page.js("""return report.charts.plots.filter((entry) => !entry.element.hidden && entry.plot.series.length).map((entry) => {
        const c = entry.plot.canvas, d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        return [entry.preset.title, d.filter((v, i) => i % 4 === 3 && v > 0).length, entry.plot.series.length]; })""")
    check("plots are drawn", len(drawn) >= 9 and all(ink > 500 and lines > 0 for _, ink, lines in drawn), drawn)
    page.js("const s = document.getElementById('column'); s.value = 'slide[J]'; s.dispatchEvent(new Event('change'))")
    check("any column can be added", page.js("return report.charts.own.plot.series.map((s) => s.name).includes('slide')"))


def shapes(driver):
    """Every kind of shape is drawn with the solid colour of its body at its place."""
    page = Page(driver, work.name + "/shapes/report.html")
    page.js("report.player.seek(report.player.start)")
    page.drawn()
    kinds = page.js("return [...new Set(report.player.view.stages[0].group.map((g) => g.kind))].sort((a, b) => a - b)")
    check("all kinds are there", kinds == list(range(11)), kinds)
    missed = page.js("""const p = report.player, s = p.view.stages[0], box = p.canvas.getBoundingClientRect(), missed = [];
        for (let b = 0; b < s.replay.bodies; ++b) {
            if (s.state[b] !== 1) continue;
            p.view.camera.target = centre(b), p.view.camera.distance = 30 * s.reach[b];
            const hit = p.pickAt(box.left + box.width / 2, box.top + box.height / 2);
            if (!hit || hit.number !== b) missed.push([b, hit]);
        }
        return missed;""")
    check("each is found in the middle of the view that aims at it", not missed, missed)
    page.js("report.player.home()")
    page.drawn()
    page.shot("shapes")
    page.log_is_clean("shapes")


def joints(driver):
    """The marks of joints stand where hinges are fixed to the ground, and go with the key J."""
    page = Page(driver, work.name + "/bars/report.html")
    page.js("report.player.seek(0.4)")
    page.drawn()
    page.shot("joints")
    red = """const p = report.player, gl = p.view.gl, ratio = p.canvas.width / p.canvas.clientWidth, pixel = new Uint8Array(4);
        p.view.draw(p.options);
        return [[0, 0, 0], [0.3, 0, 0]].map((point) => {
            const c = project(point), box = p.canvas.getBoundingClientRect();
            gl.readPixels((c.x - box.left) * ratio, p.canvas.height - (c.y - box.top) * ratio, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
            return pixel[0] > 2 * pixel[1] && pixel[2] > 1.3 * pixel[1];
        });"""
    check("hinges are marked", page.js(red) == [True, True], page.js(red))
    ActionChains(driver).send_keys("j").perform()
    page.drawn()
    check("the key J hides them", page.js(red) == [False, False], page.js(red))
    page.log_is_clean("joints")


def compare(driver):
    page = Page(driver, work.name + "/pile/compare.html")
    page.drawn()
    check("two stages", page.js("return report.player.view.stages.length") == 2)
    for k in (0, 1):
        check(f"run {'AB'[k]} is drawn", page.colors(k) > 40, page.colors(k))
    check("differences are marked", page.js("return document.querySelectorAll('#summary .differs').length") > 3)
    page.shot("compare")
    page.log_is_clean("two runs")


def several(driver):
    """Three runs on a phone: each caption in its own view, named by what differs, whatever words the scene has besides."""
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    page = Page(driver, work.name + "/ball/compare.html")
    page.drawn()
    labels = page.js("return report.player.runs.map((run) => run.label)")
    check("runs are named by what differs", labels == ["rolling 40 mm", "rolling 20 mm", "rolling 60 mm"], labels)
    width = page.js("return document.documentElement.scrollWidth")
    check("no wider than the phone", width <= 390, width)
    inside = page.js("""const p = report.player, box = p.canvas.getBoundingClientRect(), scale = p.canvas.width / box.width;
        return p.runs.map((run, k) => {
            const [x, y, w, h] = p.view.viewport(k), c = run.caption.getBoundingClientRect();
            const left = box.left + x / scale, top = box.bottom - (y + h) / scale;
            return c.left >= left && c.right <= left + w / scale && c.top >= top && c.bottom <= top + h / scale;
        });""")
    check("captions are in their views", inside == [True] * 3, inside)
    for k in range(3):
        check(f"run {'ABC'[k]} is drawn on a phone", page.colors(k) > 20, page.colors(k))
    page.shot("phone")
    page.log_is_clean("three runs")
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def sweep(driver):
    page = Page(driver, work.name + "/sweep/report.html")
    cells = page.js("return report.sweep.picture.cells.map((c) => c.value)")
    check("a heat map of 12 cells", len(cells) == 12 and all(isinstance(v, (int, float)) for v in cells), cells)
    page.shot("sweep")
    page.js("report.sweep.axes = [report.sweep.inputs[0], '']; report.sweep.draw()")
    lines = page.js("return report.sweep.picture.series.map((s) => s.x.length)")
    check("lines over one input", lines == [4, 4, 4], lines)
    page.log_is_clean("a sweep")
    page = Page(driver, work.name + "/bench/report.html")
    lines = page.js("return report.bench.plot.series.map((s) => s.y.at(-1))")
    check("performance profiles", len(lines) == 2 and max(lines) == 1, lines)
    page.shot("profiles")
    page.log_is_clean("a measurement")


def hostile(driver):
    page = Page(driver, work.name + "/hostile/report.html")
    check("a hostile scene runs nothing", page.js("return window.hacked") is None)
    elements = page.js("return Array.from(document.querySelectorAll('img, svg, iframe, script'), (e) => e.tagName)")
    check("and makes no element", elements == ["SCRIPT", "SCRIPT"], elements)
    title = page.js("return document.getElementById('title').textContent")
    check("its title is text", title.startswith("</script><script>window.hacked = 2"), title)
    page.log_is_clean("a hostile scene")


def main():
    pile = ["run", "examples/pile.yaml", "--quiet", "--set", "run.until=600 ms", "--set", "output.every=20 ms", "-o"]
    run(*pile, work.name + "/pile")
    run(*pile, work.name + "/flat", "--set", "materials.gravel.rolling=0", "--set", "materials.gravel.spinning=0")
    run("sweep", "examples/ball.yaml", "--quiet", "--set", "run.until=50 ms", "--vary",
        "materials.stone.rolling=1 mm:9 mm:4", "--vary", "materials.stone.friction=0.1:0.4:3", "-o", work.name + "/sweep")
    run("generate", "pile", work.name + "/problem.dat", "--grains", "10")
    run("bench", "solve", work.name + "/problem.dat", "--solvers", "nsgs,apgd", "--tols", "1e-4", "--repeat", "1",
        "--curves", "-o", work.name + "/bench")
    run("run", "tests/scenes/all-shapes.yaml", "--quiet", "-o", work.name + "/shapes")
    run("run", "tests/scenes/hostile.yaml", "--quiet", "-o", work.name + "/hostile")
    run("run", "examples/four-bar.yaml", "--quiet", "--until", "0.5", "-o", work.name + "/bars")
    for name, settings in (("ball", []), ("ball20", ["--set", "materials.stone.rolling=20 mm"]), ("ball60", ["--set", "materials.stone.rolling=60 mm"])):
        run("run", "examples/ball.yaml", "--quiet", "-o", f"{work.name}/{name}", *settings)
    for folders in (["pile"], ["pile", "flat"], ["ball", "ball20", "ball60"], ["shapes"], ["bars"], ["sweep"], ["bench"], ["hostile"]):
        run("report", *(f"{work.name}/{folder}" for folder in folders))
    driver = start()
    try:
        for part in (replay, shapes, joints, compare, several, sweep, hostile):
            part(driver)
    finally:
        driver.quit()
    return browser.ended("report_browser")


sys.exit(main())
