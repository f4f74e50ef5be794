#!/usr/bin/env python3
"""stripped_test.py SKEIN FOLDER [--all]: in programs without symbols, whose coroutines are generators, tasks, timers and
callbacks, also with their own allocators, at least 95 % of the suspended coroutines are found, and none that is false
is certain; a note shows that some were left out, because nothing refers to them. The programs print the frames.
--all: more compilers and options."""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

skein, folder, *options = sys.argv[1:]
VARIANTS = [("clang++-14", "-O2"), ("clang++-19", "-O2 -static")]
if "--all" in options:
    LEVELS = ["-O0", "-O1", "-O2", "-O3", "-Os", "-O2 -static", "-O2 -no-pie", "-O2 -flto"]
    VARIANTS = [(compiler, level) for compiler in ("clang++-14", "clang++-16", "clang++-19", "g++") for level in LEVELS]


def check(condition, what):
    if not condition:
        sys.exit(f"stripped_test: {what}")


def run(program):
    """What it prints, and what skein finds; nothing if it fails by itself: clang 16 -O1 builds some wrongly."""
    process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
    try:
        lines = []
        while (line := process.stdout.readline()) != "end\n":
            if not line:
                return None
            lines.append(line)
        found = subprocess.run([skein, "ps", "--json", str(process.pid)], capture_output=True, text=True)
        check(found.returncode == 0, found.stderr)
    finally:
        process.kill()
        process.wait()
    return [line.split() for line in lines if line.startswith("0x")], json.loads(found.stdout)


all_frames = all_found = 0
with tempfile.TemporaryDirectory() as temporary:
    for compiler, level in VARIANTS:
        if not shutil.which(compiler):
            print(f"{compiler}: skipped")
            continue
        for source in sorted(Path(folder).glob("*.cc")):
            what = f"{source.stem}, {compiler} {level}"
            program = Path(temporary) / source.stem
            command = [compiler, "-std=c++20", "-s", "-pthread", *level.split(), source, "-o", program]
            if subprocess.run(command, capture_output="-flto" in level).returncode:
                check("-flto" in level, f"{what}: does not compile")
                print(f"{what}: skipped, this linker does not read its code")
                continue
            result = run(program)
            if result is None:
                check(compiler == "clang++-16", f"{what}: the program fails")
                print(f"{what}: skipped, the program fails")
                continue
            truth = {int(frame, 16): function for frame, function in result[0]}
            found = {one["frame"]: one for one in result[1]["coroutines"]}
            check(len(truth) >= 40, f"{what}: {len(truth)} coroutines only")
            forgotten = {frame for frame, function in truth.items() if function == "forgotten"}
            for frame in forgotten - found.keys():
                del truth[frame]  # with a note
            missing = [truth[frame] for frame in truth.keys() - found.keys()]
            false = [one for frame, one in found.items() if frame not in truth]
            check(len(missing) <= len(truth) / 20, f"{what}: {len(missing)} of {len(truth)} are missing: {missing[:9]}")
            certain = [one for one in false if one["certain"]]
            check(not certain, f"{what}: false: {certain[:5]}")
            check(source.stem == "pools" or not false, f"{what}: false: {false[:5]}")
            notes = " ".join(result[1]["warnings"])
            check(source.stem != "pools" or "clang" not in compiler or "that nothing refers to are left out" in notes,
                  f"{what}: no note of coroutines whose handles nothing has: {notes}")
            all_frames += len(truth)
            all_found += len(truth) - len(missing)
            print(f"{what}: {len(truth) - len(missing)} of {len(truth)}, and {len(false)} uncertain ones", flush=True)
check(all_frames > 0, "no compiler")
print(f"{all_found} of {all_frames}")
