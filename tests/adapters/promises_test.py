#!/usr/bin/env python3
"""Compiles generated coroutines (generate_promises.py) plain and with skein/coroutine.h, and runs
them plain, linked but off, and recorded in ring and log mode: the output must be the same, and the
traces must contain tasks. 77 (skipped) if the compiler or a sanitizer is not installed.

promises_test.py COMPILER SOURCE_DIR RECORDER SKEIN WORK_DIR COUNT [SEED [FLAG...]]
COUNT: the number of promises. Each run takes others; SEED repeats a run."""
import difflib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COMBINATIONS = 50688  # of generate_promises.py


def run(program, trace=None):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SKEIN_")}
    if trace:
        environment["SKEIN_TRACE"] = trace
    done = subprocess.run([str(program)], env=environment, capture_output=True, text=True)
    return f"{done.stdout}{done.stderr}exit code {done.returncode}\n"


def main():
    compiler, source, recorder, skein, work, count = sys.argv[1:7]
    seed = int(sys.argv[7]) if len(sys.argv) > 7 else random.randrange(COMBINATIONS)
    flags = ["-std=c++20", "-w", "-pthread", *sys.argv[8:]]
    if shutil.which(compiler) is None:
        print(f"skipped: {compiler} is not installed")
        return 77
    share = COMBINATIONS // int(count) | 1  # odd, so that all values of each part occur
    print(f"seed {seed}")
    Path(work).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=work) as scratch:
        scratch = Path(scratch)
        empty = subprocess.run([compiler, *flags, "-x", "c++", "-", "-o", str(scratch / "empty")],
                               input="int main() {}", capture_output=True, text=True)
        if empty.returncode != 0:
            print(f"{empty.stderr[-500:]}skipped: {compiler} cannot link with {' '.join(flags)}; "
                  "for clang's sanitizers: libclang-rt-VERSION-dev")
            return 77
        program = scratch / "promises.cc"
        with open(program, "w") as text:
            subprocess.run([f"{source}/tests/adapters/generate_promises.py", str(share),
                            str(seed % share)], stdout=text, check=True)
        plain, traced = scratch / "plain", scratch / "traced"
        subprocess.run([compiler, *flags, str(program), "-o", str(plain)], check=True)
        subprocess.run([compiler, *flags, f"-I{source}/record/include", f"-I{source}/format/include",
                        f"-I{source}/record/include/skein/wrappers", str(program), recorder, "-o", str(traced)],
                       check=True)
        expected = run(plain)
        if not expected.endswith("exit code 0\n"):
            print(f"the plain program fails:\n{expected[-2000:]}")
            return 1
        for mode in ("off", "ring", "log"):
            trace = scratch / mode
            found = run(traced, None if mode == "off" else f"{trace},mode={mode}")
            if found != expected:
                lines = difflib.unified_diff(expected.splitlines(), found.splitlines(), "plain", mode,
                                             n=0, lineterm="")
                print("\n".join(list(lines)[:20]))
                return 1
            if mode != "off":
                stats = subprocess.run([skein, "stats", "--json", str(trace)], check=True,
                                       capture_output=True, text=True).stdout
                tasks = sum(group["tasks"] for group in json.loads(stats)["groups"])
                print(f"{mode}: {expected.count(' | ')} coroutines, {tasks} of them recorded")
                if tasks == 0:
                    return 1
    return 0


sys.exit(main())
