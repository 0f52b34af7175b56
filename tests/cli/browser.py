"""What tests in a real browser share: Debian's chromium behind selenium, in a fresh profile; exit status 77 where one of them is missing.
WebGL runs in software (swiftshader), so scenes are small."""
import os, sys, tempfile, time

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
except ImportError:
    print("skipped: no python3-selenium")
    sys.exit(77)
for program in ("/usr/bin/chromium", "/usr/bin/chromedriver"):
    if not os.path.exists(program):
        print("skipped: no", program)
        sys.exit(77)

FLAGS = """--headless --no-sandbox --disable-gpu --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader
    --disable-background-networking --disable-component-update --disable-sync --no-first-run --disable-dev-shm-usage
    --window-size=1300,900""".split()

work = tempfile.TemporaryDirectory()
failures = 0


def arguments():
    """PATH_OF_scree [FOLDER FOR SCREENSHOTS]: both, absolute; from here on the test stands in the root of the tree."""
    scree, shots = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else work.name
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    return scree, shots


def check(name, ok, found=""):
    global failures
    failures += not ok
    print("ok" if ok else "FAILED", name, "" if ok else found, flush=True)


def start(*flags):
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for flag in FLAGS + ["--user-data-dir=" + work.name + "/profile", *flags]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    driver.set_script_timeout(300)  # a picture of 2,000 spheres takes many seconds where the machine has other work
    return driver


class Page:
    """A page of scree: `report` is there, and ready."""

    def __init__(self, driver, address, shots=None):
        self.driver, self.shots = driver, shots or work.name
        driver.get(address if "://" in address else "file://" + os.path.abspath(address))
        self.wait("typeof report !== 'undefined' && (report.ready || report.error)")
        ready = self.js("return report.ready && !report.error")
        check(f"{address.replace(work.name, '')[:80]} loads", ready, self.js("return report.error"))

    def js(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def wait(self, condition, seconds=60):
        end = time.time() + seconds
        while time.time() < end:
            if self.js("return Boolean(" + condition + ")"):
                return True
            time.sleep(0.05)
        return False

    def shot(self, name):
        self.driver.save_screenshot(os.path.join(self.shots, name + ".png"))

    def log_is_clean(self, name):
        bad = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        check(f"{name}: no errors on the console", not bad, bad)


def ended(name):
    """Says how the test ended; its exit status."""
    print(f"{name}: {failures} failures" if failures else f"{name}: all passed")
    return 1 if failures else 0
