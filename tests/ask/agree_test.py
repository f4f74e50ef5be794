#!/usr/bin/env python3
"""info, ps, why, stats, query, export and the viewer's panel agree on which tasks are live, ended
and waiting: on every trace in tests/data and SKEIN_DATA, and on a ring of a killed program that
wrapped many times.

    agree_test.py SKEIN PRINT_PANELS LIVE_PROGRAM SOURCE
"""
import csv
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

skein, print_panels, program, source = (pathlib.Path(argument).resolve() for argument in sys.argv[1:5])
MOST = 12  # tasks per trace to diagnose; each runs a process of skein why
failures = []


def run(*words):
    done = subprocess.run([skein, *map(str, words)], capture_output=True, timeout=60)
    assert done.returncode in (0, 1), (words, done)
    return done.stdout.decode()


def equal(what, got, wanted):
    if got != wanted:
        failures.append(what)
        print(f"{what}: {got}, not {wanted}")


LIVE = ("created", "running", "runnable", "suspended", "unknown")


def compare_panel(trace, listed, info):
    """Checks the panels of the trace and of every task. Returns the verdict of each, by id."""
    done = subprocess.run([print_panels, trace], capture_output=True, timeout=60)
    assert done.returncode == 0, (trace, done)
    tasks, ended, *rows = done.stdout.decode().splitlines()
    equal(f"{trace}: the panel", [tasks, ended], [f"tasks {info['tasks']:,}", f"ended {info['ended']:,}"])
    rows = [row.split("\t") for row in rows]
    shown = sorted((int(id), state, target) for id, state, target, _ in rows if state in LIVE)
    equal(f"{trace}: live in the panel", shown,
          sorted((task["id"], task["state"], str(task["target"]["id"]) if task["target"] else "-")
                 for task in listed))
    return {int(id): verdict for id, _, _, verdict in rows}


def compare(trace):
    if subprocess.run([skein, "info", trace], capture_output=True).returncode == 2:
        return None  # not a trace
    listed = [task for task in json.loads(run("ps", "--json", trace))["tasks"]
              if task["state"] != "resource"]
    live = sorted((task["id"], task["state"]) for task in listed)
    info = json.loads(run("info", "--json", trace))
    equal(f"{trace}: live in info", info["live"], len(live))
    equal(f"{trace}: waiting in info", info["waiting"],
          sum(state in ("suspended", "runnable") for _, state in live))
    equal(f"{trace}: tasks in info", info["tasks"], info["live"] + info["ended"])

    verdicts = compare_panel(trace, listed, info)

    groups = json.loads(run("stats", "--json", trace))["groups"]
    equal(f"{trace}: open in stats", sum(group["live"] for group in groups), len(live))
    equal(f"{trace}: tasks in stats", sum(group["tasks"] for group in groups), info["tasks"])

    equal(f"{trace}: failed in stats", sum(group["failed"] for group in groups), info["failed"])

    rows = json.loads(run("query", "--json", trace, "SELECT id, name, state, live_state FROM task "
                                                    "WHERE NOT resource"))
    for end in ("failed", "cancelled"):
        equal(f"{trace}: {end} in query", sum(row["state"] == end for row in rows),
              sum(group[end] for group in groups))
    equal(f"{trace}: live in query", sorted((row["id"], row["live_state"]) for row in rows
                                            if row["state"] == "live"), live)
    equal(f"{trace}: ended in query", sum(row["state"] != "live" for row in rows), info["ended"])
    names = {(row["id"], row["name"] or "") for row in rows}
    equal(f"{trace}: names in ps", [task["id"] for task in listed
                                    if (task["id"], task["name"]) not in names], [])
    table = csv.DictReader(io.StringIO(run("export", "csv", "--table", "tasks", trace, "-o", "-")))
    state_of = {}
    for row in table:
        state_of.setdefault(int(row["id"]), []).append(row["state"])
    equal(f"{trace}: live in CSV", [task for task, _ in live if "live" not in state_of[task]], [])

    # An id that occurs twice does not identify a task.
    ids = [row["id"] for row in rows]
    once = [row for row in rows if ids.count(row["id"]) == 1]
    step = max(1, len(once) // MOST)
    for row in once[::step]:
        if row["state"] == "became":
            continue
        diagnosis = json.loads(run("why", "--json", trace, row["id"]))["diagnoses"][0]
        step = diagnosis["chain"][0]
        if row["state"] == "live":
            equal(f"{trace}: verdict of {row['id']}", verdicts[row["id"]], diagnosis["verdict"])
            task = next(task for task in listed if task["id"] == row["id"])
            for member in ("state", "since_ns", "target"):
                equal(f"{trace}: {member} of {row['id']}", step[member], task[member])
        else:
            equal(f"{trace}: end of {row['id']}", step["state"], row["state"])
    return live


def make_ring(folder):
    """Kills a program after one of its threads has filled its ring many times."""
    trace = folder / "ring.skein"
    process = subprocess.Popen([program], stdout=subprocess.PIPE,
                               env=dict(os.environ, SKEIN_TRACE=f"{trace},size=64K"))
    try:
        process.stdout.readline()
        while json.loads(run("info", "--json", trace))["overwritten_packets"] < 100:
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    return trace


data = pathlib.Path(os.environ.get("SKEIN_DATA", source / "../shared/data"))
traces = sorted((source / "tests/data/mirage").iterdir()) + sorted((source / "tests/data/ctf").iterdir())
traces += sorted((source / "tests/data/skein").iterdir())
traces += [path for path in sorted(data.glob("*")) if path.suffix in (".ctf", ".fxt")]
for one in traces:
    compare(one)
with tempfile.TemporaryDirectory(prefix="skein-agree-") as name:
    ring = make_ring(pathlib.Path(name))
    in_ring = compare(ring)
    equal("live tasks of the ring, few of the thousands that ended", len(in_ring) < 20, True)
    copy = pathlib.Path(name) / "copy.skein"
    run("snapshot", ring, "-o", copy)
    equal("a snapshot", compare(copy), in_ring)
sys.exit(1 if failures else 0)
