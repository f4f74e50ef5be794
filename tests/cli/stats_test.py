#!/usr/bin/env python3
"""`skein stats`: groups of tasks, their times and a histogram, for a program with known tasks.

    stats_test.py SKEIN HANGING_PROGRAM
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from common import expect, info, run, start, until

hang = sys.argv[2]


def groups(*arguments):
    said = run("stats", "--json", *arguments)
    expect("it goes well", said.returncode == 0, said)
    return {group["name"]: group for group in json.loads(said.stdout)["groups"]}


def test(folder):
    trace = folder / "good.skein"
    subprocess.run([hang, "1"], env=dict(os.environ, SKEIN_TRACE=str(trace)), check=True,
                   stdout=subprocess.DEVNULL)
    by_name = groups(trace)
    created = info(trace)["kinds"]["create"]
    for by in ("name", "kind", "location"):
        expect(f"all tasks are in it, by {by}",
               sum(group["tasks"] for group in groups(trace, "--by", by).values()) == created)
    query = by_name["query"]
    expect("it has one, which ended", (query["tasks"], query["live"], query["failed"]) == (1, 0, 0), query)
    expect("its time is what it did",
           query["running_ns"] + query["runnable_ns"] + query["waiting_ns"] <= query["latency_ns"]["max"],
           query)
    expect("it waited", query["waiting_ns"] > 0, query)
    timers = groups(trace, "--by", "kind")["timer"]
    expect("a histogram counts each once",
           sum(timers["latency_ns"]["histogram"]) == timers["tasks"] - timers["live"], timers)
    program = start([hang, "10"], env=dict(os.environ, SKEIN_TRACE=str(folder / "bad.skein,mode=log")))
    until(lambda: (folder / "bad.skein/metadata").exists() and
          info(folder / "bad.skein")["kinds"].get("suspend", 0) >= 7, "it hangs")
    program.kill()
    program.wait()
    for group in groups(folder / "bad.skein").values():
        times = [group["latency_ns"][name] for name in ("p50", "p90", "p99", "max")]
        ended = group["tasks"] > group["live"]
        expect("a time is there if something has ended", all((t is not None) == ended for t in times), group)
    expect("nothing has ended", groups(folder / "bad.skein")["query"]["live"] == 1)
    places = [place for place in groups(trace, "--by", "location") if "050-hang.cc:" in place]
    expect("by line", places, "no line of the program")
    text = run("stats", trace, "query").stdout
    expect("as text", all(word in text for word in ("p50", "waiting", "query", "  from ", "#")), text)
    missing = run("stats", trace, "no-such-name")
    expect("no task has that name", missing.returncode == 2 and "no-such-name" in missing.stderr, missing)
    wrong = run("stats", trace, "--by", "colour")
    expect("no such way", wrong.returncode == 2 and "colour" in wrong.stderr, wrong)


if not os.path.exists(hang):
    print("skipped: the example is built only where there is Boost.Asio")
    sys.exit(77)
with tempfile.TemporaryDirectory(prefix="skein-stats-") as name:
    test(pathlib.Path(name))
print("passed")
