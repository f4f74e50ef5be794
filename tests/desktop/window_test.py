#!/usr/bin/env python3
"""The window with keyboard and mouse input: opens, zooms, searches, exports, saves notes, compares
two traces, follows a running program.

    window_test.py SKEIN GENERATE_MIRAGE STEPS HANG
"""
import json
import os
import pathlib
import signal
import subprocess
import sys

from screen import BAR, DARK, HIGHLIGHT, SECONDS, TABLE, Program, run, until, visible_duration

skein, generate, steps, hang = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:5])


def look_at_a_trace(screen, scratch):
    trace = scratch / "net.ctf"
    subprocess.run([generate, "--events", "10000", "-o", trace], check=True)
    notes = scratch / "net.ctf.skein-notes.json"
    it = Program(screen, skein, "view", "--theme", "light", trace).wait_for("^net.ctf - skein$")
    until("bars", it.has_bars)
    whole = it.export(scratch)

    # Zoom at the pointer with the wheel, drag, and go back.
    it.click(500, 300, button=4, times=6)
    zoomed = it.export(scratch)
    assert visible_duration(zoomed) < visible_duration(whole) / 2, (
        visible_duration(zoomed), visible_duration(whole))
    it.point(500, 300)
    screen.do("mousedown", 1)
    screen.do("mousemove_relative", "--sync", "--", -150, 0)
    screen.do("mouseup", 1)
    dragged = it.export(scratch)
    assert abs(visible_duration(dragged) / visible_duration(zoomed) - 1) < 0.01, "dragging"
    assert dragged != zoomed, "dragging"
    it.press("0")
    assert visible_duration(it.export(scratch)) == visible_duration(whole), "0 shows everything"
    it.press("u")
    undone = it.export(scratch)
    assert abs(visible_duration(undone) / visible_duration(zoomed) - 1) < 0.01, "u goes back"
    it.press("0")

    # Search while typing, without Enter.
    assert HIGHLIGHT not in whole.lower()
    it.press("slash")
    it.type("ring.write")
    until("something yellow", lambda: it.in_picture(HIGHLIGHT, 20))
    assert "#" + HIGHLIGHT in it.export(scratch).lower()
    it.press("slash")
    it.press("Return")  # goes to the next match
    assert visible_duration(it.export(scratch)) <= visible_duration(whole)
    it.press("Escape")
    until("nothing yellow", lambda: not it.in_picture(HIGHLIGHT, 20))

    # Open and close help.
    before = screen.picture(it.window)
    it.press("question")
    until("help", lambda: screen.picture(it.window)[BAR] < before[BAR] / 2)
    it.press("Escape")
    until("no help", lambda: screen.picture(it.window)[BAR] > before[BAR] / 2)

    # The table of tasks, whose bars are green; the arrow keys move in it.
    table = lambda: screen.picture(it.window)[TABLE] > 500
    it.press("g")
    until("a table", table)
    it.click(200, 720)
    until("a row's tasks in yellow", lambda: it.in_picture(HIGHLIGHT, 5))
    duration = visible_duration(it.export(scratch))
    it.press("Down", "Down", "Escape")
    assert visible_duration(it.export(scratch)) == duration
    it.press("g")
    until("no table", lambda: not table())

    # A bookmark is saved soon, and loaded later.
    it.point(400, 300)
    it.press("b")
    until("notes", lambda: notes.exists() and "time_ns" in notes.read_text())
    text = json.loads(notes.read_text())["bookmarks"][0]["text"]
    png, pdf = it.export(scratch, "png"), it.export(scratch, "pdf")
    assert png.startswith(b"\x89PNG") and len(png) > 10_000, len(png)
    assert pdf.startswith(b"%PDF") and len(pdf) > 3_000, len(pdf)
    it.press("t")
    until("the dark theme", lambda: it.in_picture(DARK, 1) or not it.in_picture("eff0f3", 10_000))
    it.press("ctrl+n")
    until("two windows", lambda: len(screen.windows("skein$")) == 2)
    it.quit()
    again = Program(screen, skein, "view", "--theme", "light", trace).wait_for("^net.ctf - skein$")
    until("bars", again.has_bars)
    assert text[:8] in again.export(scratch), text
    again.quit()
    return trace


def compare(screen, scratch, trace):
    other = scratch / "other.ctf"
    subprocess.run([generate, "--events", "5000", "--seed", "7", "-o", other], check=True)
    it = Program(screen, skein, "view", "--theme", "light", trace, other).wait_for("^net.ctf, other.ctf - skein$")
    until("bars", it.has_bars)
    svg = it.export(scratch)
    assert ">net.ctf<" in svg and ">other.ctf<" in svg, "both titles"
    before = it.corner()
    screen.do("windowsize", it.window, 1507, 903)
    # Until it has drawn there, it does not know its size.
    until("another size", lambda: it.size() == "1507x903" and it.corner() == before)
    it.quit()
    it = Program(screen, skein, "view", "--new-window", "--theme", "light", trace, other)
    it.wait_for("^other.ctf - skein$")
    it.wait_for("^net.ctf - skein$")
    assert it.size() == "1507x903", it.size()
    it.quit()


def say_what_is_wrong(screen, scratch, trace):
    nothing = scratch / "nothing"
    nothing.write_text("hello, world\n" * 100)
    it = Program(screen, skein, "view", nothing).wait_for("^nothing - skein$")
    it.quit()
    it = Program(screen, skein, "view").wait_for("^skein$")
    it.quit()

    def refused(says, *words, environment=screen.environment):
        done = subprocess.run([skein, "view", *map(str, words)], capture_output=True, text=True,
                              env=environment, timeout=SECONDS)
        assert done.returncode == 2 and says in done.stderr and done.stderr.count("\n") == 1, done
    refused("No such file", scratch / "missing")
    refused("not recording", os.getpid())
    blind = {key: value for key, value in screen.environment.items() if key != "DISPLAY"}
    refused("no display; use skein html or skein show", trace, environment=blind)


def follow(screen, scratch):
    trace = scratch / "steps"
    told = subprocess.Popen([steps], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                            env={**os.environ, "SKEIN_TRACE": f"{trace},size=256K"})

    def step(name):
        told.stdin.write(name + "\n")
        told.stdin.flush()
        assert told.stdout.readline() == name + "\n"
    try:
        step("before")
        it = Program(screen, skein, "view", "--theme", "light", told.pid)
        it.wait_for(r"^steps \(running\) - skein$")
        until("the session", lambda: ">the session<" in it.export(scratch))
        seen = visible_duration(it.export(scratch))
        for name in ("while it runs", "and again"):
            step(name)
            seen = until(f"more than {seen} s",
                         lambda: max(seen, visible_duration(it.export(scratch))) > seen
                         and visible_duration(it.export(scratch)))
            it.press("slash")
            it.type(name)
            it.press("Return", "Escape")  # selects it, and focuses the picture
            it.press("f")
            until(f"a task called {name}", lambda: f">{name}<" in it.export(scratch))
            it.press("0")
        it.press("b")  # notes are stored beside the trace, not in it
        until("notes", (scratch / "steps.skein-notes.json").exists)
        assert not [entry for entry in trace.iterdir() if "notes" in entry.name]
        told.send_signal(signal.SIGKILL)
        told.wait()
        it.wait_for(r"^steps \(ended\) - skein$")
        assert visible_duration(it.export(scratch)) >= seen, "what was seen last stays"
        it.quit()
    finally:
        told.kill()
        told.wait()


def follow_a_hang(screen, scratch):
    if not pathlib.Path(hang).exists():
        return print("not tested: there is no 050-hang (it needs Boost)")
    hangs = subprocess.Popen([hang, "10"], env={**os.environ, "SKEIN_TRACE": f"{scratch}/hang"})
    try:
        until("a trace", (scratch / "hang" / "metadata").exists)
        it = Program(screen, skein, "view", "--theme", "light", scratch / "hang")
        it.wait_for(r"^hang \(running\) - skein$")
        seen = until("more than a second", lambda: visible_duration(it.export(scratch)) > 1
                     and visible_duration(it.export(scratch)))
        until("and more", lambda: visible_duration(it.export(scratch)) > seen + 0.5)
        hangs.kill()
        hangs.wait()
        it.wait_for(r"^hang \(ended\) - skein$")
        svg = it.export(scratch)
        assert visible_duration(svg) > seen and ">use_network" in svg, (
            "what hung is there as long as it did")
        it.quit()
    finally:
        hangs.kill()
        hangs.wait()


def test(screen, scratch):
    trace = look_at_a_trace(screen, scratch)
    compare(screen, scratch, trace)
    say_what_is_wrong(screen, scratch, trace)
    follow(screen, scratch)
    follow_a_hang(screen, scratch)


run(test)
