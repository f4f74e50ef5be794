"""A screen with simulated input (xdotool) and screenshots, for the tests of the window.

The tests check the exports of the window and the colours of screenshots. They never sleep for a
fixed time: each step or check is repeated until it succeeds.
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

# Timeout; tests/choke sets a longer one.
SECONDS = int(os.environ.get("SKEIN_TEST_SECONDS", 120))
RETRY_SECONDS = SECONDS / 40  # after this time, a step without an effect is repeated

BAR, HIGHLIGHT, BOOKMARK = "3a4256", "ffd83d", "8a3fa0"  # of the light theme
DARK = "16181d"
TABLE = "009e73"  # running time


def eventually(condition, seconds):
    """Returns the first true value of condition(), or the last value."""
    end = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return value


def until(what, condition):
    value = eventually(condition, SECONDS)
    assert value, f"never happened: {what}"
    return value


class Screen:
    """A separate X server, with keyboard, mouse and screenshots."""

    def __init__(self, scratch, size="1800x1000"):
        ready, told = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(told), "-screen", "0", f"{size}x24", "-nolisten", "tcp", "-noreset"],
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

    def surfaces(self):
        """Returns all windows, including menus, which have no name."""
        return self.do("search", "--onlyvisible", "--maxdepth", 1, "--class", "skein").split()

    def image(self, of="root"):
        return Image(subprocess.run(["import", "-window", of, "-depth", "8", "ppm:-"],
                                    env=self.environment, capture_output=True,
                                    timeout=SECONDS).stdout)

    def picture(self, of="root"):
        """Returns the number of pixels of each colour on the screen or in a window."""
        points = self.image(of).points.hex()
        return collections.Counter(points[i:i + 6] for i in range(0, len(points), 6))


class Image:
    """Pixels of three bytes each; none if the window was closed."""

    def __init__(self, ppm):
        header = re.match(rb"P6\s+(\d+)\s+(\d+)\s+255\s", ppm)
        self.width, self.height = map(int, header.groups()) if header else (0, 0)
        self.points = ppm[header.end():] if header else b""

    @staticmethod
    def read(png):
        return Image(subprocess.run(["convert", "png:-", "-depth", "8", "ppm:-"], input=png,
                                    capture_output=True, check=True).stdout)

    def row(self, y, x=0, width=None):
        start = 3 * (y * self.width + x)
        return self.points[start:start + 3 * (self.width - x if width is None else width)]


class Program:
    """skein view and its window."""

    def __init__(self, screen, *words, **options):
        self.screen = screen
        self.process = subprocess.Popen([*map(str, words)], env=screen.environment,
                                        stderr=subprocess.PIPE, text=True, **options)
        self.exports = 0

    def wait_for(self, name):
        """Waits for a window of this name, and directs input to it."""
        def find():
            assert self.process.poll() is None, f"it ended: {self.process.stderr.read()}"
            return self.screen.windows(name)
        self.window = until(f"a window called {name}", find)[0]
        self.focus(self.window)
        return self

    def focus(self, window):
        self.screen.do("windowfocus", "--sync", window)

    def size(self):
        told = self.screen.do("getwindowgeometry", self.window)
        return re.search(r"Geometry: (\d+x\d+)", told)[1]

    def corner(self):
        """The colour of the window near its lower right corner."""
        image = self.screen.image(self.window)
        return image.row(image.height - 3, image.width - 3, 1)

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
        """Also counts colours near a bar's, because thin bars are blended with the background."""
        near = sum(count for colour, count in self.screen.picture(self.window).items()
                   if all(abs(int(colour[i:i + 2], 16) - int(BAR[i:i + 2], 16)) < 48 for i in (0, 2, 4)))
        return near > 3000

    def answer(self, key, title, path):
        """Enters the path in the dialog of this title, which the key opens."""
        self.focus(self.window)
        self.press(key)
        dialog = until(f"the dialog {title}", lambda: self.screen.windows(title))[0]

        def closed():
            """Types the path again: a dialog that is still reading its folder drops input."""
            self.focus(dialog)
            if not title.startswith("Export"):
                self.press("ctrl+l")
            self.press("ctrl+a")
            self.type(path)
            self.press("Return")
            return eventually(lambda: not self.screen.windows(title), RETRY_SECONDS)
        until("no dialog any more", closed)
        self.focus(self.window)

    def export(self, scratch, ending="svg"):
        self.exports += 1
        path = scratch / f"export-{self.process.pid}-{self.exports}.{ending}"
        self.answer("ctrl+e", "Export the picture", path)
        until(f"a file {path}", path.exists)
        return path.read_bytes() if ending != "svg" else path.read_text()

    def quit(self):
        self.focus(self.window)
        self.press("ctrl+q")
        said = self.process.communicate(timeout=SECONDS)[1]
        assert self.process.returncode == 0, (self.process.returncode, said)
        assert "CRITICAL" not in said, said


def visible_duration(svg):
    """Returns the visible time range in seconds, as shown in the picture."""
    number, unit = re.search(r">([\d.]+) (ns|µs|us|ms|s|min) visible", svg).groups()
    return float(number) * {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60}[unit]


def run(test, size="1800x1000"):
    """Runs test(screen, scratch). If it fails, writes a screenshot to $SKEIN_SCREENSHOT."""
    for tool in ("Xvfb", "xdotool", "import", "convert"):
        if not shutil.which(tool):
            print(f"skipped: there is no {tool} here")
            sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name).resolve()
        screen = Screen(scratch, size)
        try:
            test(screen, scratch)
        except BaseException:
            if where := os.environ.get("SKEIN_SCREENSHOT"):
                subprocess.run(["import", "-window", "root", where], env=screen.environment)
            raise
        finally:
            screen.close()
    print("passed")
