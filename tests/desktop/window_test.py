#!/usr/bin/env python3
"""The window, driven by key presses and a mouse on a screen of its own (Xvfb): opens, zooms, searches,
exports, keeps notes, compares two traces, follows a program that runs.

    window_test.py SKEIN SKEIN_VIEW GENERATE_MIRAGE STEPS

What it shows is judged by what it exports, and by the colours of a screenshot. Nothing is waited for
by the clock: each step is repeated, or looked at again, until it has happened.
"""
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SECONDS = 120  # until something that does not happen is a failure

skein, skein_view, generate, steps = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:5])
for tool in ("Xvfb", "xdotool", "import"):
    if not shutil.which(tool):
        print(f"skipped: there is no {tool} here")
        sys.exit(77)

BAR, HIGHLIGHT, BOOKMARK = "3a4256", "ffd83d", "8a3fa0"  # of the theme light
DARK = "16181d"


def until(what, condition):
    """The first value of condition() that is true."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"never happened: {what}")


class Screen:
    def __init__(self, scratch):
        ready, told = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(told), "-screen", "0", "1400x900x24", "-nolisten", "tcp"],
            pass_fds=[told], stderr=subprocess.DEVNULL)
        os.close(told)
        number = os.read(ready, 20).decode().strip()
        home = scratch / "home"
        home.mkdir()
        self.environment = {key: value for key, value in os.environ.items()
                            if not key.startswith(("XDG_", "WAYLAND", "GTK_", "SKEIN"))}
        self.environment.update(DISPLAY=f":{number}", HOME=str(home), GDK_BACKEND="x11",
                                GSK_RENDERER="cairo", LC_ALL="C.UTF-8", GTK_A11Y="none",
                                NO_AT_BRIDGE="1", DBUS_SESSION_BUS_ADDRESS="unix:path=/nonexistent",
                                GSETTINGS_BACKEND="memory")

    def close(self):
        self.server.terminate()
        self.server.wait()

    def do(self, *words):
        return subprocess.run(["xdotool", *map(str, words)], env=self.environment, text=True,
                              capture_output=True, timeout=SECONDS).stdout

    def windows(self, name):
        return self.do("search", "--onlyvisible", "--name", name).split()

    def picture(self, of="root"):
        """How many points of the screen, or of a window, have which colour."""
        ppm = subprocess.run(["import", "-window", of, "-depth", "8", "ppm:-"], env=self.environment,
                             capture_output=True, timeout=SECONDS).stdout
        header = re.match(rb"P6\s+\d+\s+\d+\s+255\s", ppm)
        if not header:
            return collections.Counter()
        points = ppm[header.end():].hex()
        return collections.Counter(points[i:i + 6] for i in range(0, len(points), 6))


class Program:
    """skein view, and the one window that a test looks at."""

    def __init__(self, screen, *words, program=(skein, "view"), **options):
        self.screen = screen
        self.process = subprocess.Popen([*program, *map(str, words)], env=screen.environment,
                                        stderr=subprocess.PIPE, text=True, **options)
        self.exports = 0

    def wait_for(self, name):
        """Until a window of this name is there; keys and pointer go to it."""
        def find():
            assert self.process.poll() is None, f"it ended: {self.process.stderr.read()}"
            return self.screen.windows(name)
        self.window = until(f"a window called {name}", find)[0]
        self.focus(self.window)
        return self

    def focus(self, window):
        self.screen.do("windowfocus", "--sync", window)

    def press(self, *keys):
        self.screen.do("key", "--delay", 30, *keys)

    def type(self, text):
        self.screen.do("type", "--delay", 15, text)

    def point(self, x, y):
        self.screen.do("mousemove", "--window", self.window, x, y)

    def click(self, x, y, button=1, times=1):
        self.point(x, y)
        self.screen.do("click", "--repeat", times, "--delay", 40, button)

    def in_picture(self, colour, least=1):
        return self.screen.picture(self.window)[colour] >= least

    def has_bars(self):
        """Thin ones are blended with what is behind them: nearly the colour of a bar."""
        near = sum(count for colour, count in self.screen.picture(self.window).items()
                   if all(abs(int(colour[i:i + 2], 16) - int(BAR[i:i + 2], 16)) < 48 for i in (0, 2, 4)))
        return near > 3000

    def export(self, scratch, ending="svg"):
        self.exports += 1
        path = scratch / f"export-{self.process.pid}-{self.exports}.{ending}"
        self.focus(self.window)
        self.press("ctrl+e")
        dialog = until("the dialog", lambda: self.screen.windows("Export the picture"))[0]
        self.focus(dialog)
        self.press("ctrl+a")
        self.type(path)
        self.press("Return")
        until("no dialog any more", lambda: not self.screen.windows("Export the picture"))
        until(f"a file {path}", path.exists)
        self.focus(self.window)
        return path.read_bytes() if ending != "svg" else path.read_text()

    def quit(self):
        self.focus(self.window)
        self.press("ctrl+q")
        said = self.process.communicate(timeout=SECONDS)[1]
        assert self.process.returncode == 0, (self.process.returncode, said)
        assert "CRITICAL" not in said, said


def in_sight(svg):
    """The time from the left edge to the right one, in seconds, as the picture says."""
    number, unit = re.search(r">([\d.]+) (ns|µs|us|ms|s|min) in sight", svg).groups()
    return float(number) * {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60}[unit]


def look_at_a_trace(screen, scratch):
    trace = scratch / "net.ctf"
    subprocess.run([generate, "--events", "10000", "-o", trace], check=True)
    notes = scratch / "net.ctf.skein-notes.json"
    it = Program(screen, "--theme", "light", trace).wait_for("^net.ctf - skein$")
    until("bars", it.has_bars)
    whole = it.export(scratch)

    # Zoom under the pointer by the wheel, drag, and back.
    it.click(500, 300, button=4, times=6)
    zoomed = it.export(scratch)
    assert in_sight(zoomed) < in_sight(whole) / 2, (in_sight(zoomed), in_sight(whole))
    it.point(500, 300)
    screen.do("mousedown", 1)
    screen.do("mousemove_relative", "--sync", "--", -150, 0)
    screen.do("mouseup", 1)
    dragged = it.export(scratch)
    assert abs(in_sight(dragged) / in_sight(zoomed) - 1) < 0.01 and dragged != zoomed, "dragging"
    it.press("0")
    assert in_sight(it.export(scratch)) == in_sight(whole), "0 shows everything"
    it.press("u")
    assert abs(in_sight(it.export(scratch)) / in_sight(zoomed) - 1) < 0.01, "u goes back"
    it.press("0")

    # Search as one types: no Enter.
    assert HIGHLIGHT not in whole.lower()
    it.press("slash")
    it.type("ring.write")
    until("something yellow", lambda: it.in_picture(HIGHLIGHT, 20))
    assert "#" + HIGHLIGHT in it.export(scratch).lower()
    it.press("slash")
    it.press("Return")  # the next one: it is gone to
    assert in_sight(it.export(scratch)) <= in_sight(whole)
    it.press("Escape")
    until("nothing yellow", lambda: not it.in_picture(HIGHLIGHT, 20))

    # Help, and away with it.
    before = screen.picture(it.window)
    it.press("question")
    until("help", lambda: screen.picture(it.window)[BAR] < before[BAR] / 2)
    it.press("Escape")
    until("no help", lambda: screen.picture(it.window)[BAR] > before[BAR] / 2)

    # A bookmark is on the disk soon, and there again later.
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
    again = Program(screen, "--theme", "light", trace).wait_for("^net.ctf - skein$")
    until("bars", again.has_bars)
    assert text[:8] in again.export(scratch), text
    again.quit()
    return trace


def compare(screen, scratch, trace):
    other = scratch / "other.ctf"
    subprocess.run([generate, "--events", "5000", "--seed", "7", "-o", other], check=True)
    it = Program(screen, "--theme", "light", trace, other).wait_for("^net.ctf, other.ctf - skein$")
    until("bars", it.has_bars)
    svg = it.export(scratch)
    assert ">net.ctf<" in svg and ">other.ctf<" in svg, "both titles"
    it.quit()
    it = Program(screen, "--new-window", "--theme", "light", trace, other)
    it.wait_for("^other.ctf - skein$")
    it.wait_for("^net.ctf - skein$").quit()


def say_what_is_wrong(screen, scratch, trace):
    nothing = scratch / "nothing"
    nothing.write_text("hello, world\n" * 100)
    it = Program(screen, nothing).wait_for("^nothing - skein$")
    it.quit()
    it = Program(screen).wait_for("^skein$")
    it.quit()

    def refused(says, *words, environment=screen.environment):
        done = subprocess.run([skein, "view", *map(str, words)], capture_output=True, text=True,
                              env=environment, timeout=SECONDS)
        assert done.returncode == 2 and says in done.stderr and done.stderr.count("\n") == 1, done
    refused("No such file", scratch / "missing")
    refused("records no trace", os.getpid())
    blind = {key: value for key, value in screen.environment.items() if key != "DISPLAY"}
    refused("no display: use skein html or skein show", trace, environment=blind)


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
        it = Program(screen, "--theme", "light", told.pid)
        it.wait_for(r"^steps \(running\) - skein$")
        until("the session", lambda: ">the session<" in it.export(scratch))
        seen = in_sight(it.export(scratch))
        for name in ("while it runs", "and again"):
            step(name)
            seen = until(f"more than {seen} s", lambda: max(seen, in_sight(it.export(scratch))) > seen
                         and in_sight(it.export(scratch)))
            it.press("slash")
            it.type(name)
            it.press("Return", "Escape")  # selects it; back to the picture
            it.press("f")
            until(f"a task called {name}", lambda: f">{name}<" in it.export(scratch))
            it.press("0")
        it.press("b")  # beside the trace, not in it
        until("notes", (scratch / "steps.skein-notes.json").exists)
        assert not [entry for entry in trace.iterdir() if "notes" in entry.name]
        told.send_signal(signal.SIGKILL)
        told.wait()
        it.wait_for(r"^steps \(ended\) - skein$")
        assert in_sight(it.export(scratch)) >= seen, "what was seen last stays"
        it.quit()
    finally:
        told.kill()
        told.wait()


def main(scratch):
    screen = Screen(scratch)
    try:
        trace = look_at_a_trace(screen, scratch)
        compare(screen, scratch, trace)
        say_what_is_wrong(screen, scratch, trace)
        follow(screen, scratch)
    except BaseException:
        if where := os.environ.get("SKEIN_SCREENSHOT"):
            subprocess.run(["import", "-window", "root", where], env=screen.environment)
        raise
    finally:
        screen.close()


with tempfile.TemporaryDirectory() as name:
    main(pathlib.Path(name).resolve())
print("passed")
