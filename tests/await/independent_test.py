#!/usr/bin/env python3
"""Time by logical stack, computed from the events by its definition, moment by moment.

usage: independent_test.py SKEIN ROOT PROGRAM

Traces: of PROGRAM (program.cc), and eio-net.fxt in $SKEIN_DATA, which is left out where it is missing.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

skein, root, program = sys.argv[1:]
data = pathlib.Path(os.environ.get("SKEIN_DATA", pathlib.Path(root).parent / "shared/data"))
NEVER = float("inf")


def expect(what, good, shown=""):
    if not good:
        sys.exit(f"FAILED: {what}: {shown}")


class Slow:
    """What tasks did, from the events of one trace in skein's terms."""

    def __init__(self, trace):
        self.has_calls = trace.suffix != ".fxt"  # of others, only switches are known
        self.tasks, self.runs, self.waits = {}, [], []
        self.current = {}  # executor -> [task, since]
        self.labels = collections.defaultdict(list)
        self.end = 0
        lines = subprocess.run([skein, "dump", "--json", trace], capture_output=True, text=True, check=True).stdout
        for line in lines.splitlines():
            self.follow(json.loads(line))
        for executor in list(self.current):
            self.stop(executor, self.end)

    def stop(self, executor, time):
        task, since = self.current.pop(executor, (None, 0))
        if task is not None and since < time:
            self.runs.append((task, since, time, executor))

    def run(self, executor, task, time):
        if self.current.get(executor, (None,))[0] != task:
            self.stop(executor, time)
            self.current[executor] = (task, time)

    def close(self, task, time, waker=None):
        for wait in self.waits:
            if wait["task"] == task and wait["end"] == NEVER:
                wait.update(end=time, ready=min(wait["ready"], time), waker=wait["waker"] or waker)

    def follow(self, event):
        kind, time, task, other = event["event"], event["time"], event.get("task"), event.get("other")
        executor = event["executor"]["id"] if "executor" in event else 0
        self.end = max(self.end, time)
        if kind == "create":
            self.tasks[task] = {"name": event.get("text"), "kind": event["kind"], "parent": other, "start": time,
                                "end": NEVER, "at": event.get("location")}
        elif kind == "label":
            self.labels[task].append(event["text"])
        elif kind == "resume":
            self.close(task, time, other)
            self.run(executor, task, time)
        elif kind == "switch_to":
            self.run(executor, task, time)
        elif kind == "idle":
            self.stop(executor, time)
        elif kind == "suspend":
            self.close(task, time)
            self.waits.append({"task": task, "on": other, "begin": time, "ready": NEVER, "end": NEVER, "waker": None,
                               "at": event.get("location")})
            if self.current.get(executor, (None,))[0] == task:
                self.stop(executor, time)
        elif kind in ("resolve", "fail", "cancel"):
            if kind != "cancel":
                for wait in self.waits:
                    if wait["on"] == task and wait["ready"] == NEVER:
                        wait.update(ready=time, waker=other)
            self.close(task, time)
            self.tasks[task]["end"] = min(self.tasks[task]["end"], time)
            if self.current.get(executor, (None,))[0] == task:
                self.stop(executor, time)
        elif kind not in ("executor_begin", "executor_end", "wake", "pause", "span_begin", "span_end", "counter_add",
                          "scope_enter", "scope_exit", "scope_cancel", "scope_member"):
            sys.exit(f"FAILED: this test does not know the event {kind}")

    # ---- by moments ----

    def awaiter(self, task, time):
        for wait in self.waits:
            if self.is_suspended(wait, time) and wait["on"] == task != wait["task"]:
                return wait
        for wait in self.waits:
            if self.is_suspended(wait, time) and wait["on"] is None and self.is_joined(task, wait) and \
                    time < self.tasks[task]["end"]:
                return wait
        return None

    def is_suspended(self, wait, time):
        return wait["begin"] <= time < min(wait["ready"], self.end)

    def is_joined(self, task, wait):
        waker = self.tasks.get(wait["waker"])
        one = self.tasks[task]
        return (waker is not None and waker["parent"] == wait["task"] == one["parent"] and
                (one["end"] <= wait["ready"] or task == wait["waker"]) and one["end"] > wait["begin"] and
                (one["name"], one["at"], one["kind"]) == (waker["name"], waker["at"], waker["kind"]))

    def caller(self, run):
        """The run that has started this one without a wait; None: the event loop did."""
        task, start, _, executor = run
        waited = any(wait["task"] == task and wait["begin"] < start for wait in self.waits)
        if waited or not self.has_calls or self.awaiter(task, start):
            return None
        for before in self.runs:
            if before[2] == start and before[3] == executor and before[0] == self.tasks[task]["parent"]:
                if not any(w["task"] == before[0] and w["begin"] <= start < w["end"] for w in self.waits) and \
                        self.tasks[before[0]]["end"] > start:
                    return before
        return None

    def frame(self, task, at=None):
        name = self.tasks[task]["name"]
        if self.labels[task]:
            name = f"{name} [{self.labels[task][0]}]" if name else self.labels[task][0]
        name = name or self.tasks[task]["kind"]
        if not at:
            return name
        return name + (f" ({pathlib.PurePath(at['file']).name}:{at['line']})" if at.get("file") else f" ({at['function']})")

    def stack(self, task, at, time):
        above = self.awaiter(task, time)
        return (self.stack(above["task"], above["at"], time) if above else ()) + (self.frame(task, at),)

    def stack_of_run(self, run, time):
        caller = self.caller(run)
        return (self.stack_of_run(caller, caller[1]) if caller else self.stack(run[0], None, time)[:-1]) + \
            (self.frame(run[0]),)

    def does_something(self, task, time):
        return any(run[0] == task and run[1] <= time < run[2] for run in self.runs) or \
            any(wait["task"] == task and wait["begin"] <= time < min(wait["end"], self.end) for wait in self.waits)

    def times(self):
        found = {state: collections.Counter() for state in ("running", "ready", "suspended")}
        moments = {time for run in self.runs for time in run[1:3]} | {
            min(wait[key], self.end) for wait in self.waits for key in ("begin", "ready", "end")} | {
            task[key] for task in self.tasks.values() for key in ("start", "end") if task[key] != NEVER}
        moments = sorted(moments)
        for time, after in zip(moments, moments[1:]):
            ns = after - time
            for run in self.runs:
                if run[1] <= time < run[2]:
                    found["running"][self.stack_of_run(run, time)] += ns
            for wait in self.waits:
                if not wait["begin"] <= time < min(wait["end"], self.end):
                    continue
                own = self.stack(wait["task"], wait["at"], time)
                if not self.is_suspended(wait, time):
                    found["ready"][own] += ns
                    continue
                below = [task for task in self.tasks if self.tasks[task]["start"] <= time and self.awaiter(task, time) is wait]
                for task in below:
                    if not self.does_something(task, time):
                        found["suspended"][own + (self.frame(task),)] += ns
                if not below:
                    found["suspended"][own + ((self.frame(wait["on"]),) if wait["on"] is not None else ())] += ns
        return found


def folded(trace, state):
    done = subprocess.run([skein, "flame", trace, "--format", "folded", "--time", state], capture_output=True, text=True)
    found = collections.Counter()
    expect("skein flame", done.returncode == 0 or "time in this range" in done.stderr, done)
    for line in done.stdout.splitlines():
        stack, _, ns = line.rpartition(" ")
        found[tuple(stack.split(";"))] += int(ns)
    return found


def check(trace):
    for state, expected in Slow(trace).times().items():
        found = folded(trace, state)
        expected = collections.Counter({stack: ns for stack, ns in expected.items() if ns})
        expect(f"{trace.name}, {state}", found == expected, {"only skein": found - expected, "only here": expected - found})


with tempfile.TemporaryDirectory() as scratch:
    scratch = pathlib.Path(scratch)
    for case in "threads", "migration", "when_all", "transfer", "detached":
        trace = scratch / case
        subprocess.run([program, case], capture_output=True, check=True, env={**os.environ, "SKEIN_TRACE": str(trace)})
        check(trace)
    if (data / "eio-net.fxt").exists():
        check(data / "eio-net.fxt")
print("await: as computed from the events")
