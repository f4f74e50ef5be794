#!/usr/bin/env python3
"""Stacks of a program that is compiled in several ways, compared with those of libdwfl.

    snapshots_test.py SNAPSHOTS PROGRAM.cc [--all]

--all: all variants, 800 snapshots of each in the first thread and 400 in another; otherwise two
variants, 150 of each. Prints a line for each variant.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

FEW = ["g++ -O2", "clang++-14 -O1 -fno-omit-frame-pointer"]
MORE = ["g++ -O0", "g++ -O1", "g++ -O3", "g++ -Os", "g++ -O2 -fno-omit-frame-pointer", "g++ -O2 -static", "g++ -O2 -no-pie",
        "g++ -O2 -g -flto", "g++ -O3 -mavx2", "g++ -O2 -Wl,-z,lazy", "g++ -O2 -fcf-protection", "g++ -O2 stripped",
        "g++ -g -O2 debug-file", "g++ -g -O2 debug-frame", "g++ -g -O2 debug-frame debug-file",
        "clang++-14 -O0", "clang++-14 -O2", "clang++-14 -O3", "clang++-14 -O2 -static", "clang++-19 -O0",
        "clang++-19 -O2", "clang++-19 -O3 -fno-omit-frame-pointer", "clang++-19 -O2 -static-pie",
        "clang++-19 -O2 -g -flto -fuse-ld=lld"]


def run(*command):
    subprocess.run(command, check=True)


def build(variant, source, folder):
    """Returns the program, or None if the compiler is missing."""
    compiler, *options = variant.split()
    if not shutil.which(compiler) or ("-fuse-ld=lld" in options and not shutil.which("ld.lld-19")):
        return None
    words = [option for option in options if not option.startswith("-")]
    options = [option for option in options if option.startswith("-")]
    if "debug-frame" in words:  # exceptions need .eh_frame, so the program throws none
        options += ["-fno-asynchronous-unwind-tables", "-fno-exceptions", "-DWITHOUT_EXCEPTIONS"]
    program = os.path.join(folder, "program")
    run(compiler, "-std=c++20", "-w", "-pthread", *options, source, "-o", program)
    if "debug-file" in words:
        debug = os.path.join(folder, ".debug", "program.debug")
        os.makedirs(os.path.dirname(debug), exist_ok=True)
        run("objcopy", "--only-keep-debug", program, debug)
        run("strip", program)
        run("objcopy", "--add-gnu-debuglink=" + debug, program)
    if "stripped" in words:
        run("strip", "-s", program)
    return program


def main(snapshots, source, everything):
    failed = []
    total = equal = 0
    for variant in FEW + (MORE if everything else []):
        with tempfile.TemporaryDirectory() as folder:
            program = build(variant, source, folder)
            if program is None:
                print(f"{variant}: not installed")
                continue
            for count, arguments in ([(800, []), (400, ["thread"])] if everything else [(150, [])]):
                done = subprocess.run([snapshots, str(count), program, *arguments], text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
                found = re.search(r"(\d+) snapshots, .*", done.stdout)
                print(f"{variant} {' '.join(arguments)}: {found[0] if found else done.stdout}", flush=True)
                if done.returncode != 0 or not found:
                    failed.append(variant)
                    print(done.stdout)
                    continue
                numbers = {name: int(n) for n, name in re.findall(r"(\d+) (\w+)", found[0])}
                total += numbers["snapshots"]
                equal += numbers["equal"]
                # All code of the program has tables, so only the end of a copy ends a stack early.
                if numbers["damaged"] or numbers["without"] or numbers["longer"] > count // 100:
                    failed.append(variant)
    print(f"{equal} of {total} equal; failed: {failed}")
    return 1 if failed or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], "--all" in sys.argv))
