#!/usr/bin/env python3
"""locals_test.py SKEIN SOURCE: the parameters and local variables that `skein ps --locals` prints are those of the
program, in its memory and in a snapshot."""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

skein, source = sys.argv[1:3]
EXPECTED = {
    "fd": "42", "peer": '"127.0.0.1:80"', "colour": "Green", "buffer": r'"a\tb\x1b[31m"', "numbers": "{1, -2, 3}",
    "text": r'"\"yes\"\n"', "is_open": "true", "longer": '"' + 60 * "x" + '"..', "nothing": "nullptr",
}
PATTERNS = {"user": r'@0x[0-9a-f]+ \{id = 7, name = "bob", score = 1\.5\}', "list": r"\{next = 0x[0-9a-f]+, value = 5\}"}


def check(condition, what):
    if not condition:
        sys.exit(f"locals_test: {what}")


def variables(target):
    run = subprocess.run([skein, "ps", "--locals", "--json", str(target)], check=True, capture_output=True, text=True)
    (one,) = json.loads(run.stdout)["coroutines"]
    return {each["name"]: each["value"] for each in one["locals"]}


def compare(found, what, optimised_clang):
    for name, value in EXPECTED.items():
        if not (optimised_clang and name not in found):
            check(found.get(name) == value, f"{what}: {name} is {found.get(name)}, not {value}")
    for name, pattern in PATTERNS.items():
        if not (optimised_clang and name not in found):
            check(re.fullmatch(pattern, found.get(name, "")), f"{what}: {name} is {found.get(name)}")
    check(found.keys() <= EXPECTED.keys() | PATTERNS.keys(), f"{what}: {found.keys()}")
    check(optimised_clang or len(found) == len(EXPECTED) + len(PATTERNS), f"{what}: {found}")


with tempfile.TemporaryDirectory() as folder:
    for compiler, level in (("g++", "-O0"), ("g++", "-O2"), ("clang++-14", "-O0"), ("clang++-14", "-O2")):
        if not shutil.which(compiler):
            print(f"{compiler}: skipped")
            continue
        program, snapshot = Path(folder) / "locals", Path(folder) / "snapshot"
        subprocess.run([compiler, "-std=c++20", "-g", level, source, "-o", program], check=True)
        process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
        try:
            check(process.stdout.readline() == "ready\n", "not ready")
            is_optimised_clang = "clang" in compiler and level != "-O0"
            compare(variables(process.pid), f"{compiler} {level}", is_optimised_clang)
            subprocess.run([skein, "core", str(process.pid), "-o", snapshot], check=True, capture_output=True)
            text = subprocess.run([skein, "why", "--locals", str(process.pid)], capture_output=True, text=True).stdout
            check(is_optimised_clang or 'peer = "127.0.0.1:80"' in text, text)
            plain = subprocess.run([skein, "ps", "--json", str(process.pid)], capture_output=True, text=True).stdout
            check(json.loads(plain)["coroutines"][0]["locals"] is None, plain)
        finally:
            process.kill()
            process.wait()
        program.unlink()
        compare(variables(snapshot), f"snapshot of {compiler} {level}", is_optimised_clang)
