#!/usr/bin/env python3
"""many_test.py SKEIN SOURCE [--all]: of more than 100,000 coroutines, what each waits for is exact, and counted in full."""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

skein, source = sys.argv[1:3]
COUNT = 34_000  # of each kind; three kinds
LEVELS = ("-O0", "-O1", "-O2", "-Os") if "--all" in sys.argv else ("-O2",)
COMPILERS = ("g++", "clang++-14", "clang++-16", "clang++-19") if "--all" in sys.argv else ("g++",)


def check(condition, what):
    if not condition:
        sys.exit(f"many_test: {str(what)[:2000]}")


def run(*words):
    done = subprocess.run([skein, *map(str, words)], capture_output=True, text=True, timeout=120)
    check(done.returncode == 0, done)
    return done.stdout


def examine(program, what):
    process = subprocess.Popen([program, str(COUNT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        truth = dict((int(word, 16) for word in line.split()) for line in iter(process.stdout.readline, "ready\n"))
        check(len(truth) == 2 * COUNT + 10, f"{what}: {len(truth)} wait")
        text = run("ps", "--group", process.pid)
        check("Note:" not in text, f"{what}: {text}")
        for count, function in ((COUNT // 2, "shared"), (COUNT, "single"), (10, "other")):
            check(re.search(rf"^ *{count:,} +app::{function} +waits for app::Event", text, re.M), f"{what}: {text}")
        found = json.loads(run("ps", "--json", process.pid))["coroutines"]
        check(len(found) == 3 * COUNT + 10, f"{what}: {len(found)} found")
        awaited = {one["frame"]: one["awaited_object"] for one in found if one["awaited_object"] is not None}
        wrong = {frame: at for frame, at in awaited.items() if truth.get(frame) != at}
        check(not wrong, f"{what}: {len(wrong)} are wrong: {list(wrong.items())[:5]}")
        check(len(awaited) == len(truth), f"{what}: {len(truth) - len(awaited)} are missing")
    finally:
        process.kill()
        process.wait()


with tempfile.TemporaryDirectory() as folder:
    for compiler in filter(shutil.which, COMPILERS):
        for level in LEVELS:
            program = Path(folder) / "many"
            subprocess.run([compiler, "-std=c++20", "-g", level, source, "-o", program], check=True)
            examine(program, f"{compiler} {level}")
