#!/usr/bin/env python3
"""skein serve and skein html without a browser: who may ask, and what an update has.

    serve_test.py SKEIN STEPS

A page is played here: it keeps the files that it was sent, and they must be those on the disk.
"""
import gzip
import http.client
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import urllib.parse

skein, steps = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:3])
HEADER = 128  # bytes of a packet's
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print(what)


class Server:
    def __init__(self, *words):
        self.process = subprocess.Popen([skein, "serve", *map(str, words)],
                                        stdout=subprocess.PIPE, text=True)
        link = urllib.parse.urlsplit(self.process.stdout.readline().strip())
        self.host, self.token = link.netloc, urllib.parse.parse_qs(link.query)["token"][0]

    def get(self, path, host=None, **query):
        connection = http.client.HTTPConnection(self.host, timeout=120)
        connection.request("GET", f"{path}?{urllib.parse.urlencode(query)}",
                           headers={"Host": host or self.host})
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, body

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        check(self.process.wait() == 0, "a signal is a good end")


class Page:
    def __init__(self, server):
        self.server, self.version, self.files = server, "", {}

    def update(self):
        """Asks what is new; the bytes that came, and whether it was an update only."""
        status, headers, body = self.server.get("/bundle", token=self.server.token, have=self.version)
        check(status in (200, 204), f"an update: {status} {body[:200]}")
        self.version = headers["x-skein-version"]
        if status == 204:
            check(body == b"", "nothing is new, and yet there is something")
            return 0, True
        bundle = gzip.decompress(body)
        check(len(bundle) == int(headers["x-skein-size"]), "the size of a bundle")
        is_update = headers["x-skein-update"] == "1"
        if not is_update:
            self.files = {}
        size = int.from_bytes(bundle[:4], "little")
        at = 4 + size
        for trace in json.loads(bundle[4:at])["traces"]:
            for name in trace.get("gone", []):
                del self.files[name]
            for name, length, *more in trace["files"]:
                kept = more[1] if len(more) > 1 else 0
                check(not kept or name in self.files, f"{name}: added to what is not there")
                end = at + (HEADER + length - kept if kept else length)
                part = bundle[at:end]
                if kept:
                    part = part[:HEADER] + self.files[name][HEADER:kept] + part[HEADER:]
                check(len(part) == length, f"{name}: {len(part)} bytes, not {length}")
                self.files[name] = part
                at = end
        check(at == len(bundle), "nothing is left of the bundle")
        return len(body), is_update


def on_disk(trace):
    """Of a recorder's directory, what is committed in it; nothing is written meanwhile."""
    files = {}
    for path in trace.iterdir():
        if not path.name.startswith("."):
            data = path.read_bytes()
            if data[:4] == b"\xc1\x1f\xfc\xc1":
                data = data[:int.from_bytes(data[32:40], "little") // 8]
            files["0/" + path.name] = data
    return files


def follows(folder, mode):
    trace = folder / mode
    program = subprocess.Popen([steps], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               env=dict(os.environ, SKEIN_TRACE=f"{trace},mode={mode},size=64K"))

    def step(*texts):
        for text in texts:
            program.stdin.write(text + "\n")
            program.stdin.flush()
            check(program.stdout.readline() == text + "\n", "the program answers")

    step("first")
    server = Server(program.pid)
    page, idle = Page(server), Page(server)
    whole, is_update = page.update()
    check(whole > 1000 and not is_update, f"{mode}: at first there is everything")
    idle.update()
    for _ in range(20):
        check(page.update() == (0, True), f"{mode}: an idle program sends nothing")
    check(page.files == on_disk(trace), f"{mode}: what the page has")

    step("second")
    size, is_update = page.update()
    check(is_update and 0 < size < 600, f"{mode}: an event is {size} bytes of {whole}")
    check(page.files == on_disk(trace), f"{mode}: what the page has after an event")
    print(f"{mode}: all of it {whole} bytes, an event {size}, nothing 0")

    # More than all chunks of the ring, or several of the log.
    sizes = []
    for round_ in range(12):
        step(*(f"{round_}: label number {i}" for i in range(400)))
        sizes.append(page.update()[0])
        check(page.files == on_disk(trace), f"{mode}: what the page has after round {round_}")
    print(f"{mode}: 400 labels each time: {sizes} bytes")
    # Twelve versions ago: too long for what the server remembers.
    check(idle.update()[1] is False, f"{mode}: who was away for long gets all of it")
    check(idle.files == page.files, f"{mode}: and has the same then")

    program.stdin.close()
    program.wait()
    page.update()
    _, headers, _ = server.get("/bundle", token=server.token, have=page.version)
    check("has ended" in headers["x-skein-state"], f"{mode}: {headers['x-skein-state']}")
    check(page.files == on_disk(trace), f"{mode}: what the page has at the end")
    server.stop()
    return trace


def asks(trace):
    server = Server(trace)
    status, headers, body = server.get("/", token=server.token)
    check(status == 200 and b"<canvas" in body and int(headers["content-length"]) == len(body),
          f"the page: {status}")
    policy = headers["content-security-policy"]
    check("default-src 'none'" in policy and "unsafe-inline" not in policy, policy)
    for path, host, token in (("/", None, ""), ("/bundle", None, "0" * 32), ("/", "evil.example", None),
                              ("/bundle", "127.0.0.1:1", None)):
        status, _, body = server.get(path, host, token=server.token if token is None else token)
        check(status == 403 and len(body) < 200, f"{path} for {host} with {token}: {status}")
    check(server.get("/etc/passwd", token=server.token)[0] == 404, "there is one page")
    server.stop()


def file(folder):
    """Of one file, all of it when it has changed."""
    trace = folder / "file.ctf"
    page = folder / "page.html"
    source = pathlib.Path(__file__).parent.parent / "data" / "mirage" / "straight.ctf"
    trace.write_bytes(source.read_bytes())
    done = subprocess.run([skein, "html", trace, "-o", page, "--title", "<b>&"], capture_output=True,
                          text=True)
    check(done.returncode == 0 and b"&lt;b&gt;&amp;" in page.read_bytes(), f"html: {done}")
    server = Server(trace)
    answer = server.get("/bundle", token=server.token, have="")
    check(answer[0] == 200, f"a file: {answer[0]}")
    version = answer[1]["x-skein-version"]
    check(server.get("/bundle", token=server.token, have=version)[0] == 204, "a file is as it was")
    with trace.open("ab") as out:
        out.write(source.read_bytes())
    answer = server.get("/bundle", token=server.token, have=version)
    check(answer[0] == 200 and answer[1]["x-skein-update"] == "0", "a file has grown")
    trace.unlink()
    answer = server.get("/bundle", token=server.token, have=answer[1]["x-skein-version"])
    check(answer[0] == 500 and b"file.ctf" in answer[2], f"a file is gone: {answer}")
    server.stop()


with tempfile.TemporaryDirectory() as name:
    traces = [follows(pathlib.Path(name), mode) for mode in ("ring", "log")]
    asks(traces[0])
    file(pathlib.Path(name))
sys.exit(1 if failures else 0)
