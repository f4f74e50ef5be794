#!/usr/bin/env python3
"""A ring that has overwritten its beginning: the live task table adds older waiting tasks to the
model while the program runs, after it is killed, and in a snapshot.

    ring_test.py SKEIN ECHO_PROGRAM
"""
import json
import os
import pathlib
import sys
import tempfile

from common import expect, info, run, start, until

echo = sys.argv[2]


def parsed(*words):
    said = run(*words)
    expect(f"{words[0]} goes well", said.returncode in (0, 1), said)
    return json.loads(said.stdout)


def created_in(trace):
    lines = run("dump", "--json", trace).stdout.splitlines()
    return {event["task"] for event in map(json.loads, lines) if event["event"] == "create"}


def chain_of(trace, task):
    return parsed("why", "--json", trace, task)["diagnoses"][0]["chain"]


def check(what, trace, folder):
    """Every task in the table is in the model, whether or not its create event is in the trace."""
    table = parsed("ps", "--json", trace)["tasks"]
    tasks = {task["id"]: task for task in table if task["state"] != "resource"}
    old = tasks.keys() - created_in(trace)
    expect(f"{what}: some are older", len(old) >= 3, (old, tasks))
    expect(f"{what}: info counts them", info(trace)["pre_existing"] >= len(old), info(trace))
    for number in old:
        if run("why", trace, number).returncode == 2:  # it has ended, and the event was overwritten
            still = {task["id"] for task in parsed("ps", "--json", trace)["tasks"]}
            expect(f"{what}: live tasks are known", number not in still, tasks[number])
            continue
        chain = chain_of(trace, number)
        expect(f"{what}: its name", chain[0]["task"]["name"] == tasks[number]["name"], (chain, tasks[number]))
    serve = next(task for task in tasks.values() if task["name"] == "serve")
    expect(f"{what}: serve is old", serve["id"] in old, tasks)
    chain = chain_of(trace, serve["id"])
    expect(f"{what}: down to the accept",
           [step["task"]["name"] for step in chain] == ["serve", "socket.async_accept"], chain)
    expect(f"{what}: since before the trace", chain[0]["since_ns"] < 0, chain)
    expect(f"{what}: in which line", chain[0]["location"]["file"].endswith("030-asio.cc"), chain)
    picture = folder / "picture.svg"
    said = run("render", trace, "-o", picture)
    expect(f"{what}: it is drawn", said.returncode == 0, said)
    texts = picture.read_text()
    for text in (">serve<", "socket.async_accept", "created before the trace"):
        expect(f"{what}: {text} in the picture", text in texts)
    return serve["id"]


def test(folder):
    trace = folder / "ring.skein"
    program = start([echo, "both", "0", "0"], env=dict(os.environ, SKEIN_TRACE=f"{trace},size=64k"))
    until(lambda: (trace / "metadata").exists(), "it records")
    until(lambda: info(trace)["overwritten_packets"] > 0 and
          not {task["id"] for task in parsed("ps", "--json", trace)["tasks"]
               if task["name"] in ("serve", "socket.async_accept")} & created_in(trace),
          "the beginning is overwritten")
    serve = check("while it runs", trace, folder)
    snapshot = folder / "snapshot.skein"
    expect("a snapshot", run("snapshot", trace, "-o", snapshot).returncode == 0)
    program.kill()
    program.wait()
    expect("the same one", check("killed", trace, folder) == serve)
    expect("in a snapshot too", check("snapshot", snapshot, folder) == serve)
    # Without the table, the model does not contain the task.
    (trace / ".tasks").unlink()
    expect("no such task", run("why", trace, serve).returncode == 2)


if not os.path.exists(echo):
    print("skipped: the example was not built (no Boost.Asio)")
    sys.exit(77)
with tempfile.TemporaryDirectory(prefix="skein-ring-") as name:
    test(pathlib.Path(name))
print("passed")
