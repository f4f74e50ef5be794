#!/usr/bin/env python3
"""unprepared_test.py SKEIN SOURCE COMPILER OPTION...: compiles a program of coroutines without skein and
compares the waits that it prints with what `skein ps` finds in its memory, and in its core."""
import collections, json, re, shutil, subprocess, sys, tempfile, time
from pathlib import Path

skein, source, compiler, *options = sys.argv[1:]
is_sanitized = any(option.startswith("-fsanitize") for option in options)
if not shutil.which(compiler):
    print(f"skipped: no {compiler}")
    sys.exit(77)


def check(condition, what):
    if not condition:
        sys.exit(f"unprepared_test: {what}")


def coroutines(target):
    run = subprocess.run([skein, "ps", "--json", str(target)], capture_output=True, text=True)
    check(run.returncode == 0, f"skein ps {target}: {run.stderr}")
    return json.loads(run.stdout)


def short(name):
    return name.rsplit("::", 1)[-1].split("<")[0]


def compare(found, expected, has_lines):
    states = collections.Counter(short(c["function"]) for c in found["coroutines"])
    functions = collections.Counter()
    for (function, _), count in expected.items():
        functions[function] += count
    functions["not_started"], functions["has_ended"] = 5, 4
    check(states == functions, f"coroutines {states}, not {functions}")
    for one in found["coroutines"]:
        name, state = short(one["function"]), one["state"]
        # The heaps of sanitizers are not known.
        check(one["certain"] or is_sanitized, f"{one} is uncertain")
        if name == "has_ended":
            check(state == "has ended", f"{one}: not at its end")
        elif name == "not_started":
            check(state in ("not started", None), f"{one}: started")
        else:
            check(state == "waits" or not has_lines, f"{one}: does not wait")
    if has_lines:
        lines = collections.Counter((short(c["function"]), c["line"]) for c in found["coroutines"] if c["line"]
                                    and short(c["function"]) not in ("not_started", "has_ended"))
        check(lines == expected, f"lines {lines}, not {expected}")
    by_frame = {one["frame"]: one for one in found["coroutines"]}
    chain = {"root": "middle", "middle": "leaf", "of_type": "operator()"}
    for one in found["coroutines"]:
        awaited = by_frame.get(one["awaits"])
        check((awaited and short(awaited["function"])) == chain.get(short(one["function"])),
              f"{one} awaits {awaited}")


with tempfile.TemporaryDirectory() as folder:
    program = Path(folder) / "coroutines"
    subprocess.run([compiler, "-std=c++20", *options, source, "-o", program], check=True)
    process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
    try:
        said = iter(process.stdout.readline, "end\n")
        waits = [(line.split()[0], int(line.split()[1])) for line in said]
        # A leaf of an odd kind waited at two places, and says so at each; root and middle at one.
        expected = collections.Counter(waits)
        # Without optimisation, clang has the number of the place at an address that it computes.
        has_lines = "-g" in options and not ("clang" in compiler and "-O0" in options)
        compare(coroutines(process.pid), expected, has_lines)
        if "-fsanitize=thread" in options or (is_sanitized and "clang" in compiler):
            print("core: skipped, gdb would write the sanitizer's memory, of 20 GB and more")
        elif shutil.which("gcore"):
            core = Path(folder) / "core"
            subprocess.run(["gcore", "-o", core, str(process.pid)], capture_output=True, check=True)
            compare(coroutines(f"{core}.{process.pid}"), expected, has_lines)
            while Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "S":
                time.sleep(0.01)  # gdb has just let it go on
        else:
            print("core: skipped, no gcore")
        snapshot = Path(folder) / "snapshot"
        subprocess.run([skein, "core", str(process.pid), "-o", snapshot], capture_output=True, check=True)
        check(snapshot.stat().st_mode & 0o77 == 0, "others may read the snapshot")
        live = coroutines(process.pid)
        program.unlink()
        of_snapshot = coroutines(snapshot)
        for key in ("coroutines", "chains", "warnings"):
            check(of_snapshot[key] == live[key], f"{key} of the snapshot: {of_snapshot[key]}, not {live[key]}")
        tree = subprocess.run([skein, "ps", "--group", str(process.pid)], capture_output=True, text=True).stdout
        roots = [int(count) for count in re.findall(r"^ *(\d+)  \S*root ", tree, re.M)]
        check(sum(roots) == 20 and len(roots) == 1, tree)
        leaves = [int(count) for count in re.findall(r"^ *(\d+)  +\S*leaf ", tree, re.M)]
        check(sum(leaves) == 20, tree)
        text = subprocess.run([skein, "ps", str(process.pid)], capture_output=True, text=True).stdout
        check("It is not recorded" in text, text)
    finally:
        process.kill()
        process.wait()
