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


def hashes(driver):
    for scene, seconds in (("pile", 0.4), ("pour", 0.1), ("shear", 0.0005)):
        subprocess.run([scree, "run", f"examples/{scene}.yaml", "--until", str(seconds), "-o", f"{work.name}/{scene}", "--quiet"])
        native = json.load(open(f"{work.name}/{scene}/summary.json"))["hash"]
        page = Page(driver, play(f"examples/{scene}.yaml", scene) + "#paused", shots)
        until(page, seconds)
        check(f"{scene}: hash {native}", page.wait(f"report.live.hash === '{native}'", 5), page.js("return report.live.hash"))
        page.log_is_clean(scene)
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
        hostile(driver, work.name + "/ball.html")
        page = hashes(driver)
        lasting(driver, page)
        phone(driver, page)
    finally:
        driver.quit()
    print(f"play_browser: {browser.failures} failures" if browser.failures else "play_browser: all passed")
    return 1 if browser.failures else 0


sys.exit(main())
