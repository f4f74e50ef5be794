#!/usr/bin/env python3
"""`skein diff` reports no divergence between two good runs, and the divergence of one that hangs.

    diff_test.py SKEIN HANGING_PROGRAM
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from common import SKEIN, expect, info, run, start, until

hang = sys.argv[2]
NOTHING = "No causal difference: tasks found in both runs ended the same way."


def record(trace, *words):
    subprocess.run([hang, *words], env=dict(os.environ, SKEIN_TRACE=str(trace)), check=True,
                   stdout=subprocess.DEVNULL)
    return trace


def alike(folder):
    good = record(folder / "good.skein", "1")
    again = record(folder / "again.skein", "1")
    said = run("diff", good, again)
    expect("nothing", said.returncode == 0 and NOTHING in said.stdout, said)
    data = json.loads(run("diff", "--json", good, again).stdout)
    expect("all is matched", data["good_tasks"] == data["bad_tasks"] == data["matched"], data)
    expect("no divergence", data["divergences"] == [], data)
    itself = json.loads(run("diff", "--json", good, good).stdout)
    expect("not even in time", itself["timing"] == [], itself)
    return good


def later(folder, good):
    """The acknowledgement takes four milliseconds instead of one, but is still in time."""
    late = record(folder / "late.skein", "4")
    said = run("diff", good, late)
    expect("nothing causal", said.returncode == 0 and NOTHING in said.stdout, said)
    data = json.loads(run("diff", "--json", good, late).stdout)
    shares = [group["share"] for group in data["timing"]]
    expect("shares of the whole", abs(sum(shares) - 1) < 1e-9 and shares == sorted(shares)[::-1], data)
    expect("both pauses are one group", [group["tasks"] for group in data["timing"]
                                         if group["name"] == "pause_for"] == [2], data)


def hangs(folder, good):
    bad = folder / "bad.skein"
    program = start([hang, "10"], env=dict(os.environ, SKEIN_TRACE=f"{bad},mode=log"))
    until(lambda: (bad / "metadata").exists() and
          '"wait"' in run("why", "--json", bad).stdout, "it waits for the answer")
    program.kill()
    program.wait()
    data = json.loads(run("diff", "--json", good, bad).stdout)
    first = data["divergences"][0]
    expect("cancelled, by the signal", first["good"]["event"] == "resume" and
           "Operation canceled" in first["good"]["text"], first)
    failed = [line for line in run("dump", good).stdout.splitlines() if " fail " in line]
    expect("it let go on before it failed itself", len(failed) == 1 and
           first["good"]["time_ns"] < float(failed[0].split()[0]) * 1e9, (first, failed))
    expect("what did not happen", first["kind"] == "not done" and
           first["good"]["task"]["name"] == "deadline_timer.async_wait", first)
    expect("who waited for it", first["good"]["other"]["name"] == "wait" and
           first["good"]["location"]["file"].endswith("050-hang.cc"), first)
    said = run("diff", good, bad)
    expect("as text", "First divergence: In good deadline_timer.async_wait (#" in said.stdout, said)
    swapped = run("diff", bad, good)
    expect("the other way round", "Swap the arguments?" in swapped.stdout, swapped)


def page(folder, good):
    if "built without the page" in run("html", good, "-o", folder / "none.html").stderr:
        return
    file = folder / "both.html"
    said = run("diff", good, folder / "bad.skein", "--html", file)
    expect("a page, and the words", said.returncode == 1 and "First divergence" in said.stdout and
           "both.html: " in said.stdout, said)
    text = file.read_text("utf-16")
    expect("of both, beginning together", "<title>good.skein and bad.skein" in text and
           '"together":true' in text.replace(" ", ""), text[:2000])
    for arguments in (("-", good), (good, good, "--html", "-")):
        expect("standard input and output are no files", run(
            "diff", *arguments, *(() if "--html" in arguments else ("--html", file))).returncode == 2)


def window(folder, good):
    """Checks errors only. tests/desktop/links_test.py checks the contents of the window."""
    expect("standard input is no file", run("diff", good, "-", "--view").returncode == 2)
    alone = shutil.copy(SKEIN, folder / "skein")
    said = subprocess.run([alone, "diff", good, folder / "bad.skein", "--view"], capture_output=True,
                          text=True)
    expect("no window", said.returncode == 2 and "is not installed" in said.stderr and
           said.stdout == "", said)


def mistakes(good):
    for arguments in ((good,), (good, "/nonexistent"), ("-", "-")):
        said = run("diff", *arguments)
        expect(f"{arguments} is refused", said.returncode == 2 and said.stderr, said)


if not os.path.exists(hang):
    print("skipped: the example is built only where there is Boost.Asio")
    sys.exit(77)
with tempfile.TemporaryDirectory(prefix="skein-diff-") as name:
    trace = alike(pathlib.Path(name))
    later(pathlib.Path(name), trace)
    hangs(pathlib.Path(name), trace)
    page(pathlib.Path(name), trace)
    window(pathlib.Path(name), trace)
    mistakes(trace)
print("passed")
