#!/usr/bin/env python3
"""Commands need memory for what a trace contains, not for what it claims, and never more than
--memory allows.

usage: memory_test.py SKEIN SOURCE"""
import gzip
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import time
import urllib.request

from common import SECONDS, SKEIN, expect, run, start, work_in_new_folder

source = pathlib.Path(sys.argv[2]).resolve()
folder = work_in_new_folder("memory")
EVERY = source / "tests/data/skein/every-event"
MIB = 1 << 20


# A process's peak includes the memory of the one that started it, so this small one does.
MEASURE = """
import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(pid, 0)
os.write(1, b"\\n%d %d" % (os.waitstatus_to_exitcode(status), used.ru_maxrss * 1024))
"""


def measured(*words):
    """Returns the exit code, standard error and the peak memory of a command in bytes."""
    r = subprocess.run([sys.executable, "-ISc", MEASURE, SKEIN, *map(str, words)],
                       capture_output=True, timeout=SECONDS, check=True)
    code, used = r.stdout[r.stdout.rindex(b"\n"):].split()
    return int(code), r.stderr.decode(), int(used)


def measured_server(trace, *options):
    """Serves a trace to a page and returns the server's peak memory in bytes."""
    server = start([SKEIN, "serve", *options, str(trace)], stdout=subprocess.PIPE, text=True)
    link = re.fullmatch(r"(.*)/\?(token=.*)", server.stdout.readline().strip())
    expect(f"serve {trace}", link, server.poll())
    with urllib.request.urlopen(f"{link[1]}/bundle?{link[2]}", timeout=SECONDS) as bundle:
        expect(f"serve sends {trace}", len(bundle.read()) > 100)
    status = pathlib.Path(f"/proc/{server.pid}/status").read_text(encoding="utf-8")
    server.terminate()
    expect(f"serve of {trace} is interrupted", server.wait(SECONDS) == 0, server.returncode)
    return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) * 1024


has_page = "without the page" not in run("html", EVERY, "-o", "x.html").stderr

# ---- small files with many streams

pathlib.Path("many_threads.json").write_text(json.dumps({"traceEvents": [
    {"ph": "X", "ts": i, "dur": 1, "pid": 1, "tid": i, "name": "t"} for i in range(4000)]}))


def many_streams(path):
    """Writes a file of skein's in which an event is on thread 60,000."""
    expect("fxt", run("export", "fxt", EVERY, "-o", path).returncode == 0)
    words = list(struct.unpack(f"<{os.path.getsize(path) // 8}Q", path.read_bytes()))
    at = 0
    while at < len(words):
        if words[at] & 15 == 3:  # a thread record: the process, the thread
            words[at + 2] = 60_000
        at += words[at] >> 4 & 0xfff
    path.write_bytes(struct.pack(f"<{len(words)}Q", *words))


many_streams(pathlib.Path("many_streams.fxt"))
cases = ["many_threads.json", "many_streams.fxt"]
shared = pathlib.Path(os.environ.get("SKEIN_DATA", source.parent / "shared/data")) / "../cases"
cases += [shared / name for name in cases if (shared / name).exists()]
plain = measured("info", EVERY)[2]
for i, trace in enumerate(cases):
    for words in (["info"], ["why"], ["doctor"], ["export", "csv"], ["export", "ctf", "-o", f"copy-{i}"],
                  *([["html", "-o", "page.html"]] if has_page else [])):
        code, err, used = measured(*words, trace)
        expect(f"{words} of {trace}", code == 0 or words[0] in ("why", "doctor"), (code, err))
        expect(f"the memory of {words} of {trace}", used < plain + 32 * MIB, f"{used / MIB:.0f} MiB")
    if has_page:
        used = measured_server(trace, "--memory=256M")
        expect(f"the memory of serve {trace}", used < plain + 32 * MIB, f"{used / MIB:.0f} MiB")
for i, trace in enumerate(cases):
    if str(trace).endswith(".fxt"):  # it has three threads, whatever their numbers are
        expect(f"files of a copy of {trace}", len(os.listdir(f"copy-{i}")) < 20)

# ---- many nested locks

LOCKS = 20_000


def ours(number, event, **fields):
    return {"ph": "i", "pid": 1, "tid": 1, "ts": number, "cat": "skein", "name": event, "s": "t",
            "args": {"event": event, "task": 1, **fields}}


def nested(path, takings):
    """Writes a trace in which task 1 acquires these locks and releases none."""
    events = [ours(0, "create", type="coroutine")]
    events += [ours(0, "resource", other=10 + lock, type="mutex") for lock in sorted(set(takings))]
    events += [ours(1 + i, "acquire", other=10 + lock) for i, lock in enumerate(takings)]
    pathlib.Path(path).write_text(json.dumps({"traceEvents": events}))


nested("few.json", range(10))
nested("nested.json", range(LOCKS))
nested("circular.json", [*range(LOCKS), *range(0, LOCKS, 2)])
few = measured("doctor", "few.json")[2]
for trace in "nested.json", "circular.json":
    without = measured("stats", trace)[2] - measured("stats", "few.json")[2]
    begin = time.monotonic()
    code, err, used = measured("doctor", trace)
    expect(f"doctor of {trace}", code in (0, 1), (code, err))
    if has_page:
        served = measured_server(trace)
        expect(f"the memory of serve {trace}", served < few + 60 * MIB, f"{served / MIB:.0f} MiB")
    expect("memory per nested lock", used - few < without + LOCKS * 1000 + 60 * MIB,
           (used, few, without))

# ---- the limit

for size in "x", "0", "1k", "-1", "1.5G", "999999999999T":
    r = run("info", f"--memory={size}", EVERY)
    expect(f"--memory={size}", r.returncode == 2 and f"--memory: invalid size '{size}'" in r.stderr, r)
r = run("info", "--memory", "16M", EVERY)
expect("a small trace needs little", r.returncode == 0, r)
pathlib.Path("large.json").write_text(json.dumps({"traceEvents": [
    {"ph": "X", "ts": i, "dur": 1, "pid": 1, "tid": i % 7, "name": f"slice {i}"}
    for i in range(200_000)]}))
TRACE_COMMANDS = [["info"], ["dump"], ["ps"], ["show", "--all"], ["why"], ["doctor"],
                  ["critical"], ["stats"], ["query", "SELECT count(*) FROM wait"],
                  ["render", "-o", "x.svg"], ["export", "chrome"], ["export", "fxt", "-o", "x.fxt"],
                  ["export", "ctf", "-o", "x.skein"]]
if has_page:
    TRACE_COMMANDS += [["html", "-o", "x.html"], ["serve"]]


def line(command, trace, *more):
    words = command if command[0] != "query" else command[:1]
    return [*words, *more, trace, *command[len(words):]]


for command in TRACE_COMMANDS:
    for output in "x.svg", "x.html":
        pathlib.Path(output).unlink(missing_ok=True)
    r = run(*line(command, "large.json", "--memory", "16M"))
    expect(f"{command} of a large trace", r.returncode == 2 and re.search(
        r"^skein: (large.json: )?this command needs (at least [\d.]+ [KMG]iB of memory, more|more memory) than --memory allows "
        r"\(16 MiB\); ", r.stderr, re.M), r)
    expect("no half output", not os.path.exists("x.svg") and not os.path.exists("x.html"), os.listdir())

# ---- a sparse file claims to be large

BEGINNINGS = {
    "sparse.json": b'{"traceEvents":[{"ph":"i","ts":1,"pid":1,"tid":1,"name":"x"},',
    "sparse.fxt": pathlib.Path("many_streams.fxt").read_bytes(),
    "sparse.ctf": (source / "tests/data/mirage/straight.ctf").read_bytes(),
    "sparse.json.gz": gzip.compress(b'{"traceEvents":[]}'),
    "sparse": b""}
for name, begin in BEGINNINGS.items():
    pathlib.Path(name).write_bytes(begin)
shutil.copytree(EVERY, "sparse.skein")
for file in [*BEGINNINGS, *pathlib.Path("sparse.skein").glob("[!.]*")]:
    os.truncate(file, 1 << 40)
for trace in [*BEGINNINGS, "sparse.skein"]:
    for command in TRACE_COMMANDS:
        if command == ["serve"]:
            continue  # it runs until it is interrupted
        for output in "x.svg", "x.html", "x.skein":
            shutil.rmtree(output, ignore_errors=True)
            pathlib.Path(output).unlink(missing_ok=True)
        r = run(*line(command, trace, "--memory", "512M"))
        expect(f"{command} of {trace}", r.returncode in (0, 1, 2), r)
        expect(f"{command} of {trace}", "bad_alloc" not in r.stderr and "terminate" not in r.stderr, r)
