#!/usr/bin/env python3
"""Opens traces in the window by file dialog, list of recent files, and drop. Cancels loading.

    files_test.py SKEIN GENERATE_MIRAGE STEPS DRAG_SOURCE
"""
import os
import pathlib
import re
import subprocess
import sys

from screen import RETRY_SECONDS, Program, eventually, run, until

skein, generate, steps, drag_source = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:5])


def make_traces(scratch):
    files = [scratch / "one.ctf", scratch / "two.ctf"]
    for seed, path in enumerate(files, 1):
        subprocess.run([generate, "--events", "3000", "--seed", str(seed), "-o", path], check=True)
    directory = scratch / "recorded"
    subprocess.run([steps], input="a step\n", text=True, check=True, capture_output=True,
                   env={**os.environ, "SKEIN_TRACE": f"{directory},size=256K"})
    return *files, directory


def window(screen):
    return Program(screen, skein, "view", "--theme", "light").wait_for("^skein$")


def recent(screen):
    """Returns the names of the recent files in the order of the menu, newest first."""
    path = pathlib.Path(screen.environment["HOME"]) / ".local/share/recently-used.xbel"
    text = path.read_text() if path.exists() else ""
    found = re.findall(r'<bookmark href="[^"]*/([^"/]+)"[^>]* modified="([^"]*)"', text)
    return [name for name, modified in sorted(found, key=lambda one: one[1], reverse=True)]


def choose(screen, one, two, directory):
    it = window(screen)
    it.answer("ctrl+shift+o", "Open a trace", one)
    it.wait_for("^one.ctf - skein$")
    until("bars", it.has_bars)
    it.answer("ctrl+shift+d", "Add a trace below", two)
    it.wait_for("^one.ctf, two.ctf - skein$")
    def remembered():  # GTK writes the list with a delay, while the program runs
        it.answer("ctrl+o", "Open a trace", directory)
        it.wait_for("^recorded - skein$")
        return eventually(lambda: "recorded" in recent(screen), RETRY_SECONDS)
    until("the trace among the recent ones", remembered)
    it.quit()


def open_recent(screen, two, name):
    it = Program(screen, skein, "view", two).wait_for("^two.ctf - skein$")
    until("a picture", it.has_bars)
    assert len(screen.surfaces()) == 1

    def title():
        return screen.do("getwindowname", it.window).strip()

    def no_menu():  # or no dialog, if a key was lost
        if len(screen.surfaces()) == 1:
            return True
        it.press("Escape")
        return eventually(lambda: len(screen.surfaces()) == 1, RETRY_SECONDS)

    def chosen():
        before = title()
        eventually(lambda: recent(screen)[0] + " - skein" == before, RETRY_SECONDS)
        it.click(30, 25)  # Open
        until("the menu", lambda: len(screen.surfaces()) == 2)
        above = 4  # entries that open dialogs
        it.press(*(above + recent(screen).index(name)) * ["Down"], "Return")
        eventually(lambda: title() != before, RETRY_SECONDS)
        until("no menu", no_menu)
        return title() == f"{name} - skein"
    until("the trace that was opened before", chosen)
    it.press("F10")
    until("the main menu", lambda: len(screen.surfaces()) == 2)
    it.press("Escape")
    until("no menu", lambda: len(screen.surfaces()) == 1)
    it.quit()


def cancel(screen, one, two):
    """Cancels loading from standard input, which stays open, so that loading does not end."""
    def cancelled(it, name):
        for y in range(380, 560, 12):  # search for the button, down the middle of the picture
            it.click(545, y)
            if eventually(lambda: screen.windows(name), 0.1):
                return True
    it = Program(screen, skein, "view", "-", stdin=subprocess.PIPE)
    it.process.stdin.buffer.write(one.read_bytes()[:20_000])
    it.process.stdin.flush()
    it.wait_for(r"^standard input \(reading\) - skein$")
    until("no trace", lambda: cancelled(it, "^skein$"))
    it.answer("ctrl+shift+o", "Open a trace", two)
    it.wait_for("^two.ctf - skein$")
    until("bars", it.has_bars)
    it.quit()

    it = Program(screen, skein, "view", one, "-", stdin=subprocess.PIPE)  # the first trace stays
    it.wait_for(r"^one.ctf, standard input \(reading\) - skein$")
    until("bars", it.has_bars)
    until("the first trace", lambda: cancelled(it, "^one.ctf - skein$"))
    until("bars", it.has_bars)
    it.quit()


def drop(screen, it, what, name):
    source = Program(screen, drag_source, *what).wait_for("^drag from here$")
    screen.do("windowmove", "--sync", source.window, 1500, 100)

    def dropped():
        screen.do("mousemove", "--sync", 1600, 220, "mousedown", 1)
        for x in range(1550, 600, -50):
            screen.do("mousemove", "--sync", x, 400)
        screen.do("mouseup", 1)
        return eventually(lambda: screen.windows(name), RETRY_SECONDS)
    until(f"a window called {name}", dropped)
    source.process.terminate()
    source.process.communicate()
    it.focus(it.window)


def drop_traces(screen, scratch, one, two, directory):
    it = window(screen)
    drop(screen, it, [one, two], "^one.ctf, two.ctf")
    until("both", lambda: (svg := it.export(scratch)) and ">one.ctf<" in svg and ">two.ctf<" in svg)
    it.quit()
    it = window(screen)
    drop(screen, it, [directory], "^recorded - skein$")
    it.quit()
    it = window(screen)  # from a file manager one may drop a file of the trace directory
    drop(screen, it, [directory / "metadata"], "^recorded")
    until("its task", lambda: ">the session<" in it.export(scratch))
    it.quit()


def test(screen, scratch):
    one, two, directory = make_traces(scratch)
    choose(screen, one, two, directory)
    open_recent(screen, two, "recorded")
    cancel(screen, one, two)
    drop_traces(screen, scratch, one, two, directory)


run(test)
