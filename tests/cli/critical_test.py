#!/usr/bin/env python3
"""`skein critical` on programs with known critical paths.

    critical_test.py SKEIN HANGING_PROGRAM
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from common import expect, run

hang = sys.argv[2]


def path(*arguments):
    said = run("critical", "--json", *arguments)
    expect("it is a good exit", said.returncode == 0, said)
    found = json.loads(said.stdout)
    time = found["from_ns"]
    for segment in found["segments"]:
        expect("no gap, no overlap", segment["begin_ns"] == time < segment["end_ns"], (time, segment))
        time = segment["end_ns"]
    expect("up to the end", time == found["to_ns"], found)
    return found


def timer(folder):
    """A query waits for the acknowledgement, which takes 1 ms, and for the response, after 5 ms.

    How long it is ready, waiting for a busy machine's processor, is unknown.
    """
    trace = folder / "good.skein"
    subprocess.run([hang, "1"], env=dict(os.environ, SKEIN_TRACE=str(trace)), check=True,
                   stdout=subprocess.DEVNULL)
    found = path(trace, "query")
    expect("of the query", found["task"]["name"] == "query", found["task"])
    outside = [s for s in found["segments"] if s["kind"] == "external"]
    expect("the timers", {s["task"]["name"] for s in outside} == {"deadline_timer.async_wait"}, outside)
    expect("the location of the request",
           all(s["location"]["file"].endswith("050-hang.cc") for s in outside), outside)
    drawn = run("show", trace, "--critical-path", "query", "--color", "never")
    expect("without colours it cannot be seen", drawn.stdout.endswith("skein critical prints it as text.\n"),
           drawn)
    shown = run("critical", trace, "query")
    expect("as text", all(text in shown.stdout for text in
                          ("query (#", "running", "external", "deadline_timer.async_wait (#", " %")), shown)
    part = path(trace, "query", "--from", "1ms", "--to", "1.5ms")
    expect("a part of it", (part["from_ns"], part["to_ns"]) == (1_000_000, 1_500_000), part)
    by_name = path(trace, "--from", "pause_for", "--to", "query")
    expect("by names", by_name["task"]["name"] == "query", by_name["task"])


def mirage():
    source = pathlib.Path(__file__).parents[2]
    net = pathlib.Path(os.environ.get("SKEIN_DATA", source / "../shared/data")) / "net.ctf"
    if not net.exists():
        return print("no net.ctf: its part is skipped")
    found = path(net)
    expect("all of it", found["to_ns"] == 5_898_599_766, found["to_ns"])
    lines = run("critical", net).stdout.splitlines()
    expect("the longest steps only", len(lines) < 100, len(lines))
    expect("all", len(run("critical", net, "--all").stdout.splitlines()) > 2 * len(lines), "--all")


def mistakes(folder):
    trace = folder / "good.skein"
    for arguments, text in ((["no-such-task"], "no-such-task"),
                            (["--from", "999s"], "--from 999s: the trace ends at "),
                            (["--from", "query", "--to", "0"], "--from query is not before --to 0"),
                            (["--to", "0"], "--to 0 is not after the start of the path"),
                            (["query", "--to", "0"], "--to 0 is not after the start of the path"),
                            (["--from", "9us", "--to", "8us"], "--from 9us is not before --to 8us"),
                            (["--from", "-1s"], "before the trace"), (["--to", "soon"], "is neither a time")):
        said = run("critical", trace, *arguments)
        expect(f"{arguments} is refused", said.returncode == 2 and text in said.stderr, said)


if not os.path.exists(hang):
    print("skipped: the example is built only where there is Boost.Asio")
    sys.exit(77)
with tempfile.TemporaryDirectory(prefix="skein-critical-") as name:
    timer(pathlib.Path(name))
    mistakes(pathlib.Path(name))
mirage()
print("passed")
