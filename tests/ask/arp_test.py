#!/usr/bin/env python3
"""examples/arp: a network stack that hangs if the answer arrives before the acknowledgement. Checks
the diagnosis of `skein why`, and that the fixed program does not hang.

    arp_test.py SKEIN ARP ARP_FIXED SOURCE tap|pair
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from common import SECONDS, expect, run, start

arp, arp_fixed = sys.argv[2:4]
source = pathlib.Path(sys.argv[4])
peer = {"tap": "the peer is the kernel", "pair": "the peer is a stack of this code"}[sys.argv[5]]
options = ["--pair"] if sys.argv[5] == "pair" else []

RECEIVED = "the peer received 1 byte: 42"
NOTHING = "No stuck tasks found.\n"
LOST = "lost wake-up"
DEADLINE = "5000"  # ms: for runs that hang; others take a few


class Play:
    """One run. Several run in parallel, because they mostly wait."""

    def __init__(self, program, trace, *words):
        self.trace = trace
        self.program = start([program, *options, "--deadline", DEADLINE, *words], text=True,
                             env=dict(os.environ, SKEIN_TRACE=str(trace)),
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def end(self):
        """Returns the line printed after the peer, the exit code, and the result of `skein why`."""
        out, errors = self.program.communicate(timeout=SECONDS)
        lines = out.splitlines()
        if peer not in lines and "no TAP device" in errors:
            print(f"skipped: {errors.strip()}")
            sys.exit(77)
        expect("who the peer is, and an end", len(lines) == 2 and lines[0] == peer, (out, errors))
        return lines[1], self.program.returncode, run("why", self.trace)

    def expect_success(self):
        said, code, why = self.end()
        expect("it works", (said, code) == (RECEIVED, 0), (self.program.args, said, code))
        expect("nothing is wrong", (why.returncode, why.stdout) == (0, NOTHING), why)

    def expect_hang(self):
        said, code, why = self.end()
        expect("it hangs", (said, code) == ("no answer", 1), (self.program.args, said, code))
        expect("a lost wake-up", why.returncode == 1 and LOST in why.stdout, why)
        return why.stdout


def at(text):
    """Returns the location of the line of arp.cc that contains the text."""
    lines = (source / "examples/arp/arp.cc").read_text().splitlines()
    return f"arp.cc:{next(i for i, line in enumerate(lines, 1) if text in line)}"


def place(of):
    return f"{pathlib.Path(of['location']['file']).name}:{of['location']['line']}"


def is_in_readme(command, said):
    """README shows this output, with the same lines, except for numbers."""
    shown = re.search(rf"\$ skein {command}\n(.*?)```", (source / "README.md").read_text(), re.S)
    expect("README shows it", shown)
    lines = set(re.findall(r"\w+\.(?:cc|h):\d+", shown[1]))
    expect("README's lines", lines and all(line in said for line in lines), (lines, said))

    def without_numbers(text):  # and without classes, because clang 14 names only functions
        text = re.sub(r"\w+::", "", text)
        words = re.sub(r"\d+(\.\d+)?(\s+(s|ms|us|ns)\b)?", "N", text).split()
        return " ".join(words)
    expect("README's words", without_numbers(shown[1]) in without_numbers(said), said)


def diagnosis(play):
    """Checks the single error, as text and as JSON."""
    said = play.expect_hang()
    is_in_readme("why trace", said)
    text = " ".join(said.split())
    wait, notify = at("co_await entry.answered.wait();"), at("entry.answered.notify_all();")
    for part in ("send_one_byte (#", "condition ARP answer (#", f" {wait})", f" {notify})",
                 "when no task was waiting"):
        expect("the text contains it", part in text, (part, text))
    diagnoses = json.loads(run("why", "--json", play.trace).stdout)["diagnoses"]
    faults = [d for d in diagnoses if d["error"]]
    expect("one fault", [d["verdict"] for d in faults] == [LOST], faults)
    fault = faults[0]
    expect("the chain", [step["task"]["name"] for step in fault["chain"]] ==
           ["send_one_byte", "connect", "transmit", "send", "query", "ARP answer"], fault)
    query = fault["chain"][-2]
    notified = fault["notification"]
    expect("both places", (place(query), place(notified)) == (wait, notify), fault)
    expect("before it waited", notified["time_ns"] < query["since_ns"], fault)
    expect("the waker", notified["by"]["name"] == "listen", fault)


def divergence(good, bad):
    """In the bad run, unlike in the good one, the acknowledgement came after the answer."""
    said = run("diff", good, bad)
    expect("they differ", said.returncode == 1, said)
    first = json.loads(run("diff", "--json", good, bad).stdout)["divergences"][0]
    happened = [(first[side]["task"]["name"], first[side]["event"])
                for side in ("good", "good_later", "bad_earlier", "bad")]
    acknowledged, notified = ("ring acknowledged", "resolve"), ("ARP answer", "notify")
    expect("what changed places", happened == [acknowledged, notified, notified, acknowledged], first)
    expect("who waited for it", first["good"]["other"]["name"] == "write", first)
    expect("who notified", first["bad_earlier"]["other"]["name"] == "listen" and
           place(first["bad_earlier"]) == at("entry.answered.notify_all();"), first)
    expect("what came of it", (first["victim"]["name"], first["verdict"]) == ("send_one_byte", LOST), first)
    for part in ("First divergence: In good ring acknowledged (#", "before condition ARP answer (#",
                 "As a result, send_one_byte (#"):
        expect("the text contains it", part in said.stdout, (part, said.stdout))
    if not options:  # README shows a run over the kernel's stack
        is_in_readme("diff good bad", said.stdout)


def nothing_causal(one, other):
    said = run("diff", one, other)
    expect("two good runs differ in nothing", said.returncode == 0 and
           "No causal difference" in said.stdout, said)


with tempfile.TemporaryDirectory(prefix="skein-arp-") as name:
    folder = pathlib.Path(name)
    Play(arp, folder / "good.skein").expect_success()
    for words in ([], ["--reply-first"]):
        Play(arp_fixed, folder / f"fixed{''.join(words)}.skein", *words).expect_success()
    bad = Play(arp, folder / "bad.skein", "--reply-first")
    seeds = range(10)
    plays = [Play(arp, folder / f"{n}.skein", "--seed", str(n)) for n in seeds]
    fixed = [Play(arp_fixed, folder / f"fixed-{n}.skein", "--seed", str(n)) for n in seeds]
    for play in fixed:
        play.expect_success()
    diagnosis(bad)
    divergence(folder / "good.skein", bad.trace)
    for play in fixed:
        nothing_causal(fixed[0].trace, play.trace)
    hung = 0
    for play in plays:
        said, code, why = play.end()
        expect("the verdict is the exit code", why.returncode == code == (said != RECEIVED), why)
        expect("it hangs for one reason", (LOST in why.stdout) == (code == 1), why)
        hung += code
        if code == 0:
            nothing_causal(folder / "good.skein", play.trace)
    expect("some hang and some do not", 0 < hung < len(plays), hung)
print("passed")
