#!/usr/bin/env python3
"""locals_test.py SKEIN SOURCE [--all]: the parameters and local variables that `skein ps --locals` prints are those of
the program, in its memory, in a core and in a snapshot. Of clang's optimised code some are missing, or have unknown
parts ('?'); those that are not in scope must be."""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

skein, source = sys.argv[1:3]
ADDRESS = "0x[0-9a-f]+"
SESSION = {
    "fd": "42", "peer": '"127.0.0.1:80"', "colour": "Green", "buffer": r'"a\tb\x1b[31m"', "numbers": "{1, -2, 3}",
    "text": r'"\"yes\"\n"', "is_open": "true", "longer": '"' + 60 * "x" + '"..', "nothing": "nullptr",
    "user": f'@{ADDRESS} {{id = 7, name = "bob", score = 1.5}}', "list": f"{{next = {ADDRESS}, value = 5}}",
    "flags": "{ready = 1, level = -3, colour = Green, mask = 549755813889, last = true}",
    "word": "{number = 65, first = 'A'}", "tagged": "{tag = 1, {number = -1, bits = 4294967295}}",
    "exact": "0.25", "wide": ADDRESS,
}
WORKER = {"limit": "2", "owner": '"ann"', "user": '{id = 7, name = "bob", score = 1.5}', "path": '"/srv/ann"'}


def loop(number, total):
    squares = ", ".join(str(number + i) for i in range(4))
    return WORKER | {"total": str(total), "round": str(number), "squares": f"{{{squares}}}",
                     "copy": f'{{id = {10 * number}, name = "bob!", score = 3}}'}


HELD_FUNCTION = "a lambda of standard()"
HELD_USER = "(anonymous namespace)::User"
# By function: what is in scope at each place at which it waits.
EXPECTED = {
    "session": [SESSION],
    "worker": [WORKER | {"total": "200"}, loop(0, 200), loop(1, 201),
               WORKER | {"total": "201", "done": "{2, 2, 2}", "tag": "'x'"}],
    "serve": [{"timeout": "2.5", "tries": "3", "this": ADDRESS}],
    "standard": [{
        "few": "{1, -2, 3}", "many": "size 1000 {7, 7, 7, 7, 7, 7, 7, 7, ..}", "words": r'{"a", "b\x1b"}',
        "deque": "{1, 2}", "list": "{3, 4}", "map": '{[1] = "one", [2] = "two"}', "set": "{8, 9}", "table": "{[5] = 6}",
        "some": "5", "nothing": "nullopt", "owned": f'{ADDRESS} {{id = 1, name = "eve", score = 0.5}}',
        "shared": f"{ADDRESS} use count 2 17", "other": f"{ADDRESS} use count 2 17", "expired": "expired",
        "variant": '[index 1] "text"', "tuple": "{1, 'x'}", "atomic": "-3", "timeout": "1500ms",
        "date": "2023-11-14 22:13:20 UTC", "function": HELD_FUNCTION, "no_function": "empty",
        "any": HELD_USER, "view": '"view"',
    }],
}
# What every compiler that was tried has at any optimisation.
ALWAYS = {"session": [{"peer", "colour"}], "worker": [set(), {"copy", "squares"}, {"copy", "squares"}, {"tag"}],
          "serve": [{"tries"}], "standard": [{"many", "owned", "variant"}]}


def check(condition, what):
    if not condition:
        sys.exit(f"locals_test: {what}")


def coroutines(target):
    run = subprocess.run([skein, "ps", "--locals", "--json", str(target)], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)["coroutines"]


def fits(shown, expected):
    """The parts that are shown are those of the program; addresses are any."""
    if expected == HELD_FUNCTION:  # by the compiler's name
        return "standard(" in shown and ("lambda" in shown or "$_" in shown)
    text = re.escape(shown).replace(r"\?", ".*")
    return re.fullmatch(re.sub("0x[0-9a-f]+", lambda _: re.escape(ADDRESS), text), expected) is not None


def compare(found, what, is_optimised_clang):
    check(len(found) == 7, f"{what}: {found}")
    lines = {name: sorted({one["line"] or 0 for one in found if one["function"].endswith(name)}) for name in EXPECTED}
    for one in found:
        name = one["function"].rsplit("::", 1)[-1]
        shown = {each["name"]: each["value"] for each in one["locals"]}
        # Three lines of `worker`, of which the second is in the loop.
        place = lines[name].index(one["line"] or 0)
        if name == "worker":
            place = {0: 0, 1: 2 if "{1, 2, 3, 4}" in shown.values() else 1, 2: 3}[place]
        expected = EXPECTED[name][place]
        for variable, value in expected.items():
            if variable in shown:
                check(fits(shown[variable], value), f"{what}: {one}: {variable} is not {value}")
            else:
                check(is_optimised_clang or variable == "this", f"{what}: {one}: no {variable}")
        if is_optimised_clang:
            check(shown.keys() <= expected.keys(), f"{what}: {one}: not in scope")
            # At -O3, the function that creates the frame may be inlined.
            check(shown.keys() >= ALWAYS[name][place] or not one["line"], f"{what}: {one}: too few")


variants = [("g++", "-O0"), ("g++", "-O2"), ("clang++-14", "-O0"), ("clang++-14", "-O2"), ("clang++-19", "-O1"),
            ("clang++-19", "-O2"), ("clang++-19", "-O2 -gsplit-dwarf")]
if "--all" in sys.argv:
    variants = [(compiler, f"{level} {debug}") for compiler in ("g++", "clang++-14", "clang++-19")
                for level in ("-O0", "-O1", "-O2", "-O3", "-Os") for debug in ("-gdwarf-5", "-gdwarf-4", "-gsplit-dwarf")]
with tempfile.TemporaryDirectory() as folder:
    for compiler, options in variants:
        if not shutil.which(compiler):
            print(f"{compiler}: skipped")
            continue
        program, snapshot = Path(folder) / "locals", Path(folder) / "snapshot"
        subprocess.run([compiler, "-std=c++20", "-g", *options.split(), Path(source).resolve(), "-o", program], check=True,
                       cwd=folder)
        process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
        try:
            for line in process.stdout:
                if line == "ready\n":
                    break
            is_optimised_clang = "clang" in compiler and "-O0" not in options
            compare(coroutines(process.pid), f"{compiler} {options}", is_optimised_clang)
            subprocess.run([skein, "core", str(process.pid), "-o", snapshot], check=True, capture_output=True)
            if shutil.which("gcore"):
                core = Path(folder) / "core"
                subprocess.run(["gcore", "-o", core, str(process.pid)], check=True, capture_output=True)
                compare(coroutines(f"{core}.{process.pid}"), f"core of {compiler} {options}", is_optimised_clang)
            text = subprocess.run([skein, "why", "--locals", str(process.pid)], capture_output=True, text=True).stdout
            check('peer = "127.0.0.1:80"' in text or "-O3" in options, text)
            plain = subprocess.run([skein, "ps", "--json", str(process.pid)], capture_output=True, text=True).stdout
            check(json.loads(plain)["coroutines"][0]["locals"] is None, plain)
        finally:
            process.kill()
            process.wait()
        program.unlink()
        compare(coroutines(snapshot), f"snapshot of {compiler} {options}", is_optimised_clang)
