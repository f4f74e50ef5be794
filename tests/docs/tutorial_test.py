#!/usr/bin/env python3
"""Follows the tutorial: the program hangs, ps shows the chain with its lines, dump shows the cause,
and the picture equals the one in docs/pictures, which --renew replaces.

usage: tutorial_test.py SKEIN PROGRAM SOURCE [--renew]"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

skein, program, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
renew = "--renew" in sys.argv[4:]
code = (source / "examples/050-hang.cc").read_text().splitlines()
line_of = lambda text: next(i for i, line in enumerate(code, 1) if text in line)


def run(*words):
    return subprocess.run([skein, *words], capture_output=True, text=True, check=True, timeout=60).stdout


def expect(what, condition, detail=""):
    if not condition:
        sys.exit(f"FAILED: {what}: {detail}")


def plain(text):
    """Replaces the parts of the output of ps that differ between runs."""
    text = re.sub(r"pid \d+", "pid N", text)
    text = re.sub(r" \d+(\.\d+)? (us|ms|s|min) ", " D ", text)
    text = re.sub(r"\S{0,3}…\S{0,3}", "…", text)  # they determine where names are cut
    return re.sub(r" +", " ", text)


def sentence(text):
    """The text of why without line breaks, durations, and the pending tasks that follow an error."""
    text = re.sub(r"\b\d+(\.\d+)? (us|ms|s|min)\b", "D", text.split("\n\n")[0])
    return re.sub(r"\s+", " ", text).strip()


def function_of(event):
    return event.get("location", {}).get("function", "")


def words(picture):
    """Returns the texts of a picture except those that differ between runs: times, and names that
    only sometimes fit. The start of the last wait and the number of rows vary."""
    texts = re.findall(r"<text[^>]*>([^<]*)", picture.read_text())
    return {text for text in texts
            if not re.search(r"\d (ns|us|ms|s)\b|…|UTC|^(wait|coroutine|timer)$", text)}


with tempfile.TemporaryDirectory(prefix="skein-tutorial-") as work:
    os.chdir(work)
    good = subprocess.run([program, "1"], env=dict(os.environ, SKEIN_TRACE="good.skein"),
                          capture_output=True, text=True, timeout=60)
    expect("with a fast driver it works", good.stdout == "answered\n", good)
    expect("and nothing is left alive", "use_network" not in run("ps", "good.skein"))

    hanging = subprocess.Popen([program, "10"], env=dict(os.environ, SKEIN_TRACE="hang.skein"))
    try:
        end = time.monotonic() + 60
        while True:  # until the endless wait has begun
            seen = subprocess.run([skein, "ps", "--tree", str(hanging.pid)], capture_output=True,
                                  text=True).stdout
            if re.search(r"\bwait\b.*\n *deadline_tim.* created +\d+\.\d+ s ", seen):
                break  # created over a second ago, as in the tutorial
            expect("it hangs in wait", time.monotonic() < end, seen)
            time.sleep(0.01)
        shown = re.search(r"```\n\$ skein ps --tree \d+\n(.*?)```",
                          (source / "docs/tutorial.md").read_text(), re.S)
        expect("the tutorial shows what ps prints", plain(seen) == plain(shown[1]), f"{seen}\n{shown[1]}")
        why = subprocess.run([skein, "why", str(hanging.pid)], capture_output=True, text=True, timeout=60)
        expect("it is an error", why.returncode == 1, why)
        for page in ("README.md", "docs/tutorial.md"):
            shown = re.search(r"```\n\$ skein why \S+\n(use_network.*?)```", (source / page).read_text(), re.S)
            expect(f"{page} shows what why prints", sentence(why.stdout) == sentence(shown[1]),
                   f"{why.stdout}\n{shown[1]}")
    finally:
        hanging.kill()
        hanging.wait()

    dead = run("ps", "--tree", "hang.skein")
    for line, text in (("use_network", "co_await query("), ("query", "co_await answered.wait"),
                       ("wait", "co_await timer_.async_wait")):
        pattern = rf"^ *{line} \(#\d+\) .*050-hang\.cc:{line_of(text)}\b"
        expect(f"{line} stands at its line", re.search(pattern, dead, re.M), dead)

    page = (source / "docs/tutorial.md").read_text()
    said = subprocess.run([skein, "diff", "good.skein", "hang.skein"], capture_output=True, text=True,
                          timeout=60)
    shown = re.search(r"\$ skein diff good\.skein hang\.skein\n(.*?)```", page, re.S)[1]
    numbers = lambda text: re.sub(r"\w+::|\d+(\.\d+)?|\s+", "", text)  # clang 14: only functions
    expect("diff prints the tutorial's text", said.returncode == 1 and numbers(shown) in numbers(said.stdout),
           said.stdout)
    command = re.search(r"\$ skein (render hang\.skein .* -o hang\.svg)", page)
    run(*command[1].split())
    fresh, shown = pathlib.Path("hang.svg"), source / "docs/pictures/hang.svg"
    if renew:
        shutil.copyfile(fresh, shown)
    # On a slow machine more names fit, unless a pause fills the first 12 ms: then it hangs again.
    missing = words(shown) - words(fresh)
    for attempt in range(5):
        if not missing:
            break
        again = subprocess.Popen([program, "10"], env=dict(os.environ, SKEIN_TRACE=f"hang{attempt}.skein"))
        try:
            time.sleep(1)
        finally:
            again.kill()
            again.wait()
        run(*command[1].replace("hang.skein", f"hang{attempt}.skein").split())
        missing = words(shown) - words(fresh)
    expect("the picture is the tutorial's", "query" in words(shown) and not missing, missing)

    events = [json.loads(line) for line in run("dump", "--json", "hang.skein").splitlines()]
    functions = {e["task"]: function_of(e) for e in events if e["event"] == "create"}
    ended = next(e["time"] for e in events
                 if e["event"] == "resolve" and " network(" in functions.get(e["task"], ""))
    waits = next(e["time"] for e in events
                 if e["event"] == "create" and "condition::wait(" in function_of(e))
    expect("the response came before the wait", ended < waits, (ended, waits))
print("passed")
