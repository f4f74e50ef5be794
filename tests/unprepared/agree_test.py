#!/usr/bin/env python3
"""agree_test.py SKEIN PROGRAMS [--only-of FILE...] [--only REGEX] [-v]: runs the faults of tests/truth twice, recorded
and built without skein (PROGRAMS/plain), and compares what `skein why PID` reports of both while they hang.

For each fault that the recorded answer locates in a coroutine, the answer from memory must have

    place    the same coroutine at the same line
    verdict  a verdict that fits: see fits()

Also, the recorded answer must have no disagreement with the memory of its process. docs/truth.md has the counts.
EXCEPTIONS lists the faults that may differ.
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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))
import corpus  # noqa: E402

HANG = 1.2  # seconds, as truth_test.py
# Faults in which the two answers differ, and why.
EXCEPTIONS = {
    "busy_poll": "the recorded step is a handler, and the thread of the coroutine is on a CPU",
}


def why(pid):
    run = subprocess.run([SKEIN, "why", "--json", str(pid)], capture_output=True, text=True, timeout=corpus.SECONDS)
    return json.loads(run.stdout) if run.stdout else None


def recorded_answer(case):
    run = corpus.Run(SKEIN, PROGRAMS / case.program, case.name, 60_000)
    time.sleep(HANG)
    found = why(run.pid) if run.is_alive() else None
    run.kill()
    return found


def plain_answer(case):
    run = subprocess.Popen([PROGRAMS / "plain" / case.program, case.name, "60000", "0"], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    time.sleep(HANG)
    found = why(run.pid) if run.poll() is None else None
    run.kill()
    run.wait()
    return found


def short(function):
    return re.sub(r"<.*|\(.*", "", function.replace("(anonymous)::", "")).rsplit("::", 1)[-1]


def place_of(location):
    return f"{location['file'].rsplit('/', 1)[-1]}:{location['line']}"


def about_fault(case, diagnosis):
    """Whether it names the function or a place of the fault."""
    text = json.dumps(diagnosis)
    steps = [step["location"] for step in diagnosis["chain"] if step["location"]]
    return (any(name in text for name in case.truth.get("in", [])) or
            any(place_of(location) in case.truth["at"] for location in steps))


def compare(case):
    """A list of (recorded verdict, coroutine and place, verdicts in memory), and of disagreements of a merged answer;
    None instead of the first: there is nothing to compare."""
    recorded, plain = recorded_answer(case), plain_answer(case)
    disagreements = []
    if recorded:
        disagreements = [one for key in ("not_in_trace", "not_in_memory", "other_place")
                         for one in (recorded["memory"] or {}).get(key, [])]
    if not recorded or not plain or "coroutines" not in plain:
        return None, disagreements
    by_frame = {one["frame"]: one for one in plain["coroutines"]}
    rows = []
    for diagnosis in recorded["diagnoses"]:
        steps = [step for step in diagnosis["chain"]
                 if step["location"] and step["state"] in ("suspended", "running", "runnable")]
        if not steps or not about_fault(case, diagnosis):
            continue
        location = steps[-1]["location"]
        functions = {short(location["function"] or ""), short(steps[-1]["task"]["name"])}
        verdicts = set()
        for chain in plain["chains"]:
            for one in map(by_frame.get, chain["frames"]):
                # Of one that runs, memory shows where it is, and the trace where it went on.
                is_there = one["line"] and (one["state"] == "runs" or place_of(one) == place_of(location))
                if is_there and short(one["function"]) in functions:
                    verdicts.add(chain["verdict"])
        rows.append((diagnosis["verdict"], place_of(location), verdicts))
    return rows or None, disagreements


def fits(recorded, verdicts):
    """Memory does not show time nor who should resume a coroutine: it may only suspect."""
    if recorded in ("external wait", "starved"):  # the first waits for the peer or a timer, the second for a thread
        return True
    if recorded == "running":
        return bool(verdicts & {"blocks its thread", "runs"})
    return bool(verdicts - {"usual", "runs"})


def main():
    cases = [case for case in corpus.read_cases()
             if case.truth and (PROGRAMS / case.program).exists() and (PROGRAMS / "plain" / case.program).exists()
             and (not arguments.only_of or case.program in arguments.only_of) and re.search(arguments.only, case.name)]
    if not cases:
        print("skipped: no program of the corpus is built")
        sys.exit(77)
    counts, failures = collections.Counter(), []

    def try_again(case):
        """A busy machine may be too slow for the first attempt."""
        for _ in range(3):
            rows, disagreements = compare(case)
            wrong = [f"{case.name}: {one} in the merged answer" for one in disagreements]
            for recorded, place, verdicts in rows or []:
                if not verdicts:
                    wrong.append(f"{case.name}: nothing in memory at {place}, {recorded}")
                elif not fits(recorded, verdicts):
                    wrong.append(f"{case.name}: {recorded} at {place}, in memory {', '.join(verdicts)}")
            if not wrong or case.name in EXCEPTIONS:
                break
        return rows, disagreements, wrong

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for case, (rows, disagreements, wrong) in zip(cases, pool.map(try_again, cases)):
            counts["faults"] += 1
            counts["faults that both locate in a coroutine"] += rows is not None
            counts["merged answers without a disagreement"] += not disagreements
            for recorded, place, verdicts in rows or []:
                counts["waits"] += 1
                counts["waits at the same place"] += bool(verdicts)
                counts["waits with a verdict that fits"] += bool(verdicts) and fits(recorded, verdicts)
                if arguments.verbose:
                    print(f"{case.name}: {recorded} at {place}, in memory {', '.join(sorted(verdicts)) or 'nothing'}")
            if rows is None and arguments.verbose:
                print(f"{case.name}: nothing to compare")
            if case.name in EXCEPTIONS:
                for one in wrong:
                    print(f"as known: {one}: {EXCEPTIONS[case.name]}")
            else:
                failures += wrong
    print(*(f"{count:4} {what}" for what, count in counts.items()), *failures, sep="\n")
    sys.exit(bool(failures))


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("skein", type=pathlib.Path)
parser.add_argument("programs", type=pathlib.Path)
parser.add_argument("--only-of", nargs="+", default=[])
parser.add_argument("--only", default="")
parser.add_argument("--verbose", "-v", action="store_true")
parser.add_argument("--jobs", type=int, default=4)
arguments = parser.parse_args()
SKEIN, PROGRAMS = arguments.skein.resolve(), arguments.programs.resolve()
main()
