"""A scene that runs in a page: sliders change the physics, mistakes are shown as the command shows them, hostile scenes stay texts, the state
has the hash it has outside, nothing grows.

    play_browser.py PATH_OF_scree [FOLDER]       FOLDER: screenshots go there"""
import base64, json, os, subprocess, sys, time, zlib

import browser
from browser import Page, check, start, work

scree = os.path.abspath(sys.argv[1])
os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
shots = sys.argv[2] if len(sys.argv) > 2 else work.name


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
    page.js("report.live.ended = ''; report.live.load({keep: false, play: false})")
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


def hostile(driver, path):
    evil = "<script>window.hacked = 1</script><img src=x onerror=window.hacked=1>"
    scene = open("examples/ball.yaml").read().replace("title: A ball rolls to rest", f"title: '{evil}'")
    for name, text in (("a title", scene), ("a text that is no scene", evil), ("a mistake", scene.replace("scree: 1", f"'{evil}': 1"))):
        packed = zlib.compressobj(9, zlib.DEFLATED, -15)
        word = base64.urlsafe_b64encode(packed.compress(text.encode()) + packed.flush()).decode().rstrip("=")
        driver.get("about:blank")
        page = Page(driver, f"file://{path}#scene={word}", shots)
        check(f"hostile: {name} runs nothing", not page.js("return window.hacked") and
              page.js("return document.querySelectorAll('script').length") == 2, page.js("return document.title"))
        if name == "a title":
            check("it is a title", page.js("return document.title") == evil)


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
    for scene, seconds in (("pile", 0.4), ("pour", 0.1), ("shear", 0.0005)):
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
    before = used()
    for k in range(10):
        page.js("report.live.player.values.set('gravity', arguments[0]); report.live.load({keep: true, play: true})", f"{5 + k % 3} m/s^2")
        time.sleep(5)
    after = used()
    check("60 s of running: the page has not grown by 8 MB", after[0] < before[0] + 8e6, (before, after))
    check("nor the module's memory", after[1] == before[1], (before, after))
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
        hostile(driver, work.name + "/ball.html")
        page = hashes(driver)
        lasting(driver, page)
        phone(driver, page)
    finally:
        driver.quit()
    print(f"play_browser: {browser.failures} failures" if browser.failures else "play_browser: all passed")
    return 1 if browser.failures else 0


sys.exit(main())
