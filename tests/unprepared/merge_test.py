#!/usr/bin/env python3
"""merge_test.py SKEIN PROGRAM SOURCES: records a program of which one source is built without skein, and compares what
`skein ps` and `skein why` print about its memory while it runs."""
import collections
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

skein, program, sources = sys.argv[1:]
LINES = {mark: number for number, line in enumerate(open(Path(sources) / "untraced.cc"), 1)
         for mark in re.findall(r"// @(\w+)", line)}
TRACED = {mark: number for number, line in enumerate(open(Path(sources) / "traced.cc"), 1)
          for mark in re.findall(r"// @(\w+)", line)}
UNTRACED = collections.Counter({("inner", LINES["inner"]): 2, ("untraced", LINES["untraced"]): 2})
SECONDS = int(os.environ.get("SKEIN_TEST_SECONDS", "60"))


def check(condition, what):
    if not condition:
        sys.exit(f"merge_test: {what}")


def run(*words, status=0):
    done = subprocess.run([skein, *map(str, words)], capture_output=True, text=True)
    check(done.returncode == status, f"skein {words}: {done.returncode} {done.stderr}")
    return done.stdout


def memory(pid, command="ps", *options):
    return json.loads(run(command, "--json", *options, pid))["memory"]


def unseen(of):
    return collections.Counter((one["function"].rsplit("::", 1)[-1], one["location"]["line"])
                               for one in of["not_in_trace"])


@contextlib.contextmanager
def running(environment, *arguments):
    process = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, **environment})
    try:
        check(process.stdout.readline() == "ready\n", "the program is not ready")
        yield process.pid
    finally:
        process.kill()
        process.wait()


def check_text(pid):
    for command in ("ps", "why"):
        text = run(command, pid)
        begin = text.find("In memory, but not in the trace: 4 coroutines.")
        check(begin > 0, text)
        check(f"untraced.cc:{LINES['inner']}" in text[begin:] and "traced.cc:" not in
              text[begin:].replace("untraced.cc:", ""), text)


def check_options(pid, trace):
    """What only memory shows of a process that records."""
    tree = run("ps", "--group", pid)
    check(f"is recorded to {trace}." in re.sub(r"\s+", " ", tree) and "not recorded" not in tree, tree)
    check(re.search(r"^ *2 +twice", tree, re.M) and f"untraced.cc:{LINES['inner']}" in tree, tree)
    check("In memory, but not in the trace" not in tree, tree)
    for command in ("ps", "why"):
        text = run(command, "--locals", "--stop", pid)
        check("event = " in text and re.search(r"It stood still for [\d.]+ [mun]?s to be read\.", text), text)
        found = memory(pid, command, "--locals", "--stop")
        check(found["paused_ns"] > 0 and unseen(found) == UNTRACED, found)
        names = collections.Counter(one["function"].rsplit("::", 1)[-1] for one in found["locals"])
        check(names["twice"] == 4 and all(one["task"] for one in found["locals"] if one["function"] == "twice"), found)
        check((found["stacks"] is not None) == (command == "why"), found)
    check("Call stacks:" in run("why", "--stop", pid), "stacks")
    check(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "S", "its state")


def check_core(core, trace, is_here):
    """The core of a process that recorded."""
    for command in ("ps", "why"):
        text = re.sub(r"\s+", " ", run(command, core))
        check(f"was recorded to {trace}" in text and "not recorded" not in text, text)
        check(("that trace is not here" in text) != is_here, text)
        check(command == "ps" or (f"skein why {trace}" in text) == is_here, text)
        check(json.loads(run(command, "--json", core))["trace"] == trace, "trace")


with tempfile.TemporaryDirectory() as folder:
    recorded = {"SKEIN_TRACE": f"{folder}/%p"}
    with running(recorded, "0") as pid:
        check_text(pid)
        for command in ("ps", "why"):
            found = memory(pid, command)
            check(found["searched"] and found["omitted"] is None and found["coroutines"] == 11, found)
            check(unseen(found) == UNTRACED, found)
            check(not found["not_in_memory"] and not found["other_place"], found)

        trace = f"{folder}/{pid}"
        check_options(pid, trace)
        for options in (["ps", "--group"], ["ps", "--locals"], ["ps", "--stop"], ["why", "--locals"], ["why", "--stop"]):
            refused = subprocess.run([skein, *options, trace], capture_output=True, text=True)
            check(refused.returncode == 2 and "is a trace, which has no memory; give the PID" in refused.stderr, refused)
        cores = [f"{folder}/snapshot"]
        run("core", pid, "-o", cores[0])
        if shutil.which("gcore"):
            subprocess.run(["gcore", "-o", f"{folder}/core", str(pid)], capture_output=True, check=True)
            cores.append(f"{folder}/core.{pid}")
    for core in cores:
        check_core(core, trace, True)
    os.rename(trace, f"{folder}/elsewhere")
    for core in cores:
        check_core(core, trace, False)

    # A child of one that records, and does not record itself.
    with running(recorded, "0", "fork") as pid:
        child = int(Path(f"/proc/{pid}/task/{pid}/children").read_text())
        check("is not recorded" in run("ps", child), "a child")
        run("core", child, "-o", f"{folder}/child")
        text = re.sub(r"\s+", " ", run("ps", f"{folder}/child"))
        check(f"recorded to {folder}/{pid}, or was forked from a process that was" in text, text)

    # No false alarm while threads create and destroy coroutines.
    with running(recorded, "2") as pid:
        for _ in range(20):
            found = memory(pid)
            check(unseen(found) == UNTRACED, found["not_in_trace"])
            check(not found["not_in_memory"] and not found["other_place"], found)

    with running(recorded, "0", "lost") as pid:
        found = memory(pid)
        check([one["task"]["name"] for one in found["not_in_memory"]] == ["leaf"], found)
        check(unseen(found) == UNTRACED, found)
        check("In the trace, but not in memory" in run("ps", pid), "no section")

    with running(recorded, "0", "moved") as pid:
        found = memory(pid)
        check([(one["in_trace"]["line"], one["in_memory"]["line"]) for one in found["other_place"]]
              == [(TRACED["event"], TRACED["other"])], found)
        check("At another co_await in memory" in run("ps", pid), "no section")

    # Too much memory is searched only on request.
    with running(recorded, "0", "large") as pid:
        found = memory(pid)
        check(not found["searched"] and re.fullmatch(r"it has 1,\d\d\d MiB.*", found["omitted"]), found)
        check("was not searched: it has" in run("ps", pid), "no reason")
        check(unseen(memory(pid, "ps", "--search-memory")) == UNTRACED, "--search-memory")

    # Coroutines that have not run since the recording began.
    socket = f"{folder}/control"
    with running({"SKEIN_CONTROL": socket, "SKEIN_TRACE": ""}, "0") as pid:
        end = time.monotonic() + SECONDS
        while not os.path.exists(socket) and time.monotonic() < end:
            time.sleep(0.01)
        run("control", socket, "start", f"{folder}/late")
        found = memory(pid)
        check(unseen(found).total() == 11, found)
