#!/usr/bin/env python3
"""views_test.py SKEIN SOURCE COMPILER OPTION...: compiles a program of coroutines without skein, and reads its memory,
and its core, with the commands that draw and search. Those that need a recording must reject it."""
import json
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

skein, source, compiler, *options = sys.argv[1:]
if not shutil.which(compiler):
    print(f"skipped: no {compiler}")
    sys.exit(77)
LINES = {mark: number for number, line in enumerate(open(source), 1) for mark in re.findall(r"// @(\w+)", line)}
ALIKE = 300


def check(condition, what):
    if not condition:
        sys.exit(f"views_test: {what}")


def run(*words, status=0):
    done = subprocess.run([skein, *map(str, words)], capture_output=True, text=True)
    check(done.returncode == status, f"skein {words}: {done.returncode} {done.stderr}")
    return done.stdout + done.stderr


def query(target, sql):
    return json.loads(run("query", "--json", target, sql))


def examine(folder, target):
    rows = {}
    for row in query(target, "SELECT function, state, line, verdict, count(*) AS n FROM coroutine GROUP BY 1, 2, 3, 4"):
        rows[row["function"]] = row
    expected = {"first": ("waits", LINES["first"], "deadlock", 1), "second": ("waits", LINES["second"], "deadlock", 1),
                "leaf": ("waits", LINES["leaf"], "unknown", ALIKE), "root": ("waits", LINES["root"], "unknown", ALIKE),
                "done": ("has ended", None, "usual", 1)}
    for function, (state, line, verdict, count) in expected.items():
        row = rows.pop(function)
        check((row["state"], row["line"], row["verdict"], row["n"]) == (state, line, verdict, count), row)
    idle = rows.pop("idle")  # clang has no state for those that were not started
    check((idle["state"], idle["verdict"]) in (("not started", "not started"), (None, "usual")), idle)
    check(not rows, f"more functions: {rows}")
    edges = query(target, "SELECT a.function AS f, b.function AS g, count(*) AS n FROM coroutine a JOIN coroutine b"
                          " ON a.awaits = b.id GROUP BY 1, 2 ORDER BY 1")
    check([(one["f"], one["g"], one["n"]) for one in edges]
          == [("first", "second", 1), ("root", "leaf", ALIKE), ("second", "first", 1)], edges)
    # The tables of a trace have the same, and no time. A coroutine that has ended is no task.
    tasks = query(target, "SELECT count(*) AS n, sum(duration_ns) AS ns, count(end_ns) AS ended,"
                          " sum(live_state = 'suspended') AS suspended FROM task WHERE kind = 'coroutine'")[0]
    suspended = 2 + 2 * ALIKE + (idle["state"] is None)
    check(tasks == {"n": 3 + 2 * ALIKE, "ns": 0, "ended": 0, "suspended": suspended}, tasks)
    check(query(target, f"SELECT count(*) AS n FROM wait WHERE line = {LINES['root']} AND function = 'root'")[0]["n"]
          == ALIKE, "waits of root")
    check("CREATE TABLE coroutine" in run("query", target, ".schema coroutine"), "no schema")

    shown = run("show", "--all", "--width", 150, target)
    check("Read from memory, without a recorder" in shown and "one instant" in shown, shown[:300])
    check("since the start" not in shown, shown[:300])
    check(f"first, views.cc:{LINES['first']}: deadlock" in shown and f"\u2514 second, views.cc:{LINES['second']}" in shown, shown)
    check(f"{ALIKE} such chains, 20 shown" in shown, shown)
    check(len(re.findall(r"root, views.cc", shown)) == 20, shown)
    svg = folder / "picture.svg"
    run("render", target, "-o", svg)
    text = svg.read_text()
    check("Read from memory, without a recorder" in text and "deadlock" in text, "the picture")
    check(" visible" not in text and "since the start" not in text, "the picture has times")
    page = folder / "page.html"
    made = subprocess.run([skein, "html", str(target), "-o", page], capture_output=True, text=True)
    if "built without the page" in made.stderr:
        return
    check(made.returncode == 0, made.stderr)
    check(page.stat().st_size < 300_000, f"the page has {page.stat().st_size} bytes")
    title = ", memory - skein</title>"
    check(title in page.read_bytes().decode("utf-16", "replace"), "the title of the page")


def refusals(process, core):
    for command in ("stats", "info", "dump", "doctor", "critical"):
        check("not recording" in run(command, process.pid, status=2), command)
        check("a core file, not a recording; skein ps, why" in run(command, core, status=2), command)
    check("a core file" in run("diff", core, core, status=2), "diff")
    for format in ("csv", "chrome", "folded"):
        check("one instant, without events; use skein query" in run("export", format, core, status=2), format)


def exports(folder, target):
    """A table of tasks, and a trace that the other commands read."""
    tasks = run("export", "csv", "--table", "tasks", target)
    check(len(re.findall(r"root, views.cc", tasks)) == ALIKE, tasks[:300])
    copy = folder / f"copy-{Path(str(target)).name}"
    run("export", "ctf", target, "-o", copy)
    found = run("query", copy, "SELECT count(*) AS suspended FROM task WHERE live_state = 'suspended'")
    check(int(re.search(r"^ *(\d+)$", found, re.M)[1]) >= 2 + 2 * ALIKE, f"a copy: {found}")


def serves(target, process):
    """The live page, which reads a process again when it is loaded."""
    server = subprocess.Popen([skein, "serve", str(target)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        link = server.stdout.readline().strip()
        if not link:
            check("built without the page" in server.stderr.read(), "serve")
            return
        address, token = link.split("/?")

        def get(path, more=""):
            with urllib.request.urlopen(f"{address}{path}?{token}{more}", timeout=60) as answer:
                return answer.headers, answer.read()
        check(", memory" in get("/")[1].decode("utf-16"), "the title of the live page")
        headers, data = get("/bundle")
        check(len(data) > 1000 and headers["X-Skein-State"].startswith("read from"), headers)
        version = headers["X-Skein-Version"]
        check(get("/bundle", f"&have={version}")[1] == b"", "a change without one")
        if process:
            check("a reload reads it again" in headers["X-Skein-State"], headers)
            process.kill()
            process.wait()
            get("/")
            headers, data = get("/bundle", "&have=")
            check(len(data) > 1000 and headers["X-Skein-State"].endswith("it has ended"), headers)
    finally:
        server.terminate()
        check(server.wait() == 0, "the end of serve")


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    program = folder / "views"
    subprocess.run([compiler, "-std=c++20", *options, source, "-o", program], check=True)
    process = subprocess.Popen([program, str(ALIKE)], stdout=subprocess.PIPE, text=True)
    try:
        check(process.stdout.readline() == "ready\n", "the program is not ready")
        examine(folder, process.pid)
        if shutil.which("gcore"):
            subprocess.run(["gcore", "-o", folder / "core", str(process.pid)], capture_output=True, check=True)
            core = folder / f"core.{process.pid}"
            examine(folder, core)
            refusals(process, core)
            exports(folder, core)
            serves(core, None)
        else:
            print("core: skipped, no gcore")
        exports(folder, process.pid)
        serves(process.pid, process)
    finally:
        process.kill()
        process.wait()
