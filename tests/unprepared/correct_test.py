#!/usr/bin/env python3
"""correct_test.py SKEIN FOLDER [--all]: compiles programs whose coroutines have handles of each other for other reasons
than to await them, and compares `skein why` of their memory, running and stopped, with which awaits which. All but
cycle.cc are correct."""
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from shutil import which

skein, folder, *options = sys.argv[1:]
VARIANTS = ["g++ -O0 -g", "g++ -O2 -s", "clang++-19 -O2 -g"]
if "--all" in options:
    VARIANTS = [f"{compiler} {level} {symbols}" for compiler in ("g++", "clang++-14", "clang++-19")
                for level in ("-O0", "-O1", "-O2", "-O3", "-Os") for symbols in ("-g", "-s")]
# Which awaits which; None: not compared, because it changes all the time.
AWAITS = {
    "actors": set(),
    "busy_chains": None,
    "contexts": {("s1", "w1"), ("s2", "w2"), ("s3", "w3"), ("s4", "w4")},
    "cycle": {("parent", "child"), ("child", "parent")},
    "idle": {("waits_twice", "child")},
    "loop": set(),
    "namesake": None,
    "nurseries": {("of_handles", "by_handle"), ("of_references", "by_reference")},
    "generators": {("printer", "lines"), ("query", "read_row"), ("handler", "query")},
    "parent_handle": {("supervisor", "worker")},
    "ping_pong": None,
    "queues": set(),
    "ranges": set(),
    "recycled": None,
    "symmetric": None,
    "timeouts": None,
    "supervisors": {("supervisor", "waiting_worker"), ("stoppable", "stopped")},
}


# Functions whose coroutines are as intended.
USUAL = {"ranges": {"numbers"}}


def check(condition, what):
    if not condition:
        sys.exit(f"correct_test: {what}")


def examine(name, variant, pid, stop):
    run = subprocess.run([skein, "why", "--json", *stop, str(pid)], capture_output=True, text=True)
    where = f"{name}, {variant} {' '.join(stop)}"
    # Without types, the size of clang's promises is unknown: the cycle may be an accident.
    is_faulty = name == "cycle" and not (variant.startswith("clang") and variant.endswith("-s"))
    check(run.returncode == is_faulty, f"{where}: {run.returncode} {run.stderr}{run.stdout}")
    found = json.loads(run.stdout)
    check(any(chain["error"] for chain in found["chains"]) == is_faulty, f"{where}: {run.stdout}")
    check(not any(chain["verdict"] == "unreferenced" for chain in found["chains"]), f"{where}: {run.stdout}")
    expected = AWAITS[name]
    if expected is None or variant.endswith("-s"):
        return
    frames = {one["frame"]: one for one in found["coroutines"]}
    for chain in found["chains"]:
        last = frames[chain["frames"][-1]]["function"]
        check(last not in USUAL.get(name, ()) or chain["verdict"] == "usual", f"{where}: {run.stdout}")
    awaits = {(one["function"].rsplit("::", 1)[-1], frames[one["awaits"]]["function"].rsplit("::", 1)[-1])
              for one in frames.values() if one["awaits"]}
    check(awaits <= expected, f"{where}: {awaits - expected} too many")
    # clang may leave a handle in no frame.
    check(variant.startswith("clang") or awaits == expected, f"{where}: {expected - awaits} are missing")


def examine_loop(variant, pid):
    """Where the types of awaiters are known, a timer is one if it is due in the future."""
    found = json.loads(subprocess.run([skein, "why", "--json", str(pid)], capture_output=True, text=True).stdout)
    timers = {one["function"] for one in found["coroutines"] if one["object"]}
    check(timers == ({"sleeper", "second_pause"} if variant.startswith("g++") and variant.endswith("-g") else set()), f"{variant}: {timers}")
    if not timers:
        return
    text = subprocess.run([skein, "why", str(pid)], capture_output=True, text=True).stdout
    check(text.count("Another coroutine, a thread") + text.count("another coroutine, a thread") == 1, f"{variant}: {text}")
    check("Each of these: another coroutine" in text, f"{variant}: {text}")
    check(re.search(r"second_pause +waits for .*, expires in (2\.00 h|1)", text), f"{variant}: {text}")
    check(re.search(r"sleeper +waits for .*, expires in (1\.00 h|59)", text), f"{variant}: {text}")


count = 0
with tempfile.TemporaryDirectory() as temporary:
    for variant in VARIANTS:
        compiler, *arguments = variant.split()
        if not which(compiler):
            print(f"skipped: no {compiler}")
            continue
        for source in sorted(Path(folder).glob("*.cc")):
            if source.stem == "symmetric" and variant.startswith(("g++ -O0", "g++ -O1")):
                continue  # each switch takes a part of the stack
            program = Path(temporary) / source.stem
            subprocess.run([compiler, "-std=c++20", *arguments, "-pthread", "-o", program, source], check=True)
            process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
            try:
                check(any(line == "READY\n" for line in process.stdout), f"{source.stem} is not ready")
                time.sleep(0.1)
                # What looks like a cycle there is one that was read at several times.
                for stop in ([], [], ["--stop"], *[[]] * (10 if source.stem in ("busy_chains", "namesake", "symmetric") else 0)):
                    examine(source.stem, variant, process.pid, stop)
                    count += 1
                if source.stem == "loop":
                    examine_loop(variant, process.pid)
            finally:
                process.kill()
                process.wait()
check(count > 0, "no compiler")
print(f"{count} answers")
