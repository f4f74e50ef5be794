#!/usr/bin/env python3
"""snapshot_test.py SKEIN SOURCE: `skein core` of a running process with several threads, of a core and of a snapshot:
every command that reads memory gives the same answer as for the original, without it and without the program."""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

skein, source = sys.argv[1:3]


def check(condition, what):
    if not condition:
        sys.exit(f"snapshot_test: {str(what)[:3000]}")


def run(*words):
    done = subprocess.run([skein, *map(str, words)], capture_output=True, text=True, timeout=60)
    check(done.returncode in (0, 1), f"{words}: {done.returncode} {done.stderr}")
    return f"exit code {done.returncode}\n{done.stdout}{done.stderr}"


SQL = "SELECT * FROM coroutine ORDER BY id"
COMMANDS = {
    "ps": ("ps", "TARGET", "--locals"), "ps --json": ("ps", "TARGET", "--json", "--locals"),
    "ps --group": ("ps", "TARGET", "--group"), "why": ("why", "TARGET"), "why --json": ("why", "TARGET", "--json"),
    "why --locals": ("why", "TARGET", "--locals"), "query": ("query", "--json", "TARGET", SQL),
    "tasks": ("export", "csv", "--table", "tasks", "TARGET"), "show": ("show", "--all", "--width", "150", "TARGET"),
    "render": ("render", "TARGET", "-o", "FILE.svg"), "html": ("html", "TARGET", "-o", "FILE.html"),
}


def answers(folder, target, *options):
    """What each command prints or writes. Only ps and why can stop a process."""
    found = {}
    for name, words in COMMANDS.items():
        made = folder / ("made" + Path(words[-1]).suffix)
        words = [target if word == "TARGET" else made if word.startswith("FILE") else word for word in words]
        said = run(*words, *(options if words[0] in ("ps", "why") else ()))
        if "built without" in said:
            continue
        found[name] = re.sub(r"made\.html: .*", "", said) if not made.exists() else ""
        if made.exists():
            found[name] = made.read_bytes()
            made.unlink()
    return found


def same(one, other, what, normal=lambda name, text: text):
    check(set(one) == set(other), what)
    for name in one:
        a, b = normal(name, one[name]), normal(name, other[name])
        if a != b:
            lines = zip(str(a).splitlines(), str(b).splitlines()) if isinstance(a, str) else []
            differing = [f"{x!r}, not {y!r}" for x, y in lines if x != y][:10]
            check(False, f"{what}: {name}: " + "\n".join(differing))


def without_words_for_process(_, text):
    """A process "is" not recorded, a snapshot "was", and the pause differs. A snapshot has no call stacks."""
    text = text if isinstance(text, str) else ""
    text = re.sub(r'\nCall stacks:.*|,?\s*"stacks": .*', "", text, flags=re.S)
    text = re.sub(r'"paused_ns": \d+', "", re.sub(r"\s+It\s+stood\s+still\s+for\s+[\d.]+\s+\S+s\.", "", text))
    return re.sub(r"\s+", " ", re.sub(r"is(\s+not recorded)", r"was\1", text))


with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    program = folder / "snapshot"
    subprocess.run(["g++", "-std=c++20", "-g", "-O1", "-pthread", source, "-o", program], check=True)
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    cores = []
    try:
        check(process.stdout.readline() == "ready\n", "not ready")
        of_process = answers(folder, process.pid, "--stop")
        for words in (("reads", "runs"), ("computes", "runs"), ("fetch", "waits")):
            check(re.search(rf"{words[0]} +{words[1]}", of_process["ps"]), of_process["ps"])
        check("item 0" in of_process["ps"] and "item 29" in of_process["ps --json"], "variables")
        snapshot = folder / "of-process"
        run("core", process.pid, "--stop", "-o", snapshot)
        if shutil.which("gcore"):
            subprocess.run(["gcore", "-o", folder / "core", str(process.pid)], capture_output=True, check=True)
            cores = [folder / f"core.{process.pid}"]
    finally:
        process.kill()
        process.wait()
    if cores:
        of_core = answers(folder, cores[0])
        of_its = folder / "of-core"
        run("core", cores[0], "-o", of_its)
    else:
        print("core: skipped, no gcore")
    program = program.rename(folder / "away")
    of_snapshot = answers(folder, snapshot)
    timeless = [name for name in of_process if name not in ("show", "render", "html", "tasks", "query")]
    same({name: of_process[name] for name in timeless}, {name: of_snapshot[name] for name in timeless},
         "a snapshot of a process", without_words_for_process)
    again = folder / "again"
    run("core", snapshot, "-o", again)
    same(of_snapshot, answers(folder, again), "a snapshot of a snapshot")
    check(again.stat().st_size < 1 << 20, f"{again.stat().st_size} bytes")
    # Similar coroutines take little space, and all of them are in it.
    counts = {}
    for count in (1_000, 30_000):
        process = subprocess.Popen([program, str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            check(process.stdout.readline() == "ready\n", "not ready")
            many = folder / f"many-{count}"
            run("core", process.pid, "-o", many)
            counts[count] = many.stat().st_size
            check(re.search(rf"^ *{count:,} +app::session", run("ps", many), re.M), run("ps", many))
        finally:
            process.kill()
            process.wait()
    check(counts[1_000] < 1 << 20 and counts[30_000] < 5 << 19, counts)
    if cores:
        same(of_core, answers(folder, of_its), "a snapshot of a core")
