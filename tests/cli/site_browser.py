"""The site that tools/site.sh builds: each of its live scenes runs, opened as a file and from a static host, without a word on the console; the
pages that explain them lead there.

    site_browser.py PATH_OF_scree [FOLDER]       FOLDER: screenshots go there"""
import functools, http.server, os, re, shutil, subprocess, sys, threading, time

import browser
from browser import Page, check, start, work

scree, shots = browser.arguments()
site = work.name + "/site"


class Host(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def silent(driver, name):
    # but what the software renderer says of its own pictures: no code of the page reads pixels there
    log = [f"{entry['level']}: {entry['message']}" for entry in driver.get_log("browser") if "GPU stall due to ReadPixels" not in entry["message"]]
    check(f"{name}: not a word on the console", not log, log)


def index(driver, base, way):
    driver.get(f"{base}/live/index.html")
    pages = driver.execute_script("return [...document.querySelectorAll('article > a')].map((a) => a.getAttribute('href'))")
    check(f"{way}: fourteen scenes", len(pages) == 14, pages)
    driver.execute_script("document.querySelectorAll('img').forEach((i) => (i.loading = 'eager'))")
    end = time.time() + 20
    shown = lambda: driver.execute_script("return [...document.images].filter((i) => i.complete && i.naturalWidth > 0).length")
    while shown() < 14 and time.time() < end:
        time.sleep(0.1)
    check(f"{way}: with their pictures", shown() == 14, shown())
    driver.save_screenshot(f"{shots}/index.png")
    silent(driver, f"{way}: the index")
    return pages


def links():
    """Every link of the index, and one from each page that explains a scene, leads to a file."""
    text = open(f"{site}/live/index.html").read()
    for target in re.findall(r'(?:href|src)="([^"#]+)', text):
        if not target.startswith("data:") and not os.path.exists(f"{site}/live/{target}"):
            check(f"the link {target} of the index leads somewhere", False)
    led = set()
    for folder, _, names in os.walk(site):
        for name in (n for n in names if n.endswith(".html") and folder != f"{site}/live"):
            found = re.search(r'<p class="live">(.*?)</p>', open(f"{folder}/{name}").read(), re.S)
            for target in re.findall(r'href="([^"]+)"', found[1]) if found else []:
                led.add(os.path.relpath(f"{folder}/{target}", f"{site}/live"))
    missing = {n for n in os.listdir(f"{site}/live") if n.endswith(".html") and n != "index.html"} - led
    check("each scene is led to by the page that explains it", not missing and all(os.path.exists(f"{site}/live/{n}") for n in led), missing)


def runs(driver, address, name, way):
    """The scene runs: its clock goes on, bodies move or stand, plots come; numbers are finite."""
    driver.get("about:blank")
    page = Page(driver, address, shots)
    there = page.wait("report.live.last && report.live.steps > 5 && report.charts", 60)
    first = page.js("return report.live.last ? report.live.last.time : -1")
    on = page.wait(f"report.live.last.time > {first} || report.live.ended === 'end'", 60)
    check(f"{way} {name}: time goes on", there and on and first > 0, (there, on, first, page.js("return report.live.steps")))
    finite = page.js("return report.live.last.array.x.every(Number.isFinite) && report.live.series.column('kinetic[J]').every(Number.isFinite)")
    check(f"{way} {name}: finite, without an error", finite and not page.js("return report.error || report.broken || report.refused || null"))
    if way == "file":
        page.wait("report.player.drawn > 3", 30)
        time.sleep(1)
        page.shot(f"site-{name.removesuffix('.html')}")
    silent(driver, f"{way} {name}")


def main():
    if not shutil.which("mkdocs"):
        print("skipped: no mkdocs")
        return 77
    if subprocess.run([scree, "play", "examples/ball.yaml", "-o", work.name + "/x.html"], capture_output=True).returncode == 4:
        print("skipped: a build without WebAssembly")
        return 77
    done = subprocess.run(["tools/site.sh", site, scree], capture_output=True, text=True)
    check("tools/site.sh", done.returncode == 0, done.stderr[-2000:])
    links()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Host, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    driver = start()
    try:
        pages = index(driver, f"file://{site}", "file")
        for name in pages:
            runs(driver, f"file://{site}/live/{name}", name, "file")
        host = f"http://127.0.0.1:{server.server_port}"
        index(driver, host, "host")
        for name in pages[:3]:
            runs(driver, f"{host}/live/{name}", name, "host")
    finally:
        driver.quit()
    return browser.ended("site_browser")


sys.exit(main())
