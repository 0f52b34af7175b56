"""A scene that runs in a page: sliders change the physics, mistakes are shown as the command shows them, hostile scenes stay texts, the state
has the hash it has outside, nothing grows.

    play_browser.py PATH_OF_scree [FOLDER]       FOLDER: screenshots go there"""
import base64, json, math, os, subprocess, sys, time, zlib

import browser
from browser import Page, check, start, work

scree, shots = browser.arguments()


def play(scene, name):
    path = f"{work.name}/{name}.html"
    done = subprocess.run([scree, "play", scene, "-o", path], capture_output=True, text=True)
    if done.returncode == 4:
        print("skipped: a build without WebAssembly")
        sys.exit(77)
    check(f"{name}: under 3 MB", os.path.getsize(path) < 3e6, os.path.getsize(path))
    return path


def until(page, seconds):
    """Runs as fast as it can to a time, from the start."""
    page.js("report.live.ended = ''; if (report.player) clearTimeout(report.player.changing); report.live.load({keep: false, play: false})")
    page.wait("report.live.steps === 0")
    page.js("report.live.feed.send({type: 'run', until: arguments[0]})", seconds)
    check(f"runs to {seconds} s", page.wait("report.live.ended === 'time'"), page.js("return report.live.ended"))


def sliders(driver):
    page = Page(driver, play("examples/ball.yaml", "ball") + "#paused", shots)
    U, R, g, h = 2.5, 0.5, 9.81, 0.005
    for rho in (20, 40, 100):  # mm
        page.js("""const s = document.querySelector("[data-set='materials.stone.rolling']");
            s.value = arguments[0]; s.dispatchEvent(new Event("input"))""", rho)
        value = float(page.js("return document.querySelector(\"[data-set='materials.stone.rolling']\").value"))
        until(page, 12)
        way = page.js("return report.player.replay.frames[0].x[3]")
        theory = U**2 / (2 * 5 / 7 * (1e-3 * value / R) * g)
        # a step of 5 ms moves the start of braking by at most one step's way
        check(f"rho {value:.1f} mm: the ball comes to rest after {way:.4f} m, theory {theory:.4f} m", abs(way - theory) < U * h)
    page.js("document.querySelector('#replay').scrollIntoView(); report.player.refresh()")
    time.sleep(2)
    page.shot("ball")
    page.log_is_clean("ball")
    return page


FOUR = """scree: 1
title: Four bodies, a slider for each value
materials: {stone: {density: 2500 kg/m^3, friction: 0.3, rolling: 5 mm, spinning: 5 mm, restitution: 0.5}}
bodies:
  - {name: floor, shape: {plane: {}}}
  - {name: roller, shape: {sphere: {radius: 0.1 m}}, position: [0, 0, 0.1 m], velocity: [2 m/s, 0, 0], spin: [0, 20 rad/s, 0]}
  - {name: slider, shape: {box: {size: [0.4 m, 0.4 m, 0.1 m]}}, position: [0, 2 m, 0.05 m], velocity: [2 m/s, 0, 0]}
  - {name: spinner, shape: {sphere: {radius: 0.1 m}}, position: [0, 4 m, 0.1 m], spin: [0, 0, 30 rad/s]}
  - {name: faller, shape: {sphere: {radius: 0.1 m}}, position: [0, 6 m, 0.6 m]}
stepper: {step: 1 ms}
run: {until: 10 s}
"""


def each_slider(driver):
    """The six sliders that every scene has: what the bodies do with their values, against closed forms. Positions and speeds are those of
    t, one step off at most where a motion begins."""
    with open(work.name + "/four.yaml", "w") as f:
        f.write(FOUR)
    page = Page(driver, play(work.name + "/four.yaml", "four") + "#paused", shots)
    R, v, spin, fall, h, t = 0.1, 2.0, 30.0, 0.5, 1e-3, 0.5
    stone = "materials.stone."
    given = {stone + "friction": 0.3, stone + "rolling": 5.0, stone + "spinning": 5.0, stone + "restitution": 0.5, "gravity": 9.81,
             "slope": 0.0}
    there = page.js("return [...document.querySelectorAll('[data-set]')].map((e) => e.dataset.set)")
    check("six sliders", sorted(there) == sorted(given), there)

    def values(**changed):
        wanted = dict(given, **{(stone + k if k not in given else k): x for k, x in changed.items()})
        for name, value in wanted.items():
            page.js("""const s = document.querySelector(`[data-set='${arguments[0]}']`);
                s.value = arguments[1]; s.dispatchEvent(new Event("input"))""", name, value)
        until(page, t)
        x, velocity, turning = page.js("const f = report.player.replay.frames[0]; return [f.x, f.velocity[0], f.spin].map((a) => Array.from(a))")
        return {name: {"x": x[3 * b], "z": x[3 * b + 2], "v": velocity[b], "spin": turning[b]}
                for name, b in (("roller", 1), ("slider", 2), ("spinner", 3), ("faller", 4))}

    def near(what, found, theory, width):
        check(f"{what}: {found:.5f}, theory {theory:.5f}", abs(found - theory) <= width, width)

    for mu in (0.1, 0.25):
        near(f"friction {mu}: speed of the sliding box", values(friction=mu)["slider"]["v"], v - mu * 9.81 * t, 2 * mu * 9.81 * h)
    for rho in (2.0, 8.0):  # mm
        a = 5 / 7 * 1e-3 * rho / R * 9.81
        near(f"rolling friction {rho} mm: speed of the rolling ball", values(rolling=rho)["roller"]["v"], v - a * t, 2 * a * h)
    for s in (2.0, 8.0):  # mm
        a = 1e-3 * s * 9.81 / (0.4 * R * R)
        near(f"spinning friction {s} mm: spin of the spinning ball", values(spinning=s)["spinner"]["spin"], spin - a * t, 2 * a * h)
    for e in (0.3, 0.8):
        impact = math.sqrt(2 * fall / 9.81)  # seconds; then up with e g impact
        up = t - impact
        near(f"restitution {e}: height of the ball that fell", values(restitution=e)["faller"]["z"] - R,
             e * 9.81 * impact * up - 9.81 * up * up / 2, 4 * 9.81 * impact * h)
    for g in (3.0, 12.0):
        near(f"gravity {g}: speed of the sliding box", values(gravity=g)["slider"]["v"], v - 0.3 * g * t, 2 * 0.3 * g * h)
    for angle in (2.0, 6.0):
        found = values(slope=angle)
        g, down = 9.81 * math.cos(math.radians(angle)), 9.81 * math.sin(math.radians(angle))
        near(f"slope {angle} degrees: speed of the sliding box", found["slider"]["v"], v + (down - 0.3 * g) * t, 2 * 9.81 * h)
        a = 5 / 7 * (down - 5e-3 / R * g)
        near(f"slope {angle} degrees: speed of the rolling ball", found["roller"]["v"], v + a * t, 2 * 9.81 * h)
    page.log_is_clean("each slider")


def mistakes(page):
    text = open("examples/ball.yaml").read().replace("friction: 0.2", "frictoin: 0.2")
    with open(work.name + "/ball.yaml", "w") as f:
        f.write(text)
    said = subprocess.run([scree, "check", work.name + "/ball.yaml"], capture_output=True, text=True).stderr.replace(work.name + "/", "")
    page.js("report.refused = null; report.live.editor.set(arguments[0]); report.live.editor.run()", text)
    page.wait("report.refused")
    shown = page.js("return report.live.editor.message.textContent")
    check("a mistake is shown as the command shows it", shown.strip() == said.strip(), (shown, said))
    check("and the scene that ran goes on", page.js("return report.live.last.time") > 0)
    page.js("document.querySelector('.mistake').scrollIntoView({block: 'center'}); report.player.refresh()")
    time.sleep(1)
    page.shot("mistake")
    lines = shown.strip().split("\n")
    check("line, column and caret", len(lines) == 3 and lines[2].index("^") == lines[1].index("frictoin"), lines)
    # a slider still acts on the scene that ran, not on the text with the mistake
    page.js("""report.refused = null; const s = document.querySelector("[data-set='materials.stone.rolling']");
        s.value = 50; s.dispatchEvent(new Event("input"))""")
    time.sleep(1)
    page.js("report.as_run = null; report.live.asRun().then((text) => (report.as_run = text))")
    page.wait("report.as_run")
    as_run = page.js("return report.as_run")
    check("its sliders act on it", not page.js("return report.refused") and "rolling: 50 mm" in as_run and "frictoin" not in as_run, as_run)


def word_of(text):
    """What stands behind #scene= for a scene."""
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.urlsafe_b64encode(packed.compress(text if isinstance(text, bytes) else text.encode()) + packed.flush()).decode().rstrip("=")


def hostile(driver, path):
    """Scenes from a link that want to become part of the page: titles, words, labels, names of bodies and materials, keys, paths, tags, numbers
    that have no end, words that are no scene."""
    tag = "<script>window.hacked = 1</script><img src=x onerror=window.hacked=1><svg onload=window.hacked=1><iframe srcdoc='<script>parent.hacked=1</script>'>"
    quoted = json.dumps(tag)  # a text of YAML too
    out = '"></title></style></textarea></script><script>window.hacked=1</script><a href=javascript:window.hacked=1>'
    short = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>"
    ball = open("examples/ball.yaml").read()
    play = ball[ball.index("play:"):]
    put = lambda old, new: ball.replace(old, new)
    works = {
        "a title": put("title: A ball rolls to rest", f"title: {json.dumps(short)}"),
        "words above the picture": put(play, f"play: {{about: {quoted}}}\n"),
        "the label of a slider": put("label: rolling friction", f"label: {quoted}"),
        "a way out of everything": put("title: A ball rolls to rest", f"title: {json.dumps(out)}"),
        "a comment": f"# {tag} {out}.\n" + ball,
        "names that every object has": ball.replace("stone", "__proto__").replace("name: ball", "name: constructor").replace("name: floor", "name: toString")
    }
    refused = {
        "a text that is no scene": tag,
        "the name of a body": put("name: ball", f"name: {quoted}"),
        "the name of a material": ball.replace("stone", '"<img src=x onerror=window.hacked=1>"').replace(play, ""),
        "a key": put("scree: 1", f"{quoted}: 1"),
        "a value": put("friction: 0.2", f"friction: {quoted}"),
        "a path": put("{sphere: {radius: 0.5 m}}", f"{{mesh: {{file: {quoted}}}}}"),
        "a tag of YAML": put("title: A ball rolls to rest", "title: !!python/object/apply:os.system [window.hacked=1]"),
        "keys of every object": put("scree: 1", "scree: 1\n__proto__: {hacked: 1}\nconstructor: {prototype: {hacked: 1}}"),
        "aliases without end": "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
            f"{c}: &{c} [{', '.join(['*' + b] * 9)}]\n" for b, c in zip("abcdefgh", "bcdefghi")) + ball,
        "depth without end": put("title: A ball rolls to rest", "title: " + "[" * 100000),
        "bytes that are no text": b"\x00\xff\xfe<script>window.hacked=1</script>",
    }
    bomb = zlib.compressobj(9, zlib.DEFLATED, -15)
    bomb = base64.urlsafe_b64encode(b"".join(bomb.compress(bytes(1 << 20)) for _ in range(300)) + bomb.flush()).decode().rstrip("=")
    damaged = {"no such alphabet": "AAAA%22%3Cscript%3E", "cut off": word_of(ball)[:200], "300 MB of nothing": bomb, "a megabyte of A": "A" * (1 << 20)}

    def attack(name, fragment, ran):
        driver.get("about:blank")
        page = Page(driver, f"file://{path}#{fragment}", shots)
        state = page.js("""return {hacked: window.hacked ?? null, polluted: ({}).hacked ?? null, prototype: Object.keys(Object.prototype),
            scripts: document.querySelectorAll('script').length,
            tags: [...document.querySelectorAll('img, svg, iframe, object, embed, base, a[href^="javascript"], main script')].length,
            loaded: performance.getEntriesByType('resource').map((e) => e.name).filter((n) => !n.startsWith('blob:')),
            refused: Boolean(report.refused), title: document.title}""")
        quiet = state["hacked"] is None and state["polluted"] is None and not state["prototype"] and state["scripts"] == 2 \
            and state["tags"] == 0 and not state["loaded"]
        check(f"hostile: {name} runs nothing and loads nothing", quiet, state)
        check(f"hostile: {name} {'runs as a scene' if ran else 'is refused'}", state["refused"] != ran, state)
        log = [entry["message"] for entry in driver.get_log("browser")]
        check(f"hostile: {name}: nothing on the console, the policy had nothing to forbid", not log, log)
        return page

    for name, text in works.items():
        page = attack(name, "scene=" + word_of(text), True)
        if name == "a title":
            check("it is a title", page.js("return document.title") == short, page.js("return document.title"))
    for name, text in refused.items():
        page = attack(name, "scene=" + word_of(text), False)
    # whoever opens a link with a mistake can mend it
    page.js("report.live.editor.set(arguments[0]); report.live.editor.run()", ball)
    check("a text mended after a link with a mistake runs", page.wait("report.player && report.live.steps > 3", 30))
    for name, word in damaged.items():
        page = attack(f"a link, {name},", "scene=" + word, True)
        check("its reader is told, and the page's own scene runs", "link is damaged" in page.js("return document.querySelector('.notice')?.textContent ?? ''") and
              page.wait("report.live.steps > 3", 30) and page.js("return document.title") == "A ball rolls to rest",
              page.js("return [document.querySelector('.notice')?.textContent, report.live.steps, document.title]"))
    attack("a fragment that is no scene", "__proto__[hacked]=1&scene=<img src=x onerror=window.hacked=1>", True)
    # that the policy would stand in the way of one that came so far
    page.js("""window.blocked = 0; document.addEventListener('securitypolicyviolation', () => ++window.blocked);
        document.getElementById('lead').innerHTML = arguments[0]""", tag)
    check("the page's policy forbids scripts of others", page.wait("window.blocked > 0", 5) and not page.js("return window.hacked"))
    driver.get_log("browser")  # that one is there to be forbidden


def another_link(driver, path):
    """A link that is opened in a page which is open."""
    driver.get("about:blank")
    page = Page(driver, f"file://{path}", shots)
    text = open("examples/ball.yaml").read().replace("title: A ball rolls to rest", "title: Another ball")
    page.js("location.hash = arguments[0]", "scene=" + word_of(text))
    check("another link in an open page", page.wait("document.title === 'Another ball'", 20), page.js("return document.title"))


def patience(driver, path):
    """A scene that no machine finishes: the page stays awake and can end it."""
    heavy = """scree: 1
materials: {stone: {density: 2500, friction: 0.5, rolling: 0.1 r}}
bodies: [{name: floor, shape: {plane: {}}}]
generators: [{lattice: {count: [14, 14, 14], spacing: 15 mm, jitter: 2 mm, origin: [0, 0, 12 mm]}, radius: 10 mm}]
stepper: {step: 5 ms}
solver: {tolerance: 1e-12, max_iterations: 1000000}
run: {until: 10 s}
"""
    driver.get("about:blank")
    page = Page(driver, f"file://{path}#paused", shots)
    page.js("report.live.editor.set(arguments[0]); report.live.editor.run()", heavy)
    check("a scene that never answers is told of", page.wait("document.getElementById('end')", 90), page.js("return document.title"))
    page.shot("patience")
    page.js("report.live.steps = -1; document.getElementById('end').click()")
    check("and can be ended: another one begins", page.wait("!document.getElementById('end') && report.live.steps === 0", 60),
          page.js("return [report.live.steps, report.broken]"))
    page.js("report.live.editor.back()")
    check("the first text runs", page.wait("document.title === 'A ball rolls to rest' && report.live.steps > 3", 60), page.js("return document.title"))
    page.log_is_clean("patience")


def no_webgl():
    """A browser that draws nothing: the numbers and plots go on."""
    driver = start("--disable-3d-apis")
    try:
        page = Page(driver, work.name + "/ball.html", shots)
        check("without WebGL: told", "WebGL" in page.js("return document.querySelector('#replay .fault').textContent"))
        check("without WebGL: the scene runs", page.wait("report.live.last.time > 0.5", 30), page.js("return report.live.last && report.live.last.time"))
        check("without WebGL: plots", page.wait("report.charts && report.charts.plots.some((p) => p.plot.series.length)", 10))
        page.shot("no_webgl")
    finally:
        driver.quit()


def shows(page):
    """Plots of energies, modes, residual; force chains by size and by mode."""
    page.js("report.live.load({keep: false, play: true})")
    page.js("document.getElementById('chains').click()")
    page.wait("report.live.last && report.live.last.time > 0.5", 90)
    time.sleep(1)
    drawn = dict(page.js("""return report.charts.plots.filter((entry) => !entry.element.hidden).map((entry) => [entry.preset.title,
        entry.plot.series.map((s) => s.name)])"""))
    check("the ledger of energies is plotted", any(n.endswith("kinetic") for n in drawn.get("Energy ledger [J]", [])), drawn)
    check("contacts by mode", len(drawn.get("Contacts by mode", [])) >= 2, drawn)
    check("the residual", any("residual" in n for n in drawn.get("Residual", [])), drawn)
    words = page.js("return report.charts.plots[0].plot.canvas.getAttribute('aria-label')")
    check("a plot in words", words.startswith("Energy ledger [J] over time; at ") and "kinetic" in words, words)
    check("force chains are drawn", page.wait("report.player.view.stages[0].tubeCount > 20", 30), page.js("return report.player.view.stages[0].tubeCount"))
    page.js("report.player.setForces('modes')")
    check("and by mode, with a legend", page.wait("report.player.legend.innerText.includes('stick') && report.player.legend.offsetHeight > 0", 20), page.js("return report.player.legend.innerText"))
    page.shot("forces")
    page.js("report.player.setForces('off')")


def exports(driver, page):
    """What can be saved: each is looked at as the bytes it has."""
    def saved(button, name, wait=30):
        page.js("report.saved = null; document.getElementById(arguments[0]).click()", button)
        page.wait("report.saved", wait)
        return driver.execute_async_script("""const done = arguments[0], s = report.saved;
            if (!s) return done([null, ""]);
            s.blob.arrayBuffer().then((b) => done([s.name, btoa(String.fromCharCode(...new Uint8Array(b.slice(0, 40000))))]));""")

    name, data = saved("shot", "PNG")
    png = base64.b64decode(data)
    check("a picture", name and png[:8] == b"\x89PNG\r\n\x1a\n" and len(png) > 5000, (name, len(png)))
    for button, end, head in (("webm", ".webm", b"\x1a\x45\xdf\xa3"), ("gif", ".gif", b"GIF89a")):
        page.js("report.saved = null; report.live.load({keep: false, play: true}); document.getElementById(arguments[0]).click()", button)
        time.sleep(4)
        name, data = saved("record", button)
        check(f"a film: {button}", name and name.endswith(end) and base64.b64decode(data).startswith(head), (name, data[:20]))
        if button == "gif":
            frames = driver.execute_async_script("""const done = arguments[0];
                new ImageDecoder({data: report.saved.blob.stream(), type: "image/gif"}).tracks.ready.then(() => 0);
                const d = new ImageDecoder({data: report.saved.blob.stream(), type: "image/gif"});
                d.completed.then(() => d.decode({frameIndex: d.tracks.selectedTrack.frameCount - 1}))
                    .then(({image}) => done([d.tracks.selectedTrack.frameCount, image.displayWidth])).catch((e) => done([0, String(e)]));""")
            check("its last frame can be decoded", frames[0] > 2 and frames[1] == 480, frames)
    page.js("""const s = document.querySelector("[data-set='materials.stone.rolling']"); s.value = 70; s.dispatchEvent(new Event("input"))""")
    time.sleep(1)
    name, data = saved("yaml", "scene")
    text = base64.b64decode(data).decode()
    check("the scene with the slider's value", name == "ball.yaml" and "rolling: 70 mm" in text, text[:400])
    page.js("document.getElementById('link').click()")
    page.wait("location.hash.startsWith('#scene=')")
    link = page.js("return location.href")
    driver.get("about:blank")
    page = Page(driver, link, shots)
    check("a link brings it back", "rolling: 70 mm" in page.js("return report.live.text"), link[:120])
    return page


def hands(driver, page):
    """Keys, touch, names for those who listen, calm and dark as the system is set."""
    key = lambda k, more="": page.js("document.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))", k)
    playing = page.js("return report.player.playing")
    key(" ")
    check("space runs and pauses", page.js("return report.player.playing") != playing)
    key("f")
    check("F shows forces", page.js("return report.player.options.forces") == "size" and page.js("return document.getElementById('chains').ariaPressed") == "true")
    key("f"), key("f")
    nameless = page.js("""return [...document.querySelectorAll("button, input, select, textarea, canvas[tabindex], summary, progress")]
        .filter((e) => !(e.ariaLabel || e.getAttribute("aria-label") || e.textContent.trim() || e.title || e.labels?.length)).map((e) => e.outerHTML.slice(0, 80))""")
    check("everything that can be used has a name", not nameless, nameless)
    # the ball is taken by a finger and thrown
    page.js("report.live.load({keep: false, play: true})")
    page.wait("report.live.steps > 5")
    box = page.js("const r = report.player.canvas.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]")
    at = page.js("""const p = report.player, c = p.canvas.getBoundingClientRect();
        for (let j = 0; j < 40; ++j) for (let i = 0; i < 40; ++i) {
            const x = (i + 0.5) / 40, y = (j + 0.5) / 40, hit = p.view.pick(x * p.canvas.width, p.canvas.height * (1 - y), p.options);
            if (hit && hit.sort === "body" && p.view.stages[0].state[hit.number] === 1) return [c.x + x * c.width, c.y + y * c.height];
        }
        return null""") or box
    page.js("""const send = (type, x, y) => report.player.canvas.dispatchEvent(new PointerEvent(type, {pointerId: 1, pointerType: "touch", clientX: x, clientY: y,
        button: 0, buttons: 1, bubbles: true, isPrimary: true}));
        report.player.canvas.setPointerCapture = () => {};
        send("pointerdown", arguments[0], arguments[1]);
        for (let k = 1; k <= 10; ++k) send("pointermove", arguments[0], arguments[1] - 12 * k);""", *at)
    check("a body is lifted by the pointer", page.wait("report.player.replay.frames[0].x[5] > 0.8", 20), page.js("return Array.from(report.player.replay.frames[0].x)"))
    page.js("report.player.release()")
    for name, value in (("prefers-color-scheme", "dark"), ("prefers-reduced-motion", "reduce")):
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": name, "value": value}]})
        driver.get("about:blank")
        page = Page(driver, work.name + "/ball.html", shots)
        if value == "dark":
            check("dark where the system is", page.js("return document.documentElement.dataset.theme") == "dark")
            time.sleep(1)
            page.shot("dark")
        else:
            time.sleep(0.5)
            check("calm where the system is", page.js("return !report.player.playing && report.live.steps === 0"))
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    page.log_is_clean("hands")


def hashes(driver):
    for scene, seconds in (("boxes", 0.04), ("tippe-top", 0.05), ("conveyor", 0.05), ("pour", 0.1), ("shear", 0.0005), ("pile", 0.4)):
        subprocess.run([scree, "run", f"examples/{scene}.yaml", "--until", str(seconds), "-o", f"{work.name}/{scene}", "--quiet"])
        native = json.load(open(f"{work.name}/{scene}/summary.json"))["hash"]
        page = Page(driver, play(f"examples/{scene}.yaml", scene) + "#paused", shots)
        until(page, seconds)
        check(f"{scene}: hash {native}", page.wait(f"report.live.hash === '{native}'", 5), page.js("return report.live.hash"))
        page.log_is_clean(scene)
    check("this Chromium fuses products and sums", page.js("return report.live.fused"))
    return Page(driver, f"file://{work.name}/pile.html", shots)


def lasting(driver, page):
    """60 s of running: the pile falls, lies, is thrown about by a slider."""
    def used():
        driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
        return page.js("return performance.memory.usedJSHeapSize"), page.js("return report.live.memory")
    time.sleep(10)
    before, sizes = used(), set()
    for k in range(10):
        page.js("report.live.player.values.set('gravity', arguments[0]); report.live.load({keep: true, play: true})", f"{5 + k % 3} m/s^2")
        time.sleep(5)
        sizes.add(page.js("return report.live.memory"))
    after = used()
    check("60 s of running: the page has not grown by 8 MB", after[0] < before[0] + 8e6, (before, after))
    # a step that is hard to solve makes room for itself, which stays; what were lost at each step or change would grow again and again
    check("the module's memory at most once", len(sizes | {before[1]}) <= 2, (before, sizes))
    page.shot("pile")


def phone(driver, page):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True})
    time.sleep(3)
    check("a phone: nothing sticks out", page.js("return document.documentElement.scrollWidth") <= 390,
          page.js("return document.documentElement.scrollWidth"))
    page.shot("phone")


def main():
    driver = start("--enable-precise-memory-info")
    try:
        page = sliders(driver)
        mistakes(page)
        driver.get("about:blank")
        hands(driver, exports(driver, Page(driver, work.name + "/ball.html", shots)))
        each_slider(driver)
        hostile(driver, work.name + "/ball.html")
        another_link(driver, work.name + "/ball.html")
        patience(driver, work.name + "/ball.html")
        page = hashes(driver)
        shows(page)
        lasting(driver, page)
        phone(driver, page)
    finally:
        driver.quit()
    no_webgl()
    return browser.ended("play_browser")


sys.exit(main())
