#!/usr/bin/env python3
"""What skein profile reports on stderr: about samples that are missing, and options and numbers that cannot be right.
Skipped if the kernel does not permit perf_event_open.

usage: messages_test.py SKEIN CXX"""
import pathlib
import re
import subprocess
import sys
import tempfile

skein, compiler = sys.argv[1:]
HERE = pathlib.Path(__file__).resolve().parent


def run(*words, **options):
    return subprocess.run([skein, "profile", *map(str, words)], capture_output=True, text=True, **options)


def expect(what, good, shown=""):
    if not good:
        sys.exit(f"FAILED: {what}: {shown}")


def check_large_stacks(program, out):
    for size, advice in ((512, "use --stack-size 2048"), (2048, None)):
        done = run("-F", 4999, "--stack-size", size, "-o", out, "--", program)
        found = re.search(r"of the stacks are longer than their copy; (.*)", done.stderr)
        expect(f"--stack-size {size}", done.returncode == 7 and (found[1] if found else None) == advice, done)


with tempfile.TemporaryDirectory(prefix="skein-messages-") as folder:
    folder = pathlib.Path(folder)
    program, out = folder / "work", folder / "out.folded"
    subprocess.run([compiler, "-std=c++17", "-O2", "-fomit-frame-pointer", "-fno-optimize-sibling-calls", "-pthread",
                    str(HERE / "work.cc"), "-o", str(program)], check=True)
    done = run("-o", out, "--", program)
    if "refuses perf_event_open" in done.stderr or "perf_event_open:" in done.stderr:
        print("skipped:", done.stderr)
        sys.exit(77)
    check_large_stacks(program, out)
