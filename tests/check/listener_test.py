#!/usr/bin/env python3
"""listener_test.py SKEIN LISTENER: skein/gtest.h names tests in the trace, and explains one that hangs."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from common import SKEIN, SECONDS, can_trace, expect, explains

listener = sys.argv[2]
PATH = {"PATH": f"{pathlib.Path(SKEIN).parent}:{os.environ['PATH']}"}


def start(*words, **variables):
    return subprocess.run([listener, *words], capture_output=True, text=True, timeout=SECONDS,
                          env=os.environ | PATH | variables)


with tempfile.TemporaryDirectory(prefix="skein-check-test-") as folder:
    plain = start()
    expect("not recorded", plain.returncode == 1 and "2 tests" in plain.stdout and plain.stderr == "", plain)
    trace = f"{folder}/trace"
    run = start(SKEIN_TRACE=trace)
    expect("recorded", run.returncode == 1, run)
    dump = subprocess.run([SKEIN, "ps", "--json", trace], capture_output=True, text=True)
    expect("no live tasks", dump.returncode == 0 and json.loads(dump.stdout)["tasks"] == [], dump)
    stats = json.loads(subprocess.run([SKEIN, "stats", "--json", trace], capture_output=True, text=True).stdout)
    groups = {group["name"]: group for group in stats["groups"]}
    for name, failed in (("Server.Answers", 0), ("Server.Refuses", 1), ("Server.WaitsForAnswer", 0)):
        expect(f"a task {name}", groups.get(name, {}).get("failed") == failed, groups)
    if not can_trace():
        sys.exit(0)
    for variables in ({}, {"SKEIN_TRACE": f"{folder}/hang"}):
        run = start("hang", **variables)
        expect("it aborts", run.returncode == -6, run)
        expect("the test", "Server.WaitsForAnswer: it did not end within 1000 ms" in run.stderr, run)
        expect("the reason", explains(run.stderr, "listener.cc"), run)
        expect("from the trace if there is one", ("is not recorded" in run.stderr) == (not variables), run)
