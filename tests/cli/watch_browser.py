"""`scree run --watch` in a real browser: three pages look at a run, one is closed; pause, forces while it is paused, resume, stop. The run's hash
is that of a run nobody looks at.

    watch_browser.py PATH_OF_scree [FOLDER]       FOLDER: screenshots go there"""
import json, os, re, subprocess, sys, time, urllib.request

import browser
from browser import Page, check, start, work

scree, shots = browser.arguments()


UNTIL = 6  # s of the scene; some seconds of a processor


def command(folder, until, *more):
    return [scree, "run", "examples/pile.yaml", "--until", str(until), "-o", f"{work.name}/{folder}", "--quiet", "--force", *more]


def watched(folder, until):
    process = subprocess.Popen(command(folder, until, "--watch"), stderr=subprocess.PIPE, text=True)
    line = process.stderr.readline()
    if "has no HTTP server" in line:
        print("skipped:", line.strip())
        sys.exit(77)
    return process, re.search(r"http://\S+", line)[0]


def hash_of(folder):
    with open(f"{work.name}/{folder}/summary.json") as f:
        return json.load(f)["hash"]


def click(page, button):
    page.js("document.getElementById(arguments[0]).click()", button)


def looks(driver):
    """To the end of the run, with pauses."""
    process, address = watched("watched", UNTIL)
    control = address.replace("/?", "/control?") + "&action=pause"  # until the browser is there
    urllib.request.urlopen(urllib.request.Request(control, method="POST"), timeout=10).read()
    pages = []
    for k in range(3):
        if k:
            driver.switch_to.new_window("tab")
        pages.append((driver.current_window_handle, Page(driver, address, shots)))
    driver.close()  # the third one
    driver.switch_to.window(pages[0][0])
    page = pages[0][1]
    time.sleep(1)
    before = page.js("return report.live.last.time")
    time.sleep(1.5)
    check("a paused run stands still", process.poll() is None and page.js("return report.live.last.time") == before, before)
    click(page, "chains")
    check("forces of a paused run", page.wait("report.player.view.stages[0].contacts") and page.js("return report.live.last.time") == before)
    check("two look", page.wait("/2 viewers/.test(report.player.note.textContent)"), page.js("return report.player.note.textContent"))
    click(page, "play")
    check("it goes on", page.wait(f"report.live.last.time > {before} + 0.1"), page.js("return report.live.last.time"))
    click(page, "play")
    check("the button pauses it", page.wait("report.live.phase === 'paused'"), page.js("return report.live.phase"))
    click(page, "play")
    time.sleep(1)
    page.shot("watch")
    plots = page.js("return report.charts.plots.filter((p) => !p.element.hidden && p.plot.series.length).map((p) => p.preset.title)")
    check("plots", "Energy ledger [J]" in plots and "Contacts by mode" in plots, plots)
    page.js("report.player.setForces('off'); report.player.options.shadows = false")  # the rest is drawn in software, and should be light
    process.wait(120)
    check("the end is told, with the hash", page.wait(f"report.live.phase === 'ended' && report.hash === '{hash_of('watched')}'"),
          page.js("return [report.live.phase, report.hash]"))
    check("it is that of a run alone", hash_of("watched") == hash_of("alone"))
    driver.switch_to.window(pages[1][0])
    check("the other page knows too", pages[1][1].wait("report.live.phase === 'ended'"), pages[1][1].js("return report.live.phase"))
    page.log_is_clean("the run")
    driver.close()
    driver.switch_to.window(pages[0][0])


def stops(driver):
    process, address = watched("stopped", 1000)
    page = Page(driver, address, shots)
    page.wait("report.live.last && report.live.last.time > 0")
    click(page, "stop")
    driver.switch_to.alert.accept()
    check("stop: as Ctrl-C does", process.wait(60) == 130, process.returncode)
    check("with a checkpoint", os.path.exists(f"{work.name}/stopped/checkpoint.h5"))
    driver.get("about:blank")
    driver.get_log("browser")
    process, address = watched("token", 1000)
    driver.get(address[:-4] + "0000")
    check("a page with a wrong token shows nothing", "scree" not in driver.title and "token" in driver.page_source, driver.page_source[:200])
    process.terminate()
    process.wait(60)


def main():
    subprocess.run(command("alone", UNTIL), check=False)
    driver = start()
    try:
        looks(driver)
        stops(driver)
    finally:
        driver.quit()
    return browser.ended("watch_browser")


sys.exit(main())
