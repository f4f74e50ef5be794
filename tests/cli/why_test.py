#!/usr/bin/env python3
"""`skein why`: the diagnoses of programs with known bugs.

    why_test.py SKEIN LOST_SIGNAL_PROGRAM HANGING_PROGRAM
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from common import expect, info, run, start, until

skein, annotations, hang = sys.argv[1:4]
source = pathlib.Path(__file__).parents[2] / "examples/040-annotations.cc"


def lost_signal(folder):
    trace = folder / "lost.skein"
    subprocess.run([annotations], env=dict(os.environ, SKEIN_TRACE=str(trace)), check=True,
                   stdout=subprocess.DEVNULL)
    said = run("why", trace)
    expect("a fault is exit code 1", said.returncode == 1, said)
    for text in ("too_late (#", "condition answer (#", "lost wake-up",
                 "040-annotations.cc:", "when no task was waiting"):
        expect("the text contains it", text in " ".join(said.stdout.split()), (text, said.stdout))
    data = json.loads(run("why", "--json", trace).stdout)["diagnoses"]
    expect("one fault", [d["error"] for d in data] == [True], data)
    chain = data[0]["chain"]
    expect("who waits for what", [step["task"]["name"] for step in chain] == ["too_late", "answer"], chain)
    expect("where it waits", chain[0]["location"]["file"].endswith("040-annotations.cc"), chain)
    notified = data[0]["notification"]
    expect("before it waited", notified["time_ns"] < chain[0]["since_ns"], data)
    expect("by no task: main is none", notified["by"] is None, notified)
    # Both locations match the source.
    for place, function, text in ((chain[0]["location"], "too_late", "co_await answer.wait();"),
                                  (notified["location"], "main", "answer.notify_one();")):
        line = source.read_text().splitlines()[place["line"] - 1]
        expect("the line", text in line and place["file"].endswith(source.name), (place, line))
        expect("the function", function in place["function"], place)
        expect("the text has the location", f"{source.name}:{place['line']})" in said.stdout, said)
    dump = [line for line in run("dump", trace).stdout.splitlines() if " notify " in line]
    expect("dump has the location of each notify", "woken=0" in dump[-1] and
           dump[-1].endswith(f"{source.name}:{notified['location']['line']} main"), dump)
    taken = [line for line in run("dump", trace).stdout.splitlines() if " acquire " in line]
    expect("and where a mutex was taken", taken and all(
        f"{source.name}:" in line for line in taken), taken)
    exported = folder / "lost.ctf"
    expect("export", run("export", "ctf", trace, "-o", exported).returncode == 0)
    expect("exported with its places", run("dump", exported).stdout == run("dump", trace).stdout)
    by_name = run("why", trace, "too_late")
    expect("by name", by_name.returncode == 1 and "too_late" in by_name.stdout, by_name)
    itself = run("why", trace, chain[1]["task"]["id"])
    expect("a resource as argument", itself.returncode == 1 and "answer" in itself.stdout, itself)
    nobody = run("why", trace, "no such task")
    expect("no task of that name", nobody.returncode == 2 and "no such task" in nobody.stderr, nobody)


def outside(folder):
    trace = folder / "hang.skein"
    program = start([hang, "10"], env=dict(os.environ, SKEIN_TRACE=f"{trace},mode=log"))
    until(lambda: (trace / "metadata").exists() and
          '"wait"' in run("why", "--json", trace).stdout, "it waits for the answer")
    said = run("why", "--json", trace)
    expect("the cancel came before the wait", said.returncode == 1, said)
    data = json.loads(said.stdout)["diagnoses"]
    names = [step["task"]["name"] for step in data[0]["chain"]]
    expect("down to the timer", names[-4:] == ["use_network", "query", "wait",
                                               "deadline_timer.async_wait"], names)
    expect("lost", data[0]["verdict"] == "lost wake-up", data)
    expect("by network", "network (#3)" in data[0]["text"], data)
    program.kill()


def killed(folder):
    """A program that hangs records nothing until its death, which `record` notes."""
    trace = folder / "killed.skein"
    recorder = start([skein, "record", "-o", trace, "--", hang, "10"])
    until(lambda: (trace / "metadata").exists() and
          '"wait"' in run("why", "--json", trace).stdout, "it waits for the answer")
    time.sleep(1)
    child = pathlib.Path(f"/proc/{recorder.pid}/task/{recorder.pid}/children").read_text().split()
    os.kill(int(child[0]), signal.SIGKILL)
    recorder.wait()
    info = json.loads(run("info", "--json", trace).stdout)
    expect("it ended a second after its last event",
           info["ended_ns"] > info["duration_ns"] + 900_000_000, info)
    tasks = {task["name"]: task for task in json.loads(run("ps", "--json", trace).stdout)["tasks"]}
    expect("and had waited until then", info["ended_ns"] - tasks["query"]["since_ns"] > 900_000_000, tasks)
    expect("which why shows", re.search(r"waits for wait .* for \d+\.\d+ s ", run("why", trace).stdout),
           run("why", trace).stdout)


def good(folder):
    trace = folder / "good.skein"
    subprocess.run([hang, "1"], env=dict(os.environ, SKEIN_TRACE=str(trace)), check=True,
                   stdout=subprocess.DEVNULL)
    said = run("why", trace)
    expect("nothing is wrong", (said.returncode, said.stdout) ==
           (0, "No stuck tasks found.\n"), said)


with tempfile.TemporaryDirectory(prefix="skein-why-") as name:
    lost_signal(pathlib.Path(name))
    if os.path.exists(hang):
        outside(pathlib.Path(name))
        killed(pathlib.Path(name))
        good(pathlib.Path(name))
    none = run("why", pathlib.Path(name) / "none")
    expect("not a trace", none.returncode == 2, none)
print("passed")
