#!/usr/bin/env python3
"""What `skein why` and `skein doctor` report of the programs in this folder (case.h), recorded with the
default options: after their end, after SIGKILL, and while they run.

    truth_test.py SKEIN PROGRAMS [--only-of FILE...] [--only REGEX] [--update] [--verbose]

PROGRAMS is the folder of the built programs; those that are not built are left out, and keep their rows in the
document. Of a fault

    named      a finding of an expected kind (an error or warning) has the function, the place and the object
    suspected  the same, but under "May be wrong, or as intended"
    listed     the same, but under "Probably as intended"
    hinted     the function or the place occurs
    missed     neither

A correct program is also recorded with a ring that wraps. Of it, any finding is an accusation, and of a
fault any finding about another function and place. Suspicions of correct programs are counted. docs/truth.md lists the results; the test fails if one
is worse than there. --update writes that file.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import corpus

DOCUMENT = corpus.FOLDER.parent.parent / "docs/truth.md"
MODES = ("ended", "killed", "live")
RANKS = ("missed", "hinted", "listed", "suspected", "named")
HANG = 1.2  # seconds: the thresholds of the lints are one second
WRAPPED = {}  # by correct program: whether its ring wrapped
SUSPECTED = {}  # by correct program and mode

Entry = collections.namedtuple("Entry", "kind rank text")  # rank: of RANKS


def skein(*words):
    return subprocess.run([SKEIN, *map(str, words)], capture_output=True, text=True, timeout=corpus.SECONDS)


def place_text(place):
    return f"{place['function'] or ''} {os.path.basename(place['file'] or '')}:{place['line']}" if place else ""


def task_text(task):
    if not task:
        return ""
    return " ".join(str(task.get(key) or "") for key in ("name", "title", "label", "kind"))


def entries(of):
    """What why and doctor report of a trace or process; None if there is nothing to read."""
    why, doctor = skein("why", "--json", of), skein("doctor", "--json", of)
    if not why.stdout or not doctor.stdout:
        return None, why.stderr + doctor.stderr
    found = []
    why, doctor = json.loads(why.stdout), json.loads(doctor.stdout)
    for one in why["diagnoses"]:
        steps = [f"{task_text(step['task'])} {task_text(step['target'])} {place_text(step['location'])}"
                 for step in one["chain"]]
        found.append(Entry(one["verdict"], "named" if one["error"] else "listed" if one["usual"] else "suspected",
                           " ".join([one["text"], *steps, f"{one['similar']} similar", one["thread_state"] or ""])))
    if why["idle_ns"]:
        found.append(Entry("idle", "suspected", ""))
    for key, kind in (("failures", "failed"), ("broken_chains", "broken chain"), ("torn_down", "torn down")):
        for one in why[key]:
            texts = [task_text(one.get(part)) for part in ("task", "origin", "last", "target")]
            found.append(Entry(kind, "named" if one.get("error") else "listed" if key == "torn_down" else "suspected",
                               " ".join([*texts, one.get("reason") or "", place_text(one["location"]),
                                         "socket" if "socket" in one else ""])))
    for one in doctor["findings"]:
        texts = [f"{e['text']} {task_text(e['task'])} {task_text(e['other'])} {place_text(e['location'])}"
                 for e in one["evidence"]]
        found.append(Entry(one["lint"], "suspected" if one["severity"] == "note" else "named",
                           " ".join([one["text"], task_text(one["task"]), task_text(one["other"]), *texts])))
    return found, ""


def is_in(truth, text):
    return not truth.get("in") or any(name in text for name in truth["in"])


def is_at(truth, text):
    """Of a callback compiled by g++, the function suffices: that of a lambda, which may be in another one."""
    return (not truth["at"] or any(re.search(re.escape(place) + r"\b", text) for place in truth["at"]) or
            any(re.search(re.escape(name) + r"(::\w+)?\([^)]*\)(::<lambda\([^)]*\)>)+ [^ ]*:\d+", text) for name in truth.get("in", [])))


def is_about(truth, text):
    return bool(truth.get("in") and is_in(truth, text) or truth["at"] and is_at(truth, text))


def judge(truth, found):
    """The rank of what was found about the fault, and the accusations."""
    best = "missed"
    for one in found:
        if not is_about(truth, one.text):
            continue
        complete = (one.kind in truth["kinds"] and is_in(truth, one.text) and is_at(truth, one.text) and
                    truth.get("of", "") in one.text and truth.get("with", "") in one.text)
        best = max(best, one.rank if complete else "hinted", key=RANKS.index)
    if not truth.get("in") and not truth["at"]:
        best = max(["missed", *(one.rank for one in found if one.kind in truth["kinds"])], key=RANKS.index)
    wrong = [one for one in found if one.rank == "named" and not is_about(truth, one.text)]
    return best, wrong


def record(case, *how):
    return corpus.Run(SKEIN, PROGRAMS / case.program, case.name, *how)


def try_fault(case):
    results = {}
    run = record(case, 60_000)
    time.sleep(HANG)
    if run.is_alive():
        results["live"], _ = entries(run.pid)
    run.kill()
    results["killed"], why = entries(run.trace)
    if results["killed"] is None:
        sys.exit(f"{case.name}: no trace: {why} {run.errors}")
    run = record(case, int(HANG * 1000))
    run.wait()
    results["ended"], _ = entries(run.trace)
    return {mode: (*judge(case.truth, found), found) for mode, found in results.items() if found is not None}


def try_correct(case):
    """Recorded until its end, again with a small ring that wraps; and read while it runs, then killed."""
    accusations = {}

    def look(mode, of, must_exist=True):
        found, why = entries(of)
        if found is None and must_exist:
            accusations[mode] = [Entry("no trace", "named", why)]
        elif found is not None:
            accusations[mode] = [one for one in found if one.rank == "named"]
            SUSPECTED[case.name, mode] = [one for one in found if one.rank == "suspected"]

    run = record(case, 30_000)
    if run.wait() != 0:
        return {"ended": [Entry("exit code", "named", run.errors)]}
    look("ended", run.trace)
    run = record(case, 30_000, 40_000, "--size", "64k")
    run.wait()
    look("wrapped", run.trace)
    info = json.loads(skein("info", "--json", run.trace).stdout or "{}")
    WRAPPED[case.name] = info.get("overwritten_packets", 0) > 0
    run = record(case, 60_000)
    time.sleep(0.1)
    if run.is_alive():
        look("live", run.pid, must_exist=False)
    run.kill()
    look("killed", run.trace, must_exist=False)
    return accusations


def recorded():
    """The results in the document: of each fault by mode, and the names of the accused programs."""
    text = DOCUMENT.read_text() if DOCUMENT.exists() else ""
    rows = re.findall(r"^\| `(\w+)` \|.*\| (\S+) \| (\S+) \| (\S+) \|$", text, re.MULTILINE)
    files = re.findall(r"^\| `\w+\.cc` \| \d+ \| (.*) \|$", text, re.MULTILINE)
    return ({name: {mode: rank for mode, rank in zip(MODES, results) if rank in RANKS} for name, *results in rows},
            {name for names in files for name in re.findall(r"`(\w+)`", names)})


def count_table(ranks):
    lines = ["| | " + " | ".join(reversed(RANKS)) + " |", "|---" * (len(RANKS) + 1) + "|"]
    for mode in MODES:
        counts = collections.Counter(one[mode] for one in ranks.values() if mode in one)
        lines.append(f"| {mode} | " + " | ".join(str(counts[rank]) for rank in reversed(RANKS)) + " |")
    return "\n".join(lines)


def write_document(cases, ranks, accused):
    """`ranks`: by fault, of each mode; `accused`: the names of correct programs."""
    by_program = collections.Counter(case.program for case in cases if not case.truth)
    rows = []
    for case in cases:
        if case.name in ranks:
            of = ranks[case.name]
            rows.append(f"| `{case.name}` | {case.text} | " + " | ".join(of.get(mode, "-") for mode in MODES) + " |")
    text = DOCUMENT.read_text()
    generated = f"""{count_table(ranks)}

| fault | what it does | ended | killed | live |
|---|---|---|---|---|
""" + "\n".join(rows) + f"""

{sum(by_program.values())} correct programs, each after its end, after SIGKILL, while it runs, and with a ring of
64 KiB that wrapped:

| file | programs | accused |
|---|---|---|
""" + "\n".join(f"| `{program}.cc` | {count} | "
                + (", ".join(f"`{case.name}`" for case in cases
                             if case.program == program and case.name in accused) or "none") + " |"
                for program, count in sorted(by_program.items())) + "\n"
    DOCUMENT.write_text(re.sub(r"(<!-- generated -->\n).*(<!-- end -->)", lambda at: at[1] + generated + at[2], text,
                               flags=re.DOTALL))


def main():
    every = corpus.read_cases()
    cases = [case for case in every if (PROGRAMS / case.program).exists() and
             (not arguments.only_of or case.program in arguments.only_of) and re.search(arguments.only, case.name)]
    if not cases:
        print("skipped: no program of the corpus is built")
        sys.exit(77)
    before, accused_before = recorded()
    failures, results, accused = [], {}, {}

    def judge_fault(case):
        """Again if the result is worse than before: the machine may be busy."""
        found = {}
        for _ in range(3):
            for mode, one in try_fault(case).items():
                if mode not in found or (RANKS.index(one[0]), -len(one[1])) > (
                        RANKS.index(found[mode][0]), -len(found[mode][1])):
                    found[mode] = one
            if not worse(case, found):
                break
        return found

    def worse(case, found):
        return [f"{case.name}, {mode}: {found[mode][0]}, was {rank}"
                for mode, rank in before.get(case.name, {}).items()
                if mode not in found or RANKS.index(found[mode][0]) < RANKS.index(rank)]

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        tried = pool.map(lambda case: judge_fault(case) if case.truth else try_correct(case), cases)
        for case, found in zip(cases, tried):
            if case.truth:
                results[case.name] = found
                failures += worse(case, found)
                wrong = {mode: one[1] for mode, one in found.items() if one[1]}
                if arguments.verbose:
                    print(case.program, case.name, {mode: one[0] for mode, one in found.items()}, flush=True)
                    for mode, one in found.items() if arguments.verbose > 1 else []:
                        print(*(f"    {mode}: {entry}" for entry in one[2]), sep="\n")
            else:
                wrong = {mode: one for mode, one in found.items() if one}
                if wrong:
                    accused[case.name] = wrong
            for mode, those in wrong.items():
                for one in those:
                    print(f"ACCUSED {case.program} {case.name}, {mode}: {one.kind}: {one.text[:600]}", flush=True)
            if wrong:
                failures.append(f"{case.name}: accused")
    ranks = {name: {mode: one[0] for mode, one in found.items()} for name, found in results.items()}
    print(count_table(ranks))
    print(f"{len(cases) - len(results)} correct programs, {len(accused)} accused; {sum(WRAPPED.values())} rings wrapped")
    for mode in ("ended", "wrapped", "killed", "live"):
        of = [found for (_, one), found in SUSPECTED.items() if one == mode]
        print(f"{mode}: {sum(map(bool, of))} of {len(of)} correct programs have suspicions")
    if sum(WRAPPED.values()) < 0.7 * len(WRAPPED):
        failures.append("most rings did not wrap")
    if arguments.update:
        kept = accused_before - {case.name for case in cases}
        write_document(every, {**before, **ranks}, kept | accused.keys())
    print(*failures, sep="\n")
    sys.exit(bool(failures))


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("skein", type=pathlib.Path)
parser.add_argument("programs", type=pathlib.Path)
parser.add_argument("--only-of", nargs="+", default=[])
parser.add_argument("--update", action="store_true")
parser.add_argument("--only", default="")
parser.add_argument("--verbose", "-v", action="count", default=0)
parser.add_argument("--jobs", type=int, default=4)
arguments = parser.parse_args()
SKEIN, PROGRAMS = arguments.skein.resolve(), arguments.programs.resolve()
main()
