#!/usr/bin/env python3
"""skein profile writes a page with a time line: of a program that nothing has prepared, whose coroutines are known
(logical/tree.cc), without frame pointers. Skipped if the kernel does not permit perf_event_open, or without the page.

usage: page_test.py SKEIN TREE.cc COMPILER"""
import collections
import csv
import io
import pathlib
import subprocess
import sys
import tempfile

skein, source, compiler = sys.argv[1:]


def expect(what, good, shown=""):
    if not good:
        sys.exit(f"FAILED: {what}: {shown}")


def run(*command, code=0):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    expect(" ".join(map(str, command)), done.returncode == code, done)
    return done


def query(trace, sql):
    return list(csv.reader(io.StringIO(run(skein, "query", trace, "--csv", sql).stdout)))[1:]


def check_trace(data, least=200):
    """The samples as a trace."""
    samples = int(query(data, "SELECT count(*) FROM sample")[0][0])
    folded = data.with_suffix(".folded")
    run(skein, "flame", data, "--by", "thread", "-o", folded)
    expect("samples", samples > least, samples)
    pairs = collections.Counter({(child, parent): int(count) for child, parent, count in query(data, """
        SELECT c.function, p.function, count(*) FROM task c JOIN task p ON c.parent = p.id GROUP BY 1, 2""")})
    # Who awaits whom in the program; others may only be damage.
    known = {("parse", "serve"), ("leaf", "parse"), ("reply", "serve"), ("leaf", "reply"), ("deep", "reply"), ("deep", "deep"),
             ("leaf", "deep"), ("leaf", "gather"), ("part", "gather"), ("leaf", "part"), ("leaf", "notify"),
             ("call", "legacy"), ("old_leaf", "call")}
    right = sum(count for (child, parent), count in pairs.items()
                if (child.removeprefix("app::"), parent.removeprefix("app::")) in known)
    print(f"{samples} samples, {pairs.total()} tasks with awaiters, {right} of them right")
    expect("awaiters", right >= 0.99 * pairs.total() > least / 2, pairs)
    tasks = query(data, "SELECT function, count(*) FROM task GROUP BY 1")
    expect("serve is one task", 1 <= int(dict(tasks).get("app::serve", 0)) <= 3, tasks)
    overlaps = query(data, """
        SELECT count(*) FROM (SELECT start_ns, max(end_ns) OVER (PARTITION BY executor_id ORDER BY start_ns, end_ns
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM activation) WHERE start_ns < before""")
    expect("a thread runs one task at a time", overlaps[0][0] == "0", overlaps)
    for command in ("why", "doctor", "critical"):
        words = [skein, command, data] + (["serve"] if command == "critical" else [])
        error = run(*words, code=2).stderr
        expect(f"skein {command} has no verdict on a profile", "a profile, which has no waits" in error, error)


with tempfile.TemporaryDirectory(prefix="skein-profile-page-") as folder:
    folder = pathlib.Path(folder)
    program, data, page, alone = folder / "server", folder / "server.data", folder / "server.html", folder / "alone.flame.html"
    run(compiler, "-std=c++20", "-g", "-O2", "-fomit-frame-pointer", "-pthread", source, "-o", program)
    done = subprocess.run([skein, "profile", "-o", data, "--", program, "2"], capture_output=True, text=True)
    if "perf_event_open" in done.stderr:
        print("skipped:", done.stderr)
        sys.exit(77)
    expect("profile", done.returncode == 0, done)
    check_trace(data)

    # The same with the waits of threads.
    waits, trace, folded = folder / "waits.data", folder / "waits.skein", folder / "waits.folded"
    run(skein, "profile", "--off-cpu", "-o", waits, "--", program, "1")
    check_trace(waits, 100)
    run(skein, "profile", "--off-cpu", "-o", trace, "--", program, "1")
    run(skein, "flame", trace, "--time", "off-cpu", "-o", folded)
    states = query(trace, "SELECT state, count(stack) FROM thread_state GROUP BY 1 ORDER BY 1")
    expect("states", [state for state, _ in states] == ["blocked", "preempted", "running"] and int(states[0][1]) > 0 and
           "main" in folded.read_text(), states)
    last = query(trace, "SELECT count(*) FROM thread_state a JOIN thread_state b ON a.tid = b.tid AND a.rowid < b.rowid "
                        "AND a.end_ns > b.start_ns")
    expect("a thread has one state at a time", last[0][0] == "0", last)

    picture = folder / "server.svg"
    run(skein, "render", data, "-o", picture)
    expect("a picture states what its times mean", "From samples at" in picture.read_text(), picture)
    shown = run(skein, "show", data, "--width", 120).stdout
    expect("and so does the terminal", "From samples at" in shown, shown)

    done = subprocess.run([skein, "html", data, "-o", page], capture_output=True, text=True)
    if "without the page" in done.stderr:
        print("skipped:", done.stderr)
        sys.exit(77)
    expect("skein html", done.returncode == 0, done)
    size = page.stat().st_size
    run(skein, "profile", "-o", page, "--", program, "1")
    expect("the page", page.stat().st_size > 100_000 and b"<svg" not in page.read_bytes(), size)
    run(skein, "profile", "-o", alone, "--", program, "0.5")
    expect("the flame graph alone", "<svg" in alone.read_text(), alone)
    print(f"page of 2 s: {size} bytes")
