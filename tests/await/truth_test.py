#!/usr/bin/env python3
"""Time by logical stack of programs that measure it themselves (program.cc).

usage: truth_test.py SKEIN PROGRAM SOURCE
"""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

skein, program, source = sys.argv[1:]
source = pathlib.Path(source)
SLACK = 2_000  # ns: clocks are rounded, and measured against each other


def expect(what, good, shown=""):
    if not good:
        sys.exit(f"FAILED: {what}: {shown}")


def line_of_marks():
    marks = {}
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if mark := re.search(r"; +// ([a-z])$", line):
            marks[mark[1]] = number
    return marks


MARKS = line_of_marks()


def stack_of(text):
    """"serve:a;leaf" -> ("serve (program.cc:12)", "leaf")."""
    names = []
    for frame in text.split(";"):
        name, _, mark = frame.partition(":")
        names.append(f"{name} ({source.name}:{MARKS[mark]})" if mark else name)
    return tuple(names)


def folded(trace, *options):
    done = subprocess.run([skein, "flame", trace, "--format", "folded", *options], capture_output=True, text=True)
    times = collections.Counter()
    if done.returncode == 2:
        expect("only because there are none", " time in this range" in done.stderr, done)
        return times
    expect("skein flame", done.returncode == 0, done)
    for line in done.stdout.splitlines():
        stack, _, ns = line.rpartition(" ")
        times[tuple(stack.split(";"))] += int(ns)
    return times


def of_early_members(counts, stack):
    """On a busy machine, a part of when_all may run before what joins it waits."""
    return sum(count for part, count in counts.items()
               if part[0].startswith("member") and part != stack and part == stack[-len(part):])


def check(case, folder):
    trace = folder / case
    done = subprocess.run([program, case], capture_output=True, text=True, check=True,
                          env={**os.environ, "SKEIN_TRACE": str(trace)})
    running, ready, suspended = (folded(trace, "--time", time) for time in ("running", "ready", "suspended"))
    told = collections.defaultdict(dict)
    for line in done.stdout.splitlines():
        bound, state, ns, *stack = line.split(" ", 3)
        told[bound, state][stack_of(stack[0]) if stack else None] = int(ns)
    for stack, ns in told["least", "running"].items():
        early = of_early_members(running, stack)
        expect(f"{case}: {stack} ran for at least {ns}", running[stack] + early + SLACK >= ns, running)
    most = told["most", "running"][None]
    expect(f"{case}: ran for at most {most}", sum(running.values()) <= most * 1.001 + SLACK, running)
    waited = suspended + ready
    for stack, ns in told["least", "waiting"].items():
        early = of_early_members(waited, stack)
        expect(f"{case}: {stack} waited for at least {ns}", waited[stack] + early + SLACK >= ns, (suspended, ready))
    for stack, ns in told["most", "waiting"].items():
        expect(f"{case}: {stack} waited for at most {ns}", waited[stack] <= ns * 1.001 + SLACK, (suspended, ready))
    # Nothing ran elsewhere: what is not known was between what the program measures.
    own = set(told["most", "waiting"]) | set(told["least", "running"])
    known = {stack[:depth] for stack in own for depth in range(1, len(stack) + 1)}
    names = {tuple(re.sub(r" \(.*", "", name) for name in stack) for stack in known}
    for stack in running:
        plain = tuple(re.sub(r" \(.*", "", name) for name in stack)
        # A member of when_all runs before its creator begins to wait for it.
        expect(f"{case}: a stack of the program", plain in names or plain[0] == "member" or plain == ("spawn",), plain)
    by_thread = folded(trace, "--time", "running", "--by", "thread")
    expect(f"{case}: threads add up", sum(by_thread.values()) == sum(running.values()), by_thread)
    return running, by_thread, trace


with tempfile.TemporaryDirectory() as scratch:
    scratch = pathlib.Path(scratch)
    for case in "threads", "transfer", "detached":
        check(case, scratch)
    running, by_thread, trace = check("migration", scratch)
    wander = next(stack for stack in running if stack[-1] == "wander")
    threads = [stack for stack in by_thread if stack[1:] == wander]
    expect("it ran on several threads", len(threads) >= 2, by_thread)
    pool = folded(trace, "--time", "running", "--by", "executor")
    expect("which have one name", len({stack[0] for stack in pool}) == 1, pool)
    running, _, trace = check("when_all", scratch)
    everything = folded(trace, "--time", "all")
    expect("all is the sum", sum(everything.values()) == sum(
        sum(folded(trace, "--time", time).values()) for time in ("running", "ready", "suspended")), everything)
print("await: as measured by the programs")
