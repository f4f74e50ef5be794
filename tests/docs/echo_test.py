#!/usr/bin/env python3
"""README's picture, docs/pictures/echo.svg: one request and its response, as ./demo records them. A
new picture must have the same texts; --renew replaces it.

usage: echo_test.py SKEIN PROGRAM SOURCE [--renew]"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

skein, program, source = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
renew = "--renew" in sys.argv[4:]
SPAN = 200_000  # ns
BEFORE = 30_000


def run(*words):
    return subprocess.run([skein, *map(str, words)], capture_output=True, text=True, check=True,
                          timeout=60).stdout


def record():
    server = subprocess.Popen([program, "server"], stdout=subprocess.PIPE, text=True,
                              env=dict(os.environ, SKEIN_TRACE="server,mode=log"))
    try:
        port = server.stdout.readline().split()[1]
        subprocess.run([program, "client", port, "200"], check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, SKEIN_TRACE="client,mode=log"), timeout=60)
        end = time.monotonic() + 60
        while json.loads(run("info", "--json", "server"))["failed"] == 0:  # until it notices the disconnect
            assert time.monotonic() < end, "the server does not notice"
            time.sleep(0.01)
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def find_request():
    """Returns the time of a request of the client on the common time axis: of the second half, the
    one with a duration closest to half of the picture's."""
    began, duration = {}, {}
    for line in run("dump", "--json", "client").splitlines():
        event = json.loads(line)
        if event["event"] == "create" and event.get("text") == "request":
            began[event["task"]] = event["time"]
        elif event["event"] == "resolve" and event["task"] in began:
            duration[event["task"]] = event["time"] - began[event["task"]]
    late = sorted(duration)[len(duration) // 2:]
    best = min(late, key=lambda task: abs(duration[task] - SPAN // 2))
    starts = [json.loads(run("info", "--json", trace))["start_utc_ns"]
              for trace in ("server", "client")]
    return began[best] + starts[1] - min(starts)


def texts(picture):
    return re.findall(r'<text class="(s\d+)"[^>]*>([^<]*)', picture.read_text())


def legend(picture):
    all_texts = texts(picture)
    style, = {style for style, text in all_texts if text == "task, waiting"}
    return [text for other, text in all_texts if other == style]


with tempfile.TemporaryDirectory(prefix="skein-echo-") as work:
    os.chdir(work)
    record()
    begin = find_request() - BEFORE
    run("render", "server", "client", "--from", f"{begin}ns", "--to", f"{begin + SPAN}ns",
        "--width", 1000, "--height", 460, "-o", "echo.svg")
    fresh, shown = pathlib.Path("echo.svg"), source / "docs/pictures/echo.svg"
    if renew:
        shutil.copyfile(fresh, shown)
    assert legend(fresh) == legend(shown), (legend(fresh), legend(shown))
    # Which names fit depends on the duration of the response; README mentions these.
    for picture in fresh, shown:
        missing = {"server", "client", "session", "request"} - {text for _, text in texts(picture)}
        assert not missing, (picture, missing)
    assert b"200 us visible" in shown.read_bytes()
    assert "docs/pictures/echo.svg" in (source / "README.md").read_text()
print("passed")
