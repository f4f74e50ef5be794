#!/usr/bin/env python3
"""skein serve and skein html without a browser: access, and the contents of updates.

    serve_test.py SKEIN STEPS

The test acts as a page: it keeps the files that it received, and they must equal those on disk.
"""
import gzip
import http.client
import json
import mmap
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.parse

skein, steps = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:3])
HEADER = 128  # size of a packet header
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

    def post(self, path, body, origin=None, token=None):
        connection = http.client.HTTPConnection(self.host, timeout=120)
        connection.request("POST", f"{path}?token={self.token if token is None else token}", body,
                           {"Origin": origin or f"http://{self.host}"})
        response = connection.getresponse()
        answer = response.status, response.read()
        connection.close()
        return answer

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        check(self.process.wait() == 0, "a signal is a good end")


class Page:
    def __init__(self, server):
        self.server, self.version, self.files = server, "", {}

    def update(self):
        """Requests an update. Returns its size, and whether it was incremental."""
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
            for name, length, *how in trace["files"]:
                if how and not isinstance(how[0], list):  # compressed: only the page can read it
                    self.files[name] = None
                    at += how[0]
                    continue
                file = bytearray(length)
                if how:
                    check(name in self.files, f"{name}: parts of a missing file")
                    old = self.files[name] or b""
                    file[:] = old[:length].ljust(length, b"\0")
                for begin, size in how[0] if how else [[0, length]]:
                    check(begin + size <= length, f"{name}: a part lies behind its end")
                    file[begin:begin + size] = bundle[at:at + size]
                    at += size
                self.files[name] = bytes(file)
        check(at == len(bundle), "nothing is left of the bundle")
        return len(body), is_update


def on_disk(trace):
    """Returns the committed events of a recorder's directory. No process may be writing to it."""
    files = {}
    for path in trace.iterdir():
        if not path.name.startswith("."):
            data = path.read_bytes()
            if data[:4] == b"\xc1\x1f\xfc\xc1":
                data = data[:int.from_bytes(data[32:40], "little") // 8]
            files["0/" + path.name] = data
    return files


def packets_of(page):
    return {name: data for name, data in page.files.items() if name != "0/.tasks"}


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
    check(("0/.tasks" in page.files) == (mode == "ring"), f"{mode}: a ring's table of live tasks")
    idle.update()
    for _ in range(20):
        check(page.update() == (0, True), f"{mode}: an idle program sends nothing")
    check(packets_of(page) == on_disk(trace), f"{mode}: what the page has")

    def told():
        headers = server.get("/bundle", token=server.token, have=page.version)[1]
        return int(headers.get("x-skein-now", 0))
    before = told()
    check(before > 10**18 and told() > before, f"{mode}: time goes on while nothing happens")

    step("second")
    size, is_update = page.update()
    check(is_update and 0 < size < 600, f"{mode}: an event is {size} bytes of {whole}")
    check(packets_of(page) == on_disk(trace), f"{mode}: what the page has after an event")
    print(f"{mode}: all of it {whole} bytes, an event {size}, nothing 0")

    # More events than the ring's chunks hold; several chunks of a log.
    sizes = []
    for round_ in range(12):
        step(*(f"{round_}: label number {i}" for i in range(400)))
        sizes.append(page.update()[0])
        check(packets_of(page) == on_disk(trace), f"{mode}: what the page has after round {round_}")
    print(f"{mode}: 400 labels each time: {sizes} bytes")
    # The server no longer has the version of twelve updates ago.
    check(idle.update()[1] is False, f"{mode}: who was away for long gets all of it")
    check(idle.files == page.files, f"{mode}: and has the same then")

    program.stdin.close()
    program.wait()
    page.update()
    _, headers, _ = server.get("/bundle", token=server.token, have=page.version)
    check("has ended" in headers["x-skein-state"], f"{mode}: {headers['x-skein-state']}")
    check(told() == 0, f"{mode}: no time when it has ended")
    check(packets_of(page) == on_disk(trace), f"{mode}: what the page has at the end")
    server.stop()
    return trace


def asks(trace):
    server = Server(trace)
    status, headers, body = server.get("/", token=server.token)
    check(status == 200 and "<script" in body.decode("utf-16") and int(headers["content-length"]) == len(body),
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
    """For a single file, the server sends the blocks that changed."""
    trace = folder / "file.ctf"
    page = folder / "page.html"
    source = pathlib.Path(__file__).parent.parent / "data" / "mirage" / "straight.ctf"
    trace.write_bytes(source.read_bytes())
    done = subprocess.run([skein, "html", trace, "-o", page, "--title", "<b>&"], capture_output=True,
                          text=True)
    check(done.returncode == 0 and "&lt;b&gt;&amp;" in page.read_text("utf-16"), f"html: {done}")
    block = 64 << 10
    with trace.open("ab") as out:
        out.write(bytes(20 * block))
    server = Server(trace)
    page = Page(server)
    check(page.update()[1] is False and "0" in page.files, "a file, at first all of it")
    check(page.update() == (0, True), "a file is as it was")
    page.files["0"] = trace.read_bytes()  # the server sent it compressed
    with trace.open("ab") as out:
        out.write(bytes(3 * block))
    page.update()
    check(page.files["0"] == trace.read_bytes(), "a file has grown")
    # A write through a mapping need not change the modification time.
    before = trace.stat()
    with trace.open("r+b") as out, mmap.mmap(out.fileno(), 0) as mapped:
        mapped[7 * block + 5] = 1
    os.utime(trace, ns=(before.st_atime_ns, before.st_mtime_ns))
    size, is_update = page.update()
    check(is_update and 0 < size < block, f"a byte of a file: {size}")
    check(page.files["0"] == trace.read_bytes(), "a file was written through a mapping")
    os.truncate(trace, 7 * block + 6)
    page.update()
    check(page.files["0"] == trace.read_bytes(), "a file was cut off")
    trace.unlink()
    answer = server.get("/bundle", token=server.token, have=page.version)
    check(answer[0] == 500 and b"file.ctf" in answer[2], f"a file is gone: {answer}")
    server.stop()


def notes(folder):
    """Stores notes beside the trace, for a client with the token only; the next page has them."""
    trace, beside = folder / "noted.ctf", folder / "noted.ctf.skein-notes.json"
    source = pathlib.Path(__file__).parent.parent / "data" / "mirage" / "straight.ctf"
    trace.write_bytes(source.read_bytes())
    text = '{"skein_notes": 1, "bookmarks": [{"time_ns": 20, "text": "here <it> stops"}]}'
    server = Server(trace)
    for refused, status in ((server.post("/notes", text, origin="http://evil.example"), 403),
                            (server.post("/notes", text, token="0" * 32), 403),
                            (server.post("/notes", "no notes"), 400),
                            (server.post("/", text), 404), (server.post("/bundle", text), 404)):
        check(refused[0] == status and not beside.exists(), f"notes: {status}, and not {refused}")
    check(server.get("/notes", token=server.token)[0] == 404, "notes are part of the page only")
    check(server.post("/notes", text) == (204, b"") and beside.read_text() == text, "notes are kept")
    page = server.get("/", token=server.token)[2].decode("utf-16")
    check("here \\u003cit> stops" in page, "notes are there again")
    beside.write_text("another file")
    status, answer = server.post("/notes", text)
    check(status == 409 and b"skein-notes.json" in answer, f"a file that is no notes: {answer}")
    check(beside.read_text() == "another file", "is not written over")
    check("skein-notes.json" in server.get("/", token=server.token)[2].decode("utf-16"), "and is reported")
    server.stop()
    check(trace.read_bytes() == source.read_bytes(), "the trace is as it was")

    def made(command, name, encoding="utf-8"):
        done = subprocess.run([skein, command, trace, "-o", folder / name], capture_output=True, text=True)
        check(done.returncode == 0, f"{command}: {done}")
        return (folder / name).read_text(encoding), done.stderr
    check("notes are omitted" in made("render", "noted.svg")[1], "render reports it")
    check("notes are omitted" in made("html", "noted.html", "utf-16")[1], "html reports it")
    beside.write_text(text)
    check("here &lt;it" in made("render", "noted.svg")[0], "the picture has them")
    check("here \\u003cit> stops" in made("html", "noted.html", "utf-16")[0], "the page has them")


def big(folder, trace):
    """Of more than 64 MiB, sends the newest chunks and the definitions; reports the omission."""
    mib = 1 << 20
    big = folder / "big"
    shutil.copytree(trace, big)
    # Copies of a chunk of 2 MiB, at intervals of 100 s; not in the order of their names.
    head = next(path.read_bytes() for path in sorted(big.glob("s*-*")))[:HEADER]
    size = 2 * mib
    begins = {}
    for i in range(40):
        header = bytearray(head)
        header[32:40] = header[40:48] = (8 * size).to_bytes(8, "little")
        begins[f"s99999-{i}"] = begin = int.from_bytes(head[48:56], "little") + (i * 7 % 40 + 1) * 10**11
        header[24:32] = (99999).to_bytes(8, "little")
        header[48:56] = begin.to_bytes(8, "little")
        header[56:64] = i.to_bytes(8, "little")
        with (big / f"s99999-{i}").open("wb") as out:
            out.write(header)
            out.truncate(size)
    server = Server(big)
    page = Page(server)
    page.update()
    sent = {name.split("/")[1] for name in page.files}
    state = server.get("/bundle", token=server.token, have=page.version)[1]["x-skein-state"]
    every = {path.name for path in big.iterdir() if not path.name.startswith(".")}
    there = sorted(begins[name] for name in sent & set(begins))
    gone = [begins[name] for name in every - sent if name in begins]
    check(len(there) == 31 and max(gone) < there[0], f"64 MiB, with names: {len(there)} chunks")
    check({name for name in every if name.startswith("names-") or name == "metadata"} <= sent,
          f"what all need is sent: {sent}")
    check(f"the newest 64 MiB; {len(every - sent)} older chunks omitted" in state, state)
    server.stop()


with tempfile.TemporaryDirectory() as name:
    traces = [follows(pathlib.Path(name), mode) for mode in ("ring", "log")]
    asks(traces[0])
    file(pathlib.Path(name))
    notes(pathlib.Path(name))
    big(pathlib.Path(name), traces[0])
sys.exit(1 if failures else 0)
