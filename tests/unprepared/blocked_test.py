#!/usr/bin/env python3
"""blocked_test.py SKEIN SOURCE: threads that cannot go on, as `skein why` and `skein check` show them: without a main
thread."""
import contextlib
import json
import os
import re
import signal
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
def running(program, mode, busy=0):
    """After it has come to rest: all of its threads but `busy` ones wait, have ended or are stopped."""
    process = subprocess.Popen([program, mode], stdout=subprocess.PIPE, text=True)
    try:
        expect(mode, process.stdout.readline() == "ready\n", "not ready")
        while sum(state_of(task) == "R" for task in Path(f"/proc/{process.pid}/task").iterdir()) > busy:
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


def waits(text):
    """The thread that each line of "Threads" shows as the holder of a mutex, by the thread that waits."""
    return {int(found[1]): found[2] for found in
            re.finditer(r"^ *(\d+)(?: and .*?others?)?  .*waits for a mutex that (thread \d+ holds|it holds itself)", text, re.M)}


def held(program, mode, busy, holder_state):
    """A thread that sleeps or computes holds the mutex that another one waits for: no deadlock."""
    with running(program, mode, busy) as process:
        for words in (), ("--stop",):
            got = run("why", *words, process.pid)
            threads, _, stacks = got.stdout.partition("\nCall stacks")
            found = waits(threads.partition("\nThreads:")[2])
            expect(f"{mode} {words}", got.returncode == 0 and "deadlock" not in got.stdout and len(found) == 1, got)
            (waiter, holder), = found.items()
            number = re.fullmatch(r"thread (\d+) holds", holder)[1]
            expect(f"{mode} {words}: the holder", re.search(rf"^ *{number} .*{holder_state}", threads, re.M), got)
            if words:
                expect(f"{mode}: call stacks", f"thread {waiter} (blocked) waits for a mutex that {holder}" in stacks, got)


def stopped(program):
    """The holder of a mutex is in a process that was stopped by a signal."""
    with running(program, "held") as process:
        process.send_signal(signal.SIGSTOP)
        while state_of(Path(f"/proc/{process.pid}")) != "T":
            time.sleep(0.01)
        for words in (), ("--stop",):
            got = run("why", *words, process.pid)
            expect(f"stopped {words}", got.returncode == 0 and "stopped by a signal" in got.stdout and
                   "deadlock" not in got.stdout and "computes" not in got.stdout, got)
        expect("still stopped", state_of(Path(f"/proc/{process.pid}")) == "T")


def itself(program):
    """A thread takes its mutex twice."""
    with running(program, "itself") as process:
        for words in (), ("--stop",):
            got = run("why", *words, process.pid)
            threads, _, stacks = got.stdout.partition("\nCall stacks")
            expect(f"itself {words}", got.returncode == 1 and list(waits(threads).values()) == ["it holds itself"] and
                   "waits for a mutex that it holds: a deadlock." in threads, got)
            expect(f"itself {words}", not words or "waits for a mutex that it holds itself" in stacks, got)


def crowd(program):
    """Many threads that wait for the same mutex are one line; those of a deadlock have their own lines."""
    with running(program, "crowd") as process:
        for words in (), ("--stop",):
            got = run("why", *words, process.pid)
            expect(f"crowd {words}", got.stdout.count(f"and 49 others  blocked  waits for a mutex that thread {process.pid} holds")
                   == 1, got)
    with running(program, "crowd-deadlock") as process:
        for words in (), ("--stop",):
            got = run("why", *words, process.pid)
            threads, _, stacks = got.stdout.partition("\nCall stacks")
            of_two = re.search(r"Threads (\d+) and (\d+) wait for each other's", threads)
            expect(f"crowd-deadlock {words}", got.returncode == 1 and of_two, got)
            lines = threads.partition("\nThreads:")[2]
            expect(f"crowd-deadlock {words}", lines.count("and 49 others") == 1 and
                   all(re.search(rf"^ *{one}  blocked", lines, re.M) for one in of_two.groups()), got)
            expect(f"crowd-deadlock {words}: stacks", not words or
                   all(f"thread {one} (blocked) waits for a mutex" in stacks for one in of_two.groups()), got)


def sleeping(program):
    """The system call in which a thread sleeps has a name, also right after an earlier stop."""
    with running(program, "sleeps") as process:
        got = run("why", "--stop", process.pid)
        expect("sleeps", "do_syscall_64" not in got.stdout and "computes" not in got.stdout and
               got.stdout.count("sleeps (") == 2, got)


def named(program, folder):
    """Names of threads may contain anything."""
    core = folder / "named.core"
    page = folder / "named.html"
    with running(program, "named") as process:
        run("core", process.pid, "-o", core)
        for target in process.pid, core:
            run("html", target, "-o", page)
            texts = {words: run(*words, target).stdout for words in (("why",), ("why", "--stop"), ("why", "--json"), ("ps",))}
            expect(f"{target}: why", "</script>\\x1b[2J" in texts["why",], texts["why",])
            for words, text in texts.items():
                expect(f"{target} {words}: control characters",
                       not re.search("[\x00-\x08\x0b-\x1f\u202e]", text), ascii(text)[:2000])
            json.loads(texts["why", "--json"])
            html = page.read_bytes() if page.exists() else b""
            expect(f"{target}: html", b"</script>\x1b" not in html and b"<b>\xe2\x80\xae" not in html)


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
    held(built, "held", 0, "sleeps")
    held(built, "computes", 1, "computes")
    stopped(built)
    itself(built)
    crowd(built)
    sleeping(built)
    named(built, Path(folder))
    others(built)
