#!/usr/bin/env python3
"""recorded_locks_test.py SKEIN WRAPPER SOURCE COMPILER OPTION...: two coroutines of a program that records take two locks
of the program in opposite orders. Its trace does not show who holds a lock; `skein why` adds what its memory shows."""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

skein, wrapper, source, *command = sys.argv[1:]


def check(condition, what):
    if not condition:
        sys.exit(f"recorded_locks_test: {what}")


with tempfile.TemporaryDirectory() as folder:
    program = Path(folder) / "program"
    subprocess.run([wrapper, *command, "-std=c++20", source, "-o", program], check=True)
    process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "SKEIN_TRACE": f"{folder}/trace"})
    try:
        check(process.stdout.readline() == "ready\n", "the program is not ready")
        run = subprocess.run([skein, "why", "--json", str(process.pid)], capture_output=True, text=True)
        found = json.loads(run.stdout)
        text = subprocess.run([skein, "why", str(process.pid)], capture_output=True, text=True).stdout
    finally:
        process.kill()
        process.wait()
tasks = {step["task"]["id"] for one in found["diagnoses"] for step in one["chain"] if step["task"]["name"] == "transfer"}
locks = found["memory"]["held_locks"]
edges = {(waiter["task"], holder["task"]) for lock in locks for waiter in lock["waiters"] for holder in lock["holders"]}
check(len(locks) == 2 and all(lock["type"].endswith("Mutex") for lock in locks), locks)
check(all(holder["probable"] and not holder["certain"] for lock in locks for holder in lock["holders"]), locks)
check(tasks and len(edges) == 2 and all((b, a) in edges and a != b for a, b in edges), edges)
check(tasks <= {one for edge in edges for one in edge}, (tasks, edges))
section = text[text.find("Its memory shows which coroutines hold"):]
check(len(re.findall(r"probably held by another \S*transfer \(lock_order.cc:\d+\)", section)) == 2, text)
check(run.returncode == 0, "it is no certain deadlock")
