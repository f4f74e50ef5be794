#!/usr/bin/env python3
"""asio_test.py SKEIN SOURCE COMPILER OPTION...: compiles a server of Boost.Asio's coroutines without skein, and
compares `skein why` and `skein ps` of its memory, and of its core, with what each coroutine waits for."""
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

skein, source, compiler, *options = sys.argv[1:]
if not shutil.which(compiler):
    print(f"skipped: no {compiler}")
    sys.exit(77)
LINES = {mark: number for number, line in enumerate(open(source), 1) for mark in re.findall(r"// @(\w+)", line)}


def check(condition, what):
    if not condition:
        sys.exit(f"asio_test: {what}")


def read(command, target):
    run = subprocess.run([skein, command, "--json", str(target)], capture_output=True, text=True)
    check(run.returncode == 0, f"skein {command} {target}: {run.returncode} {run.stderr}")
    return json.loads(run.stdout)


def examine(target, is_live):
    found = read("why", target)
    frames = {one["frame"]: one for one in found["coroutines"]}
    chains = {}
    for chain in found["chains"]:
        steps = [frames[frame] for frame in chain["frames"]]
        chains[steps[0]["function"].rsplit("::", 1)[-1]] = (chain, steps)

    def expect(first, count, verdict, operation=None, live_verdict=None):
        check(first in chains, f"{first} is not in {list(chains)}")
        chain, steps = chains[first]
        check(chain["count"] == count, f"{first}: {chain}")
        check(chain["verdict"] == (live_verdict if is_live and live_verdict else verdict), f"{first}: {chain}")
        last = steps[-1]
        awaited = frames.get(last["awaits"])
        check((awaited and awaited["operation"]) == operation, f"{first}: {last} awaits {awaited}")
        if "-g1" in options:
            mark = LINES[last["function"].rsplit("::", 1)[-1]]
            # The statement of `query` has two lines. At -O2 g++ gives all code of an await within a call in a loop
            # the line of the closing brace.
            allowed = {"query": (mark - 1, mark), "accept_and_ignore": (mark, mark + 1)}.get(first, (mark,))
            check(last["line"] in allowed, f"{last}: not at its mark, {mark}")
        return awaited and awaited["object"]

    timer = expect("sleep_for_an_hour", 2, "unknown timer", "async_wait", "slow")
    check(timer["kind"] == "timer" and not timer["never_expires"], timer)
    check(not is_live or 3.5e12 < timer["left_ns"] < 3.6e12, timer)
    timer = expect("read_news", 3, "never expires", "async_wait")
    check(timer["never_expires"], timer)
    check([step["function"].rsplit("::", 1)[-1] for step in chains["read_news"][1]] == ["read_news", "wait_for_news"],
          chains["read_news"])
    socket = expect("accept_and_ignore", 1, "usual", "async_accept")
    check(socket["kind"] == "socket" and socket["descriptor"] > 2, socket)
    expect("accept_one", 1, "usual", "async_accept")
    socket = expect("read_all", 1, "usual", "async_receive")
    check(socket["kind"] == "socket", socket)
    if "-g1" in options:
        steps = chains["read_all"][1]
        check([step["line"] for step in steps] == [LINES["read_all"], LINES["read_some"]], steps)
    socket = expect("query", 1, "usual", "async_read_until", "no answer")
    check(socket["kind"] == "socket", socket)
    check(not is_live or socket["peer"].startswith("127.0.0.1:"), socket)
    check(expect("watch_signals", 1, "usual", "async_wait")["kind"] == "signal set", "no signal set")
    timer = expect("wait_behind", 1, "unknown timer", "async_wait", "overdue")
    check(not is_live or -1e11 < timer["left_ns"] <= -1e9, timer)
    chain, steps = chains["wait_for_thread"]
    check(steps[0]["state"] == "runs", steps)
    check("-g1" not in options or steps[0]["line"] == LINES["wait_for_thread"], steps)
    check(chain["verdict"] == "blocks its thread", chain)
    check("say_ready" not in chains, "a coroutine that has ended")
    check(not any("could not be read" in warning for warning in found["warnings"]), found["warnings"])


def check_readme(folder):
    """The README shows what `skein why` prints of an example that was built without skein."""
    root = Path(source).resolve().parents[2]
    program = Path(folder) / "example"
    subprocess.run([compiler, "-std=c++20", *options, root / "examples/050-hang.cc", "-o", program, "-pthread"],
                   check=True)
    process = subprocess.Popen([program, "10"])
    try:
        end = time.monotonic() + 20
        while True:
            said = subprocess.run([skein, "why", str(process.pid)], capture_output=True, text=True).stdout
            if "never expires" in said or time.monotonic() > end:
                break
            time.sleep(0.05)
    finally:
        process.kill()
        process.wait()
    shown = re.search(r"\$ skein why \d+\n(\S+ \(\d+\) is not recorded\..*?)```", (root / "README.md").read_text(), re.S)[1]

    def plain(text):
        return " ".join(re.sub(r"\w+ \(\d+\) is|^  \d+  \w+", " ", text, flags=re.M).split())

    check(plain(said).startswith(plain(shown)), f"the README does not show this:\n{said}")


def check_stripped(program):
    """Without symbols, timers and sockets are known by the types of Asio's services."""
    subprocess.run(["strip", program], check=True)
    process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
    try:
        check(process.stdout.readline() == "ready\n", "the stripped server is not ready")
        text = subprocess.run([skein, "ps", str(process.pid)], capture_output=True, text=True).stdout
        for part in ("waits for a timer, which never expires", "waits for a timer, expires in ",
                     "waits for a socket, peer 127.0.0.1:", "waits for a signal set"):
            check(part in text, text)
    finally:
        process.kill()
        process.wait()


with tempfile.TemporaryDirectory() as folder:
    program = Path(folder) / "server"
    subprocess.run([compiler, "-std=c++20", *options, source, "-o", program, "-pthread"], check=True)
    process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
    try:
        check(process.stdout.readline() == "ready\n", "the server is not ready")
        examine(process.pid, True)
        if "g++" == compiler and "-g1" in options:
            check_readme(folder)
        text = subprocess.run([skein, "why", str(process.pid)], capture_output=True, text=True).stdout
        text = " ".join(text.split())
        for part in ("which never expires", "is blocked in ", "May be wrong, or as intended", "Probably as intended", "Threads:"):
            check(part in text, text)
        if shutil.which("gcore"):
            subprocess.run(["gcore", "-o", f"{folder}/core", str(process.pid)], capture_output=True, check=True)
            examine(f"{folder}/core.{process.pid}", False)
            text = subprocess.run([skein, "why", "--stop", f"{folder}/core.{process.pid}"], capture_output=True,
                                  text=True).stdout
            check("Call stacks:" in text and re.search(r"wait_for_thread", text.split("Call stacks:")[1]), text)
        else:
            print("core: skipped, no gcore")
    finally:
        process.kill()
        process.wait()
    if compiler == "g++" and "-g1" not in options and shutil.which("strip"):
        check_stripped(program)
