"""`scree run --watch`: three viewers, one of which stops reading and one of which is killed; the run ends with the hash of a run nobody looks
at. Without the token nothing is answered; pause holds the run, stop leaves a checkpoint.

    watch.py PATH_OF_scree"""
import json, os, re, socket, subprocess, sys, tempfile, threading, time, urllib.error, urllib.request

scree = os.path.abspath(sys.argv[1])
os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
work = tempfile.TemporaryDirectory()
failures = 0


def check(name, ok, found=""):
    global failures
    failures += not ok
    print("ok" if ok else "FAILED", name, "" if ok else found)


def hash_of(folder):
    with open(f"{work.name}/{folder}/summary.json") as f:
        return json.load(f)["hash"]


def run(folder, *more):
    return [scree, "run", "examples/pour.yaml", "--until", "0.6", "-o", f"{work.name}/{folder}", "--quiet", "--force", *more]


class Run:
    """A run with --watch, its port and token."""

    def __init__(self, folder, *how):
        self.process = subprocess.Popen(run(folder, *(how or ["--watch"])), stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        if "has no HTTP server" in line:
            print("skipped:", line.strip())
            sys.exit(77)
        found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\w+)", line)
        if not found:
            sys.exit(f"FAILED no address: {line}")
        self.port, self.token = int(found[1]), found[2]

    def url(self, path, **values):
        return f"http://127.0.0.1:{self.port}/{path}?token={self.token}" + "".join(f"&{k}={v}" for k, v in values.items())

    def get(self, path, **values):
        with urllib.request.urlopen(self.url(path, **values), timeout=10) as r:
            return r.read(), json.loads(r.headers.get("X-Scree") or "{}")

    def control(self, action):
        urllib.request.urlopen(urllib.request.Request(self.url("control", action=action), method="POST"), timeout=10).read()


def follow(run, seen):
    """A viewer as the page is one: until the run has ended."""
    after = 0
    try:
        while True:
            body, state = run.get("frame", after=after, contacts=1)
            after = max(after, state["frame"])
            seen.append((len(body), body[:4], state))
            if state["phase"] == "ended":
                return
    except OSError:
        pass


def stalled(run):
    """Asks for the page many times over one connection, and never reads: the socket fills up."""
    s = socket.create_connection(("127.0.0.1", run.port))
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    for _ in range(50):
        s.send(f"GET /?token={run.token} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    return s


def elsewhere():
    """--watch-at: a port of one's choice, which a second run cannot have; and what is no address."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    first = Run("first", "--watch-at", f"127.0.0.1:{port}")
    check("the port that was asked for", first.port == port, first.port)
    first.control("pause")
    forces = []
    for k in range(2):  # a paused run shows contacts to whoever begins to draw them
        first.get("frame", after=0, contacts=k)
        time.sleep(0.5)
        forces.append(b'"contact_value"' in first.get("frame", after=0, contacts=k)[0])
    check("a paused run shows forces where they are asked for", forces == [False, True], forces)
    second = subprocess.run(run("second", "--watch-at", f"127.0.0.1:{port}"), capture_output=True, text=True)
    check("a port that is taken", second.returncode == 4 and "this port of 127.0.0.1 cannot be listened on" in second.stderr, second.stderr)
    first.control("stop")
    first.process.wait(60)
    for text in ("localhost", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:-1", "127.0.0.1:65536", "1.2.3", ""):
        done = subprocess.run(run("no", "--watch-at", text), capture_output=True, text=True)
        check(f"no address: '{text}'", done.returncode == 2 and "expected an IPv4 address" in done.stderr, done.stderr)


def main():
    subprocess.run(run("alone"), check=False)
    watched = Run("watched")
    seen = []
    viewer = threading.Thread(target=follow, args=(watched, seen))
    viewer.start()
    hung = stalled(watched)
    killed = subprocess.Popen([sys.executable, "-c", f"import urllib.request as u\nwhile True: u.urlopen({watched.url('frame')!r}).read()"],
                              stderr=subprocess.DEVNULL)
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{watched.port}/frame", timeout=10)
        check("without the token nothing is answered", False)
    except urllib.error.HTTPError as error:
        check("without the token nothing is answered", error.code == 403, error.code)
    page = watched.get("")[0]
    check("the page may fetch from where it came from only", b"connect-src 'self'" in page and b"default-src 'none'" in page)
    about = json.loads(watched.get("about")[0])
    check("it knows the scene", about["scheme"] == "anitescu_tasora" and "scree: 1" in about["scene"], about)
    check("there are bodies", watched.get("stage")[0][:4] == b"SCRL")
    time.sleep(0.3)
    killed.kill()
    watched.control("pause")
    time.sleep(0.5)
    before = watched.get("frame")[1]
    time.sleep(0.5)
    check("pause holds the run", watched.process.poll() is None and watched.get("frame")[1]["frame"] <= before["frame"] + 2)
    watched.control("resume")
    watched.process.wait(120)
    viewer.join(30)
    hung.close()
    check("frames were seen", len(seen) > 3 and any(body == b"SCRL" for _, body, _ in seen), len(seen))
    check("the last one has the hash", seen and seen[-1][2]["hash"] == hash_of("watched"), seen[-1:])
    check("with viewers, one stalled and one killed: the hash of a run alone", hash_of("watched") == hash_of("alone"))
    check("the series too", open(f"{work.name}/watched/series.csv").read() == open(f"{work.name}/alone/series.csv").read())

    stopped = Run("stopped")
    time.sleep(0.3)
    stopped.control("stop")
    check("stop: as Ctrl-C does", stopped.process.wait(60) == 130, stopped.process.returncode)
    check("with a checkpoint", os.path.exists(f"{work.name}/stopped/checkpoint.h5"))
    subprocess.run([scree, "run", "--resume", "-o", f"{work.name}/stopped", "--quiet"], check=False)
    check("from which it continues to the same hash", hash_of("stopped") == hash_of("alone"))
    elsewhere()
    print(f"watch: {failures} failed" if failures else "watch: all passed")
    return 1 if failures else 0


sys.exit(main())
