#!/usr/bin/env python3
"""The viewer shows the same tasks as stuck as `skein why` reports: of each program in this folder (case.h),
recorded until its end, again with a small ring, and until SIGKILL.

    picture_test.py SKEIN PRINT_STUCK PROGRAMS [--only-of FILE...] [--only REGEX] [--quick]

Compared are the alarm, the filter, the red waits, the tasks that key `e` selects in turn, their highlights and
panels (print_stuck.cc), `skein why --json`, and `skein why --json TASK` of up to MOST tasks of each trace.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import time

import corpus

MOST = 6
counts = collections.Counter()


def run(*words):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=corpus.SECONDS)
    if done.returncode not in (0, 1) or not done.stdout:
        return None
    return json.loads(done.stdout)


def first(diagnosis):
    return diagnosis["chain"][0]["task"]["id"]


def compare(trace):
    """The disagreements; None if there is nothing to read."""
    why, seen = run(SKEIN, "why", "--json", trace), run(PRINT_STUCK, trace)
    if why is None and seen is None:
        return None
    if why is None or seen is None:
        return [f"read by one only: why {why is not None}, viewer {seen is not None}"]
    wrong = []

    def expect(what, holds, *evidence):
        if not holds:
            wrong.append(" ".join([what, *map(str, evidence)]))

    errors = [one for one in why["diagnoses"] if one["error"]]
    others = {first(one) for one in why["diagnoses"] if not one["error"]} - {first(one) for one in errors}
    fronts = list(dict.fromkeys(first(one) for one in errors))
    cycle = [one["id"] for one in seen["cycle"]]
    # A task that is diagnosed twice counts once.
    tasks = sum(1 + one["similar"] for one in errors) - (len(errors) - len(fronts))
    counts["traces"] += 1
    counts["with stuck tasks"] += tasks != 0
    counts["destroyed while stuck"] += tasks != 0 and why["teardown_ns"] is not None
    counts["stuck tasks"] += tasks
    expect("e selects", len(cycle) == tasks, cycle, "not", tasks)
    expect("e selects in another order", [id for id in cycle if id in fronts] == fronts, cycle, fronts)
    expect("the filter keeps", set(seen["kept"]) == set(cycle), seen["kept"], "not", cycle)
    expect("red are", set(seen["red"]) == set(cycle), seen["red"], "not", cycle)
    expect("nothing is painted red", seen["painted"] or not tasks)
    number = re.match(r"([\d,]+) ", seen["alarm"])
    expect("the alarm counts", (int(number[1].replace(",", "")) if number else 0) == tasks, seen["alarm"], tasks)
    expect("no error, but kept:", not others & set(seen["kept"]), others & set(seen["kept"]))
    for one in {one["verdict"] for one in errors}:
        expect("the alarm lacks", one in seen["alarm"], one, seen["alarm"])

    def why_task(id):
        found = run(SKEIN, "why", "--json", trace, id)
        return next((one for one in found["diagnoses"] if first(one) == id), None) if found else None

    for shown in [*seen["cycle"][:MOST // 2], *seen["cycle"][MOST // 2:][-(MOST - MOST // 2):]]:
        one = why_task(shown["id"])
        if one is None:
            expect("why TASK does not find", False, shown["id"])
            continue
        expect("why TASK: no error:", one["error"], shown["id"], one["verdict"])
        expect("the panel has another verdict:", one["verdict"] == shown["why"], shown["id"], shown["why"], one["verdict"])
        chain = {step["task"]["id"] for step in one["chain"]}
        expect("not highlighted:", chain <= set(shown["marked"]), shown["id"], chain - set(shown["marked"]))
    for id in sorted(others)[:MOST]:
        one = why_task(id)
        expect("why TASK: an error:", one is not None and not one["error"], id, one and one["verdict"])
    return wrong


def try_case(case):
    """A ring of 64 KiB wraps in most programs: its task table has tasks without events."""
    milliseconds = int(arguments.hang * 1000)
    modes = {"ended": (milliseconds,), "killed": (60_000,)}
    if not arguments.quick:
        modes["wrapped"] = (milliseconds, 40_000, "--size", "64k")
    wrong = []
    for mode, how in modes.items():
        program = corpus.Run(SKEIN, PROGRAMS / case.program, case.name, *how)
        if mode == "killed":
            time.sleep(arguments.hang if case.truth else 0.1)
            program.kill()
        else:
            program.wait()
        wrong += [f"{case.program} {case.name}, {mode}: {one}" for one in compare(program.trace) or []]
    return wrong


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("skein", type=pathlib.Path)
parser.add_argument("print_stuck", type=pathlib.Path)
parser.add_argument("programs", type=pathlib.Path)
parser.add_argument("--only-of", nargs="+", default=[])
parser.add_argument("--only", default="")
parser.add_argument("--quick", action="store_true", help="let programs hang for 0.2 s, and use no small rings")
parser.add_argument("--jobs", type=int, default=4)
arguments = parser.parse_args()
arguments.hang = 0.2 if arguments.quick else 1.2  # seconds; the thresholds of lints are one second
SKEIN, PRINT_STUCK = arguments.skein.resolve(), arguments.print_stuck.resolve()
PROGRAMS = arguments.programs.resolve()
cases = [case for case in corpus.read_cases() if (PROGRAMS / case.program).exists() and
         (not arguments.only_of or case.program in arguments.only_of) and re.search(arguments.only, case.name)]
if not cases:
    print("skipped: no program of the corpus is built")
    sys.exit(77)
with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
    failures = [one for wrong in pool.map(try_case, cases) for one in wrong]
print(len(cases), "programs:", ", ".join(f"{count} {what}" for what, count in counts.items()))
if any(case.truth for case in cases) and not counts["destroyed while stuck"]:
    failures.append("no program destroyed its stuck tasks: nothing was tested")
print(*failures, sep="\n")
sys.exit(bool(failures))
