#!/usr/bin/env python3
"""places_test.py SKEIN FOLDER [COMPILER OPTION...]: compiles the programs of FOLDER, or only with this compiler and
these options, and compares the lines, awaiters and states that `skein ps` finds with what they print."""
import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import which

skein, folder, *variant = sys.argv[1:]
SPACES = {"starts": ("app",), "yields": ("",), "first": ("",)}
VARIANTS = [f"{compiler} -g {level}" for compiler in ("g++", "clang++-14", "clang++-16", "clang++-19")
            for level in ("-O0", "-O1", "-O2", "-O3", "-Os")]
VARIANTS += ["clang++-19 -g -O2 -flto", "clang++-19 -g1 -O2", "clang++-19 -g -O2 -gsplit-dwarf", "g++ -g1 -O2",
             "g++ -g -O2 -flto", "g++ -g -O2 -gsplit-dwarf", "g++ -O2", "clang++-19 -O1"]


def check(condition, what):
    if not condition:
        sys.exit(f"places_test: {what}")


def short(name):
    return name.rsplit("::", 1)[-1].split("<")[0] if name else name


def read_truth(lines):
    waits, new, lines_of_new, joins = collections.Counter(), collections.Counter(), {}, {}
    for kind, name, *words in (line.split() for line in lines):
        if kind == "at":
            waits[name, int(words[0]), words[1]] += 1
        elif kind == "new":
            new[name] += 1
            lines_of_new[name] = int(words[0])
        else:
            joins[name] = int(words[0])
    return waits, new, lines_of_new, joins


def compare(where, truth, found, has_lines):
    waits, new, lines_of_new, joins = truth
    left, left_new = waits.copy(), new.copy()
    missing = collections.Counter()
    for one in found["coroutines"]:
        name, line, awaiter = short(one["function"]), one["line"], short(one["awaiter"])
        if left_new[name] and (one["state"] == "not started" or not any(key[0] == name for key in +left)):
            check(one["state"] == "not started" or (one["state"] is None and not has_lines), f"{where}: {one} has started")
            check(line is None or lines_of_new[name] in (0, line), f"{where}: {one} is at {lines_of_new[name]}")
            left_new[name] -= 1
            continue
        check(one["state"] == "waits" or not has_lines, f"{where}: {one} does not wait")
        possible = [key for key in +left if key[0] == name and line in (key[1], None)
                    and (awaiter in (key[2], None) or (key[2] == "-" and one["awaiter"].startswith("std::")))]
        check(possible, f"{where}: {name} at {line} for {one['awaiter']}, not {+left}")
        left[possible[0]] -= 1
        missing["lines"] += line is None
        missing["awaiters"] += awaiter is None and possible[0][2] != "-"
    check(not where.startswith("pools") or not +left, f"{where}: {+left} are missing")
    print(f"{where}: {missing['lines']} lines and {missing['awaiters']} awaiters of {sum(waits.values())} are missing")
    check(not has_lines or missing["lines"] == 0, f"{where}: lines are missing")


def run(source, command, scratch):
    program = scratch / "program"
    # The same types in a namespace without a name, whose functions have no names that other files know.
    for space in SPACES.get(source.stem, ("app", "")) if variant else ("app", ""):
        arguments = [*command, "-std=c++20", "-w", f"-DSPACE={space}", f"-I{folder}", source, "-o", program]
        subprocess.run(list(map(str, arguments)), check=True, cwd=scratch)
        if "-gsplit-dwarf" in command:
            for path in scratch.glob("*.dwo"):
                path.unlink()
        process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
        try:
            truth = read_truth(iter(process.stdout.readline, "ready\n"))
            output = subprocess.run([skein, "ps", "--json", str(process.pid)], check=True, capture_output=True, text=True)
            where = f"{source.stem}, {' '.join(command)}{' in a namespace' if space else ''}"
            # Without .dwo files, and of clang's code without optimisation, some are missing.
            has_lines = "-g" in command and "-gsplit-dwarf" not in command and "-O0" not in command
            compare(where, truth, json.loads(output.stdout), has_lines)
        finally:
            process.kill()
            process.wait()


count = 0
with tempfile.TemporaryDirectory() as temporary:
    for text in [" ".join(variant)] if variant else VARIANTS:
        if not which(text.split()[0]):
            print(f"{text}: skipped")
            continue
        for source in sorted(Path(folder).glob("*.cc")):
            run(source.resolve(), text.split(), Path(temporary))
            count += 1
if count == 0:
    print("skipped: no compiler")
    sys.exit(77)
