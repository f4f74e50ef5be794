#!/usr/bin/env python3
"""blocked_test.py SKEIN SOURCE: threads that cannot go on, as `skein why` and `skein check` show them: without a main
thread."""
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

skein, source = os.path.abspath(sys.argv[1]), sys.argv[2]


def expect(what, condition, detail=""):
    if not condition:
        sys.exit(f"blocked_test: {what}: {detail}")


def run(*words):
    return subprocess.run([skein, *map(str, words)], capture_output=True, text=True, timeout=120)


def state_of(folder):
    return (folder / "stat").read_text().rpartition(")")[2].split()[0]


@contextlib.contextmanager
def running(program, mode):
    """After it has come to rest: all of its threads wait, have ended or are stopped."""
    process = subprocess.Popen([program, mode], stdout=subprocess.PIPE, text=True)
    try:
        expect(mode, process.stdout.readline() == "ready\n", "not ready")
        while any(state_of(task) == "R" for task in Path(f"/proc/{process.pid}/task").iterdir()):
            time.sleep(0.01)
        time.sleep(0.1)
        yield process
    finally:
        process.kill()
        process.wait()


def left(program):
    """The main thread has left by pthread_exit()."""
    with running(program, "left") as process:
        while state_of(Path(f"/proc/{process.pid}")) != "Z":
            time.sleep(0.01)
        for words in (), ("--stop",):
            got = run("ps", "--json", *words, process.pid)
            expect(f"ps {words}", got.returncode == 0, got)
            names = [one["function"].rsplit("::", 1)[-1] for one in json.loads(got.stdout)["coroutines"]]
            expect(f"ps {words}", names == ["waits"], got)
            got = run("why", *words, process.pid)
            expect(f"why {words}", got.returncode == 0 and "waits" in got.stdout and "pause" in got.stdout, got)
    got = run("check", "--timeout", "1s", "--", program, "left")
    expect("check", got.returncode == 1 and "Call stacks:" in got.stderr + got.stdout and
           "  pause " in got.stderr + got.stdout, got)


def deadlock(program):
    """Two threads, each with a mutex that the other one waits for."""
    with running(program, "deadlock") as process:
        for words in (), ("--stop",):
            got = run("why", *words, process.pid)
            expect(f"why {words}", got.returncode == 1 and "takes_first" in got.stdout and "takes_second" in got.stdout and
                   "deadlock" in got.stdout, got)


def others(program):
    """A condition variable and a semaphore are no mutexes."""
    with running(program, "others") as process:
        got = run("why", process.pid)
        expect("why", got.returncode == 0 and "deadlock" not in got.stdout and "holds" not in got.stdout, got)


with tempfile.TemporaryDirectory() as folder:
    built = Path(folder) / "blocked"
    subprocess.run(["g++", "-std=c++20", "-g", "-O1", "-pthread", source, "-o", built], check=True)
    left(built)
    deadlock(built)
    others(built)
