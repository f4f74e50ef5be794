#!/usr/bin/env python3
"""asio_recycled_test.py SKEIN SOURCE: a coroutine whose frame Asio keeps for the next one is not shown."""
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

skein, source = sys.argv[1:3]


def check(condition, what):
    if not condition:
        sys.exit(f"asio_recycled_test: {what}")


def run(folder, compiler, options):
    what = f"{compiler} {' '.join(options)}"
    program = Path(folder) / "program"
    subprocess.run([compiler, "-std=c++20", "-O1", *options, source, "-o", program, "-pthread"], check=True)
    process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
    try:
        is_kept = process.stdout.readline() == "kept\n"
        time.sleep(0.1)
        run = subprocess.run([skein, "ps", "--json", str(process.pid)], capture_output=True, text=True, check=True)
    finally:
        process.kill()
        process.wait()
    names = [one["function"] for one in json.loads(run.stdout)["coroutines"]]
    check(any("waits" in name for name in names), f"{what}: no waits() in {names}")
    check(not any("kept" in name for name in names), f"{what}: {names}")
    print(f"{what}: {'kept' if is_kept else 'not kept'}, {len(names)} coroutines")


MACROS = ["-DASIO_HAS_CO_AWAIT", "-DASIO_HAS_STD_COROUTINE", "-DBOOST_ASIO_HAS_CO_AWAIT", "-DBOOST_ASIO_HAS_STD_COROUTINE"]
with tempfile.TemporaryDirectory() as folder:
    for compiler, options in [("g++", []), ("clang++-14", MACROS), ("clang++-14", ["-DBOOST", *MACROS])]:
        if shutil.which(compiler):
            run(folder, compiler, options)
        else:
            print(f"{compiler}: skipped")
