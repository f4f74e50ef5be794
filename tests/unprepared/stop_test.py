#!/usr/bin/env python3
"""stop_test.py SKEIN SOURCE [INSTANTS]: `skein ps --stop` shows what a thread runs that is on a CPU, and the process
goes on afterwards, also if skein is killed at any instant."""
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

skein, source = sys.argv[1:3]
instants = int(sys.argv[3]) if len(sys.argv) > 3 else 40


def check(condition, what):
    if not condition:
        sys.exit(f"stop_test: {what}")


def states(pid):
    return [Path(f"/proc/{pid}/task/{thread.name}/stat").read_text().rsplit(")", 1)[1].split()[0]
            for thread in Path(f"/proc/{pid}/task").iterdir()]


def tracers(pid):
    return [thread.name for thread in Path(f"/proc/{pid}/task").iterdir()
            if "TracerPid:\t0\n" not in (thread / "status").read_text()]


def steps(process):
    """How often the busy thread has counted: it writes the number for each line of input."""
    process.stdin.write("?\n")
    process.stdin.flush()
    return int(process.stdout.readline())


with tempfile.TemporaryDirectory() as folder:
    program = Path(folder) / "busy"
    subprocess.run(["g++", "-std=c++20", "-O1", "-pthread", source, "-o", program], check=True)
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        check(process.stdout.readline() == "ready\n", "not ready")
        found = json.loads(subprocess.run([skein, "ps", "--stop", "--json", str(process.pid)], check=True,
                                          capture_output=True, text=True).stdout)
        runs = {one["function"].rsplit("::", 1)[-1] for one in found["coroutines"] if one["state"] == "runs"}
        check(runs == {"computes", "reads"}, f"runs {runs}")
        check(0 < found["paused_ns"] < 60e9, f"paused for {found['paused_ns']}")
        why = json.loads(subprocess.run([skein, "why", "--stop", "--json", str(process.pid)], check=True,
                                        capture_output=True, text=True).stdout)
        functions = [call["function"] or "" for stack in why["stacks"] for call in stack["calls"]]
        check(any("computes" in name for name in functions) and "main" in functions, f"stacks {functions}")
        check(all(stack["complete"] for stack in why["stacks"]), f"stacks {why['stacks']}")
        check(found["stacks"] is None, "stacks of ps")
        start = time.monotonic()
        subprocess.run([skein, "ps", "--stop", str(process.pid)], check=True, capture_output=True)
        took = time.monotonic() - start
        for _ in range(instants):
            run = subprocess.Popen([skein, "ps", "--stop", str(process.pid)], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0, 1.2 * took))
            run.kill()
            run.wait()
            for _ in range(1000):  # the kernel detaches it
                left = [state for state in states(process.pid) if state in "tT"] + tracers(process.pid)
                if not left:
                    break
                time.sleep(0.01)
            check(not left, f"left stopped or traced: {left}")
        before = steps(process)
        for _ in range(1000):
            if steps(process) > before:
                break
            time.sleep(0.01)
        else:
            check(False, "the busy thread does not go on")
        refused = subprocess.run([skein, "ps", "--stop", program], capture_output=True, text=True)
        check(refused.returncode == 2, f"--stop of a file: {refused}")
    finally:
        process.kill()
        process.wait()
