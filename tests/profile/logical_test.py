#!/usr/bin/env python3
"""skein profile shows the coroutines that wait for the one that runs: of programs whose answer is known, with each compiler.
Skipped without the compiler, or if the kernel does not permit perf_event_open.

usage: logical_test.py SKEIN PROGRAM.cc COMPILER [OPTIONS..]

The programs (logical/) have the expected stacks in their comments: see logical/burn.h. Those of libcoro and cppcoro need
their sources, in the folder `foreign` beside $SKEIN_DATA."""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

skein, source, *compiler = sys.argv[1:]
source = pathlib.Path(source)
if shutil.which(compiler[0]) is None:
    print(f"skipped: no {compiler[0]}")
    sys.exit(77)


def expect(what, good, shown=""):
    if not good:
        sys.exit(f"FAILED: {what}: {shown}")


def expected_stacks():
    """By path: its stack, from the comments of the program."""
    lines = source.read_text().splitlines()
    marks = {}
    for number, line in enumerate(lines, 1):
        if mark := re.search(r"; +// ([a-z])$", line):
            marks[mark[1]] = number
    stacks = {}
    for line in lines:
        if found := re.match(r"// path (\d+): (.*)$", line):
            stacks[int(found[1])] = [
                (name if "::" in name else f"app::{name}") + (f" ({source.name}:{marks[mark]})" if mark else "")
                for name, _, mark in (word.partition(":") for word in found[2].split())]
    return stacks


# Files to compile with the program.
LIBRARIES = {"libcoro": ["src/sync_wait.cpp"], "cppcoro": ["lib/lightweight_manual_reset_event.cpp"]}


def library(to):
    """The compiler's arguments for the library that the program uses."""
    name = source.stem
    if name not in LIBRARIES:
        return []
    data = pathlib.Path(os.environ.get("SKEIN_DATA", source.resolve().parents[3].parent / "shared/data"))
    archive = data.parent / "foreign" / f"{name}.tar.xz"
    if not archive.exists():
        print(f"skipped: no {archive.name}; set SKEIN_DATA to the folder beside its folder `foreign`")
        sys.exit(77)
    subprocess.run(["tar", "-xf", archive, "-C", to], check=True)
    (to / "generated/coro").mkdir(parents=True)
    (to / "generated/coro/export.hpp").write_text("#define CORO_EXPORT\n")  # libcoro's, by CMake
    return [f"-I{to / name / 'include'}", f"-I{to / 'generated'}", *(to / name / file for file in LIBRARIES[name])]


def library_code(name):
    """What may be between the program's functions, and is not compared; also those that are inlined."""
    return re.match(r"(asio|boost|coro|cppcoro|std)::", name) is not None or name.endswith("_[i]")


WAITS = any(word.startswith("-DWAITS") for word in compiler)  # where threads wait, instead of what they run
# A coroutine of cppcoro with g++ resumes the one that it awaits by a call, and is one of its physical callers then.
HAS_LINES = source.stem != "cppcoro" and "-g0" not in compiler


def without_line(name):
    return name if HAS_LINES else re.sub(r" \(.*:\d+\)$", "", name)


def folded(path):
    for line in path.read_text().splitlines():
        stack, _, count = line.rpartition(" ")
        yield stack.split(";"), int(count)


def flame(data, *options):
    out = data.with_suffix(".folded")
    done = subprocess.run([skein, "flame", data, "-o", out, *options], capture_output=True, text=True)
    expect("skein flame", done.returncode == 0, done)
    return list(folded(out)), done.stderr


def path_of(stack):
    """Where the work of a path begins in a stack."""
    for at, name in enumerate(stack):
        if found := re.match(r"app::burn<(\d+)>", name):
            return int(found[1]), at
    return None, 0


def is_physical(stack, path):
    """Also if its outer functions are missing: it has no lines, as coroutines that wait have."""
    return HAS_LINES and not any(name.endswith(")") and ".cc:" in name for name in stack) and ".cc:" in "".join(expected[path])


expected = expected_stacks()
with tempfile.TemporaryDirectory(prefix="skein-logical-") as folder:
    folder = pathlib.Path(folder)
    program, data = folder / "program", folder / "out.data"
    built = subprocess.run([compiler[0], "-std=c++20", "-g", *compiler[1:], "-pthread", "-fomit-frame-pointer", source, *library(folder),
                            "-o", program],
                           capture_output=True, text=True)
    expect("build", built.returncode == 0, built.stderr)
    done = subprocess.run([skein, "profile", *(["--off-cpu"] if WAITS else []), "-o", data, "--", program, "3"],
                          capture_output=True, text=True)
    if "refuses perf_event_open" in done.stderr or "perf_event_open:" in done.stderr:
        print("skipped:", done.stderr)
        sys.exit(77)
    expect("profile", done.returncode == 0, done)
    spent = {int(path): int(ns) for path, ns in (line.split() for line in done.stdout.splitlines())}

    stacks, _ = flame(data, *(["--event", "offcpu-time"] if WAITS else []))
    right, unknown, wrong = collections.Counter(), collections.Counter(), collections.Counter()
    shown = collections.Counter()
    for stack, count in stacks:
        path, at = path_of(stack)
        if path is None:
            continue
        before = [without_line(name) for name in stack[1:at] if not library_code(name)]
        if before == [without_line(name) for name in expected[path]]:
            right[path] += count
        elif any(name in ("clone3", "start_thread", "main", "_start") for name in stack) or is_physical(stack, path):
            unknown[path] += count
            shown["unknown: " + ";".join(stack)] += count
        else:
            wrong[path] += count
            shown["wrong: " + ";".join(stack)] += count
    total = right.total() + unknown.total() + wrong.total()
    text = "\n".join(f"{count} {stack}" for stack, count in shown.most_common(12))
    print(f"right {right.total() / total:.2%}, wrong {wrong.total() / total:.2%}, unknown {unknown.total() / total:.2%}")
    print(done.stderr + text)
    expect("samples", total > 0.5 * sum(spent.values()), (total, spent))
    expect("every path", all(right[path] > 0 for path in expected), right)
    expect("wrong chains", wrong.total() <= 0.001 * total, text)
    if WAITS:
        # Of waits that are shorter than the interval of samples, some end before they are read; and the first ones of all,
        # before the symbols are.
        odd = {path for path in spent if path % 2 == 1}
        expect("waits", sum(right[path] for path in odd) > 0.4 * sum(spent[path] for path in odd), (right, spent, text))
        sys.exit()
    # The first samples are taken before the symbols are read. On a busy machine, that takes long, and some threads go on
    # before they can be read.
    expect("chains", right.total() > 0.85 * total, text)
    for path, ns in spent.items():
        share, truth = right[path] / right.total(), ns / sum(spent.values())
        expect(f"share of path {path}", abs(share - truth) < 0.05, (share, truth))

    # The same file shows what has resumed them, if wanted; and the share that is not known is stated.
    physical, _ = flame(data, "--stacks", "physical")
    roots = sum(count for stack, count in physical if stack[1] in ("clone3", "_start"))
    # Those of libcoro without optimisation grow until the program ends: each coroutine calls the next.
    if source.stem != "libcoro":
        expect("physical stacks", roots > 0.95 * sum(count for _, count in physical), physical[:10])
    done = subprocess.run([skein, "profile", "--stacks", "physical", "-o", data, "--", program, "0.3"],
                          capture_output=True, text=True)
    expect("without logical stacks", done.returncode == 0 and "coroutines" not in done.stderr, done)
    physical, _ = flame(data)
    expect("no logical stacks", not any(".cc:" in name for stack, _ in physical for name in stack), physical[:10])
