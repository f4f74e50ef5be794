#!/usr/bin/env python3
"""threads_test.py SKEIN SOURCE [--all]: in programs of 1 to 16 threads that run coroutines all the time, each coroutine
that is suspended is found exactly once, with --stop and without; with it also those that run, or how many they are."""
import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path

skein, source = sys.argv[1:3]
everything = "--all" in sys.argv[3:]
KEPT, CHANGING = 50, 20
counts = range(1, 17) if everything else (1, 8)
reads = 50 if everything else 10  # and as many with --stop; of few, one between two coroutines counts much


def check(condition, what):
    if not condition:
        sys.exit(f"threads_test: {str(what)[:1000]}")


def read(pid, *options):
    run = subprocess.run([skein, "ps", "--json", *options, str(pid)], capture_output=True, text=True, timeout=60)
    check(run.returncode == 0, run)
    return json.loads(run.stdout)


def examine(all_of_it, frames, what):
    found = collections.Counter(one["frame"] for one in all_of_it["coroutines"])
    check(not [frame for frame, count in found.items() if count > 1], f"{what}: twice")
    by_function = collections.defaultdict(list)
    for one in all_of_it["coroutines"]:
        by_function[one["function"].rsplit("::", 1)[-1]].append(one)
    check(set(by_function) <= {"stays", "works"}, f"{what}: {set(by_function)}")
    check(sorted(one["frame"] for one in by_function["stays"]) == frames, f"{what}: the suspended ones")
    # clang has no number for the only place at which a coroutine waits.
    states = {"waits", None} if "clang" in what else {"waits"}
    check({one["state"] for one in by_function["stays"]} <= states, f"{what}: states")
    return by_function["works"]


with tempfile.TemporaryDirectory() as folder:
    variants = [("g++", "-O2"), ("g++", "-O2 -fno-ipa-ra"), ("clang++-14", "-O1")]
    for compiler, level in variants if everything else variants[:2]:
        program = Path(folder) / "threads"
        subprocess.run([compiler, "-std=c++20", "-g", *level.split(), "-pthread", source, "-o", program], check=True)
        running = 0
        for threads in counts:
            process = subprocess.Popen([program, str(threads)], stdout=subprocess.PIPE, text=True)
            try:
                frames = sorted(int(line, 16) for line in iter(process.stdout.readline, "ready\n"))
                check(len(frames) == KEPT * threads, f"{threads} threads: {len(frames)} frames")
                for i in range(reads):
                    what = f"{compiler} {level}, {threads} threads, read {i}"
                    changing = examine(read(process.pid), frames, what)
                    # Each may be created or destroyed at this moment.
                    check(len(changing) <= (CHANGING + 1) * threads, f"{what}: {len(changing)} that change")
                    stopped = read(process.pid, "--stop")
                    changing = examine(stopped, frames, what + ", --stop")
                    check((CHANGING - 1) * threads <= len(changing) <= (CHANGING + 1) * threads,
                          f"{what}, --stop: {len(changing)} that change")
                    by_thread = collections.Counter(one["thread"] for one in changing if one["state"] == "runs")
                    check(all(count == 1 for count in by_thread.values()), f"{what}: {by_thread}")
                    unknown = sum("it is not known which" in one for one in stopped["warnings"])
                    check(unknown == 0 or "-fno" not in level, f"{what}: {stopped['warnings']}")
                    running += (len(by_thread) + unknown) / threads
            finally:
                process.kill()
                process.wait()
            print(f"{compiler} {level}: {threads} threads", flush=True)
        share = running / (len(counts) * reads)
        print(f"{compiler} {level}: with --stop, {100 * share:.1f} % of the threads run a coroutine")
        check(share > 0.9 or "clang" in compiler, "most of the time they do")  # clang folds compute()
