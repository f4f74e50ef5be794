#!/usr/bin/env python3
"""`skein diff GOOD BAD --view` shows both runs, starts at the divergence and links matching tasks,
also while a run is recorded. The links disappear if another run replaces a file.

    links_test.py SKEIN ARP STEPS
"""
import os
import pathlib
import re
import signal
import subprocess
import sys

from screen import HIGHLIGHT, SECONDS, Program, run, until, visible_duration

skein, arp, steps = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:4])


def record(trace, *words):
    """Records a run. Ignores the exit code, which is not 0 if the run hangs."""
    subprocess.run([*words], env={**os.environ, "SKEIN_TRACE": f"{trace},mode=log"},
                   stdout=subprocess.DEVNULL, timeout=SECONDS)
    assert (trace / "metadata").exists(), words
    return trace


def file_of(trace, path):
    """Replaces the file atomically, as if the user had recorded it again."""
    subprocess.run([skein, "export", "fxt", trace, "-o", f"{path}.new"], check=True,
                   stderr=subprocess.DEVNULL)
    os.replace(f"{path}.new", path)
    return path


def span(trace):
    """In seconds."""
    said = subprocess.run([skein, "info", trace], check=True, capture_output=True, text=True).stdout
    return float(re.search(r"(?m)^span +([\d.]+) s$", said)[1])


def window(screen, good, bad, name):
    it = Program(screen, skein, "diff", good, bad, "--view", stdout=subprocess.PIPE)
    it.wait_for(name)
    until("bars", it.has_bars)
    return it


def select(it, text):
    """Selects the next task with this text, then clears the search."""
    it.press("slash")
    it.type(text)
    it.press("Return", "Escape")


def linked(it):
    return it.in_picture(HIGHLIGHT, 20)


def two_runs(screen, scratch):
    good = record(scratch / "good", arp, "--pair")
    bad = record(scratch / "bad", arp, "--pair", "--reply-first", "--deadline", "200")
    it = window(screen, good, bad, "^good, bad - skein$")
    svg = it.export(scratch)
    for text in ("first: ring acknowledged (#", "then: condition ARP answer (#",
                 "first: condition ARP answer (#", "then: ring acknowledged (#"):
        assert f">{text}" in svg, text
    assert not linked(it), "nothing is selected yet"
    select(it, "ARP answer")
    until("its twin", lambda: linked(it))
    it.press("Escape")
    until("no twin", lambda: not linked(it))
    descriptors = os.listdir(f"/proc/{it.process.pid}/fd")
    targets = [os.readlink(f"/proc/{it.process.pid}/fd/{fd}") for fd in descriptors]
    assert not [target for target in targets if "memfd:links" in target], targets
    it.answer("ctrl+shift+o", "Open a trace", file_of(good, scratch / "alone.fxt"))
    it.wait_for("^alone.fxt - skein$")
    assert "first: " not in it.export(scratch), "a trace opened later is alone"
    it.focus(it.window)
    it.press("ctrl+q")
    said = it.process.communicate(timeout=SECONDS)
    assert it.process.returncode == 0 and "First divergence: " in said[0] and not said[1], said
    return good, bad


def doctor(screen, bad):
    it = Program(screen, skein, "doctor", bad, "--view", stdout=subprocess.PIPE)
    it.wait_for("^bad - skein$")
    until("bars", it.has_bars)
    svg = it.export(bad.parent)
    assert ">query (#" in svg and "waits for condition ARP answer (#" in svg, "in words, at its place"
    it.quit()


def another_run(screen, scratch, good, bad):
    files = file_of(good, scratch / "good.fxt"), file_of(good, scratch / "again.fxt")
    it = window(screen, *files, "^good.fxt, again.fxt - skein$")
    select(it, "ring acknowledged")
    until("its twin", lambda: linked(it))
    file_of(bad, files[1])
    until("no twin: of all ids there is one in both", lambda: not linked(it))
    # The runs still begin together. By their clocks, one is after the other.
    it.press("0")
    longest = max(span(good), span(bad))
    until("one start", lambda: visible_duration(it.export(scratch)) < 1.3 * longest)
    it.quit()


def follow(screen, scratch):
    good = scratch / "recorded"
    subprocess.run([steps], input="one\n", text=True, check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "SKEIN_TRACE": f"{good},size=256K"})
    told = subprocess.Popen([steps], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                            env={**os.environ, "SKEIN_TRACE": f"{scratch}/live,size=256K"})

    def step(name):
        told.stdin.write(name + "\n")
        told.stdin.flush()
        assert told.stdout.readline() == name + "\n"
    try:
        step("one")
        it = window(screen, good, told.pid, r"^recorded, live \(running\) - skein$")
        select(it, "the session")
        until("its twin", lambda: linked(it))
        step("two")
        it.press("0")
        until("the new events", lambda: ">two<" in it.export(scratch))
        assert linked(it), "the same is linked as before"
        told.send_signal(signal.SIGKILL)
        told.wait()
        it.wait_for(r"^recorded, live \(ended\) - skein$")
        assert linked(it)
        it.quit()
    finally:
        told.kill()
        told.wait()


def refuse(screen, scratch, good, bad):
    def refused(says, command, **options):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              env=screen.environment, timeout=SECONDS, **options)
        assert done.returncode == 2 and says in done.stderr and done.stderr.count("\n") == 1, done
    refused("standard input can be read once", [skein, "diff", "-", bad, "--view"],
            stdin=subprocess.DEVNULL)
    nonsense = scratch / "nonsense"
    nonsense.write_bytes(b"\xff" * 100)
    program = pathlib.Path(skein).parent / "skein-view"
    with nonsense.open() as file:
        for number in (file.fileno(), 987, "x", ""):
            refused("is run by skein", [program, "--annotations", number, "--", good, bad],
                    pass_fds=[file.fileno()])


def test(screen, scratch):
    good, bad = two_runs(screen, scratch)
    doctor(screen, bad)
    another_run(screen, scratch, good, bad)
    follow(screen, scratch)
    refuse(screen, scratch, good, bad)


run(test)
