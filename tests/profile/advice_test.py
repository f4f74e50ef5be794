#!/usr/bin/env python3
"""skein profile reports the samples without a chain, and advises -g if debug information would show them.
Skipped without the compiler, or if the kernel does not permit perf_event_open.

usage: advice_test.py SKEIN PROGRAM.cc COMPILER"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

skein, source, compiler = sys.argv[1:]
if shutil.which(compiler) is None:
    print(f"skipped: no {compiler}")
    sys.exit(77)


def expect(what, good, shown=""):
    if not good:
        sys.exit(f"FAILED: {what}: {shown}")


with tempfile.TemporaryDirectory(prefix="skein-advice-") as folder:
    program, data = pathlib.Path(folder) / "program", pathlib.Path(folder) / "out.data"
    for debug, is_advised in (("-g0", True), ("-g", False)):
        subprocess.run([compiler, "-std=c++20", "-O0", debug, "-pthread", source, "-o", program], check=True)
        done = subprocess.run([skein, "profile", "-o", data, "--", program, "1"], capture_output=True, text=True)
        if "refuses perf_event_open" in done.stderr or "perf_event_open:" in done.stderr:
            print("skipped:", done.stderr)
            sys.exit(77)
        expect("profile", done.returncode == 0, done)
        expect(f"advice, {debug}", ("build the program with -g" in done.stderr) == is_advised, done.stderr)
        if is_advised:
            expect("share", "have physical stacks, as it is not known which coroutines wait" in done.stderr, done.stderr)
