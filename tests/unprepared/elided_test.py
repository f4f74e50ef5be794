#!/usr/bin/env python3
"""elided_test.py SKEIN SOURCE [--all]: coroutines whose frames clang has put on the stack of a plain function are a
part of this function, in a process, a core and a snapshot: certain while it is in their scope, and uncertain or left
out once it has left it. --all: more compilers and options."""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

skein, source = sys.argv[1:3]


def check(condition, what):
    if not condition:
        sys.exit(f"elided_test: {what}")


def lines_of(name):
    """The lines of the co_yield of a coroutine."""
    text = Path(source).read_text()
    begin = text.index(f"\nNumbers {name}(")
    end = text.index("\n}\n", begin)
    return {text[:begin + at.start()].count("\n") + 1 for at in re.finditer("co_yield", text[begin:end])}


def compare(target, what, has_lines, is_stripped):
    run = subprocess.run([skein, "ps", "--json", str(target)], capture_output=True, text=True)
    check(run.returncode == 0, f"{what}: {run.stderr}")
    document = json.loads(run.stdout)
    found, warnings = document["coroutines"], document["warnings"]
    sure = [one for one in found if one["certain"]]
    check(all(one["elided"] and one["caller"] for one in found), f"{what}: {found}")
    if is_stripped:
        # Which of the functions still use a coroutine that has no names shows only in some code.
        check(len(sure) in (1, 2) and all("+0x" in one["caller"]["function"] for one in sure), f"{what}: {sure}")
        check("some may be missing" in " ".join(warnings), f"{what}: {warnings}")
        return
    by_caller = {one["caller"]["function"].rsplit("::", 1)[-1]: one for one in sure}
    names = {caller: one["function"].rsplit("::", 1)[-1] for caller, one in by_caller.items()}
    check(names == {"loops": "count", "destroys": "words"} and len(sure) == 2, f"{what}: {sure}")
    for one in found:
        caller = one["caller"]["function"].rsplit("::", 1)[-1]
        check(one["certain"] or caller in ("left_one", "creates_again"), f"{what}: {one}")
    for one in sure:
        if has_lines:
            check(one["state"] == "waits" and {one["line"]} <= lines_of(one["function"].rsplit("::", 1)[-1]), f"{what}: {one}")
    text = subprocess.run([skein, "ps", str(target)], capture_output=True, text=True).stdout
    check(re.search(r"count +waits.*, on the stack of \S*loops  ", text), text)
    why = subprocess.run([skein, "why", str(target)], capture_output=True, text=True)
    check("deadlock" not in why.stdout, why.stdout)


VARIANTS = [("clang++-14", "-g -O2"), ("clang++-19", "-g -O1"), ("clang++-19", "-O3 -s")]
if "--all" in sys.argv:
    VARIANTS = [(compiler, f"{symbols} {level} {more}") for compiler in ("clang++-14", "clang++-19")
                for symbols in ("-g", "-s") for level in ("-O1", "-O2", "-O3", "-Os")
                for more in ("", "-no-pie", "-fno-omit-frame-pointer", "-fno-exceptions")]
with tempfile.TemporaryDirectory() as folder:
    for compiler, options in VARIANTS:
        if not shutil.which(compiler):
            print(f"{compiler}: skipped")
            continue
        what = f"{compiler} {options}"
        program = Path(folder) / "elided"
        subprocess.run([compiler, "-std=c++20", *options.split(), source, "-o", program, "-pthread"], check=True)
        process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
        try:
            check(process.stdout.readline() == "end\n", f"{what}: did not start")
            has_lines, is_stripped = "-g" in options, "-s" in options.split()
            compare(process.pid, what, has_lines, is_stripped)
            if shutil.which("gcore"):
                subprocess.run(["gcore", "-o", f"{folder}/core", str(process.pid)], capture_output=True, check=True)
                compare(f"{folder}/core.{process.pid}", f"{what}, core", has_lines, is_stripped)
            snapshot = Path(folder) / "snapshot"
            snapshot.unlink(missing_ok=True)
            subprocess.run([skein, "core", str(process.pid), "-o", snapshot], capture_output=True, check=True)
            compare(snapshot, f"{what}, snapshot", has_lines, is_stripped)
            print(what)
        finally:
            process.kill()
            process.wait()
