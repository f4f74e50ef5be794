#!/usr/bin/env python3
"""The window equals tests/golden/desktop-NAME.png. To update the golden files after an intended
change:

    tools/update-golden build/dev desktop/look

The test compares the means of tiles (picture_difference): other fonts pass; a moved bar, row or
button and a changed colour fail. Both properties are tested, too.

    look_test.py SKEIN GENERATE_MIRAGE PICTURE_DIFFERENCE
"""
import os
import pathlib
import subprocess
import sys

from screen import SECONDS, Program, eventually, run, until

skein, generate, difference = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:4])
golden = pathlib.Path(__file__).resolve().parent.parent / "golden"

MOST = 0.02        # share of tiles
LARGEST = 60_000  # bytes of a golden file


class Looker:
    def __init__(self, screen, scratch):
        self.screen = screen
        self.shot = scratch / "shot.png"

    def look(self, it):
        subprocess.run(["import", "-window", it.window, "-depth", "8", self.shot],
                       env=self.screen.environment, check=True)
        return self.shot.read_bytes()

    def share(self, it, expected):
        self.look(it)
        said = subprocess.run([difference, self.shot, expected], check=True, capture_output=True, text=True)
        return float(said.stdout)

    def update(self, it, expected):
        """Writes a screenshot to `expected` once the screen does not change any more."""
        seen = [b""]

        def still():
            seen.append(self.look(it))
            return seen[-1] == seen[-2]
        until("the same twice", still)
        # Fewer colours make the file small and hardly change the means of tiles.
        subprocess.run(["convert", self.shot, "+dither", "-colors", "128", "-strip", "-define",
                        "png:exclude-chunks=date,time", expected], check=True)

    def expect(self, it, name, *changes):
        """Expects the golden file. Each change must make a difference; its second key undoes it."""
        expected = golden / f"desktop-{name}.png"
        if os.environ.get("SKEIN_UPDATE_GOLDEN"):
            self.update(it, expected)
        assert expected.stat().st_size <= LARGEST, (name, expected.stat().st_size)
        shares = []

        def same():
            shares.append(self.share(it, expected))
            return shares[-1] <= MOST
        assert eventually(same, SECONDS / 4), f"{name}: {min(shares):.2%} of the tiles are others"
        for change, back in changes:
            it.press(change)
            until(f"{name}: another picture by {change}", lambda: not same())
            it.press(back)
            until(f"{name}: the same again", same)


def test(screen, scratch):
    trace = scratch / "net.ctf"
    subprocess.run([generate, "-o", trace, "--events", "2000"], check=True)
    settings = pathlib.Path(screen.environment["HOME"]) / ".config/skein/view.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text("[view]\nwidth=1200\nheight=640\nseen=true\n")
    looker = Looker(screen, scratch)

    def window(theme, *traces):
        it = Program(screen, skein, "view", "--theme", theme, *traces)
        it.wait_for("^net.ctf - skein$" if traces else "^skein$")
        screen.do("mousemove", 1290, 690)  # outside the window
        return it

    it = window("light")
    looker.expect(it, "welcome")
    it.quit()
    it = window("light", trace)
    until("bars", it.has_bars)
    looker.expect(it, "whole", ("plus", "0"), ("v", "v"), ("F9", "F9"), ("question", "Escape"))
    it.press("question")
    looker.expect(it, "help", ("Escape", "question"))
    it.quit()
    it = window("dark", trace)
    it.press("slash")
    it.type("ring.write")
    it.press("Return", "Escape", *6 * ["plus"], "r", "l")
    looker.expect(it, "near", ("v", "v"), ("l", "l"), ("Right", "Left"))
    it.quit()


run(test, "1300x700")
