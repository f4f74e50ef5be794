#!/usr/bin/env python3
"""lifetimes_test.py SKEIN SOURCE [--all]: compares the frames that a program prints with those that skein finds in
its memory: with symbols and without, with several allocators: none is missing, none is false, and all are
certain. With a pool on top of malloc a false one of clang is uncertain. --all: more compilers and options."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

skein, source = sys.argv[1:3]
everything = "--all" in sys.argv
LIBRARIES = {"jemalloc": "libjemalloc.so.2", "tcmalloc": "libtcmalloc_minimal.so.4", "mimalloc": "libmimalloc.so.2"}


def check(condition, what):
    if not condition:
        sys.exit(f"lifetimes_test: {what}")


def library(name):
    folders = [Path(folder) for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib")]
    return next((folder / LIBRARIES[name] for folder in folders if (folder / LIBRARIES[name]).exists()), None)


def run_variant(folder, compiler, options, allocator):
    what = f"{compiler} {' '.join(options)} {allocator}"
    environment = dict(os.environ)
    if allocator in LIBRARIES:
        if not library(allocator):
            print(f"{what}: skipped, no {LIBRARIES[allocator]}")
            return
        environment["LD_PRELOAD"] = str(library(allocator))
    program = Path(folder) / "program"
    pool = ["-DPOOL"] if allocator == "pool" else []
    subprocess.run([compiler, "-std=c++20", *options, *pool, source, "-o", program, "-pthread"], check=True)
    process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True, env=environment)
    try:
        truth = {}
        for line in iter(process.stdout.readline, "end\n"):
            frame, function, awaited, state = line.split(maxsplit=3)
            truth[int(frame)] = (function, 0 if awaited == "(nil)" else int(awaited, 16), state.strip())
        run = subprocess.run([skein, "ps", "--json", str(process.pid)], capture_output=True, text=True)
        check(run.returncode == 0, f"{what}: {run.stderr}")
    finally:
        process.kill()
        process.wait()
    document = json.loads(run.stdout)
    found = {one["frame"]: one for one in document["coroutines"]}
    is_gcc = "clang" not in compiler
    is_exact = allocator not in ("pool", "sanitizer")
    # clang's have no mark for the end that a program's own allocator keeps.
    expected = {frame for frame, (_, _, state) in truth.items() if is_gcc or is_exact or state == "waits"}
    missing = [truth[frame] for frame in expected - found.keys()]
    false = [one for frame, one in found.items() if frame not in truth and one["certain"]]
    uncertain = [one for frame, one in found.items() if frame not in truth and not one["certain"]]
    check(len(truth) > 250, f"{what}: {len(truth)} frames only")
    check(not missing, f"{what}: {len(missing)} missing: {missing[:5]}")
    check(not false, f"{what}: {len(false)} false: {false[:5]}")
    check(not is_gcc or all(one["state"] == "has ended" for one in uncertain),
          f"{what}: {len(uncertain)} uncertain: {uncertain[:5]}")
    unsure = [one for one in found.values() if not one["certain"]]
    check(not is_exact or not unsure, f"{what}: {len(unsure)} uncertain: {unsure[:5]}")
    for frame in found.keys() & truth.keys():
        function, awaited, state = truth[frame]
        one = found[frame]
        check(one["state"] == state or one["state"] is None, f"{what}: {one} is not '{state}'")
        check((one["awaits"] or 0) == awaited, f"{what}: {one} does not await {awaited}")
        if "-s" in options:
            check("+0x" in one["function"], f"{what}: {one} has a name")
        elif function != "?":
            check(one["function"].endswith(function), f"{what}: {one} is not '{function}'")
    print(f"{what}: {len(truth)} frames, {len(uncertain)} uncertain")


VARIANTS = [("g++", ["-O1", "-g", "-fsanitize=address"], ["sanitizer"]), ("g++", ["-O2", "-g"], ["glibc", "jemalloc", "mimalloc", "pool"]), ("g++", ["-O2", "-s"], ["glibc", "tcmalloc"]),
            ("clang++-14", ["-O1", "-g"], ["glibc", "jemalloc", "tcmalloc", "mimalloc"]),
            ("clang++-19", ["-O2", "-s"], ["glibc", "jemalloc", "tcmalloc", "mimalloc", "pool"])]
if everything:
    compilers = [("g++", each) for each in ("-O0", "-O1", "-O2", "-O3", "-Os", "-flto -O2", "-static -O2", "-no-pie -O1")]
    compilers += [(clang, each) for clang in ("clang++-14", "clang++-16", "clang++-19")
                  for each in ("-O0", "-O1", "-O2", "-Os", "-no-pie -O2")]
    VARIANTS = [(compiler, [*options.split(), symbols],
                 ["glibc"] + ([] if "-static" in options else ["jemalloc", "tcmalloc", "mimalloc"]) +
                 ([] if "-static" in options else ["pool"]))
                for compiler, options in compilers for symbols in ("-g", "-s")]
with tempfile.TemporaryDirectory() as folder:
    for compiler, options, allocators in VARIANTS:
        if not shutil.which(compiler):
            print(f"{compiler}: skipped")
            continue
        for allocator in allocators:
            run_variant(folder, compiler, options, allocator)
