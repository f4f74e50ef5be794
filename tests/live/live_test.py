#!/usr/bin/env python3
"""skein ps, snapshot and export on a running program, and on its trace after a kill.

    live_test.py SKEIN PROGRAM
"""
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

skein, program = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:3])
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print(what)


def run(*words):
    return subprocess.run([skein, *map(str, words)], capture_output=True, text=True, timeout=120)


def info(trace):
    return json.loads(run("info", "--json", trace).stdout)


def target_of(task):
    return task["target"] and task["target"]["id"]


def line_of(location):
    return location and (location["file"].rsplit("/", 1)[-1], location["line"])


def check_ps(of, ids, state):
    session, timer, mutex = ids
    listing = json.loads(run("ps", "--json", of).stdout)
    tasks = {task["id"]: task for task in listing["tasks"]}
    check(listing["running"] == (state == "running") and isinstance(listing["pid"], int),
          f"ps {of}: {listing['pid']}, {listing['running']}, not {state}")
    check(set(ids) <= set(tasks), f"ps {of}: tasks {set(ids) - set(tasks)} are missing")
    if not set(ids) <= set(tasks):
        return
    one = tasks[session]
    check(one["state"] == "suspended" and target_of(one) == timer and one["kind"] == "coroutine" and
          one["name"] == 'evil \x1b[31m"label"' and line_of(one["location"]) == ("program.cc", 20) and
          line_of(one["created_at"]) == ("program.cc", 10) and one["should_resolve"], f"ps {of}: {one}")
    check(tasks[timer]["state"] == "created" and tasks[timer]["parent"]["id"] == session,
          f"ps {of}: {tasks[timer]}")
    check(tasks[mutex]["state"] == "resource" and target_of(tasks[mutex]) == session,
          f"ps {of}: {tasks[mutex]}")
    heirs = {task["name"]: task for task in listing["tasks"]}
    check(not {"waiting", "running"} & set(heirs), f"ps {of}: {heirs.keys()}: became another")
    check(heirs["its_heir"]["state"] == "suspended" and target_of(heirs["its_heir"]) == timer,
          f"ps {of}: {heirs['its_heir']}")
    check(heirs["heir"]["state"] == "running", f"ps {of}: {heirs['heir']}")
    text = run("ps", "--tree", of).stdout
    check(f", {state})" in text.splitlines()[0], f"ps {of}: {text}")
    check("\x1b" not in text, f"ps {of}: an escape sequence reaches the terminal")
    lines = text.splitlines()
    above = next((i for i, line in enumerate(lines) if f"(#{session})  " in line and line[0] != " "), None)
    check(above is not None and re.match(rf"  \S.*\(#{timer}\)  ", lines[above + 1]), f"ps --tree: {text}")
    check(all(len(line) <= 100 for line in lines), "ps: a line is too wide")


def check_trace(trace, what):
    """Nothing is torn, and babeltrace2 sees the same number of events."""
    json_of = info(trace)
    # A packet that the ring overwrote during the snapshot is missing as a whole.
    damage = [loss for loss in json_of["lost"] if loss["packets"] is None]
    check(not damage, f"{what}: {damage[:2]}")
    if shutil.which("babeltrace2"):
        seen = subprocess.run(["babeltrace2", trace], capture_output=True, text=True, timeout=120)
        names = sum(json_of["definitions"].values())
        check(seen.returncode == 0, f"{what}: babeltrace2 exits with {seen.returncode}")
        # These belong to the next event and are not counted.
        about = re.compile(r"\) (at|extra): \{")
        events = [line for line in seen.stdout.splitlines() if not about.search(line)]
        check(len(events) == json_of["events"] + names,
              f"{what}: babeltrace2 sees {len(events)} events, skein "
              f"{json_of['events']} and {names} definitions")
    return json_of


def main(folder):
    trace = folder / "trace"
    environment = dict(os.environ, SKEIN_TRACE=f"{trace},size=64K")
    process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True, env=environment)
    try:
        ids = [int(word) for word in process.stdout.readline().split()]
        check_ps(process.pid, ids, "running")
        check_ps(trace, ids, "running")
        for i in range(20):
            copy = folder / f"copy{i}"
            done = run("snapshot", process.pid if i % 2 else trace, "-o", copy)
            check(done.returncode == 0, f"snapshot: {done.stderr}")
            check_trace(copy, f"snapshot {i}")
        check_ps(copy, ids, "ended")
        # A copy of a program that records nothing for a while ends when it was made.
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        done = run("snapshot", trace, "-o", folder / "stopped")
        process.send_signal(signal.SIGCONT)
        check(done.returncode == 0, f"snapshot of a stopped process: {done.stderr}")
        asleep = [task["duration_ns"] for task in json.loads(run("ps", "--json", folder / "stopped").stdout)["tasks"]]
        check(asleep and min(asleep) >= 400_000_000, f"a snapshot ends at its last event: {asleep}")
        modes = {stat.S_IMODE(path.stat().st_mode) for path in copy.iterdir()}
        check(modes == {0o600} and stat.S_IMODE(copy.stat().st_mode) == 0o700, f"modes {modes}")
        again = run("snapshot", trace, "-o", copy)
        check(again.returncode == 2 and len(again.stderr.splitlines()) == 1,
              f"snapshot into an existing directory: {again.returncode} {again.stderr}")
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    check_ps(trace, ids, "ended")
    original = check_trace(trace, "killed")
    dead = run("ps", process.pid)
    check(dead.returncode == 2 and dead.stderr.startswith("skein: "), f"ps of no process: {dead}")

    # The exported trace has the same content.
    exported = folder / "exported"
    check(run("export", "ctf", trace, "-o", exported).returncode == 0, "export fails")
    copied = check_trace(exported, "exported")
    for key in ("tasks", "ended", "live", "labels", "duration_ns", "start_utc_ns"):
        check(copied[key] == original[key], f"exported: {key} {copied[key]}, not {original[key]}")


with tempfile.TemporaryDirectory() as name:
    main(pathlib.Path(name))
sys.exit(1 if failures else 0)
